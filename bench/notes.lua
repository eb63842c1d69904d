--- Notes below the table: measurements that are reported in a sentence.
--
-- A note is a table: `name`, for the command line; `title`, a description; and `measure(meter, options)`, which
-- measures and returns the sentence.
--
-- @module bench.notes
-- SPDX-License-Identifier: GPL-3.0-or-later

local exports = require "bench.exports"
local inputs = require "bench.inputs"
local markdown = require "bench.markdown"
local page = require "bench.page"
local recorder = require "bench.recorder"
local shell = require "bench.shell"
local turns = require "bench.turns"
local workload = require "bench.workload"

local quote, number = shell.quote, markdown.number

-- Notes have no aims, so they need fewer runs than rows.
local RUNS <const> = 3

local function measure(meter, commands, options, dir)
  return turns.measure(meter, commands, { runs = math.min(RUNS, options.runs), once = options.once, dir = dir })
end

--- Returns the command that runs bench/walk.lua on an input.
local function walk(how, input)
  local here = assert(shell.capture "pwd")
  return ("lua5.4 %s %s %s %s"):format(quote(here .. "/bench/walk.lua"), how, quote(input.image),
    quote(input.profiles[1]))
end

--- Formats the wall time of a result, or how it failed.
local function seconds(result)
  return result.trouble or number(result.wall) .. " s"
end

--- Measures scripts that read all functions and arcs: by objects, by fields, and from the text of GNU gprof.
local function walks(meter, options)
  local input = inputs.get(options.inputs, "c-100000-g")
  local text = ("%s -b -p -q %s %s | %s"):format(options.gnu, quote(input.image), quote(input.profiles[1]),
    walk("text", input))
  local opening, objects, fields, parsing = table.unpack(measure(meter, {
    walk("open", input), walk("objects", input), walk("fields", input), "sh -c " .. quote(text),
  }, options))
  return ("Scripts on c-100000-g: opening the profile takes %s. Reading all functions and arcs takes %s as objects, " ..
    "%s as fields, and %s from the text of GNU gprof."):format(seconds(opening), seconds(objects), seconds(fields),
    seconds(parsing))
end

--- Returns the number of lines and of bytes that a command prints.
local function printed(command)
  local lines, bytes = assert(shell.capture(command .. " | wc -l -c")):match("(%d+)%s+(%d+)")
  return tonumber(lines), tonumber(bytes)
end

--- Runs a command that prints user and system time, which `pattern` captures. Returns the least sum of RUNS runs.
local function least_time(command, pattern, options)
  local least = math.huge
  for _ = 1, math.min(RUNS, options.runs) do
    local user, system = shell.capture(command):match(pattern)
    least = math.min(least, tonumber(user) + tonumber(system))
  end
  return least
end

--- Returns the processor time, in seconds, that a program takes to print to a pipe.
local function piped(command, options)
  local timed = ("TIMEFORMAT='%%U %%S'; { time %s; } 2>&1 >&3 3>&- | cat"):format(command)
  return least_time("bash -c " .. quote("{ " .. timed .. "; } 3> >(cat >/dev/null)"), "(%d+%.%d+) (%d+%.%d+)", options)
end

--- Returns the processor time, in seconds, that copying a command's output and writing it to a pipe takes. See
-- bench/copy.c.
local function copied(command, options)
  local program, text = quote(options.inputs .. "/copy"), quote(options.inputs .. "/printed")
  shell.run(("gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -o %s bench/copy.c && %s >%s")
    :format(program, command, text))
  local least = least_time(("{ %s %s | cat >/dev/null; } 2>&1"):format(program, text), "user=(%S+) system=(%S+)",
    options)
  shell.run("rm " .. text)
  return least
end

--- Measures the output rate of a report to a pipe, in processor time and without the time to open the profile.
local function rate(options, name, style)
  local input = inputs.get(options.inputs, name)
  local command = ("%s -b %s %s %s"):format(options.ours, style, quote(input.image), quote(input.profiles[1]))
  local lines, bytes = printed(command)
  local opening, copying = piped(walk("open", input), options), copied(command, options)
  local net = piped(command, options) - opening
  return ("`%s` on %s prints %.0f MB, %.1f million lines, to a pipe in %s s of processor time, after %s s to open " ..
    "the profile: %.0f MB/s, %s million lines/s. Copying and writing the same text takes %s s"):format(style, name,
    bytes / 1e6, lines / 1e6, number(net), number(opening), bytes / net / 1e6, number(lines / net / 1e6),
    number(copying))
end

local function rates(_, options)
  return ("%s. %s."):format(rate(options, "chain-1000000", "-p"), rate(options, "arcs-1000000-g", "-q"))
end

--- Variants of the optimized sample program: without counters, with our block counters, with gcc's counters.
local VARIANTS <const> = {
  { name = "plain", flags = "", library = "" },
  { name = "blocks", flags = "-fsanitize-coverage=trace-pc ", library = " build/libgprof-blocks.a" },
  { name = "coverage", flags = "--coverage ", library = "" },
}

