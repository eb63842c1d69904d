--- Annotated source: the text of source files, with the execution counts of lines.
--
-- @module gprof.report.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.library.annotation"
local by_line = require "gprof.print.by_line"
local common = require "gprof.print.common"
local core = require "gprof.core"
local output = require "gprof.output"
local policy = require "gprof.library.policy"
local source_text = require "gprof.library.source_text"

-- The margin ----------------------------------------------------------------------------

local COUNTS <const>, ARROW <const> = 12, " -> "  -- columns of counts; text after them
local SECONDS <const> = 9                          -- columns of seconds, before counts
local MARK <const> = "#####"                       -- replaces counts below `min_count`

-- Returns the function that colours lines. The margin has the colour of the line's time.
-- A line that was never executed is dim as a whole.
local function painter(page)
  local color = require "gprof.print.color"
  return function(margin, text, seconds, idle)
    if idle then return color.row(margin .. text, 0, 0, false) end
    return color.row(margin, 100 * seconds / page.seconds, page.samples, true) .. text
  end
end

-- Returns the layout of margins (see csrc/lua/margins.c).
local function layout_of(page)
  local options = page.options
  return {
    width = COUNTS,
    arrow = ARROW,
    mark = MARK,
    min_count = options.min_count,
    seconds = options.annotate_time and SECONDS,
    carry = options.all_lines,
    max_width = not page.rules.widens_margins and COUNTS + #ARROW,
    paint = options.color and painter(page),
  }
end

-- Tables below the text -----------------------------------------------------------------

local function write_top(page, known)
  local options = page.options
  local length = options.table_length or 10
  page.write(common.heading(options, "\n\nTop %d Lines:\n\n"), length)
  page.write(common.heading(options, "     Line      Count\n\n"))
  page.write:each(nil, "%9d %10d\n", known:busiest(length))
end

-- Writes the number of lines with code, the number of those executed, and the sum of
-- their executions. Executed lines past the end of the text are counted as executed, but
-- not as lines with code.
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

-- Returns the message about a file that cannot be read. In the sandbox, the message gives
-- the likely reason.
local function explain(page, problem)
  local is_outside = page.options.sandbox and problem:find "Permission denied$"
  return problem .. (is_outside and
    " (--sandbox permits only the current directory and directories of -I)" or "")
end

-- Reads a source file; returns nil after a warning if that fails. A file that is newer
-- than the program may differ from what was compiled.
local function read_text(page, file)
  local text, where, changed = source_text.load(file.name, page.options.directory_path,
    not page.rules.finds_moved_sources)
  if not text and where == source_text.not_found(file.name) then
    page.missing[#page.missing + 1] = file.name
  elseif not text then
    page.warn(explain(page, where))
  elseif changed > page.built then
    page.warn(where .. ": is newer than the program: its lines may have moved")
  end
  return text
end

-- Warns once about all files that were not found: there may be very many.
local function report_missing(page)
  local names = page.missing
  if not names[1] then return end
  page.warn(source_text.all_not_found(names))
end

-- Warns if the line table has lines past the end of the text.
local function check_length(page, file, length, known)
  if known.last > length then
    page.warn(("%s: has %d lines, but the program was compiled from at least %d"):format(
      file.name, length, known.last))
  end
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
  page.by_line = page.by_line or by_line.of(page.profile, page.options)
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

-- Returns where the lines of all files were inlined, from the profile by line.
local function callers_of(page)
  if not page.options.inlines then return {} end
  local lines = page.profile.by_line and page.profile or lines_of(page)
  return require "gprof.library.inlined_lines".of(lines)
end

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

-- Prints a range of lines with margins; without numbers, the whole text. Returns the
-- number of lines of the text; of the printed lines, those with code, with counts, and
-- executed.
local function write_range(page, text, known, first, last)
  local length, lines, annotated, executed, count =
    known:print(page.write, text, page.layout, page.last, first, last)
  page.last = count
  if page.rules.ends_last_line and text:find("[^\n]$", -1) and (last or length) >= length
  then
    page.write "\n"
  end
  return length, lines, annotated, executed
end

-- Prints the text, or its excerpts. Returns the sums of what `write_range` returns.
local function write_text(page, file, text, known)
  if not page.has_excerpts then
    write_title(page, file)
    return write_range(page, text, known)
  end
  local length, lines, annotated, executed = 0, 0, 0, 0
  for i, range in ipairs(excerpts_of(page, file, source_text.lines(text))) do
    local more, counted, run
    if i > 1 then page.write "\n" end
    write_title(page, file, range[1], range[2])
    length, more, counted, run = write_range(page, text, known, range[1], range[2])
    lines, annotated, executed = lines + more, annotated + counted, executed + run
  end
  return length, lines, annotated, executed
end

local function write_file(page, file, text)
  local rules = page.rules
  local known <close> =
    annotation.lines(page.profile, file.number, not rules.whole_lines)
  page.layout.notes = notes_of(page, file, text)
  local length, lines, annotated, executed = write_text(page, file, text, known)
  if rules.gives_hints then check_length(page, file, length, known) end
  if page.options.table_length ~= 0 then write_top(page, known) end
  if rules.whole_lines then
    write_summary(page, lines, executed, known.executions)
  else  -- annotated lines count as executed, and calls as executions
    write_summary(page, lines, annotated, file.calls)
  end
end

-- Returns the name of the file for a listing. If files in several directories have the
-- same name, directory names are put before the file name.
local function listing_name(page, file)
  local rest, name = file.name:match("^(.-)([^/]*)$")
  while page.listings[name] and rest:find("[^/]") and page.rules.separates_listings do
    local above
    rest, above = rest:match("^(.-)([^/]*)/*$")
    name = above .. "-" .. name
  end
  page.listings[name] = true
  return name .. "-ann"
end

-- Returns the files that no listing may overwrite: the program and its sources. A source
-- file may have the name of another file's listing.
local function protected_files(page)
  local files = require "gprof.library.file_set".new()
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
  for _, _, _, _, seconds in known:lines() do sum = sum + seconds end
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
    write = write,
    warn = options.warn or function() end,
    built = select(2, core.file_status(profile.image.path)) or math.maxinteger,
    seconds = profile.total or 0,
    samples = profile.total_ticks,
    is_part = is_part(options),
    has_excerpts = selects_excerpts(options),
    last = 0,  -- the last count printed, carried from file to file
    listings = {},
    missing = {},  -- names of files that were not found
  }
  page.callers = callers_of(page)  -- of inlined lines
  page.layout = layout_of(page)
  local print = options.separate_files and print_into_file or print_below
  local files = files_of(profile, options)
  check_figures(page, files)
  for _, file in ipairs(files) do
    local text = is_worth_it(page, file) and read_text(page, file)
    if text then print(page, file, text) end
  end
  report_missing(page)
end
