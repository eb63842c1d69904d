/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies bytecode and its source: checksums, size and time. */
#ifndef GP_BUNDLE_BYTECODE_H
#define GP_BUNDLE_BYTECODE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of a file in bytes, and the time in nanoseconds at which its contents last
 * changed. */
typedef struct gp_file_signature {
  uint64_t size, time;
} gp_file_signature;

/* Reads the signature of a regular file. False if there is no such file. */
bool gp_read_signature(const char *path, gp_file_signature *signature);

/* Returns a checksum of bytes. It does not protect against forgery: an attacker who can
 * write the bundle can also write the core. */
uint64_t gp_bytecode_checksum(const char *bytes, size_t length);

/* Computes the checksum of a file's contents. False if it cannot be read. */
bool gp_bytecode_file_checksum(const char *path, uint64_t *sum);

/* Returns the release of the interpreter, such as "5.4.4", and sets its length. NULL if
 * it is unknown. All 5.4 releases load each other's bytecode, but may report wrong line
 * numbers. */
const char *gp_lua_release(size_t *length);

/* Adds functions for lua/bundle.lua to the table on the top of the stack. */
void gp_define_bytecode(lua_State *L);

#endif
