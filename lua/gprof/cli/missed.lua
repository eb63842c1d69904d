--- Symspecs that match nothing: why, and what was probably meant. Loaded on demand.
--
-- @internal gprof.cli.missed
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local diagnosis = require "gprof.cli.diagnosis"
local hints = require "gprof.cli.hints"
local options = require "gprof.cli.options"
local policy = require "gprof.library.policy"
local symspec = require "gprof.symspec"

local missed = {}

local MOST_NAMES <const> = 3  -- in a message

-- Returns the hint that letters after an option were read as a symspec, like "b" in
-- "-pb".
local function attached(settings, spec)
  local option = settings.attached and settings.attached[spec]
  if not option then return nil end
  local letters = {}
  for _, known in ipairs(options.gnu) do
    if known.short and known.argument ~= "required" then letters[known.short] = true end
  end
  for letter in spec:gmatch "." do
    if not letters[letter] then return nil end
  end
  return ("text attached to -%s is a symspec; write options separately: -%s -%s"):format(
    option, option, spec)
end

-- Returns a hint if the user wrote a list such as "main,work": a symspec names only one
-- function.
local function listed(settings, image, spec)
  if not spec:find "^[%w_:~.]+,[%w_:~.,]+$" then return nil end
  local letter = settings.attached and settings.attached[spec]
  local words, is_found = {}, false
  for name in spec:gmatch "[^,]+" do
    words[#words + 1] = "-" .. (letter or "") .. name
    is_found = is_found or image:find(name) ~= nil
  end
  if not is_found then return nil end
  return "a symspec names one function; repeat the option" ..
    (letter and ": " .. table.concat(words, " ") or "")
end

-- Returns the hint that a slash in a regular expression needs a backslash, for a symspec
-- such as "/a/b/".
local function unescaped(spec)
  local file, regex = spec:match "^([^/]*)/(.+)/$"
  if not regex or file:find "[^:]$" then return nil end
  local escaped = regex:gsub("\\?.", { ["/"] = "\\/" })
  return escaped ~= regex and
    ("a slash in a regular expression needs a backslash: %s/%s/"):format(file, escaped) or
    nil
end

-- Names ---------------------------------------------------------------------------------

-- Returns the last `count` components of a qualified name, without the suffix of a clone.
local function last_components(name, count)
  local plain, components = name:gsub(" %[clone .*$", ""), {}
  for component in (plain .. "::"):gmatch "(.-)::" do
    components[#components + 1] = component
  end
  return table.concat(components, "::", math.max(#components - count + 1, 1))
end

-- Returns a name without parameters, template arguments, and their brackets.
local function bare(name)
  return (core.short_name(name):gsub("<>", ""))
end

-- Returns the short names of functions whose bare names satisfy a predicate, at most
-- MOST_NAMES.
local function names_like(image, predicate)
  local names, seen = {}, {}
  for name in image:symbols(nil, "name") do
    local short = core.short_name(name)
    if not seen[short] and predicate(bare(short)) then
      names[#names + 1] = short
      if #names == MOST_NAMES then break end
    end
    seen[short] = true
  end
  return names
end

-- Returns the pattern of all members of a class or namespace of this name, if there is
-- one; nil otherwise.
local function members(image, name)
  local all = name .. "::*"
  return not name:find "[^%w_:~]" and image:find(all) and { all } or nil
end

-- Returns functions whose last component equals the last component of a name, in case the
-- name's namespaces or parameters are wrong.
local function same_component(image, name)
  local last = last_components(name, 1)
  return names_like(image, function(other) return last_components(other, 1) == last end)
end

-- Returns functions whose last components are spelt similarly. Compares as many
-- components as the name has.
local function similar(image, name)
  if #name < 3 or name:find "[^%w_$:~]" then return {} end
  local _, separators = name:gsub("::", "")
  return names_like(image, function(other)
    return hints.is_similar(last_components(other, separators + 1), name)
  end)
end

-- Returns the names that the user probably meant, or another explanation why a name
-- matches nothing.
local function explain_name(image, text)
  local half = symspec.parse(text, false)
  local name = bare(half.name or half.text)
  if half.regex or name == "" then return {} end
  local names = members(image, name) or same_component(image, name)
  if names[1] then return names end
  local reason = diagnosis.missing(image, text)
  return reason and {} or similar(image, name), reason
end

-- Calls ---------------------------------------------------------------------------------

local function is_call(settings, spec)
  for _, side in ipairs { "include", "exclude" } do
    for _, call in ipairs(settings[side] and settings[side].arcs or {}) do
      if call == spec then return true end
    end
  end
  return false
end

-- Whether a side of FROM/TO stands for all functions.
local function is_empty(half) return half.text:find "^:?$" ~= nil end

-- Whether a side of FROM/TO matches anything.
local function is_known(image, half)
  return is_empty(half) or image:find(half.text) ~= nil
end

-- Returns "no call from main to work".
local function no_call(from, to)
  local function side(word, half)
    return is_empty(half) and "" or (" %s %s"):format(word, half.text)
  end
  return "no call" .. side("from", from) .. side("to", to)
end

-- Explains a symspec FROM/TO: proposes names for the side that matches nothing.
local function explain_call(image, spec)
  local from, to = symspec.parse(spec, true)
  for _, half in ipairs { from, to } do
    if not is_known(image, half) then
      local names, reason = explain_name(image, half.text)
      for i, name in ipairs(names) do
        names[i] = half == from and name .. "/" .. to.text or from.text .. "/" .. name
      end
      local problem = ("no function matches '%s'"):format(half.text)
      return hints.question(names) or problem .. (reason and ": " .. reason or "")
    end
  end
  return no_call(from, to)
end

-- Returns the hint that a symspec of functions has the form of calls.
local function unexpected_call(image, spec)
  local from, to = symspec.parse(spec, true)
  return to and is_known(image, from) and is_known(image, to) and
    "FROM/TO names calls, which are selected with -q, -Q or -k" or nil
end

-- Explains why a symspec matches nothing: "did you mean work?". Nil if the reason
-- is unknown.
local function reason_of(settings, image, spec)
  local hint = attached(settings, spec)
  if hint or settings.external_symbol_table then return hint end
  hint = unescaped(spec)
  if hint then return hint end
  if is_call(settings, spec) then return explain_call(image, spec) end
  hint = unexpected_call(image, spec) or listed(settings, image, spec)
  if hint then return hint end
  local names, reason = explain_name(image, spec)
  return hints.question(names) or reason
end

--- Reports a symspec that matches nothing, once.
-- @tparam table run see gprof.cli.run; the function sets its field `missed`, the set of
--   reported symspecs
-- @tparam string spec
function missed.report(run, spec)
  local reported = run.missed or {}
  if reported[spec] or not policy.of(run.settings).checks_arguments then return end
  reported[spec], run.missed = true, reported
  local reason = reason_of(run.settings, run.image, spec)
  require "gprof.format.terminal".tell(("gprof.lua: symspec '%s' matches nothing%s"):
    format(spec, reason and ": " .. reason or ""))
end

return missed
