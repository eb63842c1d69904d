/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads tar archives from a stream, member by member. */
#include "base/tar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define BLOCK ((size_t)512)

/* Fields of a header: offset and size in bytes. */
enum {
  NAME = 0, NAME_SIZE = 100,
  SIZE = 124, SIZE_SIZE = 12,
  CHECKSUM = 148, CHECKSUM_SIZE = 8,
  TYPE = 156,
  MAGIC = 257,
  PREFIX = 345, PREFIX_SIZE = 155,
  SPARSE_MORE = 482,       /* GNU's sparse members: a sparse map follows */
  SPARSE_NEXT = 504        /* in a block of such a map: another one follows */
};

/* What the headers before a member say about it. */
typedef struct description {
  bool named, sized;      /* an extended header has the name, the size */
  bool pax;               /* there were records of pax */
  bool sparse;
  unsigned extended;      /* number of extended headers */
  uint64_t size;
} description;

void gp_tar_init(gp_tar *tar, gp_reader *reader) {
  memset(tar, 0, sizeof *tar);
  tar->reader = reader;
}

void gp_tar_free(gp_tar *tar) {
  free(tar->name.bytes);
  free(tar->extended.bytes);
  free(tar->memory.bytes);
  memset(tar, 0, sizeof *tar);
}

/* --- bytes ----------------------------------------------------------------- */

/* Reports why no bytes follow. `error` may be that of the reader. */
static bool fail_truncated(const gp_reader *reader, gp_error *error) {
  if (!reader->failed)
    return gp_fail(error, "is incomplete: the archive ends at offset %" PRIu64,
                   reader->offset + gp_reader_at_hand(reader));
  if (error != reader->error) gp_fail(error, "%s", reader->error->text);
  return false;
}

static bool skip(gp_tar *tar, uint64_t size) {
  while (size > 0) {
    size_t now = size < GP_READER_WINDOW ? (size_t)size : GP_READER_WINDOW;
    size_t available = gp_reader_available(tar->reader, now);
    if (available == 0 || tar->reader->failed) return false;
    gp_reader_take(tar->reader, available);
    size -= available;
  }
  return true;
}

static bool set_text(gp_tar_text *text, const void *bytes, size_t size) {
  text->size = 0;
  if (!GP_RESERVE(&text->capacity, size + 1, GP_COLUMN(text->bytes))) return false;
  if (size > 0) memcpy(text->bytes, bytes, size);
  text->bytes[size] = '\0';
  text->size = size;
  return true;
}

/* The length of a text that ends at a zero byte or after `most` bytes. */
static size_t length_of(const void *text, size_t most) {
  const char *end = most > 0 ? memchr(text, 0, most) : NULL;
  return end ? (size_t)(end - (const char *)text) : most;
}

/* --- numbers --------------------------------------------------------------- */

/* Reads a number in base 256, which GNU tar writes if octal digits do not suffice. */
static bool read_binary(const unsigned char *field, size_t size, uint64_t *number) {
  *number = field[0] & 0x7fu;
  if (field[0] & 0x40) return false;  /* negative */
  for (size_t i = 1; i < size; i++) {
    if (*number > (uint64_t)INT64_MAX >> 8) return false;
    *number = *number << 8 | field[i];
  }
  return true;
}

/* Reads octal digits between blanks. No digits mean 0. */
static bool read_octal(const unsigned char *field, size_t size, uint64_t *number) {
  size_t i = 0;
  *number = 0;
  while (i < size && field[i] == ' ') i++;
  for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
    *number = *number << 3 | (field[i] - (unsigned)'0');
  return i == size || field[i] == ' ' || field[i] == '\0';
}

/* Old programs add up bytes as signed numbers. */
static bool has_checksum(const unsigned char *header) {
  uint64_t expected;
  int64_t sum = 0, signed_sum = 0;
  if (!read_octal(header + CHECKSUM, CHECKSUM_SIZE, &expected)) return false;
  for (size_t i = 0; i < BLOCK; i++) {
    bool is_blank = i >= CHECKSUM && i < CHECKSUM + CHECKSUM_SIZE;
    unsigned char byte = is_blank ? ' ' : header[i];
    sum += byte;
    signed_sum += byte < 0x80 ? byte : byte - 0x100;
  }
  return (uint64_t)sum == expected || (uint64_t)signed_sum == expected;
}

/* --- extended headers ------------------------------------------------------ */

