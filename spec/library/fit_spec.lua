-- Whether a profile is from another build of its image: every mode warns about that, and comparisons refuse it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local dkjson = require "dkjson"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

local dir <const> = shell.tmpdir "fit"

-- A program of five functions. `MORE` makes `first`, and so the program, larger; `LINKAGE` may be `static`.
shell.write(dir .. "/source.c", [[
static volatile int sum;
#ifndef LINKAGE
#define LINKAGE
#endif
#define NOINLINE LINKAGE __attribute__((noinline))
NOINLINE void first(int x)
{
#ifdef MORE
    for (int i = 0; i < x; i++) { sum += i * x; sum ^= x / (i + 1); sum -= x % (i + 2); sum |= x << (i & 7); }
#endif
    sum += x;
}
NOINLINE void second(int x) { first(x); sum += x; }
NOINLINE void third(int x) { second(x); first(x); }
__attribute__((noinline)) void fourth(int x) { third(x); second(x); }
int main(void) { fourth(1); third(2); return 0; }
]])
shell.check { "touch", "-d", "2001-01-01", dir .. "/source.c" }

-- Compiles and runs the program. Returns the paths of the image and of its profile.
local function make(name, ...)
  shell.check({ "gcc", "-O1", "-g", "-pg", "-o", name, "source.c", ... }, { cwd = dir })
  shell.check({ "sh", "-c", ("rm -f gmon.out; ./%s && mv gmon.out %s.gmon"):format(name, name) }, { cwd = dir })
  return name, name .. ".gmon"
end

local small <const>, of_small <const> = make "small"
local large <const>, of_large <const> = make("large", "-DMORE")

local function run(...)
  return program.run({ ... }, { cwd = dir })
end

-- The warning about a profile, as a pattern.
local function warning(profile, image)
  return ("gprof.lua: warning: %s: is probably from another build of %s"):format(profile, image)
end

local function check_warning(profile, image, ...)
  local result = run(image, profile, ...)
  assert.equal(0, result.status, result.stderr)
  local text, hints = result.stderr:gsub("gprof.lua: hint: name the program that wrote it, or run it again %(see " ..
    "%-%-verify%)\n", "")
  assert.equal(1, select(2, text:gsub("\n", "")), result.stderr)
  local is_brief = (...) == "-b"
  assert.is_true(hints == 0 or not is_brief)
  assert.equal(1, (result.stderr:find(warning(profile, image), 1, true)), result.stderr)
end

