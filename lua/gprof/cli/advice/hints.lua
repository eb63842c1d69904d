--- Messages about wrong or suspicious command lines, with a guess at what was meant.
-- Loaded on demand.
--
-- @internal gprof.cli.advice.hints
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local options = require "gprof.cli.options.option_table"
local policy = require "gprof.library.policy"
local wording = require "gprof.format.wording"

local hints = {}

local MOST_NAMES <const> = 3  -- in a message

-- Operands ----------------------------------------------------------------------------

-- Whether a regular file begins like a profile. Pipes are not read, as that would block.
local function is_profile(path)
  if core.file_status(path) ~= "file" then return false end
  local file <close> = io.open(path, "rb")
  return file ~= nil and require "gprof.library.files.profile_files".is_head(file:read(8))
end

-- Whether to look into a file for what it may be.
local function is_examined(settings, path)
  return core.file_status(path) == "file" and policy.of(settings).gives_hints
end

-- Returns the message that a file is a profile in JSON; nil if it is not.
local function exported(settings, path)
  if not is_examined(settings, path) then return nil end
  local file <close> = io.open(path, "rb")
  local head = file and file:read(64)
  if not head or not head:find '^%s*{%s*"format":%s*"gprof%-profile"' then return nil end
  return ("%s: is an exported profile, which can only be compared: use --compare=%s"):
    format(path, path)
end

-- Returns the message that a file is a profile of another tool; nil if it is not.
local function of_other_tool(settings, path)
  if not is_examined(settings, path) then return nil end
  local what = require "gprof.cli.advice.foreign_profiles".of_file(path)
  return what and path .. ": " .. what
end

-- Returns the message that a file is a Lua program, whose profile contains its functions;
-- nil if it is not.
local function lua_program(settings, path, profile)
  if not is_examined(settings, path) or
    not require "gprof.library.files.program_files".is_lua(path)
  then
    return nil
  end
  if profile and require "gprof.library.files.profile_files".is_context_profile(profile)
  then
    return ("%s: is a Lua program: name only its profile: gprof.lua %s"):format(path,
      wording.shell_path(profile))
  end
  return ("%s: is a Lua program: record it first: gprof.lua --record %s"):format(path,
    wording.shell_path(path))
end

