-- Every reader of foreign bytes keeps the bounds of support.bounds, with the worst inputs that are known.
--
-- GPROF_FAULTS=all prints what was measured.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Sanitizers and coverage change both figures.
if os.getenv "GPROF_LUA" or os.getenv "GPROF_COVERAGE" then return end

local bombs = require "support.bombs"
local bounds = require "support.bounds"
local build = require "support.build"
local chance = require "support.chance"
local contexts = require "support.contexts"
local dwarf = require "support.dwarf"
local entries = require "support.entries"
local faults = require "support.faults"
local gmon = require "support.gmon"
local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"
local tar = require "support.tar"
local work = require "support.work"

-- The inputs ----------------------------------------------------------------------------------------------------------

-- Each input: { reader =, name =, n =, make = }. make(size) returns a chunk of Lua that reads the input, and the number
-- of bytes.
local inputs = {}
local function input(reader, name, n, make)
  table.insert(inputs, { reader = reader, name = name, n = n, make = make })
end

-- Returns an array of the results of make(1) to make(n).
local function list(n, make)
  local made = {}
  for i = 1, n do made[i] = make(i) end
  return made
end

local function file_of(bytes)
  return shell.write(shell.tmpdir "bounds" .. "/file", bytes)
end

-- Returns the path of an image that inputs share. Chunks find it opened, in the global variable `plain`.
local image <const> = row.image(10)

-- Returns a chunk that runs the program.
local function running(...)
  local words = {}
  for i, word in ipairs { ... } do words[i] = ("%q"):format(word) end
  return ("require 'gprof.cli.main'.run { %s }"):format(table.concat(words, ", "))
end

-- Profiles ------------------------------------------------------------------------------------------------------------

local function profile(reader, name, n, encode)
  input(reader, name, n, function(size)
    local bytes = encode(size)
    return ("gprof.data(plain, %q)"):format(file_of(bytes)), #bytes
  end)
end

-- Computes the core's hash of the first half of a key, but without the core's random seed.
local function spread(h)
  h = (h ~ h >> 33) * 0xff51afd7ed558ccd
  h = (h ~ h >> 33) * 0xc4ceb9fe1a85ec53
  return h ~ h >> 33
end

profile("profiles", "arcs made to have one hash", 2000, function(n)
  return gmon.magic { records = list(n, function(i)
    return { kind = "arc", from = i, self = spread(i) ~ 1, count = 0xffffffff }
  end) }
end)

profile("profiles", "histograms in descending order", 500, function(n)
  return gmon.magic { records = list(n, function(i)
    return { kind = "histogram", low = 0x1000000 - 64 * i, high = 0x1000000 - 64 * i + 4, bins = { n = 1 } }
  end) }
end)

profile("profiles", "an empty histogram", 20000, function(n)
  return gmon.magic { records = { { kind = "histogram", low = 0, high = 2 * n, bins = { n = n } } } }
end)

profile("profiles", "blocks", 2000, function(n)
  local blocks = list(n, function(i) return { i, 1 << 40 } end)
  blocks.kind = "blocks"
  return gmon.magic { records = { blocks } }
end)

local function bsd_profile(n)
  return { low = 0, high = 8 * n, bins = { n = n },
    arcs = list(n, function(i) return { i, spread(i) ~ 1, 0x7fffffff } end) }
end
profile("profiles", "BSD, bins and arcs", 2000, function(n) return gmon.bsd(bsd_profile(n)) end)
profile("profiles", "4.4BSD, bins and arcs", 2000, function(n) return gmon.bsd44(bsd_profile(n)) end)

profile("profiles", "mon.out, counters and bins", 2000, function(n)
  return gmon.mon { low = 0, high = 8 * n, bins = { n = n },
    counters = list(n, function(i) return { 8 * i, 0x7fffffff } end) }
end)

profile("profiles", "LD_PROFILE, arcs", 2000, function(n)
  return gmon.shared { low = row.BASE, high = row.BASE + 16 * 12, bins = { n = 48 },
    arcs = list(n, function(i) return { i, i * 7 % 192, 0xffffffff } end) }
end)

