-- Runs MPI programs under the libraries that add up their profiles (see doc/mpi.md).
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local mpi = {}

local fixtures <const> = program.root .. "/spec/fixtures/mpi/"

--- The implementations of MPI. mpirun of Open MPI needs options to run as root, to run more ranks than there are
-- processors, and to let the other ranks live if one of them dies.
mpi.engines = {
  { name = "Open MPI", id = "openmpi", options = { "--allow-run-as-root", "--oversubscribe" },
    survive = { "--enable-recovery" } },
  { name = "MPICH", id = "mpich", options = {}, survive = { "-disable-auto-cleanup" } },
}
for _, engine in ipairs(mpi.engines) do
  engine.library = ("%s/build/libgprof-%s.so"):format(program.root, engine.id)
end

--- Returns what an engine lacks; nil if it can be used.
-- @tparam table engine
-- @treturn string|nil
function mpi.lack(engine)
  if not shell.installed("mpirun." .. engine.id) then return "mpirun." .. engine.id end
  if not shell.exists(engine.library) then return "make mpi" end
end

local function append(list, more)
  return table.move(more or {}, 1, more and #more or 0, #list + 1, list)
end

--- Compiles a fixture.
-- @tparam table engine
-- @tparam string source "ranks.c" or "ranks.f90"
-- @tparam[opt] table options `flags`; `name` of the program ("ranks"); `edit`, a function that changes the source
-- @treturn table `image` (path)
function mpi.compile(engine, source, options)
  options = options or {}
  local dir = shell.tmpdir "mpi"
  local compiler = source:find "%.c$" and "mpicc." or "mpifort."
  local text = shell.read(fixtures .. source)
  shell.write(dir .. "/" .. source, options.edit and options.edit(text) or text)
  local argv = { compiler .. engine.id, "-g", "-O0", "-pthread", "-I" .. fixtures, "-o", options.name or "ranks",
    source }
  shell.check(append(argv, options.flags or { "-pg" }), { cwd = dir })
  return { image = dir .. "/" .. (options.name or "ranks") }
end

--- Runs a job in a new directory.
-- @tparam table engine
-- @tparam integer count number of ranks
-- @tparam table built as returned by `compile`; or a list of such tables, each with a number of ranks as `count`
-- @tparam[opt] table options `env`; `recorder`: whether the recorder is preloaded, too; `mpi`, the value of GPROF_MPI;
--   `survive`: other ranks live on if one dies; `linked`: the program contains the library
-- @treturn table as `shell.run` returns it; `dir`, the directory
function mpi.run(engine, count, built, options)
  options = options or {}
  local argv = append({ "mpirun." .. engine.id }, engine.options)
  append(argv, options.survive and engine.survive)
  local env = { "env", "GPROF_MPI=" .. (options.mpi or "parts") }
  if not options.linked then
    env[#env + 1] = "LD_PRELOAD=" .. engine.library .. (options.recorder and ":" .. recorder.library or "")
  end
  for i, part in ipairs(built.image and { built } or built) do
    if i > 1 then argv[#argv + 1] = ":" end
    append(append(argv, { "-n", tostring(part.count or count) }), env)
    argv[#argv + 1] = part.image
  end
  local dir = options.dir or shell.tmpdir "job"
  local variables = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false }
  for name, value in pairs(options.env or {}) do variables[name] = value end
  local result = shell.run(argv, { cwd = dir, env = variables, timeout = true })
  result.dir = dir
  return result
end

--- Returns the messages of the libraries in what a job printed to standard error.
-- @tparam table result
-- @treturn string lines
function mpi.messages(result)
  local lines = {}
  for line in result.stderr:gmatch "[^\n]*libgprof[^\n]*\n" do lines[#lines + 1] = line end
  table.sort(lines)
  return table.concat(lines)
end

--- Checks that a sum is byte for byte what `gprof.lua -s` makes of parts, and that there is no other file.
-- @tparam table result
-- @tparam table built
-- @tparam {string,...} parts names of files, in the order of the ranks
-- @tparam[opt="gmon.sum"] string name of the sum
function mpi.check_sum(result, built, parts, name)
  name = name or "gmon.sum"
  local expected = shell.tmpdir "expected" .. "/sum"
  local summed = program.run({ "-s", "--sum-file=" .. expected, built.image, table.unpack(parts) },
    { cwd = result.dir })
  assert(summed.status == 0 and summed.stderr == "", summed.stderr)
  for _, suffix in ipairs { "", ".ctx" } do
    local path = result.dir .. "/" .. name .. suffix
    assert(shell.exists(path) == shell.exists(expected .. suffix), path)
    if shell.exists(path) then shell.check { "cmp", expected .. suffix, path } end
  end
end

--- Returns the names "NAME.RANK" of parts.
-- @tparam integer first rank
-- @tparam integer last rank
-- @tparam[opt] table missing set of ranks
-- @tparam[opt="gmon.sum"] string name
-- @treturn {string,...}
function mpi.parts(first, last, missing, name)
  local parts = {}
  for rank = first, last do
    if not (missing and missing[rank]) then parts[#parts + 1] = ("%s.%d"):format(name or "gmon.sum", rank) end
  end
  return parts
end

--- Returns how often a function was called, by all files that have a name.
-- @tparam table result
-- @tparam table built
-- @tparam string callee
-- @tparam string pattern Lua pattern of the names
-- @treturn integer calls
-- @treturn integer number of files
function mpi.calls(result, built, callee, pattern)
  local calls, files = 0, 0
  for name in shell.listing(result.dir):gmatch "[^\n]+" do
    if name:find(pattern) and not name:find "%.ctx$" then
      local arcs = recorder.arcs(built, result.dir .. "/" .. name)
      calls, files = calls + (arcs[callee] or 0), files + 1
    end
  end
  return calls, files
end

return mpi
