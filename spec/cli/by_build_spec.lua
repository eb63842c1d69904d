-- One sum for each build (--by-build).
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local tar = require "support.tar"

local dir <const> = shell.tmpdir "builds"

-- Makes a program with this build ID, of 20 bytes that are all the same.
local function make_program(path, byte)
  local made = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }
  local note = shell.write(shell.tmpdir() .. "/note", ("<I4I4I4"):pack(4, 20, 3) .. "GNU\0" .. byte:rep(20))
  shell.check { "objcopy", "--add-section", ".note.gnu.build-id=" .. note, "--set-section-flags",
    ".note.gnu.build-id=alloc,readonly", made, path }
  return ("%02x"):format(byte:byte()):rep(20)
end

local function process(byte, path, calls, build_id)
  local written = (1 << 60) + (byte:byte() << 50) + calls
  local plain = gmon.magic { records = { { kind = "histogram", low = 0x1000, high = 0x1400, bins = { n = 256 },
    rate = 1000 }, { kind = "arc", from = 0x1004, self = 0x1100, count = calls } }, spare = ("<I4I8"):pack(0, written) }
  return plain, contexts.pack { process = { low = 0x1000, high = 0x1400, finish = written, begin = written - 1 },
    modules = { { low = 0x1000, high = 0x1400, build_id = build_id or byte:rep(20), path = path } },
    tables = { { { context = 0, from = 0x1004, self = 0x1100, count = calls } } } }
end

shell.check({ "mkdir", "programs", "programs/old", "profiles", "elsewhere" }, { cwd = dir })
local ids <const> = { make_program(dir .. "/programs/app", "\1"), make_program(dir .. "/programs/old/app", "\2"),
  make_program(dir .. "/elsewhere/app", "\3") }
