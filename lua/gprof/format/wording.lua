--- Formats names for messages.
--
-- @internal gprof.format.wording
-- SPDX-License-Identifier: GPL-3.0-or-later

local wording = {}

local MOST <const> = 3

--- Returns the first names of a list, and how many more there are.
-- @tparam {string,...} names
-- @tparam[opt=3] integer most the maximum number of names
-- @treturn string "a, b, c and 9 more"
function wording.first(names, most)
  most = most or MOST
  local text, more = table.concat(names, ", ", 1, math.min(#names, most)), #names - most
  return more > 0 and ("%s and %d more"):format(text, more) or text
end

--- Returns all names of a list.
-- @tparam {string,...} names at least one
-- @tparam string word "and" or "or"
-- @treturn string "a, b or c"
function wording.all(names, word)
  local last = names[#names]
  if #names == 1 then return last end
  return ("%s %s %s"):format(table.concat(names, ", ", 1, #names - 1), word, last)
end

--- Returns a text as a word for the shell, quoted if necessary.
-- @tparam string text
-- @treturn string
function wording.shell_word(text)
  if text:find "^[%w_./:,+@%%\128-\255-]+$" then return text end
  return "'" .. text:gsub("'", [['\'']]) .. "'"
end

return wording
