/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/profile.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/block_counts.h"
#include "runtime/clocks.h"
#include "runtime/context_out.h"
#include "runtime/file_names.h"
#include "runtime/gmon_out.h"
#include "runtime/linux.h"
#include "runtime/lua_ticks.h"
#include "runtime/messages.h"
#include "runtime/modules.h"
#include "runtime/output.h"
#include "runtime/sampling.h"
#include "runtime/snapshot.h"
#include "runtime/soft_limits.h"
#include "runtime/text.h"
#include "runtime/threads.h"
#include "runtime/waiting.h"

/* A file of the profile. */
typedef struct file {
  file_name name;
  int error;
  int reported; /* the error of which the program's end has complained; 0 if none */
} file;

int rec_dump_file_error;

static process about;
static uint64_t last_sum; /* sum of all counts in the files written last; 0 if none */
static bool last_executes; /* the value of about.executes in these files */
static uint64_t end_sum;  /* the sum when an end of the program last tried to write it */
static int writer;        /* id of the thread that writes; 0 if there is none */
static uint64_t earlier_lost; /* calls lost before this profile began */
static uint64_t reported_lost; /* value of rec_lost in the last complaint */
static file gmon, contexts;
static bool lent;        /* rec_lend_profile has written the snapshot */
static bool ending;      /* an end of the program has begun to write the profile */
static bool omits_short; /* rec_omit_short_profile was called */
static bool is_rest;     /* the profile began at a fork, or at the end of a loan */

void rec_set_code(uintptr_t low, uintptr_t high) {
  about.code_low = low & ~(uintptr_t)(REC_BYTES_PER_BIN - 1);
  about.code_high = (high + REC_BYTES_PER_BIN - 1) & ~(uintptr_t)(REC_BYTES_PER_BIN - 1);
}

void rec_begin_profile(char **environment, bool numbered, unsigned first, bool forked) {
  about.id = SYSTEM_CALL(getpid, 0, 0, 0, 0);
  about.parent = SYSTEM_CALL(getppid, 0, 0, 0, 0);
  about.begin = read_clock(CLOCK_REALTIME);
  last_sum = end_sum = earlier_lost = reported_lost = 0;
  gmon.reported = contexts.reported = 0;
  lent = ending = about.executes = false;
  is_rest = forked;
  writer = 0;
  rec_begin_names(environment, numbered, first);
}

void rec_omit_short_profile(void) { omits_short = true; }

unsigned rec_next_part(void) { return rec_profile_number() + (last_sum > 0); }

bool rec_own_profile(void) { return SYSTEM_CALL(getpid, 0, 0, 0, 0) == about.id; }

const char *rec_context_path(void) { return contexts.name.path; }

static const char *reason(const file *f, int error) {
  if (error == ELOOP && !f->name.is_chosen)
    return "is a symbolic link: links are followed only if the option output names them";
  if (error == REC_NOT_A_PROFILE) return "is not a profile, so it is not replaced";
  return strerrordesc_np(error);
}

static void complain(const file *f, const char *what, int error) {
  if (!rec_may_complain()) return;
  char line[2 * PATH_MAX + 256];
  text message = begin_text(line, sizeof line);
  add_text(&message, "libgprof-recorder: ");
  add_text(&message, f->name.path);
  add_text(&message, ": ");
  add_text(&message, what);
  add_text(&message, reason(f, error));
  if (error == ENOENT && rec_has_other_root())
    add_text(&message, ": the program has changed its root directory");
  uint64_t user;
  if ((error == EACCES || error == EPERM) && rec_has_other_user(&user)) {
    add_text(&message, ": the program has changed its user, to ");
    add_number(&message, user);
  }
  rec_complain(line, (size_t)(message.at - line));
}

/* --- files ------------------------------------------------------------------ */

/* How the profiles begin that new ones may replace. Those of Lua programs are context
 * profiles. */
static const char *const of_gmon[] = {"gmon", "gprofctx", NULL};
static const char *const of_contexts[] = {"gprofctx", NULL};

/* Writes gmon.out. Returns whether it is a device, which has nothing beside it. */
static bool write_gmon(void) {
  bool is_device;
  int error = 0;
  rec_set_name(&gmon.name, "");
  gmon.error = rec_find_target(&gmon.name, of_gmon, &is_device);
  if (gmon.error) return false;
  if (is_device ? rec_open_device(gmon.name.target)
                : rec_open_output(gmon.name.temporary))
    error = rec_put_gmon(about.code_low, about.code_high, about.end);
  gmon.error = rec_close_output(error);
  return is_device;
}

static void write_contexts(void) {
  bool is_device;
  rec_set_name(&contexts.name, ".ctx");
  contexts.error = rec_find_target(&contexts.name, of_contexts, &is_device);
  if (contexts.error) return;
  if (rec_open_output(contexts.name.temporary)) rec_put_contexts(&about);
  contexts.error = rec_close_output(0);
}

