-- gprof.compare.failures and --fail-on: limits on counts and times.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

-- Returns what exceeds the rules, as "field name old new".
local function found(old, new, rules)
  local comparison = assert(gprof.compare((crafted.profile(old)), (crafted.profile(new))))
  local list = {}
  for i, failure in ipairs(assert(gprof.compare.failures(comparison, rules))) do
    local name = failure.row == comparison and "all" or failure.row.name
    list[i] = ("%s %s %g %g"):format(failure.field, name, failure.change.old, failure.change.new)
  end
  return list
end

-- A program in which main calls work, work calls leaf, and leaf calls itself.
local function counted(work, leaf, recursive, more)
  local calls = { { "main", "work", work }, { "work", "leaf", leaf }, { "leaf", "leaf", recursive } }
  for _, call in ipairs(more or {}) do table.insert(calls, call) end
  return { functions = { "main", "work", "leaf", "idle", "extra" }, calls = calls }
end

describe("limits on calls", function()
  local old <const> = counted(100, 1000, 10)

  it("are exceeded by one call too many, and by no fewer", function()
    assert.same({}, found(old, counted(101, 1010, 10), "calls:1%"))
    assert.same({ "calls work 100 102" }, found(old, counted(102, 1000, 10), "calls:1"))
    assert.same({ "calls leaf 1000 1011" }, found(old, counted(100, 1011, 10), "calls:1%"))
    assert.same({ "calls all 1110 1111", "calls work 100 101" }, found(old, counted(101, 1000, 10), "calls:0"))
    assert.same({}, found(old, old, "calls:0"))
    assert.same({}, found(old, counted(1, 1, 1), "calls:0"))
    local most <const> = counted(1, 10000, 0)
    assert.same({}, found(most, counted(1, 10057, 0), "calls:0.57%"))
    assert.same({ "calls all 10001 10059", "calls leaf 10000 10058" }, found(most, counted(1, 10058, 0), "calls:0.57%"))
  end)

  it("hold for recursive calls, too", function()
    assert.same({ "self_calls leaf 10 12" }, found(old, counted(100, 1000, 12), "calls:10%"))
    -- calls that were not recursive before are compared with all calls
    assert.same({}, found(counted(100, 1000, 0), counted(100, 1000, 9), "calls:1"))
    assert.same({ "calls all 1100 1120", "self_calls leaf 0 20" },
      found(counted(100, 1000, 0), counted(100, 1000, 20), "calls:1"))
  end)

  it("find a difference of one in counts of any size", function()
    local large <const> = (1 << 32) - 2
    local grown = found(counted(1, large, 0), counted(1, large + 1, 0), "calls:0")
    assert.matches("^calls leaf", grown[2])
    assert.same({}, found(counted(1, large, 0), counted(1, large, 0), "calls:0"))
  end)

  it("count functions that were not called before in the whole program", function()
    assert.same({}, found(old, counted(100, 1000, 10, { { "main", "idle", 11 } }), "calls:1"))
    assert.same({ "calls all 1110 1122" }, found(old, counted(100, 1000, 10, { { "main", "idle", 12 } }), "calls:1"))
    local renamed = { functions = { "main", "work", "twig" },
      calls = { { "main", "work", 100 }, { "work", "twig", 1000 }, { "twig", "twig", 10 } } }
    assert.same({}, found(old, renamed, "calls:0"))
  end)

  it("include functions that only call themselves", function()
    local function plan(count)
      return { functions = { "main", "f" }, calls = { { "main", "main", count }, { "main", "f", 1 } } }
    end
    assert.same({ "calls all 4 6", "self_calls main 3 5" }, found(plan(3), plan(5), "calls:0"))
    assert.same({}, found(plan(3), plan(3), "calls:0"))
  end)

  it("compare a function with its clones", function()
    local function plan(clone, count)
      return { functions = { "main", clone }, calls = { { "main", clone, count } } }
    end
    assert.same({}, found(plan("f", 100), plan("f.constprop.0", 100), "calls:0"))
    assert.same({ "calls all 100 101", "calls f.isra.0 100 101" },
      found(plan("f.part.0", 100), plan("f.isra.0", 101), "calls:0"))
    local split = { functions = { "main", "f", "f.part.0" }, calls = { { "main", "f", 100 }, { "f", "f.part.0", 60 } } }
    assert.same({}, found(plan("f", 100), split, "calls:0"))
  end)

  it("compare means of runs without rounding errors", function()
    local function profile(plan, runs)
      local image, paths = assert(gprof.image(crafted.image(plan))), {}
      for i = 1, runs do paths[i] = crafted.gmon(plan) end
      return assert(gprof.profile(image, assert(gprof.data(image, table.unpack(paths)))))
    end
    for runs = 1, 7 do
      local same = assert(gprof.compare(profile(counted(7, 13, 3), runs), profile(counted(7, 13, 3), 8 - runs)))
      assert.same({}, gprof.compare.failures(same, "calls:0"))
    end
  end)

  it("can be given for single functions, which then have no other limit", function()
    local profile = (crafted.profile(counted(200, 2000, 10)))
    local comparison = assert(gprof.compare((crafted.profile(old)), profile))
    local function names(rules)
      local list = {}
      for i, failure in ipairs(gprof.compare.failures(comparison, rules)) do list[i] = failure.row.name end
      return list
    end
    local leaf, idle = profile:find("leaf").id, profile:find("idle").id
    assert.same({ "leaf" }, names { { kind = "calls", percent = 5, functions = { [leaf] = true } } })
    assert.same({ "the whole program", "work" }, names { { kind = "calls", percent = 5 },
      { kind = "calls", percent = 100, functions = { [leaf] = true } } })
    assert.same({}, names { { kind = "calls", percent = 0, functions = { [idle] = true } } })
  end)

  it("of a function that must not be called are exceeded by its first call", function()
    local new = (crafted.profile(counted(100, 1000, 10, { { "main", "idle", 1 } })))
    local rule = { kind = "calls", percent = 5, functions = { [new:find("idle").id] = true } }
    local failures = gprof.compare.failures(assert(gprof.compare((crafted.profile(old)), new)), { rule })
    assert.same({ "idle", 0, 1 }, { failures[1].row.name, failures[1].change.old, failures[1].change.new })
  end)
end)

