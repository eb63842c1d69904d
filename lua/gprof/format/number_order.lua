--- Columns, arrays of equal length, in the order of numbers.
--
-- @internal gprof.format.number_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local number_order = {}

--- Returns the order of numbers. Equal ones keep their order.
-- @function number_order.of
-- @tparam {number,...} numbers
-- @treturn {integer,...}|nil the position of the least one, of the next one, and so on;
--   nil if they are in order
number_order.of = core.number_order

--- Sorts columns.
-- @tparam {[string]=table} columns one of them has numbers; if these are not in order,
--   all are replaced
-- @tparam string name of the column by which they are sorted; equal rows keep their order
-- @treturn {[string]=table} the columns
function number_order.sort(columns, name)
  local order = number_order.of(columns[name])
  if not order then return columns end
  for column, values in pairs(columns) do
    local in_order = {}
    for i, row in ipairs(order) do in_order[i] = values[row] end
    columns[column] = in_order
  end
  return columns
end

return number_order
