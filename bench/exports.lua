--- How much longer than the flat profile and call graph (-p -q) other outputs of a large profile take, in processor
-- time: exports, the page, comparisons and orders.
--
-- @module bench.exports
-- SPDX-License-Identifier: GPL-3.0-or-later

local aims = require "bench.aims"
local inputs = require "bench.inputs"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote = shell.quote

local REPORTS <const> = "-b -p -q"

local OUTPUTS <const> = { "--export=callgrind", "--export=cpuprofile", "--export=csv", "--export=csv-arcs",
  "--export=dot", "--export=folded", "--export=json", "--export=lcov", "--export=pprof", "--export=sample-profile",
  "--export=speedscope", "--export=svg", "--html=/dev/null", "--compare=%s", "--compare=%s --html=/dev/null",
  "--compare=%s --export=junit --fail-on=5%%", "--tree", "--short-names", "-r", "-r --order-format=gold",
  "-r --order-format=call-graph" }

local RUNS <const> = 3

--- Measures the outputs of an input; returns a sentence.
local function measure_input(meter, options, name)
  local input = inputs.get(options.inputs, name)
  local profile = quote(input.profiles[1])
  local commands = {}
  for i, words in ipairs { REPORTS, table.unpack(OUTPUTS) } do
    commands[i] = ("%s %s %s %s"):format(options.ours, words:format(profile), quote(input.image), profile)
  end
  local results = turns.measure(meter, commands, { runs = math.min(RUNS, options.runs), once = options.once })
  local base, met, texts = results[1], 0, {}
  for i, words in ipairs(OUTPUTS) do
    local result = results[i + 1]
    local ratio = result.cpu / base.cpu
    if not result.trouble and ratio <= aims.EXPORT then met = met + 1 end
    texts[i] = ("`%s` %s"):format(words:format "OLD", result.trouble or ("%.1f"):format(ratio))
  end
  return ("%s: `%s` takes %.2f s of processor time; %d of %d other outputs take at most %d times as long: %s."):format(
    name, REPORTS, base.cpu, met, #OUTPUTS, aims.EXPORT, table.concat(texts, ", "))
end

local function measure(meter, options)
  return measure_input(meter, options, "c-100000-g") .. " " .. measure_input(meter, options, "arcs-1000000-g")
end

return { name = "exports", title = "exports, pages, comparisons and orders beside -p -q; 100,000 C functions",
  measure = measure }
