-- Reports on recorded programs show the functions of libraries, and can be restricted to threads. The true times are
-- known from the source.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gprof = require "gprof"
local pages = require "support.pages"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local fixtures <const> = program.root .. "/spec/fixtures/recorder/"
local dir <const> = shell.tmpdir "library"
local library <const> = dir .. "/libwork.so"

local function compile_library(optimization)
  shell.check { "gcc", "-g", optimization, "-fno-optimize-sibling-calls", "-fPIC", "-shared",
    "-Wl,--build-id", "-o", library, fixtures .. "library.c" }
end

compile_library "-O2"
local built <const> = recorder.compile("uses_library.c",
  { flags = { "-fno-optimize-sibling-calls" }, link = { "-L" .. dir, "-lwork", "-Wl,-rpath," .. dir } })
local image <const> = assert(gprof.image(built.image))

local function arc(profile, caller, callee)
  for found in profile:find(callee):callers() do
    if found.caller.name == caller then return found end
  end
end

local outside <const>, hidden <const> = "work_outside@libwork.so", "hidden_work@libwork.so"

-- A sample for each unit of work, of which there are 20 in each of 140 rounds.
local UNITS <const> = 140 * 20
local path <const> = recorder.known(built, { ["little/" .. outside] = 1, ["much/" .. outside] = 5,
  ["unseen/" .. hidden] = 4, ["called_back/inside"] = 2 })
local run <const> = path:match "^(.*)/"

-- Calls a function with each time, and with the units that it should have of 20.
local function each_time(profile, check)
  check(6, profile:find(outside).self, outside)
  check(1, (arc(profile, "little", outside) or { self = 0 }).self, "little")
  check(5, arc(profile, "much", outside).self, "much")
  check(12, profile:find(hidden).self, hidden)
  check(12, profile:find "unseen".children, "unseen")
  check(2, arc(profile, "call_back@libwork.so", "inside").self, "inside")
  check(2, profile:find "called_back".children, "called_back")
  for _, thread in ipairs(assert(profile:threads())) do
    check(thread.name == "helper" and 8 or 12, thread.time, thread.name)
  end
end

local function profile_of(options)
  local all = { libraries = true }
  for name, value in pairs(options or {}) do all[name] = value end
  return assert(gprof.profile(image, assert(gprof.data(image, path)), all))
end

-- Puts the library back in its place, and calls a function.
local original <const> = shell.read(library)
local function with_library(change, body)
  change()
  local done, message = pcall(body)
  shell.write(library, original)
  if not done then error(message, 0) end
end

-- The startup code of such a program calls the recorder before the C library is initialized.
it("a program with libraries is recorded with the options of the recorder", function()
  local result = recorder.run(built, {}, { env = { GPROF_RECORDER = "output=named,rate=50" } })
  assert.same({ false, 50 }, { shell.exists(result.dir .. "/gmon.out"),
    recorder.read(result.dir .. "/named.ctx").process.rate })
end)

-- The bounds are wide: the timer ticks while the kernel looks at it, and the program's rounds may be in step with that.
it("the samples of a program are in its libraries, for the callers and the threads that use them", function()
  sampled.decide(function()
    local data = assert(gprof.data(image, recorder.run(built).dir .. "/gmon.out"))
    local profile = assert(gprof.profile(image, data, { libraries = true }))
    local times = {}
    each_time(profile, function(units, time, what)
      assert.near(units / 20, time / profile.total, 0.25, what)
      times[what] = time
    end)
    assert.is_true(times.little < times.much and 0 < times.helper and times.helper < times.program)
  end)
end)

describe("functions of recorded libraries", function()
  local profile <const> = profile_of()

  it("have their time and their callers", function()
    assert.same({ true, true }, { profile.exact, profile.has_libraries })
    assert.same({}, profile:unusable_libraries())
    assert.near(UNITS / 1000, profile.total, 1e-9)
    each_time(profile, function(units, time, what) assert.near(units / 20 * profile.total, time, 1e-9, what) end)
    assert.equal("libwork.so", profile:find(outside).object)
    assert.is_nil(profile:find "little".object)
  end)

  it("are callers of the functions that they call", function()
    assert.equal(140, arc(profile, "call_back@libwork.so", "inside").count)
  end)

  it("do not change the functions of the program", function()
    local plain = profile_of { libraries = false }
    assert.is_false(plain.has_libraries)
    for f in plain:functions() do
      local same = assert(profile:find(f.name))
      assert.same({ f.name, f.ticks, f.calls, f.file, f.line },
        { same.name, same.ticks, same.calls, same.file, same.line })
    end
  end)

  it("share all time with the program: self times add up, and roots have all of it", function()
    local self, below = 0, 0
    for ticks in profile:functions(nil, "ticks") do self = self + ticks end
    for _, caller, id, ticks in profile:stacks() do below = below + (id and caller >= 0 and ticks or 0) end
    assert.near(profile.total_ticks, self, 1e-6)
    assert.near(profile.total_ticks, below, 1e-6)
  end)

  it("are left out where times are not measured", function()
    for _, options in ipairs { { line = true }, { gnu_compat = true }, { assume_proportional = true },
      { static_call_graph = true }, { bounds = true }, { include = { time = { "much" } } } } do
      assert.is_false(profile_of(options).has_libraries, next(options))
    end
  end)
end)

