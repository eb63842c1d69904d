--- The file order: a list of object files for the linker, one name per line. Files that
-- call each other are close together.
--
-- The profile must have been made with a map of symbols to files. Functions that stand
-- for an object file are then `mapped`, and have the file's name.
--
-- @module gprof.report.file_order
-- SPDX-License-Identifier: GPL-3.0-or-later

local is_less <const> = require "gprof.format.column_order".is_less
local linker_order = require "gprof.linker_order"
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
  local function arcs() return profile:arcs("id", "caller_id", "callee_id", "count") end
  local order = {}
  for i, id in ipairs(linker_order.files(nodes, arcs)) do
    order[i] = names[id]
  end
  return order
end

-- Returns our order: each file is one node, and arcs are processed in descending order of
-- calls.
local function file_order(profile)
  local functions, names = mapped_functions(profile)
  local files, known = {}, {}
  for _, id in ipairs(functions) do
    local name = names[id]
    if not known[name] then known[name], files[#files + 1] = true, name end
  end
  return linker_order.files(files,
    linker_order.grouped(names, profile:arcs("id", "caller_id", "callee_id", "count")))
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
  table.sort(rest, is_less)
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
