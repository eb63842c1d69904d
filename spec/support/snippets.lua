-- Runs the snippets of a page of documentation in one scratch directory and compares their output with the page.
--
-- The first word after the fence says what a block is:
--
--   console   commands: "$ command", continued by "> more of it", each followed by its output on stdout and stderr
--   lua       runs in the page's one Lua state; later blocks see the locals of its top level; a block "text" right
--             below shows its output
--   anything  a block whose first line is a comment with nothing but a file name becomes that file
--
-- A block marked `only-shown` is not run. Any other block is an error.
--
-- A line "..." on the page stands for one or more lines, not all blank. Any run of blanks equals one blank. Figures
-- that are measured or vary between builds are not compared with the output: numbers with a decimal point, addresses,
-- units of time, index numbers of the call graph. support.figures checks the measured ones against each
-- other.
-- SPDX-License-Identifier: GPL-3.0-or-later

local figures = require "support.figures"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local snippets = {}

-- Reading a page ----------------------------------------------------------------------------------------------------

-- Returns the fenced blocks. A block has its `kind`; `shown`, whether it is not run; `line`, the number of the fence's
-- line; `lines`; and `after`, whether only blank lines separate it from the block before.
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

-- Returns the file name in a block's first line, or nil.
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
--   file; `shown`, the lines of output on the page
-- @treturn {table,...} the blocks marked `only-shown`: `kind`, `line`, `lines`
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

-- The script runs in a fresh interpreter, in the scratch directory. Each step writes a record to stdout: its number,
-- its output and the profiles that gprof.lua read, each after a separator.
local driver <const> = [==[
local steps = dofile(arg[1])
local reads = arg[2]
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
  local file = io.open(reads)
  io.stdout:write("\30", file and file:read("a") or "")
  if file then
    file:close()
    os.remove(reads)
  end
end
]==]

local function serialize(steps)
  local parts = {}
  for i, step in ipairs(steps) do
    parts[i] = ("{ kind = %q, name = %q, text = %q }"):format(step.kind, step.name or "", step.text)
  end
  return "return { " .. table.concat(parts, ",\n") .. " }"
end

-- Makes a directory that looks like a checkout to the snippets, so that they do not write to the checkout.
local function workplace()
  local dir = shell.tmpdir "page"
  shell.check { "mkdir", dir .. "/build" }
  for _, name in ipairs { "gprof.lua", "lua", "examples", "spec", "csrc", "doc", "build/gprof",
    "build/libgprof-blocks.a" } do
    shell.check { "ln", "-s", program.root .. "/" .. name, dir .. "/" .. name }
  end
  return dir
end

-- Records the checksums of the profiles that a command line names (of gmon.out if it names none), then runs the
-- program. The old profile of a comparison follows a "|". Libraries' profiles are identified by their option.
local recording <const> = [==[
#!/bin/sh
sum_of() {
  if [ -f "$1" ]; then
    case $(head -c 8 "$1" | tr -d '\0') in gmon* | gprofctx) cksum <"$1" | tr ' ' - ;; esac
  fi
}
new= old= with=
for word; do
  case $word in
  --compare=*) file=${word#*=}; old=$(sum_of "${file%%%%,*}") ;;
  --with=*) with=$with$word ;;
  *) new=$new$(sum_of "$word") ;;
  esac
done
[ -n "$new" ] || new=$(sum_of gmon.out)
echo "$new$with|$old" >>%s
exec %s "$@"
]==]

-- Makes a directory for PATH with the commands that pages call: the program and the interpreter under test. That for
-- sanitizers has no options; the ordinary interpreter has the Lua programs that are recorded.
local function commands(reads)
  local bin = shell.tmpdir "bin"
  local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  words[1] = shell.check({ "sh", "-c", 'command -v "$1"', "sh", words[1] }).stdout:match("[^\n]+")
  local interpreter = shell.join(words)
  local ordinary = shell.check({ "sh", "-c", "command -v lua5.4" }).stdout:match "[^\n]+"
  local lua = ('#!/bin/sh\n[ "$1" != -e ] || exec %s "$@"\nexec %s "$@"\n'):format(ordinary, interpreter)
  for name, text in pairs { ["lua5.4"] = lua, ["gprof.lua"] = recording:format(shell.quote(reads),
      interpreter .. " " .. shell.quote(program.root .. "/gprof.lua")) } do
    shell.write(bin .. "/" .. name, text)
    shell.check { "chmod", "+x", bin .. "/" .. name }
  end
  return bin
end

--- Runs steps in order.
-- @tparam {table,...} steps as `read` returns them. Each gets `printed`, its output. A step that ran gprof.lua once
--   gets `profile` and, if it compared, `old_profile`: strings that identify the contents of the profiles.
function snippets.run(steps)
  local dir = shell.tmpdir "steps"
  local list, reads = shell.write(dir .. "/steps.lua", serialize(steps)), dir .. "/reads"
  local result = launch.script(driver, { list, reads }, { cwd = workplace(), timeout = 30 * #steps, env = {
    PATH = commands(reads) .. ":" .. os.getenv "PATH", LUA_PATH = program.root .. "/?.lua;;", LC_ALL = "C",
    GMON_OUT_PREFIX = false, GPROF_PATH = false,
  } })
  for number, printed, profiles in result.stdout:gmatch("\30(%d+)\30([^\30]*)\30([^\30]*)") do
    local step = steps[tonumber(number)]
    step.printed = printed
    step.profile, step.old_profile = profiles:match("^([^|\n]+)|([^|\n]*)\n$")
  end
  assert(result.status == 0, result.stderr)
