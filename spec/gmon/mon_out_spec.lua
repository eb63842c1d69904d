-- System V's mon.out (-O prof). It is read in all byte orders and pointer sizes, from files and pipes, and summed.
-- Damaged files and files of other machines give one-line errors. Reports show calls without callers.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local LOW <const>, HIGH <const> = 0x1000, 0x1040
local TICK <const> = tonumber(shell.check { "getconf", "CLK_TCK" }.stdout)

local shapes <const> = gmon.shapes()
for _, shape in ipairs(shapes) do
  shape.path = build.craft { target = shape.target, address = LOW, text = HIGH - LOW,
    symbols = { { "first", 0 }, { "second", 0x20 }, { "behind", HIGH - LOW } } }
  shape.image = gprof.image(shape.path)
end
local default <const> = shapes[3]

local dir <const> = shell.tmpdir "mon"
local saved = 0

local function save(bytes)
  saved = saved + 1
  return gmon.write(("%s/%d"):format(dir, saved), bytes)
end

-- Returns the bytes of a file with three samples in the first function and 600 in the second. Its counters have
-- addresses shortly after the start of a function; one counter is unused.
local function mon(changes)
  local profile = { low = LOW, high = HIGH, bins = { 1, 2, 0, 600 },
    counters = { { LOW + 4, 7 }, { LOW + 0x26, 70000 }, { 0, 0 }, { LOW + 4, 1 } } }
  for key, value in pairs(changes or {}) do profile[key] = value end
  return gmon.mon(profile)
end

-- Returns the ticks of both functions, the calls of both, the number of arcs, and the rate.
local function figures(data, image)
  local profile = assert(gprof.profile(image, data))
  local first, second = profile:lookup(LOW), profile:lookup(LOW + 0x20)
  return { first.ticks, second.ticks, first.calls, second.calls, profile.arc_count, profile.rate }
end

local function read(image, path)
  return figures(assert(gprof.data(image, path, { file_format = "prof" })), image)
end

describe("a mon.out is read", function()
  for _, shape in ipairs(shapes) do
    it("in the layout " .. shape.name, function()
      local path = save(mon { pointer = shape.pointer, big = shape.big })
      assert.same({ 3, 600, 8, 70000, 0, TICK }, read(shape.image, path))
    end)

    it("if its number of counters is an int, in the layout " .. shape.name, function()
      local path = save(mon { pointer = shape.pointer, big = shape.big, int = true })
      assert.same({ 3, 600, 8, 70000, 0, TICK }, read(shape.image, path))
    end)
  end

  it("from a pipe, in pieces", function()
    local bins = { n = 100000 }
    bins[1], bins[100000] = 9, 65535
    local bytes = gmon.mon { low = LOW, high = LOW + 400000, bins = bins, counters = { { LOW, 5 } } }
    local from_file = assert(gprof.data(default.image, save(bytes), { file_format = "prof" }))
    local pipe <close> = assert(io.popen("cat " .. dir .. "/" .. saved))
    local from_pipe = assert(gprof.data.new { image = default.image }:read(pipe, "prof"))
    local out = dir .. "/sum"
    assert(from_file:write(out))
    local sum = shell.read(out)
    assert(from_pipe:write(out))
    assert.equal(sum, shell.read(out))
    assert.equal(100000, gmon.parse(sum).records[1].bins.n)
  end)

  it("if it counts calls only", function()
    local path = save(gmon.mon { low = 0, high = 0, counters = { { LOW, 5 } } })
    local data = assert(gprof.data(default.image, path, { file_format = "prof" }))
    assert.is_false(data.has_histogram)
    assert.same({ 0, 0, 5, 0, 0 }, figures(data, default.image))
  end)

  it("if its buffer was larger than the text: a bin covers two bytes, and the last bins lie past the text", function()
    local path = save(mon { bins = { n = 40, [1] = 2, [17] = 3, [40] = 5 } })
    local data = assert(gprof.data(default.image, path, { file_format = "prof" }))
    assert.same({ 2, 3, 8, 70000, 0, TICK }, figures(data, default.image))
    assert.same({ LOW, LOW + 80, 2 }, { data.low, data.high, data:histograms()().bin_size })
  end)

  it("and data.files gives its format", function()
    local data = assert(gprof.data(default.image, save(mon()), { file_format = "prof" }))
    local file = data.files[1]
    assert.same({ "prof", nil, 1, 3 }, { file.format, file.version, file.histogram_records, file.arc_records })
  end)

  it("and so is a magic profile, with the same format option", function()
    local path = save(gmon.magic { records = { { kind = "histogram", low = LOW, high = HIGH, bins = { 1, 2, 0, 4 },
      rate = TICK } } })
    assert.same({ 3, 4, 0, 0, 0, TICK }, read(default.image, path))
  end)

  it("without the calls of functions outside the image", function()
    local path = save(mon { counters = { { LOW, 5 }, { 0x7f0000001000, 9 } } })
    assert.same({ 3, 600, 5, 0, 0, TICK }, read(default.image, path))
  end)

  it("and traced record by record", function()
    local result = program.run { "-d64", "-O", "prof", "-b", "-p", default.path, save(mon()) }
    assert.matches("counter at offset 24: 0x1004 is called 7 times", result.stderr, 1, true)
    assert.matches("bins at offset 88: 0x1000 to 0x1040, 4 of 16 bytes, a new range", result.stderr, 1, true)
  end)
end)

