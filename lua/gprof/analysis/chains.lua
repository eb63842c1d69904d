--- Makes call chains (stacks): from a root down to the function where time was spent.
--
-- If the profile's times are measured, the chains are too (see
-- csrc/profile/stack_tree.h).
-- Otherwise they are estimated from the call graph: the profile records how often each
-- caller called a function, but not whole stacks. So we assume that all calls of a
-- function cost the same (see gprof.analysis.callers). The time of a function propagates
-- to its callers in proportion to their calls, then to the callers of these callers, and
-- so on. Each path up to a root is a chain.
--
-- The times of the chains that end in a function add up to its self time. The times of
-- the chains that contain a function add up to its self time plus its children's time, as
-- in the call graph. In estimated chains, if a function is in a cycle, the link above it
-- is the whole cycle.
--
-- The number of estimated chains can be exponential. A chain with very little time, or a
-- very long one, is cut: its first link is TRUNCATED. Chains beyond a maximum number are
-- also cut.
--
-- @internal gprof.analysis.chains
-- SPDX-License-Identifier: GPL-3.0-or-later

local apportion = require "gprof.analysis.apportion"
local callers = require "gprof.analysis.callers"
local core = require "gprof.core"
local inlined_code = require "gprof.analysis.inlined_code"

local chains = {}

-- A chain is cut if its time is below MIN_PART of the total time and also below
-- MIN_OWN_PART of the function's self time.
local MIN_PART <const>, MIN_OWN_PART <const> = 1e-4, 0.05
local MAX_DEPTH <const> = 128  -- links per chain
-- Once a profile has this many chains, or this many links, all further chains are cut.
local MAX_CHAINS <const>, MAX_LINKS <const> = 100000, 1000000

--- The id of the link that replaces the missing callers of a cut chain.
chains.TRUNCATED = 0

-- Links are columns: `id`, of a function or cycle, or `TRUNCATED`; and `below`, the next
-- link of the chain, 0 in the last one. Chains that end in the same function share links.

-- Adds a link; returns its number.
local function add_link(graph, id, below)
  local links = graph.chains
  local number = graph.last + 1
  graph.last, links.id[number], links.below[number] = number, id, below
  return number
end

-- Adds a chain that was found: its topmost link, and a number in proportion to its part
-- of the time of the function where it ends.
local function emit(graph, top, part)
  local count = graph.count + 1
  graph.count, graph.top[count], graph.part[count] = count, top, part
end

-- Follows the callers of a link up to the roots. Adds each chain with its part of `all`.
local function climb_from(graph, first, all, min_part)
  local links, callers_of, stack, top = graph.chains, graph.callers, graph.stack, 3
  -- of each link to follow: its number, its part of `all`, and the links up to it
  stack[1], stack[2], stack[3] = first, all, 1
  while top > 0 do
    local link, part, depth = stack[top - 2], stack[top - 1], stack[top]
    local id, left = links.id[link], part
    local cycle = not callers_of.stay[id] and callers_of.cycles[id]
    if cycle then link = add_link(graph, cycle, link) end
    local row = callers_of.last[cycle or id] or 0
    top, graph.links = top - 3, graph.links + 1
    local followed = part >= min_part and depth < MAX_DEPTH and
      graph.count < MAX_CHAINS and graph.links < MAX_LINKS
    if row > 0 and not followed then
      emit(graph, add_link(graph, chains.TRUNCATED, link), part)
    else
      local is_root = row == 0
      while row > 0 do
        local share = part * callers_of.part[row]
        stack[top + 1] = add_link(graph, callers_of.caller[row], link)
        stack[top + 2], stack[top + 3] = share, depth + 1
        left, top, row = left - share, top + 3, callers_of.before[row]
      end
      if is_root or left > 1e-9 * part then emit(graph, link, left) end
    end
  end
end

-- Finds the chains that end in a function.
local function climb(graph, id, min_part)
  climb_from(graph, add_link(graph, id, 0), 1, min_part)
end

-- Like `climb`, for a function that was inlined. The callers of the compiled function
-- around it are followed.
local function climb_inlined(graph, id, min_part)
  local trees = graph.trees
  for _, node in ipairs(graph.ends[id] or {}) do
    local link, at = add_link(graph, id, 0), trees.outer[node]
    while at > 0 do
      graph.links = graph.links + 1
      if graph.links >= MAX_LINKS then
        link, at = add_link(graph, chains.TRUNCATED, link), 0
      else
        link, at = add_link(graph, trees.id[at], link), trees.outer[at]
      end
    end
    climb_from(graph, link, trees.ticks[node] / graph.ticks[id], min_part)
  end
end

-- Sets what `climb_inlined` needs: `trees`; for each function, its nodes with time, and
-- their ticks.
local function add_trees(graph, trees)
  graph.trees, graph.ends, graph.ticks, graph.climb = trees, {}, {}, climb_inlined
  for node, id in ipairs(trees.id) do
    if trees.ticks[node] > 0 then
      graph.ends[id] = graph.ends[id] or {}
      table.insert(graph.ends[id], node)
      graph.ticks[id] = (graph.ticks[id] or 0) + trees.ticks[node]
    end
  end
