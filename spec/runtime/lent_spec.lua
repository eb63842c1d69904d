-- Libraries that add up the profiles of several processes can borrow the recorder's profile: each count is either in
-- the borrowed profile or in the file of the process.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

describe("a profile that the recorder lends", function()
  if recorder.lack() then
    pending("needs " .. recorder.lack())
    return
  end

  local built
  setup(function() built = recorder.compile("lends.c", { link = { recorder.library } }) end)

  -- Runs the program. Returns its calls in the borrowed profile, and in its own file, or nil if there is none.
  local function run(drop, what)
    local result = recorder.run(built, { drop, what })
    assert.equal("0\n", result.stdout, result.stderr)
    local calls = {}
    for i, name in ipairs { "lent", "gmon.out" } do
      local path = result.dir .. "/" .. name
      if shell.exists(path) then
        local arcs = recorder.arcs(built, path)
        calls[i] = ("%d %d %d"):format(arcs.before or 0, arcs.between or 0, arcs.after or 0)
        local read = program.run { "-b", "-p", built.image, path }
        assert.same({ 0, "" }, { read.status, read.stderr })
        assert.truthy(shell.exists(path .. ".ctx"))
      end
    end
    return calls[1], calls[2], result
  end

  it("is not part of the next one if it is to be dropped", function()
    local lent, own = run("drop", "more")
    assert.same({ "3 0 0", "0 0 1" }, { lent, own })
  end)

  it("leaves no file if nothing follows", function()
    local lent, own = run("drop", "nothing")
    assert.same({ "3 0 0" }, { lent, own })
  end)

  it("is part of the next one if it is to be kept", function()
    local lent, own = run("keep", "more")
    assert.same({ "3 0 0", "3 0 1" }, { lent, own })
  end)

  it("does not make the profile after the next one negligible", function()
    local result = recorder.run(built, { "drop", "anew" }, { env = { GPROF_RECORDER = "dump-signal=USR1,anew" } })
    assert.equal("gmon.out\ngmon.out-2\ngmon.out-2.ctx\ngmon.out.ctx\nlent\nlent.ctx\n", shell.listing(result.dir))
  end)

  it("has a name that is used unless the user chooses another", function()
    local _, own, result = run("drop", "named")
    assert.is_nil(own)
    assert.truthy(shell.listing(result.dir):find "\nnamed%.%d+\nnamed%.%d+%.ctx\n")
    result = recorder.run(built, { "drop", "named" }, { env = { GMON_OUT_PREFIX = "chosen" } })
    assert.truthy(shell.listing(result.dir):find "^chosen%.%d+\nchosen%.%d+%.ctx\n")
  end)

  it("is written when a signal ends the program meanwhile", function()
    local lent, own, result = run("drop", "term")
    assert.same({ "3 0 0", "3 0 0" }, { lent, own })
    assert.not_equal(0, result.status)
  end)
end)
