/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for a name in debugging information. */
#include "object/debug_str.h"

#include <stdlib.h>
#include <string.h>

#include "object/section.h"

/* Bytes searched at a time. Windows overlap by the length of the name. */
#define WINDOW ((size_t)65536)

/* Whether the section contains `text`, a name with a NUL on each side. The NUL before the
 * name ends the previous string; at the start of the section there is none. */
static bool is_in(gp_section *section, const char *text, size_t length, char *window) {
  for (uint64_t at = 0; at < section->size; at += WINDOW - length) {
    uint64_t left = section->size - at;
    size_t piece = left < WINDOW ? (size_t)left : WINDOW;
    if (!gp_section_read(section, at, window, piece)) return false;
    if (at == 0 && piece >= length - 1 && memcmp(window, text + 1, length - 1) == 0)
      return true;
    if (memmem(window, piece, text, length)) return true;
    if (piece == left) return false;
  }
  return false;
}

bool gp_debug_str_has(const gp_image *image, const char *name) {
  size_t length = strlen(name) + 2;
  if (length > WINDOW / 2) return false;
  char *text = calloc(length + WINDOW, 1);
  if (!text) return false;
  memcpy(text + 1, name, length - 2);
  gp_section section;
  gp_section_open(&section, image, ".debug_str");
  bool found = is_in(&section, text, length, text + length);
  gp_section_free(&section);
  free(text);
  return found;
}
