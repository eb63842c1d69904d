-- Measured times: what call paths say about the time of callees. Small programs are compared with figures worked out by
-- hand, random ones with a slow model.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local output = require "gprof.output"
local program = require "support.program"
local shell = require "support.shell"
local stacks = require "support.context_stacks"

local RATE <const> = 1000
local dir <const> = shell.tmpdir "measured"

local function save(name, bytes) return gmon.write(dir .. "/" .. name, bytes) end

-- Makes the profile of stacks.
local function profile_of(functions, list, options)
  local image = assert(gprof.image(crafted.image { functions = functions }))
  local data = assert(gprof.data(image, save("stacks.ctx", stacks.pack(functions, list))))
  return assert(gprof.profile(image, data, options))
end

local function ticks(seconds) return math.floor(seconds * RATE + 0.5) end

-- Returns self ticks and children's ticks of functions and cycles, by name, as { self, children }.
local function times(profile)
  local found = {}
  for name, self, children in profile:entries(nil, "name", "ticks", "children_ticks") do
    if self + children > 0 then found[name] = { self, children } end
  end
  return found
end

-- Returns the times of arcs in ticks, by "caller>callee", as { self, children }.
local function arcs(profile)
  local found = {}
  for arc in profile:arcs() do
    local self, children = ticks(arc.self), ticks(arc.children)
    if self + children > 0 then found[arc.caller.name .. ">" .. arc.callee.name] = { self, children } end
  end
  return found
end

-- Returns the calls of arcs, by "caller>callee".
local function calls(profile)
  local found = {}
  for arc in profile:arcs() do found[arc.caller.name .. ">" .. arc.callee.name] = arc.count end
  return found
end

