-- gprof.compare: which functions match, how their times changed, and which changes are noise.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local clones = require "gprof.analysis.clones"
local crafted = require "support.crafted"
local program = require "support.program"
local gprof = require "gprof"
local matching = require "gprof.analysis.matching"
local merging = require "gprof.analysis.merging"
local shell = require "support.shell"
local significance = require "gprof.analysis.significance"

local function profile(plan)
  return (crafted.profile(plan))
end

local function rows(comparison)
  local by_name = {}
  for _, row in ipairs(comparison) do by_name[row.name] = row end
  return by_name
end

local function values_of(change)
  return { change.old, change.new, change.change, change.ratio }
end

describe("functions of two programs", function()
  -- Makes functions, each given as "name" or "name file"; "_(" stands for " (".
  local function functions(list)
    local made = {}
    for i, text in ipairs(list) do
      local name, file = text:match "^(%S+) ?(.*)$"
      name = name:gsub("_%(", " (")
      made[i] = { name = name, file = file ~= "" and file or nil, ticks = 1, whole_ticks = 1, calls = 1, count = 1 }
    end
    return made
  end

  local function describe(f)
    if not f then return "-" end
    return (f.name .. " " .. (f.file or "?")) .. (f.count > 1 and " x" .. f.count or "")
  end

  -- Pairs functions; returns the pairs as "old | new".
  local function paired(olds, news)
    local pairs_made = {}
    matching.pair(functions(olds), functions(news), function(old, new)
      pairs_made[#pairs_made + 1] = describe(old) .. " | " .. describe(new)
    end)
    table.sort(pairs_made)
    return pairs_made
  end

  -- Merges the functions of several runs; returns them with their calls.
  local function merged(...)
    local sides, texts = {}, {}
    for i, list in ipairs { ... } do sides[i] = { functions = functions(list), runs = 1 } end
    for i, f in ipairs(merging.merge(sides)) do texts[i] = describe(f) .. ": " .. f.calls end
    table.sort(texts)
    return texts
  end

  it("are matched by name, in any order", function()
    assert.same({ "- | c c.c", "a a.c | -", "b ? | b ?", "f old/f.c | f new/g.c", "g g.c | g ?" },
      paired({ "a a.c", "b", "f old/f.c", "g g.c" }, { "f new/g.c", "g", "b", "c c.c" }))
  end)

  it("are matched by file if several have the same name", function()
    assert.same({ "- | f new/c.c", "f new/a.c | f new/a.c", "f new/b.c | -" },
      paired({ "f new/a.c", "f new/b.c" }, { "f new/a.c", "f new/c.c" }))
  end)

  it("are matched by as many last components of their paths as needed", function()
    assert.same({ "f /1/left/common.c | f /2/left/common.c", "f /1/right/common.c | f /2/right/common.c" },
      paired({ "f /1/left/common.c", "f /1/right/common.c" }, { "f /2/right/common.c", "f /2/left/common.c" }))
    assert.same({ "f a.c | f ./a.c", "f left/a.c | f /left/a.c" },
      paired({ "f a.c", "f left/a.c" }, { "f /left/a.c", "f ./a.c" }))
  end)

  it("are matched together with their clones if the two programs have different clones", function()
    assert.same({ "f ? | f.isra.0 ?" }, paired({ "f" }, { "f.isra.0" }))
    assert.same({ "f.constprop.0 ? | f.constprop.1 ?" }, paired({ "f.constprop.0" }, { "f.constprop.1" }))
    assert.same({ "f a.c | f a.c x3" }, paired({ "f a.c" }, { "f.part.0 a.c", "f a.c", "f.constprop.0.isra.0 a.c" }))
    assert.same({ "f ? x2 | f ?" }, paired({ "f", "f.part.0" }, { "f" }))
    assert.same({ "- | f.part.0 b.c", "f a.c | f.isra.0 a.c" }, paired({ "f a.c" }, { "f.part.0 b.c", "f.isra.0 a.c" }))
  end)

  it("are matched clone by clone if both programs have the same clones, or one lacks the function", function()
    assert.same({ "f ? | f ?", "f.part.0 ? | f.part.0 ?" }, paired({ "f", "f.part.0" }, { "f.part.0", "f" }))
    assert.same({ "- | f ?", "- | f.part.0 ?", "g ? | g ?" }, paired({ "g" }, { "f", "f.part.0", "g" }))
    assert.same({ "- | f.smart.0 ?", "f ? | -" }, paired({ "f" }, { "f.smart.0" }))
  end)

  it("are recognized as clones by their demangled names, too", function()
    for clone, name in pairs {
      ["f(int) [clone .isra.0]"] = "f(int)", ["f(int) [clone .part.0] [clone .constprop.12]"] = "f(int)",
      ["f.cold"] = "f", ["f.llvm.1234567890"] = "f", ["core::f.llvm.12"] = "core::f", ["f.lto_priv.0.isra.0"] = "f",
    } do assert.equal(name, clones.stem(clone)) end
    for _, name in ipairs { "f", ".part.0", "f.0", "f.part.", "f.part.0x", "f.party.0", "f [clone .smart.0]" } do
      assert.is_nil(clones.stem(name))
    end
    local long = "f" .. (".isra.0"):rep(100000)
    assert.truthy(clones.stem(long))
  end)

  it("are added up if they have the same name and file, or if a file is unknown", function()
    assert.same({ "f x.h x2 | f x.h x3" }, paired({ "f x.h", "f x.h" }, { "f x.h", "f x.h", "f x.h" }))
    assert.same({ "f a.c x2 | f ? x2" }, paired({ "f a.c", "f b.c" }, { "f", "f" }))
    assert.same({ "f ? x2 | f a.c x2" }, paired({ "f", "f b.c" }, { "f a.c", "f b.c" }))
    assert.same({ "f 1/x/a.c x2 | f 2/x/a.c x2" },
      paired({ "f 1/x/a.c", "f 3/x/a.c" }, { "f 2/x/a.c", "f 4/x/a.c" }))
  end)

  it("match if one name is the escaped form of the other one", function()
    assert.same({ "caf\xe9 ? | caf\\xE9 ?" }, paired({ "caf\xe9" }, { "caf\\xE9" }))
    assert.same({ "f b.c | f b.c", "f caf\\xE9.c | f caf\xe9.c" },
      paired({ "f b.c", "f caf\\xE9.c" }, { "f b.c", "f caf\xe9.c" }))
  end)

  it("are merged with those of other runs like those of another program", function()
    assert.same({ "f /1/a.c: 3" }, merged({ "f /1/a.c" }, { "f /2/a.c" }, { "f a.c" }))
    assert.same({ "f /1/a.c: 2", "f /1/b.c: 2", "g ?: 1" },
      merged({ "f /1/a.c", "f /1/b.c" }, { "f /2/b.c", "f /2/a.c", "g" }))
    assert.same({ "f a.c x2: 5", "g a.c: 1" },
      merged({ "g a.c" }, { "f a.c", "f a.c" }, { "f a.c" }, { "f a.c", "f a.c" }))
    assert.same({ "f a.c: 2", "f.part.0 a.c: 1" }, merged({ "f a.c", "f.part.0 a.c" }, { "f a.c" }))
  end)

  it("are merged only with those of the same file: a run may lack any of them", function()
    assert.same({ "f a.c: 1", "f b.c: 1" }, merged({ "f a.c" }, { "f b.c" }))
    assert.same({ "f /a/x.c: 1", "f /b/x.c: 1", "main /m.c: 2" },
      merged({ "main /m.c", "f /a/x.c" }, { "main /m.c", "f /b/x.c" }))
    assert.same({ "f /1/a/x.c: 1", "f /2/b/x.c: 1", "g /1/a/x.c: 2", "g /1/b/x.c: 2" },
      merged({ "f /1/a/x.c", "g /1/a/x.c", "g /1/b/x.c" }, { "f /2/b/x.c", "g /2/b/x.c", "g /2/a/x.c" }))
  end)

  it("are merged if their files are in the same place, seen from that of main", function()
    local one, other = { "main /1/src/m.c", "f /1/src/a/x.c" }, { "main /2/src/m.c", "f /2/src/b/x.c" }
    local both = { "main src/m.c", "f src/a/x.c", "f src/b/x.c", "g /usr/include/g.h" }
    assert.same({ "f /1/src/a/x.c: 2", "f /1/src/b/x.c: 2", "g /usr/include/g.h: 2", "main /1/src/m.c: 4" },
      merged(one, other, both, { "main /3/src/m.c", "g /usr/include/g.h" }))
  end)

  it("are merged if one run is from a directory inside that of another one", function()
    assert.same({ "f /p/b/x.c: 2", "f /p/x.c: 2", "main /p/m.c: 2" },
      merged({ "main /p/m.c", "f /p/x.c", "f /p/b/x.c" }, { "main /p/b/m.c", "f /p/b/x.c", "f /p/b/b/x.c" }))
    assert.same({ "f /p/b/x.c: 1", "f /p/x.c: 1", "main /p/m.c: 2" },
      merged({ "main /p/m.c", "f /p/b/x.c" }, { "main /p/b/m.c", "f /p/b/x.c" }))
  end)

  it("of a Lua program are merged only with those of the same line", function()
    assert.same({ "f (x.lua:1) x.lua: 2", "f (x.lua:2) x.lua: 1", "f (x.lua:3) x.lua: 1" },
      merged({ "f_(x.lua:1) x.lua", "f_(x.lua:2) x.lua" }, { "f_(x.lua:1) x.lua", "f_(x.lua:3) x.lua" }))
  end)

  it("of a Lua program are merged only with those of the same file", function()
    local a, b = { "f_(x.lua:1) /1/a/x.lua", "g /1/a/x.lua", "g /1/b/x.lua" }, { "f_(x.lua:1) /2/b/x.lua" }
    assert.same({ "f (x.lua:1) /1/a/x.lua: 1", "f (x.lua:1) /2/b/x.lua: 1", "g /1/a/x.lua: 1", "g /1/b/x.lua: 1" },
      merged(a, b))
    assert.same({ "f (x.lua:1) /1/x.lua: 2" }, merged({ "f_(x.lua:1) /1/x.lua" }, { "f_(x.lua:1) /2/x.lua" }))
  end)

  it("of a Lua program are matched by file and line if there are not as many", function()
    local two = { "f_(b/x.lua:3) b/x.lua", "f_(a/x.lua:3) a/x.lua" }
    assert.same({ "- | f (a/x.lua:9) a/x.lua", "f (a/x.lua:3) a/x.lua | f (a/x.lua:3) a/x.lua",
      "f (b/x.lua:3) b/x.lua | f (b/x.lua:3) b/x.lua" }, paired(two, { two[1], two[2], "f_(a/x.lua:9) a/x.lua" }))
    assert.same({ "- | f (a/x.lua:3) a/x.lua", "- | f (a/x.lua:9) a/x.lua",
      "f (b/x.lua:3) b/x.lua | f (b/x.lua:3) b/x.lua" },
      paired({ two[1] }, { two[2], two[1], "f_(a/x.lua:9) a/x.lua" }))
    assert.same({ "f (a/x.lua:4) a/x.lua | f (a/x.lua:5) a/x.lua", "f (b/x.lua:3) b/x.lua | f (b/x.lua:2) b/x.lua" },
      paired({ two[1], "f_(a/x.lua:4) a/x.lua" }, { "f_(a/x.lua:5) a/x.lua", "f_(b/x.lua:2) b/x.lua" }))
  end)

  it("have no file after a merge if it is unknown in some run", function()
    assert.same({ "f ?: 2" }, merged({ "f a.c" }, { "f" }))
    assert.same({ "f ? x2: 3" }, merged({ "f" }, { "f a.c", "f b.c" }))
  end)

  it("keep the calls between clones in a merge: later sums leave them out", function()
    local function side()
      local list = functions { "f a.c", "f.part.0 a.c" }
      list[2].inner_calls, list[2].inner_ticks, list[2].least_ticks, list[2].most_ticks = 1, 1, 1, 1
      return { functions = list, runs = 1 }
    end
    local list = merging.merge { side(), side() }
    assert.equal(2, #list)
    local pairs_made = {}
    matching.pair(list, functions { "f a.c" }, function(old, new)
      pairs_made[#pairs_made + 1] = { old.calls, old.whole_ticks, #matching.members(old), new.name }
    end)
    assert.same({ { 2, 2, 4, "f" } }, pairs_made)
  end)

  it("with the same name are matched in less than quadratic time", function()
    local olds, news = {}, {}
    for i = 1, 20000 do
      olds[i], news[i] = ("f /old/%d/%s.c"):format(i, ("d/"):rep(20)), ("f /new/%d/%s.c"):format(i, ("d/"):rep(20))
    end
    assert.equal(20000, #paired(olds, news))
    local long = "f " .. ("x"):rep(1000000)
    assert.equal(3, #paired({ "f " .. ("/"):rep(1000000), "f a" }, { long, "f a" }))
  end)
end)

describe("a comparison", function()
  local before <const> = { functions = { "main", "work", "leaf", "old_name", "idle", "inlined" },
    ticks = { work = 100, leaf = 400, old_name = 49, inlined = 1 },
    calls = { { "main", "work", 2 }, { "work", "leaf", 10 }, { "main", "old_name", 5 } } }
  local after <const> = { functions = { "main", "leaf", "work", "new_name", "idle" },
    ticks = { work = 144, leaf = 100, new_name = 25 },
    calls = { { "main", "work", 2 }, { "work", "leaf", 10 }, { "main", "new_name", 5 }, { "main", "leaf", 10 } } }
  local changes, by_name

  setup(function()
    changes = assert(gprof.compare(profile(before), profile(after)))
    by_name = rows(changes)
  end)

  it("has the old and new time of each function, the largest change first", function()
    local names = {}
    for i, row in ipairs(changes) do names[i] = row.name end
    assert.same({ "leaf", "old_name", "work", "new_name", "inlined", "main" }, names)
    assert.same({ 4.0, 1.0, -3.0, 0.25 }, values_of(by_name.leaf.self))
    assert.same({ 1.0, 1.44, 0.44, 1.44 }, { by_name.work.self.old, by_name.work.self.new,
      tonumber(("%.10f"):format(by_name.work.self.change)), by_name.work.self.ratio })
    assert.same({ 5.0, 1.94 }, { by_name.work.total.old, by_name.work.total.new })
    assert.same({ 10.0, 20.0, 10.0, 2.0 }, values_of(by_name.leaf.calls))
    assert.same({ 0.0, 0.0, 0.0 }, values_of(by_name.main.self))
  end)

  it("is printed with recursive calls if any of these changed", function()
    local function called(calls, recursive)
      return profile { functions = { "main", "f" }, calls = { { "main", "f", calls }, { "f", "f", recursive } } }
    end
    local function table_of(now)
      local comparison = assert(gprof.compare(called(1, 2), now))
      return crafted.printed("comparison", now, { comparison = comparison, brief = true }):match ".*\n\n(.*)$"
    end
    assert.equal([[
calls                                 recursive calls
      old       new    change  ratio        old       new    change  ratio  name
        1         1         0   1.00          2        10        +8   5.00  f
]], table_of(called(1, 10)))
    assert.equal([[
calls
      old       new    change  ratio  name
        1         4        +3   4.00  f
]], table_of(called(4, 2)))
  end)

  it("has the same row each time it is read, and none beyond the last one", function()
    assert.equal(6, #changes)
    for i = 1, 6 do assert.is_true(rawequal(changes[i], changes[i])) end
    assert.same({}, { changes[0], changes[7], changes.other })
  end)

  it("is a table of its own kind, which reports and gates expect", function()
    assert.error_matches(function() gprof.compare.failures({ changes[1] }, "5") end,
      "bad argument #1 to 'failures' (gprof.comparison expected, got table)", 1, true)
    for _, rule in ipairs { 1, {}, { kind = "calls" }, { kind = "cpu", percent = 1 },
      { kind = "calls", percent = "1" } }
    do
      assert.error_matches(function() gprof.compare.failures(changes, { rule }) end,
        "bad argument #2 to 'failures' (rules expected)", 1, true)
    end
    assert.error_matches(function() gprof.compare.regressions({ changes[1] }, 5) end,
      "bad argument #1 to 'regressions' (gprof.comparison expected, got table)", 1, true)
    assert.error_matches(function() profile(after):report("comparison", { comparison = {} }, function() end) end,
      "option 'comparison': gprof.comparison expected, got table", 1, true)
  end)

  it("sorts equal total times by self time, whatever their rounding errors", function()
    local function plan(ticks)
      return { functions = { "main", "all", "leaf" }, ticks = { leaf = ticks },
        calls = { { "main", "all", 3 }, { "all", "leaf", 7 } } }
    end
    for ticks = 100, 130 do
      assert.equal("leaf", assert(gprof.compare(profile(plan(3)), profile(plan(ticks))))[1].name)
    end
  end)

  it("without calls is sorted by self time", function()
    local names = {}
    local function plan(ticks) return { functions = { "a", "b", "c" }, ticks = ticks } end
    local old, new = profile(plan { a = 10, b = 20, c = 30 }), profile(plan { a = 11, b = 50, c = 10 })
    local uncalled = assert(gprof.compare(old, new))
    for i, row in ipairs(uncalled) do names[i] = row.name end
    assert.same({ "b", "c", "a" }, names)
  end)

  it("has the error of each change: the square root of the sum of variances", function()
    assert.near(math.sqrt(100 + 144) / 100, by_name.work.self.error, 1e-12)
    assert.near(math.sqrt(400 + 100) / 100, by_name.leaf.self.error, 1e-12)
    assert.near(math.sqrt(49 + 1) / 100, by_name.old_name.self.error, 1e-12)
    assert.near(math.sqrt(500 + 194) / 100, by_name.work.total.error, 1e-12)
    assert.near(math.sqrt(550 + 269) / 100, changes.total.error, 1e-12)
    assert.is_nil(by_name.leaf.calls.error)
  end)

  it("says what many functions that are gone may mean", function()
    local function compared(gone, ...)
      local old = { functions = { "main" }, ticks = { main = 1 } }
      local new = { functions = { "main" }, ticks = { main = 9 } }
      for i = 1, gone do
        old.functions[i + 1] = "f" .. i
        old.ticks["f" .. i] = 5
      end
      return program.run({ "--compare=" .. crafted.image(old) .. "," .. crafted.gmon(old), crafted.image(new),
        crafted.gmon(new), ... }).stdout
    end
    local note = "\n4 functions are gone: they may have been inlined, or called by a jump; then compare\n" ..
      "the total times of their callers\n"
    assert.truthy(compared(4):find(note, 1, true))
    assert.is_nil(compared(4, "-b"):find("are gone", 1, true))
    assert.is_nil(compared(2):find("are gone", 1, true))
  end)

  it("marks functions that are new or gone", function()
    local states = {}
    for name, row in pairs(by_name) do states[name] = row.status end
    assert.same({ main = "both", work = "both", leaf = "both", old_name = "gone", new_name = "new",
      inlined = "gone" }, states)
    assert.is_nil(by_name.new_name.self.ratio)
    assert.equal(0.0, by_name.old_name.self.ratio)
    assert.equal(4, changes.common)
  end)

  it("tells significant changes from noise", function()
    -- Only times of at least ten samples are tested. Here there are ten such times: four self times, five total times,
    -- and the program's time. A chance of 0.05 / 10, or 1 in 200, corresponds to 2.807 standard deviations.
    assert.same({ 0.05, 10 }, { changes.chance, changes.times })
    assert.near(2.807, changes.factor, 0.001)
    assert.is_false(by_name.leaf.self.noise)      -- a change of 13.4 standard errors
    assert.is_true(by_name.inlined.self.noise)    -- fewer than ten samples
    assert.is_false(by_name.work.total.noise)     -- a change of 11.6 standard errors
    assert.is_true(rows(assert(gprof.compare(profile(before), profile(after), { chance = 0.001 }))).work.self.noise)
  end)

  it("has the change of the whole program", function()
    assert.same({ 5.5, 2.69 }, { changes.total.old, changes.total.new })
    assert.same({ runs = 1, period = 0.01, samples = 100, independent = 100, total = 5.5, counted = true,
      coverage = 1, path_share = 1, functions = 6 }, changes.old)
  end)

  it("of a profile with itself has no changes", function()
    local same = profile(before)
    for _, row in ipairs(assert(gprof.compare(same, same))) do
      assert.same({ 0, 0, 0, true }, { row.self.change, row.total.change, row.calls.change, row.self.noise })
    end
  end)
end)

describe("compared times", function()
  local function plan(ticks, changes)
    return setmetatable(changes or {}, { __index = { functions = { "main", "f" }, ticks = { f = ticks },
      calls = { { "main", "f", ticks } } } })
  end

  it("are means per run", function()
    local changes = assert(gprof.compare(profile(plan(100)), profile(plan(360)), { new_runs = 3 }))
    local f = rows(changes).f
    assert.same({ 1.0, 1.2 }, { f.self.old, f.self.new })
    assert.near(math.sqrt(100 / 100 ^ 2 + 360 / 300 ^ 2), f.self.error, 1e-12)
    assert.same({ 100.0, 120.0, 20.0, 1.2 }, values_of(f.calls))
    assert.same({ 1, 3, 1.0, 1.2 }, { changes.old.runs, changes.new.runs, changes.total.old, changes.total.new })
  end)

  it("are divided by the number of files by default", function()
    local image = assert(gprof.image(crafted.image(plan(1))))
    local paths = { crafted.gmon(plan(100)), crafted.gmon(plan(120)), crafted.gmon(plan(80)) }
    local old = assert(gprof.profile(image, assert(gprof.data(image, table.unpack(paths)))))
    local changes = assert(gprof.compare(old, profile(plan(100))))
    assert.same({ 3, 1, 1.0, 1.0 }, { changes.old.runs, changes.new.runs, changes.total.old, changes.total.new })
  end)

  it("may be sampled at different rates", function()
    local f = rows(assert(gprof.compare(profile(plan(100)), profile(plan(2000, { rate = 1000 }))))).f
    assert.same({ 1.0, 2.0, 1.0, 2.0 }, values_of(f.self))
    assert.near(math.sqrt(0.01 + 0.002), f.self.error, 1e-12)
  end)

  it("do not differ significantly if one side has few samples from fewer runs", function()
    -- The old run has no samples, ten new runs have five each. If all eleven behaved alike, the old run would get none
    -- of the 50 samples in about one of 120 cases.
    local function noise(samples)
      local changes = assert(gprof.compare(profile(plan(0)), profile(plan(samples)), { new_runs = 10, chance = 0.02 }))
      return rows(changes).f.self.noise
    end
    assert.same({ true, false }, { noise(50), noise(200) })
  end)

  it("must have the same unit", function()
    local misses = profile(plan(5, { rate = 1, dimension = "misses" }))
    assert.same({ nil, "the units differ: seconds and misses cannot be compared" },
      { gprof.compare(profile(plan(5)), misses) })
  end)

  it("are nil without histograms, and totals are nil without calls", function()
    local counted, sampled = plan(5, { ticks = false }), plan(5, { calls = false })
    local all = profile(plan(5))
    local calls = assert(gprof.compare(profile(counted), all))
    assert.same({ nil, nil, 5.0 }, { calls.total, calls[1].self, calls[1].calls.new })
    assert.is_nil(calls.unit)
    local times = assert(gprof.compare(all, profile(sampled)))
    assert.same({ 0.05, nil, nil }, { times[1].self.new, times[1].total, times[1].calls })
    assert.same({ nil, "cannot compare: the profiles have neither times nor calls in common" },
      { gprof.compare(profile(counted), profile(sampled)) })
  end)

  it("are limited to selected functions", function()
    local part = crafted.profile(plan(5), { exclude = { flat = { "f" } } })
    assert.is_nil(rows(assert(gprof.compare(part, part))).f)
  end)
end)

-- The seed is fixed, so each run of the specs tests the same random numbers.
describe("random variation", function()
  -- Returns a random number with a Poisson distribution. Knuth's method needs a small mean, so the mean is split into
  -- pieces of at most 20.
  local function poisson(mean)
    local count = 0
    while mean > 0 do
      local limit, product = math.exp(-math.min(mean, 20)), math.random()
      mean = mean - 20
      while product > limit do count, product = count + 1, product * math.random() end
    end
    return count
  end

  -- Makes one side of a comparison with random ticks. `means` lists each function's mean ticks per run.
  local function side(means, runs)
    local functions, all = {}, 0
    for i, mean in ipairs(means) do
      local ticks = poisson(mean * runs)
      functions[i] = { name = "f" .. i, ticks = ticks, whole_ticks = ticks, calls = 1, count = 1 }
      all = all + ticks
    end
    return { runs = runs, rate = 100, unit = "seconds", ticks = all, counted = false, functions = functions }
  end

  local function is_significant(comparison)
    for _, row in ipairs(comparison) do
      if not row.self.noise then return true end
    end
    return not comparison.total.noise
  end

  -- Makes `count` comparisons. Returns the fraction with a significant change.
  local function significant_fraction(count, make)
    local significant = 0
    for _ = 1, count do
      if is_significant(assert(gprof.compare(make()))) then significant = significant + 1 end
    end
    return significant / count
  end

  local few, many = { 400, 150, 60, 30, 20 }, {}
  for i = 1, 100 do many[i] = 500 / i end

  for _, case in ipairs {
    { "few functions", few, 1, 1, 600 }, { "many functions", many, 1, 1, 100 },
    { "more runs now", few, 1, 8, 200 }, { "more runs before", few, 5, 2, 300 },
  } do
    local name, means, old_runs, new_runs, count = table.unpack(case)
    it("is reported as a change in at most 1 of 20 comparisons: " .. name, function()
      math.randomseed(20)
      local share = significant_fraction(count, function() return side(means, old_runs), side(means, new_runs) end)
      assert(share <= 0.06, share)  -- 0.05, plus the random error of this test
    end)
  end

  it("is reported as a change in more than 1 of 50 comparisons if there are many samples", function()
    math.randomseed(21)
    local share = significant_fraction(400, function()
      return side({ 400, 400, 400, 400 }, 1), side({ 400, 400, 400, 400 }, 1)
    end)
    assert(share > 0.02, share)
  end)

  it("does not hide a large change", function()
    math.randomseed(22)
    local slower = { 400, 150, 160, 30, 20 }
    local found = 0
    for _ = 1, 100 do
      local f = rows(assert(gprof.compare(side(few, 1), side(slower, 1)))).f3
      if not f.self.noise then found = found + 1 end
    end
    assert(found > 97, found)
  end)

  it("exceeds the computed number of standard deviations with the given probability", function()
    for often, deviations in pairs { [0.05] = 1.960, [0.0455] = 2.000, [0.0027] = 3.000, [0.0000633] = 4.000 } do
      assert.near(deviations, significance.deviations(often), 0.002)
    end
  end)
end)

describe("a function that was split into clones", function()
  local before <const> = { functions = { "main", "f", "leaf" }, ticks = { main = 50, f = 300, leaf = 100 },
    calls = { { "main", "f", 10 }, { "f", "leaf", 30 } } }
  local after <const> = { functions = { "main", "f", "f.part.0", "f.constprop.0", "leaf" },
    ticks = { main = 50, f = 60, ["f.part.0"] = 200, ["f.constprop.0"] = 40, leaf = 100 },
    calls = { { "main", "f", 6 }, { "main", "f.constprop.0", 4 }, { "f", "f.part.0", 5 }, { "f.part.0", "leaf", 15 },
      { "f.constprop.0", "leaf", 15 } } }

  it("has the times and calls of all clones, none counted twice", function()
    for _, sides in ipairs { { before, after }, { after, before } } do
      local changes = assert(gprof.compare(profile(sides[1]), profile(sides[2])))
      local f = rows(changes).f
      assert.same({ "both", 3 }, { f.status, f.joined })
      assert.same({ 3.0, 3.0, 0.0, 1.0 }, values_of(f.self))
      assert.near(4.0, f.total.old, 1e-9)
      assert.near(4.0, f.total.new, 1e-9)
      assert.same({ 10.0, 10.0, 0.0, 1.0 }, values_of(f.calls))
      assert.same({ 3, {} }, { #changes, gprof.compare.regressions(changes, 0) })
    end
  end)

  it("is compared with an exported profile in the same way", function()
    local made = profile(after)
    local parts = {}
    made:report(require "gprof.export.json", {}, function(text) parts[#parts + 1] = text end)
    local path = shell.write(shell.tmpdir() .. "/after.json", table.concat(parts))
    local saved = rows(assert(gprof.compare(profile(before), assert(gprof.compare.load(path))))).f
    local f = rows(assert(gprof.compare(profile(before), made))).f
    for _, field in ipairs { "self", "total", "calls" } do
      for name, value in pairs(f[field]) do
        if type(value) == "number" then assert.near(value, saved[field][name], 1e-6) end
      end
    end
  end)

  it("keeps both names if there is one clone on each side", function()
    local function plan(name)
      return { functions = { "main", name }, ticks = { [name] = 100 }, calls = { { "main", name, 1 } } }
    end
    local row = rows(assert(gprof.compare(profile(plan "f"), profile(plan "f.isra.0"))))["f.isra.0"]
    assert.same({ "both", "f", 1 }, { row.status, row.old_name, row.joined })
    assert.is_nil(rows(assert(gprof.compare(profile(plan "f"), profile(plan "f")))).f.old_name)
  end)
end)

describe("what got slower", function()
  it("is judged by total time, because self time also grows if callees are inlined", function()
    local old = profile { functions = { "main", "work", "leaf", "slow" },
      ticks = { work = 100, leaf = 1900, slow = 100 },
      calls = { { "main", "work", 1 }, { "work", "leaf", 100 }, { "main", "slow", 1 } } }
    local new = profile { functions = { "main", "work", "leaf", "slow" }, ticks = { work = 1000, slow = 100 },
      calls = { { "main", "work", 1 }, { "main", "slow", 1 } } }
    assert.same({}, gprof.compare.regressions(assert(gprof.compare(old, new)), 0))
    local grown = {}
    for i, row in ipairs(gprof.compare.regressions(assert(gprof.compare(new, old)), 10)) do
      grown[i] = row.name
    end
    assert.same({ "the whole program", "leaf", "work", "main" }, grown)
  end)

  local function compared(old, new)
    local function plan(ticks)
      return profile { functions = { "a", "b", "c", "d" }, ticks = ticks }
    end
    return assert(gprof.compare(plan(old), plan(new)))
  end

  local function names(comparison, percent)
    local found = {}
    for i, row in ipairs(gprof.compare.regressions(comparison, percent)) do found[i] = row.name end
    return found
  end

  it("is listed by function, after the whole program", function()
    local grown = compared({ a = 1000, b = 1000, c = 50 }, { a = 2000, b = 1020, c = 48 })
    assert.same({ "the whole program", "a" }, names(grown, 10))
  end)

  it("must exceed the percentage significantly", function()
    local grown = compared({ a = 10000 }, { a = 11000 })
    assert.same({ "the whole program", "a" }, names(grown, 0))
    assert.same({ "the whole program", "a" }, names(grown, 5))
    assert.same({}, names(grown, 8)) -- exceeds 8 % by only 1.3 standard errors
    assert.same({}, names(grown, 10))
    assert.same({}, names(compared({ a = 100 }, { a = 120 }), 1))
  end)

  it("includes new functions only as part of the whole program", function()
    local function plan(name, ticks)
      return profile { functions = { "main", name }, ticks = { [name] = ticks } }
    end
    assert.same({ "the whole program" }, names(assert(gprof.compare(plan("f", 100), plan("g", 300))), 10))
    assert.same({}, names(assert(gprof.compare(plan("f", 100), plan("g", 100))), 10))
  end)

  it("is empty without times", function()
    local counted = profile { functions = { "a", "b" }, calls = { { "a", "b", 5 } } }
    assert.same({}, names(assert(gprof.compare(counted, counted)), 0))
  end)

  it("requires a valid percentage", function()
    local same = compared({ a = 1 }, { a = 1 })
    assert.error_matches(function() gprof.compare.regressions(same, -1) end, "a percentage expected")
    assert.error_matches(function() gprof.compare.regressions(same) end, "a percentage expected")
    assert.error_matches(function() gprof.compare.regressions(nil, 1) end, "gprof.comparison expected")
  end)
end)

describe("gprof.compare", function()
  it("rejects invalid arguments", function()
    local good = profile { functions = { "f" }, ticks = { f = 1 } }
    for problem, arguments in pairs {
      ["bad argument #1 to 'compare' %(gprof.profile expected, got nil%)"] = {},
      ["bad argument #2 to 'compare' %(gprof.profile expected, got string%)"] = { good, "gmon.out" },
      ["bad argument #2 to 'compare' %(gprof.profile expected, got table%)"] = { good, {} },
      ["bad argument #3 to 'compare' %(no option 'runs'%)"] = { good, good, { runs = 3 } },
      ["option 'old_runs': 1 or more expected"] = { good, good, { old_runs = 0 } },
      ["option 'new_runs': integer expected, got float"] = { good, good, { new_runs = 1.5 } },
      ["option 'chance': a number between 0 and 1 expected"] = { good, good, { chance = 1 } },
      ["option 'chance': number expected, got string"] = { good, good, { chance = "0.1" } },
    } do
      local done, message = pcall(function() return gprof.compare(table.unpack(arguments, 1, 3)), nil end)
      assert.is_false(done)
      assert.truthy(message:find(problem), message)
      assert.truthy(message:find "compare_spec.lua:", message)
    end
  end)

  it("rejects profiles by line", function()
    local good = profile { functions = { "f" }, ticks = { f = 1 } }
    local by_line = assert(gprof.profile(good.image, good.data, { line = true }))
    assert.error_matches(function() gprof.compare(good, by_line) end,
      "bad argument #2 to 'compare' %(a profile by function expected%)")
  end)

  it("is loaded on first access; other unknown fields are nil", function()
    assert.is_nil(gprof.comparison)
    assert.equal(gprof.compare, require "gprof.compare")
  end)
end)

describe("an exported profile", function()
  local exported = require "support.exported"
  local plan <const> = { functions = { "main", "work", "caf\xe9" }, ticks = { work = 30, ["caf\xe9"] = 12 },
    calls = { { "main", "work", 2 }, { "work", "caf\xe9", 6 } } }

  local function load(text)
    return gprof.compare.load(shell.write(shell.tmpdir() .. "/old.json", text))
  end

  it("is compared like the profile itself, with any bytes in names", function()
    local stored = assert(load(exported.crafted("json", plan)))
    for _, sides in ipairs { { stored, profile(plan) }, { profile(plan), stored }, { stored, stored } } do
      local changes = assert(gprof.compare(sides[1], sides[2]))
      assert.equal(3, changes.common)
      for _, row in ipairs(changes) do
        assert.same({ "both", 0, 0, 0 }, { row.status, row.self.change, row.total.change, row.calls.change })
      end
    end
    local changed = setmetatable({ ticks = { work = 3000, ["caf\xe9"] = 12 } }, { __index = plan })
    local expected = assert(gprof.compare(profile(plan), profile(changed)))
    local found = assert(gprof.compare(stored, profile(changed)))
    for i, row in ipairs(expected) do
      assert.same(values_of(row.self), values_of(found[i].self))
      assert.near(row.total.change, found[i].total.change, 1e-9)
      assert.same({ row.self.error, row.self.noise }, { found[i].self.error, found[i].self.noise })
    end
  end)

  it("has its number of runs, which options override", function()
    local one, two = crafted.gmon(plan), crafted.gmon(plan)
    local stored = assert(load(exported.text("json", crafted.image(plan), one, two)))
    assert.equal(2, stored.runs)
    local function runs(options) return assert(gprof.compare(stored, stored, options)).old.runs end
    assert.same({ 2, 5, 2 }, { runs(), runs { old_runs = 5 }, runs() })
  end)

  it("can lack times, or calls", function()
    local calls = { functions = plan.functions, calls = plan.calls }
    local stored = assert(load(exported.crafted("json", calls)))
    assert.same({ nil, nil, true }, { stored.rate, stored.unit, stored.counted })
    local times = { functions = plan.functions, ticks = plan.ticks }
    assert.is_false(assert(load(exported.crafted("json", times))).counted)
  end)

  local good = exported.crafted("json", plan)

  -- Each case: a pattern, its replacement, and the message. "$" stands for the file.
  for name, case in pairs {
    ["of a later version"] = { '"version": 1', '"version": 2',
      "$: unsupported version 2 of the JSON export (supported: 1)" },
    ["without a version"] = { '"version": 1', '"v": 1',
      "$: unsupported version nil of the JSON export (supported: 1)" },
    ["without a granularity"] = { '"granularity": "function",', "", "$: 'granularity' is not a valid string" },
    ["by line"] = { '"granularity": "function"', '"granularity": "line"',
      "$: is a profile by line; only profiles by function can be compared" },
    ["of something else"] = { '"format": "gprof%-profile"', '"format": "other"',
      "$: not a profile exported with --export=json" },
    ["with a text for a number"] = { '"ticks": 30', '"ticks": "30"',
      "$: function 1: 'ticks' is not a valid amount" },
    ["with a negative number"] = { '"ticks": 30', '"ticks": -30', "$: function 1: 'ticks' is not a valid amount" },
    ["with a number that is too large"] = { '"ticks": 30', '"ticks": 1e300',
      "$: function 1: 'ticks' is not a valid amount" },
    ["with a count that is too large if it is rounded"] = { '"count": 6', '"count": 9223372036854775807',
      "$: arc 2: 'count' is not a valid amount" },
    ["with a part of a line"] = { '"line": null', '"line": 3.5', "$: function 1: 'line' is not a valid line" },
    ["without a name"] = { '"name": "work"', '"Name": "work"', "$: function 1: 'name' is not a valid string" },
    ["with a number for a file"] = { '"file": null', '"file": 7', "$: function 1: 'file' is not a valid string" },
    ["with a period of 0"] = { '"period": 0.01', '"period": 0', "$: 'period' is not a valid period" },
    ["with texts for functions"] = { '"functions": %[', '"functions": ["f", ', "$: function 1: object expected" },
    ["without functions"] = { '"functions"', '"function"', "$: 'functions' is not a valid array" },
    ["without arcs"] = { '"arcs"', '"ars"', "$: 'arcs' is not a valid array" },
    ["that is truncated"] = { '"functions".*', "", "$: not valid JSON: '\"' expected at byte %d" },
    ["with text after the end"] = { "}%s*$", "} {", "$: not valid JSON: end of text expected at byte %d" },
  } do
    it("is rejected " .. name, function()
      local text, count = good:gsub(case[1], (case[2]:gsub("%%", "%%%%")), 1)
      assert.equal(1, count)
      local stored, problem = load(text)
      assert.is_nil(stored)
      local shown = problem:gsub("^%S*/old%.json", "$"):gsub("%d+$", case[3]:find "%%d$" and "%%d" or "%0")
      assert.equal(case[3], shown)
    end)
  end

  it("is rejected if it is truncated anywhere", function()
    for length = 0, #good - 3, 7 do
      local stored, problem = load(good:sub(1, length))
      assert.is_nil(stored)
      assert.truthy(problem:find("/old.json: not valid JSON: ", 1, true), problem)
    end
  end)

  it("must exist and be a regular file", function()
    assert.same({ nil, "/no/old.json: No such file or directory" }, { gprof.compare.load "/no/old.json" })
    local dir = shell.tmpdir "old"
    assert.same({ nil, dir .. ": Is a directory" }, { gprof.compare.load(dir) })
    assert.error_matches(function() gprof.compare.load() end, "bad argument #1 to 'load' %(string expected, got nil%)")
  end)
end)

-- GPROF_CASES sets the number of random cases. Each run of the specs tests the same cases.
describe("several exported profiles", function()
  local NAMES <const> = { "main", "f", "f.part.0", "f.isra.0", "g", "h", "h.constprop.0", "k" }

  -- Returns a run of a program. Each function has samples with a probability of 1 in `share`; some have calls.
  local function random_run(share)
    local plan = { functions = NAMES, ticks = { main = math.random(50) }, calls = { { "main", "g", math.random(9) } } }
    for i = 2, #NAMES do
      if math.random(share) == 1 then plan.ticks[NAMES[i]] = math.random(200) end
    end
    for _ = 1, math.random(6) do
      table.insert(plan.calls, { chance.pick(NAMES), NAMES[math.random(2, #NAMES)], math.random(1000) })
    end
    return plan
  end

  local image <const> = assert(gprof.image(crafted.image { functions = NAMES }))

  local function read(...)
    return assert(gprof.profile(image, assert(gprof.data(image, ...))))
  end

  local function load(path)
    local parts, file = {}, shell.tmpdir() .. "/old.json"
    read(path):report(require "gprof.export.json", {}, function(text) parts[#parts + 1] = text end)
    return assert(gprof.compare.load(shell.write(file, table.concat(parts))))
  end

  local function figures(row)
    return { name = row.name, old_name = row.old_name, status = row.status, joined = row.joined,
      old = row.calls.old, new = row.calls.new, old_self = row.self_calls.old, new_self = row.self_calls.new }
  end

  it("are compared like the profiles themselves", function()
    local repeatedly = chance.cases(1, 40)
    repeatedly(function(remark)
      local paths, sides = {}, {}
      for i = 1, math.random(2, 5) do
        paths[i] = crafted.gmon(random_run(i))  -- the first run has all functions
        sides[i] = load(paths[i])
      end
      local new = (crafted.profile(random_run(2)))
      local expected = rows(assert(gprof.compare(read(table.unpack(paths)), new)))
      local found = rows(assert(gprof.compare(assert(gprof.compare.sum(sides)), new)))
      for name, row in pairs(expected) do
        assert(found[name], remark .. name)
        assert.same(figures(row), figures(found[name]), remark)
        assert.near(row.self.old, found[name].self.old, 1e-9, remark)
        assert.near(row.self.error, found[name].self.error, 1e-9, remark)
        found[name] = nil
      end
      assert.is_nil(next(found), remark)
    end)
  end)
end)

-- GPROF_CASES sets the number of random cases. Each run of the specs tests the same cases.
describe("an exported profile that is damaged", function()
  local exported = require "support.exported"
  local pieces <const> = {
    '"', "\\", "{", "}", "[", "]", ",", ":", "null", "-1", "1e308", "0", '""', "\0", "\xff", "\\u0000", "\\ud800",
    "true", "9223372036854775808", "1e-320", '"line"', "[[[", '{"a":{',
  }

  -- Returns the text with one random change: a piece is repeated, replaced or removed, or a value is replaced.
  local function damage(text)
    local at, length, kind = math.random(#text), math.random(0, math.random(2) == 1 and 3 or 40), math.random(4)
    if kind == 1 then
      local from = math.random(#text)
      return text:sub(1, at) .. text:sub(from, from + length) .. text:sub(at)
    elseif kind == 2 then
      local which, count = math.random(60), 0
      return (text:gsub(": ([^,{}%[%]\n]+)", function()
        count = count + 1
        return count == which and ": " .. chance.pick(pieces) or nil
      end))
    end
    return text:sub(1, at) .. (kind == 3 and chance.pick(pieces) or "") .. text:sub(at + length)
  end

  it("is rejected with a message of one line, or compared", function()
    local texts = { exported.crafted("json", crafted.example), exported.crafted("json", exported.names) }
    local now, path = profile(crafted.example), shell.tmpdir() .. "/old.json"
    local repeatedly = chance.cases(1, 200)
    repeatedly(function(remark)
      local text = chance.pick(texts)
      for _ = 1, math.random(3) do text = damage(text) end
      local old, problem = gprof.compare.load(shell.write(path, text))
      assert(old or problem:find("^[^\n]+$"), remark .. tostring(problem))
      local changes = old and gprof.compare(old, now)
      local printed = changes and crafted.printed("comparison", now, { comparison = changes, brief = true })
      assert(not printed or not printed:find("nan", 1, true), remark)
    end)
  end)
end)

describe("JSON", function()
  local read = require "gprof.format.json_reader".read

  it("is parsed into Lua values", function()
    assert.same({ a = { 1, -2.5, 3e2, true, false, "x" }, b = {}, c = "" },
      read ' {"a": [1, -2.5, 3E2, true, false, "x"] , "b":{},"c":"", "d": null}\n')
    assert.equal("integer", math.type(read "9223372036854775807"))
    assert.same({ false, 1 }, read "[null, 1]")
    assert.equal('"\\/\b\f\n\r\t\u{e9}\u{20ac}\u{1F600}\u{fffd}x\u{fffd}\xff',
      read([["\"\\\/\b\f\n\r\t\u00e9\u20AC\uD83D\uDE00\uD83Dx\uDE00]] .. '\xff"'))
  end)

  it("is rejected if it is invalid", function()
    for text, problem in pairs {
      [""] = "a value expected at byte 0", ["nul"] = "a value expected at byte 0",
      ["[1 2]"] = "',' or ']' expected at byte 3", ["[1,]"] = "a value expected at byte 3",
      ['{"a" 1}'] = "':' expected at byte 5", ["{a: 1}"] = "'\"' expected at byte 1",
      ['"a'] = "unterminated string at byte 2", ['"a\n"'] = "control character in a string at byte 2",
      ['"\\x"'] = "unknown escape at byte 1", ['"\\u12"'] = "four hexadecimal digits expected at byte 3",
      ["01"] = "a number expected at byte 0", ["-"] = "a number expected at byte 0",
      ["1.5.2"] = "a number expected at byte 0", ["1 2"] = "end of text expected at byte 2",
      ["{"] = "'\"' expected at byte 1",
      [("["):rep(1000)] = "nested too deeply at byte 100",
      [('{"a":'):rep(200)] = "nested too deeply at byte 500",
    } do
      assert.same({ nil, problem }, { read(text) })
    end
  end)
end)
