-- The program whose profiles the targets read, and one that counts its blocks: fixtures of the specs.
--
-- `lua5.4 fuzz/program.lua DIRECTORY` makes them in DIRECTORY/program. `require "program"` opens them.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local NAME <const>, CODE <const> = "twins", "jumps"

-- Returns the file offset and size of each section in which the target "code" changes bytes.
local function sections_of(shell, image)
  local headers, found = shell.check({ "objdump", "-h", "-w", image }).stdout, {}
  for i, name in ipairs { "%.text", "%.rodata", "%.eh_frame" } do
    found[i] = ("{ size = 0x%s, offset = 0x%s }"):format(headers:match(" " .. name .. " +(%x+) +%x+ +%x+ +(%x+)"))
  end
  return ("return { %s }\n"):format(table.concat(found, ", "))
end

-- The runtime has no debugging information: reading it would take most of the time of an execution.
local function make_code(shell, target)
  local blocks = require "support.blocks"
  local library = shell.tmpdir "runtime"
  shell.check { "strip", "-g", "-o", library .. "/libgprof-blocks.a", blocks.library }
  local built = blocks.compile(CODE, { flags = { "-O1", "-pg", "-L" .. library } })
  local result = blocks.run(built)
  shell.check { "cp", built.image, built.image .. ".c", target }
  shell.check { "cp", result.dir .. "/gmon.out", target .. "/code.out" }
  shell.write(target .. "/sections.lua", sections_of(shell, built.image))
end

-- Replaces the recorded directory of the sources, so that they are found only in directories that targets name.
local function hide_sources(shell, image, directory)
  local bytes, changes = shell.read(image):gsub(directory:gsub("%p", "%%%0"), "/" .. ("-"):rep(#directory - 1))
  assert(changes > 0, "the directory of the sources is not recorded")
  shell.write(image, bytes)
end

local function make(home, directory)
  package.path = home .. "/../spec/?.lua;" .. package.path
  local build, shell = require "support.build", require "support.shell"
  local target, complete = directory .. "/program.new", directory .. "/program"
  shell.check { "rm", "-rf", target, complete }
  shell.check { "mkdir", "-p", directory }
  local source = build.program(NAME).dir
  shell.check { "cp", "-R", source, target }
  hide_sources(shell, target .. "/" .. NAME, source)
  make_code(shell, target)
  shell.check { "touch", target }
  shell.check { "mv", target, complete } -- make would take the rest of a failed run for complete
end

if not fuzz then
  return make(arg[0]:match "^(.*)/" or ".", arg[1])
end

local gprof = require "gprof"

local program = { directory = fuzz.directory .. "/program" }

program.image = assert(gprof.image(program.directory .. "/" .. NAME))
program.profile = program.directory .. "/gmon.out"
program.code = { sections = dofile(program.directory .. "/sections.lua"), profile = program.directory .. "/code.out" }
do
  local file <close> = assert(io.open(program.directory .. "/" .. CODE, "rb"))
  program.code.bytes = file:read "a"
end

return program
