/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers of all targets. */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crc32.h"

/* libFuzzer's interface has no header. __wrap_LLVMFuzzerTestOneInput() takes the place of
 * LLVMFuzzerTestOneInput() (--wrap).
 * NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl*) */
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl*) */

/* AddressSanitizer keeps freed memory in a quarantine. A quarantine of 1 MB is enough for
 * small inputs, and fits in the CPU's cache. libbfd 2.40 leaks memory in line lookups;
 * this leak is suppressed (see spec/sanitizer/launcher.c). FUZZ_LEAKS is the function, or
 * the library if its functions are unknown, because it has no frame pointers. */
#ifndef FUZZ_LEAKS
#define FUZZ_LEAKS "nearest_line"
#endif
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);
const char *__asan_default_options(void) {
  return "quarantine_size_mb=1:malloc_context_size=8:detect_stack_use_after_return=0";
}
const char *__lsan_default_suppressions(void) { return "leak:" FUZZ_LEAKS "\n"; }
const char *__lsan_default_options(void) { return "print_suppressions=0"; }

/* --- planted bugs ----------------------------------------------------------------- */

/* The words that trigger them; NULL for none. */
#ifndef FUZZ_PLANT
#define FUZZ_PLANT NULL
#endif
#ifndef FUZZ_PLANT_LOOP
#define FUZZ_PLANT_LOOP NULL
#endif

/* Searches without memmem(), whose arguments libFuzzer adds to its dictionary. */
FUZZ_UNOBSERVED static bool contains(const uint8_t *data, size_t size, const char *word) {
  for (size_t from = 0; word && from < size; from++) {
    size_t length = 0;
    while (from + length < size && word[length] &&
           data[from + length] == (unsigned char)word[length])
      length++;
    if (word[length] == '\0') return true;
  }
  return false;
}

/* Reads beyond the end of a buffer if the input contains the word FUZZ_PLANT. Never ends
 * if it contains FUZZ_PLANT_LOOP. */
static void plant(const uint8_t *data, size_t size) {
  volatile unsigned sum = 0;
  if (contains(data, size, FUZZ_PLANT)) {
    volatile size_t length = 8;
    volatile char *block = malloc(length);
    sum = (unsigned)block[length];
    free((void *)(uintptr_t)block);
  }
  while (contains(data, size, FUZZ_PLANT_LOOP)) sum++;
}

/* --- processor time --------------------------------------------------------------- */

/* libFuzzer's own limit is of elapsed time, in which a starved process does little. This
 * timer ticks once in a second of processor time. `calls` is odd while an input runs. */
static volatile unsigned calls;
static unsigned limit;

static void tick(int signal) {
  static unsigned seen, ticks;
  (void)signal;
  ticks = calls == seen && calls % 2 ? ticks + 1 : 0;
  seen = calls;
  if (limit == 0 || ticks < limit) return;
  dprintf(STDERR_FILENO, "needs more than %u s of processor time\n", limit);
  abort();
}

/* Starts the timer. FUZZ_LIMIT is the limit in seconds. */
static void start_timer(void) {
  const char *seconds = getenv("FUZZ_LIMIT");
  struct itimerval second = {{1, 0}, {1, 0}};
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  limit = seconds ? (unsigned)strtoul(seconds, NULL, 10) : 0;
  if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &second, NULL)) abort();
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (calls == 0) start_timer();
  calls++;
  plant(data, size);
  int result = __real_LLVMFuzzerTestOneInput(data, size);
  calls++;
  return result;
}

/* --- parts ----------------------------------------------------------------------- */

static size_t take_length(const uint8_t *data, size_t size) {
  size_t length = (size_t)(data[0] | data[1] << 8);
  return length > size - 2 ? size - 2 : length;
}

/* Splits an input into parts. They point into the input. */
static void find_parts(const uint8_t *data, size_t size, fuzz_part *parts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool last = i == count - 1 || size < 2;
    size_t length = last ? size : take_length(data, size), prefix = last ? 0 : 2;
    parts[i] = (fuzz_part){data + prefix, length};
    data += prefix + length;
    size -= prefix + length;
  }
}

/* Copies each part to its own memory, which lasts until the next input. */
void fuzz_parts(const uint8_t *data, size_t size, fuzz_part *parts, size_t count) {
  static uint8_t *copies[FUZZ_MAX_PARTS];
  find_parts(data, size, parts, count);
  for (size_t i = 0; i < count; i++) {
    free(copies[i]);
    copies[i] = malloc(parts[i].size);
    if (!copies[i] && parts[i].size > 0) abort();
    if (parts[i].size > 0) memcpy(copies[i], parts[i].bytes, parts[i].size);
    parts[i].bytes = copies[i];
  }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size,
                                 const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t most, unsigned seed);

