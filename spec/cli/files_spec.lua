-- All kinds of files, under all kinds of names, as every argument that can be a file. The program reads the file or
-- refuses it in one line, and never hangs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local built <const> = build.program "calls"
local dir <const> = shell.tmpdir "files"
local plain <const> = { image = dir .. "/image", profile = dir .. "/profile", map = dir .. "/map",
  symbols = dir .. "/symbols", words = dir .. "/words", list = dir .. "/list" }

shell.check { "cp", built.image, plain.image }
shell.check { "cp", built.gmon, plain.profile }
shell.write(plain.symbols, shell.check({ "nm", built.image }).stdout:gsub("[^\n]* [^tTwW] [^\n]*\n", ""))
shell.write(plain.map, (shell.read(plain.symbols):gsub("[^\n]+", "file.o:%0")))
shell.write(plain.words, "-p")
shell.write(plain.list, plain.profile)

-- Each function returns arguments with `file` in one place: as the image, the profile, and so on.
local places <const> = {
  image = function(file) return { "-b", "-p", "--", file, plain.profile } end,
  profile = function(file) return { "-b", "-p", "--", plain.image, file } end,
  map = function(file) return { "-b", "-R", file, "--", plain.image, plain.profile } end,
  symbols = function(file) return { "-b", "-p", "-S", file, "--", plain.image, plain.profile } end,
  words = function(file) return { "-b", "@" .. file, plain.image, plain.profile } end,
  list = function(file) return { "-b", "-p", "--profiles-from=" .. file, plain.image } end,
}

local function run(place, file, options)
  options = options or {}
  options.timeout = options.timeout or true
  return program.run(places[place](file), options)
end

describe("a text of 4 GB is refused, and not read:", function()
  local sparse = shell.write(shell.tmpdir() .. "/sparse", "{")  -- like JSON
  shell.check { "truncate", "--size=4G", sparse }
  for what, words in pairs {
    ["a list of profiles"] = { "--profiles-from=" .. sparse, plain.image },
    ["an exported profile"] = { "--compare=" .. sparse, plain.image, plain.profile },
  } do
    it(what, function()
      local result = program.run(words)
      assert.same({ 1, "", ("gprof.lua: %s: has more than 256 MB of text\n"):format(sparse) },
        { result.status, result.stdout, result.stderr })
    end)
  end

  it("an option file", function()
    local result = program.run { "@" .. sparse }
    assert.same({ 1, "" }, { result.status, result.stdout })
    assert.truthy(result.stderr:find(sparse .. ": is longer than a command line", 1, true), result.stderr)
  end)
end)

-- The limit of processor time is far above what the program needs, also with sanitizers.
describe("an endless input is refused as soon as it is too long:", function()
  local home = shell.tmpdir "endless"
  local zeros, names <const> = "cat /dev/zero", { "-b", "-p", "--profiles-from=-", plain.image }
  local sum <const> = { "-s", "--profiles-from=-", plain.image }
  local archive <const> = { "-s", "--profiles-from=tar:-", plain.image }
  for what, case in pairs {
    ["names of profiles"] = { "yes " .. plain.profile, names, "standard input: has more than 256 MB of text" },
    ["a name of a profile"] = { "tr '\\0' a </dev/zero", names,
      "standard input: name 1 has more than 65536 bytes" },
    ["newlines as names"] = { "yes ''", names, "standard input: has more than 256 MB of text" },
    ["zero bytes as names"] = { zeros, names, "standard input: has more than 256 MB of text" },
    ["newlines as names of a sum"] = { "yes ''", sum, "standard input: has more than 256 MB of text" },
    ["zero bytes as names of a sum"] = { zeros, sum, "standard input: has more than 256 MB of text" },
    ["zero bytes as an archive"] = { zeros, archive,
      "standard input: has more than 256 MB of zero bytes after offset 0" },
    ["extended headers"] = { ("perl -e '%s'"):format [[$h = pack("a100 a8 a8 a8 a12 a12 a8 a1 a355", "p", "0", "0", "0",
      "15", "0", " " x 8, "x", ""); substr($h, 148, 8) = sprintf("%06o\0 ", unpack("%32C*", $h));
      print $h, pack("a512", "13 path=abcd\n") while 1]], archive,
      "standard input: is damaged: more than 64 extended headers for one member, at offset 65536" },
    symbols = { "yes '00000000 T a'", { "-b", "-p", "-S", "/dev/stdin", plain.image, plain.profile },
      "/dev/stdin: has more than 256 MB of text" },
    objects = { "yes 'a.o:00000000 T a'", { "-b", "-R", "/dev/stdin", plain.image, plain.profile },
      "/dev/stdin: has more than 256 MB of text" },
    ["bins of mon.out"] = { zeros, { "-O", "prof", plain.image, "/dev/stdin" },
      "/dev/stdin: has more than 256 MB of bins" },
    ["a report"] = { "tr '\\0' a </dev/zero", { "--report=/dev/stdin", plain.image, plain.profile },
      "/dev/stdin: has more than 256 MB of text" },
    ["a baseline"] = { "yes '{}'", { "--baseline=/dev/stdin", plain.image, plain.profile },
      "/dev/stdin: has more than 256 MB of text" },
    ["a checkpoint"] = { "echo " .. plain.profile, { "-s", "--checkpoint=/dev/zero", "--profiles-from=-",
      plain.image }, "/dev/zero: is not a checkpoint" },
  } do
    it(what, function()
      local line = ("%s 2>/dev/null | prlimit --cpu=20 \"$@\""):format(case[1])
      local result = launch.line(line, case[2], { cwd = home })
      assert.same({ 1, "", ("gprof.lua: %s\n"):format(case[3]) }, { result.status, result.stdout, result.stderr })
    end)
  end
end)

