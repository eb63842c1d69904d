#!/usr/bin/env lua5.4
-- Converts samples of perf, of any event, into profiles for gprof:
--
--     perf record -e cycles,cache-misses ./prog
--     perf script | lua5.4 examples/perf2gmon.lua prog gmon
--     lua5.4 gprof.lua -p prog gmon.cycles
--
-- A profile has one unit, so each event gets a profile of its own, PREFIX.EVENT. A sample
-- is weighted by its period, if perf script prints periods. Only the innermost frame of a
-- call chain is used; the profile gets no call counts. Samples outside the program, in the
-- kernel or in libraries, are left out.
--
-- For a position-independent program, perf prints run-time addresses. Then the address is
-- computed from symbol and offset ("main+0x10"), if the image has that symbol.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local gprof = require "gprof"

local PAGE <const> = 4096     -- load addresses are multiples of this
local BIN <const> = 2         -- bytes
local MAX_COUNT <const> = 2^20  -- in a bin; the file grows with the largest count
local prefixes <const> = { [0] = "", "K", "M", "G", "T", "P" }

local function fail(...)
  io.stderr:write("perf2gmon.lua: ", string.format(...), "\n")
  os.exit(1)
end

local function check(value, message)
  return value or fail("%s", message)
end

if #arg ~= 2 then fail "usage: perf script | perf2gmon.lua IMAGE PREFIX" end
local image, prefix = check(gprof.image(arg[1])), arg[2]
local object = image.path:match "[^/]*$"

-- An empty profile, to list the functions of the image.
local empty = check(gprof.profile(image, gprof.data.new { image = image }))
local addresses = {}  -- name -> list of addresses, since static functions can share a name
for address, name, symbol in empty:functions("address", "address", "name", "symbol") do
  for key in pairs { [name] = true, [symbol] = true } do
    addresses[key] = addresses[key] or {}
    table.insert(addresses[key], address)
  end
end

-- Converts the run-time address `ip` to an address in the image. If the symbol is known,
-- computes it from symbol and offset.
local function locate(ip, name, offset)
  for _, address in ipairs(addresses[name] or {}) do
    if (ip - address - offset) % PAGE == 0 then return address + offset end
  end
  return ip
end

-- Adds a sample to the bin of its first frame; later frames are ignored. A frame is "IP
-- SYMBOL+0xOFFSET (OBJECT)" or "IP [unknown] (OBJECT)". Returns whether `text` is a frame.
local function count(sample, text)
  local ip, name, offset, file = text:match "^%s*(%x+) +(.*)%+0x(%x+) +%((.*)%)%s*$"
  if not ip then ip, name, file = text:match "^%s*(%x+) +(.*) +%((.*)%)%s*$" end
  if not ip then return false end
  -- an inlined function counts for the function that contains it, the next frame
  if sample.counted or file == "inlined" then return true end
  sample.counted = true
  if file:match "[^/]*$" ~= object then return true end
  local address = locate(tonumber(ip, 16), name, tonumber(offset or "0", 16))
  if address >= image.text_low and address < image.text_high then
    local event, bin = sample.event, (address - image.text_low) // BIN + 1
    event.bins[bin] = (event.bins[bin] or 0) + sample.period
    event.inside = event.inside + 1
  end
  return true
end

local events = {}

-- Parses the first line of a sample, "COMMAND THREAD TIME: PERIOD EVENT: FRAME". Returns
-- the sample and the rest of the line; for any other line, nil and the line.
local function begin_sample(text, line)
  local digits, name, rest = (text .. " "):match "^.-%s%d+%.%d+:%s+(%d*)%s*(%S+):%s+(.*)$"
  if not name then return nil, text end
  local period = math.tointeger(tonumber(digits == "" and 1 or digits))
    or fail("standard input: line %d: the period is too large", line)
  name = name:gsub(":[ukhIGHpPSDWeb]+$", "")  -- modifiers: cycles:u
  if not events[name] then
    events[name] = { name = name, bins = {}, inside = 0, samples = 0 }
    table.insert(events, events[name])
  end
  events[name].samples = events[name].samples + 1
  -- a tracepoint (sched:sched_switch) is followed by its fields, which are ignored
  return { event = events[name], period = period + 0.0 }, name:find ":" and "" or rest
end

local function read_lines()
  local line, sample = 0, nil
  for text in io.lines() do
    line = line + 1
    local begun, rest = begin_sample(text, line)
    sample = begun or rest:find "%S" and sample or nil
    if rest:find "%S" and not rest:find "^#" and not (sample and count(sample, rest)) then
      fail("standard input: line %d: expected a sample or a stack frame", line)
    end
  end
end

-- Returns the histogram of an event. Large counts are scaled down by a power of ten.
local function histogram(event)
  local largest, power = 0, 0
  for _, sum in pairs(event.bins) do largest = math.max(largest, sum) end
  while largest / 10 ^ power > MAX_COUNT do power = power + 1 end
  local thousands, bins = (power + 2) // 3, {}
  for bin, sum in pairs(event.bins) do bins[bin] = math.floor(sum / 10 ^ power + 0.5) end
  local bin_count = (image.text_high - image.text_low + BIN - 1) // BIN
  return {
    low = image.text_low, high = image.text_low + BIN * bin_count,
    bins = bins, bin_count = bin_count,
    rate = math.tointeger(10 ^ (3 * thousands - power)),
    unit = (prefixes[thousands] .. event.name):sub(1, 15), abbreviation = "",
  }
end

-- Fails if no sample is in the image: the samples are probably from another program.
local function check_samples()
  if not events[1] then fail "standard input: has no samples" end
  local inside, samples = 0, 0
  for _, event in ipairs(events) do
    inside, samples = inside + event.inside, samples + event.samples
  end
  if inside == 0 then fail("standard input: none of the %d samples is in %s", samples, image.path) end
end

read_lines()
check_samples()
for _, event in ipairs(events) do
  local path = ("%s.%s"):format(prefix, (event.name:gsub("[^%w_-]", "_")))
  local data = check(gprof.data.new { image = image }:add_histogram(histogram(event)))
  check(data:write(path))
  print(("%s: %d of %d samples"):format(path, event.inside, event.samples))
end
