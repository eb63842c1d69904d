/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts how often each basic block of a program runs, and leaves the counts in its
 * profile, where gprof -l -A -x finds them:
 *
 *     cc -g -pg -fsanitize-coverage=trace-pc prog.c -lgprof-blocks
 *
 * (and -fno-optimize-sibling-calls from -O2 on). Without -pg the profile has nothing but
 * blocks. doc/blocks.md tells more. This file stands alone: it can be compiled by itself,
 * without any of these options, and linked like any other.
 *
 * The compiler puts a call of __sanitizer_cov_trace_pc at the start of each block. Each
 * thread counts these calls in a table of its own, which has a cell for every four bytes
 * of code; memory that is never touched costs nothing. Tables are never given back, but
 * passed on to the next thread: so no count is ever moved while the program runs, and at
 * the end all tables are added up. There are no locks.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How far before the address to which a call returns it begins: there the block, and
 * mostly the line, begins, too. Elsewhere an address in the call has to do. */
#if defined __x86_64__ || defined __i386__
#define CALL_SIZE 5u
#elif defined __aarch64__ || defined __riscv || defined __powerpc__
#define CALL_SIZE 4u
#elif defined __s390__
#define CALL_SIZE 6u
#else
#define CALL_SIZE 1u
#endif

/* A cell: the count in the upper 62 bits, and below it where in its bytes of code the
 * call begins, once it has been counted. No two calls begin in the same four bytes. */
#define BYTES_PER_CELL 4u
#define ONE UINT64_C(4)

/* Of a profile, in bytes. */
#define HEADER_SIZE ((size_t)20)

typedef struct table {
  struct table *next;
  bool busy;         /* some thread counts here */
  uint64_t cell[];
} table;

typedef struct range {
  uintptr_t start, size;  /* in bytes */
  uintptr_t linked;       /* where the linker had put it, as profiles tell it */
} range;

/* The program's code, not shared objects'. While it is empty nothing is counted. */
static range code;
static size_t cells;        /* in a table */

static table *tables;       /* of all threads there ever were */
static table *common;       /* not among them: of threads for which there is no memory */
static _Thread_local table *own;
static _Thread_local bool taking;  /* this thread is looking for its own table */
static pthread_key_t leaving;      /* tells when a thread ends */
static int profile = -1;           /* the file that glibc writes, if it does */
static char name[PATH_MAX] = "gmon.out";  /* of the profile */
static char growing[PATH_MAX + 32];       /* and of one that is to take its place */

/* What is being written. No memory is asked for at the end: there may be none. */
static struct {
  int file, error;  /* errno of the first failure */
  size_t used;
  unsigned char window[1 << 15];
} out;

/* Defined exactly in programs linked with -pg. */
extern void __gmon_start__(void) __attribute__((weak));

void __sanitizer_cov_trace_pc(void) __attribute__((visibility("default")));

#define NO_MEMORY "not enough memory for block counts"

/* No more is done about any trouble: the program is to end as it would without us. */
static void complain(const char *what) {
  dprintf(STDERR_FILENO, "libgprof-blocks: %s: %s\n", name, what);
}

/* --- counting --------------------------------------------------------------- */

