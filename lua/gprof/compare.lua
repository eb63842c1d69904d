--- Compares two profiles: what got slower, what got faster, and what is noise.
--
-- Times and calls are means per run. Functions are matched by name, and by source file
-- where several have the same name. A function is matched with its clones, such as
-- "f.isra.0".
--
-- A time of n samples has an error of the square root of n, and a larger one if samples
-- are missing (`profile:error_of`). The variance of a difference is the sum of both
-- variances. A change is significant if it exceeds `factor` times its error; others are
-- noise. The factor grows with the number of tests (Bonferroni correction), so that
-- about 1 in 20 comparisons of equal programs reports any significant change. A change is
-- always noise if the time has fewer than ten samples in both profiles together.
--
--     local changes = gprof.compare(old, new)
--     for _, row in ipairs(changes) do
--       if row.total and not row.total.noise then print(row.name, row.total.change) end
--     end
--
-- @module gprof.compare
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local change_bounds = require "gprof.analysis.change_bounds"
local changes = require "gprof.analysis.changes"
local clones = require "gprof.analysis.clones"
local extract = require "gprof.analysis.extract"
local matching = require "gprof.analysis.matching"
local path_share = require "gprof.analysis.path_share"

local compare = {}

-- Default probability of any false positive in a comparison.
local CHANCE <const> = 0.05

-- Sides ---------------------------------------------------------------------------------

-- A side of the comparison is a table: `runs`, the number of runs summed in it; `rate`,
-- ticks per unit, or nil; `unit`; `ticks`, the number of all ticks; `sampled`, the number
-- of independent samples, which may count for several ticks each, or nil; `coverage`, see
-- `profile.coverage`, or nil; `lacking`, the number of ticks that total times may lack
-- (see gprof.analysis.path_share), or nil; `counted`, whether calls were recorded;
-- `has_blocks`, whether basic blocks were counted; `mismatch`, see `profile:mismatch`;
-- `profile`, nil if it is a sum or was exported; `total_spread` and `dispersion`, how
-- much the times of a baseline's runs vary, or nil; `functions` (see
-- gprof.analysis.matching); `arcs`, a function that returns an iterator over calling
-- functions, called functions, numbers of calls, and the ticks of these calls, in the
-- callee itself and in all. A function has
-- `id`; `ticks`, `whole_ticks` (which include its callees), `calls`, `self_calls`,
-- `blocks` (executions of its basic blocks); the fields that gprof.analysis.clones sets;
-- and those that gprof.analysis.change_bounds sets.

-- Iterates over arcs in the form that `clones.set_inner` expects.
local function arcs_of(profile)
  local rate = profile.rate or 0
  local function samples(caller, callee, count, self, children)
    if caller then return caller, callee, count, (self + children) * rate end
  end
  local next_arc, state, arc =
    profile:arcs(nil, "caller_id", "callee_id", "count", "self", "children")
  return function() return samples(next_arc(state, arc)) end
end

local function functions_of(profile)
  local functions, has_blocks = {}, profile.data.block_records > 0
  for id, name, file, line, ticks, children, calls, self_calls, listed in
    profile:functions(nil, "id", "name", "file", "line", "ticks", "children_ticks",
      "calls", "self_calls", "listed")
  do
    if listed then
      functions[#functions + 1] = { id = id, name = name, file = file, line = line,
        ticks = ticks,
        whole_ticks = ticks + children, calls = calls, self_calls = self_calls, count = 1,
        blocks = has_blocks and extract.block_count(profile, id) or 0 }
    end
  end
  clones.set_inner(functions, function() return arcs_of(profile) end)
  change_bounds.set_from_profile(functions, profile)
  return functions
end

-- Returns the field `arcs` of a side.
local function arcs_between(functions, profile)
  return function()
    local by_id, rate = {}, profile.rate or 0
    for _, f in ipairs(functions) do by_id[f.id] = f end
    local next_arc, state, last =
      profile:arcs(nil, "caller_id", "callee_id", "count", "self", "children")
    local function arc(caller, callee, count, self, children)
      last = caller
      if caller then
        return by_id[caller] or false, by_id[callee], count, self * rate,
          (self + children) * rate
      end
    end
    return function() return arc(next_arc(state, last)) end
  end
