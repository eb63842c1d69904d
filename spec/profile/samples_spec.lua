-- Assigning samples: the ticks of a bin go to the functions whose code it covers, in proportion to the overlap.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local shell = require "support.shell"

-- first at 0x1000, second at 0x1010, third at 0x1018, last at 0x1030, end at 0x1040
local image = gprof.image(build.craft {
  address = 0x1000, text = 0x40,
  symbols = { { "first", 0 }, { "second", 0x10 }, { "third", 0x18 }, { "last", 0x30 } },
})

-- Returns data with histograms { low, high, bins [, rate [, dimension [, abbreviation]]] }.
local function data_of(on, ...)
  local records = {}
  for i, h in ipairs { ... } do
    records[i] = { kind = "histogram", low = h[1], high = h[2], bins = h[3], rate = h[4], dimension = h[5],
      abbreviation = h[6] }
  end
  local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
  return assert(gprof.data(on, path))
end

local function profile_of(on, ...)
  return gprof.profile(on, data_of(on, ...))
end

-- Maps the functions with ticks to their ticks, and `total` to the sum of all ticks.
local function ticks_of(profile)
  local ticks = { total = profile.total_ticks }
  for f in profile:functions() do
    ticks[f.name] = f.ticks ~= 0 and f.ticks or nil
  end
  return ticks
end

local function ticks(...)
  return ticks_of(profile_of(image, ...))
end

describe("a bin", function()
  it("inside a function belongs to that function", function()
    -- Each bin covers two bytes.
    local bins = { n = 32, [1] = 1, [8] = 2, [9] = 4, [12] = 8, [13] = 16, [25] = 32, [32] = 64 }
    assert.same({ first = 3, second = 12, third = 16, last = 96, total = 127 }, ticks { 0x1000, 0x1040, bins })
  end)

  it("over several functions is divided in proportion to bytes", function()
    -- Each bin covers 32 bytes: the first one covers 16 bytes of first, 8 of second and 8 of third.
    assert.same({ first = 8, second = 4, third = 4, total = 16 }, ticks { 0x1000, 0x1040, { 16, 0 } })
    assert.same({ third = 48, last = 48, total = 96 }, ticks { 0x1000, 0x1040, { 0, 96 } })
  end)

  it("over the whole text is divided among all functions", function()
    assert.same({ first = 16, second = 8, third = 24, last = 16, total = 64 }, ticks { 0x1000, 0x1040, { 64 } })
  end)

  it("smaller than a unit (two bytes) counts only if it completes the unit", function()
    -- Two bins per unit of two bytes. Positions are rounded down, so every other bin covers nothing. The others cover
    -- the unit, and their ticks count twice.
    local bins = { n = 64, [1] = 1, [2] = 10, [3] = 100, [4] = 1000 }
    assert.same({ first = 2020, total = 1111 }, ticks { 0x1000, 0x1040, bins })
  end)

  it("covers whole units, even if its size is fractional", function()
    -- 32 units in 3 bins: they cover 10, 11 and 11 units, but count as 10 2/3 units each.
    local found = ticks { 0x1000, 0x1040, { 32, 0, 0 } }
    assert.near(24, found.first, 1e-9)  -- 8 of the bin's 10 units
    assert.near(6, found.second, 1e-9)  -- its other 2 units
    assert.is_nil(found.third)
    assert.equal(32, found.total)
  end)
end)

describe("a histogram", function()
  it("may extend past the functions: ticks outside count only in the total", function()
    assert.same({ first = 16, second = 8, third = 24, last = 16, total = 192 }, ticks { 0xfc0, 0x1080, { 64, 64, 64 } })
    assert.same({ total = 5 }, ticks { 0x4000, 0x4100, { n = 128, [7] = 5 } })
  end)

  it("may begin in the middle of a function", function()
    assert.same({ second = 3, third = 20, total = 23 }, ticks { 0x1014, 0x101c, { 1, 2, 4, 16 } })
  end)

  it("may begin and end at odd addresses: half units do not count", function()
    -- 0x1001 is in the unit of 0x1000. 0x0f bytes are 7 units, so the 7 bins are one unit each, all in `first`.
    assert.same({ first = 127, total = 127 }, ticks { 0x1001, 0x1010, { 1, 2, 4, 8, 16, 32, 64 } })
    assert.same({ first = 63, second = 64, total = 127 }, ticks { 0x1005, 0x1013, { 1, 2, 4, 8, 16, 32, 64 } })
  end)

  it("can be one of several", function()
    local low, high = { 0x1000, 0x1010, { 2, 0, 0, 0, 0, 0, 0, 1 } }, { 0x1030, 0x1040, { 0, 0, 0, 0, 0, 0, 8, 4 } }
    local expected = { first = 3, last = 12, total = 15 }
    assert.same(expected, ticks(low, high))
    assert.same(expected, ticks(high, low))
    assert.same({ first = 6, last = 12, total = 18 }, ticks(low, high, low))
  end)

  it("without samples is still a histogram", function()
    local profile = profile_of(image, { 0x1000, 0x1040, { n = 32 } })
    assert.same({ total = 0 }, ticks_of(profile))
    assert.is_true(profile.data.has_histogram)
    assert.equal(0.0, profile.total)
  end)
end)

