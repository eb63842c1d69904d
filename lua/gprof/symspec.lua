--- Symspecs: patterns that select functions or calls.
--
-- A symspec names functions:
--
-- - `main`: all functions of that name;
-- - `main.c` (with a dot outside brackets) or `Makefile:` (with a colon): all functions
--   of a source file;
-- - `:.mul`: a function whose name has a dot;
-- - `main.c:main`: a function of a file;
-- - `main.c:134` or `:134`: the functions that begin at a line.
--
-- A symspec of calls is FROM/TO; an empty side stands for all functions. See "Symspecs",
-- section 4.5 of GNU gprof's manual.
--
-- We also accept function names as in the source, with or without parameters
-- (`Shape::area`, `Shape::area() const`), their last components (`area`), names of which
-- there are only clones (`work` for `work.isra.0`), globs (`Shape::*`), regular
-- expressions (`/^Shape/`), and files by their last components (`left/common.c`). With
-- `gnu_compat`, symspecs select exactly what GNU gprof selects.
--
-- @module gprof.symspec
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local option_values = require "gprof.library.options.option_values"
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
-- @treturn table the functions, or the callers: `text`; `file`, `line`, `name` and
--   `regex`, each optional
-- @treturn ?table the callees, with the same fields; nil without a slash
function symspec.parse(text, arcs, gnu_compat)
  arguments.check(text, "string", 1, "parse")
  return lookup_of(policy.of { gnu_compat = gnu_compat }):parse(text, arcs)
end

--- Returns what is wrong with a symspec.
-- @tparam string text
-- @tparam boolean arcs whether it names calls: FROM/TO
-- @tparam boolean gnu_compat
-- @treturn string|nil a message about an invalid regular expression; nil if it is valid
function symspec.problem(text, arcs, gnu_compat)
  arguments.check(text, "string", 1, "problem")
  return lookup_of(policy.of { gnu_compat = gnu_compat }):problem(text, arcs)
end

--- Finds the functions that a symspec names.
-- @tparam symbols symbols
-- @tparam string text
-- @treturn {integer,...} their numbers, ascending; empty if it stands for all functions
-- @treturn boolean whether it has a line number
-- @raise if it has an invalid regular expression
function symspec.find(symbols, text)
  arguments.check(symbols, "gprof.symbols", 1, "find")
  arguments.check(text, "symspec", 2, "find")
  local state = core.state(symbols)  -- a lookup is kept: to make one visits all files
  local lookup = state.lookup or lookup_of(policy.default).new(symbols)
  state.lookup = lookup
  local half = lookup:parse(text)
  local ids = lookup:find(half)
  return ids ~= true and ids or {}, half.line ~= nil
end

-- Traces --------------------------------------------------------------------------------

-- Returns a function that traces the matches of one symspec: its functions, or its
-- callers and callees.
local function tracer(symbols, side, scope, trace)
  if not trace or not trace:wants "symspecs" then return function() end end
  local function write_matches(spec, ids)
    local prefix = ("%s %s %s: "):format(side, scope, spec)
    if ids == true or #ids == 0 then
      trace:write("symspecs", prefix .. (ids == true and "all functions" or "nothing"))
    else
      for _, id in ipairs(ids) do trace:write("symspecs", prefix .. symbols:name(id)) end
    end
  end
  return function(spec, ids, callees)
    write_matches(callees and spec .. ", callers" or spec, ids)
    if callees then write_matches(spec .. ", callees", callees) end
  end
end

-- Tables --------------------------------------------------------------------------------

-- The scopes of annotated source, and of execution counts, which come from its lines.
local IS_OF_SOURCE <const> = { annotation = true, executions = true }

-- Returns the functions that the symspecs of one scope select; nil if there are none.
-- Calls `missed` for each symspec without a match, except for the first `built_in` ones,
-- which the user did not write; calls `trace_match` for every symspec.
local function resolve_functions(lookup, specs, missed, trace_match, built_in, scope)
  local found = {}
  for i = #specs, 1, -1 do  -- GNU gprof gives the last symspec precedence
    local ids = lookup:find(lookup:parse(specs[i], false), IS_OF_SOURCE[scope])
    if ids ~= true and #ids == 0 and i > built_in then missed(specs[i]) end
    trace_match(specs[i], ids)
    found[#found + 1] = ids
  end
  return lookup:combine(found)
end

-- Returns the pairs { callers, callees } that the symspecs of calls select.
local function resolve_arcs(lookup, specs, missed, trace_match)
  local found = {}
  for i = #specs, 1, -1 do
    local from, to = lookup:parse(specs[i], true)
    local callers, callees = lookup:find(from), to and lookup:find(to) or {}
    local matched = (callers == true or #callers > 0) and
      (callees == true or #callees > 0)
    if not matched then missed(specs[i]) end
    trace_match(specs[i], callers, callees)
    found[#found + 1] = { callers, callees, spec = specs[i] }
  end
  return lookup:combine_arcs(found)
end

--- The scopes of symspecs (see `gprof.library.options.option_values`).
symspec.tables = option_values.scopes

--- The scopes as a set.
symspec.scopes = option_values.is_scope

--- Resolves symspecs to selections of functions and calls.
-- @tparam symbols symbols for a profile by line, they may include inlined functions
-- @tparam symbols|nil lines for a profile by line, the table of lines made from
--   `symbols`, or from the compiled functions among them: then the selections hold its
--   row numbers
-- @tparam table options `include` and `exclude`: tables from scopes (`flat`, `graph`,
--   `time`, `annotation`, `executions`, `arcs`) to arrays of symspecs, which are FROM/TO
--   for `arcs`; `gnu_compat`
-- @tparam function missed called with each symspec that names no function
-- @tparam[opt] trace trace receives the functions that each symspec matches
-- @treturn table the selections, for `core.profile`; nil if there are no symspecs
function symspec.resolve(symbols, lines, options, missed, trace)
  local lookup, selections = lookup_of(policy.of(options)).new(symbols, lines), nil
  for _, side in ipairs { "include", "exclude" } do
    for _, scope in ipairs(symspec.tables) do
      local specs = options[side] and options[side][scope]
      if specs and #specs > 0 then
        local resolve = scope == "arcs" and resolve_arcs or resolve_functions
        local built_in = 0
        if side == "exclude" and lookup.machinery_scopes[scope] then
          built_in = #core.machinery  -- the functions that do the profiling come first
          specs = table.move(specs, 1, #specs, built_in + 1,
            table.move(core.machinery, 1, built_in, 1, {}))
        end
        selections = selections or {}
        selections[scope] = selections[scope] or {}
        selections[scope][side] = resolve(lookup, specs, missed,
          tracer(lookup.symbols, side, scope, trace), built_in, scope)
      end
    end
  end
  return selections
end

--- Returns the symspecs of calls whose functions exist, but do not call each other.
-- @tparam profile profile
-- @tparam table selections that the profile was made with, from `resolve`
-- @treturn {string,...} symspecs; none with `gnu_compat`
function symspec.unmatched_calls(profile, selections)
  local unmatched = {}
  for side, pairs_of_side in pairs(selections.arcs or {}) do
    for _, number in ipairs(core.unmatched_arcs(profile, side)) do
      unmatched[#unmatched + 1] = pairs_of_side[number].spec
    end
  end
  table.sort(unmatched)
  return unmatched
end

return symspec