shell.write(dir .. "/programs/README", "not a program")
local members <const> = {}
for i, path in ipairs { "/gone/app", "/gone/app", dir .. "/elsewhere/app" } do
  for run = 1, 2 do
    local name = ("profiles/%d.%d"):format(run, i)
    local plain, paths = process(string.char(i), path, 10 * i + run)
    shell.write(("%s/%s"):format(dir, name), plain)
    shell.write(("%s/%s.ctx"):format(dir, name), paths)
    members[#members + 1], members[#members + 2] = { name, plain }, { name .. ".ctx", paths }
  end
end
local programs <const> = { dir .. "/programs/app", dir .. "/programs/old/app", dir .. "/elsewhere/app" }

local function run(...)
  return program.run({ "--by-build", ... }, { cwd = dir })
end

-- Checks that the sums are those of the profiles of each build, and removes them.
local function check(result, pattern, builds)
  assert.same({ 0, "" }, { result.status, result.stderr })
  for _, i in ipairs(builds or { 1, 2, 3 }) do
    local path = dir .. "/" .. pattern:gsub("%%b", ids[i])
    local expected = shell.tmpdir() .. "/sum"
    local one = program.run({ "--sum-file=" .. expected, programs[i], ("profiles/1.%d"):format(i),
      ("profiles/2.%d"):format(i) }, { cwd = dir })
    assert.same({ 0, "" }, { one.status, one.stderr })
    assert.is_true(shell.read(expected) == shell.read(path))
    assert.is_true(shell.read(expected .. ".ctx") == shell.read(path .. ".ctx"))
    os.remove(path)
    os.remove(path .. ".ctx")
  end
end

describe("--by-build", function()
  it("writes one sum for each build, with the programs of a directory or where they were recorded", function()
    check(run("programs", "profiles"), "gmon.%b.sum")
    check(run("--sum-file=elsewhere/day.%b", "--keep-going", "programs", "profiles"), "elsewhere/day.%b")
  end)

  it("does not add the sums that it replaces, unless they are named", function()
    for _, pattern in ipairs { "./gmon.%b.sum", "profiles/day-%b", "profiles/%b%b" } do
      local home = shell.tmpdir()
      shell.check { "cp", "-r", dir .. "/profiles", home }
      local function sums(...)
        local result = program.run({ "--by-build", "--spread", "--sum-file=" .. pattern, dir .. "/programs", ... },
          { cwd = home })
        assert.same({ 0, "" }, { result.status, result.stderr })
        local read = {}
        for i, suffix in ipairs { "", ".ctx", ".spread" } do
          read[i] = shell.read(home .. "/" .. pattern:gsub("%%b", ids[1]) .. suffix)
        end
        return read
      end
      local first = sums "."
      shell.write(home .. "/" .. pattern:gsub("%%b", ids[2]) .. ".spread.new", "gprofspr")
      assert.same(first, sums ".")
      assert.not_same(first, sums("profiles/1.1", (pattern:gsub("%%b", ids[1]))))
    end
  end)

  it("reads profiles of any format, whatever the format of the sums", function()
    local result = run("-O", "magic", "programs", "profiles/1.1.ctx")
    assert.same({ 0, "" }, { result.status, result.stderr })
    os.remove(dir .. "/gmon." .. ids[1] .. ".sum.ctx")
    result = run("-O", "4.4bsd", "programs", "profiles/1.1")
    assert.same({ 0, "" }, { result.status, result.stderr })
    local path = dir .. "/gmon." .. ids[1] .. ".sum"
    assert.not_equal("gmon", shell.read(path):sub(1, 4))
    os.remove(path)
  end)

  it("reads lists and archives, with the members in any order", function()
    check(launch.line([[ls profiles/* | "$@"]], { "--by-build", "programs", "--profiles-from=-" }, { cwd = dir }),
      "gmon.%b.sum")
    for _, order in ipairs { function(a, b) return a[1] < b[1] end, function(a, b)
      return a[1]:reverse() < b[1]:reverse() end } do
      table.sort(members, order)
      local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive(members))
      check(launch.line(("cat %s | \"$@\""):format(path), { "--by-build", "programs", "--profiles-from=tar:-" },
        { cwd = dir }), "gmon.%b.sum")
    end
  end)

  it("writes the spread of each build", function()
    local result = run("--spread", "programs", "profiles")
    assert.same({ 0, "" }, { result.status, result.stderr })
    for i, id in ipairs(ids) do
      local sum = ("gmon.%s.sum"):format(id)
      local printed = program.run({ "-b", "--spread", programs[i], sum }, { cwd = dir })
      assert.truthy(printed.stdout:find "over 2 runs", printed.stderr)
      for _, suffix in ipairs { "", ".ctx", ".spread" } do os.remove(("%s/%s%s"):format(dir, sum, suffix)) end
    end
  end)

  it("names the builds whose programs are missing", function()
    local message = ("gprof.lua: profiles/1.2: is of the build %s of /gone/app, which was not found\n"):format(ids[2])
    local result = run("programs/app", "profiles")
    assert.same({ 1, message }, { result.status, result.stderr })
    result = run("--keep-going", "programs/app", "profiles")
    assert.same({ 1, message .. message:gsub("1%.2", "2.2") ..
      ("gprof.lua: build %s of /gone/app: not found: profiles left out: 2\ngprof.lua: bad profiles skipped: 2\n")
        :format(ids[2]) }, { result.status, result.stderr })
    check({ status = 0, stderr = "" }, "gmon.%b.sum", { 1, 3 })
  end)

  it("takes a profile without context profile for one of the only program", function()
    local plain = shell.write(dir .. "/plain", (process("\0", "", 5)))
    assert.equal(0, run("programs/app", "plain").status)
    assert.equal(shell.read(plain):sub(21), shell.read(("%s/gmon.%s.sum"):format(dir, ids[1])):sub(21))
    os.remove(("%s/gmon.%s.sum"):format(dir, ids[1]))
    local result = run("programs", "plain")
    assert.same({ 1, "gprof.lua: plain: has no context profile, which would tell its build\n" },
      { result.status, result.stderr })
  end)

  it("refuses profiles of a program without a build ID", function()
    local plain, paths = process("\1", "/gone/app", 5, "")
    shell.write(dir .. "/plain", plain)
    shell.write(dir .. "/plain.ctx", paths)
    for _, operand in ipairs { "programs", "programs/app" } do
      local result = run(operand, "plain")
      assert.same({ 1, "gprof.lua: plain: /gone/app has no build ID\n" }, { result.status, result.stderr })
    end
    os.remove(dir .. "/plain.ctx")
  end)

  it("reports profiles in archives without their context profiles", function()
    local path = shell.write(shell.tmpdir() .. "/a.tar", tar.archive { members[1], members[2] })
    local lone = members[1][1]:find "ctx$" and members[2] or members[1]
    shell.write(path, tar.archive { lone })
    local result = run("programs", "--profiles-from=tar:" .. path)
    assert.same({ 1, ("gprof.lua: warning: context profiles are missing in archives: profiles left out: 1, such as " ..
      "%s(%s)\ngprof.lua: none of the profiles can be read\n"):format(path, lone[1]) },
      { result.status, result.stderr })
  end)

  it("pairs profiles and context profiles of the same archive only", function()
    local one, two = process("\1", "/gone/app", 7), process("\2", "/gone/app", 8)
    local _, paths = process("\1", "/gone/app", 9)
    shell.write(dir .. "/a.tar", tar.archive { { "run", one } })
    shell.write(dir .. "/b.tar", tar.archive { { "run.ctx", paths } })
    shell.write(dir .. "/c.tar", tar.archive { { "run", two } })
    local result = run("programs", "--profiles-from=tar:a.tar", "--profiles-from=tar:b.tar",
      "--profiles-from=tar:c.tar")
    assert.same({ 1, "gprof.lua: warning: context profiles are missing in archives: profiles left out: 2, such as " ..
      "c.tar(run)\n" .. "gprof.lua: bad profiles skipped: 2\n" }, { result.status, result.stderr })
    for _, suffix in ipairs { "", ".ctx" } do os.remove(("%s/gmon.%s.sum%s"):format(dir, ids[1], suffix)) end
  end)

  it("refuses what needs one program or one process", function()
    for message, words in pairs {
      ["option --by-build: writes sums, and no reports"] = { "-p" },
      ["option --by-build: the name of the sums, 'all', needs %b, which stands for the build ID"] =
        { "--sum-file=all" },
      ["options --by-build and --jobs are mutually exclusive"] = { "--jobs=2" },
      ["options --by-build and --thread are mutually exclusive"] = { "--thread=worker" },
      ["options --by-build and --sandbox are mutually exclusive"] = { "--sandbox" },
      ["options --by-build and --checkpoint are mutually exclusive"] = { "-s", "--checkpoint=x" },
    } do
      local result = run("programs", "profiles", table.unpack(words))
      assert.same({ 1, "gprof.lua: " .. message .. "\n" }, { result.status, result.stderr })
    end
  end)
end)
