-- Profile data made by scripts: adding records, reading them back, merging, adding files atomically, and errors.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local gprof = require "gprof"
local shell = require "support.shell"

local LOW <const>, HIGH <const> = 0x1000, 0x1080

local function written(data, format)
  local path = shell.tmpdir() .. "/gmon.out"
  assert(data:write(path, format))
  return shell.read(path)
end

local function fill(data)
  assert(data:add_histogram { low = LOW, high = HIGH, bins = { 7, [3] = 65535 }, bin_count = 16 })
  assert(data:add_arc(LOW + 5, LOW + 0x20, 3))
  assert(data:add_arc(LOW + 9, LOW + 0x40, 0xffffffff))
  assert(data:add_block(LOW + 0x20, 12))
  return data
end

local function filled(options) return fill(gprof.data.new(options)) end

local function pairs_of(...)
  local list = {}
  for a, b, c in ... do list[#list + 1] = { a, b, c } end
  return list
end

describe("data made by a script", function()
  for _, shape in ipairs(gmon.shapes()) do
    it("is written as profiled programs write it, for " .. shape.name, function()
      local data = filled { pointer_size = shape.pointer, big_endian = shape.big }
      assert.equal(shape.pointer, data.pointer_size)
      assert.equal(shape.big, data.big_endian)
      local histogram = { kind = "histogram", low = LOW, high = HIGH, bins = { n = 16, 7, [3] = 65535 } }
      local arcs = { { LOW + 5, LOW + 0x20, 3 }, { LOW + 9, LOW + 0x40, 0xffffffff } }
      local records = { histogram }
      for _, arc in ipairs(arcs) do
        records[#records + 1] = { kind = "arc", from = arc[1], self = arc[2], count = arc[3] }
      end
      records[#records + 1] = { kind = "blocks", { LOW + 0x20, 12 } }
      assert.equal(gmon.magic { pointer = shape.pointer, big = shape.big, records = records }, written(data))
    end)

    it("has the layout of an image, for " .. shape.name, function()
      local image = gprof.image(build.craft { target = shape.target, address = LOW, text = HIGH - LOW,
        symbols = { { "first", 0 }, { "last", 0x20 } } })
      local data = filled { image = image }
      assert.same({ shape.pointer, shape.big }, { data.pointer_size, data.big_endian })
      local again = assert(gprof.data(image, gmon.write(shell.tmpdir() .. "/gmon.out", written(data))))
      assert.equal(written(data), written(again))
      local profile = assert(gprof.profile(image, data))
      assert.equal(7 + 65535, profile.total_ticks)
      assert.equal(3 + 0xffffffff, profile:find "last".calls + profile:find "last".self_calls)
    end)
  end

  it("can be written in the BSD formats", function()
    local data = gprof.data.new():add_histogram { low = LOW, high = HIGH, bins = { 1, 2 }, bin_count = 64 }
    assert(data:add_arc(LOW, LOW + 4, 5))
    local plan = { low = LOW, high = HIGH, rate = 100, bins = { n = 64, 1, 2 }, arcs = { { LOW, LOW + 4, 5 } } }
    assert.equal(gmon.bsd44(plan), written(data, "4.4bsd"))
  end)

  it("sums records that are added twice", function()
    local data = fill(filled())
    assert.same({ { LOW + 5, LOW + 0x20, 6 }, { LOW + 9, LOW + 0x40, 0x1fffffffe } }, pairs_of(data:arcs()))
    assert.same({ { LOW + 0x20, 24 } }, pairs_of(data:blocks()))
    local histogram = data:histograms()()
    assert.same({ 14, 0, 131070 }, { histogram:count(1), histogram:count(2), histogram:count(3) })
    assert.same({ 2, 4, 1 }, { data.histogram_records, data.arc_records, data.block_records })
  end)

  it("can count in any unit", function()
    local data = gprof.data.new():add_histogram { low = LOW, high = HIGH, bins = { 300000 }, bin_count = 4, rate = 1,
      unit = "branch-misses-x", abbreviation = "" }
    local histogram = data:histograms()()
    assert.same({ LOW, HIGH, 4, 32.0, 1, "branch-misses-x", "" }, { histogram.low, histogram.high, histogram.bin_count,
      histogram.bin_size, histogram.rate, histogram.unit, histogram.abbreviation })
    assert.equal(data, histogram.data)
    assert.equal("histogram: 4 bins of branch-misses-x", tostring(histogram))
    assert.same({ { 1, 300000, LOW } }, pairs_of(histogram:bins()))
    local one = gprof.data.new():add_histogram { low = LOW, high = HIGH, bins = { 1 } }
    assert.equal("histogram: 1 bin of seconds", tostring(one:histograms()()))
    assert.equal("data: 0 histograms, 1 arc, 1 block",
      tostring(gprof.data.new():add_arc(LOW, LOW, 1):add_block(LOW, 2)))
  end)

  it("has the right bin addresses even if a bin is not a whole number of bytes", function()
    local data = gprof.data.new():add_histogram { low = LOW, high = LOW + 10, bins = { 1, 1, 1, 1 } }
    assert.same({ { 1, 1, LOW }, { 2, 1, LOW + 2 }, { 3, 1, LOW + 5 }, { 4, 1, LOW + 7 } },
      pairs_of(data:histograms()():bins()))
  end)

  it("lists all histograms", function()
    local data = gprof.data.new()
    for i = 5, 1, -1 do
      assert(data:add_histogram { low = LOW * i, high = LOW * i + 0x80, bins = { i }, bin_count = 16 })
    end
    local lows = {}
    for histogram in data:histograms() do lows[#lows + 1] = histogram.low // LOW end
    assert.same({ 5, 4, 3, 2, 1 }, lows)
    assert.same({ LOW, 5 * LOW + 0x80 }, { data.low, data.high })
  end)
end)

describe("histograms of many ranges", function()
  local SIZE <const> = 16
  local function made(place, size)
    return { low = LOW + SIZE * place, high = LOW + SIZE * place + size, bins = { place + 1 }, bin_count = size // 8 }
  end

  -- Each case adds histograms in random order, with a gap after each.
  for seed = 1, 20 do
    it("are found whatever the order in which they were added: " .. seed, function()
      math.randomseed(seed)
      local data, order, left = gprof.data.new(), {}, {}
      for place = 0, seed * 7 do left[#left + 1] = place end
      while left[1] do
        local place = table.remove(left, math.random(#left))
        assert(data:add_histogram(made(place, 8)))
        order[#order + 1] = place
        local known = order[math.random(#order)]
        assert(data:add_histogram(made(known, 8)))
        local done, problem = data:add_histogram(made(known, 16))
        assert.is_nil(done)
        assert.truthy(problem:find(("overlaps another one, 0x%x to 0x%x"):format(LOW + SIZE * known,
          LOW + SIZE * known + 8), 1, true), problem)
      end
      local i = 0
      for histogram in data:histograms() do
        i = i + 1
        assert.equal(LOW + SIZE * order[i], histogram.low)
      end
      assert.equal(#order, i)
      assert.equal(2 * #order, data.histogram_records)
    end)
  end
end)

describe("merging", function()
  local image = build.craft { address = LOW, text = 0x800, symbols = { { "first", 0 }, { "last", 0x400 } } }
  local subject, opened = chance.subject(image), gprof.image(image)

  it("equals reading the files", function()
    local repeatedly = chance.cases(7000, 40)
    repeatedly(function(remark)
      local paths = {}
      for i = 1, 3 do
        paths[i] = gmon.write(shell.tmpdir() .. "/gmon.out", (chance.profile(subject)))
      end
      local sum = gprof.data(opened, table.unpack(paths))
      local merged = gprof.data.new { image = opened }
      local done = true
      for _, path in ipairs(paths) do
        local one = gprof.data(opened, path)
        done = done and one and merged:merge(one)
      end
      assert.equal(sum == nil, not done, remark)
      if sum then
        assert.same(written(sum), written(merged), remark)
        assert.same({ sum.has_histogram, sum.has_arcs }, { merged.has_histogram, merged.has_arcs }, remark)
      end
    end)
  end)

  it("leaves the other data unchanged; merging with itself doubles the counts", function()
    local data, other = filled(), filled()
    local before = written(other)
    assert.equal(data, data:merge(other))
    assert.equal(before, written(other))
    other:merge(other)
    assert.equal(written(data), written(other))
  end)

  it("accepts 32-bit data in 64-bit data, but not the reverse", function()
    local narrow, wide = filled { pointer_size = 4, big_endian = true }, filled()
    assert.equal(written(fill(filled())), written(wide:merge(narrow)))
    assert.has_error(function() narrow:merge(wide) end,
      "bad argument #1 to 'merge' (the other data has larger pointers)")
  end)

  -- Each function raises a count to its maximum.
  local most <const> = math.maxinteger
  local brims = {
    arc = function(data) return data:add_arc(1, 2, most) end,
    block = function(data) return data:add_block(1, most) end,
    bin = function(data)
      return data:add_histogram { low = 2 * LOW, high = 2 * LOW + 0x80, bins = { most }, bin_count = 16 }
    end,
  }
  for what, add in pairs(brims) do
    it("leaves the data unchanged if it fails: overflow of a count, " .. what, function()
      local data, other = gprof.data.new(), filled()
      assert(add(data))
      assert(add(other))
      local function all()
        local bins = {}
        for histogram in data:histograms() do bins[#bins + 1] = pairs_of(histogram:bins()) end
        return { pairs_of(data:arcs()), pairs_of(data:blocks()), bins }
      end
      local before = all()
      local done, message = data:merge(other)
      assert.is_nil(done)
      assert.truthy(message:find "63 bits" or message:find "2^63 samples", message)
      assert.same(before, all())
    end)
  end

  it("leaves empty data empty if the merged histograms are incompatible", function()
    local mixed, empty = gprof.data.new { mixed_rates = true }, gprof.data.new()
    assert(mixed:add_histogram { low = LOW, high = HIGH, bins = { 1 }, rate = 100 })
    assert(mixed:add_histogram { low = HIGH, high = 2 * HIGH - LOW, bins = { 1 }, rate = 99 })
    assert.same({ nil, "histogram has rate 99, but earlier ones have 100" }, { empty:merge(mixed) })
    assert.is_nil((empty:histograms()()))
    assert(gprof.data.new { mixed_rates = true }:merge(mixed))
  end)
end)
describe("histograms without samples", function()
  local idle <const> = { low = LOW, high = HIGH, bins = {}, bin_count = 16, rate = 1000 }
  local sampled <const> = { low = LOW, high = HIGH, bins = { 0, 3 }, bin_count = 16, rate = 500, unit = "wall sec" }
  local later <const> = { low = HIGH, high = HIGH + 8, bins = {}, bin_count = 1, rate = 99 }

  local function data_of(histogram) return gprof.data.new():add_histogram(histogram) end
  local function file_of(histogram)
    return gmon.write(shell.tmpdir() .. "/gmon.out", written(data_of(histogram)))
  end
  local ways <const> = {
    ["add_histogram"] = function(data, histogram) return data:add_histogram(histogram) end,
    ["merge"] = function(data, histogram) return data:merge(data_of(histogram)) end,
    ["read"] = function(data, histogram) return data:read(file_of(histogram)) end,
    ["add_file"] = function(data, histogram) return data:add_file(file_of(histogram)) end,
  }

  for name, add in pairs(ways) do
    it("can be added to samples of any unit and rate, by " .. name, function()
      for _, order in ipairs { { idle, sampled }, { sampled, idle }, { sampled, later }, { idle, later, sampled } } do
        local data = gprof.data.new()
        for _, histogram in ipairs(order) do assert(add(data, histogram)) end
        for histogram in data:histograms() do
          assert.same({ 500, "wall sec" }, { histogram.rate, histogram.unit })
        end
        assert.same(3, data:histograms()():count(2))
      end
    end)

    it("do not hide that samples have different rates, by " .. name, function()
      local data, other = gprof.data.new(), { low = LOW, high = HIGH, bins = { 1 }, bin_count = 16, rate = 1000 }
      for _, histogram in ipairs { idle, sampled, idle } do assert(add(data, histogram)) end
      local done, message = add(data, other)
      assert.is_nil(done)
      assert.matches("histogram.* counts 'seconds', but earlier ones count 'wall sec'$", message)
    end)

    it("must have the range and the bins of others, by " .. name, function()
      local data, larger = gprof.data.new(), { low = LOW, high = HIGH + 8, bins = {}, bin_count = 17, rate = 1000 }
      assert(add(data, sampled))
      local done, message = add(data, larger)
      assert.is_nil(done)
      assert.matches("histogram.*, 0x1000 to 0x1088, overlaps another one, 0x1000 to 0x1080$", message)
    end)

    it("have a unit if rates may differ, as in GNU gprof, by " .. name, function()
      local data = gprof.data.new { mixed_rates = true }
      assert(add(data, sampled))
      local done, message = add(data, idle)
      assert.is_nil(done)
      assert.matches("histogram.* counts 'seconds', but earlier ones count 'wall sec'$", message)
    end)
  end
end)

describe("adding a file as a whole", function()
  local image = build.craft { address = LOW, text = 0x800, symbols = { { "first", 0 }, { "last", 0x400 } } }
  local subject, opened = chance.subject(image), gprof.image(image)

  -- Returns the bytes of a random profile, intact or damaged.
  local function random_file()
    local bytes = chance.profile(subject)
    local kind = math.random(4)
    if kind == 1 then return bytes:sub(1, math.random(#bytes)) end
    if kind == 2 then return bytes .. "\9" end
    return bytes
  end

  it("reads it completely or leaves the data unchanged", function()
    chance.cases(7100, 60)(function(remark)
      local sum, good = gprof.data.new { image = opened }, {}
      for _ = 1, math.random(6) do
        local path = gmon.write(shell.tmpdir() .. "/gmon.out", random_file())
        local all = { table.unpack(good) }
        all[#all + 1] = path
        local fits = gprof.data(opened, table.unpack(all))
        local done, message = sum:add_file(path)
        assert.equal(fits and sum, done or nil, remark)
        if fits then good[#good + 1] = path else assert.equal(path .. ": ", message:sub(1, #path + 2), remark) end
      end
      local expected = good[1] and assert(gprof.data(opened, table.unpack(good))) or gprof.data.new { image = opened }
      assert.equal(written(expected), written(sum), remark)
      assert.same(expected.files, sum.files, remark)
      for _, field in ipairs { "histogram_records", "arc_records", "block_records", "has_arcs", "bytes" } do
        assert.equal(expected[field], sum[field], remark .. field)
      end
    end)
  end)

  it("accepts any number of files with little in common", function()
    local sum, expected = gprof.data.new(), gprof.data.new()
    for i = 1, 30 do
      local records = {}
      for n = 1, 200 do
        records[n] = { kind = "arc", from = LOW + 200 * i + n, self = LOW, count = i }
        expected:add_arc(LOW + 200 * i + n, LOW, i)
      end
      assert(sum:add_file(gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })))
    end
    assert.equal(written(expected), written(sum))
  end)

  it("returns an error message, and can add further files", function()
    local sum = gprof.data.new()
    assert.same({ nil, "/nowhere: No such file or directory" }, { sum:add_file "/nowhere" })
    local path = gmon.write(shell.tmpdir() .. "/empty", "")
    assert.same({ nil, path .. ": is empty" }, { sum:add_file(path) })
    assert.equal("data: 0 histograms, 0 arcs, 0 blocks", tostring(sum))
    assert.has_error(function() sum:add_file() end, "bad argument #1 to 'add_file' (string expected, got no value)")
    sum:close()
    assert.has_error(function() sum:add_file(path) end, "calling 'add_file' on bad self (data is closed)")
  end)
end)

describe("reading an open file", function()
  local bytes <const> = written(filled())

  it("starts at the current position, and leaves the file open", function()
    local path = gmon.write(shell.tmpdir() .. "/two", "before" .. bytes)
    local file <close> = assert(io.open(path, "rb"))
    file:setvbuf "no"
    assert.equal("before", file:read(6))
    local data = gprof.data.new()
    assert.equal(data, data:read(file))
    assert.same({ bytes, "open file", #bytes }, { written(data), data.files[1].path, data.bytes })
    assert.equal("file", io.type(file))
  end)

  it("can read a pipe", function()
    local path = gmon.write(shell.tmpdir() .. "/profile", bytes)
    local pipe <close> = assert(io.popen("cat " .. shell.quote(path)))
    assert.equal(bytes, written(assert(gprof.data.new():read(pipe))))
  end)

  it("fails with the same messages as for a path", function()
    local pipe <close> = assert(io.popen "printf gmon")
    local data = gprof.data.new()
    assert.same({ nil, "open file: is too short to be a profile" }, { data:read(pipe) })
    assert.equal("data (closed)", tostring(data))
    local closed = assert(io.open "/dev/null")
    closed:close()
    assert.has_error(function() gprof.data.new():read(closed) end, "bad argument #1 to 'read' (file is closed)")
  end)
end)

describe("writing to an open file", function()
  local bytes <const> = written(filled())

  it("appends at the current position, and leaves the file open", function()
    local path = shell.tmpdir() .. "/profile"
    local file <close> = assert(io.open(path, "wb"))
    file:write "before"
    local data = filled()
    assert.equal(data, data:write(file))
    file:seek "end"
    file:write "behind"
    file:flush()
    assert.equal("before" .. bytes .. "behind", shell.read(path))
  end)

  it("fails with the same messages as for a path", function()
    local file <close> = assert(io.open "/dev/null")
    assert.same({ nil, "open file: cannot be written: Bad file descriptor" }, { filled():write(file) })
    local closed = assert(io.open "/dev/null")
    closed:close()
    assert.has_error(function() filled():write(closed) end, "bad argument #1 to 'write' (file is closed)")
  end)
end)

describe("invalid records", function()
  local most = math.maxinteger
  local function histogram(changes)
    local record = { low = LOW, high = HIGH, bins = { 1 }, bin_count = 16 }
    for name, value in pairs(changes) do record[name] = value ~= "none" and value or nil end
    return function(data) return data:add_histogram(record) end
  end

  local refused = {
    { "counts 'cycles', but earlier ones count 'seconds'", histogram { unit = "cycles" } },
    { "'seconds' (t), but earlier ones count 'seconds' (s)", histogram { abbreviation = "t" } },
    { "histogram has bins of 4 bytes, but earlier ones have 8: the profile is probably from another build of the " ..
      "program", histogram { bin_count = 32 } },
    { "histogram has rate 99, but earlier ones have 100", histogram { rate = 99 } },
    { "histogram, 0x1040 to 0x10c0, overlaps another one, 0x1000 to 0x1080",
      histogram { low = LOW + 0x40, high = HIGH + 0x40 } },
    { "histogram covers no text: 0x1080 to 0x1080", histogram { low = HIGH } },
    { "histogram covers no text: 0x1080 to 0x1000", histogram { low = HIGH, high = LOW } },
    { "histogram covers an impossibly large range", histogram { low = 0, high = -1 } },
    { "2^63 samples or more in a bin", histogram { bins = { most } } },
    { "count exceeds 63 bits", function(data) return data:add_arc(LOW + 5, LOW + 0x20, most) end },
    { "count exceeds 63 bits", function(data) return data:add_block(LOW + 0x20, most) end },
  }
  for _, case in ipairs(refused) do
    it("are rejected, and leave the data unchanged: " .. case[1], function()
      local data = filled()
      local function all()
        return { written(data), data.histogram_records, data.arc_records, data.block_records }
      end
      local before = all()
      local done, message = case[2](data)
      assert.is_nil(done)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.same(before, all())
    end)
  end

  local misused = {
    { "#1 to 'add_histogram' (table expected, got no value)", function(data) data:add_histogram() end },
    { "field 'low': integer expected, got nil", histogram { low = "none" } },
    { "field 'low': integer expected, got number", histogram { low = 0.5 } },
    { "field 'high': integer expected, got string", histogram { high = "main" } },
    { "(no field 'rates')", histogram { rates = 5 } },
    { "(no field '1')", histogram { "seconds" } },
    { "(no field 'true')", histogram { [true] = 7 } },
    { "field 'rate': must be from 1 to 4294967295", histogram { rate = 0 } },
    { "field 'rate': must be from 1 to 4294967295", histogram { rate = 1 << 32 } },
    { "field 'rate': must be from 1 to 4294967295", histogram { rate = -1 } },
    { "field 'bins': table expected", histogram { bins = "none" } },
    { "field 'bin_count': must be from 1 to 4294967295", histogram { bin_count = 0 } },
    { "field 'bin_count': must be from 1 to 4294967295", histogram { bin_count = 1 << 32 } },
    { "field 'bin_count': must be from 1 to 4294967295", histogram { bins = {}, bin_count = "none" } },
    { "field 'bins': keys must be bin numbers from 1 to 1", histogram { bins = { 1, 2 }, bin_count = 1 } },
    { "field 'bins': keys must be bin numbers", histogram { bins = { [0] = 1 } } },
    { "field 'bins': keys must be bin numbers", histogram { bins = { n = 1 } } },
    { "field 'bins': keys must be bin numbers", histogram { bins = { [1.5] = 1 } } },
    { "field 'bins': bin 2: non-negative integer expected", histogram { bins = { 1, -1 } } },
    { "field 'bins': bin 1: non-negative integer expected", histogram { bins = { 0.5 } } },
    { "field 'bins': bin 1: non-negative integer expected", histogram { bins = { "many" } } },
    { "field 'unit': must be at most 15 bytes", histogram { unit = "0123456789abcdef" } },
    { "field 'unit': must be at most 15 bytes, without zero bytes", histogram { unit = "a\0b" } },
    { "field 'unit': string expected, got table", histogram { unit = {} } },
    { "field 'abbreviation': must be at most 1 byte", histogram { abbreviation = "ms" } },
    { "#1 to 'add_arc' (number expected, got no value)", function(data) data:add_arc() end },
    { "#2 to 'add_arc' (number expected, got string)", function(data) data:add_arc(1, "main", 1) end },
    { "#3 to 'add_arc' (number expected, got no value)", function(data) data:add_arc(1, 2) end },
    { "#3 to 'add_arc' (negative count)", function(data) data:add_arc(1, 2, -1) end },
    { "#3 to 'add_arc' (number has no integer", function(data) data:add_arc(1, 2, 0.5) end },
    { "#2 to 'add_block' (negative count)", function(data) data:add_block(1, math.mininteger) end },
    { "#1 to 'merge' (gprof.data expected, got no value)", function(data) data:merge() end },
    { "#1 to 'merge' (gprof.data expected, got table)", function(data) data:merge {} end },
  }
  for i, case in ipairs(misused) do
    it(("raise an error, case %d: %s"):format(i, case[1]), function()
      local data = filled()
      local before = written(data)
      local done, message = pcall(case[2], data)
      assert.is_false(done)
      assert.truthy(message:find(case[1], 1, true), message)
      assert.equal(before, written(data))
    end)
  end

  it("include addresses that do not fit in a pointer", function()
    local data = gprof.data.new { pointer_size = 4 }
    for _, add in ipairs {
      function() data:add_arc(1 << 32, 1, 1) end, function() data:add_arc(1, 1 << 32, 1) end,
      function() data:add_block(-1, 1) end, function() data:add_histogram { low = 0, high = 1 << 32, bins = { 1 } } end,
      function() data:add_histogram { low = 1 << 32, high = 1, bins = { 1 } } end,
    } do
      local done, message = pcall(add)
      assert.is_false(done)
      assert.truthy(message:find "exceeds the pointer size of the profile", message)
    end
    assert(data:add_arc(0xffffffff, 0, 1))
  end)

  it("and invalid options of gprof.data.new raise errors", function()
    local cases = {
      { "no option 'pointers'", { pointers = 4 } },
      { "option 'pointer_size': 4 or 8 expected, got 2", { pointer_size = 2 } },
      { "option 'pointer_size': integer expected, got float", { pointer_size = 8.0 } },
      { "option 'big_endian': boolean expected, got string", { big_endian = "yes" } },
      { "option 'image': gprof.image expected, got string", { image = "a.out" } },
      { "no option '1'", { 8 } },
      { "'pointer_size' and 'big_endian' are given by 'image': leave them out",
        { image = gprof.image(build.craft { text = 16, symbols = { { "main", 0 } } }), pointer_size = 8 } },
    }
    for _, case in ipairs(cases) do
      assert.has_error(function() gprof.data.new(case[2]) end, "bad argument #1 to 'new' (" .. case[1] .. ")")
    end
  end)
end)

describe("iterators and parts of data", function()
  it("raise an error after the data is closed", function()
    local data, other = filled(), filled()
    local histogram, arcs = data:histograms()(), data:arcs()
    local bins, blocks, histograms = histogram:bins(), data:blocks(), data:histograms()
    data:close()
    for _, use in ipairs { arcs, bins, blocks, histograms, function() return histogram.low end,
      function() return histogram:count(1) end, function() return histogram:bins() end,
      function() data:add_arc(1, 2, 3) end, function() data:merge(other) end, function() other:merge(data) end,
      function() return data:arcs() end, function() return data.pointer_size end } do
      local done, message = pcall(use)
      assert.is_false(done)
      assert.truthy(message:find "data is closed", message)
      assert.is_nil(message:find "#%-", message) -- does not blame one of the caller's arguments
    end
  end)

  it("keep the data alive", function()
    local histogram, arcs = filled():histograms()(), filled():arcs()
    collectgarbage()
    collectgarbage()
    assert.equal(7, histogram:count(1))
    assert.equal(LOW + 5, (arcs()))
  end)

  it("include arcs that are added during the iteration", function()
    local data, seen = filled(), 0
    for from in data:arcs() do
      seen = seen + 1
      if seen < 1000 then data:add_arc(from + 1000 * seen, 1, 1) end
    end
    assert.equal(1001, seen)
  end)
end)

describe("2^63 calls or more", function()
  local image = gprof.image(build.craft { address = LOW, text = 4 * 0x20,
    symbols = { { "main", 0 }, { "ping", 0x20 }, { "pong", 0x40 }, { "other", 0x60 } } })

  local function check_failure(message, ...)
    local data = gprof.data.new { image = image }
    for _, arc in ipairs { ... } do assert(data:add_arc(arc[1], arc[2], arc[3] or math.maxinteger - 1)) end
    assert.same({ nil, message }, { gprof.profile(image, data) })
  end

  it("of a function are an error", function()
    check_failure(image.path .. ": 'ping' was called 2^63 times or more", { LOW, LOW + 0x20 },
      { LOW + 0x60, LOW + 0x20 })
  end)

  it("of a cycle are an error", function()
    check_failure(image.path .. ": cycle 1 was called 2^63 times or more", { LOW, LOW + 0x20 },
      { LOW, LOW + 0x40 }, { LOW + 0x20, LOW + 0x40, 1 }, { LOW + 0x40, LOW + 0x20, 1 })
  end)
end)