/* Reads the content of an extended header. */
static bool read_extended(gp_tar *tar, uint64_t size) {
  gp_tar_text *text = &tar->extended;
  gp_reader *reader = tar->reader;
  uint64_t offset = reader->offset - BLOCK;
  if (size > GP_TAR_HEADER_MAX)
    return gp_fail(reader->error, "is damaged: the extended header at offset %" PRIu64
                   " has %" PRIu64 " bytes: the limit is %zu", offset, size,
                   GP_TAR_HEADER_MAX);
  text->size = 0;
  while (text->size < size) {
    size_t left = (size_t)size - text->size;
    size_t now = left < GP_READER_WINDOW ? left : GP_READER_WINDOW;
    const unsigned char *bytes = gp_reader_take(reader, now);
    if (!bytes) return fail_truncated(reader, reader->error);
    if (!GP_RESERVE(&text->capacity, text->size + now, GP_COLUMN(text->bytes)))
      return gp_fail_memory(reader->error);
    memcpy(text->bytes + text->size, bytes, now);
    text->size += now;
  }
  return skip(tar, (BLOCK - size % BLOCK) % BLOCK) ||
         fail_truncated(reader, reader->error);
}

static bool is_key(const char *record, size_t size, const char *key) {
  return size == strlen(key) && memcmp(record, key, size) == 0;
}

static bool read_decimal(const char *text, size_t size, uint64_t *number) {
  *number = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9' || *number > INT64_MAX / 10 - 1) return false;
    *number = *number * 10 + (uint64_t)(text[i] - '0');
  }
  return size > 0;
}

/* Takes over a record of pax: KEY=VALUE. An empty value deletes earlier records, so the
 * header of the member counts. */
static bool apply_record(gp_tar *tar, description *member, const char *record,
                         size_t size) {
  static const char sparse[] = "GNU.sparse.";
  const char *equals = size > 0 ? memchr(record, '=', size) : NULL;
  if (!equals) return false;
  size_t key = (size_t)(equals - record), length = size - key - 1;
  if (is_key(record, key, "size")) {
    member->sized = length > 0;
    return !member->sized || read_decimal(equals + 1, length, &member->size);
  }
  if (is_key(record, key, "path")) {
    member->named = length > 0;
    return !member->named ||
           set_text(&tar->name, equals + 1, length_of(equals + 1, length));
  }
  if (key >= sizeof sparse - 1 && memcmp(record, sparse, sizeof sparse - 1) == 0)
    member->sparse = true;
  return true;
}

/* Takes over the records of pax: "LENGTH KEY=VALUE\n", where LENGTH counts all bytes of
 * the record. */
static bool apply_records(gp_tar *tar, description *member) {
  const char *at = tar->extended.bytes;
  size_t left = tar->extended.size;
  while (left > 0) {
    const char *blank = memchr(at, ' ', left);
    uint64_t length;
    if (!blank || !read_decimal(at, (size_t)(blank - at), &length)) return false;
    size_t digits = (size_t)(blank - at) + 1;
    if (length <= digits || length > left || at[length - 1] != '\n') return false;
    if (!apply_record(tar, member, blank + 1, (size_t)length - digits - 1)) return false;
    at += length;
    left -= (size_t)length;
  }
  return true;
}

/* Reads an extended header, and takes over what it says about the next member. */
static bool extend(gp_tar *tar, description *member, unsigned char type, uint64_t size) {
  if (member->extended++ == GP_TAR_EXTENDED_MAX)
    return gp_fail(tar->reader->error, "is damaged: more than %d extended headers for "
                   "one member, at offset %" PRIu64, GP_TAR_EXTENDED_MAX,
                   tar->reader->offset - BLOCK);
  if (!read_extended(tar, size)) return false;
  const gp_tar_text *text = &tar->extended;
  if (type == 'x') {
    member->pax = true;
    return apply_records(tar, member) ||
           gp_fail(tar->reader->error, "is damaged: the extended header that ends at "
                   "offset %" PRIu64 " cannot be read", tar->reader->offset);
  }
  if (type != 'L') return true;
  member->named = set_text(&tar->name, text->bytes, length_of(text->bytes, text->size));
  return member->named || gp_fail_memory(tar->reader->error);
}

/* --- members ---------------------------------------------------------------- */

