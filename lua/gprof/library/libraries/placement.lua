--- Places all libraries together: finds the load addresses that explain the calls in a
-- program's profile.
--
-- Each library claims the addresses that its best candidates cover (see
-- load_address.lua). A claim is accepted if the library has one candidate, and
-- no other library has an equal or better claim to any of its addresses. Then the claims
-- to the same addresses are renewed, and so is the library's own claim, because in a sum
-- of several runs the library may be loaded at several addresses. So the result does not
-- depend on the order of the libraries.
--
-- @internal gprof.library.libraries.placement
-- SPDX-License-Identifier: GPL-3.0-or-later

local load_address = require "gprof.library.libraries.load_address"
local sorted = require "gprof.format.sorted"

local placement = {}

-- Claims --------------------------------------------------------------------------------

-- Renews a library's claim, and watches the addresses that its candidates cover: when one
-- of these addresses is attributed, the claim is renewed again.
local function renew(place, watchers)
  local best, candidates = load_address.best(place.search)
  place.best, place.candidates = best, #candidates
  for _, candidate in ipairs(candidates) do
    for _, address in ipairs(candidate.covered) do
      watchers[address] = watchers[address] or {}
      watchers[address][place] = true
    end
  end
end

-- Returns the claims in groups of equal rank, the best group first.
local function ranked(places)
  local claims, groups = {}, {}
  for _, place in ipairs(places) do
    if place.best[1] then claims[#claims + 1] = place end
  end
  local function is_better(a, b) return load_address.is_better(a.best[1], b.best[1]) end
  table.sort(claims, is_better)
  for i, claim in ipairs(claims) do
    if i == 1 or is_better(claims[i - 1], claim) then groups[#groups + 1] = {} end
    table.insert(groups[#groups], claim)
  end
  return groups
end

-- A claim is a library together with the addresses that it may cover. Records in `owners`
-- the claim of the group that covers an address, or false if several claims cover it.
local function add_owners(owners, group)
  local own = {}
  for _, claim in ipairs(group) do
    for _, candidate in ipairs(claim.best) do
      for _, address in ipairs(candidate.covered) do
        local is_free = owners[address] == nil and (own[address] or claim) == claim
        own[address] = is_free and own[address] ~= false and claim
      end
    end
  end
  for address, owner in pairs(own) do owners[address] = owner end
end

local function owns_all(claim, owners)
  for _, address in ipairs(claim.best[1].covered) do
    if owners[address] ~= claim then return false end
  end
  return true
end

-- Returns the claims that can be accepted.
local function acceptable(places)
  local owners, accepted = {}, {}
  for _, group in ipairs(ranked(places)) do
    add_owners(owners, group)
    for _, claim in ipairs(group) do
      if not claim.best[2] and owns_all(claim, owners) then
        accepted[#accepted + 1] = claim
      end
    end
  end
  return accepted
end

-- Acceptance ----------------------------------------------------------------------------

-- Attributes the calls of an accepted claim. Also removes the other calls in the
-- library's range, because no other library is loaded there. Adds the libraries whose
-- claims change to `changed`.
local function accept(place, calls, changed, report)
  local candidate, outside = place.best[1], place.search.outside
  for address, callee in pairs(candidate.entered) do
    report(place.library, address, callee)
    outside[callee] = outside[callee] - calls.sum[address]
  end
  for _, address in ipairs(candidate.covered) do
    calls.sum[address] = nil
    for watcher in pairs(calls.watchers[address]) do changed[watcher] = true end
  end
end

--- Attributes calls from a program to functions of libraries.
-- @tparam {table,...} libraries each with its `symbols`; its `data`, whose range is the
--   range of the library's code; and `outside`, the number of calls from outside by
--   function. Attributed calls are subtracted from `outside`. Sets the field `undecided`
--   of a library if its calls fit, but not with certainty
-- @tparam {[integer]=integer} sum number of calls by callee address outside the program;
--   modified
-- @tparam function report called with each library, attributed address, and function
function placement.attribute(libraries, sum, report)
  local calls = { sum = sum, addresses = sorted.keys(sum), watchers = {} }
  local places, changed = {}, {}
  for i, library in ipairs(libraries) do
    places[i] = { library = library, search = load_address.search(library.symbols,
      library.data, library.outside, calls) }
    changed[places[i]] = true
  end
  while next(changed) do
    for place in pairs(changed) do renew(place, calls.watchers) end
    changed = {}
    for _, place in ipairs(acceptable(places)) do
      accept(place, calls, changed, report)
    end
  end
  for _, place in ipairs(places) do
    place.library.undecided = place.candidates > 0 or place.search.exceeded
  end
end

return placement
