-- `make coverage` finds the lines that ran and those that did not, even in coroutines, child processes and copies of
-- the checkout.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

-- A small checkout. Comments mark the lines that run.
local sources <const> = {
  ["gprof.lua"] = [[
local function some(n)
  if n > 5 then               -- run
    return n                  -- run by the child
  elseif n > 3 then           -- run
    n = 5
    return n
  end
  return n                    -- run
end                           -- run: a function is made here

local thread = coroutine.create(some)    -- run
assert(coroutine.resume(thread, 1))      -- run
if arg[1] then                -- run
  some(6)                     -- run by the child
  dofile(arg[1])              -- run by the child
  os.exit(3, true)            -- run by the child
end
local path = arg[0]:match "^(.*/)"         -- run
os.execute(("lua5.4 %s %scopy/lua/gprof/part.lua"):format(arg[0], path))  -- run
load(string.dump(some, true))(1)  -- run, without line numbers
error "at the end"            -- run
]],
  ["lua/gprof/part.lua"] = "local answer = 42\nif answer < 42 then\n  answer = 43\nend\n",
  ["lua/gprof/unused.lua"] = "return 1\n",
  ["csrc/first.c"] = '#include "shared.h"\nint main(void) {\n  if (shared(2) == 0)\n    return 0;\n  return 1;\n}\n',
  ["csrc/shared.h"] = "static inline int shared(int n) {\n  if (n == 2)\n    return 0;\n  return n;\n}\n",
}

describe("a run with coverage", function()
  local dir, ended
  setup(function()
    dir = shell.tmpdir "coverage"
    local function check(...) shell.check({ ... }, { cwd = dir }) end
    check("mkdir", "-p", "lua/gprof", "csrc", "build/lines", "build/objects", "copy/lua/gprof")
    for path, text in pairs(sources) do shell.write(dir .. "/" .. path, text) end
    shell.write(dir .. "/copy/lua/gprof/part.lua", sources["lua/gprof/part.lua"])
    ended = shell.run({ "lua5.4", dir .. "/gprof.lua" }, { env = { LUA_INIT_5_4 = false,
      LUA_INIT = "@" .. program.root .. "/spec/coverage/collector.lua", GPROF_COVERAGE = dir .. "/build/lines" } })
    check("gcc", "-O0", "--coverage", "-c", "-o", "build/objects/first.o", "csrc/first.c")
    check("gcc", "--coverage", "-o", "program", "build/objects/first.o")
    check("./program")
  end)

  it("behaves like a run without coverage", function()
    assert.truthy(ended.stderr:find("gprof.lua:21: at the end", 1, true), ended.stderr)
    assert.same({ "", 1 }, { ended.stdout, ended.status })
  end)

  it("records the lines that ran and those that did not", function()
    local result = shell.run { "lua5.4", program.root .. "/spec/coverage/report.lua", dir, "luac5.4" }
    assert.equal([[
Lua                                 lines      run      %
gprof.lua                              17       15   88.2
lua/gprof/part.lua                      3        2   66.7
lua/gprof/unused.lua                    1        0    0.0
all                                    21       17   81.0
less than 95 %

C                                   lines      run      %
csrc/first.c                            4        3   75.0
csrc/shared.h                           4        3   75.0
all                                     8        6   75.0
less than 90 %

]], result.stdout)
    assert.same({ "", 1 }, { result.stderr, result.status })
    assert.equal([[
gprof.lua:5: never run to 6
lua/gprof/part.lua:3: never run
lua/gprof/unused.lua:1: never run
csrc/first.c:5: never run
csrc/shared.h:4: never run
]], shell.read(dir .. "/missed.txt"))
  end)
end)
