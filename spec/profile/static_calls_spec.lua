-- Static calls: in the code, -c finds the calls that objdump shows. With --gnu-compat, it finds the calls that GNU
-- gprof finds.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local direct = require "support.direct"
local foreign = require "support.foreign"
local gmon = require "support.gmon"
local gprof = require "gprof"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

-- Checks that the calls found are the calls in objdump's output, and that they connect at least `least` pairs of
-- functions.
local function check_direct(least, image, machine)
  local missing, extra, count, instructions = direct.compare(image, machine)
  assert.same({}, missing)
  assert.same({}, extra)
  assert.is_true(count >= least, ("%d pairs of functions in %d calls"):format(count, instructions))
end

describe("Static calls are those that objdump shows", function()
  for _, case in ipairs {
    { "calls", "", 15 }, { "calls", "O2", 3 }, { "calls", "O2+static", 1500 }, { "calls", "clang+O1", 10 },
    { "cycles", "O2", 3 }, { "labels", "", 2 }, { "shapes", "", 40 }, { "shapes", "O2+static", 1500 },
    { "clones", "", 10 }, { "clones", "O3", 5 }, { "clones", "O0", 15 }, { "clones", "static", 1500 },
    { "crowd", "", 300 }, { "waves", "O2", 3 },
  } do
    local name, variant, least = table.unpack(case)
    local title = ("in %s %s"):format(name, variant)
    local supported, lack = build.supported(name, variant)
    if supported then
      it(title, function() check_direct(least, build.program(name, variant).image) end)
    else
      pending(title .. ": " .. lack)
    end
  end
end)

-- Assembly code --------------------------------------------------------------------------------

-- Three functions and an untyped label. They call each other and themselves, forwards and backwards, jump, and call
-- into the middle of a function. CALL, NOP and JUMP stand for the machine's instructions.
local assembler <const> = [[
        .text
        .globl f, g, h
        .type f, TYPEfunction
f:      NOP
        CALL g
        NOP
        CALL h
        NOP
        CALL f
        NOP
        CALL label
        NOP
        CALL inside
        NOP
        .type g, TYPEfunction
g:      NOP
label:  CALL f
        NOP
        JUMP h
        NOP
        .type h, TYPEfunction
h:      NOP
        CALL g
inside: NOP
        CALL label
        NOP
]]

