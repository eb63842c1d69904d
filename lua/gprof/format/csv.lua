--- Rows of comma-separated values, as RFC 4180 has them.
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

--- A row.
-- @tparam table values texts and numbers; what is nil is empty
-- @tparam integer count how many there are
-- @treturn string with its end
function csv.row(values, count)
  local fields = {}
  for i = 1, count do fields[i] = field(values[i]) end
  return table.concat(fields, ",") .. "\r\n"
end

return csv
