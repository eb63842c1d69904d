#!/usr/bin/env lua5.4
-- Prints the functions with most self time as CSV, for spreadsheets and other tools:
--
--     lua5.4 examples/top.lua N IMAGE PROFILE... > top.csv
--
-- Prints a header and one row for each of the first N functions of the flat profile.
-- Several profiles are summed. Unknown values, such as the file and line of a function
-- without debugging information, are empty fields.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("top.lua: ", message, "\n")
  os.exit(1)
end

-- Formats a field (RFC 4180): quoted if necessary, with inner quotes doubled.
local function field(value)
  local text = tostring(value or "")
  return text:find '[",\r\n]' and '"' .. text:gsub('"', '""') .. '"' or text
end

local function number(time)
  return ("%.4f"):format(time)
end

local function write_row(...)
  local fields = table.pack(...)
  for i = 1, fields.n do fields[i] = field(fields[i]) end
  io.write(table.concat(fields, ","), "\n")
end

check(arg[3], "usage: top.lua N IMAGE PROFILE...")
local most = math.tointeger(tonumber(arg[1]))
check(most and most > 0, ("N must be a positive integer, not '%s'"):format(arg[1]))
local image = check(gprof.image(arg[2]))
local data = check(gprof.data(image, table.unpack(arg, 3)))
check(data.has_histogram, "the profiles have no histogram, so there are no times")
local profile = check(gprof.profile(image, data))

local unit <const> = profile.unit
write_row("name", "file", "line", "self " .. unit, "children " .. unit, "calls")
for name, file, line, self, children, calls in
  profile:functions("self", "name", "file", "line", "self", "children", "calls") do
  if most == 0 then break end
  write_row(name, file, line, number(self), number(children), calls)
  most = most - 1
end
