-- Custom reports: --report, and profile:report with a path or a function. Their arguments, their
-- output, and their failures.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local plan <const> = crafted.example
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- Makes a directory with these files, given as a table from names to contents. Returns its path.
local function directory(files)
  local dir = shell.tmpdir "reports"
  for name, text in pairs(files) do
    local folder = name:match "^(.*)/"
    if folder then shell.check { "mkdir", "-p", dir .. "/" .. folder } end
    shell.write(dir .. "/" .. name, text)
  end
  return dir
end

local function report(body)
  return "return function(profile, options, write)\n" .. body .. "\nend\n"
end

local function run(files, ...)
  return program.run({ ... }, { cwd = directory(files) })
end

local function run_report(body, ...)
  return run({ ["my.lua"] = report(body) }, "-b", image, profile, "--report=my.lua", ...)
end

local function check_output(expected, result)
  assert.same({ expected, "", 0 }, { result.stdout, result.stderr, result.status })
end

local function check_failure(message, result, printed)
  assert.same({ printed or "", "gprof.lua: " .. message .. "\n", 1 },
    { result.stdout, result.stderr, result.status })
end

local flat <const> = program.run({ "-b", "-p", image, profile }).stdout
local graph <const> = program.run({ "-b", "-q", image, profile }).stdout

