-- JSON as trees: exported profiles, and baselines (doc/export.md).
-- SPDX-License-Identifier: GPL-3.0-or-later

local json = require "gprof.format.json"
local json_reader = require "gprof.format.json_reader"
local nodes = require "fuzz.repaired.nodes"
local sorted = require "gprof.format.sorted"

local json_trees = {}

local function string_bytes(node) return json.string(node.value) end
local function number_bytes(node) return json.number(node.value) end
local function array_bytes(node) return "[" .. nodes.items(node) .. "]" end
local function object_bytes(node) return "{" .. nodes.items(node) .. "}" end

local function leaf(class, name, value, bytes) return { class = class, name = name, value = value, bytes = bytes } end

local tree_of

-- Returns the keys of an object: "format" first, which identifies a file.
local function keys_of(object)
  local keys = sorted.keys(object)
  table.sort(keys, function(a, b)
    if (a == "format") ~= (b == "format") then return a == "format" end
    return a < b
  end)
  return keys
end

local function object_of(name, object)
  local items = {}
  for i, key in ipairs(keys_of(object)) do
    items[i] = nodes.list_of("member of " .. name, { leaf("text", "key in " .. name, key, string_bytes),
      tree_of(name == "callees" and name or key, object[key]) }, { fixed = true, separator = ": " })
  end
  return nodes.list_of(name, items, { separator = ", ", bytes = object_bytes })
end

function tree_of(name, value)
  if type(value) == "string" then return leaf("text", name, value, string_bytes) end
  if type(value) == "number" then return leaf("number", name, value, number_bytes) end
  if type(value) ~= "table" then return nodes.text_of(name, tostring(value)) end
  if value[1] == nil then return object_of(name, value) end
  local items = {}
  for i, item in ipairs(value) do items[i] = tree_of(name .. " item", item) end
  return nodes.list_of(name, items, { separator = ", ", bytes = array_bytes })
end

--- Reads a JSON text.
-- @tparam string bytes
-- @treturn table node
function json_trees.read(bytes)
  return tree_of("object", assert(json_reader.read(bytes)))
end

--- Reads JSON lines.
-- @tparam string bytes
-- @treturn table node
function json_trees.lines(bytes)
  local items = {}
  for line in bytes:gmatch "[^\n]+" do items[#items + 1] = json_trees.read(line) end
  return nodes.list_of("lines", items, { separator = "\n" })
end

-- Returns the value of an object's member.
local function member(object, key)
  for _, item in ipairs(object.items or {}) do
    if item.items and item.items[1].value == key then return item.items[2] end
  end
end

--- Prepares changed JSON lines to be written as a baseline: the functions are counted and sorted.
-- @tparam table tree
function json_trees.link(tree)
  local keys, head = {}, table.remove(tree.items, 1)
  for _, item in ipairs(tree.items) do
    local name, file = member(item, "name"), member(item, "file")
    keys[item] = ("%s\0%s"):format(name and name.value or "", file and file.value or "")
  end
  table.sort(tree.items, function(a, b) return keys[a] < keys[b] end)
  local count = head and member(head, "functions")
  if count and count.class == "number" then count.value = #tree.items end
  table.insert(tree.items, 1, head)
end

return json_trees
