-- Runs targets: `lua5.4 fuzz/run.lua DIRECTORY SECONDS TARGET...`, each for so many seconds, or for FUZZ_RUNS
-- executions at most, if that is in the environment.
--
-- What they kept of earlier runs is what they begin with, and the seeds. Each line says what a target did. An input
-- that broke something is left in DIRECTORY/crashes, with a line that repeats it, and the status is 1.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = arg[0]:match "^(.*)/" or "."
package.path = home .. "/../spec/?.lua;" .. package.path

local shell = require "support.shell"

local directory, seconds = arg[1], tonumber(arg[2])

-- An input is small, so what it costs may be, too: 5 seconds, under sanitizers and beside other work, and 16 MB in one
-- piece, of which the targets' own files are none.
local LIMITS <const> = { "-timeout=5", "-malloc_limit_mb=16", "-rss_limit_mb=1024", "-max_len=4096" }

local function command(target, corpus, prefix)
  local words = { directory .. "/" .. target, "-max_total_time=" .. seconds, "-print_final_stats=1",
    "-artifact_prefix=" .. prefix, "-verbosity=1" }
  local dictionary = ("%s/dictionaries/%s.dict"):format(home, target)
  if shell.exists(dictionary) then
    words[#words + 1] = "-dict=" .. dictionary
  end
  local runs = os.getenv "FUZZ_RUNS"
  if runs then
    words[#words + 1] = "-runs=" .. runs
  end
  table.move(LIMITS, 1, #LIMITS, #words + 1, words)
  words[#words + 1] = corpus
  return words
end

-- The last of the figures of that name in what libFuzzer says.
local function figure(text, pattern)
  local last
  for number in text:gmatch(pattern) do last = number end
  return tonumber(last or 0)
end

-- What is said of a fault: what does not hold, or what a sanitizer found, and where.
local function reason(text)
  return text:match "([^\n]*)\nstack traceback:" or text:match "[^\n]*does not hold[^\n]*" or
    text:match "[^\n]*runtime error:[^\n]*" or
    text:match "\nSUMMARY: ([^\n]*)" or text:match "[^\n]+\n?$" or "it ended"
end

local function run(target)
  local corpus, prefix = directory .. "/corpus/" .. target, ("%s/crashes/%s-"):format(directory, target)
  shell.check { "mkdir", "-p", directory .. "/crashes" }
  shell.check { "lua5.4", home .. "/seeds.lua", target, corpus }
  local result = shell.run(command(target, corpus, prefix))
  local text = result.stderr
  shell.write(("%s/%s.log"):format(directory, target), text)
  print(("%-9s %9d executions, %5d places reached, %5d inputs kept, %s"):format(target,
    figure(text, "number_of_executed_units: (%d+)"), figure(text, "cov: (%d+)"), figure(text, "corp: (%d+)"),
    result.status == 0 and "clean" or "FAILED"))
  if result.status == 0 then
    return true
  end
  print("  " .. reason(text))
  local left = text:match "Test unit written to ([^\n]+)"
  print(left and ("  %s/%s %s"):format(directory, target, left) or "  see " .. directory .. "/" .. target .. ".log")
  return false
end

local clean = true
for i = 3, #arg do
  clean = run(arg[i]) and clean
end
os.exit(clean, true)
