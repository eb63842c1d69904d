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

--- Removes directories that are left again: "build/../src" becomes "src". Paths of source
-- files have them only with `--gnu-compat`.
-- @tparam string text
-- @treturn string
function path.without_detours(text)
  return require "gprof.core".short_path(text)  -- recorded programs lack the core
end

return path
