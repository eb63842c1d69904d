-- The call graph: arcs and their counts, cycles, propagated time. Small graphs are compared with figures worked out by
-- hand, hundreds of random ones with a slow model.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local crafted = require "support.crafted"
local gprof = require "gprof"
local model = require "support.model"

-- Returns the self ticks, the children's ticks, the calls and the self-calls of a function or cycle.
local function figures(node)
  return { node.ticks, node.children_ticks, node.calls, node.self_calls }
end

-- Returns the callers or callees of arcs with their counts: "left 3/4", or "left 3" for an arc that propagates no time.
local function ends(which, ...)
  local found = {}
  for _, arc in ipairs(crafted.list(nil, ...)) do
    found[#found + 1] = ("%s %d%s"):format(arc[which].name, arc.count, arc.recursive and "" or "/" .. arc.of)
  end
  return found
end

describe("a chain of calls", function()
  local program = {
    functions = { "main", "middle", "leaf" },
    ticks = { main = 1, middle = 10, leaf = 100 },
    calls = { { "main", "middle", 5 }, { "middle", "leaf", 50 } },
  }
  local profile, f = crafted.profile(program)

  it("propagates all time to callers", function()
    assert.same({ 1, 110, 0, 0 }, figures(f.main))
    assert.same({ 10, 100, 5, 0 }, figures(f.middle))
    assert.same({ 100, 0, 50, 0 }, figures(f.leaf))
  end)

  it("has arcs with the propagated time in seconds", function()
    local arc = f.middle:callers()()
    assert.equal(f.main, arc.caller)
    assert.equal(f.middle, arc.callee)
    assert.same({ 5, 5, 0.1, 1.0, false }, { arc.count, arc.of, arc.self, arc.children, arc.recursive })
    assert.equal(arc, f.main:callees()())
    assert.is_nil(f.main:callers()())
    assert.is_nil(f.leaf:callees()())
    assert.equal(2, profile.arc_count)
  end)

  it("ranks its entries by self and children time", function()
    assert.same({ "main", "middle", "leaf" }, crafted.list("name", profile:entries()))
    assert.same({ 1, 2, 3 }, { f.main.index, f.middle.index, f.leaf.index })
    assert.equal(100, f.main.graph_percent)
    assert.near(100 * 110 / 111, f.middle.graph_percent, 1e-9)
  end)
end)

describe("a diamond", function()
  local _, f = crafted.profile {
    functions = { "main", "once", "thrice", "shared" },
    ticks = { once = 2, thrice = 4, shared = 40 },
    calls = {
      { "main", "once", 1 }, { "main", "thrice", 1 },
      { "once", "shared", 1 }, { "thrice", "shared", 2 }, { "thrice", "shared", 1 },
    },
  }

  it("divides time in proportion to calls", function()
    assert.same({ 2, 10, 1, 0 }, figures(f.once))
    assert.same({ 4, 30, 1, 0 }, figures(f.thrice))
    assert.same({ 40, 0, 4, 0 }, figures(f.shared))
    assert.same({ 0, 46, 0, 0 }, figures(f.main))
  end)

  it("lists callers by ascending time, callees by descending time", function()
    assert.same({ "once 1/4", "thrice 3/4" }, ends("caller", f.shared:callers()))
    assert.same({ "thrice 1/1", "once 1/1" }, ends("callee", f.main:callees()))
  end)
end)

describe("a cycle of two", function()
  local profile, f = crafted.profile {
    functions = { "main", "other", "ping", "pong", "leaf" },
    ticks = { ping = 30, pong = 50, leaf = 8 },
    calls = {
      { "main", "ping", 1 }, { "other", "pong", 3 }, { "ping", "pong", 7 }, { "pong", "ping", 6 },
      { "pong", "leaf", 2 }, { "pong", "pong", 9 },
    },
  }
  local cycle = profile:cycles()()

  it("is one node with the time of all members", function()
    assert.same({ "<cycle 1>" }, crafted.list("name", profile:cycles()))
    assert.equal(1, cycle.number)
    assert.equal(cycle, f.ping.cycle)
    assert.equal(cycle, f.pong.cycle)
    assert.is_nil(f.leaf.cycle)
    assert.same({ 80, 8, 4, 13 }, figures(cycle)) -- neither count includes a member's calls to itself
    assert.same({ 50, 8, 10, 9 }, figures(f.pong))
    assert.same({ 30, 0, 7, 0 }, figures(f.ping))
  end)

  it("propagates time to its callers in proportion to calls from outside", function()
    assert.same({ 0, 22, 0, 0 }, figures(f.main))
    assert.same({ 0, 66, 0, 0 }, figures(f.other))
    local arc = f.main:callees()()
    assert.same({ 0.20, 0.02 }, { arc.self, arc.children })
  end)

  it("propagates no time between members", function()
    assert.same({ "pong 9", "ping 7", "other 3/4" }, ends("caller", f.pong:callers()))
    assert.same({ "leaf 2/2", "ping 6", "pong 9" }, ends("callee", f.pong:callees()))
    assert.same({ "pong", "ping" }, crafted.list("name", cycle:members()))
  end)

  it("is listed before functions with the same time", function()
    assert.same({ "<cycle 1>", "other", "pong", "ping", "main", "leaf" }, crafted.list("name", profile:entries()))
  end)
end)

describe("two cycles, one called by the other", function()
  local _, f = crafted.profile {
    functions = { "inner_a", "inner_b", "main", "outer_a", "outer_b" },
    ticks = { inner_a = 12, inner_b = 4, outer_a = 2, outer_b = 1 },
    calls = {
      { "main", "outer_a", 1 }, { "outer_a", "outer_b", 5 }, { "outer_b", "outer_a", 5 },
      { "outer_b", "inner_b", 3 }, { "main", "inner_a", 1 }, { "inner_a", "inner_b", 2 }, { "inner_b", "inner_a", 2 },
    },
  }

  it("are numbered by the addresses of their heads", function()
    assert.equal(1, f.inner_a.cycle.number)
    assert.equal(2, f.outer_b.cycle.number)
    assert.equal("<cycle 2>", f.outer_b.cycle.name)
  end)

  it("propagate the inner cycle's time through the outer one", function()
    assert.same({ 16, 0, 4, 4 }, figures(f.inner_a.cycle))
    assert.same({ 3, 12, 1, 10 }, figures(f.outer_a.cycle))
    assert.same({ 1, 12, 5, 0 }, figures(f.outer_b))
    assert.same({ 2, 0, 6, 0 }, figures(f.outer_a))
    assert.same({ 0, 19, 0, 0 }, figures(f.main))
  end)
end)

describe("a call graph", function()
  it("does not make a cycle of a function that only calls itself", function()
    local profile, f = crafted.profile {
      functions = { "main", "fact" }, ticks = { fact = 6 }, calls = { { "main", "fact", 2 }, { "fact", "fact", 10 } } }
    assert.is_nil(profile:cycles()())
    assert.same({ 6, 0, 2, 10 }, figures(f.fact))
    assert.same({ 0, 6, 0, 0 }, figures(f.main))
    assert.same({ "fact 10", "main 2/2" }, ends("caller", f.fact:callers()))
  end)

  it("keeps arcs with count 0, but propagates no time along them", function()
    local _, f = crafted.profile {
      functions = { "main", "idle", "leaf" }, ticks = { leaf = 4 },
      calls = { { "idle", "leaf", 0 }, { "main", "leaf", 2 } } }
    assert.same({ "idle 0/2", "main 2/2" }, ends("caller", f.leaf:callers()))
    assert.same({ 0, 0, 0, 0 }, figures(f.idle))
    assert.same({ 0, 4, 0, 0 }, figures(f.main))
  end)

  it("closes cycles by arcs with count 0, too", function()
    local profile, f = crafted.profile {
      functions = { "main", "a", "b" }, ticks = { a = 1, b = 2 },
      calls = { { "main", "a", 1 }, { "a", "b", 1 }, { "b", "a", 0 } } }
    assert.equal(f.a.cycle, f.b.cycle)
    assert.same({ 3, 0, 1, 1 }, figures(profile:cycles()()))
  end)

  it("drops calls from or to addresses outside functions", function()
    local profile, f = crafted.profile {
      functions = { "main", "leaf" }, ticks = { leaf = 4 },
      calls = { { false, "leaf", 3 }, { "main", "leaf", 1 }, { "main", false, 5 } } }
    assert.same({ 4, 0, 1, 0 }, figures(f.leaf))
    assert.same({ 0, 4, 0, 0 }, figures(f.main))
    assert.equal(1, profile.arc_count)
  end)

  it("excludes the profiling functions (mcount)", function()
    local _, f = crafted.profile {
      functions = { "main", "mcount", "leaf" }, ticks = { main = 5, leaf = 4 },
      calls = { { "main", "mcount", 1 }, { "mcount", "leaf", 2 } } }
    assert.is_false(f.mcount.printed)
    assert.same({ 5, 0, 0, 0 }, figures(f.main))
    assert.equal(0, f.mcount.share)
    assert.same({ 0.04, 0 }, { f.leaf.graph_self, f.leaf.graph_children })
  end)

  it("handles a call chain of 100,000 functions", function()
    local depth = 100000
    local program = { functions = {}, calls = {} }
    for i = 1, depth do
      program.functions[i] = "f" .. i
    end
    -- Closed to a ring, the chain is one cycle. The search completes the cycle only at the last function.
    for i = 1, depth do
      program.calls[i] = { "f" .. i, "f" .. i % depth + 1, 1 }
    end
    local profile = crafted.profile(program)
    assert.equal(depth, #crafted.list(nil, profile:cycles()():members()))
  end)
end)

-- Makes a random program. It has so few functions and such small ticks and counts that ties are common.
local function random_program(seed)
  local state = seed * 2654435761 % (1 << 32) + 1
  local function random(n) -- from 1 to n, by xorshift
    state = state ~ (state << 13 & 0xffffffff)
    state = state ~ state >> 17
    state = state ~ (state << 5 & 0xffffffff)
    return state % n + 1
  end
  local size = ({ 12, 20, 30, 40 })[random(4)]
  -- With a rate of 1, ticks are seconds.
  local program = { functions = {}, ticks = {}, calls = {}, rate = 1 }
  for i = 1, size do
    program.functions[i] = (i % 7 == 0 and "_f%02d" or "f%02d"):format(i * 17 % 41)
    program.ticks[program.functions[i]] = math.max(0, random(8) - 4)
  end
  program.functions[size // 2] = "mcount"
  local backwards = random(4) -- the higher, the fewer cycles
  for i = 1, random(3 * size) do
    local caller, callee = random(size), random(size)
    if random(backwards) > 1 and caller > callee then
      caller, callee = callee, caller
    end
    program.calls[i] = { random(30) > 1 and program.functions[caller], program.functions[callee], random(6) - 1 }
  end
  return program
end

-- Describes a node and its arcs. Returns a string that must be equal, and a list of numbers that may differ in the last
-- bits.
local function picture(node, callers, callees, members)
  local exact = { node.name, node.calls, node.self_calls, tostring(node.printed), ":" }
  local near = { node.ticks, node.children_ticks, node.share, node.graph_self, node.graph_children }
  for i, list in ipairs { callers, callees } do
    for _, arc in ipairs(list) do
      local other = i == 1 and arc.caller or arc.callee
      table.insert(exact, ("%s %d/%d %s,"):format(other.name, arc.count, arc.of, arc.recursive))
      table.move({ arc.self, arc.children }, 1, 2, #near + 1, near)
    end
    table.insert(exact, ";")
  end
  for _, f in ipairs(members) do
    table.insert(exact, f.name)
  end
  return table.concat(exact, " "), near
end

-- Checks that the arcs of a cycle are its members' arcs, except those between members.
local function check_arcs_of_cycle(cycle)
  for list, inside in pairs { callers = "callee", callees = "caller" } do
    local expected, found = {}, crafted.list("id", cycle[list](cycle, "id"))
    for arc in cycle.profile:arcs() do
      if arc[inside].cycle == cycle and not arc.recursive then table.insert(expected, arc.id) end
    end
    assert.same(expected, found)
  end
end

local function compare(program)
  local expected, found = model.entries(program), crafted.list(nil, crafted.profile(program):entries())
  assert.equal(#expected, #found)
  for i, node in ipairs(expected) do
    local exact, near = picture(node, node.callers or {}, node.callees or {}, node.members or {})
    local object = found[i]
    local is_cycle = object.number
    if is_cycle then check_arcs_of_cycle(object) end
    local got, got_near = picture(object, is_cycle and {} or crafted.list(nil, object:callers()),
      is_cycle and {} or crafted.list(nil, object:callees()), is_cycle and crafted.list(nil, object:members()) or {})
    assert.equal(exact, got)
    assert.equal(i, object.index)
    for n, figure in ipairs(near) do
      assert.near(figure, got_near[n], 1e-9 * math.max(1, math.abs(figure)))
    end
  end
end

describe("calls by unknown callers", function()
  local program <const> = { functions = { "main", "work", "leaf" }, ticks = { work = 10, leaf = 30 },
    calls = { { "main", "work", 1 }, { "work", "leaf", 2 } } }

  -- Makes the profile of the program, in which `work` was called three more times.
  local function profile_of(options)
    local image = assert(gprof.image(crafted.image(program)))
    local data = assert(gprof.data(image, crafted.gmon(program)))
    assert(data:add_arc(-1, crafted.addresses(program).work, 3))
    return assert(gprof.profile(image, data, options))
  end

  it("have their part of the time, which stays in the call graph", function()
    local profile = profile_of()
    assert.same({ 40, 40, 40 }, { profile.total_ticks, profile.recorded_ticks, profile.graph_ticks })
    assert.same({ 10, 30, 4, 0 }, figures(profile:find "work"))
    assert.same({ 0, 10, 0, 0 }, figures(profile:find "main"))
    for f in profile:functions() do assert.equal(1, f.share, f.name) end
  end)

  it("have no part of it if only the time of certain functions is included", function()
    local profile = profile_of { include = { time = { "main" } } }
    assert.equal(10, profile.graph_ticks)
    assert.equal(0.25, profile:find "work".share)
  end)

  it("count as calls of a cycle from outside", function()
    local recursive <const> = { functions = { "main", "tick", "tock", "ping", "pong" },
      ticks = { ping = 600, pong = 400 },
      calls = { { "main", "tick", 1 }, { "tick", "tock", 3 }, { "tock", "tick", 3 }, { "tock", "pong", 10 },
        { "ping", "pong", 7 }, { "pong", "ping", 6 } } }
    local image = assert(gprof.image(crafted.image(recursive)))
    local data = assert(gprof.data(image, crafted.gmon(recursive)))
    assert(data:add_arc(-1, crafted.addresses(recursive).ping, 990))
    local profile = assert(gprof.profile(image, data))
    local outer, inner = profile:find "tick".cycle, profile:find "ping".cycle
    assert.same({ 1000, 0, 1000, 13 }, figures(inner))
    assert.same({ 0, 10, 1, 6 }, figures(outer))
    assert.same({ 0, 10, 0, 0 }, figures(profile:find "main"))
    assert.same({ 1, 1 }, { inner.share, outer.share })
    profile:find_limits "calls"
    assert.same({ 1000, 1000, 0, 1000 }, { inner.least_ticks, inner.most_ticks, outer.least_ticks, outer.most_ticks })
  end)
end)

describe("random call graphs", function()
  local repeatedly, count, first = chance.cases(1, 300)

  it(("agree with the model, %d from GPROF_SEED=%d"):format(count, first), function()
    repeatedly(function(remark, seed)
      local done, problem = pcall(compare, random_program(seed))
      if not done then error(remark .. tostring(type(problem) == "table" and problem.message or problem), 0) end
    end)
  end)
end)
