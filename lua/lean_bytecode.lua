--- Bytecode without the names of local variables. They take time to load, and only
-- messages about faults in the library would show them. Lines are kept.
--
-- The layout is that of Lua 5.4 (ldump.c): a function is its source, its lines, sizes,
-- instructions, constants, upvalues, inner functions, and debug information.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- What follows the byte with the kind of a constant. nil and booleans have no value.
local values <const> = {
  [0x03] = "integer", [0x13] = "number", [0x04] = "string", [0x14] = "string",
}

local EMPTY <const> = "\x80"  -- a list

-- Returns an object that reads bytecode from a position on.
local function reader(code, at)
  local from = {}

  function from.skip(count) at = at + count end

  function from.position() return at end

  -- Groups of seven bits, the most significant first; the last one has the highest bit.
  function from.number()
    local result = 0
    repeat
      local byte = code:byte(at)
      result, at = result << 7 | byte & 0x7F, at + 1
    until byte & 0x80 ~= 0
    return result
  end

  function from.byte()
    at = at + 1
    return code:byte(at - 1)
  end

  function from.string()
    local length = from.number() -- plus one; 0: no string
    at = at + math.max(length - 1, 0)
  end

  return from
end

local function skip_constants(from)
  for _ = 1, from.number() do
    local kind = values[from.byte()]
    if kind == "string" then from.string() elseif kind then from.skip(8) end
  end
end

-- Skips a list whose elements have a string, if `has_name`, and numbers.
local function skip_list(from, has_name, numbers)
  for _ = 1, from.number() do
    if has_name then from.string() end
    for _ = 1, numbers do from.number() end
  end
end

-- Reads a function, and appends its bytes from `start` on to `parts`, without names of
-- variables. Returns where the next bytes begin.
local function copy_function(from, code, parts, start)
  from.string()
  from.number()
  from.number()
  from.skip(3) -- parameters, varargs, stack
  from.skip(4 * from.number())
  skip_constants(from)
  from.skip(3 * from.number())
  for _ = 1, from.number() do start = copy_function(from, code, parts, start) end
  from.skip(from.number())
  skip_list(from, false, 2) -- lines of some instructions
  parts[#parts + 1] = code:sub(start, from.position() - 1) .. EMPTY .. EMPTY
  skip_list(from, true, 2)
  skip_list(from, true, 0)
  return from.position()
end

--- Removes the names of variables.
-- @tparam string code from string.dump
-- @tparam integer at where the main function begins
-- @treturn string
-- @raise if the layout is another one
return function(code, at)
  local from, parts = reader(code, at), {}
  local rest = copy_function(from, code, parts, 1)
  local lean = table.concat(parts)
  local loaded = load(lean, "=", "b")
  if rest ~= #code + 1 or not loaded or
    string.dump(loaded, true) ~= string.dump(load(code, "=", "b"), true)
  then
    error("unsupported bytecode layout: Lua 5.4 expected", 0)
  end
  return lean
end
