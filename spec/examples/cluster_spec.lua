-- examples/cluster: sums made in parallel are byte-identical to the sum of one process. After a failure neither a sum
-- nor a part of it is left.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local examples <const> = program.root .. "/examples/cluster/"

local image <const> = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }

-- The program's command for the variable GPROF, which the shell splits into words.
local gprof <const> = table.concat(program.interpreter, " ") .. " " .. program.root .. "/gprof.lua"

-- Makes a directory with an empty directory `out`; seven profiles whose names contain spaces; `list`, their names, with
-- an unterminated last line; and `expected`, their sum.
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

-- mpirun needs options to run as root, and to run more ranks than there are processors.
local runners <const> = {
  mpi = { command = "mpirun", count = "RANKS", usage = "RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]",
    options = { "--allow-run-as-root", "--oversubscribe" } },
  parallel = { command = "parallel", count = "PARTS", usage = "PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]",
    options = { "--jobs", "2" } },
}

for name, runner in pairs(runners) do
  describe(name .. ".sh", function()
    it("is valid shell syntax", function()
      assert.equal("", shell.check({ "sh", "-n", examples .. name .. ".sh" }).stderr)
    end)

    it("reports invalid arguments", function()
      local dir = scene()
      local empty = shell.write(dir .. "/empty", "")
      for _, case in ipairs {
        { "usage: " .. name .. ".sh " .. runner.usage, "2", image },
        { runner.count .. " must be a positive integer, not '0'", "0", image, dir .. "/list", dir .. "/out/sum" },
        { runner.count .. " must be a positive integer, not 'x'", "x", image, dir .. "/list", dir .. "/out/sum" },
        { empty .. ": the list of profiles is empty", "2", image, empty, dir .. "/out/sum" },
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

    it("writes the same sum as one process", function()
      local dir = scene()
      for _, count in ipairs { "1", "3", "12" } do
        local result = run(name, count, image, dir .. "/list", dir .. "/out/sum", table.unpack(runner.options))
        assert.same({ 0, "" }, { result.status, result.stdout }, result.stderr)
        assert.equal(shell.read(dir .. "/expected"), shell.read(dir .. "/out/sum"))
        assert.equal("sum\n", shell.listing(dir .. "/out"))
      end
    end)

    it("writes no sum if a profile is invalid", function()
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
      { cwd = dir, env = { GPROF = gprof, PATH = bin .. ":" .. os.getenv "PATH" } })
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
      local result = run("slurm", table.unpack(case, 2))
      assert.same({ 1, "", "slurm.sh: " .. case[1] .. "\n" }, { result.status, result.stdout, result.stderr })
    end
  end)

  it("writes the same sum as one process, in whatever order the tasks run", function()
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
        assert.truthy(result.stderr:find "has %d of 3 partial sums\n$", result.stderr)
      end
    end
    assert.equal(0, run("slurm", "total", "3", image, dir .. "/list", sum).status)
    assert.equal(shell.read(dir .. "/expected"), shell.read(sum))
    assert.equal("sum\n", shell.listing(dir .. "/out"))
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
