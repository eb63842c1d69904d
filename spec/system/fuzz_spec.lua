-- Fuzzing works: a target builds and runs without failure. A deliberate fault that only a word of the dictionary
-- reaches is found, reported and reproducible. So is an input that needs too much processor time.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local program = require "support.program"
local shell = require "support.shell"

local TARGET <const> = "lines" -- the fastest to compile
local WORD <const> = "/usr/include/stdio.h" -- in the dictionary, but in no seed
local LOOP <const> = "never ends"
-- The number of runs ends a target, never the time. With this seed, the word is found early.
local RUNS <const>, ENOUGH <const>, SEED <const>, DAY <const> = 5000, 300000, 1, 86400

-- Tells whether clang and libFuzzer are installed.
local function has_fuzzer(dir)
  local source = shell.write(dir .. "/nothing.c",
    "int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long);\n" ..
    "int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { return (void)data, (void)size, 0; }\n")
  return shell.run({ "clang", "-fsanitize=fuzzer,address", "-o", dir .. "/nothing", source }).status == 0
end

-- The result does not depend on the interpreter of the specs, so the run without sanitizers is enough.
if os.getenv "GPROF_LUA" then return end

-- A script takes the place of the target. It reports the end of its run as libFuzzer does.
it("a fuzz target is clean after the whole time, and has failed if it stops early", function()
  local dir = shell.tmpdir "ended"
  for seconds, verdict in pairs { [7] = " clean\n", [6] = "FAILED\n  stopped after 6 of 7 seconds\n" } do
    shell.write(dir .. "/names", ("#!/bin/sh\necho 'Done 12 runs in %d second(s)' >&2\n"):format(seconds))
    shell.check { "chmod", "+x", dir .. "/names" }
    local result = shell.run { "lua5.4", program.root .. "/fuzz/run.lua", dir, "7", "names" }
    assert.equal(seconds == 7, result.status == 0)
    assert.truthy(result.stdout:find(verdict, 1, true), result.stdout)
  end
end)

-- Compiles targets, so only `make check-all` runs them.
if not chance.thorough then return end

describe("a fuzz target", function()
  local dir = shell.tmpdir "fuzz"
  if not has_fuzzer(dir) then
    pending "needs clang and its fuzzer: run 'make deps-fuzz'"
    return
  end

  local function fuzz(runs, word)
    os.remove(("%s/%s"):format(dir, TARGET))
    return shell.run({ "make", "-s", "run-fuzz", "FUZZ_DIR=" .. dir, "FUZZ_TARGETS=" .. TARGET, "FUZZ_SECONDS=" .. DAY,
      "FUZZ_PLANT=" .. (word or ""), "FUZZ_PLANT_LOOP=" .. (word and LOOP or "") },
      { cwd = program.root, env = { FUZZ_RUNS = runs, FUZZ_SEED = SEED, MAKEFLAGS = false } })
  end

  it("runs many inputs, covers much code and finds no fault", function()
    local result = fuzz(RUNS)
    assert.equal(0, result.status, result.stdout .. result.stderr)
    local runs, places = result.stdout:match "\nlines +(%d+) executions, +(%d+) edges covered, .* clean\n"
    assert.is_true(tonumber(runs) >= RUNS and tonumber(places) > 500, result.stdout)
    assert.equal("", shell.listing(dir .. "/crashes"))
  end)

  it("is compiled again after a change of a header, as far as that is included", function()
    local steps = shell.check({ "make", "-n", "-o", "build/binutils", "-W", "csrc/debug/cursor.h", "FUZZ_DIR=" .. dir,
      ("%s/%s"):format(dir, TARGET) }, { cwd = program.root, env = { MAKEFLAGS = false } }).stdout
    assert.truthy(steps:find("CLANG csrc/debug/call_frames.c", 1, true), steps)
    assert.is_nil(steps:find("CLANG csrc/base/sort.c", 1, true), steps)
  end)

  it("finds a fault, saves the input and says how to reproduce it", function()
    local result = fuzz(ENOUGH, WORD)
    assert.not_equal(0, result.status, result.stdout)
    local said = "FAILED\n +AddressSanitizer: heap%-buffer%-overflow [^\n]*support%.c"
    assert.truthy(result.stdout:find(said), result.stdout)
    local target, input = result.stdout:match "\n +(%S+) (%S+/crashes/lines%-crash%-%x+)\n"
    assert.truthy(shell.read(input):find(WORD, 1, true))
    local again = shell.run { target, input }
    assert.not_equal(0, again.status)
    assert.truthy(again.stderr:find("heap-buffer-overflow", 1, true), again.stderr)
  end)

  it("finds and saves an input that needs too much processor time", function()
    shell.write(("%s/corpus/%s/slow"):format(dir, TARGET), LOOP)
    local result = shell.run({ "lua5.4", program.root .. "/fuzz/run.lua", dir, tostring(DAY), TARGET },
      { env = { FUZZ_LIMIT = "1", FUZZ_RUNS = RUNS, FUZZ_SEED = SEED } })
    assert.equal(1, result.status, result.stdout)
    local input = result.stdout:match("FAILED\n  needs more than 1 s of processor time\n" ..
      "  FUZZ_LIMIT=1 %S+/lines (%S+/crashes/lines%-crash%-%x+)\n")
    assert.equal(LOOP, input and shell.read(input), result.stdout)
  end)
end)
