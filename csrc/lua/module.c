/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module gprof.core: makes the core's objects available to Lua. */
#include <lauxlib.h>

#include "bundle/bundle.h"
#include "bundle/bytecode.h"
#include "lua/module.h"

/* The only exported symbol. */
__attribute__((visibility("default"))) int luaopen_gprof_core(lua_State *L);

/* About as many functions are defined; the table need not grow. */
enum { FUNCTIONS = 110 };

int luaopen_gprof_core(lua_State *L) {
  luaL_checkversion(L);
  lua_createtable(L, 0, FUNCTIONS);
  gp_define_memory(L);
  gp_define_iteration(L);
  gp_define_trace(L);
  gp_define_image(L);
  gp_define_debug_file(L);
  gp_define_lines(L);
  gp_define_archive(L);
  gp_define_recent(L);
  gp_define_names(L);
  gp_define_data(L);
  gp_define_records(L);
  gp_define_data_write(L);
  gp_define_contexts(L);
  gp_define_spread(L);
  gp_define_data_spread(L);
  gp_define_fit(L);
  gp_define_slide(L);
  gp_define_symbols(L);
  gp_define_pattern(L);
  gp_define_symbol_lookup(L);
  gp_define_symbol(L);
  gp_define_merged_objects(L);
  gp_define_selection(L);
  gp_define_profile(L);
  gp_define_state(L);
  gp_define_profile_fields(L);
  gp_define_profile_parts(L);
  gp_define_frames(L);
  gp_define_instructions(L);
  gp_define_call_bounds(L);
  gp_define_stack_tree(L);
  gp_define_labels(L);
  gp_define_annotation(L);
  gp_define_stream(L);
  gp_define_rows(L);
  gp_define_writer(L);
  gp_define_lock(L);
  gp_define_paths(L);
  gp_define_terminal(L);
  gp_define_descriptors(L);
  gp_define_process(L);
  gp_define_run_program(L);
  gp_define_request(L);
  gp_define_command_line(L);
  gp_define_bytecode(L);
  gp_define_bundle(L);
  gp_define_json(L);
  gp_define_source_text(L);
  gp_define_digest(L);
  gp_define_protobuf(L);
  gp_define_column_order(L);
  gp_define_packing(L);
  gp_define_status_line(L);
  return 1;
}
