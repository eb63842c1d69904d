--- The page's style sheet and scripts, read from the directory of this module.
--
-- @internal gprof.export.html.assets
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"
local home = require "gprof.library.home"

local assets = {}

-- In load order: each script uses definitions of earlier ones; the last shows the page.
local scripts <const> = {
  "packed.js", "views.js", "data.js", "names.js", "name_groups.js", "keys.js",
  "address.js", "stops.js", "dom.js", "theme.js", "thread_choice.js", "copy.js",
  "table.js", "flat.js", "lines.js", "neighbourhood.js", "neighbourhood_picture.js",
  "function.js", "both_runs.js", "tree_model.js", "frames.js", "flame.js",
  "groupings.js", "group_table.js", "colours.js", "tree.js", "syntax.js", "source.js",
  "changes.js", "changes_view.js", "threads.js", "spread.js", "sentence.js",
  "refine.js", "bench.js", "command.js", "page.js",
}

local function read(name)
  local path = home.directories() .. "gprof/export/html/" .. name
  local file, problem = io.open(path, "rb")
  local content = file and file:read "a"
  if file then file:close() end
  -- Browsers normalize line ends before they compute the hash for the policy.
  if content then return (content:gsub("\r\n?", "\n")) end
  failure.raise("%s (the HTML page needs this file: reinstall gprof)",
    problem or path .. ": cannot be read")
end

--- Returns the style sheet.
-- @treturn string
-- @raise a table with the field `message` if it is not installed
function assets.style()
  return read "page.css"
end

--- Returns all scripts, concatenated.
-- @treturn string
-- @raise a table with the field `message` if one is not installed
function assets.script()
  local parts = {}
  for i, name in ipairs(scripts) do parts[i] = read(name) end
  return table.concat(parts, "\n")
end

return assets
