-- Sums of many profiles: directories and lists of profiles, trees of sums, several processes, bad profiles, and the
-- progress line.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local image <const> = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }
local subject <const> = chance.subject(image)

local function arc(count, from)
  return { kind = "arc", from = 0x1004 + (from or 0), self = 0x1100, count = count }
end

local function histogram(ticks, bins)
  return { kind = "histogram", low = 0x1000, high = 0x1400, bins = { n = bins or 512, [7] = ticks } }
end

local function profile(...)
  return gmon.magic { records = { ... } }
end

-- Makes a directory with these files and returns its path. `files` maps names to contents, or to a table for a
-- subdirectory.
local function directory(files, path)
  path = path or shell.tmpdir "many"
  for name, content in pairs(files) do
    local inner = path .. "/" .. name
    if type(content) == "table" then
      shell.check { "mkdir", inner }
      directory(content, inner)
    else
      shell.write(inner, content)
    end
  end
  return path
end

-- Sums profiles with the program. Returns the result, and the bytes of the sum if the program wrote one.
local function sum(arguments, options)
  local path = shell.tmpdir() .. "/sum"
  local result = program.run({ "--sum-file=" .. path, image, table.unpack(arguments) }, options)
  return result, shell.exists(path) and shell.read(path) or nil
end

-- Warnings about duplicates are checked in duplicates_spec.
local function check_sum(expected, arguments, options)
  local result, bytes = sum(arguments, options)
  local told = result.stderr:gsub("gprof%.lua: warning: added twice: [^\n]*\n", "")
  assert.same({ 0, "", "" }, { result.status, result.stdout, told })
  assert.equal(expected, bytes)
end

-- Checks that the program prints only this message and writes no sum, with one process and with several.
local function check_failure(message, arguments, options)
  for _, jobs in ipairs { "--jobs=1", "--jobs=3" } do
    local result, bytes = sum({ jobs, table.unpack(arguments) }, options)
    assert.same({ 1, "", "gprof.lua: " .. message .. "\n" }, { result.status, result.stdout, result.stderr })
    assert.is_nil(bytes)
  end
end

-- Random profiles ------------------------------------------------------------------------------

