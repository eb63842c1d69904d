--- Execution counts: how often each function was called, by its place in the source.
--
-- @module gprof.report.executions
-- SPDX-License-Identifier: GPL-3.0-or-later

-- By file, line and address; those of unknown source behind them, by address.
local function is_before(a, b)
  if a.file ~= b.file then
    return b.file == nil or a.file ~= nil and a.file < b.file
  elseif a.line ~= b.line then
    return a.line < b.line
  end
  return a.id < b.id
end

local function row_of(profile, id)
  local file, line = profile:get(id, "file", "line")
  return { id = id, file = file, line = line }
end

-- Numbers of functions in the order of the report. GNU gprof's is one of all functions,
-- printed or not; otherwise debugging information is looked at for those printed only.
local function in_order(profile, options, is_shown)
  local rows, ids = {}, {}
  if options.gnu_compat then
    for _, id in ipairs(profile.symbols:by_source()) do
      if is_shown(profile:get(id, "tallied", "calls")) then ids[#ids + 1] = id end
    end
    return ids
  end
  for id, tallied, calls in profile:functions("address", "id", "tallied", "calls") do
    if is_shown(tallied, calls) then rows[#rows + 1] = row_of(profile, id) end
  end
  table.sort(rows, is_before)
  for i, row in ipairs(rows) do ids[i] = row.id end
  return ids
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: those never called, too;
--   `min_count`: leave out what was called less often; `gnu_compat`
-- @tparam stream write
return function(profile, options, write)
  local least = options.display_unused_functions and 0 or 1
  if options.min_count and not options.gnu_compat then
    least = options.min_count
  end
  local function is_shown(tallied, calls)
    return tallied and calls >= least
  end
  for _, id in ipairs(in_order(profile, options, is_shown)) do
    local file, line, symbol, address, calls =
      profile:get(id, "file", "line", "symbol", "address", "calls")
    write(("%s:%d: (%s:0x%x) %d executions\n"):format(
      file or "<unknown>", line or 0, symbol, address, calls))
  end
end
