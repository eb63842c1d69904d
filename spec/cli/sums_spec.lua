-- Sums on the command line (-s, --sum-file): where they are written, and which files they are made from. Any failure
-- leaves the old sum intact. Reports on a sum equal reports on its files.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local TICK <const> = tonumber(shell.check { "getconf", "CLK_TCK" }.stdout)

local image <const> = build.craft { text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }

local function histogram(bins)
  return { kind = "histogram", low = 0x1000, high = 0x1000 + math.max(0x400, 2 * bins.n), bins = bins, rate = TICK }
end

local function arc(count)
  return { kind = "arc", from = 0x1004, self = 0x1100, count = count }
end

-- Writes a profile with one call record and a histogram of `bins` bins, in which only the seventh has ticks. Returns
-- the path.
local function save(bins, ticks, calls, more)
  return gmon.write(shell.tmpdir "sum" .. "/gmon.out",
    gmon.magic { records = { histogram { n = bins, [7] = ticks }, arc(calls), more } })
end

local one <const>, two <const>, three <const> = save(512, 1, 10), save(512, 2, 20), save(512, 3, 30)

-- Returns the expected bytes of a sum with these total ticks and calls.
local function expected(ticks, calls)
  return gmon.magic { records = { histogram { n = 512, [7] = ticks }, arc(calls) } }
end

local function quietly(dir, ...)
  local result = program.run({ ... }, { cwd = dir })
  assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
end

local function check_failure(message, result)
  assert.same({ 1, "", "gprof.lua: " .. message .. "\n" }, { result.status, result.stdout, result.stderr })
end

describe("-s", function()
  it("writes gmon.sum in the current directory, and prints nothing", function()
    for _, word in ipairs { "-s", "--sum" } do
      local dir = shell.tmpdir()
      quietly(dir, word, image, one, two, three)
      assert.equal("gmon.sum\n", shell.listing(dir))
      assert.equal(expected(6, 60), shell.read(dir .. "/gmon.sum"))
    end
  end)

  it("is a copy of gmon.out if no file is named", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.out", shell.read(image))
    shell.write(dir .. "/gmon.out", shell.read(two))
    quietly(dir, "-s")
    assert.equal("a.out\ngmon.out\ngmon.sum\n", shell.listing(dir))
    assert.equal(shell.read(two), shell.read(dir .. "/gmon.sum"))
  end)

  it("replaces an older sum, or adds to it if the command line names it", function()
    local dir = shell.tmpdir()
    quietly(dir, "-s", image, three)
    quietly(dir, "-s", image, one)
    assert.equal(expected(1, 10), shell.read(dir .. "/gmon.sum"))
    quietly(dir, "-s", image, "gmon.sum", two)
    assert.equal(expected(3, 30), shell.read(dir .. "/gmon.sum"))
    quietly(dir, "-s", image, one, "gmon.sum", "gmon.sum")
    assert.equal(expected(7, 70), shell.read(dir .. "/gmon.sum"))
    assert.equal("gmon.sum\n", shell.listing(dir))
  end)

  it("begins a sum that the command line names, if there are other profiles and no --gnu-compat", function()
    local dir = shell.tmpdir()
    local missing = "gmon.sum: No such file or directory"
    check_failure(missing, program.run({ "-s", image, "gmon.sum" }, { cwd = dir }))
    check_failure(missing, program.run({ "-s", image, "gmon.sum", "gmon.sum" }, { cwd = dir }))
    check_failure(missing, program.run({ "-s", "--gnu-compat", image, "gmon.sum", one }, { cwd = dir }))
    check_failure(missing, program.run({ "--sum-file=other", image, "gmon.sum", one }, { cwd = dir }))
    assert.equal("", shell.listing(dir))
    quietly(dir, "-s", image, "gmon.sum", one)
    assert.equal(expected(1, 10), shell.read(dir .. "/gmon.sum"))
    quietly(dir, "--sum-file=other", image, two, "other", three)
    assert.equal(expected(5, 50), shell.read(dir .. "/other"))
  end)

  it("counts a file as often as it is named", function()
    local dir = shell.tmpdir()
    quietly(dir, "-s", image, one, one, one, two, one)
    assert.equal(expected(6, 60), shell.read(dir .. "/gmon.sum"))
  end)

  it("may be combined with -i", function()
    local dir = shell.tmpdir()
    local result = program.run({ "-s", "-i", image, one, two }, { cwd = dir })
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.equal(program.run({ "-i", image, one, two }).stdout, result.stdout)
    assert.equal(expected(3, 30), shell.read(dir .. "/gmon.sum"))
  end)

  it("may be combined with reports, which are then by line", function()
    local built, dir = build.program "lines", shell.tmpdir()
    for _, words in ipairs { { "-p" }, { "-q", "-C" }, { "-A", "-z" }, { "-p", "-l" } } do
      local arguments = { "-b", built.image, built.gmon, built.gmon, table.unpack(words) }
      local result = program.run({ "-s", table.unpack(arguments) }, { cwd = dir })
      local report = program.run { "-l", table.unpack(arguments) }
      assert.same({ 0, report.stderr, report.stdout }, { result.status, result.stderr, result.stdout })
      assert.truthy(result.stdout:find("lines.c:", 1, true))
      assert.equal("gmon.sum\n", shell.listing(dir))
      local again = program.run({ "-b", "-l", built.image, "gmon.sum", table.unpack(words) }, { cwd = dir })
      assert.equal(report.stdout, again.stdout)
      os.remove(dir .. "/gmon.sum")
    end
  end)

  it("needs no symbols", function()
    local built, dir = build.program "calls", shell.tmpdir()
    quietly(dir, "-s", built.image, built.gmon, built.gmon)
    shell.check { "strip", "-o", dir .. "/stripped", built.image }
    quietly(dir, "--sum-file=other.sum", "stripped", built.gmon, built.gmon)
    assert.equal(shell.read(dir .. "/gmon.sum"), shell.read(dir .. "/other.sum"))
    assert.equal(1, program.run({ "-b", "stripped", "gmon.sum" }, { cwd = dir }).status)
  end)
end)

