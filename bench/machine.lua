--- Describes the environment of a measurement: the machine, the versions of the programs, the date.
--
-- @module bench.machine
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

local machine = {}

local function first_line(command)
  return (shell.capture(command .. " 2>&1") or "unknown version"):match("[^\n]*")
end

--- Describes processor, memory and system.
local function hardware()
  local cpuinfo = shell.read("/proc/cpuinfo") or ""
  local _, cores = cpuinfo:gsub("processor%s*:", "")
  local memory = (shell.read("/proc/meminfo") or ""):match("MemTotal:%s*(%d+)")
  return ("%d x %s, %.1f GB, %s"):format(cores, cpuinfo:match("model name%s*:%s*([^\n]+)") or "unknown",
    (memory or 0) / 1024 ^ 2, first_line("uname -srm"))
end

--- Returns the description as Markdown.
-- @tparam table options of the command line: `gnu` and `ours`
function machine.describe(options)
  return table.concat({
    "- Machine: " .. hardware(),
    "- GNU: " .. first_line(options.gnu .. " --version"),
    "- Ours: " .. first_line(options.ours .. " --version"),
    "- Lua: " .. first_line("lua5.4 -v"):match("^Lua [%d.]+") .. ", GCC: " .. first_line("gcc -dumpfullversion"),
    ("- Date: %s, load %s, stack limit %s kB"):format(os.date("!%Y-%m-%d %H:%M UTC"),
      (shell.read("/proc/loadavg") or "unknown"):match("^%S+"), first_line("ulimit -s")),
  }, "\n") .. "\n"
end

return machine
