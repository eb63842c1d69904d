--- Reads the recorder's answers to requests in the list of a process's mappings,
-- /proc/PID/maps (see csrc/runtime/requests.h). A process can give its mappings any
-- names.
--
-- @internal gprof.library.answers
-- SPDX-License-Identifier: GPL-3.0-or-later

local answers = {}

local DISTANCE <const> = 65536  -- from the answer to the mapping of the profile
local LARGEST <const> = 2147483647  -- the recorder's numbers are ints

-- A line: first address, other columns, and the name, if there is one.
local MAPPING <const> = "^(%x+)%-%x+ %S+ %x+ %S+ %d+ *(.*)$"

-- Returns the number that digits stand for; nil if it is too large.
local function number_of(digits)
  local number = math.tointeger(tonumber(digits))
  return number and number <= LARGEST and number or nil
end

-- Returns the answer in the name of a mapping; nil if it has none.
local function answer_in(name)
  local signal, count, code = name:match "^/memfd:gprof%-recorder:(%d+):(%d+):(%d+) "
  if not signal then return nil end
  signal, count, code = number_of(signal), number_of(count), number_of(code)
  return signal and count and code and { signal = signal, count = count, error = code }
end

--- Finds the answers to all requests so far.
-- @tparam string text the mappings
-- @treturn table|nil `signal`, with which the process is asked; `count`, the number of
--   answers; `error`, the errno of the last one; and `path`, of the last context profile,
--   nil if there is none; nil without answers
function answers.read(text)
  local found, place
  for line in text:gmatch "[^\n]+" do
    local start, name = line:match(MAPPING)
    if not start then goto continue end
    start = tonumber(start, 16)
    if not found then
      found, place = answer_in(name), start + DISTANCE
    elseif start == place and name:find "^/" then
      -- The kernel writes a newline as \012, and adds " (deleted)" if the file was
      -- removed or replaced.
      found.path = (name:gsub("%.ctx %(deleted%)$", ".ctx"):gsub("\\012", "\n"))
      break
    end
    ::continue::
  end
  return found
end

return answers
