--- A view of a profile for a page: its functions, cycles, calls and call tree as columns
-- of JSON. Nodes are numbered from 0: functions first, then cycles.
--
-- @internal gprof.export.html.view_data
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local distinct_names <const> = require "gprof.names".distinct
local json = require "gprof.format.json"
local line_data = require "gprof.export.html.line_data"
local text = require "gprof.export.html.page_text"
local tree_list = require "gprof.export.html.tree_list"

local view_data = {}

local array <const>, object <const> = json.column, json.compact_object
local number <const>, shown <const> = json.compact_number, text.quoted
local strings <const> = text.array

--- Makes a numbering of distinct values.
-- @treturn function returns the number of a value, from 0; -1 for nil
-- @treturn table array of the values, which grows
function view_data.numbering()
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

-- Returns the columns of the libraries of functions, -1 for the program.
local function objects_of(profile, ids)
  if not profile.has_libraries then return end
  local object_number, names = view_data.numbering()
  local objects = {}
  for row, id in ipairs(ids) do
    objects[row] = object_number(profile:get(id, "object"))
  end
  return { "object", array(number, objects) }, { "objects", strings(names) }
end

--- Formats names.
-- @tparam {string,...} names
-- @tparam {string,...} keys what is looked up in `known` for each name
-- @tparam {[string]=integer} known maps keys to numbers that stand for the names
-- @treturn string
function view_data.names(names, keys, known)
  local values = {}
  for i, name in ipairs(names) do values[i] = known[keys[i]] or name end
  return strings(values)
end

--- Returns what stands for functions in all views of a page: functions can share their
-- name. Addresses tell those apart that share their place, too, such as constructors. In
-- libraries, addresses differ between views.
-- @tparam table view as for `gprof.export.html.page_data`
-- @treturn {string,...}
function view_data.keys(view)
  local profile, ids, keys = view.profile, view.ids, {}
  local files, lines, addresses = profile:columns(ids, "file", "line", "address")
  local objects = profile.has_libraries and profile:columns(ids, "object") or {}
  for i, name in ipairs(view.names) do
    local address = not objects[i] and addresses[i]
    keys[i] = ("%s\0%s\0%s\0%s"):format(name, files[i] or "", lines[i] or "",
      address or "")
  end
  return keys
end

