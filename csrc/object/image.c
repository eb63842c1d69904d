/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file. */
#include "object/image.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/bfd_memory.h"
#include "object/opd.h"

/* bytes, with which libbfd finds out what kind of file it has before it */
#define ENOUGH_MEMORY ((size_t)1 << 20)

/* libbfd tells warnings to standard error by itself. Whatever hinders us comes
 * back as an error; the rest is no news to somebody who wants a profile. */
static void silent(const char *format, va_list arguments) {
  (void)format;
  (void)arguments;
}

/* What libbfd 2.40 says of a file while it finds out of which kind that is goes past the
 * handler, straight to the variable `stderr`: that leads to this stream meanwhile, which
 * has nowhere to write to. NULL if there was no memory, and where `stderr` is none of
 * the C library's variables. */
static FILE *nowhere;

#ifdef __GLIBC__
#define HAS_VARIABLES 1
#define set_stderr(stream) (stderr = (stream))
#else
#define HAS_VARIABLES 0
#define set_stderr(stream) ((void)(stream))
#endif

static FILE *hush(void) {
  FILE *before = stderr;
  if (nowhere) set_stderr(nowhere);
  return before;
}

static void prepare_bfd(void) {
  static bool ready;
  if (ready) return;
  bfd_init();
  bfd_set_error_handler(silent);
  if (HAS_VARIABLES) nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){0});
  ready = true;
}

static bool is_object(bfd *file) {
  FILE *before = hush();
  bool is = bfd_check_format(file, bfd_object);
  set_stderr(before);
  return is;
}

/* Makes up symbols from the others: on some targets those of functions whose own symbols
 * are mere descriptors. The stubs of the procedure linkage ("puts@plt") are not among
 * them: they would need the dynamic symbols. An image without any is no error. */
static bool make_symbols(gp_image *image, long static_count, size_t *count) {
  if (image->traits & GP_DESCRIBED && bfd_get_arch(image->file) == bfd_arch_unknown)
    return gp_opd_resolve(image->file, image->layout, image->symbols,
                          (size_t)static_count, &image->synthetic, count);
  long made = bfd_get_synthetic_symtab(image->file, static_count, image->symbols, 0,
                                       NULL, &image->synthetic);
  *count = made > 0 ? (size_t)made : 0;
  return true;
}

static bool add_synthetic(gp_image *image, long static_count) {
  size_t made;
  if (!make_symbols(image, static_count, &made)) return false;
  if (made == 0) return true;
  size_t total = (size_t)static_count + made;
  if (!gp_resize(&image->symbols, total + 1, sizeof *image->symbols)) return false;
  for (size_t i = 0; i < made; i++)
    image->symbols[(size_t)static_count + i] = image->synthetic + i;
  image->symbols[total] = NULL;
  image->symbol_count = total;
  return true;
}

/* Not every way to fail has a reason. */
static bool fail_symbols(gp_error *error) {
  bfd_error_type why = bfd_get_error();
  bool known = why != bfd_error_no_error;
  return gp_fail(error, "symbol table: %s", known ? bfd_errmsg(why) : "cannot be read");
}

/* Names that cannot be read are all the same with libbfd. A few are as good as none, but
 * where most are lost, the string table is, and a report would tell nothing. */
static bool check_names(asymbol **symbols, long count, gp_error *error) {
  long named = 0, lost = 0;
  for (long i = 0; i < count; i++) {
    const char *name = symbols[i]->name;
    if (symbols[i]->flags & (BSF_SECTION_SYM | BSF_FILE)) continue;
    if (name && *name && strcmp(name, "(null)") != 0) named++;
    else lost++;
  }
  if (lost <= named) return true;
  return gp_fail(error, "symbol table: the names of %ld of its symbols cannot be read",
                 lost);
}

bool gp_image_read_symbols(gp_image *image, gp_error *error) {
  static const char none[] =
      "has no symbols: use the file as it was linked, without -s, before strip";
  if (image->symbol_count > 0) return true;
  bfd_set_error(bfd_error_no_error);  /* what went wrong before is no reason */
  long room = bfd_get_symtab_upper_bound(image->file);
  if (room < 0) return fail_symbols(error);
  image->stripped = room == 0;
  if (image->stripped) return gp_fail(error, none);
  free(image->symbols);  /* of an attempt that failed */
  image->symbols = malloc((size_t)room);
  if (!image->symbols) return gp_fail_memory(error);
  long count = bfd_canonicalize_symtab(image->file, image->symbols);
  if (count < 0) return fail_symbols(error);
  image->stripped = count == 0;
  if (image->stripped) return gp_fail(error, none);
  if (!check_names(image->symbols, count, error)) return false;
  if ((uint64_t)count >= UINT32_MAX / 2)
    return gp_fail(error, "symbol table: %ld symbols are too many", count);
  image->symbol_count = (size_t)count;
  if (image->traits & GP_TAGGED) gp_elf_machine_untag(image->symbols, (size_t)count);
  if (add_synthetic(image, count)) return true;
  free(image->synthetic);
  image->synthetic = NULL;
  image->symbol_count = 0;  /* not read */
  return gp_fail_memory(error);
}

