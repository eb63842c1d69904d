-- Stripped images: symbols and lines come from the debugging file of the same build.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local elf = require "support.elf"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local MESSAGE <const> = ": has no symbols: use the unstripped file, linked without -s"

local function objcopy(...)
  shell.check { "objcopy", ... }
end

-- Makes a directory with the stripped program, "image", and its debugging file, "kept".
local function strip(built, flag)
  local dir = shell.tmpdir "stripped"
  objcopy("--only-keep-debug", built.image or built, dir .. "/kept")
  shell.check { "strip", flag or "-s", "-o", dir .. "/image", built.image or built }
  return dir
end

-- Moves the debugging file to `place`, a path or a name in `dir`. Returns its path.
local function put(dir, place)
  local path = place:find "^/" and place or dir .. "/" .. place
  shell.check { "mkdir", "-p", path:match "^(.*)/" }
  shell.check { "mv", dir .. "/kept", path }
  return path
end

-- Records the debugging file in the image's .gnu_debuglink under `name`. The file itself stays at "kept".
local function link(dir, name)
  shell.check({ "cp", "kept", name or "image.debug" }, { cwd = dir })
  shell.check({ "objcopy", "--add-gnu-debuglink=" .. (name or "image.debug"), "image" }, { cwd = dir })
  os.remove(dir .. "/" .. (name or "image.debug"))
end

