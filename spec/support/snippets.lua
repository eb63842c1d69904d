-- Takes the snippets out of a page of documentation, does what they say in one scratch directory, and tells whether
-- what is printed there fits what the page shows.
--
-- A fenced block is one of these, by the first word behind its fence:
--
--   console   commands, "$ command" ("> more of it" below), each followed by what it prints on either stream
--   lua       runs in the page's one Lua state, where the locals of a block's top level are seen by later blocks;
--             what it prints stands in a block "text" right below, or it prints nothing
--   anything  whose first line is a comment with the name of a file and nothing else becomes that file
--
-- `only-shown` behind the first word has a block left alone. Any other block is an error.
--
-- In what a page shows, a line "..." stands for any lines. Blanks are as good as one blank, and what is measured or
-- placed by chance is not compared: numbers with a decimal point, addresses, the prefix of a unit of time per call, the
-- numbers of entries in the call graph.
-- SPDX-License-Identifier: GPL-3.0-or-later

local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local snippets = {}

-- Reading a page ----------------------------------------------------------------------------------------------------

-- Goes through fenced blocks: { kind =, shown =, line = (of the fence), lines = {...} }; `after` tells whether nothing
-- but blank lines stands between a block and the one before it.
local function blocks(page)
  local found, block, number, after = {}, nil, 0, false
  for line in (page .. "\n"):gmatch("(.-)\n") do
    number = number + 1
    local info = line:match("^```%s*(.*)$")
    if block and line == "```" then
      found[#found + 1], block, after = block, nil, true
    elseif block then
      table.insert(block.lines, line)
    elseif info then
      block = { kind = info:match("^%S*"), shown = info:find("%f[%S]only%-shown%f[%s\0]") ~= nil,
        line = number, lines = {}, after = after }
    elseif line:find("%S") then
      after = false
    end
  end
  assert(not block, "a block is not closed")
  return found
end

-- The name of the file that a block is, by its first line.
local function file_name(block)
  local first = block.lines[1] or ""
  return first:match("^/%* (%S+%.%a+) %*/$") or first:match("^// (%S+%.%a+)$") or first:match("^%-%- (%S+%.lua)$") or
    first:match("^# (%S+%.%a+)$")
end

local function add_commands(steps, block)
  local step
  for i, line in ipairs(block.lines) do
    local command, more = line:match("^%$ (.*)$"), line:match("^> (.*)$")
    if command then
      step = { kind = "console", line = block.line + i, text = command, shown = {} }
      steps[#steps + 1] = step
    elseif step and more and not step.shown[1] then
      step.text = step.text .. "\n" .. more
    else
      assert(step, ("line %d: no command comes before it"):format(block.line + i))
      table.insert(step.shown, line)
    end
  end
end

--- Reads the snippets of a page.
-- @tparam string page its text
-- @treturn {table,...} steps in order: `kind` ("file", "console" or "lua"), `line` of the page, `text`; `name` of a
--   file; `shown`, the lines that the page shows as what is printed
-- @treturn {table,...} the blocks that are only shown: `kind`, `line`, `lines`
function snippets.read(page)
  local steps, shown, before = {}, {}, nil
  for _, block in ipairs(blocks(page)) do
    local name, step = file_name(block), nil
    if block.shown then
      shown[#shown + 1] = block
    elseif block.kind == "console" then
      add_commands(steps, block)
    elseif name then
      local text = table.concat(block.lines, "\n") .. "\n"
      steps[#steps + 1] = { kind = "file", name = name, line = block.line, text = text }
    elseif block.kind == "lua" then
      step = { kind = "lua", line = block.line, text = table.concat(block.lines, "\n"), shown = {} }
      steps[#steps + 1] = step
    elseif block.kind == "text" and before and block.after then
      before.shown = block.lines
    else
      error(("line %d: a block that is neither run nor marked as only shown"):format(block.line), 0)
    end
    before = step
  end
  return steps, shown
end

-- Running it --------------------------------------------------------------------------------------------------------

-- Runs in a fresh interpreter, in the scratch directory. What steps print goes to one stream, each behind its number.
local driver <const> = [==[
local steps = dofile(arg[1])
local page = setmetatable({}, { __index = _G })
io.stdout:setvbuf("no")
local act = {}
function act.file(step)
  local file <close> = assert(io.open(step.name, "w"))
  assert(file:write(step.text))
end
function act.console(step)
  os.execute("exec 2>&1 </dev/null; " .. step.text)
end
function act.lua(step)
  local text = ("\n" .. step.text):gsub("\nlocal ", "\n")
  local chunk = assert(load(text:sub(2), "=snippet", "t", page))
  chunk()
end
for number, step in ipairs(steps) do
  io.stdout:write("\30", number, "\30")
  local done, problem = pcall(act[step.kind], step)
  if not done then print(problem) end
end
]==]

local function serialize(steps)
  local parts = {}
  for i, step in ipairs(steps) do
    parts[i] = ("{ kind = %q, name = %q, text = %q }"):format(step.kind, step.name or "", step.text)
  end
  return "return { " .. table.concat(parts, ",\n") .. " }"
end

-- A directory that looks like a checkout to what runs in it, and leaves the checkout alone.
local function workplace()
  local dir = shell.tmpdir "page"
  shell.check { "mkdir", dir .. "/build" }
  for _, name in ipairs { "gprof.lua", "lua", "examples", "spec", "csrc", "doc", "build/gprof",
    "build/libgprof-blocks.a" } do
    shell.check { "ln", "-s", program.root .. "/" .. name, dir .. "/" .. name }
  end
  return dir
end

-- Commands of the names that users know, which are the program and the interpreter under test.
local function commands()
  local bin = shell.tmpdir "bin"
  local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  words[1] = shell.check({ "sh", "-c", 'command -v "$1"', "sh", words[1] }).stdout:match("[^\n]+")
  local interpreter = shell.join(words)
  for name, command in pairs { ["lua5.4"] = interpreter,
    ["gprof.lua"] = interpreter .. " " .. shell.quote(program.root .. "/gprof.lua") } do
    shell.write(bin .. "/" .. name, ('#!/bin/sh\nexec %s "$@"\n'):format(command))
    shell.check { "chmod", "+x", bin .. "/" .. name }
  end
  return bin
end

--- Does what steps say, in turn.
-- @tparam {table,...} steps as `read` returns them; each gets `printed`, a string
function snippets.run(steps)
  local list = shell.write(shell.tmpdir "steps" .. "/steps.lua", serialize(steps))
  local result = launch.script(driver, { list }, { cwd = workplace(), timeout = 240, env = {
    PATH = commands() .. ":" .. os.getenv "PATH", LUA_PATH = program.root .. "/?.lua;;", LC_ALL = "C",
    GMON_OUT_PREFIX = false, GPROF_PATH = false,
  } })
  for number, printed in result.stdout:gmatch("\30(%d+)\30([^\30]*)") do
    steps[tonumber(number)].printed = printed
  end
  assert(result.status == 0, result.stderr)
end

-- Comparing ---------------------------------------------------------------------------------------------------------

local masks <const> = {
  -- Seconds beside source, which a line may have or not, by chance; a row of a report has a number behind them.
  { "^ +%d+%.%d%d(    +[^%s%d])", "%1" },
  { "^ +%d+%.%d%d(    +%d+ %->)", "%1" },
  { "%d+%.%d+", "#" },  -- 0.01, 100.00
  { "0x%x+", "0x#" },
  -- Entries of the call graph are numbered by their time.
  { "^%[%d+%] ", "[#] " },
  { " %[%d+%]%s*$", " [#]" },
  { "%((%S+:%d+) @ %x+%)", "(%1 @ #)" },
  { "%f[%a][TGMKmunpfa]?s/call", "s/call" },
}

local function normalize(line)
  for _, mask in ipairs(masks) do
    line = line:gsub(mask[1], mask[2])
  end
  return (line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function normal_lines(text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n?") do
    lines[#lines + 1] = normalize(line)
  end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

-- The runs of lines between "...": { first =, last = } (numbers of lines).
local function runs_of(lines)
  local runs, first = {}, 1
  for i = 1, #lines + 1 do
    if i > #lines or lines[i] == "..." then
      runs[#runs + 1] = { first = first, last = i - 1 }
      first = i + 1
    end
  end
  return runs
end

-- Whether a run of the page's lines is what was printed from a line on; if not, which line of the page is not.
local function is_at(run, shown, printed, from)
  for i = run.first, run.last do
    if shown[i] ~= printed[from + i - run.first] then return false, i end
  end
  return true
end

-- The line of the page that does not fit, or nil. The first run has to be at the beginning, the last one at the end,
-- those between as early as can be.
local function misfit(shown, printed)
  local runs, from = runs_of(shown), 1
  for number, run in ipairs(runs) do
    local length = run.last - run.first + 1
    local last = #printed - length + 1
    if number == #runs then
      if last < from or number == 1 and last > from then from = math.max(from, 1) else from = last end
    end
    local done, at = is_at(run, shown, printed, from)
    while not done and number > 1 and number < #runs and from < last do
      from = from + 1
      done = is_at(run, shown, printed, from)
    end
    if not done then return at end
    from = from + length
  end
  return from <= #printed and #shown + 1 or nil
end

--- Tells whether what was printed is what a page shows.
-- @tparam {string,...} shown lines of the page
-- @tparam string printed
-- @treturn boolean
-- @treturn ?string the first line of the page that does not fit, and what was printed
function snippets.fits(shown, printed)
  local at = misfit(normal_lines(table.concat(shown, "\n")), normal_lines(printed))
  if not at then return true end
  return false, ("the page has: %s\nprinted was:\n%s"):format(shown[at] or "(no more lines)", printed)
end

return snippets
