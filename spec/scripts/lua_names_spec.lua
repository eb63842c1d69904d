-- Functions of Lua programs have the names of their definitions, and no two functions have the same name.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local program = require "support.program"
local script_functions = require "gprof.scripts.script_functions"
local script_names = require "gprof.scripts.script_names"
local shell = require "support.shell"

-- Records main.lua of a directory with some files. Returns the path of its profile.
local function recorded(files, option)
  local dir = shell.tmpdir "names"
  for name, text in pairs(files) do
    local folder = name:match "^(.*)/"
    if folder then shell.check { "mkdir", "-p", dir .. "/" .. folder } end
    shell.write(dir .. "/" .. name, text)
  end
  local result = program.run({ "--record", option or "--count=calls", "main.lua" }, { cwd = dir })
  assert.equal(0, result.status, result.stderr)
  return dir .. "/main.prof", dir
end

-- The same with a sample whenever Lua has executed 1000 instructions, so that no function lacks samples. `count` is the
-- recorder's option.
local function sampled(text, count)
  local dir = shell.tmpdir "sampled"
  shell.write(dir .. "/main.lua", text)
  local result = launch.script(([[
    local recorder = require "gprof.recorder"
    local main = assert(loadfile "main.lua")
    recorder.start { instructions = 1000, count = %q }
    main()
    recorder.stop()
    assert(recorder.write "main.prof")
  ]]):format(count), nil, { cwd = dir })
  assert.same({ "", 0 }, { result.stderr, result.status })
  return dir .. "/main.prof"
end

local function report(...)
  local result = program.run { "-b", ... }
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

