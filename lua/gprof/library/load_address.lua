--- Infers where a library was loaded from the calls in a program's profile.
--
-- If program and library are compiled with -pg, the program's profile has the calls into
-- the library, with the run-time addresses of the library's functions. The base address
-- is not recorded, but it is a multiple of the page size. With the right base address,
-- recorded callees within the library are entries of its functions, and no function has
-- more such calls than the dynamic linker counted from outside. A base address is
-- accepted if no other base address fits equally well.
--
-- @internal gprof.library.load_address
-- SPDX-License-Identifier: GPL-3.0-or-later

local load_address = {}

-- Sizes in bytes. The base address is a multiple of PAGE. A function records its caller
-- within PROLOGUE bytes after its entry.
local PAGE <const>, PROLOGUE <const> = 4096, 64

-- One in STRAY addresses within a library may be at no known entry: some functions have
-- no symbol.
local STRAY <const> = 4

-- Base addresses are derived from a sample of the addresses: pairing all addresses with
-- all functions would be quadratic. The address space is divided into stretches of
-- 1/STRETCHES of the library's length. SAMPLES addresses are taken from each stretch.
local SAMPLES <const>, STRETCHES <const> = 8, 8

-- Returns the address of the function whose prologue contains an offset in the library,
-- or nil.
local function entered_at(symbols, offset)
  local symbol = symbols:lookup(offset)
  if symbol and offset - symbol.address < PROLOGUE then return symbol.address end
end

-- Addresses -----------------------------------------------------------------------------

--- Returns the sorted keys of a table: results must not depend on the order of `pairs`.
-- @tparam table map
-- @treturn table
function load_address.sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- Returns the index of the first address >= limit, by binary search.
local function lower_bound(addresses, limit)
  local low, high = 1, #addresses + 1
  while low < high do
    local middle = (low + high) // 2
    if addresses[middle] < limit then low = middle + 1 else high = middle end
  end
  return low
end

