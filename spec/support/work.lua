-- Counts the instructions that the library executes. Unlike time, the count does not depend on the machine's load.
--
-- All chunks run in one process under callgrind. It starts counting at a call to `strftime`, and dumps the count before
-- a call to `setlocale`. Nothing else calls these two functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local shell = require "support.shell"

local work = {}

--- Tells whether valgrind is installed.
-- @treturn boolean
function work.countable()
  return shell.run({ "valgrind", "--version" }).status == 0
end

-- Runs chunks of Lua, each after a full garbage collection. They share the library and `run`, which runs the program in
-- this process.
local driver <const> = [==[
gprof = require "gprof"
core = require "gprof.core"
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

-- Runs chunks under callgrind. `prefix` is a shell command, such as an assignment of environment variables. Returns the
-- instructions of each chunk.
local function run(dir, chunks, prefix)
  local counts = {}
  for number, text in ipairs(chunks) do
    shell.write(("%s/%d"):format(dir, number), text)
  end
  local result = launch.script(driver, { dir, #chunks }, { cwd = dir, line = prefix .. ' exec valgrind ' ..
    '--tool=callgrind --callgrind-out-file=count --zero-before=strftime --dump-before=setlocale "$@" >/dev/null' })
  assert(result.status == 0, result.stderr)
  for number in ipairs(chunks) do
    counts[number] = tonumber(shell.read(("%s/count.%d"):format(dir, number)):match "\ntotals: (%d+)")
  end
  return counts
end

--- Counts the instructions of chunks of Lua.
-- @tparam {string,...} chunks sources, in which `gprof` is the library, and `run(...)` runs the program with arguments
-- @treturn {integer,...} instructions of each chunk
function work.count(chunks)
  return run(shell.tmpdir "work", chunks, "")
end

--- Counts the instructions of chunks of Lua, and measures their memory.
-- @tparam {string,...} chunks as for `count`
-- @treturn {integer,...} instructions of each chunk
-- @treturn {integer,...} bytes by which the heap grew, at its peak, while each chunk ran
function work.measure(chunks)
  local dir, peaks = shell.tmpdir "work", {}
  shell.check { "cc", "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE", "-Werror", "-Wall", "-o", dir .. "/peak.so",
    build.fixture "peak.c" }
  local counts = run(dir, chunks, "PEAKS=peaks LD_PRELOAD=./peak.so")
  for line in shell.read(dir .. "/peaks"):gmatch "[^\n]+" do table.insert(peaks, tonumber(line)) end
  assert(#peaks == #chunks)
  return counts, peaks
end

--- Counts the instructions of a process from its start to its end.
-- @tparam {string,...} words the command
-- @tparam[opt] table options of `shell.run`
-- @treturn integer
function work.of_process(words, options)
  local dir = shell.tmpdir "work"
  local argv = { "valgrind", "--tool=callgrind", "--callgrind-out-file=" .. dir .. "/count", table.unpack(words) }
  shell.check(argv, options)
  return tonumber(shell.read(dir .. "/count"):match "\ntotals: (%d+)")
end

return work
