--- A sample profile for compilers, in LLVM's text format: `-fprofile-sample-use=FILE` of
-- clang reads it. The format is described in llvm/ProfileData/SampleProfReader.h.
--
-- @module gprof.export.sample_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local is_less <const> = column_order.is_less
local sorted = require "gprof.format.sorted"
local raise <const> = require "gprof.library.failure".raise
local source_counts = require "gprof.analysis.source_counts"

-- Whether the format can represent a name.
local function is_word(name)
  return not name:find "[%s%c]" and not name:find "^[%d!]"
end

-- Returns functions in order: the highest total first, then by name.
local function by_total(functions)
  local totals, names = {}, {}
  for i, node in ipairs(functions) do totals[i], names[i] = -node.total, node.name end
  local order = column_order.by { totals, names }
  return order and column_order.picked(functions, order) or functions
end

-- Returns a place in the source: a line and, if it is not the first, the block.
local function key_text(key)
  local line, block = source_counts.line_and_block(key)
  return block == 0 and line or ("%d.%d"):format(line, block)
end

-- Returns the names in a table of calls by name: the most calls first, then by name.
local function by_calls(out, calls)
  local names = {}
  for name in pairs(calls) do
    if not out.no_words[name] then names[#names + 1] = name end
  end
  table.sort(names, function(a, b)
    local calls_of_a, calls_of_b = calls[a], calls[b]
    if calls_of_a ~= calls_of_b then return calls_of_a > calls_of_b end
    return is_less(a, b)
  end)
  return names
end

-- Writes how often a place ran, and what it called.
local function write_place(out, place, key, indent)
  local places, write = out.places, out.write
  local target, calls, count =
    places.target[place], places.target_calls[place], places.count[place]
  if not calls then
    write("%s%s: %d", indent, key, count)
    for _, name in ipairs(by_calls(out, target)) do
      write(" %s:%d", name, target[name])
    end
    write "\n"
  elseif target and not out.no_words[target] then
    write("%s%s: %d %s:%d\n", indent, key, count, target, calls)
  else
    write("%s%s: %d\n", indent, key, count)
  end
end

local function values(map)
  local list = {}
  for _, value in pairs(map) do list[#list + 1] = value end
  return list
end

local function write_body(out, node, indent)
  for _, key in ipairs(sorted.keys(node.places)) do
    write_place(out, node.places[key], key_text(key), indent)
  end
  for _, key in ipairs(node.inlined and sorted.keys(node.inlined) or {}) do
    for _, inner in ipairs(by_total(values(node.inlined[key]))) do
      if is_word(inner.name) then
        out.write("%s%s: %s:%d\n", indent, key_text(key), inner.name, inner.total)
        write_body(out, inner, indent .. " ")
      end
    end
  end
end

-- Part of the samples that may be in unknown code without a warning: start-up code and
-- linkage stubs have no lines.
local UNKNOWN <const> = 0.05

local function have_lines(functions)
  for _, node in ipairs(functions) do
    if node.total > 0 and not node.lacks_lines then return true end
  end
  return false
end

-- Fails if nothing is known of the code. Warns if the sample profile lacks something.
local function check(image, functions, unknown, from_clang, options)
  if not have_lines(functions) then
    local is_split = image:has_debug_text ".dwo"
    raise("%s: has no debugging information for the recorded code, which a sample " ..
      "profile needs: %s", image.path, is_split and
      "keep the files .dwo of -gsplit-dwarf" or "compile with -g")
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
-- @raise if nothing was recorded, if there is no debugging information for the recorded
--   code, or if it is Lua code
return function(profile, options, write)
  profile = profile:by_function()
  local image = profile.image
  if image.has_scripts then
    raise("%s: is a profile of a Lua program, and a sample profile is for compilers",
      image.path)
  end
  if profile.total_ticks == 0 and not profile.data.has_arcs then
    raise("%s: the profile has neither samples nor calls, of which a sample profile " ..
      "is made: run the program for longer", image.path)
  end
  local from_clang = image:has_debug_text "clang "  -- so discriminators are LLVM's
  local functions, places, unknown = source_counts.of(profile, from_clang)
  check(image, functions, unknown, from_clang, options)
  local out = { places = places, write = write, no_words = {} }
  for _, node in ipairs(functions) do
    if not is_word(node.name) then out.no_words[node.name] = true end
  end
  for _, node in ipairs(by_total(functions)) do
    if not out.no_words[node.name] then
      write("%s:%d:%d\n", node.name, node.total, node.head)
      write_body(out, node, " ")
    end
  end
end
