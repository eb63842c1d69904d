#!/usr/bin/env lua5.4
-- Prints the callers of a function, their callers, and so on, up to main:
--
--     lua5.4 examples/callers.lua FUNCTION IMAGE PROFILE...
--
-- FUNCTION is a symspec, such as `find`, `table.c:find`, `table.c:41` or `Table::find`. If
-- it matches several functions, the script prints the callers of all. A line shows an arc: its
-- distance from FUNCTION in arcs, the number of calls, caller and callee. The nearest arcs
-- come first. Every arc is printed once, so recursion ends.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("callers.lua: ", message, "\n")
  os.exit(1)
end

check(arg[3], "usage: callers.lua FUNCTION IMAGE PROFILE...")
local image = check(gprof.image(arg[2]))
local data = check(gprof.data(image, table.unpack(arg, 3)))
local profile = check(gprof.profile(image, data))

local unknown <const> = ("%s: no function '%s'"):format(arg[2], arg[1])
check(arg[1]:find "%w", unknown)  -- `find` raises an error for malformed names
local queue, depth = { profile:find(arg[1]) }, {}
check(queue[1], unknown)
for _, f in ipairs(queue) do depth[f] = 0 end

print "depth        calls  caller -> callee"
for _, f in ipairs(queue) do  -- breadth-first search; the loop appends to the queue
  for arc in f:callers("count") do
    local caller = arc.caller
    if not depth[caller] then
      depth[caller] = depth[f] + 1
      table.insert(queue, caller)
    end
    print(("%5d %12d  %s -> %s"):format(depth[f] + 1, arc.count, caller.name, f.name))
  end
end
