-- Names of Lua functions in the source text, and the functions in bytecode.
-- SPDX-License-Identifier: GPL-3.0-or-later

local definitions = require "gprof.scripts.definitions"
local program = require "support.program"
local prototypes = require "gprof.scripts.prototypes"
local shell = require "support.shell"

-- Each line defines one function; its name follows the last "-->". A line without one continues.
local NAMED <const> = [===[
local function call(f, n) return f(n) end --> call
function a.b.c(x) end --> a.b.c
function a.b:c(x) end --> a.b:c
local x <const> = function() end --> x
local y <close>, z = nil, function() end --> z
key = function(...) end --> key
M.z = function() end --> M.z
M . w = function() end --> M.w
t["key"] = function() end --> t.key
t['odd key'] = function() end --> t[odd key]
t[1] = function() end --> t[1]
t[i + 1] = function() end --> t[...]
t[f "x"].y = function() end --> t[...].y
x.y().z = function() end --> x.y().z
local o = other or function() end --> o
local p = a < b and function() end --> p
q = 5 r = function() end --> r
local s = t; u = function() end --> u
if a then b = function() end end --> b
for i = 1, 10 do c = function() end end --> c
repeat d = function() end until e --> d
while f(1) do g = function() end break end --> g
each(t, function() end) --> callback of each
obj:each(function() end) --> callback of obj:each
obj.list:each(1, { 2 }, function() end) --> callback of obj.list:each
table.sort(t, function(m, n) return m < n end) --> callback of table.sort
foo "x" (function() end) --> callback of foo()
foo("x")(function() end) --> callback of foo()
foo[1](function() end) --> callback of foo[1]
(foo or bar)(function() end) --> false
(function() end)() --> false
local v = (function() return 1 end)() --> false
local w = { run = function() end } --> w.run
local w = { a = 1, ["run"] = function() end } --> w.run
local w = { ["a b"] = function() end } --> w.[a b]
local w = { [k] = function() end } --> w.[...]
local w = { 1, function() end } --> w[2]
local w = { a = { b = function() end } } --> w.a.b
M.w = { b = function() end; c = 1 } --> M.w.b
setmetatable(t, { __index = function() end }) --> __index
class "A" { init = function() end } --> class().init
class { init = function() end } --> class.init
do return { run = function() end } end --> run
do return function() end end --> false
goto done aa = function() end ::done:: --> aa
local bb --[=[ function ]=] = function() end --> bb
local cc = -- function
  function() end --> cc
local text = "function \" function" .. 'function' .. [==[ ]] function ]==] dd = function() end --> dd
local ee = 1.5e-3 + 0x1p-4 ff = function() end --> ff
local gg = a .. b hh = function() end --> hh
local ii, jj = 1, { 2, 3 } kk, ll = 4, function() end --> ll
]===]

-- Returns the text of a file as Lua compiles it.
local function code_of(path) return (shell.read(path):gsub("^#[^\n]*", "")) end