end

-- Comparing ---------------------------------------------------------------------------------------------------------

-- Numbers with a decimal point that follow from counts, and are the same in every run.
local counted <const> = { "Percent of the file executed$", "Average executions per line$" }

local masks <const> = {
  -- Annotated source: the seconds beside a line are missing if no sample fell there. (In a row of a report, another
  -- number follows.)
  { "^ +%d+%.%d%d(    +[^%s%d])", "%1" },
  { "^ +%d+%.%d%d(    +%d+ %->)", "%1" },
  { "%d+%.%d+", "#" },  -- 0.01, 100.00
  { "0x%x+", "0x#" },
  -- The call graph numbers its entries by time.
  { "^%[%d+%] ", "[#] " },
  { " %[%d+%]%s*$", " [#]" },
  { " %(%d+%)%s*$", " (#)" },
  { "%((%S+:%d+) @ %x+%)", "(%1 @ #)" },
  { "%f[%a][TGMKmunpfa]?s/call", "s/call" },
  { "%f[%a]%a*seconds%f[%A]", "seconds" },
  { "a sample counts as %d+", "a sample counts as #" },
}

local function is_counted(line)
  for _, pattern in ipairs(counted) do
    if line:find(pattern) then return true end
  end
  return false
end

local function normalize(line)
  for _, mask in ipairs(is_counted(line) and {} or masks) do
    line = line:gsub(mask[1], mask[2])
  end
  return (line:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

local function split(text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n?") do
    lines[#lines + 1] = line
  end
  while lines[#lines] and not lines[#lines]:find("%S") do lines[#lines] = nil end
  return lines
end

local function normal_lines(lines)
  local normal = {}
  for i, line in ipairs(lines) do normal[i] = normalize(line) end
  return normal
end

-- Returns the runs of lines between "...": { first =, last = }, numbers of lines. A run may be empty.
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

-- Compares a run of lines of `shown` with `printed` from line `from` on. If they differ, returns false and the number
-- of the first line of `shown` that differs.
local function is_at(run, shown, printed, from)
  for i = run.first, run.last do
    if shown[i] ~= printed[from + i - run.first] then return false, i end
  end
  return true
end

-- Finds the first line of `printed`, from line `from` on, that is not blank. Returns the number of the line after it;
-- nil if all are blank.
local function after_omission(printed, from)
  while printed[from] == "" do from = from + 1 end
  return printed[from] and from + 1
end

-- Matches the runs of `shown` with lines of `printed`: the first run with the beginning, the last with the end, each of
-- the others as early as possible. Between two runs, `printed` has at least one line that is not blank. Returns the
-- number of the first line of `shown` that does not match, or nil.
local function misfit(shown, printed)
  local runs, from = runs_of(shown), 1
  for number, run in ipairs(runs) do
    local length = run.last - run.first + 1
    local last = #printed - length + 1
    if number > 1 then from = after_omission(printed, from) end
    if not from then return run.first - 1 end
    if number > 1 and number == #runs then from = math.max(from, last) end
    local done, at = is_at(run, shown, printed, from)
    while not done and number > 1 and from < last do
      from = from + 1
      done = is_at(run, shown, printed, from)
    end
    if not done then return at end
    from = from + length
  end
  return from <= #printed and #shown + 1 or nil
end

-- Tells whether the output is a single zero, which `grep -c` prints if it finds nothing.
local function is_zero(lines)
  return #lines == 1 and lines[1]:find("^%s*0[.0]*%s*$") ~= nil
end

--- Compares output with the page.
-- @tparam {string,...} shown lines of the page
-- @tparam string printed
-- @treturn boolean
-- @treturn ?string the first line of the page that does not match, and the output
function snippets.fits(shown, printed)
  local output = split(printed)
  local page = split(table.concat(shown, "\n"))
  local at = misfit(normal_lines(page), normal_lines(output))
  if not at and is_zero(output) and not is_zero(page) then at = 1 end
  if not at then return true end
  return false, ("the page has: %s\nprinted was:\n%s"):format(page[at] or "(no more lines)", printed)
end

-- Compares the figures of two steps that read the same profile; returns what differs, or nil.
local function conflict_of(a, b)
  local problem
  if a.profile == b.profile then problem = figures.conflict(a.figures, b.figures) end
  if a.profile == b.old_profile then problem = figures.conflict_with_old(a.figures, b.figures) end
  if b.profile == a.old_profile then problem = figures.conflict_with_old(b.figures, a.figures) end
  return problem
end

--- Finds steps whose figures conflict with the figures of an earlier step on the same profile.
-- @tparam {table,...} steps after `run`
-- @treturn {string,...} a message for each, about the first such step
function snippets.conflicts(steps)
  local found = {}
  for i, step in ipairs(steps) do
    step.figures = step.profile and figures.read(step.shown)
    for j = 1, step.figures and i - 1 or 0 do
      local problem = steps[j].figures and conflict_of(steps[j], step)
      if problem then
        found[#found + 1] = ("lines %d and %d show different figures of one profile: %s"):format(steps[j].line,
          step.line, problem)
        break
      end
    end
  end
  return found
end

return snippets
