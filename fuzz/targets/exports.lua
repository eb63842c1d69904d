-- Fuzzes the reader of profiles exported as JSON, and comparisons of such profiles.
--
-- Parts: choices (options of the comparison), the old export, the new export.
--
-- Properties: an export that cannot be read gives a message of one line that begins with the file name, and so does a
-- comparison that is not possible, without the file name. A comparison has no more rows than functions. Printing it
-- twice gives the same text. As JSON, it can be read.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local compare = require "gprof.compare"
local json_reader = require "gprof.format.json_reader"
local printers = { require "gprof.report.comparison", (require "gprof.export.comparison") }

local flag <const> = { false, true }

local function load(path)
  local side, message = compare.load(path)
  if not side then checks.message(message, path) end
  return side
end

local function printed(print, options)
  local parts = {}
  local stream = setmetatable({}, { __call = function(_, format, ...)
    parts[#parts + 1] = select("#", ...) > 0 and format:format(...) or format
  end })
  print(nil, options, stream)
  return table.concat(parts)
end

local function check_printed(options)
  for _, print in ipairs(printers) do
    assert(printed(print, options) == printed(print, options), "the second text differs")
  end
  assert(type(json_reader.read(printed(printers[2], options))) == "table", "the comparison is not JSON")
end

-- Checks the number of rows. Each row stands for one or more functions of one or both exports.
local function check_rows(comparison, functions)
  local least = 0
  for _, row in ipairs(comparison) do
    least = least + (row.status == "both" and 2 or 1)
  end
  assert(least <= functions and comparison.common * 2 <= functions, "too many rows")
end

return function(choices, old, new)
  local choose = checks.chooser(choices)
  local sides = { load(fuzz.file(old, 0)), load(fuzz.file(new, 1)) }
  if not sides[1] or not sides[2] then return end
  local comparison, message = compare(sides[1], sides[2], { chance = choose(flag) and 0.01 or nil })
  if not comparison then
    return checks.message(message)
  end
  check_rows(comparison, #sides[1].functions + #sides[2].functions)
  compare.regressions(comparison, choose(100))
  check_printed { comparison = comparison, brief = choose(flag), display_unused_functions = choose(flag),
    short_names = choose(flag), inline_file_names = choose(flag), print_path = choose(flag), color = choose(flag),
    sort = choose { "total", "self", "calls", "name" }, top = choose { 1, 10, 1000 },
    terminal_width = choose { 80, 20, 200 } }
end
