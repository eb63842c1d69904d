-- Reads line coverage of Lua sources: the lines with code from luac, the lines that ran from collector.lua.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local lua_lines = {}

-- Instructions without source text: the start of a vararg function and the end of a block.
local IMPLIED <const> = { VARARGPREP = true, CLOSE = true }

-- Returns the lines of a file's instructions. Leaves out IMPLIED instructions, and each function's last return, which
-- luac adds even if it is unreachable.
local function of_code(luac, path)
  local lines, previous = {}, nil
  local listing = shell.check { luac, "-p", "-l", path }.stdout
  for number, line, operation in listing:gmatch "\n\t(%d+)\t%[(%d+)%]\t(%u+)" do
    if previous and number ~= "1" then lines[previous] = false end
    previous = not IMPLIED[operation] and tonumber(line) or nil
  end
  return lines
end

-- Returns the set of records that all processes wrote to a directory.
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

--- Reads which lines of the sources ran.
-- @tparam string luac the compiler's command
-- @tparam string records directory with the collector's files
-- @tparam string root directory of the sources
-- @tparam {string,...} paths of the sources below the root; a recorded path that ends in one of them is that source
-- @treturn {table,...} `path`; `lines`: maps the number of each line with code to whether it ran
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
