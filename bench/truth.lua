--- Compares inclusive times with callgrind's counts of instructions, for the same input, and prints a Markdown table:
-- measured times, those of programs without -pg with and without frame pointers, estimated times, and bounds.
--
--     lua5.4 bench/truth.lua DIRECTORY [PROGRAM...]
--
-- Run it in the root of the checkout, after `make`. It needs valgrind, and `apt-get source` for the real programs. A
-- directory DIRECTORY/SOURCE that exists already is used as the source.
--
-- @script truth
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" ..
  package.path
package.cpath = root .. "build/?.so;" .. package.cpath

local gprof = require "gprof"
local inclusive = require "support.inclusive"
local programs = require "bench.truth_programs"
local shell = require "bench.shell"
local turns = require "bench.turns"
local workload = require "bench.workload"

local quote = shell.quote

-- Functions with less than this share of the time are not compared.
local LEAST <const> = 0.01

local FLAGS <const> = "-std=gnu11 -O2 -g -w -fno-optimize-sibling-calls"

local here = assert(shell.capture("realpath " .. quote(root)))

----------------------------------------------------------------------------------------------------
-- Programs and profiles
----------------------------------------------------------------------------------------------------

--- Returns the directory of a program's source.
local function source_of(dir, program)
  if not program.source then return dir end
  return workload.source(dir, program.source)
end

--- Compiles a program with more flags; returns its path.
local function compile(dir, program, suffix, flags)
  local out = dir .. "/" .. program.name .. suffix
  shell.run(("cd %s && OUT=%s BENCH=%s CC=%s CXX=%s; %s"):format(quote(source_of(dir, program)), quote(out),
    quote(here .. "/bench"), quote(("gcc %s %s"):format(FLAGS, flags)),
    quote(("g++ %s %s"):format(FLAGS:gsub("-std=gnu11 ", ""), flags)), program.build))
  return out
end

--- Records a program; returns the path of the profile.
local function record(dir, program, image)
  local name = image:match "[^/]*$" .. ".gmon"
  shell.run(("cd %s && lua5.4 %s/gprof.lua --record --output=%s %s %s >/dev/null 2>&1 || test $? -lt 64"):format(
    quote(dir), quote(here), quote(name), quote(image), program.recorded))
  return dir .. "/" .. name
end

----------------------------------------------------------------------------------------------------
-- Callgrind
----------------------------------------------------------------------------------------------------

--- Reads a callgrind file without compressed names. Returns the cost of each function and of its calls: tables keyed by
-- name; and the total. Callgrind appends the depth of recursion to names: f'2.
local function parse(path)
  local self, calls, total, name, callee = {}, {}, 0, nil, nil
  for line in io.lines(path) do
    local key, value = line:gsub("'%d+$", ""):match "^(c?fn)=(.*)$"
    local cost = line:match "^[+*%d-]%S* (%d+)$"
    if key == "fn" then
      name = value
      self[name], calls[name] = self[name] or 0, calls[name] or {}
    elseif key == "cfn" then
      callee = value
    elseif cost and callee then
      calls[name][callee] = (calls[name][callee] or 0) + cost
      callee = nil
    elseif cost then
      self[name], total = self[name] + cost, total + cost
    end
  end
  return self, calls, total
end