-- Failures ----------------------------------------------------------------------------------

local whole <const> = mon()  -- a header of 24 bytes, four counters of 16, four bins

local COUNTERS <const> = "not a mon.out, truncated, or from another machine: its header claims %d call " ..
  "counters, but only %d bytes follow"

local bad <const> = {
  { "cut off in the header", whole:sub(1, 22), "ends in the middle of the header at offset 0" },
  { "cut off in a counter", whole:sub(1, 24 + 20),
    COUNTERS:format(4, 20) },
  { "cut off after the counters", whole:sub(1, 88), "ends at offset 88, where its bins should begin" },
  { "cut off in a bin", whole:sub(1, 95), "ends in the middle of a bin at offset 94" },
  { "with an impossible number of counters", mon { count = 1 << 62 },
    COUNTERS:format(1 << 62, 72) },
  { "that ends before it begins", mon { low = HIGH, high = LOW },
    "not a mon.out, or from another machine: its header claims text from 0x1040 to 0x1000" },
  { "that begins at address 0", mon { low = 0 },
    "not a mon.out, or from another machine: its header claims text from 0x0 to 0x1040" },
  { "that covers no text, but has bins", mon { high = LOW },
    "has 4 bins, but its header covers no text: 0x1000 to 0x1000" },
  { "that would go beyond the last address", mon { low = -16, high = -1, bins = { n = 100 } },
    "has 100 bins, which extend past the last address" },
  { "with an impossible number of calls", mon { counters = { { LOW, 1 }, { LOW, math.mininteger } } },
    "count exceeds 63 bits in the record at offset 40" },
  { "that is too short", "short", "is too short to be a profile" },
  { "that is empty", "", "is empty" },
}

describe("a bad mon.out gives nil and one line:", function()
  for _, case in ipairs(bad) do
    it("one " .. case[1], function()
      local path = save(case[2])
      local data, problem = gprof.data(default.image, path, { file_format = "prof" })
      assert.is_nil(data)
      assert.equal(path .. ": " .. case[3], problem)
    end)

    it("one in a sum, which is unchanged: " .. case[1], function()
      local sum = assert(gprof.data(default.image, save(whole), { file_format = "prof" }))
      assert.is_nil(sum:add_file(save(case[2]), "prof"))
      assert.same({ 3, 600, 8, 70000, 0, TICK }, figures(sum, default.image))
    end)
  end

  it("one with another byte order or pointer size", function()
    for _, shape in ipairs(shapes) do
      for _, other in ipairs(shapes) do
        if shape.pointer ~= other.pointer or shape.big ~= other.big then
          local path = save(mon { pointer = other.pointer, big = other.big })
          local data, problem = gprof.data(shape.image, path, { file_format = "prof" })
          assert.is_nil(data, shape.name .. " reads " .. other.name)
          assert.matches("another machine", problem, 1, true)
        end
      end
    end
  end)

  it("a pipe that ends too early", function()
    local pipe <close> = assert(io.popen("head -c 50 " .. save(whole)))
    local data, problem = gprof.data.new { image = default.image }:read(pipe, "prof")
    assert.is_nil(data)
    assert.equal("open file: ends in the middle of the counter at offset 40", problem)
  end)

  it("one whose header claims a huge size, with little memory", function()
    local path = save(mon { count = 0xffffffffffff })
    local line = os.getenv "GPROF_LUA" and 'exec "$@"' or 'ulimit -v 150000; exec "$@"'
    local result = launch.line(line .. " <" .. path, { "-O", "prof", default.path, "-" })
    assert.same({ "gprof.lua: standard input: ends in the middle of the counter at offset 88\n", "", 1 },
      { result.stderr, result.stdout, result.status })
  end)

  it("one that is truncated anywhere, unless only bins are missing", function()
    for length = 1, #whole - 1 do
      local data, problem = gprof.data(default.image, save(whole:sub(1, length)), { file_format = "prof" })
      local is_rejected = problem and not problem:find "\n"
      assert.is_truthy(is_rejected or data and length > 88 and length % 2 == 0, tostring(length))
    end
  end)
end)

-- Reports -----------------------------------------------------------------------------------

