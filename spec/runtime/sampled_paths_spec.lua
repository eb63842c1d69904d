-- Call paths of samples in programs that were not compiled with -pg.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local dir <const> = shell.tmpdir "sampled_paths"

-- Every function takes UNIT seconds in `work`: by a call, in a thread, below qsort, in a signal handler on another
-- stack, and by a call that does not return.
local source <const> = shell.write(dir .. "/paths.c", [[
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
static volatile double sum;
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
#define OUT __attribute__((noinline, noclone))
OUT void work(double more) {
  double until = used() + more;
  while (used() < until) for (int i = 0; i < 100000; i++) sum += 1;
}
OUT void inner(void) { work(UNIT); sum += 1; }
OUT void outer(void) { inner(); sum += 1; }
OUT int compare(const void *a, const void *b) { work(UNIT); return *(const int *)a - *(const int *)b; }
OUT void recursive(int n) { if (n > 0) recursive(n - 1); else work(UNIT); sum += 1; }
OUT void *run(void *given) { work(UNIT); sum += 1; return given; }
OUT void handler(int number) { work(UNIT); sum += number; }
OUT _Noreturn void last(void) { work(UNIT); exit(0); }
int main(void) {
  pthread_t thread;
  int two[] = {2, 1};
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  outer();
  qsort(two, 2, sizeof *two, compare);
  recursive(20);
  stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  last(); /* returns to the code after main, if at all */
}
]])

local function compile_with(compiler, name, ...)
  local path = dir .. "/" .. name
  shell.check { compiler, "-o", path, source, "-pthread", ... }
  return path
end

local function compile(name, ...) return compile_with("gcc", name, "-DUNIT=0.05", ...) end

local function record(...)
  local result, where = recorder.record(...)
  assert.same({ 0, "gprof.lua: gmon.out was written" }, { result.status, result.stderr:match "^[^;]*" })
  return where
end

