-- bb.out files as old compilers wrote them, and damaged ones.
-- SPDX-License-Identifier: GPL-3.0-or-later

local head <const> = "Basic block profiling finished on Sat Feb 1 1992\n\n"

local whole <const> = head .. [[
File a.c, 2 basic blocks
    Block #1: executed 26312 time(s) address= 0x1234 function= f line= 12 file= a.c
    Block #2: executed 2 time(s) address= 0x1240 function= f line= 14 file= a.c

]]

local texts <const> = {
  whole,
  "File a, b.c, 1 basic block\n Block #1: executed 1 time(s) address=0xffffffffffffffff\nFile x, 0 basic blocks\n",
  "File a.c, 2 basic blocks\n Block #1: executed 1 time(s) address= 0x10\n",
  "Block #1: executed 1 time(s) address= 0x10\n", "what\n", "",
  "File a.c, 1 basic block\r\nBlock executed 0 address=0x0\r\n",
  "File a.c, 1 basic block\nBlock executed 18446744073709551615 address=0x1\n",
  "File a.c, 2 basic blocks\nBlock executed 9223372036854775807 address=0x1\nBlock executed 1 address=0x1\n",
}

return function(save)
  for machine = 0, 2 do
    for _, text in ipairs(texts) do
      save(string.char(machine), text, "", "")
    end
  end
end
