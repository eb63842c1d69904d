-- Counts the instructions that the library executes. Unlike time, the count does not depend on the machine's load.
--
-- All chunks run in one process under cachegrind. Calls to `strftime` and `setlocale` enclose each: see
-- spec/fixtures/measured.c. Nothing else calls these two functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local shell = require "support.shell"

local work = {}

local CACHEGRIND <const> = "valgrind --tool=cachegrind --cache-sim=no"

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

local source <const> = "measured.c"

-- Returns the path of the library that is preloaded.
local function library()
  return build.compiled("measured", { "cc", "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE", "-Werror", "-Wall", "-o",
    "measured.so", source }, { [source] = shell.read(build.fixture(source)) }) .. "/measured.so"
end

-- Returns the count in a file of cachegrind.
local function total(path)
  return tonumber(shell.read(path):match "\nsummary: (%d+)")
end

--- Measures chunks of Lua.
-- @tparam {string,...} chunks sources, in which `gprof` is the library, and `run(...)` runs the program with arguments
-- @treturn {integer,...} instructions of each chunk
-- @treturn {integer,...} bytes by which the heap grew, at its peak, while each chunk ran
function work.measure(chunks)
  local dir, counts, peaks = shell.tmpdir "work", {}, {}
  for number, text in ipairs(chunks) do shell.write(("%s/%d"):format(dir, number), text) end
  local result = launch.script(driver, { dir, #chunks }, { cwd = dir, line = ([[
    MEASURED=measured LD_PRELOAD=%s exec %s --cachegrind-out-file=process.%%p "$@" >/dev/null
  ]]):format(library(), CACHEGRIND) })
  assert(result.status == 0, result.stderr)
  for from, to, peak in shell.read(dir .. "/measured"):gmatch "(%d+) (%d+) (%d+)\n" do
    table.insert(counts, total(dir .. "/count." .. to) - total(dir .. "/count." .. from))
    table.insert(peaks, tonumber(peak))
  end
  assert(#counts == #chunks)
  return counts, peaks
end

--- Counts the instructions of a process from its start to its end.
-- @tparam {string,...} words the command
-- @tparam[opt] table options of `shell.run`
-- @treturn integer
function work.of_process(words, options)
  local dir = shell.tmpdir "work"
  shell.check({ "sh", "-c", ('exec %s --cachegrind-out-file=%s/count "$@"'):format(CACHEGRIND, dir), "sh",
    table.unpack(words) }, options)
  return total(dir .. "/count")
end

return work
