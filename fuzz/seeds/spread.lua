-- Inputs for `spread`: spreads of runs that are written by hand, of functions at five addresses.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"

local addresses <const> = { 0x1000, 0x1020, 0x1040, 0x2000, -1 }

local function amounts(a)
  if not a then return ("<I8I8I8I8I8I8i4I4"):pack(0, 0, 0, 0, 0, 0, -1, 0) end
  return ("<I8I8I8I8I8I8I4I4"):pack(a.runs, a.sum, a.least, a.most, a.squares, a.high or 0, a.who, 0)
end

-- Returns the amounts of these values. The run with the maximum has the name `who`.
local function of(values, who)
  local a = { runs = #values, sum = 0, least = math.maxinteger, most = 0, squares = 0, who = who }
  for _, value in ipairs(values) do
    a.sum, a.squares = a.sum + value, a.squares + value * value
    a.least, a.most = math.min(a.least, value), math.max(a.most, value)
  end
  return a
end

local function spread(plan)
  local packed = {}
  for i, address in ipairs(addresses) do packed[i] = ("<I8"):pack(address) end
  local functions = contexts.crc32(table.concat(packed))
  local parts = { ("<c8I4I4I4s4"):pack("gprofspr", 1, #addresses, functions, plan.id or "") ..
    ("\0"):rep(64 - #(plan.id or "")), ("<I8I8I4c15c1I4I8I8"):pack(plan.units or 2, plan.bins or 1,
      plan.rate or 100, "seconds", "s", 0, plan.runs, plan.skipped or 0), amounts(plan.ticks),
    amounts(plan.calls), ("<I4"):pack(#plan.names) }
  for _, name in ipairs(plan.names) do parts[#parts + 1] = ("<s4"):pack(name) end
  parts[#parts + 1] = ("<I4"):pack(#plan)
  for _, f in ipairs(plan) do
    parts[#parts + 1] = ("<I8"):pack(addresses[f[1]]) .. amounts(f.time) .. amounts(f.calls)
  end
  local bytes = table.concat(parts)
  return bytes .. ("<I4"):pack(contexts.crc32(bytes))
end

local one <const> = spread { runs = 1, ticks = of({ 9 }, 0), calls = of({ 3 }, 0), names = { "a" },
  { 1, time = of({ 8 }, 0) }, { 3, calls = of({ 3 }, 0) } }
local three <const> = spread { runs = 3, ticks = of({ 9, 7, 1 }, 1), names = { "run/b", "run/c" }, skipped = 2,
  { 1, time = of({ 8, 5 }, 0) }, { 2, time = of({ 8, 5, 5 }, 1), calls = of({ 1 << 20 }, 1) },
  { 5, calls = of({ 1 }, 0) } }
local huge <const> = spread { runs = 1, names = { "x" },
  { 4, calls = { runs = 1, sum = 1 << 62, least = 1 << 62, most = 1 << 62, squares = 0, high = 1 << 60, who = 0 } } }
local counted <const> = spread { runs = 5, units = 0, bins = 0, rate = 0, calls = of({ 2, 2 }, 0), names = { "same" },
  { 2, calls = of({ 2, 2 }, 0) } }

return function(save)
  local all = { one, three, huge, counted, spread { runs = 0, names = {} },
    spread { runs = 2, names = {}, id = "build" },
    spread { runs = 1, names = {}, units = 7, bins = 3 } }
  for i, first in ipairs(all) do
    save("\0", first, all[i % #all + 1])
    save("\1", first, one)
  end
end
