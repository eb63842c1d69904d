--- A program and shared libraries in one profile: their symbols in one table, their
-- records in one sum, and the calls from the program into them.
--
-- The dynamic linker tells how often a library's function was called from outside, and
-- not by whom. A library that is compiled with -pg, as the program is, notes callers:
-- such calls are in the program's profile, with the address that the function was loaded
-- at. Where the library was loaded nobody tells. But it was at a page; so a place is
-- looked for where such calls enter functions that were called from outside, at least as
-- often, and taken if there is none that fits as well. Places are as many as there are
-- pairs of an address and a function, and so only some functions are tried.
--
-- @internal gprof.joining
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local images = require "gprof.image"

local joining = {}

-- Libraries are loaded at multiples of this, or of more. A function notes its caller in
-- its first bytes, at most so many behind its entry.
local PAGE <const>, PROLOGUE <const> = 4096, 64

-- So many functions of a library tell where it was.
local TELLING <const> = 256

-- By profile: the names of libraries with calls of unknown callers.
local unknown = setmetatable({}, { __mode = "k" })

local function base_name(path) return path:match "[^/]*$" end

-- What goes by the lines, the code or the symbol table of one object.
local alone <const> = {
  "line", "static_call_graph", "gnu_compat", "external_symbol_table", "file_ordering",
}

-- Why libraries cannot be shown with a program; nil if nothing is wrong.
local function problem_of(data, options)
  local seen = {}
  for _, name in ipairs(alone) do
    if options[name] then
      return ("several objects cannot be shown with the option '%s'"):format(name)
    end
  end
  for _, library in ipairs(options.with) do
    local image = library.image
    local name = library.name or base_name(image.path)
    if seen[name] then return image.path .. ": is the second library of that name" end
    seen[name] = true
    if image.pointer_size ~= data.pointer_size or image.big_endian ~= data.big_endian then
      return image.path .. ": is for another kind of machine than the program"
    end
  end
end

-- Symbols and data of each object, as the core joins them; or nil and a message.
local function objects_of(symbols, data, options, trace)
  local problem, objects = problem_of(data, options), { { symbols, data } }
  if problem then return nil, problem end
  for i, library in ipairs(options.with) do
    local own = images.options(library.image, options)
    local found, message = images.symbols(library.image, own, trace, library.data.shared)
    if not found then return nil, message end
    local name = library.name or base_name(library.image.path)
    objects[i + 1] = { found, library.data, name }
  end
  return objects
end

-- Calls from the program of what is not in it, by the address of what is called: arrays
-- of places and counts; and how many these are.
local function foreign_calls(data, limit)
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

-- How often functions of a library were called from outside, by address.
local function outside_calls(data)
  local calls = {}
  for from, callee, count in data:arcs() do
    if from == 0 then calls[callee] = (calls[callee] or 0) + count end
  end
  return calls
end

-- Scatters addresses: functions that are called alike are chosen from all over a library,
-- or other places would do as well for those of one stretch.
local SCATTER <const> = 0x9e3779b97f4a7c15

