-- --record of programs as they are installed: stripped programs, scripts, and what cannot be recorded.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local dir <const> = shell.tmpdir "any_program"

-- Takes 0.1 seconds in `exported`, whose name -rdynamic keeps, and 0.2 in `internal`; with arguments, a tenth.
local source <const> = shell.write(dir .. "/work.c", [[
#include <time.h>
static volatile double sum;
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
#define WORK(name) __attribute__((noinline)) name(double until) { \
  while (used() < until) for (int i = 0; i < 100000; i++) sum += 1; }
void WORK(exported)
static void WORK(internal)
int main(int count, char **words) {
  double unit = count > 1 ? 0.01 : 0.1;
  exported(unit); internal(3 * unit); (void)words;
  return 0;
}
]])

local function compile(name, ...)
  local path = dir .. "/" .. name
  shell.check { "gcc", "-O1", "-o", path, source, ... }
  return path
end

-- Compiles a program, and strips it. Returns its path; that of the whole program is the same with ".whole".
local function compile_stripped(name, ...)
  local path = dir .. "/" .. name
  shell.check { "strip", "-o", path, compile(name .. ".whole", ...) }
  return path
end

local exporting <const>, stripped <const> = compile_stripped("exporting", "-rdynamic"), compile_stripped "stripped"

-- Returns the name of a function in a stripped program.
local function name_in(name, f)
  return ("<%s+0x%x>"):format(name, build.address(dir .. "/" .. name .. ".whole", f))
end

