/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Support for a board with a Cortex-M3, QEMU's mps2-an385: startup code, a timer that
 * takes samples, and semihosting, which writes the profile to a file on the host of the
 * debugger or QEMU. Compile without -pg.
 */
#include "gmon.h"
#include "program.h"

#define RATE 1000        /* samples per second */
#define CLOCK 25000000   /* frequency of the processor, Hz */

/* from board.ld */
extern uint8_t text_start[], text_end[], data_start[], data_end[], data_load[];
extern uint8_t bss_start[], bss_end[], stack_top[];

void start(void);

/* --- semihosting --------------------------------------------------------------- */

enum { SYS_OPEN = 1, SYS_CLOSE = 2, SYS_WRITE = 5, SYS_EXIT = 0x18 };
enum { MODE_WB = 5 };
enum { STOPPED_RUN_TIME_ERROR = 0x20023, STOPPED_APPLICATION_EXIT = 0x20026 };

static uintptr_t ask_host(uintptr_t operation, uintptr_t argument) {
  register uintptr_t r0 __asm__("r0") = operation;
  register uintptr_t r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static void stop(bool failed) {
  ask_host(SYS_EXIT, failed ? STOPPED_RUN_TIME_ERROR : STOPPED_APPLICATION_EXIT);
  for (;;) {}
}

/* Buffers the output, since each semihosting call stops the processor. */
typedef struct file {
  uintptr_t handle;
  size_t used;
  uint8_t bytes[256];
} file;

static void flush(file *f) {
  uintptr_t block[] = {f->handle, (uintptr_t)f->bytes, f->used};
  if (f->used > 0 && ask_host(SYS_WRITE, (uintptr_t)block) != 0) stop(true);
  f->used = 0;
}

static void put(void *to, const void *bytes, size_t size) {
  file *f = to;
  for (const uint8_t *byte = bytes; size-- > 0; byte++) {
    if (f->used == sizeof f->bytes) flush(f);
    f->bytes[f->used++] = *byte;
  }
}

static void write_profile(void) {
  static const char name[] = "gmon.out";
  static file out;
  uintptr_t block[] = {(uintptr_t)name, MODE_WB, sizeof name - 1};
  out.handle = ask_host(SYS_OPEN, (uintptr_t)block);
  if (out.handle == (uintptr_t)-1) stop(true);
  gmon_write(put, &out);
  flush(&out);
  ask_host(SYS_CLOSE, (uintptr_t)&out.handle);
}

/* --- the timer ----------------------------------------------------------------- */

static volatile uint32_t *const systick = (uint32_t *)0xe000e010;

static void start_clock(void) {
  systick[1] = CLOCK / RATE - 1;  /* reload value */
  systick[2] = 0;                 /* writing any value resets the counter */
  systick[0] = 7;                 /* processor clock, interrupt enabled, timer enabled */
}

/* On an exception the processor pushes r0-r3, r12, lr, pc and xPSR; pushed[6] is the
 * pc. */
static void __attribute__((used)) take_sample(const uintptr_t *pushed) {
  gmon_sample(pushed[6]);
}

static void __attribute__((naked)) tick(void) {
  __asm__ volatile("mov r0, sp\n\tb take_sample");
}

/* --- startup ------------------------------------------------------------------- */

void start(void) {
  for (size_t i = 0; i < (size_t)(data_end - data_start); i++)
    data_start[i] = data_load[i];
  for (uint8_t *byte = bss_start; byte < bss_end; byte++) *byte = 0;
  gmon_start((uintptr_t)text_start, (uintptr_t)text_end, RATE);
  start_clock();
  unsigned found = program();
  systick[0] = 0;
  write_profile();
  stop(found == 0 || gmon_lost() > 0);
}

static void fault(void) { stop(true); }

typedef void handler(void);
static handler *const vectors[] __attribute__((section(".vectors"), used)) = {
    (handler *)stack_top, start, fault, fault, fault, fault, fault,
    NULL, NULL, NULL, NULL, fault, fault, NULL, fault, tick};
