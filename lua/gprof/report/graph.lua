--- The call graph: each function with its callers and callees.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local entries = require "gprof.print.entries"
local labels = require "gprof.print.labels"
local policy = require "gprof.library.policy"

-- The columns of calls, by the kind of line, each 16 wide.
local of_arc <const> = {
  counted = " %{count:7d}/%{of:-7d}",
  uncounted = "                ",
  recursive = " %{count:7d}        ",
  inlined = "     inlined    ",
  inlined_recursive = " inlined        ",
}
local of_node <const> = {
  recursive = " %{calls:7d}+%{self_calls:-7d}",
  called = " %{calls:7d}        ",
  uncalled = "                ",
}
local of_member <const> = {
  recursive = of_node.recursive, called = of_node.called, uncalled = of_node.called,
}
local without_time <const> = { recursive = true, inlined_recursive = true }

-- The look of the report; `gprof.report.bsd.graph` has another look. `heading` and
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

-- Lines ---------------------------------------------------------------------------------

-- Returns formats of lines: for each kind, the times, the calls and the name.
local function lines(times, calls, name)
  local formats = {}
  for kind, column in pairs(calls) do
    formats[kind] = (without_time[kind] and times.none or times.columns) .. column ..
      name .. "\n"
  end
  return formats
end

-- Returns the columns with the times of lines: of primary lines, arcs, and members of
-- cycles; `none` is as wide as the columns of an arc.
local function times_of(profile, options, look)
  local bounds = common.bounds(profile, options)
  local undefined = not profile.rate and policy.of(options).divides_by_no_rate
  local function seconds(self, children)
    if undefined then return (" %7s %" .. look.wide .. "s"):format("-nan", "-nan") end
    return (" %%{%s:7.2f} %%{%s:%d.2f}"):format(self, children, look.wide)
  end
  local indent, gap = (" "):rep(12), (" "):rep(bounds and bounds.WIDTH or 0)
  return {
    primary = { columns = "%{reference:-6.6s} %{graph_percent:5.1f}" ..
      seconds("graph_self", "graph_children") .. (bounds and bounds.COLUMNS or "") },
    arc = { columns = indent .. seconds("self", "children") .. gap,
      none = indent .. (" "):rep(9 + look.wide) .. gap },
    member = { columns = indent .. seconds("graph_self", "graph_children") .. gap },
  }
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
-- @tparam[opt] table look by default GNU gprof's
return function(profile, options, write, look)
  look = look or gnu
  local times, paint = times_of(profile, options, look), painters(profile, options)
  local names = labels.references(profile, options, look.name)

  local function rows(list, line, calls, name, paint_line, figures)
    return write:rows(profile, list, lines(line, calls, name),
      { labels = names, paint = paint_line, paint_by = figures })
  end
  local callers = rows("callers", times.arc, of_arc, "     %{caller}",
    paint.inner, { "self", "children", "count" })
  local callees = rows("callees", times.arc, of_arc, "     %{callee}",
    paint.inner, { "self", "children", "count" })
  local primary = rows("function", times.primary, of_node, " %{label}",
    paint.primary, primary_figures)
  local cycle = rows("cycle", times.primary, of_node,
    " <cycle %{number} as a whole> %{reference}", paint.primary, primary_figures)
  local members = rows("members", times.member, of_member, "     %{label}",
    paint.inner, { "graph_self", "graph_children", "calls" })
  local spontaneous = times.arc.none .. of_arc.uncounted .. "     <spontaneous>\n"

  look.heading(profile, options, write)
  for id, is_cycle in entries.of(profile, options) do
    if is_cycle then
      cycle(id)
      members(id)
    else
      if callers(id) == 0 then write(spontaneous) end
      primary(id)
      callees(id)
    end
    write(look.rule)
  end
  local bounds = common.bounds(profile, options)
  if bounds then bounds.write_note(profile, write) end
  if look.ending then look.ending(profile, options, write) end
end
