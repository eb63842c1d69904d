-- --verify: whether image, profile and source belong together.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"
local stacks = require "support.context_stacks"
local small = require "support.small"

-- Sets the modification time of a file, in seconds after 2001-01-01.
local function touch(path, seconds)
  shell.check { "touch", "-d", ("2001-01-01 00:%02d:%02d UTC"):format(seconds // 60, seconds % 60), path }
  return path
end

-- Builds a program and its profile. The modification times increase from source to image to profile. Returns the build
-- and the paths of profile and source.
local function made_in_order()
  local made = small.build()
  local source = touch(made.dir .. "/small.c", 0)
  touch(made.image, 60)
  return made, touch(small.run(made), 120), source
end

local function run(...)
  return program.run { "--verify", ... }
end

-- Returns a check's result from the output ("yes", "NO" or "-"), and the sentence after it.
local function check_of(result, name)
  return result.stdout:match("%f[^\n\0]" .. name .. " +(%S+) +([^\n]*)\n")
end

describe("--verify", function()
  it("knows samples in libraries", function()
    local functions = { "main", "work" }
    local path = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions,
      { { "main", "work" }, { "main", "@", ticks = 9 } }))
    local result = run(crafted.image { functions = functions }, path)
    assert.same({ "-", "all 9 are in libraries" }, { check_of(result, "samples") })
  end)

  it("passes each check if image, profile and source belong together", function()
    local made, path, source = made_in_order()
    local low, size = build.section(made.image, ".text")
    local plan = gmon.parse(shell.read(path)).records[1]
    local result = run(made.image, path)
    assert.same({ 0, "", table.concat({
      ("histogram  yes  it covers 0x%x to 0x%x, the code is at 0x%x to 0x%x"):format(
        plan.low, plan.high, low, low + size),
      "callees    yes  2 of 2 arcs lead to function entries",
      "callers    yes  2 of 2 arcs come from the code",
      "samples    yes  10 of 10 samples (100.0 %) are in functions",
      "image      yes  1 of 1 profile was written since the image was changed",
      "source     yes  1 of 1 files are older than the image",
      ("%s belongs to %s\n"):format(path, made.image) }, "\n") },
      { result.status, result.stderr, result.stdout }, source)
  end)

  it("skips arcs from unknown callers, and from outside of a shared library", function()
    local image = build.craft { text = 0x100, symbols = { { "open", 0 }, { "read", 0x40 } } }
    local dir = shell.tmpdir "callers"
    local arcs = { { 0, 0x40, 7 }, { 0, 0, 9 }, { 0x10, 0x40, 8 } }
    local shared = gmon.write(dir .. "/libx.so.profile", gmon.shared {
      low = 0x1000, high = 0x1100, bins = { n = 64, 5 }, arcs = arcs })
    assert.same({ "yes", "1 of 1 arcs come from the code; 2 from outside" },
      { check_of(run(image, shared), "callers") })
    local mon = gmon.write(dir .. "/mon.out", gmon.mon {
      low = 0x1000, high = 0x1100, bins = { 5 }, counters = { { 0x1004, 7 }, { 0x1044, 3 } } })
    local result = run("-O", "prof", image, mon)
    assert.same({ "-", "only 2 from unknown callers" }, { check_of(result, "callers") })
    assert.equal(0, result.status)
  end)

  it("fails for a source or an image that was changed later", function()
    local made, path, source = made_in_order()
    touch(source, 61)
    local result = run(made.image, path)
    assert.equal(1, result.status)
    assert.same({ "NO", "0 of 1 files are older than the image; newer: " .. source }, { check_of(result, "source") })
    touch(source, 60)
    touch(made.image, 121)
    result = run(made.image, path)
    assert.same({ 1, "yes" }, { result.status, (check_of(result, "source")) })
    assert.same({ "NO", "0 of 1 profile was written since the image was changed" }, { check_of(result, "image") })
    assert.matches("\n[^\n]* does not belong to [^\n]*\n$", result.stdout)
    touch(made.image, 120)
    assert.equal(0, run(made.image, path).status)
  end)

  it("searches the directories of -I for sources", function()
    local made, path, source = made_in_order()
    local dir = shell.tmpdir "elsewhere"
    shell.check { "mv", source, dir }
    assert.same({ "-", "none was found" }, { check_of(run(made.image, path), "source") })
    assert.equal("yes", (check_of(run("-I" .. dir, made.image, path), "source")))
  end)

  it("fails if the addresses are from another build", function()
    local one, other = build.program "cycles", build.program "crowd"
    local result = run(other.image, one.gmon)
    assert.equal(1, result.status)
    assert.equal("NO", (check_of(result, "histogram")))
    assert.equal("NO", (check_of(result, "callees")))
    assert.matches(" does not belong to " .. other.image:gsub("%p", "%%%0") .. "\n$", result.stdout)
  end)

  it("suggests a slide, and subtracts it only with --slide", function()
    local built = build.program "cycles"
    local image = assert(gprof.image(built.image))
    local data = assert(gprof.data(image, built.gmon))
    data:slide(-0x555555554000)
    local path = shell.tmpdir() .. "/gmon.out"
    data:write(path)
    local result = run(built.image, path)
    assert.same({ 1, "" }, { result.status, result.stderr })
    assert.same({ "NO", "0 of 18 arcs lead to function entries; with --slide=0x555555554000, 18" },
      { check_of(result, "callees") })
    assert.same({ "NO", "0 of 18 arcs come from the code" }, { check_of(result, "callers") })
    assert.matches("^0 of %d+ samples %(0%.0 %%%) are in functions", select(2, check_of(result, "samples")))
    result = run("--slide=0x555555554000", built.image, path)
    assert.same({ 0, "18 of 18 arcs lead to function entries" }, { result.status,
      select(2, check_of(result, "callees")) })
  end)

  it("is not decided by a few samples outside functions", function()
    local image = build.craft { address = 0x1000, text = 0x200,
      symbols = { { "main", 0x40 }, { "work", 0x100 } } }
    for ticks, expected in pairs { [9] = "-", [10] = "NO" } do
      local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
        { kind = "histogram", low = 0x1000, high = 0x1200, bins = { ticks, n = 128 } },
        { kind = "arc", from = 0x1050, self = 0x1100, count = 1 } } })
      local result = run(image, path)
      assert.equal(expected, (check_of(result, "samples")), result.stdout)
      assert.equal(expected == "-" and 0 or 1, result.status)
    end
  end)

  it("counts whole samples, even if the bins are not of equal size in address units", function()
    local image = build.craft { address = 0x1000, text = 0x200, symbols = { { "main", 0x40 }, { "work", 0x100 } } }
    for outside, expected in pairs { [9] = "yes  29 of 38 samples (76.3 %) are in functions",
      [10] = "NO   29 of 39 samples (74.4 %) are in functions" } do
      local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
        { kind = "histogram", low = 0x1000, high = 0x1200, bins = { outside, [80] = 29, n = 127 } },
        { kind = "arc", from = 0x1050, self = 0x1100, count = 1 } } })
      local result = run(image, path)
      assert.truthy(result.stdout:find("samples    " .. expected, 1, true), result.stdout)
    end
  end)

  it("skips checks of what was not recorded", function()
    local image = crafted.image(crafted.example)
    local empty = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {} })
    local result = run(image, empty)
    assert.equal(1, result.status)
    for _, name in ipairs { "histogram", "callees", "callers", "samples", "source" } do
      assert.equal("-", (check_of(result, name)), name)
    end
    local records = crafted.records(crafted.example).records
    table.remove(records, 1)
    result = run(image, gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records }))
    assert.same({ 0, "-", "yes", "-" }, { result.status, (check_of(result, "histogram")), (check_of(result, "callees")),
      (check_of(result, "samples")) })
  end)

  it("accepts callees up to 63 bytes after the entry, for prologues that save many registers", function()
    local image = build.craft { address = 0x1000, text = 0x200, symbols = { { "main", 0 }, { "work", 0x100 } } }
    local function profile_of(offset)
      return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
        { kind = "arc", count = 1, from = 0x1004, self = 0x1100 + offset } } })
    end
    assert.equal("yes", (check_of(run(image, profile_of(44)), "callees")))
    assert.equal("NO", (check_of(run(image, profile_of(64)), "callees")))
  end)

  it("skips calls of libraries, which lead out of the profiled code", function()
    local image = crafted.image(crafted.example)
    local records = crafted.records(crafted.example).records
    for i = 1, 4 do
      records[#records + 1] = { kind = "arc", count = 1, from = crafted.BASE + 4, self = 0x7ffff0000000 + i }
    end
    local result = run(image, gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records }))
    assert.same({ "yes", "7 of 7 arcs lead to function entries; 4 to libraries" }, { check_of(result, "callees") })
    assert.equal(0, result.status)
    records = { records[1], records[#records] }
    result = run(image, gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records }))
    assert.same({ 0, "-", "only 1 to libraries" }, { result.status, check_of(result, "callees") })
  end)

  it("tells callers inside a shared library from those outside", function()
    local image = build.craft { address = 0x1000, text = 0x100, symbols = { { "first", 0 }, { "second", 0x40 } } }
    local function profile_of(...)
      return gmon.write(shell.tmpdir() .. "/lib.profile", gmon.shared { low = 0x1000, high = 0x1100,
        bins = { n = 64, [17] = 5 }, arcs = { ... }, room = 20 })
    end
    local result = run(image, profile_of({ 0, 0, 1 }, { 0, 0x40, 3 }, { 4, 0x40, 2 }))
    assert.same({ 0, "yes", "1 of 1 arcs come from the code; 2 from outside" },
      { result.status, check_of(result, "callers") })
    result = run(image, profile_of { 0, 0x40, 3 })
    assert.same({ 0, "-", "only 1 from outside" }, { result.status, check_of(result, "callers") })
  end)

  it("checks the sum of several profiles", function()
    local made, path = made_in_order()
    local old = touch(small.run(made), 30)
    local result = run(made.image, path, old)
    assert.same({ "NO", "1 of 2 profiles were written since the image was changed" }, { check_of(result, "image") })
    assert.matches("\n" .. path:gsub("%p", "%%%0") .. " and 1 more do not belong to [^\n]*\n$", result.stdout)
    touch(old, 90)
    assert.matches(" and 1 more belong to [^\n]*\n$", run(made.image, path, old).stdout)
  end)

  it("has the same result in the sandbox, and by line", function()
    local made, path = made_in_order()
    local plain = run(made.image, path)
    for _, option in ipairs { "--sandbox", "-l" } do
      local result = run(option, made.image, path)
      assert.same({ 0, plain.stdout }, { result.status, result.stdout })
    end
    touch(path, 0)
    assert.equal(1, run("--sandbox", made.image, path).status)
  end)

  it("is also for profiles with inlined functions, which have no address", function()
    local image, path = require "support.exported".inlined()
    local plain, result = run(image, path).stdout, run("--inlines", image, path)
    assert.same({ 0, (plain:gsub("1 of 1 files", "2 of 2 files")) }, { result.status, result.stdout })
    local opened = assert(gprof.image(image))
    local profile = assert(gprof.profile(opened, gprof.data(opened, path), { inlines = true }))
    assert.is_nil(profile:find("twice").address)
    assert.is_table(profile:verify())
  end)

  it("prints only an error message if a file is missing", function()
    local result = run(shell.tmpdir() .. "/missing", "missing")
    assert.same({ 1, "" }, { result.status, result.stdout })
    assert.matches("^gprof%.lua: [^\n]*\n$", result.stderr)
  end)
end)

describe("profile:verify", function()
  it("returns each check with its numbers", function()
    local made, path = made_in_order()
    local image = assert(gprof.image(made.image))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, path))))
    local verdict = profile:verify { made.dir }
    assert.is_true(verdict.belongs)
    local results = {}
    for i, check in ipairs(verdict) do results[i] = { check.name, check.holds, check.count, check.all } end
    assert.same({ { "histogram", true }, { "callees", true, 2, 2 }, { "callers", true, 2, 2 },
      { "samples", true, 10, 10 }, { "image", true, 1, 1 }, { "source", true, 1, 1 } }, results)
  end)

  it("accepts only an array of directories", function()
    local _, message = pcall(function() return crafted.profile(crafted.example):verify("x") end)
    assert.matches("bad argument #1 to 'verify' %(array of strings expected, got string%)", message)
  end)

  it("is also available as a report", function()
    local profile = crafted.profile(crafted.example)
    local text = crafted.printed("verify", profile, {})
    assert.matches("^histogram  yes  ", text)
    assert.equal(7, select(2, text:gsub("\n", "")))
  end)
end)
