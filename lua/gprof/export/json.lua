--- A profile as JSON. doc/export.md describes the layout, and
-- doc/gprof-profile.schema.json is its JSON schema.
--
-- Field names are the same as in the library. Each function, cycle and arc takes one
-- line, so line-based tools such as diff work on the files.
--
-- @module gprof.export.json
-- SPDX-License-Identifier: GPL-3.0-or-later

local collection = require "gprof.library.collection"
local common = require "gprof.print.common"
local extract = require "gprof.analysis.extract"
local fit = require "gprof.library.fit"
local gprof = require "gprof"
local guesses = require "gprof.analysis.guesses"
local json = require "gprof.format.json"
local labels = require "gprof.print.labels"
local path_share = require "gprof.analysis.path_share"
local policy = require "gprof.library.policy"

-- Increment VERSION with every incompatible change.
local FORMAT <const>, VERSION <const> = "gprof-profile", 1

-- Addresses are strings, since many JSON readers lack 64-bit integers. Functions that
-- were only inlined have none.
local function hexadecimal(address)
  return address and ("0x%x"):format(address)
end

local image_of <const> = json.object { "path", "build_id" }

local file_of <const> = json.object {
  "path", "format", "version", "histogram_records", "arc_records", "block_records",
}

local function write_files(profile, write)
  json.field(write, "image", image_of(profile.image.path, profile.image.build_id))
  local texts = {}
  for i, file in ipairs(profile.data.files) do
    texts[i] = file_of(file.path, file.format, file.version, file.histogram_records,
      file.arc_records, file.block_records)
  end
  json.field(write, "profiles", "[" .. table.concat(texts, ", ") .. "]")
end

