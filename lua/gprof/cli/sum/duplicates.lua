--- Notices profiles that are added twice: the same file under any name, the same process
-- if it was recorded, and members of an archive with the same name.
--
-- Profiles without a context profile do not say which process they are from, and short
-- runs of one program often have equal profiles. So equal bytes are no sign of a
-- duplicate. Files that the command line repeats are meant to be added that often.
--
-- @internal gprof.cli.sum.duplicates
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local profile_files = require "gprof.library.files.profile_files"

-- Keys are joined by SEPARATOR, which no key contains.
local SEPARATOR <const>, KEY <const> = "\1", "[^\1]+"

local duplicates = {}
duplicates.__index = duplicates

-- In place of a key: the command line names the file.
local NAMED <const> = "named"

-- Before the keys of a bad profile.
local BAD <const> = "bad"

local MOST_NAMES <const> = 3

--- Starts to look for duplicates.
-- @tparam boolean skips whether they are left out
-- @treturn duplicates
function duplicates.new(skips)
  return setmetatable({ skips = skips, recent = core.recent(), names = {},
    total = 0 },
    duplicates)
end

-- Adds what a context profile says about its process. A sum is of no process. With a
-- ID, the context profile must have been written at that time.
local function add_process(keys, head, id)
  local process, begin, written = profile_files.process(head)
  if not process or process == 0 or id and written ~= id then return end
  if begin ~= 0 then keys[#keys + 1] = ("p%x:%x"):format(process, begin) end
  if not id then keys[#keys + 1] = ("w%x"):format(written) end
end

-- Adds the ID of a gmon.out that has a context profile: the time of writing.
local function add_id(keys, head)
  local id = profile_files.contexts_id(head)
  if id then keys[#keys + 1] = ("w%x"):format(id) end
  return id
end

-- Returns a text without SEPARATOR. Different texts stay different.
local function escaped(text)
  return (text:gsub("[\1\2]", { ["\1"] = "\2a", ["\2"] = "\2b" }))
end

--- Returns what identifies a member of an archive.
-- @tparam table list stream, whose row is the member
-- @tparam boolean is_part whether another member has its records, too
-- @treturn string
function duplicates.of_member(list, is_part)
  local keys = { ("m%d:%s"):format(#list.directories, escaped(list.name)) }
  if is_part then return keys[1] end
  if profile_files.is_contexts(list.head) then
    add_process(keys, list.head)
  else
    add_id(keys, list.head)
  end
  return table.concat(keys, SEPARATOR)
end

--- Returns what identifies a file.
-- @tparam string path
-- @tparam boolean is_named whether the command line names the file
-- @treturn string|nil
function duplicates.of_file(path, is_named)
  local kind, _, identity = core.file_status(path)
  if kind ~= "file" then return nil end
  local keys, head = { "f" .. identity }, profile_files.head(path, true)
  local id = not profile_files.is_contexts(head) and add_id(keys, head)
  if id then head = profile_files.head(profile_files.context_path(path)) end
  add_process(keys, head, id or nil)
  if is_named then keys[#keys + 1] = NAMED end
  return table.concat(keys, SEPARATOR)
end

-- Remembers the profile that was checked last, and counts it if it is a duplicate.
local function settle(self)
  local last = self.last
  if not last then return end
  self.last = nil
  for key in last.keys:gmatch(KEY) do self.recent:add(key, last.number) end
  if not last.duplicate then return end
  self.total = self.total + 1
  if self.total <= MOST_NAMES then self.names[self.total] = last.duplicate end
end

--- Checks a profile, and remembers it unless `forget` follows. If a list has both a
-- profile and the context profile beside it, this is no duplicate, but the second one is
-- left out.
-- @tparam string path
-- @tparam integer number of the profile in the list
-- @tparam string identity from `of_file` or `of_member`
-- @tparam boolean is_companion whether the list has the name of its context profile
-- @treturn boolean whether it must be left out
function duplicates:check(path, number, identity, is_companion)
  settle(self)
  local earlier
  local keys, is_named = identity:gsub(SEPARATOR .. NAMED .. "$", "")
  for key in keys:gmatch(KEY) do earlier = earlier or self.recent:find(key) end
  self.last = { number = number, keys = keys }
  local is_again = is_named > 0 and self.recent:find(NAMED .. keys)
  if is_named > 0 then self.recent:add(NAMED .. keys, number) end
  if is_again and not self.skips then return false end
  local companion = "b" .. keys
  if is_companion then self.recent:add(companion, number) end
  if not (earlier or self.recent:find(BAD .. keys)) then return false end
  if is_companion or self.recent:find(companion) then return true end
  if not earlier then return false end
  self.last.duplicate = ("%s (profile %d, like profile %d)"):format(path, number, earlier)
  return self.skips
end

--- Forgets the profile that was checked last, because it is bad: a good copy of it is no
-- duplicate.
-- @tparam integer|nil number of the bad profile in the list
function duplicates:forget(number)
  local last = self.last
  if not (last and last.number == number) then return end
  self.recent:add(BAD .. last.keys, number)
  self.last = nil
end

--- Adds what was found to the state of a checkpoint.
-- @tparam table state
function duplicates:save(state)
  settle(self)
  state.duplicates = self.total
  for i, name in ipairs(self.names) do state["duplicate" .. i] = name end
end

--- Takes over the state of a checkpoint.
-- @tparam table state of strings
function duplicates:restore(state)
  self.total = math.tointeger(tonumber(state.duplicates)) or 0
  for i = 1, MOST_NAMES do self.names[i] = state["duplicate" .. i] end
end

--- Returns the profiles that are remembered, as a string.
-- @treturn string
function duplicates:pack()
  settle(self)
  return self.recent:pack()
end

--- Remembers the profiles in a string from `pack`.
-- @tparam string text
function duplicates:unpack(text) self.recent = core.recent(text) end

--- Reports duplicates in one line.
-- @tparam function warn takes a message
function duplicates:report(warn)
  settle(self)
  if self.total == 0 then return end
  local names, more = table.concat(self.names, ", "), self.total - #self.names
  if more > 0 then names = ("%s and %d more"):format(names, more) end
  warn(self.skips and "duplicates left out: " .. names or ("added twice: %s: " ..
    "--skip-duplicates leaves out duplicates"):format(names))
end

return duplicates
