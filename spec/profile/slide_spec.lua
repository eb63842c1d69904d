-- Profiles whose addresses differ from the image's by a known offset, the slide. It must be found, or reported as
-- ambiguous or unknown.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local PIE <const> = 0x555555554000

local moved <const> = gmon.moved

-- Returns a function for `moved` that keeps only records of one kind.
local function only(kind)
  return function(profile) profile.records = gmon.select(profile, kind) end
end

-- Returns a function for `moved` that adds arcs of other programs: `share` times as many arcs as the profile has.
local function noise(share)
  return function(profile)
    local arcs = #gmon.select(profile, "arc")
    for i = 1, math.ceil(arcs * share) do
      local odd = i % 3 == 0 and 0 or 0x7f0000000000 + i * 0x1237
      table.insert(profile.records, { kind = "arc", from = odd + 8, self = odd, count = i })
    end
  end
end

-- Returns the slide found for a file, or nil and a message. The third result is the data.
local function found(image, path)
  local data, message = gprof.data(image, path, { slide = "auto" })
  return data and data.files[1].slide, message, data
end

describe("The slide of a real profile is found:", function()
  for _, name in ipairs { "crowd", "cycles", "cycles+nopie", "shapes+O2", "clones" } do
    local base, variant = name:match "^(%w+)%+?(.*)$"
    local supported, lack = build.supported(base, variant)
    if not supported then
      pending(lack)
    else
      local built = build.program(base, variant)
      local image = assert(gprof.image(built.image))

      for _, offset in ipairs { 0, PIE, 0x1000, 0x7ff6a1230000, -0x7ffff000, 0x20000430, 0x123456 } do
        it(("%s, 0x%x"):format(name, offset), function()
          local slide, message = found(image, moved(built.gmon, offset))
          assert(slide, message)
          assert.same({ offset, true }, { slide.offset, slide.covers })
          assert.is_true(slide.fitting > 0.8 * slide.arcs)
        end)

        it(("%s, 0x%x, without arcs"):format(name, offset), function()
          local slide, message = found(image, moved(built.gmon, offset, only "histogram"))
          assert(slide, message)
          assert.same({ offset, 0, 0, true }, { slide.offset, slide.arcs, slide.fitting, slide.covers })
        end)
      end

      for _, offset in ipairs { 0, PIE, -0x40000000 } do
        it(("%s, 0x%x, without a histogram"):format(name, offset), function()
          local slide, message = found(image, moved(built.gmon, offset, only "arc"))
          assert(slide, message)
          assert.same({ offset, false }, { slide.offset, slide.covers })
        end)

        it(("%s, 0x%x, among arcs of other programs"):format(name, offset), function()
          local slide, message = found(image, moved(built.gmon, offset, noise(0.15)))
          assert(slide, message)
          assert.same({ offset, true }, { slide.offset, slide.fitting < slide.arcs })
        end)
      end
    end
  end

  it("afterwards histograms, arcs and blocks have the image's addresses", function()
    local built = build.program "cycles"
    local image = assert(gprof.image(built.image))
    local function add_block(profile)
      table.insert(profile.records, { kind = "blocks", { PIE + image.text_low, 7 } })
    end
    local _, _, data = found(image, moved(built.gmon, PIE, add_block))
    local plain = assert(gprof.data(image, built.gmon))
    plain:add_block(image.text_low, 7)
    local one, other = shell.tmpdir() .. "/one", shell.tmpdir() .. "/other"
    data:write(one)
    plain:write(other)
    assert.equal(shell.read(other), shell.read(one))
  end)
end)

-- Makes an image of irregularly sized functions, so that only the correct slide moves callees to function entries.
-- Returns its path, the symbols and the code's size.
local function mixed(target, address)
  local symbols, at, state = {}, 0, 7
  for i = 1, 60 do
    symbols[i] = { "f" .. i, at }
    state = (state * 1103515245 + 12345) & 0x7fffffff
    at = at + 48 + (state >> 12) % 40 * 16
  end
  return build.craft { target = target, address = address, text = at, symbols = symbols }, symbols, at
