-- Reads line coverage of C sources from gcov.
-- SPDX-License-Identifier: GPL-3.0-or-later

local json = require "dkjson"
local shell = require "support.shell"

local c_lines = {}

-- Adds the lines of one JSON document of gcov to `sources`, a table of tables keyed by path and line number. A header
-- occurs in the document of each object that includes it, and a line occurs once for each function that contains it.
-- The line ran if any of its occurrences ran.
local function add_document(sources, document)
  for _, file in ipairs(document.files) do
    local lines = sources[file.file] or {}
    sources[file.file] = lines
    for _, line in ipairs(file.lines) do
      lines[line.line_number] = lines[line.line_number] or line.count > 0
    end
  end
end

--- Reads which lines of the sources ran.
-- @tparam string root the compiler's working directory
-- @tparam string objects directory of the object files, below the root
-- @tparam string folder directory of the sources, below the root
-- @treturn {table,...} ordered by path: `path`; `lines`: maps the number of each line with code to whether it ran
function c_lines.read(root, objects, folder)
  local documents = shell.check({ "find", objects, "-name", "*.gcno", "-exec", "gcov", "-j", "-t", "{}", "+" },
    { cwd = root }).stdout
  local lines_of = {}
  for document in documents:gmatch "[^\n]+" do
    add_document(lines_of, assert(json.decode(document)))
  end
  local sources = {}
  for path, lines in pairs(lines_of) do
    if path:sub(1, #folder + 1) == folder .. "/" and next(lines) then
      sources[#sources + 1] = { path = path, lines = lines }
    end
  end
  table.sort(sources, function(a, b) return a.path < b.path end)
  return sources
end

return c_lines
