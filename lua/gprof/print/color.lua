--- Colours of reports on a terminal: which there are, what they mean, and whether they
-- are wanted.
--
-- Headings and the line that an entry of the call graph is about are bold. What took a
-- large share of the time is red, a notable one yellow, and what was never executed dim.
-- Without the sequences that switch colours a report is, to the byte, what it is plain.
--
-- @internal gprof.print.color
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local color = {}

-- Shares of all time, in percent, from which on something is hot, or warm; and how many
-- samples it takes: fewer may be chance, be they all that there are.
local HOT <const>, WARM <const> = 10, 3
local LEAST <const> = 3 - 1e-6  -- they are parts of a sum of fractions

-- What the terminal is told for each of them (ECMA-48: "select graphic rendition").
local bold <const> = "1"
local shades <const> = { hot = "31", warm = "33", unused = "2" }

-- Newlines stay outside, so that no colour reaches beyond its line.
local function paint(text, code)
  if not code then return text end
  local before, inside, behind = text:match("^(\n*)(.-)(\n*)$")
  return before .. "\27[" .. code .. "m" .. inside .. "\27[0m" .. behind
end

-- The code for a share of the samples, or for what was not used at all; nil for none.
local function shade(percent, samples, used)
  if not used then return shades.unused end
  if percent / 100 * samples < LEAST then return nil end
  return percent >= HOT and shades.hot or percent >= WARM and shades.warm or nil
end

--- A heading.
-- @tparam string text or format, of one line
-- @treturn string
function color.heading(text)
  return paint(text, bold)
end

--- A row, in the colour of its share.
-- @tparam string text or format, of one line
-- @tparam number percent of all time; not a number if there is none
-- @tparam number samples that all time is
-- @tparam boolean used whether it was executed, or took time
-- @treturn string
function color.row(text, percent, samples, used)
  return paint(text, shade(percent, samples, used))
end

-- The code for a row that others are gathered around.
local function primary(percent, samples, used)
  local code = shade(percent, samples, used)
  if not used then return code end
  return code and bold .. ";" .. code or bold
end

--- What colours the rows that the core writes (csrc/lua/report.h). Each format is painted
-- once: streams know formats again.
-- @tparam number samples that all time is
-- @treturn function of a format, percentage, whether it was used, and whether others
--   are gathered around it
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

--- Tells whether a file is to have colours.
-- @tparam string when "always", "auto": if it is a terminal that has them, and the
--   environment does not speak against it (https://no-color.org); others: never
-- @tparam file file
-- @treturn boolean
function color.wanted(when, file)
  if when ~= "auto" then return when == "always" end
  return (os.getenv "NO_COLOR" or "") == "" and os.getenv "TERM" ~= "dumb" and
    core.is_terminal(file)
end

return color
