-- The examples for clusters: whatever divides the work, the sum is that of one process, to the byte; and where anything
-- fails there is none, nor a part of one.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local examples <const> = program.root .. "/examples/cluster/"

local image <const> = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }

-- How the program is called: words that a shell splits at blanks.
local gprof <const> = table.concat(program.interpreter, " ") .. " " .. program.root .. "/gprof.lua"

-- A directory with an empty one for the sum; seven profiles, whose names have blanks, a list of them without an end to
-- its last line, and their sum.
local function scene()
  local dir = shell.tmpdir "cluster"
  local names = {}
  for i = 1, 7 do
    names[i] = ("%s/gmon %d"):format(dir, i)
    gmon.write(names[i], gmon.magic { records = {
      { kind = "histogram", low = 0x1000, high = 0x1400, bins = { n = 512, [7 * i] = i, [3] = 65535 } },
      { kind = "arc", from = 0x1004 + 4 * (8 - i), self = 0x1100, count = i },
      { kind = "arc", from = 0x1000, self = 0x1000, count = 0xffffffff },
    } })
  end
  shell.write(dir .. "/list", table.concat(names, "\n"))
  shell.check { "mkdir", dir .. "/out" }
  local result = program.run { "--sum-file=" .. dir .. "/expected", image, table.unpack(names) }
  assert.same({ 0, "" }, { result.status, result.stderr })
  return dir, names
end

local function run(name, ...)
  return shell.run({ "sh", examples .. name .. ".sh", ... }, { env = { GPROF = gprof }, timeout = 120 })
end

local function has(command, option)
  return shell.run({ "sh", "-c", ("command -v %s && %s %s"):format(command, command, option) }).status == 0
end

-- As root mpirun wants to be told that it may, and on a small machine that there may be more ranks than processors.
local runners <const> = {
  mpi = { command = "mpirun", count = "RANKS", usage = "RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]",
    options = { "--allow-run-as-root", "--oversubscribe" } },
  parallel = { command = "parallel", count = "PARTS", usage = "PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]",
    options = { "--jobs", "2" } },
}

for name, runner in pairs(runners) do
  describe(name .. ".sh", function()
    it("is sound", function()
      assert.equal("", shell.check({ "sh", "-n", examples .. name .. ".sh" }).stderr)
    end)

    it("says what it needs", function()
      local dir = scene()
      local empty = shell.write(dir .. "/empty", "")
      for _, case in ipairs {
        { "usage: " .. name .. ".sh " .. runner.usage, "2", image },
        { runner.count .. " has to be a number from 1 on, not '0'", "0", image, dir .. "/list", dir .. "/out/sum" },
        { runner.count .. " has to be a number from 1 on, not 'x'", "x", image, dir .. "/list", dir .. "/out/sum" },
        { empty .. ": names no profiles", "2", image, empty, dir .. "/out/sum" },
      } do
        local result = run(name, table.unpack(case, 2))
        assert.same({ 1, "", ("%s.sh: %s\n"):format(name, case[1]) }, { result.status, result.stdout, result.stderr })
      end
      assert.equal("", shell.listing(dir .. "/out"))
    end)

    if not has(runner.command, "--version") then
      pending("needs " .. runner.command)
      return
    end

    it("has the sum of one process", function()
      local dir = scene()
      for _, count in ipairs { "1", "3", "12" } do
        local result = run(name, count, image, dir .. "/list", dir .. "/out/sum", table.unpack(runner.options))
        assert.same({ 0, "" }, { result.status, result.stdout }, result.stderr)
        assert.equal(shell.read(dir .. "/expected"), shell.read(dir .. "/out/sum"))
        assert.equal("sum\n", shell.listing(dir .. "/out"))
      end
    end)

    it("has none if a profile is bad", function()
      local dir, names = scene()
      shell.write(names[5], "gmon, but not more")
      local result = run(name, "3", image, dir .. "/list", dir .. "/out/sum", table.unpack(runner.options))
      assert.not_equal(0, result.status)
      assert.truthy(result.stderr:find(("gprof.lua: %s: "):format(names[5]), 1, true), result.stderr)
      assert.equal("", shell.listing(dir .. "/out"))
    end)
  end)
end

describe("slurm.sh", function()
  -- There is no Slurm here: its variables are set by hand, and `sbatch` is a script that runs jobs at once.
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
      { cwd = dir, env = { GPROF = gprof, PATH = bin .. ":" .. os.getenv "PATH" } })
  end

  it("is sound", function()
    assert.equal("", shell.check({ "sh", "-n", examples .. "slurm.sh" }).stderr)
  end)

  it("says what it needs", function()
    local dir = scene()
    for _, case in ipairs {
      { "usage: slurm.sh submit|part|total TASKS IMAGE LIST SUM", "submit", "2", image },
      { "TASKS has to be a number from 1 on, not '-1'", "total", "-1", image, dir .. "/list", dir .. "/out/sum" },
      { "neither submit, part nor total: 'all'", "all", "2", image, dir .. "/list", dir .. "/out/sum" },
    } do
      local result = run("slurm", table.unpack(case, 2))
      assert.same({ 1, "", "slurm.sh: " .. case[1] .. "\n" }, { result.status, result.stdout, result.stderr })
    end
  end)

  it("has the sum of one process, by tasks that run when they like", function()
    local dir = scene()
    local sum = dir .. "/out/sum"
    shell.check { "mkdir", sum .. ".parts" }
    for _, task in ipairs { "2", "0", "1" } do
      local result = shell.run({ "sh", examples .. "slurm.sh", "part", "3", image, dir .. "/list", sum },
        { env = { GPROF = gprof, SLURM_ARRAY_TASK_ID = task } })
      assert.same({ 0, "" }, { result.status, result.stderr })
      if task ~= "1" then
        result = run("slurm", "total", "3", image, dir .. "/list", sum)
        assert.equal(1, result.status)
        assert.truthy(result.stderr:find " of 3 sums are there\n$", result.stderr)
      end
    end
    assert.equal(0, run("slurm", "total", "3", image, dir .. "/list", sum).status)
    assert.equal(shell.read(dir .. "/expected"), shell.read(sum))
    assert.equal("sum\n", shell.listing(dir .. "/out"))
  end)

  it("submits a job that waits for the others", function()
    local dir = scene()
    for _, tasks in ipairs { "1", "4", "20" } do
      local result = submit(dir, tasks, image, dir .. "/list", "out/sum")
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(shell.read(dir .. "/expected"), shell.read(dir .. "/out/sum"))
      assert.equal("sum\n", shell.listing(dir .. "/out"))
    end
  end)
end)
