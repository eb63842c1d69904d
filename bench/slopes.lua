--- Measures how CPU time grows with each dimension of the input.
--
--     lua5.4 bench/slopes.lua [--gnu] [--inputs=DIR] [dimension...]
--
-- Run it in the root of the checkout, after `make`. Each dimension has inputs of two or three sizes, each ten times
-- as large as the one before. CPU time is the median of three runs, without start-up. The exponent is the decimal
-- logarithm of the ratio of CPU times: 1 is linear growth, 2 quadratic. --gnu also measures GNU gprof, with a limit
-- of two minutes.
--
-- @script slopes
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path

local inputs = require "bench.inputs"
local markdown = require "bench.markdown"
local meters = require "bench.meter"
local options = require "bench.options"
local shell = require "bench.shell"
local turns = require "bench.turns"

local number = markdown.number

local RUNS <const>, TIMEOUT <const>, LONG <const> = 3, 120, 10  -- commands that take longer than LONG run once

-- `input` is a format string for the size; `words` are options.
local DIMENSIONS <const> = {
  { name = "functions", input = "c-%d", sizes = { 1000, 10000, 100000 } },
  { name = "arcs", input = "forward-%d", sizes = { 10000, 100000, 1000000 } },
  { name = "callees", title = "callees of one caller", input = "callees-%d", sizes = { 1000, 10000, 100000 } },
  { name = "callers", title = "callers of one callee", input = "callers-%d", sizes = { 1000, 10000, 100000 } },
  { name = "depth", title = "depth of a call chain", input = "chain-%d", sizes = { 10000, 100000, 1000000 } },
  { name = "cycle", title = "members of a cycle", input = "cycle-%d", sizes = { 1000, 10000, 100000 } },
  { name = "bins", title = "MB of a histogram", input = "histogram-%s-mb", sizes = { 0.64, 6.4, 64 } },
  { name = "lines", title = "functions by line (-l -p), with -g", input = "c-%d-g", sizes = { 1000, 10000, 100000 },
    words = "-l -p" },
  { name = "source", title = "functions in annotated source (-A), with -g", input = "c-%d-g",
    sizes = { 1000, 10000, 100000 }, words = "-A" },
  { name = "c++", title = "C++ functions with long names", input = "cxx-%d", sizes = { 1000, 10000 } },
  { name = "contexts", title = "call paths of a recorded profile", input = "contexts-%d", sizes = { 100000, 1000000 } },
  { name = "profiles", title = "profiles of 1 MB in a sum (-s)", input = "runs-%d", sizes = { 20, 200, 2000 },
    words = "-s" },
}

--- Measures a program on all sizes of a dimension. Stops after a size that fails or takes too long.
-- @treturn {result,...} results of `turns.measure`, with `net`: CPU seconds without start-up (`idle`)
local function measure(meter, program, dimension, all, idle)
  local results = {}
  for i, size in ipairs(dimension.sizes) do
    local input = inputs.get(all.inputs, dimension.input:format(size))
    local words = { program, "-b", dimension.words or "", shell.quote(input.image) }
    for _, profile in ipairs(input.profiles) do words[#words + 1] = shell.quote(profile) end
    local settings = { runs = RUNS, once = LONG, dir = input.dir }
    results[i] = turns.measure(meter, { table.concat(words, " ") }, settings)[1]
    results[i].net = results[i].cpu - idle
    if results[i].trouble then break end
  end
  return results
end

--- Returns the cells of one size: seconds, megabytes, and the exponent relative to the previous size.
local function cells(results, i)
  local result, before = results[i], results[i - 1]
  if not result then return { "", "", "" } end
  if result.trouble then return { result.trouble, "", "" } end
  local exponent = before and ("%.2f"):format(math.log(result.net / before.net, 10)) or ""
  return { number(result.net), number(result.mb), exponent }
end

--- Returns the table lines of a dimension.
local function lines_of(dimension, measured)
  local lines = {}
  for i, size in ipairs(dimension.sizes) do
    local line = { i == 1 and (dimension.title or dimension.name) or "", tostring(size) }
    for _, results in ipairs(measured) do table.move(cells(results, i), 1, 3, #line + 1, line) end
    lines[i] = line
  end
  return lines
end

--- Selects dimensions by name; all of them if there are no names.
local function choose(names)
  if not names[1] then return DIMENSIONS end
  local by_name, chosen = {}, {}
  for _, dimension in ipairs(DIMENSIONS) do by_name[dimension.name] = dimension end
  for i, name in ipairs(names) do chosen[i] = by_name[name] or error("unknown dimension: " .. name, 0) end
  return chosen
end

--- Returns the CPU seconds of a command that only starts.
local function starting(meter, command)
  return turns.measure(meter, { command }, { runs = 21, once = LONG })[1].cpu
end

local function main(arguments)
  local gnu_too = arguments[1] == "--gnu"
  if gnu_too then table.remove(arguments, 1) end
  local all = options.parse(arguments)
  local meter = meters.open(all.inputs, { timeout = TIMEOUT })
  local programs = { all.ours, gnu_too and all.gnu or nil }
  local lines = { { "dimension", "size", "CPU s", "MB", "exponent" } }
  if gnu_too then table.move({ "GNU CPU s", "MB", "exponent" }, 1, 3, 6, lines[1]) end
  local idle = { starting(meter, "lua5.4 -e 'package.cpath = \"./build/?.so\"; require \"gprof.core\"'"),
                 starting(meter, all.gnu .. " --version") }
  for _, dimension in ipairs(choose(all.rows)) do
    io.stderr:write(dimension.name, "\n")
    local measured = {}
    for i, program in ipairs(programs) do measured[i] = measure(meter, program, dimension, all, idle[i]) end
    local more = lines_of(dimension, measured)
    table.move(more, 1, #more, #lines + 1, lines)
  end
  io.write(markdown.table(lines))
end

local done, message = pcall(main, arg)
if not done then io.stderr:write("slopes: ", message, "\n") end
os.exit(done)
