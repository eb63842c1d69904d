-- The counters of a histogram: their size in 4.4BSD files, full ones, histograms that were never sampled, and
-- profiles of programs with addresses of another size or byte order.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local LOW <const>, HIGH <const> = 0x1000, 0x1040

local shapes <const> = gmon.shapes()

local function craft(shape)
  return build.craft { target = shape.target, address = LOW, text = HIGH - LOW,
    symbols = { { "caller", 0 }, { "callee", (HIGH - LOW) // 2 } } }
end

local function save(bytes) return gmon.write(shell.tmpdir() .. "/gmon.out", bytes) end

-- Returns a 4.4BSD file with bins of another size. `kind` is the word that says so, `format` that of a counter.
local function bsd44(shape, kind, format, bins)
  local order = shape.big and ">" or "<"
  local counts = string.pack(order .. format:rep(#bins), table.unpack(bins))
  local pointer = "I" .. shape.pointer
  local head = string.pack(order .. pointer .. pointer .. "I4I4I4i4c8", LOW, HIGH,
    2 * shape.pointer + 24 + #counts, 0x51879, 100, kind, "")
  return head .. counts .. string.pack(order .. pointer:rep(3), LOW + 4, LOW + 0x20, 42)
end

local function ticks(image, ...)
  local data, message = gprof.data(image, ...)
  if not data then return message end
  local profile = assert(gprof.profile(image, data))
  local caller, callee = profile:lookup(LOW), profile:lookup(LOW + 0x20)
  return { caller.ticks, callee.ticks, callee.calls }
end

describe("counters of a 4.4BSD file:", function()
  for _, shape in ipairs(shapes) do
    local image = assert(gprof.image(craft(shape)))
    for kind, format in pairs { [8] = "I1", [-8] = "i1", [16] = "I2", [-16] = "i2", [32] = "I4", [-32] = "i4",
      [64] = "I8", [-64] = "i8", [0] = "I2", [1] = "I2", [24] = "I2", [128] = "I2", [-1] = "I2",
      [-0x80000000] = "I2" } do
      it(("kind %d, %s"):format(kind, shape.name), function()
        local bytes = bsd44(shape, kind, format, { 3, 0, 100, 27 })
        assert.same({ 3, 127, 42 }, ticks(image, save(bytes)))
        local piped = launch.script([[
          local gprof = require "gprof"
          local image = assert(gprof.image(arg[1]))
          print(gprof.profile(image, assert(gprof.data(image, "-"))):lookup(0x1020).ticks)]], { craft(shape) },
          { stdin = save(bytes) })
        assert.equal("127.0\n", piped.stdout)
      end)
    end

    it("large counts, and their sum, " .. shape.name, function()
      local path = save(bsd44(shape, 64, "I8", { 1 << 40, 0, 5, 0 }))
      assert.same({ 1 << 41, 10, 84 }, ticks(image, path, path))
    end)

    it("a negative count is an error, " .. shape.name, function()
      local path = save(bsd44(shape, -32, "i4", { 3, -1, 5, 0 }))
      assert.equal(path .. ": bin 1 of the histogram has a negative count", ticks(image, path))
    end)
  end
end)

describe("a histogram with a rate of 0", function()
  local function profile(changes)
    local record = { kind = "histogram", low = LOW, high = HIGH, rate = 0, bins = { n = 16 } }
    for key, value in pairs(changes or {}) do record[key] = value end
    return save(gmon.magic { records = { record, { kind = "arc", from = LOW + 4, self = LOW + 0x20, count = 42 } } })
  end

  it("and without samples means that there are none", function()
    local image = craft(shapes[5])
    local result = program.run { "-b", "-q", image, profile() }
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.truthy(result.stdout:find("42/42", 1, true))
    local flat = program.run { "-b", "-p", image, profile() }
    assert.same({ 1, "" }, { flat.status, flat.stdout })
    assert.matches("histogram", flat.stderr)
  end)

  it("can be added to other profiles", function()
    local image = craft(shapes[5])
    local result = program.run { "-b", "-p", image, profile(), profile { rate = 100, bins = { n = 16, [16] = 7 } } }
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.truthy(result.stdout:find("0.07 +84 .* callee"))
  end)

  it("and with samples is an error", function()
    local path = profile { bins = { n = 16, [16] = 7 } }
    local result = program.run { craft(shapes[5]), path }
    assert.same({ 1, path }, { result.status, result.stderr:match "^gprof.lua: (.-): histogram at offset 20 has sam" })
  end)
end)

describe("a histogram without bins", function()
  local image = craft(shapes[5])
  local empty <const> = { kind = "histogram", low = LOW, high = LOW, bins = {} }
  local arc <const> = { kind = "arc", from = LOW + 4, self = LOW + 0x20, count = 42 }

  it("means that there are no samples", function()
    for _, range in ipairs { { LOW, LOW }, { 0, 0 }, { LOW, HIGH } } do
      local record = { kind = "histogram", low = range[1], high = range[2], bins = {} }
      local result = program.run { "-b", "-q", image, save(gmon.magic { records = { record, arc } }) }
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.truthy(result.stdout:find("42/42", 1, true))
    end
  end)

  it("can be beside others, of any rate", function()
    local other = { kind = "histogram", low = LOW, high = HIGH, bins = { n = 16, [16] = 7 }, rate = 1000 }
    for _, records in ipairs { { empty, other, arc }, { other, arc, empty } } do
      local result = program.run { "-b", "-p", image, save(gmon.magic { records = records }) }
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.truthy(result.stdout:find("0.01 +42 .* callee"))
    end
  end)
end)

describe("a full bin", function()
  local image
  setup(function() image = craft(shapes[5]) end)

  local function profile(...)
    local records = {}
    for i, bins in ipairs { ... } do records[i] = { kind = "histogram", low = LOW, high = HIGH, bins = bins } end
    return save(gmon.magic { records = records })
  end

  local function warning(...) return (program.run { "-b", "-p", ... }).stderr end

  it("is named in a warning", function()
    local path = profile { n = 16, [12] = 65535 }
    assert.matches(": 1 bin is full: .*65535 samples.*%(at 0x102c, in callee%)", warning(image, path))
    assert.equal("", warning(image, profile { n = 16, [12] = 65534 }))
    assert.equal("", warning("--gnu-compat", image, path))
  end)

  it("is named if other profiles are added, also by several processes", function()
    local path, other = profile { n = 16, [12] = 65535, [2] = 65535 }, profile { n = 16, [3] = 8 }
    for _, jobs in ipairs { "1", "2" } do
      for _, list in ipairs { { path, other }, { other, path } } do
        assert.matches(": 2 bins are full: .*the first at 0x1004, in caller",
          warning("--jobs=" .. jobs, image, table.unpack(list)))
      end
    end
    local sum = program.run { "--sum-file=" .. shell.tmpdir() .. "/sum", image, other, path }
    assert.matches("2 bins are full", sum.stderr)
  end)

  it("is named if it is in the old profile of a comparison", function()
    local path, other = profile { n = 16, [12] = 65535 }, profile { n = 16, [3] = 8 }
    assert.matches("^gprof.lua: warning: " .. path:gsub("%p", "%%%0") .. ": 1 bin is full: [^\n]+\n$",
      warning("--compare=" .. path, image, other))
  end)

  it("is not one of a sum, which has more records", function()
    assert.equal("", warning(image, profile({ n = 16, [12] = 65535 }, { n = 16, [12] = 6 })))
  end)

  for kind, format in pairs { [8] = "I1", [-8] = "i1", [-16] = "i2", [32] = "I4", [-32] = "i4", [-64] = "i8" } do
    it("may have counters of another size: " .. kind, function()
      local most = (1 << math.abs(kind) - (kind < 0 and 1 or 0)) - 1
      for i = 1, 4 do
        local data = assert(gprof.data(assert(gprof.image(craft(shapes[i]))),
          save(bsd44(shapes[i], kind, format, { 3, most, most - 1, 0 }))))
        assert.same({ 1, LOW + 0x10 }, { data.full_bins, data.full_address })
      end
    end)
  end
end)

describe("bins of less than a byte", function()
  it("are refused", function()
    local path = save(gmon.magic { records = { { kind = "histogram", low = LOW, high = HIGH, bins = { n = 65 } } } })
    local message = select(2, gprof.data(assert(gprof.image(craft(shapes[5]))), path))
    assert.equal(path .. ": histogram at offset 20 has 65 bins for 64 bytes of code: bins of less than a byte", message)
  end)
end)

describe("a profile with addresses of another size is recognized:", function()
  local arcs <const> = { { kind = "arc", from = LOW + 4, self = LOW + 0x20, count = 3 },
    { kind = "arc", from = LOW + 8, self = LOW + 0x20, count = 4 } }
  local histogram <const> = { kind = "histogram", low = LOW, high = HIGH, bins = { n = 16, [3] = 5 } }
  local files <const> = {
    histogram = function(s)
      return gmon.magic { pointer = s.pointer, big = s.big, records = { histogram, arcs[1] } }
    end,
    arcs = function(s) return gmon.magic { pointer = s.pointer, big = s.big, records = arcs } end,
    ["no bins"] = function(s)
      return gmon.magic { pointer = s.pointer, big = s.big,
        records = { { kind = "histogram", low = LOW, high = LOW, bins = {} }, arcs[1] } }
    end,
    ["no bins, rate 0, after blocks"] = function(s)
      return gmon.magic { pointer = s.pointer, big = s.big,
        records = { { kind = "blocks", { LOW, 7 } }, { kind = "histogram", low = 0, high = 0, rate = 0, bins = {} } } }
    end,
    blocks = function(s)
      return gmon.magic { pointer = s.pointer, big = s.big, records = { { kind = "blocks", { LOW, 7 } }, arcs[1] } }
    end,
    ["more blocks"] = function(s)
      local blocks = { kind = "blocks" }
      for i = 1, 300 do blocks[i] = { LOW + i % 64, i } end
      return gmon.magic { pointer = s.pointer, big = s.big, records = { blocks } }
    end,
    shared = function(s)
      return gmon.shared { pointer = s.pointer, big = s.big, low = LOW, high = HIGH, bins = { n = 16 }, arcs = {} }
    end,
    bsd = function(s)
      return gmon.bsd { pointer = s.pointer, big = s.big, low = LOW, high = HIGH, bins = { 3, 0, 7, 0 },
        arcs = { { LOW + 4, LOW + 0x20, 9 } } }
    end,
    ["bsd without bins"] = function(s)
      return gmon.bsd { pointer = s.pointer, big = s.big, low = LOW, high = HIGH, bins = {},
        arcs = { { LOW + 4, LOW + 0x20, 9 } } }
    end,
    ["bsd without text"] = function(s)
      return gmon.bsd { pointer = s.pointer, big = s.big, low = LOW, high = LOW, bins = {},
        arcs = { { LOW + 4, LOW + 0x20, 9 } } }
    end,
    bsd44 = function(s)
      return gmon.bsd44 { pointer = s.pointer, big = s.big, low = LOW, high = HIGH, bins = { 3, 0, 7, 0 } }
    end,
  }
  for kind, write in pairs(files) do
    for i = 1, 4 do
      it(("%s, %s"):format(kind, shapes[i].name), function()
        local shape, other = shapes[i], shapes[(i + 1) % 4 + 1]
        assert.equal(shape.big, other.big)
        local path = save(write(shape))
        assert.truthy(gprof.data(assert(gprof.image(craft(shape))), path))
        local message = select(2, gprof.data(assert(gprof.image(craft(other))), path))
        assert.equal(("%s: has addresses of %d bytes, but the program has addresses of %d bytes: name the %d-bit " ..
          "program that wrote it"):format(path, shape.pointer, other.pointer, 8 * shape.pointer), message)
      end)
    end
  end

  for _, kind in ipairs { "bsd", "bsd without text", "bsd44" } do
    it("of another byte order, " .. kind, function()
      for i = 1, 4 do
        for k = 1, 4 do
          local shape, other = shapes[i], shapes[k]
          if shape.big ~= other.big then
            local path = save(files[kind](shape))
            local orders = shape.big and { "big", "little" } or { "little", "big" }
            assert.equal(("%s: is %s-endian, but the program is %s-endian"):format(path, table.unpack(orders)),
              select(2, gprof.data(assert(gprof.image(craft(other))), path)))
          end
        end
      end
    end)
  end

  it("not where an address of an old profile is the version of a 4.4BSD one with other addresses", function()
    for i = 1, 4 do
      local shape = shapes[i]
      if shape.pointer == 4 then
        local path = save(gmon.bsd { pointer = 4, big = shape.big, low = LOW, high = HIGH, bins = { 3, 0, 7, 0 },
          arcs = { { 0x51879, LOW + 0x20, 9 } } })
        local data = assert(gprof.data(assert(gprof.image(craft(shape))), path))
        assert.equal(1, data.arc_records)
      end
    end
  end)

  it("not where an odd unit suggests it", function()
    local shape = shapes[1]
    local path = save(gmon.shared { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH, rate = 1 << 16,
      bins = { n = 16, [3] = 5 }, arcs = {}, dimension = ("\1"):rep(8) .. "seconds" })
    local pipe <close> = assert(io.popen("cat " .. path))
    local fresh <const> = function() return gprof.data.new { image = assert(gprof.image(craft(shape))) } end
    assert.truthy(fresh():read(path))
    assert.truthy(fresh():read(pipe))
  end)
end)
