-- What symspecs mean by default: functions by their source names, files by their last components. Also how errors in
-- symspecs, numbers and symbol files are reported.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"
local symspec = require "gprof.symspec"
local symspec_lookup = require "gprof.library.symspec.lookup"

describe("symspec.parse", function()
  for text, half in pairs {
    ["main"] = { name = "main" }, ["main.c"] = { file = "main.c" }, [":.mul"] = { name = ".mul" },
    ["odd:"] = { file = "odd" }, ["main.c:main"] = { file = "main.c", name = "main" },
    ["main.c:134"] = { file = "main.c", line = 134 }, [":134"] = { line = 134 }, ["134"] = { line = 134 },
    ["left/common.c"] = { file = "left/common.c" }, [":"] = {}, [""] = {}, ["Shape::area"] = { name = "Shape::area" },
    ["shapes.h:Shape::area"] = { file = "shapes.h", name = "Shape::area" },
    ["a.c:7up"] = { file = "a.c", name = "7up" }, ["f(auto:1)"] = { name = "f(auto:1)" },
    ["a.cc:f[abi:x]()"] = { file = "a.cc", name = "f[abi:x]()" },
    ["a.cc:{lambda(auto:1)#1}"] = { file = "a.cc", name = "{lambda(auto:1)#1}" },
    [":99999999999999999999"] = { line = math.maxinteger }, [":0"] = { line = 0 },
  } do
    it(("parses '%s'"):format(text), function()
      local found, callees = symspec.parse(text)
      half.text = text
      assert.same(half, found)
      assert.is_nil(callees)
    end)
  end

  it("parses calls", function()
    local from, to = symspec.parse("a.c:f/:7", true)
    assert.same({ text = "a.c:f", file = "a.c", name = "f" }, from)
    assert.same({ text = ":7", line = 7 }, to)
    from, to = symspec.parse("f", true)
    assert.same({ text = "f", name = "f" }, from)
    assert.is_nil(to)
    assert.same({ text = "" }, (symspec.parse("/f", true)))
  end)

  for text, sides in pairs {
    ["operator/(A, A)"] = { "operator/(A, A)" }, ["A::operator/=(int)/main"] = { "A::operator/=(int)", "main" },
    ["main/f<(A)/(B)>(int)"] = { "main", "f<(A)/(B)>(int)" }, ["operator/main"] = { "operator", "main" },
    ["operator<(A)/operator>(A)"] = { "operator<(A)", "operator>(A)" },
    ["A::operator-><int>()/f"] = { "A::operator-><int>()", "f" },
  } do
    it(("parses '%s', a symspec of calls"):format(text), function()
      local from, to = symspec.parse(text, true)
      assert.same(sides, { from.name, to and to.name })
    end)
  end

  it("parses as GNU gprof does, on request", function()
    local function parsed(text)
      local half = symspec.parse(text, false, true)
      half.text = nil
      return half
    end
    assert.same({ file = "Shape:", name = "area" }, parsed "Shape::area")
    assert.same({ name = "left" }, parsed "left/common.c")
    assert.same({ file = "a.c" }, parsed "a.c:0")
    assert.same({ file = "a.c", line = 7 }, parsed "a.c:7up")
    assert.same({ line = 17 }, parsed ":4294967313")
  end)
end)

local function open(name)
  local built = build.program(name)
  local image = assert(gprof.image(built.image))
  return image, assert(gprof.data(image, built.gmon))
end

