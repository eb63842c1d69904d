--- The call graph: each function with its callers and callees.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local entries = require "gprof.print.graph_entries"
local labels = require "gprof.print.labels"
local policy = require "gprof.library.policy"

-- The lines of an entry, with fields of functions, cycles and arcs (see gprof.profile).
-- In place of [bounds] and [gap], lines can have bounds of total times, or as many
-- blanks; in place of [calls], they have the columns below.
local lines <const> = {
  caller = "             %{self:7.2f} %{children:7.2f}[gap][calls]     %{caller}\n",
  spontaneous = (" "):rep(28) .. "[gap]                     <spontaneous>\n",
  primary = "%{reference:-6.6s} %{graph_percent:5.1f} %{graph_self:7.2f} " ..
    "%{graph_children:7.2f}[bounds][calls] %{label}\n",
  callee = "             %{self:7.2f} %{children:7.2f}[gap][calls]     %{callee}\n",
  cycle = "%{reference:-6.6s} %{graph_percent:5.1f} %{graph_self:7.2f} " ..
    "%{graph_children:7.2f}[bounds][calls] <cycle %{number} as a whole> %{reference}\n",
  member = "             %{graph_self:7.2f} %{graph_children:7.2f}[gap][calls]     " ..
    "%{label}\n",
}

-- The columns of calls, by the kind of a function, a cycle or an arc.
local of_node <const> = {
  recursive = " %{calls:7d}+%{self_calls:-7d}",
  called = " %{calls:7d}        ",
  uncalled = "                ",
}
local of_member <const> = { -- 0, not blanks, if there were no calls
  recursive = of_node.recursive, called = of_node.called, uncalled = of_node.called,
}
local of_arc <const> = {
  counted = " %{count:7d}/%{of:-7d}",
  uncounted = " %{count:7d}/%{of:-7d}", -- 0/0: other programs require a number
  inlined = "     inlined    ",
  recursive = " %{count:7d}        ", -- to the function itself, or within a cycle
  inlined_recursive = " inlined        ",
}
local arcs_without_time <const> = { recursive = true, inlined_recursive = true }

-- The layout of the report; `gprof.report.bsd.graph` has another. `heading` and
-- `ending` are functions of (profile, options, write) that write the text before and
-- after the entries. `wide` is the width of the seconds in callees, `rule` the end of an
-- entry, and `name` the field with a function's name.
local gnu = {
  wide = 7,
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

-- Formats -------------------------------------------------------------------------------

-- Returns what GNU gprof prints in place of times without a histogram; nil if it prints
-- them. The header of a BSD file has a sampling rate, even if no bins follow.
local function undefined_time(profile, options)
  if profile.rate or not policy.of(options).divides_by_no_rate then return nil end
  for _, file in ipairs(profile.data.files) do
    if file.format == "bsd" or file.format == "4.4bsd" then return nil end
  end
  return "-nan"
end

-- Returns the function that completes a line: takes the line, the column of calls and,
-- optionally, a text in place of its times.
local function completer(profile, options, layout)
  local bounds = common.bounds(profile, options)
  local columns <const> = { ["[bounds]"] = bounds and bounds.COLUMNS or "",
    ["[gap]"] = (" "):rep(bounds and bounds.WIDTH or 0) }
  local undefined = undefined_time(profile, options)
  return function(line, calls, text)
    columns["[calls]"], text = calls, text or undefined
    if layout.wide ~= 7 then
      line = line:gsub("children:7", "children:" .. layout.wide)
    end
    if text then  -- in place of times
      line = line:gsub("%%{[%l_]+:(%d+)%.2f}", function(width)
        return ("%" .. width .. "s"):format(text)
      end)
    end
    return (line:gsub("%[%l+%]", columns))
  end
end

-- Returns the functions that colour the lines of functions and cycles, of arcs, and of
-- members; none without colours.
local function painters(profile, options)
  if not options.color then return {} end
  local paint = require "gprof.print.color".painter(profile.graph_ticks)
  local total = profile.rate and profile.graph_ticks / profile.rate or 0
  local function inner(format, self, children, calls)
    local time = self + children
    return paint(format, 100 * time / total, time ~= 0 or calls ~= 0, false)
  end
  return {
    primary = function(format, percent, ...)
      local used = false
      for _, figure in ipairs { ... } do used = used or figure ~= 0 end
      return paint(format, percent, used, true)
    end,
    inner = inner,
  }
end

local primary_figures <const> = {
  "graph_percent", "graph_self", "graph_children", "calls", "self_calls",
}

--- Prints the report, without the index (`gprof.report.index`).
-- @tparam profile profile
-- @tparam table options `brief`: no explanation; `display_unused_functions`: also print
--   entries of functions without calls and time; `top`: the largest number of entries;
--   `bounds`: add the bounds of total times, if the profile has them;
--   `inline_file_names`, `print_path`; `color`; `terminal_width`: the length of lines,
--   for shortened names; `full_names`: do not shorten names; `short_names`: omit
--   parameters and template arguments of names; `gnu_compat`
-- @tparam stream write
-- @tparam[opt] table layout by default GNU gprof's
return function(profile, options, write, layout)
  layout = layout or gnu
  local complete, paint = completer(profile, options, layout), painters(profile, options)
  local names = labels.references(profile, options, layout.name)
  local spontaneous = (" "):rep(layout.wide - 7) .. complete(lines.spontaneous)

  -- Returns a function that takes the number of a function or cycle, writes the rows of
  -- a list, and returns how many they were (see `stream:rows` in gprof.output). Formats
  -- are made when they are needed; `paint_line` takes one and the `figures` of a row, and
  -- returns the format to use.
  local function rows(list, line, calls, without_time, paint_line, figures)
    local formats = setmetatable({}, { __index = function(_, kind)
      return complete(line, calls[kind], without_time[kind] and "")
    end })
    return write:rows(profile, list, formats,
      { labels = names, values = { "mark" }, paint = paint_line, paint_by = figures })
  end
  local arc_figures <const> = { "self", "children", "count" }
  local callers = rows("callers", lines.caller, of_arc, arcs_without_time, paint.inner,
    arc_figures)
  local primary = rows("function", lines.primary, of_node, {}, paint.primary,
    primary_figures)
  local callees = rows("callees", lines.callee, of_arc, arcs_without_time, paint.inner,
    arc_figures)
  local cycle = rows("cycle", lines.cycle, of_node, {}, paint.primary, primary_figures)
  local members = rows("members", lines.member, of_member, {}, paint.inner,
    { "graph_self", "graph_children", "calls" })

  local bounds = common.bounds(profile, options)
  local mark = bounds and bounds.marker(profile)
  layout.heading(profile, options, write)
  for id, is_cycle in entries.of(profile, options) do
    if is_cycle then
      cycle(id, mark and mark(id))
      members(id)
    else
      if callers(id) == 0 then write(spontaneous) end
      primary(id, mark and mark(id))
      callees(id)
    end
    write(layout.rule)
  end
  if bounds then bounds.write_note(profile, write) end
  if layout.ending then layout.ending(profile, options, write) end
end
