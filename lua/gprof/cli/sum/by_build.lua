--- Writes one sum for each build of a program, for `--by-build`.
--
-- The build of a profile is that of its context profile. A profile without one belongs to
-- the program, if the command line names one and not a directory of programs.
--
-- @internal gprof.cli.sum.by_build
-- SPDX-License-Identifier: GPL-3.0-or-later

local builds = require "gprof.library.files.builds"
local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local inputs = require "gprof.cli.sum.inputs"
local key <const> = require "gprof.cli.sum.members".key
local output = require "gprof.output"
local profile_files = require "gprof.library.files.profile_files"
local sorted = require "gprof.format.sorted"

local raise <const>, need <const> = failure.raise, failure.need

local by_build = {}

-- The part of the names of sums that stands for the build ID.
local PATTERN <const> = "%%b"

local function check_output(settings)
  if require "gprof.cli.sum.profile_list".are_reported(settings) then
    raise "option --by-build: writes sums, and no reports"
  elseif settings.sum_file and not settings.sum_file:find(PATTERN) then
    raise("option --by-build: the name of the sums, '%s', needs %%b, which stands for " ..
      "the build ID", settings.sum_file)
  end
end

-- Checks the first operand: a program with builds, or a directory of programs.
local function check_program(path)
  if core.file_status(path) == "directory" then return end
  if core.script_list(need(gprof.image(path))) then
    raise "option --by-build: not for Lua programs"
  end
end

-- Groups --------------------------------------------------------------------------------

-- Returns the settings for the sum of a build. The file is locked until the end.
local function settings_of(settings, id)
  local own = setmetatable({ styles = { sum = true } }, { __index = settings })
  own.sum_file = defaults.sum_path(settings):gsub(PATTERN, id)
  own.sum_is_derived, own.sum_target = true, nil
  return own
end

local function new_group(self, id, path)
  local settings = settings_of(self.settings, id)
  local image = need(gprof.image(path, { debug_dir = settings.debug_dir }))
  local target = require "gprof.cli.sum.sum_target".open(settings)
  if target.is_new then
    raise("%s: was created by another process meanwhile", target.path)
  end
  local options = { file_format = defaults.input_format(settings) }
  local group = inputs.new_target(image, settings, options, true)
  group.image, group.settings, group.target = image, settings, target
  group.name, group.paths = id, {}
  self.groups[id] = group
  return group
end

-- Notes a profile whose program is missing. Returns nil and the message about it.
local function miss(self, label, id, recorded)
  local missing = self.missing[id] or { path = recorded, count = 0 }
  missing.count = missing.count + 1
  self.missing[id] = missing
  return nil, ("%s: is of the build %s of %s, which was not found"):format(label, id,
    recorded)
end

local function group_of(self, label, id, recorded)
  local group = self.groups[id]
  if group then return group end
  local path = self.builds:find(id, recorded)
  if not path then return miss(self, label, id, recorded) end
  return new_group(self, id, path)
end

-- Counts the gmon.out in archives that have block counts, which context profiles lack.
local function count_blocks(self, list)
  local data <close> = gprof.data.new { big_endian = list.head:byte(5) == 0 }
  local done = data:read(list.archive, defaults.input_format(self.settings))
  if done and data.block_records > 0 then self.blocks = self.blocks + 1 end
end

-- Whether the current member of an archive is a gmon.out whose context profile is another
-- member, which has the same records and tells the build. The members come in any order.
local function is_part(self, list)
  local name, kind = profile_files.owner(list.name)
  if profile_files.is_contexts(list.head) then
    if kind == "contexts" and self.members:find(key(list, "gmon", name)) then
      self.waiting = self.waiting - 1
    elseif kind == "contexts" then
      self.members:add(key(list, "contexts", name), list.count)
    end
    return false
  elseif not profile_files.contexts_id(list.head) then
    return false
  end
  count_blocks(self, list)
  if not self.members:find(key(list, "contexts", list.name)) then
    self.members:add(key(list, "gmon", list.name), list.count)
    self.waiting, self.last = self.waiting + 1, list[list.count]
  end
  return true
end

-- Returns the group of the profile in row `i` of a list; nil and a message if there is
-- none.
local function choose(self, list, i)
  local id, recorded, problem
  if list.archive then
    local held
    held, problem = list.archive:hold()
    if held then id, recorded, problem = builds.of_contexts(list.archive:text()) end
  else
    id, recorded, problem = builds.of_file(list.stands_for or list[i])
  end
  if problem then return nil, problem end
  if id == "" then return nil, ("%s: %s has no build ID"):format(list[i], recorded) end
  if id then return group_of(self, list[i], id, recorded) end
  if self.builds.only then return group_of(self, list[i], self.builds.only) end
  return nil, list[i] .. ": has no context profile, which would tell its build"
end

-- Writing -------------------------------------------------------------------------------

-- Writes a sum that does not yet replace the old one.
local function write(group, warn, together)
  group.target.together = together
  if group.spread then core.keep_spread(group.data, group.spread) end
  require "gprof.cli.overwrite".check(group.settings, group.image, group.data,
    group.target.path)
  require "gprof.cli.sum.written_sum".write(group, warn)
end

-- Replaces all sums, or none.
local function write_all(groups, warn)
  local ids, files = sorted.keys(groups), {}
  for _, id in ipairs(ids) do write(groups[id], warn, files) end
  output.finish(files)
  local written_sum = require "gprof.cli.sum.written_sum"
  for _, id in ipairs(ids) do written_sum.check(groups[id], warn) end
end

local function report_missing(missing)
  for _, id in ipairs(sorted.keys(missing)) do
    require "gprof.format.terminal".tell(
      ("gprof.lua: build %s of %s: not found: profiles left out: %d"):format(id,
        missing[id].path, missing[id].count))
  end
end

local function close_groups(groups)
  return setmetatable({}, { __close = function()
    for _, group in pairs(groups) do
      local _ <close> = group.target
    end
  end })
end

--- Writes the sums.
-- @tparam table settings from `command_line.read`
-- @tparam function warn takes a message
-- @treturn integer the number of bad profiles, which were skipped
-- @raise a table with the field `message`
function by_build.run(settings, warn)
  check_output(settings)
  local path = defaults.image_path(settings)
  check_program(path)
  local self = { settings = settings, groups = {}, missing = {}, waiting = 0, blocks = 0,
    members = core.recent(), builds = builds.new(path) }
  local _ <close> = close_groups(self.groups)
  local skipped = inputs.read_groups(settings,
    function(list, i) return choose(self, list, i) end,
    function(list) return is_part(self, list) end, warn)
  if self.waiting > 0 then
    warn(("context profiles are missing in archives: profiles left out: %d, such as %s"):
      format(self.waiting, self.last))
  end
  if self.blocks > 0 then
    warn("--by-build leaves out block counts in archives: profiles: " .. self.blocks)
  end
  if not next(self.groups) then raise "none of the profiles can be read" end
  report_missing(self.missing)
  write_all(self.groups, warn)
  return skipped + self.waiting
end

return by_build
