--- What exceeds the limits of --fail-on, in words.
--
-- @internal gprof.print.failures
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local is_less <const> = require "gprof.format.column_order".is_less
local wording = require "gprof.format.wording"

local failures = {}

-- For each figure, what a message begins with.
local headings <const> = {
  calls = "more calls", self_calls = "more recursive calls",
  blocks = "more blocks executed", total = "slower", self = "slower itself",
}

--- Returns what a failure is about: "slower", "more calls" ...
-- @tparam table failure from `gprof.compare.failures`
-- @treturn string
function failures.heading(failure)
  return headings[failure.field]
end

--- Formats a count, which has a fraction if it is the mean of several runs.
-- @tparam number count
-- @treturn string
function failures.count(count)
  return (count == math.floor(count) and "%.0f" or "%.1f"):format(count)
end

-- Returns the functions that were not called before, which have a part in the growth of
-- the whole program; "" if there are none.
local function first_calls(comparison, field)
  local rows, names = {}, {}
  for _, row in ipairs(comparison) do
    local count = row[field]
    if count and count.old == 0 and count.new > 0 then rows[#rows + 1] = row end
  end
  table.sort(rows, function(a, b)
    if a[field].new ~= b[field].new then return a[field].new > b[field].new end
    return is_less(a.name, b.name)
  end)
  for i, row in ipairs(rows) do
    names[i] = ("%s %s"):format(row.name, failures.count(row[field].new))
  end
  return names[1] and ", not executed before: " .. wording.first(names) or ""
end

local function count_text(change)
  local most = change.most and change.most > change.old and
    (" (at most %s)"):format(failures.count(change.most)) or ""
  return ("%s%s to %s"):format(failures.count(change.old), most,
    failures.count(change.new))
end

--- Returns how much a figure grew: "1 to 4 seconds per run, 300.0 % more (error 0.22,
-- limit 5 %)".
-- @tparam table failure
-- @tparam comparison comparison
-- @treturn string
function failures.growth(failure, comparison)
  local change = failure.change
  local is_whole = failure.row == comparison and not change.error
  local growth = change.ratio and wording.growth(change)  -- "+300.0 %", or "25 times"
  if growth then
    growth = growth:find "^%+" and growth:sub(2) .. " more" or growth .. " as much"
  end
  return ("%s per run%s (%slimit %g %%)%s"):format(
    change.error and
      ("%s to %s %s"):format(wording.rounded(change.old, 3),
        wording.rounded(change.new, 3), comparison.unit) or
      count_text(change),
    growth and ", " .. growth or "",
    change.error and "error " .. wording.rounded(change.error, 2) .. ", " or "",
    failure.percent,
    is_whole and first_calls(comparison, failure.field) or "")
end

--- Returns the name of a failure's function, or "the whole program".
-- @tparam table failure
-- @tparam comparison comparison
-- @tparam[opt] {[table]=string} names by row, instead of the full names
-- @treturn string
function failures.name(failure, comparison, names)
  if failure.row == comparison then return "the whole program" end
  return names and names[failure.row] or failure.row.name
end

--- Returns where the function of a row begins.
-- @tparam table row of a comparison with the profile
-- @tparam[opt] profile profile the new profile, unless both sides are exports
-- @treturn string|nil its source file as recorded
-- @treturn integer|nil the line
function failures.place(row, profile)
  local id = profile and row.new_ids and row.new_ids[1]
  if not id then return row.new_file or row.old_file end
  local line = profile:get(id, "line")
  return row.new_file, line and line > 0 and line or nil
end

--- Describes a failure in one line: what failed, where, and by how much.
-- @tparam table failure
-- @tparam comparison comparison
-- @tparam profile profile the new profile
-- @tparam[opt] {[table]=string} names as for `failures.name`
-- @treturn string
function failures.describe(failure, comparison, profile, names)
  local file, line
  if failure.row ~= comparison then file, line = failures.place(failure.row, profile) end
  local where = file and
    (" (%s%s)"):format(base_name(file), line and ":" .. line or "")
  return ("%s: %s%s: %s"):format(failures.heading(failure),
    failures.name(failure, comparison, names), where or "",
    failures.growth(failure, comparison))
end

return failures
