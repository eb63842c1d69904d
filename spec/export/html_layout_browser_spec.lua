-- --html: the layout of a page on screens, on phones and on paper.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local build = require "support.build"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local plan <const> = crafted.example
local fits <const> = browser.fits

-- The headings of the columns that can be seen.
local columns <const> = "[...document.querySelectorAll('#view th')].filter((e) => e.offsetWidth > 0)" ..
  ".map((e) => e.textContent).join(', ')"

-- Elements that take more than one line.
local function taller(selector)
  return ("[...document.querySelectorAll(%q)].filter((e) => e.offsetHeight > 28).map((e) => e.textContent)"):format(
    selector)
end

describe("The header of a page", function()
  -- A program with a long path, and a build number.
  local deep = shell.tmpdir() .. "/" .. ("directory/"):rep(8)
  assert(os.execute("mkdir -p " .. deep))
  local image, gmon = deep .. "program", deep .. "gmon.out"
  shell.write(image, shell.read(crafted.image(plan)))
  shell.write(gmon, shell.read(crafted.gmon(plan)))
  local path = select(2, pages.write(image, gmon))

  it("has a line for each figure; of paths, the directory is cut", function()
    local steps = { path }
    for _, size in ipairs { { 1180, 800 }, { 1024, 768 }, { 390, 844 } } do
      table.insert(steps, { "size", table.unpack(size) })
      table.insert(steps, taller ".whole dd")
      table.insert(steps, fits)
      table.insert(steps, "(() => { const [dir, name] = document.querySelectorAll('.program dd span'); " ..
        "return name.textContent + (name.scrollWidth > name.clientWidth) + dir.parentNode.title.startsWith('/'); })()")
    end
    table.insert(steps, "new Set([...document.querySelectorAll('.whole dt')].map((e) => e.offsetTop)).size")
    table.insert(steps, { "size", 1180, 800 })
    table.insert(steps, "new Set([...document.querySelectorAll('.whole dt')].map((e) => e.offsetTop)).size")
    local shown <const> = "/programfalsetrue"
    assert.same({ {}, true, shown, {}, true, shown, {}, true, shown, 4, 1 }, browser.walk(table.unpack(steps)))
  end)

  it("is followed by the warnings, with what to do", function()
    local found = browser.walk(path, "document.querySelector('.warning em').textContent")
    assert.match("^Run the program for longer", found[1])
  end)
end)

describe("On a phone, a page", function()
  it("shows the column that its warning speaks of", function()
    local few = select(2, pages.crafted(plan))
    local many = { functions = plan.functions, calls = plan.calls, ticks = { work = 3000, leaf = 40 } }
    local phone <const> = { "size", 390, 844 }
    local compared = select(2, pages.crafted(plan, "--compare=" .. crafted.gmon(plan)))
    local seen = browser.walk_all {
      { few, phone, columns, fits, taller "td:not(.name)" },
      { select(2, pages.crafted(many)), phone, columns, fits },
      { compared, phone, columns, fits },
    }
    assert.same({ "Self %, Self s, ±, Total s, Function", true, {} }, seen[1].results)
    assert.same({ "Self %, Total s, Self in total, Function", true }, seen[2].results)
    assert.same({ "Function, Total change, Total new", true }, seen[3].results)
  end)

  it("has room for its controls; what a search found is below them", function()
    local narrow <const> = "[...document.querySelectorAll('.tools select')].filter((e) => e.offsetWidth < 150).length"
    local found = browser.walk(select(2, pages.crafted(plan)), { "size", 390, 844 }, { "open", "!tree" },
      { "key", "/" }, { "type", "l" },
      "document.querySelector('.tools [role=status]').textContent.includes('of the time')", narrow,
      "document.querySelector('.legend').offsetTop > document.querySelector('.tree').offsetTop")
    assert.same({ true, 0, true }, found)
  end)
end)

describe("On a tablet, a page", function()
  it("has the controls of its call tree in one line", function()
    assert.same({ true, true }, browser.walk(select(2, pages.crafted(plan, "--compare=" .. crafted.gmon(plan))),
      { "size", 768, 1024 }, { "open", "!tree" }, "document.querySelector('.tools').offsetHeight < 40", fits))
  end)
end)

