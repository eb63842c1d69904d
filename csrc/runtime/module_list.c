/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the list of modules up to date.
 */
#include <link.h>
#include <pthread.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/linux.h"
#include "runtime/modules.h"
#include "runtime/notes.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static pthread_mutex_t updating = PTHREAD_MUTEX_INITIALIZER;

/* Allocates memory that is never freed. */
static char *keep(size_t size) {
  static char *memory;
  static size_t left;
  size = (size + 15) & ~(size_t)15;
  if (left < size) {
    left = (size + 65535) & ~(size_t)65535;
    memory = map_memory(left);
    if (!memory) left = 0;
    if (!memory) return NULL;
  }
  char *kept = memory;
  memory += size;
  left -= size;
  return kept;
}

static const char *keep_text(const char *text) {
  const size_t size = strlen(text) + 1;
  char *kept = keep(size);
  return kept ? memcpy(kept, text, size) : "";
}

/* The path of the program, for which the dynamic linker reports an empty name. */
static const char *program_path(void) {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  path[size > 0 ? size : 0] = '\0';
  return keep_text(path);
}

static void read_build_id(module *m, const struct dl_phdr_info *object) {
  uint32_t size;
  const unsigned char *id = rec_find_note(object, "GNU", NT_GNU_BUILD_ID, &size);
  if (!id || size > sizeof m->build_id) return;
  memcpy(m->build_id, id, size);
  m->build_id_size = size;
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

/* Returns the module in the list that is the same object as `found`; NULL if there is
 * none. */
static module *listed(const module *found) {
  module *m = rec_modules;
  while (m && (m->closed || m->low != found->low || m->high != found->high)) m = m->next;
  return m;
}

typedef struct update {
  module **end;        /* end of the list */
  unsigned generation; /* number of this update */
} update;

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  module found = {.bias = object->dlpi_addr};
  read_segments(&found, object);
  read_build_id(&found, object);
  if (found.high == 0) return 0;
  module *m = listed(&found);
  update *u = data;
  if (m) {
    m->seen = u->generation;
    return 0;
  }
  m = (module *)(void *)keep(sizeof *m);
  if (!m) return 1;
  found.path = object->dlpi_name && *object->dlpi_name ? keep_text(object->dlpi_name)
                                                       : program_path();
  found.seen = u->generation;
  *m = found;
  while (*u->end) u->end = &(*u->end)->next;
  __atomic_store_n(u->end, m, __ATOMIC_RELEASE);
  return 0;
}

/* Reserves the addresses of a closed module, so that its records stay unambiguous. */
static void close_module(module *m) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t low = m->low & ~(page - 1), high = (m->high + page - 1) & ~(page - 1);
  (void)mmap((void *)low, high - low, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  m->closed = true;
}

void rec_update_modules(void) {
  static unsigned generation;
  pthread_mutex_lock(&updating);
  update u = {&rec_modules, ++generation};
  dl_iterate_phdr(visit, &u);
  for (module *m = rec_modules; m; m = m->next)
    if (m->seen != generation && !m->closed) close_module(m);
  pthread_mutex_unlock(&updating);
}
