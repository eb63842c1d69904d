-- Programs that end by a signal: the profile is written, and they end as without the recorder.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local machine <const> = recorder.machine

local TERM <const>, XCPU <const>, REALTIME <const> = "15", "24", "50"
local TRAPPED <const> = machine == "x86_64" and 4 or 5 -- the signal of __builtin_trap()

local built, static
setup(function()
  built = recorder.compile "ends.c"
  static = recorder.compile("ends.c", { flags = { "-static" }, link = { recorder.archive } })
end)

describe("a program that ends by a signal writes its profile before:", function()
  local function check(arguments, options)
    options = options or {}
    local alone = recorder.run(built, arguments, { preload = false, before = options.before })
    local recorded = recorder.run(options.image or built, arguments, options)
    assert.same({ alone.stdout, alone.stderr, alone.status, alone.signal },
      { recorded.stdout, recorded.stderr, recorded.status, recorded.signal })
    local image, path = options.image or built, recorded.dir .. "/gmon.out"
    assert.same({ 1, 1 }, { recorder.paths(image, path .. ".ctx")["main/leaf"], recorder.arcs(image, path).leaf })
    return recorded
  end

  it("a fault", function()
    for way, signal in pairs { null = 11, trap = TRAPPED, divide = machine == "x86_64" and 8 or nil } do
      assert.same(signal, check({ way }).signal)
      check({ way }, { image = static, preload = false })
    end
  end)

  it("a stack that overflows, in any thread", function()
    local limited = { "sh", "-c", 'ulimit -S -s 8192 2>/dev/null; exec "$@"', "sh" } -- KB; there may be no limit
    for _, way in ipairs { "overflow", "thread" } do
      assert.same(11, check({ way }, { before = limited }).signal)
      check({ way }, { image = static, preload = false, before = limited })
    end
  end)

  it("a signal that the program does not handle", function()
    for _, number in ipairs { "1", "2", "3", "5", "6", "7", "13", "14", TERM, XCPU, "31", REALTIME } do
      assert.same(tonumber(number), check({ "raise", number }).signal)
    end
  end)

  it("a signal at which the program's own handler ends it", function()
    for _, way in ipairs { "last", "once" } do
      for _, number in ipairs { TERM, "6", "11" } do
        local result = check { way, number }
        assert.same({ "handler " .. number .. "\n", tonumber(number) }, { result.stdout, result.signal })
      end
    end
  end)

  it("SIGABRT, whose handler returns to abort()", function()
    for _, way in ipairs { "abort", "abort-once", "assert" } do
      local result = check { way }
      assert.same({ "handler 6\n", 6 }, { result.stdout, result.signal })
      check({ way }, { image = static, preload = false })
    end
  end)

  it("not, if the program handles or ignores the signal", function()
    assert.same(0, check({ "handle", TERM }).status)
    assert.same(0, check({ "raise", "2" }, { before = { "sh", "-c", 'trap "" INT; "$@"', "sh" } }).status)
  end)

  it("even if standard error has no reader, or the file system is full", function()
    local function status(script, env)
      return recorder.run(built, { "raise", TERM }, { before = { "sh", "-c", script, "sh" }, env = env }).stdout
    end
    assert.same("143\n", status '(ulimit -f 0; "$@" 2>/dev/null); echo $?')
    assert.same("143\n", status('mkfifo pipe; : <pipe & exec 4>pipe; wait; (exec "$@" 2>&4); echo $?',
      { GMON_OUT_PREFIX = "/nonexistent/run" }))
  end)

  it("and it sees its signals and stacks as without the recorder", function()
    assert.same({ "", 0 }, { check({ "check" }).stdout, check({ "check" }).status })
    check({ "check" }, { image = static, preload = false })
  end)

  it("also with older standards, where signal() is another function", function()
    local older = recorder.compile("ends.c", { flags = { "-Dsignal=__sysv_signal" } })
    check({ "last", TERM }, { image = older })
  end)

  it("the sender and the cause of the signal stay the same", function()
    if shell.run({ "sh", "-c", "strace -o /dev/null true" }).status ~= 0 then
      pending "needs strace, and the permission to trace"
      return
    end
    local script = 'strace -f -q -e trace=none -o trace "$@"; sed -n "/--- SIGSEGV/s/.*--- //p" trace'
    local result = recorder.run(built, { "null" }, { before = { "sh", "-c", script, "sh" } })
    local first, second, rest = result.stdout:match "^([^\n]*)\n([^\n]*)\n(.*)$"
    assert.truthy(first and first:find "SEGV_MAPERR")
    assert.same({ first, "" }, { second, rest })
  end)
end)

