-- Context profiles of the recorder, read as data: crafted ones in both byte orders, and damaged ones. (The recorder's
-- spec compares real ones with their gmon.out.)
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = { functions = { "main", "work", "leaf" } }
local path <const> = crafted.image(plan)
local image <const> = assert(gprof.image(path))
local dir <const> = shell.tmpdir "contexts"

-- The program's functions as loaded, 0x700000 above their addresses in the image.
local BIAS <const> = 0x700000
local MAIN <const>, WORK <const>, LEAF <const> = BIAS + 0x1000, BIAS + 0x1020, BIAS + 0x1040
local LIBRARY <const> = 0x900000

-- Returns a profile with calls of each kind, and samples in the program and a library.
local function example(changes)
  local profile = {
    process = { low = BIAS + 0x1000, high = BIAS + 0x1060, finish = 1 << 60, id = 77 },
    modules = { { bias = BIAS, low = BIAS, high = BIAS + 0x2000, code = BIAS + 0x1000 },
      { bias = LIBRARY, low = LIBRARY, high = LIBRARY + 0x1000, path = "libx.so" } },
    tables = {
      {
        { context = 0, from = LIBRARY + 16, self = MAIN + 8, count = 1 },           -- 3: main
        { context = 3, from = MAIN + 16, self = WORK + 8, count = 30 },             -- 4: main/work
        { context = 4, entered = 4, from = WORK + 16, self = WORK + 8, count = 5 }, -- work calls itself
        { context = 4, from = WORK + 12, count = 7 },                               -- a sample in work
        { context = 4, from = LIBRARY + 64, count = 3 },                            -- a sample in the library
        { context = 3, from = MAIN + 4, self = LIBRARY + 8, count = 9 },            -- 8: a call of the library
        { context = 2, entered = 2, from = MAIN + 16, self = WORK + 8, count = 2 }, -- joined
        { context = 4, entered = 0xffffffff, from = MAIN + 20, self = LEAF + 8, count = 1 }, -- to be ignored
        { context = 3, from = MAIN + 20, self = LEAF + 8, count = 0 },              -- never called
      },
      { threads = 3,
        { context = 0, from = MAIN + 16, self = WORK + 8, count = 10 }, -- 3: work
        { context = 3, from = WORK + 12, count = 65535 },
        { context = 3, from = WORK + 31, count = 1 } },
    },
  }
  for key, value in pairs(changes or {}) do profile[key] = value end
  return profile
end

local function save(name, profile)
  return gmon.write(dir .. "/" .. name, type(profile) == "string" and profile or contexts.pack(profile))
end

