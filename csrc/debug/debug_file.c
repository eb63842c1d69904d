/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of an image that are in other files. */
#include "debug/debug_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/units.h"
#include "object/build_id.h"
#include "object/debuglink.h"

#define PACKED ".gnu_debugdata"

/* --- whether a file is of the same build --------------------------------------- */

enum { SHOWN_ID = 2 * GP_BUILD_ID_BYTES + 1 };

/* A build id in base 16. */
static void show_id(char shown[SHOWN_ID], const unsigned char *id, size_t size) {
  for (size_t i = 0; i < size; i++) snprintf(shown + 2 * i, 3, "%02x", id[i]);
}

typedef struct build {
  unsigned char id[GP_BUILD_ID_BYTES];
  size_t size;
} build;

static build build_of(const gp_image *image) {
  build of;
  of.size = gp_build_id(image, of.id);
  return of;
}

static bool have_one_id(const build *mine, const build *its, const char *image_path,
                        gp_error *error) {
  char expected[SHOWN_ID], found[SHOWN_ID];
  if (mine->size == its->size && memcmp(mine->id, its->id, mine->size) == 0) return true;
  show_id(expected, mine->id, mine->size);
  show_id(found, its->id, its->size);
  return gp_fail(error, "is of another build than %s: its build-id is %s, not %s",
                 image_path, found, expected);
}

/* Bytes that are summed up at most, in some minutes: files can have holes of any size. */
#define MOST_SUMMED ((uint64_t)32 << 30)

static bool sum_up(const char *path, uint32_t *sum, gp_error *error) {
  unsigned char window[65536];
  unsigned long crc = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return gp_fail(error, "%s", strerror(errno));
  for (size_t got; (got = fread(window, 1, sizeof window, file)) > 0;)
    crc = bfd_calc_gnu_debuglink_crc32(crc, window, got);
  bool done = !ferror(file) || gp_fail(error, "%s", strerror(errno));
  (void)fclose(file);
  *sum = (uint32_t)crc;
  return done;
}

static bool has_sum(const gp_image *image, const gp_image *its, const char *path,
                    const char *image_path, gp_error *error) {
  uint32_t expected = 0, found = 0;
  char *name = gp_debuglink_debug(image->file, &expected);
  free(name);
  if (!name)
    return gp_fail(error, "says nothing of the build that it is of, or %s does not",
                   image_path);
  if ((uint64_t)its->opened.st_size > MOST_SUMMED)
    return gp_fail(error, "is too large for its checksum to be taken");
  if (!sum_up(path, &found, error)) return false;
  if (found == expected) return true;
  return gp_fail(error,
                 "is of another build than %s: its checksum is %08" PRIx32
                 ", not %08" PRIx32, image_path, found, expected);
}

static bool is_of_one_build(const gp_image *image, const gp_image *found,
                            const char *path, const char *image_path, gp_error *error) {
  build mine = build_of(image), its = build_of(found);
  if (mine.size > 0 && its.size > 0) return have_one_id(&mine, &its, image_path, error);
  return has_sum(image, found, path, image_path, error);
}

/* Some tools move the code of an image that was linked. */
static bool has_same_code(const gp_image *image, gp_image *found, gp_error *error) {
  if (found->text_low != image->text_low ||
      bfd_section_size(found->text) != bfd_section_size(image->text) ||
      bfd_get_arch(found->file) != bfd_get_arch(image->file))
    return gp_fail(error, "tells of other code than there is, or of code elsewhere");
  found->text_high = image->text_high;
  return true;
}

/* --- debugging files ------------------------------------------------------------ */

bool gp_debug_file_is_likely(const gp_image *image) {
  return !gp_dwarf_is_there(image) &&
         (bfd_get_section_by_name(image->file, ".gnu_debuglink") ||
          bfd_get_section_by_name(image->file, ".note.gnu.build-id"));
}

/* Symbols are read, as libbfd may need them for lines, too. */
static bool has_wanted(gp_image *found, gp_wanted wanted, gp_error *error) {
  bool read = gp_image_read_symbols(found, error);
  if (wanted == GP_WANT_SYMBOLS)
    return read || (found->bare && gp_fail(error, "has no symbols either"));
  if (!read && !found->bare) return false;
  return gp_dwarf_is_there(found) ||
         gp_fail(error, "has no debugging information either");
}

/* From a debugging file libbfd is led to no other one. */
bool gp_debug_file_attach(gp_image *image, const char *path, const char *image_path,
                          gp_wanted wanted, gp_error *error) {
  if (image->debug) return true;
  gp_image *found = gp_image_open(path, error);
  if (!found) return false;
  if (is_of_one_build(image, found, path, image_path, error) &&
      has_same_code(image, found, error) && has_wanted(found, wanted, error)) {
    image->debug = found;
    return true;
  }
  gp_image_close(found);
  return false;
}

