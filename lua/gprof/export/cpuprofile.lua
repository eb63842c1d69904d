--- A .cpuprofile, the format of Chrome's developer tools, which editors such as Visual
-- Studio Code open: a tree of calls, and the samples of each line.
--
-- The format is the type Profile of the Chrome DevTools Protocol. It lists samples in the
-- order of time, with the time between them. A profile has no such order: each node of
-- the tree has one sample here, with all of its time.
--
-- @module gprof.export.cpuprofile
-- SPDX-License-Identifier: GPL-3.0-or-later

local apportion = require "gprof.analysis.apportion"
local chain_tree = require "gprof.analysis.chain_tree"
local chains = require "gprof.analysis.chains"
local extract = require "gprof.analysis.extract"
local json = require "gprof.format.json"
local labels = require "gprof.print.labels"
local line_costs = require "gprof.analysis.line_costs"
local picked <const> = require "gprof.format.column_order".picked
local raise <const> = require "gprof.library.failure".raise

-- Returns the URL of a source file: editors open files with absolute paths.
local function url_of(file)
  if file:sub(1, 1) ~= "/" then return file end
  return "file://" .. file:gsub("[^%w/._~-]", function(byte)
    return ("%%%02X"):format(byte:byte())
  end)
end

-- Returns a function that takes the name of a source file, and returns its URL and its
-- number as text, "0" for an unknown one.
local function numbering()
  local urls, scripts, count = {}, {}, 0
  return function(file)
    local url = urls[file]
    if not url then
      url = url_of(file)
      if url ~= "" then count = count + 1 end
      urls[file], scripts[file] = url, ("%d"):format(url ~= "" and count or 0)
    end
    return url, scripts[file]
  end
end

-- Returns the formatted call frames of functions, by id, and the files of those for which
-- there is a frame. Lines and columns are counted from 0; -1 means that they are unknown.
local function frames_of(profile, options)
  local names, script_of = chains.names(labels.exported(profile, options)), numbering()
  local frame_of = json.object { "functionName", "scriptId", "url", "lineNumber",
    "columnNumber" }
  local files, lacks_place = {}, { [chains.TRUNCATED] = true }
  for id in profile:cycles(nil, "id") do lacks_place[id] = true end
  local function format(frames, id)
    local file, line
    if not lacks_place[id] then file, line = profile:get(id, "file", "line") end
    local url, script = script_of(file or "")
    files[id] = file
    frames[id] = frame_of(names[id], script, url, (line or 0) - 1, line and 0 or -1)
    return frames[id]
  end
  return setmetatable({}, { __index = format }), files
end

-- Returns the chains of each function, by their positions in the order of the tree, and
-- their weights.
local function chains_by_function(tree, weights)
  local by_function, parts = {}, {}
  for node, id in ipairs(tree.id) do
    local first, past = tree.first[node], tree.first[node + 1]
    if first < past and not by_function[id] then by_function[id], parts[id] = {}, {} end
    for chain = first, past - 1 do
      local place = #by_function[id] + 1
      by_function[id][place], parts[id][place] = chain, weights[chain]
    end
  end
  return by_function, parts
end

-- Returns the number of samples of each chain. The samples of a function are divided in
-- proportion to time.
local function hits_of(profile, tree, weights)
  local hits = {}
  for chain = 1, #weights do hits[chain] = 0 end
  local by_function, parts = chains_by_function(tree, weights)
  for id, numbers in pairs(by_function) do
    local samples = math.floor(profile:get(id, "ticks") + 0.5)
    for i, part in ipairs(apportion.divide(samples, parts[id])) do
      hits[numbers[i]] = part
    end
  end
  return hits
end

-- Returns the sum of a column over the chains that end in a node.
local function sum_of(tree, node, column)
  local sum = 0
  for chain = tree.first[node], tree.first[node + 1] - 1 do sum = sum + column[chain] end
  return sum
end

