-- A slow reference implementation of the call graph, which computes every figure from its definition.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Functions, cycles and arcs are tables whose fields have the library's names. Lists of arcs are ordered from newest to
-- oldest. Times are added in the order of these lists and of addresses: rounding affects the last bit of a sum, which
-- decides the order of nearly equal times.

local model = {}

-- Functions of the profiling runtime: their time is not counted, and they have no entries.
local machinery <const> = {
  _gprof_mcount = true, mcount = true, _mcount = true, __mcount = true, __mcount_internal = true, __mcleanup = true,
}

-- Returns a sorted copy of the list. Equal items keep their order.
local function sorted(list, before)
  local result = {}
  for i, item in ipairs(list) do
    while i > 1 and before(item, result[i - 1]) do
      i = i - 1
    end
    table.insert(result, i, item)
  end
  return result
end

local function reversed(list)
  local result = {}
  for _, item in ipairs(list) do
    table.insert(result, 1, item)
  end
  return result
end

-- Returns the node from which callers get their time: the function's cycle, or the function itself.
local function whole(f)
  return f.cycle or f
end

local function is_inside(arc)
  return whole(arc.caller) == whole(arc.callee)
end

local function find_or_add(caller, callee)
  for _, arc in ipairs(caller.callees) do
    if arc.callee == callee then
      return arc
    end
  end
  local arc = { caller = caller, callee = callee, count = 0 }
  table.insert(caller.callees, 1, arc)
  table.insert(callee.callers, 1, arc)
  return arc
end

-- Returns the program's functions ordered by address, with the arcs between them.
local function join(program)
  local functions, by_name = {}, {}
  for i, name in ipairs(program.functions) do
    functions[i] = { name = name, place = i, ticks = not machinery[name] and program.ticks[name] or 0,
      calls = 0, self_calls = 0, callers = {}, callees = {} }
    by_name[name] = functions[i]
  end
  for _, call in ipairs(program.calls) do
    local caller, callee = by_name[call[1]], by_name[call[2]]
    if caller and callee then
      local arc = find_or_add(caller, callee)
      arc.count = arc.count + call[3]
      local kind = caller == callee and "self_calls" or "calls"
      callee[kind] = callee[kind] + call[3]
    end
  end
  return functions
end

-- Cycles -------------------------------------------------------------------------------

