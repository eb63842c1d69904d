--- A comparison with limits as JUnit XML, which continuous integration shows as tests:
-- the whole program and each function that both programs have are test cases.
--
-- @module gprof.export.junit
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "gprof.analysis.changes"
local escape = require "gprof.format.escape"
local failures = require "gprof.print.failures"
local row_labels = require "gprof.print.row_labels"
local source_root = require "gprof.library.files.source_root"
local text = require "gprof.export.html.page_text"

local function xml(bytes)
  return escape.xml(text.html(bytes))
end

-- Returns a table from rows, and the comparison, to their failures.
local function by_row(list)
  local found = {}
  for _, failure in ipairs(list) do
    found[failure.row] = found[failure.row] or {}
    table.insert(found[failure.row], failure)
  end
  return found
end

-- Writes a test case; `file` is XML. A function that exceeds several limits is one
-- failure, since many readers show only the first.
local function write_case(name, file, list, context, write)
  write(('    <testcase classname="%s" name="%s"'):format(file, xml(name)))
  if not list then return write "/>\n" end
  local lines = {}
  for i, failure in ipairs(list) do
    lines[i] = xml(failures.describe(failure, context.comparison, context.profile,
      context.short_names))
  end
  local message = xml(("%s: %s"):format(failures.heading(list[1]),
    failures.growth(list[1], context.comparison)))
  write((">\n" .. '      <failure type="%s" message="%s">%s</failure>\n    </testcase>\n')
    :format(xml(list[1].field), message, table.concat(lines, "\n")))
end

-- Returns the functions to test: those that both sides have, and those that fail. Each
-- has a `name`, `file` or nil, and `failures` or nil. Most pass; their rows are not made,
-- unless `names`, which has other names, needed them.
local function tests_of(comparison, names, failed)
  local columns, tests = changes.of(comparison).columns, {}
  for number, name in ipairs(columns.name) do
    local row = rawget(comparison, number)
    local found = row and failed[row]
    if found or changes.status(columns, number) == "both" then
      tests[#tests + 1] = { name = row and names[row] or name,
        file = columns.is[number].file, failures = found }
    end
  end
  return tests
end

--- Writes a comparison with limits as JUnit XML.
-- @tparam profile profile the new profile
-- @tparam table options `comparison`: the result of `gprof.compare`; `failures`: that of
--   `gprof.compare.failures`; `source_root`: the directory to which source files are
--   named; those of names, see `gprof.print.row_labels`
-- @tparam stream write
return function(profile, options, write)
  if not options.failures then error("needs limits (--compare and --fail-on)", 0) end
  local comparison, failed = options.comparison, by_row(options.failures)
  local names = row_labels(comparison, profile, options)
  local tests, count = tests_of(comparison, names, failed), 0
  local program = profile.image.path:match "[^/]*$"
  for _ in pairs(failed) do count = count + 1 end
  local numbers = ('tests="%d" failures="%d" errors="0"'):format(#tests + 1, count)
  write '<?xml version="1.0" encoding="UTF-8"?>\n'
  write(('<testsuites name="gprof" %s>\n'):format(numbers))
  write(('  <testsuite name="%s" %s skipped="0">\n'):format(xml(program), numbers))
  local bare = { short_names = options.short_names }
  local context = { comparison = comparison, profile = profile,
    short_names = row_labels(comparison, profile, bare) }
  write_case("the whole program", xml(program), failed[comparison], context, write)
  local paths = {}  -- by file
  for _, test in ipairs(tests) do
    local file = test.file or ""
    paths[file] = paths[file] or
      xml(source_root.relative(test.file, options.source_root) or program)
    write_case(test.name, paths[file], test.failures, context, write)
  end
  write "  </testsuite>\n</testsuites>\n"
end
