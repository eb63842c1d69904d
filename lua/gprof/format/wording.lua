--- Formats names, numbers and texts for messages and reports.
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

--- Returns a number of things, such as "1 line" or "3 lines".
-- @tparam number count
-- @tparam string word in the singular; its plural ends in "s"
-- @treturn string
function wording.plural(count, word)
  return ("%.0f %s%s"):format(count, word, count == 1 and "" or "s")
end

--- Rounds a number for people: "%g" would write 100 with two digits as "1e+02".
-- @tparam number value not negative
-- @tparam integer digits significant digits; whole numbers have all of theirs
-- @treturn string
function wording.rounded(value, digits)
  if value >= 10 ^ digits - 0.5 then return ("%.0f"):format(value) end
  return ("%." .. digits .. "g"):format(value)
end

-- Beyond this ratio, growth is shown as a factor: percentages above 1,000 say little.
local MOST_RATIO <const> = 11

--- Returns how much a figure grew, relative to its old value.
-- @tparam table change with `old`, `new`, and `ratio`, which is nil if `old` is 0
-- @treturn string "+5.0 %", "25 times", or "new" if it was 0
function wording.growth(change)
  if not change.ratio then return change.new > 0 and "new" or "0 %" end
  if change.ratio > MOST_RATIO then
    return wording.rounded(change.ratio, 3) .. " times"
  end
  if change.new == change.old then return "0 %" end
  local percent = 100 * (change.ratio - 1)
  return ("%+." .. (math.abs(percent) >= 0.1 and "1f" or "2g") .. " %%"):format(percent)
end

--- Makes a sentence of a clause.
-- @tparam string clause
-- @treturn string without the full stop
function wording.sentence(clause)
  return (clause:gsub("^%l", string.upper))
end

--- Cuts a text to a number of bytes, between characters if it is UTF-8.
-- @tparam string text
-- @tparam integer most bytes
-- @treturn string
function wording.cut(text, most)
  if #text <= most then return text end
  return text:sub(1, (utf8.len(text) and utf8.offset(text, 0, most + 1) or most + 1) - 1)
end

--- Returns a text as a word for the shell, quoted if necessary.
-- @tparam string text
-- @treturn string
function wording.shell_word(text)
  if text:find "^[%w_./:,+@%%\128-\255-]+$" then return text end
  return "'" .. text:gsub("'", [['\'']]) .. "'"
end

--- Returns a path as an argument that is neither an option nor a file of arguments
-- (@FILE). "-" stands for standard input.
-- @tparam string path
-- @treturn string
function wording.operand(path)
  return (path:find "^[%-@]." and "./" or "") .. path
end

--- Returns such an argument as a word for the shell.
-- @tparam string path
-- @treturn string
function wording.shell_path(path)
  return wording.shell_word(wording.operand(path))
end

return wording
