--- Reads lists of file names, for `--profiles-from`.
--
-- Names end in zero bytes, or in newlines if the list has no zero byte. In a list that is
-- streamed through a pipe, and may still be written, the first of both bytes decides.
--
-- @internal gprof.cli.sum.name_list
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local text_file = require "gprof.format.text_file"

local raise <const>, need <const> = failure.raise, failure.need

local name_list = {}

-- The longest name, in bytes.
local LONGEST <const> = 65536

-- The largest list, in bytes, and the most terminators without a name between them. Files
-- may be sparse or endless.
local LIMIT <const> = text_file.LIMIT

-- The first bytes of --profiles-from=tar:FILE.
local ARCHIVE <const> = "^tar:(.+)$"

--- Returns the path of an archive, if the argument of `--profiles-from` names one.
-- @tparam string argument
-- @treturn string|nil
function name_list.archive(argument) return argument:match(ARCHIVE) end

--- Returns the paths of the archives that arguments of `--profiles-from` name.
-- @tparam {string,...} arguments
-- @treturn {string,...} paths
-- @treturn integer the number of other arguments
function name_list.archives(arguments)
  local paths = {}
  for _, argument in ipairs(arguments) do
    paths[#paths + 1] = name_list.archive(argument)
  end
  return paths, #arguments - #paths
end

--- Returns whether any list may still be written: it is not a regular file.
-- @tparam {string,...} paths
-- @treturn boolean
function name_list.have_pipe(paths)
  for _, path in ipairs(paths) do
    if core.file_status(path == "-" and "/dev/stdin" or path) ~= "file" then
      return true
    end
  end
  return false
end

local function too_large(label)
  raise("%s: has more than %d MB of text", label, LIMIT >> 20)
end

-- Refuses a file that is known to be too large.
local function check_size(path, label)
  local _, _, _, size = core.file_status(path == "-" and "/dev/stdin" or path)
  if size and size > LIMIT then too_large(label) end
end

-- Returns the byte at which names end, if the list can be read twice; otherwise nil.
local function find_terminator(file, label)
  local at = 0
  local piece, problem = core.read_available(file, at)
  if problem then return nil end
  while piece and not piece:find("\0", 1, true) do
    at = at + #piece
    if at > LIMIT then too_large(label) end
    piece = core.read_available(file, at)
  end
  return piece and "\0" or "\n"
end

-- Checks a name, and passes it on.
local function pass(list, name)
  list.count = list.count + 1
  if #name > LONGEST then
    raise("%s: name %d has more than %d bytes", list.label, list.count, LONGEST)
  elseif name:find("\0", 1, true) then
    raise("%s: name %d has a zero byte, but the names before it end in newlines",
      list.label, list.count)
  end
  list.add(name)
end

-- Whether a text has nothing but terminators.
local PIECE <const> = 65536
local blanks <const> = { ["\0"] = ("\0"):rep(PIECE), ["\n"] = ("\n"):rep(PIECE) }
local function is_blank(text, terminator)
  return text:sub(1, 1) == terminator and text == blanks[terminator]:sub(1, #text)
end

-- Passes on the complete names in a text. Returns the rest.
local function split(list, text)
  list.terminator = list.terminator or text:match "[%z\n]"
  local terminator, at = list.terminator, 1
  if not terminator then return text end
  if is_blank(text, terminator) then return "" end
  local stop = text:find(terminator, 1, true)
  while stop do
    if stop > at then pass(list, text:sub(at, stop - 1)) end
    at = stop + 1
    stop = text:find(terminator, at, true)
  end
  return text:sub(at)
end

--- Returns whether a file is a tar archive. It begins with a name, its mode at offset
-- 100, and the format at offset 257.
-- @tparam string head the first bytes of the file
-- @treturn boolean
function name_list.is_archive(head)
  return head:find("^%d%d%d%d%d%d[%d ]%z", 101) ~= nil and head:sub(258, 262) == "ustar"
end

-- Refuses an archive: the texts in it are not names.
local function refuse_archive(label, path, piece)
  if name_list.is_archive(piece) then
    raise("%s: is a tar archive: write --profiles-from=tar:%s", label, path)
  end
end

-- Passes on the names in the pieces of a list.
local function read(list, path, file)
  local rest, empty = "", 0
  local piece, problem = core.read_available(file)
  refuse_archive(list.label, path, piece or "")
  while piece do
    local before = list.count
    rest = split(list, rest .. piece)
    empty = list.count == before and empty + #piece or 0
    if #rest > LONGEST then pass(list, rest) end
    if empty > LIMIT then too_large(list.label) end
    piece, problem = core.read_available(file)
  end
  if problem then raise("%s: %s", list.label, problem) end
  if rest ~= "" then pass(list, rest) end
  if list.count == 0 then raise("%s: lists no profiles", list.label) end
end

--- Reads a list to its end. If it is endless, no names are added.
-- @tparam string path "-" is standard input
-- @tparam names names to which the names are added
-- @raise a table with the field `message`
function name_list.all(path, names)
  local opened <close> = path ~= "-" and need(io.open(path, "rb")) or nil
  local file, label = opened or io.stdin, opened and path or "standard input"
  check_size(path, label)
  local head, problem = core.read_available(file)
  refuse_archive(label, path, head or "")
  local done = not problem
  if done then done, problem = names:read(file, head or "") end
  if not done then raise("%s: %s", label, problem) end
end

--- Reads a list, and passes on each name as soon as it is complete.
-- @tparam string path "-" is standard input
-- @tparam function add takes a name
-- @raise a table with the field `message`
function name_list.each(path, add)
  local opened <close> = path ~= "-" and need(io.open(path, "rb")) or nil
  local file, label = opened or io.stdin, opened and path or "standard input"
  check_size(path, label)
  local list = { add = add, count = 0, label = label,
    terminator = find_terminator(file, label) }
  read(list, path, file)
end

return name_list
