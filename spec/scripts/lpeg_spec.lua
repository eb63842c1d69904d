-- A real program: grammars of LPeg's module re, recorded with and without C functions. LPeg is compiled without -pg.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local program = require "support.program"
local shell = require "support.shell"

if not chance.thorough then return end

local SCRIPT <const> = [[
  local re = require "re"
  local list = re.compile "list <- {| item (',' item)* |} !.  item <- {word} / {number}  word <- [a-z]+  number <- %d+"
  local text = ("alpha,12,beta,7,"):rep(2000) .. "end"
  local count = 0
  for _ = 1, 100 do count = count + #list:match(text) end
  local upper = re.compile("({[a-z]} -> upper / .)*", { upper = string.upper })
  for _ = 1, 3 do upper:match(text) end
  print(count, pcall(re.compile, "({[a-z]"))
]]

describe("a program of LPeg", function()
  if shell.run({ "lua5.4", "-e", "require 're'" }).status ~= 0 then
    pending "needs lua-lpeg"
    return
  end
  local dir
  setup(function()
    dir = shell.tmpdir "lpeg"
    shell.write(dir .. "/script.lua", SCRIPT)
  end)

  local function output(argv)
    local result = shell.check(argv, { cwd = dir })
    return result.stdout
  end

  -- Returns the calls that Lua makes and receives.
  local function calls(name)
    local counts = {}
    local result = program.run({ "--export=csv-arcs", name }, { cwd = dir })
    for caller, callee, count in result.stdout:gmatch "\n([^,\n]*),[^,\n]*,[^,\n]*,([^,\n]*),[^,\n]*,[^,\n]*,(%d+)," do
      local arc = caller .. " > " .. callee
      if count ~= "0" then counts[arc] = (counts[arc] or 0) + tonumber(count) end
    end
    return counts
  end

  it("has the same calls with and without C functions, and the time in LPeg's code", function()
    local expected = output { "lua5.4", "script.lua" }
    for option, name in pairs { ["--count=calls"] = "plain", ["--with-c"] = "mixed" } do
      local result = program.run({ "--record", option, "--output=" .. name, "script.lua" }, { cwd = dir })
      assert.same({ expected, 0 }, { result.stdout, result.status })
    end
    local plain = calls "plain"
    assert.equal(103, plain["main chunk of script.lua > lpeg.match"])
    assert.equal(3 * 2000 * 9 + 3 * 3, plain["lpeg.match > string.upper"])
    assert.same(plain, calls "mixed")
    local tree = program.run({ "--tree", "-b", "mixed" }, { cwd = dir }).stdout
    assert.truthy(tree:find "lpeg%.match\n.*@lpeg%.so\n", tree)
    assert.falsy(tree:find("hooks.so", 1, true), tree)
  end)
end)
