--- A large HTML page in Chromium: how long it takes to open, to zoom and to scroll, in processor time of the page's
-- main thread. Needs Chromium and Node.
--
-- @module bench.page
-- SPDX-License-Identifier: GPL-3.0-or-later

local dkjson = require "dkjson"
local inputs = require "bench.inputs"
local markdown = require "bench.markdown"
local shell = require "bench.shell"

local quote, number = shell.quote, markdown.number

local STEPS <const> = 20  -- of zooming and of scrolling

-- A path of heavy frames in the tree, each of which is zoomed in to.
local PATH <const> = [[(() => { const paths = []; let item = wholeTree(false);
  while (paths.length < %d && childrenOf(item).length > 0) paths.push(pathOf(item = childrenOf(item)[0]));
  return paths; })()]]

-- Scrolls, and waits until rows have been added.
local SCROLL <const> = "new Promise((done) => { scrollTo(0, %d); setTimeout(() => done(0), 100); })"

--- Returns the visits of spec/readers/page.js: first the opening, then steps, with the time after each.
local function visits(page, paths)
  local steps = { { "cpu" } }
  for i = 1, STEPS do
    table.insert(steps, { "eval", SCROLL:format(600 * i) })
    table.insert(steps, { "cpu" })
  end
  table.insert(steps, { "open", "!tree" })
  table.insert(steps, { "cpu" })
  for _, path in ipairs(paths) do
    table.insert(steps, { "open", "!tree=down:" .. path })
    table.insert(steps, { "cpu" })
  end
  return { { page, steps } }
end

local function walk(list)
  local file = os.tmpname()
  shell.write(file, dkjson.encode(list))
  local answer = shell.capture("node spec/readers/page.js chromium " .. quote(file))
  os.remove(file)
  return assert(answer and dkjson.decode(answer, 1, false), "the page cannot be opened")[1].results
end

--- Returns the most milliseconds in scripts between one time and the next, from `first` to `last`.
local function most_script(times, first, last)
  local most = 0
  for i = first, last do most = math.max(most, times[i][2] - times[i - 1][2]) end
  return most
end

local function measure(_, options)
  if not shell.capture "command -v chromium && command -v node" then return "Pages: Chromium or Node is missing." end
  local input = inputs.get(options.inputs, "demo")
  local small, large = options.inputs .. "/page.html", options.inputs .. "/large-page.html"
  shell.run(("%s --html=%s %s %s"):format(options.ours, quote(small), quote(input.image), quote(input.profiles[1])))
  shell.run(("node bench/page.js %s %s"):format(quote(small), quote(large)))
  local paths = walk { { large, { { "eval", PATH:format(STEPS) } } } }[1]
  local times = {}
  for _, value in ipairs(walk(visits(large, paths))) do
    if type(value) == "table" then times[#times + 1] = value end
  end
  return ("A page of 100,000 functions and 1,000,000 frames (%.0f MB) opens in Chromium in %s ms of processor time, " ..
    "%s ms of it in scripts. Scrolling spends at most %s ms a step in scripts, zooming %s ms."):format(
    #shell.read(large) / 1e6, number(times[1][1]), number(times[1][2]), number(most_script(times, 2, STEPS + 1)),
    number(most_script(times, STEPS + 3, #times)))
end

return { name = "page", title = "a page of 100,000 functions in a browser: opening, scrolling, zooming",
  measure = measure }
