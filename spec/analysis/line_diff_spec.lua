-- Lines of two versions of a text.
-- SPDX-License-Identifier: GPL-3.0-or-later

local line_diff = require "gprof.analysis.line_diff"

-- Returns the characters of a text as lines.
local function split(text)
  local lines = {}
  for character in text:gmatch "." do lines[#lines + 1] = character end
  return lines
end

-- Returns the new text with old numbers of lines: "1 2 + 3".
local function matched(before, after)
  local matches, words = line_diff.matches(split(before), split(after)), {}
  for i = 1, #after do words[i] = matches[i] or "+" end
  return table.concat(words, " ")
end

-- Returns the length of the longest common subsequence, by the quadratic algorithm.
local function longest(before, after)
  local row = {}
  for j = 0, #after do row[j] = 0 end
  for i = 1, #before do
    local diagonal = 0
    for j = 1, #after do
      local above = row[j]
      row[j] = before[i] == after[j] and diagonal + 1 or math.max(above, row[j - 1])
      diagonal = above
    end
  end
  return row[#after]
end

describe("Lines of two versions of a text", function()
  it("are matched, whatever was added, removed or changed", function()
    assert.equal("1 2 3", matched("abc", "abc"))
    assert.equal("1 + 2 3", matched("abc", "axbc"))
    assert.equal("1 3", matched("abc", "ac"))
    assert.equal("1 + 3", matched("abc", "axc"))
    assert.equal("+ + +", matched("abc", "xyz"))
    assert.equal("+ 1 2 3", matched("abc", "xabc"))
    assert.equal("1 2 3 +", matched("abc", "abcx"))
    assert.equal("", matched("abc", ""))
    assert.equal("+ +", matched("", "ab"))
  end)

  it("are as many as possible, and in order", function()
    local seed = 1
    local function below(n)
      seed = (seed * 1103515245 + 12345) & 0x7fffffff
      return (seed >> 8) % n
    end
    for _ = 1, 300 do
      local before, after = {}, {}
      for i = 1, below(14) do before[i] = ("abcd"):sub(1 + below(4)):sub(1, 1) end
      for i = 1, below(14) do after[i] = ("abcd"):sub(1 + below(4)):sub(1, 1) end
      local matches, count, last = line_diff.matches(before, after), 0, 0
      for i = 1, #after do
        local old = matches[i]
        if old then
          assert.equal(before[old], after[i])
          assert.is_true(old > last)
          count, last = count + 1, old
        end
      end
      assert.equal(longest(before, after), count, table.concat(before) .. " " .. table.concat(after))
    end
  end)

  it("are those before and after the differences if very many differ", function()
    local before, after = { "first" }, { "first" }
    for i = 1, 3000 do before[i + 1], after[i + 1] = "old" .. i, "new" .. i end
    before[3002], after[3002] = "last", "last"
    assert.same({ [1] = 1, [3002] = 3002 }, line_diff.matches(before, after))
  end)
end)