-- The functions of a library that tell best where it was: those called as often as an
-- address is that is not known, and of these those called most.
local function telling(outside, sum)
  local sums, functions = {}, {}
  for _, count in pairs(sum) do sums[count] = true end
  for callee in pairs(outside) do functions[#functions + 1] = callee end
  table.sort(functions, function(a, b)
    local m, n = outside[a], outside[b]
    if sums[m] ~= sums[n] then return sums[m] or false end
    if m ~= n then return m > n end
    return a * SCATTER < b * SCATTER
  end)
  return table.move(functions, 1, math.min(#functions, TELLING), 1, {})
end

-- The function at whose entry an offset in a library is, as far as a prologue goes.
local function entered_at(symbols, offset)
  local symbol = symbols:lookup(offset)
  if symbol and offset - symbol.address < PROLOGUE then return symbol.address end
end

-- Functions by the part of a page that they begin in, each as long as a prologue.
local PARTS <const> = PAGE // PROLOGUE
local function by_part(functions)
  local parts = {}
  for part = 0, PARTS - 1 do parts[part] = {} end
  for _, callee in ipairs(functions) do
    table.insert(parts[callee // PROLOGUE % PARTS], callee)
  end
  return parts
end

-- Keeps in mind the base at which an address is in one of some functions, for each that
-- it may be in.
local function add_bases(bases, symbols, address, callees)
  for _, callee in ipairs(callees) do
    local offset = address - callee & PAGE - 1
    if offset < PROLOGUE and entered_at(symbols, callee + offset) == callee then
      local base = address - callee - offset
      bases[base] = bases[base] or {}
      bases[base][address] = callee
    end
  end
end

-- Where a library may have been loaded: by base, which function each address is in. Only
-- functions are looked at that begin in the same part of a page, or in the one before.
local function possible_bases(symbols, functions, sum)
  local bases, parts = {}, by_part(functions)
  for address in pairs(sum) do
    local part = address // PROLOGUE % PARTS
    add_bases(bases, symbols, address, parts[part])
    add_bases(bases, symbols, address, parts[(part - 1) % PARTS])
  end
  return bases
end

-- Which function each address is in at a base, of all that were called from outside.
local function all_entered(symbols, outside, sum, base)
  local entered = {}
  for address in pairs(sum) do
    local callee = entered_at(symbols, address - base)
    if outside[callee] then entered[address] = callee end
  end
  return entered
end

-- How well a base fits: how many functions were called as often as from outside at all,
-- or nil if one was called more often; and how many addresses it explains that are left.
local function fit(entered, outside, sum)
  local calls, exact, explained = {}, 0, 0
  for address, callee in pairs(entered) do
    if sum[address] then
      calls[callee] = (calls[callee] or 0) + sum[address]
      explained = explained + 1
    end
  end
  for callee, count in pairs(calls) do
    if count > outside[callee] then return nil, explained end
    if count == outside[callee] then exact = exact + 1 end
  end
  return exact, explained
end

-- The one base that fits best, if there is one.
local function best_base(bases, outside, sum)
  local best, most_exact, most, tie = nil, -1, 0, false
  for base, entered in pairs(bases) do
    local exact, explained = fit(entered, outside, sum)
    if explained == 0 then
      bases[base] = nil
    elseif exact and
      (exact > most_exact or exact == most_exact and explained >= most)
    then
      tie = exact == most_exact and explained == most
      best, most_exact, most = base, exact, explained
    end
  end
  return not tie and best or nil
end

-- Takes the calls at one base after the other: a sum is of runs, each with its own.
local function take_calls(symbols, outside, calls, sum, add)
  local bases = possible_bases(symbols, telling(outside, sum), sum)
  local base = best_base(bases, outside, sum)
  while base do
    local entered = all_entered(symbols, outside, sum, base)
    for address, callee in pairs(fit(entered, outside, sum) and entered or {}) do
      for _, call in ipairs(calls[address]) do add(call[1], callee, call[2]) end
      outside[callee] = outside[callee] - sum[address]
      sum[address] = nil
    end
    bases[base] = nil
    base = best_base(bases, outside, sum)
  end
end

-- Addresses in order, so that the result does not depend on that of Lua's tables.
local function sorted(calls)
  local addresses = {}
  for address in pairs(calls) do addresses[#addresses + 1] = address end
  table.sort(addresses)
  return addresses
end

-- Adds the calls of a library's functions from outside: those of the program by caller,
-- as far as these are known, and the others. Returns whether there are others.
local function add_outside(records, object, place, calls, sum)
  local outside, found = outside_calls(object[2]), {}
  take_calls(object[1], outside, calls, sum, function(from, callee, count)
    found[#found + 1] = { from, callee + place.slide, count }
  end)
  table.sort(found, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  for _, arc in ipairs(found) do assert(records:add_arc(table.unpack(arc))) end
  local others = false
  for _, callee in ipairs(sorted(outside)) do
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

-- The object that a message of the core is about.
local function path_of(image, options, number)
  return number == 1 and image.path or options.with[number - 1].image.path
end

--- Joins a program and libraries.
-- @tparam image image of the program
-- @tparam symbols symbols of it
-- @tparam data data of it
-- @tparam table options of `gprof.profile`, with `with`
-- @tparam[opt] trace trace
-- @treturn[1] symbols all of them
-- @treturn[1] data all records
-- @treturn[1] {string,...} the names of libraries with calls whose callers are not known
-- @return[2] nil
-- @treturn[2] string what is wrong
function joining.join(image, symbols, data, options, trace)
  local objects, message = objects_of(symbols, data, options, trace)
  if not objects then return nil, message end
  local records = core.data(image, nil, trace)
  local joined, places, number = core.join(records, objects)
  if not joined then
    return nil, path_of(image, options, number) .. ": beside the others, " .. places
  end
  local calls, sum, others = {}, {}, {}
  for i = 1, #objects do
    if i == 2 then calls, sum = foreign_calls(data, places[1].limit) end
    if places[i].outside and add_outside(records, objects[i], places[i], calls, sum) then
      others[#others + 1] = objects[i][3] or base_name(image.path)
    end
  end
  list_files(records, objects)
  return joined, records, others
end

--- Keeps in mind, or tells, the libraries of a profile with calls of unknown callers.
-- @tparam profile profile
-- @tparam[opt] {string,...} names
-- @treturn {string,...} names
function joining.unknown(profile, names)
  unknown[profile] = names or unknown[profile]
  return unknown[profile]
end

return joining