describe("On a phone, a table", function()
  it("has all numbers in one line each", function()
    local large = { functions = { "main", "f" }, ticks = { main = 65534, f = 12345 },
      calls = { { "main", "f", 4294967295 } } }
    local old = crafted.gmon { functions = large.functions, ticks = { main = 10, f = 3 }, calls = large.calls }
    local steps = { select(2, pages.crafted(large, "--compare=" .. old)), { "size", 390, 844 } }
    for _, view in ipairs { "!changes", "!functions", "f" } do
      table.insert(steps, { "open", view })
      table.insert(steps, taller "td:not(.name)")
    end
    assert.same({ {}, {}, {} }, browser.walk(table.unpack(steps)))
  end)
end)

describe("While a page is scrolled", function()
  it("its tabs and the head of its table stay in sight; the head of source names the file", function()
    local many = { functions = {}, ticks = {} }
    for i = 1, 100 do
      many.functions[i] = ("function_%d"):format(i)
      many.ticks[many.functions[i]] = i
    end
    local tops <const> = "['#page > nav', '#view th'].map((name) => " ..
      "document.querySelector(name).getBoundingClientRect().top)"
    local image, gmon = exported.inlined()
    local seen = browser.walk_all {
      { select(2, pages.crafted(many)), { "size", 1000, 300 }, "scrollTo(0, 1500)", tops },
      { select(2, pages.write(image, gmon)), { "size", 390, 100 }, { "open", "!source" },
        "document.querySelector('#view th:last-child').textContent",
        "document.querySelector('h2').innerText", "document.querySelector('h2').getBoundingClientRect().top",
        { "size", 390, 844 }, "document.querySelector('#view th').getBoundingClientRect().bottom <= " ..
          "document.querySelector('#view tbody tr').getBoundingClientRect().top" },
    }
    assert.same({ 0, 37 }, seen[1].results[2])
    assert.same({ "Source of main.c", "main.c", 37, true }, seen[2].results)
  end)
end)

describe("A deep call tree", function()
  local plan_of <const> = { functions = {}, ticks = {}, calls = {} }
  for i = 1, 60 do
    plan_of.functions[i] = ("f%d"):format(i)
    plan_of.calls[i - 1] = i > 1 and { plan_of.functions[i - 1], plan_of.functions[i], 1 } or nil
  end
  plan_of.ticks.f60 = 500

  it("is below its legend; what is pointed at is said in sight, however far the page is scrolled", function()
    local top <const> = "document.querySelector('.detail').getBoundingClientRect().top"
    local edges <const> = "(() => { const box = document.querySelector('.detail').getBoundingClientRect(); " ..
      "return document.elementFromPoint(45, box.top + 2).className + document.elementFromPoint(innerWidth - 50, " ..
      "box.top + 2).className; })()"
    local found = browser.walk(select(2, pages.crafted(plan_of)), { "open", "!tree" }, { "size", 1920, 300 },
      "document.querySelector('.legend').offsetTop < document.querySelector('.tree').offsetTop", fits,
      "scrollTo(0, 900)", top, edges, "scrollTo(0, 0)", { "key", "ArrowDown" }, { "key", "ArrowDown" },
      "scrollY", "for (let i = 0; i < 40; i++) document.activeElement.dispatchEvent(" ..
      "new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))", { "key", "ArrowUp" },
      "document.querySelector('.at').getBoundingClientRect().bottom <= innerHeight", "scrollTo(0, 1400)",
      { "key", "ArrowUp" }, "document.querySelector('.at').getBoundingClientRect().top >= " ..
      "document.querySelector('.detail').getBoundingClientRect().bottom")
    assert.same({ true, true, 37, "detaildetail" }, { found[1], found[2], found[4], found[5] })
    assert.same({ true, true }, { found[9], found[11] })
  end)

  it("is drawn as far as a phone shows it", function()
    local last <const> = "document.elementFromPoint(100, innerHeight - 12).className.includes('frame')"
    local page = select(2, pages.crafted(plan_of))
    assert.same({ true }, browser.walk(page, { "size", 390, 844 }, { "open", "!tree" }, last))
  end)

  it("stays where it is when it is zoomed; of a long path, the end is in sight", function()
    local top <const> = "document.querySelector('.tree').offsetTop - document.querySelector('.legend').offsetTop"
    local found = browser.walk(select(2, pages.crafted(plan_of)), { "size", 600, 800 }, { "open", "!tree" }, top,
      { "click", ".frame[aria-label^='f5:']" }, top, { "click", ".frame[aria-label^='f20:']" }, top,
      "(() => { const path = document.querySelector('.path'), end = path.lastChild.getBoundingClientRect(); " ..
      "return end.right <= path.getBoundingClientRect().right + 1 && path.scrollLeft > 0; })()", fits,
      { "open", "!tree=around:f7" }, "[...document.querySelectorAll('.caption')].map((e) => e.textContent)")
    assert.same({ found[1], found[1], found[1], true, true, { "Callers of f7",
      "Callees of f7. Click a frame to see the calls around its function." } }, found)
  end)
end)

