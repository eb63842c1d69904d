--- Recognizes profile files by their first bytes, and finds the context profiles beside
-- them.
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

--- Returns the path of the context profile beside a gmon.out.
-- @tparam string path
-- @treturn string
function profile_files.context_path(path) return path .. SUFFIX end

--- Returns the path of the context profile beside a gmon.out if there is one.
-- @tparam string path
-- @treturn string|nil
function profile_files.existing_contexts(path)
  local beside = profile_files.context_path(path)
  return core.file_status(beside) == "file" and beside or nil
end

--- Returns whether any of the profiles in a list is or has a context profile.
-- @tparam {string,...} paths
-- @treturn boolean
function profile_files.have_contexts(paths)
  for _, path in ipairs(paths) do
    if path:sub(-#SUFFIX) == SUFFIX or profile_files.existing_contexts(path) then
      return true
    end
  end
  return false
end

return profile_files
