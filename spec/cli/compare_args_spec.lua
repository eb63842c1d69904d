-- --compare and --fail-on: their arguments, their output, and the exit status.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local dkjson = require "dkjson"

-- Builds version `number` of the fixture in a new directory, from left.c and right.c, or from files with other names.
-- Returns the image, the directory and the symbols.
local function make(number, left, right)
  local dir = shell.tmpdir("build-" .. number)
  left, right = left or "left.c", right or "right.c"
  for name, path in pairs { left = left, right = right } do
    shell.check { "mkdir", "-p", (dir .. "/" .. path):match "^(.*)/" }
    shell.write(dir .. "/" .. path, shell.read(build.fixture("builds/" .. name .. ".c")))
  end
  shell.check({ "gcc", "-O0", "-g", "-DBUILD=" .. number, "-o", "program", left, right }, { cwd = dir })
  local made = { image = dir .. "/program", dir = dir }
  made.symbols = build.symbols(made.image).by_name
  return made
end

-- Writes a profile of a build that `make` returned. `ticks` maps functions to samples; "helper 2" is the second
-- function named helper. main calls each function seven times. Returns the path.
local function profile(made, ticks)
  local plan = { ticks = {}, arcs = {} }
  for name, count in pairs(ticks) do
    local symbol, which = name:match "^(%S+) ?(%d*)$"
    local address = made.symbols[symbol][tonumber(which) or 1]
    plan.ticks[(address + 1) & ~1] = count
    table.insert(plan.arcs, { made.symbols.main[1] + 4, address, 7 })
  end
  return small.profile(made, plan)
end

local old, new = make(1), make(2)
local before <const> = profile(old, { ["helper"] = 100, ["helper 2"] = 400, moved = 64, old_name = 50, left = 12 })
local after <const> = profile(new, { ["helper"] = 400, ["helper 2"] = 100, moved = 36, new_name = 50, left = 12 })

local function run(...)
  return program.run { "-b", ... }
end

-- Runs the program, which must succeed without messages. Returns its output with each run of blanks collapsed to one.
local function printed(...)
  local result = run(...)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return (result.stdout:gsub(" +", " "):gsub(" ?\n ?", "\n"))
end

local function check_failure(message, result)
  assert.same({ "gprof.lua: " .. message .. "\n", "", 1 }, { result.stderr, result.stdout, result.status })
end

local title <const> = [[
Comparison of profiles, per run:

old: %s, 6.26 seconds each; a sample counts as 0.01
new: 1 run, 5.98 seconds each; a sample counts as 0.01
change: -0.28 seconds, error 0.35~, 0.96 times as much
noise, marked ~: changes within 2.9 times their error

self seconds total seconds calls
old new change error ratio old new change error ratio old new change ratio name
]]

-- The rows for the fixture's profiles: helper in left.c grew by as much as helper in right.c shrank.
local rows <const> = [[
1.00 4.00 +3.00 0.22 4.00 1.00 4.00 +3.00 0.22 4.00 7 7 0 1.00 helper (left.c)
4.00 1.00 -3.00 0.22 0.25 4.00 1.00 -3.00 0.22 0.25 7 7 0 1.00 helper (right.c)
0.00 0.50 +0.50 0.07 new 0.00 0.50 +0.50 0.07 new 0 7 +7 new new_name
0.50 0.00 -0.50 0.07 gone 0.50 0.00 -0.50 0.07 gone 7 0 -7 gone old_name
0.64 0.36 -0.28 0.10~ 0.56 0.64 0.36 -0.28 0.10~ 0.56 7 7 0 1.00 moved (right.c, was in left.c)
0.00 0.00 0.00 6.26 5.98 -0.28 0.35~ 0.96 0 0 0 main
]]

