--- Gates: which functions exceed the limits that --fail-on sets.
--
-- A rule is a table: `kind`; `percent`, the growth that is tolerated; and `functions`, a
-- set of ids in the new profile to which the rule applies, or nil for all functions and
-- the whole program. A rule with functions takes precedence over one without, and a
-- later one over an earlier one. The kinds:
--
-- - `"calls"`: calls by others, and recursive calls;
-- - `"blocks"`: executions of basic blocks;
-- - `"total"`: time, callees included;
-- - `"self"`: time in the function's own code;
-- - `"time"`: total times, or self times if no calls were recorded.
--
-- Counts are exact: any growth beyond the limit counts. A time must exceed its limit by
-- more than chance and missing samples explain, whatever the true total times are within
-- their limits.
--
-- @internal gprof.analysis.gate
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "gprof.analysis.changes"
local significance = require "gprof.analysis.significance"

local gate = {}

-- Limits, and sums of means of several runs, have rounding errors below this part.
local ROUNDING <const> = 1e-13

-- Times are not tested if samples stand for less than this part of the processor time.
local LEAST_COVERAGE <const> = 0.5

-- The fields of a row that each kind of rule tests.
local fields <const> = {
  calls = { "calls", "self_calls" }, blocks = { "blocks" }, total = { "total" },
  self = { "self" }, time = { "total" },
}

-- Parsing -------------------------------------------------------------------------------

-- The kinds that can be named; a percentage alone is of the kind "time".
local named <const> = { calls = true, blocks = true, total = true, self = true }

--- Returns whether a table has the fields of a rule that every rule needs.
-- @tparam table rule
-- @treturn boolean
function gate.is_rule(rule)
  return (named[rule.kind] or rule.kind == "time") and
    type(rule.percent) == "number" and rule.percent >= 0
end

-- Parses "5", "5%", "calls:5%". Returns a rule, or nil.
local function rule_of(text)
  local kind, digits = text:match "^(%l+):(%d+%.?%d*)%%?$"
  digits = digits or text:match "^(%d+%.?%d*)%%?$"
  if not digits or kind and not named[kind] then return nil end
  return { kind = kind or "time", percent = tonumber(digits) }
end

