--- Recognizes the profiles of other tools, and says how to convert or read them. Loaded
-- on demand.
--
-- @internal gprof.cli.advice.foreign_profiles
-- SPDX-License-Identifier: GPL-3.0-or-later

local foreign_profiles = {}

local HEAD <const> = 4096  -- bytes at the beginning of a file that are examined

-- What is wrong, and what to do.
local messages <const> = {
  perf = "is a profile of perf: convert it with 'perf script | lua5.4 " ..
    "examples/perf2gmon.lua PROGRAM PREFIX'",
  perf_text = "is text of perf script: convert it with 'lua5.4 examples/perf2gmon.lua " ..
    "PROGRAM PREFIX < FILE'",
  callgrind = "is a profile of Callgrind or Cachegrind: read it with " ..
    "callgrind_annotate or KCachegrind",
  pprof = "is a profile of pprof: read it with 'go tool pprof'",
  compressed = "is compressed, as profiles of pprof are: read those with " ..
    "'go tool pprof', and decompress others with gunzip",
  gperftools = "is a CPU profile of gperftools: read it with 'pprof PROGRAM FILE'",
  heap = "is a heap profile of gperftools: read it with 'pprof PROGRAM FILE'",
  gcov = "has counts of gcov: run 'gcov --json-format', and convert its output with " ..
    "examples/gcov2blocks.lua",
  gcov_notes = "has notes of gcov, without counts: run 'gcov --json-format', and " ..
    "convert its output with examples/gcov2blocks.lua",
  gcov_text = "has counts of gcov in JSON: convert them with " ..
    "examples/gcov2blocks.lua",
  llvm = "is a profile of LLVM (-fprofile-instr-generate): read it with " ..
    "llvm-profdata and llvm-cov",
  massif = "is a profile of Valgrind's Massif: read it with ms_print",
  dhat = "is a profile of Valgrind's DHAT: read it with dh_view.html",
  oprofile = "is a sample file of OProfile: read it with opreport; for gprof, record " ..
    "with perf and examples/perf2gmon.lua",
  speedscope = "is a profile for speedscope: read it with https://www.speedscope.app",
  cpuprofile = "is a CPU profile of Chrome or Node.js: read it with the browser's " ..
    "developer tools, or with https://www.speedscope.app",
  trace = "is a trace of Chrome: read it with https://ui.perfetto.dev",
  firefox = "is a profile of Firefox: read it with https://profiler.firefox.com",
  v8 = "is a log of V8: read it with 'node --prof-process FILE'",
  folded = "has folded stacks: make a flame graph of it with flamegraph.pl",
  bb_out = "has counts of basic blocks (bb.out): convert them with examples/bbconv.lua",
  tar = "is a tar archive: read it with --profiles-from=tar:FILE",
}

-- The numbers at the beginning of binary files, in both byte orders, and kinds of files.
local magics <const> = {
  { "PERFILE2", "perf" }, { "2ELIFREP", "perf" }, { "PERFFILE", "perf" },
  { "adcg", "gcov" }, { "gcda", "gcov" },
  { "oncg", "gcov_notes" }, { "gcno", "gcov_notes" },
  { "DAE\n", "oprofile" }, { "OPFILE", "oprofile" }, { "\x1f\x8b", "compressed" },
  { "\x81rforpl\xff", "llvm" }, { "\xfflprofr\x81", "llvm" },
  { "\x81Rforpl\xff", "llvm" }, { "\xfflprofR\x81", "llvm" },
  { "\xfflprofi\x81", "llvm" }, { "\x81iforpl\xff", "llvm" },
}

