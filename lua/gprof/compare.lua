--- Profiles compared: what got slower, what got faster, and what is chance.
--
-- Of both are taken the mean times and calls of a run. Functions are the same if their
-- names are; of several with one name, those whose files are.
--
-- A time of n samples has an error of the square root of n (`profile:error_of`), the
-- difference of two times that of the sum of their variances. A change beyond `factor`
-- times its error is news, others are noise. The factor depends on how many times are
-- compared: of comparisons in which nothing has changed one in twenty tells any news.
-- Times of fewer than ten samples, on both sides together, are noise in any case.
--
--     local changes = gprof.compare(old, new)
--     for _, row in ipairs(changes) do
--       if row.self and not row.self.noise then print(row.name, row.self.change) end
--     end
--
-- @module gprof.compare
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local matching = require "gprof.analysis.matching"
local significance = require "gprof.analysis.significance"

local compare = {}

local abs <const> = math.abs

-- How often there may be news where nothing has changed.
local CHANCE <const> = 0.05

-- Of how many samples, on both sides together, there may be news.
local FEWEST <const> = 10

-- What is left of a difference by rounding, as a part of its error.
local ROUNDING <const> = 1e-6

-- Sides ---------------------------------------------------------------------------------

-- What is compared is read from profiles into sides: tables with `runs`, how many they
-- are the sum of; `rate`, samples a unit, or nil; `unit`; `ticks`, samples of all;
-- `counted`, whether there are calls; `functions` (see gprof.analysis.matching), each
-- with `ticks`, `whole_ticks`, those of what it called among them, and `calls`.

local function functions_of(profile)
  local functions = {}
  for name, file, ticks, children, calls, listed in
    profile:functions(nil, "name", "file", "ticks", "children_ticks", "calls", "listed")
  do
    if listed then
      functions[#functions + 1] = { name = name, file = file, ticks = ticks,
        whole_ticks = ticks + children, calls = calls, count = 1 }
    end
  end
  return functions
end

