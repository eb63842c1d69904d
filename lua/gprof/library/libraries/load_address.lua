--- Infers where a library was loaded from the calls in a program's profile.
--
-- If program and library are compiled with -pg, the program's profile has the calls into
-- the library, with the run-time addresses of the library's functions. The base address
-- is not recorded, but it is a multiple of the page size. With the right base address,
-- recorded callees within the library are entries of its functions, and no function has
-- more such calls than the dynamic linker counted from outside. This module finds the
-- base addresses that fit one library; placement.lua chooses among the base
-- addresses of all libraries.
--
-- @internal gprof.library.libraries.load_address
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"

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

-- Limits on the work, as multiples of the number of addresses and functions. LOOKUPS
-- limits the lookups while base addresses are tried. COVERED limits the sum of the
-- numbers of addresses that the candidates cover. These limits are exceeded only if
-- functions are spaced so regularly that very many base addresses fit.
local LOOKUPS <const>, COVERED <const> = 64, 4

-- Returns the address of the function whose prologue contains an offset in the library,
-- or nil.
local function entered_at(symbols, offset)
  local symbol = symbols:lookup(offset)
  if symbol and offset - symbol.address < PROLOGUE then return symbol.address end
end

-- Addresses -----------------------------------------------------------------------------

-- Returns a sample of the addresses, spread evenly over each stretch of `length` bytes.
local function sample(addresses, length)
  local chosen, first = {}, 1
  while first <= #addresses do
    local limit = addresses[first] + length
    if limit < addresses[first] then limit = math.maxinteger end  -- it wrapped around
    local last = math.max(sorted.search(addresses, limit), first + 1)  -- exclusive
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
  search.budget = search.budget - #callees
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
    if search.budget <= 0 then
      search.exceeded = true
      break
    end
    add_bases(bases, search, address, parts[part])
    add_bases(bases, search, address, parts[(part - 1) % PARTS])
  end
  return sorted.keys(bases)
end

-- Attributes the calls recorded for an address to the function `callee`. Returns false if
-- that function then has more calls from outside than were recorded.
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

-- A candidate has `covered`, an array of the addresses within the library; `entered`, a
-- table from addresses to functions; `calls`, a table from functions to their attributed
-- calls; `explained`, the number of addresses in `entered`; and `exact`, the result of
-- `count_exact`.
local function new_candidate()
  return { covered = {}, entered = {}, calls = {}, explained = 0 }
end

-- Evaluates a base address. Returns a candidate; or nil if the library was not loaded
-- there. A few addresses are usually enough to exclude a base address.
local function evaluate(search, base)
  local candidate, addresses = new_candidate(), search.addresses
  local covered, stray = candidate.covered, 0
  local first = sorted.search(addresses, base + search.low)
  for i = first, #addresses do
    local address = addresses[i]
    if address >= base + search.high then break end
    search.budget = search.budget - 1
    if search.sum[address] then
      covered[#covered + 1] = address
      local callee = entered_at(search.symbols, address - base)
      if not callee then stray = stray + 1 end
      if callee and not attribute(candidate, search, address, callee) then return nil end
      if stray > STRAY + #covered // STRAY then return nil end
    end
  end
  if stray > #covered // STRAY or candidate.explained == 0 then return nil end
  candidate.exact = count_exact(candidate, search)
  return candidate
end

-- Evaluates all base addresses, and drops the impossible ones for good: attributing
-- further calls cannot make a base address possible again. Returns the candidates; none
-- if a limit is exceeded.
local function evaluate_all(search)
  local candidates, left, covered = {}, {}, 0
  for _, base in ipairs(search.bases) do
    local candidate = evaluate(search, base)
    if candidate then
      candidates[#candidates + 1], left[#left + 1] = candidate, base
      covered = covered + #candidate.covered
    end
    search.exceeded = search.budget <= 0 or covered > search.most_covered
    if search.exceeded then return {} end
  end
  search.bases = left
  return candidates
end

-- Choices -------------------------------------------------------------------------------

--- Returns whether a fit is better than another: by exact counts, then by the number of
-- addresses explained.
-- @tparam table a with `exact` and `explained`
-- @tparam table b with the same fields
-- @treturn boolean
function load_address.is_better(a, b)
  if a.exact ~= b.exact then return a.exact > b.exact end
  return a.explained > b.explained
end

-- Returns the best candidate, or several if they fit equally well.
local function best_of(candidates)
  local best = {}
  for _, candidate in ipairs(candidates) do
    if not best[1] or load_address.is_better(candidate, best[1]) then
      best = { candidate }
    elseif not load_address.is_better(best[1], candidate) then
      best[#best + 1] = candidate
    end
  end
  return best
end

-- Returns the union of candidates if each may be the base address of one of several
-- summed runs: they share no address, and together explain all calls of their functions
-- from outside. Otherwise nil.
local function union(search, candidates)
  local all = new_candidate()
  for _, candidate in ipairs(candidates) do
    for _, address in ipairs(candidate.covered) do
      all.covered[#all.covered + 1] = address
    end
    for address, callee in pairs(candidate.entered) do
      local is_shared = all.entered[address]
      if is_shared or not attribute(all, search, address, callee) then return nil end
    end
  end
  local functions = 0
  for _ in pairs(all.calls) do functions = functions + 1 end
  all.exact = count_exact(all, search)
  return all.exact == functions and all or nil
end

-- Whether a candidate is more than a coincidence. In a large library, any single address
-- fits some function; where functions are small and close together, several addresses fit
-- by chance. One covered address always fits, because the base address was computed from
-- it. `chance` is how many of the other covered addresses a wrong base address explains
-- on average.
local function is_certain(candidate, search)
  local covered, explained = #candidate.covered, candidate.explained
  local chance = (covered - 1) * search.density
  if covered > 2 * explained then
    return explained > 1 + chance + 4 * math.sqrt(chance)
  end
  return candidate.exact > 0 or explained > 1 and explained > 2 * chance
end

--- Prepares the search for a library's base addresses.
-- @tparam symbols symbols of the library
-- @tparam data data of the library, with the range of its code
-- @tparam {[integer]=integer} outside number of calls from outside, by function of the
--   library
-- @tparam table calls to addresses outside the program: `sum` (the number of calls by
--   address) and `addresses` (these addresses, sorted)
-- @treturn table the search; its field `exceeded` is true once a limit is exceeded
function load_address.search(symbols, data, outside, calls)
  local functions = 0
  for _ in pairs(outside) do functions = functions + 1 end
  local search = { symbols = symbols, low = data.low, high = data.high, outside = outside,
    sum = calls.sum, addresses = calls.addresses,
    density = math.min(functions * PROLOGUE / (data.high - data.low), 1),
    budget = LOOKUPS * (#calls.addresses + functions),
    most_covered = COVERED * (#calls.addresses + functions) }
  search.bases = possible_bases(search)
  return search
end

--- Finds the base addresses that fit best with the calls not attributed yet.
-- @tparam table search
-- @treturn {table,...} the best candidate; several, if they fit equally well; none, if no
--   candidate is certain
-- @treturn {table,...} all candidates
function load_address.best(search)
  local candidates, certain = evaluate_all(search), {}
  local best = best_of(candidates)
  local all = best[2] and union(search, best)
  if all then return { all }, candidates end
  for _, candidate in ipairs(candidates) do
    if is_certain(candidate, search) then certain[#certain + 1] = candidate end
  end
  return best_of(certain), candidates
end

return load_address