-- Returns the sorted names of the functions that symspecs select for the flat profile, and the symspecs that match
-- nothing.
local function listed(name, ...)
  local image, data = open(name)
  local missed = {}
  local profile = assert(gprof.profile(image, data, { include = { flat = { ... } },
    missed = function(spec) missed[#missed + 1] = spec end }))
  local names = {}
  for f in profile:functions() do
    if f.listed then names[#names + 1] = f.name end
  end
  table.sort(names)
  return names, missed
end

describe("A symspec", function()
  -- Looks up a symspec in a program whose only file is a.c. `in_source` maps source names to functions. Returns what is
  -- found, and the number of lookups by source name, which are slow.
  local function lookup(text, in_source)
    local searches = 0
    local function named(_, name, demangled)
      if demangled then searches = searches + 1 end
      return demangled and in_source[name] or {}
    end
    local functions = { count = 0, named = named, in_file = function() return { 1, 2 } end }
    function functions.files() return { "a.c" } end
    local found = symspec_lookup.new(functions):find((symspec.parse(text)))
    return found, searches
  end

  it("that is a file, or empty, is not looked up as a name in the source", function()
    assert.same({ { 1, 2 }, 0 }, { lookup("a.c", {}) })
    assert.same({ { 1, 2 }, 0 }, { lookup("a.c", { ["a.c"] = { 3 } }) })
    assert.same({ true, 0 }, { lookup("", {}) })
  end)

  it("that is not a file is looked up as a name in the source", function()
    assert.same({ { 3 }, 1 }, { lookup("std.write", { ["std.write"] = { 3 } }) })
    assert.same({ { 3 }, 1 }, { lookup("f(a.c)", { ["f(a.c)"] = { 3 } }) })
    assert.same({ {}, 1 }, { lookup("b.c", {}) })
  end)
end)

describe("By default, symspecs", function()
  it("match files by their last components", function()
    assert.same({ "helper", "left_run", "work" }, (listed("twins", "left/common.c")))
    assert.same({ "helper", "right_run", "work" }, (listed("twins", "right/common.c:")))
    assert.same({ "helper", "helper", "left_run", "right_run", "work", "work" }, (listed("twins", "common.c")))
    assert.same({ "work" }, (listed("twins", "left/common.c:work")))
    assert.same({ "work", "work" }, (listed("twins", "common.c:work")))
    assert.same({ "work", "work", "work" }, (listed("twins", "work")))
  end)

  it("match all functions if they are a colon alone", function()
    local image, data = open "calls"
    local all = {}
    for name in gprof.profile(image, data):functions("name", "name") do all[#all + 1] = name end
    assert.is_true(#all > 10)
    assert.same({ all, {} }, { listed("calls", ":") })
  end)

  it("are passed to `missed` at each scope if they match nothing", function()
    local image, data = open "twins"
    for _, gnu_compat in ipairs { false, true } do
      for _, scope in ipairs { "flat", "graph", "time", "annotation", "executions" } do
        local missed = {}
        assert(gprof.profile(image, data, { gnu_compat = gnu_compat, exclude = { [scope] = { "nobody", "main" } },
          missed = function(spec) missed[#missed + 1] = spec end }))
        assert.same({ "nobody" }, missed)
      end
    end
  end)

  it("do not match parts of a path component", function()
    local _, missed = listed("twins", "ommon.c", "eft/common.c")
    table.sort(missed)
    assert.same({ "eft/common.c", "ommon.c" }, missed)
  end)

  it("match demangled names, with and without parameters", function()
    local measure = { "measure(unsigned int)" }
    assert.same(measure, (listed("shapes", "measure")))
    assert.same(measure, (listed("shapes", "measure(unsigned int)")))
    assert.same(measure, (listed("shapes", "_Z7measurej")))
    assert.same(measure, (listed("shapes", "shapes.cc:measure")))
    assert.same({ "geometry::Square::area() const" }, (listed("shapes", "geometry::Square::area")))
    assert.same({ "geometry::Square::area() const" }, (listed("shapes", "geometry::Square::area() const")))
    -- two in shapes.cc, one in shapes_more.cc
    assert.equal(3, #listed("shapes", "(anonymous namespace)::count"))
    assert.equal(1, #listed("shapes", "(anonymous namespace)::count(double)"))
  end)

  it("with dots match a function of that name, if there is one", function()
    if not build.symbols(build.program("clones").image).by_name["work.isra.0"] then
      pending("this compiler makes no work.isra.0")
      return
    end
    assert.same({ "work.isra.0" }, (listed("clones", "work.isra.0")))
    assert.same({ "work.isra.0" }, (listed("clones", ":work.isra.0")))
  end)

  it("match a function by its line", function()
    local image, data = open "calls"
    local profile = assert(gprof.profile(image, data))
    for f in profile:functions() do
      if f.name == "twice" then
        assert.same({ "twice" }, (listed("calls", "calls.c:" .. f.line)))
        return
      end
    end
    error "no function twice"
  end)

  it("are all passed to `missed` if they match nothing", function()
    local names, missed = listed("calls", "nobody", "main", "no.c", ":0", ":99999999999999999999")
    assert.same({ "main" }, names)
    table.sort(missed)
    assert.same({ ":0", ":99999999999999999999", "no.c", "nobody" }, missed)
  end)
end)

-- Calls -------------------------------------------------------------------------------------

local plan <const> = {
  functions = { "main", "work", "leaf", "idle", "behind" },
  ticks = { work = 30, leaf = 40 },
  calls = { { "main", "work", 2 }, { "main", "leaf", 1 }, { "work", "leaf", 6 }, { "work", "work", 5 } },
}

-- Returns the calls that the symspecs do not exclude, written as "main>work".
local function calls_left(...)
  local profile = crafted.profile(plan, { exclude = { arcs = { ... } } })
  local left = {}
  for f in profile:functions "address" do
    for arc in f:callees() do left[#left + 1] = arc.caller.name .. ">" .. arc.callee.name end
  end
  table.sort(left)
  return left
end

describe("Calls are excluded", function()
  it("by caller, callee or both", function()
    assert.same({ "main>leaf", "main>work", "work>leaf", "work>work" }, calls_left("leaf/main"))
    assert.same({ "main>leaf", "work>leaf", "work>work" }, calls_left("main/work"))
    assert.same({ "main>work", "work>work" }, calls_left("/leaf"))
    assert.same({ "work>leaf", "work>work" }, calls_left("main/"))
    assert.same({ "main>work" }, calls_left("main/leaf", "work/"))
    assert.same({}, calls_left("/"))
  end)
end)

-- The program -------------------------------------------------------------------------------

describe("The program", function()
  local image, gmon = crafted.image(plan), crafted.gmon(plan)

  local function run(list)
    return program.run(table.move({ image, gmon }, 1, 2, #list + 1, list))
  end

  it("prints nothing but a line about each symspec that matches nothing", function()
    local result = run { "-b", "-p", "-Pnobody", "-n", "nobody", "-Qno.c" }
    assert.same({ "", 1 }, { result.stdout, result.status })
    local lines = {}
    for line in result.stderr:gmatch "[^\n]+" do lines[#lines + 1] = line end
    table.sort(lines)
    assert.same({ ("gprof.lua: symspec 'no.c' matches nothing: %s has no line numbers, so it has no names of source " ..
      "files"):format(image), "gprof.lua: symspec 'nobody' matches nothing" }, lines)
  end)

  it("finds the clones of a function that does not exist", function()
    local cloned = { functions = { "main", "work.isra.0", "work.part.1", "works.x", "f.1", "f.2", "f" }, ticks = {},
      calls = { { "main", "work.isra.0", 1 }, { "work.isra.0", "work.part.1", 2 }, { "main", "f", 3 },
        { "main", "f.1", 4 } } }
    local path, profile = crafted.image(cloned), crafted.gmon(cloned)
    local function executions(spec)
      local result = program.run { "-b", "-C" .. spec, path, profile }
      local names = {}
      for name in result.stdout:gmatch "%((%g+):0x" do names[#names + 1] = name end
      return table.concat(names, " ")
    end
    assert.equal("work.isra.0 work.part.1", executions "work")
    assert.equal("work.part.1", executions "work.part.1")
    assert.equal("f", executions "f")
    assert.equal("", executions "work.isra")
    assert.equal("", executions "works")
    assert.equal(0, program.run({ "-b", "-q", "-kwork/work", path, profile }).status)
  end)

  it("finds the clones of a function that does not exist by its mangled name", function()
    local cloned = { functions = { "main", "_ZN6Circle4areaEi.isra.0", "_ZN6Circle4areaEi.part.1",
      "_ZN6Circle4areaEii.isra.0", "_ZN6Circle4areaEiz" }, ticks = {},
      calls = { { "main", "_ZN6Circle4areaEi.isra.0", 1 }, { "main", "_ZN6Circle4areaEi.part.1", 2 },
        { "main", "_ZN6Circle4areaEii.isra.0", 3 }, { "main", "_ZN6Circle4areaEiz", 4 } } }
    local path, profile = crafted.image(cloned), crafted.gmon(cloned)
    local function calls(spec)
      local result = program.run { "-b", "-p" .. spec, path, profile }
      local counts = {}
      for count in result.stdout:gmatch "\n +0%.00 +0%.00 +0%.00 +(%d+)" do counts[#counts + 1] = count end
      table.sort(counts)
      return table.concat(counts, " "), result.stderr
    end
    assert.equal("1 2", (calls "_ZN6Circle4areaEi"))
    assert.equal("3", (calls "_ZN6Circle4areaEii"))
    assert.equal("4", (calls "_ZN6Circle4areaEiz"))
    assert.equal("", (calls "_ZN6Circle4area"))
  end)

  it("does not look for clones in a program without symbols", function()
    local stripped = shell.tmpdir() .. "/stripped"
    shell.check { "strip", "-o", stripped, image }
    local symbols = shell.write(shell.tmpdir() .. "/symbols", shell.check { "nm", image }.stdout)
    local result = program.run { "-b", "-p", "-Qnobody", "-S", symbols, stripped, gmon }
    assert.same({ "gprof.lua: symspec 'nobody' matches nothing\n", 1 }, { result.stderr, result.status })
  end)

  for words, message in pairs {
    [{ "-n", "" }] = "gprof.lua: option -n (--time): '' contains no name\n",
    [{ "-n", ":" }] = "gprof.lua: option -n (--time): ':' contains no name\n",
    [{ "-k", "x" }] = "gprof.lua: option -k takes FROM/TO, not 'x'\n",
    [{ "-m", "-5" }] =
      "gprof.lua: option -m (--min-count) takes a whole number from 0 to 9223372036854775807, not '-5'\n",
    [{ "-w", "x" }] = "gprof.lua: option -w (--width) takes a whole number from 1 to 1000000, not 'x'\n",
    [{ "-S", "" }] = "gprof.lua: option -S (--external-symbol-table): the file name is empty\n",
  } do
    it(("refuses %s '%s'"):format(words[1], words[2]), function()
      local result = run { words[1], words[2] }
      assert.same({ 1, "", message }, { result.status, result.stdout, result.stderr })
    end)
  end

  it("omits functions called less often than -m says", function()
    local result = run { "-b", "-C", "-m", "3" }
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.equal("<unknown>:0: (leaf:0x1040) 7 executions\n", result.stdout)
    assert.truthy(run { "-b", "-C", "-m", "0" }.stdout:find("(idle:0x1060) 0 executions", 1, true))
  end)

  -- Symbol files --------------------------------------------------------------------------

  local function with_symbols(text)
    local path = shell.write(shell.tmpdir() .. "/symbols", text)
    local result = program.run { "-b", "-C", "-z", "-S", path, image, gmon }
    return result, path
  end

  local good <const> = "<unknown>:0: (one:0x1000) 0 executions\n<unknown>:0: (two:0x1040) 7 executions\n"

  for about, text in pairs {
    ["in plain form"] = "1000 T one\n1040 t two\n", ["with CRLF"] = "1000 T one\r\n1040 T two\r\n",
    ["with blank lines"] = "\n1000 T one\n\n  \n1040 T two\n\n", ["without a last newline"] = "1000 T one\n1040 T two",
    ["with data and undefined symbols"] = "1000 T one\n1010 d data\n         U undefined\n1040 T two\n",
    ["with a symbol without a name"] = "1000 T one\n1020 t \n1040 T two\n",
  } do
    it(("reads symbol files %s"):format(about), function()
      local result = with_symbols(text)
      assert.same({ 0, good, "" }, { result.status, result.stdout, result.stderr })
    end)
  end

  it("reads names of any length", function()
    local name = ("n"):rep(5000)
    local result = with_symbols("1000 T one\n1040 T " .. name .. "\n")
    assert.equal(0, result.status)
    assert.truthy(result.stdout:find("(" .. name .. ":0x1040) 7 executions", 1, true))
  end)

  for about, case in pairs {
    ["with a malformed line"] = { "1000 T one\nnonsense\n1040 T two\n", "line 2" },
    ["with a truncated line"] = { "1000 T one\n1040 T two\n1050 T\n", "line 3" },
    ["with CRLF and a truncated line"] = { "1000 T one\r\n1050 T\r\n", "line 2" },
    ["with binary data"] = { "\127ELF\2\1\1\0\0\255\254", "line 1" },
    ["that are empty"] = { "", "" }, ["without functions"] = { "1000 D one\n", "" },
  } do
    it(("refuses symbol files %s"):format(about), function()
      local result, path = with_symbols(case[1])
      assert.same({ 1, "" }, { result.status, result.stdout })
      assert.equal(1, select(2, result.stderr:gsub("\n", "")))
      assert.truthy(result.stderr:find("gprof.lua: " .. path .. ": ", 1, true), result.stderr)
      assert.truthy(result.stderr:find(case[2], 1, true), result.stderr)
    end)
  end

  -- Only root sees the addresses in /proc/kallsyms.
  it("refuses symbol files whose addresses are all zero", function()
    local zero = ("0"):rep(16)
    local hidden = ("Z T one\nZ A per_cpu\nZ t two\nZ t three\t[module]\n"):gsub("Z", zero)
    local result, path = with_symbols(hidden)
    assert.same({ 1, "", ("gprof.lua: %s: all addresses are zero; if these are the kernel's symbols, read " ..
      "/proc/kallsyms as root\n"):format(path) }, { result.status, result.stdout, result.stderr })
    assert.equal(0, with_symbols(hidden .. "1000 T four\n").status)
    assert.equal(0, program.run({ "--gnu-compat", "-b", "-C", "-z", "-S", path, image, gmon }).status)
  end)

  it("reads symbol files whose only function is at address zero", function()
    local result = with_symbols "0 T one\n"
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.truthy(result.stdout:find("(one:0x0) ", 1, true), result.stdout)
  end)

  it("refuses symbol files that do not exist", function()
    local path = shell.tmpdir() .. "/none"
    local result = run { "-S", path }
    assert.same({ 1, "" }, { result.status, result.stdout })
    assert.truthy(result.stderr:find("^gprof%.lua: .-/none: [^\n]+\n$"), result.stderr)
  end)
end)
