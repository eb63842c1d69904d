-- Counts the instructions that work of the library takes: a measure that is the same on a busy machine.
--
-- Chunks run all in one process under valgrind: callgrind counts from a call of `strftime` on, and writes down what it
-- counted before one of `setlocale`. Nothing else calls these two.
-- SPDX-License-Identifier: GPL-3.0-or-later

local launch = require "support.launch"
local shell = require "support.shell"

local work = {}

--- Tells whether work can be counted.
-- @treturn boolean
function work.countable()
  return shell.run({ "valgrind", "--version" }).status == 0
end

-- Runs chunks of Lua, each from a clean heap. What they share are the library, and `run`, the program in this process.
local driver <const> = [==[
gprof = require "gprof"
local cli = require "gprof.cli.main"
function run(...)
  assert(cli.run { ... } == 0)
end
for number = 1, tonumber(arg[2]) do
  local chunk = assert(loadfile(arg[1] .. "/" .. number))
  collectgarbage "incremental"
  collectgarbage()
  os.date "!%Y"
  chunk()
  os.setlocale()
end
]==]

--- Counts the instructions of chunks of Lua.
-- @tparam {string,...} chunks their texts, in which `gprof` is the library, and `run(...)` runs the program with
--   these arguments
-- @treturn {integer,...}
function work.count(chunks)
  local dir, counts = shell.tmpdir "work", {}
  for number, text in ipairs(chunks) do
    shell.write(("%s/%d"):format(dir, number), text)
  end
  local result = launch.script(driver, { dir, #chunks }, { cwd = dir, line = 'exec valgrind --tool=callgrind ' ..
    '--callgrind-out-file=count --zero-before=strftime --dump-before=setlocale "$@" >/dev/null' })
  assert(result.status == 0, result.stderr)
  for number in ipairs(chunks) do
    counts[number] = tonumber(shell.read(("%s/count.%d"):format(dir, number)):match "\ntotals: (%d+)")
  end
  return counts
end

--- Counts the instructions of a process from its start to its end.
-- @tparam {string,...} words the command
-- @treturn integer
function work.of_process(words)
  local dir = shell.tmpdir "work"
  local argv = { "valgrind", "--tool=callgrind", "--callgrind-out-file=" .. dir .. "/count", table.unpack(words) }
  shell.check(argv)
  return tonumber(shell.read(dir .. "/count"):match "\ntotals: (%d+)")
end

return work
