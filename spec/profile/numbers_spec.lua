-- Numbers of all sizes: sums, times and shares equal the results of a slow model that uses integers and fractions.
-- Extreme values are tested, too.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local property = require "support.property"
local shell = require "support.shell"
local reports = require "gprof.reports"

local random <const>, pick <const> = math.random, chance.pick
local scratch <const> = shell.tmpdir "numbers"
local tick <const> = tonumber(shell.check { "getconf", "CLK_TCK" }.stdout)

local shapes <const> = gmon.shapes()
for _, shape in ipairs(shapes) do
  shape.image = gprof.image(build.craft { target = shape.target, address = 0x1000, text = 0x40,
    symbols = { { "first", 0 }, { "last", 0x20 } } })
end

-- Sums ----------------------------------------------------------------------------------

-- Ranges of histograms: { first address, number of bins of 8 bytes }. `false` stands for a range at the end of the
-- address space.
local ranges <const> = { { 0x1000, 8 }, { 0x1040, 3 }, { 0x2000, 1 }, { false, 16 } }

local bin_counts <const> = {
  function() return 65535 end, function() return random(65530, 65535) end, function() return random(0, 3) end,
  function() return 0 end, function() return random(0, 65535) end,
}

local function made_histogram(shape)
  local place, count = pick(ranges), pick(bin_counts)
  local size = 8 * place[2]
  local top = shape.pointer == 4 and 0xffffffff - size or -1 - size
  local low = place[1] or top
  local bins = {}
  for i = 1, place[2] do
    bins[i] = count()
  end
  return { kind = "histogram", low = low, high = low + size, bins = bins, rate = tick }
end

-- Returns a random count up to `most`: usually small, sometimes near a power of two where sums or doubles overflow.
local function made_count(most)
  local limits = { 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 62, math.maxinteger,
    math.mininteger, -1 }
  local limit = pick(limits)
  if random(12) > 1 or math.ult(most, limit) then return random(0, 5) end
  return limit
end

local function made_arc(shape, most)
  return { kind = "arc", from = pick { 0x1000, 0x1004, shape.top }, self = pick { 0x1000, 0x1020 },
    count = made_count(most) }
end

local function made_blocks(most)
  local record = { kind = "blocks" }
  for i = 1, random(3) do
    record[i] = { pick { 0x1000, 0x1008 }, count = made_count(most) }
  end
  return record
end

-- Returns a random file, either in a BSD format (with one histogram and wide counts) or in gmon.out format (version 0
-- or 1).
local function made_file(shape)
  local format = pick { "bsd", "4.4bsd", "magic", "magic", "magic 0" }
  local wide = shape.pointer == 4 and 0xffffffff or -1
  local is_bsd = not format:find "^magic"
  local file = { format = format, records = {} }
  for i = 1, random(is_bsd and 2 or 0, 5) do -- a BSD file needs a histogram and an arc
    local kind = is_bsd and i == 1 and 1 or is_bsd and 2 or random(3)
    file.records[i] = kind == 1 and made_histogram(shape)
      or kind == 2 and made_arc(shape, is_bsd and wide or 0xffffffff)
      or made_blocks(format == "magic 0" and -1 or wide)
  end
  return file
end

