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
local policy = require "gprof.library.policy"

local symspec = {}

local function lookup_of(rules)
  return require(rules.symspecs)
end

-- Single symspecs -----------------------------------------------------------------------

--- Parses a symspec.
-- @tparam string text
-- @tparam boolean arcs whether it names calls: FROM/TO
-- @tparam boolean gnu_compat
-- @treturn table the functions, or the callers: `file`, `line`, `name`, each may be nil
-- @treturn ?table the callees; nil without a slash
function symspec.parse(text, arcs, gnu_compat)
  return lookup_of(policy.of { gnu_compat = gnu_compat }):parse(text, arcs)
end

-- Lookups are kept with their symbols: making one goes through all files.
local lookups = setmetatable({}, { __mode = "k" })

--- The functions that a symspec names.
-- @tparam symbols symbols
-- @tparam string text
-- @treturn {integer,...} their numbers, ascending; empty if it names all functions
-- @treturn boolean whether it names a line
function symspec.find(symbols, text)
  local lookup = lookups[symbols] or lookup_of(policy.default).new(symbols)
  lookups[symbols] = lookup
  local half = lookup:parse(text)
  local ids = lookup:find(half)
  return ids ~= true and ids or {}, half.line ~= nil
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

-- The functions of one table, or nil if there are none. `missed` is called for each
-- symspec that matches nothing, except for the first `before` ones, which are not the
-- user's; `tell` for each with what it matches.
local function resolve_functions(lookup, specs, missed, tell, before)
  local found = {}
  for i = #specs, 1, -1 do  -- the last one given is the first one met
    local ids = lookup:find((lookup:parse(specs[i], false)))
    if ids ~= true and #ids == 0 and i > before then missed(specs[i]) end
    tell(specs[i], ids)
    found[#found + 1] = ids
  end
  return lookup:combine(found)
end

-- The pairs of one table of calls.
local function resolve_arcs(lookup, specs, missed, tell)
  local found = {}
  for i = #specs, 1, -1 do
    local from, to = lookup:parse(specs[i], true)
    local callers, callees = lookup:find(from), to and lookup:find(to) or {}
    local met = (callers == true or #callers > 0) and (callees == true or #callees > 0)
    if not met then missed(specs[i]) end
    tell(specs[i], callers, callees)
    found[#found + 1] = { callers, callees }
  end
  return lookup:combine_arcs(found)
end

--- The stages that functions are selected for, and calls.
symspec.tables = arguments.stages

--- The same as a set.
symspec.stages = arguments.is_stage

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
  local lookup, selections = lookup_of(policy.of(options)).new(symbols, lines), nil
  for _, side in ipairs { "include", "exclude" } do
    for _, stage in ipairs(symspec.tables) do
      local specs = options[side] and options[side][stage]
      if specs and #specs > 0 then
        local resolve = stage == "arcs" and resolve_arcs or resolve_functions
        local before = 0
        if side == "exclude" and lookup.machinery_stages[stage] then
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