profile("context profiles", "huge counts, in a chain of calls", 1000, function(n)
  return contexts.pack { process = { low = row.BASE, high = row.address(11) },
    modules = { { low = row.BASE, high = row.address(11) } },
    tables = { list(n, function(i)
      return { context = i + 1, from = row.address(1) + i % 16, self = row.address(2) + 1, count = 1 << 40 }
    end) } }
end)

profile("context profiles", "samples, one at each address", 1000, function(n)
  return contexts.pack { process = { low = row.BASE, high = row.address(11) },
    modules = { { low = row.BASE, high = row.address(11) } },
    tables = { list(n, function(i) return { context = 0, from = row.BASE + i % 176, count = 1 } end) } }
end)

profile("context profiles", "large counts, and code that is not in the image", 100, function(n)
  local range = { low = row.BASE, high = row.BASE + (1 << 22) }
  return contexts.pack { process = range, modules = { range },
    tables = { list(n, function(i) return { context = 0, from = row.BASE + i % 176, count = 1 << 40 } end) } }
end)

-- Symbols and names ---------------------------------------------------------------------------------------------------

local function symbols_of(path)
  return ("local image = gprof.image(%q) for _ in image:symbols() do end"):format(path), #shell.read(path)
end

input("symbols of executables", "at one address", 500, function(n)
  return symbols_of(build.craft { address = row.BASE, text = n,
    symbols = list(n, function(i) return { row.name(i), 0 } end) })
end)

-- The name of function i is the end of one long name, from the i-th byte on.
local function overlapping(length, n)
  local dir, lines = shell.tmpdir "sharing", { ".text" }
  for i = 1, n do
    lines[i + 1] = (".globl %s\n%s: .skip 16"):format(("a"):rep(length - i), ("a"):rep(length - i))
  end
  shell.write(dir .. "/sharing.s", table.concat(lines, "\n") .. "\n")
  shell.check({ "as", "-o", "sharing.o", "sharing.s" }, { cwd = dir })
  shell.check({ "ld", "-e", "0", ("-Ttext=%#x"):format(row.BASE), "-o", "image", "sharing.o" }, { cwd = dir })
  return dir .. "/image"
end

input("symbols of executables", "with overlapping names", 60, function(n)
  return symbols_of(overlapping(600, n))
end)


