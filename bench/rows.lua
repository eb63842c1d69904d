--- The rows of the table.
--
-- A row is a table:
--
-- * `name`: its name in the table and on the command line;
-- * `title`: a description;
-- * `input`: the name of its input, see `bench.inputs`;
-- * `words`: an array of options that both programs get in addition to `-b`, or a function (input) that returns such an
--   array;
-- * `aim`: the least ratio of GNU gprof's wall time to ours (default: see `bench.aims`);
-- * `slow`: GNU gprof is slow, and runs only once, after all other rows;
-- * `ours_alone`: GNU gprof cannot do this, so --gnu-compat is not measured either;
-- * `sums`: both programs write a sum, into the directory of the input. `cat` of the profiles is also measured, as the
--   cost of reading them;
-- * `symbolized`: programs that find functions and lines (see `bench.comparison`) are also measured, on the addresses
--   in our report.
--
-- @module bench.rows
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

-- A function of the program; statics have no symspec of their own.
local NAME <const> = "(%l[%l_]+_%d+)"

-- Reads all matches of a pattern in a command's output: names, or pairs of names as CALLER/CALLEE.
local function symspecs(command, pattern)
  local all = {}
  for name, callee in shell.capture(command):gmatch(pattern) do
    all[#all + 1] = callee and name .. "/" .. callee or name
  end
  return all
end

--- Returns `words` that repeat an option for 100 symspecs, spread over the functions of the image; over the calls of
-- the profile if `calls` is true.
local function hundred(option, calls)
  return function(input)
    local image, words = shell.quote(input.image), {}
    local all = calls and symspecs(("lua5.4 gprof.lua --report=bench/arcs.lua %s %s"):format(image,
      shell.quote(input.profiles[1])), NAME .. " %[%d+%] %-> " .. NAME) or
      symspecs("nm " .. image, "%x+ T " .. NAME .. "\n")
    for i = 1, 100 do table.move({ option, all[i * (#all // 100)] }, 1, 2, #words + 1, words) end
    return words
  end
end

--- Returns the options --with for all libraries of an input.
local function libraries(input)
  local words = {}
  for i, path in ipairs(input.libraries) do words[i] = ("--with=%s:%s.profile"):format(path, path) end
  return words
end

return {
  { name = "demo", title = "the sample program of examples/sample, with -g", input = "demo" },
  { name = "c-1000", title = "1,000 C functions", input = "c-1000" },
  { name = "c-1000-g", title = "the same, with -g", input = "c-1000-g" },
  { name = "c-10000", title = "10,000 C functions", input = "c-10000" },
  { name = "c-10000-g", title = "the same, with -g", input = "c-10000-g" },
  { name = "c-100000", title = "100,000 C functions", input = "c-100000", slow = true },
  { name = "c-100000-g", title = "the same, with -g", input = "c-100000-g", aim = 1.3 },
  { name = "cxx-10000", title = "10,000 C++ functions with names of 100 to 400 characters", input = "cxx-10000" },
  { name = "cxx-10000-g", title = "the same, with -g", input = "cxx-10000-g" },
  { name = "arcs", title = "1,000,000 arcs between 100,000 C functions", input = "arcs-1000000", slow = true },
  { name = "arcs-g", title = "the same, with -g", input = "arcs-1000000-g" },
  { name = "own-report", title = "--report=bench/arcs.lua: a report of one's own with a line for each of these arcs",
    input = "arcs-1000000-g", words = { "--report=" .. assert(shell.capture "pwd") .. "/bench/arcs.lua" },
    ours_alone = true },
  { name = "callees", title = "one caller with 99,999 callees, with -g", input = "callees-100000", slow = true },
  { name = "chain", title = "a chain of calls, 1,000,000 functions deep", input = "chain-1000000", slow = true },
  { name = "cycle", title = "a cycle of 100,000 members, with -g", input = "cycle-100000", slow = true },
  { name = "histogram", title = "a histogram of 64 MB", input = "histogram-64-mb" },
  { name = "never", title = "-z: with functions that never ran; 10,000 C functions", input = "c-10000",
    words = { "-z" } },
  { name = "static", title = "-c: with calls found in the code; 10,000 C functions", input = "c-10000",
    words = { "-c" } },
  { name = "lines", title = "-l -p: the flat profile by line; 10,000 C functions, with -g", input = "c-10000-g",
    words = { "-l", "-p" } },
  { name = "lines-graph", title = "-l -q: the call graph by line; the same program", input = "c-10000-g",
    words = { "-l", "-q" } },
  { name = "lines-cxx", title = "-l -p: the flat profile by line; 10,000 C++ functions, with -g",
    input = "cxx-10000-g", words = { "-l", "-p" } },
  { name = "inlines", title = "--inlines: with inlined functions; 10,000 C++ functions, with -g",
    input = "cxx-10000-g", words = { "--inlines" }, ours_alone = true },
  { name = "source", title = "-A: annotated source; 10,000 C functions, with -g", input = "c-10000-g",
    words = { "-A" }, aim = 1.5 },
  { name = "source-lines", title = "-l -A -x: annotated source with a count for each line; the same program",
    input = "c-10000-g", words = { "-l", "-A", "-x" } },
  { name = "order", title = "-r: a link order; 100,000 C functions, with -g", input = "c-100000-g",
    words = { "-r" }, aim = 1.3 },
  { name = "select-k", title = "100 options -k (leave out calls); 10,000 C functions", input = "c-10000",
    words = hundred("-k", true) },
  { name = "select-e", title = "100 options -e (leave out entries); the same program", input = "c-10000",
    words = hundred "-e" },
  { name = "select-n", title = "100 options -n (select whose time counts); the same program", input = "c-10000",
    words = hundred "-n" },
  { name = "library", title = "a shared library of 1,000 functions, profiled by the dynamic linker (LD_PROFILE)",
    input = "library", ours_alone = true },
  { name = "libraries", title = "--with: a program of 1,000 functions and 100 such libraries", input = "libraries-100",
    words = libraries, ours_alone = true },
  { name = "html", title = "--html: a page; 10,000 C functions, with -g", input = "c-10000-g",
    words = { "--html=/dev/null" }, ours_alone = true },
  { name = "spread", title = "-s --spread: the sum of 20 profiles of 1 MB, and how runs differ", input = "runs-20",
    words = { "-s", "--spread" }, sums = true, ours_alone = true },
  { name = "sum-20", title = "-s: the sum of 20 profiles of 1 MB", input = "runs-20", words = { "-s" }, aim = 40,
    sums = true },
  { name = "sum-2000", title = "-s: the sum of 2,000 profiles of 1 MB", input = "runs-2000", words = { "-s" },
    aim = 50, sums = true, slow = true },
}