describe("on the command line", function()
  local function run(...)
    local result = program.run({ ... }, { cwd = dir })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return result.stdout
  end

  shell.write(dir .. "/mon.out", mon { bins = { 100, 0, 0, 300 } })

  it("mon.out is the default profile, and its calls are in the flat profile", function()
    local printed = run("-O", "prof", "-b", "-p", default.path)
    assert.matches("75.00 +3.00 +3.00 +70000 +%S+ +%S+ +second\n", printed)
    assert.matches("25.00 +4.00 +1.00 +8 +%S+ +%S+ +first\n", printed)
    assert.equal(printed, run("-Op", "-bp", default.path, "mon.out"))
    assert.equal(printed, run("--sandbox", "-Op", "-bp", default.path))
  end)

  it("the call graph shows how often functions were called, but no callers", function()
    local printed = run("-O", "prof", "-b", "-q", default.path)
    assert.matches("<spontaneous>\n%[1%] +75.0 +3.00 +0.00 +70000 +second %[1%]\n", printed)
    assert.matches("<spontaneous>\n%[2%] +25.0 +1.00 +0.00 +8 +first %[2%]\n", printed)
  end)

  it("the execution counts are those of the counters", function()
    assert.matches("(first:0x1000) 8 executions", run("-O", "prof", "-b", "-C", default.path), 1, true)
  end)

  it("symspecs of calls do not match calls without a caller, unless any caller matches", function()
    assert.matches("second\n", run("-O", "prof", "-b", "-p", "-k", "/first", default.path))
    assert.not_matches("70000", run("-O", "prof", "-b", "-p", "-q/first", default.path))
    local result = program.run({ "-O", "prof", "-b", "-p", "-qfirst/second", default.path }, { cwd = dir })
    assert.same({ "", "gprof.lua: symspec 'first/second' matches nothing: no call from first to second\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("--verify accepts mon.out with its program; the callers are unknown", function()
    local printed = run("-O", "prof", "--verify", default.path)
    assert.matches("\ncallers +- +only 2 from unknown callers\n", printed)
    assert.matches("mon%.out belongs to [^\n]*\n$", printed)
    run("-O", "prof", "-s", default.path)
    assert.matches("gmon%.sum belongs to [^\n]*\n$", run("--verify", default.path, "gmon.sum"))
  end)

  it("the mon.out of another program is rejected", function()
    local path = save(gmon.mon { low = 0x500000, high = 0x500100, bins = { 1, 2 }, counters = { { 0x500000, 3 } } })
    local result = program.run { "-O", "prof", default.path, path }
    assert.equal(1, result.status)
    assert.matches("does not belong to", result.stderr, 1, true)
  end)

  it("mon.out is rejected under --gnu-compat, as GNU gprof cannot read it", function()
    local result = program.run { "--gnu-compat", "-O", "prof", default.path, dir .. "/mon.out" }
    assert.same({
      "gprof.lua: file format 'prof' cannot be combined with --gnu-compat: GNU gprof cannot read it\n", "", 1 },
      { result.stderr, result.stdout, result.status })
  end)
end)

-- Sums --------------------------------------------------------------------------------------

describe("a sum of mon.out files", function()
  local other = mon { bins = { 9, 65000, 0, 65000 }, counters = { { LOW + 4, 0xffffffff } } }
  local one, two = save(whole), save(other)

  local function sum(...)
    local place = shell.tmpdir()
    local result = program.run({ default.path, one, two, two, ... }, { cwd = place })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return place .. "/gmon.sum"
  end

  it("is a magic profile with all counts", function()
    local path = sum("-s", "-Oprof")
    local data = assert(gprof.data(default.image, path))
    assert.equal("magic", data.files[1].format)
    assert.same({ 1 + 2 + 2 * 65009, 600 + 2 * 65000, 8 + 2 * 0xffffffff, 70000, 0, TICK },
      figures(data, default.image))
  end)

  it("can be extended with -O prof", function()
    local path = sum("-s", "-Oprof")
    local result = program.run({ "-s", "-Oprof", default.path, path, one }, { cwd = shell.tmpdir() })
    assert.same({ "", 0 }, { result.stderr, result.status })
  end)

  it("is the same if made by several processes", function()
    assert.equal(shell.read(sum("-s", "-Oprof")), shell.read(sum("-s", "-Oprof", "--jobs=3")))
  end)

  it("is read by GNU gprof, which ignores calls without a caller", function()
    local result = oracle.run { "-b", "-p", default.path, sum("-s", "-Oprof") }
    assert.equal(0, result.status)
    assert.matches("second", result.stdout)
    assert.not_matches("70000", result.stdout)
    local ours = program.run { "--gnu-compat", "-b", "-p", default.path, sum("-s", "-Oprof") }
    assert.equal(result.stdout, ours.stdout)
  end)

  it("is rejected if the files are incompatible", function()
    local result = program.run { "-s", "-Oprof", default.path, one, save(whole:sub(1, -3)) }
    assert.equal(1, result.status)
    assert.matches("bins of 21.3333 bytes, but earlier ones have 16", result.stderr, 1, true)
  end)

  it("cannot be written as mon.out", function()
    local data = assert(gprof.data(default.image, one, { file_format = "prof" }))
    local path = shell.tmpdir() .. "/out"
    assert.same({ nil, path .. ": cannot be written as prof: this format can only be read" },
      { data:write(path, "prof") })
    assert.equal("", shell.listing(path:match "^(.*)/"))
  end)
end)
