--- Leaves out what a recorded program executes to load `gprof.recorder`: a program may
-- have zones, and be recorded as a whole. The recorder that records it is another one.
--
-- @internal gprof.scripts.own_calls
-- SPDX-License-Identifier: GPL-3.0-or-later

local own_calls = {}

-- The records of gprof.hooks: see csrc/scripts/call_paths.h.
local RECORD <const>, SIZE <const>, NONE <const>, ROOTS <const> = "<I4I4I4I4I8", 24,
  0xffffffff, 3

-- Modules that show where the library is: in a checkout, `gprof` is also a link.
local MARKS <const> = { "^(@.*gprof/)recorder%.lua$", "^(@.*gprof/)library/native%.lua$" }

-- Returns the directories of the library that was loaded, as sources have them.
local function directories_of(functions)
  local directories = {}
  for _, f in ipairs(functions) do
    for _, mark in ipairs(f.first == 0 and f.source and MARKS or {}) do
      directories[#directories + 1] = f.source:match(mark)
    end
  end
  return directories
end

-- Whether a function is in one of the directories, or in the native module.
local function is_own(f, directories)
  if not f.source then
    return f.full_place ~= nil and f.full_place:find("gprof/hooks.so", 1, true) ~= nil
  end
  for _, directory in ipairs(directories) do
    if f.source:sub(1, #directory) == directory then return true end
  end
  return false
end

-- Returns the records without those, among the first `loaded` ones, of the library and of
-- what it calls; and the set of the functions that are left. A recursive function, as
-- `require` is, runs in the context of its first call: so the main chunk of the recorder
-- is not above all of them.
local function visible(records, functions, loaded)
  local kept, number_of, hidden, seen = {}, {}, {}, {}
  local directories = directories_of(functions)
  for row = 0, #records // SIZE - 1 do
    local context, entered, callee, line, count =
      RECORD:unpack(records, row * SIZE + 1)
    local f = row >= ROOTS and callee ~= NONE and functions[callee + 1] or nil
    local is_hidden = f and row < loaded and is_own(f, directories)
    if hidden[context] or is_hidden then
      hidden[row] = true
    else
      number_of[row] = #kept
      kept[#kept + 1] = RECORD:pack(number_of[context], number_of[entered], callee, line,
        count)
      if f then seen[f] = true end
    end
  end
  return table.concat(kept), seen
end

--- Leaves them out.
-- @tparam table recorded what `gprof.hooks` returns of a recording, and `functions`:
--   `records` is replaced, and functions that are called nowhere else get the field
--   `is_hidden`
function own_calls.hide(recorded)
  if recorded.loaded == 0 then return end
  local seen
  recorded.records, seen = visible(recorded.records, recorded.functions, recorded.loaded)
  for _, f in ipairs(recorded.functions) do f.is_hidden = f.is_hidden or not seen[f] end
end

return own_calls
