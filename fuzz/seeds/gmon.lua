-- Files of every format and layout, read in pieces of several sizes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local profiles = require "seeds.profiles"

-- Returns a context profile of a program, and of a library with the build ID "\1\2\3", which was loaded twice.
local function context_profile(big)
  return contexts.pack {
    big = big, process = { low = 0x11000, high = 0x11080 },
    modules = { { bias = 0x10000, low = 0x10000, high = 0x12000 },
      { bias = 0x20000, low = 0x20000, high = 0x20100, build_id = "\1\2\3" },
      { bias = 0x30000, low = 0x30000, high = 0x30100, build_id = "\1\2\3", closed = 1 } },
    tables = {
      { { context = 0, from = 0x20010, self = 0x11008, count = 2 },
        { context = 3, from = 0x11010, self = 0x20008, count = 3 },
        { context = 4, from = 0x20014, count = 70000 }, { context = 3, from = 0x11014, count = 4 } },
      { { context = 2, entered = 2, from = 0x11010, self = 0x30008, count = 1 },
        { context = 0, entered = 0xffffffff, from = 0x11010, self = 0x11008, count = 0 } } },
  }
end

return function(save)
  for big = 0, 1 do
    for _, build_id in ipairs { 0, 3 } do
      save(string.char(big, 7, build_id << 1 | 1), context_profile(big == 1))
    end
  end
  for layout = 0, 3 do
    for i, bytes in ipairs(profiles { big = layout & 1 ~= 0, pointer = layout & 2 ~= 0 and 4 or 8 }) do
      save(string.char(layout | (i & 1) << 5, i), bytes)
      save(string.char(layout | 1 << 6, i), bytes)
      save(string.char(layout | (i == 5 and 2 or i == 6 and 3 or 1) << 2, 0), bytes)
    end
  end
end
