-- Fuzzes the source text that annotated sources and pages show.
--
-- Parts: choices (options); the text of one of the program's sources.
--
-- Properties: the lines of the text are those of `profile:annotate`. A report has them in order, each after a margin,
-- and printing it twice gives the same text. A page has them without line ends, cut to a limited length; a script that
-- reads them gets the same text, with escaped bytes if it is not UTF-8. Warnings are one line.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local escape = require "gprof.format.escape"
local gprof = require "gprof"
local json = require "gprof.format.json"
local json_reader = require "gprof.format.json_reader"
local program = require "program"
local sources = require "gprof.export.html.sources"

local flag <const> = { false, true }
local MOST <const> = 420 -- bytes of a line of a page

local data <const> = assert(gprof.data(program.image, program.profile))
local profile <const> = assert(gprof.profile(program.image, data, { line = "all" }))

-- The program's sources are searched for in this directory, by their last components. It is in memory. All users may
-- make directories there, but not below those of others.
local DIRECTORY <const> = "/dev/shm/fuzz" .. program.directory:gsub("/", "-") .. "-sources"
local NAMES <const> = { "twins.c", "common.c" }
os.execute(("mkdir -p '%s'"):format((DIRECTORY:gsub("'", "'\\''"))))

local function write(name, text)
  local file <close> = assert(io.open(DIRECTORY .. "/" .. name, "wb"))
  assert(file:write(text))
end

local function check_lines(text)
  local parts = {}
  for i, line in ipairs(assert(profile:annotate("twins.c", { DIRECTORY }))) do
    assert(not line.text or line.number == i)
    parts[#parts + 1] = line.text
  end
  assert(table.concat(parts) == text, "the lines are not the text")
end

local function printed(options)
  local parts = {}
  profile:report("annotation", options, function(part) parts[#parts + 1] = part end)
  return table.concat(parts)
end

-- Checks that a report has the lines of a text, in their order.
local function check_printed(report, text)
  local at = 1
  for line in text:gmatch "[^\n]+" do
    local first, last = report:find(line, at, true)
    assert(first, "a line is missing")
    at = last + 1
  end
end

local function check_page(options)
  for _, file in ipairs(sources.of(profile, options, profile.symbols).files) do
    local written = {}
    for i, line in ipairs(file.lines) do
      local text = line.text or ""
      assert(#text <= MOST and not text:find "[\r\n]$", "not a line of a page")
      written[i] = json.compact_string(text)
      assert(not written[i]:find "[<>%c]", "a line can end the script")
    end
    local read = json_reader.read("[" .. table.concat(written, ",") .. "]")
    for i, line in ipairs(file.lines) do
      assert(read[i] == escape.utf8(line.text or ""), "a script gets another line")
    end
  end
end

return function(choices, text)
  local choose = checks.chooser(choices)
  write(NAMES[1], text)
  if choose(flag) then write(NAMES[2], text) else os.remove(DIRECTORY .. "/" .. NAMES[2]) end
  check_lines(text)
  local options = { directory_path = { DIRECTORY }, warn = function(message) checks.message(message) end,
    display_unused_functions = true, all_lines = choose(flag), annotate_time = choose(flag), gnu_compat = choose(flag),
    table_length = choose(20), min_count = choose(256), color = choose(flag) }
  local report = printed(options)
  check_printed(report, text)
  assert(printed(options) == report, "the second report differs")
  if choose(4) == 3 then check_page(options) end
end