describe("--sum-file", function()
  it("names the file, and implies -s", function()
    for _, words in ipairs { { "--sum-file=x" }, { "--sum-file", "x" }, { "-s", "--sum-file=x" },
      { "--sum-file=x", "-s" }, { "--sum-file=y", "--sum-file=x" } } do
      local dir = shell.tmpdir()
      quietly(dir, image, one, three, table.unpack(words))
      assert.equal("x\n", shell.listing(dir))
      assert.equal(expected(4, 40), shell.read(dir .. "/x"))
    end
  end)

  it("may name a link or standard output", function()
    local dir, elsewhere = shell.tmpdir(), shell.tmpdir() .. "/any name"
    quietly(dir, "--sum-file=" .. elsewhere, image, one)
    assert.equal(expected(1, 10), shell.read(elsewhere))
    local result = program.run({ "--sum-file=-", image, one, two }, { cwd = dir })
    assert.same({ 0, expected(3, 30), "" }, { result.status, result.stdout, result.stderr })
    assert.equal("", shell.listing(dir))
  end)

  it("may be one of the parts, but not the program", function()
    local dir = shell.tmpdir()
    shell.check { "cp", image, dir .. "/prog" }
    shell.check { "cp", one, dir .. "/x" }
    quietly(dir, "--sum-file=x", "prog", "x", two)
    assert.equal(expected(3, 30), shell.read(dir .. "/x"))
    for _, path in ipairs { "prog", "./prog" } do
      check_failure(path .. ": the sum would overwrite the program",
        program.run({ "--sum-file=" .. path, "prog", one }, { cwd = dir }))
    end
    assert.equal(shell.read(image), shell.read(dir .. "/prog"))
  end)

  it("may not be a list of profiles, an archive, or a symbol file", function()
    local dir = shell.tmpdir()
    local symbols = shell.check({ "nm", "--defined-only", image }).stdout
    local texts = { list = one .. "\n", map = symbols:gsub("[^\n]* [^tTwW] [^\n]*\n", "") }
    for name, text in pairs(texts) do shell.write(dir .. "/" .. name, text) end
    shell.check({ "tar", "-cf", "runs", one }, { cwd = dir })
    for path, words in pairs { list = { "--profiles-from=list", image }, map = { "-Smap", image, one },
      ["./runs"] = { "--profiles-from=tar:runs", image } } do
      check_failure(path .. ": the sum would overwrite an input file",
        program.run({ "--sum-file=" .. path, table.unpack(words) }, { cwd = dir }))
    end
    for name, text in pairs(texts) do assert.equal(text, shell.read(dir .. "/" .. name)) end
  end)

  it("may not have the name of a listing (-y)", function()
    local dir = shell.tmpdir()
    local message <const> = "%s: -y (--separate-files) may write a listing to this file"
    for _, option in ipairs { "--sum-file=./calls.c-ann", "--export=json:calls.c-ann" } do
      check_failure(message:format(option:match "[^=:]*$"),
        program.run({ "-A", "-y", option, image, one }, { cwd = dir }))
    end
    assert.equal("", shell.listing(dir))
    local elsewhere = "--sum-file=" .. shell.tmpdir() .. "/calls.c-ann"
    assert.equal(0, program.run({ "-A", "-y", elsewhere, image, one }, { cwd = dir }).status)
  end)

  it("needs a name", function()
    check_failure("option --sum-file: the file name is empty", program.run { "--sum-file=", image, one })
    check_failure("option '--sum-file' needs an argument", program.run { image, one, "--sum-file" })
  end)
end)

