--- The callees of functions, each with a part of its time, as rows: the arrays `lower`,
-- `part` and `next`, the number of the next row of the same function, 0 after the last.
-- `first` and `last` have these rows by the id of the function.
--
-- @internal gprof.analysis.callees
-- SPDX-License-Identifier: GPL-3.0-or-later

local callees = {}

--- Makes the rows.
-- @treturn table without rows
function callees.new()
  return { first = {}, last = {}, next = {}, lower = {}, part = {} }
end

--- Adds a row.
-- @tparam table rows
-- @tparam integer id of the function that calls
-- @tparam integer lower the callee's id
-- @tparam number part
function callees.add(rows, id, lower, part)
  local row, last = #rows.lower + 1, rows.last[id]
  rows.lower[row], rows.part[row], rows.next[row] = lower, part, 0
  if last then rows.next[last] = row else rows.first[id] = row end
  rows.last[id] = row
end

--- Returns the callees of a function.
-- @tparam table rows
-- @tparam integer id
-- @treturn {integer,...} their ids, in the order in which they were added
-- @treturn {number,...} their parts
function callees.of(rows, id)
  local ids, parts, row = {}, {}, rows.first[id] or 0
  while row > 0 do
    ids[#ids + 1], parts[#parts + 1] = rows.lower[row], rows.part[row]
    row = rows.next[row]
  end
  return ids, parts
end

return callees
