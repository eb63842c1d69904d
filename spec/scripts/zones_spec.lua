-- Zones with a begin and an end, and pauses: in all ways of recording.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local program = require "support.program"
local shell = require "support.shell"

local RECORDER <const> = program.root .. "/build/libgprof-recorder.so"

local START <const> = [[
  local recorder = require "gprof.recorder"
  local zone, done = recorder.zone_begin, recorder.zone_end
  local function leaf() for _ = 1, 1000 do end end
]]

-- Runs a script with a variable `recorder`, and returns its output. `options` are those of recorder.start.
local function run(text, options)
  local dir = shell.tmpdir "zones"
  shell.write(dir .. "/z.lua", START .. text:gsub("START", ("recorder.start { %s }"):format(options)))
  local native = build.compiled("native-pg", { "gcc", "-O1", "-g", "-fno-inline", "-fno-optimize-sibling-calls",
    "-shared", "-fPIC", "-I/usr/include/lua5.4", "-o", "native.so", "native.c", "-pg" },
    { ["native.c"] = shell.read(program.root .. "/spec/fixtures/lua/native.c") })
  local result = shell.run({ "lua5.4", "z.lua" }, { cwd = dir, env = { LUA_CPATH = native .. "/?.so;;",
    LUA_PATH = program.root .. "/?.lua;;", LD_PRELOAD = options == "with_c = true" and RECORDER or nil } })
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout, dir .. "/z.prof"
end

