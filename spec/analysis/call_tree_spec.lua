-- The call tree: it equals the merged chains on any call graph; its limits; and the report `--tree`.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.analysis.chains"
local chance = require "support.chance"
local crafted = require "support.crafted"
local exported = require "support.exported"
local labels = require "gprof.print.labels"
local extract = require "gprof.analysis.extract"
local program = require "support.program"
local pty = require "support.pty"
local call_tree = require "gprof.analysis.call_tree"

-- Maps the paths of a tree, such as "main;leaf", to their nodes.
local function by_path(profile, tree)
  local names, found = chains.names(labels.exported(profile, {})), {}
  local function walk(node, path)
    for _, child in ipairs(node.children) do
      local here = path .. names[child.id]
      assert.is_nil(found[here])
      found[here] = child
      walk(child, here .. ";")
    end
  end
  walk(tree.root, "")
  return found
end

-- Computes the expected weights from the chains. Returns two tables, both keyed by path: the weight of all chains that
-- begin with the path, and the weight of those that end there.
local function by_chains(profile, factor)
  local names, below, own = chains.names(labels.exported(profile, {})), {}, {}
  local list = chains.of(profile, factor)
  for i, weight in ipairs(list.weight) do
    local link, path = list.top[i], nil
    while link > 0 do
      path = (path and path .. ";" or "") .. names[list.id[link]]
      below[path] = (below[path] or 0) + weight
      link = list.below[link]
    end
    own[path] = (own[path] or 0) + weight
  end
  return below, own
end

-- Checks every node: its weight is the sum of `self`, `rest` and its children's weights, and the children name it as
-- their parent.
local function check_sums(node)
  local sum = node.rest + node.self
  for i, child in ipairs(node.children) do
    sum = sum + child.weight
    assert.equal(node, child.parent)
    assert.truthy(i == 1 or child.weight <= node.children[i - 1].weight + 1)
    check_sums(child)
  end
  assert.equal(node.weight, sum)
end

