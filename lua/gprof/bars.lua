--- Bars for shares of the time, where a terminal has room for them: whole blocks and
-- eighths of one, or #.
--
-- @internal gprof.bars
-- SPDX-License-Identifier: GPL-3.0-or-later

local terminal = require "gprof.terminal"

local bars = {}

-- How long they are, in columns, and how much they leave to names.
local SHORTEST <const>, LONGEST <const>, NAME <const> = 6, 16, 32

-- Where a bar stands in the format of a row.
local PLACE <const> = "\1"

local eighths <const> = { [0] = "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" }

--- How long bars can be.
-- @tparam table options of a report: `terminal_width`, nil if there are to be no bars
-- @tparam integer taken columns of a line without bar and name
-- @treturn integer|nil columns; nil if there is no room for bars
function bars.length(options, taken)
  local room = (options.terminal_width or 0) - taken - NAME - 1
  return room >= SHORTEST and math.min(room, LONGEST) or nil
end

--- What draws bars.
-- @tparam integer length of one that stands for all of the time
-- @treturn function of a percentage, which returns a text of that length
function bars.drawer(length)
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
function bars.with_place(format)
  return (format:gsub("%%%d%$s\n$", PLACE .. " %0"))
end

--- What draws the bars of rows that the core writes (csrc/report.h).
-- @tparam integer length
-- @tparam function|nil paint what colours such rows, if they have colours
-- @treturn function as of `gprof.color.painter`
function bars.painter(length, paint)
  local draw, drawn = bars.drawer(length), {}
  return function(format, percent, ...)
    local bar = draw(percent)
    local key = bar .. format
    drawn[key] = drawn[key] or format:gsub(PLACE, bar)
    return paint and paint(drawn[key], percent, ...) or drawn[key]
  end
end

return bars
