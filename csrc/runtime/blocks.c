/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts how often each basic block of a program runs, and adds the counts to its
 * profile, for gprof -l -A -x:
 *
 *     cc -g -pg -fsanitize-coverage=trace-pc prog.c -lgprof-blocks
 *
 * At -O2 and above, add -fno-optimize-sibling-calls. Without -pg the profile has only
 * block counts. See doc/blocks.md. This file has no dependencies: it can be compiled
 * separately, without any of these options.
 *
 * The compiler puts a call of __sanitizer_cov_trace_pc at the start of each block. Each
 * thread counts these calls in its own table, which has a cell for every four bytes of
 * code; untouched pages take no memory. When a thread ends, its counts are added to a
 * common table, and the next new thread reuses the ended thread's table. At exit the
 * remaining tables are added. There are no locks.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for dl_iterate_phdr, when users compile this file themselves */
#endif
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
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Size of a call instruction in bytes. The call starts at the return address minus this
 * size. Its start is in the block, usually on the block's first line. On other machines,
 * a size of 1 gives an address within the call. */
#if defined __x86_64__ || defined __i386__
#define CALL_SIZE 5u
#elif defined __aarch64__ || defined __riscv || defined __powerpc__
#define CALL_SIZE 4u
#elif defined __s390__
#define CALL_SIZE 6u
#else
#define CALL_SIZE 1u
#endif

/* The upper 62 bits of a cell are the count. If the count is not 0, the lower two bits
 * are the offset of the call in the cell's four bytes of code. No two calls begin in the
 * same four bytes. */
#define BYTES_PER_CELL 4u
#define ONE UINT64_C(4)

/* Size of a profile's header in bytes. */
#define HEADER_SIZE ((size_t)20)

/* Tables have whole pages of cells. At exit, only pages that were used are read. */
#define CELLS_PER_PAGE ((size_t)512)
#define PAGE (CELLS_PER_PAGE * sizeof(uint64_t))

/* States of a table: unused, used by a thread, being added to the common table by a
 * thread that ends, being copied for the recorder, added at exit. */
typedef enum state { UNUSED, USED, ENDING, COPIED, ADDED } state;

typedef struct table {
  struct table *next;
  state state;
  _Alignas(PAGE) uint64_t cell[];  /* after the cells, a byte per page: whether it was
                                      used */
} table;

typedef struct range {
  uintptr_t start, size;  /* in bytes */
  uintptr_t linked;       /* link-time address of the start, as in profiles */
} range;

/* Which file a descriptor refers to. */
typedef struct open_file {
  dev_t device;
  ino_t inode;
  int flags;  /* access mode and O_APPEND; -1 if the descriptor is closed */
} open_file;

/* The code of the program, without shared objects. While this range is empty, nothing is
 * counted. */
static range code;
static size_t cells, pages;  /* numbers of cells and pages in each table */

static table *tables;       /* list of the tables of current and former threads */
static table *common;       /* not in `tables`; also used by threads that get no memory */
static table *earlier;      /* the counts in the recorder's earlier profiles */
static const table *result; /* the table that is written */
static bool recorded;       /* the recorder writes the counts */
static bool incomplete;     /* some blocks are missing */
static _Thread_local table *own;   /* this thread's table, or NULL */
static _Thread_local bool tried;   /* this thread has called take_table */
static pthread_key_t leaving;      /* key whose destructor runs at the end of a thread */
static int profile = -1;           /* descriptor of glibc's profile; -1 if none */
static char name[PATH_MAX] = "gmon.out";  /* path of the profile */
static char temporary[PATH_MAX + 32];     /* temporary path of a new profile */
static open_file messages;                /* standard error at the start */
static const char *trouble;               /* why counts cannot be written; usually NULL */

/* The output buffer; static, because there may be no memory at exit. */
static struct {
  int file, error;  /* `error` is the errno of the first failure */
  size_t used;
  unsigned char window[1 << 15];
} out;

