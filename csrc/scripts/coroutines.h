/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which coroutine runs, if calls are not counted. Then there are no events that show it:
 * coroutine.resume and coroutine.wrap are replaced.
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
