/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The maps of an image's code. */
#include "lua/source_maps.h"

#include <stdlib.h>

#include "debug/inline_map_build.h"
#include "debug/line_map_build.h"
#include "lua/debug_file.h"
#include "lua/memory.h"
#include "object/code_ranges.h"

/* Makes our map of all code, or libbfd's map of .text. */
static bool map_lines(gp_image_box *box, bool as_libbfd) {
  gp_range text = {box->image->text_low, box->image->text_high};
  const gp_image *from = gp_image_for_lines(box->image, as_libbfd);
  size_t count = 1;
  gp_error error = {""};
  gp_range *code = as_libbfd ? NULL : gp_code_ranges(box->image, &count);
  bool done = (as_libbfd || code) &&
              gp_line_map_build(&box->map[as_libbfd], from, as_libbfd,
                                code ? code : &text, count, &error);
  free(code);
  return done;
}

const gp_line_map *gp_open_lines(lua_State *L, gp_image_box *box, bool as_libbfd) {
  if (!box->mapped[as_libbfd] && !map_lines(box, as_libbfd)) gp_raise_no_memory(L);
  box->mapped[as_libbfd] = true;
  return &box->map[as_libbfd];
}

static bool map_functions(gp_image_box *box) {
  bool readable;
  size_t count;
  gp_error error = {""};
  gp_range *code = gp_code_ranges(box->image, &count);
  const gp_image *from = gp_image_for_lines(box->image, false);
  bool done = code && gp_inline_map_build(&box->inlines, from, true, code, count,
                                          &readable, &error);
  free(code);
  return done;
}

const gp_inline_map *gp_open_inlines(lua_State *L, gp_image_box *box) {
  if (!box->inlined) {
    if (!map_functions(box)) gp_raise_no_memory(L);
    box->inlined = true;
    gp_report_gaps(L, box, &box->inlines.gaps);
  }
  return &box->inlines;
}
