#!/usr/bin/env lua5.4
-- A gate for continuous integration: fails when a function's share of the time has grown.
--
--     lua5.4 examples/gate.lua PERCENT OLD_IMAGE OLD_PROFILE IMAGE PROFILE...
--
-- Keep the program and the profile of a good run (gprof.lua -s sums several); the status
-- is 1, and the functions are told, if the share of any has since grown by more than
-- PERCENT of what it was. Functions are the same if their names are, without the suffixes
-- of compilers (.isra.0); static ones of one name count together.
--
-- (`gprof.lua --compare --fail-on` does so by seconds, which are those of one machine;
-- shares of the time are much the same on a faster one.)
--
-- Shares vary from run to run: n samples have an expected error of sqrt(n). Growth counts
-- when it is more than PERCENT by four times the error of the difference, which chance
-- does once in thirty thousand times: few enough for a program of hundreds of functions.
-- Small growth thus needs many samples to be seen; long runs make a strict gate.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- In a checkout the library is in the folder above; elsewhere it is installed.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local CERTAINTY <const> = 4  -- errors

local function check(value, message)
  if value then return value end
  io.stderr:write("gate.lua: ", message, "\n")
  os.exit(1)
end

check(arg[5], "usage: gate.lua PERCENT OLD_IMAGE OLD_PROFILE IMAGE PROFILE...")
local percent = tonumber(arg[1])
check(percent and percent >= 0,
  ("PERCENT has to be a number from 0 on, not '%s'"):format(arg[1]))

-- Samples by function, of all, and what to call each function.
local function read(path, ...)
  local image = check(gprof.image(path))
  local profile = check(gprof.profile(image, check(gprof.data(image, ...))))
  check(profile.total_ticks > 0, path .. ": nothing was sampled")
  local samples, names = {}, {}
  for name, symbol, ticks in profile:functions("self", "name", "symbol", "ticks") do
    local key = symbol:match "^[^.]+" or symbol
    samples[key] = (samples[key] or 0) + ticks
    names[key] = names[key] or name
  end
  return { samples = samples, total = profile.total_ticks, names = names }
end

local old, new = read(arg[2], arg[3]), read(arg[4], table.unpack(arg, 5))
local factor = 1 + percent / 100

-- The expected error of n samples, but at least one: none of it may have been bad luck.
local function deviation(n)
  return math.sqrt(math.max(n, 1))
end

local grown = {}
for key, n in pairs(new.samples) do
  local before = old.samples[key] or 0
  local share, error_now = n / new.total, deviation(n) / new.total
  local was, error_then = before / old.total, deviation(before) / old.total
  local growth = share - factor * was
  if growth > CERTAINTY * math.sqrt(error_now ^ 2 + (factor * error_then) ^ 2) then
    table.insert(grown, { growth = growth,
      text = ("%s: %.1f %% of the time (error %.1f), was %.1f %% (error %.1f)"):format(
        new.names[key], 100 * share, 100 * error_now, 100 * was, 100 * error_then) })
  end
end
table.sort(grown, function(a, b) return a.growth > b.growth end)
for _, function_grown in ipairs(grown) do print(function_grown.text) end
if grown[1] then os.exit(1) end
print(("No function's share of the time has grown by more than %g %%."):format(percent))
