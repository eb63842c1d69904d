--- Comparison with an old profile: the old and new times and calls of each function,
-- sorted by the change in self time.
--
-- @module gprof.report.comparison
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "gprof.analysis.changes"
local column_order = require "gprof.format.column_order"
local common = require "gprof.print.common"
local labels = require "gprof.print.labels"
local path_share = require "gprof.analysis.path_share"
local wording = require "gprof.format.wording"

local integer <const> = math.tointeger

-- Units ---------------------------------------------------------------------------------

-- The unit in which times are printed is a table: `name`; `scale`, the factor by which
-- times are multiplied; `decimals`, the number of decimals of a time.

-- Each unit: the run time in seconds from which it is used, its name, and its scale.
local units <const> = {
  { 1, "seconds", 1 }, { 1e-3, "milliseconds", 1e3 }, { 0, "microseconds", 1e6 },
}

-- Returns the unit for the times of a comparison: seconds, or a smaller unit if the
-- program runs for less than a second. Nil without times.
local function unit_of(comparison)
  local whole, name, scale = comparison.total, comparison.unit, 1
  if not whole then return nil end
  local longest = math.max(whole.old, whole.new)
  if name == "seconds" and longest > 0 then
    for _, unit in ipairs(units) do
      if longest >= unit[1] then
        name, scale = unit[2], unit[3]
        break
      end
    end
  end
  local step = 1 / math.min(comparison.old.samples, comparison.new.samples)
  return { name = name, scale = scale, decimals = common.decimals(step * scale) }
end

-- Groups of columns ---------------------------------------------------------------------

-- A group of columns is a table. `field` is the field of a row that the group shows, a
-- time or a count; `title` is the heading above the group; `names` are the
-- headings of its columns, and `format` is their format. `write_change` writes the values
-- of a row. It lets the stream format them, because there may be a hundred thousand rows.

-- Writes the ratio of new to old; "new" or "gone" for a function that only one side has.
local function write_ratio(change, status, write)
  if status == "both" and change.ratio then
    write(" %6.2f", change.ratio)
  else
    write(" %6s", status == "both" and "" or status)
  end
end

-- Makes the group of columns for a time. If a change may be due to chance, a mark follows
-- its error. Total times may be estimates that tell nothing about the change.
local function time_group(field, unit)
  local scale = unit.scale
  local same = ("%7.Nf %7.Nf %8.Nf        "):gsub("N", unit.decimals)
  local changed = ("%7.Nf %7.Nf %+8.Nf %6.Nf%1s"):gsub("N", unit.decimals)
  local estimated = ("%7.Nf %7.Nf  not comparable       "):gsub("N", unit.decimals)
  return {
    field = field, title = field .. " " .. unit.name, format = "%7s %7s %8s %6s%1s %6s",
    names = { "old", "new", "change", "error", "", "ratio" },
    write_change = function(time, status, write)
      if time.comparable == false then
        return write(estimated, time.old * scale, time.new * scale)
      elseif time.change == 0 then
        write(same, time.old * scale, time.new * scale, time.change)
      else
        write(changed, time.old * scale, time.new * scale, time.change * scale,
          time.error * scale, time.noise and "~" or "")
      end
      write_ratio(time, status, write)
    end,
  }
end

-- Formats a count, which may have a fraction if it is the mean of several runs.
local function count_text(count, whole)
  return (count == math.floor(count) and whole or "%.1f"):format(count)
end

-- Makes the group of columns for a count.
local function count_group(field, title)
  return {
    field = field, title = title or field, format = "%9s %9s %9s %6s",
    names = { "old", "new", "change", "ratio" },
    write_change = function(count, status, write)
      if integer(count.old) and integer(count.new) and integer(count.change) then
        local format = count.change == 0 and "%9d %9d %9d" or "%9d %9d %+9d"
        write(format, count.old, count.new, count.change)
      else
        local change = count.change == 0 and "0" or
          (count.change > 0 and "+" or "") .. count_text(count.change, "%.0f")
        write("%9s %9s %9s", count_text(count.old, "%.0f"), count_text(count.new, "%.0f"),
          change)
      end
      write_ratio(count, status, write)
    end,
  }
end