-- Returns the records of another run: other counts, some calls missing, and the calls in another order.
local function another_run(records)
  local run = {}
  for _, record in ipairs(records) do
    local copy = {}
    for name, value in pairs(record) do copy[name] = value end
    if copy.kind == "arc" then
      copy.count = math.random(0, 0xffffffff)
    elseif copy.kind == "histogram" then
      copy.bins = { n = record.bins.n }
      for _ = 1, math.random(0, 20) do copy.bins[math.random(copy.bins.n)] = math.random(0, 65535) end
    end
    if copy.kind == "histogram" or math.random(8) > 1 then
      table.insert(run, copy.kind == "arc" and math.random(#run + 1) or #run + 1, copy)
    end
  end
  return gmon.magic { records = run }
end

-- Writes random profiles that can be summed. Returns their paths and their directory.
local function random_runs()
  local dir, paths = shell.tmpdir "runs", {}
  local records = gmon.parse(chance.profile(subject, "magic")).records
  for i = 1, math.random(1, 12) do
    paths[i] = gmon.write(("%s/gmon.%02d"):format(dir, i), another_run(records))
  end
  return paths, dir
end

-- Damages a profile: truncates it, replaces it with one that cannot be added to the others, appends an invalid record,
-- or writes text in its place.
local function spoil(path)
  local bytes = shell.read(path)
  local kind = math.random(4)
  gmon.write(path, kind == 1 and bytes:sub(1, math.random(0, #bytes - 1)) or
    kind == 2 and profile { kind = "histogram", low = 0x1000, high = 0x1400, bins = { n = 77 }, rate = 7 } or
    kind == 3 and bytes .. "\9" or "no profile at all")
end

local function written(data)
  local path = shell.tmpdir() .. "/sum"
  assert(data:write(path))
  return shell.read(path), path
end

describe("any tree of sums equals the flat sum:", function()
  local opened = assert(gprof.image(image))

  -- Sums the files from `first` to `last` as a random tree of partial sums: some are written to files, others stay in
  -- memory.
  local function tree(paths, first, last)
    local data, i = gprof.data.new { image = opened }, first
    while i <= last do
      local to = math.random(i, last)
      if i == to then
        assert(data:read(paths[i]))
      elseif to - i == last - first then
        to = i - 1  -- the whole range would recurse forever
      elseif math.random(2) == 1 then
        assert(data:merge(tree(paths, i, to)))
      else
        local _, path = written(tree(paths, i, to))
        assert(math.random(2) == 1 and data:read(path) or data:add_file(path))
      end
      i = to + 1
    end
    return data
  end

  it("with the library", function()
    chance.cases(11000, 40)(function(remark)
      local paths = random_runs()
      local flat = written(assert(gprof.data(opened, table.unpack(paths))))
      assert.equal(flat, (written(tree(paths, 1, #paths))), remark)
    end)
  end)

  it("with several processes", function()
    chance.cases(12000, 20)(function(remark)
      local paths, dir = random_runs()
      local flat = written(assert(gprof.data(opened, table.unpack(paths))))
      check_sum(flat, { dir, "--jobs=" .. math.random(2, 5) })
      local result, bytes = sum { "--keep-going", "--jobs=" .. math.random(2, 15), table.unpack(paths) }
      assert.same({ 0, "", flat }, { result.status, result.stderr, bytes }, remark)
    end)
  end)

  -- Removes the reasons from messages. If a file is bad for several reasons, the message may give any of them, because
  -- a worker's sum lacks the earlier files.
  local function without_reasons(text)
    return (text:gsub("(gprof%.lua: [^\n:]*/gmon%.%d+: )[^\n]*", "%1"))
  end

  it("with several processes, which skip the same bad profiles", function()
    chance.cases(13000, 20)(function(remark)
      local paths, dir = random_runs()
      for _ = 1, math.random(3) do spoil(chance.pick(paths)) end
      local named = math.random(2) == 1 and paths or { dir }
      local one, bytes = sum { "--keep-going", table.unpack(named) }
      for _, jobs in ipairs { 2, math.random(3, 15) } do
        local several, same = sum { "--keep-going", "--jobs=" .. jobs, table.unpack(named) }
        assert.same({ one.status, without_reasons(one.stderr), bytes },
          { several.status, without_reasons(several.stderr), same }, remark)
      end
    end)
  end)

  it("with several processes, which report the first bad profile as one process does", function()
    chance.cases(14000, 20)(function(remark)
      local paths, dir = random_runs()
      for _ = 1, math.random(3) do spoil(chance.pick(paths)) end
      local named = math.random(2) == 1 and paths or { dir }
      local one, bytes = sum(named)
      for _, jobs in ipairs { 2, math.random(3, 15) } do
        local several, same = sum { "--jobs=" .. jobs, table.unpack(named) }
        assert.same({ one.status, one.stderr, bytes }, { several.status, several.stderr, same }, remark)
      end
    end)
  end)
end)

-- Directories and lists ----------------------------------------------------------------------------

describe("a directory of profiles", function()
  it("stands for all profiles in it and its subdirectories, in the order of names", function()
    local dir = directory {
      ["b"] = profile(arc(1, 1)), ["a"] = { ["z 9"] = profile(arc(2, 2)), ["y"] = { x = profile(arc(4, 3)) } },
      ["c"] = profile(arc(8, 1)), ["B"] = profile(arc(16, 4)),
    }
    check_sum(profile(arc(16, 4), arc(4, 3), arc(2, 2), arc(9, 1)), { dir })
    check_sum(profile(arc(16, 4), arc(4, 3), arc(2, 2), arc(9, 1)), { dir .. "//", "--jobs=4" })
    check_sum(profile(arc(32, 9), arc(18, 1), arc(16, 4), arc(4, 3), arc(2, 2)),
      { gmon.write(shell.tmpdir() .. "/one", profile(arc(32, 9))), dir .. "/c", dir .. "/b", dir })
  end)

  it("can be printed by any report", function()
    local dir = directory { ["one"] = profile(histogram(3), arc(1)), ["two"] = profile(histogram(4), arc(2)) }
    for _, words in ipairs { { "-b" }, { "-b", "--jobs=2" }, { "-i" }, { "-i", "--jobs=2" },
      { "-i", "--keep-going" }, { "--report=flat", "--jobs=2" } } do
      local expected = program.run { image, dir .. "/one", dir .. "/two", table.unpack(words) }
      local result = program.run { image, dir, table.unpack(words) }
      assert.same({ 0, "", expected.stdout }, { result.status, result.stderr, result.stdout })
    end
  end)

  it("is searched for files that begin like profiles; the others are reported in one line", function()
    local dir = directory { ["gmon.1"] = profile(arc(1)), ["log"] = "a line\n", ["empty"] = "",
      ["below"] = { ["gmon"] = "gmo", ["gmon.2"] = profile(arc(2)) } }
    for _, jobs in ipairs { 1, 2, 4 } do
      local result, bytes = sum { dir, "--jobs=" .. jobs }
      assert.same({ 0, ("gprof.lua: warning: %s: skipped files that are not profiles: 3 of 5, such as %s/below/gmon\n")
        :format(dir, dir), profile(arc(3)) }, { result.status, result.stderr, bytes })
    end
  end)

  it("is read without hidden files, pipes, and links to directories", function()
    local dir = directory { ["gmon.1"] = profile(arc(1)), [".gmon.2"] = profile(arc(2)),
      [".snapshot"] = { ["gmon.1"] = profile(arc(4)) }, ["below"] = {} }
    local elsewhere = directory { file = profile(arc(8)) }
    shell.check({ "sh", "-c", 'mkfifo pipe && ln -s .. below/up && ln -s nowhere dangling && ln -s "$1" link && ' ..
      'ln -s "$1/file" gmon.3', "sh", elsewhere }, { cwd = dir })
    check_sum(profile(arc(9)), { dir })
  end)

  it("is read without the sum that will be replaced, unless the command line names the sum, too", function()
    local dir = directory { ["gmon.1"] = profile(arc(1)) }
    for _ = 1, 2 do
      local result = program.run({ "-s", image, "." }, { cwd = dir })
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(profile(arc(1)), shell.read(dir .. "/gmon.sum"))
    end
    assert.equal(0, program.run({ "-s", image, ".", "gmon.sum" }, { cwd = dir }).status)
    assert.equal(profile(arc(2)), shell.read(dir .. "/gmon.sum"))
    check_sum(profile(arc(3)), { dir })
  end)

  it("must contain a profile", function()
    local empty = directory { below = { [".hidden"] = profile(arc(1)) } }
    check_failure(empty .. ": contains no profiles", { empty })
    local logs = directory { log = "text", other = "text" }
    check_failure(logs .. ": contains no profiles", { logs })
  end)

  it("must be readable, and so must the files and directories in it", function()
    local dir = directory { a = { b = { ["gmon.1"] = profile(arc(1)) } }, ["gmon.2"] = profile(arc(2)) }
    local function check(path, what)
      shell.check { "chmod", "000", path }
      local result = launch.line(launch.permitted(), { "--sum-file=" .. shell.tmpdir() .. "/sum", image, dir })
      shell.check { "chmod", "755", path }
      assert.same({ 1, ("gprof.lua: %s: Permission denied\n"):format(path) }, { result.status, result.stderr }, what)
    end
    check(dir .. "/a/b", "a directory")
    check(dir .. "/gmon.2", "a file")
  end)

  it("is refused with --gnu-compat", function()
    local dir = directory { ["gmon.1"] = profile(arc(1)) }
    local result = program.run { "--gnu-compat", image, dir }
    assert.same({ 1, "", "gprof.lua: " .. dir .. ": is a directory\n" },
      { result.status, result.stdout, result.stderr })
  end)
end)

describe("a list of profiles", function()
  local dir = directory { ["a b"] = profile(arc(1, 1)), ["c'd\""] = profile(arc(2, 2)), ["e\nf"] = profile(arc(4, 3)) }

  local function list(text)
    return shell.write(shell.tmpdir() .. "/list", text)
  end

  it("has one name per line, without quoting", function()
    check_sum(profile(arc(2, 2), arc(1, 1)), { "--profiles-from=" .. list "c'd\"\n\na b\n" }, { cwd = dir })
    check_sum(profile(arc(1, 1)), { "--profiles-from", list "a b" }, { cwd = dir })
  end)

  it("has one name before each zero byte if it contains any", function()
    check_sum(profile(arc(4, 3), arc(1, 1)), { "--profiles-from=" .. list "e\nf\0a b\0" }, { cwd = dir })
  end)

  it("is read after the named profiles, and may be standard input", function()
    check_sum(profile(arc(4, 1), arc(2, 2)), { "a b", "--profiles-from=" .. list "a b\n",
      "--profiles-from=-", "a b", "--jobs=3" }, { cwd = dir, stdin = list "c'd\"\na b" })
  end)

  it("may be long", function()
    -- The list is shorter under collected.sh, where each allocation starts a full collection, which is slow.
    local count <const> = program.is_collected and 1000 or 20000
    local names = {}
    for i = 1, count do names[i] = dir .. "/no such file " .. i end
    local long = list(table.concat(names, "\n"))
    check_failure(names[1] .. ": No such file or directory", { "--profiles-from=" .. long })
    names[count + 1] = ""
    for i = 1, count do names[i] = dir .. "/a b" end
    check_sum(profile(arc(count, 1)), { "--jobs=2", "--profiles-from=" .. list(table.concat(names, "\0")) })
  end)

  it("must exist, and name a profile", function()
    check_failure("/nowhere: No such file or directory", { "--profiles-from=/nowhere" })
    check_failure("option --profiles-from: the file name is empty", { "--profiles-from=" })
    local empty = list "\n\n"
    check_failure(empty .. ": lists no profiles", { "--profiles-from=" .. empty })
    check_failure("standard input: lists no profiles", { "--profiles-from=-" })
    check_failure(dir .. ": Is a directory", { "--profiles-from=" .. dir })
  end)

  it("names files, not directories or lists", function()
    local itself = shell.tmpdir() .. "/list"
    shell.write(itself, itself .. "\n" .. itself .. "\n")
    local result = sum { "--profiles-from=" .. itself }
    assert.equal(1, result.status)
    assert.equal(("gprof.lua: %s: not a profile"):format(itself), result.stderr:sub(1, 26 + #itself))
    check_failure(dir .. ": is a directory", { "--profiles-from=" .. list(dir) })
  end)

  it("is split into words as in a shell if it is given as @FILE; it must not include itself", function()
    check_sum(profile(arc(1, 1), arc(2, 2)), { "@" .. list [["a b" c\'d\"]] }, { cwd = dir })
    local itself = shell.tmpdir() .. "/list"
    check_failure(itself .. ": too many files are included: does it include itself?",
      { "@" .. shell.write(itself, "@" .. itself) })
  end)
end)

-- Several processes --------------------------------------------------------------------------------

describe("--jobs", function()
  local files = {}
  for i = 1, 9 do files[i] = profile(arc(1 << i, i)) end
  local dir = directory(files)

  it("takes a number of processes, or auto", function()
    for _, jobs in ipairs { "1", "2", "9", "10", "1000", "auto", "01" } do
      local _, expected = sum { dir }
      check_sum(expected, { dir, "--jobs", jobs })
    end
    check_sum(profile(arc(2, 1)), { dir .. "/1", "--jobs=2" })
  end)

  it("refuses other arguments", function()
    for _, jobs in ipairs { "0", "-1", "x", "", "1001", "1e3", "2 ", "99999999999999999999", "0x2", "automatic" } do
      local message = ("option --jobs takes a number from 1 to 1000, or auto, not '%s'"):format(jobs)
      local result = sum { "--jobs=" .. jobs, dir }
      assert.same({ 1, "gprof.lua: " .. message .. "\n" }, { result.status, result.stderr })
    end
    assert.same({ 1, "gprof.lua: option '--jobs' needs an argument\n" },
      (function(result) return { result.status, result.stderr } end)(program.run { "--jobs" }))
  end)

  it("reads profiles of old formats, whose sums cannot record that there were no calls", function()
    local old = { low = 0x1000, high = 0x1400, bins = { n = 512, [7] = 3 } }
    local paths = directory { a = gmon.bsd44(old), b = gmon.bsd44(old) }
    for _, option in ipairs { "-b", "-q" } do
      local expected = program.run { option, image, paths .. "/a", paths .. "/b" }
      local result = program.run { option, "--jobs=2", image, paths .. "/a", paths .. "/b" }
      assert.same({ expected.status, expected.stdout, expected.stderr },
        { result.status, result.stdout, result.stderr })
    end
  end)

  it("reads standard input in one process", function()
    local stdin = gmon.write(shell.tmpdir() .. "/stdin", profile(arc(4, 2)))
    check_sum(profile(arc(4, 1), arc(4, 2)), { dir .. "/1", "-", dir .. "/1", "--jobs=3" }, { stdin = stdin })
  end)

  it("gives the same message as one process for profiles that cannot be added up", function()
    local odd, good = profile(histogram(1, 256)), profile(histogram(1))
    local paths = directory { good, good, good, good, odd, odd, good, good }
    check_failure(paths .. "/5: histogram at offset 20 has bins of 4 bytes, but earlier ones have 2: " ..
      "the profile is probably from another build of the program",
      { paths .. "/1", paths .. "/2", paths .. "/3", paths .. "/4", paths .. "/5", paths .. "/6", paths .. "/7" })
    local missing = { dir .. "/1", dir .. "/2", dir .. "/3", dir .. "/none", dir .. "/4", "/nowhere" }
    check_failure(dir .. "/none: No such file or directory", missing)
  end)

  local function with_limit(limit, ...)
    return launch.line(([[ulimit -n %d; exec "$@"]]):format(limit), { "--sum-file=/dev/null", image, dir, ... })
  end

  -- Returns the smallest limit on open files with which so many processes can be started. It depends on the files that
  -- this process and tools such as valgrind have open.
  local function smallest_limit(jobs)
    for limit = 4, 64 do
      if with_limit(limit, "--jobs=" .. jobs).status == 0 then
        return limit
      end
    end
    error "no limit is large enough"
  end

  it("is limited by the number of open files that the system allows", function()
    local result = with_limit(smallest_limit(1000) - 1, "--jobs=1000")
    assert.same({ 1, "gprof.lua: cannot create a pipe: Too many open files\n" }, { result.status, result.stderr })
  end)

  -- Without the option, several processes read many files. The last file of the list is a pipe without data; meanwhile,
  -- counts the child processes.
  it("is not needed for many files, nor where processes cannot be started", function()
    local cwd = directory { one = files[1] }
    local list = shell.write(shell.tmpdir() .. "/list", ("one\n"):rep(5000))
    local with_pipe = shell.write(shell.tmpdir() .. "/list", ("one\n"):rep(5000) .. "pipe\n")
    local function read(before, ...)
      return launch.line(before .. [[ exec "$@"]], { "--sum-file=/dev/stdout", "--file-format=magic", image,
        "--profiles-from=" .. list, ... }, { cwd = cwd })
    end
    local one = read("", "--jobs=1")
    local told = "gprof.lua: warning: added twice: one (profile 2, like profile 1), one (profile 3, like profile " ..
      "1), one (profile 4, like profile 1) and 4996 more: --skip-duplicates leaves out duplicates\n"
    assert.same({ 0, told }, { one.status, one.stderr })
    local first_processor = "taskset -pc $(taskset -pc $$ | sed 's/.*: //; s/[-,].*//') $$ >/dev/null;"
    local too_few = ("ulimit -n %d;"):format(smallest_limit(2) - 1)
    -- Under collected.sh, the shell could not open this script.
    if program.is_collected then too_few = "" else assert.equal(1, read(too_few, "--jobs=2").status) end
    for _, before in ipairs { "", too_few, first_processor } do
      local result = read(before)
      assert.same({ 0, told }, { result.status, result.stderr })
      assert(result.stdout == one.stdout, before)
    end
    local count = launch.line([[
      mkfifo pipe && { "$@" & } && pid=$! && exec 3>pipe
      tr -cd ' ' </proc/$pid/task/$pid/children | wc -c; kill $pid; wait $pid]],
      { "--sum-file=/dev/null", image, "--profiles-from=" .. with_pipe }, { cwd = cwd })
    local processors = math.min(require "gprof.core".processors(), 8)
    assert.equal(processors > 1 and processors or 0, tonumber(count.stdout))
  end)

  -- Runs the program on two profiles and on a pipe without data; the second worker reads the pipe. Meanwhile, runs a
  -- line of shell, in which $pid is the program's process.
  local function with_pipe(line)
    local cwd = directory { one = files[1], two = files[2] }
    local result = launch.line([[
      mkfifo pipe && { "$@" & } && pid=$! && exec 3>pipe && ]] .. line .. [[
      wait $pid; status=$?; trap '' PIPE
      while printf x >&3; do sleep 0.02; done 2>/dev/null  # until nobody reads it any more
      rm pipe; exit $status]],
      { "-s", "--jobs=2", image, "one", "two", "pipe" }, { cwd = cwd, timeout = true })
    assert.equal("one\ntwo\n", shell.listing(cwd))
    return result
  end

  it("leaves no process and no file when it is killed by a signal", function()
    for name, number in pairs { TERM = 15, INT = 2, KILL = 9, HUP = 1 } do
      local result = with_pipe(("kill -%s $pid;"):format(name))
      assert.same({ 128 + number, "" }, { result.status, result.stdout })
    end
  end)

  it("reports in one line that a worker was killed", function()
    local result = with_pipe [[
      read -r _ last _ </proc/$pid/task/$pid/children; kill -KILL $last;]]
    assert.same({ 1, "gprof.lua: a process of --jobs was killed by signal 9\n" },
      { result.status, result.stderr })
  end)
end)

-- Bad profiles ---------------------------------------------------------------------------------------

describe("--keep-going", function()
  local good = profile(histogram(3), arc(1))
  local dir = directory { a = good, b = good:sub(1, -2), c = profile(histogram(1, 256)), d = "", e = good }
  local at = #good - 21

  it("skips bad profiles, reports each, and finally their number", function()
    for _, jobs in ipairs { 1, 2, 3, 6 } do
      local result, bytes = sum { "--keep-going", "--jobs=" .. jobs, dir .. "/a", dir .. "/b", dir .. "/c", dir .. "/d",
        "/nowhere", dir .. "/e" }
      assert.equal(([[
gprof.lua: DIR/b: ends in the middle of the arc at offset %d
gprof.lua: DIR/c: histogram at offset 20 has bins of 4 bytes, but earlier ones have 2: %s
gprof.lua: DIR/d: is empty
gprof.lua: /nowhere: No such file or directory
gprof.lua: bad profiles skipped: 4
]]):format(at, "the profile is probably from another build of the program")
        :gsub("DIR", (dir:gsub("%%", "%%%%"))), result.stderr)
      assert.same({ 1, profile(histogram(6), arc(2)) }, { result.status, bytes })
    end
  end)

  it("works with reports", function()
    local result = program.run { "--keep-going", "-b", "-p", image, dir .. "/a", "/nowhere", dir .. "/e" }
    assert.same({ 1, program.run({ "-b", "-p", image, dir .. "/a", dir .. "/e" }).stdout,
      "gprof.lua: /nowhere: No such file or directory\ngprof.lua: bad profiles skipped: 1\n" },
      { result.status, result.stdout, result.stderr })
  end)

  it("needs one good profile", function()
    local result, bytes = sum { "--keep-going", "/nowhere", dir .. "/d" }
    assert.same({ 1, "gprof.lua: /nowhere: No such file or directory\ngprof.lua: " .. dir ..
      "/d: is empty\ngprof.lua: none of the profiles can be read\n" }, { result.status, result.stderr })
    assert.is_nil(bytes)
  end)

  it("accepts directories without profiles, but no missing list or image", function()
    local empty, logs = directory {}, directory { log = "text" }
    local result, bytes = sum { "--keep-going", empty, logs, dir .. "/a" }
    assert.same({ 1, ("gprof.lua: %s: contains no profiles\ngprof.lua: %s: contains no profiles\n" ..
      "gprof.lua: bad profiles skipped: 2\n"):format(empty, logs), good },
      { result.status, result.stderr, bytes })
    check_failure("/nowhere: No such file or directory", { "--keep-going", "--profiles-from=/nowhere" })
  end)

  it("prints nothing if all profiles are good", function()
    check_sum(profile(histogram(6), arc(2)), { "--keep-going", dir .. "/a", dir .. "/e" })
  end)

  -- This test is skipped with sanitizers, which need more memory than the limit. Instead, scarce_spec makes each single
  -- allocation fail.
  if os.getenv "GPROF_LUA" then return end

  it("stops if memory runs out", function()
    local BINS <const>, AT <const> = 100000000, 29 -- the offset of the end of the code and the number of bins
    local bytes = profile(histogram(1))
    local numbers = ("<I8I4"):pack(BINS * 4, BINS)
    local large = shell.write(shell.tmpdir() .. "/large", bytes:sub(1, AT) .. numbers .. bytes:sub(AT + #numbers + 1))
    shell.check { "truncate", "-s", #bytes + 2 * (BINS - 512), large }
    assert.equal(0, program.run { "-s", "--sum-file=/dev/null", image, large }.status)
    local result = launch.line([[ulimit -v 150000; exec "$@"]],
      { "--keep-going", "--sum-file=/dev/null", image, large })
    assert.same({ 1, "gprof.lua: " .. large .. ": not enough memory\n" }, { result.status, result.stderr })
  end)
end)

-- Progress -------------------------------------------------------------------------------------------

describe("the progress line", function()
  local one = gmon.write(shell.tmpdir() .. "/one", profile(arc(1)))

  -- Returns the output on a terminal while the program adds three profiles, the second of which is slow.
  local function shown(line, ...)
    local dir = shell.tmpdir()
    shell.check({ "mkfifo", "pipe" }, { cwd = dir })
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--sum-file=sum", image, one, "pipe", one, ... } do
      words[#words + 1] = word
    end
    local slow = ("{ sleep 1.2; cat %s; } >pipe & %s"):format(one, line:format(shell.join(words)))
    local result = shell.run({ "script", "-qec", slow, "/dev/null" }, { cwd = dir, timeout = true })
    assert.equal(profile(arc(3)), shell.read(dir .. "/sum"))
    return result.stdout
  end

  if not shell.run({ "script", "--version" }).stdout:find("util-linux", 1, true) then
    pending "needs script of util-linux"
    return
  end

  it("is shown on a terminal, and cleared in the end", function()
    for _, jobs in ipairs { "--jobs=1", "--jobs=2" } do
      local text = shown("%s", jobs)
      local line = text:match "^\r(%d of 3 files, %d+%.%d MB/s, %d+:%d%d left)"
      assert.truthy(line, text)
      assert.truthy(text:find "\r +\r$", text)
      assert.is_nil(text:find("\n", 1, true))
    end
  end)

  it("is not shown elsewhere, nor with --no-progress", function()
    assert.equal("", shown "%s 2>err; cat err")
    assert.equal("", shown("%s", "--no-progress"))
    assert.equal("", shown("%s", "--gnu-compat"))
  end)

  -- Returns the output on a terminal while the program writes a page to a pipe. `reader`, a shell command, reads the
  -- pipe late; it finds all that was shown in the file "typescript", whose first line has the command, too.
  local function shown_for_export(reader, ...)
    local dir = shell.tmpdir()
    shell.check({ "mkfifo", "page" }, { cwd = dir })
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "--html=page", image, one, ... } do
      words[#words + 1] = word
    end
    local late = ("%s & %s; wait"):format(reader, shell.join(words))
    local result = shell.run({ "script", "-qefc", late, "typescript" }, { cwd = dir, timeout = true })
    assert.truthy(shell.read(dir .. "/copy"):find("</html>\n$"))
    return result.stdout
  end

  it("says what is being written if that takes long, and is cleared in the end", function()
    local text = shown_for_export(("{ %s; cat page >copy; }"):format(shell.await "grep -q '[w]riting page' typescript"))
    assert.truthy(text:find "^\rgprof%.lua: writing page: 2 s", text)
    assert.truthy(text:find "\r +\r$", text)
  end)

  -- Opening a pipe waits for the other end, and the page is larger than what a pipe holds.
  it("does not say so with --no-progress", function()
    assert.equal("", shown_for_export("{ sleep 3.2; cat; } <page >copy", "--no-progress"))
  end)
end)
