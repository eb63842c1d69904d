-- The context profile beside a sum, from the command line (-s) and from the library. It is written if every profile of
-- the sum has one; otherwise a warning says why not. Both files are written, or neither.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local path <const> = crafted.image { functions = { "main", "work" } }
local image <const> = assert(gprof.image(path))

local BIAS <const> = 0x700000

local function context_profile(calls, time)
  local main, work = BIAS + 0x1000, BIAS + 0x1020
  return contexts.pack {
    process = { low = main, high = main + 0x40, finish = time },
    modules = { { bias = BIAS, low = BIAS, high = BIAS + 0x2000 } },
    tables = { { { context = 0, from = main, self = work, count = calls }, { context = 3, from = work, count = 2 } } },
  }
end

-- Saves a profile as the recorder does: gmon.out, and the context profile beside it.
local function save(dir, name, calls, time)
  local arc = { kind = "arc", from = 0x1000, self = 0x1020, count = calls }
  local histogram = { kind = "histogram", low = 0x1000, high = 0x1040, bins = { n = 16, [9] = 2 }, rate = 1000 }
  gmon.write(dir .. "/" .. name, gmon.magic { records = { histogram, arc }, spare = ("<I4I8"):pack(0, time) })
  gmon.write(dir .. "/" .. name .. ".ctx", context_profile(calls, time))
end

-- Makes a directory with two profiles, which have 3 and 5 calls.
local function two()
  local dir = shell.tmpdir "sums"
  save(dir, "one", 3, 1 << 60)
  save(dir, "two", 5, 1 << 61)
  return dir
end

local function run(dir, ...)
  return program.run({ ... }, { cwd = dir })
end

local function quietly(dir, ...)
  local result = run(dir, ...)
  assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
end

-- Checks the sum in a directory: both files have these calls, and belong together.
local function check(dir, calls, processes, name)
  name = dir .. "/" .. (name or "gmon.sum")
  local file, profile = recorder.read(name .. ".ctx"), gmon.parse(shell.read(name))
  assert.same({ processes, calls, calls }, { file.processes, file.threads[1][3].count,
    gmon.select(profile, "arc")[1].count })
  assert.equal(file.sum, (("<I8"):unpack(shell.read(name), 13)))
  local result = run(dir, "-i", path, name)
  assert.truthy(result.stdout:find(("%d processes\n"):format(processes), 1, true))
  assert.truthy(result.stdout:find(("%d calls\n"):format(calls), 1, true))
end

describe("-s writes a context profile beside the sum", function()
  it("if each profile has one", function()
    local dir = two()
    quietly(dir, "-s", path, "one", "two")
    check(dir, 8, 2)
    assert.equal("gmon.sum\ngmon.sum.ctx\none\none.ctx\ntwo\ntwo.ctx\n", shell.listing(dir))
    local bytes = shell.read(dir .. "/gmon.sum.ctx")
    quietly(dir, "-s", path, "two.ctx", "one")
    assert.is_true(bytes == shell.read(dir .. "/gmon.sum.ctx"))
    quietly(dir, "-s", path, "gmon.sum", "two")
    check(dir, 13, 3)
    quietly(dir, "--sum-file=all", path, "gmon.sum.ctx", "one", "one")
    check(dir, 19, 5, "all")
  end)

  it("also of a directory, with --jobs, with --keep-going and in the sandbox", function()
    local dir = two()
    for _, words in ipairs { { "." }, { "--jobs=2", "one", "two" }, { "--keep-going", "one", "two" },
      { "--sandbox", "one", "two" } } do
      quietly(dir, "-s", path, table.unpack(words))
      check(dir, 8, 2)
    end
    shell.write(dir .. "/bad", "gmon")
    local result = run(dir, "-s", "--keep-going", path, "one", "bad", "two")
    assert.same({ 1, "gprof.lua: bad: is too short to be a profile\n" },
      { result.status, result.stderr:match "[^\n]*\n" })
    check(dir, 8, 2)
  end)

  it("which reads like the profiles themselves", function()
    local dir = two()
    quietly(dir, "-s", path, "one", "two")
    local expected = run(dir, "-b", path, "one", "two").stdout
    assert.truthy(expected:find "work")
    assert.equal(expected, run(dir, "-b", path, "gmon.sum").stdout)
    assert.equal(expected, run(dir, "-b", path, "gmon.sum.ctx").stdout)
  end)

  it("but not for a sum that is printed, in another format, or with --gnu-compat", function()
    local dir = two()
    for _, words in ipairs { { "--sum-file=-" }, { "--sum-file=/dev/null" }, { "-s", "-O", "4.4bsd" },
      { "-s", "--gnu-compat" } } do
      local result = run(dir, words[1], words[2] or "-b", words[3] or "-b", path, "one", "two")
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.falsy(shell.exists(dir .. "/gmon.sum.ctx"))
      os.remove(dir .. "/gmon.sum")
    end
    assert.falsy(shell.exists(dir .. "/-.ctx"))
  end)
end)

