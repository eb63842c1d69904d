--- The flat profile: how much time was spent in each function, and how often it was
-- called.
--
-- @module gprof.report.flat
-- SPDX-License-Identifier: GPL-3.0-or-later

local heading = require "gprof.heading"
local names = require "gprof.names"

-- Prefixes of units, largest first: those who came before found these sufficient.
local prefixes = {
  { "T", 1e-12 }, { "G", 1e-9 }, { "M", 1e-6 }, { "K", 1e-3 }, { " ", 1 }, { "m", 1e3 },
  { "u", 1e6 }, { "n", 1e9 }, { "p", 1e12 }, { "f", 1e15 }, { "a", 1e18 },
}

-- The unit in which the largest time per call of all functions has one to three
-- digits before the point; the largest unit if nothing was called, or took no time.
-- @treturn string prefix
-- @treturn number how many of that unit are in one unit of the histogram
local function call_unit(profile)
  local largest = 0
  for calls, ticks, children in
    profile:functions("address", "calls", "ticks", "children_ticks") do
    if calls > 0 then
      largest = math.max(largest, (ticks + children) / calls)
    end
  end
  largest = largest / profile.rate  -- in this order: it decides at the brink of a unit
  for _, prefix in ipairs(prefixes) do
    local scaled = prefix[2] * largest
    if scaled >= 1 and scaled < 1000 then
      return prefix[1], prefix[2]
    end
  end
  return prefixes[1][1], prefixes[1][2]
end

-- What comes before the columns: what a sample is.
local function write_title(profile, options, write)
  write(heading(options, "Flat profile:\n\n"))
  write(("Each sample counts as %g %s.\n"):format(1 / profile.rate, profile.unit))
  if profile.total_ticks <= 0 then
    write(" no time accumulated\n\n")
  end
end

-- How the report looks. Others may come with another look (`gprof.report.bsd.flat`):
-- title, ending: functions of (profile, options, write), what comes before and after.
-- unit: what figures per call are in, a function that returns prefix and scale.
-- called, other: the row of a function that was called, and that of another one.
-- names: a function of (profile, options) that returns one from numbers to names.
local gnu = {
  title = write_title,
  unit = call_unit,
  called = "%6.2f %9.2f %8.2f %8d %8.2f %8.2f  %s\n",
  other = "%6.2f %9.2f %8.2f                             %s\n",
}

function gnu.names(profile, options)
  return function(id) return names.of(profile, id, options) end
end

function gnu.ending(_, options, write)
  if not options.brief then
    write(require "gprof.explain".flat)
  end
end

local function write_heading(profile, options, prefix, write)
  local unit, abbreviation = profile.unit, profile.abbreviation
  local per_call = prefix
  if abbreviation ~= "" then
    per_call = prefix .. abbreviation .. "/call"
  end
  write(heading(options, "%5.5s %10.10s %8.8s %8.8s %8.8s %8.8s  %-8.8s\n"),
    "%  ", "cumulative", "self  ", "", "self  ", "total ", "")
  write(heading(options, "%5.5s %9.9s  %8.8s %8.8s %8.8s %8.8s  %-8.8s\n"),
    "time", unit, unit, "calls", per_call, per_call, "name")
end

local function write_rows(profile, options, look, scale, write)
  local rate, total = profile.rate, profile.total_ticks
  if total <= 0 then
    total = 1  -- so that percentages are 0 and not undefined
  end
  local cumulative, name = 0, look.names(profile, options)
  local color = options.color and require "gprof.color"
  for id, listed, ticks, children, calls in
    profile:functions("self", "id", "listed", "ticks", "children_ticks", "calls") do
    if listed and (ticks ~= 0 or calls ~= 0 or options.display_unused_functions) then
      cumulative = cumulative + ticks
      local percent, seconds = 100 * ticks / total, ticks / rate
      local row = calls ~= 0 and look.called or look.other
      if color then row = color.row(row, percent, total, ticks ~= 0 or calls ~= 0) end
      if calls ~= 0 then
        write(row, percent, cumulative / rate, seconds, calls,
          scale * ticks / rate / calls, scale * (ticks + children) / rate / calls, name(id))
      else
        write(row, percent, cumulative / rate, seconds, name(id))
      end
    end
  end
end

--- Prints the report.
-- @tparam profile profile with a histogram
-- @tparam table options `brief`: no explanation; `display_unused_functions`: rows
--   for functions without calls and time, too; `inline_file_names`, `print_path`; `color`
-- @tparam stream write
-- @tparam[opt] table look GNU gprof's, if absent
return function(profile, options, write, look)
  if not profile.rate then
    error("a flat profile needs a histogram, which this profile has not", 0)
  end
  look = look or gnu
  local prefix, scale = look.unit(profile)
  look.title(profile, options, write)
  write_heading(profile, options, prefix, write)
  write_rows(profile, options, look, scale, write)
  if look.ending then look.ending(profile, options, write) end
end
