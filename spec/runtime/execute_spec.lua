-- Programs that execute other programs: the profile is written first, and the other program is recorded only with the
-- option `follow`.
-- SPDX-License-Identifier: GPL-3.0-or-later

local launch = require "support.launch"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local function files(dir)
  return (shell.check({ "ls", "-A", dir }).stdout:gsub("\n$", ""):gsub("\n", " "))
end

local PRINTENV <const> = shell.check({ "sh", "-c", "command -v printenv" }).stdout:gsub("\n", "")

local built, static, plain
setup(function()
  built = recorder.compile "executes.c"
  plain = recorder.compile("executes.c", { plain = true }) -- without glibc's timer, which would go on
  static = recorder.compile("executes.c", { flags = { "-static" }, link = { recorder.archive } })
end)

-- Checks that a profile has one call of main, and `calls` calls of leaf.
local function check_profile(image, dir, calls)
  assert.same({ main = 1, ["main/leaf"] = calls or 1 }, (recorder.paths(image, dir .. "/gmon.out.ctx")))
  assert.same(calls or 1, recorder.arcs(image, dir .. "/gmon.out").leaf)
end

describe("before a program is replaced by another one, its profile is written:", function()
  for way in ("execl execlp execle execv execve execvp execvpe fexecve execveat"):gmatch "%S+" do
    it(way, function()
      local result = recorder.run(built, { way, PRINTENV, "PWD" })
      assert.same({ "", 0, "gmon.out gmon.out.ctx" }, { result.stderr, result.status, files(result.dir) })
      assert.truthy(result.stdout:find "^/[^\n]+\n$")
      check_profile(built, result.dir)
      result = recorder.run(static, { way, PRINTENV, "PWD" }, { preload = false })
      assert.same({ "", 0 }, { result.stderr, result.status })
      check_profile(static, result.dir)
    end)
  end

  it("and again at its end if that fails", function()
    for way in ("execl execvp fexecve"):gmatch "%S+" do
      local result = recorder.run(built, { way, "/nonexistent" })
      local message = way == "fexecve" and "Invalid argument\n" or "No such file or directory\n"
      assert.same({ "", message, 0 }, { result.stderr, result.stdout, result.status })
      check_profile(built, result.dir, 2)
    end
  end)

  it("in a forked child, if the child has made calls", function()
    for way, number in pairs { fork = false, vfork = false, spawn = false, call = true } do
      local result = recorder.run(built, { way, PRINTENV, "PWD" })
      assert.same({ "", 0 }, { result.stderr, result.status })
      check_profile(built, result.dir)
      assert.same(number and "gmon.out gmon.out.N gmon.out.N.ctx gmon.out.ctx" or "gmon.out gmon.out.ctx",
        (files(result.dir):gsub("%d+", "N")))
    end
  end)
end)

