--- JSON for speedscope: call chains with their time in microseconds.
--
-- A call graph has no order in time. Chains are sorted by their frames from the root, so
-- that common prefixes are adjacent.
--
-- @module gprof.export.speedscope
-- SPDX-License-Identifier: GPL-3.0-or-later

local chain_tree = require "gprof.analysis.chain_tree"
local chains = require "gprof.analysis.chains"
local extract = require "gprof.analysis.extract"
local gprof = require "gprof"
local guesses = require "gprof.analysis.guesses"
local json = require "gprof.format.json"
local labels = require "gprof.print.labels"
local path_share = require "gprof.analysis.path_share"
local wording = require "gprof.format.wording"

local SCHEMA <const> = "https://www.speedscope.app/file-format-schema.json"

local frame_with_source <const> = json.object { "name", "file", "line" }
local frame_of <const> = json.object { "name" }

-- Returns the formatted frames, in the order in which they appear in the chains, and the
-- numbers of functions in it, from 0, by id.
local function frames_of(profile, tree, options)
  local frames, numbers, names = {}, {}, chains.names(labels.exported(profile, options))
  for node = chain_tree.ROOT + 1, #tree.id do
    local id, file, line = tree.id[node], nil, nil
    if not numbers[id] then
      if id ~= chains.TRUNCATED and not profile:get(id, "is_cycle") then
        file, line = profile:get(id, "file", "line")
      end
      numbers[id] = #frames
      frames[#frames + 1] = file and frame_with_source(names[id], file, line) or
        frame_of(names[id])
    end
  end
  return frames, numbers
end

-- Returns an iterator over the chains as arrays of frame numbers, root first, in
-- lexicographic order. It also returns the weight. The array is the same each time.
local function each_stack(list, tree, numbers)
  local ids = tree.id
  local nodes = chain_tree.depth_first(tree, function(a, b)
    return numbers[ids[a]] > numbers[ids[b]]
  end)
  return coroutine.wrap(function()
    local stack = {}
    for node = chain_tree.ROOT + 1, #nodes.id do
      local depth = nodes.depth[node]
      for i = #stack, depth, -1 do stack[i] = nil end
      stack[depth] = numbers[nodes.id[node]]
      for i = nodes.first[node], nodes.first[node + 1] - 1 do
        coroutine.yield(stack, list.weight[nodes.chain[i]])
      end
    end
  end)
end

local function write_profile(profile, list, each, truncated, write)
  local weights, sum = {}, 0
  for _, weight in ipairs(list.weight) do sum = sum + weight end
  local note = truncated > 0 and
    (", %s%% of the time in truncated chains"):format(
      wording.rounded(100 * truncated, 2)) or ""
  local doubt = path_share.note(profile) or
    guesses.sentence(guesses.share(profile, list.callers))
  note = note .. (doubt and ", " .. doubt or "")
  local name = ("%s (call chains are %s%s)"):format(profile.unit,
    profile.exact and "measured" or "estimated", note)
  write('  "profiles": [{"type": "sampled", "name": ' .. json.string(name))
  write((', "unit": "%s", "startValue": 0, "endValue": %d,\n'):format(
    extract.in_seconds(profile) and "microseconds" or "none", sum))
  write '    "samples": '
  json.rows(write, "    ", function()
    local stack, weight = each()
    weights[#weights + 1] = weight
    return stack and json.array(stack)
  end)
  write(',\n    "weights": ' .. json.array(weights) .. "}]\n")
end

--- Writes a profile in speedscope's format.
-- @tparam profile profile with a histogram
-- @tparam table options those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  profile = profile:by_function(true)
  local list, truncated = chains.of(profile, extract.units(profile, 1000000))
  local tree = chain_tree.of(list)
  local frames, numbers = frames_of(profile, tree, options)
  write('{"$schema": ' .. json.string(SCHEMA) .. ",\n")
  write('  "exporter": ' .. json.string("gprof for Lua " .. gprof._VERSION) .. ",\n")
  write('  "name": ' .. json.string(profile.image.path) .. ",\n")
  write '  "activeProfileIndex": 0,\n  "shared": {"frames": '
  json.rows(write, "  ", json.texts(frames, tostring))
  write "},\n"
  write_profile(profile, list, each_stack(list, tree, numbers), truncated, write)
  write "}\n"
end
