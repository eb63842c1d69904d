--- Large profiled programs, made from a few numbers.
--
-- A program is written as source text, compiled and linked, but never run: its profile is made up,
-- from a seeded random sequence, over the addresses that `nm` tells.  So the same options give the
-- same profile, and a million functions take seconds.
--
--     local generate = require "bench.generate"
--     local image, gmon = generate.build("build/bench/x", { functions = 10000, debug = true })
--
-- or, as a command, `lua5.4 bench/generate.lua [options] DIRECTORY` (see --help).
--
-- @module bench.generate
-- SPDX-License-Identifier: GPL-3.0-or-later

local self_path = debug.getinfo(1, "S").source:match("^@(.*)$")

local as_module = ... == "bench.generate"
if not as_module then
  local root = (self_path:match("^(.*/)") or "./") .. "../"
  package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path
end

local shell = require "bench.shell"

local quote, run, write = shell.quote, shell.run, shell.write

local generate = {}

--- What a program is like unless its options say otherwise.
generate.defaults = {
  functions = 1000,     -- how many
  files = 1,            -- source files to spread them over
  language = "c",       -- "c", "c++" (names of 100 to 400 characters), "labels" (assembler)
  debug = false,        -- compiled with -g
  statics = 1 / 3,      -- share of static functions
  ran = 0.85,           -- share of functions that ran
  density = 1,          -- calls in a graph of shape "program": so many times the usual
  shape = "program",    -- of the call graph: a key of `shapes`
  pie = false,          -- position-independent
  profiles = 1,         -- of as many runs
  seed = 1,
  jobs = 2,             -- compilers running at once
}

----------------------------------------------------------------------------------------------------
-- Small things
----------------------------------------------------------------------------------------------------

local random = math.random

