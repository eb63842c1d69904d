-- The program whose profiles the targets read: a fixture of the specs.
--
-- `lua5.4 fuzz/program.lua DIRECTORY` makes it in DIRECTORY/program. `require "program"` opens it.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local NAME <const> = "twins"

local function make(home, directory)
  package.path = home .. "/../spec/?.lua;" .. package.path
  local build, shell = require "support.build", require "support.shell"
  local target = directory .. "/program"
  shell.check { "rm", "-rf", target }
  shell.check { "mkdir", "-p", directory }
  shell.check { "cp", "-R", build.program(NAME).dir, target }
  shell.check { "touch", target }
end

if arg then
  return make(arg[0]:match "^(.*)/" or ".", arg[1])
end

local gprof = require "gprof"

local program = { directory = fuzz.directory .. "/program" }

program.image = assert(gprof.image(program.directory .. "/" .. NAME))
program.profile = program.directory .. "/gmon.out"

return program
