--- Annotated source: the text of source files, with the execution counts of lines.
--
-- @module gprof.report.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local add <const> = require "gprof.analysis.counts".add
local annotation = require "gprof.library.annotation"
local column_order = require "gprof.format.column_order"
local common = require "gprof.print.common"
local output = require "gprof.output"
local path = require "gprof.format.path"
local policy = require "gprof.library.policy"
local sorted = require "gprof.format.sorted"
local source_text = require "gprof.library.files.source_text"

-- The margin ----------------------------------------------------------------------------

local COUNT <const>, COUNTS <const> = "%12d -> ", "%12s -> "
local NO_COUNTS <const> = (" "):rep(16)
local SECONDS <const>, NO_SECONDS <const> = "%9.2f ", (" "):rep(10)  -- before counts
local MARK <const> = "#####"  -- replaces counts below `min_count`

-- Joins counts by commas. With the option `all_lines`, equal neighbours are shown once.
local function joined(counts, options)
  if not options.all_lines then return table.concat(counts, ",") end
  local shown = {}
  for _, count in ipairs(counts) do
    if count ~= shown[#shown] then shown[#shown + 1] = count end
  end
  return table.concat(shown, ",")
end

local function sum_of(counts)
  local sum = 0
  for _, count in ipairs(counts) do sum = add(sum, count) end
  return sum
end

-- Returns the margin of a line: its seconds and counts.
local function margin_of(page, counts, sum, seconds)
  local options, margin = page.options
  if not counts[1] then
    margin = NO_COUNTS
  elseif sum < (options.min_count or 1) then
    margin = COUNTS:format(MARK)
  else
    margin = counts[2] and COUNTS:format(joined(counts, options)) or COUNT:format(sum)
  end
  if not page.widens_margins then margin = margin:sub(1, #NO_COUNTS) end
  if not options.annotate_time then return margin end
  return (seconds > 0 and SECONDS:format(seconds) or NO_SECONDS) .. margin
end

-- Colours a line. The margin has the colour of the line's time. A line that was never
-- executed is dim as a whole.
local function painted(page, margin, text, is_idle, seconds)
  local color = require "gprof.print.color"
  if is_idle then return color.row(margin .. text, 0, 0, false) end
  return color.row(margin, 100 * seconds / page.seconds, page.samples, true) .. text
end

-- Lines ---------------------------------------------------------------------------------

-- Adds up executions on the way of an iterator over lines: those of their blocks; or, for
-- lines without blocks and in GNU gprof's report, calls of functions that begin there.
-- `executions` has the columns `lines`, of executed lines, and the sum `total`.
local function with_executions(rows, executions, has_blocks)
  local numbers, counted = executions.lines.number, executions.lines.count
  return function()
    local number, counts, seconds, calls, blocks = rows()
    local count = has_blocks and blocks or calls or 0
    if count ~= 0 then
      numbers[#numbers + 1], counted[#counted + 1] = number, count
      executions.total = add(executions.total, count)
    end
    return number, counts, seconds
  end
end

-- Adds the lines that have a note to an iterator over number, counts and seconds, without
-- figures if they have no code.
local function with_notes(rows, notes)
  local numbers, i = sorted.keys(notes), 1
  local number, counts, seconds = rows()
  return function()
    local noted, line, line_counts, line_seconds = numbers[i], number, counts, seconds
    if noted and noted <= (line or noted) then i = i + 1 end
    if noted and noted < (line or math.huge) then return noted end
    if line then number, counts, seconds = rows() end
    return line, line_counts, line_seconds
  end
end

-- Steps to the next line with figures or a note, at least line `least`. Past the last
-- one, the number is the largest integer.
local function step(listing, least)
  repeat
    listing.number, listing.counts, listing.seconds = listing.rows()
    listing.number = listing.number or math.maxinteger
  until listing.number >= least
end

-- Begins the listing of a file. Besides the current line, it has `rows`, an iterator over
-- the following ones; `notes` by line number; `copy`, the stream's method that writes
-- lines of the text; `executions`, see `with_executions`; and the numbers of `lines` with
-- code that were printed, of those with counts (`annotated`), and of those `executed`.
local function listing_of(page, known, notes)
  local executions = { lines = { number = {}, count = {} }, total = 0 }
  local rows = annotation.counts(known, page.options.all_lines and page.carry or nil)
  rows = with_executions(rows, executions, page.rules.whole_lines)
  return { rows = notes and with_notes(rows, notes) or rows, number = 0,
    notes = notes or {}, copy = page.write.lines, executions = executions, lines = 0,
    annotated = 0, executed = 0 }
end

-- Steps over the lines that are not in the text. They carry no count to the next file.
local function finish(page, listing)
  local last = page.carry.last
  step(listing, math.maxinteger)
  page.carry.last = last
end

-- Writes the current line, which begins at a position of the text. Returns the position
-- of the next one.
local function write_line(page, listing, text, position)
  local counts, seconds, margin = listing.counts, listing.seconds, page.blank
  local is_idle, last
  if counts then
    local sum = sum_of(counts)
    margin = margin_of(page, counts, sum, seconds)
    listing.lines = listing.lines + 1
    if counts[1] then listing.annotated = listing.annotated + 1 end
    if sum > 0 then listing.executed = listing.executed + 1 end
    is_idle = counts[1] and sum == 0 and seconds == 0
  end
  if counts and page.options.color then
    last = text:find("\n", position, true) or #text
    page.write(painted(page, margin, text:sub(position, last), is_idle, seconds))
    return last + 1
  end
  return (listing.copy(page.write, text, margin, position, 1))
end

-- Writes lines of a text, with margins. `number` is the number of lines before the text.
-- Returns the number of lines up to its end.
local function write_lines(page, listing, text, number)
  local write, copy, blank = page.write, listing.copy, page.blank
  local position, lines = 1
  if listing.number <= number then step(listing, number + 1) end
  while position <= #text do
    local gap = listing.number - number - 1
    if gap > 0 then
      position, lines = copy(write, text, blank, position, gap)
      number = number + lines
    else
      position, number = write_line(page, listing, text, position), number + 1
      local note = listing.notes[number]
      if note then  -- the last line of a file may not end
        local is_ended = text:find("^\n", position - 1)
        page.write(is_ended and page.blank .. note .. "\n" or "\n" .. page.blank .. note)
      end
      step(listing, number + 1)
    end
  end
  return number
end

-- Tables below the text -----------------------------------------------------------------

-- Writes the lines with most executions. GNU gprof's counts may wrap, and are sorted as
-- unsigned numbers.
local function write_top(page, lines)
  local write, options, key = page.write, page.options, {}
  local length = options.table_length or 10
  write(common.heading(options, "\n\nTop %d Lines:\n\n"), length)
  write(common.heading(options, "     Line      Count\n\n"))
  for i, count in ipairs(lines.count) do key[i] = count ~ math.maxinteger end
  lines.key = key  -- in descending order of the counts
  column_order.sort(lines, "key")
  for i = 1, math.min(length, #lines.number) do
    write("%9d %10d\n", lines.number[i], lines.count[i])
  end
end

-- Writes the number of lines with code, the number of those executed, and the sum of
-- executions, to which lines past the end of the text also contribute.
local function write_summary(page, lines, executed, total)
  local write = page.write
  write(common.heading(page.options, "\nExecution Summary%s:\n\n"),
    page.is_part and " (of the selected functions)" or "")
  write("%9d   Executable lines in this file\n", lines)
  write("%9d   Lines executed\n", executed)
  write("%9.2f   Percent of the file executed\n\n",
    lines > 0 and 100 * executed / lines or 100)
  write("%9d   Total number of line executions\n", total)
  write("%9.2f   Average executions per line\n", lines > 0 and total / lines or 0)
end

-- Files ---------------------------------------------------------------------------------

-- Reads a source file; returns nil after a warning if that fails. A file that is newer
-- than the program may differ from what was compiled.
local function read_text(page, file)
  local text, where, changed = source_text.load(file.name, page.options.directory_path,
    not page.rules.finds_moved_sources)
  if not text and where == source_text.not_found(file.name) then
    page.missing[#page.missing + 1] = file.name
  elseif not text then
    local is_outside = page.options.sandbox and where:find "Permission denied$"
    page.warn(where .. (is_outside and
      " (--sandbox permits only the current directory and directories of -I)" or ""))
  elseif changed > page.built then
    page.warn(where .. ": is newer than the program: its lines may have moved")
  end
  return text
end

-- Excerpts ------------------------------------------------------------------------------

-- Most lines of a return type or comment before a function's first line with code; and
-- the number of lines without code that separate two excerpts.
local BEFORE <const>, GAP <const> = 2, 20

-- Whether symspecs select functions or lines, and not whole files.
local function selects_excerpts(options)
  local specs = (options.include or {}).annotation
  if not specs or options.separate_files then return false end
  for _, spec in ipairs(specs) do
    local parsed = require "gprof.symspec".parse(spec)
    if not (parsed.name or parsed.line or parsed.regex) then return false end
  end
  return policy.of(options).annotates_excerpts
end

-- Returns where the excerpt of a function begins: with the lines just before its first
-- line with code, unless these are blank or end something else.
local function beginning(lines, first)
  for line = first - 1, math.max(1, first - BEFORE), -1 do
    if not lines[line] or lines[line]:find "^%s*$" or lines[line]:find "[};]%s*$" then
      break
    end
    first = line
  end
  return first
end

-- Returns the profile by line.
local function lines_of(page)
  page.by_line = page.by_line or page.profile:by_lines(page.options)
  return page.by_line
end

-- Returns the first and the last line of each excerpt of a file: the lines with code of
-- the selected functions. Only a profile by line has them all.
local function excerpts_of(page, file, lines)
  local list, last = {}, nil
  local number = annotation.find(lines_of(page), file.name)
  local known <close> = annotation.lines(lines_of(page), number)
  for line in known:lines() do
    if last and line - last[2] <= GAP then
      last[2] = line
    else
      last = { beginning(lines, line), line }
      list[#list + 1] = last
    end
  end
  return list
end

-- Callers of inlined lines --------------------------------------------------------------

-- Returns the notes below lines, indented like the lines; nil if there are none.
local function notes_of(page, file, text)
  local rows, notes = page.callers[file.name], {}
  if not rows then return nil end
  local lines = source_text.lines(text)
  for number, row in pairs(rows) do
    local indentation = (lines[number] or ""):match "^%s*"
    notes[number] = ("%s^ %s"):format(indentation:gsub("[\r\n]", ""),
      require "gprof.print.inlined_at".callers(row, page.options))
  end
  return notes
end

-- Listings ------------------------------------------------------------------------------

-- Separate files have no titles.
local function write_title(page, file, first, last)
  if page.options.separate_files then return end
  local part = not first and "" or first == last and (", line %d"):format(first) or
    (", lines %d to %d"):format(first, last)
  page.write(common.heading(page.options, "*** File %s%s:\n"), file.name, part)
end

-- Adds a newline after a last line that has none.
local function end_text(page, text)
  if page.rules.ends_last_line and text:find("[^\n]$", -1) then page.write "\n" end
end

-- Prints the text, or its excerpts. Returns the number of its lines.
local function write_text(page, file, text, listing)
  if not page.has_excerpts then
    write_title(page, file)
    local length = write_lines(page, listing, text, 0)
    end_text(page, text)
    return length
  end
  local lines = source_text.lines(text)
  for i, range in ipairs(excerpts_of(page, file, lines)) do
    local first, last = range[1], math.min(range[2], #lines)
    local part = table.concat(lines, "", first, last)
    if i > 1 then page.write "\n" end
    write_title(page, file, first, range[2])
    write_lines(page, listing, part, first - 1)
    end_text(page, part)
  end
  return #lines
end

local function write_file(page, file, text)
  local rules = page.rules
  local known <close> =
    annotation.lines(page.profile, file.number, not rules.whole_lines)
  local listing = listing_of(page, known, notes_of(page, file, text))
  local length = write_text(page, file, text, listing)
  finish(page, listing)
  if rules.gives_hints and known.last > length then
    page.warn(("%s: has %d lines, but the program was compiled from at least %d"):format(
      file.name, length, known.last))
  end
  if page.options.table_length ~= 0 then write_top(page, listing.executions.lines) end
  if rules.whole_lines then
    write_summary(page, listing.lines, listing.executed, listing.executions.total)
  else  -- annotated lines count as executed, and calls as executions
    write_summary(page, listing.lines, listing.annotated, file.calls)
  end
end

-- Systems have no longer names, in bytes.
local MOST_NAME <const> = 255

-- Returns the name of the file for a listing. If files in several directories have the
-- same name, directory names are put before the file name. ".." is not a name.
local function listing_name(page, file)
  local rest, name = path.split(file.name)
  while page.listings[name] and page.rules.separates_listings and #name <= MOST_NAME and
    rest:find("[^/]") do
    local above
    rest, above = path.split(rest:match("^.*[^/]"))
    if above ~= ".." then name = above .. "-" .. name end
  end
  page.listings[name] = true
  return name .. "-ann"
end

-- Returns the files that no listing may overwrite: the program and its sources. A source
-- file may have the name of another file's listing.
local function protected_files(page)
  local files = require "gprof.library.files.file_set".new()
  files:add(page.profile.image.path)
  for _, file in ipairs(annotation.files(page.profile)) do
    files:add((source_text.find(file.name, page.options.directory_path,
      not page.rules.finds_moved_sources)))
  end
  return files
end

local function print_into_file(page, file, text)
  local name = listing_name(page, file)
  page.protected = page.protected or protected_files(page)
  if page.protected:contains(name) then
    page.warn(name .. ": the listing would overwrite the program or a source file")
    return
  end
  output.new_file_here(name, function(write)
    page.write = write
    write_file(page, file, text)
  end)
end

local function print_below(page, file, text)
  if page.printed then page.write("\n") end
  if page.printed or page.options.continued then page.write("\f\n") end
  page.printed = true
  write_file(page, file, text)
end

-- Returns the time of all lines of a file.
local function time_of(profile, file)
  local known <close> = annotation.lines(profile, file.number)
  local sum = 0
  for _, _, seconds in known:lines() do sum = sum + seconds end
  return sum
end

-- Whether a file is printed, because something in it was executed, also as inlined code,
-- or because all files were requested.
local function is_worth_it(page, file)
  return page.options.display_unused_functions or file.calls > 0 or
    file.blocks > 0 and page.rules.whole_lines or page.callers[file.name] or
    page.options.annotate_time and time_of(page.profile, file) > 0
end

-- Whether symspecs exclude functions. GNU gprof's summary does not mention this.
local function is_part(options)
  local include, exclude = options.include or {}, options.exclude or {}
  return policy.of(options).whole_lines and (include.annotation or exclude.annotation)
end

local function have_counts(files)
  for _, file in ipairs(files) do
    if file.calls > 0 then return true end
  end
  return false
end

-- Whether lines have time. Only a profile by line has the time of lines.
local function has_time(profile)
  for _, file in ipairs(annotation.files(profile)) do
    if time_of(profile, file) > 0 then return true end
  end
  return false
end

-- Warns if no line has what is shown: counts and, with --annotate-time, seconds.
local function check_figures(page, files)
  if not files[1] or not page.rules.gives_hints or have_counts(files) or
    page.profile.data.block_records > 0
  then
    return
  end
  local is_timed = has_time(page.profile.by_line and page.profile or lines_of(page))
  if is_timed and not page.options.annotate_time then
    page.warn "annotated source: lines have time, but no counts (see --annotate-time)"
  elseif not is_timed and is_part(page.options) then
    page.warn "annotated source: the selected lines have no time and no counts"
  end
end

-- Returns the files in the order of the report: with --annotate-time, those with the most
-- time come first.
local function files_of(profile, options)
  local files, time, place = annotation.files(profile), {}, {}
  if not options.annotate_time then return files end
  for i, file in ipairs(files) do
    time[file], place[file] = time_of(profile, file), i
  end
  table.sort(files, function(a, b)
    if time[a] ~= time[b] then return time[a] > time[b] end
    return place[a] < place[b]
  end)
  return files
end

--- Prints the report.
-- @tparam profile profile preferably by line, with all lines (`line = "all"`) and the
--   option `idle_blocks`
-- @tparam table options `directory_path`: array of directories to search for source;
--   `all_lines`: also annotate lines in the middle of blocks; `min_count`: lower counts
--   are replaced by ##### (default 1); `table_length`: the number of busiest lines listed
--   below each file (default 10); `separate_files`: write each file's listing to NAME-ann
--   in the working directory; `display_unused_functions`: also print files in which
--   nothing was executed; `annotate_time`: print seconds before the counts; `inlines`:
--   print below lines where they were inlined; `continued`:
--   other reports were printed before; `warn`: function that takes a message about source
--   that cannot be read or does not match; `color`, ignored with `separate_files`;
--   `gnu_compat`
-- @tparam stream write
return function(profile, options, write)
  if options.separate_files then
    options = setmetatable({ color = false }, { __index = options })
  end
  local page = {
    profile = profile,
    options = options,
    rules = policy.of(options),
    widens_margins = policy.of(options).widens_margins,
    write = write,
    warn = options.warn or function() end,
    built = source_text.built(profile.image),
    seconds = profile.total or 0,
    samples = profile.total_ticks,
    is_part = is_part(options),
    has_excerpts = selects_excerpts(options),
    carry = { last = 0 },  -- the last count, from file to file
    blank = (options.annotate_time and NO_SECONDS or "") .. NO_COUNTS,
    listings = {},
    missing = {},  -- names of files that were not found
  }
  page.callers = {}  -- of inlined lines
  if options.inlines then
    page.callers = require "gprof.library.inlined_lines".of(
      profile.by_line and profile or lines_of(page))
  end
  local print = options.separate_files and print_into_file or print_below
  local files = files_of(profile, options)
  check_figures(page, files)
  for _, file in ipairs(files) do
    local text = is_worth_it(page, file) and read_text(page, file)
    if text then print(page, file, text) end
  end
  -- one warning about all files that were not found: there may be very many
  if page.missing[1] then page.warn(source_text.all_not_found(page.missing)) end
end