--- Parses an argument of --fail-on: rules, separated by commas, and optionally "@" and a
-- symspec, to whose functions the rules are limited.
-- @tparam string text such as "calls:1%,total:5%@parse"
-- @treturn[1] {table,...} rules, each with the field `spec`, or without
-- @return[2] nil
function gate.parse(text)
  local list, spec = text:match "^([^@]*)@(.+)$"
  local rules = {}
  for word in ((list or text) .. ","):gmatch "([^,]*)," do
    local rule = rule_of(word)
    if not rule then return nil end
    rule.spec = spec
    rules[#rules + 1] = rule
  end
  return rules
end

-- Comparing -----------------------------------------------------------------------------

-- Whether a count grew by more than a percentage. `most` is the largest count of the old
-- runs, if it is known.
local function exceeds(count, percent)
  local base = math.max(count.most or 0, count.old)
  local is_whole = math.floor(base) == base and math.floor(count.new) == count.new
  local limit = base * percent / 100
  return count.new - base > limit + (is_whole and limit or base) * ROUNDING
end

-- Whether a time grew significantly by more than a percentage. Compares the new time with
-- the largest time allowed, which is the old time multiplied by a factor. The error of
-- the old time is multiplied by the same factor. `shift` (see gprof.analysis.inlining) is
-- time that may have moved because of inlining.
local function has_grown(time, percent, result, shift, field)
  local factor = 1 + percent / 100
  local old, new = time.old_most or time.old, time.new_least or time.new
  if shift then
    old = old + (field == "self" and shift.inlined or 0)
    new = math.max(new - shift["outlined_" .. field], 0)
  end
  local limit, rate = old * factor, result.old.independent / factor
  local missing = significance.missing(limit, new, result.old, result.new)
  return not time.noise and new - limit > result.factor * factor * time.least_error and
    not significance.is_noise(limit, new, rate, result.new.independent, result.factor,
      missing)
end

-- Returns what to compare with the limit. Recursive calls of a function that had none
-- before are compared together with its other calls.
local function tested(row, field)
  local change, calls = row[field], row.calls
  if field ~= "self_calls" or not change or change.old > 0 then return change end
  return { old = calls.old, new = change.new > 0 and calls.new + change.new or 0,
    most = calls.most }
end

-- Whether a row exceeds a rule's limit. A function without calls or blocks in the old
-- profile counts in the whole program, unless the rule names the function: it may be new,
-- and from 0 there is no percentage.
local function fails(row, field, rule, result, shift)
  local change = tested(row, field)
  if not change then return false end
  local is_known = row == result or row.status == "both"
  if not rule.functions and not (is_known and (change.error or change.old > 0)) then
    return false
  end
  if not change.error then return exceeds(change, rule.percent) end
  return has_grown(change, rule.percent, result, shift, field)
end

-- Whether a failure may be due to inlining alone.
local function is_excused(row, field, rule, result, shift)
  return shift ~= nil and not fails(row, field, rule, result, shift)
end

-- Rules ---------------------------------------------------------------------------------

local function applies_to(rule, row)
  if not rule.functions then return true end
  for _, id in ipairs(row.new_ids) do
    if rule.functions[id] then return true end
  end
  return false
end

-- Returns the rule of a kind for a row; nil if there is none.
local function rule_for(rules, kind, row)
  local general
  for i = #rules, 1, -1 do
    local rule = rules[i]
    if rule.kind == kind and applies_to(rule, row) then
      if rule.functions then return rule end
      general = general or rule
    end
  end
  return general
end

-- Returns the kinds of a list of rules, in the order of their first rules.
local function kinds_of(rules)
  local kinds, known = {}, {}
  for _, rule in ipairs(rules) do
    if not known[rule.kind] then kinds[#kinds + 1] = rule.kind end
    known[rule.kind] = true
  end
  return kinds
end

local lacks <const> = {
  calls = "have no call counts in common",
  blocks = "have no counts of basic blocks in common",
  total = "have no times and calls in common, so there are no total times",
  self = "have no times in common",
}

local has_counts <const> = { calls = true, blocks = true }

--- Returns which profile has the lower coverage, if rules test times.
-- @tparam comparison result
-- @tparam {table,...} rules
-- @treturn string|nil what is missing of it; nil if nothing is
-- @treturn boolean|nil whether that is too much to test times
function gate.missing_samples(result, rules)
  local old, new = result.old.coverage, result.new.coverage
  local coverage, is_timed = math.min(old, new), false
  for _, rule in ipairs(rules) do is_timed = is_timed or not has_counts[rule.kind] end
  if not is_timed or coverage == 1 then return nil end
  return ("samples of the %s profile stand for only %.0f%% of the processor time"):format(
    new < old and "new" or "old", 100 * coverage), coverage < LEAST_COVERAGE
end

--- Returns why rules cannot be checked: the profiles lack the figures.
-- @tparam comparison result
-- @tparam {table,...} rules
-- @treturn string|nil
function gate.lack(result, rules)
  local times = result.total ~= nil
  local counted = result.old.counted and result.new.counted
  local has <const> = { calls = counted, total = times and counted, self = times,
    blocks = result.old.has_blocks and result.new.has_blocks }
  for _, rule in ipairs(rules) do
    local kind = rule.kind == "time" and "self" or rule.kind
    if not has[kind] then return ("the profiles %s"):format(lacks[kind]) end
  end
  local missing, is_too_much = gate.missing_samples(result, rules)
  return is_too_much and missing or nil
end

-- The names of the figures of the whole program, which is a row of its own: the
-- comparison.
local whole <const> = { calls = "calls", blocks = "blocks", time = "total",
  total = "total", self = "total" }

-- Whether a total time says nothing about how it changed: see
-- gprof.analysis.change_bounds.
local function is_estimate(row)
  return row.total ~= nil and row.total.comparable == false
end

-- Returns the figures of a row that rules of a kind test.
local function fields_of(kind, row)
  local is_timed = row.total and not is_estimate(row)
  if kind == "total" and not is_timed then return {} end
  return kind == "time" and not is_timed and fields.self or fields[kind]
end

-- The figures of functions that rules test.
local FIGURES <const> = { "self", "total", "calls", "self_calls", "blocks" }

-- Returns the rows in which a figure has grown: no others can exceed a limit. A row is
-- made when it is read, and most have not grown.
local function grown_rows(result)
  local columns, lists, rows = changes.of(result).columns, {}, {}
  for _, field in ipairs(FIGURES) do
    lists[#lists + 1] = columns[field] and columns[field].change
  end
  for number in ipairs(columns.was) do
    for _, sizes in ipairs(lists) do
      if sizes[number] > 0 then
        rows[#rows + 1] = result[number]
        break
      end
    end
  end
  return rows
end

-- Returns a function that adds a failure, unless another rule found the same one.
local function adder(failures)
  local known = {}
  return function(row, field, rule)
    known[row] = known[row] or {}
    if known[row][field] then return end
    known[row][field] = true
    failures[#failures + 1] = { row = row, field = field, change = row[field],
      kind = rule.kind, percent = rule.percent }
  end
end

-- Returns a function that returns the shift of a row (see gprof.analysis.inlining); nil
-- if there are no times of calls.
local function shift_finder(result)
  local sides, shifts = changes.of(result).sides, nil
  if not (result.total and sides.old.arcs and sides.new.arcs) then
    return function() end
  end
  local function find_shifts()
    local number_of = changes.numbers(changes.of(result).columns)
    return require "gprof.analysis.inlining".shifts(sides, function(f)
      return result[number_of[f]]
    end, result)
  end
  return function(row)
    shifts = shifts or find_shifts()
    return shifts[row]
  end
end

--- Finds what exceeds its limit.
-- @tparam comparison result
-- @tparam {table,...} rules
-- @treturn {table,...} failures, in the order of the rules and of the comparison: `row`,
--   or the comparison itself for the whole program; `field`, the name of the figure in
--   the row, and `change`, its value; `kind` and `percent` of the rule
function gate.failures(result, rules)
  local failures, shift_of = {}, shift_finder(result)
  local add, rows = adder(failures), grown_rows(result)
  for _, kind in ipairs(kinds_of(rules)) do
    local general = rule_for(rules, kind, { new_ids = {} })
    if general and fails(result, whole[kind], general, result) then
      add(result, whole[kind], general)
    end
    for position = 1, #fields[kind] do
      for _, row in ipairs(rows) do
        local field = fields_of(kind, row)[position]
        local rule = field and rule_for(rules, kind, row)
        local is_timed = rule and row[field] and row[field].error
        if rule and fails(row, field, rule, result) and
          not (is_timed and is_excused(row, field, rule, result, shift_of(row)))
        then
          add(row, field, rule)
        end
      end
    end
  end
  return failures
end

-- Whether a total time seems to exceed a rule's limit, if the estimate were the truth.
local function seems_to_fail(row, rule, result)
  if not rule then return false end
  local total = row.total
  local estimate = { old = total.old, new = total.new, least_error = total.least_error }
  return has_grown(estimate, rule.percent, result)
end

--- Counts the total times that seem to exceed a limit, but are estimates that cannot be
-- compared.
-- @tparam comparison result
-- @tparam {table,...} rules
-- @treturn integer how many are not tested
-- @treturn integer for how many the self time is tested instead
function gate.untested(result, rules)
  local ignored, replaced = 0, 0
  for _, row in ipairs(grown_rows(result)) do
    if is_estimate(row) and row.status == "both" then
      local total, time = rule_for(rules, "total", row), rule_for(rules, "time", row)
      if seems_to_fail(row, total, result) then ignored = ignored + 1 end
      if seems_to_fail(row, time, result) then replaced = replaced + 1 end
    end
  end
  return ignored, replaced
end

return gate
