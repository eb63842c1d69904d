--- Layout of lines on a terminal: names are shortened so that lines fit, and bars show
-- shares of the time if there is room.
--
-- The report's option `terminal_width` is the length of lines, in columns; if it is nil,
-- there is no layout. With `full_names`, names are not shortened to fit.
--
-- @internal gprof.print.layout
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = require "gprof.names"
local terminal = require "gprof.format.terminal"

local layout = {}

-- Tables --------------------------------------------------------------------------------

--- Returns the number of columns of a text, of bytes if it is not UTF-8.
-- @tparam string text
-- @treturn integer
function layout.columns(text)
  return utf8.len(text) or #text
end

--- Returns the width of a column of a table.
-- @tparam {string,...} cells
-- @tparam string title
-- @treturn integer columns
function layout.width(cells, title)
  local width = layout.columns(title)
  for _, cell in ipairs(cells) do width = math.max(width, layout.columns(cell)) end
  return width
end

--- Appends blanks to a text.
-- @tparam string text
-- @tparam integer width columns
-- @treturn string
function layout.padded(text, width)
  return text .. (" "):rep(width - layout.columns(text))
end

-- Names ---------------------------------------------------------------------------------

-- The least number of columns for a name. If fewer are left in a line, the line wraps,
-- and the name may fill the next line.
local LEAST <const> = 16

--- Sets the options of `names.labels` that shorten names.
-- @tparam table options of the report
-- @tparam table more options of `names.labels`; modified
function layout.shorten(options, more)
  if options.full_names then return end
  more.width, more.ascii = options.terminal_width, not terminal.is_utf8()
end

--- Returns the room for a name at the end of a line.
-- @tparam table options of the report
-- @tparam integer taken columns of the line before the name
-- @treturn integer|nil columns; nil if the name is not to be shortened
function layout.room(options, taken)
  local width = options.terminal_width
  if not width or options.full_names then return nil end
  width = math.max(width, 1)
  local lines = (taken + LEAST + width - 1) // width
  return lines * width - taken
end

--- Returns what stands for text that is cut out.
-- @tparam table options of the report
-- @treturn string "…"; "..." on a terminal that does not expect UTF-8
-- @treturn integer its width in columns
function layout.mark(options)
  if options.terminal_width and not terminal.is_utf8() then return "...", 3 end
  return "…", 1
end

--- Returns the function that shortens the names of a report: to their short forms with
-- `short_names`, and further for narrow lines. Different names remain different (see
-- csrc/symbols/distinct_names.h).
-- @tparam {string,...} all all names
-- @tparam table options of the report
-- @treturn function with the parameters `number` of a name, and `taken` as for
--   `layout.room`; returns the name
function layout.shortener(all, options)
  if not (options.terminal_width or options.short_names) then
    return function(number) return all[number] end
  end
  local distinct, mark = names.distinct(all), (layout.mark(options))
  local form = options.short_names and "without arguments" or "complete"
  return function(number, taken)
    return distinct(number, form, layout.room(options, taken), mark)
  end
end

-- Bars ----------------------------------------------------------------------------------

-- The least and the greatest length of a bar, and the space reserved for the name, in
-- columns.
local SHORTEST <const>, LONGEST <const>, NAME <const> = 6, 16, 32

--- Placeholder for the bar in the format of a row.
layout.BAR = "\1"

local eighths <const> = { [0] = "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" }

--- Returns the length of bars.
-- @tparam table options of the report
-- @tparam integer taken columns of a line without bar and name
-- @treturn integer|nil columns; nil if there is no room for bars
function layout.bar_length(options, taken)
  local room = (options.terminal_width or 0) - taken - NAME - 1
  return room >= SHORTEST and math.min(room, LONGEST) or nil
end

--- Returns the function that draws bars: of block characters, in steps of an eighth of a
-- column; or of #, if the terminal does not expect UTF-8.
-- @tparam integer length of the bar for 100 %, in columns
-- @treturn function of a percentage; returns a string padded to that length
function layout.drawer(length)
  local fine = terminal.is_utf8()
  return function(percent)
    local share = math.max(0, math.min(percent, 100)) / 100
    if not fine then
      return ("%-" .. length .. "s"):format(("#"):rep(math.floor(share * length + 0.5)))
    end
    local parts = math.floor(share * length * 8 + 0.5)
    local part = eighths[parts % 8]
    return ("█"):rep(parts // 8) .. part ..
      (" "):rep(length - parts // 8 - (part == "" and 0 or 1))
  end
end

--- Returns the function that draws bars in the formats of rows: the option `paint` of
-- `stream:rows`, whose first field is a percentage.
-- @tparam integer length of bars
-- @tparam function|nil paint colours rows; from `color.painter`
-- @treturn function of a format, a percentage, and what else `paint` gets
function layout.painter(length, paint)
  local draw, drawn = layout.drawer(length), {}
  return function(format, percent, ...)
    local bar = draw(percent)
    local key = bar .. format
    drawn[key] = drawn[key] or format:gsub(layout.BAR, bar)
    return paint and paint(drawn[key], percent, ...) or drawn[key]
  end
end

return layout
