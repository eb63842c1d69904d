--- Writes the profile of a Lua program: a context profile (see doc/contexts.md) that
-- contains a list of the program's functions.
--
-- @internal gprof.scripts.script_profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local script_functions = require "gprof.scripts.script_functions"
local sorted = require "gprof.format.sorted"

local script_profile = {}

local LINE <const>, LOW <const> = script_functions.LINE, script_functions.LOW

-- The records of gprof.hooks: context, entered, function, line, count. See
-- csrc/scripts/call_paths.h.
local RECORD <const>, RECORD_SIZE <const> = "<I4I4I4I4I8", 24
local NONE <const>, ROOTS <const> = 0xffffffff, 3

-- The kinds of sections.
local END <const>, PROCESS <const>, MODULES <const>, TABLE <const>, FUNCTIONS <const>,
  LINES <const> = 0, 1, 2, 3, 5, 6

local HEADER <const> = "gprofctx" .. ("<I4I2I2"):pack(0x01020304, 1, 8)
local JOINED <const> = 1  -- a flag of the process
local UNNAMED <const> = 100  -- the rank of a missing name

-- Iterates over the records that are not roots: number, and fields.
local function each_record(records)
  local row = ROOTS - 1
  return function()
    row = row + 1
    if row * RECORD_SIZE >= #records then return nil end
    return row, RECORD:unpack(records, row * RECORD_SIZE + 1)
  end
end

