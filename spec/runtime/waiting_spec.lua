-- The option wall: samples also show where threads wait.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local oracle = require "support.oracle"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

-- Some containers forbid the system call with which the option copies memory.
local copies <const> = recorder.compile("copies.c", { plain = true, flags = { "-D_GNU_SOURCE" } }).image
if shell.run({ copies }).status ~= 0 then return pending "the option wall, for which process_vm_readv is forbidden" end

local WAIT <const> = 200 -- milliseconds
local PATTERN <const> = { reads = "waits/reads", sleeps = "main/both/sleeps" }

-- Runs the program, which must succeed silently. Returns the paths of its profiles.
local function record(built, setting, options)
  options = options or {}
  options.env = { GPROF_RECORDER = setting }
  local words = { tostring(WAIT), options.word }
  local result = recorder.run(built, words, options)
  assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
  local names = {}
  for name in shell.check({ "ls", "-A", result.dir }).stdout:gmatch "[^\n]+" do
    if not name:find "ctx$" then table.insert(names, result.dir .. "/" .. name) end
  end
  return table.unpack(names)
end

-- Checks the samples of one run: one thread sleeps, then works, and the other one reads meanwhile. The bounds are wide,
-- because the thread that takes samples may be late.
local function check_waits(built, path, rate)
  local _, ticks, file = recorder.paths(built, path .. ".ctx")
  local samples = {}
  for name, place in pairs(PATTERN) do samples[name] = (ticks[place] or 0) * 1000 / rate end
  assert.is_true(samples.sleeps >= 0.5 * WAIT, "sleeps: " .. samples.sleeps)
  assert.is_true(samples.reads >= 0.5 * 2 * WAIT, "reads: " .. samples.reads)
  local lasted = (file.process.finish - file.process.begin) / 1e6
  assert.is_true(samples.reads + samples.sleeps < 2 * lasted + 10)
  assert.same({ true, rate }, { file.process.wall, file.process.rate })
  local histogram = gmon.select(gmon.parse(shell.read(path)), "histogram")[1]
  assert.same({ "wall sec", "s", rate }, { histogram.dimension, histogram.abbreviation, histogram.rate })
end

-- Runs the program until the samples of a run are right. Returns the paths of its profiles.
local function record_waits(built, setting, rate, options)
  return sampled.decide(function()
    local path, other = record(built, setting, options)
    check_waits(built, other and path:find "%.%d+$" == nil and other or path, rate)
    return path
  end)
end

