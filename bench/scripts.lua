--- Checks the recorder of Lua programs with five classic programs (bench/lua), and prints the table of
-- bench/evidence.md:
--
-- - parts: the largest difference, in percentage points, between the share of a part in the program's processor time as
--   `os.clock` measures it, unrecorded, and its inclusive share in the profile;
-- - self: the same between the self time of functions above 2 % with calls counted, and with samples only;
-- - cost: the processor time of the recorded parts, as a ratio of that of the unrecorded ones.
--
-- On standard error: the number of functions whose calls differ from those that a hook of the program itself counts,
-- and the functions whose self time differs most.
--
--     lua5.4 bench/scripts.lua DIRECTORY [RUNS [REPEATS]]
--
-- Run it in the root of the checkout, after `make`. Medians of RUNS (default 5) runs in turn, each of which repeats the
-- parts REPEATS times (default 6): about 40 samples for each.
--
-- @script scripts
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local lua_parts = require "bench.lua_parts"
local shell = require "bench.shell"
local turns = require "bench.turns"

local median <const> = turns.median

local PROGRAMS <const> = { "richards", "deltablue", "nbody", "json", "scheduler" }
local LEAST <const> = 0.02
local MODES <const> = { "calls", "none", "lines" }

local dir, runs, repeats = assert(arg[1], "a directory"), tonumber(arg[2]) or 5, tonumber(arg[3]) or 6
local path <const> = dir .. "/p"

-- Returns what the program prints, after "--record" with options, or without.
local function run(program, word, options)
  local lua = options and ("lua5.4 gprof.lua --record %s --output=%s "):format(options, shell.quote(path)) or
    "lua5.4 "
  return shell.capture(("%sbench/lua/run.lua %s %s 2>&1"):format(lua, program, word))
end

-- Returns the number of functions, and of those whose calls are wrong.
local function wrong_counts(program)
  local counted, wrong, all = run(program, "count"), 0, 0
  run(program, "1", "--rate=0")
  local functions = lua_parts.profile(path)
  for place, calls in counted:gmatch "calls (%S+) (%d+)" do
    local found = functions[place]
    all = all + 1
    if not found or found.calls ~= tonumber(calls) then wrong = wrong + 1 end
  end
  return all, wrong
end

-- Returns the medians of each field of several tables.
local function medians(tables)
  local result = {}
  for key in pairs(tables[1]) do
    local values = {}
    for i, each in ipairs(tables) do values[i] = each[key] or 0 end
    result[key] = median(values)
  end
  return result
end

-- Returns the largest difference of shares, and where it is.
local function largest(expected, found)
  local most, place = 0, "-"
  for key, share in pairs(expected) do
    local difference = 100 * math.abs(share - (found[key] or 0))
    if share > LEAST and difference > most then most, place = difference, key end
  end
  return most, place
end

-- Measures one program in turns.
local function measure(program)
  local places = lua_parts.places(program)
  local plain, modes = {}, {}
  for _, mode in ipairs(MODES) do modes[mode] = { cost = {}, parts = {}, self = {} } end
  for i = 1, runs do
    local parts, sum = lua_parts.times(run(program, repeats))
    plain[i] = {}
    for j, seconds in ipairs(parts) do plain[i][places[j]] = seconds / sum end
    for _, mode in ipairs(MODES) do
      local all = modes[mode]
      all.cost[i] = select(2, lua_parts.times(run(program, repeats, "--count=" .. mode))) / sum
      local functions, ticks = lua_parts.profile(path)
      all.parts[i], all.self[i] = {}, {}
      for _, place in ipairs(places) do
        all.parts[i][place] = functions[place] and functions[place].total / ticks or 0
      end
      for place, f in pairs(functions) do all.self[i][place] = f.self / ticks end
    end
  end
  return medians(plain), modes
end

print "| program | parts: calls, none, lines | self: calls, lines | cost: calls, none, lines |"
print "| --- | --- | --- | --- |"
for _, program in ipairs(PROGRAMS) do
  local all, wrong = wrong_counts(program)
  local plain, modes = measure(program)
  local parts, self, cost, most_in = {}, {}, {}, {}
  for i, mode in ipairs(MODES) do
    parts[i] = ("%.1f"):format(largest(plain, medians(modes[mode].parts)))
    cost[i] = ("%.2f"):format(median(modes[mode].cost))
    if mode ~= "none" then
      local most, place = largest(medians(modes.none.self), medians(modes[mode].self))
      self[#self + 1], most_in[#most_in + 1] = ("%.1f"):format(most), place
    end
  end
  print(("| %s | %s | %s | %s |"):format(program, table.concat(parts, ", "), table.concat(self, ", "),
    table.concat(cost, ", ")))
  io.stderr:write(("%s: %d of %d functions have wrong calls; self time differs most in %s\n"):format(program, wrong,
    all, table.concat(most_in, ", ")))
end
