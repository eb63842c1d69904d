--- The changes between two profiles as columns: arrays with a value for each row of a
-- comparison. A row is made of them when it is read, because there may be a hundred
-- thousand rows, and most are not shown.
--
-- The columns are the fields of a table: `was` and `is`, the old and the new function of
-- each row (see gprof.analysis.matching), or `changes.ABSENT`; `name`; and tables of
-- columns, which are nil unless both sides have them: `self` and `total`, times; `calls`,
-- `self_calls` and `blocks`, counts. A time has the columns `old`, `new`, `change`,
-- `error`, `least_error`, `missing_error` and `noise`; total times also `comparable`. A
-- count has `old`, `new`, `change` and `most`, which is nil where it is not above `old`.
--
-- @internal gprof.analysis.changes
-- SPDX-License-Identifier: GPL-3.0-or-later

local change_bounds = require "gprof.analysis.change_bounds"
local column_order = require "gprof.format.column_order"
local escape = require "gprof.format.escape"
local matching = require "gprof.analysis.matching"
local significance = require "gprof.analysis.significance"

local changes = {}

local abs <const>, max <const>, sqrt <const> = math.abs, math.max, math.sqrt

-- A time needs this many samples, in both profiles together, to be tested.
local MIN_SAMPLES <const> = 10

-- A difference below this fraction of its error is a rounding error, such as those of a
-- baseline, which has five digits of each time.
local ROUNDING <const> = 1e-3

--- Stands for the function of a side that lacks it.
changes.ABSENT = { ticks = 0, whole_ticks = 0, least_ticks = 0, most_ticks = 0,
  calls = 0, self_calls = 0, blocks = 0, count = 0, members = {} }

local ABSENT <const> = changes.ABSENT

-- Columns -------------------------------------------------------------------------------

-- Returns the values of a time: `old`, `new`, `change`, `error`, `least_error` and
-- `missing_error`. `spread` is the standard deviation of the old runs, if it is known:
-- the error of the change is at least that of the difference between the means.
local function time_values(old_ticks, new_ticks, old, new, spread)
  local before, now = old_ticks / old.samples, new_ticks / new.samples
  local least = spread and spread * sqrt(1 / old.runs + 1 / new.runs) or 0.0
  local by_chance = significance.error(before, now, old.independent, new.independent)
  local missing = significance.missing(before, now, old, new)
  local change, err = now - before, max(least, sqrt(by_chance ^ 2 + missing ^ 2))
  if abs(change) < ROUNDING * err then change = 0 end
  return before, now, change, err, least, missing
end

--- Returns the changes of a time, which are noise until `changes.mark_noise` tests them.
-- @tparam table rows the columns `was` and `is`
-- @tparam string ticks field with the time in ticks
-- @tparam string spread field with its standard deviation, if it is known
-- @tparam table old side as scripts see it (see gprof.compare)
-- @tparam table new
-- @treturn table
function changes.times(rows, ticks, spread, old, new)
  local olds, news, sizes, errors, leasts, missing, noise = {}, {}, {}, {}, {}, {}, {}
  local is = rows.is
  for i, was in ipairs(rows.was) do
    olds[i], news[i], sizes[i], errors[i], leasts[i], missing[i] =
      time_values(was[ticks], is[i][ticks], old, new, was[spread])
    noise[i] = true
  end
  return { old = olds, new = news, change = sizes, error = errors, least_error = leasts,
    missing_error = missing, noise = noise }
end

-- Returns what is certain of a change of a total time, see `change_bounds.compare`.
local function bounds_of(rows, total, number)
  return change_bounds.compare(total.old[number], total.new[number], rows.was[number],
    rows.is[number], rows.before, rows.now)
end

-- Returns the changes of total times, which are estimates within bounds.
local function total_times(rows, old, new)
  local total, comparable =
    changes.times(rows, "whole_ticks", "total_spread", old, new), {}
  rows.before, rows.now = old, new
  for i in ipairs(rows.was) do comparable[i] = bounds_of(rows, total, i) end
  total.comparable = comparable
  return total
end

