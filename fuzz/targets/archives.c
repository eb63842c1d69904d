/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of tar archives.
 *
 * Parts: choices (whether to correct the checksums of headers; the size of pieces; which
 * members are read), the archive.
 *
 * Properties: members are the same, however the archive arrives and however much of each
 * member is read. A member that is held has the same bytes as one that is read directly,
 * and its first bytes are those of gp_tar_peek. All members together are not larger than
 * the archive. An error is one line; after the end, there are no more members.
 */
#include <stdlib.h>
#include <string.h>

#include "../support.h"
#include "base/hash.h"
#include "base/tar.h"

const size_t fuzz_part_count = 2;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOCK = 512, MAGIC = 257, CHECKSUM = 148, CHECKSUM_SIZE = 8 };

/* How members are read. */
typedef enum way { READ, HOLD, SKIP, WAYS } way;

/* What an archive contains. */
typedef struct contents {
  unsigned members;
  uint64_t bytes;        /* in all members that were read */
  uint64_t names, texts; /* hashes */
  gp_tar_state last;
} contents;

static uint64_t join(uint64_t hash, const void *bytes, size_t size) {
  gp_key key = gp_bytes_key(bytes, size);
  return (hash ^ key.first) * UINT64_C(0x9e3779b97f4a7c15) + key.second;
}

/* Reads the current member. Returns false if the archive ends in it. */
static bool read_member(gp_tar *tar, contents *all, uint64_t *hash) {
  gp_error error = {""};
  gp_reader reader;
  unsigned char head[64];
  size_t peeked, offset = 0;
  const unsigned char *bytes = tar->held ? NULL : gp_tar_peek(tar, sizeof head, &peeked);
  if (bytes) memcpy(head, bytes, peeked);
  FUZZ_HOLDS(gp_tar_open(tar, &reader, &error));
  for (size_t got; (got = gp_reader_available(&reader, 1)) > 0; offset++) {
    const unsigned char *byte = gp_reader_take(&reader, 1);
    if (bytes && offset < peeked) FUZZ_HOLDS(*byte == head[offset]);
    *hash = (*hash ^ *byte) * UINT64_C(0x100000001b3);
    (void)got;
  }
  bool done = !reader.failed;
  FUZZ_HOLDS(!done || offset == tar->size);
  gp_reader_close(&reader);
  fuzz_check_error(done, &error);
  all->bytes += offset;
  return done;
}

/* Holds the current member and reads it twice. */
static bool hold_member(gp_tar *tar, contents *all, uint64_t *hash) {
  gp_error error = {""};
  bool done = gp_tar_hold(tar, &error);
  uint64_t again = *hash, bytes = all->bytes;
  fuzz_check_error(done, &error);
  if (!done) return false;
  FUZZ_HOLDS(read_member(tar, all, hash));
  all->bytes = bytes;
  FUZZ_HOLDS(read_member(tar, all, &again) && again == *hash);
  return true;
}

static void use_member(gp_tar *tar, contents *all, way how) {
  uint64_t hash = 0;
  all->members++;
  all->names = join(all->names, tar->name.bytes, tar->name.size);
  all->names = join(all->names, &tar->size, sizeof tar->size);
  if (tar->problem || how == SKIP) return;
  bool done = how == HOLD ? hold_member(tar, all, &hash) : read_member(tar, all, &hash);
  if (done) all->texts = join(all->texts, &hash, sizeof hash);
}

static contents read_archive(fuzz_part archive, way how, size_t piece) {
  contents all = {0};
  gp_error error = {""};
  gp_reader reader;
  gp_tar tar;
  fuzz_file file = fuzz_make_file(archive, 0);
  FUZZ_HOLDS(gp_reader_share(&reader, file.file, &error));
  gp_tar_init(&tar, &reader);
  fuzz_piece = piece;
  while ((all.last = gp_tar_next(&tar)) == GP_TAR_MEMBER) use_member(&tar, &all, how);
  fuzz_piece = 0;
  fuzz_check_error(all.last == GP_TAR_END, &error);
  FUZZ_HOLDS(gp_tar_next(&tar) == GP_TAR_END);
  FUZZ_HOLDS(all.bytes <= archive.size);
  gp_tar_free(&tar);
  gp_reader_close(&reader);
  return all;
}

/* Returns a copy of the archive in which the checksums of headers are right. */
static unsigned char *correct(fuzz_part archive) {
  unsigned char *copy = malloc(archive.size + 1);
  FUZZ_HOLDS(copy);
  memcpy(copy, archive.bytes, archive.size);
  for (size_t at = 0; archive.size - at >= BLOCK; at += BLOCK) {
    unsigned sum = 0;
    if (memcmp(copy + at + MAGIC, "ustar", 5) != 0) continue;
    memset(copy + at + CHECKSUM, ' ', CHECKSUM_SIZE);
    for (size_t i = 0; i < BLOCK; i++) sum += copy[at + i];
    for (size_t i = 6; i-- > 0; sum >>= 3)
      copy[at + CHECKSUM + i] = (unsigned char)('0' + (sum & 7));
    copy[at + CHECKSUM + 6] = '\0';
  }
  return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[2];
  fuzz_parts(data, size, parts, 2);
  uint8_t choices = fuzz_byte(parts[0], 0);
  unsigned char *copy = correct(parts[1]);
  fuzz_part archive = {choices & 1 ? copy : parts[1].bytes, parts[1].size};
  contents read = read_archive(archive, READ, 0);
  contents pieces = read_archive(archive, READ, fuzz_byte(parts[0], 1));
  contents held = read_archive(archive, HOLD, fuzz_byte(parts[0], 2));
  contents skipped = read_archive(archive, SKIP, 0);
  FUZZ_HOLDS(read.names == pieces.names && read.texts == pieces.texts);
  FUZZ_HOLDS(read.names == held.names && read.texts == held.texts);
  FUZZ_HOLDS(read.members == held.members && read.members == pieces.members);
  FUZZ_HOLDS(read.members == skipped.members && read.names == skipped.names);
  free(copy);
  return 0;
}
