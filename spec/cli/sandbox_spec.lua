-- --sandbox: a process that can only read prints the same reports. Its failures are reported in one line.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local crafted = require "support.crafted"
local launch = require "support.launch"
local options_table = require "gprof.cli.options.option_table"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"
local stacks = require "support.context_stacks"
local tar = require "support.tar"

local image <const>, profile <const> = crafted.image(crafted.example), crafted.gmon(crafted.example)

-- Sanitizers cannot work with a memory limit, and report crashes themselves.
local sanitized <const> = os.getenv "GPROF_LUA" ~= nil
local env <const> = { ASAN_OPTIONS = "handle_segv=0:handle_abort=0:handle_sigill=0" }

local missing <const> = program.run({ "--sandbox", "-b", image, profile }).stderr:match "cannot create the sandbox: .*"
if missing then return pending(missing) end

-- A Lua module whose functions make system calls and end the process in various ways.
local inside <const> = shell.tmpdir "inside" .. "/inside.so"
shell.check { "gcc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-I/usr/include/lua5.4", "-o", inside,
  program.root .. "/spec/fixtures/inside.c" }

-- Writes report.lua, a report with this body, into a new directory. In the body, `inside` is the module. Returns the
-- directory.
local function report(body)
  local dir = shell.tmpdir "report"
  shell.check { "cp", inside, dir }
  shell.write(dir .. "/report.lua", [[
    local directory = (...):match "^.*/"
    local inside = assert(package.loadlib(directory .. "inside.so", "luaopen_inside"))()
    return function(profile, options, write) ]] .. body .. " end\n")
  return dir
end

-- Runs a report with this body in the sandbox. Returns the result and the report's directory.
local function run(body, ...)
  local dir = report(body)
  return program.run({ "-b", image, profile, "--sandbox", "--report=" .. dir .. "/report.lua", ... },
    { cwd = dir, env = env, timeout = true }), dir
end

local function check_failure(message, result)
  assert.same({ "", "gprof.lua: " .. message .. "\n", 1 }, { result.stdout, result.stderr, result.status })
end

