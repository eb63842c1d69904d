/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether another file is from the same build as an image. */
#include "debug/same_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/file_checksum.h"
#include "object/build_id.h"
#include "object/debuglink.h"

/* A debugging file may have at most LARGE_FILE bytes, plus MAX_RATIO times the size of
 * its image. */
#define LARGE_FILE ((uint64_t)64 << 20)
#define MAX_RATIO 64

typedef struct build_id {
  unsigned char bytes[GP_BUILD_ID_BYTES];
  size_t size;
} build_id;

static build_id id_of(const gp_image *image) {
  build_id id;
  id.size = gp_build_id(image, id.bytes);
  return id;
}

enum { HEX_ID = 2 * GP_BUILD_ID_BYTES + 1 };

static void format_id(char hex[HEX_ID], const build_id *id) {
  for (size_t i = 0; i < id->size; i++) snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
}

static bool same_id(const build_id *expected, const build_id *found,
                    const char *image_path, gp_error *error) {
  char expected_hex[HEX_ID], found_hex[HEX_ID];
  if (expected->size == found->size &&
      memcmp(expected->bytes, found->bytes, found->size) == 0)
    return true;
  format_id(expected_hex, expected);
  format_id(found_hex, found);
  return gp_fail(error, "is from a different build than %s: its build-id is %s, not %s",
                 image_path, found_hex, expected_hex);
}

/* Whether `size` is plausible for a debugging file. The checksum of a large file takes
 * time, and debugging information is rarely more than 30 times as large as the code. */
static bool is_plausible(uint64_t size, uint64_t image_size) {
  return size <= LARGE_FILE || (size - LARGE_FILE) / MAX_RATIO <= image_size;
}

static bool same_checksum(const gp_image *image, const gp_image *found, const char *path,
                          const char *image_path, gp_error *error) {
  uint32_t expected = 0, sum = 0;
  char *name = gp_debuglink_debug(image->file, &expected);
  free(name);
  if (!name)
    return gp_fail(error, "cannot be matched with %s: one of them has no build-id, and "
                   "%s has no .gnu_debuglink", image_path, image_path);
  if (!is_plausible((uint64_t)found->status.st_size, (uint64_t)image->status.st_size))
    return gp_fail(error, "is too large to be the debugging file of %s: more than %d "
                   "times its size", image_path, MAX_RATIO);
  if (!gp_file_checksum(path, &sum, error)) return false;
  if (sum == expected) return true;
  return gp_fail(error,
                 "is from a different build than %s: its checksum is %08" PRIx32
                 ", not %08" PRIx32, image_path, sum, expected);
}

bool gp_same_build(const gp_image *image, const gp_image *found, const char *path,
                   const char *image_path, gp_error *error) {
  build_id expected = id_of(image), id = id_of(found);
  if (expected.size > 0 && id.size > 0) return same_id(&expected, &id, image_path, error);
  return same_checksum(image, found, path, image_path, error);
}

bool gp_same_code(const gp_image *image, gp_image *found, gp_error *error) {
  if (found->text_low != image->text_low ||
      bfd_section_size(found->text) != bfd_section_size(image->text) ||
      bfd_get_arch(found->file) != bfd_get_arch(image->file))
    return gp_fail(error, "describes different code: its .text differs in address, size "
                   "or architecture");
  found->text_high = image->text_high;
  return true;
}
