--- Compares the recorder with other samplers, on programs of Debian as they are installed, and prints a Markdown table:
-- the cost, the part of the samples whose call paths are complete, and the size of the data.
--
--     lua5.4 bench/samplers.lua DIRECTORY [RUNS]
--
-- Run it in the root of the checkout, after `make`. A sampler that is not installed is left out. A path is complete if
-- it begins at the entry point of the program. Costs are medians of processor time, relative to the program alone.
--
-- @script samplers
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = root .. "build/?.so;" .. package.cpath

local gprof = require "gprof"
local markdown = require "bench.markdown"
local meters = require "bench.meter"
local programs = require "bench.installed_programs"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote = shell.quote

local WANTED <const> = { sqlite3 = true, cc1 = true, perl = true }

-- Bytes from the entry point to the end of the startup code.
local STARTUP <const> = 64

local here = assert(shell.capture("realpath " .. quote(root)))
local profiler = shell.capture "ls /usr/lib/*/libprofiler.so.0 2>/dev/null" or "libprofiler.so.0"

--- Returns where the startup code of a program is in its file.
local function startup_of(path)
  local bytes = shell.read(path)
  local entry, headers, count = ("<I8"):unpack(bytes, 25), ("<I8"):unpack(bytes, 33), ("<I2"):unpack(bytes, 57)
  for i = 0, count - 1 do
    local kind, flags, offset, address, _, size = ("<I4I4I8I8I8I8"):unpack(bytes, headers + 56 * i + 1)
    if kind == 1 and flags & 1 ~= 0 and entry >= address and entry < address + size then
      return entry - address + offset
    end
  end
  error(path .. ": no startup code")
end

--- Returns the part of the samples of perf with complete paths.
local function perf_paths(dir, path)
  local startup, all, complete, last, file = startup_of(path), 0, 0, nil, nil
  local pipe = assert(io.popen(("cd %s && perf script -F ip,sym,dso -i perf.data 2>/dev/null"):format(quote(dir))))
  for line in pipe:lines() do
    local address, name = line:match "^%s*(%x+) .*%((.*)%)$"
    if address then
      last, file = tonumber(address, 16), name
    elseif last then
      local is_complete = file == path and last >= startup and last < startup + STARTUP
      all, complete, last = all + 1, complete + (is_complete and 1 or 0), nil
    end
  end
  pipe:close()
  return complete / all
end

--- Returns the part of the samples of gperftools with complete paths. The file has words: a header of 5; then for each
-- path its samples, length, and addresses; 0, 1, 0 at the end; and then the lines of /proc/self/maps.
local function gperftools_paths(dir, path)
  local bytes, startup, low = shell.read(dir .. "/cpu.prof"), startup_of(path), nil
  for line in bytes:gmatch "[^\n]+" do
    local from, offset, name = line:match "(%x+)%-%x+ r%-xp (%x+) %S+ %S+%s+(/.*)$"
    if name == path then low = tonumber(from, 16) - tonumber(offset, 16) end
  end
  local all, complete, at = 0, 0, 41
  while true do
    local samples, length = ("<I8I8"):unpack(bytes, at)
    if samples == 0 then break end
    local outermost = ("<I8"):unpack(bytes, at + 8 * (length + 1)) - low
    all = all + samples
    if outermost >= startup and outermost < startup + STARTUP then complete = complete + samples end
    at = at + 8 * (length + 2)
  end
  return complete / all
end

local function recorder_paths(dir, path)
  local image = assert(gprof.image(path))
  return assert(gprof.profile(image, assert(gprof.data(image, dir .. "/gmon.out")))).path_share
end

local record <const> = ("lua5.4 %s/gprof.lua --record"):format(quote(here))

-- The samplers: what is written before a program, the files that it writes, and the part of complete paths.
local samplers <const> = {
  { name = "recorder, 1,000/s", before = record, files = "gmon.out gmon.out.ctx", paths = recorder_paths },
  { name = "recorder, 100/s", before = record .. " --rate=100", files = "gmon.out gmon.out.ctx",
    paths = recorder_paths },
  { name = "perf -g, 1,000/s", before = "perf record -q -e cpu-clock -F 1000 -g -o perf.data --",
    files = "perf.data", paths = perf_paths, needs = "perf" },
  { name = "perf --call-graph dwarf, 1,000/s", files = "perf.data", paths = perf_paths, needs = "perf",
    before = "perf record -q -e cpu-clock -F 1000 --call-graph dwarf -o perf.data --" },
  { name = "gperftools, 1,000/s", before = "env CPUPROFILE=cpu.prof CPUPROFILE_FREQUENCY=1000 LD_PRELOAD=" .. profiler,
    files = "cpu.prof", paths = gperftools_paths, needs = profiler },
}

--- Runs a program with all samplers. Returns rows of its cells.
local function cells_of(meter, dir, program, runs, used)
  shell.run(("rm -rf %s && mkdir -p %s"):format(quote(dir), quote(dir)))
  for name, text in pairs(program.files or {}) do shell.write(dir .. "/" .. name, text) end
  local path = assert(shell.capture("realpath $(" .. (program.image or "command -v " .. program.needs) .. ")"))
  local commands = {}
  for i, sampler in ipairs { { before = "env" }, table.unpack(used) } do
    commands[i] = "sh -c " .. quote(program.command:gsub("%$SAMPLE", (sampler.before:gsub("%%", "%%%%"))))
  end
  local results, rows = turns.measure(meter, commands, { runs = runs, once = 1 / 0, dir = dir }), {}
  for i, sampler in ipairs(used) do
    shell.run(("cd %s && %s >/dev/null 2>&1"):format(quote(dir), commands[i + 1]))
    local ratios = {}
    for j, run in ipairs(results[i + 1].runs) do ratios[j] = run.cpu / results[1].runs[j].cpu end
    local size = tonumber(shell.capture(("cd %s && cat %s | wc -c"):format(quote(dir), sampler.files)))
    rows[i] = { ("%+.1f %%"):format(100 * (turns.median(ratios) - 1)),
      ("%.0f %%"):format(100 * sampler.paths(dir, path)), ("%.0f"):format(size / 1000) }
  end
  return rows
end

local function main(dir, runs)
  shell.run("mkdir -p " .. quote(dir))
  dir = assert(shell.capture("realpath " .. quote(dir)))
  local meter, used = meters.open(dir .. "/meter", { timeout = 300 }), {}
  for _, sampler in ipairs(samplers) do
    local is_installed = not sampler.needs or os.execute("command -v " .. sampler.needs .. " >/dev/null")
    if is_installed then used[#used + 1] = sampler end
  end
  local lines = { { "sampler" } }
  for i, sampler in ipairs(used) do lines[i + 1] = { sampler.name } end
  for _, program in ipairs(programs) do
    local name = program.name:match "^%S+"
    if WANTED[name] then
      for _, title in ipairs { name .. ": cost", "paths", "KB" } do table.insert(lines[1], title) end
      for i, cells in ipairs(cells_of(meter, dir .. "/" .. name, program, runs, used)) do
        table.move(cells, 1, #cells, #lines[i + 1] + 1, lines[i + 1])
      end
      io.stderr:write(markdown.table(lines))
    end
  end
  io.write(markdown.table(lines))
end

main(arg[1] or error("usage: lua5.4 bench/samplers.lua DIRECTORY [RUNS]", 0), math.tointeger(arg[2] or 5))
