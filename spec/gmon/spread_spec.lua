-- The spread of sums: how the time and the calls of functions differ between runs. Compared with a model in Lua; the
-- grouping of runs makes no difference. Damaged files are refused.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local core = require "gprof.core"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local property = require "support.property"
local shell = require "support.shell"

local functions <const> = { "main", "work", "leaf", "idle" }
local path <const> = crafted.image { functions = functions }
local image <const> = assert(gprof.image(path))

local scratch, saved = shell.tmpdir "spread", 0

local function new_name()
  saved = saved + 1
  return ("%s/gmon.%d"):format(scratch, saved)
end

-- Returns the bytes of a run's profile. Bins have `size` bytes: a function has 32, and bins may cover two.
local function encode(run)
  local records = {}
  if run.bins then
    records[1] = { kind = "histogram", low = crafted.BASE, high = crafted.BASE + 4 * crafted.SIZE,
      rate = run.rate or 50, bins = run.bins }
  end
  for callee, count in pairs(run.calls) do
    if count > 0 then
      records[#records + 1] = { kind = "arc", from = crafted.BASE + 4, count = count,
        self = crafted.BASE + (callee - 1) * crafted.SIZE }
    end
  end
  return gmon.magic { records = records }
end

local function save(run)
  return gmon.write(new_name(), encode(run))
end

-- Returns a random run, with `bins` bins for the four functions.
local function random_run(bins)
  local run = { bins = { n = bins }, calls = {} }
  for i = 1, bins do run.bins[i] = math.random(3) == 1 and math.random(0, 40) or 0 end
  for i = 2, 4 do run.calls[i] = math.random(3) > 1 and math.random(0, 9) or 0 end
  return run
end

-- The time of a function in a run, in ticks: the parts of bins that it covers, in units of two bytes, as in profil().
local function time_of(run, f)
  local scale, time = 4 * crafted.SIZE / 2 / run.bins.n, 0
  for bin = 1, run.bins.n do
    local low, high = (bin - 1) * scale // 1, bin * scale // 1
    local overlap = math.min(high, f * crafted.SIZE / 2) - math.max(low, (f - 1) * crafted.SIZE / 2)
    if overlap > 0 then time = time + run.bins[bin] * overlap / scale end
  end
  return time
end

