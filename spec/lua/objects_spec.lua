-- The library as scripts see it: identity and lifetime of objects, iterators, errors on misuse.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local collector = require "support.collector"
local core = require "gprof.core"
local crafted = require "support.crafted"
local gprof = require "gprof"
local launch = require "support.launch"
local shell = require "support.shell"
local symspec = require "gprof.symspec"

local plan <const> = crafted.example

local function open()
  local image = assert(gprof.image(crafted.image(plan)))
  local data = assert(gprof.data(image, crafted.gmon(plan)))
  return assert(gprof.profile(image, data)), data, image
end

local list = crafted.list

describe("an object", function()
  local profile, f = crafted.profile(plan)

  it("is the same object wherever it comes from", function()
    assert.equal(f.work, profile:lookup(f.work.address))
    assert.equal(f.work, list("caller", f.leaf:callers())[2])
    assert.equal(f.work, profile:node(f.work.id))
    assert.equal(f.ping.cycle, f.pong.cycle)
    assert.equal(f.ping.cycle, profile:cycles()())
    assert.equal(f.ping.cycle, profile:node(f.ping.cycle.id))
    assert.equal(f.work:callees()(), f.work:callees()())
    assert.equal(profile, f.work.profile)
    assert.equal(profile, f.ping.cycle.profile)
    assert.equal(profile, f.work:callees()().profile)
  end)

  it("is not made if fields are named", function()
    assert.same({ "work", f.work.id }, { profile:lookup(f.work.address, "name", "id") })
    assert.same({ "work", f.work.address }, { profile.image:lookup(f.work.address, "name", "address") })
    assert.is_nil(profile:lookup(0, "name"))
    assert.is_nil(profile.image:lookup(0, "name"))
  end)

  it("can be a table key", function()
    local seen = {}
    for g in profile:functions() do
      seen[g] = g.calls
    end
    for g in profile:functions("address") do
      assert.equal(g.calls, seen[g])
    end
    assert.is_nil(seen[f.ping.cycle])
  end)

  it("keeps its identity while it is referenced", function()
    local held, arc = { [f.leaf] = true }, f.leaf:callers()()
    for _ = 1, 5 do
      collectgarbage()
    end
    assert.is_true(held[profile:lookup(f.leaf.address)])
    assert.equal(arc, f.leaf:callers()())
  end)

  it("differs from the same function's object in another profile", function()
    local _, g = crafted.profile(plan)
    assert.not_equal(f.main, g.main)
    assert.equal(f.main.address, g.main.address)
  end)

  it("has a description for tostring", function()
    assert.equal("function: work", tostring(f.work))
    assert.equal("cycle: <cycle 1>", tostring(f.ping.cycle))
    assert.equal("arc: work -> leaf", tostring(list(nil, f.leaf:callers())[2]))
    assert.equal("profile: 6 functions, 7 arcs, 1 cycle", tostring(profile))
    assert.equal("data: 1 histogram, 7 arcs, 0 blocks", tostring(profile.data))
  end)

  it("has such a description if it is part of a closed object, too", function()
    local closed, _, image = open()
    local other, g = crafted.profile(plan)
    local parts = { image:lookup(crafted.BASE), closed:functions()(), closed:arcs()(), closed:cycles()(),
      other.data:histograms()(), g.work }
    image:close()
    other.data:close()
    other:close()
    for i, text in ipairs { "symbol", "function", "arc", "cycle", "histogram", "function" } do
      assert.equal(text .. " (closed)", tostring(parts[i]))
    end
  end)

  it("has no fields but its own, and cannot be assigned to", function()
    for _, object in ipairs { profile, profile.image, profile.data, profile.symbols, f.work, f.ping.cycle,
      f.work:callees()(), profile.image:lookup(f.work.address), profile.data:histograms()() } do
      for _, key in ipairs { "nme", "Name", 1, true } do
        local _, problem = pcall(function() return object[key] end)
        assert.matches(("objects_spec.lua:%%d+: no field '%s': gprof%%.%%l+ objects have no such field$"):format(
          tostring(key)), problem)
      end
      local _, problem = pcall(function() object.name = "mine" end)
      assert.matches("^%S*objects_spec.lua:%d+: field 'name' is read%-only: gprof%.%l+ objects cannot be changed",
        problem)
      assert.error_matches(function() object[f.work] = 1 end, "field 'function: work' is read%-only")
    end
  end)
end)

describe("A function and a cycle", function()
  local profile, f = crafted.profile(plan)

  it("have nil for the fields and methods that only the other one has", function()
    for _, name in ipairs { "file", "line", "address", "cycle", "is_line", "blocks" } do
      assert.is_nil(f.ping.cycle[name])
    end
    assert.is_nil(f.ping.number)
    assert.is_nil(f.ping.members)
    for entry in profile:entries() do assert.equal(entry.is_cycle, entry.members ~= nil) end
  end)

  it("have nil for what is not known", function()
    for _, name in ipairs { "file", "line", "object", "inlined", "spread", "total_low" } do
      assert.is_nil(f.work[name])
    end
    assert.is_nil(f.work.cycle)
  end)
end)

describe("An arc", function()
  it("has its times in samples, too", function()
    local profile, f = crafted.profile(plan)
    for arc in profile:arcs() do
      assert.near(arc.self * profile.rate, arc.ticks, 1e-9)
      assert.near(arc.children * profile.rate, arc.children_ticks, 1e-9)
    end
    local ticks, children = profile:callees(f.main.id, nil, "ticks", "children_ticks")()
    assert.same({ f.work.ticks, f.work.children_ticks }, { ticks, children })
  end)
end)

