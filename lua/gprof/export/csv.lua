--- CSV (RFC 4180) with one row for each function.
--
-- @module gprof.export.csv
-- SPDX-License-Identifier: GPL-3.0-or-later

local csv = require "gprof.format.csv"
local extract = require "gprof.analysis.extract"
local labels = require "gprof.print.labels"

local columns <const> = {
  "name", "symbol", "file", "line", "address", "self", "children", "ticks", "calls",
  "self_calls",
}

-- Additional columns, if the spread is known: for times and for calls.
local of_spread <const> = { "mean", "min", "max", "deviation", "lost", "ratio", "runs",
  "who" }

-- Returns the names of all columns. `object` is a column only if there are libraries.
local function names_of(profile)
  local names = table.move(columns, 1, #columns, 1, {})
  names[#names + 1] = profile.has_libraries and "object" or nil
  for _, field in ipairs(profile.spread and { "self", "calls" } or {}) do
    for _, name in ipairs(of_spread) do names[#names + 1] = field .. "_" .. name end
  end
  return names
end

-- Adds the values of the spread after the `last` value.
local function add_spread(values, last, spread)
  for _, field in ipairs { "self", "calls" } do
    local amounts = spread and spread[field] or {}
    for i, name in ipairs(of_spread) do values[last + i] = amounts[name] end
    last = last + #of_spread
  end
end

--- Writes the functions of a profile as CSV.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: also write functions without time and
--   calls; those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  local names = names_of(profile)
  local spread_columns = profile.spread and 2 * #of_spread or 0
  local shown = labels.exported(profile, options)
  write(csv.row(names, #names))
  for _, id in ipairs(extract.functions(profile, options)) do
    local values = { profile:get(id, table.unpack(names, 1, #names - spread_columns)) }
    values[1] = shown[id]
    values[5] = values[5] and ("0x%x"):format(values[5])
    if profile.spread then
      add_spread(values, #names - spread_columns, profile:get(id, "spread"))
    end
    write(csv.row(values, #names))
  end
end
