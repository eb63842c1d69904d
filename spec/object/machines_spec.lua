-- Images and profiles of other machines, which libbfd may not support: the meaning of their symbols, and correct
-- counts and times.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local foreign = require "support.foreign"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

-- Programs of other machines --------------------------------------------------------------------

-- `tools`: prefix of the names of compiler and binutils; `runs`: the emulator; `gprof`: a GNU gprof that supports the
-- machine, if it is not among the tools; `packages`: Debian's packages with the compiler; `core`: the machine's name in
-- the file name of its libbfd, for machines whose libbfd adjusts symbols.
local machines <const> = {
  { name = "AArch64", tools = "aarch64-linux-gnu-", runs = "qemu-aarch64", packages = "gcc-aarch64-linux-gnu" },
  { name = "ARM, Thumb", tools = "arm-linux-gnueabihf-", runs = "qemu-arm", flags = { "-mthumb" },
    core = "armhf", packages = "gcc-arm-linux-gnueabihf" },
  { name = "ARM, not Thumb", tools = "arm-linux-gnueabihf-", runs = "qemu-arm", flags = { "-marm" },
    packages = "gcc-arm-linux-gnueabihf" },
  { name = "RISC-V", tools = "riscv64-linux-gnu-", runs = "qemu-riscv64", packages = "gcc-riscv64-linux-gnu" },
  { name = "MIPS, 32 bits, big-endian", tools = "mips-linux-gnu-", runs = "qemu-mips",
    packages = "gcc-mips-linux-gnu", core = "mips" },
  { name = "MIPS, 64 bits, little-endian", tools = "mips64el-linux-gnuabi64-", runs = "qemu-mips64el",
    packages = "gcc-mips64el-linux-gnuabi64" },
  { name = "PowerPC, 32 bits", tools = "powerpc-linux-gnu-", runs = "qemu-ppc", packages = "gcc-powerpc-linux-gnu" },
  { name = "PowerPC, 64 bits, big-endian", tools = "powerpc64-linux-gnu-", runs = "qemu-ppc64",
    packages = "gcc-powerpc64-linux-gnu", descriptors = true, core = "ppc64" },
  { name = "PowerPC, 64 bits, little-endian", tools = "powerpc64le-linux-gnu-", runs = "qemu-ppc64le",
    packages = "gcc-powerpc64le-linux-gnu" },
  { name = "s390x", tools = "s390x-linux-gnu-", runs = "qemu-s390x", packages = "gcc-s390x-linux-gnu" },
  { name = "i386", tools = "i686-linux-gnu-", runs = "qemu-i386", gprof = "gprof", packages = "gcc-i686-linux-gnu" },
}