-- Returns what the spread of these values must be. `names` are those of the runs.
local function model(values, names, unit)
  local sum, max, min, runs, squares, who = 0, 0, math.huge, 0, 0, nil
  for i, value in ipairs(values) do
    sum, min, squares = sum + value, math.min(min, value), squares + value * value
    if value > 0 then runs = runs + 1 end
    if value > max then max, who = value, names[i] end
  end
  local mean = sum / #values
  return { runs = runs, sum = sum / unit, mean = mean / unit, min = min / unit, max = max / unit, who = who,
    lost = (max - mean) / unit, ratio = mean > 0 and max / mean or nil,
    deviation = math.sqrt(math.max(0, squares / #values - mean * mean)) / unit }
end

local function assert_close(expected, got, where)
  for key, value in pairs(expected) do
    if type(value) ~= "number" or math.type(value) == "integer" then
      assert.equal(value, got[key], where .. key)
    else
      assert.near(value, got[key], 1e-6, where .. key)
    end
  end
  assert.equal(expected.ratio, expected.ratio and got.ratio and expected.ratio or got.ratio)
end

-- Returns a field of each run.
local function each(runs, value)
  local values = {}
  for i, run in ipairs(runs) do values[i] = value(run) end
  return values
end

local function add(list)
  return table.unpack(list)
end

-- Adds up profiles and sums; writes the sum. Returns its path.
local function sum(...)
  local list, target = { ... }, new_name()
  list[#list + 1] = { spread = true }
  local data = assert(gprof.data(image, table.unpack(list)))
  assert(data:write(target))
  return target
end

local function profile_of(...)
  local list = { ... }
  list[#list + 1] = { spread = true }
  local profile = assert(gprof.profile(image, assert(gprof.data(image, table.unpack(list)))))
  local by_name = {}
  for f in profile:functions() do by_name[f.name] = f end
  return profile, by_name
end

-- Times that are all 0 have no spread: without samples, the unit is unknown.
local function check_times(expected, found, has_samples, where)
  if has_samples then assert_close(expected, found, where) else assert.is_nil(found, where) end
end

local function samples_of(run)
  local all = 0
  for i = 1, run.bins.n do all = all + run.bins[i] end
  return all
end

local function check(runs, names, profile, by_name)
  local total, times = profile.spread, model(each(runs, samples_of), names, 50)
  for f, name in ipairs(functions) do
    local found = by_name[name] and by_name[name].spread
    if found then
      check_times(model(each(runs, function(run) return time_of(run, f) end), names, 50), found.self, times.sum > 0,
        name .. " self ")
      assert_close(model(each(runs, function(run) return run.calls[f] or 0 end), names, 1), found.calls,
        name .. " calls ")
      assert.near(by_name[name].self, found.self and found.self.sum or 0, 1e-9)
      assert.equal(by_name[name].calls + by_name[name].self_calls, found.calls.sum)
    end
  end
  assert.equal(#runs, total.runs)
  check_times(times, total.self, times.sum > 0, "total ")
end

-- Returns a random case: runs, and the length of each group of them; groups of one run may be sums, too.
local function random_case()
  local case, bins = { runs = {}, groups = {}, sums = {} }, ({ 4, 8, 2, 3, 5 })[math.random(5)]
  for i = 1, math.random(1, 8) do case.runs[i] = random_run(bins) end
  for i = 1, 8 do case.groups[i], case.sums[i] = math.random(4), math.random(2) end
  return case
end

-- Returns the paths of sums of groups of runs.
local function grouped(case, paths)
  local parts, first, group = {}, 1, 1
  while first <= #paths do
    local last = math.min(#paths, first + math.max(1, case.groups[group]) - 1)
    local alone = first == last and case.sums[group] == 1
    parts[#parts + 1] = alone and paths[first] or sum(table.unpack(paths, first, last))
    first, group = last + 1, group + 1
  end
  return parts
end

describe("The spread of runs", function()
  it("is that of a model, however the runs are grouped", function()
    property.hold(1, 6, random_case, function(case)
      local paths = {}
      for i, run in ipairs(case.runs) do paths[i] = save(run) end
      local all, other = sum(add(paths)), sum(add(grouped(case, paths)))
      check(case.runs, paths, profile_of(add(paths)))
      check(case.runs, paths, profile_of(all))
      assert.is_true(shell.read(all) == shell.read(other))
      assert.is_true(shell.read(all .. ".spread") == shell.read(other .. ".spread"))
    end)
  end)
end)

describe("profile:run_times", function()
  it("has the times of single runs, which are those of a model", function()
    property.hold(1, 6, random_case, function(case)
      local paths, ids = {}, {}
      for i, run in ipairs(case.runs) do paths[i] = save(run) end
      local profile = profile_of(add(paths))
      for f in profile:functions() do ids[#ids + 1] = f.id end
      for i, times in ipairs(assert(profile:run_times(ids))) do
        local name = profile:get(ids[i], "name")
        for f = 1, #functions do
          for run, time in ipairs(functions[f] == name and times or {}) do
            assert.near(time_of(case.runs[run], f) / 50, time, 1e-9)
          end
        end
        assert.equal(#case.runs, #times)
      end
    end)
  end)

  it("are unknown without a spread, for sums, and for more than 256 runs", function()
    local run, many = save { bins = { n = 4, 1, 2, 3, 0 }, calls = {} }, {}
    for i = 1, 257 do many[i] = run end
    local plain = assert(gprof.profile(image, assert(gprof.data(image, run))))
    assert.is_nil(plain:run_times { 1 })
    assert.is_nil(profile_of(sum(run, run)):run_times { 1 })
    assert.is_nil(profile_of(add(many)):run_times { 1 })
    many[257] = nil
    assert.equal(256, #profile_of(add(many)):run_times({ 1 })[1])
  end)
end)

-- The spread of one run, as it is written.
local function one(run)
  local written = sum(save(run or { bins = { 1, 2, 3, 0 }, calls = { 0, 4, 0, 0 } }))
  return written, shell.read(written .. ".spread")
end

-- Reads a sum with this spread beside it. Returns the message about the spread; nil if it is used. Corrects the
-- checksum, and the number in the header of the sum, unless `unsigned` is true.
local function problem_of(written, bytes, unsigned)
  if not unsigned then
    local id = ("<I4"):pack(contexts.crc32(bytes:sub(1, -5)))
    bytes = bytes:sub(1, -5) .. id
    local old = shell.read(written)
    gmon.write(written, old:sub(1, 8) .. id .. old:sub(13))
  end
  gmon.write(written .. ".spread", bytes)
  local message
  assert(gprof.data(image, written, { spread = true, warn = function(text) message = text end }))
  return message and message:gsub("^.*%.spread: ", "")
end

local function patched(bytes, offset, format, ...)
  local new = format:pack(...)
  return bytes:sub(1, offset) .. new .. bytes:sub(offset + #new + 1)
end

describe("The file with a spread", function()
  it("is refused if it is damaged; the sum is then not in the spread", function()
    local written, bytes = one()
    local function refused(message, changed, unsigned)
      assert.equal(message, problem_of(written, changed, unsigned), message)
    end
    assert.is_nil(problem_of(written, bytes))
    refused("is not the spread of a sum", "?" .. bytes:sub(2))
    refused("unsupported version 2 of spreads: expected 1", patched(bytes, 8, "<I4", 2))
    refused("is damaged: the build ID is too long before offset 256", patched(bytes, 20, "<I4", 65))
    refused("was made with other symbols of the program: is it stripped, or its debugging file missing?",
      patched(bytes, 16, "<I4", 1))
    refused("is damaged: the size of a bin is wrong before offset 256", patched(bytes, 88, "<I8I8", 4, 2))
    refused("is damaged: there are no bins before offset 256", patched(bytes, 96, "<I8", 0))
    refused("is damaged: the number of runs exceeds 63 bits before offset 256", patched(bytes, 128, "<I8", -1))
    for offset = 0, 48, 8 do
      refused("is damaged: amounts contradict each other before offset 256", patched(bytes, 144 + offset, "<I8", -1))
    end
    refused("is damaged: a count exceeds the size of the file before offset 260", patched(bytes, 256, "<i4", -1))
    refused("is damaged: a name is too long before offset 264", patched(bytes, 260, "<I4", 5000))
    refused(("is damaged: a name has a zero byte before offset %d"):format(264 + ("<I4"):unpack(bytes, 261)),
      patched(bytes, 264, "B", 0))
    refused("is damaged: its checksum is wrong", bytes:sub(1, -2) .. "?", true)
    local extra = bytes .. "?"
    refused(("has unexpected data after its end, at offset %d"):format(#bytes), extra, true)
  end)

  it("is refused wherever it is cut, and whatever byte is changed", function()
    local written, bytes = one()
    for size = 0, #bytes - 1, 29 do assert.truthy(problem_of(written, bytes:sub(1, size), true)) end
    for at = 1, #bytes, 11 do
      local changed = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 1) .. bytes:sub(at + 1)
      assert.truthy(problem_of(written, changed, true), at)
    end
  end)
end)

describe("The spread", function()
  it("counts runs without a function, or without a histogram, as 0", function()
    local runs = { save { bins = { 0, 8, 0, 0 }, calls = { 0, 3, 0, 0 } }, save { calls = { 0, 1, 0, 0 } },
      save { bins = { 4, 0, 0, 0 }, calls = {} } }
    local profile, by_name = profile_of(add(runs))
    local spread = by_name.work.spread
    assert.same({ 0, 8 / 50, 1, runs[1] }, { spread.self.min, spread.self.max, spread.self.runs, spread.self.who })
    assert.near(8 / 150, spread.self.mean, 1e-12)
    assert.same({ 0, 3, 4 / 3, 2, 3 - 4 / 3 },
      { spread.calls.min, spread.calls.max, spread.calls.mean, spread.calls.runs, spread.calls.lost })
    assert.same({ 3, 0, 4 / 50 }, { profile.spread.runs, profile.spread.skipped, profile.spread.self.mean })
    local _, counted = profile_of(runs[2], runs[2])
    assert.is_nil(counted.work.spread.self)
    assert.same({ 1, 1, 0, 1 }, { counted.work.spread.calls.min, counted.work.spread.calls.max,
      counted.work.spread.calls.deviation, counted.work.spread.calls.ratio })
  end)

  it("names the first of the runs with the maximum", function()
    local run = { bins = { 1, 0, 0, 0 }, calls = {} }
    local first, second = save(run), save(run)
    assert.equal(first, select(2, profile_of(first, second)).main.spread.self.who)
    assert.equal(second, select(2, profile_of(second, first)).main.spread.self.who)
  end)

  it("is exact, and refuses sums that exceed 63 bits", function()
    local written, bytes = one { bins = { 0, 0, 0, 0 }, calls = { 0, 4, 0, 0 } }
    local huge = ("<I8I8I8I8I8I8"):pack(1, 1 << 62, 1 << 62, 1 << 62, 0, 1 << 60)
    bytes = patched(bytes, #bytes - 4 - 56, "c48", huge)
    bytes = patched(bytes, 144 + 56, "c48", huge)
    assert.is_nil(problem_of(written, bytes))
    local found = select(2, profile_of(written)).work.spread.calls
    assert.same({ 2.0 ^ 62, 0.0, 1 }, { found.sum, found.deviation, found.runs })
    local all = select(2, profile_of(written, save { calls = { 0, 1, 0, 0 } })).work.spread.calls
    assert.same({ 2.0 ^ 61, 2, 1 }, { all.mean, all.runs, all.min })
    local message
    assert(gprof.data(image, written, written, { spread = true, warn = function(text) message = text end }))
    assert.truthy(message:find("the time or the calls of a function in all runs exceed 63 bits", 1, true))
  end)

  it("is nil where functions are not those of the image, or runs not whole", function()
    local run = save { bins = { 1, 2, 3, 4 }, calls = {} }
    local data = assert(gprof.data(image, run, { spread = true }))
    for _, option in ipairs { "no_static", "ignore_non_functions", "gnu_compat", "line" } do
      local profile = assert(gprof.profile(image, data, { [option] = true }))
      assert.is_nil(profile.spread)
      assert.is_nil(profile:functions()().spread)
    end
    assert.truthy(gprof.profile(image, data).spread)
    assert(data:read(run))
    assert.is_nil(gprof.profile(image, data).spread)
    assert.has_error(function() gprof.data(image, run, { spread = true, slide = 4 }) end,
      "bad argument #3 to 'data' ('spread' cannot be combined with 'slide')")
  end)

  it("is removed with the sum that it belonged to", function()
    local written = one()
    local data = assert(gprof.data(image, written))
    assert(data:write(written))
    assert.falsy(shell.exists(written .. ".spread"))
    local message
    assert(gprof.data(image, written, { spread = true, warn = function(text) message = text end }))
    assert.is_nil(message)  -- like any other profile
  end)

  it("gets its name with the sum and the files after it, or not at all", function()
    local dir = shell.tmpdir "names"
    local function finish(blocked)
      local files = { assert(core.companion_writer(dir .. "/spread.new", "gprofspr", dir .. "/spread")),
        assert(core.writer(dir .. "/sum")), assert(core.writer(dir .. "/contexts")) }
      for _, file in ipairs(files) do assert(file:write "new") end
      if blocked then shell.check { "mkdir", dir .. "/" .. blocked } end
      local done, message = core.finish(files)
      if not blocked then return assert(done, message) end
      shell.check { "rmdir", dir .. "/" .. blocked }
      assert.is_nil(done)
      assert.matches("/" .. blocked:gsub("%.new", "") .. ": cannot be replaced", message)
      assert.equal("", shell.check({ "ls", dir }).stdout)
    end
    for _, blocked in ipairs { "spread.new", "sum", "contexts" } do finish(blocked) end
    finish()
    assert.equal("contexts\nspread\nsum\n", shell.check({ "ls", dir }).stdout)
  end)

  it("of runs with other bins, rates or units is refused", function()
    local run = save { bins = { 1, 2, 3, 4 }, calls = {} }
    local like = sum(run)
    local _, message = gprof.data(image, like, sum(save { bins = { 1, 2 }, calls = {} }), { spread = true })
    assert.truthy(message:find "bins of", message)
  end)

  it("has the rate of the runs with samples", function()
    local idle = save { bins = { 0, 0, 0, 0 }, calls = {}, rate = 1000 }
    local sampled = save { bins = { 0, 8, 0, 0 }, calls = {} }
    local never = save { bins = { 0, 0, 0, 0 }, calls = {}, rate = 0 }  -- a program that was never sampled
    for _, runs in ipairs { { idle, sampled }, { sampled, idle }, { sampled, never }, { never, sampled } } do
      local profile, by_name = profile_of(add(runs))
      local spread = by_name.work.spread.self
      assert.same({ 2, 0, 8 / 50, 1 }, { profile.spread.runs, profile.spread.skipped, spread.max, spread.runs })
    end
  end)
end)
