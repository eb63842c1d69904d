-- gprof.recorder, which records Lua programs: calls, call paths and samples.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local launch = require "support.launch"
local program = require "support.program"
local sampled = require "support.sampled"
local shell = require "support.shell"

local fixture <const> = program.root .. "/spec/fixtures/lua/calls.lua"

-- Counts the calls of each Lua function by a hook in Lua, which is set for each coroutine.
local COUNTING <const> = [[
  local counts, sethook, create = {}, debug.sethook, coroutine.create
  local own = {}
  local function hook()
    local f = debug.getinfo(2, "S")
    if f.what == "C" or f.source ~= "@" .. arg[0] then return end
    local key = f.linedefined
    counts[key] = (counts[key] or 0) + 1
  end
  function coroutine.create(f)
    local co = create(f)
    sethook(co, hook, "c")
    return co
  end
  function coroutine.wrap(f)
    local co = coroutine.create(f)
    return function(...)
      local results = table.pack(coroutine.resume(co, ...))
      if not results[1] then error(results[2], 0) end
      return table.unpack(results, 2, results.n)
    end
  end
  local main = assert(loadfile(arg[0]))
  sethook(hook, "c")
  main()
  sethook()
  local lines = {}
  for line, count in pairs(counts) do lines[#lines + 1] = ("%d %d"):format(line, count) end
  table.sort(lines)
  print(table.concat(lines, "\n"))
]]

-- Records the same, and prints the calls that the profile has.
local RECORDING <const> = [[
  local gprof = require "gprof"
  local recorder = require "gprof.recorder"
  local main = assert(loadfile(arg[0]))
  recorder.start { rate = 0 }
  main()
  recorder.stop()
  assert(recorder.write(arg[2]))
  local image = assert(gprof.image(arg[2]))
  local profile = assert(gprof.profile(image, assert(gprof.data(image, arg[2])), { line = "all" }))
  local counts, lines = {}, {}
  for id, calls, own in profile:functions("address", "id", "calls", "self_calls") do
    local file, line = profile:get(id, "file", "line")
    if file == arg[0] and calls + own > 0 then
      if line == 1 then line = 0 end -- the main chunk
      counts[line] = (counts[line] or 0) + calls + own
    end
  end
  for line, count in pairs(counts) do lines[#lines + 1] = ("%d %d"):format(line, count) end
  table.sort(lines)
  print(table.concat(lines, "\n"))
]]

local function script(text, arguments)
  local preamble = ("arg = { [0] = %q, %s }\n"):format(fixture, table.concat(arguments, ", "))
  local result = launch.script(preamble .. text)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

describe("gprof.recorder counts all calls", function()
  for name in shell.read(fixture):gmatch "\nfunction programs%.([%a_]+)" do
    it("of " .. name, function()
      local word = ("%q"):format(name)
      local expected = script(COUNTING, { word })
      assert.truthy(#expected > 1)
      assert.equal(expected, script(RECORDING, { word, ("%q"):format(shell.tmpdir() .. "/calls.prof") }))
    end)
  end
end)

-- Runs a script that records `body`, and returns what `after` prints about the profile `p`.
local function recorded(body, after, options)
  local path = shell.tmpdir() .. "/script.prof"
  local result = launch.script(([[
    local gprof = require "gprof"
    local recorder = require "gprof.recorder"
    recorder.start %s
    %s
    recorder.stop()
    assert(recorder.write(%q))
    local image = assert(gprof.image(%q))
    local p = assert(gprof.profile(image, assert(gprof.data(image, %q))))
    %s
  ]]):format(options or "{ rate = 0 }", body, path, path, path, after))
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout, path
end

describe("gprof.recorder as the first module", function()
  local text <const> = [[
    local recorder = require "gprof.recorder"
    assert(not package.loaded["gprof.core"])
    recorder.start { count = "calls" }
    tostring(1)
    recorder.stop()
    assert(recorder.write "first.prof")
    local gprof = require "gprof"
    print(gprof.image "first.prof":find "tostring".name, require "gprof.recorder" == recorder)
  ]]

  local function check(path, cwd)
    local dir = shell.tmpdir "first"
    shell.write(dir .. "/first.lua", text)
    local result = shell.run({ "lua5.4", dir .. "/first.lua" },
      { cwd = cwd or dir, env = { LUA_PATH = path, LUA_PATH_5_4 = false } })
    assert.same({ "tostring\ttrue\n", "", 0 }, { result.stdout, result.stderr, result.status })
  end

  it("is found in a checkout, by its directory and by that of its modules", function()
    check(program.root .. "/?.lua;;")
    check(program.root .. "/lua/?.lua;" .. program.root .. "/lua/?/init.lua;;")
  end)

  it("is found by a relative path, too", function()
    local dir = shell.tmpdir "relative"
    shell.check { "ln", "-s", program.root, dir .. "/checkout" }
    check("./checkout/?.lua;;", dir)
  end)

  it("and so is any other module", function()
    for _, name in ipairs { "gprof.names", "gprof.compare", "gprof.output", "gprof.export.csv", "gprof.report.flat" } do
      local result = shell.run({ "lua5.4", "-e", ("print(require %q)"):format(name) },
        { cwd = shell.tmpdir "first", env = { LUA_PATH = program.root .. "/?.lua;;", LUA_PATH_5_4 = false } })
      assert.equal("", result.stderr)
    end
  end)
end)

describe("gprof.recorder", function()
  local function message(text, before)
    local start = (before or "") .. ' require "gprof" local recorder = require "gprof.recorder" '
    local result = launch.script(start .. text)
    return { result.stdout, result.stderr, result.status }
  end

  it("knows who calls whom, also after errors", function()
    local out = recorded([[
      local function leaf() end
      local function thrower() leaf() error "x" end
      local function catcher() pcall(thrower) leaf() end
      for _ = 1, 3 do catcher() end
      leaf()
    ]], [[
      for arc in p:arcs() do
        if arc.callee.name == "leaf" then print(arc.caller.name, arc.count) end
      end
    ]])
    local lines = {}
    for line in out:gmatch "[^\n]+" do lines[#lines + 1] = line end
    table.sort(lines)
    assert.same({ "catcher\t3", "thrower\t3" }, lines)
  end)

  it("attributes what a coroutine does to the call that resumed it first", function()
    local out = recorded([[
      local function work() coroutine.yield() end
      local function driver() local co = coroutine.create(work) coroutine.resume(co) coroutine.resume(co) end
      driver()
    ]], [[
      for arc in p:arcs() do print(arc.caller.name .. " " .. arc.callee.name .. " " .. arc.count) end
    ]])
    assert.truthy(out:find("driver coroutine.resume 2\n", 1, true))
    assert.truthy(out:find("coroutine.resume work 1\n", 1, true) or
      out:find("coroutine.resume function at [^\n]* 1\n"))
  end)

  it("does so for a coroutine at the address of a former one", function()
    local out = recorded([[
      local function work() for _ = 1, 10000 do end end
      local function run(times)
        for _ = 1, times do
          coroutine.resume(coroutine.create(work))
          collectgarbage()
        end
      end
      local function first() run(10) end
      local function second() run(30) end
      first() second()
    ]], [[ print(p:find "first".children / p.total, p:find "second".children / p.total) ]],
      "{ instructions = 100 }")
    local first, second = out:match "^(%S+)\t(%S+)\n$"
    assert.near(0.25, tonumber(first), 0.01)
    assert.near(0.75, tonumber(second), 0.01)
  end)

  it("takes samples that can be repeated", function()
    local out = recorded([[
      local function work(n) local x = 0 for i = 1, n do x = x + i % 7 end return x end
      local function short() work(100000) end
      local function long() work(300000) end
      short() long()
    ]], [[
      print(p:find "work".ticks, p:find "short".children / p.total, p:find "long".children / p.total)
    ]], "{ instructions = 100 }")
    local ticks, short, long = out:match "^(%d+)%S*\t(%S+)\t(%S+)\n$"
    assert.truthy(tonumber(ticks) > 1000)
    assert.near(0.25, tonumber(short), 0.001)
    assert.near(0.75, tonumber(long), 0.001)
  end)

  it("assigns samples to lines", function()
    local out = recorded([[
      local function work()
        local x = 0
        for i = 1, 200000 do
          x = x + i % 7
        end
        return x
      end
      work()
    ]], [[
      local lines = assert(gprof.profile(image, assert(gprof.data(image, image.path)), { line = "all" }))
      local sum, inner = 0, 0
      for id, ticks in lines:functions("address", "id", "ticks") do
        local line = lines:get(id, "line")
        sum = sum + ticks
        if line == 6 or line == 7 then inner = inner + ticks end
      end
      print(sum > 1000, inner / sum > 0.99)
    ]], "{ instructions = 100 }")
    assert.equal("true\ttrue\n", out)
  end)

  it("names functions as the program does", function()
    local out = recorded([[
      local Account = {}
      function Account.deposit() end
      function visible() end
      Account:deposit() visible()
      ;(function() end)()
      local _ = ("x"):upper(), ("x"):gmatch "x" (), math.max(1, 2)
    ]], [[ for id in p:functions("address", "id") do print(p:get(id, "name")) end ]])
    for _, name in ipairs { "Account.deposit", "visible", "function at script.lua:8", "string.upper",
      "string.gmatch (iterator)", "math.max" } do
      assert.truthy(("\n" .. out):find("\n" .. name .. "\n", 1, true), name)
    end
  end)

  it("tells functions apart at the addresses of former ones", function()
    local out = recorded([[
      local addresses = {}
      reused = 0
      for i = 1, 300 do
        local f = load("return ...", "=chunk" .. i % 3)
        local address = ("%p"):format(f)
        if addresses[address] then reused = reused + 1 end
        addresses[address] = true
        for _ = 0, i % 3 do f() end
        f = nil
        collectgarbage()
      end
    ]], [[
      for i = 0, 2 do print(p:find("main chunk of chunk" .. i).calls) end
      print(reused)
    ]])
    local calls, reused = out:match "^(.-)(%d+)\n$"
    assert.equal("100\n200\n300\n", calls)
    if not os.getenv "GPROF_LUA" then assert.truthy(tonumber(reused) > 100) end -- sanitizers do not use it again
  end)

  for _, options in ipairs { "{ rate = 0 }", '{ count = "none", instructions = 100 }' } do
    it("tells functions of the same lines apart at the addresses of former ones: " .. options, function()
      local out = recorded([[
        local function job(name, operator)
          load(("local function %s(x) for _ = 1, 99 do x = x %s 1 end return x end for i = 1, 3 do %s(i) end"):format(
            name, operator, name), "=job")()
        end
        for i = 1, 60 do
          if i <= 30 then job("parse", "+") elseif i % 2 == 0 then job("render", "-") else job("checks", "*") end
          collectgarbage()
        end
      ]], [[
        local parse, render, checks = p:find "parse", p:find "render", p:find "checks"
        print(parse.calls, render.calls, checks.calls)
        print(math.abs(parse.self - 2 * render.self) <= 0.2 * parse.self,
          math.abs(parse.self - 2 * checks.self) <= 0.2 * parse.self)
      ]], options)
      local calls = options:find "none" and "0\t0\t0" or "90\t45\t45"
      assert.equal(calls .. "\ntrue\ttrue\n", out)
    end)
  end

  -- The few other functions of a program may count as alike: a hash decides that, also of paths.
  for what, statements in pairs { ["functions of the same lines"] = 'load("return " .. i, "=generated")()',
    ["zones of a file"] = 'recorder.zone_begin("z" .. i) recorder.zone_end("z" .. i)' } do
    it("joins " .. what .. " beyond 4096", function()
      local out = recorded(("for i = 1, 5000 do %s end"):format(statements), [[
        local single, joined = 0, 0
        for name, calls in p:functions("address", "name", "calls") do
          local is_one = name:find "generated" or name:find "^zone "
          if is_one and calls == 1 then single = single + 1 elseif is_one then joined = joined + calls end
        end
        print(single, joined)
      ]])
      local single, joined = out:match "^(%d+)\t(%d+)\n$"
      assert.equal(5000, single + joined)
      assert.truthy(joined + 0 >= 904 and joined + 0 < 1000, out)
    end)
  end

  it("leaves the state's allocator as it was", function()
    assert.same({ "true\n", "", 0 }, message [[
      local function garbage() for i = 1, 1000 do load("return " .. i)() end end
      for _ = 1, 3 do
        recorder.start { rate = 0 }
        garbage()
        recorder.stop()
        collectgarbage()
      end
      print(recorder.stop().ticks == 0)
    ]])
  end)

  it("takes samples without counts, with call paths through coroutines", function()
    local out = recorded([[
      local function work(n) local x = 0 for i = 1, n do x = x + i % 7 end return x end
      local function body() work(100000) coroutine.yield() work(100000) end
      local function inner() local co = coroutine.wrap(body) co() co() end
      local function resumed() coroutine.resume(coroutine.create(inner)) end
      local function plain() work(600000) end
      resumed() plain()
    ]], [[
      print(p:find "resumed".children / p.total, p:find "plain".children / p.total, p:find "work".calls)
    ]], '{ instructions = 100, count = "none" }')
    local resumed, plain, calls = out:match "^(%S+)\t(%S+)\t(%S+)\n"
    assert.near(0.25, tonumber(resumed), 0.005)
    assert.near(0.75, tonumber(plain), 0.005)
    assert.equal("0", calls)
  end)

  it("names the functions that resume coroutines, without counts", function()
    local out = recorded([[
      local function body() for i = 1, 1000 do local _ = i % 7 end end
      local resume, wrap = coroutine.resume, coroutine.wrap
      resume(coroutine.create(body))
      wrap(body)()
    ]], "for f in p:functions() do print(f.name) end", '{ instructions = 10, count = "none" }')
    assert.matches("\ncoroutine%.resume\n", out)
    assert.matches("\ncoroutine%.wrap %(resumed%)\n", out)
  end)

  -- Runs code whose time is in C functions, and returns the shares of the time that some functions have.
  local function shares(code, ...)
    local names = {}
    for i, name in ipairs { ... } do names[i] = ("%q"):format(name) end
    local out = recorded(code, ([[
      for _, name in ipairs { %s } do
        local f = p:find(name)
        print(f and f.self / p.total or 0)
      end
    ]]):format(table.concat(names, ", ")), '{ count = "none", rate = 1000 }')
    local values = {}
    for value in out:gmatch "%S+" do values[#values + 1] = tonumber(value) end
    return table.unpack(values)
  end

  it("gives the time of C functions to these, not to what they call back, without counts", function()
    sampled.decide(function()
      local gsub, tiny = shares([[
        local n = 0
        function tiny() n = n + 1 end
        local s = ("a"):rep(30000) .. "b"
        for _ = 1, 40 do s:gsub("a-b", tiny) end
      ]], "string.gsub", "tiny")
      assert.truthy(gsub > 0.8 and tiny < 0.1, gsub .. " " .. tiny)
    end)
  end)

  it("gives the time of C functions to these, not to what comes after them, without counts", function()
    sampled.decide(function()
      local rep, find, after, index = shares([[
        local s = ("a"):rep(3000)
        function after() return 1 end
        index = function(_, key) return key end
        local t = setmetatable({}, { __index = index })
        for _ = 1, 10 do s:find(".-b") after() local _ = t[after()] end
      ]], "string.rep", "string.find", "after", "index")
      assert.truthy(find > 0.8 and after < 0.1 and index < 0.1, table.concat({ rep, find, after, index }, " "))
    end)
  end)

  it("gives the time of C functions in coroutines to these, without counts", function()
    sampled.decide(function()
      local gsub, tiny = shares([[
        local n = 0
        function tiny() n = n + 1 end
        local s = ("a"):rep(30000) .. "b"
        local co = coroutine.wrap(function() while true do s:gsub("a-b", tiny) coroutine.yield() end end)
        for _ = 1, 40 do co() end
      ]], "string.gsub", "tiny")
      assert.truthy(gsub > 0.8 and tiny < 0.1, gsub .. " " .. tiny)
    end)
  end)

  it("does not change what coroutines do", function()
    local body = [[
      local function all(...) print(select("#", ...), ...) end
      all(coroutine.resume(coroutine.create(function(...) return ... end), 1, nil, nil))
      all(coroutine.resume(coroutine.create(function() error "failed" end)))
      all(pcall(coroutine.wrap(function() error "failed" end)))
      all(pcall(coroutine.wrap(function() error() end)))
      all(pcall(coroutine.wrap(function() local _ = nil + 1 end)))
      all(pcall(coroutine.resume, 1))
      all(pcall(coroutine.wrap, 1))
      local co = coroutine.wrap(function(...) all(...) all(coroutine.yield(1, 2)) end)
      all(co(3))
      all(co())
      all(pcall(co))
      local self
      self = coroutine.create(function() all(coroutine.resume(self)) end)
      coroutine.resume(self)
      local function closed(...)
        local _ <close> = setmetatable({}, { __close = function() print "closed" error "again" end })
        error(...)
      end
      all(pcall(coroutine.wrap(closed), "first"))
      all(coroutine.resume(coroutine.create(closed), "first"))
      all(select("#", coroutine.resume(coroutine.create(function() return table.unpack({}, 1, 9000) end))))
      local deepest
      local function nested(n) deepest = n coroutine.resume(coroutine.create(nested), n + 1) end
      nested(1)
      all(deepest)
      local function wrapped(n) deepest = n coroutine.wrap(wrapped)(n + 1) end
      all(pcall(wrapped, 1))
      all(deepest)
    ]]
    local function printed(before)
      local result = message(before .. body)
      result[1] = result[1]:gsub("/%S*/script%.lua", "script.lua")
      return result
    end
    local expected = printed ""
    assert.truthy(#expected[1] > 300)
    assert.same(expected, printed 'recorder.start { count = "none" }')
  end)

  it("knows the lines of calls in code that is at the place of collected code", function()
    local chunk = shell.write(shell.tmpdir() .. "/chunk.lua", ("g()\n"):rep(100))
    local out = recorded(([[
      function g() end
      local kept = {}
      for i = 1, 1000 do
        kept[i %% 5] = {}
        for key = 1, i * 7 %% 64 do kept[i %% 5][key] = true end
        loadfile %q()
        collectgarbage()
      end
    ]]):format(chunk), [[
      local lines = assert(gprof.profile(image, assert(gprof.data(image, image.path)), { line = "all" }))
      for arc in lines:arcs() do
        if arc.caller.name:find "^main chunk of chunk" then print(arc.count) end
      end
    ]])
    assert.equal(("1000\n"):rep(100), out)
  end)

  it("counts no lines of functions without line numbers", function()
    assert.equal("10\n", (recorded([[
      local plain = load "local n = 0 for i = 1, 10 do n = n + i end return ..."
      local stripped = load(string.dump(plain, true))
      for _ = 1, 10 do stripped() end
    ]], 'print(p:find("main chunk of ?").calls)', '{ rate = 0, count = "lines" }')))
  end)

  it("counts how often lines are executed", function()
    local out = recorded([[
      local function f(n)
        if n > 3 then
          return n
        elseif n < 0 then
          n = 0
        end
        for _ = 1, 10 do n = n + 1 end
        return n
      end
      for i = 1, 5 do f(i) end
    ]], [[
      local lines = assert(gprof.profile(image, assert(gprof.data(image, image.path)), { line = "all" }))
      local counts = {}
      for id, file, line in lines:functions("address", "id", "file", "line") do
        for _, count in lines:blocks(id) do
          counts[#counts + 1] = ("%s:%d:%d"):format(file:match "[^/]*$", line, count)
        end
      end
      print(table.concat(counts, " "))
    ]], '{ rate = 0, count = "lines" }')
    assert.truthy(out:find("script.lua:12:1 script.lua:13:5 script.lua:15:1 ", 1, true), out)
    assert.truthy(out:find("script.lua:5:5 script.lua:6:2 script.lua:7:3 script.lua:8:0 script.lua:10:30 " ..
      "script.lua:11:3 script.lua:12:0\n", 1, true), out)
  end)

  it("gives functions the same names if lines are counted", function()
    local code = "local all = {}\nfunction all.named(n)\n" .. ("n = n + 1\n"):rep(40) ..
      "end\nlocal other = all.named\nother(1)\nall.named(1)\n"
    for _, count in ipairs { "calls", "lines" } do
      local out = recorded(code, 'for id in p:functions("address", "id") do print(p:get(id, "name")) end',
        ("{ rate = 0, count = %q }"):format(count))
      assert.truthy(("\n" .. out):find("\nall.named\n", 1, true), count .. ": " .. out)
    end
  end)

  it("leaves out its own calls", function()
    local out = recorded("math.abs(1)", [[
      for id, calls in p:functions("address", "id", "calls") do print(p:get(id, "name"), calls) end
    ]])
    for line in out:gmatch "[^\n]+" do
      assert.truthy(line == "math.abs\t1" or line:find "\t0$", line)
    end
  end)

  it("refuses to record twice, or a state with a hook", function()
    assert.same({ "false\tthis thread is being recorded\n", "", 0 },
      message "recorder.start() print(pcall(recorder.start))")
    assert.same({ "false\tthe program has set a hook (debug.sethook)\n", "", 0 },
      message 'debug.sethook(print, "", 1000000) print(pcall(recorder.start))')
  end)

  it("goes on if it refuses to record twice", function()
    assert.same({ "false\ntrue\n", "", 0 }, message [[
      local function work() for _ = 1, 10000 do end end
      recorder.start { count = "none", instructions = 100 }
      print((pcall(recorder.start)))
      coroutine.wrap(work)()
      local found
      for _, f in ipairs(recorder.stop().functions) do found = found or f.name == "work" end
      print(found)
    ]])
  end)

  it("says that nothing was recorded", function()
    assert.same({ "nil\tnothing was recorded\n", "", 0 }, message 'print(recorder.write "x.prof")')
    assert.same({ "nil\tno samples were taken: rate 0 excludes them\n", "", 0 },
      message 'recorder.start { count = "none", rate = 0 } print(recorder.write "x.prof")')
  end)

  local HOT <const> = [[
    local function hot() for _ = 1, 9 do end end
    local function calls(pattern)
      recorder.report("flat", { brief = true }, function(text)
        for line in text:gmatch "[^\n]+" do
          local count, name = line:match "(%d+) +[%d.]+ +[%d.]+  (%S.*)$"
          if name and name:find(pattern) then print(name:gsub(" %(.*", "") .. " " .. count) end
        end
      end)
    end
  ]]

  it("does not call what a program has put in place of coroutine.wrap", function()
    for _, replaced in ipairs { "function(f) count = count + 1 return setmetatable({}, { __call = wrap(f) }) end",
      "setmetatable({}, { __call = function(_, f) count = count + 1 return wrap(f) end })" } do
      local result = launch.script(([[
        local wrap = coroutine.wrap
        count = 0
        coroutine.wrap, coroutine.create = %s, nil
        local recorder = require "gprof.recorder"
        local function work() for _ = 1, 100 do end end
        for _, kind in ipairs { "none", "calls" } do
          recorder.start { count = kind, instructions = 10 }
          work()
          local result = recorder.stop()
          print(result.functions[1] ~= nil, count)
        end
      ]]):format(replaced))
      assert.same({ "true\t0\ntrue\t0\n", "", 0 }, { result.stdout, result.stderr, result.status })
    end
  end)

  it("adds up several periods", function()
    assert.same({ "hot 12\nhot 13\nhot 1\n", "", 0 }, message(HOT .. [[
      recorder.start { rate = 0 }
      for _ = 1, 3 do
        hot() recorder.pause() hot() recorder.pause() hot() recorder.resume() recorder.resume() hot()
      end
      for _ = 1, 3 do recorder.stop() hot() recorder.resume() hot() end
      for _ = 1, 3 do coroutine.wrap(function() recorder.pause() recorder.resume() hot() end)() end
      calls "^hot"
      hot()
      recorder.stop()
      calls "^hot"
      recorder.start { rate = 0 }
      hot()
      calls "^hot"
    ]]))
  end)

  it("adds up several periods without counts", function()
    sampled.decide(function()
      local result = message [[
        local function work()
          local began = os.clock()
          repeat for _ = 1, 10000 do end until os.clock() - began > 0.1
        end
        recorder.start { count = "none" }
        work() recorder.pause() work() recorder.resume() work() recorder.stop()
        print(recorder.stop().ticks)
      ]]
      local ticks = tonumber(result[1])
      assert.truthy(ticks > 150 and ticks < 250, ticks)
    end)
  end)

  it("shows zones as functions, with their results and in coroutines", function()
    assert.same({ "hot 3\nzone a 2\nzone b 1\n1\tnil\t3\tnil\n", "", 0 }, message(HOT .. [[
      recorder.zone("a", hot)
      recorder.start { rate = 0 }
      recorder.zone("a", recorder.zone, "b", hot)
      local resume = coroutine.wrap(function() recorder.zone("a", function() coroutine.yield() hot() end) end)
      resume() hot() resume()
      calls "^hot" calls "^zone"
      print(recorder.zone("c", function(...) return ... end, 1, nil, 3, nil))
    ]]))
    assert.same({ "false\tfailed\n", "", 0 }, message 'print(pcall(recorder.zone, "a", error, "failed", 0))')
    assert.same({ "false\trecorder.zone: name: string expected, got nil\n", "", 0 },
      message 'print(pcall(recorder.zone))')
  end)

  it("needs little memory for any number of zones: beyond 4096 names, others are one", function()
    local result = message(HOT .. [[
      collectgarbage()
      local before = collectgarbage "count"
      recorder.start { rate = 0 }
      for i = 1, 5000 do recorder.zone("z" .. i, math.abs, i) end
      calls "^zone %("
      collectgarbage()
      print(collectgarbage "count" - before < 2048)
    ]])
    local others = tonumber(result[1]:match "^zone (%d+)\ntrue\n$")
    assert.same({ "", 0 }, { result[2], result[3] })
    -- A few other functions may count as zones: a hash decides that, also of paths.
    assert.truthy(others and others >= 904 and others < 1000, result[1])
  end)

  it("goes on if the path of its profile is none", function()
    assert.same({ "false\trecorder.write: path: string expected, got nil\n" ..
      "false\trecorder.write: path: string expected, got userdata\nhot 1\n", "", 0 }, message(HOT .. [[
      recorder.start { rate = 0 }
      print(pcall(recorder.write))
      print(pcall(recorder.write, io.stdout))
      hot()
      calls "^hot"
    ]]))
  end)

  it("says what cannot be continued or reported", function()
    assert.same({ "false\trecorder.resume: nothing was recorded\nfalse\tnothing was recorded\n", "", 0 },
      message "recorder.pause() print(pcall(recorder.resume)) print(pcall(recorder.report))")
    assert.same({ "false\tunknown report 'none': module gprof.report.none not found\n", "", 0 },
      message 'recorder.start { rate = 0 } math.abs(1) print(pcall(recorder.report, "none"))')
  end)

  it("says what is wrong with a report's arguments, and where", function()
    assert.same({ "script.lua:3: bad argument #1 to 'report' (function or string expected, got number)\n" ..
      "script.lua:3: bad argument #2 to 'report' (table expected, got integer)\n" ..
      "script.lua:3: bad argument #2 to 'report' (no option 'bref')\n" ..
      "script.lua:3: bad argument #3 to 'report' (function or file expected, got integer)\n", "", 0 }, message [[
      recorder.start { rate = 0 } math.abs(1)
      for _, given in ipairs { { 3 }, { "flat", 3 }, { "flat", { bref = true } }, { "flat", {}, 3 } } do
        local _, problem = pcall(function() recorder.report(given[1], given[2], given[3]) end)
        print((problem:gsub("^.*/", "")))
      end]])
  end)

  it("leaks nothing over many periods", function()
    if os.getenv "GPROF_LUA" then return end -- AddressSanitizer keeps freed memory
    local constant <const> = ("local PERIODS <const> = %d "):format(chance.thorough and 10000 or 1000)
    assert.same({ "true\n", "", 0 }, message(constant .. [[
      local function size()
        collectgarbage()
        for line in io.lines "/proc/self/status" do
          local size = line:match "VmRSS:%s*(%d+)"
          if size then return tonumber(size) end
        end
      end
      local function periods(count)
        for _ = 1, count do
          recorder.start() recorder.zone("z", math.abs, 1) recorder.pause() recorder.resume()
          math.abs(2) recorder.pause()
        end
        return size()
      end
      local before = periods(500)
      print(periods(PERIODS) - before < 6 * PERIODS)  -- kilobytes: a recording takes more than 40
    ]]))
  end)

  it("says that the program has set a hook of its own", function()
    assert.same({ "true\n", "", 0 },
      message 'recorder.start() debug.sethook(print, "", 1000000) print(recorder.stop().displaced)')
    assert.same({ "false\ttrue\n", "", 0 }, message [[
      recorder.start()
      debug.sethook()
      local result = recorder.stop()
      print(result.displaced, result.removed)
    ]])
  end)

  it("lets the program pass on its hook", function()
    assert.same({ "10\n", "", 0 }, message [[
      local function leaf() end
      local function outer()
        local co = coroutine.create(function() leaf() end)
        debug.sethook(co, debug.gethook())
        coroutine.resume(co)
        debug.sethook(debug.gethook())
        for _ = 1, 5 do leaf() end
        local hook, mask, count = debug.gethook()
        debug.sethook(function() end, "c")
        leaf()
        debug.sethook(hook, mask, count)
        for _ = 1, 4 do leaf() end
      end
      recorder.start { rate = 0 }
      outer()
      recorder.stop()
      recorder.report("flat", { brief = true }, function(text)
        for calls in text:gmatch "(%d+) +%S+ +%S+ +leaf" do print(calls) end
      end)
    ]])
  end)

  it("says that the program had a hook for a while, or in a coroutine", function()
    assert.same({ "true\n", "", 0 }, message [[
      recorder.start()
      local hook, mask = debug.gethook()
      debug.sethook(print, "", 1000000)
      debug.sethook(hook, mask)
      local result = recorder.stop()
      print(result.interrupted and not result.displaced and not result.removed)
    ]])
    assert.same({ "true\n", "", 0 }, message [[
      recorder.start()
      local co = coroutine.create(math.abs)
      debug.sethook(co, function() end, "c")
      coroutine.resume(co, 1)
      print(recorder.stop().interrupted)
    ]])
    for setting, found in pairs { ["debug.sethook(function() end, 'c')"] = "true", ["debug.sethook(7)"] = "false",
      ["debug.sethook(print, '', 0)"] = "true", ["debug.gethook()"] = "false" } do
      assert.same({ found .. "\n", "", 0 }, message([[
        recorder.start()
        local co = coroutine.create(function() pcall(load "]] .. setting .. [[") end)
        coroutine.resume(co)
        print(recorder.stop().interrupted)
      ]]), setting)
    end
  end)

  it("leaves functions for coroutines that the program has replaced", function()
    assert.same({ "true\ttrue\n", "", 0 }, message [[
      local function wrap() end
      coroutine.wrap = wrap
      recorder.start { count = "none" }
      local kept = coroutine.wrap == wrap
      recorder.stop()
      print(kept, coroutine.wrap == wrap)
    ]])
  end)

  it("survives the collection of the coroutine that started it", function()
    sampled.decide(function()
      assert.same({ "true\n", "", 0 }, message [[
        local function work(seconds)
          local x, began = 0, os.clock()
          repeat for i = 1, 10000 do x = x + i % 7 end until os.clock() - began > seconds
        end
        coroutine.wrap(function() recorder.start { rate = 10000 } work(0.1) coroutine.yield() end)()
        collectgarbage()
        collectgarbage()
        work(0.05)
        print(recorder.stop().ticks > 0)
      ]])
    end)
  end)

  it("is stopped by a coroutine that it does not record", function()
    assert.same({ "false\n", "", 0 }, message [[
      local stopper = coroutine.wrap(function() print(recorder.stop().displaced) end)
      recorder.start()
      stopper()
    ]])
  end)

  it("refuses unknown options, and options that are no table", function()
    for arguments, said in pairs {
      ["{ rat = 5 }"] = "no option 'rat'", ["{ 10 }"] = "no option '1'",
      ["{ count = 'none', with_C = true }"] = "no option 'with_C'",
      ["5"] = "options: table expected, got number", ["false"] = "options: table expected, got boolean",
    } do
      local result = message(("print(pcall(function() recorder.start(%s) end)) print(recorder.stop())"):format(
        arguments))
      local place = result[1]:match "^false\t(%S+:1): "
      assert.same({ ("false\t%s: recorder.start: %s\nnil\n"):format(place, said), "", 0 }, result)
    end
  end)

  it("refuses options out of range", function()
    assert.same({ "false\trecorder.start: option 'count': 'calls', 'lines' or 'none' expected\n", "", 0 },
      message 'print(pcall(recorder.start, { count = "words" }))')
    for _, option in ipairs { "rate = -1", "rate = 100001", "rate = 0.5", "instructions = 0" } do
      local result = message("print(pcall(recorder.start, { " .. option .. " }))")
      local name = option:match "%a+"
      assert.truthy(result[1]:find("^false\t[^\n]*option '" .. name .. "': an integer from %d to %d+ expected\n$"),
        result[1])
    end
  end)

  it("takes integers that are floats", function()
    assert.same({ "true\n", "", 0 },
      message "print(pcall(recorder.start, { rate = 1e3, memory = 8.0 })) recorder.stop()")
  end)

  it("keeps the options with which it started, whatever becomes of their table", function()
    local change = [[
      local options = setmetatable({ rate = 500 }, { __index = { count = "none" } })
      recorder.start(options)
      options.rate, options.count, options.memory = "x", "words", false
      recorder.pause()
      recorder.resume()
      local ended = os.clock() + 0.2
      while os.clock() < ended do end
    ]]
    assert.same({ "500\tnone\ttrue\n", "", 0 }, message("local sethook = debug.sethook " .. change .. [[
      recorder.report(nil, nil, function() end)
      local used = recorder.stop().options
      assert(recorder.write "/dev/null")
      print(used.rate, used.count, debug.sethook == sethook)
    ]]))
  end)

  it("leaves no file of a report that fails", function()
    assert.same({ "false\tfailed\nnil\n", "", 0 }, message([[
      recorder.start { rate = 0 } math.abs(1) recorder.pause()
      arg = { [0] = setmetatable({}, { __tostring = function() error("failed", 0) end }) }
      print(pcall(recorder.report))
      print((io.open(path)))
    ]], "local name = os.tmpname function os.tmpname() path = name() return path end"))
  end)

  it("survives a state that is closed, and the end of coroutines", function()
    assert.same({ "", "", 0 }, message [[
      recorder.start { rate = 10000 }
      for i = 1, 2000 do
        local co = coroutine.wrap(function() coroutine.yield(("x"):rep(i)) end)
        co()
      end
      os.exit(0, true)
    ]])
  end)
end)

describe("gprof.lua --record with a Lua program", function()
  it("says in one line that it cannot be compiled", function()
    local dir = shell.tmpdir "compiles"
    shell.write(dir .. "/wrong.lua", "local x = = 1\n")
    local result = program.run({ "--record", "wrong.lua" }, { cwd = dir })
    assert.same({ "", "gprof.lua: wrong.lua:1: unexpected symbol near '='\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("leaves the error of os.exit the place of its caller", function()
    local dir = shell.tmpdir "exits"
    shell.write(dir .. "/exits.lua", "print(pcall(function()\n  os.exit {}\nend))\n")
    assert.equal("false\texits.lua:2: bad argument #1 to 'exit' (number expected, got table)\n",
      program.run({ "--record", "--rate=0", "exits.lua" }, { cwd = dir }).stdout)
  end)

  local dir
  setup(function()
    dir = shell.tmpdir "record"
    shell.write(dir .. "/words.lua", [[
      local function count(n) for i = 1, n do math.floor(i / 2) end end
      count(1000)
      print(#arg, arg[0], arg[1], ...)
      if arg[1] == "exit" then os.exit(3) end
      if arg[1] == "error" then error "failed" end
    ]])
  end)

  local function run(...)
    return program.run({ "--record", ... }, { cwd = dir, timeout = true })
  end

  it("runs it with its arguments, and says how to read the profile", function()
    local result = run("words.lua", "a", "b c")
    assert.same({ "2\twords.lua\ta\ta\tb c\n",
      "gprof.lua: words.prof was written; to read it: gprof.lua words.prof\n", 0 },
      { result.stdout, result.stderr, result.status })
  end)

  it("keeps its exit status and messages", function()
    assert.equal(3, run("words.lua", "exit").status)
    local failed = run("words.lua", "error")
    assert.equal(1, failed.status)
    assert.truthy(failed.stderr:find "words.lua:5: failed\nstack traceback:\n")
    assert.truthy(failed.stderr:find "words.prof was written")
  end)

  it("prints reports", function()
    local result = run("--rate=0", "-b", "-p", "words.lua")
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find "\n  0%.00 +0%.00 +0%.00 +1000 [^\n]* math%.floor\n")
  end)

  it("leaves it to find its own modules of gprof", function()
    local result = program.run({ "--record", program.root .. "/gprof.lua", "-h" }, { cwd = dir })
    assert.same({ program.run { "-h" }.stdout, 0 }, { result.stdout, result.status })
  end)

  it("finds it in the directories of PATH", function()
    shell.check { "mkdir", dir .. "/bin" }
    shell.write(dir .. "/bin/greet", "#!/usr/bin/env lua\nprint(arg[0])\n")
    local path = dir .. "/bin"
    local result = program.run({ "--record", "greet" },
      { cwd = dir, env = { PATH = path .. ":" .. os.getenv "PATH" } })
    assert.same({ path .. "/greet\n",
      "gprof.lua: greet.prof was written; to read it: gprof.lua greet.prof\n", 0 },
      { result.stdout, result.stderr, result.status })
  end)

  it("leaves programs for other versions of Lua to their interpreters", function()
    local program_files = require "gprof.library.files.program_files"
    local path = dir .. "/versions"
    for line, expected in pairs { ["#!/usr/bin/env lua"] = true, ["#!/usr/bin/lua5.4 -E"] = true,
      ["#!/usr/bin/lua54"] = true, ["#!/usr/bin/lua5.1"] = false, ["#!/usr/bin/luajit"] = false,
      ["#!/bin/sh"] = false, [""] = false } do
      shell.write(path, line .. "\n")
      assert.equal(expected, program_files.is_lua(path), line)
    end
  end)

  it("says before the run that only Lua 5.4 is recorded", function()
    for line, name in pairs { ["#!/opt/lua5.4/lua5.1"] = "lua5.1", ["#!/usr/bin/env luajit-2.1"] = "luajit-2.1",
      ["#!/usr/bin/env lua5.3"] = "lua5.3", ["#!/lua5.1/lua"] = false, ["#!/usr/bin/lua5.4"] = false } do
      local told = name and ("is a program for %s: it is run and recorded with Lua 5.4\n"):format(name)
      shell.write(dir .. "/version.lua", line .. "\nlocal function f() end f()\n")
      local stderr = run("version.lua").stderr
      assert.equal(told or nil, stderr:match "^gprof%.lua: version%.lua: (is a program[^\n]*\n)", stderr)
    end
    local interpreter = shell.check({ "sh", "-c", "command -v lua5.4" }).stdout:sub(1, -2)
    assert.matches("name it in its place: gprof.lua %-%-record SCRIPT\n",
      run(interpreter, "-v").stderr)
    local other = dir .. "/lua5.1"
    shell.check { "cp", interpreter, other }
    shell.write(dir .. "/tool", ("#!%s\nprint(1)\n"):format(other))
    shell.check { "chmod", "+x", dir .. "/tool" }
    assert.matches("/tool: is a program for lua5%.1: only the C functions of its interpreter are recorded; to run " ..
      "and record it with Lua 5%.4, give its file a name that ends in %.lua: gprof%.lua %-%-record SCRIPT%.lua\n",
      run(dir .. "/tool").stderr)
  end)

  it("says that Ctrl-C has removed the hook", function()
    shell.write(dir .. "/interrupted.lua",
      "print(pcall(function() io.popen 'kill -INT $PPID' while true do end end))")
    local result = run "interrupted.lua"
    assert.matches("interrupted!\n$", result.stdout)
    assert.matches("^gprof.lua: the recorder's hook was removed %(Ctrl%-C, or debug.sethook%): [^\n]*\n", result.stderr)
  end)

  it("does not lose a Ctrl-C that comes while the hook runs", function()
    local text = shell.read(program.root .. "/spec/fixtures/interrupt.c")
    local library = build.compiled("interrupt", { "gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-I/usr/include/lua5.4",
      "-o", "interrupt.so", "interrupt.c" }, { ["interrupt.c"] = text }) .. "/interrupt.so"
    shell.write(dir .. "/hooked.lua", ([[
      local arm, was_raised = package.loadlib(%q, "arm"), package.loadlib(%q, "was_raised")
      print(pcall(function() arm() repeat until was_raised() return "lost" end))
    ]]):format(library, library))
    local options = { cwd = dir, timeout = true, env = { LD_PRELOAD = library,
      ASAN_OPTIONS = (os.getenv "ASAN_OPTIONS" or "") .. ":verify_asan_link_order=0" } }
    for _, count in ipairs { "calls", "lines", "none" } do
      local result = program.run({ "--record", "--count=" .. count, "hooked.lua" }, options)
      assert.matches("^false\t[^\n]*interrupted!\n$", result.stdout)
    end
  end)

  describe("that a signal ends", function()
    -- Runs a program, and sends signals to it when it has called `start`. Returns the number of the signal that ended
    -- it, and its calls.
    local function ended(text, signals, options)
      local ready = dir .. "/ready"
      os.remove(ready)
      shell.write(dir .. "/ended.lua", "local function start() io.open('ready', 'w'):close() end\n" .. text)
      local commands = [[
        "$@" >/dev/null 2>errors &
        while [ ! -e ready ]; do sleep 0.01; done
        for signal in ]] .. signals .. [[; do kill -$signal $!; done
        wait $!
        echo $?
      ]]
      local words = { "timeout", "60", "bash", "-c", commands, "bash", table.unpack(program.interpreter) }
      for _, word in ipairs { program.root .. "/gprof.lua", "--record", "--output=ended.prof", options } do
        words[#words + 1] = word
      end
      words[#words + 1] = "ended.lua"
      local result = shell.run(words, { cwd = dir })
      local stderr = shell.read(dir .. "/errors")
      assert.truthy(stderr:find("ended.prof was written", 1, true), stderr)
      assert.falsy(stderr:find("set a hook", 1, true), stderr)
      return tonumber(result.stdout:match "%d+") - 128, program.run { "-b", "-z", "-p", dir .. "/ended.prof" }.stdout
    end

    local PROGRAMS <const> = {
      computes = "local function work() start() while true do end end work()",
      ["computes in a coroutine"] = "local function work() start() while true do end end coroutine.wrap(work)()",
      waits = "local function work() start() os.execute 'exec sleep 50' end work()",
      ["waits in a coroutine"] = "local function work() start() io.popen('exec sleep 50'):read() end " ..
        "coroutine.wrap(work)()",
      ["catches errors"] = "local function work() start() while true do pcall(error) end end work()",
    }
    for name, text in pairs(PROGRAMS) do
      it("and that " .. name .. " writes its profile", function()
        for signals, number in pairs { TERM = 15, ["TERM TERM"] = 15, HUP = 1 } do
          local signal, flat = ended(text, signals)
          assert.equal(number, signal)
          assert.truthy(flat:find " 1 [^\n]*  work %(ended%.lua:2%)\n", flat)
        end
      end)
    end

    it("writes its profile also if it has a hook, and with C functions", function()
      for _, option in ipairs { "--count=lines", "--with-c" } do
        local signal, flat = ended(PROGRAMS.computes, "TERM", option)
        assert.equal(15, signal)
        assert.truthy(flat:find "  work %(ended%.lua:2%)\n", flat)
      end
    end)

    -- The first Ctrl-C stops the program at its next instruction: there is none. So it is sent again.
    it("writes its profile if it waits in a C function until Ctrl-C ends it", function()
      if not pcall(require, "socket") then return pending "needs LuaSocket (lua-socket)" end
      shell.write(dir .. "/waits.lua", [[
        local sleep = require "socket".sleep
        local process <close> = io.open "/proc/self/stat"
        local command = "while [ ! -e %s ] || ! grep -q ') S' /proc/%d/stat; do sleep 0.01; done; " ..
          "while kill -INT %d; do sleep 0.1; done 2>/dev/null"
        local id = process:read "n"
        local helper <const> = io.popen(command:format(arg[1], id, id))
        local function work()
          for _ = 1, 2e7 do end
          io.open(arg[1], "w"):close()
          sleep(50, helper)
        end
        work()
      ]])
      for _, count in ipairs { "calls", "none" } do
        local result = program.run({ "--record", "--count=" .. count, "waits.lua", "waits." .. count }, { cwd = dir })
        assert.equal("gprof.lua: waits.prof was written; to read it: gprof.lua waits.prof\n", result.stderr, count)
        assert.truthy(program.run({ "-b", "-z", "-p", dir .. "/waits.prof" }).stdout:find "  work %(waits%.lua:7%)\n")
      end
    end)

    it("writes its profile if it writes to a closed pipe", function()
      shell.write(dir .. "/pipe.lua", "local function work() while true do print 'x' end end work()")
      local command = "lua5.4 " .. program.root .. "/gprof.lua --record pipe.lua | head -n 1"
      local result = shell.run({ "timeout", "60", "sh", "-c", command }, { cwd = dir })
      assert.truthy(result.stderr:find("pipe.prof was written", 1, true), result.stderr)
    end)
  end)

  it("does not change what its children and its own handlers do", function()
    shell.write(dir .. "/child.lua", "print(os.execute 'kill -TERM $$')")
    assert.equal("nil\tsignal\t15\n", run("child.lua").stdout)
    shell.write(dir .. "/ignores.lua", "os.execute 'kill -TERM $PPID' print 'lives'")
    local command = "trap '' TERM; exec lua5.4 " .. program.root .. "/gprof.lua --record ignores.lua"
    local result = shell.run({ "sh", "-c", command }, { cwd = dir })
    assert.equal("lives\n", result.stdout)
  end)

  it("does not change its arguments and paths", function()
    shell.write(dir .. "/state.lua", [[
      local first = 0
      while arg[first - 1] do first = first - 1 end
      print(first, package.path, package.cpath, #arg)
    ]])
    local plain = shell.check({ "lua5.4", "state.lua" }, { cwd = dir })
    assert.equal(plain.stdout, run("state.lua").stdout)
  end)

  it("records a program that forbids unknown global variables", function()
    shell.write(dir .. "/strict.lua", [[
      arg = nil
      setmetatable(_G, { __index = function(_, name) error("unknown " .. name) end })
    ]])
    assert.equal("gprof.lua: strict.prof was written; to read it: gprof.lua strict.prof\n",
      run("strict.lua").stderr)
  end)

  it("records a program that removes or replaces the standard library", function()
    local work = "local function work() for _ = 1, 9 do end end work() work()\n"
    for name, text in pairs {
      globals = "local pairs, _G = pairs, _G for name in pairs(_G) do _G[name] = nil end",
      members = [[for _, library in pairs(_G) do
          if type(library) == "table" and library ~= _G then for name in pairs(library) do library[name] = nil end end
        end]],
      replaced = "local f = error for name in pairs(string) do string[name] = f end ipairs = f",
      strings = "debug.setmetatable('', { __index = error })",
      guarded = "setmetatable(_G, { __index = error, __newindex = error, __pairs = error })",
      loaded = "for name in pairs(package.loaded) do package.loaded[name] = 1 end",
      registry = "debug.getregistry()._LOADED = nil",
      coroutine = "coroutine.wrap(function() coroutine.wrap(function() os.exit(0) end)() end)()",
      hook = "debug.sethook(function() end, 'crl') work() debug.sethook()",
    } do
      for _, count in ipairs { "calls", "lines" } do
        shell.write(dir .. "/changed.lua", work .. text .. "\n")
        local result = run("--count=" .. count, "-b", "-p", "changed.lua")
        assert.equal(0, result.status, name .. result.stderr)
        assert.truthy(result.stdout:find "\n[ %d.]+ 2 +0%.00 +0%.00  work %(changed%.lua:1%)\n", name .. result.stdout)
      end
    end
  end)

  it("runs a program whose name has special characters", function()
    local name = "it's a \"%q\"\n$x.lua"
    shell.write(dir .. "/" .. name, "print(#arg[0])")
    local result = run(name)
    assert.same({ #name .. "\n", 0 }, { result.stdout, result.status })
    assert.truthy(shell.read(dir .. "/" .. name:gsub("%.lua$", ".prof")))
  end)

  it("runs a program whose name begins with a dash", function()
    local cwd = shell.tmpdir "dash"
    shell.write(cwd .. "/-x.lua", "print(arg[0], arg[1], arg[-2])")
    for _, name in ipairs { "-x.lua", "./-x.lua" } do
      local result = program.run({ "--record", "--", name, "-e" }, { cwd = cwd })
      assert.same({ name .. "\t-e\tnil\n", "gprof.lua: -x.prof was written; to read it: gprof.lua ./-x.prof\n", 0 },
        { result.stdout, result.stderr, result.status })
    end
  end)

  it("does not start if the profile cannot take the place of a directory", function()
    shell.check { "mkdir", dir .. "/taken" }
    local result = run("--output=taken", "words.lua")
    assert.same({ "", "gprof.lua: taken: is a directory: the profile cannot be written there\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("does not start if the profile would replace the program, or another file that is not a profile", function()
    local where = shell.tmpdir "kept"
    local text = "#!/usr/bin/env lua5.4\nprint 'started'\n"
    for _, name in ipairs { "s.lua", "tool", "words-7.txt", "s.prof" } do shell.write(where .. "/" .. name, text) end
    shell.check({ "ln", "-s", "s.lua", "link" }, { cwd = where })
    for _, row in ipairs { { "s.lua", "--output=s.lua", "s.lua" }, { "./link", "--output=./link", "s.lua" },
      { "tool", "--output=%e", "./tool" }, { "words-7.txt", "--output=words-%r.txt", "s.lua" },
      { "s.lua", "--with-c", "--output=s.lua", "s.lua" }, { "s.prof", "s.lua" } } do
      local result = program.run({ "--record", table.unpack(row, 2) }, { cwd = where, env = { PMI_RANK = "7" } })
      assert.same({ "", ("gprof.lua: %s: is not a profile, so it is not replaced\n"):format(row[1]), 1 },
        { result.stdout, result.stderr, result.status })
    end
    for _, name in ipairs { "s.lua", "tool", "words-7.txt", "s.prof" } do
      assert.equal(text, shell.read(where .. "/" .. name))
    end
  end)

  it("does not replace a file that the program has written meanwhile", function()
    shell.write(dir .. "/writes.lua", "local f <close> = io.open('written', 'w') f:write 'precious'")
    local result = run("--output=written", "writes.lua")
    assert.matches("^gprof.lua: %S+/written: is not a profile, so it is not replaced\n", result.stderr)
    assert.same({ 1, "precious" }, { result.status, shell.read(dir .. "/written") })
  end)

  it("replaces empty files and profiles, and adds the profile to a file that is its standard output", function()
    for _, old in ipairs { "", "gmon", "gprofctx" } do
      shell.write(dir .. "/replaced", old)
      assert.equal(0, run("--output=replaced", "words.lua").status)
      assert.equal("gprofctx\1", shell.read(dir .. "/replaced"):sub(1, 8) .. "\1")
    end
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", "--output=/dev/stdout", "words.lua" } do
      words[#words + 1] = word
    end
    for i, word in ipairs(words) do words[i] = shell.quote(word) end
    shell.run({ "sh", "-c", "echo first >log; " .. table.concat(words, " ") .. " >>log" }, { cwd = dir })
    assert.matches("^first\n.*words.lua.*\ngprofctx", shell.read(dir .. "/log"))
  end)

  it("refuses options that only other programs have", function()
    for _, option in ipairs { "--wall", "--follow", "--dump-signal=USR1", "--dump-file=x" } do
      local result = run(option, "words.lua")
      assert.same({ "", ("gprof.lua: words.lua: is a Lua program: %s is only for other programs%s\n"):format(
        option:match "^[^=]*", option == "--wall" and ", or with --with-c" or ""), 1 },
        { result.stdout, result.stderr, result.status })
    end
    local result = run("--count=lines", "/bin/true")
    assert.same({ "", "gprof.lua: /bin/true: is not a Lua program: --count is only for these\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("says that a script is for another Lua, where an option is only for Lua 5.4", function()
    shell.check { "chmod", "+x", shell.write(dir .. "/older", "#!/usr/bin/env lua5.1\n") }
    local result = run("--count=lines", "./older")
    assert.same({ "", "gprof.lua: ./older: is a program for lua5.1: --count is only for Lua 5.4; to run it with Lua " ..
      "5.4, give its file a name that ends in .lua\n", 1 }, { result.stdout, result.stderr, result.status })
  end)

  it("gives the interpreter the options of the first line", function()
    shell.write(dir .. "/optional", "#!/usr/bin/env -S lua5.4 -W -lgiven -e x=7\n" ..
      "warn 'on' for i = -6, 0 do io.write(tostring(arg[i]):match '[^/]*$', ' ') end print(given, x)")
    shell.write(dir .. "/given.lua", "return 5")
    local result = run("optional")
    local interpreter = result.stdout:match "^nil (%S+)"
    assert.same({ ("nil %s -W -lgiven -e x=7 optional 5\t7\n"):format(interpreter), "Lua warning: on" },
      { result.stdout, result.stderr:match "^[^\n]*" })
  end)

  it("gives it these options also after variables and options of env", function()
    for _, prefix in ipairs { "X=1", "-i", "-u HOME Y=2" } do
      shell.write(dir .. "/settings", "#!/usr/bin/env -S " .. prefix .. " lua5.4 -e x=7\nprint(x)")
      local result = run("settings")
      assert.same({ "7\n", 0 }, { result.stdout, result.status }, prefix)
    end
  end)

  it("records bytecode, whatever the name of its file is", function()
    local code = string.dump(load("local function leaf() end leaf() leaf()", "@inside.lua"))
    shell.write(dir .. "/luac.out", code)
    local result = run("luac.out")
    assert.same({ "", 0 }, { result.stdout, result.status })
    local flat = program.run({ "-b", "-p", dir .. "/luac.out.prof" }).stdout
    assert.matches(" 2 +0%.00 +0%.00 +leaf %(inside%.lua:1%)", flat)
  end)

  it("needs an interpreter in the first line, not only env", function()
    for _, line in ipairs { "#!/usr/bin/env", "#!/usr/bin/env -S", "#!/usr/bin/env -S -i X=1", "#!" } do
      shell.write(dir .. "/nothing", line .. "\n")
      local result = run("--count=lines", "./nothing")
      assert.same({ 1, "gprof.lua: ./nothing: is not a Lua program: --count is only for these\n" },
        { result.status, result.stderr }, line)
    end
  end)

  it("prefers a program in PATH to a Lua program of that name in the current directory", function()
    local here = shell.tmpdir "here"
    shell.write(here .. "/echo", "#!/usr/bin/env lua\nprint 'from here'")
    shell.write(here .. "/mine", "#!/usr/bin/env lua\nprint 'mine'")
    local function printed(name)
      return program.run({ "--record", "--output=out", name, "found" }, { cwd = here }).stdout
    end
    assert.same({ "found\n", "from here\n", "mine\n" }, { printed "echo", printed "./echo", printed "mine" })
  end)

  it("says how a Lua program is recognized, if a file cannot be executed", function()
    shell.write(dir .. "/plain", "print(1)\n")
    local result = run("./plain")
    assert.same({ "", "gprof.lua: ./plain: Permission denied; the name of a Lua program ends in .lua, or its first " ..
      "line begins with #! and names lua\n", 1 }, { result.stdout, result.stderr, result.status })
  end)

  it("has names that are symspecs as reports print them, with places", function()
    shell.write(dir .. "/placed.lua", [[
      local function step(n) return n + 1 end
      local M = { open = function(n) return step(n) end }
      M.open(1)
      M.open(2)
    ]])
    assert.equal(0, run("--rate=0", "placed.lua").status)
    local function calls(option)
      local text = program.run({ "-b", option, dir .. "/placed.prof" }).stdout
      return select(2, text:gsub("%f[%d]2%f[%D] [^\n]*placed", ""))
    end
    assert.equal(2, calls "-p")
    for _, name in ipairs { "step (placed.lua:1)", "M.open (placed.lua:2)" } do assert.equal(1, calls("-p" .. name)) end
    for _, name in ipairs { "step (placed.lua:2)", "M.open (other.lua:2)" } do assert.equal(0, calls("-p" .. name)) end
  end)

  it("says that it cannot be asked for its profile", function()
    local lua = {}
    for i, word in ipairs(program.interpreter) do lua[i] = "'" .. word .. "'" end
    shell.write(dir .. "/asks.lua", ([=[os.execute [[%s '%s/gprof.lua' --dump=$PPID]]]=]):format(
      table.concat(lua, " "), program.root))
    for _, option in ipairs { "--count=calls", "--with-c" } do
      local result = run(option, "asks.lua")
      assert.equal("gprof.lua: process N: is a Lua program, which cannot be asked: its profile is written when it ends",
        (result.stderr:match "^[^\n]*":gsub("%d+", "N")))
    end
  end)

  it("limits memory: further call paths are joined", function()
    shell.write(dir .. "/paths.lua", [[
      local f, text = {}, "local f, n = ... if n > 0 then (f[n %% 200 + 1])(f, n // %d) end"
      for i = 1, 200 do f[i] = load(text:format(i % 3 + 2), "=f" .. i) end
      for i = 1, 30000 do f[i % 200 + 1](f, i) end
    ]])
    local function calls(option)
      local result = run(option, "-b", "-p", "paths.lua")
      assert.equal(0, result.status)
      local sum = 0
      for count in result.stdout:gmatch "\n *[%d.]+ +[%d.]+ +[%d.]+ +(%d+) " do sum = sum + tonumber(count) end
      return sum, result.stderr
    end
    local all, told = calls "--memory=64M"
    assert.same({ true, "" }, { all > 50000, told })
    -- direct recursion is not counted in this report; in joined paths, it is not known
    local joined, warning = calls "--memory=1M"
    assert.truthy(joined > all)
    assert.equal("gprof.lua: warning: paths.prof: lacks some call paths: the time of callees is estimated\n", warning)
  end)

  it("knows the placeholders of names", function()
    for pattern, name in pairs { ["%e-%r%%"] = "words-7%", ["%%e"] = "%e" } do
      local result = program.run({ "--record", "--output=" .. pattern, "words.lua" },
        { cwd = dir, env = { PMI_RANK = "7" } })
      assert.equal(("gprof.lua: %s was written; to read it: gprof.lua %s\n"):format(name, name), result.stderr)
    end
    local result = run("--output=%e.%p", "words.lua")
    local name = result.stderr:match "^gprof%.lua: (words%.%d+) was written"
    assert.truthy(shell.read(dir .. "/" .. name))
  end)

  it("takes samples if all signals are blocked", function()
    shell.write(dir .. "/work.lua", [[
      local x, began = 0, os.clock()
      repeat for i = 1, 10000 do x = x + i % 7 end until os.clock() - began > 0.2
    ]])
    local blocked = { "env", "--block-signal=RTMAX", "--block-signal=RTMAX-1", "--block-signal=RTMAX-2" }
    local words = table.move(program.interpreter, 1, #program.interpreter, #blocked + 1, blocked)
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", "-b", "-p", "work.lua" } do
      words[#words + 1] = word
    end
    sampled.decide(function()
      local result = shell.run(words, { cwd = dir })
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.truthy(result.stdout:find "\n *%d%d+%.%d%d +0%.%d+ +0%.%d+[^\n]+ main chunk of work%.lua\n", result.stdout)
    end)
  end)

  it("writes through a link and to a device that the user names, and replaces neither", function()
    local home = shell.tmpdir "outputs"
    shell.write(home .. "/words.lua", shell.read(dir .. "/words.lua"))
    shell.check({ "sh", "-c", "echo gmon >target; ln -s target link; ln -s nothing dangling" }, { cwd = home })
    for link, target in pairs { link = "target", dangling = "nothing" } do
      local result = program.run({ "--record", "--output=" .. link, "words.lua" }, { cwd = home })
      assert.same({ 0, target }, { result.status, shell.check({ "readlink", link }, { cwd = home }).stdout:sub(1, -2) })
      assert.equal("gprofctx", shell.read(home .. "/" .. target):sub(1, 8))
    end
    if shell.run({ "mknod", home .. "/device", "c", "1", "3" }).status ~= 0 then return pending "needs root" end
    local result = program.run({ "--record", "--output=device", "words.lua" }, { cwd = home })
    assert.same({ "gprof.lua: words.lua: the profile was written to device, which is not a file\n", 0 },
      { result.stderr, result.status })
    assert.equal("character special file\n", shell.check({ "stat", "-c", "%F", home .. "/device" }).stdout)
  end)

  it("does not write through a link that has the default name", function()
    local home = shell.tmpdir "planted"
    shell.write(home .. "/words.lua", shell.read(dir .. "/words.lua"))
    shell.check({ "sh", "-c", "echo old >target; ln -s target words.prof" }, { cwd = home })
    local result = program.run({ "--record", "words.lua" }, { cwd = home })
    assert.matches("^gprof.lua: %S+/words.prof: is a symbolic link", result.stderr)
    assert.same({ 1, "old\n" }, { result.status, shell.read(home .. "/target") })
  end)

  it("writes the profile where the user says", function()
    local result = run("--output=other.prof", "words.lua")
    assert.equal("gprof.lua: other.prof was written; to read it: gprof.lua other.prof\n", result.stderr)
    assert.truthy(shell.read(dir .. "/other.prof"))
  end)
end)

describe("the profile of a Lua program", function()
  local path
  setup(function()
    path = select(2, recorded("local function f(n) return n and f end for i = 1, 100 do f(i) end", ""))
  end)

  it("has C functions after the lines with the most time", function()
    sampled.decide(function()
      local dir = shell.tmpdir "c_last"
      shell.write(dir .. "/c.lua", "for _ = 1, 15000000 do end\nfor _ = 1, 30 do ('x'):rep(1000000) end\n")
      program.run({ "--record", "c.lua" }, { cwd = dir })
      local report = program.run({ "-b", "--lines", dir .. "/c.prof" }).stdout
      assert.matches("c%.lua:[12] [^\n]+\n.* string%.rep\n", report)
      assert.is_nil(report:find "string%.rep\n.* c%.lua:[12] ", report)
    end)
  end)

  it("needs no program", function()
    local result = program.run { "-b", "-p", path }
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find " 100 [^\n]* f %([^()\n]+:%d+%)\n")
  end)

  -- A report of the profile of another run of the same program is added.
  it("is added up with others of the same functions, and compared", function()
    local other = select(2, recorded("local function f(n) return n and f end for i = 1, 50 do f(i) end", ""))
    local same = shell.tmpdir() .. "/same.prof"
    shell.check { "cp", path, same }
    local sum = program.run { "-b", "-p", path, same }
    assert.same({ "", 0 }, { sum.stderr, sum.status })
    assert.truthy(sum.stdout:find " 200 [^\n]* f %([^()\n]+:%d+%)\n")
    local change = program.run { "-b", "--compare=" .. other, path }
    assert.same({ "", 0 }, { change.stderr, change.status })
    assert.truthy(change.stdout:find " 50 +100 +%+50 +2%.00 +f %([^()\n]+:%d+%)\n")
  end)

  it("is refused with a reason if its list of functions is damaged", function()
    local bytes, damaged = shell.read(path), shell.tmpdir() .. "/damaged.prof"
    local list, after = ("<s8"):unpack(bytes, 21)
    local function with(changed) return bytes:sub(1, 20) .. ("<s8"):pack(changed) .. bytes:sub(after) end
    local head = bytes:sub(1, 20)
    for _, wrong in ipairs { head .. ("<I8"):pack(1 << 62) .. list, head .. ("<I8"):pack(-1), with "",
      with(list:sub(2)), with(list .. list), with(list:sub(1, -2)), with(list .. "\0"), head .. ("\255"):rep(4000),
      with(("<s4I4I4I4I4s4I4"):pack("@x", 1, 1, 0, 0, "", 0xffffffff)), with(("<I4"):pack(0xffffffff)),
      with(("<s4I4I4I4I4s4I4I4"):pack("@x", 1, 1, 0, 0, "", 2, 1)),
      bytes:sub(1, 16 + 100) } do
      shell.write(damaged, wrong)
      local result = program.run { "-b", "-p", damaged }
      assert.same({ "", 1 }, { result.stdout, result.status })
      assert.truthy(result.stderr:find "^gprof%.lua: [^\n]+\n$", result.stderr)
      assert.falsy(result.stderr:find("name the program", 1, true))
    end
  end)

  it("is refused with one line if any part of it is missing", function()
    local bytes, cut = shell.read(path), shell.tmpdir() .. "/cut.prof"
    for size = 8, #bytes - 1, 97 do
      shell.write(cut, bytes:sub(1, size))
      local result = program.run { "-b", "-p", cut }
      assert.same({ "", 1 }, { result.stdout, result.status }, size)
      assert.truthy(result.stderr:find "^gprof%.lua: [^\n]+\n$", result.stderr)
    end
  end)
end)

describe("the samples of a program whose calls are counted", function()
  if os.getenv "GPROF_COVERAGE" then return end -- hooks that count their own lines delay the code after them
  local small <const> = program.root .. "/spec/fixtures/lua/small_calls.lua"

  -- Returns the ratio of the two times that the script prints.
  local function ratio_of(result)
    local calls, loop = result.stdout:match "^(%S+)%s+(%S+)\n$"
    return tonumber(calls) / tonumber(loop)
  end

  for _, option in ipairs { "--count=calls", "--with-c" } do
    it("do not charge small functions with what counting takes: " .. option, function()
      sampled.decide(function()
        local path = shell.tmpdir "small" .. "/lua.prof"
        local plain = ratio_of(shell.check { "lua5.4", small })
        local counted = ratio_of(program.run { "--record", option, "--output=" .. path, small })
        local report = program.run({ "-b", "-p", path }).stdout
        local self = {}
        for seconds, name in report:gmatch "%d+%.%d+ +%d+%.%d+ +(%d+%.%d+) +%d+ [^\n]- (%l+) %(" do
          self[name] = seconds
        end
        local found = (self.small + self.many) / self.loop
        assert.is_true(counted > 2 * plain, counted)
        assert.is_true(found > plain / 2 and found < 1.5 * plain, ("%g instead of %g"):format(found, plain))
        assert.matches("\n%d+%% of the processor time was the recorder's, so percentages may be off by %d+; " ..
          (option == "--with-c" and "without %-%-with%-c, " or "") .. "%-%-count=none", report)
      end)
    end)
  end

  it("do not charge short lines with the time that counting them takes", function()
    if program.is_collected then return end -- collections take most of the time
    sampled.decide(function()
      local dir = shell.tmpdir "lines"
      local lines = shell.write(dir .. "/lines.lua", "local t = os.clock() local x = 0\n" ..
        "for _ = 1, 3000000 do\nx = x + 1\nx = x * 2\nx = x // 3\nend\nlocal u = os.clock()\n" ..
        "local s = ('x'):rep(1000)\n" ..
        "for _ = 1, 20000 do s:reverse():upper():lower():rep(2) end\nprint(u - t, os.clock() - u)\n")
      local plain = ratio_of(shell.check { "lua5.4", lines })
      local path = dir .. "/lua.prof"
      local counted = ratio_of(program.run { "--record", "--count=lines", "--output=" .. path, lines })
      local self, total = tonumber(program.run({ "-b", "-p", path }).stdout:match
        " ([%d.]+) +%d* +[%d.]* +[%d.]* +main chunk"), 0
      for seconds in program.run({ "-b", "-p", path }).stdout:gmatch "\n +[%d.]+ +[%d.]+ +([%d.]+) " do
        total = total + seconds
      end
      local found = self / (total - self)
      assert.is_true(counted > 2 * plain, counted)
      assert.is_true(found > plain / 2 and found < (plain + counted) / 2, ("%g: %g"):format(found, plain))
    end)
  end)

  it("do not charge lines far from the beginning of a function with the time that finding them takes", function()
    sampled.decide(function()
      local dir, statements = shell.tmpdir "long", {}
      for i = 1, 40 do statements[i] = "x = (x * 3 + " .. i .. ") % 1000003" end
      local long = shell.write(dir .. "/long.lua", "local function one(x) " .. table.concat(statements, " ") ..
        " return x end\nlocal function many(x)\n" .. table.concat(statements, "\n") .. "\nreturn x end\n" ..
        "for i = 1, 100000 do one(i) many(i) end\n")
      local path = dir .. "/lua.prof"
      program.run { "--record", "--count=lines", "--output=" .. path, long }
      local report, self = program.run({ "-b", "-p", path }).stdout, {}
      for seconds, name in report:gmatch "([%d.]+) +%d+ +[%d.]+ +[%d.]+ +(%l+) %(" do self[name] = tonumber(seconds) end
      assert.is_true(self.many < 1.7 * self.one, report)
    end)
  end)
end)

describe("coroutines that are older than the recording", function()
  it("have the functions that run in them on their call paths", function()
    local path = shell.tmpdir() .. "/server.prof"
    local result = launch.script(([[
      local gprof, recorder = require "gprof", require "gprof.recorder"
      local function handle() end
      local function request() coroutine.yield() handle() end
      local function connection() while true do request() end end
      local resume = coroutine.wrap(connection)
      resume()
      recorder.start { rate = 0 }
      for _ = 1, 3 do resume() end
      recorder.stop()
      assert(recorder.write(%q))
      local image = assert(gprof.image(%q))
      local p = assert(gprof.profile(image, assert(gprof.data(image, %q))))
      for arc in p:arcs() do print(arc.caller.name, arc.callee.name, arc.count) end
    ]]):format(path, path, path))
    assert.same({ "", 0 }, { result.stderr, result.status })
    for _, arc in ipairs { "coroutine.wrap (resumed)\tconnection\t0", "connection\trequest\t3",
      "request\thandle\t3", "request\tcoroutine.yield\t3" } do
      assert.truthy(("\n" .. result.stdout):find("\n" .. arc .. "\n", 1, true), result.stdout)
    end
  end)

  it("are recorded when they are resumed, whichever function resumes them", function()
    local dir = shell.tmpdir "older"
    local older = shell.write(dir .. "/older.lua", [[
      require "gprof"
      local recorder = require "gprof.recorder"
      local function work() end
      local function body() while true do work() coroutine.yield() end end
      local wrapped, begun, new = coroutine.wrap(body), coroutine.create(body), coroutine.create(body)
      coroutine.resume(begun)
      recorder.start { rate = 0 }
      for _ = 1, 5 do
        wrapped()
        coroutine.resume(begun)
        coroutine.resume(new)
      end
      recorder.stop()
      recorder.report("flat", { brief = true })
    ]])
    local result = shell.check({ "lua5.4", older }, { env = { LUA_PATH = program.root .. "/?.lua;;" } })
    assert.matches(" 15 +0%.00 +0%.00 +work %(", result.stdout)
    assert.matches(" 2 +0%.00 +0%.00 +body %(", result.stdout)
  end)

  it("are recorded if they are of a former recording, of any kind", function()
    for _, former in ipairs { 'count = "none"', 'count = "none", instructions = 100', "", 'count = "lines"' } do
      for _, options in ipairs { "rate = 0", 'rate = 0, count = "lines"' } do
        assert.equal(options:find "lines" and "15\t15\n" or "15\t0\n", launch.script(([[
          local recorder = require "gprof.recorder"
          local function work()
            return 1
          end
          local function body() while true do work() coroutine.yield() end end
          recorder.start { %s }
          local resume, new = coroutine.resume, coroutine.create(body)
          local wrapped, begun = coroutine.wrap(body), coroutine.create(body)
          resume(begun)
          wrapped()
          recorder.stop()
          recorder.start { %s }
          for _ = 1, 5 do
            resume(begun)
            resume(new)
            wrapped()
          end
          local executions
          for _, f in ipairs(recorder.stop().functions) do
            if f.name == "work" then executions = f.executions[3] end
          end
          recorder.report("flat", { brief = true }, function(text)
            local calls = text:match " (%%d+) +[%%d.]+ +[%%d.]+ +work "
            if calls then print(calls, executions or 0) end
          end)
        ]]):format(former, options)).stdout, former .. " " .. options)
      end
    end
  end)

  it("may start another one", function()
    assert.equal("true\n", launch.script([[
      local recorder = require "gprof.recorder"
      recorder.start { rate = 0 }
      local co = coroutine.create(function() print(debug.gethook() == nil and pcall(recorder.start)) end)
      recorder.stop()
      coroutine.resume(co)
    ]]).stdout)
  end)
end)

describe("a recording that a coroutine has started", function()
  it("has the main program, and coroutines that are created later", function()
    local text = [[
      require "gprof"
      local recorder = require "gprof.recorder"
      local function leaf() for _ = 1, 1000 do end end
      local function request() leaf() coroutine.yield() leaf() end
      coroutine.wrap(function() recorder.start { %s } coroutine.yield() end)()
      local function serve()
        for _ = 1, 3 do
          local resume = coroutine.wrap(request)
          resume() resume() leaf()
        end
      end
      serve()
      recorder.stop()
      assert(not debug.gethook())
      recorder.report("flat", { brief = true })
    ]]
    local dir = shell.tmpdir "started"
    local function report(options)
      return shell.check({ "lua5.4", shell.write(dir .. "/s.lua", text:format(options)) },
        { env = { LUA_PATH = program.root .. "/?.lua;;" } }).stdout
    end
    assert.matches(" 9 +0%.00 +0%.00 +leaf %(", report "rate = 0")
    local samples = report 'count = "none", instructions = 100'
    assert.matches("leaf %(s%.lua", samples)
  end)

  it("names the interpreter's function, and leaves out those that stop it", function()
    local text = [[
      local recorder = require "gprof.recorder"
      local function leaf() end
      local co = coroutine.wrap(function()
        recorder.start { rate = 0 } coroutine.yield() leaf() recorder.pause() recorder.resume()
      end)
      local function serve() leaf() co() end
      co() serve()
      recorder.stop()
      assert(recorder.write(...))
    ]]
    local dir = shell.tmpdir "named"
    local path <const> = dir .. "/s.prof"
    shell.check({ "lua5.4", shell.write(dir .. "/s.lua", text), path },
      { env = { LUA_PATH = program.root .. "/?.lua;;" } })
    local stdout = program.run({ "--export=csv-arcs", path }).stdout
    assert.matches("\n%(interpreter%),[^\n]*,main chunk of s%.lua,", stdout)
    assert.matches("\nserve,[^\n]*,leaf,[^\n]*,1,", stdout)
    assert.is_nil(stdout:find("recorder.stop", 1, true) or stdout:find("recorder.pause", 1, true), stdout)
  end)
end)

describe("the memory of a recorded program", function()
  -- 20,000 coroutines live, 40,000 are collected. Prints the most memory, in kilobytes.
  local keep <const> = shell.write(shell.tmpdir "coroutines" .. "/keep.lua", [[
    local keep = {}
    for i = 1, 60000 do
      local resume = coroutine.wrap(function(value) return coroutine.yield(value) end)
      resume(i)
      keep[i] = i <= 20000 and resume or nil
    end
    io.write((io.open "/proc/self/status":read "a":match "VmHWM:%s*(%d+)"))
  ]])

  -- Sanitizers use memory of their own.
  if os.getenv "GPROF_LUA" then return end
  it("grows little with its coroutines", function()
    local plain = tonumber(shell.check({ "lua5.4", keep }).stdout)
    for _, option in ipairs { "--count=calls", "--count=lines" } do
      local path = shell.tmpdir "kept" .. "/lua.prof"
      local used = tonumber(program.run({ "--record", option, "--output=" .. path, keep }).stdout)
      assert.is_true(used < 2 * plain, ("%d, not %d"):format(used, plain))
    end
  end)
end)

describe("a host of recorded states", function()
  -- Returns what it prints: see the fixture.
  local function hosted(mode, text)
    local dir = build.compiled("lua-threads-host", { "gcc", "-I/usr/include/lua5.4", "-o", "host", "threads.c",
      "-llua5.4", "-pthread" }, { ["threads.c"] = shell.read(program.root .. "/spec/fixtures/lua/threads.c") })
    local path = shell.write(shell.tmpdir "hosted" .. "/script.lua", text)
    local result = shell.run({ dir .. "/host", mode, path }, { timeout = true,
      env = { LUA_PATH = program.root .. "/lua/?.lua;;", LUA_CPATH = program.root .. "/build/?.so;;" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return result.stdout
  end

  it("may close a state in another thread than the recorded one, which may go on with others", function()
    for _, options in ipairs { "{}", '{ count = "none" }' } do
      assert.equal("true\ntrue\n", hosted("passed", ([[
        local recorder = require "gprof.recorder"
        print(pcall(recorder.start, %s))
        recorder.zone_begin "open"
      ]]):format(options)), options)
    end
  end)

  it("may close states in other threads than those in which they were recorded, and loses no memory", function()
    local growth = tonumber(hosted("often", [[
      local recorder = require "gprof.recorder"
      recorder.start { rate = 0 }
      recorder.stop()
    ]]))
    assert.is_true(growth < 1000, growth)
  end)

  it("may fork a child that writes what it has recorded", function()
    local path = shell.tmpdir "forked" .. "/child.prof"
    assert.equal("true\n", hosted("alone", ([[
      local recorder = require "gprof.recorder"
      local function work(n) local sum = 0 for i = 1, n do sum = sum + i end return sum end
      work(20000000) recorder.start { instructions = 1000 } work(100000)
      if fork() == 0 then
        work(1000)
        recorder.stop()
        print(recorder.write(%q))
        os.exit(true, true)
      end
      wait()
    ]]):format(path)))
    local result = program.run { "-b", "-p", path }
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find " 2 +[%d.]+ +[%d.]+ +work ", result.stdout)
  end)

  it("may use the memory of collected coroutines that are older than the recording", function()
    assert.equal("stopped\n", hosted("alone", [[
      local recorder = require "gprof.recorder"
      local co = coroutine.create(function() while true do coroutine.yield() end end)
      recorder.start { rate = 0 }
      coroutine.resume(co)
      co = nil
      collectgarbage()
      recorder.stop()
      print "stopped"
    ]]))
  end)
end)
