-- The images to damage: small ones of many kinds, each with a matching profile. Builds are reproducible: the same
-- compiler always makes the same bytes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local layout = require "fuzz.images.layout"
local shell = require "support.shell"

local fixtures = {}

local FLAGS <const> = "-ffile-prefix-map=$PWD=. -w"
local C <const> = "gcc " .. FLAGS .. " -O1 -pg %s lines.c -o image"
local BARE <const> = "gcc " .. FLAGS .. " -O1 -g %s -nostdlib -static -Wl,-e,main lines.c -o image"

local assembled <const> = "printf '.text\\n%s\\n' " ..
  "'.globl first' '.type first,@function' 'first: nop' ' nop' ' nop' ' nop' '.size first,.-first' " ..
  "'.globl main' '.type main,@function' 'main: nop' ' nop' ' nop' '.size main,.-main' >first.s; "

-- `line` is a shell command that makes the file `image`. `mutant` names the file to damage, if not `image`. `needs`
-- is a required program.
local recipes <const> = {
  { name = "dwarf5", line = C:format "-g" },
  { name = "dwarf4", line = C:format "-gdwarf-4" },
  { name = "dwarf2", line = C:format "-gdwarf-2 -no-pie" },
  { name = "dwarf5-64", line = C:format "-gdwarf-5 -gdwarf64" },
  { name = "dwarf4-64", line = C:format "-gdwarf-4 -gdwarf64" },
  { name = "types", line = "g++ " .. FLAGS .. " -g -fdebug-types-section shapes.cc shapes_more.cc -o image" },
  { name = "c++", line = "g++ " .. FLAGS .. " -O1 -g shapes.cc shapes_more.cc -o image" },
  { name = "clang", line = "clang " .. FLAGS .. " -O1 -g lines.c -o image", needs = "clang" },
  { name = "nodebug", line = C:format "" },
  { name = "stripped", line = C:format "-g -s" },
  { name = "split", line = C:format "-g -gsplit-dwarf" },
  { name = "gz", line = C:format "-g -gz=zlib" },
  { name = "oldgz", line = C:format "-g -gz=zlib-gnu" },
  { name = "zstd", line = C:format "-g" .. " && objcopy --compress-debug-sections=zstd image" },
  { name = "stabs", line = C:format "-gstabs" },
  { name = "stabs+", line = "g++ " .. FLAGS .. " -gstabs+ shapes.cc shapes_more.cc -o image" },
  { name = "inlined", line = C:format "-g -O2" },
  { name = "macros", line = C:format "-g3" },
  { name = "macinfo", line = C:format "-g3 -gdwarf-4 -gstrict-dwarf" },
  { name = "clones", line = "gcc " .. FLAGS .. " -O2 -g clones.c clones_more.c -o image" },
  { name = "shared", line = C:format "-g -fPIC -shared" },
  { name = "object", line = "gcc " .. FLAGS .. " -O1 -g -c lines.c -o image" },
  { name = "sections", line = "gcc " .. FLAGS .. " -g -ffunction-sections -c lines.c -o image" },
  { name = "archive", line = "gcc " .. FLAGS .. " -O1 -g -c lines.c -o lines.o && ar rcsD image lines.o" },
  { name = "linked", line = C:format "-g" .. " && objcopy --only-keep-debug image image.debug && " ..
    "strip -g image && objcopy --add-gnu-debuglink=image.debug image" },
  { name = "apart", mutant = "image.debug", line = C:format "-g" .. " && objcopy --only-keep-debug image image.debug" ..
    " && strip -g image && objcopy --add-gnu-debuglink=image.debug image" },
  { name = "i386", line = BARE:format "-m32 -fno-pie" },
  { name = "x32", line = BARE:format "-mx32 -fno-pie" },
  { name = "static", line = C:format "-g -static" },
  { name = "big64", needs = "s390x-linux-gnu-ld", line = assembled:gsub("nop", "nopr") ..
    "s390x-linux-gnu-as --gdwarf-5 first.s -o first.o && s390x-linux-gnu-ld -e main first.o -o image" },
  { name = "big32", needs = "sparc64-linux-gnu-ld", line = assembled ..
    "sparc64-linux-gnu-as -32 --gdwarf-4 first.s -o first.o && " ..
    "sparc64-linux-gnu-ld -m elf32_sparc -e main first.o -o image" },
  { name = "coff", line = "gcc " .. FLAGS .. " -g -c lines.c -o lines.o && objcopy -O pe-x86-64 lines.o image" },
  { name = "pe", line = BARE:format "" .. " && strip -g image && objcopy -O pei-x86-64 image image" },
}

