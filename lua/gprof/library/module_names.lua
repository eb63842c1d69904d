--- Names functions of a Lua program that its source does not name: C functions, after the
-- modules and classes that contain them, and the functions of modules.
--
-- @internal gprof.library.module_names
-- SPDX-License-Identifier: GPL-3.0-or-later

local getinfo <const> = debug.getinfo

local module_names = {}

local function is_c_function(value)
  return type(value) == "function" and getinfo(value, "S").what == "C"
end

--- Returns the interpreter's functions if it runs this coroutine: the outermost one, and
-- the one that handles errors, which is on its stack. Both are in C.
-- @treturn {[string]=function}
function module_names.host()
  local level, handler = 1, nil
  while getinfo(level + 1, "S") do level = level + 1 end
  local main = getinfo(level, "Sf")
  if main.what ~= "C" then return {} end
  for i = 8, 1, -1 do
    local _, value = debug.getlocal(level, i)
    if is_c_function(value) then handler = value end
  end
  return { ["(interpreter)"] = main.func, ["(message handler)"] = handler }
end

-- Functions that functions of the standard library return.
local iterators <const> = {
  ["string.gmatch (iterator)"] = string.gmatch("", ""),
  ["ipairs (iterator)"] = ipairs {},
  ["utf8.codes (iterator)"] = utf8.codes "",
  ["utf8.codes (lax iterator)"] = utf8.codes("", true),
  ["coroutine.wrap (resumed)"] = coroutine.wrap(print),
}
if io.type(io.stdin) == "file" then
  iterators["io.lines (iterator)"] = io.stdin:lines()
end
local own = {}  -- Lua's own: others are written in Lua
for _, searcher in ipairs(package.searchers) do
  if is_c_function(searcher) then
    own[#own + 1] = searcher
    iterators[("package.searchers[%d]"):format(#own)] = searcher
  end
end

local function is_function(value) return type(value) == "function" end

-- Names members with a property. In order, because a function may have several names.
local function name_members(name_function, members, prefix, has_property)
  local names = {}
  for name, member in next, members do
    if type(name) == "string" and has_property(member) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    name_function(rawget(members, name), prefix .. name)
  end
end

-- Names the C functions in the metatables of modules, and methods: "file:read".
local function name_methods(name_function)
  for name, meta in next, debug.getregistry() do
    if type(name) == "string" and type(meta) == "table" and
      rawget(meta, "__name") == name
    then
      local methods = rawget(meta, "__index")
      local class = name == "FILE*" and "file" or name
      name_members(name_function, meta, class .. ".", is_c_function)
      if type(methods) == "table" then
        name_members(name_function, methods, class .. ":", is_c_function)
      end
    end
  end
end

-- Names the functions in the tables of modules: "string.gsub", and those that are modules
-- themselves. Global functions come last: a later name takes the place of an earlier one.
local function name_modules(name_function)
  local modules = {}
  name_members(name_function, package.loaded, "", is_function)
  for name, module in next, package.loaded do
    if type(name) == "string" and type(module) == "table" then
      modules[#modules + 1] = name
    end
  end
  table.sort(modules)
  for _, name in ipairs(modules) do
    name_members(name_function, package.loaded[name], name .. ".", is_function)
  end
  name_members(name_function, _G, "", is_function)
end

--- Names all such functions. Names of modules take the place of others.
-- @tparam function name_function takes a function and its name
-- @tparam {[string]=function} host see `module_names.host`
function module_names.assign(name_function, host)
  for _, list in ipairs { iterators, host } do
    for name, f in next, list do name_function(f, name) end
  end
  name_methods(name_function)
  name_modules(name_function)
end

return module_names