--- What there is to be compared of a profile.
-- @local
-- @tparam profile profile
-- @tparam[opt] integer runs that it is the sum of, if that is not its number of files
-- @treturn table
function compare.side(profile, runs)
  return {
    runs = runs or math.max(#profile.data.files, 1),
    rate = profile.rate, unit = profile.unit, ticks = profile.total_ticks,
    counted = profile.data.has_arcs, functions = functions_of(profile),
  }
end

--- The sum of sides.
-- @local
-- @tparam {table,...} sides
-- @treturn[1] table
-- @return[2] nil
-- @treturn[2] string why they cannot be added up
-- @treturn[2] integer which of them does not go with those before
function compare.sum(sides)
  local sum = { runs = 0, ticks = 0, counted = true, functions = {},
    rate = sides[1].rate, unit = sides[1].unit }
  for i, side in ipairs(sides) do
    if side.rate ~= sum.rate or side.unit ~= sum.unit then
      return nil, "was sampled at another rate, or is of another unit", i
    end
    sum.runs, sum.ticks = sum.runs + side.runs, sum.ticks + side.ticks
    sum.counted = sum.counted and side.counted
    table.move(side.functions, 1, #side.functions, #sum.functions + 1, sum.functions)
  end
  return sum
end

-- Changes -------------------------------------------------------------------------------

-- What became of a time: noise, as long as nobody has looked whether it is.
local function time_change(old_ticks, new_ticks, old, new)
  local before, now = old_ticks / old.samples, new_ticks / new.samples
  local change = {
    old = before, new = now, change = now - before,
    error = significance.error(before, now, old.samples, new.samples),
    ratio = before > 0 and now / before or nil, noise = true,
  }
  if abs(change.change) < ROUNDING * change.error then change.change = 0 end
  return change
end

local function calls_change(old_calls, new_calls, old, new)
  local before, now = old_calls / old.runs, new_calls / new.runs
  return { old = before, new = now, change = now - before,
    ratio = before > 0 and now / before or nil }
end

-- Times of a few samples are not even looked at: so there are fewer that chance can make
-- news of.
local function times_to_compare(result)
  local old, new, compared = result.old.samples, result.new.samples, {}
  local function consider(time)
    if time and time.old * old + time.new * new >= FEWEST then
      compared[#compared + 1] = time
    end
  end
  consider(result.total)
  for _, row in ipairs(result) do
    consider(row.self)
    consider(row.total)
  end
  return compared
end

local function mark_noise(result)
  local compared = times_to_compare(result)
  result.times = #compared
  result.factor = significance.deviations(result.chance / math.max(#compared, 1))
  for _, time in ipairs(compared) do
    time.noise = significance.is_noise(time.old, time.new, result.old.samples,
      result.new.samples, result.factor)
  end
end

-- Rows ----------------------------------------------------------------------------------

local nobody <const> = { ticks = 0, whole_ticks = 0, calls = 0, count = 0 }

local function is_idle(f)
  return f.ticks == 0 and f.whole_ticks == 0 and f.calls == 0
end

-- The row of a function; nil if nothing was recorded of it.
local function new_row(before, now, old, new)
  local was, is = before or nobody, now or nobody
  if is_idle(was) and is_idle(is) then return nil end
  local sampled, counted = old.samples and new.samples, old.counted and new.counted
  return {
    name = (now or before).name,
    old_file = before and before.file, new_file = now and now.file,
    status = not before and "new" or not now and "gone" or "both",
    joined = math.max(was.count, is.count),
    self = sampled and time_change(was.ticks, is.ticks, old, new) or nil,
    total = sampled and counted and
      time_change(was.whole_ticks, is.whole_ticks, old, new) or nil,
    calls = counted and calls_change(was.calls, is.calls, old, new) or nil,
  }
end

-- What rows are sorted by, one after the other: the largest change comes first.
local function by_size(field)
  return function(row)
    local change = row[field]
    return change and -abs(change.change) or 0
  end
end

local keys <const> = {
  by_size "self", by_size "total", by_size "calls",
  function(row) return row.name end,
  function(row) return row.new_file or row.old_file or "" end,
}

-- Lists of rows of one key, as they were met; and the keys in order. Only these are
-- sorted, and by Lua's own comparison: one by one, rows would be compared by millions of
-- calls.
local function groups_by(key, rows)
  local groups, order = {}, {}
  for _, row in ipairs(rows) do
    local value = key(row)
    local group = groups[value]
    if group then
      group[#group + 1] = row
    else
      groups[value], order[#order + 1] = { row }, value
    end
  end
  table.sort(order)
  return groups, order
end

-- Adds rows to a list in the order of the keys from a number on.
local function add_sorted(rows, number, list)
  if not rows[2] or not keys[number] then
    table.move(rows, 1, #rows, #list + 1, list)
    return
  end
  local groups, order = groups_by(keys[number], rows)
  for _, value in ipairs(order) do add_sorted(groups[value], number + 1, list) end
end

local function sort(rows)
  local list = {}
  add_sorted(rows, 1, list)
  table.move(list, 1, #list, 1, rows)
end

-- A side as scripts see it. `samples` are those that a unit of a run's time is made of.
local function summary(side)
  local samples = side.rate and side.rate * side.runs
  return { runs = side.runs, counted = side.counted, samples = samples,
    period = side.rate and 1 / side.rate, functions = #side.functions,
    total = samples and side.ticks / samples }
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
    return nil, ("%s cannot be compared with %s"):format(old.unit, new.unit)
  end
  local before, now = summary(old), summary(new)
  local sampled = before.samples and now.samples
  if not sampled and not (old.counted and new.counted) then
    return nil, "nothing can be compared: there are neither times nor calls on both sides"
  end
  local result = { old = before, new = now, unit = sampled and new.unit or nil,
    chance = chance or CHANCE, common = 0,
    total = sampled and time_change(old.ticks, new.ticks, before, now) or nil }
  matching.pair(old.functions, new.functions, function(was, is)
    if was and is then result.common = result.common + 1 end
    result[#result + 1] = new_row(was, is, before, now)
  end)
  mark_noise(result)
  sort(result)
  return result
end

-- Regressions ---------------------------------------------------------------------------

-- Whether a time grew by more than a share of what it was, and not by chance. What it was
-- is made larger by that share, with its error.
local function has_grown(time, share, result)
  local most = time.old * (1 + share)
  return not time.noise and time.new > most and
    not significance.is_noise(most, time.new, result.old.samples / (1 + share),
      result.new.samples, result.factor)
end

--- What got slower: the whole program, and functions of both profiles by their self
-- time. Those that are new, or bear another name now, count in the whole program only.
-- @tparam comparison result
-- @tparam number percent of its time that something may have grown by
-- @treturn {table,...} rows; for the whole program, the comparison itself in place of
--   a row, first
function compare.regressions(result, percent)
  arguments.check(result, "table", 1, "regressions")
  if type(percent) ~= "number" or percent < 0 then
    arguments.bad(2, "regressions", 2, "a percentage expected")
  end
  local grown = {}
  if not result.total then return grown end
  if has_grown(result.total, percent / 100, result) then grown[1] = result end
  for _, row in ipairs(result) do
    if row.status == "both" and has_grown(row.self, percent / 100, result) then
      grown[#grown + 1] = row
    end
  end
  return grown
end

-- The face ------------------------------------------------------------------------------

-- The side of an argument: a profile, or what `compare.load` returned.
local function side_of(value, number, runs)
  if type(value) == "table" and value.functions then
    local side = {}
    for name, field in pairs(value) do side[name] = field end
    side.runs = runs or side.runs
    return side
  end
  arguments.check(value, "gprof.profile", number, "compare", 4)
  if value.by_line then
    arguments.bad(number, "compare", 3, "a profile by function expected")
  end
  return compare.side(value, runs)
end

local function check_options(options)
  options = arguments.options(options, 3, "compare")
  for _, name in ipairs { "old_runs", "new_runs" } do
    if options[name] and options[name] < 1 then
      arguments.bad(3, "compare", 3, "option '%s': 1 or more expected", name)
    end
  end
  local chance = options.chance
  if chance and not (chance > 0 and chance < 1) then
    arguments.bad(3, "compare", 3, "option 'chance': a number between 0 and 1 expected")
  end
  return options
end

--- Compares two profiles: `gprof.compare(old, new [, options])`. They may be of several
-- builds of a program, and so of several images.
-- @function gprof.compare
-- @tparam profile|table old or what `gprof.compare.load` returned
-- @tparam profile|table new likewise
-- @tparam[opt] table options
--
--   - `old_runs`, `new_runs`: how many runs the profiles are of (as many as files were
--     read for them): a file may be a sum of several;
--   - `chance`: how often there may be any news where nothing has changed (0.05)
-- @treturn[1] comparison
-- @return[2] nil
-- @treturn[2] string why they cannot be compared: units differ, or one has only times and
--   the other one only calls

--- A comparison: rows, the largest change of self time first. A row is a function of
-- which something was recorded in either profile.
--
-- @table comparison
-- @tfield table old `runs`; `period`, how much of the unit a sample stands for, or nil;
--   `total`, the time of a run, or nil; `counted`, whether there are calls
-- @tfield table new likewise
-- @tfield string|nil unit of times: "seconds"; nil if there are not any on both sides
-- @tfield table|nil total what became of the time of the whole program
-- @tfield number chance of any news where nothing has changed
-- @tfield integer times how many may be news: those of ten samples or more, on both sides
--   together
-- @tfield number factor how many times its error a change is news from
-- @tfield integer common how many functions both programs have

--- A row of a comparison.
-- @table row
-- @tfield string name of the function
-- @tfield string|nil old_file source file as recorded
-- @tfield string|nil new_file
-- @tfield string status "both"; "new", if the old profile does not know the function; or
--   "gone", if the new one does not
-- @tfield integer joined how many functions the row is of: those that have one name and
--   one file, or are not told apart because the files are not known
-- @tfield table|nil self what became of the time in its own code; nil where it is not
--   known on both sides
-- @tfield table|nil total the same, with the time of what it called; nil without calls
-- @tfield table|nil calls what became of the calls by others

--- What became of a time, or of calls, in a run.
-- @table change
-- @tfield number old
-- @tfield number new
-- @tfield number change the new one less the old one
-- @tfield number|nil ratio the new one by the old one, unless that is 0
-- @tfield number error of the change: of times only. That of `total` is an upper limit:
--   time that is handed on by shares varies less
-- @tfield boolean noise whether chance may have made the change: of times only

local function make(_, old, new, options)
  options = check_options(options)
  return compare.sides(side_of(old, 1, options.old_runs),
    side_of(new, 2, options.new_runs), options.chance)
end

--- Reads a profile that was exported as JSON, to be compared with others.
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

return setmetatable(compare, { __call = make })
