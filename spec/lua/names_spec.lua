-- Lists of names in the core are what the same lists in Lua are.
-- SPDX-License-Identifier: GPL-3.0-or-later

local launch = require "support.launch"
local shell = require "support.shell"

-- Reads a list from a file, and returns a message, or its names.
local reading <const> = [[
require "gprof"
local core = require "gprof.core"
local names, file = core.names(), assert(io.open(arg[1], "rb"))
names:add "first"
local done, message = names:read(file, core.read_available(file) or "")
io.write(done and table.concat(names, ";") or message, "|", #names)
]]

local function read(text)
  local path = shell.write(shell.tmpdir "names" .. "/list", text)
  local result = launch.script(reading, { path })
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

describe("a list of names in a file", function()
  for what, case in pairs {
    ["ends in a newline, or not"] = { "a\n\nb", "first;a;b|3" },
    ["has zero bytes"] = { "a\nb\0\0c", "first;a\nb;c|3" },
    ["has its first zero byte late"] = { ("\n"):rep(60000) .. "\0a", "first;" .. ("\n"):rep(60000) .. ";a|3" },
    ["has many empty names"] = { ("\n"):rep(1000000) .. "a", "first;a|2" },
    ["has many zero bytes"] = { "a\nb" .. ("\0"):rep(1000000) .. "c", "first;a\nb;c|3" },
    ["has too many newlines in a name"] = { ("\n"):rep(1000000) .. "\0a", "name 1 has more than 65536 bytes|1" },
    ["has the longest name"] = { ("x"):rep(65536) .. "\n", "first;" .. ("x"):rep(65536) .. "|2" },
    ["has a longer name"] = { "a\n" .. ("x"):rep(65537) .. "\n", "name 2 has more than 65536 bytes|1" },
    ["is empty"] = { "", "lists no profiles|1" },
    ["is blank"] = { "\n\n", "lists no profiles|1" },
  } do
    it(what, function() assert.same(case[2], read(case[1])) end)
  end
end)

it("names beside others are found and removed", function()
  local result = launch.script [[
    require "gprof"
    local core, suffixes = require "gprof.core", { "", "", ".x", ".y", ".x.x" }
    math.randomseed(1)
    for _ = 1, 200 do
      local names, list, has, expected, kept = core.names(), {}, {}, {}, {}
      for i = 1, math.random(0, 40) do
        list[i] = math.random(1, 12) .. suffixes[math.random(1, 5)]
        names:add(list[i])
        has[list[i] ] = true
      end
      for i, name in ipairs(list) do
        local owner = name:match "^(.+)%.[xy]$"
        if owner and has[owner] then expected[#expected + 1] = i else kept[#kept + 1] = name end
      end
      local found = names:companions(".x", ".y")
      assert(table.concat(found, " ") == table.concat(expected, " "))
      names:remove(found)
      assert(table.concat(names, " ") == table.concat(kept, " ") and #names == #kept)
    end
  ]]
  assert.same({ "", 0 }, { result.stderr, result.status })
end)
