-- Gives the profiles of fixture programs samples that are the same in every run: those of the run itself depend on the
-- machine and on what else it does.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"
local shell = require "support.shell"

-- Returns the names of the functions that objects define, as keys. A name in the image may have a suffix in addition.
local function defined(objects, dir)
  local names = {}
  local output = shell.check({ "gcc-nm", table.unpack(objects) }, { cwd = dir, env = { LC_ALL = "C" } }).stdout
  for name in output:gmatch "%x+ [tTW] (%S+)" do names[name:match "^_*[^.]*"] = true end
  return names
end

-- Returns the functions of the program's own objects that may run, in the order of their addresses: `address`, `size`.
local function functions_of(image, objects, dir)
  local own, found, last = objects[1] and defined(objects, dir) or {}, {}, nil
  local output = shell.check({ "nm", "-n", "-S", image }, { env = { LC_ALL = "C" } }).stdout
  for address, size, name in output:gmatch "(%x+) +(%x*) *[tTW] (%S+)\n" do
    if own[name:match "^_*[^.]*"] and not name:find "^never" and address ~= last then
      found[#found + 1] = { address = tonumber(address, 16), size = tonumber(size, 16) or 0 }
      last = address
    end
  end
  return found
end

-- Puts samples into the middle of functions.
local function fill(histogram, functions)
  local bins = { n = histogram.bins.n or #histogram.bins }
  local width = (histogram.high - histogram.low) / bins.n
  for i, one in ipairs(functions) do
    local bin = (one.address + one.size // 2 - histogram.low) // width + 1
    if bin >= 1 and bin <= bins.n then
      bin = math.tointeger(bin)
      bins[bin] = (bins[bin] or 0) + 3 * i % 7
    end
  end
  histogram.bins = bins
end

--- Replaces the samples of a profile by known ones: the functions of the program have 3, 6, 2, 5, 1, 4, 0, 3 ... in the
-- order of their addresses, except for those whose names begin with "never".
-- @tparam string path the profile, which the program has just written
-- @tparam string image
-- @tparam {string,...} objects those of the program
-- @tparam string dir the directory of the objects
return function(path, image, objects, dir)
  local profile = gmon.parse(shell.read(path), { pointer = ("T"):packsize(), big = ("=I2"):pack(1) == "\0\1" })
  local functions = functions_of(image, objects, dir)
  for _, histogram in ipairs(gmon.select(profile, "histogram")) do fill(histogram, functions) end
  gmon.write(path, gmon.magic(profile))
end
