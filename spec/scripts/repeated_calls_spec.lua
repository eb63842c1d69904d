-- Calls that were made before are counted by a shorter way: also tail calls, and with C functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

-- Each function counts its own calls, by caller.
local SCRIPT <const> = [[
local counts = {}
local function count(arc) counts[arc] = (counts[arc] or 0) + 1 end
local function leaf(by) count(by .. " > leaf") return by end
local odd
local function even(n, by) count(by .. " > even") if n == 0 then return leaf "even" end return odd(n - 1, "even") end
function odd(n, by) count(by .. " > odd") if n == 0 then return leaf "odd" end return even(n - 1, "odd") end
local function jump(by) count(by .. " > jump") return leaf "jump" end
local function fails(by) count(by .. " > fails") leaf "fails" error "failed" end
local function sorted(by)
  count(by .. " > sorted")
  local t = { 3, 1, 2 }
  table.sort(t, function(a, b) leaf "callback of table.sort" return a < b end)
end
local function body(by) count(by .. " > body") for i = 1, 3 do leaf "body" coroutine.yield() jump "body" end end
local function driver(by)
  count(by .. " > driver")
  local co = coroutine.create(body)
  for i = 1, 4 do coroutine.resume(co, "coroutine.resume") leaf "driver" end
end
local function deep(n, by) count(by .. " > deep") if n > 0 then deep(n - 1, "deep") jump "deep" end end
for i = 1, 100 do
  even(i % 7, "main") jump "main" pcall(fails, "pcall") sorted "main" driver "main" deep(i % 5, "main")
end
local lines = {}
for arc, n in pairs(counts) do lines[#lines + 1] = arc .. " " .. n .. "\n" end
table.sort(lines)
io.write(table.concat(lines))
]]

-- Returns "caller > callee count" of the arcs into functions of the script.
local function arcs(path)
  local found = {}
  for line in program.run({ "-b", "--export=csv-arcs", path }).stdout:gmatch "[^\r\n]+" do
    local caller, callee, count = line:match '^"?([^,"]+)"?,[^,]*,[^,]*,"?([^,"]+)"?,[^,]*,[^,]*,(%d+)'
    local from = caller and caller:gsub(" %(main%.lua:%d+%)$", ""):gsub("^main chunk.*", "main")
    local to = callee and callee:gsub(" %(main%.lua:%d+%)$", "")
    if to and ("leaf even odd jump fails sorted body driver deep "):find(to .. " ", 1, true) then
      found[#found + 1] = ("%s > %s %s\n"):format(from, to, count)
    end
  end
  table.sort(found)
  return table.concat(found)
end

describe("Calls from places that made them before", function()
  local dir = shell.tmpdir "repeated"
  shell.write(dir .. "/main.lua", SCRIPT)

  for _, option in ipairs { "--count=calls", "--count=lines", "--with-c" } do
    it("are counted: " .. option, function()
      local result = program.run({ "--record", option, "main.lua" }, { cwd = dir })
      assert.equal(0, result.status, result.stderr)
      assert.equal(result.stdout, arcs(dir .. "/main.prof"))
    end)
  end
end)
