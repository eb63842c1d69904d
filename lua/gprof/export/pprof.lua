--- pprof's format (profile.proto), uncompressed; pprof accepts both forms.
--
-- Each sample has two values, a time in nanoseconds and a number of calls, and one of
-- them is 0. Samples with time are call chains, measured or estimated. Samples with calls
-- are pairs of caller and callee, which were counted.
--
-- @module gprof.export.pprof
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.analysis.chains"
local escape = require "gprof.format.escape"
local extract = require "gprof.analysis.extract"
local guesses = require "gprof.analysis.guesses"
local inlined_code = require "gprof.analysis.inlined_code"
local labels = require "gprof.print.labels"
local line_costs = require "gprof.analysis.line_costs"
local path_share = require "gprof.analysis.path_share"
local protobuf = require "gprof.format.protobuf"
local wording = require "gprof.format.wording"

local fields <const>, message <const> = protobuf.fields, protobuf.message

-- Field numbers of the messages in profile.proto.
local PROFILE <const> = { sample_type = 1, sample = 2, mapping = 3, location = 4,
  ["function"] = 5, string_table = 6, period_type = 11, period = 12, comment = 13,
  default_sample_type = 14 }
local SAMPLE <const> = { location_id = 1, value = 2 }
local MAPPING <const> = { id = 1, memory_start = 2, memory_limit = 3, file_offset = 4,
  filename = 5, build_id = 6, has_functions = 7, has_filenames = 8,
  has_line_numbers = 9 }
local LOCATION <const> = { id = 1, mapping_id = 2, address = 3, line = 4 }
local LINE <const> = { function_id = 1, line = 2 }
local FUNCTION <const> = { id = 1, name = 2, system_name = 3, filename = 4,
  start_line = 5 }

-- Tables --------------------------------------------------------------------------------

-- Numbers the entries of a table from `first` on. Returns a function that takes a key and
-- returns its number. For a new key, it first calls `make(number, ...)`, which writes the
-- entry.
local function numbered(first, make)
  local known, count = {}, first - 1
  return function(key, ...)
    local number = known[key]
    if not number then
      count = count + 1
      number, known[key] = count, count
      make(number, ...)
    end
    return number
  end
end

-- Returns a function that takes a string and returns its number; a table that maps the id
-- of a function to the number of its location; and a function that returns the number of
-- the location of a line, or of a function that was inlined into those of `around`. At
-- first use, they write the string or location, and the function that the location refers
-- to.
local function tables_of(profile, object_of, options, write)
  local names = chains.names(labels.exported(profile, options))
  local text_table = numbered(0, function(_, text)
    write(fields(PROFILE.string_table, text))
  end)
  local function text(value)
    local plain = escape.utf8(value or "")
    return text_table(plain, plain)
  end
  text ""  -- profile.proto: string_table[0] must be ""
  local func_table = numbered(1, function(id, name, symbol, file, line)
    write(message(PROFILE["function"], FUNCTION.id, id, FUNCTION.name, text(name),
      FUNCTION.system_name, text(symbol), FUNCTION.filename, text(file),
      FUNCTION.start_line, line))
  end)
  -- Cycles and `[truncated]` have only a name. The format stores the file with the
  -- function, not with the line, so inlined code of another file needs a second function
  -- of the same name in that file.
  local function func(id, inlined)
    if id == chains.TRUNCATED or profile:get(id, "is_cycle") then
      return func_table(id, names[id])
    end
    local symbol, file, line = profile:get(id, "symbol", "file", "line")
    if symbol == names[id] then symbol = nil end
    if not inlined or inlined == file then
      return func_table(id, names[id], symbol, file, line)
    end
    return func_table(id .. ":" .. inlined, names[id], symbol, inlined)
  end
  local function mapping_of(id)
    if id == chains.TRUNCATED or profile:get(id, "is_cycle") then return nil end
    return object_of(id).number
  end
  local function line_of(id, line, file)
    return message(LOCATION.line, LINE.function_id, func(id, file), LINE.line, line)
  end
  -- `around` has the functions into which the function was inlined, innermost first.
  local place_table = numbered(1, function(place, id, address, line, file, around)
    local lines = line_of(id, line, file)
    for _, outer in ipairs(around or {}) do
      lines = lines .. line_of(outer, (profile:get(outer, "line")))
    end
    write(fields(PROFILE.location, fields(LOCATION.id, place, LOCATION.mapping_id,
      mapping_of(id), LOCATION.address, address) .. lines))
  end)
  local function place_of_function(id)
    if id == chains.TRUNCATED or profile:get(id, "is_cycle") then
      return place_table(id, id)
    end
    local address, first = profile:get(id, "address", "line")
    -- a function that stands for all code of a library without symbols has no address
    if address and address >= object_of(id).high then address = nil end
    return place_table(id, id, address, first)
  end
  local whole = setmetatable({}, { __index = function(known, id)
    known[id] = place_of_function(id)
    return known[id]
  end })
  local function place(id, line, around)
    if around then
      local key = id .. "<" .. table.concat(around, "<")
      return place_table(key, id, nil, (profile:get(id, "line")), nil, around)
    end
    local key = id .. ":" .. line.address
    return place_table(key, id, line.address, line.line, line.file)
  end
  return text, whole, place
