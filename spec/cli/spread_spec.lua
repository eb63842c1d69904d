-- --spread: the file beside a sum, its report and exports, and what it cannot be combined with.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local gmon = require "support.gmon"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"

local functions <const> = { "main", "solve", "wait" }
local path <const> = crafted.image { functions = functions }

-- Saves a run in a directory: its name, the ticks of solve and wait, and the calls of solve.
local function save(dir, name, solve, wait, calls)
  return gmon.write(dir .. "/" .. name, gmon.magic(crafted.records { functions = functions,
    ticks = { solve = solve, wait = wait }, calls = calls and { { "main", "solve", calls } } or nil }))
end

-- Makes a directory with four runs; the third is slow.
local function four()
  local dir = shell.tmpdir "spread"
  save(dir, "r1", 50, 30, 7)
  save(dir, "r2", 40, 40, 7)
  save(dir, "r3", 90, 0, 9)
  save(dir, "r4", 60, 10)
  return dir
end

local function run(dir, ...)
  return program.run({ ... }, { cwd = dir })
end

local function quietly(dir, ...)
  local result = run(dir, ...)
  assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
end

local function fails(dir, message, ...)
  local result = run(dir, ...)
  assert.same({ 1, "gprof.lua: " .. message .. "\n" }, { result.status, result.stderr })
end

local function warned(dir, message, ...)
  local result = run(dir, ...)
  assert.same({ 0, "gprof.lua: warning: " .. message .. "\n" }, { result.status, result.stderr })
  return result.stdout
end

local report <const> = [[
Spread of self time (seconds) over 4 runs:

     lost max/mean      mean       min       max deviation     runs  function     maximum in
     0.30     1.50      0.60      0.40      0.90      0.19        4  solve        r3
     0.20     2.00      0.20      0.00      0.40      0.16        3  wait         r2
]]
-- The order of the first line is fixed: whole runs come first.
local whole <const> = "     0.10     1.12      0.80      0.70      0.90      0.07        4  (whole run)  r3\n"
local times <const> = report:gsub("(maximum in\n)", "%1" .. whole)