describe("The call tree", function()
  it("equals the chains, merged by common beginnings", function()
    chance.cases(5000, 200)(function(remark)
      local profile = crafted.profile(crafted.random())
      local tree = call_tree.of(profile, { least = 0 })
      check_sums(tree.root)
      assert.equal(tree.all, tree.root.weight)
      local below, own = by_chains(profile, extract.units(profile, 1000000))
      local nodes, near = by_path(profile, tree), 10  -- tolerance: each part is rounded
      for path, node in pairs(nodes) do
        assert.near(below[path] or 0, node.weight, near, remark)
        assert.near(own[path] or 0, node.self, near, remark)
        assert.equal(0, node.rest)
      end
      for path, weight in pairs(below) do
        assert.near(weight, nodes[path] and nodes[path].weight or 0, near, remark)
      end
    end)
  end)

  it("includes functions whose time is not propagated", function()
    local plan = crafted.example
    local profile = crafted.profile(plan, { exclude = { time = { "work", "ping" } } })
    local below = by_chains(profile, extract.units(profile, 1000000))
    for path, node in pairs(by_path(profile, call_tree.of(profile))) do
      assert.near(below[path], node.weight, 2, path)
      below[path] = nil
    end
    assert.same({}, below)
  end)

  it("keeps only the heaviest nodes if there are too many, and adds up the rest", function()
    local profile = crafted.profile(crafted.layered(12, 4))  -- 22 million paths
    local tree = call_tree.of(profile, { most = 500, least = 0 })
    check_sums(tree.root)
    local count, least, hidden = 0, math.huge, 0
    for _, node in pairs(by_path(profile, tree)) do
      count, hidden = count + 1, hidden + node.rest
      if node.children[1] then least = math.min(least, node.weight) end
    end
    assert.equal(500, count)
    assert.truthy(hidden > 0 and hidden < tree.all)
    for _, node in pairs(by_path(profile, tree)) do
      if node.rest > 0 and not node.children[1] then assert.truthy(node.weight <= least) end
    end
  end)

  it("obeys limits of depth and weight", function()
    local profile = crafted.profile(crafted.layered(6, 3))
    for _, node in pairs(by_path(profile, call_tree.of(profile, { depth = 3 }))) do
      assert.truthy(node.depth <= 3)
      if node.depth == 3 then assert.equal(node.weight, node.self + node.rest) end
    end
    local tree = call_tree.of(profile, { least = 0.1 })
    for _, node in pairs(by_path(profile, tree)) do assert.truthy(node.weight >= 0.1 * tree.all) end
    check_sums(tree.root)
  end)

  it("can begin at any function", function()
    local profile = crafted.profile(crafted.example)
    local leaf, ping = profile:find "leaf", profile:find "ping"
    local tree = call_tree.of(profile, { from = { leaf.id } })
    local nodes = by_path(profile, tree)
    assert.same({ "leaf" }, { next(nodes), next(nodes, (next(nodes))) })
    assert.near((leaf.self + leaf.children) * tree.parts, nodes.leaf.weight, 1)
    assert.near(profile.total * tree.parts, tree.all, 1)
    nodes = by_path(profile, call_tree.of(profile, { from = { ping.id, leaf.id } }))
    assert.truthy(nodes.leaf and nodes.ping and not nodes.main)
  end)

  it("can be very deep", function()
    local plan = { functions = { "f0" }, ticks = { f3000 = 7 }, calls = {} }
    for i = 1, 3000 do
      plan.functions[i + 1], plan.calls[i] = "f" .. i, { "f" .. i - 1, "f" .. i, 1 }
    end
    local node, depth = call_tree.of(crafted.profile(plan)).root, 0
    while node.children[1] do node, depth = node.children[1], depth + 1 end
    assert.same({ 1000, 70000 }, { depth, node.rest })
  end)

  it("is empty if the profile has no time", function()
    local idle = { functions = crafted.example.functions, calls = crafted.example.calls, ticks = {} }
    local tree = call_tree.of(crafted.profile(idle))
    assert.same({ 0, 0 }, { tree.all, #tree.root.children })
  end)
end)

describe("--tree", function()
  local plan <const> = crafted.example
  local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)
  local TITLE <const> = "Call tree (estimated from the call graph)\n\n"
  local COLUMNS <const> = "   %     total     self  \n  time   seconds  seconds  name\n"
  local HEADING <const> = TITLE ..
    "42.1 % of the time is divided among call paths by guess; --record measures it\n\n" .. COLUMNS

  local function run(words, env)
    local all = { "-b", image, profile }
    table.move(words, 1, #words, 4, all)
    local result = program.run(all, { env = env or { LC_ALL = "C.UTF-8" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return result.stdout
  end

  it("prints only the tree, unless other reports are requested", function()
    assert.equal(HEADING .. [[
 100.0      0.95     0.00  main
  63.2      0.60     0.30  ├─ work (recursive)
  31.6      0.30?    0.30  │  └─ leaf
  36.8      0.35     0.00  └─ <cycle 1> as a whole
  21.1      0.20     0.20     ├─ ping
  15.8      0.15?    0.05     └─ pong
  10.5      0.10?    0.10        └─ leaf
]], run { "--tree" })
    local flat = run { "-p" }
    assert.equal(flat .. "\f\n" .. run { "--tree" }, run { "--tree", "-p" })
    assert.equal(run { "--tree" }, run { "--report=call_tree" })
    assert.equal(run { "--tree" }, run { "--tree", "-T" })
  end)

  it("shows the number of a cycle beside short names", function()
    assert.equal(run { "--tree" }, run { "--tree", "--short-names" })
  end)

  it("begins at the given functions", function()
    assert.equal(TITLE .. COLUMNS .. [[
  42.1      0.40     0.40  leaf
  15.8      0.15?    0.05  pong
  10.5      0.10?    0.10  └─ leaf
]], run { "--tree=leaf", "--tree=pong" })
    local result = program.run { "-b", "--tree=nobody", image, profile }
    assert.same({ "", "gprof.lua: symspec 'nobody' matches nothing\n", 1 },
      { result.stdout, result.stderr, result.status })
    result = program.run { "-b", "--tree=;", image, profile }
    assert.same({ "", "gprof.lua: option --tree: ';' contains no name\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("is cut at --tree-depth, with everything below in one line", function()
    assert.equal(HEADING .. [[
 100.0      0.95     0.00  main
  63.2      0.60     0.30  ├─ work (recursive)
  31.6      0.30     0.00  │  └─ (1 callee not shown)
  36.8      0.35     0.00  └─ <cycle 1> as a whole
  36.8      0.35     0.00     └─ (2 callees not shown)
]], run { "--tree", "--tree-depth=2" })
  end)

  it("leaves out functions below --tree-threshold", function()
    assert.equal(HEADING .. [[
 100.0      0.95     0.00  main
  63.2      0.60     0.30  ├─ work (recursive)
  31.6      0.30?    0.30  │  └─ leaf
  36.8      0.35     0.00  └─ <cycle 1> as a whole
  36.8      0.35     0.00     └─ (2 callees not shown)
]], run { "--tree", "--tree-threshold=25" })
    assert.equal(run { "--tree" }, run { "--tree", "--tree-threshold=0" })
  end)

  it("is drawn with the characters of the locale", function()
    local plain = run({ "--tree" }, { LC_ALL = "C" })
    assert.equal((run { "--tree" }:gsub("├─", "|-"):gsub("└─", "`-"):gsub("│", "|")), plain)
    assert.equal(plain, run({ "--tree" }, { LC_ALL = false, LC_CTYPE = false, LANG = "de_DE.ISO-8859-1" }))
  end)

  it("lists functions even if the profile is by line", function()
    local path, gmon = exported.inlined()
    local by_function = program.run { "-b", "--tree", path, gmon }
    local by_line = program.run { "-b", "--tree", "-l", path, gmon }
    assert.same({ by_function.stdout, "", 0 }, { by_line.stdout, by_line.stderr, by_line.status })
  end)

  it("requires samples", function()
    local idle = crafted.gmon { functions = plan.functions, calls = plan.calls, ticks = {} }
    assert.truthy(program.run({ "-b", "--tree", image, idle }).stdout:find("\n no time accumulated\n", 1, true))
    local none = crafted.gmon { functions = plan.functions, calls = plan.calls }
    local result = program.run { "--tree", image, none }
    assert.same({ "", ("gprof.lua: %s: has no histogram, which a call tree needs\n"):format(none), 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("is a list of functions if no calls were recorded", function()
    local only = crafted.gmon { functions = plan.functions, ticks = plan.ticks }
    local text = program.run({ "-b", "--tree", image, only }).stdout
    assert.equal(TITLE .. COLUMNS .. [[
  42.1      0.40     0.40  leaf
  31.6      0.30     0.30  work
  21.1      0.20     0.20  ping
   5.3      0.05     0.05  pong
]], text)
  end)

  it("has an explanation", function()
    assert.truthy(program.run({ "--tree", image, profile }).stdout:find("How to read the call tree", 1, true))
  end)

  it("has no effect with --gnu-compat", function()
    local compatible = program.run { "--gnu-compat", image, profile }
    for _, words in ipairs { { "--tree" }, { "--tree=;" }, { "--tree", "--tree-depth=x" } } do
      local result = program.run { "--gnu-compat", image, profile, table.unpack(words) }
      assert.same({ compatible.stdout, "", 0 }, { result.stdout, result.stderr, result.status })
    end
  end)

  if pty.lack() then
    pending(pty.lack())
    return
  end

  it("has bars, colours and shortened names on a terminal", function()
    local text = pty.run({ "-b", "--tree", image, profile }, { COLUMNS = "76" }).stdout
    assert.truthy(text:find("\n 100.0      0.95     0.00  ████████████████ main\n", 1, true), text)
    assert.truthy(text:find("\n  63.2      0.60     0.30  ██████████▏      ├─ work (recursive)\n", 1, true), text)
    local long = { functions = { "main", ("long"):rep(30) }, ticks = { [("long"):rep(30)] = 7 },
      calls = { { "main", ("long"):rep(30), 1 } } }
    text = pty.run({ "-b", "--tree", image, profile }, { COLUMNS = "48" }).stdout
    assert.truthy(text:find("<cycle 1> as a whole", 1, true), text)
    text = pty.run({ "-b", "--tree", crafted.image(long), crafted.gmon(long) }, { COLUMNS = "60" }).stdout
    local line = text:match "\n([^\n]*long[^\n]*)\n"
    assert.same({ 60, "└─ longlonglonglon…nglonglonglong" }, { utf8.len(line), line:match "└.*" })
    text = pty.run({ "-b", "--tree", "--color=always", image, profile }).stdout
    assert.truthy(text:find("\n\27[31m  63.2      0.60     0.30  ├─ work (recursive)\27[0m\n", 1, true), text)
  end)
end)
