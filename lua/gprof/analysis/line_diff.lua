--- Matches the lines of two versions of a text, as many as possible in order.
--
-- @internal gprof.analysis.line_diff
-- SPDX-License-Identifier: GPL-3.0-or-later

local line_diff = {}

-- If more lines differ, only those before the first difference and after the last one are
-- matched.
local MOST_DIFFERENT <const> = 1000

-- Follows equal lines from a place; `x` and `y` count the lines before it.
local function follow(old, new, x, y)
  while x < old.last and y < new.last and old[x + 1] == new[y + 1] do
    x, y = x + 1, y + 1
  end
  return x
end

-- Returns the furthest line of the old text on each diagonal, by the number of
-- differences (Myers: An O(ND) difference algorithm); nil if there are too many.
local function furthest(old, new)
  local reached, steps = { [1] = old.first }, {}
  for count = 0, MOST_DIFFERENT do
    steps[count] = table.move(reached, -count - 1, count + 1, -count - 1, {})
    for diagonal = -count, count, 2 do
      local is_down = diagonal == -count or
        diagonal ~= count and reached[diagonal - 1] < reached[diagonal + 1]
      local x = is_down and reached[diagonal + 1] or reached[diagonal - 1] + 1
      x = follow(old, new, x, x - old.first - diagonal + new.first)
      reached[diagonal] = x
      if x >= old.last and x - old.first - diagonal + new.first >= new.last then
        return steps, count, diagonal
      end
    end
  end
end

-- Adds the matches between the first and the last difference.
local function add_middle(old, new, matches)
  local steps, count, diagonal = furthest(old, new)
  if not steps then return end
  local x = old.last
  for differences = count, 0, -1 do
    local reached = steps[differences]
    local is_down = diagonal == -differences or
      diagonal ~= differences and reached[diagonal - 1] < reached[diagonal + 1]
    local before = is_down and reached[diagonal + 1] or reached[diagonal - 1] or old.first
    local start = differences == 0 and old.first or is_down and before or before + 1
    while x > start do
      matches[x - old.first - diagonal + new.first] = x
      x = x - 1
    end
    x, diagonal = before, is_down and diagonal + 1 or diagonal - 1
  end
end

--- Matches lines.
-- @tparam {string,...} before the lines of the old text
-- @tparam {string,...} after those of the new one
-- @treturn {[integer]=integer} old numbers of lines by new ones; lines that differ are
--   missing
function line_diff.matches(before, after)
  local matches, last_old, last_new = {}, #before, #after
  local old = setmetatable({ last = last_old }, { __index = before })
  local new = setmetatable({ last = last_new }, { __index = after })
  local first = follow(old, new, 0, 0)
  while last_old > first and last_new > first and before[last_old] == after[last_new] do
    matches[last_new] = last_old
    last_old, last_new = last_old - 1, last_new - 1
  end
  for number = 1, first do matches[number] = number end
  old.first, new.first, old.last, new.last = first, first, last_old, last_new
  add_middle(old, new, matches)
  return matches
end

return line_diff