describe("--compare", function()
  it("prints what changed, by name and file", function()
    assert.equal(title:format "1 run" .. rows, printed("--compare", before, "--compare", old.image, new.image, after))
  end)

  it("is by function, also beside a sum", function()
    local made = small.build()
    local lines, symbols = made.rows["small.c"], build.symbols(made.image).by_name
    local function of_loop(ticks)
      return small.profile(made, { ticks = { [lines[4][1]] = ticks, [lines[9][1]] = 2 * ticks, [lines[2][1]] = 50 },
        arcs = { { lines[14][1], symbols.loop[1], 1 }, { lines[7][1], symbols.leaf[1], 7 } } })
    end
    local words = { "--compare=" .. of_loop(100), "--fail-on=total:10", made.image, of_loop(300) }
    local plain, sum = run(table.unpack(words)), shell.tmpdir() .. "/sum"
    assert.equal(run("--export=csv", made.image, words[4]).stdout,
      run("--export=csv", "--sum-file=" .. sum, made.image, words[4]).stdout)
    assert.truthy(plain.stdout:find(" loop\n", 1, true) and plain.stdout:find(" main\n", 1, true), plain.stdout)
    local result = run("--sum-file=" .. sum, table.unpack(words))
    assert.same({ 2, plain.stdout, plain.stderr }, { result.status, result.stdout, result.stderr })
    assert.equal(shell.read(words[4]), shell.read(sum))
  end)

  it("reads old profiles of any format beside a sum, whose format is that of -O", function()
    local sum, bsd = shell.tmpdir() .. "/sum", shell.tmpdir() .. "/bsd"
    printed("-s", "--sum-file=" .. bsd, "-Obsd", old.image, before)
    local expected = printed("--compare=" .. before .. "," .. old.image, new.image, after)
    for path, format in pairs { [before] = "bsd", [bsd] = "magic" } do
      assert.equal(expected, printed("--sum-file=" .. sum, "-O" .. format, "--compare=" .. path .. "," .. old.image,
        new.image, after))
    end
  end)

  it("is refused if a sum would replace what is compared", function()
    local stored = shell.write(shell.tmpdir() .. "/old.json", run("--export=json", old.image, before).stdout)
    for _, words in ipairs { { before, old.image }, { old.image, before }, { stored } } do
      local text = shell.read(words[1])
      check_failure(words[1] .. ": the sum would overwrite an input file", run("--sum-file=" .. words[1],
        "--compare=" .. table.concat(words, ","), new.image, after))
      assert.equal(text, shell.read(words[1]))
    end
  end)

  it("takes names separated by commas, in any order, and names that contain commas", function()
    local expected = title:format "1 run" .. rows
    assert.equal(expected, printed("--compare=" .. before .. "," .. old.image, new.image, after))
    assert.equal(expected, printed("--compare=" .. old.image .. "," .. before, new.image, after))
    local odd = shell.tmpdir() .. "/old,of yesterday"
    shell.write(odd, shell.read(before))
    assert.equal(expected, printed("--compare=" .. odd, "--compare=" .. old.image, new.image, after))
  end)

  it("takes directories, exported profiles, and several profiles, whose mean is compared", function()
    local expected = title:format "2 runs" .. rows
    -- Returns the rows without statistical errors, which depend on the number of old runs.
    local function without_errors(text)
      return (text:match("\nself.*"):gsub("([+-]%d%.%d%d) %d%.%d%d~?", "%1"))
    end
    local two = printed("--compare=" .. table.concat({ before, before, old.image }, ","), new.image, after)
    assert.equal(title:format "2 runs":match "[^\n]*\n\n[^\n]*\n", two:match "[^\n]*\n\n[^\n]*\n")
    assert.equal(without_errors(expected), without_errors(two))
    local dir = shell.tmpdir "runs"
    for _, name in ipairs { "1", "2" } do shell.write(dir .. "/" .. name, shell.read(before)) end
    assert.equal(two, printed("--compare=" .. dir .. "," .. old.image, new.image, after))
    local json = shell.write(shell.tmpdir() .. "/old.json", run("--export=json", old.image, before).stdout)
    assert.equal(two, printed("--compare=" .. json, "--compare=" .. json, new.image, after))
    assert.equal(two, printed("--compare=" .. table.concat({ json, before, old.image }, ","), new.image, after))
  end)

  it("adds up exported profiles of builds in several directories", function()
    local other, exports = make(1), {}
    for i, build_of in ipairs { old, other } do
      local path = profile(build_of, { ["helper"] = 100, ["helper 2"] = 400, moved = 64, old_name = 50, left = 12 })
      exports[i] = shell.write(shell.tmpdir() .. "/old.json", run("--export=json", build_of.image, path).stdout)
    end
    local expected = printed("--compare=" .. table.concat({ before, before, old.image }, ","), new.image, after)
    assert.equal(expected, printed("--compare=" .. table.concat(exports, ","), new.image, after))
    local all = table.concat({ before, old.image, exports[2] }, ",")
    assert.equal(expected, printed("--compare=" .. all, new.image, after))
    assert.equal(run("--compare=" .. before .. "," .. old.image, "--fail-on=calls:0", new.image, after).stderr,
      run("--compare=" .. all, "--fail-on=calls:0", new.image, after).stderr)
  end)

  it("omits columns without figures", function()
    local plan = { functions = { "main", "f" }, ticks = { f = 100 }, calls = { { "main", "f", 3 } } }
    local function compared(without)
      local less = { functions = plan.functions, ticks = plan.ticks, calls = plan.calls }
      less[without] = nil
      return printed("-z", "--compare=" .. crafted.gmon(less), crafted.image(plan), crafted.gmon(plan))
    end
    assert.truthy(compared "calls":find "\nself seconds\nold new change error ratio name\n1.00 1.00 0.00 1.00 f\n")
    assert.equal("Comparison of profiles, per run:\n\nold: 1 run\nnew: 1 run\n\n" ..
      "calls\nold new change ratio name\n3 3 0 1.00 f\n0 0 0 main\n", compared "ticks")
  end)

  it("prints mean calls if runs differ", function()
    local function plan(calls)
      return { functions = { "main", "f" }, ticks = { f = 1 }, calls = { { "main", "f", calls } } }
    end
    local names = crafted.gmon(plan(3)) .. "," .. crafted.gmon(plan(4))
    assert.truthy(printed("--compare=" .. names, crafted.image(plan(1)), crafted.gmon(plan(2)))
      :find(" 3.5 2 -1.5 0.57 f\n", 1, true))
  end)

  it("prints the times of short runs in milliseconds", function()
    local function plan(ticks)
      return { functions = { "main", "f" }, ticks = { f = ticks }, calls = { { "main", "f", 3 } } }
    end
    local image, four = crafted.image(plan(1)), crafted.gmon(plan(4))
    assert.equal([[
Comparison of profiles, per run:

old: 1 run, 40.00 milliseconds each; a sample counts as 10
new: 1 run, 30.00 milliseconds each; a sample counts as 10
change: -10.00 milliseconds, error 26.46~, 0.75 times as much
noise, marked ~: changes within 2.0 times their error

self milliseconds total milliseconds calls
old new change error ratio old new change error ratio old new change ratio name
40.00 30.00 -10.00 26.46~ 0.75 40.00 30.00 -10.00 26.46~ 0.75 3 3 0 1.00 f
0.00 0.00 0.00 40.00 30.00 -10.00 26.46~ 0.75 0 0 0 main
]], printed("--compare=" .. four, image, crafted.gmon(plan(3))))
    assert.matches("\nself seconds total", printed("--compare=" .. four, image, crafted.gmon(plan(100))), 1, true)
  end)

  it("prints decimals in the page that show the mean of several runs", function()
    local plan = { functions = { "main", "f" }, ticks = { f = 4 }, calls = { { "main", "f", 3 } } }
    local path, page = crafted.gmon(plan), shell.tmpdir() .. "/page"
    printed("--html=" .. page, "--compare=" .. path .. "," .. path, crafted.image(plan), path, path)
    assert.matches("+0.000 seconds a run, from 0.040 to 0.040; this may be due to chance", shell.read(page), 1, true)
  end)

  it("uses the new program as the old one if none is named", function()
    local text = printed("--compare=" .. after, new.image, after)
    assert.truthy(text:find("\nchange: +0.00 seconds, error 0.35~, 1.00 times as much\n", 1, true), text)
    assert.truthy(text:find " name\n$", text)
    local all = printed("-z", "--compare=" .. after, new.image, after)
    assert.truthy(all:find("\n0.36 0.36 0.00 1.00 0.36 0.36 0.00 1.00 7 7 0 1.00 moved\n", 1, true), all)
  end)

  it("reads from pipes", function()
    local result = program.run({ "-b", "--compare=-", "--compare=" .. old.image, new.image, after }, { stdin = before })
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.equal(title:format "1 run" .. rows, (result.stdout:gsub(" +", " "):gsub(" ?\n ?", "\n")))
  end)

  it("prints no other report unless one is requested", function()
    local both = run("-p", "--compare=" .. before .. "," .. old.image, new.image, after).stdout
    assert.truthy(both:find "^Flat profile:.*\f\nComparison of profiles")
    assert.is_nil(both:find "Call graph")
  end)

  it("compares only selected functions, and shows files if requested", function()
    local words = { "--compare=" .. before .. "," .. old.image, new.image, after }
    local text = printed("-pmoved", table.unpack(words))
    assert.is_nil(text:find("helper", 1, true))
    assert.truthy(text:find("moved (right.c, was in left.c)\n", 1, true))
    assert.truthy(printed("--inline-file-names", table.unpack(words)):find(" old_name (left.c)\n", 1, true))
    assert.truthy(printed("-L", table.unpack(words)):find((" moved (%s/right.c, was in %s/left.c)\n"):format(new.dir,
      old.dir), 1, true))
  end)

  it("shows directories where only these tell functions apart", function()
    local made = make(1, "a/work.c", "b/work.c")
    local path = profile(made, { ["helper"] = 10, ["helper 2"] = 40 })
    local text = printed("-z", "--compare=" .. path, made.image, path)
    for _, directory in ipairs { "a", "b" } do
      assert.truthy(text:find((" helper (%s/%s/work.c)\n"):format(made.dir, directory), 1, true))
    end
  end)

  it("explains the report, except with -b", function()
    local result = program.run { "--compare=" .. before .. "," .. old.image, new.image, after }
    assert.truthy(result.stdout:find "\n\nHow to read the comparison\n")
  end)

  it("prints bold headings with --color, and the same text", function()
    local words = { "--compare=" .. before .. "," .. old.image, new.image, after }
    local colored = run("--color", table.unpack(words)).stdout
    assert.truthy(colored:find("\27[1mComparison of profiles, per run:\27[0m\n", 1, true))
    assert.equal(run(table.unpack(words)).stdout, (colored:gsub("\27%[[%d;]*m", "")))
  end)

  it("skips bad profiles on either side with --keep-going", function()
    local bad = shell.write(shell.tmpdir() .. "/bad", "gmon")
    local result = run("--keep-going", "--compare=" .. table.concat({ before, bad, old.image }, ","), new.image, after,
      bad)
    local said = bad .. ": is too short to be a profile\n"
    assert.same({ ("gprof.lua: %sgprof.lua: %sgprof.lua: bad profiles skipped: 2\n"):format(said, said), 1 },
      { result.stderr, result.status })
    assert.truthy(result.stdout:find "\nold: 1 run, ")
    assert.truthy(result.stdout:find "\nnew: 1 run, ")
  end)

  it("reads several profiles in several processes", function()
    local names = table.concat({ before, before, before, old.image }, ",")
    assert.equal(printed("--compare=" .. names, new.image, after),
      printed("--jobs=2", "--compare=" .. names, new.image, after))
  end)

  it("is exported as JSON", function()
    local result = run("--export=json", "--compare=" .. before .. "," .. old.image, new.image, after)
    assert.same({ "", 0 }, { result.stderr, result.status })
    local found = dkjson.decode(result.stdout)
    assert.same({ "gprof-comparison", 1, "seconds", 0.05 }, { found.format, found.version, found.unit, found.chance })
    -- `mismatch` is null
    assert.same({ runs = 1, period = 0.01, total = 6.26, coverage = 1, path_share = 1 }, found.old)
    assert.equal(7, #found.functions) -- includes one without any change
    local f = found.functions[5]
    assert.same({ "moved", "both", 1, 0.64, 0.36, 7, 0 },
      { f.name, f.status, f.joined, f.self.old, f.total.new, f.calls.old, f.calls.change })
    assert.near(-0.28, f.self.change, 1e-12)
    assert.near(0.1, f.self.error, 1e-12)
    assert.same({ true, 0.5625 }, { f.self.noise, f.self.ratio })
    assert.truthy(f.old_file:find "/left%.c$")
    assert.truthy(f.new_file:find "/right%.c$")
  end)

  local stranger = crafted.image { functions = { "someone", "else" } }
  local strange = crafted.gmon { functions = { "someone", "else" }, ticks = { someone = 5 } }

  local far <const> = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
    { kind = "histogram", low = 0x8000000, high = 0x8000040, bins = { 1, 2 } } } })

  for name, case in pairs {
    ["of another program"] = { strange .. "," .. stranger,
      ("%s, %s: has no function in common with %s"):format(strange, stranger, new.image) },
    ["that is missing"] = { "/no/old", "/no/old: No such file or directory" },
    ["with an empty name"] = { "", "option --compare: the file name is empty" },
    ["with an empty name between commas"] = { before .. ",", "option --compare: the file name is empty" },
    ["of two programs"] = { table.concat({ before, old.image, stranger }, ","),
      ("option --compare: %s and %s are both programs: name only one"):format(old.image, stranger) },
    ["of a program without a profile"] = { old.image,
      ("option --compare: %s is a program: also name its profile"):format(old.image) },
    ["of another format"] = { new.dir .. "/left.c", new.dir .. "/left.c: not a profile, or truncated: [^\n]*" },
    ["with a program that is not its own"] = { far .. "," .. old.image, far .. ": does not belong to [^\n]*" },
  } do
    it("refuses an old profile " .. name, function()
      local result = run("--compare=" .. case[1], new.image, after)
      if case[2]:find("[^\n]*", 1, true) then
        local plain = case[2]:gsub("%[^\n%]%*", "\0"):gsub("%p", "%%%0"):gsub("%z", "[^\n]*")
        assert.truthy(result.stderr:find("^gprof%.lua: " .. plain .. "\n$"), result.stderr)
        assert.same({ "", 1 }, { result.stdout, result.status })
      else
        check_failure(case[2], result)
      end
    end)
  end

  it("refuses profiles that cannot be added up or compared", function()
    local function rated(rate, unit)
      local low, size = build.section(new.image, ".text")
      return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = { { kind = "histogram", low = low & ~1,
        high = (low & ~1) + 2 * (size // 2), bins = { n = size // 2, 1 }, rate = rate, dimension = unit } } })
    end
    local function stored(path)
      return shell.write(shell.tmpdir() .. "/old.json", run("--export=json", new.image, path).stdout)
    end
    local fast = stored(rated(1000))
    check_failure(fast .. ": has a different sampling rate or unit",
      run("--compare", after, "--compare", fast, new.image, after))
    local misses = stored(rated(1, "misses"))
    check_failure(misses .. ": the units differ: misses and seconds cannot be compared",
      run("--compare", misses, new.image, after))
  end)

  it("warns about an exported profile that is incomplete", function()
    local part = shell.write(shell.tmpdir() .. "/part.json",
      run("--export=json", "-phelper", old.image, before).stdout)
    local result = run("--compare=" .. part, new.image, after)
    local said = ("gprof.lua: warning: %s: was exported with symspecs: functions that they exclude appear as new\n")
      :format(part)
    assert.same({ said, 0 }, { result.stderr, result.status })
    assert.truthy(printed("-phelper", "--compare=" .. part, new.image, after):find(" helper (left.c)\n", 1, true))
  end)

  it("warns if an exported profile and the command select different functions or calls", function()
    local function export(...)
      return shell.write(shell.tmpdir() .. "/old.json", run("--export=json", old.image, before, ...).stdout)
    end
    local whole, part = export(), export "-phelper"
    local without = "gprof.lua: warning: %s: was exported without the symspecs of this command: functions that they " ..
      "exclude appear as gone; export it again with the same symspecs\n"
    local other = "gprof.lua: warning: %s: was exported with other symspecs than those of this command: functions " ..
      "that they exclude appear as new or gone\n"
    for _, case in ipairs { { whole, "-phelper", without }, { whole, "-Phelper", without },
      { whole, "-nhelper", without }, { whole, "-kmain/helper", without }, { part, "-pmain", other },
      { part, "-Phelper", other }, { whole, "-qmain" },
      { part, "-phelper" } } do
      local path, option, said = table.unpack(case)
      assert.equal(said and said:format(path) or "", run("--compare=" .. path, option, new.image, after).stderr)
    end
  end)

  it("shows the old name of a clone, in the report and as JSON", function()
    local function plan(name)
      return { functions = { "main", name }, ticks = { [name] = 30 }, calls = { { "main", name, 2 } } }
    end
    local first, second = plan "work", plan "work.isra.0"
    local words = "--compare=" .. crafted.gmon(first) .. "," .. crafted.image(first)
    local image, path = crafted.image(second), crafted.gmon(second)
    assert.truthy(printed("-z", words, image, path):find(" work.isra.0 (was work)\n", 1, true))
    local found = dkjson.decode(run("--export=json", words, image, path).stdout).functions
    local f = found[1].name == "main" and found[2] or found[1]
    assert.same({ "work.isra.0", "work", "both" }, { f.name, f.old_name, f.status })
  end)

  it("compares only functions", function()
    check_failure("options --compare and -l (--line) are mutually exclusive",
      run("-l", "--compare=" .. before, new.image, after))
  end)

  it("is required by the report 'comparison'", function()
    check_failure("comparison: needs an old profile (--compare)", run("--report=comparison", new.image, after))
  end)
end)

describe("--fail-on", function()
  local old_words <const> = "--compare=" .. before .. "," .. old.image

  it("exits with status 2 if a function got slower, and names it", function()
    local result = run("--fail-on=50", old_words, new.image, after)
    assert.same({ "gprof.lua: slower: helper (left.c:3): 1 to 4 seconds per run, 300.0 % more (error 0.22, " ..
      "limit 50 %)\n", 2 },
      { result.stderr, result.status })
    assert.equal(run(old_words, new.image, after).stdout, result.stdout)
  end)

  it("exits with status 0 without a message if the growth is smaller", function()
    for _, percent in ipairs { "300", "300%", "1000.5%" } do
      local result = run("--fail-on=" .. percent, old_words, new.image, after)
      assert.same({ "", 0 }, { result.stderr, result.status })
    end
  end)

  it("ignores noise", function()
    local noisy = profile(old, { ["helper"] = 110, ["helper 2"] = 430, moved = 70, old_name = 55, left = 16 })
    local result = run("--fail-on=0", old_words, old.image, noisy)
    assert.same({ "", 0 }, { result.stderr, result.status })
  end)

  it("checks the whole program, too", function()
    local slow = profile(new, { ["helper"] = 100, ["helper 2"] = 400, moved = 64, new_name = 250, left = 12 })
    local result = run("--fail-on=10%", old_words, new.image, slow)
    local slower = "gprof.lua: slower: %s: 6.26 to 8.26 seconds per run, 31.9 %% more " ..
      "(error 0.38, limit 10 %%)\n"
    assert.same({ slower:format "the whole program" .. slower:format "main (right.c:18)", 2 },
      { result.stderr, result.status })
  end)

  it("exits with status 1 on errors", function()
    local bad = shell.write(shell.tmpdir() .. "/bad", "gmon")
    local result = run("--fail-on=0", "--keep-going", old_words, new.image, after, bad)
    assert.same(1, result.status)
    assert.truthy(result.stderr:find("gprof.lua: slower: helper", 1, true))
  end)

  it("takes a percentage, or limits by kind", function()
    for _, word in ipairs { "x", "", "-1", "5%%", "1e3", "nan", "calls", "calls5", "calls:", ":5", "time:5", "5,", "5@",
      "calls:1%,,self:1", "blocks:1 %", "@main", "x@main" } do
      check_failure(("option --fail-on takes limits such as 5%% or calls:1%%,total:5%%, not '%s'"):format(word),
        run("--fail-on=" .. word, old_words, new.image, after))
    end
  end)

  it("needs --compare", function()
    check_failure("option --fail-on needs --compare or --baseline",
      run("--fail-on=5", new.image, after))
  end)
end)
