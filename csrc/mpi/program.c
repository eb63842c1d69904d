/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of this process. */
#include "mpi/program.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"

static const char file_of_program[] = "/proc/self/exe";

/* Looks for a build ID among notes. A note has a header, an owner and a description; both
 * texts are padded. */
static void read_notes(gp_program *program, const unsigned char *notes, size_t left) {
  ElfW(Nhdr) note;
  while (left >= sizeof note) {
    memcpy(&note, notes, sizeof note);
    size_t owner = ((size_t)note.n_namesz + 3) & ~(size_t)3;
    size_t size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
    const unsigned char *text = notes + sizeof note;
    if (owner > left - sizeof note || size > left - sizeof note - owner) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        memcmp(text, "GNU", 4) == 0) {
      char *to = program->id + sprintf(program->id, "build ID ");
      for (size_t i = 0; i < note.n_descsz && i < 64; i++)
        to += sprintf(to, "%02x", text[owner + i]);
    }
    notes += sizeof note + owner + size;
    left -= sizeof note + owner + size;
  }
}

/* Reads the first object, which is the program. */
static int read_object(struct dl_phdr_info *object, size_t size, void *into) {
  gp_program *program = into;
  (void)size;
  program->bias = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    /* the loader maps the address: NOLINTNEXTLINE(performance-no-int-to-ptr) */
    const void *at = (const void *)(object->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE) read_notes(program, at, segment->p_memsz);
  }
  return 1;
}

static void set_checksum(gp_program *program) {
  static unsigned char window[1 << 16];
  gp_crc32 sum;
  uint64_t size = 0;
  ssize_t got = 0;
  int file = open(file_of_program, O_RDONLY | O_CLOEXEC);
  gp_crc32_init(&sum);
  while (file >= 0 && (got = read(file, window, sizeof window)) > 0) {
    gp_crc32_add(&sum, window, (size_t)got);
    size += (uint64_t)got;
  }
  if (file >= 0) close(file);
  snprintf(program->id, sizeof program->id, "%" PRIu64 " bytes, CRC-32 %08" PRIx32, size,
           gp_crc32_value(&sum));
}

static void set_name(gp_program *program) {
  char path[PATH_MAX];
  ssize_t length = readlink(file_of_program, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  snprintf(program->name, sizeof program->name, "%.*s", (int)sizeof program->name - 1,
           *name ? name : "program");
}

void gp_program_find(gp_program *program) {
  memset(program, 0, sizeof *program);
  dl_iterate_phdr(read_object, program);
  if (program->id[0] == '\0') set_checksum(program);
  set_name(program);
}
