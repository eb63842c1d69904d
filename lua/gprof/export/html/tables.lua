--- Static tables of a page, for browsers without scripts: the largest functions, calls
-- and changes.
--
-- @internal gprof.export.html.tables
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local largest = require "gprof.analysis.largest"
local text = require "gprof.export.html.page_text"

local tables = {}

local MAX_ROWS <const> = 1000  -- of each table

local function head(title, columns, write)
  write('<h2>' .. title .. '</h2>\n<div class="scroll"><table class="plain"><thead><tr>')
  for _, column in ipairs(columns) do
    write((column[2] and '<th scope="col" class="left">%s' or
      '<th scope="col">%s'):format(text.html(column[1])))
  end
  write "</tr></thead><tbody>\n"
end

-- Writes a row of strings; left-aligned columns hold names.
local function row(cells, columns, write)
  local parts = {}
  for i, cell in ipairs(cells) do
    parts[i] = (columns[i][2] and '<td class="name">' or "<td>") .. text.html(cell)
  end
  write("<tr>" .. table.concat(parts) .. "\n")
end

local function foot(count, what, write)
  write "</tbody></table></div>\n"
  if count > MAX_ROWS then
    write(("<p>Enable scripts to see %d more %s.</p>\n"):format(count - MAX_ROWS, what))
  end
end

-- Returns the format for time values, with enough decimals to show the time of one
-- sample.
local function time_format(profile)
  return "%." .. common.decimals(1 / (profile.rate or 100)) .. "f"
end

local function write_functions(content, with_calls, write)
  local profile, format = content.profile, time_format(content.profile)
  local unit = profile.unit or "time"
  local columns = { { "Self %" }, { "Self " .. unit }, { "±" }, { "Total " .. unit },
    { "Function", true } }
  if with_calls then table.insert(columns, 5, { "Calls" }) end
  head("Functions", columns, write)
  for i = 1, math.min(#content.ids, MAX_ROWS) do
    local f = profile:node(content.ids[i])
    local total = profile.total or 0
    local cells = { total > 0 and ("%.1f"):format(100 * f.self / total) or "",
      format:format(f.self), f.self_error and format:format(f.self_error) or "",
      format:format(f.self + f.children), content.labels[f.id] }
    if with_calls then table.insert(cells, 5, ("%d"):format(f.calls)) end
    row(cells, columns, write)
  end
  foot(#content.ids, "functions", write)
end

local function write_calls(content, with_calls, write)
  local format = time_format(content.profile)
  local columns = { { "Caller", true }, { "Callee", true }, { "Time in callee" } }
  if with_calls then table.insert(columns, 3, { "Calls" }) end
  local arcs, times = content.arcs, {}
  for i, self in ipairs(arcs.self) do times[i] = self + arcs.children[i] end
  local rows = largest(times, MAX_ROWS)
  table.sort(rows, function(a, b)
    if times[a] ~= times[b] then return times[a] > times[b] end
    if arcs.count[a] ~= arcs.count[b] then return arcs.count[a] > arcs.count[b] end
    return a < b
  end)
  head("Calls", columns, write)
  for i = 1, math.min(#rows, MAX_ROWS) do
    local arc = rows[i]
    local cells = { content.labels[arcs.caller[arc]], content.labels[arcs.callee[arc]],
      format:format(times[arc]) }
    if with_calls then table.insert(cells, 3, ("%d"):format(arcs.count[arc])) end
    row(cells, columns, write)
  end
  foot(#arcs.id, "pairs of functions", write)
end

-- Returns the cells of a change: old, new, difference, and "noise" if it may be due to
-- chance. Estimates that are not comparable have no difference.
local function change_cells(change, format)
  if change.comparable == false then
    return format:format(change.old), format:format(change.new), "", "not comparable"
  end
  return format:format(change.old), format:format(change.new),
    ("%+" .. format:sub(2)):format(change.change), change.noise and "noise" or ""
end

local function append(list, more) return table.move(more, 1, #more, #list + 1, list) end

-- Writes the changes: of times, unless a profile has none, and of calls.
local function write_comparison(content, write)
  local comparison, unit = content.comparison, content.comparison.unit
  local format = time_format(content.profile)
  local columns = append(
    unit and { { "Old " .. unit }, { "New " .. unit }, { "Change" }, { "" } } or {},
    { { "Calls old" }, { "Calls new" }, { "Function", true }, { "", true } })
  head(unit and "Changes in self time" or "Changes in calls", columns, write)
  for i = 1, math.min(#comparison, MAX_ROWS) do
    local found = comparison[i]
    local calls = found.calls or {}
    row(append(unit and { change_cells(found.self, format) } or {},
      { calls.old and ("%.0f"):format(calls.old) or "",
        calls.new and ("%.0f"):format(calls.new) or "", found.name,
        found.status ~= "both" and found.status or "" }), columns, write)
  end
  foot(#comparison, "functions", write)
end

--- Writes the tables as HTML.
-- @tparam table content as for `gprof.export.html.page_data`
-- @tparam stream write
function tables.write(content, write)
  if content.comparison then write_comparison(content, write) end
  local with_calls = not common.has_samples_alone(content.profile)
  write_functions(content, with_calls, write)
  if content.arcs.id[1] then write_calls(content, with_calls, write) end
end

return tables
