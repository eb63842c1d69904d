-- Long lists are read with few instructions per byte, as many as other programs that read text need. Instructions do
-- not depend on the machine's load.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- The limits apply to the ordinary interpreter. Under coverage, the hook would dominate the count.
if os.getenv "GPROF_LUA" or os.getenv "GPROF_COVERAGE" then return end

local row = require "support.row"
local shell = require "support.shell"
local work = require "support.work"

if not work.countable() then
  return pending "needs valgrind, which counts instructions"
end

local FEW <const>, MANY <const> = 1000, 21000
local image = row.image(4)
local profile = row.profile { row.histogram(0, MANY // 8) }

-- Writes a list of `count` lines that `make` returns. Returns its path and its size.
local function list(count, make)
  local lines = {}
  for i = 1, count do lines[i] = make(i) end
  local text = table.concat(lines)
  return shell.write(shell.tmpdir "list" .. "/list", text), #text
end

-- Returns a chunk of Lua that runs the program, with a status.
local function running(status, ...)
  local words = {}
  for i, word in ipairs { ... } do words[i] = ("%q"):format(word) end
  return ("assert(require 'gprof.cli.main'.run(%s) == %d)"):format("{" .. table.concat(words, ",") .. "}", status)
end

local function name(i) return ("runs/of/this/program/gmon.out.%d\n"):format(i) end

-- The first profile of these lists does not exist. Each case has the most instructions per byte, a function that makes
-- a line, and one that makes the chunk.
local cases <const> = {
  ["names of profiles"] = { 20, name, function(path)
    return running(1, "-s", "--profiles-from=" .. path, image)
  end },
  ["names that end in zero bytes"] = { 20, function(i) return (name(i):gsub("\n", "\0")) end, function(path)
    return running(1, "-b", "-p", "--profiles-from=" .. path, image)
  end },
  ["names of context profiles"] = { 30, function(i) return name(i) .. (name(i):gsub("\n", ".ctx\n")) end, function(path)
    return running(1, "-s", "--profiles-from=" .. path, image)
  end },
  symbols = { 100, function(i) return ("%016x T a_function_with_a_name_%d\n"):format(0x100000 + 16 * (i - 1), i) end,
    function(path) return running(0, "-b", "-p", "-S", path, image, profile) end },
}

describe("few instructions per byte are needed to read", function()
  local sizes, counts, places = {}, nil, {}

  setup(function()
    local chunks = {}
    for what, case in pairs(cases) do
      places[what] = #chunks
      for _, count in ipairs { FEW, FEW, MANY } do
        local path, size = list(count, case[2])
        table.insert(chunks, case[3](path))
        sizes[#chunks] = size
      end
    end
    counts = work.measure(chunks)
  end)

  for what, case in pairs(cases) do
    it(what, function()
      local few, many = places[what] + 2, places[what] + 3
      local each = (counts[many] - counts[few]) / (sizes[many] - sizes[few])
      assert(each < case[1], ("%.1f instructions per byte"):format(each))
    end)
  end
end)
