#!/usr/bin/env lua5.4
-- Sums the profiles of many processes by group, and all together:
--
--     lua5.4 examples/shards.lua directory OUT IMAGE */gmon.*
--     lua5.4 examples/shards.lua prefix OUT IMAGE web-*.gmon db-*.gmon
--
-- writes OUT/GROUP.gmon for each group and OUT/all.gmon, and prints how many profiles are
-- in each. A group is what comes from one directory, wherever that is (host/web and
-- web are one), or has a name with the same beginning, up to the first "-" or ".".
-- Each profile is read once, and only sums are kept; nothing is written if one is bad.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("shards.lua: ", message, "\n")
  os.exit(1)
end

-- The part of a path that names its group.
local ways <const> = {
  directory = function(path) return path:match "([^/]+)/[^/]*$" end,
  prefix = function(path) return path:match("[^/]*$"):match "^[^-.]+" end,
}

check(arg[4], "usage: shards.lua directory|prefix OUT IMAGE PROFILE...")
local find_group = check(ways[arg[1]], ("no way to group: '%s'"):format(arg[1]))
local out = arg[2]
local image = check(gprof.image(arg[3]))

local function group_of(path)
  local name = find_group(path)
  check(name and not name:find "^%.", ("%s: has no %s to group by"):format(path, arg[1]))
  check(name ~= "all", path .. ": 'all' is the sum of all groups")
  return name
end

local groups, all = {}, gprof.data.new { image = image }
for i = 4, #arg do
  local name = group_of(arg[i])
  if not groups[name] then
    groups[name] = { name = name, count = 0, data = gprof.data.new { image = image } }
    table.insert(groups, groups[name])
  end
  check(groups[name].data:read(arg[i]))
  groups[name].count = groups[name].count + 1
end
for _, group in ipairs(groups) do check(all:merge(group.data)) end
table.insert(groups, { name = "all", count = #arg - 3, data = all })

for _, group in ipairs(groups) do
  local path = ("%s/%s.gmon"):format(out, group.name)
  check(group.data:write(path))
  print(("%6d  %s"):format(group.count, path))
end
