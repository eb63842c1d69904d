--- Execution counts: how often other functions called each function, in source order.
-- Recursive calls are shown in the call graph only.
--
-- @module gprof.report.executions
-- SPDX-License-Identifier: GPL-3.0-or-later

local is_less <const> = require "gprof.format.column_order".is_less
local policy = require "gprof.library.policy"

-- Compares by file, line and address; functions without source come last, by address.
local function is_before(a, b)
  if a.file ~= b.file then
    return b.file == nil or a.file ~= nil and is_less(a.file, b.file)
  elseif a.line ~= b.line then
    return a.line < b.line
  end
  return a.id < b.id
end

-- Returns functions in GNU gprof's order, which depends on all selected functions,
-- printed or not.
local function in_gnu_order(profile)
  local selected = {}
  for id, tallied in profile:functions("address", "id", "tallied") do
    if tallied then selected[#selected + 1] = id end
  end
  return profile.symbols:by_source(selected)
end

-- Returns the numbers of functions with enough calls, in source order. Leaves out
-- functions that were only inlined: they have no address, and nothing counts them. In a
-- profile by line, includes all lines, as their blocks may have counts. Debugging
-- information is read only for these functions and lines.
local function in_order(profile, least)
  local rows, ids, outside = {}, {}, profile.outside
  local fields <const> = { "id", "tallied", "calls", "address" }
  for id, tallied, calls, address in
    profile:functions("address", table.unpack(fields))
  do
    local has_counts = address and calls >= least or profile.by_line
    if tallied and has_counts and id ~= outside then
      local file, line = profile:get(id, "file", "line")
      rows[#rows + 1] = { id = id, file = file, line = line }
    end
  end
  table.sort(rows, is_before)
  for i, row in ipairs(rows) do ids[i] = row.id end
  return ids
end

-- Writes the calls of a function or source line, then its blocks. Only a line on which a
-- function begins can have 0 calls: the others are not called.
local function write_lines(profile, id, least, options, write)
  local file, line, symbol, address, calls, owner =
    profile:get(id, "file", "line", "symbol", "address", "calls", "function_id")
  local lacks_calls = id ~= owner and calls == 0 and policy.of(options).extends_reports
  local color = options.color and require "gprof.print.color"
  local function write_line(at, count)
    local text = ("%s:%d: (%s:0x%x) %d executions\n"):format(
      file or "<unknown>", line or 0, symbol, at, count)
    write(color and color.row(text, 0, 0, count ~= 0) or text)
  end
  if calls >= least and not lacks_calls then write_line(address, calls) end
  if profile.by_line then
    for at, count in profile:blocks(id) do
      if count >= least then write_line(at, count) end
    end
  end
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`: also print functions never called;
--   `min_count`: omit lower counts; `color`; `gnu_compat`
-- @tparam stream write
return function(profile, options, write)
  local rules = policy.of(options)
  local least = options.display_unused_functions and 0 or 1
  if options.min_count and rules.extends_reports then least = options.min_count end
  local order = rules.puts_unknown_sources_last and in_order or in_gnu_order
  for _, id in ipairs(order(profile, least)) do
    write_lines(profile, id, least, options, write)
  end
end
