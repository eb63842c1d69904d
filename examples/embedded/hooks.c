/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In place of mcount.S, on any machine: what functions call that were compiled with
 * -finstrument-functions. It costs more than -pg, at the end of functions, too. Compiled
 * without either itself.
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