describe("A line that is in sight", function()
  it("is marked without scrolling to it; others are scrolled to", function()
    local image, gmon = exported.inlined()
    local marked <const> = "[scrollY > 0, " ..
      "document.querySelector('.here').getBoundingClientRect().bottom <= innerHeight]"
    local found = browser.walk(select(2, pages.write(image, gmon)), { "open", "!source" }, marked, { "open", "!lines" },
      { "size", 1280, 200 }, { "open", "!source" }, marked)
    assert.same({ { false, true }, { true, true } }, found)
  end)
end)

describe("Columns of numbers", function()
  it("are as narrow as their numbers, however few functions there are", function()
    local large = { functions = { "main", "f" }, ticks = { main = 65534, f = 1 },
      calls = { { "main", "f", 4294967295 } } }
    local found = browser.walk(select(2, pages.crafted(large)), { "size", 1180, 800 },
      "[...document.querySelectorAll('#view th:not(.bar, .left)')].filter((e) => e.offsetWidth > 130).length",
      { "open", "f" }, "(() => { const [calls, all] = document.querySelectorAll('td.count'), range = new Range(); " ..
        "range.selectNodeContents(all); const text = range.getBoundingClientRect(); " ..
        "return text.left - calls.getBoundingClientRect().right; })()")
    assert.same({ 0, 0 }, found)
  end)
end)

