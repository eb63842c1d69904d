--- What is known of a Lua program of bench/lua: the times of its parts, which it measures, and those of a profile.
--
-- @module bench.lua_parts
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

local lua_parts = {}

--- Returns the processor time of each part, and of all.
-- @tparam string output of the program
-- @treturn {number,...} seconds
-- @treturn number
function lua_parts.times(output)
  local parts, sum = {}, 0
  for seconds in output:gmatch "part %d+ ([%d.]+)" do
    parts[#parts + 1], sum = tonumber(seconds), sum + seconds
  end
  return parts, sum
end

--- Returns the places of the parts, which a program returns in its last line.
-- @tparam string program
-- @treturn {string,...} such as "json.lua:7"
function lua_parts.places(program)
  local text, places = shell.read(("bench/lua/%s.lua"):format(program)), {}
  local names, number = {}, 0
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    local name = line:match "^local function (%w+)"
    if name then names[name] = number end
  end
  for name in text:match "return { ([^}]*) }\n$":gmatch "%w+" do
    places[#places + 1] = ("%s.lua:%d"):format(program, names[name])
  end
  return places
end

--- Reads a profile of `gprof.lua --record`.
-- @tparam string path
-- @treturn table functions by place, or by name if they have none: `name`, `calls`, and `self` and `total` in seconds
-- @treturn number the self time of all
function lua_parts.profile(path)
  local functions, sum = {}, 0
  for line in shell.capture("lua5.4 gprof.lua --export=csv " .. shell.quote(path)):gmatch "\n([^\n]+)" do
    local fields = {}
    for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
    local key = fields[3] ~= "" and ("%s:%s"):format(fields[3]:match "[^/]*$", fields[4]) or fields[1]
    local self, calls = tonumber(fields[6]), tonumber(fields[9]) + (tonumber(fields[10]) or 0)
    functions[key] = { name = fields[1], self = self, total = self + tonumber(fields[7]), calls = calls }
    sum = sum + self
  end
  return functions, sum
end

return lua_parts
