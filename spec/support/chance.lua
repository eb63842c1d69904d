-- Generates random profiles and images, reproducibly by the seed of math.random, and repeats specs with many of them.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"

local chance = {}

local random <const> = math.random

--- Picks an element of a list.
function chance.pick(list)
  return list[random(#list)]
end
local pick <const> = chance.pick

-- Returns true with a probability of 1 in `n`.
local function once_in(n)
  return random(n) == 1
end

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = random(i)
    list[i], list[j] = list[j], list[i]
  end
end

--- Sets up random cases. Case n has the seed `first + n - 1`; GPROF_SEED=SEED GPROF_CASES=1 repeats a single case.
-- @tparam integer first seed of the first case, unless GPROF_SEED is set
-- @tparam integer count number of cases, unless GPROF_CASES is set
-- @treturn function `repeatedly(try[, share])`: calls `try` for each case, or for one in `share` cases, with a message
--   that says how to repeat the case
-- @treturn integer count
-- @treturn integer first
function chance.cases(first, count)
  first = tonumber(os.getenv "GPROF_SEED" or first)
  count = tonumber(os.getenv "GPROF_CASES" or count)
  return function(try, share)
    for seed = first, first + math.max(1, count // (share or 1)) - 1 do
      math.randomseed(seed)
      try(("GPROF_SEED=%d GPROF_CASES=1\n"):format(seed), seed)
    end
  end, count, first
end

--- Whether specs try all of their many combinations, or the largest inputs (`make check-all`), rather than a share.
chance.thorough = os.getenv "GPROF_THOROUGH" ~= nil

local turns = 0

--- Returns one in `share` elements of a list, and other ones at the next call; all of them with GPROF_THOROUGH.
-- @tparam table list
-- @tparam integer share
-- @treturn table
function chance.some(list, share)
  if chance.thorough then return list end
  local chosen = {}
  for i = turns % share + 1, #list, share do chosen[#chosen + 1] = list[i] end
  turns = turns + 1
  return chosen
end

--- Returns `it` for one in `share` of the specs that are defined with it; for all of them with GPROF_THOROUGH.
-- @tparam integer share
-- @tparam function it busted's
-- @treturn function
function chance.one_in(share, it)
  if chance.thorough then return it end
  local number = -1
  return function(...)
    number = number + 1
    if number % share == 0 then return it(...) end
  end
end

--- Collects the facts about an image that random profiles need.
-- @tparam string image path
-- @tparam[opt] table shape `pointer` (bytes, default 8) and `big` (byte order) of the image
-- @treturn table `image`; `pointer`, `big`; `functions`, the addresses of functions; `low`, the lowest of them; `last`,
--   the highest address of a global function (under any options, global functions are symbols)
function chance.subject(image, shape)
  local subject = { image = image, pointer = 8, big = false, functions = {} }
  for name, value in pairs(shape or {}) do
    subject[name] = value
  end
  for _, symbol in ipairs(build.symbols(image)) do
    if symbol.type:find "[tTW]" then
      table.insert(subject.functions, symbol.address)
      if symbol.type ~= "t" then
        subject.last = symbol.address
      end
    end
  end
  subject.low = subject.functions[1]
  return subject
end

-- Histograms ----------------------------------------------------------------------------

local MOST_BINS <const> = 20000

-- Kinds of histograms, from which one is drawn at random. The usual kind is listed three times.
local kinds <const> = {
  { rate = 100 }, { rate = 100 }, { rate = 100 }, { rate = 1000 }, { rate = 1 }, { rate = 250 },
  { rate = 1, dimension = "cache-misses", abbreviation = "1" },
  { rate = 100, abbreviation = "\0" },
  { rate = 7, dimension = "fifteen-letters", abbreviation = "x" },
}

-- Bytes of code per bin: from half of GNU gprof's unit of two bytes to bins that span many functions.
local widths <const> = { 1, 2, 2, 4, 4, 4, 6, 10, 16, 64, 256, 4096 }

-- Distributions of counts: functions that return the count of one bin.
local counts <const> = {
  function() return random(5) end,
  function() return 10 * random(20) end,
  function() return once_in(4) and 65535 or random(0, 300) end,
}

-- Fills the bins below the last symbol. GNU gprof reads past the end of its table to find where that symbol ends.
local function fill(histogram, last)
  local n = histogram.bins.n
  local units = histogram.high // 2 - histogram.low // 2
  local count = pick(counts)
  for _ = 1, random(0, pick { 1, 5, 50, math.max(1, n // 4) }) do
    local i = random(n)
    if histogram.low // 2 + math.ceil(units / n * i) <= last // 2 then
      histogram.bins[i] = count()
    end
  end
end

local function one_histogram(kind, low, high, n, last)
  local histogram = { kind = "histogram", low = low, high = high, bins = { n = math.max(1, n) },
    rate = kind.rate, dimension = kind.dimension, abbreviation = kind.abbreviation }
  fill(histogram, last)
  return histogram
end

-- Returns one histogram, or two that do not overlap, over all or part of the code.
local function histograms(subject)
  local kind, width, pieces = pick(kinds), pick(widths), once_in(4) and 2 or 1
  local low = once_in(4) and pick(subject.functions) or subject.low - random(0, 64)
  low = math.min(low, subject.last - 1)
  local wider = once_in(4) and random(0, 5000) or 0
  local n = math.max(1, math.min(MOST_BINS, (subject.last + wider - low) // pieces // width))
  local list = {}
  for i = 1, pieces do
    local from = low + (i - 1) * n * width
    -- A single histogram may have a fractional bin width; two histograms must have the same bin width.
    local bins = pieces == 1 and once_in(6) and n + random(-3, 3) or n
    list[i] = one_histogram(kind, from, from + n * width, bins, subject.last)
  end
  return list
end

-- Arcs ------------------------------------------------------------------------------------

-- Returns random functions for arcs; a function may occur several times. Arcs between few functions tend to form
-- cycles, arcs between many tend to form trees.
local function circle(subject)
  local members = {}
  for i = 1, random(2, once_in(2) and 8 or math.max(2, #subject.functions)) do
    members[i] = pick(subject.functions)
  end
  return members
end

-- Returns the address of a call: in a function, sometimes outside all functions.
local function call_site(subject, members)
  if once_in(30) then
    return pick { 0, subject.low // 2, 2 * subject.last, (1 << 8 * subject.pointer - 1) - 1 }
  end
  return pick(members) + random(0, once_in(3) and 5 or 0)
end

local function arcs(subject)
  local members, list = circle(subject), {}
  for i = 1, random(0, once_in(3) and 200 or 30) do
    local callee = pick(members)
    local caller = once_in(8) and callee or call_site(subject, members)
    if once_in(10) then
      callee = callee + random(40)  -- inside the function or the next one
    end
    local count = pick { 0, 1, 1, 2, 3, 10, 100, 1000, random(1000000), 4000000000 }
    list[i] = { kind = "arc", from = caller, self = callee, count = count }
  end
  return list
end

-- Files -----------------------------------------------------------------------------------

-- Converts a profile for the BSD formats, whose files have at most one histogram, followed by the arcs.
local function to_bsd(profile)
  local histogram = gmon.select(profile, "histogram")[1] or { low = 0, high = 0, bins = {} }
  local bsd = { pointer = profile.pointer, big = profile.big, rate = histogram.rate,
    low = histogram.low, high = histogram.high, bins = histogram.bins, arcs = {} }
  for i, arc in ipairs(gmon.select(profile, "arc")) do
    bsd.arcs[i] = { arc.from, arc.self, arc.count }
  end
  return bsd
end

--- Encodes a profile in a file format.
-- @tparam table profile as for `gmon.magic`
-- @tparam string format "magic", "bsd" or "4.4bsd"; the BSD formats hold only the first histogram and the arcs
-- @treturn string bytes of the file
function chance.encode(profile, format)
  if format == "magic" then return gmon.magic(profile) end
  return (format == "bsd" and gmon.bsd or gmon.bsd44)(to_bsd(profile))
end

--- Generates a profile.
-- @tparam table subject
-- @tparam[opt] string format as for `encode`, with a histogram; without a format, any mixture of records
-- @treturn string bytes of the file
-- @treturn boolean whether it has neither a histogram nor arcs
function chance.profile(subject, format)
  local records = {}
  if format or not once_in(10) then
    table.move(histograms(subject), 1, 2, 1, records)
  end
  if not once_in(10) then
    local list = arcs(subject)
    table.move(list, 1, #list, #records + 1, records)
  end
  if once_in(3) then
    shuffle(records)
  end
  local profile = { pointer = subject.pointer, big = subject.big, records = records }
  return chance.encode(profile, format or "magic"), #records == 0
end

-- Images ----------------------------------------------------------------------------------

local pieces <const> = {
  "foo", "bar", "_", "__", ".", "..", ".0", ".12", ".constprop.", ".constprop.0", ".clone.", ".clone.3", ".isra.0",
  ".part.1", ".cold", "$", "x", "1", ".1a", "a.b", "__gnu_compiled", "_gnu_compiled_c", ".lto_priv.0",
}

local flags <const> = {
  "local", "local,function", "local", "local,function", "global", "global,function", "weak", "weak,function",
  "indirect-function,local", "indirect-function,global", "local,object",
}

--- Generates an image with unusual symbol names, several of them at one address. The first and the last symbol are
-- global, so that options such as --no-static leave some symbols.
-- @treturn table subject
function chance.image()
  local symbols, seen = { { "first", 0 }, { "last", 0x400 } }, {}
  for _ = 1, random(3, 40) do
    local name = ""
    for _ = 1, random(4) do
      name = name .. pick(pieces)
    end
    if not seen[name] then
      seen[name] = true
      symbols[#symbols + 1] = { name, 16 * random(60), pick(flags) }
    end
  end
  shuffle(symbols)
  return chance.subject(build.craft { text = 0x800, symbols = symbols })
end

return chance
