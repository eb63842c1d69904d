--- A script that walks all functions and all arcs of a profile, and sums three fields of each: with the
-- library, and, as scripts had to before, over the text that GNU gprof prints.
--
--     lua5.4 bench/walk.lua open IMAGE PROFILE       opens the profile only
--     lua5.4 bench/walk.lua objects IMAGE PROFILE    walks it by objects: f.self, arc.count
--     lua5.4 bench/walk.lua fields IMAGE PROFILE     the same by fields, without objects
--     gprof -b -p -q IMAGE PROFILE | lua5.4 bench/walk.lua text
--
-- All walks print what they counted: functions, arcs, calls, seconds of functions and along arcs.
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

-- Functions are the rows of the flat profile; arcs the lines of an entry below that which begins with its number.
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
