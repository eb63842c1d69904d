--- Finds rows of line tables: the line and the discriminator of code.
--
-- @internal gprof.analysis.code_rows
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"

local code_rows = {}

-- Sorts ranges, and joins those that overlap.
local function joined(ranges)
  table.sort(ranges, function(a, b) return a.low < b.low end)
  local list = {}
  for _, range in ipairs(ranges) do
    local last = list[#list]
    if last and range.low <= last.high then
      last.high = math.max(last.high, range.high)
    else
      list[#list + 1] = { low = range.low, high = range.high }
    end
  end
  return list
end

-- Returns the position of the first of sorted, disjoint ranges that ends above an
-- address.
local function search(ranges, address)
  return sorted.search(ranges, address + 1, "high")
end

--- Returns the rows of an image that have code in given ranges.
-- @tparam image image
-- @tparam {table,...} ranges of addresses, each with `low`, and `high`, one past the end;
--   sorted by this function
-- @treturn {table,...} rows in address order, disjoint, each with `low`, `high`, `line`
--   and `discriminator`. Code without a line is in no row
function code_rows.of(image, ranges)
  local wanted, rows = joined(ranges), {}
  local low, line, discriminator
  for address, file, next_line, _, next_discriminator in image:lines() do
    if line and low < address then
      local range = wanted[search(wanted, low)]
      if range and range.low < address then
        rows[#rows + 1] = { low = low, high = address, line = line,
          discriminator = discriminator }
      end
    end
    low, line, discriminator = address, file and next_line, next_discriminator
  end
  table.sort(rows, function(a, b) return a.low < b.low end)
  local disjoint = {}
  for _, row in ipairs(rows) do
    local last = disjoint[#disjoint]
    if not last or last.high <= row.low then disjoint[#disjoint + 1] = row end
  end
  return disjoint
end

--- Iterates over the rows that have code in a range.
-- @tparam {table,...} rows as `code_rows.of` returns them
-- @tparam integer low
-- @tparam number high one past the end
-- @treturn function iterator over a row, and the size of its part in the range
function code_rows.within(rows, low, high)
  local at = search(rows, low) - 1
  return function()
    at = at + 1
    local row = rows[at]
    if not row or row.low >= high then return nil end
    return row, math.min(row.high, high) - math.max(row.low, low)
  end
end

return code_rows