-- Returns "caller > callee count" of all arcs that match a pattern.
local function arcs(path, pattern)
  local found = {}
  for line in report("--export=csv-arcs", path):gmatch "[^\r\n]+" do
    local caller, callee, count = line:match '^"?([^,"]+)"?,[^,]*,[^,]*,"?([^,"]+)"?,[^,]*,[^,]*,(%d+)'
    local arc = caller and ("%s > %s %s"):format(caller, callee, count)
    if arc and arc:find(pattern) then found[#found + 1] = arc end
  end
  table.sort(found)
  return found
end

local CALLBACKS <const> = [[
local function call(f, n) return (f(n)) end
local function cheap(n) return n end
local function costly(n) local s = 0 for i = 1, n do s = s + i % 7 end return s end
local object = {}
function object:visit(f) return f(1) end
for _ = 1, 3 do call(cheap, 1) call(costly, 1) end
call(function(n) return n + 1 end, 1)
call(function(n) return n + 2 end, 1)
object:visit(function(n) return n + 3 end)
]]

describe("A Lua function that is called by a parameter", function()
  local path = recorded { ["main.lua"] = CALLBACKS }

  it("has the name of its definition", function()
    assert.same({ "call > callback of call (main.lua:7) 1", "call > callback of call (main.lua:8) 1",
      "call > cheap 3", "call > costly 3", "main chunk of main.lua > call 8", "main chunk of main.lua > object:visit 1",
      "object:visit > callback of object:visit (main.lua:9) 1" }, arcs(path, "^[cmo]"))
  end)

  it("is selected by its name, its last word, its name without the place, and its place", function()
    local function selected(spec)
      local names = {}
      for name in report("-z", "-p" .. spec, path):gmatch "%d%.%d%d  (%a[^\n]*)" do
        names[#names + 1] = name
      end
      table.sort(names)
      return names
    end
    assert.same({ "object:visit (main.lua:5)" }, selected "object:visit")
    assert.same({ "object:visit (main.lua:5)" }, selected "visit")
    assert.same({ "callback of call (main.lua:7)" }, selected "callback of call (main.lua:7)")
    assert.same({ "callback of call (main.lua:7)", "callback of call (main.lua:8)" }, selected "callback of call")
    assert.same({ "callback of call (main.lua:7)" }, selected "main.lua:callback of call (main.lua:7)")
  end)
end)

describe("The place of a Lua function", function()
  local path = recorded { ["main.lua"] = CALLBACKS }
  local PLACED <const> = { "cheap (main.lua:2)", "call (main.lua:1)", "object:visit (main.lua:5)" }

  it("follows its name in reports, once", function()
    for _, option in ipairs { "-p", "-q", "-T" } do
      for _, more in ipairs { "-b", "--inline-file-names", "--short-names" } do
        local text = report(option, more, "-z", path)
        for _, name in ipairs(PLACED) do assert.truthy(text:find(name, 1, true), option .. name) end
        assert.falsy(text:find("%(main%.lua:%d+%) %(main%.lua") or text:find "chunk of main%.lua %(", option)
      end
    end
    assert.truthy(report("-p", "-L", path):find("cheap (main.lua:2)", 1, true))
  end)

  it("follows its name in comparisons", function()
    local moved = recorded { ["main.lua"] = "\n" .. CALLBACKS:gsub("call%(cheap, 1%)", "%0 %0") }
    for _, option in ipairs { "-z", "--inline-file-names", "--export=markdown" } do
      local text = report("--compare=" .. path, option, moved)
      assert.truthy(text:find("cheap (main.lua:3)", 1, true), text)
      assert.falsy(text:find "%(main%.lua:%d+%) %(main%.lua", text)
    end
  end)

  it("is part of the name in exports that have nothing else for it, and with --inline-file-names", function()
    local spin = recorded { ["main.lua"] = [[
      local function spin() for _ = 1, 1e6 do end end
      for _ = 1, 40 do spin() end
    ]] }
    assert.truthy(report("--export=folded", spin):find("main chunk of main.lua;spin (main.lua:1) ", 1, true))
    assert.truthy(report("--export=csv", spin):find "\nspin,spin,[^,\n]*main%.lua,1,")
    assert.truthy(report("--export=csv", "--inline-file-names", spin):find("spin (main.lua:1),", 1, true))
  end)

  it("is left out by --gnu-compat", function()
    assert.truthy(report("--gnu-compat", "-p", path):find " call\n")
  end)
end)

describe("Functions with the same name", function()
  local TWO <const> = [[
local function work(n) local s = 0 for i = 1, n do s = s + i % 7 end return s end
local function first() local function step() work(300000) end step() end
local function second() local function step() work(600000) end step() step() end
for _ = 1, 10 do first() second() end
]]
  local path = recorded { ["main.lua"] = TWO }

  it("have their places in all outputs that group by name", function()
    local expected = { "first > step (main.lua:2) 10", "second > step (main.lua:3) 20", "step (main.lua:2) > work 10",
      "step (main.lua:3) > work 20" }
    assert.same(expected, arcs(path, "step"))
    local all = sampled(TWO, "calls")
    for _, option in ipairs { "--export=folded", "--export=json", "--export=callgrind", "--export=dot",
      "--export=speedscope", "--export=csv", "-p", "-q", "--tree", "-P", "--short-names" } do
      local text = report(option, all)
      assert.truthy(text:find("step (main.lua:2)", 1, true) and text:find("step (main.lua:3)", 1, true), option)
      assert.falsy(text:find "step[;\"\n]", option)
    end
  end)

  it("are compared and checked one by one, also after their lines have moved", function()
    local moved = recorded { ["main.lua"] = "-- more\n-- lines\n" .. TWO:gsub("600000", "1200000") }
    for _, old in ipairs { path, shell.write(shell.tmpdir "old" .. "/old.json", report("--export=json", path)) } do
      local text = report("--compare=" .. old, "-z", moved)
      assert.truthy(text:find "10 +10 +0 +[%d.]+ +step %(main%.lua:4%) %(was step %(main%.lua:2%)%)", text)
      assert.truthy(text:find "20 +20 +0 +[%d.]+ +step %(main%.lua:5%) %(was step %(main%.lua:3%)%)", text)
      assert.falsy(text:find "new +[%a]+ %(" or text:find "gone +%a+", text)
    end
  end)

  it("are the same in several exported profiles", function()
    local one = recorded { ["main.lua"] = TWO:gsub("second%(%) end\n$", "end\n") }
    local profiles, exports = { path, path, one }, {}
    for i, old in ipairs(profiles) do
      exports[i] = shell.write(shell.tmpdir "old" .. "/old.json", report("--export=json", old))
    end
    for _, count in ipairs { 2, 3 } do
      local function compared(files)
        local text = report("--compare=" .. table.concat(files, ",", 1, count), "-z", path)
        local rows = {}
        for calls, name in text:gmatch "(%d+ +[%d.]+ +[-+%d.]+ +[%d.]+ )%s*(%a[%w ().:]*)\n" do
          if not name:find "chunk" then rows[#rows + 1] = calls .. name:gsub(" %(was step%)", "") end
        end
        table.sort(rows)
        return rows
      end
      local rows = compared(exports)
      assert.equal(5, #rows)
      assert.same(compared(profiles), rows)
    end
  end)

  it("are the same in a run that called only one of them", function()
    local one = recorded { ["main.lua"] = TWO:gsub("second%(%) end\n$", "end\n") }
    local text = report("--compare=" .. one, "-z", path)
    assert.truthy(text:find "10 +10 +0 +[%d.]+ +step %(main%.lua:2%) %(was step%)\n", text)
    assert.truthy(text:find "new +step %(main%.lua:3%)\n", text)
  end)

  it("in files of the same name have the paths, and so have main chunks", function()
    local part = "return { run = function() end }\n"
    local found = arcs(recorded { ["main.lua"] = 'dofile "a/init.lua".run() dofile "b/init.lua".run()\n',
      ["a/init.lua"] = part, ["b/init.lua"] = part }, "^main")
    assert.same({ "main chunk of main.lua > dofile 2", "main chunk of main.lua > run (a/init.lua:1) 1",
      "main chunk of main.lua > run (b/init.lua:1) 1" }, found)
    found = arcs(recorded { ["main.lua"] = 'dofile "a/init.lua" dofile "b/init.lua"\n', ["a/init.lua"] = part,
      ["b/init.lua"] = part }, "^dofile")
    assert.same({ "dofile > main chunk of a/init.lua 1", "dofile > main chunk of b/init.lua 1" }, found)
  end)

  it("of chunks that are loaded with the same chunk name are told apart", function()
    local found = arcs(recorded { ["main.lua"] = [[
      for i = 1, 3 do
        local f = load("return function() return " .. i .. " end", "=chunk")()
        for _ = 1, 4 + i do f() end
      end
      for _ = 1, 2 do load("return function() return 0 end", "=chunk")()() end
    ]] }, "main%.lua > f")
    local counts = {}
    for _, arc in ipairs(found) do counts[#counts + 1] = math.tointeger(arc:match "%d+$") end
    table.sort(counts)
    assert.same({ 2, 5, 6, 7 }, counts)
  end)

  -- Returns "name calls" of the functions of a program whose names match a pattern, without places.
  local function calls(text, pattern)
    local found, prof = {}, recorded { ["main.lua"] = text }
    for count, name in report("-p", prof):gmatch "(%d+) +%d+%.%d%d +%d+%.%d%d  (%a[^\n]*)" do
      if name:find(pattern) then found[#found + 1] = name:gsub(" %(.*", "") .. " " .. count end
    end
    table.sort(found)
    return found
  end

  it("of chunks that are texts have the names of their definitions", function()
    assert.same({ "a 2", "b 2", "call 6", "callback of call 2" }, calls([[
      local text = "local function call(f) f() end local function a() end local function b() return 1 end " ..
        "call(a) call(b) call(function() return 2 end)"
      load(text)()
      load(text)()
    ]], "^[abc]"))
  end)

  it("of two texts that begin alike are told apart", function()
    assert.same({ "f 1", "f 2" }, calls([[
      local head = "local text = '" .. ("x"):rep(80) .. "' local function f() return "
      load(head .. "1 end f()")()
      load(head .. "2 end f() f()")()
    ]], "^f"))
  end)

  it("that are defined twice by the same file are one function", function()
    local found = arcs(recorded { ["main.lua"] = 'for _ = 1, 3 do dofile "part.lua" () end\n',
      ["part.lua"] = "return function() end\n" }, "main%.lua > [^d]")
    assert.same({ "main chunk of main.lua > function at part.lua:1 3" }, found)
  end)
end)

describe("Functions that are defined on one line", function()
  it("are told apart", function()
    local found = arcs(recorded {
      ["main.lua"] = "local spin = function(n) local s = 0 for i = 1, n do s = s + i end " ..
        "return s end local a = function(n) return (spin(n)) end local b = function(n) local x = a(n) return x end " ..
        "for i = 1, 5 do b(3) a(1) end" }, ".")
    assert.same({ "a > spin 10", "b > a 5", "main chunk of main.lua > a 5", "main chunk of main.lua > b 5" }, found)
  end)

  it("are told apart without counts, and with counts of lines", function()
    for _, count in ipairs { "none", "lines" } do
      local path = sampled("local function a(n) local s = 0 for i = 1, n do s = s + i end " ..
        "return s end local function b(n) local s = 1 for i = 1, n do s = s + i end return s end " ..
        "for _ = 1, 10 do a(1e4) b(1e4) end", count)
      local flat = report("-p", path)
      assert.truthy(flat:find " a %(main%.lua:1%)\n" and flat:find " b %(main%.lua:1%)\n", flat)
    end
  end)

  it("have a name with both names if nothing tells them apart", function()
    local found = arcs(recorded { ["main.lua"] = "local a = function(n) return n end local b = function(n) " ..
      "return n end a(1) b(1) local c = function() end c()" }, ".")
    assert.same({ "main chunk of main.lua > a or b 2", "main chunk of main.lua > c 1" }, found)
  end)

  it("have a name with both names also if a module contains them", function()
    local path = recorded { ["main.lua"] = "local both = require 'both' both.a() both.b() G() both.g()",
      ["both.lua"] = "local M = {} function M.a() end function M.b() end\n" ..
        "function G() end local g = function() end M.g = g return M" }
    assert.same({ "main chunk of main.lua > G or g 2", "main chunk of main.lua > M.a or M.b 2" },
      arcs(path, "^main chunk of main.lua > .* or "))
  end)

  it("are numbered if they have the same name", function()
    local found = arcs(recorded { ["main.lua"] = "do local function f() end f() end do local function f() " ..
      "return 1 end f() f() end" }, ".")
    assert.same({ "main chunk of main.lua > f (main.lua:1) (2) 2", "main chunk of main.lua > f (main.lua:1) 1" }, found)
  end)
end)

describe("A function that is a module", function()
  it("has the name of its definition, or else that of the module", function()
    local path = recorded { ["main.lua"] = "require 'my.defined' (1) require 'my.other' (2)",
      ["my/defined.lua"] = "local function run(n) return n end\nreturn run",
      ["my/other.lua"] = "return function(n) return n end" }
    assert.same({ "main chunk of main.lua > my.other 1", "main chunk of main.lua > run 1" },
      arcs(path, "^main chunk of main.lua > [mrf][yu]"))
  end)
end)

describe("Without the source of a Lua program", function()
  it("functions have the names by which they are called", function()
    local found = arcs(recorded { ["main.lua"] = [[
      os.rename("part.lua", "gone.lua")
      os.rename("gone.lua", "part.lua")
      local part = dofile "part.lua"
      local file <close> = io.open("part.lua", "w")
      part.given()
    ]], ["part.lua"] = "local function defined() end\nreturn { given = defined }\n" }, "given")
    assert.same({ "main chunk of main.lua > given 1" }, found)
  end)

  it("nothing waits for a pipe", function()
    local path = recorded { ["main.lua"] = [[
      os.execute "mkfifo pipe && { echo 'local function f() end f()' >pipe & }"
      dofile "pipe"
    ]] }
    assert.same({ "main chunk of pipe > f 1" }, arcs(path, " > f "))
  end)
end)

describe("The source of a Lua program", function()
  -- Returns the name of a function of a file that was changed at a time. The recording began at 1e9.
  local function name_of(changed, code, path, has_moved)
    local functions = { { source = "@" .. (path or "main.lua"), first = 1, last = 1, signature = 2, code = code } }
    script_names.assign(functions, function() return "local function f(x) end", changed end,
      function() return 1 end, 1000000000, has_moved)
    return functions[1].name
  end

  it("must still have the same functions", function()
    assert.equal("f", name_of(900000001, 1))
    assert.is_nil(name_of(900000001, 2))
  end)

  it("is not another file at the same path of another directory", function()
    local modules = build.compiled("chdir", { "gcc", "-shared", "-fPIC", "-I/usr/include/lua5.4", "-o", "chdir.so",
      "chdir.c" }, { ["chdir.c"] = [[
#include <lauxlib.h>
#include <unistd.h>
static int change(lua_State *L) { lua_pushinteger(L, chdir(luaL_checkstring(L, 1))); return 1; }
int luaopen_chdir(lua_State *L) { lua_pushcfunction(L, change); return 1; }
]] })
    local path = recorded { ["main.lua"] = ([[
      package.cpath = %q
      dofile "calls.lua"
      assert(require "chdir" %q == 0)
    ]]):format(modules .. "/?.so", program.root .. "/spec/fixtures/lua"),
      ["calls.lua"] = "\n\n\n\nlocal function other(n) return n end local t = { other } t[1](1)" }
    assert.same({}, arcs(path, "> fib "))
  end)

  it("is not compiled if it is older than the recording", function() assert.equal("f", name_of(899999999, 2)) end)

  it("is compiled in another directory only if its path is relative", function()
    assert.is_nil(name_of(899999999, 2, "main.lua", true))
    assert.equal("f", name_of(899999999, 2, "/main.lua", true))
  end)
end)

describe("The names of a list of functions", function()
  local function names(...)
    local list = {}
    for i, f in ipairs { ... } do
      list[i] = { source = f[1], first = f[2], last = f[2], signature = 0, name = f[3], rank = 0, lines = { f[2] } }
    end
    return script_functions.names(list)
  end

  it("have as little detail as needed", function()
    assert.same({ "f", "g" }, names({ "@a.lua", 1, "f" }, { "@a.lua", 2, "g" }))
    assert.same({ "f (a.lua:1)", "f (a.lua:2)", "g" },
      names({ "@x/a.lua", 1, "f" }, { "@x/a.lua", 2, "f" }, { "@a.lua", 1, "g" }))
    assert.same({ "f (x/a.lua:1)", "f (y/a.lua:1)", "f (a.lua:2)" },
      names({ "@x/a.lua", 1, "f" }, { "@y/a.lua", 1, "f" }, { "@x/a.lua", 2, "f" }))
    assert.same({ "f (a.lua:1)", "f (a.lua:1) (2)" }, names({ "@a.lua", 1, "f" }, { "@a.lua", 1, "f" }))
    assert.same({ "main chunk of x/a.lua", "main chunk of y/a.lua" },
      names({ "@x/a.lua", 0, "" }, { "@y/a.lua", 0, "" }))
    assert.same({ "function at c:1", "function at c:1 (2)" }, names({ "=c", 1, "" }, { "=c", 1, "" }))
  end)

  it("tell C functions and Lua functions apart", function()
    assert.same({ "read (liblua.so+0x10)", "read (lfs.so+0x20)", "read (a.lua:3)" },
      names({ "[C]liblua.so+0x10", 0, "read" }, { "[C]lfs.so+0x20", 0, "read" }, { "@a.lua", 3, "read" }))
  end)

  it("are never equal, whatever they look like", function()
    assert.same({ "f (a.lua:1)", "f (a.lua:2)", "f (a.lua:1) (b.lua:9)" },
      names({ "@a.lua", 1, "f" }, { "@a.lua", 2, "f" }, { "@b.lua", 9, "f (a.lua:1)" }))
  end)
end)

describe("A C function", function()
  local PROGRAM <const> = [[
    local file = io.tmpfile()
    for _ in file:lines() do end
    file:seek "set"
    for _ in utf8.codes "é" do end
    pcall(require, "no.such.module")
    local unknown = setmetatable({}, { __index = rawequal, __add = select })
    pcall(function() return unknown.x, 1 + unknown end)
    xpcall(error, tostring)
    error "ends"
  ]]

  it("of the interpreter has the name of its library, also if no table contains it", function()
    local dir = shell.tmpdir "names"
    shell.write(dir .. "/main.lua", PROGRAM)
    assert.equal(1, program.run({ "--record", "main.lua" }, { cwd = dir }).status)
    local text = report("-z", "-p", dir .. "/main.prof")
    for _, name in ipairs { "io.tmpfile", "file:lines", "file:seek", "io.lines (iterator)", "utf8.codes (iterator)",
      "package.searchers[1]", "package.searchers[4]", "rawequal", "select", "(message handler)" } do
      assert.truthy(text:find(" " .. name .. "\n", 1, true), name .. text)
    end
    assert.falsy(text:find "lua5%.4%+0x", text)
  end)

  it("has the name of its event if it is a metamethod that no table names", function()
    local text = report("-z", "-p", (recorded { ["main.lua"] = [[
      local meta = { __index = coroutine.running }
      local _ = setmetatable({}, meta).x
      package.loaded.coroutine = nil
    ]] }))
    assert.truthy(text:find " __index\n", text)
  end)

  it("is told apart from one at the same place of a library of the same name", function()
    local dir = shell.tmpdir "libraries"
    shell.write(dir .. "/open.c", "int open_me(void *L) { (void)L; return 0; }\n")
    for _, name in ipairs { "one", "two" } do
      shell.check({ "mkdir", name }, { cwd = dir })
      shell.check({ "gcc", "-shared", "-fPIC", "-o", name .. "/core.so", "open.c" }, { cwd = dir })
    end
    shell.write(dir .. "/main.lua", "for _, name in ipairs { 'one', 'two', 'two' } do\n" ..
      "local open = package.loadlib('./' .. name .. '/core.so', 'open_me')\nopen()\nend\n")
    assert.equal(0, program.run({ "--record", "--rate=0", "main.lua" }, { cwd = dir }).status)
    local calls = {}
    for count, place in report("-z", "-p", dir .. "/main.prof"):gmatch " (%d+) +[^\n]- open %(%./(%S-)%+" do
      calls[place] = count
    end
    assert.same({ ["one/core.so"] = "1", ["two/core.so"] = "2" }, calls)
  end)

  it("can share its name with another one", function()
    local text = report("-z", "-p", (recorded { ["main.lua"] = [[
      package.loaded.x, package.loaded["x.y"] = { ["y.z"] = string.len }, { z = string.upper }
      for _ = 1, 3 do local a = "a" a:len() a:upper() end
    ]] }))
    assert.truthy(text:find " 3 [^\n]* x%.y%.z[^\n]*\n[^\n]* 3 [^\n]* x%.y%.z[^\n]*\n", text)
  end)
end)
