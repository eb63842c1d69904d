-- Profiles of Lua programs say where coroutines were created.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gprof = require "gprof"
local launch = require "support.launch"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"

local dir <const> = shell.tmpdir "creations"
shell.write(dir .. "/main.lua", [[
local function body() coroutine.yield() end
local function spawn(f)
  return coroutine.create(f)
end
local function serve() coroutine.resume(spawn(body)) coroutine.resume(spawn(serve)) coroutine.yield() end
for i = 1, 2 do coroutine.resume(spawn(serve)) end
coroutine.wrap(body)()
local wrap, create, resume = coroutine.wrap, coroutine.create, coroutine.resume
for i = 1, 6 do wrap(body)() end
wrap(print)()
pcall(create, 1)
resume(create(body))
resume(create(body))
resume(select(2, pcall(create, body)))
spawn(function() end)
]])

local function run(...)
  local result = program.run({ ... }, { cwd = dir })
  assert.equal(0, result.status, result.stderr)
  return result.stdout
end

-- Returns "function line" of all creations in a profile.
local function creations(path)
  local image <close> = assert(gprof.image(path))
  local data <close> = assert(gprof.data(image, path))
  local found = {}
  for address, place in data:creations() do
    local file, line = image:line(place)
    assert.matches("%.lua$", file)
    found[#found + 1] = ("%s %d"):format(image:lookup(address).name, line)
  end
  table.sort(found)
  return found
end

describe("Where coroutines were created", function()
  run("--record", "--rate=0", "main.lua")
  -- the first four places of each function that has run
  local EXPECTED <const> = { "body 12", "body 3", "body 7", "body 9", "print 10", "serve 3" }

  it("is known if calls are counted", function() assert.same(EXPECTED, creations(dir .. "/main.prof")) end)

  it("is known together with C functions", function()
    run("--record", "--with-c", "--output=mixed.prof", "main.lua")
    assert.same(EXPECTED, creations(dir .. "/mixed.prof"))
  end)

  it("is known also of a function in whose line it creates itself, and has samples", function()
    local result = launch.script([[
local recorder = require "gprof.recorder"
local function body(n) if n > 0 then coroutine.resume(coroutine.create(body), n - 1) end for _ = 1, 10000 do end end
recorder.start { instructions = 1000 }
body(2)
assert(recorder.write(...))
]], { dir .. "/recursive.prof" })
    assert.equal(0, result.status, result.stderr)
    assert.same({ "body 2" }, creations(dir .. "/recursive.prof"))
  end)

  it("is shown in each view of a page, whose functions have numbers of their own", function()
    local source <const> = [[
#include <lauxlib.h>
static inline __attribute__((always_inline)) int inlined(lua_State *L) { return lua_gettop(L); }
int luaopen_native(lua_State *L) { lua_pushinteger(L, inlined(L)); return 1; }
]]
    local modules = build.compiled("inlined-native", { "gcc", "-O1", "-g", "-shared", "-fPIC", "-I/usr/include/lua5.4",
      "-o", "native.so", "native.c" }, { ["native.c"] = source })
    shell.write(dir .. "/inlined.lua", [[
package.cpath = ]] .. ("%q"):format(modules .. "/?.so") .. [[ require "native"
local function body() end
coroutine.wrap(body)()
]])
    run("--record", "--with-c", "--output=inlined.prof", "inlined.lua")
    run("--html=page.html", "inlined.prof")
    local page = shell.read(dir .. "/page.html")
    local data, other = pages.parts(page).data, pages.element(page, "other")
    local names = data.functions.name
    for _, view in ipairs { data, other } do
      local name = view.functions.name[view.created.node[1] + 1]
      assert.same({ "body", { 3 } }, { math.type(name) and names[name + 1] or name, view.created.line })
    end
  end)

  it("is known in sums", function()
    run("-s", "--sum-file=sum.prof", "main.prof", "main.prof")
    assert.same(EXPECTED, creations(dir .. "/sum.prof"))
  end)

  it("is no call", function()
    local arcs = run("--export=csv-arcs", "main.prof")
    assert.not_matches("coroutine%.create[^\n]*,body", arcs)
    assert.not_matches("spawn[^\n]*,body", arcs)
  end)
end)
