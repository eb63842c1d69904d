--- The index: the number of each function's entry in the call graph, sorted by name.
--
-- @module gprof.report.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local entries = require "gprof.print.entries"
local labels = require "gprof.print.labels"
local policy = require "gprof.library.policy"

local COLUMNS <const> = 3
local WIDTH <const>, WIDEST <const> = 80, 1000000  -- of lines, in characters

-- The least number of columns around a name in a cell.
local AROUND <const> = 7

-- What is listed ------------------------------------------------------------------------

-- Returns the set of the first entries of the call graph that the option `top` includes;
-- nil if it includes all.
local function top_entries(profile, options)
  local listed, left = {}, options.top
  for id in entries.of(profile, { display_unused_functions =
    options.display_unused_functions })
  do
    if not left or left < 0 then return nil end
    if left == 0 then return listed end
    listed[id], left = true, left - 1
  end
end

-- Returns the numbers of what is listed: functions sorted by name, then cycles; and the
-- length of the longest name. Functions without calls and time are left out.
local function cells_of(profile, options, name)
  local outside, all = profile.outside, options.display_unused_functions
  local listed, cells, longest = top_entries(profile, options), {}, 0
  local function add(id, is_included, shown)
    if listed then is_included = listed[id] end
    if not is_included then return end
    cells[#cells + 1], longest = id, math.max(longest, #shown)
  end
  for id, calls, ticks, used, shown in
    profile:functions("symbol", "id", "calls", "ticks", "used", name)
  do
    add(id, all or calls ~= 0 or ticks ~= 0 or id == outside and used, shown)
  end
  for id, shown in profile:cycles(nil, "id", "name") do add(id, true, shown) end
  return cells, longest
end

-- Columns -------------------------------------------------------------------------------

-- Returns the length of names above which there is one name a line: names that do not fit
-- into a line make columns unreadable; on a terminal, names that do not fit into a cell.
local function longest_name(options)
  if policy.of(options).keeps_index_columns then return math.huge end
  local line = math.max(options.width or WIDTH, WIDTH)
  return options.terminal_width and line // COLUMNS - AROUND or line
end

-- Numbers are right-aligned in five characters, but the blanks around them are not
-- counted, so columns drift as they do in GNU gprof's index.
local NUMBER <const> = 5

-- Returns the function that aligns a cell: its parameters are the column, from 0, the
-- number, the length of the text after it, and the column where the text of the previous
-- cell ends. It returns the blanks before the cell, and where its text ends. A text that
-- is too long for its cell moves the next one.
local function aligner(options)
  local width = (math.max(math.min(options.width or WIDTH, WIDEST), 1) - 1) // COLUMNS
  return function(column, number, length, at)
    local fill = math.max(column * width + NUMBER - at - #number, 0)
    return fill + 1, at + fill + #number + length
  end
end

-- The look of the report; `gprof.report.bsd.index` has another look: `name` is the field
-- with a function's name, `cell` a function that returns the text of a cell without
-- alignment.
local gnu = { name = "name" }

-- Returns the function that colours a cell.
local function painter(profile, options)
  if not options.color then return function(_, text) return text end end
  local color = require "gprof.print.color"
  return function(id, text)
    local percent, calls, self_calls, ticks, children = profile:get(id, "graph_percent",
      "calls", "self_calls", "ticks", "children_ticks")
    local used = calls ~= 0 or self_calls ~= 0 or ticks ~= 0 or children ~= 0
    return color.row(text, percent, profile.graph_ticks, used)
  end
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `width`: of the lines, in characters (default 80, at most
--   1,000,000; if a name does not fit, each name gets a line); `top`: list only functions
--   in the first `top` entries of the call graph; `display_unused_functions`,
--   `inline_file_names`, `print_path`, `color`; `gnu_compat`: always three columns
-- @tparam stream write
-- @tparam[opt] table look by default GNU gprof's
return function(profile, options, write, look)
  look = look or gnu
  write(common.heading(options, "Index by function name\n\n"))
  local cells, longest = cells_of(profile, options, look.name)
  local paint, align = painter(profile, options), not look.cell and aligner(options)
  local texts, shorten
  if align then
    texts, shorten = labels.with_files(profile, options)
  else
    texts = labels.bare(profile, options, look.name)
  end
  local columns = align and longest > longest_name(options) and 1 or COLUMNS
  local lines = (#cells + columns - 1) // columns
  for line = 1, lines do
    local at, blanks = 0, nil
    for i = line, #cells, lines do
      local id = cells[i]
      local number, text = profile:get(id, "reference"), texts[id]
      if align then
        blanks, at = align((i - line) // lines, number, #text, at)
        text = number .. " " .. (shorten and shorten(id, text, #number + 1) or text)
        write((" "):rep(blanks))
      else
        text = look.cell(number, text)
      end
      write(paint(id, text))
    end
    write "\n"
  end
end