describe("limits on times", function()
  -- main calls caller, which has the callee inlined if `inlined` is given.
  local function plan(caller, callee, inlined)
    local calls = { { "main", "caller", 10 } }
    if not inlined then calls[2] = { "caller", "callee", 1000 } end
    return { functions = { "main", "caller", "callee", "other" }, calls = calls,
      ticks = { caller = caller, callee = callee, other = 1000 } }
  end

  it("go by the total, or by self time if that is asked for", function()
    local old, new = plan(1000, 1000), plan(1000, 3000)
    assert.same({ "total all 30 50", "total callee 10 30", "total caller 20 40", "total main 20 40" },
      found(old, new, "total:20%"))
    assert.same({ "total all 30 50", "self callee 10 30" }, found(old, new, "self:20%"))
    assert.same(found(old, new, "total:20%"), found(old, new, "20"))
  end)

  it("are not exceeded by a function because its callee was inlined", function()
    local old, new = plan(1000, 1000), plan(2000, 0, true)
    assert.same({}, found(old, new, "total:5%,self:5%"))
    assert.same({}, found(old, new, "5"))
    assert.same({ "total all 30 50", "self caller 10 40", "total caller 20 40", "total main 20 40" },
      found(old, plan(4000, 0, true), "self:5%,total:5%"))
  end)

  it("are not exceeded by a function that is no longer inlined", function()
    -- the callee is also called by main
    local function also(made) table.insert(made.calls, { "main", "callee", 1000 }) return made end
    local old, new = also(plan(2000, 1000, true)), also(plan(1000, 2000))
    assert.same({}, found(old, new, "total:5%,self:5%"))
    -- which of the callee's time was spent for the caller is not known
    assert.same({ "total all 40 60", "total callee 10 40", "total main 30 50", "self callee 10 40" },
      found(old, also(plan(1000, 4000)), "total:5%,self:5%"))
  end)

  it("follow functions that were inlined into each other", function()
    local function three(ticks, calls)
      return { functions = { "main", "outer", "middle", "inner" }, ticks = ticks, calls = calls }
    end
    local old = three({ outer = 500, middle = 500, inner = 1000 },
      { { "main", "outer", 1 }, { "outer", "middle", 5 }, { "middle", "inner", 50 } })
    assert.same({}, found(old, three({ outer = 2000 }, { { "main", "outer", 1 } }), "self:5%"))
    local between = { { "main", "outer", 1 }, { "outer", "inner", 50 } }
    assert.same({}, found(old, three({ outer = 1000, inner = 1000 }, between), "self:5%,total:5%"))
  end)

  it("are not passed without figures to compare", function()
    local timed = (crafted.profile { functions = { "main", "f" }, ticks = { f = 5 } })
    local called = (crafted.profile { functions = { "main", "f" }, calls = { { "main", "f", 5 } } })
    for _, case in ipairs { { timed, "calls:1", "call counts" }, { timed, "total:1", "total times" },
      { timed, "blocks:1", "basic blocks" }, { called, "self:1", "no times" }, { called, "5", "no times" } } do
      local failures, message = gprof.compare.failures(assert(gprof.compare(case[1], case[1])), case[2])
      assert.is_nil(failures)
      assert.matches(case[3], message, 1, true)
    end
    assert.same({}, gprof.compare.failures(assert(gprof.compare(timed, timed)), "self:1,1"))
    local same = assert(gprof.compare(timed, timed))
    assert.error_matches(function() gprof.compare.failures(same, "calls") end, "rules such as 'calls:1%'", 1, true)
    assert.error_matches(function() gprof.compare.failures(same, 5) end, "rules expected")
  end)
end)

