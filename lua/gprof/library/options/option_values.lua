--- Checks values that are neither plain Lua types nor objects: symspecs, lists, names of
-- formats.
--
-- Few calls have such values, so arguments.lua loads this module on demand. The
-- two must not require each other, so it passes itself to the checks, as `plain`.
--
-- @internal gprof.library.options.option_values
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

local option_values = {}

--- The scopes of symspecs. A symspec restricts the functions of a report ("flat",
-- "graph", "annotation", "executions"), the functions whose time is propagated ("time"),
-- or the calls ("arcs").
option_values.scopes = { "flat", "graph", "time", "annotation", "executions", "arcs" }

--- The scopes as a set.
option_values.is_scope = {}
for _, scope in ipairs(option_values.scopes) do option_values.is_scope[scope] = true end

-- The permitted values of the option `file_format`.
local formats <const> = {
  auto = true, magic = true, bsd = true, ["4.4bsd"] = true, prof = true,
}

--- Returns whether a table is an array without holes.
-- @tparam table value
-- @treturn boolean
function option_values.is_array(value)
  local others = 0
  for _ in pairs(value) do others = others + 1 end
  for _ in ipairs(value) do others = others - 1 end
  return others == 0
end

local function is_array_of_strings(value)
  if type(value) ~= "table" or not option_values.is_array(value) then
    return false
  end
  for _, text in ipairs(value) do
    if type(text) ~= "string" then return false end
  end
  return true
end

-- Returns the first symspec that is not FROM/TO; nil if there is none.
local function first_without_slash(specs)
  for _, spec in ipairs(specs) do
    if not spec:find("/", 1, true) then return spec end
  end
end

local sortings <const> = { self = true, total = true, calls = true, name = true }
local order_formats <const> = {
  lld = true, ["call-graph"] = true, gold = true, ld = true,
}

-- Returns what is wrong with the first invalid symspec; nil if all are valid.
local function first_problem(specs, arcs, options)
  for _, spec in ipairs(specs) do
    local problem = spec:find("/", 1, true) and
      require(policy.of(options).symspecs):problem(spec, arcs)
    if problem then return problem end
  end
end

-- Checks the option `include` or `exclude`: a table from scopes to arrays of symspecs.
-- GNU gprof accepts any symspec for calls.
local function wrong_symspecs(value, plain, options)
  if type(value) ~= "table" then return "table expected, got " .. plain.type_of(value) end
  for scope, specs in pairs(value) do
    if not option_values.is_scope[scope] then
      return ("no scope '%s'"):format(tostring(scope))
    end
    if not is_array_of_strings(specs) then
      return ("array of strings expected for '%s'"):format(scope)
    end
    local spec = scope == "arcs" and policy.of(options).checks_arguments and
      first_without_slash(specs)
    if spec then return ("FROM/TO expected for 'arcs', got '%s'"):format(spec) end
    local problem = first_problem(specs, scope == "arcs", options)
    if problem then return problem end
  end
end

-- Checks an entry of the option `with`.
local function wrong_library(entry, plain)
  if type(entry) ~= "table" then return "table expected, got " .. plain.type_of(entry) end
  for field in pairs(entry) do
    if field ~= "image" and field ~= "data" and field ~= "name" then
      return ("no field '%s'"):format(tostring(field))
    end
  end
  for _, field in ipairs { "image", "data" } do
    local problem = plain.wrong_object(entry[field], "gprof." .. field)
    if problem then return ("field '%s': %s"):format(field, problem) end
  end
  if entry.name ~= nil and type(entry.name) ~= "string" then
    return "field 'name': string expected, got " .. plain.type_of(entry.name)
  end
end

-- Checks an entry of the option `threads`.
local function wrong_thread(entry, plain)
  if type(entry) == "string" then return nil end
  if type(entry) ~= "table" then
    return "string or table expected, got " .. plain.type_of(entry)
  elseif type(entry.name) ~= "string" then
    return "field 'name': string expected, got " .. plain.type_of(entry.name)
  elseif math.type(entry.number) ~= "integer" then
    return "field 'number': integer expected, got " .. plain.type_of(entry.number)
  end
end

-- Checks an array whose entries `wrong_entry` checks. `word` is what an entry is.
local function wrong_entries(value, plain, word, wrong_entry)
  if type(value) ~= "table" then return "table expected, got " .. plain.type_of(value) end
  if not option_values.is_array(value) then return "array expected" end
  for i, entry in ipairs(value) do
    local problem = wrong_entry(entry, plain)
    if problem then return ("%s %d: %s"):format(word, i, problem) end
  end
end

-- Makes a check of numbers of a type. NaN is in no range.
local function in_range(kind, least, most, range)
  return function(value, plain)
    local problem = plain.wrong_object(value, kind)
    if problem or value >= least and value <= most then return problem end
    return ("%s %s expected, got %s"):format(kind, range, value)
  end
end

local checks <const> = {
  count = in_range("integer", 1, math.maxinteger, "from 1"),
  percentage = in_range("number", 0, 100, "from 0 to 100"),
  format = function(value, plain)
    local problem = plain.wrong_object(value, "string")
    if problem or formats[value] then return problem end
    return ("invalid option '%s'"):format(value)
  end,
  strings = function(value, plain)
    if is_array_of_strings(value) then return nil end
    return "array of strings expected" ..
      (type(value) == "table" and "" or ", got " .. plain.type_of(value))
  end,
  sorting = function(value)
    if not sortings[value] then return "'self', 'total', 'calls' or 'name' expected" end
  end,
  ["order format"] = function(value)
    if order_formats[value] then return nil end
    return "'lld', 'call-graph', 'gold' or 'ld' expected"
  end,
  suffixes = function(value, plain)
    local problem = plain.wrong_object(value, "table")
    if problem then return problem end
    for _, text in pairs(value) do
      if type(text) ~= "string" then return "strings expected" end
    end
  end,
  symspecs = wrong_symspecs,
  symspec = function(value, plain)  -- of functions, by our own rules
    return plain.wrong_object(value, "string") or first_problem({ value }, false, {})
  end,
  threads = function(value, plain)
    return wrong_entries(value, plain, "thread", wrong_thread)
  end,
  libraries = function(value, plain)
    return wrong_entries(value, plain, "library", wrong_library)
  end,
}

--- Returns what is wrong with a value; nil if it is valid.
-- @param value
-- @tparam string kind "format", "strings", ...: a key of `checks`
-- @tparam table plain the module gprof.library.options.arguments
-- @tparam[opt] table options the table that contains the value, if it is an option
-- @treturn string|nil
function option_values.problem(value, kind, plain, options)
  return checks[kind](value, plain, options)
end

return option_values