-- Returns the arcs of data, and the samples by address.
local function contents(data)
  local arcs, samples = {}, {}
  for from, self, calls in data:arcs() do arcs[#arcs + 1] = ("%x %x %d"):format(from, self, calls) end
  for histogram in data:histograms() do
    for _, count, address in histogram:bins() do samples[("%x"):format(address)] = count end
  end
  return arcs, samples
end

-- The caller of main is outside the program. Arcs are in the order of gmon.out.
local arcs <const> = { "1010 1028 42", "1030 1028 5", "ffffffffffffffff 1008 1" }
local samples <const> = { ["102c"] = 65542, ["103c"] = 1 }

describe("a context profile", function()
  it("has the calls and samples of the program, in both byte orders", function()
    for _, shape in ipairs(gmon.shapes()) do
      if shape.pointer == 8 then
        local like = assert(gprof.image(build.craft { text = 96, symbols = { { "main", 0 } }, target = shape.target }))
        local data = assert(gprof.data(like, save("shape", example { big = shape.big })))
        assert.same({ arcs, samples }, { contents(data) }, shape.name)
        assert.same({ true, true, false, 3 }, { data.has_arcs, data.has_histogram, data.shared, data.arc_records })
        local histogram = data:histograms()()
        assert.same({ 0x1000, 0x1060, 4, 1000, "seconds", "s" }, { histogram.low, histogram.high, histogram.bin_size,
          histogram.rate, histogram.unit, histogram.abbreviation })
      end
    end
  end)

  it("is described in data.files", function()
    local file = save("described", example())
    assert.same({ { path = file, format = "context", version = 1, histogram_records = 1, arc_records = 3,
      block_records = 0, process = 77, processes = 1, written = 1 << 60, id = 1 << 60, threads = 4, modules = 2,
      contexts = 5, calls = 57, ticks = 65546, lost = 0, rate = 1000, joined = false, wall = false } },
      assert(gprof.data(image, file)).files)
  end)

  it("can be read from a pipe, also with sections of unknown kinds", function()
    local profile = example()
    profile.sections = contexts.sections(profile)
    table.insert(profile.sections, 1, { 9, ("x"):rep(100000) })
    table.insert(profile.sections, { 77, "" })
    local data = gprof.data.new { image = image }
    local pipe <close> = assert(io.popen("cat " .. save("unknown", profile)))
    assert(data:read(pipe))
    assert.same({ arcs, samples }, { contents(data) })
  end)

  it("has an empty histogram if nothing was sampled, so that other profiles can be added", function()
    local quiet, usual = example { tables = { {} } }, save("usual", example())
    local wall = example()
    quiet.process.rate, wall.process.rate, wall.process.joined = 0, 500, 2
    for _, other in ipairs { usual, save("wall", wall) } do
      local unsampled = save("quiet", quiet)
      for _, files in ipairs { { unsampled, other }, { other, unsampled } } do
        local data = assert(gprof.data(image, table.unpack(files)))
        assert.same({ arcs, samples }, { contents(data) })
      end
    end
  end)

  it("can be summed, written and read back without a change", function()
    local file, sum = save("once", example()), dir .. "/sum"
    local data = assert(gprof.data(image, file, file, { contexts = true }))
    local twice = { "1010 1028 84", "1030 1028 10", "ffffffffffffffff 1008 2" }
    assert(data:write(sum))
    for _, read in ipairs { data, (assert(gprof.data(image, sum))) } do
      assert.same({ twice, { ["102c"] = 131084, ["103c"] = 2 } }, { contents(read) })
    end
    local result = program.run { "-s", "--sum-file=" .. sum .. ".2", "--jobs=2", path, file, file }
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.equal(shell.read(sum), shell.read(sum .. ".2"))
  end)

  it("is not counted again if its gmon.out is given, too", function()
    local plain = gmon.write(dir .. "/plain", gmon.magic { records = { { kind = "arc", from = MAIN - BIAS + 16,
      self = WORK - BIAS, count = 4 } } })
    local companion = save("plain.ctx", example())
    for _, paths in ipairs { { plain, companion }, { companion, plain } } do
      assert.same({ "1010 1020 4" }, (contents(assert(gprof.data(image, table.unpack(paths))))))
      local result = program.run { "-b", "-q", path, table.unpack(paths) }
      local alone = program.run { "-b", "-q", path, plain }
      assert.same({ alone.stderr, alone.stdout }, { result.stderr, result.stdout })
    end
  end)

  it("of another run is refused for that reason, even if its records do not fit either", function()
    local plain = gmon.write(dir .. "/newer", gmon.magic { spare = ("<I4I8"):pack(0, 4), records = {
      { kind = "histogram", low = MAIN - BIAS, high = LEAF - BIAS, bins = { n = 10 } },
      { kind = "arc", from = MAIN - BIAS + 16, self = WORK - BIAS, count = 4 } } })
    for _, older in ipairs { example(), example { modules = { { bias = BIAS, low = BIAS, high = BIAS + 0x2000,
      code = BIAS + 0x1000, build_id = "1234" }, example().modules[2] } }, example { sum = 5 } } do
      save("newer.ctx", older)
      local result = program.run { "-b", "-q", path, plain }
      assert.same({ ("gprof.lua: warning: %s.ctx: does not belong to %s, but to another run: the time of callees is " ..
        "estimated; delete it, or copy both files of one run\n"):format(plain, plain), 0 },
        { result.stderr, result.status })
    end
  end)

  it("is found in a directory, without its gmon.out", function()
    local inside = shell.tmpdir "directory"
    local plain = gmon.write(inside .. "/a", gmon.magic { records = { { kind = "arc", from = MAIN - BIAS + 16,
      self = WORK - BIAS, count = 4 } } })
    save("../" .. inside:match "[^/]+$" .. "/a.ctx", example())
    save("../" .. inside:match "[^/]+$" .. "/b.ctx", example())
    local result = program.run { "-b", "--export=json", path, inside }
    assert.same({ "gprof.lua: warning: " .. plain .. ".ctx: does not belong to " .. plain .. ", but to " ..
      "another run: the time of callees is estimated; delete it, or copy both files of one run\n", 0 },
      { result.stderr, result.status })
    assert.truthy(result.stdout:find(plain, 1, true))
    assert.truthy(result.stdout:find(inside .. "/b.ctx", 1, true))
    assert.falsy(result.stdout:find(inside .. "/a.ctx", 1, true))
  end)
end)

describe("--file-info", function()
  -- Saves a gmon.out whose header has a time, and a context profile beside it.
  local function pair(name, time, companion)
    local plain = gmon.write(dir .. "/" .. name, gmon.magic { records = {}, spare = ("<I4I8"):pack(0, time) })
    save(name .. ".ctx", companion)
    return plain
  end

  local function info(...)
    local result = program.run { "-i", ... }
    assert.same({ "", 0 }, { result.stderr, result.status })
    return (result.stdout:gsub(dir:gsub("%p", "%%%0") .. "/", ""))
  end

  local nothing <const> = "File `%s' (version 1) contains:\n\t0 histogram records\n\t0 call-graph records\n" ..
    "\t0 basic-block count records\n"
  local contained <const> = "\t4 threads\n\t2 modules\n\t5 call paths\n\t57 calls\n\t65546 samples\n"

  it("prints what is in a context profile", function()
    local profile = example()
    profile.process.joined, profile.process.lost = 1, 12
    assert.equal("File `joined' (version 1) contains:\n" .. contained ..
      "\tsome call paths were joined, because there were too many\n" ..
      "\t12 calls were not counted, for lack of memory\n", info(path, save("joined", profile)))
  end)

  it("prints what is in the context profile that belongs to a gmon.out", function()
    local both = nothing:format "pair" .. "File `pair.ctx' (version 1) contains:\n" .. contained
    local plain = pair("pair", 1 << 60, example())
    assert.equal(both, info(path, plain))
    assert.equal(both, info(path, plain, plain .. ".ctx"))
    assert.equal(both, info("--sandbox", path, plain))
    assert.equal(nothing:format "pair", info("--gnu-compat", path, plain))
  end)

  it("says in one line why the context profile of a gmon.out cannot be used; the gmon.out still can be", function()
    for message, companion in pairs {
      ["x.ctx: does not belong to x, but to another run"] = example { process = { low = MAIN, high = LEAF } },
      ["x.ctx: is damaged: its checksum is wrong"] = example { sum = 5 },
      ["x.ctx: is empty"] = "",
      ["x.ctx: is not a context profile"] = gmon.magic { records = {} },
    } do
      assert.equal(nothing:format "x" .. message .. "\n", info(path, pair("x", 1 << 60, companion)))
    end
  end)
end)

-- Damage ---------------------------------------------------------------------------------

-- Checks that a file is refused with a message, and that a sum to which it is added does not change.
local function refuse(message, profile)
  local file, sum = save("bad", profile), assert(gprof.data(image, save("good", example())))
  local data, problem = gprof.data(image, file)
  assert.same({ nil, file .. ": " .. message }, { data, problem })
  assert.same({ nil, file .. ": " .. message }, { sum:add_file(file) })
  assert.same({ arcs, samples }, { contents(sum) })
end

-- Returns the example with one section changed.
local function with_section(number, bytes)
  local profile = example()
  profile.sections = contexts.sections(profile)
  profile.sections[number][2] = bytes(profile.sections[number][2])
  return profile
end

local function with_record(record)
  return example { tables = { { record } } }
end

describe("a damaged context profile", function()
  local whole <const> = contexts.pack(example())

  it("is refused if it is truncated anywhere", function()
    for length = 0, #whole - 1 do
      local file = save("cut", whole:sub(1, length))
      local data, message = gprof.data(image, file)
      assert.is_nil(data)
      assert.truthy(message:find "^[^\n]+$", length)
    end
  end)

  it("is refused if any byte is wrong", function()
    for place = 1, #whole do
      local byte = string.char(whole:byte(place) ~ (1 << place % 8))
      local file = save("flipped", whole:sub(1, place - 1) .. byte .. whole:sub(place + 1))
      local data, message = gprof.data(image, file)
      assert.is_nil(data, place)
      assert.truthy(message:find "^[^\n]+$")
    end
  end)

  it("is refused with the reason", function()
    refuse("is damaged: its checksum is wrong", example { sum = 1 })
    refuse("is damaged: no byte order mark at offset 8", example { mark = 7 })
    refuse("is big-endian, but the program is little-endian", example { big = true })
    refuse("unsupported version 2 of context profiles: expected 1", example { version = 2 })
    refuse("has addresses of 4 bytes, but the program's addresses have 8", example { pointer = 4 })
    refuse(("has unexpected data after its end, at offset %d"):format(#whole), whole .. "x")
    refuse("ends in the middle of the header at offset 0", whole:sub(1, 12))
    refuse("the section at offset 16 claims 92 bytes, but only 90 follow", whole:sub(1, 118))
  end)

  it("is refused if sections are missing, repeated or of the wrong size", function()
    local sections = contexts.sections(example())
    local function arranged(...)
      local profile = example { sections = {} }
      for i, number in ipairs { ... } do profile.sections[i] = sections[number] end
      return profile
    end
    refuse("unexpected section of kind 2 at offset 16", arranged(2, 1))
    refuse("unexpected section of kind 0 at offset 16", arranged())
    refuse("unexpected section of kind 3 at offset 120", arranged(1, 3))
    refuse("unexpected section of kind 1 at offset 120", arranged(1, 1, 2))
    for _, size in ipairs { 0, 30, 83, 87 } do
      refuse("the section at offset 16 has the wrong size",
        with_section(1, function(bytes) return bytes:sub(1, size) end))
    end
    refuse("the section at offset 16 has the wrong size", with_section(1, function(bytes) return bytes .. "x" end))
    refuse("the section at offset 120 has the wrong size",
      with_section(2, function(bytes) return "\xff\xff\xff\xff" .. bytes:sub(5) end))
    refuse("the section at offset 254 has the wrong size", with_section(3, function(bytes) return bytes .. bytes end))
    refuse("the section at offset 254 has the wrong size",
      with_section(3, function(bytes) return bytes:sub(1, 50) .. "\2\0\0\0" .. bytes:sub(55, 118) end))
  end)

  it("is refused if a record refers to a later one", function()
    local message = "the record at offset 416 refers to a later one"
    refuse(message, with_record { context = 3, from = MAIN, self = WORK, count = 1 })
    refuse(message, with_record { context = 0xffffffff, from = MAIN, count = 1 })
    refuse(message, with_record { context = 0, entered = 4, from = MAIN, self = WORK, count = 1 })
  end)

  it("is refused if one of its first three records is not a root", function()
    local function with_byte(place)
      return with_section(3, function(bytes) return bytes:sub(1, place - 1) .. "\2" .. bytes:sub(place + 1) end)
    end
    refuse("the record at offset 352 must be a root: it is in the context of another record", with_byte(87))
    refuse("the record at offset 352 must be a root: it is a call", with_byte(103))
  end)

  it("is refused if a text is too long", function()
    local profile = example()
    profile.modules[2].path = ("x"):rep(65537)
    refuse("a text in the section at offset 120 has 65537 bytes: the limit is 65536", profile)
  end)

  it("is refused if counts are too large", function()
    local most = math.maxinteger
    local function call(count) return { context = 0, from = MAIN, self = WORK + 8, count = count } end
    refuse("a count exceeds 63 bits in the section at offset 254", with_record(call(-1)))
    refuse("a count exceeds 63 bits in the section at offset 254", example { tables = { { call(most), call(1) } } })
    local file = save("most", with_record(call(most)))
    local data, message = gprof.data(image, file, file)
    assert.same({ nil, file .. ": count exceeds 63 bits in the record at offset 0" }, { data, message })
  end)

  it("is refused if it claims impossible addresses", function()
    local profile = example()
    profile.modules = { profile.modules[1] }
    for _, size in ipairs { 1 << 40, 1 << 23 } do
      profile.process.high, profile.modules[1].high = BIAS + size, BIAS + size
      refuse(("claims code from 0x701000 to 0x%x, more than the image has"):format(BIAS + size), profile)
    end
    profile.process.high = profile.process.low
    refuse("histogram has no bins", profile)
    profile.process.high = profile.process.low - (1 << 20)
    refuse("the section at offset 120 claims code from 0x701000 to 0x601000, outside its module", profile)
    profile.process.low, profile.process.high = BIAS - 1, BIAS + 1
    refuse("the section at offset 120 claims code from 0x6fffff to 0x700001, outside its module", profile)
    profile = example()
    profile.modules[2].code, profile.modules[2].code_end = 0x20, 0x10
    refuse("the section at offset 120 claims code from 0x20 to 0x10, outside its module", profile)
    profile = example()
    profile.modules[1].high = profile.modules[1].low
    refuse("a module in the section at offset 120 has no addresses", profile)
    for _, bias in ipairs { LIBRARY + 1, LIBRARY + 0x1000, LIBRARY - 1 - math.maxinteger - math.maxinteger } do
      profile = example()
      profile.modules[2].bias = bias
      refuse("a module in the section at offset 120 has no addresses: its load bias is wrong", profile)
    end
  end)

  it("of another build has no samples of threads", function()
    local lacks = { p = "a flat profile needs", l = "a flat profile needs", ["-tree"] = "a call tree needs",
      ["-export=pprof:x"] = "the export 'pprof' needs" }
    local file = gmon.write(dir .. "/threads", gmon.magic { spare = ("<I4I8"):pack(0, 1 << 60),
      records = { { kind = "histogram", low = 0x1000, high = 0x1060, bins = { n = 24, [9] = 7 }, rate = 1000 } } })
    local profile = example()
    profile.tables = { { name = "one", { context = 0, from = LIBRARY, self = MAIN + 8, count = 1 } } }
    profile.modules[1].build_id = "other"
    save("threads.ctx", profile)
    for option, lack in pairs(lacks) do
      local result = program.run({ "--thread=one", "-" .. option, path, file }, { cwd = dir })
      assert.equal(1, result.status, option .. result.stdout .. result.stderr)
      assert.matches("has no histogram, which " .. lack .. "[^\n]*\n$", result.stderr)
    end
  end)

  it("is skipped with --keep-going", function()
    local bad, good = save("bad", example { sum = 1 }), save("good", example())
    local result = program.run { "-b", "-p", "--keep-going", path, bad, good }
    assert.same({ "gprof.lua: " .. bad .. ": is damaged: its checksum is wrong\n", 1 },
      { result.stderr:match "^[^\n]+\n", result.status })
    assert.equal(program.run({ "-b", "-p", path, good }).stdout, result.stdout)
  end)

  it("is refused if an option requests another format", function()
    local good = save("good", example())
    assert.same({ nil, good .. ': not in the magic format: does not begin with "gmon"' },
      { gprof.data(image, good, { file_format = "magic" }) })
    assert.error_matches(function() gprof.data.new { image = image }:read(good, "context") end,
      "invalid option 'context'")
  end)
end)

describe("a program with a build ID", function()
  local source = shell.write(dir .. "/p.c", "int main(void) { return 0; }\n")
  local ID <const> = "\1\2\3\4\5\6\7\8"
  shell.check { "gcc", "-Wl,--build-id=0x0102030405060708", "-o", dir .. "/p", source }
  local built = assert(gprof.image(dir .. "/p"))

  local function identified(first, second, third)
    local profile = example()
    profile.modules[1].build_id, profile.modules[2].build_id = first, second
    profile.modules[3] = { bias = LIBRARY + 0x10000, low = LIBRARY + 0x10000, high = LIBRARY + 0x11000,
      build_id = third }
    return profile
  end

  it("gets the records of the module with this ID", function()
    local data = assert(gprof.data(built, save("program", identified(ID, "x", "y"))))
    assert.same({ arcs, samples }, { contents(data) })
  end)

  it("gets the records of all places where a library was loaded", function()
    local profile = identified("x", ID, ID)
    profile.tables[3] = {
      { context = 0, from = LIBRARY + 0x10020, self = LIBRARY + 0x10008, count = 4 },
      { context = 0, from = LIBRARY + 0x20, self = LIBRARY + 8, count = 1 },
      { context = 3, from = LIBRARY + 0x10041, count = 2 } }
    local data = assert(gprof.data(built, save("library", profile)))
    assert.same({ { "20 8 5", "ffffffffffffffff 8 9" }, { ["40"] = 5 } }, { contents(data) })
  end)

  it("is not mixed up with another build", function()
    local file = save("other", identified("x", "y", "z"))
    assert.same({ nil, file .. ": was recorded with another build: no module has the build ID of the image" },
      { gprof.data(built, file) })
    file = save("none", example())
    assert.is_nil((gprof.data(built, file)))
  end)

  it("cannot be loaded twice at one place", function()
    local profile = identified("x", ID, ID)
    profile.modules[2].high = profile.modules[3].low + 1
    local file = save("overlapping", profile)
    assert.same({ nil, file .. ": modules in the section at offset 120 overlap" }, { gprof.data(built, file) })
  end)
end)
