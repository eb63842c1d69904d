--- Recognizes profile files by their first bytes, and finds the context profile that
-- belongs to a gmon.out.
--
-- @internal gprof.library.profile_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local profile_files = {}

local SUFFIX <const> = ".ctx"

--- Returns whether a file begins like a gmon.out of the current format or like a context
-- profile.
-- @tparam string|nil head the first eight bytes of the file
-- @treturn boolean
function profile_files.is_head(head)
  return head ~= nil and (head:sub(1, 4) == "gmon" or head == "gprofctx")
end

--- Finds the context profiles whose gmon.out is also in a list.
-- @tparam {string,...} paths
-- @treturn {[integer]=true,...} the set of their positions in the list
function profile_files.accompanying(paths)
  local given, found = {}, {}
  for _, path in ipairs(paths) do given[path] = true end
  for i, path in ipairs(paths) do
    if path:sub(-#SUFFIX) == SUFFIX then found[i] = given[path:sub(1, -#SUFFIX - 1)] end
  end
  return found
end

--- Returns the path where the recorder puts the context profile of a gmon.out.
-- @tparam string path
-- @treturn string
function profile_files.context_path(path) return path .. SUFFIX end

-- Returns the time in the header of a gmon.out that the recorder wrote.
local function time_of(path, data)
  local file <close> = io.open(path, "rb")
  local header = file and file:read(20)
  return header and #header == 20 and
    ((data.big_endian and ">" or "<") .. "i8"):unpack(header, 13)
end

--- Returns the number of the process that wrote a context profile on this machine.
-- @tparam string path
-- @treturn integer|nil nil if there is no such file
function profile_files.process_of(path)
  local file <close> = core.file_status(path) == "file" and io.open(path, "rb") or nil
  local head = file and file:read(36)
  if not head or #head < 36 or head:sub(1, 8) ~= "gprofctx" then return nil end
  return (("i8"):unpack(head, 29))
end

--- Reads the context profile beside a gmon.out.
-- @tparam image image
-- @tparam string path of the gmon.out
-- @treturn[1] table its entry in `data.files`
-- @return[2] nil
-- @treturn[2] string|nil why it cannot be used; nil if there is none
function profile_files.contexts_beside(image, path)
  local beside = profile_files.context_path(path)
  if core.file_status(path) ~= "file" or core.file_status(beside) ~= "file" then
    return nil
  end
  local data <close>, message = core.data(image):read(beside)
  if not data then return nil, message end
  local file = data.files[1]
  if file.format ~= "context" then return nil, beside .. ": is not a context profile" end
  if file.written ~= time_of(path, data) then
    return nil, ("%s: does not belong to %s, but to another run"):format(beside, path)
  end
  return file
end

return profile_files