/* Sets the name from the header: PREFIX/NAME in POSIX's formats. */
static bool take_name(gp_tar *tar, const unsigned char *header) {
  char name[PREFIX_SIZE + 1 + NAME_SIZE];
  bool is_posix = memcmp(header + MAGIC, "ustar", 6) == 0;
  size_t size = is_posix ? length_of(header + PREFIX, PREFIX_SIZE) : 0;
  memcpy(name, header + PREFIX, size);
  if (size > 0) name[size++] = '/';
  size_t more = length_of(header + NAME, NAME_SIZE);
  memcpy(name + size, header + NAME, more);
  return set_text(&tar->name, name, size + more) || gp_fail_memory(tar->reader->error);
}

/* Skips the blocks of the map of GNU's sparse member. */
static bool skip_map(gp_tar *tar, bool follows) {
  for (int blocks = 0; follows; blocks++) {
    if (blocks == GP_TAR_MAP_MAX)
      return gp_fail(tar->reader->error, "is damaged: the map of a sparse member has "
                     "more than %d blocks, at offset %" PRIu64, GP_TAR_MAP_MAX,
                     tar->reader->offset);
    const unsigned char *block = gp_reader_take(tar->reader, BLOCK);
    if (!block) return fail_truncated(tar->reader, tar->reader->error);
    follows = block[SPARSE_NEXT] != 0;
  }
  return true;
}

/* Ends the header of an entry. Sets *found if it is a member. */
static bool begin(gp_tar *tar, const unsigned char *header, const description *member,
                  unsigned char type, uint64_t size, bool *found) {
  bool follows = type == 'S' && header[SPARSE_MORE] != 0;
  if (!member->named && !take_name(tar, header)) return false;
  const gp_tar_text *name = &tar->name;
  bool is_directory = name->size > 0 && name->bytes[name->size - 1] == '/';
  *found = type == '7' || type == 'S' || ((type == '0' || type == 0) && !is_directory);
  tar->problem = member->sparse || type == 'S'
                     ? "is a sparse member, which is unsupported: omit tar's option -S"
                 : type == 'M' ? "continues a member of another volume"
                               : NULL;
  if (type == 'M') *found = true;
  /* content follows a hard link only in pax archives */
  bool has_content = *found || (type == '1' ? member->pax : !strchr("23456V", type));
  tar->size = has_content ? size : 0;
  tar->left = tar->size;
  tar->padding = (unsigned)((BLOCK - tar->size % BLOCK) % BLOCK);
  return skip_map(tar, follows);
}

/* Reports a stream that does not begin with a header. `bytes` are its first ones. */
static bool fail_at_start(gp_error *error, const unsigned char *bytes, size_t count,
                          const char *problem) {
  static const struct {
    const char *magic, *program;
  } formats[] = {{"\x1f\x8b", "gzip"},
                 {"\x28\xb5\x2f\xfd", "zstd"},
                 {"\xfd" "7zXZ", "xz"},
                 {"BZh", "bzip2"}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    size_t length = strlen(formats[i].magic);
    if (count >= length && memcmp(bytes, formats[i].magic, length) == 0)
      return gp_fail(error, "is compressed: decompress it with %s -dc",
                     formats[i].program);
  }
  return gp_fail(error, "%s", problem);
}

/* Called where no block follows. */
static gp_tar_state end(gp_tar *tar) {
  gp_reader *reader = tar->reader;
  size_t rest = gp_reader_at_hand(reader);
  tar->ended = true;
  if (reader->failed) return GP_TAR_FAILED;
  if (tar->zeros > 0) return GP_TAR_END;
  if (!tar->begun && rest > 0)
    fail_at_start(reader->error, gp_reader_peek(reader, rest), rest,
                  "is too short to be a tar archive");
  else if (!tar->begun)
    gp_fail(reader->error, "is empty");
  else if (rest > 0)
    fail_truncated(reader, reader->error);
  else
    gp_fail(reader->error, "is incomplete: it ends at offset %" PRIu64
            ", without the mark for the end of an archive", reader->offset);
  return GP_TAR_FAILED;
}

static bool check_header(gp_tar *tar, const unsigned char *header, uint64_t *size) {
  gp_reader *reader = tar->reader;
  if (!has_checksum(header))
    return tar->begun
               ? gp_fail(reader->error, "is damaged: there is no header at offset %"
                         PRIu64, reader->offset - BLOCK)
               : fail_at_start(reader->error, header, BLOCK, "not a tar archive");
  return (header[SIZE] & 0x80 ? read_binary(header + SIZE, SIZE_SIZE, size)
                              : read_octal(header + SIZE, SIZE_SIZE, size)) ||
         gp_fail(reader->error, "is damaged: the header at offset %" PRIu64
                 " has a wrong size", reader->offset - BLOCK);
}