describe("the recorder's option wall", function()
  local built, waited, plain
  setup(function()
    built = recorder.compile("waits.c", { flags = { "-fno-optimize-sibling-calls" } })
    waited, plain = record_waits(built, "wall", 1000), record(built)
  end)

  it("shows by function where threads wait", function()
    check_waits(built, waited, 1000)
    record_waits(built, "wall,rate=250", 250)
  end)

  it("also shows it in a program that contains the recorder", function()
    local static = recorder.compile("waits.c", { flags = { "-fno-optimize-sibling-calls", "-static" },
      link = { recorder.archive } })
    record_waits(static, "wall", 1000, { preload = false })
  end)

  it("also shows it in forked children", function()
    record_waits(built, "wall", 1000, { word = "fork" })
  end)

  it("changes no counts", function()
    local counts = recorder.arcs(built, waited)
    assert.same({ 1, 1, 1, 1, 1 }, { counts["both sleeps"], counts["waits reads"], counts["main both"],
      counts["reads leaf"], counts["sleeps leaf"] })
  end)

  it("is off by default, and without samples", function()
    local samples = select(2, recorder.paths(built, plain .. ".ctx"))
    local used = (samples[PATTERN.sleeps] or 0) + (samples[PATTERN.reads] or 0)
    assert.is_true(used < WAIT / 4, used)
    local path = record(built, "wall,rate=0")
    assert.same({}, (select(2, recorder.paths(built, path .. ".ctx"))))
    assert.equal("wall sec", gmon.select(gmon.parse(shell.read(path)), "histogram")[1].dimension)
  end)

  it("counts all threads' calls while they begin and end", function()
    local threads = recorder.compile "threads.c"
    local result = recorder.run(threads, { "300", "50", "30" }, { env = { GPROF_RECORDER = "wall,memory=1" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.same({ 30000, 15000 }, { recorder.arcs(threads, result.dir .. "/gmon.out").leaf,
      recorder.arcs(threads, result.dir .. "/gmon.out").mid })
    assert.same(0, program.run({ "-i", threads.image, result.dir .. "/gmon.out.ctx" }).status)
  end)

  it("is stated by reports and GNU gprof", function()
    for _, path in ipairs { waited, waited .. ".ctx" } do
      local flat = program.run({ "-b", "-p", built.image, path })
      assert.same({ "", 0 }, { flat.stderr, flat.status })
      assert.truthy(flat.stdout:find("\nEach sample counts as 0.001 wall sec.\n", 1, true), flat.stdout)
      local slept = flat.stdout:match "\n *[%d.]+ +[%d.]+ +([%d.]+) +1 [^\n]* sleeps\n"
      assert.is_true(tonumber(slept) >= 0.5 * WAIT / 1000)
    end
    local info = program.run({ "-i", built.image, waited }).stdout
    assert.truthy(info:find("\tsamples are of wall-clock time\n", 1, true), info)
    assert.is_nil(program.run({ "-i", built.image, plain }).stdout:find "wall")
    if not oracle.available() then pending "needs GNU gprof" return end
    local gnu = oracle.run({ "-b", "-p", built.image, waited })
    assert.truthy(gnu.stdout:find("\nEach sample counts as 0.001 wall sec.\n", 1, true), gnu.stdout)
  end)

  describe("where a system call is forbidden", function()
    local forbids
    setup(function()
      local dir = shell.tmpdir "forbids"
      shell.check({ "gcc", "-o", "forbids", build.fixture "recorder/forbids.c" }, { cwd = dir })
      forbids = dir .. "/forbids"
    end)

    it("says that waiting is not sampled if memory cannot be copied", function()
      sampled.decide(function() -- on a busy machine, no sample may be due before the program ends
        local result = recorder.run(built, { "20" }, { before = { forbids, "process_vm_readv" },
          env = { GPROF_RECORDER = "wall" } })
        assert.equal(0, result.status)
        assert.truthy(result.stderr:find("threads that wait have no samples: Operation not permitted", 1, true))
      end)
    end)

    -- The program runs until the recorder's thread has ended: a thread that cannot wait would use a whole processor.
    it("ends the recorder's thread if it cannot wait, and says what does not work", function()
      local alone = shell.await "set -- /proc/$PPID/task/*; test $# = 1" .. " 2>/dev/null" -- sleep is forbidden, too
      local commands = recorder.compile "commands.c"
      for option, message in pairs { wall = "threads that wait have no samples",
        ["dump-file=name"] = "the option dump-file has no effect" } do
        local result = recorder.run(commands, { "0", alone }, { before = { forbids, "clock_nanosleep" },
          env = { GPROF_RECORDER = option } })
        assert.same({ "1\n", 0 }, { result.stdout, result.status })
        assert.equal(message .. ": Operation not permitted\n",
          result.stderr:match "^libgprof%-recorder: [^\n]*/gmon%.out: ([^\n]+\n)$" or result.stderr)
      end
    end)
  end)

  it("shows waiting on the call paths, in exports as time", function()
    local image = assert(gprof.image(built.image))
    local profile = assert(gprof.profile(image, (assert(gprof.data(image, waited)))))
    local both, sleeps = profile:find "both", profile:find "sleeps"
    assert.is_true(both.children >= sleeps.self and sleeps.self >= 0.5 * WAIT / 1000)
    local words = { speedscope = '"unit": "microseconds"', callgrind = "events: Time_(10ns)", pprof = "\4wall" }
    for kind, word in pairs(words) do
      local result = program.run({ "--export=" .. kind, built.image, waited })
      assert.truthy(result.stdout:find(word, 1, true), kind)
    end
  end)

  it("is kept in sums, which cannot mix it with processor time", function()
    local dir = shell.tmpdir "sum"
    assert.same(0, program.run({ "-s", built.image, waited, waited }, { cwd = dir }).status)
    local sum = recorder.read(dir .. "/gmon.sum.ctx")
    assert.same({ true, 2 }, { sum.process.wall, sum.processes })
    for _, suffix in ipairs { "", ".ctx" } do
      local mixed = program.run({ "-s", built.image, waited .. suffix, plain .. suffix },
        { cwd = shell.tmpdir "mixed" })
      assert.same({ "", 1 }, { mixed.stdout, mixed.status })
      assert.truthy(mixed.stderr:find "wall" and mixed.stderr:find "^[^\n]+\n$", mixed.stderr)
    end
    for _, unsampled in ipairs { record(built, "wall,rate=0"), record(built, "rate=0") } do
      for _, files in ipairs { { unsampled, waited }, { waited, unsampled } } do
        local result = program.run({ "-s", built.image, table.unpack(files) }, { cwd = dir })
        assert.same({ "", 0 }, { result.stderr, result.status })
        assert.same(true, recorder.read(dir .. "/gmon.sum.ctx").process.wall)
      end
    end
  end)

  it("is an option of --record and of gprof.record", function()
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", "--wall", "-b", "-p", built.image, "20" } do
      table.insert(words, word)
    end
    local result = shell.run(words, { cwd = shell.tmpdir "wall", timeout = true,
      env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find "wall sec")
    assert.same("gprof.lua: option --wall needs --record\n", program.run({ "--wall", "a.out" }).stderr)
  end)
end)
