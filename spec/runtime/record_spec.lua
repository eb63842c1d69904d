-- --record: the program does not notice that it is recorded, and gprof ends as the program does. Messages and the
-- function gprof.record are also tested.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local FOLLOW <const> = "; with %-%-follow, the programs that it starts are recorded\n"
-- The command `gprof.lua --record`.
local function words(...)
  return table.move({ ... }, 1, select("#", ...), #program.interpreter + 3,
    table.move({ program.root .. "/gprof.lua", "--record" }, 1, 2, #program.interpreter + 1,
      table.move(program.interpreter, 1, #program.interpreter, 1, {})))
end

local function options(more)
  local all = { cwd = shell.tmpdir "record", env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false }, timeout = true }
  for key, value in pairs(more or {}) do all[key] = value end
  return all
end

-- Runs a program, which is compiled with -pg, under the recorder in a new directory. Returns the result, and the
-- directory.
local function record(...)
  local where = options()
  return shell.run(words(...), where), where.cwd
end

-- Runs a command, which leaves no profile, alone and recorded. Checks that the output is the same, and that the status
-- is 1 instead of 0; returns the recorded result.
local function compare(argv, more)
  local alone = shell.run(argv, options(more))
  local recorded = shell.run(words("--rate=0", table.unpack(argv)), options(more))
  assert.same({ alone.stdout, 0, 1 }, { recorded.stdout, alone.status, recorded.status })
  return recorded
end

-- Compiles a program of one source file. Returns its path.
local function compiled(name, flags, text)
  local argv = table.move(flags, 1, #flags, 5, { "gcc", "-o", name, name .. ".c" })
  return build.compiled(name, argv, { [name .. ".c"] = text }) .. "/" .. name
end

describe("--record", function()
  local built
  setup(function() built = recorder.compile("parents.c", { flags = { "-fno-optimize-sibling-calls" } }) end)

  it("records a program, and says where the profile is", function()
    local result, dir = record(built.image, "s")
    assert.same({ "", 0 }, { result.stdout, result.status })
    assert.equal(("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(built.image),
      result.stderr)
    assert.same(1, recorder.paths(built, dir .. "/gmon.out.ctx")["main/stack_arguments"])
  end)

  it("shows the time in libraries", function()
    local image = compiled("fill", { "-pg", "-O1", "-fno-builtin" }, [[
      #include <string.h>
      #include <time.h>
      static char buffer[1 << 16];
      int main(int count, char **words)
      {
          while (clock() < CLOCKS_PER_SEC / 10)
              for (int i = 0; i < 100; i++)
                  if (count > 1) memset(buffer, i, sizeof buffer);
                  else for (int j = 0; j < 1000; j++) ((volatile char *)buffer)[j]++;
      }]])
    local library = "%d%d%.%d%d +[%d.]+ +[%d.]+ +%S*memset%S*@libc%S*\n"
    sampled.decide(function()
      assert.truthy(record("-b", "-p", image, "x").stdout:find(library))
      assert.is_nil(record("-b", "-p", image).stdout:find(library))
    end)
  end)

  it("records a program under valgrind with --follow", function()
    if not shell.installed "valgrind" then pending "needs valgrind" return end
    local image = compiled("busy", {}, [[
      int main(void)
      {
          for (volatile int i = 0; i < 50000000; i++)
              ;
      }]])
    local result = record("--follow", "valgrind", "-q", "--tool=none", image)
    assert.same({ "", 0 }, { result.stdout, result.status }, result.stderr)
    assert.matches("to read it: gprof%.lua %S+/busy gmon%.out%.%d+\n$", result.stderr)
  end)

  it("samples no thread without recorded calls of a program compiled with -pg, also with --follow", function()
    local image = compiled("thread", { "-pg", "-O1", "-fno-inline", "-pthread" }, [[
      #include <pthread.h>
      __attribute__((no_instrument_function)) static void *uncounted(void *given)
      {
          for (volatile int i = 0; i < 50000000; i++)
              ;
          return given;
      }
      static int counted(pthread_t thread) { return pthread_join(thread, NULL); }
      int main(void)
      {
          pthread_t thread;
          return pthread_create(&thread, NULL, uncounted, NULL) || counted(thread);
      }]])
    for _, option in ipairs { "--rate=1000", "--follow" } do
      local result = record("-b", "-p", option, image)
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.truthy(result.stdout:find " counted\n")
      assert.is_nil(result.stdout:find "uncounted")
    end
  end)

  it("names the program as the command does", function()
    local where = options()
    shell.check { "cp", built.image, where.cwd .. "/copy" }
    assert.equal("gprof.lua: gmon.out was written; to read it: gprof.lua ./copy gmon.out\n",
      shell.run(words("./copy", "s"), where).stderr)
  end)

  it("prints reports at once if options ask for them", function()
    for _, argv in ipairs { { "-b", "-p", built.image, "q" }, { "-bp", "--", built.image, "q" } } do
      local result = record(table.unpack(argv))
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.truthy(result.stdout:find "^Flat profile:\n.*%s3%s+[%d.]+%s+[%d.]+%s+comparison\n")
    end
    local result = record("-b", "-p", built.image, "e")
    assert.same({ "", 3 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find "^Flat profile:\n")
  end)

  it("names --rate=0 among the reasons if a report lacks samples", function()
    assert.matches("hint: no samples: [^\n]*, or was recorded with %-%-rate=0: ",
      record("--rate=0", "-p", built.image, "q").stderr)
  end)

  it("ends as the program does", function()
    for word, ending in pairs { e = { status = 3 }, Q = { status = 4 }, A = { signal = 6 } } do
      local result = record(built.image, word)
      assert.same({ ending.status, ending.signal }, { result.status, result.signal })
      assert.truthy(result.stderr:find "gmon.out was written")
    end
  end)

  it("ends as the program does if its report fails, and names the profile", function()
    local path = compiled("ended", { "-O1" }, [[
#include <signal.h>
int main(int count, char **words)
{
  (void)words;
  for (volatile long i = 0; i < 100000000; i++) ;
  if (count == 3) raise(SIGTERM);
  return count == 2 ? 4 : 0;
}
]])
    local directory = shell.tmpdir "ended"
    local script = directory .. "/ended.lua"
    shell.write(script, "for i = 1, 1e6 do tostring(i) end\nif arg[1] then os.exit(4) end\n")
    for _, case in ipairs { { path, status = 1 }, { path, "x", status = 4 }, { path, "x", "x", signal = 15 },
      { script, status = 1 }, { script, "x", status = 4 } } do
      local result = record("-b", "--html=/nonexistent/x", table.unpack(case))
      assert.same({ case.status, case.signal }, { result.status, result.signal })
      local profile = case[1] == script and "ended.prof" or "gmon.out"
      assert.equal(("gprof.lua: /nonexistent/x: its directory does not exist\n" ..
        "gprof.lua: %s was written; to read it: gprof.lua %s\n"):format(profile,
        case[1] == script and profile or path .. " gmon.out"), result.stderr)
    end
  end)

  -- The kernel keeps no status of children for a process that ignores SIGCHLD.
  it("ends as the program does, even if it was started with SIGCHLD ignored", function()
    local ignoring <const> = { "perl", "-e", '$SIG{CHLD} = "IGNORE"; exec @ARGV' }
    local function start(argv)
      return shell.run(table.move(argv, 1, #argv, #ignoring + 1, { table.unpack(ignoring) }), options())
    end
    for word, ending in pairs { e = { status = 3 }, A = { signal = 6 } } do
      local result = start(words(built.image, word))
      assert.same({ ending.status, ending.signal }, { result.status, result.signal })
    end
    local script = shell.write(shell.tmpdir "script" .. "/record.lua", ([[
      package.path = %q
      local gprof = require "gprof"
      print(assert(gprof.record { %q, "e" }).status)
      local process <close> = require "gprof.core".fork(io.stdout)
      if process == false then os.exit(3) end
      print(pcall(process.wait, process))
    ]]):format(program.root .. "/?.lua", built.image))
    local argv = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    argv[#argv + 1] = script
    assert.same("3\nfalse\tcannot wait for a process: No child processes\n", start(argv).stdout)
  end)

  it("finds the profile where GMON_OUT_PREFIX says", function()
    local where = options { env = { GMON_OUT_PREFIX = "run", LD_PRELOAD = false } }
    local result = shell.run(words(built.image, "s"), where)
    local name = result.stderr:match "^gprof%.lua: (run%.%d+) was written"
    assert.is_true(shell.exists(where.cwd .. "/" .. name))
  end)

  it("finds the profile if GMON_OUT_PREFIX is empty, which the recorder takes as unset", function()
    for word, name in pairs { ["--rate=1"] = "gmon%.out", ["--follow"] = "gmon%.out%.%d+" } do
      local where = options { env = { GMON_OUT_PREFIX = "", LD_PRELOAD = false } }
      local result = shell.run(words(word, built.image, "s"), where)
      assert.truthy(result.stderr:find("^gprof%.lua: " .. name .. " was written"), result.stderr)
    end
  end)

  it("passes the recorder's options on, after those in the environment", function()
    local where = options { env = { GPROF_RECORDER = "rate=7,dump-signal=USR2", LD_PRELOAD = false } }
    local commands = recorder.compile "commands.c"
    local result = shell.run(words("--dump-signal=USR1", "--anew", commands.image, "0",
      "kill -USR1 $PPID; " .. shell.await "test -e gmon.out"), where)
    assert.same({ "1\n", 0 }, { result.stdout, result.status })
    assert.truthy(result.stderr:find "^gprof.lua: gmon.out was written")
    assert.same(7, recorder.read(where.cwd .. "/gmon.out.ctx").process.rate)
  end)

  it("leaves the program its arguments, streams and directory", function()
    local result = compare({ "sh", "-c", 'printf "%s," "$0" "$@"; cat; pwd -P | tail -c 1', "-p", "@x", "--help", "",
      "--", "two words" }, { stdin = shell.write(shell.tmpdir "input" .. "/text", "text\n") })
    assert.equal("-p,@x,--help,,--,two words,text\n\n", result.stdout)
    assert.truthy(result.stderr:find("sh: no samples were taken: %-%-rate=0 excludes them" .. FOLLOW .. "$"))
  end)

  it("fails if the program leaves no profile", function()
    for command, status in pairs { [":"] = 1, ["exit 3"] = 3 } do
      for option, ending in pairs { ["-p"] = ", so there is no report", ["--wall"] = "" } do
        local result = shell.run(words("--rate=0", option, "sh", "-c", command), options())
        assert.same({ status, "" }, { result.status, result.stdout })
        assert.truthy(result.stderr:find("sh: no samples were taken" .. ending .. ": ", 1, true))
      end
    end
  end)

  it("does not take a profile that cannot be written for a lack of samples", function()
    local result = shell.run(words("--output=gmon.out", "sh", "-c",
      "mkdir gmon.out; i=0; while [ $i -lt 99999 ]; do i=$((i + 1)); done"), options())
    assert.truthy(result.stderr:find("^libgprof%-recorder: [^\n]*/gmon%.out: Is a directory\n[^\n]*: no samples " ..
      "were taken: unless a message above says why, "), result.stderr)
  end)

  it("is refused in a directory that was removed", function()
    local where = options()
    local removed = where.cwd .. "/removed"
    local command = words(built.image, "s")
    for i, word in ipairs(command) do command[i] = shell.quote(word) end
    local result = shell.run({ "sh", "-c", ("mkdir %s; cd %s; rmdir %s; %s"):format(removed, removed, removed,
      table.concat(command, " ")) }, where)
    assert.same({ 1, "gprof.lua: the current directory was removed: the profile cannot be written there\n" },
      { result.status, result.stderr })
  end)

  describe("a program that changes its directory", function()
    local moves <const> = recorder.compile "moves.c"

    local function moved(...)
      local where = options()
      shell.check { "mkdir", where.cwd .. "/in" }
      local result = shell.run(words(...), where)
      return result, where.cwd
    end

    for _, what in ipairs { "away", "removed" } do
      for _, output in ipairs { "gmon.out", "in/x" } do
        it("leaves its profile where it was started: " .. what .. ", " .. output, function()
          local result, dir = moved("--output=" .. output, moves.image, what)
          assert.same({ 0, ("gprof.lua: %s was written; to read it: gprof.lua %s %s\n"):format(output, moves.image,
            output) }, { result.status, result.stderr })
          assert.truthy(shell.read(dir .. "/" .. output))
        end)
      end
    end

    it("leaves it in a directory whose name has a comma, or looks like an encoded one", function()
      for _, name in ipairs { "a,rate=b", "%2C", "%25,%" } do
        local where = options()
        where.cwd = where.cwd .. "/" .. name
        shell.check { "mkdir", where.cwd }
        local result = shell.run(words(moves.image, "away"), where)
        assert.same({ 0, ("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(moves.image) },
          { result.status, result.stderr })
        assert.truthy(shell.read(where.cwd .. "/gmon.out"))
      end
    end)

    it("is told which path has failed, and why", function()
      if shell.check({ "id", "-u" }).stdout ~= "0\n" then return pending "only root can change its root and user" end
      for what, why in pairs {
        jailed = "No such file or directory: the program has changed its root directory",
        dropped = "Permission denied: the program has changed its user, to 65534",
      } do
        local result, dir = moved("--output=gmon.out", moves.image, what)
        local message = ([[
libgprof-recorder: DIR/gmon.out: WHY
libgprof-recorder: DIR/gmon.out.ctx: WHY
gprof.lua: PROGRAM: no profile was found in the current directory: unless a message above says why, the program ]] ..
          "closed standard error, or ended by a system call of its own\n"):gsub("%u%u+", { DIR = dir,
          PROGRAM = moves.image, WHY = why })
        assert.same({ 1, message }, { result.status, result.stderr })
      end
      assert.same(0, moved("--output=gmon.out", moves.image, "jailed here").status)
    end)

    it("drops its privileges with all threads, also the recorder's", function()
      if shell.check({ "id", "-u" }).stdout ~= "0\n" then return pending "only root can drop privileges" end
      for _, option in ipairs { "wall", "dump-file=requests", "clock=thread" } do
        local result = recorder.run(moves, { "dropped-by-all" }, { env = { GPROF_RECORDER = option } })
        assert.same(0, result.status, option)
      end
    end)
  end)

  it("does not start the program if the profile has no directory", function()
    local where = options()
    shell.write(where.cwd .. "/file", "")
    for output, problem in pairs { ["none/out"] = "none/: No such file or directory", ["file/out"] =
      "file/: Not a directory" } do
      local result = shell.run(words("--output=" .. output, "touch", "started"), where)
      assert.same({ 1, "", ("gprof.lua: %s: the profile cannot be written there\n"):format(problem) },
        { result.status, result.stdout, result.stderr })
    end
    where.env.GMON_OUT_PREFIX = "none/out"
    assert.equal(1, shell.run(words("touch", "started"), where).status)
    assert.is_false(shell.exists(where.cwd .. "/started"))
  end)

  it("gives a note if all words after the program are options of gprof.lua", function()
    local function note(...) return shell.run(words(...), options()).stderr:match "^gprof%.lua: ([^\n]*before it)\n" end
    assert.equal("-b -p are passed to true; write options of gprof.lua before it", note("true", "-b", "-p"))
    assert.equal("--top=5 is passed to true; write options of gprof.lua before it", note("true", "--top=5"))
    for _, argv in ipairs { { "true" }, { "true", "-b", "file" }, { "true", "--unheard-of" }, { "--", "true", "-b" },
      { "true", "-" } } do
      assert.is_nil(note(table.unpack(argv)))
    end
  end)

  it("leaves the program its signals: none are blocked or ignored", function()
    compare { "grep", "^Sig[BI]", "/proc/self/status" }
    compare { "sh", "-c", 'trap "" HUP XFSZ; exec grep "^Sig[BI]" /proc/self/status' }
  end)

  it("leaves the program in its process group", function()
    local script = [[cut -d" " -f5 /proc/self/stat; exec "$@" cut -d" " -f5 /proc/self/stat]]
    local result = shell.run({ "sh", "-c", script, "sh", table.unpack(words()) }, options())
    local alone, recorded = result.stdout:match "^(%d+)\n(%d+)\n$"
    assert.truthy(alone)
    assert.equal(alone, recorded)
  end)

  it("passes on the signals that it is sent", function()
    local handled = shell.run(words("sh", "-c", 'trap "exit 7" TERM; kill -TERM $PPID; while :; do sleep 0.05; done'),
      options())
    assert.same(7, handled.status)
    local fatal = shell.run(words("sh", "-c", "kill -INT $PPID; while :; do sleep 0.05; done"), options())
    assert.same({ nil, 2 }, { fatal.status, fatal.signal })
  end)

  it("keeps libraries that are loaded first anyway", function()
    local where = options { env = { LD_PRELOAD = "libm.so.6", ASAN_OPTIONS = "verify_asan_link_order=0" } }
    assert.equal("libm.so.6\n", shell.run(words("printenv", "LD_PRELOAD"), where).stdout)
    local result = shell.run(words("--follow", "printenv", "LD_PRELOAD"), where)
    assert.equal(recorder.library .. ":libm.so.6\n", result.stdout)
  end)
end)

describe("--record of a program with AddressSanitizer in a library", function()
  local dir <const> = shell.tmpdir "sanitized"
  local source <const> = shell.write(dir .. "/main.c", "int main(void) { return 0; }\n")

  for compiler, flags in pairs { gcc = "-shared-libgcc", clang = "-shared-libasan" } do
    it("loads that library first: " .. compiler, function()
      local image, env = dir .. "/" .. compiler, {}
      local built = shell.run { compiler, "-pg", "-fsanitize=address", flags, source, "-o", image }
      if built.status ~= 0 then return pending(compiler .. " -fsanitize=address") end
      if compiler == "clang" then
        local name = "libclang_rt.asan-" .. recorder.machine .. ".so"
        env.LD_LIBRARY_PATH = shell.check({ compiler, "-print-file-name=" .. name }).stdout:match "^(.*)/"
      end
      local result = shell.run(words(image), options { env = env })
      assert.same({ 0, "gprof.lua: gmon.out was written; to read it: gprof.lua " .. image .. " gmon.out\n" },
        { result.status, result.stderr })
    end)
  end
end)

describe("the recorder's options", function()
  local built
  setup(function() built = recorder.compile("parents.c", { flags = { "-fno-optimize-sibling-calls" } }) end)

  -- Returns the rate and the limit, in megabytes, with which a program was recorded.
  local function recorded(dir)
    local process = recorder.read(dir .. "/gmon.out.ctx").process
    return { process.rate, process.limit >> 20 }
  end

  it("set the sampling rate and the limit of memory, and print no reports", function()
    for words_of, expected in pairs { ["--rate=0"] = { 0, 64 }, ["--rate=100000 --memory=1"] = { 100000, 1 },
      ["--memory=2G"] = { 1000, 2048 }, ["--memory 3M --rate 7"] = { 7, 3 } } do
      local argv = {}
      for word in words_of:gmatch "%S+" do argv[#argv + 1] = word end
      argv[#argv + 1] = built.image
      argv[#argv + 1] = "s"
      local result, dir = record(table.unpack(argv))
      assert.same({ "", 0 }, { result.stdout, result.status })
      assert.truthy(result.stderr:find "^gprof.lua: gmon.out was written")
      assert.same(expected, recorded(dir))
    end
  end)

  it("go before those in the environment", function()
    local where = options { env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false,
      GPROF_RECORDER = "rate=500,memory=16" } }
    local argv = words "--rate=250"
    local result = shell.run(table.move({ built.image, "s" }, 1, 2, #argv + 1, argv), where)
    assert.same(0, result.status)
    assert.same({ 250, 16 }, recorded(where.cwd))
  end)

  it("with bad values are refused in one line", function()
    for word, expected in pairs {
      ["--rate=100001"] = "option --rate takes a number of samples per second from 0 to 100000, not '100001'",
      ["--rate=-1"] = "option --rate takes a number of samples per second from 0 to 100000, not '-1'",
      ["--rate="] = "option --rate takes a number of samples per second from 0 to 100000, not ''",
      ["--rate=99999999999999999999"] =
        "option --rate takes a number of samples per second from 0 to 100000, not '99999999999999999999'",
      ["--memory=0"] = "option --memory takes a size from 1M to 1024G, not '0'",
      ["--memory=1025G"] = "option --memory takes a size from 1M to 1024G, not '1025G'",
      ["--memory=64K"] = "option --memory takes a size from 1M to 1024G, not '64K'",
      ["--memory=9223372036854775807G"] =
        "option --memory takes a size from 1M to 1024G, not '9223372036854775807G'",
    } do
      local result = record(word, built.image)
      assert.same({ "gprof.lua: " .. expected .. "\n", 1 }, { result.stderr, result.status })
    end
  end)

  it("need --record", function()
    for _, word in ipairs { "--rate=10", "--memory=10" } do
      local result = program.run { word, built.image }
      assert.same({ "gprof.lua: option " .. word:match "^[^=]*" .. " needs --record\n", 1 },
        { result.stderr, result.status })
    end
  end)

  it("are options of gprof.record, too", function()
    local where = shell.tmpdir "library"
    local script = ('local run = assert(require "gprof".record({ %q, "s" }, { rate = 20, memory = 5 })) ' ..
      'print(run.status, run.profile)'):format(built.image)
    local argv = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    argv[#argv + 1] = shell.write(shell.tmpdir "script" .. "/record.lua", script)
    local result = shell.run(argv,
      { cwd = where, env = { GMON_OUT_PREFIX = false, LUA_PATH = program.root .. "/?.lua" } })
    assert.same({ "0\tgmon.out\n", "" }, { result.stdout, result.stderr })
    assert.same({ 20, 5 }, recorded(where))
    assert.error_matches(function() gprof.record({ "x" }, { rate = 100001 }) end,
      "option 'rate': 0 to 100000 expected, got 100001")
    assert.error_matches(function() gprof.record({ "x" }, { memory = 0 }) end,
      "option 'memory': 1 to 1048576 expected, got 0")
    assert.error_matches(function() gprof.record({ "x" }, { rates = 5 }) end, "no option 'rates'")
  end)
end)

describe("--record of a program without -pg", function()
  local source <const> = shell.write(shell.tmpdir "samples" .. "/samples.c", [[
#include <pthread.h>
#include <threads.h>
#include <time.h>
static volatile double sum;
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
#define WORK(name) __attribute__((noinline)) void name(double until) { \
  while (used() < until) for (int i = 0; i < 100000; i++) sum += 1; }
WORK(first) WORK(second) WORK(third)
static void *posix(void *p) { second(0.2); return p; }
static int c11(void *p) { third(0.1); return p != 0; }
int main(void) {
  pthread_t one;
  thrd_t two;
  pthread_create(&one, 0, posix, 0);
  first(0.1);
  pthread_join(one, 0);
  int result = 1;
  if (thrd_create(&two, c11, 0) != thrd_success || thrd_join(two, &result) != thrd_success) return 2;
  return result;
}
]])
  local path <const> = source:gsub("%.c$", "")
  shell.check { "gcc", "-O1", "-g", "-pthread", "-o", path, source }

  it("has the time of all threads", function()
    sampled.decide(function()
      local result, dir = record(path)
      assert.same({ 0, ("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(path) },
        { result.status, result.stderr })
      local image = assert(gprof.image(path))
      local profile = assert(gprof.profile(image, assert(gprof.data(image, dir .. "/gmon.out")), { libraries = true }))
      for name, time in pairs { first = 0.1, second = 0.2, third = 0.1 } do
        assert.near(time, profile:find(name).self, 0.03, name)
      end
      assert.equal(3, #assert(profile:threads()))
    end)
  end)

  it("does not record such programs that the program starts", function()
    local result, dir = record("--rate=0", "sh", "-c", path)
    assert.truthy(result.stderr:find("no samples were taken: --rate=0 excludes them;", 1, true), result.stderr)
    assert.is_nil(io.open(dir .. "/gmon.out"))
  end)
end)

describe("--record says in one line that", function()
  local function check(message, status, ...)
    local result = record(...)
    assert.same({ message, status }, { result.stderr:match "^[^\n]*\n", result.status })
  end

  it("a program is static, unless the recorder is in it", function()
    local static = { flags = { "-static" } }
    local built = recorder.compile("parents.c", static)
    check(("gprof.lua: %s: is static, and is not recorded unless it is linked with libgprof-recorder.a\n"):format(
      built.image), 1, built.image, "s")
    static.link = { recorder.archive }
    built = recorder.compile("parents.c", static)
    check(("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(built.image), 0, built.image,
      "s")
  end)

  it("a program has its owner's privileges", function()
    local dir = shell.tmpdir "programs"
    shell.check { "cp", "/bin/true", dir .. "/setuid" }
    shell.check { "chmod", "4755", dir .. "/setuid" }
    check(("gprof.lua: %s/setuid: is setuid or setgid: only its owner or group can record it\n"):format(dir), 1,
      dir .. "/setuid")
  end)

  it("a program is killed, is for another word size, or has a sanitizer", function()
    local dir = shell.tmpdir "programs"
    local killed = program.run({ "--record", "sh", "-c", "kill -KILL $$" }, { cwd = dir })
    assert.truthy(killed.stderr:find ": was killed by SIGKILL, so it could not write its profile\n$")
    local bytes = shell.read "/bin/true"
    shell.check { "chmod", "+x", shell.write(dir .. "/small", bytes:sub(1, 4) .. "\1" .. bytes:sub(6)) }
    local small = program.run({ "--record", dir .. "/small" }, { cwd = dir })
    assert.truthy(small.stderr:find(": is a 32-bit program: the recorder is for 64-bit programs\n", 1, true))
    local checked = recorder.compile("parents.c", { flags = { "-fsanitize=address" } })
    check(("gprof.lua: gmon.out was written; to read it: gprof.lua %s gmon.out\n"):format(checked.image), 0,
      checked.image, "s")
  end)

  it("there is no program, or it cannot be run", function()
    check("gprof.lua: option --record needs a program to run\n", 1)
    check("gprof.lua: no-such-program: No such program in the directories of PATH\n", 1, "no-such-program", "-p", "x")
    local dir = shell.tmpdir "none"
    local problems = { [dir] = "Permission denied", [dir .. "/missing"] = "No such file or directory" }
    for path, problem in pairs(problems) do
      local result = record(path)
      assert.same({ ("gprof.lua: %s: %s\n"):format(path, problem), 1 }, { result.stderr, result.status })
    end
  end)

  it("a program of this directory needs a slash", function()
    local where = options()
    shell.write(where.cwd .. "/here", "")
    shell.write(where.cwd .. "/here-too.lua", "")
    shell.check({ "mkdir", "directory.lua" }, where)
    for name, message in pairs { here = "No such program in the directories of PATH: write ./here",
      ["here-too"] = "No such program in the directories of PATH: write here-too.lua",
      ["none.lua"] = "No such file or directory", ["directory.lua"] = "is a directory" } do
      assert.same(("gprof.lua: %s: %s\n"):format(name, message), shell.run(words(name), where).stderr)
    end
  end)

  it("a signal cannot ask for profiles", function()
    check("gprof.lua: option --dump-signal takes USR1, USR2, HUP, QUIT, PROF, PWR, URG or WINCH, not 'KILL'\n", 1,
      "--dump-signal=KILL", "/bin/true")
  end)

  it("it must come first", function()
    local message = "gprof.lua: option --record must be the first argument, and not abbreviated\n"
    for _, argv in ipairs { { "-b", "--record", "/bin/true" }, { "--recor", "/bin/true" } } do
      local result = program.run(argv)
      assert.same({ message, 1 }, { result.stderr, result.status })
    end
  end)
end)

describe("gprof.lua --record, after the program has forked,", function()
  local forking = recorder.compile "kills.c"

  -- Records with further options. Returns the messages, and the numbers of the children by which profiles are named.
  local function fork_with(more, ...)
    local dir = shell.tmpdir "forks"
    local argv = { "--record", "--rate=0", table.unpack(more) }
    for _, word in ipairs { forking.image, ... } do argv[#argv + 1] = word end
    local result = program.run(argv, { cwd = dir,
      env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false } })
    local children = {}
    for number in shell.listing(dir):gmatch "gmon%.out%.(%d+)\n" do children[#children + 1] = tonumber(number) end
    table.sort(children)
    assert.equal(2, #children)
    local messages = result.stderr:gsub("/[^ :]*/program", "program")
    for i, number in ipairs(children) do messages = messages:gsub("%.out%." .. number .. "%f[%D]", ".out." .. i) end
    return messages, dir, children
  end

  local function fork(...) return fork_with({}, ...) end

  it("lists the profiles of its children, and how to read their sum", function()
    local messages, dir, children = fork()
    assert.equal("gprof.lua: gmon.out was written; to read it: gprof.lua program gmon.out\n" ..
      "gprof.lua: gmon.out.1 was written; to read it: gprof.lua program gmon.out.1\n" ..
      "gprof.lua: gmon.out.2 was written; to read it: gprof.lua program gmon.out.2\n" ..
      "gprof.lua: to read their sum: gprof.lua program gmon.out gmon.out.1 gmon.out.2\n", messages)
    local flat = program.run({ "-b", "-p", forking.image, "gmon.out", "gmon.out." .. children[1],
      "gmon.out." .. children[2] }, { cwd = dir }).stdout
    assert.matches(" 3 +[%d.]+ +[%d.]+ +callee\n", flat)
  end)

  it("says which profiles the reports leave out, and how to read the sum of all", function()
    local messages = fork_with { "-b", "-p" }
    assert.equal("gprof.lua: program: the reports leave out 2 profiles of other processes; to read the sum of all: " ..
      "gprof.lua program gmon.out gmon.out.1 gmon.out.2\n", messages)
  end)

  it("lists them also if the program was killed", function()
    assert.equal("gprof.lua: gmon.out.1 was written; to read it: gprof.lua program gmon.out.1\n" ..
      "gprof.lua: gmon.out.2 was written; to read it: gprof.lua program gmon.out.2\n" ..
      "gprof.lua: to read their sum: gprof.lua program gmon.out.1 gmon.out.2\n" ..
      "gprof.lua: program: was killed by SIGKILL, so it could not write its profile\n", (fork "now"))
  end)
end)

describe("gprof.lua --record, with many profiles,", function()
  local forking = recorder.compile "kills.c"
  local FORKS <const> = "i=0; while [ $i -lt 6 ]; do i=$((i + 1)); \"$0\"; done"

  -- Records a shell that runs a program six times, with 18 profiles. Returns the messages, with processes as N and a
  -- list of names as NAMES, and the last command.
  local function follow(dir, ...)
    local argv = { "--record", "--follow", "--rate=0", ... }
    for _, word in ipairs { "sh", "-c", FORKS, forking.image } do argv[#argv + 1] = word end
    local told = program.run(argv, { cwd = dir, timeout = true,
      env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false } }).stderr
    local command = told:match "(gprof%.lua [^\n]*)\n$"
    told = told:gsub("/[^ :]*/program", "program"):gsub("%.out%.%d+", ".out.N"):gsub("gmon.out.N gmon.out.N[^\n]*",
      "NAMES")
    return told, command
  end

  it("gives a command that reads all", function()
    local dir = shell.tmpdir "many"
    local first = "gprof.lua: 18 profiles were written: gmon.out.N, gmon.out.N, gmon.out.N and 15 more; to read the " ..
      "first: gprof.lua program gmon.out.N\n"
    assert.equal(first .. "gprof.lua: to read their sum: gprof.lua program gmon.out.*\n", (follow(dir)))
    local told, command = follow(dir) -- the first ones are still there
    assert.equal(first .. "gprof.lua: to read their sum: gprof.lua program NAMES\n", told)
    assert.equal(18, select(2, command:gsub(" gmon%.out%.%d+", "")))
  end)

  it("says that the reports leave out all but those of the first process", function()
    assert.equal("gprof.lua: program: the reports leave out 17 profiles of other processes; to read the sum of all: " ..
      "gprof.lua program gmon.out.*\n", (follow(shell.tmpdir "left", "-b", "-p")))
  end)
end)

describe("gprof.record", function()
  it("returns how the program ended, and where its profile is", function()
    local here = "the current directory"
    local function run(...) return gprof.record({ ... }, { rate = 0 }) end
    assert.same({ status = 0, image = "/bin/true", directory = here, samples = true }, run "/bin/true")
    assert.same({ status = 5, image = "/bin/sh", directory = here, samples = true }, run("/bin/sh", "-c", "exit 5"))
    assert.same({ signal = 9, image = "/bin/sh", directory = here, samples = true },
      run("/bin/sh", "-c", "kill -9 $$"))
  end)

  it("warns of what is not recorded", function()
    local warned, dir = {}, shell.tmpdir "setuid"
    shell.check { "cp", "/bin/true", dir .. "/setuid" }
    shell.check { "chmod", "4755", dir .. "/setuid" }
    assert(gprof.record({ dir .. "/setuid" }, { warn = function(...) table.insert(warned, { ... }) end }))
    assert.same({ { dir .. "/setuid: is setuid or setgid: only its owner or group can record it" } }, warned)
  end)

  it("fails if the program cannot be started", function()
    assert.same({ nil, "/nonexistent/program: No such file or directory" }, { gprof.record { "/nonexistent/program" } })
    assert.error_matches(function() gprof.record { 5 } end, "string expected")
    assert.error_matches(function() gprof.record "program" end, "table expected")
  end)
end)
