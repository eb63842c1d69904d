-- The object file: its fields, the source location of an address, and errors for unusable files.
-- SPDX-License-Identifier: GPL-3.0-or-later

local addresses = require "support.addresses"
local build = require "support.build"
local elf = require "support.elf"
local gprof = require "gprof"
local launch = require "support.launch"
local shell = require "support.shell"

describe("an image", function()
  local path = build.program("brief").image
  local image = gprof.image(path)

  it("has its path and the addresses of its code", function()
    local address, size = build.section(path, ".text")
    assert.equal(path, image.path)
    assert.equal(address, image.text_low)
    assert.equal(address + size, image.text_high)
    assert.equal("image: " .. path, tostring(image))
  end)

  for target, expected in pairs {
    ["elf32-little"] = { 4, false }, ["elf32-big"] = { 4, true },
    ["elf64-little"] = { 8, false }, ["elf64-big"] = { 8, true },
    ["elf64-x86-64"] = { 8, false },
  } do
    it("has a byte order and a pointer size: " .. target, function()
      local other = gprof.image(build.craft { target = target, text = 16, symbols = { { "f", 0 } } })
      assert.same(expected, { other.pointer_size, other.big_endian })
      assert.same({ 0x1000, 0x1010 }, { other.text_low, other.text_high })
    end)
  end

  it("limits its code to the size of the file", function()
    local bytes = shell.read(path)
    local damaged = shell.write(shell.tmpdir "code" .. "/image", elf.patch(bytes, ".text", { size = 1 << 40 }))
    local script = "local image = require 'gprof'.image(arg[1]) print(image.text_high - image.text_low)"
    assert.equal(#bytes .. "\n", launch.script(script, { damaged }).stdout)
  end)

  it("limits its code to a multiple of the size of a debugging file", function()
    local dir = shell.tmpdir "kept"
    local script = "local image = require 'gprof'.image(arg[1]) print(image.text_high - image.text_low)"
    shell.check { "objcopy", "--only-keep-debug", path, dir .. "/kept" }
    local _, size = build.section(path, ".text")
    local bytes = shell.read(dir .. "/kept")
    shell.write(dir .. "/damaged", elf.patch(bytes, ".text", { size = 1 << 40 }))
    assert.equal(size .. "\n", launch.script(script, { dir .. "/kept" }).stdout)
    assert.equal(16 * #bytes .. "\n", launch.script(script, { dir .. "/damaged" }).stdout)
  end)

  it("has no other fields", function()
    for _, key in ipairs { "size", 1, false } do assert.has_error(function() return image[key] end) end
    assert.has_error(function() image.path = "other" end)
  end)

  it("can be open several times at once", function()
    local images = {}
    for i = 1, 50 do
      images[i] = gprof.image(path)
    end
    assert.equal(images[1].text_low, images[50].text_low)
    assert.not_equal(images[1], images[50])
  end)
end)

describe("the source of an address", function()
  for _, variant in ipairs { "", "O1", "O2", "O1+dwarf2", "O1+dwarf4", "O1+gz", "clang+O1" } do
    it("equals addr2line's, throughout the text: lines " .. variant, function()
      local supported, why = build.supported("lines", variant)
      if not supported then
        pending(why)
        return
      end
      local path = build.program("lines", variant).image
      if variant == "O1+gz" then
        assert.truthy(shell.check({ "readelf", "-t", "-W", path }).stdout:find("ZLIB", 1, true))
      end
      local first, size = build.section(path, ".text")
      local answers, at, inlined = addresses.addr2line(path, first, first + size - 1), 0, 0
      for line in launch.script(addresses.script, { path, first, first + size - 1 },
        addresses.excused).stdout:gmatch("[^\n]+") do
        at = at + 1
        assert.equal(answers[at], line)
        inlined = inlined + (line:find("lines%.h:%d+ clamp$") and 1 or 0)
      end
      assert.equal(size, at)
      assert.is_true(inlined > 10)
    end)
  end

  -- Relocations of debugging information refer to symbols by their number in the complete table.
  for _, target in ipairs { "elf64-x86-64", "pe-x86-64" } do
    it("equals addr2line's for an unlinked file: " .. target, function()
      local path = shell.tmpdir "object" .. "/lines.o"
      shell.check { "objcopy", "-O", target, build.program("lines", "O1+nopie").dir .. "/lines.o", path }
      local first, size = build.section(path, ".text")
      local answers, at = addresses.addr2line(path, first, first + size - 1), 0
      for line in launch.script(addresses.script, { path, first, first + size - 1 },
        addresses.excused).stdout:gmatch("[^\n]+") do
        at = at + 1
        assert.equal(answers[at], line)
      end
      assert.equal(size, at)
    end)
  end

  it("is in the file that nm -l prints, for functions", function()
    local path = build.program("twins").image
    local image, met = gprof.image(path), 0
    for address, name, file in shell.check({ "nm", "-l", path }, { env = { LC_ALL = "C" } }).stdout
      :gmatch("(%x+) [tT] ([^\n\t]+)\t([^\n]+):%d+\n") do
      local found, _, called = image:source(tonumber(address, 16))
      assert.same({ file, name }, { found, called })
      assert.equal(file, (image:line(tonumber(address, 16))))
      met = met + 1
    end
    assert.is_true(met > 5)
  end)

  it("has the symbol table's name for an assembler function", function()
    local supported, why = build.supported("labels")
    if not supported then
      pending(why)
      return
    end
    local built = build.program("labels")
    local file, line, name = gprof.image(built.image):source(build.address(built.image, "untyped") + 1)
    assert.equal("labels.s", file:match("[^/]+$"))
    local lines = {}
    for text in shell.read(built.dir .. "/labels.s"):gmatch("([^\n]*)\n") do
      table.insert(lines, text)
    end
    assert.equal("untyped:", lines[line - 1])
    assert.equal("untyped", name)
  end)

  it("is nil without debugging information", function()
    local path = build.program("calls", "nodebug").image
    local image = gprof.image(path)
    for address = image.text_low, image.text_high - 1 do
      assert.is_nil((image:source(address)))
    end
  end)

  it("is nil outside the code", function()
    local image = gprof.image(build.program("lines").image)
    for _, address in ipairs { 0, 1, -1, image.text_high, image.text_high + 4096, math.mininteger, math.maxinteger } do
      assert.is_nil((image:source(address)))
    end
  end)
end)

it("an image may have more labels without a name than functions, as clang's for MIPS", function()
  local path = build.craft { text = 0x40, symbols = { { "f", 0 }, { "", 4, "local" }, { "", 8, "local" } } }
  assert.truthy(shell.check({ "readelf", "-sW", path }).stdout:find "NOTYPE +LOCAL +DEFAULT +1 *\n")
  assert.equal("f", assert(gprof.image(path)):find("f").name)
end)

describe("an unusable file gives nil and one line:", function()
  local function check(path, expected, open)
    local image, message = (open or gprof.image)(path)
    assert.is_nil(image)
    assert.equal(path .. ": ", message:sub(1, #path + 2))
    local problem = message:sub(#path + 3)
    assert.truthy(problem:find(expected), problem)
    assert.is_nil(problem:find("\n"))
  end

  it("a missing file", function()
    check(shell.tmpdir() .. "/none", "^No such file or directory$")
  end)

  it("a directory", function()
    check(shell.tmpdir(), "^is a directory$")
  end)

  for name, bytes in pairs {
    ["an empty file"] = "", ["a text"] = "int main(void) { return 0; }\n", ["four bytes of an object file"] = "\127ELF",
    ["an archive"] = "!<arch>\n",
  } do
    it(name, function()
      check(shell.write(shell.tmpdir() .. "/image", bytes), "^is not an object file %([%l ]+%)$")
    end)
  end

  -- libbfd takes 8 KiB of memory per byte of this file, and quadratic time.
  it("a text in one of libbfd's text formats", function()
    local records = {}
    for i = 1, 20000 do
      records[i] = ("%%10600%X%08X90\n"):format(8, 0x10000000 + i * 0x2000)
    end
    for first, rest in pairs { ["%"] = table.concat(records):sub(2), [":"] = "00000001FF\n", S = "9030000FC\n",
      ["$"] = "$ image\n" } do
      check(shell.write(shell.tmpdir() .. "/image", first .. rest), "^is a text file, not an object file$")
    end
  end)

  it("a stripped program, with advice", function()
    local advice = "^has no symbols: use the unstripped file, linked without %-s$"
    -- The image opens, because symbols may come from elsewhere or not be needed.
    local function profile_of(path)
      local image = assert(gprof.image(path))
      return gprof.profile(image, assert(gprof.data.new { image = image }))
    end
    check(build.program("brief", "stripped").image, advice, profile_of)
    local copy = shell.tmpdir() .. "/stripped"
    shell.check { "strip", "-o", copy, build.program("brief").image }
    check(copy, advice, profile_of)
  end)

  it("a truncated symbol table or string table", function()
    local path, bytes = shell.tmpdir "damaged" .. "/image", shell.read(build.program("brief").image)
    local function profile_of(damaged)
      local image = assert(gprof.image(damaged))
      return gprof.profile(image, assert(gprof.data.new { image = image }))
    end
    shell.write(path, elf.patch(bytes, ".symtab", { size = 1 << 20 }))
    check(path, "^symbol table: file truncated$", profile_of)
    local named = "^symbol table: cannot read the names of %d+ symbols$"
    for _, size in ipairs { 0, 1, 100, 1 << 20, 1 << 40 } do
      shell.write(path, elf.patch(bytes, ".strtab", { size = size }))
      check(path, named, profile_of)
    end
    local at, size = elf.place(build.program("brief").image, ".strtab")
    shell.write(path, bytes:sub(1, at) .. ("\0"):rep(size) .. bytes:sub(at + size + 1))
    check(path, named, profile_of)
  end)

  it("an object file without code", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/bytes", "data")
    shell.check({ "objcopy", "-I", "binary", "-O", "elf64-x86-64", "bytes", "image" }, { cwd = dir })
    check(dir .. "/image", "^has no section %.text$")
  end)

  it("an image truncated anywhere, if it cannot be read", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local bytes, path = io.open(arg[1]):read("a"), arg[2]
      for part = 0, 63 do
        io.open(path, "w"):write(bytes:sub(1, #bytes * part // 64)):close()
        local image, message = gprof.image(path)
        for address = image and image.text_low or 1, image and image.text_high or 0, 16 do
          image:source(address)
        end
        assert(image or message:find "^[^\n]+$")
      end
      print "done"
    ]], { build.program("brief").image, shell.tmpdir() .. "/cut" }, addresses.excused)
    assert.same({ "done\n", "", 0 }, { result.stdout, result.stderr, result.status })
  end)
end)

describe("the name of another file in an image", function()
  local asking <const> = [[
    local image = assert(require "gprof".image(arg[1]))
    print(image:source(image.text_low))
  ]]

  -- Looks up a line in a program without debugging information, whose .gnu_debuglink names another file.
  local function ask(dir, name)
    local link = shell.write(dir .. "/link", name .. ("\0"):rep(4 - #name % 4) .. "\1\2\3\4")
    shell.check { "objcopy", "--strip-debug", "--add-section", ".gnu_debuglink=" .. link,
      build.program("brief").image, dir .. "/image" }
    local result = launch.script(asking, { dir .. "/image" }, { timeout = true })
    assert.same({ "nil\n", "", 0 }, { result.stdout, result.stderr, result.status })
  end

  it("is not followed to an endless file", function()
    ask(shell.tmpdir "endless", "../../../../../../../../../../dev/zero")
    local dir = shell.tmpdir "linked"
    shell.check { "ln", "-s", "/dev/zero", dir .. "/zero" }
    ask(dir, "zero")
  end)

  it("is not followed to a pipe", function()
    for _, place in ipairs { "/", "/.debug/" } do
      local dir = shell.tmpdir "pipe"
      shell.check { "mkdir", "-p", dir .. place }
      shell.check { "mkfifo", dir .. place .. "debug" }
      ask(dir, "debug")
    end
  end)

  it("is followed to a file with debugging information", function()
    local dir, path = shell.tmpdir "followed", build.program("brief").image
    shell.check { "objcopy", "--only-keep-debug", path, dir .. "/debug" }
    shell.check({ "objcopy", "--strip-debug", "--add-gnu-debuglink=debug", path, "image" }, { cwd = dir })
    local low = gprof.image(path).text_low
    local known = 0
    local apart, whole = gprof.image(dir .. "/image"), gprof.image(path)
    for address = low, whole.text_high - 1 do
      local source, expected = apart:source(address), whole:source(address)
      assert.equal(expected and expected.line, source and source.line)
      known = known + (source and 1 or 0)
    end
    assert.truthy(known > 0)
  end)
end)

describe("libbfd's warnings", function()
  local bytes, path = shell.read(build.program("brief").image), shell.tmpdir "warning" .. "/image"
  shell.write(path, elf.patch(bytes, ".comment", { size = 1 << 40 }))

  it("are printed by other programs", function()
    local warnings = shell.run({ "nm", path }, { env = { LC_ALL = "C" } }).stderr
    assert.truthy(warnings:find "has a section extending past end of file")
  end)

  it("are discarded, and standard error is restored afterwards", function()
    local result = launch.script([[
      local image = assert(require "gprof".image(arg[1]))
      image:source(image.text_low)
      io.stderr:write "mine\n"
    ]], { path }, addresses.excused)
    assert.same({ "mine\n", 0 }, { result.stderr, result.status })
  end)
end)

describe("a closed image", function()
  local image = gprof.image(build.program("brief").image)
  image:close()

  it("can be closed again, and described", function()
    image:close()
    assert.equal(("image: %s (closed)"):format(build.program("brief").image), tostring(image))
  end)

  it("raises an error for everything else", function()
    assert.error_matches(function() image:source(0) end, "image is closed")
    assert.error_matches(function() return image.text_low end, "image is closed")
    assert.error_matches(function() gprof.data.new { image = image } end, "image is closed")
  end)
end)

describe("the build id of an image", function()
  local path = build.program("brief").image
  local id = shell.check({ "readelf", "-n", path }).stdout:match "Build ID: (%x+)"

  it("is the linker's", function()
    assert.equal(id, gprof.image(path).build_id)
    local dir = shell.tmpdir "build-id"
    shell.write(dir .. "/f.c", "int f(void) { return 0; }")
    for _, chosen in ipairs { "00ff", ("a5"):rep(64) } do
      shell.check({ "gcc", "-shared", "-o", "f", "f.c", "-Wl,--build-id=0x" .. chosen }, { cwd = dir })
      assert.equal(chosen, gprof.image(dir .. "/f").build_id)
    end
  end)

  it("is nil if there is none, or a very long one", function()
    local dir = shell.tmpdir "build-id"
    shell.write(dir .. "/f.c", "int f(void) { return 0; }")
    for _, how in ipairs { "none", "0x" .. ("a5"):rep(65) } do
      shell.check({ "gcc", "-shared", "-o", "f", "f.c", "-Wl,--build-id=" .. how }, { cwd = dir })
      assert.is_nil(gprof.image(dir .. "/f").build_id)
    end
  end)

  it("is nil if the note is damaged in any byte, or truncated", function()
    local bytes, dir = shell.read(path), shell.tmpdir "build-id"
    local at, size = elf.place(path, ".note.gnu.build-id")
    for i = 0, 15 do
      local damaged = bytes:sub(1, at + i) .. string.char(~bytes:byte(at + i + 1) & 255) .. bytes:sub(at + i + 2)
      assert.is_nil(gprof.image(shell.write(dir .. "/image", damaged)).build_id)
    end
    for _, length in ipairs { 0, 11, 15, size - 1 } do
      local cut = shell.write(dir .. "/image", elf.patch(bytes, ".note.gnu.build-id", { size = length }))
      assert.is_nil(assert(gprof.image(cut)).build_id)
    end
  end)

  it("is read in the byte order of the image", function()
    local note = (">I4I4I4"):pack(4, 2, 3) .. "GNU\0\xab\xcd\0\0"
    local other = build.craft { target = "elf32-big", text = 16, symbols = { { "f", 0 } } }
    local file = shell.write(shell.tmpdir() .. "/note", note)
    shell.check { "objcopy", "-I", "elf32-big", "-O", "elf32-big",
      "--add-section", ".note.gnu.build-id=" .. file, other }
    assert.equal("abcd", gprof.image(other).build_id)
  end)
end)
