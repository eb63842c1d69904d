--- Symspecs: which functions, or which calls, a user means.
--
-- A symspec names functions: `main`, all functions of that name; `main.c` (there is a
-- dot) and `odd:`, all of a source file; `:.mul`, a function whose name has a dot;
-- `main.c:main`; `main.c:134` and `:134`, what begins at a line. Where calls are meant
-- it is FROM/TO; an empty side stands for all functions. See chapter 4.5 of GNU gprof's
-- manual.
--
-- Here it also names functions as they are in the source, with or without parameters
-- (`Shape::area`, `Shape::area() const`), and files by their last components
-- (`left/common.c`). Under `gnu_compat` it means exactly what GNU gprof takes it for.
--
-- @module gprof.symspec
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local source_text = require "gprof.library.source_text"

local symspec = {}

-- Taking apart --------------------------------------------------------------------------

-- The place of the colon between file and rest: the last one. Those of C++ names come in
-- pairs, and are none.
local function find_colon(text, gnu_compat)
  local masked = gnu_compat and text or text:gsub("::", "\0\0")
  return masked:match("^.*():")
end

-- The number that some digits are. For GNU gprof it has 32 bits, and 0 is none.
local function parse_line(digits, gnu_compat)
  local line = math.tointeger(tonumber(digits)) or math.maxinteger
  if not gnu_compat then return line end
  line = line & 0xFFFFFFFF
  return line ~= 0 and line or nil
end

-- A half of a symspec: `file`, `line` and `name`, each of them or not. `bare` is the
-- whole of it if there is no colon: file or function is then told by a dot.
local function parse_half(text, gnu_compat)
  local half, rest = {}, text
  local colon = find_colon(text, gnu_compat)
  if colon then
    half.file, rest = text:sub(1, colon - 1), text:sub(colon + 1)
  else
    half.bare = text
  end
  if not colon and text:find(".", 1, true) then
    half.file = text
  elseif rest:find("^%d") then
    half.line = parse_line(rest:match("^%d+"), gnu_compat)
  else
    half.name = rest
  end
  if half.file == "" then half.file = nil end
  if half.name == "" then half.name = nil end
  return half
end

--- Takes a symspec apart.
-- @tparam string text
-- @tparam boolean arcs whether calls are meant: FROM/TO
-- @tparam boolean gnu_compat
-- @treturn table the functions, or the callers: `file`, `line`, `name`, each or none
-- @treturn ?table the callees; nil without a slash
function symspec.parse(text, arcs, gnu_compat)
  local slash = (arcs or gnu_compat) and text:find("/", 1, true)
  if not slash then
    return parse_half(text, gnu_compat)
  end
  return parse_half(text:sub(1, slash - 1), gnu_compat),
    arcs and parse_half(text:sub(slash + 1), gnu_compat) or nil
end

-- Looking up ----------------------------------------------------------------------------

-- What looking up goes by: the symbols, and their files by the last component, each an
-- array of numbers, the first met last.
local Lookup = {}
Lookup.__index = Lookup

local function new_lookup(symbols, gnu_compat)
  return setmetatable({ symbols = symbols, gnu_compat = gnu_compat }, Lookup)
end

-- Looks up in a profile by line. What names functions stands for all of their lines; what
-- names a line, for that line. For GNU gprof that, too, is a function that begins there.
local LineLookup = setmetatable({}, Lookup)
LineLookup.__index = LineLookup

local function new_line_lookup(functions, lines)
  return setmetatable({
    symbols = lines,
    functions = new_lookup(functions, false),
  }, LineLookup)
end

local function base_name(path)
  return path:match("[^/]*$")
end

function Lookup:files_by_base()
  if not self.by_base then
    self.by_base, self.files = {}, self.symbols:files()
    for number, name in ipairs(self.files) do
      local base = base_name(name)
      self.by_base[base] = self.by_base[base] or {}
      table.insert(self.by_base[base], number)
    end
  end
  return self.by_base
end