-- Assembles and links the code for a machine. Returns the path of the image.
local function assemble(machine)
  local dir = shell.tmpdir(machine.name)
  local words = { CALL = machine.call, NOP = machine.nop, JUMP = machine.jump, TYPE = machine.type or "@" }
  -- A label that begins with ".L" does not become a symbol.
  shell.write(dir .. "/code.s", (assembler:gsub("%u+", words):gsub("inside", ".Linside")))
  shell.check({ machine.tools .. "as", "-o", "code.o", table.unpack(machine.as or {}) }, { cwd = dir })
  local link = { machine.tools .. "ld", "-e", "f", "-Ttext=0x10000", "-o", "code", "code.o" }
  shell.check(table.move(machine.ld or {}, 1, #(machine.ld or {}), #link + 1, link), { cwd = dir })
  return dir .. "/code"
end

local native <const> = {
  { name = "x86-64", as = { "--64", "code.s" }, ld = { "-m", "elf_x86_64" } },
  { name = "i386", as = { "--32", "code.s" }, ld = { "-m", "elf_i386" } },
}

describe("Static calls in assembly code are those that objdump shows", function()
  for _, machine in ipairs(native) do
    machine.tools, machine.call, machine.nop, machine.jump = "", "call", "nop", "jmp"
    it("on " .. machine.name, function() check_direct(7, assemble(machine)) end)
  end

  it("with prefixes and bytes like a call's opcode around them", function()
    local machine = setmetatable({ call = "bnd call", nop = "call *h(%rip); .byte 0x66, 0x48; call f; call *%rax" },
      { __index = native[1] })
    check_direct(7, assemble(machine))
  end)
end)

-- Other machines ------------------------------------------------------------------------------

-- `core`: the machine's name in Debian's packages of libbfd and libopcodes. `calls`: objdump's names of call
-- instructions.
local machines <const> = {
  { core = "arm64", tools = "aarch64-linux-gnu-", call = "bl", calls = "bl", jump = "b", type = "%" },
  { core = "riscv64", tools = "riscv64-linux-gnu-", call = "call", calls = "jal jalr", jump = "tail" },
  { core = "riscv64", tools = "riscv64-linux-gnu-", call = "call", calls = "jal jalr", jump = "tail",
    ld = { "--no-relax" } },
  { core = "s390x", tools = "s390x-linux-gnu-", call = "brasl %r14,", calls = "brasl bras", jump = "jg",
    nop = "nopr" },
  { core = "s390x", tools = "s390x-linux-gnu-", call = "bras %r14,", calls = "brasl bras", jump = "j", nop = "nopr" },
  { core = "mips64el", tools = "mips64el-linux-gnuabi64-", call = "jal", calls = "jal bal", jump = "b" },
  { core = "mips64el", tools = "mips64el-linux-gnuabi64-", call = "bal", calls = "jal bal", jump = "b" },
  { core = "powerpc", tools = "powerpc-linux-gnu-", call = "bl", calls = "bl", jump = "b" },
  { core = "ppc64el", tools = "powerpc64le-linux-gnu-", call = "bl", calls = "bl", jump = "b" },
  { core = "mips", tools = "mips-linux-gnu-", call = "jal", calls = "jal bal", jump = "b" },
  { core = "sparc64", tools = "sparc64-linux-gnu-", call = "call", calls = "call", jump = "ba" },
}

describe("Static calls in code of another machine are those that objdump shows", function()
  for _, machine in ipairs(machines) do
    machine.name, machine.nop = machine.core, machine.nop or "nop"
    machine.as = { "code.s" }
    local title = ("on %s, with %s"):format(machine.core, machine.call)
    local ready, lack = foreign.prepare(machine.core, machine.tools .. "objdump")
    if ready then
      it(title, function() check_direct(7, assemble(machine), machine) end)
    else
      pending(title .. ": " .. lack)
    end
  end

  -- A program that is linked with the static C library has a few thousand calls.
  local compiler = machines[1].tools .. "gcc"
  if shell.run({ compiler, "--version" }).status ~= 0 then
    pending(("on %s, in a whole program: %s is not installed"):format(machines[1].core, compiler))
    return
  end
  it("on arm64, in a whole program", function()
    local dir, sources = shell.tmpdir "arm64", build.program("calls").dir
    shell.check { compiler, "-O2", "-g", "-pg", "-static", "-o", dir .. "/calls", sources .. "/calls.c",
      sources .. "/calls_far.c" }
    check_direct(1500, dir .. "/calls", machines[1])
  end)
end)

describe("Static calls on ppc64el", function()
  local tools = "powerpc64le-linux-gnu-"
  local ready, lack = foreign.prepare("ppc64el", tools .. "gcc")
  if not ready then return pending(lack) end

  -- The code of C functions begins with two instructions that set the TOC pointer.
  it("are found where they skip the first two instructions of a function", function()
    local dir = shell.tmpdir "ppc64el"
    shell.write(dir .. "/code.c", [[
      int variable;
      __attribute__((noinline)) static int leaf(int x) { return x + variable; }
      __attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
      int _start(int x) { variable = x; return middle(x) + leaf(3); }
    ]])
    shell.check({ tools .. "gcc", "-O1", "-nostdlib", "-o", "code", "code.c" }, { cwd = dir })
    assert.match("bl +%x+ <leaf%+0x8>", shell.check { tools .. "objdump", "-d", dir .. "/code" }.stdout)
    local result = foreign.script("ppc64el", [[
      local gprof = require "gprof"
      local image = assert(gprof.image(arg[1]))
      local profile = gprof.profile(image, gprof.data.new { image = image }, { static_call_graph = true })
      for f in profile:functions "name" do
        for arc in f:callees() do print(f.name, arc.callee.name) end
      end
    ]], { dir .. "/code" })
    assert.same({ "", "_start\tmiddle\n_start\tleaf\nmiddle\tleaf\n" }, { result.stderr, result.stdout })
  end)
end)

-- Makes x86-64 code of `size` bytes. `calls` maps offsets to the offset of a callee, or to literal bytes to place
-- there.
local function crafted_text(size, calls)
  local bytes = {}
  for i = 1, size do
    bytes[i] = "\x90"
  end
  for offset, target in pairs(calls) do
    local call = type(target) == "string" and target or string.pack("<BI4", 0xe8, target - offset - 5 & 0xffffffff)
    for i = 1, #call do
      bytes[offset + i] = call:sub(i, i)
    end
  end
  return table.concat(bytes)
end

-- The default mode ----------------------------------------------------------------------------

describe("With -c, the call graph", function()
  local built = build.program("calls", "nopie")

  local function profile(options)
    local image = gprof.image(built.image)
    return gprof.profile(image, gprof.data(image, built.gmon), options)
  end

  it("keeps recorded arcs unchanged, and adds static calls with count 0", function()
    local plain, full, recorded, added = profile {}, profile { static_call_graph = true }, 0, 0
    for f in plain:functions("address") do
      local counts = {}
      for arc in f:callees() do
        counts[arc.callee.address] = arc.count
      end
      for arc in full:node(f.id):callees() do
        local count = counts[arc.callee.address]
        assert.equal(count or 0, arc.count)
        recorded, added = recorded + (count and 1 or 0), added + (count and 0 or 1)
      end
      assert.same({ f.self, f.children, f.calls }, { full:get(f.id, "self", "children", "calls") })
    end
    assert.equal(plain.arc_count, recorded)
    assert.equal(full.arc_count, recorded + added)
    assert.is_true(added > 0)
  end)

  it("shows functions that were never called, with their possible callers", function()
    local report = program.run({ "-c", "-z", "-b", "-q", built.image, built.gmon }).stdout
    assert.truthy(report:find("\n%[%d+%] +0%.0 +0%.00 +0%.00 +never_far %[%d+%]\n"))
    assert.truthy(report:find("\n +0%.00 +0%.00 +0/0 +never %[%d+%]\n%[%d+%] [^\n]+ never_far "), report)
  end)

  it("assigns calls in a cold part to its function", function()
    local cold = build.program "clones"
    local image = gprof.image(cold.image)
    local found, owners = gprof.profile(image, gprof.data.new { image = image }, { static_call_graph = true }), {}
    for arc in found:lookup(build.address(cold.image, "complain")):callers() do
      owners[arc.caller.name] = true
      assert.is_nil(arc.caller.name:find "cold")
    end
    assert.is_true(next(owners) ~= nil)
  end)

  it("omits calls to a cold part", function()
    local image = gprof.image(build.craft { text = crafted_text(0x60, { [0x2] = 0x40, [0x22] = 0x30, [0x42] = 0x30 }),
      symbols = { { "f", 0 }, { "g", 0x30 }, { "h", 0x20 }, { "f.cold", 0x40, "local,function" } } })
    local arcs = {}
    for f in gprof.profile(image, gprof.data.new { image = image }, { static_call_graph = true }):functions "name" do
      for arc in f:callees() do
        arcs[#arcs + 1] = f.name .. " -> " .. arc.callee.name
      end
    end
    assert.same({ "f -> g", "h -> g" }, arcs)
  end)

  it("does not need a histogram", function()
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
      { kind = "arc", from = build.address(built.image, "main") + 8, self = build.address(built.image, "never"),
        count = 3 } } })
    local result = program.run { "-c", "-b", "-q", built.image, path }
    assert.equal(0, result.status)
    assert.truthy(result.stdout:find "\n +0%.00 +0%.00 +0/0 +never_far ", result.stdout)
  end)

  -- For the run with sanitizers: decoding must be safe on any input.
  it("can be built from random bytes", function()
    math.randomseed(1)
    for _ = 1, 20 do
      local bytes, symbols = {}, {}
      for i = 1, 4096 do
        bytes[i] = string.char(math.random(0, 255))
      end
      for i = 1, 100 do
        symbols[i] = { "s" .. i, math.random(0, 4096) }
      end
      local image = gprof.image(build.craft { text = table.concat(bytes), symbols = symbols })
      assert(gprof.profile(image, gprof.data.new { image = image }, { static_call_graph = true }))
    end
  end)
end)

