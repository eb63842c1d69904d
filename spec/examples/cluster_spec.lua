-- examples/cluster: sums made in parallel are byte-identical to the sum of one process. After a failure neither a sum
-- nor a part of it is left. Commands of the documentation give each rank of an MPI job a profile of its own.
-- SPDX-License-Identifier: GPL-3.0-or-later

local cluster = require "support.cluster"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

-- The status of a shell in which MPICH's mpirun was killed by SIGPIPE, as happens now and then on a busy machine.
local SIGPIPE <const> = 128 + 13

local examples <const>, image <const>, scene <const> = cluster.examples, cluster.image, cluster.scene

-- Runs `NAME.sh ARGUMENTS...`. `env` overrides environment variables.
local function run(name, arguments, env)
  env = env or {}
  env.GPROF = env.GPROF or cluster.gprof
  return shell.run({ "sh", examples .. name .. ".sh", table.unpack(arguments) }, { env = env, timeout = true })
end

describe("parallel.sh", function()
  it("is valid shell syntax", function()
    assert.equal("", shell.check({ "sh", "-n", examples .. "parallel.sh" }).stderr)
  end)

  it("reports invalid arguments", function()
    local dir = scene()
    local empty = shell.write(dir .. "/empty", "")
    for _, case in ipairs {
      { "usage: parallel.sh PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]", "2", image },
      { "PARTS must be a positive integer, not '0'", "0", image, dir .. "/list", dir .. "/out/sum" },
      { "PARTS must be a positive integer, not 'x'", "x", image, dir .. "/list", dir .. "/out/sum" },
      { empty .. ": the list of profiles is empty", "2", image, empty, dir .. "/out/sum" },
    } do
      local result = run("parallel", { table.unpack(case, 2) })
      assert.same({ 1, "", ("parallel.sh: %s\n"):format(case[1]) }, { result.status, result.stdout, result.stderr })
    end
    assert.equal("", shell.listing(dir .. "/out"))
  end)

  if not shell.installed "parallel" then
    pending "needs parallel"
    return
  end

  local function sum(dir, count, command)
    return run("parallel", { count, image, dir .. "/list", dir .. "/out/sum", "--jobs", "2" }, { GPROF = command })
  end

  it("writes the same sum as one process", function()
    local dir = scene()
    for _, count in ipairs { "1", "3", "12" } do
      local result = sum(dir, count)
      assert.same({ 0, "" }, { result.status, result.stdout }, result.stderr)
      assert.equal(shell.read(dir .. "/expected"), shell.read(dir .. "/out/sum"))
      assert.equal("sum\n", shell.listing(dir .. "/out"))
    end
  end)

  it("writes no sum if a profile is invalid", function()
    local dir, names = scene()
    shell.write(names[5], "gmon, but not more")
    local result = sum(dir, "3")
    assert.not_equal(0, result.status)
    assert.truthy(result.stderr:find(("gprof.lua: %s: "):format(names[5]), 1, true), result.stderr)
    assert.equal("", shell.listing(dir .. "/out"))
  end)

  it("writes no sum if a process is killed", function()
    local dir = scene()
    assert.not_equal(0, sum(dir, "3", cluster.wrapper(cluster.kill_first)).status)
    assert.equal("", shell.listing(dir .. "/out"))
  end)
end)

-- mpirun needs options to run as root, and to run more ranks than there are processors.
for _, engine in ipairs {
  { name = "Open MPI", command = "mpirun.openmpi", rank = "OMPI_COMM_WORLD_RANK",
    options = { "--allow-run-as-root", "--oversubscribe" } },
  { name = "MPICH", command = "mpirun.mpich", rank = "PMI_RANK", options = {} },
} do
  describe("with " .. engine.name .. ", a command of the documentation", function()
    if not shell.installed(engine.command) then
      pending("needs " .. engine.command)
      return
    end

    -- Runs a command on three ranks of an MPI program; checks the names of the profiles, and that none is missing.
    local function check_profiles(command, names)
      local dir = shell.tmpdir "ranks"
      shell.check { "cp", cluster.ranks(), dir }
      command = command:gsub("mpirun", engine.command .. " -n 3 " .. shell.join(engine.options))
      local result
      for _ = 1, 3 do
        shell.check({ "sh", "-c", "rm -rf prof && mkdir prof" }, { cwd = dir })
        result = shell.run({ "sh", "-c", command }, { cwd = dir })
        if result.status ~= SIGPIPE then break end
      end
      assert.equal(0, result.status, result.stderr)
      assert.equal(names, (shell.listing(dir .. "/prof"):gsub("%.%d+\n", ".N\n")))
      local flat = program.run({ "-b", "-p", "app", "prof" }, { cwd = dir })
      assert.same({ 0, "", "6" }, { flat.status, flat.stderr, flat.stdout:match " (%d+) +[%d.]+ +[%d.]+ +work\n" })
    end

    it("gives each rank a profile", function()
      local command = cluster.documented "\n(mpirun sh %-c 'GMON_OUT_PREFIX=[^\n]+)\n"
        :gsub("/local/prof", "prof"):gsub("OMPI_COMM_WORLD_RANK", engine.rank)
      check_profiles(command, "gmon.0.N\ngmon.1.N\ngmon.2.N\n")
    end)

    it("gives each rank a profile of the recorder", function()
      if recorder.lack() then return pending("needs " .. recorder.lack()) end
      check_profiles("mpirun " .. cluster.gprof .. " --record --output=prof/rank-%r ./app",
        "rank-0\nrank-0.ctx\nrank-1\nrank-1.ctx\nrank-2\nrank-2.ctx\n")
    end)
  end)