describe("--fail-on", function()
  local functions <const> = { "main", "work", "leaf" }
  local image <const> = crafted.image { functions = functions }

  -- Writes a profile with calls and counts of two blocks in `leaf`.
  local function profile(calls, blocks)
    local records = crafted.records { functions = functions, ticks = {}, calls = { { "main", "work", 10 },
      { "work", "leaf", calls } } }
    local start = crafted.addresses({ functions = functions }).leaf
    if blocks then
      table.insert(records.records, { kind = "blocks", { start, calls }, { start + 8, blocks } })
    end
    return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic(records))
  end

  local function run(old, new, ...)
    return program.run { "-b", "--compare=" .. old, image, new, ... }
  end

  local function check(status, messages, result)
    assert.same({ status, messages }, { result.status, result.stderr })
  end

  it("takes limits of several kinds, and names each failure in a line", function()
    local old, new = profile(1000, 5000), profile(1020, 5100)
    check(0, "", run(old, new, "--fail-on=calls:2%,blocks:2%"))
    check(2, "gprof.lua: more calls: leaf: 1000 to 1020 per run, 2.0 % more (limit 1 %)\n" ..
      "gprof.lua: more blocks executed: the whole program: 6000 to 6120 per run, 2.0 % more (limit 1.5 %)\n" ..
      "gprof.lua: more blocks executed: leaf: 6000 to 6120 per run, 2.0 % more (limit 1.5 %)\n",
      run(old, new, "--fail-on=calls:1%@leaf", "--fail-on=blocks:1.5%,blocks:1.5%"))
    check(0, "", run(old, new, "--fail-on=blocks:1%", "--fail-on=blocks:2%"))
    check(2, "gprof.lua: more calls: the whole program: 1010 to 1030 per run, 2.0 % more (limit 1 %)\n",
      run(old, new, "--fail-on=calls:1%", "--fail-on=calls:5%@le*"))
  end)

  it("says which functions were not executed before", function()
    local function plan(more)
      return crafted.gmon { functions = functions, calls = { { "main", "work", 10 }, more } }
    end
    check(2, "gprof.lua: more calls: the whole program: 10 to 17 per run, 70.0 % more (limit 1 %), " ..
      "not executed before: leaf 7\n", run(plan(), plan { "main", "leaf", 7 }, "--fail-on=calls:1"))
  end)

  it("reads counts from exported profiles", function()
    local old, new = profile(1000, 5000), profile(1020, 5100)
    local stored = shell.write(shell.tmpdir() .. "/old.json", program.run { "--export=json", image, old }.stdout)
    for _, limit in ipairs { "calls:1%", "blocks:1%", "calls:0,blocks:0" } do
      check(2, run(old, new, "--fail-on=" .. limit).stderr, run(stored, new, "--fail-on=" .. limit))
      check(0, "", run(stored, old, "--fail-on=" .. limit))
    end
  end)

  it("does not pass profiles without the figures, or functions that do not exist", function()
    local old, new = profile(1000), profile(1000, 5000)
    check(1, ("gprof.lua: %s: cannot check --fail-on: the profiles have no counts of basic blocks in common\n"):format(
      old), run(old, new, "--fail-on=blocks:1%"))
    local result = run(old, new, "--fail-on=calls:1%@nothing")
    assert.equal(1, result.status)
    assert.matches("^gprof%.lua: [^\n]*'nothing'[^\n]*\n$", result.stderr)
  end)
end)
