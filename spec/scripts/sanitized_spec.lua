-- gprof.hooks has no errors of memory: with AddressSanitizer and UndefinedBehaviorSanitizer, and under valgrind, which
-- also checks the C recorder. The interpreter is that of the system.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local program = require "support.program"
local shell = require "support.shell"

if not chance.thorough then return end

local fixtures <const> = program.root .. "/spec/fixtures/lua/"
local HEADERS <const> = "/usr/include/lua5.4"
local RECORDER <const> = program.root .. "/build/libgprof-recorder.so"

-- Ways to record.
local ways <const> = { "{}", '{ count = "lines" }', '{ count = "none", instructions = 10 }', "{ instructions = 100 }",
  "{ memory = 1 }", "{ with_c = true }", '{ with_c = true, count = "lines" }' }

describe("gprof.hooks has no errors of memory", function()
  local dir, native, sanitized
  setup(function()
    dir = shell.tmpdir "sanitized"
    sanitized = dir .. "/modules"
    shell.check { "mkdir", "-p", sanitized .. "/gprof" }
    shell.check({ "sh", "-c", "exec gcc -std=c11 -D_GNU_SOURCE -fvisibility=hidden -Icsrc -I" .. HEADERS ..
      " -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -shared -fPIC -o " ..
      sanitized .. "/gprof/hooks.so csrc/scripts/*.c csrc/base/crc32.c" }, { cwd = program.root })
    native = build.compiled("native-pg", { "gcc", "-O1", "-g", "-fno-inline", "-fno-optimize-sibling-calls", "-shared",
      "-fPIC", "-I" .. HEADERS, "-o", "native.so", "native.c", "-pg" },
      { ["native.c"] = shell.read(fixtures .. "native.c") })
    for i, way in ipairs(ways) do
      shell.write(("%s/way%d.lua"):format(dir, i), ([[
        local recorder = require "gprof.recorder"
        require "gprof.scripts.mixed_profile"
        recorder.record_program("x.prof", %s)
      ]]):format(way))
    end
  end)

  -- Records a program in all ways, with modules from a directory and a command that runs the interpreter.
  local function check(modules, command, script, ...)
    local paths = { ("%s/lua/?.lua;%s/?.lua;;"):format(program.root, dir), modules .. "/?.so;" .. native .. "/?.so;;" }
    for i, way in ipairs(ways) do
      os.remove(dir .. "/x.prof")
      local argv = { "env", "LUA_PATH=" .. paths[1], "LUA_CPATH=" .. paths[2], "GPROF_RECORDER=follow" }
      for _, word in ipairs(command) do argv[#argv + 1] = word end
      for _, word in ipairs { "lua5.4", "-l", "way" .. i, fixtures .. script, ... } do argv[#argv + 1] = word end
      local result = shell.run(argv, { cwd = dir, timeout = true })
      -- With this, the recorder asks the kernel whether memory is readable; valgrind remarks on it.
      local remarks = result.stderr:gsub("%-%-%d+%-%- sigprocmask: unknown 'how' field %-1\n", "")
      assert.same({ "", 0 }, { remarks, result.status }, way)
      assert.truthy(shell.exists(dir .. "/x.prof"), way)
    end
  end

  local function library(name) return shell.check({ "gcc", "-print-file-name=" .. name }).stdout:gsub("%s", "") end

  local programs = { ["random.lua"] = { "1", "2", "3" },
    ["calls.lua"] = { "coroutines", "errors", "callbacks", "finalizers", "yields_across_pcall" } }
  for title, list in pairs(programs) do
    for _, argument in ipairs(list) do
      it(("with sanitizers: %s %s"):format(title, argument), function()
        check(sanitized, { "ASAN_OPTIONS=detect_leaks=0", ("LD_PRELOAD=%s %s %s"):format(library "libasan.so",
          library "libubsan.so", RECORDER) }, title, argument)
      end)
    end
    -- The recorder compares words of the stack that may be unused: a frame that has returned may be overwritten.
    it("under valgrind: " .. title, function()
      check(program.root .. "/build", { "LD_PRELOAD=" .. RECORDER, "valgrind", "-q", "--undef-value-errors=no",
        "--error-exitcode=9" }, title, list[1])
    end)
  end
end)
