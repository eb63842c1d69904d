-- Which lines of Lua sources hold code, as the compiler has it, and which of them were run, as the collector has it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local lua_lines = {}

-- Instructions that are nobody's words: a function takes its variable arguments, a block gives its variables up.
local IMPLIED <const> = { VARARGPREP = true, CLOSE = true }

-- The lines that instructions are of. The return at the end of a function is implied, too: it is there even where
-- nothing comes to it.
local function of_code(luac, path)
  local lines, previous = {}, nil
  local listing = shell.check { luac, "-p", "-l", path }.stdout
  for number, line, operation in listing:gmatch "\n\t(%d+)\t%[(%d+)%]\t(%u+)" do
    if previous and number ~= "1" then lines[previous] = false end
    previous = not IMPLIED[operation] and tonumber(line) or nil
  end
  return lines
end

-- All that processes have left in a directory. Much of it is said by many, and kept once.
local function read_records(directory)
  local records = {}
  for record in shell.check({ "sh", "-c", "cat ./*" }, { cwd = directory }).stdout:gmatch "[^\n]+" do
    records[record] = true
  end
  return records
end

local function mark(lines, numbers)
  for number in numbers:gmatch "%d+" do
    number = tonumber(number)
    if lines[number] == false then lines[number] = true end
  end
end

--- Tells which lines of sources were run.
-- @tparam string luac name of the compiler
-- @tparam string records directory in which the collector left what it saw
-- @tparam string root directory of the sources
-- @tparam {string,...} paths relative to it; a copy elsewhere that ends in the same is the same source
-- @treturn {table,...} `path`; `lines`: by number of those that hold code, whether they were run
function lua_lines.read(luac, records, root, paths)
  local sources = {}
  for i, path in ipairs(paths) do
    sources[i] = { path = path, lines = of_code(luac, root .. "/" .. path) }
  end
  for record in pairs(read_records(records)) do
    local place, numbers = record:match "^(.*)\t(.*)$"
    for _, source in ipairs(sources) do
      if ("/" .. place):sub(-#source.path - 1) == "/" .. source.path then mark(source.lines, numbers) end
    end
  end
  return sources
end

return lua_lines