-- Errors ----------------------------------------------------------------------------------------

describe("With -c", function()
  local records = { { kind = "histogram", low = 0x1000, high = 0x1040, bins = { n = 32 } },
    { kind = "arc", from = 0x1001, self = 0x1020, count = 1 } }

  local function run(image, mode)
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    return program.run { "-c", mode or "-b", image, path }
  end

  it("an architecture that libopcodes does not know is an error", function()
    local image = build.craft { target = "elf64-little", text = 0x40, symbols = { { "f", 0 }, { "g", 0x20 } } }
    local result = run(image)
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.equal(("gprof.lua: %s: machine code: libopcodes cannot decode this architecture (unknown)\n"):format(image),
      result.stderr)
    assert.equal(0, run(image, "--gnu-compat").status)
  end)

  it("a section .text without contents is an error", function()
    local image = shell.tmpdir() .. "/image"
    shell.check { "objcopy", "--only-keep-debug", build.program("calls", "nopie").image, image }
    local result = run(image)
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.equal(("gprof.lua: %s: machine code: the section .text has no contents\n"):format(image), result.stderr)
  end)

  -- Object files compiled with -ffunction-sections have one.
  it("an empty section .text has no calls", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/one.s", ".section code, \"ax\"\n.globl f, g\nf: nop\n.skip 0x20\ng: nop\n")
    shell.check({ "as", "-o", "one.o", "one.s" }, { cwd = dir })
    local path = gmon.write(dir .. "/gmon.out", gmon.magic { records = {
      { kind = "histogram", low = 0, high = 0x20, bins = { n = 16, [2] = 1 } } } })
    for _, mode in ipairs { "-b", "--gnu-compat" } do
      local result = program.run { "-c", "-p", mode, dir .. "/one.o", path }
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.matches(" f\n", result.stdout, 1, true)
    end
  end)
