--- Columns, arrays of equal length, in the order of their values.
--
-- @internal gprof.format.column_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local column_order = {}

--- Returns the order of numbers, or of strings. Equal ones keep their order.
-- @function column_order.of
-- @tparam table values an array
-- @treturn {integer,...}|nil the position of the least one, of the next one, and so on;
--   nil if they are in order
column_order.of = core.column_order

--- Returns whether a string is less than another one, byte by byte: Lua's operator
-- follows the locale.
-- @function column_order.is_less
-- @tparam string a
-- @tparam string b
-- @treturn boolean
column_order.is_less = core.is_less

--- Returns a threshold for the largest numbers.
-- @tparam {number,...} numbers
-- @tparam integer most
-- @treturn number that `most` of them reach, and more only if they are equal to it;
--   -math.huge if there are not more
function column_order.threshold(numbers, most)
  return #numbers > most and core.threshold(numbers, most) or -math.huge
end

--- Returns the values at given places.
-- @function column_order.picked
-- @tparam table values
-- @tparam {integer,...} places
-- @treturn table an array
column_order.picked = core.picked

local picked <const> = column_order.picked

--- Returns the sorted keys of a table with many, all numbers or all strings. Lua compares
-- strings slowly. gprof.format.sorted does the same without the core.
-- @tparam table map
-- @treturn table
function column_order.keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  local order = column_order.of(keys)
  return order and picked(keys, order) or keys
end

--- Returns the order of rows by several columns.
-- @tparam {table,...} columns arrays of numbers or strings; the first one that differs
--   decides, and equal rows keep their order
-- @treturn {integer,...}|nil as from `column_order.of`; nil if each column is in order
function column_order.by(columns)
  local order
  for i = #columns, 1, -1 do
    local numbers = columns[i]
    local step = column_order.of(order and picked(numbers, order) or numbers)
    order = step and order and picked(order, step) or step or order
  end
  return order
end

--- Puts columns in an order.
-- @tparam {[string]=table} columns are all replaced
-- @tparam {integer,...} order
-- @treturn {[string]=table} the columns
function column_order.arrange(columns, order)
  for column, values in pairs(columns) do columns[column] = picked(values, order) end
  return columns
end

--- Sorts columns.
-- @tparam {[string]=table} columns are all replaced if they are not in order
-- @tparam string name of the one by which they are sorted, of numbers or strings; equal
--   rows keep their order
-- @treturn {[string]=table} the columns
function column_order.sort(columns, name)
  local order = column_order.of(columns[name])
  return order and column_order.arrange(columns, order) or columns
end

return column_order