describe("Long names in a page", function()
  local cxx = build.program "shapes"
  local path = select(2, pages.write(cxx.image, cxx.gmon))

  it("show what is the function's own name", function()
    local parts <const> = "(() => { const list = nameParts(%q).filter(Boolean); " ..
      "return list.map((e) => e.textContent).join('|') + ' ' + list[list.length - 1].firstChild.data; })()"
    local found = browser.walk(path, parts:format "void a::B<c::d>::find<int>(x::y) const", parts:format "find",
      parts:format "main::{lambda(int)#1}::operator()(int) const", parts:format "memcpy@libc.so.6")
    assert.same({ "void a::B<c::d>::|find<int>(x::y) const find<int>", "find find",
      "main::|{lambda(int)#1}::operator()(int) const {lambda(int)#1}::operator()", "memcpy@libc.so.6 memcpy" }, found)
  end)

  it("have it first in tables, where it cannot be cut; wide screens have a line for each function", function()
    local key <const> = "std::_Hashtable<gold::Stringpool<char>::Hashkey, std::pair<gold::Hashkey const, long>>::"
    local long = { functions = { "main", key .. "find_node(unsigned long, gold::Hashkey const&) const",
      key .. "insert(unsigned long)", "short()" }, ticks = {}, calls = {} }
    for i, name in ipairs(long.functions) do
      long.ticks[name] = 100 * i
      if i > 1 then long.calls[i - 1] = { "main", name, i } end
    end
    local first <const> = "[...document.querySelectorAll('td.name .node')].filter((e) => e.offsetWidth > 0)" ..
      ".every((e) => { const range = new Range(); range.selectNode(e.querySelector('.own').firstChild); " ..
      "const own = range.getBoundingClientRect(), cell = e.closest('td').getBoundingClientRect(); " ..
      "return own.left - cell.left < 1 && own.right < cell.right && own.top - cell.top < 6; })"
    local page = select(2, pages.crafted(long, "--compare=" .. crafted.gmon(long)))
    local steps = { page }
    for _, width in ipairs { 1440, 1024, 390 } do
      table.insert(steps, { "size", width, 900 })
      for _, view in ipairs { "!functions", "main", "!changes" } do
        table.insert(steps, { "open", view })
        table.insert(steps, first)
        table.insert(steps, width == 1440 and taller "tbody tr" or fits)
      end
    end
    table.insert(steps, "location.hash = linkTo(functions.name.findIndex((name) => name.includes('find_node')))")
    table.insert(steps, { "size", 1440, 900 })
    table.insert(steps, "document.querySelector('h2 .own').firstChild.data")
    local found = browser.walk(table.unpack(steps))
    assert.equal("find_node", table.remove(found))
    found[#found] = nil
    for i, each in ipairs(found) do assert.same(i <= 6 and i % 2 == 0 and {} or true, each, i) end
  end)

  it("of Lua functions are taken apart at dots, and those without a name are not", function()
    local parts <const> = "(() => { data.scripts = true; return ['gprof.core.profile', 'Class:method'" ..
      ", 'init.lua:12', " ..
      "'main chunk of a.lua', 'for iterator', 'ipairs (iterator)', 'a.lua'].map((name) => splitName(name).join('<')" ..
      " + ' ' + nameParts(name).filter(Boolean).map((e) => e.textContent).join('|')); })()"
    assert.same({ { "profile<gprof.core gprof.core.|profile", "method<Class Class:|method", "init.lua:12< init.lua:12",
      "main chunk of a.lua< main chunk of a.lua", "for iterator< for iterator", "ipairs (iterator)< ipairs (iterator)",
      "a.lua< a.lua" } }, browser.walk(path, parts))
  end)

  it("do not move the call tree when its frames are pointed at", function()
    local heights <const> = "(() => { const heights = new Set(); for (const frame of document.querySelectorAll" ..
      "('.frame')) { const { x, y } = frame.getBoundingClientRect(); frame.dispatchEvent(new MouseEvent(" ..
      "'mousemove', { bubbles: true, clientX: x + 1, clientY: y + 1 })); " ..
      "heights.add(document.querySelector('.tree').offsetTop); } return [heights.size, heights.size > 0]; })()"
    assert.same({ { 1, true } }, browser.walk(path, { "size", 1000, 800 }, { "open", "!tree" }, heights))
  end)
end)

describe("Call trees on a wide screen", function()
  it("are as wide as the window; those around a function have captions", function()
    local width <const> = "document.querySelector('.tree').offsetWidth"
    local found = browser.walk(select(2, pages.crafted(plan)), { "open", "!tree=around:work" }, width,
      { "size", 1920, 1080 }, width, fits,
      "[...document.querySelectorAll('.canvas > *')].map((e) => e.textContent && e.className).join(' ')")
    assert.same({ 1109, 1865, true, "caption tree tree caption" }, found)
  end)
end)

describe("The labels of a call tree", function()
  -- The classes of frames whose labels have a contrast under 4.5, which WCAG 2.1 asks for (success criterion 1.4.3).
  local pale <const> = [[(() => {
    const values = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const light = (colour) => values(colour).map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
      .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0.05);
    const row = document.querySelector(".row"), kinds = ["tr", "tr dim", "tr hit"];
    for (const [letter, last] of Object.entries({ u: HUES - 1, h: 4, c: 5 }))
      for (let i = 0; i <= last; i++) kinds.push(letter + i);
    return kinds.filter((kind) => {
      const scope = make("span", { class: "scope" }, "x"), frame = make("div", { class: "frame " + kind }, scope);
      row.append(frame);
      const lights = [getComputedStyle(frame).backgroundColor, getComputedStyle(scope).color].map(light);
      frame.remove();
      return !(Math.max(...lights) / Math.min(...lights) >= 4.5);
    });
  })()]]

  it("can be read on all colours", function()
    local found = browser.walk(select(2, pages.crafted(plan)), { "open", "!tree" }, pale,
      { "size", 1280, 800, "dark" }, pale)
    assert.same({ {}, {} }, found)
  end)
end)