/* Files that only keep debugging information have no code any more, but symbols of it: it
 * was at most so many times as large. */
#define MOST_TEXT 16

/* Code ends with the file, whatever its section claims: some work goes by every byte. And
 * the address behind it is one, though there is none behind the last. */
static bool find_text(gp_image *image, gp_error *error) {
  image->text = bfd_get_section_by_name(image->file, ".text");
  if (!image->text) return gp_fail(error, "has no section .text");
  image->text_low = bfd_section_vma(image->text);
  uint64_t size = bfd_section_size(image->text), held = bfd_get_file_size(image->file);
  uint64_t room = UINT64_MAX - image->text_low;
  bool is_held = bfd_section_flags(image->text) & SEC_HAS_CONTENTS;
  uint64_t most = is_held ? held : held * MOST_TEXT;
  if (size > most) size = most;
  image->text_high = image->text_low + (size < room ? size : room);
  return true;
}

/* Whether libbfd relocates debugging information before it reads it: of files that are
 * not linked, and stabs of all that have relocations. They name symbols by number, which
 * it looks up in what we hand over: that has to be the whole table, and never less. */
static bool relocates_debug(bfd *file) {
  flagword flags = bfd_get_file_flags(file);
  if (!(flags & HAS_RELOC)) return false;
  return !(flags & (EXEC_P | DYNAMIC)) || bfd_get_section_by_name(file, ".stab");
}

static void describe(gp_image *image) {
  enum bfd_flavour flavour = bfd_get_flavour(image->file);
  image->layout.big_endian = bfd_big_endian(image->file);
  image->layout.pointer_size = bfd_get_arch_size(image->file) == 32 ? 4 : 8;
  /* a long of Windows has 4 bytes, whatever a pointer has */
  image->layout.narrow_counts = flavour == bfd_target_coff_flavour;
  image->leading = bfd_get_symbol_leading_char(image->file);
  image->traits = gp_elf_machine_traits(image->file);
  image->relocates_debug = relocates_debug(image->file);
  image->typed = flavour == bfd_target_elf_flavour ||
                 flavour == bfd_target_coff_flavour ||
                 flavour == bfd_target_xcoff_flavour;
}

/* Whether a file is one of the texts that libbfd takes for object files by their first
 * character: extended Tektronix, Intel's and Motorola's records, and the latter with
 * symbols. Nothing is profiled in them, and in those of Tektronix every byte takes libbfd
 * 8 KiB, and a way through all that it has so far. */
static bool is_text(bfd *file) {
  static const char texts[] = {'%', ':', 'S', '$'};
  char first;
  return bfd_bread(&first, 1, file) == 1 && memchr(texts, first, sizeof texts);
}

static bool has_memory(void) {
  void *volatile probe = malloc(ENOUGH_MEMORY);  /* of which nothing is left out */
  bool is_there = probe != NULL;
  free(probe);
  return is_there;
}

/* Why libbfd knows no such file. A format that it had no memory to look into is to it one
 * of the others, so it is asked whether there is any. */
static bool fail_unknown(gp_error *error) {
  if (!has_memory()) return gp_fail_memory(error);
  return gp_fail(error, "is not an object file (%s)", bfd_errmsg(bfd_get_error()));
}

/* Reads what there is to know of a file from the beginning. */
static bool load(gp_image *image, gp_error *error) {
  if (!image->file) return gp_fail(error, "%s", bfd_errmsg(bfd_get_error()));
  image->file->flags |= BFD_DECOMPRESS;  /* debugging sections may be compressed */
  if (is_text(image->file)) return gp_fail(error, "is not an object file (but a text)");
  if (!has_memory()) return gp_fail_memory(error);  /* without, libbfd 2.40 crashes */
  if (!is_object(image->file)) return fail_unknown(error);
  if (bfd_stat(image->file, &image->status) < 0)
    return gp_fail(error, "%s", bfd_errmsg(bfd_get_error()));
  describe(image);
  return true;
}