end

-- Writing -------------------------------------------------------------------------------

-- The first mapping is the program. pprof would look up the functions of mappings if they
-- did not say that they have them.
local function write_mapping(object, text, write)
  write(message(PROFILE.mapping, MAPPING.id, object.number, MAPPING.memory_start,
    object.low, MAPPING.memory_limit, object.high, MAPPING.file_offset, object.offset,
    MAPPING.filename, text(object.path or object.name), MAPPING.build_id,
    text(object.build_id), MAPPING.has_functions, true, MAPPING.has_filenames, true,
    MAPPING.has_line_numbers, true))
end

local function type_of(text, name, unit)
  return fields(1, text(name), 2, text(unit))
end

local function write_types(profile, text, write)
  local timed = extract.in_seconds(profile)
  local name = not timed and profile.unit or profile.unit == "seconds" and "cpu" or "wall"
  local time = type_of(text, name, timed and "nanoseconds" or "count")
  write(fields(PROFILE.sample_type, time))
  write(fields(PROFILE.sample_type, type_of(text, "calls", "count")))
  write(fields(PROFILE.period_type, time))
  write(fields(PROFILE.period, math.floor(extract.units(profile, 1000000000) + 0.5)))
  write(fields(PROFILE.default_sample_type, text(name)))
end

-- Returns the function that writes a sample. `values` is always the same table.
local function sampler(write)
  local values = {}
  return function(places, time, calls)
    values[1], values[2] = time, calls
    write(message(PROFILE.sample, SAMPLE.location_id, places, SAMPLE.value, values))
  end
end

-- Returns the locations of a chain. In pprof, the leaf is the first location. It has its
-- own line if that is known; callers have the first line of their function. A function
-- that was inlined is in one location with the functions around it.
local function places_of(list, number, whole, place, only_inlined)
  local ids, places, link, piece = {}, {}, list.top[number], list.piece[number]
  while link > 0 do
    ids[#ids + 1], link = list.id[link], list.below[link]
  end
  local i, leaf = #ids, piece.address and piece or nil
  while i > 0 do
    local id, around = ids[i], nil
    while i > 1 and only_inlined and only_inlined(ids[i - 1], ids[i]) do
      i, around = i - 1, around or {}
      around[#around + 1] = ids[i]
    end
    places[#places + 1] = (leaf or around) and place(id, leaf, around) or whole[id]
    i, leaf = i - 1, nil
  end
  return places
end

local function write_comments(profile, callers, truncated, text, write)
  local comments = { "function times are from gprof's flat profile; call chains are " ..
    (profile.exact and "measured" or "estimated from call counts") }
  comments[2] = path_share.note(profile) or
    guesses.sentence(guesses.share(profile, callers))
  if truncated > 0 then
    comments[#comments + 1] = ("%s%% of the time is in truncated call chains"):format(
      wording.rounded(100 * truncated, 2))
  end
  local places = {}
  for i, comment in ipairs(comments) do places[i] = text(comment) end
  write(fields(PROFILE.comment, places))
end

--- Writes a profile in pprof's format.
-- @tparam profile profile with a histogram; a profile by line adds the lines of leaves
-- @tparam table options those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  local by_function = profile:by_function()
  local lines = line_costs.of(profile, by_function)
  local objects, object_of = extract.objects(by_function)
  local text, whole, place = tables_of(by_function, object_of, options, write)
  local list, truncated =
    chains.of(by_function, extract.units(by_function, 1000000000), lines)
  write_types(by_function, text, write)
  for _, object in ipairs(objects) do write_mapping(object, text, write) end
  local only_inlined = inlined_code.only_inlined(by_function)
  local write_sample = sampler(write)
  for number, weight in ipairs(list.weight) do
    write_sample(places_of(list, number, whole, place, only_inlined), weight, 0)
  end
  local places = {}
  for caller, callee, count, printed in
    by_function:arcs("id", "caller_id", "callee_id", "count", "printed")
  do
    if count > 0 and printed then
      places[1], places[2] = whole[callee], whole[caller]
      write_sample(places, 0, count)
    end
  end
  write_comments(by_function, list.callers, truncated, text, write)
end
