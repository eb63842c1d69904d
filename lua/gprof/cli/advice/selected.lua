--- Notes about symspecs that match: functions that reports do not show, and members of a
-- class that were probably meant, too. Loaded on demand.
--
-- @internal gprof.cli.advice.selected
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"

local selected = {}

-- Returns functions with, in a profile by line, all their lines.
local function with_lines(profile, functions)
  local rows = table.move(functions, 1, #functions, 1, {})
  for _, f in ipairs(profile.by_line and functions or {}) do
    for line in profile:lines(f.id) do rows[#rows + 1] = line end
  end
  return rows
end

local function have_records(rows, with_callees)
  for _, row in ipairs(rows) do
    local time = row.ticks + (with_callees and row.children_ticks or 0)
    if time > 0 or row.calls > 0 or row.self_calls > 0 then return true end
  end
  return false
end

-- Whether rows lead to an entry of the call graph, which also shows what is called by the
-- selected functions.
local function lead_to_entries(profile, rows)
  local seen, pending = {}, {}
  local function reach(id)
    if not seen[id] then seen[id], pending[#pending + 1] = true, id end
  end
  for _, row in ipairs(rows) do reach(row.id) end
  while pending[1] do
    local id = table.remove(pending)
    if profile:get(id, "used") then return true end
    for callee in profile:callees(id, nil, "callee_id") do reach(callee) end
  end
  return false
end

-- Whether a style shows anything for selected functions.
local function are_shown(profile, functions, with_callees)
  if have_records(functions, with_callees) then return true end
  local rows = with_lines(profile, functions)
  return have_records(rows, with_callees) or
    with_callees and lead_to_entries(profile, rows)
end

-- Styles whose symspecs are in the scope of the same name, and what they show.
local STYLES <const> = {
  { name = "flat", with_callees = false, records = "self time or calls" },
  { name = "graph", with_callees = true, records = "time or calls" },
}

-- Warns about symspecs that select functions which the reports do not show.
local function warn_idle(run, warn)
  if run.settings.display_unused_functions then return end
  for _, style in ipairs(STYLES) do
    local specs = run.printed[style.name] and (run.settings.include or {})[style.name]
    for _, spec in ipairs(specs or {}) do
      local functions = { run.profile:find(spec) }
      if functions[1] and not are_shown(run.profile, functions, style.with_callees) then
        warn(("symspec '%s' selects nothing that has %s (-z prints the rest)"):format(
          spec, style.records))
      end
    end
  end
end

-- Whether a function is a constructor: its last two components are equal.
local function is_constructor(name)
  if not name:find("::", 1, true) then return false end
  local parts = require "gprof.cli.advice.missed".components(name)
  return parts[2] ~= nil and parts[#parts] == parts[#parts - 1]
end

-- Whether a symspec that names a class selects only its constructors.
local function selects_constructors(image, spec)
  if spec:find "[^%w_:]" or is_constructor(spec) then return false end
  local found = { image:find(spec) }
  for _, f in ipairs(found) do
    if not is_constructor(f.name) then return false end
  end
  return found[1] ~= nil and #{ image:find(spec .. "::*") } > #found
end

-- Returns how to select all members of a class, if a symspec selects only its
-- constructors; otherwise nil.
local function members(run, spec)
  return run.settings.given_to[spec] and selects_constructors(run.image, spec) and
    "to select all members, write " ..
    require "gprof.cli.advice.missed".in_place_of(run.settings, spec, spec .. "::*") or
    nil
end

-- Fails if a symspec selects roots of a call tree without time: the tree would be empty.
local function check_roots(run)
  local profile, specs = run.of_tree, run.settings.tree_roots or {}
  if not run.printed.tree or profile.total_ticks <= 0 then return end
  for _, spec in ipairs(specs) do
    for _, f in ipairs { profile:find(spec) } do
      -- the function, or the cycle that it is in, may have time
      if f.ticks > 0 or f.children_ticks > 0 or f.cycle ~= nil then return end
    end
  end
  if not specs[1] then return end
  local advice = members(run, specs[1])
  failure.raise("the call tree is empty: symspec '%s' selects nothing that has time%s",
    specs[1], advice and "; " .. advice or "")
end

-- Calls a function with each symspec of functions on the command line.
local function each_spec(settings, visit)
  for _, side in ipairs { "include", "exclude" } do
    for scope, specs in pairs(settings[side] or {}) do
      for _, spec in ipairs(scope ~= "arcs" and specs or {}) do visit(spec) end
    end
  end
  for _, spec in ipairs(settings.tree_roots or {}) do visit(spec) end
end

--- Gives these notes for all symspecs of the command line.
-- @tparam table run see gprof.cli.run
-- @tparam function warn takes a message
-- @raise a table with the field `message`, if a call tree would be empty
function selected.explain(run, warn)
  warn_idle(run, warn)
  check_roots(run)
  each_spec(run.settings, function(spec)
    local advice = members(run, spec)
    if not advice then return end
    require "gprof.cli.advice.diagnosis".advise(run.settings,
      ("'%s' selects only the constructors; %s"):format(spec, advice))
  end)
end

return selected
