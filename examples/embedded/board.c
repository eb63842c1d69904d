/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that there is on a board with a Cortex-M3, as QEMU's mps2-an385 is one: what runs
 * before the program, a clock that samples it, and semihosting, by which the profile gets
 * into a file of the machine that the debugger, or QEMU, runs on. Compiled without -pg.
 */
#include "gmon.h"
#include "program.h"

#define RATE 1000        /* samples in a second */
#define CLOCK 25000000   /* the board's, in a second */

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

/* Pieces are gathered: each write stops the processor. */
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

/* --- the clock ----------------------------------------------------------------- */

static volatile uint32_t *const systick = (uint32_t *)0xe000e010;

static void start_clock(void) {
  systick[1] = CLOCK / RATE - 1;  /* what it counts down from, */
  systick[2] = 0;                 /* beginning now */
  systick[0] = 7;                 /* the processor's clock; with interrupts; on */
}

/* The processor has pushed eight registers, of which the seventh is the program's. */
static void __attribute__((used)) strike(const uintptr_t *pushed) {
  gmon_sample(pushed[6]);
}

static void __attribute__((naked)) tick(void) {
  __asm__ volatile("mov r0, sp\n\tb strike");
}

/* --- the start ----------------------------------------------------------------- */

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