--- Returns whether a function calls itself, directly or not.
local function is_recursive(calls, name)
  local seen, pending = {}, { name }
  while pending[1] do
    for callee in pairs(calls[table.remove(pending)] or {}) do
      if callee == name then return true end
      if not seen[callee] then seen[callee], pending[#pending + 1] = true, callee end
    end
  end
  return false
end

--- Runs a program under callgrind. Returns the inclusive shares of its functions; those of recursive functions are not
-- known.
local function count(dir, program, image)
  local path = ("%s/%s.callgrind"):format(dir, program.name)
  shell.run(("cd %s && valgrind --tool=callgrind --demangle=no --compress-strings=no --compress-pos=no " ..
    "--callgrind-out-file=%s %s %s >/dev/null 2>&1 || test $? -lt 64"):format(quote(dir), quote(path), quote(image),
    program.counted))
  local self, calls, total = parse(path)
  local shares = {}
  for name, own in pairs(self) do
    local sum = own
    for _, cost in pairs(calls[name]) do sum = sum + cost end
    if sum >= LEAST * total and not is_recursive(calls, name) then shares[name] = sum / total end
  end
  return shares
end

----------------------------------------------------------------------------------------------------
-- Profiles
----------------------------------------------------------------------------------------------------

--- Compares shares with true ones. Returns the largest difference, and how many differences are within two standard
-- deviations of a number of samples.
local function compare(shares, truth, samples)
  local largest, within, all = 0, 0, 0
  for name, exact in pairs(truth) do
    local share = shares[name]
    if share then
      local difference = math.abs(share - exact)
      largest, all = math.max(largest, difference), all + 1
      if difference <= 2 * math.sqrt(math.max(exact * (1 - exact), 1 / samples) / samples) then within = within + 1 end
    end
  end
  return largest, within, all
end

--- Returns the shares of the program's functions with unique names.
local function shares_of(profile, ticks_of, total)
  local shares, seen = {}, {}
  for f in profile:functions() do
    local ticks = ticks_of(f)
    if seen[f.symbol] or f.object then ticks = nil end
    seen[f.symbol] = true
    shares[f.symbol] = ticks and ticks / total
  end
  return shares
end

--- Returns the largest difference of inclusive shares in a program without -pg, and the part of the samples with call
-- paths.
local function sampled(dir, program, path, truth)
  local image = assert(gprof.image(path))
  local data = assert(gprof.data(image, record(dir, program, path)))
  local profile = assert(gprof.profile(image, data, { libraries = true, no_demangle = true }))
  local ticks = inclusive.ticks(profile)
  local shares = shares_of(profile, function(f) return ticks[f.id] or 0 end, profile.total_ticks)
  return (compare(shares, truth, profile.total_ticks // profile.ticks_per_sample)), profile.path_share
end

--- Checks the bounds of all functions, and returns the median of their widths as a share, of all functions that ran;
-- nil and the reason if there are no bounds.
local function bounds(image, data, exact_of)
  local profile = assert(gprof.profile(image, inclusive.as_glibc(image, data), { bounds = true, no_demangle = true }))
  if not profile.has_bounds then return nil, profile:bounds_problem() end
  local widths, rate, total = {}, profile.rate, profile.total_ticks
  for f in profile:functions() do
    local exact = exact_of(f.address)
    assert(f.total_low * rate <= exact + 1e-6 and exact <= f.total_high * rate + 1e-6,
      ("%s: %g <= %g <= %g"):format(f.name, f.total_low * rate, exact, f.total_high * rate))
    if f.calls > 0 or f.ticks > 0 then widths[#widths + 1] = (f.total_high - f.total_low) * rate / total end
  end
  return turns.median(widths)
end

----------------------------------------------------------------------------------------------------
-- The table
----------------------------------------------------------------------------------------------------

local function points(share) return ("%.1f"):format(100 * share) end

local function row_of(dir, program)
  local image_path = compile(dir, program, ".pg", "-pg")
  local plain = compile(dir, program, ".plain", "")
  local truth = count(dir, program, plain)
  local without = sampled(dir, program, plain, truth)
  local with = sampled(dir, program, compile(dir, program, ".framed", "-fno-omit-frame-pointer"), truth)
  local image = assert(gprof.image(image_path))
  local data = assert(gprof.data(image, record(dir, program, image_path)))
  local full = assert(gprof.profile(image, data, { libraries = true, no_demangle = true }))
  local own = assert(gprof.profile(image, data, { no_demangle = true }))
  local estimated = assert(gprof.profile(image, data, { assume_proportional = true, no_demangle = true }))
  assert(full.exact and own.exact and full.has_libraries, program.name .. ": no complete call paths")
  local ticks, own_ticks = inclusive.ticks(full), inclusive.ticks(own)
  local measured = shares_of(full, function(f) return ticks[f.id] or 0 end, full.total_ticks)
  local samples = full.total_ticks // full.ticks_per_sample
  local largest, within, all = compare(measured, truth, samples)
  -- the estimate knows no libraries: it is compared with what was measured without them
  local exact = shares_of(own, function(f) return truth[f.symbol] and own_ticks[f.id] end, own.total_ticks)
  local guess = shares_of(estimated, function(f) return not f.cycle and f.ticks + f.children_ticks or nil end,
    estimated.total_ticks)
  local wrong = compare(guess, exact, samples)
  local width, problem = bounds(image, data, function(address)
    local f = own:lookup(address)
    return f and own_ticks[f.id] or 0
  end)
  return ("| %s | %d | %d | %s | %d | %s | %s | %s | %s |"):format(program.name, samples, all, points(largest), within,
    points(without), points(with), points(wrong), width and points(width) or problem)
end

local function run(dir, names)
  local wanted = {}
  for _, name in ipairs(names) do wanted[name] = true end
  shell.run("mkdir -p " .. quote(dir))
  dir = assert(shell.capture("realpath " .. quote(dir)))
  workload.write(dir, 60000, 100000)
  io.stdout:setvbuf "line"
  print "| program | samples | functions | measured | within error | no -pg | frame pointers | estimated | bounds |"
  print "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
  for _, program in ipairs(programs) do
    if not names[1] or wanted[program.name] then print(row_of(dir, program)) end
  end
end

run(arg[1] or error("usage: lua5.4 bench/truth.lua DIRECTORY [PROGRAM...]", 0), table.move(arg, 2, #arg, 1, {}))
