-- Profiles in every format and layout, for several targets.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"

local LOW <const>, SIZE <const> = 0x1000, 0x20

-- Returns records of all kinds: histograms of two ranges, arcs and blocks. Counts are large if `much` is true.
local function records(much)
  local top = much and 0xffffffff or 3
  return {
    { kind = "histogram", low = LOW, high = LOW + 6 * SIZE, bins = { 1, 0, much and 65535 or 2, 0, 9, 0 } },
    { kind = "histogram", low = LOW + 8 * SIZE, high = LOW + 10 * SIZE, bins = { 7, 8 } },
    { kind = "arc", from = LOW + 4, self = LOW + SIZE, count = 1 },
    { kind = "arc", from = LOW + SIZE + 4, self = LOW + 2 * SIZE, count = top },
    { kind = "arc", from = LOW + 2 * SIZE + 4, self = LOW + SIZE, count = 2 },
    { kind = "blocks", { LOW, 7 }, { LOW + 8, top, "a.c", "f", 12 } },
    { kind = "arc", from = LOW + 4, self = LOW + SIZE, count = top },
    { kind = "histogram", low = LOW, high = LOW + 6 * SIZE, bins = { 5, 0, 65535, 0, 0, 1 } },
  }
end

-- Returns histograms of many bins, whose sums need more than two bytes.
local function wide()
  local histogram = { kind = "histogram", low = LOW, high = LOW + 4 * 600, bins = { n = 600 } }
  for i = 1, 290 do histogram.bins[i] = i % 7 == 0 and 65535 or i end
  histogram.bins[600] = 1
  return { histogram, histogram, histogram }
end

-- Returns a profile of a shared library, as the dynamic linker writes it: calls from outside and inside, and uncounted
-- ones.
local function shared(much)
  return { low = LOW, high = LOW + 6 * SIZE, bins = { 1, 0, much and 65535 or 2, 0, 9, 0 }, room = much and 60 or 0,
    arcs = { { 0, SIZE, 3 }, { SIZE + 4, 2 * SIZE, much and 0xffffffff or 1 } }, claimed = much and 1000 or 2 }
end

--- Makes profiles of one layout.
-- @tparam table shape `pointer` and `big`
-- @treturn {string,...}
return function(shape)
  local function like(profile)
    profile.pointer, profile.big = shape.pointer, shape.big
    return profile
  end
  local bsd = { low = LOW, high = LOW + 3 * SIZE, bins = { 1, 2, 3 },
    arcs = { { LOW, LOW + SIZE, 4 }, { 0, LOW, 1 }, { LOW, LOW + SIZE, 1 } } }
  return {
    gmon.magic(like { records = records(false) }), gmon.magic(like { records = records(true) }),
    gmon.magic(like { records = { records(true)[6], records(false)[4] }, version = 0 }),
    gmon.magic(like { records = {} }), gmon.bsd(like(bsd)), gmon.bsd44(like(bsd)),
    gmon.magic(like { records = wide() }), gmon.shared(like(shared(false))), gmon.shared(like(shared(true))),
    gmon.magic(like { records = records(false), spare = (shape.big and ">I4I8" or "<I4I8"):pack(0x1ffff, 7) }),
    gmon.mon(like { low = LOW, high = LOW + 3 * SIZE, bins = { 1, 2, 3 },
      counters = { { LOW + 4, 7 }, { 0, 0 }, { LOW + SIZE, 1 } } }),
  }
end
