-- The program as a whole: how it finds its files, and what it prints by default. A failure prints one line on standard
-- error and nothing on standard output; the status is 1.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = {
  functions = { "main", "work", "leaf" },
  ticks = { work = 30, leaf = 40 },
  calls = { { "main", "work", 2 }, { "work", "leaf", 6 } },
}
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

local function check_output(expected, result)
  assert.equal("", result.stderr)
  assert.equal(expected, result.stdout)
  assert.equal(0, result.status)
end

local function check_failure(message, result)
  assert.equal("gprof.lua: " .. message .. "\n", result.stderr)
  assert.equal("", result.stdout)
  assert.equal(1, result.status)
end

local function run(...)
  return program.run { ... }
end

local report <const> = run("-b", image, profile).stdout

describe("without options that select a report, the program", function()
  local flat, graph = run("-b", "-p", image, profile).stdout, run("-b", "-q", image, profile).stdout

  it("prints the flat profile, the call graph and its index, separated by form feeds", function()
    assert.equal(flat .. "\f\n" .. graph, report)
    assert.truthy(flat:find("^Flat profile:\n"))
    assert.truthy(graph:find("^\t\t\tCall graph\n.*\n\f\nIndex by function name\n\n[^\f]+\n$"))
  end)

  it("prints the flat profile or the call graph if the other one is excluded", function()
    check_output(graph, run("-b", "-P", image, profile))
    check_output(flat, run("-b", "-Q", image, profile))
  end)

  it("prints only reports for which there are records", function()
    local only_ticks = { functions = plan.functions, ticks = plan.ticks }
    local only_calls = { functions = plan.functions, calls = plan.calls }
    assert.is_nil(run("-b", image, crafted.gmon(only_ticks)).stdout:find("\f", 1, true))
    assert.truthy(run("-b", image, crafted.gmon(only_calls)).stdout:find("^\t\t\tCall graph\n"))
  end)

  it("explains the reports, except with -b", function()
    local long = run(image, profile)
    check_output(long.stdout, long)
    assert.truthy(#long.stdout > #report + 2000)
  end)
end)

describe("operands", function()
  it("are a.out and gmon.out by default", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.out", shell.read(image))
    check_failure("gmon.out: No such file or directory: a.out was not compiled with -pg, so it writes no profile",
      program.run({}, { cwd = dir }))
    shell.write(dir .. "/gmon.out", shell.read(profile))
    check_output(report, program.run({ "-b" }, { cwd = dir }))
    check_output(report, program.run({ "-b", image }, { cwd = dir }))
    os.remove(dir .. "/a.out")
    check_failure("a.out: No such file or directory (the default program, because none was named)",
      program.run({}, { cwd = dir }))
  end)

  it("may be any number of profiles, which are added up", function()
    local text = run("-b", "-p", image, profile, profile, profile).stdout
    assert.truthy(text:find(" 57.14      1.20     1.20       18    66.67    66.67  leaf\n", 1, true))
    assert.truthy(text:find(" 42.86      2.10     0.90        6   150.00   350.00  work\n", 1, true))
  end)

  it("may have any bytes in their names", function()
    local dir = shell.tmpdir()
    for _, name in ipairs { "two words", "it's", "a\nb", "$HOME `x` \\", "\xff\xfe", "caf\u{e9}" } do
      check_output(report, run("-b", image, shell.write(dir .. "/" .. name, shell.read(profile))))
    end
  end)
end)

describe("the program", function()
  it("can be run from anywhere by its path", function()
    check_output(report, program.run({ "-b", image, profile }, { cwd = shell.tmpdir() }))
    check_output(report, launch.copy("../gprof.lua", { "-b", image, profile }, { cwd = program.root .. "/spec" }))
    check_output(report, launch.copy("gprof.lua", { "-b", image, profile }, { cwd = program.root }))
  end)

  it("can be run by a link to it", function()
    local link = shell.tmpdir() .. "/gprof"
    shell.check { "ln", "-s", program.root .. "/gprof.lua", link }
    check_output(report, launch.copy(link, { "-b", image, profile }))
  end)

  it("needs no standard input", function()
    check_output(report, launch.line([["$@" <&-]], { "-b", image, profile }))
  end)

  it("can be required as the library from any directory", function()
    local result = launch.script([[print(require "gprof".image(arg[1]).path)]], { image }, { cwd = shell.tmpdir() })
    check_output(image .. "\n", result)
  end)
end)

describe("before it is built, the program", function()
  -- The copy has no core, and LUA_CPATH hides any other core.
  local dir = shell.tmpdir()
  shell.check { "cp", "-R", program.root .. "/gprof.lua", program.root .. "/lua",
    program.root .. "/Makefile", dir }
  local env = { LUA_CPATH = "/nowhere/?.so", LUA_CPATH_5_4 = false }

  it("says which command builds it", function()
    check_failure(("the core is not built yet: run 'make -C %s'"):format(dir),
      shell.run({ "lua5.4", dir .. "/gprof.lua", "-b", image }, { env = env }))
    check_failure("the core is not built yet: run 'make -C .'",
      shell.run({ "lua5.4", "gprof.lua" }, { env = env, cwd = dir }))
  end)

  it("says so when required as a library, too", function()
    local result = shell.run({ "lua5.4", "-e", [[print(pcall(require, "gprof"))]] },
      { env = { LUA_CPATH = env.LUA_CPATH, LUA_PATH = dir .. "/?.lua" } })
    assert.truthy(result.stdout:find(("gprof's core is not built yet: run 'make -C %s'"):format(dir), 1, true))
  end)
end)

describe("under Lua 5.1, the program", function()
  local function which(name)
    return shell.run({ "sh", "-c", 'command -v "$0"', name }).stdout:match("[^\n]+")
  end
  local lua = which "lua5.1"
  if not lua then
    pending "needs lua5.1"
    return
  end

  -- Writes a shell script as the command lua5.4. Returns a PATH that finds it first.
  local function path_with(script)
    local dir = shell.tmpdir()
    shell.write(dir .. "/lua5.4", "#!/bin/sh\n" .. script .. "\n")
    shell.check { "chmod", "+x", dir .. "/lua5.4" }
    return dir .. ":/usr/bin:/bin"
  end

  local function run_old(path, ...)
    return shell.run({ lua, program.root .. "/gprof.lua", ... }, { env = { PATH = path } })
  end

  local interpreter = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  interpreter[1] = which(interpreter[1])
  local path = path_with("exec " .. shell.join(interpreter) .. [[ "$@"]])

  it("prints the same", function()
    check_output(report, run_old(path, "-b", image, profile))
    check_failure("/none: No such file or directory", run_old(path, "/none"))
  end)

  it("passes all arguments on", function()
    local arguments = { "two words", "it's \"quoted\"", "", "a\nb\n", "$HOME `x` \\", "*", "-b", "\xff", "" }
    local result = run_old(path_with [[printf '<%s>' "$@"]], table.unpack(arguments))
    assert.equal(("<%s/gprof.lua><%s>"):format(program.root, table.concat(arguments, "><")), result.stdout)
  end)

  it("has the exit status of Lua 5.4", function()
    for _, status in ipairs { 0, 1, 7, 126, 255 } do
      assert.equal(status, run_old(path_with("exit " .. status)).status)
    end
    assert.equal(128 + 15, run_old(path_with("kill -TERM $$")).status)
  end)

  it("has it also where os.execute returns what it does since Lua 5.2", function()
    local statuses = { ['true, "exit", 0'] = 0, ['nil, "exit", 7'] = 7, ['nil, "signal", 15'] = 128 + 15 }
    for returned, status in pairs(statuses) do
      local result = shell.run({ lua, program.root .. "/gprof.lua" },
        { env = { LUA_INIT = ("os.execute = function() return %s end"):format(returned) } })
      assert.equal(status, result.status, returned)
    end
  end)

  it("reports that Lua 5.4 is not installed", function()
    check_failure("needs Lua 5.4: this is Lua 5.1, and lua5.4 is not installed", run_old("/nowhere", "-b", image))
  end)

  it("cannot be required as a library", function()
    for _, place in ipairs { "/?.lua", "/lua/?/init.lua" } do  -- as in a checkout; as installed
      local result = shell.run({ lua, "-e", [[print(pcall(require, "gprof"))]] },
        { env = { LUA_PATH = program.root .. place } })
      assert.equal("false\tgprof needs Lua 5.4, this is Lua 5.1\n", result.stdout)
    end
  end)
end)

describe("a failure is reported in one line:", function()
  local function save(bytes)
    return shell.write(shell.tmpdir() .. "/file", bytes)
  end

  -- Each case: the message, in which "$" stands for the path in question, and what replaces the default arguments.
  local cases = {
    ["no image"] = { "$: No such file or directory", image = "/no/image" },
    ["an image with an empty name"] = { "'': No such file or directory", image = "" },
    ["standard input for an image"] = { "standard input: the image must be a file: it is read at random offsets",
      image = "-" },
    ["a profile with an empty name"] = { "'': No such file or directory", profile = "" },
    ["a sum in a missing directory"] = { "/no/such/sum: its directory does not exist",
      option = "--sum-file=/no/such/sum" },
    ["a directory for an image"] = { "$: is a directory", image = shell.tmpdir() },
    ["a text for an image"] = { "$: is not an object file (file format not recognized)", image = save "text\n" },
    ["a stripped image"] = { "$: has no symbols: use the unstripped file, linked without -s",
      image = build.program("brief", "stripped").image },
    ["no profile"] = { "$: No such file or directory", profile = "/no/profile" },
    ["an empty profile"] = { "$: is empty", profile = save "" },
    ["a profile without records"] = { "$: has neither a histogram nor arcs",
      profile = save(gmon.magic { records = {} }) },
    ["annotated source of a profile without records"] = { "$: has neither a histogram nor arcs", option = "-A",
      profile = save(gmon.magic { records = {} }) },
    ["execution counts of a profile without records"] = { "$: has neither a histogram nor arcs", option = "-C",
      profile = save(gmon.magic { records = {} }) },
    ["a profile with only basic blocks"] = {
      "$: has only basic-block counts: print them with -l and -A or -C",
      profile = save(gmon.magic { records = { { kind = "blocks", { 0x1000, 1 } } } }) },
    ["a flat profile without a histogram"] = { "$: has no histogram, which a flat profile needs", option = "-p",
      profile = crafted.gmon { functions = plan.functions, calls = plan.calls } },
    ["a call graph without arcs"] = {
      "$: has no arcs, which a call graph needs (was the program compiled with -pg?)", option = "-q",
      profile = crafted.gmon { functions = plan.functions, ticks = plan.ticks } },
    ["an unknown option"] = { "unknown option '--speed' (-h lists all options)", option = "--speed" },
    ["an option with a typo"] = { "unknown option '--tpo=5': did you mean --top? (-h lists all options)",
      option = "--tpo=5" },
    ["an option with an extra letter"] = { "unknown option '--treee': did you mean --tree? (-h lists all options)",
      option = "--treee" },
    ["an unknown letter"] = { "unknown option '-Y' (-h lists all options)", option = "-Y" },
    ["an ambiguous option"] = { "option '--fi' is ambiguous: --file-info, --file-ordering, --file-format",
      option = "--fi" },
  }

  for name, case in pairs(cases) do
    it(name, function()
      local what = case.image or case.profile or ""
      check_failure((case[1]:gsub("%$", function() return what end)),
        run("-b", case.image or image, case.profile or profile, case.option))
    end)
  end

  it("a profile of another program, with both address ranges", function()
    local bytes = gmon.magic { records = {
      { kind = "histogram", low = 0x8000, high = 0x8040, bins = { 1, 2 } },
      { kind = "arc", from = 0x8004, self = 0x9000, count = 1 },
    } }
    local path = save(bytes)
    check_failure(("%s: does not belong to %s: the profile covers addresses 0x8000 to 0x8040, " ..
      "the code is at 0x1000 to 0x1060; if the program was loaded at another address, use --slide=auto")
      :format(path, image), run("-b", image, path))
  end)

  it("one of several profiles, by its name", function()
    local path = save "gmon"
    check_failure(path .. ": is too short to be a profile", run("-b", image, profile, path, profile))
    local calls = crafted.gmon { functions = plan.functions, calls = plan.calls }
    check_failure(("%s, %s: has no histogram, which a flat profile needs"):format(calls, calls),
      run("-p", image, calls, calls))
  end)

  it("never with a stack traceback", function()
    for _, words in ipairs { { "-w", "x" }, { "-O" }, { "--demangle=x" }, { "@" .. shell.tmpdir() }, { "" } } do
      local result = program.run(words)
      assert.truthy(result.stderr:find("^gprof%.lua: [^\n]+\n$"), result.stderr)
      assert.is_nil(result.stderr:find("traceback", 1, true))
      assert.same({ "", 1 }, { result.stdout, result.status })
    end
  end)
end)

describe("a run that prints no report", function()
  it("is warned about if options exclude all reports", function()
    for _, words in ipairs { { "-P", "-Q" }, { "-p", "-P", "-Q" }, { "-Q", "-P", "-Z", "-J" } } do
      local result = run(image, profile, table.unpack(words))
      assert.same({ "", "gprof.lua: warning: nothing to print: the options exclude every report\n", 0 },
        { result.stdout, result.stderr, result.status })
      table.insert(words, "--gnu-compat")
      assert.same({ "", "", 0 }, (function(compatible)
        return { compatible.stdout, compatible.stderr, compatible.status }
      end)(run(image, profile, table.unpack(words))))
    end
  end)

  it("is not warned about if something is printed", function()
    for _, words in ipairs { { "-P" }, { "-Q" }, { "-P", "-Q", "-i" }, { "-P", "-Q", "-C" },
      { "-P", "-Q", "--sum-file=/dev/null" }, { "-P", "-Q", "--report=flat" }, { "-P", "-Q", "-h" } } do
      assert.equal("", run(image, profile, table.unpack(words)).stderr)
    end
  end)
end)

describe("output", function()
  -- A report that is larger than a buffer and a pipe together.
  local big = { functions = {}, ticks = {} }
  for i = 1, 4000 do
    big.functions[i] = ("a_function_with_a_name_of_some_length_%04d"):format(i)
  end
  local big_words <const> = { "-b", "-z", crafted.image(big), crafted.gmon(big) }

  it("that cannot be written is an error", function()
    if not shell.exists "/dev/full" then
      pending "needs /dev/full"
      return
    end
    for _, words in ipairs { { "-b", image, profile }, big_words, { "--help" }, { "--version" } } do
      check_failure("standard output: No space left on device", launch.line([["$@" >/dev/full]], words))
    end
  end)

  it("to a closed descriptor is an error", function()
    check_failure("standard output: Bad file descriptor", launch.line([["$@" >&-]], { "-b", image, profile }))
  end)

  it("to a closed pipe ends quietly", function()
    local result = launch.line([[{ "$@"; echo $? >&2; } | head -1]], big_words)
    assert.equal("Flat profile:\n", result.stdout)
    assert.truthy(result.stderr == "141\n" or result.stderr == "1\n", result.stderr) -- 141: SIGPIPE
  end)

  it("to a closed pipe ends quietly if SIGPIPE is ignored, too", function()
    local result = launch.line([[trap '' PIPE; { "$@"; echo $? >&2; } | head -1]], big_words)
    assert.same({ "Flat profile:\n", "1\n" }, { result.stdout, result.stderr })
  end)
end)

describe("a bug of the program", function()
  -- Runs the program, whose function `help.page` is replaced.
  local function fail(page, option)
    return launch.script(([[
      require "gprof"
      package.loaded["gprof.cli.options.help"] = { page = load(%q, "@/anywhere/gprof/cli/options/help.lua") }
      os.exit(require "gprof.cli.main".run { %q, "-h" })
    ]]):format(page, option or "-b"))
  end

  it("is reported in one line that names its place", function()
    local result = fail "local x = nil\nreturn x.y"
    assert.same({ 1, "" }, { result.status, result.stdout })
    assert.matches("^gprof.lua: internal error: gprof/cli/options/help.lua:2: attempt to index a nil value" ..
      "[^\n]*: please " ..
      "report it, with the command line\n$", result.stderr)
  end)

  it("has a place even if C called the function that failed", function()
    local result = fail "\n\nlocal text = ('a'):gsub('a', error)\nreturn text"
    assert.equal("gprof.lua: internal error: gprof/cli/options/help.lua:3: a: please report it, " ..
      "with the command line\n",
      result.stderr)
  end)

  it("is reported with the stack if debug output is requested", function()
    local result = fail("local x = nil\nreturn x.y", "-d")
    assert.matches("^gprof.lua: internal error: [^\n]*\nstack traceback:\n.*gprof/cli/main.lua:%d+: ", result.stderr)
  end)
end)
