--- Formats the results: the table of all rows.
--
-- @module bench.report
-- SPDX-License-Identifier: GPL-3.0-or-later

local aims = require "bench.aims"
local markdown = require "bench.markdown"
local turns = require "bench.turns"

local number = markdown.number

local report = {}

local HEADINGS <const> = { "row", "GNU s", "CPU s", "MB", "ours s", "CPU s", "MB", "GNU/ours", "memory", "aim", "met",
  "compat" }

--- Formats a wall time, or how the run failed. A star marks a single run.
local function wall_cell(result, single)
  if result.trouble then return result.trouble end
  return number(result.wall) .. (single and " *" or "")
end

--- Formats a ratio of wall times or of memory. It is a lower bound if GNU gprof was stopped.
local function ratio_cell(gnu, ours, ratio)
  if not ours or ours.trouble or gnu.trouble and not gnu.timeout then return "" end
  return (gnu.timeout and "> " or "") .. number(ratio)
end

--- Formats whether the aim is met, or what is missed.
local function met_cell(verdict)
  if verdict.time and verdict.memory then return "yes" end
  local missing = {}
  for _, what in ipairs { "time", "memory" } do
    if verdict[what] == false then missing[#missing + 1] = what end
  end
  return missing[1] and "no: " .. table.concat(missing, ", ") or "not known"
end

--- Returns the cells of a row, and the verdict of `aims.judge`.
local function line_of(measured, runs)
  local row, gnu, ours = measured.row, measured.gnu, measured.ours
  local aim = aims.of(row, gnu)
  local verdict = aims.judge(gnu, ours, aim)
  local compatible = measured.compatible
  local line = {
    row.name, wall_cell(gnu, #gnu.runs < runs), number(gnu.cpu), number(gnu.mb),
    wall_cell(ours, #ours.runs < runs), number(ours.cpu), number(ours.mb),
    ratio_cell(gnu, ours, turns.ratio(gnu, ours)), ratio_cell(gnu, ours, gnu.mb / ours.mb),
    (">= %g"):format(aim), met_cell(verdict), ratio_cell(gnu, compatible, compatible and turns.ratio(gnu, compatible)),
  }
  return line, verdict
end

--- Formats the table.
-- @tparam {table,...} list results of `comparison.measure`
-- @tparam table options of the command line: `runs`, the number of runs of each command; `check`: whether to add the
--   column "output"
-- @treturn string Markdown
-- @treturn integer number of rows that meet their aim
function report.table(list, options)
  local lines, good = { table.move(HEADINGS, 1, #HEADINGS, 1, {}) }, 0
  if options.check then table.insert(lines[1], "output") end
  for i, measured in ipairs(list) do
    local line, verdict = line_of(measured, options.runs)
    if verdict.time and verdict.memory then good = good + 1 end
    if options.check then
      table.insert(line, measured.same and "identical" or measured.same == false and "differs" or "not compared")
    end
    lines[i + 1] = line
  end
  return markdown.table(lines), good
end

return report