/* Memory that reads as zero; NULL if there is none. */
static void *map(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static size_t table_size(void) {
  return sizeof(table) + cells * sizeof(uint64_t);
}

/* A table that no thread uses, or a new one; NULL if there is no memory. */
static table *take_table(void) {
  for (table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next)
    if (!__atomic_exchange_n(&t->busy, true, __ATOMIC_ACQUIRE)) return t;
  table *t = map(table_size());
  if (!t) return NULL;
  t->busy = true;
  t->next = __atomic_load_n(&tables, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&tables, &t->next, t, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {}
  return t;
}

/* Counts where others may be counting, too. */
static void count_shared(table *t, uintptr_t at) {
  uint64_t *cell = &t->cell[at / BYTES_PER_CELL];
  __atomic_fetch_or(cell, at % BYTES_PER_CELL, __ATOMIC_RELAXED);
  __atomic_fetch_add(cell, ONE, __ATOMIC_RELAXED);
}

/* A block of a thread that has no table: its first one, or one of a signal handler, or
 * of somebody's mmap, that runs while the table is being looked for. A key's value is
 * set without any allocation: ours is one of the first keys. */
static __attribute__((noinline, cold)) void count_first(uintptr_t at) {
  int saved = errno;
  if (!taking) {
    taking = true;
    table *t = take_table();
    if (t) pthread_setspecific(leaving, t);
    own = t;
    taking = false;
  }
  count_shared(own ? own : common, at);
  errno = saved;
}

/* Where no other thread counts: in one instruction, so that no signal handler that
 * counts the same block can come in between. */
static inline void count(uint64_t *cell) {
#ifdef __x86_64__
  __asm__("addq %1, %0" : "+m"(*cell) : "i"(ONE) : "cc");
#else
  __atomic_fetch_add(cell, ONE, __ATOMIC_RELAXED);
#endif
}

void __sanitizer_cov_trace_pc(void) {
  uintptr_t call = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)) -
                   CALL_SIZE;
  uintptr_t at = call - code.start;
  if (__builtin_expect(at >= __atomic_load_n(&code.size, __ATOMIC_RELAXED), 0)) return;
  if (__builtin_expect(!own, 0)) {
    count_first(at);
    return;
  }
  uint64_t *cell = &own->cell[at / BYTES_PER_CELL];
  if (__builtin_expect(*cell == 0, 0))
    __atomic_fetch_or(cell, at % BYTES_PER_CELL, __ATOMIC_RELAXED);
  count(cell);
}

/* --- threads and processes come and go -------------------------------------- */

/* A thread ends. What runs of it after this takes a table anew. */
static void leave(void *table_of_thread) {
  table *t = table_of_thread;
  own = NULL;
  __atomic_store_n(&t->busy, false, __ATOMIC_RELEASE);
}

/* Sets all cells to zero, and hardly touches memory. */
static void wipe(table *t) {
  table header = *t;
  if (madvise(t, table_size(), MADV_DONTNEED) != 0)
    memset(t->cell, 0, cells * sizeof(uint64_t));
  *t = header;
}

/* A child begins with no counts: what ran before the fork is in its parent's profile, and
 * is not to be found twice in the sum. The other threads are not there any more. */
static void begin_child(void) {
  int saved = errno;
  wipe(common);
  for (table *t = tables; t; t = t->next) {
    wipe(t);
    t->busy = t == own;
  }
  errno = saved;
}

/* Finds the code of the program, which is the first object of all. */
static int find_code(struct dl_phdr_info *object, size_t size, void *found) {
  (void)size;
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    uintptr_t end = segment->p_vaddr + segment->p_memsz;
    if (segment->p_vaddr < low) low = segment->p_vaddr;
    if (end > high) high = end;
  }
  if (low < high) *(range *)found = (range){object->dlpi_addr + low, high - low, low};
  return 1;
}

/* Runs before all constructors; what the linker resolves before that, ifuncs, is not
 * counted. */
static void start(void) {
  range found = {0, 0, 0};
  dl_iterate_phdr(find_code, &found);
  code.start = found.start;
  code.linked = found.linked;
  cells = found.size / BYTES_PER_CELL + 1;
  common = map(table_size());
  if (common && pthread_key_create(&leaving, leave) == 0 &&
      pthread_atfork(NULL, NULL, begin_child) == 0)
    __atomic_store_n(&code.size, found.size, __ATOMIC_RELEASE);
  else
    complain(NO_MEMORY);
}

/* --- the profile's name ----------------------------------------------------- */