-- Returns an export or report as text.
local function text_of(profile, name, options)
  local parts = {}
  profile:report(name, options or {}, function(text) parts[#parts + 1] = text end)
  return table.concat(parts)
end

describe("the time of a callee with two callers", function()
  local functions <const> = { "main", "cheap", "dear", "work" }
  local list <const> = {
    { "main", "cheap", "work", ticks = 10 }, { "main", "cheap", "work" }, { "main", "cheap", "work" },
    { "main", "dear", "work", ticks = 990 }, { "main", ticks = 1 } }

  it("is what was measured below each caller, not its fraction of the calls", function()
    local profile = profile_of(functions, list)
    assert.is_true(profile.exact)
    assert.same({ main = { 1, 1000 }, cheap = { 0, 10 }, dear = { 0, 990 }, work = { 1000, 0 } }, times(profile))
    assert.same({ ["main>cheap"] = { 0, 10 }, ["main>dear"] = { 0, 990 }, ["cheap>work"] = { 10, 0 },
      ["dear>work"] = { 990, 0 } }, arcs(profile))
    assert.same({ 1001, 1001 }, { profile.total_ticks, profile.graph_ticks })
  end)

  it("is 0, like the number of calls, for a function without counted calls and time", function()
    local bytes = stacks.pack({ "main", "plain", "work" }, { { "main", "(plain)", "work" }, { "main", ticks = 9 } })
    local image = crafted.image { functions = { "main", "plain", "work" } }
    local graph = program.run({ "-b", "-q", image, save("plain.ctx", bytes) }).stdout
    assert.truthy(graph:find("plain", 1, true))
    assert.truthy(graph:find(" 0.00    0.00       0/0           plain", 1, true), graph)
  end)

  it("is divided by calls if this is requested, or with GNU gprof's policy, or by line", function()
    for _, options in ipairs { { assume_proportional = true }, { gnu_compat = true } } do
      local profile = profile_of(functions, list, options)
      assert.is_false(profile.exact)
      assert.same({ ["main>cheap"] = { 0, 750 }, ["main>dear"] = { 0, 250 }, ["cheap>work"] = { 750, 0 },
        ["dear>work"] = { 250, 0 } }, arcs(profile))
    end
  end)

  it("is divided by calls if the included time is selected", function()
    assert.is_false(profile_of(functions, list, { exclude = { time = { "cheap" } } }).exact)
    assert.is_true(profile_of(functions, list, { exclude = { graph = { "cheap" } } }).exact)
  end)

  it("is not moved along excluded calls", function()
    local profile = profile_of(functions, list, { exclude = { arcs = { "dear/work" } } })
    assert.same({ main = { 1, 10 }, cheap = { 0, 10 }, work = { 1000, 0 } }, times(profile))
    assert.same({ ["main>cheap"] = { 0, 10 }, ["cheap>work"] = { 10, 0 } }, arcs(profile))
  end)

  it("does not include samples in functions without a flat profile", function()
    local profile = profile_of(functions, list, { exclude = { flat = { "main" } } })
    assert.same({ main = { 0, 1000 }, cheap = { 0, 10 }, dear = { 0, 990 }, work = { 1000, 0 } }, times(profile))
  end)
end)

describe("a recursive function", function()
  it("is counted once for each sample", function()
    local profile = profile_of({ "main", "walk", "leaf" }, {
      { "main", "walk", "walk", "walk", "leaf", ticks = 5 }, { "main", "walk", "walk", ticks = 3 },
      { "main", "walk", ticks = 2 } })
    assert.same({ main = { 0, 10 }, walk = { 5, 5 }, leaf = { 5, 0 } }, times(profile))
    assert.same({ ["main>walk"] = { 5, 5 }, ["walk>leaf"] = { 5, 0 } }, arcs(profile))
  end)

  it("is a cycle, if other functions are in between; members have the time of their own callees", function()
    local profile = profile_of({ "main", "even", "odd", "leaf", "start" }, {
      { "main", "even", "odd", "even", "leaf", ticks = 5 }, { "main", "even", "odd", "leaf", ticks = 3 },
      { "start", "odd", "even", ticks = 2 }, { "main", "leaf", ticks = 7 } })
    assert.same({ main = { 0, 15 }, start = { 0, 2 }, even = { 2, 5 }, odd = { 0, 3 }, leaf = { 15, 0 },
      ["<cycle 1>"] = { 2, 8 } }, times(profile))
    local cycle = profile:find "even".cycle
    assert.same({ 2, 8, 1 }, { ticks(cycle.self), ticks(cycle.children), cycle.share })
    assert.matches("\n%[%d%] +58%.8 [^\n]* <cycle 1 as a whole> ", text_of(profile, "graph"))
    assert.same({ ["main>even"] = { 0, 8 }, ["start>odd"] = { 2, 0 }, ["even>leaf"] = { 5, 0 },
      ["odd>leaf"] = { 3, 0 }, ["main>leaf"] = { 7, 0 } }, arcs(profile))
  end)
end)

describe("code that records no calls", function()
  it("is left out of paths if it is in a library; its calls have the caller that called the library", function()
    local profile = profile_of({ "main", "sort", "compare" }, {
      { "main", "sort", "@", "compare", ticks = 6 }, { "main", "sort", "@", "compare", ticks = 4 },
      { "@", "compare", ticks = 1 }, { "main", "sort", "@", ticks = 100 }, { "@", "@", ticks = 1000 } })
    assert.same({ main = { 0, 10 }, sort = { 0, 10 }, compare = { 11, 0 } }, times(profile))
    assert.same({ ["main>sort"] = { 0, 10 }, ["sort>compare"] = { 10, 0 } }, arcs(profile))
    assert.same({ ["main>sort"] = 3, ["sort>compare"] = 2 }, calls(profile))
    assert.same({ 3, 11 }, { profile:find "compare".calls, profile.total_ticks })
  end)

  it("is a function of the path if it is in the program", function()
    local profile = profile_of({ "main", "helper", "work" }, {
      { "main", "(helper)", "work", ticks = 6 }, { "main", "(helper)", ticks = 4 }, { "(helper)", "work", ticks = 2 } })
    assert.same({ main = { 0, 10 }, helper = { 4, 8 }, work = { 8, 0 } }, times(profile))
    assert.same({ ["main>helper"] = { 4, 6 }, ["helper>work"] = { 8, 0 } }, arcs(profile))
    assert.same({ ["main>helper"] = 0, ["helper>work"] = 2 }, calls(profile))
  end)

  it("can make functions recursive", function()
    local profile = profile_of({ "main", "visit" }, {
      { "main", "visit", "@", "visit", ticks = 3 }, { "main", "visit", ticks = 2 } })
    assert.same({ main = { 0, 5 }, visit = { 5, 0 } }, times(profile))
    local visit = profile:find "visit"
    assert.same({ 2, 1 }, { visit.calls, visit.self_calls })
  end)
end)

describe("call paths that do not fit the profile beside them", function()
  local functions <const> = { "main", "visit", "other" }
  local path <const> = crafted.image { functions = functions }
  local image <const> = assert(gprof.image(path))

  -- Saves a context profile, and a gmon.out beside it whose records differ by a change. Returns the gmon.out.
  local function pair(change)
    local companion = save("pair.ctx", stacks.pack(functions,
      { { "main", "visit", "@", "visit", ticks = 3 }, { "main", "other", ticks = 2 } }, { finish = 1 << 60 }))
    assert(assert(gprof.data(image, companion)):write(dir .. "/same"))
    local profile = gmon.parse(shell.read(dir .. "/same"))
    change(gmon.select(profile, "arc"), gmon.select(profile, "histogram")[1].bins, profile.records)
    profile.spare = ("<I4I8"):pack(0, 1 << 60)
    return save("pair", gmon.magic(profile))
  end

  local changes <const> = {
    ["more calls"] = function(list) list[1].count = list[1].count + 1 end,
    ["fewer calls"] = function(list) list[1].count = list[1].count - 1 end,
    ["other calls"] = function(list) list[1].count, list[2].count = list[1].count - 1, list[2].count + 1 end,
    ["another arc"] = function(_, _, records)
      table.insert(records, { kind = "arc", from = crafted.BASE, self = crafted.BASE, count = 1 })
    end,
    ["no calls"] = function(list) for _, arc in ipairs(list) do arc.count = 0 end end,
    ["more samples"] = function(_, bins) bins[1] = (bins[1] or 0) + 1 end,
    ["fewer samples"] = function(_, bins)
      for i = 1, #bins do bins[i] = math.max(0, bins[i] - 1) end
    end,
    ["other samples"] = function(_, bins) table.insert(bins, 1, table.remove(bins)) end,
    ["no samples"] = function(_, _, records)
      for i, record in ipairs(records) do
        if record.kind == "histogram" then table.remove(records, i) end
      end
    end,
  }

  it("are used if they do fit", function()
    local data = assert(gprof.data(image, pair(function() end)))
    assert.same({ "complete", nil }, { data.call_paths, data.files[1].problem })
  end)

  for name, change in pairs(changes) do
    it("are not used, and the profile is still reported: " .. name, function()
      local plain = pair(change)
      local data = assert(gprof.data(image, plain))
      local problem = ("%s.ctx: does not fit %s: their %s differ"):format(plain, plain, name:match "samples" or "calls")
      assert.same({ nil, problem }, { data.call_paths, data.files[1].problem })
      local found = program.run { "-b", path, plain }
      local alone = program.run { "-b", path, save("alone", shell.read(plain)) }
      assert.same({ ("gprof.lua: warning: %s: the time of callees is estimated\n"):format(problem), 0 },
        { found.stderr, found.status })
      assert.equal(alone.stdout, found.stdout)
    end)
  end

  it("do not fit in a sum either", function()
    local plain, cwd = pair(changes["more calls"]), shell.tmpdir "sum"
    assert.same(0, program.run({ "-s", path, plain }, { cwd = cwd }).status)
    local result = program.run({ "-b", path, "gmon.sum" }, { cwd = cwd })
    assert.same({ "gprof.lua: warning: gmon.sum.ctx: does not fit gmon.sum: their calls differ: " ..
      "the time of callees is estimated\n", 0 }, { result.stderr, result.status })
  end)
end)

-- Stacks ---------------------------------------------------------------------------------

local function folded(profile)
  local parts, export = {}, require "gprof.export.folded"
  export(profile, {}, function(text) parts[#parts + 1] = text end)
  return table.concat(parts)
end

describe("measured stacks", function()
  local profile <const> = profile_of({ "main", "even", "odd", "leaf", "start" }, {
    { "main", "even", "odd", "even", "leaf", ticks = 500 }, { "main", "even", "odd", "leaf", ticks = 300 },
    { "start", "odd", "even", ticks = 200 }, { "main", "leaf", ticks = 700 }, { "main", ticks = 50 } })

  it("are in exports of stacks", function()
    assert.equal("main 50000\nmain;even;leaf 500000\nmain;even;odd;leaf 300000\nmain;leaf 700000\n" ..
      "start;odd;even 200000\n", folded(profile))
  end)

  it("are in the call tree", function()
    local lines, tree = {}, text_of(profile, "call_tree", { brief = true })
    assert.truthy(tree:find("Call tree (measured)\n", 1, true))
    for percent, total, self, name in tree:gmatch "([%d.]+) +([%d.]+) +([%d.]+)[^%w\n]+(%w+)" do
      lines[#lines + 1] = ("%s %s %s %s"):format(percent, total, self, name)
    end
    assert.same({ "88.6 1.55 0.05 main", "45.7 0.80 0.00 even", "28.6 0.50 0.50 leaf", "17.1 0.30 0.00 odd",
      "17.1 0.30 0.30 leaf", "40.0 0.70 0.70 leaf", "11.4 0.20 0.00 start", "11.4 0.20 0.00 odd",
      "11.4 0.20 0.20 even" }, lines)
  end)

  it("begin at requested functions in the call tree", function()
    local call_tree = require "gprof.analysis.call_tree"
    local tree = call_tree.of(profile, { from = { profile:find "odd".id, profile:find "leaf".id } })
    local function shape(node)
      local parts = {}
      for i, child in ipairs(node.children) do parts[i] = shape(child) end
      return ("%s %d/%d(%s)"):format(node.id and profile:get(node.id, "name") or "", node.self // 1000,
        node.weight // 1000, table.concat(parts, " "))
    end
    assert.equal(" 0/2000(leaf 1500/1500() odd 0/500(leaf 300/300() even 200/200()))", shape(tree.root))
  end)

  it("begin again after excluded calls", function()
    local cut = profile_of({ "main", "work", "leaf" }, { { "main", "work", "leaf", ticks = 5 },
      { "main", "work", ticks = 2 } }, { exclude = { arcs = { "main/work" } } })
    assert.equal("work 2000\nwork;leaf 5000\n", folded(cut))
  end)

  it("are nodes of a tree for scripts", function()
    local nodes = {}
    for number, caller, id, count in profile:stacks() do
      nodes[number] = ("%s%s %d"):format(caller > 0 and nodes[caller]:match "^[^ ]+" .. "/" or "",
        profile:get(id, "name"), count)
    end
    table.sort(nodes)
    assert.same({ "main 50", "main/even 0", "main/even/leaf 500", "main/even/odd 0", "main/even/odd/leaf 300",
      "main/leaf 700", "start 0", "start/odd 0", "start/odd/even 200" }, nodes)
    assert.is_nil(crafted.profile(crafted.example):stacks()())
  end)

  it("give callgrind's readers the same times", function()
    local made = {}
    local stream <close> = output.through(function(piece) made[#made + 1] = piece end)
    require "gprof.export.callgrind"(profile, {}, stream)
    stream:flush()
    local text = table.concat(made)
    assert.truthy(text:find("desc: Note: call times are measured\n", 1, true))
    local begun = text:match "fn=%(%d+%) <spontaneous>\n(.-)\n\n"
    assert.same({ "155000000", "20000000" },
      { begun:match "main\ncalls=4 0\n0 (%d+)", begun:match "start\ncalls=1 0\n0 (%d+)" })
  end)
end)

-- Random programs ------------------------------------------------------------------------

local recorded <const> = { "f1", "f2", "f3", "f4", "f5", "f6" }
local functions <const> = { "f1", "f2", "p1", "f3", "f4", "p2", "f5", "f6" }

-- Returns a random stack; without recursion, later functions are below earlier ones. A function compiled without -pg is
-- followed by no library, and by no function that runs already: these the recorder cannot tell.
local function random_stack(recursive)
  local stack, runs, last = { thread = math.random(3), ticks = math.random(0, 9) }, {}, 0
  for _ = 1, math.random(7) do
    last = math.random(recursive and 1 or math.min(last + 1, #recorded), #recorded)
    local name, kind = recorded[last], math.random(8)
    if kind == 1 then
      stack[#stack + 1] = "@"
    elseif kind == 2 and not runs[name] then
      stack[#stack + 1] = "(p" .. math.random(2) .. ")"
    end
    stack[#stack + 1], runs[name] = name, true
  end
  local kind = math.random(8)
  if kind == 1 then
    stack[#stack + 1] = "@"
  elseif kind == 2 then
    stack[#stack + 1], stack.ticks = "(p1)", stack.ticks + 1
  end
  return stack
end

local function random_stacks()
  local list, recursive = {}, math.random(3) == 1
  for i = 1, math.random(25) do list[i] = random_stack(recursive and math.random(4) == 1) end
  return list
end

local function shuffled(list)
  local copy = {}
  for i, stack in ipairs(list) do
    local changed = { thread = math.random(4), ticks = stack.ticks }
    table.move(stack, 1, #stack, 1, changed)
    table.insert(copy, math.random(i), changed)
  end
  return copy
end

local function printed(profile)
  local parts = {}
  for _, report in ipairs { "flat", "graph" } do
    profile:report(report, { brief = true }, function(text) parts[#parts + 1] = text end)
  end
  return table.concat(parts)
end

describe("random call paths", function()
  local repeatedly = chance.cases(1, 100)
  local path <const> = crafted.image { functions = functions }

  it("have the times of a slow model, which add up", function()
    repeatedly(function(message)
      local list = random_stacks()
      local profile = profile_of(functions, list)
      local self, children, moved, begun = stacks.times(list)
      assert.same(moved, arcs(profile), message)
      local total, into = 0, {}
      for arc in profile:arcs() do
        local node = arc.callee.cycle or arc.callee
        into[node] = (into[node] or 0) + ticks(arc.self) + ticks(arc.children)
      end
      for f in profile:functions() do
        assert.same({ self[f.name] or 0, children[f.name] or 0 }, { f.ticks, f.children_ticks }, message)
        total = total + f.ticks
        local node = f.cycle or f
        into[node] = (into[node] or 0) + (begun[f.name] or 0)
      end
      assert.same({ profile.total_ticks, profile.graph_ticks }, { total, total }, message)
      for f in profile:functions() do
        local node = f.cycle or f
        assert.equal(node.ticks + node.children_ticks, into[node] or 0, message)
        assert.equal(node.ticks, ticks(node.self), message)
      end
    end)
  end)

  it("are stacks in exports, where recursion continues in the context that runs already", function()
    repeatedly(function(message)
      local list, expected, lines = random_stacks(), {}, {}
      for _, stack in ipairs(list) do
        local names, places = {}, {}
        for _, element in ipairs(stack) do
          local name = element:match "%w+"
          local place = element == name and places[name]
          for i = #names, place and place + 1 or math.huge, -1 do places[names[i]], names[i] = nil, nil end
          if name and not place then names[#names + 1], places[name] = name, #names + 1 end
        end
        if stack.ticks > 0 and stack[#stack] ~= "@" then
          local key = table.concat(names, ";")
          expected[key] = (expected[key] or 0) + stack.ticks
        end
      end
      for key, count in pairs(expected) do lines[#lines + 1] = ("%s %d\n"):format(key, 1000 * count) end
      table.sort(lines)
      assert.equal(table.concat(lines), folded(profile_of(functions, list)), message)
    end)
  end)

  it("have the same times in exports as in the flat profile and the call graph", function()
    repeatedly(function(message)
      local profile = profile_of(functions, random_stacks())
      local self, whole, exported = {}, {}, {}
      for path_of, weight in folded(profile):gmatch "(%S+) (%d+)\n" do
        local seen, last = {}, nil
        for name in path_of:gmatch "[^;]+" do
          if not seen[name] then whole[name] = (whole[name] or 0) + weight // 1000 end
          seen[name], last = true, name
        end
        self[last] = (self[last] or 0) + weight // 1000
      end
      local csv = require "gprof.export.csv"
      csv(profile, { display_unused_functions = true }, function(text) exported[#exported + 1] = text end)
      local rows = "\n" .. table.concat(exported):gsub("\r", "")
      local total = 0
      for f in profile:functions() do
        total = total + f.ticks
        assert.equal(self[f.name] or 0, f.ticks, message)
        if not f.cycle then assert.equal(whole[f.name] or 0, f.ticks + f.children_ticks, message) end
        local sampled, called = rows:match("\n" .. f.name .. ",[^\n]-,([%d.]+),(%d+),%d+\n")
        assert.same({ f.ticks, f.calls }, { tonumber(sampled), tonumber(called) }, message)
      end
      assert.equal(profile.total_ticks, total, message)
    end)
  end)

  it("are a tree: the total time of each node is its own time and that of its callees", function()
    repeatedly(function(message)
      local profile, below, own = profile_of(functions, random_stacks()), {}, {}
      for line, weight in folded(profile):gmatch "(%S+) (%d+)\n" do
        own[line] = math.tointeger(weight)
        for at in (line .. ";"):gmatch "();" do
          local path_of = line:sub(1, at - 1)
          below[path_of] = (below[path_of] or 0) + own[line]
        end
      end
      local function check(node, path_of)
        local sum = node.self
        for _, child in ipairs(node.children) do
          sum = sum + child.weight
          check(child, path_of .. ";" .. profile:get(child.id, "name"))
        end
        assert.same({ below[path_of:sub(2)], own[path_of:sub(2)] or 0, sum },
          { node.weight, node.self, node.weight }, message)
      end
      local root = require "gprof.analysis.call_tree".of(profile, { least = 0 }).root
      below[""] = 1000 * profile.total_ticks
      check(root, "")
    end)
  end)

  it("have the same reports in any order of threads, and the same times in any order of files", function()
    repeatedly(function(message)
      local list = random_stacks()
      local whole, mixed, first, second = profile_of(functions, list), shuffled(list), {}, {}
      assert.equal(printed(whole), printed(profile_of(functions, mixed)), message)
      for i, stack in ipairs(mixed) do table.insert(i % 3 == 0 and first or second, stack) end
      local image = assert(gprof.image(path))
      local one, two = save("one.ctx", stacks.pack(functions, first)), save("two.ctx", stacks.pack(functions, second))
      local read = assert(gprof.data(image, one, two))
      local added = assert(gprof.data.new { image = image })
      assert(added:add_file(two))
      assert(added:merge(assert(gprof.data(image, one))))
      for _, data in ipairs { read, added } do
        local profile = assert(gprof.profile(image, data))
        assert.is_true(profile.exact)
        assert.same({ times(whole), arcs(whole), calls(whole) }, { times(profile), arcs(profile), calls(profile) },
          message)
      end
    end, 3)
  end)
end)
