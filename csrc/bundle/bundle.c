/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads the library's modules as bytecode, several times faster than from source.
 *
 * The bytecode of all modules is in one file, which lua/bundle.lua writes. Its layout:
 *
 *     gprof bytecode 4, Lua RELEASE, index LENGTH CHECKSUM
 *     MODULE SIZE TIME SOURCE OFFSET LENGTH CHECKSUM    the index: a line for each
 *                                                       module, sorted
 *     the bytecode of each module, from the end of its source name
 *
 * SIZE and TIME are the signature of the source file, and SOURCE is the checksum of its
 * contents. OFFSET counts from the end of the index. OFFSET and the LENGTHs are decimal,
 * the rest is hexadecimal.
 *
 * Bytecode is used only if the module's source has the recorded signature. Installers may
 * change the time; so if it differs, the checksum decides. The source is loaded if it was
 * edited, or if the bundle is missing, damaged or from another release of Lua. Bytecode
 * is verified before it is loaded, because Lua loads it without checks. The file is
 * mapped, like the core; so it is only ever replaced, never written in place.
 */
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle/bundle.h"
#include "bundle/bytecode.h"

#define GP_BUNDLE "gprof.bundle"

/* The user values of a bundle: the bytes before the source name, which are the same for
 * all main functions of a release of Lua; and the directory of the sources. */
enum { PREFIX = 1, DIRECTORY, USER_VALUES = DIRECTORY };

typedef struct bundle {
  const char *bytes;  /* the mapped file; NULL once closed */
  size_t size;        /* of the file, in bytes */
  const char *index;  /* in `bytes`, as is its end */
  const char *index_end;
} bundle;

/* A line of the index. */
typedef struct entry {
  gp_file_signature signature;
  uint64_t source;    /* checksum of the source */
  uint64_t offset, length, checksum;
} entry;

static int close_bundle(lua_State *L) {
  bundle *b = luaL_checkudata(L, 1, GP_BUNDLE);
  if (b->bytes) munmap((void *)b->bytes, b->size);
  b->bytes = NULL;
  return 0;
}

/* --- reading the file ------------------------------------------------------------ */

/* Returns the bytes at an offset from a position in the file; NULL if they are not all in
 * the file or have another checksum. */
static const char *verified(const bundle *b, const char *from, uint64_t offset,
                            uint64_t length, uint64_t checksum) {
  uint64_t rest = b->size - (size_t)(from - b->bytes);
  if (offset > rest || length > rest - offset) return NULL;
  const char *bytes = from + offset;
  return gp_bytecode_checksum(bytes, (size_t)length) == checksum ? bytes : NULL;
}

/* Skips a text at `*at`. False if there is another text. */
static bool skip(const char **at, const char *text, size_t length) {
  if (strncmp(*at, text, length) != 0) return false;
  *at += length;
  return true;
}

/* Reads a number and the character after it. */
static bool read_number(const char **at, int base, char after, uint64_t *number) {
  char *end;
  *number = strtoull(*at, &end, base);
  if (end == *at || *end != after) return false;
  *at = end + 1;
  return true;
}

/* Finds the index. False if there is none for this Lua. */
static bool find_index(bundle *b) {
  static const char format[] = "gprof bytecode 4, Lua ", number[] = ", index ";
  char header[100];
  uint64_t length, checksum;
  size_t release_length = 0,
         copied = b->size < sizeof header ? b->size : sizeof header - 1;
  const char *at = header, *release = gp_lua_release(&release_length);
  memcpy(header, b->bytes, copied);
  header[copied] = '\0';
  if (!release || !skip(&at, format, sizeof format - 1) ||
      !skip(&at, release, release_length) || !skip(&at, number, sizeof number - 1) ||
      !read_number(&at, 10, ' ', &length) || !read_number(&at, 16, '\n', &checksum))
    return false;
  b->index = verified(b, b->bytes, (uint64_t)(at - header), length, checksum);
  if (!b->index) return false;
  b->index_end = b->index + length;
  return true;
}