/* Reads a header that is no end mark. Sets *found if a member follows. */
static bool read_header(gp_tar *tar, const unsigned char *bytes, description *member,
                        bool *found) {
  unsigned char header[BLOCK];
  uint64_t size = 0;
  memcpy(header, bytes, BLOCK);
  if (!check_header(tar, header, &size)) return false;
  tar->begun = true;
  unsigned char type = header[TYPE];
  if (type == 'x' || type == 'g' || type == 'L' || type == 'K')
    return extend(tar, member, type, size);
  bool done = begin(tar, header, member, type, member->sized ? member->size : size,
                    found);
  *member = (description){.named = false};
  return done;
}

static bool finish_member(gp_tar *tar) {
  bool done = (skip(tar, tar->left) && skip(tar, tar->padding)) ||
              fail_truncated(tar->reader, tar->reader->error);
  tar->left = tar->padding = 0;
  tar->held = false;
  return done;
}

static gp_tar_state fail(gp_tar *tar) {
  tar->ended = true;
  return GP_TAR_FAILED;
}

static bool check_padding(const gp_tar *tar) {
  return tar->zeros <= GP_TAR_ZEROS_MAX ||
         gp_fail(tar->reader->error, "has more than %zu MB of zero bytes after offset %"
                 PRIu64, GP_TAR_ZEROS_MAX * BLOCK >> 20,
                 tar->reader->offset - tar->zeros * BLOCK);
}

gp_tar_state gp_tar_next(gp_tar *tar) {
  description member = {.named = false};
  bool found = false;
  if (tar->ended) return GP_TAR_END;
  while (!found) {
    if (!finish_member(tar)) return fail(tar);
    const unsigned char *block = gp_reader_take(tar->reader, BLOCK);
    if (!block) return end(tar);
    bool is_zero = block[0] == 0 && memcmp(block, block + 1, BLOCK - 1) == 0;
    tar->zeros = is_zero ? tar->zeros + 1 : 0;
    if (tar->zeros > 0 ? !check_padding(tar) : !read_header(tar, block, &member, &found))
      return fail(tar);
  }
  return GP_TAR_MEMBER;
}

/* --- content ---------------------------------------------------------------- */

const unsigned char *gp_tar_peek(gp_tar *tar, size_t wanted, size_t *size) {
  if (wanted > tar->left) wanted = (size_t)tar->left;
  *size = gp_reader_available(tar->reader, wanted);
  return gp_reader_peek(tar->reader, *size);
}

static ssize_t read_memory(void *from, unsigned char *bytes, size_t size,
                           gp_error *error) {
  gp_tar *tar = from;
  size_t left = tar->memory.size - tar->position;
  (void)error;
  if (size > left) size = left;
  if (size > 0) memcpy(bytes, tar->memory.bytes + tar->position, size);
  tar->position += size;
  return (ssize_t)size;
}

static ssize_t read_member(void *from, unsigned char *bytes, size_t size,
                           gp_error *error) {
  gp_tar *tar = from;
  if (size > tar->left) size = (size_t)tar->left;
  if (size == 0) return 0;
  if (gp_reader_available(tar->reader, 1) == 0) {
    fail_truncated(tar->reader, error);
    tar->ended = true;
    return -1;
  }
  if (size > gp_reader_at_hand(tar->reader)) size = gp_reader_at_hand(tar->reader);
  memcpy(bytes, gp_reader_take(tar->reader, size), size);
  tar->left -= size;
  return (ssize_t)size;
}

bool gp_tar_hold(gp_tar *tar, gp_error *error) {
  gp_tar_text *memory = &tar->memory;
  ssize_t got = 1;
  if (tar->held) return true;
  memory->size = 0;
  while (got > 0 && tar->left > 0) {
    if (!GP_RESERVE(&memory->capacity, memory->size + GP_READER_WINDOW,
                    GP_COLUMN(memory->bytes)))
      return gp_fail_memory(error);
    got = read_member(tar, (unsigned char *)memory->bytes + memory->size,
                      GP_READER_WINDOW, error);
    if (got > 0) memory->size += (size_t)got;
  }
  tar->held = got >= 0;
  return tar->held;
}

bool gp_tar_open(gp_tar *tar, gp_reader *reader, gp_error *error) {
  tar->position = 0;
  if (!gp_reader_receive(reader, tar->held ? read_memory : read_member, tar, error))
    return false;
  if (tar->held) reader->size = tar->memory.size;  /* otherwise it is only claimed */
  return true;
}
