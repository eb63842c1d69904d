-- Finalizing objects in random order while they are used: calls must return or raise Lua errors. With sanitizers, this
-- also finds use after free and leaks.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local launch = require "support.launch"
local shell = require "support.shell"

local ROUNDS <const> = 25 -- per process, each with a different order of objects

describe("finalizing objects", function()
  local script = shell.read(build.fixture "scripts/ends.lua")
  local built = build.program "cycles"

  for i, ending in ipairs { "return", "exit", "error", "coroutine" } do
    it("is safe in any order, also when the Lua state closes by: " .. ending, function()
      chance.cases(15000 + 1000 * i, 20)(function(remark, seed)
        local leaks = seed % 2 == 0 and "1" or "0" -- half of the runs check for leaks, see the script
        local result = launch.script(script, { built.image, built.gmon, seed, ROUNDS, ending },
          { cwd = shell.tmpdir "ends", timeout = true, env = { ASAN_OPTIONS = "detect_leaks=" .. leaks } })
        assert.same({ ending == "error" and 1 or 0, "done" }, { result.status or "signal " .. result.signal,
          result.stderr:find "^done\n" and not result.stderr:find "anitizer" and "done" or result.stderr }, remark)
      end, 4)
    end)
  end
end)
