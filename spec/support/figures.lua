-- Checks that measured figures agree, within one report and between two reports on the same profile.
--
-- Nothing is compared with a clock, so the checks hold on slow and busy machines. They recognize rows of the flat
-- profile, of the call graph, of the tree and of comparisons. Every rounded figure is treated as an interval.
-- SPDX-License-Identifier: GPL-3.0-or-later

local figures = {}

-- Tolerance for the total time of a report. Each row gives bounds for the total: its seconds divided by its percentage.
-- GNU gprof's rule for a bin that covers parts of two functions can make the sum of the functions exceed the samples by
-- a few per mille.
local SLACK <const> = 0.01

local unit_seconds <const> = { [""] = 1, m = 1e-3, u = 1e-6, n = 1e-9, p = 1e-12, T = 1e12 }

-- Intervals ---------------------------------------------------------------------------------------------------------

-- Returns the interval of the values that are printed as `text`, plus a tolerance for binary fractions.
local function interval(text)
  local decimals = #(text:match("%.(%d+)") or "")
  local half = 0.5 * 10.0 ^ -decimals + 1e-9
  local value = assert(tonumber(text))
  return { low = value - half, high = value + half }
end

local function add(a, b)
  return { low = a.low + b.low, high = a.high + b.high }
end

local function subtract(a, b)
  return { low = a.low - b.high, high = a.high - b.low }
end

local function scale(a, factor)
  return { low = a.low * factor, high = a.high * factor }
end

-- Divides non-negative intervals.
local function divide(a, b)
  return { low = math.max(a.low, 0) / b.high, high = b.low > 0 and a.high / b.low or math.huge }
end

local function overlap(a, b)
  return a.low <= b.high and b.low <= a.high
end

local function intersect(a, b)
  return { low = math.max(a.low, b.low), high = math.min(a.high, b.high) }
end

local ZERO <const> = { low = 0, high = 0 }

-- Rows --------------------------------------------------------------------------------------------------------------

local NUMBER <const> = "(%d+%.%d+)"

-- Returns a function's name without the index number, cycle and address that may follow it.
local function plain_name(text)
  return (text:gsub("%s*%[%d+%]%s*$", ""):gsub("%s*<cycle %d+>$", ""):gsub(" @ %x+%)", ")"):gsub("%s+$", ""))
end

local function flat_row(line, header)
  local percent, cumulative, self, rest = line:match("^%s*(%d+%.%d%d)%s+(%d+%.%d%d)%s+(%d+%.%d%d)%s+(.*)$")
  if not percent then return nil end
  if header and header.error then rest = rest:match("^%d+%.%d+%s+(.*)$") or rest end
  local calls, per_call, _, name = rest:match("^(%d+)%s+" .. NUMBER .. "%s+" .. NUMBER .. "%s+(%S.*)$")
  return { percent = percent, cumulative = interval(cumulative), self = interval(self), time = interval(self),
    calls = tonumber(calls), per_call = per_call and interval(per_call), name = plain_name(name or rest) }
end

-- Parses the primary line of a call graph entry, which begins with the index number.
local function entry_row(line)
  local percent, self, children, rest = line:match("^%[%d+%]%s+" .. NUMBER .. "%s+" .. NUMBER .. "%s+" .. NUMBER ..
    "%s+(%S.*)$")
  if not percent then return nil end
  self, children = interval(self), interval(children)
  return { percent = percent, self = self, children = children, time = add(self, children),
    name = plain_name(rest:match("^[%d+]+%s+(.*)$") or rest), cycle = rest:find("<cycle", 1, true) ~= nil }
end

-- Parses the line of a caller or callee.
local function arc_row(line)
  local self, children = line:match("^%s+" .. NUMBER .. "%s+" .. NUMBER .. "%s+%d[%d/+]*%s+%S")
  return self and { self = interval(self), children = interval(children) }
end

-- Parses a row of the tree. Its percentage has one decimal; a percentage in the flat profile has two.
local function tree_row(line)
  local percent, total = line:match("^%s*(%d+%.%d)%s+(%d+%.%d%d)%s+%d+%.%d%d%s+%D")
  return percent and { percent = percent, time = interval(total) }
end

-- Parses a row of a comparison: old, new, change, and the ratio if there is one.
local function change_row(line)
  local old, new, change, rest = line:match("^%s+" .. NUMBER .. "%s+" .. NUMBER .. "%s+([+-]%d+%.%d+)%s+(.*)$")
  return old and { old = interval(old), new = interval(new), change = interval(change),
    ratio = rest:match("^%d+%.%d+~?%s+" .. NUMBER .. "%s") }
end

-- Checks of one report ------------------------------------------------------------------------------------------------

local Report = {}
Report.__index = Report

local function new_report()
  return setmetatable({ total = { low = 0, high = math.huge }, self = {}, per_call = {} }, Report)
end

-- Adds a bound of the total time; returns false if it contradicts the earlier ones.
function Report:bound_total(bound)
  self.total = intersect(self.total, { low = bound.low * (1 - SLACK), high = bound.high * (1 + SLACK) })
  return self.total.low <= self.total.high
end

function Report:add_share(row)
  if tonumber(row.percent) > 100 then return "a percentage above 100" end
  local whole = divide(row.time, scale(interval(row.percent), 0.01))
  if not self:bound_total(whole) then return "percentage and seconds do not fit the other rows" end
  return nil
end

