/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug output for Lua: lines on standard error or in a file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lua/module.h"
#include "lua/object.h"
#include "lua/trace.h"

#define GP_TRACE_OBJECT "gprof.trace"

/* Writes a line to a terminal. Names come from untrusted files and could contain control
 * sequences, so bytes other than printable ASCII are escaped. */
static void write_escaped(FILE *file, const char *text) {
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    if ((byte >= ' ' && byte < 0x7f) || byte == '\t')
      fputc(byte, file);
    else
      fprintf(file, "\\x%02x", byte);
  }
  fputc('\n', file);
}

/* Writes a line. `context` is a Lua file, or NULL for standard error. Standard error is
 * unbuffered, so lines appear in order with other output. */
static void write_line(void *context, const char *text) {
  const luaL_Stream *stream = context;
  if (stream && !stream->closef) return;
  FILE *file = stream ? stream->f : stderr;
  if (isatty(fileno(file)))
    write_escaped(file, text);
  else
    fprintf(file, "%s\n", text);
}

const gp_trace *gp_opt_trace(lua_State *L, int index) {
  return lua_isnoneornil(L, index) ? NULL : luaL_checkudata(L, index, GP_TRACE_OBJECT);
}

/* trace(topics, file) -> trace. `topics` is a sum of GNU gprof's debug levels. Writes to
 * standard error if `file` is not a Lua file. */
static int new_trace(lua_State *L) {
  lua_Integer topics = luaL_checkinteger(L, 1);
  lua_settop(L, 2);
  luaL_Stream *file = luaL_testudata(L, 2, LUA_FILEHANDLE);
  gp_trace *trace = lua_newuserdatauv(L, sizeof *trace, 1);
  *trace = (gp_trace){(unsigned)topics & GP_TRACE_ALL, write_line, file};
  luaL_setmetatable(L, GP_TRACE_OBJECT);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 1);  /* keeps the file alive */
  return 1;
}

static unsigned check_topic(lua_State *L, int index) {
  const char *name = luaL_checkstring(L, index);
  const gp_trace_topic *known = gp_trace_topics;
  while (known->name && strcmp(known->name, name) != 0) known++;
  luaL_argcheck(L, known->name, index, "unknown topic");
  return known->topic;
}

/* trace:wants(topic) -> whether the topic is enabled */
static int wants(lua_State *L) {
  const gp_trace *trace = luaL_checkudata(L, 1, GP_TRACE_OBJECT);
  lua_pushboolean(L, gp_traces(trace, check_topic(L, 2)));
  return 1;
}

/* trace:write(topic, text): writes a line if the topic is enabled */
static int write_text(lua_State *L) {
  const gp_trace *trace = luaL_checkudata(L, 1, GP_TRACE_OBJECT);
  GP_TRACE(trace, check_topic(L, 2), "%s", luaL_checkstring(L, 3));
  return 0;
}

void gp_define_trace(lua_State *L) {
  static const luaL_Reg meta[] = {{NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"wants", wants}, {"write", write_text}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"trace", new_trace}, {NULL, NULL}};
  gp_define_object(L, GP_TRACE_OBJECT, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
