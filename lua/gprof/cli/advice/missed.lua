--- Symspecs that match nothing: why, and what was probably meant. Loaded on demand.
--
-- @internal gprof.cli.advice.missed
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local core = require "gprof.core"
local diagnosis = require "gprof.cli.advice.diagnosis"
local hints = require "gprof.cli.advice.hints"
local language_names = require "gprof.library.symspec.language_names"
local options = require "gprof.cli.options.option_table"
local policy = require "gprof.library.policy"
local symspec = require "gprof.symspec"
local wording = require "gprof.format.wording"

local missed = {}

local MOST_NAMES <const> = 3  -- in a message

--- Returns a symspec in the place of another, with the option and quoted for the shell.
-- Limits keep their percentages.
-- @tparam table settings
-- @tparam string spec on the command line
-- @tparam string other
-- @treturn string such as "-p'Shape::*'"
function missed.in_place_of(settings, spec, other)
  local option, limits = settings.given_to[spec], settings.limits_of[spec]
  local word = wording.shell_word(limits and limits .. "@" .. other or other)
  if not option.short then return ("--%s=%s"):format(option.long, word) end
  return ("-%s%s%s"):format(option.short, option.argument == "required" and " " or "",
    word)
end

-- Returns the question whether the user meant one of several symspecs; nil if there are
-- none.
local function question(settings, spec, others)
  local words = {}
  for i, other in ipairs(others) do
    words[i] = missed.in_place_of(settings, spec, other)
  end
  return hints.question(words)
end

-- Up to this many letters after an option are rather options than a name that the
-- debugging information has, or that is similar to a function's.
local MOST_LETTERS <const> = 3

-- Returns the hint that letters after an option were read as a symspec, like "b" in
-- "-pb".
local function attached(settings, spec)
  local option = settings.given_to[spec]
  if option.argument ~= "optional" or not option.short then return nil end
  local letters = {}
  for _, known in ipairs(options.gnu) do
    if known.short and known.argument ~= "required" then letters[known.short] = true end
  end
  for letter in spec:gmatch "." do
    if not letters[letter] then return nil end
  end
  return ("text attached to -%s is a symspec; write options separately: -%s -%s"):format(
    option.short, option.short, spec)
end

-- Whether a word in a list after limits and "@" is another limit.
local function is_limit(settings, spec, word)
  return settings.limits_of[spec] and require "gprof.analysis.gate".parse(word) ~= nil
end

