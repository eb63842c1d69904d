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
local sorted = require "gprof.format.sorted"

local source_counts = {}

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

-- Code in which more functions are nested is left out.
local MOST_FRAMES <const> = 200

-- Adds counts, which are not negative.
local function add(a, b)
  local sum = a + b
  return sum < 0 and math.maxinteger or sum
end

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
  return block, math.max(decode(rest), 1)
end

-- Places --------------------------------------------------------------------------------

local function new_node(name)
  return { name = name, places = {}, inlined = {}, entries = {} }
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

-- `calls` and `targets` are nil until there are some.
local function new_place(offset, block)
  return { offset = offset, block = block, ticks = 0, weight = 0 }
end

-- Adds to a count of a place, in its table `field`.
local function add_to(place, field, key, count)
  local counts = place[field]
  if not counts then
    counts = {}
    place[field] = counts
  end
  counts[key] = add(counts[key] or 0, count)
end

local function place_key(line, declared, block)
  local offset = line - declared & LINES
  return offset << 16 | block, offset
end

-- Returns the node of a function that was inlined into another one.
local function inlined_node(state, node, frame, name)
  local block = state.has_blocks and parts(frame.discriminator or 0) or 0
  local key, offset = place_key(frame.line, frame.declared, block)
  local copies = element(node.inlined, key, function()
    return { offset = offset, block = block, nodes = {} }
  end)
  return element(copies.nodes, name, new_node, name)
end

