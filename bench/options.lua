--- The command line of bench/run.lua.
--
-- @module bench.options
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

local options = {}

options.usage = [[
usage: lua5.4 bench/run.lua [options] [row...]

  --quick           one run of each instead of five
  --runs=N          runs of each (5)
  --once=SECONDS    a program that takes longer than this on a row runs only once there (10)
  --timeout=SECONDS a run is stopped after this time (120)
  --large           rows of real programs, which are built from Debian's binutils-source
  --binutils=DIR    those programs are built there already
  --check           compare the output of ours under --gnu-compat with GNU's, too
  --ours=COMMAND    our program, by its full path (lua5.4 gprof.lua)
  --gnu=COMMAND     GNU's (gprof)
  --inputs=DIR      where programs and profiles are made, and kept (build/bench)
  --output=FILE     write the report to FILE as well
  --list            tell the rows and stop
]]

local FLAGS <const> = { check = true, list = true, large = true, help = true }
local TEXTS <const> = { ours = true, gnu = true, inputs = true, output = true, binutils = true }
local NUMBERS <const> = { runs = true, once = true, timeout = true }

--- Sets the option of one argument; false if there is none such.
local function set(all, argument)
  local key, value = argument:match("^%-%-(%l+)=?(.*)$")
  if argument == "--quick" then
    all.runs = 1
  elseif FLAGS[key] and value == "" then
    all[key] = true
  elseif TEXTS[key] and value ~= "" then
    all[key] = value
  elseif NUMBERS[key] and (math.tointeger(tonumber(value)) or 0) > 0 then
    all[key] = math.tointeger(tonumber(value))
  else
    return false
  end
  return true
end

--- Reads a command line; an error if it makes no sense.
-- @tparam {string,...} arguments
-- @treturn table by name; and `rows`, names of rows
function options.parse(arguments)
  local here = assert(shell.capture "pwd")
  local all = { runs = 5, once = 10, timeout = 120, ours = "lua5.4 " .. shell.quote(here .. "/gprof.lua"),
                gnu = "gprof", inputs = "build/bench", rows = {} }
  for _, argument in ipairs(arguments) do
    if not argument:find("^%-") then
      table.insert(all.rows, argument)
    elseif not set(all, argument) then
      error("no such option, or not such a value: " .. argument, 0)
    end
  end
  if not all.inputs:find("^/") then all.inputs = here .. "/" .. all.inputs end
  return all
end

return options
