--- Reads the functions of profiles exported as JSON, and of baselines, for comparisons.
-- doc/export.md describes the formats.
--
-- @internal gprof.analysis.saved_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local change_bounds = require "gprof.analysis.change_bounds"
local clones = require "gprof.analysis.clones"
local counts = require "gprof.analysis.counts"
local json_reader = require "gprof.format.json_reader"
local path_share = require "gprof.analysis.path_share"
local text_file = require "gprof.format.text_file"

local saved_profile = {}

local FORMAT <const>, VERSION <const> = "gprof-profile", 1

local function fail(problem, ...)
  error({ problem = problem:format(...) }, 0)
end

-- For each kind of field, a test of its value. Sampling rates have at most 32 bits.
local tests <const> = {
  string = function(value) return type(value) == "string" end,
  array = function(value) return type(value) == "table" end,
  object = function(value) return type(value) == "table" end,
  amount = counts.is_amount,
  line = function(value) return math.type(value) == "integer" and value >= 0 end,
  weight = function(value)
    return type(value) == "number" and value >= 1 and value < 2 ^ 63
  end,
  part = function(value)
    return type(value) == "number" and value > 2 ^ -33 and value <= 1
  end,
  share = function(value)
    return type(value) == "number" and value >= 0 and value <= 1
  end,
  period = function(value)
    return type(value) == "number" and value > 2 ^ -33 and value < 2 ^ 33
  end,
}

-- Returns 1 / period. If only a rounding error separates it from an integer, returns the
-- integer.
local function rate_of(period)
  local rate = 1 / period
  local whole = math.floor(rate + 0.5)
  return whole > 0 and math.abs(rate - whole) < 1e-6 * rate and whole or rate
end

-- Returns a field of an object. It must be valid; an optional field may also be null.
local function field(object, name, kind, where, optional)
  local value = object[name]
  if value == nil and optional then return nil end
  if not tests[kind](value) then fail("%s'%s' is not a valid %s", where, name, kind) end
  return value
end

local function function_of(object, number, period)
  local where = ("function %d: "):format(number)
  if type(object) ~= "table" then fail("%sobject expected", where) end
  local ticks = field(object, "ticks", "amount", where)
  local children = field(object, "children", "amount", where)
  return {
    id = field(object, "id", "amount", where),
    name = field(object, object.full_name and "full_name" or "name", "string", where),
    file = field(object, "file", "string", where, true),
    line = field(object, "line", "line", where, true),
    ticks = ticks, whole_ticks = ticks + (period and children / period or 0),
    calls = field(object, "calls", "amount", where), count = 1,
    self_calls = field(object, "self_calls", "amount", where, true) or 0,
    blocks = field(object, "blocks", "amount", where, true),
  }
end

-- Iterates over arcs in the form that `clones.set_inner` expects.
local function arcs_of(arcs, period)
  local number = 0
  return function()
    number = number + 1
    local arc, where = arcs[number], ("arc %d: "):format(number)
    if arc == nil then return nil end
    if type(arc) ~= "table" then fail("%sobject expected", where) end
    local time = field(arc, "self", "amount", where) +
      field(arc, "children", "amount", where)
    return field(arc, "caller", "amount", where), field(arc, "callee", "amount", where),
      field(arc, "count", "amount", where), period and time / period or 0
  end
end

-- Returns the field `arcs` of a side, see gprof.compare. The arcs were checked before.
local function arcs_between(functions, arcs, period)
  return function()
    local by_id, number = {}, 0
    for _, f in ipairs(functions) do by_id[f.id] = f end
    return function()
      number = number + 1
      local arc = arcs[number]
      if not arc then return nil end
      return by_id[arc.caller] or false, by_id[arc.callee], arc.count,
        period and arc.self / period or 0,
        period and (arc.self + arc.children) / period or 0
    end
  end
end

-- Whether any basic blocks were counted.
local function has_blocks(functions)
  for _, f in ipairs(functions) do
    if f.blocks then return true end
  end
  return false
end

local function check_kind(profile)
  if type(profile) ~= "table" or profile.format ~= FORMAT then
    fail "not a profile exported with --export=json"
  elseif profile.version ~= VERSION then
    fail("unsupported version %s of the JSON export (supported: %d)",
      tostring(profile.version), VERSION)
  elseif field(profile, "granularity", "string", "") ~= "function" then
    fail "is a profile by line; only profiles by function can be compared"
  end
end

-- Returns a field with symspecs: a table from scopes (see gprof.symspec) to arrays of
-- strings.
local function symspecs(profile, name)
  local scopes = field(profile, name, "object", "")
  for scope, specs in pairs(scopes) do
    local where = ("'%s': "):format(name)
    for i in ipairs(field(scopes, scope, "array", where)) do
      field(specs, i, "string", where)
    end
  end
  return scopes
end

-- Returns a side as in gprof.compare, with more fields: the symspecs `include` and
-- `exclude`; `mismatch`, see `profile:mismatch`.
local function side_of(profile)
  check_kind(profile)
  local period = field(profile, "period", "period", "", true)
  local ticks = field(profile, "total_ticks", "amount", "")
  local weight = field(profile, "ticks_per_sample", "weight", "", true)
  local functions = {}
  for i, object in ipairs(field(profile, "functions", "array", "")) do
    functions[i] = function_of(object, i, period)
  end
  local arcs = field(profile, "arcs", "array", "")
  for _ in arcs_of(arcs, period) do end  -- checks them
  clones.set_inner(functions, function() return arcs_of(arcs, period) end)
  local exact = profile.exact == true
  change_bounds.set(functions, arcs_between(functions, arcs, period), exact)
  local share = field(profile, "path_share", "share", "", true)
  return {
    runs = math.max(#field(profile, "profiles", "array", ""), 1),
    rate = period and rate_of(period),
    unit = period and field(profile, "unit", "string", "") or nil,
    ticks = ticks, sampled = ticks / (weight or 1),
    lacking = path_share.lacking(exact, share, ticks),
    coverage = field(profile, "coverage", "part", "", true),
    counted = #arcs > 0,
    has_blocks = has_blocks(functions),
    functions = functions, arcs = arcs_between(functions, arcs, period),
    include = symspecs(profile, "include"), exclude = symspecs(profile, "exclude"),
    mismatch = field(profile, "mismatch", "string", "", true),
    exact = exact, has_libraries = profile.has_libraries == true,
    has_inlines = profile.has_inlines == true,
  }
end

--- Reads an exported profile, or a baseline.
-- @tparam string path
-- @treturn[1] table a side, see gprof.compare
-- @return[2] nil
-- @treturn[2] string what is wrong
function saved_profile.load(path)
  local text, message = text_file.read(path)
  if not text then return nil, message end
  local baseline = require "gprof.analysis.baseline"
  if baseline.is_head(text) then return baseline.read(text, path) end
  local profile, problem = json_reader.read(text)
  if profile == nil then return nil, ("%s: not valid JSON: %s"):format(path, problem) end
  local done, side = pcall(side_of, profile)
  if done then return side end
  if type(side) ~= "table" then error(side, 0) end
  return nil, path .. ": " .. side.problem
end

return saved_profile
