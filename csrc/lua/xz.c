/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The module gprof.xz: the function that decompresses .gnu_debugdata for the core. It is
 * a separate shared object, so that the core need not load liblzma; see unpack.h.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "debug/unpack.h"

/* Limits of the decompressed bytes. The first one is enough for the names of a million
 * functions. The others keep a small file from becoming names of that size; symbols
 * compress to a tenth at best. */
#define MAX_BYTES ((size_t)128 << 20)
#define LEAST_BYTES ((size_t)16 << 20)
#define MAX_RATIO 100

/* Limit of the memory that liblzma uses, in bytes: data from xz -9 needs 65 MB. */
#define MAX_MEMORY ((uint64_t)128 << 20)

static const char *problem_of(lzma_ret result) {
  switch (result) {
    case LZMA_STREAM_END: return NULL;
    case LZMA_MEM_ERROR: return "not enough memory";
    case LZMA_MEMLIMIT_ERROR: return "needs too much memory to decompress";
    case LZMA_FORMAT_ERROR: return "is not in xz format";
    case LZMA_OK: return "decompresses to more than 128 MB, or 100 times its size";
    case LZMA_BUF_ERROR: return "is truncated";
    default: return "is damaged";
  }
}

/* Returns how many bytes may be decompressed. */
static size_t limit_of(size_t packed) {
  if (packed > (MAX_BYTES - LEAST_BYTES) / MAX_RATIO) return MAX_BYTES;
  return LEAST_BYTES + packed * MAX_RATIO;
}

/* Grows the output buffer by half, up to a limit. */
static bool make_room(lzma_stream *stream, unsigned char **bytes, size_t *room,
                      size_t limit) {
  size_t grown = gp_capacity(*room, 65536);
  if (grown > limit) grown = limit;
  if (!gp_resize(bytes, grown, 1)) return false;
  stream->next_out = *bytes + *room;
  stream->avail_out = grown - *room;
  *room = grown;
  return true;
}

static lzma_ret run(lzma_stream *stream, unsigned char **bytes) {
  size_t room = 0, limit = limit_of(stream->avail_in);
  lzma_ret result = lzma_stream_decoder(stream, MAX_MEMORY, 0);
  while (result == LZMA_OK && (stream->avail_out > 0 || room < limit)) {
    if (stream->avail_out == 0 && !make_room(stream, bytes, &room, limit))
      return LZMA_MEM_ERROR;
    result = lzma_code(stream, LZMA_FINISH);
  }
  return result;
}

static const char *unpack(const unsigned char *packed, size_t size, unsigned char **bytes,
                          size_t *length) {
  lzma_stream stream = LZMA_STREAM_INIT;
  stream.next_in = packed;
  stream.avail_in = size;
  *bytes = NULL;
  const char *problem = problem_of(run(&stream, bytes));
  *length = (size_t)stream.total_out;
  lzma_end(&stream);
  if (!problem) return NULL;
  free(*bytes);
  *bytes = NULL;
  return problem;
}

/* The only exported symbol. */
__attribute__((visibility("default"))) int luaopen_gprof_xz(lua_State *L);

/* Returns a userdata with the address of unpack(). */
int luaopen_gprof_xz(lua_State *L) {
  luaL_checkversion(L);
  gp_unpack **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = unpack;
  return 1;
}
