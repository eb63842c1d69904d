/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hook: counts calls and executions of lines, and assigns ticks to lines. */
#include "scripts/bytecode.h"
#include "scripts/collector.h"
#include "scripts/continued.h"
#include "scripts/coroutines.h"
#include "scripts/recording.h"
#include "scripts/running_calls.h"
#include "scripts/signals.h"
#include "scripts/zones.h"

static bool has_ticks(const scr_recording *r) {
  return __atomic_load_n(&r->pending, __ATOMIC_RELAXED) > 0;
}

/* Ticks in the function that runs, and in the garbage collector, which it has started. */
typedef struct ticks {
  uint64_t own, collected;
} ticks;

static ticks take_ticks(scr_recording *r) {
  const uint64_t collected = __atomic_exchange_n(&r->collected, 0, __ATOMIC_RELAXED);
  const uint64_t all = __atomic_exchange_n(&r->pending, 0, __ATOMIC_RELAXED);
  r->ticks += all;
  return (ticks){all > collected ? all - collected : 0, collected};
}

static bool add_to_line(scr_recording *r, uint32_t context, uint32_t line,
                        uint64_t more) {
  const uint32_t row = scr_paths_row(&r->paths, context, SCR_NONE, line);
  if (row == SCR_NONE) return false;
  r->paths.records[row].count += more;
  return true;
}

/* Returns the number of the function that stands for the collector. SCR_NONE if there is
 * no memory. */
static uint32_t number_of_collector(scr_recording *r) {
  return scr_function_c(&r->functions, scr_collector_function, SCR_COLLECTOR);
}

/* Adds ticks in the collector, called from a line. */
static bool add_to_collector(scr_recording *r, uint32_t context, uint32_t line,
                             uint64_t more) {
  const uint32_t function = number_of_collector(r);
  const uint32_t row =
      function == SCR_NONE ? SCR_NONE : scr_paths_row(&r->paths, context, function, line);
  return row != SCR_NONE && add_to_line(r, r->paths.records[row].entered, 0, more);
}

static void assign_to_context(scr_recording *r, uint32_t context, uint32_t line) {
  const ticks taken = take_ticks(r);
  if ((taken.own > 0 && !add_to_line(r, context, line, taken.own)) ||
      (taken.collected > 0 && !add_to_collector(r, context, line, taken.collected)))
    scr_fail(r);
}

/* With C functions. */
static void assign_mixed(scr_recording *r, const scr_stack *stack, uint32_t line) {
  const ticks taken = take_ticks(r);
  if (taken.own > 0) scr_mixed_ticks(stack, line, taken.own);
  if (taken.collected == 0) return;
  const uint32_t function = number_of_collector(r);
  if (function == SCR_NONE || !scr_mixed_below(stack, function, line, taken.collected))
    scr_fail(r);
}

/* Assigns the ticks since the last event to a line of the innermost function. */
static void assign_ticks(scr_recording *r, const scr_stack *stack, uint32_t line) {
  if (r->with_c)
    assign_mixed(r, stack, line);
  else
    assign_to_context(r, scr_stack_context(stack), line);
}

/* Whether the event calls the function that a coroutine was created with. The address
 * may be that of a former coroutine, which was collected. */
static bool is_first_call(lua_State *L, const lua_Debug *ar) {
  lua_Debug caller;
  return ar->event == LUA_HOOKCALL && !lua_getstack(L, 1, &caller);
}

/* Returns the stack of the coroutine that runs. A new coroutine was resumed by the
 * innermost call of the one that ran before. */
static scr_stack *find_stack(scr_recording *r, lua_State *L, const lua_Debug *ar) {
  if (L == r->running) return scr_stack_of(&r->stacks, L, SCR_START);
  const scr_stack *before = scr_stack_of(&r->stacks, r->running, SCR_START);
  const uint32_t base = before ? scr_stack_context(before) : SCR_START;
  const bool is_main = scr_set_running(r, L);
  scr_stack *stack = scr_stack_of(&r->stacks, L, is_main ? SCR_START : base);
  if (stack && !is_main && is_first_call(L, ar)) stack->base = base;
  return stack;
}

