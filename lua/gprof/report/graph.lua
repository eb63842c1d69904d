--- The call graph: each function with its callers and callees.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local core = require "gprof.core"
local labels = require "gprof.print.labels"
local policy = require "gprof.library.policy"

-- The look of the report; `gprof.report.bsd.graph` has another look. `heading` and
-- `ending` are functions of (profile, options, write) that write the text before and
-- after the entries. `primary` is the format of an entry's primary line, up to its calls;
-- the formats `arc`, `inner_arc`, `member`, `recursive_member`, `spontaneous` and `rule`
-- are described in csrc/lua/entries.c. Values 3 and 4 of a format are seconds. `name` is
-- the field with a function's name.
local gnu = {
  primary = "%1$-6.6s %2$5.1f %3$7.2f %4$7.2f",
  arc = "             %3$7.2f %4$7.2f %5$7d/%6$-7d     %1$s\n",
  inner_arc = "                             %5$7d             %1$s\n",
  member = "             %3$7.2f %4$7.2f %5$7d             %1$s\n",
  recursive_member = "             %3$7.2f %4$7.2f %5$7d+%2$-7d     %1$s\n",
  spontaneous = (" "):rep(49) .. "<spontaneous>\n",
  rule = ("-"):rep(47) .. "\n",
  name = "name",
}

function gnu.heading(profile, options, write)
  write(common.heading(options, options.brief and "\t\t\tCall graph\n\n" or
    "\t\t     Call graph (explanation follows)\n\n"))
  common.write_graph_granularity(profile, options, write)
  local bounds = common.bounds(profile, options)
  write(common.heading(options, ("index %% time    self  children%s    called     name\n")
    :format(bounds and bounds.HEADING or "")))
end

function gnu.ending(profile, options, write)
  if options.brief then return end
  local explain = require "gprof.print.explain"
  write(explain.times("graph", profile))
  write(explain.inlined(profile))
  local bounds = common.bounds(profile, options)
  if bounds then bounds.explain(profile, write) end
end

-- Replaces the seconds in a format with "-nan".
local function undefined(line)
  return (line:gsub("%%[34]%$(%d+)%.2f", function(width)
    return ("%" .. width .. "s"):format("-nan")
  end))
end

local with_seconds = { "primary", "arc", "inner_arc", "member", "recursive_member" }

local function with_undefined_seconds(look)
  local changed = setmetatable({}, { __index = look })
  for _, line in ipairs(with_seconds) do changed[line] = undefined(look[line]) end
  return changed
end

-- Returns the format of a line without the numbers of calls.
local function without_calls(arc)
  return (arc:gsub("%%5%$7d/%%6%$%-7d", (" "):rep(15)))
end

-- Returns the formats of the lines of functions that were only inlined.
local function inlined_arcs(look)
  return (look.arc:gsub("%%5%$7d/%%6%$%-7d", "    inlined    ")),
    (look.inner_arc:gsub("%%5%$7d", "inlined"))
end

-- Returns the argument for core.write_entries.
local function lines_of(profile, options, look)
  local inlined_arc, inlined_inner_arc = inlined_arcs(look)
  return setmetatable({
    recursive = look.primary .. " %5$7d+%6$-7d %7$s\n",
    called = look.primary .. " %5$7d         %7$s\n",
    other = look.primary .. "                 %7$s\n",
    uncounted_arc = without_calls(look.arc),
    inlined_arc = inlined_arc,
    inlined_inner_arc = inlined_inner_arc,
    labels = labels.references(profile, options, look.name),
    unused = options.display_unused_functions,
    top = options.top,
    paint = options.color and require "gprof.print.color".painter(profile.graph_ticks),
  }, { __index = look })
end

--- Prints the report, without the index (`gprof.report.index`).
-- @tparam profile profile
-- @tparam table options `brief`: no explanation; `display_unused_functions`: also print
--   entries of functions without calls and time; `top`: the largest number of entries;
--   `bounds`: add the bounds of total times, if the profile has them;
--   `inline_file_names`, `print_path`; `color`; `terminal_width`: the length of lines,
--   for shortened names; `full_names`: do not shorten names; `short_names`: omit
--   parameters and template arguments of names; `gnu_compat`
-- @tparam stream write
-- @tparam[opt] table look by default GNU gprof's
return function(profile, options, write, look)
  look = look or gnu
  if not profile.rate and policy.of(options).divides_by_no_rate then
    look = with_undefined_seconds(look)
  end
  local bounds = common.bounds(profile, options)
  if bounds then look = bounds.graph_look(look) end
  look.heading(profile, options, write)
  core.write_entries(write, profile, lines_of(profile, options, look))
  if bounds then bounds.write_note(profile, write) end
  if look.ending then look.ending(profile, options, write) end
end
