-- The files for linkers (-r --order-format): the linkers read them, and programs have the order that the files ask for.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

local ORDERED <const> = {
  lld = { option = "--symbol-ordering-file=", linker = "lld" },
  gold = { option = "--section-ordering-file=", linker = "gold" },
  ld = { option = "-T,", linker = "bfd" },
}

-- Static functions of the same name, a name with a dollar, a cold function, a function with a cold part, a clone,
-- mangled names.
local sources <const> = {
  ["a.cc"] = [[
    #define KEEP __attribute__((noinline))
    extern "C" int other(int), dollar(int) __asm__("do$llar"), tick(int);
    volatile int sink;
    namespace {
      struct Shape { virtual KEEP int area(int x) { return tick(x) + sink; } virtual ~Shape() {} };
      template <class T> KEEP T twice(T x) { return x + x + sink; }
    }
    static KEEP int helper(int x) { sink += x; return sink; }
    KEEP int never(int x) { return helper(x); }
    KEEP int never_too(int x) { return helper(x + 1); }
    __attribute__((cold, noinline)) int rare(int x) { return helper(x) * 3; }
    KEEP int work(int x) {
      if (__builtin_expect(x == 77, 0)) { rare(x); rare(x + 1); }
      return helper(x) + twice(x) + other(x) + dollar(x);
    }
    int main(void) {
      Shape shape;
      Shape *volatile any = &shape;
      int sum = 0;
      for (int i = 0; i < 1000; i++) { sum += work(i); sum += any->area(i); }
      return sum == 0;
    }
  ]],
  ["b.c"] = [[
    #define KEEP __attribute__((noinline))
    int dollar(int) __asm__("do$llar");
    static volatile int state;
    static KEEP int helper(int x) { state += x; return state; }
    static KEEP int clone(int x, int y) { return y ? helper(x) + y : state; }
    KEEP int unused(int x) { return helper(x); }
    KEEP int dollar(int x) { return clone(x, 3); }
    KEEP int other(int x) { return helper(x) - clone(x, 3); }
    KEEP int tick(int x) { state ^= x; return state; }
  ]],
}

