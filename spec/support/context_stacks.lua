-- Writes context profiles of imaginary programs, and computes the times that follow from them by a slow model.
--
-- A stack is an array of function names, outermost first, with the `ticks` of the samples that fell there. "@" stands
-- for the code of a library, and "(name)" for a function compiled without -pg: neither records calls. Of a stack that
-- is `lost`, only the innermost function is known.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local crafted = require "support.crafted"

local stacks = {}

local BIAS <const>, LIBRARY <const> = 0x700000, 0x900000
local UNKNOWN_STACK <const> = 1  -- the number of this context, see doc/contexts.md

local function plain_name(name) return name:match "^%((.*)%)$" end

-- Makes the records of a table. As in the recorder, a recursive call enters the context where the callee already runs.
local function table_of(addresses, list)
  local records, known = {}, {}
  local function add(record)
    records[#records + 1] = record
    return #records + 2
  end
  local function call(context, path, from, name)
    local key = ("%d %d %s"):format(context, from, name)
    if not known[key] then
      known[key] = add { context = context, entered = path[name], from = from, self = addresses[name] + 8, count = 0 }
    end
    local record = records[known[key] - 2]
    record.count = record.count + (list.uncounted and 0 or 1)
    return path[name] or known[key]
  end
  for _, stack in ipairs(list) do
    local context, path, at = 0, {}, LIBRARY
    for _, name in ipairs(stack) do
      if name == "@" then
        at = LIBRARY
      elseif plain_name(name) then
        at = addresses[plain_name(name)]
      else
        context = call(context, path, at + 4, name)
        path[name], at = context, addresses[name]
        -- functions above the one that recursion returned to do not run any more
        for other, number in pairs(path) do path[other] = number <= context and number or nil end
      end
    end
    if stack.lost then context = UNKNOWN_STACK end
    if (stack.ticks or 0) > 0 then add { context = context, from = at + 12, count = stack.ticks } end
  end
  return records
end

--- Encodes a context profile.
-- @tparam {string,...} functions their names, in address order, as for `crafted.image`
-- @tparam {table,...} list stacks, each with the number of its `thread` (default 1); `uncounted`: all calls are known
--   from samples alone
-- @tparam[opt] table process fields of the process
-- @tparam[opt] table names of threads, by number
-- @treturn string the bytes of the file
function stacks.pack(functions, list, process, names)
  local addresses, threads = {}, {}
  for name, address in pairs(crafted.addresses { functions = functions }) do
    if name then addresses[name] = BIAS + address end
  end
  for _, stack in ipairs(list) do
    local thread = stack.thread or 1
    for number = #threads + 1, thread do threads[number] = {} end
    table.insert(threads[thread], stack)
  end
  for number, thread in ipairs(threads) do
    thread.uncounted = list.uncounted
    threads[number] = table_of(addresses, thread)
    threads[number].name = names and names[number]
  end
  local low = BIAS + crafted.BASE
  local all = { low = low, high = low + #functions * crafted.SIZE, finish = 1 << 60 }
  for key, value in pairs(process or {}) do all[key] = value end
  return contexts.pack { process = all, tables = threads, modules = {
    { bias = BIAS, low = BIAS, high = BIAS + 0x100000, code = BIAS + crafted.BASE },
    { bias = LIBRARY, low = LIBRARY, high = LIBRARY + 0x1000, path = "libx.so" } } }
end

-- Returns the functions of a stack that are in the program.
local function names_of(stack)
  local names = {}
  for _, name in ipairs(stack) do
    if name ~= "@" then names[#names + 1] = plain_name(name) or name end
  end
  return names
end

-- Returns a function that tells whether two functions call each other, directly or indirectly.
local function connections(list)
  local reach = setmetatable({}, { __index = function(all, name)
    all[name] = {}
    return all[name]
  end })
  for _, stack in ipairs(list) do
    local names = names_of(stack)
    for i = 2, #names do reach[names[i - 1]][names[i]] = true end
  end
  local all = {}
  for name, below in pairs(reach) do
    all[name] = true
    for other in pairs(below) do all[other] = true end
  end
  for middle in pairs(all) do
    for from in pairs(all) do
      for to in pairs(reach[from][middle] and reach[middle] or {}) do reach[from][to] = true end
    end
  end
  return function(a, b) return a == b or reach[a][b] and reach[b][a] end
end

--- Computes the times of functions and arcs, stack by stack.
-- @tparam {table,...} list stacks
-- @treturn {[string]=integer} self: ticks of each function
-- @treturn {[string]=integer} children: ticks of each function in callees outside its cycle
-- @treturn {[string]=table} arcs: "caller>callee" to { self, children } in ticks, for arcs that have time
-- @treturn {[string]=integer} begun: ticks of each function, or of a member of its cycle, where a stack begins
function stacks.times(list)
  local together = connections(list)
  local self, children, arcs, begun = {}, {}, {}, {}
  local function count(times, name, ticks) times[name] = (times[name] or 0) + ticks end
  for _, stack in ipairs(list) do
    local names, ticks = names_of(stack), stack.ticks or 0
    local last = names[#names]
    if ticks > 0 and last and stack[#stack] ~= "@" then
      count(self, last, ticks)
      count(begun, names[1], ticks)
      for i = 2, #names do
        local caller, callee = names[i - 1], names[i]
        if not together(caller, callee) then
          local arc = arcs[caller .. ">" .. callee] or { 0, 0 }
          local place = together(callee, last) and 1 or 2
          arcs[caller .. ">" .. callee], arc[place] = arc, arc[place] + ticks
          count(children, caller, ticks)
        end
      end
    end
  end
  return self, children, arcs, begun
end

return stacks
