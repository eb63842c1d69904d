--- What is measured beside the rows of the table, and told in a sentence.
--
-- A note is a table: `name`, for the command line; `title`, what it is about; and `tell(meter, options)`, which
-- measures, and returns the sentence.
--
-- @module bench.notes
-- SPDX-License-Identifier: GPL-3.0-or-later

local inputs = require "bench.inputs"
local markdown = require "bench.markdown"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote, number = shell.quote, markdown.number

-- No pairs here, nor aims: fewer runs will do.
local RUNS <const> = 3

local function measure(meter, commands, options, dir)
  return turns.measure(meter, commands, { runs = math.min(RUNS, options.runs), once = options.once, dir = dir })
end

--- A command of bench/walk.lua on an input.
local function walk(how, input)
  local here = assert(shell.capture "pwd")
  return ("lua5.4 %s %s %s %s"):format(quote(here .. "/bench/walk.lua"), how, quote(input.image),
    quote(input.profiles[1]))
end

--- Seconds, or what went wrong.
local function seconds(result)
  return result.trouble or number(result.wall) .. " s"
end

--- A script that reads all functions and arcs, by objects, by fields, and from GNU gprof's text.
local function walks(meter, options)
  local input = inputs.get(options.inputs, "c-100000-g")
  local text = ("%s -b -p -q %s %s | %s"):format(options.gnu, quote(input.image), quote(input.profiles[1]),
    walk("text", input))
  local opening, objects, fields, parsing = table.unpack(measure(meter, {
    walk("open", input), walk("objects", input), walk("fields", input), "sh -c " .. quote(text),
  }, options))
  return ("A script that opens the profile of c-100000-g takes %s; that reads all functions and arcs by objects %s, " ..
    "by fields %s; from GNU gprof's text %s."):format(seconds(opening), seconds(objects), seconds(fields),
    seconds(parsing))
end

--- Bytes and lines that a command prints.
local function printed(command)
  local lines, bytes = assert(shell.capture(command .. " | wc -l -c")):match("(%d+)%s+(%d+)")
  return tonumber(lines), tonumber(bytes)
end

--- How fast a report is printed, once the profile is open.
local function rate(meter, options, name, style)
  local input = inputs.get(options.inputs, name)
  local command = ("%s -b %s %s %s"):format(options.ours, style, quote(input.image), quote(input.profiles[1]))
  local lines, bytes = printed(command)
  local whole, opening = table.unpack(measure(meter, { command, walk("open", input) }, options))
  if whole.trouble or opening.trouble then return ("`%s` on %s fails"):format(style, name) end
  local net = whole.wall - opening.wall
  return ("`%s` on %s prints %.0f MB, %.1f million lines, in %s s beyond the %s s of opening: %.0f MB/s, %s million " ..
    "lines/s"):format(style, name, bytes / 1e6, lines / 1e6, number(net), number(opening.wall), bytes / net / 1e6,
    number(lines / net / 1e6))
end

local function rates(meter, options)
  return ("%s; %s."):format(rate(meter, options, "chain-1000000", "-p"), rate(meter, options, "arcs-1000000-g", "-q"))
end

--- The sample program optimised: as it is, with its blocks counted, and with gcc's own counters.
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
  return ("The sample program, optimised, takes %s; with its blocks counted %s, with gcc's --coverage %s."):format(
    seconds(results[1]), seconds(results[2]), seconds(results[3]))
end

return {
  { name = "walk", title = "a script that reads all functions and arcs, with the library and from text", tell = walks },
  { name = "rates", title = "how fast reports of a million lines are printed", tell = rates },
  { name = "blocks", title = "run time of the sample program with its blocks counted, and with --coverage",
    tell = blocks },
}