-- Returns the changes of a count: a field of functions, 0 where it is missing.
local function counts(rows, field, old, new)
  local olds, news, sizes, most = {}, {}, {}, {}
  local is, highest_field = rows.is, matching.highest[field]
  for i, was in ipairs(rows.was) do
    local before, now = (was[field] or 0) / old.runs, (is[i][field] or 0) / new.runs
    local highest_count = (was[highest_field] or 0) / old.runs
    olds[i], news[i], sizes[i] = before, now, now - before
    if highest_count > before then most[i] = highest_count end
  end
  return { old = olds, new = news, change = sizes, most = most }
end

--- Returns the changes of functions.
-- @tparam table rows the columns `was` and `is`; gets the others
-- @tparam table old side as scripts see it (see gprof.compare)
-- @tparam table new
function changes.add(rows, old, new)
  local names, is = {}, rows.is
  for i, was in ipairs(rows.was) do names[i] = is[i].name or was.name end
  rows.name = names
  local sampled, counted = old.samples and new.samples, old.counted and new.counted
  rows.self = sampled and changes.times(rows, "ticks", "self_spread", old, new) or nil
  rows.total = sampled and counted and total_times(rows, old, new) or nil
  rows.calls = counted and counts(rows, "calls", old, new) or nil
  rows.self_calls = counted and counts(rows, "self_calls", old, new) or nil
  rows.blocks = old.has_blocks and new.has_blocks and counts(rows, "blocks", old, new) or
    nil
end

-- Noise ---------------------------------------------------------------------------------

