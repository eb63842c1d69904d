/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols from text files. */
#include "symbols/symfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/reader.h"

/* The longest object or symbol part of a line that GNU gprof reads. */
#define GNU_MAX_BYTES ((size_t)1023)

static const char blanks[] = " \t\r\f\v";

/* --- bytes to lines -------------------------------------------------------- */

/* Whether lines without a symbol are skipped. */
static bool is_lenient(const gp_symfile *file) {
  return !file->policy->symfile_strict && !file->map;
}

/* Reads the whole file. Stops early at binary data: devices such as /dev/zero have no
 * end. */
static bool read_text(gp_symfile *file, gp_reader *reader, gp_error *error) {
  gp_text *text = &file->text;
  size_t got;
  while ((got = gp_reader_available(reader, GP_READER_WINDOW)) > 0) {
    if (text->size + got > GP_TEXT_MAX)
      return gp_fail(error, "has more than %zu MB of text", GP_TEXT_MAX >> 20);
    if (!gp_text_append(text, gp_reader_take(reader, got), got))
      return gp_fail_memory(error);
    if (!is_lenient(file) && memchr(text->bytes + text->size - got, '\0', got)) break;
  }
  return !reader->failed;
}

/* --- lines to symbols ------------------------------------------------------ */

typedef enum line_kind {
  LINE_SYMBOL,
  LINE_SKIPPED,   /* valid, but without a usable symbol */
  LINE_MALFORMED
} line_kind;

/* A parsed line. */
typedef struct row {
  uint64_t address;
  char type;
  const char *name, *object;
} row;

static bool is_blank(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\n');
}

static char *skip_blanks(char *text) {
  while (is_blank(*text)) text++;
  return text;
}

/* Returns the end of a short word. For these, functions of the C library take longer. */
static char *skip_word(char *text) {
  while (*text && !is_blank(*text)) text++;
  return text;
}

/* The value of a hexadecimal digit; 16 for any other byte. */
static unsigned digit_value(char byte) {
  const unsigned digit = (unsigned char)byte - (unsigned)'0';
  const unsigned letter = ((unsigned char)byte | 0x20u) - (unsigned)'a';
  return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

/* Parses hexadecimal digits, perhaps after "0x". Larger numbers become UINT64_MAX. */
static bool parse_address(const char *word, const char *end, uint64_t *address) {
  uint64_t value = 0;
  if (end - word > 18) return false;
  if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) word += 2;
  if (word >= end) return false;
  for (; word < end; word++) {
    const unsigned digit = digit_value(*word);
    if (digit > 15) return false;
    value = value >> 60 ? UINT64_MAX : value << 4 | digit;
  }
  *address = value;
  return true;
}

/* Parses "ADDRESS TYPE NAME"; ignores the rest of the line. Undefined symbols have no
 * address. A symbol may have an empty name after the space, like some symbols in ARM's C
 * library. Only a line with a symbol is modified. */
static line_kind parse_symbol(char *line, row *r) {
  char *address = skip_blanks(line), *address_end = skip_word(address);
  char *type = skip_blanks(address_end), *type_end = skip_word(type);
  char *name = skip_blanks(type_end);
  if (!*address) return LINE_SKIPPED;
  if (address_end == address + 1 && strchr("UuwvV", *address) && *type)
    return LINE_SKIPPED;
  if (!parse_address(address, address_end, &r->address)) return LINE_MALFORMED;
  if (type_end != type + 1) return LINE_MALFORMED;
  if (!*name) return *type_end == ' ' ? LINE_SKIPPED : LINE_MALFORMED;
  name[strcspn(name, blanks)] = '\0';
  r->type = *type;
  r->name = name;
  return LINE_SYMBOL;
}

/* nm prints this for an object file without symbols. */
static bool says_no_symbols(const char *line) {
  return strncmp(line, "No symbols in ", 14) == 0;
}

/* Parses "OBJECT:ADDRESS TYPE NAME". Objects in archives and C++ names also contain
 * colons, so the object ends at the first colon that is followed by a symbol. */
