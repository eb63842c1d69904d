-- --html: the command that a page copies prints on a terminal what the page shows.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local build = require "support.build"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local command <const> = "terminalCommand()"

-- Names that a page shows: of functions in a list, in the tables of callers and callees, and in a tree.
local listed <const> = "document.querySelector('.flat') && functions.name.filter((_, f) => " ..
  "(functions.self[f] > 0 || functions.calls[f] > 0) && " ..
  "isListed(f, matcher(addressParameters().get('filter') || ''))).sort()"
local linked <const> = "[...new Set([...document.querySelectorAll('#view td .node')].map((e) => e.title))].sort()"
local frames <const> = "[...new Set([...document.querySelectorAll('.frame')].map((e) => " ..
  "e.getAttribute('aria-label').replace(/: .*/s, '')))].filter((name) => !/^all$|narrow frames$/.test(name)).sort()"

-- Runs a command that a page gave; returns what it prints.
local function run(text)
  local result = shell.run({ "sh", "-c", (text:gsub("^gprof%.lua", "lua5.4 gprof.lua")) }, { cwd = program.root })
  assert.same({ text, 0, "" }, { text, result.status, result.stderr })
  return result.stdout
end

-- Returns the names in a flat profile, sorted.
local function flat_names(text)
  local names, is_row = {}, false
  for line in text:gmatch "[^\n]+" do
    if is_row then
      local rest = line:match "^ *[%d.]+ +[%d.]+ +[%d.]+ +(.*)$"
      names[#names + 1] = rest:match "^%d+ +[%d.]+ +[%d.]+ +(.*)$" or rest
    end
    is_row = is_row or line:find "^ *time +seconds"
  end
  table.sort(names)
  return names
end

-- Checks that a text contains all of some names.
local function assert_names(names, text, where)
  assert.truthy(names[1], where)
  for _, name in ipairs(names) do
    assert.truthy(text:find(name, 1, true), ("%s: %s lacks %s"):format(where, text, name))
  end
end

-- Opens addresses of a page. Returns the command and the names, the values of `expression`, for each.
local function seen_at(path, addresses, expression)
  local steps, pairs_of = { path }, {}
  for _, address in ipairs(addresses) do
    table.insert(steps, ("location.hash = %s; 0"):format(address))
    table.insert(steps, { "media", "screen" })
    table.insert(steps, command)
    table.insert(steps, expression)
  end
  local found = browser.walk(table.unpack(steps))
  for i = 1, #addresses do pairs_of[i] = { found[3 * i - 1], found[3 * i] } end
  return pairs_of
end

local shapes = build.program "shapes"
local path = select(2, pages.write(shapes.image, shapes.gmon))

-- Returns an address as JavaScript: a view, and the name and value of parameters.
local function address(view, ...)
  local text, parameters = ("'#%s'"):format(view), { ... }
  for i = 1, #parameters, 2 do
    text = ("%s + '&%s=' + encodeURIComponent(%q)"):format(text, parameters[i], parameters[i + 1])
  end
  return text
end

describe("The terminal command of a page", function()
  it("prints the functions that the list shows, whatever refines and filters it", function()
    local area <const>, source <const> = "geometry::Square::area() const", "shapes_more.cc"
    local chips <const> = { {}, { "focus", "=" .. area }, { "hide", "=" .. area }, { "hide", "area" },
      { "file", "=" .. shapes.image:gsub("[^/]*$", "") .. source }, { "hide", "=main", "focus", "/stack/" } }
    local filters <const> = { {}, { "filter", "push" }, { "filter", "Stack<unsigned int, 8>" }, { "filter", "CIRCLE" },
      { "filter", "/^geometry.*const$/" }, { "filter", "/\\bcount\\b/" }, { "filter", "more.cc:3" } }
    local others <const> = { {}, { "sort", "-Total s" }, { "sort", "Function", "group", "file" } }
    local addresses = {}
    for _, chip in ipairs(chips) do
      for i, filter in ipairs(filters) do
        local parameters = table.move(chip, 1, #chip, 1, {})
        for _, more in ipairs { filter, others[i % 3 + 1] } do
          table.move(more, 1, #more, #parameters + 1, parameters)
        end
        addresses[#addresses + 1] = address("", table.unpack(parameters))
      end
    end
    local count = 0
    for i, seen in ipairs(seen_at(path, addresses, listed)) do
      if seen[2][1] then
        table.sort(seen[2])
        count = count + 1
        assert.same({ addresses[i], seen[1], seen[2] }, { addresses[i], seen[1], flat_names(run(seen[1])) })
      end
    end
    assert.truthy(count > 20, count)
  end)

  it("prints all functions if the filter is an invalid regular expression", function()
    assert.matches("^gprof%.lua %-b %-p /", seen_at(path, { address("", "filter", "/(/") }, "0")[1][1])
  end)

  it("prints a function's callers and callees, and those of the members of a cycle", function()
    local graphs <const> = { { path, { "main", "geometry::Shape::Shape(unsigned int)",
      "(anonymous namespace)::count(unsigned int) (shapes.cc)",
      "total_area(geometry::Shape const* const*, unsigned int)" } },
      { select(2, pages.crafted(crafted.example)), { "ping", "<cycle 1>", "leaf" } } }
    for _, graph in ipairs(graphs) do
      local addresses = {}
      for i, name in ipairs(graph[2]) do addresses[i] = ("linkTo(nodeByKey(%q))"):format(name) end
      for i, seen in ipairs(seen_at(graph[1], addresses, linked)) do
        assert_names(seen[2], run(seen[1]), graph[2][i])
      end
    end
  end)

  it("prints the functions of the call tree, of all or from a function", function()
    local addresses <const> = { "'#!tree'", "'#!tree=around:main'", "'#!tree=up:'",
      "linkToTree('around', 'measure(unsigned int)')" }
    for i, seen in ipairs(seen_at(path, addresses, frames)) do assert_names(seen[2], run(seen[1]), addresses[i]) end
    local inner <const> = "pathOf(childrenOf(childrenOf(wholeTree(false, false))[0])[0])"
    local zoomed = seen_at(path, { ("linkToTree('down', %s)"):format(inner) },
      "document.querySelector('.path b').textContent")[1]
    assert.same({ "measure", true }, { zoomed[2], zoomed[1]:find("'--tree=measure(unsigned int)'", 1, true) ~= nil })
    assert_names({ "measure", "total_area" }, run(zoomed[1]), "zoomed")
  end)

  it("prints lines, and the source of a file", function()
    local lines = seen_at(path, { "'#!lines'" }, "allLines.map(lineName)")[1]
    assert_names(lines[2], run(lines[1]), "lines")
    local texts <const> = "[...document.querySelectorAll('tr[data-line] > .text')].map((e) => e.textContent)" ..
      ".filter(Boolean)"
    local addresses <const> = { "'#!source'", "sourceLink(data.sources[data.sources.length - 1].name, 3)" }
    for i, seen in ipairs(seen_at(path, addresses, texts)) do assert_names(seen[2], run(seen[1]), addresses[i]) end
    local files = seen_at(path, { "'#!files'" }, "data.sources.map(({ name }) => baseName(name))")[1]
    assert_names(files[2], run(files[1]), "files")
  end)

  it("prints the functions if the page lacks the view of the address", function()
    local counted = select(2, pages.crafted { functions = { "main", "!tree" }, calls = { { "main", "!tree", 1 } } })
    for _, view in ipairs { "!tree", "!tree=up:", "!lines", "!threads", "!spread", "!changes", "!nothing" } do
      assert.matches("^gprof%.lua %-b %-p /", seen_at(counted, { ("'#%s'"):format(view) }, "0")[1][1], view)
    end
  end)

  it("prints the spread, threads and changes", function()
    local names <const> = "[...document.querySelector('tbody').querySelectorAll('td.name')].map((e) => " ..
      "e.textContent.replace(/\\(.*| run$/, '').trim())"
    local image, context = exported.measured()
    local faster = crafted.gmon { functions = crafted.example.functions, ticks = { work = 3, ping = 400, leaf = 9 } }
    local compared = select(2, pages.crafted(crafted.example, "--compare=" .. faster))
    local changed <const> = "comparison.name.filter((_, row) => comparison.self.change[row] !== 0)"
    local threaded = select(2, pages.write(image, context))
    local spread = select(2, pages.crafted(crafted.example, "--spread"))
    for _, case in ipairs { { spread, "'#!spread'", names }, { threaded, "'#!threads'", names },
      { compared, "'#!changes'", changed } }
    do
      local seen = seen_at(case[1], { case[2] }, case[3])[1]
      assert_names(seen[2], run(seen[1]), case[2])
    end
  end)

  it("keeps the options that the page was written with, the choice of threads and inlined functions", function()
    local image, context = exported.measured()
    local selected = seen_at(select(2, pages.write(image, context, "-k", "main/dear", "-z", "--thread=1", "-I", "a b",
      "-b", "--width=99")), { "''" }, "data.inputs.length")[1]
    assert.same({ "gprof.lua -b -p -kmain/dear --display-unused-functions --thread=1 '--directory-path=a b' " ..
      image .. " " .. context, 2 }, selected)
    run(selected[1])
    local page = select(2, pages.write(image, context))
    local chosen = browser.walk(page, { "leave", "location.assign('?thread=2')" }, command, listed,
      { "open", "!threads" }, command)
    assert.same(chosen[2], flat_names(run(chosen[1])))
    assert.equal("gprof.lua -b --threads " .. image .. " " .. context, chosen[3])
    local words <const> = "(Object.assign(threads, { name: ['7', 'w*', 'a', 'a', '', 'x'], " ..
      "number: [1, 7, 3, 0, 4, 5] }), [[0], [1], [2], [3], [2, 3], [4], [5]].map((rows) => " ..
      "(shownThreads.rows = rows, optionsOfThreads().join(' '))))"
    assert.same({ "--thread=1", "", "--thread=3", "", "--thread=a", "--thread=4", "--thread=x" },
      browser.walk(page, { "leave", "location.assign('?thread=2')" }, words)[1])
    local with_inlines, profile = exported.inlined()
    local inlined = select(2, pages.write(with_inlines, profile))
    local view = browser.walk(inlined, { "leave", "location.assign('?view=inlined')" }, command, listed)
    assert.truthy(view[1]:find(" --inlines ", 1, true))
    assert.same(view[2], flat_names(run(view[1])))
  end)
end)
