-- The profile writer support/gmon.lua, on which specs rely: it conforms to the formats, and GNU gprof reads its files.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local oracle = require "support.oracle"
local parity = require "support.parity"
local shell = require "support.shell"

local function hex(digits)
  return (digits:gsub("%s", ""):gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))
end

local shapes <const> = gmon.shapes()
local LOW <const>, HIGH <const> = 0x1000, 0x1300

local function records()
  return {
    { kind = "histogram", low = LOW, high = HIGH, bins = { n = (HIGH - LOW) // 2, [1] = 7, [200] = 40, [256] = 2 } },
    { kind = "arc", from = 0x1010, self = 0x1104, count = 42 },
    { kind = "blocks", { 0x1104, 3 }, { 0x1110, 65536 } },
    { kind = "arc", from = 0x1020, self = 0x1104, count = 0xfffffff0 },
  }
end

describe("gmon.magic", function()
  it("writes little-endian 32-bit records", function()
    assert.equal(hex [[
      676d6f6e 01000000 00000000 00000000 00000000
      00 00100000 08100000 02000000 64000000 7365636f6e6473 0000000000000000 73 0100 ffff
      01 04100000 08100000 05000000
      02 01000000 10100000 06000000
      ee]], gmon.magic { pointer = 4, records = {
      { kind = "histogram", low = 0x1000, high = 0x1008, bins = { 1, 65535 } },
      { kind = "arc", from = 0x1004, self = 0x1008, count = 5 },
      { kind = "blocks", { 0x1010, 6 } },
      { kind = "raw", bytes = "\xee" },
    } })
  end)

  it("writes big-endian 64-bit records", function()
    assert.equal(hex [[
      676d6f6e 00000001 00000000 00000000 00000000
      00 0000000000001000 0000000000001008 00000002 000003e8 6379636c6573 000000000000000000 63 0001 ffff
      01 0000000000001004 0000000000001008 00000005
      02 00000001 0000000000001010 0000000000000006]], gmon.magic { big = true, records = {
      { kind = "histogram", low = 0x1000, high = 0x1008, bins = { 1, 65535 },
        rate = 1000, dimension = "cycles", abbreviation = "c" },
      { kind = "arc", from = 0x1004, self = 0x1008, count = 5 },
      { kind = "blocks", { 0x1010, 6 } },
    } })
  end)

  it("writes 0 for missing bins", function()
    local function histogram(bins)
      return gmon.magic { records = { { kind = "histogram", low = 0, high = 2000, bins = bins } } }
    end
    local full = {}
    for i = 1, 1000 do
      full[i] = i == 5 and 3 or i == 1000 and 9 or 0
    end
    assert.equal(histogram(full), histogram { n = 1000, [5] = 3, [1000] = 9 })
  end)

  it("rejects numbers that do not fit", function()
    local function write(record)
      return pcall(gmon.magic, { pointer = 4, records = { record } })
    end
    assert.is_false(write { kind = "histogram", low = 0, high = 2, bins = { 65536 } })
    assert.is_false(write { kind = "arc", from = 0, self = 0, count = 1 << 32 })
    assert.is_false(write { kind = "arc", from = 1 << 32, self = 0, count = 1 })
    assert.is_false(write { kind = "arcs" })
  end)
end)

describe("gmon.bsd and gmon.bsd44", function()
  it("write old BSD files", function()
    assert.equal(hex [[
      00001000 00001008 00000010 0001 0002
      00001004 00001008 00000005]],
      gmon.bsd { pointer = 4, big = true, low = 0x1000, high = 0x1008, bins = { 1, 2 },
        arcs = { { 0x1004, 0x1008, 5 } } })
  end)

  it("write 4.4BSD files", function()
    assert.equal(hex [[
      0010000000000000 0810000000000000 2c000000 79180500 c8000000 000000000000000000000000 0100 0200
      0410000000000000 0810000000000000 0500000000000000]],
      gmon.bsd44 { low = 0x1000, high = 0x1008, bins = { 1, 2 }, rate = 200, arcs = { { 0x1004, 0x1008, 5 } } })
  end)
end)

describe("gmon.parse", function()
  for _, shape in ipairs(shapes) do
    it("reads what was written, " .. shape.name, function()
      local profile = { pointer = shape.pointer, big = shape.big, records = records() }
      local bytes = gmon.magic(profile)
      local read = gmon.parse(bytes, shape)
      assert.same({ kind = "arc", from = 0x1010, self = 0x1104, count = 42 }, read.records[2])
      assert.same(profile.records[3], read.records[3])
      assert.equal(40, read.records[1].bins[200])
      assert.equal(0, read.records[1].bins[201])
      assert.equal(bytes, gmon.magic(read))
    end)
  end

  it("rejects truncated files", function()
    local bytes = gmon.magic { records = records() }
    for _, size in ipairs { 0, 19, 30, 100, #bytes - 1 } do
      assert.is_false(pcall(gmon.parse, bytes:sub(1, size)), size)
    end
  end)

  for name, variant in build.each() do
    it(("reads what the C library wrote: %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      if built.gmon then
        local bytes = shell.read(built.gmon)
        local profile = gmon.parse(bytes)
        assert.equal(1, #gmon.select(profile, "histogram"))
        assert.equal(bytes, gmon.magic(profile))
      else
        assert.equal("mute", name)
      end
    end)
  end
end)

-- Returns the number of calls to addresses from `first` to `beyond` - 1.
local function calls_between(arcs, first, beyond)
  local calls = 0
  for _, arc in ipairs(arcs) do
    if arc.self >= first and arc.self < beyond then
      calls = calls + arc.count
    end
  end
  return calls
end

describe("the fixture programs", function()
  for name, variant in build.each() do
    it(("make the expected calls: %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      local symbols = build.symbols(built.image)
      local function beyond(address)
        for _, symbol in ipairs(symbols) do
          if symbol.address > address then
            return symbol.address
          end
        end
      end
      for _, known in ipairs(build.expected(built)) do
        local arcs = gmon.select(gmon.parse(shell.read(built.gmon)), "arc")
        assert.equal(known.calls, calls_between(arcs, known.address, beyond(known.address)), known.symbol)
      end
    end)
  end

  it("make the expected calls in clones, if the compiler makes clones as gcc 12 does", function()
    local found = {}
    for _, known in ipairs(build.expected(build.program("clones"))) do
      found[#found + 1] = known.symbol
    end
    assert.is_true(#found >= 8, table.concat(found, " "))
  end)
end)

describe("GNU gprof", function()
  if not parity.possible(pending) then return end

  local function report(image, bytes, ...)
    local file = gmon.write(shell.tmpdir() .. "/gmon.out", bytes)
    local args = { ... }
    table.move({ image, file }, 1, 2, #args + 1, args)
    local result = oracle.run(args)
    assert.equal("", result.stderr)
    assert.equal(0, result.status)
    return result.stdout
  end

  for _, shape in ipairs(shapes) do
    describe("reads " .. shape.name, function()
      local image = build.craft { target = shape.target, address = LOW, text = 0x400,
        symbols = { { "first", 0 }, { "second", 0x100 }, { "third", 0x200 }, { "last", 0x300 } } }

      local function check_flat(text, seconds)
        local self = {}
        for time, name in text:gmatch("\n *[%d.]+ +[%d.]+ +([%d.]+) +[^\n]-(%a+) *%f[\n]") do
          self[name] = time
        end
        assert.same(seconds, self)
      end

      it("in the current format", function()
        local profile = { pointer = shape.pointer, big = shape.big, records = records() }
        table.remove(profile.records, 3) -- blocks are tested below
        local bytes = gmon.magic(profile)
        check_flat(report(image, bytes, "-b", "-p"), { first = "0.07", second = "0.42" })
        assert.truthy(report(image, bytes, "-b", "-q"):find(" 4294967322 ", 1, true)) -- calls of both arcs
        assert.equal("\t1 histogram record\n\t2 call-graph records\n\t0 basic-block count records\n",
          report(image, bytes, "-i"):match("\n(.*)$"))
      end)

      -- GNU gprof cannot read big-endian block records.
      if not shape.big then
        for version = 0, 1 do
          it("in the current format, blocks of version " .. version, function()
            local bytes = gmon.magic { pointer = shape.pointer, version = version, records = { records()[3] } }
            assert.equal("<unknown>:0: (second:0x1104) 3 executions\n<unknown>:0: (second:0x1110) 65536 executions\n",
              report(image, bytes, "-b", "-l", "-C"))
          end)
        end
      end

      it("in the BSD formats", function()
        local profile = { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH,
          bins = records()[1].bins, arcs = { { 0x1010, 0x1104, 42 }, { 0x1004, 0x1204, 6 } } }
        for _, bytes in ipairs { gmon.bsd(profile), gmon.bsd44(profile) } do
          check_flat(report(image, bytes, "-b", "-p"), { first = "0.07", second = "0.42", third = "0.00" })
          assert.truthy(report(image, bytes, "-b", "-q"):find(" 42/42 ", 1, true))
        end
        profile.rate = 1000
        check_flat(report(image, gmon.bsd44(profile), "-b", "-p"),
          { first = "0.01", second = "0.04", third = "0.00" })
      end)
    end)
  end

  for name, variant in build.each() do
    it(("reports on %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      if built.gmon then
        local result = oracle.run { "-b", "-p", built.image, built.gmon }
        assert.equal(0, result.status)
        assert.truthy(result.stdout:find("^Flat profile:"))
      end
    end)
  end
end)
