-- --html: the source in a page: instructions of lines.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local gprof = require "gprof"
local pages = require "support.pages"
local small = require "support.small"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local hash <const> = "#!source"

describe("The instructions of a line in a page", function()
  local made = small.build()
  local line6 = made.rows["small.c"][6][1]
  local image <close> = assert(gprof.image(made.image))
  local loop = image:find "loop"
  local code = image:instructions(loop.address, loop.address + loop.size)

  -- The first instruction of line 6, and the one after the next, which begin in bins of their own.
  local first, third
  for i, each in ipairs(code) do
    if each.address == line6 then first, third = each, code[i + 2] end
  end
  local path = select(2, pages.write(made.image, small.profile(made,
    { ticks = { [small.even(first.address)] = 5, [small.even(third.address)] = 20 } })))

  local rows <const> = "[...document.querySelectorAll('tr.code')].map((e) => [e.cells[1].textContent, " ..
    "e.cells[e.cells.length - 1].textContent.trim()])"
  local state <const> = "document.querySelector('.fold').ariaExpanded"

  it("are shown by a button, with their times", function()
    local found = browser.walk(path, { "open", hash }, "document.querySelectorAll('.fold').length",
      "document.querySelector('.fold').getAttribute('aria-label')", rows, state, { "click", ".fold" }, rows, state,
      "document.querySelector('tr.code').previousElementSibling.dataset.line", { "click", ".fold" }, rows, state)
    assert.same({ 1, "Instructions of line 6", {}, "false" }, table.move(found, 1, 4, 1, {}))
    local shown, sum = found[5], 0
    for _, row in ipairs(shown) do sum = sum + (tonumber(row[1]) or 0) end
    assert.near(0.25, sum, 1e-9)
    assert.equal(("%x  %s"):format(first.address, first.text), shown[1][2])
    assert.same({ "true", "6", {}, "false" }, table.move(found, 6, 9, 1, {}))
  end)

  it("are shown by a key, too", function()
    local found = browser.walk(path, { "open", hash }, { "key", "x" }, state, { "key", "x" }, state,
      { "open", "" }, { "key", "x" }, "document.querySelectorAll('tr.code').length")
    assert.same({ "true", "false", 0 }, found)
  end)

  -- Returns the time of the instruction that has a sample in the bin at an address.
  local function owner_of(address)
    local found
    for _, each in ipairs(code) do
      if each.address <= address + 1 then found = each end
    end
    return found.address - line6
  end

  it("have the names of functions, and the times of the bins in which they begin", function()
    local ticks = { [small.even(first.address)] = 5, [small.even(third.address)] = 20 }
    local data = pages.parts((pages.write(made.image, small.profile(made, { ticks = ticks })))).data
    assert.equal(1, #data.sources)
    assert.equal(1, #data.sources[1].code)
    local place, address, steps, times, texts = table.unpack(data.sources[1].code[1])
    assert.same({ 5, ("%x"):format(line6) }, { place, address })
    local expected, found = {}, {}
    for at, count in pairs(ticks) do expected[owner_of(at)] = count / 100 end
    for i, time in ipairs(times) do found[steps[i]] = time > 0 and time or nil end
    assert.same(expected, found)
    assert.truthy(table.concat(texts, "\n"):find("call   <leaf>", 1, true))
  end)

  it("are at most 60 of a line, and 1,500 of all", function()
    local step = ("y = y * 3 + x; "):rep(30)
    local long = small.build { ["long.c"] = "int work(int x) {\n  int y = x;\n" .. (step .. "\n"):rep(30) ..
      "  return y;\n}\nint main(void) { return work(1); }\n" }
    local ticks = {}
    for line = 3, 32 do ticks[small.even(long.rows["long.c"][line][1])] = line end
    local lines = pages.parts((pages.write(long.image, small.profile(long, { ticks = ticks })))).data.sources[1].code
    assert.equal(25, #lines)
    for _, line in ipairs(lines) do
      assert.truthy(line[1] >= 7) -- the hottest lines
      assert.equal(60, #line[5])
    end
  end)
end)
