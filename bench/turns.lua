--- Commands that take turns, so that whatever else the machine does hits all of them: medians, and ratios of pairs.
--
-- @module bench.turns
-- SPDX-License-Identifier: GPL-3.0-or-later

local turns = {}

-- Commands that are this fast have their median of more runs, and that costs nothing.
local FAST <const>, MORE <const> = 0.05, 21

--- The value in the middle, or the mean of the two.
-- @tparam {number,...} values in any order, one at least
function turns.median(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local n = #sorted
  return (sorted[(n + 1) // 2] + sorted[n // 2 + 1]) / 2
end

--- What all runs of a command come to: medians, and what became of the last.
-- @tparam {run,...} runs as of `meter:run`
-- @treturn result a table of `runs`, `wall`, `cpu`, `mb`, `trouble`, `timeout`, `errors`
function turns.result(runs)
  local last = runs[#runs]
  local result = { runs = runs, trouble = last.trouble, timeout = last.timeout, errors = last.errors }
  for _, key in ipairs { "wall", "cpu", "mb" } do
    local values = {}
    for i, run in ipairs(runs) do values[i] = run[key] end
    result[key] = turns.median(values)
  end
  return result
end

--- How often all are run, which is known when the first round is over.
local function rounds(all, wanted)
  if wanted == 1 then return 1 end
  local slowest = 0
  for _, runs in ipairs(all) do slowest = math.max(slowest, runs[1].wall) end
  return slowest < FAST and math.max(MORE, wanted) or wanted
end

--- Runs commands in turns. One that fails, or takes long, is run no more.
-- @tparam meter meter
-- @tparam {string,...} commands
-- @tparam table options `runs`, of each; `once`, seconds that are long; `dir`, where they run
-- @treturn {result,...}
function turns.measure(meter, commands, options)
  local all, stopped = {}, {}
  local round, last = 1, options.runs
  while round <= last do
    for i, command in ipairs(commands) do
      if not stopped[i] then
        local run = meter:run(command, options.dir)
        all[i] = all[i] or {}
        table.insert(all[i], run)
        stopped[i] = run.trouble or run.wall > options.once
      end
    end
    if round == 1 then last = rounds(all, options.runs) end
    round = round + 1
  end
  local results = {}
  for i, runs in ipairs(all) do results[i] = turns.result(runs) end
  return results
end

--- How many times as long one takes as the other: the median of the ratios of runs that followed each other. A single
-- run is compared with the median of the others.
-- @tparam result slower
-- @tparam result faster
-- @treturn number
function turns.ratio(slower, faster)
  local n = math.min(#slower.runs, #faster.runs)
  if n == 1 then return slower.wall / faster.wall end
  local ratios = {}
  for i = 1, n do ratios[i] = slower.runs[i].wall / faster.runs[i].wall end
  return turns.median(ratios)
end

return turns
