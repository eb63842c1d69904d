-- A program may load and close libraries any number of times: calls stay exact, and the recorder leaves the program its
-- mappings, whose number the kernel limits.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"
local work = require "support.work"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local built <const> = recorder.compile "reloads.c"
local dir <const> = shell.tmpdir "plugins"

-- Compiles a library with its own size, so that others fit into its place, or do not. Returns its path.
local function plugin(name, size)
  shell.write(dir .. "/plugin.c",
    ("static volatile int calls;\nchar data[%d];\nvoid plugin(void) { calls++; }\n"):format(size))
  local path = ("%s/%s.so"):format(dir, name)
  shell.check { "gcc", "-g", "-O2", "-pg", "-fPIC", "-shared", "-Wl,--build-id", "-o", path, dir .. "/plugin.c" }
  return path
end

local small <const>, equal <const>, large <const> = plugin("small", 1), plugin("equal", 2), plugin("large", 200000)

-- Returns the calls of `plugin` in a library.
local function calls_of(library, run)
  local code <close> = assert(gprof.image(library))
  return assert(gprof.profile(code, assert(gprof.data(code, run.dir .. "/gmon.out.ctx")))):find("plugin").calls
end

it("a library in a namespace of its own, without a build ID, is still loaded after the profile was written", function()
  shell.write(dir .. "/calls.c", "void call(void (*called)(void)) { called(); __asm__(\"\"); }\n")
  local path = dir .. "/calls.so"
  shell.check { "gcc", "-O1", "-fPIC", "-shared", "-Wl,--build-id=none", "-o", path, dir .. "/calls.c" }
  local run = recorder.run(recorder.compile("namespaces.c", { flags = { "-D_GNU_SOURCE" } }), { path })
  assert.same({ "", 0 }, { run.stderr, run.status })
  local found = 0
  for _, module in ipairs(recorder.read(run.dir .. "/gmon.out.ctx").modules) do
    if module.path == path then found = found + 1 end
  end
  assert.equal(1, found)
end)

describe("libraries that are loaded and closed again and again:", function()
  it("the work grows with their number", function()
    if not work.countable() then return pending "needs valgrind, which counts instructions" end
    -- valgrind preloads only its own libraries.
    local folder = recorder.library:match "^(.*)/"
    local linked, counts = recorder.compile("reloads.c", { link = { "-Wl,--no-as-needed", recorder.library,
      "-Wl,-rpath," .. folder } }), {}
    for i, cycles in ipairs { 4, 100, 200, 400 } do
      local place = shell.tmpdir "cycles"
      counts[i] = work.of_process({ linked.image, tostring(cycles), small, equal, large }, { cwd = place,
        env = { GPROF_RECORDER = "rate=0", GMON_OUT_PREFIX = false } })
      assert.is_true(shell.exists(place .. "/gmon.out.ctx"))
    end
    for i = 3, 4 do
      local growth = (counts[i] - counts[1]) / (counts[i - 1] - counts[1])
      assert.is_true(growth > 1.5 and growth < 2.5, growth)
    end
  end)

  for name, libraries in pairs { one = { small }, ["three sizes"] = { small, equal, large },
    ["three sizes, while a thread maps pages"] = { small, equal, large } } do
    it(name .. ": the calls of each are exact, and few mappings are left", function()
      local cycles <const> = 3000
      local run = recorder.run(built, { cycles .. (name:find "thread" and "t" or ""), table.unpack(libraries) })
      assert(run.status == 0, run.stdout .. run.stderr)
      for _, library in ipairs(libraries) do assert.equal(cycles // #libraries, calls_of(library, run)) end
      assert.is_true(tonumber(run.stdout:match "%d+") < cycles // 10, run.stdout)
    end)
  end

  -- Memory takes the place of a closed library ten times, and leaves it to the next one. There are no samples: the
  -- first one needs memory, which could take a page of the place when it becomes free.
  local function run_evicted(...)
    local evicts <const> = dir .. "/evicts.so"
    shell.check { "gcc", "-shared", "-fPIC", "-o", evicts, program.root .. "/spec/fixtures/recorder/evicts.c" }
    local run = recorder.run(built, { "100", ... }, { preload = recorder.library .. ":" .. evicts,
      env = { GPROF_RECORDER = "rate=0" } })
    assert(run.status == 0, run.stdout .. run.stderr)
    return run
  end

  it("one, whose place was taken and is free again: its calls are exact", function()
    assert.equal(100, calls_of(small, run_evicted(small)))
  end)

  it("two, whose places were taken and are free again: calls are lost only then", function()
    local run = run_evicted(small, equal)
    for _, library in ipairs { small, equal } do assert.is_true(calls_of(library, run) >= 50 - 11) end
  end)
end)
