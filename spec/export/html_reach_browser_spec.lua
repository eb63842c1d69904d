-- --html: a page is still while it is drawn, near for the keyboard, and readable in all colours.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local path = select(2, pages.crafted(crafted.example))

local key <const> = browser.key

describe("A page", function()
  -- The elements that moved after the first paint.
  local moved <const> = [[new Promise((done) => {
    const names = [];
    new PerformanceObserver((list) => list.getEntries().forEach((entry) =>
      names.push(...entry.sources.map(({ node }) => node && (node.className || node.nodeName)))))
      .observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(names), 200);
  })]]

  it("does not move after its first paint", function()
    local image, gmon = exported.inlined()
    local steps = { select(2, pages.write(image, gmon)), moved }
    for _, view in ipairs { "!tree", "!tree=around:leaf", "!lines", "!source", "!files", "leaf" } do
      table.insert(steps, { "leave", ("(location.hash = %q, location.reload())"):format(view) })
      table.insert(steps, moved)
    end
    assert.same({ {}, {}, {}, {}, {}, {}, {} }, browser.walk(table.unpack(steps)))
  end)

  it("is not painted before everything has its place", function()
    local shown <const> = "getComputedStyle(document.body).visibility"
    assert.same({ "visible", "hidden", "appear" }, browser.walk(path, shown,
      "(document.body.classList.remove('ready'), " .. shown .. ")", "getComputedStyle(document.body).animationName"))
  end)

  it("keeps room for a scroll bar, so that frames stay where they are if one appears", function()
    assert.same({ "stable" }, browser.walk(path, "getComputedStyle(document.documentElement).scrollbarGutter"))
  end)
end)

describe("The first row of a page", function()
  local in_row <const> = "document.activeElement.closest('tbody') !== null"

  it("is reached with at most six stops of the Tab key, or by a link", function()
    local image, context = exported.measured()
    local compared = select(2, pages.crafted(crafted.example, "--compare=" .. crafted.gmon(crafted.example)))
    for _, each in ipairs { path, (select(2, pages.write(image, context))), compared } do
      local steps = { each }
      for _ = 1, 7 do
        table.insert(steps, key "Tab")
        table.insert(steps, in_row)
      end
      assert.is_true(browser.walk(table.unpack(steps))[7])
    end
    assert.same({ "Skip to the first row", true, "leaf" },
      browser.walk(path, key "Tab", browser.focused, key "Enter", in_row, browser.focused))
  end)

  it("is reached with Enter in the filter", function()
    local found = browser.walk(path, key "/", { "type", "pi" }, key "Enter", browser.focused, key "Enter",
      "location.hash")
    assert.same({ "ping", "#ping" }, found)
  end)

  it("has headings and tabs above it in which arrow keys move", function()
    local found = browser.walk(path, "document.querySelector('th button').focus()", key "ArrowRight", browser.focused,
      key "End", browser.focused, key "Home", browser.focused, "document.querySelector('nav a').focus()",
      key "ArrowRight", browser.focused, key "ArrowLeft", browser.focused,
      "document.querySelectorAll('nav [tabindex=\"0\"]').length")
    assert.same({ "Self s", "Function", "Self %", "Call tree", "Functions", 1 },
      { found[2], found[3], found[4], found[6], found[7], found[8] })
  end)
end)

describe("The colours of a page", function()
  it("keep their meaning if the system forces others", function()
    local colour <const> = "getComputedStyle(document.querySelector('%s')).backgroundColor"
    local found = browser.walk(path, { "size", 1280, 800, "dark" }, { "open", "!tree" }, colour:format ".frame.h4",
      colour:format ".legend .h4", { "size", 1280, 800, "forced" }, colour:format ".frame.h4",
      colour:format ".legend .h4")
    assert.same({ found[1], found[1], found[1] }, { found[2], found[3], found[4] })
  end)

  it("tell the current tab, the selected row and the marked line, if the system forces others", function()
    local image, profile = exported.inlined()
    local border <const> = "getComputedStyle(document.querySelector('nav a%s')).borderBottomColor"
    local outline <const> = "getComputedStyle(document.querySelector('%s')).outlineStyle"
    local found = browser.walk(select(2, pages.write(image, profile)), { "size", 1280, 800, "forced" },
      border:format "[aria-current]", border:format ":not([aria-current])", outline:format "tr.selected",
      { "open", "!source" }, outline:format "tr.here")
    assert.not_equal(found[1], found[2])
    assert.same({ "solid", "solid" }, { found[3], found[4] })
  end)

  -- Texts whose contrast is under 4.5 (WCAG 2.1, success criterion 1.4.3). Frames are tested elsewhere.
  local pale <const> = [[(() => {
    const values = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = (colour) => colour.slice(0, 3).map((x) => x / 255)
      .map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
      .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0.05);
    const behind = (element) => {
      const colour = element ? values(getComputedStyle(element).backgroundColor) : [255, 255, 255];
      return colour.length < 4 || colour[3] > 0 ? colour : behind(element.parentElement);
    };
    const isPale = (element) => {
      const lights = [values(getComputedStyle(element).color), behind(element)].map(light);
      return Math.max(...lights) / Math.min(...lights) < 4.5;
    };
    const texts = [...document.body.querySelectorAll("*")].filter((element) => element.offsetWidth > 0 &&
      !element.closest("script, noscript, .frame") && [...element.childNodes].some((node) => node.nodeType === 3));
    return texts.filter(isPale).map((element) => element.outerHTML);
  })()]]

  it("leave enough contrast, in source text too", function()
    local image, gmon = exported.inlined()
    local steps, wanted = { select(2, pages.write(image, gmon)) }, {}
    for _, scheme in ipairs { "light", "dark" } do
      table.insert(steps, { "size", 1280, 800, scheme })
      for _, view in ipairs { "", "leaf", "!tree", "!lines", "!source=twice.h", "!files" } do
        table.insert(steps, { "open", view })
        table.insert(steps, pale)
        table.insert(wanted, {})
      end
    end
    assert.same(wanted, browser.walk(table.unpack(steps)))
  end)
end)
