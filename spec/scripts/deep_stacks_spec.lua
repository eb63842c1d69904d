-- Deep recursion ends under the recorder as it does without: the time of a sample does not grow with the stack so far
-- that the program stops. The limit is processor time, far above what the programs need.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local program = require "support.program"
local shell = require "support.shell"

-- What overflows the stack, or is deep: programs whose output does not depend on the recorder.
local programs <const> = {
  { "runaway recursion", "local function r() return 1 + r() end print((pcall(r)))" },
  { "runaway recursion in coroutines", [[
    local function r() return 1 + r() end
    for _ = 1, 3 do print((coroutine.resume(coroutine.create(r)))) end
    print((pcall(coroutine.wrap(r))))
  ]] },
  { "metamethods and callbacks", [[
    local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end })
    local function g(s) return (s:gsub(".", g)) end
    local function p() return pcall(p) end
    print(pcall(g, "x") == false, pcall(function() return t[1] end) == false, (p()))
  ]] },
  { "errors in deep stacks", [[
    local function e(n) if n == 0 then error "x" end return 1 + e(n - 1) end
    for _ = 1, 5 do print(xpcall(e, function(m) return #debug.traceback(m) > 9 end, 150000)) end
  ]] },
  { "a loop at the end of a deep stack", [[
    local function r(n) if n > 0 then return 1 + r(n - 1) end
      local s = 0 for i = 1, 10000000 do s = s + i end return s end
    print(r(190000))
  ]] },
}

local ways <const> = { "--count=calls", "--count=none", "--count=lines", "--with-c", "--rate=10000" }

for _, one in ipairs(programs) do
  describe(one[1], function()
    local dir = shell.tmpdir "deep"
    shell.write(dir .. "/deep.lua", one[2])
    local plain = shell.run({ "lua5.4", "deep.lua" }, { cwd = dir })
    for _, option in ipairs(chance.some(ways, 3)) do
      it("ends with " .. option, function()
        local result = shell.run({ "sh", "-c", 'ulimit -t 40; exec "$@"', "sh", "lua5.4", program.root .. "/gprof.lua",
          "--record", option, "--output=deep.prof", "deep.lua" }, { cwd = dir, timeout = 300 })
        -- The status may be 1: without counts, a short program may have no sample.
        assert.equal(plain.stdout, result.stdout, result.stderr)
      end)
    end
  end)
end
