-- Makes profiles of imaginary programs: functions of equal size with given samples and calls.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local shell = require "support.shell"

local crafted = {}

--- The address of the first function, and the size of each. A bin of a histogram covers exactly one function.
crafted.BASE = 0x1000
crafted.SIZE = 0x20

--- A program with a cycle and a shared callee: main calls work and ping, ping and pong call each other, work and pong
-- call leaf.
crafted.example = {
  functions = { "main", "work", "ping", "pong", "leaf", "idle" },
  ticks = { work = 30, ping = 20, pong = 5, leaf = 40 },
  calls = {
    { "main", "work", 2 }, { "main", "ping", 1 }, { "ping", "pong", 4 }, { "pong", "ping", 3 }, { "work", "leaf", 6 },
    { "pong", "leaf", 2 }, { "work", "work", 7 },
  },
}

--- Returns a program whose functions call each other at random, possibly in cycles.
-- @treturn table
function crafted.random()
  local plan = { functions = {}, ticks = {}, calls = {} }
  local count = math.random(2, 9)
  for i = 1, count do
    plan.functions[i] = "f" .. i
    plan.ticks["f" .. i] = math.random(0, 3) * math.random(0, 40)
  end
  for _ = 1, math.random(0, 2 * count) do
    local from, to = math.random(count), math.random(count)
    if math.random(3) > 1 and from > to then from, to = to, from end
    plan.calls[#plan.calls + 1] = { "f" .. from, "f" .. to, math.random(50) }
  end
  plan.calls[#plan.calls + 1] = { "f1", "f2", 1 }
  return plan
end

--- Returns a program with layers of functions below one root. Each function calls all functions of the next layer, so
-- there are very many call paths.
-- @tparam integer layers
-- @tparam integer wide number of functions per layer
-- @treturn table
function crafted.layered(layers, wide)
  local plan, above = { functions = { "root" }, ticks = { root = 1 }, calls = {} }, { "root" }
  for layer = 1, layers do
    local here = {}
    for i = 1, wide do
      local name = ("f%d_%d"):format(layer, i)
      here[i], plan.functions[#plan.functions + 1], plan.ticks[name] = name, name, i
      for j, caller in ipairs(above) do table.insert(plan.calls, { caller, name, 1 + layer * i % (j + 1) }) end
    end
    above = here
  end
  return plan
end

--- Returns the addresses of a program's functions.
-- @tparam table program
-- @treturn {[string]=integer,...} keyed by name; `[false]` is an address outside all functions
function crafted.addresses(program)
  local addresses = { [false] = crafted.BASE // 2 }
  for i, name in ipairs(program.functions) do
    addresses[name] = crafted.BASE + (i - 1) * crafted.SIZE
  end
  return addresses
end

--- Makes the image of a program. Programs with the same functions share it.
-- @tparam table program
-- @treturn string path
function crafted.image(program)
  local state = shell.state()
  state.crafted = state.crafted or {}
  local key = table.concat(program.functions, "\n")
  if not state.crafted[key] then
    local symbols = {}
    for i, name in ipairs(program.functions) do
      symbols[i] = { name, (i - 1) * crafted.SIZE }
    end
    state.crafted[key] = build.craft {
      address = crafted.BASE, text = #symbols * crafted.SIZE, symbols = symbols }
  end
  return state.crafted[key]
end

--- Returns the program's profile as an argument of `gmon.magic`.
-- @tparam table program
-- @treturn table
function crafted.records(program)
  local records, addresses = {}, crafted.addresses(program)
  if program.ticks then
    local bins = {}
    for i, name in ipairs(program.functions) do
      bins[i] = program.ticks[name] or 0
    end
    records[1] = { kind = "histogram", low = crafted.BASE, high = crafted.BASE + #bins * crafted.SIZE, bins = bins,
      rate = program.rate, dimension = program.dimension, abbreviation = program.abbreviation }
  end
  for _, call in ipairs(program.calls or {}) do
    records[#records + 1] = { kind = "arc", count = call[3],
      from = addresses[call[1]] + 4, self = addresses[call[2]] }
  end
  return { records = records }
end

--- Writes the program's profile.
-- @tparam table program
-- @treturn string path of the profile
function crafted.gmon(program)
  return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic(crafted.records(program)))
end

--- Reads the profile of a program.
-- @tparam table program `functions`, names ordered by address; `ticks`, samples by name, nil for no histogram; `calls`,
--   an array of `{ caller, callee, count }`; `rate`, `dimension` and `abbreviation` of the histogram
-- @tparam[opt] table options of the profile
-- @treturn profile
-- @treturn table its functions, keyed by name
function crafted.profile(program, options)
  local image = assert(gprof.image(crafted.image(program)))
  local path = crafted.gmon(program)
  local profile = assert(gprof.profile(image, assert(gprof.data(image, path)), options))
  os.remove(path)
  local by_name = {}
  for f in profile:functions() do
    by_name[f.name] = f
  end
  return profile, by_name
end

--- Collects an iterator's values, or one field of each.
-- @tparam[opt] string field
-- @tparam function next
-- @treturn table array
function crafted.list(field, next, ...)
  local found = {}
  for object in next, ... do
    found[#found + 1] = field and object[field] or object
  end
  return found
end

--- Renders a report of a profile.
-- @tparam string name of the report
-- @tparam profile profile
-- @tparam[opt] table options of the report
-- @treturn string
function crafted.printed(name, profile, options)
  local parts = {}
  profile:report(name, options, function(...)
    for i = 1, select("#", ...) do
      local text = select(i, ...)
      assert(type(text) == "string")
      table.insert(parts, text)
    end
  end)
  return table.concat(parts)
end

return crafted