describe("The profile of another build", function()
  it("causes a warning in every report, export and sum, also with -b", function()
    for _, words in ipairs { { "-b" }, { "-b", "-p" }, { "-b", "-A" }, { "-b", "-C" }, { "-b", "-l", "-q" }, { "-s" },
      { "-b", "-T" }, { "-b", "--tree" }, { "--html=page" }, { "--export=csv" }, { "--export=json" }, { "-b", "-r" },
      { "-b", "--sandbox" }, { "-b", "-s", "-p" }, { "-b", "--report=flat" } } do
      check_warning(of_small, large, table.unpack(words))
      check_warning(of_large, small, table.unpack(words))
    end
  end)

  it("of a program that was rebuilt without -pg is told, even if there is no other evidence", function()
    local where = shell.tmpdir()
    shell.write(where .. "/a.c", "__attribute__((noinline)) void f(void) { asm(\"\"); }\n" ..
      "int main(void) { f(); return 0; }")
    local function compile(...)
      shell.check({ "gcc", "-O1", "-o", "a", "a.c", ... }, { cwd = where })
    end
    local function warned(...)
      local result = program.run({ "-b", "-z", "a", ... }, { cwd = where })
      return result.stderr, result.status
    end
    compile "-pg"
    shell.check({ "./a" }, { cwd = where })
    shell.check({ "touch", "-d", "2001-01-01", "gmon.out" }, { cwd = where })
    assert.equal("", warned())
    compile()
    local text = "gmon.out: is from another build of a, which is newer and was compiled without -pg: compile it " ..
      "with -pg, and run it again"
    assert.same({ "gprof.lua: warning: " .. text .. "\n", 0 }, { warned() })
    assert.same({ "gprof.lua: " .. text .. ", or compare with --force\n", 1 }, { warned "--compare=gmon.out" })
    assert.equal("", warned "--gnu-compat")
    shell.check({ "touch", "-d", "2100-01-01", "gmon.out" }, { cwd = where })
    assert.equal("", warned())  -- a profile that a tool made
    shell.check({ "touch", "-d", "2001-01-01", "gmon.out" }, { cwd = where })
    compile "-finstrument-functions"  -- the recorder counts these calls
    assert.equal("", warned())
  end)

  it("causes no warning with --gnu-compat or -i, and fails --verify", function()
    for _, words in ipairs { { "--gnu-compat", "-b" }, { "--gnu-compat", "-s" }, { "-i" },
      { "--gnu-compat", "--export=json" } } do
      assert.equal("", run(large, of_small, table.unpack(words)).stderr)
    end
    for image, profile in pairs { [large] = of_small, [small] = of_large } do
      local result = run("--verify", image, profile)
      assert.same({ 1, "" }, { result.status, result.stderr })
      assert.matches("\nhistogram  NO ", "\n" .. result.stdout)
    end
  end)

  it("causes a banner in the HTML page and sets a field of the JSON export", function()
    local exported
    for _, words in ipairs { {}, { "--gnu-compat" } } do  -- a comparison refuses either
      exported = dkjson.decode(run("--export=json", large, of_small, table.unpack(words)).stdout)
      assert.matches("^it covers addresses 0x", exported.mismatch)
    end
    run("--html=page", large, of_small)
    assert.matches('<p class="warning mismatch" role="alert">[^\n]*it covers addresses 0x', shell.read(dir .. "/page"))
    exported = dkjson.decode(run("--export=json", large, of_large).stdout, 1, "null")
    assert.equal("null", exported.mismatch)
    run("--html=page", large, of_large)
    assert.is_nil(shell.read(dir .. "/page"):find("warning mismatch", 1, true))
    run("--gnu-compat", "--html=page", large, of_small)
    assert.is_nil(shell.read(dir .. "/page"):find("warning mismatch", 1, true))
  end)

  it("can be detected by scripts", function()
    local image = assert(gprof.image(dir .. "/" .. large))
    local function mismatch(name)
      return assert(gprof.profile(image, assert(gprof.data(image, dir .. "/" .. name)))):mismatch()
    end
    assert.is_nil(mismatch(of_large))
    assert.matches("^it covers addresses 0x%x+ to 0x%x+, the code is at 0x%x+ to 0x%x+", mismatch(of_small))
  end)

  it("is not compared, on either side, without --force", function()
    local exported = run("--export=json", large, of_small).stdout
    shell.write(dir .. "/old.json", exported)
    for _, words in ipairs { { "--compare=" .. of_large, large, of_small }, { "--compare=old.json", large, of_large },
      { "--compare=" .. of_small, large, of_large } } do
      local result = run("-b", table.unpack(words))
      assert.same({ 1, "" }, { result.status, result.stdout })
      assert.matches("^gprof%.lua: [^\n]* probably from another build[^\n]*%-%-force[^\n]*\n$", result.stderr)
      for _, option in ipairs { "-b", "--force", "--gnu-compat" } do
        result = run(option, "--fail-on=calls:1000%,1000", table.unpack(words))
        assert.same({ 1, "" }, { result.status, result.stdout })
        assert.matches("^gprof%.lua: [^\n]* probably from another build[^\n]*\n$", result.stderr)
        assert.is_nil(result.stderr:find("--force", 1, true))
      end
      result = run("-b", "--force", table.unpack(words))
      assert.equal(0, result.status, result.stderr)
      assert.matches("^gprof%.lua: warning: [^\n]* probably from another build[^\n]*\n$", result.stderr)
      assert.matches("^Comparison of profiles", result.stdout)
    end
    local function compared(image, profile, old, ...)
      return run("--force", "--compare=" .. old, image, profile, ...).stdout
    end
    local both = dkjson.decode(compared(large, of_small, of_large, "--export=json"), 1, "null")
    assert.matches("^it covers addresses 0x", both.new.mismatch)
    assert.equal("null", both.old.mismatch)
    for _, old in ipairs { of_small, "old.json" } do
      assert.matches("^it covers addresses 0x",
        dkjson.decode(compared(large, of_large, old, "--export=json")).old.mismatch)
      compared(large, of_large, old, "--html=page")
      assert.matches('<p class="warning mismatch" role="alert"><b>The old profile is probably from another ' ..
        "build[^\n]*0x", shell.read(dir .. "/page"))
    end
    local right = run("-b", ("--compare=%s,%s"):format(small, of_small), large, of_large)
    assert.same({ 0, "" }, { right.status, right.stderr })
    local alone = run("--force", large, of_large)
    assert.same({ 1, "gprof.lua: option --force needs --compare\n" }, { alone.status, alone.stderr })
  end)

  it("causes a warning that also names an image or source that is newer", function()
    shell.check({ "touch", "-d", "2100-01-02", large }, { cwd = dir })
    assert.truthy(run("-b", large, of_small).stderr:find("build of large, which is newer: run it again, or name " ..
      "the right program (it covers ", 1, true))
    assert.equal("", run("-b", large, of_large).stderr)
    shell.check({ "touch", "-d", "2001-01-01", large }, { cwd = dir })
    shell.check({ "touch", "-d", "2100-01-03", "source.c" }, { cwd = dir })
    assert.matches("; [^\n;]*source%.c is newer than large; if [^\n;]*%-%-slide=auto\n",
      run("-b", large, of_small).stderr)
    assert.equal("", run("-b", "-p", large, of_large).stderr)
    shell.check({ "touch", "-d", "2001-01-01", "source.c" }, { cwd = dir })
  end)
end)

