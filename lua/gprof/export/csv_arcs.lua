--- CSV (RFC 4180) with one row for each arc, that is, each pair of caller and callee.
--
-- @module gprof.export.csv_arcs
-- SPDX-License-Identifier: GPL-3.0-or-later

local csv = require "gprof.format.csv"
local json = require "gprof.format.json"
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
  local shown, fields_of = labels.exported(profile, options), {}
  local function place(id)
    local file, address = profile:get(id, "file", "address")
    local fields = { shown[id], file, address and ("0x%x"):format(address) }
    fields_of[id] = csv.fields(fields, 3)
    return fields_of[id]
  end
  local function object(id) return csv.fields({ (profile:get(id, "object")) }, 1) end
  local names = table.move(columns, 1, #columns, 1, {})
  if profile.has_libraries then table.move(of_libraries, 1, 2, #names + 1, names) end
  write(csv.row(names, #names))
  local number = json.number
  for caller, callee, count, self, children, printed in
    profile:arcs("id", "caller_id", "callee_id", "count", "self", "children", "printed")
  do
    if printed then
      write("%s,%s,%d,%s,%s", fields_of[caller] or place(caller),
        fields_of[callee] or place(callee), count, number(self), number(children))
      if profile.has_libraries then write(",%s,%s", object(caller), object(callee)) end
      write "\r\n"
    end
  end
end