local function blocks(meter, options)
  local dir = options.inputs .. "/blocks"
  shell.run("mkdir -p " .. quote(dir))
  local commands = {}
  for i, variant in ipairs(VARIANTS) do
    commands[i] = quote(dir .. "/" .. variant.name)
    shell.run(("gcc -std=c11 -O2 -g -fno-optimize-sibling-calls %s-o %s examples/sample/*.c%s -lm"):format(
      variant.flags, commands[i], variant.library))
  end
  local results = measure(meter, commands, options, dir)
  return ("The optimized sample program takes %s; with block counters %s, with gcc --coverage %s."):format(
    seconds(results[1]), seconds(results[2]), seconds(results[3]))
end

-- The start takes milliseconds, so its medians need many runs.
local START_RUNS <const> = 101

--- Measures the report of ten functions: from a checkout, and installed.
local function start(meter, options)
  local input, prefix = inputs.get(options.inputs, "ten"), options.inputs .. "/installed"
  shell.run("make -s install PREFIX=" .. quote(prefix) .. " >/dev/null")
  local operands = (" -b %s %s"):format(quote(input.image), quote(input.profiles[1]))
  local gnu, bare, ours, installed = table.unpack(turns.measure(meter, { options.gnu .. operands, "lua5.4 -e ''",
    options.ours .. operands, quote(prefix .. "/bin/gprof.lua") .. operands },
    { runs = options.runs == 1 and 5 or START_RUNS, once = options.once }))
  local function cost(result)
    return result.trouble or ("%.2f ms (CPU %.2f)"):format(result.wall * 1000, result.cpu * 1000)
  end
  return ("A report of ten functions takes %s with GNU gprof, %s with `lua5.4 gprof.lua`, %s installed by make; " ..
    "`lua5.4 -e ''` takes %s. Ours/GNU: %.2f, installed %.2f."):format(cost(gnu), cost(ours), cost(installed),
    cost(bare), turns.ratio(ours, gnu), turns.ratio(installed, gnu))
end

--- Measures a Lua program: alone, recorded, and its reports.
local function scripts(meter, options)
  local dir = options.inputs .. "/script"
  shell.run("mkdir -p " .. quote(dir))
  workload.write(dir, 1, 1)
  local record = ("%s --record --no-progress --output=%%s %%s script.lua 4"):format(options.ours)
  shell.run(("cd %s && %s >/dev/null"):format(quote(dir), record:format("gmon.out", "")))
  local alone, sampled, counted, report, html = table.unpack(turns.measure(meter, { "lua5.4 script.lua 4",
    record:format("s.out", "--count=none"), record:format("c.out", ""), options.ours .. " -b gmon.out",
    options.ours .. " --html=/dev/null gmon.out" }, { runs = math.min(RUNS, options.runs), once = options.once,
    dir = dir }))
  for _, result in ipairs { alone, sampled, counted, report, html } do
    if result.trouble then return "Lua programs: " .. result.trouble .. ": " .. result.errors:match "[^\n]*" end
  end
  return ("A Lua program that sorts, formats and computes takes %s s of processor time; recorded with samples only, " ..
    "%s times as much, with all calls counted %s times. Its report takes %s s, its page %s s."):format(
    number(alone.cpu), number(sampled.cpu / alone.cpu), number(counted.cpu / alone.cpu), number(report.cpu),
    number(html.cpu))
end

-- Reports of a profile with many contexts.
local REPORTS <const> = {
  { title = "flat profile and call graph", words = "-b" },
  { title = "the same without libraries", words = "-b --no-libraries" },
  { title = "call tree", words = "-b --tree" },
  { title = "page", words = "--html=/dev/null" },
}

--- Measures reports of 1,000,000 and 100,000 contexts, in processor time.
local function many_contexts(meter, options)
  local commands, texts = {}, {}
  for _, report in ipairs(REPORTS) do
    for _, name in ipairs { "contexts-1000000", "contexts-100000" } do
      local input = inputs.get(options.inputs, name)
      commands[#commands + 1] = ("%s %s %s %s"):format(options.ours, report.words, quote(input.image),
        quote(input.profiles[1]))
    end
  end
  local results = measure(meter, commands, options)
  for i, report in ipairs(REPORTS) do
    local many, few = results[2 * i - 1], results[2 * i]
    if many.trouble or few.trouble then return report.title .. " of contexts fails" end
    texts[i] = ("%s %s s, %.0f MB, %s times 100,000 contexts"):format(report.title, number(many.cpu), many.mb,
      number(many.cpu / few.cpu))
  end
  return "A recorded profile of 1,000,000 contexts in 4 threads takes, in processor time: " ..
    table.concat(texts, "; ") .. "."
end

local notes <const> = {
  { name = "start", title = "the report of ten functions, from a checkout and installed", measure = start },
  { name = "scripts", title = "a Lua program, alone and recorded, and its reports", measure = scripts },
  { name = "walk", title = "scripts that read all functions and arcs, with the library and from text",
    measure = walks },
  { name = "rates", title = "output rate of reports of a million lines", measure = rates },
  { name = "contexts", title = "reports of recorded profiles with many contexts", measure = many_contexts },
  { name = "blocks", title = "run time of the sample program with block counters, and with --coverage",
    measure = blocks },
  page,
  exports,
}

return table.move(recorder, 1, #recorder, #notes + 1, notes)
