--- The call graph: each function with those who called it and those that it called.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = require "gprof.names"

local rule = ("-"):rep(47) .. "\n"
local spontaneous = (" "):rep(49) .. "<spontaneous>\n"

-- Fields of an arc, behind the other function's number, and the lines that they make.
-- Which line depends on whether the call is recursive: such calls move no time.
local arc_fields = { "recursive", "self", "children", "count", "of" }
local arc_lines = {
  [false] = "             %3$7.2f %4$7.2f %5$7d/%6$-7d     %1$s\n",
  [true] = "                             %5$7d             %1$s\n",
}

-- The same for members of a cycle, by calls of themselves.
local member_fields = { "id", "self_calls", "graph_self", "graph_children", "calls" }
local member_lines = setmetatable(
  { [0] = "             %3$7.2f %4$7.2f %5$7d             %1$s\n" },
  { __index = function() return "             %3$7.2f %4$7.2f %5$7d+%2$-7d     %1$s\n" end })

-- Where nothing was sampled GNU gprof divides by a rate of nought, and prints what
-- comes of it.
local function with_undefined_times(lines)
  local function undefined(line)
    return (line:gsub("%%3%$7%.2f %%4%$7%.2f", "   -nan    -nan"))
  end
  return setmetatable({}, { __index = function(made, key)
    made[key] = undefined(lines[key])
    return made[key]
  end })
end

local function write_heading(profile, options, write)
  local rate, ticks = profile.rate, profile.graph_ticks
  write(options.brief and "\t\t\tCall graph\n\n" or "\t\t     Call graph (explanation follows)\n\n")
  write("\ngranularity: each sample hit covers %d byte(s)", profile.bin_size or 0)
  if ticks > 0 then
    write(" for %.2f%% of %.2f seconds\n\n", 100 / ticks, ticks / rate)
  else
    write(" no time propagated\n\n")
  end
  write("index % time    self  children    called     name\n")
end

-- The line of the function or cycle that an entry is about.
local function write_primary(page, node, name)
  local write, calls, self_calls = page.write, node.calls, node.self_calls
  write("%-6.6s %5.1f ", "[" .. node.index .. "]", node.percent)
  if page.undefined then
    write("   -nan    -nan")
  else
    write("%7.2f %7.2f", node.self, node.children)
  end
  if self_calls ~= 0 then
    write(" %7d+%-7d %s\n", calls, self_calls, name)
  elseif calls ~= 0 then
    write(" %7d         %s\n", calls, name)
  else
    write("                 %s\n", name)
  end
end

local function write_function(page, node)
  local profile, write, references, id = page.profile, page.write, page.references, node.id
  if write:each(references, page.arc_lines,
    profile:callers(id, "caller_id", table.unpack(arc_fields))) == 0 then
    write(spontaneous)
  end
  write_primary(page, node, references[id])
  write:each(references, page.arc_lines,
    profile:callees(id, "callee_id", table.unpack(arc_fields)))
  write(rule)
end

local function write_cycle(page, node)
  local profile, write = page.profile, page.write
  write_primary(page, node, ("<cycle %d as a whole> %s"):format(
    profile:get(node.id, "number"), names.number(node.index, true)))
  write:each(page.references, page.member_lines,
    profile:members(node.id, table.unpack(member_fields)))
  write(rule)
end

-- Entries of functions and cycles of which anything was seen.
local function write_entries(page, options)
  local node = {}
  for id, is_cycle, printed, index, percent, calls, self_calls, self, children in
    page.profile:entries("id", "is_cycle", "printed", "index", "graph_percent", "calls",
      "self_calls", "graph_self", "graph_children") do
    local used = calls ~= 0 or self_calls ~= 0 or self ~= 0 or children ~= 0
    if printed and (used or options.display_unused_functions) then
      node.id, node.index, node.percent = id, index, percent
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
--   `gnu_compat`
-- @tparam stream write
return function(profile, options, write)
  local undefined = options.gnu_compat and not profile.rate
  local page = {  -- what it takes to write an entry
    profile = profile,
    write = write,
    references = names.references(profile, options),
    undefined = undefined,
    arc_lines = undefined and with_undefined_times(arc_lines) or arc_lines,
    member_lines = undefined and with_undefined_times(member_lines) or member_lines,
  }
  write_heading(profile, options, write)
  write_entries(page, options)
  if not options.brief then
    write(require "gprof.explain".graph)
  end
end
