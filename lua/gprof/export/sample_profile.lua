--- A sample profile for compilers, in LLVM's text format: `-fprofile-sample-use=FILE` of
-- clang reads it. The format is described in llvm/ProfileData/SampleProfReader.h.
--
-- @module gprof.export.sample_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local source_counts = require "gprof.analysis.source_counts"

-- Returns the values of a table, sorted.
local function sorted(values, before)
  local list = {}
  for _, value in pairs(values) do list[#list + 1] = value end
  if list[2] then table.sort(list, before) end
  return list
end

local function by_place(a, b)
  if a.offset ~= b.offset then return a.offset < b.offset end
  return a.block < b.block
end

local function by_total(a, b)
  if a.total ~= b.total then return a.total > b.total end
  return a.name < b.name
end

local function is_word(name) return not name:find "[%s%c]" and not name:find "^[%d!]" end

local function place_of(entry)
  return entry.block == 0 and tostring(entry.offset) or entry.offset .. "." .. entry.block
end

-- Returns the functions that were called at a place: " name:calls name:calls".
local function targets(place)
  if not place.targets then return "" end
  local sums, list = {}, {}
  for name, count in pairs(place.targets) do
    if is_word(name) then sums[#sums + 1] = { name = name, total = count } end
  end
  for i, target in ipairs(sorted(sums, by_total)) do
    list[i] = (" %s:%d"):format(target.name, target.total)
  end
  return table.concat(list)
end

local function write_body(node, indent, write)
  for _, place in ipairs(sorted(node.places, by_place)) do
    write(("%s%s: %d%s\n"):format(indent, place_of(place), place.count, targets(place)))
  end
  for _, copies in ipairs(sorted(node.inlined, by_place)) do
    for _, inner in ipairs(sorted(copies.nodes, by_total)) do
      if is_word(inner.name) then
        write(("%s%s: %s:%d\n"):format(indent, place_of(copies), inner.name, inner.total))
        write_body(inner, indent .. " ", write)
      end
    end
  end
end

-- Part of the samples that may be in unknown code without a warning: start-up code and
-- linkage stubs have no lines.
local UNKNOWN <const> = 0.05

-- Fails if nothing is known of the code. Warns if the sample profile lacks something.
local function check(image, functions, unknown, from_clang, options)
  local is_empty = true
  for _, node in pairs(functions) do
    is_empty = is_empty and (node.total == 0 or node.lacks_lines == true)
  end
  if is_empty then
    error({ message = image.path .. ": has no debugging information for the recorded " ..
      "code, which a sample profile needs: compile with -g" }, 0)
  end
  local warn = options.warn or function() end
  if unknown > UNKNOWN then
    warn(("%s: %.0f %% of the samples are in code without debugging information, and " ..
      "not in the sample profile"):format(image.path, 100 * unknown))
  end
  if not from_clang then
    warn(image.path .. ": was not compiled by clang, so the sample profile does not " ..
      "tell blocks of one line apart")
  end
end

--- Writes a profile in LLVM's text format.
-- @tparam profile profile with a histogram
-- @tparam table options `warn`: function called with each reason why the sample profile
--   is not complete
-- @tparam stream write
-- @raise if there is no debugging information for the recorded code
return function(profile, options, write)
  profile = profile:by_function()
  local image = profile.image
  local from_clang = image:has_debug_text "clang "  -- so discriminators are LLVM's
  local functions, unknown = source_counts.of(profile, from_clang)
  check(image, functions, unknown, from_clang, options)
  for _, node in ipairs(sorted(functions, by_total)) do
    if is_word(node.name) then
      write(("%s:%d:%d\n"):format(node.name, node.total, node.head or 0))
      write_body(node, " ", write)
    end
  end
end
