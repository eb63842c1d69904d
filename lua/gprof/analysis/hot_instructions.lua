--- The instructions of the hottest source lines, and of the hottest functions without
-- source, with their samples.
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

-- Returns a function that writes the addresses in a text as functions and offsets. Within
-- a function that is named by its address, addresses stay. `slide` is added to them.
local function namer(symbols, slide)
  return function(digits)
    local address = tonumber(digits, 16) + slide
    local symbol = symbols:lookup(address)
    if not symbol then return "0x" .. digits end
    local offset = address - symbol.address
    if symbol.name:find "^<[^<>]*>$" then
      return offset == 0 and symbol.name or "0x" .. digits
    end
    return ("<%s%s>"):format(symbol.name, offset > 0 and ("+0x%x"):format(offset) or "")
  end
end

-- Returns the instructions between two addresses; none if they are not code.
local function decode(image, low, high, ticks_of)
  local list = image:instructions(low, high)
  if not (list and list[1]) then return {} end
  add_ticks(list, math.min(high, list[#list].address + LONGEST_CODE), ticks_of)
  return list
end

-- Returns the instructions of a piece of code up to where another line begins.
local function decode_line(image, piece, ticks_of)
  local own = {}
  for _, each in ipairs(decode(image, piece.low, piece.high, ticks_of)) do
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
  for id, file, line in profile:functions("sampled", "id", "file", "line") do
    local ids = pieces[file] and pieces[file][line]
    if ids then ids[#ids + 1] = id end
  end
  return pieces
end

-- The order of code: most samples first, then by address.
local function hotter(a, b)
  if a.ticks ~= b.ticks then return a.ticks > b.ticks end
  return a.low < b.low
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
  table.sort(list, hotter)
  return list
end

local function by_address(code)
  table.sort(code, function(a, b) return math.ult(a.address, b.address) end)
  return code
end

-- Writes addresses in the text of an instruction as names.
local function write_names(instruction, name)
  instruction.text = wording.cut(instruction.text:gsub("<0x(%x+)>", name), LONGEST)
end

-- Returns the instructions of one line, in address order.
local function code_of(image, pieces, ticks_of, name)
  local code = {}
  for _, piece in ipairs(pieces) do
    for _, each in ipairs(decode_line(image, piece, ticks_of)) do
      write_names(each, name)
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
  local pieces, name = pieces_of(profile, lines), namer(symbols, 0)
  for _, line in ipairs(lines) do
    local found = in_order(profile, pieces[line.file][line.number])
    local code = code_of(image, found, ticks_of, name)
    if #code > left then return end
    line.code, left = code[1] and code, left - #code
  end
end

-- The largest number of functions without source, and of bytes of their code.
local MOST_FUNCTIONS <const>, MOST_BYTES <const> = 20, 1 << 18

-- A function with a smaller share of the time is left out.
local LEAST_SHARE <const> = 0.005

-- Returns the hottest functions without source: their ids and code.
local function sourceless(profile, ids)
  local ticks, files, addresses, sizes =
    profile:columns(ids, "ticks", "file", "address", "size")
  local found, total = {}, 0
  for _, own in ipairs(ticks) do total = total + own end
  for i, id in ipairs(ids) do
    local is_hot = ticks[i] > 0 and ticks[i] >= LEAST_SHARE * total
    if is_hot and not files[i] and addresses[i] then
      found[#found + 1] = { id = id, ticks = ticks[i], low = addresses[i],
        high = addresses[i] + sizes[i] }
    end
  end
  table.sort(found, hotter)
  return found
end

-- Returns the instructions in a row that have the most samples, as many as a line may
-- have.
local function hottest_part(list)
  local first, most, sum = 1, 0, 0
  for i, each in ipairs(list) do
    sum = sum + each.ticks - (i > MOST_OF_LINE and list[i - MOST_OF_LINE].ticks or 0)
    if sum > most then first, most = math.max(1, i - MOST_OF_LINE + 1), sum end
  end
  return table.move(list, first, math.min(#list, first + MOST_OF_LINE - 1), 1, {})
end

-- Returns the object of a profile that has the code at an address.
local function object_at(profile, address)
  for _, object in ipairs(profile:objects()) do
    if object.low <= address and address < object.high then return object end
  end
end

-- Returns the instructions around the hottest place of a function.
local function code_around(profile, f, ticks_of)
  local object = object_at(profile, f.low)
  if not (object and object.image) then return {} end
  local slide = object.slide
  local list = decode(object.image, f.low - slide, f.high - slide,
    function(unit) return ticks_of(unit + slide // UNIT) end)
  local part, name = hottest_part(list), namer(profile.symbols, slide)
  for _, each in ipairs(part) do write_names(each, name) end
  return part
end

--- Finds the instructions around the hottest place of functions whose source is not
-- known: of up to 20 functions.
-- @tparam profile profile by function
-- @tparam {integer,...} ids of functions
-- @treturn {[integer]=table} by id: an array of instructions with `address` (in their
--   file), `text` and `ticks`
function hot_instructions.of_functions(profile, ids)
  local left, code = MOST_BYTES, {}
  local ticks_of = not profile.image.has_scripts and unit_counter(profile.data)
  if not ticks_of then return code end
  local found = sourceless(profile, ids)
  for i = 1, math.min(#found, MOST_FUNCTIONS) do
    local f = found[i]
    local size = f.high - f.low
    if size <= left then
      local part = code_around(profile, f, ticks_of)
      code[f.id], left = part[1] and part or nil, left - size
    end
  end
  return code
end

return hot_instructions
