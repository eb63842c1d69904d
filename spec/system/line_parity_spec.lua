-- With --gnu-compat, line profiles, annotated source and basic-block counts equal GNU gprof's byte for byte.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local oracle = require "support.oracle"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

if not parity.possible(pending) then return end

local check <const>, check_files <const> = parity.check, parity.check_files

-- Profiles with blocks ----------------------------------------------------------------------

local random <const>, pick <const> = math.random, chance.pick
local HEADER <const> = 20  -- bytes

-- Writes a program's profile with one more record at its end: basic-block counts, { address, count } for each block.
local function with_blocks(built, blocks, path)
  local record = gmon.magic { records = { { kind = "blocks", table.unpack(blocks) } } }
  return gmon.write(path, shell.read(built.gmon) .. record:sub(HEADER + 1))
end

local function some_count()
  return pick { 0, 1, 1, 2, 5, 5, 100, random(1000000), (1 << 32) + random(100), 123456789012345 }
end

-- Returns random blocks in and around the code. Some addresses occur twice; their counts are summed.
local function scattered(subject, count)
  local blocks = {}
  for i = 1, count do
    local again = i > 1 and random(10) == 1
    blocks[i] = { again and blocks[random(i - 1)][1] or random(subject.low - 20, subject.last + 20), some_count() }
  end
  return blocks
end

-- Returns blocks at consecutive addresses, so that lines have many blocks.
local function crowded(subject, count)
  local first, blocks = pick(subject.functions) + random(0, 40), {}
  for i = 1, count do
    blocks[i] = { first + i, some_count() }
  end
  return blocks
end

-- Programs ----------------------------------------------------------------------------------

-- The subjects, keyed by program: `path` of the image, `gmon`, and names for symspecs.
local subjects = {}

local function subject_of(name, variant)
  local key = name .. "+" .. variant
  if not subjects[key] then
    local built = build.program(name, variant)
    local subject = chance.subject(built.image)
    subject.built, subject.names, subject.files = built, {}, {}
    for _, symbol in ipairs(build.symbols(built.image)) do
      if symbol.type:find "[tT]" and not symbol.name:find "[%s$]" then table.insert(subject.names, symbol.name) end
    end
    for _, list in ipairs { built.program.sources, built.program.headers or {} } do
      for _, source in ipairs(list) do table.insert(subject.files, source:match "[^/]*$") end
    end
    subjects[key] = subject
  end
  return subjects[key]
end

