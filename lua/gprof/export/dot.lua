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

-- Default thresholds, in percent of the total time.
local NODE_THRESHOLD <const>, EDGE_THRESHOLD <const> = 0.5, 0.1

-- The maximum length of a name in bytes, because dot rejects long strings.
local MAX_NAME <const> = 4096

-- Joins lines with "\n", and returns the result as a quoted string.
local function quoted(...)
  local lines = {}
  for _, line in ipairs { ... } do
    local text = escape.bytes(line, "%c")
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

local function percent(share)
  return ("%.2f%%"):format(100 * share)
end

-- Returns a table from ids to functions, with `self` and `total` as shares of the total
-- time.
local function nodes_of(profile, ids, names)
  local nodes, total = {}, profile.total_ticks
  for _, id in ipairs(ids) do
    local node = { id = id, name = names[id], total = 1, self = 1 }
    local ticks, children
    node.file, node.line, node.calls, node.self_calls, ticks, children =
      profile:get(id, "file", "line", "calls", "self_calls", "ticks", "children_ticks")
    if total > 0 then
      node.self, node.total = math.min(ticks / total, 1),
        math.min((ticks + children) / total, 1)
    end
    nodes[id] = node
  end
  for cycle in profile:cycles() do
    for id in cycle:members(nil, "id") do
      if nodes[id] then nodes[id].cycle = cycle.name end
    end
  end
  return nodes
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

local function write_node(node, timed, write)
  local color, text = colors(node.total)
  local calls = node.self_calls > 0 and ("%d+%d"):format(node.calls, node.self_calls) or
    ("%d"):format(node.calls)
  local lines = { node.cycle and node.name .. " " .. node.cycle or node.name }
  if timed then
    lines[2], lines[3] = percent(node.total), "(" .. percent(node.self) .. ")"
  end
  if calls ~= "0" then lines[#lines + 1] = calls .. "\u{d7}" end
  write(("  n%d [label=%s, fillcolor=\"%s\", fontcolor=\"%s\", tooltip=%s];\n"):format(
    node.id, quoted(table.unpack(lines)), color, text,
    quoted(node.file and node.file .. ":" .. node.line or node.name)))
end

local function write_edge(arc, share, labelled, write)
  local color, width = colors(share), math.max(4 * share, 0.5)
  local calls = ("%d\u{d7}"):format(arc.count)
  local label = labelled and quoted(percent(share), calls) or quoted(calls)
  write(("  n%d -> n%d [label=%s, color=\"%s\", fontcolor=\"%s\", "):format(
    arc.caller, arc.callee, label, color, color))
  write(("penwidth=%.2f, arrowsize=%.2f];\n"):format(width, 0.5 * width ^ 0.5))
end

local function write_nodes(nodes, ids, least, timed, write)
  local shown, omitted = {}, 0
  for _, id in ipairs(ids) do
    if nodes[id].total < least then
      omitted = omitted + 1
    else
      shown[id] = nodes[id]
      write_node(nodes[id], timed, write)
    end
  end
  return shown, omitted
end

local function write_edges(arcs, nodes, shown, least, total, write)
  local omitted = 0
  for _, arc in ipairs(arcs) do
    local share, inside = share_of(arc, nodes[arc.caller], nodes[arc.callee], total)
    local both = shown[arc.caller] and shown[arc.callee]
    if arc.count == 0 or share < least or not both then
      omitted = omitted + (arc.count > 0 and 1 or 0)
    else
      write_edge(arc, share, not inside and total > 0, write)
    end
  end
  return omitted
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
  local arcs = extract.arcs(profile)
  local ids = extract.functions(profile, arcs, options)
  local nodes = nodes_of(profile, ids, labels.exported(profile, options))
  local timed = profile.total_ticks > 0
  write_header(profile, write)
  local least_node = (options.node_threshold or NODE_THRESHOLD) / 100
  local least_edge = (options.edge_threshold or EDGE_THRESHOLD) / 100
  local shown, nodes_omitted = write_nodes(nodes, ids, least_node, timed, write)
  local arcs_omitted = write_edges(arcs, nodes, shown, least_edge, profile.total, write)
  if nodes_omitted + arcs_omitted > 0 then
    write(("  label=\"below the thresholds: %d functions and %d arcs\";\n")
      :format(nodes_omitted, arcs_omitted))
  end
  write "}\n"
end
