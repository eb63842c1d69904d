/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/hook_code.h"

#if defined __x86_64__ || defined __aarch64__

#include <lauxlib.h>
#include <string.h>
#include <unwind.h>

enum { MOST_FRAMES = 64 };

/* Functions on C stacks. */
typedef struct frames {
  uintptr_t functions[MOST_FRAMES];
  int count;
  int left;             /* frames of this stack to look at */
} frames;

/* The functions on the C stack: of a program without hooks; near a hook; and near a hook
 * for lines. */
typedef struct search {
  frames plain, hooked, lines;
} search;

static bool contains(const frames *list, uintptr_t function) {
  for (int i = 0; i < list->count; i++)
    if (list->functions[i] == function) return true;
  return false;
}

/* _Unwind_FindEnclosingFunction takes a return address: it looks up the byte before. */
static uintptr_t function_at(uintptr_t code) {
  return (uintptr_t)_Unwind_FindEnclosingFunction((void *)(code + 1));
}

static void look_in_hook(lua_State *L, lua_Debug *ar);

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data) {
  frames *list = data;
  const uintptr_t at = _Unwind_GetIP(context);
  const uintptr_t function = at ? function_at(at - 1) : 0;
  if (function == (uintptr_t)look_in_hook) return _URC_NO_REASON;
  if (function && !contains(list, function) && list->count < MOST_FRAMES)
    list->functions[list->count++] = function;
  return --list->left > 0 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

static search *search_of(lua_State *L) { return *(search **)lua_getextraspace(L); }

static void add_frames(frames *list, int most) {
  list->left = most;
  _Unwind_Backtrace(add_frame, list);
}

/* A hook. The functions wanted are among the two that call it: those that call these also
 * run without hooks. */
static void look_in_hook(lua_State *L, lua_Debug *ar) {
  search *s = search_of(L);
  add_frames(&s->hooked, 2);
  if (ar->event == LUA_HOOKLINE) add_frames(&s->lines, 2);
}

static int look_in_function(lua_State *L) {
  add_frames(&search_of(L)->plain, MOST_FRAMES);
  return 0;
}

/* Returns the end of the function that begins at an address. */
static uintptr_t end_of(uintptr_t begin) {
  uintptr_t inside = begin, outside = begin + 1;
  while (function_at(outside) == begin) {
    inside = outside;
    outside += outside - begin;
  }
  while (outside - inside > 1) {
    const uintptr_t middle = inside + (outside - inside) / 2;
    *(function_at(middle) == begin ? &inside : &outside) = middle;
  }
  return outside;
}

/* The C function is called by a Lua function, as the hook is. A hook for calls also makes
 * Lua look whether there is one for lines. */
static void run(search *s, lua_State *L, int events) {
  static const char code[] = "local plain = ... local function f() plain() end f() f()";
  *(search **)lua_getextraspace(L) = s;
  if (luaL_loadstring(L, code) != LUA_OK) return;
  lua_pushcfunction(L, look_in_function);
  lua_sethook(L, look_in_hook, events | LUA_MASKLINE, 0);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) s->hooked.count = 0;
}

static void add(scr_hook_code *code, uintptr_t function) {
  if (code->count == SCR_CODES || !function || scr_is_hook_code(code, function)) return;
  code->list[code->count++] = (scr_code){function, end_of(function)};
}

/* Returns the address that a direct call leads to; 0 if it is another instruction. */
#if defined __x86_64__
enum { CALL_SIZE = 5, ALIGNMENT = 1 };

static uintptr_t target_of(uintptr_t at) {
  const unsigned char *code = (const unsigned char *)at;
  int32_t distance;
  memcpy(&distance, code + 1, sizeof distance);
  return code[0] == 0xe8 ? at + CALL_SIZE + (uintptr_t)distance : 0;
}
#else
enum { CALL_SIZE = 4, ALIGNMENT = 4 };

static uintptr_t target_of(uintptr_t at) {
  uint32_t code;
  memcpy(&code, (const void *)at, sizeof code);
  const int64_t words = (int64_t)(code & 0x1ffffff) - (int64_t)(code & 0x2000000);
  return code >> 26 == 0x25 ? at + (uintptr_t)(words * CALL_SIZE) : 0;
}
#endif

/* Adds the functions that a function calls directly, unless they also run without hooks.
 * Looks at all bytes, not at instructions only: some bytes may look like a call by
 * chance, but then hardly lead to the first byte of a function. */
static void add_called(scr_hook_code *code, const frames *plain, uintptr_t function) {
  const uintptr_t end = end_of(function);
  for (uintptr_t at = function; at + CALL_SIZE <= end; at += ALIGNMENT) {
    const uintptr_t target = target_of(at);
    if (target && function_at(target) == target && !contains(plain, target))
      add(code, target);
  }
}

/* Adds the function that looks for the line of an instruction, which can take longer
 * than the line. The function that calls hooks for lines calls it, too. What else that
 * one calls also serves hooks, except luaD_throw, which takes little time. */
static void add_lines(scr_hook_code *code, const search *s) {
  if (s->lines.count == 2 && !contains(&s->plain, s->lines.functions[1]))
    add_called(code, &s->plain, s->lines.functions[1]);
}

scr_hook_code scr_find_hook_code(int events, uintptr_t hook) {
  search s = {0};
  scr_hook_code code = {0};
  lua_State *L = events ? luaL_newstate() : NULL;
  if (!L) return code;
  run(&s, L, events);
  lua_close(L);
  for (int i = 0; i < s.hooked.count; i++)
    if (!contains(&s.plain, s.hooked.functions[i])) add(&code, s.hooked.functions[i]);
  if (events & LUA_MASKLINE) add_lines(&code, &s);
  if (code.count > 0) add(&code, function_at(hook));
  return code;
}

#else

scr_hook_code scr_find_hook_code(int events, uintptr_t hook) {
  return (void)events, (void)hook, (scr_hook_code){0};
}

#endif
