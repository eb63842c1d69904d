--- Counts of executions by place in the source, for compilers: how often did each line of
-- each function run, separately for each place where the function was inlined?
--
-- Executions of calls are exact: the profile has them. Those of other code are estimated
-- from samples. Code that runs n times for each byte has n times as many samples per
-- byte, so the density of samples, samples per byte, is in proportion to executions. The
-- factor is the one that fits the calls, whose executions are known.
--
-- A place is a line, counted from the line where its function is declared, and a
-- discriminator. LLVM encodes two numbers in a discriminator (DiscriminatorInfo in
-- llvm/IR/DebugInfoMetadata.h): the block, and how many copies of the block there are.
--
-- @internal gprof.analysis.source_counts
-- SPDX-License-Identifier: GPL-3.0-or-later

local code_rows = require "gprof.analysis.code_rows"
local column_order = require "gprof.format.column_order"
local is_less <const>, picked <const> = column_order.is_less, column_order.picked

local source_counts = {}

local max <const>, min <const> = math.max, math.min
local add <const> = require "gprof.analysis.counts".add

-- Without calls, a processor is assumed to run this many bytes of code a second.
local BYTES_PER_SECOND <const> = 8e9

-- Samples pile up at slow instructions, and at those after them. So the density of a row
-- is that of the code up to this many bytes around it: about a basic block.
local AROUND <const> = 16

-- glibc rounds return addresses down to a multiple of this.
local ROUNDED <const> = 16

-- The code at the entry of a function has at most this many bytes.
local ENTRY <const> = 64

-- The file with a profile has 16 bits for a line (FunctionSamples::getOffset).
local LINES <const> = 0xffff

-- Ranges of code that are at most this many bytes apart are read together.
local NEAR <const> = 256

-- Code in which more functions are nested is left out.
local MOST_FRAMES <const> = 200

-- Discriminators ------------------------------------------------------------------------

-- Decodes the number at the start of a discriminator. Returns it, and the rest.
local function decode(discriminator)
  if discriminator & 1 ~= 0 then return 0, discriminator >> 1 end
  local bits = discriminator >> 1
  if bits & 0x20 == 0 then return bits & 0x1f, discriminator >> 7 end
  return bits >> 1 & 0xfe0 | bits & 0x1f, discriminator >> 14
end

-- Returns the block of a discriminator, and the number of its copies.
local function parts(discriminator)
  if discriminator == 0 then return 0, 1 end
  local block, rest = decode(discriminator)
  return block, max(decode(rest), 1)
end

-- Places --------------------------------------------------------------------------------

-- In the column `place` of rows: was not looked up yet.
local UNSEEN <const> = 0

-- A node is a function, or a copy that was inlined: `name`; `head`, how often it was
-- called; `places`, which maps keys to numbers of places; `inlined`, which maps keys to
-- the copies that were inlined there; and `entries`, numbers of callees, if there are no
-- places. The last two are false until there are some.
local function new_node(name)
  return { name = name, head = 0, total = 0, places = {}, inlined = false,
    entries = false }
end

-- Returns an element of a table of lists, made if it is missing.
local function element(list, key, make, ...)
  local found = list[key]
  if not found then
    found = make(...)
    list[key] = found
  end
  return found
end

