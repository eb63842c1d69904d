-- --html: the keyboard, its help, and the choice of colours.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local focused <const> = browser.focused
local is_open <const> = "document.querySelector('dialog').open"
local inside <const> = "document.querySelector('dialog').contains(document.activeElement)"

local key <const> = browser.key

describe("The help of a page", function()
  local path = select(2, pages.crafted(crafted.example))

  it("is opened by ?, keeps the focus inside, and is closed by Escape or ?", function()
    local found = browser.walk(path, key "ArrowDown", key "?", is_open, inside, key "Tab", inside, key "Tab", inside,
      key "2", "location.hash", key "Escape", is_open, focused, key "?", is_open, key "?", is_open,
      { "click", ".ask" }, is_open, { "click", "dialog button" }, is_open)
    assert.same({ true, true, true, true, "", false, "leaf", true, false, true, false }, found)
  end)

  it("lists the keys that are handled, and only those that the page has a use for", function()
    local listed <const> = "[...document.querySelectorAll('dialog h3')].map((e) => e.textContent + ': ' + " ..
      "[...e.nextSibling.querySelectorAll('kbd')].map((k) => k.textContent).join(' ')).join('; ')"
    local counts = select(2, pages.crafted { functions = crafted.example.functions, calls = crafted.example.calls })
    local image, gmon = exported.inlined()
    local source = select(2, pages.write(image, gmon))
    local seen = browser.walk_all { { path, listed }, { counts, listed }, { source, listed } }
    local rest <const> = "; Tabs, headings and buttons: ← → Home End; Search: Esc ↓ Enter; Copy: c C m; " ..
      "Tables: ↓ j ↑ k Page ↓ Page ↑ Enter"
    local tree <const> = "; Call tree: ↑ ↓ ← → Enter Space Esc Backspace o"
    local near <const> = "; Neighbourhood: ↑ ↓ ← →"
    local rows <const> = "; Rows and frames: f h i"
    assert.same({ "Everywhere: ? / 1 2 ↓ $" .. rest .. near .. tree .. rows }, seen[1].results)
    assert.same({ "Everywhere: ? / 1 ↓ $" .. rest .. near .. rows }, seen[2].results)
    assert.same({ "Everywhere: ? / 1 2 3 4 ↓ n p x $ g" .. rest .. near .. tree .. "; Groups: → ←" .. rows },
      seen[3].results)
  end)
end)

describe("The keys of a page", function()
  it("move between rows, to the first match of a search, and between views", function()
    local path = select(2, pages.crafted(crafted.example))
    local found = browser.walk(path, key "ArrowDown", key "j", focused, key "k", focused, key "PageDown", focused,
      key "PageUp", focused, key "/", { "type", "pi" }, key "ArrowDown", focused, key "Enter", "location.hash",
      key "2", "location.hash", key "1", "location.hash")
    assert.same({ "work", "leaf", "main", "leaf", "ping", "#ping", "#!tree", "#&filter=pi" }, found)
  end)

  it("zoom in the call tree, and out by one frame or wholly", function()
    local hash <const> = "location.hash"
    local found = browser.walk(select(2, pages.crafted(crafted.example)), { "open", "!tree" }, key "ArrowDown",
      key "ArrowDown", key "ArrowDown", key " ", hash, key "Backspace", hash, key "ArrowDown", key "Enter", hash,
      key "Escape", hash)
    assert.same({ "#!tree=down:4.1", "#!tree=down:4", "#!tree=down:4.1.0", "#!tree=down:" }, found)
  end)
end)

describe("The colours of a page", function()
  local path = select(2, pages.crafted(crafted.example))
  local paper <const> = "getComputedStyle(document.body).backgroundColor"
  local light <const>, dark <const> = "rgb(255, 255, 255)", "rgb(21, 25, 29)"

  local function choose(name)
    return ("(() => { const s = document.querySelector('.corner select'); s.value = '%s'; " ..
      "s.dispatchEvent(new Event('change')); return %s; })()"):format(name, paper)
  end

  it("are the system's, or the user's choice, which the browser keeps", function()
    local system_dark <const> = { "size", 1280, 800, "dark" }
    local found = browser.walk(path, paper, choose "dark", { "reload" }, paper, choose "light", system_dark, paper,
      choose "system", { "size", 1280, 800, "light" }, paper, { "reload" }, paper)
    assert.same({ light, dark, dark, light, light, dark, light, light }, found)
  end)

  it("can be chosen, without errors, if the browser forbids to keep the choice", function()
    local forbid <const> = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
    local found = browser.walk(path, { "reload", forbid }, paper, choose "dark", { "reload", forbid }, paper)
    assert.same({ light, dark, light }, found)
  end)
end)
