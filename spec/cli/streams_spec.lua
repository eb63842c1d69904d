-- Sums of profiles that are found while they are read: lists that are still being written, and archives; and profiles
-- that are added twice.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local tar = require "support.tar"

local image <const> = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }

local function arc(count, from)
  return { kind = "arc", from = 0x1004 + (from or 0), self = 0x1100, count = count }
end

local function profile(...)
  return gmon.magic { records = { ... } }
end

local function sum(arguments, options)
  local path = shell.tmpdir() .. "/sum"
  local result = program.run({ "--sum-file=" .. path, image, table.unpack(arguments) }, options)
  return result, shell.exists(path) and shell.read(path) or nil, path
end

-- Checks the sum that the program writes when it reads a text from a pipe.
local function check_piped(expected, text, arguments, options)
  local path = shell.write(shell.tmpdir() .. "/text", text)
  local out = shell.tmpdir() .. "/sum"
  local result = launch.line(("cat %s | \"$@\""):format(shell.quote(path)),
    { "--sum-file=" .. out, image, table.unpack(arguments) }, options)
  assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
  assert.equal(expected, shell.read(out))
end

local function check_failure(message, text, arguments, options)
  local path = shell.write(shell.tmpdir() .. "/text", text)
  local out = shell.tmpdir() .. "/sum"
  local result = launch.line(("cat %s | \"$@\""):format(shell.quote(path)),
    { "--sum-file=" .. out, image, table.unpack(arguments) }, options)
  assert.same({ 1, "", "gprof.lua: " .. message .. "\n" }, { result.status, result.stdout, result.stderr })
  assert.is_false(shell.exists(out))
end

local function workplace(files)
  local dir = shell.tmpdir "streams"
  for name, bytes in pairs(files) do shell.write(dir .. "/" .. name, bytes) end
  return dir
end

-- Lists ------------------------------------------------------------------------------------------------------------

