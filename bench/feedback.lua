--- Measures what sample profiles (--export=sample-profile) do for programs that clang compiles, and prints a Markdown
-- table: user time without a profile, with ours, and with the exact profile of clang's own instrumentation.
--
--     lua5.4 bench/feedback.lua DIRECTORY [ROUNDS [PROGRAM...]]
--
-- Run it in the root of the checkout, after `make`. It needs clang and llvm-profdata, and `apt-get source` for the
-- programs. A directory DIRECTORY/SOURCE that exists already is used as the source. SQLite's must be built with
-- `./configure && make sqlite3.c shell.c`.
--
-- @script feedback
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local meters = require "bench.meter"
local shell = require "bench.shell"
local turns = require "bench.turns"
local workload = require "bench.workload"

local quote = shell.quote

-- All warnings are off but those about profiles.
local FLAGS <const> = "-O2 -Wno-everything -Wbackend-plugin"

-- Recorded runs, whose profiles are added up.
local RECORDED <const> = 10

local programs <const> = {
  { name = "bzip2", source = "bzip2", arguments = "-9c text",
    build = "$CC -o $OUT blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c" },
  { name = "lua", source = "lua5.4", arguments = "script.lua 8",
    build = "rm -f src/luac.c; $CC -DLUA_USE_POSIX -o $OUT src/*.c -lm" },
  { name = "lz4", source = "lz4", arguments = "-9mc text text text text",
    build = "$CC -pthread -Ilib -o $OUT lib/*.c programs/*.c" },
  { name = "lzip (C++)", source = "lzip", arguments = "-4c part part",
    build = [[$CXX -DPROGVERSION='"1"' -o $OUT *.cc]] },
  { name = "minigzip", source = "zlib", arguments = "-9 -c text",
    build = "$CC -DHAVE_UNISTD_H -I. -o $OUT *.c test/minigzip.c" },
  { name = "sqlite", source = "sqlite3", arguments = ":memory: '.read script.sql'",
    build = "$CC -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -o $OUT sqlite3.c shell.c -lm" },
}

local given = assert(arg[1], "usage: lua5.4 bench/feedback.lua DIRECTORY [ROUNDS [PROGRAM...]]")
local dir = assert(shell.capture("realpath " .. quote(given)))
local rounds = tonumber(arg[2] or 11)
local here = assert(shell.capture("realpath " .. quote(root)))

--- Writes the inputs of the programs.
local function write_inputs()
  workload.write(dir, 120000, 500000)
  shell.write(dir .. "/script.sql", [[
    create table t(a integer primary key, b text, c real);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
      insert into t select i, 'row ' || (i * 7919 % 60013), i * 1.5 from n;
    create index tb on t(b);
    select count(*), sum(c) from t where b like 'row 1%';
    select count(*) from t x join t y on x.b = y.b where x.a % 3 = 0;
    select sum(length(b)), avg(c) from t group by a % 100 order by 1;
  ]])
end

--- Compiles a program with more flags. Returns its path, and what the compiler said.
local function compile(program, suffix, flags)
  local out = ("%s/%s.%s"):format(dir, program.source, suffix)
  local source = workload.source(dir, program.source)
  local said = shell.capture(("cd %s && OUT=%s CC=%s CXX=%s; { %s; } 2>&1"):format(quote(source), quote(out),
    quote(("clang %s %s"):format(FLAGS, flags)), quote(("clang++ %s %s"):format(FLAGS, flags)), program.build))
  return out, assert(said, program.name .. ": cannot be compiled")
end

local function run(command, ...) shell.run(("cd %s && "):format(quote(dir)) .. command:format(...)) end

--- Returns the paths of the program without a profile, with ours, and with an exact one.
local function make(program)
  local plain = compile(program, "plain", "")
  local profiled = compile(program, "profiled", "-g -fdebug-info-for-profiling -pg")
  local base = dir .. "/" .. program.source
  run("rm -rf %s.runs && mkdir %s.runs", quote(base), quote(base))
  for i = 1, RECORDED do
    run("lua5.4 %s/gprof.lua --record --output=%s.runs/%d %s %s >/dev/null 2>&1", quote(here), quote(base), i,
      quote(profiled), program.arguments)
  end
  run("lua5.4 %s/gprof.lua --export=sample-profile:%s.prof %s %s.runs 2>/dev/null", quote(here), quote(base),
    quote(profiled), quote(base))
  run("llvm-profdata merge --sample --text -o %s.merged %s.prof %s.prof", quote(base), quote(base), quote(base))
  local ours, said = compile(program, "ours", "-fprofile-sample-use=" .. base .. ".prof")
  if said ~= "" then io.stderr:write(program.name, ": ", said, "\n") end
  local counted = compile(program, "counted", "-fprofile-generate")
  run("LLVM_PROFILE_FILE=%s.raw %s %s >/dev/null", quote(base), quote(counted), program.arguments)
  run("llvm-profdata merge -o %s.exact %s.raw", quote(base), quote(base))
  return { plain, ours, (compile(program, "exact", "-fprofile-use=" .. base .. ".exact")) },
    said == "" and "none" or "some"
end

local function user_times(meter, paths, arguments)
  local times, medians = { {}, {}, {} }, {}
  for _ = 1, rounds do
    for i, path in ipairs(paths) do
      local one = meter:run(quote(path) .. " " .. arguments, dir)
      if one.trouble then error(path .. " " .. one.trouble, 0) end
      table.insert(times[i], one.user)
    end
  end
  for i, list in ipairs(times) do medians[i] = turns.median(list) end
  return medians
end

local wanted = {}
for i = 3, #arg do wanted[arg[i]] = true end
write_inputs()
local meter = meters.open(dir .. "/meter", { timeout = 120 })
print "| program | functions | warnings | no profile | sample profile | | exact profile | |"
print "| --- | --: | --- | --: | --: | --: | --: | --: |"
for _, program in ipairs(programs) do
  if not next(wanted) or wanted[program.source] then
    local paths, warnings = make(program)
    local times = user_times(meter, paths, program.arguments)
    local count = select(2, shell.read(("%s/%s.prof"):format(dir, program.source)):gsub("\n%S", "")) + 1
    print(("| %s | %d | %s | %.2f s | %.2f s | %+.0f %% | %.2f s | %+.0f %% |"):format(program.name, count, warnings,
      times[1], times[2], 100 * (times[2] / times[1] - 1), times[3], 100 * (times[3] / times[1] - 1)))
  end
end