-- Writes a .gnu_debuglink that objcopy would not write.
local function forge(dir, name)
  local text = shell.write(dir .. "/text", name .. ("\0"):rep(4 - #name % 4) .. "\1\2\3\4")
  objcopy("--add-section", ".gnu_debuglink=" .. text, dir .. "/image")
end

local function id_of(image)
  return gprof.image(image).build_id
end

local function by_id(image)
  return ".build-id/" .. id_of(image):gsub("^..", "%0/") .. ".debug"
end

-- Runs the program on a fixture's profile. Returns its output, its messages and its status.
local function report(built, image, options)
  local result = program.run({ "-b", image, built.gmon, table.unpack(options) })
  return { result.stdout, result.stderr, result.status }
end

local option_sets <const> = {
  { "-p", "-q" }, { "-l", "-p" }, { "-l", "-z", "-p", "-L" }, { "-A", "-L" }, { "-q", "-L", "--inline-file-names" },
  { "-c", "-q" },
}

-- Returns the report on the unstripped image. Reports are cached.
local cache <const> = {}
local function expected_report(built, options)
  local key = table.concat({ built.image, table.unpack(options) }, " ")
  cache[key] = cache[key] or report(built, built.image, options)
  return cache[key]
end

local function check_same(built, image, options, more_options)
  local more = more_options or {}
  local all = table.move(more, 1, #more, #options + 1, table.move(options, 1, #options, 1, {}))
  local output, messages, status = table.unpack(expected_report(built, options))
  assert.same({ output, (messages:gsub(built.image:gsub("%p", "%%%0"), image)), status }, report(built, image, all))
end

local calls <const> = build.program("calls", "O2")

describe("a stripped image with a debugging file", function()
  for _, variant in ipairs { "calls ", "calls O2+nodebug", "shapes O2", "clones O2" } do
    local built = build.program(variant:match "(%S+) (%S*)")
    it("gives the same reports as the unstripped one: " .. variant, function()
      local dir = strip(built)
      link(dir)
      put(dir, "image.debug")
      for _, options in ipairs(chance.some(option_sets, 6)) do check_same(built, dir .. "/image", options) end
    end)
  end

  it("gives the same reports if it still has its symbols", function()
    local dir = strip(calls, "-g")
    link(dir)
    put(dir, "image.debug")
    for _, options in ipairs(chance.some(option_sets, 6)) do check_same(calls, dir .. "/image", options) end
  end)

  -- zlib-gnu needs DWARF 4: it names sections .zdebug_, and libbfd does not find .zdebug_rnglists, a DWARF 5 section.
  for how, variant in pairs { zlib = "O2", zstd = "O2", ["zlib-gnu"] = "O2+dwarf4" } do
    it("gives the same reports if the debugging information is compressed: " .. how, function()
      local built = build.program("calls", variant)
      local dir = strip(built)
      objcopy("--compress-debug-sections=" .. how, dir .. "/kept")
      link(dir)
      put(dir, "image.debug")
      check_same(built, dir .. "/image", option_sets[3])
    end)
  end

  it("gives the same symbols, sources and lines in the library", function()
    local dir = strip(calls)
    link(dir)
    put(dir, "image.debug")
    local whole, image = gprof.image(calls.image), gprof.image(dir .. "/image")
    local known = 0
    for address = whole.text_low, whole.text_high - 1 do
      assert.same({ whole:source(address) }, { image:source(address) })
      known = known + (image:source(address) and 1 or 0)
    end
    assert.truthy(known > 0)
    local function all(of)
      local rows = {}
      for symbol in of:symbols() do
        rows[#rows + 1] = { symbol.name, symbol.address, symbol.size, symbol.file, symbol.line }
      end
      for address, file, line in of:lines() do rows[#rows + 1] = { address, file, line } end
      return rows
    end
    assert.same(all(whole), all(image))
  end)
end)

describe("a debugging file is found", function()
  local function check(dir, more, image)
    check_same(calls, image or dir .. "/image", option_sets[2], more)
  end

  it("in the directory .debug beside the image", function()
    local dir = strip(calls)
    link(dir, "other-1.debug")
    put(dir, ".debug/other-1.debug")
    check(dir)
  end)

  it("by the image's name, if there is no .gnu_debuglink", function()
    local dir = strip(calls)
    put(dir, "image.debug")
    check(dir)
  end)

  it("beside the image that a symbolic link points to", function()
    local dir, other = strip(calls), shell.tmpdir "other"
    link(dir)
    put(dir, "image.debug")
    shell.check { "ln", "-s", dir .. "/image", other .. "/linked" }
    check(dir, nil, other .. "/linked")
  end)

  it("if the image is in the working directory", function()
    local dir = strip(calls)
    link(dir)
    put(dir, "image.debug")
    local result = program.run({ "-b", "-l", "-p", "image", calls.gmon }, { cwd = dir })
    assert.same(report(calls, calls.image, option_sets[2]), { result.stdout, result.stderr, result.status })
  end)

  for name, place in pairs {
    ["by its name"] = function() return "some.debug" end,
    ["by its name and the directory of the image"] = function(dir) return dir .. "/some.debug" end,
    ["by its build id"] = function(dir) return by_id(dir .. "/image") end,
  } do
    it("in a directory given by --debug-dir, " .. name, function()
      local dir, other = strip(calls), shell.tmpdir "debug"
      link(dir, "some.debug")
      put(dir, other .. "/" .. place(dir))
      check(dir, { "--debug-dir=/nowhere", "--debug-dir=" .. other })
      local image = gprof.image(dir .. "/image", { debug_dir = { other } })
      assert.truthy(image:find "main")
      assert.equal(((other .. "/" .. place(dir)):gsub("//", "/")), image.debug_file)
      assert.equal("debug file", image.symbols_from)
    end)
  end

  it("even if a file from a different build comes first; a warning names that file", function()
    local dir, other = strip(calls), shell.tmpdir "debug"
    link(dir)
    shell.check { "cp", dir .. "/kept", other .. "/image.debug" }
    objcopy("--only-keep-debug", build.program("cycles").image, dir .. "/image.debug")
    local warnings = {}
    local image = gprof.image(dir .. "/image", { debug_dir = { other },
      warn = function(line) table.insert(warnings, line) end })
    assert.truthy(image:find "main")
    assert.equal(other .. "/image.debug", image.debug_file)
    local warning = "%s/image.debug: is from a different build than %s/image: its build-id is %s, not %s"
    assert.same({ warning:format(dir, dir, id_of(dir .. "/image.debug"), id_of(dir .. "/image")) }, warnings)
  end)

  it("for the old image of a comparison", function()
    local dir, other = strip(calls), shell.tmpdir "debug"
    put(dir, other .. "/image.debug")
    local function compare(image, ...)
      local result = program.run { "-b", "--compare=" .. image, "--compare=" .. calls.gmon, calls.image, calls.gmon,
        ... }
      return { result.stdout, result.stderr, result.status }
    end
    assert.same(compare(calls.image), compare(dir .. "/image", "--debug-dir=" .. other))
  end)

  it("in the sandbox", function()
    local dir, other = strip(calls), shell.tmpdir "debug"
    link(dir, "some.debug")
    local first = program.run { "--sandbox", "-b", calls.image, calls.gmon }
    if first.stderr:find "cannot create the sandbox" then return pending(first.stderr) end
    shell.check { "cp", dir .. "/kept", dir .. "/some.debug" }
    check(dir, { "--sandbox" })
    os.remove(dir .. "/some.debug")
    put(dir, other .. "/some.debug")
    check(dir, { "--sandbox", "--debug-dir=" .. other })
    shell.check { "ln", "-s", other .. "/some.debug", dir .. "/some.debug" }
    assert.same({ "", ("gprof.lua: %s/image%s; %s/some.debug: Permission denied\n"):format(dir, MESSAGE, dir), 1 },
      report(calls, dir .. "/image", { "-p", "--sandbox" }))
  end)
end)

describe("no debugging file is searched for", function()
  local function loaded(...)
    local result = launch.script([[
      local gprof = require "gprof"
      local image = assert(gprof.image(arg[1]))
      local profile = assert(gprof.profile(image, assert(gprof.data(image, arg[2])), { line = arg[3] == "line" }))
      for f in profile:functions() do local _ = f.file end
      image:source(image.text_low)
      local loaded = package.loaded["gprof.library.debug_file"] ~= nil
      print(loaded, image.debug_file, image.shared_debug_file, image.symbols_from)
    ]], { ... })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return result.stdout
  end

  it("if the image has symbols and debugging information", function()
    for _, how in ipairs { "line", "function" } do
      assert.equal("false\tnil\tnil\timage\n", loaded(calls.image, calls.gmon, how))
    end
  end)

  it("under --gnu-compat", function()
    if not oracle.available() then return pending "needs GNU gprof" end
    for _, flag in ipairs { "-g", "-s" } do
      local dir = strip(calls, flag)
      link(dir)
      put(dir, "image.debug")
      for _, options in ipairs { { "-p" }, { "-l", "-p" } } do
        local theirs = oracle.run { "-b", dir .. "/image", calls.gmon, table.unpack(options) }
        local ours = report(calls, dir .. "/image", { "--gnu-compat", table.unpack(options) })
        assert.same({ theirs.stdout, theirs.status }, { ours[1], ours[3] })
        assert.equal(flag == "-s", theirs.stderr:find "has no symbols" ~= nil)
      end
    end
  end)
end)

it("--gnu-compat does not follow links to a pipe; GNU gprof does", function()
  for _, section in ipairs { ".gnu_debuglink", ".gnu_debugaltlink" } do
    for _, place in ipairs { "/", "/.debug/" } do
      local dir = strip(calls, "-g")
      shell.check { "mkdir", "-p", dir .. place }
      shell.check { "mkfifo", dir .. place .. "pipe" }
      local text = shell.write(dir .. "/text", "pipe\0\0\0\0\1\2\3\4")
      local from = section == ".gnu_debugaltlink" and calls.image or dir .. "/image"
      objcopy("--add-section", section .. "=" .. text, from, dir .. "/linked")
      local result = program.run({ "-b", "--gnu-compat", "-l", "-p", dir .. "/linked", calls.gmon }, { timeout = true })
      assert.same({ "", 0 }, { result.stderr, result.status })
    end
  end
end)

it("a damaged link counts as no link", function()
  local dir = strip(calls, "-s")
  local expected = report(calls, dir .. "/image", { "-p" })
  for _, section in ipairs { ".gnu_debuglink", ".gnu_debugaltlink" } do
    for _, contents in ipairs { "", "no end", "too short\0\0\0", "\0\0\0" } do
      local text = shell.write(dir .. "/text", contents)
      objcopy("--add-section", section .. "=" .. text, dir .. "/image", dir .. "/linked")
      local result = report(calls, dir .. "/linked", { "-p" })
      result[2] = result[2]:gsub("/linked", "/image")
      assert.same(expected, result)
    end
  end
end)

describe("a debugging file is refused", function()
  -- Checks that the image has no symbols and the error gives the reason.
  local function check(dir, problem, ...)
    local expected = ("gprof.lua: %s/image%s; %s\n"):format(dir, MESSAGE, problem:gsub("DIR", dir))
    assert.same({ "", expected, 1 }, report(calls, dir .. "/image", { "-p", ... }))
  end

  -- Checks that the report equals the one on an image without lines, and that a warning gives the reason.
  local function check_lines(dir, problem)
    local bare = shell.tmpdir() .. "/bare"
    shell.check { "strip", "-g", "-o", bare, calls.image }
    local expected = report(calls, bare, { "-p", "-l" })
    expected[2] = ("gprof.lua: warning: %s\n"):format((problem:gsub("DIR", dir)))
    assert.same(expected, report(calls, dir .. "/image", { "-p", "-l" }))
  end

  for name, flag in pairs { symbols = "-s", lines = "-g" } do
    local function refuse(dir, problem)
      return (flag == "-s" and check or check_lines)(dir, problem)
    end

    it("if its build id is a different one: " .. name, function()
      local dir = strip(calls, flag)
      link(dir)
      objcopy("--only-keep-debug", build.program("calls").image, dir .. "/image.debug")
      refuse(dir, ("DIR/image.debug: is from a different build than DIR/image: its build-id is %s, not %s"):format(
        id_of(build.program("calls").image), id_of(calls.image)))
    end)

    it("if its checksum matches, but not its build id: " .. name, function()
      local dir = strip(calls, flag)
      objcopy("--only-keep-debug", build.program("calls").image, dir .. "/kept")
      link(dir)
      put(dir, "image.debug")
      refuse(dir, ("DIR/image.debug: is from a different build than DIR/image: its build-id is %s, not %s"):format(
        id_of(build.program("calls").image), id_of(calls.image)))
    end)

    it("if it does not exist: " .. name, function()
      local dir = strip(calls, flag)
      link(dir)
      refuse(dir, ("DIR/image: debugging file image.debug not found in /usr/lib/debug/%s, DIR, DIR/.debug " ..
        "and 1 more"):format(by_id(dir .. "/image"):match "^(.*)/"))
    end)

    it("if it is the image itself: " .. name, function()
      local dir = strip(calls, flag)
      forge(dir, "image")
      refuse(dir, "DIR/image: is the image itself, not its debugging file")
    end)

    for _, what in ipairs { "../image.debug", "/dev/zero", "..", ".", "" } do
      it(("if its name is '%s': %s"):format(what, name), function()
        local dir = strip(calls, flag)
        forge(dir, what)
        refuse(dir, ("DIR/image: invalid name '%s' in .gnu_debuglink"):format(what))
      end)
    end

    it("if it is a pipe, a device or a directory: " .. name, function()
      for _, command in ipairs { { "mkfifo" }, { "ln", "-s", "/dev/zero" }, { "mkdir" } } do
        local dir = strip(calls, flag)
        link(dir)
        table.insert(command, dir .. "/image.debug")
        shell.check(command)
        refuse(dir, "DIR/image.debug: not a regular file, cannot read debugging information")
      end
    end)

    it("if it is not an object file: " .. name, function()
      local dir = strip(calls, flag)
      link(dir)
      shell.write(dir .. "/image.debug", "not an object\n")
      refuse(dir, "DIR/image.debug: is not an object file (file format not recognized)")
    end)

    it("if it was stripped, too: " .. name, function()
      local dir = strip(calls, flag)
      link(dir)
      shell.check { "strip", dir .. "/kept", "-o", dir .. "/image.debug" }
      refuse(dir, ("DIR/image.debug: has no %s either"):format(flag == "-s" and "symbols" or "debugging information"))
    end)

    it("if its .text has a different address: " .. name, function()
      local dir = strip(calls, flag)
      link(dir)
      objcopy("--change-section-address", ".text+0x1000", dir .. "/kept", dir .. "/image.debug")
      refuse(dir, "DIR/image.debug: describes different code: its .text differs in address, size or architecture")
    end)
  end

  describe("for an image without a build id", function()
    local dir = shell.tmpdir "no_build_id"
    local whole = dir .. "/whole"
    objcopy("--remove-section=.note.gnu.build-id", calls.image, whole)

    it("if its checksum differs from the one in .gnu_debuglink", function()
      local stripped = strip(whole)
      link(stripped)
      put(stripped, "image.debug")
      check_same(calls, stripped .. "/image", option_sets[2])
      local file = assert(io.open(stripped .. "/image.debug", "a"))
      file:write("\0")
      file:close()
      local result = report(calls, stripped .. "/image", { "-p" })
      assert.truthy(result[2]:find("^gprof.lua: .*; [^\n]*/image%.debug: is from a different build than " ..
        "[^\n]*/image: its checksum is %x+, not %x+\n$"), result[2])
      assert.equal(1, result[3])
    end)

    it("unless its checksum is right, even if it has holes", function()
      local stripped = strip(whole)
      shell.check { "truncate", "--size=+30M", stripped .. "/kept" }
      link(stripped)
      put(stripped, "image.debug")
      assert.same({ "", 0 }, { table.unpack(report(calls, stripped .. "/image", { "-p" }), 2) })
    end)

    it("if it has holes and its checksum differs", function()
      local stripped = strip(whole)
      for _, size in ipairs { "+30M", "+1" } do
        shell.check { "truncate", "--size=" .. size, stripped .. "/kept" }
        if size == "+30M" then link(stripped) end
      end
      put(stripped, "image.debug")
      local result = report(calls, stripped .. "/image", { "-p" })
      assert.truthy(result[2]:find "image%.debug: is from a different build than [^\n]*: its checksum is", result[2])
    end)

    it("if it is much larger than the image", function()
      local stripped = strip(whole)
      link(stripped)
      put(stripped, "image.debug")
      shell.check { "truncate", "--size=4G", stripped .. "/image.debug" }
      assert.same({ "", ("gprof.lua: %s/image%s; %s/image.debug: is too large to be the debugging file of %s/image: " ..
        "more than 64 times its size\n"):format(stripped, MESSAGE, stripped, stripped), 1 },
        report(calls, stripped .. "/image", { "-p" }))
    end)

    it("if there is no .gnu_debuglink, either", function()
      local stripped = strip(whole)
      put(stripped, "image.debug")
      assert.same({ "", ("gprof.lua: %s/image%s\n"):format(stripped, MESSAGE), 1 },
        report(calls, stripped .. "/image", { "-p" }))
    end)
  end)

  it("if the image's build id has an absurd length", function()
    for _, size in ipairs { 0, 1, 65, 1 << 20, 0xffffffff } do
      local dir = strip(calls)
      local note = ("<I4I4I4"):pack(4, size, 3) .. "GNU\0" .. ("\1"):rep(math.min(size, 100000))
      objcopy("--update-section", ".note.gnu.build-id=" .. shell.write(dir .. "/note", note), dir .. "/image")
      put(dir, "image.debug")
      local result = report(calls, dir .. "/image", { "-p" })
      assert.equal("", result[1])
      assert.truthy(result[2]:find "^gprof.lua: [^\n]*/image: has no symbols: [^\n]*\n$", result[2])
    end
  end)
end)

describe("the symbols in .gnu_debugdata", function()
  if not package.searchpath("gprof.xz", package.cpath) and not package.preload["gprof.xz"] then
    return pending "gprof.xz is not built: liblzma-dev is not installed"
  elseif shell.run({ "xz", "--version" }).status ~= 0 then
    return pending "xz is not installed"
  end

  -- Returns a set of symbol names: the symbols whose type letter, as nm prints it, matches a pattern.
  local function names(pattern, ...)
    local found = {}
    for name, type in shell.check({ "nm", "--format=posix", "--defined-only", ... }).stdout
      :gmatch "([^\n ]+) (%a)[^\n]*" do
      if type:find(pattern) then found[name] = true end
    end
    return found
  end

  -- Makes an image with .gnu_debugdata, as distributions do: the file "small" has the symbols of functions that are not
  -- dynamic symbols, and the shell command `pack` compresses it.
  local function image_with(built, pack, ...)
    local dir = strip(built)
    local dynamic, keep = names(".", "-D", built.image), {}
    for name in pairs(names("[TtD]", built.image)) do
      if not dynamic[name] then keep[#keep + 1] = name .. "\n" end
    end
    shell.write(dir .. "/keep", table.concat(keep))
    objcopy("-S", "--remove-section=.comment", "--keep-symbols=" .. dir .. "/keep", dir .. "/kept", dir .. "/small")
    os.remove(dir .. "/kept")
    shell.check({ "sh", "-c", pack .. " >packed" , "sh", ... }, { cwd = dir })
    objcopy("--add-section", ".gnu_debugdata=" .. dir .. "/packed", dir .. "/image")
    return dir .. "/image"
  end

  it("give the same reports as the unstripped image", function()
    local built = build.program("calls", "O2+nodebug")
    local image = image_with(built, "xz <small")
    for _, options in ipairs { { "-p" }, { "-q" }, { "-l", "-p" } } do check_same(built, image, options) end
  end)

  it("complement the dynamic symbols", function()
    local dir = shell.tmpdir "dynamic"
    local whole = { image = dir .. "/program", gmon = calls.gmon }
    shell.check({ "gcc", "-pg", "-O2", "-rdynamic", "calls.c", "calls_far.c", "-o", whole.image }, { cwd = calls.dir })
    shell.check({ whole.image }, { cwd = dir })
    whole.gmon = dir .. "/gmon.out"
    check_same(whole, image_with(whole, "xz <small"), { "-p", "-q" })
  end)

  it("complement dynamic symbols of Thumb code, whose addresses lose the Thumb bit", function()
    local tools = "arm-linux-gnueabihf-"
    local probe = io.popen("command -v " .. tools .. "ld")
    local found = probe:read "a" ~= ""
    probe:close()
    if not found then
      pending "needs binutils for ARM"
      return
    end
    local dir = { cwd = shell.tmpdir "thumb" }
    local function tool(name, ...) shell.check({ tools .. name, ... }, dir) end
    local function code(name)
      return (".thumb_func\n.type %s, %%function\n%s: bx lr\n.size %s, . - %s\n"):format(name, name, name, name)
    end
    shell.write(dir.cwd .. "/thumb.s", ".arch armv7-a\n.syntax unified\n.thumb\n.text\n.globl open_it\n" ..
      code "open_it" .. code "hidden_it")
    tool("as", "-o", "thumb.o", "thumb.s")
    tool("ld", "-shared", "-o", "whole", "thumb.o")
    tool("objcopy", "-S", "--keep-symbol=hidden_it", "whole", "small")
    shell.check({ "xz", "small" }, dir)
    tool("strip", "-s", "-o", "image", "whole")
    tool("objcopy", "--add-section", ".gnu_debugdata=small.xz", "image")
    local addresses = {}
    for name, address in gprof.image(dir.cwd .. "/image"):symbols(nil, "name", "address") do
      addresses[name] = address & 1
    end
    assert.same({ open_it = 0, hidden_it = 0 }, addresses)
  end)

  it("are reported by the image's field symbols_from", function()
    local image = gprof.image(image_with(calls, "xz <small"))
    assert.is_nil(image.symbols_from)
    assert.truthy(image:find "main")
    assert.same({ "packed" }, { image.symbols_from, image.debug_file })
  end)

  local TOO_LARGE <const> = "decompresses to more than 128 MB, or 100 times its size"
  for name, case in pairs {
    ["are cut off"] = { "xz <small | head -c 200", "is truncated" },
    ["are damaged"] = { "xz <small | (head -c 300; head -c 40 /dev/zero; cat)", "is damaged" },
    ["are not in xz format"] = { "cat small", "is not in xz format" },
    ["are not an object file"] = { "echo text | xz", "is not an object file (file format not recognized)" },
    ["are an object file without symbols"] = { "strip -o none small && xz <none", "has no symbols either" },
    ["are too large"] = { "(head -c 1200000 /dev/urandom; head -c 134000000 /dev/zero) | xz -0", TOO_LARGE },
    ["are much larger than their section"] = { "head -c 18000000 /dev/zero | xz -0", TOO_LARGE },
    ["need too much memory"] = { "echo text | xz --lzma2=dict=1GiB", "needs too much memory to decompress" },
    ["describe different code"] = { "objcopy --change-section-address .text+0x1000 small other 2>&- && xz <other",
      "describes different code: its .text differs in address, size or architecture" },
  } do
    it("are refused if they " .. name, function()
      local image = image_with(calls, case[1])
      assert.same({ "", ("gprof.lua: %s%s; %s: .gnu_debugdata: %s\n"):format(image, MESSAGE, image, case[2]), 1 },
        report(calls, image, { "-p" }))
    end)
  end

  -- Makes an image with .gnu_debugdata: a string of this size, and symbols that are all named by it, from its start or
  -- from the i-th byte on.
  local function with_long_name(size, count, offset_of)
    local symbols = {}
    for i = 1, count do symbols[i] = { name = offset_of(i), address = 0x1000 } end
    local dir = shell.tmpdir "bomb"
    shell.write(dir .. "/full", elf.with_symbols(0x1000, 16, symbols, "\0" .. ("a"):rep(size) .. "\0"))
    shell.check({ "xz", "-0", "full" }, { cwd = dir })
    local bare = build.craft { address = 0x1000, text = 16, symbols = {} }
    objcopy("--add-section", ".gnu_debugdata=" .. dir .. "/full.xz", bare, dir .. "/image")
    return dir .. "/image"
  end

  local profile <const> = gmon.write(shell.tmpdir() .. "/bomb.out", gmon.magic { records = {
    { kind = "histogram", low = 0x1000, high = 0x1010, bins = { 1, 1 } } } })

  -- Prints the message, and the most megabytes of memory that the process had.
  local measured <const> = [[
    local gprof = require "gprof"
    local _, message = gprof.image(arg[1]):find "none"
    print(message)
    print(tonumber(io.open "/proc/self/status":read "a":match "VmHWM:%s*(%d+)") // 1024)
  ]]

  for name, case in pairs {
    ["unpack from 30 KB to 90 MB"] = { 90000000, 400000, function() return 1 end, TOO_LARGE },
    ["share one name of 15 MB"] = { 15000000, 40000, function(i) return i end,
      "symbol table: the names overlap, and together they have N bytes or more" },
  } do
    it("are refused in one line, soon, and without much memory, if they " .. name, function()
      local image = with_long_name(case[1], case[2], case[3])
      for _, options in ipairs { { "-p" }, { "-pnone" }, { "--export=json" } } do
        local words = table.move({ image, profile }, 1, 2, #options + 1, { table.unpack(options) })
        local result = launch.line('ulimit -t 20; exec "$@"', words)
        assert.same({ "", ("gprof.lua: %s%s; %s: .gnu_debugdata: %s\n"):format(image, MESSAGE, image, case[4]), 1 },
          { result.stdout, (result.stderr:gsub("have %d+", "have N")), result.status })
      end
      local result = launch.script(measured, { image })
      local megabytes = tonumber(result.stdout:match "\n(%d+)\n$")
      assert.is_true(megabytes < 80 or os.getenv "GPROF_LUA" ~= nil, result.stdout .. result.stderr)
    end)
  end

  it("need liblzma; the error names it if it is missing", function()
    local image = image_with(calls, "xz <small")
    local result = launch.script([[
      package.preload["gprof.xz"] = function() error "liblzma.so.5: no such file" end
      local image = assert(require "gprof".image(arg[1]))
      print(image:find "main")
    ]], { image })
    assert.same({ ("nil\t%s%s; %s: .gnu_debugdata reader cannot be loaded: liblzma.so.5: no such file; " ..
      "rebuild it with 'make -C %s'\n"):format(image, MESSAGE, image, program.root), 0 },
      { result.stdout:gsub("[^ ]*script%.lua:%d+: ", ""), result.status })
  end)
end)

describe("debugging information in a .dwo file (-gsplit-dwarf)", function()
  local dir <const> = shell.tmpdir "split"
  local split <const> = { image = dir .. "/program", gmon = dir .. "/gmon.out" }
  local whole <const> = { image = dir .. "/whole", gmon = dir .. "/gmon.out" }
  for name, flag in pairs { program = "-gsplit-dwarf", whole = "-g" } do
    for _, source in ipairs { "calls", "calls_far" } do
      shell.check({ "gcc", "-pg", "-g", "-O2", "-fno-inline", flag, "-c", calls.dir .. "/" .. source .. ".c",
        "-o", source .. ".o" }, { cwd = dir })
    end
    shell.check({ "gcc", "-pg", "-o", name, "calls.o", "calls_far.o" }, { cwd = dir })
  end
  shell.check({ split.image }, { cwd = dir })
  local warning <const> = ("gprof.lua: warning: %s: some inlined functions are unknown: " ..
    "calls.dwo is missing, or from another build\n"):format(split.image)

  for _, state in ipairs { "there", "from another build", "missing" } do
    it("is not needed for lines; a warning says if inlined functions are unknown: " .. state, function()
      if state == "from another build" then shell.check({ "cp", "calls_far.dwo", "calls.dwo" }, { cwd = dir }) end
      if state == "missing" then os.remove(dir .. "/calls.dwo") end
      for _, options in ipairs { { "-l", "-p" }, { "-l", "-q" }, { "-l", "-p", "-L", "-z" } } do
        local expected = report(whole, whole.image, options)
        if state ~= "there" then expected[2] = warning end
        assert.same(expected, report(split, split.image, options))
      end
      check_same(whole, split.image, { "-p", "-q", "-L", "--inline-file-names" })
    end)
  end

  local function lose_all()
    os.remove(dir .. "/calls.dwo")
    os.remove(dir .. "/calls_far.dwo")
  end

  it("is not asked for again, with -g, if no file is there", function()
    lose_all()
    local missing = ("gprof.lua: warning: %s: some inlined functions are unknown: " ..
      "2 split files are missing, or from another build: calls.dwo ...\n"):format(split.image)
    assert.equal(missing, report(split, split.image, { "--inlines", "-p" })[2])
    assert.equal(missing .. "gprof.lua: " .. split.image .. ": has no debugging information for the recorded code, " ..
      "which a sample profile needs: keep the files .dwo of -gsplit-dwarf\n",
      report(split, split.image, { "--export=sample-profile" })[2])
  end)

  it("is one warning, with a count, if several files are missing", function()
    lose_all()
    assert.equal(("gprof.lua: warning: %s: some inlined functions are unknown: " ..
      "2 split files are missing, or from another build: calls.dwo ...\n"):format(split.image),
      report(split, split.image, { "-l", "-p" })[2])
  end)
end)

describe("debugging information in dwz's supplementary file", function()
  if shell.run({ "dwz", "--version" }).status ~= 0 then return pending "dwz is not installed" end

  -- Makes a directory with the program; dwz moves part of its debugging information to sub/shared.
  local function share(built, name)
    local dir = shell.tmpdir "shared"
    shell.check { "cp", built.image, dir .. "/image" }
    shell.check { "cp", build.program("calls").image, dir .. "/other" }
    shell.check({ "dwz", "-m", "shared", "-M", name:gsub("DIR", dir), "image", "other" }, { cwd = dir })
    shell.check { "mkdir", dir .. "/sub" }
    shell.check { "mv", dir .. "/shared", dir .. "/sub/shared" }
    return dir
  end

  for _, variant in ipairs { "O2", "O2+dwarf4" } do
    for kind, name in pairs { ["relative to the image"] = "sub/shared", ["that is absolute"] = "DIR/sub/shared" } do
      it(("is found by a path %s (%s)"):format(kind, variant), function()
        local built = build.program("calls", variant)
        local dir = share(built, name)
        for _, options in ipairs(chance.some(option_sets, 6)) do check_same(built, dir .. "/image", options) end
        objcopy("--only-keep-debug", dir .. "/image", dir .. "/image.debug")
        shell.check { "strip", dir .. "/image" }
        for _, options in ipairs(chance.some(option_sets, 6)) do check_same(built, dir .. "/image", options) end
        local image = gprof.image(dir .. "/image")
        assert.truthy(image:source(image:find "main".address))
        assert.same({ dir .. "/image.debug", dir .. "/sub/shared" }, { image.debug_file, image.shared_debug_file })
      end)
    end
  end

  it("is found in a directory given by --debug-dir", function()
    local dir, other = share(calls, "/nowhere/shared"), shell.tmpdir "debug"
    shell.check { "mv", dir .. "/sub/shared", other .. "/shared" }
    check_same(calls, dir .. "/image", option_sets[3], { "--debug-dir=" .. other })
  end)

  -- Runs the program after `replace` has changed the shared file, and checks that a warning gives the reason.
  local function check(replace, problem)
    local dir = share(calls, "sub/shared")
    os.remove(dir .. "/sub/shared")
    replace(dir .. "/sub/shared")
    local result = report(calls, dir .. "/image", { "-l", "-p" })
    assert.same({ ("gprof.lua: warning: %s\n"):format((problem:gsub("DIR", dir))), 0 }, { result[2], result[3] })
    assert.truthy(result[1]:find "%(calls%.c:%d+ @ %x+%)\n")
  end

  it("of DWARF 5 is ignored with a warning if it is missing or from a different build", function()
    local dir, other = shell.tmpdir "standard", shell.tmpdir "others"
    for path, copied in pairs { [dir] = calls, [other] = build.program("calls", "O2") } do
      for _, name in ipairs { "image", "other" } do shell.check { "cp", copied.image, path .. "/" .. name } end
      shell.check({ "dwz", "-5", "-m", "shared", "image", "other" }, { cwd = path })
    end
    assert.equal("", report(calls, dir .. "/image", { "-l", "-p" })[2])
    shell.check { "cp", other .. "/shared", dir .. "/shared" }
    assert.match("shared: is the wrong supplementary file: its checksum is not the one in the image's .debug_sup\n",
      report(calls, dir .. "/image", { "-l", "-p" })[2], 1, true)
    os.remove(dir .. "/shared")
    assert.match("image: shared debugging file shared not found in", report(calls, dir .. "/image", { "-l", "-p" })[2],
      1, true)
  end)

  it("is ignored with a warning if it is missing", function()
    check(function() end, "DIR/image: shared debugging file sub/shared not found in DIR/sub, " ..
      "/usr/lib/debug/.dwz, /usr/lib/debug")
  end)

  it("is ignored with a warning if it is from a different build or not a regular file", function()
    check(function(path) shell.check { "cp", calls.image, path } end,
      "DIR/sub/shared: is the wrong supplementary file: its build-id is not the one in the image's .gnu_debugaltlink")
    check(function(path) shell.check { "mkfifo", path } end,
      "DIR/sub/shared: not a regular file, cannot read debugging information")
  end)
end)

it("a debugging file that changes while it is read is an error", function()
  local dir = strip(calls)
  put(dir, "image.debug")
  local path = shell.write(dir .. "/report.lua", ([[return function()
    local file = io.open(%q, "a")
    file:write "more"
    file:close()
  end]]):format(dir .. "/image.debug"))
  assert.same({ "", ("gprof.lua: %s/image.debug: changed while it was read\n"):format(dir), 1 },
    report(calls, dir .. "/image", { "--report=" .. path }))
end)

it("sums and exports do not overwrite a debugging file", function()
  local dir = strip(calls)
  put(dir, "image.debug")
  for option, problem in pairs {
    ["--sum-file="] = "the sum would overwrite the program's debugging file",
    ["--export=json:"] = "the export would overwrite an input file",
  } do
    assert.same({ "", ("gprof.lua: %s/image.debug: %s\n"):format(dir, problem), 1 },
      report(calls, dir .. "/image", { option .. dir .. "/image.debug" }))
  end
end)

it("an image may be closed by its warn function", function()
  local dir = strip(calls, "-g")
  link(dir)
  local image
  image = gprof.image(dir .. "/image", { warn = function() image:close() end })
  assert.error_matches(function() image:source(image.text_low) end, "image is closed")
end)

describe("a profile may be closed by the warn function of its image, while it is used by", function()
  local names <const> = require "gprof.names"
  local core <const> = require "gprof.core"
  local dir = strip(calls, "-g")
  link(dir)
  objcopy("--only-keep-debug", build.program("cycles").image, dir .. "/image.debug")  -- of a different build
  shell.check { "mkdir", dir .. "/.debug" }
  put(dir, ".debug/image.debug")

  for use, read in pairs {
    ["an iterator"] = function(profile)
      for _ in profile:functions("address", "id", "file", "calls", "name", "self") do end
    end,
    ["an iterator that has no first value"] = function(profile)
      for _ in profile:functions("address", "cycle", "file") do end
    end,
    ["get"] = function(profile) return profile:get(1, "line", "calls", "self", "kind") end,
    ["lookup"] = function(profile)
      return profile:lookup(profile:functions("address", "address")(), "file", "calls", "self")
    end,
    ["columns"] = function(profile) return profile:columns({ 1, 2 }, "file", "calls") end,
    ["labels"] = function(profile)
      return names.labels(profile, { inline_file_names = true, references = true })[1]
    end,
    ["labels of static functions"] = function(profile)
      local labels = names.labels(profile, { static_files = true, references = true })
      for f in profile:functions() do
        if f.static and f.calls > 0 then return labels[f.id] end
      end
    end,
    ["rows"] = function(profile)
      local stream = core.stream(function() end)
      return stream:rows(profile, "function", "%{file} %{calls:d} %{self:.2f}")(1)
    end,
    ["rows with labels"] = function(profile)
      local stream = core.stream(function() end)
      local options = { labels = names.labels(profile, { inline_file_names = true }) }
      return stream:rows(profile, "function", "%{label} %{calls:d} %{self:.2f}", options)(1)
    end,
    ["painted rows"] = function(profile)
      local stream = core.stream(function() end)
      local options = { paint = function(format) return format end, paint_by = { "file", "calls", "name", "self" } }
      return stream:rows(profile, "function", "%{calls:d}\n", options)(1)
    end,
    ["annotation"] = function(profile) return core.annotation(profile, 1) end,
    ["sums of files"] = function(profile) return core.annotated(profile, 1) end,
  } do
    it(use, function()
      local profile
      local image = gprof.image(dir .. "/image", { warn = function() profile:close() end })
      profile = gprof.profile(image, gprof.data(image, calls.gmon))
      assert.error_matches(function() read(profile) end, "profile is closed")
    end)
  end
end)
