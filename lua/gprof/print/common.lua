--- Parts of several reports: headings, names of files, the line about sampling
-- granularity, and the number of decimals.
--
-- @internal gprof.print.common
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

local common = {}

--- Returns a heading, bold if the report has colours.
-- @tparam table options of the report; `color`
-- @tparam string text a line, or a format for one
-- @treturn string
function common.heading(options, text)
  return options.color and require "gprof.print.color".heading(text) or text
end

--- Returns a share of a sum as a percentage; 0 if the sum is 0, such as when functions
-- are left out.
-- @tparam number part
-- @tparam number sum
-- @treturn number
function common.percentage(part, sum)
  return sum > 0 and 100 * part / sum or 0
end

--- Returns a source file's name for a report.
-- @tparam string file as recorded
-- @tparam table options `print_path`: keep the directories
-- @treturn string
function common.file(file, options)
  return options.print_path and file or file:match("^.*/(.*)$") or file
end

-- Returns the bytes of code per bin, as whole bytes. The C library makes bins of slightly
-- less than four bytes, which GNU gprof shows as two.
local function covered_bytes(profile, options)
  local size = profile.bin_size or 0
  if policy.of(options).truncates_bins then return size // 2 * 2 end
  return math.floor(size + 0.5)
end

--- Writes the granularity line, between blank lines.
-- @tparam profile profile
-- @tparam table options `gnu_compat`
-- @tparam number ticks the number of samples in the report
-- @tparam string|nil unit name of the histogram's unit; not used without samples
-- @tparam string idle text in case there are no samples
-- @tparam stream write
function common.write_granularity(profile, options, ticks, unit, idle, write)
  write("\ngranularity: each sample hit covers %d byte(s)",
    covered_bytes(profile, options))
  if ticks > 0 then
    write(" for %.2f%% of %.2f %s\n\n", 100 / ticks, ticks / profile.rate, unit)
  else
    write(" %s\n\n", idle)
  end
end

--- Writes the names and numbers of the threads that the user selected, if any.
-- @tparam profile profile
-- @tparam stream write
-- @tparam[opt=""] string ending more text after the line
function common.write_threads(profile, write, ending)
  local words = profile:selected_threads()
  if words then write("threads: %s\n%s", table.concat(words, ", "), ending or "") end
end

--- Returns whether a profile of the recorder has samples alone, and no calls.
-- @tparam profile profile
-- @treturn boolean
function common.has_samples_alone(profile)
  if not profile.has_call_paths then return false end
  for calls in profile:functions("address", "calls") do
    if calls ~= 0 then return false end
  end
  return true
end

-- Writes a clause as a line.
local function write_sentence(clause, write)
  write("%s.\n", require "gprof.format.wording".sentence(clause))
end

--- Writes that measured times lack samples, unless nearly all call paths are complete.
-- @tparam profile profile
-- @tparam stream write
-- @tparam[opt=""] string ending more text after the line
function common.write_path_share(profile, write, ending)
  local note = profile.exact and require "gprof.analysis.path_share".note(profile)
  if not note then return end
  write_sentence(note, write)
  if ending then write(ending) end
end

--- Writes what a profile of samples alone has, and lacks.
-- @tparam profile profile
-- @tparam stream write
function common.write_samples_alone(profile, write)
  if profile.path_share then
    write_sentence(require "gprof.analysis.path_share".clause(profile.path_share), write)
  end
  write("Calls were not counted%s.\n", profile.image.has_scripts and "" or
    ": compile with -pg to see them, and times per call")
end

-- Tells how the time of callees was divided among their callers, if call paths were
-- recorded or the user decided it, and if the calls of inlined functions are unknown.
local function write_division(profile, options, write)
  local is_choice = profile.has_call_paths or options.assume_proportional
  if profile.has_inlines and not profile.exact then
    write "calls by inlined functions: counted for the functions around them\n\n"
  end
  if not policy.of(options).measured_times or not is_choice then return end
  write(profile.exact and "time of callees: measured for each caller\n\n" or
    "time of callees: divided in proportion to calls\n\n")
  common.write_path_share(profile, write, "\n")
end

--- Writes the lines above a call graph: the granularity; the threads, if some were
-- selected; and, if there was a choice, how the time of callees was divided.
-- @tparam profile profile
-- @tparam table options `gnu_compat`, `assume_proportional`
-- @tparam stream write
function common.write_graph_granularity(profile, options, write)
  local unit = policy.of(options).assumes_seconds and "seconds" or profile.unit
  common.write_granularity(profile, options, profile.graph_ticks, unit,
    "no time propagated", write)
  common.write_threads(profile, write, "\n")
  write_division(profile, options, write)
end

--- Says that rows of a comparison have no other changes than those of total times that
-- are not comparable.
-- @tparam integer count of rows
-- @treturn string without a full stop
function common.only_incomparable(count)
  return ("%s only in total times that cannot be compared"):format(
    count == 1 and "1 function has changes" or count .. " functions have changes")
end

--- Returns the module that adds bounds of total times to a report.
-- @tparam profile profile
-- @tparam table options of the report
-- @treturn table|nil gprof.print.bounds; nil if the report does not have bounds
function common.bounds(profile, options)
  return options.bounds and profile.has_bounds and require "gprof.print.bounds" or nil
end

--- Returns the number of decimals that make a step visible: 2 to 6.
-- @tparam number step
-- @treturn integer
function common.decimals(step)
  local decimals = 2
  while decimals < 6 and 10 ^ -decimals > step do decimals = decimals + 1 end
  return decimals
end

return common
