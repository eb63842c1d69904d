-- Which lines of C sources hold code, and which of them were run, as gcov has it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local c_lines = {}

-- A source is told of with each object that has it, of which one may have run a line and another not.
local function mark(lines, number, count)
  if count ~= "-" then
    lines[number] = lines[number] or not count:find "[#=]"
  end
end

-- What gcov prints, by the path of each source: the lines. It is run for each object by itself: of several that have a
-- source it tells one.
local function parse(text)
  local sources, lines = {}, nil
  for count, number, rest in text:gmatch " *([^%s:]+): *(%d+):([^\n]*)\n" do
    local path = number == "0" and rest:match "^Source:(.*)"
    if path then
      sources[path] = sources[path] or {}
      lines = sources[path]
    elseif number ~= "0" then
      mark(lines, tonumber(number), count)
    end
  end
  return sources
end

--- Tells which lines of sources were run.
-- @tparam string root directory in which the compiler was run
-- @tparam string objects directory in that with what it made
-- @tparam string folder directory in it of the sources that are meant
-- @treturn {table,...} in the order of paths: `path`; `lines`: by number of those that hold code, whether they were run
function c_lines.read(root, objects, folder)
  local text = shell.check({ "find", objects, "-name", "*.gcno", "-exec", "gcov", "-t", "{}", ";" },
    { cwd = root, env = { LC_ALL = "C" } }).stdout
  local sources = {}
  for path, lines in pairs(parse(text)) do
    if path:sub(1, #folder + 1) == folder .. "/" and next(lines) then
      sources[#sources + 1] = { path = path, lines = lines }
    end
  end
  table.sort(sources, function(a, b) return a.path < b.path end)
  return sources
end

return c_lines
