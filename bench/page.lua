--- A large HTML page in Chromium: how long it takes to open, and how long scripts take for a frame of scrolling and of
-- zooming. Times are processor times of the page's main thread, unless they are by the clock. Needs Chromium and Node.
--
-- @module bench.page
-- SPDX-License-Identifier: GPL-3.0-or-later

local dkjson = require "dkjson"
local inputs = require "bench.inputs"
local markdown = require "bench.markdown"
local shell = require "bench.shell"

local quote, number = shell.quote, markdown.number

local STEPS <const>, OPENINGS <const> = 20, 5
local SCREEN <const> = { "size", 1920, 1080 }

-- A path of heavy frames in a tree, each of which is zoomed in to. Called with whether the tree is inverted.
local PATH <const> = [[((up) => { const paths = []; let item = wholeTree(up);
  while (paths.length < %d && childrenOf(item).length > 0) paths.push(pathOf(item = childrenOf(item)[0]));
  return paths; })(%s)]]

-- The functions with the most frames.
local BUSY <const> = [[functions.name.map((_, f) => f).sort((a, b) => nodesOfFrame(b).length - nodesOfFrame(a).length)
  .slice(0, %d).map((f) => encodeURIComponent(keyOf(f)))]]

-- Scrolls, and waits until rows have been added.
local SCROLL <const> = "new Promise((done) => { scrollTo(0, %d); setTimeout(() => done(0), 100); })"

--- Returns the steps that open trees and zoom to places of them, in and out again.
local function zooming(mode, places)
  local steps = { { "open", "!tree=" .. mode .. ":" .. (mode == "around" and places[1] or "") }, { "trace" } }
  for _, place in ipairs(places) do table.insert(steps, { "open", ("!tree=%s:%s"):format(mode, place) }) end
  for i = #places, 1, -1 do table.insert(steps, { "open", ("!tree=%s:%s"):format(mode, places[i]) }) end
  table.insert(steps, { "traced" })
  return steps
end

--- Returns the steps that scroll the functions.
local function scrolling()
  local steps = { SCREEN, { "trace" } }
  for i = 1, STEPS do table.insert(steps, { "eval", SCROLL:format(600 * i) }) end
  table.insert(steps, { "traced" })
  return steps
end

local function walk(list)
  local file = os.tmpname()
  shell.write(file, dkjson.encode(list))
  local answer = shell.capture("node spec/readers/page.js chromium " .. quote(file))
  os.remove(file)
  return assert(answer and dkjson.decode(answer, 1, false), "the page cannot be opened")[1].results
end

--- Returns the least times to open the page, in milliseconds: processor time, that in scripts, and by the clock.
local function opening(page)
  local least = { math.huge, math.huge, math.huge }
  for _ = 1, OPENINGS do
    local loaded <const> = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    local times, wall = table.unpack(walk { { page, { { "cpu" }, { "eval", loaded } } } })
    for i, time in ipairs { times[1], times[2], wall } do least[i] = math.min(least[i], time) end
  end
  return table.unpack(least)
end

--- Returns the most milliseconds that scripts took for a frame: while scrolling, and while zooming.
local function frames(page)
  local down, up, busy = table.unpack(walk { { page, { { "eval", PATH:format(STEPS, "false") },
    { "eval", PATH:format(STEPS, "true") }, { "eval", BUSY:format(STEPS) } } } })
  local scrolled = walk { { page, scrolling() } }
  local zoomed = 0
  for _, steps in ipairs { zooming("down", down), zooming("up", up), zooming("around", busy) } do
    table.insert(steps, 1, SCREEN)
    zoomed = math.max(zoomed, walk({ { page, steps } })[1])
  end
  return scrolled[#scrolled], zoomed
end

local function measure(_, options)
  if not shell.capture "command -v chromium && command -v node" then return "Pages: Chromium or Node is missing." end
  local input = inputs.get(options.inputs, "demo")
  local small, large = options.inputs .. "/page.html", options.inputs .. "/large-page.html"
  shell.run(("%s --html=%s %s %s"):format(options.ours, quote(small), quote(input.image), quote(input.profiles[1])))
  shell.run(("node bench/page.js %s %s"):format(quote(small), quote(large)))
  local cpu, script, wall = opening(large)
  local scrolled, zoomed = frames(large)
  return ("A page of 100,000 functions and 1,000,000 frames (%.0f MB) opens in Chromium in %s ms, with %s ms of " ..
    "processor time, %s ms of it in scripts (the least of %d runs). At 1920x1080, scrolling spends at most %s ms of " ..
    "processor time a frame in scripts, zooming %s ms."):format(#shell.read(large) / 1e6, number(wall), number(cpu),
    number(script), OPENINGS, number(scrolled), number(zoomed))
end

return { name = "page", title = "a page of 100,000 functions in a browser: opening, scrolling, zooming",
  measure = measure }
