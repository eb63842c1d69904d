--- Notes about symspecs that match: functions that reports do not show, and members of a
-- class that were probably meant, too. Loaded on demand.
--
-- @internal gprof.cli.selected
-- SPDX-License-Identifier: GPL-3.0-or-later

local diagnosis = require "gprof.cli.diagnosis"
local missed = require "gprof.cli.missed"

local selected = {}

-- The symspecs that select what a style prints are in the scope of the same name.
local STYLES <const> = { "flat", "graph" }

-- Whether reports show a function or cycle without -z.
local function is_shown(f)
  return f.ticks > 0 or f.children_ticks > 0 or f.calls > 0 or f.self_calls > 0
end

local function are_idle(functions)
  for _, f in ipairs(functions) do
    if is_shown(f) then return false end
  end
  return functions[1] ~= nil
end

-- Warns about symspecs that select functions which the reports do not show.
local function warn_idle(run, warn)
  if run.settings.display_unused_functions then return end
  for _, style in ipairs(STYLES) do
    local specs = run.printed[style] and (run.settings.include or {})[style] or {}
    for _, spec in ipairs(specs) do
      if are_idle { run.profile:find(spec) } then
        warn(("symspec '%s' selects nothing that has time or calls (-z prints the rest)")
          :format(spec))
      end
    end
  end
end

-- Whether a function is a constructor: its last two components are equal.
local function is_constructor(name)
  local parts = missed.components(name)
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

--- Gives these notes for all symspecs of the command line.
-- @tparam table run see gprof.cli.run
-- @tparam function warn takes a message
function selected.explain(run, warn)
  local settings = run.settings
  warn_idle(run, warn)
  for _, side in ipairs { "include", "exclude" } do
    for scope, specs in pairs(settings[side] or {}) do
      for _, spec in ipairs(scope ~= "arcs" and specs or {}) do
        if settings.given_to[spec] and selects_constructors(run.image, spec) then
          diagnosis.advise(settings, ("'%s' selects only the constructors; to select " ..
            "all members, write %s"):format(spec,
            missed.in_place_of(settings, spec, spec .. "::*")))
        end
      end
    end
  end
end

return selected
