/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the decompressor of MiniDebugInfo.
 *
 * Parts: choices (whether the data is compressed first, and which byte of the result is
 * damaged), the data.
 *
 * Properties: compressed data is unpacked unchanged. If a byte of it is damaged, that is
 * an error, or makes no difference: the last bits of the compressor have no meaning.
 */
#include <string.h>

#include "../support.h"
#include "lua/xz.c"  // NOLINT(bugprone-suspicious-include): its function is static

const size_t fuzz_part_count = 2;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Memory of the compressor. To map and unmap it would take most of the time of an
 * execution. */
static unsigned char memory[4 << 20];
static size_t memory_used;

static void *take_memory(void *context, size_t count, size_t size) {
  (void)context;
  size_t bytes = (count * size + 15) & ~(size_t)15;
  FUZZ_HOLDS(bytes <= sizeof memory - memory_used);
  memory_used += bytes;
  return memory + memory_used - bytes;
}

static void leave_memory(void *context, void *block) {
  (void)context;
  (void)block;
}

/* Compresses a part. Damages the byte at `place`, if it exists. */
static void check_packed(fuzz_part part, size_t place) {
  static uint8_t packed[1 << 17];
  static const lzma_allocator allocator = {take_memory, leave_memory, NULL};
  unsigned char *bytes;
  size_t used = 0, length;
  memory_used = 0;
  FUZZ_HOLDS(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, &allocator, part.bytes,
                                     part.size, packed, &used,
                                     sizeof packed) == LZMA_OK);
  if (place < used) packed[place] ^= 1;
  const char *problem = unpack(packed, used, &bytes, &length);
  FUZZ_HOLDS(!problem || place < used);
  if (!problem) {
    FUZZ_HOLDS(length == part.size);
    FUZZ_HOLDS(length == 0 || (bytes && memcmp(bytes, part.bytes, length) == 0));
    free(bytes);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[2];
  unsigned char *bytes;
  size_t length;
  fuzz_parts(data, size, parts, 2);
  if (fuzz_byte(parts[0], 0) & 1)
    check_packed(parts[1], fuzz_byte(parts[0], 1) | (size_t)fuzz_byte(parts[0], 2) << 8);
  const char *problem = unpack(parts[1].bytes, parts[1].size, &bytes, &length);
  FUZZ_HOLDS(!problem || !bytes);
  free(bytes);
  return 0;
}
