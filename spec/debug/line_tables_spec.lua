-- Line tables: sources of addresses equal libbfd's, rows equal readelf's, and damage is harmless.
-- SPDX-License-Identifier: GPL-3.0-or-later

local addresses = require "support.addresses"
local build = require "support.build"
local chance = require "support.chance"
local dwarf = require "support.dwarf"
local elf = require "support.elf"
local foreign = require "support.foreign"
local gprof = require "gprof"
local launch = require "support.launch"
local shell = require "support.shell"

-- Returns the addresses for which our file or line differs from libbfd's. image_spec tests the function names.
local function differences(image, first, expected, output)
  local found, at = {}, 0
  for line in output:gmatch "[^\n]+" do
    at = at + 1
    local ours, theirs = line:match "^%S+", expected[at]:match "^%S+"
    if ours ~= theirs then
      table.insert(found, ("%x: %s instead of %s"):format(first + at - 1, ours, theirs))
    end
  end
  assert.equal(#expected, at, image)
  return found
end

-- Compares the file and line of each address in .text with libbfd's. Returns the number of addresses that libbfd knows.
-- Skips the addresses that libbfd 2.40 loses: libbfd finds units by the upper bits of an address. In a block of 256
-- bytes with many short functions, it finds no unit for the last byte.
local function compare(image, machine)
  local first, size = build.section(image, ".text")
  local expected = addresses.addr2line(image, first, first + size - 1, machine and machine.tools)
  local base = machine and machine.base or 0
  local arguments = { image, base + first, base + first + size - 1 }
  local result = machine and machine.core and foreign.script(machine.core, addresses.script, arguments)
    or launch.script(addresses.script, arguments, addresses.excused)
  local found, known = {}, 0
  for _, difference in ipairs(differences(image, first, expected, result.stdout)) do
    if not difference:find "^%x*ff: .* instead of %-$" then
      table.insert(found, difference)
    end
  end
  for _, answer in ipairs(expected) do
    known = known + (answer == "-" and 0 or 1)
  end
  assert.same({}, table.move(found, 1, 5, 1, {}))  -- five are enough for a message
  return known
end

-- Passes the path of a built program to `test`. The test is pending if the program cannot be built here.
local function with_program(title, name, variant, test)
  local supported, lack = build.supported(name, variant)
  title = ("%s: %s %s"):format(title, name, variant)
  if supported then
    it(title, function() test(build.program(name, variant).image) end)
  else
    pending(title .. ": " .. lack)
  end
end

local subjects <const> = {
  { "lines", "O0+dwarf2" }, { "lines", "O2+dwarf3" }, { "lines", "O2+dwarf4" }, { "lines", "O2+dwarf5" },
  { "lines", "O2+dwarf3+dwarf64" }, { "lines", "O2+dwarf4+dwarf64" }, { "lines", "O1+dwarf5+gz" },
  { "lines", "O1+dwarf4+oldgz" }, { "lines", "O2+lto" }, { "lines", "clang+O1+dwarf2" },
  { "lines", "clang+O2+dwarf5" }, { "lines", "clang+O2+dwarf5+dwarf64" }, { "lines", "clang+O1+dwarf4+split" },
  { "twins", "apart+dwarf4" }, { "twins", "clang+O2+apart+dwarf5" }, { "calls", "O2+nopie+apart+dwarf5" },
  { "shapes", "dwarf5" }, { "shapes", "O2+dwarf4" }, { "shapes", "apart+dwarf3" }, { "shapes", "types+dwarf4" },
  { "shapes", "types+dwarf5" }, { "shapes", "clang+O2+types+dwarf5" }, { "labels", "dwarf5" },
  { "clones", "O3+dwarf2" }, { "waves", "O2" },
  { "lines", "O1+stabs" },
}

describe("The file and line of every address equal libbfd's", function()
  for _, subject in ipairs(chance.some(subjects, 4)) do
    with_program("in", subject[1], subject[2], function(image)
      assert.is_true(compare(image) > 300)
    end)
  end

  -- libbfd cannot read the tables of these variants: table and unit have different offset sizes, or ranges are in
  -- another section.
  for _, variant in ipairs { "O2+dwarf5+dwarf64", "O2+dwarf5+split" } do
    with_program("or are found where libbfd finds none, in", "lines", variant, function(image)
      assert.equal(0, compare(image))
    end)
  end
end)

describe("Where several units describe the code of one function, our answers equal libbfd's:", function()
  -- Returns the source of a unit with an inline function that all units share. #line places the function on `line`.
  local function unit(name, line)
    return ([[
      #line %d "header.h"
      inline __attribute__((noinline)) int twice(int x) { return
        2 * x; }
      #line 1 "%s.cc"
      int %s(int x) { return twice(x) + 1; }
    ]]):format(line, name, name)
  end

  local main <const> = "int one(int); int two(int); int main() { return one(1) + two(2); }\n"

  -- Returns the directory of two programs, "one" and "two", which are named after the unit that is linked first.
  local function programs(line_of_two, flags)
    local texts = { one = unit("one", 10), two = unit("two", line_of_two), main = main }
    return build.shared("units", "g++", { shell.join(flags), texts.one, texts.two, main }, function(dir)
      for name, text in pairs(texts) do
        shell.write(("%s/%s.cc"):format(dir, name), text)
        shell.check({ "g++", "-g", "-c", name .. ".cc", table.unpack(flags) }, { cwd = dir })
      end
      for first, second in pairs { one = "two", two = "one" } do
        shell.check({ "g++", "-o", first, "main.o", first .. ".o", second .. ".o" }, { cwd = dir })
      end
    end)
  end

  -- Counts the sequences that begin at an address.
  local function sequences_at(image, address)
    local count, first = 0, true
    for at, file in assert(gprof.image(image)):lines() do
      if first and at == address then count = count + 1 end
      first = file == nil
    end
    return count
  end

  for title, line in pairs { ["the units agree"] = 10, ["the units contradict each other"] = 50 } do
    for _, flags in ipairs { { "-O0" }, { "-O2" }, { "-O1", "-gdwarf-4" }, { "-O0", "-ffunction-sections" } } do
      it(("%s, %s"):format(title, table.concat(flags, " ")), function()
        for first, line_of_first in pairs { one = 10, two = line } do
          local image = programs(line, flags) .. "/" .. first
          local twice = build.address(image, "_Z5twicei")
          assert.equal(2, sequences_at(image, twice))
          assert.is_true(compare(image) > 50)
          local _, found = assert(gprof.image(image)):source(twice)
          assert.is_true(found == line_of_first or found == line_of_first + 1, found)
        end
      end)
    end
  end
end)

-- Prints each function whose file or line differs from the result of looking up its address. Then prints the number of
-- functions with a known file.
local functions <const> = [[
  local gprof = require "gprof"
  local image, count = assert(gprof.image(arg[1])), 0
  for f in gprof.profile(image, gprof.data.new { image = image }):functions "address" do
    local file, line = image:source(f.address)
    if f.file ~= file or f.line ~= line then print(f.name, f.file, f.line, file, line) end
    count = count + (f.file and 1 or 0)
  end
  print(count)
]]

describe("The file and line of every function are those of its address", function()
  for _, subject in ipairs {
    { "shapes", "O2+dwarf4", 30 }, { "shapes", "apart+dwarf3", 35 }, { "calls", "O2+static", 10 }, { "clones", "", 15 },
    { "lines", "clang+O1+dwarf2", 5 }, { "twins", "apart+dwarf4", 6 }, { "calls", "nodebug", 0 },
  } do
    with_program("in", subject[1], subject[2], function(image)
      local output = launch.script(functions, { image }, addresses.excused).stdout
      assert.truthy(output:find "^%d+\n$", output)
      assert.is_true(tonumber(output) >= subject[3], output)
    end)
  end
end)

-- An assembler's tables ---------------------------------------------------------------------------

-- `core` names the machine as Debian's libbfd packages do, `low` is the address where the code begins, and `base` is
-- added to all addresses.
local machines <const> = {
  { name = "x86-64", tools = "", as = { "--64" }, ld = { "-m", "elf_x86_64" } },
  { name = "i386", tools = "", as = { "--32" }, ld = { "-m", "elf_i386" } },
  { name = "x32", tools = "", as = { "--x32" }, ld = { "-m", "elf32_x86_64" } },
  { name = "arm64", core = "arm64", tools = "aarch64-linux-gnu-" },
  { name = "riscv64", core = "riscv64", tools = "riscv64-linux-gnu-" },
  { name = "s390x", core = "s390x", tools = "s390x-linux-gnu-", as = { "--defsym", "s390=1" } },
  { name = "sparc64", core = "sparc64", tools = "sparc64-linux-gnu-" },
  { name = "mips64el", core = "mips64el", tools = "mips64el-linux-gnuabi64-" },
  -- 4-byte addresses, sign-extended
  { name = "mips32el", core = "mips64el", tools = "mips64el-linux-gnuabi64-", as = { "-mabi=32" },
    ld = { "-m", "elf32ltsmip" }, low = "0x80001000", base = -1 << 32 },
}

-- Assembles and links rows.s. Returns the path of the image.
local function assemble(machine, version, ...)
  local dir, root = shell.tmpdir(machine.name), build.fixture "rows.s"
  local as = { machine.tools .. "as", "--gdwarf-" .. version, "-o", "rows.o", root }
  local ld = { machine.tools .. "ld", "-e", "first", "-Ttext=" .. (machine.low or "0x1000"), "-o", "rows", "rows.o",
    ... }
  shell.check(table.move(machine.as or {}, 1, #(machine.as or {}), #as + 1, as), { cwd = dir })
  shell.check(table.move(machine.ld or {}, 1, #(machine.ld or {}), #ld + 1, ld), { cwd = dir })
  return dir .. "/rows"
end

describe("The file and line of every address in an assembler's tables equal libbfd's", function()
  for _, machine in ipairs(machines) do
    local ready, lack = true, nil
    if machine.core then
      ready, lack = foreign.prepare(machine.core, machine.tools .. "as")
    end
    for _, version in ipairs(chance.some({ 2, 3, 4, 5 }, 4)) do
      local title = ("on %s, DWARF %d"):format(machine.name, version)
      if ready then
        it(title, function()
          assert.is_true(compare(assemble(machine, version), machine) > 10000)
          -- Discarded code gets addresses from 0 and overlaps real code.
          assert.is_true(compare(assemble(machine, version, "--gc-sections"), machine) > 3000)
        end)
      else
        pending(title .. ": " .. lack)
      end
    end
  end
end)

-- Rows ----------------------------------------------------------------------------------------------

-- Returns the rows that readelf decodes: "ADDRESS FILE LINE", followed by "x" for statements; "ADDRESS" alone ends a
-- sequence. File names have no directories.
local function readelf_rows(image)
  local text = shell.check({ "readelf", "-W", "--debug-dump=decodedline", image }, { env = { LC_ALL = "C" } }).stdout
  local rows = {}
  for file, line, address, rest in text:gmatch "\n(%S+) +([%d-]+) +(0x%x+)([^\n]*)" do
    local row = line == "-" and { address } or { address, file:match "[^/]*$", line, rest:match "x$" }
    table.insert(rows, table.concat(row, " "))
  end
  return rows
end

local function our_rows(image)
  local rows = {}
  for address, file, line, statement in image:lines() do
    local row = { ("%#x"):format(address) }
    if file then
      table.move({ file:match "[^/]*$", line or 0, statement and "x" or nil }, 1, 3, 2, row)
    end
    table.insert(rows, table.concat(row, " "))
  end
  return rows
end

describe("The rows of line tables", function()
  it("have the discriminators of the line program, each for one row", function()
    local dir = build.compiled("discriminators", { "gcc", "-g", "-O1", "-c", "-o", "a.o", "a.c" }, { ["a.c"] =
      "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i & s) s += n; else s ^= i; } return s; }\n" })
    local path, expected, found = shell.tmpdir "discriminators" .. "/a", {}, {}
    shell.check { "gcc", "-shared", "-o", path, dir .. "/a.o" }
    local text = shell.check({ "readelf", "--debug-dump=rawline", path }).stdout
    for number in text:gmatch "set Discriminator to (%d+)" do expected[#expected + 1] = tonumber(number) end
    for _, file, _, _, discriminator in assert(gprof.image(path)):lines() do
      assert.equal(file and "integer", math.type(discriminator))
      if file and discriminator > 0 then found[#found + 1] = discriminator end
    end
    assert.is_true(#expected > 2)
    assert.same(expected, found)
  end)

  for _, subject in ipairs {
    { "lines", "O2+dwarf3" }, { "lines", "O2+dwarf4+dwarf64" }, { "lines", "clang+O2+dwarf5" }, { "twins", "apart" },
    { "shapes", "O2+dwarf4" }, { "clones", "O2+gz" },
  } do
    with_program("equal readelf's, in", subject[1], subject[2], function(path)
      local rows = our_rows(gprof.image(path))
      assert.same(readelf_rows(path), rows)
      assert.is_true(#rows > 50)
    end)
  end

  for version = 2, 5 do
    it("equal readelf's in an assembler's tables, DWARF " .. version, function()
      local path = assemble(machines[1], version)
      assert.same(readelf_rows(path), our_rows(gprof.image(path)))
    end)
  end

  it("name files as libbfd does, and every row with a file has a line", function()
    local path = assemble(machines[1], 4)
    local names, without = {}, 0
    for _, file, line in gprof.image(path):lines() do
      names[file or false] = true
      without = without + (file and not line and 1 or 0)
    end
    local dir = path:match "^(.*)/"
    assert.same({ [false] = true, [dir .. "/rows.c"] = true, [dir .. "/sub/rows.h"] = true,
      ["/elsewhere/rows.y"] = true }, names)
    assert.equal(0, without)
  end)

  -- Builds an image whose line table has n * n files in n directories, with names of 2,000 bytes or more. Returns the
  -- number of different files that `lines()` names, and the total length of their names.
  local function named_files(n)
    local file, code = {}, {}
    for i = 1, n * n do
      local directory, name = ("d"):rep(2000 + i // n), ("f"):rep(2000 + i % n)
      file[i] = ('.file %d "/%s" "%s"\n'):format(i, directory, name)
      code[i] = (".loc %d 1\nnop\n"):format(i)
    end
    local dir = shell.tmpdir "named"
    shell.write(dir .. "/named.s", ".text\n" .. table.concat(file) .. ".type f,%function\nf:\n" .. table.concat(code))
    shell.check({ "as", "-gdwarf-5", "-o", "named.o", "named.s" }, { cwd = dir })
    shell.check({ "ld", "-e", "0", "-o", "named", "named.o" }, { cwd = dir })
    local lengths, count, total = {}, 0, 0
    for _, name in gprof.image(dir .. "/named"):lines() do
      if name and name ~= "<unknown>" and not lengths[name] then
        lengths[name], count, total = #name, count + 1, total + #name
      end
    end
    return count, total
  end

  it("name files up to a total length in proportion to the tables", function()
    assert.equal(10 * 10, (named_files(10)))
    local _, total = named_files(60)
    assert.is_true(total > 1000000 and total < 4000000, total)
  end)

  it("are absent without debugging information, and in files that are not linked", function()
    for _, path in ipairs { build.program("calls", "nodebug").image, build.program "calls".dir .. "/calls.o" } do
      for address in gprof.image(path):lines() do
        error(("%s: a row at %x"):format(path, address))
      end
    end
  end)

  it("start again in a new loop, and raise an error after the image is closed", function()
    local image = gprof.image(build.program "lines".image)
    local function first()
      local found
      for address, _, line in image:lines() do
        found = address
        if line then break end
      end
      return found
    end
    assert.equal(first(), first())
    assert.has_error(function()
      for _ in image:lines() do
        image:close()
      end
    end, "image is closed")
    assert.has_error(function() image:lines() end)
  end)
end)

-- Damage --------------------------------------------------------------------------------------------

-- Reads all rows, and the sources of all functions. Prints "NAME FILE:LINE" for each function with a source, and by how
-- many kilobytes the memory grew.
local reader <const> = [[
  local gprof = require "gprof"
  local function peak()
    return tonumber(io.open "/proc/self/status":read "a":match "VmHWM:%s*(%d+)")
  end
  for i = 1, #arg do
    local image, before = gprof.image(arg[i]), peak()
    if not image then goto continue end
    for address, file, line in image:lines() do
      assert(math.type(address) == "integer" and (not file or #file > 0) and (not line or line > 0))
    end
    local profile = gprof.profile(image, gprof.data.new { image = image })
    for name, file, line in profile:functions("address", "name", "file", "line") do
      if file then print(("%s %s:%d"):format(name, file, line)) end
    end
    print("memory", peak() - before)
    image:close()
    ::continue::
  end
]]

-- Runs `reader` on images and returns its output. Fails on a crash, on an error, or if an image takes 64 MB of memory.
local function read(...)
  local result = launch.script(reader, { ... }, { env = addresses.excused.env, timeout = true })
  -- libbfd itself warns about sections that are too long.
  local errors = result.stderr:gsub("BFD: warning: [^\n]*\n", "")
  assert(result.status == 0 and errors == "", ("%s (%s)"):format(errors, result.signal or result.status))
  for growth in result.stdout:gmatch "memory\t(%d+)" do
    assert.is_true(tonumber(growth) < 65536, growth)
  end
  return result.stdout
end

-- Three units, each with its own table. Tests change bytes in copies of the image.
local built <const> = build.program("twins", "O2+dwarf4")
local bytes <const> = shell.read(built.image)

local function place(section)
  return elf.place(built.image, section)
end

local function patch(offset, new)
  return bytes:sub(1, offset) .. new .. bytes:sub(offset + #new + 1)
end

-- Writes images and returns their paths. One process reads them all, because starting a process takes longer than
-- reading an image.
local scratch <const> = shell.tmpdir "damaged"
local function written(...)
  local paths = {}
  for i, text in ipairs { ... } do
    paths[i] = shell.write(("%s/image%d"):format(scratch, i), text)
  end
  return table.unpack(paths)
end

-- Returns the file offsets of the tables in .debug_line.
local function tables()
  local offset, size = place ".debug_line"
  local list, at = {}, 0
  while at < size do
    table.insert(list, offset + at)
    at = at + 4 + ("<I4"):unpack(bytes, offset + at + 1)
  end
  return list
end

describe("A line table", function()
  -- Fields of the DWARF 4 header: offset, meaning, size in bytes.
  local fields <const> = {
    { 4, "version", 2 }, { 6, "length of the header", 4 }, { 10, "length of an instruction", 1 },
    { 11, "operations in an instruction", 1 }, { 12, "first value of is_stmt", 1 },
    { 13, "lowest advance of lines", 1 }, { 14, "number of advances", 1 },
    { 15, "first special opcode", 1 }, { 16, "operands of an opcode", 1 },
    { 0, "length of the table", 4 },
  }

  for _, field in ipairs(fields) do
    it(("is harmless with any %s"):format(field[2]), function()
      local images = {}
      for _, at in ipairs(tables()) do
        for _, value in ipairs { "\0\0\0\0", "\1\0\0\0", "\127\255\255\127", "\128\0\0\128", "\254\255\255\255",
          "\255\255\255\255" } do
          table.insert(images, patch(at + field[1], value:sub(1, field[3])))
        end
      end
      read(written(table.unpack(images)))
    end)
  end

  local intact = read(built.image)
  for name, change in pairs {
    ["of an unknown version"] = { 4, "\6" }, ["with zero operations per instruction"] = { 11, "\0" },
    ["with a line range of zero"] = { 14, "\0" }, ["that ends beyond the section"] = { 0, "\255\255\255\127" },
    ["whose header ends beyond the table"] = { 6, "\255\255\255\127" },
  } do
    it(name .. " is ignored, and the other tables are read", function()
      local list = tables()
      assert.equal(3, #list)
      local output = read(written(patch(list[2] + change[1], change[2])))
      local function without(text)
        return (text:gsub("[^\n]*left/common%.c:[^\n]*\n", ""):gsub("memory[^\n]*", ""))
      end
      assert.not_equal(intact, output)
      assert.is_nil(output:find "left/common%.c")
      assert.equal(without(intact), without(output))
    end)
  end

  it("is read once if several units refer to it", function()
    local path = build.program("shapes", "types+dwarf5").image
    assert.equal(#readelf_rows(path), #our_rows(gprof.image(path)))
  end)
end)

local table_5 <const>, info_5 <const>, abbrev_5 <const> = dwarf.table_5, dwarf.info_5, dwarf.abbrev_5

-- Copies an image (by default, an assembled one) with other debugging sections. Returns the path of the copy.
local function with_sections(sections, image)
  return dwarf.with_sections(sections, image or assemble(machines[1], 4))
end

local set_address <const> = "\0\9\2" .. ("<I8"):pack(0x1000)
local one_row <const> = set_address .. "\1" .. "\2\16" .. "\0\1\1"

describe("A crafted line table", function()
  -- An entry format is a list of pairs: content type and form.
  local named <const> = "\1\1\8" .. "\1/home\0" .. "\2\1\8\2\11" .. "\2" .. "a.c\0\0" .. "b.c\0\0"

  it("is read", function()
    local path = with_sections { debug_info = info_5, debug_abbrev = abbrev_5, debug_line = table_5(named, one_row) }
    assert.same({ "0x1000 b.c 1 x", "0x1010" }, our_rows(gprof.image(path)))
    assert.same(readelf_rows(path), our_rows(gprof.image(path)))
    -- The default of the file register is 1; libbfd takes file 0.
    assert.equal("/home/b.c", (gprof.image(path):source(0x1000)))
    assert.equal("/home/a.c", (gprof.image(path):source(0x1000, true)))
    assert.is_true(compare(path) > 0)
  end)

  for name, case in pairs {
    ["forms that are skipped"] = { "\1\1\8\1/home\0" .. "\7\1\8\2\11\3\15\4\6\5\30\9\9\10\10" .. "\2" ..
      ("a.c\0\0\5\0\0\0\0" .. ("m"):rep(16) .. "\3abc" .. "\2de"):rep(2), "a.c" },
    ["a signed number, which is skipped"] = { "\1\1\8\1/home\0" .. "\3\1\8\2\11\7\13" .. "\2" ..
      ("a.c\0\0\255\127"):rep(2), "a.c" },
    ["a huge number of files of zero bytes"] = { "\1\1\8\1/home\0" .. "\0\255\255\255\255\15", nil },
    ["a false, huge number of files"] = { "\1\1\8\1/home\0" .. "\2\1\8\2\11\255\255\255\255\15" .. "a.c\0\0", nil },
    ["a false, huge number of directories"] = { "\1\1\8\255\255\255\255\15/home\0", nil },
    ["an unknown form"] = { "\1\1\8\1/home\0" .. "\2\1\8\11\127\1" .. "a.c\0\0", nil },
    ["names in missing sections"] = { "\1\1\31\1\0\0\0\0" .. "\2\1\14\2\11\1" .. "\0\0\0\0\0", "<unknown>" },
    ["no files"] = { "\0\0\0\0", "<unknown>" },
  } do
    it("with " .. name .. " is harmless", function()
      local path = with_sections { debug_info = info_5, debug_abbrev = abbrev_5,
        debug_line = table_5(case[1], one_row) }
      read(path)
      local file = gprof.image(path):source(0x1000)
      assert.equal(case[2], file and file:match "[^/]*$")
    end)
  end

  for name, program in pairs {
    ["a number without an end"] = set_address .. "\1\2" .. ("\255"):rep(200),
    ["a line without an end"] = set_address .. "\1\3" .. ("\255"):rep(200),
    ["an operand without an end"] = set_address .. "\1\0" .. ("\128"):rep(20) .. "\127",
    ["an extended opcode of zero bytes"] = set_address .. "\1\0\0" .. "\2\16\0\1\1",
    ["an address of three bytes"] = "\0\4\2\1\2\3\1\2\16\0\1\1",
    ["an address of a hundred bytes"] = "\0\101\2" .. ("\1"):rep(100) .. "\1\2\16\0\1\1",
    ["a huge file number"] = set_address .. "\4\255\255\255\255\255\255\255\255\127\1" .. "\2\16\0\1\1",
    ["lines and addresses that wrap"] = set_address .. ("\3\255\255\255\255\7\1\2\255\255\255\255\255\255\255\255\127")
      :rep(20) .. "\0\1\1",
    ["files defined by the program"] = set_address .. ("\0\8\3" .. "c.c\0\0\0\0"):rep(50) .. "\4\51\1\2\16\0\1\1",
    ["no instructions"] = "",
    ["addresses that decrease"] = set_address .. "\1\2\16\1" .. "\0\9\2" .. ("<I8"):pack(0x1004) ..
      "\3\1\1\2\16\0\1\1",
  } do
    it("whose program has " .. name .. " is harmless", function()
      local path = with_sections { debug_info = info_5, debug_abbrev = abbrev_5, debug_line = table_5(named, program) }
      read(path)
      compare(path)
    end)
  end

  it("is read if it has unknown opcodes; the header counts their operands", function()
    local parameters <const> = "\1\1\1\251\14\15\0\1\1\1\1\0\0\0\1\0\0\1\2\0"
    local program = set_address .. "\13\1\200\1" .. "\1" .. "\14" .. "\0\1\128" .. "\3\2\1" .. "\2\16\0\1\1"
    local path = with_sections { debug_info = info_5, debug_abbrev = abbrev_5,
      debug_line = table_5(named, program, parameters) }
    assert.same({ "0x1000 b.c 1 x", "0x1000 b.c 3 x", "0x1010" }, our_rows(gprof.image(path)))
    assert.is_true(compare(path) > 0)
  end)

  it("is read up to the first opcode that would divide by a line range of zero", function()
    local parameters <const> = "\1\1\1\251\0\13\0\1\1\1\1\0\0\0\1\0\0\1"
    for _, opcode in ipairs { "\8", "\20" } do
      local path = with_sections { debug_info = info_5, debug_abbrev = abbrev_5,
        debug_line = table_5(named, set_address .. "\1" .. opcode .. one_row, parameters) }
      assert.same({ "0x1000 b.c 1 x" }, our_rows(gprof.image(path)))
      assert.equal(0, compare(path))
    end
  end)

  -- The unit has unknown attributes in three GNU forms: an index into .debug_addr, an index into .debug_str_offsets,
  -- and an entry in another file. Its directory is a string in another file.
  it("may belong to a unit that is partly in another file", function()
    local abbrev = "\1\17\0" .. "\129\64\129\62" .. "\130\64\130\62" .. "\131\64\160\62" .. "\16\23" .. "\27\161\62" ..
      "\0\0\0"
    local info = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. "\0" .. "\0" .. "\0\0\0\0" .. "\0\0\0\0" .. "\0\0\0\0")
    local path = with_sections { debug_info = info, debug_abbrev = abbrev, debug_line = table_5(named, one_row) }
    assert.same(readelf_rows(path), our_rows(gprof.image(path)))
    compare(path)
  end)

  -- The result is not compared with libbfd, whose answers for such a table depend on earlier queries.
  it("whose program has a sequence that does not end is harmless", function()
    local program = set_address .. "\1\2\16\1"
    local path = with_sections { debug_info = info_5, debug_abbrev = abbrev_5, debug_line = table_5(named, program) }
    read(path)
    assert.same({ "0x1000 b.c 1 x", "0x1010 b.c 1 x" }, our_rows(gprof.image(path)))
  end)

  it("with a million rows takes no memory for the unwanted ones", function()
    local program = set_address .. ("\20"):rep(1000000) .. "\0\1\1"
    read(with_sections { debug_info = info_5, debug_abbrev = abbrev_5, debug_line = table_5(named, program) })
  end)

  it("with thousands of sequences for the code of thousands of functions is harmless", function()
    local symbols = {}
    for i = 1, 3000 do symbols[i] = { "f" .. i, i - 1 } end
    local all = set_address .. "\1" .. "\2\184\23" .. "\0\1\1"
    local object = build.craft { address = 0x1000, text = 3000, symbols = symbols }
    shell.check { "ld", "-Ttext=0x1000", "-e", "f1", "-o", object .. ".linked", object }
    local path = with_sections({ debug_info = info_5, debug_abbrev = abbrev_5,
      debug_line = table_5(named, all:rep(3000)) }, object .. ".linked")
    assert.truthy(read(path):find "\nf3000 /home/[ab]%.c:1\n")
  end)

  it("may be referred to by very many units, at any offset", function()
    local units, line = {}, table_5(named, set_address .. ("\20"):rep(100000) .. "\0\1\1")
    for i = 0, 20000 do
      units[#units + 1] = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. ("<I4"):pack(i) .. "/home\0")
    end
    read(with_sections { debug_info = table.concat(units), debug_abbrev = abbrev_5, debug_line = line })
    -- Each of the overlapping headers looks like a table.
    local overlapping = ("\255\255\3\0\2\0\0\0\0\0\1\1\1\1\1\1"):rep(20000)
    units = {}
    for i = 0, 20000 do
      units[#units + 1] = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. ("<I4"):pack(i * 16) .. "/home\0")
    end
    read(with_sections { debug_info = table.concat(units), debug_abbrev = abbrev_5, debug_line = overlapping })
    -- Long overlapping tables of an invalid version.
    units = {}
    for i = 0, 200000 do
      units[#units + 1] = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. ("<I4"):pack(i * 4) .. "/home\0")
    end
    read(with_sections { debug_info = table.concat(units), debug_abbrev = abbrev_5,
      debug_line = ("<I4"):pack(1 << 22):rep(1 << 21) })
  end)

  it("may belong to units whose abbreviations have no end", function()
    local unit = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\2" .. "\0\0\0\0" .. "/home\0")
    local abbrev = ("\1\17\0" .. ("\16\23"):rep(100) .. "\0\0"):rep(10000)
    read(with_sections { debug_info = unit:rep(20000), debug_abbrev = abbrev, debug_line = table_5(named, one_row) })
    -- Attributes that take no bytes in a unit.
    unit, abbrev = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1"), "\1\17\0" .. ("\60\25"):rep(500000) .. "\0\0\0"
    read(with_sections { debug_info = unit:rep(50000), debug_abbrev = abbrev, debug_line = "" })
    read(with_sections { debug_info = ("\0"):rep(1000000), debug_abbrev = abbrev_5, debug_line = "" })
  end)

  it("is read once if the next unit's length would wrap around to the first unit", function()
    local longest = "\255\255\255\255" .. ("<i8"):pack(-#info_5) .. ("\0"):rep(600)
    local path = with_sections { debug_info = info_5 .. longest, debug_abbrev = abbrev_5,
      debug_line = table_5(named, one_row) }
    read(path)
    assert.same({ "0x1000 b.c 1 x", "0x1010" }, our_rows(gprof.image(path)))
  end)
end)

describe("Damaged debugging information is harmless:", function()
  for _, name in ipairs { ".debug_line", ".debug_info", ".debug_abbrev", ".debug_str" } do
    it(name .. " that is truncated, or extends beyond the end of the file", function()
      local _, size = place(name)
      local images = {}
      for _, cut in ipairs { 0, 1, 3, 4, 11, 12, 13, size - 1, size // 2, size // 3, size + 1, size + 4096, 1 << 40,
        1 << 63, -1 } do
        table.insert(images, elf.patch(bytes, name, { size = cut }))
      end
      read(written(table.unpack(images)))
    end)
  end

  it("compressed sections with a false uncompressed size", function()
    local compressed = build.program("twins", "O2+gz").image
    local text = shell.read(compressed)
    local images = {}
    for _, name in ipairs { ".debug_line", ".debug_info", ".debug_str" } do
      local offset = elf.place(compressed, name)
      for _, size in ipairs { 0, 1, 1 << 24, 1 << 32, 1 << 40, (1 << 62) - 1, -1 } do
        table.insert(images, text:sub(1, offset + 8) .. ("<i8"):pack(size) .. text:sub(offset + 17))
      end
    end
    read(written(table.unpack(images)))
  end)

  local repeatedly = chance.cases(1, 200)
  for _, name in ipairs { ".debug_line", ".debug_info", ".debug_abbrev" } do
    it("random bytes in " .. name, function()
      local offset, size = place(name)
      repeatedly(function(note)
        local list = {}
        for i = 1, 8 do
          local text = bytes
          for _ = 1, math.random(4) do
            local at, byte = offset + math.random(0, size - 1), chance.pick { 0, 1, 127, 128, 255, math.random(0, 255) }
            text = text:sub(1, at) .. string.char(byte) .. text:sub(at + 2)
          end
          list[i] = text
        end
        local done, message = pcall(read, written(table.unpack(list)))
        assert(done, note .. tostring(message))
      end, 8)
    end)
  end
end)