/* Replaces the old files if both new ones are complete: a context profile belongs to the
 * gmon.out that was written with it. */
static void replace_files(void) {
  if (!gmon.error && !contexts.error)
    rec_rename_both(&contexts.name, &contexts.error, &gmon.name, &gmon.error);
  else if (!contexts.error)
    rec_remove_output(contexts.name.temporary);
  else if (!gmon.error)
    rec_remove_output(gmon.name.temporary);
}

/* A program may end twice: a sample between exit and _exit makes another profile. What
 * the first complained about is not repeated. */
static void complain_once(bool *told, const char *what, int error) {
  if (error && !*told) complain(&gmon, what, error);
  *told |= error != 0;
}

static void complain_about_file(file *f, bool is_end) {
  if (f->error && !(is_end && f->error == f->reported)) complain(f, "", f->error);
  if (is_end) f->reported = f->error;
}

static void complain_about_lost_calls(void) {
  const uint64_t lost = earlier_lost + about.lost;
  if (lost > reported_lost) complain(&gmon, "some calls were not counted: ", ENOMEM);
  reported_lost = lost;
}

static void warn(bool is_end) {
  static bool told_clocks, told_waiting, told_dump_file;
  complain_about_file(&gmon, is_end);
  complain_about_file(&contexts, is_end);
  complain_once(&told_clocks, "some threads have no samples: ", rec_clock_error);
  complain_once(&told_waiting, "threads that wait have no samples: ", rec_waiting_error);
  complain_once(&told_dump_file, "the option dump-file has no effect: ",
                rec_dump_file_error);
  complain_about_lost_calls();
}

/* Completes the description of the process. */
static void describe(void) {
  rec_find_loaded_modules();
  if (about.code_low >= about.code_high)
    rec_set_code(rec_modules->code, rec_modules->code_end);
  about.end = read_clock(CLOCK_REALTIME);
  rec_check_actions();
}

static int present_error(void) { return gmon.error ? gmon.error : contexts.error; }

static void write_both(void) {
  describe();
  contexts.error = 0;
  if (!write_gmon()) {
    write_contexts();
    replace_files();
  }
}

/* Writes the snapshot, at an end of the program or on request. Returns 0 or an errno. */
static int write_files(bool is_end) {
  write_both();
  if (is_end && rec_is_limit(present_error())) {
    const limits before = rec_raise_limits();
    write_both();
    rec_restore_limits(&before);
  }
  warn(is_end);
  return present_error();
}

/* Begins the next profile, which contains all counts made after the snapshot. */
static void begin_anew(void) {
  rec_begin_anew();
  rec_begin_blocks_anew();
  earlier_lost += about.lost;
  about.begin = about.end;
  last_sum = end_sum = 0;
  is_rest = false;
}

/* What was recorded: calls, executions of blocks, and ticks; and the calls that were
 * lost, which the profile states, too. */
typedef struct amount {
  uint64_t calls, blocks, ticks, lost;
} amount;

static void add_count(void *into, const record *r, uint64_t count) {
  amount *all = into;
  *(r->self ? &all->calls : &all->ticks) += count;
}

static amount take_snapshot(void) {
  amount all = {0};
  rec_take_snapshot();
  all.blocks = rec_take_blocks();
  all.lost = __atomic_load_n(&rec_lost, __ATOMIC_RELAXED) - earlier_lost;
  about.lost = all.lost;
  rec_visit_records(add_count, &all);
  return all;
}

/* Whether an end of the program need not write what was recorded since a fork or a loan:
 * a child that is about to execute another program often has a sample or two. So has a
 * short program that is followed. */
static bool is_negligible(amount all) {
  if (all.calls > 0 || all.blocks > 0 || all.lost > 0) return false;
  return (is_rest && 10 * all.ticks < rec_rate) ||
         (omits_short && 100 * all.ticks < rec_rate);
}

/* Takes a snapshot, and writes it if `always` is true or if something was counted since
 * the last time. An end of the program does not repeat what failed at another end, such
 * as exit and then _exit. Returns 0 or an errno. */
static int write_snapshot(bool always, bool anew) {
  const amount all = take_snapshot();
  const uint64_t sum = all.calls + all.blocks + all.ticks + all.lost;
  lent = false;
  const bool is_same = (sum == last_sum || sum == end_sum) &&
                       (sum == 0 || about.executes == last_executes);
  if (!always && (is_same || is_negligible(all))) return 0;
  if (!always) end_sum = sum;
  const int error = write_files(!always);
  if (!error) {
    last_sum = sum;
    last_executes = about.executes;
  }
  if (anew && !error) {
    begin_anew();
    rec_next_profile_number();
  }
  return error;
}

