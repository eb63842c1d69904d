--- Texts that say where a line was inlined.
--
-- @internal gprof.print.inlined_at
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local names = require "gprof.names"

local inlined_at = {}

-- Most callers in one text.
local MOST <const> = 4

local function name_of(frame, options)
  local name = frame.name or "?"
  return options.full_names and name or names.short(name)
end

-- Returns "NAME (FILE:LINE)", as far as that is known.
local function place_of(frame, options)
  local name = name_of(frame, options)
  if not frame.file then return name end
  return ("%s (%s:%d)"):format(name, common.file(frame.file, options), frame.line or 0)
end

--- Returns the text for the chain of a line.
-- @tparam {table,...} frames as from `profile:frames`, of which the first is the line's
-- @tparam table options `print_path`; `full_names`: names with parameters
-- @treturn string|nil such as "inlined in g (b.c:20), main (c.c:3)"; nil if the line was
--   not inlined
function inlined_at.chain(frames, options)
  local places = {}
  for i = 2, math.min(#frames, MOST + 1) do
    places[#places + 1] = place_of(frames[i], options)
  end
  if frames[MOST + 2] then places[#places + 1] = "..." end
  return places[1] and "inlined in " .. table.concat(places, ", ")
end

--- Returns the text for the callers of a line, with their parts of its time.
-- @tparam table row of the line, from gprof.library.inlined_lines
-- @tparam table options
-- @treturn string such as "inlined in f (a.c:7) 75 %, g (b.c:20) 25 %"
function inlined_at.callers(row, options)
  local callers, ticks, places, rest = row.callers, row.ticks, {}, 0
  for i, caller in ipairs(callers) do
    if i <= MOST then
      places[i] = ("%s %.0f %%"):format(place_of(caller, options),
        100 * caller.ticks / ticks)
    else
      rest = rest + caller.ticks
    end
  end
  if #callers > MOST then
    places[MOST + 1] = ("%d more %.0f %%"):format(#callers - MOST, 100 * rest / ticks)
  end
  return "inlined in " .. table.concat(places, ", ")
end

-- Returns the text for the label of a line. The label of a function's first line has the
-- name of the function, so the text begins with that of the inlined function.
local function suffix_of(frames, is_line, options)
  local text = inlined_at.chain(frames, options)
  if not text or is_line then return text and " " .. text end
  return (": %s %s"):format(name_of(frames[1], options), text)
end

--- Returns the texts for the chains of the lines of a profile, for their labels.
-- @tparam profile by_line
-- @tparam table options also `display_unused_functions`
-- @treturn {[integer]=string}|nil by number; nil if no chains are known
function inlined_at.suffixes(by_line, options)
  if not by_line.has_frames then return nil end
  local suffixes, all = {}, options.display_unused_functions
  local fields <const> = { "id", "ticks", "calls", "is_line" }
  for id, ticks, calls, is_line in by_line:functions("address", table.unpack(fields)) do
    local frames = (all or ticks > 0 or calls > 0) and by_line:frames(id, MOST + 2)
    suffixes[id] = frames and suffix_of(frames, is_line, options) or nil
  end
  return suffixes
end

return inlined_at
