-- Archives of complete, empty and unfinished entries.
-- SPDX-License-Identifier: GPL-3.0-or-later

local function entry(name, contents, size)
  return ("<s2i8"):pack(name, size or #contents) .. contents
end

return function(save)
  local one, two = entry("a.html", "<html>"), entry("b/gmon.sum", ("x"):rep(300))
  for i, archive in ipairs { "", one, one .. two, one .. entry("", ""), one .. entry("c", "part", -1) .. two,
    one .. entry("d", "short", 1 << 40), entry("e\n", "line"), one:sub(1, 5), one:sub(1, 12) } do
    for choice = 0, 1 do
      save(string.char(choice), archive, i & 1 == 0 and "a.html" or "b/gmon.sum", ("text"):rep(i))
    end
  end
end