-- Returns the last option in a word such as "-bp" or "--graph", if its argument is
-- optional; otherwise nil.
local function open_option(word)
  local letter, name = word:match "^%-%a*(%a)$", word:match "^%-%-([%l-]+)$"
  for _, known in ipairs(letter and options.gnu or name and options.all or {}) do
    local matches = letter and known.short == letter or
      name and known.long and known.long:sub(1, #name) == name
    if matches then return known.argument == "optional" and known or nil end
  end
end

-- Returns a hint if an operand may be meant as the argument of the option before it, as
-- in "-p work": such an argument must be attached. Otherwise returns nil.
local function detached(settings, operand)
  local words = settings.words or {}
  for i = 2, #words do
    local option = words[i] == operand and open_option(words[i - 1])
    if option then
      local long = words[i - 1]:find "^%-%-"
      return ("to select %s, write %s%s without a blank"):format(operand,
        long and "--" .. option.long .. "=" or "-" .. option.short,
        wording.shell_word(operand))
    end
  end
end

-- Returns the hint that a program was taken for the argument of an option, as in "--html
-- a.out"; "" if it was not.
local function taken(settings)
  local words = settings.words or {}
  for i = 1, #words - 1 do
    local name = words[i]:match "^%-%-([%l-]+)$"
    for _, known in ipairs(name and options.all or {}) do
      local takes_it = known.long == name and known.argument == "required" and
        core.file_status(words[i + 1]) == "file"
      if takes_it and require "gprof".image(words[i + 1]) then
        return (": %s was taken as the argument of --%s: write --%s=%s"):format(
          words[i + 1], name, name, known.value)
      end
    end
  end
  return ""
end

--- Returns the message about a first operand that is not a program.
-- @tparam table settings
-- @tparam string message from opening the first operand
-- @treturn string
function hints.program(settings, message)
  local first, second = settings.operands[1], settings.operands[2]
  if not first then
    return message .. " (the default program, because none was named)" .. taken(settings)
  end
  local hint = not core.file_status(first) and detached(settings, first)
  if hint then return message .. ": " .. hint end
  hint = exported(settings, first) or of_other_tool(settings, first) or
    lua_program(settings, first, second)
  if hint then return hint end
  if not is_profile(first) then return message end
  if second and require "gprof".image(second) then
    return ("%s: is a profile, and %s is a program: name the program first"):format(
      first, second)
  end
  if require "gprof.library.files.profile_files".is_context_profile(first) then
    local functions, problem = core.script_functions(first)
    if functions or problem then return message end
  end
  local hint_taken = taken(settings)
  return first .. ": is a profile, not a program" ..
    (hint_taken ~= "" and hint_taken or ": name the program first")
end

-- Messages about files that were not written completely. If the machine or the program
-- crashed, or the disk was full, the rest is lost.
local INCOMPLETE <const> = { "ends in the middle of", "ends at offset %d+, where",
  "claims %d+ .*follow" }

-- Returns the message about an existing file that cannot be read as a profile.
local function unreadable(settings, path, message)
  if not is_profile(path) and core.file_status(path) == "file" and
    require "gprof".image(path)
  then
    return path .. ": is a program, not a profile"
  end
  -- a tar archive that begins with gmon.out begins like a profile
  local may_be_other = not is_profile(path) or message:find "unsupported version"
  local other = may_be_other and of_other_tool(settings, path)
  if other then return other end
  local is_only = (settings.operands[2] or path) == path and not settings.operands[3] and
    not settings.profiles_from[1]
  for _, pattern in ipairs(is_only and INCOMPLETE or {}) do
    if message:find(pattern) then
      return message .. ": the file is incomplete, run the program again"
    end
  end
  return message
end

--- Returns the message about a profile that cannot be read.
-- @tparam table settings
-- @tparam image image
-- @tparam string path
-- @tparam string message from reading it
-- @treturn string
function hints.profile(settings, image, path, message)
  if not policy.of(settings).gives_hints then return message end
  if core.file_status(path) then
    return exported(settings, path) or unreadable(settings, path, message)
  end
  local hint = detached(settings, path)
  if hint then return message .. ": " .. hint end
  if settings.operands[2] or settings.profiles_from[1] then return message end
  if require "gprof.library.collection".is_profiled(image) then
    return ("%s: run %s first; it writes its profile to its working directory when it " ..
      "exits"):format(message, image.path)
  end
  return ("%s: %s was not compiled with -pg, so it writes no profile"):format(message,
    image.path)
end

-- Similar names -------------------------------------------------------------------------

-- Returns the length of the common prefix of two names.
local function common_prefix(a, b)
  local count, most = 0, math.min(#a, #b)
  while count < most and a:byte(count + 1) == b:byte(count + 1) do count = count + 1 end
  return count
end

--- Returns whether two names differ only in case, by one missing, extra or wrong
-- character, or by two swapped characters.
-- @tparam string name
-- @tparam string given
-- @treturn boolean
function hints.is_similar(name, given)
  if math.abs(#name - #given) > 1 then return false end
  if name:lower() == given:lower() then return true end
  local at = common_prefix(name, given)
  local rest, other = name:sub(at + 1), given:sub(at + 1)
  return rest:sub(2) == other:sub(2) or rest:sub(2) == other or rest == other:sub(2) or
    rest == other:sub(2, 2) .. other:sub(1, 1) .. other:sub(3)
end

--- Returns a question about names.
-- @tparam {string,...} names
-- @treturn string|nil "did you mean a or b?"; nil if there are no names
function hints.question(names)
  return names[1] and "did you mean " .. table.concat(names, " or ") .. "?" or nil
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
    if option.long and #names < MOST_NAMES and hints.is_similar(option.long, name) then
      names[#names + 1] = "--" .. option.long
    end
  end
  return hints.question(names)
end

-- Names that other profilers use.
local SYNONYMS <const> = { ["call-graph"] = "graph", callgraph = "graph" }

-- Returns "did you mean --export=json?" for "--json"; nil if no kind of export has that
-- name.
local function export_option(word)
  local kind = word:match "^%-%-([%l-]+)"
  for _, known in ipairs(kind and require "gprof.cli.exports".kinds or {}) do
    if known == kind then return hints.question { "--export=" .. kind } end
  end
end

local function unknown(word)
  local names = completions(word, options.all)
  if names[2] then
    return ("option '%s' is ambiguous: %s"):format(word, table.concat(names, ", "))
  end
  local name, rest = word:match "^%-%-([^=]+)(.*)$"
  local known = SYNONYMS[name]  -- "--graph" for "--call-graph"
  local hint = known and hints.question { ("--%s%s"):format(known, rest) } or
    similar_option(word) or export_option(word)
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