static line_kind parse_map_line(char *line, row *r) {
  if (!line[strspn(line, blanks)] || says_no_symbols(line)) return LINE_SKIPPED;
  for (char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
    const char *word = colon + 1 + strspn(colon + 1, blanks);
    if (word[strcspn(word, " \t\r\f\v:")] == ':') continue;  /* it is no address */
    line_kind kind = parse_symbol(colon + 1, r);
    if (kind == LINE_MALFORMED) continue;
    *colon = '\0';
    r->object = line;
    return colon > line ? kind : LINE_MALFORMED;
  }
  return LINE_MALFORMED;
}

/* Parses a map line as GNU gprof does. The object's name ends before the first colon or
 * after 1023 bytes. The symbol's name begins after the last space. Text between them is
 * ignored. The rest of the line must have fewer than 1023 bytes. Lines other than the
 * first may be indented. */
static line_kind parse_gnu_map_line(char *line, bool first, row *r) {
  if (!first) line += strspn(line, blanks);
  if (!first && !*line) return LINE_SKIPPED;
  size_t length = strcspn(line, ":");
  if (says_no_symbols(line)) return line[length] ? LINE_MALFORMED : LINE_SKIPPED;
  if (length > GNU_MAX_BYTES) length = GNU_MAX_BYTES;
  if (length == 0 || !line[length]) return LINE_MALFORMED;
  char *rest = line + length + 1, *space = strrchr(rest, ' ');
  if (!space || strlen(rest) >= GNU_MAX_BYTES) return LINE_MALFORMED;
  line[length] = '\0';
  r->object = line;
  r->name = space + 1;
  return LINE_SYMBOL;
}

static bool append(gp_symfile *file, const row *r, gp_error *error) {
  if (!GP_RESERVE(&file->capacity, file->count + 1, GP_COLUMN(file->address),
                  GP_COLUMN(file->type), GP_COLUMN(file->name), GP_COLUMN(file->object)))
    return gp_fail_memory(error);
  file->address[file->count] = r->address;
  file->type[file->count] = r->type;
  file->name[file->count] = r->name;
  file->object[file->count++] = r->object;
  return true;
}

static bool parse_lines(gp_symfile *file, gp_error *error) {
  if (file->text.size == 0) return true;
  char *const stop = file->text.bytes + file->text.size;
  const bool zeros = memchr(file->text.bytes, '\0', file->text.size) != NULL;
  size_t number = 0;
  for (char *line = file->text.bytes, *end; line < stop; line = end + 1) {
    row r = {0};
    end = memchr(line, '\n', (size_t)(stop - line));
    if (!end) end = stop;
    bool binary = zeros && memchr(line, '\0', (size_t)(end - line)) != NULL;
    *end = '\0';
    number++;
    line_kind kind = binary                     ? LINE_MALFORMED
                     : !file->map               ? parse_symbol(line, &r)
                     : file->policy->map_strict ? parse_map_line(line, &r)
                     : parse_gnu_map_line(line, line == file->text.bytes, &r);
    if (kind == LINE_SYMBOL && !append(file, &r, error)) return false;
    if (kind == LINE_MALFORMED && !is_lenient(file))
      return gp_fail(error, "line %zu: expected '%sADDRESS TYPE NAME'", number,
                     file->map ? "OBJECT:" : "");
  }
  return true;
}

/* Rejects a file whose addresses are all zero: /proc/kallsyms shows zeros to all users
 * except root. A single symbol may be at zero. Maps of object files are not checked,
 * because many of their symbols are at zero. */
static bool check_addresses(const gp_symfile *file, gp_error *error) {
  uint64_t any = 0;
  for (size_t i = 0; i < file->count; i++) any |= file->address[i];
  return any || file->count < 2 ||
         gp_fail(error, "all addresses are zero; if these are the kernel's symbols, "
                 "read /proc/kallsyms as root");
}

bool gp_symfile_read(gp_symfile *file, const char *path, bool map,
                     const gp_policy *policy, gp_error *error) {
  gp_reader reader;
  *file = (gp_symfile){.map = map, .policy = policy};
  if (!gp_reader_open(&reader, path, error)) return false;
  bool done = read_text(file, &reader, error);
  gp_reader_close(&reader);
  done = done && parse_lines(file, error) &&
         (map || is_lenient(file) || check_addresses(file, error));
  if (!done) gp_symfile_free(file);
  return done;
}

void gp_symfile_free(gp_symfile *file) {
  gp_text_free(&file->text);
  free(file->address);
  free(file->type);
  free(file->name);
  free(file->object);
  memset(file, 0, sizeof *file);
}
