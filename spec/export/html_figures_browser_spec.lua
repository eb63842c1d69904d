-- --html: bounds, measured times and threads of a page in a browser.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local build = require "support.build"
local contexts = require "support.contexts"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local gmon = require "support.gmon"
local gprof = require "gprof"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"
local stacks = require "support.context_stacks"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local rows <const> = "[...document.querySelectorAll('tbody tr')].map((e) => " ..
  "[...e.cells].map((c) => c.textContent.trim()).join('|')).join('; ')"
local notes <const> = "document.querySelector('.notes').textContent"

describe("The times per call of a page", function()
  it("have three digits and no exponents, in the unit that fits when they are rounded", function()
    local path = select(2, pages.crafted(crafted.example))
    local found = browser.walk(path, "[1234.5, 999.6, 0.9996, 0.0321, 1e-3, 9.996e-7, 5e-11, 1e-17, 0].map(perCall)",
      "(data.unit = 'cycles', [123456.7, 12.34, 1e-9].map((time) => perCall(time).split(' ')[0]))")
    assert.same({ "1235 s", "1000 s", "1.00 s", "32.1 ms", "1.00 ms", "1.00 µs", "0.0500 ns", "0.00 ns", "" }, found[1])
    assert.same({ "123457", "12.3", "0.00" }, found[2])
  end)
end)

describe("The bounds of total times in a page", function()
  if io.popen("uname -m"):read "l" ~= "x86_64" then return end  -- only its code is surveyed
  local built = build.program "calls"

  it("are those of the library, in the table and hatched in the bars", function()
    local path = select(2, pages.write(built.image, built.gmon, "--bounds"))
    local known = dkjson.decode(program.run { "--bounds", "--export=json", built.image, built.gmon }.stdout)
    local low, high = 0, 0
    for _, f in ipairs(known.functions) do
      if f.self + f.children > 0 or f.calls > 0 then low, high = low + f.total_low, high + f.total_high end
    end
    local found = browser.walk(path, "functions.total_low.reduce((a, b) => a + b, 0)",
      "functions.total_high.reduce((a, b) => a + b, 0)",
      [[(() => { functions.total_low[0] = 0.25 * data.total; functions.total_high[0] = 0.75 * data.total;
        const bar = timeBar(0).querySelector('b');
        return [bar.style.left, bar.style.width, boundsText(0).slice(-1)]; })()]],
      [[(() => { functions.total_high[0] = functions.total_low[0];
        return [timeBar(0).querySelector('b') === null, /[?–]/.test(boundsText(0))]; })()]],
      "document.querySelector('th:nth-child(6)').textContent", { "open", "main" },
      "[...document.querySelectorAll('dt')].some((e) => e.textContent === 'Bounds')",
      "document.querySelector('#view').textContent.includes('Bounds of total times assume one thread')")
    assert.near(low, found[1], 1e-4)
    assert.near(high, found[2], 1e-4)
    assert.same({ { "25%", "50%", "?" }, { true, false }, "Bounds", true, true }, table.move(found, 3, 7, 1, {}))
  end)

  it("have no column without --bounds", function()
    local found = browser.walk(select(2, pages.write(built.image, built.gmon)), "hasBounds",
      "document.querySelector('#view').textContent.includes('Bounds')")
    assert.same({ false, false }, found)
  end)
end)

