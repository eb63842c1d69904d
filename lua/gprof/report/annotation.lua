--- Annotated source: the text of the program, with how often its lines were executed.
--
-- @module gprof.report.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.annotation"
local core = require "gprof.core"
local heading = require "gprof.heading"
local output = require "gprof.output"
local source_text = require "gprof.source_text"

local MARGIN <const> = 16  -- columns in front of the text
local BLANK <const> = (" "):rep(MARGIN)
local NO_TIME <const> = (" "):rep(10)

-- The margin ----------------------------------------------------------------------------

local function sum(counts)
  local total = 0
  for _, count in ipairs(counts) do total = annotation.sum(total, count) end
  return total
end

-- Leaves out what is equal to the one before.
local function without_repetition(counts)
  local kept = {}
  for _, count in ipairs(counts) do
    if count ~= kept[#kept] then kept[#kept + 1] = count end
  end
  return kept
end

-- Whether a line begins with code of the block that came before it.
local function continues(line)
  if line.entry then return false end
  return line.several or not line.first_block or line.first_block > line.address
end

-- The counts that stand beside a line, and their sum; none if nothing is known. Where all
-- lines are annotated, what was counted last, `page.last`, holds until something else is
-- counted, and equal neighbours are shown as one.
local function shown_counts(page, line)
  local counts = line.counts
  if line.entry then
    page.last = nil  -- what comes is another function's
  elseif page.options.all_lines and page.last and continues(line) then
    counts = table.move(counts, 1, #counts, 2, { page.last })
  end
  page.last = counts[#counts] or page.last
  return page.options.all_lines and without_repetition(counts) or counts, sum(counts)
end

local function format_margin(counts, total, options)
  if not counts[1] then return BLANK end
  local text = "#####"
  if total >= (options.min_count or 1) then
    text = table.concat(counts, ",")
  end
  local margin = ("%12s -> "):format(text)
  return options.gnu_compat and margin:sub(1, MARGIN) or margin
end

-- The margin of a line that there is code for, and whether it is known not to have been
-- executed.
local function annotate(page, line)
  local options = page.options
  local counts, total = shown_counts(page, line)
  page.known = page.known + 1
  if counts[1] then
    page.annotated = page.annotated + 1
    page.executed = page.executed + (total > 0 and 1 or 0)
  end
  local margin = format_margin(counts, total, options)
  if options.annotate_time then
    margin = (line.seconds > 0 and ("%9.2f "):format(line.seconds) or NO_TIME) .. margin
  end
  return margin, counts[1] and total == 0 and line.seconds == 0
end

-- A line that there is code for, in two pieces. Its margin has the colour of its time;
-- what was never executed is dim as a whole.
local function write_line(page, line, text)
  local margin, idle = annotate(page, line)
  local color = page.color
  if not color then return margin, text end
  if idle then return color.row(margin .. text, 0, 0, false), "" end
  return color.row(margin, 100 * line.seconds / page.seconds, page.samples, true), text
end

-- Most lines of most programs are not annotated: they are passed on as they are.
local function write_text(page, lines, text)
  local blank, pieces = BLANK, {}
  if page.options.annotate_time then
    blank = NO_TIME .. BLANK
  end
  for number, line_text in ipairs(text) do
    local line = lines[number]
    if line then
      pieces[2 * number - 1], pieces[2 * number] = write_line(page, line, line_text)
    else
      pieces[2 * number - 1], pieces[2 * number] = blank, line_text
    end
  end
  page.write(table.concat(pieces))
end

-- What stands below -----------------------------------------------------------------------

local function write_top(page, lines)
  local options, numbers = page.options, {}
  local executions = {}
  for number, line in pairs(lines) do
    executions[number] = annotation.executions(line, options.gnu_compat)
    if executions[number] > 0 then numbers[#numbers + 1] = number end
  end
  table.sort(numbers, function(a, b)
    if executions[a] ~= executions[b] then return executions[a] > executions[b] end
    return a < b
  end)
  local length = options.table_length or 10
  page.write(heading(options, "\n\nTop %d Lines:\n\n"), length)
  page.write(heading(options, "     Line      Count\n\n"))
  for i = 1, math.min(length, #numbers) do
    page.write("%9d %10d\n", numbers[i], executions[numbers[i]])
  end
end

-- How many lines were executed, and how often. For GNU gprof a line is executed if it is
-- annotated, and executions are calls.
local function count_lines(page, file, lines)
  if page.options.gnu_compat then return page.annotated, file.calls end
  local total = 0
  for _, line in pairs(lines) do
    total = annotation.sum(total, annotation.executions(line))
  end
  return page.executed, total
end

-- What there is code for behind the end of the text is executed, but it is no line.
local function write_summary(page, file, lines)
  local write, known = page.write, page.known
  local executed, total = count_lines(page, file, lines)
  write(heading(page.options, "\nExecution Summary:\n\n"))
  write("%9d   Executable lines in this file\n", known)
  write("%9d   Lines executed\n", executed)
  write("%9.2f   Percent of the file executed\n\n", known > 0 and 100 * executed / known or 100)
  write("%9d   Total number of line executions\n", total)
  write("%9.2f   Average executions per line\n", known > 0 and total / known or 0)
end

-- Files -----------------------------------------------------------------------------------

-- The text of a file, or nil after a warning. One that is younger than the program need not
-- be what the program was made of.
local function read_text(page, file)
  local text, where, changed = source_text.load(file.name, page.options.directory_path)
  if not text then
    page.warn(where)  -- what is wrong
  elseif changed > page.built then
    page.warn(where .. ": is newer than the program: its lines may have moved")
  end
  return text
end

-- Lines that the program knows of, and the text has not.
local function check_length(page, file, lines, text)
  local last = 0
  for number in pairs(lines) do
    last = math.max(last, number)
  end
  if last > #text then
    page.warn(("%s: has %d lines, but the program was made of %d or more"):format(
      file.name, #text, last))
  end
end

local function write_file(page, file, text)
  local gnu_compat = page.options.gnu_compat
  local lines = annotation.lines(page.profile, file.ids, gnu_compat)
  page.known, page.annotated, page.executed = 0, 0, 0
  write_text(page, lines, text)
  if not gnu_compat then
    check_length(page, file, lines, text)
    if text[1] and text[#text]:sub(-1) ~= "\n" then page.write("\n") end
  end
  if page.options.table_length ~= 0 then write_top(page, lines) end
  write_summary(page, file, lines)
end

-- The name of the file that a listing goes into. Files of one name in several directories
-- are told apart by these, but GNU gprof writes one over the other.
local function listing_name(page, file)
  local rest, name = file.name:match("^(.-)([^/]*)$")
  while page.listings[name] and rest:find("[^/]") and not page.options.gnu_compat do
    local above
    rest, above = rest:match("^(.-)([^/]*)/*$")
    name = above .. "-" .. name
  end
  page.listings[name] = true
  return name .. "-ann"
end

local function print_into_file(page, file, text)
  output.new_file(listing_name(page, file), function(write)
    page.write = write
    write_file(page, file, text)
  end)
end

local function print_below(page, file, text)
  if page.printed then page.write("\n") end
  if page.printed or page.options.continued then page.write("\f\n") end
  page.printed = true
  page.write(heading(page.options, "*** File %s:\n"), file.name)
  write_file(page, file, text)
end

-- Whether there is anything to be seen in a file. GNU gprof does not look at blocks.
local function is_worth_it(file, options)
  return options.display_unused_functions or file.calls > 0 or
    file.blocks > 0 and not options.gnu_compat
end

--- Prints the report.
-- @tparam profile profile best one by line, and with all lines (`line = "all"`)
-- @tparam table options `directory_path`: array of those to look for source in;
--   `all_lines`: annotate lines in the middle of blocks, too; `min_count`: mark what was
--   executed less often by ##### (default 1); `table_length`: how many lines to list below
--   each file, the busiest first (default 10); `separate_files`: print each file into one
--   of its own, NAME-ann in the working directory; `display_unused_functions`: print files
--   of which nothing was executed, too; `annotate_time`: seconds in front of the counts;
--   `continued`: other reports were printed before; `warn`: a function that is told of
--   sources that cannot be read, and of others that cannot be right; `color`, but not in
--   separate files; `gnu_compat`
-- @tparam stream write
return function(profile, options, write)
  if options.separate_files then
    options = setmetatable({ color = false }, { __index = options })
  end
  local page = {
    profile = profile,
    options = options,
    color = options.color and require "gprof.color",
    write = write,
    warn = options.warn or function() end,
    built = select(2, core.file_status(profile.image.path)) or math.maxinteger,
    seconds = profile.total or 0,
    samples = profile.total_ticks,
    last = 0,
    listings = {},
  }
  local print = options.separate_files and print_into_file or print_below
  for _, file in ipairs(annotation.files(profile)) do
    local text = is_worth_it(file, options) and read_text(page, file)
    if text then print(page, file, text) end
  end
end
