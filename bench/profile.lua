--- Profiles gprof.lua with itself, to find where our time goes.
--
--     make profile, or lua5.4 bench/profile.lua [--inputs=DIR] [row...]
--
-- Run it in the root of the checkout. It needs build/profiled/lua, an interpreter linked with a core that is compiled
-- with -pg (see bench/profiled.c). Each row runs until there are enough samples. The table shows the share of each
-- part of the program and the busiest functions; the last column, from a run of its own without -pg, the busiest Lua
-- functions with the C functions that they call. The column "limit" is a lower bound of the time: what `cat` takes for
-- as many bytes as symbol table, line table, profile and report have together.
--
-- @script profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path
package.path = root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = root .. "build/?.so;" .. package.cpath

local gprof = require "gprof"
local inputs = require "bench.inputs"
local markdown = require "bench.markdown"
local options = require "bench.options"
local rows = require "bench.rows"
local shell = require "bench.shell"

local quote = shell.quote

local HERE <const> = assert(shell.capture("pwd"))
local PROGRAM <const> = HERE .. "/build/profiled/lua"
local ENOUGH <const>, MAX_RUNS <const> = 300, 100  -- samples per row; maximum number of runs
local FUNCTIONS <const> = 5  -- in the column "busiest"

local DEFAULT_ROWS <const> = { "c-10000-g", "c-100000-g", "cxx-10000", "arcs", "callees", "chain", "cycle", "histogram",
                               "lines", "lines-graph", "source", "order" }

-- The parts of the program, in the order of the columns. Our functions are assigned by source file. Debian's libraries
-- have no debugging information, so their functions are assigned by name; the rest is "C library".
local PARTS <const> = { "reading", "graph", "printing", "Lua", "libbfd", "C library" }

-- The part that each directory of csrc/ belongs to. Files that print reports are an exception.
local part_of_room <const> = { base = "reading", gmon = "reading", object = "reading", debug = "reading",
  symbols = "reading", profile = "graph", lua = "Lua" }
local printing <const> = {}
for _, name in ipairs { "base/columns", "base/format", "symbols/demangled", "profile/annotation", "lua/stream",
  "lua/rows", "lua/labels", "lua/annotation" } do
  printing[name] = "printing"
end

-- Returns the part that a function belongs to.
local function part_of(f)
  local room, name = (f.file or ""):match "csrc/(%w+)/([%w_]+)%.[ch]$"
  if room then return printing[room .. "/" .. name] or part_of_room[room] end
  name = f.symbol
  if name:find("^lua") then return "Lua" end
  for _, part in ipairs { "bfd", "^elf", "dwarf", "^d_", "comp_unit" } do
    if name:find(part) then return "libbfd" end
  end
  return "C library"
end