describe("a recorded library", function()
  -- Returns the times of the library's functions by name, and the problems of libraries.
  local function times()
    local profile, found, problems = profile_of(), {}, {}
    for f in profile:functions() do
      if f.object == "libwork.so" and f.self > 0.02 * profile.total then found[f.name] = f.self / profile.total end
    end
    for _, one in ipairs(profile:unusable_libraries()) do problems[#problems + 1] = one.problem end
    return found, problems
  end

  local function names(found)
    local list = {}
    for name in pairs(found) do list[#list + 1] = name end
    table.sort(list)
    return list
  end

  it("without local symbols has functions named by their addresses", function()
    local address = build.address(library, "hidden_work")
    with_library(function() shell.check { "strip", library } end, function()
      local found, problems = times()
      local name = ("<libwork.so+0x%x>"):format(address)
      assert.same({ {}, { name, outside } }, { problems, names(found) })
      assert.is_true(found[name] > found[outside])  -- 12 units and 6
      local data = pages.parts((pages.write(built.image, path))).data
      local shown = {}
      for _, code in ipairs(data.code) do shown[data.functions.name[code[1] + 1]] = tonumber(code[2], 16) end
      assert.equal(address, shown[name])
      assert.truthy(shown[outside])
    end)
  end)

  it("without local symbols and unwind tables has one function for code that is not exported", function()
    with_library(function()
      shell.check { "strip", "--remove-section=.eh_frame", "--remove-section=.eh_frame_hdr", library }
    end, function()
      local found, problems = times()
      assert.same({ {}, { "<libwork.so>", outside } }, { problems, names(found) })
      assert.is_true(found["<libwork.so>"] > found[outside])  -- 12 units and 6
    end)
  end)

  it("can be named instead of the program, for one profile, several and their sum", function()
    local function output(...)
      local result = program.run({ "-b", "-p", "-q", library, ... }, { cwd = run })
      assert.same({ 0, "" }, { result.status, result.stderr })
      return result.stdout
    end
    local own = output(path .. ".ctx")
    assert.truthy(own:find " work_outside\n")
    assert.equal(own, output(path))
    local twice = output(path .. ".ctx", path .. ".ctx")
    assert.equal(twice, output(path, path))
    assert.equal(0, program.run({ "-s", library, path, path }, { cwd = run }).status)
    assert.equal(twice, output "gmon.sum")
    local code <close> = assert(gprof.image(library))
    local profile <close> = assert(gprof.profile(code, assert(gprof.data(code, path))))
    assert.equal(UNITS * 18 // 20, profile:find("work_outside").ticks + profile:find("hidden_work").ticks)
  end)

  it("is not in the profile of another program, or in another build: a message names the program", function()
    local other = dir .. "/libother.so"
    for link, reason in pairs { ["-Wl,--build-id"] = "not with this build of " .. other,
      ["-Wl,--build-id=none"] = "and " .. other .. " has no build ID (-Wl,--build-id) to find its part by" } do
      shell.check { "gcc", "-g", "-O1", "-fPIC", "-shared", link, "-o", other, fixtures .. "library.c" }
      local message = program.run({ "-b", "-p", other, path }).stderr
      assert.truthy(message:find(("%s: was recorded with %s, %s: name %s\n"):format(path, built.image, reason,
        built.image), 1, true), message)
      assert.is_nil(program.run({ "-p", other, path }).stderr:find("name the program that wrote it", 1, true))
      assert.equal(link == "-Wl,--build-id", message:find("functions may be wrong; name the build that was recorded\n",
        1, true) ~= nil)
    end
  end)

  it("has no part in gmon.out, if only that is read: a message names its own profile", function()
    for _, option in ipairs { "--assume-proportional", "--file-format=magic" } do
      assert.truthy(program.run({ option, "-b", "-p", library, path }).stderr:find(
        ("%s: was recorded with %s, which used %s as a library: name %s.ctx to see its part\n"):format(path,
        built.image, library, path), 1, true))
    end
  end)

  it("without symbols can be named instead of the program: it has its exported functions", function()
    with_library(function() shell.check { "strip", library } end, function()
      local result = program.run { "-b", "-p", library, path .. ".ctx" }
      assert.truthy(result.stdout:find " work_outside\n")
      assert.truthy(result.stderr:find "samples are in code outside all functions")
      assert.equal(1, program.run({ "--gnu-compat", "-b", "-p", library, path .. ".ctx" }).status)
    end)
  end)

  it("has the symbols of its debugging file", function()
    with_library(function()
      shell.check { "objcopy", "--only-keep-debug", library, library .. ".debug" }
      shell.check { "objcopy", "--strip-all", "--add-gnu-debuglink=" .. library .. ".debug", library }
    end, function()
      assert.same({ hidden, outside }, names(times()))
      os.remove(library .. ".debug")
    end)
  end)

  it("is one function if its file is missing or from another build", function()
    for _, case in ipairs {
      { function() os.remove(library) end, "No such file or directory" },
      { function() compile_library "-O1" end, "is from another build" },
      { function() shell.write(library, "text") end, "file format not recognized" },
    } do
      with_library(case[1], function()
        local found, problems = times()
        assert.same({ { "<libwork.so>" }, 1 }, { names(found), #problems }, case[2])
        assert.truthy(problems[1]:lower():find(case[2]:lower(), 1, true), problems[1])
        assert.is_true(found["<libwork.so>"] > 0.5)  -- 18 of 20 units
      end)
    end
  end)
end)

describe("recorded threads", function()
  it("are listed with their time and calls", function()
    local threads, by_name = assert(profile_of():threads()), {}
    for _, thread in ipairs(threads) do by_name[thread.name] = thread end
    assert.equal(2, #threads)
    local helper, main = by_name.helper, by_name.program
    assert.same({ 1, 1, 281, 1 + 5 * 140 }, { helper.count, main.count, helper.calls, main.calls })
    assert.is_true(helper.number ~= main.number and helper.number > 0)
  end)

  it("are one if they make calls after their end", function()
    local leaving = recorder.compile "leaves.c"
    local result = recorder.run(leaving)
    local file = recorder.read(result.dir .. "/gmon.out.ctx")
    assert.equal(3, #file.threads)
    local of_program = assert(gprof.image(leaving.image))
    local profile = gprof.profile(of_program, gprof.data(of_program, result.dir .. "/gmon.out"))
    local calls = {}
    for _, thread in ipairs(profile:threads()) do calls[#calls + 1] = ("%s %d %d"):format(thread.name, thread.count,
      thread.calls) end
    table.sort(calls)
    assert.same({ "program 1 1", "program 1 4" }, calls)
  end)

  it("are unknown without call paths", function()
    local plain = assert(gprof.data.new { image = image })
    assert(plain:add_arc(1, 2, 3))
    local threads, message = assert(gprof.profile(image, plain)):threads()
    assert.is_nil(threads)
    assert.equal("the profile has no call paths: run the program with --record", message)
    threads, message = gprof.profile(image, plain, { threads = { "x" } })
    assert.is_nil(threads)
    assert.equal("threads are not known: the profile has no call paths: run the program with --record", message)
  end)

  it("can be selected by name, glob and number; all of them together are everything", function()
    local whole = profile_of()
    local number
    for _, thread in ipairs(whole:threads()) do number = thread.name == "helper" and thread.number or number end
    for _, word in ipairs { "helper", "h?lp*", tostring(number) } do
      for _, libraries in ipairs { true, false } do
        local profile = profile_of { threads = { word }, libraries = libraries }
        assert.same({ true, libraries, 280, 0 }, { profile.exact, profile.has_libraries, profile:find "unseen".calls,
          profile:find "little".calls }, word)
        for _, thread in ipairs(profile:threads()) do assert.equal(thread.name == "helper", thread.selected) end
      end
    end
    local both, parts = profile_of { threads = { "helper", "program" } }, {}
    for i, name in ipairs { "helper", "program" } do parts[i] = profile_of { threads = { name } } end
    assert.equal(whole.total_ticks, parts[1].total_ticks + parts[2].total_ticks)
    for f in whole:functions() do
      local same, ticks, calls = both:find(f.name), 0, 0
      for _, part in ipairs(parts) do
        local found = part:find(f.name)
        ticks, calls = ticks + (found and found.ticks or 0), calls + (found and found.calls or 0)
      end
      assert.same({ f.ticks, f.calls }, { ticks, calls }, f.name)
      assert.same({ f.ticks, f.children_ticks, f.calls }, { same.ticks, same.children_ticks, same.calls }, f.name)
    end
    for _, thread in ipairs(whole:threads()) do
      local one = profile_of { threads = { thread } }
      assert.same({ { tostring(thread.number) }, thread.ticks }, { one:selected_threads(), one.total_ticks })
    end
    assert.same({ nil, "no thread has the name or number '1 helper': see --threads" }, { gprof.profile(image,
      assert(gprof.data(image, path .. ".ctx")), { threads = { { name = "helper", number = 1 } } }) })
    assert.error_matches(function() profile_of { threads = { { name = "helper" } } } end,
      "option 'threads': thread 1: field 'number': integer expected, got nil")
    assert.same({ nil, "no thread has the name or number 'nobody': see --threads" },
      { gprof.profile(image, assert(gprof.data(image, path)), { threads = { "nobody" } }) })
  end)

  it("can be selected in the profile of a library", function()
    local code <close> = assert(gprof.image(library))
    local function outside_time(options)
      local profile <close> = assert(gprof.profile(code, assert(gprof.data(code, path .. ".ctx")), options))
      return profile:find("work_outside").ticks
    end
    local whole = outside_time {}
    assert.equal(whole, outside_time { libraries = true, threads = { "*" } })
    for _, name in ipairs { "helper", "program" } do
      assert.equal(outside_time { threads = { name } }, outside_time { libraries = true, threads = { name } })
    end
    assert.equal(0, outside_time { libraries = true, threads = { "helper" } })
  end)

  it("are those of all files, also of files that were read later", function()
    local data <close> = assert(gprof.data(image, path .. ".ctx"))
    local once = assert(gprof.profile(image, data, { libraries = true }))
    local ticks = once.total_ticks
    assert.equal(2, #once:threads())
    assert(data:read(path .. ".ctx"))
    local twice = assert(gprof.profile(image, data, { libraries = true }))
    assert.equal(2 * ticks, twice.total_ticks)
  end)

  it("have no numbers in sums, not even 0", function()
    local sum = run .. "/gmon.sum"
    assert(assert(gprof.data(image, path, { contexts = true })):write(sum))
    local profile, message = gprof.profile(image, assert(gprof.data(image, sum)), { threads = { "0" } })
    assert.same({ nil, "no thread has the name or number '0': see --threads" }, { profile, message })
  end)
end)

describe("the program", function()
  local function output(...)
    local result = program.run { "-b", ... }
    assert.same({ 0, "" }, { result.status, result.stderr })
    return result.stdout
  end

  it("shows libraries by default, in each report that can", function()
    local flat = output("-p", built.image, path)
    assert.truthy(flat:find(outside, 1, true))
    assert.is_nil(output("-p", "--no-libraries", built.image, path):find("@", 1, true))
    assert.is_nil(output("-p", "-C", built.image, path):find("@", 1, true))
    for _, export in ipairs { "json", "csv", "callgrind", "folded", "speedscope", "dot" } do
      assert.truthy(output("--export=" .. export, built.image, path):find(outside, 1, true), export)
    end
  end)

  it("reads libraries outside the system's directories only without --sandbox", function()
    local result = program.run { "--sandbox", "-b", "-p", built.image, path }
    assert.truthy(result.stdout:find("<libwork.so>", 1, true) or result.stdout:find(outside, 1, true))
  end)

  it("prints the time of each object, which adds up", function()
    local objects, sum = output("--objects", built.image, path), 0
    for percent in objects:gmatch "\n *([%d.]+) +[%d.]+ " do sum = sum + percent end
    assert.near(100, sum, 0.1)
    assert.truthy(objects:find "^Time by object:\n\n[^\n]+\n *[%d.]+ +[%d.]+ +libwork%.so\n")
    assert.truthy(objects:find "\n *[%d.]+ +[%d.]+ +982  program\n")
  end)

  it("explains the lists of objects and threads", function()
    for _, list in ipairs { "objects", "threads" } do
      local result = program.run { "--" .. list, built.image, path }
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.truthy(result.stdout:find "\nHow to read the [^\n]+\n")
    end
  end)

  it("prints 0/0 in the call graph where calls were not counted", function()
    local graph = output("-q", built.image, path)
    assert.truthy(graph:find("[%d.]+ +[%d.]+ +0/0 +[^%s@]+@[^%s]+ %[%d+%]\n"))
  end)

  it("cannot list threads without call paths", function()
    local plain = run .. "/plain.out"
    shell.write(plain, shell.read(path))
    local function check(reason, words, options)
      local result = program.run(words, options)
      assert.same({ 1, "gprof.lua: threads are not known: " .. reason .. "\n" }, { result.status, result.stderr })
    end
    check("the profile has no call paths: run the program with --record", { "--threads", built.image, plain })
    check(plain .. ": has no context profile", { "--threads", built.image, path, plain })
    check("standard input cannot be read again: name the file", { "--threads", built.image, "-" },
      { stdin = path .. ".ctx" })
  end)

  it("prints the same beside a sum of several profiles", function()
    local sum = "--sum-file=" .. shell.tmpdir() .. "/sum"
    for _, option in ipairs { "--threads", "--objects", "--lines", "--compare=" .. path } do
      assert.equal(output(option, built.image, path, path), output(option, sum, built.image, path, path))
    end
    for _, option in ipairs { "--objects", "--compare=" .. path, "--html=-", "-i" } do
      local part = shell.tmpdir() .. "/part"
      output("--sum-file=" .. part, built.image, path)
      local expected = output(option, built.image, part, path)
      assert.equal(expected, output(option, "--sum-file=" .. part, built.image, part, path))
    end
  end)

  it("lists threads also if times are not measured", function()
    local list = output("--threads", built.image, path)
    assert.equal(list, output("--threads", "--assume-proportional", built.image, path))
  end)

  it("prints threads, and restricts reports to them", function()
    assert.truthy(output("--threads", built.image, path):find("%d +281 +%d+  helper\n"))
    local graph = output("--thread=helper", "-q", built.image, path)
    assert.truthy(graph:find("help", 1, true))
    assert.is_nil(graph:find("little", 1, true))
    assert.is_nil(output("--thread=helper", "-l", "-p", built.image, path):find("little", 1, true))
    for _, options in ipairs { { "--gnu-compat", "--gnu-compat" }, { "-s", "-s (--sum)" } } do
      local result = program.run { "--thread=helper", options[1], built.image, path }
      assert.same({ 1, "gprof.lua: options --thread and " .. options[2] .. " are mutually exclusive\n" },
        { result.status, result.stderr })
    end
  end)

  it("says in each report which threads it shows", function()
    for _, words in ipairs { { "-p" }, { "-q" }, { "-p", "-T" }, { "-q", "-T" }, { "--tree" }, { "--objects" } } do
      table.move({ built.image, path }, 1, 2, #words + 1, words)
      local all = output(table.unpack(words))
      local report = output("--thread=helper", "--thread=h*", table.unpack(words))
      assert.truthy(report:find("\nthreads: helper, h*\n", 1, true), words[1])
      assert.is_nil(all:find("\nthreads:", 1, true))
    end
    local page = run .. "/page.html"
    output("--thread=helper", "--html=" .. page, built.image, path)
    assert.truthy(shell.read(page):find("<dt>Threads</dt><dd title=\"helper\">", 1, true))
  end)

  it("warns once about a library that it cannot read", function()
    with_library(function() os.remove(library) end, function()
      local result = program.run { "-b", "-p", built.image, path }
      assert.equal(("gprof.lua: warning: %s: No such file or directory: its functions are shown as one, " ..
        "<libwork.so>\n"):format(library), result.stderr)
    end)
  end)

  it("compares libraries, too", function()
    local json = run .. "/old.json"
    output("--export=json:" .. json, built.image, path)
    assert.truthy(output("--compare=" .. json, "-z", built.image, path):find(outside, 1, true))
    local result = program.run { "-b", "--compare=" .. json, "--no-libraries", built.image, path }
    assert.equal(("gprof.lua: warning: %s: only one side of the comparison has the time of libraries: use " ..
      "--no-libraries\n"):format(json), result.stderr)
  end)

  it("compares profiles in which no library has time", function()
    local other = recorder.compile("parents.c", { flags = { "-fno-optimize-sibling-calls" } })
    local recorded = recorder.run(other, { "s" }, { env = { GPROF_RECORDER = "rate=0" } }).dir
    local json = recorded .. "/old.json"
    output("--export=json:" .. json, other.image, recorded .. "/gmon.out")
    assert.is_nil(shell.read(json):find("@", 1, true))
    output("--compare=" .. json, other.image, recorded .. "/gmon.out")
  end)
end)
