-- Symspecs of every form; some match in the fixture.
-- SPDX-License-Identifier: GPL-3.0-or-later

local specs <const> = {
  "main", "work", "helper", "left/common.c", "common.c:work", "twins.c:", ":work", "twins.c:12", ":7", "nobody", "",
  ":", "/", "main/work", "common.c/:work", "a::b", "f(int)", "work.isra.0", ":99999999999999999999", "a.c:0", "./", "é",
}

return function(save)
  for i, spec in ipairs(specs) do
    for stage = 0, 5 do
      save(string.char(stage, i & 1, stage & 1, i & 3, i >> 2 & 1), spec, specs[i % #specs + 1],
        specs[(i + stage) % #specs + 1])
    end
  end
end