describe("--spread", function()
  it("with -s writes the spread beside the sum, however the profiles are read", function()
    local dir = four()
    quietly(dir, "-s", "--spread", path, "r1", "r2", "r3", "r4")
    local sum, spread = shell.read(dir .. "/gmon.sum"), shell.read(dir .. "/gmon.sum.spread")
    shell.write(dir .. "/../list", "r1\nr2\nr3\nr4\n")
    for _, words in ipairs { { "--jobs=3", "r1", "r2", "r3", "r4" }, { "--keep-going", "r1", "r2", "r3", "r4" },
      { "--profiles-from=../list" }, { "--sandbox", "r1", "r2", "r3", "r4" } } do
      quietly(dir, "--spread", "--sum-file=gmon.sum", path, table.unpack(words))
      assert.is_true(sum == shell.read(dir .. "/gmon.sum"), words[1])
      assert.is_true(spread == shell.read(dir .. "/gmon.sum.spread"), words[1])
    end
    quietly(dir, "-s", "--spread", path, ".")  -- without the sum; runs are ./r1 ...
    assert.is_true(sum:sub(13) == shell.read(dir .. "/gmon.sum"):sub(13))
    quietly(dir, "-s", "--spread", path, "r1", "r2", "r3", "r4")
    quietly(dir, "--spread", "--sum-file=a", path, "r1")
    quietly(dir, "--spread", "--sum-file=b", path, "r2", "r3", "r4")
    quietly(dir, "--spread", "--sum-file=a", "--jobs=2", path, "a", "b")
    assert.is_true(sum == shell.read(dir .. "/a"))
    assert.is_true(spread == shell.read(dir .. "/a.spread"))
    assert.equal("a\na.spread\nb\nb.spread\ngmon.sum\ngmon.sum.spread\nr1\nr2\nr3\nr4\n", shell.listing(dir))
  end)

  it("has the times of each run in a page, also if several processes read the runs", function()
    local function strips(...)
      local dir = four()
      quietly(dir, "-s", "--spread", "--sum-file=sum", path, "r1", "r2")
      assert.equal(0, run(dir, "-b", "--spread", "--html=page.html", path, "r4", "r3", "r2", ...).status)
      return pages.parts(shell.read(dir .. "/page.html")).data.spread.strips
    end
    local expected = strips("--jobs=1", "r1")
    assert.same({ "q/dj", "QA/w" }, expected) -- shares of 0.9 and 0.4 s
    for _, jobs in ipairs { "--jobs=2", "--jobs=3", "--jobs=4" } do assert.same(expected, strips(jobs, "r1")) end
    for _, jobs in ipairs { "--jobs=1", "--jobs=2" } do assert.is_nil(strips(jobs, "sum")) end
  end)

  it("prints what differs between runs: of profiles, and of their sum", function()
    local dir = four()
    local printed = run(dir, "-b", "--spread", path, "r1", "r2", "r3", "r4")
    assert.same({ times, "" }, { printed.stdout, printed.stderr })
    quietly(dir, "-s", "--spread", path, "r1", "r2", "r3", "r4")
    for _, options in ipairs { { "--spread" }, { "--report=spread" }, { "--spread", "-l" } } do
      printed = run(dir, "-b", path, "gmon.sum", table.unpack(options))
      assert.same({ times, "" }, { printed.stdout, printed.stderr })
    end
    local first = run(dir, "-b", "--spread", "--top=1", path, "gmon.sum")
    assert.same({ times:match "(.-\n[^\n]*solve[^\n]*\n)", "" }, { first.stdout, first.stderr })
    assert.truthy(run(dir, "-b", "--spread", "-s", "--report=spread", path, "r1", "r3").stdout:find("over 2 runs", 1,
      true))
    local calls = run(dir, "-b", "--spread", "--sort=calls", path, "gmon.sum", "r4")
    assert.matches("Spread of calls over 3 runs", calls.stdout, 1, true)
    assert.matches("     3.67     1.69      5.33      0.00      9.00      3.86        2  solve ", calls.stdout, 1, true)
    assert.equal("", calls.stderr)
    assert.truthy(run(dir, "--spread", path, "r1").stdout:find "How to read the spread")
  end)

  it("has different short names for different functions, also with --top", function()
    local dir, names = shell.tmpdir "overloads", { "_Z4overi", "_Z4overd", "_Z5otheri" }
    local overloads = crafted.image { functions = names }
    gmon.write(dir .. "/r1", gmon.magic(crafted.records { functions = names,
      ticks = { _Z4overi = 9, _Z4overd = 5, _Z5otheri = 2 } }))
    local printed = run(dir, "-b", "--spread", overloads, "r1", "r1").stdout
    assert.matches("  over%(int%) .*  over%(double%) .*  other ", printed)
    assert.matches("  over%(int%)", run(dir, "-b", "--spread", "--top=1", overloads, "r1", "r1").stdout)
    assert.matches("  other%(int%)", run(dir, "-b", "--spread", "--full-names", overloads, "r1", "r1").stdout)
  end)

  it("finds the slow one of many ranks, in memory that does not depend on their number", function()
    local ranks, dir = chance.thorough and 100000 or 100, shell.tmpdir "ranks"
    local slow = ranks * 5 // 7
    for rank = 0, ranks - 1 do
      if rank % 1000 == 0 then shell.check { "mkdir", ("%s/%03d"):format(dir, rank // 1000) } end
      save(dir, ("%03d/rank.%06d"):format(rank // 1000, rank), rank == slow and 700 or 500 + rank % 100,
        rank == slow and 0 or 200 - rank % 100)
    end
    quietly(dir, "-s", "--spread", "--jobs=2", path, ".")
    local name = ("%03d/rank.%06d"):format(slow // 1000, slow)
    local found = run(dir, "-b", "--spread", "--top=1", path, "gmon.sum").stdout
    assert.truthy(found:find(("%d  solve        ./%s\n"):format(ranks, name), 1, true), found)
    assert.truthy(#shell.read(dir .. "/gmon.sum.spread") < 1000)
  end)

  it("is in JSON and CSV", function()
    local dir = four()
    quietly(dir, "-s", "--spread", path, "r1", "r2", "r3", "r4")
    local document = dkjson.decode(run(dir, "--spread", "--export=json", path, "gmon.sum").stdout)
    assert.same({ 4, 0, 0.9, "r3" }, { document.spread.runs, document.spread.skipped, document.spread.self.max,
      document.spread.self.who })
    local solve
    for _, f in ipairs(document.functions) do solve = f.name == "solve" and f or solve end
    assert.same({ 0.6, 0.4, 0.9, 4, "r3" }, { solve.spread.self.mean, solve.spread.self.min, solve.spread.self.max,
      solve.spread.self.runs, solve.spread.self.who })
    assert.same({ 9, 3, "r3" }, { solve.spread.calls.max, solve.spread.calls.runs, solve.spread.calls.who })
    local csv = run(dir, "--spread", "--export=csv", path, "gmon.sum").stdout
    assert.truthy(csv:find("self_calls,self_mean,self_min,self_max,self_deviation,self_lost,self_ratio,self_runs," ..
      "self_who,calls_mean,calls_min,calls_max,calls_deviation,calls_lost,calls_ratio,calls_runs,calls_who", 1, true))
    assert.truthy(csv:find("solve,solve,[^\n]*,0.4,0.9,[^\n]*,4,r3,[^\n]*,9,[^\n]*,3,r3"))
    assert.is_nil(dkjson.decode(run(dir, "--export=json", path, "gmon.sum").stdout).spread)
  end)

  it("names the sums that cannot be split into runs, once, and leaves them out", function()
    local dir = four()
    for _, name in ipairs { "a.sum", "b.sum", "c.sum" } do quietly(dir, "--sum-file=" .. name, path, "r1", "r2") end
    local text = "--spread: a.sum: is a sum without a spread%s: it is not in the spread"
    local printed = warned(dir, text:format "", "-b", "--spread", path, "a.sum", "r3")
    assert.truthy(printed:find("over 1 run:", 1, true))
    assert.truthy(printed:find("\n1 sum without a spread: not included\n", 1, true))
    for _, jobs in ipairs { "--jobs=1", "--jobs=2" } do
      warned(dir, text:format " (and 2 more like it)", "-s", "--spread", jobs, path, "r3", "a.sum", "b.sum", "c.sum")
    end
    assert.truthy(run(dir, "-b", "--spread", path, "gmon.sum").stdout:find("3 sums without a spread: not", 1, true))
    -- a sum with more samples than a record holds, whatever its name
    save(dir, "big", 60000, 0)
    quietly(dir, "--sum-file=all", path, "big", "big")
    warned(dir, "--spread: all: is a sum without a spread: it is not in the spread", "-s", "--spread", path, "all",
      "r1")
  end)

  it("names the spread of another sum, or a missing or damaged one", function()
    local dir = four()
    quietly(dir, "-s", "--spread", path, "r1", "r2")
    quietly(dir, "--sum-file=other", "--spread", path, "r1", "r3")
    shell.run { "cp", dir .. "/other.spread", dir .. "/gmon.sum.spread" }
    local function told(problem)
      warned(dir, "--spread: " .. problem .. ": it is not in the spread", "-b", "--spread", path, "gmon.sum", "r4")
    end
    told "gmon.sum.spread: does not belong to gmon.sum, but to another sum"
    os.remove(dir .. "/gmon.sum.spread")
    told "gmon.sum: is a sum without its spread"
    shell.write(dir .. "/gmon.sum.spread", "gprofspr")
    told "gmon.sum.spread: ends within the record at offset 0"
  end)

  it("belongs to its sum, whenever writing them was interrupted", function()
    local dir = four()
    quietly(dir, "-s", "--spread", path, "r1", "r2")
    local before = { shell.read(dir .. "/gmon.sum"), shell.read(dir .. "/gmon.sum.spread") }
    quietly(dir, "-s", "--spread", path, "gmon.sum", "r3")
    local after = { shell.read(dir .. "/gmon.sum"), shell.read(dir .. "/gmon.sum.spread") }
    local function holds(runs, sum, spread, new)
      shell.write(dir .. "/gmon.sum", sum)
      shell.write(dir .. "/gmon.sum.spread", spread)
      shell.write(dir .. "/gmon.sum.spread.new", new)
      local printed = run(dir, "-b", "--spread", path, "gmon.sum")
      assert.same({ "", true }, { printed.stderr, printed.stdout:find(runs .. " runs:", 1, true) ~= nil })
      quietly(dir, "-s", "--spread", path, "gmon.sum", "r4")
      assert.truthy(run(dir, "-b", "--spread", path, "gmon.sum").stdout:find(("over %d runs:"):format(runs + 1)))
    end
    holds(2, before[1], before[2], after[2]:sub(1, 300))  -- while the new spread is written
    holds(2, before[1], before[2], after[2])
    holds(3, after[1], before[2], after[2])
    holds(3, after[1], after[2], before[2])
  end)

  it("is removed, with a warning, by a sum without it", function()
    local dir = four()
    quietly(dir, "-s", "--spread", path, "r1", "r2")
    warned(dir, "gmon.sum.spread: is removed: without --spread, it cannot be kept up to date", "-s", path, "gmon.sum",
      "r3")
    assert.equal("gmon.sum\nr1\nr2\nr3\nr4\n", shell.listing(dir))
    shell.write(dir .. "/gmon.sum.spread", "mine")
    run(dir, "-s", path, "r1")
    assert.equal("mine", shell.read(dir .. "/gmon.sum.spread"))
  end)

  it("refuses what a spread cannot be combined with", function()
    local dir = four()
    for option, name in pairs { ["-a"] = "-a (--no-static)", ["-D"] = "-D (--ignore-non-functions)",
      ["--slide=4"] = "--slide", ["--inlines"] = "--inlines", ["--thread=1"] = "--thread" } do
      fails(dir, "options --spread and " .. name .. " are mutually exclusive", "--spread", option, path, "r1")
    end
    fails(dir, "option --spread: the spread is a file beside the sum, which is not a file", "--spread", "--sum-file=-",
      path, "r1")
    fails(dir, "option --spread: sums in the format bsd have no spread", "--spread", "-s", "-O", "bsd", path, "r1")
    assert.falsy(shell.exists(dir .. "/gmon.sum"))
  end)

  it("skips bad profiles with --keep-going, and changes nothing for them", function()
    local dir = four()
    shell.write(dir .. "/bad", shell.read(dir .. "/r3"):sub(1, -20))
    quietly(dir, "--sum-file=good", "--spread", path, "r1", "r2")
    local result = run(dir, "-s", "--spread", "--keep-going", path, "r1", "bad", "r2")
    assert.same({ 1, true }, { result.status, result.stderr:find("bad profiles skipped: 1", 1, true) ~= nil })
    assert.is_true(shell.read(dir .. "/good.spread") == shell.read(dir .. "/gmon.sum.spread"))
    result = run(dir, "--sum-file=no", "--spread", path, "r1", "bad", "r2")
    assert.same({ 1, false }, { result.status, shell.exists(dir .. "/no") })
  end)
end)