describe("a sum with a context profile", function()
  it("cannot be split into runs, unless it has a spread", function()
    local dir = two()
    quietly(dir, "-s", path, "one", "two")
    for _, name in ipairs { "gmon.sum", "gmon.sum.ctx" } do
      assert(os.rename(dir .. "/gmon.sum.ctx", dir .. "/other.ctx"))
      assert(os.rename(dir .. "/gmon.sum", dir .. "/other"))
      name = name:gsub("gmon.sum", "other")
      local result = run(dir, "-b", "--spread", path, name, "two")
      assert.equal(("gprof.lua: warning: --spread: %s: is a sum without a spread: it is not in the spread\n"):format(
        name), result.stderr)
      assert.truthy(result.stdout:find("over 1 run:", 1, true))
      os.rename(dir .. "/other", dir .. "/gmon.sum")
      os.rename(dir .. "/other.ctx", dir .. "/gmon.sum.ctx")
    end
    quietly(dir, "-s", "--spread", path, "one", "two")
    assert.truthy(run(dir, "-b", "--spread", path, "gmon.sum", "two").stdout:find("over 3 runs:", 1, true))
  end)
end)

describe("-s writes the sum alone, with a warning,", function()
  local function warns(dir, message, ...)
    local result = run(dir, "-s", path, ...)
    assert.same({ 0, "gprof.lua: warning: gmon.sum.ctx: not written: " .. message .. "\n" },
      { result.status, result.stderr })
    assert.truthy(shell.exists(dir .. "/gmon.sum"))
    assert.falsy(shell.exists(dir .. "/gmon.sum.ctx"))
  end

  it("if only some profiles have a context profile", function()
    local dir = two()
    os.remove(dir .. "/two.ctx")
    warns(dir, "two: has no context profile", "one", "two")
    warns(dir, "two: has no context profile", "two", "one")
    os.remove(dir .. "/one.ctx")
    quietly(dir, "-s", path, "one", "two")
  end)

  it("if a context profile is damaged, or belongs to another run", function()
    local dir = two()
    shell.write(dir .. "/two.ctx", shell.read(dir .. "/one.ctx"))
    warns(dir, "two.ctx: does not belong to two, but to another run", "one", "two")
    shell.write(dir .. "/two.ctx", shell.read(dir .. "/one.ctx"):sub(1, -2) .. "?")
    warns(dir, "two.ctx: is damaged: its checksum is wrong", "one", "two")
  end)
end)

