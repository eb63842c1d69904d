--- Names of functions in reports.
--
-- @internal gprof.print.labels
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local names = require "gprof.names"

local labels = {}

-- Makes labels with the options of a report; `more` are further options of
-- names.labels, and `no_suffixes`: lines do not say where they were inlined.
local function make(profile, options, field, more)
  more.symbols = field == "symbol"
  more.inline_file_names, more.print_path = options.inline_file_names, options.print_path
  more.short_names = options.short_names
  if profile.has_frames and not more.no_suffixes then
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
  return make(profile, options, field, { bare = true, no_suffixes = true })
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

-- Returns the function that shortens the labels of functions, with their files, at the
-- ends of lines.
local function shortener(profile, options)
  local layout = require "gprof.print.layout"
  local more = { static_files = true, no_suffixes = true }
  if options.terminal_width then layout.shorten(options, more) end
  local short = make(profile, options, "name", more)
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
    print_path = options.print_path }
  return make(profile, whole, "name", { static_files = true, no_suffixes = true }),
    (options.terminal_width or options.short_names) and shortener(profile, options)
end

-- Exports -------------------------------------------------------------------------------

local function look_up(profile)
  return setmetatable({}, { __index = function(known, id)
    known[id] = profile:get(id, "name")
    return known[id]
  end })
end

--- Returns the names of functions and cycles as exports write them.
-- @tparam profile profile
-- @tparam table options `short_names`; `inline_file_names`, `print_path`: with file and
--   line
-- @treturn {[integer]=string} by number
function labels.exported(profile, options)
  if not (options.short_names or options.inline_file_names) then
    return look_up(profile)
  end
  return names.labels(profile, { short_names = options.short_names,
    inline_file_names = options.inline_file_names, print_path = options.print_path,
    bare = not options.inline_file_names })
end

-- Returns the short names of the rows of a comparison.
local function short_names(comparison)
  local all, short = {}, {}
  for i, row in ipairs(comparison) do all[i] = row.name end
  local distinct = names.distinct(all)
  for i in ipairs(all) do short[i] = distinct(i, "without arguments", nil, "…") end
  return short
end

--- Returns the names of the rows of a comparison as exports write them.
-- @tparam comparison comparison
-- @tparam profile profile the new profile
-- @tparam table options as for `labels.exported`
-- @treturn {[table]=string} by row
function labels.of_rows(comparison, profile, options)
  local place = require "gprof.print.failures".place
  local short, shown = options.short_names and short_names(comparison), {}
  for i, row in ipairs(comparison) do
    local file, line
    if options.inline_file_names then file, line = place(row, profile) end
    shown[row] = (short and short[i] or row.name) .. (file and (" (%s%s)"):format(
      common.file(file, options), line and ":" .. line or "") or "")
  end
  return shown
end

return labels
