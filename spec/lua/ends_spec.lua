-- The end of objects: whatever order they go in, and wherever they are used meanwhile, nothing happens but that they
-- return something or raise errors. Under sanitizers that is more than it seems.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local launch = require "support.launch"
local shell = require "support.shell"

local ROUNDS <const> = 25 -- of one process, each with objects in another order

describe("objects", function()
  local script = shell.read(build.fixture "scripts/ends.lua")
  local built = build.program "cycles"

  for i, ending in ipairs { "return", "exit", "error", "coroutine" } do
    it("may go in any order, those that are left when the state is closed by: " .. ending, function()
      chance.cases(15000 + 1000 * i, 20)(function(remark, seed)
        local leaks = seed % 2 == 0 and "1" or "0" -- as the script says
        local result = launch.script(script, { built.image, built.gmon, seed, ROUNDS, ending },
          { cwd = shell.tmpdir "ends", timeout = 240, env = { ASAN_OPTIONS = "detect_leaks=" .. leaks } })
        assert.same({ ending == "error" and 1 or 0, "done" }, { result.status or "signal " .. result.signal,
          result.stderr:find "^done\n" and not result.stderr:find "anitizer" and "done" or result.stderr }, remark)
      end, 4)
    end)
  end
end)
