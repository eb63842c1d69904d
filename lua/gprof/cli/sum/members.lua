--- Adds profiles that are members of an archive.
--
-- A gmon.out and the context profile beside it may come in any order. The first of both
-- has the samples and calls that are added; the context profile is also added to the sum
-- of context profiles. So a gmon.out that comes second adds nothing, and must have no
-- other records than its context profile.
--
-- @internal gprof.cli.sum.members
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local profile_files = require "gprof.library.files.profile_files"

local members = {}

--- Returns the key under which the name of a member is remembered: it differs from
-- archive to archive.
-- @tparam table list stream, whose row is a member of the archive
-- @tparam string kind of the key
-- @tparam string name
-- @tparam[opt] integer id a number that belongs to the name
-- @treturn string
function members.key(list, kind, name, id)
  return ("%s%d:%s:%s"):format(kind, #list.directories, name, id or "")
end

local key <const> = members.key

-- Returns what the stream remembers of members.
local function memory(list)
  list.members = list.members or core.recent()
  return list.members
end

local function remember(list, kind, name, id)
  memory(list):add(key(list, kind, name), list.count)
  if id then memory(list):add(key(list, "id", name, id), list.count) end
end

local function has(list, kind, name, id)
  return memory(list):find(key(list, kind, name, id)) ~= nil
end

-- Returns the name of the gmon.out to which a member that is a context profile belongs.
local function owner(list)
  local name, kind = profile_files.owner(list.name)
  return kind == "contexts" and profile_files.is_contexts(list.head) and name or nil
end

--- Returns whether an earlier member has the records of the current one, too.
-- @tparam table list stream, whose row is the member
-- @treturn boolean
function members.is_part(list)
  local gmon = owner(list)
  if gmon then return has(list, "gmon", gmon) end
  return has(list, "contexts", list.name)
end

local function other_run(label, name)
  return ("%s: does not belong to %s, but to another run"):format(label, name)
end

-- Whether a member seems to be a sum, which has a spread of its own or none.
local function seems_sum(list)
  local _, spread = profile_files.ids(list.head)
  return spread ~= nil or profile_files.seems_sum(list.head, list.name)
end

-- Adds the records of a member.
local function add_records(into, list, label, mode)
  local data, archive, spread = into.data, list.archive, into.spread
  if not spread then
    local method = mode.keep_going and data.add_file or data.read
    return method(data, archive, mode.file_format)
  end
  local is_sum = seems_sum(list)
  local done, message = data:add_file(archive, mode.file_format, not is_sum and spread or
    nil, list.name)
  if not done then return nil, message end
  if not (is_sum or message) then return done end
  spread:skip()
  return done, nil, label .. ": is a sum, whose spread is not read from an archive"
end

-- Checks a gmon.out whose context profile was added before. It has the same records, but
-- may have block counts.
local function check_second(into, list, label, mode)
  local data <close> = require "gprof.data".new {
    pointer_size = into.data.pointer_size, big_endian = into.data.big_endian }
  if not has(list, "id", list.name, (profile_files.ids(list.head))) then
    return nil, other_run(label, "the context profile before it")
  end
  local done, message = data:read(list.archive, mode.file_format)
  if done and data.block_records > 0 then
    return nil, label .. ": has block counts, and must precede its context profile"
  end
  return done and into.data, message
end

local function add_plain(into, list, label, mode)
  if has(list, "contexts", list.name) then
    return check_second(into, list, label, mode)
  end
  local done, message, whole = add_records(into, list, label, mode)
  if not done then return nil, message end
  remember(list, "gmon", list.name, (profile_files.ids(list.head)))
  if into.contexts then
    into.contexts:expect(label, profile_files.contexts_id(list.head))
  end
  return done, message, whole
end

-- Adds a context profile whose gmon.out was added before.
local function add_second(into, list, label, gmon)
  if not into.contexts then
    local file = into.data.files[#into.data.files]
    file.problem = label .. ": is not used, because it is in an archive"
    return into.data
  end
  local id = into.contexts:add_source(list.archive)
  if id and not has(list, "id", gmon, id) then
    into.contexts:give_up(other_run(label, gmon))
  end
  into.contexts:found()
  return into.data
end

local function add_contexts(into, list, label, mode)
  local gmon = owner(list)
  local held, problem = list.archive:hold()
  if not held then return nil, problem end
  if gmon and has(list, "gmon", gmon) then return add_second(into, list, label, gmon) end
  local done, message, whole = add_records(into, list, label, mode)
  if not done then return nil, message end
  local file = into.data.files[#into.data.files]
  if gmon then remember(list, "contexts", gmon, file.id) end
  if into.contexts then into.contexts:add_source(list.archive) end
  return done, message, whole
end

--- Adds the current member of an archive.
-- @tparam table into see `gprof.cli.sum.inputs`
-- @tparam table list stream, whose row is the member
-- @tparam string label of the member in messages
-- @tparam table mode see `gprof.cli.sum.inputs`
-- @treturn[1] data
-- @treturn[1] nil
-- @treturn[1] string|nil why the member is not in the spread
-- @return[2] nil
-- @treturn[2] string what is wrong
function members.add(into, list, label, mode)
  if mode.add_with_slide then
    return nil, label .. ": --slide=auto cannot read archives"
  end
  local is_contexts = profile_files.is_contexts(list.head)
  return (is_contexts and add_contexts or add_plain)(into, list, label, mode)
end

return members
