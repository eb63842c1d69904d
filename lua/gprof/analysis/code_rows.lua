--- Finds rows of line tables: the line and the discriminator of code.
--
-- Ranges of addresses and rows are columns: `low`, and `high`, one past the end.
--
-- @internal gprof.analysis.code_rows
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local sorted = require "gprof.format.sorted"

local code_rows = {}

-- Sorts ranges, and joins those that overlap.
local function joined(ranges)
  local sorted_ranges, low, high, n = column_order.sort(ranges, "low"), {}, {}, 0
  for i, from in ipairs(sorted_ranges.low) do
    local to = sorted_ranges.high[i]
    if n == 0 or from > high[n] then
      n = n + 1
      low[n], high[n] = from, to
    elseif to > high[n] then
      high[n] = to
    end
  end
  return { low = low, high = high }
end

-- Returns a function that returns the position of the first of sorted, disjoint ranges
-- that ends above an address. Most addresses are a little above the one before, so it
-- searches from there in growing steps.
local function finder(ranges)
  local at, highs, count = 1, ranges.high, #ranges.high
  return function(address)
    if at > 1 and highs[at - 1] > address then at = 1 end
    local low, high, step = at, at, 1
    while high <= count and highs[high] <= address do
      low, high, step = high + 1, high + step, 2 * step
    end
    if low < high then
      low = sorted.search(highs, address + 1, low, math.min(high, count + 1))
    end
    at = low
    return at
  end
end

-- Returns the number of rows before the first one that begins in the row before.
local function count_disjoint(rows)
  local low, high = rows.low, rows.high
  for i = 2, #low do
    if low[i] < high[i - 1] then return i - 1 end
  end
  return #low
end

-- Leaves out rows that begin in the row before.
local function disjoint(rows)
  local n, low, high, line, discriminator = count_disjoint(rows), rows.low, rows.high,
    rows.line, rows.discriminator
  for i = n + 1, #low do
    if high[n] <= low[i] then
      n = n + 1
      low[n], high[n], line[n], discriminator[n] =
        low[i], high[i], line[i], discriminator[i]
    end
  end
  for _, column in pairs { low, high, line, discriminator } do
    for i = #column, n + 1, -1 do column[i] = nil end
  end
  return rows
end

--- Returns the rows of an image that have code in given ranges.
-- @tparam image image
-- @tparam table ranges
-- @treturn table rows in address order, disjoint, also with the columns `line` and
--   `discriminator`. Code without a line is in no row
function code_rows.of(image, ranges)
  local wanted, n = joined(ranges), 0
  local find, lows, highs = finder(wanted), wanted.low, wanted.high
  local rows = { low = {}, high = {}, line = {}, discriminator = {} }
  local low_of, high_of, line_of, discriminator_of = rows.low, rows.high, rows.line,
    rows.discriminator
  local low, line, discriminator
  -- The code from `first` on, up to `past`, is in the range that begins at `range`, or
  -- before it.
  local range, first, past = nil, 0, 0
  for address, file, next_line, _, next_discriminator in image:lines() do
    if line and low < address then
      if low < first or low >= past then
        local at = find(low)
        first, past = highs[at - 1] or math.mininteger, highs[at] or math.maxinteger
        range = lows[at]
      end
      if range and range < address then
        n = n + 1
        low_of[n], high_of[n], line_of[n], discriminator_of[n] =
          low, address, line, discriminator
      end
    end
    low, line, discriminator = address, file and next_line, next_discriminator
  end
  return disjoint(column_order.sort(rows, "low"))
end

--- Finds the rows that have code in a range.
-- @tparam table rows sorted and disjoint, as `code_rows.of` returns them; gets the field
--   `find`
-- @tparam integer low
-- @tparam number high one past the end
-- @treturn integer the position of the first one
-- @treturn integer that of the last one; less if there are none
function code_rows.span(rows, low, high)
  rows.find = rows.find or finder(rows)
  local first, lows = rows.find(low), rows.low
  local last = first
  while lows[last] and lows[last] < high do last = last + 1 end
  return first, last - 1
end

return code_rows