-- Returns a hint if the user wrote a list such as "main,work": a symspec names only one
-- function. Limits may follow, as in "5%@main,calls:0".
local function listed(settings, image, spec)
  if not spec:find "^[%w_:~.]+,[%w_:~.,%%]+$" then return nil end
  local words, is_found = {}, false
  for name in spec:gmatch "[^,]+" do
    words[#words + 1] = is_limit(settings, spec, name) and "--fail-on=" .. name or
      missed.in_place_of(settings, spec, name)
    is_found = is_found or image:find(name) ~= nil
  end
  if not is_found then return nil end
  return "a symspec names one function; repeat the option: " .. table.concat(words, " ")
end

-- Returns the hint that a slash in a regular expression needs a backslash, for a symspec
-- such as "/a/b/".
local function unescaped(settings, spec)
  local file, regex = spec:match "^([^/]*)/(.+)/$"
  if not regex or file:find "[^:]$" then return nil end
  local escaped = regex:gsub("\\?.", { ["/"] = "\\/" })
  return escaped ~= regex and
    "a slash in a regular expression needs a backslash: " ..
    missed.in_place_of(settings, spec, ("%s/%s/"):format(file, escaped)) or nil
end

-- Names ---------------------------------------------------------------------------------

-- Returns a name without parameters, template arguments, and their brackets.
local function bare(name)
  return (core.short_name(name):gsub("<>", ""))
end

-- Returns the components of a bare name, without the suffix of a clone.
local function components(name)
  local list = {}
  for component in ((core.clone_stem(name) or name) .. "::"):gmatch "(.-)::" do
    list[#list + 1] = component
  end
  return list
end

--- Returns the components of a function's name, without parameters, template arguments,
-- and the suffix of a clone.
-- @tparam string name
-- @treturn {string,...}
function missed.components(name) return components(bare(name)) end

-- Whether the last components of a name, without the last `skipped` ones, are equal or
-- similar to the given ones.
local function is_alike(others, given, skipped)
  local offset = #others - skipped - #given
  if offset < 0 then return false end
  for i, component in ipairs(given) do
    local other = others[offset + i]
    local is_close = other == component or
      #component >= 3 and hints.is_similar(other, component)
    if not is_close then return false end
  end
  return true
end

-- Returns what a function makes of the given components, and of the short names and the
-- components of functions: at most MOST_NAMES different values. It returns nil for names
-- that do not matter.
local function names_like(image, given, choose)
  local names, seen = {}, {}
  for name, symbol in image:symbols(nil, "name", "symbol") do
    local short = language_names.of(symbol) or core.short_name(name)
    local chosen = not seen[short] and choose(given, short, components(bare(short)))
    seen[short] = true
    if chosen and not seen[chosen .. "\0"] then
      names[#names + 1], seen[chosen .. "\0"] = chosen, true
      if #names == MOST_NAMES then break end
    end
  end
  return names
end

-- Returns the pattern of all members of a class or namespace of this name, if there is
-- one; nil otherwise.
local function members(image, name)
  local all = name .. "::*"
  return not name:find "[^%w_:~]" and image:find(all) and { all } or nil
end

-- Chooses functions whose last components are spelt similarly; all members of a class in
-- place of its constructors.
local function similar(given, short, others)
  if not is_alike(others, given, 0) then return nil end
  local is_class = others[#others] == others[#others - 1] and #given == 1
  return is_class and table.concat(others, "::", 1, #others - 1) .. "::*" or short
end

-- Returns the number of characters to insert, remove or replace to make one text of
-- another; `most` + 1 if there are more than `most`.
local function distance(a, b, most)
  if math.abs(#a - #b) > most then return most + 1 end
  local last = {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    local now, least = { [0] = i }, i
    for j = 1, #b do
      local replaced = last[j - 1] + (a:byte(i) == b:byte(j) and 0 or 1)
      now[j] = math.min(replaced, last[j] + 1, now[j - 1] + 1)
      least = math.min(least, now[j])
    end
    if least > most then return most + 1 end
    last = now
  end
  return last[#b]
end

-- Chooses functions whose last component contains the given one, or differs from it in at
-- most a third of the characters.
local function related(given, short, others)
  local last, other = given[#given]:lower(), others[#others]:lower()
  local most = #last // 3
  return most > 0 and (other:find(last, 1, true) or distance(other, last, most) <= most)
    and short or nil
end

-- Chooses the patterns of all members of classes whose names are spelt similarly.
local function similar_classes(given, _, others)
  return is_alike(others, given, 1) and
    table.concat(others, "::", #others - #given, #others - 1) .. "::*" or nil
end

-- What misspelt names may stand for, the likeliest first.
local choices <const> = {
  similar,
  -- with the same last component: the namespaces or parameters are wrong
  function(given, short, others)
    return others[#others] == given[#given] and short or nil
  end,
  similar_classes,
  related,
}

-- Brackets ------------------------------------------------------------------------------

local CLOSING <const> = { ["("] = ")", ["["] = "]", ["<"] = ">" }

-- Returns the positions of the first bracket that is never closed, and of the first that
-- closes nothing; each may be nil.
local function unpaired(text)
  local open = {}
  text = text:gsub("%f[%w_]operator[<>=%-]+", function(name) return ("x"):rep(#name) end)
  for at, bracket in text:gmatch "()([%(%)%[%]<>])" do
    local last = open[#open]
    if CLOSING[bracket] then
      open[#open + 1] = at
    elseif last and CLOSING[text:sub(last, last)] == bracket then
      open[#open] = nil
    else
      return nil, at
    end
  end
  return open[1]
end

-- Returns two ways to repair a text with an unpaired bracket: cut off before the bracket,
-- and with the bracket closed. Returns nil if the brackets are paired.
local function repaired(text)
  local open, superfluous = unpaired(text)
  if open then return text:sub(1, open - 1), text .. CLOSING[text:sub(open, open)] end
  if superfluous then return text:sub(1, superfluous - 1), text end
end

-- Explanations --------------------------------------------------------------------------

-- Returns the functions or members whose names the user probably misspelt.
local function misspelt(image, name)
  local class = name:match "^(.*)::%*?$"
  if class then return names_like(image, components(class), similar_classes) end
  local given = components(name:gsub("(%w)%.(%w)", "%1::%2"))
  for _, choose in ipairs(choices) do
    local names = names_like(image, given, choose)
    if names[1] then return names end
  end
  return {}
end

-- Returns symspecs with the names of source files that the user probably meant in place
-- of a file; or why there are none.
local function explain_file(image, half)
  local names, seen, has_files = {}, {}, false
  local given = base_name(half.file)
  local stem = given:match "^(.+)%.%w+$"
  for _, path in image:symbols(nil, "address", "file") do
    local base = path and base_name(path)
    has_files = has_files or path ~= nil
    -- spelt similarly, or with another extension
    local is_similar = base and not seen[base] and (hints.is_similar(base, given) or
      stem ~= nil and stem == base:match "^(.+)%.%w+$")
    if is_similar then
      names[#names + 1] = base .. half.text:sub(#half.file + 1)
    end
    if base then seen[base] = true end
    if #names == MOST_NAMES then break end
  end
  return names, not has_files and
    image.path .. " has no line numbers, so it has no names of source files" or nil
end

-- Returns the names that the user probably meant, or another explanation why a name
-- matches nothing.
local function explain_name(settings, image, text)
  local half = symspec.parse(text, false)
  if half.file and not image:find(half.file .. ":") then
    local names, reason = explain_file(image, half)
    if not names[1] and half.file == text then names = misspelt(image, text) end
    if names[1] or not half.name then return names, reason end
  end
  if half.file and half.line and not settings.line then
    return {}, ("no function begins at line %d; with -l, %s selects the line"):format(
      half.line, text)
  end
  local cut, closed = repaired(half.name or "")
  if cut then
    local is_last = #cut + 1 == #half.name  -- then there is nothing to close
    for _, whole in ipairs { is_last and cut or closed, closed, cut } do
      if image:find(whole) then return { whole } end
    end
    return explain_name(settings, image, cut)
  end
  local name = bare(half.name or half.text)
  if half.regex or name == "" then return {} end
  local names = members(image, name:gsub("::$", ""))
  if names then return names end
  local reason = diagnosis.missing(image, text, settings)
  return reason and {} or misspelt(image, name), reason
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
local function explain_call(settings, image, spec)
  local from, to = symspec.parse(spec, true)
  for _, half in ipairs { from, to } do
    if not is_known(image, half) then
      local names, reason = explain_name(settings, image, half.text)
      for i, name in ipairs(names) do
        names[i] = half == from and name .. "/" .. to.text or from.text .. "/" .. name
      end
      local problem = ("no function matches '%s'"):format(half.text)
      return question(settings, spec, names) or
        problem .. (reason and ": " .. reason or "")
    end
  end
  return no_call(from, to)
end

-- Explains why a symspec matches nothing: "did you mean -pwork?". Nil if the
-- reason is unknown.
local function reason_of(settings, image, spec)
  local letters = attached(settings, spec)
  if letters and #spec <= MOST_LETTERS or settings.external_symbol_table then
    return letters
  end
  local hint = unescaped(settings, spec)
  if hint then return hint end
  if is_call(settings, spec) then return explain_call(settings, image, spec) end
  local from, to = symspec.parse(spec, true)
  if to and is_known(image, from) and is_known(image, to) then
    return "FROM/TO names calls, which are selected with -q, -Q or -k"
  end
  hint = listed(settings, image, spec)
  if hint then return hint end
  local names, reason = explain_name(settings, image, spec)
  return question(settings, spec, names) or reason or letters
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
