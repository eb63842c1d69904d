-- What a profile lacks because of how it was collected: calls of threads, time in libraries and in forked processes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local dkjson = require "dkjson"
local gmon = require "support.gmon"
local gprof = require "gprof"
local known_samples = require "support.known_samples"
local program = require "support.program"
local shell = require "support.shell"

local dir <const> = shell.tmpdir "collection"

-- Compiles a program and runs it. Its profile has no samples, even if a tick has found the short run. Returns the paths
-- of the image and of the profile.
local function make(name, source, ...)
  shell.write(("%s/%s.c"):format(dir, name), source)
  shell.check({ "gcc", "-g", "-pg", "-o", name, name .. ".c", ... }, { cwd = dir })
  shell.check({ "sh", "-c", ("./%s && mv gmon.out %s.gmon"):format(name, name) }, { cwd = dir })
  known_samples(("%s/%s.gmon"):format(dir, name), dir .. "/" .. name, {}, dir)
  return name, name .. ".gmon"
end

local function run(...)
  return program.run({ ... }, { cwd = dir })
end

local THREADS <const> = [[
#include <pthread.h>
static void *work(void *x) { return x; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    return pthread_join(thread, 0) || work(0);
}
]]

describe("A program that can start threads", function()
  local hint <const> = "gprof.lua: hint: %s can start threads: the C library loses calls that threads make at the " ..
    "same time, so counts may be too low; times are right. Count calls in a run with one thread\n"

  it("causes a hint that calls may be lost, if calls are shown", function()
    for name, options in pairs { threads = {}, static = { "-static" } } do
      local image, profile = make(name, THREADS, table.unpack(options))
      assert.equal(hint:format(name), run("-q", image, profile).stderr)
      for _, words in ipairs { { "-b", "-q" }, { "-A" }, { "-i" }, { "-q", "--gnu-compat" }, { "--export=json" } } do
        assert.equal("", run(image, profile, table.unpack(words)).stderr)
      end
    end
  end)

  it("causes notes in the HTML page and in the JSON export", function()
    local image, profile = make("threads", THREADS)
    local notes = table.concat(dkjson.decode(run("--export=json", image, profile).stdout).notes, "\n")
    assert.matches("calls may be missing: the program can start threads", notes, 1, true)
    local page = run("--html=-", image, profile).stdout
    assert.matches("<b>Calls may be missing.</b> The program can start threads", page, 1, true)
    assert.is_nil(run("--html=-", "--gnu-compat", image, profile).stdout:find("Calls may be", 1, true))
  end)

  it("causes no hint if another collector recorded the profile", function()
    local path = dir .. "/" .. make("threads", THREADS)
    local image = assert(gprof.image(path))
    local main, work = image:find "main", image:find "work"
    local data = gprof.data.new { image = image }
    assert(data:add_histogram { low = image.text_low, high = image.text_high, bins = {}, bin_count = 64, rate = 100 })
    data:add_arc((main.address & ~15) + 7, work.address, 1)
    assert(data:write(dir .. "/exact.gmon"))
    assert.equal("", run("-q", path, "exact.gmon").stderr)
  end)
end)

describe("Without samples", function()
  local text <const> = "gprof.lua: hint: no samples: the program ran for less than 10 ms of CPU time, or ran code " ..
    "that is not profiled%s: use a longer run, or the sum of several (-s)%s\n"
  local ROOT <const> = "#include <math.h>\nint main(int n, char **v) { (void)v; return sqrt(n + 0.5) > 9; }\n"

  it("the hint names the libraries that the program needs", function()
    local image, profile = make("root", ROOT, "-Wl,--no-as-needed", "-lm")
    assert.equal(text:format(" (libm.so.6)", ""), run("-p", image, profile).stderr)
    assert.equal("", run("-b", "-p", image, profile).stderr)
  end)

  it("the hint names only the first libraries if a file names the same library many times", function()
    local image, profile = make("root", ROOT, "-lm")
    local size <const>, DT_NEEDED <const> = 16000, 1
    shell.write(dir .. "/names", ("a"):rep(size - 1) .. "\0")
    shell.write(dir .. "/entries", ("<I8I8"):pack(DT_NEEDED, 0):rep(1000))
    shell.check({ "objcopy", "--update-section=.dynamic=entries", "--update-section=.dynstr=names", image, "many" },
      { cwd = dir })
    local more = tonumber(run("-p", "many", profile).stderr:match "and (%d+) more%)")
    assert.equal((1 << 20) // size, more + 3)
  end)

  it("the hint mentions fork, if the program can fork", function()
    local image, profile = make("forks", "#include <unistd.h>\nint main(int n, char **v) " ..
      "{ (void)v; return n > 1 && fork(); }\n")
    assert.equal(text:format("", "; a forked child is not sampled until it calls moncontrol(1)"),
      run("-p", image, profile).stderr)
  end)

  it("the hint says that the time was probably spent in libraries if most calls lead there", function()
    local image, profile = make("root", ROOT, "-Wl,--no-as-needed", "-lm")
    local plan = gmon.parse(shell.read(dir .. "/" .. profile))
    local main = build.symbols(dir .. "/" .. image).by_name.main[1]
    table.insert(plan.records, { kind = "arc", from = main, self = main + 8, count = 1 })
    for i = 1, 3 do
      table.insert(plan.records, { kind = "arc", from = main, self = 0x7fff00000000 + 64 * i, count = 1 })
    end
    gmon.write(dir .. "/calls.gmon", gmon.magic { records = plan.records })
    assert.equal("gprof.lua: hint: no samples, and 3 of 4 arcs lead to shared libraries (libm.so.6): profile these " ..
      "with LD_PROFILE, and add them with --with\n",
      run("-p", image, "calls.gmon").stderr)
  end)

  it("the hint for a library says that the program may have been linked with -pg", function()
    local image = build.craft { text = 0x100, symbols = { { "open", 0 }, { "read", 0x40 } } }
    local path = gmon.write(dir .. "/lib.profile", gmon.shared {
      low = 0x1000, high = 0x1100, bins = { n = 64 }, arcs = { { 0, 0x40, 7 } } })
    assert.equal("gprof.lua: hint: no samples: the library ran for less than 10 ms of CPU time, or the program was " ..
      "linked with -pg: use a longer run of a program linked without -pg\n", run("-p", image, path).stderr)
  end)
end)