-- Returns notes that help to interpret the figures.
local function notes(profile, options)
  local list = {}
  if not profile.data.has_histogram then
    list[#list + 1] = "no time was sampled: there is no histogram"
  end
  if common.has_samples_alone(profile) then
    list[#list + 1] = "no calls were counted: the program was not compiled with -pg"
  elseif not profile.data.has_arcs then
    list[#list + 1] = "no calls were counted: there are no arcs"
  end
  if policy.of(options).gives_hints and collection.may_lose_calls(profile) then
    list[#list + 1] = "calls may be missing: the program can start threads, and the C " ..
      "library loses calls that threads make at the same time"
  end
  list[#list + 1] = path_share.note(profile)
  list[#list + 1] = fit.stripped_note(profile, options)
  if options.include or options.exclude then
    list[#list + 1] = "functions or calls were selected: see \"include\" and \"exclude\""
  end
  if profile.by_line then
    list[#list + 1] = "\"functions\" lists source lines: only the first line of a " ..
      "function propagates its time to the callers"
  end
  return list
end

local amounts_of <const> = json.object { "mean", "min", "max", "deviation", "lost",
  "ratio", "runs", "who" }

-- Returns the spread of times or calls as JSON.
local function amounts_text(a)
  return a and amounts_of(a.mean, a.min, a.max, a.deviation, a.lost, a.ratio, a.runs,
    a.who) or "null"
end

-- Returns the spread of a function, or of whole runs, as JSON.
local function spread_text(spread, before)
  return spread and ('{%s"self": %s, "calls": %s}'):format(before or "",
    amounts_text(spread.self), amounts_text(spread.calls)) or "null"
end

local object_of <const> = json.object { "name", "path", "build_id", "slide" }

-- Writes the program and its libraries.
local function write_objects(profile, write)
  local texts = {}
  for i, object in ipairs(profile:objects()) do
    texts[i] = object_of(object.name, object.path, object.build_id,
      hexadecimal(object.slide))
  end
  json.field(write, "objects", "[" .. table.concat(texts, ", ") .. "]")
end

local function write_whole(profile, options, write)
  local rate = profile.rate
  json.field(write, "granularity", json.string(profile.by_line and "line" or "function"))
  json.field(write, "unit", json.value(profile.unit))
  json.field(write, "period", json.value(rate and 1 / rate))
  json.field(write, "total", json.value(profile.total))
  json.field(write, "total_ticks", json.value(profile.total_ticks))
  json.field(write, "ticks_per_sample", json.value(profile.ticks_per_sample))
  json.field(write, "coverage", json.value(profile.coverage))
  json.field(write, "exact", json.value(profile.exact))
  json.field(write, "path_share", json.value(profile.path_share))
  json.field(write, "guessed", json.value(guesses.share(profile)))
  json.field(write, "has_libraries", json.value(profile.has_libraries))
  json.field(write, "has_inlines", json.value(profile.has_inlines))
  json.field(write, "include", json.arrays(options.include or {}))
  json.field(write, "exclude", json.arrays(options.exclude or {}))
  json.field(write, "mismatch", json.value(profile:mismatch()))
  json.field(write, "notes", json.array(notes(profile, options)))
end

local cycle_keys <const> = { "id", "self", "children", "calls", "self_calls" }
local bounds_keys <const> = { "total_low", "total_high" }

-- Iterates over the cycles as JSON, each with the ids of its members.
local function cycle_texts(profile)
  local keys = { table.unpack(cycle_keys) }
  if profile.has_bounds then table.move(bounds_keys, 1, 2, #keys + 1, keys) end
  local cycle_of = json.object(keys)
  return coroutine.wrap(function()
    for cycle in profile:cycles() do
      local members = {}
      for id in cycle:members("id", "id") do members[#members + 1] = id end
      local text = cycle_of(cycle.number, cycle.self, cycle.children, cycle.calls,
        cycle.self_calls, cycle.total_low, cycle.total_high)
      coroutine.yield(text:sub(1, -2) .. ', "members": ' .. json.array(members) .. "}")
    end
  end)
end

-- Returns a table from the ids of functions to the numbers of their cycles.
local function cycles_by_member(profile)
  local cycles = {}
  for cycle in profile:cycles() do
    for id in cycle:members(nil, "id") do cycles[id] = cycle.number end
  end
  return cycles
end

local columns <const> = {
  "id", "name", "symbol", "file", "line", "address", "size", "static", "self", "ticks",
  "children", "calls", "self_calls",
}

local function counts_blocks(profile)
  return profile.data.block_records > 0 and not profile.by_line
end

-- Returns the keys of a function's object. `full_name` is a key only if options change
-- the names, `function` is a key only in profiles by line,
-- `object` only if there are libraries, `self_error` only if errors are known, `inlined`
-- only if inlined functions are functions, and `total_low` and `total_high` only if
-- bounds are known. `blocks` is a key only if basic blocks were counted.
local function keys_of(profile, options)
  local keys = table.move(columns, 1, #columns, 1, { [#columns + 1] = "cycle" })
  local has_labels = options.short_names or options.inline_file_names
  keys[#keys + 1] = has_labels and "full_name" or nil
  keys[#keys + 1] = profile.by_line and "function" or nil
  keys[#keys + 1] = profile.has_libraries and "object" or nil
  local first = profile:functions()()
  keys[#keys + 1] = first and first.self_error and "self_error" or nil
  keys[#keys + 1] = profile.has_inlines and "inlined" or nil
  if profile.has_bounds then table.move(bounds_keys, 1, 2, #keys + 1, keys) end
  keys[#keys + 1] = counts_blocks(profile) and "blocks" or nil
  return keys
end

local function function_texts(profile, ids, options)
  local keys, cycles = keys_of(profile, options), cycles_by_member(profile)
  local shown = labels.exported(profile, options)
  local object, names = json.object(keys), {}
  local known <const> =
    { cycle = "id", full_name = "name", ["function"] = "function_id" }
  for i, key in ipairs(keys) do names[i] = known[key] or key end
  local has_blocks = counts_blocks(profile)
  names[#names] = has_blocks and "id" or names[#names]
  return coroutine.wrap(function()
    for _, id in ipairs(ids) do
      local values = { profile:get(id, table.unpack(names)) }
      values[2] = shown[id]
      values[6], values[#columns + 1] = hexadecimal(values[6]), cycles[id]
      if has_blocks then values[#keys] = extract.block_count(profile, id) end
      local text = object(table.unpack(values, 1, #keys))
      if profile.spread then
        text = ('%s, "spread": %s}'):format(text:sub(1, -2),
          spread_text(profile:get(id, "spread")))
      end
      coroutine.yield(text)
    end
  end)
end

local arc_keys <const> = { "caller", "callee", "count", "self", "children", "inlined" }

-- Iterates over the arcs as JSON.
local function arc_texts(profile)
  local keys = { table.unpack(arc_keys, 1, profile.has_inlines and 6 or 5) }
  local arc_of = json.object(keys)
  local next_arc = profile:arcs("id", "caller_id", "printed", "callee_id",
    table.unpack(keys, 3))
  local function text_of(caller, printed, ...)
    if caller == nil then return nil end
    return printed and arc_of(caller, ...) or ""
  end
  return function()
    local text
    repeat text = text_of(next_arc()) until text ~= ""
    return text
  end
end

local function write_array(write, name, rows, last)
  write(('  "%s": '):format(name))
  json.rows(write, "  ", rows)
  write(last and "\n" or ",\n")
end

--- Writes a profile, or a comparison, as JSON.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: also write functions without time and
--   calls; those of names, see `gprof.print.labels.exported`; `include`, `exclude`: the
--   profile's symspecs; `comparison`: the result of `gprof.compare`, written in place of
--   the profile
-- @tparam stream write
return function(profile, options, write)
  if options.comparison then
    return require "gprof.export.comparison"(profile, options, write)
  end
  write "{\n"
  json.field(write, "format", json.string(FORMAT))
  json.field(write, "version", json.number(VERSION))
  json.field(write, "generator", json.string("gprof for Lua " .. gprof._VERSION))
  write_files(profile, write)
  write_whole(profile, options, write)
  local spread = profile.spread
  if spread then
    json.field(write, "spread", spread_text(spread,
      ('"runs": %d, "skipped": %d, '):format(spread.runs, spread.skipped)))
  end
  if profile.has_libraries then write_objects(profile, write) end
  write_array(write, "cycles", cycle_texts(profile))
  write_array(write, "functions",
    function_texts(profile, extract.functions(profile, options), options))
  write_array(write, "arcs", arc_texts(profile), true)
  write "}\n"
end
