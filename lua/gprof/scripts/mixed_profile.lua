--- Writes the profile of a Lua program together with the C functions that it calls, or
-- that call it. The C recorder's context profile (see doc/contexts.md) has the records of
-- both. In it, the addresses of Lua functions are their numbers and lines (see
-- csrc/runtime/lua_frames.h). They get a list of functions, and a module, as in profiles
-- without C functions.
--
-- @internal gprof.scripts.mixed_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local script_functions = require "gprof.scripts.script_functions"
local script_profile = require "gprof.scripts.script_profile"

local mixed_profile = {}

local LINE <const>, LOW <const> = script_functions.LINE, script_functions.LOW
local HEADER <const>, SECTION <const> = 16, "<I4s8"
local PROCESS <const>, MODULES <const>, TABLE <const> = 1, 2, 3
local MODULE <const> = "<I8I8I8I8I8I4s4s4"
local TABLE_HEAD <const> = "<I4I4I4I4I8I8I8s4I4"
local RECORD <const>, RECORD_SIZE <const> = "<I4I4I8I8I8", 32
local BIAS <const> = 1 << 62  -- of the module with the Lua functions: no code is there

-- Reading the C recorder's profile ------------------------------------------------------

-- Returns the sections that are neither the end nor unknown, with `kind` and `content`.
local function sections_of(bytes)
  local sections, at = {}, HEADER + 1
  while at <= #bytes do
    local kind, content, next_at = SECTION:unpack(bytes, at)
    if kind >= PROCESS and kind <= TABLE then
      sections[#sections + 1] = { kind = kind, content = content }
    end
    at = next_at
  end
  return sections
end

-- Returns the ends of the code of the module that contains an address.
local function code_at(modules, address)
  local count, at = ("<I4"):unpack(modules)
  for _ = 1, count do
    local _, low, high, code, code_end, _, _, _, next_at = MODULE:unpack(modules, at)
    if address >= low and address < high then return code, code_end end
    at = next_at
  end
  return 0, 0
end

-- Iterates over the records of a table: number, context, entered, from, self, count.
local function each_record(content)
  local at, row = select(10, TABLE_HEAD:unpack(content)) - RECORD_SIZE, -1
  return function()
    row, at = row + 1, at + RECORD_SIZE
    if at < #content then return row, RECORD:unpack(content, at) end
  end
end

-- Changing addresses --------------------------------------------------------------------

-- Returns a function that returns the function and line that an address stands for; nil
-- if it stands for none.
local function decoder(recorded)
  local low, size, bits = recorded.functions_low, recorded.functions_size,
    recorded.line_bits
  return function(address)
    local offset = address - low
    if not math.ult(offset, size) then return nil end
    return recorded.functions[(offset >> bits) + 1], offset & (1 << bits) - 1
  end
end

-- Changes the addresses in the records of a table, and adds records of creations. The
-- interpreter, whose code is between two addresses, calls C functions for the function
-- that runs.
local function changed(content, recorded, decode, addresses, code, code_end)
  local head = { TABLE_HEAD:unpack(content) }
  local parts = {}
  local callees, contexts = {}, {}  -- the Lua functions, by record of the call
  for row, context, entered, from, self, count in each_record(content) do
    local f, line = decode(from)
    if not f and self ~= 0 and from >= code and from < code_end then
      f = callees[context]
    end
    if f then
      from = BIAS + (addresses[f][line] or addresses[f].entry) +
        (self ~= 0 and LINE // 2 or 0)
    end
    local callee = decode(self)
    if callee then callees[row], self = callee, BIAS + addresses[callee].entry end
    if entered == row then contexts[row] = callee end
    parts[#parts + 1] = RECORD:pack(context, entered, from, self, count)
  end
  local more = script_profile.creations(recorded.functions, contexts, addresses, #parts,
    BIAS)
  table.move(more, 1, #more, #parts + 1, parts)
  head[9] = #parts
  return TABLE_HEAD:pack(table.unpack(head, 1, 9)) .. table.concat(parts)
end

-- Writing -------------------------------------------------------------------------------

--- Returns the bytes of the profile.
-- @tparam table recorded what `gprof.hooks` returns of a recording with C functions:
--   `functions`, not empty, and all fields of its result
-- @tparam function crc32 returns the CRC-32 of a string
-- @treturn string
function mixed_profile.bytes(recorded, crc32)
  local decode, lines = decoder(recorded), script_profile.lines(recorded.functions)
  local sections = sections_of(recorded.profile)
  local code, code_end
  for _, section in ipairs(sections) do
    if section.kind == MODULES then
      code, code_end = code_at(section.content, recorded.interpreter)
    elseif section.kind == TABLE then
      -- the lines in which there are calls or samples
      for _, _, _, from in each_record(section.content) do
        local f, line = decode(from)
        if f and f.source and line > 0 then lines[f][line] = true end
      end
    end
  end
  local list, addresses, high = script_profile.list(recorded.functions, lines)
  local parts = { script_profile.functions(list) }
  for _, section in ipairs(sections) do
    local content = section.content
    if section.kind == MODULES then
      local count, at = ("<I4"):unpack(content)
      content = ("<I4"):pack(count + 1) .. MODULE:pack(BIAS, BIAS + LOW, BIAS + high,
        BIAS + LOW, BIAS + high, 0, "", "") .. content:sub(at)
    elseif section.kind == TABLE then
      content = changed(content, recorded, decode, addresses, code, code_end)
    end
    parts[#parts + 1] = SECTION:pack(section.kind, content)
    if section.kind == MODULES then
      parts[#parts + 1] = script_profile.executions(list)
    end
  end
  return script_profile.complete(table.concat(parts), crc32)
end

return mixed_profile
