--- Annotated source: the text of the program, with how often its lines were executed.
--
-- @module gprof.report.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.annotation"
local core = require "gprof.core"
local output = require "gprof.output"
local source_text = require "gprof.source_text"

-- The margin ----------------------------------------------------------------------------

local function sum(counts)
  local total = 0
  for _, count in ipairs(counts) do total = total + count end
  return total
end

-- Leaves out what is equal to its neighbour.
local function without_repetition(counts)
  local kept = {}
  for _, count in ipairs(counts) do
    if count ~= kept[#kept] then kept[#kept + 1] = count end
  end
  return kept
end

-- The counts that stand beside a line, or nil. Where every line is wanted, what was counted
-- last goes on until something else is counted: it is repeated, also in front of a block
-- that begins in the middle of a line.
local function shown_counts(line, options, state)
  local counts = line.counts
  if options.all_lines then
    local continued = not line.calls and
      (not line.first_block or line.first_block > line.address or line.several)
    counts = table.move(counts, 1, #counts, continued and 2 or 1, { continued and state.last })
    counts = without_repetition(counts)
  end
  if not counts[1] then return nil end
  state.last = counts[#counts]
  return counts
end

-- The text in the margin.
local function format_counts(counts, least)
  if sum(counts) < least then return "#####" end
  return table.concat(counts, ",")
end

local function write_line(line, text, options, state, write)
  local margin = (" "):rep(16)
  local counts = line and shown_counts(line, options, state)
  if counts then
    state.shown = state.shown + 1
    state.executed = state.executed + (sum(counts) > 0 and 1 or 0)
    margin = ("%12s -> "):format(format_counts(counts, options.min_count or 1))
    if options.gnu_compat then
      margin = margin:sub(1, 16)
    end
  end
  if options.annotate_time then
    local seconds = line and line.seconds or 0
    write(seconds > 0 and "%9.2f " or "          ", seconds)
  end
  write(margin)
  write(text)
end

-- What stands below -----------------------------------------------------------------------

-- GNU gprof knows the calls of functions only.
local function executions_of(file, options)
  if options.gnu_compat then
    return function(line) return line.calls end
  end
  return annotation.executions
end

local function write_top(lines, executions, length, write)
  local numbers = {}
  for number, line in pairs(lines) do
    if (executions(line) or 0) > 0 then numbers[#numbers + 1] = number end
  end
  table.sort(numbers, function(a, b)
    local left, right = executions(lines[a]), executions(lines[b])
    if left ~= right then return left > right end
    return a < b
  end)
  write(("\n\nTop %d Lines:\n\n     Line      Count\n\n"):format(length))
  for i = 1, math.min(length, #numbers) do
    write("%9d %10d\n", numbers[i], executions(lines[numbers[i]]))
  end
end

local function write_summary(lines, executed, total, write)
  local count = 0
  for _ in pairs(lines) do count = count + 1 end
  write("\nExecution Summary:\n\n")
  write("%9d   Executable lines in this file\n", count)
  write("%9d   Lines executed\n", executed)
  write("%9.2f   Percent of the file executed\n\n", count > 0 and 100 * executed / count or 100)
  write("%9d   Total number of line executions\n", total)
  write("%9.2f   Average executions per line\n", count > 0 and total / count or 0)
end

local function write_file(profile, file, text, options, state, write)
  local lines = annotation.lines(profile, file.ids, options.gnu_compat)
  state.shown, state.executed = 0, 0
  for number, line_text in ipairs(text) do
    write_line(lines[number], line_text, options, state, write)
  end
  local length = options.table_length or 10
  if length > 0 then
    write_top(lines, executions_of(file, options), length, write)
  end
  local total = file.calls
  write_summary(lines, options.gnu_compat and state.shown or state.executed, total, write)
end

--- Prints the report.
return function(profile, options, write)
  local state, first = { last = 0 }, true
  for _, file in ipairs(annotation.files(profile)) do
    if file.calls > 0 or options.display_unused_functions then
      local path = source_text.find(file.name, options.directories)
      local text = path and source_text.read(path)
      if text then
        if not first then write("\n") end
        if options.continued or not first then write("\f\n") end
        first = false
        write("*** File %s:\n", file.name)
        write_file(profile, file, text, options, state, write)
      end
    end
  end
end
