-- Programs that use both the block counter and the recorder: a single gmon.out contains histogram, calls and blocks,
-- and all counts are exact.
-- SPDX-License-Identifier: GPL-3.0-or-later

local blocks = require "support.blocks"
local gmon = require "support.gmon"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local text <const> = [[
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int step(int i) { if (i % 4 == 0) return i / 2; return i + 1; }
static void *work(void *unused) { for (int i = 0; i < 1000; i++) step(i); return unused; }
__attribute__((destructor)) static void late(void) { step(4); }
static void threads(void) {
  pthread_t all[4];
  for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
}
int main(int count, char **words) {
  char way = count > 1 ? words[1][0] : ' ';
  threads();
  if (way == 'f' && fork() == 0) { step(1); step(4); exit(0); }
  if (way == 'f') wait(NULL);
  if (way == 's') for (int i = 0; i < 3; i++) { kill(getpid(), SIGUSR1); usleep(100000); step(i); }
  if (way == '_') _exit(0);
  return 0;
}
]]

-- A program that replaces functions of the C library, and cannot bear their use once `main` runs.
local replaces <const> = [[
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int refused;
#define REPLACED __attribute__((no_instrument_function))
REPLACED void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset) {
  if (refused) __builtin_trap();
  return (void *)syscall(SYS_mmap, at, size, access, flags, file, offset);
}
REPLACED int madvise(void *at, size_t size, int advice) {
  if (refused) __builtin_trap();
  return (int)syscall(SYS_madvise, at, size, advice);
}
REPLACED int sched_yield(void) {
  if (refused) __builtin_trap();
  return (int)syscall(SYS_sched_yield);
}
int step(int i) { return i / 2; }
int main(void) {
  int status = 0;
  step(1);
  refused = 1;
  kill(getpid(), SIGUSR1);
  while (access("gmon.out", F_OK) != 0) usleep(1000);
  kill(getpid(), SIGUSR1);
  while (access("gmon.out-2", F_OK) != 0) usleep(1000);
  if (fork() == 0) { step(2); step(3); _exit(0); }
  wait(&status);
  _exit(status != 0);
}
]]

-- The ways in which the recorder and the block counter get into a program: preloading, flags, and the arguments of the
-- linker.
local counter <const> = recorder.archive:gsub("recorder%.a$", "blocks.a")
local ways <const> = {
  { name = "the recorder loaded first", preload = true },
  { name = "the recorder loaded first, without PIE", preload = true, flags = { "-no-pie", "-Wl,--gc-sections" } },
  { name = "the recorder linked before the block counter", first = { recorder.archive } },
  { name = "the recorder linked after the block counter", last = { recorder.archive } },
  { name = "both in a static program", last = { recorder.archive }, flags = { "-static" } },
}

local function compile(way)
  local dir = shell.tmpdir "both"
  shell.write(dir .. "/both.c", text)
  local argv = { "gcc", "-g", "-O0", "-pg", "-fsanitize-coverage=trace-pc", "-pthread", "-o", "program" }
  table.move(way.flags or {}, 1, #(way.flags or {}), #argv + 1, argv)
  argv[#argv + 1] = "both.c"
  table.move(way.first or {}, 1, #(way.first or {}), #argv + 1, argv)
  argv[#argv + 1] = counter
  table.move(way.last or {}, 1, #(way.last or {}), #argv + 1, argv)
  shell.check(argv, { cwd = dir })
  return { image = dir .. "/program" }
end

-- Checks a profile: the calls of `step` and of other functions; and that the first block of a function counts the calls
-- of the function.
local function check(built, path, steps, others)
  local arcs, profile = recorder.arcs(built, path)
  local counts = blocks.counts(path)
  built.functions = built.functions or blocks.functions(built.image)
  assert.equal(1, #gmon.select(profile, "histogram"))
  assert.equal(steps, arcs.step)
  for name, calls in pairs(others) do assert.equal(calls, arcs[name] or 0, name) end
  for _, name in ipairs { "step", "work", "late", "threads", "main" } do
    assert.equal(arcs[name] or 0, counts[built.functions[name].blocks[1]] or 0, name)
  end
  return counts
end

for _, way in ipairs(ways) do
  describe("both runtimes, " .. way.name .. ",", function()
    local built
    setup(function() built = compile(way) end)

    local function run(argument)
      local options = {}
      if not way.preload then options.preload = false end
      local result = recorder.run(built, { argument }, options)
      assert.same({ "", 0 }, { result.stderr, result.status })
      return result.dir
    end

    it("write one profile with exact counts, once", function()
      local dir = run()
      local counts = check(built, dir .. "/gmon.out", 4001, { main = 1, threads = 1, late = 1, work = 4 })
      -- the block for multiples of 4
      assert.equal(1001, counts[built.functions.step.blocks[2]])
      assert.equal("gmon.out\ngmon.out.ctx\n", shell.listing(dir))
    end)

    it("write a profile for each process, without duplicate counts", function()
      local dir = run "f"
      check(built, dir .. "/gmon.out", 4001, { main = 1, late = 1, work = 4 })
      local child = shell.listing(dir):match "gmon%.out%.%d+"
      check(built, dir .. "/" .. child, 3, { main = 0, late = 1, work = 0 })
    end)

    it("write the profile at _exit", function()
      check(built, run "_" .. "/gmon.out", 4000, { main = 1, late = 0, work = 4 })
    end)
  end)
end

describe("both runtimes", function()
  it("lose no count in profiles that begin anew while the program runs", function()
    local built = compile(ways[1])
    local result = recorder.run(built, { "s" }, { env = { GPROF_RECORDER = "dump-signal=USR1,anew" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local arcs, sums = 0, 0
    local step = blocks.functions(built.image).step.blocks[1]
    for name in shell.listing(result.dir):gmatch "[^\n]+" do
      if not name:find "%.ctx$" then
        local path = result.dir .. "/" .. name
        arcs, sums = arcs + (recorder.arcs(built, path).step or 0), sums + (blocks.counts(path)[step] or 0)
      end
    end
    assert.same({ 4004, 4004 }, { arcs, sums })
  end)

  it("take snapshots, also in forked children, without functions that the program replaces", function()
    local dir = shell.tmpdir "replaces"
    shell.write(dir .. "/replaces.c", replaces)
    shell.check({ "gcc", "-g", "-O0", "-pg", "-fsanitize-coverage=trace-pc", "-o", "program", "replaces.c", counter },
      { cwd = dir })
    local built = { image = dir .. "/program" }
    local result = recorder.run(built, {}, { env = { GPROF_RECORDER = "dump-signal=USR1,anew" } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local step, sums = blocks.functions(built.image).step.blocks[1], {}
    for name in shell.listing(result.dir):gmatch "[^\n]+" do
      if not name:find "%.ctx$" then
        table.insert(sums, blocks.counts(result.dir .. "/" .. name)[step] or 0)
      end
    end
    table.sort(sums)
    assert.same({ 0, 0, 1, 2 }, sums)
  end)

  it("write the blocks of a program that is not compiled with -pg", function()
    local dir = shell.tmpdir "plain"
    shell.write(dir .. "/both.c", text)
    shell.check({ "gcc", "-g", "-O0", "-fsanitize-coverage=trace-pc", "-pthread", "-o", "program", "both.c", counter },
      { cwd = dir })
    local built = { image = dir .. "/program" }
    local result = recorder.run(built)
    assert.same({ "", 0 }, { result.stderr, result.status })
    local functions = blocks.functions(built.image)
    assert.equal(4001, blocks.counts(result.dir .. "/gmon.out")[functions.step.blocks[1]])
  end)
end)
