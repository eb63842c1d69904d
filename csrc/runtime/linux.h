/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System calls without the C library. The code that runs at each call must not use the C
 * library. Its functions may change vector registers, which can hold arguments of the
 * function being entered, and most are not safe in signal handlers. A system call that
 * fails returns a negative errno.
 */
#ifndef GPROF_RUNTIME_LINUX_H
#define GPROF_RUNTIME_LINUX_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* Bytes of a signal set in the kernel. */
#define KERNEL_SIGSET 8

#define SECOND UINT64_C(1000000000) /* in nanoseconds */

#if !defined __x86_64__ && !defined __aarch64__
#error "the recorder supports x86-64 and AArch64 only"
#endif

static inline long system_call(long number, long a, long b, long c, long d, long e,
                               long f) {
#ifdef __x86_64__
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
#endif
}

#define SYSTEM_CALL(name, a, b, c, d) \
  system_call(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* The address of the thread's own data. glibc puts it at the upper end of the stack of a
 * thread. */
static inline uintptr_t thread_pointer(void) {
  uintptr_t pointer;
#ifdef __x86_64__
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
#else
  __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
  return pointer;
}

/* Gives this thread, which is not one of the C library's, data of its own. */
static inline void set_thread_pointer(uintptr_t pointer) {
#ifdef __x86_64__
  *(uintptr_t *)pointer = pointer;
  system_call(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, (long)pointer, 0, 0, 0, 0);
#else
  __asm__ volatile("msr tpidr_el0, %0" : : "r"(pointer));
#endif
}

/* Makes a thread, which ends when `run` returns; see entry_*.S. `stack` is the upper end
 * of its stack. The kernel clears *tid when the thread has ended. Returns the thread's id
 * or a negative errno. */
int rec_clone(long flags, void *stack, int *tid, void (*run)(void));

/* Calls a function that uses the C library, and preserves all vector registers; see
 * entry_*.S. */
void rec_preserve(void (*function)(void *), void *argument);

/* Allocates zeroed memory; NULL on failure. ThreadSanitizer, with which a spec compiles
 * the recorder, must know of new memory and of memory that is no longer used. */
static inline void *map_memory(size_t size) {
  enum { ACCESS = PROT_READ | PROT_WRITE };
  enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
#ifdef __SANITIZE_THREAD__
  void *at = mmap(NULL, size, ACCESS, FLAGS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
#else
  long at = system_call(SYS_mmap, 0, (long)size, ACCESS, FLAGS, -1, 0);
  return at < 0 && at > -4096 ? NULL : (void *)at;
#endif
}

/* Copies memory that may be unmapped at any time; false if it is not mapped. */
static inline bool copy_memory(void *into, uintptr_t from, size_t size) {
  const struct iovec to = {into, size}, source = {(void *)from, size};
  return system_call(SYS_process_vm_readv, SYSTEM_CALL(gettid, 0, 0, 0, 0), (long)&to, 1,
                     (long)&source, 1, 0) == (long)size;
}

/* Whether the eight bytes at an address can be read. The kernel reads the set of signals
 * before it refuses the change; address 0 stands for none. */
static inline bool is_readable(uintptr_t address) {
  const long change = -1; /* unknown */
  return SYSTEM_CALL(rt_sigprocmask, change, address, 0, KERNEL_SIGSET) == -EINVAL;
}

static inline void unmap_memory(void *memory, size_t size) {
#ifdef __SANITIZE_THREAD__
  munmap(memory, size);
#else
  SYSTEM_CALL(munmap, memory, size, 0, 0);
#endif
}

/* Returns the time of a clock in nanoseconds; 0 on failure. */
static inline uint64_t read_clock(int clock) {
  struct {
    int64_t seconds, nanoseconds;
  } time = {0, 0};
  SYSTEM_CALL(clock_gettime, clock, &time, 0, 0);
  return (uint64_t)time.seconds * SECOND + (uint64_t)time.nanoseconds;
}

/* Returns the clock that measures another thread's processor time. */
static inline int thread_clock(int id) { return (int)(~(unsigned)id << 3 | 6u); }

/* Blocks all signals of this thread; returns those that were blocked before. */
static inline uint64_t block_signals(void) {
  const uint64_t all = UINT64_MAX;
  uint64_t before = 0;
  SYSTEM_CALL(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, &before, KERNEL_SIGSET);
  return before;
}

static inline void restore_signals(uint64_t before) {
  SYSTEM_CALL(rt_sigprocmask, 2, &before, 0, KERNEL_SIGSET);
}

/* Returns the signal set of a signal; the empty set for 0. */
static inline uint64_t signal_bit(int number) {
  return number ? UINT64_C(1) << (number - 1) : 0;
}

/* Sends a signal to this thread again. `info` tells where it came from. */
static inline void send_again(int number, void *info) {
  const long group = SYSTEM_CALL(getpid, 0, 0, 0, 0);
  const long own = SYSTEM_CALL(gettid, 0, 0, 0, 0);
  if (SYSTEM_CALL(rt_tgsigqueueinfo, group, own, number, info) < 0)
    SYSTEM_CALL(tgkill, group, own, number, 0);
}

#endif