-- Returns a profile with a histogram of all code, and arcs between addresses in it.
local function profile_of(image)
  local found = layout.read(shell.read(image))
  local low, size = build.section(image, ".text")
  local bins, records = { n = math.max(1, size // 4) }, {}
  for i = 1, math.min(bins.n, 4000), 3 do
    bins[i] = i % 7
  end
  records[1] = { kind = "histogram", low = low, high = low + bins.n * 4, bins = bins }
  for from = low, low + math.min(size, 4096), 16 do
    local callee = low + (from - low) * 7 % math.max(1, size)
    records[#records + 1] = { kind = "arc", from = from, self = callee, count = from % 11 }
  end
  return gmon.magic { pointer = found.pointer, big = found.order == ">", records = records }
end

-- Returns the checksum of a file in .gnu_debuglink: CRC-32 of ISO 3309.
local function checksum(bytes)
  local crc = 0xffffffff
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i)
    for _ = 1, 8 do
      crc = crc >> 1 ~ (crc & 1) * 0xedb88320
    end
  end
  return crc ~ 0xffffffff
end

-- Returns an image with the checksum of `bytes` in its .gnu_debuglink.
local function link_to(image, bytes)
  for _, section in ipairs(layout.read(image).sections) do
    if section.name == ".gnu_debuglink" then
      local at = section.offset + section.size - 4
      return image:sub(1, at) .. ("<I4"):pack(checksum(bytes)) .. image:sub(at + 5)
    end
  end
end

local SOURCES <const> = { "lines.c", "lines.h", "spin.h", "shapes.cc", "shapes_more.cc", "shapes.h", "clones.c",
  "clones_more.c", "clones.h" }

local function make(recipe, dir)
  if recipe.needs and shell.run({ recipe.needs, "--version" }).status ~= 0 then return nil end
  shell.check { "rm", "-rf", dir }
  shell.check { "mkdir", "-p", dir }
  for _, source in ipairs(SOURCES) do
    shell.write(dir .. "/" .. source, shell.read(build.fixture(source)))
  end
  if shell.run({ "sh", "-c", recipe.line }, { cwd = dir }).status ~= 0 then return nil end
  local fixture = { name = recipe.name, dir = dir, image = shell.read(dir .. "/image"), mutant = recipe.mutant,
    profile = shell.write(dir .. "/gmon.out", profile_of(dir .. "/image")) }
  fixture.bytes = recipe.mutant and shell.read(dir .. "/" .. recipe.mutant) or fixture.image
  fixture.companion = recipe.name == "linked" and shell.read(dir .. "/image.debug") or nil
  shell.write(dir .. "/symbols", shell.run({ "nm", dir .. "/image" }).stdout)
  shell.write(dir .. "/map", "lines.o: 0000 T main\nlines.o: 0004 T first\nlines.o: 0008 T second\n")
  return fixture
end

--- Makes all fixtures that the installed compilers support.
-- @tparam string dir output directory
-- @tparam[opt] integer most number of fixtures; all by default
-- @treturn {table,...} fixtures: `name`; `dir`, with sources and files for options; `profile` (path); `bytes` to damage
-- @treturn {string,...} names of fixtures that could not be made
function fixtures.make(dir, most)
  local made, lacking = {}, {}
  for _, recipe in ipairs { table.unpack(recipes, 1, most or #recipes) } do
    local fixture = make(recipe, dir .. "/" .. recipe.name)
    table.insert(fixture and made or lacking, fixture or recipe.name)
  end
  return made, lacking
end

--- Writes a damaged fixture, with the other files that it needs.
-- @tparam table fixture
-- @tparam string bytes damaged
-- @tparam string dir
-- @treturn string path of the image
function fixtures.write(fixture, bytes, dir)
  if fixture.mutant then
    shell.write(dir .. "/" .. fixture.mutant, bytes)
    return shell.write(dir .. "/image", link_to(fixture.image, bytes))
  end
  if fixture.companion then shell.write(dir .. "/image.debug", fixture.companion) end
  return shell.write(dir .. "/image", bytes)
end

return fixtures