/* Defined only in programs linked with -pg. */
extern void __gmon_start__(void) __attribute__((weak));

void __sanitizer_cov_trace_pc(void) __attribute__((visibility("default")));

#define NO_MEMORY "not enough memory for block counts"

/* Returns the file that descriptor 2 refers to. */
static open_file find_standard_error(void) {
  struct stat file;
  const int flags = fcntl(STDERR_FILENO, F_GETFL);
  if (flags < 0 || fstat(STDERR_FILENO, &file) != 0) return (open_file){.flags = -1};
  return (open_file){file.st_dev, file.st_ino, flags & (O_ACCMODE | O_APPEND)};
}

/* Reports an error, at exit. Has no other effect: the program must end as it would
 * without this library. The program may have closed standard error and opened another
 * file; nothing is written to that file. */
static void complain(const char *what) {
  const open_file now = find_standard_error();
  if (now.flags >= 0 && now.flags == messages.flags && now.inode == messages.inode &&
      now.device == messages.device) {
    for (char *at = name; *at != '\0'; at++)
      if ((unsigned char)*at < ' ' || *at == 0x7f) *at = '?'; /* no lines of their own */
    dprintf(STDERR_FILENO, "libgprof-blocks: %s: %s\n", name, what);
  }
}

/* --- counting --------------------------------------------------------------- */

/* Makes a system call without the C library; returns a negative number on failure. The
 * recorder may take a snapshot in its own thread, which shares the thread-local storage
 * of an interrupted thread. So this code must not change errno, bind symbols, or call
 * functions that the program may replace. runtime/linux.h has the same function, but this
 * file has no dependencies. */
#if defined __x86_64__ && defined __LP64__
#define HAS_RECORDER 1
static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long status;
  __asm__ volatile("syscall"
                   : "=a"(status)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return status;
}
#elif defined __aarch64__ && defined __LP64__
#define HAS_RECORDER 1
static long system_call(long number, long a, long b, long c, long d, long e, long f) {
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
}
#else
#define HAS_RECORDER 0
#define system_call(number, ...) syscall(number, __VA_ARGS__)
#endif

static void yield(void) { system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0); }

