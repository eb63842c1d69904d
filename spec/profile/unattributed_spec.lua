-- Some sampled code is covered by no symbol: it lies past the end of a symbol, according to the symbol's size. If many
-- samples fall in such code, one warning appears, except under --gnu-compat.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local elf = require "support.elf"
local gprof = require "gprof"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local BIN <const> = 4

if not build.supported "labels" then
  pending "code that no symbol covers: the fixture is for x86-64"
  return
end

-- A linked program with a procedure linkage table. It is never run.
local dir <const> = shell.tmpdir "gaps"
shell.check({ "gcc", "-g", "-no-pie", "-Wl,-z,lazy", "-o", "gaps", build.fixture "gaps.s" }, { cwd = dir })
local path <const> = dir .. "/gaps"
local image <const> = assert(gprof.image(path))

local function at(name, offset)
  return build.address(path, name) + offset
end

local LOW <const> = at("_init", 0) // BIN * BIN
local plt <const> = build.section(path, ".plt")

-- Returns data with 100 samples in `main`. Each argument { address, count } adds samples at an address.
local function sampled(...)
  local data = gprof.data.new { image = image }
  local bins = { [(at("main", 0) - LOW) // BIN + 2] = 100 }
  for _, pair in ipairs { ... } do
    local bin = (pair[1] - LOW) // BIN + 1
    bins[bin] = (bins[bin] or 0) + pair[2]
  end
  local count = (image.text_high - LOW) // BIN + 1
  assert(data:add_histogram { low = LOW, high = LOW + count * BIN, bins = bins, bin_count = count })
  return data
end

local function profile(data, options)
  return assert(gprof.profile(image, data, options))
end

describe("code that no symbol covers", function()
  it("lies between the end of a symbol, by its size, and the next symbol", function()
    local p = profile(sampled({ at("main", 16 + 8), 50 }, { at("main", 16 + 60), 30 }))
    assert.equal(0.8, p.uncovered)
    local low, high, time, f = p:uncovered_range()
    assert.same({ at("main", 16), at("sizeless", -1), 0.8, "main" }, { low, high, time, f.name })
    assert.equal(1.8, f.self)
  end)

  it("includes the procedure linkage table, which is in a later section than the symbol before it", function()
    local p = profile(sampled { plt + 16, 40 })
    local low, high, time, f = p:uncovered_range()
    assert.same({ 0.4, 0.4, "_init" }, { p.uncovered, time, f.name })
    assert.is_true(low <= plt and high >= plt + 31, ("%x to %x"):format(low, high))
  end)

  it("can be in several ranges; uncovered_range returns the one with the most samples", function()
    local p = profile(sampled({ at("main", 20), 50 }, { at("further", 30), 60 }, { at("last", 18), 20 }))
    assert.equal(1.3, p.uncovered)
    local low, _, time = p:uncovered_range()
    assert.same({ at("further", 16), 0.6 }, { low, time })
  end)

  it("is taken as 0 with two symbol tables, because libbfd does not say which one it read", function()
    local SHT_SYMTAB <const>, ENTRY <const> = 2, 24
    local bytes = shell.read(path)
    local offset, size = elf.place(path, ".symtab")
    local halved = bytes:sub(offset + 1, offset + size):gsub(("."):rep(ENTRY), function(entry)
      return entry:sub(1, 16) .. ("<I8"):pack(("<I8"):unpack(entry, 17) // 2)
    end)
    local doubled = elf.patch(bytes .. halved, ".comment",
      { type = SHT_SYMTAB, offset = #bytes, size = size, entry = ENTRY, link = ".strtab" })
    doubled = elf.patch(doubled, ".rela.plt", { link = ".symtab" })  -- makes libbfd read .symtab first
    local other = assert(gprof.image(shell.write(dir .. "/doubled", doubled)))
    local data = sampled { at("main", 12), 50 }
    assert.equal(0, profile(data).uncovered)
    assert.equal(0, assert(gprof.profile(other, data)).uncovered)
  end)

  for what, place in pairs {
    ["a function"] = at("further", 4), ["a function without a size, up to the next one"] = at("sizeless", 60),
    ["a function after its second entry point"] = at("inner", 40), ["a static function"] = at("local", 40),
  } do
    it("does not include " .. what, function()
      local p = profile(sampled { place, 50 })
      assert.equal(0, p.uncovered)
      assert.is_nil((p:uncovered_range()))
    end)
  end

  it("does not include functions that -a omits", function()
    local p = profile(sampled { at("local", 40), 50 }, { no_static = true })
    assert.equal("before", p:lookup(at("local", 40)).name)
    assert.equal(0, p.uncovered)
  end)

  it("does not include bins that a function covers in part", function()
    local data = gprof.data.new { image = image }
    local low = at("main", 0)
    assert(data:add_histogram { low = low, high = low + 3 * 24, bins = { 5, 7, 11 }, bin_count = 3 })
    assert.equal(0.18, profile(data).uncovered)
  end)

  it("does not include bytes before a function if rounding moves the bin into the function", function()
    local low, high = at("main", 0), at("sizeless", 2)
    for bins, ticks in pairs { [(high - low) // 2] = 7, [(high - low) // 2 + 2] = 0 } do
      local data = gprof.data.new { image = image }
      local counts = { [1] = 3, [bins - (ticks > 0 and 1 or 3)] = 7 }
      assert(data:add_histogram { low = low, high = high, bins = counts, bin_count = bins })
      assert.equal(ticks / 100, profile(data).uncovered)
    end
  end)

  it("is measured in profiles by line, too", function()
    local data = sampled({ at("main", 40), 50 }, { at("sizeless", 60), 50 }, { at("inner", 40), 7 })
    local p = profile(data, { line = true })
    assert.is_true(p.by_line)
    assert.same({ 0.5, "main" }, { p.uncovered, select(4, p:uncovered_range()).name:match "^%w+" })
    assert.equal(0.5, profile(data, { line = "all" }).uncovered)
  end)

  it("is measured with symbols from a debugging file", function()
    local cwd = { cwd = shell.tmpdir "stripped" }
    shell.check({ "objcopy", "--only-keep-debug", path, "kept" }, cwd)
    shell.check({ "strip", "-s", "-o", "image", path }, cwd)
    shell.check({ "objcopy", "--add-gnu-debuglink=kept", "image" }, cwd)
    local on = assert(gprof.image(cwd.cwd .. "/image"))
    local p = assert(gprof.profile(on, sampled { at("main", 40), 50 }))
    assert.same({ 0.5, "main" }, { p.uncovered, select(4, p:uncovered_range()).name })
  end)

  it("is nil without samples, with a symbol file, and under --gnu-compat", function()
    local data = sampled { at("main", 20), 50 }
    assert.is_nil(profile(gprof.data.new { image = image }).uncovered)
    assert.is_nil(profile(data, { gnu_compat = true }).uncovered)
    local symbols = dir .. "/symbols"
    local listed = shell.check({ "nm", path }, { env = { LC_ALL = "C" } }).stdout
    shell.write(symbols, (listed:gsub("[^\n]* [UwV] [^\n]*\n", "")))
    assert.is_nil(profile(data, { external_symbol_table = symbols }).uncovered)
  end)

  it("is 0 in an image whose symbols have no sizes", function()
    local craft = build.craft { text = 0x40, symbols = { { "first", 0 }, { "second", 0x20 } } }
    local on = assert(gprof.image(craft))
    local data = gprof.data.new { image = on }
    assert(data:add_histogram { low = 0x1000, high = 0x1040, bins = { 1, 2, 3, 4 }, bin_count = 4 })
    assert.equal(0, assert(gprof.profile(on, data)).uncovered)
  end)

  it("does not include clones and cold parts of functions", function()
    local built = build.program("clones", "O2")
    local on = assert(gprof.image(built.image))
    local data, bins = gprof.data.new { image = on }, {}
    local low, high = on.text_low, on.text_high // 4 * 4
    for _, symbol in ipairs(build.symbols(built.image)) do
      local bin = (symbol.address - low) // 4 + 1
      if symbol.type:find "^[tT]$" and bin > 0 and symbol.address < high - 4 then bins[bin] = 9 end
    end
    assert(data:add_histogram { low = low, high = high, bins = bins, bin_count = (high - low) // 4 })
    assert.equal(0, assert(gprof.profile(on, data)).uncovered)
  end)
end)

describe("the warning about code that no symbol covers", function()
  local place = dir .. "/gmon.out"
  local much = sampled({ at("main", 20), 50 }, { at("further", 20), 10 })

  local function run(data, ...)
    assert(data:write(place))
    local result = program.run { "-b", path, place, ... }
    assert.equal(0, result.status)
    return result
  end

  it("is one line with the share, the function that gets the samples, and the range", function()
    local said = ("gprof.lua: warning: 37.5%% of the samples fell in code without a symbol, and are attributed " ..
      "to the preceding function: most of them to main, at 0x%x to 0x%x\n"):format(at("main", 16), at("sizeless", -1))
    for _, option in ipairs { "-p", "-l", "-C", "--export=csv", "--errors" } do
      assert.equal(said, run(much, option).stderr, option)
    end
    assert.matches("33.3%% of the samples .* all of them to main", run(much, "-pmain").stderr)
  end)

  it("does not appear if the samples are few", function()
    assert.equal("", run(sampled { at("main", 20), 1 }, "-p").stderr)
    assert.equal("", run(sampled { at("main", 20), 2 }, "-p").stderr) -- minus the sampling error: below 1 %
    assert.not_equal("", run(sampled { at("main", 20), 3 }, "-p").stderr)
  end)

  it("does not appear under --gnu-compat, or if no report shows functions", function()
    assert.equal("", run(much, "--gnu-compat").stderr)
    assert.equal("", run(much, "-i").stderr)
  end)

  it("does not change the report, in which samples count as in GNU gprof", function()
    assert(much:write(place))
    local gnu = oracle.run { "-b", "-p", path, place }.stdout
    assert.equal(gnu, run(much, "-p").stdout)
    assert.equal(gnu, run(much, "-p", "--gnu-compat").stdout)
  end)
end)

describe("the search for code that no symbol covers", function()
  local COUNT <const>, SIZE <const>, BASE <const> = 5000, 16, 0x400000

  -- Returns the number of read calls of this process so far.
  local function reads()
    return tonumber(shell.read("/proc/self/io"):match "syscr: (%d+)")
  end

  -- The linker writes global symbols in the order of a hash table, while the search is in the order of addresses.
  it("does not read the file again for each symbol", function()
    local scratch, lines = shell.tmpdir "global", { ".text" }
    for i = 1, COUNT do
      lines[i + 1] = (".globl f%d\n.type f%d, @function\n.size f%d, 8\nf%d: .skip %d"):format(i, i, i, i, SIZE)
    end
    shell.write(scratch .. "/global.s", table.concat(lines, "\n") .. "\n")
    shell.check({ "as", "-o", "global.o", "global.s" }, { cwd = scratch })
    shell.check({ "ld", "-e", "0", ("-Ttext=%#x"):format(BASE), "-o", "global", "global.o" }, { cwd = scratch })

    local global = assert(gprof.image(scratch .. "/global"))
    local data, bins = gprof.data.new { image = global }, {}
    for bin = 1, COUNT * SIZE // BIN do bins[bin] = 1 end
    assert(data:add_histogram { low = BASE, high = BASE + COUNT * SIZE, bins = bins, bin_count = #bins })
    local before = reads()
    assert.equal(COUNT * 2 / 100, assert(gprof.profile(global, data)).uncovered) -- half of each function's four bins
    local count = reads() - before
    assert(count < COUNT // 10, count)
  end)
end)
