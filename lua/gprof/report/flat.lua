--- The flat profile: how much time was spent in each function, and how often it was
-- called.
--
-- @module gprof.report.flat
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local core = require "gprof.core"
local labels = require "gprof.print.labels"

-- SI prefixes, from the largest to the smallest unit, each with the factor that converts
-- from the histogram's unit.
local prefixes = {
  { "T", 1e-12 }, { "G", 1e-9 }, { "M", 1e-6 }, { "K", 1e-3 }, { " ", 1 }, { "m", 1e3 },
  { "u", 1e6 }, { "n", 1e9 }, { "p", 1e12 }, { "f", 1e15 }, { "a", 1e18 },
}

-- Returns the unit in which the largest time per call has one to three digits before the
-- point. If there is none, for example without calls, returns the largest unit.
-- @treturn string prefix
-- @treturn number its scale
local function call_unit(profile)
  local largest = core.longest_call(profile) / profile.rate
  for _, prefix in ipairs(prefixes) do
    local scaled = prefix[2] * largest
    if scaled >= 1 and scaled < 1000 then
      return prefix[1], prefix[2]
    end
  end
  return prefixes[1][1], prefixes[1][2]
end

-- Writes the title and the line about samples.
local function write_title(profile, options, write)
  write(common.heading(options, "Flat profile:\n\n"))
  write(("Each sample counts as %g %s.\n"):format(1 / profile.rate, profile.unit))
  common.write_threads(profile, write)
  if profile.total_ticks <= 0 then
    write(" no time accumulated\n\n")
  end
end

-- The look of the report; `gprof.report.bsd.flat` has another look. `title` and `ending`
-- are functions of (profile, options, write) that write the text before and after the
-- rows. `unit` is a function that returns the prefix and the scale of times per call.
-- `called` and `other` are formats of rows (see csrc/lua/flat.c). `labels` is a function
-- of (profile, options) that returns the names of functions.
local gnu = {
  title = write_title,
  unit = call_unit,
  called = "%1$6.2f %2$9.2f %3$8.2f %4$8d %5$8.2f %6$8.2f  %7$s\n",
  other = "%1$6.2f %2$9.2f %3$8.2f                             %7$s\n",
  labels = labels.of,
}

function gnu.ending(profile, options, write)
  if options.brief then return end
  local explain = require "gprof.print.explain"
  write(explain.flat)
  if options.errors then write(explain.errors) end
  local bounds = common.bounds(profile, options)
  if bounds then bounds.explain(profile, write) end
end

-- Adds the error to the format of a row, after the seconds, with enough digits to show
-- one sample.
local function with_error(row, rate)
  local decimals = common.decimals(1 / rate)
  return (row:gsub("%%3%$8%.2f", "%0 %%8$8." .. decimals .. "f"))
end

-- Widths in columns: of everything before the name, and of the error.
local TAKEN <const>, ERROR <const> = 54, 9

-- Returns the number of columns before the name.
local function columns_taken(options, bounds)
  return TAKEN + (options.errors and ERROR or 0) + (bounds and bounds.WIDTH or 0)
end

local function write_heading(profile, options, prefix, bar, write)
  local unit, abbreviation = profile.unit, profile.abbreviation
  local per_call = prefix
  if abbreviation ~= "" then
    per_call = prefix .. abbreviation .. "/call"
  end
  local above, below = "", ""
  if options.errors then
    above, below = "   self  ", "    error"
  end
  local bounds = common.bounds(profile, options)
  local limits = bounds and bounds.HEADING:sub(1, -2) or ""  -- rows have the mark there
  local total = bounds and "    total    total" or ""
  local gap = bar and (" "):rep(bar + 1) or ""
  write(common.heading(options, "%5.5s %10.10s %8.8s%s %8.8s %8.8s %8.8s%s  %s%-8.8s\n"),
    "%  ", "cumulative", "self  ", above, "", "self  ", "total ", total, gap, "")
  write(common.heading(options, "%5.5s %9.9s  %8.8s%s %8.8s %8.8s %8.8s%s  %s%-8.8s\n"),
    "time", unit, unit, below, "calls", per_call, per_call, limits, gap, "name")
end

-- Sort keys for the option `sort`, ascending, from the fields of a function. Names are
-- compared without return types.
local keys <const> = {
  total = function(ticks, children) return -(ticks + children) end,
  calls = function(_, _, calls) return -calls end,
  name = function(_, _, _, name) return core.short_name(name, "without parameters") end,
}

-- Returns the ids of all functions, sorted by a field; nil for the default order, which
-- also decides between equal functions.
local function sorted(profile, field)
  local key_of = keys[field]
  if not key_of then return nil end
  local ids, key, place = {}, {}, {}
  for id, ticks, children, calls, name in
    profile:functions(nil, "id", "ticks", "children_ticks", "calls", "name")
  do
    ids[#ids + 1] = id
    key[id], place[id] = key_of(ticks, children, calls, name), #ids
  end
  table.sort(ids, function(a, b)
    if key[a] ~= key[b] then return key[a] < key[b] end
    return place[a] < place[b]
  end)
  return ids
end

--- Prints the report.
-- @tparam profile profile with a histogram
-- @tparam table options `brief`: no explanation; `display_unused_functions`: also print
--   functions without calls and time; `errors`: add a column with the error of self
--   times; `bounds`: add columns with the bounds of total times, if the profile has them;
--   `sort`: "self" (default), "total", "calls" or "name"; `top`: the largest
--   number of rows; `short_names`: omit parameters and template arguments of names;
--   `inline_file_names`, `print_path`; `color`; `terminal_width`: the length of lines,
--   for shortened names and bars; `full_names`: do not shorten names
-- @tparam stream write
-- @tparam[opt] table look by default GNU gprof's
return function(profile, options, write, look)
  if not profile.rate then
    error("a flat profile needs a histogram, which this profile lacks", 0)
  end
  look = look or gnu
  local prefix, scale = look.unit(profile)
  local layout = options.terminal_width and look == gnu and require "gprof.print.layout"
  local bounds = common.bounds(profile, options)
  local bar = layout and layout.bar_length(options, columns_taken(options, bounds))
  local paint = options.color and require "gprof.print.color".painter(profile.total_ticks)
  look.title(profile, options, write)
  write_heading(profile, options, prefix, bar, write)
  local function row(format)
    format = options.errors and with_error(format, profile.rate) or format
    format = bounds and bounds.flat_row(format) or format
    return bar and layout.with_bar(format) or format
  end
  core.write_flat(write, profile, {
    called = row(look.called),
    other = row(look.other),
    labels = look.labels(profile, options),
    scale = scale,
    unused = options.display_unused_functions,
    top = options.top,
    order = sorted(profile, options.sort),
    paint = bar and layout.painter(bar, paint) or paint,
  })
  if bounds then bounds.write_note(profile, write) end
  if look.ending then look.ending(profile, options, write) end
end
