--- Reads JSON into Lua values: objects and arrays become tables, whole numbers become
-- integers. A null becomes nil in an object, and false in an array.
--
-- Libraries have drawbacks. dkjson is as slow as this module, does not limit the nesting
-- depth, and accepts "[1,]" and {"a" 1}. cjson takes a twelfth of the time, but reads
-- integers as floats, which would change counts above 2^53.
--
-- @internal gprof.format.json_reader
-- SPDX-License-Identifier: GPL-3.0-or-later

local json_reader = {}

local MAX_DEPTH <const> = 100  -- of nested tables

local function fail(at, problem, ...)
  error({ at = at, problem = problem:format(...) }, 0)
end

-- Returns the position after white space.
local function skip_space(text, at)
  return text:match("^[ \t\r\n]*()", at)
end

local function expect(text, at, character)
  at = skip_space(text, at)
  if text:sub(at, at) ~= character then fail(at, "'%s' expected", character) end
  return at + 1
end

-- Strings -------------------------------------------------------------------------------

local escapes <const> = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r",
  t = "\t",
}

-- Decodes "\uXXXX", whose digits begin at `at`, or a surrogate pair. Returns the
-- character and the position after it. A lone surrogate becomes U+FFFD.
local function unicode(text, at)
  local high = text:match("^%x%x%x%x", at)
  if not high then fail(at, "four hexadecimal digits expected") end
  local code = tonumber(high, 16)
  if code < 0xD800 or code > 0xDFFF then return utf8.char(code), at + 4 end
  local low = tonumber(text:match("^\\u(%x%x%x%x)", at + 4) or "0", 16)
  if code < 0xDC00 and low >= 0xDC00 and low <= 0xDFFF then
    return utf8.char(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00), at + 10
  end
  return utf8.char(0xFFFD), at + 4
end

-- Reads a string; `at` is after the opening quote. Returns the string, and the position
-- after the closing quote.
local function read_string(text, at)
  local parts = {}
  while true do
    local stop = text:find('["\\\0-\31]', at)
    if not stop then fail(#text + 1, "unterminated string") end
    parts[#parts + 1] = text:sub(at, stop - 1)
    local found, after = text:sub(stop, stop), text:sub(stop + 1, stop + 1)
    if found == '"' then return table.concat(parts), stop + 1 end
    if found ~= "\\" then fail(stop, "control character in a string") end
    if after == "u" then
      parts[#parts + 1], at = unicode(text, stop + 2)
    else
      parts[#parts + 1] = escapes[after] or fail(stop, "unknown escape")
      at = stop + 2
    end
  end
end

-- Values --------------------------------------------------------------------------------

local words <const> = { ["true"] = true, ["false"] = false, null = false }

local function read_word(text, at)
  local word = text:match("^%a+", at)
  if words[word] == nil then fail(at, "a value expected") end
  if word == "null" then return nil, at + #word end
  return words[word], at + #word
end

local function read_number(text, at)
  local digits, stop = text:match("^(-?%d[%d.eE+-]*)()", at)
  local number = digits and not digits:find "^-?0%d" and tonumber(digits)
  if not number then fail(at, "a number expected") end
  return number, stop
end

local read_value

-- Reads a list up to the closing bracket. `read` takes the position of an element and
-- returns the position after it. Returns the position after the bracket.
local function read_list(text, at, closing, read)
  at = skip_space(text, at)
  if text:sub(at, at) == closing then return at + 1 end
  while true do
    at = skip_space(text, read(skip_space(text, at)))
    local found = text:sub(at, at)
    at = at + 1
    if found == closing then return at end
    if found ~= "," then fail(at - 1, "',' or '%s' expected", closing) end
  end
end

local function read_array(text, at, depth)
  local array, count = {}, 0
  at = read_list(text, at, "]", function(from)
    local value, stop = read_value(text, from, depth)
    count = count + 1
    array[count] = value or false
    return stop
  end)
  return array, at
end

local function read_object(text, at, depth)
  local object = {}
  at = read_list(text, at, "}", function(from)
    local name, stop = read_string(text, expect(text, from, '"'))
    local start = skip_space(text, expect(text, stop, ":"))
    object[name], stop = read_value(text, start, depth)
    return stop
  end)
  return object, at
end

function read_value(text, at, depth)
  local first = text:sub(at, at)
  if first == '"' then return read_string(text, at + 1) end
  if first:find "[%d-]" then return read_number(text, at) end
  if first ~= "{" and first ~= "[" then return read_word(text, at) end
  if depth == MAX_DEPTH then fail(at, "nested too deeply") end
  return (first == "{" and read_object or read_array)(text, at + 1, depth + 1)
end

--- Parses JSON.
-- @tparam string text
-- @return[1] the value
-- @return[2] nil
-- @treturn[2] string what is wrong, and at which byte
function json_reader.read(text)
  local done, value, stop = pcall(function()
    local value, stop = read_value(text, skip_space(text, 1), 0)
    return value, skip_space(text, stop)
  end)
  if done and stop <= #text then
    done, value = false, { at = stop, problem = "end of text expected" }
  end
  if done then return value end
  if type(value) ~= "table" then error(value, 0) end
  return nil, ("%s at byte %d"):format(value.problem, value.at - 1)
end

return json_reader
