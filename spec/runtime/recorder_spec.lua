-- The recorder: counts and call paths equal those that follow from the source, and the program behaves as without it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

-- Runs a program that must succeed silently. Returns the path of its profile, and the result.
local function record(built, arguments, options)
  local result = recorder.run(built, arguments, options)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.dir .. "/gmon.out", result
end

local function files(dir)
  return (shell.check({ "ls", "-A", dir }).stdout:gsub("\n$", ""):gsub("\n", " "))
end

local machine <const> = shell.check({ "gcc", "-dumpmachine" }).stdout:match "^[^-]+"
if machine ~= "x86_64" and machine ~= "aarch64" then
  pending("the recorder does not support " .. machine)
  return
end

local ARM <const> = "aarch64-linux-gnu"

-- The ways to compile a program and to run it under the recorder.
local ways <const> = {
  { name = "gcc" },
  { name = "gcc -no-pie", compile = { flags = { "-no-pie", "-fno-pie" } } },
  { name = "clang", compile = { compiler = "clang" } },
  { name = "gcc -mfentry", compile = { flags = { "-mfentry" } }, only = "x86_64" },
  { name = "gcc -static", compile = { flags = { "-static" }, link = { recorder.archive } }, run = { preload = false } },
  { name = "gcc, with the archive", compile = { link = { recorder.archive } }, run = { preload = false } },
}

local function each_way(run)
  for _, way in ipairs(ways) do
    local compiler = way.compile and way.compile.compiler or "gcc"
    if way.only and way.only ~= machine then
      pending(way.name .. ", which needs " .. way.only)
    elseif not shell.installed(compiler) then
      pending(way.name .. ", which is not installed")
    else
      run(way)
    end
  end
end

