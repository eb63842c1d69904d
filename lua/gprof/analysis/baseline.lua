--- Reads baselines, for comparisons. doc/export.md describes the format.
--
-- @internal gprof.analysis.baseline
-- SPDX-License-Identifier: GPL-3.0-or-later

local change_bounds = require "gprof.analysis.change_bounds"
local clones = require "gprof.analysis.clones"
local is_amount <const> = require "gprof.analysis.counts".is_amount
local is_less <const> = require "gprof.format.column_order".is_less
local json_reader = require "gprof.format.json_reader"
local path_share = require "gprof.analysis.path_share"
local sorted = require "gprof.format.sorted"

local baseline = {}

local FORMAT <const>, VERSION <const> = "gprof-baseline", 1

local function fail(problem, ...)
  error({ problem = problem:format(...) }, 0)
end

-- What git, and programs like it, leave in a file that they cannot merge.
local conflicts <const> = { "^<<<<<<<", "^|||||||", "^=======", "^>>>>>>>" }

local function check_no_conflict(line, number)
  for _, mark in ipairs(conflicts) do
    if line:find(mark) then
      fail("line %d: merge conflict: choose either version, and renew it with " ..
        "--update-baseline", number)
    end
  end
end

--- Returns whether a text begins like a baseline, or one with a merge conflict.
-- @tparam string text
-- @treturn boolean
function baseline.is_head(text)
  return text:find '^{"format": *"gprof%-baseline"' ~= nil or text:find "^<<<<<<<" ~= nil
end

-- Values --------------------------------------------------------------------------------

-- Returns a field that is an amount, or an array of a given number of amounts.
local function amounts(object, name, count, where)
  local value = object[name]
  if value == nil then return 0 end
  if is_amount(value) then return value end
  local is_valid = type(value) == "table" and #value == count
  for i = 1, is_valid and count or 0 do is_valid = is_valid and is_amount(value[i]) end
  if not is_valid then fail("%s'%s' is not a valid amount", where, name) end
  return table.unpack(value, 1, count)
end

-- Returns the mean and the highest of a count, multiplied by the number of runs. The mean
-- was rounded, which may have made it larger than the highest count.
local function count_of(object, name, where, runs)
  local least, mean, most = amounts(object, name, 3, where)
  most = most or least
  mean = math.max(math.min(mean or least, most), least)
  if not is_amount(math.max(mean, most) * (runs + 0.0)) then
    fail("%s'%s' is not a valid amount", where, name)
  end
  return mean * runs, most * runs
end

local function positive(object, name, least, most)
  local value = object[name]
  if not is_amount(value) or value < least or value > most then
    fail("line 1: '%s' is not valid", name)
  end
  return value
end

local function positive_integer(object, name, least, most)
  return math.tointeger(positive(object, name, least, most)) or
    fail("line 1: '%s' is not valid", name)
end

local function text(object, name, where, optional)
  local value = object[name]
  if value == nil and optional then return nil end
  if type(value) ~= "string" then fail("%s'%s' is not a valid string", where, name) end
  return value
end

-- Lines ---------------------------------------------------------------------------------

local function object_of(line, number)
  check_no_conflict(line, number)
  local object, problem = json_reader.read(line)
  if type(object) ~= "table" then
    fail("line %d: not a JSON object%s", number, problem and ": " .. problem or "")
  end
  return object
end

local function symspecs(header, name)
  local scopes = header[name]
  if type(scopes) ~= "table" then fail("line 1: '%s' is not valid", name) end
  for _, specs in pairs(scopes) do
    for _, spec in ipairs(type(specs) == "table" and specs or { false }) do
      if type(spec) ~= "string" then fail("line 1: '%s' is not valid", name) end
    end
  end
  return scopes
end

-- Returns a side as in gprof.compare, without functions.
local function side_of(header)
  if header.format ~= FORMAT then
    fail "not a baseline"
  elseif header.version ~= VERSION then
    fail("unsupported version %s of baselines (supported: %d)", tostring(header.version),
      VERSION)
  end
  local runs = positive_integer(header, "runs", 1, 1 << 31)
  local rate = header.rate and positive(header, "rate", 2 ^ -33, 2 ^ 33)
  local total, spread = amounts(header, "total", 2, "line 1: ")
  local ticks = rate and total * rate * runs or 0
  local weight = rate and positive(header, "ticks_per_sample", 1, 2 ^ 62) or 1
  local exact = header.exact == true
  local share = header.path_share and positive(header, "path_share", 0, 1)
  return { runs = runs, rate = rate,
    unit = rate and text(header, "unit", "line 1: ") or nil, ticks = ticks,
    sampled = ticks / weight, total_spread = spread,
    coverage = header.coverage and positive(header, "coverage", 2 ^ -33, 1),
    counted = header.calls == true, has_blocks = header.blocks == true,
    exact = exact, lacking = path_share.lacking(exact, share, ticks),
    has_libraries = header.libraries == true,
    has_inlines = header.inlines == true,
    loses_calls = header.lost_calls == true,
    include = symspecs(header, "include"), exclude = symspecs(header, "exclude"),
    functions = {}, count = positive_integer(header, "functions", 0, 1 << 31) }
