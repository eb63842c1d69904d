--- The rows of the table: what is measured.
--
-- A row is a table:
--
-- * `name`: what it is called in the table and on the command line;
-- * `title`: what it stands for;
-- * `input`: the name of its input, one of `bench.inputs`;
-- * `words(input)`: options that both programs get beside `-b`, an array; or simply that array;
-- * `aim`: how many times as long as ours GNU gprof is to take; 2, if it is not given;
-- * `slow`: GNU gprof takes so long that it runs once only, when all others are done;
-- * `ours_alone`: GNU gprof cannot do it, and so --gnu-compat does not;
-- * `sums`: whether a sum is written, by both programs into the directory of the input; `cat` of the profiles tells
--   what reading them takes.
--
-- @module bench.rows
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

--- A hundred symspecs for an option, spread over the functions of an image: names, or pairs of them for calls.
local function hundred(option, pairs_of_names)
  return function(input)
    local names, words = {}, {}
    for name in shell.capture("nm " .. shell.quote(input.image)):gmatch("%x+ T (%l[%l_]+_%d+)\n") do
      names[#names + 1] = name
    end
    local step = #names // 200
    for i = 1, 100 do
      local spec = names[i * step]
      if pairs_of_names then spec = spec .. "/" .. names[(i + 100) * step] end
      table.move({ option, spec }, 1, 2, #words + 1, words)
    end
    return words
  end
end

--- The libraries of an input, each with its profile.
local function libraries(input)
  local words = {}
  for i, path in ipairs(input.libraries) do words[i] = ("--with=%s:%s.profile"):format(path, path) end
  return words
end

return {
  { name = "demo", title = "the sample program of examples/sample, with -g", input = "demo" },
  { name = "c-1000", title = "1,000 C functions", input = "c-1000", aim = 3 },
  { name = "c-1000-g", title = "the same, with -g", input = "c-1000-g", aim = 3 },
  { name = "c-10000", title = "10,000 C functions", input = "c-10000" },
  { name = "c-10000-g", title = "the same, with -g", input = "c-10000-g" },
  { name = "c-100000", title = "100,000 C functions", input = "c-100000", slow = true },
  { name = "c-100000-g", title = "the same, with -g", input = "c-100000-g" },
  { name = "cxx-10000", title = "10,000 C++ functions with names of 100 to 400 characters", input = "cxx-10000" },
  { name = "cxx-10000-g", title = "the same, with -g", input = "cxx-10000-g" },
  { name = "arcs", title = "1,000,000 arcs between 100,000 C functions", input = "arcs-1000000", aim = 5,
    slow = true },
  { name = "arcs-g", title = "the same, with -g", input = "arcs-1000000-g", aim = 5 },
  { name = "callees", title = "one caller with 99,999 callees, with -g", input = "callees-100000", slow = true },
  { name = "chain", title = "a chain of calls, 1,000,000 functions deep", input = "chain-1000000", slow = true },
  { name = "cycle", title = "a cycle of 100,000 members, with -g", input = "cycle-100000", slow = true },
  { name = "histogram", title = "a histogram of 64 MB", input = "histogram-64-mb" },
  { name = "never", title = "-z: with functions that never ran; 10,000 C functions", input = "c-10000",
    words = { "-z" } },
  { name = "static", title = "-c: with calls that are found in the code; 10,000 C functions", input = "c-10000",
    words = { "-c" } },
  { name = "lines", title = "-l -p: the flat profile by line; 10,000 C functions, with -g", input = "c-10000-g",
    words = { "-l", "-p" } },
  { name = "lines-graph", title = "-l -q: the call graph by line, of the same", input = "c-10000-g",
    words = { "-l", "-q" } },
  { name = "lines-cxx", title = "-l -p: the flat profile by line; 10,000 C++ functions, with -g",
    input = "cxx-10000-g", words = { "-l", "-p" } },
  { name = "source", title = "-A: annotated source; 10,000 C functions, with -g", input = "c-10000-g",
    words = { "-A" } },
  { name = "source-lines", title = "-l -A -x: the same, with each line's count", input = "c-10000-g",
    words = { "-l", "-A", "-x" } },
  { name = "order", title = "-r: an order for the linker; 100,000 C functions, with -g", input = "c-100000-g",
    words = { "-r" } },
  { name = "select-k", title = "-k, 100 times: without 100 calls; 10,000 C functions", input = "c-10000",
    words = hundred("-k", true) },
  { name = "select-e", title = "-e, 100 times: without the entries of 100 functions, of the same", input = "c-10000",
    words = hundred "-e" },
  { name = "select-n", title = "-n, 100 times: the time of 100 functions, of the same", input = "c-10000",
    words = hundred "-n" },
  { name = "library", title = "a profile of the dynamic linker's, of a shared library of 1,000 functions",
    input = "library", ours_alone = true },
  { name = "libraries", title = "--with: a program of 1,000 functions and 100 such libraries", input = "libraries-100",
    words = libraries, ours_alone = true },
  { name = "sum-20", title = "-s: the sum of 20 profiles of 1 MB", input = "runs-20", words = { "-s" }, aim = 50,
    sums = true },
  { name = "sum-2000", title = "-s: the sum of 2,000 profiles of 1 MB", input = "runs-2000", words = { "-s" },
    aim = 50, sums = true, slow = true },
}
