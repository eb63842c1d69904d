--- The directory relative to which exports for reviewers and repositories name source
-- files.
--
-- @internal gprof.library.files.source_root
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local source_root = {}

--- Returns the root of the repository that contains a directory: the nearest directory
-- above it with an entry `.git`. Without one, returns the current directory.
-- @tparam string directory
-- @treturn string|nil an absolute path without a slash at its end; nil if there is no
--   current directory
function source_root.of(directory)
  local path = core.real_path(directory)
  while path and path ~= "" and path ~= "/" do
    if core.file_status(path .. "/.git") then return path end
    path = path:match "^(.*)/[^/]*$"
  end
  return core.real_path "."
end

--- Returns a path relative to a directory, if the file is below it.
-- @tparam string|nil path as recorded
-- @tparam string|nil root as `source_root.of` returns it
-- @treturn string|nil
function source_root.relative(path, root)
  if not path then return nil end
  path = path:gsub("/%./", "/"):gsub("^%./", "")
  local inside = root and path:sub(1, #root + 1) == root .. "/"
  return inside and path:sub(#root + 2) or path
end

--- Returns an absolute path without links, as the root is.
-- @tparam string path of a file
-- @treturn string the path itself if the file cannot be found
function source_root.real(path) return core.real_path(path) or path end

return source_root
