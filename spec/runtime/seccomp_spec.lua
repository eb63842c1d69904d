-- Programs that confine themselves by seccomp, or execute others, end as without the recorder.
-- SPDX-License-Identifier: GPL-3.0-or-later

local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local ENDS <const> = "libgprof-recorder: the program confines itself (seccomp), and does not allow the recorder's " ..
  "system calls: its profile ends here\n"

describe("a program", function()
  local built <const> = recorder.compile "confines.c"
  local is_confined = shell.read "/proc/self/status":find "\nSeccomp:%s+[12]" -- strict mode is then refused

  -- Runs the program. Returns its recorded calls.
  local function record(what, clock, stdout, stderr)
    local result = recorder.run(built, { what }, { env = { GPROF_RECORDER = "clock=" .. clock } })
    assert.same({ stdout, stderr, 0 }, { result.stdout, result.stderr, result.status })
    return recorder.paths(built, result.dir .. "/gmon.out.ctx")
  end

  for _, clock in ipairs { "perf", "timer", "thread" } do
    for _, how in ipairs { "prctl", "syscall", "strict" } do
      it(("that forbids system calls (%s, clock %s) has a profile up to there"):format(how, clock), function()
        if how == "strict" and is_confined then return pending "needs to be without a seccomp filter" end
        local calls = record(how, clock, "done\n", ENDS)
        assert.same({ 1, nil }, { calls["main/before"], calls["main/after"] })
      end)
    end

    it("that allows what the recorder does has a whole profile, clock " .. clock, function()
      local calls = record("allow", clock, "done\n", "")
      assert.same({ 1, 1 }, { calls["main/before"], calls["main/after"] })
    end)

    it("can execute another one by syscall(), clock " .. clock, function()
      local calls = record("execve", clock, "executed\n", "")
      assert.same({ 1, 1 }, { calls["main/before"], calls["main/after"] })
    end)
  end
end)
