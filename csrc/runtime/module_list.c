/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the list of modules up to date.
 */
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/linux.h"
#include "runtime/memory_map.h"
#include "runtime/modules.h"
#include "runtime/notes.h"
#include "runtime/table.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* The size of a mapping for modules. Paths have at most 4,096 bytes. */
#define ARENA ((size_t)1 << 16)

/* Maximum number of reservations that do not adjoin the one before. The kernel limits the
 * mappings of a process (vm.max_map_count), and the program needs them. */
#define MAX_RESERVATIONS 1024

/* The maximum number of system calls for the reservation of a library. */
#define MOST_TRIES 256

static pthread_mutex_t updating = PTHREAD_MUTEX_INITIALIZER;
static uint64_t blocked; /* the thread's signal mask before it locked `updating` */

/* Blocks signals, because a handler may fork, which waits for the lock. */
void rec_lock_modules(void) {
  const uint64_t before = block_signals();
  pthread_mutex_lock(&updating);
  blocked = before;
}

void rec_unlock_modules(void) {
  const uint64_t before = blocked;
  pthread_mutex_unlock(&updating);
  restore_signals(before);
}

/* The path of the program, for which the dynamic linker reports an empty name. */
static const char *program_path(void) {
  static char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  path[size > 0 ? size : 0] = '\0';
  return path;
}

static void set_build_id(module *m, const unsigned char *id, uint32_t size) {
  if (!id || size > sizeof m->build_id) return;
  memcpy(m->build_id, id, size);
  m->build_id_size = size;
}

static void read_build_id(module *m, const struct dl_phdr_info *object) {
  uint32_t size = 0;
  const unsigned char *id = rec_find_note(object, "GNU", NT_GNU_BUILD_ID, &size);
  set_build_id(m, id, size);
}

static void extend(uintptr_t *low, uintptr_t *high, uintptr_t start, uintptr_t end) {
  if (*high == 0 || start < *low) *low = start;
  if (end > *high) *high = end;
}

static void read_segments(module *m, const struct dl_phdr_info *object) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    const uintptr_t end = start + segment->p_memsz;
    if (segment->p_type == PT_LOAD) extend(&m->low, &m->high, start, end);
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X))
      extend(&m->code, &m->code_end, start, end);
    if (segment->p_type == PT_GNU_EH_FRAME) {
      m->unwind = (const unsigned char *)start;
      m->unwind_size = segment->p_memsz;
    }
  }
}

static bool has_same_build_id(const module *m, const module *other) {
  return m->build_id_size == 0 || other->build_id_size == 0 ||
         (m->build_id_size == other->build_id_size &&
          memcmp(m->build_id, other->build_id, m->build_id_size) == 0);
}

/* A closed library without a reservation can be loaded again at its addresses. */
static bool can_be_loaded(const module *m) {
  return !is_closed(m) || (!m->reserved && m->build_id_size > 0);
}

static bool is_same(const module *m, const module *other) {
  return m->low == other->low && m->high == other->high && has_same_build_id(m, other) &&
         can_be_loaded(m);
}

static bool overlap(const module *m, const module *other) {
  return m->low < other->high && other->low < m->high;
}

/* Makes a module, which is never freed. Several share a mapping: mappings of their own,
 * between the reserved addresses, would keep the kernel from joining these. */
