/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks the running coroutine if calls are not counted. There are no call events then,
 * so coroutine.resume and coroutine.wrap are replaced.
 */
#ifndef GPROF_SCRIPTS_COROUTINES_H
#define GPROF_SCRIPTS_COROUTINES_H

#include <lua.h>

/* A call that resumes a coroutine. */
typedef struct scr_resume {
  lua_State *L;                     /* the coroutine with the call */
  const struct scr_resume *outer;   /* the call that resumed that one; NULL: none */
} scr_resume;

/* coroutines(resume, wrap) -> the functions that replace these: they do what Lua's own
 * do, and Lua functions are not replaced */
int scr_coroutines(lua_State *L);

#endif