-- Returns the arcs between functions of the program, as a sorted list of "CALLER CALLEE". A sample may also be in the
-- compiler's code for start and end, such as __do_global_dtors_aux, and in code for calls of libraries (.plt), which
-- follows _init.
local function arcs_of(path, where)
  local image = assert(gprof.image(path))
  local profile = assert(gprof.profile(image, assert(gprof.data(image, where .. "/gmon.out"))))
  local found = {}
  for arc in profile:arcs() do
    local caller, callee = arc.caller.name, arc.callee.name
    if not (caller .. callee):find "used" and not (caller:find "^_" or callee:find "^_") then
      found[#found + 1] = caller .. " " .. callee
    end
  end
  table.sort(found)
  return found, profile
end

local EXPECTED <const> = { "compare work", "handler work", "inner work", "last work", "main compare", "main last",
  "main outer", "main recursive", "outer inner", "recursive work", "run work" }

-- Records a program in a new directory, until it is decided whether the arcs are right.
-- @treturn string the directory
local function record_exactly(path)
  return sampled.decide(function()
    local where = record(path)
    local arcs, profile = arcs_of(path, where)
    assert.same(EXPECTED, arcs)
    assert.is_true(profile.path_share > 0.9)
    return where
  end)
end

-- Returns the flat profile and the call tree.
local function print_report(path, where)
  local result = program.run({ "-b", "-p", "--tree", path, "gmon.out" }, { cwd = where })
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

describe("call paths of samples", function()
  for name, options in pairs { framed = { "-O1", "-fno-omit-frame-pointer" },
    frameless = { "-O2", "-fomit-frame-pointer" }, unoptimized = { "-O0" } } do
    it("have exactly the callers of a program: " .. name, function()
      local path = compile(name, "-fno-optimize-sibling-calls", table.unpack(options))
      local where = record_exactly(path)
      local text = print_report(path, where)
      assert.matches("\nCall paths are complete for %d+%% of the samples%.\nCalls were not counted: ", text)
      assert.matches(" main\n.*─ outer\n.* └─ inner\n.* └─ work\n", text)
      local graph = program.run({ "-b", path, "gmon.out" }, { cwd = where })
      assert.matches("\n +%S+ +%S+ +0/0 +inner %[%d+%]\n", graph.stdout)
    end)
  end

  it("are the same in a sum", function()
    local path = compile("summed", "-O1", "-fno-optimize-sibling-calls")
    local where = record_exactly(path)
    local result = program.run({ "-s", path, "gmon.out", "gmon.out" }, { cwd = where })
    assert.same({ "", 0 }, { result.stderr, result.status })
    shell.check { "mv", where .. "/gmon.sum", where .. "/gmon.out" }
    shell.check { "mv", where .. "/gmon.sum.ctx", where .. "/gmon.out.ctx" }
    assert.same(EXPECTED, (arcs_of(path, where)))
  end)

  it("have no callers if code has no unwind table", function()
    local path = compile("tableless", "-O1", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
    local where = record(path)
    local arcs, profile = arcs_of(path, where)
    assert.same({}, arcs)
    assert.is_true(profile.path_share < 0.1)
    assert.matches("\nCall paths are complete for %d%% of the samples%.\n", print_report(path, where))
  end)

  it("are not recorded with --no-paths", function()
    local path = compile("pathless", "-O1")
    local where = record("--no-paths", path)
    local arcs, profile = arcs_of(path, where)
    assert.same({}, arcs)
    assert.is_nil(profile.path_share)
    assert.is_nil(print_report(path, where):find("Call paths are", 1, true))
  end)
end)

describe("call paths of samples on AArch64", function()
  local arm <const> = "aarch64-linux-gnu"
  local installed = recorder.machine == "x86_64" and shell.installed(arm .. "-gcc") and shell.installed "qemu-aarch64"

  local function check(path, library)
    local where = shell.tmpdir "arm"
    -- qemu has no last real-time signals. With signal 64 ignored, they are, too, and the recorder uses another one.
    local result = shell.run({ "sh", "-c", [[trap "" 64; exec "$@"]], "sh", "qemu-aarch64", "-cpu", "max",
      "-L", "/usr/" .. arm, "-E", ("LD_PRELOAD=%s/%s"):format(program.root, library),
      "-E", "GPROF_RECORDER=samples", path },
      { cwd = where, env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false }, timeout = true })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local expected = table.move(EXPECTED, 1, #EXPECTED, 1, {})
    assert.equal("handler work", table.remove(expected, 2)) -- handlers return to code of qemu, without unwind table
    local arcs, profile = arcs_of(path, where)
    assert.same(expected, arcs)
    assert.is_true(profile.path_share > 0.5) -- others are in the handler, and in code for start and end
  end

  for name, options in pairs { frameless = { "-O2" }, signed = { "-O1", "-mbranch-protection=standard" } } do
    it("have exactly the callers of a program: " .. name, function()
      if not installed then return pending "needs aarch64-linux-gnu-gcc and qemu-aarch64" end
      local library = ("build/%s/libgprof-recorder.so"):format(arm)
      program.make(library)
      local path = compile_with(arm .. "-gcc", name .. "_arm", "-DUNIT=0.1", "-fno-optimize-sibling-calls",
        table.unpack(options))
      sampled.decide(function() check(path, library) end)
    end)
  end
end)

-- Exceptions; stacks of coroutines, which are unmapped; handlers on another stack; libraries that are closed; vfork;
-- many threads; callbacks of the C library. The argument is the time in seconds.
local stress <const> = shell.write(dir .. "/stress.cc", [[
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile double sum;
static double until;
static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
#define OUT __attribute__((noinline, noclone))
OUT static void work(int n) { for (int i = 0; i < n; i++) sum += i; }

OUT static int thrower(int n) { work(100); if (n == 0) throw std::runtime_error("x"); return thrower(n - 1) + 1; }
OUT static void *exceptions(void *) {
  while (now() < until) try { sum += thrower(30); } catch (const std::exception &e) { work(200); }
  return nullptr;
}

static ucontext_t home, other;
OUT static void coroutine() { for (;;) { work(3000); swapcontext(&other, &home); } }
OUT static void *contexts(void *) {
  while (now() < until) {
    void *stack = mmap(nullptr, 32768, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = 32768;
    makecontext(&other, coroutine, 0);
    for (int i = 0; i < 5; i++) { swapcontext(&home, &other); work(1000); }
    munmap(stack, 32768);
  }
  return nullptr;
}

OUT static void handler(int) { work(5000); }
OUT static void *signals(void *) {
  stack_t s = {};
  s.ss_size = 65536;
  s.ss_sp = malloc(s.ss_size);
  sigaltstack(&s, nullptr);
  while (now() < until) { raise(SIGUSR1); work(2000); }
  s.ss_flags = SS_DISABLE;
  sigaltstack(&s, nullptr);
  free(s.ss_sp);
  return nullptr;
}

OUT static void *libraries(void *library) {
  while (now() < until) {
    void *l = dlopen((const char *)library, RTLD_NOW);
    if (!l) { puts(dlerror()); exit(3); }
    auto run = (void (*)(int))dlsym(l, "run");
    for (int i = 0; i < 20; i++) run(2000);
    dlclose(l);
  }
  return nullptr;
}

OUT static void *children(void *) {
  while (now() < until) {
    pid_t child = vfork();
    if (child == 0) { work(1000); _exit(0); }
    if (child < 0) return nullptr;
    waitpid(child, nullptr, 0);
  }
  return nullptr;
}

OUT static void *idle(void *x) { work(20000); return x; }
OUT static void *threads(void *) {
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 65536);
  while (now() < until) { pthread_t t; if (!pthread_create(&t, &a, idle, 0)) pthread_join(t, 0); }
  return nullptr;
}
static int compare(const void *a, const void *b) { work(20); return *(const int *)a - *(const int *)b; }
OUT static void *sorting(void *) {
  int v[64];
  while (now() < until) {
    for (int i = 0; i < 64; i++) v[i] = rand() % 1000;
    qsort(v, 64, sizeof *v, compare);
    char *p = (char *)malloc(100000); memset(p, 1, 100000); free(p);
  }
  return nullptr;
}

int main(int, char **arguments) {
  until = now() + atof(arguments[1]);
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  void *(*const all[])(void *) = {exceptions, contexts, signals, libraries, children, threads, sorting};
  pthread_t t[7];
  for (int i = 0; i < 7; i++) pthread_create(&t[i], nullptr, all[i], arguments[2]);
  for (int i = 0; i < 7; i++) pthread_join(t[i], nullptr);
  return 0;
}
]])

local library <const> = shell.write(dir .. "/library.c",
  "static volatile double sum; void run(int n) { for (int i = 0; i < n; i++) sum += i; }\n")

-- The callers of each function; "main" calls none that takes time.
local RIGHT <const> = {}
for callee, callers in pairs { ["work(int)"] = "thrower exceptions contexts signals children idle compare handler " ..
    "coroutine", ["thrower(int)"] = "exceptions thrower",
  ["compare(void const*, void const*)"] = "sorting", ["now()"] = "exceptions contexts signals libraries children " ..
    "threads sorting main" } do
  for caller in callers:gmatch "%S+" do RIGHT[caller .. " " .. callee:match "^%w+"] = true end
end

describe("a program that is sampled 20,000 times a second", function()
  it("runs with exceptions, coroutines, handlers, libraries and children, and has no wrong callers", function()
    shell.check { "gcc", "-O2", "-shared", "-fPIC", "-o", dir .. "/library.so", library }
    shell.check { "g++", "-O2", "-fno-optimize-sibling-calls", "-o", dir .. "/stress", stress, "-pthread", "-ldl" }
    local where = record("--rate=20000", dir .. "/stress", chance.thorough and "60" or "1", dir .. "/library.so")
    for _, arc in ipairs((arcs_of(dir .. "/stress", where))) do
      assert.is_true(RIGHT[arc:gsub("%b()", "")], arc)
    end
  end)
end)

-- Code that runs where the kernel starts the program: nothing is on its stack yet.
local entry <const> = shell.write(dir .. "/entry.c", [[
__asm__(".globl entry\n.type entry, @function\nentry:\n.cfi_startproc\n.cfi_undefined rip\n"
        "mov $300000000, %ecx\n1: dec %ecx\njnz 1b\njmp _start\nentry_end:\n.cfi_endproc\n.size entry, . - entry\n");
int main(void) { return 0; }
]])

it("samples at the start of the main stack are on a known stack", function()
  if recorder.machine ~= "x86_64" then return pending "needs x86-64" end
  local path = dir .. "/entry"
  shell.check { "gcc", "-o", path, entry, "-Wl,-e,entry" }
  local file = recorder.read(record(path) .. "/gmon.out.ctx")
  local low, ticks = build.address(path, "entry") + file.modules[1].bias, { [0] = 0, 0 }
  local high = build.address(path, "entry_end") + file.modules[1].bias
  for _, row in ipairs(file.threads[1]) do
    if row.self == 0 and row.from >= low and row.from < high then
      ticks[row.context] = (ticks[row.context] or 0) + row.count
    end
  end
  assert.is_true(ticks[0] > 0)
  assert.equal(0, ticks[1])
end)

-- A thread sleeps for 0.3 seconds, and another one reads meanwhile.
local waiting <const> = shell.write(dir .. "/waiting.c", [[
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static volatile int done;
#define OUT __attribute__((noinline, noclone))
OUT void sleeps(void) { usleep(300000); done++; }
OUT void both(void) { sleeps(); done++; }
OUT void reads(void) { char byte; if (read(ends[0], &byte, 1) == 1) done++; }
OUT void *waits(void *unused) { reads(); done++; return unused; }
int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, NULL, waits, NULL);
  both();
  if (write(ends[1], "x", 1) != 1) return 1;
  pthread_join(thread, NULL);
  return 0;
}
]])