/* With C functions. */
static scr_stack *find_mixed_stack(scr_recording *r, lua_State *L, const lua_Debug *ar) {
  const lua_State *before = r->running;
  if (L == before) return scr_mixed_start(&r->stacks, L);
  return scr_mixed_switch(&r->stacks, before, L, scr_set_running(r, L),
                          is_first_call(L, ar));
}

/* In a coroutine that is older than the recording, functions may run; in that which has
 * started it, they are not shown. */
static scr_stack *stack_of(scr_recording *r, lua_State *L, const lua_Debug *ar) {
  const bool is_other = L != r->running;
  if (!is_other && r->stack) return r->stack;
  r->stack = r->with_c ? find_mixed_stack(r, L, ar) : find_stack(r, L, ar);
  if (!r->stack || r->stack->begun) return r->stack;
  r->stack->begun = true;
  if (is_other && !is_first_call(L, ar) && !scr_join(r, L, r->stack, ar)) return NULL;
  return r->stack;
}

/* A coroutine of another state keeps its hook if that state was recorded before. */
static bool is_recorded(const scr_recording *r, lua_State *L) {
  return L == r->running || lua_topointer(L, LUA_REGISTRYINDEX) == r->registry;
}

/* --- events that are like former ones ---------------------------------------------- */

/* Returns the place of a call in bytecode. A tail call has none: its caller has ended. */
static const void *instruction_of(const lua_Debug *ar) {
  if (ar->event == LUA_HOOKTAILCALL) return NULL;
  return scr_call_of(ar)->previous->instruction;
}

/* Returns the known place of a call by the frame at the top; NULL if it is new. */
__attribute__((always_inline))
static inline const scr_site *find_site(const scr_recording *r, const lua_Debug *ar,
                                        const scr_frame *top, const void *instruction) {
  const void *function = *scr_call_of(ar)->function;
  const scr_known *known = scr_closures_at(r->closures, function);
  if (known->address != function) return NULL;
  const scr_site *site =
      scr_site_at(r->sites, instruction, top->context, known->number);
  return scr_is_site(r->sites, site, instruction, top->context, known->number) ? site
                                                                               : NULL;
}

/* Counts a call from a place that has made it before. Returns false if more is to do. */
static bool count_again(scr_recording *r, scr_stack *stack, const lua_Debug *ar) {
  const scr_call *call = scr_call_of(ar);
  const scr_frame *top = &stack->frames[stack->count - 1];
  if (top->call != call->previous) return false;
  const scr_site *site = find_site(r, ar, top, call->previous->instruction);
  if (!site) return false;
  scr_record *record = &r->paths.records[site->row];
  if (!scr_stack_push(stack, call, record->entered)) return false;
  record->count++;
  return true;
}

/* The same for a tail call. */
static bool count_tail_again(scr_recording *r, const scr_stack *stack,
                             const lua_Debug *ar) {
  scr_frame *top = &stack->frames[stack->count - 1];
  if (top->call != ar->i_ci || top->is_zone) return false;
  const scr_site *site = find_site(r, ar, top, NULL);
  if (!site) return false;
  scr_record *record = &r->paths.records[site->row];
  top->context = record->entered;
  record->count++;
  return true;
}

static bool is_end(const scr_stack *stack, const lua_Debug *ar) {
  const scr_frame *top = &stack->frames[stack->count - 1];
  return ar->event == LUA_HOOKRET && top->call == ar->i_ci && !top->is_zone;
}

/* Handles a call or return with C functions. Apart, so that scr_hook saves few
 * registers. */
__attribute__((noinline))
static bool handle_mixed(const scr_recording *r, scr_stack *stack, const lua_Debug *ar) {
  const scr_frame *top = &stack->frames[stack->count - 1];
  const bool is_tail = ar->event == LUA_HOOKTAILCALL;
  if (is_end(stack, ar)) {
    scr_mixed_return(stack);
    return true;
  }
  if ((ar->event != LUA_HOOKCALL && !is_tail) || (is_tail && top->is_zone) ||
      top->call != (is_tail ? scr_call_of(ar) : scr_call_of(ar)->previous))
    return false;
  const scr_site *site = find_site(r, ar, top, instruction_of(ar));
  return site && scr_mixed_call(stack, ar, site->function, site->row);
}

