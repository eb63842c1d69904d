--- The command line of bench/run.lua.
--
-- @module bench.options
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

local options = {}

options.usage = [[
usage: lua5.4 bench/run.lua [options] [row...]

  --quick           one run of each command, instead of five
  --runs=N          runs of each command (default: 5)
  --once=SECONDS    a command that takes longer than this runs only once (default: 10)
  --timeout=SECONDS stop a run after this time (default: 120)
  --large           rows with real programs, built from Debian's binutils-source
  --binutils=DIR    the directory where these programs are already built
  --check           also compare our output under --gnu-compat with GNU gprof's
  --ours=COMMAND    our program, by absolute path (default: lua5.4 gprof.lua)
  --gnu=COMMAND     GNU gprof (default: gprof)
  --inputs=DIR      directory for programs and profiles, reused by later runs (default: build/bench)
  --output=FILE     also write the report to FILE
  --list            list the rows and exit
]]

local FLAGS <const> = { check = true, list = true, large = true, help = true }
local TEXTS <const> = { ours = true, gnu = true, inputs = true, output = true, binutils = true }
local NUMBERS <const> = { runs = true, once = true, timeout = true }

--- Sets the option of one argument; returns false if it is invalid.
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

--- Parses a command line.
-- @tparam {string,...} arguments
-- @treturn table the options by name; and `rows`, names of rows
-- @raise a string if an option is invalid
function options.parse(arguments)
  local here = assert(shell.capture "pwd")
  local all = { runs = 5, once = 10, timeout = 120, ours = "lua5.4 " .. shell.quote(here .. "/gprof.lua"),
                gnu = "gprof", inputs = "build/bench", rows = {} }
  for _, argument in ipairs(arguments) do
    if not argument:find("^%-") then
      table.insert(all.rows, argument)
    elseif not set(all, argument) then
      error("invalid option: " .. argument .. " (see --help)", 0)
    end
  end
  if not all.inputs:find("^/") then all.inputs = here .. "/" .. all.inputs end
  return all
end

return options
