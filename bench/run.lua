--- Measures GNU gprof and ours on the same inputs and prints the figures as a Markdown table.
--
--     lua5.4 bench/run.lua [options] [row...]
--
-- from the root of the checkout, once the program is built.  The programs take turns, so that
-- whatever else the machine does hits all of them; the figure is the median.  What is measured is
-- in `bench/rows.lua`.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path

local shell = require "bench.shell"

local quote = shell.quote

-- In full: some rows run in a directory of their own.
local HERE = assert(shell.capture("pwd"))
local SCRATCH = HERE .. "/build/bench"
local MEASURE = SCRATCH .. "/measure"
local STARTUP_RUNS = 21

local usage = [[
usage: lua5.4 bench/run.lua [options] [row...]

  --quick           one run of each instead of five
  --runs=N          runs of each (5)
  --once=SECONDS    a program that takes longer than this on a row runs only once there (10)
  --timeout=SECONDS a run is stopped after this time (120)
  --check           compare the output of ours under --gnu-compat with GNU's, too
  --ours=COMMAND    our program, by its full path (lua5.4 gprof.lua)
  --gnu=COMMAND     GNU's (gprof)
  --output=FILE     write the report to FILE as well
  --list            tell the rows and stop
]]

local options = { runs = 5, once = 10, timeout = 120, ours = "lua5.4 " .. quote(HERE .. "/gprof.lua"),
                  gnu = "gprof" }

--- Leaves with a message.
local function fail(message)
  io.stderr:write("bench: ", message, "\n")
  os.exit(1)
end