describe("call paths of threads that wait", function()
  local function record_waiting(name, ...)
    local path = dir .. "/" .. name
    shell.check { "gcc", "-o", path, waiting, "-pthread", ... }
    return arcs_of(path, record("--wall", path))
  end

  it("have exactly the callers of a program without frame pointers", function()
    sampled.decide(function()
      local arcs, profile = record_waiting("waits", "-O2", "-fomit-frame-pointer")
      assert.same({ "both sleeps", "main both", "waits reads" }, arcs)
      assert.is_true(profile.path_share > 0.9)
    end)
  end)

  it("have no wrong callers with frame pointers", function()
    local arcs = record_waiting("framed_waits", "-O1", "-fno-omit-frame-pointer")
    for _, arc in ipairs(arcs) do
      assert.is_true(({ ["both sleeps"] = true, ["main both"] = true, ["waits reads"] = true })[arc], arc)
    end
  end)
end)

-- Handlers on an alternate stack that has room for one signal. Prints what is wrong with what the program sees of it.
local small <const> = shell.write(dir .. "/small.c", [[
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static stack_t own, seen;
static volatile double sum;
static void handler(int number) {
  sigaltstack(NULL, &seen);
  for (int i = 0; i < 1000; i++) sum += i;
}
static void check(int flags, const char *what) {
  if (seen.ss_sp != own.ss_sp || seen.ss_size != own.ss_size || seen.ss_flags != flags) puts(what);
}
static void *run(void *unused) {
  own.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 512;
  own.ss_sp = malloc(own.ss_size);
  stack_t less = {.ss_sp = own.ss_sp, .ss_size = 1000}, none = {.ss_flags = SS_DISABLE};
  if (sigaltstack(&less, NULL) == 0 || errno != ENOMEM) puts("too small");
  sigaltstack(&own, &seen);
  if (!(seen.ss_flags & SS_DISABLE)) puts("before");
  for (int i = 0; i < 50000; i++) raise(SIGUSR1);
  check(SS_ONSTACK, "in the handler");
  sigaltstack(&none, &seen);
  check(0, "after");
  sigaltstack(NULL, &seen);
  if (!(seen.ss_flags & SS_DISABLE)) puts("disabled");
  return unused;
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return 0;
}
]])

it("an alternate stack with room for one signal is enough for a program that is sampled", function()
  shell.check { "gcc", "-O1", "-o", dir .. "/small", small, "-pthread" }
  local options = { cwd = shell.tmpdir "small", timeout = true, env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false } }
  for _, result in ipairs { shell.run({ dir .. "/small" }, options),
    program.run({ "--record", "--rate=20000", dir .. "/small" }, options) } do
    assert.same({ "", 0 }, { result.stdout, result.status }, result.stderr)
  end
end)
