--- A baseline: the counts and times of one or several runs, for later comparisons. It is
-- made to be kept in a repository: JSON lines, one for each function, in a fixed order,
-- without addresses and dates. doc/export.md describes the format.
--
-- @module gprof.export.baseline
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local collection = require "gprof.library.collection"
local column_order = require "gprof.format.column_order"
local compare = require "gprof.compare"
local escape = require "gprof.format.escape"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local json = require "gprof.format.json"
local path_share = require "gprof.analysis.path_share"
local source_root = require "gprof.library.files.source_root"

local need <const> = failure.need

-- Increment VERSION with every incompatible change.
local FORMAT <const>, VERSION <const> = "gprof-baseline", 1

-- A spread below this part of the mean is a rounding error.
local ROUNDING <const> = 1e-9

-- Figures -------------------------------------------------------------------------------

-- The figures of a function are arrays with a value for each run. A run in which the
-- function did not occur has no value, which stands for 0.

local function range_of(values, runs)
  local least, most, sum = math.huge, 0, 0
  for run = 1, runs do
    local value = values[run] or 0
    least, most, sum = math.min(least, value), math.max(most, value), sum + value
  end
  return math.tointeger(least) or least, sum / runs, math.tointeger(most) or most
end

local function rounded(value, digits)
  return json.number(tonumber(("%." .. digits .. "g"):format(value)))
end

-- Formats counts: the count, or if the runs differ, the lowest, mean and highest.
local function count_text(values, runs)
  local least, mean, most = range_of(values, runs)
  if least == most then return json.number(least) end
  return ("[%s, %s, %s]"):format(json.number(least), rounded(mean, 6), json.number(most))
end

-- Formats times: the time, or for several runs, the mean and the standard deviation. More
-- digits would only be noise.
local function time_text(values, runs)
  local _, mean = range_of(values, runs)
  if runs == 1 then return rounded(mean, 5) end
  local squares = 0
  for run = 1, runs do squares = squares + ((values[run] or 0) - mean) ^ 2 end
  local spread = math.sqrt(squares / (runs - 1))
  if spread < ROUNDING * mean then spread = 0 end
  return ("[%s, %s]"):format(rounded(mean, 5), rounded(spread, 2))
end

-- Runs ----------------------------------------------------------------------------------

-- Adds a value to a run of a figure.
local function add(values, run, value)
  values[run] = (values[run] or 0) + value
end

-- Returns the entry of a function in `entries`, which is keyed by name and file. Both are
-- escaped as in the file, which has one line for each key, in the order of the keys.
local function entry_of(entries, f, root)
  local name, file = escape.utf8(f.name), source_root.relative(f.file, root)
  file = file and escape.utf8(file)
  local key = name .. "\0" .. (file or "")
  entries[key] = entries[key] or { name = name, file = file, calls = {},
    self_calls = {}, blocks = {}, self = {}, total = {}, callees = {} }
  return entries[key]
end

local counts <const> = { "calls", "self_calls", "blocks" }

-- Adds a run: a side (see gprof.compare).
local function add_run(entries, side, run, root)
  local rate, by_function = side.rate or 1, {}
  for _, f in ipairs(side.functions) do
    local entry = entry_of(entries, f, root)
    by_function[f] = entry
    for _, name in ipairs(counts) do add(entry[name], run, f[name]) end
    add(entry.self, run, f.ticks / rate)
    add(entry.total, run, f.whole_ticks / rate)
  end
  for caller, callee, count in side.arcs() do
    local from, to = by_function[caller], by_function[callee]
    if from and to and from ~= to and count > 0 then
      from.callees[to] = from.callees[to] or {}
      add(from.callees[to], run, count)
    end
  end
end

-- Writing -------------------------------------------------------------------------------

local function is_zero(values)
  for _, value in pairs(values) do
    if value ~= 0 then return false end
  end
  return true
end

local function is_idle(entry)
  for _, name in ipairs { "calls", "self_calls", "blocks", "self", "total" } do
    if not is_zero(entry[name]) then return false end
  end
  return not next(entry.callees)
end