static module *new_module(const module *found, const char *path) {
  static char *arena;  /* its first word is the number of bytes in use */
  const size_t length = strlen(path) + 1, align = _Alignof(module);
  const size_t size = (sizeof *found + length + align - 1) & ~(align - 1);
  if (size > ARENA / 2) return NULL;
  for (;;) {
    char *bytes = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
    size_t *used = (size_t *)(void *)bytes;
    size_t at = used ? __atomic_fetch_add(used, size, __ATOMIC_RELAXED) : ARENA;
    if (bytes && at + size <= ARENA) {
      module *m = memcpy(bytes + at, found, sizeof *found);
      m->path = memcpy(bytes + at + sizeof *found, path, length);
      return m;
    }
    char *fresh = map_memory(ARENA);
    if (!fresh) return NULL;
    *(size_t *)(void *)fresh = sizeof(size_t) * 2;
    if (!__atomic_compare_exchange_n(&arena, &bytes, fresh, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
      unmap_memory(fresh, ARENA);
  }
}

/* Adds a module to the end of the list, unless it is there already. Other threads and
 * signal handlers may do the same. Returns the module in the list; NULL if there is no
 * memory. If other modules in the list have some of its addresses, all are `replaced`. */
static module *add_module(const module *found, const char *path) {
  module *made = NULL;
  bool is_ambiguous = false;
  for (module **end = &rec_modules;;) {
    module *m = __atomic_load_n(end, __ATOMIC_ACQUIRE);
    if (m && overlap(m, found)) {
      if (is_same(m, found)) {
        if (is_closed(m)) __atomic_store_n(&m->closed, false, __ATOMIC_RELEASE);
        return m;
      }
      m->replaced = is_ambiguous = true;
    }
    if (m) {
      end = &m->next;
      continue;
    }
    if (!made && !(made = new_module(found, path))) return NULL;
    made->replaced = is_ambiguous;
    if (__atomic_compare_exchange_n(end, &m, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return made;
  }
}

static int visit(struct dl_phdr_info *object, size_t size, void *generation) {
  (void)size;
  module found = {.bias = object->dlpi_addr};
  read_segments(&found, object);
  read_build_id(&found, object);
  if (found.high == 0) return 0;
  const bool has_name = object->dlpi_name && *object->dlpi_name;
  module *m = add_module(&found, has_name ? object->dlpi_name : program_path());
  if (m) m->seen = *(unsigned *)generation;
  return 0;
}

static uintptr_t page_size(void) { return (uintptr_t)sysconf(_SC_PAGESIZE); }

/* Maps all free pages of a range, with at most *tries system calls. Others may be in use
 * already: as soon as a library is closed, memory of the program or of the recorder can
 * take its place. Returns whether all were free; if some were not, another library can be
 * loaded there later. */
static bool map_free(uintptr_t low, uintptr_t high, unsigned *tries) {
  if (*tries == 0) return false;
  --*tries;
  const void *made = mmap((void *)low, high - low, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                              MAP_FIXED_NOREPLACE, -1, 0);
  if (made != MAP_FAILED) return true;
  const uintptr_t page = page_size(), middle = low + (high - low) / page / 2 * page;
  if (errno != EEXIST || middle == low) return false;
  const bool first = map_free(low, middle, tries);
  return map_free(middle, high, tries) && first;
}

/* Reserves addresses: no library can be loaded there. The kernel joins adjoining
 * reservations. */
static bool reserve(uintptr_t low, uintptr_t high) {
  static uintptr_t first, end;  /* the adjoining reservations that were made last */
  static unsigned count;
  const bool adjoins = high == first || low == end;
  unsigned tries = MOST_TRIES;
  if ((!adjoins && count == MAX_RESERVATIONS) || !map_free(low, high, &tries))
    return false;
  count += !adjoins;
  if (!adjoins || high == first) first = low;
  if (!adjoins || low == end) end = high;
  return true;
}

/* Reserves the addresses of a closed module, so that its records stay unambiguous. */
static void close_module(module *m) {
  const uintptr_t page = page_size();
  m->reserved = reserve(m->low & ~(page - 1), (m->high + page - 1) & ~(page - 1));
  __atomic_store_n(&m->closed, true, __ATOMIC_RELEASE);
}

/* Moves the module after `m` to the end of the list of reserved ones. */
static void move_next(module *m) {
  static module **end = &rec_reserved_modules;
  module *const moved = m->next;
  __atomic_store_n(end, moved, __ATOMIC_RELEASE);
  end = &moved->next_reserved;
  __atomic_store_n(&m->next, moved->next, __ATOMIC_RELEASE);
}

/* Closes the modules up to `last` that the visit has not seen, except for those in other
 * namespaces (dlmopen), which it does not visit. The last module of the list is not
 * moved, because others may append to it. */
static void close_unseen(const module *last, unsigned visit_number) {
  for (module *before = rec_modules, *m; before != last; before = m) {
    m = before->next;
    if (m->seen != visit_number && !is_closed(m)) {
      if (!rec_is_loaded(m)) close_module(m);
      continue; /* the next visit tells whether another library has its place */
    }
    if (!m->reserved || m->replaced || !__atomic_load_n(&m->next, __ATOMIC_ACQUIRE))
      continue;
    move_next(before);
    if (m == last) return;
    m = before;
  }
}

static module *last_module(void) {
  module *last = __atomic_load_n(&rec_modules, __ATOMIC_ACQUIRE);
  for (module *m = last; m; m = __atomic_load_n(&m->next, __ATOMIC_ACQUIRE)) last = m;
  return last;
}

void rec_update_modules(void) {
  static unsigned generation;
  if (rec_state == ENDED) return;
  rec_lock_modules();
  generation++;
  /* Modules that other threads add meanwhile may have been loaded after the visit. */
  const module *last = last_module();
  dl_iterate_phdr(visit, &generation);
  if (last) close_unseen(last, generation);
  rec_unlock_modules();
}

/* --- modules that were loaded since ------------------------------------------ */

/* Buffers are static, because this may run on a small stack for signal handlers. */

/* The most program headers of an object. */
#define HEADERS 64

/* Copies a segment with notes, and looks for the build ID. */
static void copy_build_id(module *m, uintptr_t start, size_t size) {
  static _Alignas(ElfW(Nhdr)) unsigned char notes[1024];
  uint32_t id_size = 0;
  if (m->build_id_size > 0 || size > sizeof notes || !copy_memory(notes, start, size))
    return;
  const unsigned char *id =
      rec_find_in_notes(notes, size, "GNU", NT_GNU_BUILD_ID, &id_size);
  set_build_id(m, id, id_size);
}

/* Returns the load bias of an object, whose first segment is at `base`. */
static uintptr_t bias_of(uintptr_t base, const ElfW(Phdr) *headers, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (headers[i].p_type == PT_LOAD)
      return base - (headers[i].p_vaddr & ~(uintptr_t)4095);
  return base;
}

/* Adds the object that is loaded at `base`, if it is one. Another thread may close it at
 * the same time. */
static void add_loaded(uintptr_t base, const char *path) {
  static ElfW(Ehdr) head;
  static ElfW(Phdr) headers[HEADERS];
  if (!copy_memory(&head, base, sizeof head) ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_type != ET_DYN ||
      head.e_phnum > HEADERS || head.e_phentsize != sizeof *headers ||
      !copy_memory(headers, base + head.e_phoff, head.e_phnum * sizeof *headers))
    return;
  const uintptr_t bias = bias_of(base, headers, head.e_phnum);
  module found = {.bias = bias};
  read_segments(&found, &(struct dl_phdr_info){.dlpi_addr = bias, .dlpi_phdr = headers,
                                               .dlpi_phnum = head.e_phnum});
  for (size_t i = 0; i < head.e_phnum; i++)
    if (headers[i].p_type == PT_NOTE)
      copy_build_id(&found, bias + headers[i].p_vaddr, headers[i].p_memsz);
  if (found.high > 0) add_module(&found, path);
}

void rec_find_loaded_modules(void) {
  static char path[4096];
  static map_reader r;
  mapping m, start = {.inode = 0};
  rec_open_map(&r);
  while (rec_next_mapping(&r, &m, path, sizeof path)) {
    if (m.offset == 0) start = m;
    if (m.executable && m.inode != 0 && m.inode == start.inode &&
        m.device == start.device)
      add_loaded(start.low, path);
  }
  rec_close_map(&r);
}
