/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory of Lua for targets in Lua: three times as fast as malloc() with
 * AddressSanitizer.
 *
 * The sanitizer finds accesses to freed blocks and beyond their ends, as it does for
 * malloc(). Leaks of what userdata refer to are found, because freed blocks are
 * overwritten.
 */
#ifndef FUZZ_LUA_MEMORY_H
#define FUZZ_LUA_MEMORY_H

#include <stddef.h>

/* Allocates, resizes or frees a block: a lua_Alloc. */
void *fuzz_lua_memory(void *context, void *old, size_t size, size_t new_size);

#endif
