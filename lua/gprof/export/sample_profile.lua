--- A sample profile for compilers, in LLVM's text format: `-fprofile-sample-use=FILE` of
-- clang reads it. The format is described in llvm/ProfileData/SampleProfReader.h.
--
-- @module gprof.export.sample_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local is_less <const> = column_order.is_less
local sorted = require "gprof.format.sorted"
local source_counts = require "gprof.analysis.source_counts"

-- Whether the format can represent a name.
local function is_word(name)
  return not name:find "[%s%c]" and not name:find "^[%d!]"
end

-- Returns the functions of a table by name: the highest total first, then by name.
local function by_total(functions)
  local list, totals = {}, {}
  for i, name in ipairs(column_order.keys(functions)) do
    list[i], totals[i] = functions[name], -functions[name].total
  end
  return column_order.sort({ node = list, total = totals }, "total").node
end

-- Returns a place in the source: a line and, if it is not the first, the block.
local function key_text(key)
  local line, block = source_counts.line_and_block(key)
  return block == 0 and line or ("%d.%d"):format(line, block)
end

-- Writes several functions that were called at a place: the most calls first, then by
-- name.
local function write_targets(out, place)
  local places, names = out.places, { out.places.target[place] }
  local others, most = places.targets[place], places.target_calls[place]
  for name in pairs(others) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    local calls_of_a, calls_of_b = others[a] or most, others[b] or most
    if calls_of_a ~= calls_of_b then return calls_of_a > calls_of_b end
    return is_less(a, b)
  end)
  for _, name in ipairs(names) do
    if not out.no_words[name] then out.write(" %s:%d", name, others[name] or most) end
  end
  out.write "\n"
end

-- Writes how often a place ran, and what it called.
local function write_place(out, place, key, indent)
  local places, write = out.places, out.write
  local name, count = places.target[place], places.count[place]
  if places.targets[place] then
    write("%s%s: %d", indent, key, count)
    write_targets(out, place)
  elseif name and not out.no_words[name] then
    write("%s%s: %d %s:%d\n", indent, key, count, name, places.target_calls[place])
  else
    write("%s%s: %d\n", indent, key, count)
  end
end

local function write_body(out, node, indent)
  for _, key in ipairs(sorted.keys(node.places)) do
    write_place(out, node.places[key], key_text(key), indent)
  end
  for _, key in ipairs(node.inlined and sorted.keys(node.inlined) or {}) do
    for _, inner in ipairs(by_total(node.inlined[key])) do
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
-- @raise if nothing was recorded, if there is no debugging information for the recorded
--   code, or if it is Lua code
return function(profile, options, write)
  profile = profile:by_function()
  local image = profile.image
  if image.has_scripts then
    error({ message = image.path .. ": is a profile of a Lua program, and a sample " ..
      "profile is for compilers" }, 0)
  end
  if profile.total_ticks == 0 and not profile.data.has_arcs then
    error({ message = image.path .. ": the profile has neither samples nor calls, of " ..
      "which a sample profile is made: run the program for longer" }, 0)
  end
  local from_clang = image:has_debug_text "clang "  -- so discriminators are LLVM's
  local functions, places, unknown = source_counts.of(profile, from_clang)
  check(image, functions, unknown, from_clang, options)
  local out = { places = places, write = write, no_words = {} }
  for name in pairs(functions) do out.no_words[name] = not is_word(name) or nil end
  for _, node in ipairs(by_total(functions)) do
    if not out.no_words[node.name] then
      write("%s:%d:%d\n", node.name, node.total, node.head)
      write_body(out, node, " ")
    end
  end
end
