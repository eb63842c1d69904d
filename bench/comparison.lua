--- Measures a row of the table: GNU gprof, our program, and ours with --gnu-compat, on the same input.
--
-- @module bench.comparison
-- SPDX-License-Identifier: GPL-3.0-or-later

local inputs = require "bench.inputs"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote = shell.quote

local comparison = {}

--- Returns the arguments of a row, quoted for the shell.
local function operands_of(row, input)
  local words = { "-b" }
  local more = type(row.words) == "function" and row.words(input) or row.words or {}
  table.move(more, 1, #more, 2, words)
  words[#words + 1] = input.image
  table.move(input.profiles, 1, #input.profiles, #words + 1, words)
  for i, word in ipairs(words) do words[i] = quote(word) end
  return " " .. table.concat(words, " ")
end

--- The commands that find functions and lines at addresses, with the names of their results. `%s` is the image.
comparison.SYMBOLIZERS = {
  { name = "libbfd", title = "`addr2line -fi` (libbfd's lookup)", command = "addr2line -fi -e %s" },
  { name = "llvm", title = "`llvm-addr2line -fi`", command = "llvm-addr2line -fi -e %s" },
  { name = "frames", title = "`image:frames`, in a script that reads the entries of all units,",
    command = ("lua5.4 %s/bench/frames.lua %%s"):format(quote(assert(shell.capture "pwd"))) },
}

--- Adds the commands that find functions and lines at the addresses that our report shows.
local function add_symbolizers(commands, input)
  local path = input.dir .. "/addresses"
  shell.run(("%s | sed -n 's/.* @ \\([0-9a-f]*\\)).*/0x\\1/p' | sort -u >%s"):format(commands.ours, quote(path)))
  for _, symbolizer in ipairs(comparison.SYMBOLIZERS) do
    commands[symbolizer.name] =
      "sh -c " .. quote(("%s <%s"):format(symbolizer.command:format(quote(input.image)), quote(path)))
  end
  return commands
end

--- Returns the commands of a row, keyed by name.
local function commands_of(row, input, options)
  local operands = operands_of(row, input)
  local profiles = {}
  for i, path in ipairs(input.profiles) do profiles[i] = quote(path) end
  local commands = {
    gnu = options.gnu .. operands,
    ours = options.ours .. operands,
    compatible = not row.ours_alone and options.ours .. " --gnu-compat" .. operands or nil,
    cat = row.sums and "cat " .. table.concat(profiles, " ") or nil,
  }
  return row.symbolized and add_symbolizers(commands, input) or commands
end

--- Returns whether two commands print the same. GNU gprof reads uninitialized memory; MALLOC_PERTURB_ makes its output
-- repeatable.
local function same_output(gnu, ours)
  local sums = {}
  for i, command in ipairs { "MALLOC_PERTURB_=255 " .. gnu, ours } do
    sums[i] = shell.capture("LC_ALL=C " .. command .. " 2>/dev/null | cksum")
  end
  return sums[1] == sums[2]
end

--- Measures the named commands in turns.
-- @treturn {[string]=result,...} keyed by name
local function take_turns(meter, commands, names, settings)
  local present, list, results = {}, {}, {}
  for _, name in ipairs(names) do
    if commands[name] then present[#present + 1], list[#list + 1] = name, commands[name] end
  end
  for i, result in ipairs(turns.measure(meter, list, settings)) do results[present[i]] = result end
  return results
end

--- Measures a row. If GNU gprof is slow on it, `comparison.finish` runs GNU gprof later, and --gnu-compat runs only
-- once.
-- @tparam meter meter
-- @tparam row row
-- @tparam table options of the command line
-- @treturn table `row`; results of `turns.measure` by name: `gnu`, `ours`, and `compatible`, `cat` and those of
--   SYMBOLIZERS if the row has these commands; `pending`: the command that `comparison.finish` will run; `same`:
--   whether the outputs are equal, if they were compared
function comparison.measure(meter, row, options)
  local input = inputs.get(options.inputs, row.input)
  local commands, dir = commands_of(row, input, options), row.sums and input.dir
  local settings = { runs = options.runs, once = options.once, dir = dir }
  local measured
  if row.slow then
    measured = take_turns(meter, commands, { "ours", "cat", "libbfd", "llvm", "frames" }, settings)
    settings.runs = 1
    measured.compatible = take_turns(meter, commands, { "compatible" }, settings).compatible
    measured.pending = { command = commands.gnu, dir = dir }
  else
    measured = take_turns(meter, commands, { "gnu", "ours", "compatible", "cat", "libbfd", "llvm", "frames" },
      settings)
  end
  if options.check and not row.slow and not row.sums and not measured.gnu.trouble then
    measured.same = same_output(commands.gnu, commands.compatible)
  end
  measured.row = row
  return measured
end

--- Runs GNU gprof once on each pending row, two rows at a time, and completes the results.
-- @tparam meter meter
-- @tparam {table,...} list results of `comparison.measure`
function comparison.finish(meter, list)
  local waiting, jobs = {}, {}
  for _, measured in ipairs(list) do
    if measured.pending then
      waiting[#waiting + 1], jobs[#jobs + 1] = measured, measured.pending
    end
  end
  local runs = meter:together(jobs)
  for i, measured in ipairs(waiting) do
    measured.gnu, measured.pending = turns.result { runs[i] }, nil
  end
end

return comparison