-- Numbers of the files that a name stands for. GNU gprof knows the one that it met last.
function Lookup:find_files(name)
  local found = self:files_by_base()[base_name(name)] or {}
  if self.gnu_compat then
    return base_name(name) == name and { found[#found] } or {}
  end
  local matching = {}
  for _, number in ipairs(found) do
    if source_text.is_named(self.files[number], name) then
      matching[#matching + 1] = number
    end
  end
  return matching
end

-- Functions of a name.
function Lookup:find_names(name)
  local found = self.symbols:named(name)
  if #found == 0 and not self.gnu_compat then
    found = self.symbols:named(name, true)
  end
  return found
end

local function intersect(ids, keep)
  local kept = {}
  for _, id in ipairs(ids) do
    if keep(id) then kept[#kept + 1] = id end
  end
  return kept
end

-- What a name of a file, a line and a name of a function have in common.
function Lookup:find_in_files(half)
  local ids, wanted = {}, {}
  for _, file in ipairs(self:find_files(half.file)) do
    wanted[file] = true
    if not half.name then
      local more = self.symbols:in_file(file, half.line)
      table.move(more, 1, #more, #ids + 1, ids)
    end
  end
  if half.name and next(wanted) then
    ids = intersect(self:find_names(half.name), function(id)
      return wanted[self.symbols:source(id)]
    end)
  end
  table.sort(ids)
  return ids
end

-- The functions that a half stands for: an array of numbers, ascending; true for all.
function Lookup:find(half)
  if half.bare and not self.gnu_compat and half.bare:find("[.(]") then
    -- "f.isra.0" is no file; nor is "f(int, ...)"
    local ids = self:find_names(half.bare)
    if #ids > 0 then return ids end
  end
  if half.file then
    return self:find_in_files(half)
  elseif half.line then
    return self.symbols:at_line(half.line)
  elseif half.name then
    return self:find_names(half.name)
  end
  return true
end

function LineLookup:find(half)
  if half.line then
    return Lookup.find(self, half)
  end
  local ids = self.functions:find(half)
  return ids == true or self.symbols:expand(ids)
end

-- Lookups are kept with their symbols: making one goes through all files.
local lookups = setmetatable({}, { __mode = "k" })

--- The functions that a symspec names.
-- @tparam symbols symbols
-- @tparam string text
-- @treturn {integer,...} their numbers, ascending; none if all that it could name are all
-- @treturn boolean whether it names a line
function symspec.find(symbols, text)
  local lookup = lookups[symbols] or new_lookup(symbols, false)
  lookups[symbols] = lookup
  local half = symspec.parse(text, false, false)
  local ids = lookup:find(half)
  return ids ~= true and ids or {}, half.line ~= nil
end

-- Ranges --------------------------------------------------------------------------------
--
-- GNU gprof keeps ranges of neighbouring functions, sorted by their beginnings, and of
-- two that begin at one place the one met first. What it looks up is in the last range
-- that begins at or below it, or in none: so ranges can hide each other. The last
-- function ends where the code ends. It may begin behind that, as others may: then a
-- range up to the last function reaches to the end of the code, and is without them. A
-- range that would end before it begins is none. Callers, like other functions, are in a
-- range by where they begin; callees have to end in it, too. In a profile by line a
-- function ends where its last line does.

-- Neighbours in an ascending array of numbers, or in all (`true`), as { first, last };
-- `reach` is the last function in a range that ends with the code.
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

-- The functions that are found in ranges; `extent`, if there is one, tells where they
-- end, which has to be in the range, too.
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

-- Traces --------------------------------------------------------------------------------

-- Tells what symspecs of a table stand for: a function that is to be called for each of
-- them with what its halves were found to be, the functions, or callers and callees.
local function tracer(symbols, side, stage, trace)
  if not trace or not trace:wants "symspecs" then return function() end end
  local function tell(spec, ids)
    local prefix = ("%s %s %s: "):format(side, stage, spec)
    if ids == true or #ids == 0 then
      trace:write("symspecs", prefix .. (ids == true and "all functions" or "nothing"))
    else
      for _, id in ipairs(ids) do trace:write("symspecs", prefix .. symbols:name(id)) end
    end
  end
  return function(spec, ids, callees)
    tell(callees and spec .. ", callers" or spec, ids)
    if callees then tell(spec .. ", callees", callees) end
  end
end

-- Tables --------------------------------------------------------------------------------

local function list_all(count)
  local ids = {}
  for id = 1, count do ids[id] = id end
  return ids
end

-- The functions of one table, or nil if nothing is in it. `missed` is called for each
-- symspec that matches nothing, but for those that were put before the user's, `tell` for
-- each with what it matches.
local function resolve_functions(lookup, specs, missed, tell, before)
  local count, ranges, union = lookup.symbols.count, {}, {}
  for i = #specs, 1, -1 do  -- the last one given is the first one met
    local ids = lookup:find((symspec.parse(specs[i], false, lookup.gnu_compat)))
    if ids ~= true and #ids == 0 and i > before then missed(specs[i]) end
    tell(specs[i], ids)
    if lookup.gnu_compat then
      local more = ranges_of(ids, lookup.symbols, lookup.symbols.reach)
      table.move(more, 1, #more, #ranges + 1, ranges)
    else
      ids = ids == true and list_all(count) or ids
      table.move(ids, 1, #ids, #union + 1, union)
    end
  end
  if lookup.gnu_compat then
    return ranges[1] and members(ranges)
  end
  return union[1] and union
end

-- Adds an entry to a table of calls under GNU gprof's rules: of all ranges of callers but
-- those that begin where another one of the table does.
local function add_ranges(entries, begun, callers, callees, symbols)
  local calling = {}
  for _, range in ipairs(ranges_of(callers, symbols, symbols.reach)) do
    if not begun[range[1]] then
      begun[range[1]] = true
      for id = range[1], range[2] do calling[#calling + 1] = id end
    end
  end
  if not calling[1] then return end
  entries[#entries + 1] = { calling,
    members(ranges_of(callees, symbols, symbols.covered), function(id)
      return symbols:extent(id)
    end) }
end

-- The pairs of one table of calls.
local function resolve_arcs(lookup, specs, missed, tell)
  local entries, begun = {}, {}
  for i = #specs, 1, -1 do
    local from, to = symspec.parse(specs[i], true, lookup.gnu_compat)
    local callers, callees = lookup:find(from), to and lookup:find(to) or {}
    local met = (callers == true or #callers > 0) and (callees == true or #callees > 0)
    if not met then missed(specs[i]) end
    tell(specs[i], callers, callees)
    if lookup.gnu_compat then
      add_ranges(entries, begun, callers, callees, lookup.symbols)
    elseif met then
      entries[#entries + 1] = { callers, callees }
    end
  end
  return entries
end

--- The stages that functions are selected for, and calls.
symspec.tables = arguments.stages

--- The same as a set.
symspec.stages = arguments.is_stage

-- GNU gprof names the machinery of profiling in tables, too, where it can hide others.
local has_machinery = { flat = true, graph = true, time = true }

local function with_machinery(specs)
  return table.move(specs, 1, #specs, #core.machinery + 1,
    table.move(core.machinery, 1, #core.machinery, 1, {}))
end

--- Looks symspecs up.
-- @tparam symbols symbols
-- @tparam symbols|nil lines the symbols of a profile by line that was made of them: then
--   the numbers are those of lines
-- @tparam table options `include` and `exclude`: tables of arrays of symspecs by stage
--   (`flat`, `graph`, `time`, `annotation`, `executions`; `arcs`, of FROM/TO);
--   `gnu_compat`
-- @tparam function missed is called with each symspec that matches nothing
-- @tparam[opt] trace trace is told the functions that each symspec matches
-- @treturn table what `core.profile` takes for selections; nil if nothing is selected
function symspec.resolve(symbols, lines, options, missed, trace)
  local exact, selections = options.gnu_compat, nil
  local lookup = lines and not exact and new_line_lookup(symbols, lines) or
    new_lookup(lines or symbols, exact)
  for _, side in ipairs { "include", "exclude" } do
    for _, stage in ipairs(symspec.tables) do
      local specs = options[side] and options[side][stage]
      if specs and #specs > 0 then
        local resolve = stage == "arcs" and resolve_arcs or resolve_functions
        local before = 0
        if options.gnu_compat and side == "exclude" and has_machinery[stage] then
          specs, before = with_machinery(specs), #core.machinery
        end
        selections = selections or {}
        selections[stage] = selections[stage] or {}
        selections[stage][side] = resolve(lookup, specs, missed,
          tracer(lookup.symbols, side, stage, trace), before)
      end
    end
  end
  return selections
end

return symspec
