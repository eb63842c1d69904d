--- The time of the functions that source lines call: measured if the samples have call
-- paths. Otherwise, all calls of a function are taken to be equally long.
--
-- @internal gprof.analysis.call_lines
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"

local call_lines = {}

-- Returns the samples of each context and of those below it, by number, and the contexts
-- directly below each: the first one, and the next one of the same parent.
local function tree_of(data)
  local parents, places, ticks, first, following = {}, {}, { [0] = 0 }, {}, {}
  for parent, from in data:contexts() do
    local context = #parents + 1
    parents[context], places[context], ticks[context] = parent, from, 0
    first[parent], following[context] = context, first[parent]
  end
  for context, count in data:context_samples() do
    ticks[context] = ticks[context] + count
  end
  for context = #parents, 1, -1 do
    ticks[parents[context]] = ticks[parents[context]] + ticks[context]
  end
  return { places = places, ticks = ticks, first = first, following = following }
end

-- Addresses of calls are those of the instruction after the call. Lines of Lua programs
-- have addresses of their own.
local function step_back(image)
  return image.has_scripts and 0 or 1
end

-- Returns a function that returns what stands for the line of a call, if it is wanted.
local function line_finder(image, wanted, step)
  local known = {}
  return function(address)
    if known[address] == nil then
      local file, line = image:line(address - step)
      known[address] = file and wanted[file] and wanted[file][line] or false
    end
    return known[address]
  end
end

-- Adds the samples below the calls of each line. Calls below calls of the same line count
-- once. Depth first; the second visit of a context, as a negative number, leaves it.
local function add_measured(tree, line_of, found)
  local stack, open = {}, {}
  local function push_below(context)
    local child = tree.first[context]
    while child do stack[#stack + 1], child = child, tree.following[child] end
  end
  push_below(0)
  while stack[1] do
    local context = table.remove(stack)
    local line = line_of(tree.places[math.abs(context)])
    if line then
      local depth = open[line] or 0
      open[line] = depth + (context > 0 and 1 or -1)
      if context > 0 and depth == 0 then
        found[line] = (found[line] or 0) + tree.ticks[context]
      end
    end
    if context > 0 then
      stack[#stack + 1] = -context
      push_below(context)
    end
  end
end

-- Returns the samples of a call from one function to another, by the ids of both.
local function call_finder(profile)
  local known = {}
  return function(caller, callee)
    if not known[caller] then
      local calls = {}
      for id, count, self, children in
        profile:callees(caller, "id", "callee_id", "count", "self", "children") do
        calls[id] = count > 0 and profile.rate * (self + children) / count or 0
      end
      known[caller] = calls
    end
    return known[caller][callee] or 0
  end
end

-- glibc rounds addresses of calls down to multiples of this number.
local ROUNDED <const> = 16

-- Blocks of code have this size, as a power of two.
local BLOCK <const> = 6

-- Returns the blocks with calls in wanted lines, as a set: most calls are elsewhere.
local function blocks_of(lines, wanted)
  local blocks = {}
  for address, size, file, line in
    lines:functions("address", "address", "size", "file", "line") do
    if file and wanted[file] and wanted[file][line] and size then
      for block = address - ROUNDED >> BLOCK, address + size >> BLOCK do
        blocks[block] = true
      end
    end
  end
  return blocks
end

-- Code before an address that is decoded to find a call: further ones are rare.
local MOST_CODE <const> = 512

-- The largest number of calls that are looked for in code, those with most samples; the
-- others have the line of the rounded address.
local MOST_CALLS <const> = 400

-- No instruction has more bytes.
local LONGEST <const> = 16

-- Returns the instructions around the calls from a rounded address.
local function code_near(lines, from)
  local symbol = lines:lookup(from - LONGEST) or lines:lookup(from)
  local low = symbol and math.min(symbol.address, from)
  if not low or from - low > MOST_CODE then return {} end
  return lines.image:instructions(low, from + ROUNDED + LONGEST) or {}
end

-- Returns the address after the first call of a function from a rounded address, or after
-- the only call of any function; nil if there is none.
local function call_near(lines, from, callee)
  local list, wanted, others = code_near(lines, from), ("0x%x>?$"):format(callee), {}
  for i = 1, #list - 1 do
    local text, after = list[i].text, list[i + 1].address
    if after >= from and after < from + ROUNDED then
      if text:find(wanted) then return after end
      if text:find "^call" then others[#others + 1] = after end
    end
  end
  return not others[2] and others[1] or nil
end

-- Returns the recorded calls between functions from blocks with code of lines, those with
-- most samples first, as columns.
local function calls_of(profile, lines, wanted)
  local blocks, ticks_of = blocks_of(lines, wanted), call_finder(profile)
  local calls, n = { from = {}, callee = {}, ticks = {}, below = {} }, 0
  for from, to, count in lines.data:arcs() do
    local caller = blocks[from >> BLOCK] and count > 0 and profile:lookup(from)
    local callee = caller and profile:lookup(to)
    local ticks = callee and callee.id ~= caller.id and ticks_of(caller.id, callee.id)
    if (ticks or 0) > 0 then
      n = n + 1
      calls.from[n], calls.callee[n] = from, callee.address
      calls.ticks[n], calls.below[n] = count * ticks, -count * ticks
    end
  end
  return column_order.sort(calls, "below")
end

-- Adds the estimated samples of the calls of each line.
local function add_estimated(profile, lines, wanted, found)
  local step, left = step_back(lines.image), MOST_CALLS
  local line_of = line_finder(lines.image, wanted, step)
  local calls = calls_of(profile, lines, wanted)
  for i, from in ipairs(calls.from) do
    if step > 0 and from % ROUNDED == 0 then
      local near = left > 0 and call_near(lines, from, calls.callee[i])
      from, left = near or from + step, left - 1
    end
    local line = line_of(from)
    if line then found[line] = (found[line] or 0) + calls.ticks[i] end
  end
end

--- Collects the samples of the functions that lines call, and of the callees of these.
-- @tparam profile profile by function, with a histogram
-- @tparam profile lines the profile by line
-- @tparam {[string]=table} wanted for each file, what stands for its lines, by number
-- @treturn {[any]=number} samples; lines without any are missing
function call_lines.of(profile, lines, wanted)
  local found = {}
  if profile.exact then
    local line_of = line_finder(lines.image, wanted, step_back(lines.image))
    add_measured(tree_of(lines.data), line_of, found)
  else
    add_estimated(profile, lines, wanted, found)
  end
  for line, ticks in pairs(found) do
    if ticks == 0 then found[line] = nil end
  end
  return found
end

return call_lines
