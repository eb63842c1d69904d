--- The index in the style of BSD: columns of one width, names cut to fit.
--
-- @module gprof.report.bsd.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local index = require "gprof.report.index"
local names = require "gprof.names"

local function format_row(profile, ids, options)
  local cells = {}
  for column, id in ipairs(ids) do
    local number, printed, is_cycle = profile:get(id, "index", "printed", "is_cycle")
    local name = profile:get(id, is_cycle and "name" or "symbol")
    local cell = ("%6.6s %-19.19s"):format(names.number(number, printed), name)
    cells[column] = options.color and require "gprof.color".name(cell, profile, id) or cell
  end
  return table.concat(cells)
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`, `color`
-- @tparam stream write
return function(profile, options, write)
  return index(profile, options, write, format_row)
end