end

local function records_of(symbols, size, address)
  local records = { { kind = "histogram", low = address, high = address + size, bins = { n = size // 4 } } }
  for i = 2, #symbols, 2 do
    records[#records + 1] = { kind = "arc", from = address + symbols[i // 2][2] + 24,
      self = address + symbols[i][2] + 12, count = i }
  end
  return records
end

-- Programs with few functions, at equal distances. The histogram covers most of the code, so only one whole page is
-- possible.
describe("The slide of a small program is found by the range of the histogram:", function()
  local function small(count, options)
    local symbols = {}
    for i = 1, count do symbols[i] = { "f" .. i, (i - 1) * 32 } end
    local image = build.craft { target = "elf64-x86-64", address = 0x140001000, text = 0x1f00, symbols = symbols }
    local low, high = 0x140001000 + options.begin, 0x140001000 + options.stop
    local records = { { kind = "histogram", low = low, high = high, bins = { n = (high - low) // 4, [9] = 5 } } }
    for i = 1, options.arcs and count or 0 do
      records[i + 1] = { kind = "arc", from = low + 0x400 + i, self = 0x140001000 + 32 * (i - 1) + 4, count = i }
    end
    return assert(gprof.image(image)), gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
  end

  for _, count in ipairs { 1, 2, 5, 8, 12, 40 } do
    for _, range in ipairs { { 0, 0x1f00 }, { 0, 0x1800 }, { 0x40, 0x1e00 } } do
      for _, offset in ipairs { 0x7ff4c0000000, -0x100000, 0x1000 } do
        it(("%d functions, %x to %x, slide 0x%x"):format(count, range[1], range[2], offset), function()
          local image, plain = small(count, { begin = range[1], stop = range[2], arcs = true })
          local slide, message = found(image, moved(plain, offset))
          assert.equal(offset, slide and slide.offset, message)
        end)
      end
    end
  end

  it("without arcs", function()
    local image, plain = small(3, { begin = 0, stop = 0x1800 })
    local slide, message = found(image, moved(plain, 0x7ff4c0000000))
    assert.equal(0x7ff4c0000000, slide and slide.offset, message)
  end)

  it("messages about other addresses name --slide", function()
    local image, plain = small(3, { begin = 0, stop = 0x1800, arcs = true })
    local result = program.run { "-b", image.path, moved(plain, 0x7ff4c0000100) }
    assert.matches("does not belong to .*; if the program was loaded at another address, use %-%-slide=auto\n$",
      result.stderr)
  end)
end)

describe("The slide of a profile from another machine is found:", function()
  for _, shape in ipairs(gmon.shapes()) do
    for _, case in ipairs { { 0x8000000, 0x18000000 }, { 0x40008000, -0x40000000 }, { 0x10000, 0x7ff00430 } } do
      local address, offset = case[1], case[2]
      it(("%s, 0x%x"):format(shape.name, offset), function()
        local path, symbols, size = mixed(shape.target, address)
        local image = assert(gprof.image(path))
        local plain = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic {
          pointer = shape.pointer, big = shape.big, records = records_of(symbols, size, address) })
        local slide, message = found(image, moved(plain, offset, nil, shape))
        assert(slide, message)
        assert.same({ offset, 30, 30, 0, true }, { slide.offset, slide.arcs, slide.fitting, slide.unmoved,
          slide.covers })
      end)
    end
  end
end)

describe("The search for a slide", function()
  local image

  -- Opens an image with twenty functions, each one page long.
  local function pages()
    local symbols = {}
    for i = 1, 20 do symbols[i] = { "f" .. i, (i - 1) * 0x1000 } end
    return assert(gprof.image(build.craft { address = 0x10000, text = 20 * 0x1000, symbols = symbols }))
  end

  setup(function() image = pages() end)

  -- Writes a profile with calls to the functions `first` to `last`, moved by PIE, and a histogram.
  local function calls(first, last, histogram)
    local records = { histogram }
    for i = first, last do
      records[#records + 1] = { kind = "arc", from = PIE + 0x10000 + 0x500, self = PIE + 0x10000 + (i - 1) * 0x1000,
        count = 1 }
    end
    return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
  end

  local function failure(path)
    local slide, message = found(image, path)
    assert.is_nil(slide)
    return message:sub(#path + 1)
  end

  it("fails if two slides fit, and names both", function()
    assert.matches("^: ambiguous slide: 0x5555[%x]+ and 0x5555[%x]+ fit equally well " ..
      "%(with both, callees are at function entries%)$", failure(calls(5, 15)))
  end)

  it("succeeds if all functions are called, because only one slide fits", function()
    assert.equal(PIE, found(image, calls(1, 20)).offset)
  end)

  it("uses the histogram to decide between slides", function()
    local histogram = { kind = "histogram", low = PIE + 0x10000, high = PIE + 0x24000, bins = { n = 0x5000 } }
    assert.equal(PIE, found(image, calls(5, 15, histogram)).offset)
  end)

  it("fails if the histogram fits the code's bounds with two slides", function()
    local made = build.craft { address = 0x10000, text = 0x4000, symbols = { { "_start", 0 }, { "f", 0x800 },
      { "__executable_start", 0x20 }, { "_etext", 0x3020 }, { "etext", 0x3000 } } }
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
      { kind = "histogram", low = 0x50000, high = 0x53000, bins = { n = 0xc00 } } } })
    local _, message = found(assert(gprof.image(made)), path)
    assert.equal(path .. ": ambiguous slide: 0x40000 and 0x3ffe0 fit equally well " ..
      "(with both, the histogram covers the code)", message)
  end)

  it("fails where small functions make many slides fit", function()
    local symbols = {}
    for i = 1, 0x80 do symbols[i] = { "small" .. i, (i - 1) * 0x18 } end
    for i = 1, 40 do symbols[#symbols + 1] = { "large" .. i, 0xc00 + (i - 1) * 0x200 } end
    local made = assert(gprof.image(build.craft { address = 0x10000, text = 0x5c00, symbols = symbols }))
    local records = {}
    for i = 1, 20 do
      records[i] = { kind = "arc", from = PIE, self = PIE + 0x40 + i * 0x70 + i * i, count = 1 }
    end
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    local _, message = found(made, path)
    assert.matches(": ambiguous slide: 0x5555[%x]+ and 0x5555[%x]+ fit equally well ", message)
    local result = program.run { "-b", "-q", made.path, path }
    assert.same({ 1, "" }, { result.status, result.stdout })
    assert.matches("^gprof%.lua: [^\n]*: does not belong to [^\n]*\n$", result.stderr)
  end)

  it("fails if no slide fits", function()
    local records = {}
    for i = 1, 20 do
      records[i] = { kind = "arc", from = 0x900000, self = 0x900000 + i * i * 0x101, count = 1 }
    end
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    assert.equal(": no slide found: none moves three quarters of the 20 callees to function entries",
      failure(path))
  end)

  it("fails with few callees and no histogram", function()
    assert.equal(": no slide found: 3 callees are too few to determine it", failure(calls(1, 3)))
    assert.equal(": no slide found: 1 callee is too few to determine it", failure(calls(1, 1)))
  end)

  it("fails with a histogram of another size and no arcs", function()
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
      { kind = "histogram", low = 0x900000, high = 0x903000, bins = { n = 0xc00 } } } })
    assert.equal(": no slide found: there are no arcs, and the histogram does not have the size of the code",
      failure(path))
  end)

  it("finds 0 in an empty profile", function()
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {} })
    assert.same({ offset = 0, arcs = 0, fitting = 0, unmoved = 0, covers = false, by_loader = true },
      (found(image, path)))
  end)
