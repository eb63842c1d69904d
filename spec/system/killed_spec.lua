-- The program is killed or interrupted at random moments. Each output file must then be the old or the complete new
-- one. Only SIGKILL may leave a temporary file, with the name that the manual documents.
--
-- GPROF_FAULTS=all sends thousands of signals (`make faults`).
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local faults = require "support.faults"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local built = build.program "cycles"

-- Returns a shell script that sends a signal to the program $delay seconds after its start. It prints the status, the
-- state of each file, the names of temporary files, and the messages (except messages from timeout).
local function killing(names, signal)
  local lines = { ([[timeout -s %s --preserve-status $delay "$@" >report 2>told; status=$?; state=]]):format(signal) }
  for _, name in ipairs(names) do
    lines[#lines + 1] = ([[if cmp -s %s old/%s; then state="$state old"]]):format(name, name)
    lines[#lines + 1] = ([[elif cmp -s %s full/%s; then state="$state new"]]):format(name, name)
    lines[#lines + 1] = [[else state="$state other"; fi]]
    lines[#lines + 1] = ("cp old/%s %s"):format(name, name)
  end
  lines[#lines + 1] = [[left=$(ls -A temporary; ls | grep '[.]tmp$')
    echo "$status$state:" $left "; $(grep -v Killed told | tr '\n' ' ')"; rm -f *.tmp]]
  return table.concat(lines, "\n")
end

local statuses <const> = { KILL = "137", INT = "130", TERM = "143", HUP = "129" }

-- Sends a signal `times` times. Only SIGKILL may leave temporary files.
local function kill(signal, words, names, times)
  local dir = shell.tmpdir "killed"
  shell.check { "mkdir", dir .. "/old", dir .. "/full", dir .. "/temporary" }
  local made = program.run(words, { cwd = dir .. "/full" })
  assert(made.status == 0, made.stderr)
  for _, name in ipairs(names) do
    for _, place in ipairs { "/old/", "/" } do shell.write(dir .. place .. name, "an older one\n") end
  end
  local whole = faults.duration([["$@" >report]], words, { cwd = dir .. "/full" })
  local delays = {}
  for i = 1, times do delays[i] = ("%.4f"):format(math.random() * whole * 1.2 + 0.0001) end
  local line = "export TMPDIR=$PWD/temporary; for delay in " .. table.concat(delays, " ") .. "; do\n" ..
    killing(names, signal) .. "\ndone"
  local result = launch.line(line, words, { cwd = dir })
  local seen, left = { old = 0, new = 0 }, 0
  for line_of_run, status, states, names_left, told in
    result.stdout:gmatch "((%d+)([%l ]*):([^;\n]*); ([^\n]*))\n"
  do
    local label = ("GPROF_SEED=%d: %s"):format(faults.seed, line_of_run)
    for state in states:gmatch "%l+" do seen[assert(seen[state] and state, label)] = seen[state] + 1 end
    -- Until the program handles SIGINT, the interpreter handles it, with this message and status 1.
    local early = signal == "INT" and status == "1" and told:find("interrupted!", 1, true)
    assert(told == "" or early and not states:find "new", label)
    for name in names_left:gmatch "%S+" do
      local target = name:match "^(.+)%.%d+%-0%.tmp$"
      assert(signal == "KILL" and target and table.concat(names, " "):find(target, 1, true), label)
      left = left + 1
    end
    assert(early or status == statuses[signal] or status == "0", label)
  end
  assert(seen.old + seen.new == times * #names, result.stdout .. result.stderr)
  faults.tell("%s: %d times SIG%s: %d old, %d new, %d left beside", table.concat(words, " "):gsub("%S*/", ""), times,
    signal, seen.old, seen.new, left)
end

-- Returns the arguments for all exports in one run, and the files that they write.
local function all_exports()
  local words, names = {}, {}
  for _, kind in ipairs(require "gprof.cli.exports".kinds) do
    if kind ~= "svg" or shell.installed "dot" then
      table.insert(words, ("--export=%s:the.%s"):format(kind, kind))
      table.insert(names, "the." .. kind)
    end
  end
  return words, names
end

describe("the program, when killed,", function()
  local bins = { n = 400000 }
  for i = 1, bins.n do bins[i] = i % 7 end
  local big = gmon.write(shell.tmpdir() .. "/big", gmon.magic { records = {
    { kind = "histogram", low = 0x1000, high = 0x1000 + 4 * bins.n, bins = bins } } })

  for signal in pairs(statuses) do
    local after = ", after SIG" .. signal

    it("leaves the old or the complete new sum" .. after, function()
      kill(signal, { "-s", built.image, big, big }, { "gmon.sum" }, faults.count(300, 5))
    end)

    it("leaves the old or the complete new sum of several processes" .. after, function()
      kill(signal, { "-s", "--jobs=3", built.image, big, big, big }, { "gmon.sum" }, faults.count(200, 3))
    end)

    it("leaves the old or the complete new annotated source" .. after, function()
      kill(signal, { "-l", "-A", "-y", built.image, built.gmon }, { "cycles.c-ann" }, faults.count(300, 5))
    end)

    it("leaves the old or the complete new page" .. after, function()
      kill(signal, { "--html=page", built.image, built.gmon }, { "page" }, faults.count(300, 5))
    end)

    it("leaves the old or the complete new exports" .. after, function()
      local words, names = all_exports()
      kill(signal, table.move({ built.image, built.gmon }, 1, 2, #words + 1, words), names, faults.count(200, 5))
    end)
  end
end)
