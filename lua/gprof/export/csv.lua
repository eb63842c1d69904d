--- CSV (RFC 4180) with one row for each function.
--
-- @module gprof.export.csv
-- SPDX-License-Identifier: GPL-3.0-or-later

local csv = require "gprof.format.csv"
local extract = require "gprof.analysis.extract"

local columns <const> = {
  "name", "symbol", "file", "line", "address", "self", "children", "ticks", "calls",
  "self_calls",
}

--- Writes the functions of a profile as CSV.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: also write functions without time and
--   calls
-- @tparam stream write
return function(profile, options, write)
  write(csv.row(columns, #columns))
  for _, id in ipairs(extract.functions(profile, extract.arcs(profile), options)) do
    local values = { profile:get(id, table.unpack(columns)) }
    values[5] = values[5] and ("0x%x"):format(values[5])
    write(csv.row(values, #columns))
  end
end