local function compile(source, way, flags)
  local options = {}
  for key, value in pairs(way.compile or {}) do options[key] = value end
  options.flags = table.move(flags or {}, 1, #(flags or {}), #(options.flags or {}) + 1,
    table.move(options.flags or {}, 1, #(options.flags or {}), 1, {}))
  return recorder.compile(source, options)
end

-- Threads --------------------------------------------------------------------------------

local FIB <const> = 21891

local function check_threads(built, threads, calls, concurrent, options)
  local path = record(built, { tostring(threads), tostring(calls), tostring(concurrent) }, options)
  local counts = recorder.arcs(built, path)
  assert.same({ leaf = 2 * threads * calls, mid = threads * calls, fib = FIB, work = threads, main = 1 },
    { leaf = counts.leaf, mid = counts.mid, fib = counts.fib, work = counts.work, main = counts.main })
  assert.same({ 2 * threads * calls, threads * calls, FIB - 1, 1 },
    { counts["mid leaf"], counts["work mid"], counts["fib fib"], counts["main fib"] })
  return path
end

describe("calls are counted exactly", function()
  each_way(function(way)
    it("in eight threads: " .. way.name, function()
      check_threads(compile("threads.c", way), 8, 20000, 8, way.run)
    end)
  end)

  local function in_threads(threads, calls, concurrent)
    it(("in %d threads, %d at a time"):format(threads, concurrent), function()
      check_threads(recorder.compile "threads.c", threads, calls, concurrent)
    end)
  end
  in_threads(1, 500000, 1)
  in_threads(2, 200000, 2)
  in_threads(64, 5000, 64)
  in_threads(2000, 20, 40)

  it("in threads that reuse the tables of ended threads because memory is limited", function()
    local built = recorder.compile "threads.c"
    local path = check_threads(built, 500, 20, 20, { env = { GPROF_RECORDER = "memory=1" } })
    local used, tables = 0, recorder.read(path .. ".ctx").threads
    for _, thread in ipairs(tables) do used = used + thread.threads end
    assert.same(501, used)
    assert.is_true(#tables < 100)
  end)

  -- The first call fails to get memory, and the thread does not try again in the next 4095 calls.
  it("except for lack of memory; a thread then tries again later, and the loss is reported at exit", function()
    local built = recorder.compile("poor.c", { flags = { "-fno-optimize-sibling-calls" } })
    -- With an empty argument, the program ends twice. It complains once.
    for calls, arguments in pairs { [10010] = {}, [10011] = { "" } } do
      local result = recorder.run(built, arguments)
      assert.same(0, result.status)
      assert.matches("^libgprof%-recorder: [^\n]*/gmon.out: some calls were not counted: [^\n]+\n$", result.stderr)
      assert.same(calls - 4096, recorder.arcs(built, result.dir .. "/gmon.out").leaf)
    end
    local own = shell.tmpdir "own" .. "/own"
    local result = recorder.run(built, { own })
    assert.same({ "", 0, "" }, { result.stderr, result.status, shell.read(own) })
  end)

  -- The second program has no startup code that makes a table before.
  it("except for lack of memory, which is also reported if nothing else was recorded since the last profile", function()
    for _, options in ipairs { { flags = { "-fno-optimize-sibling-calls" } },
      { plain = true, flags = { "-finstrument-functions" } } } do
      local result = recorder.run(recorder.compile("poor.c", options), { "-" })
      assert.same(0, result.status)
      assert.matches("^libgprof%-recorder: [^\n]*/gmon.out: some calls were not counted: [^\n]+\n$", result.stderr)
      assert.same(10, recorder.read(result.dir .. "/gmon.out.ctx").process.lost)
    end
  end)

  it("before the recorder starts, up to 256 calls from different places; a loss is reported", function()
    for places, lost in pairs { [250] = 0, [300] = 44 } do
      local result = recorder.run(recorder.compile("early.c", { flags = { "-fno-optimize-sibling-calls",
        ("-DPLACES=%d"):format(places) } }))
      assert.same(0, result.status)
      assert.matches(lost == 0 and "^$" or "^[^\n]*some calls were not counted: [^\n]+\n$", result.stderr)
      assert.same(lost, recorder.read(result.dir .. "/gmon.out.ctx").process.lost)
    end
  end)

  it("also as GNU gprof reads them", function()
    if not oracle.available() then pending "needs GNU gprof" return end
    local built = recorder.compile "threads.c"
    local path = check_threads(built, 8, 1000, 8)
    local flat = oracle.run({ "-b", "-p", built.image, path })
    assert.same({ "", 0 }, { flat.stderr, flat.status })
    local counted = {}
    for calls, name in flat.stdout:gmatch "(%d+) +[%d.]+ +[%d.]+ +(%l+)\n" do counted[name] = tonumber(calls) end
    assert.same({ 16000, 8000 }, { counted.leaf, counted.mid })
  end)
end)

-- Call paths -----------------------------------------------------------------------------

-- The calls that parents.c makes, keyed by its argument.
local expected <const> = {
  s = { stack_arguments = 1, ["stack_arguments/callee"] = 1, ["stack_arguments/seven"] = 1,
    ["stack_arguments/deep"] = 1, ["stack_arguments/deep/callee"] = 1 },
  a = { allocates = 1, ["allocates/callee"] = 1, ["allocates/deep"] = 1, ["allocates/deep/callee"] = 1,
    ["allocates/seven"] = 1 },
  o = { over_aligned = 1, ["over_aligned/callee"] = 1, ["over_aligned/deep"] = 1, ["over_aligned/deep/callee"] = 1 },
  q = { sorts = 1, ["sorts/callee"] = 1, ["sorts/comparison"] = 3, ["sorts/comparison/callee"] = 3, ["sorts/deep"] = 1,
    ["sorts/deep/callee"] = 1 },
  r = { even = 501, ["even/odd"] = 500, ["even/callee"] = 501 },
  j = { returns_twice = 1, ["returns_twice/jumps"] = 6, ["returns_twice/callee"] = 1, ["returns_twice/deep"] = 1,
    ["returns_twice/deep/callee"] = 1 },
  h = { handles = 1, ["handles/interrupted"] = 1, ["handles/interrupted/callee"] = 1,
    ["handles/interrupted/deep"] = 1, ["handles/interrupted/deep/callee"] = 1, ["handles/deep"] = 1,
    ["handles/deep/callee"] = 1, ["/handler"] = 1, ["/handler/deep"] = 1, ["/handler/deep/callee"] = 1 },
  i = { interrupted_twice = 1, ["interrupted_twice/callee"] = 1, ["/brief"] = 2, ["/writes"] = 1,
    ["/writes/callee"] = 1 },
  c = { switches = 1, ["switches/callee"] = 2, ["switches/deep"] = 1, ["switches/deep/callee"] = 1,
    ["/coroutine"] = 1, ["/coroutine/callee"] = 1, ["/coroutine/deep"] = 1, ["/coroutine/deep/callee"] = 1 },
  f = { forks = 1, ["forks/callee"] = 2 },
}
expected.H = expected.h
expected.x = expected.f

local function check_paths(built, word, options)
  local paths = { main = 1, ["main/callee"] = 1 }
  for path, calls in pairs(expected[word]) do
    paths[path:find "^/" and path:sub(2) or "main/" .. path] = calls
  end
  local result = recorder.run(built, { word }, options)
  assert.same(0, result.status)
  assert.same(paths, (recorder.paths(built, result.dir .. "/gmon.out.ctx")), word)
  return result
end

-- The program prints the number of calls by path.
local function check_walk(built, threads, calls, options, seed, remark)
  local result = recorder.run(built, { tostring(threads), tostring(calls), tostring(seed) }, options)
  assert.same({ "", 0 }, { result.stderr, result.status })
  local paths, different = {}, {}
  for path, count in result.stdout:gmatch "(%S+) (%d+)\n" do paths[path] = (paths[path] or 0) + tonumber(count) end
  for path, count in pairs((recorder.paths(built, result.dir .. "/gmon.out.ctx"))) do
    paths[path] = (paths[path] or 0) - count
  end
  for path, difference in pairs(paths) do
    if difference ~= 0 then different[path] = difference end
  end
  assert.same({}, different, remark)
end

local repeatedly <const> = chance.cases(1, 20)

local function check_walks(built, threads, calls, options)
  repeatedly(function(remark, seed)
    check_walk(built, threads, calls, options, seed, remark)
  end, 20)
end

-- Keeps the compiler from turning calls into jumps.
local WHOLE <const> = "-fno-optimize-sibling-calls"

describe("call paths are exact", function()
  each_way(function(way)
    it("in difficult functions, handlers and children: " .. way.name, function()
      local built = compile("parents.c", way, { WHOLE })
      for word in ("saoqrjhHif"):gmatch "." do check_paths(built, word, way.run) end
    end)
  end)

  each_way(function(way)
    it("in random calls of every kind, in threads: " .. way.name, function()
      check_walks(compile("walks.c", way), 3, 5000, way.run)
    end)
  end)

  it("in random calls of every kind, with exceptions", function()
    check_walks(recorder.compile("walks.c", { compiler = "g++" }), 3, 20000)
  end)

  it("on stacks of ucontext", function()
    check_paths(recorder.compile("parents.c", { flags = { WHOLE } }), "c")
  end)

  -- Runs a case of fibers.c; returns the call paths of the coroutines.
  local function fiber_paths(...)
    local built, found = recorder.compile "fibers.c", {}
    local contexts = record(built, { ... }) .. ".ctx"
    assert(gprof.data(assert(gprof.image(built.image)), contexts))
    for path, calls in pairs((recorder.paths(built, contexts))) do
      if not path:find "^main" then found[path] = calls end
    end
    return found
  end

  it("in coroutines whose outermost function has any word as its return address", function()
    for _, word in ipairs { "0", "1000", "deaddeaddeaddead" } do
      assert.same({ ["<unknown stack>/body"] = 1, ["<unknown stack>/body/leaf"] = 2 }, fiber_paths("enters", word))
    end
  end)

  it("in coroutines, also if the stack of another one, which was beside theirs, is unmapped", function()
    assert.same({ ["<unknown stack>/body"] = 2, ["<unknown stack>/body/leaf"] = 3, ["<unknown stack>/leaf"] = 2 },
      fiber_paths "frees")
    assert.same({ ["<unknown stack>/body"] = 2, ["<unknown stack>/body/leaf"] = 4 }, fiber_paths "forks")
  end)

  it("in coroutines whose stacks are near that of their thread, which is small", function()
    assert.same({ ["<unknown stack>/body"] = 1, ["<unknown stack>/body/leaf"] = 2, resumes = 1 }, fiber_paths "small")
    assert.same({ body = 1, ["body/leaf"] = 2, resumes = 1 }, fiber_paths "small-known")
  end)

  it("for tail calls, which count for the function above", function()
    local built = recorder.compile "parents.c"
    local path = record(built, { "l" })
    assert.same({ main = 1, ["main/last_call"] = 1, ["main/deep"] = 1, ["main/callee"] = 2 },
      (recorder.paths(built, path .. ".ctx")))
  end)

  it("in nested functions, where the compiler calls the hook differently", function()
    for _, flag in ipairs { "-pg", machine == "x86_64" and "-mfentry" or nil } do
      local built = recorder.compile("parents.c", { flags = { WHOLE, flag } })
      local path = record(built, { "n" })
      assert.same({ 2, 2 }, { recorder.paths(built, path .. ".ctx")["main/nested/inside"],
        recorder.arcs(built, path)["inside callee"] })
    end
  end)

  -- The calls of a program, keyed by "CALLER CALLEE", as its call graph shows them. A sample before a function has
  -- recorded its call may be on the path of an earlier call, on an arc without calls.
  local function graph(built, path)
    local arcs = {}
    local image = assert(gprof.image(built.image))
    local profile = assert(gprof.profile(image, (assert(gprof.data(image, path)))))
    for f in profile:functions() do
      for arc in f:callers() do
        if arc.count > 0 then arcs[arc.caller.name .. " " .. f.name] = arc.count end
      end
    end
    return arcs
  end

  -- The frames of a comparison that has returned stay in memory while qsort calls the next one from a deeper frame.
  for _, flag in ipairs { "-O0", "-O1", "-O2", "-O2 -mfentry" } do
    it("in functions that qsort calls at varying depth, also recursively: " .. flag, function()
      if flag:find "fentry" and machine ~= "x86_64" then pending "needs x86_64" return end
      local flags = { WHOLE }
      for word in flag:gmatch "%S+" do flags[#flags + 1] = word end
      local built = recorder.compile("callbacks.c", { flags = flags })
      local function check(word, expect)
        local path, result = record(built, { word })
        local outer, inner = result.stdout:match "^(%d+) (%d+)\n$"
        assert.same(expect(tonumber(outer), tonumber(inner)), graph(built, path), word)
      end
      check("c", function(n) return { ["main compare"] = n, ["compare first"] = n, ["first second"] = n } end)
      check("f", function(n) return { ["main compare"] = n, ["compare fact"] = n, ["fact fact"] = 4 * n } end)
      check("r", function(outer, inner)
        return { ["main compare"] = outer, ["compare again"] = outer, ["again compare"] = inner,
          ["again first"] = outer, ["compare first"] = inner, ["first second"] = outer + inner }
      end)
    end)
  end

  it("after signal handlers that leave the recorder at any instruction by siglongjmp", function()
    if machine ~= "x86_64" then
      pending "single-stepping is implemented for x86-64 only"
      return
    end
    for _, flags in ipairs { { "-O1" }, { "-O1", "-mfentry" } } do
      local built = recorder.compile("jumps.c", { flags = flags })
      local profile, result = record(built, {}, { env = { GPROF_RECORDER = "rate=0" } })
      local paths, steps = recorder.paths(built, profile .. ".ctx"), math.tointeger(result.stdout)
      assert.is_true(steps > 40)
      paths["main/leaf"] = nil -- left before or after it was counted
      assert.same({ main = 1, ["main/after"] = steps }, paths)
    end
  end)

  it("after exceptions", function()
    local built = recorder.compile("throws.cc", { compiler = "g++", flags = { WHOLE } })
    local paths = recorder.paths(built, record(built) .. ".ctx")
    local named = {}
    for path, calls in pairs(paths) do named[path:gsub("_Z%d+(%l+)%w", "%1")] = calls end
    assert.same({ main = 1, ["main/catcher"] = 100, ["main/plain"] = 100, ["main/catcher/thrower"] = 1100,
      ["main/catcher/plain"] = 100 }, named)
  end)

  for _, flag in ipairs { "-pg", "-pg -mfentry", "-finstrument-functions" } do
    it("for calls that do not return, which may end their function, in the line of the call: " .. flag, function()
      if flag:find "fentry" and machine ~= "x86_64" then pending "needs x86_64" return end
      local flags = { WHOLE, "-O1" }
      for word in flag:gmatch "%S+" do flags[#flags + 1] = word end
      local built = recorder.compile("noreturn.c", { plain = true, flags = flags })
      local path = record(built)
      assert.same({ ["main fails"] = 100, ["main next"] = 100, ["fails throws"] = 100 }, graph(built, path))
      local image, lines = assert(gprof.image(built.image)), {}
      for site, callee in assert(gprof.data(image, path)):arcs() do
        local _, line = image:line(site)
        lines[image:lookup(callee, "name")] = line
      end
      assert.same({ 17, 24, 25 }, { lines.throws, lines.fails, lines.next })
    end)
  end

  it("until memory is at its limit; further paths are joined, and counts remain exact", function()
    local built = recorder.compile("paths.c", { flags = { WHOLE } })
    local whole = record(built)
    local limited = record(built, {}, { env = { GPROF_RECORDER = "memory=1" } })
    assert.same(recorder.arcs(built, whole), recorder.arcs(built, limited))
    local paths, _, file = recorder.paths(built, whole .. ".ctx")
    assert.same({ 0, 100000 }, { file.process.joined, paths["main/first/second/third/fourth/fifth"] })
    paths, _, file = recorder.paths(built, limited .. ".ctx")
    assert.same({ 1, 1 << 20 }, { file.process.joined, file.process.limit })
    assert.same(100000, paths["main/first/second/third/fourth/fifth"] + paths["<joined>/fifth"])
    assert.is_true(#file.bytes < 1 << 20)
  end)

  it("until memory is at its limit; children made on paths that are joined count in the joined context", function()
    local built = recorder.compile("paths.c", { flags = { WHOLE } })
    local _, result = record(built, { "forks" }, { env = { GPROF_RECORDER = "memory=1" } })
    local child = files(result.dir):match "gmon%.out%.%d+%.ctx"
    local path = result.dir .. "/" .. child
    assert.same({ ["<joined>/fifth"] = 1 }, (recorder.paths(built, path)))
  end)

  it("until memory is at its limit, also that for stacks; some are forgotten, counts remain exact", function()
    local built = recorder.compile "fibers.c"
    local path, result = record(built, { "many", "2000" }, { env = { GPROF_RECORDER = "memory=1,rate=0" } })
    assert.is_true(tonumber(result.stdout) <= 1024, result.stdout)
    local arcs = recorder.arcs(built, path)
    assert.same({ 2000, 6000 }, { arcs.body, arcs.leaf })
  end)

  it("until their number explodes; deep paths are joined, and counts remain exact", function()
    local built = recorder.compile "explodes.c"
    for paths, joined in pairs { [2000] = 0, [100000] = 1 } do
      local path, result = record(built, { tostring(paths) }, { env = { GPROF_RECORDER = "memory=1024,rate=0" } })
      local calls = {}
      for arc, count in pairs(recorder.arcs(built, path)) do
        local name = arc:match " (f%d+)$" or ""
        calls[name] = (calls[name] or 0) + count
      end
      for name, count in result.stdout:gmatch "(f%d+) (%d+)" do assert.equal(tonumber(count), calls[name]) end
      local file = recorder.read(path .. ".ctx")
      assert.equal(joined, file.process.joined)
      assert.is_true(file.threads[1].rows < 300000, file.threads[1].rows)
    end
  end)

  it("but not in deep records once their number has exploded, which would make them slow", function()
    local built = recorder.compile "explodes.c"
    local function deep_calls(paths)
      local path = record(built, { tostring(paths) }, { env = { GPROF_RECORDER = "memory=1024,rate=0" } })
      local sum = 0
      for names, count in pairs((recorder.paths(built, path .. ".ctx"))) do
        local _, depth = names:gsub("/", "")
        if depth > 4 then sum = sum + count end
      end
      return sum
    end
    local calls = deep_calls(60000)
    assert.is_true(calls > 10000, calls)
    assert.equal(calls, deep_calls(70000))
  end)

  it("with no memory beyond the limit, although a profile is written while the program runs", function()
    local built = recorder.compile("paths.c", { flags = { WHOLE } })
    local _, result = record(built, { "dump" }, { env = { GPROF_RECORDER = "memory=1,rate=0,dump-signal=USR1" } })
    local calls, dump = result.stdout:match "^(%d+) (%d+)\n$"
    assert.equal("0", dump)
    assert.is_true(tonumber(calls) <= 1024 + 64, calls) -- joined paths may take one more block of 64 KB
  end)
end)

describe("libraries", function()
  it("that are compiled with -pg are counted, even after they are closed", function()
    local plugin = recorder.compile("plugin.c", { flags = { "-shared", "-fPIC" } }).image
    local other = shell.tmpdir "other" .. "/program"
    shell.check { "cp", plugin, other }
    local built = recorder.compile("loader.c", { flags = { "-pg" } })
    local _, result = record(built, { plugin, other, plugin })
    local calls, closed, names = {}, 0, {}
    local file = recorder.read(result.dir .. "/gmon.out.ctx")
    for _, module in ipairs(file.modules) do
      closed = closed + module.closed
      names[module.path] = true
    end
    assert.is_true(closed == 3 and names[plugin] and names[other])
    for i = 0, file.threads[1].rows - 1 do
      local row = file.threads[1][i]
      for _, module in ipairs(file.modules) do
        if row.self >= module.low and row.self < module.high and module.closed == 1 then
          table.insert(calls, row.count)
        end
      end
    end
    table.sort(calls)
    assert.same({ 1, 1, 1, 1000, 1000, 1000 }, calls)
  end)
end)

-- Samples --------------------------------------------------------------------------------

describe("samples", function()
  it("belong to the call path, also in libraries; those of the program are in gmon.out", function()
    local built = recorder.compile "times.c"
    local path = sampled.decide(function()
      local path = record(built, { "30" })
      local _, ticks = recorder.paths(built, path .. ".ctx")
      -- 300 ticks each, if the kernel accounts for all of them.
      assert.is_true(ticks["main/computes"] > 150 and ticks["main/copies"] > 150)
      return path
    end)
    local file = recorder.read(path .. ".ctx")
    local total, outside, main = 0, 0, file.modules[1]
    local thread = file.threads[1]
    for i = 0, thread.rows - 1 do
      local row = thread[i]
      if row.self == 0 and i > 2 then
        local inside = row.from >= main.low and row.from < main.high
        total, outside = total + row.count, outside + (inside and 0 or row.count)
      end
    end
    assert.is_true(outside > 150)
    assert.is_true(thread.signals > 0 and thread.signals <= total + thread.inside)
    local binned = 0
    for _, histogram in ipairs(gmon.select(gmon.parse(shell.read(path)), "histogram")) do
      assert.same(1000, histogram.rate)
      for _, bin in ipairs(histogram.bins) do binned = binned + bin end
    end
    assert.same(total - outside, binned)
  end)

  it("end when the program handles the signal itself; it then gets no signals from the recorder", function()
    record(recorder.compile "times.c", { "5", "handle" })
  end)

  it("can be switched off", function()
    local built = recorder.compile "times.c"
    local path = record(built, { "3" }, { env = { GPROF_RECORDER = "rate=0" } })
    assert.same({}, (select(2, recorder.paths(built, path .. ".ctx"))))
  end)
end)

-- Reading --------------------------------------------------------------------------------

-- Returns the records of a profile as they are written to a sum. The records determine all reports.
local function records(image, path)
  local sum = shell.tmpdir "sum" .. "/sum"
  assert(assert(gprof.data(image, path)):write(sum))
  return shell.read(sum)
end

describe("gprof reads", function()
  it("the same from gmon.out and from the context profile", function()
    local function check(source, arguments, options)
      local built = recorder.compile(source, { flags = { WHOLE } })
      local path, image = record(built, arguments, options), assert(gprof.image(built.image))
      assert.equal(records(image, path), records(image, path .. ".ctx"))
    end
    check("threads.c", { "4", "1000", "4" })
    check("times.c", { "5" })
    check("times.c", { "1" }, { env = { GPROF_RECORDER = "rate=0" } })
    check("parents.c", { "q" })
    check("paths.c", {}, { env = { GPROF_RECORDER = "memory=1" } })
  end)

  it("which context profile belongs to a gmon.out", function()
    local built = recorder.compile "threads.c"
    local path, other = record(built, { "1", "10", "1" }), record(built, { "1", "10", "1" })
    local function info()
      return program.run({ "-i", built.image, path }).stdout
    end
    assert.truthy(info():find(path .. ".ctx' (version 1) contains:\n\t2 threads\n", 1, true))
    shell.check { "cp", other .. ".ctx", path .. ".ctx" }
    assert.truthy(info():find("does not belong to " .. path, 1, true))
  end)

  it("the calls of a library, also if it was loaded and closed twice", function()
    local plugin = recorder.compile("plugin.c", { flags = { "-shared", "-fPIC" } }).image
    local built = recorder.compile("loader.c", { flags = { "-pg" } })
    local path = record(built, { plugin, plugin }, { env = { GPROF_RECORDER = "rate=0" } }) .. ".ctx"
    local image = assert(gprof.image(plugin))
    local calls = {}
    for f in assert(gprof.profile(image, (assert(gprof.data(image, path))))):functions() do calls[f.name] = f.calls end
    assert.same({ 2, 2000 }, { calls.plugin, calls.plugged })
    local graph = program.run { "-b", "-q", plugin, path }
    assert.same({ "", 0 }, { graph.stderr, graph.status })
    assert.truthy(graph.stdout:find "2000/2000 +plugin %[%d+%]\n")
  end)

  it("calls that come from a library, such as qsort's calls of the comparison function", function()
    local built = recorder.compile("parents.c", { flags = { WHOLE } })
    local flat = program.run { "-b", "-p", built.image, (record(built, { "q" })) }
    assert.same({ "", 0 }, { flat.stderr, flat.status })
    assert.truthy(flat.stdout:find "%s3%s+[%d.]+%s+[%d.]+%s+comparison\n")
    assert.truthy(flat.stdout:find "%s1%s+[%d.]+%s+[%d.]+%s+main\n")
  end)
end)

-- Ends -----------------------------------------------------------------------------------

describe("the profile", function()
  local built
  setup(function() built = recorder.compile("parents.c", { flags = { WHOLE } }) end)

  it("is written at _exit, quick_exit and abort, which end the program as before", function()
    for word, ending in pairs { e = { status = 3 }, Q = { status = 4 }, A = { signal = 6 } } do
      local alone = recorder.run(built, { word }, { preload = false })
      local result = recorder.run(built, { word })
      assert.same({ ending.status, ending.signal }, { result.status, result.signal })
      assert.same({ alone.stdout, alone.stderr, alone.status, alone.signal },
        { result.stdout, result.stderr, result.status, result.signal })
      assert.same({ main = 1, ["main/callee"] = 1 }, (recorder.paths(built, result.dir .. "/gmon.out.ctx")))
    end
  end)

  it("of a forked child has the child's number and its calls only", function()
    for _, word in ipairs { "f", "x" } do
      local result = check_paths(built, word)
      local number = files(result.dir):match "^gmon.out gmon.out.(%d+) gmon.out.%1.ctx gmon.out.ctx$"
      local path = result.dir .. "/gmon.out." .. number
      assert.same({ ["main/forks/deep"] = 1, ["main/forks/deep/callee"] = 1 },
        (recorder.paths(built, path .. ".ctx")))
      local process = recorder.read(path .. ".ctx").process
      assert.same(tonumber(number), process.id)
      assert.same(recorder.read(result.dir .. "/gmon.out.ctx").process.id, process.parent)
    end
  end)

  -- At this rate, samples are taken while the calls of a parent, or those made before the start, are being added.
  it("may be started while samples are taken, in children far down the stack and after early calls", function()
    local flags = { "-fno-optimize-sibling-calls", "-DPLACES=250" }
    for source, runs in pairs { ["forks.c"] = 1, ["early.c"] = 20 } do
      local started = recorder.compile(source, { flags = flags })
      for _ = 1, runs do
        assert.same(0, recorder.run(started, {}, { env = { GPROF_RECORDER = "rate=100000" } }).status)
      end
    end
  end)

  it("of a child that was forked while another thread closed a library is written at its exit", function()
    local forked = recorder.compile("copied_locks.c", { flags = { "-rdynamic" } })
    local _, result = record(forked, {}, { env = { GPROF_RECORDER = "rate=0" } })
    assert.matches("^gmon.out gmon.out.%d+ gmon.out.%d+.ctx gmon.out.ctx$", files(result.dir))
  end)

  it("of a child made by vfork is the parent's", function()
    local path, result = record(built, { "v" })
    assert.same("gmon.out gmon.out.ctx", files(result.dir))
    assert.same({ 2, 1 }, { recorder.arcs(built, path)["forks callee"], recorder.arcs(built, path)["forks deep"] })
  end)

  it("has the name that GMON_OUT_PREFIX asks for", function()
    local result = recorder.run(built, { "s" }, { env = { GMON_OUT_PREFIX = "run" } })
    local number = files(result.dir):match "^run.(%d+) run.%1.ctx$"
    assert.same(tonumber(number), recorder.read(result.dir .. "/run." .. number .. ".ctx").process.id)
  end)

  it("describes the process, and has a checksum", function()
    local result = recorder.run(built, { "s" })
    local path = result.dir .. "/gmon.out.ctx"
    local file = recorder.read(path)
    assert.same({ built.image .. "\0s\0", 1000, 64 << 20, 0, 0 },
      { file.process.command, file.process.rate, file.process.limit, file.process.lost, file.process.joined })
    assert.is_true(file.process.begin <= file.process.finish)
    local id = shell.check({ "readelf", "-n", built.image }).stdout:match "Build ID: (%x+)"
    assert.same({ built.image, id }, { file.modules[1].path,
      (file.modules[1].build_id:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)) })
    local thread = file.threads[1]
    assert.same({ "program", 1, 0 }, { thread.name, thread.threads, thread.handlers })
    local summed = shell.write(result.dir .. "/summed", file.bytes:sub(1, file.summed))
    local zipped = shell.check({ "gzip", "-c", summed }).stdout
    assert.same(file.sum, (("<I4"):unpack(zipped, #zipped - 7)))
  end)

  it("is not written where nothing was recorded", function()
    local result = recorder.run({ image = "/bin/true" })
    assert.same({ "", 0, "" }, { result.stderr, result.status, files(result.dir) })
  end)

  it("is not written in part if the disk is full or the directory is missing", function()
    -- No samples are taken: a sample after the attempt to write the profile would cause a second attempt.
    local unsampled = { GPROF_RECORDER = "rate=0" }
    local limited = '{ (ulimit -f 0; "$@"); echo $?; } 2>&1 | cat'
    local result = recorder.run(built, { "s" }, { env = unsampled, before = { "sh", "-c", limited, "sh" } })
    assert.same("", files(result.dir))
    assert.truthy(result.stdout:find "^libgprof%-recorder: [^\n]*/gmon.out: File too large\n[^\n]+ctx: [^\n]+\n0\n$")
    result = recorder.run(built, { "s" }, { env = { GMON_OUT_PREFIX = "/nonexistent/run" } })
    assert.same({ 0, "" }, { result.status, files(result.dir) })
    assert.truthy(result.stderr:find "^libgprof%-recorder: /nonexistent/run.%d+: No such file or directory\n")
  end)

  it("may fail without a reader of messages, and the program keeps its exit status", function()
    local line = 'mkfifo pipe; exec 3<>pipe 2>pipe 3<&-; LD_PRELOAD=$0 "$@"; echo $?'
    local result = recorder.run(built, { "s" }, { preload = false, env = { GMON_OUT_PREFIX = "/nonexistent/run" },
      before = { "sh", "-c", line, recorder.library } })
    assert.same("0\n", result.stdout)
  end)

  it("is not written by a program with another user's privileges", function()
    local lack = launch.lack_of_setuid()
    if lack then pending(lack) return end
    local whole = recorder.compile("parents.c", { flags = { "-static" }, link = { recorder.archive } })
    local dir = shell.tmpdir "setuid"
    shell.check { "cp", whole.image, dir .. "/program" }
    shell.check { "chmod", "4755", dir .. "/program" }
    shell.check { "chmod", "-R", "a+rX", dir }
    local result = recorder.run({ image = dir .. "/program" }, { "s" }, { preload = false,
      env = { GMON_OUT_PREFIX = dir .. "/run" }, before = { "setpriv", "--reuid", "65534", "--clear-groups" } })
    assert.same({ "", 0, "program", "" }, { result.stderr, result.status, files(dir), files(result.dir) })
  end)

  -- Many call paths take long to write.
  it("does not contain the time that it takes to write the profile, also in a static program", function()
    local whole = recorder.compile("explodes.c", { flags = { "-static" }, link = { recorder.archive } })
    local path = recorder.run(whole, { "20000" }, { preload = false }).dir .. "/gmon.out"
    local image = assert(gprof.image(whole.image))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, path))))
    for name, ticks in profile:functions(nil, "name", "ticks") do
      local writes = name:find "^rec_write" or name:find "^rec_put"
      assert.is_true(ticks == 0 or not writes, name)
    end
  end)

  -- The hooks, and what begins and ends a thread, are left out, also where they do not change a table.
  it("of a static program has no time of the recorder's own code", function()
    local whole = recorder.compile("threads.c", { flags = { "-static" }, link = { recorder.archive } })
    local low, high
    for _, symbol in ipairs(build.symbols(whole.image)) do
      if symbol.name == "__start_gprof_recorder" then low = symbol.address end
      if symbol.name == "__stop_gprof_recorder" then high = symbol.address end
    end
    local path = recorder.run(whole, { "1000", "200", "4" }, { preload = false }).dir .. "/gmon.out"
    local image = assert(gprof.image(whole.image))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, path))))
    assert.is_true(high - low > 20000)
    for name, address, ticks in profile:functions(nil, "name", "address", "ticks") do
      assert.is_true(ticks == 0 or address < low or address >= high, name)
    end
  end)

  it("reports invalid options, and goes on", function()
    local result = recorder.run(built, { "s" }, { env = { GPROF_RECORDER = "rate=x\n::error::,memory=2,speed=3" } })
    assert.same(table.concat { "libgprof-recorder: GPROF_RECORDER: invalid option 'rate=x?::error::'\n",
      "libgprof-recorder: GPROF_RECORDER: invalid option 'speed=3'\n" }, result.stderr)
    assert.same(2 << 20, recorder.read(result.dir .. "/gmon.out.ctx").process.limit)
  end)
end)