-- Writes a symbol file. Returns a chunk that reads it, and its size.
local function symbol_file(names)
  local lines = list(#names, function(i) return ("%x T %s\n"):format(row.address(i), names[i]) end)
  local path = file_of(table.concat(lines))
  return ([[
    local image = gprof.image(%q, { external_symbol_table = %q })
    for _ in image:symbols(nil, "name") do end
  ]]):format(image, path), #shell.read(path)
end

input("symbol files", "short lines", 1000, function(n)
  return symbol_file(list(n, function() return "f" end))
end)

input("symbol files", "long lines", 1000, function(n)
  return symbol_file(list(n, function(i) return row.name(i):rep(i % 50) .. i end))
end)

for _, kind in ipairs(chance.some({ "substitutions", "packs", "conversions", "rust", "lifetimes" }, 2)) do
  input("mangled names", kind, 1, function(n)
    return symbol_file(list(n, function(i) return bombs[kind](40 + i) end))
  end)
end

input("maps of object files", "colons", 1000, function(n)
  local lines = list(n, function(i) return (":::::::o.o:%x T %s\n"):format(row.address(i % 10), row.name(i % 10)) end)
  local map = file_of((":"):rep(20 * n) .. "\n" .. table.concat(lines))
  return running("-R", map, image, row.profile { row.arc(0, 1, 1) }), #shell.read(map)
end)

-- The size is that of the unpacked file.
local PACKED <const> = "`.gnu_debugdata`, unpacked"
if package.searchpath("gprof.xz", package.cpath) and shell.installed "xz" then
  input(PACKED, "long names that are equal but for their end", 500, function(n)
    local full = build.craft { address = row.BASE, text = 16384,
      symbols = list(n, function(i) return { ("f"):rep(200) .. i, i } end) }
    local dir = shell.tmpdir "packed"
    local pack = 'xz <"$1" >packed && objcopy -S --add-section .gnu_debugdata=packed "$1" image'
    shell.check({ "sh", "-c", pack, "sh", full }, { cwd = dir })
    return symbols_of(dir .. "/image"), #shell.read(full)
  end)
end

-- Debugging information -----------------------------------------------------------------------------------------------

local set_address <const> = "\0\9\2" .. ("<I8"):pack(row.BASE)

-- Returns a chunk that reads all rows of these debugging sections, and their size.
local function lines_of(sections)
  local path, size = dwarf.with_sections(sections, image), 0
  for _, text in pairs(sections) do size = size + #text end
  return ("local image = gprof.image(%q) for _ in image:lines() do end"):format(path), size
end

local function one_unit(line)
  return lines_of { debug_info = dwarf.info_5, debug_abbrev = dwarf.abbrev_5, debug_line = line }
end

-- Encodes a number as ULEB128.
local function uleb(n)
  return n < 128 and string.char(n) or string.char(n & 127 | 128) .. uleb(n >> 7)
end

-- Each file has the name of its directory in front.
input("line tables", "many files in directories with long names", 400, function(n)
  local DIRECTORIES <const> = 3
  local tables, rows = { "\1\1\8" .. uleb(DIRECTORIES) }, { set_address }
  for i = 1, DIRECTORIES do tables[#tables + 1] = "/" .. ("d"):rep(500 + i) .. "\0" end
  tables[#tables + 1] = "\2\1\8\2\11" .. uleb(n)
  for i = 1, n do
    tables[#tables + 1] = ("%d\0%c"):format(i, i % DIRECTORIES)
    rows[#rows + 1] = "\4" .. uleb(i - 1) .. "\1"
  end
  return one_unit(dwarf.table_5(table.concat(tables), table.concat(rows) .. "\2\16\0\1\1"))
end)

local named <const> = "\1\1\8\1/home\0" .. "\2\1\8\2\11" .. "\2" .. "a.c\0\0" .. "b.c\0\0"

input("line tables", "rows", 5000, function(n)
  return one_unit(dwarf.table_5(named, set_address .. ("\20"):rep(n) .. "\0\1\1"))
end)

input("line tables", "sequences", 500, function(n)
  return one_unit(dwarf.table_5(named, (set_address .. "\1\2\184\23\0\1\1"):rep(n)))
end)

-- libbfd compares each sequence with all others.
input("line tables", "sequences, and functions at their lines", 5000, function(n)
  local rows = list(n, function(i) return "\0\9\2" .. ("<I8"):pack(row.BASE + 65536 + 8 * i) .. "\1\2\1\0\1\1" end)
  local text = table.concat(rows) .. set_address .. "\1\2\176\1\0\1\1"
  local path = dwarf.with_sections({ debug_info = dwarf.info_5, debug_abbrev = dwarf.abbrev_5,
    debug_line = dwarf.table_5(named, text) }, image)
  return running("--gnu-compat", "-l", "-b", "-p", path, row.profile { row.histogram(0, 9) }), #text
end)

input("line tables", "units at any offset of a table", 500, function(n)
  return lines_of { debug_info = table.concat(list(n, function(i)
      return ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. ("<I4"):pack(i - 1) .. "/home\0")
    end)), debug_abbrev = dwarf.abbrev_5,
    debug_line = dwarf.table_5(named, set_address .. ("\20"):rep(10 * n) .. "\0\1\1") }
end)

input("line tables", "overlapping tables", 500, function(n)
  return lines_of { debug_info = table.concat(list(n, function(i)
      return ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. ("<I4"):pack(16 * i - 16) .. "/home\0")
    end)), debug_abbrev = dwarf.abbrev_5,
    debug_line = ("\255\255\3\0\2\0\0\0\0\0\1\1\1\1\1\1"):rep(n) }
end)

input("line tables", "abbreviations without an end", 200, function(n)
  return lines_of { debug_info = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\2" .. "\0\0\0\0" .. "/home\0"):rep(n),
    debug_abbrev = ("\1\17\0" .. ("\16\23"):rep(100) .. "\0\0"):rep(n // 10),
    debug_line = dwarf.table_5(named, set_address .. "\1\2\16\0\1\1") }
end)

-- Returns a chunk that finds the inlined functions of an image with these units and sections, and the size of these.
local function frames_of(units, sections)
  sections = sections or {}
  sections.debug_info, sections.debug_abbrev = entries.encode({ version = 5 }, units)
  local path, size = dwarf.with_sections(sections, image), 0
  for _, text in pairs(sections) do size = size + #text end
  return ("local image = gprof.image(%q) image:frames(%d)"):format(path, row.BASE), size
end

local function code_at(low, size)
  return { { "low", "addr", row.BASE + low }, { "high", "data1", size } }
end

-- Returns a unit for all code.
local function unit_of(...)
  return { "compile_unit", with = code_at(0, 176), ... }
end

input("inlined functions", "functions in functions", 500, function(n)
  local inner = { "inlined", with = code_at(0, 16) }
  for _ = 1, n do inner = { "inlined", with = inner.with, inner } end
  return frames_of { unit_of { "subprogram", with = code_at(0, 16), inner } }
end)

input("inlined functions", "overlapping code", 300, function(n)
  return frames_of { unit_of(table.unpack(list(n, function(i)
    return { "subprogram", with = code_at(i % 100, 60) }
  end))) }
end)

input("inlined functions", "names in other units, at the end of many references", 300, function(n)
  local links = {}
  for i = 1, 12 do
    links[i] = { "subprogram", with = { { "origin", "ref_addr", links[i - 1] or { offset = 0 } } } }
  end
  local units = list(12, function(i) return { "partial_unit", links[i] } end)
  units[13] = unit_of(table.unpack(list(n, function(i)
    return { "subprogram", with = { { "origin", "ref_addr", { offset = i } }, table.unpack(code_at(0, 16)) } }
  end)))
  return frames_of(units)
end)

input("inlined functions", "names that overlap", 300, function(n)
  return frames_of({ unit_of(table.unpack(list(n, function(i)
    return { "subprogram", with = { { "name", "strp", i }, table.unpack(code_at(0, 16)) } }
  end))) }, { debug_str = ("x"):rep(10 * n) .. "\0" })
end)

input("inlined functions", "names without an end", 300, function(n)
  return frames_of({ unit_of(table.unpack(list(n, function(i)
    return { "subprogram", with = { { "name", "strp", i }, table.unpack(code_at(0, 16)) } }
  end))) }, { debug_str = ("x"):rep(20000) })
end)

input("inlined functions", "units that share a line table, with calls in many files", 100, function(n)
  local call = { { "call_file", "data2", n }, { "call_line", "data1", 1 }, table.unpack(code_at(0, 16)) }
  local one = unit_of { "subprogram", with = code_at(0, 16), { "inlined", with = call } }
  table.insert(one.with, { "stmt_list", "sec_offset", 0 })
  local files = table.concat(list(n, function(i) return ("f%d.c\0\0"):format(i) end))
  local tables = ("\1\1\8\1\0") .. "\2\1\8\2\11" .. entries.uleb(n) .. files
  return frames_of(list(n, function() return one end), { debug_line = dwarf.table_5(tables, "") })
end)

input("inlined functions", "units that all name one split file, of another build", 60, function(n)
  local split = file_of(shell.read(image))
  local one = { "skeleton_unit", with = { { 0x76, "string", split }, table.unpack(code_at(0, 16)) } }
  local info, abbrev = entries.encode({ version = 5, type = 4, id = ("x"):rep(8) }, list(n, function() return one end))
  local path = dwarf.with_sections({ debug_info = info, debug_abbrev = abbrev }, image)
  return ("local image = gprof.image(%q) image:frames(%d)"):format(path, row.BASE), #info
end)

input("inlined functions", "units of a package that share one list of ranges", 30, function(n)
  local skeleton = { "skeleton_unit", with = { { 0x76, "string", "a.dwo" }, table.unpack(code_at(0, 16)) } }
  local one = { "compile_unit", table.unpack(list(20, function()
    return { "subprogram", with = { { "ranges", "sec_offset", 0 } } }
  end)) }
  local abbrev, package_abbrev
  local function units_of(type, unit)
    local made
    return table.concat(list(n, function(i)
      made, abbrev = entries.encode({ version = 5, type = type, id = ("<I8"):pack(i) }, { unit })
      return made
    end))
  end
  local info, lists = units_of(5, one), ("\4\1\2"):rep(30 * n)
  package_abbrev = abbrev
  local package = dwarf.with_sections({ ["debug_info.dwo"] = info, ["debug_abbrev.dwo"] = package_abbrev,
    ["debug_rnglists.dwo"] = lists }, image)
  local skeletons = units_of(4, skeleton)
  local path = dwarf.with_sections({ debug_info = skeletons, debug_abbrev = abbrev }, image)
  shell.check { "cp", package, path .. ".dwp" }
  return ("local image = gprof.image(%q) image:frames(%d)"):format(path, row.BASE), #info + #skeletons + #lists
end)

input("inlined functions", "one list of ranges, often", 300, function(n)
  return frames_of({ unit_of(table.unpack(list(n, function(i)
    return { "subprogram", with = { { "ranges", "sec_offset", i % 8 } } }
  end))) }, { debug_rnglists = ("\4\1\2"):rep(10 * n) })
end)

input("inlined functions", "many attributes without bytes", 100, function(n)
  local with = code_at(0, 16)
  for i = 1, n do with[i + 2] = { "call_line", "implicit_const", i % 100 } end
  for i = 1, n do with[n + i + 2] = { 0x2000 + i, "flag_present" } end
  local one = { "subprogram", with = with }
  return frames_of { unit_of(table.unpack(list(10 * n, function() return one end))) }
end)

input("inlined functions", "tables of abbreviations that overlap", 200, function(n)
  local info = list(n, function(i)
    return ("<s4"):pack("\5\0\1\8" .. ("<I4"):pack(i - 1) .. "\1" .. ("<I8B"):pack(row.BASE, 16) .. "\2")
  end)
  local path = dwarf.with_sections({ debug_info = table.concat(info),
    debug_abbrev = ("\1\17\0\17\1\18\11\0\0\2\46\0\0\0"):rep(n) }, image)
  return ("local image = gprof.image(%q) image:frames(%d)"):format(path, row.BASE), #table.concat(info) + 14 * n
end)

input("debugging files", "a checksum", 50000, function(n)
  local dir = shell.tmpdir "linked"
  local debug = shell.read(image) .. ("x"):rep(n)
  shell.write(dir .. "/debug", debug)
  shell.check({ "objcopy", "--strip-all", "--add-gnu-debuglink=debug", image, "image" }, { cwd = dir })
  return symbols_of(dir .. "/image"), #debug
end)

-- Machine code and text -----------------------------------------------------------------------------------------------

input("machine code", "calls", 200, function(n)
  local text, symbols = {}, {}
  for i = 0, n - 1 do
    symbols[i + 1] = { row.name(i), 15 * i }
    text[i + 1] = ("<c1i4"):pack("\xe8", 15 * (n - 1 - i) - 5):rep(3)
  end
  local path = build.craft { address = row.BASE, text = table.concat(text), symbols = symbols }
  return running("-b", "-c", "-q", path, row.profile { row.arc(0, 1, 1) }), #shell.read(path)
end)

input("source text", "empty lines", 2000, function(n)
  local source = file_of(("\n"):rep(n))
  local made = row.image(1, function() return ('.file 1 "%s"\n.loc 1 1\n.skip 16'):format(source) end)
  return running("-b", "-A", "-z", made, row.profile { row.arc(0, 1, 1) }), n
end)

input("source text", "empty lines before the only line of a page", 20000, function(n)
  local source = file_of(("\n"):rep(n))
  local made = row.image(1, function() return ('.file 1 "%s"\n.loc 1 %d\n.skip 16'):format(source, n) end)
  return ([[
    local image = assert(gprof.image(%q))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, %q)), { line = true }))
    require "gprof.export.html.sources".of(profile, {}, {})
  ]]):format(made, row.profile { row.histogram(0, 1) }), n
end)