-- Compiles the fixture for a machine. Returns the path of the image, or false if that fails, and the directory.
local function compile(machine, ...)
  local dir, name = shell.tmpdir(machine.tools .. "machines"), "machines.c"
  shell.write(dir .. "/" .. name, shell.read(build.fixture(name)))
  local argv = { machine.tools .. "gcc", "-O1", "-g", "-pg", ... }
  table.move(machine.flags or {}, 1, #(machine.flags or {}), #argv + 1, argv)
  local result = shell.run(table.move({ "-o", "machines", name }, 1, 4, #argv + 1, argv), { cwd = dir })
  return result.status == 0 and dir .. "/machines", dir
end

-- Compiles the fixture and runs it in an emulator, so that it writes a profile. Returns nil and a reason if something
-- is missing.
local function profiled(machine)
  local packages = machine.packages .. " with its C library, and qemu-user"
  local image, dir = compile(machine, "-static")
  if not image then return nil, "needs " .. packages end
  local run = shell.run({ machine.runs, image }, { cwd = dir, timeout = true })
  if run.status ~= 0 or not shell.exists(dir .. "/gmon.out") then return nil, "needs " .. packages end
  return { machine = machine, image = image, gmon = dir .. "/gmon.out" }
end

local function parity_of(built, lists)
  local name = built.machine.gprof or built.machine.tools .. "gprof"
  assert(oracle.foreign(name), name .. " is not of the same version as gprof")
  for _, list in ipairs(lists) do
    local arguments = { "-b", table.unpack(list) }
    table.move({ built.image, built.gmon }, 1, 2, #arguments + 1, arguments)
    parity.check(arguments, { oracle = name })
  end
end

-- Maps names to the functions of a profile. Also returns the image.
local function functions(image, path, options)
  local opened = assert(gprof.image(image))
  local profile, found = assert(gprof.profile(opened, assert(gprof.data(opened, path)), options)), {}
  for f in profile:functions() do found[f.name] = f end
  return found, opened
end

-- Checks the calls of the fixture, except recursive ones.
local calls <const> = { main = 1, leaf = 41, helper = 6, even = 40, odd = 40, choose = 30, factorial = 1 }

local function check_counts(built)
  local found = functions(built.image, built.gmon)
  for name, count in pairs(calls) do
    -- The C library's start code may be compiled without -pg; then main has no caller.
    if name ~= "main" then assert.equal(count, found[name].calls, name) end
  end
  local callers = {}
  for arc in found.helper:callers() do callers[arc.caller.name] = arc.count end
  assert.same({ main = 1, choose = 5 }, callers)
  assert.is_true(found.leaf.self > 0)
  assert.same({ 12, "machines.c" }, { found.leaf.line, found.leaf.file:match "[^/]*$" })
end

-- Returns the code symbols that the machine's own nm prints: a set whose keys are addresses and "ADDRESS NAME".
local function known_code(built)
  local known = {}
  local nm = shell.check({ built.machine.tools .. "nm", "--synthetic", built.image }).stdout
  for address, name in nm:gmatch "(%x+) [TtWi] ([^\n]+)" do
    if built.machine.descriptors then name = name:gsub("^%.", "") end
    address = tonumber(address, 16)
    known[address], known[address .. " " .. name] = true, true
  end
  return known
end

-- Functions must be where nm has them, and none may be a label or a mapping symbol. (Of several names of one
-- descriptor, nm prints one.)
local function check_symbols(built)
  local known, odd, count = known_code(built), {}, 0
  for symbol in assert(gprof.image(built.image)):symbols() do
    local name, address = symbol.name, symbol.address
    local is_known = known[address .. " " .. name] or built.machine.descriptors and known[address]
    if not is_known or name:find "^[.$]" or name:find "^%x+%." then table.insert(odd, name) end
    count = count + 1
  end
  assert.same({}, odd)
  assert.is_true(count > 500)
end

-- Checks that a profile with shifted addresses gives the same reports as the original.
local function check_moved(built)
  local image = assert(gprof.image(built.image))
  local moved = gmon.moved(built.gmon, 0x1230000, nil, { pointer = image.pointer_size, big = image.big_endian })
  local expected = program.run { "-b", built.image, built.gmon }
  local result = program.run { "-b", "--slide=0x1230000", built.image, moved }
  assert.truthy(expected.stdout:find("main [", 1, true))
  assert.same({ 0, expected.stdout, "" }, { result.status, result.stdout, result.stderr })
end

-- With a symbol file made by the machine's own nm, functions must have the same calls.
local function check_listed(built)
  local list = shell.tmpdir "list" .. "/list"
  shell.write(list, shell.check { built.machine.tools .. "nm", "--synthetic", "--defined-only", built.image }.stdout)
  local found = functions(built.image, built.gmon, { external_symbol_table = list })
  assert.same({ calls.leaf, calls.odd, calls.choose }, { found.leaf.calls, found.odd.calls, found.choose.calls })
end

-- Prints the functions that were called or took time, with their counts. Functions of the C library have no lines; they
-- are printed without their names, because a libbfd that knows the machine may choose another of several names.
local script <const> = [[
  local gprof = require "gprof"
  local image = assert(gprof.image(arg[1]))
  local profile = assert(gprof.profile(image, assert(gprof.data(image, arg[2]))))
  for address, name, calls, self, file, line in
    profile:functions("address", "address", "name", "calls", "self", "file", "line") do
    if calls > 0 or self > 0 then print(address, file and name, calls, self, file, line) end
  end
]]

local function check_with_own_library(built)
  foreign.prepare(built.machine.core, built.machine.tools .. "nm")
  local arguments = { built.image, built.gmon }
  local expected = foreign.script(built.machine.core, script, arguments)
  assert.same({ "", true }, { expected.stderr, #expected.stdout > 200 })
  assert.equal(expected.stdout, launch.script(script, arguments).stdout)
end

-- The survey of possible calls reads x86-64 code only.
local function check_no_bounds(built)
  local result = program.run { "-b", "-p", "--bounds", built.image, built.gmon }
  assert.same({ 0, "gprof.lua: warning: --bounds: there are no bounds: the program is not an ELF file for x86-64\n",
    program.run({ "-b", "-p", built.image, built.gmon }).stdout }, { result.status, result.stderr, result.stdout })
end

for _, machine in ipairs(machines) do
  local built, lack = profiled(machine)
  describe("A program of " .. machine.name, function()
    if not built then return pending("(" .. lack .. ")") end
    it("has the right calls and times", function() check_counts(built) end)
    it("has the right functions", function() check_symbols(built) end)
    it("has the same reports if it was loaded elsewhere", function() check_moved(built) end)
    it("has the right calls with a symbol file", function() check_listed(built) end)
    it("has no bounds of inclusive times, with a warning that says why", function() check_no_bounds(built) end)
    if machine.core then
      it("has the same counts with a libbfd that supports the machine", function() check_with_own_library(built) end)
    end
    it("has GNU gprof's reports, with --gnu-compat", function()
      if not parity.possible(pending) then return end
      parity_of(built, { { "-z" }, { "-C" }, { "-T", "-q" }, { "-r" } })
      -- GNU gprof takes 20 seconds for a profile by line if there are descriptors.
      if not machine.descriptors then parity_of(built, { { "-l", "-p" } }) end
    end)
  end)
end

-- Windows ---------------------------------------------------------------------------------------

-- Maps the names of an image's symbols to their addresses.
local function places(image)
  local found = {}
  for symbol in image:symbols() do found[symbol.name] = symbol.address end
  return found
end

-- Makes a profile of the fixture, with samples in the first 3,200 bytes of the code and two arcs. Returns the image,
-- the profile data and the symbols' addresses.
local function written(path)
  local image = assert(gprof.image(path))
  local place, bins = places(image), {}
  for i = 1, 200 do bins[i] = i % 7 end
  local data = gprof.data.new { image = image }
  assert(data:add_histogram { low = image.text_low, high = image.text_low + 3200, bins = bins, rate = 100 })
  assert(data:add_arc(place.main + 4, place.choose, 30))
  assert(data:add_arc(place.choose + 4, place.helper, 5))
  return image, data, place
end

for _, machine in ipairs {
  { name = "32 bits", tools = "i686-w64-mingw32-", packages = "gcc-mingw-w64-i686-win32", prefix = "_" },
  { name = "64 bits", tools = "x86_64-w64-mingw32-", packages = "gcc-mingw-w64-x86-64-win32", prefix = "" },
} do
  describe("A Windows program, " .. machine.name .. ",", function()
    local path, dir = compile(machine)
    if not path then return pending("(needs " .. machine.packages .. ")") end
    path = path .. ".exe"
    local image, data, place = written(path)

    it("has GNU gprof's reports, with --gnu-compat", function()
      if not parity.possible(pending) then return end
      local built = { machine = machine, image = path, gmon = dir .. "/gmon.out" }
      assert(data:write(built.gmon))
      for _, name in ipairs { machine.tools .. "gprof", "gprof" } do
        built.machine = { gprof = name }
        parity_of(built, { { "-z" }, { "-T", "-q" }, { "--no-demangle" }, { "-r" }, { "-pmain" }, { "-q_main" } })
      end
    end)

    it("has functions by their C names and by their linker names", function()
      local profile = assert(gprof.profile(image, data))
      local choose = profile:find("choose")
      assert.same({ "choose", machine.prefix .. "choose", 30 }, { choose.name, choose.symbol, choose.calls })
      assert.same({ 38, "machines.c" }, { choose.line, choose.file:match "[^/]*$" })
    end)

    -- In this C library a long has four bytes; the rest of the field has old bytes of the stack.
    it("has counts of four bytes in the profile that its C library writes", function()
      local pointer = machine.prefix == "" and 8 or 4
      local count = pointer == 8 and 0x7ff6deadbeef << 32 | 5 or 5
      local bytes = gmon.bsd44 { pointer = pointer, low = image.text_low, high = image.text_low + 64, bins = { 1, 2 },
        arcs = { { place.main + 4, place.choose, count } } }
      local gmon_out = shell.write(dir .. "/gmon.bsd", bytes)
      local read = assert(gprof.data(image, gmon_out))
      local sum = shell.tmpdir "sum" .. "/gmon.sum"
      read:add_arc(place.main + 4, place.choose, 0xffffffff)
      assert(read:write(sum, "4.4bsd"))
      for file, calls_of in pairs { [gmon_out] = 5, [sum] = 5 + 0xffffffff } do
        local profile = assert(gprof.profile(image, assert(gprof.data(image, file))))
        assert.equal(calls_of, profile:find("choose").calls)
      end
    end)
  end)
end

-- Crafted symbols ---------------------------------------------------------------------------------

local ARM <const>, MIPS <const>, AARCH64 <const>, RISCV <const>, SPARC <const> = 40, 8, 183, 243, 2

local function names(path, options)
  local found = {}
  for symbol in assert(gprof.image(path, options)):symbols "address" do
    table.insert(found, ("%x %s"):format(symbol.address, symbol.name))
  end
  return found
end

describe("The lowest bit of a function's address", function()
  local function image(number)
    return foreign.mark(number, build.craft { target = "elf32-little", text = 0x40,
      symbols = { { "first", 1 }, { "second", 0x11 }, { "label", 0x21, "global" }, { "third", 0x31 } } })
  end

  it("is not part of the address if it selects the instruction set", function()
    for _, number in ipairs { ARM, MIPS } do
      local path = image(number)
      for _, compat in ipairs { false, true } do
        assert.same({ "1000 first", "1010 second", "1021 label", "1030 third" }, names(path, { gnu_compat = compat }))
      end
    end
    assert.same({ "1001 first", "1011 second", "1021 label", "1031 third" }, names(image(SPARC)))
  end)

  it("may be set or clear in calls of the function", function()
    local opened = assert(gprof.image(image(ARM)))
    local data = gprof.data.new { image = opened }
    data:add_arc(0x1005, 0x1010, 3)
    data:add_arc(0x1004, 0x1011, 4)
    local callers = {}
    for arc in assert(gprof.profile(opened, data)):find("second"):callers() do callers[arc.caller.name] = arc.count end
    assert.same({ first = 7 }, callers)
  end)

  it("is not part of the address in a symbol file either", function()
    local list = shell.write(shell.tmpdir "list" .. "/list", "00001001 T first\n00001011 t second\n")
    local path = image(ARM)
    assert.same({ "1000 first", "1010 second" }, names(path, { external_symbol_table = list }))
    assert.same({ "1001 first", "1011 second" }, names(path, { external_symbol_table = list, gnu_compat = true }))
  end)
end)

describe("The lowest bit of an address in the debugging information of microMIPS code is not part of it:", function()
  local source <const> = [[
volatile int sum;
static int inlined(int n) { for (int i = 0; i < n; i++) sum += i; return sum; }
int first(int n) { return n + 1; }
int second(int n) { sum = n; return inlined(n); }
]]

  -- Returns the image of the source; nil if a tool is missing.
  local function linked(...)
    local dir, compiler = shell.tmpdir "micromips", { ... }
    shell.write(dir .. "/code.c", source)
    table.move({ "-O2", "-g", "-mmicromips", "-c", "code.c" }, 1, 5, #compiler + 1, compiler)
    for _, command in ipairs { compiler, { "mips-linux-gnu-ld", "-e", "first", "code.o", "-o", "code" } } do
      if shell.run(command, { cwd = dir }).status ~= 0 then return nil end
    end
    return assert(gprof.image(dir .. "/code"))
  end

  it("in gcc's line tables", function()
    local image = linked "mips-linux-gnu-gcc"
    if not image then return pending "needs gcc-mips-linux-gnu" end
    for address in image:lines() do assert.equal(0, address & 1) end
    assert.same({ 3, 4 }, { image:find("first").line, image:find("second").line })
  end)

  it("in clang's ranges of inlined code", function()
    local image = linked("clang", "--target=mips-linux-gnu", "-march=mips32r2")
    if not image then return pending "needs clang and binutils-mips-linux-gnu" end
    local address = image:find("second").address
    while #image:frames(address) < 2 do address = address + 1 end
    assert.equal(0, address & 1)
  end)
end)

describe("A static function with a global label at its address", function()
  local path = build.craft { text = 0x40, symbols = { { "start_of_code", 0, "global" },
    { "first", 0, "function,local" }, { "second", 0x20 } } }

  it("is reported with its own name and calls", function()
    assert.same({ "1000 first", "1020 second" }, names(path))
    local image = gprof.image(path)
    local data = gprof.data.new { image = image }
    data:add_arc(0x1024, 0x1004, 5)
    assert.equal(5, gprof.profile(image, data):find("first").calls)
  end)

  it("is reported under the label's name with --gnu-compat", function()
    assert.same({ "1000 start_of_code", "1020 second" }, names(path, { gnu_compat = true }))
  end)
end)

describe("Mapping symbols", function()
  local marks <const> = { "$a", "$t", "$d", "$x", "$d.5", "$t.realdata", "$xrv64i2p1_m2p0" }

  local function image(number, class)
    local symbols = { { "f", 0 }, { "$dollar", 8, "function,local" } }
    for i, name in ipairs(marks) do table.insert(symbols, { name, 8 + 4 * i, "function,local" }) end
    return foreign.mark(number, build.craft { target = class, text = 0x40, symbols = symbols })
  end

  it("are not functions", function()
    for number, class in pairs { [ARM] = "elf32-little", [AARCH64] = "elf64-little", [RISCV] = "elf64-little" } do
      assert.same({ "1000 f", "1008 $dollar" }, names(image(number, class)))
      assert.same({ "1000 f" }, names(image(number, class), { gnu_compat = true }))
    end
    assert.equal(2 + #marks, #names(image(SPARC, "elf32-big")))
  end)

  it("are not functions in a symbol file either, made by another machine's nm", function()
    local path = image(ARM, "elf32-little")
    local list = shell.write(shell.tmpdir "list" .. "/list", shell.check { "nm", path }.stdout)
    assert.same({ "1000 f", "1008 $dollar" }, names(path, { external_symbol_table = list }))
  end)
end)

describe("Function descriptors", function()
  local image <const> = foreign.descriptors

  it("give their names to the code that they point to", function()
    local path = image({ 0x1010, 0x1040, 0x1080 }, { { "first", ".opd", 0x20000 },
      { "second", ".opd", 0x20018, "function,local" }, { "alias", ".opd", 0x20018, "function,weak" },
      { ".third", ".text", 0x1080 }, { "third", ".opd", 0x20030 } })
    assert.same({ "1010 first", "1040 alias", "1080 third" }, names(path))
    -- A libbfd with support for the machine makes these names. GNU gprof skips local names with a dot.
    assert.same({ "1010 .first", "1080 .third", "20018 alias" }, names(path, { gnu_compat = true }))
    assert.equal("first", gprof.image(path):find("first").name)
  end)

  it("are ignored if they do not lead to code", function()
    local path = image({ 0x1010, 0xfff, 0x1100, 0, -1 }, { { "first", ".opd", 0x20000 }, { "low", ".opd", 0x20018 },
      { "behind", ".opd", 0x20030 }, { "null", ".opd", 0x20048 }, { "huge", ".opd", 0x20060 },
      { "cut", ".opd", 0x20071 }, { "outside", ".opd", 0x20078 }, { "far", ".opd", 0x7fffffff } })
    assert.same({ "1010 first" }, names(path))
  end)

  it("are ignored in an unlinked file", function()
    local path = image({ 0x1010 }, { { "first", ".opd", 0 }, { "f", ".text", 0 } }, true)
    assert.same({ "1000 f" }, names(path))
  end)

  it("may claim a section larger than the file", function()
    local path = image({ 0x1010 }, { { "first", ".opd", 0x20000 }, { "f", ".text", 0x1000 } })
    local text = shell.read(path)
    -- Finds the size in the section's header, 16 bytes after the address.
    local at = text:find((">I8"):pack(0x20000), 1, true)
    while at and (">I8"):unpack(text, at + 16) ~= 24 do at = text:find((">I8"):pack(0x20000), at + 1, true) end
    for _, size in ipairs { 0, 7, 1 << 40, -1 } do
      shell.write(path, text:sub(1, at + 15) .. (">i8"):pack(size) .. text:sub(at + 24))
      local result = program.run { "-b", "-C", "-z", path, "/dev/null" }
      assert.equal(1, result.status)
      assert.same({ "1000 f" }, names(path))
    end
  end)
end)