-- Returns the numbers of the times to test. Leaves out times with few samples: the fewer
-- tests there are, the smaller the changes that can be distinguished from noise.
local function rows_to_test(times, old, new)
  local numbers, news, comparable = {}, times.new, times.comparable
  for i, before in ipairs(times.old) do
    local has_samples = before * old + news[i] * new >= MIN_SAMPLES
    local is_tested = has_samples and (not comparable or comparable[i])
    if is_tested then numbers[#numbers + 1] = i end
  end
  return numbers
end

--- Tests which changes are noise.
-- @tparam table result a comparison with `old`, `new` and `chance`; gets `times` and
--   `factor`
-- @tparam {table,...} lists changes of times
function changes.mark_noise(result, lists)
  local old, new = result.old.independent, result.new.independent
  local tested, count = {}, 0
  for n, times in ipairs(lists) do
    tested[n] = rows_to_test(times, old, new)
    count = count + #tested[n]
  end
  local factor = significance.deviations(result.chance / max(count, 1))
  result.times, result.factor = count, factor
  for n, times in ipairs(lists) do
    for _, i in ipairs(tested[n]) do
      times.noise[i] = abs(times.change[i]) <= factor * times.least_error[i] or
        significance.is_noise(times.old[i], times.new[i], old, new, factor,
          times.missing_error[i])
    end
  end
end

-- Returns the two times between which a total time certainly changed; equal ones if it
-- may not have changed at all.
local function certain_change(rows, number)
  local old_least, old_most = change_bounds.range(rows.was[number], rows.before)
  local new_least, new_most = change_bounds.range(rows.is[number], rows.now)
  if new_least > old_most then return old_most, new_least end
  if new_most < old_least then return old_least, new_most end
  return 0.0, 0.0
end

-- Whether samples without complete call paths may explain a change of a total time, or
-- hide one.
local function is_doubtful(result, rows, number)
  local total, before, now = rows.total, result.old, result.new
  local _, least, most = bounds_of(rows, total, number)
  local old, new = certain_change(rows, number)
  if total.noise[number] and
    change_bounds.are_close(total.old[number], total.new[number], least, most)
  then
    return false
  end
  return abs(new - old) <= result.factor * total.least_error[number] or
    significance.is_noise(old, new, before.independent, now.independent, result.factor,
      total.missing_error[number])
end

--- Finds the total times that are not comparable, because samples lack complete call
-- paths: only a change that is certain whoever called them is tested.
-- @tparam table result as for `changes.mark_noise`
-- @tparam table rows
function changes.mark_lacking(result, rows)
  local total = rows.total
  local is_complete = result.old.path_share == 1 and result.new.path_share == 1
  if not total or is_complete then return end
  for i in ipairs(total.noise) do
    if is_doubtful(result, rows, i) then
      total.comparable[i], total.noise[i] = false, true
    end
  end
end

-- Order ---------------------------------------------------------------------------------

-- Changes that differ by less than this are equal, except for rounding errors.
local QUANTUM <const> = 1e-9

-- Returns sort keys, the largest change first.
local function sizes_of(list)
  local sizes = {}
  for i, change in ipairs(list.change) do
    sizes[i] = -math.floor(abs(change) / QUANTUM + 0.5)
  end
  return sizes
end

--- Sorts rows by the sizes of their changes, then by name and file.
-- @tparam table rows
function changes.sort(rows)
  local keys, files, is = {}, {}, rows.is
  for _, field in ipairs { "self", "total", "calls" } do
    keys[#keys + 1] = rows[field] and sizes_of(rows[field])
  end
  for i, was in ipairs(rows.was) do files[i] = is[i].file or was.file or "" end
  keys[#keys + 1], keys[#keys + 2] = rows.name, files
  local order = column_order.by(keys)
  if not order then return end
  for _, field in ipairs { "was", "is", "name" } do
    rows[field] = column_order.picked(rows[field], order)
  end
  for _, field in ipairs { "self", "total", "calls", "self_calls", "blocks" } do
    if rows[field] then column_order.arrange(rows[field], order) end
  end
end

-- Rows ----------------------------------------------------------------------------------

--- Returns what a comparison is made of.
-- @tparam comparison comparison
-- @treturn table with the fields `columns`; `whole`, the columns of the time of the whole
--   program, or nil; `sides`, `old` and `new` (see gprof.compare); and `options`, or nil:
--   words of a command that name the old profiles
changes.of = getmetatable

--- Returns whether the recursive calls of a function changed. Only then do reports have
-- columns for these.
-- @tparam comparison comparison
-- @treturn boolean
function changes.in_recursion(comparison)
  local recursive = changes.of(comparison).columns.self_calls
  for _, change in ipairs(recursive and recursive.change or {}) do
    if change ~= 0 then return true end
  end
  return false
end

--- Returns the status of a row.
-- @tparam table rows
-- @tparam integer number
-- @treturn string "both", "new" or "gone"
function changes.status(rows, number)
  return rows.was[number] == ABSENT and "new" or rows.is[number] == ABSENT and "gone" or
    "both"
end

--- Returns the old name of a row if it is another one, as it is shown.
-- @tparam table rows
-- @tparam integer number
-- @treturn string|nil
function changes.old_name(rows, number)
  local before, now = rows.was[number].name, rows.is[number].name
  local differs = before and now and before ~= now and
    escape.utf8(before) ~= escape.utf8(now)
  return differs and before or nil
end

--- Returns the ratio of new to old.
-- @tparam number old
-- @tparam number new
-- @treturn number|nil nil if `old` is 0
function changes.ratio(old, new)
  return old > 0 and new / old or nil
end

--- Returns a change.
-- @tparam table|nil list changes of a time or count
-- @tparam integer number of the row
-- @treturn table|nil nil without changes
function changes.at(list, number)
  if not list then return nil end
  local change = {}
  for name, values in pairs(list) do change[name] = values[number] end
  change.ratio = changes.ratio(change.old, change.new)
  return change
end

-- Returns a change of a total time.
local function total_at(rows, number)
  local total = changes.at(rows.total, number)
  if total then
    total.least, total.most, total.old_most, total.new_least =
      select(2, bounds_of(rows, rows.total, number))
  end
  return total
end

--- Returns a row of a comparison (see gprof.compare).
-- @tparam table rows
-- @tparam integer number
-- @treturn table
function changes.row(rows, number)
  local was, is, new_ids = rows.was[number], rows.is[number], {}
  for i, f in ipairs(matching.members(is)) do new_ids[i] = f.id end
  return {
    name = rows.name[number],
    old_name = changes.old_name(rows, number),
    old_file = was.file, new_file = is.file, status = changes.status(rows, number),
    joined = max(was.count, is.count), new_ids = new_ids,
    self = changes.at(rows.self, number), total = total_at(rows, number),
    calls = changes.at(rows.calls, number),
    self_calls = changes.at(rows.self_calls, number),
    blocks = changes.at(rows.blocks, number),
  }
end

--- Numbers the functions.
-- @tparam table rows
-- @treturn {[table]=integer} the numbers of their rows, by function of either side
function changes.numbers(rows)
  local number_of = {}
  for _, side in ipairs { rows.was, rows.is } do
    for number, f in ipairs(side) do
      if not f.members then number_of[f] = number end
      for _, member in ipairs(f.members or {}) do number_of[member] = number end
    end
  end
  return number_of
end

return changes
