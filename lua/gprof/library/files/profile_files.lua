--- Recognizes profile files by their first bytes, and finds the context profiles beside
-- them.
--
-- @internal gprof.library.files.profile_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local profile_files = {}

local SUFFIX <const> = ".ctx"

local HEAD <const> = 128  -- bytes at the beginning of a profile

-- The spread of a sum; and the suffix of a new one, until the sum is in place.
local SPREAD <const>, NEW <const> = ".spread", ".new"

-- Bytes at the start of a context profile that are searched for the program. The command
-- line, which precedes it, has at most 64 kB.
local SEARCHED <const> = 1 << 18

-- Numbers that identify context profiles of sums are below this; those of processes are
-- times in nanoseconds since 1970, usually between BEGIN and END (2006 and 2116).
local SUMS <const>, BEGIN <const>, END <const> = 1 << 32, 1 << 60, 1 << 62

-- GNU gprof does not initialize the spare bytes of its sums, which may be upper halves of
-- pointers, below this number, or texts and numbers of bins, above SUMS.
local POINTERS <const> = 1 << 15

--- Returns whether a file begins like a gmon.out of the current format or like a context
-- profile.
-- @tparam string|nil head the first eight bytes of the file
-- @treturn boolean
function profile_files.is_head(head)
  return head ~= nil and (head:sub(1, 4) == "gmon" or head == "gprofctx")
end

--- Returns the first bytes of a regular file.
-- @tparam string path
-- @tparam[opt] boolean is_file whether the path is known to lead to a regular file
-- @treturn string|nil at most 128 bytes
function profile_files.head(path, is_file)
  if not is_file and core.file_status(path) ~= "file" then return nil end
  local file <close> = io.open(path, "rb")
  return file and file:read(HEAD)
end

--- Returns whether a file begins like a context profile.
-- @tparam string|nil head its first bytes
-- @treturn boolean
function profile_files.is_contexts(head)
  return head ~= nil and head:sub(1, 8) == "gprofctx"
end

--- Returns whether a file begins like the spread of a sum.
-- @tparam string|nil head its first bytes
-- @treturn boolean
function profile_files.is_spread(head)
  return head ~= nil and head:sub(1, 8) == "gprofspr"
end

--- Returns the numbers in the header of a gmon.out that identify its context profile and
-- its spread, if it was not written by GNU gprof.
-- @tparam string|nil head the first bytes of the file
-- @treturn integer|nil nil if it has no context profile
-- @treturn integer|nil nil if it has no spread
function profile_files.ids(head)
  if not head or #head < 20 or head:sub(1, 4) ~= "gmon" then return nil end
  local version = head:sub(5, 8)
  local order = version == "\1\0\0\0" and "<" or version == "\0\0\0\1" and ">"
  if not order then return nil end
  local spread, contexts = (order .. "I4i8"):unpack(head, 9)
  return contexts ~= 0 and contexts or nil, spread ~= 0 and spread or nil
end

--- Returns the number in the header of a gmon.out that identifies its context profile.
-- @tparam string|nil head the first bytes of the file
-- @treturn integer|nil nil if it has none, or if it can be left over from GNU gprof's
--   memory
function profile_files.contexts_id(head)
  local id = profile_files.ids(head)
  local is_certain = id and (POINTERS <= id and id < SUMS or BEGIN <= id and id < END)
  return is_certain and id or nil
end

--- Returns what a context profile says about its process.
-- @tparam string|nil head the first bytes of the file
-- @treturn integer|nil the process number; 0 in a sum. Nil if the file is no context
--   profile, or that of a Lua program, which begins with another section
-- @treturn integer when the process began, in nanoseconds since 1970; 0 if unknown
-- @treturn integer when the file was written
function profile_files.process(head)
  if not head then return nil end
  local process, begin, written = core.contexts_origin(head)
  return process, begin, written
end

--- Returns the first bytes of a context profile, which name the program: see
-- `core.contexts_origin`.
-- @tparam string path
-- @treturn string "" if the file cannot be read
function profile_files.start_of_contexts(path)
  local file <close> = io.open(path, "rb")
  return file and file:read(SEARCHED) or ""
end

--- Returns whether a profile seems to be a sum, as far as its name and its first bytes
-- tell. A sum with a spread has a number that identifies it: see `ids`.
-- @tparam string|nil head the first bytes of the file
-- @tparam string name
-- @treturn boolean
function profile_files.seems_sum(head, name)
  if not head then return false end
  if profile_files.is_contexts(head) then return profile_files.process(head) == 0 end
  local id = profile_files.ids(head)
  return id ~= nil and id > 0 and id < SUMS or name:find "%.sum$" ~= nil