end)

-- GNU gprof -----------------------------------------------------------------------------------

if not parity.possible(pending) then return end

local option_lists <const> = {
  { "-c" }, { "-c", "-z" }, { "-c", "-p", "-q", "-z", "-a" }, { "--static-call-graph", "-q", "-D" },
}

describe("With --gnu-compat, -c finds what GNU gprof finds", function()
  local it <const> = chance.one_in(3, it)
  for name, variant in build.each(pending) do
    it(("in %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      for _, list in ipairs(built.gmon and option_lists or {}) do
        parity.check({ "-b", name, "gmon.out", table.unpack(list) }, { cwd = built.dir })
      end
    end)
  end
end)

-- Returns symbols at these offsets and "last", which makes no calls: GNU gprof does not know where the last function
-- ends.
local function symbols_at(offsets, size)
  local symbols = { { "last", size - 8 } }
  for i, offset in ipairs(offsets) do
    symbols[i + 1] = { "s" .. i, offset }
  end
  return symbols
end

-- Returns an arc, and a histogram for each pair of offsets, with one bin per byte.
local function crafted_records(ranges)
  local records = { { kind = "arc", from = 0x1001, self = 0x1000, count = 1 } }
  for i, range in ipairs(ranges) do
    records[i + 1] = { kind = "histogram", low = 0x1000 + range[1], high = 0x1000 + range[2],
      bins = { n = range[2] - range[1] } }
  end
  return records
end

local plain <const>, wide <const> = { 0, 0x20, 0x40, 0x60 }, { 0, 0x60, 0x64 }

describe("With --gnu-compat, -c finds what GNU gprof finds", function()
  for title, case in pairs {
    ["at the last byte of a function"] = { { [0x1f] = 0x60 }, plain, { { 0, 0x80 } } },
    ["where an instruction ends in the next function"] = { { [0x1c] = 0x40 }, plain, { { 0, 0x80 } } },
    ["where no histogram covers the target"] = { { [0x2] = 0x40, [0x8] = 0x20 }, plain, { { 0, 0x40 } } },
    ["where a histogram ends right after the target"] = { { [0x2] = 0x40, [0x8] = 0x20 }, plain, { { 0, 0x41 } } },
    ["where the target is between two histograms"] = { { [0x12] = 0x40 }, plain, { { 0x10, 0x30 }, { 0x50, 0x70 } } },
    ["where the target is not a function entry"] = { { [0x2] = 0x21, [0x8] = 0x3f }, plain, { { 0, 0x80 } } },
    ["backwards: nothing"] = { { [0x22] = 0x20, [0x28] = 0, [0x42] = 0x20 }, plain, { { 0, 0x80 } } },
    ["in covered code only"] = { { [0x2] = 0x20, [0x12] = 0x20, [0x18] = 0x40, [0x44] = 0x60, [0x54] = 0x60 },
      plain, { { 0x10, 0x50 } } },
    ["in several histograms"] = { { [0x12] = 0x40, [0x18] = 0x60, [0x28] = 0x60, [0x48] = 0x60 }, plain,
      { { 0x10, 0x30 }, { 0x50, 0x70 } } },
    ["in the first of several histograms"] = { { [0x2] = 0x60, [0x12] = 0x60, [0x28] = 0x60, [0x48] = 0x64 }, wide,
      { { 0x10, 0x20 }, { 0x40, 0x70 } } },
    ["in the first histogram in the file"] = { { [0x2] = 0x60, [0x12] = 0x60, [0x28] = 0x60, [0x48] = 0x64 }, wide,
      { { 0x40, 0x70 }, { 0x10, 0x20 } } },
    ["in the last byte covered"] = { { [0x1f] = 0x60, [0x25] = 0x60 }, plain, { { 0x1f, 0x26 }, { 0x50, 0x68 } } },
    ["without a histogram"] = { { [0x2] = 0x20 }, plain, {} },
    ["in a row of call opcodes"] = { { [0x2] = ("\xe8"):rep(20) .. "\0\0\0\0", [0x1b] = 0x20 }, plain,
      { { 0, 0x80 } } },
  } do
    it(title, function()
      local image = build.craft { text = crafted_text(0xa0, case[1]), symbols = symbols_at(case[2], 0xa0) }
      local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = crafted_records(case[3]) })
      for _, list in ipairs(option_lists) do
        parity.check { "-b", image, path, table.unpack(list) }
      end
    end)
  end

  -- About every fifth byte is a call opcode. Functions and profiles are random.
  it("in random code and profiles", function()
    local repeatedly = chance.cases(1, 60)
    repeatedly(function(note)
      local size, bytes, offsets = 0x400, {}, {}
      for i = 1, size - 16 do
        bytes[i] = chance.pick { "\xe8", "\0", "\0", "\0", string.char(math.random(0, 255)) }
      end
      for i = 1, math.random(20, 200) do
        offsets[i] = math.random(0, size - 16)
      end
      local image = build.craft { text = table.concat(bytes) .. ("\0"):rep(16), symbols = symbols_at(offsets, size) }
      local records = gmon.parse((chance.profile(chance.subject(image), "magic"))).records
      table.insert(records, { kind = "arc", from = 0x1001, self = 0x1000 + offsets[1], count = 1 })
      local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
      parity.check({ "-b", image, path, table.unpack(chance.pick(option_lists)) }, nil, note)
    end)
  end)

  -- GNU gprof does not truncate displacements to 32 bits, even in a 32-bit image.
  it("in code of i386", function()
    local image = assemble(native[2])
    local _, size = build.section(image, ".text")
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { pointer = 4, records = {
      { kind = "histogram", low = 0x10000, high = 0x10000 + size, bins = { n = size } },
      { kind = "arc", from = 0x10001, self = build.address(image, "h"), count = 1 } } })
    for _, list in ipairs(option_lists) do
      parity.check { "-b", image, path, table.unpack(list) }
    end
  end)

  it("in code of an unknown architecture: nothing", function()
    local image = build.craft { target = "elf64-little", text = crafted_text(0x40, { [2] = 0x20 }),
      symbols = symbols_at({ 0, 0x20 }, 0x40) }
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = crafted_records { { 0, 0x40 } } })
    parity.check { "-b", "-c", image, path }
  end)

  it("in a section without contents: nothing", function()
    local built, image = build.program("brief", "nopie"), shell.tmpdir() .. "/image"
    shell.check { "objcopy", "--only-keep-debug", built.image, image }
    parity.check { "-b", "-c", "-q", image, built.gmon }
  end)
end)
