--- Compiles the library's modules and writes their bytecode to one file, whose layout is
-- in csrc/bundle/bundle.c.
--
--     lua5.4 lua/bundle.lua BUNDLE SOURCE...
--
-- `make` runs it in the checkout after building the core. It is outside lua/gprof because
-- it is not installed.
-- SPDX-License-Identifier: GPL-3.0-or-later

package.path, package.cpath = "lua/?.lua;" .. package.path, "build/?.so;" .. package.cpath

local core = require "gprof.core"
local lean_bytecode = require "lean_bytecode"

local HEADER <const> = "gprof bytecode 4, Lua %s, index %d %x\n"

local function module_name(source)
  return (source:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

-- The source name "=" in bytecode: its length plus one, with the highest bit set.
local NAME <const> = string.char(2 | 0x80) .. "="

-- Returns the bytecode of a source, from the end of its source name. What comes before is
-- the same for all main functions of a release of Lua. Error messages have line numbers.
local function compile(text, source)
  local chunk, problem = load(text, "=", "t")
  if not chunk then error(source .. problem, 0) end
  local code = string.dump(chunk, false)
  local at, after = code:find(NAME, 1, true)
  assert(at, "unsupported bytecode layout: Lua 5.4 expected")
  return lean_bytecode(code, at):sub(after + 1)
end

local function read(source)
  local file <close> = assert(io.open(source, "rb"))
  return assert(file:read "a")
end

local lines, codes, offset = {}, {}, 0
for i = 2, #arg do
  local text = read(arg[i])
  local code = compile(text, arg[i])
  lines[#lines + 1] = ("%s %s %x %d %d %x\n"):format(module_name(arg[i]),
    core.file_signature(arg[i]), core.bytecode_checksum(text), offset, #code,
    core.bytecode_checksum(code))
  codes[#codes + 1] = code
  offset = offset + #code
end
table.sort(lines)

-- Running programs have mapped the old file, so a new one takes its place.
local index = table.concat(lines)
local new = arg[1] .. ".new"
local file = assert(io.open(new, "wb"))
local header = HEADER:format(core.lua_release(), #index, core.bytecode_checksum(index))
assert(file:write(header, index, table.concat(codes)))
assert(file:close())
assert(os.rename(new, arg[1]))
