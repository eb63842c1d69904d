--- Names of functions in reports.
--
-- @internal gprof.print.labels
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local labels = {}

-- Makes labels with the options of a report; `more` are further options of core.labels.
local function make(profile, options, field, more)
  more.symbols = field == "symbol"
  more.inline_file_names, more.print_path = options.inline_file_names, options.print_path
  more.short_names = options.short_names
  if profile.has_frames and not (more.bare or more.numbered) then
    more.suffixes = require "gprof.print.inlined_at".suffixes(profile, options)
  end
  return core.labels(profile, more)
end

-- Makes labels for the ends of lines, shortened to fit a terminal.
local function make_last(profile, options, field, more)
  if options.terminal_width then require "gprof.print.layout".shorten(options, more) end
  return make(profile, options, field, more)
end

--- Returns labels of functions and cycles: names, with file and line if the options ask
-- for that.
-- @tparam profile profile
-- @tparam table options `inline_file_names`, `print_path`; a profile by line always shows
--   file, line and address, and where the line was inlined if that is known;
--   `short_names`: omit parameters and template arguments; `terminal_width`,
--   `full_names`: see gprof.print.layout
-- @tparam[opt="name"] string field that holds the name: "name" or "symbol"
-- @treturn {[integer]=string} maps numbers to labels; streams write them without creating
--   Lua strings
function labels.of(profile, options, field)
  return make_last(profile, options, field, {})
end

--- Returns labels that consist of the name only.
-- @tparam profile profile
-- @tparam table options `short_names`
-- @tparam[opt] string field as for `labels.of`
-- @treturn {[integer]=string} by number
function labels.bare(profile, options, field)
  return make(profile, options, field, { bare = true })
end

--- Returns cross-references: the labels of `labels.of`, followed by cycle and index
-- number.
-- @tparam profile profile
-- @tparam table options
-- @tparam[opt] string field as for `labels.of`
-- @treturn {[integer]=string} by number
function labels.references(profile, options, field)
  return make_last(profile, options, field, { references = true })
end

--- Returns entries of an index: index number and name. Static functions are followed by
-- their file, because several may have the same name.
-- @tparam profile profile
-- @tparam table options
-- @treturn {[integer]=string} by number
function labels.numbered(profile, options)
  return make_last(profile, options, "name", { numbered = true, static_files = true })
end

return labels
