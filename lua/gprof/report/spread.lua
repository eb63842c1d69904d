--- How the time of each function differs between runs, such as the ranks of a parallel
-- program. The functions with the greatest loss by imbalance come first.
--
-- @module gprof.report.spread
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local imbalance = require "gprof.analysis.imbalance"
local layout = require "gprof.print.layout"
local distinct_names <const> = require "gprof.names".distinct
local wording = require "gprof.format.wording"

-- The widest name of a function or a run, in columns; longer ones are shortened.
local WIDEST <const> = 60

-- Returns the names of runs in one line each. Of long ones, the end is kept.
local function name_of_run(row, options)
  local name = (row.who or ""):gsub("%c", "?")
  local length = utf8.len(name)
  if (length or #name) <= WIDEST then return name end
  local mark, width = layout.mark(options)
  return mark .. name:sub(length and utf8.offset(name, width - WIDEST) or width - WIDEST)
end

-- Returns the names of the first `count` rows. Different names remain different, also
-- from those of rows that are not printed.
local function names_of(rows, count, options)
  local all, names = {}, {}
  for i, row in ipairs(rows) do all[i] = row.name end
  if options.full_names then return table.move(all, 1, count, 1, names) end
  local distinct, mark = distinct_names(all), (layout.mark(options))
  for i = 1, count do names[i] = distinct(i, "without arguments", WIDEST, mark) end
  return names
end

local function write_row(row, name, run, width, number, write)
  local line = (number .. " %8s " .. number .. " " .. number .. " " .. number .. " " ..
    number .. " %8d  %s  %s"):format(row.lost, row.ratio and
    ("%.2f"):format(row.ratio) or "", row.mean, row.min, row.max, row.deviation, row.runs,
    layout.padded(name, width), run)
  write("%s\n", (line:gsub(" +$", "")))
end

--- Prints the report.
-- @tparam profile profile with a spread; or by line, of data with a spread
-- @tparam table options `top`: the number of functions (default: all); `sort`: "calls"
--   shows calls in place of times; `brief`: no explanation; `full_names`; `color`
-- @tparam stream write
-- @raise a message if the profile has no spread
return function(profile, options, write)
  profile = profile:by_function()
  local total = profile.spread
  if not total then
    error("the spread between runs is not known: read the profiles with --spread", 0)
  end
  local field, unit = "calls", "calls"
  if total.self and options.sort ~= "calls" then field, unit = "self", profile.unit end
  local rows = imbalance.of(profile, field)
  local whole = total[field]
  whole.name = "(whole run)"
  table.insert(rows, 1, whole)
  local count = math.min(#rows, (options.top or #rows) + 1)
  local names = names_of(rows, count, options)
  local width = layout.width(names, "function")
  write(common.heading(options, "Spread of %s over %s:\n\n"),
    field == "self" and ("self time (%s)"):format(unit) or "calls",
    wording.plural(total.runs, "run"))
  local line = "%9s %8s %9s %9s %9s %9s %8s  %s  %s\n"
  write(common.heading(options, line), "lost", "max/mean", "mean", "min", "max",
    "deviation", "runs", layout.padded("function", width), "maximum in")
  local number = "%9.2f"
  if field == "self" then number = "%9." .. common.decimals(1 / profile.rate) .. "f" end
  for i = 1, count do
    write_row(rows[i], names[i], name_of_run(rows[i], options), width, number, write)
  end
  if total.skipped > 0 then
    write("\n%s without a spread: not included\n", wording.plural(total.skipped, "sum"))
  end
  if not options.brief then write(require "gprof.print.explain".spread) end
end
