-- Exports of fixtures, and variants of them.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local program = require "support.program"

local function exported(name)
  local built = build.program(name)
  return program.run({ "--export=json", "-p", built.image, built.gmon }).stdout
end

-- A small export: libFuzzer truncates larger inputs.
local SMALL <const> = [[
{"format": "gprof-profile", "version": 1, "granularity": "function", "unit": "seconds", "period": 0.01,
 "total_ticks": 30, "profiles": ["gmon.out"], "include": {}, "exclude": {"graph": ["a", "b"]}, "mismatch": null,
 "functions": [
  {"id": 1, "name": "main", "file": "a.c", "ticks": 10, "children": 0.2, "calls": 1},
  {"id": 2, "name": "f.isra.0", "file": null, "ticks": 20, "children": 0, "calls": 9007199254740993},
  {"id": 3, "name": "caf\u00e9 \ud83d\ude00\\\"", "ticks": 0, "children": 1e-3, "calls": 0}],
 "arcs": [{"caller": 1, "callee": 2, "count": 7, "self": 0.2, "children": 0}]}
]]

return function(save)
  local texts = { SMALL, SMALL:gsub("20", "2000"), SMALL:gsub('"period": 0.01', '"period": null'),
    SMALL:gsub("seconds", "hours"), SMALL:gsub("main", "start"), SMALL:gsub(" ", "\n\t"), exported "twins",
    exported "clones", "[1, [true, false, null], -0.5E+2]", "{}" }
  for i, text in ipairs(texts) do
    save(string.char(i & 1, i, i & 2, 1, i & 4, 1, i & 1, 1, i, i), SMALL, text)
    save(string.char(0, 5, 1), text, text)
  end
end
