-- Debugging sections from compilers, and crafted ones.
-- SPDX-License-Identifier: GPL-3.0-or-later

local compiled = require "seeds.compiled_sections"
local crafted = require "seeds.crafted_lines"

local names <const> = { "info", "abbrev", "line", "str", "line_str", "str_offsets" }

local source <const> = [[
static inline int twice(int x) { return 2 * x; }
#line 7 "other.h"
int more(int x) { return x > 3 ? twice(x) : x + 1; }
int main(void) { return more(2); }
]]

return function(save)
  compiled.each(source, names, function(parts)
    save("\0\0" .. compiled.ALL, table.unpack(parts))
    save("\16\1" .. compiled.SOME, table.unpack(parts)) -- compressed sections; as_libbfd
  end)
  for choices = 0, 3 do
    for version = 2, 5 do
      for _, wide in ipairs { false, true } do
        local parts = crafted { big = choices & 1 ~= 0, pointer = choices & 2 ~= 0 and 4 or 8, version = version,
          wide = wide }
        save(string.char(choices | (version == 2 and 4 or 0), version & 1) .. compiled.ALL, table.unpack(parts))
      end
    end
  end
end