describe("The profile of this build", function()
  it("causes no warning, however the program was linked", function()
    for name, options in pairs { fixed = { "-no-pie" }, all = { "-static" }, sections = { "-ffunction-sections" },
      stripped = { "-Wl,--strip-debug" } } do
      local image, profile = make(name, table.unpack(options))
      for _, words in ipairs { { "-p" }, { "-s" }, { "-q", "-a" }, { "-q", "-D" }, { "--export=json" } } do
        assert.equal("", run("-b", image, profile, table.unpack(words)).stderr)
      end
    end
  end)

  it("may cover a part of the code, more than the code in whole pages, or moved code", function()
    local image = build.craft { address = 0x1010, text = 0x800,
      symbols = { { "_start", 0 }, { "main", 0x40 }, { "work", 0x200 }, { "etext", 0x7ff } } }
    local opened = assert(gprof.image(image))
    local function mismatch(low, high)
      local bins = {}
      for i = 1, 8 do bins[i] = 1 end
      local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
        { kind = "histogram", low = low, high = high, bins = bins } } })
      return assert(gprof.profile(opened, assert(gprof.data(opened, path)))):mismatch()
    end
    assert.is_nil(mismatch(0x1010, 0x1810))
    assert.is_nil(mismatch(0x1050, 0x1210))
    assert.is_nil(mismatch(0x1000, 0x2000))
    assert.is_nil(mismatch(0, 0x1818))
    assert.is_nil(mismatch(0, 0x1700))
    assert.matches("^it covers addresses 0x5000 to 0x5700, ", mismatch(0x5000, 0x5700))
    assert.is_nil(mismatch(0x5010, 0x5810))
    assert.matches("^it covers addresses 0x1010 to 0x1860, ", mismatch(0x1010, 0x1860))
    assert.is_nil(mismatch(0xc00, 0x1860))
  end)
end)

describe("The profile of a program whose local symbols were stripped", function()
  local whole <const>, profile <const> = make("whole", "-DLINKAGE=static")
  -- -p: a program that is newer than the profile would not belong to it
  shell.check({ "strip", "-p", "-x", "-o", "partly", whole }, { cwd = dir })
  local stripped <const> = ("gprof.lua: warning: %s: local symbols were stripped from partly (strip -x): 6 of 7 " ..
    "arcs lead to functions without a symbol, whose calls and time are attributed to other functions\n"):format(profile)

  it("causes a warning that says so, and is not taken for another build", function()
    for _, words in ipairs { { "-b" }, { "-b", "-p" }, { "-q", "-b", "-l" }, { "-b", "-a" } } do
      local result = run("partly", profile, table.unpack(words))
      assert.same({ 0, stripped }, { result.status, result.stderr })
    end
    assert.equal(stripped .. "gprof.lua: hint: use the unstripped file\n", run("-q", "partly", profile).stderr)
    assert.equal("", run("-b", whole, profile).stderr)
    assert.equal("", run("-b", "--gnu-compat", "partly", profile).stderr)
    local verdict = run("--verify", "partly", profile)
    assert.same({ 0, "" }, { verdict.status, verdict.stderr })
    assert.matches("\ncallees +yes +1 of 1 arcs lead to function entries; 6 to functions whose symbols were stripped\n",
      verdict.stdout)
  end)

  it("is noted in pages and JSON", function()
    local exported = dkjson.decode(run("--export=json", "partly", profile).stdout, 1, "null")
    assert.equal("null", exported.mismatch)
    assert.matches("local symbols were stripped: 6 arcs lead to", table.concat(exported.notes, "\n"), 1, true)
    run("--html=page", "partly", profile)
    assert.matches("<li>Local symbols were stripped: 6 arcs lead to", shell.read(dir .. "/page"), 1, true)
  end)

  it("is compared, on either side", function()
    for _, words in ipairs { { "--compare=partly," .. profile, whole, profile },
      { ("--compare=%s,%s"):format(whole, profile), "partly", profile } } do
      local result = run("-b", table.unpack(words))
      assert.same({ 0, stripped }, { result.status, result.stderr })
      assert.matches("^Comparison of profiles", result.stdout)
    end
  end)

  it("is taken for another build if arcs lead into the middle of functions that have symbols", function()
    shell.check({ "strip", "-x", "-o", "partly", large }, { cwd = dir })
    local image = assert(gprof.image(dir .. "/partly"))
    local first = build.address(dir .. "/" .. large, "first")
    local data = gprof.data.new { image = image }
    for i = 1, 3 do data:add_arc(first + i, first + 64 + i, 1) end
    assert.equal("3 of 3 arcs do not lead to a function entry", assert(gprof.profile(image, data)):mismatch())
  end)
end)