describe("gprof.data", function()
  it("takes nil in place of the options", function()
    local _, _, image = open()
    assert.equal(1, #gprof.data(image, crafted.gmon(plan), nil).files)
    assert.equal(2, #gprof.data(image, crafted.gmon(plan), crafted.gmon(plan), nil).files)
  end)

  it("raises an error without the path of a profile", function()
    local _, data, image = open()
    for _, arguments in ipairs { {}, { { spread = true } }, { {} } } do
      assert.error_matches(function() gprof.data(image, table.unpack(arguments)) end,
        "^bad argument #2 to 'data' %(path of a profile expected, got none: ")
    end
    for _, path in ipairs { 1, false, data } do
      assert.error_matches(function() gprof.data(image, path, "gmon.out") end,
        "^bad argument #2 to 'data' %(string expected")
    end
    for said, call in pairs {
      ["#2 to 'data' (string expected, got nil)"] = function() gprof.data(image, nil) end,
      ["#1 to 'data' (gprof.image expected, got nil)"] = function() gprof.data() end,
      ["#1 to 'image' (string expected, got nil)"] = function() gprof.image() end,
      ["#1 to 'image' (string expected, got table)"] = function() gprof.image {} end,
      ["#2 to 'profile' (gprof.data expected, got nil)"] = function() gprof.profile(image) end,
    } do
      local problem = select(2, pcall(call))
      assert.truthy(problem:find("bad argument " .. said, 1, true), problem)
    end
  end)
end)

describe("A loop over fields", function()
  local profile, f = crafted.profile(plan)

  it("is not ended by a field that is not known, but by an error", function()
    local image = profile.image
    for _, case in ipairs {
      { "file", "function: leaf", profile:functions(nil, "file", "name") },
      { "line", "function: main", profile:functions("address", "line") },
      { "total_low", "function: main", profile:entries(nil, "total_low", "name") },
      { "total_low", "cycle: <cycle 1>", profile:cycles(nil, "total_low") },
      { "cycle", "function: work", profile:functions(function(a) return a == f.work end, "cycle") },
      { "object", "function: ping", f.ping.cycle:members(nil, "object") },
      { "object", "function: ping", profile:members(f.ping.cycle.id, nil, "object") },
      { "file", "symbol: main", image:symbols(nil, "file", "name") },
    } do
      local problem = select(2, pcall(case[3]))
      assert.truthy(problem:find(("field '%s' is nil for %s: the first field must not be nil"):format(case[1], case[2]),
        1, true), problem)
    end
  end)

  it("may have such a field in any other place, and false in the first one", function()
    local count = 0
    for _, file, cycle in profile:functions(nil, "id", "file", "cycle") do
      count = count + (file == nil and 1 or 0) + (cycle and 10 or 0)
    end
    assert.equal(6 + 20, count)
    count = 0
    for is_static in profile:functions(nil, "is_cycle") do count = count + (is_static and 0 or 1) end
    assert.equal(6, count)
  end)
end)

describe("columns of functions", function()
  local profile, f = crafted.profile(plan)

  it("have the values of their fields, in the order of the numbers", function()
    local ids = { f.work.id, f.main.id, f.ping.id, f.work.id }
    local names, calls, cycles = profile:columns(ids, "name", "calls", "cycle")
    assert.same({ "work", "main", "ping", "work" }, names)
    assert.same({ f.work.calls, f.main.calls, f.ping.calls, f.work.calls }, calls)
    assert.same({ [3] = f.ping.cycle }, cycles)
    assert.same({}, (profile:columns({}, "name")))
    assert.equal(0, select("#", profile:columns(ids)))
  end)
end)

describe("iteration", function()
  local profile, f = crafted.profile(plan)

  it("has a default order for each kind of part", function()
    local by_self = { "leaf", "work", "ping", "pong", "idle", "main" }
    assert.same(by_self, list("name", profile:functions()))
    assert.same(by_self, list("name", profile:functions("self")))
    assert.same({ "idle", "leaf", "main", "ping", "pong", "work" }, list("name", profile:functions("name")))
    assert.same(plan.functions, list("name", profile:functions("address")))
    assert.same({ "work", "ping", "pong", "leaf" }, list("name", profile:functions("sampled")))
    assert.same({ "main", "work", "leaf", "<cycle 1>", "ping", "pong", "idle" }, list("name", profile:entries()))
    assert.same({ "<cycle 1>" }, list("name", profile:cycles()))
    assert.same({ "ping", "pong" }, list("name", profile:cycles()():members()))
    assert.same({ 7, 2 }, list("count", f.work:callers()))
    assert.same({ 6, 7 }, list("count", f.work:callees()))
    assert.same({ 1 }, list("count", f.ping.cycle:callers()))
    assert.same({ 2 }, list("count", f.pong.cycle:callees()))
  end)

  it("tells which arcs are printed in the call graph", function()
    local _, data, image = open()
    local part = assert(gprof.profile(image, data, { include = { graph = { "leaf" } } }))
    local printed = {}
    for caller, callee, is_printed in part:arcs("id", "caller", "callee", "printed") do
      assert.equal(caller.printed or callee.printed, is_printed)
      printed[#printed + 1] = is_printed and caller.name .. callee.name or nil
    end
    assert.equal("workleaf pongleaf", table.concat(printed, " "))
  end)

  it("sorts by any field: positions ascending, amounts descending, ties in the default order", function()
    local function names(...) return table.concat(list("name", ...), " ") end
    assert.equal("leaf ping pong work idle main", names(profile:functions("calls")))
    assert.equal("work leaf ping pong idle main", names(profile:functions("self_calls")))
    assert.equal("main work leaf ping pong idle", names(profile:functions("index")))
    assert.equal("idle leaf main ping pong work", names(profile:functions("symbol")))
    assert.equal("leaf work ping pong idle main", names(profile:functions("file"))) -- no file is known
    assert.equal("<cycle 1> idle leaf main ping pong work", names(profile:entries("name")))
    assert.equal("<cycle 1>", profile:entries("is_cycle")().name)
    assert.same({ 7, 5, 3, 4, 1, 6, 2 }, list("id", profile:arcs("count")))
    assert.same({ 1, 2, 5, 7, 3, 4, 6 }, list("id", profile:arcs("caller_id")))
    assert.same({ 3, 4, 7, 1, 2, 5, 6 }, list("id", profile:arcs("recursive")))
    assert.same({ 6, 2 }, list(nil, f.leaf:callers("count", "count")))
    assert.same({ 2, 6 }, list(nil, f.leaf:callers(nil, "count")))
    assert.same({ 6, 2 }, list(nil, profile:callers(f.leaf.id, "caller_id", "count")))
  end)

  it("sorts by a function, and keeps the default order of ties", function()
    local function by_length(a, b) return #a.name > #b.name end
    local longest = { "leaf", "work", "ping", "pong", "idle", "main" } -- all names have the same length
    assert.same(longest, list("name", profile:functions(by_length)))
    local fewest = {}
    for name, calls in profile:functions(function(a, b) return a.calls < b.calls end, "name", "calls") do
      fewest[#fewest + 1] = name .. calls
    end
    assert.same({ "idle0", "main0", "work2", "ping4", "pong4", "leaf8" }, fewest)
    local callees = function(a, b) return a.callee.name < b.callee.name end
    assert.same({ "leaf", "work" }, list(nil, (function()
      local next = f.work:callees(callees)
      return function() local arc = next() return arc and arc.callee.name end
    end)()))
    assert.same({ "pong", "ping" }, list("name", f.ping.cycle:members(function(a, b) return a.name > b.name end)))
  end)

  it("passes on errors of a sort function, and works again afterwards", function()
    local thrown <const> = {}
    local done, caught = pcall(profile.functions, profile, function() error(thrown) end)
    assert.is_false(done)
    assert.equal(thrown, caught)
    assert.has_error(function() profile:functions(function(a) return a.name < 1 end) end)
    local suspended = coroutine.create(function() profile:functions(function() coroutine.yield() end) end)
    assert.is_false((coroutine.resume(suspended)))
    assert.equal(6, #list("name", profile:functions()))
  end)

  it("raises an error if a sort function closes the profile", function()
    local mine = open()
    assert.has_error(function()
      mine:functions(function() mine:close() return false end)
    end)
    local next = open():functions("calls", "profile", "name")
    local other = next()
    other:close()
    assert.has_error(next, "profile is closed")
  end)

  it("returns the named fields instead of objects", function()
    local fields = { "name", "symbol", "address", "calls", "self", "cycle", "profile", "listed", "file", "id" }
    local objects = profile:functions("name")
    local given = table.pack(profile:functions("name", table.unpack(fields)))
    for _ = 1, #plan.functions do
      local object, values = objects(), table.pack(given[1]())
      for i, field in ipairs(fields) do
        assert.equal(object[field], values[i])
      end
    end
    assert.is_nil(given[1]())
    for id, calls in profile:entries(nil, "id", "calls") do
      assert.equal(profile:node(id).calls, calls)
    end
    for caller, count, callee_id in f.leaf:callers(nil, "caller", "count", "callee_id") do
      assert.equal(f.leaf.id, callee_id)
      assert.equal(caller == f.work and 6 or 2, count)
    end
    assert.equal("ping", (profile:cycles()():members(nil, "name")()))
  end)

  it("returns fields that only cycles have", function()
    assert.same({ 1, "<cycle 1>" }, { profile:cycles(nil, "number", "name")() })
  end)

  it("over callers and callees of a cycle skips arcs between its members", function()
    local mine, g = crafted.profile {
      functions = { "main", "other", "a", "b", "c", "leaf", "deep" },
      ticks = { a = 30, b = 20, c = 10, leaf = 8, deep = 40 },
      calls = {
        { "other", "a", 5 }, { "a", "b", 7 }, { "b", "c", 7 }, { "c", "a", 7 }, { "b", "b", 9 }, { "main", "c", 1 },
        { "main", "a", 1 }, { "other", "b", 1 }, { "c", "leaf", 2 }, { "a", "leaf", 2 }, { "b", "leaf", 2 },
        { "c", "deep", 1 }, { "main", "leaf", 2 },
      },
    }
    local function ends(...)
      local found = {}
      for arc in ... do
        found[#found + 1] = ("%s %s %d/%d"):format(arc.caller.name, arc.callee.name, arc.count, arc.of)
      end
      return found
    end
    local cycle = g.a.cycle
    -- Arcs are ordered by time, then by calls. Ties keep the order of creation.
    local callers = { "main c 1/8", "main a 1/8", "other b 1/8", "other a 5/8" }
    local callees = { "c deep 1/1", "c leaf 2/8", "a leaf 2/8", "b leaf 2/8" }
    assert.same(callers, ends(cycle:callers()))
    assert.same(callees, ends(cycle:callees()))
    assert.same(callers, ends(mine:callers(cycle.id)))
    assert.same(callees, ends(mine:callees(cycle.id)))
    assert.same({ 5, 1, 1, 1 }, list(nil, cycle:callers("count", "count")))
    assert.same({ 9, 10, 11, 12 }, list(nil, mine:callees(cycle.id, "id", "id")))
    assert.equal(g.main:callees(function(x, y) return x.id < y.id end)(), cycle:callers()())
  end)

  it("is empty for a cycle without callers and callees", function()
    local _, g = crafted.profile { functions = { "a", "b" }, calls = { { "a", "b", 1 }, { "b", "a", 1 } } }
    assert.same({}, list(nil, g.a.cycle:callers()))
    assert.same({}, list(nil, g.a.cycle:callees("count", "count")))
  end)

  it("can be ended by break", function()
    local iterator, state, control, closing = profile:functions()
    local last
    for g in iterator, state, control, closing do
      last = g
      if g == f.work then
        break
      end
    end
    assert.equal(f.work, last)
    assert.is_nil(iterator()) -- the rows were freed
  end)

  it("can be nested", function()
    local pairs_seen = 0
    for a in profile:functions() do
      for b in profile:functions() do
        for _ in a:callees() do
          pairs_seen = pairs_seen + (a == b and 1 or 0)
        end
      end
    end
    assert.equal(profile.arc_count, pairs_seen)
  end)

  it("works without a for loop, and keeps its profile alive", function()
    local next_function = open():functions("address")
    local next_caller = open():lookup(crafted.BASE + 4 * crafted.SIZE):callers()
    collectgarbage()
    collectgarbage()
    assert.equal("main", next_function().name)
    assert.equal("pong", next_caller().caller.name)
    collectgarbage()
    assert.equal("work", next_function().name)
    assert.equal("work", next_caller().caller.name)
    assert.is_nil(next_caller())
    assert.is_nil(next_caller())
  end)

  it("works in another coroutine", function()
    local names = {}
    local wrapped = coroutine.wrap(function()
      for g in profile:functions("address") do
        coroutine.yield(g.name)
      end
    end)
    for name in wrapped do
      table.insert(names, name)
    end
    assert.same(plan.functions, names)
  end)

  it("grows the stack of its caller for many fields", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = gprof.image(arg[1])
      local profile, fields = gprof.profile(image, gprof.data(image, arg[2])), {}
      for i = 1, 1000 do fields[i] = "id" end
      for _ = 1, 100 do
        local next = profile:functions("address", table.unpack(fields))
        -- A new coroutine has stack space for only a few values.
        assert(1000 == coroutine.wrap(function() return select("#", next()) end)())
        collectgarbage()
      end
      print "alive"
    ]], { crafted.image(plan), crafted.gmon(plan) })
    assert.same({ "alive\n", "", 0 }, { result.stdout, result.stderr, result.status or result.signal })
  end)
end)

describe("the collector", function()
  -- Opens profiles, keeps only a small object of each, and uses it later.
  local function churn()
    local objects = {}
    for i = 1, 40 do
      local profile = open()
      objects[i] = i % 3 == 0 and profile:lookup(crafted.BASE + crafted.SIZE) or i % 3 == 1 and profile:cycles()()
        or profile:functions("address", "symbol")
    end
    for i, object in ipairs(objects) do
      if i % 3 == 0 then
        assert.equal("leaf", object:callees()().callee.name)
        assert.equal(crafted.image(plan), object.profile.image.path)
        assert.equal(7, object.profile.data.arc_records)
      elseif i % 3 == 1 then
        assert.same({ "ping", "pong" }, list("symbol", object:members()))
      else
        assert.equal("main", object())
      end
    end
  end

  for name, mode in pairs {
    ["in generational mode"] = { "generational", 1, 1 },
    ["in tiny incremental steps"] = { "incremental", 1, 1, 1 },
    ["in one incremental step"] = { "incremental", 1, 1000, 30 },
  } do
    it("frees nothing that is in use, " .. name, function()
      local before = collectgarbage(table.unpack(mode))
      local done, problem = pcall(churn)
      collectgarbage("generational", 20, 100) -- Lua's defaults
      collectgarbage("incremental", 200, 100, 13)
      collectgarbage(before)
      collector.set()
      assert.is_true(done, problem)
    end)
  end

  it("closes the files of unused images", function()
    if not shell.exists "/proc/self/status" then
      pending "needs /proc"
      return
    end
    local function open_files()
      collectgarbage()
      collectgarbage()
      return shell.check({ "sh", "-c", 'ls "/proc/$PPID/fd" | wc -l' }).stdout
    end
    local before = open_files()
    for _ = 1, 10 do
      open()
    end
    assert.equal(before, open_files())
  end)
end)

describe("a finalizer", function()
  -- Lua finalizes objects in reverse order of their creation: here, symbols and iterator before the object `last`.
  local SCRIPT <const> = [[
    local gprof = require "gprof"
    local image = gprof.image(arg[1])
    last = setmetatable({}, { __gc = function(self)
      print(select(2, pcall(function() return self.symbol.name end)))
      print("left", self.next()) -- the iterator has ended
      print(select(2, pcall(function() return self.image:find "main" end)))
    end })
    last.image, last.symbol, last.next = image, image:find "main", image:symbols()
    if arg[2] == "now" then
      image, last = nil
      collectgarbage()
    end
  ]]
  for _, moment in ipairs { "now", "at the end" } do
    it("gets an error from symbols that were finalized before it, " .. moment, function()
      local result = launch.script(SCRIPT, { crafted.image(plan), moment })
      assert.equal(0, result.status, result.signal)
      local _, errors = result.stdout:gsub("symbols are closed", "")
      assert.same({ 2, "" }, { errors, result.stderr }, result.stdout)
      assert.truthy(result.stdout:find "left\n", result.stdout)
    end)
  end
end)

describe("closing", function()
  local function check_error(message, ...)
    for i, use in ipairs { ... } do
      local done, problem = pcall(use)
      assert.is_false(done, "use " .. i)
      assert.truthy(tostring(problem):find(message, 1, true), problem)
      assert.is_nil(tostring(problem):find("#-", 1, true), problem)
    end
  end

  -- Returns functions that use a profile and its parts in every way.
  local function uses_of(profile)
    local f, cycle = profile:lookup(crafted.BASE + crafted.SIZE), profile:cycles()()
    local arc, iterator, fields = f:callees()(), profile:functions(), profile:entries("calls")
    return
      function() return profile.total end,
      function() return profile:functions() end,
      function() return profile:entries() end,
      function() return profile:cycles() end,
      function() return profile:lookup(0) end,
      function() return profile:node(1) end,
      function() return profile:report("flat", {}, function() end) end,
      function() return f.name end,
      function() return f.file end,
      function() return f:callers() end,
      function() return cycle.calls end,
      function() return cycle:members() end,
      function() return cycle:callers() end,
      function() return profile:callees(cycle.id) end,
      function() return arc.count end,
      function() return arc.caller end,
      function() return iterator().name end,
      function() return fields() end
  end

  it("the image makes its profiles unusable", function()
    local profile, _, image = open()
    local uses = table.pack(uses_of(profile))
    image:close()
    check_error("the profile's image is closed", table.unpack(uses, 1, uses.n))
    assert.equal(image, profile.image)
    profile:close()
  end)

  it("a profile makes it and its parts unusable", function()
    local profile, data, image = open()
    local uses = table.pack(uses_of(profile))
    profile:close()
    check_error("profile is closed", table.unpack(uses, 1, uses.n))
    assert.equal("profile (closed)", tostring(profile))
    assert.equal("leaf", gprof.profile(image, data):functions()().name)
  end)

  it("data, by a field of a histogram that is added to it, makes it unusable", function()
    local data = gprof.data.new()
    local histogram = setmetatable({ low = 0, high = 16, bins = { 1 } },
      { __index = function() data:close() end })
    assert.error_matches(function() data:add_histogram(histogram) end, "data is closed")
  end)

  it("a profile by a finalizer, while its fields are read, makes it unusable", function()
    for _, read in ipairs {
      function(profile) return profile:get(1, "name", "symbol", "name", "calls", "self") end,
      function(profile) return profile:columns({ 1, 2, 3 }, "name", "calls") end,
      function(profile) for _ in profile:functions("address", "name", "calls", "symbol", "self") do end end,
      function(profile) for _ in profile:arcs() do end end,
    } do
      local profile = open()
      local done, problem = true, nil
      for _ = 1, 100000 do
        setmetatable({}, { __gc = function() profile:close() end })
        done, problem = pcall(read, profile)
        if not done then break end
      end
      assert.is_false(done)
      assert.truthy(problem:find("profile is closed", 1, true), problem)
    end
  end)

  -- Each use is repeated until it ends without the finalizer: first it is closed by the first garbage collection that
  -- runs during a use, then by the second one ...
  local FINALIZED <const> = [[
    local gprof = require "gprof"
    local path, gmon, what = arg[1], arg[2], arg[3]
    local uses = {
      function(o) return o.image:find "main" end,
      function(o) return o.image:find "l*", o.image:find "lines.c" end,
      function(o) for s in o.image:symbols() do local _ = s.name, s.file, tostring(s) end end,
      function(o) return o.image:lookup(o.main) end,
      function(o) return o.image:frames(o.main) end,
      function(o) return o.image:scope_fields(o.image:scope(o.main)) end,
      function(o) return o.image:source(o.main) end,
      function(o) return o.image:line(o.main) end,
      function(o) for _ in o.image:lines() do end end,
      function(o) return o.image:instructions(o.main, o.main + 64) end,
      function(o) return gprof.data(o.image, gmon) end,
      function(o) return gprof.data.new { image = o.image } end,
      function(o) return gprof.profile(o.image, o.data) end,
      function(o) return gprof.profile(o.image, o.data, { line = true }) end,
      function(o) return gprof.profile(o.image, o.data, { line = true, frames = true, inlines = true }) end,
      function(o) return o.data:add_file(gmon) end,
      function(o) return o.data:read(gmon) end,
      function(o) return o.data:write "sum" end,
      function(o) for f in o.lines:functions() do o.lines:frames(f.id) end end,
      function(o) return o.profile:unmatched_calls() end,
      function(o) return o.profile:report("graph", { short_names = true, width = 30 }, function() end) end,
      function(o) return o.lines:report("flat", {}, function() end) end,
    }
    local function try(use, moment)
      collectgarbage("incremental", 200, 100, 13)
      local o = { image = assert(gprof.image(path)) }
      o.data = assert(gprof.data(o.image, gmon))
      o.profile = assert(gprof.profile(o.image, o.data, { exclude = { arcs = { "main/main" } } }))
      o.lines = assert(gprof.profile(o.image, o.data, { line = true, frames = true }))
      o.main = o.image:find("main").address
      local live, count = true, 0
      local function arm()
        setmetatable({}, { __gc = function()
          if not live then return end
          count = count + 1
          if count == moment then o[what]:close() else arm() end
        end })
      end
      os.remove "sum"
      collectgarbage("incremental", 1, 1000, 40) -- a whole cycle at each allocation
      collectgarbage()
      arm()
      local done, problem = pcall(use, o)
      live = false
      local written = io.open "sum"
      if written then
        assert(written:seek "end" > 100, "a closed sum was written")
        written:close()
      end
      assert(done or tostring(problem):find "closed", problem)
      return count >= moment
    end
    for number, use in ipairs(uses) do
      local moment = 1
      while moment < 150 and try(use, moment) do moment = moment + 1 end
      print(number, moment)
    end
  ]]
  for _, what in ipairs { "image", "data", "profile" } do
    it(what .. " by a finalizer, while the core makes values, gives an error", function()
      local built = build.program "lines"
      local result = launch.script(FINALIZED, { built.image, built.gmon, what },
        { cwd = shell.tmpdir "finalized", env = { MALLOC_PERTURB_ = "255", GPROF_COLLECTOR = false } })
      assert.same({ 0, "" }, { result.status or result.signal, result.stderr }, result.stdout)
    end)
  end

  it("data does not affect profiles made from it", function()
    local profile, data, image = open()
    data:close()
    assert.equal("data (closed)", tostring(data))
    assert.same({ 0.40, 6 + 2 }, { profile:functions()().self, profile:functions()().calls })
    assert.same({ "seconds", "s", false }, { profile.unit, profile.abbreviation, profile.foreign })
    check_error("data is closed",
      function() return data.arc_records end,
      function() return data:read("gmon.out") end,
      function() return gprof.profile(image, data) end)
  end)

  it("data makes the methods of its profiles that need it unusable", function()
    local profile, data, image = open()
    local by_line = gprof.profile(image, data, { line = true })
    local other = open()
    data:close()
    assert.equal(profile, profile:by_function())
    check_error("on bad self (the profile's data is closed)",
      function() profile:mismatch() end,
      function() profile:verify() end,
      function() profile:report("info", {}, function() end) end,
      function() profile:report("lines", {}, function() end) end,
      function() by_line:report("objects", {}, function() end) end,
      function() profile:report(require "gprof.export.json", {}, function() end) end,
      function() profile:threads() end,
      function() profile:find_limits() end,
      function() profile:find_limits "calls" end,
      function() profile:report("call_tree", {}, function() end) end,
      function() by_line:by_function() end,
      function() profile:by_lines() end)
    check_error("bad argument #1 to 'compare' (the profile's data is closed)",
      function() gprof.compare(profile, other) end)
    check_error("bad argument #2 to 'compare' (the profile's data is closed)",
      function() gprof.compare(other, profile) end)
  end)

  it("twice is allowed", function()
    for _, object in ipairs(table.pack(open())) do
      object:close()
      object:close()
    end
  end)

  it("happens at the end of a block, even after an error", function()
    local objects = {}
    local done = pcall(function()
      local image <close> = gprof.image(crafted.image(plan))
      local data <close> = gprof.data(image, crafted.gmon(plan))
      local profile <close> = gprof.profile(image, data)
      objects[1], objects[2], objects[3] = image, data, profile
      error "out of here"
    end)
    assert.is_false(done)
    for _, object in ipairs(objects) do
      assert.truthy(tostring(object):find("%(closed%)$"))
    end
  end)

  it("data is automatic after a failed read", function()
    local profile, data = open()
    local done, message = data:read(shell.tmpdir())
    assert.is_nil(done)
    assert.truthy(message:find(": is a directory$"))
    check_error("data is closed", function() return data.arc_records end)
    assert.equal("leaf", profile:functions()().name)
  end)

  it("data is not part of a successful read, which returns the data", function()
    local _, data = open()
    assert.equal(data, data:read(crafted.gmon(plan), "magic"))
    assert.equal(14, data.arc_records)
  end)
end)

describe("misuse", function()
  local profile, data, image = open()
  local f, cycle = profile:lookup(crafted.BASE), profile:cycles()()
  local arc = f:callees()()
  local closed_image, closed_data = gprof.image(image.path), gprof.data.new()
  local under_closed_image = gprof.profile(closed_image, gprof.data(closed_image, crafted.gmon(plan)))
  closed_image:close()
  closed_data:close()

  -- Each case: a pattern for the error message, and the call that must raise it.
  local cases = {
    ["image: nothing"] = { "#1 .*string expected, got n", function() gprof.image() end },
    ["image: a table"] = { "#1 .*string expected, got table", function() gprof.image {} end },
    ["image: a file"] = { "#1 .*string expected, got FILE%*", function() gprof.image(io.stdout) end },
    ["data: nothing"] = { "#1 .*gprof%.image expected, got n", function() gprof.data() end },
    ["data: a path"] = { "#1 .*gprof%.image expected, got string", function() gprof.data("gmon.out") end },
    ["data: a file"] = { "#1 .*gprof%.image expected, got FILE%*", function() gprof.data(io.stdout) end },
    ["data: nil for a path"] = { "string expected, got nil", function() gprof.data(image, nil) end },
    ["data: two nils"] = { "#2 .*string expected, got nil", function() gprof.data(image, nil, nil) end },
    ["data: nil for a path and for options"] = { "#3 .*string expected, got nil",
      function() gprof.data(image, crafted.gmon(plan), nil, nil) end },
    ["data: nil among paths"] = { "string expected, got nil",
      function() gprof.data(image, crafted.gmon(plan), nil, crafted.gmon(plan)) end },
    ["data: true for a path"] = { "string expected, got boolean", function() gprof.data(image, true) end },
    ["data: a size in place of an image"] = { "#1 .*gprof%.image expected, got integer", function() gprof.data(8) end },
    ["data: a closed image"] = { "#1 .*image is closed", function() gprof.data(closed_image) end },
    ["data.new: a closed image"] = { "#1 .*image is closed", function() gprof.data.new { image = closed_image } end },
    ["profile: a closed image"] = { "#1 .*image is closed", function() gprof.profile(closed_image, data) end },
    ["profile: closed data"] = { "#2 .*data is closed", function() gprof.profile(image, closed_data) end },
    ["profile:find: of a closed image"] = { "'find' on bad self .the profile's image is closed",
      function() under_closed_image:find "main" end },
    ["profile:annotate: of a closed image"] = { "'annotate' on bad self .the profile's image is closed",
      function() under_closed_image:annotate "main.c" end },
    ["profile:report: of a closed image"] = { "'report' on bad self .the profile's image is closed",
      function() under_closed_image:report "flat" end },
    ["image:lookup: a closed image"] = { "bad self .*image is closed", function() closed_image:lookup(0) end },
    ["image:symbols: a closed image"] = { "bad self .*image is closed", function() closed_image:symbols() end },
    ["image:find: a closed image"] = { "bad self .*image is closed", function() closed_image:find "main" end },
    ["image:symbols: an unknown order"] = { "#1 to 'symbols' .*no field 'shape'",
      function() image:symbols("shape") end },
    ["image:symbols: an unknown field"] = { "#2 to 'symbols' .*no field 'shape'",
      function() image:symbols(nil, "shape") end },
    ["profile:find: an image"] = { "bad self .*gprof%.profile expected, got gprof%.image",
      function() profile.find(image, "main") end },
    ["profile:report: an image"] = { "bad self .*gprof%.profile expected, got gprof%.image",
      function() profile.report(image, "flat") end },
    ["profile:report: a string for options"] = { "#2 .*table expected, got string",
      function() profile:report("flat", "brief") end },
    ["profile:report: an unknown option"] = { "#2 .*no option 'breif'",
      function() profile:report("flat", { breif = true }) end },
    ["profile:report: a word for a flag"] = { "#2 .*option 'brief': boolean expected, got string",
      function() profile:report("bsd.flat", { brief = "yes" }) end },
    ["profile:report: a word for a number"] = { "#2 .*option 'width': integer expected, got string",
      function() profile:report("index", { width = "x" }) end },
    ["profile:report: a negative number of rows"] = { "#2 .*option 'top': integer from 1 expected, got %-1",
      function() profile:report("flat", { top = -1 }) end },
    ["profile:report: a tree without levels"] = { "#2 .*option 'tree_depth': integer from 1 expected, got 0",
      function() profile:report("call_tree", { tree_depth = 0 }) end },
    ["profile:report: a fraction for a number"] = { "#2 .*option 'top': integer expected, got float",
      function() profile:report("flat", { top = 1.5 }) end },
    ["profile:report: not a number for a percentage"] = { "#2 .*option 'tree_threshold': number from 0 to 100 expected",
      function() profile:report("call_tree", { tree_threshold = 0 / 0 }) end },
    ["error_of: infinity"] = { "#1 to 'error_of' .finite time expected", function() profile:error_of(math.huge) end },
    ["error_of: not a number"] = { "#1 to 'error_of' .finite time expected", function() profile:error_of(0 / 0) end },
    ["profile:report: one directory"] = { "#2 .*option 'directory_path': array of strings expected, got string",
      function() profile:report("annotation", { directory_path = "src" }) end },
    ["profile:report: a string for options of a report function"] = { "#2 .*table expected, got string",
      function() profile:report(print, "brief") end },
    ["profile:report: a number to write to"] = { "#3 .*function or file expected, got integer",
      function() profile:report("flat", nil, 1) end },
    ["profile:report: false to write to"] = { "#3 .*function or file expected, got boolean",
      function() profile:report("flat", {}, false) end },
    ["profile:report: a table to write to"] = { "#3 .*function or file expected, got table",
      function() profile:report("flat", {}, {}) end },
    ["profile:report: a closed file to write to"] = { "#3 .*function or file expected, got closed file",
      function()
        local file = io.tmpfile()
        file:close()
        profile:report("flat", {}, file)
      end },
    ["profile:annotate: one directory"] = { "#2 .*array of strings expected, got string",
      function() profile:annotate("f.c", "src") end },
    ["profile:annotate: a number for a directory"] = { "#2 .*array of strings expected%)",
      function() profile:annotate("f.c", { "src", 7 }) end },
    ["profile:annotate: nothing"] = { "#1 .*string expected, got nil", function() profile:annotate() end },
    ["data: an unknown format"] = { "invalid option 'elf'",
      function() gprof.data(image, crafted.gmon(plan), { file_format = "elf" }) end },
    ["data:read: nothing"] = { "#1 .*string expected, got n", function() data:read() end },
    ["data:read: an unknown format"] = { "#2 .*invalid option 'elf'", function() data:read("gmon.out", "elf") end },
    ["data:write: symbols that are not by line"] = { "#3 to 'write' .symbols of a profile by line expected",
      function() data:write("/dev/null", nil, profile.symbols) end },
    ["data.read: an image"] = { "#1 .*gprof%.data expected, got gprof%.image", function() data.read(image, "x") end },
    ["profile: nothing"] = { "#1 .*gprof%.image expected, got n", function() gprof.profile() end },
    ["profile: no data"] = { "#2 .*gprof%.data expected, got n", function() gprof.profile(image) end },
    ["profile: arguments in the wrong order"] = { "#1 .*gprof%.image expected, got gprof%.data",
      function() gprof.profile(data, image) end },
    ["profile: a string for options"] = { "#3 .*table expected, got string",
      function() gprof.profile(image, data, "flat") end },
    ["functions: an unknown order"] = { "#1 .*no field 'shape'", function() profile:functions("shape") end },
    ["functions: a number"] = { "#1 .*field name or function expected, got number",
      function() profile:functions(42) end },
    ["functions: a table for an order"] = { "#1 .*expected, got table", function() profile:functions {} end },
    ["functions: an order by a field that cannot be sorted"] = {
      "#1 .*cannot sort by field 'profile': its values include a userdata",
      function() profile:functions("profile") end },
    ["functions: a method for an order"] = { "#1 .*no field 'callers'", function() profile:functions("callers") end },
    ["find: nothing"] = { "#1 .*string expected, got nil", function() profile:find() end },
    ["find: a function"] = { "#1 .*string expected, got gprof%.function", function() profile:find(f) end },
    ["image:find: a number"] = { "#1 .*string expected, got integer", function() image:find(42) end },
    ["image:lookup: a name"] = { "#1 .*integer expected, got string", function() image:lookup("main") end },
    ["image.symbols: data"] = { "bad self .*gprof%.image expected, got gprof%.data",
      function() image.symbols(data) end },
    ["image.find: nothing"] = { "bad self .*gprof%.image expected, got nil", function() image.find(nil, "x") end },
    ["image:instructions: a closed image"] = { "'instructions' on bad self .image is closed",
      function() closed_image:instructions(0, 1) end },
    ["record: a number among the words"] = { "#1 to 'record' .string expected, got integer",
      function() assert(gprof.record { "true", 5 }) end },
    ["reports.find: nothing"] = { "#1 to 'find' .string expected, got nil",
      function() require "gprof.reports".find() end },
    ["symspec.find: a table"] = { "#1 to 'find' .gprof%.symbols expected, got table",
      function() symspec.find({}, "main") end },
    ["symspec.find: an image"] = { "#1 to 'find' .gprof%.symbols expected, got gprof%.image",
      function() symspec.find(image, "main") end },
    ["symspec.parse: nothing"] = { "#1 to 'parse' .string expected, got nil", function() symspec.parse() end },
    ["symspec.problem: nothing"] = { "#1 to 'problem' .string expected, got nil", function() symspec.problem() end },
    ["profile: an image that `missed` closes"] = { "#1 to 'profile' .image is closed", function()
      local own <const> = gprof.image(image.path)
      local options = { missed = function() own:close() end, exclude = { flat = { "none", "neither" } } }
      assert(gprof.profile(own, data, options))
    end },
    ["profile: data that `missed` closes"] = { "#2 to 'profile' .data is closed", function()
      local own <const> = gprof.data(image, crafted.gmon(plan))
      local options = { missed = function() own:close() end, exclude = { flat = { "none", "neither" } } }
      assert(gprof.profile(image, own, options))
    end },
    ["image: an unknown option"] = { "#2 .*no option 'nostatic'",
      function() gprof.image("a.out", { nostatic = true }) end },
    ["image: an inherited option of the wrong type"] = { "#2 .*option 'no_static': boolean expected, got integer",
      function() gprof.image("a.out", setmetatable({}, { __index = { no_static = 1 } })) end },
    ["image: an option of the wrong type"] = { "#2 .*option 'no_static': boolean expected, got integer",
      function() gprof.image("a.out", { no_static = 1 }) end },
    ["profile: an unknown option"] = { "#3 .*no option 'brief'",
      function() gprof.profile(image, data, { brief = true }) end },
    ["profile: a wrong value for line"] = { "#3 .*option 'line': boolean or 'all' expected, got string",
      function() gprof.profile(image, data, { line = "some" }) end },
    ["data: an unknown option"] = { "#3 .*no option 'fmt'",
      function() gprof.data(image, crafted.gmon(plan), { fmt = "bsd" }) end },
    ["profile: a string for a selection"] = { "#3 .*option 'include': table expected, got string",
      function() gprof.profile(image, data, { include = "main" }) end },
    ["profile: a selection of an unknown scope"] = { "#3 .*option 'include': no scope 'grpah'",
      function() gprof.profile(image, data, { include = { grpah = { "main" } } }) end },
    ["profile: a symspec without an array"] = { "#3 .*option 'exclude': array of strings expected for 'flat'",
      function() gprof.profile(image, data, { exclude = { flat = "main" } }) end },
    ["profile: a function for a symspec"] = { "#3 .*option 'exclude': array of strings expected for 'flat'",
      function() gprof.profile(image, data, { exclude = { flat = { "main", f } } }) end },
    ["profile: calls without a callee"] = { "#3 .*option 'exclude': FROM/TO expected for 'arcs', got 'main'",
      function() gprof.profile(image, data, { exclude = { arcs = { "main/leaf", "main" } } }) end },
    ["profile: a function name for calls"] = { "#3 .*option 'include': FROM/TO expected for 'arcs', got 'main'",
      function() gprof.profile(image, data, { include = { arcs = { "main" } } }) end },
    ["profile: nil among symspecs"] = { "#3 .*option 'exclude': array of strings expected for 'flat'",
      function() gprof.profile(image, data, { exclude = { flat = { "main", nil, "work" } } }) end },
    ["profile: a field among symspecs"] = { "#3 .*option 'exclude': array of strings expected for 'flat'",
      function() gprof.profile(image, data, { exclude = { flat = { "main", nil, "work", name = "leaf" } } }) end },
    ["profile: a library without an array"] = { "#3 .*option 'with': array expected",
      function() gprof.profile(image, data, { with = { image = image, data = data } }) end },
    ["profile: nil among libraries"] = { "#3 .*option 'with': array expected",
      function() gprof.profile(image, data, { with = { nil, { image = image, data = data } } }) end },
    ["profile: a thread without an array"] = { "#3 .*option 'threads': array expected",
      function() gprof.profile(image, data, { threads = { name = "worker", number = 1 } }) end },
    ["compare.failures: a rule without an array"] = { "#2 .*rules expected",
      function() gprof.compare.failures(gprof.compare(profile, profile), { kind = "calls", percent = 1 }) end },
    ["compare.failures: nil among rules"] = { "#2 .*rules expected",
      function() gprof.compare.failures(gprof.compare(profile, profile), { nil, { kind = "self", percent = 1 } }) end },
    ["compare.failures: not a number of percent"] = { "#2 .*rules expected",
      function() gprof.compare.failures(gprof.compare(profile, profile), { { kind = "calls", percent = 0 / 0 } }) end },
    ["compare.regressions: not a number"] = { "#2 .*a percentage expected",
      function() gprof.compare.regressions(gprof.compare(profile, profile), 0 / 0) end },
    ["functions: an inconsistent sort function"] = { "#1 .*invalid order function",
      function() profile:functions(function() return true end) end },
    ["callees of a number: an unknown order"] = { "#2 .*no field 'shape'",
      function() profile:callees(f.id, "shape") end },
    ["callers of a cycle: an unknown order"] = { "#1 .*no field 'shape'", function() cycle:callers("shape") end },
    ["callees of a cycle: an unknown field"] = { "#2 .*no field 'calls'", function() cycle:callees(nil, "calls") end },
    ["callees of a cycle's number: an unknown order"] = { "#2 .*no field 'shape'",
      function() profile:callees(cycle.id, "shape") end },
    ["callers: number out of range"] = { "#1 .*no function or cycle with this number",
      function() profile:callers(8) end },
    ["columns: the number of a cycle"] = { "#1 .*numbers of functions expected",
      function() profile:columns({ f.id, cycle.id }, "name") end },
    ["columns: names instead of numbers"] = { "#1 .*numbers of functions expected",
      function() profile:columns({ "main" }, "name") end },
    ["columns: an unknown field"] = { "#2 .*no field 'shape'", function() profile:columns({ f.id }, "shape") end },
    ["callees: 0"] = { "#1 .*no function or cycle with this number", function() profile:callees(0) end },
    ["lines: of a cycle"] = { "#1 .*no function or cycle with this number", function() profile:lines(cycle.id) end },
    ["functions: an unknown field"] = { "#2 .*no field 'colour'", function() profile:functions("name", "colour") end },
    ["functions: a method for a field"] = { "#2 .*no field 'callers'",
      function() profile:functions("name", "callers") end },
    ["callers: a nil field"] = { "#2 .*string expected, got nil", function() f:callers(nil, nil) end },
    ["at: nothing"] = { "#1 .*number expected, got n", function() profile:lookup() end },
    ["at: a name"] = { "#1 .*number expected, got string", function() profile:lookup("main") end },
    ["at: a fraction"] = { "#1 .*no integer representation", function() profile:lookup(0.5) end },
    ["at: an unknown field"] = { "#2 .*no field 'shape'", function() profile:lookup(f.address, "shape") end },
    ["at: an unknown field, where there is no function"] = { "#2 .*no field 'shape'",
      function() profile:lookup(0, "shape") end },
    ["image:lookup: an unknown field"] = { "#2 to 'lookup' .*no field 'shape'",
      function() image:lookup(f.address, "shape") end },
    ["image:lookup: an unknown field, where there is no function"] = { "#2 to 'lookup' .*no field 'shape'",
      function() image:lookup(0, "shape") end },
    ["node: 0"] = { "#1 .*no function or cycle with this number", function() profile:node(0) end },
    ["node: number out of range"] = { "#1 .*no function or cycle with this number", function() profile:node(8) end },
    ["node: number far out of range"] = { "#1 .*no function or cycle", function() profile:node(math.mininteger) end },
    ["source: a name"] = { "#1 .*number expected, got string", function() image:source("main") end },
    ["line: a name"] = { "#1 .*number expected, got string", function() image:line("main") end },
    ["report: nothing"] = { "#1 .*string expected, got n", function() profile:report() end },
    ["report: an unknown report"] = { "unknown report 'tree'", function() profile:report("tree") end },
    ["the members method of a cycle, called on a function"] = { "#1 .*gprof%.cycle expected, got gprof%.function",
      function() cycle.members(f) end },
    ["the callers method of a cycle, called on a function"] = { "#1 .*gprof%.cycle expected, got gprof%.function",
      function() cycle.callers(f) end },
    ["the callees method of a function, called on a cycle"] = { "#1 .*gprof%.function expected, got gprof%.cycle",
      function() f.callees(cycle) end },
    ["the callers method of a function, called on an arc"] = { "#1 .*gprof%.function expected, got gprof%.arc",
      function() f.callers(arc) end },
    ["the functions method of a profile, called on a table"] = { "#1 .*gprof%.profile expected, got table",
      function() profile.functions {} end },
    ["a method without its object"] = { "gprof%.image expected, got n", function() image.close() end },
  }

  for name, case in pairs(cases) do
    it("raises an error about the argument, " .. name, function()
      local done, message = pcall(case[2])
      assert.is_false(done)
      assert.truthy(message:find(case[1]), message)
      assert.truthy(message:find "^[^:]*objects_spec%.lua:%d+: ", message) -- with the caller's line
    end)
  end

  it("does not include out-of-range addresses, whose lookup returns nil", function()
    for _, address in ipairs { -1, 0, math.mininteger, math.maxinteger, crafted.BASE - 1, image.text_high } do
      assert.is_nil((profile:lookup(address)))
      assert.is_nil((image:source(address)))
      assert.is_nil((image:line(address)))
    end
    assert.equal("idle", profile:lookup(image.text_high - 1).name) -- the last byte belongs to the last function
  end)

  it("of metamethods does not crash", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = gprof.image(arg[1])
      local data = gprof.data(image, arg[2])
      local profile = gprof.profile(image, data)
      local f = profile:functions()()
      for _, object in ipairs { image, data, profile, f, f:callers()(), profile:cycles()() } do
        for name, method in pairs(getmetatable(object)) do
          if type(method) == "function" then
            for _, other in ipairs { io.stdout, {}, 42, image, f, setmetatable({}, getmetatable(object)) } do
              pcall(method, other, "calls")
              pcall(method, other, "path")
            end
            pcall(method)
          end
        end
      end
      print "alive"
    ]], { crafted.image(plan), crafted.gmon(plan) })
    assert.same({ "alive\n", "", 0 }, { result.stdout, result.stderr, result.status or result.signal })
  end)
end)

