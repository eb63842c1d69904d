/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The maps of an image's code. */
#include "lua/source_maps.h"

#include "debug/inline_map_build.h"
#include "debug/line_map_build.h"
#include "lua/debug_file.h"
#include "lua/memory.h"

const gp_line_map *gp_open_lines(lua_State *L, gp_image_box *box, bool as_libbfd) {
  gp_range text = {box->image->text_low, box->image->text_high};
  gp_line_map *map = &box->map[as_libbfd];
  gp_error error = {""};
  if (!box->mapped[as_libbfd]) {
    const gp_image *from = gp_image_for_lines(box->image, as_libbfd);
    if (!gp_line_map_build(map, from, as_libbfd, &text, 1, &error))
      gp_raise_no_memory(L);
    box->mapped[as_libbfd] = true;
  }
  return map;
}

const gp_inline_map *gp_open_inlines(lua_State *L, gp_image_box *box) {
  bool readable;
  gp_range text = {box->image->text_low, box->image->text_high};
  gp_error error = {""};
  if (!box->inlined) {
    const gp_image *from = gp_image_for_lines(box->image, false);
    if (!gp_inline_map_build(&box->inlines, from, true, &text, 1, &readable, &error))
      gp_raise_no_memory(L);
    box->inlined = true;
    gp_report_gaps(L, box, &box->inlines.gaps);
  }
  return &box->inlines;
}
