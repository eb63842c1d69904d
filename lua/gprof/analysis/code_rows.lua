--- Finds rows of line tables: the line and the discriminator of code.
--
-- @internal gprof.analysis.code_rows
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"

local code_rows = {}

-- Sorts ranges, and joins those that overlap.
local function joined(ranges)
  local highs, list = {}, {}
  for _, range in ipairs(ranges) do
    local high = highs[range.low]
    if not high or high < range.high then highs[range.low] = range.high end
  end
  for _, low in ipairs(sorted.keys(highs)) do
    local last, high = list[#list], highs[low]
    if last and low <= last.high then
      last.high = math.max(last.high, high)
    else
      list[#list + 1] = { low = low, high = high }
    end
  end
  return list
end

-- Returns a function that returns the position of the first of sorted, disjoint ranges
-- that ends above an address. Most addresses are a little above the one before, so it
-- tries a few ranges before it searches.
local STEPS <const> = 4
local function finder(ranges)
  local at = 1
  return function(address)
    if at == 1 or ranges[at - 1].high <= address then
      for _ = 1, STEPS do
        if not ranges[at] or ranges[at].high > address then return at end
        at = at + 1
      end
    end
    at = sorted.search(ranges, address + 1, "high")
    return at
  end
end

--- Returns the rows of an image that have code in given ranges.
-- @tparam image image
-- @tparam {table,...} ranges of addresses, each with `low`, and `high`, one past the end
-- @treturn {table,...} rows in address order, disjoint, each with `low`, `high`, `line`
--   and `discriminator`. Code without a line is in no row
function code_rows.of(image, ranges)
  local wanted, rows = joined(ranges), {}
  local find = finder(wanted)
  local low, line, discriminator
  for address, file, next_line, _, next_discriminator in image:lines() do
    if line and low < address then
      local range = wanted[find(low)]
      if range and range.low < address then
        rows[#rows + 1] = { low = low, high = address, line = line,
          discriminator = discriminator }
      end
    end
    low, line, discriminator = address, file and next_line, next_discriminator
  end
  local disjoint = {}
  for _, row in ipairs(sorted.by(rows, "low")) do
    local last = disjoint[#disjoint]
    if not last or last.high <= row.low then disjoint[#disjoint + 1] = row end
  end
  return disjoint
end

--- Finds the rows that have code in a range.
-- @tparam {table,...} rows sorted and disjoint, as `code_rows.of` returns them; gets the
--   field `find`
-- @tparam integer low
-- @tparam number high one past the end
-- @treturn integer the position of the first one
-- @treturn integer that of the last one; less if there are none
function code_rows.span(rows, low, high)
  rows.find = rows.find or finder(rows)
  local first = rows.find(low)
  local last = first
  while rows[last] and rows[last].low < high do last = last + 1 end
  return first, last - 1
end

return code_rows
