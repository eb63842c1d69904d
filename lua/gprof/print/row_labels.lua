--- Names of the rows of a comparison, as exports write them.
--
-- @internal gprof.print.row_labels
-- SPDX-License-Identifier: GPL-3.0-or-later

local labels = require "gprof.print.labels"
local names = require "gprof.names"
local places = require "gprof.print.places"

-- Returns the short names of the rows.
local function short_names(comparison)
  local all, short = {}, {}
  for i, row in ipairs(comparison) do all[i] = row.name end
  local distinct = names.distinct(all)
  for i in ipairs(all) do short[i] = distinct(i, "without arguments", nil, "…") end
  return short
end

local full_names <const> = { __index = function(_, row) return row.name end }

--- Returns the names of the rows.
-- @tparam comparison comparison
-- @tparam profile profile the new profile
-- @tparam table options as for `labels.exported` in gprof.print.labels
-- @tparam[opt] boolean is_only_name as for `labels.exported`
-- @treturn {[table]=string} by row
return function(comparison, profile, options, is_only_name)
  local short, shown = options.short_names and short_names(comparison),
    setmetatable({}, full_names)
  local is_placed = options.inline_file_names or
    is_only_name and labels.shows_places(profile, options)
  for i, row in ipairs((short or is_placed) and comparison or {}) do
    shown[row] = (short and short[i] or row.name) ..
      (is_placed and places.of_row(row, profile, options) or "")
  end
  return shown
end
