-- Fuzzes what reads machine code: instructions, static calls, blocks that never ran, jump tables, bounds of total
-- times. The program counts its blocks.
--
-- Parts: choices (options); changes of .text; changes of .rodata, which has jump tables; changes of .eh_frame. Each
-- change is an offset of two bytes, and the new byte.
--
-- Properties: a profile that cannot be built gives a message of one line. Printing a report twice gives the same text.
-- Calls found in the machine code lead from functions to functions. A lower bound is not above the upper bound.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local gprof = require "gprof"
local program = require "program"

local code <const> = program.code
local flag <const> = { false, true }

-- Returns the program with the changes of one of its sections.
local function changed(bytes, section, changes)
  for at = 1, #changes - 2, 3 do
    local offset, byte = ("<I2c1"):unpack(changes, at)
    local place = section.offset + offset % section.size
    bytes = bytes:sub(1, place) .. byte .. bytes:sub(place + 2)
  end
  return bytes
end

local function printed(profile, name)
  local parts = {}
  profile:report(name, { all_lines = true, display_unused_functions = true, directory_path = { program.directory },
    warn = checks.message }, function(text) parts[#parts + 1] = text end)
  return table.concat(parts)
end

local function check_instructions(image)
  local before = image.text_low - 1
  for _, found in ipairs(assert(image:instructions(image.text_low, image.text_high))) do
    assert(found.address > before and found.address < image.text_high and #found.text > 0)
    before = found.address
  end
end

local function check_bounds(profile)
  for f in profile:functions() do
    assert(not f.total_low or f.total_low <= f.total_high, "bounds that exclude each other")
  end
  local problem = profile:bounds_problem()
  if problem then checks.message(problem) end
end

return function(choices, text, rodata, frames)
  local choose, bytes = checks.chooser(choices), code.bytes
  for i, changes in ipairs { text, rodata, frames } do
    bytes = changed(bytes, code.sections[i], changes)
  end
  local image = assert(gprof.image(fuzz.file(bytes, 0)))
  check_instructions(image)
  local data <close> = assert(gprof.data(image, code.profile))
  local profile <close>, problem = gprof.profile(image, data, { line = choose { "all", false }, idle_blocks = true,
    static_call_graph = choose(flag), gnu_compat = choose(flag), display_unused_functions = true,
    bounds = choose(4) == 3 })
  if not profile then
    return checks.message(problem)
  end
  for arc in profile:arcs() do
    assert(#arc.callee.name > 0 and arc.count >= 0)
  end
  check_bounds(profile)
  local name = choose { "annotation", "executions", "graph" }
  assert(printed(profile, name) == printed(profile, name), "the second report differs")
  image:close()
end
