--- The programs of bench/truth.lua: those of bench/known.c, and real ones from Debian's source packages.
--
-- Each has a `name`; `source`, the name of its source package, or nil; `build`, a command in which $CC and $CXX are
-- compilers with flags and $OUT is the program; and the words after the program: `counted`, when callgrind counts its
-- instructions, and `recorded`. Recorded runs do the same work several times, because short runs have few samples.
--
-- @module bench.truth_programs
-- SPDX-License-Identifier: GPL-3.0-or-later

local list = {}

for _, name in ipairs { "arguments", "levels", "callbacks", "threads", "recursion" } do
  local has_threads = name == "threads"
  local build = "$CC -pthread -o $OUT $BENCH/known.c" .. (has_threads and " -DTHREADS" or "")
  list[#list + 1] = { name = name, build = build,
    counted = name .. " 1", recorded = name .. (has_threads and " 30" or " 400") }
end

local function repeated(word) return (" " .. word):rep(20) end

for _, real in ipairs {
  { "bzip2", "bzip2", "$CC -o $OUT blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c " ..
    "bzlib.c bzip2.c", "-9c text", "-9c" .. repeated "text" },
  { "clzip", "clzip", [[$CC -DPROGVERSION='"1"' -o $OUT *.c]], "-3c part", "-3c" .. repeated "part" },
  { "lua", "lua5.4", "rm -f src/luac.c; $CC -DLUA_USE_POSIX -o $OUT src/*.c -lm", "script.lua 1", "script.lua 30" },
  { "lz4", "lz4", "$CC -pthread -Ilib -o $OUT lib/*.c programs/*.c", "-9mc text", "-9mc" .. repeated "text" },
  { "lzip", "lzip", [[$CXX -DPROGVERSION='"1"' -o $OUT *.cc]], "-3c part", "-3c" .. repeated "part" },
  { "minigzip", "zlib", "$CC -DHAVE_UNISTD_H -I. -o $OUT *.c test/minigzip.c", "-9 -c text",
    "-9 -c" .. repeated "text" },
  { "ncompress", "ncompress", "$CC -o $OUT compress42.c", "-c text", "-c" .. repeated "text" },
} do
  local name, source, build, counted, recorded = table.unpack(real)
  list[#list + 1] = { name = name, source = source, build = build, counted = counted, recorded = recorded }
end

return list
