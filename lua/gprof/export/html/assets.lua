--- The parts of a page that are not Lua: its style sheet and its scripts, files beside
-- this module.
--
-- @internal gprof.export.html.assets
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"

local assets = {}

-- The scripts in the order in which they stand in the page: later ones use what earlier
-- ones define, and the last starts.
local scripts <const> = {
  "data.js", "dom.js", "table.js", "flat.js", "function.js", "tree.js", "source.js",
  "changes.js", "page.js",
}

-- The directory of this module. A compiled one may not know where it came from.
local function directory()
  local here = debug.getinfo(1, "S").source:match "^@(.*/)"
  local found = package.searchpath("gprof.export.html.assets", package.path)
  return here or found and found:match "^.*/" or "./"
end

local function read(name)
  local path = directory() .. name
  local file, problem = io.open(path, "rb")
  local content = file and file:read "a"
  if file then file:close() end
  -- browsers take each end of a line for a newline before they look at the digest
  if content then return (content:gsub("\r\n?", "\n")) end
  failure.raise("a part of pages is not installed: %s", problem or path)
end

--- The style sheet.
-- @treturn string
-- @raise a table with the field `message`
function assets.style()
  return read "page.css"
end

--- All scripts in one.
-- @treturn string
-- @raise a table with the field `message`
function assets.script()
  local parts = {}
  for i, name in ipairs(scripts) do parts[i] = read(name) end
  return table.concat(parts, "\n")
end

return assets