-- Writes the files `map` and `nm`. `map` assigns the functions, in groups of three, to two object files in turn.
-- `nm` lists the symbols as nm prints them.
local function write_lists(built, dir)
  local lines = {}
  for i, symbol in ipairs(build.symbols(built.image)) do
    lines[i] = ("%s.o:%016x %s %s\n"):format(i // 3 % 2 == 0 and "a" or "b", symbol.address, symbol.type, symbol.name)
  end
  shell.write(dir .. "/map", table.concat(lines))
  shell.write(dir .. "/nm", shell.check({ "nm", "-n", "--defined-only", built.image }).stdout)
end

-- Options, one command line per line. MAP and NM are lists of symbols; FILE stands for the first source, NAME for a
-- function. Without -l, a symspec with a line number selects the functions that begin on that line.
local option_lists <const> = [[
  -l
  -l -p
  -l -q
  -l -C
  -l -A
  -l -z
  -l -p -z -w 40
  -l -A -x
  -l -A -z
  -l -A -x -z
  -l -r
  -l -T
  -l -T -q -z
  -l -T -p
  -l -T -p -a
  -l -a
  -l -a -C -z
  -l -D -z
  -l -c
  -l -c -z -q
  -l -L
  -l -L -q
  -l --inline-file-names
  -l --inline-file-names -L -p
  -l --no-demangle
  -l -R MAP
  -l -R MAP -A
  -l -R MAP -C -z
  -l -S NM
  -l -S NM -A
  -l -S NM -C -z
  -l -i
  -l -i -A
  -l -P -A
  -l -p -J
  -l -A -J
  -l -J -A
  -l -m 0 -A
  -l -m 1 -A
  -l -m 50 -A
  -l -m 50 -A -x
  -l -t 0 -A
  -l -t 3 -A
  -l -t 100000 -A
  -l -t-1 -A
  -l -tx -A
  -l -mx -A
  -l -p -A -C -r
  -l -p -q -A -C -r -z -x
  -l -C -A -i -t2
  -l -p -A -R MAP
  -A
  -A -x
  -A -z
  -A -p
  -A -q -C
  -A -t 0 -m 100
  --annotated-source --all-lines --table-length=2
  --line --annotated --min-count=3 --no-flat
  -l -pFILE
  -l -pNAME
  -l -pmain
  -l -PFILE
  -l -qFILE
  -l -qNAME
  -l -QNAME -z
  -l -AFILE
  -l -ANAME
  -l -A -JFILE
  -l -A -JNAME
  -l -AFILE:20
  -l -A20 -A12
  -l -CFILE:12
  -l -ZFILE:12 -C -z
  -l -C12 -C14 -CFILE:20
  -l -pFILE:12 -z
  -l -p12
  -l -p:12 -p:13 -p14
  -l -P12 -P20 -z
  -l -q12
  -l -q12/14
  -l -q:12/NAME
  -l -k main/NAME
  -l -k FILE:12/FILE
  -l -k 12/
  -l -n FILE:12
  -l -N 12 -N 20
  -l -n NAME -N main
  -l -F NAME -E 12
  -l -e NAME -f FILE
  -l -pno_such_function
  -l -Ano_such_file.c
  -l -A -m 3 -x -p -C
]]

-- Options that write files. Each command runs in a directory of its own.
local writing_lists <const> = [[
  -l -s
  -s
  -s -p
  -s -q -p -C
  -s -A
  -s -i -p
  -s -A -x -C -z
  -s -pFILE:12 -z
  -l -A -y
  -A -y
  -l -A -y -x -z
  -l -y
  -l -A -y -p -C
  -l -A -y -t 0 -m 10
  -l -AFILE -y
  -s -A -y -q
  -R MAP -A -y
]]

-- Calls `try` with the arguments of a line, including operands.
local function try_command(line, subject, dir, profile, try)
  local words = { FILE = subject.files[1], NAME = pick(subject.names), MAP = dir .. "/map", NM = dir .. "/nm" }
  local arguments = { "-b" }
  for word in line:gsub("%u%u+", words):gmatch "%S+" do
    arguments[#arguments + 1] = word
  end
  try(table.move({ subject.image, profile }, 1, 2, #arguments + 1, arguments))
end

-- Checks one in twelve lines, or one in 36 for variants of programs, and other lines for the next program. `make
-- check-all` checks each line, or one in three.
local turns = 0
local function each_command(lists, subject, ...)
  local number, step = turns, (subject.built.variant == "" and 1 or 3) * (chance.thorough and 1 or 12)
  turns = turns + 1
  for line in lists:gmatch "[^\n]+" do
    number = number + 1
    if number % step == 0 then try_command(line, subject, ...) end
  end
end

-- Returns whether GNU gprof counts the same number of lines in both of its passes over an image. If the numbers differ,
-- GNU gprof fails.
local function countable(subject)
  return not oracle.run({ "-b", "-l", subject.image, subject.built.gmon }).stderr:find("miscounted", 1, true)
end

local function prints(arguments)
  local result = program.run({ "--gnu-compat", table.unpack(arguments) }, { cwd = shell.tmpdir() })
  assert(result.status == 0 or result.stderr:find "has no arcs", result.command .. "\n" .. result.stderr)
  return result
end

local function check_program(name, variant)
  local subject, dir = subject_of(name, variant), shell.tmpdir()
  local built = subject.built
  write_lists(built, dir)
  math.randomseed(#name + #variant)
  local profile = with_blocks(built, crowded(subject, 60), dir .. "/gmon.out")
  profile = with_blocks({ gmon = profile }, scattered(subject, 200), profile)
  if countable(subject) then
    check { "-b", "-l", built.image, built.gmon }
    each_command(option_lists, subject, dir, profile, check)
    each_command(writing_lists, subject, dir, profile, check_files)
  else
    local result = prints { "-b", "-l", built.image, built.gmon }
    assert.truthy(result.stdout:find("\n[^\n]+ %(" .. subject.files[1]:gsub("%p", "%%%0") .. ":%d+ @ %x+%)"))
    each_command(option_lists .. writing_lists, subject, dir, profile, prints)
  end
end

-- Iterates over the programs with debugging information and a profile. Leaves out static programs, where GNU gprof
-- looks up each byte of the C library.
local function each_program()
  return coroutine.wrap(function()
    for name, variant in build.each(pending) do
      if not (variant:find "static" or variant:find "nodebug" or name == "mute") then
        coroutine.yield(name, variant)
      end
    end
  end)
end

describe("with --gnu-compat, lines and blocks equal GNU gprof's", function()
  local it <const> = chance.one_in(2, it)
  for name, variant in each_program() do
    it(("for %s %s"):format(name, variant), function() check_program(name, variant) end)
  end
end)

-- Random cases ------------------------------------------------------------------------------

-- SPEC is replaced with a random symspec; MAP and NM are lists of symbols.
local mixed <const> = {
  "-p", "-q", "-C", "-A", "-A", "-A -x", "-A -x", "-z", "-z", "-m 0", "-m 50", "-T", "-r", "-t 3", "-t 0", "-L", "-a",
  "-D", "-c", "-s", "-y", "-i", "-J", "-P", "-A -JSPEC", "-ASPEC", "-ASPEC -ASPEC", "-CSPEC", "-pSPEC", "-PSPEC",
  "-qSPEC", "-QSPEC", "-ZSPEC -C", "-n SPEC", "-N SPEC", "-F SPEC", "-E SPEC", "--inline-file-names",
  "-k SPEC/SPEC", "-qSPEC/SPEC", "-QSPEC/", "--no-demangle", "-w 30", "-S NM", "-R MAP",
}

local function some_spec(subject)
  local file, line = pick(subject.files), random(40)
  return pick { pick(subject.names), file, file .. ":" .. line, file .. ":" .. pick(subject.names), line, ":" .. line }
end

-- Tells whether an option must not be combined with an earlier one. Two function orders clash. A function order clashes
-- with FROM/TO, because GNU gprof then mixes the arcs of symspecs with recorded ones.
local function clashes(option, before)
  local order, calls = option:find "^%-[rR]", option:find("/", 1, true)
  for _, other in ipairs(before) do
    if (order or calls) and other:find "^%-[rR]" or order and other:find("/", 1, true) then return true end
  end
end

local function some_options(subject, dir)
  local arguments, chosen = { "-b", random(10) > 1 and "-l" or nil }, {}
  for _ = 1, random(1, 4) do
    local option = pick(mixed)
    if not clashes(option, chosen) then
      chosen[#chosen + 1] = option
      local text = option:gsub("SPEC", function() return some_spec(subject) end)
      for word in text:gsub("%f[%u]%u%u+", { MAP = dir .. "/map", NM = dir .. "/nm" }):gmatch "%S+" do
        table.insert(arguments, word)
      end
    end
  end
  return arguments
end

local function some_profile(subject, path)
  local kind = random(4)
  if kind == 1 then return subject.built.gmon end
  if kind == 2 then return with_blocks(subject.built, crowded(subject, random(60)), path) end
  return with_blocks(subject.built, scattered(subject, pick { 3, 30, 200 }), path)
end

local function check_random(variants, first, count)
  local repeatedly, dirs = chance.cases(first, count), {}
  repeatedly(function(note)
    local key = pick(variants)
    local subject = subject_of(key[1], key[2] or "")
    local dir = dirs[subject]
    if not dir then
      dir = shell.tmpdir()
      dirs[subject] = dir
      write_lists(subject.built, dir)
    end
    local arguments = some_options(subject, dir)
    table.move({ subject.image, some_profile(subject, dir .. "/gmon.out") }, 1, 2, #arguments + 1, arguments)
    check_files(arguments, note)
  end)
end

local function supported(variants)
  local list = {}
  for _, key in ipairs(variants) do
    if build.supported(key[1], key[2]) then list[#list + 1] = key end
  end
  return list
end

describe("with --gnu-compat, lines and blocks equal GNU gprof's in random cases", function()
  it("of C", function()
    check_random(supported { { "calls" }, { "calls", "O2" }, { "calls", "O3" }, { "calls", "nodebug" }, { "cycles" },
      { "halves" }, { "twins" }, { "twins", "O2" }, { "aliases" }, { "lines" }, { "lines", "O1" }, { "lines", "O2" },
      { "lines", "clang+O1" }, { "crowd" }, { "brief" }, { "hum" }, { "clones", "O0" } }, 20240401, 300)
  end)

  it("of other languages, and of functions with several names", function()
    check_random(supported { { "shapes" }, { "waves" }, { "waves", "O2" }, { "labels" }, { "labels", "O2" },
      { "clones" }, { "clones", "O3" } }, 20240501, 150)
  end)
end)

-- Corner cases -----------------------------------------------------------------------------------

-- Makes an image of a few functions with the sources in `dir`; `flags` for the compiler. Returns the path of the image,
-- and the path of a profile with a sample, a call and a block in each function.
local function compile(dir, flags, ...)
  shell.write(dir .. "/small.c", [[
int leaf(int x)
{
  int y = x + 1;
  return y * 2;
}
int start(void)
{
  int z = leaf(2);
  return leaf(z);
}
]])
  shell.check({ "gcc", "-g", "-nostdlib", "-nostartfiles", "-e", "start", "-o", "small", "small.c",
    table.unpack(table.move({ ... }, 1, select("#", ...), #flags + 1, flags)) }, { cwd = dir })
  local image = dir .. "/small"
  local leaf, start = build.address(image, "leaf"), build.address(image, "start")
  local low = leaf & ~1
  return image, gmon.write(dir .. "/gmon.out", gmon.magic { records = {
    { kind = "histogram", low = low, high = low + 64, bins = { n = 32, [4] = 3 } },
    { kind = "arc", from = start + 20, self = leaf, count = 7 },
    { kind = "blocks", { leaf, 7 }, { leaf + 12, 6 }, { start + 14, 1 } },
  } })
end

describe("with --gnu-compat, lines equal GNU gprof's", function()
  -- GNU gprof compares symbols by address if the source of one is unknown, and by source otherwise.
  it("for objects with and without lines, in any order", function()
    local dir = shell.tmpdir "mixed"
    for name, text in pairs { a = "void a2(void); void a1(void) { a2(); } void a2(void) {}",
      b = "void n1(void); void b1(void) { n1(); } void b2(void) { b1(); }",
      n = "void a1(void); void n1(void) { a1(); }",
      main = "void b2(void); int main(void) { b2(); return 0; }" } do
      shell.write(("%s/%s.c"):format(dir, name), text .. "\n")
      shell.check({ "gcc", name == "n" and "-g0" or "-g", "-pg", "-c", name .. ".c" }, { cwd = dir })
    end
    for _, order in ipairs { "b n a main", "main b n a", "n b main a", "a b main n" } do
      local objects = {}
      for name in order:gmatch "%a+" do objects[#objects + 1] = name .. ".o" end
      shell.check({ "gcc", "-pg", "-o", "mixed", table.unpack(objects) }, { cwd = dir })
      shell.check({ "./mixed" }, { cwd = dir })
      for _, words in ipairs { { "-C" }, { "-C", "-z" }, { "-l", "-C" }, { "-A" }, { "-l", "-q", "-z" } } do
        check { "-b", dir .. "/mixed", dir .. "/gmon.out", table.unpack(words) }
      end
    end
  end)
end)

describe("with --gnu-compat, lines equal GNU gprof's in corner cases", function()
  local it <const> = chance.one_in(3, it)
  local lists <const> = { { "-p", "-z" }, { "-q", "-z" }, { "-C", "-z" }, { "-A" }, { "-A", "-x" } }

  -- Code alone, code with a label at its end, and code followed by code without lines.
  for _, ending in ipairs { { "nothing", "" }, { "a label", ".globl tail\ntail:\n" },
    { "code without lines", ".globl tail\ntail: nop\n" },
    { "both", ".globl tail, behind\ntail: nop\nbehind:\n" } } do
    local title, text = table.unpack(ending)
    it(("for the last line, followed by %s"):format(title), function()
      local dir = shell.tmpdir()
      shell.write(dir .. "/tail.s", ".section .note.GNU-stack,\"\"\n.text\n" .. text)
      local image, profile = compile(dir, {}, "tail.s")
      for _, list in ipairs(lists) do
        check { "-b", "-l", image, profile, table.unpack(list) }
      end
    end)
  end

  -- GNU gprof assigns these samples to no line, whatever its memory holds.
  it("for samples after the start of the last line", function()
    for _, key in ipairs { { "calls" }, { "lines", "O2" } } do
      local built = build.program(table.unpack(key))
      local symbols = build.symbols(built.image)
      local low, high = chance.subject(built.image).low, symbols[#symbols].address
      local histogram = { kind = "histogram", low = low, high = high, bins = { n = (high - low) // 2 } }
      for bin = 1, histogram.bins.n, 7 do histogram.bins[bin] = 1 + bin % 5 end
      local profile = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = { histogram } })
      check { "-b", "-l", "-p", built.image, profile }
      check { "-b", "-l", "-p", "-z", built.image, profile }
    end
  end)

  -- Debugging information may place functions of headers beyond the end of a source, and sources may change. The last
  -- line may lack a newline.
  for _, keep in ipairs { 0, 1, 2, 5, 100 } do
    for _, ending in ipairs { "", "\n" } do
      it(("for a source of at most %d lines that ends with %q"):format(keep, ending), function()
        local dir = shell.tmpdir()
        local image, profile = compile(dir, {})
        local path, kept = dir .. "/small.c", {}
        for text in shell.read(path):gmatch "[^\n]+" do
          if #kept < keep then kept[#kept + 1] = text end
        end
        shell.write(path, table.concat(kept, "\n") .. (kept[1] and ending or ""))
        for _, words in ipairs { {}, { "-x" }, { "-z" }, { "-t0" }, { "-m2" }, { "-Aleaf" }, { "-y" } } do
          for _, level in ipairs { "-A", "-l" } do
            check_files { "-b", level, "-A", image, profile, table.unpack(words) }
          end
        end
      end)
    end
  end

  -- The source's directory according to the image, and places below the working directory where the source may be.
  local sources <const> = { { ".", ".", "src", "other/src" }, { "src", "src", "other/src", "other" },
    { "/no/where", "src", "other" } }
  for _, source in ipairs(sources) do
    local recorded = source[1]
    for _, place in ipairs { table.unpack(source, 2) } do
      it(("for a source recorded as %s and found in %s"):format(recorded, place), function()
        local dir, work = shell.tmpdir(), shell.tmpdir()
        local image, profile = compile(dir, { "-gdwarf-4", ("-fdebug-prefix-map=%s=%s"):format(dir, recorded) })
        shell.check { "mkdir", "-p", work .. "/" .. place }
        shell.check { "mv", dir .. "/small.c", work .. "/" .. place }
        for _, words in ipairs { {}, { "-I", "other" }, { "-Isrc" }, { "-I", "src:other" },
          { "-I", "none::other/src:" }, { "--directory-path=none", "-I.:src" }, { "-I", "" } } do
          for _, path in ipairs { false, "", "other", "none:src" } do
            check({ "-b", "-l", "-A", image, profile, table.unpack(words) },
              { cwd = work, env = { GPROF_PATH = path } })
          end
        end
      end)
    end
  end
end)
