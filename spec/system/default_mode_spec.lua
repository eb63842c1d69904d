-- Without --gnu-compat, reports differ only where GNU gprof is wrong: compilers' clones are functions, the cold part of
-- a function belongs to it, every symbol of type function is a function, and symbols in debugging sections are not.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local elf = require "support.elf"
local gmon = require "support.gmon"
local gprof = require "gprof"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local function open(path, profile_path, options)
  local image = assert(gprof.image(path))
  return assert(gprof.profile(image, assert(gprof.data(image, profile_path)), options))
end

-- Returns the profile of an image with given samples, { [address] = number }, and arcs, { { from, self, count } }. Bins
-- have the minimum size, and a sample counts as a second, so time values are sample counts.
local function made_up(path, samples, arcs, options)
  local low, high = math.huge, 0
  for address in pairs(samples) do
    low, high = math.min(low, address & ~1), math.max(high, (address & ~1) + 2)
  end
  local bins = { n = (high - low) // 2 }
  for address, count in pairs(samples) do
    bins[(address - low) // 2 + 1] = count
  end
  local records = { { kind = "histogram", low = low, high = high, rate = 1, bins = bins } }
  for i, arc in ipairs(arcs or {}) do
    records[i + 1] = { kind = "arc", from = arc[1], self = arc[2], count = arc[3] }
  end
  local file = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
  return open(path, file, options)
end

-- Returns the function that a cold part belongs to: the one of the same file if there is one, or else the global one.
local function stem_of(cold, functions)
  local name = cold.name:match "^(.+)%.cold$"
  local found
  for _, f in ipairs(name and functions or {}) do
    if f.name == name and (f.global or f.file == cold.file) and not (found and f.global) then
      found = f
    end
  end
  return found
end

-- Returns the symbols of the sources' own functions and clones.
local function own_functions(built)
  local sources, found = {}, {}
  for _, source in ipairs(built.program.sources) do
    sources[source] = true
  end
  for _, f in ipairs(elf.functions(built.image)) do
    if sources[f.file] then
      found[#found + 1] = f
    end
  end
  return found
end

describe("without clones, reports are the same with and without --gnu-compat", function()
  -- Programs whose reports differ on purpose (clones, ifuncs, names with dots and dollars), or that have no profile.
  local left_out <const> = { clones = true, labels = true, waves = true, mute = true }

  local function is_plain(image)
    for _, f in ipairs(elf.functions(image)) do
      if f.indirect or not f.global and f.name:find "[.$]" then return false end
    end
    return true
  end

  -- Some names of this program are longer than a line. Then our index has one column, GNU gprof's has three.
  local function without_index(text, name)
    return name == "shapes" and text:gsub("\nIndex by function name\n.*", "") or text
  end

  -- Returns the path of the program's profile with bins of two bytes. By default, the bins of the C library count other
  -- code than in GNU gprof.
  local function with_small_bins(built)
    local profile = gmon.parse(shell.read(built.gmon))
    for _, record in ipairs(profile.records) do
      local small = { n = record.kind == "histogram" and (record.high - record.low) // 2 }
      for i = 1, small.n and record.bins.n or 0 do
        small[math.min(2 * i, small.n)] = record.bins[i]
      end
      record.bins = small.n and small
    end
    return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic(profile))
  end

  -- GNU gprof shows half of the bytes that a sample covers.
  local function without_bytes(text) return (text:gsub("covers %d byte", "covers byte")) end

  for name, variant in build.each() do
    -- The C library in static programs has many clones.
    if not (left_out[name] or variant:find "O%d" or variant:find "static") then
      it(("for %s %s"):format(name, variant), function()
        local built = build.program(name, variant)
        assert.is_true(is_plain(built.image))
        local profile = with_small_bins(built)
        for _, list in ipairs { {}, { "-b" }, { "-b", "-z" }, { "-b", "-a", "-p" }, { "-b", "-z", "-D" } } do
          local arguments = table.move({ built.image, profile }, 1, 2, #list + 1, table.pack(table.unpack(list)))
          local ours = program.run(arguments)
          local compatible = program.run { "--gnu-compat", table.unpack(arguments) }
          assert.equal(0, ours.status)
          assert.equal(without_index(without_bytes(compatible.stdout), name),
            without_index(without_bytes(ours.stdout), name))
        end
      end)
    end
  end
end)

describe("functions are those of --gnu-compat and of type function, except cold parts and .debug_info", function()
  for name, variant in build.each() do
    it(("in %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      if not built.gmon then
        assert.equal("mute", name)
        return
      end
      local wanted, functions = {}, elf.functions(built.image)
      for f in open(built.image, built.gmon, { gnu_compat = true }):functions() do
        local in_debug_info = f.symbol:find("%.c%.%x%x%x%x%x%x%x%x$")
        wanted[f.address] = not in_debug_info or nil
      end
      for _, f in ipairs(functions) do
        wanted[f.address] = true
      end
      for _, f in ipairs(functions) do
        if stem_of(f, functions) then
          wanted[f.address] = nil
        end
      end
      local found = {}
      for f in open(built.image, built.gmon):functions() do
        found[f.address] = true
      end
      assert.same(wanted, found)
    end)
  end
end)

local function is_clone(name)
  return name:find "%.%a+%.%d+$" ~= nil
end

local clones = {}
for name, variant in build.each() do
  if name == "clones" then
    clones[#clones + 1] = variant
  end
end

for _, variant in ipairs(clones) do
  describe("in clones " .. variant, function()
    local optimized = variant ~= "O0"
    local built, functions
    setup(function()
      built = build.program("clones", variant)
      functions = own_functions(built)
    end)

    it("calls are those that the program makes", function()
      local profile = open(built.image, built.gmon)
      local checked, of_clones = 0, 0
      for _, known in ipairs(build.expected(built)) do
        local f = profile:lookup(known.address)
        assert.equal(known.symbol, f.symbol)
        assert.equal(known.calls, f.calls, f.symbol)
        checked, of_clones = checked + 1, of_clones + (is_clone(f.symbol) and 1 or 0)
      end
      assert.is_true(checked >= 8)
      assert.equal(optimized, of_clones > 0)
    end)

    it("time is attributed to the clone", function()
      local samples = {}
      for i, f in ipairs(functions) do
        if not stem_of(f, functions) then
          samples[f.address] = i
        end
      end
      local profile = made_up(built.image, samples)
      for address, count in pairs(samples) do
        assert.equal(count, profile:lookup(address).self)
      end
    end)

    if optimized then
      it("cold parts belong to their functions", function()
        local samples, arcs, wanted = {}, {}, {}
        for i, f in ipairs(functions) do
          local stem = stem_of(f, functions)
          if stem then
            samples[f.address + f.size // 2] = 100 * i
            arcs[#arcs + 1] = { f.address + 5, build.address(built.image, "complain"), i }
            wanted[stem.address] = i
          end
        end
        assert.is_true(#arcs > 0)
        local profile = made_up(built.image, samples, arcs)
        for f in profile:functions() do
          assert.falsy(f.symbol:find(".cold", 1, true))
          assert.equal(100 * (wanted[f.address] or 0), f.self, f.symbol)
          local called = 0
          for arc in f:callees() do
            called = called + arc.count
          end
          assert.equal(wanted[f.address] or 0, called, f.symbol)
        end
      end)
    end

    it("an indirect function and its targets are listed", function()
      local profile = made_up(built.image, { [build.address(built.image, "pick")] = 3 })
      local called = profile:lookup(build.address(built.image, "pick"))
      assert.equal("pick", called.symbol)
      assert.equal(3, called.self)
      assert.equal("chosen", profile:lookup(build.address(built.image, "chosen")).symbol)
    end)
  end)
end

describe("a symbol of type function is a function", function()
  local supported, lack = build.supported "labels"
  if not supported then
    pending(lack)
    return
  end

  it("whatever its name", function()
    local built = build.program "labels"
    local functions = own_functions { image = built.image, program = { sources = { "labels.o" } } }
    local profile = open(built.image, built.gmon)
    local odd = 0
    for _, f in ipairs(functions) do
      if f.name:find "[.$]" or f.name:find "^__+gnu" then
        odd = odd + 1
        -- Each of these functions is called 50 times through a table; local.isra.0 has a cold part, which is also
        -- called 50 times.
        local is_cold = stem_of(f, functions) ~= nil
        local found = profile:lookup(f.address)
        assert.equal(is_cold and "local.isra.0" or f.name, found.symbol)
        assert.equal(found.symbol == "local.isra.0" and 100 or 50, found.calls, f.name)
      end
    end
    assert.equal(17, odd)
  end)
end)

describe("a weak symbol in .debug_info, as gcc -flto -g defines it,", function()
  local image
  setup(function()
    local dir = shell.tmpdir "weak"
    shell.write(dir .. "/f.s", [[
      .text
      .globl f
      .type f, @function
    f: .zero 0x80
      .size f, . - f
      .weak f_alias
    f_alias = f + 0x20
      .section .debug_info
      .zero 0x1040
      .weak f.c.033448df
    f.c.033448df: .zero 0x40
    ]])
    shell.check({ "as", "--64", "-o", "f.o", "f.s" }, { cwd = dir })
    shell.check({ "ld", "-m", "elf_x86_64", "-e", "f", "-Ttext=0x1000", "-o", "f", "f.o" }, { cwd = dir })
    image = dir .. "/f"
  end)

  local function times(options)
    local found = {}
    for f in made_up(image, { [0x1000] = 1, [0x1020] = 2, [0x1040] = 4 }, nil, options):functions() do
      if f.self > 0 then found[f.symbol] = f.self end
    end
    return found
  end

  it("is not a function at the address that equals its offset", function()
    assert.same({ f = 1, f_alias = 2 + 4 }, times())
  end)

  it("is a function for GNU gprof", function()
    assert.same({ f = 1, f_alias = 2, ["f.c.033448df"] = 4 }, times { gnu_compat = true })
  end)
end)

-- Makes an image of symbols at every 16th byte, each with a different number of samples. Symbols without a dot in the
-- name are global. Returns the functions' self times, keyed by name.
local function times_of(names, options)
  local symbols, samples = {}, {}
  for i, name in ipairs(names) do
    symbols[i] = { name, 16 * (i - 1), name:find(".", 1, true) and "local,function" or "global,function" }
    samples[0x1000 + 16 * (i - 1)] = 1 << i - 1
  end
  local times = {}
  for f in made_up(build.craft { text = 0x100, symbols = symbols }, samples, nil, options):functions() do
    times[f.symbol] = f.self
  end
  return times
end

describe("without static functions,", function()
  it("the cold part of a global function stays with it, and clones go", function()
    -- The time of an omitted function goes to the preceding one.
    assert.same({ main = 1 + 2 + 8 + 16 + 32, other = 4, last = 64 },
      times_of({ "main", "f.isra.0", "other", "main.cold", "f.isra.0.cold", "f.constprop.1", "last" },
        { no_static = true }))
  end)
end)

describe("a cold part", function()
  it("may be numbered or belong to a clone", function()
    assert.same({ main = 1 + 4, ["f.part.3"] = 2 + 8, last = 16 },
      times_of { "main", "f.part.3", "main.cold.7", "f.part.3.cold", "last" })
  end)

  it("without its function is a function itself", function()
    assert.same({ main = 1, ["f.cold"] = 2, ["mainly.cold"] = 4, last = 8 },
      times_of { "main", "f.cold", "mainly.cold", "last" })
  end)

  it("does not hide a function at its address", function()
    local image = build.craft { text = 0x100, symbols = {
      { "f", 0, "local,function" }, { "f.cold", 0x40, "local,function" }, { "g", 0x40, "local,function" } } }
    assert.equal("g", made_up(image, { [0x1040] = 1 }):lookup(0x1040).symbol)
  end)
end)

-- Maps the addresses of callees to their calls, as valgrind counts them. Blocks the profiling signal, which could kill
-- valgrind while it ends.
local function callgrind(image)
  local file = shell.tmpdir() .. "/callgrind.out"
  shell.check({ "env", "--block-signal=PROF", "valgrind", "-q", "--tool=callgrind", "--dump-instr=yes",
    "--compress-pos=no", "--callgrind-out-file=" .. file, image }, { cwd = shell.tmpdir(), timeout = true })
  local calls = {}
  for count, address in shell.read(file):gmatch "\ncalls=(%d+) 0x(%x+)" do
    address = tonumber(address, 16)
    calls[address] = (calls[address] or 0) + tonumber(count)
  end
  return calls
end

describe("for a program with clones,", function()
  if shell.run({ "env", "--block-signal=PROF", "valgrind", "--version" }).status ~= 0 then
    pending("calls as valgrind counts them: needs valgrind, and env with --block-signal")
    return
  end

  local built, counted
  setup(function()
    built = build.program("clones", "nopie")  -- so that it runs at the addresses of its symbols
    counted = callgrind(built.image)
  end)

  it("calls are those that valgrind counts", function()
    local profile, checked = open(built.image, built.gmon), 0
    for _, known in ipairs(build.expected(built)) do
      assert.equal(counted[known.address], profile:lookup(known.address).calls, known.symbol)
      checked = checked + 1
    end
    assert.is_true(checked >= 8)
  end)

  it("GNU gprof credits the clones' calls to the preceding function", function()
    local available, why = oracle.available()
    if not available then
      pending(why)
      return
    end
    -- The symbols from `audit` (in clones.c) to just before `choose`, the next symbol that GNU gprof accepts as a
    -- function.
    local own = own_functions(built)
    local audit, beyond = nil, build.address(built.image, "choose")
    for _, f in ipairs(own) do
      audit = audit or f.name == "audit" and f
    end
    local sum, dropped = 0, 0
    for _, f in ipairs(own) do
      if f.address >= audit.address and f.address < beyond then
        sum, dropped = sum + counted[f.address], dropped + 1
      end
    end
    assert.is_true(dropped > 1)
    local report = oracle.run({ "-b", "-q", built.image, built.gmon }).stdout
    -- Calls between these symbols appear as recursive calls, after the plus sign.
    local calls, own_calls = report:match "\n%[%d+%][^\n]* (%d+)%+(%d+) +audit %["
    assert.equal(sum, tonumber(calls) + tonumber(own_calls))
    assert.not_equal(counted[audit.address], tonumber(calls))
    assert.falsy(report:find("scale", 1, true))
  end)
end)
