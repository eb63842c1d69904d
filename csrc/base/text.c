/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that is read into memory. */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool gp_text_append(gp_text *text, const void *bytes, size_t size) {
  if (text->capacity - text->size <= size) {
    const size_t capacity = gp_capacity(text->capacity, text->size + size + 1);
    if (!gp_resize(&text->bytes, capacity, 1)) return false;
    text->capacity = capacity;
  }
  memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
  text->bytes[text->size] = '\0';
  return true;
}

void gp_text_free(gp_text *text) {
  free(text->bytes);
  memset(text, 0, sizeof *text);
}
