--- Makes text safe for terminals. Names and source text come from untrusted files, and a
-- terminal obeys control sequences. So control characters, and invisible characters that
-- reorder text, are written as Lua escapes: \x1b, \u{202e}. Pipes and files get all bytes
-- unchanged.
--
-- @internal gprof.format.terminal
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local escape = require "gprof.format.escape"

local terminal = {}

-- Bytes that may need escaping. Tab, newline and form feed are harmless.
local special <const> = "[\0-\8\11\13-\31\127-\255]"

-- Colour sequences with these parameters are kept (ECMA-48, "select graphic rendition"):
-- none of them hides text.
local renditions <const> = "0 1 2 3 4 7 22 23 24 27 31 32 33 34 35 36 37 39 " ..
  "91 92 93 94 95 96 97"
local harmless = {}
for code in renditions:gmatch "%d+" do harmless[code] = true end

--- Returns whether the terminal expects UTF-8, according to the environment.
-- @treturn boolean
function terminal.is_utf8()
  for _, name in ipairs { "LC_ALL", "LC_CTYPE", "LANG" } do
    local value = os.getenv(name) or ""
    if value ~= "" then return value:lower():find "utf%-?8" ~= nil end
  end
  return false
end

local function escape_byte(byte)
  return ("\\x%02x"):format(byte:byte())
end

-- Escapes the invisible characters in a text that has no ASCII characters. Of the bytes
-- that are not valid UTF-8, escapes only C1 controls: the others may be letters in
-- another encoding.
local function escape_wide(text)
  local parts, at = {}, 1
  while at <= #text do
    local code = utf8.len(text, at, at) and utf8.codepoint(text, at)
    local length = code and #utf8.char(code) or 1
    local part = text:sub(at, at + length - 1)
    if code and escape.is_invisible(code) then
      part = ("\\u{%x}"):format(code)
    elseif not code then
      part = part:gsub("[\128-\159]", escape_byte)
    end
    parts[#parts + 1] = part
    at = at + length
  end
  return table.concat(parts)
end

local function is_color(sequence)
  local codes = sequence:match "^%[([%d;]*)m$"
  if not codes then return false end
  for code in codes:gmatch "%d+" do
    if not harmless[code] then return false end
  end
  return true
end

--- Escapes text for a terminal.
-- @tparam string text complete lines of complete characters
-- @tparam[opt] boolean colored keep escape sequences for colours
-- @treturn string
function terminal.shown(text, colored)
  if not text:find(special) then return text end
  text = text:gsub("([\0-\8\11\14-\31\127])(%[?[%d;]*m?)", function(control, after)
    if colored and control == "\27" and is_color(after) then return nil end
    return escape_byte(control) .. after
  end)
  text = text:gsub("\r(\n?)", function(newline)
    return newline == "" and "\\x0d" or nil
  end)
  if terminal.is_utf8() then return (text:gsub("[\128-\255]+", escape_wide)) end
  return (text:gsub("[\128-\159]", escape_byte))
end

-- The largest number of bytes of an incomplete line that are buffered. A longer line is
-- cut. If the cut is inside a character, that character may be escaped byte by byte.
local MAX_LINE <const> = 65536

--- Makes a function that escapes text in pieces, which may be cut anywhere. It returns
-- lines once they are complete or too long for its buffer.
-- @tparam function is_colored returns whether to keep escape sequences for colours
-- @treturn function takes a piece and returns the text to write; without an argument,
--   returns the rest
function terminal.filter(is_colored)
  local rest = ""
  return function(piece)
    local text = rest .. (piece or "")
    local ending = piece and (text:find "\n[^\n]*$" or 0) or #text
    if #text - ending > MAX_LINE then ending = #text end
    rest = text:sub(ending + 1)
    return terminal.shown(text:sub(1, ending), is_colored())
  end
end

--- Escapes text of several lines for standard error, if that is a terminal.
-- @tparam string text
-- @treturn string
function terminal.for_stderr(text)
  return core.is_terminal(io.stderr) and terminal.shown(text) or text
end

local receiver  -- of messages; nil: standard error

--- Sends later messages to a function instead of standard error, if that is a terminal: a
-- pager would cover the messages there.
-- @tparam[opt] function write takes text; nil: messages go to standard error again
function terminal.divert(write)
  receiver = write
end

local function write_error(text)
  if receiver and core.is_terminal(io.stderr) then return receiver(text) end
  io.stderr:write(text)
end

--- Makes a function that writes text in pieces to standard error. For a terminal, the
-- text is escaped.
-- @treturn function takes a piece, or nothing after the last piece
function terminal.error_writer()
  if not core.is_terminal(io.stderr) then
    return function(text) io.stderr:write(text or "") end
  end
  local shown = terminal.filter(function() return false end)
  return function(text) write_error(shown(text)) end
end

--- Writes a line to standard error, as `escape.line` makes it. For a terminal, invisible
-- characters are escaped, too.
-- @tparam string line
function terminal.tell(line)
  line = escape.line(line)
  if core.is_terminal(io.stderr) then line = terminal.shown(line) end
  write_error(line .. "\n")
end

return terminal
