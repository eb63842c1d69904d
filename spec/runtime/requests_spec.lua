-- Requests to a program that is recorded: its profile is written while it runs, and the counts of several profiles add
-- up to all calls.
-- SPDX-License-Identifier: GPL-3.0-or-later

local recorder = require "support.recorder"
local shell = require "support.shell"

local machine <const> = shell.check({ "gcc", "-dumpmachine" }).stdout:match "^[^-]+"
if machine ~= "x86_64" and machine ~= "aarch64" then
  pending("the recorder, which does not support " .. machine)
  return
end

local THREADS <const> = 3

-- A command that sends the program a signal, and waits until it has written a file.
local function ask(signal, name)
  return ("rm -f %s; kill -%s $PPID; for i in $(seq 500); do test -e %s && exit; sleep 0.01; done; exit 1"):format(
    name, signal, name)
end

local function files(dir)
  return (shell.check({ "ls", "-A", dir }).stdout:gsub("\n$", ""):gsub("\n", " "))
end

-- Returns the calls of mid in a profile, after a check that both of its files agree.
local function calls_of_mid(built, path)
  local counts = recorder.arcs(built, path)
  local paths = recorder.paths(built, path .. ".ctx")
  assert.same({ counts.mid, counts.leaf }, { paths["work/mid"], paths["work/mid/leaf"] })
  return counts.mid or 0
end

describe("a program that is asked for its profile", function()
  local built
  setup(function() built = recorder.compile "commands.c" end)

  -- Runs the program, which must succeed. Returns the number of calls of mid, and the directory of the profiles.
  local function run(setting, commands, options)
    table.insert(commands, 1, THREADS)
    options = options or {}
    options.env = { GPROF_RECORDER = setting }
    local result = recorder.run(options.image or built, commands, options)
    assert.same({ options.stderr or "", 0 }, { result.stderr, result.status })
    return tonumber(result.stdout), result.dir
  end

  it("writes it while its threads make calls, and again at its end", function()
    local calls, dir = run("dump-signal=USR1", { ask("USR1", "gmon.out"), "cp gmon.out first",
      "cp gmon.out.ctx first.ctx" })
    local first = calls_of_mid(built, dir .. "/first")
    assert.is_true(0 < first and first < calls)
    assert.same(calls, calls_of_mid(built, dir .. "/gmon.out"))
    assert.same("first first.ctx gmon.out gmon.out.ctx", files(dir))
  end)

  it("can begin a new profile each time: together they have every call once", function()
    local function check(options)
      local image = options and options.image or built
      local calls, dir = run("dump-signal=10,anew", { ask("USR1", "gmon.out"), ask("USR1", "gmon.out-2"),
        ask("USR1", "gmon.out-3") }, options)
      local sum, cpu, finish = 0, {}, nil
      for _, name in ipairs { "gmon.out", "gmon.out-2", "gmon.out-3", "gmon.out-4" } do
        sum = sum + calls_of_mid(image, dir .. "/" .. name)
        local file = recorder.read(dir .. "/" .. name .. ".ctx")
        assert.is_true(not finish or finish == file.process.begin)
        finish = file.process.finish
        for _, thread in ipairs(file.threads) do cpu[thread.number] = (cpu[thread.number] or 0) + thread.cpu end
      end
      assert.same(calls, sum)
      for _, used in pairs(cpu) do assert.is_true(0 < used and used < 60e9) end
    end
    check()
    check { preload = false, image = recorder.compile("commands.c", { flags = { "-static" },
      link = { recorder.archive } }) }
  end)

  it("goes on if the files cannot be written, and loses no calls", function()
    local message = "^libgprof%-recorder: [^\n]*/gmon%.out: Is a directory\n[^\n]*ctx: Is a directory\n$"
    local result = recorder.run(built, { "1", "mkdir gmon.out gmon.out.ctx; kill -USR1 $PPID; sleep 0.2",
      "rmdir gmon.out gmon.out.ctx", ask("USR1", "gmon.out") }, { env = { GPROF_RECORDER = "dump-signal=USR1,anew" } })
    assert.same(0, result.status)
    assert.truthy(result.stderr:find(message), result.stderr)
    assert.same(tonumber(result.stdout),
      calls_of_mid(built, result.dir .. "/gmon.out") + calls_of_mid(built, result.dir .. "/gmon.out-2"))
  end)

  it("leaves the signal to a program that handles it", function()
    local parents = recorder.compile("parents.c", { flags = { "-fno-optimize-sibling-calls" } })
    local result = recorder.run(parents, { "h" }, { env = { GPROF_RECORDER = "dump-signal=USR1" } })
    assert.same({ "libgprof-recorder: the program sets an action for the signal of the option dump-signal, which " ..
      "then writes no profile\n", 0 }, { result.stderr, result.status })
    assert.same(1, recorder.paths(parents, result.dir .. "/gmon.out.ctx").handler)
  end)

  it("refuses signals that cannot work", function()
    for _, name in ipairs { "KILL", "SEGV", "CHLD", "32", "65", "0", "SIGUSR9", "" } do
      local result = recorder.run(built, { "0" }, { env = { GPROF_RECORDER = "dump-signal=" .. name } })
      assert.same({ ("libgprof-recorder: GPROF_RECORDER: invalid option 'dump-signal=%s'\n"):format(name), 0 },
        { result.stderr, result.status })
    end
  end)
end)