-- Checks a row of the flat profile. Rows left out ("...") may have increased the cumulative seconds.
function Report:add_flat(row)
  local before, header = self.cumulative, self.header
  if header and before then
    local sum = add(before, row.self)
    local fits = sum.low <= row.cumulative.high
    if not self.gap then fits = fits and row.cumulative.low <= sum.high end
    if not fits then return "the cumulative seconds are not the sum of the rows" end
  end
  self.cumulative, self.gap = row.cumulative, false
  if header and row.calls then
    local seconds = scale(row.per_call, row.calls * header.unit)
    if not overlap(seconds, row.self) then return "calls, time per call and seconds do not fit" end
    if row.calls > 0 then self.per_call[row.name] = scale(row.per_call, header.unit) end
  end
  self.self[row.name] = row.self
  return self:add_share(row)
end

-- Adds up the callers' shares of the entry's self time, and the callees' shares of its children's time.
function Report:add_arc(row)
  local entry = self.entry
  if not entry then
    self.callers = add(self.callers or ZERO, row.self)
  elseif not entry.cycle then
    self.callees = add(self.callees, add(row.self, row.children))
    if self.callees.low > entry.children.high then return "the callees take longer than the children's seconds" end
  end
  return nil
end

function Report:add_entry(row)
  local callers = self.callers
  self.entry, self.callees, self.callers = row, ZERO, nil
  if callers and not row.cycle and callers.low > row.self.high then
    return "the callers' rows have more time than the entry"
  end
  if not row.cycle then self.self[row.name] = row.self end
  return self:add_share(row)
end

local function check_change(row)
  if not overlap(subtract(row.new, row.old), row.change) then return "the change is not new - old" end
  local ratio = row.ratio and interval(row.ratio)
  if ratio and not overlap(divide(row.new, row.old), ratio) then return "the ratio is not new / old" end
  return nil
end

-- Reads a heading line of a comparison, such as "old: 2 runs, 1.50 seconds each".
function Report:add_compared(line)
  local side, runs, seconds = line:match("^(%l+): (%d+) runs?, " .. NUMBER)
  if side then
    self[side .. "_each"] = interval(seconds)
    local total = scale(interval(seconds), tonumber(runs))
    if side == "new" then self.total = intersect(self.total, total) else self.old_total = total end
    return nil
  end
  local change, ratio = line:match("^change: ([+-]?%d+%.%d+) .- (%d+%.%d+) times as much")
  if not (change and self.old_each and self.new_each) then return nil end
  return check_change { old = self.old_each, new = self.new_each, change = interval(change), ratio = ratio }
end

-- Reads a line if it is a heading; returns whether it is.
function Report:read_heading(line)
  if line:find("^%s*%%%s+cumulative%s") then
    self.header, self.cumulative, self.gap = { unit = 1, error = false }, ZERO, false
  elseif self.header and line:find("^%s*time%s.*%sname%s*$") then
    local prefix = line:match("%s(%a?)s/call")
    self.header = { unit = unit_seconds[prefix or ""] or 1, error = line:find("%serror%s") ~= nil }
  elseif line:find("^%s*%a?s/call%s+name%s*$") then
    self.per_call_unit = unit_seconds[line:match("(%a?)s/call")]
  elseif line:find("^%-%-%-%-") or line:find("^index %% time") then
    self.entry, self.callers, self.header = nil, nil, nil
  else
    return false
  end
  return true
end

function Report:add_row(line)
  local entry = entry_row(line)
  if entry then return self:add_entry(entry) end
  local change = change_row(line)
  if change then return check_change(change) end
  local flat = flat_row(line, self.header)
  if flat then return self:add_flat(flat) end
  local tree = tree_row(line)
  if tree then return self:add_share(tree) end
  local arc = arc_row(line)
  if arc then return self:add_arc(arc) end
  local value, name = line:match("^%s+" .. NUMBER .. "%s+(%S+)$")
  if value and self.per_call_unit then self.per_call[name] = scale(interval(value), self.per_call_unit) end
  return nil
end

function Report:add_line(line)
  if self:read_heading(line) then return nil end
  if line == "..." then
    self.gap, self.entry, self.callers = true, nil, nil
    return nil
  end
  for percent in line:gmatch("(%d+%.?%d*) ?%%") do
    if tonumber(percent) > 100 then return "a percentage above 100" end
  end
  local seconds = line:match("^granularity: .* of " .. NUMBER .. " seconds")
  if seconds and not self:bound_total(interval(seconds)) then return "the total does not fit the rows" end
  return self:add_compared(line) or self:add_row(line)
end

--- Reads the figures of a report and checks them against each other.
-- @tparam {string,...} lines of the report; "..." stands for lines left out
-- @treturn ?table the figures, for `conflict`; nil if they contradict each other
-- @treturn ?string the line that contradicts earlier ones, and why
function figures.read(lines)
  local report = new_report()
  for _, line in ipairs(lines) do
    local problem = report:add_line(line)
    if problem then return nil, ("%s: %s"):format(problem, line) end
  end
  return report
end

local function name_conflict(a, b, what)
  for name, value in pairs(a) do
    if b[name] and not overlap(value, b[name]) then return ("%s of %s"):format(what, name) end
  end
  return nil
end

--- Compares the figures of two reports on the same profile.
-- @tparam table a from `read`
-- @tparam table b from `read`
-- @treturn ?string what differs by more than rounding
function figures.conflict(a, b)
  if not overlap(a.total, b.total) then return "total seconds" end
  return name_conflict(a.self, b.self, "self seconds") or name_conflict(a.per_call, b.per_call, "time per call")
end

--- Compares the total of a report with the old side of a comparison.
-- @tparam table report from `read`
-- @tparam table comparison from `read`; its old profile is the report's
-- @treturn ?string what differs by more than rounding
function figures.conflict_with_old(report, comparison)
  if comparison.old_total and not overlap(report.total, comparison.old_total) then return "total seconds" end
  return nil
end

return figures
