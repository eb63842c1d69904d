-- Crafted debugging information of DWARF 5.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local dwarf = {}

--- The section .debug_info of a unit whose first entry has a line table at offset 0, and a directory.
dwarf.info_5 = ("<s4"):pack("\5\0\1\8\0\0\0\0" .. "\1" .. "\0\0\0\0" .. "/home\0")

--- The section .debug_abbrev of this unit.
dwarf.abbrev_5 = "\1\17\0\16\23\27\8\0\0\0"

--- Returns a line table.
-- @tparam string directories the tables of directories and files
-- @tparam string program the line program
-- @tparam[opt] string parameters replaces the header's usual fields for the state machine
-- @treturn string
function dwarf.table_5(directories, program, parameters)
  local header = (parameters or "\1\1\1\251\14\13\0\1\1\1\1\0\0\0\1\0\0\1") .. directories
  local body = "\5\0" .. "\8\0" .. ("<I4"):pack(#header) .. header .. program
  return ("<I4"):pack(#body) .. body
end

--- Copies an image with other debugging sections.
-- @tparam {[string]=string} sections the bytes of each section, keyed by names such as "debug_line"
-- @tparam string image
-- @treturn string the path of the copy
function dwarf.with_sections(sections, image)
  local dir = shell.tmpdir "sections"
  shell.check { "objcopy", "--strip-debug", image, dir .. "/image" }
  local words = { "objcopy" }
  for name, text in pairs(sections) do
    shell.write(dir .. "/" .. name, text)
    table.insert(words, ("--add-section=.%s=%s"):format(name, name))
  end
  table.insert(words, "image")
  shell.check(words, { cwd = dir })
  return dir .. "/image"
end

return dwarf