local function made_sum()
  local number = random(#shapes)
  local shape = { pointer = shapes[number].pointer }
  shape.top = shape.pointer == 4 and 0xffffffff or -1
  local case = { shape = number, turn = random(0, 9), cut = random(0, 9), format = pick { "magic", "bsd", "4.4bsd" },
    files = {} }
  for i = 1, random(4) do
    case.files[i] = made_file(shape)
  end
  return case
end

local function encode(file, shape)
  local records = {}
  for i, record in ipairs(file.records) do
    records[i] = record
    if record.kind == "blocks" then
      records[i] = { kind = "blocks" }
      for k, block in ipairs(record) do
        records[i][k] = { block[1], block.count }
      end
    end
  end
  return chance.encode({ pointer = shape.pointer, big = shape.big, records = records,
    version = file.format == "magic 0" and 0 or 1 }, file.format:match "^%S+")
end

-- Adds a count to the sum of its key. Sets `problem` if the sum does not fit in 63 bits.
local function add_to(sums, key, count)
  local sum = sums[key] or 0
  if count < 0 or sum > math.maxinteger - count then
    sums.problem = true
  else
    sums[key] = sum + count
  end
end

-- The model. Returns the sums of all records in the files.
local function expected_sums(files)
  local sums = {}
  for _, file in ipairs(files) do
    for _, record in ipairs(file.records) do
      for i, count in ipairs(record.bins or {}) do
        add_to(sums, ("bin %x %x %d"):format(record.low, record.high, i), count)
      end
      if record.kind == "arc" then add_to(sums, ("arc %x %x"):format(record.from, record.self), record.count) end
      for _, block in ipairs(record) do
        add_to(sums, ("block %x"):format(block[1]), block.count or block[2])
      end
    end
  end
  return sums
end

-- Returns the sums in the library's data.
local function sums_of(data)
  local sums = {}
  for h in data:histograms() do
    for i = 1, h.bin_count do
      sums[("bin %x %x %d"):format(h.low, h.high, i)] = h:count(i)
    end
  end
  for from, self, count in data:arcs() do
    sums[("arc %x %x"):format(from, self)] = count
  end
  for address, count in data:blocks() do
    sums[("block %x"):format(address)] = count
  end
  return sums
end

local function rotated(list, by)
  local result = {}
  for i = 1, #list do
    result[i] = list[(i + by - 1) % #list + 1]
  end
  return result
end

-- Reads two parts of a list of files into separate data, and merges the first part into the second.
local function merged(image, paths, cut)
  cut = cut % (#paths + 1)
  local function read(first, last)
    if first > last then return gprof.data.new { image = image } end
    return assert(gprof.data(image, table.unpack(paths, first, last)))
  end
  local data = read(cut + 1, #paths)
  assert(data:merge(read(1, cut)))
  return data
end

-- Returns how many additional gmon.out records a sum needs because its counts exceed the fields of a record.
local function extra_records(sums, shape)
  local records, bins = 0, {}
  for key, count in pairs(sums) do
    local kind, range = key:match "^(%a+) (%x+)"
    local most = kind == "bin" and 65535 or kind == "arc" and 0xffffffff
      or shape.pointer == 4 and 0xffffffff or math.maxinteger
    local more = count == 0 and 0 or (count - 1) // most
    if kind == "bin" then
      bins[range] = math.max(bins[range] or 0, more)
    else
      records = records + more
    end
  end
  for _, more in pairs(bins) do
    records = records + more
  end
  return records
end

-- Checks that a written file contains every record, and that reading and writing it again changes nothing.
local function check_written(case, shape, data, expected)
  local records = extra_records(expected, shape)
  if case.format == "magic" and records > 20000 and records <= 1 << 24 then return end -- too slow
  local path = scratch .. "/sum"
  local done, problem = data:write(path, case.format)
  if case.format == "magic" then assert.equal(records <= 1 << 24, done ~= nil, problem) end
  if not done then
    assert.truthy(problem:find("cannot be written as " .. case.format, 1, true), problem)
    return
  end
  local again = assert(gprof.data(shape.image, path, { file_format = case.format }))
  assert.same(expected, sums_of(again))
  if case.format == "magic" then
    assert.same(expected, expected_sums { { records = gmon.parse(shell.read(path), shape).records } })
  end
  assert(again:write(path .. "2", case.format))
  assert.equal(shell.read(path), shell.read(path .. "2"))
end

local function check_sum(case)
  local shape, paths, expected = shapes[case.shape], {}, expected_sums(case.files)
  for i, file in ipairs(case.files) do
    paths[i] = gmon.write(("%s/%d"):format(scratch, i), encode(file, shape))
  end
  local data, problem = gprof.data(shape.image, table.unpack(paths))
  if expected.problem then
    assert.is_nil(data)
    assert.truthy(problem:find("count exceeds 63 bits in the record at offset", 1, true), problem)
    return
  end
  assert(data, problem)
  assert.same(expected, sums_of(data))
  assert.same(expected, sums_of(assert(gprof.data(shape.image, table.unpack(rotated(paths, case.turn))))))
  assert.same(expected, sums_of(merged(shape.image, paths, case.cut)))
  check_written(case, shape, data, expected)
end

describe("sums", function()
  it("are exact in any order of files, when merged from parts, and in any format", function()
    property.hold(12000, 300, made_sum, check_sum)
  end)
end)

-- Assigning bins to functions ---------------------------------------------------------------

-- Images at low addresses or at the end of the address space. Their functions begin at random addresses, including odd
-- ones.
local subjects <const> = {}

local function made_subject(seed, base, text, target)
  math.randomseed(seed)
  local symbols = {}
  for i, offset in ipairs { 0, random(text - 1), random(text - 1), random(text - 1), random(text - 1) } do
    symbols[i] = { ("f%d"):format(i), offset }
  end
  local image = gprof.image(build.craft { target = target, address = base, text = text, symbols = symbols })
  local places, known = {}, {}
  for _, symbol in ipairs(symbols) do
    if not known[symbol[2]] then table.insert(places, symbol[2]) end
    known[symbol[2]] = true
  end
  table.sort(places)
  return { image = image, base = base, text = text, places = places }
end

for seed, place in ipairs { { 0x1000, 0x200 }, { 0x1001, 0x41 }, { 0x7fffffffffffffc0, 0x80 }, { -0x400, 0x200 },
  { -0x200, 0x200 }, { -0x40, 0x40 }, { 0xffffffc0, 0x40, "elf32-little" }, { 0x7fffffc0, 0x80, "elf32-big" } } do
  subjects[seed] = made_subject(seed, table.unpack(place))
end

local function made_samples()
  local number = random(#subjects)
  local subject = subjects[number]
  local low = subject.base + pick { 0, 0, 0, random(0, subject.text), -random(0, 64) }
  local high = low + random(pick { 1, 8, subject.text, 2 * subject.text })
  if subject.base >> 32 == 0 then high = math.min(high, 0xffffffff) end
  if not math.ult(low, high) then low, high = subject.base, subject.base + 0x20 end
  local bins, count = {}, pick(bin_counts)
  local most = math.min(100, high - low)  -- bins have at least a byte
  for i = 1, pick { 1, random(most), math.max(1, (high - low) // pick { 2, 4, 8 }) } do
    bins[i] = random(3) > 1 and count() or 0
  end
  return { subject = number, low = low, high = high, bins = bins, rate = pick { 1, 100, 0xffffffff } }
end

-- The model. Returns the ticks of each function and the ticks outside functions, all as numerators of fractions
-- with the denominator `units`. Positions are rounded down to units of two bytes, as the format requires.
local function spread(case)
  local subject, first, units, n = subjects[case.subject], case.low >> 1, (case.high - case.low) >> 1, #case.bins
  local parts, outside = {}, 0
  for i, count in ipairs(case.bins) do
    local scale = units / n
    local low, high = math.floor(scale * (i - 1)), math.floor(scale * i)
    local left = high - low
    for f, place in ipairs(subject.places) do
      local from = (subject.base + place >> 1) - first
      local ending = subject.base + (subject.places[f + 1] or subject.text)
      local to = (ending == 0 and math.maxinteger or ending >> 1) - first
      local overlap = math.max(0, math.min(high, to) - math.max(low, from))
      parts[f] = (parts[f] or 0) + overlap * count * n
      left = left - overlap
    end
    outside = outside + left * count * n
  end
  return parts, outside, units
end

local function near(expected, found)
  assert.near(expected, found, 1e-9 * math.max(1, math.abs(expected)))
end

local function check_samples(case)
  local subject = subjects[case.subject]
  local data = gprof.data.new { image = subject.image }
  assert(data:add_histogram { low = case.low, high = case.high, bins = case.bins, rate = case.rate })
  local profile = assert(gprof.profile(subject.image, data))
  local parts, outside, units = spread(case)
  local total, assigned = 0, 0.0
  for _, count in ipairs(case.bins) do
    total = total + count
  end
  assert.equal(total, profile.total_ticks)
  near(total / case.rate, profile.total)
  for id, ticks, self in profile:functions("address", "id", "ticks", "self") do
    near(units > 0 and parts[id] / units or 0, ticks)
    near(ticks / case.rate, self)
    assigned = assigned + ticks
  end
  if units > 0 and units % #case.bins == 0 then -- otherwise, some bins are one unit wider, but have the same weight
    near(total, assigned + outside / units)
  end
end

describe("samples", function()
  it("are divided in proportion to the overlap, and their sum is preserved", function()
    property.hold(13000, 500, made_samples, check_samples)
  end)
end)

-- Propagating time to callers ---------------------------------------------------------------

local tree_image <const> = gprof.image(build.craft { address = 0x1000, text = 0x180,
  symbols = (function()
    local symbols = {}
    for i = 1, 12 do
      symbols[i] = { "f" .. i, 0x20 * (i - 1) }
    end
    return symbols
  end)() })

local function made_calls()
  local case = { bins = {}, arcs = {} }
  local most = pick { 5, 65535 }
  for i = 1, 12 do
    case.bins[i] = random(0, most)
  end
  local huge = random(4) == 1 and 1 << pick { 31, 32, 53, 55 } or 0
  for i = 1, random(0, 30) do
    case.arcs[i] = { from = random(12), to = random(12), count = random(0, 5) + (random(3) == 1 and huge or 0) }
  end
  return case
end

-- Checks that the self and children's times of functions and cycles without known callers add up to all of the time.
local function check_calls(case)
  local data, total = gprof.data.new { image = tree_image }, 0
  assert(data:add_histogram { low = 0x1000, high = 0x1180, bins = case.bins, bin_count = 12 })
  for _, ticks in pairs(case.bins) do
    total = total + ticks
  end
  local calls = {}
  for _, arc in ipairs(case.arcs) do
    assert(data:add_arc(0x1004 + 0x20 * (arc.from - 1), 0x1000 + 0x20 * (arc.to - 1), arc.count))
    if arc.from ~= arc.to then calls[arc.to] = (calls[arc.to] or 0) + arc.count end
  end
  local profile = assert(gprof.profile(tree_image, data))
  near(total, profile.graph_ticks)
  local tops, percent = 0.0, 0.0
  for f in profile:functions() do
    assert.equal(calls[f.id] or 0, f.calls)
    if (f.cycle or f).calls == 0 then
      tops, percent = tops + f.ticks + f.children_ticks, percent + f.graph_percent
    end
  end
  near(total, tops)
  near(total > 0 and 100 or 0, percent)
end

describe("propagated time", function()
  it("reaches the functions without callers completely", function()
    property.hold(14000, 500, made_calls, check_calls)
  end)
end)

-- Extreme values -----------------------------------------------------------------------------

-- Checks that no field of an object is NaN or infinite. The upvalue of __index is the table of all fields.
local function check_fields(object)
  local _, members = debug.getupvalue(debug.getmetatable(object).__index, 1)
  for name in pairs(members) do
    local value = object[name]
    if math.type(value) == "float" then
      assert.is_true(value == value and math.abs(value) < math.huge, ("%s of %s is %s"):format(name, object, value))
    end
  end
end

local function check_all_fields(profile)
  check_fields(profile)
  for f in profile:functions() do check_fields(f) end
  for cycle in profile:cycles() do check_fields(cycle) end
  for arc in profile:arcs() do check_fields(arc) end
  for h in profile.data:histograms() do check_fields(h) end
end

local looks <const> = {
  {}, { brief = true }, { display_unused_functions = true }, { color = true, display_unused_functions = true },
  { min_count = 0 },
}

local function check_report(name, profile, options)
  local text = crafted.printed(name, profile, options)
  assert.is_nil(text:lower():find "%f[%a]nan%f[%A]" or text:lower():find "%f[%a]inf%f[%A]", text)
end

-- Checks all reports that the records allow.
local function check_reports(profile)
  for _, name in ipairs(reports.own) do
    for _, options in ipairs(looks) do
      local is_of_time = name:find "flat" or name == "call_tree" or name == "objects" or name == "lines"
      local lacks = name == "file_order" or name == "comparison" or name == "threads" or name == "spread"
      if not lacks and (profile.rate or not is_of_time) then
        check_report(name, profile, options)
      end
    end
  end
end

-- Checks comparisons of two profiles in both directions, and of one with itself.
local function check_comparisons(one, other)
  for _, sides in ipairs { { one, other }, { other, one }, { one, one } } do
    local comparison = assert(gprof.compare(table.unpack(sides)))
    for _, options in ipairs { {}, { brief = true, display_unused_functions = true } } do
      options.comparison = comparison
      check_report("comparison", one, options)
    end
  end
end

-- Checks that each sort order returns every function once.
local function check_orders(profile)
  for _, order in ipairs { "self", "children", "share", "graph_percent", "calls", "name", "address" } do
    local ids = crafted.list(nil, profile:functions(order, "id"))
    table.sort(ids)
    for i, id in ipairs(ids) do assert.equal(i, id) end
  end
end

describe("with extreme values,", function()
  local base <const> = 0x1000
  local function histogram(changes)
    local h = { low = base, high = base + 0x180, bins = { 5, [12] = 7 }, bin_count = 12, rate = 100 }
    for name, value in pairs(changes or {}) do
      h[name] = value
    end
    return function(data) return data:add_histogram(h) end
  end
  -- Returns a function that adds calls between two functions, given by number.
  local function arc(from, to, count)
    return function(data) return data:add_arc(base + 4 + 0x20 * (from - 1), base + 0x20 * (to - 1), count) end
  end
  local full = {}
  for i = 1, 12 do
    full[i] = 65535
  end
  local most <const>, inexact <const> = math.maxinteger, 1 << 53

  local modest = gprof.data.new { image = tree_image }
  histogram()(modest)
  arc(1, 2, 3)(modest)

  for what, records in pairs {
    ["arcs with count 0"] = { histogram(), arc(1, 2, 0), arc(2, 1, 0), arc(3, 3, 0) },
    ["no sample"] = { histogram { bins = {} }, arc(1, 2, 3), arc(2, 2, 1), arc(2, 1, 3) },
    ["no histogram"] = { arc(1, 2, 3), arc(2, 2, 1), arc(2, 1, 3) },
    ["no arc"] = { histogram() },
    ["full bins"] = { histogram { bins = full }, arc(1, 2, 1) },
    ["bins beyond 2^53"] = { histogram { bins = { most, most, inexact + 1 } }, arc(1, 2, 1), arc(1, 3, 1) },
    ["the largest rate"] = { histogram { rate = 0xffffffff }, arc(1, 2, 1) },
    ["a rate of 1"] = { histogram { rate = 1, bins = { most } }, arc(2, 1, 1) },
    ["a bin for each byte"] = { histogram { bin_count = 384, bins = { 1, [384] = 9 } }, arc(1, 2, 1) },
    ["one bin over most of the address space"] = { histogram { low = 0, high = 1 << 62, bin_count = 1, bins = { 9 } } },
    ["one byte"] = { histogram { high = base + 1, bins = { 6 }, bin_count = 1 }, arc(1, 2, 1) },
    ["calls up to 2^63"] = { histogram(), arc(1, 2, most), arc(3, 4, most), arc(5, 5, most), arc(6, 3, 0) },
    ["calls by 2^53"] = { histogram(), arc(1, 2, inexact + 1), arc(3, 2, 1), arc(2, 5, inexact - 1), arc(2, 6, 1) },
    ["blocks up to 2^63"] = { arc(1, 2, 1), function(data) return data:add_block(base, most) end,
      function(data) return data:add_block(base + 2, most) end },
  } do
    it("reports and fields contain neither NaN nor infinity: " .. what, function()
      local data = gprof.data.new { image = tree_image }
      for _, add in ipairs(records) do
        assert(add(data))
      end
      for _, options in ipairs { {}, { line = true },
        { exclude = { graph = { "f1" }, time = { "f2" }, flat = { "f1" } } },
        { include = { flat = { "f11" }, time = { "f11" } } } } do
        local profile = assert(gprof.profile(tree_image, data, options))
        check_all_fields(profile)
        check_reports(profile)
        if not options.line then
          check_comparisons(profile, assert(gprof.profile(tree_image, modest, options)))
        end
        check_orders(profile)
      end
    end)
  end

  it("code can end with the address space", function()
    local image = gprof.image(build.craft { address = -0x40, text = 0x40,
      symbols = { { "first", 0 }, { "last", 0x20 } } })
    local data = gprof.data.new { image = image }
    assert(data:add_histogram { low = -0x40, high = -2, bins = { [31] = 3 }, bin_count = 31 })
    assert(data:add_arc(-0x3c, -0x20, 2))
    local last = assert(gprof.profile(image, data)):lookup(-3)
    assert.same({ "last", 3.0, 2 }, { last.name, last.ticks, last.calls })
  end)

  it("a sum that needs too much space is not written: each record of samples has all bins", function()
    local data, path = gprof.data.new { image = tree_image }, scratch .. "/most"
    assert(data:add_histogram { low = 0x1000, high = 0x2000, bins = { 1000000000000 }, bin_count = 160 })
    local done, message = data:write(path)
    assert.is_nil(done)
    assert.equal(path .. ": cannot be written as magic: large counts would take 5.5 GB; the limit is 1.0 GB", message)
    assert.is_false(shell.exists(path))
  end)

  it("100,000 histograms are read and added up", function()
    -- There are fewer histograms with the aggressive collector, which traverses the tables again and again.
    local count <const> = os.getenv "GPROF_COLLECTOR" == "aggressive" and 1000 or 100000
    local records, sum = {}, 0
    for i = 1, count do
      local place = i * 7919 % count -- a prime, so each place occurs once
      records[i] = { kind = "histogram", low = 0x10000 + 4 * place, high = 0x10004 + 4 * place, bins = { i % 5 } }
      sum = sum + i % 5
    end
    records[#records + 1] = { kind = "histogram", low = base, high = base + 4, bins = { 1 } }
    local path = gmon.write(scratch .. "/many", gmon.magic { records = records })
    local data = assert(gprof.data(tree_image, path, path))
    assert.equal(2 * #records, data.histogram_records)
    local profile = assert(gprof.profile(tree_image, data))
    assert.equal(2 * sum + 2, profile.total_ticks)
    assert.equal(2.0, profile:lookup(base).ticks)
  end)
end)
