-- Profiles in which inlined functions are functions: every instruction gets a sample, and llvm-symbolizer says to which
-- functions it belongs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_tree = require "gprof.analysis.call_tree"
local contexts = require "support.contexts"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local reading = require "support.protobuf"
local shell = require "support.shell"
local small = require "support.small"

local sources <const> = {
  -- a function inlined at two levels and in two callers, calls in inlined code, a function that is also compiled,
  -- recursion that is partly inlined, static functions of the same name
  ["calls.c"] = [[
#include "shared.h"
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE __attribute__((noipa))
INLINE number deep(number n) {
  number s = n;
  for (number i = 0; i < n; i++) s = s * 31 + (s >> 7);
  return s;
}
INLINE number middle(number n) {
  number s = deep(n) * 5;
  for (number i = 0; i < n; i++) s ^= s << 3 ^ i;
  return s;
}
OUTLINE number leaf(number n) { return n * n + 1; }
INLINE number helper(number n) { return leaf(n) * 7 + 1; }
OUTLINE number first(number n) { return middle(n) + helper(n) + n % 11; }
OUTLINE number second(number n) { return deep(2 * n) + helper(n + 1) + n % 13; }
INLINE number both(number n) { return n * n % 17 + n; }
number (*volatile pointer)(number) = both;
OUTLINE number third(number n) { return both(n) * pointer(n); }
OUTLINE number power(number n) { return n < 2 ? n : n % 3 + power(n / 2) * n; }
static number even(number n);
static number odd(number n) { return n == 0 ? 0 : even(n - 1) + n; }
static number even(number n) { return n == 0 ? 1 : odd(n - 1) * n; }
OUTLINE number fourth(number n) { return even(n) + power(n); }
number other(number n);
OUTLINE number fifth(number n) { return shared(n) * 3; }
int main(void) { return (int)(fifth(2) + first(3) + second(4) + third(5) + fourth(6) + other(7)); }
]],
  ["other.c"] = [[
#include "shared.h"
static inline __attribute__((always_inline)) number deep(number n) { return n * n * n / 3; }
__attribute__((noipa)) number other(number n) { return deep(n) + deep(n + 1) % 5 + shared(n); }
]],
  ["shared.h"] = [[
typedef unsigned long number;
static inline __attribute__((always_inline)) number shared(number n) { return n * (n + 3) % 11; }
]],
  ["shapes.cc"] = [[
template <typename T> struct Shape {
  T width, height;
  Shape(T w, T h) : width(w * 3), height(h % 7) {}
  T area() const { return width * height % 13; }
};
template <int N> inline unsigned sum(unsigned n) { return n % N + sum<N - 1>(n * 3); }
template <> inline unsigned sum<0>(unsigned n) { return n; }
__attribute__((noinline)) unsigned work(unsigned n) {
  auto twice = [&](unsigned x) { return x * x % n; };
  return Shape<unsigned>(n, n).area() + Shape<unsigned char>(n, 2).area() + sum<3>(n) + twice(n);
}
int main(int argc, char **) { return work(argc); }
]],
}

-- Lambda expressions in two functions, and in a header's function that is in two units.
local lambdas <const> = {
  ["lambdas.h"] = [[
static inline __attribute__((always_inline)) unsigned shared(unsigned n) {
  auto cube = [](unsigned x) { return x * x * x % 19; };
  return cube(n) + 1;
}
]],
  ["lambdas.cc"] = [[
#include "lambdas.h"
unsigned other(unsigned n);
__attribute__((noinline)) unsigned first(unsigned n) {
  auto half = [&](unsigned x) { return (x >> 1) + n; };
  return half(n * 3) + shared(n);
}
__attribute__((noinline)) unsigned second(unsigned n) {
  auto twice = [](unsigned x) { return x * x % 17; };
  return twice(n + 1);
}
int main(int argc, char **) { return first(argc) + second(argc) + other(argc); }
]],
  ["lambdas_more.cc"] = [[
#include "lambdas.h"
__attribute__((noinline)) unsigned other(unsigned n) { return shared(n + 5) * n; }
]],
}