#define MAP_ACCESS (PROT_READ | PROT_WRITE)
#define MAP_FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* Allocates zeroed memory; NULL on failure. */
static void *map(size_t size) {
  void *memory = mmap(NULL, size, MAP_ACCESS, MAP_FLAGS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static size_t table_size(void) {
  return sizeof(table) + pages * (PAGE + 1);
}

/* Returns the bytes after the cells: whether each page was used. */
static uint8_t *used_pages(const table *t) {
  return (uint8_t *)(uintptr_t)&t->cell[cells];
}

/* Changes the state of a table, if it is `from`. */
static bool change_state(table *t, state from, state to) {
  return __atomic_compare_exchange_n(&t->state, &from, to, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

/* Returns an unused table, or a new one; NULL if there is no memory. */
static table *take_table(void) {
  for (table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next)
    if (change_state(t, UNUSED, USED)) return t;
  table *t = map(table_size());
  if (!t) return NULL;
  t->state = USED;
  t->next = __atomic_load_n(&tables, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&tables, &t->next, t, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {}
  return t;
}

/* Adds to the count of a cell. The table may be changed by several threads. */
static void add(table *t, size_t cell, uint64_t count) {
  if (__atomic_load_n(&t->cell[cell], __ATOMIC_RELAXED) == 0) {
    __atomic_store_n(&used_pages(t)[cell / CELLS_PER_PAGE], 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&t->cell[cell], count % ONE, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&t->cell[cell], count - count % ONE, __ATOMIC_RELAXED);
}

/* Counts a block that this thread has not counted yet. If there is no memory for a table,
 * the thread counts in `common`, and does not try again. A signal handler or a replaced
 * mmap may call this while take_table runs; then the block is also counted in `common`.
 * pthread_setspecific does not allocate, because our key is among the first. */
static __attribute__((noinline, cold)) void count_first(uintptr_t at) {
  if (!tried) {
    int saved = errno;
    tried = true;
    table *t = take_table();
    if (t) pthread_setspecific(leaving, t);
    own = t;
    errno = saved;
  }
  add(own ? own : common, at / BYTES_PER_CELL, ONE + at % BYTES_PER_CELL);
}

/* Counts a block in the thread's own table. On x86-64 this is a single instruction,
 * because a signal handler of this thread may count the same block. */
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
  table *t = own;
  if (__builtin_expect(!t || t->cell[at / BYTES_PER_CELL] == 0, 0))
    count_first(at);
  else
    count(&t->cell[at / BYTES_PER_CELL]);
}

/* --- start and end of threads and processes --------------------------------- */

/* Returns the first cell from `cell` on that has a count; `cells` if there is none. */
static size_t next_count(const table *t, size_t cell) {
  const uint8_t *used = used_pages(t);
  while (cell < cells) {
    const size_t page = cell / CELLS_PER_PAGE;
    if (!__atomic_load_n(&used[page], __ATOMIC_RELAXED))
      cell = (page + 1) * CELLS_PER_PAGE;
    else if (__atomic_load_n(&t->cell[cell], __ATOMIC_RELAXED) == 0)
      cell++;
    else
      break;
  }
  return cell;
}

/* Adds table `t` to table `sum`. */
static void add_table(table *sum, const table *t) {
  for (size_t i = next_count(t, 0); i < cells; i = next_count(t, i + 1))
    add(sum, i, __atomic_load_n(&t->cell[i], __ATOMIC_RELAXED));
}

/* Sets all cells to zero. MADV_DONTNEED also frees their memory; it fails if the memory
 * is locked. */
static void wipe(table *t) {
  if (system_call(SYS_madvise, (long)t->cell, (long)(table_size() - sizeof *t),
                  MADV_DONTNEED, 0, 0, 0) == 0)
    return;
  for (size_t i = next_count(t, 0); i < cells; i = next_count(t, i + 1)) t->cell[i] = 0;
  for (size_t i = 0; i < pages; i++)
    __atomic_store_n(&used_pages(t)[i], 0, __ATOMIC_RELAXED); /* not turned into memset */
}

/* Runs when a thread ends. The blocks that the thread runs afterwards are counted in the
 * common table. Blocks signals, because a handler may call exit, which would wait for
 * this function. */
static void leave(void *table_of_thread) {
  table *t = table_of_thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  own = NULL;
  while (!change_state(t, USED, ENDING) &&
         __atomic_load_n(&t->state, __ATOMIC_RELAXED) != ADDED)
    yield();
  if (__atomic_load_n(&t->state, __ATOMIC_RELAXED) == ENDING) {
    add_table(common, t);
    wipe(t);
    change_state(t, ENDING, UNUSED);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Resets the counts in a forked child: the parent's profile has the counts from before
 * the fork, and they must not be counted twice in a sum. Only the forking thread exists
 * in the child. */
static void begin_child(void) {
  int saved = errno;
  wipe(common);
  if (earlier) wipe(earlier);
  for (table *t = tables; t; t = t->next) {
    wipe(t);
    t->state = t == own ? USED : UNUSED;
  }
  errno = saved;
}

/* Finds the code of the program, which is the first object reported. */
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

/* Runs before all constructors. Resolvers of ifuncs run even earlier and are not
 * counted. Neither are programs with the privileges of another user. */
static void start(void) {
  range found = {0, 0, 0};
  if (getauxval(AT_SECURE)) return;
  messages = find_standard_error();
  dl_iterate_phdr(find_code, &found);
  code.start = found.start;
  code.linked = found.linked;
  pages = found.size / (BYTES_PER_CELL * CELLS_PER_PAGE) + 1;
  cells = pages * CELLS_PER_PAGE;
  common = map(table_size());
  if (common && pthread_key_create(&leaving, leave) == 0 &&
      pthread_atfork(NULL, NULL, begin_child) == 0)
    __atomic_store_n(&code.size, found.size, __ATOMIC_RELEASE);
  else
    trouble = NO_MEMORY;
}

/* --- the profile's name ----------------------------------------------------- */

/* Avoids the descriptors of closed standard streams: destructors may still write
 * there. */
static int above_streams(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  close(file);
  errno = error;
  return moved;
}

/* Opens the profile, or a temporary file in the same directory. The user has not typed
 * the name, so a link or a device is an error. */
static int open_name(const char *prefix, bool is_temporary) {
  const long process = (long)getpid();
  int length = prefix ? snprintf(name, sizeof name, "%s.%ld", prefix, process)
                      : snprintf(name, sizeof name, "gmon.out");
  if (length < 0 || (size_t)length >= sizeof name) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const int flags = O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  struct stat old;
  if (lstat(name, &old) == 0 && !S_ISREG(old.st_mode)) {
    errno = S_ISDIR(old.st_mode) ? EISDIR : S_ISLNK(old.st_mode) ? ELOOP : EEXIST;
    return -1;
  }
  if (!is_temporary) return above_streams(open(name, flags | O_TRUNC | O_RDWR, 0666));
  snprintf(temporary, sizeof temporary, "%s.%ld.tmp", name, process);
  unlink(temporary);  /* left by a killed process with the same id */
  return open(temporary, flags | O_EXCL | O_WRONLY, 0666);
}

/* Opens the profile under the name that glibc gives it, or a temporary file next to
 * it. */
static int open_profile(bool is_temporary) {
  const char *prefix = secure_getenv("GMON_OUT_PREFIX");
  int file = prefix ? open_name(prefix, is_temporary) : -1;
  return file < 0 ? open_name(NULL, is_temporary) : file;
}

/* Runs immediately before glibc's exit handler, which writes the profile. Opens and
 * truncates the file as glibc does, so that it contains nothing from an earlier run.
 * Keeps it open, because destructors may change the directory. */
static void claim(void) {
  if (recorded) return;
  profile = open_profile(false);
  if (profile < 0) trouble = strerror(errno);
}

/* Runs before all other constructors, so that their exit handlers run before ours.
 * glibc's exit handler is registered already, so it runs after ours. */
static void prepare(void) {
  if (code.size > 0 && __gmon_start__ && atexit(claim) != 0) trouble = NO_MEMORY;
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

typedef void put_function(const void *bytes, size_t size);

static void put(const void *bytes, size_t size) {
  if (sizeof out.window - out.used < size) flush();
  memcpy(out.window + out.used, bytes, size);
  out.used += size;
}

/* --- the record ------------------------------------------------------------- */

/* Adds the tables of running threads to the common one. Waits for threads that are adding
 * their tables. */
static void add_up(void) {
  for (table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next) {
    if (change_state(t, USED, ADDED)) add_table(common, t);
    while (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == ENDING)
      nanosleep(&(struct timespec){0, 100000}, NULL);
  }
}

/* Whether the code at `address` calls __sanitizer_cov_trace_pc. At the end of a function
 * the compiler may have turned the call into a jump. Then the return address is in the
 * function's caller. With -fno-plt, the call may be through a slot of the GOT; it then
 * begins one byte before `address`. */
static bool is_call(uintptr_t address) {
#ifdef __x86_64__
  const unsigned char *bytes = (const unsigned char *)address;
  int32_t distance;
  uintptr_t slot;
  memcpy(&distance, bytes + 1, sizeof distance);
  uintptr_t target = address + CALL_SIZE + (uintptr_t)(intptr_t)distance;
  if (bytes[0] == 0xe8) return target == (uintptr_t)__sanitizer_cov_trace_pc;
  __asm__("lea __sanitizer_cov_trace_pc@GOTPCREL(%%rip), %0" : "=r"(slot));
  return bytes[0] == 0x15 && target == slot && address > code.start && bytes[-1] == 0xff;
#else
  return address != 0;
#endif
}

/* Returns the offset, in the code, of the call that a cell counts. */
static uintptr_t offset_of(size_t cell) {
  return cell * BYTES_PER_CELL + (uintptr_t)(result->cell[cell] % ONE);
}

/* Returns the count of a cell, without the counts in earlier profiles. */
static uint64_t count_of(size_t cell) {
  return result->cell[cell] / ONE - (earlier ? earlier->cell[cell] / ONE : 0);
}

/* Returns the number of entries for a count. An entry's count is as wide as an address; a
 * larger count is split over several entries, which readers sum. */
static size_t entries_of(uint64_t count) {
  return (size_t)(count / UINTPTR_MAX + (count % UINTPTR_MAX != 0));
}

/* Returns the number of entries in the block record. Leaves out cells that do not belong
 * to a call. */
static size_t count_entries(void) {
  size_t entries = 0;
  for (size_t i = next_count(result, 0); i < cells; i = next_count(result, i + 1))
    if (is_call(code.start + offset_of(i)))
      entries += entries_of(count_of(i));
    else
      incomplete = true;
  return entries;
}

static void put_entries(size_t entries, put_function *put_bytes) {
  for (size_t i = 0; entries > 0 && (i = next_count(result, i)) < cells; i++) {
    const uintptr_t address = code.linked + offset_of(i);
    uint64_t left = is_call(code.start + offset_of(i)) ? count_of(i) : 0;
    for (; left > 0 && entries > 0; entries--) {
      const uintptr_t now = left > UINTPTR_MAX ? UINTPTR_MAX : (uintptr_t)left;
      put_bytes(&address, sizeof address);
      put_bytes(&now, sizeof now);
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

static void put_record(put_function *put_bytes) {
  const size_t entries = count_entries();
  const uint32_t number = (uint32_t)entries;
  const unsigned char tag = 2;
  put_bytes(&tag, sizeof tag);
  put_bytes(&number, sizeof number);
  put_entries(entries, put_bytes);
}

/* --- the file --------------------------------------------------------------- */

/* Whether a file of `size` bytes is a complete profile written by glibc: a histogram and
 * arcs. glibc ignores write errors, so on a full disk the profile may be incomplete. */
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

/* Appends the block record to the profile that glibc has written, or writes a profile if
 * the file is empty. Returns an error message, or NULL. After an error the file is
 * restored if possible. */
static const char *append(void) {
  const off_t end = lseek(profile, 0, SEEK_END);
  if (end > 0 && !is_whole(profile, (uint64_t)end))
    return "is incomplete; block counts were not added";
  out.file = profile;
  if (end == 0) put_header();
  put_record(put);
  if (!flush() && ftruncate(profile, end) != 0) return "ends in the middle of a record";
  if (close(profile) != 0 && !out.error) out.error = errno;
  return out.error ? strerror(out.error) : NULL;
}

/* Writes a new profile to a temporary file, and renames it when it is complete. Returns
 * an error message, or NULL. */
static const char *create(void) {
  out.file = open_profile(true);
  if (out.file < 0) return strerror(errno);
  put_header();
  put_record(put);
  bool done = flush();
  if (close(out.file) != 0) done = false;
  if (done && rename(temporary, name) == 0) return NULL;
  const char *reason = strerror(out.error ? out.error : errno);
  unlink(temporary);
  return reason;
}

/* Runs after all other destructors. Blocks signals. A file size limit, or standard error
 * without a reader, must not kill the program: SIGXFSZ and SIGPIPE are consumed if they
 * were raised. */
static void finish(void) {
  if (code.size == 0 && !trouble) return;
  const int fatal[] = {SIGXFSZ, SIGPIPE};
  sigset_t all, before, raised;
  int cancelling;
  sigfillset(&all);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  if (!recorded) __atomic_store_n(&code.size, 0, __ATOMIC_RELAXED);
  if (!trouble && !recorded) {
    add_up();
    result = common;
    trouble = __gmon_start__ ? append() : create();
  }
  if (incomplete)
    complain("some blocks are missing; compile with -fno-optimize-sibling-calls and "
             "without -mcmodel=large and -mindirect-branch");
  if (trouble) complain(trouble);
  sigemptyset(&raised);
  for (int i = 0; i < 2; i++)
    if (!sigismember(&before, fatal[i])) sigaddset(&raised, fatal[i]);
  while (sigtimedwait(&raised, NULL, &(struct timespec){0, 0}) > 0) {}
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_setcancelstate(cancelling, &cancelling);
}

/* --- the recorder ------------------------------------------------------------ */

/* If the program has the recorder, the recorder writes the counts, together with its own.
 * It may write them several times, while the program runs, and in a thread that must not
 * use thread-local storage. */

#if HAS_RECORDER
static table *copy; /* the snapshot; NULL until it is first taken */

static void take_over(void) { recorded = true; }

/* Allocates the table of a snapshot; NULL on failure. */
static table *map_copy(void) {
  const long at = system_call(SYS_mmap, 0, (long)table_size(), MAP_ACCESS, MAP_FLAGS, -1,
                              0);
  return at < 0 && at > -4096 ? NULL : (table *)at;
}

/* Keeps threads from adding their tables to the common one. Waits for threads that are
 * adding their tables. */
static void hold_tables(void) {
  for (table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next)
    while (!change_state(t, USED, COPIED)) {
      const state now = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE);
      if (now == UNUSED || now == ADDED) break;
      yield();
    }
}

/* Allows threads again to add their tables. */
static void release_tables(void) {
  for (table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next)
    change_state(t, COPIED, USED);
}

/* Takes a snapshot of the counts. Returns the sum of the counts since the last call of
 * begin_anew. */
static uint64_t take(void) {
  uint64_t sum = 0;
  if (!copy && !trouble) copy = map_copy();
  if (!copy) trouble = NO_MEMORY;
  if (trouble) return 0;
  result = copy;
  wipe(copy);
  hold_tables();
  for (table *t = __atomic_load_n(&tables, __ATOMIC_ACQUIRE); t; t = t->next)
    if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == COPIED) add_table(copy, t);
  add_table(copy, common);
  release_tables();
  for (size_t i = next_count(copy, 0); i < cells; i = next_count(copy, i + 1))
    sum += count_of(i);
  return sum;
}

static void put_taken(put_function *put_bytes) {
  if (!trouble && count_entries() > 0) put_record(put_bytes);
}

/* Makes the next profile begin at the snapshot. */
static void begin_anew(void) {
  table *unused = earlier;
  if (trouble) return;
  earlier = copy;
  copy = unused;
}

/* The recorder finds these functions through an ELF note in the program. Symbols do not
 * help, because the linker does not know of a preloaded recorder. The note contains the
 * distance from its contents to gprof_block_counter. block_counts.c has the same
 * declarations. */
typedef struct block_counter {
  void (*take_over)(void);
  uint64_t (*take)(void);
  void (*put)(put_function *put_bytes);
  void (*begin_anew)(void);
} block_counter;

extern const block_counter gprof_block_counter __attribute__((visibility("hidden")));
__attribute__((used)) const block_counter gprof_block_counter = {
    take_over, take, put_taken, begin_anew};
__asm__(".pushsection .note.gprof, \"a\", %note\n"
        ".balign 4\n"
        ".long 6, 8, 1\n"  /* size of the owner's name, size of the contents, type */
        ".asciz \"gprof\"\n"
        ".balign 4\n"
        "0: .quad gprof_block_counter - 0b\n"
        ".popsection");
#endif

/* The linker sorts constructors and destructors by these numbers. Destructors run in
 * reverse order. */
#define IN(section_name) __attribute__((section(section_name), used))
IN(".preinit_array") static void (*const before_all)(void) = start;
IN(".init_array.00000") static void (*const first_of_all)(void) = prepare;
IN(".fini_array.00000") static void (*const last_of_all)(void) = finish;
