/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the module gprof.core. Each gp_define function adds the functions of one
 * file to the module's table, which is on the top of the stack, and defines its
 * metatables. module.c calls them in an order that defines an object before other files
 * add methods to it.
 */
#ifndef GP_LUA_MODULE_H
#define GP_LUA_MODULE_H

#include <lua.h>

void gp_define_memory(lua_State *L);
void gp_define_iteration(lua_State *L);
void gp_define_trace(lua_State *L);
void gp_define_image(lua_State *L);
void gp_define_debug_file(lua_State *L);
void gp_define_lines(lua_State *L);
void gp_define_frames(lua_State *L);
void gp_define_instructions(lua_State *L);
void gp_define_archive(lua_State *L);
void gp_define_recent(lua_State *L);
void gp_define_names(lua_State *L);
void gp_define_data(lua_State *L);
void gp_define_records(lua_State *L);
void gp_define_data_write(lua_State *L);
void gp_define_contexts(lua_State *L);
void gp_define_spread(lua_State *L);
void gp_define_data_spread(lua_State *L);
void gp_define_fit(lua_State *L);
void gp_define_slide(lua_State *L);
void gp_define_symbols(lua_State *L);
void gp_define_pattern(lua_State *L);
void gp_define_symbol_lookup(lua_State *L);
void gp_define_symbol(lua_State *L);
void gp_define_merged_objects(lua_State *L);
void gp_define_selection(lua_State *L);
void gp_define_profile(lua_State *L);
void gp_define_state(lua_State *L);
void gp_define_profile_fields(lua_State *L);
void gp_define_profile_parts(lua_State *L);
void gp_define_call_bounds(lua_State *L);
void gp_define_stack_tree(lua_State *L);
void gp_define_labels(lua_State *L);
void gp_define_annotation(lua_State *L);
void gp_define_stream(lua_State *L);
void gp_define_rows(lua_State *L);
void gp_define_writer(lua_State *L);
void gp_define_lock(lua_State *L);
void gp_define_paths(lua_State *L);
void gp_define_terminal(lua_State *L);
void gp_define_descriptors(lua_State *L);
void gp_define_process(lua_State *L);
void gp_define_run_program(lua_State *L);
void gp_define_request(lua_State *L);
void gp_define_command_line(lua_State *L);
void gp_define_json(lua_State *L);
void gp_define_source_text(lua_State *L);
void gp_define_digest(lua_State *L);
void gp_define_protobuf(lua_State *L);
void gp_define_column_order(lua_State *L);
void gp_define_packing(lua_State *L);
void gp_define_status_line(lua_State *L);

#endif
