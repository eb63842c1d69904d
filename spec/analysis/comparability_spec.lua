-- Total times are compared only where the calls bound them: estimates claim no change that may not have happened.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local core = require "gprof.core"
local crafted = require "support.crafted"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

-- A program in which `main` and `cleanup` call `work`. With `calls`, it has further calls.
local function plan(ticks, ...)
  return { functions = { "main", "work", "helper", "spin", "cleanup" }, ticks = ticks,
    calls = { { "main", "work", 60 }, { "main", "cleanup", 1 }, { "cleanup", "work", 60 }, { "work", "helper", 60 },
      { "helper", "spin", 60 }, ... } }
end

local open <const> = plan { spin = 1000, work = 10, helper = 10 }
local closed <const> = plan({ spin = 1000, work = 10, helper = 10 }, { "helper", "work", 1 }, { "work", "cleanup", 1 })

local function compare(old, new)
  local by_name, changes = {}, assert(gprof.compare((crafted.profile(old)), (crafted.profile(new))))
  for _, row in ipairs(changes) do by_name[row.name] = row end
  return changes, by_name
end

local function incomparable(changes)
  local names = {}
  for _, row in ipairs(changes) do
    if row.total.comparable == false then names[#names + 1] = row.name end
  end
  table.sort(names)
  return names
end

-- Returns the set of functions that exceed limits.
local function failing(changes, rules)
  local names = {}
  for _, failure in ipairs(gprof.compare.failures(changes, rules)) do
    if failure.row ~= changes then names[failure.row.name] = true end
  end
  return names
end

describe("a total time", function()
  it("is not compared if a new call closed a cycle, in either direction", function()
    for _, sides in ipairs { { open, closed }, { closed, open } } do
      local changes, by_name = compare(table.unpack(sides))
      assert.same({ "cleanup" }, incomparable(changes))
      local total = by_name.cleanup.total
      assert.is_true(total.noise)
      assert.is_true(total.least < 0 and total.most > 0)
      assert.same({}, gprof.compare.failures(changes, "5,total:5"))
      for _, name in ipairs { "main", "work", "helper", "spin" } do
        assert.same({ true, 0 }, { by_name[name].total.comparable, by_name[name].total.change }, name)
      end
    end
  end)

  it("is counted by the report and in Markdown if nothing else changed but what cannot be compared", function()
    -- `often` and `heavy` swap their numbers of calls of `work`
    local function calls(often, heavy)
      return { functions = { "main", "often", "heavy", "work" }, ticks = { work = 1000 },
        calls = { { "main", "often", 1 }, { "main", "heavy", 1 }, { "often", "work", often },
          { "heavy", "work", heavy } } }
    end
    local image, old, new = crafted.image(calls(100, 300)), crafted.gmon(calls(100, 300)), crafted.gmon(calls(300, 100))
    local function text(...) return program.run({ "-b", "--compare=" .. old, image, new, ... }).stdout end
    local report = text()
    assert.truthy(report:find("\n2 functions have changes only in total times that cannot be compared; -z shows " ..
      "them\n", 1, true), report)
    assert.is_nil(report:find "often")
    local all = text "-z"
    assert.truthy(all:find "not comparable[^\n]*often\n")
    assert.is_nil(all:find("only in total times", 1, true))
    local markdown = text "--export=markdown"
    assert.truthy(markdown:find("\n2 functions have changes only in total times that cannot be compared.\n", 1, true),
      markdown)
    assert.truthy(markdown:find("\n2 functions did not change.\n", 1, true), markdown)
    assert.is_nil(program.run({ "-b", "--compare=" .. old, image, old }).stdout:find("only in total times", 1, true))
  end)

  it("of the callers of such a cycle is not compared either", function()
    local function called(made)
      for _, name in ipairs { "left", "right" } do table.insert(made.functions, name) end
      made.calls[1], made.calls[2] = { "left", "work", 60 }, { "right", "cleanup", 1 }
      table.move({ { "main", "left", 1 }, { "main", "right", 1 } }, 1, 2, #made.calls + 1, made.calls)
      return made
    end
    local old = called(plan { spin = 1000 })
    local new = called(plan({ spin = 1000 }, { "work", "cleanup", 1 }))
    assert.same({ "cleanup", "left", "right" }, incomparable((compare(old, new))))
  end)

  it("is compared if nobody else calls what it calls, or if the bounds lie apart", function()
    local function chain(ticks, other)
      return { functions = { "main", "a", "b", "c" }, ticks = { a = 1000, c = ticks },
        calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "c", 5 }, other } }
    end
    local changes, by_name = compare(chain(1000), chain(4000))
    assert.same({}, incomparable(changes))
    assert.same({ 30, 30 }, { by_name.a.total.least, by_name.a.total.most })
    assert.same({ a = true, c = true, main = true }, failing(changes, "total:50"))
    -- the new time of a is at least 40, the old one at most 20
    local shared = chain(1000, { "b", "c", 5 })
    local slower = chain(1000, { "b", "c", 5 })
    slower.ticks.a = 4000
    changes, by_name = compare(shared, slower)
    assert.same({ "b" }, incomparable(changes))
    assert.same({ true, 20, 40 }, { by_name.a.total.comparable, by_name.a.total.least, by_name.a.total.most })
    -- the growth that is certain is 100 %, though the estimate is 200 %
    assert.same({ a = true, main = true }, failing(changes, "total:60"))
    assert.same({ main = true }, failing(changes, "total:110"))
  end)

  it("has the same limits in an exported profile and in a baseline", function()
    local image, profile, new = crafted.image(open), crafted.gmon(closed), crafted.gmon(open)
    local dir = shell.tmpdir "saved"
    assert.equal(0, program.run { "--export=json:" .. dir .. "/old.json", image, profile }.status)
    assert.equal(0, program.run { "--baseline=" .. dir .. "/old", "--update-baseline", image, profile }.status)
    for _, old in ipairs { "--compare=" .. dir .. "/old.json", "--baseline=" .. dir .. "/old" } do
      local result = program.run { "-b", "--fail-on=10", old, image, new }
      assert.equal(0, result.status, result.stderr)
      assert.truthy(result.stdout:find "not comparable[^\n]*cleanup\n", result.stdout .. result.stderr)
      assert.truthy(result.stderr:find("1 total time seems to exceed a limit, but cannot be compared", 1, true),
        result.stderr)
    end
  end)

  -- `outer` and `inner` do not count calls; `main` is called by uncounted code, as in static programs.
  it("of functions that may call code compiled without -pg has no limit from recorded calls", function()
    local dir = shell.tmpdir "uncounted"
    shell.write(dir .. "/counted.c", "void outer(void); __attribute__((noinline)) void work(void) { outer(); }\n" ..
      "int main(void) { work(); return 0; }\n")
    shell.write(dir .. "/uncounted.c", "volatile int s; static __attribute__((noinline)) void inner(void) { s++; }\n" ..
      "void outer(void) { inner(); s++; inner(); s++; }\n")
    shell.check({ "gcc", "-O1", "-c", "uncounted.c" }, { cwd = dir })
    shell.check({ "gcc", "-O1", "-fno-optimize-sibling-calls", "-pg", "-o", "program", "counted.c", "uncounted.o" },
      { cwd = dir })
    local this = { image = dir .. "/program", dir = dir }
    local symbols = build.symbols(this.image).by_name
    local gmon = small.profile(this, { ticks = { [symbols.inner[1]] = 260, [symbols.outer[1]] = 60 },
      arcs = { { symbols.main[1] + 4, symbols.work[1], 1 }, { symbols._start[1] + 4, symbols.main[1], 1 } } })
    assert.equal(0, program.run { "--export=json:" .. dir .. "/json", this.image, gmon }.status)
    assert.equal(0, program.run { "--baseline=" .. dir .. "/base", "--update-baseline", this.image, gmon }.status)
    for _, old in ipairs { "/json", "/base" } do
      local result = program.run { "-b", "--compare=" .. dir .. old, "--fail-on=5", this.image, gmon }
      assert.equal(0, result.status, result.stderr)
    end
    local side = assert(gprof.compare.load(dir .. "/base"))
    for _, f in ipairs(side.functions) do
      local expected = ({ inner = { 260, 320 }, outer = { 60, 320 } })[f.name] or { 0, 320 }
      assert.same(expected, { f.least_ticks, f.most_ticks }, f.name)
    end
  end)
end)