/* Handles most calls and returns. Returns false if the event is another one. */
static bool handle_quickly(scr_recording *r, const lua_State *L, const lua_Debug *ar) {
  scr_stack *stack = r->stack;
  if (!r->sites || L != r->running || !stack || stack->count == 0 || has_ticks(r))
    return false;
  if (r->with_c) return handle_mixed(r, stack, ar);
  if (ar->event == LUA_HOOKCALL) return count_again(r, stack, ar);
  if (ar->event == LUA_HOOKTAILCALL) return count_tail_again(r, stack, ar);
  const bool ends = is_end(stack, ar);
  stack->count -= ends;
  return ends;
}

/* Remembers the place of a call, whose caller had a context, once the name of the
 * function needs no further calls. Roots stand for several functions. */
static void add_site(scr_recording *r, const lua_Debug *ar, uint32_t context,
                     uint32_t function, uint32_t line) {
  if ((!r->with_c && context < SCR_ROOTS) ||
      r->functions.list[function].asked < SCR_MOST_ASKED)
    return;
  const uint32_t row =
      r->with_c ? line : scr_paths_row(&r->paths, context, function, line);
  scr_sites_add(r->sites,
                (scr_site){instruction_of(ar), context, function, row, 0},
                line > 0 ? scr_prototype_of(*scr_call_of(ar)->previous->function) : NULL);
}

/* --- all events -------------------------------------------------------------------- */

/* Adds a frame for a call that is shown as a part of its caller. After a tail call, it
 * has that of its caller. */
static bool share(const scr_recording *r, scr_stack *stack, const lua_Debug *ar) {
  if (ar->event == LUA_HOOKTAILCALL && stack->count > 0) return true;
  return scr_share(r, stack, ar->i_ci);
}

/* Counts a call from a line of the innermost function of the stack. */
static void enter(scr_recording *r, lua_State *L, lua_Debug *ar, scr_stack *stack,
                  uint32_t line) {
  if (has_ticks(r)) assign_ticks(r, stack, line);
  const uint32_t function = scr_function_called(&r->functions, r->closures, L, ar);
  const lua_CFunction entry =
      function != SCR_NONE ? r->functions.list[function].entry : NULL;
  const bool is_own = function != SCR_NONE && scr_belongs_to_caller(r, function);
  const uint32_t context = stack->count > 0 ? scr_stack_context(stack) : SCR_START;
  if (function == SCR_NONE ||
      !(is_own ? share(r, stack, ar) : scr_enter(r, stack, ar, function, line)))
    scr_fail(r);
  else if (entry && scr_resumes(entry))
    scr_hook_resumed(r, L, ar, entry);
  else if (entry && scr_creates(entry))
    scr_note_creation(r, L, ar, line);
  else if (!is_own && r->sites)
    add_site(r, ar, context, function, line);
}

/* Removes the frames above the function of a call, with the zones that it has left open;
 * all frames if the function is not on the stack. */
static void cut_to_function(const scr_recording *r, scr_stack *stack, const void *call) {
  scr_cut(r, stack, call);
  if (stack->count == 0 || !stack->frames[stack->count - 1].is_zone) return;
  scr_leave_zones(r, stack, call);
  scr_cut(r, stack, call);
}

static void on_call(scr_recording *r, lua_State *L, lua_Debug *ar, scr_stack *stack) {
  lua_Debug caller;
  uint32_t line = 0;
  if (ar->event == LUA_HOOKTAILCALL) {
    cut_to_function(r, stack, ar->i_ci);
  } else if (lua_getstack(L, 1, &caller)) {
    scr_cut(r, stack, caller.i_ci);
    line = scr_line_of(L, &caller);
  } else {
    scr_cut(r, stack, NULL);
  }
  enter(r, L, ar, stack, line);
}

static void on_return(scr_recording *r, lua_State *L, lua_Debug *ar, scr_stack *stack) {
  scr_cut(r, stack, ar->i_ci);
  if (has_ticks(r)) assign_ticks(r, stack, scr_line_of(L, ar));
  cut_to_function(r, stack, ar->i_ci);
  scr_leave(r, stack);
}

