-- Slurm's script in examples/cluster, the commands of doc/scale.md and bench/cluster.lua under a real Slurm. Whatever
-- fails, the sum is complete in the end, or the job says what is missing. Takes a minute, mostly waiting for Slurm to
-- notice that a node is lost; make check-all runs it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local cluster = require "support.cluster"
local mpi = require "support.mpi"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"
local slurm = require "support.slurm"

if not chance.thorough then return end

describe("on Slurm", function()
  local lack = slurm.lack()
  if lack then
    pending(lack)
    return
  end

  local engine
  setup(function() engine = slurm.start() end)
  teardown(function() engine:stop() end)

  local image <const> = cluster.image

  local function check(argv, options)
    local result = engine:run(argv, options)
    assert.same({ 0, "" }, { result.status, result.stderr }, result.command)
    return result.stdout
  end

  -- A job of `slurm.sh` in a new directory, with the sum in another directory.
  local function new_job(tasks, out)
    local dir = cluster.scene()
    out = out or dir .. "/out"
    local job = { dir = dir, sum = out .. "/sum" }

    local function run(argv, env)
      env = env or {}
      env.GPROF = env.GPROF or cluster.gprof
      argv = table.move({ tasks, image, dir .. "/list", job.sum }, 1, 4, #argv + 1, argv)
      return check(argv, { cwd = dir, env = env }):match "^Submitted batch job (%d+)\n$"
    end

    -- Submits all jobs. Returns a function that reads the output of the last one.
    function job.submit(env)
      local id = run({ "sh", cluster.examples .. "slurm.sh", "submit" }, env)
      return function() return shell.read(("%s/slurm-%s.out"):format(dir, id)) end
    end

    -- Repeats tasks and the last job, as the comment in `slurm.sh` says.
    function job.repeat_tasks(list)
      run { "sbatch", "--array=" .. list, cluster.examples .. "slurm.sh", "part" }
      engine:await_jobs()
      run { "sbatch", cluster.examples .. "slurm.sh", "total" }
      engine:await_jobs()
    end

    function job.check_sum()
      check { "cmp", dir .. "/expected", job.sum }
      assert.equal("sum\n", check { "ls", "-A", out })
    end

    return job
  end

  it("slurm.sh writes the same sum as one process", function()
    for _, tasks in ipairs { "1", "3", "20" } do
      local job = new_job(tasks)
      job.submit()
      engine:await_jobs()
      job.check_sum()
    end
  end)

  it("slurm.sh names the task that was killed, which can be repeated", function()
    local job = new_job("3")
    local output = job.submit { GPROF = cluster.wrapper(cluster.kill_first) }
    engine:await_jobs()
    assert.equal(("slurm.sh: %s.parts: the sums of tasks 0 are missing\n"):format(job.sum), output())
    job.repeat_tasks "0"
    job.check_sum()
  end)

  it("slurm.sh names the tasks that found the disk full, which can be repeated", function()
    local full = engine.dir .. "/full"
    local job = new_job("3", full)
    check { "sh", "-c", "head -c 61440 /dev/zero >full/other" }
    local output = job.submit()
    engine:await_jobs()
    local missing = output():match "the sums of tasks ([%d,]+) are missing\n$"
    assert.truthy(missing, output())
    local reports = check({ "sh", "-c", "cat slurm-*_*.out" }, { cwd = job.dir })
    assert.truthy(reports:find("No space left on device", 1, true), reports)
    check { "rm", "full/other" }
    job.repeat_tasks(missing)
    job.check_sum()
  end)

  it("slurm.sh completes the sum though the controller was killed", function()
    local job = new_job("2")
    local wait = ("touch %s/started.$SLURM_ARRAY_TASK_ID; until [ -e %s/go ]; do sleep 0.1; done"):gsub("%%s", job.dir)
    job.submit { GPROF = cluster.wrapper(wait) }
    for task = 0, 1 do
      engine:await(("[ state/job_state -nt %s/started.%d ]"):format(job.dir, task))
    end
    engine:kill_controller()
    shell.write(job.dir .. "/go", "")
    engine:await(("[ -e %s.parts/0 ] && [ -e %s.parts/1 ]"):format(job.sum, job.sum))
    engine:start_controller()
    engine:await_jobs()
    job.check_sum()
    engine:await_node "n1"
    engine:await_node "n2"
  end)

  it("slurm.sh repeats the tasks of a node that is lost", function()
    local job = new_job("4")
    job.submit {
      GPROF = cluster.wrapper(("if [ $SLURMD_NODENAME = n2 ]; then touch '%s/lost'; sleep 100; fi"):format(job.dir)),
      SBATCH_MEM_PER_NODE = "5000",  -- one task on each node
    }
    engine:await(("[ -e %s/lost ]"):format(job.dir))
    engine:kill_node "n2"
    engine:await_jobs()
    job.check_sum()
    engine:start_node "n2"
  end)

  it("the recorder's files are named by the ranks of srun", function()
    if recorder.lack() then return pending("needs " .. recorder.lack()) end
    local dir = shell.tmpdir "ranks"
    engine:run({ "sh", "-c", "srun --ntasks=3 --nodes=2 $GPROF --record --output=$DIR/rank-%r " .. cluster.ranks() },
      { env = { GPROF = cluster.gprof, DIR = dir } })
    assert.equal("rank-0\nrank-0.ctx\nrank-1\nrank-1.ctx\nrank-2\nrank-2.ctx\n", shell.listing(dir))
  end)

  describe("the commands of doc/scale.md for MPI", function()
    -- All ranks run on one node. On two, which are one machine, MPICH may hang at the end, with or without
    -- the library, and Slurm's files for PMIx have the same names.
    for _, id in ipairs { "openmpi", "mpich" } do
      it("write one file for a job with " .. id, function()
        local implementation
        for _, one in ipairs(mpi.engines) do implementation = one.id == id and one or implementation end
        if mpi.lack(implementation) then return pending("needs " .. mpi.lack(implementation)) end
        local built, dir = mpi.compile(implementation, "ranks.c", { name = "app" }), shell.tmpdir "job"
        local command = cluster.documented("\n(srun %-%-mpi[^\n]+libgprof%-" .. id .. "[^\n]+)\n")
          :gsub("/usr/local/lib/lua/5.4/gprof", program.root .. "/build")
          :gsub("^srun", "srun --nodes=1 --ntasks=4 --overcommit")
        check({ "sh", "-c", (command:gsub("%./app", built.image)) }, { cwd = dir, env = { GPROF_MPI = "parts" } })
        mpi.check_sum({ dir = dir }, built, mpi.parts(0, 3))
        assert.equal(10, (mpi.calls({ dir = dir }, built, "work", "^gmon%.sum$")))
      end)
    end
  end)

  it("the commands of doc/scale.md for files in a shared file system write the same sum as one process", function()
    local dir, names = cluster.scene()
    shell.check { "mkdir", dir .. "/prof" }
    for i, name in ipairs(names) do shell.check { "cp", name, ("%s/prof/gmon.%d"):format(dir, i) } end
    local commands = cluster.documented "\n(find /shared/prof.-)\n```"
    for text, here in pairs { ["/shared/prof"] = dir .. "/prof", ["examples/cluster/"] = cluster.examples,
        ["100 app"] = "3 " .. image } do
      commands = commands:gsub(text, (here:gsub("%%", "%%%%")))
    end
    check({ "sh", "-ec", commands }, { cwd = dir, env = { GPROF = cluster.gprof } })
    engine:await_jobs()
    check({ "cmp", "expected", "all.sum" }, { cwd = dir })
  end)

  it("the array job of doc/scale.md adds up what its tasks run", function()
    local dir = shell.tmpdir "array"
    shell.check { "mkdir", dir .. "/sums" }
    shell.check { "cp", cluster.ranks(), dir }
    local commands = cluster.documented "\n(cat >job <<'END'\n.-)\n```"
    for text, here in pairs { ["seq 1000"] = "seq 5", ["0%-99"] = "0-2", ["/shared/sums"] = dir .. "/sums",
        ["gprof%.lua"] = cluster.gprof } do
      commands = commands:gsub(text, (here:gsub("%%", "%%%%")))
    end
    check({ "sh", "-ec", commands }, { cwd = dir, env = { TMPDIR = dir } })
    engine:await_jobs()
    assert.equal("0\n0.spread\n1\n1.spread\n2\n2.spread\n", shell.listing(dir .. "/sums"))
    local flat = program.run({ "-b", "-p", "app", "gmon.sum" }, { cwd = dir })
    assert.equal("15", flat.stdout:match " (%d+) +[%d.]+ +[%d.]+ +work\n", flat.stdout)
    local spread = program.run({ "-b", "--spread", "--sort=calls", "app", "gmon.sum" }, { cwd = dir })
    assert.same({ 0, "" }, { spread.status, spread.stderr })
    assert.truthy(spread.stdout:find("^Spread of calls over 15 runs:"), spread.stdout)
  end)

  describe("the commands of doc/scale.md for nodes", function()
    local run <const> = cluster.documented "\n(srun sh %-c 'GMON_OUT_PREFIX=[^\n]+)\n"
    local add_up <const> = cluster.documented "\n(srun [^\n]+ \\\n  'gprof%.lua %-%-keep[^`]+)```"
    local spread <const> = cluster.documented "\n(srun [^\n]+ \\\n  'gprof%.lua %-%-spread[^`]+)```"

    -- Runs the commands as a job of two nodes, in a new directory, which it returns. Before, node n2 runs `prepare`, if
    -- present; `sums` is the command that adds up (default: `add_up`). Afterwards, the profiles are moved from the
    -- nodes to `profiles`. Also returns the job's output.
    local function job(env, prepare, sums)
      local dir = shell.tmpdir "ranks"
      shell.check { "mkdir", dir .. "/sums", dir .. "/profiles" }
      shell.check { "cp", cluster.ranks(), dir }
      local clean = "srun --ntasks=2 --ntasks-per-node=1 sh -c 'mv /local/prof/* profiles; rm -f /local/other'"
      local head = "#!/bin/sh\n#SBATCH --nodes=2 --ntasks=4"
      local text = table.concat({ head, prepare or "true", run, (sums or add_up) .. clean }, "\n")
      for place, here in pairs { ["/local/"] = engine.dir .. "/local/", ["/shared/sums"] = dir .. "/sums",
          ["gprof%.lua"] = cluster.gprof } do
        text = text:gsub(place, (here:gsub("%%", "%%%%")))
      end
      shell.write(dir .. "/job", text .. "\n")
      engine:run({ "sbatch", "--wait", "--output=output", "job" }, { cwd = dir, env = env })
      return dir, shell.read(dir .. "/output")
    end

    -- Checks the number of calls in the sum.
    local function check_calls(dir, calls)
      local flat = program.run({ "-b", "-p", "app", "gmon.sum" }, { cwd = dir })
      assert.same({ 0, "", calls }, { flat.status, flat.stderr, flat.stdout:match " (%d+) +[%d.]+ +[%d.]+ +work\n" })
    end

    -- Also compares the sum with that of one process.
    local function check_sum(dir, calls)
      check_calls(dir, calls)
      program.run({ "--keep-going", "--sum-file=expected", "app", "profiles" }, { cwd = dir })
      shell.check({ "cmp", "expected", "gmon.sum" }, { cwd = dir })
    end

    it("write the same sum as one process", function()
      local dir, output = job()
      assert.equal("", output)
      check_sum(dir, "10")
    end)

    it("write the spread", function()
      local dir, output = job({}, nil, spread)
      -- Rarely, one of these short runs has a sample.
      assert.truthy(output:find "^\f?Spread of calls over 4 runs:" or
        output:find "^\f?Spread of self time %(seconds%) over 4 runs:", output)
      check_calls(dir, "10")
    end)

    it("say which rank was killed", function()
      local dir, output = job { KILLED = "2" }
      assert.truthy(output:find("task 2: Killed", 1, true), output)
      check_sum(dir, "7")
    end)

    it("say which node has no profiles because its disk was full", function()
      local dir, output = job({}, "srun --nodelist=n2 --nodes=1 --ntasks=1 dd if=/dev/zero of=/local/other status=none")
      assert.truthy(output:find("/local/prof: contains no profiles\n", 1, true), output)
      assert.truthy(output:find("n2: task 1: Exited with exit code 1\n", 1, true), output)
      check_sum(dir, "3")
    end)
  end)
end)

describe("bench/cluster.lua", function()
  it("makes profiles, adds them up in a tree, and finds the slow rank", function()
    if slurm.lack() then return pending(slurm.lack()) end
    local result = shell.run({ "lua5.4", program.root .. "/bench/cluster.lua", "300", "12" }, { timeout = true })
    assert.same({ 0, "" }, { result.status, result.stderr })
    local stages = {}
    for name, tasks, read, written in result.stdout:gmatch "\n| (%S+) +| +(%d+) | +(%d*) | +[%d.]* | +(%d+) |" do
      stages[#stages + 1] = table.concat({ name, tasks, read, written }, " ")
    end
    assert.same({ "run 12  300", "part 12 300 24", "join-1 2 24 4", "join-2 1 4 2" }, stages)
    assert.truthy(result.stdout:find("\nThe sum of 300 runs has 15150 steps, and is byte for byte", 1, true))
    assert.truthy(result.stdout:find " relax +profiles/0008/rank%.000214%.%d+\n")
  end)
end)
