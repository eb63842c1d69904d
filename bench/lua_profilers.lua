--- Compares profilers of Lua programs on three programs (bench/lua), and prints the table of bench/evidence.md:
--
-- - if calls are counted, the functions whose calls differ from those that a hook counts, of all;
-- - parts: the largest difference, in percentage points, between the share of a part in the processor time of the
--   program, as `os.clock` measures it without a profiler, and that in the profile;
-- - cost: the processor time under the profiler, as a ratio of that without.
--
--     lua5.4 bench/lua_profilers.lua DIRECTORY [ProFi=PATH] [profile.lua=PATH]
--
-- PATH is the file of a profiler, which is not part of this project. LuaJIT's own profiler is measured if LuaJIT is
-- installed; it has no calls. Run it in the root of the checkout, after `make`.
--
-- @script lua_profilers
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local lua_parts = require "bench.lua_parts"
local shell = require "bench.shell"
local turns = require "bench.turns"

local median <const> = turns.median

local PROGRAMS <const>, RUNS <const> = { "richards", "deltablue", "json" }, 3

local dir = assert(arg[1], "a directory")
local profile <const> = dir .. "/p"

local function plain(interpreter, program, word)
  return shell.capture(("%s bench/lua/run.lua %s %s 2>&1"):format(interpreter, program, word))
end

-- Each returns what a run under the profiler prints, and by place the calls and total seconds of functions.
local function under_gprof(option)
  return function(program, repeats)
    local output = shell.capture(("lua5.4 gprof.lua --record %s --output=%s bench/lua/run.lua %s %d 2>&1")
      :format(option, shell.quote(profile), program, repeats))
    return output, (lua_parts.profile(profile))
  end
end

local function under(kind, path)
  return function(program, repeats)
    local output = shell.capture(("lua5.4 bench/lua/profiled.lua %s %s %s %d 2>&1"):format(kind, shell.quote(path),
      program, repeats))
    local found = {}
    for place, calls, seconds in output:gmatch "calls (%S+) (%d+) ([%d.]+)" do
      local former = found[place] or { calls = 0, total = 0 }
      found[place] = { calls = former.calls + calls, total = former.total + seconds }
    end
    return output, found
  end
end

-- Returns the number of functions, and of those with wrong calls.
local function wrong_calls(program, found)
  local all, wrong = 0, 0
  for place, calls in plain("lua5.4", program, "count"):gmatch "calls (%S+) (%d+)" do
    if not place:find ":0$" then
      all = all + 1
      if not found[place] or found[place].calls ~= tonumber(calls) then wrong = wrong + 1 end
    end
  end
  return all, wrong
end

-- Returns the largest difference of the parts' shares.
local function largest(places, parts, sum, found)
  local seconds, most = 0, 0
  for _, place in ipairs(places) do seconds = seconds + (found[place] and found[place].total or 0) end
  for i, place in ipairs(places) do
    local share = found[place] and seconds > 0 and found[place].total / seconds or 0
    most = math.max(most, 100 * math.abs(share - parts[i] / sum))
  end
  return most
end

-- `counts`: whether the profiler counts calls.
local function measure(program, run, repeats, counts)
  local places, costs, differences, found = lua_parts.places(program), {}, {}, nil
  for i = 1, RUNS do
    local parts, sum = lua_parts.times(plain("lua5.4", program, repeats))
    local output
    output, found = run(program, repeats)
    costs[i] = select(2, lua_parts.times(output)) / sum
    differences[i] = largest(places, parts, sum, found)
  end
  local shares = ("%.1f, %.2f"):format(median(differences), median(costs))
  if not counts then return shares end
  if repeats > 1 then found = select(2, run(program, 1)) end
  local all, wrong = wrong_calls(program, found)
  return ("%d of %d, %s"):format(wrong, all, shares)
end

local function measure_jit(program)
  local costs = {}
  for i = 1, RUNS do
    local _, sum = lua_parts.times(plain("luajit", program, 20))
    costs[i] = select(2, lua_parts.times(plain("luajit -jp=f,", program, 20))) / sum
  end
  return ("%.2f"):format(median(costs))
end

local function row(name, run)
  local cells = {}
  for i, program in ipairs(PROGRAMS) do cells[i] = run(program) end
  print(("| %s | %s |"):format(name, table.concat(cells, " | ")))
end

print(("| profiler | %s |"):format(table.concat(PROGRAMS, " | ")))
print("| --- " .. ("| --- "):rep(#PROGRAMS) .. "|")
local function add(name, run, repeats, counts)
  row(name, function(program) return measure(program, run, repeats, counts) end)
end
add("`gprof.lua --record`", under_gprof "--count=calls", 6, true)
add("with `--count=none`", under_gprof "--count=none", 6, false)
for i = 2, #arg do
  local kind, path = arg[i]:match "^(.-)=(.+)$"
  add(kind, under(kind, path), 1, true)
end
if shell.capture "luajit -v 2>&1" then row("LuaJIT's `jit.p`, beside LuaJIT", measure_jit) end
