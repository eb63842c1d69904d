-- With --gnu-compat, reports equal GNU gprof's byte for byte, for any program, profile and options.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local oracle = require "support.oracle"
local parity = require "support.parity"
local shell = require "support.shell"

if not parity.possible(pending) then return end

local check <const> = parity.check

-- Programs ----------------------------------------------------------------------------------

-- Options given before the operands.
local option_lists <const> = {
  {}, { "-p" }, { "-q" }, { "-z" }, { "-a" }, { "-w", "132" }, { "-L", "--inline-file-names" }, { "--no-demangle" },
  { "-D" }, { "-z", "-a", "-D" }, { "-p", "-P" }, { "-P", "-p" }, { "-P" }, { "-Q" }, { "-B" }, { "-q", "-P" },
  { "--no-d", "--dis" }, { "--fl", "--wid", "20" }, { "--width=40" }, { "--demangle=none" }, { "-zaLw132" },
  { "-T" }, { "-T", "-p" }, { "-T", "-Q", "-z" }, { "-T", "-q", "-p", "-w", "40" }, { "-i" }, { "-q", "-i" },
  { "-i", "-T", "-p" }, { "-i", "-P", "-Q" }, { "--trad", "--file-i", "--graph" },
}

-- Command lines with operands; words in capitals stand for files.
local command_lines <const> = {
  "IMAGE", "IMAGE -z GMON -p", "-q -- IMAGE GMON", "@OPTIONS IMAGE GMON", "IMAGE -", "IMAGE GMON GMON GMON GMON GMON",
}