describe("changes of a comparison", function()
  it("are ordered by self time", function()
    local changes = compare(plan { spin = 100, work = 10, cleanup = 5 }, plan { spin = 200, work = 300, cleanup = 5 })
    local names = {}
    for i, row in ipairs(changes) do names[i] = row.name end
    assert.same({ "work", "spin" }, { names[1], names[2] })
  end)

  it("are factors beyond 1,000 %, and new from zero", function()
    local growth = require "gprof.format.wording".growth
    local function text(old, new) return growth { old = old, new = new, ratio = old > 0 and new / old or nil } end
    assert.same({ "+1000.0 %", "11.1 times", "25 times", "new", "-50.0 %", "0 %", "0 %", "+0.05 %" },
      { text(1, 11), text(1, 11.1), text(2, 50), text(0, 3), text(2, 1), text(3, 3), text(0, 0), text(10000, 10005) })
  end)
end)

describe("limits from recorded calls", function()
  -- Returns the set of nodes on paths from the root, which is 0, that avoid a node.
  local function reached(from, successors, avoided)
    local set, stack = {}, from ~= avoided and { from } or {}
    while stack[1] do
      local node = table.remove(stack)
      if not set[node] then
        set[node] = true
        for _, next_node in ipairs(successors[node] or {}) do
          if next_node ~= avoided then stack[#stack + 1] = next_node end
        end
      end
    end
    return set
  end

  it("are those of all paths, in random graphs", function()
    chance.cases(1, 200)(function(repetition)
      local count = math.random(2, 12)
      local self, calls, callers, callees, counts = {}, {}, {}, {}, {}
      local successors, has_caller = { [0] = {} }, {}
      for f = 1, count do self[f], calls[f], successors[f] = math.random(0, 9), 0, {} end
      for i = 1, math.random(0, 2 * count) do
        local from, to = math.random(count), math.random(count)
        callers[i], callees[i], counts[i] = from, to, math.random(5)
        if from ~= to then
          calls[to], has_caller[to] = calls[to] + counts[i], true
          table.insert(successors[from], to)
        end
      end
      for f = 1, count do
        local spontaneous = math.random(4) == 1 and 1 or 0
        calls[f] = calls[f] + spontaneous
        if spontaneous == 1 or not has_caller[f] then table.insert(successors[0], f) end
      end
      local known = reached(0, successors)
      for f = 1, count do
        if not known[f] then table.insert(successors[0], f) end
      end
      local least, most = core.call_bounds(self, calls, callers, callees, counts)
      for f = 1, count do
        local without, below = reached(0, successors, f), reached(f, successors)
        local low, high = 0, 0
        for g = 1, count do
          if not without[g] then low = low + self[g] end
          if below[g] then high = high + self[g] end
        end
        assert.same({ low, high }, { least[f], most[f] }, repetition)
      end
    end)
  end)
end)
