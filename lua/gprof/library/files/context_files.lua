--- Reads and adds up the context profiles that belong to profiles.
--
-- @internal gprof.library.files.context_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local builds = require "gprof.library.files.builds"
local core = require "gprof.core"
local profile_files = require "gprof.library.files.profile_files"

local context_files = {}

local LONGEST <const> = 4096  -- bytes of a path

-- Returns the number in the header of a gmon.out that identifies its context profile; nil
-- if there is none.
local function id_of(path) return (profile_files.ids(profile_files.head(path))) end

local ANOTHER_RUN <const> = "but to another run"

-- What the core says if the image is no module of a context profile.
local ANOTHER_BUILD <const> = "no module has the build ID of the image"

local function other_run(companion, path)
  return ("%s: does not belong to %s, %s"):format(companion, path, ANOTHER_RUN)
end

--- Returns what to do about a context profile that cannot be used.
-- @tparam string problem the reason
-- @treturn string "" if nothing is known to help
function context_files.remedy(problem)
  if problem:sub(-#ANOTHER_RUN) == ANOTHER_RUN then
    return "; delete it, or copy both files of one run"
  elseif problem:sub(-#ANOTHER_BUILD) == ANOTHER_BUILD then
    return ", and functions may be wrong; name the build that was recorded"
  end
  return ""
end

--- Returns the message that the context profile of a gmon.out is missing.
-- @tparam string path of the gmon.out, which was written with one
-- @treturn string|nil nil if there is one
function context_files.missing(path)
  if profile_files.existing_contexts(path) then return nil end
  return ("%s: its context profile, %s, is missing: copy both files"):format(path,
    profile_files.context_path(path))
end

--- Returns where a context profile that was written on this machine is from.
-- @tparam string path
-- @treturn table|nil `process`, its number; `parent`, that of its parent; `begin`, when
--   it began, in nanoseconds since 1970; `image`, the program's path; and `executes`,
--   whether it executed another program next; nil if there is no such file
function context_files.origin(path)
  if core.file_status(path) ~= "file" then return nil end
  local process, begin, _, _, image, parent, executes =
    core.contexts_origin(profile_files.start_of_contexts(path))
  if not process or not image or #image > LONGEST then return nil end
  return { process = process, parent = parent, begin = begin, image = image,
    executes = executes }
end

-- Reads the context profile beside a gmon.out. Returns its entry in `data.files`; or nil
-- and why it cannot be used, or nil if there is none.
local function read_companion(image, path)
  local companion = core.file_status(path) == "file" and
    profile_files.existing_contexts(path)
  if not companion then return nil end
  local data <close>, message = core.data(image):read(companion)
  if not data then return nil, message end
  local file = data.files[1]
  if file.format ~= "context" then
    return nil, companion .. ": is not a context profile"
  end
  if file.id ~= id_of(path) then return nil, other_run(companion, path) end
  return file
end

--- Returns the context profile beside a gmon.out. It is read only once: a sum can replace
-- it.
-- @tparam image image
-- @tparam table file entry of the gmon.out in `data.files`
-- @treturn[1] table the entry of the context profile
-- @return[2] nil
-- @treturn[2] string|nil why it cannot be used; nil if there is none
function context_files.companion_of(image, file)
  file.companion = file.companion or table.pack(read_companion(image, file.path))
  return file.companion[1], file.companion[2]
end

--- Returns the file to read for an image. A `gmon.out` has nothing of its program's
-- libraries, so the context profile beside it is read for them.
-- @tparam image image
-- @tparam string path of a profile
-- @tparam[opt="auto"] string format in which it is read; no other is that of contexts
-- @treturn string the path, or that of the context profile
function context_files.path_for(image, path, format)
  local id = image.build_id
  local contexts = id and (format or "auto") == "auto" and
    profile_files.existing_contexts(path)
  if not contexts then return path end
  if builds.of_contexts(profile_files.start_of_contexts(contexts)) == id then
    return path
  end
  local companion = read_companion(image, path)
  return companion and companion.path or path
end

--- A sum of the context profiles of profiles, all of which must have one.
-- @type context_sum
local context_sum = {}
context_sum.__index = context_sum

--- Remembers why the context profiles cannot be added up. The first reason counts.
-- @tparam string problem
function context_sum:give_up(problem)
  self.problem, self.contexts = self.problem or problem, nil
end

--- Adds a context profile.
-- @tparam string|archive source a path, or the current member of an archive
-- @treturn integer|nil the number that identifies it; nil if it was not added
function context_sum:add_source(source)
  if self.without then self:give_up(self.without .. ": has no context profile") end
  if self.problem then return nil end
  self.contexts = self.contexts or core.contexts(self.data, self.by_thread)
  local id, message = self.contexts:add(source)
  if not id then self:give_up(message) end
  return id
end

--- Adds the context profile of a profile, if it has one.
-- @tparam string path of the profile
function context_sum:add(path)
  if self.problem then return end
  local is_file = path ~= "-" and core.file_status(path) == "file"
  local source = is_file and (profile_files.is_context_profile(path) and path or
    profile_files.existing_contexts(path))
  if not source then return self:lack(path) end
  local id = self:add_source(source)
  if id and source ~= path and id ~= id_of(path) then
    self:give_up(other_run(source, path))
  end
end

--- Notes that a profile has no context profile.
-- @tparam string path in messages
function context_sum:lack(path)
  self.without = self.without or path
  if self.contexts then self:give_up(self.without .. ": has no context profile") end
end

--- Notes a profile whose context profile may follow.
-- @tparam string path in messages
-- @tparam integer|nil id the number that identifies its context profile; nil if it has
--   none
function context_sum:expect(path, id)
  if not id then return self:lack(path) end
  self.expected, self.waits = self.expected + 1, path
end

--- Notes that an expected context profile was found.
function context_sum:found() self.expected = self.expected - 1 end

--- Adds the state of the sum to a table of texts and numbers.
-- @tparam table state
function context_sum:save_state(state)
  state.contexts_expected, state.contexts_wait = self.expected, self.waits
  state.contexts_without, state.contexts_problem = self.without, self.problem
end

--- Takes over the state that `save_state` returned, as texts.
-- @tparam table state
function context_sum:restore_state(state)
  self.expected = math.tointeger(tonumber(state.contexts_expected)) or 0
  self.waits = state.contexts_wait
  self.without, self.problem = state.contexts_without, state.contexts_problem
end

--- Takes over a sum that was written before.
-- @tparam archive source
-- @treturn[1] integer number that identifies it
-- @return[2] nil
-- @treturn[2] string what is wrong
function context_sum:restore(source)
  self.contexts = core.contexts(self.data, self.by_thread)
  return self.contexts:add(source)
end

--- Returns the sum.
-- @treturn[1] contexts
-- @return[2] nil
-- @treturn[2] string|nil why they cannot be added up; nil if no profile has one
function context_sum:result()
  if self.expected > 0 then
    if not self.contexts then return nil, self.problem end
    self:give_up(("context profiles are missing: %d, for profiles such as %s"):format(
      self.expected, self.waits))
  end
  return self.contexts, self.problem
end

--- Starts a sum of context profiles.
-- @tparam data data the sum of the profiles
-- @tparam[opt] boolean by_thread keep threads with the same name apart; such a sum cannot
--   be written
-- @treturn context_sum
function context_files.new_sum(data, by_thread)
  return setmetatable({ data = data, by_thread = by_thread, expected = 0 }, context_sum)
end

--- Adds up the context profiles of profiles.
-- @tparam data data the sum of the profiles
-- @tparam {string,...} paths of the profiles
-- @tparam[opt] boolean by_thread as for `new_sum`
-- @treturn[1] contexts
-- @return[2] nil
-- @treturn[2] string|nil why they cannot be added up; nil if no profile has one
function context_files.sum_contexts(data, paths, by_thread)
  local sum = context_files.new_sum(data, by_thread)
  for _, path in ipairs(paths) do
    sum:add(path)
    if sum.problem then break end
  end
  return sum:result()
end

--- Adds the call paths in the context profile beside a `gmon.out`. If it cannot be used,
-- the entry in `data.files` gets the field `problem`, the reason.
-- @tparam data data to which the file was just added
-- @tparam string path of the gmon.out
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string that there is not enough memory
function context_files.add_call_paths(data, path)
  local file, companion = data.files[#data.files], profile_files.context_path(path)
  if file.format ~= "magic" then return data end
  local done, message = data:add_paths(companion, path, id_of(path) or 0)
  if not done and message:find "not enough memory$" then return nil, message end
  file.problem = message
  return data
end

return context_files
