--- Writes rows of comma-separated values (RFC 4180).
--
-- @internal gprof.format.csv
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"
local json = require "gprof.format.json"

local csv = {}

local function field(value)
  if value == nil then return "" end
  if type(value) == "number" then return json.number(value) end
  local text = escape.utf8(value)
  return text:find '[,"\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text
end

--- Formats values.
-- @tparam table values strings and numbers; nil becomes an empty field
-- @tparam integer count number of fields
-- @treturn string
function csv.fields(values, count)
  local fields = {}
  for i = 1, count do fields[i] = field(values[i]) end
  return table.concat(fields, ",")
end

--- Formats a row.
-- @tparam table values as for `csv.fields`
-- @tparam integer count number of fields
-- @treturn string the row, including the line ending
function csv.row(values, count)
  return csv.fields(values, count) .. "\r\n"
end

return csv
