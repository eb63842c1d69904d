-- Repeats runs with a fault injected at every possible place, or at a random sample of places.
-- SPDX-License-Identifier: GPL-3.0-or-later

local launch = require "support.launch"
local shell = require "support.shell"

local faults = {}

--- Whether a fault is injected at every place (`make faults`).
faults.all = os.getenv "GPROF_FAULTS" == "all"

--- The random seed: GPROF_SEED selects other places and moments. Failures show it.
faults.seed = tonumber(os.getenv "GPROF_SEED") or 1
math.randomseed(faults.seed)

--- Chooses a number of tries.
-- @tparam integer many under `make faults`
-- @tparam integer few otherwise
-- @treturn integer
function faults.count(many, few)
  return faults.all and many or few
end

--- Under `make faults`, prints a line about the faults that were tried.
function faults.tell(...)
  if faults.all then print((...):format(select(2, ...))) end
end

--- Runs a shell command for n = 0, 1, 2 ... below `size`, or for about `few` of these numbers, beginning at a random
-- one. Each run prints its result in a line that begins with n.
-- @tparam string line shell command, in which "$@" is the program with its arguments, and $n the number
-- @tparam {string,...} arguments
-- @tparam integer size
-- @tparam integer few
-- @tparam function check takes n and the rest of its line; returns whether the result is right
-- @tparam[opt] table options as for `shell.run`
function faults.each_place(line, arguments, size, few, check, options)
  local step = faults.all and 1 or math.max(1, size // few)
  local first = math.random(0, step - 1)
  local loop = ("n=%d\nwhile [ $n -lt %d ]; do\n%s\nn=$((n + %d))\ndone"):format(first, size, line, step)
  local result = launch.line(loop, arguments, options)
  local next = first
  for number, message in result.stdout:gmatch "(%d+) ([^\n]*)\n" do
    local label = ("GPROF_SEED=%d: at %s of %d: %s"):format(faults.seed, number, size, message)
    assert(tonumber(number) == next and check(next, message), label)
    next = next + step
  end
  assert(next >= size and result.stderr == "", ("GPROF_SEED=%d: stops at %d of %d: %s%s"):format(faults.seed, next,
    size, result.stderr, result.stdout:sub(-300)))
  faults.tell("%s: %d places", table.concat(arguments, " "):gsub("%S*/", ""), (size - first + step - 1) // step)
end

--- Measures how long a shell command takes.
-- @tparam string line as for `each_place`
-- @tparam {string,...} arguments
-- @tparam[opt] table options
-- @treturn number seconds
function faults.duration(line, arguments, options)
  local timed = "a=$(date +%s%N)\n" .. line .. "\necho $(($(date +%s%N) - a))"
  local result = launch.line(timed, arguments, options)
  return assert(tonumber(result.stdout:match "(%d+)\n$"), result.stderr) / 1e9
end

--- Writes files to a directory.
-- @tparam {[string]=string} files contents, keyed by name
-- @tparam[opt] string dir default: a new directory
-- @treturn string
function faults.directory(files, dir)
  dir = dir or shell.tmpdir "faults"
  for name, text in pairs(files) do shell.write(dir .. "/" .. name, text) end
  return dir
end

return faults