-- Returns the node of a function that was compiled.
local function function_node(state, name)
  local node = state.functions[name]
  if not node then
    node = new_node(name)
    state.functions[name], state.nodes[#state.nodes + 1] = node, node
  end
  return node
end

-- Adds a place, and returns its number. Places are columns: `ticks` and `weight`, see
-- `add_samples`; `calls`, how often its most frequent call ran, or false; `target` and
-- `target_calls`, see `source_counts.of`.
local function new_place(places)
  local place = #places.ticks + 1
  places.ticks[place], places.weight[place], places.calls[place] = 0, 0, false
  places.target[place], places.target_calls[place] = false, 0
  return place
end

local function set_calls(places, place, count)
  places.calls[place] = max(places.calls[place] or 0, count)
end

local function add_target(places, place, name, count)
  local target, calls = places.target[place], places.target_calls[place]
  if not calls then
    target[name] = add(target[name] or 0, count)
  elseif not target or target == name then
    places.target[place], places.target_calls[place] = name, add(calls, count)
  else
    places.target[place], places.target_calls[place] =
      { [target] = calls, [name] = count }, false
  end
end

local function place_key(line, declared, block)
  return (line - declared & LINES) << 16 | block
end

--- Returns the line of a key of places, counted from the declaration, and its block.
-- @tparam integer key
-- @treturn integer
-- @treturn integer
function source_counts.line_and_block(key)
  return key >> 16, key & 0xffff
end

-- Returns the frames of a scope: itself and those around it; nil if what a place needs is
-- not known.
local function frames_of(image, scope)
  local frames = {}
  repeat
    local name, declared, outer, line, discriminator = image:scope_fields(scope)
    local is_known = name and declared and (line or not outer)
    if not is_known or #frames == MOST_FRAMES then return nil end
    frames[#frames + 1] = { name = name, declared = declared, line = line,
      discriminator = discriminator }
    scope = outer
  until not scope
  return frames
end

-- Returns the node of a function that was inlined into another one, at a line that is
-- counted from the declaration of the other one.
local function inlined_node(state, node, frame, declared)
  local block = state.has_blocks and parts(frame.discriminator or 0) or 0
  local key = place_key(frame.line, declared, block)
  node.inlined = node.inlined or {}
  local copies = element(node.inlined, key, function() return {} end)
  return element(copies, frame.name, new_node, frame.name)
end

-- Looks up a scope (see `image:scope`). Sets the columns of scopes: `known`, whether it
-- has what places need; `name`, that of the function that was compiled; `declared`; and
-- `frames`, if it was inlined.
local function look_up_scope(state, scope)
  local scopes, name, declared, outer = state.scopes, state.image:scope_fields(scope)
  if outer then
    local frames = frames_of(state.image, scope)
    name, scopes.frames[scope] = frames and frames[#frames].name, frames
  end
  scopes.known[scope] = (name and declared) ~= nil
  scopes.name[scope], scopes.declared[scope] = name, declared
end

-- Returns the scope at an address, nil if it is unknown, and one past the last address
-- with this scope.
local function scope_at(state, address)
  local scope, past = state.image:scope(address)
  if not scope then return nil, address end
  if state.scopes.known[scope] == nil then look_up_scope(state, scope) end
  return state.scopes.known[scope] and scope or nil, past
end

-- Returns the node of a scope.
local function node_of(state, scope)
  local scopes = state.scopes
  local node = scopes.node[scope]
  if node then return node end
  local frames, name = scopes.frames[scope] or {}, scopes.name[scope]
  node = function_node(state, name)
  for i = #frames - 1, 1, -1 do
    node = inlined_node(state, node, frames[i], frames[i + 1].declared)
  end
  scopes.node[scope] = node
  return node
end

-- Returns the code at an address: its `node`, nil if it is unknown, and the line where
-- its function is `declared`. Remembers the last one, since most rows follow each other.
local function code_at(state, address)
  local last = state.last_code
  if address < last.low or address >= last.past then
    local scope, past = scope_at(state, address)
    last.low, last.past = address, past
    last.node = scope and node_of(state, scope)
    last.declared = scope and state.scopes.declared[scope]
  end
  return last
end

-- Returns the node of a row, the key of its place, and the number of its copies; nothing
-- if they are unknown.
local function source_of(state, row)
  local rows = state.rows
  local code, block, copies = code_at(state, rows.low[row]), 0, nil
  if not code.node then return end
  if state.has_blocks then block, copies = parts(rows.discriminator[row]) end
  return code.node, place_key(rows.line[row], code.declared, block), copies
end

-- Returns the place of a row, which is added if it is new; false if it is unknown.
local function place_of(state, row)
  local rows = state.rows
  local place = rows.place[row]
  if place ~= UNSEEN then return place end
  local node, key, copies = source_of(state, row)
  place = node and (node.places[key] or new_place(state.places)) or false
  if node then node.places[key], rows.copies[row] = place, copies end
  rows.place[row] = place
  return place
end

-- Whether two rows are of one place. Adds none.
local function are_one_place(state, a, b)
  local places = state.rows.place
  if places[a] ~= UNSEEN and places[b] ~= UNSEEN then return places[a] == places[b] end
  local node, key = source_of(state, a)
  local other, other_key = source_of(state, b)
  return node == other and key == other_key
end

-- Samples -------------------------------------------------------------------------------

-- Returns the range of the symbol whose code contains an address. Nil if there is none,
-- and for the cold part of a function, whose symbol has the range of the function.
local function range_of_symbol(symbols, address)
  local first, size = symbols:lookup(address, "address", "size")
  if first and first <= address and address < first + size then
    return first, first + size
  end
end

-- The same, but remembers the last one, since rows come in the order of addresses.
local function code_of_symbol(state, address)
  if not (state.first and state.first <= address and address < state.last) then
    state.first, state.last = range_of_symbol(state.symbols, address)
  end
  return state.first, state.last
end

-- Returns the range of code around a range, in its function.
local function around(state, from, to)
  local low, high, symbols = from - AROUND, to + AROUND, state.symbols
  local first, last = code_of_symbol(state, from)
  if first then return max(low, first), max(min(high, last), to) end
  local id = symbols:lookup(from, "id")
  while low < from and symbols:lookup(low, "id") ~= id do low = low + 1 end
  while high > to and symbols:lookup(high - 1, "id") ~= id do high = high - 1 end
  return low, high
end

-- Returns the samples per byte around a range of code. Bins before number `at` are too
-- low.
local function density_around(state, from, to, at)
  local low, high = around(state, from, to)
  local bins, sum = state.bins, 0
  local lows, highs, ticks = bins.low, bins.high, bins.ticks
  while highs[at] and highs[at] <= low do at = at + 1 end
  local bin = lows[at]
  while bin and bin < high do
    local past = highs[at]
    local size = (past < high and past or high) - (bin > low and bin or low)
    sum = sum + ticks[at] * size / (past - bin)
    at = at + 1
    bin = lows[at]
  end
  return sum / (high - low)
end

-- Adds the samples of rows to their places. Of the rows of one place, those with most
-- samples determine its density.
local function add_samples(state)
  local rows, places, bins, at = state.rows, state.places, state.bins, 1
  local lows, highs = bins.low, bins.high
  for row, low in ipairs(rows.low) do
    local high = rows.high[row]
    while highs[at] and highs[at] <= low - AROUND do at = at + 1 end
    local is_near = lows[at] and lows[at] < high + AROUND
    local dense = is_near and density_around(state, low, high, at) or 0
    local place = dense > 0 and place_of(state, row)
    if place then
      local ticks = dense * (high - low)
      places.ticks[place] = places.ticks[place] + ticks
      places.weight[place] = places.weight[place] +
        (rows.copies[row] or 1) * dense * ticks
    end
  end
end

-- Whether the place of a row is known. Adds no place.
local function has_place(state, row)
  local place = state.rows.place[row]
  if place ~= UNSEEN then return place end
  return scope_at(state, state.rows.low[row]) ~= nil
end

-- Whether the place of some code of a bin is known.
local function is_known(state, low, high)
  local first, last = code_rows.span(state.rows, low, high)
  for row = first, last do
    if has_place(state, row) then return true end
  end
  return false
end

-- Returns the part of the program's samples whose place is unknown.
local function unknown_part(state)
  local all, unknown, bins = 0, 0, state.bins
  for i, low in ipairs(bins.low) do
    if is_known(state, low, bins.high[i]) then
      all = all + bins.ticks[i]
    else
      local library = state.profile:lookup(low, "object")
      if not library then
        all, unknown = all + bins.ticks[i], unknown + bins.ticks[i]
      end
    end
  end
  return all > 0 and unknown / all or 0
end

local function density(places, place)
  local ticks = places.ticks[place]
  return ticks > 0 and places.weight[place] / ticks or 0
end

-- Calls ---------------------------------------------------------------------------------

-- Returns a function that returns the place of the call in a range of code; false if
-- several are possible. The ranges are in the order of their addresses.
local function finder_of_places(state)
  local rows, row = state.rows, 1
  local lows, highs = rows.low, rows.high
  return function(low, high)
    while highs[row] and highs[row] <= low do row = row + 1 end
    if not lows[row] or lows[row] >= high then return false end
    local next_row = row + 1
    while lows[next_row] and lows[next_row] < high do
      if not are_one_place(state, row, next_row) then return false end
      next_row = next_row + 1
    end
    return place_of(state, row)
  end
end

-- Returns the name of the function of the program at an address, as in the source; false
-- if it is unknown.
local function name_at(state, address)
  local scope = scope_at(state, address)
  if scope then return state.scopes.name[scope] end
  local symbol, library = state.profile:lookup(address, "symbol", "object")
  return not library and symbol or false
end

-- Whether an address is in a part of a function, such as gcc's "f.part.0". A call of the
-- part continues a call of the function.
local function is_in_part(state, address)
  local symbol = not state.has_blocks and state.profile:lookup(address, "symbol")
  return symbol and symbol:find "%.part%.%d" and true or false
end

-- Sets the columns of callees, whose addresses are in order: `name`, false if it is
-- unknown; `count`, how often it was called; and `is_part`.
local function look_up_callees(state)
  local callees = state.callees
  for number, address in ipairs(callees.address) do
    callees.count[number] = 0
    callees.name[number] = name_at(state, address)
    callees.is_part[number] = is_in_part(state, address)
  end
end

-- Adds calls, which are in the order of their addresses, to the functions that are called
-- and to the places of the calls. One call may call several functions.
local function add_calls(state, calls)
  local callees, places, last, sum = state.callees, state.places, nil, 0
  local find_place, place = finder_of_places(state), nil
  for i = 1, #calls.low do
    local low, callee, count = calls.low[i], calls.callee[i], calls.count[i]
    local name = callees.name[callee]
    if name then
      callees.count[callee] = add(callees.count[callee], count)
      if low == last then
        sum = add(sum, count)
      else
        last, sum, place = low, count, find_place(low, low + calls.size)
      end
      if place then
        set_calls(places, place, sum)
        if not callees.is_part[callee] then add_target(places, place, name, count) end
      end
    end
  end
end

local function has_places(node)
  return next(node.places) ~= nil or node.inlined ~= false
end

-- Adds callees to their functions. Those without places keep the numbers of the callees.
local function add_callees(state)
  for callee, name in ipairs(state.callees.name) do
    if name and not state.callees.is_part[callee] then
      local node = function_node(state, name)
      node.head = add(node.head, state.callees.count[callee])
      if not has_places(node) then
        node.entries = node.entries or {}
        table.insert(node.entries, callee)
      end
    end
  end
end

-- Entries -------------------------------------------------------------------------------

-- Returns the range of code at the entry of a function, given an address in its prologue.
local function range_of_entry(symbols, address)
  local _, last = range_of_symbol(symbols, address)
  return address, min(address + ENTRY, last or math.huge)
end

local function add_entry(state, place, count)
  local known = state.entry_calls
  known[place] = add(known[place] or 0, count)
  set_calls(state.places, place, known[place])
end

-- Adds places to a function that has calls but no places: compilers ignore functions
-- without counts, and their calls. The code at the entry runs about once a call. One
-- place would not do: the compiler may have no code there when it reads the counts.
local function add_entries(state, node)
  if has_places(node) then return end
  local callees = state.callees
  for _, callee in ipairs(node.entries) do
    local seen, low, high =
      {}, range_of_entry(state.symbols, callees.address[callee])
    local first, last = code_rows.span(state.rows, low, high)
    for row = first, last do
      local place = place_of(state, row)
      if place and not seen[place] then
        add_entry(state, place, callees.count[callee])
        seen[place] = true
      end
    end
  end
  if has_places(node) then return end
  node.lacks_lines, node.places[0] = true, new_place(state.places)
  add_entry(state, node.places[0], node.head)
end

local function by_name(a, b) return is_less(a.name, b.name) end

local function add_all_entries(state)
  local list = {}
  for _, node in ipairs(state.nodes) do
    if node.head > 0 and not has_places(node) then list[#list + 1] = node end
  end
  table.sort(list, by_name)
  for _, node in ipairs(list) do add_entries(state, node) end
end

-- Executions ----------------------------------------------------------------------------

-- Returns the factor from densities to executions.
local function factor_of(state)
  local known, densities, places = 0.0, 0.0, state.places
  for place, calls in ipairs(places.calls) do
    if calls then
      known, densities = known + calls, densities + density(places, place)
    end
  end
  if densities > 0 then return known / densities end
  return BYTES_PER_SECOND / (state.profile.rate or 1)
end

-- Sets the column `count` of places.
local function count_places(places, factor)
  for place, calls in ipairs(places.calls) do
    local estimate = min(density(places, place) * factor, 2 ^ 62)
    places.count[place] = calls or max(math.floor(estimate + 0.5), 1)
  end
end

local none <const> = {}

local function set_total(node, counts)
  local total = 0
  for _, place in pairs(node.places) do total = add(total, counts[place]) end
  for _, copies in pairs(node.inlined or none) do
    for _, inner in pairs(copies) do
      set_total(inner, counts)
      total = add(total, inner.total)
    end
  end
  node.total = total
end

-- Records -------------------------------------------------------------------------------

local function bins_of(data)
  local bins, n = { low = {}, high = {}, ticks = {} }, 0
  for histogram in data:histograms() do
    local size = histogram.bin_size
    for _, ticks, address in histogram:bins() do
      n = n + 1
      bins.low[n], bins.high[n], bins.ticks[n] = address, address + size, ticks
    end
  end
  return column_order.sort(bins, "low")
end

-- Return addresses are exact unless all are rounded.
local function are_exact(data)
  for from in data:arcs() do
    if from % ROUNDED ~= 0 and from ~= -1 then return true end
  end
  return false
end

-- Numbers addresses. Returns them in order, and an array with the number of each one.
local function numbered(addresses)
  local distinct, numbers, known = {}, {}, {}
  for i, address in ipairs(addresses) do
    local number = known[address]
    if not number then
      number = #distinct + 1
      distinct[number], known[address] = address, number
    end
    numbers[i] = number
  end
  local order = column_order.of(distinct)
  if not order then return distinct, numbers end
  return picked(distinct, order), picked(column_order.of(order), numbers)
end

-- Returns the calls, in the order of the code that contains them: `size` bytes from `low`
-- on, as the profile has the return address, or the byte before. Each has the number of
-- its callee. Also returns the functions that were called, as columns; see
-- `look_up_callees`.
local function calls_in(data)
  local lows, callees, counts, n = {}, {}, {}, 0
  for from, callee, count in data:arcs() do
    n = n + 1
    lows[n], callees[n], counts[n] = from - 1, callee, count
  end
  local addresses, numbers = numbered(callees)
  local calls = column_order.sort({ low = lows, callee = numbers, count = counts }, "low")
  calls.size = are_exact(data) and 1 or ROUNDED
  return calls, { address = addresses, name = {}, count = {}, is_part = {} }
end

-- Returns the ranges of code whose rows are needed. Those near each other are one range,
-- since further rows do no harm.
local function ranges_of(bins, calls, callees)
  local lows, highs, n = {}, {}, 0
  local function add_range(low, high)
    if n > 0 and low >= lows[n] and low - highs[n] <= NEAR then
      highs[n] = max(highs[n], high)
    else
      n = n + 1
      lows[n], highs[n] = low, high
    end
  end
  for _, low in ipairs(calls.low) do add_range(low, low + calls.size) end
  for i, low in ipairs(bins.low) do add_range(low - AROUND, bins.high[i] + AROUND) end
  for _, callee in ipairs(callees.address) do add_range(callee, callee + ENTRY) end
  return { low = lows, high = highs }
end

--- Counts executions.
-- @tparam profile profile by function
-- @tparam boolean has_blocks whether discriminators tell blocks apart as LLVM does
-- @treturn {table,...} functions: each with its `name` (mangled); `head`, how often it
--   was called; `lacks_lines`, whether there is no debugging information for it: then all
--   calls are at its first line; `total`, sum of all counts; `places`: maps keys (see
--   `source_counts.line_and_block`), which are in the order of the source, to numbers of
--   places; and `inlined`, false or a table that maps such keys to tables of the
--   functions, like these and by name, that were inlined there
-- @treturn table columns of places: `count`; `target`, the name of the function that was
--   called there, or false, and `target_calls`, how often. If there are several, `target`
--   is a table with the calls by name, and `target_calls` is false
-- @treturn number part of the samples whose place in the source is unknown, 0 to 1
function source_counts.of(profile, has_blocks)
  local bins, calls, callees = bins_of(profile.data), calls_in(profile.data)
  local rows = code_rows.of(profile.image, ranges_of(bins, calls, callees))
  rows.place, rows.copies = {}, {}
  for row = 1, #rows.low do rows.place[row] = UNSEEN end
  local places = { ticks = {}, weight = {}, calls = {}, target = {}, target_calls = {},
    count = {} }
  local image = profile.image
  local state = { profile = profile, image = image, symbols = profile.symbols,
    functions = {}, nodes = {}, bins = bins, rows = rows, places = places,
    has_blocks = has_blocks, callees = callees, entry_calls = {},
    scopes = { known = {}, name = {}, declared = {}, frames = {}, node = {} },
    last_code = { low = 0, past = 0 } }
  add_samples(state)
  look_up_callees(state)
  add_calls(state, calls)
  add_callees(state)
  local factor = factor_of(state)
  add_all_entries(state)
  count_places(places, factor)
  for _, node in ipairs(state.nodes) do set_total(node, places.count) end
  return state.nodes, places, unknown_part(state)
end

return source_counts
