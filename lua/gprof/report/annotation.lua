--- Annotated source: the text of the program, with how often its lines were executed.
--
-- @module gprof.report.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = require "gprof.library.annotation"
local common = require "gprof.print.common"
local core = require "gprof.core"
local output = require "gprof.output"
local policy = require "gprof.library.policy"
local source_text = require "gprof.library.source_text"

-- The margin ----------------------------------------------------------------------------

local COUNTS <const>, ARROW <const> = 12, " -> "  -- columns of counts, and what follows
local SECONDS <const> = 9                          -- columns of seconds in front of them
local MARK <const> = "#####"                       -- in place of counts that are too low

-- A line in colours. Its margin has the colour of its time; what was never executed is
-- dim as a whole.
local function painter(page)
  local color = require "gprof.print.color"
  return function(margin, text, seconds, idle)
    if idle then return color.row(margin .. text, 0, 0, false) end
    return color.row(margin, 100 * seconds / page.seconds, page.samples, true) .. text
  end
end

-- What margins look like (see csrc/lua/margins.c).
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

-- What stands below ---------------------------------------------------------------------

local function write_top(page, known)
  local options = page.options
  local length = options.table_length or 10
  page.write(common.heading(options, "\n\nTop %d Lines:\n\n"), length)
  page.write(common.heading(options, "     Line      Count\n\n"))
  page.write:each(nil, "%9d %10d\n", known:busiest(length))
end

-- How many lines of the text there is code for, how many of them were executed, and how
-- often. Code of lines past the end of the text is executed, but adds no line.
local function write_summary(page, lines, executed, total)
  local write = page.write
  write(common.heading(page.options, "\nExecution Summary:\n\n"))
  write("%9d   Executable lines in this file\n", lines)
  write("%9d   Lines executed\n", executed)
  write("%9.2f   Percent of the file executed\n\n",
    lines > 0 and 100 * executed / lines or 100)
  write("%9d   Total number of line executions\n", total)
  write("%9.2f   Average executions per line\n", lines > 0 and total / lines or 0)
end

-- Files ---------------------------------------------------------------------------------

-- What is wrong, and what that means in the sandbox.
local function explain(page, problem)
  local is_outside = page.options.sandbox and problem:find "Permission denied$"
  return problem .. (is_outside and
    " (--sandbox permits only the current directory and those of -I)" or "")
end

-- The text of a file, or nil after a warning. One that is younger than the program need
-- not be what the program was made of.
local function read_text(page, file)
  local text, where, changed = source_text.load(file.name, page.options.directory_path)
  if not text then
    page.warn(explain(page, where))
  elseif changed > page.built then
    page.warn(where .. ": is newer than the program: its lines may have moved")
  end
  return text
end

-- Lines that the program knows of, and the text has not.
local function check_length(page, file, length, known)
  if known.last > length then
    page.warn(("%s: has %d lines, but the program was compiled from at least %d"):format(
      file.name, length, known.last))
  end
end

local function write_file(page, file, text)
  local rules = page.rules
  local known <close> =
    annotation.lines(page.profile, file.number, not rules.whole_lines)
  local length, lines, annotated, executed, last =
    known:print(page.write, text, page.layout, page.last)
  page.last = last
  if rules.gives_hints then check_length(page, file, length, known) end
  if rules.ends_last_line and text:find("[^\n]$", -1) then page.write("\n") end
  if page.options.table_length ~= 0 then write_top(page, known) end
  if rules.whole_lines then
    write_summary(page, lines, executed, known.executions)
  else  -- a line is executed if it is annotated, and executions are calls
    write_summary(page, lines, annotated, file.calls)
  end
end

-- The name of the file that a listing goes into. Files of one name in several directories
-- are told apart by these, if listings are to be separate.
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

-- Files that no listing may replace: the program, and its sources, one of which may have
-- the name of another one's listing.
local function protected_files(page)
  local files = require "gprof.library.file_set".new()
  files:add(page.profile.image.path)
  for _, file in ipairs(annotation.files(page.profile)) do
    files:add((source_text.find(file.name, page.options.directory_path)))
  end
  return files
end

local function print_into_file(page, file, text)
  local name = listing_name(page, file)
  page.protected = page.protected or protected_files(page)
  if page.protected:contains(name) then
    page.warn(name .. ": is the program or a source file: not overwritten by a listing")
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
  page.write(common.heading(page.options, "*** File %s:\n"), file.name)
  write_file(page, file, text)
end

-- Whether anything in a file was executed, or the rest is wanted, too.
local function is_worth_it(page, file)
  return page.options.display_unused_functions or file.calls > 0 or
    file.blocks > 0 and page.rules.whole_lines
end

--- Prints the report.
-- @tparam profile profile best one by line, and with all lines (`line = "all"`)
-- @tparam table options `directory_path`: array of those to look for source in;
--   `all_lines`: annotate lines in the middle of blocks, too; `min_count`: mark what was
--   executed less often by ##### (default 1); `table_length`: how many lines to list
--   below each file, the busiest first (default 10); `separate_files`: print each file
--   into one of its own, NAME-ann in the working directory; `display_unused_functions`:
--   print files of which nothing was executed, too; `annotate_time`: seconds in front of
--   the counts; `continued`: other reports were printed before; `warn`: a function that
--   is told of sources that cannot be read, and of others that cannot be right; `color`,
--   but not in separate files; `gnu_compat`
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
    last = 0,  -- what was counted last, over all files
    listings = {},
  }
  page.layout = layout_of(page)
  local print = options.separate_files and print_into_file or print_below
  for _, file in ipairs(annotation.files(profile)) do
    local text = is_worth_it(page, file) and read_text(page, file)
    if text then print(page, file, text) end
  end
end
