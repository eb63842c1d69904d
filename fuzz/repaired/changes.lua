-- Changes of trees of nodes. Random numbers come from math.random: the same seed changes a tree in the same way.
-- SPDX-License-Identifier: GPL-3.0-or-later

local damage = require "fuzz.images.damage"
local nodes = require "fuzz.repaired.nodes"
local values = require "fuzz.images.values"

local changes = {}

local random <const> = math.random

-- A list is not made longer than this.
local MOST_ITEMS <const> = 3000

local function pick(list) return list[random(#list)] end

-- Picks a name, then a node of this name, so that rare nodes are changed as often as frequent ones. Returns the node,
-- the list with it, and its place there; nil if no node is wanted.
local function pick_node(root, is_wanted)
  local by_name, names = {}, {}
  nodes.each(root, function(node, list, place)
    if not is_wanted(node) then return end
    if not by_name[node.name] then
      by_name[node.name] = {}
      names[#names + 1] = node.name
    end
    table.insert(by_name[node.name], { node, list, place })
  end)
  if not names[1] then return nil end
  return table.unpack(pick(by_name[pick(names)]))
end

local function is_number(node) return node.class == "number" end
local function is_text(node) return node.class == "text" end
local function is_derived(node) return node.derived end
local function is_list(node) return node.class == "list" and not node.fixed and node.items[1] ~= nil end

-- Numbers -------------------------------------------------------------------------------------------------------------

local FRACTIONS <const> = { 0, -1, 0.5, 1e-300, 1e300, 2 ^ 53, 2 ^ 63, 1 << 62 }

local function new_value(old)
  if not math.tointeger(old) then return pick(FRACTIONS) end
  return pick(values)(math.tointeger(old), 4096)
end

local function number(root)
  local node = pick_node(root, is_number)
  if not node then return nil end
  node.value = new_value(node.value)
  return ("%s = %s"):format(node.name, node.value)
end

-- Changes all numbers of a name.
local function numbers(root)
  local one, count = pick_node(root, is_number), 0
  if not one then return nil end
  nodes.each(root, function(node)
    if node.name == one.name and is_number(node) then
      node.value, count = new_value(node.value), count + 1
    end
  end)
  return ("%d numbers %s"):format(count, one.name)
end

-- Writes a wrong length, count or checksum.
local function lie(root)
  local node = pick_node(root, is_derived)
  if not node then return nil end
  node.lie = new_value(#node.items)
  return ("%s claims %d"):format(node.name, node.lie)
end

-- Texts ---------------------------------------------------------------------------------------------------------------

local TEXTS <const> = { "", "/", "../../x", "/dev/zero", "-", "\n", "a\0b", "%s%n", "\27[2J", "\xff\xfe", "_ZN", "@",
  "=", "[C]", "%p", "$(id)", ("A"):rep(300), ("a/"):rep(3000) }

local function text(root)
  local node = pick_node(root, is_text)
  if not node then return nil end
  if random(2) == 1 or #node.value < 2 then
    node.value = pick(TEXTS)
    return ("%s = %q"):format(node.name, node.value:sub(1, 12))
  end
  local done
  node.value, done = damage.bytes(node.value)
  return ("%s: %s"):format(node.name, done)
end

-- Items ---------------------------------------------------------------------------------------------------------------

-- Replaces a node by a copy of another node of its name.
local function exchange(root)
  local node, list, place = pick_node(root, function() return true end)
  local other = pick_node(root, function(one) return one.name == node.name and one ~= node end)
  if not list or not other then return nil end
  list.items[place] = nodes.copy(other)
  return ("%s of another"):format(node.name)
end

-- Ways to change the items of a list.
local ways <const> = {
  remove = function(items) table.remove(items, random(#items)) end,
  cut = function(items)
    for i = #items, random(#items), -1 do items[i] = nil end
  end,
  twice = function(items)
    local i = random(#items)
    table.insert(items, i, nodes.copy(items[i]))
  end,
  move = function(items) table.insert(items, random(#items), table.remove(items, random(#items))) end,
  swap = function(items)
    local i, j = random(#items), random(#items)
    items[i], items[j] = items[j], items[i]
  end,
  many = function(items)
    local i = random(#items)
    local one = items[i]
    for _ = 1, math.min(2 ^ random(11) // 1 | 0, MOST_ITEMS - #items) do table.insert(items, i, nodes.copy(one)) end
  end,
}
local WAYS <const> = { "remove", "remove", "twice", "twice", "move", "swap", "cut", "many" }

local function item(root)
  local node = pick_node(root, is_list)
  if not node then return nil end
  local way = pick(WAYS)
  ways[way](node.items)
  return ("%s: %s"):format(node.name, way)
end

local all <const> = { number, number, number, number, exchange, exchange, exchange, item, item, text, text, numbers,
  lie }

--- Changes a tree.
-- @tparam table root
-- @treturn string what was done, in one line
function changes.make(root)
  local done, wanted = {}, pick { 1, 1, 1, 2, 3, 6 }
  for _ = 1, 10 * wanted do
    done[#done + 1] = pick(all)(root)
    if #done == wanted then break end
  end
  return (table.concat(done, "; "):gsub("%c", " "))
end

return changes
