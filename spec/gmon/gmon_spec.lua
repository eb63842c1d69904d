-- Reading profile files in all formats, byte orders and pointer sizes, from files and pipes. A bad file gives a
-- one-line error with the place in the file.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local LOW <const>, HIGH <const> = 0x1000, 0x1040

local shapes <const> = gmon.shapes()

-- Makes an image with the functions caller and callee, of 32 bytes each.
local function craft(shape, address)
  return build.craft { target = shape.target, address = address or LOW, text = HIGH - LOW,
    symbols = { { "caller", 0 }, { "callee", (HIGH - LOW) // 2 } } }
end

for _, shape in ipairs(shapes) do
  shape.image = gprof.image(craft(shape))
end
local default <const> = shapes[3]
local image <const> = default.image

local scratch, saved = shell.tmpdir "gmon", 0

local function save(bytes)
  saved = saved + 1
  return gmon.write(("%s/%d"):format(scratch, saved), bytes)
end

local function histogram(changes)
  local record = { kind = "histogram", low = LOW, high = HIGH, bins = { 3, 0, 500, 65535 } }
  for key, value in pairs(changes or {}) do
    record[key] = value
  end
  return record
end

-- The message for a file that neither begins with "gmon" nor has a plausible BSD header.
local BSD <const> = 'not a profile%s: does not begin with "gmon", and its BSD size field is %d bytes, %s'

local function arc(count)
  return { kind = "arc", from = LOW + 4, self = LOW + 0x20, count = count }
end

local blocks <const> = { kind = "blocks", { LOW, 7 }, { LOW + 8, 9 } }

local function magic(records, shape)
  shape = shape or default
  return gmon.magic { pointer = shape.pointer, big = shape.big, version = shape.version, records = records }
end

-- Reads files. Returns the ticks of both functions, the calls along the arc between them, and the numbers of records.
local function read(on, ...)
  local data = assert(gprof.data(on, ...))
  local profile = assert(gprof.profile(on, data))
  local caller, callee = profile:lookup(on.text_low), profile:lookup(on.text_low + 0x20)
  return { caller.ticks, callee.ticks, callee.calls, data.histogram_records, data.arc_records, data.block_records }
end

local function blocks_of(data)
  local found = {}
  for address, executions in data:blocks() do
    found[#found + 1] = { address, executions }
  end
  return found
end

describe("the current format", function()
  for _, shape in ipairs(shapes) do
    it("is read, " .. shape.name, function()
      local path = save(magic({ histogram(), arc(40), blocks, arc(2) }, shape))
      assert.same({ 3, 66035, 42, 1, 2, 1 }, read(shape.image, path))
      assert.same({ 3, 66035, 42, 1, 2, 1 }, read(shape.image, path, { file_format = "magic" }))
    end)

    it("is read with the block records of version 0, " .. shape.name, function()
      local old = { kind = "blocks", note = "made by hand", { LOW, 1, "a.c", "caller", 12 }, { LOW + 8, 2 } }
      local bytes = magic({ arc(1), old, arc(41), { kind = "blocks" } },
        { pointer = shape.pointer, big = shape.big, version = 0 })
      assert.same({ 0, 0, 42, 0, 2, 2 }, read(shape.image, save(bytes)))
    end)

    it("rejects 8-byte block addresses of version 0 that do not fit in a pointer, "  .. shape.name, function()
      local address = 1 << 32 | LOW
      local bytes = magic({ arc(1), { kind = "blocks", { LOW, 1 }, { address, 2 } } },
        { pointer = shape.pointer, big = shape.big, version = 0 })
      local path = save(bytes)
      local data, message = gprof.data(shape.image, path)
      if shape.pointer == 8 then
        assert.same({ { LOW, 1 }, { address, 2 } }, blocks_of(data))
      else
        assert.is_nil(data)
        assert.equal(("%s: block counts at offset %d have an address, 0x100001000, that does not fit a pointer of 4"
          .. " bytes"):format(path, 20 + 1 + 2 * shape.pointer + 4), message)
      end
    end)
  end

  it("may have no records", function()
    local data = gprof.data(image, save(magic {}))
    assert.is_false(data.has_histogram)
    assert.is_false(data.has_arcs)
    assert.is_nil(data.low)
    assert.is_nil(data.high)
  end)

  it("gives the range of its addresses", function()
    local data = gprof.data(image, save(magic { histogram { low = 0x500, high = 0x540 }, arc(1) }))
    assert.equal(0x500, data.low)
    assert.equal(LOW + 0x20, data.high)
  end)

  it("is read across the boundaries of the reader's window", function()
    local bins = { n = 70001, [32768] = 1, [32769] = 2, [70001] = 4 }
    local records = { histogram { low = LOW + 0x20, high = LOW + 0x20 + 2 * 70001, bins = bins } }
    for i = 1, 10000 do
      records[i + 1] = arc(1)
    end
    assert.same({ 0, 0, 10000, 1, 10000, 0 }, read(image, save(magic(records))))
    local text = gprof.image(build.craft { address = LOW, text = 0x30000,
      symbols = { { "caller", 0 }, { "callee", 0x20 }, { "edge", 0x20 + 2 * 32768 }, { "rest", 0x22 + 2 * 32768 } } })
    local profile = gprof.profile(text, gprof.data(text, save(magic(records))))
    assert.same({ 1, 2, 4 }, { profile:lookup(LOW + 0x20).ticks, profile:lookup(LOW + 0x10020).ticks,
      profile:lookup(LOW + 0x10022).ticks })
  end)

  for _, case in ipairs { { shapes[1], 0x80001000 }, { shapes[4], 0xffffffff80001000 } } do
    local shape, address = case[1], case[2]
    it(("can have addresses up to %#x"):format(address), function()
      local high = gprof.image(craft(shape, address))
      local path = save(magic({
        histogram { low = address, high = address + 0x40, bins = { 1, 2, 4, 8 } },
        { kind = "arc", from = address + 2, self = address + 0x20, count = 5 } }, shape))
      assert.same({ 3, 12, 5, 1, 1, 0 }, read(high, path))
      assert.equal(address, gprof.data(high, path).low)
    end)
  end
end)

describe("the BSD formats", function()
  for _, shape in ipairs(shapes) do
    local profile = { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH, bins = { 3, 0, 500, 65535 },
      arcs = { { LOW + 4, LOW + 0x20, 40 }, { LOW + 6, LOW + 0x20, 2 } }, rate = 250 }

    it("are read, " .. shape.name, function()
      for _, format in ipairs { "auto", "bsd" } do
        assert.same({ 3, 66035, 42, 1, 2, 0 }, read(shape.image, save(gmon.bsd(profile)), { file_format = format }))
      end
      for _, format in ipairs { "auto", "bsd", "4.4bsd" } do
        assert.same({ 3, 66035, 42, 1, 2, 0 }, read(shape.image, save(gmon.bsd44(profile)), { file_format = format }))
      end
    end)

    it("have the recorded rate, or else the system's clock rate, " .. shape.name, function()
      local function rate(bytes)
        return gprof.profile(shape.image, gprof.data(shape.image, save(bytes))).rate
      end
      assert.equal(250.0, rate(gmon.bsd44(profile)))
      assert.equal(tonumber(shell.check { "getconf", "CLK_TCK" }.stdout), rate(gmon.bsd(profile)))
    end)
  end

  it("may lack a histogram; data read from them always has arcs", function()
    local data = gprof.data(image, save(gmon.bsd { low = LOW, high = HIGH }))
    assert.is_false(data.has_histogram)
    assert.is_true(data.has_arcs)
  end)

  it("have as many bins as the size in the header has room for, in a file and through a pipe", function()
    local profile = { low = LOW, high = HIGH, bins = { 3, 0, 500, 65535 } }
    for odd = 0, 1 do
      profile.ncnt = #gmon.bsd(profile) + odd
      local path = save(gmon.bsd(profile))
      assert.same({ 3, 66035, 0, 1, 0, 0 }, read(image, path))
      local data, pipe = gprof.data.new { image = image }, assert(io.popen("cat " .. path))
      assert(data:read(pipe))
      pipe:close()
      assert.equal(1, data.histogram_records)
      profile.ncnt = nil
    end
  end)

  it("have counts as wide as an address", function()
    local path = save(gmon.bsd { low = LOW, high = HIGH, arcs = { { LOW, LOW + 0x20, 1 << 40 } } })
    assert.equal((1 << 40) + 42, read(image, path, save(magic { arc(42) }))[3])
  end)
end)

describe("a sum of files", function()
  it("adds bins beyond 16 bits", function()
    local path = save(magic { histogram() })
    assert.same({ 3 * 3, 3 * 66035, 0, 3, 0, 0 }, read(image, path, path, path))
  end)

  it("adds bins beyond 32 bits", function()
    local records = {}
    for i = 1, 66000 do
      records[i] = { kind = "histogram", low = LOW, high = HIGH, bins = { 65535 } }
    end
    assert.same({ 66000 * 65535 / 2, 66000 * 65535 / 2, 0, 66000, 0, 0 }, read(image, save(magic(records))))
  end)

  it("adds calls beyond 32 bits", function()
    local path = save(magic { arc(0xffffffff), arc(0xfffffff0) })
    assert.equal(4 * 0xffffffff - 30, read(image, path, path)[3])
  end)

  it("can go on after a profile was made from it", function()
    local function other(count) return { kind = "arc", from = LOW + 8, self = LOW + 0x20, count = count } end
    local data = assert(gprof.data(image, save(magic { arc(3), other(4) })))
    assert(gprof.profile(image, data))
    assert(data:read(save(magic { other(10) })))
    assert.equal(17, assert(gprof.profile(image, data)):lookup(LOW + 0x20).calls)
    assert(data:add_file(save(magic { other(100), arc(1000) })))
    local arcs = {}
    for from, _, calls in data:arcs() do arcs[#arcs + 1] = { from - LOW, calls } end
    assert.same({ { 4, 1003 }, { 8, 114 } }, arcs)
  end)

  it("rejects calls beyond 63 bits", function()
    local too_many = { { LOW, LOW, math.maxinteger }, { LOW, LOW, 1 } }
    for offset, arcs in pairs { [44] = too_many, [20] = { { LOW, LOW, -1 } } } do
      local path = save(gmon.bsd { low = LOW, high = HIGH, arcs = arcs })
      local data, message = gprof.data(image, path)
      assert.is_nil(data)
      assert.equal(("%s: count exceeds 63 bits in the record at offset %d"):format(path, offset), message)
    end
  end)

  it("rejects calls of a function beyond 63 bits", function()
    local arcs = { { LOW, LOW + 0x20, math.maxinteger }, { LOW + 4, LOW + 0x20, 1 } }
    local data = assert(gprof.data(image, save(gmon.bsd { low = LOW, high = HIGH, arcs = arcs })))
    local profile, message = gprof.profile(image, data)
    assert.is_nil(profile)
    assert.truthy(message:find("was called 2^63 times or more", 1, true), message)
  end)

  it("rejects an impossibly large range", function()
    local path = save(magic { { kind = "histogram", low = 0, high = -1, bins = { 1, 1 } } })
    local data, message = gprof.data(image, path)
    assert.is_nil(data)
    assert.truthy(message:find("covers an impossibly large range", 1, true), message)
  end)

  it("accepts files of different formats", function()
    local bsd = gmon.bsd44 { low = LOW, high = HIGH, bins = { 3, 0, 500, 65535 }, arcs = { { LOW, LOW + 0x20, 1 } } }
    assert.same({ 6, 132070, 42, 2, 2, 0 }, read(image, save(bsd), save(magic { arc(41), histogram() })))
  end)

  it("accepts different rates with mixed_rates", function()
    local one, other = save(magic { histogram() }), save(magic { histogram { rate = 1000 } })
    assert.same({ 6, 132070, 0, 2, 0, 0 }, read(image, one, other, { mixed_rates = true }))
  end)
end)

describe("a profile that is not a regular file", function()
  local path = save(magic { histogram { bins = { 10, 0, 0, 5 } }, arc(42) })
  local function check(result)
    assert.equal("", result.stderr)
    assert.truthy(result.stdout:find("66.67      0.10     0.10                             caller\n", 1, true))
    assert.truthy(result.stdout:find("33.33      0.15     0.05       42     1.19     1.19  callee\n", 1, true))
  end

  it("is read from standard input", function()
    check(program.run({ "-b", "-p", image.path, "-" }, { stdin = path }))
  end)

  it("is read from a pipe", function()
    for _, name in ipairs { "-", "/dev/stdin" } do
      check(launch.line([[cat "$PROFILE" | "$@"]], { "-b", "-p", image.path, name }, { env = { PROFILE = path } }))
    end
  end)

  it("is read from the current position of standard input", function()
    local behind = save("junk" .. shell.read(path))
    check(launch.line([[dd bs=4 count=1 of=/dev/null 2>/dev/null; "$@"]], { "-b", "-p", image.path, "-" },
      { stdin = behind }))
  end)

  it("is called standard input in messages", function()
    local result = program.run({ image.path, path, "-" })
    assert.equal("gprof.lua: standard input: is empty\n", result.stderr)
  end)
end)

local text <const> = ("No profile, but a text. "):rep(9)

-- Bad files and their error messages. `before` is a valid profile that is read first; `format` is the format
-- passed to the reader.
local bad <const> = {
  { "nothing", "", "is empty" },
  { "19 bytes", ("g"):rep(19), "is too short to be a profile" },
  { "a text", text, BSD:format(", or truncated", (string.unpack("<I4", text, 17)),
    "but the file has " .. #text .. " bytes") },
  { "a text read as magic", text, 'not in the magic format: does not begin with "gmon"', format = "magic" },
  { "version 2", gmon.magic { version = 2, records = {} }, "unsupported version 2: expected 0 or 1" },
  { "a shared library's profile without a record", gmon.magic { version = 0x1ffff, records = {} },
    "ends in the middle of the histogram at offset 20" },
  { "an unknown tag", magic { arc(1), { kind = "raw", bytes = "\3" }, arc(1) },
    "bad tag 3 at offset 41: expected 0 (histogram), 1 (arc) or 2 (block counts)" },
  { "no bins, low above high", magic { arc(1), histogram { low = HIGH, high = LOW, bins = {} } },
    "histogram at offset 41 has no bins" },
  { "low above high", magic { histogram { low = HIGH, high = LOW } },
    "histogram at offset 20 covers no text: 0x1040 to 0x1000" },
  { "low at high", magic { histogram { low = LOW, high = LOW } },
    "histogram at offset 20 covers no text: 0x1000 to 0x1000" },
  { "a rate of 0", magic { histogram { rate = 0 } }, "histogram at offset 20 has samples, but a rate of 0" },
  { "more bins claimed than there are", magic { { kind = "raw",
      bytes = string.pack("<BI8I8I4I4c15c1", 0, LOW, HIGH, 0xffffffff, 100, "seconds", "s") .. "12345678" } },
    "histogram at offset 20 claims 4294967295 bins, but only 8 bytes follow" },
  { "more blocks claimed than there are", magic { arc(1), { kind = "raw", bytes = "\2\xff\xff\xff\xff1234" } },
    "block counts at offset 41 claim 4294967295 blocks, but only 4 bytes follow" },
  { "more blocks of version 0 claimed than there are",
    gmon.magic { version = 0, records = { { kind = "raw", bytes = "\2\xff\xff\xff\xffnote\0" .. "1234" } } },
    "block counts at offset 20 claim 4294967295 blocks, but only 4 bytes follow" },
  { "overlapping histograms", magic { histogram(), histogram { low = LOW + 0x20, high = HIGH + 0x20 } },
    "histogram at offset 69, 0x1020 to 0x1060, overlaps another one, 0x1000 to 0x1040" },
  { "a histogram within another",
    magic { histogram(), histogram { low = LOW + 0x10, high = LOW + 0x20, bins = { 1 } } },
    "histogram at offset 69, 0x1010 to 0x1020, overlaps another one, 0x1000 to 0x1040" },
  { "a histogram around others", magic { histogram { low = LOW + 0x40, high = HIGH + 0x40 }, histogram(),
      histogram { high = HIGH + 0x40, bins = { n = 8 } } },
    "histogram at offset 118, 0x1000 to 0x1080, overlaps another one, 0x1000 to 0x1040" },
  { "another dimension", magic { histogram { dimension = "cycles" } }, before = magic { histogram() },
    "histogram at offset 20 counts 'cycles', but earlier ones count 'seconds'" },
  { "another abbreviation", magic { histogram { abbreviation = "t" } }, before = magic { histogram() },
    "histogram at offset 20 counts 'seconds' (t), but earlier ones count 'seconds' (s)" },
  { "another scale", magic { histogram { low = HIGH, high = HIGH + 0x20 } }, before = magic { histogram() },
    "histogram at offset 20 has bins of 8 bytes, but earlier ones have 16: the profile is probably from another " ..
    "build of the program" },
  { "another rate", magic { arc(1), histogram { rate = 1000 } }, before = magic { histogram() },
    "histogram at offset 41 has rate 1000, but earlier ones have 100" },
  { "a BSD header that claims less than itself", gmon.bsd { low = LOW, high = HIGH, ncnt = 19 },
    BSD:format("", 19, "less than the header") },
  { "a BSD header that claims too much", gmon.bsd { low = LOW, high = HIGH, bins = { 1 }, ncnt = 24 },
    BSD:format(", or truncated", 24, "but the file has 22 bytes") },
  { "a BSD profile with low above high", gmon.bsd { low = HIGH, high = LOW, bins = { 1 } },
    "histogram at offset 0 covers no text: 0x1040 to 0x1000" },
  { "old BSD read as 4.4BSD", gmon.bsd { low = LOW, high = HIGH, bins = { 1, 2, 3, 4 } }, format = "4.4bsd",
    "lacks the version number of a 4.4BSD profile" },
}

describe("a bad file gives nil and one line:", function()
  local function check(path, message, ...)
    local data, problem = gprof.data(image, ...)
    assert.is_nil(data)
    assert.equal(path .. ": " .. message, problem)
  end

  for _, case in ipairs(bad) do
    it(case[1], function()
      local path = save(case[2])
      if case.before then
        check(path, case[3], save(case.before), path)
      else
        check(path, case[3], path, { file_format = case.format })
      end
    end)
  end

  it("a missing file", function()
    local path = shell.tmpdir() .. "/none"
    check(path, "No such file or directory", path)
  end)

  it("a directory", function()
    local path = shell.tmpdir()
    check(path, "is a directory", path)
  end)

  it("another unit, even if its name has control characters", function()
    local path = save(magic { histogram(), histogram { dimension = "two\nlines" } })
    local data, problem = gprof.data(image, path)
    assert.is_nil(data)
    assert.truthy(problem:find("^[^\n]*histogram at offset 69[^\n]*$"), problem)
  end)

  it("a file that cannot be read", function()
    if not shell.exists "/proc/self/mem" then
      pending "needs a file that can be opened but not read"
      return
    end
    check("/proc/self/mem", "cannot be read: Input/output error", "/proc/self/mem")
  end)
end)

-- Reads bytes from a file and from a pipe, whose size is unknown. Iterates over the two readings: { path, results... }.
local fifo <const> = scratch .. "/fifo"
shell.check { "mkfifo", fifo }

local function read_both(on, bytes)
  local path = gmon.write(scratch .. "/cut", bytes)
  local writer = assert(io.popen(("cat %s >%s"):format(shell.quote(path), shell.quote(fifo))))
  local results = { { path, gprof.data(on, path) }, { fifo, gprof.data(on, fifo) } }
  writer:close() -- waits for the process
  return ipairs(results)
end

describe("a file truncated at any byte", function()
  local records = { histogram(), arc(1), blocks, arc(2) }
  local kinds = { "histogram", "arc", "block counts", "arc" }

  for _, shape in ipairs {
    shapes[2], shapes[3], { name = "version 0", pointer = 8, big = false, version = 0, image = image } } do
    it("has fewer records, or is rejected at the truncated record: " .. shape.name, function()
      local whole = magic(records, shape)
      local complete, record, record_end = -1, nil, 20 -- complete records; start and end of the truncated one
      for size = 0, #whole do
        if size == record_end then
          complete, record = complete + 1, record_end
          record_end = #magic(table.move(records, 1, complete + 1, 1, {}), shape)
        end
        for _, result in read_both(shape.image, whole:sub(1, size)) do
          local path, data, message = table.unpack(result, 1, 3)
          if size == record then
            assert.equal(complete, data.histogram_records + data.arc_records + data.block_records)
          else
            assert.is_nil(data)
            local expected = size == 0 and "^: is empty$" or size < 20 and "^: is too short to be a profile$"
              or ("^[^\n]*%s at offset %d%%f[%%D][^\n]*$"):format(kinds[complete + 1], record)
            assert.truthy(message:find(expected, #path + 1), ("%d bytes: %s"):format(size, message))
          end
        end
      end
      assert.equal(#records, complete)
    end)
  end

  it("has fewer records, or is rejected at the truncated record: BSD", function()
    local bytes = gmon.bsd { low = LOW, high = HIGH, bins = { 1, 2, 3, 4 },
      arcs = { { LOW, LOW + 0x20, 3 }, { LOW, LOW, 4 } } }
    for size = 20, #bytes do
      for _, result in read_both(image, bytes:sub(1, size)) do
        local data, message = result[2], result[3]
        if size >= 28 and (size - 28) % 24 == 0 then
          assert.equal((size - 28) // 24, data.arc_records)
        else
          assert.is_nil(data)
          assert.truthy(message:find(size > 28 and ("arc at offset %d$"):format(28 + (size - 28) // 24 * 24)
            or result[1] == fifo and "histogram at offset 0$" or "the file has " .. size .. " bytes$"), message)
        end
      end
    end
  end)
end)

describe("a file with any byte changed", function()
  it("is read, or rejected in one line", function()
    local records = { histogram(), arc(1), blocks, arc(2) }
    for version = 0, 1 do
      local bytes = gmon.magic { version = version, records = records }
      for at = 1, #bytes do
        for _, byte in ipairs { "\0", "\1", "\2", "\x7f", "\x80", "\xff" } do
          local path = gmon.write(scratch .. "/changed", bytes:sub(1, at - 1) .. byte .. bytes:sub(at + 1))
          local data, message = gprof.data(image, path)
          if data then
            assert.truthy(gprof.profile(image, data))
          else
            assert.truthy(message:find("^[^\n]+$"))
          end
        end
      end
    end
  end)
end)

describe("a file whose header claims gigabytes", function()
  local script = [[
    local gprof = require "gprof"
    local function peak()
      for line in io.lines "/proc/self/status" do
        local kilobytes = line:match "^VmPeak:%s*(%d+)"
        if kilobytes then return tonumber(kilobytes) end
      end
    end
    local image = gprof.image(arg[1])
    local before = peak()
    local data, message = gprof.data(image, arg[2])
    assert(data == nil, "read")
    print(message:match ": (.*)")
    print(peak() - before)
  ]]
  local claims = {
    bins = magic { { kind = "raw", bytes = string.pack("<BI8I8I4I4c15c1", 0, LOW, 1 << 40, 0xffffffff, 100, "", "") } },
    blocks = magic { { kind = "raw", bytes = "\2\xff\xff\xff\xff" } },
    ["BSD bins"] = gmon.bsd { low = LOW, high = 1 << 40, ncnt = 0xffffffff },
  }

  for name, bytes in pairs(claims) do
    it("of " .. name .. " takes little memory to read, as a file or through a pipe", function()
      if not shell.exists "/proc/self/status" then
        pending "needs /proc/self/status"
        return
      end
      local path = save(bytes .. ("\1"):rep(1000))
      for _, way in ipairs { { path, path }, { "-", "/dev/null" }, { "-", path } } do
        local result = launch.script(script, { image.path, way[1] }, { stdin = way[2] })
        assert.equal("", result.stderr)
        local growth = tonumber(result.stdout:match("\n(%d+)\n$"))
        assert.is_true(growth < 16 * 1024, result.stdout)
      end
    end)
  end
end)
