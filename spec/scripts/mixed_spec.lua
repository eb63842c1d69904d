-- Profiles of Lua programs together with their C functions: gprof.lua --record --with-c.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local launch = require "support.launch"
local program = require "support.program"
local sampled = require "support.sampled"
local shell = require "support.shell"

local fixtures <const> = program.root .. "/spec/fixtures/lua/"

local HEADERS <const> = "/usr/include/lua5.4"

local function module(label, ...)
  return build.compiled(label, { "gcc", "-O1", "-g", "-fno-inline", "-fno-optimize-sibling-calls", "-shared", "-fPIC",
    "-I" .. HEADERS, "-o", "native.so", "native.c", ... }, { ["native.c"] = shell.read(fixtures .. "native.c") })
end

-- Runs a script with C functions from one of the modules, and returns the path of its profile.
local function recorded(text, options)
  options = options or {}
  local dir = shell.tmpdir "mixed"
  local words = { "--record", "--with-c", "script.lua" }
  table.move(options, 1, #options, 3, words)
  words[#options + 3] = "script.lua"
  shell.write(dir .. "/script.lua", text)
  local cpath = (options.module or module("native-pg", "-pg")) .. "/?.so;;"
  local result = program.run(words, { cwd = dir, env = { LUA_CPATH = cpath } })
  assert.same({ options.stdout or "", "gprof.lua: script.prof was written; to read it: gprof.lua script.prof\n",
    options.status or 0 }, { result.stdout, result.stderr, result.status })
  return dir .. "/script.prof", dir
end

local function report(...)
  local result = program.run { ... }
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

-- Returns the calls of each arc of a profile, as "CALLER > CALLEE COUNT", but of those that load modules, and of those
-- that only a sample has shown.
local function arcs(path)
  local list = {}
  for caller, callee, count in report("--export=csv-arcs", path)
    :gmatch "\n([^,\n]*),[^,\n]*,[^,\n]*,([^,\n]*),[^,\n]*,[^,\n]*,(%d+)," do
    local line = ("%s > %s %s"):format(caller, callee, count):gsub("@native%.so", "")
    if not line:find "require" and not line:find "luaopen" and count ~= "0" then list[#list + 1] = line end
  end
  table.sort(list)
  return list
end

-- Returns a column of the export csv, by function.
local function column(path, number)
  local values = {}
  for line in report("--export=csv", path):gmatch "\n([^\n]+)" do
    local fields = {}
    for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
    values[fields[1]:gsub("@native%.so", "")] = tonumber(fields[number])
  end
  return values
end

local SELF <const>, CHILDREN <const>, CALLS <const> = 6, 7, 9

describe("a Lua program with C functions", function()
  it("has the same calls of Lua functions as without", function()
    local dir, names = shell.tmpdir "both", {}
    local text = shell.read(fixtures .. "calls.lua")
    for name in text:gmatch "\nfunction programs%.([%a_]+)" do names[#names + 1] = name end
    shell.write(dir .. "/calls.lua", text)
    shell.write(dir .. "/all.lua", ("for name in (%q):gmatch '%%S+' do arg = { name } dofile 'calls.lua' end"):format(
      table.concat(names, " ")))
    for option, output in pairs { ["--count=calls"] = "plain", ["--with-c"] = "mixed" } do
      local result = program.run({ "--record", "--rate=0", option, "--output=" .. output, "all.lua" }, { cwd = dir })
      assert.equal(0, result.status, result.stderr)
    end
    local expected = arcs(dir .. "/plain")
    assert.truthy(#expected > 90)
    assert.same(expected, arcs(dir .. "/mixed"))
  end)

  it("has their exact calls, in both directions", function()
    local path = recorded [[
      local native = require "native"
      local function leaf() end
      local function callback() leaf() native.fib(5) end
      local function outer()
        for _ = 1, 10 do native.fib(10) end
        native.apply(20, callback)
      end
      outer()
    ]]
    assert.same({
      "callback > leaf 20",
      "callback > native.fib 20",
      "fib > fib 2040",  -- 10 * 176 + 20 * 14
      "lua_apply > repeat 1",
      "lua_apply > touch 1",
      "lua_fib > fib 30",
      "main chunk of script.lua > outer 1",
      "native.apply > lua_apply 1",
      "native.fib > lua_fib 30",
      "outer > native.apply 1",
      "outer > native.fib 10",
      "repeat > callback 20",
      "repeat > touch 20",
    }, arcs(path))
  end)

  -- The garbage collector starts so often that samples are in it when an error ends a function.
  it("knows after samples in the garbage collector which C function runs", function()
    local path = recorded([[
      collectgarbage("incremental", 100, 1000, 40)
      local native = require "native"
      local function failing() for _ = 1, 50 do local _ = { {} } end error "failed" end
      for _ = 1, 15 do native.apply(20, failing) end
    ]], { "--rate=10000" })
    local callers = {}
    for _, arc in ipairs(arcs(path)) do callers[#callers + 1] = arc:match "^(.*) > failing" end
    assert.same({ "repeat" }, callers)
    assert.truthy(report("-b", "-p", path):find "garbage collector")
  end)

  it("knows after an error which C function runs", function()
    local path = recorded [[
      local native = require "native"
      local function failing() error "failed" end
      local function deep(n) if n == 0 then error "failed" end deep(n - 1) native.fib(1) end
      local function outer()
        native.apply(10, failing)
        native.apply(5, function() deep(3) end)
        pcall(native.apply, 3, function() pcall(deep, 2) native.fib(1) end)
      end
      outer()
      native.apply(1, outer)
    ]]
    assert.same({
      "callback of native.apply (script.lua:6) > deep 10",
      "callback of pcall (script.lua:7) > native.fib 6",
      "callback of pcall (script.lua:7) > pcall 6",
      "deep > deep 42",
      "deep > error 16",
      "failing > error 20",
      "lua_apply > repeat 7",
      "lua_apply > touch 7",
      "lua_fib > fib 6",
      "main chunk of script.lua > native.apply 1",
      "main chunk of script.lua > outer 1",
      "native.apply > lua_apply 7",
      "native.fib > lua_fib 6",
      "outer > native.apply 4",
      "outer > pcall 2",
      "pcall > deep 6",
      "pcall > native.apply 2",
      "repeat > callback of native.apply (script.lua:6) 10",
      "repeat > callback of pcall (script.lua:7) 6",
      "repeat > failing 20",
      "repeat > outer 1",
      "repeat > touch 37",
    }, arcs(path))
  end)

  it("knows the coroutine that runs, also if C code resumes it", function()
    local path = recorded [[
      local native = require "native"
      local function work(n) for _ = 1, n do native.fib(1) coroutine.yield() end end
      local function body() work(3) end
      local function failing() work(2) error "failed" end
      native.run(body)
      native.run(failing)
      native.apply(1, function() native.run(body) end)
      local function nested() native.fib(1) end
      local co = coroutine.wrap(function() native.fib(1) native.apply(2, nested) work(2) end)
      for _ = 1, 3 do co() native.fib(1) end
    ]]
    assert.same({
      "body > work 2",
      "callback of coroutine.wrap (script.lua:9) > native.apply 1",
      "callback of coroutine.wrap (script.lua:9) > native.fib 1",
      "callback of coroutine.wrap (script.lua:9) > work 1",
      "callback of native.apply (script.lua:7) > native.run 1",
      "coroutine.wrap (resumed) > callback of coroutine.wrap (script.lua:9) 1",
      "failing > error 1",
      "failing > work 1",
      "lua_apply > repeat 2",
      "lua_apply > touch 2",
      "lua_fib > fib 16",
      "lua_run > body 2",
      "lua_run > failing 1",
      "lua_run > touch 8",
      "main chunk of script.lua > coroutine.wrap (resumed) 3",
      "main chunk of script.lua > coroutine.wrap 1",
      "main chunk of script.lua > native.apply 1",
      "main chunk of script.lua > native.fib 3",
      "main chunk of script.lua > native.run 2",
      "native.apply > lua_apply 2",
      "native.fib > lua_fib 16",
      "native.run > lua_run 3",
      "nested > native.fib 2",
      "repeat > callback of native.apply (script.lua:7) 1",
      "repeat > nested 2",
      "repeat > touch 3",
      "work > coroutine.yield 10",
      "work > native.fib 10",
    }, arcs(path))
  end)

  -- C functions that are compiled with -pg stand between those that Lua calls and those of Lua that they call.
  local between <const> = { ["native.apply"] = "repeat", ["native.run"] = "lua_run" }

  -- Returns the calls of the arcs of a random program.
  local function random_arcs(option, module_dir, seed)
    local dir, counts = shell.tmpdir "random", {}
    shell.check { "cp", fixtures .. "random.lua", dir }
    local result = program.run({ "--record", "--rate=0", option, "--output=p", "random.lua", tostring(seed) },
      { cwd = dir, env = { LUA_CPATH = module_dir .. "/?.so;;" } })
    assert.equal(0, result.status, result.stderr)
    for _, line in ipairs(arcs(dir .. "/p")) do
      local arc, count = line:match "^(.*) (%d+)$"
      counts[arc] = tonumber(count)
    end
    return counts
  end

  local repeatedly = chance.cases(1, 10)

  it("has the same calls with and without C functions, if it is a random one", function()
    repeatedly(function(message, seed)
      local mixed = random_arcs("--with-c", module("native-pg", "-pg"), seed)
      for arc, count in pairs(random_arcs("--count=calls", module "native-plain", seed)) do
        local caller, callee = arc:match "^(.*) > (.*)$"
        assert.equal(count, mixed[(between[caller] or caller) .. " > " .. callee], message .. arc)
      end
      for name, through in pairs { fib = "fib", apply = "repeat" } do
        local called = ("native.%s > lua_%s"):format(name, name)
        assert.equal(mixed[called], mixed[("lua_%s > %s"):format(name, through)], message .. called)
      end
    end, 5)
  end)

  it("may start threads that make no recorded call", function()
    local modules = build.compiled("lua-threads", { "gcc", "-shared", "-fPIC", "-I" .. HEADERS, "-o", "threads.so",
      "threads.c" }, { ["threads.c"] = [[
#include <lauxlib.h>
#include <pthread.h>
static void *work(void *nothing) { return nothing; }
static int run(lua_State *L) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
int luaopen_threads(lua_State *L) { lua_pushcfunction(L, run); return 1; }
]] })
    local path = recorded("local run = require 'threads' run() run()", { module = modules })
    local _, rows = report("-b", "--threads", path):gsub("\n[ %d.]+lua5%.4", "")
    assert.equal(3, rows)
  end)

  it("may be a host with threads of its own", function()
    local dir = build.compiled("lua-host", { "gcc", "-O1", "-pg", "-fno-inline", "-I" .. HEADERS, "-o", "host",
      "host.c", "-llua5.4" }, { ["host.c"] = shell.read(fixtures .. "host.c") })
    local cwd = shell.tmpdir "host"
    shell.write(cwd .. "/script.lua", ("package.path = %q .. package.path\npackage.cpath = %q .. package.cpath\n")
      :format(program.root .. "/lua/?.lua;", program.root .. "/build/?.so;") .. [[
      local recorder = require "gprof.recorder"
      recorder.start { with_c = true }
      local function step() touch() end
      function frame() step() step() end
      function broken() step() error "broken" end
      function finish() recorder.stop() assert(recorder.write("host.prof")) end
    ]])
    local result = program.run({ "--record", dir .. "/host", "script.lua" }, { cwd = cwd })
    assert.same({ "", 0 }, { result.stdout, result.status })
    local list, rest = arcs(cwd .. "/host.prof"), {}
    for i, line in ipairs(list) do list[i] = line:gsub("@host", "") end
    for i = #list, 1, -1 do
      -- an arc without a call has time in a function of the C library
      if list[i]:find "recorder" or list[i]:find " 0$" then table.remove(list, i) end
    end
    assert.same({
      "broken > error 3",
      "broken > step 3",
      "call > broken 3",
      "call > finish 1",
      "call > frame 5",
      "call > touch 8",
      "frame > step 10",
      "host_touch > touch 13",
      "main > script 1",
      "script > call 9",
      "step > touch 13",
      "touch > host_touch 13",
      "work > touch 100",
    }, list)
    -- the recorder has gone on
    for line in report("--export=csv-arcs", dir .. "/host", cwd .. "/gmon.out"):gmatch "\n([^\n]+)" do
      local fields = {}
      for field in line:gmatch "[^,]*" do fields[#fields + 1] = field end
      rest[#rest + 1] = fields[7] ~= "0" and ("%s > %s"):format(fields[4], fields[7]) or nil
    end
    table.sort(rest)
    assert.same({ "call > 1", "host_touch > 2", "touch > 1", "touch > 2", "touch > 2" }, rest)
  end)

  it("has all functions in reports within the program, and no name of a temporary file", function()
    local dir = shell.tmpdir "within"
    shell.write(dir .. "/s.lua", [[
      local native, recorder = require "native", require "gprof.recorder"
      recorder.start { with_c = true }
      local function outer() native.apply(20, function() native.fib(10) end) end
      outer()
      recorder.stop()
      for _, name in ipairs { "flat", "objects", "info", "verify", "annotation" } do recorder.report(name) end
      recorder.start { with_c = true }
      outer()
      recorder.report "graph"
    ]])
    local result = shell.run({ "lua5.4", "s.lua" }, { cwd = dir, env = {
      LD_PRELOAD = program.root .. "/build/libgprof-recorder.so",
      LUA_PATH = program.root .. "/?.lua;;", LUA_CPATH = module("native-pg", "-pg") .. "/?.so;;" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    for _, name in ipairs { "outer %(s.lua:3%)", "fib@native.so", "lua_apply@native.so", "touch@native.so" } do
      assert.matches("\n *%d+%.%d%d[^\n]* " .. name .. "\n", result.stdout)
    end
    assert.matches("\n *%d+%.%d%d +%d+%.%d%d +42  Lua program\n", result.stdout)
    assert.matches("File `recording' ", result.stdout)
    assert.matches("\nrecording belongs to Lua program\n", result.stdout)
    assert.matches("%d %-> +local function outer", result.stdout)
    assert.not_matches("/lua_", result.stdout)  -- the names of temporary files
    assert.not_matches("gprof%.hooks%.free", result.stdout)
  end)

  it("is not changed", function()
    recorded([[
      print(os.getenv "LD_PRELOAD", os.getenv "GPROF_RECORDER")
      os.execute "env | grep -c gprof-recorder"
      local native = require "native"
      native.fib(3)
      os.exit(5)
    ]], { stdout = "nil\tnil\n0\n", status = 5 })
  end)

  it("has lines, a page, sums and comparisons like others", function()
    local text = [[
      local native = require "native"
      local function leaf() end
      local function callback() leaf() end
      native.apply(%d, callback)
    ]]
    local one, dir = recorded(text:format(3), { "--count=lines" })
    local two = recorded(text:format(4), { "--count=lines" })
    assert.truthy(report("-b", "-l", "-A", "-I" .. dir, one):find "\n +1,3,3 %-> +local function leaf%(%) end\n")
    local sum = shell.tmpdir() .. "/sum.prof"
    report("-s", "--sum-file=" .. sum, one, two)
    local total = column(sum, CALLS)
    assert.same({ 7, 9, 2 }, { total.leaf, total.touch, total.lua_apply })
    assert.same(column(two, CALLS).touch, 5)
    local change = report("-b", "--compare=" .. one, two)
    assert.truthy(change:find "4 +5 +%+1 +1%.25 .* touch@native%.so\n", change)
    local page = shell.tmpdir() .. "/page.html"
    report("--html=" .. page, "-I" .. dir, sum)
    assert.truthy(shell.read(page):find("touch@native.so", 1, true))
  end)

  it("has names of functions of a stripped interpreter, without a warning", function()
    local path = recorded([[
      local native = require "native"
      local function callback() end
      local stop = os.clock() + 0.3
      while os.clock() < stop do native.apply(1000, callback) end
    ]], { "--rate=2000" })
    assert.truthy(report("-b", "-p", path):find "lua_%w+@")
  end)

  it("cannot be recorded without the calls of Lua functions", function()
    local result = program.run { "--record", "--with-c", "--count=none", fixtures .. "calls.lua" }
    assert.same({ "", "gprof.lua: options --with-c and --count=none are mutually exclusive\n", 1 },
      { result.stdout, result.stderr, result.status })
    result = program.run { "--record", "--with-c", "/bin/true" }
    assert.same({ "", "gprof.lua: /bin/true: is not a Lua program: --with-c is only for these\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("cannot be recorded by a static interpreter", function()
    local dir = shell.tmpdir "static"
    shell.check({ "sh", "-c", "echo 'int main(void) { return 0; }' | gcc -static -x c -o lua5.4 -" }, { cwd = dir })
    local line = ('lua=$(command -v "$1"); shift; PATH=%s:$PATH; exec "$lua" "$@"'):format(dir)
    local result = launch.line(line, { "--record", "--with-c", fixtures .. "calls.lua" })
    assert.same({ "", ("gprof.lua: %s/lua5.4: is static: C functions cannot be recorded (--with-c)\n"):format(dir), 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("counts calls within C functions as quickly as in other programs", function()
    local dir = build.compiled("many", { "gcc", "-O1", "-pg", "-fno-inline", "-shared", "-fPIC", "-I" .. HEADERS, "-o",
      "many.so", "many.c" }, { ["many.c"] = [[
        #include <lauxlib.h>
        static volatile long sum;
        static void tiny(long i) { sum += i; }
        static int many(lua_State *L) { for (long i = 0; i < 2000000; i++) tiny(i); (void)L; return 0; }
        int luaopen_many(lua_State *L) { lua_pushcfunction(L, many); return 1; }
      ]] })
    local env, script = { LUA_CPATH = dir .. "/?.so;;" }, shell.tmpdir() .. "/many.lua"
    shell.write(script, 'local f, start = require "many", os.clock() f() print(os.clock() - start)')
    sampled.decide(function()
      local plain = tonumber(shell.check({ "lua5.4", script }, { env = env }).stdout)
      local words = { "--record", "--with-c", "--output=" .. script .. ".prof", script }
      local counted = tonumber(program.run(words, { env = env }).stdout)
      assert.is_true(counted < 5 * plain, ("%g seconds instead of %g"):format(counted, plain))
    end)
  end)

  describe("has the time", function()
    -- Each part takes a third of the processor time.
    local WORK <const> = [[
      local native = require "native"
      local function work(seconds)
        local x, stop = 0, os.clock() + seconds
        repeat
          for i = 1, 10000 do
            x = x + i % 7
          end
        until os.clock() > stop
      end
      local function outer() work(0.1) end
      work(0.1)
      native.spin(0.1)
      native.apply(1, outer)
    ]]

    local function check(path)
      local self, children = column(path, SELF), column(path, CHILDREN)
      local function total(name) return self[name] + children[name] end
      local all = total "main chunk of script.lua"
      assert.truthy(all > 0.2)
      for name, thirds in pairs { work = 2, outer = 1, ["native.apply"] = 1,
        ["native.spin"] = 1 } do
        assert.near(thirds / 3, total(name) / all, 0.15, name)
      end
      return self, total, all
    end

    it("of Lua functions and of C functions compiled with -pg", function()
      local path = sampled.decide(function()
        local path = recorded(WORK)
        local self, total, all = check(path)
        assert.near(1 / 3, total "spin" / all, 0.15)
        assert.truthy(self["native.spin"] / all < 0.1)
        return path
      end)
      -- the interpreter's time has the lines of Lua functions
      local lines = report("-b", "-l", "-p", path)
      assert.truthy(lines:find "work %(script%.lua:[567] @")
    end)

    it("of other C functions, without their calls", function()
      local path = sampled.decide(function()
        local path = recorded(WORK, { module = module "native-plain" })
        local _, total, all = check(path)
        assert.near(1 / 3, total "spin" / all, 0.15)
        return path
      end)
      assert.equal(0, column(path, CALLS).spin)
      assert.equal(1, column(path, CALLS)["native.spin"])
    end)
  end)
end)
