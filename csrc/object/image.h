/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The object file.
 *
 * Opens an executable through libbfd. Gives the byte order and pointer size of its
 * numbers, the addresses of .text and, on demand, its symbols and the source location of
 * an address. Symbols and debugging information are not read before they are asked for.
 * Either may be in another file, which debug/debug_file.h and debug/mini_debug.h attach.
 *
 * libbfd's warnings are discarded. The first image that is opened sets libbfd's error
 * handler, for the whole process, to a silent one. Some warnings bypass the handler and
 * go to the variable `stderr`, which is redirected during these calls. So what another
 * thread writes through that variable in that moment is lost, too. Writes to the file
 * descriptor, or to a stream saved before, as Lua's io.stderr, are not affected.
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
  gp_near_symbols *near;  /* those of .text, for gp_image_locate; made on demand */
  asection *text;
  uint64_t text_low;      /* address of the first byte of .text */
  uint64_t text_high;     /* one past the end of .text */
  gp_layout layout;
  char leading;           /* the target's prefix of C names, or NUL */
  bool typed;             /* the object format says which symbols are functions */
  unsigned traits;        /* of its machine's symbols: see elf_machine.h */
  struct stat status;     /* of the file when it was opened */
  bool relocates_debug;   /* libbfd relocates debugging information; see image.c */
  bool stripped;          /* reading the symbols found that there are none */
  unsigned char *bytes;   /* the contents of an image in memory, or NULL */

  /* other files of the same build; each is NULL until it is attached */
  struct gp_image *debug;          /* symbols and debugging information */
  bool debug_has_lines;            /* `debug` has debugging information, and the image
                                      itself has none */
  struct gp_image *supplementary;  /* debugging information shared by several files */
  struct gp_image *mini_debug;     /* names of functions alone */
} gp_image;

/* A source location. Strings belong to the image. */
typedef struct gp_location {
  const char *file;       /* as the debugging information spells it */
  const char *function;   /* the innermost, inlined ones included */
  unsigned line;          /* from 1 */
} gp_location;

/* Opens `path`. Errors: no such file, no object file, no .text. Returns NULL then. */
gp_image *gp_image_open(const char *path, gp_error *error);

/* Opens a supplementary file, which has no .text. Only its sections may be used. */
gp_image *gp_image_open_supplementary(const char *path, gp_error *error);

/* Opens an object file in memory. Takes over `bytes`, from malloc(), even if it fails. */
gp_image *gp_image_open_bytes(unsigned char *bytes, size_t size, gp_error *error);

void gp_image_close(gp_image *image);

/* Whether the file was modified since it was opened. It is read on demand, and debugging
 * information that cannot be read seems to be absent. */
bool gp_image_has_changed(const gp_image *image);

/* Reads the symbol table, once. Errors: there is none, it cannot be read, or most of the
 * names in it cannot. */
bool gp_image_read_symbols(gp_image *image, gp_error *error);

/* The image that has the symbols of an image: itself, its debugging file, or its
 * mini_debug. With `own_only`, always itself. Its symbols may still have to be read. Like
 * strchr(), it takes const and returns what the caller may change if the image may be. */
gp_image *gp_image_for_symbols(const gp_image *image, bool own_only);

/* The image that has the debugging information of an image, likewise: itself or its
 * debugging file. */
gp_image *gp_image_for_lines(const gp_image *image, bool own_only);

/* Sorts the symbols that were read for gp_image_locate, once; must be called before it.
 * False if there is no memory. */
bool gp_image_prepare_locate(const gp_image *image);

/* The source location of the code at `address`. False unless file, function and line are
 * all known. Functions that only the symbol table names are known if it was read before.
 * In a file that is not linked, nothing is known unless it was. */
bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *location);

/* The name without the target's leading character. */
const char *gp_image_plain_name(const gp_image *image, const char *name);

/* The demangled name (free() it), or NULL if `name` is not a mangled one. */
char *gp_image_demangle(const gp_image *image, const char *name);

/* Chooses libiberty's demangling style by name ("auto", "gnu-v3", "rust" ...),
 * for the whole process. False if there is none of that name. */
bool gp_image_demangling_style(const char *name);

#endif