static int lend_snapshot(int gmon_file, int contexts_file) {
  take_snapshot();
  describe();
  rec_borrow_output(gmon_file);
  const int error =
      rec_close_output(rec_put_gmon(about.code_low, about.code_high, about.end));
  if (error) return error;
  rec_borrow_output(contexts_file);
  rec_put_contexts(&about);
  return rec_close_output(0);
}

/* --- writing ---------------------------------------------------------------- */

/* Waits until no other thread is writing. Returns false if this thread itself is writing,
 * and was interrupted by a signal. */
static bool begin_writing(void) {
  const int own = (int)SYSTEM_CALL(gettid, 0, 0, 0, 0);
  for (int other = 0; !__atomic_compare_exchange_n(&writer, &other, own, false,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
       other = 0) {
    if (other == own) return false;
    SYSTEM_CALL(futex, &writer, FUTEX_WAIT_PRIVATE, other, 0);
  }
  return true;
}

static void end_writing(void) {
  __atomic_store_n(&writer, 0, __ATOMIC_RELEASE);
  SYSTEM_CALL(futex, &writer, FUTEX_WAKE_PRIVATE, INT32_MAX, 0);
}

/* Writes nothing once an end of the program has begun: the process could end between the
 * renaming of the two files. */
int rec_write_present(bool anew) {
  if (!begin_writing()) return EBUSY;
  int error = EBUSY;
  if (ending)
    error = present_error();
  else if (!lent && !rec_records_lua())
    error = write_snapshot(true, anew);
  end_writing();
  return error;
}

static bool has_counts(void) {
  return (rec_tables || rec_has_blocks() || rec_lost > 0) && rec_own_profile();
}

/* Restores the signals that were blocked. A sample that is pending stands for the work of
 * the recorder since then. */
static void end_work(uint64_t before) {
  thread *const t = rec_begin_work();
  if (t) {
    restore_signals(~rec_sampling_signals() | before);
    rec_release(t);
  }
  restore_signals(before);
}

int rec_lend_profile(int gmon_file, int contexts_file) {
  if (!has_counts() || (rec_records_lua() && !rec_lua.paused)) return ENODATA;
  const uint64_t before = block_signals();
  int error = EBUSY;
  if (begin_writing()) {
    error = lend_snapshot(gmon_file, contexts_file);
    lent = !error;
    end_writing();
  }
  end_work(before);
  return error;
}

void rec_end_loan(bool drop) {
  const uint64_t before = block_signals();
  if (begin_writing()) {
    if (lent && drop) {
      begin_anew();
      is_rest = true;
    }
    lent = false;
    end_writing();
  }
  end_work(before);
}

/* What the child does in rec_try_writing. */
static _Noreturn void write_in_child(bool (*prepare)(void *), void *argument) {
  if (!prepare(argument)) {
    rec_read_prefix(environ);
    if (rec_tables) write_snapshot(true, false);
  }
  for (;;) SYSTEM_CALL(exit_group, 0, 0, 0, 0);
}

bool rec_try_writing(bool (*prepare)(void *), void *argument) {
  int status = 0;
  const uint64_t before = block_signals();
  if (!begin_writing()) {
    end_work(before);
    return false;
  }
  /* No signal announces its end: it is not one of the program's children. */
  const long child = SYSTEM_CALL(clone, 0, 0, 0, 0);
  if (child == 0) write_in_child(prepare, argument);
  while (child > 0 &&
         SYSTEM_CALL(wait4, child, &status, 0x80000000 /* __WCLONE */, 0) == -EINTR) {}
  end_writing();
  end_work(before);
  return child > 0 && status == 0;
}

void rec_write_before_exec(void) {
  about.executes = true;
  rec_write_profile();
}

void rec_go_on(void) { ending = about.executes = false; }

void rec_write_profile(void) {
  if (rec_state == ENDED || !has_counts() || rec_records_lua()) return;
  const uint64_t before = block_signals();
  uint64_t pending = 0;
  SYSTEM_CALL(rt_sigpending, &pending, KERNEL_SIGSET, 0, 0);
  rec_check_pending(pending & before); /* others wait for this function */
  if (begin_writing()) {
    ending = about.id != 1; /* which most signals sent by itself do not end */
    rec_read_prefix(environ);
    write_snapshot(false, false);
    end_writing();
  }
  /* A file size limit, or standard error without a reader, must not kill the program. */
  const uint64_t fatal = UINT64_C(1) << (SIGXFSZ - 1) | UINT64_C(1) << (SIGPIPE - 1);
  const uint64_t raised = fatal & ~pending;
  const struct timespec none = {0, 0};
  while (SYSTEM_CALL(rt_sigtimedwait, &raised, 0, &none, KERNEL_SIGSET) > 0) {}
  end_work(before);
}
