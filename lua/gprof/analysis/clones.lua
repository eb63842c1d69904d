--- Clones of functions. Optimizing compilers copy and split a function, and mark the
-- results with suffixes: "f.isra.0", "f.part.0", "f.constprop.1", in demangled names
-- "f(int) [clone .isra.0]". The set of clones differs between builds.
--
-- @internal gprof.analysis.clones
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local clones = {}

--- Returns the name of a clone's function (see csrc/symbols/clone_suffix.h).
-- @tparam string name
-- @treturn string|nil nil if it is not a clone
clones.stem = core.clone_stem

-- Adds the names of the functions that have clones to a set.
local function add_stems(stems, functions)
  for _, f in ipairs(functions) do
    local stem = clones.stem(f.name)
    if stem then stems[stem] = true end
  end
end

-- Maps each function in the set `stems` to the set of its own name and its clones' names.
local function names_by_stem(functions, stems)
  local names = {}
  for _, f in ipairs(functions) do
    local stem = clones.stem(f.name) or f.name
    if stems[stem] then
      names[stem] = names[stem] or {}
      names[stem][f.name] = true
    end
  end
  return names
end

local function is_subset(a, b)
  for name in pairs(a) do
    if not b[name] then return false end
  end
  return true
end

--- Finds the functions that both programs have, but with different clones. Each of these
-- functions is compared as one with its clones.
-- @tparam {table,...} olds functions of the old program, each with its `name`
-- @tparam {table,...} news functions of the new program, each with its `name`
-- @treturn {[string]=boolean} the names of these functions; nil if there are none
function clones.differing(olds, news)
  local stems, differing = {}, {}
  add_stems(stems, olds)
  add_stems(stems, news)
  if not next(stems) then return nil end
  local old, new = names_by_stem(olds, stems), names_by_stem(news, stems)
  for stem in pairs(stems) do
    local was, is = old[stem], new[stem]
    if was and is and not (is_subset(was, is) and is_subset(is, was)) then
      differing[stem] = true
    end
  end
  return next(differing) and differing
end

--- Sets the fields `inner_calls`, the calls between a function and its clones, and
-- `inner_ticks`, the time of these calls. A sum over a function and its clones would
-- count these calls and their time twice.
-- @tparam {table,...} functions each with `id`, `name` and `file`
-- @tparam function arcs returns an iterator over the caller's id, the callee's id, the
--   number of calls, and their time in samples; called only if there are clones
function clones.set_inner(functions, arcs)
  local stems, by_id, stem_of = {}, {}, {}
  add_stems(stems, functions)
  if not next(stems) then return end
  for _, f in ipairs(functions) do
    by_id[f.id], stem_of[f] = f, clones.stem(f.name) or f.name
  end
  for caller, callee, count, ticks in arcs() do
    local from, to = by_id[caller], by_id[callee]
    if from and to and from ~= to and stem_of[from] == stem_of[to] and
      stems[stem_of[to]] and from.file == to.file
    then
      to.inner_calls = (to.inner_calls or 0) + count
      to.inner_ticks = (to.inner_ticks or 0) + ticks
    end
  end
end

return clones