input("option files", "options", 500, function(n)
  return ("require 'gprof.cli.options.command_line'.read { %q }"):format("@" .. file_of(("-b "):rep(n))), 3 * n
end)

input("option files", "a file that includes itself", 100, function(n)
  local file = shell.tmpdir "bounds" .. "/itself"
  local text = ("@%s "):format(file):rep(n)
  shell.write(file, text)
  return ("pcall(require 'gprof.cli.options.command_line'.read, { %q })"):format("@" .. file), #text
end)

input("lists of profiles", "one profile, often", 100, function(n)
  local file = file_of((row.profile { row.histogram(0, 1) } .. "\n"):rep(n))
  return running("--profiles-from=" .. file, "-b", "-p", image), #shell.read(file)
end)

local function archive(name, n, encode)
  input("archives", name, n, function(size)
    local bytes = encode(size)
    return ("local core, names = require 'gprof.core', 0 local archive = core.archive(%q) " ..
      "while archive:next() do names = names + 1 end"):format(file_of(bytes)), #bytes
  end)
end
archive("empty members", 200, function(n) return tar.entry { name = ("n"):rep(100) }:rep(n) .. tar.END end)
archive("a long name", 2000, function(n)
  return tar.long_name(("d/"):rep(20 * n)) .. tar.entry { name = "x" } .. tar.END
end)
archive("records of pax", 500, function(n)
  return tar.pax(list(n, function(i) return { i % 2 == 0 and "path" or "mtime", ("p"):rep(50) } end)) ..
    tar.entry { name = "x" } .. tar.END
end)
archive("zero bytes", 500, function(n) return ("\0"):rep(512 * n) end)
archive("sizes that are claimed", 200, function(n)
  return tar.pax { { "size", "1" } }:rep(n) .. tar.entry { name = "x", size = "77777777777\0" } .. tar.END
end)

