-- Fuzzes examples/bbconv.lua, which converts bb.out (basic-block counts as text), with images of three machines.
--
-- Parts: choices (the machine), the text.
--
-- Properties: the text is refused with an error of one line and status 1, and nothing is written; or a profile is
-- written, and reading it gives the same blocks.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local gprof = require "gprof"
local program = require "program"

local machines <const> = {
  program.image, { text_low = 0x1000, pointer_size = 4, big_endian = true }, { pointer_size = 4, big_endian = false },
}

-- Returns a replacement for the library as the converter uses it, and a function that returns the converter's data.
local function library(machine)
  local made
  return {
    image = function() return machine end,
    data = { new = function()
      made = gprof.data.new { pointer_size = machine.pointer_size, big_endian = machine.big_endian }
      return made
    end },
  }, function() return made end
end

local function lines_of(text)
  local whole = text == "" or text:sub(-1) == "\n"
  return (whole and text or text .. "\n"):gmatch "([^\n]*)\n"
end

local source <const> = fuzz.root .. "/examples/bbconv.lua"

-- Runs the converter. Returns its status and its messages.
local function convert(text, library_of_machine)
  local messages = {}
  local env = setmetatable({
    arg = { [0] = source, "image" }, package = { path = "" },
    require = function() return library_of_machine end,
    io = { lines = function() return lines_of(text) end,
      stderr = { write = function(_, ...) messages[#messages + 1] = table.concat { ... } end } },
    os = { exit = function(status) error({ status = status }) end },
  }, { __index = _G })
  local done, problem = pcall(assert(loadfile(source, "t", env)))
  assert(done or type(problem) == "table" and problem.status, problem)
  return done and 0 or problem.status, table.concat(messages)
end

-- Returns the blocks' addresses and counts as one string.
local function blocks_of(data)
  local blocks = {}
  for address, executions in data:blocks() do
    blocks[#blocks + 1] = address .. " " .. executions
  end
  return table.concat(blocks, "\n")
end

local function read_back(machine, path, made)
  local back = gprof.data.new { pointer_size = machine.pointer_size, big_endian = machine.big_endian }
  assert(back:read(path))
  assert(blocks_of(back) == blocks_of(made), "reading back gives other blocks")
  back:close()
end

return function(choices, text)
  local machine = checks.chooser(choices)(machines)
  local path = fuzz.output()
  local library_of_machine, made = library(machine)
  local status, messages = convert(text, library_of_machine)
  if status == 0 then
    assert(messages == "")
    read_back(machine, path, made())
  else
    assert(status == 1 and messages:find "^bbconv%.lua: [^\n]+\n$", messages)
    assert(io.open(path, "rb"):read(1) == nil, "written in spite of an error")
  end
  made():close()
end