--- Reads the command line into `options`.
-- @treturn {string,...} names of rows
local function parse(arguments)
  local names = {}
  for _, argument in ipairs(arguments) do
    local key, value = argument:match("^%-%-(%l+)=(.*)$")
    if not argument:find("^%-") then
      names[#names + 1] = argument
    elseif argument == "--quick" then
      options.runs = 1
    elseif argument == "--check" then
      options.check = true
    elseif argument == "--list" then
      options.list = true
    elseif argument == "--help" then
      io.write(usage)
      os.exit(0)
    elseif key == "output" or key == "ours" or key == "gnu" then
      options[key] = value
    elseif key == "runs" or key == "once" or key == "timeout" then
      options[key] = math.tointeger(tonumber(value)) or 0
      if options[key] < 1 then fail(argument .. ": a number above 0 expected") end
    else
      io.stderr:write(usage)
      fail("no such option: " .. argument)
    end
  end
  return names
end

local function progress(...)
  io.stderr:write(string.format(...), "\n")
end

----------------------------------------------------------------------------------------------------
-- Measuring
----------------------------------------------------------------------------------------------------

-- The same environment for all: GNU's own allocator settings are for tests, not for timing.
local ENVIRONMENT = "env -u MALLOC_PERTURB_ LC_ALL=C "

local function compile_measure()
  shell.run("mkdir -p " .. quote(SCRATCH))
  shell.run(("gcc -std=c11 -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -o %s %sbench/measure.c")
    :format(quote(MEASURE), quote(root)))
end

--- Runs a command so many times.
-- @tparam string command
-- @tparam integer runs
-- @tparam[opt] string dir to run it in
-- @treturn {run,...} of tables with wall and cpu (seconds), mb, and exit, signal or timeout
-- @treturn string what the last run wrote to its error output
local function measure(command, runs, dir)
  local errors = SCRATCH .. "/stderr"
  local text = shell.capture(("cd %s && %s%s -n %d -t %d -e %s %s"):format(
    quote(dir or HERE), ENVIRONMENT, quote(MEASURE), runs, options.timeout, quote(errors), command))
  if not text then fail("cannot measure: " .. command) end
  local list = {}
  for line in text:gmatch("[^\n]+") do
    local run = {}
    for key, value in line:gmatch("(%l+)=(%S+)") do run[key] = tonumber(value) end
    run.cpu, run.mb = run.user + run.system, run.rss / 1024
    list[#list + 1] = run
  end
  return list, shell.read(errors)
end

local function median(runs, key)
  local values = {}
  for i, run in ipairs(runs) do values[i] = run[key] end
  table.sort(values)
  local n = #values
  return (values[(n + 1) // 2] + values[n // 2 + 1]) / 2
end

--- The wall time of doing nothing: nil if the command does not even do that.
local function startup(command)
  local runs = measure(command, options.runs == 1 and 5 or STARTUP_RUNS)
  if runs[1].exit ~= 0 then return nil end
  return median(runs, "wall")
end

local signals = { [4] = "SIGILL", [6] = "SIGABRT", [7] = "SIGBUS", [8] = "SIGFPE", [9] = "SIGKILL",
                  [11] = "SIGSEGV" }

--- How a run that did not succeed ended; nil if it did succeed.
local function trouble(run)
  if run.timeout then return ("> %d s"):format(run.timeout) end
  if run.signal then return "aborts (" .. (signals[run.signal] or "signal " .. run.signal) .. ")" end
  if run.exit ~= 0 then return "fails (" .. run.exit .. ")" end
end

--- Measures several commands in turns.
-- @tparam {string,...} commands
-- @tparam[opt] string dir to run them in
-- @treturn {result,...} of tables: wall, cpu, mb (medians), trouble, once, errors
local function compare(commands, dir)
  local results = {}
  for i in ipairs(commands) do results[i] = { runs = {} } end
  for _ = 1, options.runs do
    for i, command in ipairs(commands) do
      local result = results[i]
      if not result.stopped then
        local runs, errors = measure(command, 1, dir)
        local run = runs[1]
        table.insert(result.runs, run)
        result.errors = errors
        result.trouble = trouble(run)
        result.timeout = run.timeout
        result.once = run.wall > options.once and options.runs > 1
        result.stopped = result.once or result.trouble
      end
    end
  end
  for _, result in ipairs(results) do
    for _, key in ipairs { "wall", "cpu", "mb" } do result[key] = median(result.runs, key) end
  end
  return results
end

--- Whether two commands print the same.
local function same_output(gnu, ours)
  local sums = {}
  for i, command in ipairs { "MALLOC_PERTURB_=255 " .. gnu, ours } do
    sums[i] = shell.capture("LC_ALL=C " .. command .. " 2>/dev/null | cksum")
  end
  return sums[1] == sums[2]
end

----------------------------------------------------------------------------------------------------
-- The table
----------------------------------------------------------------------------------------------------

--- Seconds, in as many digits as they are worth.
local function time(seconds)
  if seconds < 1 then return ("%.3f"):format(seconds) end
  if seconds < 10 then return ("%.2f"):format(seconds) end
  return ("%.1f"):format(seconds)
end

local function wall_cell(result)
  return (result.trouble or time(result.wall)) .. (result.once and not result.trouble and " *" or "")
end

--- GNU's time over ours; a lower bound where GNU was stopped.
local function ratio_cell(gnu, ours)
  if ours.trouble or gnu.trouble and not gnu.timeout then return "" end
  local ratio = gnu.wall / ours.wall
  return (gnu.timeout and "> " or "") .. (ratio < 10 and "%.2f" or "%.0f"):format(ratio)
end

--- Both times without the time of starting, for runs of which that is a good part.
local function net_cell(gnu, ours, gnu_startup, our_startup)
  if gnu.trouble or ours.trouble or gnu.wall > 1 or ours.wall > 1 or not gnu_startup or not our_startup then
    return ""
  end
  local gnu_net, our_net = gnu.wall - gnu_startup, ours.wall - our_startup
  local text = ("%.1f / %.1f ms"):format(gnu_net * 1000, our_net * 1000)
  if gnu_net < 0.001 or our_net < 0.001 then return text end  -- too little to divide
  return text .. (" = %.2f"):format(gnu_net / our_net)
end

--- Lines of a Markdown table; the first two columns are text, the others numbers.
local function markdown(lines)
  local widths, out = {}, {}
  for _, line in ipairs(lines) do
    for i, cell in ipairs(line) do widths[i] = math.max(widths[i] or 3, #cell) end
  end
  for number, line in ipairs(lines) do
    local cells, rule = {}, {}
    for i, width in ipairs(widths) do
      cells[i] = ("%" .. (i <= 2 and "-" or "") .. width .. "s"):format(line[i] or "")
      rule[i] = i <= 2 and ("-"):rep(width) or ("-"):rep(width - 1) .. ":"
    end
    out[#out + 1] = "| " .. table.concat(cells, " | ") .. " |\n"
    if number == 1 then out[#out + 1] = "| " .. table.concat(rule, " | ") .. " |\n" end
  end
  return table.concat(out)
end

--- The machine, the programs and the day, as lines of Markdown.
local function circumstances()
  local cpuinfo = shell.read("/proc/cpuinfo") or ""
  local _, cores = cpuinfo:gsub("processor%s*:", "")
  local memory = (shell.read("/proc/meminfo") or ""):match("MemTotal:%s*(%d+)")
  local function first_line(command)
    return (shell.capture(command .. " 2>&1") or "unknown version"):match("[^\n]*")
  end
  return table.concat({
    ("- Machine: %d x %s, %.1f GB, %s"):format(cores, cpuinfo:match("model name%s*:%s*([^\n]+)") or "unknown",
      (memory or 0) / 1024 ^ 2, first_line("uname -srm")),
    "- GNU: " .. first_line(options.gnu .. " --version"),
    "- Ours: " .. first_line(options.ours .. " --version"),
    "- Lua: " .. first_line("lua5.4 -v"):match("^Lua [%d.]+") .. ", GCC: " .. first_line("gcc -dumpfullversion"),
    ("- Date: %s, load %s, stack limit %s kB"):format(os.date("!%Y-%m-%d %H:%M UTC"),
      (shell.read("/proc/loadavg") or "unknown"):match("^%S+"), first_line("ulimit -s")),
  }, "\n")
end

--- Chooses rows by name, all of them if no name is given.
local function choose(rows, names)
  if #names == 0 then return rows end
  local by_name, chosen = {}, {}
  for _, row in ipairs(rows) do by_name[row.name] = row end
  for i, name in ipairs(names) do
    chosen[i] = by_name[name] or fail("no such row: " .. name)
  end
  return chosen
end

local headings = { "row", "ours", "GNU wall s", "CPU s", "MB", "ours wall s", "CPU s", "MB", "GNU / ours",
                   "less start-up" }

--- What the reading alone costs: a remark on `cat` of the profiles, beside ours by default.
local function note_reading(row, reading, ours, note)
  if reading.trouble or ours.trouble then return end
  note("%s: `cat` reads the profiles in %s s; ours takes %.2f times as long.", row.name,
    time(reading.wall), ours.wall / reading.wall)
end

--- Runs programs by themselves, in turns: a remark on how long they take beside the first.
-- @treturn boolean whether all of them did what they should
local function measure_programs(row, note)
  local dir = SCRATCH .. "/" .. row.name
  local paths, names = row.programs(dir)
  local commands, parts = {}, {}
  for i, path in ipairs(paths) do commands[i] = quote(path) end
  local results = compare(commands, dir)
  for i, result in ipairs(results) do
    parts[i] = ("%s %s"):format(names[i], wall_cell(result))
    if i > 1 and not result.trouble then
      parts[i] = ("%s s (%.2f times as long)"):format(parts[i], result.wall / results[1].wall)
    end
  end
  note("%s: %s s, %s.", row.name, parts[1], table.concat(parts, ", ", 2))
  for _, result in ipairs(results) do
    if result.trouble then return false end
  end
  return true
end

--- Measures a row: a line of the table for each mode of ours, GNU's figures in the first.
-- @tparam row row
-- @tparam table idle the start-up times gnu and ours, where known
-- @tparam function note takes the format and the values of a remark below the table
-- @treturn {{string,...},...}
-- @treturn boolean whether ours did what it should
local function measure_row(row, idle, note)
  progress("%s: %s", row.name, row.description)
  if row.programs then return {}, measure_programs(row, note) end
  local dir = SCRATCH .. "/" .. row.name
  local image, gmon, more = row.make(dir)
  if not image then
    progress("  left out: %s", gmon)
    note("%s is left out: %s.", row.name, gmon)
    return {}, true
  end
  local operands = " -b"
  for _, word in ipairs(more or {}) do operands = operands .. " " .. quote(word) end
  local profiles = {}
  for i, path in ipairs(type(gmon) == "table" and gmon or { gmon }) do profiles[i] = quote(path) end
  local files = table.concat(profiles, " ")
  operands = operands .. " " .. quote(image) .. " " .. files
  local gnu_command, compatible = options.gnu .. operands, options.ours .. " --gnu-compat" .. operands
  local commands = { gnu_command, compatible, options.ours .. operands }
  if row.sums then commands[4] = "cat " .. files end
  local results = compare(commands, row.sums and dir)
  local gnu, lines, good = results[1], {}, true
  if row.sums then note_reading(row, results[4], results[3], note) end
  for i, mode in ipairs { "--gnu-compat", "default" } do
    local ours = results[i + 1]
    local line = { row.name, mode, wall_cell(gnu), time(gnu.cpu), ("%.1f"):format(gnu.mb),
                   wall_cell(ours), time(ours.cpu), ("%.1f"):format(ours.mb), ratio_cell(gnu, ours),
                   net_cell(gnu, ours, idle.gnu, idle.ours) }
    if i == 2 then line[1], line[3], line[4], line[5] = "", "", "", "" end
    if ours.trouble then
      good = false
      note("%s, %s: ours %s: %s", row.name, mode, ours.trouble, ours.errors:match("[^\n]*"))
    end
    lines[i] = line
    progress("  %-14s GNU %s, ours %s", mode, wall_cell(gnu), wall_cell(ours))
  end
  if options.check then
    local checked = not gnu.trouble and not results[2].trouble and not row.sums
    local same = checked and same_output(gnu_command, compatible)
    lines[1][#headings] = same and "identical" or checked and "differs" or "not compared"
    lines[2][#headings] = ""
    good = good and (same or not checked)
  end
  return lines, good
end

--- Everything.
-- @treturn boolean whether ours did what it should on every row
local function main(arguments)
  local rows = choose(require "bench.rows", parse(arguments))
  if options.list then
    for _, row in ipairs(rows) do print(("%-18s %s"):format(row.name, row.description)) end
    return true
  end
  compile_measure()
  local about = circumstances()
  local lua = startup("lua5.4 -e ''")
  local core = startup([[lua5.4 -e 'package.cpath = "./build/?.so"; require "gprof.core"']])
  local startups = { gnu = startup(options.gnu .. " --version"), ours = core or lua }
  local notes, good = {}, true
  local function note(...)
    notes[#notes + 1] = "- " .. string.format(...)
  end

  if options.check then headings[#headings + 1] = "output" end
  local lines = { headings }
  for _, row in ipairs(rows) do
    local more, well = measure_row(row, startups, note)
    table.move(more, 1, #more, #lines + 1, lines)
    good = good and well
  end

  if options.runs == 1 then
    note("One run of each.")
  else
    note("Medians of %d runs of each, in turns; * marks a single run, where one took more than %d s.",
      options.runs, options.once)
  end
  note("MB: peak resident memory. A run is stopped after %d s.", options.timeout)
  local function ms(seconds) return seconds and ("%.1f ms"):format(seconds * 1000) or "not there" end
  note("Start-up: GNU (`gprof --version`) %s; `lua5.4 -e ''` %s; with the C library loaded %s.",
    ms(startups.gnu), ms(lua), ms(core))

  local report = ("%s\n\n%s\n%s\n"):format(about, markdown(lines), table.concat(notes, "\n"))
  io.write(report)
  if options.output then shell.write(options.output, report) end
  return good
end

local done, good = xpcall(main, function(message)
  return type(message) == "string" and not message:find("^failed: ") and debug.traceback(message) or message
end, arg)
if not done then fail(good) end
os.exit(good)
