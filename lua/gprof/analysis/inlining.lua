--- Time that moved between callers and callees because calls were inlined, or no longer
-- were. The machine code of an inlined function belongs to its caller, so the caller's
-- self time grows although nothing got slower.
--
-- A call that only the old program makes may have been inlined since. A call that only
-- the new program makes may have been inlined before; then its time is missing in the
-- caller's own code.
--
-- @internal gprof.analysis.inlining
-- SPDX-License-Identifier: GPL-3.0-or-later

local inlining = {}

-- Calls that were inlined into inlined functions are followed to this depth.
local MAX_DEPTH <const> = 8

-- Returns the calls of a side, between rows: a table from the caller's row to a table
-- from the callee's row to `count`, and to `self` and `total`, times per run.
local function calls_of(side, row_of)
  local calls, unit = {}, (side.rate or 1) * side.runs
  for caller, callee, count, self, total in side.arcs() do
    local from, to = row_of(caller), row_of(callee)
    if from and to and from ~= to then
      calls[from] = calls[from] or {}
      local call = calls[from][to] or { count = 0, self = 0, total = 0 }
      calls[from][to] = call
      call.count, call.self = call.count + count, call.self + self / unit
      call.total = call.total + total / unit
    end
  end
  return calls
end

local function has_call(calls, from, to)
  return calls[from] ~= nil and calls[from][to] ~= nil
end

-- Returns a function that returns the old self time of functions that may have been
-- inlined into a row since, directly or into each other. The time of each row at each
-- depth is computed once: there may be very many paths of calls.
local function inlined_finder(old, new)
  local known = {}
  for depth = 1, MAX_DEPTH do known[depth] = {} end
  local function self_of(row, depth)
    if known[depth][row] then return known[depth][row] end
    local sum = 0
    for callee, call in pairs(old[row] or {}) do
      if not has_call(new, row, callee) then
        local total = callee.total and callee.total.old or 0
        sum = sum + call.self
        if depth < MAX_DEPTH and total > 0 and not new[callee] then
          sum = sum + math.min(call.total / total, 1) * self_of(callee, depth + 1)
        end
      end
    end
    known[depth][row] = sum
    return sum
  end
  return function(row) return self_of(row, 1) end
end

-- Adds what may have come from callers' own code to the shifts of their new callees. The
-- time that the caller's own code lost is divided in proportion.
local function add_outlined(shifts, old, new, row)
  local lost, appeared = row.self.old - row.self.new, 0
  if lost <= 0 then return end
  for callee, call in pairs(new[row] or {}) do
    if not has_call(old, row, callee) then appeared = appeared + call.self end
  end
  if appeared <= 0 then return end
  local part = math.min(lost / appeared, 1)
  for callee, call in pairs(new[row] or {}) do
    if not has_call(old, row, callee) then
      local shift = shifts[callee]
      shift.outlined_self = shift.outlined_self + part * call.self
      shift.outlined_total = shift.outlined_total + part * call.total
    end
  end
end

--- Estimates how much time moved.
-- @tparam table sides `old` and `new` (see gprof.compare)
-- @tparam function row_of returns the row of one of their functions, or nil
-- @tparam {table,...} rows of the comparison, with times
-- @treturn {[row]=table} `inlined`, old self time of callees that may be part of the
--   row's self time now; `outlined_self` and `outlined_total`, new times of the row's
--   function that may have been part of its callers' self time
function inlining.shifts(sides, row_of, rows)
  local shifts = {}
  local old, new = calls_of(sides.old, row_of), calls_of(sides.new, row_of)
  local inlined = inlined_finder(old, new)
  for _, row in ipairs(rows) do
    shifts[row] = { inlined = inlined(row),
      outlined_self = 0, outlined_total = 0 }
  end
  for _, row in ipairs(rows) do add_outlined(shifts, old, new, row) end
  return shifts
end

return inlining
