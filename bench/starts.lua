--- Measures what link orders change for the start of a program, and prints a Markdown table: page faults, and time with
-- and without the program in the page cache.
--
--     lua5.4 bench/starts.lua DIRECTORY [ROUNDS]
--
-- Run it in the root of the checkout, after `make`. DIRECTORY is a built source tree of SQLite, with sqlite3.c and
-- shell.c (`./configure && make sqlite3.c shell.c`). The program is profiled with a short script, linked with each
-- linker in its own order and in that of the profile, and then runs the script again.
--
-- @script starts
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local meters = require "bench.meter"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote = shell.quote

local FLAGS <const> = "-O2 -w -ffunction-sections -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION"

local SCRIPT <const> = [[
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 50)
  insert into t select i, 'row ' || i, i * 1.5 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like 'row 1%';
update t set c = c + 1 where a % 3 = 0;
delete from t where a % 7 = 0;
]]

-- The linkers, and the options by which they read the file of each format.
local ways <const> = {
  { "lld", "lld", "--symbol-ordering-file=" }, { "call-graph", "lld", "--call-graph-ordering-file=" },
  { "gold", "gold", "--section-ordering-file=" }, { "ld", "bfd", "-T," },
}

local dir = assert(arg[1], "usage: lua5.4 bench/starts.lua DIRECTORY [ROUNDS]")
local rounds = tonumber(arg[2] or 41)
local here = assert(shell.capture("realpath " .. quote(root)))

local function run(command, ...) shell.run(("cd %s && "):format(quote(dir)) .. command:format(...)) end

--- Compiles and profiles the program, and links it in all ways.
local function make()
  shell.write(dir .. "/start.sql", SCRIPT)
  for _, name in ipairs { "sqlite3", "shell" } do
    run("gcc %s -c %s.c -o %s.plain.o", FLAGS, name, name)
    run("gcc %s -g -pg -c %s.c -o %s.profiled.o", FLAGS, name, name)
  end
  run("gcc -pg *.profiled.o -lm -o profiled && ./profiled :memory: '.read start.sql' >/dev/null")
  for _, way in ipairs(ways) do
    local format, linker, option = table.unpack(way)
    run("lua5.4 %s/gprof.lua -r --order-format=%s profiled >order.%s", quote(here), format, format)
    local link = ("gcc -fuse-ld=%s *.plain.o -lm"):format(linker)
    run("%s -o usual.%s", link, format)
    run("%s -Wl,%sorder.%s -o ordered.%s 2>/dev/null", link, option, format, format)
  end
end

local function median(runs, key)
  local values = {}
  for i, one in ipairs(runs) do values[i] = one[key] end
  return turns.median(values)
end

--- Runs the programs in turns. With `cold`, each is removed from the page cache first.
local function measure(meter, cold)
  local all = {}
  for _ = 1, rounds do
    for _, way in ipairs(ways) do
      for _, kind in ipairs { "usual", "ordered" } do
        local name = kind .. "." .. way[1]
        if cold then run("dd of=%s oflag=nocache conv=notrunc count=0 status=none", name) end
        all[name] = all[name] or {}
        table.insert(all[name], meter:run(("./%s :memory: '.read start.sql'"):format(name), dir))
      end
    end
  end
  return all
end

make()
local meter = meters.open(here .. "/build/starts", { timeout = 60 })
local warm, cold = measure(meter, false), measure(meter, true)
print "| linker | minor faults | major faults, cold | start, warm | start, cold |"
print "| --- | --: | --: | --: | --: |"
for _, way in ipairs(ways) do
  local cells = {}
  for _, cell in ipairs { { warm, "minor", 1, "%.0f" }, { cold, "major", 1, "%.0f" }, { warm, "wall", 1000, "%.1f ms" },
    { cold, "wall", 1000, "%.1f ms" } } do
    local runs, key, factor, format = table.unpack(cell)
    cells[#cells + 1] = (format .. " → " .. format):format(factor * median(runs["usual." .. way[1]], key),
      factor * median(runs["ordered." .. way[1]], key))
  end
  print(("| %s | %s |"):format(way[1], table.concat(cells, " | ")))
end
