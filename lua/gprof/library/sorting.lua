--- Sorts the elements of iterators by any field or by a comparison function. The core has
-- only the default orders.
--
-- @internal gprof.library.sorting
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"

-- Names and positions sort in ascending order. All other fields are amounts, which sort
-- in descending order.
local ascending = {
  name = true, symbol = true, file = true, line = true, address = true, id = true,
  index = true, number = true, function_id = true, caller_id = true, callee_id = true,
}

local function upwards(a, b) return a < b end
local function downwards(a, b) return a > b end

-- Converts a key to one that can be compared. Among booleans, true comes first.
local function comparable(key, field)
  local kind = type(key)
  if kind == "boolean" then return key and 1 or 0 end
  if kind == "string" or kind == "number" then return key end
  failure.raise("cannot sort by field '%s': its values include a %s", field, kind)
end

-- Sorts by a field: a stable sort. Objects whose field is nil come last. Returns their
-- ids.
local function by_field(field, next)
  local ids, keys, places = {}, {}, {}
  for id, key in next do
    ids[#ids + 1] = id
    places[id] = #ids
    if key ~= nil then keys[id] = comparable(key, field) end
  end
  local before = field == "address" and math.ult or ascending[field] and upwards or
    downwards
  table.sort(ids, function(a, b)
    local x, y = keys[a], keys[b]
    if x == y then return places[a] < places[b] end
    if x == nil or y == nil then return y == nil end
    return before(x, y)
  end)
  return ids
end

-- Sorts objects with a comparison function: a stable sort. Returns their ids.
local function by_function(before, next)
  local objects, places, ids = {}, {}, {}
  for object in next do
    objects[#objects + 1] = object
    places[object] = #objects
  end
  table.sort(objects, function(a, b)
    if a == b then return false end
    if before(a, b) then return true end
    return not before(b, a) and places[a] < places[b]
  end)
  for i, object in ipairs(objects) do ids[i] = object.id end
  return ids
end

--- Sorts the elements of an iterator.
-- @tparam string|function order the name of a field, or a function of two objects that
--   returns whether the first comes first
-- @tparam function next iterator in the default order: over id and field if `order` is a
--   name, otherwise over objects
-- @treturn[1] {integer,...} the ids in the new order
-- @return[2] nil
-- @treturn[2] string what is wrong with the order
return function(order, next)
  local sort = type(order) == "function" and by_function or by_field
  local done, result = pcall(sort, order, next)
  if done then return result end
  if type(result) == "table" and sort == by_field then return nil, result.message end
  local invalid = "invalid order function for sorting"  -- the message of table.sort
  if tostring(result):find(invalid, 1, true) then return nil, invalid end
  error(result, 0)
end