-- Records a program. Returns the directory of its profile.
local function record(path)
  local result, where = recorder.record(path)
  assert.same({ 0, ("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(path) },
    { result.status, result.stderr })
  return where
end

-- The same, for specs that do not depend on where the samples are: they share a profile, and must not change it.
local records = {}
local function record_once(path)
  records[path] = records[path] or record(path)
  return records[path]
end

local function read(path, where, options)
  local image = assert(gprof.image(path))
  return assert(gprof.profile(image, assert(gprof.data(image, where .. "/gmon.out")), options))
end

-- Returns the profile of a program that is recorded anew.
local function profile_of(path)
  return read(path, record(path), { libraries = true })
end

-- Returns the time of all functions whose names begin with a word.
local function time_of(profile, word)
  local time = 0
  for name, self in profile:functions("self", "name", "self") do
    if name:sub(1, #word) == word then time = time + self end
  end
  return time
end

describe("--record of a stripped program", function()
  it("names the functions of its dynamic symbols; others are named by their addresses", function()
    sampled.decide(function()
      local where = record(exporting)
      for _, options in ipairs { { libraries = true }, {} } do
        local profile = read(exporting, where, options)
        assert.near(0.1, time_of(profile, "exported"), 0.03)
        assert.near(0.2, time_of(profile, name_in("exporting", "internal")), 0.04)
      end
    end)
  end)

  it("has no names for a linker, as there are no symbols", function()
    local where = record_once(stripped)
    assert.equal("", program.run({ "-r", stripped, where .. "/gmon.out" }).stdout)
  end)

  it("finds functions if there are no symbols at all", function()
    sampled.decide(function()
      local profile = profile_of(stripped)
      assert.near(0.1, time_of(profile, name_in("stripped", "exported")), 0.03)
      assert.near(0.2, time_of(profile, name_in("stripped", "internal")), 0.04)
      assert.near(0.3, profile:find(name_in("stripped", "main")).children, 0.05)
    end)
  end)

  it("has one function for code without unwind tables", function()
    local path = compile("tableless", "-s", "-fno-asynchronous-unwind-tables")
    sampled.decide(function()
      assert.near(0.3, time_of(profile_of(path), "<tableless>"), 0.05)
    end)
  end)

  it("finds its names in a debugging file", function()
    local path, whole = dir .. "/linked", compile "whole"
    shell.check { "objcopy", "--only-keep-debug", whole, dir .. "/linked.debug" }
    shell.check { "objcopy", "--strip-all", "--add-gnu-debuglink=" .. dir .. "/linked.debug", whole, path }
    sampled.decide(function()
      assert.near(0.2, time_of(profile_of(path), "internal"), 0.04)
    end)
  end)

  it("has a name for each address of its code, and at most one row for the code without names", function()
    local profile = read(exporting, record_once(exporting))
    assert.equal(0, profile.unknown_ticks)
    local rows = 0
    for name in profile:functions("address", "name") do rows = rows + (name == "<exporting>" and 1 or 0) end
    assert.is_true(rows <= 1)
  end)

  it("cannot be read without the context profile, as the message says", function()
    local where = shell.tmpdir "alone"
    shell.check { "cp", record_once(stripped) .. "/gmon.out", where }
    local result = program.run({ "-b", "-p", stripped, "gmon.out" }, { cwd = where })
    assert.same({ "", "gprof.lua: gmon.out: its context profile, gmon.out.ctx, is missing: copy both files, since " ..
      "the program has no symbols\n" }, { result.stdout, result.stderr })
  end)

  it("is refused by --gnu-compat, as GNU gprof refuses it", function()
    local result = program.run({ "--gnu-compat", "-b", "-p", stripped, "gmon.out" }, { cwd = record_once(stripped) })
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.matches(": has no symbols: use the unstripped file, linked without %-s\n$", result.stderr)
  end)
end)

describe("a profile of samples alone", function()
  local function print_flat(...)
    local result = program.run({ exporting, "gmon.out", "-p", ... }, { cwd = record_once(exporting) })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return result.stdout
  end

  it("has no columns for calls; one line says what would add them", function()
    local text = print_flat "-b"
    assert.matches("\nCalls were not counted: compile with %-pg to see them, and times per call%.\n" ..
      "  %%   cumulative   self +\n time   seconds   seconds  name +\n +%d+%.%d%d +%d%.%d%d +%d%.%d%d  [%w<]", text)
    assert.is_nil(text:find "[ /]call[ \n]")
  end)

  it("has no columns for calls in BSD's style, nor an explanation of them", function()
    local text = print_flat "-T"
    assert.matches("\nCalls were not counted: compile with %-pg to see them, and times per call%.\n\n" ..
      "  %%   cumulative   self +\n time   seconds   seconds  name +\n +%d+%.%d +%d%.%d%d +%d%.%d%d  [%w<]", text)
    assert.is_nil(text:find("ms/call", 1, true))
    assert.matches("\nseconds\n\nname +The name of the function", text)
  end)

  it("is shown without advice or a call graph, also without libraries", function()
    local _, where = recorder.record("--no-paths", exporting)
    for _, option in ipairs { "-b", "--no-libraries" } do
      local result = program.run({ "-b", option, exporting, "gmon.out" }, { cwd = where })
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.is_nil(result.stdout:find "Call graph")
    end
  end)

  it("has an explanation without these columns", function()
    local text = print_flat()
    assert.is_nil(text:find("calls", text:find "How to read", true))
    assert.matches("samples are omitted, unless %-z is given", text)
  end)

  it("has a column of errors, and none of calls", function()
    assert.matches("\n time   seconds   seconds    error  name +\n", print_flat("-b", "--errors"))
  end)
end)

describe("--record of a script", function()
  local function script(name, line)
    local path = shell.write(dir .. "/" .. name, line .. "\nno comment\n")
    shell.check { "chmod", "+x", path }
    return path
  end

  it("records its interpreter, which may be found by env, and be a script", function()
    local direct = script("direct", "#!" .. stripped)
    shell.check { "cp", stripped, dir .. "/found" }
    for _, path in ipairs { direct, script("nested", "#! " .. direct .. " -x"),
      script("by_env", "#!/usr/bin/env found"), script("divided", "#!/usr/bin/env -S found a b") } do
      local where = shell.tmpdir "script"
      local result = program.run({ "--record", path }, { cwd = where, timeout = true,
        env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false, PATH = dir .. ":" .. os.getenv "PATH" } })
      local interpreter = path:find "by_env" or path:find "divided"
      assert.same({ 0, ("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(
        interpreter and dir .. "/found" or stripped) }, { result.status, result.stderr })
    end
  end)

  it("passes the arguments that the kernel passes", function()
    local shown = script("shown", "#!/usr/bin/printf %s,%s,%s,%s\\n")
    local alone = shell.run { shown, "a", "b c" }
    assert.equal(alone.stdout, recorder.record("--rate=0", shown, "a", "b c").stdout)
  end)
end)

describe("--record says before the run that", function()
  -- Returns an ELF file with another byte, or with another text of the same length.
  local function changed(name, change)
    local path = shell.write(dir .. "/" .. name, change(shell.read(stripped)))
    shell.check { "chmod", "+x", path }
    return path
  end

  local function says(path, message)
    assert.equal(("gprof.lua: %s: %s\n"):format(path, message), (recorder.record(path).stderr:match "^[^\n]*\n"))
  end

  it("a program is for another architecture", function()
    says(changed("other", function(bytes) return bytes:sub(1, 18) .. "\xf3\0" .. bytes:sub(21) end),
      "is for another processor architecture, and is not recorded")
  end)

  it("a program is linked with musl", function()
    says(changed("musl", function(bytes)
      local at, last = bytes:find "/lib[^%z]*/ld%-linux[^%z]*"
      local name = "/lib/ld-musl-x.so.1"
      return bytes:sub(1, at - 1) .. name .. ("\0"):rep(last - at + 1 - #name) .. bytes:sub(last + 1)
    end), "is linked with musl, and is not recorded: the recorder is for glibc")
  end)
end)