describe("a script", function()
  it("of ten lines prints where time goes, in any directory", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = assert(gprof.image(arg[1]))
      local data = assert(gprof.data(image, arg[2], arg[2]))
      local profile = assert(gprof.profile(image, data))
      print(profile.total, profile.unit)
      for f in profile:functions() do
        if f.calls > 0 then print(f.name, f.self, f.children, f.calls) end
        for arc in f:callers() do print("", arc.caller.name, arc.count, arc.self + arc.children) end
      end
    ]], { crafted.image(plan), crafted.gmon(plan) }, { cwd = shell.tmpdir() })
    assert.equal("", result.stderr)
    assert.equal([[
1.9	seconds
leaf	0.8	0.0	16
	pong	4	0.2
	work	12	0.6
work	0.6	0.6	4
	work	14	0.0
	main	4	1.2
ping	0.4	0.0	8
	pong	6	0.0
	main	2	0.7
pong	0.1	0.2	8
	ping	8	0.0
]], result.stdout)
  end)

  it("can read the library's version", function()
    assert.is_string(gprof._VERSION)
  end)
end)

describe("an image", function()
  local fixture = build.program("lines")
  local image = assert(gprof.image(fixture.image))

  it("lists its symbols by address", function()
    local known, before = 0, -1
    for symbol in image:symbols() do
      assert.is_true(symbol.address > before)
      before = symbol.address
      if symbol.size > 0 then -- 0 past the end of .text
        assert.equal(symbol, image:lookup(symbol.address))
        assert.equal(symbol, image:lookup(symbol.address + symbol.size - 1))
      end
      assert.equal(image, symbol.image)
      known = known + 1
    end
    assert.equal(known, #list(nil, image:symbols("name", "name")))
    assert.is_true(known > 5)
  end)

  it("finds functions by symspec", function()
    local main = image:find "main"
    assert.equal(build.address(fixture.image, "main"), main.address)
    assert.same({ "main", "main", true, false }, { main.name, main.symbol, main.is_function, main.static })
    assert.truthy(main.file:find "lines%.c$")
    assert.equal(main, image:find("lines.c:main"))
    assert.equal(main, image:find("lines.c:" .. main.line))
    assert.equal("symbol: main", tostring(main))
    assert.is_nil((image:find "nothing_of_that_name"))
    assert.equal(#list(nil, image:symbols()) > 1, select("#", image:find "lines.c") > 1)
  end)

  it("has options that its profiles inherit and can override", function()
    local data = assert(gprof.data(image, fixture.gmon))
    local statics = 0
    for symbol in image:symbols() do statics = statics + (symbol.static and 1 or 0) end
    local global = assert(gprof.image(fixture.image, { no_static = true }))
    assert.equal(#list(nil, image:symbols()) - statics, #list(nil, global:symbols()))
    assert.equal(#list(nil, global:symbols()), #list(nil, assert(gprof.profile(global, data)):functions()))
    assert.equal(#list(nil, image:symbols()),
      #list(nil, assert(gprof.profile(global, data, { no_static = false })):functions()))
  end)

  it("demangles names unless no_demangle is set", function()
    local shapes = build.program("shapes")
    local plain = assert(gprof.image(shapes.image, { no_demangle = true }))
    local shown, mangled = assert(gprof.image(shapes.image)), 0
    local others = plain:symbols()
    for symbol in shown:symbols() do
      local other = others()
      assert.equal(symbol.symbol, other.symbol)
      assert.equal(other.symbol, other.name)
      if symbol.name ~= symbol.symbol then
        mangled = mangled + 1
        assert.truthy(symbol.symbol:find "^_Z")
      end
    end
    assert.is_true(mangled > 3)
  end)

  it("reports missing symbols if it is stripped", function()
    local stripped = shell.tmpdir() .. "/stripped"
    shell.check { "strip", "-o", stripped, fixture.image }
    local none = assert(gprof.image(stripped))
    local said = stripped .. ": has no symbols: use the unstripped file, linked without -s"
    assert.has_error(function() none:symbols() end)
    assert.same({ nil, said }, { none:lookup(0x1000) })
    assert.same({ nil, said }, { none:find "main" })
  end)

  it("finds nothing by an empty symspec", function()
    local profile = assert(gprof.profile(image, assert(gprof.data(image, fixture.gmon))))
    for _, spec in ipairs { "", ":", "::", "0", ":0", ".c:" } do
      assert.same({ n = 1 }, table.pack(image:find(spec)))
      assert.same({ n = 1 }, table.pack(profile:find(spec)))
    end
  end)

  it("is nil for a name that does not exist", function()
    local profile = assert(gprof.profile(image, assert(gprof.data(image, fixture.gmon))))
    for _, spec in ipairs { "no_such_function", "nowhere.c:main", "main:1", "lines.c:99999", "nil" } do
      assert.same({ n = 1 }, table.pack(profile:find(spec)))
      assert.same({ n = 1 }, table.pack(image:find(spec)))
    end
  end)

  it("raises an error for each use of its symbols once it is closed", function()
    local mine = assert(gprof.image(fixture.image))
    local main, symbols = mine:find "main", mine:symbols()
    mine:close()
    for _, use in ipairs { symbols, function() return main.name end, function() return mine:find "main" end,
      function() return mine:symbols() end, function() return main.file end } do
      local done, message = pcall(use)
      assert.is_false(done)
      assert.truthy(message:find "image is closed", message)
      assert.is_nil(message:find "#[-%d]", message) -- the image is not an argument here
    end
  end)
end)

describe("the order by name", function()
  it("uses the names that reports show; the order by symbol uses those in the symbol table", function()
    local shapes = build.program("shapes")
    local image = assert(gprof.image(shapes.image))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, shapes.gmon))))
    for _, field in ipairs { "name", "symbol" } do
      local values = list(nil, profile:functions(field, field))
      local sorted = table.move(values, 1, #values, 1, {})
      table.sort(sorted)
      assert.same(sorted, values)
      assert.same(sorted, list(nil, image:symbols(field, field)))
    end
    assert.not_same(list(nil, profile:functions("name", "address")), list(nil, profile:functions("symbol", "address")))
  end)
end)

describe("profile:find", function()
  it("returns functions, also in a profile by line, unless the symspec names a line", function()
    local fixture = build.program("lines")
    local image = assert(gprof.image(fixture.image))
    local data = assert(gprof.data(image, fixture.gmon))
    local functions, lines = assert(gprof.profile(image, data)),
      assert(gprof.profile(image, data, { line = "all" }))
    local f, g = functions:find "main", lines:find "main"
    assert.equal(f.address, g.address)
    assert.equal(1, select("#", lines:find "main"))
    assert.is_false(g.is_line)
    local last
    for line in g:lines() do last = line end
    assert.equal(last, (lines:find(("%s:%d"):format(last.file:match "[^/]*$", last.line))))
    assert.is_true(last.is_line)
  end)

  it("returns all functions of the same name", function()
    local twins = build.program("twins")
    local image = assert(gprof.image(twins.image))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, twins.gmon))))
    local shared = 0
    for name, addresses in pairs(build.symbols(twins.image).by_name) do
      if #addresses > 1 and image:lookup(addresses[1]) and image:lookup(addresses[1]).name == name then
        local found = { profile:find(name) }
        for i, f in ipairs(found) do found[i] = f.address end
        assert.same(addresses, found)
        shared = shared + 1
      end
    end
    assert.is_true(shared > 0)
  end)

  it("returns a function with a cold part only once", function()
    local clones = build.program("clones", "O2")
    local image = assert(gprof.image(clones.image))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, clones.gmon))))
    local seen = {}
    for _, f in ipairs { profile:find "clones.c" } do
      assert.is_nil(seen[f])
      assert.is_nil(f.symbol:find "%.cold")
      seen[f] = true
    end
    assert.is_true(seen[profile:find "main"])
  end)
