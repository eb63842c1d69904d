-- Functions that were inlined into the code of shared libraries: every instruction of a program and of two libraries
-- gets a sample, and `image:frames` says to which functions it belongs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

local sources <const> = {
  ["common.h"] = [[
typedef unsigned long number;
#define INLINE static inline __attribute__((always_inline))
INLINE number deep(number n) { return n % 7 * (n + 11) % 13; }
INLINE number middle(number n) { return deep(n) * 5; }
]],
  ["program.c"] = [[
#include "common.h"
__attribute__((noipa)) number work(number n) { return middle(n) + deep(n + 1); }
int main(void) { return (int)work(3); }
]],
  ["one.c"] = [[
#include "common.h"
number (*volatile pointer)(number) = deep;
number work_of_one(number n) { return middle(n) ^ deep(n * 3); }
]],
  ["two.cc"] = [[
namespace two {
template <typename T> struct Shape {
  T width;
  __attribute__((always_inline)) T area(T n) const { return width * n % 13; }
};
}
extern "C" unsigned work_of_two(unsigned n) { return two::Shape<unsigned>{n}.area(n + 1) * 3; }
]],
}

local dir

-- Compiles an object. Returns its path, the addresses of its instructions with debugging information, and its .text.
local function compile(compiler, source, name, ...)
  local path, addresses = dir .. "/" .. name, {}
  shell.check({ compiler, "-O2", "-g", "-Wl,--build-id=none", "-o", path, source, ... }, { cwd = dir })
  local image = gprof.image(path)
  local text = shell.check { "objdump", "-d", "-j", ".text", "--no-show-raw-insn", path }.stdout
  for address in text:gmatch "\n *(%x+):\t" do
    address = tonumber(address, 16)
    if image:frames(address) then addresses[#addresses + 1] = address end
  end
  return { path = path, addresses = addresses, image = image, low = image.text_low, high = image.text_high }
end

-- Returns the objects, and a profile with a sample at each of these addresses.
local function record()
  dir = shell.tmpdir "inlined_libraries"
  for name, text in pairs(sources) do shell.write(dir .. "/" .. name, text) end
  local objects, records, modules = {
    compile("gcc", "program.c", "program", "-no-pie"),
    compile("gcc", "one.c", "one.so", "-shared", "-fPIC"),
    compile("g++", "two.cc", "two.so", "-shared", "-fPIC"),
  }, {}, {}
  for i, object in ipairs(objects) do
    local bias = (i - 1) << 32
    modules[i] = { bias = bias, low = bias + (i == 1 and 0x400000 or 0), high = bias + 0x500000,
      code = bias + object.low, code_end = bias + object.high, path = object.path }
    for _, address in ipairs(object.addresses) do
      records[#records + 1] = { context = 0, from = bias + address, count = 1 }
    end
  end
  return objects, gmon.write(dir .. "/all.ctx", contexts.pack { process = { low = objects[1].low,
    high = objects[1].high, finish = 1 << 60 }, modules = modules, tables = { records } })
end

describe("Functions that were inlined into libraries", function()
  local objects, data

  setup(function() objects, data = record() end)

  local function profile_of(options)
    options.inlines, options.libraries = true, true
    local image = assert(gprof.image(objects[1].path))
    return assert(gprof.profile(image, assert(gprof.data(image, data)), options))
  end

  it("have their samples and stacks, as functions of their library", function()
    local self, stacks, count = {}, {}, 0
    for i, object in ipairs(objects) do
      local suffix = i == 1 and "" or "@" .. object.path:match "[^/]*$"
      for _, address in ipairs(object.addresses) do
        local frames, stack = object.image:frames(address), {}
        for _, frame in ipairs(frames) do table.insert(stack, 1, frame.name .. suffix) end
        local name = table.concat(stack, ";")
        self[stack[#stack]], stacks[name] = (self[stack[#stack]] or 0) + 1, (stacks[name] or 0) + 1000
        count = count + 1
      end
    end
    local profile, found, parts = profile_of { no_demangle = true }, {}, {}
    assert.is_true(profile.exact)
    assert.is_true(profile.has_libraries)
    assert.equal(count, profile.total_ticks)
    for symbol, ticks in profile:functions("self", "symbol", "ticks") do
      if ticks > 0 then found[symbol] = (found[symbol] or 0) + ticks end
    end
    assert.same(self, found)
    assert.is_truthy(self["deep@one.so"])
    profile:report((require "gprof.export.folded"), {}, function(text) parts[#parts + 1] = text end)
    found = {}
    for stack, weight in table.concat(parts):gmatch "([^\n]+) (%d+)\n" do found[stack] = tonumber(weight) end
    assert.same(stacks, found)
  end)

  it("belong to the library, are demangled, and are one with its compiled functions", function()
    local profile, found = profile_of {}, {}
    for name in profile:functions("self", "name") do
      local f = profile:find(name)
      found[name] = f and (f.object or "program")
    end
    assert.equal("program", found.deep)
    assert.equal("one.so", found["deep@one.so"])
    local deep = profile:find "deep@one.so"
    assert.is_number(deep.address)
    assert.is_true(deep.inlined > 0 and deep.inlined < deep.self)
    local area
    for f in profile:functions() do
      if f.name:find "area" then area = { f.name, f.object, f.address, f.file:match "[^/]*$" } end
    end
    assert.same({ "two::Shape<unsigned int>::area(unsigned int) const@two.so", "two.so", nil, "two.cc" }, area)
  end)

  it("are unknown if the library is missing", function()
    local path = objects[2].path
    shell.check { "mv", path, path .. ".away" }
    local profile = profile_of { no_demangle = true }
    shell.check { "mv", path .. ".away", path }
    assert.is_nil((profile:find "deep@one.so"))
    assert.is_true(profile:find "deep".self > 0)
    assert.is_true(profile:find "<one.so>".self > 0)
  end)

  it("have no names if the library has no debugging information", function()
    local path = objects[2].path
    shell.check { "cp", path, path .. ".full" }
    shell.check { "objcopy", "-g", path }
    local profile = profile_of { no_demangle = true }
    shell.check { "mv", path .. ".full", path }
    assert.is_nil((profile:find "middle@one.so"))
    assert.is_true(profile:find "work_of_one@one.so".self > 0)
    assert.is_true(profile:find "middle".self > 0)
  end)

  it("are found in the debugging file of the library", function()
    local path, elsewhere = objects[2].path, shell.tmpdir "elsewhere"
    shell.check { "cp", path, path .. ".full" }
    shell.check { "objcopy", "--only-keep-debug", path, elsewhere .. "/one.debug" }
    shell.check { "objcopy", "--strip-debug", "--add-gnu-debuglink=" .. elsewhere .. "/one.debug", path }
    local result = program.run { "-b", "-p", "--inlines", "--debug-dir=" .. elsewhere, objects[1].path, data }
    shell.check { "mv", path .. ".full", path }
    assert.equal("", result.stderr)
    assert.matches(" middle@one.so\n", result.stdout)
  end)

  it("are missed in one warning if a file of the library is missing, also for both views of a page", function()
    local path = objects[2].path
    shell.check { "cp", path, path .. ".full" }
    shell.check({ "gcc", "-O2", "-g", "-gsplit-dwarf", "-Wl,--build-id=none", "-shared", "-fPIC", "-o", "one.so",
      "one.c" }, { cwd = dir })
    shell.check({ "sh", "-c", "rm *.dwo" }, { cwd = dir })
    for _, words in ipairs { { "-p", "--inlines" }, { "--html=" .. dir .. "/page.html" } } do
      local result = program.run { "-b", objects[1].path, data, table.unpack(words) }
      assert.matches("^gprof.lua: warning: " .. path:gsub("%-", "%%-") .. ": some inlined functions are unknown: " ..
        "%S+%.dwo is missing, or from another build\n$", result.stderr)
    end
    assert.truthy(shell.read(dir .. "/page.html"):find('id="other"', 1, true))
    shell.check { "mv", path .. ".full", path }
  end)
end)
