--- The call graph: each function with those who called it and those that it called.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local explain = require "gprof.explain"
local names = require "gprof.names"

local rule = ("-"):rep(47) .. "\n"

local function write_heading(profile, options, write)
  local rate, ticks = profile.rate, profile.graph_ticks
  write(options.brief and "\t\t\tCall graph\n\n" or "\t\t     Call graph (explanation follows)\n\n")
  write(("\ngranularity: each sample hit covers %d byte(s)"):format(profile.bin_size or 0))
  if ticks > 0 then
    write((" for %.2f%% of %.2f seconds\n\n"):format(100 / ticks, ticks / rate))
  else
    write(" no time propagated\n\n")
  end
  write("index % time    self  children    called     name\n")
end

-- Both times of a line: seconds. Where nothing was sampled GNU gprof divides by a
-- rate of nought, and prints what comes of it.
local function times(self, children, options)
  if options.undefined_times then
    return "   -nan    -nan"
  end
  return ("%7.2f %7.2f"):format(self, children)
end

-- "+n" for n calls of oneself, or blanks.
local function own_calls(count)
  return count ~= 0 and ("+%-7d"):format(count) or "        "
end

local function write_caller_or_callee(arc, other, options, write)
  if arc.recursive then
    write(("%6.6s %5.5s %7.7s %7.7s %7d %7.7s     %s\n"):format(
      "", "", "", "", arc.count, "", names.reference(other, options)))
  else
    write(("%6.6s %5.5s %s %7d/%-7d     %s\n"):format(
      "", "", times(arc.self, arc.children, options), arc.count, arc.of,
      names.reference(other, options)))
  end
end

local function write_callers(f, options, write)
  local any
  for arc in f:callers() do
    write_caller_or_callee(arc, arc.caller, options, write)
    any = true
  end
  if not any then
    write(("%6.6s %5.5s %7.7s %7.7s %7.7s %7.7s     <spontaneous>\n"):format(
      "", "", "", "", "", ""))
  end
end

local function write_primary(node, name, options, write)
  local calls, self_calls = node.calls, node.self_calls
  local called = (" "):rep(16)
  if calls ~= 0 or self_calls ~= 0 then
    called = (" %7d"):format(calls) .. own_calls(self_calls)
  end
  write(("%-6.6s %5.1f %s%s %s\n"):format(
    ("[%d]"):format(node.index), node.graph_percent,
    times(node.graph_self, node.graph_children, options), called, name))
end

local function write_function(f, options, write)
  write_callers(f, options, write)
  write_primary(f, names.reference(f, options), options, write)
  for arc in f:callees() do
    write_caller_or_callee(arc, arc.callee, options, write)
  end
  write(rule)
end

local function write_cycle(cycle, options, write)
  write_primary(cycle, ("<cycle %d as a whole>%s"):format(cycle.number, names.number(cycle)),
    options, write)
  for f in cycle:members() do
    write(("%6.6s %5.5s %s %7d%s     %s\n"):format(
      "", "", times(f.graph_self, f.graph_children, options), f.calls,
      own_calls(f.self_calls), names.reference(f, options)))
  end
  write(rule)
end

-- Whether anything was seen of a function or cycle.
local function is_used(node)
  return node.calls ~= 0 or node.self_calls ~= 0 or
    node.graph_self ~= 0 or node.graph_children ~= 0
end

local function write_entries(profile, options, write)
  for node in profile:entries() do
    if node.printed and (options.display_unused_functions or is_used(node)) then
      if node.number then
        write_cycle(node, options, write)
      else
        write_function(node, options, write)
      end
    end
  end
end

--- Prints the report, without the index (`gprof.report.index`).
-- @tparam profile profile
-- @tparam table options `brief`: no explanation; `display_unused_functions`: entries
--   for functions without calls and time, too; `inline_file_names`, `print_path`;
--   `gnu_compat`
-- @tparam function write takes strings
return function(profile, options, write)
  local columns = setmetatable(
    { undefined_times = options.gnu_compat and not profile.rate }, { __index = options })
  write_heading(profile, columns, write)
  write_entries(profile, columns, write)
  if not options.brief then
    write(explain.graph)
  end
end
