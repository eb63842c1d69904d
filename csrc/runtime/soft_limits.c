/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/soft_limits.h"

#include <errno.h>
#include <sys/resource.h>

#include "runtime/linux.h"

static const int raised[RAISED_LIMITS] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS};
static bool are_kept;

bool rec_is_limit(int error) {
  return !are_kept && (error == EMFILE || error == EFBIG || error == ENOMEM);
}

limits rec_raise_limits(void) {
  limits before = {0};
  for (int i = 0; i < RAISED_LIMITS; i++) {
    if (SYSTEM_CALL(prlimit64, 0, raised[i], NULL, &before.of[i]) != 0) continue;
    const uint64_t high[] = {before.of[i].hard, before.of[i].hard};
    if (before.of[i].soft < high[0]) SYSTEM_CALL(prlimit64, 0, raised[i], high, NULL);
  }
  return before;
}

void rec_restore_limits(const limits *before) {
  for (int i = 0; i < RAISED_LIMITS; i++)
    if (before->of[i].soft < before->of[i].hard)
      SYSTEM_CALL(prlimit64, 0, raised[i], &before->of[i], NULL);
}

void rec_keep_limits(void) { are_kept = true; }