describe("Estimated total times of a page", function()
  -- The time of work may be that of a or of b.
  local shared = { functions = { "main", "a", "b", "work" }, ticks = { main = 40, work = 60 },
    calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "work", 1 }, { "b", "work", 2 } } }
  local path = select(2, pages.write(crafted.image(shared), crafted.gmon(shared)))

  it("are hatched between the bounds that the calls leave, which are in the tip", function()
    local bars <const> = "Object.fromEntries(functions.name.map((name, f) => { const bar = timeBar(f), range = " ..
      "bar.querySelector('b'); return [name, range && [bar.className, bar.title, range.style.left, " ..
      "range.style.width]]; }))"
    local tips <const> = "[...document.querySelectorAll('.lists .guess')].map((e) => e.title).join('; ')"
    local frame <const> = "document.querySelector('.frame.guess').getAttribute('aria-label')"
    local found = browser.walk(path, bars, { "open", "work" }, tips, { "open", "!tree" }, frame)
    local vague <const> = { "share guess", "Total: 0–60 % of all time, 0.00–0.60 s", "0%", "60%" }
    assert.same({ main = false, work = false, a = vague, b = vague }, found[1])
    assert.equal("0–0.60 s, 0–60 % of all time; 0–0.60 s, 0–60 % of all time", found[2])
    assert.match("possible 0–60 %% of all", found[3])
  end)

  it("are said to be guessed in the header, unless they were measured", function()
    local header <const> = "document.querySelector('header').textContent.includes('by guess; --record measures it')"
    local image, context = exported.measured()
    local seen = browser.walk_all { { path, header, "document.querySelector('.guessed').textContent" },
      { select(2, pages.write(image, context)), header, "limits.size" } }
    assert.same({ true, " 60 % of the time is attributed to callers by guess; --record measures it." }, seen[1].results)
    assert.same({ false, 0 }, seen[2].results)
  end)
end)

describe("The arcs of a page", function()
  it("are hatched where time is divided among callers by guess", function()
    local shared = { functions = { "main", "a", "b", "work" }, ticks = { main = 40, work = 60 },
      calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "work", 1 }, { "b", "work", 2 } } }
    local hatched <const> = "[...document.querySelectorAll('tbody tr')].filter((e) => e.querySelector('.guess')" ..
      ").map((e) => e.cells[e.cells.length - 1].textContent.trim()).join(' ')"
    local found = browser.walk(select(2, pages.write(crafted.image(shared), crafted.gmon(shared))), { "open", "work" },
      hatched, { "open", "a" }, hatched, { "open", "main" }, hatched)
    assert.same({ "b a", "work", "" }, found)
  end)
end)

describe("The measured times of a page", function()
  local functions <const> = { "main", "work" }

  local function page(lost)
    return select(2, pages.write(crafted.image { functions = functions },
      gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, { uncounted = true,
        { "main", "work", ticks = 100 - lost }, { "work", ticks = lost, lost = true } }))))
  end

  it("are said to lack samples without complete call paths", function()
    local note <const> = "Call paths are complete for 40% of the samples"
    local texts <const> = "['header', '#view'].map((e) => document.querySelector(e).textContent.includes('" .. note ..
      "'))"
    local hint <const> = "[...document.querySelectorAll('th [title], th[title]')].map((e) => e.title).find((title)" ..
      " => title.startsWith('Time in the function and its callees'))"
    local steps <const> = { hint, { "open", "!tree" }, texts, { "open", "main" }, texts }
    local seen = browser.walk_all { { page(60), table.unpack(steps) }, { page(0), table.unpack(steps) } }
    assert.same({ "Time in the function and its callees (measured). " .. note .. ": total times may lack the others",
      { true, true }, { true, true } }, seen[1].results)
    assert.same({ "Time in the function and its callees (measured)", { false, false }, { false, false } },
      seen[2].results)
  end)
end)

