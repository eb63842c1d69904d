--- Source files: their names, where they are, and their text.
--
-- Debugging information has the names that the compiler was given, and sources move. So a
-- file is looked for by that name, by that name below each directory of a list, and by
-- its last component in each of these directories.
--
-- @internal gprof.library.source_text
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local source_text = {}

--- Splits a list of directories.
-- @tparam string list "A:B:C"
-- @treturn {string,...} without empty ones
function source_text.directories(list)
  local found = {}
  for directory in list:gmatch "[^:]+" do
    found[#found + 1] = directory
  end
  return found
end

--- Tells whether a source file has a name.
-- @tparam string file as recorded
-- @tparam string name the same, or its last components: "left/common.c"
-- @treturn boolean
function source_text.is_named(file, name)
  return ("/" .. file):sub(-#name - 1) == "/" .. name
end

-- All paths that a file may be found at, the most likely first.
local function candidates(name, directories)
  local base, paths = name:match "[^/]*$", { name }
  local absolute = name:sub(1, 1) == "/"
  for _, tail in ipairs { absolute and "" or name, base } do
    for _, directory in ipairs(directories) do
      if tail ~= "" then paths[#paths + 1] = directory .. "/" .. tail end
    end
  end
  return paths
end

--- Finds a source file.
-- @tparam string name as recorded
-- @tparam[opt] {string,...} directories to look in
-- @treturn[1] string the path
-- @treturn[1] integer when it was changed, in seconds of the system's clock
-- @return[2] nil
-- @treturn[2] string what is wrong
function source_text.find(name, directories)
  local odd
  for _, path in ipairs(candidates(name, directories or {})) do
    local kind, changed = core.file_status(path)
    if kind == "file" then return path, changed end
    odd = odd or kind and path
  end
  if odd then return nil, odd .. ": is not a regular file" end
  return nil, name .. ": source not found"
end

-- The text of a file; or nil and what is wrong.
local function read(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text, problem = file:read "a"
  file:close()
  if not text then return nil, path .. ": " .. problem end
  return text
end

--- Finds a source file, and reads it.
-- @tparam string name as recorded
-- @tparam[opt] {string,...} directories to look in
-- @treturn[1] string the text
-- @treturn[1] string the path that it was found at
-- @treturn[1] integer when it was changed, in seconds of the system's clock
-- @return[2] nil
-- @treturn[2] string what is wrong
function source_text.load(name, directories)
  local path, changed = source_text.find(name, directories)
  if not path then return nil, changed end
  local text, message = read(path)
  if not text then return nil, message end
  return text, path, changed
end

--- Splits a text.
-- @tparam string text
-- @treturn {string,...} its lines with their ends, whatever these are
function source_text.lines(text)
  local lines = {}
  for line in text:gmatch "[^\n]*\n?" do
    if line ~= "" then lines[#lines + 1] = line end
  end
  return lines
end

return source_text
