--- Bounds of total times in the flat profile and the call graph: two columns, a mark, and
-- what they mean.
--
-- @internal gprof.print.bounds
-- SPDX-License-Identifier: GPL-3.0-or-later

local bounds = {}

-- The columns, which follow their numbers: two numbers, and a mark. The numbers are
-- positions in the formats of rows.
local COLUMNS <const> = " %%%d$8.2f %%%d$8.2f%%%d$s"

--- The width of these columns.
bounds.WIDTH = 19

--- The heading of these columns.
bounds.HEADING = "      low     high "

-- Returns the columns as a part of a row's format, which gets three values from
-- `position` on.
local function columns(position)
  return COLUMNS:format(position, position + 1, position + 2)
end

--- Adds the columns to the format of a row in the flat profile, before the name.
-- @tparam string row
-- @treturn string
function bounds.flat_row(row)
  return (row:gsub("  (%%7%$s\n)$", function(name) return columns(9) .. " " .. name end))
end

local other_lines <const> = {
  "arc", "inner_arc", "member", "recursive_member", "spontaneous",
}

--- Adds the columns to primary lines of a call graph, after the seconds, and moves the
-- rest of other lines.
-- @tparam table look formats of lines
-- @treturn table
function bounds.graph_look(look)
  local changed = setmetatable({}, { __index = look })
  local blanks = (" "):rep(bounds.WIDTH)
  changed.primary = look.primary .. columns(8)
  for _, line in ipairs(other_lines) do
    changed[line] = look[line]:gsub(line == "spontaneous" and "<" or " %%5%$",
      function(rest) return blanks .. rest end)
  end
  return changed
end

local note <const> = [[

The bounds (low, high) assume one thread, a symbol for every function, and that
recording was never switched off. ?: they are further apart than a tenth of the
]]

--- Writes what the bounds assume, and what the mark means.
-- @tparam profile profile
-- @tparam stream write
function bounds.write_note(profile, write)
  write(note)
  write(profile.exact and
    "run. The times themselves were measured. Libraries are left out.\n" or
    "run; record call paths instead (gprof.lua --record).\n")
end

--- Writes the explanation of the columns.
-- @tparam profile profile
-- @tparam stream write
function bounds.explain(profile, write)
  write(require "gprof.print.explain".times("bounds", profile))
end

return bounds
