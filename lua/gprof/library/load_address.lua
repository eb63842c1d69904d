--- Where a library was loaded, as the calls of a program tell.
--
-- A library that is compiled with -pg, as the program is, notes who calls: such calls
-- are in the program's profile, with the address that the function was loaded at. Where
-- the library was nobody tells. But it was at a page; and there, addresses within its
-- code are at entries of its functions, of which none was called more often than the
-- dynamic linker counted from outside. A place is taken if there is none that fits as
-- well.
--
-- @internal gprof.library.load_address
-- SPDX-License-Identifier: GPL-3.0-or-later

local load_address = {}

-- Libraries are loaded at multiples of this, or of more. A function notes its caller in
-- its first bytes, at most so many behind its entry.
local PAGE <const>, PROLOGUE <const> = 4096, 64

-- One address in so many, within a library, may be at no entry: functions without symbol.
local ODD <const> = 4

-- Places are looked for by some addresses: so many of each stretch, and so many stretches
-- are as long as the library. All addresses would make pairs with all functions.
local TELLING <const>, STRETCHES <const> = 8, 8

-- The function at whose entry an offset in the library is, as far as a prologue goes.
local function entered_at(symbols, offset)
  local symbol = symbols:lookup(offset)
  if symbol and offset - symbol.address < PROLOGUE then return symbol.address end
end

-- Addresses of which calls are left -----------------------------------------------------

--- Keys in order, so that a result does not depend on that of Lua's tables.
-- @tparam table map
-- @treturn table
function load_address.sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- The index of the first address that is not below a limit.
local function first_from(addresses, limit)
  local low, high = 1, #addresses + 1
  while low < high do
    local middle = (low + high) // 2
    if addresses[middle] < limit then low = middle + 1 else high = middle end
  end
  return low
end

-- The addresses that places are looked for by: of each stretch, spread evenly.
local function telling(addresses, length)
  local chosen, first = {}, 1
  while first <= #addresses do
    local behind = first_from(addresses, addresses[first] + length)
    local step = math.max(1, (behind - first) / TELLING)
    for i = 0, math.min(behind - first, TELLING) - 1 do
      chosen[#chosen + 1] = addresses[first + math.floor(i * step)]
    end
    first = behind
  end
  return chosen
end

-- Places --------------------------------------------------------------------------------

-- Functions by the part of a page that they begin in, each as long as a prologue.
local PARTS <const> = PAGE // PROLOGUE
local function by_part(outside)
  local parts = {}
  for part = 0, PARTS - 1 do parts[part] = {} end
  for callee in pairs(outside) do
    table.insert(parts[callee // PROLOGUE % PARTS], callee)
  end
  return parts
end

-- Adds the bases at which an address is in one of some functions, which was called as
-- often at least.
local function add_bases(bases, search, address, callees)
  for _, callee in ipairs(callees) do
    local offset = address - callee & PAGE - 1
    local base = address - callee - offset
    if not bases[base] and offset < PROLOGUE and
      search.sum[address] <= search.outside[callee] and
      entered_at(search.symbols, callee + offset) == callee
    then
      bases[base] = true
    end
  end
end

-- Where the library may have been, by what some addresses say. Only functions are looked
-- at that begin in the same part of a page as the address, or in the one before.
local function possible_bases(search)
  local bases, parts = {}, by_part(search.outside)
  local length = (search.high - search.low) // STRETCHES + 1
  for _, address in ipairs(telling(search.addresses, length)) do
    local part = address // PROLOGUE % PARTS
    add_bases(bases, search, address, parts[part])
    add_bases(bases, search, address, parts[(part - 1) % PARTS])
  end
  return load_address.sorted_keys(bases)
end

-- Enters an address; false if its function was not called as often.
local function enter(place, search, address, callee)
  local calls = (place.calls[callee] or 0) + search.sum[address]
  local limit = search.outside[callee]
  if not limit then return true end
  place.calls[callee], place.entered[address] = calls, callee
  place.explained = place.explained + 1
  return calls <= limit
end

-- How many functions were called as often as from outside at all.
local function count_exact(place, search)
  local exact = 0
  for callee, count in pairs(place.calls) do
    if count == search.outside[callee] then exact = exact + 1 end
  end
  return exact
end

-- What is at a base: by address the function that it is `entered` in; `calls` by
-- function; how many addresses are `explained`, and how many functions' calls are
-- `exact`. Nil if the library was not there, which few addresses show, mostly.
local function examine(search, base)
  local place = { entered = {}, calls = {}, explained = 0 }
  local first = first_from(search.addresses, base + search.low)
  local seen, odd = 0, 0
  for i = first, #search.addresses do
    local address = search.addresses[i]
    if address >= base + search.high then break end
    if search.sum[address] then
      seen = seen + 1
      local callee = entered_at(search.symbols, address - base)
      if not callee then odd = odd + 1 end
      if callee and not enter(place, search, address, callee) then return nil end
      if odd > ODD + seen // ODD then return nil end
    end
  end
  if odd > seen // ODD or place.explained == 0 then return nil end
  place.exact = count_exact(place, search)
  return place
end

-- The places among some bases; and the bases of these.
local function examine_all(search, bases)
  local places, left = {}, {}
  for _, base in ipairs(bases) do
    local place = examine(search, base)
    if place then places[#places + 1], left[#left + 1] = place, base end
  end
  return places, left
end

-- The places that fit best, which may be several.
local function best_of(places)
  local best = {}
  for _, place in ipairs(places) do
    local first = best[1]
    if not first or place.exact > first.exact or
      place.exact == first.exact and place.explained > first.explained
    then
      best = { place }
    elseif place.exact == first.exact and place.explained == first.explained then
      best[#best + 1] = place
    end
  end
  return best
end

-- The place that several are together, of runs that did the same: none has an address of
-- another one, and all calls of their functions are theirs. Nil if they are not that.
local function together(search, places)
  local all = { entered = {}, calls = {}, explained = 0 }
  for _, place in ipairs(places) do
    for address, callee in pairs(place.entered) do
      local is_other = all.entered[address]
      if is_other or not enter(all, search, address, callee) then return nil end
    end
  end
  local functions = 0
  for _ in pairs(all.calls) do functions = functions + 1 end
  return count_exact(all, search) == functions and all or nil
end

--- Finds out which calls of a program entered which functions of a library, and takes
-- these calls off: at one place after the other, as a sum is of several runs.
-- @tparam symbols symbols of the library
-- @tparam data data of the library, which tell the range of its code
-- @tparam {[integer]=integer} outside by function of the library, how often it was called
--   from outside; what is taken off is less there
-- @tparam {[integer]=integer} sum by address that is not in the program, how often it was
--   called; what is taken off is not there any more
-- @tparam function take is called with each address that was entered, and its function
function load_address.take(symbols, data, outside, sum, take)
  if not data.low then return end
  local search = { symbols = symbols, low = data.low, high = data.high, sum = sum,
    outside = outside, addresses = load_address.sorted_keys(sum) }
  local places, bases = examine_all(search, possible_bases(search))
  while places[1] do
    local best = best_of(places)
    local place = best[2] and together(search, best) or not best[2] and best[1]
    if not place then return end
    for address, callee in pairs(place.entered) do
      take(address, callee)
      outside[callee] = outside[callee] - sum[address]
      sum[address] = nil
    end
    places, bases = examine_all(search, bases)
  end
end

return load_address
