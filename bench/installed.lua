--- Compares the shares of functions with those of `perf record`, in programs that are not compiled for profiling, and
-- prints a Markdown table.
--
--     lua5.4 bench/installed.lua DIRECTORY [PROGRAM...]
--
-- Run it in the root of the checkout, after `make`, as a user for whom perf samples the kernel. A PROGRAM is the first
-- word of a name in bench/installed_programs.lua; those that are not installed are left out. Both sample the same run,
-- since shares differ more from run to run. The time of a system call is that of the function that made it.
--
-- @script installed
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = root .. "build/?.so;" .. package.cpath

local gprof = require "gprof"
local markdown = require "bench.markdown"
local programs = require "bench.installed_programs"
local shell = require "bench.shell"

local quote = shell.quote

-- Functions with less than this share in both are not compared.
local LEAST <const> = 0.01

local here = assert(shell.capture("realpath " .. quote(root)))

--- Runs the program. Returns the profile of the recorder, with libraries.
local function record(dir, program, path)
  local sample = ("perf record -q -e cpu-clock -c 1000000 -g -o perf.data -- lua5.4 %s/gprof.lua --record " ..
    "--output=gmon.%%p"):format(quote(here))
  shell.run(("cd %s && { %s; } >out 2>err"):format(quote(dir), (program.command:gsub("%$SAMPLE",
    (sample:gsub("%%", "%%%%"))))))
  local image, files = assert(gprof.image(path)), {}
  for name in shell.capture(("ls -d %s/gmon.*[0-9]"):format(quote(dir))):gmatch "[^\n]+" do files[#files + 1] = name end
  return assert(gprof.profile(image, assert(gprof.data(image, table.unpack(files))), { libraries = true })), files
end

--- Returns a function that finds the function of a profile at an offset of a file.
local function finder(profile)
  local by_path = {}
  for _, object in ipairs(profile:objects()) do
    local path = object.path and shell.capture("realpath -q " .. quote(object.path))
    if path then by_path[path] = object end
  end
  return function(path, offset)
    local object = by_path[path]
    if not object then return path:match "[^/]*$" end
    local f = profile:lookup(object.low + offset - object.offset)
    return f and f.name or path
  end
end

--- Returns the number of perf's samples for each name that `find` returns, and their sum: those of the processes that
-- wrote profiles, without those in the recorder. The first address of a call path that is not the kernel's is where
-- the program was.
local function count(dir, files, find)
  local counts, sum, open, recorded = {}, 0, false, {}
  for _, name in ipairs(files) do recorded[name:match "%d+$"] = true end
  local script = ("perf script -i %s/perf.data -F pid,ip,sym,dso 2>/dev/null"):format(quote(dir))
  for line in assert(io.popen(script)):lines() do
    local address, path = line:match "^%s*(%x+) .*%((.*)%)$"
    if not address then
      open = recorded[line:match "%d+"]
    elseif open and #address < 16 then
      open = false
      if not path:find "/libgprof%-recorder%.so$" then
        local name = find(path, tonumber(address, 16))
        counts[name], sum = (counts[name] or 0) + 1, sum + 1
      end
    end
  end
  return counts, sum
end

--- Returns the number of samples of the recorder for each name, and their sum.
local function samples_of(profile)
  local counts, sum = {}, 0
  for f in profile:functions() do
    local samples = f.ticks / profile.ticks_per_sample
    counts[f.name], sum = (counts[f.name] or 0) + samples, sum + samples
  end
  return counts, sum
end

--- Returns the number of functions, how many of them have shares within two standard deviations of each other, the
-- largest difference, and its function.
local function compare(ours, our_sum, theirs, their_sum)
  local all, within, largest, where, names = 0, 0, 0, nil, {}
  for _, counts in ipairs { ours, theirs } do
    for name in pairs(counts) do names[name] = true end
  end
  for name in pairs(names) do
    local a, b = (ours[name] or 0) / our_sum, (theirs[name] or 0) / their_sum
    if math.max(a, b) >= LEAST then
      local mean = ((ours[name] or 0) + (theirs[name] or 0)) / (our_sum + their_sum)
      local error = math.sqrt(mean * (1 - mean) * (1 / our_sum + 1 / their_sum))
      local difference = math.abs(a - b)
      all, within = all + 1, within + (difference <= 2 * error and 1 or 0)
      if difference > largest then largest, where = difference, name end
      if difference > 2 * error then
        io.stderr:write(("    %-40s %5.2f %5.2f %%  %.1f errors\n"):format(name, 100 * a, 100 * b, difference / error))
      end
    end
  end
  return all, within, largest, where
end

local function row_of(dir, program)
  shell.run(("rm -rf %s && mkdir -p %s"):format(quote(dir), quote(dir)))
  for name, text in pairs(program.files or {}) do shell.write(dir .. "/" .. name, text) end
  if program.make then shell.run(("cd %s && %s"):format(quote(dir), program.make)) end
  local path = assert(shell.capture(("cd %s && realpath $(%s)"):format(quote(dir),
    program.image or "command -v " .. program.needs)))
  local profile, files = record(dir, program, path)
  local ours, our_sum = samples_of(profile)
  local theirs, their_sum = count(dir, files, finder(profile))
  local all, within, largest = compare(ours, our_sum, theirs, their_sum)
  return { program.name, ("%.0f, %d"):format(our_sum, their_sum), ("%d"):format(all), ("%d"):format(within),
    ("%.1f"):format(100 * largest), ("%.0f %%"):format(100 * (profile.path_share or 0)) }
end

local function main(dir, ...)
  local wanted = {}
  for _, name in ipairs { ... } do wanted[name] = true end
  shell.run("mkdir -p " .. quote(dir))
  dir = assert(shell.capture("realpath " .. quote(dir)))
  local rows = { { "program", "samples: recorder, perf", "functions", "within", "largest", "paths" } }
  for i, program in ipairs(programs) do
    local is_wanted = not ... or wanted[program.name:match "^[^ ,:]+"]
    if is_wanted and os.execute("command -v " .. program.needs .. " >/dev/null") then
      local row = row_of(dir .. "/" .. i, program)
      rows[#rows + 1] = row
      io.stderr:write(table.concat(row, "  "), "\n")
    end
  end
  io.write(markdown.table(rows))
end

main(table.unpack(arg))
