-- Runs on files that are changed as trees.
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "fuzz.repaired.changes"
local kinds = require "fuzz.repaired.kinds"
local nodes = require "fuzz.repaired.nodes"
local shell = require "support.shell"

local runs = {}

-- One run in this many has files that do not belong together.
local SELDOM <const> = 16

-- What a run may have written.
local OUTPUT <const> = { "OUT", "OUT.ctx", "OUT.spread", "CHECKPOINT" }

-- Returns the names of the files that a line names, and of those beside them, that can be changed.
local function changeable(kind, line)
  local names = {}
  for name in pairs(kind.readers) do
    local owner = name:match "^(%u+%d?)%.%l+$" or name
    local is_split = name == "program.dwo" and line:find("{SINGLE}", 1, true)
    local is_named = is_split or line:find("{" .. owner, 1, true)
    if is_named and not kind.kept[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Changes one or two of the files of a line. Returns the trees of all files, and what was done.
local function change(kind, line)
  local trees, done, names = {}, {}, changeable(kind, line)
  for name, read in pairs(kind.readers) do trees[name] = read(kind.files[name]) end
  for i = 1, math.random(2) do
    local name = names[math.random(#names)]
    done[i] = name .. ": " .. changes.make(trees[name])
  end
  if math.random(SELDOM) > 1 then kind.link(trees) end
  return trees, table.concat(done, "; ")
end

--- Makes the files of a kind.
-- @tparam string name of the kind
-- @tparam string dir output directory
-- @tparam function run runs the program with words
-- @tparam string where directory in which runs are made
-- @treturn function takes the directory of a run; returns words, the damage, and the line that the words are from
function runs.load(name, dir, run, where)
  local kind = kinds.make(name, dir, run, where)
  return function(place)
    for _, output in ipairs(OUTPUT) do os.remove(place .. "/" .. output) end
    local line = kind.lines[math.random(#kind.lines)]
    local trees, done = change(kind, line)
    for file, bytes in pairs(kind.files) do
      shell.write(place .. "/" .. file, trees[file] and nodes.write(trees[file]) or bytes)
    end
    return kinds.words(line, place, kind.sources), done, line
  end
end

return runs
