-- Bounds of inclusive times contain the truth, whatever the division of times among callers was.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local contexts = require "support.contexts"
local elf = require "support.elf"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"
local stacks = require "support.stacks"

-- Only x86-64 code is surveyed.
local machine = io.popen "uname -m":read "l"
if machine ~= "x86_64" then return end

local function make_profile(image, path)
  return assert(gprof.profile(image, assert(gprof.data(image, path)), { bounds = true }))
end

describe("the bounds of random stacks", function()
  local variants = {
    { "-O0" }, { "-O2" }, { "-O2", "-no-pie" }, { "-O2", "-rdynamic", "-fno-plt" }, { "-O1", "-mfentry" },
  }
  local PROGRAMS <const> = chance.thorough and 200 or 20
  local programs = {}

  -- Returns the number of samples with any of some functions on the stack.
  local function truth(samples, names)
    local count = 0
    for _, on_stack in ipairs(samples) do
      for _, name in ipairs(names) do
        if on_stack[name] then
          count = count + 1
          break
        end
      end
    end
    return count
  end

  local function check(node, exact, remark)
    assert.is_true(node.total_low <= exact and exact <= node.total_high, ("%s%s: %g <= %d <= %g"):format(remark,
      node.name, node.total_low, exact, node.total_high))
  end

  -- Many walks through each program. `make bounds-matrix` takes 10,000.
  it("contain the time of each function and cycle", function()
    chance.cases(1, 200)(function(remark, seed)
      local number = seed % PROGRAMS
      math.randomseed(number)
      if not programs[number] then
        programs[number] = stacks.program(variants[number % #variants + 1])
        programs[number].opened = gprof.image(programs[number].image)
      end
      math.randomseed(seed)
      local walk = stacks.walk(programs[number])
      local profile <close> = make_profile(programs[number].opened, walk.profile)
      assert.is_nil(profile:bounds_problem(), remark)
      for f in profile:functions() do
        if programs[number].functions[f.symbol] then check(f, truth(walk.samples, { f.symbol }), remark) end
      end
      for cycle in profile:cycles() do
        local names = {}
        for member in cycle:members() do names[#names + 1] = member.symbol end
        check(cycle, truth(walk.samples, names), remark)
      end
    end)
  end)
end)

describe("the bounds of random graphs", function()
  local FUNCTIONS <const> = 24
  local image = gprof.image(row.image(FUNCTIONS))

  -- Returns an array of the arcs' ends. Some graphs are dense, some are chains with arcs back.
  local function graph()
    local arcs, span = {}, math.random(2, FUNCTIONS)
    for i = 1, math.random(FUNCTIONS * 3) do
      local from = math.random(0, FUNCTIONS - 1)
      arcs[i] = { from, math.random(math.max(0, from - span), math.min(FUNCTIONS - 1, from + span)) }
    end
    return arcs
  end

  -- Returns the set of the functions that can be reached from `start`, but not through `without`.
  local function reached(arcs, start, without, found)
    found = found or {}
    local changed = start ~= without
    if changed then found[start] = true end
    while changed do
      changed = false
      for _, arc in ipairs(arcs) do
        if found[arc[1]] and arc[2] ~= without and not found[arc[2]] then
          found[arc[2]], changed = true, true
        end
      end
    end
    return found
  end

  -- Returns the functions that nothing explains: the first one, and each that the ones before it do not reach.
  local function roots(arcs)
    local found, list = {}, {}
    for f = 0, FUNCTIONS - 1 do
      if not found[f] then
        list[#list + 1] = f
        reached(arcs, f, nil, found)
      end
    end
    return list
  end

  local function sum(weights, set)
    local total = 0
    for f in pairs(set) do total = total + weights[f] end
    return total
  end

  -- Returns the weight of the functions that are no longer reached without `f`.
  local function lower(arcs, first, weights, f)
    local with, without = {}, {}
    for _, root in ipairs(first) do
      reached(arcs, root, nil, with)
      reached(arcs, root, f, without)
    end
    return sum(weights, with) - sum(weights, without)
  end

  it("are those of a search without each function, and from each function", function()
    chance.cases(1, 60)(function(remark)
      local arcs, weights, records = graph(), {}, {}
      for f = 0, FUNCTIONS - 1 do weights[f] = math.random(100) end
      for i, arc in ipairs(arcs) do
        records[i] = { kind = "arc", from = row.address(arc[1]) + 1, self = row.address(arc[2]), count = 1 }
      end
      local histogram = row.histogram(0, 40 * FUNCTIONS, setmetatable(weights, { __index = function() return 0 end }))
      histogram.rate = 1
      records[#records + 1] = histogram
      local profile <close> = make_profile(image, row.profile(records))
      local first = roots(arcs)
      for f = 0, FUNCTIONS - 1 do
        local found = profile:find(row.name(f))
        assert.equal(lower(arcs, first, weights, f), found.total_low, remark .. found.name)
        assert.equal(sum(weights, reached(arcs, f)), found.total_high, remark .. found.name)
      end
    end)
  end)
end)

-- Calls `compare` once, and sorts with it many times. glibc drops the calls that qsort makes.
local callbacks <const> = [[
#include <stdlib.h>
#ifndef PLACE
#define PLACE
#endif
static volatile int sum;
PLACE static int compare(const void *a, const void *b) { for (int i = 0; i < 9; i++) sum += i; return a == b; }
static void early(void) { int a = 1; for (int i = 0; i < 9; i++) sum += i; compare(&a, &a); }
static void sorts(void) { int a[9]; for (int i = 0; i < 9; i++) sum += i; qsort(a, 9, sizeof *a, compare); }
int unused(int x) { __asm__(".nops 4096"); return x; }
int main(void) { for (int i = 0; i < 9; i++) sum += i; early(); sorts(); EXTRA; return 0; }
]]

-- Compiles the program.
local function compile(extra, ...)
  local dir = shell.tmpdir "bounds"
  shell.write(dir .. "/program.c", callbacks)
  local flags = { "-w", "-g", "-O0", "-pg", "-DEXTRA=" .. extra, ... }
  shell.check({ "gcc", "-o", "program", "program.c", table.unpack(flags) }, { cwd = dir })
  return dir .. "/program"
end

-- Returns the image, and data with 100 samples in `compare`, and `arcs` more arcs to no function.
local function data_of(path, rate, arcs)
  local image, addresses = gprof.image(path), build.symbols(path).by_name
  local data = gprof.data.new { image = image }
  local function at(name) return addresses[name][1] end
  local low, high = image.text_low // 16 * 16, math.max(image.text_high, at "compare" + 4)
  local count = (high + 15 - low) // 16 * 4
  assert(data:add_histogram { low = low, high = low + 4 * count, rate = rate, bin_count = count,
    bins = { [(at "compare" + 3 - low) // 4 + 1] = 100 } })
  for _, pair in ipairs { { "main", "early" }, { "main", "sorts" }, { "early", "compare" } } do
    data:add_arc((at(pair[1]) + 15) // 16 * 16, at(pair[2]) + 4, 1)
  end
  for i = 1, arcs or 0 do data:add_arc(low + 16 * (i % 64), at "unused" + i // 64, 1) end
  return image, data
end

-- `stripped` is the path of an image without local symbols.
local function problem_of(path, options, arcs, stripped)
  local image, data = data_of(path, 100, arcs)
  image = stripped and gprof.image(stripped) or image
  options = options or {}
  options.bounds = true
  local profile <close> = assert(gprof.profile(image, data, options))
  assert.equal(profile:bounds_problem() == nil, profile.has_bounds)
  assert.equal(profile.has_bounds, profile:find "main".total_low ~= nil)
  return profile:bounds_problem()
end

-- Makes a profile with 100 samples at an address, and a call of `callee` in `main`.
local function sampled_profile(image, sampled, callee)
  local data, low = gprof.data.new { image = image }, math.min(image.text_low, sampled) // 16 * 16
  local bins = (image.text_high + 15 - low) // 16 * 4
  assert(data:add_histogram { low = low, high = low + 4 * bins, rate = 1, bin_count = bins,
    bins = { [(sampled + 3 - low) // 4 + 1] = 100 } })
  data:add_arc((build.address(image.path, "main") + 15) // 16 * 16, build.address(image.path, callee) + 4, 1)
  local profile = assert(gprof.profile(image, data, { bounds = true }))
  assert.is_nil(profile:bounds_problem())
  return profile
end

describe("bounds", function()
  local path = compile "0"

  it("do not take the only recorded caller of a callback for its only caller", function()
    for _, image_path in ipairs { path, compile("0", '-DPLACE=__attribute__((section("fast")))'),
      compile("0", '-DPLACE=__attribute__((section("fast")))', "-no-pie", "-mcmodel=large") } do
      local image, data = data_of(image_path, 1)
      local profile <close> = assert(gprof.profile(image, data, { bounds = true }))
      local bounds = {}
      for _, name in ipairs { "early", "sorts", "compare", "main" } do
        local f = profile:find(name)
        bounds[name] = { f.total_low, f.total_high }
      end
      assert.same({ early = { 0, 100 }, sorts = { 0, 100 }, compare = { 100, 100 }, main = { 0, 100 } }, bounds)
    end
  end)

  -- With `-z now`, ld has only .got, not .got.plt.
  it("find callbacks whose addresses are offsets from the GOT", function()
    for _, flag in ipairs { "-Wl,-z,lazy", "-Wl,-z,now" } do
      local image, data = data_of(compile("0", "-mcmodel=large", "-fPIE", "-pie", flag), 1)
      local profile <close> = assert(gprof.profile(image, data, { bounds = true }))
      assert.equal(0, profile:find "early".total_low)
    end
  end)

  -- The inner call of `outer` jumps to `last`, above the outer one. Neither function records calls.
  it("let a function that calls itself lead to where it jumps", function()
    local dir = shell.tmpdir "jumps"
    shell.write(dir .. "/program.c", [[
      #define PLAIN __attribute__((noipa, no_instrument_function))
      static volatile int sum;
      PLAIN int last(int x) { sum += x; return x; }
      PLAIN int outer(int x) { if (x > 1) sum += outer(x - 1); return last(x); }
      __attribute__((noipa)) int other(int x) { __asm__(".nops 4096"); return x; }
      int main(int n, char **v) { return outer(n + 1) + other(n); }
    ]])
    shell.check({ "gcc", "-w", "-O2", "-pg", "-o", "program", "program.c" }, { cwd = dir })
    local image = gprof.image(dir .. "/program")
    assert.match("jmp +%x+ <last>", shell.check({ "objdump", "-d", "--disassemble=outer", image.path }).stdout)
    local profile, high = sampled_profile(image, build.address(image.path, "last"), "other"), {}
    for f in profile:functions() do high[f.name] = f.total_high end
    assert.same({ 100, 100, 100, 0 }, { high.main, high.outer, high.last, high.other })
  end)

  -- `quiet` only calls functions of glibc that never call back, unless `extra` gives them something to call.
  -- All samples are in `compare`, or in the stub of the PLT for `strlen`.
  local function highest_of_quiet(extra, in_stub, ...)
    local dir = shell.tmpdir "quiet"
    shell.write(dir .. "/program.c", [[
      #define _GNU_SOURCE
      #include <printf.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
      __attribute__((noipa)) static int quiet(char *s) {
        char *t = malloc(strlen(s) + 1);
        int n = printf("%s", strcpy(t, s));
        free(t);
        return n;
      }
      int unused(int x) { __asm__(".nops 4096"); return x; }
      int main(int n, char **v) { int a[2] = { n, 1 }; qsort(a, 2, 4, compare); return quiet(v[0]); }
    ]] .. extra)
    shell.check({ "gcc", "-w", "-O1", "-pg", "-o", "program", "program.c", ... }, { cwd = dir })
    local image = gprof.image(dir .. "/program")
    local code = shell.check { "objdump", "-d", image.path }.stdout
    local sampled = in_stub and tonumber(code:match "call +(%x+) <strlen@plt>", 16) or
      build.address(image.path, "compare")
    return sampled_profile(image, sampled, "quiet"):find "quiet".total_high
  end

  it("do not let functions of glibc call back if they cannot", function()
    for _, flags in ipairs { {}, { "-fno-plt" }, { "-no-pie" }, { "-O2", "-D_FORTIFY_SOURCE=2" } } do
      assert.equal(0, highest_of_quiet("", false, table.unpack(flags)))
    end
  end)

  it("count the time of stubs for the functions that call them", function()
    for _, flags in ipairs { {}, { "-no-pie" }, { "-fcf-protection" } } do
      assert.equal(100, highest_of_quiet("", true, table.unpack(flags)))
    end
  end)

  it("let functions of glibc call back if the program gives them something to call", function()
    for _, extra in ipairs {
      "void use(void *f) { register_printf_specifier('Y', f, 0); }",
      'void *use(cookie_io_functions_t f) { return fopencookie(0, "r", f); }',
      "void *malloc(size_t n) { return 0; }",
    } do
      assert.equal(100, highest_of_quiet(extra, false), extra)
    end
  end)

  it("are computed only on request, and not under gnu_compat", function()
    local image, data = data_of(path, 1)
    for _, options in ipairs { {}, { bounds = true, gnu_compat = true } } do
      local profile <close> = assert(gprof.profile(image, data, options))
      assert.is_false(profile.has_bounds)
      assert.is_nil(profile:bounds_problem())
      assert.is_nil(profile:find "main".total_high)
    end
  end)

  it("are known for static programs", function()
    assert.is_nil(problem_of(compile("0", "-static")))
  end)

  it("are refused if calls can be missing", function()
    local threads = "pthread_create(0, 0, 0, 0)"
    local stripped = shell.tmpdir() .. "/stripped"
    shell.check { "strip", "-x", "-o", stripped, path }
    for problem, found in pairs {
      ["start threads"] = problem_of(compile(threads)),
      ["switch the recording off"] = problem_of(compile "moncontrol(0)"),
      ["recording off"] = problem_of(compile("moncontrol(0)", "-static")),
      ["a symbol of its own"] = problem_of(path, {}, 0, stripped),
      ["every function has"] = problem_of(path, { no_static = true }),
      ["by line"] = problem_of(path, { line = true }),
      ["which inlined function makes a call"] = problem_of(path, { inlines = true }),
      ["table of calls was full"] = problem_of(path, {}, 500),
    } do
      assert.match(problem, found, 1, true)
    end
  end)

  -- The last entry of glibc's table is never used; the profile has three arcs of its own.
  it("are refused if there are as many calls as glibc's table has room for", function()
    local image = gprof.image(path)
    local low = image.text_low // 16 * 16
    local room = (image.text_high + 15 - low) // 16 * 16 * 3 // 100
    assert.is_nil(problem_of(path, {}, room - 5))
    assert.match("table of calls was full", problem_of(path, {}, room - 4), 1, true)
  end)

  it("are refused if sections overlap", function()
    local bytes = shell.read(path)
    local overlapping = shell.write(shell.tmpdir() .. "/overlapping",
      elf.patch(bytes, ".rodata", { offset = 0, size = #bytes }))
    assert.match("sections of the program overlap", problem_of(path, {}, 0, overlapping), 1, true)
  end)

  it("are known for any number of arcs from the recorder", function()
    local built = compile("0", "-Wl,--build-id=none")
    local image, records = gprof.image(built), {}
    local unused = build.address(built, "unused")
    for i = 1, 500 do
      records[i] = { context = 0, from = image.text_low + 16 * (i % 64), self = unused + i // 64, count = 1 }
    end
    local file = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", contexts.pack { tables = { records },
      process = { low = image.text_low, high = image.text_high },
      modules = { { low = 0, high = image.text_high, code = image.text_low } } })
    local profile <close> = make_profile(image, file)
    assert.is_nil(profile:bounds_problem())
  end)

  local function written(data)
    local file = shell.tmpdir() .. "/gmon.out"
    assert(data:write(file))
    return file
  end

  it("have a mark if they are further apart than a tenth of the run, however the difference is rounded", function()
    for tenths = 0, 9 do
      local low, high = tenths / 10, (tenths + 1) / 10
      local function mark(more)
        local profile = { total = 1, get = function() return low, high + more end }
        return require "gprof.print.bounds".marker(profile)(1)
      end
      assert.same({ " ", "?" }, { mark(0), mark(1e-6) }, tenths)
    end
  end)

  it("are printed in the flat profile and the call graph, with a mark and a remedy", function()
    local file = written(select(2, data_of(path, 100)))
    local flat = program.run { "-b", "-p", "--bounds", path, file }.stdout
    assert.match("\n100.00 +1.00 +1.00 +1 +1.00 +1.00 +1.00 +1.00  compare\n", flat)
    assert.match("\n +0.00 +1.00 +0.00 +1 +0.00 +1.00 +0.00 +1.00%? early\n", flat)
    assert.match("?: they are further apart than a tenth of the\nrun; record call paths", flat, 1, true)
    local graph = program.run { "-b", "-q", "--bounds", path, file }.stdout
    assert.match("\n%[%d%] +100.0 +0.00 +1.00 +0.00 +1.00%? +1 +early %[%d%]\n", graph)
    local plain = program.run { "-b", "--gnu-compat", path, file }.stdout
    assert.equal(plain, program.run { "-b", "--gnu-compat", "--bounds", path, file }.stdout)
  end)

  it("are in the JSON export", function()
    local file = written(select(2, data_of(path, 100)))
    local text = program.run { "--bounds", "--export=json", path, file }.stdout
    assert.match('"name": "early".-"total_low": 0, "total_high": 1[,}]', text)
  end)

  it("are replaced by a warning if they are not known", function()
    local other = compile "moncontrol(0)"
    local file = written(select(2, data_of(other, 100)))
    local result = program.run { "-b", "-p", "--bounds", other, file }
    assert.match("--bounds: there are no bounds: the program can switch the recording off (moncontrol)",
      result.stderr, 1, true)
    assert.equal(program.run { "-b", "-p", other, file }.stdout, result.stdout)
  end)

  it("follow from the calls alone, for a baseline, if the machine code cannot be read", function()
    local file, symbols = written(select(2, data_of(path, 100))), shell.tmpdir() .. "/symbols"
    shell.check { "objcopy", "--only-keep-debug", path, symbols }
    local result = program.run { "--baseline=" .. symbols .. ".json", "--update-baseline", symbols, file }
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.matches('"name": "early"', shell.read(symbols .. ".json"))
  end)
end)
