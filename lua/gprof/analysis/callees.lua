--- The callees of functions, each with a part of its time, as rows: the arrays `lower`,
-- `part` and `next`, the number of the next row of the same function, 0 after the last.
-- `first` and `last` have these rows by the id of the function.
--
-- @internal gprof.analysis.callees
-- SPDX-License-Identifier: GPL-3.0-or-later

local callees = {}

--- Makes the rows.
-- @treturn table without rows. Its field `add` is a function that adds one: it takes the
--   id of the function that calls, the callee's id, and the part
function callees.new()
  local first, last, following, lowers, parts, row = {}, {}, {}, {}, {}, 0
  local function add(id, lower, part)
    row = row + 1
    lowers[row], parts[row], following[row] = lower, part, 0
    local before = last[id]
    if before then following[before] = row else first[id] = row end
    last[id] = row
  end
  return { add = add, first = first, last = last, next = following, lower = lowers,
    part = parts }
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

--- Returns the number of callees of a function.
-- @tparam table rows
-- @tparam integer id
-- @treturn integer
function callees.count(rows, id)
  local count, row = 0, rows.first[id] or 0
  while row > 0 do count, row = count + 1, rows.next[row] end
  return count
end

return callees