end

-- Returns the sampling rate; nil if there are no times: no histogram, or a recording
-- without samples (--rate=0), of which the processor time is not known either.
local function rate_of(profile)
  local is_unsampled = profile.has_call_paths and not profile.cpu and
    profile.total_ticks == 0
  return not is_unsampled and profile.rate or nil
end

--- Makes a side from a profile.
-- @local
-- @tparam profile profile
-- @tparam[opt] integer runs number of runs in the profile (default: its number of files)
-- @treturn table
function compare.side(profile, runs)
  local functions = functions_of(profile)
  return {
    runs = runs or math.max(#profile.data.files, 1),
    rate = rate_of(profile), unit = profile.unit, ticks = profile.total_ticks,
    sampled = profile.total_ticks / profile.ticks_per_sample, coverage = profile.coverage,
    counted = profile.data.has_arcs, has_blocks = profile.data.block_records > 0,
    mismatch = profile:mismatch(),
    lacking = path_share.lacking(profile.exact, profile.path_share, profile.total_ticks),
    profile = profile, exact = profile.exact, has_libraries = profile.has_libraries,
    has_inlines = profile.has_inlines,
    functions = functions, arcs = arcs_between(functions, profile),
  }
end

-- Returns the field `arcs` of a sum of sides.
local function all_arcs(sides)
  return function()
    return coroutine.wrap(function()
      for _, side in ipairs(sides) do
        for caller, callee, count, self, total in side.arcs() do
          coroutine.yield(caller, callee, count, self, total)
        end
      end
    end)
  end
end

-- Returns the larger of two numbers, either of which may be nil.
local function larger(a, b)
  return a and b and math.max(a, b) or a or b
end

--- Sums sides.
-- @local
-- @tparam {table,...} sides
-- @treturn[1] table
-- @return[2] nil
-- @treturn[2] string why they cannot be summed
-- @treturn[2] integer index of the first side that differs from the sides before it
function compare.sum(sides)
  if not sides[2] then return sides[1] end
  local expected = 0  -- ticks, if no samples were missing
  local sum = { runs = 0, ticks = 0, sampled = 0, lacking = 0, counted = true,
    exact = true, has_libraries = false, has_inlines = false, has_blocks = true,
    rate = sides[1].rate, unit = sides[1].unit, arcs = all_arcs(sides) }
  for i, side in ipairs(sides) do
    if side.rate ~= sum.rate or side.unit ~= sum.unit then
      return nil, "has a different sampling rate or unit", i
    end
    sum.runs, sum.ticks = sum.runs + side.runs, sum.ticks + side.ticks
    sum.sampled = sum.sampled + (side.sampled or side.ticks)
    expected = expected + side.ticks / (side.coverage or 1)
    sum.lacking = sum.lacking + (side.lacking or 0)
    sum.counted = sum.counted and side.counted
    sum.has_blocks = sum.has_blocks and side.has_blocks
    sum.exact = sum.exact and side.exact
    sum.has_libraries = sum.has_libraries or side.has_libraries
    sum.has_inlines = sum.has_inlines or side.has_inlines
    sum.mismatch = sum.mismatch or side.mismatch
    sum.loses_calls = sum.loses_calls or side.loses_calls
    sum.dispersion = larger(sum.dispersion, side.dispersion)
    sum.total_spread = larger(sum.total_spread, side.total_spread)
  end
  sum.coverage = expected > 0 and sum.ticks / expected or 1
  sum.functions = require "gprof.analysis.merging".merge(sides)
  return sum
end

-- Comparing -----------------------------------------------------------------------------

-- Returns a side as scripts see it. A mean time per run, multiplied by `samples`, is the
-- number of ticks in all runs; multiplied by `independent`, that of independent samples.
local function summary(side)
  local samples, lacking = side.rate and side.rate * side.runs, side.lacking or 0
  return { runs = side.runs, counted = side.counted, has_blocks = side.has_blocks or nil,
    samples = samples, coverage = side.coverage or 1,
    path_share = lacking > 0 and 1 - lacking / side.ticks or 1,
    independent = samples and
      (side.sampled and side.ticks > 0 and samples * side.sampled / side.ticks or
      samples),
    period = side.rate and 1 / side.rate, mismatch = side.mismatch,
    functions = #side.functions,
    total = samples and side.ticks / samples }
end

-- Returns the change of a count in the whole program; nil unless both sides have it.
-- Calls include recursive ones.
local function sum_of(rows, field)
  local counts, recursive = rows[field], field == "calls" and rows.self_calls
  if not (counts and counts.old[1]) then return nil end
  local old, new, most = 0, 0, 0
  local function add(list, i)
    old, new = old + list.old[i], new + list.new[i]
    most = most + (list.most[i] or list.old[i])
  end
  for i in ipairs(counts.old) do
    add(counts, i)
    if recursive then add(recursive, i) end
  end
  return { old = old, new = new, change = new - old, most = most > old and most or nil,
    ratio = changes.ratio(old, new) }
end

-- Whether a function has no records.
local function is_idle(f)
  return f.ticks == 0 and f.whole_ticks == 0 and f.calls == 0 and
    (f.self_calls or 0) == 0 and (f.blocks or 0) == 0
end

-- Returns the functions with records as columns, the old ones and the new ones (see
-- gprof.analysis.changes), and the number of those that both sides have.
local function paired(old, new)
  local olds, news, common = {}, {}, 0
  matching.pair(old.functions, new.functions, function(was, is)
    if was and is then common = common + 1 end
    was, is = was or changes.ABSENT, is or changes.ABSENT
    if not (is_idle(was) and is_idle(is)) then
      olds[#olds + 1], news[#news + 1] = was, is
    end
  end)
  return { was = olds, is = news }, common
end

-- Lets the rows of a comparison be made when they are read. `hidden`: see `changes.of`.
local function with_rows(result, hidden)
  local columns = hidden.columns
  function hidden.__len() return #columns.name end
  function hidden.__index(_, number)
    if not columns.name[number] then return nil end
    result[number] = changes.row(columns, number)
    return result[number]
  end
  return setmetatable(result, hidden)
end

--- Compares two sides.
-- @local
-- @tparam table old as `compare.side` makes it
-- @tparam table new
-- @tparam[opt=0.05] number chance
-- @treturn[1] comparison
-- @return[2] nil
-- @treturn[2] string why they cannot be compared
function compare.sides(old, new, chance)
  if old.unit and new.unit and old.unit ~= new.unit then
    return nil,
      ("the units differ: %s and %s cannot be compared"):format(old.unit, new.unit)
  end
  local before, now = summary(old), summary(new)
  -- runs that vary more than chance explains count as fewer samples
  for _, side in ipairs(old.dispersion and before.samples and now.samples and
    { before, now } or {})
  do
    side.independent = side.independent / old.dispersion
  end
  local sampled = before.samples and now.samples
  if not sampled and not (old.counted and new.counted) then
    return nil, "cannot compare: the profiles have neither times nor calls in common"
  end
  local rows, common = paired(old, new)
  changes.add(rows, before, now)
  local result = { name = "the whole program", old = before, new = now,
    unit = sampled and new.unit or nil,
    chance = chance or CHANCE, common = common, calls = sum_of(rows, "calls"),
    blocks = sum_of(rows, "blocks") }
  local whole = sampled and
    changes.times({ was = { old }, is = { new } }, "ticks", "total_spread", before, now)
  changes.mark_noise(result, { whole, rows.self, rows.total })
  changes.mark_lacking(result, rows)
  result.total = changes.at(whole, 1)
  changes.sort(rows)
  return with_rows(result, { __name = "gprof.comparison", columns = rows, whole = whole,
    sides = { old = old, new = new } })
end

-- Regressions ---------------------------------------------------------------------------

-- Returns whether a table is a list of rules.
local function are_rules(list)
  local is_rule = require "gprof.analysis.gate".is_rule
  for _, rule in ipairs(list) do
    if type(rule) ~= "table" or not is_rule(rule) then return false end
  end
  return require "gprof.library.options.option_values".is_array(list)
end

-- Checks an argument of `compare.failures`; returns it as a list of rules.
local function rules_of(rules)
  if type(rules) ~= "string" then
    return type(rules) == "table" and are_rules(rules) and rules or
      arguments.bad(2, "failures", 3, "rules expected")
  end
  local parsed = require "gprof.analysis.gate".parse(rules)
  if not parsed or parsed[1].spec then
    arguments.bad(2, "failures", 3, "rules such as 'calls:1%%' expected, not '%s'", rules)
  end
  return parsed
end

--- Finds what exceeds limits. Counts are exact. Times must exceed their limits by more
-- than chance explains. Functions that are new, or were not called before, count in the
-- whole program. Time that callees took and that is now spent in the caller's own code,
-- because the callees were inlined, is no failure; nor is the reverse.
-- @tparam comparison result
-- @tparam string|table rules "calls:1%,total:5%", as in --fail-on; or an array of tables
--   `kind`: "calls", "blocks", "total", "self", or "time" (total times, or self times if
--   no calls were recorded); `percent`; and optionally `functions`, the set of ids in the
--   new profile to which the rule is limited
-- @treturn[1] {table,...} failures: `row`, the row of a function, or the comparison
--   itself for the whole program; `field`, "calls", "self_calls", "blocks", "total" or
--   "self"; `change`, the row's field of that name; `kind` and `percent` of the rule
-- @return[2] nil
-- @treturn[2] string which figures are missing; or, with rules for times, that samples
--   stand for less than half of the processor time
function compare.failures(result, rules)
  arguments.check(result, "gprof.comparison", 1, "failures")
  local gate = require "gprof.analysis.gate"
  rules = rules_of(rules)
  local lack = gate.lack(result, rules)
  if lack then return nil, lack end
  return gate.failures(result, rules)
end

--- Finds the functions that got slower, and whether the whole program did. Compares total
-- times, or self times if no calls were recorded. Functions that are new or renamed count
-- only as part of their callers and the whole program. If times cannot be compared,
-- returns no rows; `compare.failures` then returns a message.
-- @tparam comparison result
-- @tparam number percent tolerated growth
-- @treturn {table,...} rows of functions; if the whole program got slower, the comparison
--   itself comes first, whose `name` is "the whole program"
function compare.regressions(result, percent)
  arguments.check(result, "gprof.comparison", 1, "regressions")
  local rule = { kind = "time", percent = percent }
  if not require "gprof.analysis.gate".is_rule(rule) then
    arguments.bad(2, "regressions", 2, "a percentage expected")
  end
  local rows = {}
  for i, failure in ipairs(result.total and compare.failures(result, { rule }) or {}) do
    rows[i] = failure.row
  end
  return rows
end

-- Public interface ----------------------------------------------------------------------

-- Makes a side from an argument: a profile, or what `compare.load` returned.
local function side_of(value, number, runs)
  if type(value) == "table" and value.functions then
    local side = {}
    for name, field in pairs(value) do side[name] = field end
    side.runs = runs or side.runs
    return side
  end
  arguments.check_with_data(value, number, "compare", 4)
  if value.by_line then
    arguments.bad(number, "compare", 3, "a profile by function expected")
  end
  return compare.side(value, runs)
end

-- Checks the values of options whose names and types were checked.
local function check_options(options)
  for _, name in ipairs { "old_runs", "new_runs" } do
    if options[name] and options[name] < 1 then
      arguments.bad(3, "compare", 3, "option '%s': 1 or more expected", name)
    end
  end
  local chance = options.chance
  if chance and not (chance > 0 and chance < 1) then
    arguments.bad(3, "compare", 3, "option 'chance': a number between 0 and 1 expected")
  end
end

--- Compares two profiles: `gprof.compare(old, new [, options])`. The profiles can be from
-- different builds of a program, each with its own image.
-- @function gprof.compare
-- @tparam profile|table old a profile, or what `gprof.compare.load` returned
-- @tparam profile|table new a profile, or what `gprof.compare.load` returned
-- @tparam[opt] table options
--
--   - `old_runs`, `new_runs`: number of runs in each profile (default: its number of
--     files), for files that are sums of several runs;
--   - `chance`: probability of any false positive (default: 0.05)
-- @treturn[1] comparison
-- @return[2] nil
-- @treturn[2] string why they cannot be compared: units differ, or one has only times and
--   the other one only calls

--- A comparison: an array of rows, the largest change in self time first; equal ones by
-- the change in total time. There is a row for each function with samples or calls in
-- either profile. Rows are made when they are read: `ipairs` and `#` find them, `pairs`
-- does not.
--
-- @table comparison
-- @tfield string name "the whole program", of which it has the figures
-- @tfield table old `runs`; `period`, the time per sample, or nil; `total`, the time of a
--   run, or nil; `coverage`, see `profile.coverage`; `path_share`, the part of the
--   samples whose call paths are complete, if total times were measured and it is less
--   than 0.95; otherwise 1; `counted`, whether calls were recorded; `mismatch`, evidence
--   that the profile is from another build than its image, or nil
-- @tfield table new the same fields for the new profile
-- @tfield string|nil unit of times: "seconds"; nil unless both profiles have times
-- @tfield table|nil total change in the time of the whole program
-- @tfield number chance probability of any false positive
-- @tfield integer times number of tests: one for each self time and each total time with
--   at least ten samples in both profiles together
-- @tfield number factor a change is significant if it exceeds `factor` times its error
-- @tfield integer common number of functions that both programs have

--- A row of a comparison.
-- @table row
-- @tfield string name of the function
-- @tfield string|nil old_name its name in the old profile, if the old profile has another
--   clone of it
-- @tfield string|nil old_file source file as recorded
-- @tfield string|nil new_file
-- @tfield string status "both"; "new" if only the new profile has the function; "gone" if
--   only the old one has it
-- @tfield integer joined number of functions summed in the row. Functions with the same
--   name and file are summed; if a file is unknown, all with the same name. A function
--   and its clones are summed if the programs have different clones of it
-- @tfield table|nil self change in its self time; nil unless both profiles have times
-- @tfield table|nil total change in the sum of its self time and its children's time; nil
--   unless both profiles have times and calls
-- @tfield table|nil calls change in the number of calls by other functions; nil unless
--   both profiles have calls

--- The change in a time, or in a number of calls, per run.
-- @table change
-- @tfield number old
-- @tfield number new
-- @tfield number change `new` minus `old`
-- @tfield number|nil ratio `new` divided by `old`; nil if `old` is 0
-- @tfield number error statistical error of `change`, for times only. It is an upper
--   bound for `total`, because propagated time varies less. Includes that of missing
--   samples
-- @tfield boolean noise whether the change is not significant, for times only
-- @tfield number least the least by which a function's total time can have changed. The
--   time of its callees is an estimate, unless it was measured. Measured times may lack
--   samples without complete call paths, see `path_share`
-- @tfield number most the most by which it can have changed
-- @tfield boolean comparable whether these bounds are close together, or agree that it
--   grew or shrank; for total times of functions only. Otherwise the change is not
--   tested. False if samples without complete call paths may explain the change

--- The fields `calls` and `blocks` of a comparison are the changes of the counts in the
-- whole program. Rows also have `self_calls`, recursive calls; `blocks`, executions of
-- basic blocks, nil unless both profiles have them; and `new_ids`, the ids of the row's
-- functions in the new profile.
-- @table counts

--- Reads a profile that was exported as JSON, or a baseline (`--update-baseline`), for a
-- comparison.
-- @function gprof.compare.load
-- @tparam string path
-- @treturn[1] table with the fields `runs`, `rate`, `unit`, `ticks`, `counted` and
--   `functions`
-- @return[2] nil
-- @treturn[2] string what is wrong
function compare.load(path)
  arguments.check(path, "string", 1, "load")
  return require "gprof.analysis.saved_profile".load(path)
end

return setmetatable(compare, { __call = function(_, old, new, options)
  options = arguments.options(options, 3, "compare")
  check_options(options)
  return compare.sides(side_of(old, 1, options.old_runs),
    side_of(new, 2, options.new_runs), options.chance)
end })
