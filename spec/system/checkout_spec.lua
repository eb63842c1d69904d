-- The checkout passes the linter; its demonstration and its example scripts run; `make mpi` needs a compiler for MPI.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

describe("the checkout", function()
  local function make(target)
    local result = shell.run({ "make", "--no-print-directory", target }, { cwd = program.root })
    assert(result.status == 0, result.stdout .. result.stderr)
  end

  it("passes the linter", function() make "lint" end)

  it("does not build the libraries for MPI without a compiler", function()
    local result = shell.run({ "make", "mpi", "MPICC_OPENMPI=none-a", "MPICC_MPICH=none-b" }, { cwd = program.root })
    assert.equal(2, result.status)
    assert.truthy(result.stderr:find("No compiler for MPI: neither none-a nor none-b.", 1, true), result.stderr)
  end)

  it("has a demonstration, and example scripts that read its profile", function() make "examples" end)
end)
