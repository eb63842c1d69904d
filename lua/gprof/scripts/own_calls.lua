--- Leaves out what a recorded program executes to load `gprof.recorder`: a program may
-- have zones, and be recorded as a whole. The recorder that records it is another one.
--
-- @internal gprof.scripts.own_calls
-- SPDX-License-Identifier: GPL-3.0-or-later

local script_profile = require "gprof.scripts.script_profile"

local own_calls = {}

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

--- Leaves them out. A recursive function, as `require` is, runs in the context of its
-- first call: so the main chunk of the recorder is not above all of them.
-- @tparam table recorded what `gprof.hooks` returns of a recording, and `functions`:
--   `records` is replaced, and functions that are called nowhere else get the field
--   `is_hidden`
function own_calls.hide(recorded)
  if recorded.loaded == 0 then return end
  local functions, seen = recorded.functions, {}
  local directories = directories_of(functions)
  recorded.records = script_profile.without(recorded.records,
    function(row, _, _, callee)
      local f = functions[callee + 1]  -- nil in samples
      if f and row < recorded.loaded and is_own(f, directories) then return false end
      if f then seen[f] = true end
      return true
    end)
  for _, f in ipairs(functions) do f.is_hidden = f.is_hidden or not seen[f] end
end

return own_calls
