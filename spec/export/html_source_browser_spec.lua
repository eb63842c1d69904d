-- --html: the source in a page: colours, the map, instructions of lines.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local build = require "support.build"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local gprof = require "gprof"
local pages = require "support.pages"
local shell = require "support.shell"
local small = require "support.small"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local hash <const> = "#!source"

describe("The list of lines in a page", function()
  it("tells time without lines from that of lines that are not listed", function()
    local image, gmon = exported.inlined()
    local path = select(2, pages.write(image, gmon))
    local found = browser.walk(path, "Math.abs(data.lines.time - timeOfLines(allLines)) < 1e-9",
      "(data.lines.time = 0.9 * data.total, allLines.splice(0), " ..
        "linesView().element.querySelector('p.soft').textContent)")
    assert.same({ true, "10.0 % of the time is in code without line information, " ..
      "90.0 % of the time is in lines with less time, which are not listed." }, found)
  end)
end)

describe("The callees of lines in a page", function()
  local made = small.build { ["calls.c"] = "int leaf(int x) {\n  return x;\n}\nint twig(int x) {\n" ..
    "  int y = leaf(x), z = x * x * x * x * x * x;\n  y += leaf(z) + leaf(y);\n  return y;\n}\n" ..
    "int main(void) {\n  return twig(1);\n}\n" }
  local rows, even = made.rows["calls.c"], small.even
  local plan = { ticks = { [even(rows[2][1])] = 40, [even(rows[7][1])] = 10 }, arcs = {} }
  -- Calls as glibc records them: return addresses, rounded down.
  local code = gprof.image(made.image):instructions(rows[1][1], rows[11][1] + 1)
  for _, callee in ipairs { rows[1][1], rows[4][1] } do
    for i, each in ipairs(code) do
      if each.text:find(("0x%x>?$"):format(callee)) then
        table.insert(plan.arcs, { code[i + 1].address & ~15, callee, 1 })
      end
    end
  end
  local seconds <const> = "[...document.querySelectorAll('tr[data-line]')].map((e) => [e.dataset.line, " ..
    "e.querySelector('.callees').textContent]).filter(([, text]) => text).map((e) => e.join(' ')).join()"

  it("have their times at the lines of the calls, found in the code", function()
    local page = select(2, pages.write(made.image, small.profile(made, plan)))
    local titles <const> = "[...document.querySelectorAll('th')].map((e) => e.textContent).slice(0, 4).join()"
    local found = browser.walk(page, { "open", "!source" }, titles, seconds, { "size", 1440, 900 },
      { "open", "&at=twig" }, seconds)
    assert.same({ "Line,Self s,Callees s,Calls", "5 0.13,6 0.27,10 0.50", true },
      { found[1], found[2], found[3]:find("5 0.13,6 0.27", 1, true) ~= nil })
  end)
end)

describe("The old times of lines in a page with a comparison", function()
  local function version(extra)
    return { ["calc.c"] = extra .. "int calc(int x) {\n  x = x * x;\n  return x + 1;\n}\nint main(void) {\n" ..
      "  return calc(2);\n}\n" }
  end
  local function profile_of(made, first, ticks)
    local rows = made.rows["calc.c"]
    return small.profile(made, { ticks = { [small.even(rows[first + 1][1])] = ticks },
      arcs = { { rows[first + 5][1] + 9, rows[first][1], 1 } } })
  end
  local lines <const> = "[...document.querySelectorAll('tr[data-line]')].map((e) => [e.dataset.line, " ..
    "e.querySelector('.before').textContent, e.classList.contains('added') ? '+' : ''].join(' ').trim()).join()"
  local titles <const> = "[...document.querySelectorAll('th')].map((e) => e.textContent).slice(0, 3).join()"
  local old = small.build(version "")
  local new = small.build(version "int more(int x) {\n  return x;\n}\n")
  local compared = "--compare=" .. profile_of(old, 1, 30) .. "," .. old.image

  it("are those of the lines with the same text, for as many runs", function()
    local profile = profile_of(new, 4, 50)
    local page = select(2, pages.write(new.image, profile, profile, compared))
    assert.same({ "Line,Self s,Old s", "1  +,2  +,3  +,4,5 0.60,6,7,8,9,10" },
      browser.walk(page, { "open", "!source" }, titles, lines))
  end)

  it("are missing, with a note, if the old source has changed", function()
    shell.check { "touch", "-d", "@4000000000", old.dir .. "/calc.c" }
    local page = select(2, pages.write(new.image, profile_of(new, 4, 50), compared))
    local found = browser.walk(page, { "open", "!source" }, titles,
      "document.querySelector('#view p.soft').textContent")
    assert.equal("Line,Self s,Callees s", found[1])
    assert.matches("^Old times of lines are not known", found[2])
  end)
end)

