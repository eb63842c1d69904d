-- Opens HTML pages in Chromium and performs steps there (see spec/readers/page.js).
-- SPDX-License-Identifier: GPL-3.0-or-later

local dkjson = require "dkjson"
local luassert = require "luassert"
local program = require "support.program"
local shell = require "support.shell"

local browser = {}

--- JavaScript expressions: the names in tables; those of the frames of a call tree; the text of the element with the
-- focus; whether a page is not wider than the window.
browser.names = "[...document.querySelectorAll('tbody .node')].map((e) => e.textContent).join(' ')"
browser.frames = "[...document.querySelectorAll('.frame')]" ..
  ".map((e) => e.getAttribute('aria-label').split(':')[0]).join(' ')"
browser.focused = "document.activeElement.textContent"
browser.fits = "document.documentElement.scrollWidth <= innerWidth"

--- Returns the step that presses a key.
-- @tparam string name as in JavaScript, such as "Enter"
-- @treturn table
function browser.key(name) return { "key", name } end

--- Returns a message that names the programs needed if one is missing; nil if all are installed.
-- @treturn string|nil
function browser.lack()
  if not shell.installed "node" or not shell.installed "chromium" then
    return "pages in a browser: need nodejs and chromium"
  end
end

-- The driver of the browser: pipes to and from it. All visits of a spec file share the browser; it ends with the pipes.
local driver

-- The driver is stopped after this many seconds, so that a browser that hangs fails the specs.
local PATIENCE <const> = 900

local function start()
  local answers = shell.tmpdir "browser" .. "/answers"
  assert(os.execute("mkfifo " .. shell.quote(answers)))
  local command = ("timeout %d node %s chromium - >%s"):format(PATIENCE,
    shell.quote(program.root .. "/spec/readers/page.js"), shell.quote(answers))
  return { visits = assert(io.popen(command, "w")), answers = assert(io.open(answers)) }
end

--- Opens pages one after the other in one browser.
-- @tparam {table,...} visits arrays of a path and of steps, which are arrays of an action and its values
-- @treturn {table,...} for each page: `results`, the values of the steps "eval"; `complaints`, the console's messages;
--   `requests`, the URLs requested besides the page's; `ready`, milliseconds until the page was drawn
function browser.visit(visits)
  driver = driver or start()
  assert(driver.visits:write(dkjson.encode(visits), "\n"))
  assert(driver.visits:flush())
  local seen = dkjson.decode(assert(driver.answers:read "l", "the browser ended"), 1, false)
  assert(not seen.problem, seen.problem)
  return seen
end

--- Opens pages, and fails if the browser logs an error or requests another file.
-- @tparam {table,...} visits arrays of a path and of steps; a step that is a string is a JavaScript expression
-- @treturn {table,...} as from `browser.visit`
function browser.walk_all(visits)
  local all = {}
  for i, visited in ipairs(visits) do
    local steps = {}
    for k = 2, #visited do
      steps[k - 1] = type(visited[k]) == "string" and { "eval", visited[k] } or visited[k]
    end
    all[i] = { visited[1], steps }
  end
  local seen = browser.visit(all)
  for i, page in ipairs(seen) do
    luassert.same({ visits[i][1], {}, {} }, { visits[i][1], page.complaints, page.requests })
  end
  return seen
end

--- Opens one page as `walk_all` does.
-- @tparam string path
-- @param ... steps
-- @treturn table the values of the expressions
-- @treturn number the time until the page was drawn
function browser.walk(...)
  local seen = browser.walk_all { { ... } }[1]
  return seen.results, seen.ready
end

return browser
