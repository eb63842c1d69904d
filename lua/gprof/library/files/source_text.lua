--- Finds and reads source files.
--
-- Debugging information has the name that the compiler was given, but the source may have
-- been moved. So these paths are tried: that name, then that name below each directory of
-- a list, then without its first component, without its first two, and so on.
--
-- @internal gprof.library.files.source_text
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local core = require "gprof.core"
local wording = require "gprof.format.wording"

local source_text = {}

-- The maximum size of a source file in bytes, and its maximum number of lines.
local MAX_SIZE <const>, MAX_LINES <const> = 32 << 20, 2000000

--- Splits a list of directories at colons.
-- @tparam string list "A:B:C"
-- @treturn {string,...} the directories, without empty names
function source_text.directories(list)
  local found = {}
  for directory in list:gmatch "[^:]+" do
    found[#found + 1] = directory
  end
  return found
end

--- Returns whether a name matches a source file.
-- @tparam string file its name as recorded
-- @tparam string name the recorded name, or its last components: "left/common.c"
-- @treturn boolean
function source_text.is_named(file, name)
  return ("/" .. file):sub(-#name - 1) == "/" .. name
end

-- Returns what a file may be called below a directory: its name, unless it is absolute,
-- and its last components, the longest first. GNU gprof tries only the name and its last
-- component.
local function tails(name, is_gnu)
  local list, last = {}, base_name(name)
  if name:sub(1, 1) ~= "/" then list[1] = name end
  for at in name:gmatch "/+()" do
    local tail = name:sub(at)
    if not is_gnu and tail ~= last then list[#list + 1] = tail end
  end
  list[#list + 1] = last
  return list
end

-- Returns all paths where a file may be, in the order of the search.
local function candidates(name, directories, is_gnu)
  local paths = { name }
  for _, tail in ipairs(directories[1] and tails(name, is_gnu) or {}) do
    for _, directory in ipairs(directories) do
      if tail ~= "" then paths[#paths + 1] = directory .. "/" .. tail end
    end
  end
  return paths
end

--- Returns the message about a file that was not found.
-- @tparam string name as recorded
-- @treturn string
function source_text.not_found(name)
  return name .. ": source not found"
end

--- Returns the message about files that were not found.
-- @tparam {string,...} names as recorded
-- @treturn string
function source_text.all_not_found(names)
  return (names[2] and ("%d source files not found: %s"):format(#names,
    wording.first(names)) or source_text.not_found(names[1])) ..
    " (-I adds directories to search)"
end

-- Whether a path leads to a file of the system, such as a device. Such a file may be
-- endless, or reading it may have side effects. /dev/shm has ordinary files.
local function is_system_file(path)
  local real = core.real_path(path) or path
  local top = real:match "^/(%a+)/"
  return top == "proc" or top == "sys" or top == "dev" and not real:find "^/dev/shm/"
end

--- Finds a source file.
-- @tparam string name as recorded
-- @tparam[opt] {string,...} directories to search
-- @tparam[opt=false] boolean is_gnu search where GNU gprof does
-- @treturn[1] string the path
-- @treturn[1] integer modification time, in seconds since the epoch
-- @return[2] nil
-- @treturn[2] string what is wrong
function source_text.find(name, directories, is_gnu)
  local odd
  for _, path in ipairs(candidates(name, directories or {}, is_gnu)) do
    local kind, changed = core.file_status(path)
    if kind == "file" and not is_system_file(path) then return path, changed end
    odd = odd or kind and path .. (kind == "file" and ": is a system file" or
      ": is not a regular file")
  end
  return nil, odd or source_text.not_found(name)
end

local function too_large(path, what)
  return nil, ("%s: has more than %s, and is not shown"):format(path, what)
end

-- Reads at most the size that the file has at first, because the file may grow.
local function read(path)
  local _, _, _, size = core.file_status(path)
  if size and size > MAX_SIZE then
    return too_large(path, ("%d MB"):format(MAX_SIZE >> 20))
  end
  local file <close>, message = io.open(path, "rb")
  if not file then return nil, message end
  local text, problem = file:read(size or 0)
  if problem then return nil, path .. ": " .. problem end
  text = text or ""
  if #text > MAX_LINES and select(2, core.split_lines(text, {})) > MAX_LINES then
    return too_large(path, MAX_LINES .. " lines")
  end
  return text
end

--- Finds and reads a source file.
-- @tparam string name as recorded
-- @tparam[opt] {string,...} directories to search
-- @tparam[opt=false] boolean is_gnu search where GNU gprof does
-- @treturn[1] string the text
-- @treturn[1] string the path
-- @treturn[1] integer modification time, in seconds since the epoch
-- @return[2] nil
-- @treturn[2] string what is wrong
function source_text.load(name, directories, is_gnu)
  local path, changed = source_text.find(name, directories, is_gnu)
  if not path then return nil, changed end
  local text, message = read(path)
  if not text then return nil, message end
  return text, path, changed
end

--- Returns when a program was built: the modification time of its file.
-- @tparam image image
-- @treturn integer in seconds since the epoch; the largest integer if it is unknown
function source_text.built(image)
  local kind, time = core.file_status(image.path)
  return kind and time or math.maxinteger
end

--- Splits a text into lines.
-- @function source_text.lines
-- @tparam string text
-- @tparam[opt] {[integer]=boolean} chosen numbers of lines, if others are to be left out
-- @treturn {string,...} the lines, including their line endings
-- @treturn integer how many the text has
source_text.lines = core.split_lines

return source_text
