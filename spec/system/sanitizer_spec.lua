-- The sanitized interpreter detects faults. A separate module has deliberate ones, which must end the interpreter.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

describe("the sanitized interpreter", function()
  local interpreter = program.root .. "/build/sanitized/lua"
  if not shell.exists(interpreter) then
    pending "is not built: run 'make test-starved'"
    return
  end

  -- The interpreter has the sanitizers' libraries. nodelete: leaks are reported after modules are unloaded, when their
  -- symbols would be gone.
  local dir = shell.tmpdir "plant"
  shell.check { "gcc", "-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all", "-fPIC", "-c", "-o", dir .. "/plant.o", program.root .. "/spec/sanitizer/plant.c" }
  shell.check { "gcc", "-shared", "-Wl,-z,nodelete", "-o", dir .. "/plant.so", dir .. "/plant.o" }
  local script = shell.write(dir .. "/script.lua", "assert(package.loadlib(arg[1], arg[2]))()\n")

  local env = { ASAN_OPTIONS = false, LSAN_OPTIONS = false, UBSAN_OPTIONS = false }

  local function run(...)
    return shell.run({ interpreter, ... }, { env = env })
  end

  for name, message in pairs {
    leak = "LeakSanitizer: detected memory leaks",
    overrun = "AddressSanitizer: heap-buffer-overflow",
    overflow = "runtime error: signed integer overflow",
  } do
    it("fails and names the place of the fault: " .. name, function()
      local result = run(script, dir .. "/plant.so", name)
      assert.truthy(result.stderr:find(message, 1, true), result.stderr)
      assert.truthy(result.stderr:find("plant.c:%d+"), result.stderr)
      assert.not_equal(0, result.status)
    end)
  end

  it("reports nothing about a correct module", function()
    local result = run(script, dir .. "/plant.so", "sound")
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
  end)

  it("returns the status of Lua errors and of os.exit", function()
    assert.equal(1, run(shell.write(dir .. "/error.lua", "error 'out of luck'")).status)
    assert.equal(3, run(shell.write(dir .. "/exit.lua", "os.exit(3, true)")).status)
  end)
end)