describe("The threads of a page", function()
  local functions <const> = { "main", "parse", "render" }
  local image = crafted.image { functions = functions }
  local context = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, {
    { "main", "parse", ticks = 300 }, { "main", "render", ticks = 900, thread = 2 } }))

  it("are listed; the tree and the times of calls are named measured", function()
    local path = select(2, pages.write(image, context))
    local found = browser.walk(path, { "open", "!threads" }, rows, "document.querySelector('#view p').textContent",
      { "open", "!tree" }, "document.querySelector('.tree').getAttribute('aria-label')", { "open", "main" },
      "document.querySelector('#view').textContent.includes('Call times are measured')")
    assert.same({ "75.0|0.900||2|2|thread; 25.0|0.300||2|1|thread",
      "The other views show all threads together. Choose one of them here or in the settings.",
      "Call tree, measured", true }, found)
  end)

  it("are shown by a tab that is scrolled to on narrow screens", function()
    local inside <const> = "(() => { const { left, right } = document.querySelector('[aria-current]')" ..
      ".getBoundingClientRect(); return left >= 0 && right <= innerWidth; })()"
    local found = browser.walk(select(2, pages.write(image, context)), { "size", 160, 400 },
      "document.querySelector('nav').scrollWidth > innerWidth", { "open", "!threads" }, inside, { "open", "" },
      inside)
    assert.same({ true, true, true }, found)
  end)

  it("can be filtered", function()
    local status <const> = "document.querySelector('[role=status]').textContent"
    local found = browser.walk(select(2, pages.write(image, context)), { "open", "!threads" }, status, { "key", "/" },
      { "type", "2" }, status, rows)
    assert.same({ "2 threads", "1 thread", "75.0|0.900||2|2|thread" }, found)
  end)

  it("of a page with --thread are marked, and a note says what is shown", function()
    local path = select(2, pages.write(image, context, "--thread=2"))
    local found = browser.walk(path, notes, { "open", "!threads" }, rows)
    assert.match("Only threads with the name or number 2 are shown: 75.0 % of the time of all threads.", found[1],
      1, true)
    assert.equal("75.0|0.900||2|2|thread; 25.0|0.300||2|1|thread not in the other views", found[2])
  end)

  it("say how to write a page of one of them if there is no choice", function()
    local text <const> = "document.querySelector('#view p').textContent"
    local found = browser.walk(select(2, pages.write(image, context, "--thread=2")), { "open", "!threads" }, text,
      "document.querySelector('.thread-choice') === null")
    assert.same({ "The other views show only some of the threads. For a page of one of them, write it with " ..
      "--thread=NAME, or with its number.", true }, found)
  end)

  it("have no view if there is only one", function()
    local one = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, { { "main", ticks = 3 } }))
    local found = browser.walk(select(2, pages.write(image, one)), "document.querySelector('nav').textContent")
    assert.is_nil(found[1]:find "Threads")
  end)
end)

describe("Functions whose calls were not counted", function()
  it("have no number of calls in a page, rather than 0", function()
    local functions <const> = { "main", "plain", "work" }
    local image = crafted.image { functions = functions }
    local context = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, {
      { "main", "(plain)", ticks = 300 }, { "main", "work", ticks = 100 } }))
    local calls <const> = "[...document.querySelectorAll('#view tbody tr')].map((e) => " ..
      "[...e.cells].filter((c, i) => e.closest('table').tHead.rows[0].cells[i].textContent.match(/^Calls|^of/))" ..
      ".map((c) => c.textContent).join('/') + ' ' + e.querySelector('.node').textContent).join(', ')"
    local found = browser.walk(select(2, pages.write(image, context, "--compare=" .. context)), calls,
      { "open", "" }, calls, { "open", "main" }, calls, { "open", "plain" },
      "[...document.querySelectorAll('.facts div')].find((e) => e.textContent.startsWith('Calls')).textContent")
    assert.same({ "2/2 main, / plain, 1/1 work", " plain, 1 work, 2 main", "/ plain, 1/1 work", "Callsnot counted" },
      found)
  end)
end)

describe("A page of samples alone", function()
  it("has no columns or facts of calls, but callers", function()
    local headings <const> = "[...document.querySelectorAll('#view th')].map((e) => e.textContent.trim()).join('|')"
    local facts <const> = "[...document.querySelectorAll('.facts dt')].map((e) => e.textContent).join('|')"
    local found = browser.walk(select(2, pages.write(exported.sampled())), headings, { "open", "!groups" }, headings,
      { "open", "!threads" }, headings, { "open", "work" }, facts, headings, rows, notes)
    for i = 1, 5 do assert.is_nil(found[i]:find "[Cc]all[ s|]", found[i]) end
    assert.matches("Function$", found[1])
    assert.matches("Caller", found[5])
    assert.matches("thread; .*main$", found[6])
    assert.matches("No calls were counted: the program was not compiled with %-pg%.", found[7])
  end)
end)