describe("-s without call paths", function()
  -- Makes two profiles without context profiles, and a sum of two with context profiles.
  local function stale()
    local dir = two()
    quietly(dir, "-s", path, "one", "two")
    os.remove(dir .. "/one.ctx")
    os.remove(dir .. "/two.ctx")
    return dir
  end

  it("removes the context profile of the sum that it replaces", function()
    for _, words in ipairs { { "-s", path, "one", "two" }, { "-s", "--sandbox", path, "one", "two" },
      { "-s", "--gnu-compat", path, "one", "two" }, { "--sum-file=./gmon.sum", path, "one", "two" },
      { "--sum-file=gmon.sum", "--sandbox", "-O", "4.4bsd", path, "one" } } do
      local dir = stale()
      local before = shell.read(dir .. "/gmon.sum")
      local result = run(dir, table.unpack(words))
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal("gmon.sum\none\ntwo\n", shell.listing(dir))
      assert.is_false(before == shell.read(dir .. "/gmon.sum"))
    end
  end)

  it("also if it has no sum", function()
    local dir = stale()
    os.remove(dir .. "/gmon.sum")
    quietly(dir, "-s", path, "one")
    assert.equal("gmon.sum\none\ntwo\n", shell.listing(dir))
  end)

  it("leaves any other file of this name", function()
    local dir = stale()
    local companion = dir .. "/gmon.sum.ctx"
    shell.check { "mv", companion, dir .. "/kept" }
    local makers = { { "mkdir", companion }, { "mkfifo", companion }, { "ln", "-s", "kept", companion },
      { "sh", "-c", "echo gprofct >" .. companion }, { "touch", companion } }
    for _, words in ipairs { { "-s" }, { "-s", "--sandbox" } } do
      for _, maker in ipairs(makers) do
        shell.check(maker)
        local result = run(dir, words[1], words[2] or "-b", path, "one", "two")
        assert.equal(0, result.status)
        assert.truthy(shell.listing(dir):find("gmon.sum.ctx", 1, true), maker[1])
        shell.check { "rm", "-r", companion }
      end
    end
    assert.truthy(shell.exists(dir .. "/kept"))
  end)

  it("leaves both files as they were if the sum cannot be written", function()
    local dir = stale()
    local sum, context = shell.read(dir .. "/gmon.sum"), shell.read(dir .. "/gmon.sum.ctx")
    for _, words in ipairs { { "-s", "-O", "bsd" }, { "-s", "-O", "bsd", "--sandbox" } } do
      local result = run(dir, words[1], words[2], words[3], words[4] or "-b", path, "one", "two")
      assert.equal(1, result.status)
      assert.is_true(sum == shell.read(dir .. "/gmon.sum") and context == shell.read(dir .. "/gmon.sum.ctx"))
    end
  end)
end)

describe("a profile that names no context profile", function()
  it("has none beside it, even if that has the number 0, too", function()
    local dir = shell.tmpdir "unnamed"
    save(dir, "one", 3, 0)
    local result = run(dir, "-b", "-q", path, "one")
    assert.equal("gprof.lua: warning: one.ctx: does not belong to one, but to another run: the " ..
      "time of callees is estimated; delete it, or copy both files of one run\n", result.stderr)
    result = run(dir, "-s", path, "one")
    assert.equal("gprof.lua: warning: gmon.sum.ctx: not written: one.ctx: does not belong to one, but to another run\n",
      result.stderr)
  end)
end)