-- Returns the arcs with calls, as "CALLER > CALLEE COUNT", without places.
local function arcs(path)
  local result, list = program.run { "--export=csv-arcs", path }, {}
  for caller, callee, count in result.stdout:gmatch "\n([^,\n]*),[^,\n]*,[^,\n]*,([^,\n]*),[^,\n]*,[^,\n]*,(%d+)," do
    local line = ("%s > %s %s"):format(caller, callee, count):gsub(" %([^)]*%)", ""):gsub("@native%.so", "")
    if count ~= "0" and not line:find "require" and not line:find "luaopen" then list[#list + 1] = line end
  end
  table.sort(list)
  return list
end

-- Returns the set of the paths of samples, without places.
local function sampled_paths(profile)
  local paths = {}
  for line in program.run({ "--export=folded", profile }).stdout:gmatch "[^\n]+" do
    paths[line:gsub(" %([^)]*%)", ""):gsub(" %d+$", "")] = true
  end
  return paths
end

local COUNTED <const> = { "rate = 0", 'rate = 0, count = "lines"', "with_c = true" }

-- Records a script in all ways that count calls, and compares the arcs.
local function check(text, expected, output)
  for _, options in ipairs(COUNTED) do
    local out, path = run(text .. " recorder.stop() assert(recorder.write 'z.prof')", options)
    assert.same({ output or "", expected }, { out, arcs(path) }, options)
  end
end

describe("a zone with a begin and an end", function()
  it("is between its function and what that calls", function()
    check([[
      local function inner() zone "i" leaf() done "i" leaf() end
      local function outer()
        leaf() zone "a" inner() leaf() zone "b" leaf() done "b" leaf() done() leaf()
        for _ = 1, 3 do zone "b" inner() done() end
      end
      START outer()
    ]], { "inner > leaf 4", "inner > zone i 4", "outer > leaf 2", "outer > zone a 1", "outer > zone b 3",
      "zone a > inner 1", "zone a > leaf 2", "zone a > zone b 1", "zone b > inner 3", "zone b > leaf 1",
      "zone i > leaf 4" })
  end)

  it("ends with the call that began it", function()
    check([[
      local function failing() zone "failing" leaf() error "failed" end
      local function returning() zone "returning" leaf() end
      local function tail() zone "tail" return leaf() end
      local function outer()
        zone "a"
        for _ = 1, 30 do pcall(failing) returning() tail() end
        leaf()
        done "a"
        leaf()
      end
      START outer()
    ]], { "failing > zone failing 30", "outer > leaf 1", "outer > zone a 1", "pcall > failing 30",
      "returning > zone returning 30", "tail > leaf 30", "tail > zone tail 30", "zone a > leaf 1", "zone a > pcall 30",
      "zone a > returning 30", "zone a > tail 30", "zone failing > error 30", "zone failing > leaf 30",
      "zone returning > leaf 30" })
  end)

  it("belongs to its coroutine", function()
    check([[
      local function body() zone "c" leaf() coroutine.yield() leaf() done "c" coroutine.yield() leaf() end
      local function outer()
        local co = coroutine.wrap(body)
        zone "a" co() leaf() done "a"
        co() zone "b" co() done()
      end
      START outer()
    ]], { "body > coroutine.yield 1", "body > leaf 1", "body > zone c 1", "coroutine.wrap > body 1",
      "outer > coroutine.wrap 1", "outer > coroutine.wrap 1", "outer > zone a 1", "outer > zone b 1",
      "zone a > coroutine.wrap 1", "zone a > leaf 1", "zone b > coroutine.wrap 1", "zone c > coroutine.yield 1",
      "zone c > leaf 2" })
  end)

  it("continues after a pause, and may end in one", function()
    check([[
      local function outer()
        zone "a" leaf() recorder.pause() leaf() recorder.resume() leaf() done "a"
        zone "b" recorder.pause() done() leaf() recorder.resume() leaf()
        recorder.pause() zone "c" done() recorder.resume()
      end
      local function main() outer() leaf() end
      START main()
    ]], { "main > leaf 1", "main > outer 1", "outer > leaf 1", "outer > zone a 1", "outer > zone b 1",
      "zone a > leaf 2" })
  end)

  it("ends first if it was begun in a pause in another one, and is shown after the pause", function()
    local text = [[
      local function outer()
        zone "a" recorder.pause() zone "b" leaf() zone "c" done "c" recorder.resume()
        leaf() done "b" leaf() done "a" leaf()
      end
      START outer()
    ]]
    check(text, { "outer > leaf 1", "outer > zone a 1", "zone a > leaf 1", "zone b > leaf 1" })
    run(text .. " recorder.stop()", 'rate = 0, count = "none"')
  end)

  it("ends with its call also in a pause: the next one may have the same place on the stack", function()
    check([[
      local function first() zone "a" leaf() recorder.pause() end
      local function second() recorder.resume() leaf() end
      local function main() first() second() leaf() end
      START main()
    ]], { "first > zone a 1", "main > first 1", "main > leaf 1", "second > leaf 1", "zone a > leaf 1" })
  end)

  it("has the lines of its function", function()
    local _, path = run([[ local function work()
        local n = 0
        zone "counting"
        for i = 1, 100000 do n = n + i end
        done()
      end
      START work() recorder.stop() assert(recorder.write "z.prof")]], "instructions = 1000")
    local report = program.run({ "-b", "-p", "-l", "--top=1", path }).stdout
    assert.matches(" zone counting %(z%.lua:7 @", report)
  end)

  it("is on the path of samples without counts, too", function()
    local _, path = run([[
      local function failing() zone "failing" for _ = 1, 10000 do end error "failed" end
      local function body() zone "c" leaf() coroutine.yield() leaf() done() end
      local function outer()
        zone "a" for _ = 1, 20 do pcall(failing) end
        recorder.pause() recorder.resume()
        zone "b" for _ = 1, 100 do coroutine.wrap(body)() end done "b" done "a"
        leaf()
      end
      START outer() recorder.stop() assert(recorder.write "z.prof")
    ]], 'count = "none", instructions = 100')
    local paths = sampled_paths(path)
    assert.truthy(paths["main chunk of z.lua;outer;zone a;pcall;failing;zone failing"])
    assert.truthy(paths["main chunk of z.lua;outer;zone a;zone b;coroutine.wrap;body;zone c;leaf"])
    assert.truthy(paths["main chunk of z.lua;outer;leaf"])
  end)

  it("ends with an error, but not with the round of a loop, without counts, too", function()
    local _, path = run([[
      local function failing(fails) leaf() if fails then zone "failing" error "failed" end leaf() end
      local function looping()
        zone "loop"
        for _ = 1, 20 do leaf() done() leaf() zone "loop" end
        done()
      end
      START
      for i = 1, 20 do pcall(failing, i % 2 == 0) end
      looping()
      recorder.stop() assert(recorder.write "z.prof")
    ]], 'count = "none", instructions = 10')
    local samples = {}
    for line in program.run({ "--export=folded", path }).stdout:gmatch "[^\n]+" do
      local name, count = line:gsub(" %([^)]*%)", ""):match "([^;]+;leaf) (%d+)$"
      if name then samples[name] = tonumber(count) end
    end
    assert.is_nil(samples["zone failing;leaf"])
    assert.near(1, samples["zone loop;leaf"] / samples["looping;leaf"], 0.2)
  end)

  it("may be in one of the same name, also if there are so many names that the rest is joined", function()
    for _, options in ipairs { "rate = 0", 'rate = 0, count = "none"', "with_c = true" } do
      assert.equal("true\ntrue\n", (run([[
        local function nested() zone "a" zone "a" leaf() done "a" done "a" end
        local function joined() zone "b" zone "c" leaf() done "c" done "b" end
        START
        print(pcall(nested))
        for i = 1, 5000 do zone("z" .. i) done() end
        print(pcall(joined))
        recorder.stop()
      ]], options)), options)
    end
  end)

  it("raises an error if it was not begun, or has another name", function()
    for _, options in ipairs { "rate = 0", 'rate = 0, count = "none"', "with_c = true" } do
      assert.equal([[
false	z.lua:4: recorder.zone_end: no zone is open in this function
false	z.lua:4: recorder.zone_end: no zone is open in this function
false	z.lua:5: recorder.zone_end: the innermost zone is 'a', not 'b'
false	z.lua:6: recorder.zone_end: no zone is open in this function
false	recorder.zone_begin: name: string expected, got no value
true
]], (run([[
        local function ends() done() end
        local function ends_b() zone "a" done "b" end
        local function twice() zone "a" done() done() end
        print(pcall(ends))
        START
        print(pcall(ends)) print(pcall(ends_b)) print(pcall(twice)) print(pcall(zone))
        recorder.pause() zone "x" recorder.resume() done()
        zone "y" recorder.stop() done()
        print(true)
      ]], options)))
    end
  end)
end)

describe("a zone around a call", function()
  local NEXT <const> = " local around = recorder.zone "

  it("is between the caller and the function, also in C functions, coroutines and the zone itself", function()
    check(NEXT .. [[
      local function outer()
        leaf() around("a", leaf) around("b", around, "a", leaf) pcall(around, "a", leaf)
        local co = coroutine.wrap(function() around("c", function() coroutine.yield() leaf() end) leaf() end)
        co() leaf() co()
        return around("d", leaf)
      end
      START outer() print(around("e", select, 2, "x", nil, "z", nil))
    ]], { "callback of around > coroutine.yield 1", "callback of around > leaf 1",
      "callback of coroutine.wrap > leaf 1", "callback of coroutine.wrap > zone c 1",
      "coroutine.wrap > callback of coroutine.wrap 1", "outer > coroutine.wrap 1", "outer > coroutine.wrap 2",
      "outer > leaf 2", "outer > pcall 1", "outer > zone a 1", "outer > zone b 1", "outer > zone d 1",
      "pcall > zone a 1", "zone a > leaf 3", "zone b > zone a 1", "zone c > callback of around 1", "zone d > leaf 1",
      "zone e > select 1" }, "nil\tz\tnil\n")
  end)

  it("ends with the call, also by an error, and in a pause", function()
    check(NEXT .. [[
      local function failing() leaf() error "failed" end
      local function pausing() leaf() recorder.pause() end
      local function going_on() recorder.resume() leaf() end
      local function outer()
        for _ = 1, 30 do pcall(around, "a", failing) leaf() end
        around("b", pausing) leaf() recorder.resume() leaf()
        around("c", function() recorder.pause() leaf() recorder.resume() leaf() end) leaf()
        recorder.pause() around("d", going_on) leaf()
      end
      local function main() outer() leaf() end
      START main()
    ]], { "callback of around > leaf 1", "failing > error 30", "failing > leaf 30", "going_on > leaf 1",
      "main > leaf 1", "main > outer 1", "outer > leaf 33", "outer > pcall 30", "outer > zone b 1",
      "outer > zone c 1", "pausing > leaf 1", "pcall > zone a 30", "zone a > failing 30", "zone b > pausing 1",
      "zone c > callback of around 1" })
  end)

  it("is on the path of samples without counts, too", function()
    local _, path = run(NEXT .. [[
      local function failing() for _ = 1, 100 do leaf() end error "failed" end
      local function body() around("c", function() coroutine.yield() leaf() end) leaf() end
      local function outer()
        for i = 1, 20 do pcall(around, "a" .. i % 2, failing) end
        around("b", function() for _ = 1, 100 do local co = coroutine.wrap(body) co() co() end end)
        leaf()
      end
      START outer() recorder.stop() assert(recorder.write "z.prof")
    ]], 'count = "none", instructions = 100')
    local paths = sampled_paths(path)
    assert.truthy(paths["main chunk of z.lua;outer;pcall;zone a1;failing;leaf"])
    assert.truthy(paths["main chunk of z.lua;outer;pcall;zone a0;failing;leaf"])
    assert.is_nil(paths["main chunk of z.lua;outer;pcall;zone a1;zone a0;failing;leaf"])
    assert.truthy(paths["main chunk of z.lua;outer;zone b;callback of around;coroutine.wrap;body;zone c;" ..
      "callback of around;leaf"])
    assert.truthy(paths["main chunk of z.lua;outer;zone b;callback of around;coroutine.wrap;body;leaf"])
    assert.truthy(paths["main chunk of z.lua;outer;leaf"])
  end)

  it("may be all that a coroutine executes", function()
    check(NEXT .. [[
      local function body() return around("a", leaf) end
      START for _ = 1, 3 do coroutine.wrap(body)() end coroutine.wrap(around)("a", leaf)
    ]], { "body > zone a 3", "coroutine.wrap > body 3", "coroutine.wrap > zone a 1", "zone a > leaf 4" })
  end)

  it("may be in any number of others", function()
    for _, options in ipairs { COUNTED[1], COUNTED[2], COUNTED[3], 'count = "none"' } do
      assert.equal("5000\n", (run(NEXT .. [[
        local function nested(n) return n == 0 and 0 or 1 + around("z", nested, n - 1) end
        START print(nested(5000)) recorder.stop()
      ]], options)), options)
    end
  end)

  it("says what its arguments should be", function()
    assert.equal("z.lua:4: recorder.zone: name: string expected, got table\n" ..
      "z.lua:4: recorder.zone: f: function expected, got nil\n", (run(NEXT .. [[
      local function try(...) local _, message = pcall(function(...) around(...) end, ...) print(message) end
      try({}) try("a") -- at line 4: that of the call
    ]], "")))
  end)

  it("has its name also if the program is recorded; what the module needs to load is left out", function()
    local dir = shell.tmpdir "zones"
    shell.write(dir .. "/z.lua", 'require "gprof.recorder".zone("a", math.abs, 1)\n')
    local result = program.run({ "--record", "--rate=0", "--output=" .. dir .. "/z.prof", dir .. "/z.lua" },
      { env = { LUA_PATH = program.root .. "/?.lua;;" } })
    assert.equal(0, result.status)
    assert.same({ "main chunk of z.lua > zone a 1", "zone a > math.abs 1" }, arcs(dir .. "/z.prof"))
    local functions = program.run { "-b", "-p", "-z", dir .. "/z.prof" }.stdout
    assert.equal(6, select(2, functions:gsub("\n +0%.00 ", ""))) -- also require and two searchers
  end)
end)

describe("a pause", function()
  it("leaves out calls of Lua and C functions, and the time, also with C functions", function()
    local out, path = run([[
      local native = require "native"
      local function callback() leaf() native.fib(5) end
      local function paused() leaf() native.fib(10) native.apply(5, callback) native.spin(0.2) end
      local function turn() native.fib(5) recorder.pause() paused() recorder.resume() native.fib(5) leaf() end
      START
      for _ = 1, 3 do native.apply(2, turn) turn() end
      coroutine.wrap(function() recorder.pause() paused() recorder.resume() leaf() end)()
      native.apply(1, callback)
      recorder.pause()
      paused()
      recorder.resume()
      native.apply(1, callback)
      recorder.pause()
      recorder.report("flat", { brief = true }, function(text) io.write(text:match "leaf" or "", "\n") end)
      paused()
      recorder.stop() assert(recorder.write "z.prof")
      print(recorder.stop().ticks < 100, pcall(recorder.resume))
    ]], "with_c = true")
    assert.equal("leaf\ntrue\tfalse\trecorder.resume: with 'with_c', what was stopped cannot continue\n", out)
    assert.same({
      "callback > leaf 2",
      "callback > native.fib 2",
      "callback of coroutine.wrap > leaf 1",
      "coroutine.wrap > callback of coroutine.wrap 1",
      "fib > fib 280",
      "lua_apply > repeat 5",
      "lua_apply > touch 5",
      "lua_fib > fib 20",
      "main chunk of z.lua > coroutine.wrap 1",
      "main chunk of z.lua > coroutine.wrap 1",
      "main chunk of z.lua > native.apply 4",
      "main chunk of z.lua > turn 3",
      "native.apply > lua_apply 5",
      "native.apply > turn 3",  -- the C functions that run at a pause are not on later paths
      "native.fib > lua_fib 20",
      "repeat > callback 2",
      "repeat > touch 8",
      "repeat > turn 3",
      "turn > leaf 9",
      "turn > native.fib 18",
    }, arcs(path))
  end)

  it("may be followed by another recording, or by the end of the program", function()
    local _, path = run([[
      local function work() leaf() end
      START work() recorder.pause()
      START work() work() recorder.pause() recorder.stop()
      assert(recorder.write "z.prof")
      START work() recorder.pause()
    ]], "with_c = true")
    assert.same({ "work > leaf 2" }, arcs(path))
    assert.is_false(shell.exists(path:gsub("z%.prof$", "gmon.out")))
  end)
end)
