-- The names of recorded profiles: the option `output` and its placeholders.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

-- The names of the profiles in a directory, with the number of a process as PID, and without context profiles.
local function profiles(dir)
  local names = {}
  for name in shell.check({ "ls", "-A", dir }).stdout:gmatch "[^\n]+" do
    if shell.exists(dir .. "/" .. name .. ".ctx") then
      local process = recorder.read(dir .. "/" .. name .. ".ctx").process.id
      table.insert(names, (name:gsub("%f[%d]" .. process .. "%f[%D]", "PID")))
    end
  end
  return names
end

-- No process has a rank unless a spec says so.
local ranks <const> = { OMPI_COMM_WORLD_RANK = false, PMIX_RANK = false, PMI_RANK = false,
  MV2_COMM_WORLD_RANK = false, FLUX_TASK_RANK = false, PALS_RANKID = false, SLURM_PROCID = false }

local function environment(more)
  local env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false }
  for _, set in ipairs { ranks, more or {} } do
    for name, value in pairs(set) do env[name] = value end
  end
  return env
end

local built
setup(function() built = recorder.compile("parents.c", { flags = { "-fno-optimize-sibling-calls" } }) end)

describe("the recorder's option output", function()
  -- Runs the program. Returns the names of its profiles, and the result.
  local function run(pattern, env, word)
    env = environment(env)
    env.GPROF_RECORDER = "output=" .. pattern .. ",rate=0"
    local result = recorder.run(built, { word or "s" }, { env = env })
    assert.same(0, result.status)
    return profiles(result.dir), result
  end

  it("replaces placeholders by program, process, host and a percent sign", function()
    local host = shell.check({ "uname", "-n" }).stdout:gsub("\n", "")
    assert.same({ "a%-program.PID-" .. host }, (run "a%%-%e.%p-%h"))
  end)

  it("replaces a placeholder by the rank, if a launcher has set one", function()
    for name in pairs(ranks) do
      assert.same({ "gmon.7" }, (run("gmon.%r", { [name] = "7" })))
    end
    assert.same({ "gmon.2" }, (run("gmon.%r", { SLURM_PROCID = "0", OMPI_COMM_WORLD_RANK = "2" })))
    assert.same({ "gmon.PID" }, (run "gmon.%r"))
    assert.same({ "gmon.PID" }, (run("gmon.%r", { PMI_RANK = "../1" })))
  end)

  it("comes before GMON_OUT_PREFIX, whose percent signs have no meaning", function()
    assert.same({ "plain" }, (run("plain", { GMON_OUT_PREFIX = "other" })))
    local result = recorder.run(built, { "s" }, { env = environment { GMON_OUT_PREFIX = "%p" } })
    assert.same({ "%p.PID" }, profiles(result.dir))
  end)

  it("gives each forked child its own file", function()
    local names = run("run.%r", { PMI_RANK = "1" }, "f")
    assert.same({ "run.1", "run.1.PID" }, names)
    assert.same({ "run.PID", "run.PID" }, (run("run.%p", nil, "f")))
    assert.same({ "run.PID", "run.PID" }, (run("run.%r", nil, "f")))
  end)

  it("may have encoded commas and percent signs", function()
    assert.same({ "a,%p-program%" }, (run "a%2C%25p-%e%25"))
    assert.same({ "%2C%25" }, (run "%%2C%%25"))
  end)

  it("may name another directory, which must exist", function()
    local other = shell.tmpdir "other"
    local names, result = run(other .. "/%e")
    assert.same({ {}, { "program" }, "" }, { names, profiles(other), result.stderr })
    names, result = run "missing/%e"
    assert.same({}, names)
    assert.truthy(result.stderr:find "/missing/program: No such file or directory\n", result.stderr)
  end)

  it("never replaces what is not a file", function()
    local where = shell.tmpdir "special"
    shell.check { "mkfifo", where .. "/pipe" }
    shell.check { "mkdir", where .. "/directory", where .. "/a.ctx" }
    for name, message in pairs { pipe = "pipe: is not a profile, so it is not replaced",
      directory = "directory: Is a directory", a = "a.ctx: Is a directory" } do
      local _, result = run(where .. "/" .. name)
      assert.equal(("libgprof-recorder: %s/%s\n"):format(where, message), result.stderr)
    end
    assert.equal("a.ctx\ndirectory\npipe\n", shell.check({ "ls", "-A", where }).stdout)
    shell.check { "test", "-p", where .. "/pipe" }
  end)

  it("never replaces a file that is not a profile", function()
    local where = shell.tmpdir "kept"
    shell.check { "ln", "-s", "source", where .. "/link" }
    for name, file in pairs { source = "source", link = "link", ["%e"] = "program", ["%e.%%"] = "program.%" } do
      local target = where .. "/" .. (file == "link" and "source" or file)
      shell.write(target, "gmo")
      local names, result = run(where .. "/" .. name)
      assert.same({ {}, ("libgprof-recorder: %s/%s: is not a profile, so it is not replaced\n"):format(where, file) },
        { names, result.stderr })
      assert.equal("gmo", shell.read(target))
      os.remove(target)
    end
    assert.equal("link\n", shell.check({ "ls", "-A", where }).stdout)
  end)

  it("never replaces the program", function()
    local where = shell.tmpdir "program"
    shell.check { "cp", built.image, where .. "/program" }
    local before = shell.read(where .. "/program")
    local _, result = run(where .. "/%e")
    assert.truthy(result.stderr:find("/program: is not a profile, so it is not replaced\n", 1, true), result.stderr)
    assert.is_true(before == shell.read(where .. "/program"))
    assert.equal("program\n", shell.check({ "ls", "-A", where }).stdout)
  end)

  it("replaces empty files, and profiles of programs and of Lua programs", function()
    local where = shell.tmpdir "replaced"
    for _, old in ipairs { "", "gmon", "gprofctx" } do
      shell.write(where .. "/old", old)
      local _, result = run(where .. "/old")
      assert.same({ "", "gmon" }, { result.stderr, shell.read(where .. "/old"):sub(1, 4) })
    end
  end)

  it("is ignored, with a message, if a placeholder is unknown", function()
    for _, pattern in ipairs { "", "%", "a%q", "a%%%", "%2", "%2c" } do
      local names, result = run(pattern)
      local message = ("libgprof-recorder: GPROF_RECORDER: invalid option 'output=%s'\n"):format(pattern)
      assert.same({ { "gmon.out" }, message }, { names, result.stderr })
    end
  end)
end)

