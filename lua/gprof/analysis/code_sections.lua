--- Finds out which functions were compiled into a section with other functions.
--
-- The program itself does not tell: linkers join sections. But the line table of a unit
-- has a sequence of rows for each section with code of the unit.
--
-- @internal gprof.analysis.code_sections
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"

local code_sections = {}

-- Calls a function with the range of addresses of each sequence.
local function each_sequence(image, call)
  local low, high
  for address, file in image:lines() do
    low, high = math.min(low or address, address), math.max(high or address, address)
    if not file then
      call(low, high)
      low, high = nil, nil
    end
  end
end

-- Returns the set of entries that are in a sequence with other entries.
local function sharing(entries, image)
  local change, open, shares = {}, 0, {}  -- sequences that begin or end before an entry
  each_sequence(image, function(low, high)
    local first, past = sorted.search(entries, low), sorted.search(entries, high)
    if past - first > 1 then
      change[first] = (change[first] or 0) + 1
      change[past] = (change[past] or 0) - 1
    end
  end)
  for i, entry in ipairs(entries) do
    open = open + (change[i] or 0)
    shares[entry] = open > 0
  end
  return shares
end

--- Counts the functions that share their section with others.
-- @tparam profile profile by function
-- @tparam {integer,...} list the numbers of the functions to count
-- @treturn integer 0 without line tables: nothing is known then
function code_sections.count_sharing(profile, list)
  local entries, count = {}, 0
  for _, address in profile:functions("address", "id", "address") do
    entries[#entries + 1] = address  -- nil for a function that was only inlined
  end
  local shares = sharing(entries, profile.image)
  for _, id in ipairs(list) do
    if shares[profile:get(id, "address")] then count = count + 1 end
  end
  return count
end

return code_sections