describe("a program that another one executes", function()
  it("is not ended by a sample that is pending when the clock stops", function()
    local forking = recorder.compile "forks.c"
    for _ = 1, 3 do
      local result = recorder.run(forking, { "/bin/true" }, { env = { GPROF_RECORDER = "rate=100000" } })
      assert.same({ "", 0 }, { result.stderr, result.status })
    end
  end)

  it("has the environment without the recorder, and with all other libraries", function()
    local function environment(image, way, preload, setting)
      local result = recorder.run(image, { way, PRINTENV }, { preload = preload or false,
        env = { GPROF_RECORDER = setting or false } })
      assert.same({ "", 0 }, { result.stderr, result.status })
      return (result.stdout:gsub("PWD=[^\n]*", ""))
    end
    local library = recorder.library
    for _, way in ipairs { "execl", "execvp", "execle", "system", "spawn", "vfork" } do
      local alone = environment(plain, way)
      assert.same(alone, environment(built, way, library, "rate=0"))
      local other = environment(plain, way, "libm.so.6")
      assert.truthy(other:find "LD_PRELOAD=libm.so.6\n")
      for _, list in ipairs { library .. ":libm.so.6", "libm.so.6:" .. library, "libm.so.6 " .. library } do
        assert.same(other, environment(built, way, list))
      end
      assert.same(alone, environment(static, way, nil, "rate=0"))
    end
    assert.truthy(environment(built, "execv", "libm.so.6:" .. library .. " libdl.so.2"):find(
      "LD_PRELOAD=libm.so.6:libdl.so.2\n"))
  end)

  it("may have an environment larger than the stack on which posix_spawn executes it", function()
    local names = {}
    for i = 1, 6000 do names["V" .. i] = "" end
    for _, setting in ipairs { "rate=0", "rate=0,follow" } do
      names.GPROF_RECORDER = setting
      local result = recorder.run(static, { "spawn", PRINTENV, "PWD" }, { preload = false, env = names })
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.truthy(result.stdout:find "^/[^\n]+\n$")
    end
  end)

  it("gets all options of the recorder, however long they are, and the number of its first profile", function()
    local others = "follow,a.part=1" .. (",rate=0"):rep(500)
    local result = recorder.run(built, { "execv", PRINTENV, "GPROF_RECORDER" },
      { env = { GPROF_RECORDER = "part=7.3," .. others } })
    assert.same(others .. ",part=N.2\n", (result.stdout:gsub("part=%d+%.2\n$", "part=N.2\n")))
  end)

  it("is recorded with --follow; each profile has its own name", function()
    local dir = shell.tmpdir "follow"
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", "--follow", "--rate=0", "sh", "-c",
      '"$1"; "$1" execl "$1"; "$1" system "$1"; exec "$1" execvp "$1"', "sh", built.image } do
      table.insert(words, word)
    end
    local result = shell.run(words, { cwd = dir, timeout = true,
      env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false } })
    assert.same({ "", 0 }, { result.stdout, result.status })
    local count, replaced = 0, 0
    for name, image in result.stderr:gmatch "gprof%.lua: (%S+) was written; to read it: gprof%.lua (%S+) %1\n" do
      assert.same(built.image, image)
      assert.same({ main = 1, ["main/leaf"] = 1 }, (recorder.paths(built, dir .. "/" .. name .. ".ctx")))
      count, replaced = count + 1, replaced + (name:find "^gmon%.out%.%d+%-2$" and 1 or 0)
    end
    -- the program alone; twice by execl; twice by system; twice in place of the shell
    assert.same({ 7, 2 }, { count, replaced })
    assert.truthy(result.stderr:find "^gprof%.lua: gmon.out.%d+ was written")
  end)

  it("is not recorded without --follow, which a message names", function()
    local followed <const> = "gprof%.lua: %S+ executed another program in its place, which is not recorded; with " ..
      "%-%-follow, the programs that it starts are recorded\n$"
    for _, way in ipairs { "execl", "execvp" } do
      assert.truthy(recorder.record("--rate=0", built.image, way, "/bin/true").stderr:find(followed))
      assert.truthy(recorder.record("-b", "-p", built.image, way, "/bin/true").stderr:find(followed))
      assert.is_nil(recorder.record("--follow", built.image, way, "/bin/true").stderr:find(followed))
      assert.is_nil(recorder.record("--rate=0", built.image, way, "/nonexistent").stderr:find(followed))
    end
    for _, way in ipairs { "fork", "vfork", "spawn" } do
      assert.is_nil(recorder.record("--rate=0", built.image, way, "/bin/true").stderr:find(followed))
    end
  end)

  it("is named if it takes most of the time", function()
    local busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
    local function told(...) return recorder.record(...).stderr:match "gprof%.lua: ([^\n]*)\n$" end
    local followed = ": %d+ %% of the processor time was spent in programs that it started; %-%-follow records them$"
    assert.matches(followed, told("--rate=0", built.image, "system", busy))
    assert.matches(followed, told("-b", "-p", built.image, "system", busy))
    assert.falsy(told("--rate=0", "--follow", built.image, "system", busy):find "programs that it started")
  end)

  it("is recorded by gprof.record, which lists no profiles of earlier runs", function()
    local result = launch.script([[
      local record = require "gprof".record
      for _ = 1, 5 do print(#assert(record({ arg[1] }, { follow = true })).profiles) end
    ]], { built.image }, { cwd = shell.tmpdir "again", env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false } })
    assert.same({ ("1\n"):rep(5), "" }, { result.stdout, result.stderr })
  end)
end)
