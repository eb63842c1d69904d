--- Compares profilers of Lua programs on three programs (bench/lua), and prints a Markdown table:
--
-- - wrong: the functions whose calls differ from those that a hook counts, of all;
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

local shell = require "bench.shell"

local PROGRAMS <const>, RUNS <const> = { "richards", "deltablue", "json" }, 3

local dir = assert(arg[1], "a directory")
local profile <const> = shell.quote(dir .. "/p")

local function median(values)
  table.sort(values)
  return values[#values // 2 + 1]
end

-- Returns the processor times of the parts, and their sum.
local function parts_of(output)
  local parts, sum = {}, 0
  for seconds in output:gmatch "part %d+ ([%d.]+)" do
    parts[#parts + 1], sum = tonumber(seconds), sum + seconds
  end
  return parts, sum
end

local function plain(interpreter, program, word)
  return shell.capture(("%s bench/lua/run.lua %s %s 2>&1"):format(interpreter, program, word))
end

-- Returns the places of the parts, which a program returns in its last line.
local function part_places(program)
  local names, number, places = {}, 0, {}
  local text = shell.read(("bench/lua/%s.lua"):format(program))
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    local name = line:match "^local function (%w+)"
    if name then names[name] = number end
  end
  for name in text:match "return { ([^}]*) }\n$":gmatch "%w+" do
    places[#places + 1] = ("%s.lua:%d"):format(program, names[name])
  end
  return places
end

-- Each returns what a run under the profiler prints, and the calls and seconds of functions by place.
local function under_gprof(option)
  return function(program, repeats)
    local output = shell.capture(("lua5.4 gprof.lua --record %s --output=%s bench/lua/run.lua %s %d 2>&1")
      :format(option, profile, program, repeats))
    local found = {}
    for line in shell.capture("lua5.4 gprof.lua --export=csv " .. profile):gmatch "\n([^\n]+)" do
      local fields = {}
      for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
      local place = ("%s:%s"):format(fields[3]:match "[^/]*$", fields[4])
      found[place] = { calls = fields[9] + fields[10], seconds = fields[6] + fields[7] }
    end
    return output, found
  end
end

local function under(kind, path)
  return function(program, repeats)
    local output = shell.capture(("lua5.4 bench/lua/profiled.lua %s %s %s %d 2>&1"):format(kind, shell.quote(path),
      program, repeats))
    local found = {}
    for place, calls, seconds in output:gmatch "calls (%S+) (%d+) ([%d.]+)" do
      local former = found[place] or { calls = 0, seconds = 0 }
      found[place] = { calls = former.calls + calls, seconds = former.seconds + seconds }
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
  for _, place in ipairs(places) do seconds = seconds + (found[place] and found[place].seconds or 0) end
  for i, place in ipairs(places) do
    local share = found[place] and seconds > 0 and found[place].seconds / seconds or 0
    most = math.max(most, 100 * math.abs(share - parts[i] / sum))
  end
  return most
end

local function measure(program, run, repeats)
  local places, costs, differences, found = part_places(program), {}, {}, nil
  for i = 1, RUNS do
    local parts, sum = parts_of(plain("lua5.4", program, repeats))
    local output
    output, found = run(program, repeats)
    costs[i] = select(2, parts_of(output)) / sum
    differences[i] = largest(places, parts, sum, found)
  end
  if repeats > 1 then found = select(2, run(program, 1)) end
  local all, wrong = wrong_calls(program, found)
  return ("%d of %d, %.1f, %.2f"):format(wrong, all, median(differences), median(costs))
end

local function measure_jit(program)
  local costs = {}
  for i = 1, RUNS do
    local _, sum = parts_of(plain("luajit", program, 20))
    costs[i] = select(2, parts_of(plain("luajit -jp=f,", program, 20))) / sum
  end
  return ("-, -, %.2f"):format(median(costs))
end

local function row(name, run)
  local cells = {}
  for i, program in ipairs(PROGRAMS) do cells[i] = run(program) end
  print(("| %s | %s |"):format(name, table.concat(cells, " | ")))
end

print(("| wrong, parts, cost | %s |"):format(table.concat(PROGRAMS, " | ")))
print("| --- " .. ("| --- "):rep(#PROGRAMS) .. "|")
local function add(name, run, repeats)
  row(name, function(program) return measure(program, run, repeats) end)
end
add("`gprof.lua --record`", under_gprof "--count=calls", 6)
add("with `--count=none`", under_gprof "--count=none", 6)
for i = 2, #arg do
  local kind, path = arg[i]:match "^(.-)=(.+)$"
  add(kind, under(kind, path), 1)
end
if shell.capture "luajit -v 2>&1" then row("LuaJIT's jit.p, beside LuaJIT", measure_jit) end