static void on_line(scr_recording *r, lua_State *L, lua_Debug *ar, scr_stack *stack) {
  scr_cut(r, stack, ar->i_ci);
  const uint32_t function = scr_function_number(&r->functions, r->closures, L, ar);
  if (function == SCR_NONE)
    scr_fail(r);
  else
    scr_lines_add(&r->functions.list[function].lines, ar->currentline);
}

/* Sets the hook of the coroutine that runs, unless a signal that came just before this
 * hook has set another one. */
static void change_hook(lua_State *L, lua_Hook hook, int events) {
  if (lua_gethook(L) == scr_hook) lua_sethook(L, hook, events, 0);
}

/* The count hook is for one instruction if the timer has set it. */
static void on_count(scr_recording *r, lua_State *L, lua_Debug *ar, scr_stack *stack) {
  scr_cut(r, stack, ar->i_ci);
  if (r->period > 0)
    __atomic_fetch_add(&r->pending, 1, __ATOMIC_RELAXED);
  else
    change_hook(L, scr_hook, r->events);
  if (has_ticks(r)) assign_ticks(r, stack, scr_line_of(L, ar));
}

/* The hook if calls are not counted. Time before a call belongs to the caller, which may
 * be a C function that calls back; time before the return of a C function, to that. A
 * coroutine that is created while the hook is set gets it, too. */
static void on_sample(scr_recording *r, lua_State *L, const lua_Debug *ar) {
  uint32_t line;
  if (r->period > 0 && ar->event != LUA_HOOKCOUNT) {  /* from a former recording */
    scr_set_hook(r, L);
    return;
  }
  if (r->period > 0)
    __atomic_fetch_add(&r->pending, 1, __ATOMIC_RELAXED);
  else
    change_hook(L, NULL, 0);
  if (L != r->running || !has_ticks(r)) return;
  const int skipped = ar->event == LUA_HOOKCALL;
  const uint32_t context = scr_sampled_context(r, L, skipped, &line);
  if (context == SCR_NONE)
    scr_fail(r);
  else if (context != SCR_START)  /* otherwise, the next sample takes the ticks */
    assign_to_context(r, context, line);
}

static void on_event(scr_recording *r, lua_State *L, lua_Debug *ar) {
  scr_stack *stack = stack_of(r, L, ar);
  if (!stack)
    scr_fail(r);
  else if (ar->event == LUA_HOOKCOUNT)
    on_count(r, L, ar, stack);
  else if (ar->event == LUA_HOOKLINE)
    on_line(r, L, ar, stack);
  else if (ar->event == LUA_HOOKRET)
    on_return(r, L, ar, stack);
  else
    on_call(r, L, ar, stack);
}

/* Apart, so that scr_hook saves few registers. */
__attribute__((noinline))
static void on_other(scr_recording *r, lua_State *L, lua_Debug *ar) {
  if (!is_recorded(r, L)) return;
  if (r->awaits_program) scr_catch_interrupts(r, L);
  const bool is_count = ar->event == LUA_HOOKCOUNT;
  const bool is_sample = (is_count || r->events == 0) && r->period == 0;
  const uint64_t began = is_sample ? scr_time_of(CLOCK_THREAD_CPUTIME_ID) : 0;
  if (r->events == 0)
    on_sample(r, L, ar);
  else
    on_event(r, L, ar);
  if (is_sample) scr_rest(r, began);
}

/* Removes the hook of a recording that has ended. The thread of another one may have
 * passed its state to this one for a while. */
__attribute__((noinline))
static void remove_old_hook(lua_State *L) {
  if (!scr_is_recorded(L)) lua_sethook(L, NULL, 0, 0);
}

void scr_hook(lua_State *L, lua_Debug *ar) {
  scr_recording *r = scr_current;
  if (!r) remove_old_hook(L);
  if (!r || !r->active) return;
  r->in_hook = true;
  if (!handle_quickly(r, L, ar)) on_other(r, L, ar);
  scr_leave_hook(r);
}