describe("a list that is still being written", function()
  local dir <const> = workplace { a = profile(arc(1, 1)), ["b c"] = profile(arc(2, 2)), d = profile(arc(4, 3)) }

  -- The producer writes a name, and then waits until the profile is read: it is a pipe.
  it("is read name by name", function()
    local cwd = workplace { a = profile(arc(1, 1)), b = profile(arc(2, 2)) }
    for _, terminator in ipairs { [[\n]], [[\0]] } do
      local result = launch.line(([[
        rm -f one two; mkfifo one two
        { printf 'one%s'; cat a >one; printf 'two%s'; cat b >two; printf 'a%s'; } | "$@" ]]):gsub("%%s",
        { ["%s"] = terminator }), { "-s", image, "--profiles-from=-" }, { cwd = cwd, timeout = true })
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(profile(arc(2, 1), arc(2, 2)), shell.read(cwd .. "/gmon.sum"))
    end
  end)

  it("may arrive in pieces of any size", function()
    local text = "a\n\nb c\nd"
    for i = 1, #text - 1 do
      local line = ("{ printf %%s %s; sleep 0.01; printf %%s %s; } | \"$@\""):format(shell.quote(text:sub(1, i)),
        shell.quote(text:sub(i + 1)))
      local result = launch.line(line, { "-s", image, "--profiles-from=-" }, { cwd = dir })
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(profile(arc(1, 1), arc(2, 2), arc(4, 3)), shell.read(dir .. "/gmon.sum"))
    end
    os.remove(dir .. "/gmon.sum")
  end)

  it("has names that end in the first of newline and zero byte", function()
    check_piped(profile(arc(2, 2), arc(4, 3)), "b c\0d\0", { "--profiles-from=-" }, { cwd = dir })
    check_failure("standard input: name 2 has a zero byte, but the names before it end in newlines", "a\nb\0d\n",
      { "--profiles-from=-" }, { cwd = dir })
  end)

  it("is refused if a name is longer than any path, and if it is empty", function()
    check_failure("standard input: name 2 has more than 65536 bytes", "a\n" .. ("x"):rep(70000),
      { "--profiles-from=-" }, { cwd = dir })
    check_failure("standard input: lists no profiles", "\n\n", { "--profiles-from=-" })
    local result = launch.line([[yes | tr -d '\n' | "$@"]], { "-s", image, "--profiles-from=-" })
    assert.same({ 1, "gprof.lua: standard input: name 1 has more than 65536 bytes\n" },
      { result.status, result.stderr })
  end)

  it("is refused if it is an archive", function()
    local archive = tar.archive { { "a", profile(arc(1, 1)) } }
    check_failure("standard input: is a tar archive: write --profiles-from=tar:-", archive,
      { "--keep-going", "--profiles-from=-" }, { cwd = dir })
    local path = shell.write(shell.tmpdir() .. "/a.tar", archive)
    local result = sum({ "--keep-going", "--profiles-from=" .. path }, { cwd = dir })
    assert.same({ 1, ("gprof.lua: %s: is a tar archive: write --profiles-from=tar:%s\n"):format(path, path) },
      { result.status, result.stderr })
  end)

  it("names the bad profile, and goes on with --keep-going", function()
    check_failure("none: No such file or directory", "a\nnone\nd\n", { "--profiles-from=-" }, { cwd = dir })
    local result = launch.line([[printf 'a\nnone\nd\n' | "$@"]], { "-s", "--keep-going", image, "--profiles-from=-" },
      { cwd = dir })
    assert.same({ 1, "gprof.lua: none: No such file or directory\ngprof.lua: bad profiles skipped: 1\n" },
      { result.status, result.stderr })
    assert.equal(profile(arc(1, 1), arc(4, 3)), shell.read(dir .. "/gmon.sum"))
    os.remove(dir .. "/gmon.sum")
  end)

  it("is read to its end first with --jobs, and in the sandbox", function()
    for _, option in ipairs { "--jobs=2", "--sandbox" } do
      check_piped(profile(arc(1, 1), arc(4, 3)), "a\nd\n", { option, "--profiles-from=-" }, { cwd = dir })
    end
  end)

  -- The size of memory is that of the sum and of what finds duplicates, which is limited.
  it("does not take more memory if it is longer", function()
    local count = os.getenv "GPROF_THOROUGH" and 100000 or 8000
    local cwd = shell.tmpdir "long"
    for i = 1, count do shell.write(("%s/%d"):format(cwd, i), profile(arc(1))) end
    local function peak(names)
      local result = launch.script([[
        require "gprof"
        require "gprof.cli.main".run(arg)
        for line in io.lines "/proc/self/status" do print(line:match "^VmHWM:%s*(%d+)") end]],
        { "-s", image, "--profiles-from=-" }, { cwd = cwd, line = ("seq 1 %d | \"$@\""):format(names) })
      return assert(tonumber(result.stdout:match "%d+"), result.stderr)
    end
    if (os.getenv "GPROF_LUA" or "") ~= "" then return end
    local growth = peak(count) - peak(count // 8)
    assert(growth < 100 * count / 1000 + 1000, ("%d kB more for %d names"):format(growth, count))
    assert.equal(profile(arc(count // 8)), shell.read(cwd .. "/gmon.sum"))
  end)
end)

-- Archives ---------------------------------------------------------------------------------------------------------

describe("an archive", function()
  local one <const>, two <const> = profile(arc(1, 1)), profile(arc(2, 2))
  local both <const> = profile(arc(1, 1), arc(2, 2))
  local archive <const> = tar.archive { { "gmon.1", one }, { "gmon.2", two } }
  local FROM <const> = "--profiles-from=tar:-"

  it("is read from a pipe or a file", function()
    check_piped(both, archive, { FROM })
    check_piped(both, archive, { FROM, "--keep-going" })
    check_piped(both, archive, { FROM, "--sandbox" })
    check_piped(both, archive, { FROM, "--jobs=3" })
    local path = shell.write(shell.tmpdir() .. "/a.tar", archive)
    local result, bytes = sum { "--profiles-from=tar:" .. path }
    assert.same({ 0, "", both }, { result.status, result.stderr, bytes })
    local printed = program.run { "-b", "-i", image, "--profiles-from=tar:" .. path }
    assert.truthy(printed.stdout:find(path .. "(gmon.1)", 1, true), printed.stderr)
  end)

  it("may be written by tar in any of its formats, with long names", function()
    local dir = shell.tmpdir "tar"
    local deep = dir .. "/" .. ("directory/"):rep(9)
    shell.check { "mkdir", "-p", deep .. ("deeper/"):rep(20) }
    shell.write(deep .. "gmon.1", one)
    shell.check { "ln", deep .. "gmon.1", dir .. "/link" }
    shell.check { "ln", "-s", "gmon.1", dir .. "/soft" }
    for _, format in ipairs { "v7", "ustar", "gnu", "pax", "oldgnu" } do
      if format ~= "v7" and format ~= "ustar" then shell.write(deep .. ("deeper/"):rep(20) .. "gmon.2", two) end
      local expected = (format == "v7" or format == "ustar") and one or both
      local line = ("tar -C %s --format=%s -cf - . 2>/dev/null | \"$@\""):format(shell.quote(dir), format)
      local result = launch.line(line, { "--sum-file=sum", image, FROM }, { cwd = dir })
      assert.same({ 0, "" }, { result.status, result.stderr }, format)
      local bytes = shell.read(dir .. "/sum")
      local other = profile(arc(2, 2), arc(1, 1))
      assert(bytes == expected or bytes == other, format)
      os.remove(dir .. "/sum")
    end
  end)

  it("may use every kind of entry", function()
    local long = ("d/"):rep(150) .. "gmon"
    check_piped(both, table.concat { tar.pax({ { "comment", "4f2" } }, "g"), tar.entry { name = "d/", type = "5" },
      tar.pax { { "path", long }, { "mtime", "1.5" } }, tar.entry { name = "short", content = one },
      tar.entry { name = "to", type = "2" }, tar.entry { name = "label", type = "V", magic = "gnu", size = 77 },
      tar.long_name(long .. 2), tar.entry { name = "short", magic = "gnu", content = two, type = "7" },
      tar.entry { name = "old/", type = "\0", magic = "none" }, tar.entry { name = "device", type = "3" },
      tar.entry { name = "hard", type = "1", size = 5000 }, tar.END }, { FROM })
    local binary = "\128" .. ("\0"):rep(7) .. (">I4"):pack(#one)
    check_piped(both, tar.entry { name = "a", prefix = "dir", content = one, size = binary } ..
      tar.pax { { "size", tostring(#two) } } .. tar.entry { name = "b", content = two, size = 0 } .. tar.END, { FROM })
  end)

  it("may have pax records without a value, which delete earlier ones", function()
    check_piped(both, tar.pax { { "size", "" }, { "path", "" } } .. tar.entry { name = "a", content = one } ..
      tar.pax { { "path", ".hidden" }, { "size", "7" }, { "path", "" }, { "size", "" } } ..
      tar.entry { name = "b", content = two } .. tar.END, { FROM })
  end)

  it("may follow another one, and have more zero bytes at its end", function()
    check_piped(profile(arc(1, 1), arc(2, 2), arc(8, 3)), archive .. ("\0"):rep(9216) ..
      tar.archive { { "gmon.3", profile(arc(8, 3)) } }, { FROM })
  end)

  it("is read without hidden members, like a directory; other files are counted", function()
    check_piped(one, tar.archive { { "./._gmon.1", two }, { ".git/gmon", two }, { "./d/../gmon.1", one } }, { FROM })
    local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive { { "log", "text" }, { "gmon.1", one } })
    local result, bytes = sum { "--profiles-from=tar:" .. path }
    assert.same({ 0, ("gprof.lua: warning: %s: skipped files that are not profiles: 1 of 2, such as %s(log)\n"):format(
      path, path), one }, { result.status, result.stderr, bytes })
    check_failure("standard input: contains no profiles", tar.archive { { "log", "text" } }, { FROM })
    check_failure("standard input: contains no profiles", tar.END, { FROM })
  end)

  it("is reported if it is damaged, incomplete, or not an archive", function()
    check_failure("standard input: is empty", "", { FROM })
    check_failure("standard input: is too short to be a tar archive", "text\n", { FROM })
    check_failure("standard input: not a tar archive", ("text\n"):rep(200), { FROM })
    check_failure("standard input: is compressed: decompress it with gzip -dc", "\x1f\x8b\8text", { FROM })
    check_failure("standard input: is compressed: decompress it with zstd -dc", "\x28\xb5\x2f\xfd" .. ("x"):rep(600),
      { FROM })
    check_failure("standard input: is too short to be a tar archive", "\x1f", { FROM })
    check_failure("/nowhere: No such file or directory", "", { "--profiles-from=tar:/nowhere" })
    for option, words in pairs { threads = { "--threads" }, thread = { "--thread=1" },
      ["update-baseline"] = { "--update-baseline", "--baseline=base" } } do
      check_failure(("option --%s: profiles cannot be read from archives"):format(option), archive,
        { FROM, table.unpack(words) })
    end
    check_failure("standard input: is incomplete: it ends at offset 1024, without the mark for the end of an archive",
      archive:sub(1, 1024), { FROM })
    check_failure("standard input(gmon.2): ends in the middle of the arc at offset 20",
      tar.archive { { "gmon.1", one }, { "gmon.2", two:sub(1, -2) } }, { FROM })
    check_failure("standard input: is damaged: there is no header at offset 1024",
      archive:sub(1, 1024) .. ("x"):rep(512) .. archive:sub(1025), { FROM })
    check_failure("standard input: is damaged: the header at offset 0 has a wrong size",
      tar.entry { name = "a", size = "12x45678901\0" } .. tar.END, { FROM })
    check_failure("standard input: is damaged: the extended header that ends at offset 1024 cannot be read",
      tar.entry { name = "x", type = "x", content = "99 path=a\n" } .. archive, { FROM })
    check_failure("standard input: is damaged: the extended header at offset 0 has 8589934591 bytes: the limit is " ..
      "1048576", tar.entry { name = "x", type = "x", size = "77777777777\0" } .. archive, { FROM })
    for _, sparse in ipairs { tar.entry { name = "s", type = "S", magic = "gnu", content = one },
      tar.pax { { "GNU.sparse.major", "1" } } .. tar.entry { name = "s", content = one } } do
      check_failure("standard input(s): is a sparse member, which is unsupported: omit tar's option -S",
        sparse .. archive, { FROM })
    end
  end)

  it("is never read in proportion to a size that it claims", function()
    for content, name in pairs { ["log"] = "standard input", ["gprofctx"] = "standard input(a)" } do
      local claimed = tar.entry { name = "a", size = "77777777777\0", content = content }
      check_failure(name .. ": is incomplete: the archive ends at offset 1024", claimed, { FROM })
    end
  end)

  -- AddressSanitizer itself needs more address space than the limit.
  if not os.getenv "GPROF_LUA" then
    it("is not believed about its size when a profile in it claims many samples", function()
      local content = profile() .. ("<c1I8I8I4I4c15c1"):pack("\0", 0x401000, 0x401000 + 0x1c0000000, 0x70000000,
        100, "seconds", "s")
      local path = shell.write(shell.tmpdir() .. "/a.tar", tar.entry { name = "a", size = "77777777777\0",
        content = content })
      local result = launch.line('ulimit -v 1500000 && exec "$@"', { "-s", "--profiles-from=tar:" .. path, image })
      assert.same({ 1, ("gprof.lua: %s(a): is incomplete: the archive ends at offset 1024\n"):format(path) },
        { result.status, result.stderr })
    end)
  end

  it("that is cut anywhere gives one line, and no sum", function()
    local path = shell.write(shell.tmpdir() .. "/a.tar", archive)
    for size = 0, #archive - 1024, 37 do
      local result, bytes = sum({ "--profiles-from=tar:-" },
        { stdin = shell.write(path .. ".cut", archive:sub(1, size)) })
      assert.equal(1, result.status)
      assert.truthy(result.stderr:find "^gprof%.lua: standard input[^\n]*\n$", result.stderr)
      assert.is_nil(bytes)
    end
  end)

  it("is skipped from the damage on with --keep-going", function()
    local path = shell.write(shell.tmpdir() .. "/cut.tar", archive:sub(1, 1100))
    local result, bytes = sum { "--keep-going", "--profiles-from=tar:" .. path }
    assert.same({ 1, one, ("gprof.lua: %s: is incomplete: the archive ends at offset 1100\n" ..
      "gprof.lua: bad profiles skipped: 1\n"):format(path) }, { result.status, bytes, result.stderr })
  end)
end)

-- Context profiles ---------------------------------------------------------------------------------------------------

describe("a profile and its context profile", function()
  -- Returns the profiles of a process with so many calls: gmon.out, and the context profile beside it.
  local function process(calls, written, id)
    local plain = gmon.magic { records = { { kind = "histogram", low = 0x1000, high = 0x1400, bins = { n = 256 },
      rate = 1000 }, { kind = "arc", from = 0x1004, self = 0x1100, count = calls } },
      spare = ("<I4I8"):pack(0, written) }
    return plain, contexts.pack {
      process = { low = 0x1000, high = 0x1400, finish = written, id = id, begin = id and 7 },
      modules = { { low = 0x1000, high = 0x1400 } },
      tables = { { { context = 0, from = 0x1004, self = 0x1100, count = calls } } } }
  end

  local plain <const>, paths <const> = process(3, 1 << 60)
  local plain2 <const>, paths2 <const> = process(5, 1 << 61)
  local files <const> = { ["a"] = plain, ["a.ctx"] = paths, ["b"] = plain2, ["b.ctx"] = paths2 }
  local dir <const> = workplace(files)
  local _, expected, expected_path = sum { dir .. "/a", dir .. "/b" }
  local expected_paths = shell.read(expected_path .. ".ctx")

  local function check(result, path, remark, has_spread)
    assert.same({ 0, "" }, { result.status, result.stderr }, remark)
    assert.is_true(has_spread or expected == shell.read(path), remark)
    assert.is_true(expected_paths == shell.read(path .. ".ctx"), remark)
  end

  it("are one profile, in any order, in lists and archives", function()
    for _, names in ipairs { "a a.ctx b b.ctx", "a.ctx a b.ctx b", "a b b.ctx a.ctx", "a.ctx b.ctx",
      "a.ctx b b.ctx a" } do
      local members, out = {}, shell.tmpdir() .. "/sum"
      for name in names:gmatch "%S+" do members[#members + 1] = { "./" .. name, files[name] } end
      local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive(members))
      check(program.run { "--sum-file=" .. out, image, "--profiles-from=tar:" .. path }, out, names)
      check(launch.line(("printf '%%s\\n' %s | \"$@\""):format(names), { "--sum-file=" .. out, image,
        "--profiles-from=-" }, { cwd = dir }), out, names)
    end
  end)

  it("are read once if the profile is a pipe", function()
    local cwd = workplace { ["a.ctx"] = paths, aside = plain }
    local result = launch.line([[mkfifo a; cat aside >a & "$@"]], { "-b", "-q", image, "a" },
      { cwd = cwd, timeout = true })
    assert.equal(0, result.status)
    assert.truthy(result.stdout:find "3/3 ", result.stdout)
  end)

  it("are one run in the spread of an archive", function()
    local members, out = {}, shell.tmpdir() .. "/sum"
    for name in ("a b.ctx a.ctx b"):gmatch "%S+" do members[#members + 1] = { name, files[name] } end
    local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive(members))
    check(program.run { "--spread", "--sum-file=" .. out, image, "--profiles-from=tar:" .. path }, out, nil, true)
    assert.truthy(program.run { "-b", "--spread", image, out }.stdout:find "over 2 runs")
  end)

  it("are one run in the comparison of an archive", function()
    for _, names in ipairs { "a a.ctx b.ctx b", "a.ctx a b" } do
      local members = {}
      for name in names:gmatch "%S+" do members[#members + 1] = { name, files[name] } end
      local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive(members))
      local result = program.run { "-b", "--compare=" .. dir .. "/a", image, "--profiles-from=tar:" .. path }
      assert.truthy(result.stdout:find("\nnew: 2 runs\n", 1, true), result.stdout .. result.stderr)
    end
  end)

  it("are reported if one is missing in an archive, or belongs to another run", function()
    local function check_warning(message, ...)
      local path, out = shell.write(shell.tmpdir() .. "/a.tar", tar.archive { ... }), shell.tmpdir() .. "/sum"
      local result = program.run { "--sum-file=" .. out, image, "--profiles-from=tar:" .. path }
      assert.equal(("gprof.lua: warning: %s.ctx: not written: %s\n"):format(out, message:gsub("%%", path)),
        result.stderr)
      assert.same(gmon.parse(expected).records, gmon.parse(shell.read(out)).records)
      assert.is_false(shell.exists(out .. ".ctx"))
    end
    check_warning("context profiles are missing: 1, for profiles such as %(b)", { "a", plain }, { "a.ctx", paths },
      { "b", plain2 })
    check_warning("%(b.ctx): does not belong to b, but to another run", { "a", plain }, { "a.ctx", paths },
      { "b", plain2 }, { "b.ctx", paths })
    check_failure("standard input(a): does not belong to the context profile before it, but to another run",
      tar.archive { { "a.ctx", paths2 }, { "a", plain } }, { "--profiles-from=tar:-" })
  end)

  it("are duplicates of those of the same process", function()
    local again, again_paths = process(9, 3 << 60, 4)
    local earlier, earlier_paths = process(2, 1 << 61, 4)
    local cwd = workplace { one = earlier, ["one.ctx"] = earlier_paths, two = again, ["two.ctx"] = again_paths }
    local result = program.run({ "-s", image, "." }, { cwd = cwd })
    assert.same({ 0, "gprof.lua: warning: added twice: ./two (profile 2, like profile 1): " ..
      "--skip-duplicates leaves out duplicates\n" }, { result.status, result.stderr })
  end)
end)

-- Duplicates ---------------------------------------------------------------------------------------------------------

describe("a profile that is added twice", function()
  local dir <const> = workplace { a = profile(arc(1, 1)), b = profile(arc(2, 2)) }
  shell.check({ "ln", "a", "c" }, { cwd = dir })
  shell.check({ "ln", "-s", "b", "d" }, { cwd = dir })
  local list <const> = shell.write(shell.tmpdir() .. "/list", "a\nb\nc\nd\n")

  it("is reported, with one process and with several", function()
    for jobs = 1, 4 do
      local result, bytes = sum({ "--jobs=" .. jobs, "--profiles-from=" .. list }, { cwd = dir })
      assert.same({ 0, "gprof.lua: warning: added twice: c (profile 3, like profile 1), " ..
        "d (profile 4, like profile 2): --skip-duplicates leaves out duplicates\n" }, { result.status, result.stderr })
      assert.equal(profile(arc(2, 1), arc(4, 2)), bytes)
    end
  end)

  it("is left out with --skip-duplicates", function()
    for _, words in ipairs { { "--profiles-from=" .. list }, { "--jobs=3", "--profiles-from=" .. list },
      { "--keep-going", "--spread", "--profiles-from=" .. list }, { "a", "b", "c", "a" , "d" } } do
      local result, bytes = sum({ "--skip-duplicates", table.unpack(words) }, { cwd = dir })
      assert.equal(0, result.status)
      assert.truthy(result.stderr:find "^gprof%.lua: warning: duplicates left out: c %(profile 3, like profile 1%), ")
      assert.equal(#profile(arc(1, 1), arc(2, 2)), #bytes)
      assert.same(gmon.parse(profile(arc(1, 1), arc(2, 2))).records, gmon.parse(bytes).records)
    end
  end)

  it("cannot be left out of a report", function()
    local result = program.run({ "--skip-duplicates", "-p", image, "a", "c" }, { cwd = dir })
    assert.same({ 1, "", "gprof.lua: option --skip-duplicates: is for sums: add -s (--sum) or --sum-file\n" },
      { result.status, result.stdout, result.stderr })
  end)

  it("is not reported if the command line names the file twice", function()
    local result, bytes = sum({ "a", "a", "b", "a" }, { cwd = dir })
    assert.same({ 0, "", profile(arc(3, 1), arc(2, 2)) }, { result.status, result.stderr, bytes })
  end)

  it("is no duplicate of one that is bad", function()
    local cwd = workplace { bad = profile(arc(1, 1)) .. "x", other = profile(arc(2, 2)) }
    shell.check({ "ln", "bad", "again" }, { cwd = cwd })
    for _, words in ipairs { {}, { "--skip-duplicates" }, { "--jobs=2" } } do
      shell.write(cwd .. "/list", "bad\nother\nagain\n")
      local result = program.run({ "-s", "--keep-going", image, "--profiles-from=list", table.unpack(words) },
        { cwd = cwd })
      local message = result.stderr:match "^gprof%.lua: bad: ([^\n]*)\n"
      assert.equal(("gprof.lua: bad: %s\ngprof.lua: again: %s\ngprof.lua: bad profiles skipped: 2\n"):format(message,
        message), result.stderr)
    end
    local good = profile(arc(1, 1))
    local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive { { "a", good .. "x" }, { "a", good } })
    local result, bytes = sum { "--keep-going", "--skip-duplicates", "--profiles-from=tar:" .. path }
    assert.equal(1, result.status)
    assert.equal(good, bytes)
    assert.is_nil(result.stderr:find "duplicate")
  end)

  it("is not another sum of GNU gprof, which does not initialize the spare bytes", function()
    for _, spare in ipairs { ("<I4I4I4"):pack(0x1508, 0, 0x544), ("<I8I4"):pack(0x559723d4eb7c, 0),
      ("<I8c4"):pack(0x558bf6513285, "gmon") } do
      local function written(count) return gmon.magic { spare = spare, records = { arc(count) } } end
      local cwd = workplace { a = written(1), b = written(2), ["a.tar"] = tar.archive { { "a", written(1) },
        { "b", written(2) } } }
      for _, words in ipairs { { "a", "b" }, { "--profiles-from=tar:a.tar" } } do
        local result, bytes = sum({ "--skip-duplicates", table.unpack(words) }, { cwd = cwd })
        assert.same({ 0, "", profile(arc(3)) }, { result.status, result.stderr, bytes })
      end
      assert.equal("", program.run({ "-b", "-q", image, "a" }, { cwd = cwd }).stderr)
    end
  end)

  it("is not another member whose name has a control character", function()
    local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive { { "x\1m1:y", profile(arc(1)) },
      { "y", profile(arc(2)) }, { "z\1named", profile(arc(4)) }, { "z", profile(arc(8)) },
      { "v\2\1", profile(arc(16)) }, { "v\2\2", profile(arc(32)) } })
    local result, bytes = sum { "--skip-duplicates", "--profiles-from=tar:" .. path }
    assert.same({ 0, "", profile(arc(63)) }, { result.status, result.stderr, bytes })
  end)

  it("is reported with its name in an archive", function()
    local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive { { "a", profile(arc(1)) },
      { "a", profile(arc(2)) }, { "b", profile(arc(1)) } })
    local result, bytes = sum { "--profiles-from=tar:" .. path }
    assert.same({ 0, ("gprof.lua: warning: added twice: %s(a) (profile 2, like profile 1): " ..
      "--skip-duplicates leaves out duplicates\n"):format(path), profile(arc(4)) },
      { result.status, result.stderr, bytes })
  end)
end)