describe("The instructions of a line in a page", function()
  local made = small.build()
  local line6 = made.rows["small.c"][6][1]
  local image <close> = assert(gprof.image(made.image))
  local loop = image:find "loop"
  local code = image:instructions(loop.address, loop.address + loop.size)

  -- The first instruction of line 6, and the one after the next, which begin in bins of their own.
  local first, third
  for i, each in ipairs(code) do
    if each.address == line6 then first, third = each, code[i + 2] end
  end
  local path = select(2, pages.write(made.image, small.profile(made,
    { ticks = { [small.even(first.address)] = 5, [small.even(third.address)] = 20 } })))

  local rows <const> = "[...document.querySelectorAll('tr.code')].map((e) => [e.cells[1].textContent, " ..
    "e.cells[e.cells.length - 1].textContent.trim()])"
  local state <const> = "document.querySelector('.fold').ariaExpanded"

  it("are shown by a button, with their times", function()
    local found = browser.walk(path, { "open", hash }, "document.querySelectorAll('.fold').length",
      "document.querySelector('.fold').getAttribute('aria-label')", rows, state, { "click", ".fold" }, rows, state,
      "document.querySelector('tr.code').previousElementSibling.dataset.line", { "click", ".fold" }, rows, state)
    assert.same({ 1, "Instructions of line 6", {}, "false" }, table.move(found, 1, 4, 1, {}))
    local shown, sum = found[5], 0
    for _, row in ipairs(shown) do sum = sum + (tonumber(row[1]) or 0) end
    assert.near(0.25, sum, 1e-9)
    assert.equal(("%x  %s"):format(first.address, first.text), shown[1][2])
    assert.same({ "true", "6", {}, "false" }, table.move(found, 6, 9, 1, {}))
  end)

  it("are shown by a key, too", function()
    local found = browser.walk(path, { "open", hash }, { "key", "x" }, state, { "key", "x" }, state,
      { "open", "" }, { "key", "x" }, "document.querySelectorAll('tr.code').length")
    assert.same({ "true", "false", 0 }, found)
  end)

  -- Returns the time of the instruction that has a sample in the bin at an address.
  local function owner_of(address)
    local found
    for _, each in ipairs(code) do
      if each.address <= address + 1 then found = each end
    end
    return found.address - line6
  end

  it("have the names of functions, and the times of the bins in which they begin", function()
    local ticks = { [small.even(first.address)] = 5, [small.even(third.address)] = 20 }
    local data = pages.parts((pages.write(made.image, small.profile(made, { ticks = ticks })))).data
    assert.equal(1, #data.sources)
    assert.equal(1, #data.sources[1].code)
    local place, address, steps, times, texts = table.unpack(data.sources[1].code[1])
    assert.same({ 5, ("%x"):format(line6) }, { place, address })
    local expected, found = {}, {}
    for at, count in pairs(ticks) do expected[owner_of(at)] = count / 100 end
    for i, time in ipairs(times) do found[steps[i]] = time > 0 and time or nil end
    assert.same(expected, found)
    assert.truthy(table.concat(texts, "\n"):find("call   <leaf>", 1, true))
  end)

  it("are at most 60 of a line, and 1,500 of all", function()
    local step = ("y = y * 3 + x; "):rep(30)
    local long = small.build { ["long.c"] = "int work(int x) {\n  int y = x;\n" .. (step .. "\n"):rep(30) ..
      "  return y;\n}\nint main(void) { return work(1); }\n" }
    local ticks = {}
    for line = 3, 32 do ticks[small.even(long.rows["long.c"][line][1])] = line end
    local lines = pages.parts((pages.write(long.image, small.profile(long, { ticks = ticks })))).data.sources[1].code
    assert.equal(25, #lines)
    for _, line in ipairs(lines) do
      assert.truthy(line[1] >= 7) -- the hottest lines
      assert.equal(60, #line[5])
    end
  end)
end)

describe("The instructions of a function without lines in a page", function()
  local made = small.build()
  local address = build.address(made.image, "loop")
  local profile, empty = small.profile(made, { ticks = { [small.even(address + 8)] = 30 } }), small.profile(made, {})
  shell.check { "strip", "--strip-debug", made.image }
  local page, path = pages.write(made.image, profile)
  local data = pages.parts(page).data

  it("are those around its hottest place, with their times", function()
    assert.equal(1, #data.code)
    local node, first, steps, times, texts = table.unpack(data.code[1])
    assert.same({ "loop", ("%x"):format(address), 0 }, { data.functions.name[node + 1], first, steps[1] })
    local sum, call = 0, false
    for i, time in ipairs(times) do sum, call = sum + time, call or texts[i]:find("call   <leaf>", 1, true) end
    assert.near(0.3, sum, 1e-9)
    assert.truthy(call)
    assert.same({}, pages.parts((pages.write(made.image, empty))).data.code)
  end)

  it("are shown where its source would be, and in its page", function()
    local rows <const> = "document.querySelectorAll('[aria-label=Instructions] tr').length"
    local found = browser.walk(path, { "size", 1300, 800 }, { "open", "" }, rows, { "open", "#loop" }, rows)
    assert.same({ #data.code[1][5], #data.code[1][5] }, found)
  end)
end)

describe("The colours of source in a page", function()
  local path = select(2, pages.crafted(crafted.example))

  -- Returns the tokens of lines of a file: "kind:text", other text as it is.
  local function tokens(file, ...)
    local lines = dkjson.encode { ... }
    return browser.walk(path, ("(() => { const lines = %s.map((text) => ({ text })); colourLines(lines, %q); " ..
      "return lines.map(({ tokens, text }) => tokens ? tokens.map(([kind, part]) => " ..
      "(kind ? `${kind}:` : '') + part) : text); })()"):format(lines, file))[1]
  end

  it("are those of C and C++", function()
    assert.same({ { "keyword:  #include", " ", 'string:"a.h"', " ", "comment:// it's" },
      { "keyword:int", " x = ", "number:0x1fUL", " + ", "number:1.5e-3f", "; ", "comment:/* one" }, { "comment:two" },
      { "comment:three */", " ", "keyword:return", " returned ", [[string:'\'']], ", ",
      [[string:"a\"b"]], ";" },
      { "number:1'000'000", ";" } },
      tokens("/src/a.cpp", '  #include "a.h" // it\'s', "int x = 0x1fUL + 1.5e-3f; /* one", "two",
        [[three */ return returned '\'', "a\"b";]], "1'000'000;"))
    assert.same({ { "keyword:class" } }, tokens("/usr/include/c++/12/vector", "class"))
  end)

  it("are those of Fortran, in free and in fixed form", function()
    assert.same({ { "keyword:Call", " f(", "string:'it'", "string:'s'", ", ", "number:1.0d-5", ") ",
      "comment:! call" } }, tokens("a.F90", "Call f('it''s', 1.0d-5) ! call"))
    assert.same({ { "comment:C call f" }, { "      ", "keyword:CALL", " F" } },
      tokens("a.f", "C call f", "      CALL F"))
  end)

  it("are those of Lua", function()
    assert.same({ { "keyword:local", " s = ", "string:[==[one ]]" }, { "string:two]==]", " ", "comment:-- three" },
      { "comment:--[[four" }, { "comment:five]]", " a[b[", "number:1", "]] = ", "string:'x'" } },
      tokens("a.lua", "local s = [==[one ]]", "two]==] -- three", "--[[four", "five]] a[b[1]] = 'x'"))
  end)

  it("are missing in other languages, and start anew after a gap", function()
    assert.same({ "int x;" }, tokens("a.rs", "int x;"))
    assert.same({ { { "keyword", "int" } } }, browser.walk(path, "(() => { const lines = [{ text: '/*' }, " ..
      "{ text: 'int', gap: true }]; colourLines(lines, 'a.c'); return [lines[1].tokens]; })()")[1])
  end)

  it("leave the text as it is", function()
    local built = build.program "shapes"
    local page = select(2, pages.write(built.image, built.gmon))
    local same <const> = "data.sources.every((file) => [...sourceView(file.name, 0).querySelectorAll('tr[data-line] " ..
      "> .text')].every((e, i) => e.textContent === file.text[i]))"
    assert.same({ true, true }, browser.walk(page, same, "data.sources.length > 0"))
  end)

  it("have a contrast of at least 4.5 in both themes", function()
    local contrast <const> = [[(() => {
      const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      const luminance = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) =>
          c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const probe = document.body.appendChild(document.createElement("i"));
      const valueOf = (name) => {
        probe.style.color = `var(--${name})`;
        return luminance(getComputedStyle(probe).color);
      };
      const ratios = ["keyword", "soft", "string", "number"].flatMap((text) =>
        ["paper", "wash", "note"].map((below) => {
          const [dark, light] = [valueOf(text), valueOf(below)].sort((a, b) => a - b);
          return (light + 0.05) / (dark + 0.05);
        }));
      return Math.min(...ratios); })()]]
    for _, ratio in ipairs(browser.walk(path, { "size", 900, 700, "light" }, contrast, { "size", 900, 700, "dark" },
      contrast))
    do
      assert.truthy(ratio >= 4.5 and ratio < 21, ratio)
    end
  end)
end)

describe("The map beside the source in a page", function()
  it("leads to the hot line that is nearest to a click, and marks it", function()
    local made = small.build { ["far.c"] = "int work(int x) {\n  x *= 3;" .. ("\n"):rep(400) ..
      "  return x + 1;\n}\nint main(void) { return work(1); }\n" }
    local rows = made.rows["far.c"]
    local path = select(2, pages.write(made.image, small.profile(made,
      { ticks = { [small.even(rows[2][1])] = 5, [small.even(rows[402][1])] = 4 } })))
    local here <const> = "document.querySelector('tr.here').dataset.line"
    local found = browser.walk(path, { "open", "#!source" }, here, { "click", ".map i:last-child" }, here,
      "(() => { const { top } = document.querySelector('tr.here').getBoundingClientRect(); " ..
      "return top > 0 && top < innerHeight; })()", { "click", ".map i" }, here)
    assert.same({ "2", "402", true, "2" }, found)
  end)
end)
