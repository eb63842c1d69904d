/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debugging files: symbols and debugging information stripped from an image. */
#include "debug/debug_file.h"

#include "debug/dwarf.h"
#include "debug/same_build.h"
#include "object/build_id.h"
#include "object/debuglink.h"

bool gp_debug_file_is_likely(const gp_image *image) {
  return !gp_has_debug_info(image) &&
         (bfd_get_section_by_name(image->file, ".gnu_debuglink") ||
          bfd_get_section_by_name(image->file, ".note.gnu.build-id"));
}

/* Whether the file contains what the caller wants. Reads the symbols even if only lines
 * are wanted: libbfd may need both. */
static bool has_wanted(gp_image *found, gp_wanted wanted, gp_error *error) {
  bool read = gp_image_read_symbols(found, error);
  if (wanted == GP_WANT_SYMBOLS)
    return read || (found->stripped && gp_fail(error, "has no symbols either"));
  if (!read && !found->stripped) return false;
  return gp_has_debug_info(found) ||
         gp_fail(error, "has no debugging information either");
}

bool gp_debug_file_attach(gp_image *image, const char *path, const char *image_path,
                          gp_wanted wanted, gp_error *error) {
  if (image->debug) return true;
  gp_image *found = gp_image_open(path, error);
  if (!found) return false;
  if (gp_same_build(image, found, path, image_path, error) &&
      gp_same_code(image, found, error) && has_wanted(found, wanted, error)) {
    image->debug = found;
    found->owner = image;
    image->debug_has_lines = gp_has_debug_info(found) && !gp_has_debug_info(image);
    return true;
  }
  gp_image_close(found);
  return false;
}

static bool is_supplementary(const gp_image *image, const gp_image *found,
                             gp_error *error) {
  unsigned char id[GP_BUILD_ID_BYTES];
  size_t size = gp_build_id(found, id);
  if (gp_debuglink_is_supplementary(image->file, found->file, id, size)) return true;
  return gp_fail(error, "is the wrong supplementary file: its %s",
                 bfd_get_section_by_name(image->file, ".debug_sup")
                     ? "checksum is not the one in the image's .debug_sup"
                     : "build-id is not the one in the image's .gnu_debugaltlink");
}

bool gp_debug_file_attach_supplementary(gp_image *image, const char *path,
                                        gp_error *error) {
  if (image->supplementary) return true;
  gp_image *found = gp_image_open_supplementary(path, error);
  if (!found) return false;
  if (is_supplementary(image, found, error) &&
      (gp_debuglink_set_supplementary(image->file, path) || gp_fail_memory(error))) {
    image->supplementary = found;
    return true;
  }
  gp_image_close(found);
  return false;
}
