--- The source lines with the most time, each with its function and its text.
--
-- @module gprof.report.lines
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local hot_lines = require "gprof.analysis.hot_lines"
local inlined_lines = require "gprof.library.inlined_lines"
local layout = require "gprof.print.layout"
local names = require "gprof.names"
local source_text = require "gprof.library.files.source_text"
local wording = require "gprof.format.wording"

local COUNT <const> = 20       -- lines, unless the option says otherwise
local MOST_TEXT <const> = 400  -- bytes of a source line
local LEAST_TEXT <const> = 20  -- columns of a source line, even on narrow terminals

-- Returns FILE:LINE; "" for code without line information.
local function place_of(row, options)
  if not row.file then return "" end
  return ("%s:%d"):format(common.file(row.file, options), row.line)
end

-- Returns the name of a line's function; if there are several, with their number. The
-- copies of an inlined function are one function.
local function function_of(row, options)
  local name, known, more = row.functions[1].name, {}, -1
  for _, part in ipairs(row.functions) do
    if not known[part.name] then known[part.name], more = true, more + 1 end
  end
  if not options.full_names then name = names.short(name) end
  return more > 0 and ("%s (and %d more)"):format(name, more) or name
end

-- Returns the chosen lines of a source file; none, after a warning, if it cannot be read.
local function load(name, chosen, options, missing)
  local text, problem = source_text.load(name, options.directory_path)
  if text then return (source_text.lines(text, chosen)) end
  if problem == source_text.not_found(name) then
    missing[#missing + 1] = name
  elseif options.warn then
    options.warn(problem)
  end
  return {}
end

-- Returns the numbers of the first lines by file, as sets.
local function numbers_of(rows, count)
  local numbers = {}
  for i = 1, count do
    local name = rows[i].file
    if name then
      numbers[name] = numbers[name] or {}
      numbers[name][rows[i].line] = true
    end
  end
  return numbers
end

-- Returns the texts of the first lines, without indentation; "" if the text is not known.
-- Warns once about all files that were not found.
local function texts_of(rows, count, options)
  local chosen, files, texts, missing = numbers_of(rows, count), {}, {}, {}
  for i = 1, count do
    local name = rows[i].file
    if name and not files[name] then
      files[name] = load(name, chosen[name], options, missing)
    end
    local line = name and files[name][rows[i].line] or ""
    texts[i] = wording.cut(line, MOST_TEXT):match "^%s*(.-)%s*$":gsub("%s+", " ")
  end
  if missing[1] and options.warn then options.warn(source_text.all_not_found(missing)) end
  return texts
end

-- Cuts a text to a number of columns, if there is a limit.
local function cut(text, columns, options)
  local length = utf8.len(text)
  if not (columns and length) or length <= columns then return text end
  local mark, width = layout.mark(options)
  return text:sub(1, utf8.offset(text, math.max(columns - width, 0) + 1) - 1) .. mark
end

-- Returns the columns of places and functions, and their widths.
local function names_of(rows, count, options)
  local places, functions = {}, {}
  for i = 1, count do
    places[i], functions[i] = place_of(rows[i], options), function_of(rows[i], options)
  end
  return places, functions, layout.width(places, "line"),
    layout.width(functions, "function")
end

local function write_heading(profile, options, taken, write)
  write(common.heading(options, "Lines with the most time:\n\n"))
  local error_title = options.errors and ("%9s"):format "error " or ""
  write(common.heading(options, "%6s %9s%s  %s  %s  %s\n"), "%  ", profile.unit .. " ",
    error_title, layout.padded("line", taken[1]), layout.padded("function", taken[2]),
    "source")
end

-- Writes where a line was inlined, if that is known. `taken` is the number of columns
-- before the lines.
local function write_callers(row, callers, options, taken, write)
  local known = row.file and callers[row.file] and callers[row.file][row.line]
  if not known then return end
  local text = require "gprof.print.inlined_at".callers(known, options)
  local columns = options.terminal_width and
    math.max(LEAST_TEXT, options.terminal_width - taken)
  write("%s%s\n", (" "):rep(taken), cut(text, columns, options))
end

local function write_rows(profile, rows, count, callers, options, write)
  local texts = texts_of(rows, count, options)
  local places, functions, wide, wider = names_of(rows, count, options)
  local before = 18 + (options.errors and 9 or 0)
  local taken = before + 2 + wide + wider
  local columns = options.terminal_width and
    math.max(LEAST_TEXT, options.terminal_width - taken)
  local error_format = options.errors and profile.rate and
    " %8." .. common.decimals(1 / profile.rate) .. "f"  -- shows a single sample
  write_heading(profile, options, { wide, wider }, write)
  for i = 1, count do
    local seconds = rows[i].ticks / profile.rate
    local line = ("  %s  %s  %s"):format(layout.padded(places[i], wide),
      layout.padded(functions[i], wider), cut(texts[i], columns, options))
    write("%6.2f %9.2f%s%s\n",
      common.percentage(rows[i].ticks, profile.total_ticks), seconds,
      error_format and error_format:format(profile:error_of(seconds)) or "",
      (line:gsub(" +$", "")))
    write_callers(rows[i], callers, options, before, write)
  end
end

-- Tells how much is not printed.
local function write_rest(profile, rows, count, write)
  local ticks = 0
  for i = count + 1, #rows do ticks = ticks + rows[i].ticks end
  if ticks == 0 then return end
  write("\n%s with %.2f %% of the time\n", wording.plural(#rows - count, "more line"),
    common.percentage(ticks, profile.total_ticks))
end

--- Prints the report.
-- @tparam profile profile with a histogram, by function or by line
-- @tparam table options the options of the profile; `lines`: the number of lines (default
--   20); `inlines`: below each line, where it was inlined; `directory_path`: array of
--   directories to search for source files; `errors`: add
--   the sampling errors; `print_path`: print files with directories; `full_names`;
--   `terminal_width`: cut source text to fit this width; `warn`: function that takes a
--   message about source that cannot be read; `brief`: no explanation; `color`
-- @tparam stream write
-- @raise a table with the field `message` if the profile by line cannot be made
return function(profile, options, write)
  if not profile.rate then
    error("times of lines need a histogram, which this profile lacks", 0)
  end
  local by_function = profile:by_function()
  local lines = profile:by_lines(options)
  local rows = hot_lines.of(by_function, lines)
  local count = math.max(0, math.min(#rows, options.lines or COUNT))
  write_rows(by_function, rows, count, inlined_lines.of(lines), options, write)
  write_rest(by_function, rows, count, write)
  if not options.brief then write(require "gprof.print.explain".lines) end
end
