/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Restricts system calls with a seccomp filter.
 *
 * The filter is a list of allowed calls. A list of forbidden calls would miss calls that
 * later kernels add. The process has already started its threads and loaded its
 * libraries. So it only needs calls for reading files, for memory and for the clock. A
 * call with a number above LAST_KNOWN fails with ENOSYS, as on an old kernel: C libraries
 * then fall back to an older call. All other calls fail with EPERM.
 *
 * System calls of another architecture have different numbers, so they kill the process.
 * On x86-64, these are the calls of i386 and of x32; x32 sets a bit in the number.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confinement.h"

/* Only little-endian machines are supported: the filter reads the first half of an
 * argument, and this must be the low half. */
#if defined __x86_64__ && !defined __ILP32__
#define MACHINE AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000u  /* __X32_SYSCALL_BIT */
#elif defined __aarch64__ && !defined __AARCH64EB__ && !defined __ILP32__
#define MACHINE AUDIT_ARCH_AARCH64
#define FOREIGN_BIT 0
#else
#define MACHINE 0
#define FOREIGN_BIT 0
#endif

/* The highest system call of Linux 6.17. Later calls have not been reviewed. */
#define LAST_KNOWN 469

/* Flags of open() that are not allowed, because they permit writing. Landlock restricts
 * reading. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC)

static const int allowed[] = {
    /* files and their metadata */
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_pwrite64, SYS_lseek,
    SYS_close, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_readlinkat, SYS_faccessat,
    SYS_getdents64, SYS_getcwd, SYS_dup, SYS_dup3, SYS_fadvise64,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_stat
    SYS_stat, SYS_lstat, SYS_readlink, SYS_access, SYS_dup2,
#endif
    /* memory */
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
    /* this process: identity, signals, exit */
    SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_restart_syscall, SYS_exit, SYS_exit_group, SYS_futex, SYS_sched_yield,
    /* clock, random numbers, memory of the machine */
    SYS_clock_gettime, SYS_gettimeofday, SYS_getrusage, SYS_times, SYS_getrandom,
    SYS_sysinfo,
#ifdef SYS_time
    SYS_time,
#endif
};

/* A system call whose permission depends on one of its arguments. */
typedef struct condition {
  int call;
  unsigned argument;     /* argument number, from 0 */
  unsigned short test;   /* BPF_JEQ: allowed if equal to `value`;
                            BPF_JSET: allowed if no bit of `value` is set */
  unsigned value;
} condition;

typedef struct filter {
  struct sock_filter steps[256];
  unsigned short count;
} filter;

static void add(filter *f, unsigned code, unsigned value, unsigned yes, unsigned no) {
  f->steps[f->count++] = (struct sock_filter){
      .code = (unsigned short)code,
      .jt = (unsigned char)yes,
      .jf = (unsigned char)no,
      .k = value,
  };
}

static void load(filter *f, size_t offset) {
  add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void answer(filter *f, unsigned action) { add(f, BPF_RET | BPF_K, action, 0, 0); }

static void add_condition(filter *f, const condition *c) {
  bool bits = c->test == BPF_JSET;
  add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)c->call, 0, 4);
  load(f, offsetof(struct seccomp_data, args) + (size_t)8 * c->argument);
  add(f, BPF_JMP | BPF_K | (unsigned)c->test, c->value, bits, !bits);
  answer(f, SECCOMP_RET_ALLOW);
  load(f, offsetof(struct seccomp_data, nr));
}

/* tgkill may only signal this process, as abort() does. fcntl may not request signals for
 * a descriptor. ioctl is forbidden entirely, because it could insert input into a
 * terminal. */
static void add_conditions(filter *f) {
  const condition conditions[] = {
      {SYS_openat, 2, BPF_JSET, WRITING},
#ifdef SYS_open
      {SYS_open, 1, BPF_JSET, WRITING},
#endif
      {SYS_fcntl, 1, BPF_JEQ, F_GETFD}, {SYS_fcntl, 1, BPF_JEQ, F_SETFD},
      {SYS_fcntl, 1, BPF_JEQ, F_GETFL}, {SYS_fcntl, 1, BPF_JEQ, F_DUPFD},
      {SYS_fcntl, 1, BPF_JEQ, F_DUPFD_CLOEXEC},
      {SYS_tgkill, 0, BPF_JEQ, (unsigned)getpid()},
  };
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
    add_condition(f, conditions + i);
}

static void make_filter(filter *f) {
  f->count = 0;
  load(f, offsetof(struct seccomp_data, arch));
  add(f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
  answer(f, SECCOMP_RET_KILL_PROCESS);
  load(f, offsetof(struct seccomp_data, nr));
  add(f, BPF_JMP | BPF_JSET | BPF_K, FOREIGN_BIT, 0, 1);
  answer(f, SECCOMP_RET_KILL_PROCESS);
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    answer(f, SECCOMP_RET_ALLOW);
  }
  add_conditions(f);
  add(f, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN, 0, 1);
  answer(f, SECCOMP_RET_ERRNO | ENOSYS);
  answer(f, SECCOMP_RET_ERRNO | EPERM);
}

/* Some systems accept a filter and ignore it. So this test makes a forbidden call. */
static bool works(void) {
  long file = syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file >= 0) close((int)file);
  return file < 0 && errno == EPERM;
}

bool gp_restrict_calls(gp_error *error) {
  filter f;
  if (MACHINE == 0)
    return gp_fail(error, "no system call filter for this machine");
  make_filter(&f);
  struct sock_fprog program = {.len = f.count, .filter = f.steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return gp_fail(error, "cannot install a seccomp filter (%s)", strerror(errno));
  return works() || gp_fail(error, "the seccomp filter has no effect");
}