describe("--sandbox does not change a byte of", function()
  local made <const> = small.build()
  local profile_of_lines <const> = small.run(made)
  local more <const> = shell.tmpdir "profiles"
  shell.check { "cp", profile_of_lines, more .. "/one" }
  shell.check { "cp", profile_of_lines, more .. "/two" }
  local bad <const> = shell.write(shell.tmpdir() .. "/bad", "gmon\1\0\0\0" .. ("\0"):rep(12) .. "\9")
  local text <const> = shell.write(shell.tmpdir() .. "/text", "no program\n")
  local list <const> = shell.write(shell.tmpdir() .. "/list", more .. "/one\n" .. more .. "/two\n")
  local script <const> = shell.write(shell.tmpdir() .. "/my.lua", [[
    return function(profile, options, write)
      write("mine\n")
      io.write("printed\n")
      io.stderr:write("told\n")
      profile:report("flat", options, write)
      if options.width == 40 then error "on purpose" end
      if options.width == 41 then os.exit(3) end
    end
  ]])

  local function lasting(ticks)
    return small.profile(made, { ticks = { [made.rows["small.c"][2][1]] = ticks } })
  end
  local quick <const>, slow <const> = lasting(20), lasting(400)

  -- Runs the program in a new directory that contains small.c. Returns what it prints, its status, and the contents of
  -- all files in the directory.
  local function outcome(line, words, sandbox)
    local dir = shell.tmpdir "run"
    local arguments = table.move(words, 1, #words, #sandbox + 1, { table.unpack(sandbox) })
    local result = launch.line(("ln %s/small.c .; %s; status=$?; echo * >names; exit $status"):format(made.dir, line),
      arguments, { cwd = dir })
    local files = {}
    for name in shell.read(dir .. "/names"):gmatch "%S+" do
      files[#files + 1] = name .. "\n" .. shell.read(dir .. "/" .. name)
    end
    return { result.stdout, result.stderr, result.status, table.concat(files) }
  end

  local function check(words, line)
    line = line or [["$@"]]
    local plain = outcome(line, words, {})
    assert.same(plain, outcome(line, words, { "--sandbox" }))
    return plain
  end

  local source <const> = "-I" .. made.dir
  for name, options in pairs {
    ["the default report"] = {}, ["with explanations"] = { "--brief", "-l" }, ["source"] = { "-l", "-A", source },
    ["source with seconds"] = { "--annotate-time", "-x", source },
    ["source in files"] = { "-l", "-A", "-y", source },
    ["a report with --gnu-compat"] = { "--gnu-compat" },
    ["source like GNU gprof's"] = { "--gnu-compat", "-A", "-y", source },
    ["a sum"] = { "-s", more .. "/one" }, ["a sum elsewhere"] = { "--sum-file=it", "-p" },
    ["a sum of directories"] = { "-s", more }, ["a sum on standard output"] = { "--sum-file=-", "-p" },
    ["a sum of another format"] = { "-s", "-O", "4.4bsd" }, ["a sum that fails"] = { "--sum-file=no/where", "-p" },
    ["a sum by several processes"] = { "-s", "--jobs=3", more, more .. "/one" },
    ["a list of profiles"] = { "--profiles-from=" .. list }, ["traces"] = { "-d", "-c" },
    ["static calls"] = { "-c", "-z" }, ["the style of BSD"] = { "-T" }, ["an order"] = { "-r" },
    ["file information"] = { "-i" }, ["execution counts"] = { "-C", "-l" }, ["colours"] = { "--color" },
    ["a custom report"] = { "--report=" .. script }, ["a report that fails"] = { "--report=" .. script, "-w", "40" },
    ["a report that exits"] = { "--report=" .. script, "-w", "41" }, ["a report of ours"] = { "--report=flat" },
    ["a missing report"] = { "--report=nowhere.lua" }, ["a warning"] = { "-nnobody" },
    ["a bad profile"] = { bad }, ["a skipped profile"] = { "--keep-going", bad, more .. "/one" },
    ["no profile"] = { more .. "/three" }, ["source below the directory"] = { "-l", "-A", "-I.", source },
    ["symbols from a file"] = { "-S", text },
    ["exports"] = { "--export=json:it.json", "--export=callgrind:it", "--export=dot" },
    ["an export that fails"] = { "--export=csv:no/where" },
    ["an export through a link"] = { "--export=csv:/dev/stdout" },
    ["a page"] = { "--html=it.html", source },
    ["a page with some functions"] = { "--html=it.html", source, "-qloop" },
    ["a page that fails"] = { "--html=no/where" },
    ["a comparison"] = { "--compare=" .. more .. "/one," .. more .. "/two" },
    ["a comparison with another build"] = { "--compare=" .. made.image .. "," .. more .. "/one" },
    ["a failing comparison"] = { "--compare=" .. text },
  } do
    it(name, function()
      local words = { "-b", made.image, profile_of_lines, table.unpack(options) }
      assert.truthy(#table.concat(check(words), "", 1, 2) > 0 or shell.exists(words[3]))
    end)
  end

  -- Arguments of the options that need one. An option that a sandbox cannot have is refused.
  local names <const> = { "main", "work", "leaf" }
  local recorded <const> = shell.write(shell.tmpdir() .. "/run.ctx", stacks.pack(names,
    { { "main", "work", "leaf", ticks = 5 }, { "main", "@", ticks = 3 }, { "work", ticks = 2, thread = 2 } }))
  local packed <const> = shell.write(shell.tmpdir() .. "/tar", tar.archive { { "a", shell.read(profile_of_lines) } })
  local base <const> = shell.tmpdir() .. "/base"
  program.run { "--baseline=" .. base, "--update-baseline", made.image, profile_of_lines }
  local map <const> = shell.write(shell.tmpdir() .. "/map", "small.o: 0 T main\n")
  local arguments <const> = {
    ["directory-path"] = { made.dir }, ["file-ordering"] = { map }, ["table-length"] = { "3" }, width = { "30" },
    k = { "main/loop" }, ["min-count"] = { "2" }, time = { "loop" }, ["no-time"] = { "loop" },
    ["external-symbol-table"] = { text, map }, ["file-format"] = { "magic", "bsd", "prof" }, e = { "loop" },
    E = { "loop" }, f = { "loop" }, F = { "loop" }, ["order-format"] = { "gold" }, top = { "1" }, sort = { "calls" },
    ["tree-depth"] = { "1" }, ["tree-threshold"] = { "5" }, report = { "lines", "objects", script, "none" },
    export = options_table.values { long = "export" },
    ["node-threshold"] = { "1" }, ["edge-threshold"] = { "1" }, html = { "it.html" }, compare = { more .. "/one" },
    baseline = { base, "nowhere", text }, ["fail-on"] = { "5", "calls:0" }, thread = { "1", "t*" },
    ["debug-dir"] = { made.dir }, with = { made.image .. ":" .. profile_of_lines, text }, slide = { "0", "auto", "16" },
    ["sum-file"] = { "it", "-" }, ["profiles-from"] = { list, "tar:" .. packed, "tar:" .. text }, jobs = { "2" },
    checkpoint = { "it" }, ["checkpoint-every"] = { "1" }, ["sandbox-memory"] = { "1000" },
    ["sandbox-time"] = { "100" },
    rate = { "1" }, count = { "lines" }, memory = { "1" }, output = { "x" }, ["dump-signal"] = { "USR1" },
    ["dump-file"] = { "x" }, ["print-completion"] = { "zsh" },
  }
  local subjects <const> = { { made.image, profile_of_lines }, { crafted.image { functions = names }, recorded } }
  -- These options run programs, or reach out to processes.
  local others <const> = { record = true, dump = true, pause = true, resume = true }

  local function is_refused(said)
    return said[2]:find "mutually exclusive\n$" or said[2]:find "svg"
  end

  -- Each option is tried with one of the subjects; with GPROF_THOROUGH, with both.
  for number, option in ipairs(options_table.all) do
    local name = option.long or option.short
    if not others[name] then it("a report with the option " .. name, function()
      local choices = arguments[name] or option.argument ~= "required" and { false } or error("no argument: " .. name)
      for _, value in ipairs(choices) do
        local word = option.long and "--" .. name .. (value and "=" .. value or "") or "-" .. name .. (value or "")
        for _, files in ipairs(chance.thorough and subjects or { subjects[number % 2 + 1] }) do
          local words = { word, "-b", source, files[1], files[2] }
          local confined = outcome([["$@"]], words, { "--sandbox" })
          local plain = is_refused(confined) and confined or outcome([["$@"]], words, {})
          for i = 1, 4 do
            local said, expected = tostring(confined[i]), tostring(plain[i])
            assert.is_true(expected == said, table.concat({ word, i, expected:sub(1, 500), said:sub(1, 500) }, "\n"))
          end
        end
      end
    end) end
  end

  it("the report of regressions", function()
    local said = check { "-b", made.image, slow, "--compare=" .. quick, "--fail-on=5" }
    assert.equal(2, said[3])
    assert.truthy(said[2]:find "loop")
  end)

  it("the report of many regressions", function()
    local plan = { functions = { "main" }, ticks = {}, calls = {} }
    for i = 2, 600 do
      plan.functions[i] = "a_function_with_a_long_name_" .. i
      plan.calls[i - 1] = { "main", plan.functions[i], 1 }
    end
    local path, before = crafted.image(plan), crafted.gmon(plan)
    for _, call in ipairs(plan.calls) do call[3] = 2 end
    local said = check { "-b", path, crafted.gmon(plan), "--compare=" .. before, "--fail-on=calls:5" }
    assert.equal(2, said[3])
    assert.truthy(select(2, said[2]:gsub("\n", "")) >= 599)
  end)

  it("the error about a file that is not an image", function()
    assert.truthy(check({ text, profile_of_lines })[2]:find "is not an object file")
    assert.truthy(check({ "/no/image" })[2]:find "No such file or directory")
    assert.truthy(check({ made.dir })[2]:find "is a directory")
  end)

  it("the report on a profile from standard input", function()
    for _, name in ipairs { "-", "/dev/stdin" } do
      assert.equal(0, check({ "-b", made.image, name }, ('"$@" <%s'):format(profile_of_lines))[3])
      assert.equal(0, check({ "-b", made.image, name }, ('cat %s | "$@"'):format(profile_of_lines))[3])
    end
    assert.equal(0, check({ "-b", made.image, "--profiles-from=-" }, ('"$@" <%s'):format(list))[3])
  end)

  it("the report on a profile from another open pipe or file", function()
    local words = { "-b", made.image, "/dev/fd/7" }
    assert.equal(0, check(words, ('cat %s | { exec 7<&0; "$@" </dev/null; }'):format(profile_of_lines))[3])
    assert.equal(0, check(words, ('exec 7<%s; "$@"'):format(profile_of_lines))[3])
  end)

  it("the error if output is closed, or cannot be written", function()
    local large = shell.write(shell.tmpdir() .. "/large.lua", "return function(_, _, write) write(('x'):rep(1e6)) end")
    local words = { "-b", image, profile, "--report=" .. large }
    assert.equal("x", check(words, [[{ "$@"; echo $? >&2; } | head -c 1]])[1])
    assert.truthy(check({ "-b", image, profile }, [["$@" >/dev/full]])[2]:find "standard output: No space left")
    assert.truthy(check({ "--sum-file=/dev/full", image, profile })[2]:find "/dev/full: .*No space left")
  end)

  it("the output of --help and the like", function()
    assert.truthy(check({ "--help" })[1]:find "sandbox")
    check { "--print-completion=bash" }
  end)
end)

describe("the sandbox refuses", function()
  -- Runs a report that must print `expected`. Returns its directory.
  local function check(expected, body)
    local result, dir = run(body)
    assert.same({ expected, "", 0 }, { result.stdout, result.stderr, result.status })
    return dir
  end

  local NOT_PERMITTED <const> = "Operation not permitted"

  it("Lua's functions that write files or run programs", function()
    local dir = check(("nil %s\n"):format(NOT_PERMITTED):rep(4) .. "nil\nnil\n", [[
      local function try(done, message)
        write("%s %s\n", tostring(done), message:match "[^:]*$":match "%S.*")
      end
      try(io.open("new", "w"))
      try(io.open("report.lua", "a"))
      try(os.remove "report.lua")
      try(os.rename("report.lua", "moved"))
      write("%s\n", tostring(os.execute "touch touched"))
      local done, program = pcall(io.popen, "touch touched")
      write("%s\n", tostring(done and program))
    ]])
    assert.equal("inside.so\nreport.lua\n", shell.listing(dir))
  end)

  it("to read files that the command line does not name", function()
    local secret = shell.write(shell.tmpdir "secret" .. "/secret", "secret")
    check("Permission denied\n", ([[
      local path = %q
      write("%%s\n", select(2, io.open(path)):match ": (.*)")
    ]]):format(secret))
    check("Permission denied\n", [[
      write("%s\n", select(2, io.open "/proc/self/environ"):match ": (.*)")
    ]])
  end)

  it("to read any file as a source file", function()
    local made = small.build()
    local words = { "-b", "-l", "-A", "--sandbox", made.image, small.run(made) }
    local result = program.run(words, { cwd = shell.tmpdir "elsewhere" })
    assert.same({ "", 0 }, { result.stdout, result.status })
    assert.truthy(result.stderr:find "small.c: Permission denied %(%-%-sandbox permits only [^\n]*\n$")
    assert.truthy(program.run(words, { cwd = made.dir }).stdout:find("int twig(int x)", 1, true))
  end)

  -- System calls by name, with arguments; true stands for the address of a zeroed buffer.
  local calls <const> = {
    "'socket', 1, 1", "'socket', 2, 1", "'connect', 1, true, 16", "'execve', '/bin/true', true, true",
    "'execveat', -100, '/bin/true', true, true, 0", "'ptrace', 0, 0", "'ptrace', 16, pid", "'kill', parent, 0",
    "'kill', pid, 0", "'kill', -1, 0", "'tkill', parent, 0", "'tgkill', parent, parent, 0",
    "'rt_sigqueueinfo', parent, 15, true", "'io_uring_setup', 8, true", "'mount', '/', '/', 'none', 4096",
    "'bpf', 0, true, 64", "'userfaultfd', 1", "'keyctl', 0, 0", "'process_vm_readv', 1, true, 1, true, 1",
    "'process_vm_writev', 1, true, 1, true, 1", "'clone', 17", "'unshare', 131072", "'setns', 0, 0",
    "'openat', -100, 'new', 65", "'openat', -100, 'report.lua', 1", "'openat', -100, 'report.lua', 2",
    "'openat', -100, 'report.lua', 512", "'openat', -100, '/tmp', 0x410002, 384", "'openat2', -100, 'new', true, 24",
    "'unlinkat', -100, 'report.lua'", "'renameat2', -100, 'report.lua', -100, 'moved', 0",
    "'linkat', -100, 'report.lua', -100, 'other', 0", "'symlinkat', 'a', -100, 'b'", "'mkdirat', -100, 'd', 448",
    "'mknodat', -100, 'p', 4096, 0", "'truncate', 'report.lua', 0", "'ftruncate', 1, 0",
    "'fchmodat', -100, 'report.lua', 0", "'fchownat', -100, 'report.lua', 1, 1", "'utimensat', -100, 'report.lua', 0",
    "'setxattr', 'report.lua', 'user.a', 'b', 1", "'ioctl', 0, 0x5412, true", "'ioctl', 0, 0x5401, true",
    "'fcntl', 1, 8, parent", "'fcntl', 1, 4, 0x2000", "'prctl', 4, 1", "'seccomp', 0, 0", "'pidfd_open', parent, 0",
    "'perf_event_open', true, 0, -1, -1, 0", "'memfd_create', 'a', 0", "'setuid', 0", "'prlimit64', parent, 7, true",
    "'chdir', '/'", "'add_key', 'user', 'a', 'b', 1, -2", "'shmget', 0, 4096, 512", "'mq_open', '/a', 65, 384",
    "'write', 0, 'x', 1",
  }

  it("to write to its input, such as a terminal", function()
    local input = shell.write(shell.tmpdir() .. "/input", "other\n" .. shell.read(profile))
    local path = report [[write("%d %s\n", inside.call(inside.number.write, 0, "x", 1))]] .. "/report.lua"
    local result = launch.line(([[{ read -r line; "$@"; } 0<>%s]]):format(shell.quote(input)),
      { "-b", image, "-", "--sandbox", "--report=" .. path })
    assert.same({ "-1 Bad file descriptor\n", "", 0 }, { result.stdout, result.stderr, result.status })
    assert.equal("other\n" .. shell.read(profile), shell.read(input))
  end)

  it("every system call that reaches out of it", function()
    local body, expected = {}, {}
    for i, call in ipairs(calls) do
      body[i] = ("try(%s)\n"):format(call)
      local name, rest = call:match "^'(.-)', (.*)$"
      local message = name == "write" and "Bad file descriptor" or NOT_PERMITTED
      expected[i] = ("%s %s: -1 %s\n"):format(name, rest:gsub("'", ""):gsub(",.*", ""), message)
    end
    local dir = check(table.concat(expected), [[
      local pid, parent = inside.call(inside.number.getpid), 1
      local function try(name, first, ...)
        local shown = first == pid and "pid" or first
        local result, message = inside.call(inside.number[name], first, ...)
        if name == "kill" or name:find "^t" or name:find "pidfd" or name:find "prlimit" or name:find "rt_" then
          shown = first == parent and "parent" or shown
        end
        write("%s %s: %d %s\n", name, tostring(shown), result, message)
      end ]] .. table.concat(body))
    assert.equal("inside.so\nreport.lua\n", shell.listing(dir))
  end)

  if shell.check { "uname", "-m" }.stdout == "x86_64\n" then
    it("system calls of another architecture, which kill the process", function()
      local crashed = image .. ": the sandboxed process crashed (bad system call)"
      check_failure(crashed, (run "inside.call(0x40000000 + inside.number.getpid)"))
      -- a kernel without system calls for 32 bits kills the process itself
      local result = run "inside.call_of_i386()"
      result.stderr = result.stderr:gsub("segmentation fault", "bad system call")
      check_failure(crashed, result)
    end)
  end
end)

describe("the end of the sandboxed process is reported in one line:", function()
  it("a crash, without the report that was printed before", function()
    local printed = [[
      for _ = 1, 20 do write("half a report\n") end
      io.stdout:write("printed\n")
      io.stderr:write("told\n")
    ]]
    check_failure(image .. ": the sandboxed process crashed (segmentation fault)", (run(printed .. "inside.crash()")))
    check_failure(image .. ": the sandboxed process crashed (aborted)", (run(printed .. "inside.abort()")))
    check_failure(image .. ": the sandboxed process exited early (status 1)", (run(printed .. "inside.give_up()")))
  end)

  it("more messages than are accepted", function()
    local result = run [[
      local text = ("integer "):rep(100000)
      for file = 3, 20 do inside.call(inside.number.write, file, text, #text) end
    ]]
    check_failure(image .. ": the sandboxed process crashed (broken pipe)", result)
  end)

  it("time that runs out", function()
    check_failure(image .. ": took more than 1 second of CPU time", (run("while true do end", "--sandbox-time=1")))
  end)

  it("time that runs out, if the signal for that was ignored before", function()
    local script = shell.write(shell.tmpdir() .. "/endless.lua", "return function() while true do end end")
    local result = launch.line([[trap '' XCPU; exec "$@"]],
      { "--sandbox-time=1", "--report=" .. script, image, profile })
    check_failure(image .. ": took more than 1 second of CPU time", result)
  end)

  it("a file that grows without end", function()
    check_failure(image .. ": wrote more than 64 MB",
      (run("while true do write(('x'):rep(65536)) end", "--sandbox-memory=64")))
  end)

  if not sanitized then  -- sanitizers reserve more memory than any limit
    it("memory that runs out, without the report that was printed before", function()
      local message = image .. ": needs more than 100 MB of memory"
      local loop = "write(('x'):rep(1000000)) io.stderr:write 'told\\n' " ..
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end"
      check_failure(message, (run(loop, "--sandbox-memory=100")))
      check_failure(message, (run("inside.exhaust()", "--sandbox-memory=100")))
    end)

    it("memory that runs out while adding up", function()
      local dir = shell.tmpdir()
      local result = program.run({ "-s", image, profile, "--sandbox-memory=1" }, { cwd = dir })
      assert.same({ "", 1, "" }, { result.stdout, result.status, shell.listing(dir) })
      assert.equal(1, select(2, result.stderr:gsub("\n", "")))
    end)
  end

  it("and existing files are unchanged", function()
    local dir = shell.tmpdir "kept"
    shell.write(dir .. "/gmon.sum", "old")
    local path = report "inside.crash()" .. "/report.lua"
    local result = program.run({ "-s", image, profile, "--sandbox", "--report=" .. path }, { cwd = dir, env = env })
    check_failure(image .. ": the sandboxed process crashed (segmentation fault)", result)
    assert.equal("gmon.sum\nold", shell.listing(dir) .. shell.read(dir .. "/gmon.sum"))
  end)
end)

describe("an image with random bytes changed", function()
  local made <const> = small.build()
  local whole <const>, profile_of_lines <const> = shell.read(made.image), small.run(made)
  local path <const> = shell.tmpdir "changed" .. "/program"

  -- Returns the image with up to eight random bytes changed. Two thirds of them are in headers: at the start of the
  -- file, or in the section headers at its end. Sometimes the image is also truncated.
  local function changed()
    local bytes = whole
    for _ = 1, math.random(8) do
      local at = chance.pick { math.random(#bytes), math.random(64), #bytes - math.random(0, 2000) }
      local byte = chance.pick { 0, 1, 0x7f, 0x80, 0xff, math.random(0, 255) }
      bytes = bytes:sub(1, at - 1) .. string.char(byte) .. bytes:sub(at + 1)
    end
    return math.random(10) == 1 and bytes:sub(1, math.random(#bytes)) or bytes
  end

  local function run_on(options)
    return program.run({ "-b", path, profile_of_lines, table.unpack(options) }, { cwd = made.dir, timeout = true })
  end

  local repeatedly, count = chance.cases(52000, 40)
  it(("ends in a report, or in one line: %d times"):format(count), function()
    repeatedly(function(remark)
      shell.write(path, changed())
      local options = { chance.pick { "-p", "-l", "-c", "-A", "-z", "-q", "-C" }, chance.pick { "-l", "-z", "-x" } }
      local plain = run_on(options)
      local result = run_on { "--sandbox", "--sandbox-time=30", table.unpack(options) }
      local line = result.status == 0 and "gprof%.lua: warning: [^\n]+\n" or "gprof%.lua: [^\n]+\n"
      assert.equal("", (result.stderr:gsub(line, "")), remark)
      assert(result.status == 0 or result.status == 1 and result.stdout == "" and result.stderr ~= "", remark)
      -- The result must be the same as without the sandbox, except for libbfd's own messages. The comparison is left
      -- out under sanitizers, and if reading the image failed in one of the two runs.
      if sanitized or plain.signal or plain.status > 1 or result.stderr:find "reading it" then return end
      local told = {}
      for ours in plain.stderr:gmatch "gprof%.lua: [^\n]*\n" do told[#told + 1] = ours end
      assert.same({ plain.stdout, table.concat(told), plain.status },
        { result.stdout, result.stderr, result.status }, remark)
    end)
  end)
end)

describe("no process is left", function()
  -- The report signals its start through descriptor 9, a pipe that ends when all processes have closed it.
  local line <const> = [[
    mkfifo pipe
    mkdir temporary
    TMPDIR=$PWD/temporary sh -c 'echo $$ >number; exec "$@" 9>pipe' sh "$@" &
    exec 8<pipe
    head -c 1 <&8 >/dev/null
    kill -KILL $(cat number)
    cat <&8
    echo "all gone: $(ls -A temporary)"
  ]]

  it("if the program is killed", function()
    local dir = report "inside.call(inside.number.write, 9, 'x', 1) while true do end"
    local words = { image, profile, "-I/dev/fd/9", "--sandbox", "--report=" .. dir .. "/report.lua" }
    local result = launch.line(line, words, { cwd = dir, timeout = true })
    assert.equal("all gone: \n", result.stdout)
  end)
end)

describe("an HTML page from the sandbox", function()
  it("has no source text, and says so", function()
    local made, dir = small.build(), shell.tmpdir()
    local gmon = small.run(made)
    local result = program.run({ "--sandbox", "--html=page", made.image, gmon }, { cwd = dir })
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
    local page = shell.read(dir .. "/page")
    assert.is_nil(page:find("return x + 1", 1, true))
    assert.truthy(page:find("Source files that cannot be read: [^<]*small%.c"))
  end)
end)

describe("the limits of the sandbox", function()
  it("are numbers", function()
    for option, value in pairs { ["--sandbox-memory"] = "0", ["--sandbox-time"] = "1h" } do
      check_failure(("option %s takes a whole number from 1 to 2147483647, not '%s'"):format(option, value),
        program.run { option .. "=" .. value, image, profile })
    end
  end)

  it("exclude other programs, so no SVG can be made", function()
    check_failure("option --sandbox cannot run Graphviz for --export=svg: use --export=dot",
      program.run { "--sandbox", "--export=svg:it.svg", image, profile })
  end)

  it("may be too low to start", function()
    if sanitized then return end
    local result = program.run { "-b", "--sandbox-memory=1", image, profile }
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.truthy(result.stderr:find "^gprof%.lua: [^\n]+\n$", result.stderr)
  end)

  it("may be too low, which is reported without blaming the image", function()
    if sanitized then return end
    local large = assert(package.searchpath("gprof.core", package.cpath))
    for megabytes = 1, 8 do
      local result = program.run { "-i", "--sandbox-memory=" .. megabytes, large, profile }
      if result.status ~= 0 then
        check_failure(("%s: needs more than %d MB of memory"):format(large, megabytes), result)
      end
      assert.is_true(megabytes > 1 or result.status == 1)
    end
  end)
end)

describe("gprof.sandbox", function()
  -- Runs a script with `gprof.sandbox` in the local `sandbox`; checks its output.
  local function check(expected, text)
    local preamble = [[require "gprof" local sandbox = require "gprof.sandbox" ]]
    local result = launch.script(preamble .. text, {}, { env = env })
    assert.same({ expected, "", 0 }, { result.stdout, result.stderr, result.status })
  end

  it("returns what the work returns", function()
    check("true\nnil\n12\n1.5\ntext\n", [[
      for _, value in ipairs { "true", "nil", "12", "1.5", "'text'" } do
        print(sandbox.run(load("return " .. value)))
      end
    ]])
  end)

  it("passes the output on before it raises the work's error", function()
    check("printed\nmine\nmy fault\n", [[
      print(select(2, pcall(sandbox.run, function(write)
        write "printed\n"
        write:flush()
        error({ message = "mine" }, 0)
      end)).message)
      print(select(2, pcall(sandbox.run, function() error("my fault", 0) end)))
    ]])
  end)

  it("does not pass it on if a function says that the memory ran out", function()
    check("it: needs more than 2048 MB of memory\n", [[
      print(select(2, pcall(sandbox.run, function(write)
        write "printed\n"
        write:flush()
        error "not enough memory"
      end, { about = "it" })).message)
    ]])
  end)

  it("writes the requested files, and no others", function()
    local dir = shell.tmpdir "written"
    check("no: writing this file is not allowed\nyes", ([[
      local output = require "gprof.output"
      local function run(name)
        return pcall(sandbox.run, function() output.new_file(name, function(write) write "yes" end) end,
          { writes = function(path) return path == %q and output.new_file end })
      end
      print(select(2, run "no").message)
      run %q
      io.write(io.open(%q):read "a")
    ]]):format(dir .. "/a", dir .. "/a", dir .. "/a"))
    assert.equal("a\n", shell.listing(dir))
  end)

  it("refuses results that are too long", function()
    check("32000\nthe sandboxed work returned 32001 bytes: 32000 are possible\n", [[
      print(#sandbox.run(function() return ("x"):rep(32000) end))
      print(select(2, pcall(sandbox.run, function() return ("x"):rep(32001) end)).message)
    ]])
  end)

  it("reports invalid arguments", function()
    check("bad argument #1 to 'run' (function expected, got nil)\n",
      "print((select(2, pcall(sandbox.run)):gsub('^.-: ', '')))")
  end)
end)
