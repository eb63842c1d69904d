--- Calls functions with the standard library as it was when this module was loaded:
-- programs replace and remove its functions. Metatables of the global table and of
-- strings cannot get in the way either.
--
-- @internal gprof.library.standard
-- SPDX-License-Identifier: GPL-3.0-or-later

local error <const>, pcall <const>, next <const> = error, pcall, next
local rawget <const>, rawset <const> = rawget, rawset
local pack <const>, unpack <const> = table.pack, table.unpack
local getmetatable <const>, setmetatable <const> = debug.getmetatable, debug.setmetatable

local standard = {}

local GLOBALS <const> = "_G assert collectgarbage dofile error getmetatable ipairs " ..
  "load loadfile next pairs pcall print rawequal rawget rawlen rawset require select " ..
  "setmetatable tonumber tostring type warn xpcall " ..
  "coroutine debug io math os package string table utf8"

-- The members of each table.
local kept <const> = { [_G] = {} }
for name in GLOBALS:gmatch "%S+" do
  local value = rawget(_G, name)
  kept[_G][name] = value
  if type(value) == "table" and value ~= _G then
    kept[value] = {}
    for key, member in next, value do kept[value][key] = member end
  end
end
local strings <const> = getmetatable ""
local index <const> = strings.__index

-- Sets members of tables. Returns those that they had; nil is NONE.
local NONE <const> = {}
local function exchange(members)
  local former = {}
  for container, values in next, members do
    former[container] = {}
    for key, value in next, values do
      local present = rawget(container, key)
      former[container][key] = present == nil and NONE or present
      if value == NONE then value = nil end
      rawset(container, key, value)
    end
  end
  return former
end

--- Calls a function, and restores what the program has made of the library.
-- @tparam function f
-- @param ... its arguments
-- @return its results
function standard.call(f, ...)
  local former, meta = exchange(kept), getmetatable ""
  local former_index = rawget(strings, "__index")
  setmetatable("", strings)
  rawset(strings, "__index", index)
  local results = pack(pcall(f, ...))
  rawset(strings, "__index", former_index)
  setmetatable("", meta)
  exchange(former)
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, results.n)
end

return standard
