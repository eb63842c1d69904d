-- Requests to a program that is recorded: its profile is written while it runs, and the counts of several profiles add
-- up to all calls.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local THREADS <const> = 2

-- A command that sends the program a signal, and waits until it has written a file.
local function ask(signal, name)
  return ("rm -f %s; kill -%s $PPID; %s"):format(name, signal, shell.await("test -e " .. name))
end

-- The shell command "gprof.lua ARGUMENTS".
local function asks(arguments)
  local words = {}
  for i, word in ipairs(program.interpreter) do words[i] = "'" .. word .. "'" end
  return ("%s '%s/gprof.lua' %s"):format(table.concat(words, " "), program.root, arguments)
end

local function files(dir)
  return (shell.check({ "ls", "-A", dir }).stdout:gsub("\n$", ""):gsub("\n", " "))
end

-- Returns the calls of mid in a profile, after a check that both of its files agree.
local function calls_of_mid(built, path)
  local counts = recorder.arcs(built, path)
  local paths = recorder.paths(built, path .. ".ctx")
  local last = paths["main/mid"] or 0 -- the call after the last command
  assert.same({ counts.mid or 0, counts.leaf or 0 },
    { (paths["work/mid"] or 0) + last, (paths["work/mid/leaf"] or 0) + 2 * last })
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

  it("writes it when a file is made or touched", function()
    local old = shell.write(shell.tmpdir "touched" .. "/old", "")
    local function touch(file, name)
      return ("test -e %s && exit 1; touch %s; %s"):format(name, file, shell.await("test -e " .. name))
    end
    for _, file in ipairs { old, "new" } do
      local calls, dir = run("dump-file=" .. file .. ",anew", { "sleep 0.2", touch(file, "gmon.out"),
        touch(file, "gmon.out-2") })
      local sum = 0
      for _, name in ipairs { "gmon.out", "gmon.out-2", "gmon.out-3" } do
        sum = sum + calls_of_mid(built, dir .. "/" .. name)
      end
      assert.same(calls, sum)
    end
  end)

  describe("after its parent has changed the directory", function()
    local function touch(file, name)
      return ("touch %s; %s"):format(file, shell.await(("test -e %s.$PPID"):format(name)))
    end

    it("watches the file in the directory of the start", function()
      local result = recorder.run(built, { "away", touch("../now", "gmon.out") },
        { env = { GPROF_RECORDER = "dump-file=now" } })
      assert.same({ "", 0 }, { result.stderr, result.status })
    end)

    it("watches it in the directory of the option, as with --record", function()
      local other = shell.tmpdir "other"
      local result = recorder.run(built, { "away", touch(other .. "/now", other .. "/gmon.out") },
        { env = { GPROF_RECORDER = "dump-file=now,directory=" .. other } })
      assert.same({ "", 0 }, { result.stderr, result.status })
      result = recorder.record("--dump-file=in/now", built.image, "away",
        "mkdir ../in; " .. touch("../in/now", "../gmon.out"))
      assert.same(0, result.status)
    end)
  end)

  it("watches a file whose name has a comma, or looks like an encoded one", function()
    for name, encoded in pairs { ["a,anew"] = "a%2Canew", ["%2C"] = "%252C", ["100%"] = "100%" } do
      local command = ("touch %s; %s"):format(name, shell.await "test -e gmon.out")
      run("dump-file=" .. encoded, { command })
      local result = recorder.record("--dump-file=" .. name, built.image, "1", command)
      assert.same(0, result.status)
    end
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
    local message = "^libgprof%-recorder: [^\n]*/gmon%.out: Is a directory\n[^\n]*ctx: Is a directory\n" ..
      "gprof%.lua: process %d+: cannot write its profile: Is a directory\n$"
    local result = recorder.run(built, { "1", "mkdir gmon.out gmon.out.ctx; ! " .. asks "--dump $PPID --anew",
      "rmdir gmon.out gmon.out.ctx", ask("USR1", "gmon.out") }, { env = { GPROF_RECORDER = "dump-signal=USR1,anew" } })
    assert.same(0, result.status)
    assert.truthy(result.stderr:find(message), result.stderr)
    assert.same(tonumber(result.stdout),
      calls_of_mid(built, result.dir .. "/gmon.out") + calls_of_mid(built, result.dir .. "/gmon.out-2"))
  end)

  it("writes it at its end if that failed before, even if nothing was counted since", function()
    local result = recorder.run(built, { "1", asks "--pause=$PPID", "mkdir gmon.out; ! " .. asks "--dump=$PPID",
      "rmdir gmon.out" })
    assert.same({ 0, "gmon.out gmon.out.ctx" }, { result.status, files(result.dir) })
    calls_of_mid(built, result.dir .. "/gmon.out")
  end)

  it("takes no samples by the same signal", function()
    local calls, dir = run("dump-signal=63", { ask("63", "gmon.out"),
      "grep -q 'gprof-recorder:62:' /proc/$PPID/maps" })
    assert.same(calls, calls_of_mid(built, dir .. "/gmon.out"))
  end)

  it("says that the profile would replace a file that is not one", function()
    local result = recorder.run(built, { "1", "echo text >gmon.out; ! " .. asks "--dump=$PPID", "cat gmon.out",
      "rm gmon.out" })
    assert.same({ "text\n", 0 }, { (result.stdout:gsub("%d+\n$", "")), result.status })
    assert.truthy(result.stderr:find("gprof%.lua: process %d+: cannot write its profile: it would replace a file " ..
      "that is not one\n"), result.stderr)
  end)

  it("replaces both files, or neither", function()
    for _, name in ipairs { "gmon.out", "gmon.out.ctx" } do
      local dump = asks "--dump $PPID"
      local result = recorder.run(built, { "1", dump, "mkdir old; cp gmon.out gmon.out.ctx old",
        ("mkdir %s.$PPID.tmp; ! %s"):format(name, dump), ("rmdir %s.$PPID.tmp"):format(name),
        "ls -A; cmp gmon.out old/gmon.out; cmp gmon.out.ctx old/gmon.out.ctx" })
      assert.same({ "gmon.out\ngmon.out.ctx\nold\n", 0 }, { (result.stdout:gsub("%d+\n$", "")), result.status })
      assert.truthy(result.stderr:find(name .. ": File exists\n", 1, true), result.stderr)
    end
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

describe("a daemon that is asked for a hundred profiles while it serves", function()
  local PROFILES <const> = 100

  -- A timer ticks once for each millisecond of processor time. The kernel looks at timers at least a hundred times a
  -- second, so a thread's last ticks are missing. If each profile lost a tick, a hundred would be missing.
  it("loses no call, and no sample between two profiles", function()
    local built = recorder.compile "serves.c"
    local requests, paths
    sampled.decide(function()
      local result = recorder.run(built, { tostring(PROFILES) }, { env = { GPROF_RECORDER = "dump-signal=USR1,anew" } })
      assert.same({ "", 0 }, { result.stderr, result.status })
      local time
      requests, time = result.stdout:match "^(%d+) (%d+)\n$"
      local ticks, threads = 0, 3
      paths = {}
      for number = 1, PROFILES + 1 do
        paths[number] = result.dir .. (number == 1 and "/gmon.out" or "/gmon.out-" .. number)
        for _, thread in ipairs(recorder.read(paths[number] .. ".ctx").threads) do
          ticks = ticks + thread.inside
          for i = 3, thread.rows - 1 do
            if thread[i].self == 0 then ticks = ticks + thread[i].count end
          end
        end
      end
      local expected = tonumber(time) / 1e6
      assert.is_true(expected - 20 * threads <= ticks and ticks <= expected + threads, ticks .. " of " .. expected)
    end)
    local flat = program.run { "-b", "-p", "--no-libraries", built.image, table.unpack(paths) }
    assert.same({ "", 0, requests }, { flat.stderr, flat.status, flat.stdout:match "(%d+) +[%d.]+ +[%d.]+ +answer\n" })
  end)
end)

describe("a library that the program has opened", function()
  local plugin, loader
  setup(function()
    plugin = recorder.compile("plugin.c", { flags = { "-shared", "-fPIC" } }).image
    loader = recorder.compile "loader.c"
  end)

  -- No samples: one in linkage stubs is a warning in reports on the library.
  local function load(...)
    local result = recorder.run(loader, { ... }, { env = { GPROF_RECORDER = "rate=0" } })
    assert.same(0, result.status)
    return result
  end

  -- The number of calls of plugged, as reports on the library show it.
  local function plugged(path)
    local result = program.run({ "-b", "-p", plugin, path .. ".ctx" })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return tonumber(result.stdout:match "(%d+) +[%d.]+ +[%d.]+ +plugged\n")
  end

  local function modules(path)
    local found, file = {}, recorder.read(path .. ".ctx")
    for _, module in ipairs(file.modules) do
      if module.path == plugin then table.insert(found, module) end
    end
    return found
  end

  it("is in profiles that are written while it is open, and after it is closed", function()
    local result = load(plugin, ":" .. asks "--dump=$PPID" .. "; cp gmon.out.ctx first.ctx", plugin)
    local open, closed = modules(result.dir .. "/first"), modules(result.dir .. "/gmon.out")
    if closed[1].bias ~= open[1].bias then closed[1], closed[2] = closed[2], closed[1] end
    assert.same({ 1, 0, 2, 1 }, { #open, open[1].closed, #closed, closed[1].closed })
    for _, field in ipairs { "bias", "low", "high", "code", "code_end", "build_id" } do
      assert.equal(closed[1][field], open[1][field], field)
    end
    assert.is_true(#open[1].build_id == 20)
    assert.same({ 1000, 2000 }, { plugged(result.dir .. "/first"), plugged(result.dir .. "/gmon.out") })
  end)

  it("is in the profile if the program ends while it is open", function()
    local result = load(plugin, "_exit")
    assert.same(1000, plugged(result.dir .. "/gmon.out"))
  end)

  it("is there once, however often the profile is written, with other libraries", function()
    local other = shell.tmpdir "other" .. "/program"
    shell.check { "cp", plugin, other }
    local result = load(plugin, ":" .. asks "--dump=$PPID" .. ";" .. asks "--dump=$PPID", other,
      ":" .. asks "--dump=$PPID", plugin)
    local found = modules(result.dir .. "/gmon.out")
    assert.same({ 2, 1, 1 }, { #found, found[1].closed, found[2].closed })
    local places = {}
    for _, module in ipairs(recorder.read(result.dir .. "/gmon.out.ctx").modules) do table.insert(places, module) end
    table.sort(places, function(a, b) return a.low < b.low end)
    for i = 2, #places do assert.is_true(places[i - 1].high <= places[i].low) end
    assert.same(3000, plugged(result.dir .. "/gmon.out"))
  end)
end)

describe("a library that takes the addresses of one that was closed unnoticed", function()
  local loader, plugin, other
  local olds = {}
  setup(function()
    local shared = { flags = { "-shared", "-fPIC" } }
    loader, plugin = recorder.compile "replaces.c", recorder.compile("plugin.c", shared).image
    other = recorder.compile("library.c", shared).image
    olds.large = recorder.compile("many.c", shared).image
    local flags = { "-shared", "-fPIC", "-Wl,--build-id=0x1234" } -- a note without padding
    olds["of equal size"] = recorder.compile("plugin.c", { flags = flags }).image
  end)

  -- The calls of functions outside all modules, and whether any module has the path of one of the libraries.
  local function unknown(path, old)
    local file, calls, named = recorder.read(path), {}, false
    local function is_known(address)
      for _, module in ipairs(file.modules) do
        if address >= module.low and address < module.high then return true end
      end
    end
    for _, module in ipairs(file.modules) do
      if module.path == old or module.path == plugin then named = true end
    end
    for i = 3, file.threads[1].rows - 1 do
      local row = file.threads[1][i]
      if row.self ~= 0 and not is_known(row.self) then calls[#calls + 1] = row.count end
    end
    table.sort(calls)
    return calls, named
  end

  for _, size in ipairs { "large", "of equal size" } do
    it("has calls, but neither library is named, as they cannot be told apart: " .. size, function()
      local old = olds[size]
      -- The first sample needs memory, which could take a page of the old library's place.
      local result = recorder.run(loader, { old, plugin, other, asks "--dump=$PPID" .. "; cp gmon.out.ctx first.ctx" },
        { env = { GPROF_RECORDER = "rate=0" } })
      assert.same({ "same\n", 0 }, { result.stdout, result.status })
      for _, name in ipairs { "first.ctx", "gmon.out.ctx" } do
        local calls, named = unknown(result.dir .. "/" .. name, old)
        assert.same({ { 1, 1000 }, false }, { calls, named })
      end
      local flat = program.run({ "-b", "-p", loader.image, result.dir .. "/gmon.out" })
      assert.same({ "", 0 }, { flat.stderr, flat.status })
      assert.truthy(flat.stdout:find("<unknown code>", 1, true), flat.stdout)
    end)
  end
end)

describe("gprof.request", function()
  it("returns the path of the profile even if its files were removed or replaced", function()
    local built = recorder.compile "commands.c"
    local script = shell.write(shell.tmpdir "script" .. "/request.lua", ([[
      package.path = %q .. package.path
      io.stderr:write(assert(require "gprof".request(math.tointeger(arg[1]), arg[2])), "\n")]]):format(
      program.root .. "/?.lua;"))
    local words = {}
    for i, word in ipairs(program.interpreter) do words[i] = "'" .. word .. "'" end
    local request = ("%s '%s' $PPID "):format(table.concat(words, " "), script)
    local result = recorder.run(built, { "1", request .. "write", "rm gmon.out.ctx", request .. "pause",
      "rm gmon.out", request .. "resume", request .. "write" })
    local path = shell.check({ "realpath", result.dir }).stdout:gsub("\n", "") .. "/gmon.out\n"
    assert.same({ path:rep(4), 0 }, { result.stderr, result.status })
  end)
end)

describe("gprof.lua --record --anew", function()
  local built
  setup(function() built = recorder.compile "commands.c" end)

  -- Records the program, which asks for its own profile `times` times. Returns the result, and the directory.
  local function record(times, ...)
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", "--dump-signal=USR1", "--anew", ... } do
      table.insert(words, word)
    end
    table.move({ built.image, "1", ask("USR1", "gmon.out") }, 1, 3, #words + 1, words)
    for i = 2, times do table.insert(words, ask("USR1", "gmon.out-" .. i)) end
    local dir = shell.tmpdir "anew"
    return shell.run(words, { cwd = dir, timeout = true,
      env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false } }), dir
  end

  it("lists all profiles of the program, in order", function()
    local result = record(2)
    local lines = {}
    for i, name in ipairs { "gmon.out", "gmon.out-2", "gmon.out-3" } do
      lines[i] = ("gprof.lua: %s was written; to read it: gprof.lua %s %s\n"):format(name, built.image, name)
    end
    lines[4] = ("gprof.lua: to read their sum: gprof.lua %s gmon.out gmon.out-2 gmon.out-3\n"):format(built.image)
    assert.same({ table.concat(lines), 0 }, { result.stderr, result.status })
  end)

  it("names the first of many profiles, and how to read their sum", function()
    local result, dir = record(10)
    assert.same({ ("gprof.lua: 11 profiles were written: gmon.out, gmon.out-2, gmon.out-3 and 8 more; " ..
      "to read the first: gprof.lua %s gmon.out\ngprof.lua: to read their sum: gprof.lua %s gmon.out*\n"):format(
      built.image, built.image), 0 }, { result.stderr, result.status })
    local calls, sum = 0, 0
    for i = 1, 11 do
      calls = calls + (recorder.arcs(built, dir .. "/gmon.out" .. (i > 1 and "-" .. i or "")).mid or 0)
    end
    local words = table.move({ program.root .. "/gprof.lua", "-b", "-p", built.image }, 1, 4, #program.interpreter + 1,
      table.move(program.interpreter, 1, #program.interpreter, 1, {}))
    local flat = shell.check({ "sh", "-c", shell.join(words) .. " gmon.out*" }, { cwd = dir }).stdout
    for count in flat:gmatch "(%d+) +[%d.]+ +[%d.]+ +mid\n" do sum = sum + tonumber(count) end
    assert.equal(calls, sum, flat)
  end)

  it("reports on the sum of these profiles", function()
    local result, dir = record(2, "-b", "-p")
    assert.same({ "", 0 }, { result.stderr, result.status })
    local calls, flat = result.stdout:match "^(%d+)\n(Flat profile:.*)$"
    assert.truthy(calls, result.stdout)
    assert.equal(flat, program.run({ "-b", "-p", built.image, "gmon.out", "gmon.out-2", "gmon.out-3" },
      { cwd = dir }).stdout)
    assert.truthy(flat:find("%s" .. calls .. "%s[^\n]*%smid\n"), flat)
  end)
end)

describe("gprof.lua --dump", function()
  local built
  setup(function() built = recorder.compile "commands.c" end)

  local function written(dir, name)
    return ("gprof.lua: %s/%s was written; to read it: gprof.lua %s %s/%s\n"):format(dir, name, built.image, dir, name)
  end

  it("waits for the profile of a process, and says where it is", function()
    local result = recorder.run(built, { THREADS, asks "--dump $PPID", "cp gmon.out first; cp gmon.out.ctx first.ctx" })
    local dir = shell.check({ "realpath", result.dir }).stdout:gsub("\n", "")
    assert.same({ written(dir, "gmon.out"), 0 }, { result.stderr, result.status })
    local first = calls_of_mid(built, result.dir .. "/first")
    assert.is_true(0 < first and first < calls_of_mid(built, result.dir .. "/gmon.out"))
  end)

  it("can begin a new profile each time, also without samples", function()
    local result = recorder.run(built, { THREADS, asks "--dump $PPID --anew", asks "--dump=$PPID --anew",
      asks "--dump=$PPID" }, { env = { GPROF_RECORDER = "rate=0" } })
    local dir = shell.check({ "realpath", result.dir }).stdout:gsub("\n", "")
    assert.same({ written(dir, "gmon.out") .. written(dir, "gmon.out-2") .. written(dir, "gmon.out-3"), 0 },
      { result.stderr, result.status })
    local sum = 0
    for _, name in ipairs { "gmon.out", "gmon.out-2", "gmon.out-3" } do
      sum = sum + calls_of_mid(built, result.dir .. "/" .. name)
    end
    assert.same(tonumber(result.stdout), sum)
  end)

  it("can pause recording, and resume it", function()
    local result = recorder.run(built, { THREADS, asks "--pause=$PPID", "sleep 0.1", asks "--dump=$PPID",
      "cp gmon.out first; cp gmon.out.ctx first.ctx", "sleep 0.1", asks "--dump=$PPID",
      "cp gmon.out second; cp gmon.out.ctx second.ctx",
      asks "--resume=$PPID", "sleep 0.05" })
    assert.same(0, result.status)
    local counts = {}
    for _, name in ipairs { "first", "second", "gmon.out" } do
      table.insert(counts, calls_of_mid(built, result.dir .. "/" .. name))
    end
    assert.is_true(counts[1] == counts[2] and counts[2] < counts[3] and counts[3] < tonumber(result.stdout))
  end)

  it("asks a forked child, and a program that contains the recorder", function()
    local static = recorder.compile("commands.c", { flags = { "-static" }, link = { recorder.archive } })
    local result = recorder.run(static, { THREADS, asks "--dump=$PPID" }, { preload = false })
    assert.same({ 0, "gmon.out gmon.out.ctx" }, { result.status, files(result.dir) })
    result = recorder.run(built, { "fork", asks "--dump=$PPID" })
    assert.same(0, result.status)
    local name = result.stderr:match "^gprof%.lua: [^\n]*/(gmon%.out%.%d+) was written"
    assert.same(2, recorder.arcs(built, result.dir .. "/" .. name).mid)
  end)

  it("is refused in one line with anything that it would ignore", function()
    for words, message in pairs {
      ["--record --dump=1 true"] = "options --dump and --record are mutually exclusive",
      ["--record --pause=1 -p true"] = "options --pause and --record are mutually exclusive",
      ["--dump=1 -p"] = "options --dump and -p (--flat-profile) are mutually exclusive",
      ["--resume=1 --report=x.lua"] = "options --resume and --report are mutually exclusive",
      ["-B --pause=1"] = "options --pause and -B are mutually exclusive",
      ["--dump=1 --anew a.out"] = "option --dump takes no file: 'a.out'",
      ["--resume=1 a.out gmon.out"] = "option --resume takes no file: 'a.out'",
    } do
      local argv = {}
      for word in words:gmatch "%S+" do argv[#argv + 1] = word end
      local result = program.run(argv)
      assert.same({ "", "gprof.lua: " .. message .. "\n", 1 }, { result.stdout, result.stderr, result.status })
    end
    assert.equal(program.run({ "-v" }).stdout, program.run({ "--dump=1", "-v", "-p" }).stdout)
  end)

  it("says in one line why there is no profile", function()
    local function check(message, arguments, options)
      local result = recorder.run(built, { "1", asks(arguments) }, options)
      assert.same({ message, 1 }, { (result.stderr:gsub("process %d+", "process N")), result.status })
    end
    check("gprof.lua: process N: does not run under the recorder: start it with gprof.lua --record\n", "--dump=$PPID",
      { preload = false })
    local failed = recorder.run(built, { "1", asks "--dump=$PPID" }, { env = { GMON_OUT_PREFIX = "/nonexistent/run" } })
    assert.truthy(failed.stderr:find "\ngprof%.lua: process %d+: cannot write its profile: No such file or directory\n")
    -- The kernel's numbers are smaller.
    check("gprof.lua: process N: No such process\n", "--dump=4194305")
    check("gprof.lua: option --dump takes a whole number from 1 to 2147483647, not '0'\n", "--dump=0")
  end)
end)

describe("a program that has written its profile at its end, and is asked for it", function()
  -- The end of the process could come between the two files. Output comes after the recorder's end.
  it("does not write it again", function()
    local built <const> = recorder.compile "lingers.c"
    local dir = shell.tmpdir "lingers"
    local script = ([[mkfifo pipe; env LD_PRELOAD='%s' '%s' > pipe & program=$!
exec 3<pipe
dd bs=1 count=1 <&3 >/dev/null 2>&1; stat -c '%%i %%n' gmon.out* > before
%s || exit 1
stat -c '%%i %%n' gmon.out* > after; cat <&3 | wc -c; wait $program]]):format(recorder.library, built.image,
      asks "--dump=$program")
    local result = shell.run({ "sh", "-c", script }, { cwd = dir, timeout = true })
    local path = shell.check({ "realpath", dir }).stdout:gsub("\n", "") .. "/gmon.out"
    assert.same({ 0, "1048575\n", ("gprof.lua: %s was written; to read it: gprof.lua %s %s\n"):format(path, built.image,
      path) }, { result.status, result.stdout, result.stderr })
    assert.equal(shell.read(dir .. "/before"), shell.read(dir .. "/after"))
  end)
end)

describe("a server that waits for all signals", function()
  local built <const> = recorder.compile "awaits.c"

  it("with sigtimedwait sees its own interruptions only, and its time limit", function()
    local options = { env = { GPROF_RECORDER = "dump-signal=USR2" } }
    for word, error in pairs { interrupted = "EINTR", limited = "EAGAIN" } do
      local result = recorder.run(built, { word }, options)
      assert.same({ "", ("-1 %s\n"):format(error), 0 }, { result.stderr, result.stdout, result.status })
    end
  end)

  for _, call in ipairs { "sigwait", "sigwaitinfo", "signalfd" } do
    it("with " .. call .. " sees only its own, and can be asked for its profile", function()
      local dir = shell.tmpdir "server"
      local script = ([[env LD_PRELOAD='%s' '%s' %s > out & server=$!
%s
%s || exit 1
kill -HUP $server; kill -TERM $server
wait $server]]):format(recorder.library, built.image, call, shell.await "grep -q ready out", asks "--dump=$server")
      local result = shell.run({ "sh", "-c", script }, { cwd = dir, timeout = true })
      assert.same({ 0, "ready\n1\n15\n" }, { result.status, shell.read(dir .. "/out") })
    end)
  end
end)