/* Opens the profile, or beside it a file that is to take its place. */
static int open_name(const char *prefix, bool beside) {
  const long process = (long)getpid();
  int length = prefix ? snprintf(name, sizeof name, "%s.%ld", prefix, process)
                      : snprintf(name, sizeof name, "gmon.out");
  if (length < 0 || (size_t)length >= sizeof name) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int how = O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  if (!beside) return open(name, how | O_TRUNC | O_RDWR, 0666);
  snprintf(growing, sizeof growing, "%s.%ld.tmp", name, process);
  unlink(growing);  /* of somebody killed */
  return open(growing, how | O_EXCL | O_WRONLY, 0666);
}

/* The same by the name that glibc gives the profile. */
static int open_profile(bool beside) {
  const char *prefix = secure_getenv("GMON_OUT_PREFIX");
  int file = prefix ? open_name(prefix, beside) : -1;
  return file < 0 ? open_name(NULL, beside) : file;
}

/* Runs in the moment before glibc's own exit handler, which writes the profile: does what
 * that does first, so that nothing in the file is of an earlier run; and holds on to the
 * file, whatever directory destructors may change to. */
static void claim(void) {
  profile = open_profile(false);
  if (profile < 0) complain(strerror(errno));
}

/* Runs before all other constructors, so that their exit handlers run before ours. That
 * of glibc is registered by now. */
static void prepare(void) {
  if (__gmon_start__ && atexit(claim) != 0) complain(NO_MEMORY);
}

/* --- writing ---------------------------------------------------------------- */

static bool flush(void) {
  for (size_t done = 0; done < out.used && !out.error;) {
    ssize_t now = write(out.file, out.window + done, out.used - done);
    if (now > 0) done += (size_t)now;
    if (now < 0 && errno != EINTR) out.error = errno;
  }
  out.used = 0;
  return !out.error;
}

static void put(const void *bytes, size_t size) {
  if (sizeof out.window - out.used < size) flush();
  memcpy(out.window + out.used, bytes, size);
  out.used += size;
}

/* --- the record ------------------------------------------------------------- */

/* Adds up all tables in the common one. */
static void add_up(void) {
  for (const table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next)
    for (size_t i = 0; i < cells; i++) {
      uint64_t cell = __atomic_load_n(&t->cell[i], __ATOMIC_RELAXED);
      if (cell == 0) continue;
      __atomic_fetch_or(&common->cell[i], cell % ONE, __ATOMIC_RELAXED);
      __atomic_fetch_add(&common->cell[i], cell - cell % ONE, __ATOMIC_RELAXED);
    }
}

/* Whether at an address there is a call of ours. At the end of a function the compiler
 * may have made a jump of it, which returns to where that function had been called. */
static bool is_call(uintptr_t address) {
#ifdef __x86_64__
  int32_t distance;
  memcpy(&distance, (const char *)address + 1, sizeof distance);
  uintptr_t target = address + CALL_SIZE + (uintptr_t)(intptr_t)distance;
  return *(const unsigned char *)address == 0xe8 &&
         target == (uintptr_t)__sanitizer_cov_trace_pc;
#else
  return address != 0;
#endif
}

/* The place in the code that a cell counts. */
static uintptr_t place(size_t cell) {
  return cell * BYTES_PER_CELL + (uintptr_t)(common->cell[cell] % ONE);
}

/* How many entries of the record a count takes: in each it is as wide as an address, and
 * readers add them up. */
static size_t entries_of(uint64_t count) {
  return (size_t)(count / UINTPTR_MAX + (count % UINTPTR_MAX != 0));
}

/* Counts the entries of the record, and leaves out what is none of our calls. */
static size_t count_entries(void) {
  size_t entries = 0, others = 0;
  for (size_t i = 0; i < cells; i++) {
    if (common->cell[i] == 0) continue;
    if (is_call(code.start + place(i))) {
      entries += entries_of(common->cell[i] / ONE);
    } else {
      others++;
      common->cell[i] = 0;
    }
  }
  if (others > 0)
    complain("some blocks are left out; compile with -fno-optimize-sibling-calls");
  return entries;
}

