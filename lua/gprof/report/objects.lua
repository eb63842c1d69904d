--- The objects: the time in the program and in each shared library.
--
-- @module gprof.report.objects
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local common = require "gprof.print.common"
local counts = require "gprof.analysis.counts"

-- The format of a row: percentage, time, calls, name.
local ROW <const> = "%6.2f %9.2f %10s  %s\n"

-- Returns the objects, sorted by time: arrays { name, ticks, calls, functions }. The
-- program has no name. Calls are those that were recorded.
local function objects_of(profile)
  local list, known = {}, {}
  for ticks, calls, own, name in profile:functions("address", "ticks", "calls",
    "self_calls", "object")
  do
    local key = name or false
    local object = known[key]
    if not object then
      object = { name = name, ticks = 0, calls = 0 }
      known[key], list[#list + 1] = object, object
    end
    object.ticks = object.ticks + ticks
    object.calls = counts.add(object.calls, counts.add(calls, own))
  end
  table.sort(list, function(a, b)
    if a.ticks ~= b.ticks then return a.ticks > b.ticks end
    if a.calls ~= b.calls then return a.calls > b.calls end
    return (a.name or "") < (b.name or "")
  end)
  return list
end

--- Prints the report.
-- @tparam profile profile with a histogram
-- @tparam table options `brief`: no explanation; `color`
-- @tparam stream write
return function(profile, options, write)
  if not profile.rate then
    error("times of objects need a histogram, which this profile lacks", 0)
  end
  profile = profile:by_function()
  write(common.heading(options, "Time by object:\n\n"))
  common.write_threads(profile, write, "\n")
  write(common.heading(options, "%6s %9s %10s  %s\n"), "%  ", profile.unit .. " ",
    "calls ", "name")
  local program = base_name(profile.image.path)
  for _, object in ipairs(objects_of(profile)) do
    write(ROW, common.percentage(object.ticks, profile.total_ticks),
      object.ticks / profile.rate, object.calls > 0 and object.calls or "",
      object.name or program)
  end
  if not options.brief then write(require "gprof.print.explain".objects) end
end
