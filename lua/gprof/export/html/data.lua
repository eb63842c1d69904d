--- The data of an HTML page as JSON, stored in columns. Nodes are numbered from 0:
-- functions first, then cycles. Files are also numbered from 0.
--
-- @internal gprof.export.html.data
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local json = require "gprof.format.json"
local line_data = require "gprof.export.html.line_data"
local text = require "gprof.export.html.text"
local view_data = require "gprof.export.html.view_data"

local data = {}

local array <const>, object <const> = json.compact_array, json.compact_object
local number <const>, quoted <const> = json.compact_number, json.compact_string
local shown <const> = text.quoted

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

-- Returns the other view as JSON. A name that the first view also has is its number
-- there.
local function other_of(content, rows, file_number)
  local known, view = {}, content.other
  for i, id in ipairs(content.ids) do known[content.profile:get(id, "name")] = i - 1 end
  local node_of = view_data.nodes_of(view)
  local entries = view_data.entries(view, node_of, file_number, known)
  entries[#entries + 1] =
    { "nodes_of_lines", line_data.nodes(rows, view.profile, node_of) }
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
  local profile, node_of = content.profile, view_data.nodes_of(content)
  local file_number, files = view_data.numbering()
  local rate, rows = profile.rate, line_data.rows(content.lines)
  local entries = {
    { "unit", quoted(profile.unit) }, { "abbreviation", shown(profile.abbreviation) },
    { "total", number(profile.total) }, { "period", number(rate and 1 / rate) },
    { "exact", tostring(profile.exact) },
    { "decimals", number(rate and common.decimals(1 / rate) or 2) },
    { "comparison", comparison_of(content.comparison, file_number) },
    { "threads", threads_of(content.threads) },
    { "spread", spread_of(content, node_of) },
    { "lines", line_data.lines(rows, profile, file_number, node_of) },
    { "sources", array(function(file) return line_data.source(file, file_number) end,
      content.sources.files) },
  }
  local view = view_data.entries(content, node_of, file_number, {})
  table.move(view, 1, #view, #entries + 1, entries)
  if content.other then
    write_element("other", other_of(content, rows, file_number), write)
  end
  -- last, since making the other entries assigns the numbers of files
  entries[#entries + 1] = { "files", array(shown, files) }
  write_element("data", object(entries), write)
end

return data
