--- Messages about wrong or suspicious command lines, with a guess at what was meant.
-- Loaded on demand.
--
-- @internal gprof.cli.hints
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local options = require "gprof.cli.options"

local hints = {}

local MOST_NAMES <const> = 3  -- in a message

-- Operands ----------------------------------------------------------------------------

-- Whether a regular file begins like a profile. Pipes are not read, as that would block.
local function is_profile(path)
  if core.file_status(path) ~= "file" then return false end
  local file <close> = io.open(path, "rb")
  return file ~= nil and file:read(4) == "gmon"
end

--- Returns the message about a first operand that is not a program.
-- @tparam {string,...} operands
-- @tparam string message from opening the first operand
-- @treturn string
function hints.program(operands, message)
  local first, second = operands[1], operands[2]
  if not first then return message .. " (the default program, because none was named)" end
  if not is_profile(first) then return message end
  if second and require "gprof".image(second) then
    return ("%s: is a profile, and %s is a program: name the program first"):format(
      first, second)
  end
  return first .. ": is a profile, not a program: name the program first"
end

-- Symspecs ----------------------------------------------------------------------------

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

-- Returns the length of the common prefix of two names.
local function common_prefix(a, b)
  local count, most = 0, math.min(#a, #b)
  while count < most and a:byte(count + 1) == b:byte(count + 1) do count = count + 1 end
  return count
end

-- Whether two names differ only in case, by one missing, extra or wrong character, or by
-- two swapped characters.
local function is_similar(name, spec)
  if math.abs(#name - #spec) > 1 then return false end
  if name:lower() == spec:lower() then return true end
  local at = common_prefix(name, spec)
  local rest, other = name:sub(at + 1), spec:sub(at + 1)
  return rest:sub(2) == other:sub(2) or rest:sub(2) == other or rest == other:sub(2) or
    rest == other:sub(2, 2) .. other:sub(1, 1) .. other:sub(3)
end

-- Returns "did you mean a or b?"; nil if there are no names.
local function question(names)
  return names[1] and "did you mean " .. table.concat(names, " or ") .. "?" or nil
end

-- Returns a question about functions with similar names; nil if there are none. C++ names
-- are compared without parameters.
local function similar_function(image, spec)
  if #spec < 3 or spec:find "[^%w_$:~]" then return nil end
  local names, seen = {}, {}
  for name in image:symbols(nil, "name") do
    name = name:match "^([%w_$:~]+)%f[(%z]"
    if name and not seen[name] and is_similar(name, spec) then
      seen[name] = true
      names[#names + 1] = name
      if #names == MOST_NAMES then break end
    end
  end
  return question(names)
end

--- Guesses what was meant by a symspec that matches nothing.
-- @tparam table settings
-- @tparam image image
-- @tparam string spec
-- @treturn string|nil "did you mean work?"
function hints.symspec(settings, image, spec)
  return attached(settings, spec) or
    not settings.external_symbol_table and similar_function(image, spec) or nil
end

-- Options ------------------------------------------------------------------------------

-- Returns the names of options that a word ("--fi" or "--fi=x") may abbreviate.
local function completions(word, list)
  local prefix, names = word:match "^%-%-([^=]*)", {}
  for _, option in ipairs(prefix and list or {}) do
    if option.long and option.long:sub(1, #prefix) == prefix then
      names[#names + 1] = "--" .. option.long
    end
  end
  return names
end

-- Returns "did you mean --top?" for "--tpo=5"; nil if no name is similar.
local function similar_option(word)
  local name, names = word:match "^%-%-([^=]+)", {}
  for _, option in ipairs(name and #name >= 3 and options.all or {}) do
    if option.long and #names < MOST_NAMES and is_similar(option.long, name) then
      names[#names + 1] = "--" .. option.long
    end
  end
  return question(names)
end

local function unknown(word)
  local names = completions(word, options.gnu)
  if not names[1] then names = completions(word, options.own) end
  if names[2] then
    return ("option '%s' is ambiguous: %s"):format(word, table.concat(names, ", "))
  end
  local hint = similar_option(word)
  hint = hint and ": " .. hint or ""
  return ("unknown option '%s'%s (-h lists all options)"):format(word, hint)
end

--- Returns the message about an option that `core.getopt` rejects.
-- @tparam string kind "unknown", "missing" (argument) or "superfluous" (argument)
-- @tparam string word the option as given
-- @treturn string
function hints.option(kind, word)
  if kind == "missing" then
    return ("option '%s' needs an argument"):format(word)
  elseif kind == "superfluous" then
    return ("option '%s' takes no argument"):format(word)
  end
  return unknown(word)
end

return hints
