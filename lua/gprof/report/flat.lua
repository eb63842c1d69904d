--- The flat profile: how much time was spent in each function, and how often it was
-- called.
--
-- @module gprof.report.flat
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local labels = require "gprof.print.labels"

-- The heading ---------------------------------------------------------------------------

-- SI prefixes, from the largest to the smallest unit, each with the factor that converts
-- from the histogram's unit.
local prefixes = {
  { "T", 1e-12 }, { "G", 1e-9 }, { "M", 1e-6 }, { "K", 1e-3 }, { " ", 1 }, { "m", 1e3 },
  { "u", 1e6 }, { "n", 1e9 }, { "p", 1e12 }, { "f", 1e15 }, { "a", 1e18 },
}

-- Returns the largest time per call, with callees. GNU gprof includes functions that are
-- not printed.
local function longest_call(profile)
  local longest, all = 0, profile.gnu_compat
  for calls, ticks, children, listed in
    profile:functions("address", "calls", "ticks", "children_ticks", "listed")
  do
    if calls ~= 0 and (listed or all) then
      local per_call = (ticks + children) / calls
      if per_call > longest then longest = per_call end
    end
  end
  return longest / profile.rate
end

-- Returns the unit in which the largest time per call has one to three digits before the
-- point. If there is none, for example without calls, returns the largest unit.
-- @treturn string prefix
-- @treturn number its scale
local function call_unit(profile)
  local largest = longest_call(profile)
  for _, prefix in ipairs(prefixes) do
    local scaled = prefix[2] * largest
    if scaled >= 1 and scaled < 1000 then
      return prefix[1], prefix[2]
    end
  end
  return prefixes[1][1], prefixes[1][2]
end

-- Formats a time in its own unit, such as "206 ns".
local function in_own_unit(time, abbreviation)
  for _, prefix in ipairs(prefixes) do
    local scaled = prefix[2] * time
    if scaled >= 0.9995 then
      local digits = scaled < 9.995 and 2 or scaled < 99.95 and 1 or 0
      return ("%." .. digits .. "f %s%s"):format(scaled, prefix[1]:match "%S*",
        abbreviation)
    end
  end
  return "0 " .. abbreviation
end

-- The layout of the report; `gprof.report.bsd.flat` has another. `title` and `ending`
-- are functions of (profile, options, write, with_calls) that write the text before and
-- after the rows; `with_calls`: there are columns of calls. `unit` is a function that
-- gives the prefix and the scale of times per call. `percent` and `cumulative` are the
-- first columns. `labels` is a function of (profile, options) that returns the names of
-- functions.
local gnu = {
  unit = call_unit,
  percent = "%{percent:6.2f}",
  cumulative = "%{cumulative:9.2f}",
  labels = labels.of,
  has_bars = true,
}

-- Writes the title and the line about samples.
function gnu.title(profile, options, write, with_calls)
  write(common.heading(options, "Flat profile:\n\n"))
  write(("Each sample counts as %g %s.\n"):format(1 / profile.rate, profile.unit))
  if profile.has_call_paths then require "gprof.print.clock".write(profile, write) end
  local write_note = with_calls and common.write_path_share or common.write_samples_alone
  write_note(profile, write)
  common.write_threads(profile, write)
  if profile.total_ticks <= 0 then
    write(" no time accumulated\n\n")
  end
end

function gnu.ending(profile, options, write, with_calls)
  if options.brief then return end
  local explain = require "gprof.print.explain"
  write(with_calls and explain.flat or explain.without_calls(explain.flat))
  if options.errors then write(explain.errors) end
  local bounds = common.bounds(profile, options)
  if bounds then bounds.explain(profile, write) end
end

-- `prefix` is that of the unit of times per call; nil if each has its own. `gap` is the
-- width of the bars before names. `with_calls`: there are columns of calls.
local function write_heading(profile, options, prefix, gap, write, with_calls)
  local unit, abbreviation = profile.unit, profile.abbreviation
  local per_call = not prefix and "/call" or
    abbreviation == "" and prefix or prefix .. abbreviation .. "/call"
  local above, below = "", ""
  if options.errors then
    above, below = "   self  ", "    error"
  end
  local bounds = common.bounds(profile, options)
  local limits = bounds and bounds.HEADING:sub(1, -2) or ""  -- rows have the mark there
  local total = bounds and "    total    total" or ""
  local bar = (" "):rep(gap)
  local columns = with_calls and " %8.8s %8.8s %8.8s" or ""
  write(common.heading(options, "%5.5s %10.10s %8.8s%s%s%s  %s%-8.8s\n"), "%  ",
    "cumulative", "self  ", above, columns:format("", "self  ", "total "), total, bar, "")
  write(common.heading(options, "%5.5s %9.9s  %8.8s%s%s%s  %s%-8.8s\n"), "time", unit,
    unit, below, columns:format("calls", per_call, per_call), limits, bar, "name")
end

-- The rows ------------------------------------------------------------------------------

local CALLS <const> = 27  -- width of the columns with calls

