--- Generates a large program and its profiles, like the inputs of the benchmarks, and prints their paths.
--
--     lua5.4 bench/generate.lua DIRECTORY [OPTION=VALUE...]
--
-- The options are the keys of `programs.defaults` in bench/programs.lua, such as functions=10000 and debug=true.
--
-- @script generate
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path

local programs = require "bench.programs"

--- Converts a value to the type of the option.
local function value_of(option, text)
  local kind = type(programs.defaults[option])
  if kind == "number" then return math.tointeger(tonumber(text)) or tonumber(text) end
  if kind == "boolean" then return text == "true" end
  return text
end

local options = {}
for i = 2, #arg do
  local option, text = arg[i]:match("^(%l+)=(.+)$")
  options[option or arg[i]] = option and value_of(option, text) or ""
end
if not arg[1] then error("usage: lua5.4 bench/generate.lua DIRECTORY [OPTION=VALUE...]", 0) end
local image, profiles = programs.build(arg[1], options)
print(image, table.concat(profiles, "\t"))
