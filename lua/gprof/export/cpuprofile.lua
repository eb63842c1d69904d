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

-- Returns the function that formats the call frames of functions, each once. Lines and
-- columns are counted from 0; -1 means that they are unknown.
local function framer(profile, options)
  local names, script_of = chains.names(labels.exported(profile, options)), numbering()
  local frame_of = json.object { "functionName", "scriptId", "url", "lineNumber",
    "columnNumber" }
  local function format(id)
    local file, line
    if id ~= chains.TRUNCATED and not profile:get(id, "is_cycle") then
      file, line = profile:get(id, "file", "line")
    end
    local url, script = script_of(file or "")
    return frame_of(names[id], script, url, (line or 0) - 1, line and 0 or -1)
  end
  local frames = {}
  return function(id)
    local frame = frames[id]
    if not frame then
      frame = format(id)
      frames[id] = frame
    end
    return frame
  end
end

-- Returns the chains of each function, in the order of the tree, and the nodes in which
-- they end.
local function chains_by_function(tree, order)
  local by_function, owners = {}, {}
  for _, node in ipairs(order) do
    local chain = tree.first_chain[node]
    while chain > 0 do
      local id = tree.id[node]
      local ends = by_function[id] or {}
      by_function[id], ends[#ends + 1], owners[chain] = ends, chain, node
      chain = tree.next_chain[chain]
    end
  end
  return by_function, owners
end

-- Returns the number of samples of each node and of each chain. The samples of a function
-- are divided in proportion to time.
local function hits_of(profile, tree, order, list)
  local of_nodes, of_chains = {}, {}
  for node = 1, #order do of_nodes[node] = 0 end
  local by_function, owners = chains_by_function(tree, order)
  for id, ends in pairs(by_function) do
    local weights = {}
    for i, chain in ipairs(ends) do weights[i] = list.weight[chain] end
    local samples = math.floor(profile:get(id, "ticks") + 0.5)
    for i, hits in ipairs(apportion.divide(samples, weights)) do
      local chain = ends[i]
      of_chains[chain] = hits
      of_nodes[owners[chain]] = of_nodes[owners[chain]] + hits
    end
  end
  return of_nodes, of_chains
end

-- Writes the samples of a node's lines, as far as they are in the function's own file:
-- the format has no place for lines of other files, from which code was inlined.
local function write_ticks(file, tree, node, pieces, hits, write)
  local by_number, numbers, chain = {}, {}, tree.first_chain[node]
  while chain > 0 do
    local place, ticks = pieces[chain], hits[chain]
    if ticks > 0 and place.file == file and (place.line or 0) > 0 then
      if not by_number[place.line] then numbers[#numbers + 1] = place.line end
      by_number[place.line] = (by_number[place.line] or 0) + ticks
    end
    chain = tree.next_chain[chain]
  end
  if numbers[2] then table.sort(numbers) end
  for i, number in ipairs(numbers) do
    write(i == 1 and ', "positionTicks": [{"line": %d, "ticks": %d}' or
      ', {"line": %d, "ticks": %d}', number, by_number[number])
  end
  if numbers[1] then write "]" end
end

local ROOT <const> = '{"functionName": "(root)", "scriptId": "0", "url": "", ' ..
  '"lineNumber": -1, "columnNumber": -1}'

local function write_nodes(profile, tree, order, list, frame_of, write)
  local of_nodes, of_chains = hits_of(profile, tree, order, list)
  local before, numbers = "[\n    ", {}
  for number, node in ipairs(order) do numbers[node] = number end
  for number, node in ipairs(order) do
    write('%s{"id": %d, "callFrame": %s, "hitCount": %d, "children": [', before, number,
      node == chain_tree.ROOT and ROOT or frame_of(tree.id[node]), of_nodes[node])
    local child, separator = tree.first[node], ""
    while child > 0 do
      write("%s%d", separator, numbers[child])
      child, separator = tree.next[child], ", "
    end
    write "]"
    if of_nodes[node] > 0 then
      write_ticks(profile:get(tree.id[node], "file"), tree, node, list.piece, of_chains,
        write)
    end
    write "}"
    before = ",\n    "
  end
  write "\n  ]"
end

-- Returns the nodes with time, each once, and the time before each. A sample lasts until
-- the next one, so the root is the last.
local function samples_of(tree, order, list)
  local samples, deltas, total = {}, { 0 }, 0
  for number, node in ipairs(order) do
    local chain, weight = tree.first_chain[node], 0
    while chain > 0 do
      chain, weight = tree.next_chain[chain], weight + list.weight[chain]
    end
    if weight > 0 then
      samples[#samples + 1], deltas[#deltas + 1] = number, weight
      total = total + weight
    end
  end
  samples[#samples + 1] = 1
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
  local tree = chain_tree.of(list)
  local order = chain_tree.depth_first(tree)
  write '{\n  "nodes": '
  write_nodes(by_function, tree, order, list, framer(by_function, options), write)
  local samples, deltas, total = samples_of(tree, order, list)
  write((',\n  "startTime": 0,\n  "endTime": %d,\n'):format(total))
  write('  "samples": ' .. json.array(samples) .. ",\n")
  write('  "timeDeltas": ' .. json.array(deltas) .. "\n}\n")
end
