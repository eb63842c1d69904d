--- Comma-separated values, as RFC 4180 has them: the calls, a row for each pair of caller
-- and callee.
--
-- @module gprof.export.csv_arcs
-- SPDX-License-Identifier: GPL-3.0-or-later

local csv = require "gprof.format.csv"
local extract = require "gprof.analysis.extract"

local columns <const> = {
  "caller", "caller_file", "caller_address", "callee", "callee_file", "callee_address",
  "count", "self", "children",
}

--- Writes it.
-- @tparam profile profile
-- @tparam table _ options
-- @tparam stream write
return function(profile, _, write)
  local function place(id)
    local name, file, address = profile:get(id, "name", "file", "address")
    return name, file, ("0x%x"):format(address)
  end
  write(csv.row(columns, #columns))
  for _, arc in ipairs(extract.arcs(profile)) do
    local values = {}
    values[1], values[2], values[3] = place(arc.caller)
    values[4], values[5], values[6] = place(arc.callee)
    values[7], values[8], values[9] = arc.count, arc.self, arc.children
    write(csv.row(values, #columns))
  end
end