--- Returns the interpreter's arguments for a row.
local function arguments_of(row, input)
  local words = type(row.words) == "function" and row.words(input.image) or row.words or {}
  local all = { quote(HERE .. "/gprof.lua"), "-b" }
  for _, list in ipairs { words, { input.image }, input.profiles } do
    for _, word in ipairs(list) do all[#all + 1] = quote(word) end
  end
  return table.concat(all, " ")
end

--- Runs a command and adds its profile to the data.
local function run_once(command, all, data)
  local prefix = all.inputs .. "/profiled"
  shell.run(("rm -f %s.* && cd %s && GMON_OUT_PREFIX=%s %s > /dev/null"):format(quote(prefix), quote(all.inputs),
    quote(prefix), command))
  local file = assert(shell.capture("ls " .. quote(prefix) .. ".*"))
  assert(data:add_file(file))
  os.remove(file)
end

--- Runs a command until there are enough samples.
-- @treturn profile the sum of all runs
-- @treturn integer number of runs
local function measure(command, all)
  local image = assert(gprof.image(PROGRAM))
  local data = gprof.data.new { image = image }
  for runs = 1, MAX_RUNS do
    run_once(command, all, data)
    local profile = assert(gprof.profile(image, data))
    if profile.total_ticks >= ENOUGH or runs == MAX_RUNS then return profile, runs end
    profile:close()
  end
end

--- Returns the least number of bytes that a row must read and write.
local function bytes_of(row, all, command, input)
  local sum = tonumber(shell.capture(("cd %s && %s | wc -c"):format(quote(all.inputs), command)))
  for name, bytes in shell.capture("readelf -SW " .. quote(input.image)):gmatch(
    "(%.[%w_]+) +%u+ +%x+ %x+ (%x+)") do
    local wanted = name == ".symtab" or name == ".strtab" or name == ".debug_line" and row.input:find "-g$"
    if wanted then sum = sum + tonumber(bytes, 16) end
  end
  for _, path in ipairs(input.profiles) do sum = sum + tonumber(shell.capture("stat -c %s " .. quote(path))) end
  return sum
end

--- Returns the speed of `cat` for a cached file, in bytes per second.
local function rate_of_cat(all)
  local path, bytes = all.inputs .. "/profiled-bytes", 200 * 1024 ^ 2
  shell.run(("head -c %d /dev/zero > %s"):format(bytes, quote(path)))
  local seconds = shell.capture("bash -c 'TIMEFORMAT=%R; time cat \"$0\" > /dev/null' " .. quote(path) .. " 2>&1")
  os.remove(path)
  return bytes / tonumber(seconds)
end

-- Returns whether a function belongs to -pg itself; such functions are left out.
local function is_profiler(f)
  return f.symbol:find "mcount" or f.symbol:find "profile_freq"
end

--- Returns the ticks keyed by part, the total, and the functions with most ticks.
local function breakdown(profile)
  local shares, total, busiest = {}, 0, {}
  for f in profile:functions "self" do
    if f.ticks > 0 and not is_profiler(f) then
      local part = part_of(f)
      shares[part] = (shares[part] or 0) + f.ticks
      total = total + f.ticks
      if #busiest < FUNCTIONS then busiest[#busiest + 1] = f end
    end
  end
  return shares, total, busiest
end

--- Returns the shares of the first functions.
local function listed(busiest, total)
  local names = {}
  for i, f in ipairs(busiest) do names[i] = ("%s %.0f %%"):format(f.name, 100 * f.ticks / total) end
  return table.concat(names, ", ")
end

--- Runs a row as a Lua program, and returns the shares of the busiest Lua functions.
local function busiest_lua(arguments, all)
  local path, program = all.inputs .. "/profiled.prof", quote(HERE .. "/gprof.lua")
  shell.run(("cd %s && lua5.4 %s --record --count=none --rate=10000 --output=%s %s > /dev/null 2>&1"):format(
    quote(all.inputs), program, quote(path), arguments))
  local image = assert(gprof.image(path))
  local profile = assert(gprof.profile(image, assert(gprof.data(image, path))))
  os.remove(path)
  local busiest = {}
  for f in profile:functions "self" do
    if f.ticks > 0 and #busiest < FUNCTIONS then busiest[#busiest + 1] = f end
  end
  return listed(busiest, profile.total_ticks)
end

--- Measures a row and returns its line of the table.
local function line_of(row, all, rate)
  local input = inputs.get(all.inputs, row.input)
  local arguments = arguments_of(row, input)
  local profile, runs = measure(quote(PROGRAM) .. " " .. arguments, all)
  local shares, total, busiest = breakdown(profile)
  local bytes = bytes_of(row, all, "lua5.4 " .. arguments, input)
  local line = { row.name, ("%.0f"):format(1000 * total / (profile.rate or 1) / runs), ("%.1f"):format(bytes / 1e6),
                 ("%.1f"):format(1000 * bytes / rate) }
  for _, part in ipairs(PARTS) do
    line[#line + 1] = total > 0 and ("%.0f"):format(100 * (shares[part] or 0) / total) or ""
  end
  line[#line + 1] = listed(busiest, total)
  line[#line + 1] = busiest_lua(arguments, all)
  return line
end

local function main(arguments)
  local all = options.parse(arguments)
  local by_name, names = {}, all.rows[1] and all.rows or DEFAULT_ROWS
  for _, row in ipairs(rows) do by_name[row.name] = row end
  shell.run("mkdir -p " .. quote(all.inputs))
  local lines, rate = { { "row", "CPU ms", "MB in and out", "limit ms" } }, rate_of_cat(all)
  for _, part in ipairs(PARTS) do table.insert(lines[1], part .. " %") end
  table.insert(lines[1], "busiest")
  table.insert(lines[1], "busiest in Lua")
  for _, name in ipairs(names) do
    local row = by_name[name] or error("unknown row: " .. name, 0)
    io.stderr:write(row.name, "\n")
    lines[#lines + 1] = line_of(row, all, rate)
  end
  io.write(markdown.table(lines, { true, [#lines[1] - 1] = true, [#lines[1]] = true }))
  io.write(("\n`cat` copies %.1f GB/s.\n"):format(rate / 1e9))
end

local done, message = pcall(main, arg)
if not done then io.stderr:write("profile: ", message, "\n") end
os.exit(done)