local function answers(name, n, line)
  input("answers of processes", name, n, function(size)
    local text = line:rep(size)
    return ("require 'gprof.library.answers'.read(%q)"):format(text), #text
  end)
end
local mapping <const> = "00010000-00020000 r--s 00000000 00:01 7   "
answers("names of digits and dashes", 20, mapping .. "/" .. ("a-"):rep(1000) .. "\n")
answers("blanks", 20, mapping .. (" "):rep(2000) .. "\n")
answers("answers with numbers that are too large", 20, mapping .. "/memfd:gprof-recorder:" .. ("9:"):rep(20) ..
  ("9"):rep(2000) .. "\n")
answers("empty mappings", 500, mapping .. "\n")

local function json(name, n, encode)
  input("exported JSON", name, n, function(size)
    local text = encode(size)
    return ("require 'gprof.analysis.saved_profile'.load(%q)"):format(file_of(text)), #text
  end)
end

json("brackets", 2000, function(n) return ("["):rep(n) end)
json("small arrays", 300, function(n) return '{"a":[' .. ("[],"):rep(n) .. "1]}" end)
json("members", 300, function(n)
  return "{" .. table.concat(list(n, function(i) return ('"%d":%d'):format(i, i) end), ",") .. "}"
end)
json("escapes", 500, function(n) return '["' .. ("\\u0041"):rep(n) .. '"]' end)

