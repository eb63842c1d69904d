--- The inputs of the benchmarks, by name: programs and profiles. Several rows can share an input.
--
-- An input is a table: `image`, the path of a program; `profiles`, the paths of its profiles; `libraries`, the paths
-- of its shared libraries, or nil; `dir`, a directory where commands may write. An input is made at first use, in
-- a directory of its name, and stays there for later runs.
--
-- @module bench.inputs
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "bench.contexts"
local programs = require "bench.programs"
local shell = require "bench.shell"

local quote = shell.quote

-- Functions that make inputs, keyed by name. The parameters are the input's directory and a function that returns
-- another input, given its name. Such a function returns image, profiles and libraries.
local makers = {}

local inputs = {}

--- Returns an input, and makes it if necessary.
-- @tparam string base the directory of all inputs
-- @tparam string name
-- @treturn table
function inputs.get(base, name)
  local dir = base .. "/" .. name
  local maker = makers[name] or error("unknown input: " .. name)
  local image, profiles, libraries = maker(dir, function(other) return inputs.get(base, other) end)
  return { image = image, profiles = profiles, libraries = libraries, dir = dir }
end

--- Defines an input.
-- @tparam string name
-- @tparam function maker see `makers`
function inputs.add(name, maker)
  makers[name] = maker
end

--- Returns a maker of a generated program, with options of `bench.programs`.
function inputs.generated(options)
  return function(dir) return programs.build(dir, options) end
end

--- Returns a maker that copies the program of the input `name` without debugging information. Addresses do not change,
-- so the copy shares that input's profiles.
local function stripped(name)
  return function(dir, get)
    local full = get(name)
    shell.cached(dir, shell.read(full.dir .. "/recipe"), function()
      shell.run(("objcopy --strip-debug %s %s"):format(quote(full.image), quote(dir .. "/program")))
    end)
    return dir .. "/program", full.profiles
  end
end

--- Returns a maker of other profiles for the program of the input `name`.
local function again(name, options)
  return function(dir, get)
    local image = get(name).image
    return image, programs.profile(dir, image, options)
  end
end

