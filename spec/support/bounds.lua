-- What reading foreign bytes may cost. doc/security.md states these bounds, and bounds_spec checks them with the worst
-- inputs that are known. The limits of the fuzzers follow from them.
-- SPDX-License-Identifier: GPL-3.0-or-later

local bounds = {}

--- The most that n bytes may cost, by reader: { a, b, c, d }.
--
-- - time: a instructions for each byte, and b million instructions
-- - memory: c bytes of the heap for each byte, and d megabytes (1,048,576 bytes each)
bounds.readers = {
  ["profiles"] = { 150, 1, 8, 1 },
  ["context profiles"] = { 120, 70, 16, 20 },
  ["symbols of executables"] = { 200, 2, 64, 2 },
  ["`.gnu_debugdata`, unpacked"] = { 200, 20, 16, 160 },
  ["debugging files"] = { 50, 2, 8, 2 },
  ["line tables"] = { 2000, 100, 300, 8 },
  ["inlined functions"] = { 2000, 100, 300, 8 },
  ["machine code"] = { 1000, 5, 32, 4 },
  ["symbol files"] = { 500, 2, 64, 2 },
  ["maps of object files"] = { 300, 3, 16, 2 },
  ["mangled names"] = { 8000, 2000, 100, 40 },
  ["source text"] = { 300, 5, 100, 4 },
  ["option files"] = { 8000, 100, 200, 2 },
  ["archives"] = { 150, 1, 8, 2 },
  ["lists of profiles"] = { 2500, 4, 64, 2 },
  ["answers of processes"] = { 300, 1, 8, 1 },
  ["exported JSON"] = { 8000, 3, 100, 1 },
  ["`bb.out`"] = { 1000, 2, 16, 4 },
}

--- Returns the most that a reader may cost.
-- @tparam string reader
-- @tparam integer size in bytes
-- @treturn integer instructions
-- @treturn integer bytes of the heap
function bounds.most(reader, size)
  local a, b, c, d = table.unpack(bounds.readers[reader])
  return a * size + b * 1000000, c * size + (d << 20)
end

-- Fuzzing -------------------------------------------------------------------------------------------------------------

-- The readers of each target of the fuzzer. Other targets may use all. Some targets read an input several `times`.
local read_by <const> = {
  gmon = { "profiles", "context profiles", times = 4 }, sums = { "profiles", "context profiles", times = 4 },
  lines = { "line tables" }, frames = { "inlined functions", "line tables" },
  split = { "inlined functions", "line tables", times = 2 },
  archives = { "archives", times = 4 },
  symbols = { "symbol files", "maps of object files" }, names = { "mangled names" }, blocks = { "`bb.out`" },
  options = { "option files" }, symspecs = { "option files" }, lists = { "lists of profiles" },
  answers = { "answers of processes" }, sources = { "source text" },
  exports = { "exported JSON" }, images = { "symbols of executables" }, unpack = { "`.gnu_debugdata`, unpacked" },
  pads = { "machine code" }, terminal = { "source text" },
}

-- Instructions per second of processor time, with sanitizers, but counted as without sanitizers. In each run, the
-- fuzzer itself needs some time and memory, too.
local SPEED <const> = 50000000
local OWN_SECONDS <const>, OWN_REQUEST <const>, OWN_MEMORY <const> = 2, 4, 960

--- Returns the limits of a fuzzer's target for inputs up to a size: one run of the target may take all that its readers
-- may cost, one after the other.
-- @tparam string target
-- @tparam integer size in bytes
-- @treturn {string,...} options of libFuzzer
-- @treturn integer seconds of processor time
function bounds.fuzzer_options(target, size)
  local instructions, bytes = 0, 0
  local all = {}
  for reader in pairs(bounds.readers) do table.insert(all, reader) end
  local readers = read_by[target] or all
  for _, reader in ipairs(readers) do
    local work, memory = bounds.most(reader, size)
    instructions, bytes = instructions + work * (readers.times or 1), bytes + memory
  end
  local megabytes = (bytes >> 20) + 1
  local options = { ("-malloc_limit_mb=%d"):format(OWN_REQUEST + megabytes),
    ("-rss_limit_mb=%d"):format(OWN_MEMORY + megabytes), ("-max_len=%d"):format(size) }
  return options, OWN_SECONDS + instructions // SPEED + 1
end

return bounds
