-- Random calls of the library with closed objects, objects of the wrong type and other invalid arguments. Each call
-- must return or raise a Lua error.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local launch = require "support.launch"
local shell = require "support.shell"

local CALLS <const> = 400 -- per process

describe("random calls of the library", function()
  for _, name in ipairs { "cycles", "lines", "clones" } do
    it("return or raise errors, with the program " .. name, function()
      local built = build.program(name)
      local script = shell.read(build.fixture "scripts/misuse.lua")
      chance.cases(9000, 40)(function(remark, seed)
        local result = launch.script(script, { built.image, built.gmon, seed, CALLS },
          { cwd = shell.tmpdir "misuse", timeout = true, env = { GPROF_COLLECTOR = false } })
        assert.same({ 0, "done" }, { result.status or "signal " .. result.signal,
          result.stderr:find "done\n" and "done" or result.stderr }, remark)
      end, 8)
    end)
  end
end)