describe("The choice of threads in a page", function()
  local functions <const> = { "main", "parse", "render" }
  local image = crafted.image { functions = functions }
  local list <const> = { { "main", "parse", ticks = 300 }, { "main", "render", ticks = 600, thread = 2 },
    { "main", "parse", ticks = 30, thread = 2 }, { "main", thread = 3 }, { "main", thread = 4 } }
  local names <const> = { "main", "<b>&drawer", "idle", "idle" }
  local context = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, list, nil, names))
  local path = select(2, pages.write(image, context))

  local self <const> = "[...document.querySelectorAll('tbody tr:has(.node)')].map((e) => e.cells[1].textContent + " ..
    "' ' + e.querySelector('.node').textContent).join(', ')"
  local header <const> = "[...document.querySelectorAll('.whole div')].slice(0, 3)" ..
    ".map((e) => e.textContent).join('|')"
  local chosen <const> = "document.querySelector('.thread-choice').value"
  local frames <const> = "[...document.querySelectorAll('.frame:not(.spare)')]" ..
    ".map((e) => e.getAttribute('aria-label').split(',')[0]).join('; ')"

  local function choose(key)
    return { "leave", ([[(() => { const select = document.querySelector(".thread-choice"); select.value = %q;
      select.dispatchEvent(new Event("change")); })()]]):format(key) }
  end

  it("shows names and shares; the tables, the tree, the header and the title follow it", function()
    local options <const> = "[...document.querySelector('.thread-choice').options].map((e) => e.text).join('; ')"
    local found = browser.walk(path, options, self, choose "<b>&drawer", self, header, "document.title",
      { "open", "!tree" }, frames, { "open", "parse" },
      "document.querySelector('#view .facts').textContent", choose "main", "location.hash", { "open", "" }, self,
      choose "", self, "location.search")
    assert.same({ "All threads; <b>&drawer – 67.7 %; main – 32.3 %; 2 threads without samples",
      "0.600 render, 0.330 parse, 0.000 main", "0.600 render, 0.030 parse, 0.000 main",
      "Thread<b>&drawer|Time0.630 seconds ± 0.025|Samples630, every 1 ms", "<b>&drawer – program – profile",
      "all: 0.630 s; main: 0.630 s; render: 0.600 s; parse: 0.030 s" },
      { found[1], found[2], found[3], found[4]:gsub("± [%d.]+", "± 0.025"),
        found[5]:gsub("^(.*) – .* – ", "%1 – program – "), found[6] })
    assert.matches("^Self0.030 ", found[7])
    assert.same({ "#parse", "0.300 parse, 0.000 main", "0.600 render, 0.330 parse, 0.000 main", "" },
      table.move(found, 8, 11, 1, {}))
  end)

  it("is part of the address; a place in a tree is not taken to other threads, a function is", function()
    local hash <const> = "location.hash"
    local found = browser.walk(path, { "open", "!tree=down:0.1" }, choose "main", hash, chosen, { "open",
      "!tree=around:parse" }, choose "<b>&drawer", hash, chosen,
      { "leave", "location.assign('?thread=nobody#parse')" }, chosen, self, "document.title.split(' – ').length")
    assert.same({ "#!tree=down:", "main", "#!tree=around:parse", "<b>&drawer", "", 3 },
      { found[1], found[2], found[3], found[4], found[5], found[7] })
  end)

  it("keeps what refines the page", function()
    local hash <const> = "location.hash"
    local link <const> = "decodeURIComponent(document.querySelector('%s').getAttribute('href'))"
    local found = browser.walk(path, { "open", "!tree=down:0.1&focus=parse&of=shown" }, choose "main", hash, frames,
      { "open", "!threads&hide=parse" }, link:format "tbody a", link:format "#view p a", { "click", ".chip" },
      link:format "tbody a", link:format "#view p a")
    assert.same({ "#!tree=down:&focus=parse&of=shown", "all: 0.300 s; main: 0.300 s; parse: 0.300 s",
      "?thread=<b>&drawer#!threads&hide=parse", "?#!threads&hide=parse", "?thread=<b>&drawer#!threads",
      "?#!threads" }, found)
  end)

  it("can be made in the list of threads, and by keyboard; threads without samples are shown together", function()
    local link <const> = "[...document.querySelectorAll('tbody a')].map((e) => e.textContent + ' ' + " ..
      "decodeURIComponent(e.getAttribute('href')) + ' ' + e.parentNode.textContent.slice(e.textContent.length).trim())"
    local found = browser.walk(path, { "key", "t" }, "document.activeElement.getAttribute('aria-label')",
      "document.activeElement.blur()", { "open", "!threads" }, link,
      { "leave", "document.querySelector('tbody tr:last-child a').click()" }, chosen,
      "document.querySelector('#view p').textContent", { "open", "" }, "document.querySelector('tbody').textContent",
      "[...document.querySelectorAll('#page nav a')].map((e) => e.textContent).join(' ')",
      { "open", "render" }, "document.querySelector('.empty').textContent")
    assert.same({ "Threads shown", { "<b>&drawer ?thread=<b>&drawer#!threads ", "main ?thread=main#!threads ",
      "idle ?thread=!idle#!threads no samples", "idle ?thread=!idle#!threads no samples" }, "!idle",
      "The other views show 2 threads without samples. Show all threads", "Functions Threads",
      "2 threads without samples has no function named render." },
      { found[1], found[3], found[4], found[5], found[7], found[8] })
    assert.matches("main", found[6])
  end)

  it("keeps the switch for inlined functions, and is kept by it", function()
    assert.same({ "?view=inlined&thread=a+b", "?", "?view=inlined" }, browser.walk(path,
      { "leave", "location.assign('?view=inlined')" }, "searchWith('thread', 'a b')", "searchWith('view', null)",
      "searchWith('thread', null)"))
  end)

  it("tells functions of the same name apart, in each thread", function()
    local dir <const> = shell.tmpdir "same_names"
    local source <const> = "static __attribute__((noipa)) int work(int n) { return n * n; } " ..
      "int %s(int n) { return work(n); }\n"
    shell.write(dir .. "/main.c", "int one(int), two(int); int main(void) { return one(0) + two(0); }\n")
    shell.write(dir .. "/a.c", source:format "one")
    shell.write(dir .. "/b.c", source:format "two")
    shell.check { "gcc", "-O1", "-g", "-no-pie", "-Wl,--build-id=none", "-o", dir .. "/program", dir .. "/main.c",
      dir .. "/a.c", dir .. "/b.c" }
    local own, tables = gprof.image(dir .. "/program"), {}
    for i, file in ipairs { "a.c", "b.c" } do
      for f in own:symbols() do
        if f.name == "work" and f.file:find(file, 1, true) then
          tables[i] = { { context = 0, from = f.address, count = 300 * i }, name = i == 1 and "alpha" or "beta" }
        end
      end
    end
    local profile = gmon.write(dir .. "/gmon.out.ctx", contexts.pack { process = { low = own.text_low,
      high = own.text_high, finish = 1 << 60 }, tables = tables, modules = { { bias = 0, low = own.text_low & -4096,
      high = own.text_high, code = own.text_low, path = dir .. "/program" } } })
    local members <const> = "[...document.querySelectorAll('tbody tr')].map((e) => e.querySelector('.fold') ? " ..
      "e.querySelector('.fold').textContent : decodeURIComponent(e.querySelector('.node').hash)).join('; ')"
    local heading <const> = "document.querySelector('#view .facts').textContent.match(/Source.*/)[0].slice(-5)"
    local labels <const> = "[...document.querySelectorAll('tbody .node')].map((e) => e.textContent).join('; ')"
    local shared = select(2, pages.write(dir .. "/program", profile, "--inline-file-names"))
    local found = browser.walk(shared, { "open", "&group=thread" }, { "click", "tr:nth-child(1) .fold" },
      { "click", "tr:nth-child(3) .fold" }, members, { "open", "work (b.c)" }, choose "beta", heading, { "open", "" },
      labels, choose "alpha", labels, { "open", "work (b.c)" }, "document.querySelector('.empty').textContent",
      { "open", "work" }, heading)
    assert.same({ "beta (1); #work (b.c); alpha (1); #work (a.c)", "b.c:1", "work (b.c:1)", "work (a.c:1)",
      "alpha has no function named work (b.c).", "a.c:1" }, found)
  end)

  it("says so if the chosen threads have few samples", function()
    local few = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, {
      { "main", "parse", ticks = 300 }, { "main", "render", ticks = 8, thread = 2 } }, nil, { "main", "x" }))
    local warning <const> = "[...document.querySelectorAll('.warning')].map((e) => e.firstChild.textContent)"
    local found = browser.walk(select(2, pages.write(image, few)), warning, choose "x", warning)
    assert.same({ {}, { "Only 8 samples." } }, found)
  end)

  it("has shares of the calls if nothing was sampled", function()
    local none = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, {
      { "main", "parse" }, { "main" }, { "main", thread = 2 } }, { limit = 1 }, { "main", "x" }))
    local heads <const> = "[...document.querySelectorAll('#view th')].map((e) => e.textContent).join(' ')"
    local found = browser.walk(select(2, pages.write(image, none)), heads, { "open", "!threads" }, heads, rows,
      "document.querySelector('.thread-choice').textContent", "document.querySelector('.warning').textContent")
    assert.same({ "Calls Function", "% Share Calls Number Thread", "75.0||3|1|main; 25.0||1|2|x",
      "All threadsmain – 75.0 %x – 25.0 %" }, table.move(found, 1, 4, 1, {}))
    assert.matches("^No samples. Only calls are shown. Run", found[5])
  end)

  it("fits on a phone, and is printed", function()
    local inside <const> = "(() => { const { left, right } = document.querySelector('.thread-choice')" ..
      ".getBoundingClientRect(); return left >= 0 && right <= innerWidth; })()"
    local found = browser.walk(path, { "size", 390, 844 }, inside, browser.fits, choose "main", inside, browser.fits,
      { "media", "print" }, "getComputedStyle(document.querySelector('.thread')).display !== 'none'")
    assert.same({ true, true, true, true, true }, found)
  end)
