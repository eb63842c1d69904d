--- The data of an HTML page as JSON, stored in columns. Nodes are numbered from 0:
-- functions first, then cycles. Files are also numbered from 0.
--
-- @internal gprof.export.html.data
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local core = require "gprof.core"
local json = require "gprof.format.json"
local text = require "gprof.export.html.text"
local tree_list = require "gprof.export.html.tree_list"

local data = {}

local array <const>, object <const> = json.compact_array, json.compact_object
local number <const>, quoted <const> = json.compact_number, json.compact_string

local function shown(name)
  return quoted(name and text.shown(name))
end

-- Returns a function that numbers distinct values from 0 (-1 for nil), and the array of
-- these values.
local function numbering()
  local numbers, values = {}, {}
  return function(value)
    if value == nil then return -1 end
    if not numbers[value] then
      values[#values + 1] = value
      numbers[value] = #values - 1
    end
    return numbers[value]
  end, values
end

-- Columns of functions: for each, the name of the field and the function that writes its
-- values.
local columns <const> = {
  { "name", shown }, { "self", number }, { "self_error", number }, { "children", number },
  { "calls", number }, { "self_calls", number }, { "line", number },
}
local bounds_columns <const> = { { "total_low", number }, { "total_high", number } }

-- Returns the columns of functions, which are also the fields of cycles.
local function columns_of(profile)
  local list = table.move(columns, 1, #columns, 1, {})
  if profile.has_bounds then table.move(bounds_columns, 1, 2, #list + 1, list) end
  return list
end

-- Returns the cycles as JSON, and a table that maps the id of each member to the number
-- of its cycle (from 0).
local function cycles_of(content, node_of)
  local texts, within = {}, {}
  for i, cycle in ipairs(content.cycles) do
    local members = {}
    for id in cycle:members(nil, "id") do
      members[#members + 1], within[id] = node_of[id], i - 1
    end
    local entries = { { "members", array(number, members) } }
    for _, column in ipairs(columns_of(content.profile)) do
      entries[#entries + 1] = { column[1], column[2](cycle[column[1]]) }
    end
    texts[i] = object(entries)
  end
  return "[" .. table.concat(texts, ",") .. "]", within
end

-- Returns the functions as columns. `known` maps names to numbers that stand for them.
local function functions_of(content, file_number, within, known)
  local profile, ids, entries = content.profile, content.ids, {}
  local function name_or_number(name)
    return known[name] and number(known[name]) or shown(name)
  end
  for i, column in ipairs(columns_of(profile)) do
    local name, values = column[1], {}
    for row, id in ipairs(ids) do values[row] = profile:get(id, name) end
    entries[i] = { name,
      array(name == "name" and name_or_number or column[2], values, #ids) }
  end
  local files, cycles = {}, {}
  for row, id in ipairs(ids) do
    files[row], cycles[row] = file_number(profile:get(id, "file")), within[id] or -1
  end
  entries[#entries + 1] = { "file", array(number, files) }
  entries[#entries + 1] = { "cycle", array(number, cycles) }
  return object(entries)
end

-- The largest number of columns of a name; longer ones would be cut at their ends.
local WIDEST <const> = 100

-- Returns what the page shows for long names: names shortened as on a terminal, by the
-- number of the function.
local function labels_of(content)
  local names, entries = {}, {}
  for row, id in ipairs(content.ids) do names[row] = content.profile:get(id, "name") end
  local shortened = core.distinct_names(names)
  for row, name in ipairs(names) do
    local label = #name > WIDEST and shortened(row, "complete", WIDEST, "…") or name
    if label ~= name then
      entries[#entries + 1] = { ("%d"):format(row - 1), shown(label) }
    end
  end
  return object(entries)
end

-- Returns the arcs as columns; callers and callees are nodes.
local function arcs_of(content, node_of)
  local entries = {}
  for i, name in ipairs { "caller", "callee", "count", "self", "children" } do
    local values = {}
    for row, arc in ipairs(content.arcs) do
      values[row] = i <= 2 and node_of[arc[name]] or arc[name]
    end
    entries[i] = { name, array(number, values) }
  end
  return object(entries)
end

-- Returns the call tree as columns. A frame is a node, -1 (the root) or -2 (hidden
-- callees). Functions that are not exported are numbered from `node_count` on; the page
-- has only their names (`others`).
local function tree_of(content, node_of, node_count)
  local tree, frames, parents, weights, names = content.tree, {}, {}, {}, {}
  if not tree then return "null" end
  local extra, others = numbering()
  for i, node in ipairs(tree.nodes) do
    local id = node.id or -1
    frames[i] = node_of[id] or id < 1 and -1 or node_count + extra(id)
    if id == tree_list.HIDDEN then frames[i] = -2 end
    parents[i], weights[i] = node.parent - 1, node.weight
  end
  for i, id in ipairs(others) do names[i] = content.profile:get(id, "name") end
  return object { { "frame", array(number, frames) },
    { "parent", array(number, parents) }, { "weight", array(number, weights) },
    { "others", array(shown, names) }, { "parts", number(tree.parts) } }
end

-- The largest number of callers that a page has for an inlined line.
local MOST_CALLERS <const> = 4

-- Returns where a line was inlined: its index, the number and the time of the callers
-- that are left out, then for each of the others its name, file, line and time.
local function callers_of(line, index, file_number)
  local others, time, fields = 0, 0, {}
  for i, caller in ipairs(line.inlined_in) do
    if i <= MOST_CALLERS then
      table.move({ shown(caller.name), number(file_number(caller.file)),
        number(caller.line or 0), number(caller.seconds) }, 1, 4, #fields + 1, fields)
    else
      others, time = others + 1, time + caller.seconds
    end
  end
  return ("[%d,%d,%s,%s]"):format(index, others, number(time), table.concat(fields, ","))
end

-- Returns a source file as JSON. `text` has the included lines. `jumps` has an index in
-- `text` and a line number for each line after a gap. `known` has the figures of lines,
-- each with the line's index in `text`; `inlined`, the callers of inlined lines.
local function source_of(file, file_number)
  local jumps, texts, known, inlined, expected = {}, {}, {}, {}, 1
  for i, line in ipairs(file.lines) do
    if line.number ~= expected then
      jumps[#jumps + 1], jumps[#jumps + 2] = i - 1, line.number
    end
    expected, texts[i] = line.number + 1, text.shown(line.text, "\0-\8\11-\31\127")
    if line.known then
      known[#known + 1] = array(number, { i - 1, line.seconds or 0,
        line.seconds_error or 0, line.calls or -1, line.blocks or -1 })
    end
    if line.inlined_in then
      inlined[#inlined + 1] = callers_of(line, i - 1, file_number)
    end
  end
  return object { { "name", shown(file.name) }, { "seconds", number(file.seconds) },
    { "calls", number(file.calls) }, { "count", number(file.count) },
    { "jumps", array(number, jumps) }, { "text", array(quoted, texts) },
    { "known", "[" .. table.concat(known, ",") .. "]" },
    { "inlined", "[" .. table.concat(inlined, ",") .. "]" } }
end

-- The largest number of rows of lines in a page.
local MOST_LINES <const> = 20000

-- Returns the ids of functions by address.
local function ids_by_address(profile)
  local at = {}
  for id, address in profile:functions("address", "id", "address") do
    if address then at[address] = id end
  end
  return at
end

-- Returns the rows of lines, one for each line and function: `line`, the line, and
-- `part`, the function's. Code without line information is left out, since the functions
-- show it.
local function rows_of(lines)
  local rows = {}
  for _, line in ipairs(lines) do
    for _, part in ipairs(line.file and line.functions or {}) do
      if #rows < MOST_LINES then rows[#rows + 1] = { line = line, part = part } end
    end
  end
  return rows
end

-- Returns the functions that contain the code of lines, or -1.
local function nodes_of_lines(rows, profile, node_of)
  local at, nodes = ids_by_address(profile), {}
  for i, row in ipairs(rows) do nodes[i] = node_of[at[row.part.owner]] or -1 end
  return array(number, nodes)
end

-- Returns the lines with time as columns. `node` is the function that contains the code,
-- or -1; `name`, that of an inlined function, or null.
local function lines_of(rows, profile, file_number, node_of)
  local at = ids_by_address(profile)
  local files, lines, times, errors, names = {}, {}, {}, {}, {}
  for i, row in ipairs(rows) do
    local owner, seconds = at[row.part.owner], row.part.ticks / profile.rate
    files[i], lines[i] = file_number(row.line.file), row.line.line
    times[i], errors[i] = seconds, profile:error_of(seconds)
    if not owner or profile:get(owner, "name") ~= row.part.name then
      names[i] = row.part.name
    end
  end
  return object { { "file", array(number, files) }, { "line", array(number, lines) },
    { "self", array(number, times) }, { "self_error", array(number, errors) },
    { "node", nodes_of_lines(rows, profile, node_of) },
    { "name", array(shown, names, #rows) } }
end

-- Returns the threads as columns; null if there is only one.
local function threads_of(threads)
  if not threads then return "null" end
  local entries = {}
  for i, name in ipairs { "name", "number", "count", "ticks", "time", "calls" } do
    local values = {}
    for row, thread in ipairs(threads) do values[row] = thread[name] end
    entries[i] = { name, array(i == 1 and shown or number, values, #threads) }
  end
  entries[#entries + 1] = { "selected", array(function(thread)
    return tostring(thread.selected)
  end, threads) }
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
    entries[i] = { name, array(name == "who" and shown or number, values, #rows) }
  end
  return object(entries)
end

-- Returns the spread as columns; null if it is not known. `node` has the functions.
local function spread_of(view, node_of)
  local profile, rows, nodes = view.profile, {}, {}
  if not profile.spread then return "null" end
  for _, id in ipairs(view.ids) do
    local spread = profile:get(id, "spread")
    if spread and (spread.calls.max > 0 or spread.self and spread.self.max > 0) then
      rows[#rows + 1], nodes[#nodes + 1] = spread, node_of[id]
    end
  end
  rows[#rows + 1] = profile.spread
  return object { { "runs", number(profile.spread.runs) },
    { "skipped", number(profile.spread.skipped) }, { "node", array(number, nodes) },
    { "self", amounts_of(rows, "self") }, { "calls", amounts_of(rows, "calls") } }
end

-- Returns the changes in times or calls as columns; null if they are not known.
local function change_of(rows, field)
  if not rows[1] or not rows[1][field] then return "null" end
  local entries = {}
  for i, name in ipairs { "old", "new", "change", "error", "ratio" } do
    local values = {}
    for row, found in ipairs(rows) do values[row] = found[field][name] end
    entries[i] = { name, array(number, values, #rows) }
  end
  local noise = {}
  for row, found in ipairs(rows) do noise[row] = found[field].noise and 1 or 0 end
  entries[#entries + 1] = { "noise", array(number, noise) }
  return object(entries)
end

local function comparison_of(comparison, file_number)
  if not comparison then return "null" end
  local entries = { { "factor", number(comparison.factor) },
    { "unit", quoted(comparison.unit) } }
  for _, field in ipairs { "name", "status" } do
    entries[#entries + 1] = { field, array(function(row) return shown(row[field]) end,
      comparison) }
  end
  entries[#entries + 1] = { "file", array(function(row)
    return number(file_number(row.new_file or row.old_file))
  end, comparison) }
  for _, row in ipairs(comparison) do
    if row.old_name then
      entries[#entries + 1] = { "old_name", array(function(other)
        return shown(other.old_name)
      end, comparison) }
      break
    end
  end
  for _, field in ipairs { "self", "total", "calls" } do
    entries[#entries + 1] = { field, change_of(comparison, field) }
  end
  return object(entries)
end

-- Returns a table that maps the ids of a view's functions and cycles to nodes.
local function nodes_of(view)
  local node_of = {}
  for i, id in ipairs(view.ids) do node_of[id] = i - 1 end
  for i, cycle in ipairs(view.cycles) do node_of[cycle.id] = #view.ids + i - 1 end
  return node_of
end

-- Returns the entries for the functions, calls and tree of a view. `known` maps names to
-- numbers that stand for them.
local function view_entries(view, node_of, file_number, known)
  local cycles, within = cycles_of(view, node_of)
  return { { "inlines", tostring(view.profile.has_inlines) }, { "cycles", cycles },
    { "functions", functions_of(view, file_number, within, known) },
    { "labels", labels_of(view) }, { "arcs", arcs_of(view, node_of) },
    { "tree", tree_of(view, node_of, #view.ids + #view.cycles) } }
end

-- Returns the other view as JSON. A name that the first view also has is its number
-- there.
local function other_of(content, rows, file_number)
  local known, view = {}, content.other
  for i, id in ipairs(content.ids) do known[content.profile:get(id, "name")] = i - 1 end
  local node_of = nodes_of(view)
  local entries = view_entries(view, node_of, file_number, known)
  entries[#entries + 1] =
    { "nodes_of_lines", nodes_of_lines(rows, view.profile, node_of) }
  return object(entries)
end

local ELEMENT <const> = '<script type="application/json" id="%s">'

local function write_element(name, content, write)
  write(ELEMENT:format(name))
  write(content)
  write "</script>\n"
end

--- Writes the data of a page: an element with one JSON object and, if there is another
-- view of the functions, one with that.
-- @tparam table content a view: `profile`, by function; `ids` of the functions, `arcs`,
--   `cycles` and `tree` (or nil) to show; `other`, another view, or nil; `lines` and
--   `sources`; `comparison` and `threads`, or nil
-- @tparam stream write
function data.write(content, write)
  local profile, node_of = content.profile, nodes_of(content)
  local file_number, files = numbering()
  local rate, rows = profile.rate, rows_of(content.lines)
  local entries = {
    { "unit", quoted(profile.unit) }, { "abbreviation", shown(profile.abbreviation) },
    { "total", number(profile.total) }, { "period", number(rate and 1 / rate) },
    { "exact", tostring(profile.exact) },
    { "decimals", number(rate and common.decimals(1 / rate) or 2) },
    { "comparison", comparison_of(content.comparison, file_number) },
    { "threads", threads_of(content.threads) },
    { "spread", spread_of(content, node_of) },
    { "lines", lines_of(rows, profile, file_number, node_of) },
    { "sources", array(function(file) return source_of(file, file_number) end,
      content.sources.files) },
  }
  local view = view_entries(content, node_of, file_number, {})
  table.move(view, 1, #view, #entries + 1, entries)
  if content.other then
    write_element("other", other_of(content, rows, file_number), write)
  end
  -- last, since making the other entries assigns the numbers of files
  entries[#entries + 1] = { "files", array(shown, files) }
  write_element("data", object(entries), write)
end

return data