describe("a program that ends in another way writes its profile before:", function()
  -- Returns the directory of the profiles.
  local function run(image, way, status)
    local result = recorder.run(image, { way }, { preload = image == built and recorder.library or false })
    assert.same({ "", status }, { result.stderr, result.status })
    assert.same(1, recorder.paths(image, result.dir .. "/gmon.out.ctx")["main/leaf"])
    return result.dir
  end

  it("by a system call", function()
    for _, image in ipairs { built, static } do run(image, "call", 3) end
  end)

  it("in daemon(), whose child begins a profile of its own", function()
    for _, image in ipairs { built, static } do
      local dir = run(image, "daemon", 0)
      local listed = shell.check({ "sh", "-c", shell.await "ls gmon.out.[0-9]*.ctx 2>/dev/null" }, { cwd = dir }).stdout
      assert.same(1, recorder.paths(image, dir .. "/" .. listed:match "[^\n]+")["main/leaf"])
    end
  end)
end)

describe("a program that has reached a soft limit writes its profile:", function()
  for _, limit in ipairs { "files", "size", "memory" } do
    it(limit, function()
      local result = recorder.run(built, { limit })
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.same(1, recorder.paths(built, result.dir .. "/gmon.out.ctx")["main/leaf"])
    end)
  end
end)

describe("a program without standard streams", function()
  it("writes its profile if a soft limit allows no other descriptors; with a hard limit, it leaves no file", function()
    local result = recorder.run(built, { "files" }, { before = { "sh", "-c", 'exec "$@" <&-', "sh" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.same(1, recorder.paths(built, result.dir .. "/gmon.out.ctx")["main/leaf"])
    result = recorder.run(built, {}, { before = { "sh", "-c", 'exec prlimit --nofile=3 "$@" <&-', "sh" } })
    assert.matches("gmon%.out: Too many open files\n", result.stderr)
    assert.same({ "", 0 }, { shell.check({ "ls", result.dir }).stdout, result.status })
  end)

  it("writes its profile, and nothing else", function()
    local closed = 'exec "$@" <&- >&- 2>&-'
    for _, options in ipairs { { env = {} }, { env = { GPROF_RECORDER = "rate=x" } },
      { env = { GMON_OUT_PREFIX = "/nonexistent/run" } } } do
      options.before = { "sh", "-c", closed, "sh" }
      local result = recorder.run(built, { "raise", "0" }, options)
      assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
      if not options.env.GMON_OUT_PREFIX then
        assert.same(1, recorder.paths(built, result.dir .. "/gmon.out.ctx")["main/leaf"])
      end
    end
  end)

  it("can be recorded by gprof.lua, and asked for its profile", function()
    local commands = recorder.compile "commands.c"
    local words = {}
    for i, word in ipairs(program.interpreter) do words[i] = shell.quote(word) end
    local ask = ("%s %s --dump $PPID >/dev/null 2>&1"):format(table.concat(words, " "),
      shell.quote(program.root .. "/gprof.lua"))
    local result = recorder.run(commands, { "1", ask }, { before = { "sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh" } })
    assert.same(0, result.status)
  end)
end)
