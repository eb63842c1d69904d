--- Resolves symspecs exactly as GNU gprof does: the lookup for `--gnu-compat`.
--
-- GNU gprof stores ranges of neighbouring functions, sorted by start address. Of two
-- ranges with the same start, it keeps the first one. A function is looked up only in the
-- last range that starts at or below it, so ranges can hide each other.
--
-- A range that contains the last function ends at the end of the code. Functions that
-- start after that are not in the range. A range that would end before it starts does not
-- exist. Functions and callers belong to a range by their start; callees must also end in
-- it. In a profile by line, a function ends where its last line ends.
--
-- @internal gprof.library.symspec.gnu_lookup
-- SPDX-License-Identifier: GPL-3.0-or-later

local Lookup = require "gprof.library.symspec.lookup"

local GnuLookup = setmetatable({}, Lookup)
GnuLookup.__index = GnuLookup

-- Parsing -------------------------------------------------------------------------------

function GnuLookup.find_colon(text)
  return text:match("^.*():")
end

function GnuLookup.find_slash(text)
  return text:find("/", 1, true)
end

-- Any dot marks a file.
function GnuLookup.is_file(text)
  return text:find(".", 1, true) ~= nil
end

-- GNU gprof has no regular expressions.
function GnuLookup.regex_of()
  return nil
end

-- Text after a number is ignored.
function GnuLookup.digits_of(text)
  return text:match "^%d+"
end

-- The number wraps at 32 bits, and 0 is not a line.
function GnuLookup.line_of(digits)
  local line = Lookup.line_of(digits) & 0xFFFFFFFF
  return line ~= 0 and line or nil
end

-- A slash also ends a symspec of functions.
function GnuLookup:parse(text, arcs)
  local from, to = Lookup.parse(self, text, true)
  return from, arcs and to or nil
end

-- Looking up ----------------------------------------------------------------------------

-- GNU gprof ignores directories. If several files have the same name, it finds only the
-- last one.
function GnuLookup:find_files(name)
  local found = self:files_by_base()[name]
  return found and { found[#found] } or {}
end

function GnuLookup:find_names(name, predicate)
  return self.filter(self.symbols:named(name), predicate)
end

GnuLookup.find = Lookup.find_by_fields

-- Ranges --------------------------------------------------------------------------------

-- Returns ranges { first, last } of neighbouring functions. `ids` is an ascending array,
-- or `true` for all functions. `reach` is the last function in a range that ends with the
-- code.
local function ranges_of(ids, symbols, reach)
  local count, ranges = symbols.count, {}
  if ids == true then
    return reach > 0 and { { 1, reach } } or ranges
  end
  for _, id in ipairs(ids) do
    local last = ranges[#ranges]
    if last and last[2] + 1 == id then
      last[2] = id
    else
      ranges[#ranges + 1] = { id, id }
    end
  end
  local final = ranges[#ranges]
  if final and final[2] == count then
    final[2] = reach
    if final[2] < final[1] then table.remove(ranges) end
  end
  for _, range in ipairs(ranges) do
    range[2] = math.max(range[2], symbols:extent(range[2]))
  end
  return ranges
end

-- Returns the functions that begin in the ranges, as GNU gprof's search finds them.
-- `extent(id)` returns the last row of a function; if it is given, functions must also
-- end in their range.
local function members(ranges, extent)
  local by_first, sorted = {}, {}
  for _, range in ipairs(ranges) do
    if not by_first[range[1]] then
      by_first[range[1]] = true
      sorted[#sorted + 1] = range
    end
  end
  table.sort(sorted, function(a, b) return a[1] < b[1] end)
  local ids = {}
  for i, range in ipairs(sorted) do
    local following = sorted[i + 1]
    for id = range[1], math.min(range[2], following and following[1] - 1 or range[2]) do
      if not extent or extent(id) <= range[2] then ids[#ids + 1] = id end
    end
  end
  return ids
end

-- Tables --------------------------------------------------------------------------------

function GnuLookup:combine(found)
  local symbols, ranges = self.symbols, {}
  for _, ids in ipairs(found) do
    local more = ranges_of(ids, symbols, symbols.reach)
    table.move(more, 1, #more, #ranges + 1, ranges)
  end
  return ranges[1] and members(ranges)
end

-- If several ranges of callers in the symspecs of a table start with the same function,
-- only the first of these ranges counts.
function GnuLookup:combine_arcs(found)
  local symbols, entries, started = self.symbols, {}, {}
  local function extent(id) return symbols:extent(id) end
  for _, pair in ipairs(found) do
    local callers = {}
    for _, range in ipairs(ranges_of(pair[1], symbols, symbols.reach)) do
      if not started[range[1]] then
        started[range[1]] = true
        for id = range[1], range[2] do callers[#callers + 1] = id end
      end
    end
    if callers[1] then
      local callees = members(ranges_of(pair[2], symbols, symbols.covered), extent)
      entries[#entries + 1] = { callers, callees }
    end
  end
  return entries
end

-- The scopes (see gprof.symspec) in which GNU gprof adds the profiling functions to the
-- user's exclusions.
GnuLookup.machinery_scopes = { flat = true, graph = true, time = true }

-- In a profile by line, GNU gprof looks up symspecs among the lines.
function GnuLookup.new(functions, lines)
  return setmetatable({ symbols = lines or functions }, GnuLookup)
end

return GnuLookup
