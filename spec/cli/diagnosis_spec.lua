-- A hint names the likely cause of an oddity in a profile. It is printed once, to standard error, if the oddity affects
-- the output; -b suppresses it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = crafted.example
local image <const> = crafted.image(plan)

-- Runs the program, which must succeed. Returns its messages.
local function said(...)
  local result = program.run { ... }
  assert.equal(0, result.status, result.stderr)
  return result.stderr
end

describe("A normal profile", function()
  it("causes no hints", function()
    local profile = crafted.gmon(plan)
    for _, words in ipairs { {}, { "-b" }, { "-p" }, { "-q" }, { "-z" }, { "--tree" }, { "-C" }, { "-T" },
      { "-Pleaf" } } do
      assert.equal("", said(image, profile, table.unpack(words)))
    end
    local only_calls = crafted.gmon { functions = plan.functions, calls = plan.calls }
    assert.equal("", said(image, only_calls))
  end)
end)

describe("Without samples", function()
  local idle = crafted.gmon { functions = plan.functions, calls = plan.calls, ticks = {} }
  local message <const> = "gprof.lua: hint: no samples: the program ran for less than 10 ms of CPU time, or ran " ..
    "code that is not profiled: use a longer run, or the sum of several (-s)\n"

  it("the hint gives the sampling period, if the report shows only time", function()
    for _, words in ipairs { {}, { "-p" }, { "--tree" }, { "-T" }, { "-q", "-p" } } do
      assert.equal(message, said(image, idle, table.unpack(words)))
    end
    local other = crafted.gmon { functions = plan.functions, ticks = {}, calls = plan.calls, rate = 4,
      dimension = "misses", abbreviation = "m" }
    assert.truthy(said(image, other):find("for less than 0.25 misses", 1, true))
  end)

  it("there is no hint otherwise, nor with -b", function()
    for _, words in ipairs { { "-b" }, { "-z" }, { "-q" }, { "-C" }, { "-i" }, { "--gnu-compat" },
      { "--export=csv" } } do
      assert.equal("", said(image, idle, table.unpack(words)))
    end
  end)

  it("selections cause no hint", function()
    assert.equal("", said("-Pleaf", "-Pwork", "-Pping", "-Ppong", image, crafted.gmon(plan)))
  end)
end)

describe("Without debugging information", function()
  local profile = crafted.gmon(plan)
  local message = image .. ": has no line numbers: compile it with -g\n"

  it("the advice for a stripped program is not to strip it", function()
    local dir, built = shell.tmpdir "stripped", build.program "cycles"
    shell.check { "strip", "-o", dir .. "/program", built.image }
    shell.write(dir .. "/syms", shell.check({ "nm", built.image }).stdout)
    local told = said("-b", "-A", "-S" .. dir .. "/syms", dir .. "/program", built.gmon)
    assert.equal(("gprof.lua: warning: %s/program: has no line numbers: compile it with -g, and do not strip it\n")
      :format(dir), told)
  end)

  it("there is a warning if annotated source is requested, which is empty", function()
    for _, words in ipairs { { "-A" }, { "--annotate-time" }, { "-b", "-A" }, { "-b", "--report=annotation" } } do
      assert.equal("gprof.lua: warning: " .. message, said(image, profile, table.unpack(words)))
    end
  end)

  it("there is a hint if other reports by line are requested", function()
    for _, words in ipairs { { "-l" }, { "-l", "-C" } } do
      assert.equal("gprof.lua: hint: " .. message, said(image, profile, table.unpack(words)))
    end
  end)

  it("there is neither otherwise", function()
    for _, words in ipairs { { "-A", "--gnu-compat" }, { "-l", "--gnu-compat" }, { "-p" }, { "-b", "-l" } } do
      assert.equal("", said(image, profile, table.unpack(words)))
    end
    local built = build.program("calls", "")
    assert.equal("", said("-A", built.image, built.gmon))
    assert.equal("", said("-l", built.image, built.gmon))
  end)
end)

describe("Without arcs", function()
  local flat = crafted.gmon { functions = plan.functions, ticks = plan.ticks }

  it("there is a hint if the call graph would have been printed", function()
    assert.equal("gprof.lua: hint: no calls were recorded, so there is no call graph: was the program compiled with " ..
      "-pg, not just linked with it?\n", said(image, flat))
  end)

  it("there is no hint otherwise", function()
    for _, words in ipairs { { "-b" }, { "-p" }, { "-Q" }, { "--tree" }, { "--gnu-compat" }, { "--export=folded" } } do
      assert.equal("", said(image, flat, table.unpack(words)))
    end
  end)
end)

