/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The object file.
 *
 * Opens an executable through libbfd, and provides its byte order, its pointer size, the
 * addresses of .text, its symbols, and the source location of an address. Symbols and
 * debugging information are read on demand. Either may be in another file, which
 * debug/debug_file.h and debug/mini_debug.h attach.
 *
 * libbfd's warnings are discarded. Opening the first image installs a silent error
 * handler, for the whole process. Some warnings bypass the handler and are written to the
 * variable `stderr`, which is redirected during these calls. Output that another thread
 * writes to `stderr` at that time is also lost. Output to the file descriptor 2, or to a
 * stream obtained earlier, such as Lua's io.stderr, is not affected.
 */
#ifndef GP_OBJECT_IMAGE_H
#define GP_OBJECT_IMAGE_H

#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/range.h"
#include "object/demangle.h"
#include "object/elf_machine.h"
#include "object/near_symbols.h"

typedef struct gp_image {
  bfd *file;
  asymbol **symbols;      /* the symbol table in libbfd's order, then synthetic symbols;
                             NULL until it is read */
  size_t symbol_count;    /* including synthetic symbols */
  asymbol *synthetic;     /* synthetic symbols, in one block; see image.c */
  gp_near_symbols *near;  /* symbols of .text for gp_image_locate; filled on demand */
  asection *text;         /* .text; without one, the largest section with code */
  uint64_t text_low;      /* address of the first byte of .text */
  uint64_t text_high;     /* one past the end of .text */
  gp_range code;          /* from the first to the last section with code */
  gp_layout layout;
  char leading;           /* the target's prefix of C names, or NUL */
  bool typed;             /* the object format marks function symbols */
  unsigned traits;        /* traits of the machine: see elf_machine.h */
  struct stat status;     /* status of the file when it was opened */
  bool relocates_debug;   /* libbfd relocates debugging information; see image.c */
  bool stripped;          /* gp_image_read_symbols found no symbols */
  bool dynamic;           /* gp_image_read_symbols reads the dynamic symbols */
  unsigned char *bytes;   /* the contents of an image in memory, or NULL */

  /* other files of the same build; each is NULL until it is attached */
  struct gp_image *debug;          /* symbols and debugging information */
  bool debug_has_lines;            /* `debug` has debugging information; the image itself
                                      has none */
  struct gp_image *supplementary;  /* debugging information shared by several files */
  struct gp_image *mini_debug;     /* only names of functions */
  const struct gp_image *owner;    /* the image whose `debug` this is, or NULL */

  gp_demangler *demangler;
} gp_image;

/* Returns the section with code that contains an address; NULL if there is none. In an
 * unlinked file, only .text has an address. */
asection *gp_image_code_section(const gp_image *image, uint64_t address);

/* Returns the code of a section. Its claimed size is limited. */
gp_range gp_image_code_of(const gp_image *image, asection *section);

/* Whether a section has code with an address. */
bool gp_image_has_code(const gp_image *image, asection *section);

/* A source location. Strings belong to the image. */
typedef struct gp_location {
  const char *file;       /* file name, as spelled in the debugging information */
  const char *function;   /* the innermost function, which may be inlined */
  unsigned line;          /* from 1 */
} gp_location;

/* Opens the object file `path`. Returns NULL on error: the file does not exist, is not an
 * object file, or has no .text. */
gp_image *gp_image_open(const char *path, gp_error *error);

/* Opens a supplementary file, which has no .text. Only its sections may be used. */
gp_image *gp_image_open_supplementary(const char *path, gp_error *error);

/* Opens an object file in memory. Takes ownership of `bytes`, allocated by malloc(), even
 * on failure. */
gp_image *gp_image_open_bytes(unsigned char *bytes, size_t size, gp_error *error);

void gp_image_close(gp_image *image);

/* Whether the file was modified since it was opened. Then reading on demand fails in
 * confusing ways: debugging information may seem to be absent. */
bool gp_image_has_changed(const gp_image *image);

/* Returns how many bytes .text may claim: some work is proportional to its size. */
uint64_t gp_image_code_limit(const gp_image *image);

/* Reads the symbol table, or the dynamic symbols if `dynamic` is set; does nothing if the
 * table was read before. Errors: there are no symbols, the table or most of its names
 * cannot be read, or the names are too long. */
bool gp_image_read_symbols(gp_image *image, gp_error *error);

/* Checks that the names of some symbols are not too long in total, because the time to
 * process them depends on their length. */
bool gp_image_check_name_lengths(const gp_image *image, asymbol **symbols, size_t count,
                                 gp_error *error);

/* Returns the image to read symbols from: `image` itself, its debugging file, or its
 * mini_debug. With `own_only`, always `image`. Does not read the symbols. Drops `const`,
 * as strchr() does. */
gp_image *gp_image_for_symbols(const gp_image *image, bool own_only);

/* Returns the image to read debugging information from: `image` itself or its debugging
 * file. With `own_only`, always `image`. */
gp_image *gp_image_for_lines(const gp_image *image, bool own_only);

/* Sorts the symbols for gp_image_locate. Call it before that function. Does nothing if
 * the symbols are already sorted, or were not read. False if there is no memory. */
bool gp_image_prepare_locate(const gp_image *image);

/* Finds the source location of the code at `address`. False unless file, function and
 * line are all known. For functions without debugging information, uses the symbol table
 * if it was read before. In an unlinked object file nothing is found unless the symbol
 * table was read. */
bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *location);

/* Returns `name` without the target's leading character. */
const char *gp_image_plain_name(const gp_image *image, const char *name);

/* Demangles a name like gp_demangle, without the target's leading character. */
bool gp_image_demangle(const gp_image *image, const char *name, bool parameters,
                       char **demangled);

/* Sets libiberty's demangling style ("auto", "gnu-v3", "rust" ...) for the whole process.
 * False if the style is unknown. */
bool gp_image_demangling_style(const char *name);

/* Whether a symbol names code, rather than a file or a section. */
bool gp_symbol_is_code(const asymbol *symbol);

#endif
