--- Reads all functions and arcs of a profile, with the library or from the text of GNU gprof.
--
--     lua5.4 bench/walk.lua open IMAGE PROFILE       only opens the profile
--     lua5.4 bench/walk.lua objects IMAGE PROFILE    reads objects: f.self, arc.count
--     lua5.4 bench/walk.lua fields IMAGE PROFILE     reads fields, without objects
--     gprof -b -p -q IMAGE PROFILE | lua5.4 bench/walk.lua text
--
-- Prints the number of functions, arcs and calls, the self time of all functions and the time of all arcs.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local function report(functions, self, arcs, count, passed)
  print(("%d functions, %.1f seconds, %d arcs, %d calls, %.1f seconds along them"):format(functions, self, arcs,
    count, passed))
end

local function open(image, data)
  local gprof = require "gprof"
  image = assert(gprof.image(image))
  return assert(gprof.profile(image, assert(gprof.data(image, data))))
end

local walks = { open = open }

function walks.objects(...)
  local profile = open(...)
  local functions, self, arcs, count, passed = 0, 0, 0, 0, 0
  for f in profile:functions() do
    functions, self = functions + 1, self + f.self
    for arc in f:callees() do
      arcs, count, passed = arcs + 1, count + arc.count, passed + arc.self + arc.children
    end
  end
  report(functions, self, arcs, count, passed)
end

function walks.fields(...)
  local profile = open(...)
  local functions, self, arcs, count, passed = 0, 0, 0, 0, 0
  for own in profile:functions(nil, "self") do
    functions, self = functions + 1, self + own
  end
  for calls, seconds, below in profile:arcs(nil, "count", "self", "children") do
    arcs, count, passed = arcs + 1, count + calls, passed + seconds + below
  end
  report(functions, self, arcs, count, passed)
end

-- Functions are the rows of the flat profile. Arcs are the callees: lines of an entry below the line that starts with
-- the entry's number.
function walks.text()
  local functions, self, arcs, count, passed = 0, 0, 0, 0, 0
  local graph, callees = false, false
  for line in io.lines() do
    if line:find("^index %% time") then
      graph = true
    elseif not graph then
      local seconds = line:match("^ *%d+%.%d+ +%d+%.%d+ +(%d+%.%d+)")
      if seconds then functions, self = functions + 1, self + tonumber(seconds) end
    elseif line:find("^%[") then
      callees = true
    elseif line:find("^%-%-") then
      callees = false
    elseif callees then
      local seconds, below, calls = line:match("^ +(%d+%.%d+) +(%d+%.%d+) +(%d+)/")
      if calls then
        arcs, count, passed = arcs + 1, count + tonumber(calls), passed + tonumber(seconds) + tonumber(below)
      end
    end
  end
  report(functions, self, arcs, count, passed)
end

local walk = walks[arg[1]] or error("usage: walk.lua open|objects|fields IMAGE PROFILE, or walk.lua text")
walk(table.unpack(arg, 2))
