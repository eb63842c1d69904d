/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/save.h"

#include <lauxlib.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/writer.h"

static bool put(gp_writer *writer, const char *bytes, size_t size) {
  while (size > 0) {
    size_t part = size < GP_WRITER_WINDOW ? size : GP_WRITER_WINDOW;
    unsigned char *room = gp_writer_room(writer, part);
    if (!room) return false;
    memcpy(room, bytes, part);
    bytes += part;
    size -= part;
  }
  return true;
}

/* Signals that a failing write raises. */
static const int fatal[] = {SIGXFSZ, SIGPIPE};

/* Blocks these signals: a full disk must not end the program. */
static void hold_signals(sigset_t *before) {
  sigset_t held;
  sigemptyset(&held);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) sigaddset(&held, fatal[i]);
  pthread_sigmask(SIG_BLOCK, &held, before);
}

/* Restores the mask. Drops what was raised, except signals that the program had blocked
 * itself. */
static void release_signals(const sigset_t *before) {
  sigset_t raised;
  sigemptyset(&raised);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    if (sigismember(before, fatal[i]) == 0) sigaddset(&raised, fatal[i]);
  while (sigtimedwait(&raised, NULL, &(struct timespec){0, 0}) > 0) {}
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

int scr_save(lua_State *L) {
  size_t size;
  const char *path = luaL_checkstring(L, 1), *bytes = luaL_checklstring(L, 2, &size);
  const gp_writer_path kind = lua_toboolean(L, 3) ? GP_PATH_DERIVED : GP_PATH_CHOSEN;
  gp_error error;
  gp_writer writer;
  sigset_t before;
  hold_signals(&before);
  bool done = gp_writer_open_profile(&writer, path, kind, &error) &&
              gp_writer_close(&writer, put(&writer, bytes, size));
  release_signals(&before);
  if (!done) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", path, error.text);
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}