end

-- Returns the nodes of measured stacks by function, the heaviest stacks first.
local function ends_of(tree)
  local ends, pending = {}, {}
  local function push_below(node)
    local below = tree:below(node, 1)
    for i = #below, 1, -1 do pending[#pending + 1] = below[i] end
  end
  push_below(0)
  while pending[1] do
    local node = table.remove(pending)
    local id, self = tree:node(node)
    if self > 0 then
      ends[id] = ends[id] or {}
      table.insert(ends[id], node)
    end
    push_below(node)
  end
  return ends
end

-- Like `climb`, but follows measured stacks.
local function climb_stacks(graph, id)
  local tree = graph.tree
  for _, node in ipairs(graph.ends[id] or {}) do
    local _, self = tree:node(node)
    local link, at = add_link(graph, id, 0), tree:above(node)
    while at > 0 do
      graph.links = graph.links + 1
      local is_cut = graph.links >= MAX_LINKS
      link = add_link(graph, is_cut and chains.TRUNCATED or tree:node(at), link)
      at = is_cut and 0 or tree:above(at)
    end
    emit(graph, link, self)
  end
end

-- Returns the graph whose method `climb` finds the chains of a function: it adds them to
-- the columns `top` and `part` (see `emit`), which have `count` rows. `chains` has the
-- links, `last` of them; `links` is how many were followed, and `stack` is for
-- `climb_from`.
local function graph_of(profile)
  local graph
  if profile.exact then
    local tree = core.stack_tree(profile)
    graph = { climb = climb_stacks, tree = tree, ends = ends_of(tree) }
  else
    graph = { climb = climb, callers = callers.of(profile) }
    local trees = inlined_code.of(profile)
    if trees then add_trees(graph, trees) end
  end
  graph.chains = { top = {}, weight = {}, piece = {}, id = {}, below = {},
    callers = graph.callers }
  graph.top, graph.part, graph.count = {}, {}, 0
  graph.last, graph.links, graph.stack = 0, 0, {}
  return graph
end

-- Returns the sizes of the pieces of each chain from number `first` on, in proportion to
-- their time.
local function sizes_of(graph, first, pieces)
  local sizes, count, parts = {}, 0, graph.part
  for i = first, graph.count do
    for j = 1, #pieces do
      count = count + 1
      sizes[count] = parts[i] * pieces[j].ticks
    end
  end
  return sizes
end

-- Adds the chains that end in a function, and divides its time among them in whole units.
local function add_chains(graph, id, weight, pieces, min_part)
  local list, first, count = graph.chains, graph.count + 1, #pieces
  graph:climb(id, min_part)
  local number = #list.top
  for i, share in ipairs(apportion.divide(weight, sizes_of(graph, first, pieces))) do
    if share > 0 then
      number = number + 1
      list.top[number], list.weight[number] = graph.top[first + (i - 1) // count], share
      list.piece[number] = pieces[(i - 1) % count + 1]
    end
  end
end

local undivided <const> = { { ticks = 1 } }

--- Makes the chains of a profile.
-- @tparam profile profile by function
-- @tparam number factor units per sample; the weight of a chain is a whole number of
--   units
-- @tparam[opt] table pieces maps the id of a function to an array of its pieces, such as
--   lines, each with its `ticks`; a function without an array is one piece
-- @treturn table the columns of chains:
--
--   - `top`: the number of the topmost link;
--   - `weight`: its time in units;
--   - `piece`: the piece where it ends;
--
--   the columns of links: `id`, of a function or cycle, or `TRUNCATED`; and `below`, the
--   number of the next link, 0 in the last one; and `callers`, the graph (see
--   gprof.analysis.callers) of estimated chains
-- @treturn number the fraction of the total time that is in cut chains
function chains.of(profile, factor, pieces)
  local graph = graph_of(profile)
  local total, truncated = 0, 0
  for ticks in profile:functions("self", "ticks") do total = total + ticks end
  for id, ticks in profile:functions("self", "id", "ticks") do
    if ticks > 0 then
      add_chains(graph, id, math.floor(ticks * factor + 0.5),
        pieces and pieces[id] or undivided,
        math.min(MIN_PART * total / ticks, MIN_OWN_PART))
    end
  end
  local list = graph.chains
  for i, top in ipairs(list.top) do
    if list.id[top] == chains.TRUNCATED then truncated = truncated + list.weight[i] end
  end
  return list, total > 0 and truncated / (total * factor) or 0
end

--- Returns the names of links.
-- @tparam {[integer]=string} labels the names of functions and cycles
-- @tparam[opt] function change converts a name to one that the format can represent
-- @treturn {[integer]=string} maps the id of a link to its name
function chains.names(labels, change)
  change = change or function(name) return name end
  local function look_up(names, id)
    local name = change(labels[id])
    names[id] = name ~= "" and name or "[no name]"
    return names[id]
  end
  return setmetatable({ [chains.TRUNCATED] = "[truncated]" }, { __index = look_up })
end

return chains
