--- Replaces each argument `@FILE` by the words in that file. Loaded on demand.
--
-- libiberty's expandargv does the same. But with a file that includes itself, it needs
-- time and memory in proportion to the square of the file's size, and then ends the
-- process.
--
-- @internal gprof.cli.options.option_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local text_file = require "gprof.format.text_file"

local option_files = {}

-- Limits of what is included: the number of files, and the number of bytes of those that
-- have been included before; the number of all bytes and words. A command line cannot be
-- longer.
local MOST_FILES <const>, MOST_REPEATED <const> = 2000, 1 << 20
local MOST_BYTES <const>, MOST_WORDS <const> = 1 << 23, 1000000

local readable <const> = { file = true, directory = true }  -- a directory is an error

-- Counts a file that is included. Raises an error if there are too many.
local function count(included, path, size)
  local _, _, identity = core.file_status(path)
  if included[identity] then included.repeated = included.repeated + size end
  included[identity] = true
  included.files = included.files + 1
  if included.files > MOST_FILES or included.repeated > MOST_REPEATED then
    failure.raise("%s: too many files are included: does it include itself?", path)
  end
end

-- Adds to the length of what is included. Raises an error if it is too long.
local function measure(included, field, amount, most, path)
  included[field] = included[field] + amount
  if included[field] > most then
    failure.raise("%s: is longer than a command line (%d %s): list profiles in a file " ..
      "for --profiles-from", path, most, field)
  end
end

-- Returns the words of the file that an argument names; nil if it names none.
local function words_of(argument, included)
  local path = argument:match "^@(.*)$"
  local status = path and table.pack(core.file_status(path)) or {}
  if not readable[status[1]] then return nil end
  measure(included, "bytes", status[4], MOST_BYTES, path)
  local text = failure.need(text_file.read(path))
  count(included, path, #text)
  local words = core.split(text)
  measure(included, "words", #words, MOST_WORDS, path)
  return words
end

--- Replaces arguments. The words of a file may name further files. An argument that names
-- no regular file stays unchanged.
-- @tparam {string,...} arguments
-- @treturn {string,...}
-- @raise a table with the field `message`
function option_files.expand(arguments)
  local words, included = {}, { files = 0, repeated = 0, bytes = 0, words = 0 }
  local stack = { { words = arguments, next = 1 } }  -- the files that are being included
  while stack[1] do
    local top = stack[#stack]
    local word = top.words[top.next]
    local inner = word and words_of(word, included)
    top.next = top.next + 1
    if not word then
      stack[#stack] = nil
    elseif inner then
      stack[#stack + 1] = { words = inner, next = 1 }
    else
      words[#words + 1] = word
    end
  end
  return words
end

return option_files
