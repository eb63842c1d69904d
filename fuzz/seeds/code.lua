-- Changes of opcodes and operands, and combinations of options.
-- SPDX-License-Identifier: GPL-3.0-or-later

local function change(offset, byte)
  return ("<I2B"):pack(offset, byte)
end

return function(save)
  for choice = 0, 11 do
    save(string.char(choice & 1, choice >> 1 & 1, choice >> 2 & 1, choice & 3, choice % 3), "", "", "")
  end
  for i = 0, 11 do
    local near = 0x40 + i * 37
    -- a call, a jump, a jump through a table, a return, an undefined instruction
    for _, opcode in ipairs { 0xe8, 0xe9, 0xff, 0xc3, 0x06, 0x0f } do
      save(string.char(i & 1, i & 1, 0, (i & 1) * 3, i % 3), change(near, opcode), "", "")
    end
    save(string.char(0), change(near, 0x90) .. change(near + 1, 0x90), change(i * 4, 0x7f) .. change(i * 4 + 3, 0xff),
      change(i * 8, i))
  end
end
