--- Comma-separated values, as RFC 4180 has them: the functions, a row each.
--
-- @module gprof.export.csv
-- SPDX-License-Identifier: GPL-3.0-or-later

local csv = require "gprof.format.csv"
local extract = require "gprof.analysis.extract"

local columns <const> = {
  "name", "symbol", "file", "line", "address", "self", "children", "ticks", "calls",
  "self_calls",
}

--- Writes it.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: those without time and calls, too
-- @tparam stream write
return function(profile, options, write)
  write(csv.row(columns, #columns))
  for _, id in ipairs(extract.functions(profile, extract.arcs(profile), options)) do
    local values = { profile:get(id, table.unpack(columns)) }
    values[5] = ("0x%x"):format(values[5])
    write(csv.row(values, #columns))
  end
end
