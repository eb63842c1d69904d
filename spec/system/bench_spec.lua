-- The benchmark compares GNU gprof and ours fairly: how commands are run, what figures and aims mean, and its table.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

-- The checkout is appended: at the start of the path, `require "gprof"` would find the program, gprof.lua.
package.path = package.path .. ";" .. program.root .. "/?.lua"

local aims = require "bench.aims"
local meters = require "bench.meter"
local programs = require "bench.programs"
local report = require "bench.report"
local turns = require "bench.turns"

-- Returns the result of runs that take these seconds.
local function result(...)
  local runs = {}
  for i, seconds in ipairs { ... } do runs[i] = { wall = seconds, cpu = seconds, mb = 10 } end
  return turns.result(runs)
end

local function with(one, fields)
  for key, value in pairs(fields) do one[key] = value end
  return one
end

it("a figure is the median; of a comparison, the median ratio of pairs, or of a single run to the median", function()
  assert.same({ 3, 4, 5 }, { result(5, 1, 3).wall, turns.ratio(result(8, 20, 6), result(2, 2, 3)),
    turns.ratio(result(10), result(1, 2, 3)) })
end)

it("commands run in turns, and not again once one is slow or fails", function()
  local order, meter = {}, {}
  function meter:run(command) -- luacheck: no self
    order[#order + 1] = command
    local seconds = ({ a = 1, b = 11, c = 101 })[command]
    return { wall = seconds, cpu = 0, mb = 1, trouble = seconds > 100 and "> 100 s" or nil }
  end
  local results = turns.measure(meter, { "a", "b", "c" }, { runs = 3, once = 10 })
  assert.same({ "abcaa", "> 100 s", 1 }, { table.concat(order), results[3].trouble, #results[2].runs })
end)

describe("an aim", function()
  local function judged(gnu, ours, aim)
    return aims.judge(gnu, ours, aim or aims.of({}, gnu))
  end

  it("is a ratio, smaller if starting Lua is most of the time; and GNU gprof's memory, plus Lua's", function()
    assert.same({ time = true, memory = true }, judged(result(3), result(1)))
    assert.same({ time = false, memory = true }, judged(result(3), result(1), 4))
    assert.is_true(judged(result(0.010), result(0.024)).time)
    assert.is_false(judged(result(0.010), result(0.026)).time)
    assert.equal(2, aims.of({}, result(0.021)))
    assert.is_true(judged(result(3), with(result(1), { mb = 12.9 })).memory)
    assert.is_false(judged(result(3), with(result(1), { mb = 13.1 })).memory)
  end)

  it("is met if GNU gprof fails, not met if ours fails, and met or unknown if GNU gprof was stopped", function()
    local failed = { trouble = "fails (1)" }
    assert.same({ time = true, memory = true }, judged(with(result(3), failed), with(result(3), { mb = 11 })))
    assert.same({ time = false, memory = false }, judged(result(3), with(result(1), failed)))
    local stopped = with(result(120), { trouble = "> 120 s", timeout = 120 })
    assert.same({ time = true, memory = true }, judged(stopped, result(1)))
    assert.same({}, judged(stopped, with(result(100), { mb = 14 })))
  end)
end)

it("the table has a line for each row, in aligned columns, and the number of aims met", function()
  local text, met = report.table({
    { row = { name = "bad", aim = 5 }, gnu = result(4), ours = result(1, 1), compatible = result(2, 2) },
    { row = { name = "quick" }, gnu = result(0.003, 0.003), ours = result(0.003, 0.003), compatible = result(0.003) },
    { row = { name = "stopped" }, gnu = with(result(120), { trouble = "> 120 s", timeout = 120 }),
      ours = result(1, 1), compatible = result(1) },
    { row = { name = "dead" }, gnu = with(result(9), { trouble = "dies (SIGSEGV)" }), ours = result(1) },
  }, { runs = 2 })
  assert.equal(3, met)
  local lines = {}
  for line in text:gsub(" +", " "):gmatch "[^\n]+" do lines[#lines + 1] = line end
  assert.same({
    "| bad | 4.00 * | 4.00 | 10.0 | 1.00 | 1.00 | 10.0 | 4.00 | 1.00 | >= 5 | no: time | 2.00 |",
    "| quick | 0.003 | 0.003 | 10.0 | 0.003 | 0.003 | 10.0 | 1.00 | 1.00 | >= 0.4 | yes | 1.00 |",
    "| stopped | > 120 s | 120 | 10.0 | 1.00 | 1.00 | 10.0 | > 120 | > 1.00 | >= 2 | yes | > 120 |",
    "| dead | dies (SIGSEGV) | 9.00 | 10.0 | 1.00 * | 1.00 | 10.0 | | | >= 2 | yes | |",
  }, table.move(lines, 3, 6, 1, {}))
end)

describe("the meter", function()
  local meter, dir
  setup(function()
    dir = shell.tmpdir "meter"
    meter = meters.open(dir, { timeout = shell.limit })
  end)

  it("measures time and memory, and reports failures", function()
    local run = meter:run "sh -c 'echo words >&2'"
    assert.same({ exit = 0, errors = "words\n" }, { exit = run.exit, errors = run.errors, trouble = run.trouble })
    assert.is_true(run.wall > 0 and run.mb > 0.1)
    assert.equal("fails (3)", meter:run("sh -c 'exit 3'").trouble)
    assert.equal("dies (SIGABRT)", meter:run("sh -c 'kill -ABRT $$'").trouble)
  end)

  it("stops commands after a time limit", function()
    for _, run in ipairs(meters.open(dir, { timeout = 1 }):together { { command = "sleep 1000" },
      { command = "sleep 1000" } }) do
      assert.same({ "> 1 s", 1 }, { run.trouble, run.timeout })
    end
  end)
end)

it("inputs are the same for the same options, and made only once", function()
  local first, second = shell.tmpdir "first", shell.tmpdir "second"
  local options = { functions = 50, language = "labels", shape = "cycle", profiles = 2 }
  local image, profiles = programs.build(first, options)
  programs.build(second, options)
  assert.equal(shell.read(profiles[1]), shell.read(second .. "/gmon.out"))
  assert.not_equal(shell.read(profiles[1]), shell.read(profiles[2]))
  shell.write(image, "kept")
  programs.build(first, options)
  assert.equal("kept", shell.read(image))
  options.seed = 2
  programs.build(first, options)
  assert.not_equal("kept", shell.read(image))
end)

describe("bench/run.lua", function()
  local function bench(...)
    return shell.run({ "lua5.4", program.root .. "/bench/run.lua", ... }, { timeout = 300 })
  end

  it("rejects rows and options that do not exist", function()
    for word, message in pairs { nosuch = "unknown row: nosuch (see --list)",
      ["--runs=0"] = "invalid option: --runs=0 (see --help)" } do
      local refused = bench("--list", word)
      assert.same({ "", "bench: " .. message .. "\n", 1 }, { refused.stdout, refused.stderr, refused.status })
    end
  end)

  it("measures a row, and writes the report to a file", function()
    local dir = shell.tmpdir "bench"
    local report_file = dir .. "/results.md"
    local done = bench("--quick", "--check", "--inputs=" .. dir, "--output=" .. report_file, "demo")
    assert.equal(0, done.status)
    assert.truthy(done.stdout:find "\n| demo +|[^\n]+| +identical |\n")
    assert.truthy(done.stdout:find "\nAims met: %d of 1 rows%.\n")
    assert.equal("# GNU gprof and ours\n\n" .. done.stdout, shell.read(report_file))
  end)
end)
