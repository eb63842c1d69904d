-- --html: the workbench that a page is on wide screens.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local path = select(2, pages.crafted(crafted.example))
local wide <const> = { "size", 1440, 900 }

local hash <const> = "location.hash"
local selected <const> = "document.querySelector('.selection h2').textContent"
local marked <const> = "document.querySelector('tr.selected .node').textContent"
local lists <const> = "[...document.querySelectorAll('.selection .lists')].map((table) => " ..
  "[...table.querySelectorAll('.node')].map((e) => e.textContent).join(' ')).join(' | ')"

local function row(number) return (".list tbody tr:nth-child(%d) .node"):format(number) end
local key <const> = browser.key

describe("The workbench of a page", function()
  it("has 36 rows of 22 pixels below a header of 48, beside the selected function", function()
    local many = { functions = {}, ticks = {} }
    for i = 1, 100 do
      many.functions[i] = ("function_%d"):format(i)
      many.ticks[many.functions[i]] = 100 + i
    end
    local found = browser.walk(select(2, pages.crafted(many)), wide,
      "[...document.querySelectorAll('.list tbody tr')].filter((e) => e.offsetHeight === 22 && " ..
      "e.getBoundingClientRect().bottom <= innerHeight).length", "document.querySelector('header').offsetHeight",
      browser.fits, "document.documentElement.scrollHeight <= innerHeight", selected,
      { "size", 1190, 900 }, "document.querySelector('.side').offsetWidth")
    assert.truthy(found[1] >= 36, found[1])
    assert.same({ 48, true, true, "function_100", 0 }, table.move(found, 2, 6, 1, {}))
  end)

  it("shows callers, callees and source of the function that a click selects; Back works", function()
    local found = browser.walk(path, wide, selected, lists, { "click", row(2) }, selected, marked, lists, hash,
      { "click", row(3) }, selected, { "back" }, selected, marked, { "back" }, selected, hash)
    assert.same({ "leaf", "work pong", "work", "work", "main work | leaf work", "#&at=work", "ping", "work", "work",
      "leaf", "" }, found)
    local image, gmon = exported.inlined()
    assert.same({ "main.c:3", "3" }, browser.walk(select(2, pages.write(image, gmon)), wide, { "open", "&at=leaf" },
      "document.querySelector('.excerpt h3').textContent", "document.querySelector('.excerpt .here td').textContent"))
  end)

  it("names the hottest line among the figures, in sight however many callees there are", function()
    local fact <const> = "[...document.querySelectorAll('.selection dt')].filter((e) => " ..
      "e.textContent === 'Hottest line').map((e) => e.nextSibling.textContent).join()"
    local image, gmon = exported.inlined()
    local found = browser.walk(select(2, pages.write(image, gmon)), wide, { "open", "&at=leaf" }, fact,
      { "click", ".selection dd a" }, hash)
    assert.match("^main%.c:3, %d%.%d+ s$", found[1])
    assert.match("^#!source=.*main%.c:3$", found[2])
    assert.same({ "" }, browser.walk(path, wide, { "open", "&at=work" }, fact))
  end)

  it("has the change of the selected function, if the page has a comparison", function()
    local slower = { functions = crafted.example.functions, calls = crafted.example.calls, ticks = { work = 330 } }
    local found = browser.walk(select(2, pages.crafted(slower, "--compare=" .. crafted.gmon(crafted.example))), wide,
      { "open", "&at=work" }, "document.querySelector('.selection .changed dd').textContent")
    assert.same({ "+3.00 from 0.30 to 3.30 s per run" }, found)
  end)

  it("explains the colours of change below the strip", function()
    local slower = { functions = crafted.example.functions, calls = crafted.example.calls, ticks = { work = 330 } }
    local legend <const> = "document.querySelector('.strip .legend').textContent"
    local compared = select(2, pages.crafted(slower, "--compare=" .. crafted.gmon(crafted.example)))
    local found = browser.walk(compared, wide, { "open", "&at=work" }, legend, browser.fits)
    assert.matches("^Since the old profile:more than 50 %% faster", found[1])
    assert.truthy(found[2])
    assert.equal("", browser.walk(path, wide, { "open", "&at=work" }, legend)[1])
  end)

  it("follows arrow keys; Enter and a double click open the function's page", function()
    local twice <const> = ("document.querySelector(%q).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
    local found = browser.walk(path, wide, key "ArrowDown", key "ArrowDown", selected, hash, key "Enter", hash,
      "document.querySelector('#view > section > h2').textContent", { "back" }, selected, twice:format(row(3)), hash)
    assert.same({ "work", "#&at=work", "#work", "work", "work", "#ping" },
      { found[1], found[2], found[3], found[4], found[5], found[7] })
  end)

  it("shows the selected function in the strip of the call tree, without moving it under a click", function()
    local deep <const> = { functions = {}, ticks = {}, calls = {} }
    for i = 1, 30 do
      deep.functions[i], deep.ticks[("f%d"):format(i)] = ("f%d"):format(i), 10 * i
      if i > 1 then deep.calls[i - 1] = { deep.functions[i - 1], deep.functions[i], 1 } end
    end
    local top <const> = "document.querySelector('.strip .box').scrollTop"
    local inside <const> = "(() => { const [box, hit] = ['.box', '.hit'].map((name) => " ..
      "document.querySelector('.strip ' + name).getBoundingClientRect()); " ..
      "return hit.top >= box.top && hit.bottom <= box.bottom; })()"
    local click <const> = "(() => { const frame = document.querySelector('.strip [aria-label^=\"f17:\"]'), " ..
      "{ x, y } = frame.getBoundingClientRect(); frame.dispatchEvent(new MouseEvent('click', { bubbles: true, " ..
      "clientX: x + 5, clientY: y + 5 })); })(), "
    local found = browser.walk(select(2, pages.crafted(deep)), wide, selected, inside, top .. " > 0",
      { "open", "&at=f1" }, inside, { "open", "&at=f20" }, inside, top, click .. "0", wide, selected, top)
    assert.same({ "f30", true, true, true, true, "f17", found[6] }, { found[1], found[2], found[3], found[4], found[5],
      found[8], found[9] })
  end)

  it("keeps filter, order and selection in the address", function()
    local names <const> = "[...document.querySelectorAll('.list .node')].map((e) => e.textContent).join(' ')"
    local calls <const> = "[...document.querySelectorAll('th button')].find((e) => e.textContent === 'Calls').click()"
    local found = browser.walk(path, wide, calls, key "/", { "type", "p" }, { "click", row(2) }, names, hash,
      { "leave", "location.reload()" }, names, selected, "document.querySelector('input[type=search]').value")
    assert.same({ "ping pong", "#&sort=-Calls&filter=p&at=pong", "ping pong", "pong", "p" },
      table.move(found, 2, 6, 1, {}))
  end)

  it("has no filter in the address, nor in the terminal command, after the search is cleared", function()
    local command <const> = "(terminalCommand().match(/ -p\\S*/) || [''])[0]"
    local found = browser.walk(path, wide, key "/", { "type", "leaf" }, hash, command, key "Escape", hash, command,
      { "type", "nobody" }, hash, { "click", ".empty button" }, hash)
    assert.same({ "#&filter=leaf", " -p/leaf/", "", " -p", "#&filter=nobody", "" }, found)
  end)

  it("keeps the order in the address, also if no column has figures", function()
    local found = browser.walk(select(2, pages.crafted({ functions = { "main", "b", "a" } }, "-z")), wide,
      { "click", "th button" }, { "click", "th button" },
      browser.names, hash, { "leave", "location.reload()" }, browser.names,
      "document.querySelector('th').getAttribute('aria-sort')")
    assert.same({ "main b a", "#&sort=-Function", "main b a", "descending" }, found)
  end)

  it("keeps filter and order in the address while chips change, and when a list is returned to", function()
    local calls <const> = "[...document.querySelectorAll('th button')].find((e) => e.textContent === 'Calls').click()"
    local command <const> = "terminalCommand().split(' ').slice(2, 4).join(' ')"
    local found = browser.walk(path, calls, key "/", { "type", "/p/" }, { "key", "Enter" }, key "f", hash,
      { "click", ".chip" }, hash, { "open", "!tree" }, hash, { "open", "" }, hash, command,
      { "back" }, { "back" }, hash)
    assert.same({ "#&sort=-Calls&filter=%2Fp%2F&focus=%3Dping", "#&sort=-Calls&filter=%2Fp%2F", "#!tree",
      "#&filter=%2Fp%2F&sort=-Calls", "-p/p/ --sort=calls", "#&sort=-Calls&filter=%2Fp%2F" },
      { table.unpack(found, #found - 5) })
  end)

  it("works if the browser refuses to change the address", function()
    local found = browser.walk(path, wide, "history.replaceState = () => { throw new Error('too often'); }, 0", key "/",
      { "type", "p" }, { "click", row(2) }, selected, hash, { "open", "" }, selected, browser.names)
    assert.same({ "pong", "#&at=pong", "ping" }, { found[2], found[3], found[4] })
    assert.matches("^ping pong", found[5])
  end)

  it("has a strip of the call tree that folds away; a click on a frame selects its function", function()
    local found = browser.walk(path, wide, { "click", ".strip .frame[aria-label^='ping']" }, selected, hash,
      "document.querySelectorAll('.strip .hit').length", "document.querySelectorAll('.strip .frame').length",
      { "click", ".strip summary" },
      "document.querySelector('.strip').open")
    assert.same({ "ping", "#&at=ping", 1, 8, false }, found)
  end)

  it("has details and notices behind buttons, which small screens show at once", function()
    local seen <const> = "['#details', '#notices'].map((id) => document.querySelector(id).offsetHeight > 0)"
    local found = browser.walk(path, seen, wide, seen, { "click", "[popovertarget=details]" }, seen,
      { "click", "[popovertarget=notices]" }, seen, "document.querySelector('.brief').textContent")
    assert.same({ { true, true }, { false, false }, { true, false }, { false, true } }, table.move(found, 1, 4, 1, {}))
    assert.match("^0%.95 seconds ± 0%.10", found[5])
  end)
end)