/* Returns the text after a module's name and space in the index; NULL if the module is
 * not there. Binary search. */
static const char *find_line(const bundle *b, const char *name) {
  const char *low = b->index, *high = b->index_end;
  size_t length = strlen(name);
  while (low < high) {
    const char *line = low + (high - low) / 2;
    while (line > low && line[-1] != '\n') line--;
    int order = strncmp(name, line, length);
    if (order == 0) order = ' ' - line[length];
    if (order == 0) return line + length + 1;
    if (order < 0) high = line;
    else low = strchr(line, '\n') + 1;
  }
  return NULL;
}

/* Finds a module in the index. */
static bool find_entry(const bundle *b, const char *name, entry *found) {
  const char *at = find_line(b, name);
  return at && read_number(&at, 16, ' ', &found->signature.size) &&
         read_number(&at, 16, ' ', &found->signature.time) &&
         read_number(&at, 16, ' ', &found->source) &&
         read_number(&at, 10, ' ', &found->offset) &&
         read_number(&at, 10, ' ', &found->length) &&
         read_number(&at, 16, '\n', &found->checksum);
}

/* --- loading --------------------------------------------------------------------- */

/* The bytes of a length in bytecode. */
enum { LENGTH_BYTES = (sizeof(size_t) * 8 + 6) / 7 };

/* Writes the length of a string as lua_dump does: the length plus one, in groups of seven
 * bits, the most significant first, with the highest bit set in the last byte. Returns
 * the first byte; the last one is before `end`. */
static char *encode_length(char *end, size_t length) {
  char *at = end;
  size_t rest = length + 1;
  *--at = (char)((rest & 0x7F) | 0x80);
  while (rest >>= 7) *--at = (char)(rest & 0x7F);
  return at;
}

/* The beginning of dumped bytecode. */
typedef struct head {
  char bytes[100];
  size_t length;
} head;

static int append_part(lua_State *L, const void *part, size_t size, void *to) {
  head *h = to;
  size_t room = sizeof h->bytes - h->length;
  (void)L;
  if (size > room) size = room;
  memcpy(h->bytes + h->length, part, size);
  h->length += size;
  return 0;
}

/* Stores the prefix of bytecode in the bundle at index 1. False if the layout of bytecode
 * is unknown. */
static bool make_prefix(lua_State *L) {
  static const char name[] = {(char)(2 | 0x80), '='};
  head code = {.length = 0};
  if (luaL_loadbufferx(L, "", 0, "=", "t") != LUA_OK) lua_error(L);
  lua_dump(L, append_part, &code, 0);
  const char *end = memmem(code.bytes, code.length, name, sizeof name);
  if (!end) return false;
  lua_pushlstring(L, code.bytes, (size_t)(end - code.bytes));
  lua_setiuservalue(L, 1, PREFIX);
  return true;
}

/* Bytecode in pieces: prefix, length and text of the source name, the rest. */
typedef struct pieces {
  struct { const char *bytes; size_t length; } piece[4];
  size_t next;
} pieces;

static const char *next_piece(lua_State *L, void *from, size_t *length) {
  pieces *p = from;
  (void)L;
  if (p->next == sizeof p->piece / sizeof *p->piece) return NULL;
  *length = p->piece[p->next].length;
  return p->piece[p->next++].bytes;
}

/* Loads bytecode of the bundle at index 1. Pushes the function. `name`: "@" and the path
 * of the source. False if Lua rejects it. */