-- The code -------------------------------------------------------------------------------

-- Except one, which is called with all registers preserved.
it("the code that runs at calls uses no function of the C library", function()
  local own, used = {}, {}
  local objects = { "calls", "table", "stacks", "modules", "entry_x86_64", "entry_aarch64" }
  for _, name in ipairs(objects) do
    local symbols = shell.check({ "nm", program.root .. "/build/objects/runtime/" .. name .. ".o" }).stdout
    for letter, symbol in symbols:gmatch " (%u) ([^\n]+)" do
      (letter == "U" and used or own)[symbol] = true
    end
  end
  for symbol in pairs(used) do
    assert(own[symbol] or symbol:find "^rec_" or symbol == "_GLOBAL_OFFSET_TABLE_" or symbol == "__libc_stack_end" or
      symbol == "_dl_find_object", symbol)
  end
end)

-- gcc does not see the calls of mcount that it adds: with -fipa-ra, a caller keeps values in registers that its callee
-- does not use.
it("the hooks for x86-64 preserve all registers", function()
  if machine ~= "x86_64" then pending "needs x86_64" return end
  local built = recorder.compile "registers.c"
  for _, rate in ipairs { "rate=0", "rate=10000" } do
    local result = recorder.run(built, {}, { env = { GPROF_RECORDER = rate } })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local counted = recorder.arcs(built, result.dir .. "/gmon.out")
    assert.same({ 7000, 5000 }, { counted["by_mcount"], counted["by_fentry"] })
  end
end)

describe("the recorder for AArch64", function()
  if machine ~= "x86_64" or not shell.installed(ARM .. "-gcc") or not shell.installed "qemu-aarch64" then
    pending("under qemu-aarch64, which is not installed")
    return
  end

  local options
  setup(function()
    local library = ("build/%s/libgprof-recorder.so"):format(ARM)
    program.make(library)
    options = { preload = false, before = { "qemu-aarch64", "-L", "/usr/" .. ARM,
      "-E", ("LD_PRELOAD=%s/%s"):format(program.root, library), "-E", "GPROF_RECORDER=rate=0" } }
  end)

  it("counts calls in threads", function()
    check_threads(recorder.compile("threads.c", { compiler = ARM .. "-gcc" }), 4, 500, 2, options)
  end)

  it("records call paths", function()
    local built = recorder.compile("parents.c", { compiler = ARM .. "-gcc", flags = { WHOLE } })
    local words = {}
    for word in ("saoqrjhHicf"):gmatch "." do words[#words + 1] = word end
    for _, word in ipairs(chance.some(words, 3)) do check_paths(built, word, options) end
    check_walks(recorder.compile("walks.c", { compiler = ARM .. "-gcc" }), 2, 2000, options)
  end)
end)
