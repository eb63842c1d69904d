--- Names of functions in reports.
--
-- @internal gprof.print.labels
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = require "gprof.names"

local labels = {}

--- Returns whether names are followed by file and line. Those of Lua functions are,
-- because these are known by their places: many have no name of their own.
-- @tparam profile|nil profile
-- @tparam table options `inline_file_names`, `gnu_compat`
-- @treturn boolean
function labels.shows_places(profile, options)
  return options.inline_file_names or options.inline_file_names == nil and
    profile and profile.image.has_scripts and not options.gnu_compat
end

-- Adds the options of names.labels that show places.
local function add_places(profile, options, more)
  more.print_path = options.print_path and true
  if more.bare or not labels.shows_places(profile, options) then return end
  if profile.image.has_scripts and not profile.by_line then
    more.suffixes = require "gprof.print.places".of(profile, options)
  else
    more.inline_file_names = true
  end
end

-- Makes labels with the options of a report; `more` are further options of names.labels.
-- `is_short`: lines do not say where they were inlined.
local function make(profile, options, field, more, is_short)
  more.symbols = field == "symbol"
  more.short_names = options.short_names and true
  add_places(profile, options, more)
  if profile.has_frames and not is_short then
    more.suffixes = require "gprof.print.inlined_at".suffixes(profile, options)
  end
  return names.labels(profile, more)
end

-- Makes labels for the ends of lines, shortened to fit a terminal.
local function make_last(profile, options, field, more)
  if options.terminal_width then require "gprof.print.layout".shorten(options, more) end
  return make(profile, options, field, more)
end

--- Returns labels of functions and cycles: names, with file and line if the options ask
-- for that, or if they are Lua functions.
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
  return make(profile, options, field, { bare = true }, true)
end

--- Returns cross-references: the labels of `labels.of`, followed by cycle and index
-- number.
-- @tparam profile profile
-- @tparam table options as for `labels.of`; `top`: numbers of later entries of the call
--   graph are in parentheses
-- @tparam[opt] string field as for `labels.of`
-- @treturn {[integer]=string} by number
function labels.references(profile, options, field)
  local last = require "gprof.print.graph_entries".last(profile, options)
  return make_last(profile, options, field, { references = true, last_entry = last })
end

-- Returns the function that shortens the labels of functions, with their files, at the
-- ends of lines.
local function shortener(profile, options)
  local layout = require "gprof.print.layout"
  local more = { static_files = true }
  if options.terminal_width then layout.shorten(options, more) end
  local short = make(profile, options, "name", more, true)
  if not more.width then return function(id) return short[id] end end
  return function(id, text, taken)
    local file = layout.columns(text) - layout.columns(profile:get(id, "name"))
    return short(id, layout.room(options, taken + file) + file)
  end
end

--- Returns labels in which static functions are followed by their file, because several
-- may have the same name.
-- @tparam profile profile
-- @tparam table options
-- @treturn {[integer]=string} by number; not shortened
-- @treturn function|nil function that shortens a label: takes its number, the label, and
--   the columns of the line before it; nil if labels are not shortened
function labels.with_files(profile, options)
  local whole = { inline_file_names = options.inline_file_names,
    print_path = options.print_path, gnu_compat = options.gnu_compat }
  return make(profile, whole, "name", { static_files = true }, true),
    (options.terminal_width or options.short_names) and shortener(profile, options)
end

-- Exports -------------------------------------------------------------------------------

-- Whether names in exports have places.
local function has_places(profile, options, is_only_name)
  return options.inline_file_names or
    is_only_name and labels.shows_places(profile, options)
end

--- Returns whether exports write the names of functions as they are.
-- @tparam profile profile
-- @tparam table options as for `labels.exported`
-- @tparam[opt] boolean is_only_name
-- @treturn boolean
function labels.are_names(profile, options, is_only_name)
  return not (options.short_names or has_places(profile, options, is_only_name))
end

--- Returns the names of functions and cycles as exports write them.
-- @tparam profile profile
-- @tparam table options `short_names`; `inline_file_names`, `print_path`: with file and
--   line
-- @tparam[opt] boolean is_only_name the export has no other place for file and line, so
--   names of Lua functions have them
-- @treturn {[integer]=string} by number
function labels.exported(profile, options, is_only_name)
  if labels.are_names(profile, options, is_only_name) then
    return setmetatable({}, { __index = function(known, id)
      known[id] = profile:get(id, "name")
      return known[id]
    end })
  end
  local is_placed = has_places(profile, options, is_only_name)
  return make(profile, options, "name", { bare = not is_placed }, true)
end

return labels
