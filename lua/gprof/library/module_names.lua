--- Names functions of a Lua program that its source does not name: C functions, after the
-- modules and classes that contain them, and the functions of modules.
--
-- @internal gprof.library.module_names
-- SPDX-License-Identifier: GPL-3.0-or-later

local getinfo <const>, getlocal <const> = debug.getinfo, debug.getlocal
local registry <const> = debug.getregistry()

local MAIN_THREAD <const> = 1  -- LUA_RIDX_MAINTHREAD, an index of the registry

local module_names = {}

local function is_c_function(value)
  return type(value) == "function" and getinfo(value, "S").what == "C"
end

--- Returns the interpreter's functions if it runs the program: the outermost one of the
-- main coroutine, and the one that handles errors, which is on its stack. Both are in C.
-- @treturn {[string]=function}
function module_names.host()
  local main_thread, level, handler = registry[MAIN_THREAD], 0, nil
  while getinfo(main_thread, level + 1, "S") do level = level + 1 end
  local main = getinfo(main_thread, level, "Sf")
  if not main or main.what ~= "C" then return {} end
  for i = 8, 1, -1 do
    local _, value = getlocal(main_thread, level, i)
    if is_c_function(value) then handler = value end
  end
  return { ["(interpreter)"] = main.func, ["(message handler)"] = handler }
end

-- Returns what a function of the standard library returns; nil if the program has
-- replaced it.
local function returned_by(f, ...)
  local value = is_c_function(f) and f(...)
  return is_c_function(value) and value or nil
end

-- Functions that functions of the standard library return.
local iterators <const> = {
  ["string.gmatch (iterator)"] = returned_by(string.gmatch, "", ""),
  ["ipairs (iterator)"] = returned_by(ipairs, {}),
  ["utf8.codes (iterator)"] = returned_by(utf8.codes, ""),
  ["utf8.codes (lax iterator)"] = returned_by(utf8.codes, "", true),
  ["coroutine.wrap (resumed)"] = returned_by(coroutine.wrap, print),
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

-- Names members that are functions. In order, because a function may have several names.
local function name_members(name_function, members, prefix, is_named)
  local names = {}
  for name, member in next, members do
    if type(member) == "function" and type(name) == "string" and is_named(member) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    name_function(rawget(members, name), prefix .. name)
  end
end

-- Names the C functions in the metatables of modules, and methods: "file:read".
local function name_methods(name_function, is_called)
  local function is_named(f) return is_called(f) and is_c_function(f) end
  for name, meta in next, debug.getregistry() do
    if type(name) == "string" and type(meta) == "table" and
      rawget(meta, "__name") == name
    then
      local methods = rawget(meta, "__index")
      local class = name == "FILE*" and "file" or name
      name_members(name_function, meta, class .. ".", is_named)
      if type(methods) == "table" then
        name_members(name_function, methods, class .. ":", is_named)
      end
    end
  end
end

-- Names the functions in the tables of modules: "string.gsub", and those that are modules
-- themselves. Global functions come last: a later name takes the place of an earlier one.
local function name_modules(name_function, is_called)
  local modules = {}
  name_members(name_function, package.loaded, "", is_called)
  for name, module in next, package.loaded do
    if type(name) == "string" and type(module) == "table" then
      modules[#modules + 1] = name
    end
  end
  table.sort(modules)
  for _, name in ipairs(modules) do
    name_members(name_function, package.loaded[name], name .. ".", is_called)
  end
  name_members(name_function, _G, "", is_called)
end

--- Names all such functions that were called. Names of modules take the place of others.
-- @tparam function name_function takes a function and its name
-- @tparam function is_called whether a function was called: most were not
-- @tparam {[string]=function} host see `module_names.host`
function module_names.assign(name_function, is_called, host)
  for _, list in ipairs { iterators, host } do
    for name, f in next, list do name_function(f, name) end
  end
  name_methods(name_function, is_called)
  name_modules(name_function, is_called)
end

return module_names
