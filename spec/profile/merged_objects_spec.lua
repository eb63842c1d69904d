-- A program and shared libraries in one profile (--with, `gprof.profile(image, data, { with = ... })`): times are
-- summed, and calls from the program into libraries are recovered where possible. Objects that cannot be merged are
-- rejected.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local gprof = require "gprof"
local library = require "support.library"
local program = require "support.program"
local shell = require "support.shell"

-- Crafted ------------------------------------------------------------------------------------

local LOW <const>, HIGH <const>, BIN <const> = 0x1000, 0x1100, 16

-- Makes a program of four functions, in which main calls work 5 times, and its profile. `calls` adds calls to addresses
-- outside the program: { offset of the caller, address of the callee, count }.
local function program_of(calls, rate, target)
  local image = build.craft { address = LOW, text = 0x100, target = target,
    symbols = { { "main", 0 }, { "work", 0x40 }, { "help", 0x80 }, { "rest", 0xc0 } } }
  local records = {
    { kind = "histogram", low = LOW, high = HIGH, bins = { n = 16, [5] = 30 }, rate = rate },
    { kind = "arc", from = LOW + 4, self = LOW + 0x40, count = 5 },
  }
  for _, call in ipairs(calls or {}) do
    records[#records + 1] = { kind = "arc", from = LOW + call[1], self = call[2], count = call[3] }
  end
  return image, gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
end

-- Makes a library with functions at `first`, `first` + 0x40 and `first` + 0x80, and its profile: arcs, and samples in
-- the first bin (4 bytes) of the second function.
local function library_of(name, arcs, plan)
  plan = plan or {}
  local first = plan.first or 0
  local image = build.craft { address = LOW, text = 0x100, target = plan.target,
    import = not plan.target and (plan.import or "mcount") or nil,
    symbols = { { "open", first }, { "read", first + 0x40 }, { "shut", first + 0x80 } } }
  local dir = shell.tmpdir "library"
  shell.check { "cp", image, dir .. "/" .. name }
  return dir .. "/" .. name, gmon.write(dir .. "/" .. name .. ".profile", gmon.shared {
    low = LOW, high = HIGH, bins = { n = 64, [(first + 0x40) // 4 + 1] = plan.ticks or 20 }, arcs = arcs,
    rate = plan.rate, pointer = plan.pointer, dimension = plan.dimension })
end

local function open(image, path)
  image = assert(gprof.image(image))
  return image, assert(gprof.data(image, path))
end

-- Returns the merged profile of a program and libraries, each given as { image, profile }.
local function join(own, libraries, more)
  local image, data = open(table.unpack(own))
  local options = { with = {} }
  for name, value in pairs(more or {}) do options[name] = value end
  for i, entry in ipairs(libraries) do
    local like, records = open(table.unpack(entry))
    options.with[i] = { image = like, data = records, name = entry.name }
  end
  return gprof.profile(image, data, options)
end

local function failure(message, ...)
  local result = program.run({ ... })
  assert.same({ 1, "", "gprof.lua: " .. message .. "\n" }, { result.status, result.stdout, result.stderr })
end

local INSIDE <const> = { { 0, 0, 3 }, { 4, 0x40, 9 }, { 0, 0x40, 2 } }  -- calls from outside: to open 3, to read 2

describe("a program and a library", function()
  local own = { program_of() }
  local liby = { library_of("liby.so", INSIDE) }
  local profile = join(own, { liby })

  it("have one flat profile with the times of both", function()
    assert.near(0.5, profile.total, 1e-12)
    assert.near(0.3, profile:find "work".self, 1e-12)
    assert.near(0.2, profile:find "read@liby.so".self, 1e-12)
    assert.equal(50, profile.total_ticks)
  end)

  it("have one call graph, with <outside> as the library's unknown caller", function()
    assert.same({ "<outside>@liby.so open@liby.so 3", "<outside>@liby.so read@liby.so 2", "main work 5",
      "open@liby.so read@liby.so 9" }, library.arcs(profile))
  end)

  it("have functions that name their object", function()
    local read, work = profile:find "read@liby.so", profile:find "work"
    assert.same({ "liby.so", "read@liby.so" }, { read.object, read.symbol })
    assert.is_nil(work.object)
    assert.equal(LOW + 0x40, work.address)
    assert.truthy(read.address > HIGH)
    assert.same({ 0x40, 0x40 }, { read.size, work.size })
    assert.equal(read, profile:lookup(read.address + 0x3f))
    assert.is_nil(profile:lookup(HIGH))
    assert.is_nil(read.file)
  end)

  it("list the profile files of both", function()
    assert.same({ own[2], liby[2] }, { profile.data.files[1].path, profile.data.files[2].path })
  end)

  it("have functions that symspecs select", function()
    local selected = join(own, { liby }, { include = { flat = { "read@liby.so" } } })
    assert.near(0.2, selected.total, 1e-12)
    selected = join(own, { liby }, { exclude = { arcs = { "open@liby.so/read@liby.so" } } })
    assert.equal(2, selected:find "read@liby.so".calls)
  end)

  it("use the library name that a script gives", function()
    local named = join(own, { { liby[1], liby[2], name = "Y" } })
    assert.equal(9, named:find "open@Y":callees()().count)
  end)

  it("may have different bin sizes", function()
    local bin = profile.data:histograms()().bin_size
    assert.equal(BIN, bin)
    assert.equal(BIN, profile.bin_size)
    local swapped = join(liby, { own })
    assert.near(0.5, swapped.total, 1e-12)
    assert.near(0.3, swapped:find("work@" .. own[1]:match "[^/]*$").self, 1e-12)
    assert.near(0.2, swapped:find "read".self, 1e-12)
    assert.equal(3, swapped:find "open".calls)
  end)

  it("can be merged with many libraries", function()
    local libraries = {}
    for i = 1, 12 do libraries[i] = { liby[1], liby[2], name = "lib" .. i } end
    local many = join(own, libraries)
    assert.near(0.3 + 12 * 0.2, many.total, 1e-9)
    for i = 1, 12 do
      assert.equal(11, many:find("read@lib" .. i).calls)
      assert.equal(3, many:find("<outside>@lib" .. i):callees "count"().count)
    end
  end)

  it("count calls without callers in the program's profile", function()
    local path = gmon.write(shell.tmpdir() .. "/mon.out", gmon.mon { low = LOW, high = HIGH, bins = { 1 },
      counters = { { LOW + 0x44, 12 } } })
    local image = assert(gprof.image(own[1]))
    local companion, records = open(table.unpack(liby))
    local data = assert(gprof.data(image, path, { file_format = "prof" }))
    local joined = assert(gprof.profile(image, data, { with = { { image = companion, data = records } } }))
    assert.equal(12, joined:find "work".calls)
  end)

  it("need neither the libraries' images nor any data once merged", function()
    local image, data = open(table.unpack(own))
    local like, records = open(table.unpack(liby))
    local made = assert(gprof.profile(image, data, { with = { { image = like, data = records } } }))
    like:close()
    records:close()
    data:close()
    collectgarbage()
    assert.equal("read@liby.so", made:find "read@liby.so".name)
  end)
end)

describe("calls from the program into a library", function()
  -- Load addresses of libraries, which are page-aligned.
  local BASE <const>, OTHER <const> = 0x7f5500000000, 0x7f6600003000

  -- Returns the callee address that the program records: a few bytes after the function's entry.
  local function at(base, offset) return base + LOW + offset + 9 end

  it("are assigned to the program's functions", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(BASE, 0x40), 2 } } }
    assert.same({ "help read@liby.so 2", "main open@liby.so 3", "main work 5", "open@liby.so read@liby.so 9" },
      library.arcs(join(own, { { library_of("liby.so", INSIDE) } })))
  end)

  it("leave calls by others to <outside>", function()
    local own = { program_of { { 0x04, at(BASE, 0), 1 }, { 0x04, at(BASE, 0x40), 1 } } }
    assert.same({ "<outside>@liby.so open@liby.so 2", "<outside>@liby.so read@liby.so 1", "main open@liby.so 1",
      "main read@liby.so 1", "main work 5", "open@liby.so read@liby.so 9" },
      library.arcs(join(own, { { library_of("liby.so", INSIDE) } })))
  end)

  it("are left to <outside> if only one callee fits, and its counts differ", function()
    local own = { program_of { { 0x04, at(BASE, 0), 1 } } }
    assert.same({ "<outside>@liby.so open@liby.so 3", "<outside>@liby.so read@liby.so 2", "main work 5",
      "open@liby.so read@liby.so 9" }, library.arcs(join(own, { { library_of("liby.so", INSIDE) } })))
  end)

  it("are left to <outside> if the library was not compiled with -pg", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(BASE, 0x40), 2 } } }
    local arcs = library.arcs(join(own, { { library_of("liby.so", INSIDE, { import = "malloc" }) } }))
    assert.same({ "<outside>@liby.so open@liby.so 3", "<outside>@liby.so read@liby.so 2" }, { arcs[1], arcs[2] })
  end)

  it("are assigned whatever the compiler calls mcount", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 } } }
    for _, name in ipairs { "__fentry__", "_mcount", "mcount@GLIBC_2.2.5", "__gnu_mcount_nc" } do
      local like = { library_of("liby.so", { { 0, 0, 3 } }, { import = name }) }
      assert.same({ "main open@liby.so 3", "main work 5" }, library.arcs(join(own, { like })), name)
    end
    local like = { library_of("liby.so", { { 0, 0, 3 } }, { import = "mcounter" }) }
    assert.equal("<outside>@liby.so open@liby.so 3", library.arcs(join(own, { like }))[1])
  end)

  it("are searched for in bounded time at the end of the address space", function()
    for _, address in ipairs { math.maxinteger - 1, math.maxinteger, -1 } do
      local own = { program_of { { 0x04, address, 3 }, { 0x04, at(BASE, 0), 3 } } }
      local arcs = library.arcs(join(own, { { library_of("liby.so", { { 0, 0, 3 } }) } }))
      assert.equal("main open@liby.so 3", arcs[1])
    end
  end)

  -- Returns the arcs of a program and libraries. Reversing the order of the libraries must not change them.
  local function arcs_in_any_order(own, libraries)
    local forward, backward = join(own, libraries), {}
    for i, like in ipairs(libraries) do backward[#libraries + 1 - i] = like end
    local arcs = library.arcs(forward)
    assert.same(arcs, library.arcs(join(own, backward)))
    return arcs
  end

  it("are assigned to the library whose counts agree, not to one that had other callers", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(BASE, 0x40), 2 } } }
    assert.same({ "<outside>@liba.so open@liba.so 50", "<outside>@liba.so read@liba.so 70", "help read@liby.so 2",
      "main open@liby.so 3", "main work 5" }, arcs_in_any_order(own, {
        { library_of("liba.so", { { 0, 0, 50 }, { 0, 0x40, 70 } }) },
        { library_of("liby.so", { { 0, 0, 3 }, { 0, 0x40, 2 } }) } }))
  end)

  it("are left to <outside> if two libraries fit equally well", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(BASE, 0x40), 2 } } }
    assert.same({ "<outside>@liba.so open@liba.so 3", "<outside>@liba.so read@liba.so 2",
      "<outside>@liby.so open@liby.so 3", "<outside>@liby.so read@liby.so 2", "main work 5" }, arcs_in_any_order(own, {
        { library_of("liba.so", { { 0, 0, 3 }, { 0, 0x40, 2 } }) },
        { library_of("liby.so", { { 0, 0, 3 }, { 0, 0x40, 2 } }) } }))
  end)

  it("within the code of one library are not assigned to another", function()
    -- The dynamic linker does not count main's calls to shut, which main makes through a pointer.
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(BASE, 0x40), 2 }, { 0x84, at(BASE, 0x80), 9 } } }
    assert.same({ "<outside>@liba.so open@liba.so 9", "help read@liby.so 2", "main open@liby.so 3", "main work 5" },
      arcs_in_any_order(own, { { library_of("liba.so", { { 0, 0x80, 9 } }, { first = 0x80 }) },
        { library_of("liby.so", { { 0, 0, 3 }, { 0, 0x40, 2 } }) } }))
  end)

  it("become certain when other libraries are placed", function()
    -- libz.so may be loaded at either address, until liby.so is placed at one of them.
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(BASE, 0x40), 2 }, { 0x84, at(OTHER, 0), 3 } } }
    assert.same({ "help open@libz.so 3", "help read@liby.so 2", "main open@liby.so 3", "main work 5" },
      arcs_in_any_order(own, { { library_of("libz.so", { { 0, 0, 3 } }) },
        { library_of("liby.so", { { 0, 0, 3 }, { 0, 0x40, 2 } }) } }))
  end)

  it("are left to <outside> if the program records more than the library", function()
    local own = { program_of { { 0x04, at(BASE, 0), 4 } } }
    local arcs = library.arcs(join(own, { { library_of("liby.so", INSIDE) } }))
    assert.equal("<outside>@liby.so open@liby.so 3", arcs[1])
    assert.equal("main work 5", arcs[3])
  end)

  it("are told apart by their counts if two libraries have the same layout", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x84, at(OTHER, 0), 8 } } }
    assert.same({ "help open@libz.so 8", "main open@liby.so 3", "main work 5" }, library.arcs(join(own, {
      { library_of("liby.so", { { 0, 0, 3 } }) }, { library_of("libz.so", { { 0, 0, 8 } }) } })))
  end)

  it("are left to <outside> if two load addresses fit equally well", function()
    local own = { program_of { { 0x04, at(BASE, 0), 1 }, { 0x84, at(OTHER, 0), 1 } } }
    assert.same({ "<outside>@liby.so open@liby.so 3", "main work 5" },
      library.arcs(join(own, { { library_of("liby.so", { { 0, 0, 3 } }) } })))
  end)

  it("are assigned in a sum of runs with different load addresses", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x04, at(BASE, 0x40), 1 }, { 0x04, at(OTHER, 0), 2 } } }
    assert.same({ "main open@liby.so 5", "main read@liby.so 1", "main work 5" },
      library.arcs(join(own, { { library_of("liby.so", { { 0, 0, 5 }, { 0, 0x40, 1 } }) } })))
  end)

  it("are assigned in a sum of identical runs with different load addresses", function()
    local own = { program_of { { 0x04, at(BASE, 0), 3 }, { 0x04, at(BASE, 0x40), 2 }, { 0x04, at(OTHER, 0), 3 },
      { 0x04, at(OTHER, 0x40), 2 } } }
    assert.same({ "main open@liby.so 6", "main read@liby.so 4", "main work 5" },
      library.arcs(join(own, { { library_of("liby.so", { { 0, 0, 6 }, { 0, 0x40, 4 } }) } })))
    -- Ambiguous: one of the addresses may belong to a library that was not merged.
    assert.same({ "<outside>@liby.so open@liby.so 7", "<outside>@liby.so read@liby.so 4", "main work 5" },
      library.arcs(join(own, { { library_of("liby.so", { { 0, 0, 7 }, { 0, 0x40, 4 } }) } })))
  end)

  -- Merges a program with a library of n functions of irregular sizes. For function i, the library records outside(i)
  -- calls, of which main makes of_main(i). Returns two lists of arcs from main to the library: those found and those
  -- expected.
  local function many(n, outside, of_main)
    local symbols, arcs, calls, expected, offset = {}, {}, {}, {}, 0
    for i = 1, n do
      symbols[i] = { "f" .. i, offset }
      arcs[i] = { 0, offset, outside(i) }
      if of_main(i) > 0 then
        calls[#calls + 1] = { 4, at(BASE, offset), of_main(i) }
        expected[#expected + 1] = ("main f%d@large.so %d"):format(i, of_main(i))
      end
      offset = offset + 16 * (2 + i * i * 7 % 41)
    end
    table.sort(expected)
    local image = build.craft { address = LOW, text = offset, symbols = symbols, import = "mcount" }
    local path = gmon.write(shell.tmpdir() .. "/large.profile", gmon.shared {
      low = LOW, high = LOW + offset, bins = { n = offset // 4 }, arcs = arcs })
    local found = {}
    for _, arc in ipairs(library.arcs(join({ program_of(calls) }, { { image, path, name = "large.so" } }))) do
      if arc:find "^main f" then found[#found + 1] = arc end
    end
    return found, expected
  end

  it("are assigned in a library with many functions", function()
    local function count(i) return 1 + i * i % 97 end
    local found, expected = many(1000, count, count)
    assert.equal(1000, #expected)
    assert.same(expected, found)
  end)

  it("are assigned if others made most of the library's calls", function()
    for _, n in ipairs { 100, 400, 1500 } do
      local found, expected = many(n, function(i) return i % 3 == 0 and 3 or 10 end,
        function(i) return i % 3 == 0 and 2 or 0 end)
      assert.equal(n // 3, #expected)
      assert.same(expected, found)
    end
  end)

  it("are not assigned if any count exceeds the library's", function()
    local found, expected = many(1000, function(i) return i == 999 and 4 or 5 end, function() return 5 end)
    assert.equal(1000, #expected)
    assert.same({}, found)
  end)

  it("into another library are not assigned if some fit by chance", function()
    local calls, symbols, arcs, offset, address = {}, {}, {}, 0, at(OTHER, 0)
    math.randomseed(5)
    for i = 1, 500 do
      symbols[i] = { "f" .. i, offset }
      if i % 20 == 0 then arcs[i // 20] = { 0, offset, i % 100 == 0 and 3 or 1000 } end
      offset = offset + 16 * math.random(2, 5)
    end
    for i = 1, 300 do
      calls[i] = { 4, address, i % 3 + 1 }
      address = address + 16 * math.random(2, 12)
    end
    local image = build.craft { address = LOW, text = offset, symbols = symbols, import = "mcount" }
    local path = gmon.write(shell.tmpdir() .. "/other.profile", gmon.shared {
      low = LOW, high = LOW + offset, bins = { n = offset // 4 }, arcs = arcs })
    local joined = join({ program_of(calls) }, { { image, path, name = "other.so" } })
    for arc in joined:find("main"):callees() do assert.equal("work", arc.callee.name) end
  end)

  it("into another library, which was not merged, are ignored", function()
    local calls = {}
    for i = 1, 200 do calls[i] = { 4, at(OTHER, 16 * (i * 5 + i * i % 3)), 1 } end
    local symbols, arcs = {}, {}
    for i = 1, 100 do
      symbols[i] = { "f" .. i, 32 * (i - 1) + i * i // 16 * 16 }
      arcs[i] = { 0, symbols[i][2], 1000 }
    end
    local image = build.craft { address = LOW, text = 0x8000, symbols = symbols, import = "mcount" }
    local path = gmon.write(shell.tmpdir() .. "/other.profile", gmon.shared {
      low = LOW, high = LOW + 0x8000, bins = { n = 0x2000 }, arcs = arcs })
    local joined = join({ program_of(calls) }, { { image, path, name = "other.so" } })
    for arc in joined:find("main"):callees() do assert.equal("work", arc.callee.name) end
  end)

  it("are not assigned if no function begins shortly before the callee address", function()
    local own = { program_of { { 0x04, BASE + LOW + 0x3f0, 3 } } }
    assert.same({ "<outside>@liby.so open@liby.so 3", "main work 5" },
      library.arcs(join(own, { { library_of("liby.so", { { 0, 0, 3 } }) } })))
  end)
end)

-- Random calls into random libraries. Some libraries are called only by other libraries; some are not compiled with
-- -pg.
describe("random libraries", function()
  local random <const> = math.random
  local repeatedly, cases <const> = chance.cases(411, 40)

  -- Makes a random library. Returns its image and its functions' offsets.
  local function random_library(i)
    local offsets, symbols, offset = {}, {}, 0
    for j = 1, 3 + i do
      offsets[j], symbols[j] = offset, { "f" .. j, offset }
      offset = offset + 16 * random(2 * i, 12 * i)
    end
    local image = build.craft { address = LOW, text = offset, symbols = symbols,
      import = i % 4 > 0 and "mcount" or "malloc" }
    return { image = image, name = "lib" .. i, offsets = offsets, size = offset, profiled = i % 4 > 0 }
  end

  -- Makes the profile of a library. Adds the program's calls into the library to `calls`, at a random load address.
  local function random_profile(like, calls)
    local arcs, base = {}, random(0x7f0000000, 0x7fffffff0) << 12
    local is_called = like.profiled and random(2) == 1
    for i, offset in ipairs(like.offsets) do
      local count = chance.pick { 0, 1, 1, 2, random(9), random(1000) }
      if count > 0 then arcs[#arcs + 1] = { 0, offset, count, name = "f" .. i } end
      if is_called and count > 0 and random(3) > 1 then
        calls[#calls + 1] = { 4, base + LOW + offset + 9, random(2) == 1 and count or random(count) }
      end
    end
    return gmon.write(shell.tmpdir() .. "/profile", gmon.shared {
      low = LOW, high = LOW + like.size, bins = { n = like.size // 4 }, arcs = arcs }), arcs
  end

  local pool
  setup(function()
    math.randomseed(7)
    pool = {}
    for i = 1, 8 do pool[i] = random_library(i) end
  end)

  it("are placed the same in every order, and all their calls are kept (" .. cases .. " times)", function()
    repeatedly(function(remark)
      local libraries, calls, expected = {}, {}, {}
      for _, like in ipairs(pool) do
        local path, arcs = random_profile(like, calls)
        libraries[#libraries + 1] = { like.image, path, name = like.name }
        for _, arc in ipairs(arcs) do expected[arc.name .. "@" .. like.name] = arc[3] end
      end
      local own = { program_of(calls) }
      local arcs = library.arcs(join(own, libraries))
      for i = #libraries, 2, -1 do
        local j = random(i)
        libraries[i], libraries[j] = libraries[j], libraries[i]
      end
      assert.same(arcs, library.arcs(join(own, libraries)), remark)
      local sums = {}
      for _, arc in ipairs(arcs) do
        local caller, callee, count = arc:match "^(%S+) (%S+) (%d+)$"
        if callee ~= "work" then sums[callee] = (sums[callee] or 0) + math.tointeger(count) end
        assert.is_falsy(caller == "main" and (callee:find "lib4" or callee:find "lib8"), remark)
      end
      assert.same(expected, sums, remark)
    end)
  end)
end)

describe("--with", function()
  local image, path = program_of()
  local liby, of_liby = library_of("liby.so", INSIDE)
  local outside = "gprof.lua: warning: some calls into %s have unknown callers, shown as <outside>: "
  local unknown = outside .. "a program records only calls into libraries compiled with -pg\n"

  it("shows both objects, and warns that some callers are unknown", function()
    local result = program.run { "-b", "--with=" .. liby .. ":" .. of_liby, image, path }
    assert.same({ 0, unknown:format "liby.so" }, { result.status, result.stderr })
    assert.truthy(result.stdout:find "\n 60.00 +0.30 +0.30 +5 +60.00 +60.00  work\n 40.00 +0.50 +0.20 +11 ")
    assert.truthy(result.stdout:find "read@liby.so\n")
    assert.truthy(result.stdout:find "3/3 +<outside>@liby.so %[%d+%]\n")
    assert.truthy(result.stdout:find "%] <outside>@liby.so")
  end)

  it("needs calls, or samples, in one of the profiles only", function()
    local word = "--with=" .. liby .. ":" .. of_liby
    local function recorded(kind)
      local records = gmon.select(gmon.parse(shell.read(path)), kind)
      return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    end
    local sampled, counted = recorded "histogram", recorded "arc"
    local function check(profile, words, ...)
      local result = program.run { "-b", word, image, profile, table.unpack(words) }
      assert.equal(0, result.status, result.stderr)
      for _, text in ipairs { ... } do assert.truthy(result.stdout:find(text), result.stdout) end
    end
    check(sampled, { "-q" }, "3/3 +<outside>@liby.so %[%d+%]\n")
    check(sampled, {}, "Flat profile", "3/3 +<outside>@liby.so %[%d+%]\n")
    check(counted, {}, "Flat profile", "  5/5  +main", "read@liby.so")
    check(counted, { "-p" }, "\n100.00 +0.20 +0.20 .* read@liby.so\n")
    check(counted, { "--export=folded" }, "read@liby.so")
    local flat = program.run { "-b", "-q", image, sampled }
    assert.same({ sampled .. ": has no arcs, which a call graph needs (was the program compiled with -pg?)", 1 },
      { flat.stderr:match "^gprof.lua: ([^\n]*)\n$", flat.status })
  end)

  it("defaults to the profile LIBRARY.profile in the current directory", function()
    local dir = of_liby:match "^(.*)/"
    local words = { "-b", "--with=" .. liby, image, path }
    local named = program.run({ "-b", "--with=" .. liby .. ":" .. of_liby, image, path }, { cwd = dir })
    assert.same(named.stdout, program.run(words, { cwd = dir }).stdout)
  end)

  it("can be repeated; warnings name at most three libraries", function()
    local words, names = { "-b" }, {}
    for i = 1, 5 do
      local name = ("lib%d.so"):format(i)
      words[i + 1], names[i] = ("--with=%s:%s"):format(library_of(name, INSIDE)), name
    end
    local result = program.run(table.move({ image, path }, 1, 2, 7, words))
    assert.equal(unknown:format "lib1.so, lib2.so, lib3.so and 2 more", result.stderr)
    for _, name in ipairs(names) do assert.truthy(result.stdout:find("read@" .. name, 1, true)) end
  end)

  it("warns about libraries that may have been loaded at several addresses", function()
    local function called(base) return base + LOW + 9 end
    local own, of_own = program_of { { 4, called(0x7f5500000000), 3 }, { 0x84, called(0x7f6600000000), 3 } }
    local like, of_like = library_of("libone.so", { { 0, 0, 3 } })
    local result = program.run { "-b", "--with=" .. like .. ":" .. of_like, "--with=" .. liby .. ":" .. of_liby, own,
      of_own }
    assert.equal(outside:format "libone.so, liby.so" ..
      "the program's calls do not show for certain where libraries were loaded\n", result.stderr)
  end)

  it("prints the same report in every order of the libraries", function()
    local words, names = {}, { "libc.so", "liba.so", "libb.so" }
    for i, name in ipairs(names) do words[i] = ("--with=%s:%s"):format(library_of(name, INSIDE)) end
    local function report(i, j, k)
      local result = program.run { "-b", words[i], words[j], words[k], image, path }
      return { result.status, result.stdout, result.stderr }
    end
    assert.same(report(1, 2, 3), report(2, 3, 1))
    assert.same(report(1, 2, 3), report(3, 2, 1))
  end)

  it("works with --sandbox and with every kind of export", function()
    local word = "--with=" .. liby .. ":" .. of_liby
    local plain = program.run { "-b", word, image, path }
    local boxed = program.run { "-b", "--sandbox", word, image, path }
    if boxed.stderr:find "cannot" then return pending "needs a kernel with Landlock" end
    assert.same({ plain.status, plain.stdout, plain.stderr }, { boxed.status, boxed.stdout, boxed.stderr })
    for _, kind in ipairs { "callgrind", "csv", "dot", "folded", "json", "speedscope" } do
      local result = program.run { "--export=" .. kind, word, image, path }
      assert.same({ 0, unknown:format "liby.so" }, { result.status, result.stderr })
      assert.truthy(result.stdout:find("read@liby.so", 1, true), kind)
    end
    local page = shell.tmpdir() .. "/page.html"
    assert.equal(0, program.run({ "--html=" .. page, word, image, path }).status)
    assert.truthy(shell.read(page):find("read@liby.so", 1, true))
  end)

  it("finds the debugging file of a stripped library, and warns about one of another build", function()
    local dir, word = shell.tmpdir(), "--with=liby.so:" .. of_liby
    local function objcopy(...) shell.check({ "objcopy", ... }, { cwd = dir }) end
    shell.check { "mkdir", dir .. "/debug" }
    objcopy("--only-keep-debug", liby, "debug/liby.so.debug")
    objcopy("--strip-all", "--add-gnu-debuglink=debug/liby.so.debug", liby, "liby.so")
    local plain = program.run { "-b", "--with=" .. liby .. ":" .. of_liby, image, path }
    local function check(warning, ...)
      local result = program.run({ "-b", "--debug-dir=debug", word, image, path, ... }, { cwd = dir })
      local warnings = result.stderr:gsub("%x%x%x%x%x%x%x%x", "SUM")
      assert.same({ plain.stdout, warning .. plain.stderr, 0 }, { result.stdout, warnings, result.status })
    end
    check ""
    objcopy("--only-keep-debug", image, "liby.so.debug")
    check "gprof.lua: warning: liby.so.debug: is from a different build than liby.so: its checksum is SUM, not SUM\n"
  end)

  it("does not overwrite a library or its profile with an export", function()
    local dir = shell.tmpdir()
    shell.check { "cp", liby, of_liby, dir }
    local before = { shell.read(liby), shell.read(of_liby) }
    for _, option in ipairs { "--html=", "--export=json:" } do
      for _, name in ipairs { "liby.so", "./liby.so.profile" } do
        local result = program.run({ option .. name, "--with=liby.so", image, path }, { cwd = dir })
        assert.same({ 1, "", ("gprof.lua: %s: the export would overwrite an input file\n"):format(name) },
          { result.status, result.stdout, result.stderr })
        assert.same(before, { shell.read(dir .. "/liby.so"), shell.read(dir .. "/liby.so.profile") })
      end
    end
  end)

  it("rejects options that work on one object only", function()
    for option, name in pairs { ["-l"] = "-l (--line)", ["-A"] = "-A (--annotated-source)",
      ["-C"] = "-C (--exec-counts)",
      ["-c"] = "-c (--static-call-graph)", ["-r"] = "-r (--function-ordering)",
      ["--gnu-compat"] = "--gnu-compat", ["--compare=" .. path] = "--compare",
      ["--annotate-time"] = "--annotate-time", ["--verify"] = "--verify" } do
      failure("options --with and " .. name .. " are mutually exclusive", option, "--with=" .. liby .. ":" .. of_liby,
        image, path)
    end
    local sum = shell.tmpdir() .. "/sum"
    failure("options --with and -s (--sum) are mutually exclusive", "--sum-file=" .. sum,
      "--with=" .. liby .. ":" .. of_liby, image, path)
    assert.is_false(shell.exists(sum))
  end)

  it("rejects comparisons that are exported, and baselines", function()
    local baseline = shell.tmpdir() .. "/c.json"
    local with = "--with=" .. liby .. ":" .. of_liby
    failure("options --with and --compare are mutually exclusive", "--export=markdown", "--compare=" .. path, with,
      image, path)
    failure("options --with and --baseline are mutually exclusive", "--baseline=" .. baseline, "--update-baseline",
      with, image, path)
    assert.is_false(shell.exists(baseline))
  end)

  it("rejects the program itself, by any name", function()
    local link = shell.tmpdir() .. "/link"
    shell.check { "ln", "-s", image, link }
    for _, name in ipairs { image, link } do
      failure(name .. ": is the program, not a library", "--with=" .. name .. ":" .. path, image, path)
    end
  end)

  it("rejects two libraries with the same name", function()
    local again, of_again = library_of("liby.so", INSIDE)
    failure(("%s: has the same name as the library %s"):format(again, liby),
      "--with=" .. liby .. ":" .. of_liby, "--with=" .. again .. ":" .. of_again, image, path)
    local profile, message = join({ image, path }, { { liby, of_liby }, { again, of_again } })
    assert.same({ nil, again .. ": another library is also named 'liby.so'" }, { profile, message })
  end)

  it("rejects different sampling rates and units", function()
    local fast, of_fast = library_of("libfast.so", INSIDE, { rate = 1000 })
    failure(fast .. ": cannot be merged: histogram has rate 1000, but earlier ones have 100",
      "--with=" .. fast .. ":" .. of_fast, image, path)
    local other, of_other = library_of("libother.so", INSIDE, { dimension = "cycles" })
    failure(other .. ": cannot be merged: histogram counts 'cycles', but earlier ones count 'seconds'",
      "--with=" .. other .. ":" .. of_other, image, path)
  end)

  it("rejects profiles of other libraries, damaged profiles and missing files", function()
    local far, of_far = library_of("libfar.so", { { 0, 0x10, 1 } })
    failure(("%s: does not belong to this build of %s: 1 of 1 called addresses, such as 0x1010, " ..
      "are not function entries"):format(of_far, far),
      "--with=" .. far .. ":" .. of_far, image, path)
    local cut = shell.write(shell.tmpdir() .. "/cut", shell.read(of_liby):sub(1, -5))
    failure(cut .. ": ends in the middle of the arc at offset 240", "--with=" .. liby .. ":" .. cut, image, path)
    failure("/nowhere/libz.so: No such file or directory", "--with=/nowhere/libz.so:" .. of_liby, image, path)
    failure("/nowhere: No such file or directory", "--with=" .. liby .. ":/nowhere", image, path)
    failure("option --with: the file name is empty", "--with=", image, path)
  end)

  it("rejects a profile of another program", function()
    local foreign = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
      { kind = "arc", from = 0x5004, self = 0x5040, count = 1 } } })
    failure(("%s: does not belong to %s: the profile covers addresses 0x5040 to 0x5040, " ..
      "the code is at 0x1000 to 0x1100; if the program was loaded at another address, use --slide=auto")
      :format(foreign, image), "--with=" .. liby .. ":" .. of_liby, image, foreign)
  end)

  it("rejects libraries for another machine", function()
    local small, of_small = library_of("libsmall.so", INSIDE, { target = "elf32-little", pointer = 4 })
    failure(small .. ": pointer size or byte order differs from the program's",
      "--with=" .. small .. ":" .. of_small, image, path)
  end)
end)

describe("the option `with`", function()
  local own = { program_of() }
  local image, data = open(table.unpack(own))

  it("must be an array of libraries", function()
    for problem, value in pairs {
      ["table expected, got string"] = "liby.so", ["library 1: table expected, got integer"] = { 1 },
      ["library 1: field 'image': gprof.image expected, got nil"] = { {} },
      ["library 1: field 'data': gprof.data expected, got gprof.image"] = { { image = image, data = image } },
      ["library 1: no field 'path'"] = { { image = image, data = data, path = "x" } },
      ["library 1: field 'name': string expected, got integer"] = { { image = image, data = data, name = 1 } },
    } do
      assert.error_matches(function() gprof.profile(image, data, { with = value }) end,
        "bad argument #3 to 'profile' (option 'with': " .. problem .. ")", nil, true)
    end
  end)

  it("cannot be combined with profiles by line", function()
    local profile, message = gprof.profile(image, data, { line = true, with = {} })
    assert.same({ nil, "option 'line' cannot be combined with libraries ('with')" }, { profile, message })
  end)

  it("may be empty: the result is the program's profile", function()
    local profile = gprof.profile(image, data, { with = {} })
    assert.same({ "main work 5" }, library.arcs(profile))
    assert.near(0.3, profile.total, 1e-12)
  end)
end)

-- Compiled -----------------------------------------------------------------------------------

describe("a program and a library that are both compiled with -pg", function()
  local built, plain = library.build("library", "program", { flags = { "-pg" } })
  setup(function()
    plain = library.build("library", "program", { object_flags = { "-pg" } })
    shell.check({ built.program }, { cwd = built.dir, env = { GMON_OUT_PREFIX = false, LD_PROFILE = false } })
  end)

  it("have all calls assigned, except those from the library back into the program", function()
    local path = library.profile(plain.program, plain.name)
    library.put_samples(path, build.address(plain.image, "work"))
    local profile = join({ built.program, built.dir .. "/gmon.out" }, { { built.image, path } })
    local found = table.concat(library.arcs(profile), "\n") .. "\n"
    for _, call in ipairs { "main twice@liblibrary.so 50", "main work@liblibrary.so 3", "back work@liblibrary.so 2",
      "main down@liblibrary.so 1", "down@liblibrary.so down@liblibrary.so 4", "main through@liblibrary.so 2",
      "twice@liblibrary.so work@liblibrary.so 100" } do
      assert.truthy(found:find(call .. "\n", 1, true), found)
    end
    assert.is_nil(found:find "outside")
    assert.truthy(profile:find "work@liblibrary.so".self > 0)
  end)
end)
