/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The object file.
 *
 * Opens an executable through libbfd and offers what the later stages need of
 * it: how its numbers are laid out, where its text lies, and, when somebody asks,
 * its symbols as libbfd delivers them and the source line of an address. Neither
 * symbols nor debugging information are touched before that. Either may be in another
 * file: separate.h tells in which.
 *
 * libbfd has warnings for standard error. They go nowhere. The first image that is
 * opened sets libbfd's error handler, for the whole process, to one that is silent.
 * Some warnings go past that, to the variable `stderr`, which leads nowhere during
 * these calls: what another thread writes by way of it in that moment is lost, too;
 * what goes to the descriptor, or to a stream that somebody keeps, as Lua does, is not.
 */
#ifndef GP_OBJECT_IMAGE_H
#define GP_OBJECT_IMAGE_H

#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "object/elf_machine.h"
#include "object/near_symbols.h"

typedef struct gp_image {
  bfd *file;
  asymbol **symbols;      /* the symbol table in libbfd's order, then synthetic;
                             NULL until it was read */
  size_t symbol_count;    /* of both together */
  asymbol *synthetic;     /* one block; see image.c */
  gp_near_symbols *nearby; /* those of .text, made when they are wanted; see image.c */
  asection *text;
  uint64_t text_low;      /* address of the first byte of .text */
  uint64_t text_high;     /* address behind the last byte of .text */
  gp_layout layout;
  char leading;           /* what the target puts before C names, or NUL */
  bool typed;             /* the object format says which symbols are functions */
  unsigned traits;        /* of its machine's symbols: see machine.h */
  struct stat opened;     /* what the file was then */
  bool relocated;         /* debugging information is, before it is read; see image.c */
  bool bare;              /* symbols were asked for, and there are none */
  unsigned char *held;    /* the bytes of one that is no file, or NULL */

  /* what is in other files, by separate.h; each is NULL until it was found */
  struct gp_image *debug;    /* symbols and debugging information */
  struct gp_image *shared;   /* debugging information that several files share */
  struct gp_image *minimal;  /* names of functions alone */
} gp_image;

/* Where an address comes from. Strings belong to the image. */
typedef struct gp_location {
  const char *file;       /* as the debugging information spells it */
  const char *function;   /* the innermost, inlined ones included */
  unsigned line;          /* from 1 */
} gp_location;

/* Opens `path`. Errors: no such file, no object file, no .text. Returns NULL then. */
gp_image *gp_image_open(const char *path, gp_error *error);

/* The same of a file that several others share debugging information in: it has no code,
 * and nothing can be asked of it but what is in its sections. */
gp_image *gp_image_open_shared(const char *path, gp_error *error);

/* The same of an object file in memory. `bytes`, malloc's, belong to the image, and are
 * freed if there comes to be none. */
gp_image *gp_image_open_bytes(unsigned char *bytes, size_t size, gp_error *error);

void gp_image_close(gp_image *image);

/* Whether somebody has written to the file since it was opened. It is read here and
 * there, and where debugging information cannot be read, there seems to be none. */
bool gp_image_has_changed(const gp_image *image);

/* Reads the symbol table, once. Errors: there is none, it cannot be read, or most of the
 * names in it cannot. */
bool gp_image_read_symbols(gp_image *image, gp_error *error);

/* Puts the symbols that were read in order for gp_image_locate, once; to be called before
 * it. False if there is no memory. */
bool gp_image_can_ask(const gp_image *image);

/* Source of the code at `address`. False unless file, function and line are all
 * three known: half an answer is none. Functions that only the symbol table names
 * are known if it was read before; and of a file that is not linked, nothing else. */
bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *source);

/* The name without the target's leading character. */
const char *gp_image_plain_name(const gp_image *image, const char *name);

/* The demangled name (free() it), or NULL if `name` is not a mangled one. */
char *gp_image_demangle(const gp_image *image, const char *name);

/* Chooses libiberty's demangling style by name ("auto", "gnu-v3", "rust" ...),
 * for the whole process. False if there is none of that name. */
bool gp_image_demangling_style(const char *name);

#endif