end)

describe("The spread of a page", function()
  local plan <const> = { functions = { "main", "work" }, ticks = { main = 10, work = 20 },
    calls = { { "main", "work", 2 } } }
  local dir = shell.tmpdir "spread"

  it("lists functions by the time lost, and the runs with the maximum; rows can be filtered by run", function()
    local fast = gmon.write(dir .. "/fast", gmon.magic(crafted.records(plan)))
    local slow = gmon.write(dir .. "/slow", gmon.magic(crafted.records { functions = plan.functions,
      ticks = { work = 70 } }))
    local path = select(2, pages.write(crafted.image(plan), fast, slow, "--spread"))
    local texts <const> = "[...document.querySelectorAll('#view p.soft')].map((e) => e.textContent)"
    local found = browser.walk(path, { "open", "!spread" }, rows, texts, { "key", "/" }, { "type", "fast" },
      rows, { "click", "#view tbody a" }, "location.hash")
    local main <const> = "0.05|||2.00|0.05|0.00|0.10|0.05|1|main|fast"
    local calls <const> = "1||2.00|1|0|2|1|1|work|fast; 1||2.00|1|0|2|1|1|whole run|fast"
    assert.same({ "0.25|||1.56|0.45|0.20|0.70|0.25|2|work|slow; 0.20|||1.40|0.50|0.30|0.70|0.20|2|whole run|slow; " ..
      main .. "; " .. calls, { "How 2 runs differ.", "Runs are named by * in " .. dir .. "/*." },
      main .. "; " .. calls, "#main" }, found)
  end)

  it("is drawn for each function, in its view, too: minimum, deviation, mean and maximum, and each run", function()
    local runs = {}
    for i, ticks in ipairs { 40, 80, 80, 80 } do
      runs[i] = gmon.write(dir .. "/run" .. i, gmon.magic(crafted.records { functions = plan.functions,
        calls = plan.calls, ticks = { work = ticks } }))
    end
    local strip <const> = "[...document.querySelector('.range').children].map((e) => [e.style.left, e.style.width])"
    local path = select(2, pages.write(crafted.image(plan), runs[1], "--spread", table.unpack(runs, 2)))
    local fields <const> = "document.querySelector('.runs').style.backgroundImage.split('color-mix').length - 1"
    local found = browser.walk(path, { "open", "!spread" }, strip, { "open", "work" }, strip,
      "[...document.querySelectorAll('dd:has(.range)')].map((e) => e.textContent)", { "open", "main" },
      "document.querySelector('.range')", { "open", "!spread" }, "spread.strips[0]", fields)
    local drawn <const> = { { "50%", "50%" }, { "65.8494%", "34.1506%" }, { "87.5%", "" } }
    assert.same({ drawn, drawn, { "0.40 to 0.80 s, mean 0.70", "2 to 2, mean 2" }, false, "g///", 4 }, found)
  end)

  it("names runs in directories by these", function()
    local profiles = {}
    for i, name in ipairs { "a", "b" } do
      assert(os.execute("mkdir -p " .. dir .. "/" .. name))
      local records = crafted.records { functions = plan.functions, ticks = { main = 30 - 10 * i, work = 10 * i } }
      profiles[i] = gmon.write(("%s/%s/gmon.out"):format(dir, name), gmon.magic(records))
    end
    local path = select(2, pages.write(crafted.image(plan), profiles[1], profiles[2], "--spread", "-b"))
    local found = browser.walk(path, { "open", "!spread" }, "document.querySelector('td.run').textContent",
      "document.querySelector('td.run span').title", "document.querySelectorAll('#view p.soft')[1].textContent")
    assert.same({ "a", profiles[1], ("Runs are named by * in %s/*/gmon.out."):format(dir) },
      { found[1], found[2], found[3] })
  end)

  it("is not shown without --spread", function()
    local found = browser.walk(select(2, pages.crafted(plan)), "document.querySelector('nav').textContent")
    assert.is_nil(found[1]:find "Spread")
  end)
end)

describe("a page with long columns", function()

  it("has the numbers that were packed", function()
    local plan = { functions = { "main" }, ticks = {}, calls = {} }
    for i = 1, 1200 do
      local name = ("f%04d"):format(i)
      plan.functions[i + 1], plan.ticks[name] = name, 7 * i % 900
      plan.calls[i] = { i % 3 == 0 and ("f%04d"):format(i // 3) or "main", name, 1 + i * i % 2000 }
    end
    local page, path = pages.crafted(plan)
    local parts, numbers = pages.parts(page), {}
    for _, kind in ipairs { "i", "d", "f" } do assert(parts.json:find('"packed":"' .. kind, 1, true), kind) end
    for _, name in ipairs { "functions.calls", "functions.children", "arcs.callee", "arcs.count", "arcs.children" } do
      local group, column = name:match "(.*)%.(.*)"
      numbers[#numbers + 1] = { name, parts.data[group][column] }
    end
    for _, entry in ipairs(numbers) do
      assert.same(entry[2], browser.walk(path, entry[1])[1], entry[1])
    end
  end)
end)
