/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile of this process. */
#include "mpi/own_profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/plain_profile.h"
#include "runtime/recorder.h"

/* The recorder may be there or not. */
#pragma weak gprof_recorder_suspend
#pragma weak gprof_recorder_settle
#pragma weak gprof_recorder_resume
#pragma weak gprof_recorder_name

static char prefix[32];   /* of own files; "" before the start */

/* Names the file that the C library writes when the process ends. The variable is set as
 * late as this, since programs that the process starts would inherit it. */
static void name_file(void) { setenv("GMON_OUT_PREFIX", prefix, false); }

void gp_own_start(int rank) {
  if (prefix[0] != '\0') return;
  snprintf(prefix, sizeof prefix, "gmon.out.%d", rank);
  if (gprof_recorder_name) {
    gprof_recorder_name(prefix);
    return;
  }
  gp_plain_start(prefix);
  atexit(name_file);  /* runs before the C library writes the file */
}

static gp_taken take_recorded(gp_own_profile *profile, gp_error *error) {
  profile->gmon = memfd_create("gmon.out", MFD_CLOEXEC);
  profile->contexts = memfd_create("gmon.out.ctx", MFD_CLOEXEC);
  if (profile->gmon < 0 || profile->contexts < 0) {
    gp_fail(error, "no memory for the profile: %s", strerror(errno));
    return GP_NOT_TAKEN;
  }
  int problem = gprof_recorder_suspend(profile->gmon, profile->contexts);
  if (problem == ENODATA) return GP_NO_PROFILE;
  if (problem == 0 && lseek(profile->gmon, 0, SEEK_SET) == 0 &&
      lseek(profile->contexts, 0, SEEK_SET) == 0)
    return GP_TAKEN;
  gp_fail(error, "the recorder cannot copy the profile: %s",
          strerror(problem ? problem : errno));
  return GP_NOT_TAKEN;
}

gp_taken gp_own_take(gp_own_profile *profile, gp_error *error) {
  *profile = (gp_own_profile){-1, -1};
  return gprof_recorder_suspend ? take_recorded(profile, error)
                                : gp_plain_take(&profile->gmon, error);
}

void gp_own_close(gp_own_profile *profile) {
  if (profile->gmon >= 0) close(profile->gmon);
  if (profile->contexts >= 0) close(profile->contexts);
  *profile = (gp_own_profile){-1, -1};
}

bool gp_own_settle(bool in_sum, gp_error *error) {
  if (!gprof_recorder_settle) return gp_plain_settle(in_sum, error);
  gprof_recorder_settle(in_sum);
  return true;
}

void gp_own_resume(void) {
  if (gprof_recorder_resume)
    gprof_recorder_resume();
  else
    gp_plain_resume();
}