-- Returns the formats of the rows of functions with and without recorded calls. `bar` is
-- the column before names, `per_call` the conversion of times per call in formats.
-- `with_calls`: there are columns of calls.
local function formats_of(profile, options, layout, bar, per_call, with_calls)
  local bounds = common.bounds(profile, options)
  local times = layout.percent .. " " .. layout.cumulative .. " %{self:8.2f}"
  if options.errors then  -- with enough digits to show one sample
    times = ("%s %%{self_error:8.%df}"):format(times, common.decimals(1 / profile.rate))
  end
  local name = (bounds and bounds.COLUMNS .. " " or "  ") .. bar .. "%{label}\n"
  return times .. " %{calls:8d} %{self_per_call:" .. per_call .. "} %{total_per_call:" ..
    per_call .. "}" .. name, times .. (" "):rep(with_calls and CALLS or 0) .. name
end

-- Iterates over all functions in the order of the report: number, samples, samples in
-- callees, calls, and whether the user's selection includes the function.
local function functions_of(profile, options)
  if options.sort and options.sort ~= "self" then
    return require "gprof.print.sorted_functions"(profile, options.sort)
  end
  return profile:functions("self", "id", "ticks", "children_ticks", "calls", "listed")
end

-- Writes the rows. `per_call` takes the samples of calls and their number, and returns
-- the time per call as it is shown; `called` and `uncalled` write the row of a function.
local function write_rows(profile, options, per_call, called, uncalled)
  local all, left = options.display_unused_functions, options.top or -1
  local bounds = common.bounds(profile, options)
  local mark = bounds and bounds.marker(profile)
  local rate, outside, cumulative = profile.rate, profile.outside, 0
  for id, ticks, children, calls, listed in functions_of(profile, options) do
    if left == 0 then break end
    if listed and (all or ticks ~= 0 or calls ~= 0) and id ~= outside then
      local row = calls ~= 0 and called or uncalled
      cumulative, left = cumulative + ticks, left - 1
      row(id, cumulative / rate, per_call(ticks, calls),
        per_call(ticks + children, calls), mark and mark(id))
    end
  end
end

-- Returns the function that colours rows, and draws bars of the given length; nil without
-- colours and bars.
local function painter(profile, options, length)
  local paint
  if options.color then
    local shade = require "gprof.print.color".painter(profile.total_ticks)
    function paint(format, percent, ticks, calls)
      return shade(format, percent, ticks ~= 0 or calls ~= 0, false)
    end
  end
  return length and require "gprof.print.layout".painter(length, paint) or paint
end

-- Widths in columns: of everything before the name, and of the error.
local TAKEN <const>, ERROR <const> = 54, 9

-- Returns the length of bars; nil without bars.
local function bar_length(profile, options, layout, with_calls)
  if not (options.terminal_width and layout.has_bars) then return nil end
  local bounds = common.bounds(profile, options)
  local taken = with_calls and TAKEN or TAKEN - CALLS
  return require "gprof.print.layout".bar_length(options,
    taken + (options.errors and ERROR or 0) + (bounds and bounds.WIDTH or 0))
end

-- Returns the prefix of the unit of times per call; the function that computes them, from
-- samples and calls; and their conversion in formats. On a terminal, each time has its
-- own unit, and the prefix is nil.
local function unit_of(profile, options, layout)
  local rate, abbreviation = profile.rate, profile.abbreviation
  if options.terminal_width and layout.has_bars and abbreviation ~= "" then
    return nil, function(ticks, calls)
      return in_own_unit(ticks / rate / calls, abbreviation)
    end, "8s"
  end
  local prefix, scale = layout.unit(profile)
  -- in another order, other decimals would be rounded than GNU gprof's
  return prefix, function(ticks, calls) return scale * ticks / rate / calls end, "8.2f"
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
-- @tparam[opt] table layout by default GNU gprof's
return function(profile, options, write, layout)
  if not profile.rate then
    error("a flat profile needs a histogram, which this profile lacks", 0)
  end
  layout = layout or gnu
  local with_calls = profile.gnu_compat or not common.has_samples_alone(profile)
  local prefix, per_call, conversion = unit_of(profile, options, layout)
  local length = bar_length(profile, options, layout, with_calls)
  local bar = length and require "gprof.print.layout".BAR .. " " or ""
  local called, uncalled =
    formats_of(profile, options, layout, bar, conversion, with_calls)
  local columns <const> = {
    labels = layout.labels(profile, options),
    values = { "cumulative", "self_per_call", "total_per_call", "mark" },
    paint = painter(profile, options, length),
    paint_by = { "percent", "ticks", "calls" },
  }
  layout.title(profile, options, write, with_calls)
  local gap = length and length + 1 or 0
  write_heading(profile, options, prefix, gap, write, with_calls)
  write_rows(profile, options, per_call, write:rows(profile, "function", called, columns),
    write:rows(profile, "function", uncalled, columns))
  local bounds = common.bounds(profile, options)
  if bounds then bounds.write_note(profile, write) end
  if layout.ending then layout.ending(profile, options, write, with_calls) end
end
