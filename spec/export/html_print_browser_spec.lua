-- --html: a page on paper.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local build = require "support.build"
local crafted = require "support.crafted"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local plan <const> = crafted.example

describe("A printed page", function()
  it("has no controls, and is black on white, whatever the colours on the screen", function()
    local shown <const> = "['nav', '.tools', '.corner', 'dialog'].filter((name) => " ..
      "getComputedStyle(document.querySelector(name)).display !== 'none')"
    local colours <const> = "['body', 'td .node', '.whole dd'].map((name) => " ..
      "getComputedStyle(document.querySelector(name)).color)"
    local paper <const> = "getComputedStyle(document.body).backgroundColor"
    local black <const>, white <const> = "rgb(0, 0, 0)", "rgb(255, 255, 255)"
    local found = browser.walk(select(2, pages.crafted(plan)), "setColours('dark')", { "media", "print" }, shown,
      colours, paper, { "open", "!tree" }, "getComputedStyle(document.querySelector('.frame')).color")
    assert.same({ {}, { black, black, black }, white, black }, table.move(found, 2, 5, 1, {}))
  end)

  it("has the colours of the legend, and no links to other views", function()
    local found = browser.walk(select(2, pages.crafted(plan)), { "open", "!tree" }, { "media", "print" },
      "['.frame', '.legend i'].map((name) => getComputedStyle(document.querySelector(name)).printColorAdjust)",
      { "open", "work" }, "document.querySelector('#view a[href*=around]').offsetWidth",
      "document.querySelector('#view td a').offsetWidth > 0")
    assert.same({ { "exact", "exact" }, 0, true }, found)
  end)

  it("has the whole table, up to a limit that it tells", function()
    local many = { functions = {}, ticks = {} }
    for i = 1, 300 do
      many.functions[i] = ("function_%d"):format(i)
      many.ticks[many.functions[i]] = i
    end
    local rows <const> = "document.querySelectorAll('#view tbody tr').length"
    local print <const> = "dispatchEvent(new Event('beforeprint'))"
    local found = browser.walk(select(2, pages.crafted(many)), { "size", 1280, 200 }, rows, print, rows,
      "document.querySelector('.more').hidden", [[(() => {
        const table = makeTable(flatColumns(), Array(5300).fill(0), {});
        view.replaceChildren(table.element);
        dispatchEvent(new Event("beforeprint"));
        return document.querySelector(".more").textContent; })()]])
    assert.same({ 100, 300, true, "200 more rows: filter the table to print them" },
      { found[1], found[3], found[4], found[5] })
  end)

  it("cuts no text, and tells how it was refined", function()
    local cut <const> = "[...document.querySelectorAll('body *')].filter((e) => e.textContent && " ..
      "e.checkVisibility() && !e.closest('.tree, .share, .more, svg, .skip') && " ..
      "getComputedStyle(e).overflow !== 'visible' && (e.scrollWidth > e.clientWidth + 1 || " ..
      "e.scrollHeight > e.clientHeight + 1)).map((e) => e.textContent)"
    local built = build.program "shapes"
    local steps = { select(2, pages.write(built.image, built.gmon, "--spread", "--compare=" .. built.gmon)),
      { "size", 700, 900 }, { "media", "print" } }
    local views <const> = { "", "!changes", "!functions&group=class", "!tree", "!lines", "!source", "!files", "!spread",
      "main", "!functions&focus=main" }
    for _, name in ipairs(views) do
      table.insert(steps, { "open", name })
      table.insert(steps, cut)
      table.insert(steps, browser.fits)
    end
    table.insert(steps, "document.querySelector('.refine').innerText.trim()")
    local found = browser.walk(table.unpack(steps))
    for i, name in ipairs(views) do
      assert.same({ name, {}, true }, { name, found[2 * i - 1], found[2 * i] })
    end
    assert.matches("^focus main%s+%% of all$", found[#found])
  end)
end)
