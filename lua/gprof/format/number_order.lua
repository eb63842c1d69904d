--- Columns, arrays of equal length, in the order of their values.
--
-- @internal gprof.format.number_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local number_order = {}

--- Returns the order of numbers, or of strings. Equal ones keep their order.
-- @function number_order.of
-- @tparam table values an array
-- @treturn {integer,...}|nil the position of the least one, of the next one, and so on;
--   nil if they are in order
number_order.of = core.number_order

--- Returns a threshold for the largest numbers.
-- @tparam {number,...} numbers
-- @tparam integer most
-- @treturn number that `most` of them reach, and more only if they are equal to it;
--   -math.huge if there are not more
function number_order.threshold(numbers, most)
  return #numbers > most and core.threshold(numbers, most) or -math.huge
end

--- Returns the values at given places.
-- @function number_order.picked
-- @tparam table values
-- @tparam {integer,...} places
-- @treturn table an array
number_order.picked = core.picked

local picked <const> = number_order.picked

--- Returns the sorted keys of a table with many, all numbers or all strings. Lua compares
-- strings slowly. gprof.format.sorted does the same without the core.
-- @tparam table map
-- @treturn table
function number_order.keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  local order = number_order.of(keys)
  return order and picked(keys, order) or keys
end

--- Returns the order of rows by several columns.
-- @tparam {table,...} columns arrays of numbers; the first one that differs decides, and
--   equal rows keep their order
-- @treturn {integer,...}|nil as from `number_order.of`; nil if each column is in order
function number_order.by(columns)
  local order
  for i = #columns, 1, -1 do
    local numbers = columns[i]
    local step = number_order.of(order and picked(numbers, order) or numbers)
    order = step and order and picked(order, step) or step or order
  end
  return order
end

--- Sorts columns.
-- @tparam {[string]=table} columns one of them has numbers; if these are not in order,
--   all are replaced
-- @tparam string name of the column by which they are sorted; equal rows keep their order
-- @treturn {[string]=table} the columns
function number_order.sort(columns, name)
  local order = number_order.of(columns[name])
  if not order then return columns end
  for column, values in pairs(columns) do columns[column] = picked(values, order) end
  return columns
end

return number_order
