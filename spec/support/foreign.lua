-- Support for images of other machines: builds the core with a libbfd for them, and makes small images whose headers
-- name these machines.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local program = require "support.program"
local shell = require "support.shell"

local foreign = {}

--- Builds the modules for a machine.
-- @tparam string core Debian's name of the machine in the names of libbfd and libopcodes
-- @tparam string tool another program that is needed
-- @treturn boolean
-- @treturn ?string the reason if not
function foreign.prepare(core, tool)
  if shell.run({ tool, "--version" }).status ~= 0 then
    return false, tool .. " is not installed"
  end
  program.make("build/" .. core)
  return true
end

--- Runs a script that uses the checkout's library with the core for a machine.
-- @tparam string core
-- @tparam string text of the script
-- @tparam[opt] {string,...} arguments
-- @treturn table as `shell.run` returns it
function foreign.script(core, text, arguments)
  local path = shell.write(shell.tmpdir "script" .. "/script.lua", text)
  local lua = program.root .. "/lua/"
  -- The library loads its modules from its own directory, unless they are preloaded.
  local preload = ([[for _, name in ipairs { "core", "opcodes" } do
    package.preload["gprof." .. name] = assert(package.loadlib(%q .. name .. ".so", "luaopen_gprof_" .. name))
  end]]):format(program.root .. "/build/" .. core .. "/gprof/")
  return shell.run({ "lua5.4", "-e", preload, path, table.unpack(arguments or {}) },
    { env = { LUA_PATH = lua .. "?.lua;" .. lua .. "?/init.lua" } })
end

--- Sets the machine in the header of an image from `build.craft`.
-- @tparam integer number of the machine in an ELF header
-- @tparam string path of the image
-- @tparam[opt] boolean linked also set the type of an executable
-- @treturn string the path
function foreign.mark(number, path, linked)
  local bytes = shell.read(path)
  local order = bytes:byte(6) == 2 and ">I2I2" or "<I2I2"
  local kind = order:unpack(bytes, 17)
  return shell.write(path, bytes:sub(1, 16) .. order:pack(linked and 2 or kind, number) .. bytes:sub(21))
end

--- Makes an image for 64-bit PowerPC: 0x100 bytes of code at 0x1000, and function descriptors at 0x20000.
-- @tparam {integer,...} addresses in the descriptors, of 24 bytes each
-- @tparam {table,...} symbols `{ name, section, address, flags }` (flags as for `build.craft`)
-- @tparam[opt] boolean unlinked
-- @treturn string path
function foreign.descriptors(addresses, symbols, unlinked)
  local path = build.craft { target = "elf64-big", text = 0x100, symbols = {} }
  local opd, argv = {}, { "objcopy", "-I", "elf64-big", "-O", "elf64-big" }
  for i, address in ipairs(addresses) do
    opd[i] = (">I8I8I8"):pack(address, 0, 0)
  end
  local file = shell.write(path .. ".opd", table.concat(opd))
  for _, symbol in ipairs(symbols) do
    table.insert(argv, ("--add-symbol=%s=%s:%#x,%s"):format(symbol[1], symbol[2], symbol[3],
      symbol[4] or "function,global"))
  end
  shell.check(table.move({ "--add-section", ".opd=" .. file, "--set-section-flags", ".opd=alloc,load,data,contents",
    "--change-section-address", ".opd=0x20000", path }, 1, 7, #argv + 1, argv))
  return foreign.mark(21, path, not unlinked)
end

return foreign