describe("a link with the default name of a sum", function()
  local words <const> = { "-s", image, one }
  local refused <const> = "is a symbolic link: links are followed only if an option names them, " ..
    "and never with --sandbox"

  -- Makes a directory with a link to a file, which must not change.
  local function planted(name)
    local dir = shell.tmpdir()
    shell.write(dir .. "/precious", "precious")
    shell.check { "ln", "-s", "precious", dir .. "/" .. name }
    return dir
  end

  local function check_refused(name, arguments)
    for _, mode in ipairs { {}, { "--gnu-compat" }, { "--sandbox" } } do
      local dir = planted(name)
      local all = table.move(arguments, 1, #arguments, #mode + 1, { table.unpack(mode) })
      check_failure(name .. ": " .. refused, program.run(all, { cwd = dir }))
      assert.equal("precious", shell.read(dir .. "/precious"))
      assert.equal(table.concat({ name, "precious" }, "\n") .. "\n", shell.listing(dir))
    end
  end

  it("is not followed", function() check_refused("gmon.sum", words) end)

  it("is followed if --sum-file names it, but not in the sandbox", function()
    local dir = planted "gmon.sum"
    quietly(dir, "--sum-file=gmon.sum", image, one)
    assert.equal(expected(1, 10), shell.read(dir .. "/precious"))
    assert.equal("precious\n", shell.check { "readlink", dir .. "/gmon.sum" }.stdout)
    dir = planted "gmon.sum"
    check_failure("gmon.sum: " .. refused,
      program.run({ "--sandbox", "--sum-file=gmon.sum", image, one }, { cwd = dir }))
    assert.equal("precious", shell.read(dir .. "/precious"))
  end)

  it("may not lead to a missing file, either", function()
    local dir = shell.tmpdir()
    shell.check { "ln", "-s", "none", dir .. "/gmon.sum" }
    check_failure("gmon.sum: " .. refused, program.run(words, { cwd = dir }))
    assert.equal("gmon.sum\n", shell.listing(dir))
  end)

  it("may not be a pipe", function()
    local dir = shell.tmpdir()
    shell.check { "mkfifo", dir .. "/gmon.sum" }
    for _ = 1, 2 do
      local result = program.run(words, { cwd = dir, timeout = true })
      assert.equal("gprof.lua: gmon.sum: cannot be written: not a regular file\n", result.stderr)
    end
  end)
end)

-- The first process reads a pipe last, so it waits there. By then, it has locked the sum.
describe("processes that write the same sum", function()
  local WAITING <const> = "gprof.lua: gmon.sum: waiting for another process that writes it\n"
  local ADDED <const> = "gprof.lua: gmon.sum: was created by another process meanwhile: " ..
    "the profiles are added to it\n"

  local function command(...)
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    return shell.join(table.move({ program.root .. "/gprof.lua", ... }, 1, select("#", ...) + 1, #words + 1, words))
  end

  -- Shell code that starts `others`, commands, and continues when each one has told that it waits. Their messages are
  -- in the files told1, told2 and so on, which are created first, because `grep` may read them before the processes
  -- have started.
  local function others_wait(others)
    local lines = {}
    for i, other in ipairs(others) do
      table.insert(lines, (": >told%d; %s 2>told%d 3>&- &"):format(i, other, i))
    end
    for i in ipairs(others) do
      table.insert(lines, shell.await("grep -q waiting told" .. i))
    end
    return table.concat(lines, "\n")
  end

  -- Runs `meanwhile`, a shell command, while the first process waits. Then gives it a profile, or runs `instead`.
  -- Prints the status of the first process.
  local function run(dir, words, meanwhile, instead)
    local line = ([[mkfifo pipe; "$@" & first=$!; exec 3>pipe; %s
      %s; exec 3>&-; wait $first; echo $?; wait; rm pipe]]):format(meanwhile, instead or "cat " .. one .. " >&3")
    return launch.line(line, words, { cwd = dir, timeout = true })
  end

  for _, mode in ipairs { "--brief", "--sandbox" } do
    it("do not lose a profile: the second one waits: " .. mode, function()
      local dir = shell.tmpdir()
      shell.check { "cp", two, dir .. "/gmon.sum" }
      local result = run(dir, { mode, "-s", image, "gmon.sum", "pipe" },
        others_wait { command(mode, "-s", image, "gmon.sum", three) })
      assert.same({ "0\n", "" }, { result.stdout, result.stderr })
      assert.equal(WAITING, shell.read(dir .. "/told1"))
      assert.equal(expected(6, 60), shell.read(dir .. "/gmon.sum"))
    end)

    it("do not lose a profile: eight at once, without a sum: " .. mode, function()
      local dir, others = shell.tmpdir(), {}
      for i = 1, 7 do others[i] = command(mode, "-s", image, i % 2 == 0 and two or three) end
      local result = run(dir, { mode, "-s", image, "pipe" }, others_wait(others))
      assert.same({ "0\n", "" }, { result.stdout, result.stderr })
      for i = 1, 7 do
        assert.equal(WAITING .. ADDED, shell.read(dir .. "/told" .. i))
        os.remove(dir .. "/told" .. i)
      end
      assert.equal(expected(1 + 3 * 2 + 4 * 3, 10 + 3 * 20 + 4 * 30), shell.read(dir .. "/gmon.sum"))
      assert.equal("gmon.sum\n", shell.listing(dir))
    end)

    it("do not lose a profile: eight that name the sum, which does not exist: " .. mode, function()
      local dir = shell.tmpdir()
      local line = ("for i in 1 2 3 4 5 6 7 8; do %s 2>told$i || echo $i & done; wait"):format(
        command(mode, "-s", image, "gmon.sum", two))
      assert.equal("", launch.line(line, {}, { cwd = dir, timeout = true }).stdout)
      for i = 1, 8 do
        local told = shell.read(dir .. "/told" .. i)
        assert.truthy(told == "" or told == WAITING, told)
      end
      assert.equal(expected(8 * 2, 8 * 20), shell.read(dir .. "/gmon.sum"))
    end)

    it("continue when the first one is killed: " .. mode, function()
      local dir = shell.tmpdir()
      local result = run(dir, { mode, "-s", image, "pipe" }, others_wait { command(mode, "-s", image, two) },
        "kill -KILL $first")
      assert.equal("137\n", result.stdout)
      assert.equal(WAITING, shell.read(dir .. "/told1"))
      assert.equal(expected(2, 20), shell.read(dir .. "/gmon.sum"))
      os.remove(dir .. "/told1")
      assert.equal("gmon.sum\n", shell.listing(dir))
    end)
  end

  it("do not lose a profile: if the other one takes no lock, the one that ends last fails", function()
    local dir = shell.tmpdir()
    local result = run(dir, { "-s", image, "pipe" }, shell.join { "cp", two, "gmon.sum" })
    assert.same({ "1\n", "gprof.lua: gmon.sum: was created by another process meanwhile: run the command again\n" },
      { result.stdout, result.stderr })
    assert.equal(expected(2, 20), shell.read(dir .. "/gmon.sum"))
    assert.equal("gmon.sum\n", shell.listing(dir))
  end)

  it("need no lock to write to a directory that cannot be read", function()
    local dir = shell.tmpdir()
    shell.check { "mkdir", "-m", "333", dir .. "/dark" }
    local result = launch.line(launch.permitted(), { "--sum-file=dark/sum", image, one }, { cwd = dir })
    assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
    shell.check { "chmod", "755", dir .. "/dark" }
    assert.equal(expected(1, 10), shell.read(dir .. "/dark/sum"))
  end)

  it("do not wait for those that write another sum, or standard output", function()
    local dir = shell.tmpdir()
    local result = run(dir, { "-s", image, "pipe" }, ("timeout %d %s; timeout %d %s >out"):format(
      shell.limit, command("--sum-file=other", image, two), shell.limit, command("--sum-file=-", image, two)))
    assert.same({ "0\n", "" }, { result.stdout, result.stderr })
    assert.equal(expected(2, 20), shell.read(dir .. "/other"))
    assert.equal(expected(2, 20), shell.read(dir .. "/out"))
    assert.equal(expected(1, 10), shell.read(dir .. "/gmon.sum"))
  end)

  it("may be run by flock", function()
    local dir = shell.tmpdir()
    shell.check { "cp", two, dir .. "/gmon.sum" }
    local result = launch.line([[exec flock gmon.sum "$@"]], { "-s", image, "gmon.sum", one },
      { cwd = dir, timeout = true })
    assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
    assert.equal(expected(3, 30), shell.read(dir .. "/gmon.sum"))
    os.remove(dir .. "/gmon.sum")
    result = launch.line([[exec flock . "$@"]], { "-s", image, one }, { cwd = dir, timeout = true })
    assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
  end)
end)

describe("the format of a sum", function()
  local formats <const> = { bsd = gmon.bsd, ["4.4bsd"] = gmon.bsd44 }
  local plan <const> = { low = 0x1000, high = 0x1400, bins = { n = 512, [7] = 3 }, rate = TICK,
    arcs = { { 0x1004, 0x1100, 30 } } }

  for format, write in pairs(formats) do
    it("is that of -O, whatever formats the files have: " .. format, function()
      local dir = shell.tmpdir()
      quietly(dir, "-s", "-O", format, image, one, two)
      assert.equal(write(plan), shell.read(dir .. "/gmon.sum"))
      quietly(dir, "-s", "--file-format=" .. format, image, "gmon.sum", one)
      quietly(dir, "-s", "-O", "magic", image, "gmon.sum", two)
      assert.equal(expected(6, 60), shell.read(dir .. "/gmon.sum"))
    end)

    it("is also that of the files with --gnu-compat: " .. format, function()
      local dir = shell.tmpdir()
      local old = gmon.write(dir .. "/old", write(plan))
      quietly(dir, "--gnu-compat", "-s", "-O", format, image, old)
      assert.equal(write(plan), shell.read(dir .. "/gmon.sum"))
      os.remove(dir .. "/gmon.sum")
      local result = program.run({ "--gnu-compat", "-s", "-O", format, image, one }, { cwd = dir })
      assert.same({ 1, "" }, { result.status, result.stdout })
      assert.truthy(result.stderr:find(("^gprof%%.lua: %s: [^\n]+\n$"):format(one:gsub("%p", "%%%0"))), result.stderr)
      assert.equal("old\n", shell.listing(dir))
    end)
  end

  local beyond <const> = {
    { "which cannot hold block counts", { save(512, 1, 1, { kind = "blocks", { 0x1000, 1 } }) } },
    { "which holds up to 65535 samples in a bin: a bin has more", { save(512, 65534, 1), save(512, 2, 1) } },
    { "which holds one histogram: there are 2",
      { one, save(512, 1, 1, { kind = "histogram", low = 0x2000, high = 0x2400, bins = { n = 512 }, rate = TICK }) } },
  }
  for format in pairs(formats) do
    for _, case in ipairs(beyond) do
      it(("must be able to hold the data: %s, %s"):format(format, case[1]), function()
        local dir = shell.tmpdir()
        shell.write(dir .. "/gmon.sum", "an older sum")
        check_failure(("gmon.sum: cannot be written as %s, %s"):format(format, case[1]),
          program.run({ "-s", "-O" .. format, image, table.unpack(case[2]) }, { cwd = dir }))
        assert.equal("an older sum", shell.read(dir .. "/gmon.sum"))
        assert.equal("gmon.sum\n", shell.listing(dir))
      end)
    end
  end

  it("is never prof: -O prof gives the format of the files", function()
    local dir = shell.tmpdir()
    quietly(dir, "-s", "-O", "prof", image, one, two)
    assert.equal(expected(3, 30), shell.read(dir .. "/gmon.sum"))
    local format = "file format 'prof' cannot be combined with --gnu-compat: GNU gprof cannot read it"
    check_failure(format, program.run({ "-s", "-O", "prof", "--gnu-compat", image, one }, { cwd = shell.tmpdir() }))
  end)
end)

-- Failures ----------------------------------------------------------------------------------

describe("if a sum fails, only the old one is left:", function()
  local OLD <const> = "an older sum"

  -- Runs a shell command that sums `files`, first in a directory with an older sum and then in one without. Calls
  -- `prepare` with the directory before the command and `finish` after it. Returns the two results.
  local function failing(line, files, prepare, finish)
    local results = {}
    for i, old in ipairs { OLD, false } do
      local dir = shell.tmpdir()
      if old then shell.write(dir .. "/gmon.sum", old) end
      if prepare then prepare(dir) end
      results[i] = launch.line(line, { "-s", image, table.unpack(files) }, { cwd = dir, timeout = true })
      if finish then finish(dir) end
      assert.equal(old and "gmon.sum\n" or "", shell.listing(dir))
      assert.equal(old, old and shell.read(dir .. "/gmon.sum"))
    end
    return results
  end

  local function check_failures(message, ...)
    for _, result in ipairs(failing(...)) do
      check_failure(message, result)
    end
  end

  local large <const> = save(100000, 1, 10) -- 200 kB; `ulimit -f 100` means 50 or 100 kB, depending on the shell

  it("a disk that is full", function()
    check_failures("gmon.sum: cannot be written: File too large",
      [[ulimit -f 100; exec "$@"]], { large, large })
    if shell.exists "/dev/full" then
      check_failure("/dev/full: cannot be written: No space left on device",
        program.run { "--sum-file=/dev/full", image, one })
    end
  end)

  it("a read-only directory", function()
    check_failures("gmon.sum: cannot create a file in its directory: Permission denied", launch.permitted(), { one },
      function(dir) shell.check { "chmod", "555", dir } end, function(dir) shell.check { "chmod", "755", dir } end)
  end)

  it("a missing directory", function()
    local dir = shell.tmpdir()
    check_failure("none/gmon.sum: its directory does not exist",
      program.run({ "--sum-file=none/gmon.sum", image, one }, { cwd = dir }))
    assert.equal("", shell.listing(dir))
  end)

  it("a damaged file after four good ones", function()
    local bad = gmon.write(shell.tmpdir() .. "/bad", shell.read(one):sub(1, -5))
    check_failures(bad .. ": ends in the middle of the arc at offset " .. #shell.read(one) - 21,
      [[exec "$@"]], { one, two, three, one, bad })
  end)

  it("a file that cannot be added to the others", function()
    local other = gmon.write(shell.tmpdir() .. "/other", gmon.magic { records = { histogram { n = 256 } } })
    check_failures(other .. ": histogram at offset 20 has bins of 4 bytes, but earlier ones have 2: the profile is " ..
      "probably from another build of the program",
      [[exec "$@"]], { one, other })
  end)

  it("a profile of the recorder and one of the C library", function()
    local function of(bins)
      return gmon.write(shell.tmpdir() .. "/of", gmon.magic { records = { { kind = "histogram", low = 0x1000,
        high = 0x1028, bins = { n = bins } } } })
    end
    local recorded, of_libc = of(10), of(12)
    local reason = "one is from --record, the other from the C library: such profiles cannot be added up: record " ..
      "all in the same way"
    check_failures(of_libc .. ": histogram at offset 20 has bins of 3.33333 bytes, but earlier ones have 4: " .. reason,
      [[exec "$@"]], { recorded, of_libc })
    check_failures(recorded .. ": histogram at offset 20 has bins of 4 bytes, but earlier ones have 3.33333: " ..
      reason, [[exec "$@"]], { of_libc, recorded })
  end)

  it("files of different rates", function()
    local record = histogram { n = 512, 1 }
    record.rate = TICK + 1
    local other = gmon.write(shell.tmpdir() .. "/other", gmon.magic { records = { record } })
    check_failures(("%s: histogram at offset 20 has rate %d, but earlier ones have %d"):format(other, TICK + 1, TICK),
      [[exec "$@"]], { one, other })
  end)

  it("a report in the same run that lacks records", function()
    local bare = gmon.write(shell.tmpdir() .. "/bare", gmon.magic { records = { histogram { n = 512, [7] = 1 } } })
    check_failures(bare .. ": has no arcs, which a call graph needs (was the program compiled with -pg?)",
      [[exec "$@" -q]], { bare })
  end)

  -- The program waits at the last file, a pipe without data.
  it("a signal while the files are read", function()
    local line = [[
      mkfifo pipe && { "$@" & } && exec 3>pipe && kill -TERM $! && wait $!
      status=$?; rm pipe; exit $status]]
    for _, result in ipairs(failing(line, { one, two, "pipe" })) do
      assert.same({ 128 + 15, "" }, { result.status, result.stdout })
    end
  end)
end)

-- Reports -----------------------------------------------------------------------------------

-- Writes five variants of a program's profile, which differ in their samples and calls. Returns their paths.
local function five_runs(built)
  local dir, paths = shell.tmpdir(), {}
  for i = 1, 5 do
    local profile = gmon.parse(shell.read(built.gmon))
    local records = {}
    for n, record in ipairs(profile.records) do
      if record.kind == "histogram" then
        -- not the samples of the run: by chance, a sum in another order would be rounded to other decimals
        for bin = 1, record.bins.n do
          record.bins[bin] = bin % 11 == i and bin % (2 + i) or 0
        end
      elseif record.kind == "arc" then
        record.count = record.count * i + n % 3
      end
      if record.kind ~= "arc" or (n + i) % 7 ~= 0 then
        records[#records + 1] = record
      end
    end
    profile.records = records
    paths[i] = gmon.write(("%s/%d"):format(dir, i), gmon.magic(profile))
  end
  return paths
end

describe("reports on the sum of five runs equal those on the runs:", function()
  -- The programs that print the reports, with their options.
  local ours <const>, compatible <const>, gnu <const> = { program.run }, { program.run, "--gnu-compat" }, { oracle.run }
  local readers = { ours = ours, ["ours under --gnu-compat"] = compatible }
  local available, why = oracle.available()
  if available then
    readers["GNU gprof's"] = gnu
  else
    pending("GNU gprof's: " .. why)
  end

  local function report(reader, path, files)
    local runner, option = table.unpack(reader)
    local words = { "-b", "-p", "-q", path, table.unpack(files) }
    words[#words + 1] = option
    local result = runner(words)
    -- These runs have samples everywhere, even in the procedure linkage table. That causes a warning.
    local told = reader == ours and
      result.stderr:match "^gprof.lua: warning: [^\n]* code without a symbol[^\n]*\n$" or ""
    assert.same({ 0, told }, { result.status, result.stderr })
    return told .. result.stdout
  end

  -- Sums five runs of a program. Returns the path of the image, the paths of the runs, and an array with the path of
  -- the sum.
  local function sum_up(runner, name, variant)
    local built, dir = build.program(name, variant), shell.tmpdir()
    local runs = five_runs(built)
    local result = runner({ "-s", built.image, table.unpack(runs) }, { cwd = dir })
    assert.same({ 0, "" }, { result.status, result.stdout })
    return built.image, runs, { dir .. "/gmon.sum" }
  end

  local function check_ours(name, variant)
    local path, runs, sum = sum_up(program.run, name, variant)
    for who, reader in pairs(readers) do
      assert.equal(report(reader, path, runs), report(reader, path, sum), who)
    end
  end

  -- GNU gprof changes the order of arcs when it writes a sum. This changes the order of ties in reports.
  local function check_gnu(ties, name, variant)
    local path, runs, sum = sum_up(oracle.run, name, variant)
    local text = report(compatible, path, sum)
    assert.equal(report(gnu, path, sum), text)
    if not ties then
      assert.equal(report(compatible, path, runs), text)
    end
  end

  for _, entry in ipairs {
    { "calls" }, { "calls", "O2+nodebug" }, { "cycles" }, { "shapes" }, { "clones" }, { "clones", "nodebug" },
    { "labels" }, { "crowd", ties = true },
  } do
    local name, variant = table.unpack(entry)
    local title = variant and name .. " " .. variant or name
    local supported, lack = build.supported(name, variant)
    if not supported then
      pending(title .. ": " .. lack)
    else
      it("our sum, " .. title, function() check_ours(name, variant) end)
      if available then
        it("GNU gprof's sum, " .. title, function() check_gnu(entry.ties, name, variant) end)
      end
    end
  end

  it("with the library's sum, too", function()
    local path, runs, sum = sum_up(program.run, "calls")
    local copy = shell.tmpdir() .. "/copy"
    assert(assert(gprof.data(assert(gprof.image(path)), table.unpack(runs))):write(copy))
    assert.equal(shell.read(copy), shell.read(sum[1]))
  end)
end)
