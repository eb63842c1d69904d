#!/usr/bin/env lua5.4
-- Prints functions that were never called, and the functions that could call them:
-- candidates for deletion or for a test.
--
--     lua5.4 examples/unused.lua IMAGE PROFILE...
--
-- Give the profiles of all runs that you have. Possible callers are found in the machine
-- code (option static_call_graph), where calls through pointers cannot be seen.
--
-- Calls from code compiled without -pg, such as the call of main, are not counted. So
-- functions with samples are left out, even if no call of them was counted. Functions
-- without debugging information, which mostly come from libraries, are left out, too.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
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
check(data.has_arcs, "the profiles have no call counts: was the program compiled with -pg?")
local profile = check(gprof.profile(image, data, { static_call_graph = true }))

-- Returns whether the profile shows that a function ran: it has calls or samples, or made
-- calls.
local function has_run(f)
  if f.calls > 0 or f.self_calls > 0 or f.ticks > 0 then return true end
  for arc in f:callees() do
    if arc.count > 0 then return true end
  end
end

-- Returns the names of other functions whose code calls this one.
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
      or "no calls found in the code"
    print(("%s:%d: %s: %s"):format(f.file, f.line, f.name, who))
  end
end
