/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, cycles and arcs of a profile for Lua, and their fields. */
#ifndef GP_LUA_PROFILE_FIELDS_H
#define GP_LUA_PROFILE_FIELDS_H

#include "lua/part.h"
#include "profile/callgraph.h"

#define GP_FUNCTION_NODE "gprof.function"
#define GP_CYCLE_NODE "gprof.cycle"
#define GP_ARC "gprof.arc"

/* gp_node_parts: functions and cycles together, with the fields that both have. */
extern const gp_part_kind gp_function_parts, gp_cycle_parts, gp_node_parts, gp_arc_parts;

/* Raises an error if functions have no lines: the profile is by function. */
void gp_check_lines(lua_State *L, const gp_callgraph *graph);

/* Pushes the object of a function or cycle of the profile at stack index `profile`. */
void gp_push_node(lua_State *L, int profile, uint32_t node);

#endif