-- Returns the groups that both sides have: self times, total times, calls, recursive
-- calls if any of these changed, blocks.
local function groups_of(comparison, unit)
  local groups, counted = {}, comparison.old.counted and comparison.new.counted
  if comparison.total then
    groups[1] = time_group("self", unit)
    groups[2] = counted and time_group("total", unit) or nil
  end
  groups[#groups + 1] = counted and count_group "calls" or nil
  if changes.in_recursion(comparison) then
    groups[#groups + 1] = count_group("self_calls", "recursive calls")
  end
  groups[#groups + 1] = comparison.blocks and count_group "blocks" or nil
  return groups
end

-- Above the rows ------------------------------------------------------------------------

local function write_side(name, side, unit, write)
  write("%s: %s", name, wording.plural(side.runs, "run"))
  if unit then
    write(", %.2f %s each; a sample counts as %s", side.total * unit.scale, unit.name,
      ("%g"):format(side.period * unit.scale))
    if side.coverage < 1 then
      write("; samples stand for only %.0f%% of the processor time", 100 * side.coverage)
    end
    if side.path_share < 1 then
      write("; %s", path_share.clause(side.path_share))
    end
  end
  write "\n"
end

local function write_title(comparison, options, unit, write)
  local whole = comparison.total
  write(common.heading(options, "Comparison of profiles, per run:\n\n"))
  write_side("old", comparison.old, unit, write)
  write_side("new", comparison.new, unit, write)
  if whole then
    local line = ("change: %+.Nf %s, error %.Nf%s%s\n"):gsub("N", unit.decimals)
    local ratio = whole.ratio and (", %.2f times as much"):format(whole.ratio) or ""
    write("%s", line:format(whole.change * unit.scale, unit.name,
      whole.error * unit.scale, whole.noise and "~" or "", ratio))
    write("noise, marked ~: changes within %.1f times their error\n", comparison.factor)
  end
  write "\n"
end

-- Writes the headings; returns the width of the columns before the name.
local function write_columns(groups, options, write)
  local above, below = {}, {}
  for i, group in ipairs(groups) do
    below[i] = group.format:format(table.unpack(group.names))
    above[i] = ("%-" .. #below[i] .. "s"):format(group.title:sub(1, #below[i]))
  end
  local titles = table.concat(above, "  "):gsub(" +$", "")
  write(common.heading(options, "%s\n"), titles)
  local figures = table.concat(below, "  ") .. "  "
  write(common.heading(options, "%s\n"), figures .. "name")
  return #figures
end

-- Rows ----------------------------------------------------------------------------------

local shown_fields <const> = { "self", "total", "calls", "self_calls", "blocks" }

-- Returns the set of the numbers of rows with a change, and the number of rows with
-- changes only in total times that cannot be compared.
local function changed_rows(columns)
  local changed, doubtful, count = {}, {}, 0
  for _, field in ipairs(shown_fields) do
    local list = columns[field]
    local comparable = list and list.comparable
    for i, change in ipairs(list and list.change or {}) do
      local set = comparable and not comparable[i] and doubtful or changed
      set[i] = set[i] or change ~= 0
    end
  end
  for i, is_doubtful in pairs(doubtful) do
    if is_doubtful and not changed[i] then count = count + 1 end
  end
  return changed, count
end

-- Returns the names that several rows have, each with what tells the rows apart: "file",
-- or "path" if the files of some differ only in their directories.
local function ambiguous_names(columns)
  local seen, several, files = {}, {}, {}
  for _, name in ipairs(columns.name) do
    several[name] = seen[name] and "file"
    seen[name] = true
  end
  for i, name in ipairs(columns.name) do
    local file = several[name] and (columns.is[i].file or columns.was[i].file)
    if file then
      local key = name .. "\0" .. common.file(file, {})
      several[name] = files[key] and "path" or several[name]
      files[key] = true
    end
  end
  return several
end

-- Whether the file's name has changed. Directories matter if they are asked for: programs
-- are often built in several.
local function has_moved(row, options)
  return common.file(row.new_file, options) ~= common.file(row.old_file, options)
end

-- Returns what follows a row's name: its file if the name is ambiguous, and its old file
-- and name if these were different.
local function notes(row, several, options)
  local wanted = several[row.name] or options.inline_file_names
  if not wanted and row.new_file == row.old_file and not row.old_name then return "" end
  local shown = { print_path = options.print_path or several[row.name] == "path" }
  local new = row.new_file and common.file(row.new_file, shown)
  local old = row.old_file and common.file(row.old_file, shown)
  local moved, list = new and old and has_moved(row, options), {}
  if moved or (new or old) and wanted then list[1] = new or old end
  if moved then list[2] = "was in " .. old end
  if row.old_name then list[#list + 1] = "was " .. row.old_name end
  return list[1] and (" (%s)"):format(table.concat(list, ", ")) or ""
end

-- Returns the function that makes the names of rows, and what follows them. The name may
-- be shortened, the rest may not.
local function labeller(rows, several, options, figures, profile)
  local names = {}
  for i, row in ipairs(rows) do names[i] = row.name end
  local shortened = require "gprof.print.layout".shortener(names, options)
  local is_lua = profile and profile.image.has_scripts
  local wanted = { inline_file_names = options.inline_file_names and not is_lua,
    print_path = options.print_path }
  local has_places = is_lua and labels.shows_places(profile, options)
  return function(number)
    local row = rows[number]
    local rest = notes(row, several, wanted)
    if rest == "" and has_places then
      rest = require "gprof.print.places".of_row(row, profile, options)
    end
    return shortened(number, figures + (utf8.len(rest) or #rest)) .. rest
  end
end

-- Sort keys for the option `sort`, ascending.
local keys <const> = {
  total = function(row) return row.total and -math.abs(row.total.change) or 0 end,
  calls = function(row) return row.calls and -math.abs(row.calls.change) or 0 end,
  name = function(row) return row.name end,
}

-- Returns the rows to print: those with a change, sorted, and at most `top`; and how many
-- are left out because their changes cannot be compared.
local function rows_of(comparison, columns, options)
  local rows, values, key_of = {}, {}, keys[options.sort]
  local changed, doubtful = changed_rows(columns)
  for i = 1, #comparison do
    if options.display_unused_functions or changed[i] then
      local row = comparison[i]
      rows[#rows + 1] = row
      values[#rows] = key_of and key_of(row)
    end
  end
  local order = key_of and column_order.of(values)
  if order then rows = column_order.picked(rows, order) end
  return table.move(rows, 1, math.min(options.top or #rows, #rows), 1, {}),
    options.display_unused_functions and 0 or doubtful
end

local function write_row(row, groups, name, write)
  for _, group in ipairs(groups) do
    group.write_change(row[group.field], row.status, write)
    write "  "
  end
  write("%s\n", name)
end

-- A comparison with at least this many functions of the old program only gets a note.
local MANY_GONE <const> = 3

-- Writes a note if many functions with calls or time are gone.
local function note_gone(rows, write)
  local gone = 0
  for _, row in ipairs(rows) do
    if row.status == "gone" then gone = gone + 1 end
  end
  if gone >= MANY_GONE then
    write("\n%d functions are gone: they may have been inlined, or called by a jump; " ..
      "then compare\nthe total times of their callers\n", gone)
  end
end

--- Prints the report.
-- @tparam profile profile the new profile
-- @tparam table options `comparison`: from `gprof.compare`; `brief`: no explanation;
--   `display_unused_functions`: also print functions without any change; `sort`: "self"
--   (default), "total", "calls" or "name"; `top`: the largest number of rows;
--   `short_names`, `inline_file_names`, `print_path`, `terminal_width`, `full_names`;
--   `color`
-- @tparam stream write
return function(profile, options, write)
  local comparison = options.comparison
  if not comparison then error("needs an old profile (--compare)", 0) end
  local unit = unit_of(comparison)
  local groups, columns = groups_of(comparison, unit), changes.of(comparison).columns
  write_title(comparison, options, unit, write)
  local figures = write_columns(groups, options, write)
  local rows, doubtful = rows_of(comparison, columns, options)
  local several = rows[1] and ambiguous_names(columns)
  local label = labeller(rows, several, options, figures, profile)
  for i, row in ipairs(rows) do write_row(row, groups, label(i), write) end
  if doubtful > 0 then
    write("\n%s; -z shows them\n", common.only_incomparable(doubtful))
  end
  if not options.brief then note_gone(rows, write) end
  if not options.brief then write(require "gprof.print.explain".comparison) end
end
