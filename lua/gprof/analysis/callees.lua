--- The callees of functions, each with a part of its time, as rows: the arrays `lower`
-- and `part`. The rows of a function follow each other: `first` and `last` have their
-- numbers by its id.
--
-- @internal gprof.analysis.callees
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"

local callees = {}

--- Makes the rows.
-- @tparam table columns arrays of equal length: `upper`, the id of the function that
--   calls; `lower`, the callee's id; and `part`
-- @treturn table these rows, those of a function in their order
function callees.new(columns)
  local rows, first, last = column_order.sort(columns, "upper"), {}, {}
  for row, id in ipairs(rows.upper) do first[id], last[id] = first[id] or row, row end
  return { first = first, last = last, lower = rows.lower, part = rows.part }
end

--- Adds a row of a function that has none, or the last ones.
-- @tparam table rows
-- @tparam integer id of the function
-- @tparam integer lower the callee's id
-- @tparam number part
function callees.add(rows, id, lower, part)
  local row = #rows.lower + 1
  rows.lower[row], rows.part[row] = lower, part
  rows.first[id], rows.last[id] = rows.first[id] or row, row
end

--- Returns the callees of a function.
-- @tparam table rows
-- @tparam integer id
-- @treturn {integer,...} their ids, in the order in which they were added
-- @treturn {number,...} their parts
function callees.of(rows, id)
  local first, last = rows.first[id] or 1, rows.last[id] or 0
  return table.move(rows.lower, first, last, 1, {}),
    table.move(rows.part, first, last, 1, {})
end

--- Returns the number of callees of a function.
-- @tparam table rows
-- @tparam integer id
-- @treturn integer
function callees.count(rows, id)
  return (rows.last[id] or 0) - (rows.first[id] or 1) + 1
end

return callees