describe("Samples outside all functions", function()
  -- Makes a profile of 100 samples, `strays` of which fall before the first function.
  local function profile_with(strays)
    local bins = { [4] = strays, [5] = 100 - strays }
    for i = 1, 16 do bins[i] = bins[i] or 0 end
    local low = crafted.BASE - 4 * crafted.SIZE
    local records = { { kind = "histogram", low = low, high = low + #bins * crafted.SIZE, bins = bins },
      { kind = "arc", count = 1, from = crafted.BASE + 4, self = crafted.BASE + crafted.SIZE } }
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    shell.check { "touch", "-d", "2100-01-01", path }
    return path
  end

  it("cause a hint if there are at least ten, and they are a twentieth of all samples", function()
    local message = "gprof.lua: hint: 10 of 100 samples are in code outside all functions: the profile may be " ..
      "from another build, or symbols may have been stripped (see --verify)\n"
    assert.equal(message, said(image, profile_with(10)))
    assert.equal("", said(image, profile_with(9)))
    assert.equal("", said(image, profile_with(0)))
    for _, words in ipairs { { "-b" }, { "-C" }, { "-i" }, { "--gnu-compat" } } do
      assert.equal("", said(image, profile_with(25), table.unpack(words)))
    end
  end)

  it("cause a warning if they are more than a quarter of all samples, also with -b", function()
    for _, words in ipairs { {}, { "-b" }, { "-p" }, { "-C", "-b" }, { "--export=csv" } } do
      local advice = words[#words] ~= "-b" and
        "gprof.lua: hint: name the program that wrote it, or run it again (see --verify)\n" or ""
      local text = said(image, profile_with(26), table.unpack(words))
      assert.matches("^gprof%.lua: warning: [^\n]*: 26 of 100 samples are in code outside all functions[^\n]*\n", text)
      assert.equal(advice, text:match "^[^\n]*\n(.*)$")
    end
    for _, words in ipairs { { "-i" }, { "--gnu-compat" }, { "-b", "-a" }, { "-b", "-D" } } do
      assert.equal("", said(image, profile_with(50), table.unpack(words)))
    end
  end)

  it("cause a message that names a program newer than the profile", function()
    local copy = shell.tmpdir() .. "/copy"
    shell.check { "cp", image, copy }
    for samples = 20, 40, 20 do
      local profile = profile_with(samples)
      shell.check { "touch", "-d", "2100-01-02", copy }
      assert.truthy(said(copy, profile):find(copy .. (samples == 20 and " is newer than the profile\n" or
        ", which is newer, or was stripped: run it again, or name the unstripped file (40 of 100 samples are in " ..
        "code outside all functions)\n"), 1, true))
    end
    assert.equal("", said(copy, profile_with(0)))
  end)
end)

describe("A name that matches nothing", function()
  local source <const> = "static inline __attribute__((always_inline)) int hidden_helper(int x) { return x * 3; }\n" ..
    "int main(int n, char **v) { (void)v; volatile int s = 0; for (int i = 0; i < n; i++) s += hidden_helper(i); }\n"

  local function compiled(...)
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.c", source)
    shell.check({ "gcc", "-O2", "-pg", "-o", "a.out", "a.c", ... }, { cwd = dir })
    shell.check({ "./a.out" }, { cwd = dir })
    return dir
  end

  local GUESS <const> = ": the name is in the debugging information; if it is a function, the compiler may have " ..
    "inlined all its calls (--inlines shows inlined functions)\n"

  local function warning(dir, spec)
    return program.run({ "-b", "-p" .. spec }, { cwd = dir }).stderr
  end

  it("may belong to an inlined function, if it is in debugging information", function()
    for _, options in ipairs { { "-g" }, { "-g", "-gz" }, { "-g", "-gdwarf-4" } } do
      local dir = compiled(table.unpack(options))
      assert.equal("gprof.lua: symspec 'hidden_helper' matches nothing" .. GUESS,
        warning(dir, "hidden_helper"))
      assert.equal("gprof.lua: symspec 'a.c:hidden_helper' matches nothing" .. GUESS,
        warning(dir, "a.c:hidden_helper"))
      for _, name in ipairs { "hidden_helpe", "idden_helper", "hidden_helper2", "nobody" } do
        assert.equal(("gprof.lua: symspec '%s' matches nothing\n"):format(name), warning(dir, name))
      end
    end
  end)

  it("may belong to an inlined function with a name of up to three characters", function()
    local dir = shell.tmpdir()
    for _, name in ipairs { "dot", "f" } do
      shell.write(dir .. "/a.c", (source:gsub("hidden_helper", name)))
      shell.check({ "gcc", "-O2", "-g", "-pg", "-o", "a.out", "a.c" }, { cwd = dir })
      shell.check({ "./a.out" }, { cwd = dir })
      assert.equal(("gprof.lua: symspec '%s' matches nothing"):format(name) .. GUESS, warning(dir, name))
    end
    assert.equal("gprof.lua: symspec 'ot' matches nothing\n", warning(dir, "ot"))
  end)

  it("is rather that of an inlined function than letters of options, if it is long", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.c", (source:gsub("hidden_helper", "hash")))
    shell.check({ "gcc", "-O2", "-g", "-pg", "-o", "a.out", "a.c" }, { cwd = dir })
    shell.check({ "./a.out" }, { cwd = dir })
    assert.equal("gprof.lua: symspec 'hash' matches nothing" .. GUESS, warning(dir, "hash"))
    assert.matches("write options separately: -p -sh\n", warning(dir, "sh"), 1, true)
  end)

  it("may belong to an inlined function whose name is the first in the debugging information", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/first.s", '.section .debug_str,"MS",%progbits,1\n.string "hidden_helper"\n.string "main"\n')
    shell.write(dir .. "/a.c", "int main(void) { return 0; }")
    shell.check({ "gcc", "-pg", "-o", "a.out", "first.s", "a.c" }, { cwd = dir })
    shell.check({ "./a.out" }, { cwd = dir })
    assert.equal("gprof.lua: symspec 'hidden_helper' matches nothing" .. GUESS,
      warning(dir, "hidden_helper"))
  end)

  it("may be in a separate debugging file", function()
    local dir = compiled("-g")
    shell.check({ "objcopy", "--only-keep-debug", "a.out", "kept" }, { cwd = dir })
    shell.check({ "strip", "-s", "a.out" }, { cwd = dir })
    shell.check({ "objcopy", "--add-gnu-debuglink=kept", "a.out" }, { cwd = dir })
    assert.equal("gprof.lua: symspec 'hidden_helper' matches nothing" .. GUESS,
      warning(dir, "hidden_helper"))
  end)

  it("may belong to an inlined function of a class, but not to one of a shared library", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.cc", "namespace geo { template <class T> struct Shape { T side;\n" ..
      "  __attribute__((always_inline)) T hidden_area(T k) const { return side * k; } }; }\n" ..
      "#include <cstdlib>\n#include <string>\n" ..
      "int main(int n, char **v) { geo::Shape<int> s{n}; std::string text(v[0]); text.append(\"x\");\n" ..
      "  volatile int sum = rand() + (int)text.size(); for (int i = 0; i < n; i++) sum += s.hidden_area(i); }\n")
    shell.check({ "g++", "-O2", "-g", "-pg", "-o", "a.out", "a.cc" }, { cwd = dir })
    shell.check({ "./a.out" }, { cwd = dir })
    for _, name in ipairs { "geo::Shape::hidden_area", "Shape<int>::hidden_area", "Shape::hidden_area",
      "geo::Shape<int>::hidden_area(int) const", "hidden_area" } do
      assert.equal(("gprof.lua: symspec '%s' matches nothing%s"):format(name, GUESS), warning(dir, name))
    end
    for _, name in ipairs { "geo::Shape<long>::hidden_area", "geo::hidden_area", "Shape::hidden_are", "Shape::area",
      "geo::Shape<int>::hidden_area(long) const", "rand" } do
      assert.equal(("gprof.lua: symspec '%s' matches nothing\n"):format(name), warning(dir, name))
    end
  end)

  it("is not explained without debugging information", function()
    assert.equal("gprof.lua: symspec 'hidden_helper' matches nothing\n",
      warning(compiled(), "hidden_helper"))
  end)

  it("is found anywhere in the debugging information's names", function()
    local dir, names = shell.tmpdir(), {}
    for i = 1, 9000 do names[i] = ("extern int name_of_some_length_%d; "):format(i) end
    shell.write(dir .. "/a.c", table.concat(names, "\n") .. "int f(void) { return 0" ..
      table.concat(names, ""):gsub("extern int (%S+);", "+ %1") .. "; }\n" .. source)
    shell.check({ "gcc", "-g", "-c", "-o", "a.o", "a.c" }, { cwd = dir })
    local core, gprof = require "gprof.core", require "gprof"
    local opened = assert(gprof.image(dir .. "/a.o"))
    for i = 1, 9000, 7 do
      assert.is_true(core.image_mentions(opened, "name_of_some_length_" .. i), i)
    end
    assert.is_false(core.image_mentions(opened, "name_of_some_length_9001"))
    assert.is_false(core.image_mentions(opened, ("x"):rep(100000)))
  end)
end)

describe("Arcs that do not lead to a function entry", function()
  local large <const> = build.craft { address = 0x1000, text = 0x800,
    symbols = { { "main", 0 }, { "work", 0x200 }, { "leaf", 0x400 }, { "_last", 0x600 } } }

  -- Writes a profile of ten arcs: `fitting` of them lead to a function's entry, `elsewhere` of them to a library.
  local function profile_with(fitting, elsewhere)
    local bins = {}
    for i = 1, 16 do bins[i] = 1 end
    local records = { { kind = "histogram", low = 0x1000, high = 0x1800, bins = bins } }
    for i = 1, 10 do
      local callee = i <= fitting and 0x1200 or i <= fitting + (elsewhere or 0) and 0x7f0000000000 or 0x1500
      records[i + 1] = { kind = "arc", count = 1, from = 0x1000 + i, self = callee + i }
    end
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    shell.check { "touch", "-d", "2100-01-01", path }
    return path
  end

  local function warning(profile, count, more)
    return ("gprof.lua: warning: %s: is probably from another build of %s, or symbols were stripped from the " ..
      "program: %d of 10 arcs do not lead to a function entry%s\n"):format(profile, large, count, more or "")
  end

  it("cause a warning in all reports and exports if there are at least three, and they are a tenth of all", function()
    local some = profile_with(7)
    for _, words in ipairs { {}, { "-b" }, { "-p" }, { "-q", "-b" }, { "-C" }, { "--tree" }, { "-a" },
      { "-b", "-l" }, { "--export=json" }, { "--export=csv" }, { "--html=/dev/null" }, { "-s", "-p" } } do
      local result = program.run({ large, some, table.unpack(words) }, { cwd = shell.tmpdir() })
      assert.same({ 0, warning(some, 3) }, { result.status, (result.stderr:gsub("gprof.lua: hint: [^\n]*\n", "")) },
        table.concat(words, " "))
    end
    assert.equal("", said(large, profile_with(8)))
  end)

  it("cause a message that names a program newer than the profile", function()
    shell.check { "touch", "-d", "2100-01-02", large }
    local some = profile_with(7)
    assert.truthy(said("-b", large, some):find(large .. ", which is newer, or was stripped: run it again, or name " ..
      "the unstripped file (3 of ", 1, true))
    assert.equal("", said(large, profile_with(8)))
    shell.check { "touch", "-d", "2001-01-01", large }
  end)

  it("cause no warning where they do not matter, or have another reason", function()
    for _, words in ipairs { { "-i" }, { "--gnu-compat" }, { "--gnu-compat", "--export=json" }, { "-s" } } do
      local result = program.run({ large, profile_with(0), table.unpack(words) }, { cwd = shell.tmpdir() })
      assert.same({ 0, "" }, { result.status, result.stderr })
    end
    assert.equal("", said(large, profile_with(1, 9)))
  end)

  it("cause a hint at --with if all lead to libraries", function()
    local records = { { kind = "histogram", low = 0x1000, high = 0x1800, bins = { 0, 0, 0, 0 } },
      { kind = "arc", count = 1, from = 0x1004, self = 0x7f0000000000 } }
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    assert.equal("gprof.lua: hint: all recorded calls lead to shared libraries, which the profile does not " ..
      "cover: add libraries with --with\n", said("-q", large, path))
    records[2].from = 0x7f0000000008
    gmon.write(path, gmon.magic { records = records })
    local result = program.run { large, path }
    assert.same({ 1, "" }, { result.status, result.stdout })
    assert.matches("^gprof%.lua: [^\n]* does not belong to [^\n]*\n$", result.stderr)
  end)
end)
