--- Finds the functions in the bytecode of a chunk, as string.dump writes it in Lua 5.4.
--
-- @internal gprof.scripts.prototypes
-- SPDX-License-Identifier: GPL-3.0-or-later

local prototypes = {}

-- The size of the header and a number of upvalues.
local HEAD <const> = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1

-- The sizes of constants, by type; strings (4 and 20) have a size of their own.
local CONSTANTS <const> = { [0] = 0, [1] = 0, [17] = 0, [3] = 8, [19] = 8 }

-- Reads a number: seven bits in each byte, the highest ones first. Returns it, and the
-- position after it.
local function read_size(bytes, at)
  local number = 0
  while true do
    local byte = bytes:byte(at)
    number, at = number << 7 | byte & 0x7f, at + 1
    if byte >= 0x80 then return number, at end
  end
end

local function skip_string(bytes, at)
  local size, next_at = read_size(bytes, at)
  return next_at + math.max(size - 1, 0)
end

-- Skips an array. `skip` is the size of an element, or a function that skips one.
local function skip_array(bytes, at, skip)
  local count
  count, at = read_size(bytes, at)
  if math.type(skip) then return at + count * skip end
  for _ = 1, count do at = skip(bytes, at) end
  return at
end

local function skip_constant(bytes, at)
  local size = CONSTANTS[bytes:byte(at)]
  return size and at + 1 + size or skip_string(bytes, at + 1)
end

local function skip_line(bytes, at)
  return select(2, read_size(bytes, (select(2, read_size(bytes, at)))))
end

local function skip_debug_information(bytes, at)
  at = skip_array(bytes, at, 1)
  at = skip_array(bytes, at, skip_line)
  at = skip_array(bytes, at, function(_, variable)
    return skip_line(bytes, skip_string(bytes, variable))
  end)
  return skip_array(bytes, at, skip_string)
end

-- Reads a function and those in it, and appends them to a list.
local function read_function(bytes, at, list)
  local f, number, begin = {}, #list + 1, skip_string(bytes, at)
  list[number] = f
  f.first, at = read_size(bytes, begin)
  f.last, at = read_size(bytes, at)
  local parameters, is_vararg = bytes:byte(at, at + 1)
  at = skip_array(bytes, at + 3, 4)
  at = skip_array(bytes, at, skip_constant)
  local upvalues = read_size(bytes, at)
  at = skip_array(bytes, at, 3)
  at = skip_array(bytes, at, function(_, inner)
    return read_function(bytes, inner, list)
  end)
  at = skip_debug_information(bytes, at)
  f.signature = upvalues << 9 | parameters << 1 | is_vararg
  f.code, f.inner = bytes:sub(begin, at - 1), #list - number
  return at
end

--- Returns the functions of a chunk in the order of their definitions, the main one
-- first.
-- @tparam string bytes bytecode
-- @treturn {table,...} functions: `first` and `last`, lines; `signature`, as in
--   gprof.scripts.script_functions; `code`, the bytes from its first line on; `inner`,
--   the number of functions that are defined in it
function prototypes.read(bytes)
  local list = {}
  read_function(bytes, HEAD + 1, list)
  return list
end

return prototypes
