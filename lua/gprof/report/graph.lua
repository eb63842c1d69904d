--- The call graph: each function with those who called it and those that it called.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local granularity = require "gprof.granularity"
local heading = require "gprof.heading"
local names = require "gprof.names"

-- Fields of an arc, behind the other function's number, and those of a member of a
-- cycle. Each line's format is chosen by the second one: whether a call is recursive,
-- as such calls move no time; and how often the member calls itself.
local arc_fields = { "recursive", "self", "children", "count", "of" }
local member_fields = { "id", "self_calls", "graph_self", "graph_children", "calls" }

-- How the report looks. Others may come with another look (`gprof.report.bsd.graph`):
-- heading, ending: functions of (profile, options, write), what comes before and after.
-- primary: the line that an entry is about, up to its calls; index, percentage and times
-- are the values 1 to 4. arcs, members: lines of callers and callees, and of members;
-- times are the values 3 and 4. spontaneous: the line in the place of callers.
-- rule: what ends an entry. name: the field that has a function's name.
local gnu = {
  primary = "%1$-6.6s %2$5.1f %3$7.2f %4$7.2f",
  arcs = {
    [false] = "             %3$7.2f %4$7.2f %5$7d/%6$-7d     %1$s\n",
    [true] = "                             %5$7d             %1$s\n",
  },
  members = setmetatable(
    { [0] = "             %3$7.2f %4$7.2f %5$7d             %1$s\n" },
    { __index = function() return "             %3$7.2f %4$7.2f %5$7d+%2$-7d     %1$s\n" end }),
  spontaneous = (" "):rep(49) .. "<spontaneous>\n",
  rule = ("-"):rep(47) .. "\n",
  name = "name",
}

function gnu.heading(profile, options, write)
  write(heading(options, options.brief and "\t\t\tCall graph\n\n" or
    "\t\t     Call graph (explanation follows)\n\n"))
  granularity.of_graph(profile, options, write)
  write(heading(options, "index % time    self  children    called     name\n"))
end

function gnu.ending(_, options, write)
  if not options.brief then
    write(require "gprof.explain".graph)
  end
end

-- Where nothing was sampled GNU gprof divides by a rate of nought, and prints what
-- comes of it.
local function undefined(line)
  return (line:gsub("%%[34]%$(%d+)%.2f", function(width)
    return ("%" .. width .. "s"):format("-nan")
  end))
end

local function undefined_lines(lines)
  return setmetatable({}, { __index = function(made, key)
    made[key] = undefined(lines[key])
    return made[key]
  end })
end

local function with_undefined_times(look)
  return setmetatable({
    primary = undefined(look.primary),
    arcs = undefined_lines(look.arcs),
    members = undefined_lines(look.members),
  }, { __index = look })
end

-- The line that an entry is about, by what there is to say of its calls.
local function primary_lines(look)
  return {
    recursive = look.primary .. " %5$7d+%6$-7d %7$s\n",
    called = look.primary .. " %5$7d         %7$s\n",
    other = look.primary .. "                 %7$s\n",
  }
end

-- The line of the function or cycle that an entry is about.
local function write_primary(page, node, name)
  local lines, calls, self_calls = page.primary, node.calls, node.self_calls
  local line = self_calls ~= 0 and lines.recursive or calls ~= 0 and lines.called or
    lines.other
  if page.color then line = page.color.primary(line, node.percent, page.samples, node.used) end
  page.write(line, "[" .. node.index .. "]", node.percent, node.self, node.children,
    calls, self_calls, name)
end

-- Lines in colours: each by the time that goes along with the calls.
local function write_colored(page, formats, ...)
  local count, total = 0, page.profile.graph_ticks / (page.profile.rate or 1)
  for id, key, self, children, calls, of in ... do
    local time = self + children
    local used = calls ~= 0 or time ~= 0
    page.write(page.color.row(formats[key], 100 * time / total, page.samples, used),
      page.references[id], key, self, children, calls, of)
    count = count + 1
  end
  return count
end

-- Lines of callers, callees or members: all of an iteration. Returns how many they are.
local function write_lines(page, formats, ...)
  if page.color then return write_colored(page, formats, ...) end
  return page.write:each(page.references, formats, ...)
end

local function write_function(page, node)
  local profile, look, id = page.profile, page.look, node.id
  if write_lines(page, look.arcs,
    profile:callers(id, nil, "caller_id", table.unpack(arc_fields))) == 0 then
    page.write(look.spontaneous)
  end
  write_primary(page, node, page.references[id])
  write_lines(page, look.arcs,
    profile:callees(id, nil, "callee_id", table.unpack(arc_fields)))
  page.write(look.rule)
end

local function write_cycle(page, node)
  local profile = page.profile
  write_primary(page, node, ("<cycle %d as a whole> %s"):format(
    profile:get(node.id, "number"), names.number(node.index, true)))
  write_lines(page, page.look.members,
    profile:members(node.id, nil, table.unpack(member_fields)))
  page.write(page.look.rule)
end

-- Entries of functions and cycles of which anything was seen. In a profile by line there
-- are none of cycles: lines are no functions that could be in one.
local function write_entries(page, options)
  local node, by_line = {}, page.profile.by_line
  for id, is_cycle, is_function, printed, index, percent, calls, self_calls, self, children in
    page.profile:entries(nil, "id", "is_cycle", "is_function", "printed", "index",
      "graph_percent", "calls", "self_calls", "graph_self", "graph_children") do
    local used = calls ~= 0 or self_calls ~= 0 or self ~= 0 or children ~= 0
    if by_line and not is_function then
      printed = false
    end
    if printed and (used or options.display_unused_functions) then
      node.id, node.index, node.percent, node.used = id, index, percent, used
      node.calls, node.self_calls, node.self, node.children = calls, self_calls, self, children
      if is_cycle then
        write_cycle(page, node)
      else
        write_function(page, node)
      end
    end
  end
end

--- Prints the report, without the index (`gprof.report.index`).
-- @tparam profile profile
-- @tparam table options `brief`: no explanation; `display_unused_functions`: entries
--   for functions without calls and time, too; `inline_file_names`, `print_path`;
--   `color`; `gnu_compat`
-- @tparam stream write
-- @tparam[opt] table look GNU gprof's, if absent
return function(profile, options, write, look)
  look = look or gnu
  if options.gnu_compat and not profile.rate then
    look = with_undefined_times(look)
  end
  local page = {  -- what it takes to write an entry
    profile = profile,
    write = write,
    look = look,
    primary = primary_lines(look),
    color = options.color and require "gprof.color",
    samples = profile.graph_ticks,
    references = names.references(profile, options, look.name),
  }
  look.heading(profile, options, write)
  write_entries(page, options)
  if look.ending then look.ending(profile, options, write) end
end
