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
local by_line = require "gprof.print.by_line"
local chains = require "gprof.analysis.chains"
local extract = require "gprof.analysis.extract"
local json = require "gprof.format.json"
local labels = require "gprof.print.labels"
local line_costs = require "gprof.analysis.line_costs"
local raise <const> = require "gprof.library.failure".raise

-- Returns the URL of a source file: editors open files with absolute paths.
local function url_of(file)
  if not file or file:sub(1, 1) ~= "/" then return file or "" end
  return "file://" .. file:gsub("[^%w/._~-]", function(byte)
    return ("%%%02X"):format(byte:byte())
  end)
end

-- Returns the function that formats the call frames of functions, each once. Lines and
-- columns are counted from 0; -1 means that they are unknown.
local function framer(profile, options)
  local names, scripts, count = chains.names(labels.exported(profile, options)), {}, 0
  local frame_of = json.object { "functionName", "scriptId", "url", "lineNumber",
    "columnNumber" }
  local function format(id)
    local file, line
    if id ~= chains.TRUNCATED and not profile:get(id, "is_cycle") then
      file, line = profile:get(id, "file", "line")
    end
    local url = url_of(file)
    if url ~= "" and not scripts[url] then count, scripts[url] = count + 1, count + 1 end
    return frame_of(names[id], tostring(scripts[url] or 0), url, (line or 0) - 1,
      line and 0 or -1)
  end
  local frames = {}
  return function(id)
    frames[id] = frames[id] or format(id)
    return frames[id]
  end
end

-- Returns the nodes of the tree, in depth-first order. A node has `number`, from 2; `id`,
-- that of its function; `weight`, microseconds in its own code; `pieces`, its lines, each
-- with `piece` and `weight`; and `below`, an array of nodes.
local function tree_of(list)
  local root, by_parent = { below = {} }, {}
  for _, chain in ipairs(list) do
    local node, link = root, chain.top
    while link do
      local known = by_parent[node] or {}
      by_parent[node] = known
      if not known[link.id] then
        known[link.id] = { id = link.id, weight = 0, pieces = {}, below = {} }
        table.insert(node.below, known[link.id])
      end
      node, link = known[link.id], link.below
    end
    node.weight = node.weight + chain.weight
    table.insert(node.pieces, { piece = chain.piece, weight = chain.weight })
  end
  local nodes, stack = {}, { root }
  while stack[1] do
    local node = table.remove(stack)
    nodes[#nodes + 1], node.number = node, #nodes + 1
    for i = #node.below, 1, -1 do stack[#stack + 1] = node.below[i] end
  end
  return nodes
end

-- Sets the number of samples of each node (`hits`) and of each of its pieces. The samples
-- of a function are divided in proportion to time.
local function set_hits(profile, nodes)
  local pieces, owners = {}, {}
  for _, node in ipairs(nodes) do
    node.hits = 0
    for _, piece in ipairs(node.weight and node.weight > 0 and node.pieces or {}) do
      pieces[node.id] = pieces[node.id] or {}
      table.insert(pieces[node.id], piece)
      owners[piece] = node
    end
  end
  for id, list in pairs(pieces) do
    local weights = {}
    for i, piece in ipairs(list) do weights[i] = piece.weight end
    local samples = math.floor(profile:get(id, "ticks") + 0.5)
    for i, hits in ipairs(apportion.divide(samples, weights)) do
      list[i].hits, owners[list[i]].hits = hits, owners[list[i]].hits + hits
    end
  end
end

-- Formats the samples of a node's lines, as far as they are in the function's own file:
-- the format has no place for lines of other files, from which code was inlined.
local function ticks_text(profile, node)
  if node.hits == 0 then return "" end
  local file, by_number, numbers = profile:get(node.id, "file"), {}, {}
  for _, piece in ipairs(node.pieces) do
    local place = piece.piece
    if (piece.hits or 0) > 0 and place.file == file and (place.line or 0) > 0 then
      if not by_number[place.line] then numbers[#numbers + 1] = place.line end
      by_number[place.line] = (by_number[place.line] or 0) + piece.hits
    end
  end
  table.sort(numbers)
  for i, number in ipairs(numbers) do
    numbers[i] = ('{"line": %d, "ticks": %d}'):format(number, by_number[number])
  end
  if not numbers[1] then return "" end
  return (', "positionTicks": [%s]'):format(table.concat(numbers, ", "))
end

local ROOT <const> = '{"functionName": "(root)", "scriptId": "0", "url": "", ' ..
  '"lineNumber": -1, "columnNumber": -1}'

local function node_text(profile, node, frame_of)
  local below = {}
  for i, child in ipairs(node.below) do below[i] = child.number end
  local ticks = node.pieces and node.pieces[1] and ticks_text(profile, node) or ""
  return ('{"id": %d, "callFrame": %s, "hitCount": %d, "children": [%s]%s}'):format(
    node.number, node.id and frame_of(node.id) or ROOT, node.hits,
    table.concat(below, ", "), ticks)
end

-- Returns the nodes with time, each once, and the time before each. A sample lasts until
-- the next one, so the root is the last.
local function samples_of(nodes)
  local samples, deltas, total = {}, { 0 }, 0
  for _, node in ipairs(nodes) do
    if (node.weight or 0) > 0 then
      samples[#samples + 1], deltas[#deltas + 1] = node.number, node.weight
      total = total + node.weight
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
  local inlined = profile.has_inlines and profile:by_function(true)
  local by_function, lines = line_costs.of(by_line.of(profile, options))
  if inlined then by_function, lines = inlined, {} end
  local nodes =
    tree_of(chains.of(by_function, extract.units(by_function, 1000000), lines))
  set_hits(by_function, nodes)
  local samples, deltas, total = samples_of(nodes)
  local frame_of = framer(by_function, options)
  write '{\n  "nodes": '
  json.rows(write, "  ", json.texts(nodes, function(node)
    return node_text(by_function, node, frame_of)
  end))
  write((',\n  "startTime": 0,\n  "endTime": %d,\n'):format(total))
  write('  "samples": ' .. json.array(samples) .. ",\n")
  write('  "timeDeltas": ' .. json.array(deltas) .. "\n}\n")
end
