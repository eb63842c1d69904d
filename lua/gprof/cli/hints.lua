--- Messages about command lines that are wrong or suspicious, with a guess at what was
-- meant. Loaded on demand.
--
-- @internal gprof.cli.hints
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local options = require "gprof.cli.options"

local hints = {}

local MOST_NAMES <const> = 3  -- that a message lists

-- Operands ----------------------------------------------------------------------------

-- Whether a file begins as a profile does; reading from a pipe would wait.
local function is_profile(path)
  if core.file_status(path) ~= "file" then return false end
  local file <close> = io.open(path, "rb")
  return file ~= nil and file:read(4) == "gmon"
end

--- What to say of an operand that is no program.
-- @tparam {string,...} operands
-- @tparam string message what is wrong with the first one
-- @treturn string
function hints.program(operands, message)
  local first, second = operands[1], operands[2]
  if not first then return message .. " (no program is named)" end
  if not is_profile(first) then return message end
  if second and require "gprof".image(second) then
    return ("%s: is a profile, and %s is a program: they seem to be swapped, as the " ..
      "program comes first"):format(first, second)
  end
  return first .. ": is a profile, not a program, which has to be named before it"
end

-- Symspecs ----------------------------------------------------------------------------

-- The hint that letters of options were taken for a symspec: "b" of "-pb".
local function joined(settings, spec)
  local option = settings.joined and settings.joined[spec]
  if not option then return nil end
  local letters = {}
  for _, known in ipairs(options.gnu) do
    if known.short and known.argument ~= "required" then letters[known.short] = true end
  end
  for letter in spec:gmatch "." do
    if not letters[letter] then return nil end
  end
  return ("what is joined to -%s is a symspec; as options of their own: -%s -%s"):format(
    option, option, spec)
end

-- The length of the common prefix of two names.
local function common_prefix(a, b)
  local count, most = 0, math.min(#a, #b)
  while count < most and a:byte(count + 1) == b:byte(count + 1) do count = count + 1 end
  return count
end

-- Whether two names differ only in case, in one character (missing, superfluous or
-- wrong), or in two that are swapped.
local function is_near(name, spec)
  if math.abs(#name - #spec) > 1 then return false end
  if name:lower() == spec:lower() then return true end
  local at = common_prefix(name, spec)
  local rest, other = name:sub(at + 1), spec:sub(at + 1)
  return rest:sub(2) == other:sub(2) or rest:sub(2) == other or rest == other:sub(2) or
    rest == other:sub(2, 2) .. other:sub(1, 1) .. other:sub(3)
end

-- "is a or b meant?"; nil without names.
local function question(names)
  return names[1] and "is " .. table.concat(names, " or ") .. " meant?" or nil
end

-- The question about functions of nearly that name; C++ names without parameters.
local function near(image, spec)
  if #spec < 3 or spec:find "[^%w_$:~]" then return nil end
  local names, seen = {}, {}
  for name in image:symbols(nil, "name") do
    name = name:match "^([%w_$:~]+)%f[(%z]"
    if name and not seen[name] and is_near(name, spec) then
      seen[name] = true
      names[#names + 1] = name
      if #names == MOST_NAMES then break end
    end
  end
  return question(names)
end

--- What a symspec that matches nothing may mean.
-- @tparam table settings
-- @tparam image image
-- @tparam string spec
-- @treturn string|nil "is work meant?"
function hints.symspec(settings, image, spec)
  return joined(settings, spec) or
    not settings.external_symbol_table and near(image, spec) or nil
end

-- Options ------------------------------------------------------------------------------

-- Names of options that begin as a word does: "--fi" or "--fi=x".
local function completions(word, list)
  local prefix, names = word:match "^%-%-([^=]*)", {}
  for _, option in ipairs(prefix and list or {}) do
    if option.long and option.long:sub(1, #prefix) == prefix then
      names[#names + 1] = "--" .. option.long
    end
  end
  return names
end

-- "is --top meant?" of "--tpo=5"; nil if no name is near.
local function near_option(word)
  local name, names = word:match "^%-%-([^=]+)", {}
  for _, option in ipairs(name and #name >= 3 and options.all or {}) do
    if option.long and #names < MOST_NAMES and is_near(option.long, name) then
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
  local hint = near_option(word)
  hint = hint and ": " .. hint or ""
  return ("unknown option '%s'%s (-h lists them)"):format(word, hint)
end

--- The message about an option that `core.getopt` rejects.
-- @tparam string kind "unknown", "missing" (its argument) or "superfluous" (an argument)
-- @tparam string word the option as it was given
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
