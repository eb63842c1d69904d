-- The fuzz targets in Lua accept their seeds. This needs neither clang nor libFuzzer.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local TARGETS <const> = { "answers", "code", "exports", "lists", "options", "reports", "sources", "spool", "symspecs",
  "terminal" }
local LEAST <const> = 15 -- seeds of a target

-- Makes the environment that fuzz/lua.c gives to targets.
local function environment(dir)
  return { root = program.root, directory = dir, file = function(bytes, number)
    return shell.write(("%s/input-%d"):format(dir, number or 0), bytes)
  end }
end

describe("a fuzz target in Lua", function()
  local dir, path, modules
  setup(function()
    dir, path, modules = shell.tmpdir "targets", package.path, {}
    for name in pairs(package.loaded) do modules[name] = true end
    package.path = program.root .. "/fuzz/?.lua;" .. path
    rawset(_G, "fuzz", environment(dir))
    shell.check({ "lua5.4", program.root .. "/fuzz/program.lua", dir })
  end)

  teardown(function()
    package.path = path
    rawset(_G, "fuzz", nil)
    for name in pairs(package.loaded) do
      if not modules[name] then package.loaded[name] = nil end
    end
  end)

  for _, name in ipairs(TARGETS) do
    it("accepts its seeds: " .. name, function()
      local target, seeds = dofile(("%s/fuzz/targets/%s.lua"):format(program.root, name)), 0
      require("seeds." .. name)(function(first, second, third, fourth)
        target(first, second or "", third or "", fourth or "")
        seeds = seeds + 1
      end)
      assert.is_true(seeds >= LEAST)
    end)
  end
end)
