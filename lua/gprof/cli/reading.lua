--- Reads profiles into one sum, one after the other.
--
-- Only the sum is kept. What there is to be told of a file on the way goes to a function
-- `tell(what, number, detail)`, with the number of the file in the list:
--
-- - `"done"`: all up to this one are dealt with, and so many bytes were read;
-- - `"other"`: it was found in a directory, and is no profile;
-- - `"bad"`: why it was left out, because bad files are to be.
--
-- @internal gprof.cli.reading
-- SPDX-License-Identifier: GPL-3.0-or-later

local reading = {}

-- Whether a file begins as a profile does. One that cannot be read may be one.
local function may_be_profile(path)
  local file <close> = io.open(path, "rb")
  if not file then return true end
  local head, problem = file:read(4)
  return head == "gmon" or problem ~= nil
end

-- Adds a file. It need not be whole in the end where nothing is done with a part.
local function add(data, path, how)
  if how.slide then return how.slide(data, path, how.file_format) end
  if how.keep_going then return data:add_file(path, how.file_format) end
  return data:read(path, how.file_format)
end

-- Memory that ran out is no file's fault.
local function is_fatal(message, how)
  return not how.keep_going or message:find "not enough memory$"
end

--- Reads some profiles of a list.
-- @tparam data data
-- @tparam table list as `profiles.find` gives it
-- @tparam integer first number of those to be read
-- @tparam integer last
-- @tparam table how `file_format`; `keep_going`: leave bad files out; `forget_files`: do
--   not list them in `data.files`;
--   `slide`: a function that adds a file, as `slide.adder` makes it
-- @tparam function tell
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong
-- @treturn[2] integer with which file
function reading.some(data, list, first, last, how, tell)
  for i = first, last do
    local done, message = true, list.trouble[i]
    if list.directory[i] and not may_be_profile(list[i]) then
      tell("other", i)
    elseif not message then
      done, message = add(data, list[i], how)
    end
    if message then
      if is_fatal(message, how) then return nil, message, i end
      tell("bad", i, message)
    end
    if done and how.forget_files then data.files[1] = nil end
    tell("done", i, data.bytes)
  end
  return data
end

return reading