-- Writes the samples of a node's lines, as far as they are in the function's own file:
-- the format has no place for lines of other files, from which code was inlined.
local function write_ticks(file, tree, node, pieces, hits, write)
  local by_number, numbers = {}, {}
  for chain = tree.first[node], tree.first[node + 1] - 1 do
    local place, ticks = pieces[chain], hits[chain]
    if ticks > 0 and place.file == file and (place.line or 0) > 0 then
      if not by_number[place.line] then numbers[#numbers + 1] = place.line end
      by_number[place.line] = (by_number[place.line] or 0) + ticks
    end
  end
  if numbers[2] then table.sort(numbers) end
  for i, number in ipairs(numbers) do
    write(i == 1 and ', "positionTicks": [{"line": %d, "ticks": %d}' or
      ', {"line": %d, "ticks": %d}', number, by_number[number])
  end
  if numbers[1] then write "]" end
end

local ROOT <const> = '[\n    {"id": 1, "callFrame": {"functionName": "(root)", ' ..
  '"scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "hitCount": 0, ' ..
  '"children": %s}'
local NODE <const> = ',\n    {"id": %d, "callFrame": %s, "hitCount": %d, "children": %s'
-- Most nodes have no samples, and one child, which is the next node.
local LINK <const> = ',\n    {"id": %d, "callFrame": %s, "hitCount": 0, "children": [%d]}'

-- Returns the array of a node's children.
local function children_of(tree, node)
  local children, child, after = {}, node + 1, tree.after[node]
  while child < after do
    children[#children + 1], child = child, tree.after[child]
  end
  return json.array(children)
end

local function write_nodes(profile, tree, weights, pieces, options, write)
  local hits, frames, files = hits_of(profile, tree, weights), frames_of(profile, options)
  local ids, first, after = tree.id, tree.first, tree.after
  write(ROOT, children_of(tree, chain_tree.ROOT))
  for node = chain_tree.ROOT + 1, #after do
    local id, child = ids[node], node + 1
    local samples = first[node] < first[child] and sum_of(tree, node, hits) or 0
    if samples == 0 and after[node] == after[child] then
      write(LINK, node, frames[id], child)
    else
      write(NODE, node, frames[id], samples,
        after[node] == child and "[]" or children_of(tree, node))
      if samples > 0 then write_ticks(files[id], tree, node, pieces, hits, write) end
      write "}"
    end
  end
  write "\n  ]"
end

-- Returns the nodes with time, each once, and the time before each. A sample lasts until
-- the next one, so the root is the last.
local function samples_of(tree, weights)
  local samples, deltas, total, first = {}, { 0 }, 0, tree.first
  for node = 1, #tree.id do
    if first[node] < first[node + 1] then
      local weight = sum_of(tree, node, weights)
      samples[#samples + 1], deltas[#deltas + 1] = node, weight
      total = total + weight
    end
  end
  samples[#samples + 1] = chain_tree.ROOT
  return samples, deltas, total
end

--- Writes a profile as a .cpuprofile.
-- @tparam profile profile with a histogram of seconds
-- @tparam table options those of the profile
-- @tparam stream write
-- @raise a table with the field `message`
return function(profile, options, write)
  if not extract.in_seconds(profile) then
    raise("the export 'cpuprofile' needs times in seconds; the profile has '%s'",
      profile.unit)
  end
  local by_function, lines = profile:by_function(true), {}
  if not by_function.has_inlines then
    lines = line_costs.of(profile:by_lines(options), by_function)
  end
  local list = chains.of(by_function, extract.units(by_function, 1000000), lines)
  local tree = chain_tree.depth_first(chain_tree.of(list))
  local weights = picked(list.weight, tree.chain)
  write '{\n  "nodes": '
  write_nodes(by_function, tree, weights, picked(list.piece, tree.chain), options, write)
  local samples, deltas, total = samples_of(tree, weights)
  write((',\n  "startTime": 0,\n  "endTime": %d,\n'):format(total))
  write('  "samples": ' .. json.array(samples) .. ",\n")
  write('  "timeDeltas": ' .. json.array(deltas) .. "\n}\n")
end
