--- Generates large programs and their profiles.
--
-- A program is written as source text, compiled and linked, but never run. Its profile is generated from a seeded
-- random sequence and the addresses that `nm` prints. So the same options give the same profile, and a million
-- functions take only seconds.
--
--     local image, profiles = programs.build("build/bench/x", { functions = 10000, debug = true })
--
-- @module bench.programs
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "bench.chance"
local shapes = require "bench.shapes"
local shell = require "bench.shell"
local sources = require "bench.sources"

local random, long_tail = math.random, chance.long_tail
local quote, run, write = shell.quote, shell.run, shell.write

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"

local programs = {}

--- Default options.
programs.defaults = {
  functions = 1000,     -- number of functions
  files = 1,            -- number of source files
  language = "c",       -- "c", "c++" (names of 100 to 400 characters), "labels" (assembler)
  apart = 0,            -- bytes between functions (assembler only)
  debug = false,        -- compiled with -g
  statics = 1 / 3,      -- fraction of static functions
  ran = 0.85,           -- fraction of functions that ran
  density = 1,          -- factor of the number of arcs (shapes "program" and "forward")
  shape = "program",    -- shape of the call graph: a key of `bench.shapes`
  dense = false,        -- samples in a tenth of all bins; otherwise, in half of the functions that ran
  pie = false,          -- position-independent
  profiles = 1,         -- number of runs, with a profile each
  seed = 1,
  jobs = 2,             -- parallel compilers
}

----------------------------------------------------------------------------------------------------
-- The image
----------------------------------------------------------------------------------------------------

--- Compiles and links the sources, and removes the object files.
local function compile(dir, files, options)
  local compiler = options.language == "c++" and "g++" or "gcc"
  local position = options.pie and "-fpie" or "-fno-pie"
  local flags = (options.language == "labels" and "" or "-O0 -pg -w ") .. (options.debug and "-g" or "")
  local inside = "cd " .. quote(dir) .. " && "
  write(dir .. "/sources", table.concat(files, "\n"), "\n")
  run(inside .. ("xargs -P %d -n 1 %s %s %s -c < sources"):format(options.jobs, compiler, flags, position))
  local objects = {}
  for i, source in ipairs(files) do objects[i] = source:gsub("%.%w+$", ".o") end
  write(dir .. "/objects", table.concat(objects, "\n"), "\n")
  run(inside .. ("%s -pg %s -o program @objects"):format(compiler, options.pie and "-pie" or "-no-pie"))
  run(inside .. "rm -f objects sources *.o" .. (options.debug and "" or " *.c *.cc *.s"))
  return dir .. "/program"
end

-- Matches the names of generated functions, and no other symbols.
local NAME <const> = "%l_%d+"

