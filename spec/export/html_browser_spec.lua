-- --html: the behaviour of a page in a browser. Needs Chromium and Node, which "make test-browser" installs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local plan <const> = crafted.example

local visit, visit_all <const> = browser.walk, browser.walk_all

-- JavaScript expressions.
local names <const> = browser.names
local title <const> = "(document.querySelector('#view h2') || document.querySelector('nav [aria-current]')).textContent"
local tables <const> = "[...document.querySelectorAll('tbody')].map((body) => [...body.querySelectorAll('.node')]" ..
  ".map((e) => e.textContent).join(' ')).join(' | ')"
local status <const> = "document.querySelector('[role=status]').textContent"
local focused <const> = browser.focused
local frames <const> = browser.frames
local current <const> = "document.querySelector('.frame.at').getAttribute('aria-label').split(':')[0]"
local fits <const> = browser.fits

local function click_head(text)
  return ([[[...document.querySelectorAll("th button")].find((e) => e.textContent === %q).click()]]):format(text)
end

describe("The functions of a page", function()
  local path = select(2, pages.crafted(plan))

  it("are sorted by a click, and in reverse order by another one", function()
    local found = visit(path, names, click_head "Calls", names, click_head "Function", names,
      click_head "Function", names,
      "document.querySelector('th[aria-sort]').getAttribute('aria-sort')", click_head "Self s", names)
    assert.same({ "leaf work ping pong main", "leaf ping pong work main", "leaf main ping pong work",
      "work pong ping main leaf", "descending", "leaf work ping pong main" },
      { found[1], found[3], found[5], found[7], found[8], found[10] })
  end)

  it("are filtered while the user types", function()
    local found = visit(path, { "key", "/" }, { "type", "p" }, names, { "type", "o" }, names, status,
      { "key", "Escape" }, names, { "type", "/^(leaf|main)$/" }, names, { "key", "Escape" },
      { "type", "/(/" }, status, { "key", "Escape" }, { "type", "nobody" }, names, status)
    assert.same({ "ping pong", "pong", "1 of 5 functions, 5.3 % of the time", "leaf work ping pong main", "leaf main",
      "Invalid regular expression", "", "0 of 5 functions, 0.0 % of the time" }, found)
  end)

  it("can be selected and opened by keyboard", function()
    local found = visit(path, { "key", "ArrowDown" }, focused, { "key", "ArrowDown" }, focused, { "key", "ArrowUp" },
      focused, { "key", "Enter" }, title, tables, "location.hash")
    assert.same({ "leaf", "work", "leaf", "leaf", "work pong", "#leaf" }, found)
  end)

  it("link to callers and callees; the browser's history leads back", function()
    local found = visit(path, { "click", "tbody .node" }, title, { "click", "tbody .node" }, title, tables, { "back" },
      title, { "back" }, title, names, { "open", "ping" }, title, tables, { "open", "%3Ccycle%201%3E" }, title, tables)
    assert.same({ "leaf", "work", "main work | leaf work", "leaf", "Functions", "leaf work ping pong main", "ping",
      "main pong | pong", "<cycle 1>", "ping pong | main | leaf" }, found)
  end)

  it("have tables of callers and callees, which say how they are sorted", function()
    local heads <const> = "[...document.querySelectorAll('#view section:has(th) > h3')].map((e) => " ..
      "e.textContent + ' ' + e.parentNode.querySelector('[aria-sort]').textContent)"
    assert.same({ { "Callers (2) %", "Callees (2) %" } }, visit(path, { "open", "work" }, heads))
  end)

  it("have shares of the cycle's time for the calls into their cycle", function()
    local shares <const> = "[...document.querySelectorAll('.lists tbody tr')].map((e) => e.querySelector('.node')" ..
      ".textContent + ' ' + e.cells[0].textContent).join('; ')"
    assert.same({ "main 100.0; pong ; pong " }, visit(path, { "open", "ping" }, shares))
  end)

  it("keep the filter and the scroll position when the user comes back", function()
    local found = visit(path, { "size", 1180, 260 }, { "key", "/" }, { "type", "o" }, "scrollTo(0, 60)",
      "new Promise((done) => setTimeout(done, 100))", "document.querySelector('tbody .node').click()",
      "new Promise((done) => setTimeout(done, 100))", title, { "back" }, names, "scrollY")
    assert.same({ "work", "work pong", 60 }, { found[5], found[6], found[7] })
  end)

  it("are reported as missing if a link names an unknown function", function()
    local found = visit(path, { "open", "nobody" }, "document.querySelector('.empty').textContent", { "open", "%" },
      "document.querySelector('.empty').textContent", { "open", "!nothing" }, names, { "open", "!lines" }, names)
    assert.same({ "This profile has no function named nobody.", "This profile has no function named %.",
      "leaf work ping pong main", "leaf work ping pong main" }, found)
  end)

  it("are offered if a link names their last component", function()
    local there = crafted.image { functions = { "main", "a::find(int)", "b<x::find>::find<int>() const", "find::all" } }
    local dir = shell.tmpdir()
    assert.equal(0, program.run({ "--html=page.html", there, crafted.gmon { functions = { "main", "f", "g", "h" },
      ticks = { f = 3, g = 2, h = 1 } } }, { cwd = dir }).status)
    local found = visit(dir .. "/page.html", { "open", "find" },
      "[...document.querySelectorAll('#view .node')].map((e) => e.title).join(' | ')")
    assert.same({ "a::find(int) | b<x::find>::find<int>() const" }, found)
  end)

  it("are shown by all views, also if nothing was measured", function()
    local none <const> = { functions = { "main", "work" } }
    local idle <const> = { functions = { "main" }, ticks = { main = 0 } }
    local once <const> = { functions = { "main" }, ticks = { main = 1 } }
    local called <const> = { functions = { "main", "work" }, calls = { { "main", "work", 1 } } }
    local function since(old) return "--compare=" .. crafted.gmon(old) end
    local text <const> = "(/NaN|Infinity|undefined|null/.exec(document.body.innerText) || [''])[0]"
    local visits = {}
    for i, made in ipairs { { none }, { none, "-z" }, { none, "-z", "--spread", crafted.gmon(called) },
      { idle }, { idle, "-z" }, { idle, since(idle) }, { idle, "-z", since(once) }, { once }, { once, since(idle) },
      { called }, { called, since(called) }, { called, "--spread", crafted.gmon(none) } } do
      local steps = { select(2, pages.crafted(table.unpack(made))), { "size", 1440, 900 } }
      for _, hash in ipairs { "", "!tree", "!lines", "!source", "!files", "!threads", "!spread", "!changes", "main",
        "&at=main", "&focus=zzz", "!tree=up:&hide=main", "!tree=around:main" } do
        steps[#steps + 1] = { "open", hash }
        steps[#steps + 1] = text
        steps[#steps + 1] = "terminalCommand() && copyFrom(document.querySelector('table') || document.body, " ..
          "copyActions[2]), ''"
      end
      visits[i] = steps
    end
    for _, page in ipairs(browser.walk_all(visits)) do
      for _, found in ipairs(page.results) do assert.equal("", found) end
    end
  end)

  it("have links of their own if they share a name", function()
    local same <const> = { functions = { "main", "f", "f 1", "f", "f" } }
    local found = browser.walk(select(2, pages.crafted(same, "-z")),
      "functions.name.map((_, node) => keyOf(node)).sort()",
      "functions.name.every((_, node) => nodeByKey(keyOf(node)) === node)", { "open", "f 3" }, title)
    assert.same({ { "f 1", "f 2", "f 3", "f 4", "main" }, true, "f" }, found)
  end)

  it("have statistical errors, and count the calls into whole cycles", function()
    local found = visit(path, "document.querySelector('td.error').textContent", { "open", "ping" },
      "[...document.querySelectorAll('tbody tr')].map((e) => e.textContent).join(' ')")
    assert.equal("0.06", found[1])
    assert.truthy(found[2]:find("11main", 1, true), found[2])
    assert.truthy(found[2]:find("4pongcycle 1in the cycle", 1, true), found[2])
  end)
end)

describe("The call tree of a page", function()
  local path = select(2, pages.crafted(plan))

  it("zooms in by a click, and out again", function()
    local work <const> = { "click", ".frame[aria-label^='work']" }
    local steps <const> = "document.querySelector('.path').textContent"
    local found = visit(path, { "open", "!tree" }, frames, work, frames, steps, { "back" }, frames, work,
      { "click", ".path a" }, frames)
    assert.same({ "all main work <cycle 1> leaf ping pong leaf", "all main work leaf", "all › main › work",
      "all main work <cycle 1> leaf ping pong leaf", "all main work <cycle 1> leaf ping pong leaf" }, found)
  end)

  it("can be inverted: callers are below the functions with self time", function()
    local rows <const> = "[...document.querySelectorAll('.frame')].map((e) => " ..
      "e.getAttribute('aria-level') + ' ' + e.getAttribute('aria-label').split(',')[0]).join('; ')"
    local found = visit(path, { "open", "!tree=up:" }, rows,
      { "click", ".frame[aria-label^='work']" }, "document.querySelector('.path').textContent", "location.hash")
    assert.same({ "1 all: 0.95 s; 2 leaf: 0.40 s; 2 work: 0.30 s; 2 ping: 0.20 s; 2 pong: 0.05 s; 3 work: 0.30 s; " ..
      "3 pong: 0.10 s; 3 main: 0.30 s; 3 <cycle 1>: 0.20 s; 3 <cycle 1>: 0.05 s; 4 main: 0.30 s; " ..
      "4 <cycle 1>: 0.10 s; 4 main: 0.20 s; 4 main: 0.05 s; 5 main: 0.10 s", "all › work", "#!tree=up:1" }, found)
  end)

  it("is shown around a function: callers above, callees below", function()
    local pictures <const> = "[...document.querySelectorAll('.tree')].map((tree) => " ..
      "[...tree.querySelectorAll('.frame')].map((e) => (e.getBoundingClientRect().top - " ..
      "tree.getBoundingClientRect().top) / 22 + ' ' + e.getAttribute('aria-label').split(':')[0])" ..
      ".sort((a, b) => parseInt(a) - parseInt(b)).join(' ')).join(' | ')"
    local found = visit(path, { "open", "work" }, { "click", "#view a[href*='around']" }, pictures,
      { "click", ".frame[aria-label^='leaf']" }, pictures, "location.hash")
    assert.same({ "0 main 1 work | 0 work 1 leaf", "0 main 1 main 1 <cycle 1> 2 work 2 pong 3 leaf | 0 leaf",
      "#!tree=around:leaf" }, found)
  end)

  -- A wide frame, and 300 that are gathered. Zoomed in to twice, a hundred of them are in the last row.
  local narrow = { functions = { "main", "hot" }, ticks = { hot = 65000 }, calls = { { "main", "hot", 1 } } }
  for i = 1, 300 do
    local name = ("narrow%03d"):format(i)
    table.insert(narrow.functions, name)
    narrow.ticks[name] = 600 + i % 10
    table.insert(narrow.calls, { "main", name, 1 })
  end
  local narrow_path = select(2, pages.crafted(narrow))
  local hundred <const> = "all main 300 narrow frames 100 narrow frames"
  local steps_in <const> = { { "size", 1000, 700 }, { "open", "!tree" }, { "click", ".gathered" },
    { "click", ".gathered[aria-label^='100 ']" } }

  it("gathers frames that are too narrow, and shows them when it zooms in", function()
    local found = visit(narrow_path, { "size", 1000, 700 }, { "open", "!tree" }, frames,
      "document.querySelector('.gathered').getAttribute('aria-label').replace(/[\\d.]+ s/, 'T')",
      { "click", ".gathered" }, frames, { "click", ".gathered[aria-label^='100 ']" }, frames,
      "document.querySelector('.path').textContent")
    assert.same({ "all main hot 300 narrow frames", "300 narrow frames: T, 73.6 % of all, 73.6 % of main",
      hundred .. " 100 narrow frames 100 narrow frames", hundred, "all › main › narrow frames › narrow frames" }, found)
  end)

  it("paints frames without labels, which can be pointed at, selected and zoomed in to", function()
    local painted <const> = "document.querySelectorAll('.row')[4].style.backgroundImage" ..
      ".match(/var\\(--(?!wash|stripes)/g).length"
    local function at(event, place)
      return ([[(() => { const tree = document.querySelector(".tree"), area = tree.getBoundingClientRect(),
        place = { clientX: area.left + %g * area.width, clientY: area.top + 22 * 4 + 5 };
        tree.dispatchEvent(new MouseEvent("%s", place));
        return document.querySelector(".detail b").textContent.slice(0, -1); })()]]):format(place, event)
    end
    local chosen <const> = [[(() => { const frame = document.querySelector(".frame.at");
      return [frame.getAttribute("aria-label").split(":")[0], frame.offsetWidth,
        document.querySelector(".tree").getAttribute("aria-activedescendant") === frame.id]; })()]]
    local found = visit(narrow_path, steps_in[1], steps_in[2], steps_in[3], steps_in[4], painted,
      at("mousemove", 0.005), at("mousemove", 0.015), { "key", "ArrowDown" }, { "key", "ArrowRight" }, chosen,
      { "key", "Enter" }, frames, { "back" }, at("click", 0.015), { "open", "!tree=down:" }, { "back" }, frames)
    local inside <const> = "all main narrow019"
    assert.same({ 100, "narrow009", "narrow019", { "narrow019", 9, true }, inside, "100 narrow frames", inside }, found)
  end)

  it("stays where it is when it is zoomed in to, and is scrolled to from other views", function()
    local found = visit(path, { "size", 1000, 250 }, { "open", "!tree" }, "scrollTo(0, 370)",
      "scrollY > page.offsetTop", { "open", "!tree=down:4" }, "scrollY", { "open", "work" },
      "scrollY === page.offsetTop")
    assert.same({ true, 370, true }, { found[2], found[3], found[4] })
  end)

  it("is drawn piece by piece if that takes long", function()
    local slowly <const> = "performance.now = ((time) => () => (time += 10))(0); 0"
    local busy <const> = "document.querySelector('.tree').getAttribute('aria-busy')"
    local found = visit(path, { "open", "!tree" }, frames, slowly, [[new Promise((done) => {
        location.hash = "!tree=up:";
        addEventListener("hashchange", () => setTimeout(() => done(document.querySelector(".tree").ariaBusy)));
      })]], { "open", "!tree=down:4" }, { "open", "!tree=down:" }, frames, busy)
    assert.same({ "all main work <cycle 1> leaf ping pong leaf", 0, "true", found[1], "false" }, found)
  end)

  it("has colours that a legend explains", function()
    local legend <const> = "document.querySelector('.legend').textContent"
    local tints <const> = "[...document.querySelectorAll('.frame')].map((e) => /h\\d|tr/.exec(e.className)[0])" ..
      ".join(' ')"
    local found = visit(path, { "open", "!tree" }, legend, tints, { "open", "!tree=up:" }, frames, tints)
    assert.same({ "Self time as a share of a frame's time:under 2 %2 to 10 %10 to 25 %25 to 50 %50 % or more",
      "tr h0 h4 h0 h4 h4 h3 h4" }, { found[1], found[2] })
    assert.same({ "all leaf work ping pong work pong main <cycle 1> <cycle 1> main <cycle 1> main main main",
      "tr h4 h4 h4 h3 h4 h3 h0 h4 h4 h0 h4 h0 h0 h0" }, { found[3], found[4] })
  end)

  it("names in the legend the groups with most self time, and those that fill most of the picture", function()
    local groups <const> = "groupsInLegend([5, 3, 0, 1, 0], [5, 3, 9, 1, 0]).join(' ')"
    local many <const> = "groupsInLegend(Array.from({ length: 12 }, (_, i) => 12 - i), " ..
      "Array.from({ length: 12 }, (_, i) => 12 + i)).join(' ')"
    local areas <const> = "(() => { const { names, of } = groupsBy(nameOf, ''), " ..
      "areas = areasOfGroups({ names, of }); " ..
      "return names.map((name, i) => name + ' ' + timeOf(areas[i]).toFixed(2)).sort(); })()"
    assert.same({ "0 1 3 2", "0 1 2 3 4 7 8 9 10 11",
      { "leaf 0.40", "main 0.95", "ping 0.55", "pong 0.15", "work 0.60" } }, visit(path, groups, many, areas))
  end)

  it("can be navigated by keyboard", function()
    local down <const> = { "key", "ArrowDown" }
    local found = visit(path, { "open", "!tree" }, down, down, down, current, { "key", "ArrowRight" }, current,
      { "key", "Enter" }, frames, { "key", "Escape" }, frames, down, current, { "key", "o" }, title)
    assert.equal("work", found[1])
    assert.equal("<cycle 1>", found[2])
    assert.falsy(found[3]:find "work")
    assert.truthy(found[4]:find "work")
    assert.equal(found[5], found[6])
  end)

  it("marks the matches of a search, and shows their share of the time", function()
    local found = visit(path, { "open", "!tree" }, { "key", "/" }, { "type", "leaf" }, status,
      "[...document.querySelectorAll('.frame.hit')].map((e) => e.textContent).join(' ')",
      "document.querySelector('.detail').textContent")
    assert.same({ "2 frames, 42.1 % of the time", "leaf leaf" }, { found[1], found[2] })
    assert.truthy(found[3]:find "^all: 0%.95 s$")
  end)

  it("shows the time of hidden frames, without a self time", function()
    local deep = crafted.layered(20, 3)  -- three billion call paths
    local found = visit(select(2, pages.crafted(deep)), { "open", "!tree" },  [[(() => {
      const find = (item) => item.frame === HIDDEN ? item : childrenOf(item).map(find).find(Boolean);
      const hidden = find(wholeTree(false)); return itemName(hidden) + ": " + itemFigures(hidden); })()]])
    assert.truthy(found[1]:find "^%[not shown%]: %d%.%d%d s, %d%.%d %% of all, [%d.]+ %% of f%d+_%d$", found[1])
  end)

  it("is labelled as an estimate", function()
    local found = visit(path, { "open", "!tree" }, "document.querySelector('main').textContent")
    assert.truthy(found[1]:find "Estimated from")
  end)
end)

describe("Source in a page", function()
  local image, gmon = exported.inlined()
  local path = select(2, pages.write(image, gmon))

  it("has seconds and calls next to its lines", function()
    local line = [[(() => { const row = document.querySelector('[data-line="%d"]');
      return [...row.cells].map((e) => e.textContent).join('|') + ' ' + row.className; })()]]
    local found = visit(path, { "open", "!files" }, { "click", "td.name a[title$='main.c']" }, line:format(2),
      line:format(3), { "open", "leaf" }, { "click", "dd a" }, "document.querySelector('tr.here').cells[0].textContent")
    assert.same({ "2|||4|int leaf(int x) { ", "3|0.05|||  return x; here", "2" }, found)
  end)

  it("says below inlined lines where they were inlined", function()
    local found = visit(path, { "open", "!files" }, { "click", "td.name a[title$='twice.h']" },
      "document.querySelector('tr.callers').textContent", "document.querySelectorAll('tr.callers').length",
      { "click", "tr.callers a" }, "document.querySelector('tr.here').cells[0].textContent")
    assert.same({ "  ↳ inlined in main (main.c:7) 100 %", 1, "7" }, found)
  end)

  it("has a list of files, which can be filtered; it is not offered for one file", function()
    local all <const> = "document.querySelector('#view a[href=\"#!files\"]') !== null"
    local found = visit(path, { "open", "!source" }, all, { "open", "!files" }, status, { "key", "/" },
      { "type", "twice" }, status, "[...document.querySelectorAll('tbody a')].map((e) => e.textContent)",
      "data.sources.length = 1", { "open", "!source" }, all)
    assert.same({ true, "2 files", "1 file", { "twice.h" }, 1, false }, found)
  end)

  it("opens at the hottest file and line; keys lead to the other hot lines", function()
    local here <const> = "document.querySelector('h2').textContent.replace(/.*[/]/, '') + " ..
      "':' + document.querySelector('tr.here').cells[0].textContent"
    local found = visit(path, { "open", "!source" }, here, { "key", "n" }, here, { "key", "p" }, here, { "key", "p" },
      here, "document.querySelectorAll('.map i').length === document.querySelectorAll('tr td.heat i').length",
      "(() => { const file = data.sources[0]; return hottestNumber(file) === Number(" ..
        "document.querySelector('tr.here').dataset.line) || 'other'; })()")
    assert.equal(found[1], found[3])
    assert.is_true(found[5])
  end)

  it("has a list of the hottest lines, and one for each function", function()
    local rows <const> = "[...document.querySelectorAll('table.lines tbody tr')].map((e) => " ..
      "[...e.cells].filter((c) => c.textContent).map((c) => c.textContent).join('|')).join('; ')"
    local found = visit(path, { "open", "!lines" }, rows, status, { "key", "/" }, { "type", "nobody" }, status,
      { "open", "leaf" }, rows)
    assert.same({ "50.0|0.07|0.03|twice.h:2|twice in main|return x * 2;; 35.7|0.05|0.02|main.c:3|leaf|return x;; " ..
      "14.3|0.02|0.01|main.c:6|main|int y = leaf(3);", "3 lines, 100.0 % of the time", "0 lines, 0.0 % of the time",
      "100.0|0.05|0.02|main.c:3|return x;" }, found)
    assert.same({ { "100%", "71%", "29%" } }, visit(path, { "open", "!lines" }, "[...document.querySelectorAll(" ..
      "'tbody .share')].map((e) => Math.round(parseFloat(e.lastChild.style.width)) + '%')"))
  end)
end)

describe("Inlined functions in a page", function()
  it("are shown if the user wants them", function()
    local image, gmon = exported.inlined()
    local path = select(2, pages.write(image, gmon))
    local function choose(view)
      return { "leave", ([[(() => {
        const select = document.querySelector("select[aria-label='Functions shown']");
        select.value = "%s";
        select.dispatchEvent(new Event("change"));
      })()]]):format(view) }
    end
    local sorted <const> = "[...document.querySelectorAll('tbody .node')].map((e) => e.textContent).sort().join(' ')"
    local chosen <const> = "document.querySelector(\"select[aria-label='Functions shown']\").value"
    local found = visit(path, sorted, chosen, { "open", "!lines" }, choose "inlined", chosen, "location.hash",
      { "open", "" }, sorted, { "open", "twice" }, title, { "open", "!tree" }, frames, choose "compiled", chosen,
      frames)
    assert.same({ "leaf main", "compiled", "inlined", "#!lines", "leaf main twice", "twice",
      "all main twice leaf", "compiled", "all main leaf" }, found)
  end)

  it("have the lines of their own code, with shares of it, in each view", function()
    local image, gmon = exported.inlined()
    local lines <const> = "[...document.querySelectorAll('.lines tbody tr')].map((row) => [0, 1, 4].map((i) => " ..
      "row.children[i].textContent).join(' ')).join(', ')"
    for _, options in ipairs { {}, { "--inlines" } } do
      local path = select(2, pages.write(image, gmon, table.unpack(options)))
      local function go(view, name)
        return { "leave", ("location.assign('?view=%s#%s')"):format(view, name) }
      end
      local found = visit(path, go("compiled", "main"), lines, go("inlined", "main"), lines, { "open", "twice" }, lines,
        { "open", "leaf" }, lines)
      assert.same({ "77.8 0.07 twice.h:2, 22.2 0.02 main.c:6", "100.0 0.02 main.c:6", "100.0 0.07 twice.h:2",
        "100.0 0.05 main.c:3" }, found)
    end
  end)
end)

describe("Hostile names in a page", function()
  local path = select(2, pages.crafted(pages.names))

  it("are shown as text, and link to their functions", function()
    local found = visit(path, "document.querySelectorAll('b').length",
      [[(async () => {
        const wrong = [];
        for (let node = 0; node < functionCount; node++) {
          location.hash = linkTo(node);
          await new Promise((done) => setTimeout(done, 15));
          if (document.querySelector('h2').textContent !== nameOf(node)) wrong.push(nameOf(node));
        }
        return wrong.join(', ');
      })()]], "functionCount", "document.querySelectorAll('script').length")
    assert.same({ 0, "", #pages.names.functions, 2 }, found)
  end)

  it("do not make the page wider than a phone", function()
    local found = visit(path, { "size", 400, 800, "dark" }, fits, { "open", "!tree" }, fits,
      "location.hash = linkTo(functionCount - 1)", fits)
    assert.same({ true, true, true }, { found[1], found[2], found[4] })
  end)
end)

describe("Changes in a page", function()
  local slower = { functions = plan.functions, calls = plan.calls,
    ticks = { work = 330, ping = 20, pong = 5, leaf = 42 } }
  local path = shell.tmpdir() .. "/page.html"
  assert.equal(0, program.run({ "-b", "--html=" .. path, "--compare=" .. crafted.gmon(plan), crafted.image(plan),
    crafted.gmon(slower) }).status)

  it("are marked if they may be due to chance, and can then be hidden", function()
    local found = visit(path, names,
      "[...document.querySelectorAll('tbody tr')].filter((e) => e.cells[2].textContent.includes('~'))" ..
        ".map((e) => e.cells[2].textContent).join(' ')",
      { "click", "#hide-noise" }, names, status, { "open", "work" },
      "[...document.querySelectorAll('h3')].map((e) => e.textContent).join(', ')",
      "[...document.querySelectorAll('#view section .facts dt')].map((e) => e.textContent).join(' ')")
    assert.matches(" Self Total Calls$", found[6])
    assert.equal("work leaf", found[1]:match "^%S+ %S+")
    assert.equal("~ +0.02", found[2])
    assert.equal("work main", found[3])
    assert.truthy(found[5]:find("Since the old profile", 1, true))
  end)

  it("begin with the name, and a bar around zero with a whisker for the error", function()
    local bar <const> = "(() => { const [part, whisker] = [...document.querySelectorAll('tbody tr')]" ..
      ".find((e) => e.textContent.startsWith('%s')).querySelectorAll('.change i, .change b'); " ..
      "return [part.className, part, whisker].map((e) => e.style ? [e.style.left, e.style.width] : e)" ..
      ".map((e) => Array.isArray(e) ? e.map((each) => Math.round(parseFloat(each))) : e); })()"
    local titles <const> = "[...document.querySelectorAll('th')].map((e) => e.textContent).slice(0, 3).join()"
    local found = visit(path, titles, bar:format "work", bar:format "leaf")
    assert.same({ "Function,Slower →,Self change", { "slower", { 50, 47 }, { 94, 6 } },
      { "chance", { 50, 0 }, { 49, 3 } } }, found)
  end)

  it("are chosen by kind; the address keeps kinds, filter, order and whether noise is hidden", function()
    local chips <const> = "[...document.querySelectorAll('.kind')].map((e) => e.textContent + (e.disabled ? '!' : ''))"
    local hash <const> = "decodeURIComponent(location.hash)"
    local other = crafted.gmon { functions = plan.functions, ticks = { work = 400, ping = 2 },
      calls = { { "main", "work", 7 } } }
    local found = visit(select(2, pages.crafted(plan, "--compare=" .. other)), chips, { "click", ".kind:nth-child(2)" },
      names, { "click", ".kind:nth-child(5)" }, hash, { "click", "#hide-noise" },
      { "click", "th:nth-child(3) button" }, { "key", "/" }, { "type", "w" }, hash,
      { "leave", "location.reload()" }, names, hash, { "open", "!lines" }, { "open", "!changes" }, hash,
      { "click", ".kind:nth-child(5)" }, { "click", ".kind:nth-child(2)" }, hash)
    assert.same({ "slower 3", "faster 2", "new 0!", "gone 0!", "calls changed 4", "Hide noise" }, found[1])
    assert.equal("work main", found[2])
    assert.equal("#!changes&kinds=faster,calls changed", found[3])
    local address <const> = "#!changes&kinds=faster,calls changed&noise=hidden&sort=-Self change&filter=w"
    assert.same({ address, "work", address }, { found[4], found[5], found[6] })
    assert.equal(#address, #found[7])
    assert.equal(nil, found[8]:match "kinds")
  end)

  it("are shown as shares of the old time, too; zeros are pale", function()
    local row <const> = "[...document.querySelectorAll('tbody tr')].find((e) => /work/.test(e.textContent))"
    local found = visit(path, "[..." .. row .. ".cells].slice(2, 7).map((e) => e.textContent)",
      "[...document.querySelectorAll('td.zero')].every((e) => Number(e.textContent) === 0)",
      "[...document.querySelectorAll('tbody td')].some((e) => e.textContent === '0.00' && e.matches('.zero'))")
    assert.same({ { "+3.00", "+1,000 %", "0.19", "0.30", "3.30" }, true, true }, found)
  end)

  it("are those of the other view, and of all threads, if these were compared", function()
    local heading <const> = "document.querySelector('.changed').previousSibling.textContent"
    local note <const> = "[...document.querySelectorAll('p.soft')].map((e) => e.textContent)" ..
      ".find((text) => text.startsWith('The comparison')) || ''"
    local sentence <const> = "/ since the old profile/.test(document.querySelector('.sentence').textContent)"
    local titles <const> = "colourings().some(({ title }) => title === 'change')"
    local function shown(files, options, search, name)
      local page = select(2, pages.write(files[1], files[2], "--compare=" .. files[2], table.unpack(options)))
      return visit(page, sentence, titles, { "leave", ("location.assign('?%s#%s')"):format(search, name) }, heading,
        { "open", "!changes" }, note, sentence, titles)
    end
    local function expected(scope)
      return { true, true, ("Since the old profile (%s)"):format(scope), ("The comparison is %s."):format(scope),
        false, false }
    end
    local inlined = { exported.inlined() }
    assert.same(expected "without inlined functions", shown(inlined, {}, "view=inlined", "main"))
    assert.same(expected "with inlined functions", shown(inlined, { "--inlines" }, "view=compiled", "main"))
    assert.same(expected "of all threads", shown({ exported.measured() }, {}, "thread=2", "work"))
  end)

  it("of a sum of functions belong to each of them", function()
    local sources <const> = {
      ["a.c"] = "static int init(int x) {\n  return x;\n}\nint main(void) {\n  return init(1);\n}\n",
      ["b.c"] = "static int init(int x) {\n  return x;\n}\nint other(void) {\n  return init(2);\n}\n" }
    local made, without_lines = small.build(sources), small.build(sources, shell.tmpdir "without", "-g0")
    local a, b = made.rows["a.c"], made.rows["b.c"]
    local function profile_of(first, second)
      return small.profile(made, { ticks = { [small.even(a[2][1])] = first, [small.even(b[2][1])] = second },
        arcs = { { a[5][1] + 6, a[1][1], 100 }, { b[5][1] + 6, b[1][1], 7 } } })
    end
    local sums = select(2, pages.write(made.image, profile_of(300, 20), "--compare=" .. profile_of(3, 2) .. "," ..
      without_lines.image))
    local row <const> = "[...document.querySelectorAll('tbody .name')].map((e) => e.textContent)" ..
      ".find((text) => text.startsWith('init'))"
    local links <const> = "[...document.querySelectorAll('tbody .name a:not(.node)')].map((e) => e.hash).join(' ')"
    local changed <const> = "[document.querySelector('.changed').textContent, " ..
      "document.querySelector('.changed').previousSibling.textContent]"
    local found = visit(sums, row, links, "document.querySelector('.sentence').textContent", { "open", "init (a.c)" },
      changed, { "open", "init (b.c)" }, changed, { "open", "!changes&file=b.c" }, row)
    assert.equal("init sum of 2 functions a.c:1, b.c:1", found[1])
    assert.equal("#init%20(a.c) #init%20(b.c)", found[2])
    assert.matches(", init %(sum of 2 functions%) 3%.15 s more%.", found[3])
    assert.equal("The sum of 2 functions named init:", found[4][2])
    assert.matches("Calls107 to 107$", found[4][1])
    assert.same(found[4], found[5])
    assert.equal(found[1], found[6])
  end)
end)

describe("People who cannot see a page well", function()
  local axe = program.root .. "/build/readers/node_modules/axe-core/axe.min.js"
  if not shell.exists(axe) then return pending "axe-core: needs npm and 'make readers'" end

  -- Each view in light and dark colours, and on a phone.
  it("can use all its views, as far as axe-core can tell", function()
    local image, gmon = exported.inlined()
    local visits = {}
    for i, options in ipairs { { "--spread", "-b" }, { "--compare=" .. gmon .. "," .. image } } do
      local steps = { select(2, pages.write(image, gmon, table.unpack(options))) }
      for _, size in ipairs { { 1280, 800, "light" }, { 1280, 800, "dark" }, { 390, 844, "light" } } do
        table.insert(steps, { "size", table.unpack(size) })
        for _, view in ipairs { "!functions", "!functions&group=file",
          "leaf", "!tree", "!tree=around:leaf", "!lines", "!source", "!files",
          "!changes", "!spread" } do
          table.insert(steps, { "open", view })
          table.insert(steps, { "axe", axe })
        end
      end
      table.insert(steps, { "key", "?" })
      table.insert(steps, { "axe", axe })
      visits[i] = steps
    end
    for _, seen in ipairs(visit_all(visits)) do
      assert.equal(31, #seen.results)
      for i, found in ipairs(seen.results) do assert.same({ i, {} }, { i, found }) end
    end
  end)

  it("can read instructions, and the call tree of both runs of a comparison", function()
    local image, gmon = exported.inlined()
    local faster = crafted.gmon { functions = plan.functions, calls = plan.calls, ticks = { work = 900, pong = 5 } }
    local dark <const> = { "size", 390, 844, "dark" }
    for _, seen in ipairs(visit_all {
      { select(2, pages.write(image, gmon)), { "open", "!source" }, { "key", "x" },
        "document.querySelectorAll('tr.code').length > 0", { "axe", axe }, dark, { "axe", axe } },
      { select(2, pages.crafted(plan, "--compare=" .. faster)), { "open", "!tree" },
        "document.querySelectorAll('.less').length > 0", { "axe", axe }, dark, { "axe", axe } } })
    do
      assert.same({ true, {}, {} }, seen.results)
    end
  end)

  it("can read cut names, names with parts in another order, and source without instructions", function()
    local long = { functions = { "main", "shop::Less<int>::operator()(int) const", ("very_"):rep(20) .. "long",
      "void shop::swap<int>(int&)" }, ticks = {}, calls = {} }
    for i, name in ipairs(long.functions) do
      long.ticks[name] = 100
      if i > 1 then long.calls[i - 1] = { "main", name, i } end
    end
    local dir = shell.tmpdir "kinds"
    shell.write(dir .. "/main.lua", "local function work() return table.concat {} end\nwork()\n")
    program.run({ "--record", "--html=page.html", "main.lua" }, { cwd = dir })
    local phone <const> = { "size", 390, 844, "light" }
    for _, seen in ipairs(visit_all {
      { select(2, pages.crafted(long)), { "open", "!tree" }, { "axe", axe }, { "open", "main" }, { "axe", axe } },
      { dir .. "/page.html", phone, { "open", "!tree" }, { "axe", axe }, { "open", "!source" }, { "axe", axe } } })
    do
      assert.same({ {}, {} }, seen.results)
    end
  end)

  it("can choose threads", function()
    local image, context = exported.measured()
    local phone <const> = { "size", 390, 844, "dark" }
    local found = visit(select(2, pages.write(image, context)), { "open", "!threads" }, { "axe", axe },
      { "leave", "location.assign('?thread=2')" }, { "axe", axe }, phone, { "axe", axe }, { "open", "!threads" },
      { "axe", axe })
    assert.same({ {}, {}, {}, {} }, found)
  end)
end)

describe("A page", function()
  it("without times, or without calls, shows the rest", function()
    local counts = select(2, pages.crafted { functions = plan.functions, calls = plan.calls })
    local times = select(2, pages.crafted { functions = plan.functions, ticks = plan.ticks })
    local seen = visit_all {
      { counts, "[...document.querySelectorAll('th')].map((e) => e.textContent).join(' ')", names,
        { "open", "!tree" }, title, { "open", "ping" }, tables },
      { times, names, { "open", "leaf" }, tables, { "open", "!tree" }, frames },
      { select(2, pages.crafted { functions = plan.functions }), names },
    }
    assert.same({ "Calls Function", "leaf ping pong work main", "Functions", "pong main | pong" }, seen[1].results)
    assert.same({ "leaf work ping pong", "", "all leaf work ping pong" }, seen[2].results)
  end)

  it("works with every option that selects functions or calls", function()
    local image, gmon = crafted.image(plan), crafted.gmon(plan)
    local walk <const> = "(async () => { for (let node = 0; node < nodeCount; node++) { " ..
      "location.hash = linkTo(node); await new Promise((done) => setTimeout(done, 10)); } " ..
      "return tree ? frameName(tree.frame[tree.frame.length - 1]) : ''; })()"
    local cases <const> = { { "-qleaf", "leaf" }, { "-Qwork", "leaf" }, { "-pwork", "work" }, { "-kmain/work", "leaf" },
      { "-nleaf", "leaf" }, { "-z", "leaf" }, { "-Eping", "leaf" } }
    local visits = {}
    for i, case in ipairs(cases) do
      visits[i] = { select(2, pages.write(image, gmon, case[1])), { "open", "!tree" }, walk }
    end
    for i, page in ipairs(visit_all(visits)) do
      assert.same(cases[i], { cases[i][1], page.results[1] })
    end
  end)

  it("works for a program with a single call and no samples", function()
    local idle = select(2, pages.crafted { functions = plan.functions, ticks = {}, calls = { { "main", "leaf", 1 } } })
    local found = visit(idle, names, { "open", "!tree" }, title, { "open", "leaf" }, tables)
    assert.same({ "leaf main", "Functions", "main" }, found)
  end)

  it("of a real program logs no errors", function()
    local visits = {}
    for _, image, gmon in exported.each_program() do
      table.insert(visits, { select(2, pages.write(image, gmon)), { "open", "!tree" }, { "open", "!source" },
        { "open", "main" } })
    end
    visit_all(visits)
  end)

  it("blocks injected scripts and network requests", function()
    local seen = browser.visit { { select(2, pages.crafted(plan)), {
      { "eval", "document.body.append(make('script', {}, 'window.evil = 1')); String(window.evil)" },
      { "eval", "document.body.append(make('img', { src: 'x', onerror: 'window.evil = 2' })); 0" },
      { "eval", "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')" },
      { "eval", "new Promise((done) => setTimeout(() => done(String(window.evil)), 200))" },
    } } }[1]
    assert.same({ "undefined", 0, "refused", "undefined" }, seen.results)
    assert.truthy(#seen.complaints >= 3, table.concat(seen.complaints, "\n"))
    for _, complaint in ipairs(seen.complaints) do
      assert.truthy(complaint:find "Content Security Policy", complaint)
    end
  end)

  it("can be read without scripts", function()
    local path = select(2, pages.crafted(plan))
    local seen = browser.visit { { path, { { "script", false },
      { "eval", "document.querySelectorAll('noscript tbody tr').length" },
      { "eval", "document.body.innerText.includes('Functions')" },
      { "eval", "[...document.querySelectorAll('th')].map((e) => e.innerText)" },
      { "eval", "getComputedStyle(document.body).fontSize" } } } }[1]
    assert.same({ 12, true, { "Self %", "Self seconds", "±", "Total seconds", "Calls", "Function", "Caller", "Callee",
      "Calls", "Time in callee" }, "14px" }, seen.results)
    assert.same({}, seen.requests)
  end)

  it("can be printed", function()
    local target = shell.tmpdir() .. "/page.pdf"
    visit(select(2, pages.crafted(pages.names)), { "print", target })
    assert.truthy(#shell.read(target) > 5000)
  end)

  it("of ten thousand functions opens within ten seconds, and sorts and filters", function()
    local path = select(2, pages.crafted(pages.many()))
    local since = "performance.now()"
    local found, ready = visit(path, "document.querySelectorAll('tbody tr').length", status, since,
      click_head "Function", since, { "key", "/" }, since, { "type", "method_77" }, since, status, "scrollTo(0, 1e6)",
      "new Promise((done) => setTimeout(done, 300))", "document.querySelectorAll('tbody tr').length")
    assert.same({ 100, "10,000 functions" }, { found[1], found[2] })
    assert.truthy(found[8]:find "^111 of 10,000 functions")
    assert.truthy(found[#found] > 100)
    print(("\na page of 10,000 functions: drawn after %.0f ms, sorted in %.0f, filtered in %.0f"):format(ready,
      found[5] - found[3], found[7] - found[6]))
    assert.truthy(ready < 10000, ready)
  end)
end)

it("The browser leaves no files, also if it is stopped", function()
  local dir, page = shell.tmpdir(), select(2, pages.crafted(plan))
  shell.write(dir .. "/visits", ('[["%s", []]]\n'):format(page))
  local result = shell.run({ "sh", "-c", [[
    mkdir d
    mkfifo visit answer
    export TMPDIR=$PWD/d
    node "$1" chromium visits
    echo $?
    ls -A d
    node "$1" chromium - <visit >answer &
    exec 3>visit 4<answer
    cat visits >&3
    head -n 1 <&4
    kill $!
    wait $!
    echo $?
    ls -A d]], "sh", program.root .. "/spec/readers/page.js" }, { cwd = dir })
  assert.same({ "X0\nX1\n", "" }, { result.stdout:gsub("%[[^\n]*%]\n", "X"), result.stderr })
end)
