-- The program is killed at random moments. Each output file must then be the old or the complete new one. A temporary
-- file may remain, with the name that the manual documents.
--
-- GPROF_FAULTS=all kills a thousand times (`make faults`).
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local faults = require "support.faults"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local built = build.program "cycles"

-- Returns a shell script that kills the program $delay seconds after its start. It prints the status, the state of each
-- file, the messages (except those of timeout) and the names of temporary files.
local function killing(names)
  local lines = { [[timeout -s KILL $delay "$@" >report 2>told; status=$?; state=]] }
  for _, name in ipairs(names) do
    lines[#lines + 1] = ([[if cmp -s %s old/%s; then state="$state old"]]):format(name, name)
    lines[#lines + 1] = ([[elif cmp -s %s full/%s; then state="$state new"]]):format(name, name)
    lines[#lines + 1] = [[else state="$state other"; fi]]
    lines[#lines + 1] = ("cp old/%s %s"):format(name, name)
  end
  lines[#lines + 1] = [[echo "$status$state: $(grep -v Killed told)" $(ls *.tmp 2>/dev/null); rm -f *.tmp]]
  return table.concat(lines, "\n")
end

local function kill(words, names, times)
  local dir = shell.tmpdir "killed"
  shell.check { "mkdir", dir .. "/old", dir .. "/full" }
  local made = program.run(words, { cwd = dir .. "/full" })
  assert(made.status == 0, made.stderr)
  for _, name in ipairs(names) do
    for _, place in ipairs { "/old/", "/" } do shell.write(dir .. place .. name, "an older one\n") end
  end
  local whole = faults.duration([["$@" >report]], words, { cwd = dir .. "/full" })
  local delays = {}
  for i = 1, times do delays[i] = ("%.4f"):format(math.random() * whole * 1.2 + 0.0001) end
  local line = "for delay in " .. table.concat(delays, " ") .. "; do\n" .. killing(names) .. "\ndone"
  local result = launch.line(line, words, { cwd = dir })
  local seen, left = { old = 0, new = 0 }, 0
  for status, states, told in result.stdout:gmatch "(%d+)([%l ]*): ([^\n]*)\n" do
    local label = ("GPROF_SEED=%d: %s%s: %s"):format(faults.seed, status, states, told)
    for state in states:gmatch "%l+" do seen[assert(seen[state] and state, label)] = seen[state] + 1 end
    for name in told:gmatch "%S+" do
      local target = name:match "^(.+)%.%d+%-0%.tmp$"
      assert(target and table.concat(names, " "):find(target, 1, true), label)
      left = left + 1
    end
    assert(status == "137" or status == "0", label)
  end
  assert(seen.old + seen.new == times * #names, result.stdout .. result.stderr)
  faults.tell("%s: %d kills: %d old, %d new, %d left beside", table.concat(words, " "):gsub("%S*/", ""), times,
    seen.old, seen.new, left)
end

describe("the program, when killed,", function()
  local bins = { n = 400000 }
  for i = 1, bins.n do bins[i] = i % 7 end
  local big = gmon.write(shell.tmpdir() .. "/big", gmon.magic { records = {
    { kind = "histogram", low = 0x1000, high = 0x1000 + 4 * bins.n, bins = bins } } })

  it("leaves the old or the complete new sum", function()
    kill({ "-s", built.image, big, big }, { "gmon.sum" }, faults.count(500, 20))
  end)

  it("leaves the old or the complete new sum of several processes", function()
    kill({ "-s", "--jobs=3", built.image, big, big, big }, { "gmon.sum" }, faults.count(200, 10))
  end)

  it("leaves the old or the complete new annotated source", function()
    kill({ "-l", "-A", "-y", built.image, built.gmon }, { "cycles.c-ann" }, faults.count(500, 20))
  end)
end)
