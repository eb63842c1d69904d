-- No cost is quadratic: four times the input takes about four times the work, in each dimension of the input. Work is
-- counted in instructions, which do not depend on the machine's load.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- The limits apply to the ordinary interpreter. Under coverage, the hook would dominate the count.
if os.getenv "GPROF_LUA" or os.getenv "GPROF_COVERAGE" then return end

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local dwarf = require "support.dwarf"
local gmon = require "support.gmon"
local row = require "support.row"
local shell = require "support.shell"
local stacks = require "support.context_stacks"
local work = require "support.work"

-- With four times the input, linear growth is a factor of four, to which sorting adds a little. Quadratic growth would
-- be a factor of sixteen.
local TIMES <const>, MOST <const> = 4, 6

local arc <const>, histogram <const>, profile <const> = row.arc, row.histogram, row.profile

-- What is measured --------------------------------------------------------------------------------------------------

-- Returns an array of strings as Lua text.
local function array(...)
  local words = {}
  for i, word in ipairs { ... } do
    words[i] = ("%q"):format(word)
  end
  return "{" .. table.concat(words, ",") .. "}"
end

-- Returns a chunk of Lua that runs the program.
local function running(...)
  return "run(table.unpack " .. array(...) .. ")"
end

-- Returns a chunk of Lua that runs the program, which must fail.
local function failing(...)
  return "assert(require 'gprof.cli.main'.run(" .. array(...) .. ") == 1)"
end

-- Returns a chunk of Lua that makes a profile and runs `text`. `options` is Lua text, too.
local function making(image, file, options, text)
  return ([[
    local image = gprof.image(%q)
    local profile = assert(gprof.profile(image, gprof.data(image, %q), { %s }))
    %s
  ]]):format(image, file, options or "", text or "")
end

-- Returns an array of the results of make(1) to make(n).
local function list(n, make)
  local made = {}
  for i = 1, n do
    made[i] = make(i)
  end
  return made
end

-- Returns the path of an image, which several measurements share.
local plain = {}
local function image(n)
  plain[n] = plain[n] or row.image(n)
  return plain[n]
end

-- Writes the profile of a chain: each of the functions 0 to n - 1 calls the next one and has a sample.
local function chain(n)
  local records = list(n, function(i) return arc(i - 1, i, i) end)
  table.insert(records, histogram(0, n))
  return profile(records)
end