describe("--report", function()
  it("prints only the report of a file", function()
    check_output("main 0\nwork 9\nping 4\npong 4\nleaf 8\nidle 0\n", run_report [[
      for f in profile:functions("address") do
        write("%s %d\n", f.name, f.calls + f.self_calls)
      end
    ]])
  end)

  it("takes a name that ends in .lua or contains a slash as a file", function()
    local files = { ["a.lua"] = report 'write "a\\n"', ["b"] = report 'write "b\\n"', ["d/c"] = report 'write "c\\n"' }
    check_output("a\n\f\nb\n\f\nc\n", run(files, image, profile, "--report", "a.lua", "--report=./b", "--rep=d/c"))
  end)

  it("takes any other name as a module, in all of Lua's search paths", function()
    local dir = directory { ["gprof/report/tree.lua"] = report 'write "tree\\n"',
      ["gprof/report/tree/of/init.lua"] = report 'write "life\\n"' }
    check_output("tree\n\f\nlife\n", program.run({ image, profile, "--report=tree", "--report=tree.of" },
      { env = { LUA_PATH = dir .. "/?.lua;" .. dir .. "/?/init.lua;;", LUA_PATH_5_4 = false } }))
  end)

  it("knows our own reports by their names", function()
    local index = graph:match("\f\n(.*)$")
    check_output(flat, program.run { "-b", "--report=flat", image, profile })
    check_output(index, program.run { "-b", "--report=index", image, profile })
    check_output(index .. "\f\n" .. flat, program.run { "-b", "--report=index", "--report=flat", image, profile })
    for style, name in pairs { ["-C"] = "executions", ["-i"] = "info", ["-r"] = "function_order" } do
      check_output(program.run({ style, image, profile }).stdout, program.run { "--report", name, image, profile })
    end
    check_output(program.run({ "-bTp", image, profile }).stdout,
      program.run { "-b", "--report=bsd.flat", image, profile })
  end)

  it("lists all modules of our own reports", function()
    local names, modules = {}, program.root .. "/lua/gprof/report/"
    for path in shell.check({ "find", modules, "-name", "*.lua" }).stdout:gmatch "[^\n]+" do
      names[#names + 1] = path:sub(#modules + 1, -5):gsub("/", ".")
    end
    table.sort(names)
    assert.same(names, require "gprof.reports".own)
  end)

  it("prints after the requested styles, in the order given", function()
    local files = { ["a.lua"] = report 'write "a\\n"', ["b.lua"] = report 'write "b\\n"' }
    check_output(flat .. "\f\n" .. graph .. "\f\nb\n\f\na\n\f\nb\n",
      run(files, "-b", "--report=b.lua", "-q", "--report=a.lua", "-p", image, profile, "--report=b.lua"))
    check_output("a\n", run(files, "-b", "-P", "--report=a.lua", image, profile))
  end)

  it("can be combined with -s", function()
    local dir = directory { ["a.lua"] = report 'write("%d\\n", profile.total_ticks)' }
    check_output("190\n", program.run({ "-s", "--report=a.lua", image, profile, profile }, { cwd = dir }))
    assert.truthy(shell.exists(dir .. "/gmon.sum"))
  end)

  it("passes the options to the report", function()
    check_output("true 40 nil 3 true false\n", run_report([[
      write(("%s %s %s %s %s %s\n"):format(options.brief, options.width, options.no_static, options.min_count,
        options.display_unused_functions, options.continued))
    ]], "-w40", "-m", "3", "-z"))
  end)

  it("protects the options of later reports from changes", function()
    local files = { ["a.lua"] = report "options.brief, options.width = nil, 1",
      ["b.lua"] = report 'write(("%s %d\\n"):format(options.brief, options.width))' }
    check_output("\f\ntrue 80\n", run(files, "-b", image, profile, "--report=a.lua", "--report=b.lua"))
  end)

  it("accepts a profile without a histogram, without calls, or with neither", function()
    local text = report 'write("%s %d\\n", tostring(profile.rate), profile.arc_count)'
    local function of(given)
      return run({ ["my.lua"] = text }, image, crafted.gmon(given), "--report=my.lua")
    end
    check_output("nil 7\n", of { functions = plan.functions, calls = plan.calls })
    check_output("100.0 0\n", of { functions = plan.functions, ticks = plan.ticks })
    check_failure("my.lua:3: no time",
      run({ ["my.lua"] = report "\nerror 'no time'" }, image, profile, "--report=my.lua"))
  end)

  it("checks the needs of our own reports before it prints", function()
    local calls = crafted.gmon { functions = plan.functions, calls = plan.calls }
    check_failure(calls .. ": has no histogram, which a flat profile needs",
      program.run { "-q", "--report=flat", image, calls })
  end)

  it("works in a profile by line", function()
    local made = small.build()
    local gmon = small.run(made)
    local dir = directory { ["my.lua"] = report [[
      for f in profile:functions("address") do
        if f.self > 0 then write("%s:%d %.2f\n", f.file:match "[^/]*$", f.line, f.self) end
      end ]] }
    local result = program.run({ "-l", "--report=my.lua", made.image, gmon }, { cwd = dir })
    check_output("small.c:1 0.06\nsmall.c:4 0.01\nsmall.c:6 0.02\nsmall.c:4 0.01\n", result)
    check_output(program.run({ "-l", "-A", made.image, gmon }).stdout,
      program.run { "-l", "--report=annotation", made.image, gmon })
  end)

  it("may use the library, and any other module", function()
    check_output(flat .. "--\nprinted\n", run_report [[
      local gprof = require "gprof"
      assert(gprof.image(profile.image.path).text_low == profile.image.text_low)
      profile:report("flat", options, write)
      write "--\n"
      write:flush()
      print "printed"
    ]])
  end)

  it("prints after earlier output, even with Lua's print", function()
    local result = run({ ["my.lua"] = report 'print "printed"' }, "-b", "-p", image, profile, "--report=my.lua")
    check_output(flat .. "\f\nprinted\n", result)
  end)
end)

describe("The output of a report", function()
  it("comes in order, however much it is, and however it is written", function()
    local result = run_report [[
      for i = 1, 20000 do write("%d\n", i) end
      write(("x"):rep(100000) .. "\n")
      coroutine.wrap(function() write "from a coroutine\n" end)()
      write:flush()
      profile:report(function(_, _, inner) inner "inner\n" end, {}, write)
      write "end\n"
    ]]
    local numbers = {}
    for i = 1, 20000 do numbers[i] = i end
    check_output(table.concat(numbers, "\n") .. "\n" .. ("x"):rep(100000) .. "\nfrom a coroutine\ninner\nend\n", result)
  end)

  -- The first report stores its stream, and the second one writes to it.
  local function late(keep, write)
    return run({ ["a.lua"] = report(keep), ["b.lua"] = report(write) }, image, profile, "--report=a.lua",
      "--report=b.lua")
  end

  it("is refused after the report has returned", function()
    check_output("a\n\f\nfalse b.lua:2: the report has ended\n", late([[ kept = write; write "a\n" ]],
      [[ write(("%s %s\n"):format(pcall(function() kept "late" end))) ]]))
    check_output("\f\nfalse the report has ended\n", late([[ kept = write ]],
      [[ write(("%s %s\n"):format(pcall(kept, "late"))) ]]))
    check_failure("b.lua:2: the report has ended", late([[ kept = write; write "a\n" ]], [[ kept "late" ]]), "a\n\f\n")
  end)

  it("is refused after the report has returned, from a coroutine that continues", function()
    local result = late([[
      co = coroutine.create(function() write "a\n"; coroutine.yield(); write "late\n" end)
      coroutine.resume(co) ]], [[ write(("%s %s\n"):format(coroutine.resume(co))) ]])
    check_output("a\n\f\nfalse a.lua:2: the report has ended\n", result)
  end)

  it("is refused after the report has returned, from a finalizer", function()
    local result = late([[
      setmetatable({}, { __gc = function() said = table.pack(pcall(write, "late\n")) end })
      write "a\n" ]], [[ collectgarbage(); collectgarbage(); write(said[2] .. "\n") ]])
    check_output("a\n\f\nthe report has ended\n", result)
  end)

  it("may be written by a finalizer before the report has returned", function()
    check_output("a\ngone\n", run_report [[
      write "a\n"
      setmetatable({}, { __gc = function() write "gone\n" end })
      collectgarbage(); collectgarbage()
    ]])
  end)

  it("ends quietly at a closed pipe", function()
    local path = directory { ["my.lua"] = report 'for i = 1, 50000 do write("%d\\n", i) end' } .. "/my.lua"
    local result = launch.line([[trap '' PIPE; { "$@"; echo $? >&2; } | head -1]], { image, profile, "--report", path })
    assert.same({ "1\n", "1\n" }, { result.stdout, result.stderr })
  end)

  it("fails like other output", function()
    if not shell.exists "/dev/full" then
      pending "needs /dev/full"
      return
    end
    local path = directory { ["my.lua"] = report 'for i = 1, 50000 do write("%d\\n", i) end' } .. "/my.lua"
    check_failure("standard output: No space left on device",
      launch.line([["$@" >/dev/full]], { image, profile, "--report", path }))
  end)
end)

describe("A failure of a report is reported in one line:", function()
  local cases = {
    ["an error with a position"] = { "error 'what'", "my.lua:2: what" },
    ["an error without a position"] = { "error('what', 0)", "my.lua: what" },
    ["an error of several lines"] = { "error 'what\\n\\tand why'", "my.lua:2: what and why" },
    ["an empty error"] = { "error('', 0)", "my.lua: failed without a message" },
    ["a misuse"] = { "profile:functions(1)", "my.lua:2: bad argument #1 to 'functions' (.*)" },
    ["an unknown report"] = { "profile:report 'tree'",
      "my.lua:2: unknown report 'tree': module gprof.report.tree not found" },
    ["a table with a message"] = { "error { message = 'what' }", "what" },
    ["a table without a message"] = { "error {}", "my.lua: failed with a table value instead of a message" },
    ["a table with a message of another type"] = { "error { message = 7 }",
      "my.lua: failed with a table value instead of a message" },
    ["a table with __tostring"] = { "error(setmetatable({}, { __tostring = function() return 'shown' end }))",
      "my.lua: shown" },
    ["a table whose __tostring fails"] = { "error(setmetatable({}, { __tostring = function() error 'no' end }))",
      "my.lua: failed with a table value instead of a message" },
    ["a table with a protected metatable"] = { "error(setmetatable({}, { __metatable = 1, __index = error }))",
      "my.lua: failed with a table value instead of a message" },
    ["nil"] = { "error()", "my.lua: failed with a nil value instead of a message" },
    ["a boolean"] = { "error(false)", "my.lua: failed with a boolean value instead of a message" },
    ["a number"] = { "error(42)", "my.lua: 42" },
    ["an error from a coroutine"] = {
      "error(select(2, coroutine.resume(coroutine.create(function() error 'deep' end))), 0)",
      "my.lua:2: deep" },
    ["an error through a coroutine"] = { "coroutine.wrap(function() error({}, 0) end)()",
      "my.lua: failed with a table value instead of a message" },
    ["an error from a coroutine's iterator"] = {
      "write:each(nil, '%d', coroutine.wrap(function() coroutine.yield(1) error 'deep' end))", "my.lua:2: deep", "1" },
    ["a yield"] = { "coroutine.yield()", "my.lua: attempt to yield from outside a coroutine" },
    ["a missing module"] = { "require 'no.such.module'", "my.lua:2: module 'no.such.module' not found: .*" },
  }

  for name, case in pairs(cases) do
    it(name, function()
      local result = run_report("write 'text\\n' " .. case[1])
      local printed = "text\n" .. (case[3] or "")
      assert.same({ printed, 1 }, { result.stdout, result.status })
      local said = result.stderr:match "^gprof%.lua: ([^\n]*)\n$"
      assert.truthy(said, result.stderr)
      if case[2]:find(".*", 1, true) then
        local first, last = case[2]:match "^(.*)%.%*(.*)$"
        assert.equal(first .. last, said:sub(1, #first) .. said:sub(#said - #last + 1))
      else
        assert.equal(case[2], said)
      end
    end)
  end

  it("endless recursion", function()
    local result = run_report "local function f() return 1 + f() end f()"
    assert.truthy(result.stderr:find("^gprof%.lua: my%.lua:2: stack overflow[^\n]*\n$"), result.stderr)
  end)

  it("after all output that was printed before the failure", function()
    local files = { ["a.lua"] = report "write 'a\\n'", ["b.lua"] = report "write 'b\\n' error 'what'" }
    check_failure("b.lua:2: what", run(files, "-b", "-p", image, profile, "--report=a.lua", "--report=b.lua",
      "--report=a.lua"), flat .. "\f\na\n\f\nb\n")
  end)
end)

describe("An invalid report is reported in one line, before anything is read:", function()
  local function check_refused(message, files, name)
    check_failure(message, run(files, "-p", "/no/image", "--report=" .. name))
  end

  it("a file that is missing", function()
    check_refused("my.lua: No such file or directory", {}, "my.lua")
    check_refused("./my: No such file or directory", {}, "./my")
  end)

  it("a directory", function()
    check_refused("d.lua: is a directory", { ["d.lua/file"] = "" }, "d.lua")
    check_refused("./d: is a directory", { ["d/file"] = "" }, "./d")
  end)

  it("an unreadable file", function()
    local path = directory { ["my.lua"] = report "" } .. "/my.lua"
    shell.check { "chmod", "000", path }
    local result = launch.line(launch.permitted(), { image, profile, "--report", path })
    assert.truthy(result.stderr:find "^gprof%.lua: [^\n]*my%.lua[^\n]*Permission denied\n$", result.stderr)
  end)

  it("a syntax error", function()
    check_refused("my.lua:2: unexpected symbol near '<'", { ["my.lua"] = "--\nlocal x = <" }, "my.lua")
    check_refused("my.lua: attempt to load a binary chunk (mode is 't')", { ["my.lua"] = "\27Lua" }, "my.lua")
  end)

  it("a file that fails", function()
    check_refused("my.lua:1: what", { ["my.lua"] = "error 'what'" }, "my.lua")
    check_refused("my.lua: failed with a nil value instead of a message", { ["my.lua"] = "error()" }, "my.lua")
  end)

  it("a file that returns no function", function()
    for text, kind in pairs { [""] = "nil", ["return 7"] = "number", ["return {}"] = "table" } do
      check_refused(("my.lua: returns a %s value, not a function"):format(kind), { ["my.lua"] = text }, "my.lua")
    end
  end)

  it("a missing module", function()
    for _, name in ipairs { "tree", "flat.x", "-p", "a b", "%s", ".." } do
      check_refused(("unknown report '%s': module gprof.report.%s not found"):format(name, name), {}, name)
    end
    check_refused("option --report: the report name is empty", {}, "")
  end)

  it("a module that is not a report", function()
    local dir = directory { ["gprof/report/broken.lua"] = "x = <", ["gprof/report/empty.lua"] = "",
      ["gprof/report/failing.lua"] = "error 'what'", ["gprof/report/needy.lua"] = "require 'no.such.module'" }
    local function refused(name)
      local result = program.run({ "--report=" .. name, "/no/image" },
        { env = { LUA_PATH = dir .. "/?.lua", LUA_PATH_5_4 = false }, cwd = dir })
      assert.same({ "", 1 }, { result.stdout, result.status })
      return result.stderr
    end
    -- Lua shortens long paths to "...".
    assert.truthy(refused "broken":find
      "^gprof%.lua: report 'broken': [^\n]*/report/broken%.lua:1: unexpected symbol near '<'\n$")
    assert.equal("gprof.lua: report 'empty': returns a boolean value, not a function\n", refused "empty")
    assert.truthy(refused "failing":find "^gprof%.lua: [^\n]*/report/failing%.lua:1: what\n$")
    shell.write(dir .. "/y.lua", "return print")
    assert.equal("gprof.lua: unknown report 'x;y': module gprof.report.x;y not found\n", refused "x;y")
    assert.truthy(refused "needy":find "^gprof%.lua: [^\n]*module 'no%.such%.module' not found:[^\n]*\n$")
  end)

  it("except after -h", function()
    assert.equal(program.run({ "-h" }).stdout, program.run({ "--report=/no/such", "-h" }).stdout)
  end)
end)

describe("profile:report", function()
  local subject = crafted.profile(plan)

  it("takes a function", function()
    local given
    assert.equal("leaf\n", crafted.printed(function(...)
      given = table.pack(...)
      given[3](given[1]:functions("self")().name .. "\n")
    end, subject, { brief = true }))
    assert.equal(subject, given[1])
    assert.same({ brief = true }, given[2])
    assert.error_matches(function() given[3] "late" end, "the report has ended")
  end)

  it("takes a path", function()
    local dir = directory { ["my.lua"] = report 'write("%d\\n", profile.arc_count)', ["bad.lua"] = "error 'what'" }
    assert.equal("7\n", crafted.printed(dir .. "/my.lua", subject))
    assert.error_matches(function() subject:report(dir .. "/none.lua") end, "none%.lua: No such file or directory")
    assert.error_matches(function() subject:report(dir .. "/bad.lua") end, "bad%.lua:1: what")
  end)

  it("passes errors on unchanged, after the output", function()
    local problem, pieces = {}, {}
    local done, caught = pcall(subject.report, subject, function(_, _, write)
      write "text"
      error(problem)
    end, {}, function(text) pieces[#pieces + 1] = text end)
    assert.same({ false, { "text" } }, { done, pieces })
    assert.equal(problem, caught)
  end)

  it("may be suspended by the coroutine in which it runs", function()
    local pieces = {}
    local run_in_turns = coroutine.wrap(function()
      subject:report(function(_, _, write)
        write "a"
        coroutine.yield()
        write "b"
      end, {}, function(text) pieces[#pieces + 1] = text end)
    end)
    run_in_turns()
    run_in_turns()
    assert.equal("ab", table.concat(pieces))
  end)

  it("passes any options to a custom report", function()
    local given
    subject:report(function(_, options) given = options end, { breif = "yes", [1] = {} })
    assert.same({ breif = "yes", [1] = {} }, given)
  end)

  it("passes the program's options on to a report of ours", function()
    local made, dir = small.build(), shell.tmpdir()
    local text = report 'profile:report("annotation", options, write)'
    check_output("6\n\f\n", run({ ["my.lua"] = 'return function(_, o, write) write("%d\\n", o.width // 10) end',
      ["all.lua"] = text }, "-l", "-bzaDLTxyc", "-t3", "-m0", "-w60", "-d0", "-Oauto", "-pmain", "-kloop/leaf", "-Ia:b",
      "-qloop/leaf", "--color=never", "--annotate-time", "--demangle=auto", "--inline-file-names", "-nmain", "-s",
      "--report=my.lua", "--report=all.lua", "--sum-file=" .. dir .. "/sum",
      "-P", "-Q", "-J", made.image, small.run(made)))
  end)

  it("passes only the options of reports, which all reports of ours accept", function()
    local made = small.build()
    local unknown = report [[
      for name in pairs(options) do
        if not require "gprof.library.options.arguments".known.report[name] then write("%s\n", name) end
      end
      profile:report("index", options, write)]]
    local text = run({ ["my.lua"] = unknown }, "-b", "--sandbox", "--jobs=1", "--no-progress", "--sum-file=x",
      "--report=my.lua", made.image, small.run(made)).stdout
    assert.matches("^Index by function name\n\n", text)
  end)

  it("writes into a file, or returns a message if that fails", function()
    local path = shell.tmpdir() .. "/text"
    local file <close> = assert(io.open(path, "w"))
    subject:report("flat", { brief = true }, file)
    file:write "behind\n"
    file:flush()
    assert.equal(flat .. "behind\n", shell.read(path))
    local unwritable <close> = assert(io.open(path))
    assert.error_matches(function() subject:report("flat", nil, unwritable) end, "Bad file descriptor")
    local full <close> = assert(io.open("/dev/full", "w"))
    assert.error_matches(function() subject:report("flat", nil, full) end, "No space left on device")
    assert.error_matches(function()
      subject:report(function(_, _, write) write "text" error "mine" end, nil, full)
    end, "mine")
  end)

  it("prints to standard output by default", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = gprof.image(arg[1])
      gprof.profile(image, gprof.data(image, arg[2])):report(function(_, _, write) write "text\n" end)
    ]], { image, profile })
    check_output("text\n", result)
  end)
end)

describe("The profile of every program", function()
  it("can be traversed by a report, with calls, cycles and lines", function()
    local built = build.program("cycles")
    local result = run({ ["my.lua"] = report [[
      for f in profile:functions("address") do
        for arc in f:callers() do write("%s %s %d\n", arc.caller.name, f.name, arc.count) end
      end ]] }, built.image, built.gmon, "--report=my.lua")
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find("^%S+ %S+ %d+\n"))
  end)
end)

describe("A copy of the flat profile", function()
  it("has one more column after the two changes that the manual shows", function()
    local text = shell.read(program.root .. "/lua/gprof/report/flat.lua")
    local diff = shell.read(program.root .. "/doc/manual.md"):match "\n```diff only%-shown\n(.-)```"
    local changes = 0
    for old, new in diff:gmatch "%-( [^\n]*)\n%+( [^\n]*)\n" do
      local first, last = text:find(old .. "\n", 1, true)
      assert(first, old)
      text, changes = text:sub(1, first - 1) .. new .. "\n" .. text:sub(last + 1), changes + 1
    end
    assert.equal(2, changes)
    local path = shell.write(shell.tmpdir "copies" .. "/flat.lua", text)
    local small_plan = { functions = { "main", "leaf" }, ticks = { main = 1, leaf = 3 },
      calls = { { "main", "leaf", 5 }, { "leaf", "leaf", 7 } } }
    local files = { crafted.image(small_plan), crafted.gmon(small_plan) }
    local ours = program.run { "-b", "-p", table.unpack(files) }.stdout
    local theirs = program.run { "-b", "--report=" .. path, table.unpack(files) }.stdout
    assert.truthy(theirs:find "\n time [^\n]*  recurs%.  name +\n")
    for name, count in pairs { main = 0, leaf = 7 } do
      local figures = assert(ours:match("\n([^\n]*)  " .. name .. "\n"))
      assert.truthy(theirs:find(("\n%s  %7d  %s\n"):format(figures, count, name), 1, true), theirs)
    end
  end)
end)
