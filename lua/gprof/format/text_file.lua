--- Reads whole text files, up to a limit.
--
-- @internal gprof.format.text_file
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local text_file = {}

--- The most bytes of a text. Files may be sparse or endless.
text_file.LIMIT = 1 << 28

local PIECE <const>, LIMIT <const> = 1 << 16, text_file.LIMIT

local function too_large(name)
  return nil, ("%s: has more than %d MB of text"):format(name, LIMIT >> 20)
end

-- Reads an open file.
local function read_open(file, name)
  local parts, length = {}, 0
  repeat
    local part, problem = file:read(PIECE)
    if problem then return nil, name .. ": " .. problem end
    parts[#parts + 1], length = part, length + #(part or "")
    if length > LIMIT then return too_large(name) end
  until not part
  return table.concat(parts)
end

--- Reads a file.
-- @tparam string path
-- @treturn[1] string the text
-- @return[2] nil
-- @treturn[2] string what is wrong
function text_file.read(path)
  local _, _, _, size = core.file_status(path)
  if size and size > LIMIT then return too_large(path) end
  local file <close>, message = io.open(path, "rb")
  if not file then return nil, message end
  return read_open(file, path)
end

return text_file