bool gp_debug_file_share(gp_image *image, const char *path, gp_error *error) {
  if (image->shared) return true;
  gp_image *found = gp_image_open_shared(path, error);
  if (!found) return false;
  build its = build_of(found);
  bool is = gp_debuglink_is_shared(image->file, its.id, its.size) ||
            gp_fail(error, "is not the file that was shared: its build-id is another");
  if (is && (gp_debuglink_share(image->file, path) || gp_fail_memory(error))) {
    image->shared = found;
    return true;
  }
  gp_image_close(found);
  return false;
}

/* --- packed symbols ------------------------------------------------------------- */

bool gp_debug_file_is_packed(const gp_image *image) {
  gp_section packed;
  gp_section_open(&packed, image, PACKED);
  return packed.size > 0;
}

/* Appends the image's dynamic symbols to those that were unpacked: tools that make
 * .gnu_debugdata leave out what is among them. */
static bool add_dynamic(gp_image *minimal, const gp_image *image, gp_error *error) {
  long room = bfd_get_dynamic_symtab_upper_bound(image->file);
  size_t count = minimal->symbol_count;
  if (room <= 0) return true;
  if (!gp_resize(&minimal->symbols, count * sizeof *minimal->symbols + (size_t)room, 1))
    return gp_fail_memory(error);
  long added = bfd_canonicalize_dynamic_symtab(image->file, minimal->symbols + count);
  if (added > 0) minimal->symbol_count += (size_t)added;
  if (added > 0 && image->traits & GP_TAGGED)
    gp_elf_machine_untag(minimal->symbols + count, (size_t)added);
  minimal->symbols[minimal->symbol_count] = NULL;
  return true;
}

static gp_image *open_packed(gp_section *packed, gp_unpack *unpack, gp_error *error) {
  size_t size = (size_t)packed->size, length;
  unsigned char *bytes = malloc(size + 1), *unpacked = NULL;
  const char *problem = "not enough memory";
  if (bytes && !gp_section_read(packed, 0, bytes, size)) problem = "cannot be read";
  else if (bytes) problem = unpack(bytes, size, &unpacked, &length);
  free(bytes);
  if (!problem) return gp_image_open_bytes(unpacked, length, error);
  gp_fail(error, "%s", problem);
  return NULL;
}

bool gp_debug_file_unpack(gp_image *image, gp_unpack *unpack, gp_error *error) {
  gp_section packed;
  if (image->minimal) return true;
  gp_section_open(&packed, image, PACKED);
  gp_image *minimal = open_packed(&packed, unpack, error);
  gp_section_free(&packed);
  if (minimal && has_same_code(image, minimal, error) &&
      has_wanted(minimal, GP_WANT_SYMBOLS, error) && add_dynamic(minimal, image, error)) {
    image->minimal = minimal;
    return true;
  }
  gp_image_close(minimal);
  return false;
}

/* --- where everything is -------------------------------------------------------- */

gp_image *gp_debug_file_symbols(gp_image *image, bool gnu_compat) {
  if (gnu_compat || image->symbol_count > 0) return image;
  if (image->debug && image->debug->symbol_count > 0) return image->debug;
  return image->minimal ? image->minimal : image;
}

const gp_image *gp_debug_file_lines(const gp_image *image, bool gnu_compat) {
  if (gnu_compat || !image->debug || !gp_dwarf_is_there(image->debug)) return image;
  return gp_dwarf_is_there(image) ? image : image->debug;
}

bool gp_debug_file_is_partial(const gp_image *image) {
  return !image->shared && bfd_get_section_by_name(image->file, ".gnu_debugaltlink");
}

/* --- what compilers put aside --------------------------------------------------- */

static char *first_split(gp_dwarf *dwarf, gp_units *units) {
  gp_unit unit;
  while (gp_units_next(units, &unit))
    if (unit.split_file.kind != GP_VALUE_NONE)
      return gp_dwarf_text(dwarf, &dwarf->info, &unit.layout, unit.split_file);
  return NULL;
}

char *gp_debug_file_split(const gp_image *image) {
  gp_dwarf dwarf;
  gp_units units = {0};
  bool opened = gp_dwarf_open(&dwarf, image) && gp_units_open(&units, &dwarf);
  char *name = opened ? first_split(&dwarf, &units) : NULL;
  gp_units_free(&units);
  gp_dwarf_free(&dwarf);
  return name;
}