/* Writes parts as an input, truncated to `most` bytes. Returns its size. */
static size_t join(const fuzz_part *parts, uint8_t *out, size_t most) {
  size_t used = 0;
  for (size_t i = 0; i < fuzz_part_count; i++) {
    bool last = i == fuzz_part_count - 1;
    size_t prefix = last ? 0 : 2, length = parts[i].size;
    if (used + prefix > most) break;
    if (length > most - used - prefix) length = most - used - prefix;
    if (!last && length > UINT16_MAX) length = UINT16_MAX;
    if (!last) {
      out[used] = (uint8_t)length;
      out[used + 1] = (uint8_t)(length >> 8);
    }
    if (length > 0) memcpy(out + used + prefix, parts[i].bytes, length);
    used += prefix + length;
  }
  return used;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  fuzz_part parts[FUZZ_MAX_PARTS];
  uint8_t *copy = malloc(size + 1), *changed = malloc(most + 1);
  if (!copy || !changed) abort();
  if (size > 0) memcpy(copy, data, size);
  find_parts(copy, size, parts, fuzz_part_count);
  fuzz_part *part = &parts[seed % fuzz_part_count];
  size_t room = most > size ? part->size + (most - size) : part->size;
  if (part->size > 0) memcpy(changed, part->bytes, part->size);
  part->size = LLVMFuzzerMutate(changed, part->size, room > 0 ? room : 1);
  part->bytes = changed;
  size = join(parts, data, most);
  free(copy);
  free(changed);
  return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size,
                                 const uint8_t *other, size_t other_size, uint8_t *out,
                                 size_t most, unsigned seed) {
  fuzz_part parts[FUZZ_MAX_PARTS], others[FUZZ_MAX_PARTS];
  find_parts(one, one_size, parts, fuzz_part_count);
  find_parts(other, other_size, others, fuzz_part_count);
  parts[seed % fuzz_part_count] = others[seed % fuzz_part_count];
  return join(parts, out, most);
}

/* --- files ----------------------------------------------------------------------- */

fuzz_file fuzz_make_file(fuzz_part part, unsigned number) {
  static struct {
    int file;
    char path[32];
  } files[2];
  int *file = &files[number].file;
  if (*file == 0) {
    *file = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(files[number].path, sizeof files[number].path, "/proc/self/fd/%d", *file);
  }
  if (*file < 0 || ftruncate(*file, 0) < 0 ||
      pwrite(*file, part.bytes, part.size, 0) != (ssize_t)part.size ||
      lseek(*file, 0, SEEK_SET) < 0)
    abort();
  return (fuzz_file){*file, files[number].path};
}

fuzz_part fuzz_with_checksum(fuzz_part file, bool big_endian) {
  static unsigned char *copies[2];
  static unsigned number;
  if (file.size < 4) return file;
  unsigned char **copy = &copies[number++ % 2];
  free(*copy);
  *copy = malloc(file.size);
  if (!*copy) abort();
  memcpy(*copy, file.bytes, file.size);
  gp_crc32 crc;
  gp_crc32_init(&crc);
  gp_crc32_add(&crc, *copy, file.size - 4);
  gp_put_u32(*copy + file.size - 4, gp_crc32_value(&crc),
             (gp_layout){.big_endian = big_endian});
  return (fuzz_part){*copy, file.size};
}

fuzz_file fuzz_catch_output(void) {
  static bool caught;
  if (!caught) {
    int file = memfd_create("output", 0);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || close(file) < 0) abort();
    caught = true;
  }
  if (ftruncate(STDOUT_FILENO, 0) < 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0) abort();
  return (fuzz_file){STDOUT_FILENO, "/proc/self/fd/1"};
}

size_t fuzz_piece;
/* ld --wrap requires these names: NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl*) */
ssize_t __real_read(int file, void *to, size_t size);
ssize_t __wrap_read(int file, void *to, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl*) */

/* The linker replaces read() with this function (--wrap=read). */
ssize_t __wrap_read(int file, void *to, size_t size) {
  return __real_read(file, to, fuzz_piece > 0 && fuzz_piece < size ? fuzz_piece : size);
}

/* --- checks ------------------------------------------------------------------------ */

void fuzz_broken(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  abort();
}

void fuzz_check_error(bool done, gp_error *error) {
  FUZZ_HOLDS(done == (error->text[0] == '\0'));
  FUZZ_HOLDS(memchr(error->text, '\0', sizeof error->text));
  FUZZ_HOLDS(!strpbrk(error->text, "\n\r"));
  error->text[0] = '\0';
}
