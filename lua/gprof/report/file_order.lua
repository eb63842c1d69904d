--- The file order: a list of object files for the linker, one name per line. Files that
-- call each other are close together.
--
-- The profile must have been made with a map of symbols to files. Functions that stand
-- for an object file are then `mapped`, and have the file's name.
--
-- @module gprof.report.file_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_order = require "gprof.analysis.linker_order"
local policy = require "gprof.library.policy"

-- Returns the functions that stand for files, in address order, and a table from each to
-- its file's name.
local function mapped_functions(profile)
  local nodes, names = {}, {}
  for id, mapped, symbol in profile:functions("address", "id", "mapped", "symbol") do
    if mapped then
      nodes[#nodes + 1] = id
      names[id] = symbol
    end
  end
  return nodes, names
end

-- Returns GNU gprof's order: each function that stands for a file is a node, even if
-- several stand for the same file; arcs are processed in the order of creation, whatever
-- their count.
local function function_order(profile)
  local nodes, names = mapped_functions(profile)
  local arcs =
    linker_order.arcs(profile:arcs("id", "caller_id", "callee_id", "count", "id"))
  local order = {}
  for i, id in ipairs(linker_order.files(nodes, arcs)) do
    order[i] = names[id]
  end
  return order
end

-- Numbers files in address order. Returns the array of file names, and a table from
-- functions to file numbers.
local function number_files(profile)
  local functions, names = mapped_functions(profile)
  local files, numbers, file_of = {}, {}, {}
  for _, id in ipairs(functions) do
    local name = names[id]
    if not numbers[name] then
      files[#files + 1] = name
      numbers[name] = #files
    end
    file_of[id] = numbers[name]
  end
  return files, file_of
end

-- Sums the calls between files. Returns arcs { caller, callee, count, number }, numbered
-- in the order of their first arc in the profile.
local function add_up(profile, file_of)
  local list, known = {}, {}
  for caller, callee, count in profile:arcs("id", "caller_id", "callee_id", "count") do
    local from, to = file_of[caller], file_of[callee]
    if from and to then
      known[from] = known[from] or {}
      local arc = known[from][to]
      if not arc then
        arc = { from, to, 0.0, #list + 1 }  -- a float: sums never wrap
        known[from][to], list[#list + 1] = arc, arc
      end
      arc[3] = arc[3] + count
    end
  end
  return list
end

local function busier(a, b)
  if a[3] ~= b[3] then return a[3] > b[3] end
  return a[4] < b[4]
end

-- Returns our order: each file is one node, and arcs are processed in descending order of
-- calls.
local function file_order(profile)
  local files, file_of = number_files(profile)
  local list, i = add_up(profile, file_of), 0
  table.sort(list, busier)
  local arcs = linker_order.arcs(function()
    i = i + 1
    if list[i] then return table.unpack(list[i]) end
  end)
  local order, nodes = {}, {}
  for node in ipairs(files) do
    nodes[node] = node
  end
  for place, node in ipairs(linker_order.files(nodes, arcs)) do
    order[place] = files[node]
  end
  return order
end

-- Returns the files of the map that are not in the order, because no function stands for
-- them. They are sorted by name.
local function files_without_functions(profile, order)
  local seen, rest = {}, {}
  for _, file in ipairs(order) do
    seen[file] = true
  end
  for _, file in ipairs(profile.map_files) do
    if not seen[file] then
      seen[file] = true
      rest[#rest + 1] = file
    end
  end
  table.sort(rest)
  return rest
end

--- Prints the report.
-- @tparam profile profile made with a map of symbols to files
-- @tparam table options `gnu_compat`: with the bugs of GNU gprof, which ignores counts,
--   and prints a file once for each function that stands for it
-- @tparam stream write
return function(profile, options, write)
  if not profile.map_files then
    error("a file order needs a map of symbols to files, which this profile lacks", 0)
  end
  local order = policy.of(options).merges_files and file_order(profile) or
    function_order(profile)
  local rest = files_without_functions(profile, order)
  for _, file in ipairs(table.move(rest, 1, #rest, #order + 1, order)) do
    write(file)
    write("\n")
  end
end
