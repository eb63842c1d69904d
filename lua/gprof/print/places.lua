--- Places of functions, which follow their names: "file.c:12", unless the name has it.
--
-- @internal gprof.print.places
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"

local places = {}

-- Whether the name of a Lua function has its place, as in "callback of f (main.lua:7)".
local function has_place(name, file, line)
  local place = (" %s:%d"):format(common.file(file, {}), line)
  return name:gsub("[(/]", " "):find(place, 1, true) or name:find "^main chunk of "
end

-- Returns what follows the name of a function: its place, unless the name has it.
local function place_of(name, file, line, options)
  if not file or line and has_place(name, file, line) then return "" end
  return (" (%s%s)"):format(common.file(file, options), line and ":" .. line or "")
end

--- Returns what follows the names of functions.
-- @tparam profile profile
-- @tparam table options `print_path`
-- @treturn {[integer]=string} by number
function places.of(profile, options)
  local found = {}
  for id, name, file, line in profile:functions(nil, "id", "name", "file", "line") do
    found[id] = place_of(name, file, line, options)
  end
  return found
end

--- Returns what follows the name of a row of a comparison.
-- @tparam table row
-- @tparam profile profile the new profile
-- @tparam table options `print_path`
-- @treturn string
function places.of_row(row, profile, options)
  local file, line = require "gprof.print.failures".place(row, profile)
  return place_of(row.name, file, line, options)
end

return places
