--- Parts of paths. Paths come from files and can be long: all functions take linear time,
-- whereas the pattern `[^/]*$` is tried at each character.
--
-- @internal gprof.format.path
-- SPDX-License-Identifier: GPL-3.0-or-later

local path = {}

--- Splits a path after its last slash.
-- @tparam string text
-- @treturn string the directory with its slash; empty if there is none
-- @treturn string the name in the directory
function path.split(text)
  local directory = text:match "^.*/" or ""
  return directory, text:sub(#directory + 1)
end

--- Returns the part after the last slash.
-- @tparam string text
-- @treturn string
function path.base(text)
  return text:match "^.*/(.*)$" or text
end

--- Removes directories that are left again: "build/../src" becomes "src". Compilers write
-- such paths, and one file can have several. A link to a directory is not looked up.
-- @tparam string text
-- @treturn string
function path.without_detours(text)
  local parts = {}
  for part in text:gmatch "[^/]+" do
    local last = parts[#parts]
    if part == ".." and last and last ~= ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return text:match "^/?" .. table.concat(parts, "/")
end

return path
