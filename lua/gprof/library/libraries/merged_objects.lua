--- Merges a program and shared libraries for one profile: their symbols in one table,
-- their records in one sum, and the calls from the program into the libraries.
--
-- For calls from outside a library, the dynamic linker counts the callee but not the
-- caller. If the program's profile has such a call (see placement.lua), it is
-- attributed to the program; otherwise its caller is <outside>.
--
-- Libraries are sorted by name, so that reports do not depend on the order in which they
-- are given.
--
-- @internal gprof.library.libraries.merged_objects
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local core = require "gprof.core"
local image_options = require "gprof.library.options.image_options"
local object_list = require "gprof.library.libraries.object_list"
local placement = require "gprof.library.libraries.placement"
local sorted = require "gprof.format.sorted"
local symbol_tables = require "gprof.library.symbol_tables"

local merged_objects = {}

-- Options that concern the lines, the code or the symbol table of a single object.
local single_object <const> = {
  "line", "static_call_graph", "gnu_compat", "external_symbol_table", "file_ordering",
}

-- Returns the libraries as arrays { name, library }, sorted by name. On failure, returns
-- nil and a message.
local function sorted_libraries(data, options)
  local seen, list = {}, {}
  for _, name in ipairs(single_object) do
    if options[name] then
      return nil, ("option '%s' cannot be combined with libraries ('with')"):format(name)
    end
  end
  for i, library in ipairs(options.with) do
    local image = library.image
    local name = library.name or base_name(image.path)
    if seen[name] then
      return nil, ("%s: another library is also named '%s'"):format(image.path, name)
    elseif image.pointer_size ~= data.pointer_size or
      image.big_endian ~= data.big_endian
    then
      return nil, image.path .. ": pointer size or byte order differs from the program's"
    end
    seen[name], list[i] = true, { name, library }
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

-- Returns the objects to merge, each { symbols, data, name, image }. The first object is
-- the program, which has no name. On failure, returns nil and a message.
local function objects_of(image, symbols, data, options, trace)
  local libraries, message = sorted_libraries(data, options)
  if not libraries then return nil, message end
  local objects = { { symbols, data, nil, image } }
  for i, entry in ipairs(libraries) do
    local name, library = entry[1], entry[2]
    local own = image_options.complete(library.image, options)
    local found, problem =
      symbol_tables.of(library.image, own, trace, library.data.shared)
    if not found then return nil, problem end
    objects[i + 1] = { found, library.data, name, library.image }
  end
  return objects
end

-- Finds the calls from the program (below the address `limit`) to other code. Returns two
-- tables, keyed by callee address: arrays of { from, count }, and the sums of the counts.
local function external_calls(data, limit)
  local calls, sum = {}, {}
  for from, callee, count in data:arcs() do
    if from < limit and not (callee >= 0 and callee < limit) then
      calls[callee] = calls[callee] or {}
      table.insert(calls[callee], { from, count })
      sum[callee] = (sum[callee] or 0) + count
    end
  end
  return calls, sum
end

-- Returns a table from callee addresses in a library to the number of their calls from
-- outside.
local function outside_calls(data)
  local calls = {}
  for from, callee, count in data:arcs() do
    if from == 0 then calls[callee] = (calls[callee] or 0) + count end
  end
  return calls
end

-- Returns two arrays of objects: all objects with calls from outside, and the libraries
-- among them that were compiled with -pg. Each object has the form that
-- gprof.library.libraries.placement expects, and also a `name` and a `place` (see
-- core.merge_objects). Only calls to libraries compiled with -pg can be in the program's
-- profile.
local function called_objects(objects, places)
  local called, placeable = {}, {}
  for i, object in ipairs(objects) do
    if places[i].outside then
      local image = object[4]
      local library = { symbols = object[1], data = object[2], place = places[i],
        outside = outside_calls(object[2]), name = object[3] or base_name(image.path) }
      called[#called + 1] = library
      if i > 1 and library.data.low and core.imports_mcount(image) then
        placeable[#placeable + 1] = library
      end
    end
  end
  return called, placeable
end

-- Adds the calls from the program that can be attributed to functions of libraries.
local function add_attributed(records, libraries, calls, sum)
  local found = {}
  placement.attribute(libraries, sum, function(library, address, callee)
    for _, call in ipairs(calls[address]) do
      found[#found + 1] = { call[1], callee + library.place.slide, call[2] }
    end
  end)
  table.sort(found, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  for _, arc in ipairs(found) do assert(records:add_arc(table.unpack(arc))) end
end

-- Adds the remaining calls, with the caller <outside>. Returns whether there are any.
local function add_others(records, library)
  local place, outside, any = library.place, library.outside, false
  for _, callee in ipairs(sorted.keys(outside)) do
    if outside[callee] > 0 then
      assert(records:add_arc(place.outside, callee + place.slide, outside[callee]))
      any = true
    end
  end
  return any
end

-- Adds the calls to functions of libraries that come from outside these libraries.
-- Returns the libraries with unknown callers.
local function add_outside(records, objects, places)
  local calls, sum = external_calls(objects[1][2], places[1].limit)
  local called, placeable = called_objects(objects, places)
  add_attributed(records, placeable, calls, sum)
  local others = { unknown = {}, undecided = {} }
  for _, library in ipairs(called) do
    if add_others(records, library) then
      table.insert(library.undecided and others.undecided or others.unknown, library.name)
    end
  end
  return others
end

--- Merges a program and libraries.
-- @tparam image image the program
-- @tparam symbols symbols symbols of the program
-- @tparam data data data of the program
-- @tparam table options of `gprof.profile`, including `with`
-- @tparam[opt] trace trace
-- @treturn[1] symbols all symbols
-- @treturn[1] data all records
-- @treturn[1] table names of the libraries with calls from unknown callers, in two
--   arrays: `undecided`, the libraries for which the program's profile may have these
--   calls; `unknown`, all others
-- @return[2] nil
-- @treturn[2] string what is wrong
function merged_objects.merge(image, symbols, data, options, trace)
  local objects, message = objects_of(image, symbols, data, options, trace)
  if not objects then return nil, message end
  local records = core.data(image, nil, trace)
  local joined, places, number = core.merge_objects(records, objects)
  if not joined then
    return nil, objects[number][4].path .. ": cannot be merged: " .. places
  end
  local others = add_outside(records, objects, places)
  for _, object in ipairs(objects) do
    table.move(object[2].files, 1, #object[2].files, #records.files + 1, records.files)
  end
  object_list.set(records, objects, places)
  return joined, records, others
end

--- Returns the names of a profile's libraries that have calls from unknown callers.
-- @tparam profile profile
-- @treturn table see `merge`
function merged_objects.unknown(profile) return core.state(profile).unknown_callers end

return merged_objects
