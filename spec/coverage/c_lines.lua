-- Which lines of C sources hold code, and which of them were run, from gcov.
-- SPDX-License-Identifier: GPL-3.0-or-later

local json = require "dkjson"
local shell = require "support.shell"

local c_lines = {}

-- Adds the lines of a document of gcov's to `sources`, by path and number. A source is in the documents of all objects
-- that include it, and a line is in one as often as there are functions that have it: it was run if one of them ran it.
local function add_document(sources, document)
  for _, file in ipairs(document.files) do
    local lines = sources[file.file] or {}
    sources[file.file] = lines
    for _, line in ipairs(file.lines) do
      lines[line.line_number] = lines[line.line_number] or line.count > 0
    end
  end
end

--- Reads which lines of sources were run.
-- @tparam string root directory in which the compiler was run
-- @tparam string objects directory below it that holds the compiler's output
-- @tparam string folder directory below it of the sources
-- @treturn {table,...} in the order of paths: `path`; `lines`: by number of those that hold code, whether they were run
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
