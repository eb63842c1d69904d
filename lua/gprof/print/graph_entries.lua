--- The entries of the call graph that reports print.
--
-- @internal gprof.print.graph_entries
-- SPDX-License-Identifier: GPL-3.0-or-later

local entries = {}

--- Iterates over the entries: functions and cycles that the user's selection includes,
-- with calls or time. In a profile by line, functions have an entry; other lines, and
-- cycles, have none.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: include entries without calls and
--   time; `top`: the largest number of entries
-- @treturn function iterator over the number of a node, whether it is a cycle, and its
--   place in the order of all nodes
function entries.of(profile, options)
  local by_line, all = profile.by_line, options.display_unused_functions
  local left = options.top or -1  -- negative: no limit
  local each = profile:entries(nil, "id", "is_cycle", "printed", "used", "is_function",
    "index")
  return function()
    if left == 0 then return nil end
    for id, is_cycle, printed, used, is_function, index in each do
      if printed and (used or all) and (is_function or not by_line) then
        left = left - 1
        return id, is_cycle, index
      end
    end
  end
end

--- Returns the number of the last entry that the option `top` includes.
-- @tparam profile profile
-- @tparam table options as for `entries.of`
-- @treturn integer|nil number; nil without the option
function entries.last(profile, options)
  if not options.top then return nil end
  local last = 0
  for _, _, index in entries.of(profile, options) do last = index end
  return last
end

return entries
