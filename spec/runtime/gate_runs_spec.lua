-- Gates on counts of recorded programs: no false alarm for an unchanged program with threads, and one percent more
-- calls of one function are found. With GPROF_THOROUGH=1, a thousand runs of each kind.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

if recorder.lack() then return pending("gates on recorded programs: " .. recorder.lack()) end

local RUNS <const> = os.getenv "GPROF_THOROUGH" == "1" and 1000 or 3

local built <const> = recorder.compile "steady.c"

-- Runs the program; returns the path of its profile.
local function record(seed, planted)
  local result = recorder.run(built, { tostring(seed), tostring(planted) })
  assert.equal(0, result.status, result.stderr)
  return result.dir .. "/gmon.out", result.dir
end

-- Compares a profile with an older profile or a baseline. Returns the status and the messages.
local function gate(old, new, limits)
  local result = program.run { "-b", old, built.image, new, "--fail-on=" .. limits }
  return result.status, result.stderr
end

local function remove(...)
  for _, dir in ipairs { ... } do shell.check { "rm", "-r", dir } end
end

describe("a limit of calls", function()
  it(("is not exceeded by an unchanged program with threads, in %d runs"):format(RUNS), function()
    local first, second = record(1, 0), record(1, 0)
    local baseline = shell.tmpdir() .. "/base.jsonl"
    assert.equal(0, program.run({ "--baseline=" .. baseline, "--update-baseline", built.image, first, second }).status)
    assert.is_nil(shell.read(baseline):find('calls": [', 1, true))
    for run = 1, RUNS do
      local new, dir = record(1, 0)
      local old = run % 2 == 0 and "--compare=" .. first or "--baseline=" .. baseline
      assert.same({ 0, "" }, { gate(old, new, "calls:0") })
      remove(dir)
    end
  end)

  it(("finds one percent more calls of one function, with %d of %d seeds"):format(RUNS, RUNS), function()
    for seed = 1, RUNS do
      local planted = 1 + seed % 8
      local old, old_dir = record(seed, 0)
      local new, new_dir = record(seed, planted)
      local status, said = gate("--compare=" .. old, new, "calls:0.9%")
      assert.equal(2, status, "seed " .. seed)
      local pattern = "^gprof%.lua: more calls: (work%d) %(steady%.c:%d+%): %d+ to %d+ per run, 1%.0 %% more " ..
        "%(limit 0%.9 %%%)\n$"
      assert.equal("work" .. planted, said:match(pattern))
      if seed <= 3 then assert.same({ 0, "" }, { gate("--compare=" .. old, new, "calls:1%") }) end
      remove(old_dir, new_dir)
    end
  end)
end)

describe("a limit of times", function()
  it("is not checked without samples: times are missing, not 0", function()
    local dir = shell.tmpdir "rates"
    local function recorded(rate)
      local path = ("%s/%d.out"):format(dir, rate)
      local result = program.run { "--record", "--rate=" .. rate, "--output=" .. path, built.image, "1", "0" }
      assert.equal(0, result.status, result.stderr)
      return path
    end
    local sampled, unsampled = recorded(1000), recorded(0)
    for old, new in pairs { [sampled] = unsampled, [unsampled] = sampled } do
      for _, limits in ipairs { "5%", "self:1%", "total:1%" } do
        local status, said = gate("--compare=" .. old, new, limits)
        assert.equal(1, status, limits)
        assert.matches("^gprof%.lua: [^\n]+: cannot check %-%-fail%-on: the profiles have no times [^\n]+\n$", said)
      end
      assert.same({ 0, "" }, { gate("--compare=" .. old, new, "calls:0") })
      assert.is_nil(program.run({ "-b", "--compare=" .. old, built.image, new }).stdout:find("self", 1, true))
    end
  end)
end)
