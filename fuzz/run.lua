-- Runs targets: `lua5.4 fuzz/run.lua DIRECTORY SECONDS TARGET...`. Each runs for SECONDS, and for at most FUZZ_RUNS
-- executions if that environment variable is set. FUZZ_SEED is the seed of libFuzzer's random numbers: by default,
-- each run has its own.
--
-- A target starts with its seeds and the corpus of earlier runs. Prints a line per target. Failing inputs are saved in
-- DIRECTORY/crashes. After a failure, prints the command that reproduces it; the exit status is 1. A target that stops
-- earlier than it should, for whatever reason, has failed.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = arg[0]:match "^(.*)/" or "."
package.path = home .. "/../spec/?.lua;" .. package.path

local bounds = require "support.bounds"
local shell = require "support.shell"

local directory, seconds, most_runs = arg[1], tonumber(arg[2]), tonumber(os.getenv "FUZZ_RUNS")
local seed = tonumber(os.getenv "FUZZ_SEED")

-- The size of an input in bytes. The limits of time and memory follow from it. What some targets do depends little on
-- the size, but takes time in proportion to it.
local MOST_BYTES <const> = 4096
local most_bytes <const> = { code = 512, options = 512, sources = 1280, symspecs = 512, terminal = 512 }

-- An input that waits for ever needs no processor time. libFuzzer ends it after this time, which is long, because a
-- process may have to wait for processors.
local PATIENCE <const> = 1200 -- seconds

-- Returns the command that runs a target, and the limit of processor time for an input.
local function command(target, corpus, prefix)
  local words = { directory .. "/" .. target, "-max_total_time=" .. seconds, "-print_final_stats=1",
    "-artifact_prefix=" .. prefix, "-verbosity=1", "-timeout=" .. PATIENCE, "-report_slow_units=" .. PATIENCE }
  local dictionary = ("%s/dictionaries/%s.dict"):format(home, target)
  if shell.exists(dictionary) then
    words[#words + 1] = "-dict=" .. dictionary
  end
  -- Preferring inputs with rare features costs a fifth of the time of a target in Lua, whose features are many.
  if shell.exists(("%s/targets/%s.lua"):format(home, target)) then
    words[#words + 1] = "-entropic=0"
  end
  if most_runs then
    words[#words + 1] = ("-runs=%d"):format(most_runs)
  end
  if seed then
    words[#words + 1] = ("-seed=%d"):format(seed)
  end
  local limits, limit = bounds.fuzzer_options(target, most_bytes[target] or MOST_BYTES)
  table.move(limits, 1, #limits, #words + 1, words)
  words[#words + 1] = corpus
  return words, os.getenv "FUZZ_LIMIT" or tostring(limit)
end

-- Returns the last number that matches a pattern in libFuzzer's output; 0 if there is none.
local function figure(text, pattern)
  local last
  for number in text:gmatch(pattern) do last = number end
  return tonumber(last or 0)
end

-- What a target writes about an input that exceeds the limit of processor time.
local TOO_SLOW <const> = "needs more than %d+ s of processor time"

-- The lines that explain a failure, the best first: an error of Lua, which is before the traceback; a failed check; a
-- slow input; a sanitizer's finding.
local EXPLAINING <const> = { "^stack traceback:", "does not hold", TOO_SLOW, "runtime error:", "^SUMMARY: " }

-- Returns the line of the output that explains a failure.
local function reason(text)
  local found, before = {}, nil
  for line in text:gmatch "[^\n]+" do
    for i, pattern in ipairs(EXPLAINING) do
      if not found[i] and line:find(pattern) then found[i] = i == 1 and before or line:gsub("^SUMMARY: ", "") end
    end
    before = line
  end
  for i = 1, #EXPLAINING do
    if found[i] then return found[i] end
  end
  return before or "ended without output"
end

-- Returns what is missing if the target stopped too early; nil if it ran as long as it should.
local function shortfall(text)
  local runs, taken = figure(text, "Done (%d+) runs in"), figure(text, "Done %d+ runs in (%d+) second")
  if taken < seconds and not (most_runs and runs >= most_runs) then
    return ("stopped after %d of %d seconds"):format(taken, seconds)
  end
end

local function run(target)
  local corpus, prefix = directory .. "/corpus/" .. target, ("%s/crashes/%s-"):format(directory, target)
  shell.check { "mkdir", "-p", directory .. "/crashes" }
  shell.check { "lua5.4", home .. "/seeds.lua", target, corpus }
  local words, limit = command(target, corpus, prefix)
  local result = shell.run(words, { env = { FUZZ_LIMIT = limit } })
  local text = result.stderr
  local problem = result.status ~= 0 and reason(text) or shortfall(text)
  shell.write(("%s/%s.log"):format(directory, target), text)
  print(("%-9s %9d executions, %5d edges covered, %5d inputs in corpus, %s"):format(target,
    figure(text, "number_of_executed_units: (%d+)"), figure(text, "cov: (%d+)"), figure(text, "corp: (%d+)"),
    problem and "FAILED" or "clean"))
  if not problem then
    return true
  end
  print("  " .. problem)
  local left = text:match "Test unit written to ([^\n]+)"
  local variables = text:find(TOO_SLOW) and ("FUZZ_LIMIT=%s "):format(limit) or ""
  print(left and ("  %s%s/%s %s"):format(variables, directory, target, left) or
    ("  see %s/%s.log"):format(directory, target))
  return false
end

local clean = true
for i = 3, #arg do
  clean = run(arg[i]) and clean
end
os.exit(clean, true)
