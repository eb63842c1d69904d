--- The instructions of the hottest source lines, with their samples.
--
-- A bin's samples are divided equally among its units of two bytes, as for functions and
-- lines; those of a unit, among the instructions that begin in it.
--
-- @internal gprof.analysis.hot_instructions
-- SPDX-License-Identifier: GPL-3.0-or-later

local wording = require "gprof.format.wording"

local hot_instructions = {}

-- The largest number of instructions of all lines, and of one line.
local MOST <const>, MOST_OF_LINE <const> = 1500, 60

-- The samples of larger bins, in bytes, do not tell instructions apart.
local LARGEST_BIN <const> = 16

local UNIT <const> = 2  -- bytes

-- No instruction has more bytes.
local LONGEST_CODE <const> = 16

-- The largest number of bytes of an instruction's text.
local LONGEST <const> = 120

-- Returns the samples of a unit of code in a histogram.
local function ticks_in(histogram, unit)
  local low, ticks = histogram.low, 0
  local size = math.tointeger(histogram.bin_size) or histogram.bin_size
  local before = math.floor((UNIT * unit - low) / size)
  local after = math.ceil((UNIT * (unit + 1) - low) / size) + 1
  for bin = math.max(before, 1), math.min(after, histogram.bin_count) do
    local address = low + math.floor(size * (bin - 1))
    local first = address // UNIT
    local last = math.max(first, -(-(address + size) // UNIT) - 1)
    if first <= unit and unit <= last then
      ticks = ticks + histogram:count(bin) / (last - first + 1)
    end
  end
  return ticks
end

-- Returns a function that returns the samples of a unit of code; nil if bins are too
-- large.
local function unit_counter(data)
  local histograms = {}
  for histogram in data:histograms() do
    if histogram.bin_size > LARGEST_BIN then return nil end
    histograms[#histograms + 1] = histogram
  end
  return function(unit)
    local ticks = 0
    for _, histogram in ipairs(histograms) do
      ticks = ticks + ticks_in(histogram, unit)
    end
    return ticks
  end
end

-- Sets the samples of instructions, which end before `high`.
local function add_ticks(list, high, ticks_of)
  local next_one, current = 1, nil
  for _, each in ipairs(list) do each.ticks = 0 end
  for unit = list[1].address // UNIT, (high - 1) // UNIT do
    local starting = {}
    while list[next_one] and list[next_one].address // UNIT == unit do
      starting[#starting + 1], next_one = list[next_one], next_one + 1
    end
    local sharing, ticks = starting[1] and starting or { current }, ticks_of(unit)
    for _, each in ipairs(sharing) do each.ticks = each.ticks + ticks / #sharing end
    current = starting[#starting] or current
  end
end

-- Returns a function that writes the addresses in a text as functions and offsets.
local function namer(symbols)
  return function(digits)
    local address = tonumber(digits, 16)
    local symbol = symbols:lookup(address)
    if not symbol then return "0x" .. digits end
    local offset = address - symbol.address
    return ("<%s%s>"):format(symbol.name, offset > 0 and ("+0x%x"):format(offset) or "")
  end
end

-- Returns the instructions of a piece of code up to where another line begins.
local function decode(image, piece, ticks_of)
  local list = image:instructions(piece.low, piece.high)
  if not (list and list[1]) then return {} end
  add_ticks(list, math.min(piece.high, list[#list].address + LONGEST_CODE), ticks_of)
  local own = {}
  for _, each in ipairs(list) do
    local file, line = image:line(each.address)
    if file ~= piece.file or line ~= piece.line then break end
    own[#own + 1] = each
  end
  return own
end

-- Returns the numbers of the pieces of code with samples, by file and line, of the given
-- lines.
local function pieces_of(profile, lines)
  local pieces = {}
  for _, line in ipairs(lines) do
    pieces[line.file] = pieces[line.file] or {}
    pieces[line.file][line.number] = {}
  end
  for ticks, id, file, line in
    profile:functions("address", "ticks", "id", "file", "line")
  do
    local ids = ticks > 0 and pieces[file] and pieces[file][line]
    if ids then ids[#ids + 1] = id end
  end
  return pieces
end

-- Returns the pieces of code with given numbers, those with most samples first.
local function in_order(profile, ids)
  local list = {}
  for i, id in ipairs(ids) do
    local ticks, address, size, file, line =
      profile:get(id, "ticks", "address", "size", "file", "line")
    list[i] = { low = address, high = address + size, file = file, line = line,
      ticks = ticks }
  end
  table.sort(list, function(a, b)
    if a.ticks ~= b.ticks then return a.ticks > b.ticks end
    return a.low < b.low
  end)
  return list
end

local function by_address(code)
  table.sort(code, function(a, b) return math.ult(a.address, b.address) end)
  return code
end

-- Returns the instructions of one line, in address order.
local function code_of(image, pieces, ticks_of, name)
  local code = {}
  for _, piece in ipairs(pieces) do
    for _, each in ipairs(decode(image, piece, ticks_of)) do
      each.text = wording.cut(each.text:gsub("<0x(%x+)>", name), LONGEST)
      code[#code + 1] = each
      if #code == MOST_OF_LINE then return by_address(code) end
    end
  end
  return by_address(code)
end

--- Finds the instructions of lines, until they are 1,500. Sets the field `code` of lines:
-- an array of instructions with `address`, `text` and `ticks`.
-- @tparam profile profile by line
-- @tparam {table,...} lines in descending order of time, each with `file` and `number`
-- @tparam table symbols the functions, for names in operands
function hot_instructions.add(profile, lines, symbols)
  local image, left = profile.image, MOST
  local ticks_of = not image.has_scripts and unit_counter(profile.data)
  if not ticks_of then return end
  local pieces, name = pieces_of(profile, lines), namer(symbols)
  for _, line in ipairs(lines) do
    local found = in_order(profile, pieces[line.file][line.number])
    local code = code_of(image, found, ticks_of, name)
    if #code > left then return end
    line.code, left = code[1] and code, left - #code
  end
end

return hot_instructions
