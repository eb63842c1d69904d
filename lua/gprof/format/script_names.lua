--- Names the functions of a Lua program by their definitions, and tells functions apart
-- that are defined in the same lines.
--
-- A chunk that is a text, or whose file is still as it was when it was loaded, is
-- compiled again: its functions are those with the same bytecode, in the order of
-- definition.
--
-- @internal gprof.format.script_names
-- SPDX-License-Identifier: GPL-3.0-or-later

local definitions = require "gprof.format.definitions"
local prototypes = require "gprof.format.prototypes"
local script_functions = require "gprof.format.script_functions"
local wording = require "gprof.format.wording"

local load <const>, dump <const> = load, string.dump  -- programs may replace them

local script_names = {}

-- Numbers of functions that are defined in the same lines: in the order of definition,
-- or, if that is not known, from their bytecode.
local ORDINAL <const> = script_functions.ORDINAL
local FROM_CODE <const>, MOST <const> = 0x4000, 0x3fff

local function key_of(f, code) return ("%d %d %d"):format(f.first, f.last, code) end

-- Returns the definitions in a text, as lists by `key_of`: `name` or false, and
-- `ordinal`. Nil if it cannot be compiled.
local function definitions_of(text, crc32)
  -- Lua skips a byte order mark, and a first line with a "#"
  text = (text:gsub("^\xef\xbb\xbf", ""):gsub("^#[^\n]*", ""))
  local chunk = load(text, "=", "t")
  if not chunk then return nil end
  local list, names = prototypes.read(dump(chunk)), definitions.names(text)
  if #names + 1 ~= #list then return nil end
  local by_key, ordinals = {}, {}
  for i, f in ipairs(list) do
    local key, lines = key_of(f, crc32(f.code)), key_of(f, f.signature)
    ordinals[lines] = (ordinals[lines] or -1) + 1
    by_key[key] = by_key[key] or {}
    table.insert(by_key[key], { name = names[i - 1], ordinal = ordinals[lines] })
  end
  return by_key
end

-- Returns the name that functions with the same lines and bytecode share. Nothing tells
-- them apart.
local function shared_name(found)
  local names, seen = {}, {}
  for _, definition in ipairs(found) do
    local name = definition.name
    if name and not seen[name] then names[#names + 1] = name end
    seen[name or ""] = true
  end
  return names[1] and wording.all(names, "or")
end

-- Names a function. That of a module tells more than the definition if both have the same
-- last word: "json.parse" and "M.parse".
local function set_name(f, name)
  if not name then return end
  local given = f.rank == 0 and f.name and f.name:match "[%w_]+$"
  if given and given == name:match "[%w_]+$" then return end
  f.name, f.rank = name, 0
end

local function set_number(f, number, taken)
  local signature = f.signature
  repeat
    f.signature = signature + (number & (FROM_CODE | MOST)) * ORDINAL
    local key = ("%s\0%d %d %d"):format(f.source, f.first, f.last, f.signature)
    local is_taken = taken[key]
    taken[key], number = true, number + 1
  until not is_taken
end

-- Returns a function that returns the definitions in the source of a function, or nil.
local function reader(read, crc32)
  local known = {}
  return function(f)
    local key = f.text or f.source
    if known[key] == nil then
      local path = f.source:match "^@(.+)$"
      local text = f.text or path and read(path)
      local done, by_key = pcall(definitions_of, text or "", crc32)
      known[key] = text and done and by_key or false
    end
    return known[key]
  end
end

--- Names functions, and adds what tells them apart to the field `signature`.
-- @tparam {table,...} functions of gprof.hooks
-- @tparam function read returns the text of a file, or nil
-- @tparam function crc32 returns the CRC-32 of a string
function script_names.assign(functions, read, crc32)
  local definitions_in, taken = reader(read, crc32), {}
  for _, f in ipairs(functions) do
    local by_key = f.source and definitions_in(f)
    local found = by_key and by_key[key_of(f, f.code)]
    if found then
      set_name(f, shared_name(found))
      set_number(f, math.min(found[1].ordinal, MOST), taken)
    elseif f.source then
      set_number(f, f.code ~= 0 and (FROM_CODE | f.code & MOST) or 0, taken)
    end
  end
end

return script_names
