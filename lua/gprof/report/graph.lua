--- The call graph: each function with those who called it and those that it called.
--
-- @module gprof.report.graph
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = require "gprof.names"

local format = string.format

local rule = ("-"):rep(47) .. "\n"
local blank = (" "):rep(16)        -- in place of "called"
local spontaneous = (" "):rep(49) .. "<spontaneous>\n"

local function write_heading(profile, options, write)
  local rate, ticks = profile.rate, profile.graph_ticks
  write(options.brief and "\t\t\tCall graph\n\n" or "\t\t     Call graph (explanation follows)\n\n")
  write(format("\ngranularity: each sample hit covers %d byte(s)", profile.bin_size or 0))
  if ticks > 0 then
    write(format(" for %.2f%% of %.2f seconds\n\n", 100 / ticks, ticks / rate))
  else
    write(" no time propagated\n\n")
  end
  write("index % time    self  children    called     name\n")
end

-- Both times of a line, in seconds.
local function defined_times(self, children)
  if self == 0 and children == 0 then
    return "   0.00    0.00"  -- most lines have these
  end
  return format("%7.2f %7.2f", self, children)
end

-- Where nothing was sampled GNU gprof divides by a rate of nought, and prints what
-- comes of it.
local function undefined_times()
  return "   -nan    -nan"
end

-- "+n" for n calls of oneself, or blanks.
local function own_calls(count)
  return count ~= 0 and format("+%-7d", count) or "        "
end

-- The lines of callers or callees. `arcs` iterates over them; the other function's
-- number comes first.
local function write_arcs(entry, arcs, state, control, closing)
  local write, times, references = entry.write, entry.times, entry.references
  local any = false
  for id, recursive, count, of, self, children in arcs, state, control, closing do
    if recursive then
      write(format("                             %7d             %s\n", count, references[id]))
    else
      write(format("             %s %7d/%-7d     %s\n",
        times(self, children), count, of, references[id]))
    end
    any = true
  end
  return any
end

local function write_primary(entry, node, name)
  local calls, self_calls = node.calls, node.self_calls
  local called = blank
  if calls ~= 0 or self_calls ~= 0 then
    called = format(" %7d", calls) .. own_calls(self_calls)
  end
  entry.write(format("%-6.6s %5.1f %s%s %s\n", format("[%d]", node.index), node.graph_percent,
    entry.times(node.graph_self, node.graph_children), called, name))
end

local function write_function(entry, f)
  if not write_arcs(entry,
    f:callers("caller_id", "recursive", "count", "of", "self", "children")) then
    entry.write(spontaneous)
  end
  write_primary(entry, f, entry.references[f.id])
  write_arcs(entry, f:callees("callee_id", "recursive", "count", "of", "self", "children"))
  entry.write(rule)
end

local function write_cycle(entry, cycle)
  write_primary(entry, cycle,
    format("<cycle %d as a whole> %s", cycle.number, names.number(cycle)))
  for id, self, children, calls, self_calls in
    cycle:members("id", "graph_self", "graph_children", "calls", "self_calls") do
    entry.write(format("             %s %7d%s     %s\n",
      entry.times(self, children), calls, own_calls(self_calls), entry.references[id]))
  end
  entry.write(rule)
end

-- Entries of functions and cycles of which anything was seen.
local function write_entries(entry, profile, options)
  for id, printed, calls, self_calls, self, children in
    profile:entries("id", "printed", "calls", "self_calls", "graph_self", "graph_children") do
    local used = calls ~= 0 or self_calls ~= 0 or self ~= 0 or children ~= 0
    if printed and (used or options.display_unused_functions) then
      local node = profile:node(id)
      if node.number then
        write_cycle(entry, node)
      else
        write_function(entry, node)
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
  local undefined = options.gnu_compat and not profile.rate
  local entry = {  -- what it takes to write one
    write = write,
    times = undefined and undefined_times or defined_times,
    references = names.references(profile, options),
  }
  write_heading(profile, options, write)
  write_entries(entry, profile, options)
  if not options.brief then
    write(require "gprof.explain".graph)
  end
end
