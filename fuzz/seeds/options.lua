-- Every option by each of its names, with and without an argument.
-- SPDX-License-Identifier: GPL-3.0-or-later

local home <const> = debug.getinfo(1, "S").source:match "^@(.*)seeds/options%.lua$"
local text = io.open(home .. "../lua/gprof/cli/options/option_table.lua"):read "a"

return function(save)
  for short, long, kind in text:gmatch "\n([%a ]) ([%l-]*)(%[?=?)%S* +[%a+-]" do
    local words = {}
    if short ~= " " then
      words = { "-" .. short .. (kind == "=" and "x" or ""), "a.out", "-" .. short, "main" }
    end
    if long ~= "" then
      table.move({ "--" .. long, "--" .. long .. "=1", "--" .. long:sub(1, 4), "10" }, 1, 4, #words + 1, words)
    end
    for i = 1, #words do
      save("", table.concat(words, "\n", i, math.min(i + 2, #words)), "")
    end
  end
  save("", "--record\na.out\n@file\n-r", "-p")
  save("", "--record\n-h", "")
  save("", "-p\n@file\na.out\n--\n-x", "-q 'a b' \"c\\\"d\" e\\ f\n-b")
  save("", "@file\n@file", "-A -w40 -z 'it''s' --color=never")
end
