--- The function order as a file for a linker: the functions that ran. All others stay
-- where the linker puts them.
--
-- @internal gprof.print.linker_order_file
-- SPDX-License-Identifier: GPL-3.0-or-later

local code_sections = require "gprof.analysis.code_sections"
local column_order = require "gprof.format.column_order"
local counts = require "gprof.analysis.counts"
local linker_files = require "gprof.print.linker_files"
local linker_order = require "gprof.linker_order"
local wording = require "gprof.format.wording"

-- Functions that linkers do not move: the C library's and the compiler's code that runs
-- at start and at exit. Calls and samples near it, as in linkage stubs, may count for it.
local fixed <const> = {
  _init = true, _fini = true, _start = true, frame_dummy = true, __gmon_start__ = true,
  register_tm_clones = true, deregister_tm_clones = true, __do_global_dtors_aux = true,
  _dl_relocate_static_pie = true,
}

-- Returns the functions of the program that were called, call others, or have samples: an
-- array in address order, and a table from each to its name in object files. The symbol
-- table of a program adds the version to some names.
local function functions_that_ran(profile)
  local ran, list, names = {}, {}, {}
  for caller, callee, count in profile:arcs("id", "caller_id", "callee_id", "count") do
    if count > 0 then ran[caller], ran[callee] = true, true end
  end
  for id, symbol, ticks, calls, address, object in
    profile:functions("address", "id", "symbol", "ticks", "calls", "address", "object")
  do
    local is_code = address and not object and not symbol:find "^<" and not fixed[symbol]
    if is_code and (ran[id] or ticks > 0 or calls > 0) then
      list[#list + 1], names[id] = id, symbol:match "^.[^@]*" or symbol
    end
  end
  return list, names
end

-- Functions of the same name are placed together: linkers cannot tell them apart.
local function ordered_names(profile, list, names, options)
  local seen, ordered = {}, {}
  for _, id in ipairs(linker_order.of_profile(profile, list, options.heuristic)) do
    local name = names[id]
    if name and not seen[name] then
      seen[name], ordered[#ordered + 1] = true, name
    end
  end
  return ordered
end

-- Returns the calls between functions with different names: columns of callers, callees
-- and counts, most frequent calls first.
local function calls_by_name(profile, names)
  local callers, callees, sums, row_of = {}, {}, {}, {}
  for from, to, count in profile:arcs("id", "caller_id", "callee_id", "count") do
    local caller, callee = names[from], names[to]
    if count > 0 and caller and callee and caller ~= callee then
      local rows = row_of[caller] or {}
      local row = rows[callee] or #sums + 1
      row_of[caller], rows[callee] = rows, row
      callers[row], callees[row] = caller, callee
      sums[row] = counts.add(sums[row] or 0, count)
    end
  end
  local falling = {}
  for row, sum in ipairs(sums) do falling[row] = -sum end
  local calls = { callers = callers, callees = callees, counts = sums }
  local order = column_order.by { falling, callers, callees }
  return order and column_order.arrange(calls, order) or calls
end

-- Returns the set of names of functions with a cold part.
local function split_functions(profile, names)
  local set, symbols = {}, profile.symbols
  for id = 1, symbols.count do
    local owner = symbols:owner(id)
    if owner ~= id and names[owner] then set[names[owner]] = true end
  end
  return set
end

-- Removes the names that the file cannot contain.
local function drop_unusable(profile, names, options)
  local first, count = nil, 0
  for id, name in pairs(names) do
    if not linker_files.can_hold(options.order_format, name) then
      names[id], count = nil, count + 1
      first = (not first or column_order.is_less(name, first)) and name or first
    end
  end
  if count > 0 and options.warn then
    options.warn(("%s: %s cannot be in the file, because of a name such as '%s'"):format(
      profile.image.path, wording.plural(count, "function"), first))
  end
end

local function warn_of_neighbours(profile, list, options)
  if not options.warn then return end
  local count = code_sections.count_sharing(profile, list)
  if count > 0 then
    options.warn(("%s: %d of %d functions share a section with others, so linkers " ..
      "cannot move them: compile with -ffunction-sections"):format(profile.image.path,
      count, #list))
  end
end

--- Writes the file.
-- @tparam profile profile
-- @tparam table options `order_format`; `heuristic` and `warn`, functions, or nil
-- @tparam stream write
return function(profile, options, write)
  profile = profile:by_function()
  local list, names = functions_that_ran(profile)
  drop_unusable(profile, names, options)
  warn_of_neighbours(profile, list, options)
  linker_files.write(options.order_format, {
    names = function() return ordered_names(profile, list, names, options) end,
    calls = function() return calls_by_name(profile, names) end,
    split_functions = function() return split_functions(profile, names) end,
  }, write)
end
