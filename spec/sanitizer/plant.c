/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Deliberate faults that the sanitizers must find, and a correct function.
 *
 * Specs load these functions with package.loadlib. They do not use the Lua API.
 */
#include <limits.h>
#include <stdlib.h>

struct lua_State;

static char *volatile block;

int leak(struct lua_State *L) {
  (void)L;
  for (int i = 0; i < 10; i++) block = malloc(64);
  block = NULL;
  return 0;
}

int overrun(struct lua_State *L) {
  (void)L;
  volatile size_t length = 8;
  block = malloc(length);
  block[length] = 1;
  free(block);
  return 0;
}

int overflow(struct lua_State *L) {
  (void)L;
  volatile int most = INT_MAX;
  most = most + 1;
  return 0;
}

int sound(struct lua_State *L) {
  (void)L;
  block = malloc(8);
  block[7] = 1;
  free(block);
  return 0;
}