-- Returns the members of each cycle, in the order in which a depth-first search merges them: a call back to a function
-- on the search path merges all groups entered since then.
local function search(functions)
  local visited, left, groups, found = {}, {}, {}, {}
  local function swallow(callee)
    local into
    for i, group in ipairs(groups) do
      for _, member in ipairs(group) do
        into = member == callee and i or into
      end
    end
    for i = into + 1, #groups do
      table.move(groups[i], 1, #groups[i], #groups[into] + 1, groups[into])
      groups[i] = nil
    end
  end
  local function visit(f)
    visited[f] = true
    table.insert(groups, { f })
    for _, arc in ipairs(f.callees) do
      if not visited[arc.callee] then
        visit(arc.callee)
      elseif not left[arc.callee] then
        swallow(arc.callee)
      end
    end
    if groups[#groups][1] == f then
      local group = table.remove(groups)
      for _, member in ipairs(group) do
        left[member] = true
      end
      table.insert(found, group[2] and group)
    end
  end
  for _, f in ipairs(functions) do
    if not visited[f] then
      visit(f)
    end
  end
  return sorted(found, function(a, b) return a[1].place < b[1].place end)
end

-- Checks the definition of cycles: two functions are in one cycle if and only if they reach each other.
local function check_cycles(functions)
  local reach = {}
  for i, f in ipairs(functions) do
    reach[i] = {}
    for _, arc in ipairs(f.callees) do
      reach[i][arc.callee.place] = true
    end
  end
  for via = 1, #functions do
    for a = 1, #functions do
      for b = 1, #functions do
        reach[a][b] = reach[a][b] or reach[a][via] and reach[via][b]
      end
    end
  end
  for a, f in ipairs(functions) do
    for b, g in ipairs(functions) do
      local together = a ~= b and f.cycle ~= nil and f.cycle == g.cycle
      assert(together == (a ~= b and reach[a][b] and reach[b][a] or false), "the model is wrong about cycles")
    end
  end
end

local function find_cycles(functions)
  local cycles = {}
  for i, members in ipairs(search(functions)) do
    cycles[i] = { name = ("<cycle %d>"):format(i), number = i, chain = members, calls = 0, self_calls = 0 }
    for _, f in ipairs(members) do
      f.cycle = cycles[i]
    end
  end
  check_cycles(functions)
  for _, cycle in ipairs(cycles) do
    for _, f in ipairs(cycle.chain) do
      for _, arc in ipairs(f.callers) do
        local kind = is_inside(arc) and "self_calls" or "calls"
        cycle[kind] = cycle[kind] + (arc.caller ~= f and arc.count or 0)
      end
    end
  end
  return cycles
end

-- Time ---------------------------------------------------------------------------------

local settle

-- Computes the share of a function's or cycle's time that is counted. It depends on the shares of the callers.
local function inherit(node)
  node.share, node.printed = 0, false
  for _, f in ipairs(node.chain or { node }) do
    for _, arc in ipairs(f.callers) do
      if not is_inside(arc) then
        settle(arc.caller)
        node.printed = node.printed or arc.caller.printed
        if node.calls > 0 then
          node.share = node.share + arc.caller.share * (arc.count / node.calls)
        end
      end
    end
  end
end

-- Sets a function's share: 1 for an entry without counted callers, 0 for the profiling runtime.
function settle(f)
  if f.settled then
    return
  end
  local node = whole(f)
  if not node.share then
    inherit(node)
  end
  f.settled, f.printed = true, not machinery[f.name]
  f.share = machinery[f.name] and 0 or node.share == 0 and 1 or node.share
end

local function add_up_cycle(cycle)
  cycle.ticks = 0
  for _, f in ipairs(cycle.chain) do
    cycle.ticks = cycle.ticks + (f.share ~= 0 and f.ticks or 0)
  end
end

local gather

-- Returns the self time and the children's time that an arc propagates from its callee, or from the callee's cycle. A
-- callee whose own share is 0 propagates nothing, even if its cycle does.
local function due(arc)
  local callee = whole(arc.callee)
  if arc.count == 0 or is_inside(arc) or arc.callee.share == 0 or callee.calls == 0 then
    return 0, 0
  end
  gather(callee)
  local part = arc.count / callee.calls
  return callee.ticks * part, callee.children_ticks * part
end

-- Computes the children's time of a function or cycle.
function gather(node)
  if node.children_ticks then
    return
  end
  node.children_ticks, node.graph_children = 0, 0
  for _, f in ipairs(sorted(node.chain or { node }, function(a, b) return a.place < b.place end)) do
    for _, arc in ipairs(f.share ~= 0 and f.callees or {}) do
      local self, children = due(arc)
      node.children_ticks = node.children_ticks + (self + children)
      node.graph_children = node.graph_children + f.share * (self + children)
    end
  end
end

-- Orders -------------------------------------------------------------------------------

local function finish_arc(arc)
  local self, children = due(arc)
  arc.self, arc.children = arc.caller.share * self, arc.caller.share * children
  arc.of = whole(arc.callee).calls
  arc.recursive = is_inside(arc)
  arc.kind = arc.caller == arc.callee and 1 or arc.recursive and 2 or 3
end

local function is_smaller(a, b)
  if a.kind ~= b.kind then
    return a.kind < b.kind
  elseif a.kind == 3 and a.self + a.children ~= b.self + b.children then
    return a.self + a.children < b.self + b.children
  end
  return a.count < b.count
end

local function is_larger(a, b)
  return is_smaller(b, a)
end

local function time(node)
  return node.graph_self + node.graph_children
end

local function is_earlier_member(a, b)
  if time(a) ~= time(b) then
    return time(a) > time(b)
  end
  return a.calls + a.self_calls > b.calls + b.self_calls
end

local function is_earlier_entry(a, b)
  if time(a) ~= time(b) then
    return time(a) > time(b)
  elseif a.number or b.number then
    return a.number ~= nil and b.number == nil
  end
  local reserved_a, reserved_b = a.name:find("^_"), b.name:find("^_")
  if reserved_a ~= reserved_b then
    return reserved_b ~= nil
  elseif a.calls ~= b.calls then
    return a.calls > b.calls
  end
  return a.name < b.name
end

--- Computes a program's call graph.
-- @tparam table program as for `crafted.profile`
-- @treturn table the entries in the order of the report: functions, with their arcs in `callers` and `callees`, and
--   cycles, with their `members`. Times are in ticks.
function model.entries(program)
  local functions = join(program)
  local cycles = find_cycles(functions)
  local nodes = table.move(cycles, 1, #cycles, #functions + 1, table.move(functions, 1, #functions, 1, {}))
  for _, f in ipairs(functions) do
    settle(f)
  end
  for _, cycle in ipairs(cycles) do
    add_up_cycle(cycle)
  end
  for _, node in ipairs(nodes) do
    gather(node)
    node.graph_self = node.ticks * node.share
  end
  for _, f in ipairs(functions) do
    for _, arc in ipairs(f.callees) do
      finish_arc(arc)
    end
  end
  for _, f in ipairs(functions) do
    f.callers = sorted(reversed(f.callers), is_smaller)
    f.callees = sorted(reversed(f.callees), is_larger)
  end
  for _, cycle in ipairs(cycles) do
    cycle.members = sorted(cycle.chain, is_earlier_member)
  end
  return sorted(nodes, is_earlier_entry)
end

return model