-- Returns the functions as columns. `known` has keys of functions.
local function functions_of(content, file_number, within, known)
  local profile, ids, entries = content.profile, content.ids, {}
  for i, column in ipairs(columns_of(profile)) do
    local name = column[1]
    entries[i] = { name, array(column[2], profile:columns(ids, name), #ids) }
  end
  if next(known) then
    entries[1][2] = view_data.names(content.names, view_data.keys(content), known)
  end
  local files, cycles, names = {}, {}, profile:columns(ids, "file")
  for row, id in ipairs(ids) do
    files[row], cycles[row] = file_number(names[row]), within[id] or -1
  end
  entries[#entries + 1] = { "file", array(number, files) }
  entries[#entries + 1] = { "cycle", array(number, cycles) }
  entries[#entries + 1], entries[#entries + 2] = objects_of(profile, ids)
  return object(entries)
end

-- The largest number of columns of a name; longer ones would be cut at their ends.
local WIDEST <const> = 100

--- Returns what the page shows instead of names, by the number of the function: what the
-- options ask for; and for long names, names shortened as on a terminal.
-- @tparam table content a view
-- @treturn string an object
function view_data.labels(content)
  local names, entries, shortened = content.names, {}, nil
  for row, name in ipairs(names) do
    local label = content.are_names and name or content.labels[content.ids[row]]
    if label == name and #name > WIDEST then
      shortened = shortened or distinct_names(names)
      label = shortened(row, "complete", WIDEST, "…")
    end
    if label ~= name then
      entries[#entries + 1] = { ("%d"):format(row - 1), shown(label) }
    end
  end
  return object(entries)
end

-- Returns the arcs as columns; callers and callees are nodes.
local function arcs_of(content, node_of)
  local entries, arcs = {}, content.arcs
  for i, name in ipairs { "caller", "callee" } do
    entries[i] = { name, array(number, column_order.picked(node_of, arcs[name])) }
  end
  for i, name in ipairs { "count", "self", "children" } do
    entries[i + 2] = { name, array(number, arcs[name]) }
  end
  return object(entries)
end

-- Returns the bounds of total times that are estimates (see `profile:find_limits`, which
-- the tree needs) as columns, for the nodes whose time is not certain: the difference to
-- the node before, and samples. Null if the times were measured, or if there are columns
-- of bounds.
local function bounds_of(content, node_of)
  local profile = content.profile
  if not (content.tree and content.tree.certain) or profile.has_bounds then
    return "null"
  end
  local rate, steps, lows, highs, last = profile.rate, {}, {}, {}, 0
  local function add(id, low, high, time)
    local whole = rate * time
    if not (high and (whole - low > 0.5 or high - whole > 0.5)) then return end
    steps[#steps + 1], last = node_of[id] - last, node_of[id]
    lows[#steps] = math.floor(math.min(low, whole))
    highs[#steps] = math.ceil(math.max(high, whole))
  end
  local least, most, selves, children =
    profile:columns(content.ids, "least_ticks", "most_ticks", "self", "children")
  for i, id in ipairs(content.ids) do
    add(id, least[i], most[i], selves[i] + children[i])
  end
  for _, cycle in ipairs(content.cycles) do
    add(cycle.id, cycle.least_ticks, cycle.most_ticks, cycle.self + cycle.children)
  end
  return object { { "step", array(number, steps) }, { "low", array(number, lows) },
    { "high", array(number, highs) } }
end

-- Returns where coroutines were created, as columns: the node of the function that they
-- began with, and the file and line of each place.
local function created_of(profile, node_of, file_number)
  local nodes, files, lines, seen = {}, {}, {}, {}
  for address, place in profile.data:creations() do
    local f, key = profile:lookup(address), ("%d %d"):format(address, place)
    local file, line = profile.image:line(place)
    if f and node_of[f.id] and file and not seen[key] then
      nodes[#nodes + 1], files[#files + 1] = node_of[f.id], file_number(file)
      lines[#lines + 1], seen[key] = line, true
    end
  end
  return object { { "node", array(number, nodes) }, { "file", array(number, files) },
    { "line", array(number, lines) } }
end

-- Returns the instructions of functions without source.
local function code_of(view)
  local code, found = view.code or {}, {}
  for i, id in ipairs(view.ids) do
    found[#found + 1] = code[id] and line_data.code(i - 1, code[id], view.profile.rate)
  end
  return "[" .. table.concat(found, ",") .. "]"
end

local special_frames <const> = { [tree_list.ROOT] = -1, [tree_list.HIDDEN] = -2 }

-- Returns what is certain of each weight, as a column; -1 stands for all of it.
local function certain_of(tree)
  if not tree.certain then return "null" end
  local parts = {}
  for i, amount in ipairs(tree.certain) do
    parts[i] = amount < tree.weights[i] and amount or -1
  end
  return array(number, parts)
end

--- Returns a call tree as columns. A frame is a node, -1 (the root) or -2 (hidden
-- callees). Functions without a node are numbered from `node_count` on; the page has only
-- their names (`others`).
-- @tparam table content `profile`, and its `tree` or nil
-- @tparam {[integer]=integer} node_of maps ids of the profile to nodes
-- @tparam integer node_count the number of the page's nodes
-- @treturn string an object, or null
function view_data.tree(content, node_of, node_count)
  local tree, frames, parents, names = content.tree, {}, {}, {}
  if not tree then return "null" end
  local extra, others = view_data.numbering()
  for i, id in ipairs(tree.ids) do
    frames[i] = node_of[id] or special_frames[id] or node_count + extra(id)
    parents[i] = tree.parents[i] - 1
  end
  for i, id in ipairs(others) do names[i] = content.profile:get(id, "name") end
  return object { { "frame", array(number, frames) },
    { "parent", array(number, parents) }, { "weight", array(number, tree.weights) },
    { "certain", certain_of(tree) },
    { "guessed", tree.guessed and number(tree.guessed) or "null" },
    { "others", strings(names) }, { "parts", number(tree.parts) } }
end

--- Numbers the nodes of a view.
-- @tparam table view as for `gprof.export.html.page_data`
-- @treturn {[integer]=integer} the nodes, by id
function view_data.nodes_of(view)
  local node_of = {}
  for i, id in ipairs(view.ids) do node_of[id] = i - 1 end
  for i, cycle in ipairs(view.cycles) do node_of[cycle.id] = #view.ids + i - 1 end
  return node_of
end

--- Returns the entries of a view for `json.compact_object`.
-- @tparam table view as for `gprof.export.html.page_data`
-- @tparam {[integer]=integer} node_of from `nodes_of`
-- @tparam function file_number numbers the names of files
-- @tparam {[string]=integer} known maps keys of functions (see `keys`) to numbers that
--   stand for their names
-- @treturn {table,...} pairs of a name and JSON
function view_data.entries(view, node_of, file_number, known)
  local cycles, within = cycles_of(view, node_of)
  return { { "inlines", tostring(view.profile.has_inlines) }, { "cycles", cycles },
    { "functions", functions_of(view, file_number, within, known) },
    { "arcs", arcs_of(view, node_of) }, { "limits", bounds_of(view, node_of) },
    { "created", created_of(view.profile, node_of, file_number) },
    { "code", code_of(view) },
    { "tree", view_data.tree(view, node_of, #view.ids + #view.cycles) } }
end

return view_data
