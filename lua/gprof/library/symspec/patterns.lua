--- Patterns in symspecs: regular expressions between slashes, globs with `*` and `?`, and
-- the last components of qualified names. The core compares them with names (see
-- csrc/symbols/name_pattern.h).
--
-- @internal gprof.library.symspec.patterns
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local patterns = {}

--- Finds the end of a regular expression. It begins at the start of the text, and ends at
-- the next slash without a backslash before it. That slash must be the last character, or
-- be followed by the slash between caller and callee.
-- @tparam string text
-- @treturn integer|nil the position of its last slash
function patterns.regex_end(text)
  if text:sub(1, 1) ~= "/" then return nil end
  local at = 2
  while text:find("^\\", at) or text:find("^[^/]", at) do
    at = at + (text:find("^\\", at) and 2 or 1)
  end
  local is_end = text:find("^//", at) or text:find("^/$", at)
  return at > 2 and is_end and at or nil
end

--- Parses `/REGEX/` and `FILE:/REGEX/`.
-- @tparam string text
-- @treturn string|nil the regular expression; nil if the text is neither
-- @treturn string|nil the file
function patterns.regex_of(text)
  local file, rest = text:match "^([^:/][^:]*):(/.*)$"
  rest = rest or text:match "^:?(/.*)$"
  if not rest or patterns.regex_end(rest) ~= #rest then return nil end
  return (rest:sub(2, -2):gsub("\\/", "/")), file
end

--- Returns whether a name is a glob.
-- @tparam string name
-- @treturn boolean
function patterns.is_glob(name)
  return name:find "[*?]" ~= nil
end

--- Returns what is wrong with a regular expression.
-- @tparam string regex
-- @treturn string|nil a message; nil if it is valid
function patterns.problem(regex)
  local _, problem = core.pattern("regex", regex)
  return problem and ("'%s' is not a valid regular expression: %s"):format(regex, problem)
end

--- Finds functions.
-- @tparam symbols symbols
-- @tparam string kind "components", "clones", "glob" or "regex"
-- @tparam string text
-- @treturn {integer,...} their numbers, ascending
function patterns.find(symbols, kind, text)
  return symbols:matching(assert(core.pattern(kind, text)))
end

return patterns