end

--- Returns whether a file is a context profile.
-- @tparam string path
-- @treturn boolean
function profile_files.is_context_profile(path)
  return profile_files.is_contexts(profile_files.head(path))
end

--- Returns the file beside which a file with this name lies.
-- @tparam string path
-- @treturn string|nil the file; nil if the name has none of our suffixes
-- @treturn string "contexts" or "spread", what the name stands for
function profile_files.owner(path)
  if path:sub(-#SUFFIX) == SUFFIX then return path:sub(1, -#SUFFIX - 1), "contexts" end
  local name = path:sub(-#NEW) == NEW and path:sub(1, -#NEW - 1) or path
  if name:sub(-#SPREAD) == SPREAD then return name:sub(1, -#SPREAD - 1), "spread" end
end

--- Returns whether a file can hold a sum. It cannot record that calls were counted but
-- none occurred.
-- @tparam data data
-- @treturn boolean
function profile_files.can_hold(data)
  return not data.has_arcs or data.arc_records > 0
end

--- Finds the context profiles and spreads whose gmon.out is also in a list.
-- @tparam names names
-- @treturn {integer,...} their positions in the list, in ascending order
function profile_files.accompanying(names)
  return names:companions(SUFFIX, SPREAD, SPREAD .. NEW)
end

--- Returns the path of the context profile beside a gmon.out.
-- @tparam string path
-- @treturn string
function profile_files.context_path(path) return path .. SUFFIX end

--- Returns the path of the spread beside a sum.
-- @tparam string path
-- @treturn string
function profile_files.spread_path(path) return path .. SPREAD end

--- Returns the name that a new spread has until its sum is in place.
-- @tparam string path of the spread
-- @treturn string
function profile_files.new_spread_path(path) return path .. NEW end

--- Returns the paths at which the spread of a sum may be.
-- @tparam string path
-- @treturn {string,string}
function profile_files.spread_paths(path)
  local spread = profile_files.spread_path(path)
  return { spread, profile_files.new_spread_path(spread) }
end

--- Returns the paths of a sum and of the files beside it, which may not exist.
-- @tparam string path of the sum
-- @treturn {string,...}
function profile_files.sum_paths(path)
  return { path, profile_files.context_path(path),
    table.unpack(profile_files.spread_paths(path)) }
end

--- Returns the context profile beside a sum that has been replaced by one without; nil if
-- there is none, or another file.
-- @tparam string path of the sum
-- @treturn string|nil
function profile_files.old_contexts(path)
  local companion = profile_files.context_path(path)
  return core.file_begins(companion, "gprofctx") and companion or nil
end

--- Returns the files with the spread of a sum that has been replaced by one without.
-- @tparam string path of the sum
-- @treturn {string,...}
function profile_files.old_spreads(path)
  local found = {}
  for _, spread in ipairs(profile_files.spread_paths(path)) do
    if core.file_begins(spread, "gprofspr") then found[#found + 1] = spread end
  end
  return found
end

--- Returns the path of the context profile beside a gmon.out if there is one.
-- @tparam string path
-- @treturn string|nil
function profile_files.existing_contexts(path)
  local companion = profile_files.context_path(path)
  return core.file_status(companion) == "file" and companion or nil
end

--- Returns the path of the context profile that a profile is, or that is beside it.
-- @tparam string path
-- @treturn string|nil
function profile_files.contexts_of(path)
  return profile_files.is_context_profile(path) and path or
    profile_files.existing_contexts(path)
end

--- Returns whether any of the profiles in a list is or has a context profile.
-- @tparam {string,...} paths
-- @treturn boolean
function profile_files.have_contexts(paths)
  for _, path in ipairs(paths) do
    if path:sub(-#SUFFIX) == SUFFIX or profile_files.existing_contexts(path) then
      return true
    end
  end
  return false
end

--- Returns whether all profiles are older than their image. Alone, this is no evidence
-- that they are from another build: copies of an image are newer, too.
-- @tparam {table,...} files `data.files`
-- @tparam string image path
-- @treturn boolean
function profile_files.are_older(files, image)
  local _, time = core.file_status(image)
  for _, file in ipairs(files) do
    local kind, changed = core.file_status(file.path)
    if not (time and kind == "file" and changed < time) then return false end
  end
  return files[1] ~= nil
end

return profile_files