--- Finds the generated functions, and the range that glibc would profile, in the output of `nm`.
-- @tparam string image made by `build`
-- @treturn {{address=,size=},...} sorted by address
-- @treturn integer the first address of the range
-- @treturn integer one past its end
function programs.functions(image)
  local nm <close> = assert(io.popen("nm -n " .. quote(image)))
  local functions, low, high = {}, nil, nil
  local open  -- the function whose size is still unknown: it ends at the next address
  for line in nm:lines() do
    local hex, class, name = line:match("^(%x+) (%a) (%S+)")
    local address = hex and tonumber(hex, 16)
    if name == "__executable_start" then low = address end
    if name == "etext" then high = address end
    if open and address and address > open.address then
      open.size = address - open.address
      open = nil
    end
    if name and class:find("[TtW]") and name:find(NAME)
      and not (functions[1] and functions[#functions].address == address) then
      open = { address = address }
      functions[#functions + 1] = open
    end
  end
  assert(functions[1] and low and high, image .. ": nm lists no generated functions")
  return functions, low & -4, (high + 3) & -4
end

----------------------------------------------------------------------------------------------------
-- The profile
----------------------------------------------------------------------------------------------------

--- Generates samples in half of the functions that ran.
-- @treturn table a histogram for `gmon.magic`
local function sample(functions, low, high, options)
  local bins = { n = (high - low) // 4 }  -- a bin covers four bytes, as glibc's do
  for _, f in ipairs(functions) do
    if random() < options.ran / 2 then
      for _ = 1, random(3) do
        local bin = (f.address + random(0, f.size - 1) - low) // 4 + 1
        bins[bin] = math.min((bins[bin] or 0) + long_tail(10000, 1), 65535)
      end
    end
  end
  return { kind = "histogram", low = low, high = high, bins = bins, rate = 100,
           dimension = "seconds", abbreviation = "s" }
end

--- Generates samples in a tenth of all bins, by repeating a piece of a histogram.
-- @treturn table a raw record for `gmon.magic`
local function sample_densely(_, low, high)
  local piece, bin_count = {}, (high - low) // 4
  for i = 1, 65536 do
    piece[i] = string.pack("<I2", random(10) == 1 and long_tail(10000, 1) or 0)
  end
  local bins = table.concat(piece):rep(bin_count // #piece + 1):sub(1, 2 * bin_count)
  return { kind = "raw", bytes = string.pack("<BI8I8I4I4c15c1", 0, low, high, bin_count, 100, "seconds", "s") .. bins }
end

--- Appends the arcs of a generated call graph to the records.
local function add_arcs(records, functions, options)
  shapes[options.shape](#functions, function(caller, callee, count)
    local f = functions[caller]
    records[#records + 1] = { kind = "arc", from = f.address + random(math.max(f.size - 1, 1)),
                              self = functions[callee].address, count = count }
  end, options.ran, options.density)
end

--- Generates another run of the same program: other samples, and other counts for most arcs.
local function another(records, functions, low, high, options)
  local new = { sample(functions, low, high, options) }
  for i = 2, #records do
    if random() < 0.98 then
      new[#new + 1] = setmetatable({ count = long_tail(1000000, 2.5) }, { __index = records[i] })
    end
  end
  return new
end

local function profile_path(dir, i)
  return i == 1 and dir .. "/gmon.out" or ("%s/gmon.%04d"):format(dir, i)
end

--- Writes generated profiles of an image.
local function write_profiles(image, dir, options)
  local gmon = require "support.gmon"
  local functions, low, high = programs.functions(image)
  local records = { (options.dense and sample_densely or sample)(functions, low, high, options) }
  add_arcs(records, functions, options)
  for i = 1, options.profiles do
    local run_records = i == 1 and records or another(records, functions, low, high, options)
    write(profile_path(dir, i), gmon.magic { pointer = 8, big = false, records = run_records })
  end
end

----------------------------------------------------------------------------------------------------
-- Programs with profiles
----------------------------------------------------------------------------------------------------

--- Adds the defaults to the given options, and checks them.
local function complete(options)
  for key in pairs(options) do
    if programs.defaults[key] == nil then error("unknown option: " .. key, 3) end
  end
  local all = setmetatable({}, { __index = programs.defaults })
  for key, value in pairs(options) do all[key] = value end
  if not sources[all.language] then error("unknown language: " .. all.language, 3) end
  if not shapes[all.shape] then error("unknown shape: " .. all.shape, 3) end
  return all
end

--- Returns everything that determines a program and its profiles, as text: the options, and checksums of the generator.
local function recipe_of(options)
  local lines = {}
  for key in pairs(programs.defaults) do
    if key ~= "jobs" then lines[#lines + 1] = ("%s = %s\n"):format(key, options[key]) end
  end
  table.sort(lines)
  for _, module in ipairs { "programs", "sources", "shapes", "chance" } do
    lines[#lines + 1] = ("%s = %x\n"):format(module, shell.checksum(shell.read(here .. module .. ".lua")))
  end
  return table.concat(lines)
end

local function profile_paths(dir, options)
  local paths = {}
  for i = 1, options.profiles do paths[i] = profile_path(dir, i) end
  return paths
end

--- Generates a program and its profiles, unless the directory has them already.
-- @tparam string dir created if necessary; other contents are deleted
-- @tparam[opt] table options see `programs.defaults`
-- @treturn string path of the image
-- @treturn {string,...} paths of the profiles
function programs.build(dir, options)
  local all = complete(options or {})
  shell.cached(dir, recipe_of(all), function()
    math.randomseed(all.seed)
    local image = compile(dir, sources[all.language](dir, all), all)
    write_profiles(image, dir, all)
  end)
  return dir .. "/program", profile_paths(dir, all)
end

--- Generates other profiles of a program.
-- @tparam string dir a directory for the profiles, as for `build`
-- @tparam string image made by `build`
-- @tparam table options with keys of `programs.defaults` that concern profiles
-- @treturn {string,...} paths of the profiles
function programs.profile(dir, image, options)
  local all = complete(options)
  local image_recipe = shell.read(image:match "^(.*/)" .. "recipe")
  shell.cached(dir, image .. "\n" .. image_recipe .. recipe_of(all), function()
    math.randomseed(all.seed)
    write_profiles(image, dir, all)
  end)
  return profile_paths(dir, all)
end

return programs