end)

describe("data:slide", function()
  local function data_with(pointer)
    local data = gprof.data.new { pointer_size = pointer }
    data:add_histogram { low = 0x5000, high = 0x5010, bins = { 1, 2, 3, 4 } }
    data:add_arc(0x5004, 0x5008, 3)
    data:add_block(0x500c, 9)
    return data
  end

  it("subtracts an offset from all addresses, so that further records are added to the moved ones", function()
    for _, pointer in ipairs { 4, 8 } do
      local data = data_with(pointer)
      assert.equal(data, data:slide(0x4000))
      data:add_histogram { low = 0x1000, high = 0x1010, bins = { 1, 1, 1, 1 } }
      data:add_arc(0x1004, 0x1008, 4)
      data:add_block(0x100c, 1)
      local histogram = data:histograms()()
      assert.same({ 0x1000, 0x1010, 5 }, { histogram.low, histogram.high, histogram:count(4) })
      assert.same({ 0x1004, 0x1008, 7 }, { data:arcs()() })
      assert.same({ 0x100c, 10 }, { data:blocks()() })
    end
  end)

  it("does not change unknown callers and callers outside a shared library", function()
    for pointer, unknown in pairs { [4] = 0xffffffff, [8] = -1 } do
      local data = data_with(pointer)
      data:add_arc(unknown, 0x5008, 5)
      data:add_arc(0, 0x5008, 6)
      local arcs = {}
      for from, _, count in assert(data:slide(0x1000)):arcs() do arcs[count] = from end
      assert.same({ [3] = 0x4004, [5] = unknown, [6] = pointer == 4 and 0xfffff000 or -0x1000 }, arcs)
    end
    local path = gmon.write(shell.tmpdir() .. "/libx.so.profile", gmon.shared {
      low = 0x5000, high = 0x5100, bins = { n = 64 }, arcs = { { 0, 0x40, 7 }, { 0x10, 0x40, 8 } } })
    local image = assert(gprof.image(build.craft { text = 0x100, symbols = { { "open", 0 }, { "read", 0x40 } } }))
    local data, arcs = assert(gprof.data(image, path, { slide = 0x4000 })), {}
    for from, callee, count in data:arcs() do arcs[count] = { from, callee } end
    assert.same({ [7] = { 0, 0x1040 }, [8] = { 0x1010, 0x1040 } }, arcs)
  end)

  it("fails if an address would leave the address space", function()
    for _, case in ipairs {
      { 8, 0x5001, "a slide of 0x5001 moves address 0x5000 out of the address space" },
      { 8, 0x5008, "a slide of 0x5008 moves address 0x5000 out of the address space" },
      { 8, math.maxinteger, "a slide of 0x7fffffffffffffff moves address 0x5000 out of the address space" },
      { 4, -0xFFFFB000, "a slide of -0xffffb000 moves address 0x5000 out of the address space" },
      { 4, -0xFFFFAFF8, "a slide of -0xffffaff8 moves address 0x5010 out of the address space" },
    } do
      local data = data_with(case[1])
      assert.same({ n = 2, nil, case[3] }, table.pack(data:slide(case[2])))
      assert.same({ 0x5004, 0x5008, 3 }, { data:arcs()() })
      assert.equal(0x5000, data:histograms()().low)
    end
  end)

  it("lets some arcs wrap around the address space, but not all", function()
    local data = gprof.data.new { pointer_size = 4 }
    data:add_arc(0, 0, 1)
    assert.same({ n = 2, nil, "a slide of 0x1000 moves address 0x0 out of the address space" },
      table.pack(data:slide(0x1000)))
    data:add_arc(0x5004, 0x5008, 3)
    data:slide(0x1000)
    local next = data:arcs()
    assert.same({ 0xFFFFF000, 0xFFFFF000, 1 }, { next() })
    assert.same({ 0x4004, 0x4008, 3 }, { next() })
  end)

  it("accepts offsets with the sign bit, as kernels need", function()
    local data = gprof.data.new()
    data:add_histogram { low = 0xffffffff81000000, high = 0xffffffff81000010, bins = { 1, 2 } }
    assert(data:slide(0xffffffff80000000))
    assert.equal(0x1000000, data:histograms()().low)
  end)

  it("does not move files that are added later", function()
    local image = assert(gprof.image(crafted.image(crafted.example)))
    local path = crafted.gmon(crafted.example)
    local data = gprof.data.new { image = image }
    assert(data:add_file(path))
    data:slide(-0x1000)
    assert(data:add_file(path))
    local arcs = 0
    for _, _, count in data:arcs() do
      assert.is_true(count > 0)
      arcs = arcs + 1
    end
    assert.equal(2 * #crafted.example.calls, arcs)
  end)
end)

describe("--slide", function()
  local built, plain, path
  setup(function()
    built = build.program "cycles"
    plain = program.run { "-b", built.image, built.gmon }
    path = moved(built.gmon, PIE)
  end)

  local function check_same(expected, result)
    assert.same({ 0, expected, plain.stdout }, { result.status, result.stderr, result.stdout })
  end

  local function failure(...)
    local result = program.run { ... }
    assert.same({ 1, "" }, { result.status, result.stdout })
    return result.stderr
  end

  local function evidence(name)
    return ("%s: slide 0x%x: 18 of 18 arcs lead to function entries (without it, 0), the histogram covers the " ..
      "code\n"):format(name, PIE)
  end

  it("takes an offset, decimal or hexadecimal", function()
    check_same("", program.run { "-b", ("--slide=0x%x"):format(PIE), built.image, path })
    check_same("", program.run { "-b", ("--slide=%d"):format(PIE), built.image, path })
    local compatible = program.run { "-b", "--gnu-compat", ("--slide=0x%x"):format(PIE), built.image, path }
    assert.equal(program.run({ "-b", "--gnu-compat", built.image, built.gmon }).stdout, compatible.stdout)
  end)

  it("takes a negative offset", function()
    local low = moved(built.gmon, -0x1000, function(profile)
      profile.records = gmon.select(profile, "arc")
    end)
    local arcs = moved(built.gmon, 0, only "arc")
    assert.equal(program.run({ "-b", built.image, arcs }).stdout,
      program.run({ "-b", "--slide=-0x1000", built.image, low }).stdout)
  end)

  it("with auto finds the slide and prints the evidence", function()
    check_same("gprof.lua: " .. evidence(path), program.run { "-b", "--slide=auto", built.image, path })
    check_same("gprof.lua: " .. evidence(path), program.run { "-b", "--sandbox", "--slide=auto", built.image, path })
    check_same(("gprof.lua: %s: no slide: 18 of 18 arcs lead to function entries, the histogram covers the code\n")
      :format(built.gmon), program.run { "-b", "--slide=auto", built.image, built.gmon })
  end)

  it("is tried by default if hardly any address fits", function()
    local expected = ("gprof.lua: %s: addresses corrected (--slide=0 disables this): %s"):format(path,
      evidence(path):sub(#path + 3))
    check_same(expected, program.run { "-b", built.image, path })
    local far = program.run { "-b", "-pnone", "-l", built.image, path }
    assert.same({ "gprof.lua: symspec 'none' matches nothing\n", 1 }, { far.stderr, far.status })
  end)

  it("is tried by default if the moved addresses still overlap the code", function()
    local image, symbols, size = mixed("elf64-x86-64", 0x8000000)
    local own = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic {
      records = records_of(symbols, size, 0x8000000) })
    local result = program.run { "-b", "-q", image, moved(own, 0x1000) }
    assert.matches("addresses corrected[^\n]* slide 0x1000: 30 of 30 arcs [^\n]*\n$", result.stderr)
    assert.equal(program.run({ "-b", "-q", image, own }).stdout, result.stdout)
  end)

  it("applies only to the program if libraries are merged", function()
    local image, symbols, size = mixed("elf64-x86-64", 0x8000000)
    local own = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic {
      records = { table.unpack(records_of(symbols, size, 0x8000000), 2) } })
    local library, at = mixed("elf64-x86-64", 0x1000)
    local of_library = gmon.write(shell.tmpdir() .. "/lib.profile", gmon.shared {
      low = 0x1000, high = 0x1000 + size, bins = { n = size // 4 }, arcs = { { 0, at[1][2], 3 } } })
    local words = { "-b", "-q", "--with=" .. library .. ":" .. of_library, image }
    local unmoved = program.run(table.move({ own }, 1, 1, 5, words))
    local result = program.run(table.move({ moved(own, 0x1000) }, 1, 1, 5, words))
    assert.matches("addresses corrected[^\n]* slide 0x1000: 30 of 30 arcs ", result.stderr)
    assert.same({ unmoved.stdout, 0 }, { result.stdout, result.status })
  end)

  it("is not tried under --gnu-compat, or with --slide=0", function()
    local result = program.run { "-b", "--gnu-compat", built.image, path }
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.equal(oracle.run({ "-b", built.image, path }).stdout, result.stdout)
    assert.matches("^gprof%.lua: [^\n]*: does not belong to [^\n]*\n$", failure("--slide=0", built.image, path))
  end)

  -- Writes the profile of an older build of `mixed`, in which most functions were 0x30 bytes lower, and the code was
  -- 0x30 bytes shorter.
  local function of_older_build(symbols, size)
    local records = records_of(symbols, size, 0x8000000)
    records[1].high = records[1].high - 0x30
    for i = 2, #records do
      records[i].from, records[i].self = records[i].from - 0x30, records[i].self - 0x30
    end
    return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records }), records
  end

  it("is not suspected if most functions moved in another build", function()
    local image, symbols, size = mixed("elf64-x86-64", 0x8000000)
    local older, records = of_older_build(symbols, size)
    local text = "^gprof%.lua: warning: [^\n]*: is probably from another build of "
    assert.matches(text, program.run({ "-b", "-q", image, older }).stderr)
    assert.matches("no slide found", failure("--slide=auto", image, older))
    assert.falsy(program.run({ "--verify", image, older }).stdout:find("--slide", 1, true))
    assert.matches("another build", failure("-b", "--compare=" .. older, image, older))
    for _, record in ipairs(records) do  -- now by a whole page, but the size still differs
      for _, field in ipairs { "from", "self", "high" } do
        record[field] = record[field] and record[field] - 0xfd0
      end
    end
    gmon.write(older, gmon.magic { records = records })
    assert.no.matches("addresses corrected", program.run({ "-b", "-q", image, older }).stderr)
  end)

  it("is not suspected if the program cannot be moved", function()
    if not build.supported("cycles", "nopie") then return pending "needs -no-pie" end
    local fixed = build.program("cycles", "nopie")
    assert.matches("^gprof%.lua: [^\n]*: does not belong to ", failure("-b", fixed.image, moved(fixed.gmon, PIE)))
  end)

  it("is not applied by default on weak evidence", function()
    local noisy = moved(built.gmon, PIE, noise(0.3))
    local result = program.run { "-b", "-q", built.image, noisy }
    assert.no.matches("addresses corrected", result.stderr)
  end)

  it("rejects invalid offsets", function()
    for _, word in ipairs { "", "x", "0x", "1.5", "1e3", "0x1g", "--1", "0x10000000000000000", "99999999999999999999",
      "automatic", "+1" } do
      assert.equal(("gprof.lua: option --slide takes an offset of at most 64 bits, such as 4096 or -0x1000, or " ..
        "auto, not '%s'\n"):format(word), failure("--slide=" .. word, built.image, path))
    end
    assert.equal(("gprof.lua: %s: a slide of 0x600000000000 moves address 0x%x out of the address space\n"):format(
      path, gmon.parse(shell.read(path)).records[1].low), failure("--slide=0x600000000000", built.image, path))
  end)

  it("with auto finds a slide for each profile before summing", function()
    local dir = shell.tmpdir()
    local other = moved(built.gmon, 0x7ff6a1230000)
    program.run({ "--sum-file=" .. dir .. "/plain", built.image, built.gmon, built.gmon, built.gmon })
    local result = program.run { "--slide=auto", "--jobs=2", "--sum-file=" .. dir .. "/moved", built.image, path,
      built.gmon, other }
    assert.same({ 0, "" }, { result.status, result.stdout })
    assert.equal(3, select(2, result.stderr:gsub(" 18 of 18 arcs lead to ", "")))
    assert.equal(shell.read(dir .. "/plain"), shell.read(dir .. "/moved"))
  end)

  it("prints the slides of at most three profiles", function()
    local result = program.run { "-b", "--slide=auto", built.image, path, path, path, path, path }
    assert.equal(evidence(path):gsub("^", "gprof.lua: "):rep(3) ..
      "gprof.lua: slides of 2 more profiles were found\n", result.stderr)
  end)

  it("with an offset applies to all profiles", function()
    local dir = shell.tmpdir()
    for _, jobs in ipairs { "1", "2" } do
      local result = program.run { "--slide=" .. PIE, "--jobs=" .. jobs, "--sum-file=" .. dir .. "/moved", built.image,
        path, path }
      assert.same({ 0, "", "" }, { result.status, result.stderr, result.stdout })
      program.run({ "--sum-file=" .. dir .. "/plain", built.image, built.gmon, built.gmon })
      assert.equal(shell.read(dir .. "/plain"), shell.read(dir .. "/moved"))
    end
  end)

  it("is not applied to sums by default", function()
    local dir = shell.tmpdir()
    program.run { "--sum-file=" .. dir .. "/sum", "-p", built.image, path }
    assert.equal(shell.read(path), shell.read(dir .. "/sum"))
  end)

  it("with auto treats a profile whose slide is not found as a bad profile", function()
    local odd = moved(built.gmon, 0, function(profile)
      profile.records = {}
      for i = 1, 20 do
        profile.records[i] = { kind = "arc", from = 0, self = 0x900000 + i * i * 0x101, count = 1 }
      end
    end)
    local message = "gprof.lua: " .. odd .. ": no slide found: none moves three quarters of the 20 callees to " ..
      "function entries\n"
    assert.equal(message, failure("--slide=auto", built.image, odd))
    assert.equal(message, failure("--slide=auto", built.image, path, odd))
    local result = program.run { "-b", "--slide=auto", "--keep-going", built.image, path, odd }
    assert.same({ 1, plain.stdout, message .. "gprof.lua: " .. evidence(path) ..
      "gprof.lua: bad profiles skipped: 1\n" }, { result.status, result.stdout, result.stderr })
  end)

  it("applies to the old profiles of a comparison, too", function()
    local result = program.run { "-b", "--slide=auto", "--compare=" .. moved(built.gmon, 0x7ff6a1230000), built.image,
      path }
    assert.equal(program.run({ "-b", "--compare=" .. built.gmon, built.image, built.gmon }).stdout, result.stdout)
  end)

  it("uses an external symbol table", function()
    local symbols = shell.write(shell.tmpdir() .. "/symbols", shell.check({ "nm", built.image }).stdout)
    local result = program.run { "-b", "--slide=auto", "-S" .. symbols, built.image, path }
    assert.same({ 0, program.run({ "-b", "-S" .. symbols, built.image, built.gmon }).stdout },
      { result.status, result.stdout })
  end)
end)
