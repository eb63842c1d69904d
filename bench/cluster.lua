--- Makes the profiles of many short processes, and adds them up in a tree, with jobs of a Slurm that the benchmark
-- starts on this machine: a controller and two nodes. Checks the sum, and measures each stage.
--
--     lua5.4 bench/cluster.lua [RUNS [TASKS]]
--
-- An array job of TASKS tasks (default: 100) runs a program RUNS times (default: 100,000); its work depends on its
-- rank. A second array job adds up the profiles of each task, with their spread. Further jobs, each of which waits for
-- the one before, add up ten sums each, until one is left. The sum and its spread must be byte for byte those of one
-- process, the counts of calls those that follow from the number of runs, and the spread must name the one rank that
-- is slow. Prints a table: for each stage, the time until its first task begins, from then on until its last task ends,
-- the processor time of its tasks, and the prediction of doc/scale.md for that.
--
-- Needs root and the packages in the Makefile's SLURM_PACKAGES. The files are in TMPDIR: 4 kB for each run.
--
-- @script cluster
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = io.popen("realpath " .. ("'%s'"):format((arg[0]:match "^(.*/)" or "./") .. "..")):read "l"
package.path = root .. "/?.lua;" .. root .. "/spec/?.lua;" .. package.path

local machine = require "bench.machine"
local markdown = require "bench.markdown"
local shell = require "support.shell"
local slurm = require "support.slurm"

local runs <const>, tasks <const> = tonumber(arg[1] or 100000), tonumber(arg[2] or 100)
local WIDTH <const> = 10            -- sums that a task of the later stages adds up
local HOURS <const> = 3             -- after which the benchmark is given up
local slow <const> = runs * 5 // 7

local gprof <const> = "lua5.4 " .. root .. "/gprof.lua"
local script <const> = root .. "/bench/cluster.sh"

-- Ends the benchmark with a message unless `condition` is true. The cluster ends with this process.
local function expect(condition, message)
  if condition then return condition end
  io.stderr:write("cluster.lua: ", message, "\n")
  os.exit(1, true)
end

expect(math.type(runs) == "integer" and math.type(tasks) == "integer" and runs >= tasks and tasks > 0 and
  tasks <= 1000, "usage: lua5.4 bench/cluster.lua [RUNS [TASKS]], with at most 1000 tasks")
expect(not slurm.lack(), slurm.lack())

local engine <const> = slurm.start()
local dir <const> = shell.tmpdir "runs"
shell.check { "mkdir", dir .. "/log", dir .. "/profiles" }
shell.check { "gcc", "-O2", "-pg", "-o", dir .. "/app", root .. "/bench/cluster.c" }

-- --- the jobs ------------------------------------------------------------------

local function run(argv)
  local result = engine:run(argv, { cwd = dir, env = { GPROF = gprof, SCRIPT = script }, timeout = HOURS * 3600 })
  expect(result.status == 0 and result.stderr == "", result.command .. ":\n" .. result.stderr)
  return result.stdout
end

