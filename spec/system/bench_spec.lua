-- The benchmark: its figures, its aims and the table of results.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

-- The checkout is appended: at the start of the path, `require "gprof"` would find the program, gprof.lua.
package.path = package.path .. ";" .. program.root .. "/?.lua"

local aims = require "bench.aims"
local markdown = require "bench.markdown"
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

describe("a figure", function()
  it("is the median", function()
    assert.equal(2, turns.median { 3, 1, 2 })
    assert.equal(2.5, turns.median { 4, 1, 2, 3 })
    assert.equal(7, turns.median { 7 })
    assert.equal(3, result(5, 1, 3).wall)
  end)

  it("does not sort its argument in place", function()
    local values = { 3, 1, 2 }
    turns.median(values)
    assert.same({ 3, 1, 2 }, values)
  end)

  it("of a comparison is the median ratio of pairs; a single run is compared with the median", function()
    assert.equal(4, turns.ratio(result(8, 20, 6), result(2, 2, 3)))
    assert.equal(5, turns.ratio(result(10), result(1, 2, 3)))
  end)
end)

describe("the runs of a measurement", function()
  -- Measures commands that take the given seconds. Returns the results, and the commands in the order of their runs.
  local function measured(seconds, options)
    local order = {}
    local meter = {}
    function meter:run(command) -- luacheck: no self
      order[#order + 1] = command
      return { wall = seconds[command], cpu = 0, mb = 1, trouble = seconds[command] > 100 and "> 100 s" or nil }
    end
    local commands = {}
    for command in pairs(seconds) do commands[#commands + 1] = command end
    table.sort(commands)
    return turns.measure(meter, commands, options), table.concat(order)
  end

  it("alternate between the commands", function()
    local results, order = measured({ a = 1, b = 2 }, { runs = 3, once = 10 })
    assert.equal("ababab", order)
    assert.equal(2, results[2].wall)
  end)

  it("are more numerous for fast commands, unless limited to one", function()
    local _, order = measured({ a = 0.001, b = 0.002 }, { runs = 5, once = 10 })
    assert.equal(42, #order)
    _, order = measured({ a = 0.001, b = 0.002 }, { runs = 1, once = 10 })
    assert.equal("ab", order)
  end)

  it("are not repeated for a command that is slow or fails", function()
    local results, order = measured({ a = 1, b = 11, c = 101 }, { runs = 3, once = 10 })
    assert.equal("abcaa", order)
    assert.equal("> 100 s", results[3].trouble)
    assert.equal(1, #results[2].runs)
  end)
end)

describe("an aim", function()
  local function judged(gnu, ours, aim)
    return aims.judge(gnu, ours, aim or aims.of({}, gnu))
  end

  it("is a ratio if GNU gprof takes a measurable time", function()
    assert.same({ time = true, memory = true }, judged(result(3), result(1)))
    assert.same({ time = false, memory = true }, judged(result(3), result(1), 4))
  end)

  it("is smaller if starting Lua is most of the time", function()
    assert.is_true(judged(result(0.010), result(0.024)).time)
    assert.is_false(judged(result(0.010), result(0.026)).time)
    assert.equal(2, aims.of({}, result(0.021)))
  end)

  it("allows GNU gprof's memory, plus that of Lua", function()
    assert.is_true(judged(result(3), with(result(1), { mb = 12.9 })).memory)
    assert.is_false(judged(result(3), with(result(1), { mb = 13.1 })).memory)
  end)

  it("is met if GNU gprof fails, and not met if our program fails", function()
    local failed = { trouble = "fails (1)" }
    assert.same({ time = true, memory = true }, judged(with(result(3), failed), with(result(3), { mb = 11 })))
    assert.same({ time = false, memory = false }, judged(result(3), with(result(1), failed)))
  end)

  it("is met or unknown if GNU gprof was stopped", function()
    local function stopped() return with(result(120), { trouble = "> 120 s", timeout = 120 }) end
    assert.same({ time = true, memory = true }, judged(stopped(), result(1)))
    assert.same({}, judged(stopped(), with(result(100), { mb = 14 })))
  end)
end)

describe("the table", function()
  it("aligns its columns", function()
    assert.equal("| row | a b |\n| --- | --: |\n| x   | 1.5 |\n", markdown.table { { "row", "a b" }, { "x", "1.5" } })
    assert.equal("0.001 0.120 1.20 12.0 120", table.concat({ markdown.number(0.001), markdown.number(0.12),
      markdown.number(1.2), markdown.number(12), markdown.number(120) }, " "))
  end)

  it("has a line for each row, and the number of aims met", function()
    local list = {
      { row = { name = "good" }, gnu = result(4, 4), ours = result(1, 1), compatible = result(2, 2) },
      { row = { name = "bad", aim = 5 }, gnu = result(4), ours = result(1, 1), compatible = result(2, 2) },
      { row = { name = "quick" }, gnu = result(0.003, 0.003), ours = result(0.003, 0.003),
        compatible = result(0.003) },
      { row = { name = "stopped" }, gnu = with(result(120), { trouble = "> 120 s", timeout = 120 }),
        ours = result(1, 1), compatible = result(1) },
      { row = { name = "dead" }, gnu = with(result(9), { trouble = "dies (SIGSEGV)" }), ours = result(1),
        compatible = result(1) },
      { row = { name = "alone" }, gnu = with(result(1), { trouble = "fails (1)" }), ours = result(2, 2) },
    }
    local text, met = report.table(list, { runs = 2 })
    assert.equal(5, met)
    local lines = {}
    for line in text:gsub(" +", " "):gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal("| good | 4.00 | 4.00 | 10.0 | 1.00 | 1.00 | 10.0 | 4.00 | 1.00 | >= 2 | yes | 2.00 |", lines[3])
    assert.equal("| bad | 4.00 * | 4.00 | 10.0 | 1.00 | 1.00 | 10.0 | 4.00 | 1.00 | >= 5 | no: time | 2.00 |", lines[4])
    assert.equal("| quick | 0.003 | 0.003 | 10.0 | 0.003 | 0.003 | 10.0 | 1.00 | 1.00 | >= 0.4 | " ..
      "yes | 1.00 |", lines[5])
    assert.equal("| stopped | > 120 s | 120 | 10.0 | 1.00 | 1.00 | 10.0 | > 120 | > 1.00 | >= 2 | yes | > 120 |",
      lines[6])
    assert.equal("| dead | dies (SIGSEGV) | 9.00 | 10.0 | 1.00 * | 1.00 | 10.0 | | | >= 2 | yes | |", lines[7])
    assert.equal("| alone | fails (1) | 1.00 | 10.0 | 2.00 | 2.00 | 10.0 | | | >= 2 | yes | |", lines[8])
  end)
end)

describe("the meter", function()
  local meter, dir
  setup(function()
    dir = shell.tmpdir "meter"
    meter = meters.open(dir, { timeout = shell.limit })
  end)

  it("measures time and memory", function()
    local run = meter:run "sh -c 'echo words >&2'"
    assert.equal(0, run.exit)
    assert.is_nil(run.trouble)
    assert.equal("words\n", run.errors)
    assert.is_true(run.wall > 0 and run.mb > 0.1)
  end)

  it("reports failures", function()
    assert.equal("fails (3)", meter:run("sh -c 'exit 3'").trouble)
    assert.equal("dies (SIGABRT)", meter:run("sh -c 'kill -ABRT $$'").trouble)
  end)

  it("runs commands two at a time", function()
    local there = ("sh -c %s"):format(shell.quote(shell.await "test -e there"))
    local runs = meter:together { { command = there, dir = dir }, { command = "touch there", dir = dir },
      { command = "false" } }
    assert.same({ nil, nil, "fails (1)" }, { runs[1].trouble, runs[2].trouble, runs[3].trouble })
    assert.same({}, meter:together {})
  end)

  it("stops commands after a time limit", function()
    for _, run in ipairs(meters.open(dir, { timeout = 1 }):together { { command = "sleep 1000" },
      { command = "sleep 1000" } }) do
      assert.same({ "> 1 s", 1 }, { run.trouble, run.timeout })
    end
  end)
end)

describe("inputs", function()
  it("are the same for the same options, and made only once", function()
    local first, second = shell.tmpdir "first", shell.tmpdir "second"
    local options = { functions = 50, language = "labels", shape = "cycle", profiles = 2 }
    local image, profiles = programs.build(first, options)
    assert.same({ first .. "/gmon.out", first .. "/gmon.0002" }, profiles)
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

  it("reject unknown options", function()
    assert.has_error(function() programs.build("x", { size = 1 }) end, "unknown option: size")
    assert.has_error(function() programs.build("x", { shape = "round" }) end, "unknown shape: round")
    assert.has_error(function() programs.build("x", { language = "m4" }) end, "unknown language: m4")
  end)
end)

describe("bench/run.lua", function()
  local function bench(...)
    return shell.run({ "lua5.4", program.root .. "/bench/run.lua", ... }, { timeout = 300 })
  end

  it("lists all rows or a selection", function()
    local all = bench "--list"
    assert.same({ "", 0 }, { all.stderr, all.status })
    assert.truthy(all.stdout:find "\narcs +1,000,000 arcs")
    assert.truthy(bench("--list", "--large").stdout:find "\ngold ")
    assert.equal("demo           the sample program of examples/sample, with -g\n", bench("--list", "demo").stdout)
  end)

  it("rejects invalid options", function()
    for arguments, message in pairs {
      ["--list nosuch"] = "unknown row: nosuch (see --list)",
      ["--nosuch"] = "invalid option: --nosuch (see --help)",
      ["--runs=0"] = "invalid option: --runs=0 (see --help)",
    } do
      local words = {}
      for word in arguments:gmatch "%S+" do words[#words + 1] = word end
      local refused = bench(table.unpack(words))
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
