--- Notes on the recorder: what a counted call costs, with glibc's mcount and with the recorder; what sampling costs;
-- and how long a thread stops while the profile is written.
--
-- @module bench.recorder
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"
local markdown = require "bench.markdown"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote, number = shell.quote, markdown.number

-- Notes have no aims, so they need fewer runs than rows.
local RUNS <const> = 3

--- Workloads of bench/calls.c, and the calls that they make.
local WORKLOADS <const> = {
  { title = "a leaf function in a loop", words = "leaf 20000000", calls = 20000000 },
  { title = "fib", words = "fib 33", calls = 11405773 },
  { title = "1,000 callees of one caller, in turn", words = "callees 300000", calls = 300000 },
  { title = "1,000 callers of one callee, in turn", words = "callers 300000", calls = 600000 },
  { title = "1,000 callees of one caller, each at its own call site", words = "direct-callees 20000000",
    calls = 20000000 },
  { title = "1,000 callers of one callee, each called at its own call site", words = "direct-callers 10000000",
    calls = 20000000 },
  { title = "a leaf function in 8 threads", words = "threads 2000000", calls = 16000000, threads = true },
}

--- Flags of the variants of the program.
local VARIANTS <const> = { plain = "", counted = "-pg ", instrumented = "-finstrument-functions " }

local function measure(meter, commands, all, dir)
  return turns.measure(meter, commands, { runs = math.min(RUNS, all.runs), once = all.once, dir = dir })
end

local compiled = false

--- Compiles the variants of bench/calls.c, unless that is done. Returns the directory, and a function that returns the
-- command that runs a variant under the recorder.
local function build(all)
  local here, dir = assert(shell.capture "pwd"), all.inputs .. "/recorder"
  shell.run("mkdir -p " .. quote(dir))
  for name, flag in pairs(compiled and {} or VARIANTS) do
    shell.run(("gcc -std=c11 -D_GNU_SOURCE -O2 -pthread %s-o %s bench/calls.c"):format(flag, quote(dir .. "/" .. name)))
  end
  compiled = true
  return dir, function(variant, words, options)
    return ("env GPROF_RECORDER=%s %s ./%s %s"):format(options or "memory=64",
      quote("LD_PRELOAD=" .. here .. "/build/libgprof-recorder.so"), variant, words)
  end
end

--- Returns the share of calls, in percent, that glibc's mcount counts.
local function counted(dir, workload)
  shell.run(("cd %s && rm -f gmon.out && ./counted %s"):format(quote(dir), workload.words))
  local sum = 0
  for _, arc in ipairs(gmon.select(gmon.parse(shell.read(dir .. "/gmon.out")), "arc")) do sum = sum + arc.count end
  return 100 * sum / workload.calls
end

--- Measures the cost of a call in nanoseconds of processor time, without the start and the end of the program.
local function calls(meter, all)
  local dir, recorded = build(all)
  local function run(words)
    local results = measure(meter, { "./plain " .. words, "./counted " .. words, recorded("counted", words),
      recorded("instrumented", words) }, all, dir)
    for _, result in ipairs(results) do
      if result.trouble then error(("%s: %s"):format(words, result.trouble), 0) end
    end
    return results
  end
  local costs, idle = {}, run "leaf 0"
  for i, workload in ipairs(WORKLOADS) do
    local results = run(workload.words)
    local function net(variant) return results[variant].cpu - idle[variant].cpu end
    local function cost(variant) return (net(variant) - net(1)) / workload.calls * 1e9 end
    local glibc, ours, instrumented = cost(2), cost(3), cost(4)
    local lost = workload.threads and (", which counts %.0f %% of the calls"):format(counted(dir, workload)) or ""
    costs[i] = ("%s: %s ns with glibc's mcount%s; with the recorder %s ns (%s times), with -finstrument-functions " ..
      "%s ns (%s times)"):format(workload.title, number(glibc), lost, number(ours), number(ours / glibc),
      number(instrumented), number(instrumented / glibc))
  end
  return "A counted call costs, in processor time:\n  - " .. table.concat(costs, "\n  - ")