end

-- Returns the callees of a function: a table from labels to counts, which are valid.
local function callees_of(object, where, runs)
  local callees = object.callees == nil and {} or object.callees
  local is_object = type(callees) == "table" and callees[1] == nil
  if not is_object then fail("%s'callees' is not an object", where) end
  for _, name in ipairs(sorted.keys(callees)) do
    count_of(callees, name, where .. "'callees': ", runs)
  end
  return callees
end

local function function_of(object, side, number)
  local where, unit = ("line %d: "):format(number), (side.rate or 0) * side.runs
  local f = { id = number, count = 1, name = text(object, "name", where),
    file = text(object, "file", where, true) }
  for _, name in ipairs { "calls", "self_calls", "blocks" } do
    f[name], f["most_" .. name] = count_of(object, name, where, side.runs)
  end
  local self, self_spread = amounts(object, "self", 2, where)
  local total, total_spread = amounts(object, "total", 2, where)
  f.ticks, f.self_spread = self * unit, self_spread or 0
  f.whole_ticks, f.total_spread = total * unit, total_spread or 0
  f.callees = callees_of(object, where, side.runs)
  return f
end

local function is_before(a, b)
  if a.name ~= b.name then return is_less(a.name, b.name) end
  return is_less(a.file or "", b.file or "")
end

local function read_functions(side, lines)
  for number = 2, #lines do
    local f = function_of(object_of(lines[number], number), side, number)
    local before = side.functions[#side.functions]
    if before and not is_before(before, f) then
      fail("line %d: is not in order, or twice: renew it with --update-baseline", number)
    end
    side.functions[#side.functions + 1] = f
  end
  if #side.functions ~= side.count then
    fail("has %d functions, but line 1 says %d: renew it with --update-baseline",
      #side.functions, side.count)
  end
end

-- Returns functions by label: their name or, if several have it, name and file.
local function by_label(functions)
  local labels, several = {}, {}
  for _, f in ipairs(functions) do several[f.name] = several[f.name] ~= nil end
  for _, f in ipairs(functions) do
    local label = several[f.name] and ("%s (%s)"):format(f.name, f.file or "") or f.name
    labels[label] = f
  end
  return labels
end

-- Returns the field `arcs` of a side. The time of a call is the callee's mean.
local function arcs_of(side)
  return function()
    local labels = by_label(side.functions)
    return coroutine.wrap(function()
      for _, f in ipairs(side.functions) do
        for _, label in ipairs(sorted.keys(f.callees)) do
          local callee, count = labels[label], count_of(f.callees, label, "", side.runs)
          local part = callee and callee.calls > 0 and
            math.min(count / callee.calls, 1) or 0
          if callee then
            coroutine.yield(f, callee, count, callee.ticks * part,
              callee.whole_ticks * part)
          end
        end
      end
    end)
  end
end

-- Returns by how much the times of the runs vary more than their numbers of samples
-- explain: the ratio of the variances, at least 1.
local function dispersion_of(side)
  local measured, expected = 0, 0
  local samples = side.rate and side.ticks > 0 and side.rate * side.sampled / side.ticks
  for _, f in ipairs(samples and side.runs > 1 and side.functions or {}) do
    local mean = f.ticks / side.rate / side.runs
    measured, expected = measured + f.self_spread ^ 2, expected + mean / samples
  end
  return expected > 0 and math.max(measured / expected, 1) or 1
end

local function lines_of(content)
  local lines = {}
  for line in content:gmatch "([^\n]*)\n?" do lines[#lines + 1] = line:gsub("\r$", "") end
  while lines[1] and lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

local function read(content)
  local lines = lines_of(content)
  if not lines[1] then fail "not a baseline: it is empty" end
  local side = side_of(object_of(lines[1], 1))
  for number, line in ipairs(lines) do check_no_conflict(line, number) end
  read_functions(side, lines)
  side.arcs, side.dispersion = arcs_of(side), dispersion_of(side)
  clones.set_inner(side.functions, function()
    local next_arc = side.arcs()
    return function()
      local caller, callee, count, _, total = next_arc()
      if caller then return caller.id, callee.id, count, total end
    end
  end)
  change_bounds.set(side.functions, side.arcs, side.exact)
  return side
end

--- Reads a baseline.
-- @tparam string content of the file
-- @tparam string path for messages
-- @treturn[1] table a side (see gprof.compare)
-- @return[2] nil
-- @treturn[2] string what is wrong
function baseline.read(content, path)
  local done, side = pcall(read, content)
  if done then return side end
  if type(side) ~= "table" then error(side, 0) end
  return nil, ("%s: %s"):format(path, side.problem)
end

return baseline