input("`bb.out`", "blocks", 100, function(n)
  local text = ("File a.c, %d basic blocks \n"):format(n) .. ("Block #1: executed 1 time(s) address= 0x10\n"):rep(n)
  return ([[
    local before = arg
    arg = { [0] = "bbconv.lua", %q }
    io.input(%q)
    dofile %q
    arg = before
  ]]):format(image, file_of(text), program.root .. "/examples/bbconv.lua"), #text
end)

-- The measurement -----------------------------------------------------------------------------------------------------

if not work.countable() then
  return pending "needs valgrind, which counts instructions"
end

-- Four times the scale is about four times the bytes. Linear cost grows by little more than the number of bytes;
-- quadratic cost would grow four times as much.
local TIMES <const>, MOST <const> = 4, 1.6

describe("reading", function()
  local counts, peaks, sizes

  setup(function()
    local chunks = { ("plain = assert(gprof.image(%q))"):format(image) }
    sizes = { 0 }
    for _, what in ipairs(inputs) do
      for _, n in ipairs { what.n, TIMES * what.n } do
        local number = #chunks + 1
        chunks[number], sizes[number] = what.make(n)
      end
    end
    counts, peaks = work.measure(chunks)
  end)

  -- Checks a cost at two sizes: the bounds, and the growth.
  local function check(unit, size, cost, most, more, greater, greatest)
    assert(cost <= most, ("%d bytes: %d %s, but the bound is %d"):format(size, cost, unit, most))
    assert(greater <= greatest, ("%d bytes: %d %s, but the bound is %d"):format(more, greater, unit, greatest))
    assert(greater <= MOST * more / size * cost, ("%d bytes: %d %s; %d bytes: %d %s"):format(size, cost, unit, more,
      greater, unit))
  end

  for i, what in ipairs(inputs) do
    it(("keeps its bounds: %s: %s"):format(what.reader, what.name), function()
      local once, times = 2 * i, 2 * i + 1
      local work_once, memory_once = bounds.most(what.reader, sizes[once])
      local work_times, memory_times = bounds.most(what.reader, sizes[times])
      faults.tell("%s: %s: %d bytes: %d instructions of %d, %d bytes of memory of %d", what.reader, what.name,
        sizes[times], counts[times], work_times, peaks[times], memory_times)
      check("instructions", sizes[once], counts[once], work_once, sizes[times], counts[times], work_times)
      check("bytes of memory", sizes[once], peaks[once], memory_once, sizes[times], peaks[times], memory_times)
    end)
  end
end)

