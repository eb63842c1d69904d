--- JSON for speedscope: call chains with their time in microseconds.
--
-- A call graph has no order in time. Chains are sorted by their frames from the root, so
-- that common prefixes are adjacent.
--
-- @module gprof.export.speedscope
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.analysis.chains"
local extract = require "gprof.analysis.extract"
local gprof = require "gprof"
local guesses = require "gprof.analysis.guesses"
local json = require "gprof.format.json"
local labels = require "gprof.print.labels"

local SCHEMA <const> = "https://www.speedscope.app/file-format-schema.json"

local frame_with_source <const> = json.object { "name", "file", "line" }
local frame_of <const> = json.object { "name" }

-- Returns the array of frames, and a table that maps ids to frame numbers (from 0).
-- Looking up an unknown id adds its frame.
local function frames_of(profile, options)
  local frames, numbers, names = {}, {}, chains.names(labels.exported(profile, options))
  local function add(id)
    local file, line
    if id ~= chains.TRUNCATED and not profile:get(id, "is_cycle") then
      file, line = profile:get(id, "file", "line")
    end
    frames[#frames + 1] = file and frame_with_source(names[id], file, line) or
      frame_of(names[id])
    return #frames - 1
  end
  return frames, setmetatable(numbers, { __index = function(_, id)
    numbers[id] = add(id)
    return numbers[id]
  end })
end

-- Returns the chains as arrays of frame numbers, root first, each with its `weight`. The
-- arrays are in lexicographic order.
local function stacks_of(list, numbers)
  local stacks = {}
  for i, chain in ipairs(list) do
    local stack, link = { weight = chain.weight }, chain.top
    while link do
      stack[#stack + 1], link = numbers[link.id], link.below
    end
    stacks[i] = stack
  end
  table.sort(stacks, function(a, b)
    for i = 1, math.min(#a, #b) do
      if a[i] ~= b[i] then return a[i] < b[i] end
    end
    return #a < #b
  end)
  return stacks
end

local function write_profile(profile, stacks, truncated, write)
  local weights, sum = {}, 0
  for i, stack in ipairs(stacks) do
    weights[i], sum = stack.weight, sum + stack.weight
  end
  local note = truncated > 0 and
    (", %.2g%% of the time in truncated chains"):format(100 * truncated) or ""
  local guess = guesses.sentence(guesses.share(profile))
  note = note .. (guess and ", " .. guess or "")
  local name = ("%s (call chains are %s%s)"):format(profile.unit,
    profile.exact and "measured" or "estimated", note)
  write('  "profiles": [{"type": "sampled", "name": ' .. json.string(name))
  write((', "unit": "%s", "startValue": 0, "endValue": %d,\n'):format(
    extract.in_seconds(profile) and "microseconds" or "none", sum))
  write '    "samples": '
  json.rows(write, "    ", json.texts(stacks, json.array))
  write(',\n    "weights": ' .. json.array(weights) .. "}]\n")
end

--- Writes a profile in speedscope's format.
-- @tparam profile profile with a histogram
-- @tparam table options those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  profile = profile:by_function(true)
  local list, truncated = chains.of(profile, extract.units(profile, 1000000))
  local frames, numbers = frames_of(profile, options)
  local stacks = stacks_of(list, numbers)
  write('{"$schema": ' .. json.string(SCHEMA) .. ",\n")
  write('  "exporter": ' .. json.string("gprof for Lua " .. gprof._VERSION) .. ",\n")
  write('  "name": ' .. json.string(profile.image.path) .. ",\n")
  write '  "activeProfileIndex": 0,\n  "shared": {"frames": '
  json.rows(write, "  ", json.texts(frames, tostring))
  write "},\n"
  write_profile(profile, stacks, truncated, write)
  write "}\n"
end