--- Returns the records without some.
-- @tparam string records of gprof.hooks
-- @tparam function is_left takes the number of a record and its fields: context, entered
--   context, callee, line and count; returns false for a record to leave out, together
--   with all records in the context that it enters
-- @treturn string
function script_profile.without(records, is_left)
  local kept, number_of = { records:sub(1, ROOTS * RECORD_SIZE) }, {}
  for root = 0, ROOTS - 1 do number_of[root] = root end
  for row, context, entered, callee, line, count in each_record(records) do
    local outer = number_of[context]
    if outer and is_left(row, context, entered, callee, line, count) then
      number_of[row] = #kept + ROOTS - 1
      kept[#kept + 1] = RECORD:pack(outer, number_of[entered], callee, line, count)
    end
  end
  return table.concat(kept)
end

-- Addresses -----------------------------------------------------------------------------

--- Returns the lines of each function that are known without records, as sets. The
-- first line is the address of the function.
-- @tparam {table,...} functions
-- @treturn table
function script_profile.lines(functions)
  local lines = {}
  for _, f in ipairs(functions) do
    lines[f] = { [f.source and math.max(f.first, 1) or 0] = true }
    for line in pairs(f.executions) do lines[f][line] = true end
  end
  for _, f in ipairs(functions) do
    for _, place in ipairs(f.created) do
      lines[functions[place.creator]][place.line] = true
    end
  end
  return lines
end

-- Returns the function of each context, which comes before the records in it; and the
-- recorded lines of each function, as sets.
local function functions_of(recorded)
  local of, lines = {}, script_profile.lines(recorded.functions)
  for row, context, entered, callee, line in each_record(recorded.records) do
    if entered == row and callee ~= NONE then of[row] = recorded.functions[callee + 1] end
    local f = of[context]
    if f and f.source and line > 0 then lines[f][line] = true end
  end
  return of, lines
end

-- Returns the places in object files that several C functions have: in files of the same
-- name.
local function shared_places(functions)
  local seen, shared = {}, {}
  for _, f in ipairs(functions) do
    if f.place then shared[f.place], seen[f.place] = seen[f.place], true end
  end
  return shared
end

-- A C function is identified by its name in a module, or by its place in an object file.
-- Modules that change while they are recorded may give a name to several.
local function source_of(f, taken, shared)
  if f.source then return f.source end
  local name = f.rank == 0 and f.name
  local is_new = name and not taken[name]
  if is_new then taken[name] = true end
  return "[C]" .. (is_new and name or shared[f.place] and f.full_place or f.place)
end

local function entry_of(f, lines, taken, shared)
  return { source = source_of(f, taken, shared), first = f.first, last = f.last,
    signature = f.signature, name = f.name or f.symbol or "",
    rank = f.name and f.rank or UNNAMED, lines = sorted.keys(lines[f]), recorded = f }
end

--- Gives functions and their lines addresses, except to those that are hidden (see
-- gprof.scripts.own_calls).
-- @tparam {table,...} functions that were recorded
-- @tparam table lines the lines of each, as sets
-- @treturn {table,...} the list of functions (see gprof.scripts.script_functions)
-- @treturn table for each function, the addresses of its lines and of its `entry`
-- @treturn integer where the addresses end
function script_profile.list(functions, lines)
  local list, addresses, low = {}, {}, LOW
  local taken, shared = {}, shared_places(functions)
  for _, f in ipairs(functions) do
    if not f.is_hidden then list[#list + 1] = entry_of(f, lines, taken, shared) end
  end
  script_functions.sort(list)
  for _, f in ipairs(list) do
    local places = { entry = low }
    for i, line in ipairs(f.lines) do places[line] = low + (i - 1) * LINE end
    addresses[f.recorded], low = places, low + #f.lines * LINE
  end
  return list, addresses, low
end

-- Sections ------------------------------------------------------------------------------

local function section(kind, content) return ("<I4s8"):pack(kind, content) end

--- Returns the profile that has some sections, and an end.
-- @tparam string sections
-- @tparam function crc32
-- @treturn string
function script_profile.complete(sections, crc32)
  local bytes = HEADER .. sections .. ("<I4I8"):pack(END, 4)
  return bytes .. ("<I4"):pack(crc32(bytes))
end

local function process(recorded, rate, high, command)
  return section(PROCESS, ("<i8i8I8I8I8I8I8I8I8I4I4s4"):pack(recorded.process,
    recorded.parent, recorded.began, recorded.ended, recorded.memory, 0, 0, LOW, high,
    rate, recorded.joined and JOINED or 0, command))
end

--- Returns the section with the list of functions.
-- @tparam {table,...} list
-- @treturn string
function script_profile.functions(list)
  return section(FUNCTIONS, script_functions.encode(list))
end

--- Returns the section with the executions of lines; "" if they were not counted.
-- @tparam {table,...} list
-- @treturn string
function script_profile.executions(list)
  local parts, row = {}, 0
  for _, f in ipairs(list) do
    for _, line in ipairs(f.lines) do
      local count = f.recorded.executions[line]
      if count then parts[#parts + 1] = ("<I4I8"):pack(row, count) end
      row = row + 1
    end
  end
  return parts[1] and section(LINES, table.concat(parts)) or ""
end

--- Returns the records of the places that created coroutines: samples without ticks in a
-- context of the function with which they began.
-- @tparam {table,...} functions that were recorded
-- @tparam table of the function of each context
-- @tparam table addresses of the functions' lines
-- @tparam integer row the number of the first record
-- @tparam integer bias is added to addresses
-- @treturn {string,...}
function script_profile.creations(functions, of, addresses, row, bias)
  local context_of, records = {}, {}
  for context, f in pairs(of) do
    context_of[f] = math.min(context, context_of[f] or context)
  end
  for _, f in ipairs(functions) do
    for _, place in ipairs(context_of[f] and f.created or {}) do
      local of_creator = addresses[functions[place.creator]]  -- nil if it is hidden
      -- not the address of the line's samples, which the function itself may have
      records[#records + 1] = of_creator and ("<I4I4I8I8I8"):pack(context_of[f],
        row + #records, bias + of_creator[place.line] + LINE // 2, 0, 0)
    end
  end
  return records
end

-- Returns the set of contexts that have calls, ticks or created coroutines, or lead to
-- such. Others are only the way to the function that ended the recording.
local function live_contexts(recorded, of)
  local live, records = {}, recorded.records
  for row = #records // RECORD_SIZE - 1, ROOTS, -1 do
    local context, entered, _, _, count = RECORD:unpack(records, row * RECORD_SIZE + 1)
    local f = entered == row and of[row]
    if count > 0 or live[entered] or f and f.created[1] then
      live[context], live[entered] = true, true
    end
  end
  return live
end

-- Returns the records. The return address of a call is in the line of the call. Calls
-- that are left out become samples without ticks, so that the others keep their numbers.
local function records_of(recorded, of, addresses)
  local list, live = {}, live_contexts(recorded, of)
  for row = 0, ROOTS - 1 do list[row + 1] = ("<I4I4I8I8I8"):pack(row, row, 0, 0, 0) end
  for row, context, entered, callee, line, count in each_record(recorded.records) do
    local caller = of[context] and addresses[of[context]]
    local from, self = caller and (caller[line] or caller.entry) or 0, 0
    if not live[context] or callee ~= NONE and not live[entered] then
      context, entered = 0, row
    elseif callee ~= NONE then
      from = caller and from + LINE // 2 or 0
      self = addresses[recorded.functions[callee + 1]].entry
    end
    list[row + 1] = ("<I4I4I8I8I8"):pack(context, entered, from, self, count)
  end
  local more = script_profile.creations(recorded.functions, of, addresses, #list, 0)
  return table.move(more, 1, #more, #list + 1, list)
end

local function thread(recorded, records)
  return section(TABLE, ("<I4I4I4I4I8I8I8s4I4"):pack(1, 1, 1, 0, recorded.cpu,
    recorded.signals, recorded.inside, "Lua", #records) .. table.concat(records))
end

--- Returns the bytes of the profile.
-- @tparam table recorded what `gprof.hooks` returns of a recording: `functions`, not
--   empty, and all fields of its result
-- @tparam table about `rate`, in samples per second; `command`, the words of the command
--   line, each ended by a zero byte; `crc32`, a function that returns the CRC-32 of a
--   string
-- @treturn string
function script_profile.bytes(recorded, about)
  local of, lines = functions_of(recorded)
  local list, addresses, high = script_profile.list(recorded.functions, lines)
  -- has neither a build ID nor a path
  local module = section(MODULES,
    ("<I4I8I8I8I8I8I4s4s4"):pack(1, 0, LOW, high, LOW, high, 0, "", ""))
  return script_profile.complete(script_profile.functions(list) ..
    process(recorded, about.rate, high, about.command) .. module ..
    script_profile.executions(list) ..
    thread(recorded, records_of(recorded, of, addresses)), about.crc32)
end

return script_profile
