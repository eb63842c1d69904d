-- Damages images and runs gprof.lua on them: `lua5.4 fuzz/images/run.lua [NAME=VALUE...]`, from the checkout.
--
--   mutants=1000   number of mutants
--   seed=1         seed of the random numbers
--   first=1        number of the first mutant
--   runs=2         command lines per mutant
--   sanitized=1    use the interpreter with sanitizers
--   sandbox=1      add the option --sandbox
--   share=I/N      only mutants whose number modulo N is I: N processes can share the work
--   show=1         print each mutant and its result
--   lines=1        print how often each error line occurred
--
-- Saves the first fault of each kind in build/mutants/found. The exit status is 1 if there is a fault that is not in
-- known.lua.
-- SPDX-License-Identifier: GPL-3.0-or-later

package.path = "./?.lua;./spec/?.lua;./lua/?.lua;./lua/?/init.lua;" .. package.path

local cases = require "fuzz.images.cases"
local fixtures = require "fuzz.images.fixtures"
local known = require "fuzz.images.known"
local shell = require "support.shell"

local settings = { mutants = "1000", seed = "1", first = "1", runs = "2", share = "0/1" }
for _, word in ipairs(arg) do
  local name, value = word:match "^(%w+)=(.*)$"
  settings[name or error("not NAME=VALUE: " .. word)] = value ~= "" and value or settings[name]
end
local options = { sanitized = settings.sanitized == "1", sandbox = settings.sandbox == "1" }
local seed, first = math.tointeger(settings.seed), math.tointeger(settings.first)
local last = first + math.tointeger(settings.mutants) - 1
local rest, of = settings.share:match "^(%d+)/(%d+)$"

local found = "build/mutants/found"
local count = { mutants = 0, runs = 0, report = 0, line = 0, memory = 0, worked = 0 }
local faults, order, lines = {}, {}, {}

-- Counts a fault. Saves the first of each kind, with its image and stack.
local function keep(case, result)
  local kind = result.kind
  if not faults[kind] then
    faults[kind] = { count = 0, number = case.number, stack = result.stack }
    order[#order + 1] = kind
    local name = ("%s/%d-%d"):format(found, seed, case.number)
    shell.check { "mkdir", "-p", found }
    shell.check { "rm", "-rf", name }
    shell.check { "cp", "-r", case.dir, name }
    shell.write(name .. "/fault", ("%s\n%s: %s\n%s\n%s\n%s\n"):format(kind, case.fixture.name, case.damage,
      shell.join(result.arguments), result.stderr, result.stack))
    io.stderr:write(("%d: %s: %s: %s\n"):format(case.number, kind, case.damage, shell.join(result.arguments)))
  end
  faults[kind].count = faults[kind].count + 1
end

local function note(case, result)
  count.runs = count.runs + 1
  count.memory = math.max(count.memory, result.memory)
  count.worked = math.max(count.worked, result.worked)
  if result.stack then
    keep(case, result)
  else
    count[result.verdict] = count[result.verdict] + 1
  end
  if result.verdict == "line" then
    local line = result.stderr:match "[^\n]*\n$":gsub("/%S*/", ""):gsub("%d+", "N")
    lines[line] = (lines[line] or 0) + 1
  end
  if settings.show then
    print(case.number, case.fixture.name, case.damage, shell.join(result.arguments), result.verdict,
      result.worked, result.memory)
  end
end

local function summary()
  print(("%d mutants, %d runs: %d reports, %d lines, %d other; at most %d MiB and %.1f s"):format(count.mutants,
    count.runs, count.report, count.line, count.runs - count.report - count.line, count.memory // 1024,
    count.worked / 1000))
  local unknown = 0
  for _, kind in ipairs(order) do
    local fault = faults[kind]
    if not known[kind] then unknown = unknown + 1 end
    print(("%6d  %s: first %d%s"):format(fault.count, kind, fault.number, known[kind] and " (known)" or ""))
  end
  return unknown
end

local all, lacking = fixtures.make(shell.tmpdir "fixtures")
print(("seed %d, mutants %d to %d of %d fixtures%s"):format(seed, first, last, #all,
  #lacking > 0 and "; lacking " .. table.concat(lacking, ", ") or ""))
local dir = shell.tmpdir "mutant"
for number = first, last do
  if number % of == rest + 0 then
    local case = cases.make(all, seed, number, dir)
    count.mutants = count.mutants + 1
    for _ = 1, settings.runs do
      note(case, cases.run(case, options))
    end
  end
end
if settings.lines then
  for line, times in pairs(lines) do
    io.write(("%6d  %s"):format(times, line))
  end
end
os.exit(summary() == 0, true)
