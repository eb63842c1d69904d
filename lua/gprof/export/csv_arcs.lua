--- CSV (RFC 4180) with one row for each arc, that is, each pair of caller and callee.
--
-- @module gprof.export.csv_arcs
-- SPDX-License-Identifier: GPL-3.0-or-later

local csv = require "gprof.format.csv"
local extract = require "gprof.analysis.extract"
local labels = require "gprof.print.labels"

local columns <const> = {
  "caller", "caller_file", "caller_address", "callee", "callee_file", "callee_address",
  "count", "self", "children",
}

-- Additional columns, if there are libraries.
local of_libraries <const> = { "caller_object", "callee_object" }

--- Writes the arcs of a profile as CSV.
-- @tparam profile profile
-- @tparam table options those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  local shown = labels.exported(profile, options)
  local function place(id)
    local file, address = profile:get(id, "file", "address")
    return shown[id], file, address and ("0x%x"):format(address)
  end
  local names = table.move(columns, 1, #columns, 1, {})
  if profile.has_libraries then table.move(of_libraries, 1, 2, #names + 1, names) end
  write(csv.row(names, #names))
  for _, arc in ipairs(extract.arcs(profile)) do
    local values = {}
    values[1], values[2], values[3] = place(arc.caller)
    values[4], values[5], values[6] = place(arc.callee)
    values[7], values[8], values[9] = arc.count, arc.self, arc.children
    values[10] = profile:get(arc.caller, "object")
    values[11] = profile:get(arc.callee, "object")
    write(csv.row(values, #names))
  end
end
