--- A row of the table, measured: GNU gprof, ours, and ours with --gnu-compat, on the same input.
--
-- @module bench.comparison
-- SPDX-License-Identifier: GPL-3.0-or-later

local inputs = require "bench.inputs"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote = shell.quote

local comparison = {}

--- The options and operands of a row, for the shell.
local function operands_of(row, input)
  local words = { "-b" }
  local more = type(row.words) == "function" and row.words(input) or row.words or {}
  table.move(more, 1, #more, 2, words)
  words[#words + 1] = input.image
  table.move(input.profiles, 1, #input.profiles, #words + 1, words)
  for i, word in ipairs(words) do words[i] = quote(word) end
  return " " .. table.concat(words, " ")
end

--- What a row runs, by name.
local function commands_of(row, input, options)
  local operands = operands_of(row, input)
  local profiles = {}
  for i, path in ipairs(input.profiles) do profiles[i] = quote(path) end
  return {
    gnu = options.gnu .. operands,
    ours = options.ours .. operands,
    compatible = not row.ours_alone and options.ours .. " --gnu-compat" .. operands or nil,
    cat = row.sums and "cat " .. table.concat(profiles, " ") or nil,
  }
end

--- Whether two commands print the same.
local function same_output(gnu, ours)
  local sums = {}
  for i, command in ipairs { "MALLOC_PERTURB_=255 " .. gnu, ours } do
    sums[i] = shell.capture("LC_ALL=C " .. command .. " 2>/dev/null | cksum")
  end
  return sums[1] == sums[2]
end

--- Measures some of a row's commands in turns.
-- @treturn {[string]=result,...} by name
local function take_turns(meter, commands, names, settings)
  local present, list, results = {}, {}, {}
  for _, name in ipairs(names) do
    if commands[name] then present[#present + 1], list[#list + 1] = name, commands[name] end
  end
  for i, result in ipairs(turns.measure(meter, list, settings)) do results[present[i]] = result end
  return results
end

--- Measures a row, but for GNU gprof where it is slow. Then there are no pairs, and --gnu-compat has one run, too.
-- @tparam meter meter
-- @tparam row row
-- @tparam table options those of the command line
-- @treturn table `row`, and results as of `turns.measure` by name: `gnu`, `ours`; `compatible` and `cat`, where there
--   are such commands; `pending`, what `comparison.finish` has to run; `same`, whether outputs are equal, where that
--   was to be checked
function comparison.measure(meter, row, options)
  local input = inputs.get(options.inputs, row.input)
  local commands, dir = commands_of(row, input, options), row.sums and input.dir
  local settings = { runs = options.runs, once = options.once, dir = dir }
  local measured
  if row.slow then
    measured = take_turns(meter, commands, { "ours", "cat" }, settings)
    settings.runs = 1
    measured.compatible = take_turns(meter, commands, { "compatible" }, settings).compatible
    measured.pending = { command = commands.gnu, dir = dir }
  else
    measured = take_turns(meter, commands, { "gnu", "ours", "compatible", "cat" }, settings)
  end
  if options.check and not row.slow and not row.sums and not measured.gnu.trouble then
    measured.same = same_output(commands.gnu, commands.compatible)
  end
  measured.row = row
  return measured
end

--- Runs GNU gprof on those rows where it is slow: once, two at a time.
-- @tparam meter meter
-- @tparam {table,...} list what `comparison.measure` returned
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