local function pick(list)
  return list[random(#list)]
end

--- A random count with a long tail: mostly 1 or little more, now and then up to `most` (a Pareto
-- distribution; the greater `weight`, the more often).
local function long_tail(most, weight)
  local value = 1 / (1 - random()) ^ weight
  return value < most and math.floor(value) or most
end

--- A number that changes when a text does.
local function checksum(text)
  local sum = 0
  for i = 1, #text do sum = (sum * 31 + text:byte(i)) & 0xffffffffffff end
  return sum
end

----------------------------------------------------------------------------------------------------
-- Names
----------------------------------------------------------------------------------------------------

local verbs = {
  "add", "apply", "build", "check", "clear", "copy", "decode", "emit", "encode", "find", "flush",
  "free", "hash", "init", "insert", "lookup", "merge", "move", "open", "parse", "print", "push",
  "read", "remove", "resolve", "scan", "sort", "split", "update", "write",
}

local nouns = {
  "arc", "block", "buffer", "cache", "chain", "cursor", "edge", "entry", "field", "file", "frame",
  "graph", "group", "header", "index", "item", "key", "line", "list", "name", "node", "page",
  "path", "queue", "range", "record", "row", "section", "string", "symbol", "table", "token", "tree",
  "type", "value",
}

--- The i-th function's name.  `nm` finds our functions by its end, which no other name has.
local function function_name(i)
  return pick(verbs) .. "_" .. pick(nouns) .. "_" .. i
end

local name_pattern = "%l_%d+"

----------------------------------------------------------------------------------------------------
-- Source text: each language writes its files into a directory and returns their names
----------------------------------------------------------------------------------------------------

--- A few bodies, so that functions differ in length.  %s is the next function of the file.
local bodies = {
  [[
{
  int sum = x;
  if (x > 0)
    sum += %s(x - 1);
  return sum;
}
]], [[
{
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum ^= i * x;
  if (sum & 1)
    return %s(sum);
  return sum;
}
]], [[
{
  int high = x >> 8;
  int low = x & 255;
  while (high > low) {
    high -= low + 1;
    low++;
  }
  return %s(high) + low;
}
]], [[
{
  return %s(x) ^ x;
}
]],
}

--- Spreads the functions evenly over files: calls `write_file(number, first, last)` for each.
local function each_file(options, write_file)
  local files = options.files
  for i = 1, files do
    local first = options.functions * (i - 1) // files + 1
    local last = options.functions * i // files
    write_file(i, first, last)
  end
end

local languages = {}

function languages.c(dir, options)
  local sources = {}
  each_file(options, function(number, first, last)
    local names, keywords, text = {}, {}, {}
    for i = first, last do
      names[i] = function_name(i)
      keywords[i] = random() < options.statics and "static __attribute__((used)) int " or "int "
      text[#text + 1] = keywords[i] .. names[i] .. "(int x);\n"
    end
    for i = first, last do
      text[#text + 1] = "\n" .. keywords[i] .. names[i] .. "(int x)\n"
      text[#text + 1] = pick(bodies):format(names[i + 1] or names[first])
    end
    if number == 1 then text[#text + 1] = "\nint main(void)\n{\n  return 0;\n}\n" end
    local path = ("file%03d.c"):format(number)
    write(dir .. "/" .. path, table.concat(text))
    sources[number] = path
  end)
  return sources
end

local cxx_namespaces = { "compiler", "engine", "storage", "network", "runtime", "detail", "graphics",
                         "transport" }
local cxx_templates = { -- name and number of parameters
  { "vector", 2 }, { "map", 4 }, { "pair", 2 }, { "list", 1 }, { "optional", 1 }, { "allocator", 1 },
  { "compare", 1 }, { "function", 3 }, { "hash_table", 4 }, { "unique_ptr", 2 },
}
local cxx_types = { "int", "char", "unsigned long", "double", "bool", "const char *" }

--- The declarations that all C++ types are made of; none is ever completed.
local function cxx_prelude()
  local text = {}
  for _, space in ipairs(cxx_namespaces) do
    text[#text + 1] = "namespace " .. space .. " {\n"
    for _, template in ipairs(cxx_templates) do
      text[#text + 1] = "template <" .. ("class, "):rep(template[2] - 1) .. "class> struct "
                        .. template[1] .. ";\n"
    end
    text[#text + 1] = "}\n"
  end
  return table.concat(text)
end

--- A type, made of templates nested at most so deep.
local function cxx_type(depth)
  if depth == 0 then return pick(cxx_types) end
  local template, arguments = pick(cxx_templates), {}
  for i = 1, template[2] do arguments[i] = cxx_type(random(0, depth - 1)) end
  return "::" .. pick(cxx_namespaces) .. "::" .. template[1] .. "<" .. table.concat(arguments, ", ") .. ">"
end

--- Parameter types that make a signature about so many characters long.
local function cxx_parameters(length)
  local types, total = {}, 0
  while total < length do
    local one = cxx_type(random(3))
    if total == 0 and #one > 10 or total + #one <= length * 1.1 then
      types[#types + 1] = one .. (random() < 0.5 and " *" or " &")
      total = total + #one + 4
    elseif length - total < 40 then
      break
    end
  end
  return types
end

languages["c++"] = function(dir, options)
  local sources, prelude = {}, cxx_prelude()
  each_file(options, function(number, first, last)
    local text = { prelude }
    for i = first, last do
      local outer, inner = pick(cxx_namespaces), pick(cxx_namespaces)
      local name, parameters = function_name(i), cxx_parameters(random(100, 330))
      local list = table.concat(parameters, ", ")
      text[#text + 1] = "\nnamespace " .. outer .. " { namespace " .. inner .. " {\n"
      local body = pick(bodies):format("int")  -- a conversion where C calls the next function
      if random() < options.statics then
        if random() < 0.5 then
          text[#text + 1] = ("__attribute__((used)) static int %s(int x, %s)\n%s"):format(name, list, body)
        else
          text[#text + 1] = ("namespace {\n__attribute__((used)) int %s(int x, %s)\n%s}\n")
            :format(name, list, body)
        end
      elseif random() < 0.5 and #list < 160 then  -- a template's instance names its types twice
        local variables, formals = {}, {}
        for k = 1, #parameters do
          variables[k] = "class T" .. k
          formals[k] = "T" .. k .. parameters[k]:sub(-2)
        end
        text[#text + 1] = ("template <%s>\nint %s(int x, %s)\n%stemplate int %s(int, %s);\n"):format(
          table.concat(variables, ", "), name, table.concat(formals, ", "), body, name, list)
      else
        text[#text + 1] = ("int %s(int x, %s)\n%s"):format(name, list, body)
      end
      text[#text + 1] = "} }\n"
    end
    if number == 1 then text[#text + 1] = "\nint main()\n{\n  return 0;\n}\n" end
    local path = ("file%03d.cc"):format(number)
    write(dir .. "/" .. path, table.concat(text))
    sources[number] = path
  end)
  return sources
end

--- Functions that are but a label and a return: as quick to make as symbols can be.
function languages.labels(dir, options)
  local sources = {}
  each_file(options, function(number, first, last)
    local path = ("file%03d.s"):format(number)
    local file = assert(io.open(dir .. "/" .. path, "wb"))
    file:write('\t.section .note.GNU-stack,"",%progbits\n\t.text\n')
    if number == 1 then file:write("\t.globl main\n\t.type main, %function\nmain:\n\tnop\n\tret\n") end
    for i = first, last do
      local name = function_name(i)
      if random() >= options.statics then file:write("\t.globl ", name, "\n") end
      file:write("\t.type ", name, ", %function\n", name, ":\n\tnop\n\tret\n")
    end
    assert(file:close())
    sources[number] = path
  end)
  return sources
end

----------------------------------------------------------------------------------------------------
-- The image
----------------------------------------------------------------------------------------------------

--- Compiles and links the sources; the objects are removed again.
local function compile(dir, sources, options)
  local compiler = options.language == "c++" and "g++" or "gcc"
  local position = options.pie and "-fpie" or "-fno-pie"
  local flags = (options.language == "labels" and "" or "-O0 -pg -w ") .. (options.debug and "-g" or "")
  local inside = "cd " .. quote(dir) .. " && "
  write(dir .. "/sources", table.concat(sources, "\n"), "\n")
  run(inside .. ("xargs -P %d -n 1 %s %s %s -c < sources"):format(options.jobs, compiler, flags, position))
  local objects = {}
  for i, source in ipairs(sources) do objects[i] = source:gsub("%.%w+$", ".o") end
  write(dir .. "/objects", table.concat(objects, "\n"), "\n")
  run(inside .. ("%s -pg %s -o program @objects"):format(compiler, options.pie and "-pie" or "-no-pie"))
  run(inside .. "rm -f objects sources *.o" .. (options.debug and "" or " *.c *.cc *.s"))
  return dir .. "/program"
end

--- Our functions and the range of the text, by what `nm` says.
-- @treturn {{address=,size=},...} in order of addresses
-- @treturn integer the first address that glibc would profile
-- @treturn integer the first behind
local function functions_of(image)
  local nm <close> = assert(io.popen("nm -n " .. quote(image)))
  local functions, low, high = {}, nil, nil
  local open  -- the function that the next address ends
  for line in nm:lines() do
    local hex, class, name = line:match("^(%x+) (%a) (%S+)")
    if hex then
      local address = tonumber(hex, 16)
      if name == "__executable_start" then low = address end
      if name == "etext" then high = address end
      if open and address > open.address then
        open.size = address - open.address
        open = nil
      end
      if class:find("[TtW]") and name:find(name_pattern)
        and not (functions[1] and functions[#functions].address == address) then
        open = { address = address }
        functions[#functions + 1] = open
      end
    end
  end
  assert(functions[1] and low and high, "nm tells no functions of " .. image)
  return functions, low & -4, (high + 3) & -4
end

----------------------------------------------------------------------------------------------------
-- The call graph: each shape calls `arc(caller, callee, count)`, both numbers of functions
----------------------------------------------------------------------------------------------------

local shapes = {}

--- Layers, as programs have them: who is called is called by one to many functions, mostly of the
-- layer above; some recursion, some pairs that call each other, and some code that never runs.
function shapes.program(n, arc, ran, density)
  local layers = math.min(24, n)
  local order = {}
  for i = 1, n do
    local j = random(i)
    order[i] = order[j]
    order[j] = i
  end
  local above = { order[1] }  -- the functions of the layers above that run
  local last_layer = 1        -- where in `above` the latest layer begins
  for layer = 2, layers do
    local size_before = #above
    for place = n * (layer - 2) // (layers - 1) + 1, n * (layer - 1) // (layers - 1) do
      local callee = order[place]
      if place > 1 and random() < ran then
        for _ = 1, density * long_tail(500, 0.8) do
          local first = random() < 0.8 and last_layer or 1
          arc(above[random(first, size_before)], callee, long_tail(1000000, 2.5))
        end
        if random() < 0.02 then arc(callee, callee, long_tail(1000, 1.5)) end
        if random() < 0.01 then
          arc(callee, above[#above], 1)
          arc(above[#above], callee, 1)
        end
        above[#above + 1] = callee
      end
    end
    last_layer = size_before + 1
  end
end

--- One function calls all others.
function shapes.callees(n, arc)
  for i = 2, n do arc(1, i, long_tail(1000000, 2.5)) end
end

--- All functions call one.
function shapes.callers(n, arc)
  for i = 2, n do arc(i, 1, long_tail(1000000, 2.5)) end
end

--- Each function calls the next.
function shapes.chain(n, arc)
  for i = 2, n do arc(i - 1, i, i) end
end

----------------------------------------------------------------------------------------------------
-- The profile
----------------------------------------------------------------------------------------------------

--- Made-up samples in half of the functions that ran.
-- @treturn table as `gmon.magic` takes a histogram
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

--- A made-up call graph, as `gmon.magic` takes arcs, behind the first of `records`.
local function add_arcs(records, functions, options)
  shapes[options.shape](#functions, function(caller, callee, count)
    local f = functions[caller]
    records[#records + 1] = { kind = "arc", from = f.address + random(math.max(f.size - 1, 1)),
                              self = functions[callee].address, count = count }
  end, options.ran, options.density)
end

--- Another run of the same program: other samples, and calls of another number along most arcs.
local function another(records, functions, options)
  local first = records[1]
  local new = { sample(functions, first.low, first.high, options) }
  for i = 2, #records do
    if random() < 0.98 then
      new[#new + 1] = setmetatable({ count = long_tail(1000000, 2.5) }, { __index = records[i] })
    end
  end
  return new
end

--- The path of the i-th profile in a directory.
local function profile_path(dir, i)
  return i == 1 and dir .. "/gmon.out" or ("%s/gmon.%04d"):format(dir, i)
end

--- Writes made-up profiles of an image.
local function write_profiles(image, dir, options)
  local gmon = require "support.gmon"
  local functions, low, high = functions_of(image)
  local records = { sample(functions, low, high, options) }
  add_arcs(records, functions, options)
  for i = 1, options.profiles do
    local run_records = i == 1 and records or another(records, functions, options)
    write(profile_path(dir, i), gmon.magic { pointer = 8, big = false, records = run_records })
  end
end

--- Makes a program and its profile in a directory of their own, unless it holds them already.
-- @tparam string dir made where it is not there, emptied where it holds something else
-- @tparam[opt] table options any of `generate.defaults`
-- @treturn string path of the image
-- @treturn string path of the profile, or an array of paths if there are several
function generate.build(dir, options)
  local all = {}
  for key in pairs(options or {}) do
    if generate.defaults[key] == nil then error("no such option: " .. key, 2) end
  end
  local recipe = {}
  for key, default in pairs(generate.defaults) do
    local value = options and options[key]
    if value == nil then value = default end
    all[key] = value
    if key ~= "jobs" then recipe[#recipe + 1] = ("%s = %s\n"):format(key, value) end
  end
  if not languages[all.language] then error("no such language: " .. all.language, 2) end
  if not shapes[all.shape] then error("no such shape: " .. all.shape, 2) end
  table.sort(recipe)
  recipe[#recipe + 1] = ("generator = %x\n"):format(checksum(assert(shell.read(self_path))))
  shell.cached(dir, table.concat(recipe), function()
    math.randomseed(all.seed)
    local image = compile(dir, languages[all.language](dir, all), all)
    write_profiles(image, dir, all)
  end)
  local paths = {}
  for i = 1, all.profiles do paths[i] = profile_path(dir, i) end
  return dir .. "/program", #paths == 1 and paths[1] or paths
end

----------------------------------------------------------------------------------------------------
-- The command
----------------------------------------------------------------------------------------------------

local usage = [[
usage: lua5.4 bench/generate.lua [options] DIRECTORY

Makes DIRECTORY/program and DIRECTORY/gmon.out, a made-up profile of it, and tells their names.

  --functions=N       how many functions (1000)
  --files=N           source files to spread them over (1)
  --language=NAME     c, c++ (names of 100 to 400 characters) or labels (assembler) (c)
  --debug             compile with -g
  --statics=SHARE     share of static functions, 0 to 1 (0.33)
  --ran=SHARE         share of functions that ran, 0 to 1 (0.85)
  --density=N         calls in a graph of shape program: N times the usual (1)
  --shape=NAME        call graph: program, callees (one function calls all others),
                      callers (all others call one), chain (program)
  --pie               make the program position-independent
  --profiles=N        of as many runs, the others in DIRECTORY/gmon.NNNN (1)
  --seed=N            of the random sequence (1)
  --jobs=N            compilers running at once (2)
]]

--- Reads the command's arguments; nil and a message if they make no sense.
local function parse(arguments)
  local options, dir = {}, nil
  for _, argument in ipairs(arguments) do
    local key, value = argument:match("^%-%-(%l+)=?(.*)$")
    local default = generate.defaults[key]
    if not key then
      if dir then return nil, "more than one directory" end
      dir = argument
    elseif default == nil then
      return nil, "no such option: " .. argument
    elseif type(default) == "boolean" then
      options[key] = true
    elseif type(default) == "string" then
      options[key] = value
    else
      local fraction = key == "statics" or key == "ran" or key == "density"
      options[key] = fraction and tonumber(value) or math.tointeger(tonumber(value))
      if not options[key] then return nil, argument .. ": not a number" end
    end
  end
  if not dir then return nil, "no directory" end
  return dir, options
end

if not as_module then
  if arg[1] == "--help" then
    io.write(usage)
    os.exit(0)
  end
  local dir, options = parse(arg)
  if not dir then
    io.stderr:write("generate: ", options, "\n", usage)
    os.exit(1)
  end
  local made, image, gmon = pcall(generate.build, dir, options)
  if not made then
    io.stderr:write("generate: ", image, "\n")
    os.exit(1)
  end
  print(image, type(gmon) == "table" and table.concat(gmon, "\t") or gmon)
end

return generate