-- Splits a profile into five: each has some bins of the histogram and a third of the arcs.
local function shares(built, dir)
  local whole = gmon.parse(shell.read(built.gmon))
  local paths = {}
  for share = 1, 5 do
    local records = {}
    for i, record in ipairs(whole.records) do
      if record.kind == "histogram" then
        local bins = { n = record.bins.n }
        for bin = share, bins.n, 4 do
          bins[bin] = record.bins[bin]
        end
        records[#records + 1] = setmetatable({ bins = bins }, { __index = record })
      elseif i % 3 == share % 3 then
        records[#records + 1] = record
      end
    end
    paths[share] = gmon.write(dir .. "/gmon." .. share, gmon.magic { records = records })
  end
  return paths
end

-- Compares some of the option lists, which differ for programs that follow each other; `make check-all` compares all.
local function check_program(name, variant)
  local built = build.program(name, variant)
  if not built.gmon then
    assert.equal("mute", name)  -- the only program without a profile
    return
  end
  local dir, options = shell.tmpdir(), { cwd = built.dir, stdin = built.gmon }
  for _, list in ipairs(chance.some(option_lists, 10)) do
    local arguments = { "-b", table.unpack(list) }
    table.move({ name, "gmon.out" }, 1, 2, #arguments + 1, arguments)
    check(arguments, options)
  end
  -- Files of options (@FILE) have their own quoting.
  local file = shell.write(dir .. "/options", "-z  '-w' \"10\\0\"\n--no-demangle")
  for _, line in ipairs(chance.some(command_lines, 3)) do
    local arguments = { "-b" }
    for word in line:gsub("%u%u+", { IMAGE = name, GMON = "gmon.out", OPTIONS = file }):gmatch "%S+" do
      arguments[#arguments + 1] = word
    end
    check(arguments, options)
  end
  check({ "-b", name, table.unpack(shares(built, dir)) }, options)
end

describe("with --gnu-compat, reports equal GNU gprof's", function()
  local it <const> = chance.one_in(2, it)
  for name, variant in build.each(pending) do
    it(("for %s %s"):format(name, variant), function() check_program(name, variant) end)
  end
end)

-- Random cases ------------------------------------------------------------------------------

local random <const>, pick <const> = math.random, chance.pick
local repeatedly <const> = chance.cases(20240229, 250)

local mixed <const> = {
  "-p", "-q", "-z", "-z", "-a", "-a", "-w132", "-w20", "-w3", "-L", "--inline-file-names", "--no-demangle", "-D",
  "-P", "-Q", "-B", "--demangle", "--demangle=none", "-T", "-T", "-i",
}

-- Returns a few random options. -z is left out for empty profiles, where it would ask for execution counts, which
-- another spec compares.
local function some_options(empty)
  local arguments = { "-b" }
  for _ = 1, random(0, 4) do
    local option = pick(mixed)
    if not (empty and option == "-z") then
      table.insert(arguments, option)
    end
  end
  return arguments
end

-- Returns a command line for random profiles: one profile, sometimes twice, or two that may be incompatible.
local function some_command(subject, dir)
  local bytes, empty = chance.profile(subject)
  local files = { gmon.write(dir .. "/gmon.out", bytes) }
  if random(4) == 1 then
    files[2] = files[1]
  elseif random(8) == 1 then
    local more, also_empty = chance.profile(subject)
    files[2], empty = gmon.write(dir .. "/gmon.2", more), empty and also_empty
  end
  local arguments = some_options(empty)
  return table.move({ subject.image, table.unpack(files) }, 1, 3, #arguments + 1, arguments)
end

describe("with --gnu-compat, reports equal GNU gprof's in random cases", function()
  local subjects = {}
  local variants <const> = {
    { "calls" }, { "calls", "O2" }, { "calls", "static" }, { "cycles" }, { "twins" }, { "aliases" }, { "labels" },
    { "shapes", "O2" }, { "waves" }, { "crowd" }, { "clones" }, { "clones", "O3" }, { "clones", "O0" },
  }

  -- Picks a program.
  local function some_program()
    local key = pick(variants)
    if not build.supported(key[1], key[2]) then
      key = variants[1]
    end
    subjects[key] = subjects[key] or chance.subject(build.program(key[1], key[2]).image)
    return subjects[key]
  end

  it("for programs with random profiles", function()
    local dir = shell.tmpdir()
    repeatedly(function(note)
      check(some_command(some_program(), dir), nil, note)
    end)
  end)

  it("for random images with random profiles", function()
    local dir = shell.tmpdir()
    repeatedly(function(note)
      check(some_command(chance.image(), dir), nil, note)
    end)
  end)
end)

-- Formats ---------------------------------------------------------------------------------

local shapes <const> = gmon.shapes()

-- File formats, each with the values of --file-format to try, right and wrong ones. Reading the current format as old
-- BSD is left out: GNU gprof accepts any bytes as a header, and allocates the size that they give.
local readings <const> = {
  magic = { "-Oauto", "-Omagic", "-O m" },
  bsd = { "-Oauto", "-Obsd", "--file-format=b", "-Omagic", "-O4.4bsd", "-Opolyglot", "-Oxyz" },
  ["4.4bsd"] = { "--file-form=auto", "-O4.4bsd", "-O 4", "-Obsd", "-Omagic" },
}

local function some_functions(shape)
  local symbols = { { "last", 0x600 } }
  for i = 0, 11 do
    symbols[i + 2] = { "f" .. i, 128 * i }
  end
  return chance.subject(build.craft { target = shape.target, text = 0x800, symbols = symbols }, shape)
end

describe("with --gnu-compat, reports equal GNU gprof's in every format", function()
  for _, shape in ipairs(shapes) do
    it("for " .. shape.target, function()
      local subject, file = some_functions(shape), shell.tmpdir() .. "/gmon.out"
      local profile = { pointer = shape.pointer, big = shape.big, records = {
        { kind = "histogram", low = 0x1000, high = 0x1600, rate = 60,
          bins = { n = 0x300, [1] = 5, [77] = 65535, [250] = 40, [700] = 1 } },
        { kind = "arc", from = 0x1010, self = 0x1100, count = 30 },
        { kind = "arc", from = 0x1110, self = 0x1500, count = 4 },
        { kind = "arc", from = 0x1510, self = 0x1500, count = 2 },
        { kind = "arc", from = 0x1520, self = 0x1400, count = 1 },
      } }
      for format, said in pairs(readings) do
        gmon.write(file, chance.encode(profile, format))
        for _, option in ipairs(said) do
          check { "-b", option, subject.image, file }
        end
      end
    end)

    for _, format in ipairs { "magic", "bsd", "4.4bsd" } do
      it(("for %s, random files in format %s"):format(shape.target, format), function()
        local subject, file = some_functions(shape), shell.tmpdir() .. "/gmon.out"
        repeatedly(function(note)
          local bytes = chance.profile(subject, format)
          if #bytes < 24 then return end -- GNU gprof refuses shorter files; our program needs only the header
          gmon.write(file, bytes)
          local arguments = some_options()
          check(table.move({ subject.image, file, file }, 1, random(2, 3), #arguments + 1, arguments), nil, note)
        end, 20)
      end)
    end
  end
end)

-- Corner cases -----------------------------------------------------------------------------------

-- Compares reports on the sums of any two files, in both orders.
local function check_sums(image, files, ...)
  for _, one in ipairs(files) do
    for _, other in ipairs(files) do check { "-b", image, one, other, ... } end
  end
end

describe("with --gnu-compat, reports equal GNU gprof's in corner cases", function()
  local function flat_profile(image, records)
    local file = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
    local arguments = { "-b", "-p", "-z", image, file }
    check(arguments)
    return oracle.run(arguments).stdout
  end

  -- After "f.12", GNU gprof continues into the next name in the string table.
  for _, case in ipairs {
    { "f.12", "plain", true }, { "f.12", "dollar$", false }, { "f.12", "g.isra.0", false }, { "f.12", "g.3", true },
    { "f.12.13", "g.3x", false }, { "f.clone.1", "g.clone.2", true }, { "f.constprop.0", "g.part.0", false },
    { "f.constprop.0", "plain", true }, { "f.isra.0", "plain", false }, { "f.", "plain", true },
    { "f", "g.isra.0", true },
  } do
    local name, following, listed = table.unpack(case)
    it(("for a clone's name and the next one: %s, %s"):format(name, following), function()
      local image = build.craft { text = 0x100, symbols = {
        { name, 0x10, "local" }, { following, 0x20, "local" }, { "first", 0 }, { "last", 0x30 } } }
      local report = flat_profile(image, { { kind = "histogram", low = 0x1000, high = 0x1030, bins = { n = 24 } } })
      assert.equal(listed, report:find(" " .. name .. "\n", 1, true) ~= nil)
    end)
  end

  for _, last in ipairs { 0x30, 0x3f, 0x40 } do
    it(("for calls to the last bytes of the code and beyond: last symbol at %#x"):format(last), function()
      local image = build.craft { text = 0x40, symbols = { { "first", 0 }, { "middle", 0x20 }, { "last", last } } }
      for _, address in ipairs { 0x1030, 0x103e, 0x103f, 0x1040, 0x1041 } do
        flat_profile(image, {
          { kind = "histogram", low = 0x1000, high = 0x1020, bins = { n = 16 } },
          { kind = "arc", from = 0x1001, self = address, count = 7 },
          { kind = "arc", from = 0x1001, self = 0x1020, count = 1 },
        })
      end
    end)
  end

  -- The prefix of the unit is chosen in floating point, where a billionth of a second is slightly less than 1e-9.
  for _, calls in ipairs { 1, 10, 1000, 1001, 1000000, 999999, 1000000000, 3000000000 } do
    it(("for a time per call at the limit of a unit: %d calls"):format(calls), function()
      local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "last", 0x80 } } }
      for _, ticks in ipairs { 100, 300 } do
        flat_profile(image, {
          { kind = "histogram", low = 0x1000, high = 0x1080, bins = { n = 64, [9] = ticks } },
          { kind = "arc", from = 0x1080, self = 0x1000, count = calls },
        })
      end
    end)
  end

  -- In exact arithmetic, the third decimal is a 5: the rounding depends on the order of operations.
  it("for times per call halfway between two decimals", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "last", 0x80 } } }
    for _, ticks in ipairs { 21, 27, 57, 69, 111, 117, 165, 201 } do
      flat_profile(image, {
        { kind = "histogram", low = 0x1000, high = 0x1080, bins = { n = 64, [9] = ticks } },
        { kind = "arc", from = 0x1080, self = 0x1000, count = 48 },
      })
    end
  end)

  -- Three fifths of a tick are 3 * 1 / 5 for one function and 1 * 3 / 5 for the other; 3 * (1 / 5) is slightly more.
  -- Functions with equal times are sorted by their calls.
  it("for times that are equal in only one order of operations", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "some", 4 }, { "whole", 10 },
      { "little", 28 }, { "other", 30 }, { "last", 64 } } }
    local function arc(callee, count)
      return { kind = "arc", from = 0x1040, self = 0x1000 + callee, count = count }
    end
    for some = 1, 3 do
      for little = 1, 3 do
        local histogram = { kind = "histogram", low = 0x1000, high = 0x1028, bins = { n = 4, some, 0, 3 * little } }
        flat_profile(image, { histogram, arc(4, 1), arc(28, 2) })
      end
    end
  end)

  -- The arcs have a count of 0. Under -z, the cycle has an entry, with 0 calls.
  it("for cycles without calls", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "second", 0x20 }, { "last", 0x80 } } }
    local histogram = { kind = "histogram", low = 0x1000, high = 0x1080, bins = { n = 64, [9] = 7 } }
    for ticks = 0, 1 do
      local file = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
        { kind = "arc", from = 0x1004, self = 0x1020, count = 0 },
        { kind = "arc", from = 0x1024, self = 0x1000, count = 0 },
        ticks > 0 and histogram or nil,
      } })
      for words in ("-b; -z; -T -z; -nlast -z; -nfirst -z; -Esecond -z"):gmatch "[^;]+" do
        local arguments = { "-b", image, file }
        for word in words:gmatch "%S+" do table.insert(arguments, word) end
        check(arguments)
      end
    end
  end)

  -- A cycle's share of its time is slightly less than 1, since it is a sum of fractions. In exact arithmetic, the
  -- percentages are 31.25 and 68.75; how they are rounded depends on the order in which the times are added.
  it("for a total that depends on the order of additions", function()
    local names <const> = { "root", "low_member", "high_member", "caller1", "caller2", "caller3", "other", "last" }
    local symbols = {}
    for i, name in ipairs(names) do symbols[i] = { name, 0x20 * (i - 1) } end
    local image = build.craft { text = 0x100, symbols = symbols }
    local function arc(caller, callee, count)
      return { kind = "arc", from = 0x1004 + 0x20 * (caller - 1), self = 0x1000 + 0x20 * (callee - 1), count = count }
    end
    for _, calls in ipairs { { 1, 4, 1 }, { 1, 6, 2 }, { 2, 3, 1 }, { 2, 7, 1 } } do
      local file = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
        { kind = "histogram", low = 0x1000, high = 0x10e0, bins = { n = 7, [2] = 150, [3] = 70, [7] = 100 } },
        arc(2, 3, 5), arc(3, 2, 5), arc(4, 2, calls[1]), arc(5, 2, calls[2]), arc(6, 3, calls[3]) } })
      check { "-b", "-q", image, file }
    end
  end)

  -- GNU gprof adds up histograms of different rates if the files are in its own format, but not if they are in the
  -- 4.4BSD format.
  it("for files of different rates", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "second", 0x20 }, { "last", 0x80 } } }
    local dir, files = shell.tmpdir(), {}
    for _, format in ipairs { "magic", "bsd", "4.4bsd" } do
      for _, rate in ipairs { 50, 100, 0 } do
        if rate > 0 or format == "4.4bsd" then  -- GNU gprof divides by a rate of 0
          files[#files + 1] = gmon.write(("%s/%s-%d"):format(dir, format, rate), chance.encode({ records = {
            { kind = "histogram", low = 0x1000, high = 0x1080, rate = rate, bins = { n = 64, [9] = 7 } },
            { kind = "arc", from = 0x1004, self = 0x1020, count = 3 },
          } }, format))
        end
      end
    end
    check_sums(image, files)
  end)

  -- GNU gprof refuses files of different units, also without samples.
  it("for files of different units", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "second", 0x20 }, { "last", 0x80 } } }
    local dir, files = shell.tmpdir(), {}
    for _, unit in ipairs { "seconds", "events" } do
      for _, ticks in ipairs { 0, 7 } do
        files[#files + 1] = gmon.write(("%s/%s-%d"):format(dir, unit, ticks), gmon.magic { records = {
          { kind = "histogram", low = 0x1000, high = 0x1080, dimension = unit, abbreviation = unit:sub(1, 1),
            bins = { n = 64, [9] = ticks } },
          { kind = "arc", from = 0x1004, self = 0x1020, count = 3 },
        } })
      end
    end
    check_sums(image, files)
  end)

  -- GNU gprof refuses a BSD file whose address range differs from the first histogram's range.
  it("for files of different ranges", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "second", 0x40 }, { "last", 0x80 } } }
    local dir, files = shell.tmpdir(), {}
    local function add(format, ...)
      local records = {}
      for _, low in ipairs { ... } do
        local bins = { n = 32, [9] = 7 }
        records[#records + 1] = { kind = "histogram", low = low, high = low + 0x40, rate = 100, bins = bins }
      end
      local path = ("%s/%d"):format(dir, #files)
      files[#files + 1] = gmon.write(path, chance.encode({ records = records }, format))
    end
    for _, format in ipairs { "magic", "bsd", "4.4bsd" } do
      add(format, 0x1000)
      add(format, 0x1040)
    end
    add("magic", 0x1000, 0x1040)
    add("magic", 0x1040, 0x1000)
    check_sums(image, files, "-p")
  end)

  -- GNU gprof takes the first unit, compares it with later ones even if there are no samples, and ignores that of BSD
  -- files, which is always seconds.
  it("for files of different units, with and without samples", function()
    local image = build.craft { text = 0x100, symbols = { { "first", 0 }, { "second", 0x40 }, { "last", 0x80 } } }
    local dir, files = shell.tmpdir(), {}
    for _, format in ipairs { "magic", "bsd", "4.4bsd" } do
      for _, unit in ipairs { { "seconds", "s" }, { "misses", "1" }, { "seconds", "x" } } do
        for samples = 0, 1 do
          local histogram = { kind = "histogram", low = 0x1000, high = 0x1080, rate = 100,
            dimension = unit[1], abbreviation = unit[2], bins = { n = 32, [9] = samples } }
          if format == "magic" or unit[2] == "s" then
            files[#files + 1] = gmon.write(("%s/%d"):format(dir, #files),
              chance.encode({ records = { histogram } }, format))
          end
        end
      end
    end
    for i, one in ipairs(files) do
      for j, other in ipairs(files) do check { "-b", "-p", image, one, other, files[(i + 3 * j) % #files + 1] } end
    end
  end)

  it("for the last of the symbols, if several have one address", function()
    local dir, samples = shell.tmpdir(), { n = 40 }
    for bin = 1, samples.n do samples[bin] = bin end
    local file = gmon.write(dir .. "/gmon.out", gmon.magic { records = {
      { kind = "histogram", low = 0x1000, high = 0x1050, bins = samples },
      { kind = "arc", from = 0x1004, self = 0x1040, count = 3 } } })
    local function image(...)
      return build.craft { text = 0x50, symbols = { { "first", 0 }, { "mid", 0x20 }, { "last", 0x40 }, ... } }
    end
    local plain = image()
    for name, at in pairs { also_first = 0, also_mid = 0x20, also_last = 0x40 } do
      local list = shell.write(dir .. "/nm", ("%x T first\n%x T mid\n%x T last\n%x T %s\n"):format(0x1000, 0x1020,
        0x1040, 0x1000 + at, name))
      for _, option in ipairs { "-p", "-q", "-Cz", "-a" } do
        check { "-b", option, image({ name, at }), file }
        check { "-b", option, "-S", list, plain, file }
      end
      check { "-b", image({ name, at, "local,function" }), file }
    end
  end)

  -- Both programs read numbers as C's atoi() does: 4294967300 is 4, 2147483648 is negative. (Wide indexes are too large
  -- to compare.)
  it("for numbers beyond 32 bits, and words that are not numbers", function()
    local built = build.program "calls"
    local blocks = { kind = "blocks" }
    for i, address in ipairs(chance.subject(built.image).functions) do
      blocks[2 * i - 1], blocks[2 * i] = { address, i }, { address + 12, (1 << 31) + i }
    end
    local record = gmon.magic { records = { blocks } }
    local file = gmon.write(shell.tmpdir() .. "/gmon.out", shell.read(built.gmon) .. record:sub(21))
    for _, word in ipairs { "-1", "2147483647", "2147483648", "4294967295", "4294967296", "4294967300", "-4294967290",
      "-2147483649", "9223372036854775807", "99999999999999999999", "-99999999999999999999", "-9223372036854775800",
      "+4294967300", " 4294967300x", "\v7", "0x10", "", "--5", "+-5" } do
      check { "-b", "-l", "-A", "-m", word, built.image, file }
      check { "-b", "-l", "-A", "-t", word, built.image, file }
      if word ~= "2147483647" and word:find "^[%s+]*4" or word:find "^%-" then
        check { "-b", "-q", "-w", word == "-2147483649" and "-1" or word, built.image, built.gmon }
      end
    end
  end)
end)