end

--- Measures the processor time of a program with samples and without.
local function samples(meter, all)
  local dir, recorded = build(all)
  local words = "fib 36"
  local with, without, often = table.unpack(measure(meter, { recorded("counted", words),
    recorded("counted", words, "rate=0"), recorded("counted", words, "rate=10000") }, all, dir))
  for _, result in ipairs { with, without, often } do
    if result.trouble then return "fib fails: " .. result.trouble end
  end
  return ("Sampling, in fib: %s s of processor time without samples (rate=0), %.3f times that with 1,000 samples a " ..
    "second, %.3f times with 10,000."):format(number(without.cpu), with.cpu / without.cpu, often.cpu / without.cpu)
end

--- Measures the longest time for which a thread stops while a profile of 111,110 call paths is written.
local function dump(_, all)
  local dir, recorded = build(all)
  local longest, running = {}, {}
  for i = 1, math.min(RUNS, all.runs) do
    local line = shell.capture(("cd %s && rm -f gmon.out* && %s"):format(quote(dir),
      recorded("counted", "dump 0", "dump-signal=USR1")))
    local one, other = line:match "^(%S+) (%S+)"
    longest[i], running[i] = tonumber(one), tonumber(other)
  end
  return ("While a profile of 111,110 call paths is written, a thread that reads the clock in a loop stops for at " ..
    "most %s ms; for at most %s ms where the kernel did not give the processor to another thread."):format(
    number(turns.median(longest)), number(turns.median(running)))
end

--- Programs with optimization, whose counts a gate may compare.
local GATED <const> = {
  { title = "words", sources = "examples/words/*.c" },
  { title = "sample", sources = "examples/sample/*.c -lm" },
}

--- Measures what exact counts cost: the processor time of programs with counters, and under callgrind.
local function counts(meter, all)
  local here, dir, lines = assert(shell.capture "pwd"), all.inputs .. "/gated", {}
  shell.run("mkdir -p " .. quote(dir))
  for i, program in ipairs(GATED) do
    local function compile(flags, name, more)
      local image = dir .. "/" .. program.title .. "-" .. name
      shell.run(("gcc -std=c11 -O2 -g %s -o %s %s%s"):format(flags, quote(image), program.sources, more or ""))
      return quote(image)
    end
    local profiled = compile("-pg", "pg")
    local preload = ("env GPROF_RECORDER=%%s LD_PRELOAD=%s/build/libgprof-recorder.so %s"):format(here, profiled)
    local results = measure(meter, { compile("", "plain"), profiled, preload:format "rate=0",
      preload:format "rate=1000",
      compile("-pg -fno-optimize-sibling-calls -fsanitize-coverage=trace-pc", "blocks", " build/libgprof-blocks.a"),
      "valgrind -q --tool=callgrind --callgrind-out-file=/dev/null " .. compile("", "plain") }, all, dir)
    local texts, titles = {}, { "plain", "-pg with glibc", "recorder without samples",
      "recorder with 1,000 samples a second", "-pg with block counters", "callgrind" }
    for j, title in ipairs(titles) do
      local result = results[j]
      texts[j] = result.trouble and ("%s fails: %s"):format(title, result.trouble) or
        ("%s %s s (%s times)"):format(title, number(result.cpu), number(result.cpu / results[1].cpu))
    end
    lines[i] = ("%s: %s"):format(program.title, table.concat(texts, "; "))
  end
  return "Counts cost, in processor time:\n  - " .. table.concat(lines, "\n  - ")
end

return {
  { name = "counts", title = "cost of counting calls and blocks, and that of callgrind", measure = counts },
  { name = "calls", title = "cost of a counted call, with glibc's mcount and with the recorder", measure = calls },
  { name = "samples", title = "cost of the recorder's samples", measure = samples },
  { name = "dump", title = "how long a thread stops while the recorder writes the profile", measure = dump },
}