-- Returns the entries in order, each with its `label`: its name, with the file if several
-- functions have the name.
local function sorted(entries)
  local list, seen = {}, {}
  for _, entry in pairs(entries) do
    if not is_idle(entry) then
      list[#list + 1] = entry
      seen[entry.name] = (seen[entry.name] or 0) + 1
    end
  end
  for _, entry in ipairs(list) do
    entry.label = seen[entry.name] == 1 and entry.name or
      ("%s (%s)"):format(entry.name, entry.file or "")
  end
  local names, files = {}, {}
  for i, entry in ipairs(list) do names[i], files[i] = entry.name, entry.file or "" end
  local order = column_order.by { names, files }
  return order and column_order.picked(list, order) or list
end

local function callees_text(entry, runs)
  local texts = {}
  for callee, values in pairs(entry.callees) do
    texts[("%s: %s"):format(json.string(callee.label), count_text(values, runs))] = true
  end
  return "{" .. table.concat(column_order.keys(texts), ", ") .. "}"
end

local function entry_text(entry, whole)
  local runs, parts = whole.runs, { '{"name": ' .. json.string(entry.name) }
  local function field(name, text) parts[#parts + 1] = ('"%s": %s'):format(name, text) end
  if entry.file then field("file", json.string(entry.file)) end
  for _, name in ipairs(counts) do
    if not is_zero(entry[name]) then field(name, count_text(entry[name], runs)) end
  end
  for _, name in ipairs(whole.unit and { "self", "total" } or {}) do
    if not is_zero(entry[name]) then field(name, time_text(entry[name], runs)) end
  end
  if next(entry.callees) then field("callees", callees_text(entry, runs)) end
  return table.concat(parts, ", ") .. "}"
end

local header_of <const> = json.object { "format", "version", "runs", "functions", "unit",
  "rate", "ticks_per_sample", "coverage", "calls", "blocks", "exact", "libraries",
  "inlines", "lost_calls" }

local function header_text(whole, list, options)
  local start = header_of(FORMAT, VERSION, whole.runs, #list, whole.unit, whole.rate,
    whole.ticks_per_sample, whole.coverage, whole.counted, whole.has_blocks, whole.exact,
    whole.has_libraries, whole.has_inlines, whole.loses_calls)
  local paths = whole.path_share < 1 and
    (', "path_share": %s'):format(rounded(whole.path_share, 5)) or ""
  return ('%s%s, "include": %s, "exclude": %s, "total": %s}'):format(start:sub(1, -2),
    paths, json.arrays(options.include or {}), json.arrays(options.exclude or {}),
    whole.unit and time_text(whole.total, whole.runs) or "null")
end

-- Returns the profiles of the runs, one at a time. All of them are in `profile`; each is
-- read again.
local function each_run(profile, options)
  local files, run = profile.data.files, 0
  if not files[2] then return coroutine.wrap(function() coroutine.yield(profile) end) end
  return function()
    run = run + 1
    local file = files[run]
    if not file then return nil end
    if file.path == "-" then
      failure.raise "standard input: cannot be one of several runs of a baseline"
    end
    local data = need(gprof.data(profile.image, file.path, {
      file_format = options.file_format, mixed_rates = true, slide = options.slide,
      assume_proportional = options.assume_proportional }))
    local picked = arguments.pick(options, "profile")
    picked.missed, picked.debug = function() end, nil
    return need(gprof.profile(profile.image, data, picked))
  end
end

--- Writes the baseline of a profile, whose files are one run each.
-- @tparam profile profile by function
-- @tparam table options those of the profile and its data; `source_root`: the directory
--   to which the paths of source files are relative
-- @tparam stream write
-- @raise a table with the field `message`
return function(profile, options, write)
  local entries, whole = {}, { runs = 0, total = {} }
  for run_profile in each_run(profile, options) do
    local side = compare.side(run_profile, 1)
    whole.runs = whole.runs + 1
    if whole.runs > 1 and (side.rate ~= whole.rate or side.unit ~= whole.unit) then
      failure.raise("%s: has another sampling rate or unit than %s",
        profile.data.files[whole.runs].path, profile.data.files[1].path)
    end
    whole.rate, whole.unit = side.rate, side.unit
    whole.ticks_per_sample = side.rate and profile.ticks_per_sample
    whole.coverage = side.rate and profile.coverage
    whole.total[whole.runs] = side.ticks / (side.rate or 1)
    add_run(entries, side, whole.runs, options.source_root)
  end
  whole.counted, whole.has_blocks = profile.data.has_arcs, profile.data.block_records > 0
  whole.exact, whole.has_libraries = profile.exact, profile.has_libraries
  whole.path_share = path_share.of(profile)
  whole.has_inlines = profile.has_inlines
  whole.loses_calls = collection.may_lose_calls(profile)
  local list = sorted(entries)
  if not list[1] then
    failure.raise("%s: no function has samples or calls, so there is no baseline",
      profile.data.files[1].path)
  end
  write(header_text(whole, list, options) .. "\n")
  for _, entry in ipairs(list) do write(entry_text(entry, whole) .. "\n") end
end
