-- The checkout passes the linter; its demonstration and its example scripts run.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

describe("the checkout", function()
  local function make(target)
    local result = shell.run({ "make", "--no-print-directory", target }, { cwd = program.root })
    assert(result.status == 0, result.stdout .. result.stderr)
  end

  it("passes the linter", function() make "lint" end)

  it("has a demonstration, and example scripts that read its profile", function() make "examples" end)
end)
