--- The data of an HTML page as JSON, stored in columns. Nodes are numbered from 0:
-- functions first, then cycles. Files are also numbered from 0.
--
-- @internal gprof.export.html.page_data
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "gprof.analysis.changes"
local column_order = require "gprof.format.column_order"
local common = require "gprof.print.common"
local json = require "gprof.format.json"
local line_data = require "gprof.export.html.line_data"
local matching = require "gprof.analysis.matching"
local old_tree = require "gprof.export.html.old_tree"
local path_share = require "gprof.analysis.path_share"
local text = require "gprof.export.html.page_text"
local thread_choices = require "gprof.export.html.thread_choices"
local view_data = require "gprof.export.html.view_data"
local wording = require "gprof.format.wording"

local data = {}

local array <const>, object <const> = json.column, json.compact_object
local number <const>, quoted <const> = json.compact_number, json.compact_string
local shown <const>, strings <const> = text.quoted, text.array

local none <const> = {}

-- Returns the choices of threads as columns: the key of each, and its group or null. Also
-- returns a table from threads to the numbers of their choices.
local function choices_of(choices)
  local keys, groups, number_of = {}, {}, {}
  for i, choice in ipairs(choices) do
    keys[i], groups[i] = choice.key, choice.group
    for _, thread in ipairs(choice.threads) do number_of[thread] = i - 1 end
  end
  return object { { "key", strings(keys) },
    { "group", strings(groups, #choices) } }, number_of
end

-- Returns the threads as columns; null if there is only one. `choice` has the number of
-- the choice that shows the thread, or -1.
local function threads_of(threads, choices)
  if not threads then return "null" end
  local entries, columns, number_of = {}, choices_of(choices)
  for i, name in ipairs { "name", "number", "count", "ticks", "time", "calls" } do
    local values = {}
    for row, thread in ipairs(threads) do values[row] = thread[name] end
    entries[i] = { name, i == 1 and strings(values, #threads) or
      array(number, values, #threads) }
  end
  local shown_by = {}
  for row, thread in ipairs(threads) do shown_by[row] = number_of[thread] or -1 end
  entries[#entries + 1] = { "selected", array(function(thread)
    return tostring(thread.selected)
  end, threads) }
  entries[#entries + 1] = { "choice", array(number, shown_by) }
  entries[#entries + 1] = { "choices", columns }
  return object(entries)
end

-- Returns the spread of times or calls as columns, for functions and, last, for whole
-- runs; null if it is not known.
local function amounts_of(rows, field)
  if not rows[#rows][field] then return "null" end
  local entries = {}
  for i, name in ipairs { "mean", "min", "max", "deviation", "lost", "ratio", "runs",
    "who" } do
    local values = {}
    for row, spread in ipairs(rows) do values[row] = spread[field][name] end
    entries[i] = { name, name == "who" and strings(values, #rows) or
      array(number, values, #rows) }
  end
  return object(entries)
end

-- The functions with a strip of all runs: those with the largest maxima.
local MOST_STRIPS <const> = 100

-- Digits for shares of the maximum.
local DIGITS <const> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- The largest number of times of functions in single runs.
local MOST_TIMES <const> = 50000

-- Returns the rows of functions, those with the largest maxima first.
local function by_maximum(rows, count)
  local places, below = {}, {}
  for row = 1, count do places[row], below[row] = row, -rows[row].self.max end
  return column_order.sort({ row = places, below = below }, "below").row
end

-- Returns the times of all runs as a text, a digit for each run.
local function strip_of(times, most)
  local levels = {}
  for run, time in ipairs(times) do
    local level = most > 0 and math.ceil(time / most * (#DIGITS - 1)) or 0
    levels[run] = DIGITS:sub(level + 1, level + 1)
  end
  return table.concat(levels)
end

-- Returns for each row the times of all runs as a text, or false; and the names of the
-- runs, with the nodes of functions and their times in all runs, one function after the
-- other. Nil if these times are not known.
local function runs_of(profile, rows, ids, nodes)
  local order, picked, strips = by_maximum(rows, #ids), {}, {}
  for i = 1, math.min(#ids, MOST_TIMES // profile.spread.runs) do
    picked[i] = ids[order[i]]
  end
  local lists = profile:run_times(picked)
  if not lists then return nil end
  local names, chosen, times = {}, {}, {}
  for run, file in ipairs(profile.data.files) do names[run] = file.path end
  for row in ipairs(ids) do strips[row] = false end
  for i, list in ipairs(lists) do
    local row = order[i]
    strips[row] = i <= MOST_STRIPS and strip_of(list, rows[row].self.max)
    chosen[i] = nodes[row]
    table.move(list, 1, #list, #times + 1, times)
  end
  if #names ~= profile.spread.runs then names = {} end
  return strips, object { { "name", strings(names) }, { "node", array(number, chosen) },
    { "time", array(number, times) } }
end

-- Returns the spread as columns; null if it is not known. `node` has the functions.
local function spread_of(view, node_of)
  local profile, rows, nodes, ids = view.profile, {}, {}, {}
  if not profile.spread then return "null" end
  for _, id in ipairs(view.ids) do
    local spread = profile:get(id, "spread")
    if spread and (spread.calls.max > 0 or spread.self and spread.self.max > 0) then
      rows[#rows + 1], nodes[#nodes + 1], ids[#ids + 1] = spread, node_of[id], id
    end
  end
  local strips, runs
  if profile.spread.self then strips, runs = runs_of(profile, rows, ids, nodes) end
  rows[#rows + 1] = profile.spread
  return object { { "strips", strips and array(function(strip)
    return strip and quoted(strip) or "null"
  end, strips) or "null" }, { "of_runs", runs or "null" },
    { "runs", number(profile.spread.runs) },
    { "skipped", number(profile.spread.skipped) }, { "node", array(number, nodes) },
    { "self", amounts_of(rows, "self") }, { "calls", amounts_of(rows, "calls") } }
end

-- Returns the changes in times or calls as columns; null if they are not known. "noise"
-- is 1 if the change may be due to chance, 2 if the times are not comparable.
local function change_of(list)
  if not (list and list.old[1]) then return "null" end
  local count, errors, noise, comparable = #list.old, list.error or none,
    list.noise or none, list.comparable or none
  local ratios, marks = {}, {}
  for row, old in ipairs(list.old) do
    ratios[row] = changes.ratio(old, list.new[row])
    marks[row] = comparable[row] == false and 2 or noise[row] and 1 or 0
  end
  return object { { "old", array(number, list.old) }, { "new", array(number, list.new) },
    { "change", array(number, list.change) },
    { "error", array(number, errors, count) }, { "ratio", array(number, ratios, count) },
    { "noise", array(number, marks) } }
end

-- Returns what the page needs to test changes of call paths, as columns of two rows: the
-- old profile, and the new one.
local function columns_of_sides(comparison)
  local entries, sides = {}, { comparison.old, comparison.new }
  for i, name in ipairs { "runs", "independent", "coverage" } do
    entries[i] = { name, array(function(side) return number(side[name]) end, sides) }
  end
  return object(entries)
end

-- Adds keys to `known`, numbered from `first` on; returns it.
local function number_keys(keys, first, known)
  for i, key in ipairs(keys) do known[key] = known[key] or first + i - 1 end
  return known
end

-- The numbers that stand for the statuses of a comparison's rows.
local STATUS <const> = { both = 0, new = 1, gone = 2 }

-- Returns the numbers of new functions that rows stand for, and the nodes of these
-- functions, or -1, in the order of the rows.
local function members_of(is, node_of)
  local counts, nodes = {}, {}
  for i, f in ipairs(is) do
    local before = #nodes
    for _, member in ipairs(f == changes.ABSENT and none or matching.members(f)) do
      nodes[#nodes + 1] = node_of[member.id] or -1
    end
    counts[i] = #nodes - before
  end
  return counts, nodes
end

-- Returns the comparison; null if there is none.
local function comparison_of(content, node_of)
  local comparison = content.comparison
  if not comparison then return "null" end
  local made_of, statuses, old_names = changes.of(comparison), {}, {}
  local rows, options = made_of.columns, made_of.options or none
  for i in ipairs(rows.was) do
    statuses[i] = STATUS[changes.status(rows, i)]
    old_names[i] = changes.old_name(rows, i)
  end
  local members, nodes = members_of(rows.is, node_of)
  local known = number_keys(content.names, 0, {})
  local tree, lack = old_tree.of(comparison, content, node_of)
  local entries = { { "factor", number(comparison.factor) },
    { "options", strings(options, #options) },
    { "unit", quoted(comparison.unit) }, { "sides", columns_of_sides(comparison) },
    { "whole", change_of(made_of.whole) },
    { "tree", tree },
    { "name", view_data.names(rows.name, rows.name, known) },
    { "status", array(number, statuses) },
    { "members", array(number, members) }, { "node", array(number, nodes) } }
  if lack then entries[#entries + 1] = { "no_tree", quoted(lack) } end
  if next(old_names) then
    entries[#entries + 1] = { "old_name", strings(old_names, #statuses) }
  end
  for _, field in ipairs { "self", "total", "calls" } do
    entries[#entries + 1] = { field, change_of(rows[field]) }
  end
  return object(entries)
end

-- Returns the entries of the other view: that of inlined functions, or the one without.
local function other_of(content, rows, file_number, known)
  local view = content.other
  local node_of = view_data.nodes_of(view)
  local entries = view_data.entries(view, node_of, file_number, known)
  entries[#entries + 1] =
    { "nodes_of_lines", line_data.nodes(rows, view.profile, node_of) }
  return entries
end

-- Returns the sentence about call paths that are not complete, or null.
local function path_note(profile)
  local note = path_share.note(profile)
  return note and quoted(wording.sentence(note)) or "null"
end

-- Returns the entries of the first view of some threads, with what else differs from all
-- threads.
local function part_of(part, rows, file_number, known)
  local profile, node_of, few = part.profile, view_data.nodes_of(part), part.few
  local figures = {}
  for i, file in ipairs(part.figures) do
    figures[i] = line_data.figures(file, file_number)
  end
  local entries = { { "total", number(profile.total) },
    { "exact", tostring(profile.exact) }, { "path_note", path_note(profile) },
    { "summary", strings(part.summary) },
    { "few", few and array(quoted, { few.what, few.why, few.remedy }) or "null" },
    { "lines", line_data.lines(rows, profile, file_number, node_of) },
    { "figures", "[" .. table.concat(figures, ",") .. "]" } }
  local view = view_data.entries(part, node_of, file_number, known)
  return table.move(view, 1, #view, #entries + 1, entries)
end

local ELEMENT <const> = '<script type="application/json" id="%s">'

-- Writes an element with an object. Returns the size of its content.
local function write_element(name, entries, write)
  write(ELEMENT:format(name))
  local size = json.write_compact_object(entries, write)
  write "</script>\n"
  return size
end

-- Writes the views of threads, and returns the choices of threads. Their functions have
-- numbers instead of names: first those of the page's first view, which are `known`, then
-- the other's.
local function write_threads(content, file_number, known, write)
  local count = 0
  if content.other then
    number_keys(view_data.keys(content.other), #content.ids, known)
  end
  return thread_choices.make(content.choosable or {}, function(threads)
    local part, id = content.part_of(threads), "thread-" .. count
    local rows = line_data.rows(part.lines)
    count = count + 1
    local size = write_element(id, part_of(part, rows, file_number, known), write)
    return size + (part.other and write_element(id .. "-other",
      other_of(part, rows, file_number, known), write) or 0)
  end)
end

-- Returns the arguments that name the program and the profiles.
local function inputs_of(profile)
  local image = profile.image.path
  local words = { wording.operand(image) }
  for _, file in ipairs(profile.data.files) do
    if file.path ~= image then words[#words + 1] = wording.operand(file.path) end
  end
  return strings(words)
end

--- Writes the data of a page: an element with one JSON object; one for the other view of
-- the functions, if there is one; and one or two for each choice of threads.
-- @tparam table content a view: `profile`, by function; `ids` and `names` of functions,
--   `arcs`, `cycles` and `tree` (or nil) to show; `code`, the instructions of functions
--   without source, or nil. And `other`, another view, or nil; `lines` and `sources`;
--   `options`, words; `comparison` and `threads`, or nil; `choosable`, the threads to
--   choose from; `part_of(threads)`, which returns the content for some of them: a view
--   with `other` and `lines`, `figures` of the sources (see `sources.figures`),
--   `summary`, and `few`, a warning or nil
-- @tparam stream write
function data.write(content, write)
  local profile, node_of = content.profile, view_data.nodes_of(content)
  local file_number, files = view_data.numbering()
  local rate, rows = profile.rate, line_data.rows(content.lines)
  local has_numbers = content.other or content.choosable
  local known = has_numbers and number_keys(view_data.keys(content), 0, {})
  local entries = {
    { "unit", quoted(profile.unit) }, { "abbreviation", shown(profile.abbreviation) },
    { "total", number(profile.total) }, { "period", number(rate and 1 / rate) },
    { "exact", tostring(profile.exact) }, { "path_note", path_note(profile) },
    { "inputs", inputs_of(profile) },
    { "options", array(shown, content.options) },
    { "scripts", tostring(profile.image.has_scripts) },
    { "decimals", number(rate and common.decimals(1 / rate) or 2) },
    { "comparison", comparison_of(content, node_of) },
    { "spread", spread_of(content, node_of) },
    { "lines", line_data.lines(rows, profile, file_number, node_of) },
    { "sources", array(function(file)
      return line_data.source(file, file_number, rate)
    end, content.sources.files) },
  }
  local view = view_data.entries(content, node_of, file_number, {})
  table.move(view, 1, #view, #entries + 1, entries)
  entries[#entries + 1] = { "labels", view_data.labels(content) }
  if content.other then
    local other = other_of(content, rows, file_number, known)
    other[#other + 1] = { "labels", view_data.labels(content.other) }
    write_element("other", other, write)
  end
  local choices = write_threads(content, file_number, known, write)
  entries[#entries + 1] = { "threads", threads_of(content.threads, choices) }
  -- last, since making the other entries assigns the numbers of files
  entries[#entries + 1] = { "files", strings(files) }
  write_element("data", entries, write)
end

return data