describe("the two files of a sum", function()
  -- Checks that a failing sum leaves the old sum as it was.
  local function fails(dir, message, ...)
    local before, context = shell.read(dir .. "/gmon.sum"), shell.read(dir .. "/kept")
    local result = run(dir, "-s", path, ...)
    assert.same({ 1, "gprof.lua: " .. message .. "\n" }, { result.status, result.stderr })
    assert.is_true(before == shell.read(dir .. "/gmon.sum") and context == shell.read(dir .. "/kept"))
  end

  it("stay as they were if one of them cannot be written", function()
    local dir = two()
    quietly(dir, "-s", path, "one")
    shell.check { "mv", dir .. "/gmon.sum.ctx", dir .. "/kept" }
    shell.check { "mkdir", dir .. "/gmon.sum.ctx" }
    fails(dir, "gmon.sum.ctx: cannot be written: Is a directory", "one", "two")
    fails(dir, "gmon.sum.ctx: cannot be written: Is a directory", "--sandbox", "one", "two")
    shell.check { "rmdir", dir .. "/gmon.sum.ctx" }
    shell.check { "ln", "-s", "kept", dir .. "/gmon.sum.ctx" }
    fails(dir, "gmon.sum.ctx: is a symbolic link: links are followed only if an option names them, and never with " ..
      "--sandbox", "one", "two")
  end)

  it("never replace the program", function()
    local dir = two()
    shell.write(dir .. "/x.ctx", shell.read(path))
    local result = run(dir, "--sum-file=x", "x.ctx", "one", "two")
    assert.same({ 1, "gprof.lua: x.ctx: the sum would overwrite the program\n" }, { result.status, result.stderr })
    assert.falsy(shell.exists(dir .. "/x"))
  end)

  it("are not overwritten by an export", function()
    local dir = two()
    local result = run(dir, "-s", "--export=json:gmon.sum.ctx", path, "one", "two")
    assert.same({ 1, "gprof.lua: gmon.sum.ctx: is requested for two outputs\n" }, { result.status, result.stderr })
  end)
end)

describe("data:write", function()
  it("writes the context profile, too, if the contexts were requested", function()
    local dir = two()
    local one, sum = dir .. "/one", dir .. "/sum"
    assert(assert(gprof.data(image, one, dir .. "/two.ctx")):write(sum))
    assert.falsy(shell.exists(sum .. ".ctx"))
    local data = assert(gprof.data(image, one, dir .. "/two.ctx", { contexts = true }))
    assert(data:write(sum))
    check(dir, 8, 2, "sum")
    quietly(dir, "-s", path, "one", "two")
    assert.is_true(shell.read(sum .. ".ctx") == shell.read(dir .. "/gmon.sum.ctx"))
    assert.is_true(shell.read(sum) == shell.read(dir .. "/gmon.sum"))
  end)

  it("writes only the data if records were added to it", function()
    local dir = two()
    local data = assert(gprof.data(image, dir .. "/one", { contexts = true }))
    assert(data:add_arc(0x1000, 0x1020, 1))
    assert(data:write(dir .. "/sum"))
    assert.falsy(shell.exists(dir .. "/sum.ctx"))
  end)

  it("removes the context profile of the file that it replaces", function()
    local dir = two()
    local one, other = dir .. "/one", dir .. "/other"
    shell.check { "cp", one .. ".ctx", other .. ".ctx" }
    local data = assert(gprof.data(image, dir .. "/two"))
    assert.falsy(data:write(dir .. "/missing/one"))
    assert(data:write "/dev/null")
    assert(data:write(one))
    assert.falsy(shell.exists(one .. ".ctx"))
    local file <close> = assert(io.open(other, "wb"))
    assert(data:write(file))
    assert.truthy(shell.exists(other .. ".ctx"))
  end)

  it("fails if a file cannot be written; then neither is", function()
    local dir = two()
    local data = assert(gprof.data(image, dir .. "/one", { contexts = true }))
    shell.check { "mkdir", dir .. "/sum.ctx" }
    assert.same({ nil, dir .. "/sum.ctx: cannot be written: Is a directory" }, { data:write(dir .. "/sum") })
    assert.falsy(shell.exists(dir .. "/sum"))
    assert(data:write "/dev/null")
  end)

  it("needs a context profile of each file", function()
    local dir = two()
    os.remove(dir .. "/two.ctx")
    local message = dir .. "/two: has no context profile"
    assert.same({ nil, message }, { gprof.data(image, dir .. "/one", dir .. "/two", { contexts = true }) })
    assert.same({ nil, message }, { gprof.data(image, dir .. "/two", { contexts = true }) })
  end)
end)