describe("functions at odd addresses", function()
  it("begin with the unit that contains their first byte", function()
    local odd = gprof.image(build.craft {
      address = 0x1000, text = 0x20, symbols = { { "even", 0 }, { "odd", 7 }, { "next", 9 }, { "same", 0x10 } } })
    local bins = { n = 16, [3] = 1, [4] = 2, [5] = 4, [8] = 8, [9] = 16 }
    assert.same({ even = 1, odd = 2, next = 12, same = 16, total = 31 },
      ticks_of(profile_of(odd, { 0x1000, 0x1020, bins })))
  end)

  it("that share a unit leave it to the second one", function()
    local close = gprof.image(build.craft {
      address = 0x1000, text = 0x20, symbols = { { "before", 0 }, { "short", 8 }, { "after", 9 } } })
    assert.same({ after = 3, total = 3 }, ticks_of(profile_of(close, { 0x1000, 0x1020, { n = 16, [5] = 3 } })))
  end)
end)

describe("the total of selected functions", function()
  -- Checks the ticks if one function is selected: by its name, or by excluding all others. `gnu` is GNU gprof's total.
  local function check(name, expected, gnu, histogram)
    local others = {}
    for _, other in ipairs { "first", "second", "third", "last" } do
      if other ~= name then others[#others + 1] = other end
    end
    local data = data_of(image, histogram)
    for _, options in ipairs { { include = { flat = { name, name } } }, { exclude = { flat = others } },
      { include = { flat = { name } }, exclude = { flat = others } } } do
      local found = ticks_of(gprof.profile(image, data, options))
      assert.near(expected.total, found.total, 1e-9)
      assert.near(expected[name], found[name], 1e-9)
      options.gnu_compat = true
      assert.near(gnu, ticks_of(gprof.profile(image, data, options)).total, 1e-9)
    end
  end

  it("is the sum of their ticks, even if the parts of a bin do not add up to the bin", function()
    -- 32 units in 3 bins: they cover 10, 11 and 11 units, but count as 10 2/3 units each.
    local histogram = { 0x1000, 0x1040, { 32, 3200, 32 } }
    check("first", { first = 24, total = 24 }, 24 - 101 + 2, histogram)
    check("third", { third = 2709, total = 2709 }, 3264 - 24 - 606 - 24, histogram)
    local small = { 0x1000, 0x1040, { n = 64, [1] = 1, [2] = 10, [3] = 100, [4] = 1000, [64] = 5 } }
    check("first", { first = 2020, total = 2020 }, 1116 - 10, small)
    check("last", { last = 10, total = 10 }, 1116 - 2020, small)
  end)

  it("includes the ticks outside all functions", function()
    check("first", { first = 16, total = 144 }, 144, { 0xfc0, 0x1080, { 64, 64, 64 } })
    check("last", { last = 4, total = 12 }, 12, { 0x1020, 0x1060, { 8, 8 } })
  end)
end)

describe("a histogram of the C library", function()
  -- Functions of two bytes, of which each contains one unit of code.
  local LOW <const>, COUNT <const> = 0x1000, 600
  local symbols = {}
  for i = 1, COUNT do symbols[i] = { "f" .. i, 2 * (i - 1) } end
  local units = gprof.image(build.craft { address = LOW, text = 2 * COUNT, symbols = symbols })

  -- Returns the functions in which a sample in function `which` may have been, and its share of each.
  local function shares(size, which)
    local bins, number = gmon.like_library(LOW, LOW + size)
    local bin, expected = number(LOW + 2 * (which - 1)), {}
    for i = 1, size // 2 do
      if number(LOW + 2 * (i - 1)) == bin then expected[#expected + 1] = "f" .. i end
    end
    local found = ticks_of(profile_of(units, { LOW, LOW + size, { n = bins, [bin] = 12 } }))
    return expected, found
  end

  it("has each sample in the code that was sampled", function()
    for _, size in ipairs { 4, 8, 100, 1188, 1192, 1196, 1200 } do
      for which = 1, size // 2, size > 100 and 41 or 1 do
        local expected, found = shares(size, which)
        for _, name in ipairs(expected) do
          assert.equal(12 / #expected, found[name], ("%s of %d bytes"):format(name, size))
        end
      end
    end
  end)

  it("has the samples of an address in the bin of the address", function()
    if not build.supported "labels" then return pending "the loop is for x86-64" end
    local dir = shell.tmpdir "loop"
    shell.write(dir .. "/loop.c", [[
      #include <signal.h>
      #include <stdlib.h>
      #include <sys/time.h>
      __asm__(".text; ret; .space " SPACE "; .p2align 1; loop: jmp loop");
      void loop(void);
      static void end(int number) { exit(number != SIGVTALRM); }
      int main(void) {
        struct itimerval timer = {{0, 0}, {0, 100000}};
        signal(SIGVTALRM, end);
        setitimer(ITIMER_VIRTUAL, &timer, NULL);
        loop();
      }
    ]])
    for space = 2, 16, 2 do
      local define = ('-DSPACE="%d"'):format(space)
      shell.check({ "gcc", "-pg", "-no-pie", define, "-o", "loop", "loop.c" }, { cwd = dir })
      shell.check({ "./loop" }, { cwd = dir })
      local looping <close> = assert(gprof.image(dir .. "/loop"))
      local histogram = assert(gprof.data(looping, dir .. "/gmon.out")):histograms()()
      local _, samples = histogram:bin_at(build.address(dir .. "/loop", "loop"))
      assert.is_true(samples > 0)
    end
  end)

  it("has bins with addresses", function()
    local bins, number = gmon.like_library(LOW, LOW + 1196)
    local histogram = profile_of(units, { LOW, LOW + 1196, { n = bins, [number(LOW + 640)] = 3 } }).data:histograms()()
    for bin, samples, first, past in histogram:bins() do
      assert.same({ number(LOW + 640), 3 }, { bin, samples })
      for address = first, past - 1 do
        assert.equal(bin, number(address))
        assert.same({ bin, 3, first, past }, { histogram:bin_at(address) })
      end
      assert.not_equal(bin, number(first - 1))
      assert.not_equal(bin, number(past))
    end
    assert.is_nil(histogram:bin_at(LOW - 1))
    assert.is_nil(histogram:bin_at(LOW + 1196))
  end)

  it("has bins up to its end, also if their size is a fraction that is rounded down", function()
    local bins = {}
    for bin = 1, 29 do bins[bin] = bin end
    local data <close> = gprof.data.new()
    assert(data:add_histogram { low = 26, high = 88, bins = bins })
    local histogram = data:histograms()()
    for bin, samples, first, past in histogram:bins() do
      for address = first, past - 1 do
        assert.same({ bin, samples, first, past }, { histogram:bin_at(address) })
      end
    end
    assert.same({ 29, 29, 85, 88 }, { histogram:bin_at(87) })
  end)
end)

describe("a profiling function", function()
  for _, name in ipairs { "mcount", "_mcount", "__mcount", "__mcount_internal", "_gprof_mcount", "__mcleanup" } do
    it("such as " .. name .. " is excluded, also from the total", function()
      local with = gprof.image(build.craft {
        address = 0x1000, text = 0x20, symbols = { { "before", 0 }, { name, 0x8 }, { "after", 0x10 } } })
      assert.same({ before = 4, after = 8, total = 12 }, ticks_of(profile_of(with, { 0x1000, 0x1020, { 8, 8 } })))
    end)
  end

  it("is recognized by its whole name only", function()
    local like = gprof.image(build.craft {
      address = 0x1000, text = 0x20, symbols = { { "mcounter", 0 }, { "my_mcount", 0x8 }, { "mcleanup", 0x10 } } })
    assert.same({ mcounter = 4, my_mcount = 4, mcleanup = 8, total = 16 },
      ticks_of(profile_of(like, { 0x1000, 0x1020, { 8, 8 } })))
  end)
end)

describe("a profile with a histogram", function()
  it("has fields for rate, unit and times", function()
    local profile = profile_of(image, { 0x1000, 0x1040, { 30, 10 }, 50, "fortnights", "f" })
    assert.equal(50.0, profile.rate)
    assert.equal("fortnights", profile.unit)
    assert.equal("f", profile.abbreviation)
    assert.equal(0.8, profile.total)
    assert.equal(40.0, profile.total_ticks)
    assert.equal(40.0, profile.graph_ticks)
    assert.equal(0.3, profile:lookup(0x1000).self)
    assert.equal(15.0, profile:lookup(0x1000).ticks)
  end)

  it("has a field for the bytes per bin, which reports round", function()
    for bins, shown in pairs { [32] = 2, [16] = 4, [2] = 32, [1] = 64, [3] = 21, [5] = 13, [64] = 1 } do
      local profile, text = profile_of(image, { 0x1000, 0x1040, { n = bins } }), {}
      assert.equal(64 / bins, profile.bin_size)
      profile:report("graph", { brief = true }, function(piece) text[#text + 1] = piece end)
      assert.truthy(table.concat(text):find(("hit covers %d byte(s) "):format(shown), 1, true))
    end
  end)

  it("may have an empty abbreviation and a unit of fifteen letters", function()
    local profile = profile_of(image, { 0x1000, 0x1040, { 1 }, 1, "instructions xy", "\0" })
    assert.equal("", profile.abbreviation)
    assert.equal("instructions xy", profile.unit)
  end)
end)

describe("a profile without a histogram", function()
  it("has no rate, unit or total", function()
    local path = gmon.write(shell.tmpdir() .. "/gmon.out",
      gmon.magic { records = { { kind = "arc", from = 0x1000, self = 0x1010, count = 2 } } })
    local profile = gprof.profile(image, gprof.data(image, path))
    for _, field in ipairs { "rate", "unit", "abbreviation", "total", "bin_size" } do
      assert.is_nil(profile[field], field)
    end
    assert.equal(0.0, profile.total_ticks)
    assert.equal(0.0, profile:lookup(0x1010).self)
  end)
end)
