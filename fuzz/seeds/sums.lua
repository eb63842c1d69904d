-- All pairs of profiles of the same layout.
-- SPDX-License-Identifier: GPL-3.0-or-later

local profiles = require "seeds.profiles"

return function(save)
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