-- Returns a sample of the addresses, spread evenly over each stretch of `length` bytes.
local function sample(addresses, length)
  local chosen, first = {}, 1
  while first <= #addresses do
    local last = lower_bound(addresses, addresses[first] + length)  -- exclusive
    local step = math.max(1, (last - first) / SAMPLES)
    for i = 0, math.min(last - first, SAMPLES) - 1 do
      chosen[#chosen + 1] = addresses[first + math.floor(i * step)]
    end
    first = last
  end
  return chosen
end

-- Candidates ----------------------------------------------------------------------------

-- Groups functions by the part of a page where they begin. A part has PROLOGUE bytes.
local PARTS <const> = PAGE // PROLOGUE
local function by_part(outside)
  local parts = {}
  for part = 0, PARTS - 1 do parts[part] = {} end
  for callee in pairs(outside) do
    table.insert(parts[callee // PROLOGUE % PARTS], callee)
  end
  return parts
end

-- Adds the base addresses at which `address` is in the prologue of one of the functions
-- `callees`, if that function was called from outside at least as often as `address`.
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

-- Returns the base addresses possible for a sample of the addresses. An address can only
-- be in the prologue of a function that begins in the same part of a page, or in the part
-- before it.
local function possible_bases(search)
  local bases, parts = {}, by_part(search.outside)
  local length = (search.high - search.low) // STRETCHES + 1
  for _, address in ipairs(sample(search.addresses, length)) do
    local part = address // PROLOGUE % PARTS
    add_bases(bases, search, address, parts[part])
    add_bases(bases, search, address, parts[(part - 1) % PARTS])
  end
  return load_address.sorted_keys(bases)
end

-- Attributes the calls of an address to a function. Returns false if more calls are then
-- attributed to that function than it had from outside.
local function attribute(candidate, search, address, callee)
  local calls = (candidate.calls[callee] or 0) + search.sum[address]
  local limit = search.outside[callee]
  if not limit then return true end
  candidate.calls[callee], candidate.entered[address] = calls, callee
  candidate.explained = candidate.explained + 1
  return calls <= limit
end

-- Counts the functions whose calls from outside are all attributed.
local function count_exact(candidate, search)
  local exact = 0
  for callee, count in pairs(candidate.calls) do
    if count == search.outside[callee] then exact = exact + 1 end
  end
  return exact
end

-- Evaluates a base address. Returns a candidate: `entered`, a table from recorded
-- addresses to functions; `explained`, the number of these addresses; `calls`, the number
-- of calls of each function; `exact`, see `count_exact`. Returns nil, mostly after a few
-- addresses, if the library was not loaded there.
local function evaluate(search, base)
  local candidate = { entered = {}, calls = {}, explained = 0 }
  local first = lower_bound(search.addresses, base + search.low)
  local seen, stray = 0, 0
  for i = first, #search.addresses do
    local address = search.addresses[i]
    if address >= base + search.high then break end
    if search.sum[address] then
      seen = seen + 1
      local callee = entered_at(search.symbols, address - base)
      if not callee then stray = stray + 1 end
      if callee and not attribute(candidate, search, address, callee) then return nil end
      if stray > STRAY + seen // STRAY then return nil end
    end
  end
  if stray > seen // STRAY or candidate.explained == 0 then return nil end
  candidate.exact = count_exact(candidate, search)
  return candidate
end

-- Evaluates base addresses. Returns the candidates, and a list of their base addresses.
local function evaluate_all(search, bases)
  local candidates, left = {}, {}
  for _, base in ipairs(bases) do
    local candidate = evaluate(search, base)
    if candidate then candidates[#candidates + 1], left[#left + 1] = candidate, base end
  end
  return candidates, left
end

-- Returns the best candidate, or several if they fit equally well.
local function best_of(candidates)
  local best = {}
  for _, candidate in ipairs(candidates) do
    local first = best[1]
    if not first or candidate.exact > first.exact or
      candidate.exact == first.exact and candidate.explained > first.explained
    then
      best = { candidate }
    elseif candidate.exact == first.exact and candidate.explained == first.explained then
      best[#best + 1] = candidate
    end
  end
  return best
end

-- Returns the union of candidates that are several equal runs in a sum: they share no
-- address, and together explain all calls of their functions from outside. Otherwise nil.
local function union(search, candidates)
  local all = { entered = {}, calls = {}, explained = 0 }
  for _, candidate in ipairs(candidates) do
    for address, callee in pairs(candidate.entered) do
      local is_shared = all.entered[address]
      if is_shared or not attribute(all, search, address, callee) then return nil end
    end
  end
  local functions = 0
  for _ in pairs(all.calls) do functions = functions + 1 end
  return count_exact(all, search) == functions and all or nil
end

--- Attributes calls from a program to the functions of a library. Continues after a base
-- address is found, because a sum of several runs may have several.
-- @tparam symbols symbols of the library
-- @tparam data data of the library; their range is that of its code
-- @tparam {[integer]=integer} outside for each function of the library, the number of
--   calls from outside; attributed calls are subtracted
-- @tparam {[integer]=integer} sum for each callee address outside the program, the number
--   of calls; attributed addresses are removed
-- @tparam function report called with each attributed address, and its function
function load_address.attribute(symbols, data, outside, sum, report)
  if not data.low then return end
  local search = { symbols = symbols, low = data.low, high = data.high, sum = sum,
    outside = outside, addresses = load_address.sorted_keys(sum) }
  local candidates, bases = evaluate_all(search, possible_bases(search))
  while candidates[1] do
    local best = best_of(candidates)
    local candidate = best[2] and union(search, best) or not best[2] and best[1]
    if not candidate then return end
    for address, callee in pairs(candidate.entered) do
      report(address, callee)
      outside[callee] = outside[callee] - sum[address]
      sum[address] = nil
    end
    candidates, bases = evaluate_all(search, bases)
  end
end

return load_address