-- Patterns of text files, from the beginning, and kinds of files.
local texts <const> = {
  { "^desc:[^\n]*\ncmd:[^\n]*\ntime_unit:", "massif" },
  { "^# callgrind format", "callgrind" }, { "^#?%s*callgrind format", "callgrind" },
  { "^version:%s*%d+\n[%s%S]-\nevents:", "callgrind" },
  { "^creator:[^\n]*\n[%s%S]-events:", "callgrind" },
  { "^desc:[^\n]*\n[%s%S]-\nevents:", "callgrind" },
  { "^events:", "callgrind" }, { "^fl=[^\n]*\nfn=", "callgrind" },
  { "^v8%-version,", "v8" }, { "^shared%-library,", "v8" }, { "^code%-creation,", "v8" },
  { "^tick,0x", "v8" }, { "^heap profile:", "heap" }, { "^%-%-%- ?heap", "heap" },
  { "^[^\n]-, %d+ basic blocks?", "bb_out" },
  { "^# ========\n# captured on", "perf_text" },
  { "^[^\n]-%s+%d+%s+[%d%.%[%] ]*%d+%.%d+:%s+[^\n]*%S+:", "perf_text" },
  { "^[^%s;]+[^\n]*;[^\n]* %d+\n", "folded" },
}

-- Fields of JSON files, and kinds of files.
local fields <const> = {
  { '"%$schema"%s*:%s*"https?://www%.speedscope%.app', "speedscope" },
  { '"dhatFileVersion"', "dhat" }, { '"traceEvents"', "trace" },
  { '^%s*%[%s*{[^{}]*"ph"%s*:', "trace" },
  { '"gcc_version"', "gcov_text" }, { '"current_working_directory"', "gcov_text" },
  { '"meta"%s*:%s*{[%s%S]-"interval"', "firefox" },
  { '"nodes"%s*:%s*%[', "cpuprofile" }, { '"timeDeltas"', "cpuprofile" },
  { '"head"%s*:%s*{[%s%S]-"functionName"', "cpuprofile" },
  { '"profiles"%s*:%s*%[[%s%S]-"frames"', "speedscope" },
  { '"shared"%s*:%s*{%s*"frames"', "speedscope" },
}

local function find(list, text)
  for _, entry in ipairs(list) do
    if text:find(entry[1]) then return entry[2] end
  end
end

-- Whether a file begins like a CPU profile of gperftools: words with the numbers 0, 3
-- (the number of header words), 0 (the version), the period in microseconds, and 0.
local function is_gperftools(head)
  for _, number in ipairs { "<I8", ">I8", "<I4", ">I4" } do
    local format = number:sub(1, 1) .. number:sub(2):rep(5)
    if #head >= string.packsize(format) then
      local zero, words, version, period, padding = format:unpack(head)
      if zero == 0 and words >= 3 and words < 16 and version == 0 and period > 0 and
        period <= 10000000 and padding == 0
      then
        return true
      end
    end
  end
  return false
end

-- Whether a file is a message of profile.proto, which begins with its first field: a
-- sample type, with two numbers in it.
local function is_pprof(head)
  local length, kind, unit, number
  if head:byte(1) ~= 0x0a or #head < 8 then return false end
  length, kind = head:byte(2, 3)
  if length > 12 or length < 2 or kind ~= 0x08 then return false end
  unit, number = head:byte(5, 6)
  return length == 2 or unit == 0x10 and number ~= nil and
    (head:byte(7) == 0x0a or head:byte(7) == 0x12)
end

--- Recognizes a profile of another tool.
-- @tparam string head the first bytes of the file
-- @treturn string|nil what it is, and what to do; nil if it is not recognized
function foreign_profiles.recognize(head)
  for _, magic in ipairs(magics) do
    if head:sub(1, #magic[1]) == magic[1] then return messages[magic[2]] end
  end
  if require "gprof.cli.sum.name_list".is_archive(head) then return messages.tar end
  local kind = head:find "^%s*[{%[]" and find(fields, head)
  kind = kind or is_gperftools(head) and "gperftools" or is_pprof(head) and "pprof"
  if not kind and not head:find "%z" then kind = find(texts, head) end
  return kind and messages[kind] or nil
end

--- Reads the beginning of a file and recognizes it.
-- @tparam string path of a regular file
-- @treturn string|nil as for `recognize`
function foreign_profiles.of_file(path)
  local file <close> = io.open(path, "rb")
  local head = file and file:read(HEAD)
  return head and foreign_profiles.recognize(head)
end

return foreign_profiles
