--- The functions whose time or calls differ between runs, sorted by what that costs.
--
-- @internal gprof.analysis.imbalance
-- SPDX-License-Identifier: GPL-3.0-or-later

local is_less <const> = require "gprof.format.column_order".is_less

local imbalance = {}

--- Returns what the functions of a profile have in its runs.
-- @tparam profile profile with a spread
-- @tparam string field "self" or "calls"
-- @treturn {table,...} the functions that are in the flat profile and have time or calls
--   in any run, each with the fields of `spread` (see gprof.profile), `name` and `id`;
--   the greatest difference between maximum and mean first
function imbalance.of(profile, field)
  local rows = {}
  for id, name, listed, spread in profile:functions("address", "id", "name", "listed",
    "spread")
  do
    local row = listed and spread and spread[field]
    if row and row.max > 0 then
      row.name, row.id = name, id
      rows[#rows + 1] = row
    end
  end
  table.sort(rows, function(a, b)
    if a.lost ~= b.lost then return a.lost > b.lost end
    if a.mean ~= b.mean then return a.mean > b.mean end
    if a.name ~= b.name then return is_less(a.name, b.name) end
    return a.id < b.id
  end)
  return rows
end

return imbalance