describe("Pages on all screens", function()
  local sizes <const> = { { 1280, 800, "light" }, { 1920, 1080, "dark" }, { 390, 844, "light" }, { 390, 844, "dark" } }
  local views <const> = { "!functions", "main", "!tree", "!lines", "!source", "!changes" }
  local shots <const> = os.getenv "GPROF_SHOTS" -- a directory for pictures, if you want to look at the pages
  if shots then
    table.insert(sizes, { 1280, 800, "dark" })
    table.insert(sizes, { 1920, 1080, "light" })
    for _, view in ipairs { "!tree=up:", "!tree=around:main", "!files", "!threads", "!spread" } do
      table.insert(views, view)
    end
  end

  -- The elements that reach over the right edge, unless they can be scrolled; and numbers of lines that are broken.
  local wrong <const> = [[(() => { const all = [...document.querySelectorAll("body *")];
    const outside = all.filter((e) => e.getBoundingClientRect().right > innerWidth + 1
      && !e.closest("nav, .sourcebox, .neighbourhood, .tree, dialog, .whole dd, code, .node > span, .excerpt td"));
    const broken = all.filter((e) => e.matches("span.number:not(.text *)") && e.getClientRects().length > 1);
    return [...outside, ...broken].map((e) => e.tagName + "." + e.className).slice(0, 3); })()]]

  local function write(...)
    local path = shell.tmpdir "page" .. "/page.html"
    assert.equal(0, program.run({ "--html=" .. path, ... }).status)
    return path
  end

  -- Returns more pages for pictures: of 100,000 functions and 1,000,000 nodes; of threads, all and one of them, in
  -- which inlined functions are shown; of several runs; and of a program in Lua. `page` is that of a C program.
  local function more_pages(page)
    local large = shell.tmpdir "page" .. "/page.html"
    shell.check { "node", "bench/page.js", page, large }
    local sorts = recorder.compile("sorts.c", { flags = { "-O1" } })
    local runs = {}
    for i = 1, 3 do runs[i] = recorder.run(sorts, { "8", tostring(100 * i) }).dir .. "/gmon.out" end
    local threads, script = write(sorts.image, runs[3]), shell.tmpdir "script" .. "/script.prof"
    shell.check { "lua5.4", "gprof.lua", "--record", "--output=" .. script, "-b", "gprof.lua",
      "--html=" .. script .. ".html", sorts.image, runs[1] }
    return { { "large", large }, { "threads", threads },
      { "thread", threads, search = "?view=inlined&thread=sorter-1" },
      { "spread", write("--spread", sorts.image, table.unpack(runs)) }, { "lua", write(script) } }
  end

  it("have nothing beyond the right edge: C, C++, a comparison, a profile of another program", function()
    local c, cxx = build.program "hum", build.program "shapes"
    local slower = { functions = plan.functions, calls = plan.calls, ticks = { work = 330, ping = 20, leaf = 42 } }
    local all = { { "c", write(c.image, c.gmon) }, { "cxx", write(cxx.image, cxx.gmon) },
      { "wrong", write(cxx.image, c.gmon) },
      { "comparison", write("--compare=" .. crafted.gmon(plan), crafted.image(plan), crafted.gmon(slower)) } }
    if shots then table.move(more_pages(all[1][2]), 1, 5, #all + 1, all) end
    local visits = {}
    for i, page in ipairs(all) do
      visits[i] = { page[2], page.search and { "leave", ("location.assign(%q)"):format(page.search) } }
      for _, size in ipairs(sizes) do
        table.insert(visits[i], { "size", table.unpack(size) })
        for _, name in ipairs(views) do
          local picture = ("%s/%s-%s-%d-%s.png"):format(shots, page[1], name:gsub("!", ""), size[1], size[3])
          table.insert(visits[i], { "open", name })
          table.insert(visits[i], shots and { "shot", picture } or nil)
          table.insert(visits[i], wrong)
        end
      end
    end
    for i, seen in ipairs(browser.walk_all(visits)) do
      assert.equal(#sizes * #views, #seen.results)
      for k, found in ipairs(seen.results) do
        assert.same({ all[i][1], sizes[(k - 1) // #views + 1], views[(k - 1) % #views + 1], {} },
          { all[i][1], sizes[(k - 1) // #views + 1], views[(k - 1) % #views + 1], found })
      end
    end
  end)
end)

describe("Filters that match nothing", function()
  it("say so, and can be cleared by a button", function()
    local empty <const> = "[...document.querySelectorAll('#view .empty')].map((e) => e.hidden)"
    local rows <const> = "document.querySelectorAll('#view tbody tr').length"
    local found = browser.walk(select(2, pages.crafted(plan)), empty, { "key", "/" }, { "type", "nobody" }, empty, rows,
      { "click", ".empty button" }, empty, rows, "document.activeElement.value")
    assert.same({ { true }, { false }, 0, { true }, 5, "" }, found)
  end)
end)
