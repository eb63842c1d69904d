/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file. */
#include "object/image.h"

#include <errno.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/bfd_memory.h"
#include "object/opd.h"

/* Free memory in bytes that suffices for libbfd to recognize the format of any file. */
#define ENOUGH_MEMORY ((size_t)1 << 20)

/* Discards libbfd's warnings. Real failures are returned as errors. */
static void silent(const char *format, va_list arguments) {
  (void)format;
  (void)arguments;
}

/* A stream that discards its output. While libbfd 2.40 recognizes a file's format, it
 * bypasses the error handler and writes to the variable `stderr`. Meanwhile, the variable
 * points to this stream. NULL if there is no memory, or if `stderr` cannot be
 * assigned. */
static FILE *nowhere;

#ifdef __GLIBC__
#define CAN_SET_STDERR 1
#define set_stderr(stream) (stderr = (stream))
#else
#define CAN_SET_STDERR 0
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
  if (CAN_SET_STDERR) nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){0});
  ready = true;
}

/* Makes synthetic symbols: on some targets a function's symbol has the address of a
 * descriptor, and the code has no symbol. Does not make the symbols of PLT stubs
 * ("puts@plt"), which would need the dynamic symbols. False if there is no memory. */
static bool make_symbols(gp_image *image, long static_count, size_t *count) {
  if (image->traits & GP_DESCRIPTORS && bfd_get_arch(image->file) == bfd_arch_unknown)
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

/* libbfd does not set an error code for every failure. */
static bool fail_symbols(gp_error *error) {
  bfd_error_type why = bfd_get_error();
  bool known = why != bfd_error_no_error;
  return gp_fail(error, "symbol table: %s", known ? bfd_errmsg(why) : "cannot be read");
}

/* Fails if most names are missing: then the string table is damaged, and a report would
 * be useless. libbfd returns "(null)" or "" for a name that it cannot read. Local labels
 * may have no name: clang makes such labels for MIPS. */
static bool check_names(asymbol **symbols, long count, gp_error *error) {
  const flagword needs_name = BSF_FUNCTION | BSF_OBJECT | BSF_GLOBAL | BSF_WEAK;
  long named = 0, lost = 0;
  for (long i = 0; i < count; i++) {
    const char *name = symbols[i]->name;
    if (symbols[i]->flags & (BSF_SECTION_SYM | BSF_FILE)) continue;
    if (name && *name && strcmp(name, "(null)") != 0) named++;
    else if (symbols[i]->flags & needs_name) lost++;
  }
  if (lost <= named) return true;
  return gp_fail(error, "symbol table: cannot read the names of %ld symbols", lost);
}

/* Linkers store equal names and common endings of names once, so symbols share some text.
 * The total length of names is limited to these multiples of the file's size and of the
 * number of symbols: a crafted file could give all symbols the same name of several
 * megabytes. */
enum { NAMES_PER_FILE = 2, NAMES_PER_SYMBOL = 512 };

bool gp_image_check_name_lengths(const gp_image *image, asymbol **symbols, size_t count,
                                 gp_error *error) {
  uint64_t limit = NAMES_PER_FILE * (uint64_t)bfd_get_file_size(image->file) +
                   NAMES_PER_SYMBOL * (uint64_t)count;
  uint64_t left = limit;
  for (size_t i = 0; i < count && left > 0; i++)
    if (symbols[i]->name) left -= strnlen(symbols[i]->name, left);
  if (left > 0 || count == 0) return true;
  return gp_fail(error, "symbol table: the names overlap, and together they have %" PRIu64
                 " bytes or more", limit);
}

bool gp_image_read_symbols(gp_image *image, gp_error *error) {
  static const char none[] =
      "has no symbols: use the unstripped file, linked without -s";
  if (image->symbol_count > 0) return true;
  bfd_set_error(bfd_error_no_error);  /* forget earlier errors */
  long room = image->dynamic ? bfd_get_dynamic_symtab_upper_bound(image->file)
                             : bfd_get_symtab_upper_bound(image->file);
  /* libbfd's error for an image without any dynamic symbols */
  if (room < 0 && image->dynamic && bfd_get_error() == bfd_error_invalid_operation)
    room = 0;
  if (room < 0) return fail_symbols(error);
  image->stripped = room == 0;
  if (image->stripped) return gp_fail(error, none);
  free(image->symbols);  /* allocated by a failed attempt */
  image->symbols = malloc((size_t)room);
  if (!image->symbols) return gp_fail_memory(error);
  long count = image->dynamic
                   ? bfd_canonicalize_dynamic_symtab(image->file, image->symbols)
                   : bfd_canonicalize_symtab(image->file, image->symbols);
  if (count < 0) return fail_symbols(error);
  image->stripped = count == 0;
  if (image->stripped) return gp_fail(error, none);
  if (!check_names(image->symbols, count, error) ||
      !gp_image_check_name_lengths(image, image->symbols, (size_t)count, error))
    return false;
  if ((uint64_t)count >= UINT32_MAX / 2)
    return gp_fail(error, "symbol table: too many symbols (%ld)", count);
  image->symbol_count = (size_t)count;
  if (image->traits & GP_ISA_BIT)
    gp_elf_machine_clear_isa_bit(image->symbols, (size_t)count);
  if (add_synthetic(image, count)) return true;
  free(image->synthetic);
  image->synthetic = NULL;
  image->symbol_count = 0;  /* mark as not read */
  return gp_fail_memory(error);
}

/* In a debugging file, .text has a size but no contents. The size may be at most this
 * multiple of the file size. */
#define MAX_TEXT_RATIO 16

uint64_t gp_image_code_limit(const gp_image *image) {
  uint64_t limit = bfd_get_file_size(image->file);
  bool present =
      !image->text || (bfd_section_flags(image->text) & SEC_HAS_CONTENTS) != 0;
  return present ? limit : limit * MAX_TEXT_RATIO;
}

bool gp_image_has_code(const gp_image *image, asection *section) {
  const flagword code = SEC_CODE | SEC_ALLOC;
  return section == image->text ||
         ((bfd_section_flags(section) & code) == code &&
          (bfd_get_file_flags(image->file) & (EXEC_P | DYNAMIC)) != 0);
}

gp_range gp_image_code_of(const gp_image *image, asection *section) {
  uint64_t low = bfd_section_vma(section), size = bfd_section_size(section);
  uint64_t limit = gp_image_code_limit(image), room = UINT64_MAX - low;
  if (size > limit) size = limit;
  return (gp_range){low, low + (size < room ? size : room)};
}

asection *gp_image_code_section(const gp_image *image, uint64_t address) {
  for (asection *s = image->file->sections; s; s = s->next) {
    gp_range code = gp_image_code_of(image, s);
    if (gp_image_has_code(image, s) && gp_range_has(code, address))
      return s;
  }
  return NULL;
}

/* Returns the largest section with code; NULL if there is none. Boards have programs
 * without .text, with sections such as .flash.text and .iram0.text. */
static asection *largest_code(const gp_image *image) {
  asection *largest = NULL;
  for (asection *s = image->file->sections; s; s = s->next)
    if (gp_image_has_code(image, s) &&
        (!largest || bfd_section_size(s) > bfd_section_size(largest)))
      largest = s;
  return largest;
}

/* Finds .text and the bounds of all code. */
static bool find_text(gp_image *image, gp_error *error) {
  image->text = bfd_get_section_by_name(image->file, ".text");
  if (!image->text) image->text = largest_code(image);
  if (!image->text) return gp_fail(error, "has no section .text");
  image->code = gp_image_code_of(image, image->text);
  image->text_low = image->code.low;
  image->text_high = image->code.high;
  for (asection *s = image->file->sections; s; s = s->next) {
    gp_range code = gp_image_code_of(image, s);
    if (!gp_image_has_code(image, s) || code.low == code.high) continue;
    if (code.low < image->code.low) image->code.low = code.low;
    if (code.high > image->code.high) image->code.high = code.high;
  }
  return true;
}

/* Whether libbfd relocates debugging information while reading it. libbfd does so in
 * unlinked files, and for stabs in all files with relocations. A relocation refers to a
 * symbol by its number in the table passed to libbfd, so the table must be complete. */
static bool relocates_debug(bfd *file) {
  flagword flags = bfd_get_file_flags(file);
  if (!(flags & HAS_RELOC)) return false;
  return !(flags & (EXEC_P | DYNAMIC)) || bfd_get_section_by_name(file, ".stab");
}

static void read_properties(gp_image *image) {
  enum bfd_flavour flavour = bfd_get_flavour(image->file);
  image->layout.big_endian = bfd_big_endian(image->file);
  image->layout.pointer_size = bfd_get_arch_size(image->file) == 32 ? 4 : 8;
  /* a long is 4 bytes wide even on 64-bit Windows */
  image->layout.narrow_counts = flavour == bfd_target_coff_flavour;
  image->leading = bfd_get_symbol_leading_char(image->file);
  image->traits = gp_elf_machine_traits(image->file);
  image->relocates_debug = relocates_debug(image->file);
  image->typed = flavour == bfd_target_elf_flavour ||
                 flavour == bfd_target_coff_flavour ||
                 flavour == bfd_target_xcoff_flavour;
}

/* Whether the first character makes libbfd try a text format: extended Tektronix hex,
 * Intel hex, Motorola S-records, and S-records with symbols. No program is profiled in
 * these formats. libbfd would read Tektronix hex in quadratic time, with 8 KiB of memory
 * per byte. */
static bool is_text(bfd *file) {
  static const char texts[] = {'%', ':', 'S', '$'};
  char first;
  return bfd_bread(&first, 1, file) == 1 && memchr(texts, first, sizeof texts);
}

static bool has_memory(void) {
  void *volatile probe = malloc(ENOUGH_MEMORY);  /* volatile: not optimized away */
  bool is_there = probe != NULL;
  free(probe);
  return is_there;
}

/* Recognizes the format and reads the properties of the file. */
static bool load(gp_image *image, gp_error *error) {
  if (!image->file) return gp_fail(error, "%s", bfd_errmsg(bfd_get_error()));
  image->file->flags |= BFD_DECOMPRESS;  /* debugging sections may be compressed */
  if (is_text(image->file))
    return gp_fail(error, "is a text file, not an object file");
  if (!has_memory()) return gp_fail_memory(error);  /* libbfd 2.40 would crash */
  FILE *before = hush();
  bool is_object = bfd_check_format(image->file, bfd_object);
  set_stderr(before);
  if (!is_object && !has_memory()) return gp_fail_memory(error);
  if (!is_object)
    return gp_fail(error, "is not an object file (%s)", bfd_errmsg(bfd_get_error()));
  if (bfd_stat(image->file, &image->status) < 0)
    return gp_fail(error, "%s", bfd_errmsg(bfd_get_error()));
  read_properties(image);
  return true;
}

static bool load_file(gp_image *image, const char *path, gp_error *error) {
  struct stat status;
  if (stat(path, &status) < 0) return gp_fail(error, "%s", strerror(errno));
  if (S_ISDIR(status.st_mode)) return gp_fail(error, "is a directory");
  /* libbfd would block until a writer opens the pipe, and then fail to seek */
  if (S_ISFIFO(status.st_mode))
    return gp_fail(error, "is a pipe: an object file cannot be read from a pipe");
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

/* Allocates an empty image. NULL if there is no memory. */
static gp_image *new_image(gp_error *error) {
  prepare_bfd();
  gp_image *image = gp_column(1, sizeof *image);
  if (image) image->near = gp_column(1, sizeof *image->near);
  if (image) image->demangler = gp_column(1, sizeof *image->demangler);
  if (image && image->near && image->demangler) return image;
  gp_image_close(image);
  gp_fail_memory(error);
  return NULL;
}

/* Returns the image if opening it succeeded; otherwise closes it and returns NULL. */
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
  free(image->demangler);
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

bool gp_image_locate(const gp_image *image, uint64_t address, gp_location *location) {
  static asymbol *none[] = {NULL};  /* then only debugging information is used */
  bool known = image->symbol_count > 0;
  memset(location, 0, sizeof *location);
  if (image->relocates_debug && !known) return false;  /* libbfd needs the symbols then */
  asymbol **symbols = image->relocates_debug ? image->symbols
                      : known ? gp_near_symbols_find(image->near, address) : none;
  if (!symbols) return false;
  FILE *before = hush();  /* libbfd may open another file with debugging information */
  bool found = bfd_find_nearest_line(image->file, image->text, symbols,
                                     address - image->text_low, &location->file,
                                     &location->function, &location->line);
  set_stderr(before);
  return found && location->file && location->function && location->line;
}

const char *gp_image_plain_name(const gp_image *image, const char *name) {
  return image->leading && name[0] == image->leading ? name + 1 : name;
}

bool gp_image_demangle(const gp_image *image, const char *name, bool parameters,
                       char **demangled) {
  return gp_demangle(image->demangler, gp_image_plain_name(image, name), parameters,
                     demangled);
}

bool gp_image_demangling_style(const char *name) {
  enum demangling_styles style = cplus_demangle_name_to_style(name);
  if (style == unknown_demangling) return false;
  cplus_demangle_set_style(style);
  return true;
}

bool gp_symbol_is_code(const asymbol *symbol) {
  flagword others = BSF_SECTION_SYM | BSF_FILE | BSF_DEBUGGING | BSF_SYNTHETIC;
  return symbol->section && symbol->section->flags & SEC_CODE &&
         !(symbol->flags & others);
}
