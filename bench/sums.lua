--- Measures sums of many profiles: the speed of one process and of several, and the cost per file.
--
--     lua5.4 bench/sums.lua [FILES [DIRECTORY]]
--
-- Writes FILES profiles of 2 MB (default: 1,000) and 100 * FILES profiles of 12 kB into DIRECTORY (default:
-- build/bench/sums). For each kind, prints the best of five runs: seconds, MB/s, files/s, and the memory of the
-- largest process. New files are in the page cache if memory suffices, so the disk is not measured. Needs GNU time.
--
-- @script sums
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match "^(.*/)" or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path

local gmon = require "support.gmon"
local shell = require "bench.shell"

local RUNS <const> = 5
local files <const> = tonumber(arg[1] or 1000)
local place <const> = arg[2] or "build/bench/sums"

local BASE <const> = 0x401000

-- Returns the bytes of a profile. One bin in twenty has samples; about one arc in fifty is left out.
local function profile(bin_count, arc_count)
  local bins = { n = bin_count }
  for _ = 1, bin_count // 20 do bins[math.random(bin_count)] = math.random(20) end
  local records = { { kind = "histogram", low = BASE, high = BASE + 4 * bin_count, bins = bins } }
  for i = 1, arc_count do
    if math.random(50) > 1 then
      table.insert(records, { kind = "arc", from = BASE + 7919 * i % (4 * bin_count), self = BASE + 64 * (i % 999),
        count = math.random(1000) })
    end
  end
  return gmon.magic { records = records }
end

-- Writes `count` files, at most 1,000 in a directory; returns their total size in bytes.
local function make(name, count, ...)
  local kinds, bytes = { profile(...), profile(...), profile(...) }, 0
  for i = 0, count - 1 do
    local dir = ("%s/%s/node%03d"):format(place, name, i // 1000)
    if i % 1000 == 0 then shell.run(("mkdir -p %s"):format(shell.quote(dir))) end
    local text = kinds[i % 3 + 1]
    gmon.write(("%s/gmon.%d"):format(dir, i), text)
    bytes = bytes + #text
  end
  return bytes
end

-- Runs a command; returns seconds, and peak memory in kilobytes.
local function time(command)
  local pipe = assert(io.popen(("/usr/bin/time -f '%%e %%M' sh -c %s 2>&1 >/dev/null"):format(shell.quote(command))))
  local seconds, memory = pipe:read("n", "n")
  assert(pipe:close() and memory, command)
  return seconds, memory
end

local function measure(title, command, count, bytes)
  local best, peak = math.huge, 0
  for _ = 1, RUNS do
    local seconds, memory = time(command)
    best, peak = math.min(best, seconds), math.max(peak, memory)
  end
  print(("%-28s %8.2f s %8.0f MB/s %8.0f files/s %6.0f MB"):format(title, best, bytes / best / 1e6, count / best,
    peak / 1000))
end

math.randomseed(1)
shell.run(("rm -rf %s && mkdir -p %s && echo 'int main(void) { return 0; }' | cc -x c -o %s/app -"):format(
  shell.quote(place), shell.quote(place), shell.quote(place)))
local program = ("rm -f %s/sum*; lua5.4 %sgprof.lua --sum-file=%s/sum %s/app "):format(place, root, place, place)
for _, kind in ipairs { { "large", files, 800000, 20000 }, { "small", 100 * files, 5000, 100 } } do
  local name, count = kind[1], kind[2]
  local bytes = make(name, count, kind[3], kind[4])
  local folder = place .. "/" .. name
  measure(name .. ", cat", ("find %s -type f | xargs cat"):format(folder), count, bytes)
  for _, option in ipairs { "--jobs=1", "--jobs=2", "--jobs=4", "--keep-going", "--keep-going --jobs=2", "--spread",
    "--spread --jobs=2" } do
    measure(name .. ", " .. option, program .. folder .. " " .. option, count, bytes)
  end
end
shell.run("rm -rf " .. shell.quote(place))
