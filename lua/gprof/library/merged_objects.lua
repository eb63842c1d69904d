--- Merges a program and shared libraries for one profile: their symbols in one table,
-- their records in one sum, and the calls from the program into the libraries.
--
-- For calls from outside a library, the dynamic linker counts the callee but not the
-- caller. If the program's profile has such a call (see gprof.library.load_address), it
-- is attributed to the program; otherwise its caller is <outside>.
--
-- @internal gprof.library.merged_objects
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local image_options = require "gprof.library.image_options"
local load_address = require "gprof.library.load_address"
local symbol_tables = require "gprof.library.symbol_tables"

local merged_objects = {}

-- For each profile, the names of the libraries with calls from unknown callers.
local unknown = setmetatable({}, { __mode = "k" })

local function base_name(path) return path:match "[^/]*$" end

-- Options that concern the lines, the code or the symbol table of a single object.
local single_object <const> = {
  "line", "static_call_graph", "gnu_compat", "external_symbol_table", "file_ordering",
}

-- Returns why libraries cannot be merged with a program; nil if they can.
local function problem_of(data, options)
  local seen = {}
  for _, name in ipairs(single_object) do
    if options[name] then
      return ("option '%s' cannot be combined with libraries ('with')"):format(name)
    end
  end
  for _, library in ipairs(options.with) do
    local image = library.image
    local name = library.name or base_name(image.path)
    if seen[name] then
      return ("%s: another library is also named '%s'"):format(image.path, name)
    end
    seen[name] = true
    if image.pointer_size ~= data.pointer_size or image.big_endian ~= data.big_endian then
      return image.path .. ": pointer size or byte order differs from the program's"
    end
  end
end

-- Returns the objects to merge, each { symbols, data, name }. The first object is the
-- program, which has no name. On failure, returns nil and a message.
local function objects_of(symbols, data, options, trace)
  local problem, objects = problem_of(data, options), { { symbols, data } }
  if problem then return nil, problem end
  for i, library in ipairs(options.with) do
    local own = image_options.complete(library.image, options)
    local found, message =
      symbol_tables.of(library.image, own, trace, library.data.shared)
    if not found then return nil, message end
    local name = library.name or base_name(library.image.path)
    objects[i + 1] = { found, library.data, name }
  end
  return objects
end

-- Finds the calls from the program (below the address `limit`) to other code. Returns two
-- tables from callee addresses: to arrays of { from, count }, and to the sums of these
-- counts.
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

-- Adds the calls from outside a library: those that can be attributed to the program,
-- then the others, with the caller <outside>. Returns whether there are others.
local function add_outside(records, object, place, calls, sum)
  local symbols, data = object[1], object[2]
  local outside, found = outside_calls(data), {}
  load_address.attribute(symbols, data, outside, sum, function(address, callee)
    for _, call in ipairs(calls[address]) do
      found[#found + 1] = { call[1], callee + place.slide, call[2] }
    end
  end)
  table.sort(found, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  for _, arc in ipairs(found) do assert(records:add_arc(table.unpack(arc))) end
  local others = false
  for _, callee in ipairs(load_address.sorted_keys(outside)) do
    if outside[callee] > 0 then
      assert(records:add_arc(place.outside, callee + place.slide, outside[callee]))
      others = true
    end
  end
  return others
end

local function list_files(records, objects)
  for _, object in ipairs(objects) do
    table.move(object[2].files, 1, #object[2].files, #records.files + 1, records.files)
  end
end

-- Returns the path of the object with a given number, for error messages.
local function path_of(image, options, number)
  return number == 1 and image.path or options.with[number - 1].image.path
end

--- Merges a program and libraries.
-- @tparam image image the program
-- @tparam symbols symbols symbols of the program
-- @tparam data data data of the program
-- @tparam table options of `gprof.profile`, including `with`
-- @tparam[opt] trace trace
-- @treturn[1] symbols all symbols
-- @treturn[1] data all records
-- @treturn[1] {string,...} names of the libraries with calls from unknown callers
-- @return[2] nil
-- @treturn[2] string what is wrong
function merged_objects.merge(image, symbols, data, options, trace)
  local objects, message = objects_of(symbols, data, options, trace)
  if not objects then return nil, message end
  local records = core.data(image, nil, trace)
  local joined, places, number = core.merge_objects(records, objects)
  if not joined then
    return nil, path_of(image, options, number) .. ": cannot be merged: " .. places
  end
  local calls, sum, others = {}, {}, {}
  for i = 1, #objects do
    if i == 2 then calls, sum = external_calls(data, places[1].limit) end
    if places[i].outside and add_outside(records, objects[i], places[i], calls, sum) then
      others[#others + 1] = objects[i][3] or base_name(image.path)
    end
  end
  list_files(records, objects)
  return joined, records, others
end

--- Gets or sets the names of a profile's libraries with calls from unknown callers.
-- @tparam profile profile
-- @tparam[opt] {string,...} names
-- @treturn {string,...} names
function merged_objects.unknown(profile, names)
  unknown[profile] = names or unknown[profile]
  return unknown[profile]
end

return merged_objects
