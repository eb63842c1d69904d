-- Counts the instructions that Lua executes, to find work that grows faster than its input.
-- SPDX-License-Identifier: GPL-3.0-or-later

local steps = {}

local STRIDE <const> = 1000

--- Runs a function. Gives up after `most` instructions.
-- @tparam function run
-- @tparam integer most
-- @treturn integer instructions, as a multiple of 1000; `most` or more if it gave up
function steps.taken(run, most)
  local taken = 0
  local hook, mask, count = debug.gethook()
  debug.sethook(function()
    taken = taken + STRIDE
    if taken >= most then error(steps, 0) end
  end, "", STRIDE)
  local done, problem = pcall(run)
  debug.sethook(hook, mask, count)
  if not done and problem ~= steps then error(problem, 0) end
  return taken
end

return steps
