/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels: the names of functions and cycles in reports. */
#ifndef GP_LUA_LABELS_H
#define GP_LUA_LABELS_H

#include "lua/profile.h"
#include "lua/value.h"

typedef struct gp_labels gp_labels;

/* Returns the labels at stack index `index`; NULL if it is anything else. */
const gp_labels *gp_test_labels(lua_State *L, int index);

/* Whether the labels were made for the profile. */
bool gp_are_labels_of(const gp_labels *set, const gp_profile_box *profile);

/* Returns the label of a function or cycle as a value. With references, short labels of
 * nodes with several arcs are made once and cached as text. Other labels are made in
 * `label`. Can run Lua code. */
gp_field_value gp_label_of_node(lua_State *L, const gp_labels *set, uint32_t node,
                                gp_label *label);

/* Starts to load the cached labels of nodes that are needed soon: with many functions,
 * they are not in the processor's caches. */
void gp_prefetch_labels(const gp_labels *set, const uint32_t *nodes, size_t count);

#endif