end)

describe("a profile by function", function()
  local built = build.program "lines"
  local image = gprof.image(built.image)
  local data = gprof.data(image, built.gmon)

  local function rows(profile)
    local found = {}
    for symbol, ticks, calls in profile:functions("address", "symbol", "ticks", "calls") do
      found[#found + 1] = ("%s %.6f %d"):format(symbol, ticks, calls)
    end
    return found
  end

  it("is returned by its own by_function method", function()
    local profile = gprof.profile(image, data)
    assert.equal(profile, profile:by_function())
  end)

  it("made from a profile by line equals one made directly", function()
    for _, options in ipairs { {}, { exclude = { flat = { "main" }, arcs = { "main/" } } }, { no_static = true } } do
      local expected = rows(gprof.profile(image, data, options))
      options.line = true
      local by_line = gprof.profile(image, data, options)
      assert.not_same(expected, rows(by_line))
      assert.same(expected, rows(by_line:by_function()))
      assert.is_nil(by_line:by_function().by_line or nil)
    end
  end)

  it("makes the profile by line that could be made directly", function()
    for _, options in ipairs { {}, { display_unused_functions = true }, { no_static = true } } do
      local made = gprof.profile(image, data, options):by_lines()
      options.line = true
      assert.same(rows(gprof.profile(image, data, options)), rows(made))
      assert.equal(made, made:by_lines())
      assert.same({ false, true }, { made.seeks_frames, made:by_lines({ frames = true }).seeks_frames })
    end
  end)

  it("takes options for its profile by line, and ignores those of reports", function()
    local selected <const> = { exclude = { flat = { "main" } } }
    local made = gprof.profile(image, data):by_lines { exclude = selected.exclude, brief = true }
    selected.line = "all"
    assert.same(rows(gprof.profile(image, data, selected)), rows(made))
    assert.same(rows(made), rows(gprof.profile(image, data, { exclude = selected.exclude }):by_lines()))
  end)

  it("has the options of the profile by line, whatever became of their tables", function()
    local exclude = { flat = { "main" } }
    local profile = assert(gprof.profile(image, data, { line = true, exclude = exclude }))
    exclude.flat[1], exclude.time = "leaf", { 5 }
    local names = {}
    for name, is_listed in profile:by_function():functions("address", "name", "listed") do
      names[#names + 1] = not is_listed and name or nil
    end
    assert.same({ "main" }, names)
  end)

  it("cannot be made from a closed profile", function()
    local by_line = gprof.profile(image, data, { line = true })
    by_line:close()
    assert.has_error(function() by_line:by_lines() end)
    assert.has_error(function() by_line:by_function() end)
    assert.has_error(function() by_line.by_function(7) end)
  end)
end)

describe("a file that is being written", function()
  it("cannot be finished twice", function()
    local path = shell.tmpdir() .. "/file"
    local writer = assert(core.writer(path, "chosen"))
    for _, wrong in ipairs { { writer, writer }, { writer, 7 }, { {} } } do
      assert.error_matches(function() core.finish(wrong) end, "different open writers, and paths expected")
    end
    assert.falsy(shell.exists(path))
  end)

  it("is closed once it is finished", function()
    local path = shell.tmpdir() .. "/file"
    local writer = assert(core.writer(path, "chosen"))
    assert.is_true(writer:finish())
    assert.error_matches(function() writer:finish() end, "file is closed")
    assert.is_true(core.finish {})
    assert.equal("", shell.read(path))
  end)
end)

describe("a request", function()
  it("goes to no other process than that of the number", function()
    local own = tonumber(shell.read "/proc/self/stat":match "^%d+")
    for _, process in ipairs { own + (1 << 32), own - (1 << 32), 0, -own } do
      assert.error_matches(function() core.queue_signal(process, 0, 0) end, "number out of range")
    end
    assert.is_true(core.queue_signal(own, 0, 0))
    assert.error_matches(function() core.queue_signal(own, 1 << 32, 0) end, "number out of range")
  end)
end)