static void put_entries(size_t entries) {
  for (size_t i = 0; i < cells && entries > 0; i++) {
    const uintptr_t address = code.linked + place(i);
    uint64_t left = common->cell[i] / ONE;
    for (; left > 0 && entries > 0; entries--) {
      const uintptr_t now = left > UINTPTR_MAX ? UINTPTR_MAX : (uintptr_t)left;
      put(&address, sizeof address);
      put(&now, sizeof now);
      left -= now;
    }
  }
}

static void put_header(void) {
  const uint32_t version = 1;
  const char spare[12] = {0};
  put("gmon", 4);
  put(&version, sizeof version);
  put(spare, sizeof spare);
}

static void put_record(void) {
  const size_t entries = count_entries();
  const uint32_t number = (uint32_t)entries;
  const unsigned char tag = 2;
  put(&tag, sizeof tag);
  put(&number, sizeof number);
  put_entries(entries);
}

/* --- the file --------------------------------------------------------------- */

/* Whether a file of so many bytes is what glibc writes, a histogram and then arcs: it
 * takes no notice of a full disk. */
static bool is_whole(int file, uint64_t size) {
  struct __attribute__((packed)) {
    char header[HEADER_SIZE], tag;
    uintptr_t low, high;
    uint32_t bins, rate;
    char unit[16];
  } head;
  const size_t arc = 1 + 2 * sizeof(uintptr_t) + sizeof(uint32_t);
  if (pread(file, &head, sizeof head, 0) != (ssize_t)sizeof head) return false;
  const uint64_t end = sizeof head + (uint64_t)head.bins * sizeof(uint16_t);
  return memcmp(head.header, "gmon", 4) == 0 && end <= size && (size - end) % arc == 0;
}

/* Puts the record behind what glibc has written, or everything into an empty file. Tells
 * what went wrong, or NULL; then the file is as it was. */
static const char *append(void) {
  const off_t end = lseek(profile, 0, SEEK_END);
  if (end > 0 && !is_whole(profile, (uint64_t)end))
    return "is incomplete, and gets no block counts";
  out.file = profile;
  if (end == 0) put_header();
  put_record();
  if (!flush() && ftruncate(profile, end) != 0) return "ends in the middle of a record";
  if (close(profile) != 0 && !out.error) out.error = errno;
  return out.error ? strerror(out.error) : NULL;
}

/* Makes a file, which gets its name when it is complete. Tells what went wrong, or
 * NULL. */
static const char *create(void) {
  out.file = open_profile(true);
  if (out.file < 0) return strerror(errno);
  put_header();
  put_record();
  bool done = flush();
  if (close(out.file) != 0) done = false;
  if (done && rename(growing, name) == 0) return NULL;
  const char *reason = strerror(out.error ? out.error : errno);
  unlink(growing);
  return reason;
}

/* Runs after all other destructors. A file that gets too large may raise a signal, which
 * is nothing that the program should die of. */
static void finish(void) {
  const bool linked_with_pg = __gmon_start__;
  if (code.size == 0 || (linked_with_pg && profile < 0)) return;
  sigset_t all, before, too_large;
  int cancelling;
  sigfillset(&all);
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  __atomic_store_n(&code.size, 0, __ATOMIC_RELAXED);
  add_up();
  const char *trouble = linked_with_pg ? append() : create();
  if (trouble) complain(trouble);
  if (!sigismember(&before, SIGXFSZ))
    sigtimedwait(&too_large, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_setcancelstate(cancelling, &cancelling);
}

/* The linker sorts constructors and destructors by these numbers, and the latter run in
 * reverse. */
#define IN(section_name) __attribute__((section(section_name), used))
IN(".preinit_array") static void (*const before_all)(void) = start;
IN(".init_array.00000") static void (*const first_of_all)(void) = prepare;
IN(".fini_array.00000") static void (*const last_of_all)(void) = finish;
