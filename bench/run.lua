--- Measures GNU gprof and our program on the same inputs, and prints the results as a Markdown table.
--
--     lua5.4 bench/run.lua [options] [row...]
--
-- Run it in the root of the checkout, after `make`. `bench/rows.lua`, `bench/notes.lua` and `bench/large.lua` define
-- the measurements, `bench/aims.lua` the aims.
--
-- @script run
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path

local comparison = require "bench.comparison"
local machine = require "bench.machine"
local meters = require "bench.meter"
local options = require "bench.options"
local report = require "bench.report"
local shell = require "bench.shell"
local turns = require "bench.turns"

local STARTUP_RUNS <const> = 21

local function progress(...)
  io.stderr:write(string.format(...), "\n")
end

--- Selects rows and notes by name; all of them if there are no names. Raises an error for an unknown name.
local function choose(rows, notes, names)
  local wanted, chosen_rows, chosen_notes = {}, {}, {}
  for _, name in ipairs(names) do wanted[name] = true end
  for _, list in ipairs { { rows, chosen_rows }, { notes, chosen_notes } } do
    for _, item in ipairs(list[1]) do
      if not names[1] or wanted[item.name] then table.insert(list[2], item) end
      wanted[item.name] = nil
    end
  end
  if next(wanted) then error("unknown row: " .. next(wanted) .. " (see --list)", 0) end
  return chosen_rows, chosen_notes
end

--- Returns start-up times in seconds: of GNU gprof, of Lua, and of Lua with our core.
local function starting(meter, all)
  local commands = { all.gnu .. " --version", "lua5.4 -e ''",
                     [[lua5.4 -e 'package.cpath = "./build/?.so"; require "gprof.core"']] }
  local results = turns.measure(meter, commands, { runs = all.runs == 1 and 5 or STARTUP_RUNS, once = all.once })
  for i, result in ipairs(results) do
    if result.trouble then error(("%s: %s"):format(commands[i], result.trouble), 0) end
  end
  return { gnu = results[1].wall, lua = results[2].wall, ours = results[3].wall }
end

--- Measures all rows; slow runs of GNU gprof come last.
local function measure_rows(meter, rows, all)
  local list = {}
  for i, row in ipairs(rows) do
    progress("%s: %s", row.name, row.title)
    list[i] = comparison.measure(meter, row, all)
  end
  progress("slow runs of GNU gprof")
  comparison.finish(meter, list)
  return list
end

--- Returns sentences that explain how the results were measured.
local function method(all, idle)
  return {
    all.runs == 1 and "One run of each command." or ("Medians of %d runs of each command, in turns (21 runs if all " ..
      "take less than 50 ms); GNU/ours is the median of the ratios of consecutive runs."):format(all.runs),
    ("A star marks a single run, of a slow command. A run is stopped after %d s."):format(all.timeout),
    "MB is the peak resident memory; memory is GNU's MB divided by ours; compat is GNU/ours with --gnu-compat.",
    ("Start-up: GNU (`gprof --version`) %.1f ms; `lua5.4 -e ''` %.1f ms, with the core loaded %.1f ms."):format(
      idle.gnu * 1000, idle.lua * 1000, idle.ours * 1000),
  }
end

--- Lists failures of our program, and compares it with `cat` and with programs that find functions and lines. Returns
-- the lines, and whether all runs succeeded with equal outputs.
local function remarks(list)
  local lines, good = {}, true
  for _, measured in ipairs(list) do
    local name = measured.row.name
    for _, mode in ipairs { "ours", "compatible" } do
      local result = measured[mode]
      if result and result.trouble then
        -- With --gnu-compat, libbfd looks lines up, and may take as long as in GNU gprof.
        local is_as_slow = mode == "compatible" and result.timeout and measured.gnu.timeout
        if not is_as_slow then good = false end
        local message = result.errors:match "[^\n]+"
        lines[#lines + 1] = ("%s, %s: %s%s"):format(name, mode, result.trouble, message and ": " .. message or "")
      end
    end
    if measured.same == false then good = false end
    if measured.cat and not measured.cat.trouble then
      lines[#lines + 1] = ("%s: `cat` reads the profiles in %.3f s; gprof for Lua takes %.2f times as long to add " ..
        "them up."):format(name, measured.cat.wall, turns.ratio(measured.ours, measured.cat))
    end
    for _, symbolizer in ipairs(comparison.SYMBOLIZERS) do
      local result = measured[symbolizer.name]
      if result and not result.trouble then
        lines[#lines + 1] = ("%s: for the addresses in the report, %s takes %.3f s of CPU time and %.0f MB: %.2f " ..
          "times the time and %.1f times the memory of the report."):format(name, symbolizer.title, result.cpu,
          result.mb, result.cpu / measured.ours.cpu, result.mb / measured.ours.mb)
      end
    end
  end
  return lines, good
end

--- Measures the notes.
local function measure_notes(meter, notes, all)
  local lines = {}
  for i, note in ipairs(notes) do
    progress("%s: %s", note.name, note.title)
    lines[i] = note.measure(meter, all)
  end
  return lines
end

local function bullets(...)
  local lines = {}
  for _, list in ipairs { ... } do
    for _, line in ipairs(list) do lines[#lines + 1] = "- " .. line .. "\n" end
  end
  return table.concat(lines)
end

--- Measures everything. Returns the report, and whether our program succeeded on every row.
local function run(rows, notes, all)
  local meter = meters.open(all.inputs, all)
  local about, idle = machine.describe(all), starting(meter, all)
  local list = measure_rows(meter, rows, all)
  local note_lines = measure_notes(meter, notes, all)
  local remark_lines, good = remarks(list)
  local parts = { about, bullets(method(all, idle), remark_lines, note_lines) }
  if list[1] then
    local text, met = report.table(list, all)
    table.insert(parts, 2, text)
    table.insert(parts, 3, ("Aims met: %d of %d rows.\n"):format(met, #list))
    parts[#parts + 1] = ("`lua5.4 bench/run.lua --list%s` describes the rows.\n"):format(all.large and " --large" or "")
  end
  return table.concat(parts, "\n"), good
end

local function main(arguments)
  local all = options.parse(arguments)
  if all.help then
    io.write(options.usage)
    return true
  end
  local sets = all.large and require "bench.large"(all.binutils)
               or { rows = require "bench.rows", notes = require "bench.notes" }
  local rows, notes = choose(sets.rows, sets.notes, all.rows)
  if all.list then
    for _, item in ipairs(table.move(notes, 1, #notes, #rows + 1, rows)) do
      print(("%-14s %s"):format(item.name, item.title))
    end
    return true
  end
  local text, good = run(rows, notes, all)
  io.write(text)
  if all.output then shell.write(all.output, "# GNU gprof and ours\n\n", text) end
  return good
end

local done, good = xpcall(main, function(message)
  return type(message) == "string" and message:find("^%S+%.lua:%d") and debug.traceback(message) or message
end, arg)
if not done then io.stderr:write("bench: ", good, "\n") end
os.exit(done and good)