describe("a file may have a name with", function()
  for what, name in pairs { blanks = " a  b ", dashes = "--", ["the form of an option"] = "-p", newlines = "a\n\nb\n",
    ["any bytes"] = "\1\27\x7f\x80\xff", quotes = [['"`$(\]], ["the maximum length"] = ("x"):rep(255),
    ["a format directive"] = "%s%n%d", dots = "..." } do
    it(what, function()
      local home = shell.tmpdir()
      for place in pairs(places) do
        local file = home .. "/" .. name
        os.remove(file)
        shell.check { "cp", "--", plain[place], file }
        local expected = run(place, plain[place])
        assert.same({ 0, "" }, { expected.status, expected.stderr })
        local long, short = run(place, file), run(place, place == "words" and "./" .. name or name, { cwd = home })
        assert.same({ expected.stdout, "", 0 }, { long.stdout, long.stderr, long.status })
        assert.same({ expected.stdout, "", 0 }, { short.stdout, short.stderr, short.status })
      end
    end)

    it(what .. " if it is the sum", function()
      local home = shell.tmpdir()
      local result = program.run({ "--sum-file=" .. name, plain.image, plain.profile }, { cwd = home })
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(shell.read(plain.profile), shell.read(home .. "/" .. name))
    end)
  end
end)

-- Returns two values: the paths of files that are not regular, keyed by kind, and the directory that these paths are
-- relative to.
local function odd_files()
  local home = shell.tmpdir "odd"
  shell.check({ "sh", "-c", "mkdir dir; mkfifo pipe; ln -s loop loop; ln -s nowhere dangling" }, { cwd = home })
  local files = { ["a directory"] = "dir", ["a link to itself"] = "loop", ["a link to nothing"] = "dangling",
    ["an empty device"] = "/dev/null", ["an endless device"] = "/dev/zero", ["in a file"] = "/dev/null/x",
    ["a missing terminal"] = "/dev/tty", ["a name that is too long"] = ("x"):rep(256),
    ["a path that is too long"] = ("x/"):rep(2048) .. "x", nothing = "" }
  local made = shell.run({ "perl", "-MIO::Socket::UNIX", "-e",
    "IO::Socket::UNIX->new(Local => 'socket', Listen => 1)" }, { cwd = home })
  files["a socket"] = made.status == 0 and "socket" or nil
  return files, home
end

describe("where a file is expected", function()
  local files, home = odd_files()

  -- Checks that a run ends in time, as expected or with an error in one line.
  local function check(result)
    local _, lines = result.stderr:gsub("\n", "")
    assert.truthy(result.status == 0 or result.status == 1 and lines == 1 and result.stdout == "",
      ("%s: %s\n%s"):format(result.command, result.status or result.signal, result.stderr))
    assert.is_nil(result.stderr:find("traceback", 1, true))
  end

  -- Runs the program in a session of its own, which has no terminal. Without a memory limit, an endless file would fill
  -- the memory. Programs with sanitizers run without one, because they map more than any limit allows.
  local function run_alone(words, cwd)
    local limit = os.getenv "GPROF_LUA" and "" or "ulimit -v 4000000; "
    return launch.line(limit .. 'exec setsid -w "$@"', words, { cwd = cwd, timeout = true })
  end

  for what, file in pairs(files) do
    it("there may be " .. what, function()
      for place in pairs(places) do check(run_alone(places[place](file), home)) end
      check(run_alone({ "-b", "-A", "-z", "-I" .. file, plain.image, plain.profile }, home))
      check(run_alone({ "-b", "--report=./" .. file, plain.image, plain.profile }, home))
      if file ~= "" then
        check(run_alone({ "--sum-file=" .. file, plain.image, plain.profile }, shell.tmpdir()))
      end
    end)
  end

  it("there may be a pipe, but not for an object file: that is refused without waiting", function()
    local result = program.run(places.image "pipe", { cwd = home, timeout = true })
    assert.same({ 1, "", "gprof.lua: pipe: is a pipe: an object file cannot be read from a pipe\n" },
      { result.status, result.stdout, result.stderr })
    for _, place in ipairs { "profile", "map", "symbols", "list" } do
      local line = ("cat %s >pipe & exec \"$@\""):format(shell.quote(plain[place]))
      local piped = launch.line(line, places[place] "pipe", { cwd = home, timeout = true })
      assert.same({ run(place, plain[place]).stdout, "", 0 }, { piped.stdout, piped.stderr, piped.status })
    end
  end)
end)

describe("a profile that is truncated while it is read", function()
  it("is read, or refused in one line", function()
    local path = dir .. "/cut"
    for size = 0, #shell.read(plain.profile), 97 do
      shell.write(path, shell.read(plain.profile):sub(1, size))
      local result = run("profile", path)
      assert.equal(1, select(2, result.stderr:gsub("\n", "")) + (result.status == 0 and 1 or 0))
    end
  end)
end)
