-- All pairs of profiles of the same layout, and pairs of context profiles.
-- SPDX-License-Identifier: GPL-3.0-or-later

local context_profile = require "seeds.context_profile"
local profiles = require "seeds.profiles"

return function(save)
  for big = 0, 1 do
    for _, processes in ipairs { false, 3 } do
      save(string.char(16 | big), context_profile { big = big == 1 },
        context_profile { big = big == 1, shift = 0x100000, processes = processes or nil })
    end
  end
  for layout = 0, 3 do
    local all = profiles { big = layout & 1 ~= 0, pointer = layout & 2 ~= 0 and 4 or 8 }
    for _, one in ipairs(all) do
      for _, other in ipairs(all) do
        save(string.char(layout), one, other)
        save(string.char(layout | 4), one, other)
      end
    end
  end
end