describe("gprof.lua --record --output", function()
  local function record(env, ...)
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--record", ... } do table.insert(words, word) end
    local dir = shell.tmpdir "output"
    return shell.run(words, { cwd = dir, timeout = true, env = environment(env) }), dir
  end

  it("finds the profile", function()
    for pattern, name in pairs {
      ["%e.%p"] = "program.PID", ["100%%.%r"] = "100%.5", ["%h-x+(%e"] = "HOST-x+(program", ["./a.b"] = "./a.b",
      ["a,%e"] = "a,program", ["%%2C"] = "%2C",
      [shell.tmpdir "elsewhere" .. "/%e"] = "DIR/program",
    } do
      local result = record({ SLURM_PROCID = "5", GPROF_RECORDER = "output=never" }, "--output=" .. pattern,
        built.image, "s")
      local written = result.stderr:match "^gprof%.lua: (%S+) was written; to read it: [^\n]+\n$"
      local host = shell.check({ "uname", "-n" }).stdout:gsub("\n", "")
      local plain = written and written:gsub("%.%d%d+$", ".PID"):gsub("^" .. host:gsub("%p", "%%%0"), "HOST")
        :gsub("^/.*/", "DIR/")
      assert.same({ name, 0 }, { plain or result.stderr, result.status })
    end
    local result = record({ GPROF_RECORDER = "rate=0,output=mine.%p" }, built.image, "s")
    assert.truthy(result.stderr:find "^gprof%.lua: mine%.%d+ was written")
    result = record({ GPROF_RECORDER = "output=a%2C%25p%%2C" }, built.image, "s")
    assert.truthy(result.stderr:find "^gprof%.lua: a,%%p%%2C was written", result.stderr)
  end)

  it("finds all profiles of a program, in order", function()
    local commands = recorder.compile "commands.c"
    local lines, calls = {}, {}
    for i = 2, 3 do
      table.insert(lines, ("while ! test -e x-%d; do kill -USR1 $PPID; sleep 0.05; done"):format(i))
    end
    local result, dir = record({}, "--output=x", "--dump-signal=USR1", "--anew", commands.image, "1",
      table.unpack(lines))
    for name in result.stderr:gmatch "gprof%.lua: (x%S*) was written" do table.insert(calls, name) end
    local expected = { "x", "x-2" }
    for i = 3, #profiles(dir) do expected[i] = "x-" .. i end
    assert.same({ expected, 0 }, { calls, result.status })
    assert.is_true(#expected > 3)
  end)

  it("does not start the program if its profile would replace a file that is not one", function()
    local where = shell.tmpdir "started"
    shell.check { "cp", built.image, where .. "/program" }
    shell.check { "ln", "-s", "program", where .. "/link" }
    for name, text in pairs { ["notes-7"] = "text", ["gmon.out"] = "text", ["other.ctx"] = "gmon" } do
      shell.write(where .. "/" .. name, text)
    end
    shell.check { "mkdir", where .. "/taken" }
    shell.check { "mkfifo", where .. "/pipe" }
    local before = shell.check({ "sh", "-c", "ls -A; cat program notes-7" }, { cwd = where }).stdout
    local function refused(file, ...)
      local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
      for _, word in ipairs { program.root .. "/gprof.lua", "--record", ... } do table.insert(words, word) end
      local result = shell.run(words, { cwd = where, timeout = true, env = environment { PMI_RANK = "7" } })
      assert.same({ "gprof.lua: " .. file .. "\n", "", 1 }, { result.stderr, result.stdout, result.status })
      assert.is_true(before == shell.check({ "sh", "-c", "ls -A; cat program notes-7" }, { cwd = where }).stdout)
    end
    local kept <const> = ": is not a profile, so it is not replaced"
    refused("program" .. kept, "--output=%e", "./program", "s")
    refused("program" .. kept, "--output=%e", "./link", "s")
    refused("./link" .. kept, "--output=./link", "./link", "s")
    refused("notes-7" .. kept, "--output=notes-%r", "./program", "s")
    refused("gmon.out" .. kept, "./program", "s")
    refused("other.ctx" .. kept, "--output=other", "./program", "s")
    refused("taken: is a directory: the profile cannot be written there", "--output=taken", "./program", "s")
    refused("pipe: is neither a file nor a device: the profile cannot be written there", "--output=pipe",
      "./program", "s")
    refused("other.ctx" .. kept, "--output=other", "touch", "x")
  end)

  it("refuses names that cannot work", function()
    for pattern, wrong in pairs {
      [""] = "no file name", ["dir/"] = "no file name",
      ["%h/gmon.out"] = "a placeholder in the directory", ["a%"] = "the unknown placeholder %",
      ["%p%%%z"] = "the unknown placeholder %z",
    } do
      local result = program.run({ "--record", "--output=" .. pattern, "true" })
      assert.same({ ("gprof.lua: option --output: '%s' has %s\n"):format(pattern, wrong), 1 },
        { result.stderr, result.status })
      local fine, message = pcall(gprof.record, { "true" }, { output = pattern })
      assert.is_false(fine)
      assert.truthy(message:find(("option 'output': '%s' has %s"):format(pattern, wrong), 1, true), message)
    end
    local result = program.run({ "--output=x", "a.out" })
    assert.same({ "gprof.lua: option --output needs --record\n", 1 }, { result.stderr, result.status })
  end)
end)
