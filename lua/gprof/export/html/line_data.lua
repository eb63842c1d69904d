--- Source lines of a page as columns of JSON: the lines with time, and source text with
-- the figures of its lines. Files are numbered.
--
-- @internal gprof.export.html.line_data
-- SPDX-License-Identifier: GPL-3.0-or-later

local json = require "gprof.format.json"
local text = require "gprof.export.html.page_text"

local line_data = {}

local array <const>, object <const> = json.column, json.compact_object
local number <const>, quoted <const> = json.compact_number, json.compact_string
local shown <const> = text.quoted

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

-- Returns the figures of lines as JSON: `known`, those of each line, with its `place`;
-- and `inlined`, the callers of inlined lines.
local function figures_of(lines, file_number)
  local known, inlined = {}, {}
  for _, line in ipairs(lines) do
    if line.known then
      known[#known + 1] = array(number, { line.place, line.seconds or 0,
        line.seconds_error or 0, line.calls or -1, line.blocks or -1 })
    end
    if line.inlined_in then
      inlined[#inlined + 1] = callers_of(line, line.place, file_number)
    end
  end
  return "[" .. table.concat(known, ",") .. "]", "[" .. table.concat(inlined, ",") .. "]"
end

-- Returns the times of callees as JSON: places of lines, each followed by seconds.
local function callees_of(callees)
  local places, list = {}, {}
  for place in pairs(callees or {}) do places[#places + 1] = place end
  table.sort(places)
  for i, place in ipairs(places) do
    list[2 * i - 1], list[2 * i] = place, callees[place]
  end
  return array(number, list)
end

-- Formats the text of a line, which may have tabs.
local function quoted_line(bytes)
  return quoted(text.shown(bytes, "\0-\8\11-\31\127"))
end

--- Returns instructions as JSON: the number of a line or function, the first address in
-- hexadecimal, the differences to it, times, and texts.
-- @tparam integer owner
-- @tparam {table,...} code from `gprof.analysis.hot_instructions`
-- @tparam number rate samples per unit of time
-- @treturn string
function line_data.code(owner, code, rate)
  local first, steps, times, texts = code[1].address, {}, {}, {}
  for i, each in ipairs(code) do
    steps[i], times[i], texts[i] = each.address - first, each.ticks / rate, each.text
  end
  return ('[%d,"%x",%s,%s,%s]'):format(owner, first, array(number, steps),
    array(number, times), text.array(texts))
end

-- Returns the instructions of lines as JSON.
local function code_of(lines, rate)
  local found = {}
  for _, line in ipairs(lines) do
    found[#found + 1] = line.code and line_data.code(line.place, line.code, rate)
  end
  return "[" .. table.concat(found, ",") .. "]"
end

-- Returns the times of lines in the old profile as JSON; null if they are not known,
-- false if they would be but for the old text.
local function old_of(file)
  local old = file.old
  if not old then return file.no_old and "false" or "null" end
  return object { { "places", array(number, old.places) },
    { "times", array(number, old.times) }, { "added", array(number, old.added) } }
end

--- Returns a source file as JSON. `text` has the included lines. `jumps` has an index in
-- `text` and a line number for each line after a gap. `known` has the figures of lines,
-- each with the line's index in `text`; `callees`, the times of the functions that lines
-- call; `inlined`, the callers of inlined lines; `code`, the instructions of the hottest
-- lines; `old`, times in the old profile.
-- @tparam table file from `gprof.export.html.sources`
-- @tparam function file_number numbers the names of files
-- @tparam number|nil rate samples per unit of time
-- @treturn string
function line_data.source(file, file_number, rate)
  local jumps, texts, expected = {}, {}, 1
  local known, inlined = figures_of(file.lines, file_number)
  for i, line in ipairs(file.lines) do
    if line.number ~= expected then
      jumps[#jumps + 1], jumps[#jumps + 2] = i - 1, line.number
    end
    expected, texts[i] = line.number + 1, line.text
  end
  return object { { "name", shown(file.name) }, { "seconds", number(file.seconds) },
    { "calls", number(file.calls) }, { "count", number(file.count) },
    { "jumps", array(number, jumps) },
    { "text", json.compact_strings(quoted_line, texts) },
    { "known", known }, { "callees", callees_of(file.callees) }, { "inlined", inlined },
    { "code", code_of(file.lines, rate) }, { "old", old_of(file) } }
end

--- Returns the figures that take the place of those of a source file.
-- @tparam table|boolean file from `sources.figures`; false for a file without figures
-- @tparam function file_number numbers the names of files
-- @treturn string as for `source`; null without a file
function line_data.figures(file, file_number)
  if not file then return "null" end
  local known, inlined = figures_of(file.lines, file_number)
  return object { { "seconds", number(file.seconds) }, { "calls", number(file.calls) },
    { "known", known }, { "callees", callees_of(file.callees) },
    { "inlined", inlined } }
end

--- The largest number of rows of lines in a page.
line_data.MOST_LINES = 20000

-- Returns the ids of functions by address.
local function ids_by_address(profile)
  local at = {}
  for id, address in profile:functions("address", "id", "address") do
    if address then at[address] = id end
  end
  return at
end

--- Returns the rows of the table of lines. Code without line information is left out,
-- since the functions show it.
-- @tparam {table,...} lines from `gprof.analysis.hot_lines`
-- @treturn {table,...} one for each line and function: `line`, and `part`, the function's
--   part. Field `ticks` of the array: those of all lines, also beyond `MOST_LINES`
function line_data.rows(lines)
  local rows = { ticks = 0 }
  for _, line in ipairs(lines) do
    for _, part in ipairs(line.file and line.functions or {}) do
      rows.ticks = rows.ticks + part.ticks
      if #rows < line_data.MOST_LINES then
        rows[#rows + 1] = { line = line, part = part }
      end
    end
  end
  return rows
end

-- Returns the ids of functions by name, if inlined functions are functions.
local function ids_by_name(profile)
  local by_name = {}
  if not profile.has_inlines then return by_name end
  for id, name in profile:functions("address", "id", "name") do
    by_name[name] = by_name[name] or {}
    table.insert(by_name[name], id)
  end
  return by_name
end

-- Returns the function of a name, in a file if there are several; nil if there is none.
local function id_in(profile, ids, file)
  for _, id in ipairs(ids or {}) do
    if profile:get(id, "file") == file then return id end
  end
  return ids and ids[1]
end

-- Returns the functions whose self time has the time of lines. `at`: the ids of compiled
-- functions by address.
local function nodes_at(rows, at, profile, node_of)
  local by_name, nodes = ids_by_name(profile), {}
  for i, row in ipairs(rows) do
    local owner, name = at[row.part.owner], row.part.name
    if not owner or profile:get(owner, "name") ~= name then
      owner = id_in(profile, by_name[name], row.line.file) or owner
    end
    nodes[i] = node_of[owner] or -1
  end
  return array(number, nodes)
end

--- Returns the functions whose self time has the time of lines, or -1.
-- @tparam {table,...} rows from `rows`
-- @tparam profile profile by function
-- @tparam {[integer]=integer} node_of from `view_data.nodes_of`
-- @treturn string an array
function line_data.nodes(rows, profile, node_of)
  return nodes_at(rows, ids_by_address(profile), profile, node_of)
end

--- Returns the lines with time as columns. `node` is the function whose self time has the
-- time of the line, or -1; `name`, that of a function that was inlined, or null; `time`,
-- that of all lines.
-- @tparam {table,...} rows from `rows`
-- @tparam profile profile by function
-- @tparam function file_number numbers the names of files
-- @tparam {[integer]=integer} node_of from `view_data.nodes_of`
-- @treturn string an object
function line_data.lines(rows, profile, file_number, node_of)
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
    { "time", number(rows.ticks / (profile.rate or 1)) },
    { "self", array(number, times) }, { "self_error", array(number, errors) },
    { "node", nodes_at(rows, at, profile, node_of) },
    { "name", text.array(names, #rows) } }
end

return line_data
