-- --html: rows and tables of a page are copied as text.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local plan = { functions = { "main", "a|b", "work" }, ticks = { main = 40, work = 160 },
  calls = { { "main", "work", 1234567 }, { "main", "a|b", 1 } } }

describe("The table of a page", function()
  local path = select(2, pages.crafted(plan))
  local copied <const> = "window.copied"

  it("is copied by keys: a row, all rows that are shown, or Markdown", function()
    local found = browser.walk(path, "copyText = (text) => (window.copied = text); 0", { "key", "/" },
      { "type", "/work|b/" }, { "key", "Enter" }, { "key", "c" }, copied, { "key", "C" }, copied, { "key", "m" },
      copied)
    assert.equal("80.0\t1.60\t0.13\t80.0\t1.60\t1234567\t1.30 µs\twork\n", found[2])
    assert.equal("Self %\tSelf s\t±\tTotal %\tTotal s\tCalls\tSelf/call\tFunction\n" .. found[2] ..
      "0.0\t0.00\t0.01\t0.0\t0.00\t1\t\ta|b\n", found[3])
    assert.equal("| Self % | Self s | ± | Total % | Total s | Calls | Self/call | Function |\n" ..
      "| ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n" ..
      "| 80.0 | 1.60 | 0.13 | 80.0 | 1.60 | 1234567 | 1.30 µs | work |\n" ..
      "| 0.0 | 0.00 | 0.01 | 0.0 | 0.00 | 1 |  | `a\\|b` |\n", found[4])
  end)

  it("has names as code in Markdown if they would be markup", function()
    local names <const> = { "std::vector<int>::push_back(int&&)", "__init__", "operator*", "~a~", "$f$", "a`b", "`",
      "\\|", "plain" }
    local texts <const> = { "`std::vector<int>::push_back(int&&)`", "`__init__`", "`operator*`", "`~a~`", "`$f$`",
      "``a`b``", "`` ` ``", "`\\x7C`", "plain" }
    local ticks = {}
    for i, name in ipairs(names) do ticks[name] = 100 - i end
    local found = browser.walk(select(2, pages.crafted { functions = names, ticks = ticks }),
      "copyText = (text) => (window.copied = text); 0", { "key", "ArrowDown" }, { "key", "m" },
      "copied.split('\\n').slice(2, -1).map((line) => / ([^ ]*|`` . ``) \\|$/.exec(line)[1])")
    assert.same(texts, found[2])
  end)

  it("has whole names", function()
    local long = ("long_"):rep(100)
    local found = browser.walk(select(2, pages.crafted { functions = { long }, ticks = { [long] = 1 } }),
      "copyText = (text) => (window.copied = text); 0", { "key", "ArrowDown" }, { "key", "c" },
      "[labelOf(0).length < 500, copied.trim().split('\\t').pop()]")
    assert.same({ true, long }, found[2])
  end)

  it("has changes as numbers for spreadsheets, and as they are shown in Markdown", function()
    local after = { functions = plan.functions, calls = plan.calls, ticks = { main = 41, work = 60 } }
    local found = browser.walk(select(2, pages.crafted(after, "--compare=" .. crafted.gmon(plan))),
      { "open", "!changes" }, "copyText = (text) => (window.copied = text); 0", { "key", "ArrowDown" }, { "key", "C" },
      "copied.split('\\n').slice(1, 3).map((line) => line.split('\\t').slice(1, 3).join(' '))", { "key", "m" },
      "copied.split('\\n').slice(1, 4).map((line) => line.split('|').slice(2, 4).join('|'))")
    assert.same({ "-1.00 -62", "0.01 2" }, found[2])
    assert.same({ " ---: | ---: ", " −1.00 | −62 % ", " `~ +0.01` | +2 % " }, found[3])
  end)

  it("calls the time of a function new unless the old program has called that", function()
    local old = { functions = plan.functions, calls = plan.calls, ticks = { ["a|b"] = 40 } }
    local after = { functions = plan.functions, calls = plan.calls, ticks = { ["a|b"] = 40, work = 30, main = 20 } }
    local found = browser.walk(select(2, pages.crafted(after, "--compare=" .. crafted.gmon(old))),
      { "open", "!changes" }, "[...document.querySelectorAll('tbody tr')].slice(0, 2)" ..
        ".map((tr) => tr.querySelector('.name').textContent + ': ' + tr.cells[3].textContent)")
    assert.same({ "work: ", "main: new" }, found[1])
  end)

  it("has a key that copies the terminal command, with its words quoted", function()
    local quoted <const> = "(data.inputs = ['a b', 'gmon.out'], copyText = (text) => (window.copied = text), 0)"
    local found = browser.walk(path, "data.inputs.length", quoted, { "key", "$" }, copied, { "open", "a|b" },
      { "key", "$" }, copied)
    assert.same({ 2, 0, "gprof.lua -b -p 'a b' gmon.out", "gprof.lua -b '-qa|b' 'a b' gmon.out" }, found)
  end)

  it("is copied from the menu of a row, and without the clipboard's permission", function()
    local menu <const> = "(() => { document.querySelector('tbody .node').dispatchEvent(" ..
      "new MouseEvent('contextmenu', { bubbles: true })); " ..
      "return [...document.querySelectorAll('#row-menu button')].map((b) => b.textContent); })()"
    local found = browser.walk(path, "navigator.clipboard.writeText = () => Promise.reject(); " ..
      "document.execCommand = () => (window.copied = document.activeElement.value); 0", menu,
      { "click", "#row-menu button:nth-child(3)" }, copied)
    assert.same({ "Focus on work f", "Hide work h", "Copy row c", "Copy table C", "Copy as Markdown m" }, found[2])
    assert.match("^80%.0\t1%.60\t", found[3])
  end)
end)
