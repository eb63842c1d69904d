--- Colours of reports on a terminal.
--
-- Headings and the primary lines of the call graph are bold. Rows with a large share of
-- the time are red, rows with a notable share are yellow, and rows that were never
-- executed are dim. Without its escape sequences, a coloured report is identical to a
-- plain one.
--
-- @internal gprof.print.color
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local color = {}

-- Rows with at least these percentages of the total time are hot (red) or warm (yellow).
local HOT <const>, WARM <const> = 10, 3

-- Hot and warm rows must have at least this many samples, because fewer may be due to
-- chance. The tolerance is for sums of samples that were split between functions.
local LEAST <const> = 3 - 1e-6

-- Parameters of the escape sequence SGR (ECMA-48, "select graphic rendition").
local bold <const> = "1"
local shades <const> = { hot = "31", warm = "33", unused = "2" }

-- Colours a text, but not the newlines at its start and end: a colour must not continue
-- on the next line.
local function paint(text, code)
  if not code then return text end
  local before, rest = text:match "^(\n*)(.*)$"
  local inside = rest:match "^.*[^\n]" or ""
  return before .. "\27[" .. code .. "m" .. inside .. "\27[0m" .. rest:sub(#inside + 1)
end

-- Returns the colour for a share of the samples, or for an unused row; nil for no colour.
local function shade(percent, samples, used)
  if not used then return shades.unused end
  if percent / 100 * samples < LEAST then return nil end
  return percent >= HOT and shades.hot or percent >= WARM and shades.warm or nil
end

--- Colours a heading.
-- @tparam string text a line, or a format for one
-- @treturn string
function color.heading(text)
  return paint(text, bold)
end

--- Colours a row by its share of the time.
-- @tparam string text a line, or a format for one
-- @tparam number percent of the total time; NaN if there is no time
-- @tparam number samples the number of all samples
-- @tparam boolean used whether it was executed or took time
-- @treturn string
function color.row(text, percent, samples, used)
  return paint(text, shade(percent, samples, used))
end

-- Returns the colour for the primary line of an entry.
local function primary(percent, samples, used)
  local code = shade(percent, samples, used)
  if not used then return code end
  return code and bold .. ";" .. code or bold
end

--- Returns the function that colours the formats of rows. It colours each format once, so
-- that the result is also parsed once.
-- @tparam number samples the number of all samples
-- @treturn function of a format, a percentage, whether the row is used, and whether it is
--   a primary line
function color.painter(samples)
  local painted = {}
  return function(format, percent, used, is_primary)
    local code = (is_primary and primary or shade)(percent, samples, used)
    if not code then return format end
    local formats = painted[code]
    if not formats then
      formats = {}
      painted[code] = formats
    end
    local found = formats[format]
    if not found then
      found = paint(format, code)
      formats[format] = found
    end
    return found
  end
end

--- Returns whether output to a file is coloured.
-- @tparam string when "always"; "auto": if the file is a terminal, TERM is not "dumb",
--   and NO_COLOR is not set (https://no-color.org); any other value: never
-- @tparam file file
-- @treturn boolean
function color.wanted(when, file)
  if when ~= "auto" then return when == "always" end
  return (os.getenv "NO_COLOR" or "") == "" and os.getenv "TERM" ~= "dumb" and
    core.is_terminal(file)
end

return color
