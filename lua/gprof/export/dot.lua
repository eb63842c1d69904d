--- The call graph for Graphviz. Colours run from red (most of the time) to blue (little);
-- functions and calls below a threshold are left out.
--
-- Colours and line widths are the same as in gprof2dot.
--
-- @module gprof.export.dot
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"
local extract = require "gprof.analysis.extract"
local labels = require "gprof.print.labels"
local path_share = require "gprof.analysis.path_share"

-- Default thresholds, in percent of the total time.
local NODE_THRESHOLD <const>, EDGE_THRESHOLD <const> = 0.5, 0.1

-- The maximum length of a name in bytes, because dot rejects long strings.
local MAX_NAME <const> = 4096

-- Escapes text for dot, which replaces the entities of HTML, and writes other characters
-- into SVG as they are.
local function plain(text)
  return (escape.xml(escape.bytes(text, "%c")):gsub("&(#?%w+;)", "&amp;%1"))
end

-- Joins lines with "\n", and returns the result as a quoted string.
local function quoted(...)
  local lines = {}
  for _, line in ipairs { ... } do
    local text = plain(line)
    if #text > MAX_NAME then
      text = text:sub(1, utf8.offset(text, 0, MAX_NAME) - 1) .. "..."
    end
    lines[#lines + 1] = text:gsub('[\\"]', "\\%0")
  end
  return '"' .. table.concat(lines, "\\n") .. '"'
end

-- Colours -------------------------------------------------------------------------------

-- Returns one channel of the conversion from HSL to RGB; `low` and `high` follow from
-- saturation and lightness.
local function channel(low, high, hue)
  hue = hue % 1
  if hue < 1 / 6 then return low + (high - low) * hue * 6 end
  if hue < 1 / 2 then return high end
  if hue < 2 / 3 then return low + (high - low) * (2 / 3 - hue) * 6 end
  return low
end

-- Returns the colour for a share of the time (0 to 1), and a text colour that is legible
-- on it.
local function colors(share)
  local hue, saturation, lightness = (1 - share) * 2 / 3, 0.8 + 0.2 * share,
    0.25 + 0.25 * share
  local high = lightness * (1 + saturation)
  local low = 2 * lightness - high
  local function part(shift) return channel(low, high, hue + shift) end
  local function byte(value) return math.floor(value * 255 + 0.5) end
  local red, green, blue = part(1 / 3), part(0), part(-1 / 3)
  return ("#%02x%02x%02x"):format(byte(red), byte(green), byte(blue)),
    0.3 * red + 0.6 * green + 0.1 * blue > 0.6 and "black" or "white"
end

-- The graph -----------------------------------------------------------------------------

-- Formats a number with two decimals and a point, whatever the locale.
local function decimal(number)
  return (("%.2f"):format(number):gsub("[^%d]+", "."))
end

local function percent(share)
  return decimal(100 * share) .. "%"
end

-- Sets the shares of a function or cycle; without samples, they are 1.
local function set_shares(node, ticks, children, total)
  node.self = total > 0 and math.min(ticks / total, 1) or 1
  node.total = total > 0 and math.min((ticks + children) / total, 1) or 1
end

-- Returns a table from ids to functions, with `self` and `total` as shares of the total
-- time, and `cycle`; and an array of the cycles, with the same shares and `members`.
local function nodes_of(profile, ids, names)
  local nodes, total = {}, profile.total_ticks
  for _, id in ipairs(ids) do
    local node = { id = id, name = names[id] }
    local ticks, children
    node.file, node.line, node.calls, node.self_calls, ticks, children =
      profile:get(id, "file", "line", "calls", "self_calls", "ticks", "children_ticks")
    set_shares(node, ticks, children, total)
    nodes[id] = node
  end
  local cycles = {}
  for cycle in profile:cycles() do
    local whole = { number = cycle.number, name = cycle.name, calls = cycle.calls,
      self_calls = cycle.self_calls, members = {} }
    set_shares(whole, cycle.ticks, cycle.children_ticks, total)
    for id in cycle:members("id", "id") do
      if nodes[id] then nodes[id].cycle = whole end
      whole.members[#whole.members + 1] = nodes[id]
    end
    cycles[#cycles + 1] = whole
  end
  return nodes, cycles
end

-- Returns the share of the time that an arc carries, and whether it is recursive. A
-- recursive arc carries no time; it is drawn with the share of its caller or callee,
-- whichever is smaller.
local function share_of(arc, from, to, total)
  local inside = from == to or from.cycle and from.cycle == to.cycle
  if inside or not total or total == 0 then
    return math.min(from.total, to.total), inside
  end
  return math.min((arc.self + arc.children) / total, 1), false
end

-- Returns the calls of a function or cycle, "5+3×"; nil if there are none.
local function calls_text(node)
  if node.self_calls > 0 then
    return ("%d+%d\u{d7}"):format(node.calls, node.self_calls)
  end
  return node.calls > 0 and ("%d\u{d7}"):format(node.calls) or nil
end

-- Returns the label of a function or cycle.
local function label_of(node, timed)
  local lines = { node.name }
  if timed then
    lines[2], lines[3] = percent(node.total), "(" .. percent(node.self) .. ")"
  end
  lines[#lines + 1] = calls_text(node)
  return quoted(table.unpack(lines))
end

local function write_node(node, timed, indent, write)
  local color, text = colors(node.total)
  write(("%sn%d [label=%s, fillcolor=\"%s\", fontcolor=\"%s\", tooltip=%s];\n"):format(
    indent, node.id, label_of(node, timed), color, text,
    quoted(node.file and node.file .. ":" .. node.line or node.name)))
end

-- Writes a box around the members of a cycle that are shown.
local function write_cycle(cycle, timed, write)
  local is_open = false
  for _, node in ipairs(cycle.members) do
    if node.is_shown and not is_open then
      write(("  subgraph cluster_%d {\n    label=%s;\n"):format(cycle.number,
        label_of(cycle, timed)))
      is_open = true
    end
    if node.is_shown then write_node(node, timed, "    ", write) end
  end
  if is_open then write "  }\n" end
end

-- Calls that were not counted have no number: only their time was measured.
local function write_edge(edge, labelled, write)
  local arc, share = edge.arc, edge.share
  local color, width = colors(share), math.max(4 * share, 0.5)
  local lines = { labelled and percent(share) or nil }
  if arc.count > 0 then lines[#lines + 1] = ("%d\u{d7}"):format(arc.count) end
  write(("  n%d -> n%d [label=%s, color=\"%s\", fontcolor=\"%s\", "):format(
    arc.caller, arc.callee, quoted(table.unpack(lines)), color, color))
  write(("penwidth=%s, arrowsize=%s%s];\n"):format(decimal(width),
    decimal(0.5 * width ^ 0.5), edge.is_guess and labelled and ", style=dashed" or ""))
end

-- Whether the share of an arc is a guess: others call its callee, or the callee's cycle,
-- as well, and times were not measured.
local function is_guess(edge, exact)
  local callee = edge.to.cycle or edge.to
  return not exact and not edge.inside and edge.share > 0 and
    edge.arc.count < callee.calls
end

-- Returns the arcs that can be shown, with calls or time, and their shares. `weight` is
-- compared with the threshold: arcs in a cycle, which carry no time, hold it together.
local function edges_of(nodes, profile)
  local edges = {}
  for caller, callee, count, self, children, inlined, printed in
    profile:arcs("id", "caller_id", "callee_id", "count", "self", "children", "inlined",
      "printed")
  do
    if printed and (count > 0 or self + children > 0) then
      local arc = { caller = caller, callee = callee, count = count, self = self,
        children = children, inlined = inlined }
      local from, to = nodes[caller], nodes[callee]
      local share, inside = share_of(arc, from, to, profile.total)
      local edge = { arc = arc, from = from, to = to, share = share, inside = inside,
        weight = inside and from.cycle and from.cycle.total or share }
      edge.is_guess = is_guess(edge, profile.exact)
      edges[#edges + 1] = edge
    end
  end
  return edges
end

-- Returns the member of a cycle with the most time.
local function hottest_of(cycle)
  local hottest = cycle.members[1] or {}
  for _, node in ipairs(cycle.members) do
    if node.total > hottest.total then hottest = node end
  end
  return hottest
end

-- Chooses the functions to show. An arc with so much time that a function would be shown
-- has both of its ends: the member where a cycle is entered can have little time of its
-- own. Returns how many functions are omitted.
local function choose(nodes, ids, cycles, edges, least)
  local omitted = 0
  for _, edge in ipairs(edges) do
    local is_hot = edge.share >= least and not edge.inside
    edge.from.is_shown = edge.from.is_shown or is_hot
    edge.to.is_shown = edge.to.is_shown or is_hot
  end
  for _, cycle in ipairs(cycles) do
    local hottest = hottest_of(cycle)
    hottest.is_shown = hottest.is_shown or cycle.total >= least
  end
  for _, id in ipairs(ids) do
    nodes[id].is_shown = nodes[id].is_shown or nodes[id].total >= least
    omitted = omitted + (nodes[id].is_shown and 0 or 1)
  end
  return omitted
end

local function write_nodes(nodes, ids, cycles, timed, write)
  for _, id in ipairs(ids) do
    local node = nodes[id]
    if node.is_shown and not node.cycle then write_node(node, timed, "  ", write) end
  end
  for _, cycle in ipairs(cycles) do write_cycle(cycle, timed, write) end
end

-- Returns how many arcs are omitted, and whether one of those that are shown is a guess.
local function write_edges(edges, least, timed, write)
  local omitted, has_guess = 0, false
  for _, edge in ipairs(edges) do
    if edge.weight >= least and edge.from.is_shown and edge.to.is_shown then
      write_edge(edge, timed and not edge.inside, write)
      has_guess = has_guess or edge.is_guess
    else
      omitted = omitted + 1
    end
  end
  return omitted, has_guess
end

-- Writes what the picture does not show by itself.
local function write_notes(profile, nodes_omitted, arcs_omitted, has_guess, write)
  local notes = {}
  if nodes_omitted + arcs_omitted > 0 then
    notes[1] = ("below the thresholds: %d functions and %d arcs"):format(nodes_omitted,
      arcs_omitted)
  end
  if has_guess then
    notes[#notes + 1] = "dashed: time divided among callers by their calls, a guess"
  end
  notes[#notes + 1] = path_share.note(profile)
  if notes[1] then write(("  label=%s;\n"):format(quoted(table.unpack(notes)))) end
end

local function write_header(profile, write)
  write("digraph " .. quoted(profile.image.path) .. " {\n")
  write '  graph [ranksep=0.25, nodesep=0.125, fontname="Arial", fontsize=10];\n'
  write '  node [shape=box, style=filled, fontname="Arial", fontsize=10, '
  write 'width=0, height=0];\n'
  write '  edge [fontname="Arial", fontsize=10];\n'
end

--- Writes the call graph of a profile in Graphviz's language.
-- @tparam profile profile with a histogram
-- @tparam table options `node_threshold`, `edge_threshold`: least percentage of the time
--   for functions and calls to be shown (default 0.5 and 0.1); those of names, see
--   `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  profile = profile:by_function(true)
  local ids = extract.functions(profile, options)
  local nodes, cycles = nodes_of(profile, ids, labels.exported(profile, options))
  local timed, edges = profile.total_ticks > 0, edges_of(nodes, profile)
  local least_node = (options.node_threshold or NODE_THRESHOLD) / 100
  local least_edge = (options.edge_threshold or EDGE_THRESHOLD) / 100
  write_header(profile, write)
  local nodes_omitted = choose(nodes, ids, cycles, edges, least_node)
  write_nodes(nodes, ids, cycles, timed, write)
  local arcs_omitted, has_guess = write_edges(edges, least_edge, timed, write)
  write_notes(profile, nodes_omitted, arcs_omitted, has_guess, write)
  write "}\n"
end
