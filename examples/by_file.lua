#!/usr/bin/env lua5.4
-- Prints the time by source file and by directory.
--
--     lua5.4 examples/by_file.lua IMAGE PROFILE...
--
-- Inlined code counts for the file that contains its source, often a header; this needs a
-- profile by line. Code without debugging information counts as "(unknown)".
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local function check(value, message)
  if value then return value end
  io.stderr:write("by_file.lua: ", message, "\n")
  os.exit(1)
end

check(arg[2], "usage: by_file.lua IMAGE PROFILE...")
local image = check(gprof.image(arg[1]))
local data = check(gprof.data(image, table.unpack(arg, 2)))
check(data.has_histogram, "the profiles have no histogram, so there are no times")
local profile = check(gprof.profile(image, data, { line = true }))

-- Simplifies a path that an #include made: "near/../far/twice.h" is "far/twice.h".
local function plain(file)
  local steps
  repeat file, steps = file:gsub("[^/]*[^/.][^/]*/%.%./", "", 1) until steps == 0
  return file
end

local function directory(file)
  return file:match "^.*/" or "./"
end

local function add(times, name, time)
  times[name] = (times[name] or 0) + time
end

local function sum(times)
  local total = 0
  for _, time in pairs(times) do total = total + time end
  return total
end

-- Writes the entries in descending order of time. Equal times are sorted by name.
local function write_table(title, times)
  local names, total = {}, sum(times)
  for name in pairs(times) do table.insert(names, name) end
  table.sort(names, function(a, b)
    if times[a] ~= times[b] then return times[a] > times[b] end
    return a < b
  end)
  print(("%10s      %%  %s"):format(profile.unit, title))
  for _, name in ipairs(names) do
    print(("%10.2f %6.2f  %s"):format(times[name], 100 * times[name] / total, name))
  end
end

local files, directories = {}, {}
for time, file in profile:functions("address", "self", "file") do
  if time > 0 then
    file = file and plain(file)
    add(files, file or "(unknown)", time)
    add(directories, file and directory(file) or "(unknown)", time)
  end
end
write_table("file", files)
print()
write_table("directory", directories)
