--- Checks the recorder of Lua programs with five classic programs (bench/lua), and prints a Markdown table:
--
-- - counts: the functions whose calls differ from those that a hook of the program itself counts;
-- - parts: the largest difference, in percentage points, between the share of a part in the program's processor time as
--   `os.clock` measures it, unrecorded, and its inclusive share in the profile;
-- - self: the same between the self time of functions above 2 % with calls counted, and with samples only;
-- - cost: the processor time of the recorded parts, as a ratio of that of the unrecorded ones.
--
--     lua5.4 bench/scripts.lua DIRECTORY [RUNS]
--
-- Run it in the root of the checkout, after `make`. Medians of RUNS (default 5) runs in turn.
--
-- @script scripts
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local shell = require "bench.shell"

local PROGRAMS <const> = { "richards", "deltablue", "nbody", "json", "scheduler" }
local REPEATS <const>, LEAST <const> = 6, 0.02
local MODES <const> = { "calls", "none", "lines" }

local dir, runs = assert(arg[1], "a directory"), tonumber(arg[2]) or 5

-- Returns what the program prints, after "--record" with options, or without.
local function run(program, word, options)
  local lua = options and ("lua5.4 gprof.lua --record %s --output=%s "):format(options, shell.quote(dir .. "/p")) or
    "lua5.4 "
  return shell.capture(("%sbench/lua/run.lua %s %s 2>&1"):format(lua, program, word))
end

-- Returns the processor time of each part, and of all.
local function parts_of(output)
  local parts, sum = {}, 0
  for seconds in output:gmatch "part %d+ ([%d.]+)" do
    parts[#parts + 1], sum = tonumber(seconds), sum + seconds
  end
  return parts, sum
end

-- Returns the functions of the profile by place: `calls`, `self` and `total`, shares of the time of all.
local function profile()
  local functions, sum = {}, 0
  for line in shell.capture("lua5.4 gprof.lua --export=csv " .. shell.quote(dir .. "/p")):gmatch "\n([^\n]+)" do
    local fields = {}
    for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
    local key = fields[3] ~= "" and ("%s:%s"):format(fields[3]:match "[^/]*$", fields[4]) or fields[1]
    local self, calls = tonumber(fields[6]), tonumber(fields[9]) + (tonumber(fields[10]) or 0)
    functions[key] = { name = fields[1], self = self, total = self + tonumber(fields[7]), calls = calls }
    sum = sum + self
  end
  return functions, sum
end

-- Returns the number of functions, and of those whose calls are wrong.
local function wrong_counts(program)
  local counted, wrong, all = run(program, "count"), 0, 0
  run(program, "1", "--rate=0")
  local functions = profile()
  for place, calls in counted:gmatch "calls (%S+) (%d+)" do
    local found = functions[place]
    all = all + 1
    if not found or found.calls ~= tonumber(calls) then wrong = wrong + 1 end
  end
  return all, wrong
end

-- Returns the lines of the parts, which a program returns in its last line.
local function part_places(program)
  local path = ("bench/lua/%s.lua"):format(program)
  local text, places = shell.read(path), {}
  local names, number = {}, 0
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

local function median(values)
  table.sort(values)
  return values[#values // 2 + 1]
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
  local places = part_places(program)
  local plain, modes = {}, {}
  for _, mode in ipairs(MODES) do modes[mode] = { cost = {}, parts = {}, self = {} } end
  for i = 1, runs do
    local parts, sum = parts_of(run(program, REPEATS))
    plain[i] = {}
    for j, seconds in ipairs(parts) do plain[i][places[j]] = seconds / sum end
    for _, mode in ipairs(MODES) do
      local all = modes[mode]
      all.cost[i] = select(2, parts_of(run(program, REPEATS, "--count=" .. mode))) / sum
      local functions, ticks = profile()
      all.parts[i], all.self[i] = {}, {}
      for _, place in ipairs(places) do
        all.parts[i][place] = functions[place] and functions[place].total / ticks or 0
      end
      for place, f in pairs(functions) do all.self[i][place] = f.self / ticks end
    end
  end
  return medians(plain), modes
end

print("| program | functions, wrong counts | parts: calls, none, lines | self: calls, lines | " ..
  "cost: calls, none, lines |")
print "| --- | --- | --- | --- | --- |"
for _, program in ipairs(PROGRAMS) do
  local all, wrong = wrong_counts(program)
  local plain, modes = measure(program)
  local parts, self, cost = {}, {}, {}
  for i, mode in ipairs(MODES) do
    parts[i] = ("%.1f"):format(largest(plain, medians(modes[mode].parts)))
    cost[i] = ("%.2f"):format(median(modes[mode].cost))
    if mode ~= "none" then
      local most, place = largest(medians(modes.none.self), medians(modes[mode].self))
      self[#self + 1] = ("%.1f (%s)"):format(most, place)
    end
  end
  print(("| %s | %d, %d | %s | %s | %s |"):format(program, all, wrong, table.concat(parts, ", "),
    table.concat(self, ", "), table.concat(cost, ", ")))
end