-- The code of these programs is compiled: compiler, sources and flags.
local programs <const> = {
  { "gcc", "calls.c", "other.c" }, { "clang", "calls.c", "other.c", "-gdwarf-5" }, { "g++", "shapes.cc" },
}

local dir

local function compile(words)
  local argv = { words[1], "-O2", "-g", "-no-pie", "-Wl,--build-id=none", "-o", "image" }
  shell.check(table.move(words, 2, #words, #argv + 1, argv), { cwd = dir })
  return dir .. "/image"
end

-- Returns the addresses of instructions with debugging information.
local function instructions(path)
  local addresses, image = {}, gprof.image(path)
  local text = shell.check { "objdump", "-d", "-j", ".text", "--no-show-raw-insn", path }.stdout
  for address in text:gmatch "\n *(%x+):\t" do
    address = tonumber(address, 16)
    if image:frames(address) then addresses[#addresses + 1] = address end
  end
  image:close()
  return addresses
end

-- Returns the functions at each address, outermost first. A function that was inlined into itself is there once.
local function symbolize(path, addresses)
  local lines, stacks, count = {}, {}, 0
  for i, address in ipairs(addresses) do lines[i] = ("%#x\n"):format(address) end
  local text = shell.check({ "llvm-symbolizer", "--inlines", "--no-demangle", "--functions=linkage", "--obj=" .. path },
    { stdin = shell.write(dir .. "/addresses", table.concat(lines)) }).stdout
  for block in text:gmatch "(.-)\n\n" do
    local stack = {}
    for name in (block .. "\n"):gmatch "([^\n]*)\n[^\n]*\n" do
      if stack[1] ~= name then table.insert(stack, 1, name) end
    end
    count = count + 1
    stacks[addresses[count]] = stack
  end
  assert.equal(#addresses, count)
  return stacks
end

-- Writes a context profile with a sample at each address, without callers.
local function sampled(path, addresses, records)
  local image = gprof.image(path)
  local low, high = image.text_low, image.text_high
  image:close()
  records = records or {}
  for _, address in ipairs(addresses) do records[#records + 1] = { context = 0, from = address, count = 1 } end
  return gmon.write(dir .. "/samples.ctx", contexts.pack { process = { low = low, high = high, finish = 1 << 60 },
    modules = { { bias = 0, low = 0x400000, high = 0x500000, code = low, code_end = high, path = path } },
    tables = { records } })
end

local function profile_of(path, data, options)
  local image = assert(gprof.image(path))
  return assert(gprof.profile(image, assert(gprof.data(image, data)), options or { inlines = true }))
end

-- Runs the program on a profile. Returns what it prints, and its messages.
local function run(...)
  local result = program.run { ... }
  assert.equal(0, result.status, result.stderr)
  return result.stdout, result.stderr
end

local function add(times, key, amount) times[key] = (times[key] or 0) + amount end

-- Returns the ticks of functions by name.
local function self_ticks(profile)
  local self = {}
  for symbol, ticks in profile:functions("self", "symbol", "ticks") do
    if ticks > 0 then add(self, symbol, ticks) end
  end
  return self
end

local function text_of(profile, report, options)
  local parts = {}
  profile:report(report, options or {}, function(text) parts[#parts + 1] = text end)
  return table.concat(parts)
end

-- Returns the time of each function with all that it called or that was inlined into it, and the stacks, from folded
-- stacks.
local function folded(profile)
  local totals, stacks = {}, {}
  for line in text_of(profile, (require "gprof.export.folded")):gmatch "[^\n]+" do
    local words, weight = line:match "^(.*) (%d+)$"
    local seen = {}
    stacks[words] = tonumber(weight)
    for name in words:gmatch "[^;]+" do
      if not seen[name] then add(totals, name, tonumber(weight)) end
      seen[name] = true
    end
  end
  return totals, stacks
end

if not (shell.installed "llvm-symbolizer" and shell.installed "clang") then
  return pending "needs llvm-symbolizer and clang"
end

for _, words in ipairs(programs) do
  describe("With inlined functions, the profile of a program of " .. words[1], function()
    local path, addresses, expected, stacks, exact

    setup(function()
      dir = dir or shell.tmpdir "inlined"
      for name, text in pairs(sources) do shell.write(dir .. "/" .. name, text) end
      path = compile(words)
      addresses = instructions(path)
      stacks, expected = symbolize(path, addresses), {}
      for _, stack in pairs(stacks) do add(expected, stack[#stack], 1) end
      exact = profile_of(path, sampled(path, addresses), { inlines = true, no_demangle = true })
    end)

    it("gives each sample to the innermost function", function()
      local self = self_ticks(exact)
      assert.is_true(exact.exact)
      assert.is_true(exact.has_inlines)
      assert.same(expected, self)
      assert.equal(#addresses, exact.total_ticks)
    end)

    it("has each chain of inlined functions in its stacks", function()
      local wanted = {}
      for _, stack in pairs(stacks) do
        if #stack > 1 then add(wanted, table.concat(stack, ";"), 1000) end
      end
      assert.is_truthy(next(wanted))
      local _, found = folded(exact)
      for stack, weight in pairs(wanted) do assert.equal(weight, found[stack], stack) end
    end)

    it("has the same stacks without call paths, and shares bins", function()
      local image = gprof.image(path)
      local low, bins, shares = image.text_low & ~1, {}, {}
      for bin = 0, (image.text_high - low) // 2 do
        bins[bin + 1] = bin % 7
        for address = low + 2 * bin, low + 2 * bin + 1 do
          local frames = image:frames(address)
          if frames and #frames > 1 then add(shares, frames[1].name, bin % 7 / 2) end
        end
      end
      local data = gmon.write(dir .. "/gmon.out", gmon.magic { records = { { kind = "histogram", low = low,
        high = low + 2 * #bins, bins = bins } } })
      local profile = profile_of(path, data, { inlines = true, no_demangle = true })
      assert.is_false(profile.exact)
      local inlined, sum = {}, 0
      for symbol, ticks, part in profile:functions("self", "symbol", "ticks", "inlined") do
        sum = sum + ticks
        if part > 0 then add(inlined, symbol, part * profile.rate) end
      end
      assert.near(profile.total_ticks, sum, 1e-6)
      for name, ticks in pairs(shares) do
        -- a function that was inlined into itself counts as inlined only if another one is around both
        if name ~= "power" and name ~= "even" and name ~= "odd" then assert.near(ticks, inlined[name], 1e-6, name) end
      end
      local totals = folded(profile)
      for name, ticks in pairs(inlined) do assert.is_true(totals[name] >= ticks * 9999, name) end
      image:close()
    end)
  end)
end

describe("An inlined function", function()
  local path, addresses, stacks

  setup(function()
    path = compile(programs[1])
    addresses = instructions(path)
    stacks = symbolize(path, addresses)
  end)

  local function of(profile, name)
    return (profile:find(name))
  end

  it("has no address and no calls, unless it was also compiled", function()
    local profile = profile_of(path, sampled(path, addresses))
    local deep, both, first = of(profile, "deep"), of(profile, "both"), of(profile, "first")
    assert.same({ nil, nil, 0 }, { deep.address, deep.size, deep.calls })
    assert.equal(deep.self, deep.inlined)
    assert.is_true(both.inlined > 0 and both.inlined < both.self)
    assert.is_number(both.address)
    assert.same({ 0, true }, { first.inlined, first.children > 0 })
  end)

  it("is another function than one of the same name that is declared elsewhere", function()
    for _, flags in ipairs { {}, { "-flto" }, { "-gdwarf-4", "-ffunction-sections" } } do
      local image = compile { "gcc", "calls.c", "other.c", table.unpack(flags) }
      local found = {}
      for f in profile_of(image, sampled(image, instructions(image))):functions() do
        if f.name == "deep" or f.name == "shared" then
          assert.is_true(f.self > 0)
          found[#found + 1] = f.name .. " " .. f.file:match "[^/]*$" .. ":" .. f.line
        end
      end
      table.sort(found)
      assert.same({ "deep calls.c:4", "deep other.c:2", "shared shared.h:2" }, found)
    end
    compile(programs[1])
  end)

  it("is another function than other lambda expressions", function()
    finally(function() compile(programs[1]) end)
    for name, text in pairs(lambdas) do shell.write(dir .. "/" .. name, text) end
    for _, words in ipairs { { "g++" }, { "g++", "-gdwarf-4" }, { "clang++" } } do
      local image = compile { words[1], "lambdas.cc", "lambdas_more.cc", words[2] }
      local found = {}
      for f in profile_of(image, sampled(image, instructions(image))):functions() do
        if f.name:find "operator" and f.self > 0 then found[#found + 1] = f.file:match "[^/]*$" .. ":" .. f.line end
      end
      table.sort(found)
      assert.same({ "lambdas.cc:4", "lambdas.cc:8", "lambdas.h:2" }, found, table.concat(words, " "))
    end
  end)

  it("is found by its file", function()
    local profile = profile_of(path, sampled(path, addresses))
    assert.matches("/other%.c$", of(profile, "other.c:deep").file)
    assert.same({ 2, 1 }, { select("#", profile:find "deep"), select("#", profile:find "calls.c:deep") })
  end)

  it("is below its callers in the call graph, without counts", function()
    local profile = profile_of(path, sampled(path, addresses))
    local found = {}
    for arc in of(profile, "middle"):callers() do found[arc.caller.name] = { arc.inlined, arc.count } end
    for arc in of(profile, "middle"):callees() do found[arc.callee.name] = { arc.inlined, arc.count } end
    assert.same({ first = { true, 0 }, deep = { true, 0 } }, found)
    local report = text_of(profile, "graph", { brief = true })
    assert.matches("%d inlined +middle %[%d+%]\n", (report:gsub(" +inlined", " inlined")))
  end)

  it("counts once for each stack if it was inlined recursively", function()
    local profile = profile_of(path, sampled(path, addresses))
    for _, name in ipairs { "power", "even" } do
      local ticks = 0
      for _, stack in pairs(stacks) do
        local is_there = false
        for _, frame in ipairs(stack) do
          is_there = is_there or frame == name or name == "even" and frame == "odd"
        end
        if is_there then ticks = ticks + 1 end
      end
      local f = of(profile, name) or of(profile, "odd")
      local whole = f.cycle or f
      assert.near(ticks, whole.ticks + whole.children_ticks, 1e-6, name)
    end
  end)

  it("has its own calls if call paths were recorded", function()
    local image, at = gprof.image(path), {}
    for symbol, address in image:symbols("address", "symbol", "address") do at[symbol] = address end
    image:close()
    -- the instruction after the call of leaf in helper, in first
    local text = shell.check { "objdump", "-d", "--no-show-raw-insn", path }.stdout
    local after = text:match "\n%x+ <first>:\n.-call +%x+ <leaf>\n +(%x+):"
    local from = tonumber(after, 16)
    local profile = profile_of(path, sampled(path, {}, {
      { context = 0, from = at.main + 4, self = at.first + 4, count = 2 },
      { context = 3, from = from, self = at.leaf + 4, count = 10 },
      { context = 4, from = at.leaf, count = 5 },
      -- at the start of leaf, before its call was recorded
      { context = 3, from = at.leaf, count = 1 } }))
    local leaf = of(profile, "leaf")
    local arcs = {}
    for arc in leaf:callers() do arcs[arc.caller.name] = arc.count end
    assert.same({ helper = 10 }, arcs)
    local _, found = folded(profile)
    assert.same({ ["main;first;helper;leaf"] = 6000 }, found)
  end)

  it("passes its time to the function around it without call paths", function()
    local image, ticks, first, main = gprof.image(path), {}, nil, nil
    for _, address in ipairs(addresses) do
      if stacks[address][1] == "first" then ticks[address & ~1] = 2 end
    end
    for symbol, address in image:symbols("address", "symbol", "address") do
      if symbol == "first" then first = address end
      if symbol == "main" then main = address end
    end
    image:close()
    local data = small.profile({ image = path, dir = dir }, { ticks = ticks,
      arcs = { { main + 4, first, 3 } } })
    local profile = profile_of(path, data)
    local f = of(profile, "first")
    assert.near(profile.total_ticks, f.ticks + f.children_ticks, 1e-6)
    local time = 0
    for arc in f:callers() do time = time + arc.self + arc.children end
    assert.near(profile.total, time, 1e-6)
  end)

  -- Returns the paths of a tree, with their parts of the time.
  local function paths_of(profile, tree)
    local paths = {}
    local function visit(node, above)
      for _, child in ipairs(node.children) do
        local here = above .. profile:get(child.id, "name")
        assert.is_nil(paths[here], here)
        paths[here] = child.weight / tree.all
        visit(child, here .. ";")
      end
    end
    visit(tree.root, "")
    return paths
  end

  it("is one root of the call tree, with all its copies", function()
    local image, ticks = gprof.image(path), {}
    for i, address in ipairs(addresses) do ticks[address & ~1] = i % 5 + 1 end
    image:close()
    local profile = profile_of(path, small.profile({ image = path, dir = dir }, { ticks = ticks }))
    local _, stacks_by_name = folded(profile)
    local all = 0
    for _, weight in pairs(stacks_by_name) do all = all + weight end
    local wanted <const> = { "deep", "middle", "helper", "both", "shared" }
    for _, names in ipairs { { "deep" }, { "middle" }, { "helper" }, { "both" }, wanted } do
      local from, expected = {}, {}
      for _, name in ipairs(names) do
        for _, f in ipairs { profile:find(name) } do
          if not (name == "deep" and f.file:find "other%.c$") then from[#from + 1] = f.id end
        end
        for stack, weight in pairs(stacks_by_name) do
          local above, own = "", (";" .. stack .. ";"):match(";(" .. name .. ";.*)$")
          if name == "deep" and stack:find "^other" then own = nil end
          for step in (own or ""):gmatch "[^;]+" do
            above = above .. step
            expected[above], above = (expected[above] or 0) + weight / all, above .. ";"
          end
        end
      end
      assert.equal(#names, #from)
      local found = paths_of(profile, call_tree.of(profile, { from = from, least = 0 }))
      for here, part in pairs(expected) do assert.near(part, found[here] or 0, 1e-4, here) end
      for here in pairs(found) do assert.is_truthy(expected[here], here) end
    end
  end)

  it("is not a function by default, by line, and with GNU gprof's behaviour", function()
    local data = sampled(path, addresses)
    for _, options in ipairs { {}, { inlines = true, line = true }, { inlines = true, gnu_compat = true } } do
      local profile = profile_of(path, data, options)
      assert.is_false(profile.has_inlines)
      assert.is_nil(profile:functions()().inlined)
    end
  end)
end)

-- Returns the stacks of an export for pprof, and whether each has a location with several functions.
local function pprof_stacks(text)
  local fields, functions, places = reading.message(text), {}, {}
  for _, bytes in ipairs(fields[5]) do
    local f = reading.message(bytes)
    functions[f[1][1]] = fields[6][f[2][1] + 1]
  end
  for _, bytes in ipairs(fields[4]) do
    local place, names = reading.message(bytes), {}
    for i, line in ipairs(place[4]) do names[i] = functions[reading.message(line)[1][1]] end
    places[place[1][1]] = names
  end
  local stacks, several = {}, {}
  for _, bytes in ipairs(fields[2]) do
    local sample, names, widest = reading.message(bytes), {}, 0
    for _, id in ipairs(reading.numbers(sample[1][1])) do
      for _, name in ipairs(places[id]) do table.insert(names, 1, name) end
      widest = math.max(widest, #places[id])
    end
    local weight, stack = reading.numbers(sample[2][1])[1], table.concat(names, ";")
    if weight > 0 then
      add(stacks, stack, weight // 1000)
      several[stack] = widest
    end
  end
  return stacks, several
end

describe("The option --inlines", function()
  local path, data

  setup(function()
    path = compile(programs[1])
    data = sampled(path, instructions(path))
  end)

  it("prints inlined functions in all reports, and marks them", function()
    local text = run("-b", "-p", "-q", "--tree", "--inlines", path, data)
    assert.matches("\n *[%d.]+ +[%d.]+ +[%d.]+ +deep\n", text)
    assert.matches("\n +[%d.]+ +[%d.]+ +inlined +middle %[%d+%]\n", text)
    assert.matches("first\n[^\n]* middle %(inlined%)\n[^\n]* deep %(inlined%)\n", text)
    assert.is_nil(run("-b", "-p", path, data):find "deep")
    assert.matches("Calls by an inlined\n +function are its own", (run("-q", "--inlines", path, data)))
  end)

  it("says which calls are not known without call paths", function()
    local samples = small.profile({ image = path, dir = dir }, { ticks = { [gprof.image(path).text_low & ~1] = 1 },
      arcs = { { gprof.image(path).text_low + 4, gprof.image(path).text_low, 1 } } })
    local text = run("-q", "--inlines", path, samples)
    assert.matches("\ncalls by inlined functions: counted for the functions around them\n", text)
    assert.matches("count for the compiled function around it", text)
  end)

  it("exports functions without addresses", function()
    local json = run("--export=json", "--inlines", path, data)
    assert.matches('"has_inlines": true,', json)
    assert.matches('"name": "deep".-"address": null, "size": null.-"inlined": 0%.%d+}', json)
    assert.matches('"count": 0, "self": [%d.e-]+, "children": [%d.e-]+, "inlined": true}', json)
    local csv = run("--export=csv", "--inlines", path, data)
    assert.matches("\r\ndeep,deep,[^,]*/calls.c,4,,0.%d+,0,%d+,0,0,\r\n", csv)
    csv = run("--export=csv-arcs", "--inlines", path, data)
    assert.matches("\r\nmiddle,[^,]*/calls.c,,deep,[^,]*/calls.c,,0,", csv)
    assert.is_nil(run("-r", "--inlines", path, data):find "deep")
  end)

  it("exports the same stacks for pprof, with inlined functions in the locations of the functions around them",
    function()
      for _, words in ipairs { programs[3], programs[1] } do
        local image = compile(words)
        local samples = sampled(image, instructions(image))
        local stacks, several = pprof_stacks((run("--export=pprof", "--no-demangle", "--inlines", image, samples)))
        local _, expected = folded(profile_of(image, samples, { inlines = true, no_demangle = true }))
        assert.same(expected, stacks)
        if words == programs[1] then assert.equal(3, several["first;middle;deep"]) end
      end
    end)

  it("is accepted by all exports and reports", function()
    local kinds = { "callgrind", "dot", "speedscope", "folded", shell.installed "dot" and "svg" or nil }
    for _, kind in ipairs(kinds) do assert.matches("deep", (run("--export=" .. kind, "--inlines", path, data))) end
    assert.matches("deep", (run("--html=-", "--inlines", path, data)))
    for _, option in ipairs { "-A", "-C", "-T", "--objects", "--lines", "-c", "-z", "-s" } do
      local text, message = run("-q", option, "--inlines", "--sum-file=" .. dir .. "/sum", path, data)
      assert.is_nil((text .. message):find "stack traceback", option)
    end
  end)

  it("has no effect, and says so, without debugging information, or with other symbols", function()
    shell.check({ "objcopy", "-g", "image", "plain" }, { cwd = dir })
    local _, message = run("-b", "-p", "--inlines", dir .. "/plain", data)
    assert.matches("plain: has no debugging information for the recorded code", message)
    local symbols = shell.write(dir .. "/symbols", "0000000000400000 T all\n")
    _, message = run("-b", "-p", "-S", symbols, "--inlines", path, data)
    assert.matches("--inlines has no effect with other symbols", message, 1, true)
    local compat = run("--gnu-compat", "-b", "-p", "--inlines", path, data)
    assert.equal(compat, (run("--gnu-compat", "-b", "-p", path, data)))
  end)
end)
