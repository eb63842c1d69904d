--- The rows of the benchmark table: what is measured.
--
-- A row is a table:
--
-- * `name`: what it is called in the table, on the command line and among the cached inputs;
-- * `description`: what it stands for;
-- * `make(dir)`: returns the paths of an image and a profile (or an array of such), made in that
--   directory unless they are there already, and, if both programs are to have more options than
--   `-b`, an array of these words; or nil and the reason for leaving the row out;
-- * `programs(dir)`, in place of `make`: returns the paths of programs to be run by themselves, made in
--   that directory, and an array of what they are; a remark tells how long they take beside the first;
-- * `sums`: whether the programs write a sum, which they do in the directory they run in: that of
--   the row. A remark tells what it takes `cat` to read the profiles.
--
-- @module bench.rows
-- SPDX-License-Identifier: GPL-3.0-or-later

local generate = require "bench.generate"
local shell = require "bench.shell"

local quote = shell.quote

--- Makes a row's `make` from the options of `bench.generate`, and words for both programs.
local function generated(options, words)
  return function(dir)
    local image, gmon = generate.build(dir, options)
    return image, gmon, words
  end
end

--- A hundred symspecs for an option, spread over the functions of the image: names, or pairs of
-- them for calls.
local function hundred(option, image, pairs_of_names)
  local names, words = {}, {}
  for name in shell.capture("nm " .. quote(image)):gmatch("%x+ T (%w+)\n") do
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

--- 100,000 functions, of which many are selected.
local function selected(option, pairs_of_names)
  return function(dir)
    local image, gmon = generate.build(dir, { functions = 100000, files = 100 })
    return image, gmon, hundred(option, image, pairs_of_names)
  end
end

--- The same for rows that add up profiles.
local function summed(options)
  return function(dir)
    local image, profiles = generate.build(dir, options)
    return image, profiles, { "-s" }
  end
end

