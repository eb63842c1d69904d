-- Estimated call trees mark what they guess, and say how much it is.
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_tree = require "gprof.analysis.call_tree"
local crafted = require "support.crafted"
local guesses = require "gprof.analysis.guesses"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"

-- main calls own, and a and b, which share leaf.
local shared <const> = { functions = { "main", "a", "b", "own", "leaf" }, ticks = { own = 20, leaf = 60, a = 40 },
  calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "main", "own", 1 }, { "a", "leaf", 1 }, { "b", "leaf", 1 } } }

-- Returns the marked frames of a program's tree as paths, sorted; and the guessed share.
local function marked(plan, from)
  local profile = (crafted.profile(plan))
  local tree, found = call_tree.of(profile, { from = from and { profile:find(from).id } }), {}
  local function visit(node, path)
    for _, child in ipairs(node.children) do
      local name = path .. "/" .. profile:get(child.id, "name")
      if child.is_guess then found[#found + 1] = name end
      visit(child, name)
    end
  end
  visit(tree.root, "")
  table.sort(found)
  return found, tree.guessed
end

local function add(plan, calls)
  local made = { functions = plan.functions, ticks = plan.ticks, calls = table.move(plan.calls, 1, #plan.calls, 1, {}) }
  table.move(calls, 1, #calls, #made.calls + 1, made.calls)
  return made
end

describe("a frame of an estimated tree", function()
  it("is a guess if others lead to what it stands for", function()
    assert.same({ { "/main/a/leaf", "/main/b", "/main/b/leaf" }, 0.5 }, { marked(shared) })
  end)

  it("is certain where nothing is divided", function()
    assert.same({ {}, 0 }, { marked { functions = { "main", "a", "b" }, ticks = { a = 10, b = 20 },
      calls = { { "main", "a", 5 }, { "a", "b", 7 }, { "b", "b", 3 } } } })
  end)

  it("is certain if two paths meet again below it", function()
    local meeting = add(shared, {})
    meeting.calls[1] = { "own", "a", 1 }
    meeting.calls[2] = { "own", "b", 1 }
    assert.same({ { "/main/own/a/leaf", "/main/own/b", "/main/own/b/leaf" }, 0.5 }, { marked(meeting) })
  end)

  it("below a requested root is certain within the root's time", function()
    assert.same({ "/b", "/b/leaf" }, (marked(shared, "b")))
    assert.same({}, (marked(shared, "own")))
  end)

  it("of a cycle is certain if one function calls the cycle", function()
    local ring = { functions = { "main", "a", "ping", "pong" }, ticks = { ping = 50, pong = 40, a = 10 },
      calls = { { "main", "a", 1 }, { "a", "ping", 2 }, { "ping", "pong", 5 }, { "pong", "ping", 5 } } }
    local found, share = marked(ring)
    assert.same({ {}, 0 }, { found, share })
    found, share = marked(add(ring, { { "main", "pong", 2 } }))
    assert.same(0.9, share)
    assert.truthy(#found >= 2)
  end)
end)

describe("what is guessed is told", function()
  local image, profile = crafted.image(shared), crafted.gmon(shared)
  local sentence <const> = "50%.0 %% of the time is divided among call paths by guess"

  it("in the call tree, with a mark at each total", function()
    local tree = program.run { "-b", "--tree", image, profile }.stdout
    assert.truthy(tree:find(sentence), tree)
    assert.truthy(tree:find "0%.30%?    0%.30 [^\n]*leaf\n", tree)
    assert.truthy(tree:find "0%.20     0%.20 [^\n]*own\n", tree)
  end)

  it("in the page", function()
    local path = shell.tmpdir() .. "/page"
    assert.equal(0, program.run { "--html=" .. path, image, profile }.status)
    local tree = pages.parts(shell.read(path)).data.tree
    assert.equal(0.5, tree.guessed)
    local least, whole = 0, 0
    for i, weight in ipairs(tree.weight) do
      local certain = tree.certain[i] >= 0 and tree.certain[i] or weight
      if guesses.is_guess(weight, certain) then least, whole = least + certain, whole + weight end
    end
    assert.same({ 0, 3 * 300000 }, { least, math.floor(whole + 0.5) })
  end)
end)
