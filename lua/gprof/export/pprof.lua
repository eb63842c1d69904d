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
local protobuf = require "gprof.format.protobuf"

local number <const>, bytes <const>, numbers <const> =
  protobuf.number, protobuf.bytes, protobuf.numbers

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
    if not known[key] then
      count = count + 1
      known[key] = count
      make(count, ...)
    end
    return known[key]
  end
end

-- Returns two functions: one takes a string, the other a place in the code, and both
-- return its number. At first use, they write the string or location, and the function
-- that the location refers to.
local function tables_of(profile, object_of, options, write)
  local names = chains.names(labels.exported(profile, options))
  local text_table = numbered(0, function(_, text)
    write(bytes(PROFILE.string_table, text))
  end)
  local function text(value)
    local plain = escape.utf8(value or "")
    return text_table(plain, plain)
  end
  text ""  -- profile.proto: string_table[0] must be ""
  local func_table = numbered(1, function(id, name, symbol, file, line)
    write(bytes(PROFILE["function"], number(FUNCTION.id, id) ..
      number(FUNCTION.name, text(name)) .. number(FUNCTION.system_name, text(symbol)) ..
      number(FUNCTION.filename, text(file)) .. number(FUNCTION.start_line, line)))
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
    return bytes(LOCATION.line,
      number(LINE.function_id, func(id, file)) .. number(LINE.line, line))
  end
  -- `around` has the functions into which the function was inlined, innermost first.
  local place_table = numbered(1, function(place, id, address, line, file, around)
    local lines = line_of(id, line, file)
    for _, outer in ipairs(around or {}) do
      lines = lines .. line_of(outer, (profile:get(outer, "line")))
    end
    write(bytes(PROFILE.location, number(LOCATION.id, place) ..
      number(LOCATION.mapping_id, mapping_of(id)) .. number(LOCATION.address, address) ..
      lines))
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
  local whole = {}  -- the numbers of the locations of functions
  -- Returns the number of the location of a line or, if `line` is nil, of a function;
  -- or of a function that was inlined into those of `around`.
  local function place(id, line, around)
    if around then
      local key = id .. "<" .. table.concat(around, "<")
      return place_table(key, id, nil, (profile:get(id, "line")), nil, around)
    elseif line then
      local key = id .. ":" .. line.address
      return place_table(key, id, line.address, line.line, line.file)
    end
    whole[id] = whole[id] or place_of_function(id)
    return whole[id]
  end
  return text, place
end

-- Writing -------------------------------------------------------------------------------

-- The first mapping is the program. pprof would look up the functions of mappings if they
-- did not say that they have them.
local function write_mapping(object, text, write)
  write(bytes(PROFILE.mapping, number(MAPPING.id, object.number) ..
    number(MAPPING.memory_start, object.low) ..
    number(MAPPING.memory_limit, object.high) ..
    number(MAPPING.file_offset, object.offset) ..
    number(MAPPING.filename, text(object.path or object.name)) ..
    number(MAPPING.build_id, text(object.build_id)) ..
    number(MAPPING.has_functions, true) .. number(MAPPING.has_filenames, true) ..
    number(MAPPING.has_line_numbers, true)))
end

local function type_of(text, name, unit)
  return number(1, text(name)) .. number(2, text(unit))
end

local function write_types(profile, text, write)
  local timed = extract.in_seconds(profile)
  local name = not timed and profile.unit or profile.unit == "seconds" and "cpu" or "wall"
  local time = type_of(text, name, timed and "nanoseconds" or "count")
  write(bytes(PROFILE.sample_type, time))
  write(bytes(PROFILE.sample_type, type_of(text, "calls", "count")))
  write(bytes(PROFILE.period_type, time))
  write(number(PROFILE.period, math.floor(extract.units(profile, 1000000000) + 0.5)))
  write(number(PROFILE.default_sample_type, text(name)))
end

local function write_sample(places, time, calls, write)
  write(bytes(PROFILE.sample, numbers(SAMPLE.location_id, places) ..
    numbers(SAMPLE.value, { time, calls })))
end

-- In pprof, the leaf is the first location. It has its own line if that is known; callers
-- have the first line of their function. A function that was inlined is in one location
-- with the functions around it.
local function write_chain(chain, place, only_inlined, write)
  local links, places, link = {}, {}, chain.top
  while link do
    links[#links + 1], link = link.id, link.below
  end
  local i = #links
  while i > 0 do
    local leaf = i == #links and chain.piece.address and chain.piece or nil
    local id, around = links[i], nil
    while i > 1 and only_inlined(links[i - 1], links[i]) do
      i, around = i - 1, around or {}
      around[#around + 1] = links[i]
    end
    places[#places + 1] = place(id, leaf, around)
    i = i - 1
  end
  write_sample(places, chain.weight, 0, write)
end

local function write_comments(profile, truncated, text, write)
  local comments = { "function times are from gprof's flat profile; call chains are " ..
    (profile.exact and "measured" or "estimated from call counts") }
  comments[2] = guesses.sentence(guesses.share(profile))
  if truncated > 0 then
    comments[#comments + 1] = ("%.2g%% of the time is in truncated call chains"):format(
      100 * truncated)
  end
  local places = {}
  for i, comment in ipairs(comments) do places[i] = text(comment) end
  write(numbers(PROFILE.comment, places))
end

--- Writes a profile in pprof's format.
-- @tparam profile profile with a histogram; a profile by line adds the lines of leaves
-- @tparam table options those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  local by_function, lines = line_costs.of(profile)
  local objects, object_of = extract.objects(by_function)
  local text, place = tables_of(by_function, object_of, options, write)
  local list, truncated =
    chains.of(by_function, extract.units(by_function, 1000000000), lines)
  write_types(by_function, text, write)
  for _, object in ipairs(objects) do write_mapping(object, text, write) end
  local only_inlined = inlined_code.only_inlined(by_function)
  for _, chain in ipairs(list) do write_chain(chain, place, only_inlined, write) end
  local in_graph = extract.in_graph(by_function)
  for caller, callee, count in
    by_function:arcs("id", "caller_id", "callee_id", "count")
  do
    if count > 0 and (in_graph[caller] or in_graph[callee]) then
      write_sample({ place(callee), place(caller) }, 0, count, write)
    end
  end
  write_comments(by_function, truncated, text, write)
end
