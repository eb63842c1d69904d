-- Fuzzes symspecs on a fixture with its profile: for every stage (such as the flat profile or annotated source), by
-- function and by line, under our policy and under GNU gprof's.
--
-- Parts: choices (the stage and the options), three symspecs.
--
-- Properties: a symspec selects existing functions in ascending order. A symspec that selects none is reported. An
-- error is one line.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local gprof = require "gprof"
local program = require "program"
local symspec = require "gprof.symspec"

local image <const> = program.image
local data <const> = assert(gprof.data(image, program.profile))
local flag <const> = { false, true }

-- Checks the function numbers that a table of a stage selects: an array of numbers, or of pairs of such arrays.
local function check_ids(ids, count)
  if type(ids) ~= "table" then
    return assert(ids == nil or ids == true)
  end
  for i, id in ipairs(ids) do
    if type(id) == "table" or id == true then
      check_ids(id, count)
    else
      assert(id >= 1 and id <= count and (i == 1 or math.type(id) == "integer"), "not a function number")
    end
  end
end

-- Checks what a symspec finds. Under GNU gprof's policy, what was accepted may be an invalid regular expression to us.
local function check_found(symbols, spec)
  local done, ids, by_line = checks.misused(symspec.find, symbols, spec)
  if not done then return false end
  assert(type(by_line) == "boolean")
  check_ids(ids, symbols.count)
  for i = 2, #ids do
    assert(ids[i - 1] < ids[i], "function numbers are not ascending")
  end
  return true
end

-- Checks the result of symspec.resolve.
local function check_resolved(symbols, options, specs)
  local known, missed = {}, 0
  for _, spec in ipairs(specs) do known[spec] = true end
  local selections = symspec.resolve(symbols, nil, options, function(spec)
    assert(known[spec], "an unknown symspec is reported")
    missed = missed + 1
  end)
  for _, sides in pairs(selections or {}) do
    for _, ids in pairs(sides) do check_ids(ids, symbols.count) end
  end
  assert(missed <= #specs)
end

return function(choices, ...)
  local choose, specs = checks.chooser(choices), { ... }
  local stage, side = choose(symspec.tables), choose { "include", "exclude" }
  local options = { [side] = { [stage] = specs }, gnu_compat = choose(flag),
    line = choose { false, false, true, "all" }, no_static = choose(flag),
    missed = function(spec) assert(type(spec) == "string") end }
  local done, profile, message = checks.misused(gprof.profile, image, data, options)
  if not done then return end
  if not profile then
    return checks.message(message)
  end
  check_resolved(profile.symbols, options, specs)
  for _, spec in ipairs(specs) do
    if check_found(profile.symbols, spec) then
      for _, f in ipairs { profile:find(spec) } do assert(profile:node(f.id) == f) end
      for _, symbol in ipairs { image:find(spec) } do assert(#symbol.name > 0) end
    end
  end
  profile:close()
end
