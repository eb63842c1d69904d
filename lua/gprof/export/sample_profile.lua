--- A sample profile for compilers, in LLVM's text format: `-fprofile-sample-use=FILE` of
-- clang reads it. The format is described in llvm/ProfileData/SampleProfReader.h.
--
-- @module gprof.export.sample_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"
local source_counts = require "gprof.analysis.source_counts"

-- Whether the format can represent a name.
local function is_word(name)
  return not name:find "[%s%c]" and not name:find "^[%d!]"
end

-- Returns the functions of a table by name: the highest total first, then by name.
local function by_total(functions)
  local list, totals = {}, {}
  for i, name in ipairs(sorted.keys(functions)) do
    list[i], totals[i] = functions[name], -functions[name].total
  end
  return sorted.columns({ node = list, total = totals }, "total").node
end

-- Writes the functions that were called at a place: " name:calls name:calls".
local function write_targets(out, place)
  local places, no_words = out.places, out.no_words
  local name, calls = places.target[place], places.target_calls[place]
  local others = places.targets[place]
  if others then
    local targets = { [name] = { name = name, total = calls } }
    for other, count in pairs(others) do
      targets[other] = { name = other, total = count }
    end
    for _, target in ipairs(by_total(targets)) do
      if not no_words[target.name] then
        out.write(" %s:%d", target.name, target.total)
      end
    end
  elseif name and not no_words[name] then
    out.write(" %s:%d", name, calls)
  end
end

local function write_body(out, node, indent)
  local places, write = out.places, out.write
  for _, key in ipairs(sorted.keys(node.places)) do
    local place = node.places[key]
    local line, block = source_counts.line_and_block(key)
    write(block == 0 and "%s%d: %3$d" or "%s%d.%4$d: %3$d", indent, line,
      places.count[place], block)
    write_targets(out, place)
    write "\n"
  end
  for _, key in ipairs(node.inlined and sorted.keys(node.inlined) or {}) do
    local line, block = source_counts.line_and_block(key)
    for _, inner in ipairs(by_total(node.inlined[key])) do
      if is_word(inner.name) then
        write(block == 0 and "%s%d: %3$s:%4$d\n" or "%s%d.%5$d: %3$s:%4$d\n", indent,
          line, inner.name, inner.total, block)
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
-- @raise if there is no debugging information for the recorded code
return function(profile, options, write)
  profile = profile:by_function()
  local image = profile.image
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
