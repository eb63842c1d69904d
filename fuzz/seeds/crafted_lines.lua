-- Crafted debugging sections of units that share a line table, in any byte order. They have features that compilers
-- never use.
-- SPDX-License-Identifier: GPL-3.0-or-later

local char <const> = string.char

local LOW <const> = 0x1000

-- All LEB128 numbers here are below 128: one byte each.
local function abbreviations(form)
  local name <const>, offset <const> = 0x08, form
  return char(1, 0x11, 0, 0x10, offset, 0x1b, name, 0, 0) .. -- line table, directory
    char(2, 0x11, 1, 0x03, 0x0a, 0x10, offset, 0x1b, 0x0e, 0, 0) .. -- a block; the directory in .debug_str
    char(3, 0x11, 0, 0x72, 0x17, 0x10, 0x21, 0, 0x1b, 0x25, 0, 0, 0)
end

-- Prepends the length of a unit or table, in the size of its offsets.
local function with_length(like, wide, body)
  return wide and like("I4I8", 0xffffffff, #body) .. body or like("I4", #body) .. body
end

local function unit(plan, like, offset, entry)
  local header = plan.version >= 5 and like("I2BB", 5, 1, plan.pointer) .. offset(0)
    or like("I2", plan.version) .. offset(0) .. char(plan.pointer)
  return with_length(like, plan.wide, header .. entry)
end

-- Returns the directory and file tables.
local function tables(version)
  if version < 5 then
    return "src\0/usr/include\0\0" .. "a.c\0\1\0\0b.h\0\2\5\6\0"
  end
  local path <const>, directory <const> = 1, 2
  return char(1, path, 0x08, 2) .. "/home\0src\0" .. -- directories, as inline strings
    char(2, path, 0x08, directory, 0x0b, 2) .. "a.c\0\1" .. "b.h\0\0"
end

-- Returns a line program with every opcode, in two sequences.
local function program(plan, like)
  local address = function(value)
    return char(0, 1 + plan.pointer, 2) .. like("I" .. plan.pointer, value)
  end
  return address(LOW) .. char(3, 0x7f, 3, 5, 1, 0x4b, 2, 4, 1, 4, 2, 5, 3, 6, 7, 8, 10, 11, 12, 1, 0x83) ..
    char(9) .. like("I2", 8) .. char(1, 0, 3, 4, 1, 0, 0, 9, 3) .. "c.h\0\1\0\0" .. "\0" ..
    char(4, 3, 1, 0, 2, 0x80, 1, 13, 1, 2, 16, 0, 1, 1) ..
    address(LOW + 0x40) .. char(0x20, 0x30, 0x40, 0xff, 2, 3, 0, 1, 1)
end

local function line_table(plan, like, offset)
  local operands = "\0\1\1\1\1\0\0\0\1\0\0\1\2"
  local machine = char(1) .. (plan.version >= 4 and char(plan.wide and 4 or 1) or "") ..
    char(1) .. like("b", -3) .. char(12, #operands + 1) .. operands .. tables(plan.version)
  return with_length(like, plan.wide, like("I2", plan.version) .. (plan.version >= 5 and char(plan.pointer, 0) or "") ..
    offset(#machine) .. machine .. program(plan, like))
end

--- Makes the sections.
-- @tparam table plan `big`, `pointer`, `version` of DWARF, `wide` (64-bit DWARF)
-- @treturn {string,...} the sections, in the order of targets/lines.c
return function(plan)
  local function like(format, ...)
    return string.pack((plan.big and ">" or "<") .. format, ...)
  end
  local function offset(value)
    return like(plan.wide and "I8" or "I4", value)
  end
  local form = plan.version >= 4 and 0x17 or plan.wide and 0x07 or 0x06
  local info = unit(plan, like, offset, "\1" .. offset(0) .. "/home\0") ..
    unit(plan, like, offset, "\2\3abc" .. offset(0) .. offset(1))
  if plan.version >= 5 then
    info = info .. unit(plan, like, offset, "\3" .. offset(8) .. "\1")
  end
  return { info, abbreviations(form), line_table(plan, like, offset), "\0/code\0", "/home\0",
    like("I4I4", 12, 5) .. offset(1) .. offset(0) }
end
