-- Sampling errors of times: as fields, and in the flat profile.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

local printed <const> = crafted.printed

-- Functions with 0, 1, 4 and 100 samples. `none` and `hundred` form a cycle.
local plan <const> = {
  functions = { "main", "none", "one", "four", "hundred" }, ticks = { one = 1, four = 4, hundred = 100 },
  calls = { { "main", "four", 2 }, { "main", "hundred", 1 }, { "hundred", "none", 3 }, { "none", "hundred", 1 } },
}

describe("the error of a time", function()
  local profile, f = crafted.profile(plan)

  it("is the square root of its samples, but at least one sample", function()
    for name, seconds in pairs { none = 0.01, one = 0.01, four = 0.02, hundred = 0.1 } do
      assert.near(seconds, f[name].self_error, 1e-15, name)
    end
    assert.near(math.sqrt(105) / 100, profile.total_error, 1e-15)
  end)

  it("of a cycle is computed from the sum of its members", function()
    local cycle = f.hundred.cycle
    assert.equal(1.0, cycle.self)
    assert.near(0.1, cycle.self_error, 1e-15)
  end)

  it("is in the unit of the profile", function()
    local _, g = crafted.profile { functions = { "f" }, ticks = { f = 9 }, rate = 1, dimension = "misses" }
    assert.equal(3.0, g.f.self_error)
  end)

  it("is computed from fractional ticks without rounding them", function()
    local image = build.craft { address = 0x1000, text = 64, symbols = { { "few", 0 }, { "many", 16 } } }
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
      { kind = "histogram", low = 0x1000, high = 0x1040, bins = { 10 } } } })
    local opened = assert(gprof.image(image))
    local shared = assert(gprof.profile(opened, assert(gprof.data(opened, path))))
    local few, many = shared:find "few", shared:find "many"
    assert.same({ 2.5, 7.5 }, { few.ticks, many.ticks })
    assert.near(math.sqrt(2.5) / 100, few.self_error, 1e-15)
    assert.near(math.sqrt(7.5) / 100, many.self_error, 1e-15)
  end)

  it("grows if the recorder's samples count for several ticks each", function()
    local image = assert(gprof.image(crafted.image { functions = { "f", "g" } }))
    local function file(signals, inside)
      return gmon.write(shell.tmpdir() .. "/gmon.out.ctx", contexts.pack {
        process = { low = crafted.BASE, high = crafted.BASE + 2 * crafted.SIZE },
        modules = { { low = 0, high = 0x10000, code = crafted.BASE },
          { low = 0x20000, high = 0x30000, path = "l.so" } },
        tables = { { signals = signals, inside = inside, { context = 0, from = crafted.BASE, count = 64 },
          { context = 0, from = 0x20000, count = 20 } } } })
    end
    local function error_of(...)
      return assert(gprof.profile(image, assert(gprof.data(image, ...)))):find "f".self_error
    end
    -- 100 ticks of 25 signals: 4 ticks per sample, so 64 ticks are 16 samples with an error of 4 samples.
    assert.near(0.016, error_of(file(25, 16)), 1e-12)
    assert.near(0.008, error_of(file(100, 16)), 1e-12)
    assert.near(0.008, error_of(file(0, 16)), 1e-12)     -- unknown
    -- Two runs: 200 ticks of 50 signals
    assert.near(4 * math.sqrt(32) / 1000, error_of(file(20, 16), file(30, 16)), 1e-12)
    local read = assert(gprof.profile(image, assert(gprof.data(image, file(25, 16)))))
    assert.near(0.004, read:find "g".self_error, 1e-12)
    assert.equal(4, read.ticks_per_sample)
  end)

  it("makes comparisons of such profiles less certain", function()
    local image = crafted.image { functions = { "f" } }
    local function file(ticks, signals)
      return gmon.write(shell.tmpdir() .. "/gmon.out.ctx", contexts.pack {
        process = { low = crafted.BASE, high = crafted.BASE + crafted.SIZE },
        modules = { { low = 0, high = 0x10000, code = crafted.BASE } },
        tables = { { signals = signals, { context = 0, from = crafted.BASE, count = ticks } } } })
    end
    local function marked(weight)
      local old = shell.tmpdir() .. "/old.json"
      program.run { "--export=json:" .. old, image, file(1000, 1000 // weight) }
      local found = {}
      for i, before in ipairs { old, file(1000, 1000 // weight) } do
        local text = program.run({ "-b", "--compare=" .. before, image, file(1300, 1300 // weight) }).stdout
        found[i] = assert(text:match "%+0%.300 +([%d.]+~?) +1%.30 ")
      end
      return found
    end
    assert.same({ { "0.048", "0.048" }, { "0.152~", "0.152~" } }, { marked(1), marked(10) })
  end)

  describe("if samples are missing", function()
    local image <const> = crafted.image { functions = { "f", "g" } }

    -- Writes a profile in which samples stand for a part of the processor time.
    local function file(ticks, coverage, calls)
      local low, high = crafted.BASE, crafted.BASE + crafted.SIZE
      return gmon.write(shell.tmpdir() .. "/gmon.out.ctx", contexts.pack {
        process = { low = low, high = high + crafted.SIZE },
        modules = { { low = 0, high = 0x10000, code = low } },
        tables = { { signals = ticks, cpu = math.floor(ticks * 1e6 / coverage),
          { context = 0, from = low + 4, self = high, count = calls or 1 },
          { context = 3, from = high, count = ticks } } } })
    end

    local function profile_of(path)
      local opened = assert(gprof.image(image))
      return assert(gprof.profile(opened, assert(gprof.data(opened, path))))
    end

    it("also has the function's share of the missing time", function()
      assert.near(0.1, profile_of(file(10000, 0.96)):find "g".self_error, 1e-9)
      assert.near(math.sqrt(0.1 ^ 2 + 10 ^ 2), profile_of(file(10000, 0.5)):find "g".self_error, 1e-4)
    end)

    it("is no matter if no samples were wanted", function()
      local unsampled = profile_of(gmon.write(shell.tmpdir() .. "/gmon.out.ctx", contexts.pack {
        process = { rate = 0, low = crafted.BASE, high = crafted.BASE + crafted.SIZE },
        modules = { { low = 0, high = 0x10000, code = crafted.BASE } }, tables = { { cpu = 1000000000 } } }))
      assert.same({ 1, nil }, { unsampled.coverage, unsampled.cpu })
    end)

    it("is that of changes, whatever the old profile is", function()
      local old, new = file(10000, 1), file(13000, 0.8)
      local saved, kept = shell.tmpdir() .. "/old.json", shell.tmpdir() .. "/old.baseline"
      program.run { "--export=json:" .. saved, image, new }
      program.run { "--baseline=" .. kept, "--update-baseline", image, new }
      local missing = 13 / 0.8 - 13
      for _, name in ipairs { new, saved, kept } do
        local result = program.run { "-b", "--compare=" .. name, image, old }
        assert.matches("old: 1 run, 13.00 seconds each; a sample counts as 0.001; samples stand for only 80%% of " ..
          "the processor time\nnew: 1 run, 10.00 seconds each; a sample counts as 0.001\n", result.stdout)
        assert.matches(("change: %%-3.000 seconds, error %.3f~"):format(math.sqrt(0.023 + missing ^ 2)), result.stdout)
      end
      assert.is_false(gprof.compare(profile_of(old), profile_of(file(13000, 1))).total.noise)
    end)

    it("is that of limits, which are not checked if half of the time is missing", function()
      local old, new = file(10000, 1, 10), file(30000, 1, 10)
      local function run(before, after, limit)
        local result = program.run { "-b", "--compare=" .. before, image, after, "--fail-on=" .. limit }
        return result.status, result.stderr
      end
      assert.equal(2, (run(old, new, "5%")))
      local few <const> = file(30000, 0.6, 10)
      assert.same({ 0, ("gprof.lua: warning: %s: --fail-on: samples of the new profile stand for only 60%% of the " ..
        "processor time: times exceed a limit only by more than the missing time explains\n"):format(old) },
        { run(old, few, "self:5%") })
      for name, pair in pairs { new = { old, file(30000, 0.4, 10) }, old = { file(10000, 0.4, 10), new } } do
        assert.same({ 1, ("gprof.lua: %s: cannot check --fail-on: samples of the %s profile stand for only 40%% of " ..
          "the processor time\n"):format(pair[1], name) }, { run(pair[1], pair[2], "calls:0,self:5%") })
        assert.same({ 0, "" }, { run(pair[1], pair[2], "calls:0") })
      end
    end)
  end)

  it("can be computed for any time", function()
    assert.near(0.01, profile:error_of(0), 1e-15)
    assert.near(0.1, profile:error_of(f.hundred.self), 1e-15)
    assert.near(0.3, profile:error_of(9), 1e-15)
    assert.error_matches(function() profile:error_of(-1) end,
      "bad argument #1 to 'error_of' %(negative time%)")
    assert.error_matches(function() profile:error_of "x" end, "bad argument #1 to 'error_of' %(number expected")
  end)

  it("is nil without a histogram", function()
    local counted, g = crafted.profile { functions = plan.functions, calls = plan.calls }
    assert.is_nil(g.four.self_error)
    assert.is_nil(g.hundred.cycle.self_error)
    assert.is_nil(counted.total_error)
    assert.is_nil(counted:error_of(1))
  end)

  it("can be a field and a sort order of an iterator", function()
    local names = {}
    for name, seconds in profile:functions("self_error", "name", "self_error") do
      names[#names + 1] = ("%s %.2f"):format(name, seconds)
    end
    assert.same({ "hundred 0.10", "four 0.02", "none 0.01", "one 0.01", "main 0.01" },
      { names[1], names[2], names[4], names[3], names[5] })
  end)
end)

describe("the flat profile with errors", function()
  local above <const> = "  %   cumulative   self     self              self     total           \n"
  local titled <const> = "Flat profile:\n\nEach sample counts as 0.01 seconds.\n" .. above ..
    " time   seconds   seconds    error    calls  ms/call  ms/call  name    \n"

  it("has a column for them after the seconds", function()
    assert.equal(titled .. [[
 95.24      1.00     1.00     0.10        2   500.00   500.00  hundred
  3.81      1.04     0.04     0.02        2    20.00    20.00  four
  0.95      1.05     0.01     0.01                             one
  0.00      1.05     0.00     0.01        3     0.00     0.00  none
]], printed("flat", crafted.profile(plan), { brief = true, errors = true }))
  end)

  it("has the same other columns as without errors", function()
    local profile = crafted.profile(plan)
    for _, report in ipairs { "flat", "bsd.flat" } do
      local plain = printed(report, profile, { brief = true })
      local text = printed(report, profile, { brief = true, errors = true })
      -- Removes the column of errors: 9 characters after the seconds.
      local rows = text:gsub("([^\n]*)\n", function(row)
        return (row:find "%d%.%d%d +%d+%.%d%d +" or row:find "cumulative" or row:find "^ time") and
          row:sub(1, 25) .. row:sub(35) .. "\n"
      end)
      assert.equal(plain, rows)
      assert.not_equal(plain, text)
    end
  end)

  it("prints enough digits for the error of one sample", function()
    for rate, one in pairs { [1] = "1.00", [100] = "0.01", [250] = "0.004", [1000] = "0.001", [50000] = "0.00002" } do
      local profile = crafted.profile { functions = { "f" }, ticks = { f = 1 }, rate = rate }
      assert.equal(one, printed("flat", profile, { brief = true, errors = true }):match "(%S+) +f\n$")
    end
  end)

  it("explains the column only if it is printed, in both styles", function()
    local profile = crafted.profile(plan)
    for _, report in ipairs { "flat", "bsd.flat" } do
      local text = printed(report, profile, { errors = true })
      local explanation = text:match "\n self +The statistical error.-square root of n.-\n\n?"
      assert.truthy(explanation, report)
      assert.is_nil(printed(report, profile, {}):find(explanation, 1, true))
    end
  end)

  it("is printed with --errors, except under --gnu-compat", function()
    local files = { crafted.image(plan), crafted.gmon(plan) }
    local function run(...)
      local result = program.run { "-b", "-p", ..., files[1], files[2] }
      assert.same({ "", 0 }, { result.stderr, result.status })
      return result.stdout
    end
    assert.equal(printed("flat", crafted.profile(plan), { brief = true, errors = true }), run "--errors")
    local compatible = program.run { "-b", "-p", "--gnu-compat", files[1], files[2] }.stdout
    local both = program.run { "-b", "-p", "--errors", "--gnu-compat", files[1], files[2] }.stdout
    assert.equal(compatible, both)
  end)
end)
