#!/usr/bin/env lua5.4
-- A check for continuous integration: fails if a function's share of the time has grown.
--
--     lua5.4 examples/gate.lua PERCENT OLD_IMAGE OLD_PROFILE IMAGE PROFILE...
--
-- OLD_IMAGE and OLD_PROFILE are the program and the profile of a good run (gprof.lua -s
-- sums several runs). If the share of a function has since grown by more than PERCENT of
-- its old value, the script prints that function and exits with status 1. Functions are
-- matched by name, without compiler suffixes such as .isra.0; static functions with the
-- same name are added up.
--
-- `gprof.lua --compare --fail-on` compares counts, which are exact, and seconds, which
-- depend on the machine. Shares are about the same on a faster machine.
--
-- Shares vary from run to run: the error of n samples is sqrt(n). Growth is reported only
-- if it exceeds PERCENT by four standard errors of the difference. By chance that happens
-- once in thirty thousand comparisons, rarely enough for a program with hundreds of
-- functions. To detect small growth, take many samples.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local CERTAINTY <const> = 4  -- standard errors

local function check(value, message)
  if value then return value end
  io.stderr:write("gate.lua: ", message, "\n")
  os.exit(1)
end

check(arg[5], "usage: gate.lua PERCENT OLD_IMAGE OLD_PROFILE IMAGE PROFILE...")
local percent = tonumber(arg[1])
check(percent and percent >= 0,
  ("PERCENT must be a number of at least 0, not '%s'"):format(arg[1]))

-- Reads a profile. Returns `samples` and printed `names`, both keyed by function, and
-- `total`, the number of samples.
local function read(path, ...)
  local image = check(gprof.image(path))
  local profile = check(gprof.profile(image, check(gprof.data(image, ...))))
  check(profile.total_ticks > 0, path .. ": the profile has no samples")
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

-- Returns the error of n samples. It is at least 1, since 0 samples may also be chance.
local function deviation(n)
  return math.sqrt(math.max(n, 1))
end

local grown = {}
for key, n in pairs(new.samples) do
  local before = old.samples[key] or 0
  local share, error_now = n / new.total, deviation(n) / new.total
  local old_share, error_then = before / old.total, deviation(before) / old.total
  local growth = share - factor * old_share
  if growth > CERTAINTY * math.sqrt(error_now ^ 2 + (factor * error_then) ^ 2) then
    table.insert(grown, { growth = growth,
      text = ("%s: %.1f %% of the time (error %.1f), was %.1f %% (error %.1f)"):format(
        new.names[key], 100 * share, 100 * error_now, 100 * old_share, 100 * error_then) })
  end
end
table.sort(grown, function(a, b) return a.growth > b.growth end)
for _, function_grown in ipairs(grown) do print(function_grown.text) end
if grown[1] then os.exit(1) end
print(("No function's share of the time has grown by more than %g %%."):format(percent))