-- The measurements: { name, n, function that makes the chunk for a size }. `make check-all` takes the size n; `make
-- test` takes a quarter of it, unless only the `whole` size is large enough.
local dimensions = {}
local function dimension(name, n, make, whole)
  table.insert(dimensions, { name = name, n = (whole or chance.thorough) and n or n // 4, make = make })
end

-- Functions and calls -----------------------------------------------------------------------------------------------

-- Shapes of call graphs: functions that return the arcs for a size.
local graphs <const> = {
  { "arcs between few functions", function(n)
    return list(n, function(i) return arc(i % 64, i // 64, i) end)
  end },
  { "callees of a function", function(n)
    return list(n, function(i) return arc(0, i, i) end)
  end },
  { "callers of a function", function(n)
    return list(n, function(i) return arc(i, 0, i) end)
  end },
  { "functions in a chain", function(n)
    return list(n, function(i) return arc(i - 1, i, i) end)
  end },
  { "members of a cycle", function(n)
    return list(n, function(i) return arc(i, i % n + 1, i) end)
  end },
  { "calls back in a cycle", function(n)
    return list(2 * n, function(i) return i <= n and arc(i - 1, i, i) or arc(i - n, (i - n) // 2, 1) end)
  end },
  { "cycles", function(n)
    return list(n, function(i) return arc(i, (i - 1 ~ 1) + 1, i) end)
  end },
}

-- The graphs are measured without printing: it takes much more work, and would hide quadratic growth in making a
-- profile.
for _, graph in ipairs(graphs) do
  local name, arcs = graph[1], graph[2]
  dimension(name, 1600, function(n)
    return making(image(n), profile(arcs(n)))
  end)
  dimension(name .. ", printed", 200, function(n)
    return running("-b", "-q", image(n), profile(arcs(n)))
  end)
end

-- Bounds of inclusive times, of the same graphs. Every function has a sample. Functions are few instructions, because
-- decoding would hide the growth of other work. The histogram is larger than the code, so that the table of arcs is not
-- taken to be full.
local short = {}
local function short_image(n)
  short[n] = short[n] or row.image(n, function() return (".nops %d, %d"):format(row.SIZE, 9) end)
  return short[n]
end

for _, graph in ipairs(graphs) do
  local name, arcs = graph[1], graph[2]
  dimension(name .. ", with bounds", 1600, function(n)
    local records = arcs(n)
    for _, record in ipairs(records) do record.from = record.from - 3 end
    local samples = row.histogram(0, 10 * n)
    for i = n + 2, samples.bins.n do samples.bins[i] = nil end
    table.insert(records, samples)
    return making(short_image(n), profile(records), "bounds = true", "assert(profile.has_bounds)")
  end)
end

-- Shapes of call paths: functions that return stacks for a size and the names of as many functions.
local paths <const> = {
  { "call paths", function(n, names)
    return list(n, function(i) return { names[1], names[i], names[(7 * i) % n + 1], ticks = i } end)
  end },
  { "functions of a call path", function(_, names)
    return { table.move(names, 1, #names, 1, { ticks = 1 }) }
  end },
}

for _, shape in ipairs(paths) do
  local name, stacks_of = shape[1], shape[2]
  local function files(n)
    local names = list(n, function(i) return ("f%05d"):format(i) end)
    local path = gmon.write(shell.tmpdir "paths" .. "/gmon.out.ctx", stacks.pack(names, stacks_of(n, names)))
    return crafted.image { functions = names }, path
  end
  dimension(name, 600, function(n) return making(files(n)) end)
  dimension(name .. ", exported", 200, function(n) return running("--export=folded", files(n)) end)
  dimension(name .. ", as a tree", 200, function(n)
    local path, file = files(n)
    return making(path, file, "", "require 'gprof.analysis.call_tree'.of(profile)")
  end)
end

-- A stack counts once for each of the functions at which the tree begins, so stacks are short here.
dimension("functions at which a call tree begins", 2000, function(n)
  local names, ids = list(n, function(i) return ("f%05d"):format(i) end), {}
  local path = gmon.write(shell.tmpdir "paths" .. "/gmon.out.ctx", stacks.pack(names, paths[1][2](n, names)))
  for i = 1, n do ids[i] = i end
  return making(crafted.image { functions = names }, path, "",
    ("require 'gprof.analysis.call_tree'.of(profile, { from = { %s } })"):format(table.concat(ids, ",")))
end, true)

dimension("symbols", 1000, function(n)
  return running("-b", image(n), profile { arc(0, 1, 1), histogram(0, 1) })
end)

dimension("functions with samples", 300, function(n)
  return running("-b", "-p", image(n), profile { histogram(0, n) })
end)

dimension("places that a function is called from", 2000, function(n)
  return running("-i", image(1), profile(list(n, function(i)
    return { kind = "arc", from = row.address(0) + i, self = row.address(2) - 1, count = 1 }
  end)))
end)

-- The number of slides that put these callees at function entries equals the number of functions. Only a limited number
-- of slides is examined closely; from this size on, the limit is reached.
dimension("callees of a moved profile", 8000, function(n)
  local far = 0x10000000
  local file = profile(list(n // 2, function(i)
    local callee = row.address(n // 4 + i) + far
    return { kind = "arc", from = callee, self = callee, count = 1 }
  end))
  return ([[
    assert(not gprof.data(gprof.image(%q), %q, { slide = "auto" }))
  ]]):format(image(n), file)
end, true)

-- Computes the core's hash of the first half of a key, but without the core's random seed: the hash that an attacker
-- could compute.
local function spread(h)
  h = (h ~ h >> 33) * 0xff51afd7ed558ccd
  h = (h ~ h >> 33) * 0xc4ceb9fe1a85ec53
  return h ~ h >> 33
end

dimension("arcs made to have one hash", 2000, function(n)
  return running("-i", image(1), profile(list(n, function(i)
    return { kind = "arc", from = i, self = spread(i) ~ 1, count = 1 }
  end)))
end)

local function offset(i) return 64 * i end

-- Makes a library compiled with -pg, with functions of one size. Returns its path.
local function library_image(n)
  return build.craft { address = row.BASE, text = offset(n), import = "mcount",
    symbols = list(n, function(i) return { row.name(i - 1), offset(i - 1) } end) }
end

-- Returns a chunk that merges a program with a library of n functions. The library records outside(i)
-- calls of function i from outside; the program makes own(i) of them.
local function calling_library(large, n, outside, own, text)
  local arcs = list(n, function(i) return { 0, offset(i), outside(i) } end)
  local companion = gmon.write(shell.tmpdir() .. "/library.profile", gmon.shared {
    low = row.BASE, high = row.BASE + offset(n + 1), bins = { n = offset(n + 1) // 4 }, arcs = arcs })
  local calls = list(n, function(i)
    return { kind = "arc", from = row.BASE + 4, self = 0x7f0000000009 + row.BASE + offset(i), count = own(i) }
  end)
  return making(large, profile(calls), ([[with = {
    { image = image, data = assert(gprof.data(image, %q)), name = "library" },
  }]]):format(companion), text)
end

-- Returns a library with more functions than any of these dimensions uses.
local library_of_8000
local function large_library()
  library_of_8000 = library_of_8000 or library_image(8002)
  return library_of_8000
end

-- All calls to the library come from the program, and each function has its own number of calls.
dimension("functions of a library that a program calls", 1000, function(n)
  local function count(i) return 1 + i * i % 97 end
  return calling_library(large_library(), n, count, count, [[
    assert(profile:find "f0000000":callees "count"().callee.name:find "library")
  ]])
end)

-- The recorded calls are consistent with every load address of the library.
dimension("functions of a library that fits everywhere", 2000, function(n)
  return calling_library(large_library(), n, function() return 1000 end, function() return 1 end, [[
    assert(profile:find "<outside>@library".children == 0)
  ]])
end)

-- Names -------------------------------------------------------------------------------------------------------------

-- Makes an image of functions with these names and equal sizes. `flags` are as for `build.craft`.
local function named(names, flags)
  local symbols = {}
  for i, name in ipairs(names) do
    table.insert(symbols, { name, (i - 1) * row.SIZE, flags })
  end
  return build.craft { address = row.BASE, text = #names * row.SIZE, symbols = symbols }
end

-- Returns an image of static functions, every second one with the same name, and the profile of a chain of calls.
local function equals(n)
  local names = list(2 * n, function(i) return i % 2 == 0 and "same" or row.name(i) end)
  return named(names, "function,local"), chain(2 * n - 1)
end

dimension("functions of one name", 1200, function(n)
  return ("assert(gprof.image(%q):find 'same')"):format((equals(n)))
end)

for _, options in ipairs { 'include = { graph = { "same" } }', 'exclude = { arcs = { "same/same" } }' } do
  dimension("functions of one name, with " .. options, 400, function(n)
    local path, file = equals(n)
    return making(path, file, options)
  end)
  dimension("functions of one name, under GNU gprof's rules with " .. options, 400, function(n)
    local path, file = equals(n)
    return making(path, file, "gnu_compat = true, " .. options)
  end)
end

dimension("cold parts of functions", 1000, function(n)
  local names = list(n, function(i) return row.name(i // 2) .. (i % 2 == 1 and ".cold" or "") end)
  return running("-b", named(names), profile { histogram(0, 0) })
end)

dimension("symbols at one address", 1000, function(n)
  local symbols = list(n, function(i) return { row.name(i), 0 } end)
  return running("-b", build.craft { address = row.BASE, text = row.SIZE, symbols = symbols },
    profile { histogram(0, 0) })
end)

dimension("parameters of a C++ function", 80, function(n)
  local names = list(40, function(i) return ("_Z%d%s"):format(8, row.name(i)) .. ("i"):rep(n) end)
  return running("-b", named(names), profile { histogram(0, 39) })
end)

dimension("symbols of a symbol file", 1000, function(n)
  local lines = list(n, function(i) return ("%x T %s\n"):format(row.address(i), row.name(i)) end)
  local file = shell.write(shell.tmpdir() .. "/symbols", table.concat(lines))
  return running("-b", "-S", file, image(1), profile { histogram(0, n) })
end)

-- Histograms --------------------------------------------------------------------------------------------------------

-- Returns n histograms of two functions each.
local function histograms(n)
  return list(n, function(i) return histogram(2 * i, 2 * i + 1) end)
end

dimension("histograms", 200, function(n)
  return running("-b", "-p", image(1600), profile(histograms(n)))
end, true)

dimension("histograms, the last one first", 4000, function(n)
  local records = histograms(n)
  table.sort(records, function(a, b) return a.low > b.low end)
  return running("-i", image(1), profile(records))
end)

dimension("histograms under --gnu-compat -c", 100, function(n)
  return running("-b", "-c", "--gnu-compat", image(800), profile(histograms(n)))
end)

dimension("bins of a histogram", 4000, function(n)
  local low = row.address(0)
  return making(image(1000), profile {
    { kind = "histogram", low = low, high = low + 2 * n, bins = list(n, function(i) return i % 7 end) } })
end)

-- Several files, and sums -------------------------------------------------------------------------------------------

dimension("files that are summed", 200, function(n)
  local file = profile { arc(0, 1, 1), histogram(0, 1, { [0] = 1000 }) }
  return running("-s", "-i", "--sum-file=sum", image(1), table.unpack(list(n, function() return file end)))
end)

dimension("options between operands", 800, function(n)
  local file, words = profile { arc(0, 1, 1), histogram(0, 1) }, { "-b", image(1) }
  for _ = 1, n do
    table.insert(words, "-z")
    table.insert(words, file)
  end
  return running(table.unpack(words))
end)

dimension("data that are merged", 300, function(n)
  local records = histograms(n)
  for i = 1, n do
    table.insert(records, arc(i, i + 1, i))
    table.insert(records, { kind = "blocks", { row.address(i), i } })
  end
  return ([[
    local image = gprof.image(%q)
    local data, more = gprof.data.new { image = image }, gprof.data(image, %q)
    for _ = 1, 3 do assert(data:merge(more)) end
    assert(data:write "sum")
  ]]):format(image(1), profile(records))
end)

dimension("records that are made", 300, function(n)
  return ([[
    local data = gprof.data.new()
    for i = %d, 1, -1 do
      data:add_histogram { low = 64 * i, high = 64 * i + 64, bins = { i }, bin_count = 16 }
      data:add_arc(i, i + 1, 1)
      data:add_block(i, 1)
    end
  ]]):format(n)
end)

-- Lines of source ---------------------------------------------------------------------------------------------------

-- Writes a source file with this number of lines; returns its path.
local function source(path, lines)
  return shell.write(path, ("x\n"):rep(lines))
end

-- Returns the assembler text of one byte of code from a line of a file.
local function line(file, number)
  return (".loc %d %d\n.byte 0x90"):format(file, number)
end

-- Makes an image with each function in its own file.
local function in_files(n)
  local dir = shell.tmpdir "sources"
  return row.image(n, function(i)
    local path = source(("%s/%d.c"):format(dir, i), 3)
    return ('.file %d "%s"\n'):format(i + 1, path) .. line(i + 1, 2) .. "\n" .. line(i + 1, 3) .. "\n.skip 14"
  end)
end

-- Makes an image whose function 0 has n lines of one file, with one byte of code each.
local function in_lines(n)
  local path = source(shell.tmpdir "source" .. "/long.c", n)
  return row.image(0, function(i)
    return i > 0 and line(1, n) or
      ('.file 1 "%s"\n'):format(path) .. table.concat(list(n, function(number) return line(1, number) end), "\n")
  end)
end

for _, options in ipairs { "-p", "-l", "-lC", "-lA" } do
  dimension("source files, with " .. options, 80, function(n)
    return running("-b", options, "--inline-file-names", in_files(n), chain(n))
  end, true)
end

dimension("source files, by line", 100, function(n)
  return making(in_files(n), chain(n), "line = true")
end)

-- Returns a histogram with a sample in each of the first n bytes of function 0.
local function samples(n)
  local low = row.address(0)
  return { kind = "histogram", low = low, high = low + 2 * (n // 2), bins = list(n // 2, function() return 1 end) }
end

for _, options in ipairs { "line = true", 'line = "all"', "line = true, gnu_compat = true" } do
  dimension("lines of a function, with " .. options, 1000, function(n)
    return making(in_lines(n), profile { samples(n) }, options)
  end)
end

for _, options in ipairs { "-lp", "-lA", "-lxA" } do
  dimension("lines of a function, with " .. options, 150, function(n)
    return running("-b", options, in_lines(n), profile { samples(n) })
  end)
end

dimension("functions in one line", 800, function(n)
  local path = source(shell.tmpdir "source" .. "/one.c", 1)
  local made = row.image(n, function(i)
    return (i == 0 and ('.file 1 "%s"\n'):format(path) or "") .. line(1, 1) .. "\n.skip 15"
  end)
  return running("-b", "--lines=3", made, profile { histogram(0, n) })
end)

dimension("lines of a text without code", 2000, function(n)
  local path = source(shell.tmpdir "source" .. "/long.c", n)
  local made = row.image(0, function() return ('.file 1 "%s"\n'):format(path) .. line(1, 1) end)
  return running("-b", "-A", "-z", made, profile { arc(0, 0, 1) })
end)

dimension("line tables' sequences", 200, function(n)
  local made = row.image(n, function(i)
    return (".section .text.%d,\"ax\"\n.nops %d"):format(i, row.SIZE)
  end)
  return running("-b", "-l", made, profile { histogram(0, n) })
end)

-- Adds compilation units, { low, high, rows } each, to an image. `rows` is the line number program after the
-- instruction that sets the address to `low`.
local function add_units(path, units)
  local dir, info, tables = shell.tmpdir "units", {}, {}
  local abbrev = "\1\17\0" .. "\16\23" .. "\17\1" .. "\18\1" .. "\0\0\0"
  local header = "\1\1\1\251\14\13\0\1\1\1\1\0\0\0\1\0\0\1" .. "\0" .. "a.c\0\0\0\0" .. "\0"
  local length = 0
  for i, unit in ipairs(units) do
    local low, high, rows = table.unpack(unit)
    local program = "\0\9\2" .. ("<I8"):pack(low) .. rows .. "\0\1\1"
    local body = "\4\0" .. ("<s4"):pack(header) .. program
    tables[i] = ("<s4"):pack(body)
    info[i] = ("<s4"):pack(("<I2I4BBI4I8I8"):pack(4, 0, 8, 1, length, low, high))
    length = length + #tables[i]
  end
  shell.write(dir .. "/info", table.concat(info))
  shell.write(dir .. "/line", table.concat(tables))
  shell.write(dir .. "/abbrev", abbrev)
  shell.check({ "objcopy", "--add-section=.debug_info=info", "--add-section=.debug_line=line",
    "--add-section=.debug_abbrev=abbrev", path, "image" }, { cwd = dir })
  return dir .. "/image"
end

-- Makes an image of compilation units whose line tables all cover the same function. `place` gives the start of each
-- sequence.
local function with_units(n, place)
  local high = row.address(1)
  return add_units(image(1), list(n, function(i)
    local low = place(i)
    return { low, high, "\1" .. "\2" .. string.char(high - low) }
  end))
end

-- libbfd looks for the name of each line's function among all symbols that it is given.
dimension("functions at one address, by line", 200, function(n)
  local NEXT_LINE = "!"  -- the special opcode for the next line and address
  local symbols = list(n, function(i) return { row.name(i), 0 } end)
  local crowd = build.craft { address = row.BASE, text = n, symbols = symbols }
  return making(add_units(crowd, { { row.BASE, row.BASE + n, "\1" .. NEXT_LINE:rep(n - 1) .. "\2\1" } }),
    profile { samples(n) }, 'line = "all"')
end)

dimension("units that tell the same of a function", 300, function(n)
  return running("-b", "-l", with_units(n, function() return row.address(0) end),
    profile { histogram(0, 0) })
end)

dimension("units that tell of more and more of a function", 300, function(n)
  return running("-b", "-l", with_units(n, function(i) return row.address(0) + i % 15 end),
    profile { histogram(0, 0) })
end)

dimension("rows of line tables, one by one", 2000, function(n)
  return ("for address, file, line in assert(gprof.image(%q)):lines() do end"):format(in_lines(n))
end)

dimension("blocks", 100, function(n)
  local blocks = list(n, function(i) return { row.address(0) + i - 1, i } end)
  blocks.kind = "blocks"
  return running("-b", "-l", "-C", "-A", in_lines(n), profile { blocks })
end)

-- Symspecs ----------------------------------------------------------------------------------------------------------

-- The program for symspecs: functions of a few files; each calls the next.
local selected = row.image(20, function(i)
  local file = i % 4 + 1
  return (i < 4 and ('.file %d "%d.c"\n'):format(file, file) or "") .. line(file, i + 1) .. "\n.skip 15"
end)
local selected_profile = chain(20)

-- Symspecs of every kind: names, lines, files, and both. Each matches something: the functions k from 1 to 20 are at
-- line k of the file (k - 1) % 4 + 1.
local kinds <const> = {
  function(_, k) return row.name(k) end, function(file, k) return ("%d.c:%d"):format(file, k) end,
  function(_, k) return ":" .. k end, function(file, k) return ("%d.c:%s"):format(file, row.name(k)) end,
  function(file) return file .. ".c" end,
}

local function symspec(i)
  return kinds[i % #kinds + 1](i % 4 + 1, i % 20 + 1)
end

for letter in ("pPqQCZAJeEfFnNk"):gmatch "." do
  for _, more in ipairs { "-b", "--gnu-compat" } do
    dimension(("symspecs of -%s with %s"):format(letter, more), 100, function(n)
      -- -k takes calls: each selected function is called in the profile.
      local words = list(n, function(i)
        return "-" .. letter .. (letter == "k" and "/" or "") .. symspec(i)
      end)
      return running(more, selected, selected_profile, table.unpack(words))
    end)
  end
end

local function missing(n)
  return table.unpack(list(n, function(i) return "-pmissing" .. i end))
end

dimension("symspecs that match nothing, with --gnu-compat", 100, function(n)
  return running("--gnu-compat", selected, selected_profile, missing(n))
end)

dimension("symspecs that match nothing, which is an error", 100, function(n)
  return failing(selected, selected_profile, missing(n))
end)

dimension("symspecs that are looked up", 100, function(n)
  return making(selected, selected_profile, "", ([[
    for i = 1, %d do
      profile:find(("f%%07d"):format(i %% 20))
      profile:find(i .. ".c")
    end
  ]]):format(n))
end)

-- Static calls, and sort orders ------------------------------------------------------------------------------------

-- Makes an image of functions that consist of calls to the following functions.
local function calling(n)
  local call = "\xe8"
  local text, symbols = {}, {}
  for i = 0, n - 1 do
    symbols[i + 1] = { row.name(i), row.SIZE * i }
    text[i + 1] = ("<c1i4c1i4c6"):pack(call, row.SIZE * (i < n - 1 and 1 or 0) - 5, call,
      row.SIZE * (i < n - 2 and 2 or 0) - 10, ("\x90"):rep(6))
  end
  return build.craft { address = row.BASE, text = table.concat(text), symbols = symbols }
end

for _, more in ipairs { "-b", "--gnu-compat" } do
  dimension("calls in the code, with " .. more, 80, function(n)
    return running(more, "-c", "-q", calling(n), profile { arc(0, 1, 1), histogram(0, n - 1) })
  end)
  dimension("functions in an order, with " .. more, 400, function(n)
    return running(more, "-r", image(n), profile(list(n, function(i) return arc(i // 2, i, i * 7 % 11) end)))
  end)
  dimension("lines of a map, with " .. more, 400, function(n)
    local lines = list(n, function(i) return ("o%d.o:%x T %s\n"):format(i // 3, row.address(i), row.name(i)) end)
    local map = shell.write(shell.tmpdir() .. "/map", table.concat(lines))
    return running(more, "-R", map, image(n), profile(list(n, function(i) return arc(i // 2, i, i) end)))
  end)
end

-- The highest bit of a word survives a multiplication. So the bits that are changed here, in two words of eight bytes,
-- would cancel each other in a hash that multiplies each word once, whatever its seed is.
dimension("names made to have one hash", 800, function(n)
  local function name(i)
    local words = list(12, function(bit)
      return i >> (bit - 1) & 1 == 1 and "aaaaaaa\xe1aaa\xe1aaa\xe1" or ("a"):rep(16)
    end)
    return table.concat(words)
  end
  local lines = list(n, function(i) return ("o.o:%x T %s\n"):format(row.address(i), name(i)) end)
  local map = shell.write(shell.tmpdir() .. "/map", table.concat(lines))
  return running("-b", "-R", map, image(1), profile { arc(0, 1, 1) })
end)

dimension("hot functions in an order", 200, function(n)
  local records = {}
  for i = 1, n do
    for j = 1, 8 do
      table.insert(records, arc((i * j * 31) % n, i // 8, i))
    end
  end
  return running("-r", image(n), profile(records))
end)

dimension("functions that are compared", 400, function(n)
  local old = profile { histogram(0, n), arc(0, n, 1) }
  local new = profile { histogram(0, n, list(n, function(i) return i * 7919 % 1000 end)), arc(0, n, 1) }
  return running("-b", "--compare=" .. old, image(n), new)
end)

dimension("exported profiles that are added up", 40, function(n)
  local built, old = in_files(10), profile { histogram(0, 10), arc(0, 10, 1) }
  local text = shell.check({ "lua5.4", "gprof.lua", "--export=json", built, old }).stdout
  local words = list(n, function(i)
    local elsewhere = text:gsub('"file": "', '"file": "/build' .. i)
    return "--compare=" .. shell.write(shell.tmpdir() .. "/old.json", elsewhere)
  end)
  return running("-b", built, old, table.unpack(words))
end, true)

-- The hint about a profile without samples names the libraries.
dimension("libraries that the image needs", 2000, function(n)
  local dir, DT_NEEDED <const> = shell.tmpdir "libraries", 1
  shell.write(dir .. "/names", "\0liba.so\0")
  shell.write(dir .. "/entries", ("<I8I8"):pack(DT_NEEDED, 1):rep(n))
  shell.check({ "objcopy", "--add-section=.dynamic=entries", "--add-section=.dynstr=names", image(1), "image" },
    { cwd = dir })
  return running("-p", dir .. "/image", profile { histogram(0, 0, { [0] = 0 }) })
end)

dimension("colons in a line of a map", 4000, function(n)
  local map = shell.write(shell.tmpdir() .. "/map", (":"):rep(n) .. "0 T " .. row.name(0) .. "\n")
  return running("-R", map, image(1), profile { arc(0, 1, 1) })
end)

-- The library -------------------------------------------------------------------------------------------------------

for _, order in ipairs { '"children_ticks"', "function(a, b) return a.ticks > b.ticks end" } do
  dimension("functions in the order " .. order, 400, function(n)
    local ticks = list(n, function(i) return i * 7919 % 1000 end)
    return making(image(n), profile { histogram(0, n, ticks) }, "",
      ("for f in profile:functions(%s) do assert(f.name) end"):format(order))
  end)
end

dimension("addresses that are looked up", 1000, function(n)
  return making(selected, selected_profile, "", ([[
    for address = %d, %d, 16 do
      profile:lookup(address)
      image:source(address)
    end
  ]]):format(row.BASE, row.address(n)))
end)

dimension("entries of .debug_info that each claim the code of all functions", 150, function(n)
  local size = row.address(n) - row.BASE
  local code = ("<I8I4"):pack(row.BASE, size)
  local path = dwarf.with_sections({
    debug_info = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. code .. ("\2" .. code):rep(n) .. "\0"),
    debug_abbrev = "\1\17\1\17\1\18\6\0\0" .. "\2\46\0\17\1\18\6\0\0" .. "\0",
  }, image(n))
  return running("-l", "-b", "-p", path, profile { histogram(0, n) })
end)

-- Returns an image of `functions` functions, each in its own unit, with as many entries of inlined code as
-- `entries_of(i)` returns for function i.
local function image_of_units(functions, entries_of)
  local units = {}
  for i = 0, functions - 1 do
    local code = ("<I8I4"):pack(row.address(i), row.SIZE)
    units[i + 1] = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. code .. "\2" .. code ..
      ("\3" .. code):rep(entries_of(i)) .. "\0\0")
  end
  return dwarf.with_sections({ debug_info = table.concat(units), debug_abbrev = "\1\17\1\17\1\18\6\0\0" ..
    "\2\46\1\17\1\18\6\0\0" .. "\3\29\0\17\1\18\6\0\0" .. "\0" }, image(functions))
end

-- Inlined functions are looked up by line, and for profiles in which they are functions.
local inlining <const> = { { "-l", "-b", "-p" }, { "--inlines", "-b", "-p" } }

for _, options in ipairs(inlining) do
  dimension("units with recorded code: " .. options[1], 200, function(n)
    local path = image_of_units(n, function() return 8 end)
    return running(options[1], options[2], options[3], path, profile { histogram(0, n) })
  end)
end

-- Inputs that cost nothing: { name, size, function that makes the chunk for a size }. What was recorded at the end of
-- function 0 may also belong to function 1.
local free = {}
for _, options in ipairs(inlining) do
  local UNITS <const> = 20
  table.insert(free, { "entries of units without recorded code: " .. options[1], 10, function(n)
    local path = image_of_units(UNITS, function(i) return i <= 1 and 10 or n end)
    return running(options[1], options[2], options[3], path, profile { histogram(0, 0) })
  end })
end

-- Names are as long as a file wants. The first part of the expression matches everywhere, the second nowhere.
dimension("bytes of a name that a regular expression does not match", 40000, function(n)
  return ("assert(not core.pattern('regex', 'Shape.*area'):matches(('Shape'):rep(%d)))"):format(n // 5)
end)

dimension("bytes of a name that a glob does not match", 40000, function(n)
  return ("assert(not core.pattern('glob', '*Shape*area'):matches(('Shape'):rep(%d)))"):format(n // 5)
end)

dimension("bytes of a directory", 400000, function(n)
  return ([[
    local path = require "gprof.format.path"
    assert(path.base(("a"):rep(%d) .. "/b") == "b")
    assert(select(2, path.split(("a/"):rep(%d) .. "b")) == "b")
  ]]):format(n, n)
end)

-- The measurement ---------------------------------------------------------------------------------------------------

if not work.countable() then
  return pending "needs valgrind, which counts instructions"
end

dimensions = chance.some(dimensions, 3)

describe("four times the input takes about four times the work:", function()
  -- The size of a tiny input. Its work, measured after all modules have been loaded, is subtracted as fixed cost.
  local LEAST <const> = 4
  local counts

  -- A hundred times of what is free costs as much, within a twentieth.
  local MANY <const>, MORE <const> = 100, 1.05

  setup(function()
    local chunks = {}
    for _, what in ipairs(dimensions) do
      for _, n in ipairs { LEAST, LEAST, what.n, TIMES * what.n } do
        table.insert(chunks, what.make(n))
      end
    end
    for _, what in ipairs(free) do
      for _, n in ipairs { 1, 1, MANY } do table.insert(chunks, what[3](n * what[2])) end
    end
    counts = work.measure(chunks)
  end)

  for i, what in ipairs(free) do
    it("but nothing for " .. what[1], function()
      local once, more = table.unpack(counts, 4 * #dimensions + 3 * i - 1, 4 * #dimensions + 3 * i)
      assert(more < MORE * once, ("%d and then %d instructions"):format(once, more))
    end)
  end

  for i, what in ipairs(dimensions) do
    it(what.name, function()
      local start, once, more = table.unpack(counts, 4 * i - 2, 4 * i)
      local growth = (more - start) / (once - start)
      -- A much smaller factor would mean that the input did not grow.
      assert(growth > TIMES / 2 and growth < MOST,
        ("from %d to %d: %.1f times the work, %d and then %d instructions"):format(
          what.n, TIMES * what.n, growth, once - start, more - start))
    end)
  end
end)
