-- Files of every format and layout, read in pieces of several sizes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local context_profile = require "seeds.context_profile"
local profiles = require "seeds.profiles"

return function(save)
  for big = 0, 1 do
    for _, build_id in ipairs { 0, 3 } do
      save(string.char(big, 7, build_id << 1 | 1), context_profile { big = big == 1 })
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
