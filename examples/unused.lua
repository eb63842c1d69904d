#!/usr/bin/env lua5.4
-- Functions that were never called, and who could call them: candidates for deletion, or
-- for a test.
--
--     lua5.4 examples/unused.lua IMAGE PROFILE...
--
-- Give profiles of all the runs that you have. Who could call a function is found in the
-- code (option static_call_graph), where calls through a pointer cannot be seen. Calls by
-- code that was compiled without -pg, as those of main, are not counted: so functions
-- that were seen running are left out, and those without debugging information, which
-- come from elsewhere mostly.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("unused.lua: ", message, "\n")
  os.exit(1)
end

check(arg[2], "usage: unused.lua IMAGE PROFILE...")
local image = check(gprof.image(arg[1]))
local data = check(gprof.data(image, table.unpack(arg, 2)))
check(data.has_arcs, "there are no calls, so nothing is known of who was called")
local profile = check(gprof.profile(image, data, { static_call_graph = true }))

-- Whether there is any trace of it: calls of it, samples in it, calls that it made.
local function has_run(f)
  if f.calls > 0 or f.self_calls > 0 or f.ticks > 0 then return true end
  for arc in f:callees() do
    if arc.count > 0 then return true end
  end
end

-- The names of the functions that have a call of this one in their code, but itself.
local function possible_callers(f)
  local names = {}
  for arc in f:callers() do
    if arc.caller ~= f then table.insert(names, arc.caller.name) end
  end
  table.sort(names)
  return names
end

for f in profile:functions("address") do
  if f.file and not has_run(f) then
    local names = possible_callers(f)
    local who = names[1] and "could be called by " .. table.concat(names, ", ")
      or "no call of it is in the code"
    print(("%s:%d: %s: %s"):format(f.file, f.line, f.name, who))
  end
end
