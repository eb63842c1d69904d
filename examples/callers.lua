#!/usr/bin/env lua5.4
-- Who calls a function, who calls those, and so on, up to main:
--
--     lua5.4 examples/callers.lua FUNCTION IMAGE PROFILE...
--
-- FUNCTION is a symspec: `find`, `table.c:find`, `table.c:41`, `Table::find`; if it means
-- several functions, the callers of all. Each line is an arc: how many calls it is away
-- from FUNCTION at least, how often it was taken, caller and callee. The nearest come
-- first, and every arc once, so recursion does not go round in circles.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
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
check(arg[1]:find "%w", unknown)  -- what is no name at all is a misuse of `find`
local queue, depth = { profile:find(arg[1]) }, {}
check(queue[1], unknown)
for _, f in ipairs(queue) do depth[f] = 0 end

print "depth        calls  caller -> callee"
for _, f in ipairs(queue) do  -- breadth first: the queue grows at its end meanwhile
  for arc in f:callers("count") do
    local caller = arc.caller
    if not depth[caller] then
      depth[caller] = depth[f] + 1
      table.insert(queue, caller)
    end
    print(("%5d %12d  %s -> %s"):format(depth[f] + 1, arc.count, caller.name, f.name))
  end
end