--- Compiles and runs the sample program.
function makers.demo(dir)
  local compile = "gcc -std=c11 -O1 -g -pg -fno-inline -fno-optimize-sibling-calls -o "
                  .. quote(dir .. "/program") .. " examples/sample/*.c -lm"
  local recipe = { compile }
  for path in assert(shell.capture("ls examples/sample/*.[ch]")):gmatch("[^\n]+") do
    recipe[#recipe + 1] = shell.read(path)
  end
  shell.cached(dir, table.concat(recipe, "\n"), function()
    shell.run(compile)
    shell.run("cd " .. quote(dir) .. " && ./program > /dev/null")
  end)
  return dir .. "/program", { dir .. "/gmon.out" }
end

for functions, files in pairs { [1000] = 10, [10000] = 100, [100000] = 100 } do
  local name = "c-" .. functions
  inputs.add(name .. "-g", inputs.generated { functions = functions, files = files, debug = true })
  inputs.add(name, stripped(name .. "-g"))
end

for functions, files in pairs { [1000] = 2, [10000] = 20 } do
  local name = "cxx-" .. functions
  inputs.add(name .. "-g", inputs.generated { functions = functions, files = files, language = "c++", debug = true })
  inputs.add(name, stripped(name .. "-g"))
end

--- Returns a maker of a program in assembler, which is fast to generate even if large.
local function labels(options)
  options.language = "labels"
  return inputs.generated(options)
end

-- Two inputs share these profiles: a program with debugging information (-g) and one without, on which GNU gprof is
-- slow.
inputs.add("arcs-1000000-g", again("c-100000-g", { density = 3.2 }))
inputs.add("arcs-1000000", function(_, get) return get("c-100000").image, get("arcs-1000000-g").profiles end)

for _, n in ipairs { 1000, 10000, 100000 } do
  for _, shape in ipairs { "callees", "callers", "cycle" } do
    inputs.add(("%s-%d"):format(shape, n), again(("c-%d-g"):format(n), { shape = shape }))
  end
end

for _, n in ipairs { 10000, 100000, 1000000 } do
  inputs.add("forward-" .. n, again("c-10000-g", { shape = "forward", density = n // 10000 }))
  inputs.add("chain-" .. n, labels { functions = n, shape = "chain" })
end

-- Bins take half as many bytes as the code: 0.64 MB for 1.3 MB of code, 64 MB for 128 MB.
for megabytes, functions in pairs { ["0.64"] = 164, ["6.4"] = 1638, ["64"] = 16384 } do
  inputs.add(("histogram-%s-mb"):format(megabytes), labels { functions = functions, apart = 8192, dense = true })
end

-- Profiles of 1 MB, two thirds of which are calls.
inputs.add("runs-20", inputs.generated { functions = 10000, files = 100, debug = true, profiles = 20 })

--- Returns a maker of `count` files, each a copy of one of the 20 profiles of runs-20.
local function copies(count)
  return function(dir, get)
    local runs = get "runs-20"
    local paths = {}
    for i = 1, count do paths[i] = ("%s/gmon.%04d"):format(dir, i) end
    shell.cached(dir, shell.read(runs.dir .. "/recipe") .. count, function()
      for i, profile in ipairs(runs.profiles) do
        local targets = table.concat(paths, "\n", (i - 1) * count // 20 + 1, i * count // 20)
        shell.write(dir .. "/targets", targets, "\n")
        shell.run(("cd %s && xargs -a targets tee < %s >/dev/null"):format(quote(dir), quote(profile)))
      end
    end)
    return runs.image, paths
  end
end

--- Converts a program's profile to a library's, as the dynamic linker writes it (LD_PROFILE): bins of 4 bytes of code
-- each, and offsets in place of the addresses in arcs. One arc in ten comes from outside the library.
local function as_library(path)
  local gmon = require "support.gmon"
  local parsed = gmon.parse(shell.read(path))
  local histogram, arcs = gmon.select(parsed, "histogram")[1], {}
  for i, arc in ipairs(gmon.select(parsed, "arc")) do
    arcs[i] = { i % 10 == 0 and 0 or arc.from - histogram.low, arc.self - histogram.low, arc.count }
  end
  return gmon.shared { low = histogram.low, high = histogram.high, bins = histogram.bins, arcs = arcs }
end

--- Returns a maker of `count` libraries, NAME.so, with their profiles, NAME.so.profile. They are copies of a program
-- of 1,000 functions. Links would not work, since gprof.lua refuses the program itself as a library.
local function libraries(count)
  return function(dir, get)
    local like, paths = get "c-1000", {}
    for i = 1, count do paths[i] = ("%s/lib%03d.so"):format(dir, i) end
    shell.cached(dir, ("%s %d copies"):format(shell.read(like.dir .. "/recipe"), count), function()
      local profile = as_library(like.profiles[1])
      for _, path in ipairs(paths) do
        shell.run(("cp %s %s"):format(quote(like.image), quote(path)))
        shell.write(path .. ".profile", profile)
      end
    end)
    return like.image, like.profiles, paths
  end
end

inputs.add("libraries-100", libraries(100))
inputs.add("library", function(_, get)
  local path = get "libraries-100".libraries[1]
  return path, { path .. ".profile" }
end)

inputs.add("c-200", inputs.generated { functions = 200, seed = 2 })

--- Returns a maker of a recorded profile with `count` contexts: gmon.out and gmon.out.ctx, which names a library.
local function recorded(count)
  return function(dir, get)
    local like, library = get "c-1000", get "c-200"
    local recipe = shell.read(like.dir .. "/recipe") .. shell.read(library.dir .. "/recipe") .. count ..
      shell.checksum(shell.read "bench/contexts.lua")
    shell.cached(dir, recipe, function()
      contexts.write(dir, like.image, assert(shell.capture("realpath " .. quote(library.image))), count)
    end)
    return like.image, { dir .. "/gmon.out" }
  end
end

for _, count in ipairs { 100000, 1000000 } do inputs.add("contexts-" .. count, recorded(count)) end

-- Ten functions, each of which calls the next.
inputs.add("ten", function(dir)
  local crafted = require "support.crafted"
  local plan = { functions = {}, ticks = {}, calls = {} }
  for i = 1, 10 do
    local name = "f" .. i
    plan.functions[i], plan.ticks[name] = name, i
    if i > 1 then plan.calls[i - 1] = { plan.functions[i - 1], name, i } end
  end
  shell.cached(dir, "ten functions", function()
    shell.run(("cp %s %s && cp %s %s"):format(quote(crafted.image(plan)), quote(dir .. "/program"),
      quote(crafted.gmon(plan)), quote(dir .. "/gmon.out")))
  end)
  return dir .. "/program", { dir .. "/gmon.out" }
end)

inputs.add("runs-200", copies(200))
inputs.add("runs-2000", copies(2000))

return inputs