describe("The name of a function", function()
  for statement in NAMED:gmatch "(.-) %-%->[^\n]*\n" do
    local expected = NAMED:sub(select(2, NAMED:find(statement .. " -->", 1, true)) + 1):match "^ ([^\n]*)"
    it(("is %s in: %s"):format(expected, statement), function()
      assert.same({ expected }, { tostring(definitions.names(statement)[1]) })
      assert.is_nil(definitions.names(statement)[2])
    end)
  end

  it("may be that of the function that returns it", function()
    assert.same({ "make", "function returned by make", "x", "M:f", "g", "function returned by M:f" },
      definitions.names [[
        local function make() return function() end end
        local x = function() return 1 end
        function M:f() local g = function() end return a and function() end end ]])
  end)

  it("is not taken from a statement before it", function()
    assert.same({ "f", false, "h", "callback of k" }, definitions.names [[
      local f = function() end (function() end)() h = function() end
      k(function() end) ]])
  end)

  it("is found if the bodies of other functions are skipped", function()
    local text <const> = "function a()\n local function b()\n end\n end function c()\n end each(function()\n end)" ..
      " function d() if x then\n end end function e() end"
    local all = { "a", "b", "c", "callback of each", "d", "e" }
    assert.same(all, definitions.names(text))
    for _, ends in ipairs { "\n", "\r\n" } do
      local skipped = { { last = 4, inner = 1 }, nil, { last = 5, inner = 0 }, { last = 6, inner = 0 },
        { last = 7, inner = 0 } }
      all[2] = ends ~= "\n" and "b"
      assert.same(all, definitions.names(text:gsub("\n", ends), skipped))
    end
  end)

  it("is known from a statement at the beginning of a line", function()
    local text <const> = "local function f(a, ...) end\n  function M.a:b ( x )\nend local function g() end\n" ..
      "h = function() end\nfunction i() return function() end end\nfunction j()"
    local function name(first, signature)
      return (definitions.of_statements(text, { { first = first, signature = signature } }) or {})[1]
    end
    assert.same({ "f", "M.a:b", "j" }, { name(1, 512 + 3), name(2, 4), name(6, 0) })
    for _, other in ipairs { { 1, 2 }, { 1, 5 }, { 2, 2 }, { 3, 0 }, { 4, 0 }, { 5, 0 }, { 7, 0 } } do
      assert.is_nil(name(table.unpack(other)))
    end
    local f, j = { first = 1, signature = 3 }, { first = 6, signature = 0 }
    assert.same({ "f", "j" }, definitions.of_statements(text, { f, j }))
    assert.is_nil(definitions.of_statements(text, { j, j }))
    assert.is_nil(definitions.of_statements(text:gsub("\n", "\r"), { f }))
  end)

  it("is found in text that Lua cannot compile, or false", function()
    for _, text in ipairs { "function", "function f", "f(function(", "end end end", "}", ")]}", "'", "[[", "--[[", "=",
      "local t = { function() ", ("("):rep(1000), "x = \"\\" } do
      assert.equal("table", type(definitions.names(text)))
    end
  end)
end)

-- Returns the functions whose bodies need not be read for the name of the last one.
local function skippable(functions)
  local skipped = {}
  for i = 2, #functions do
    if i + functions[i].inner < #functions then skipped[i - 1] = functions[i] end
  end
  return skipped
end

describe("The functions of bytecode", function()
  it("are in the order of their definitions", function()
    local list = prototypes.read(string.dump(assert(load [[
      local a = 1
      local function f(x, ...)
        return function() return a, x end
      end
      local s, n, i = ("long"):rep(2) .. "a text that is not short, with more than forty characters", 1.5, 12345678
      return f, function() end, -1e300, nil, true, false, s, n, i ]])))
    local found = {}
    for i, f in ipairs(list) do found[i] = { f.first, f.last, f.signature >> 9, f.signature >> 1 & 0xff } end
    assert.same({ { 0, 0, 1, 0 }, { 2, 4, 1, 1 }, { 3, 3, 2, 0 }, { 6, 6, 0, 0 } }, found)
  end)

  it("are as many as those in the text, in all Lua files here", function()
    local count, simple = 0, 0
    local find = { "find", "lua", "spec", "examples", "bench", "-name", "*.lua", "-type", "f" }
    for path in shell.check(find, { cwd = program.root }).stdout:gmatch "[^\n]+" do
      local text = code_of(program.root .. "/" .. path)
      local chunk = load(text, "=")
      if chunk then
        local functions, names = prototypes.read(string.dump(chunk)), definitions.names(text)
        assert.equal(#functions, #names + 1, path)
        assert.equal(names[#names], definitions.names(text, skippable(functions))[#names], path)
        for i, f in ipairs(functions) do
          assert.truthy(f.first <= f.last and #f.code > 10, path)
          local known = definitions.of_statements(text, { f })
          assert.equal(known and known[1], known and names[i - 1], path)
          simple = simple + (known and 1 or 0)
        end
        count = count + #names
      end
    end
    assert.truthy(count > 5000 and simple > 3000)
  end)
end)
