-- --html: chips that refine all views of a page.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local path = select(2, pages.crafted(crafted.example))

local names <const> = browser.names
local chips <const> = "[...document.querySelectorAll('.chip')].map((e) => e.textContent).join('; ')"
local frames <const> = browser.frames
local hash <const> = "location.hash"

local key <const> = browser.key

describe("The refinement of a page", function()
  it("keeps the call paths with a function, in the table and in the tree; Back removes it", function()
    local found = browser.walk(path, "document.querySelectorAll('tbody .node')[1].focus()", key "f", names, chips, hash,
      { "open", "!tree" }, frames, hash, { "click", ".frame[aria-label^='work']" }, hash, { "back" }, { "back" },
      { "back" }, names, chips)
    assert.same({ "leaf work main", "focus work ×; % of all", "#&focus=%3Dwork", "all main work leaf",
      "#!tree&focus=%3Dwork", "#!tree=down:4.1&focus=%3Dwork", "leaf work ping pong main", "" },
      table.move(found, 2, 9, 1, {}))
  end)

  it("is taken back by Back though nothing was scrolled, also after the page was loaded again", function()
    local found = browser.walk(path, { "open", "work" }, { "open", "!tree" }, "addChip('focus', 'work'), 0", chips,
      { "back" }, chips, hash, "addChip('focus', 'leaf'), 0", { "leave", "location.reload()" }, chips, { "back" },
      chips, hash, { "back" }, chips, hash)
    assert.same({ "focus work ×; % of all", "", "#!tree", "focus leaf ×; % of all", "", "#!tree", "", "#work" },
      { found[2], found[3], found[4], table.unpack(found, 6) })
  end)

  it("takes functions out of the paths: their callers get the time", function()
    local main <const> = "document.querySelector('.frame[aria-label^=\"main\"]').getAttribute('aria-label')"
    local found = browser.walk(path, { "open", "&hide=/^(work|leaf)$/" }, names, chips, { "open", "!tree" },
      frames, main, { "click", ".chip" }, frames, hash)
    assert.equal("ping pong main", found[1])
    assert.equal("hide /^(work|leaf)$/ ×; % of all", found[2])
    assert.equal("all main <cycle 1> ping pong", found[3])
    assert.match("0%.95 s.*self 0%.60 s$", found[4])
    assert.same({ "all main work <cycle 1> leaf ping pong leaf", "#!tree" }, { found[5], found[6] })
  end)

  it("has percentages of all, or of what is shown", function()
    local first <const> = "document.querySelector('tbody td').textContent"
    local found = browser.walk(path, { "open", "&hide==leaf" }, first, { "click", ".chip:last-child" }, first, chips,
      hash, { "leave", "location.reload()" }, first, chips)
    assert.same({ "31.6", "54.5", "hide leaf ×; % of what is shown", "#&hide=%3Dleaf&of=shown", "54.5",
      "hide leaf ×; % of what is shown" }, found)
  end)

  it("has such percentages also in the workbench and the list of lines", function()
    local self <const> = "document.querySelector('.selection .facts').textContent.match(/\\(([\\d.]+)/)[1]"
    local found = browser.walk(path, { "size", 1440, 900 }, { "open", "&hide==leaf" }, self,
      { "click", ".chip:last-child" }, self, { "click", ".chip:last-child" }, self)
    assert.same({ "31.6", "54.5", "31.6" }, found)
    local image, gmon = exported.inlined()
    local share <const> = "(() => { const row = document.querySelector('tbody tr'), " ..
      "name = row.querySelector('.place').textContent, { time } = allLines.find((line) => lineName(line) === name); " ..
      "return [row.cells[0].textContent, percent(time / %s)]; })()"
    local note <const> = "(document.querySelector('#view p.soft') || { textContent: '' }).textContent"
    found = browser.walk(select(2, pages.write(image, gmon)), { "open", "!lines&hide=%3Dleaf&of=shown" }, note,
      share:format "shareBase", "data.total > shareBase", { "click", ".chip:last-child" }, note,
      share:format "data.total")
    assert.same({ found[2][2], true }, { found[2][1], found[3] })
    assert.same({ found[1], found[5][2] }, { found[4], found[5][1] })
  end)

  it("keeps the functions of a file, with their lines and source", function()
    local image, gmon = exported.inlined()
    local lines <const> = "[...document.querySelectorAll('.place')].map((e) => e.textContent).join(' ')"
    local found = browser.walk(select(2, pages.write(image, gmon)), { "open", "&file=main.c" }, names,
      { "open", "!lines" }, lines, { "open", "!files" },
      "[...document.querySelectorAll('tbody a')].map((e) => e.textContent)", chips)
    assert.equal("main leaf", found[1])
    assert.equal("only file main.c ×; % of all", found[4])
    assert.same({ "main.c" }, found[3])
  end)

  it("can leave nothing of a table, which has a button that shows everything", function()
    local found = browser.walk(path, { "open", "&focus=zzz&filter=leaf" }, names, { "click", ".empty button" }, names,
      chips, hash)
    assert.same({ "", "leaf work ping pong main", "", "" }, found)
  end)

  it("takes one of the functions that share a name", function()
    local same <const> = { functions = { "main", "f", "f", "g" }, ticks = { main = 30, f = 20, g = 10 },
      calls = { { "main", "f", 1 }, { "main", "g", 1 } } }
    local keys <const> = "functions.name.map((_, f) => f).filter(isShown).map(keyOf).sort().join(', ')"
    local found = browser.walk(select(2, pages.crafted(same, "-z")), keys, { "open", "&hide=%3Df%202" }, keys,
      { "open", "&hide=%3Df" }, keys, { "open", "&focus=%3Df%201" }, keys, "chipItems(nodeByKey('f 2'))[1][2](), " ..
      "chipsText")
    assert.same({ "f 1, f 2, g, main", "f 1, g, main", "g, main", "f 1, main", "&focus=%3Df%201&hide=%3Df%202" },
      found)
  end)

  it("can leave nothing of the call tree", function()
    local gone = crafted.gmon { functions = crafted.example.functions, ticks = { idle = 500, work = 100 } }
    local now = { functions = crafted.example.functions, ticks = { work = 300 } }
    local texts <const> = "[...document.querySelectorAll('#view p, .tools [role=status]')]" ..
      ".map((e) => e.textContent).join(' ')"
    local frame <const> = "document.querySelector('.frame').getAttribute('aria-label')"
    local found = browser.walk(path, { "open", "!tree=?work&focus=zzz" }, texts, frame)
    assert.is_nil(found[1]:find "NaN")
    assert.equal("all: 0.00 s", found[2])
    found = browser.walk(select(2, pages.crafted(now, "--compare=" .. gone)), { "open", "!tree=?idle&focus=idle" },
      texts, "document.getElementById('view').innerHTML.includes('NaN')")
    assert.matches("1 frame, 0%.0 %% of the time", found[1])
    assert.is_false(found[2])
  end)

  it("is offered for the matches of a search where these are the functions with matching names", function()
    local function entered(text)
      return ("(() => { const input = document.querySelector('#view input[type=search]'); setSearch(input, %q); " ..
        "input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', shiftKey: true, bubbles: true })); " ..
        "return chipsText; })()"):format(text)
    end
    local image, gmon = exported.inlined()
    local found = browser.walk(select(2, pages.write(image, gmon)), entered "/(/", entered "main.c", entered "",
      { "open", "!lines" }, entered "leaf", { "open", "!source" }, { "open", "!files" }, entered "main",
      { "open", "!tree" }, entered "=le", "refine([]), 0", { "open", "" }, entered "leaf")
    assert.same({ "", "", "", "", "", "&focus=%2F%3Dle%2F", "&focus=leaf" },
      { found[1], found[2], found[3], found[4], found[5], found[6], found[8] })
  end)

  it("has a menu whose keys are those of the menu", function()
    local open <const> = "document.querySelectorAll('tbody .node')[1].dispatchEvent(" ..
      "new MouseEvent('contextmenu', { bubbles: true, clientX: 9, clientY: 9 })), 0"
    local found = browser.walk(path, open, browser.focused, key "ArrowDown", browser.focused, key "ArrowUp",
      key "ArrowUp", browser.focused, key "2", hash, key "h", chips, "rowMenu.matches(':popover-open')")
    assert.same({ "Focus on work f", "Hide work h", "Copy as Markdown m", "", "hide work ×; % of all", false },
      table.move(found, 2, 7, 1, {}))
  end)

  it("is offered for rows and frames by a right click, and for the matches of a search", function()
    local menu <const> = "(() => { const e = document.querySelector(\"%s\"), at = e.getBoundingClientRect(); " ..
      "e.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, clientX: at.x + 2, clientY: at.y + 2 })); " ..
      "return [...document.querySelectorAll('#row-menu:popover-open button')].slice(0, 2)" ..
      ".map((b) => b.textContent); })()"
    local found = browser.walk(path, menu:format "tbody tr:nth-child(2) .node", { "click", "#row-menu button" }, chips,
      { "open", "!tree" }, menu:format ".frame[aria-label^='leaf']",
      { "click", "#row-menu button:nth-child(2)" }, chips, frames)
    assert.same({ { "Focus on work f", "Hide work h" }, "focus work ×; % of all", { "Focus on leaf f", "Hide leaf h" },
      "focus work ×; hide leaf ×; % of all", "all main work" }, found)
  end)
end)