-- The stages: `name`, `tasks`, `input` and `output` (directories), `arguments` of cluster.sh.
local stages <const> = {
  { name = "run", tasks = tasks, output = "profiles", options = { "--ntasks=2" },
    arguments = { "run", tostring(tasks), tostring(runs), tostring(slow) } },
  { name = "part", tasks = tasks, input = "profiles", output = "part", arguments = { "part" } },
}
repeat
  local last = stages[#stages]
  local name = ("join-%d"):format(#stages - 1)
  stages[#stages + 1] = { name = name, tasks = (last.tasks + WIDTH - 1) // WIDTH, input = last.output, output = name,
    arguments = { "join", name, last.output, tostring(WIDTH) } }
until stages[#stages].tasks == 1

-- Submits a stage, to begin after the job `previous`. Returns the job's number.
local function submit(stage, previous)
  local argv = { "sbatch", "--parsable", "--kill-on-invalid-dep=yes", "--job-name=" .. stage.name,
    "--output=log/output.%x.%a", ("--array=0-%d"):format(stage.tasks - 1), table.unpack(stage.options or {}) }
  if previous then argv[#argv + 1] = "--dependency=afterok:" .. previous end
  argv[#argv + 1] = script
  return run(table.move(stage.arguments, 1, #stage.arguments, #argv + 1, argv)):match "^%d+"
end

local submitted <const> = tonumber(shell.check({ "date", "+%s.%N" }).stdout)
local previous
for _, stage in ipairs(stages) do
  shell.check { "mkdir", "-p", dir .. "/" .. stage.output }
  previous = submit(stage, previous)
end
-- sbatch --wait looks every half minute
run { "sh", "-c", 'until jobs=$(squeue -h) && [ -z "$jobs" ]; do sleep 1; done' }

-- --- the figures ---------------------------------------------------------------

-- Returns the seconds of a time as the shell prints it: 1m2.34s.
local function seconds(text)
  local minutes, rest = text:match "^(%d+)m([%d.]+)s$"
  return 60 * tonumber(minutes) + tonumber(rest)
end

-- Reads what the tasks of a stage have recorded. Returns when the first one began, when the last one ended, and the
-- processor time of all, in seconds; and their number.
local function times(stage)
  local first, last, processor, count = math.huge, -math.huge, 0, 0
  for name in shell.listing(dir .. "/log"):gmatch "[^\n]+" do
    if name:find(stage.name .. ".", 1, true) == 1 then
      local text = shell.read(dir .. "/log/" .. name)
      local begin, finish, rest = text:match "^(%S+) (%S+)\n(.*)$"
      first, last = math.min(first, tonumber(begin)), math.max(last, tonumber(finish))
      for time in rest:gmatch "%S+" do processor = processor + seconds(time) end
      count = count + 1
    end
  end
  return first, last, processor, count
end

-- Returns the number of files below a directory, and their bytes.
local function contents(directory)
  local files, bytes = 0, 0
  local pipe <close> = io.popen(("find %s -type f -printf '%%s\\n'"):format(shell.quote(dir .. "/" .. directory)))
  for size in pipe:lines() do files, bytes = files + 1, bytes + tonumber(size) end
  return files, bytes
end

-- The prediction of doc/scale.md for sums, in seconds of processor time, without the start of the processes.
local function predict(files, bytes) return files * 20e-6 + bytes / 3e9 end

local function megabytes(bytes) return bytes and markdown.number(bytes / 1e6) or "" end

local lines <const> = { { "stage", "tasks", "files read", "MB read", "files written", "MB written", "wait, s",
  "time, s", "processor time, s", "formula, s" } }
local ended = submitted
for i, stage in ipairs(stages) do
  local first, last, processor, count = times(stage)
  expect(count == stage.tasks * (i == 1 and 2 or 1), ("%s: %d tasks have ended"):format(stage.name, count))
  local read, read_bytes = 0, nil
  if stage.input then read, read_bytes = contents(stage.input) end
  local written, written_bytes = contents(stage.output)
  lines[#lines + 1] = { stage.name, tostring(stage.tasks), read > 0 and tostring(read) or "", megabytes(read_bytes),
    tostring(written), megabytes(written_bytes), markdown.number(first - ended), markdown.number(last - first),
    markdown.number(processor), read > 0 and markdown.number(predict(read, read_bytes)) or "" }
  ended = last
end
lines[#lines + 1] = { "all stages", "", "", "", "", "", "", markdown.number(ended - submitted), "", "" }

-- --- the checks ----------------------------------------------------------------

local sum <const> = stages[#stages].output .. "/0000"

-- Adds up all profiles with one process; appends a line to the table.
local function one_process(name, ...)
  local command = ("TIMEFORMAT='%%R %%U %%S'; time %s %s app profiles"):format(gprof, shell.join { ... })
  local result = shell.check({ "bash", "-c", command }, { cwd = dir })
  local real, user, system = result.stderr:match "(%S+) (%S+) (%S+)\n$"
  local files, bytes = contents "profiles"
  local written, written_bytes = contents(name)
  lines[#lines + 1] = { "one process" .. (name == "plain" and ", without --spread" or ""), "1", tostring(files),
    megabytes(bytes), tostring(written), megabytes(written_bytes), "", markdown.number(tonumber(real)),
    markdown.number(user + system), markdown.number(predict(files, bytes)) }
end

shell.check { "mkdir", dir .. "/plain", dir .. "/spread" }
one_process("plain", "--jobs=1", "--sum-file=plain/sum")
one_process("spread", "--jobs=1", "--spread", "--sum-file=spread/sum")
for name, suffix in pairs { ["the sum"] = "", ["the spread"] = ".spread" } do
  expect(shell.run({ "cmp", "spread/sum" .. suffix, sum .. suffix }, { cwd = dir }).status == 0,
    name .. " differs from that of one process")
end

-- Returns a report on the sum.
local function report(options)
  return shell.check({ "sh", "-c", ("%s -b %s app %s"):format(gprof, options, sum) }, { cwd = dir }).stdout
end

-- The ranks make 1, 2, ... 100 steps, and again; a step calls `exchange` twice.
local full <const>, rest <const> = runs // 100, runs % 100
local steps <const> = full * 5050 + rest * (rest + 1) // 2
local flat <const> = report "-p"
for name, calls in pairs { step = steps, relax = steps, exchange = 2 * steps } do
  expect(flat:match(" (%d+) +[%d.]+ +[%d.]+ +" .. name .. "\n") == tostring(calls),
    ("the calls of %s are not %d:\n%s"):format(name, calls, flat))
end

local spread <const> = report "--spread --top=1"
local found <const> = spread:match(" relax +(profiles/%d+/rank%.%d+)%.%d+\n")
expect(found and tonumber(found:match "%d+$") == slow, ("rank %d is not the slowest:\n%s"):format(slow, spread))

print(machine.describe { gnu = "gprof", ours = gprof })
print(markdown.table(lines))
print(("The sum of %d runs has %d steps, and is byte for byte that of one process; so is its spread.\n\n%s"):format(
  runs, steps, spread))