end

describe("slurm.sh", function()
  -- A substitute for Slurm's sbatch that runs jobs immediately, one task after the other.
  local sbatch <const> = [[#!/bin/sh
    array=
    while :; do
      case $1 in --array=*) array=${1#--array=};; --*) ;; *) break;; esac
      shift
    done
    if [ "$array" ]; then
      for task in $(seq ${array%-*} ${array#*-}); do SLURM_ARRAY_TASK_ID=$task sh "$@" || exit 1; done >&2
    else
      sh "$@"
    fi
    echo "17;cluster"
  ]]

  local function submit(dir, ...)
    local bin = shell.tmpdir()
    shell.write(bin .. "/sbatch", sbatch)
    shell.check { "chmod", "+x", bin .. "/sbatch" }
    return shell.run({ "sh", examples .. "slurm.sh", "submit", ... },
      { cwd = dir, env = { GPROF = cluster.gprof, PATH = bin .. ":" .. os.getenv "PATH" } })
  end

  it("is valid shell syntax", function()
    assert.equal("", shell.check({ "sh", "-n", examples .. "slurm.sh" }).stderr)
  end)

  it("reports invalid arguments", function()
    local dir = scene()
    for _, case in ipairs {
      { "usage: slurm.sh submit|part|total TASKS IMAGE LIST SUM", "submit", "2", image },
      { "TASKS must be a positive integer, not '-1'", "total", "-1", image, dir .. "/list", dir .. "/out/sum" },
      { "unknown command 'all': use submit, part or total", "all", "2", image, dir .. "/list", dir .. "/out/sum" },
    } do
      local result = run("slurm", { table.unpack(case, 2) })
      assert.same({ 1, "", "slurm.sh: " .. case[1] .. "\n" }, { result.status, result.stdout, result.stderr })
    end
  end)

  -- A scene, its sum, and a function that runs one job, or one task of it.
  local function by_hand(tasks)
    local dir = scene()
    local sum = dir .. "/out/sum"
    shell.check { "mkdir", sum .. ".parts" }
    return dir, sum, function(what, task)
      return run("slurm", { what, tasks, image, dir .. "/list", sum }, { SLURM_ARRAY_TASK_ID = task })
    end
  end

  it("writes the same sum as one process, in whatever order the tasks run", function()
    local dir, sum, job = by_hand "3"
    for _, step in ipairs { { task = "2", missing = "0,1" }, { task = "0", missing = "1" }, { task = "1" } } do
      local result = job("part", step.task)
      assert.same({ 0, "" }, { result.status, result.stderr })
      if step.missing then
        result = job "total"
        assert.same({ 1, ("slurm.sh: %s.parts: the sums of tasks %s are missing\n"):format(sum, step.missing) },
          { result.status, result.stderr })
      end
    end
    assert.equal(0, job("total").status)
    assert.equal(shell.read(dir .. "/expected"), shell.read(sum))
    assert.equal("sum\n", shell.listing(dir .. "/out"))
  end)

  it("adds up the sums of tasks only, not the temporary file of a killed one", function()
    local dir, sum, job = by_hand "2"
    job("part", "0")
    shell.check { "cp", sum .. ".parts/0", sum .. ".parts/0.17-0.tmp" }
    assert.truthy(job("total").stderr:find "the sums of tasks 1 are missing\n$")
    job("part", "1")
    assert.equal(0, job("total").status)
    assert.equal(shell.read(dir .. "/expected"), shell.read(sum))
  end)

  it("submits the tasks, and a job that adds up their sums", function()
    local dir = scene()
    for _, tasks in ipairs { "1", "4", "20" } do
      local result = submit(dir, tasks, image, dir .. "/list", "out/sum")
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(shell.read(dir .. "/expected"), shell.read(dir .. "/out/sum"))
      assert.equal("sum\n", shell.listing(dir .. "/out"))
    end
  end)
end)
