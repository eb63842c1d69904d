-- Fuzzes lists of profiles (--profiles-from).
--
-- Parts: choices (whether the list is read like standard input); the list; a further list.
--
-- Properties: a list has its names in order: the parts between zero bytes or, without any, between newlines. A context
-- profile and a spread are left out if the profile to which they belong is in a list, too. A stream has all names, one
-- by one. A list without names, and an archive, give a message of one line.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local profiles = require "gprof.cli.sum.profile_list"

-- Appends the names in a text.
local function split(names, text)
  local separator, at = text:find("\0", 1, true) and "\0" or "\n", 1
  while at <= #text do
    local stop = text:find(separator, at, true) or #text + 1
    if stop > at then names[#names + 1] = text:sub(at, stop - 1) end
    at = stop + 1
  end
end

-- Returns the names without those of context profiles and spreads that belong to another one.
local function without_companions(names)
  local given, others = {}, {}
  for _, name in ipairs(names) do given[name] = true end
  for _, name in ipairs(names) do
    local profile = name:match "^(.*)%.ctx$" or name:gsub("%.new$", ""):match "^(.*)%.spread$"
    if not (profile and given[profile]) then others[#others + 1] = name end
  end
  return others
end

-- Checks the rows of a stream.
local function check_stream(names, settings)
  local list = profiles.stream(settings)
  for i, name in ipairs(names) do
    assert(list.fetch(i) and list[i] == name and not list[i - 1], "another name in a stream")
  end
  assert(not list.fetch(#names + 1), "more names in a stream")
end

local function check(lists, found, settings)
  local names = {}
  for _, text in ipairs(lists) do split(names, text) end
  check_stream(names, settings)
  names = without_companions(names)
  assert(#found == #names, "another number of names")
  local has_input = false
  for i, name in ipairs(names) do
    assert(found[i] == name, "another name")
    has_input = has_input or name == "-"
  end
  assert(not found.standard_input == not has_input, "standard input")
  assert(type(profiles.names(found)) == "string")
end

return function(choices, first, second)
  local lists, paths = { first }, { fuzz.file(first, 0) }
  if checks.chooser(choices)(2) == 1 then lists[2], paths[2] = second, fuzz.file(second, 1) end
  local settings = { operands = { "a.out" }, profiles_from = paths, styles = {} }
  local done, found = pcall(profiles.find, settings)
  if not done then
    assert(type(found) == "table", found)
    checks.message(found.message, found.message:match "^(.-): ")
    for _, text in ipairs(lists) do
      local names = {}
      split(names, text)
      if not names[1] or text:sub(258, 262) == "ustar" then return end
    end
    error "a list with names is refused"
  end
  check(lists, found, settings)
end
