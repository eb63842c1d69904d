--- Writes the profile of a Lua program: a context profile (see doc/contexts.md) that
-- contains an executable with the program's functions.
--
-- @internal gprof.format.script_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local script_image = require "gprof.format.script_image"

local script_profile = {}

local BASE <const>, GAP <const> = 0x1000, 16  -- address of the first function; alignment

-- The records of gprof.hooks: context, entered, function, line, count. See
-- csrc/scripts/paths.h.
local RECORD <const>, RECORD_SIZE <const> = "<I4I4I4I4I8", 24
local NONE <const>, ROOTS <const> = 0xffffffff, 3

-- The kinds of sections.
local END <const>, PROCESS <const>, MODULES <const>, TABLE <const>, IMAGE <const> =
  0, 1, 2, 3, 5

local JOINED <const> = 1  -- a flag of the process

-- Iterates over the records that are not roots: number, and fields.
local function each_record(records)
  local row = ROOTS - 1
  return function()
    row = row + 1
    if row * RECORD_SIZE >= #records then return nil end
    return row, RECORD:unpack(records, row * RECORD_SIZE + 1)
  end
end

-- Returns the function of each context.
local function functions_of(recorded)
  local of = {}
  for row, _, entered, callee in each_record(recorded.records) do
    if entered == row and callee ~= NONE then of[row] = recorded.functions[callee + 1] end
  end
  return of
end

-- Addresses -----------------------------------------------------------------------------

-- Returns the file of a function; nil if its chunk is not a file.
local function file_of(f) return f.source and f.source:match "^@(.*)$" end

local function name_of(f, number)
  if not f.source then return f.name or ("C function %d"):format(number) end
  local file = file_of(f)
  local place = file and file:match "[^/]*$" or f.source:gsub("^=", "")
  if f.first == 0 then return "main chunk of " .. place end
  return f.name or ("function at %s:%d"):format(place, f.first)
end

-- Returns the last known line of each Lua function. The end of a main chunk is not known.
local function last_lines(recorded, of)
  local last = {}
  for _, f in ipairs(recorded.functions) do last[f] = f.last end
  for _, context, _, _, line in each_record(recorded.records) do
    local f = of[context]
    if f then last[f] = math.max(last[f], line) end
  end
  return last
end

-- Returns the functions as script_image needs them, indexed by number and by function.
local function placed(recorded, of)
  local list, last, low = {}, last_lines(recorded, of), BASE
  for i, f in ipairs(recorded.functions) do
    local first = math.max(f.first, 1)
    local lines = f.source and math.max(last[f] - first, 0) + 1 or 1
    list[i] = { name = name_of(f, i), low = low, size = lines * script_image.LINE,
      file = file_of(f), first = first }
    list[f] = list[i]
    low = low + (list[i].size + GAP - 1) // GAP * GAP
  end
  return list
end

local function address(f, line)
  return f.low + math.max(line - f.first, 0) * script_image.LINE
end

-- Sections ------------------------------------------------------------------------------

local function section(kind, content) return ("<I4s8"):pack(kind, content) end

local function process(recorded, rate, range, command)
  return section(PROCESS, ("<i8i8I8I8I8I8I8I8I8I4I4s4"):pack(recorded.process,
    recorded.parent, recorded.began, recorded.ended, recorded.memory, 0, 0, range.low,
    range.high, rate, recorded.joined and JOINED or 0, command))
end

local function modules(range, id, path)
  return section(MODULES, ("<I4I8I8I8I8I8I4s4s4"):pack(1, 0, range.low, range.high,
    range.low, range.high, 0, id, path))
end

-- Returns the records. The return address of a call is in the line of the call.
local function records_of(recorded, of, functions)
  local list = {}
  for row = 0, ROOTS - 1 do list[row + 1] = ("<I4I4I8I8I8"):pack(row, row, 0, 0, 0) end
  for row, context, entered, callee, line, count in each_record(recorded.records) do
    local caller = functions[of[context]]
    local from, self = caller and address(caller, line) or 0, 0
    if callee ~= NONE then
      from = caller and from + script_image.LINE // 2 or 0
      self = functions[callee + 1].low
    end
    list[row + 1] = ("<I4I4I8I8I8"):pack(context, entered, from, self, count)
  end
  return list
end

local function thread(recorded, records)
  return section(TABLE, ("<I4I4I4I4I8I8I8s4I4"):pack(1, 1, 1, 0, recorded.cpu,
    recorded.signals, 0, "Lua", #records) .. table.concat(records))
end

--- Returns the bytes of the profile.
-- @tparam table recorded what `gprof.hooks` returns of a recording: `functions`, not
--   empty, and all fields of its result
-- @tparam table about `path` of the profile; `rate`, in samples per second; `command`,
--   the words of the command line, each ended by a zero byte; `crc32`, a function that
--   returns the CRC-32 of a string
-- @treturn string
function script_profile.bytes(recorded, about)
  local of = functions_of(recorded)
  local functions = placed(recorded, of)
  local last = functions[#functions]
  local range = { low = BASE, high = last.low + last.size }
  local image, id = script_image.bytes(functions, about.crc32)
  local bytes = "gprofctx" .. ("<I4I2I2"):pack(0x01020304, 1, 8) ..
    process(recorded, about.rate, range, about.command) ..
    modules(range, id, about.path) .. section(IMAGE, image) ..
    thread(recorded, records_of(recorded, of, functions)) .. ("<I4I8"):pack(END, 4)
  return bytes .. ("<I4"):pack(about.crc32(bytes))
end

return script_profile
