-- Programs compiled with -finstrument-functions, alone or mixed with objects compiled with -pg.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local machine <const> = recorder.machine

local SOURCE <const> = program.root .. "/spec/fixtures/recorder/instrumented.c"

-- Calls by path, for both threads. Calls that i_small makes count for i_contains, into which it is inlined.
local expected <const> = {
  main = 1, ["i_work"] = 2, ["i_work/i_fib"] = 2 * 177,
  ["i_work/i_outer"] = 200, ["i_work/i_outer/i_leaf"] = 400, ["i_work/i_outer/p_leaf"] = 200,
  ["i_work/i_outer/p_mid"] = 200, ["i_work/i_outer/p_mid/i_leaf"] = 200, ["i_work/i_outer/p_mid/p_leaf"] = 200,
  ["i_work/i_contains"] = 200, ["i_work/i_contains/i_small"] = 400, ["i_work/i_contains/i_leaf"] = 600,
  ["i_work/i_contains/p_leaf"] = 400,
  ["i_work/i_jumps"] = 200, ["i_work/i_jumps/i_leaf"] = 200, ["i_work/i_jumps/p_leaf"] = 200,
  ["i_work/i_jumps/p_deep"] = 800, ["i_work/i_jumps/p_deep/i_jumps_out"] = 200,
  ["i_work/i_allocates"] = 200, ["i_work/i_allocates/i_leaf"] = 600, ["i_work/i_allocates/p_leaf"] = 600,
  ["i_work/i_sorts"] = 200, ["i_work/i_sorts/i_compare"] = 200, ["i_work/i_sorts/i_compare/i_leaf"] = 200,
  ["i_work/i_sorts/p_leaf"] = 200,
}

-- Compiles the two parts of the program with different options. Returns the program.
local function compile(options)
  local dir = shell.tmpdir "instrumented"
  for part, flags in ipairs(options) do
    local argv = { options.compiler or "gcc", "-g", options.level or "-O2", "-pthread", "-DPART=" .. part, "-c", "-o",
      part .. ".o", SOURCE }
    for _, flag in ipairs(flags) do table.insert(argv, 2, flag) end
    shell.check(argv, { cwd = dir })
  end
  local argv = { options.compiler or "gcc", "-pthread", "-o", "program", "1.o", "2.o" }
  for _, word in ipairs(options.link or {}) do table.insert(argv, word) end
  shell.check(argv, { cwd = dir })
  return { image = dir .. "/program" }
end

local function check(built, run)
  local result = recorder.run(built, {}, run)
  assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
  assert.same(expected, (recorder.paths(built, result.dir .. "/gmon.out.ctx")))
  local counts = recorder.arcs(built, result.dir .. "/gmon.out")
  assert.same({ 2200, 1800, 354, 352, 200 }, { counts.i_leaf, counts.p_leaf, counts.i_fib, counts["i_fib i_fib"],
    counts["p_mid i_leaf"] })
  return result.dir
end

describe("functions compiled with -finstrument-functions", function()
  local INSTRUMENTED <const>, PROFILED <const> = { "-finstrument-functions" }, { "-pg" }

  for _, compiler in ipairs { "gcc", "clang" } do
    for _, level in ipairs { "-O0", "-O2" } do
      it(("have exact counts and call paths, also mixed with -pg: %s %s"):format(compiler, level), function()
        if not shell.installed(compiler) then pending("needs " .. compiler) return end
        check(compile { INSTRUMENTED, PROFILED, compiler = compiler, level = level, link = { "-pg" } })
      end)
    end
  end

  it("have them in programs without -pg, which --record takes as recorded", function()
    local built = compile { INSTRUMENTED, INSTRUMENTED }
    check(built)
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", "--rate=0", "-b", "-p", built.image } do
      table.insert(words, word)
    end
    local result = shell.run(words, { cwd = shell.tmpdir "record",
      env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find " 2200 [^\n]* i_leaf\n", result.stdout)
  end)

  it("are counted once if they are compiled with -pg as well", function()
    check(compile { { "-pg", "-finstrument-functions" }, PROFILED, link = { "-pg" }, level = "-O0" })
  end)

  it("are recorded in static programs, which need a table of functions", function()
    check(compile { INSTRUMENTED, PROFILED, link = { "-pg", "-static", "-Wl,--eh-frame-hdr", recorder.archive } },
      { preload = false })
  end)

  -- Functions that were called while recording was paused have no calls. With -finstrument-functions, they are on the
  -- call path; with -pg, they are like functions without -pg.
  local paused = {
    p = { pauses = 3, ["pauses/leaf"] = 3 },
    r = { [PROFILED] = { resumes = 1, ["resumes/inner"] = 1, ["resumes/inner/leaf"] = 1, ["resumes/leaf"] = 4 },
      [INSTRUMENTED] = { resumes = 1, ["resumes/inner"] = 1, ["resumes/inner/leaf"] = 2, ["resumes/leaf"] = 3 } },
    j = { jumps = 5, ["jumps/leaf"] = 5 },
  }

  local function check_paused(word, flags, options)
    local built = recorder.compile("pauses.c", options)
    local result = recorder.run(built, { word })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local paths = { main = 1, ["main/run"] = 1, ["main/run/last"] = 1 }
    for path, calls in pairs(paused[word][flags] or paused[word]) do paths["main/run/" .. path] = calls end
    assert.same(paths, (recorder.paths(built, result.dir .. "/gmon.out.ctx")))
  end

  for _, compiler in ipairs { "gcc", "clang" } do
    it("stay in step when a recursive function pauses recording, as with -pg: " .. compiler, function()
      if not shell.installed(compiler) then pending("needs " .. compiler) return end
      for _, flags in ipairs { INSTRUMENTED, PROFILED } do
        for word in ("pr"):gmatch "." do
          check_paused(word, flags, { compiler = compiler, plain = true, flags = flags })
        end
      end
    end)

    it("end once if they jump to the hook, also in recursion: " .. compiler, function()
      if not shell.installed(compiler) then pending("needs " .. compiler) return end
      check_paused("j", INSTRUMENTED, { compiler = compiler, plain = true, flags = INSTRUMENTED })
    end)
  end

  it("have them on AArch64", function()
    local arm = "aarch64-linux-gnu"
    if machine ~= "x86_64" or not shell.installed(arm .. "-gcc") or not shell.installed "qemu-aarch64" then
      pending "needs aarch64-linux-gnu-gcc and qemu-aarch64"
      return
    end
    local library = ("build/%s/libgprof-recorder.so"):format(arm)
    program.make(library)
    local built = compile { INSTRUMENTED, PROFILED, link = { "-pg" }, compiler = arm .. "-gcc" }
    local words = { "qemu-aarch64", "-L", "/usr/" .. arm, "-E",
      ("LD_PRELOAD=%s/%s"):format(program.root, library), "-E", "GPROF_RECORDER=rate=0" }
    check(built, { preload = false, before = words })
  end)
end)