-- Runs commands in a directory with sources, unless a process did so already. Returns the directory.
local function made_by(compiler, commands, texts)
  local parts = { commands }
  for name, text in pairs(texts) do parts[#parts + 1] = name .. text end
  table.sort(parts)
  return build.shared("linker-files", compiler, parts, function(dir)
    for name, text in pairs(texts) do shell.write(dir .. "/" .. name, text) end
    shell.check({ "sh", "-c", commands }, { cwd = dir })
  end)
end

-- Returns the directory of the program, compiled with the given flags, and of its objects and its profile.
local function built(flags)
  local command = ("g++ -g -O2 -pg %s -c a.cc && gcc -g -O2 -pg %s -c b.c && g++ -pg a.o b.o -o p && ./p"):format(flags,
    flags)
  return made_by("g++", command, sources)
end

local function order_of(dir, format, expected_warning, ...)
  local result = program.run { "-r", "--order-format=" .. format, dir .. "/p", dir .. "/gmon.out", ... }
  assert.same({ 0, expected_warning or "" }, { result.status, result.stderr })
  return result.stdout
end

-- Returns the calls of each function. glibc rounds the addresses of calls, so one of those of _Z4rarei by the cold part
-- next to it may count as recursive.
local function calls_of(dir)
  local result, calls = program.run { "-bC", "--no-demangle", dir .. "/p", dir .. "/gmon.out" }, {}
  assert.equal("", result.stderr)
  for name, count in result.stdout:gmatch "%(([^:]+):%S+%) (%d+) exec" do calls[name] = count end
  assert.equal("1000", calls["_Z4worki"])
  calls["_Z4rarei"] = nil
  return calls
end

-- Returns the functions of a program in the order of their addresses.
local function symbols(path)
  local list = {}
  for name in shell.check({ "nm", "-n", path }).stdout:gmatch "%x+ [tT] ([^\n]+)" do list[#list + 1] = name end
  return list
end

-- Links the program with a linker that reads a file. Returns its functions, in the order of their addresses.
local function link(dir, linker, option, text)
  local made = shell.tmpdir "linked"
  shell.write(made .. "/order", text)
  local result = shell.check { "g++", "-pg", "-fuse-ld=" .. linker, dir .. "/a.o", dir .. "/b.o",
    "-Wl," .. option .. made .. "/order", "-o", made .. "/p" }
  assert.equal("", result.stdout .. result.stderr)
  shell.check({ made .. "/p" }, { cwd = made })
  return symbols(made .. "/p"), made
end

-- Keeps the elements of a list that are in another one.
local function among(list, others)
  local is_wanted, kept = {}, {}
  for _, name in ipairs(others) do is_wanted[name] = true end
  for _, name in ipairs(list) do
    if is_wanted[name] then kept[#kept + 1] = name end
  end
  return kept
end

local function lines(text)
  local list = {}
  for line in text:gmatch "[^\n]+" do list[#list + 1] = line end
  return list
end

-- Functions that share a name are together; each is listed once here.
local function distinct(list)
  local once, seen = {}, {}
  for _, name in ipairs(list) do
    if not seen[name] then once[#once + 1], seen[name] = name, true end
  end
  return once
end

describe("the order for a linker", function()
  local dir, expected

  setup(function()
    dir = built "-ffunction-sections"
    expected = lines(order_of(dir, "lld"))
    table.remove(expected, 1)
  end)

  it("has the functions that ran, once for each name, in the order of -r", function()
    local all = lines(program.run({ "-r", dir .. "/p", dir .. "/gmon.out" }).stdout)
    assert.same(distinct(among(all, expected)), expected)
    local names = table.concat(expected, " ")
    for _, name in ipairs { "helper", "rare", "work", "main", "other", "do%$llar", "tick", "_Z4worki",
      "clone", "_ZN12_GLOBAL__N_15twiceIiEET_S1_" } do
      assert.truthy(names:find(name), name)
    end
    for _, name in ipairs { "unused", "never", "%.cold", "_start" } do assert.falsy(names:find(name), name) end
  end)

  it("has functions that were called only by unknown callers", function()
    local image = crafted.image { functions = { "alone", "idle" } }
    local data, path = gprof.data.new { image = assert(gprof.image(image)) }, shell.tmpdir() .. "/gmon.out"
    assert(data:add_arc(-1, build.address(image, "alone"), 1))
    assert(data:write(path))
    local written = lines(program.run({ "-r", "--order-format=lld", image, path }).stdout)
    assert.same({ "alone" }, { written[2], written[3] })
  end)

  for format, way in pairs(ORDERED) do
    it("is the order of the program: " .. format, function()
      if not shell.installed("ld." .. way.linker) then pending("needs ld." .. way.linker) return end
      local found, linked = link(dir, way.linker, way.option, order_of(dir, format))
      assert.same(expected, distinct(among(found, expected)))
      -- The ordered functions are contiguous: no other function is among them, not even a cold part.
      local place = {}
      for i, name in ipairs(found) do place[name] = place[name] or i end
      assert.equal(#among(found, expected) - 1, place[expected[#expected]] - place[expected[1]])
      -- Programs with another order can be profiled, too.
      assert.same(calls_of(dir), calls_of(linked))
    end)
  end

  -- examples/call_chains.lua has a heuristic of its own.
  local function script_order(format)
    return shell.check { "lua5.4", program.root .. "/examples/call_chains.lua", format, dir .. "/p",
      dir .. "/gmon.out" }.stdout
  end

  for format, way in pairs(ORDERED) do
    it("can be computed by a script: " .. format, function()
      if not shell.installed("ld." .. way.linker) then pending("needs ld." .. way.linker) return end
      local wanted = lines(script_order "lld")
      table.remove(wanted, 1)
      assert.equal(#expected, #wanted)
      local found = link(dir, way.linker, way.option, script_order(format))
      assert.same(wanted, distinct(among(found, wanted)))
    end)
  end

  it("may be chosen by lld, from exact calls", function()
    local text = order_of(dir, "call-graph")
    local count, previous = 0, math.huge
    for caller, callee, calls in text:gmatch "([^ \n]+) ([^ \n]+) (%d+)\n" do
      assert.is_true(math.tointeger(calls) <= previous)
      previous, count = math.tointeger(calls), count + 1
      assert.not_equal(caller, callee)
    end
    assert.truthy(text:find("\nmain _Z4worki 1000\n", 1, true))
    assert.truthy(text:find("\n_Z4worki other 1000\n", 1, true))
    assert.truthy(text:find("\n_Z4rarei _ZL6helperi 2\n", 1, true))
    assert.equal(count + 1, #lines(text))
    if not shell.installed "ld.lld" then pending "needs ld.lld" return end
    local chosen = shell.tmpdir "chosen" .. "/order"
    local found = link(dir, "lld", "--print-symbol-order=" .. chosen .. ",--call-graph-ordering-file=", text)
    local asked = lines(shell.read(chosen))
    assert.is_true(#asked > 5)
    assert.same(distinct(asked), distinct(among(found, asked)))
    local place = {}
    for i, name in ipairs(found) do place[name] = i end
    assert.is_true(place._Z4worki < place.unused and place.other < place.unused)
  end)

  it("warns of functions that share a section", function()
    local shared = built "-fno-function-sections"
    local result = program.run { "-r", "--order-format=ld", shared .. "/p", shared .. "/gmon.out" }
    local some, all = result.stderr:match("^gprof.lua: warning: " .. shared:gsub("%p", "%%%0") ..
      "/p: (%d+) of (%d+) functions share a section with others, so linkers cannot move them: " ..
      "compile with %-ffunction%-sections\n$")
    assert.is_true(tonumber(some) > 4 and tonumber(some) < tonumber(all))
  end)

  it("has no effect without -r, and under --gnu-compat", function()
    local result = program.run { "-bp", "--order-format=lld", dir .. "/p", dir .. "/gmon.out" }
    assert.equal("gprof.lua: warning: option --order-format has no effect without -r (--function-ordering)\n",
      result.stderr:match "^[^\n]*\n")
    assert.equal(program.run({ "-r", "--gnu-compat", dir .. "/p", dir .. "/gmon.out" }).stdout,
      order_of(dir, "lld", nil, "--gnu-compat"))
  end)
end)

describe("the file for a linker", function()
  local odd <const> = {
    "_init", "br[1]", "co,m;m:a", "st*r", "sp ace", "back\\slash", "#hash", "qu\"ote", "v@@V1", "plain",
  }
  local calls <const> = {}
  for i = 2, #odd do calls[#calls + 1] = { odd[i - 1], odd[i], 1000 - i } end
  calls[#calls + 1] = { "plain", "plain", 5 }
  local profile

  setup(function() profile = crafted.profile { functions = odd, calls = calls } end)

  local function printed(format)
    local warnings = {}
    local text = crafted.printed("function_order", profile,
      { order_format = format, warn = function(message) warnings[#warnings + 1] = message end })
    return text, warnings
  end

  it("quotes names as the linker needs it", function()
    local text, warnings = printed "gold"
    assert.same({}, warnings)
    for _, name in ipairs { "br?1?", "co,m;m:a", "st?r", "sp?ace", "back?slash", "#hash", "qu?ote", "v", "plain" } do
      assert.truthy(text:find("\n.text." .. name .. "\n", 1, true), name)
    end
    text, warnings = printed "ld"
    assert.same({}, warnings)
    for _, name in ipairs { "br?1?", "st?r", "sp?ace", "back?slash", "qu?ote", "v", "plain" } do
      assert.truthy(text:find(" .text." .. name .. " ", 1, true), name)
    end
    assert.truthy(text:find(' ".text.co,m;m:a" ', 1, true))
    assert.truthy(text:find(' ".text.#hash" ', 1, true))
  end)

  it("omits names that lld cannot read, and says so", function()
    for _, format in ipairs { "lld", "call-graph" } do
      local text, warnings = printed(format)
      assert.equal(1, #warnings)
      assert.truthy(warnings[1]:find(": 2 functions cannot be in the file, because of a name such as '#hash'$"))
      assert.truthy(text:find("br[1]", 1, true))
      assert.falsy(text:find("sp ace", 1, true))
      assert.falsy(text:find("#hash", 1, true))
    end
    assert.equal("# Calls for lld: --call-graph-ordering-file=FILE\n" ..
      "br[1] co,m;m:a 997\nco,m;m:a st*r 996\nqu\"ote v 991\nv plain 990\n", (printed "call-graph"))
  end)

  it("must have a known format", function()
    assert.error_matches(function() profile:report("function_order", { order_format = "mold" }) end,
      "option 'order_format': 'lld', 'call%-graph', 'gold' or 'ld' expected")
    local result = program.run { "-r", "--order-format=mold", "a.out" }
    assert.same({ 1, "gprof.lua: option --order-format takes lld, call-graph, gold or ld, not 'mold'\n" },
      { result.status, result.stderr })
  end)

  -- GNU as cannot write such names; clang can.
  it("names sections that linkers find, whatever the function's name", function()
    if not shell.installed "clang" then pending "needs clang" return end
    local text, last = { "volatile int sink;\n" }, nil
    for i, name in ipairs { "br[1]", "co,m;m:a", "st*r", "back\\slash", "qu\"ote", "(par){en}", "do$llar" } do
      text[#text + 1] = ("__attribute__((noinline)) int f%d(int) __asm__(%q);\n"):format(i, name)
      text[#text + 1] = ("int f%d(int x) { return %s + (sink ^= %d); }\n"):format(i, last and last .. "(x)" or "x", i)
      last = "f" .. i
    end
    text[#text + 1] = ("int main(void) { for (int i = 0; i < 9; i++) %s(i); return 0; }\n"):format(last)
    local made = made_by("clang", "clang -O1 -pg -ffunction-sections -c a.c && gcc -pg a.o -o p && ./p",
      { ["a.c"] = table.concat(text) })
    local wanted = lines(order_of(made, "lld"))
    table.remove(wanted, 1)
    assert.equal(8, #wanted)
    for format, way in pairs(ORDERED) do
      if shell.installed("ld." .. way.linker) then
        local out = shell.tmpdir "odd"
        shell.write(out .. "/order", order_of(made, format))
        shell.check { "gcc", "-pg", "-fuse-ld=" .. way.linker, made .. "/a.o", "-Wl," .. way.option .. out .. "/order",
          "-o", out .. "/p" }
        assert.same(wanted, among(symbols(out .. "/p"), wanted), format)
      end
    end
  end)
end)

-- Lua from Debian's source package: hundreds of functions.
if not chance.thorough then return end

-- Unpacks a source package in a directory. Returns whether it could be had. The machine's list of packages needs no
-- sources: apt gets a list of its own, with the sources of Debian's packages.
local function unpack_source(package, dir)
  return shell.run({ "sh", "-c", [[
    mkdir -p lists/partial &&
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
      'Created-By: Packages' 'Origin: Debian' | sort -u >list &&
    set -- -q -o Dir::Etc::sourcelist="$PWD/list" -o Dir::Etc::sourceparts=- -o Dir::State::Lists="$PWD/lists" &&
    apt-get "$@" update && apt-get "$@" source "$0"]], package }, { cwd = dir, timeout = 300 }).status == 0
end

describe("the order of a real program", function()
  it("is that of the program that the linker makes", function()
    local dir = shell.tmpdir "lua-source"
    if not unpack_source("lua5.4", dir) then pending "needs the source package lua5.4" return end
    shell.check({ "sh", "-c", [[cd lua5.4-*/src && rm -f luac.c && for f in *.c; do
      gcc -O2 -g -pg -ffunction-sections -DLUA_USE_POSIX -w -c $f || exit 1; done
      gcc -pg *.o -lm -o ../../p && cd ../.. && mv lua5.4-*/src/*.o . &&
      ./p -e 'local t = {} for i = 1, 3e5 do t[i] = tostring(i):rep(2) end table.sort(t)']] },
      { cwd = dir, timeout = 300 })
    -- Samples in linkage stubs may cause a warning.
    local function order(format)
      return program.run({ "-r", "--order-format=" .. format, dir .. "/p", dir .. "/gmon.out" }).stdout
    end
    local wanted = lines(order "lld")
    table.remove(wanted, 1)
    assert.is_true(#wanted > 100)
    for format, way in pairs(ORDERED) do
      shell.write(dir .. "/order", order(format))
      shell.check { "sh", "-c", ("cd %s && gcc -pg -fuse-ld=%s *.o -lm -Wl,%sorder -o linked"):format(dir, way.linker,
        way.option) }
      assert.same(wanted, distinct(among(symbols(dir .. "/linked"), wanted)), format)
    end
  end)
end)
