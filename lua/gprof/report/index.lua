--- The index: the number of each function's entry in the call graph, sorted by name.
--
-- @module gprof.report.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local entries = require "gprof.print.graph_entries"
local labels = require "gprof.print.labels"
local policy = require "gprof.library.policy"

local COLUMNS <const> = 3
local WIDTH <const>, WIDEST <const> = 80, 1000000  -- of lines, in characters

-- The least number of columns around a name in a cell.
local AROUND <const> = 7

-- The layout of the report; `gprof.report.bsd.index` has another. `cell` is the format
-- of a cell, and `name` the field with a function's name. Cells are `aligned` unless all
-- have the same width.
local gnu = { cell = "%{reference} %{label}", aligned = true }

-- What is listed ------------------------------------------------------------------------

-- Returns the set of the first entries of the call graph that the option `top` includes;
-- nil if it includes all.
local function top_entries(profile, options)
  local top, listed, count = options.top, {}, 0
  if not top or top < 0 then return nil end
  local all <const> = { display_unused_functions = options.display_unused_functions }
  for id in entries.of(profile, all) do
    if count == top then return listed end
    listed[id], count = true, count + 1
  end
end

-- Returns the numbers of what is listed: functions sorted by name, then cycles; and the
-- number of functions. Those without calls and time are left out, and not demangled.
local function nodes_of(profile, options)
  local all = options.display_unused_functions
  local listed, nodes = top_entries(profile, options), {}
  for id, calls, ticks, is_outside in
    profile:functions("symbol", "id", "calls", "ticks", "is_outside")
  do
    local has_figures = all or calls ~= 0 or ticks ~= 0 or is_outside
    if listed and listed[id] or not listed and has_figures then
      nodes[#nodes + 1] = id
    end
  end
  local functions = #nodes
  for id in profile:cycles(nil, "id") do
    if not listed or listed[id] then nodes[#nodes + 1] = id end
  end
  return nodes, functions
end

-- Cells ---------------------------------------------------------------------------------

-- The number of names that are looked at together: mostly, one of the first is too long
-- or none is.
local PART <const> = 256

-- Returns the number of columns: one if the name of a function does not fit into a line,
-- since columns would be unreadable; on a terminal, if it does not fit into a cell.
local function column_count(profile, options, nodes, functions)
  if policy.of(options).keeps_index_columns then return COLUMNS end
  local longest = math.max(options.width or WIDTH, WIDTH)
  if options.terminal_width then longest = longest // COLUMNS - AROUND end
  local part = {}  -- reused: at the end, it also has names that were looked at before
  for first = 1, functions, PART do
    table.move(nodes, first, math.min(first + PART - 1, functions), 1, part)
    for _, name in ipairs(profile:columns(part, "name")) do
      if #name > longest then return 1 end
    end
  end
  return COLUMNS
end

-- Returns the function that writes cells: takes the node, the blanks before the cell, and
-- the text of %{text}.
local function cell_writer(profile, options, format, names, write)
  local paint
  if options.color then
    local shade = require "gprof.print.color".painter(profile.graph_ticks)
    function paint(_, percent, calls, self_calls, ticks, children)
      local used = calls ~= 0 or self_calls ~= 0 or ticks ~= 0 or children ~= 0
      return "%{blanks}" .. shade(format, percent, used, false)
    end
  end
  return write:rows(profile, "entry", "%{blanks}" .. format, {
    labels = names,
    values = { "blanks", "text" },
    paint = paint,
    paint_by = { "graph_percent", "calls", "self_calls", "ticks", "children_ticks" },
  })
end

-- Blanks before cells: one more than the key.
local blanks <const> = setmetatable({}, { __index = function(known, count)
  known[count] = (" "):rep(count + 1)
  return known[count]
end })

-- Writes cells in columns. A text that is too long for its cell moves the next one.
-- Numbers are right-aligned in five characters, but the blanks around them are not
-- counted, so columns drift as they do in GNU gprof's index.
local function write_aligned(profile, options, layout, nodes, columns, write)
  local width = (math.max(math.min(options.width or WIDTH, WIDEST), 1) - 1) // COLUMNS
  local names, shorten = labels.with_files(profile, options)
  local format = shorten and layout.cell:gsub("label", "text") or layout.cell
  local cell = cell_writer(profile, options, format, names, write)
  local is_plain = not (shorten or options.color)  -- else the row has another length
  local lines = (#nodes + columns - 1) // columns
  for line = 1, lines do
    local at, begin = 0, 5  -- where the last text ends; where the number should end
    for i = line, #nodes, lines do
      local id = nodes[i]
      local number = #profile:get(id, "reference")
      local fill = begin - at - number
      if fill < 0 then fill = 0 end
      local name = not is_plain and names[id]
      local _, length = cell(id, blanks[fill], shorten and shorten(id, name, number + 1))
      at = at + (is_plain and length - 2 or fill + number + #name)
      begin = begin + width
    end
    write "\n"
  end
end

-- Writes cells of equal width.
local function write_equal(profile, options, layout, nodes, write)
  local names = labels.bare(profile, options, layout.name)
  local cell = cell_writer(profile, options, layout.cell, names, write)
  local lines = (#nodes + COLUMNS - 1) // COLUMNS
  for line = 1, lines do
    for i = line, #nodes, lines do cell(nodes[i], "") end
    write "\n"
  end
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `width`: of the lines, in characters (default 80, at most
--   1,000,000; if a name does not fit, each name gets a line); `top`: list only functions
--   in the first `top` entries of the call graph; `display_unused_functions`,
--   `inline_file_names`, `print_path`, `color`; `gnu_compat`: always three columns
-- @tparam stream write
-- @tparam[opt] table layout by default GNU gprof's
return function(profile, options, write, layout)
  layout = layout or gnu
  local nodes, functions = nodes_of(profile, options)
  write(common.heading(options, "Index by function name\n\n"))
  if not layout.aligned then
    return write_equal(profile, options, layout, nodes, write)
  end
  local columns = column_count(profile, options, nodes, functions)
  write_aligned(profile, options, layout, nodes, columns, write)
end