describe("the bounds", function()
  it("are each tried by an input", function()
    local tried = {}
    for _, what in ipairs(inputs) do tried[what.reader] = true end
    for reader in pairs(bounds.readers) do assert.is_true(tried[reader] or reader == PACKED, reader) end
  end)

  it("are those of doc/security.md", function()
    local text, stated = shell.read(program.root .. "/doc/security.md"), {}
    for reader, a, b, c, d in text:gmatch "\n| ([^|\n]+) | ([%d,]+) | ([%d,]+) | ([%d,]+) | ([%d,]+) |" do
      stated[reader] = {}
      for i, number in ipairs { a, b, c, d } do stated[reader][i] = tonumber((number:gsub(",", ""))) end
    end
    assert.same(bounds.readers, stated)
  end)

  it("determine the limits of the fuzzers", function()
    assert.same({ { "-malloc_limit_mb=14", "-rss_limit_mb=970", "-max_len=4096" }, 5 },
      { bounds.fuzzer_options("lines", 4096) })
    local names, any = { bounds.fuzzer_options("names", 4096) }, { bounds.fuzzer_options("a new one", 4096) }
    for i = 1, 2 do assert.is_true(tonumber(any[1][i]:match "%d+") >= tonumber(names[1][i]:match "%d+")) end
    assert.is_true(any[2] >= names[2])
  end)
end)
