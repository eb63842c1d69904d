--- Tables that functions of the library take: what can be wrong with them.
--
-- @internal gprof.library.tables
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local symspec = require "gprof.symspec"

local tables = {}

local function is_array_of_strings(value)
  if type(value) ~= "table" then return false end
  local count = 0
  for _, text in pairs(value) do
    count = type(text) == "string" and count + 1 or math.huge
  end
  return count == #value
end

--- What is wrong with an array of strings; nil if nothing is.
-- @param value
-- @treturn string|nil
function tables.strings(value)
  if is_array_of_strings(value) then return nil end
  return "array of strings expected" ..
    (type(value) == "table" and "" or ", got " .. arguments.type_of(value))
end

-- A symspec of calls that is one of functions; nil if there is none.
local function no_calls(specs)
  for _, spec in ipairs(specs) do
    if not spec:find("/", 1, true) then return spec end
  end
end

--- What is wrong with arrays of symspecs by stage; nil if nothing is. GNU gprof takes
-- anything for calls.
-- @param value
-- @tparam table given the options that they are among
-- @treturn string|nil
function tables.symspecs(value, given)
  if type(value) ~= "table" then
    return "table expected, got " .. arguments.type_of(value)
  end
  local stages = symspec.stages
  for stage, specs in pairs(value) do
    if not stages[stage] then return ("no table '%s'"):format(tostring(stage)) end
    if not is_array_of_strings(specs) then
      return ("array of strings expected for '%s'"):format(stage)
    end
    local spec = stage == "arcs" and not given.gnu_compat and no_calls(specs)
    if spec then return ("FROM/TO expected for 'arcs', got '%s'"):format(spec) end
  end
end

-- What is wrong with an entry of `with`.
local function wrong_library(entry)
  if type(entry) ~= "table" then return "tables expected" end
  for field in pairs(entry) do
    if field ~= "image" and field ~= "data" and field ~= "name" then
      return ("no field '%s'"):format(tostring(field))
    end
  end
  for _, field in ipairs { "image", "data" } do
    local problem = arguments.wrong(entry[field], "gprof." .. field)
    if problem then return ("field '%s': %s"):format(field, problem) end
  end
  if entry.name ~= nil and type(entry.name) ~= "string" then
    return "field 'name': string expected, got " .. arguments.type_of(entry.name)
  end
end

--- What is wrong with an array of libraries; nil if nothing is.
-- @param value
-- @treturn string|nil
function tables.libraries(value)
  if type(value) ~= "table" then
    return "table expected, got " .. arguments.type_of(value)
  end
  for i, entry in ipairs(value) do
    local problem = wrong_library(entry)
    if problem then return ("library %d: %s"):format(i, problem) end
  end
end

return tables
