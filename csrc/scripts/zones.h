/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Zones: the parts of a function between zone_begin and zone_end, and the calls of the
 * function zone, which begins a zone in its own call. It is in Lua, since calls of C
 * functions cannot be nested very deeply.
 *
 * A zone is a frame above that of the call that began it, with the same CallInfo. So it
 * ends with that call at the latest, also by an error. Reports show a zone as a function,
 * one for each source file; the lines of its samples are those of the function around it.
 *
 * Without counts there are no frames of functions: a stack has only its zones. A zone is
 * found by its call and closure, since the CallInfo may be that of a later call. If that
 * is a call of the same function, after an error, it executes instructions before the one
 * that has begun the zone: the zone is over. Loops that enter their next round in a zone
 * do so, too: once such a zone has been ended, this no longer applies to its name.
 */
#ifndef GPROF_SCRIPTS_ZONES_H
#define GPROF_SCRIPTS_ZONES_H

#include "scripts/recording.h"

/* zone_begin(name), zone_end([name]): functions of the module. */
int scr_zone_begin(lua_State *L);
int scr_zone_end(lua_State *L);

/* zone(f) -> the function zone of the state: `f`, unless it has another one, because the
 * module gprof.recorder was loaded twice */
int scr_zone(lua_State *L);

/* zone_open(name, f), zone_close(...) -> ...: called by the function zone, before and
 * after it calls `f`. */
int scr_zone_open(lua_State *L);
int scr_zone_close(lua_State *L);

/* Finds the function zone of the state, if there is one. */
void scr_find_zone(scr_recording *r, lua_State *L);

/* Whether a function is shown as a part of its caller. */
static inline bool scr_belongs_to_caller(const scr_recording *r, uint32_t function) {
  if (function == r->functions.zone) return true;
  const lua_CFunction entry = r->functions.list[function].entry;
  for (int i = 0; entry && i < SCR_OWN; i++)
    if (entry == r->own[i]) return true;
  return false;
}

/* Whether a frame is a zone of a call; and of a call of a closure, if the CallInfo may be
 * that of another one. */
static inline bool scr_is_zone_of(const scr_frame *frame, const void *call) {
  return frame->is_zone && frame->call == call;
}

static inline bool scr_is_open_in(const scr_frame *zone, const void *call,
                                  const void *closure) {
  return scr_is_zone_of(zone, call) && zone->closure == closure;
}

/* Without counts: remembers in a zone where the function of `ar` is, which begins it. */
void scr_mark_begin(const scr_recording *r, scr_frame *zone, const lua_Debug *ar);

/* Without counts: whether the function of `ar`, which begins a zone, was at this position
 * or before it since it began that zone for the first time: another call may have. */
bool scr_is_again(const scr_recording *r, scr_frame *zone, const lua_Debug *ar);

/* Without counts: notes that the function of `ar` ends a zone. */
void scr_mark_end(const scr_recording *r, scr_frame *zone, const lua_Debug *ar);

/* Returns the closure that `ar` is about. */
const void *scr_closure_of(lua_State *L, lua_Debug *ar);

/* Returns the number of the function that stands for a zone. */
uint32_t scr_zone_function(const scr_recording *r, const scr_frame *zone);

/* Ends the zones that the call at the top of a stack has left open. */
void scr_leave_zones(const scr_recording *r, scr_stack *stack, const void *call);

/* Without counts: returns the context of the innermost zone of the function that `ar` is
 * about, which runs in `context` and executes a line; `context` if it has none. */
uint32_t scr_zone_context(scr_recording *r, lua_State *L, lua_Debug *ar,
                          uint32_t context, uint32_t line);

/* Ends of the zones that are open when recording ends are no mistakes. A recording that
 * continues has those that are then on its stacks. */
void scr_pause_zones(const scr_recording *r);
void scr_resume_zones(const scr_recording *r);

/* Begins or ends a zone while the coroutine is not recorded. Returns false if none was
 * begun. */
void scr_begin_unknown_zone(lua_State *L, const char *name);
bool scr_end_unknown_zone(lua_State *L);

/* During a pause: ends the innermost zone of the call that `ar` is about, if the pause
 * has begun in a zone of this call. Returns whether it has. */
bool scr_end_paused_zone(lua_State *L, lua_Debug *ar);

#endif