static bool load_file(gp_image *image, const char *path, gp_error *error) {
  struct stat status;
  if (stat(path, &status) < 0) return gp_fail(error, "%s", strerror(errno));
  if (S_ISDIR(status.st_mode)) return gp_fail(error, "is a directory");
  /* libbfd would wait for somebody who writes, and could not go back */
  if (S_ISFIFO(status.st_mode))
    return gp_fail(error, "is a pipe, of which an object file cannot be read");
  image->file = bfd_openr(path, NULL);
  return load(image, error);
}

bool gp_image_has_changed(const gp_image *image) {
  const struct stat *then = &image->status;
  struct stat now;
  return bfd_stat(image->file, &now) < 0 || now.st_size != then->st_size ||
         now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != then->st_mtim.tv_nsec;
}

/* An image of which nothing is known yet; NULL if there is no memory. */
static gp_image *new_image(gp_error *error) {
  prepare_bfd();
  gp_image *image = gp_column(1, sizeof *image);
  if (image) image->near = gp_column(1, sizeof *image->near);
  if (image && image->near) return image;
  gp_image_close(image);
  gp_fail_memory(error);
  return NULL;
}

/* The image if it was opened; otherwise there is none. */
static gp_image *keep_if(bool opened, gp_image *image) {
  if (opened) return image;
  gp_image_close(image);
  return NULL;
}

gp_image *gp_image_open(const char *path, gp_error *error) {
  gp_image *image = new_image(error);
  if (!image) return NULL;
  return keep_if(load_file(image, path, error) && find_text(image, error), image);
}

gp_image *gp_image_open_supplementary(const char *path, gp_error *error) {
  gp_image *image = new_image(error);
  return image ? keep_if(load_file(image, path, error), image) : NULL;
}

gp_image *gp_image_open_bytes(unsigned char *bytes, size_t size, gp_error *error) {
  gp_image *image = new_image(error);
  if (!image) {
    free(bytes);
    return NULL;
  }
  image->bytes = bytes;
  image->file = gp_bfd_open_memory(bytes, size);
  bool opened = image->file || gp_fail_memory(error);
  return keep_if(opened && load(image, error) && find_text(image, error), image);
}

void gp_image_close(gp_image *image) {
  if (!image) return;
  gp_image_close(image->debug);
  gp_image_close(image->supplementary);
  gp_image_close(image->mini_debug);
  free(image->symbols);
  free(image->synthetic);
  if (image->near) gp_near_symbols_free(image->near);
  free(image->near);
  if (image->file) bfd_close(image->file);
  free(image->bytes);
  free(image);
}

gp_image *gp_image_for_symbols(const gp_image *image, bool own_only) {
  if (own_only || image->symbol_count > 0) return (gp_image *)image;
  if (image->debug && image->debug->symbol_count > 0) return image->debug;
  return image->mini_debug ? image->mini_debug : (gp_image *)image;
}

gp_image *gp_image_for_lines(const gp_image *image, bool own_only) {
  return image->debug_has_lines && !own_only ? image->debug : (gp_image *)image;
}

bool gp_image_prepare_locate(const gp_image *image) {
  return image->symbol_count == 0 || image->near->symbols ||
         gp_near_symbols_init(image->near, image->symbols, image->symbol_count,
                              image->text);
}

/* The symbols that libbfd may name the function at an address by. None, if they were not
 * read: then the answer is what debugging information alone knows. NULL if that cannot
 * be read without them. */
static asymbol **symbols_near(const gp_image *image, uint64_t address) {
  static asymbol *none[] = {NULL};
  bool known = image->symbol_count > 0;
  if (image->relocates_debug) return known ? image->symbols : NULL;
  return known ? gp_near_symbols_find(image->near, address) : none;
}

/* A file with debugging information may be opened for that. */
bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *location) {
  asymbol **symbols = symbols_near(image, address);
  memset(location, 0, sizeof *location);
  if (!symbols) return false;
  FILE *before = hush();
  bool found = bfd_find_nearest_line(image->file, image->text, symbols,
                                     address - image->text_low, &location->file,
                                     &location->function, &location->line);
  set_stderr(before);
  return found && location->file && location->function && location->line;
}

const char *gp_image_plain_name(const gp_image *image, const char *name) {
  return image->leading && name[0] == image->leading ? name + 1 : name;
}

char *gp_image_demangle(const gp_image *image, const char *name) {
  return bfd_demangle(image->file, name, DMGL_ANSI | DMGL_PARAMS);
}

bool gp_image_demangling_style(const char *name) {
  enum demangling_styles style = cplus_demangle_name_to_style(name);
  if (style == unknown_demangling) return false;
  cplus_demangle_set_style(style);
  return true;
}