--- Compiles the sample program and runs it.
local function sample(dir)
  local listing = shell.capture("ls examples/sample/*.[ch] 2>/dev/null")
  if not listing or listing == "" then return nil, "there is no examples/sample" end
  local compile = "gcc -std=c11 -O1 -g -pg -fno-inline -fno-optimize-sibling-calls -o "
                  .. quote(dir .. "/program") .. " examples/sample/*.c -lm"
  local recipe = { compile }
  for path in listing:gmatch("[^\n]+") do recipe[#recipe + 1] = shell.read(path) end
  shell.cached(dir, table.concat(recipe, "\n"), function()
    shell.run(compile)
    shell.run("cd " .. quote(dir) .. " && ./program > /dev/null")
  end)
  return dir .. "/program", dir .. "/gmon.out"
end

--- The sample program optimised: as it is, with its blocks counted, and with gcc's own counters.
local function counted(dir)
  local common = "gcc -std=c11 -O2 -g -fno-optimize-sibling-calls "
  local variants = {
    { "plain", "", "" },
    { "blocks", "-fsanitize-coverage=trace-pc ", " build/libgprof-blocks.a" },
    { "coverage", "--coverage ", "" },
  }
  local programs, names = {}, {}
  shell.run("mkdir -p " .. quote(dir))
  for i, variant in ipairs(variants) do
    programs[i], names[i] = dir .. "/" .. variant[1], variant[1]
    shell.run(common .. variant[2] .. "-o " .. quote(programs[i]) .. " examples/sample/*.c" .. variant[3] .. " -lm")
  end
  return programs, names
end

--- Walks over a profile of a million arcs.
local function walks(dir)
  local image, gmon = generate.build(dir, { functions = 100000, language = "labels", density = 3.2 })
  local here = assert(shell.capture("pwd"))
  local files = quote(image) .. " " .. quote(gmon)
  local walk = "lua5.4 " .. quote(here .. "/bench/walk.lua") .. " "
  local commands = {
    { "opening", walk .. "open " .. files },
    { "a walk by objects", walk .. "objects " .. files },
    { "by fields", walk .. "fields " .. files },
    { "over GNU's text", "gprof -b -p -q " .. files .. " | " .. walk .. "text" },
  }
  local programs, names = {}, {}
  for i, command in ipairs(commands) do
    programs[i], names[i] = dir .. "/walk" .. i, command[1]
    shell.write(programs[i], "#!/bin/sh\n" .. command[2] .. "\n")
    shell.run("chmod +x " .. quote(programs[i]))
  end
  return programs, names
end

return {
  {
    name = "demo",
    description = "the sample program of examples/sample, with -g",
    make = sample,
  },
  {
    name = "c-1000",
    description = "1,000 C functions, no debugging information",
    make = generated { functions = 1000, files = 10 },
  },
  {
    name = "c-10000",
    description = "10,000 C functions, no debugging information",
    make = generated { functions = 10000, files = 100 },
  },
  {
    name = "c-100000",
    description = "100,000 C functions, no debugging information",
    make = generated { functions = 100000, files = 100 },
  },
  {
    name = "c-10000-g",
    description = "10,000 C functions in 100 files, with -g",
    make = generated { functions = 10000, files = 100, debug = true },
  },
  {
    name = "c-10000-g-few",
    description = "the same, where a tenth of the functions ran",
    make = generated { functions = 10000, files = 100, debug = true, ran = 0.1 },
  },
  {
    name = "cxx-10000",
    description = "10,000 C++ functions with names of 100 to 400 characters, no debugging information",
    make = generated { functions = 10000, files = 100, language = "c++" },
  },
  {
    name = "callees-100000",
    description = "one caller, 100,000 callees",
    make = generated { functions = 100001, language = "labels", shape = "callees" },
  },
  {
    name = "callers-100000",
    description = "100,000 callers, one callee",
    make = generated { functions = 100001, language = "labels", shape = "callers" },
  },
  {
    name = "chain-1000000",
    description = "a chain of calls 1,000,000 functions deep",
    make = generated { functions = 1000000, language = "labels", shape = "chain" },
  },
  {
    name = "order-1000000",
    description = "the function order (-r) of 100,000 functions, 1,000,000 calls between them",
    make = generated({ functions = 100000, language = "labels", density = 3.2 }, { "-r" }),
  },
  {
    name = "select-k",
    description = "100,000 functions, 100 calls deleted with -k",
    make = selected("-k", true),
  },
  {
    name = "select-e",
    description = "100,000 functions, 100 of them left out of the call graph with -e",
    make = selected("-e"),
  },
  {
    name = "select-n",
    description = "100,000 functions, the time of 100 of them counts (-n)",
    make = selected("-n"),
  },
  {
    name = "line-flat",
    description = "the flat profile by line (-l -p) of 10,000 C functions, with -g",
    make = generated({ functions = 10000, files = 100, debug = true }, { "-l", "-p" }),
  },
  {
    name = "line-graph",
    description = "the call graph by line (-l -q) of the same",
    make = generated({ functions = 10000, files = 100, debug = true }, { "-l", "-q" }),
  },
  {
    name = "annotated",
    description = "annotated source (-A) of the same",
    make = generated({ functions = 10000, files = 100, debug = true }, { "-A" }),
  },
  {
    name = "annotated-lines",
    description = "the same, every line (-l -A -x)",
    make = generated({ functions = 10000, files = 100, debug = true }, { "-l", "-A", "-x" }),
  },
  {
    name = "line-flat-cxx",
    description = "the flat profile by line (-l -p) of 10,000 C++ functions, with -g",
    make = generated({ functions = 10000, files = 100, language = "c++", debug = true },
      { "-l", "-p" }),
  },
  {
    name = "line-graph-cxx",
    description = "the call graph by line (-l -q) of the same",
    make = generated({ functions = 10000, files = 100, language = "c++", debug = true },
      { "-l", "-q" }),
  },
  {
    name = "annotated-lines-cxx",
    description = "annotated source, every line (-l -A -x), of the same",
    make = generated({ functions = 10000, files = 100, language = "c++", debug = true },
      { "-l", "-A", "-x" }),
  },
  {
    name = "sum-500",
    description = "-s of 500 profiles of 1 MB each, few samples, no debugging information",
    make = summed { functions = 30500, files = 100, ran = 0.04, profiles = 500 },
    sums = true,
  },
  {
    name = "sum-500-arcs",
    description = "the same of profiles that are mostly calls",
    make = summed { functions = 10000, files = 100, ran = 1, profiles = 500 },
    sums = true,
  },
  {
    name = "walk-1000000",
    description = "a script that walks all of 100,000 functions and 1,000,000 calls, with the library and over text",
    programs = walks,
  },
  {
    name = "blocks",
    description = "run time of the sample program with its blocks counted, and with --coverage",
    programs = counted,
  },
}