-- Returns the frames of the code at an address, if they tell what a place needs.
local function frames_at(state, address)
  local frames = state.image:frames(address, MOST_FRAMES)
  if not frames or frames[#frames].inlined then return nil end
  for i, frame in ipairs(frames) do
    local has_place = frame.name and frame.declared and (i == 1 or frame.line)
    if not has_place then return nil end
  end
  return frames
end

-- Returns the place of a row; nil if it is unknown.
local function place_of(state, row)
  if row.place ~= nil then return row.place or nil end
  local frames = frames_at(state, row.low)
  row.place = false
  if not frames then return nil end
  local name = frames[#frames].name
  local node = element(state.functions, name, new_node, name)
  for i = #frames, 2, -1 do
    node = inlined_node(state, node, frames[i], frames[i - 1].name)
  end
  local block, copies = 0, 1
  if state.has_blocks then block, copies = parts(row.discriminator) end
  local key, offset = place_key(row.line, frames[1].declared, block)
  row.place, row.copies = element(node.places, key, new_place, offset, block), copies
  return row.place
end

-- Samples -------------------------------------------------------------------------------

-- Returns the range of the symbol whose code contains an address; nil if there is none.
-- Remembers the last one, since rows come in the order of addresses.
local function code_of_symbol(state, address)
  if state.first and state.first <= address and address < state.last then
    return state.first, state.last
  end
  local symbol = state.image:lookup(address)
  local first = symbol and symbol.address
  if not first or address >= first + symbol.size then return nil end
  state.first, state.last = first, first + symbol.size
  return state.first, state.last
end

-- Returns the samples per byte around a row, in its function.
local function density_around(state, row)
  local low, high = row.low - AROUND, row.high + AROUND
  local first, last = code_of_symbol(state, row.low)
  if first then
    low, high = math.max(low, first), math.max(math.min(high, last), row.high)
  end
  local ticks = 0
  local before, after = code_rows.span(state.bins, low, high)
  for at = before, after do
    local bin = state.bins[at]
    local size = math.min(bin.high, high) - math.max(bin.low, low)
    ticks = ticks + bin.ticks * size / (bin.high - bin.low)
  end
  return ticks / (high - low)
end

-- Adds the samples of rows to their places. Of the rows of one place, those with most
-- samples determine its density.
local function add_samples(state, rows)
  for _, row in ipairs(rows) do
    local dense = density_around(state, row)
    local place = dense > 0 and place_of(state, row)
    if place then
      local ticks = dense * (row.high - row.low)
      place.ticks = place.ticks + ticks
      place.weight = place.weight + row.copies * dense * ticks
    end
  end
end

-- Whether the place of some code of a bin is known.
local function is_known(state, rows, bin)
  local first, last = code_rows.span(rows, bin.low, bin.high)
  for at = first, last do
    if place_of(state, rows[at]) then return true end
  end
  return false
end

-- Returns the part of the program's samples whose place is unknown.
local function unknown_part(state, rows)
  local all, unknown = 0, 0
  for _, bin in ipairs(state.bins) do
    if is_known(state, rows, bin) then
      all = all + bin.ticks
    else
      local found = state.profile:lookup(bin.low)
      local is_in_library = found and found.object
      if not is_in_library then
        all, unknown = all + bin.ticks, unknown + bin.ticks
      end
    end
  end
  return all > 0 and unknown / all or 0
end

local function density(place)
  return place.ticks > 0 and place.weight / place.ticks or 0
end

-- Calls ---------------------------------------------------------------------------------

-- Returns the place of a call; nil if several are possible.
local function place_of_call(state, rows, call)
  local found
  local first, last = code_rows.span(rows, call.low, call.high)
  for at = first, last do
    local place = place_of(state, rows[at])
    if not place or found and place ~= found then return nil end
    found = place
  end
  return found
end

-- Returns the name of the function of the program at an address, as in the source; false
-- if it is unknown.
local function name_at(state, address)
  local frames = frames_at(state, address)
  if frames then return frames[#frames].name end
  local found = state.profile:lookup(address)
  return found and not found.object and found.symbol or false
end

-- Adds a call to the function that is called, and to the place of the call.
local function add_call(state, rows, call)
  local name = state.names[call.callee]
  if name == nil then
    name = name_at(state, call.callee)
    state.names[call.callee] = name
  end
  if not name then return end
  local node = element(state.functions, name, new_node, name)
  node.head = add(node.head or 0, call.count)
  node.entries[call.callee] = add(node.entries[call.callee] or 0, call.count)
  local place = place_of_call(state, rows, call)
  if not place then return end
  add_to(place, "calls", call.low, call.count)
  add_to(place, "targets", name, call.count)
end

-- Returns how often a place ran, if it has calls: as often as the most frequent of them.
local function calls_of(place)
  local most
  for _, count in pairs(place.calls or {}) do most = math.max(most or 0, count) end
  return most
end

-- Entries -------------------------------------------------------------------------------

-- Returns the range of code at the entry of a function.
local function range_of_entry(image, address)
  local symbol = image:lookup(address)
  local size = symbol and symbol.address == address and symbol.size or ENTRY
  return address, address + math.min(size, ENTRY)
end

local function has_places(node)
  return next(node.places) ~= nil or next(node.inlined) ~= nil
end

local function add_entry(place, count)
  add_to(place, "calls", "entry", count)
end

-- Adds places to a function that has calls but no places: compilers ignore functions
-- without counts, and their calls. The code at the entry runs about once a call. One
-- place would not do: the compiler may have no code there when it reads the counts.
local function add_entries(state, rows, node)
  if (node.head or 0) == 0 or has_places(node) then return end
  for _, address in ipairs(sorted.keys(node.entries)) do
    local seen = {}
    local first, last = code_rows.span(rows, range_of_entry(state.image, address))
    for at = first, last do
      local row = rows[at]
      local place = place_of(state, row)
      if place and not seen[place] then add_entry(place, node.entries[address]) end
      seen[place or row] = true
    end
  end
  if has_places(node) then return end
  node.lacks_lines, node.places[0] = true, new_place(0, 0)
  add_entry(node.places[0], node.head)
end

-- Executions ----------------------------------------------------------------------------

-- Calls a function with all places of a node and of those inlined in it.
local function each_place(node, call)
  for _, place in pairs(node.places) do call(place) end
  for _, copies in pairs(node.inlined) do
    for _, inner in pairs(copies.nodes) do each_place(inner, call) end
  end
end

-- Returns the factor from densities to executions.
local function factor_of(state)
  local known, densities = 0.0, 0.0
  for _, node in pairs(state.functions) do
    each_place(node, function(place)
      local calls = calls_of(place)
      if calls then known, densities = known + calls, densities + density(place) end
    end)
  end
  if densities > 0 then return known / densities end
  return BYTES_PER_SECOND / (state.profile.rate or 1)
end

local function set_counts(node, factor)
  local total = 0
  for _, place in pairs(node.places) do
    local estimate = math.min(density(place) * factor, 2 ^ 62)
    place.count = calls_of(place) or math.max(math.floor(estimate + 0.5), 1)
    total = add(total, place.count)
  end
  for _, copies in pairs(node.inlined) do
    for _, inner in pairs(copies.nodes) do
      set_counts(inner, factor)
      total = add(total, inner.total)
    end
  end
  node.total = total
end

-- Records -------------------------------------------------------------------------------

local function bins_of(data)
  local bins = {}
  for histogram in data:histograms() do
    local size = histogram.bin_size
    for _, ticks, address in histogram:bins() do
      bins[#bins + 1] = { low = address, high = address + size, ticks = ticks }
    end
  end
  return sorted.by(bins, "low")
end

-- Return addresses are exact unless all are rounded.
local function are_exact(data)
  for from in data:arcs() do
    if from % ROUNDED ~= 0 and from ~= -1 then return true end
  end
  return false
end

local function calls_in(data)
  local calls, is_exact = {}, are_exact(data)
  for from, callee, count in data:arcs() do
    -- the code that contains the call, whose return address was recorded
    local low, high = from - 1, is_exact and from or from + ROUNDED - 1
    calls[#calls + 1] = { low = low, high = high, callee = callee, count = count }
  end
  return sorted.by(calls, "low")
end

-- Returns the ranges of code whose rows are needed.
local function ranges_of(bins, calls)
  local ranges = table.move(calls, 1, #calls, 1, {})
  for _, bin in ipairs(bins) do
    ranges[#ranges + 1] = { low = bin.low - AROUND, high = bin.high + AROUND }
  end
  for _, call in ipairs(calls) do
    ranges[#ranges + 1] = { low = call.callee, high = call.callee + ENTRY }
  end
  return ranges
end

--- Counts executions.
-- @tparam profile profile by function
-- @tparam boolean has_blocks whether discriminators tell blocks apart as LLVM does
-- @treturn {table,...} functions by name: each with its `name` (mangled); `head`, calls
--   of it; `lacks_lines`, whether there is no debugging information for it: then all
--   calls are at its first line; `total`, sum of all counts; `places`: a table of places,
--   each with `offset` (in lines), `block`, `count`, and `targets`, calls by name of the
--   callee; and `inlined`, a table of the places where functions were inlined, each with
--   `offset`, `block`, and a table `nodes` of functions like this one
-- @treturn number part of the samples whose place in the source is unknown, 0 to 1
function source_counts.of(profile, has_blocks)
  local calls, bins = calls_in(profile.data), bins_of(profile.data)
  local state = { profile = profile, image = profile.image, functions = {}, names = {},
    bins = bins, has_blocks = has_blocks }
  local rows = code_rows.of(profile.image, ranges_of(bins, calls))
  add_samples(state, rows)
  for _, call in ipairs(calls) do add_call(state, rows, call) end
  local factor = factor_of(state)
  for _, name in ipairs(sorted.keys(state.functions)) do
    add_entries(state, rows, state.functions[name])
  end
  for _, node in pairs(state.functions) do set_counts(node, factor) end
  return state.functions, unknown_part(state, rows)
end

return source_counts
