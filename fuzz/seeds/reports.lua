-- Profiles of the fixture: its own and a crafted one, with choices for each report.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local shell = require "support.shell"

-- Returns a profile with samples in all of .text, arcs between neighbouring functions, and a block in each function.
local function crafted(image)
  local low, size = build.section(image, ".text")
  local functions, bins = {}, { n = size // 4 }
  for _, symbol in ipairs(build.symbols(image)) do
    if symbol.type:find "[tT]" then functions[#functions + 1] = symbol.address end
  end
  for i = 1, bins.n, 3 do bins[i] = i end
  local records = { { kind = "histogram", low = low, high = low + bins.n * 4, bins = bins }, { kind = "blocks" } }
  for i, from in ipairs(functions) do
    records[2][i] = { from, i }
    for j = math.max(1, i - 3), math.min(i + 2, #functions) do
      records[#records + 1] = { kind = "arc", from = from + 1, self = functions[j], count = i * j }
    end
  end
  return gmon.magic { records = records }
end

-- Returns a profile without a histogram: an arc and a block, or nothing.
local function without_histogram(image, empty)
  local code = build.section(image, ".text")
  return gmon.magic { records = empty and {} or { { kind = "arc", from = code + 1, self = code, count = 2 },
    { kind = "blocks", { code, 3 } } } }
end

-- Returns the fixture's symbols as a symbol file and as a map. Some get C++ names.
local function lists(image)
  local symbols = shell.check({ "nm", "-n", image }).stdout:gsub("helper", "_ZN1aC1Ev")
  return symbols, (symbols:gsub("[^\n]+", "x.o:%0"))
end

-- Returns the bytes of the choices in the order in which the target reads them.
local function choices(report, line, meant)
  return string.char(0, 0, line, report == 1 and 7 or 0, report & 1, line & 1, 0, 0, 0, line, meant, report, line & 1,
    0, report & 1, 1, 0, 0, 79, 1, 10)
end

return function(save)
  local built = build.program "twins"
  local files = { shell.read(built.gmon), crafted(built.image) }
  local symbols, map = lists(built.image)
  for report = 0, 9 do
    for line = 0, 2 do
      for _, file in ipairs(files) do
        save(choices(report, line, 0), file, line == 1 and "work" or "", line == 2 and "common.c" or "")
      end
    end
    save(choices(report, 0, 0), without_histogram(built.image, report > 4), "", "")
    save(choices(report, 0, 4), files[1], "", symbols)
    save(choices(report, 0, 5), files[2], "", map)
  end
end
