--- Runs commands in turns, so that other load on the machine affects all of them alike. Computes medians and ratios.
--
-- @module bench.turns
-- SPDX-License-Identifier: GPL-3.0-or-later

local turns = {}

-- If all commands take less than FAST seconds, each is run at least MORE times in total.
local FAST <const>, MORE <const> = 0.05, 21

--- Returns the median.
-- @tparam {number,...} values in any order; at least one
function turns.median(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local n = #sorted
  return (sorted[(n + 1) // 2] + sorted[n // 2 + 1]) / 2
end

--- Summarizes the runs of a command.
-- @tparam {run,...} runs see `meter:run`
-- @treturn result a table: `runs`; the medians `wall`, `cpu` and `mb`; and from the last run `trouble`, `timeout` and
--   `errors`
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

--- Returns the number of rounds, decided after the first one.
local function rounds(all, wanted)
  if wanted == 1 then return 1 end
  local slowest = 0
  for _, runs in ipairs(all) do slowest = math.max(slowest, runs[1].wall) end
  return slowest < FAST and math.max(MORE, wanted) or wanted
end

--- Runs commands in turns. A command that fails, or takes longer than `once` seconds, is not run again.
-- @tparam meter meter
-- @tparam {string,...} commands
-- @tparam table options `runs`, the number of runs; `once`, seconds; `dir`, the working directory
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

--- Returns the ratio of wall times: the median of the ratios of consecutive runs. If a command has only one run, the
-- medians of both are compared.
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
