--- How lines are laid out on a terminal: names are shortened for lines to fit, and where
-- there is room to spare, there are bars for shares of the time.
--
-- The options of a report say it: `terminal_width` is that of lines, in columns, and nil
-- where nothing of that is wanted; with `full_names` names are not shortened.
--
-- @internal gprof.print.layout
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local terminal = require "gprof.format.terminal"

local layout = {}

-- Names ---------------------------------------------------------------------------------

local LEAST <const> = 16  -- columns that a name is never shortened below

--- Has names in labels at the ends of lines shortened (see csrc/lua/labels.c).
-- @tparam table options of the report
-- @tparam table more what labels are made with: changed
function layout.shorten(options, more)
  if options.full_names then return end
  more.width, more.ascii = options.terminal_width, not terminal.is_utf8()
end

--- A name for the end of a line, shortened in the middle if the line is too narrow.
-- @tparam string name
-- @tparam table options of the report
-- @tparam integer taken columns of the line before the name
-- @treturn string
function layout.fit(name, options, taken)
  if not options.terminal_width or options.full_names then return name end
  return core.fit(name, math.max(options.terminal_width - taken, LEAST),
    terminal.is_utf8() and "…" or "...")
end

-- Bars, of whole blocks and eighths of one, or # ----------------------------------------

-- How long they are, in columns, and how much they leave to names.
local SHORTEST <const>, LONGEST <const>, NAME <const> = 6, 16, 32

-- Where a bar stands in the format of a row.
local PLACE <const> = "\1"

local eighths <const> = { [0] = "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" }

--- How long bars can be.
-- @tparam table options of the report
-- @tparam integer taken columns of a line without bar and name
-- @treturn integer|nil columns; nil if there is no room for bars
function layout.bar_length(options, taken)
  local room = (options.terminal_width or 0) - taken - NAME - 1
  return room >= SHORTEST and math.min(room, LONGEST) or nil
end

--- What draws bars.
-- @tparam integer length of one that stands for all of the time
-- @treturn function of a percentage, which returns a text of that length
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

--- The format of a row with a place for a bar before its last value.
-- @tparam string format
-- @treturn string
function layout.with_bar(format)
  return (format:gsub("%%%d%$s\n$", PLACE .. " %0"))
end

--- What draws the bars of rows that the core writes (csrc/lua/report.h).
-- @tparam integer length
-- @tparam function|nil paint what colours such rows, if they have colours
-- @treturn function as of `gprof.color.painter`
function layout.painter(length, paint)
  local draw, drawn = layout.drawer(length), {}
  return function(format, percent, ...)
    local bar = draw(percent)
    local key = bar .. format
    drawn[key] = drawn[key] or format:gsub(PLACE, bar)
    return paint and paint(drawn[key], percent, ...) or drawn[key]
  end
end

return layout
