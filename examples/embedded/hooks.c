/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces mcount.S on any machine: functions compiled with -finstrument-functions call
 * these hooks. They cost more than -pg, since functions also call one at their end.
 * Compile without -finstrument-functions and -pg.
 */
#include "gmon.h"

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site) {
  gmon_call((uintptr_t)call_site, (uintptr_t)function);
}

void __cyg_profile_func_exit(void *function, void *call_site) {
  (void)function;
  (void)call_site;
}
