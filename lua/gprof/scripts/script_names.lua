--- Names the functions of a Lua program by their definitions, and tells functions apart
-- that are defined in the same lines.
--
-- A chunk that is a text, or whose file is still as it was when it was loaded, is
-- compiled again: its functions are those with the same bytecode, in the order of
-- definition. That is not needed if the text has not changed for certain, and simple
-- statements define the functions.
--
-- @internal gprof.scripts.script_names
-- SPDX-License-Identifier: GPL-3.0-or-later

local definitions = require "gprof.scripts.definitions"
local prototypes = require "gprof.scripts.prototypes"
local script_functions = require "gprof.scripts.script_functions"
local wording = require "gprof.format.wording"

local load <const>, dump <const> = load, string.dump  -- programs may replace them

local script_names = {}

-- Numbers of functions that are defined in the same lines: in the order of definition,
-- or, if that is not known, from their bytecode.
local ORDINAL <const> = script_functions.ORDINAL
local FROM_CODE <const>, MOST <const> = 0x4000, 0x3fff

local function key_of(f, code) return ("%d %d %d"):format(f.first, f.last, code) end

-- Returns the functions, by number, that define no function which begins on one of the
-- lines: their bodies need not be read.
local function with_other_bodies(list, lines)
  local found, after = {}, #list + 1  -- the first one in these lines after `i`
  for i = #list, 2, -1 do
    local f = list[i]
    if i + f.inner < after then found[i - 1] = f end
    if lines[f.first] then after = i end
  end
  return found
end

-- Returns the definitions in a text that begin on the lines, as lists by `key_of`:
-- `name` or false, and `ordinal`. Nil if it cannot be compiled.
local function definitions_of(text, lines, crc32)
  -- Lua skips a byte order mark, and a first line with a "#"
  text = (text:gsub("^\xef\xbb\xbf", ""):gsub("^#[^\n]*", ""))
  local chunk = load(text, "=", "t")
  if not chunk then return nil end
  local list = prototypes.read(dump(chunk, true))
  local names = definitions.names(text, with_other_bodies(list, lines))
  if #names + 1 ~= #list then return nil end
  local by_key, ordinals = {}, {}
  for i, f in ipairs(list) do
    if not lines[f.first] then goto next end
    local key, place = key_of(f, crc32(f.code)), key_of(f, f.signature)
    ordinals[place] = (ordinals[place] or -1) + 1
    by_key[key] = by_key[key] or {}
    table.insert(by_key[key], { name = names[i - 1], ordinal = ordinals[place] })
    ::next::
  end
  return by_key
end

-- Returns the names of functions with the same lines and bytecode. Nothing tells them
-- apart.
local function names_of(found)
  local names, seen = {}, {}
  for _, definition in ipairs(found) do
    local name = definition.name
    if name and not seen[name] then names[#names + 1] = name end
    seen[name or ""] = true
  end
  return names
end

-- Names a function by its definitions. The name of a module tells more than the only
-- definition if both have the same last word: "json.parse" and "M.parse".
local function set_name(f, names)
  if #names == 0 then return end
  local given = #names == 1 and f.rank == 0 and f.name and f.name:match "[%w_]+$"
  if given and given == names[1]:match "[%w_]+$" then return end
  f.name, f.rank = wording.all(names, "or"), 0
end

-- Takes the first number from `number` on that is free. `later`: a number to look at
-- next, for each that is taken; it skips what was skipped before.
local function take_number(later, number)
  local free = number
  while later[free] do free = later[free] end
  while later[number] do later[number], number = free, later[number] end
  later[free] = free + 1 & (FROM_CODE | MOST)
  return free
end

-- Tells a function apart from those with the same source, lines and signature, of which
-- there are fewer than numbers: see csrc/scripts/functions.h.
local function set_number(f, number, taken)
  local key = ("%s\0%d %d %d"):format(f.source, f.first, f.last, f.signature)
  taken[key] = taken[key] or {}
  f.signature = f.signature + take_number(taken[key], number) * ORDINAL
end

local function chunk_of(f) return f.text or f.source end

-- Whether a function is the main chunk of a file: nothing else is defined there.
local function is_main_of_file(f)
  return f.first == 0 and f.last == 0 and f.source and f.source:find "^@"
end

-- Whether the source of a function has its definition.
local function is_defined(f)
  return f.source and not f.is_zone and not is_main_of_file(f)
end

-- Returns the functions of each chunk.
local function by_chunk(functions)
  local chunks = {}
  for _, f in ipairs(functions) do
    if is_defined(f) then
      local chunk = chunk_of(f)
      chunks[chunk] = chunks[chunk] or {}
      table.insert(chunks[chunk], f)
    end
  end
  return chunks
end

-- Returns the definitions of functions in a text that has not changed, like
-- `definitions_of`. Nil if the text must be compiled.
local function simple_definitions(text, functions)
  local names = definitions.of_statements(text, functions)
  if not names then return nil end
  local by_key = {}
  for i, f in ipairs(functions) do
    by_key[key_of(f, f.code)] = { { name = names[i], ordinal = 0 } }
  end
  return by_key
end

-- Returns the definitions in a text, or false. `is_old`: it has not changed.
local function find_definitions(text, is_old, functions, crc32)
  local found = is_old and simple_definitions(text, functions)
  if found then return found end
  local lines = {}
  for _, f in ipairs(functions) do lines[f.first] = true end
  local done, by_key = pcall(definitions_of, text, lines, crc32)
  return done and by_key or false
end

-- Nanoseconds by which the times of files may be late.
local LATE <const> = 100000000

-- Returns a function that returns the definitions in the source of a function, or false.
local function reader(functions, read, crc32, began, has_moved)
  local known, chunks = {}, by_chunk(functions)
  local function is_unchanged(path, changed)
    local is_same = not has_moved or path:find "^/"
    return is_same and began and changed < began - LATE
  end
  return function(f)
    local key = chunk_of(f)
    if known[key] == nil then
      local path, text, changed = f.source:match "^@(.+)$", f.text, 0
      if path and not text then text, changed = read(path) end
      local is_old = f.text or text and is_unchanged(path, changed)
      known[key] = text and find_definitions(text, is_old, chunks[key], crc32) or false
    end
    return known[key]
  end
end

--- Names functions, and adds what tells them apart to the field `signature`.
-- @tparam {table,...} functions of gprof.hooks
-- @tparam function read returns the text of a file, and when it was changed, in
--   nanoseconds since 1970; or nil
-- @tparam function crc32 returns the CRC-32 of a string
-- @tparam[opt] integer began before this time, no function was loaded
-- @tparam[optchain] boolean has_moved the program is in another directory: relative paths
--   may lead to other files
function script_names.assign(functions, read, crc32, began, has_moved)
  local definitions_in, taken = reader(functions, read, crc32, began, has_moved), {}
  for _, f in ipairs(functions) do
    local by_key = is_defined(f) and definitions_in(f)
    local found = by_key and by_key[key_of(f, f.code)]
    if found then
      set_name(f, names_of(found))
      set_number(f, math.min(found[1].ordinal, MOST), taken)
    elseif f.source then
      local has_number = f.code ~= 0 and not is_main_of_file(f)
      set_number(f, has_number and (FROM_CODE | f.code & MOST) or 0, taken)
    end
  end
end

return script_names