static bool load_code(lua_State *L, const char *bytes, size_t length, const char *name) {
  char digits[LENGTH_BYTES], *end = digits + sizeof digits;
  size_t name_length = strlen(name), prefix_length;
  const char *number = encode_length(end, name_length);
  lua_getiuservalue(L, 1, PREFIX);
  const char *prefix = lua_tolstring(L, -1, &prefix_length);
  pieces code = {{{prefix, prefix_length}, {number, (size_t)(end - number)},
                  {name, name_length}, {bytes, length}}, 0};
  int status = lua_load(L, next_piece, &code, name, "b");
  if (status == LUA_ERRMEM) lua_error(L);
  return status == LUA_OK;
}

/* Pushes the path of a module's source, with "@" before it, and reads its signature.
 * False if there is no such file. `directory` ends in a slash. */
static bool find_source(lua_State *L, const char *directory, const char *module,
                        gp_file_signature *signature) {
  const char *name = strcmp(module, "gprof") == 0 ? "gprof/init"
                                                  : luaL_gsub(L, module, ".", LUA_DIRSEP);
  const char *path = lua_pushfstring(L, "@%s%s.lua", directory, name);
  return gp_read_signature(path + 1, signature);
}

static bool is_same(const char *source, const gp_file_signature *signature,
                    const entry *module) {
  uint64_t sum;
  if (signature->size == module->signature.size &&
      signature->time == module->signature.time)
    return true;
  return gp_bytecode_file_checksum(source, &sum) && sum == module->source;
}

/* Pushes the loader of a module and the path of its source. False if the module is not
 * loaded from the bundle at index 1. */
static bool load_module(lua_State *L, const bundle *b, const char *name,
                        const char *directory) {
  gp_file_signature signature;
  entry module;
  if (!b->bytes || !find_entry(b, name, &module) ||
      !find_source(L, directory, name, &signature))
    return false;
  const char *source = lua_tostring(L, -1);
  if (!is_same(source + 1, &signature, &module)) return false;
  const char *code = verified(b, b->index_end, module.offset, module.length,
                              module.checksum);
  if (!code || !load_code(L, code, (size_t)module.length, source)) return false;
  lua_pushstring(L, source + 1);
  return true;
}

/* bundle(module) -> loader, path of the source; nil for a module that is not loaded from
 * the bundle. So a bundle can be a searcher of `require`. */
static int search(lua_State *L) {
  const bundle *b = luaL_checkudata(L, 1, GP_BUNDLE);
  const char *name = luaL_checkstring(L, 2);
  if (strncmp(name, "gprof", 5) == 0 && (name[5] == '.' || !name[5])) {
    lua_getiuservalue(L, 1, DIRECTORY);
    if (load_module(L, b, name, lua_tostring(L, -1))) return 2;
  }
  luaL_pushfail(L);
  return 1;
}

/* --- opening --------------------------------------------------------------------- */

/* Maps a file. False if it is not a regular file, or empty. */
static bool map_file(bundle *b, const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  void *bytes = MAP_FAILED;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  b->bytes = bytes;
  b->size = (size_t)status.st_size;
  return true;
}

/* Opens the bundle at index 1. False if it is unusable. */
static bool open_bundle(lua_State *L, bundle *b, const char *path) {
  return map_file(b, path) && find_index(b) && make_prefix(L);
}

/* open_bundle(path, directory) -> the bundle; nil if it is unusable. `directory`, which
 * ends in a slash, has the sources of the modules. */
static int open_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  luaL_checkstring(L, 2);
  lua_settop(L, 2);
  bundle *b = lua_newuserdatauv(L, sizeof *b, USER_VALUES);
  *b = (bundle){.bytes = NULL};
  luaL_setmetatable(L, GP_BUNDLE);
  lua_insert(L, 1);
  lua_setiuservalue(L, 1, DIRECTORY);
  if (open_bundle(L, b, path)) lua_pushvalue(L, 1);
  else luaL_pushfail(L);
  return 1;
}

void gp_define_bundle(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__call", search}, {"__gc", close_bundle}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"open_bundle", open_file}, {NULL, NULL}};
  luaL_newmetatable(L, GP_BUNDLE);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
