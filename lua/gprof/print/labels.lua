--- How reports name functions and files.
--
-- @internal gprof.print.labels
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local labels = {}

--- A source file's name for a report.
-- @tparam string file as recorded
-- @tparam table options `print_path`: keep the directories
-- @treturn string
function labels.file(file, options)
  return options.print_path and file or file:match("^.*/(.*)$") or file
end

-- Labels as the options of a report want them, and some more.
local function make(profile, options, field, more)
  more.symbols = field == "symbol"
  more.inline_file_names, more.print_path = options.inline_file_names, options.print_path
  return core.labels(profile, more)
end

-- Labels at the end of lines, which may have to fit a terminal.
local function last(profile, options, field, more)
  if options.terminal_width then require "gprof.print.layout".shorten(options, more) end
  return make(profile, options, field, more)
end

--- What reports call functions and cycles: names, with their source where
-- the options want it.
-- @tparam profile profile
-- @tparam table options `inline_file_names`, `print_path`; in a profile by line the
--   source is always wanted, and the address with it; `terminal_width`, `full_names`:
--   see gprof.print.layout
-- @tparam[opt="name"] string field that holds the name: "name" or "symbol"
-- @treturn {[integer]=string} by number; streams write them without making strings
function labels.of(profile, options, field)
  return last(profile, options, field, {})
end

--- Names, and nothing else.
-- @tparam profile profile
-- @tparam[opt] string field as of `labels.of`
-- @treturn {[integer]=string} by number
function labels.bare(profile, field)
  return make(profile, {}, field, { bare = true })
end

--- Cross-references: the same with cycle and index number behind it.
-- @tparam profile profile
-- @tparam table options
-- @tparam[opt] string field as of `labels.of`
-- @treturn {[integer]=string} by number
function labels.references(profile, options, field)
  return last(profile, options, field, { references = true })
end

--- Entries of an index: index number, name, and, as there can be several so named, a
-- static function's file.
-- @tparam profile profile
-- @tparam table options
-- @treturn {[integer]=string} by number
function labels.numbered(profile, options)
  return make(profile, options, "name", { numbered = true, static_files = true })
end

return labels
