-- --html: the picture of a function's callers and callees.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local key <const> = browser.key
local path = select(2, pages.crafted(crafted.example))

local boxes <const> = "[...document.querySelectorAll('.neighbourhood a')].map((a) => " ..
  "a.querySelector('text').textContent).join(' ')"
local arcs <const> = "[...document.querySelectorAll('.arc title')].map((e) => e.textContent).join('; ')"
local focused <const> = "document.activeElement.querySelector('title').textContent"

describe("The neighbourhood of a function", function()
  it("has two levels of callers and callees, and cycles as boxes", function()
    local found = browser.walk(path, { "open", "main" }, boxes, arcs,
      "document.querySelectorAll('.neighbourhood .inner').length", { "open", "leaf" }, boxes, { "open", "ping" }, boxes)
    assert.same({ "main work <cycle 1> leaf", 1, "main work <cycle 1> leaf",
      "ping main pong ping pong leaf ping" }, { found[1], found[3], found[4], found[5] })
    assert.match("main → work: 0%.60 s, %d+ calls?", found[2])
  end)

  it("has arcs as wide as their time, and hatched ones for guesses", function()
    local shared <const> = { functions = { "main", "a", "b", "work" }, ticks = { main = 40, work = 60 },
      calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "work", 1 }, { "b", "work", 3 } } }
    local found = browser.walk(select(2, pages.crafted(shared)), { "open", "work" }, boxes,
      "[...document.querySelectorAll('.arc')].map((e) => e.getAttribute('stroke-width')).join(' ')",
      "document.querySelectorAll('.arc.guess').length", { "open", "main" },
      "document.querySelectorAll('.arc.guess').length")
    assert.same({ "main b a work", "20.00 6.67 20.00 6.67", 2, 2 }, found)
  end)

  it("has the total time in each box, and a bar for its share of all time", function()
    local plan <const> = { functions = { "main", "a_function_with_a_long_name", "idle" },
      ticks = { main = 100, a_function_with_a_long_name = 300 },
      calls = { { "main", "a_function_with_a_long_name", 1 }, { "main", "idle", 1 } } }
    local figures <const> = "[...document.querySelectorAll('.neighbourhood .time')].map((e) => " ..
      "e.textContent).join(', ')"
    local bars <const> = "[...document.querySelectorAll('.neighbourhood .total')].map((e) => " ..
      "(e.getAttribute('width') / document.querySelector('.here .total').getAttribute('width')).toFixed(2)).join(' ')"
    local overlaps <const> = [[[...document.querySelectorAll('.neighbourhood a')].filter((a) => {
      const [name, time] = [...a.querySelectorAll('text')].map((e) => e.getBoundingClientRect());
      return name.right > time.left; }).length]]
    assert.same({ "4.00 s, 3.00 s, 0.00 s", "1.00 0.75 0.00", 0 },
      browser.walk(select(2, pages.crafted(plan)), { "open", "main" }, figures, bars, overlaps))
    local counts <const> = { functions = plan.functions, calls = plan.calls }
    assert.same({ "", "" }, browser.walk(select(2, pages.crafted(counts)), { "open", "main" }, figures, bars))
  end)

  it("has the time of its own calls beside their arcs", function()
    local shared <const> = { functions = { "main", "a", "b", "work", "leaf", "idle" },
      ticks = { main = 40, work = 60, leaf = 20 }, calls = { { "main", "a", 1 }, { "main", "b", 1 },
        { "a", "work", 1 }, { "b", "work", 3 }, { "work", "leaf", 1 }, { "work", "idle", 1 } } }
    local labels <const> = "[...document.querySelectorAll('.neighbourhood .flow')].map((e) => e.textContent).join(' ')"
    local between <const> = [[[...document.querySelectorAll('.neighbourhood .flow')].every((e) => {
      const at = e.getBoundingClientRect();
      return [...document.querySelectorAll('.neighbourhood .box')].every((other) => {
        const box = other.getBoundingClientRect();
        return at.right <= box.left || at.left >= box.right || at.bottom <= box.top || at.top >= box.bottom; }); })]]
    assert.same({ "0.60 0.20 0.20", true }, browser.walk(select(2, pages.crafted(shared)), { "open", "work" }, labels,
      between))
  end)

  it("shows the eight heaviest of a level, and counts the others", function()
    local many = { functions = { "main" }, ticks = { main = 1 }, calls = {} }
    for i = 1, 12 do
      local name = "f" .. i
      many.functions[i + 1], many.ticks[name], many.calls[i] = name, i, { "main", name, i }
    end
    local found = browser.walk(select(2, pages.crafted(many)), { "open", "main" }, boxes,
      "document.querySelector('.neighbourhood .rest').textContent")
    assert.same({ "main f12 f11 f10 f9 f8 f7 f6 f5", "4 more" }, found)
  end)

  it("can be used by keys, and copied with its colours", function()
    local found = browser.walk(path, { "open", "work" }, "document.querySelector('.neighbourhood .here').focus()",
      key "ArrowLeft", focused, key "ArrowRight", key "ArrowRight", focused, key "ArrowUp", key "Enter",
      "location.hash", { "open", "work" }, "copyText = (text) => (window.copied = text); 0",
      { "click", ".around button" }, "window.copied")
    assert.match("^main", found[2])
    assert.match("^leaf", found[3])
    assert.equal("#leaf", found[4])
    assert.match('^<svg xmlns="http://www.w3.org/2000/svg"', found[6])
    assert.match('fill="rgb%(', found[6])
    assert.match('<text class="flow"[^>]* paint%-order="stroke', found[6])
    assert.falsy(found[6]:find("href=", 1, true))
  end)
end)
