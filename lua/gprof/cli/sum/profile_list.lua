--- Finds the profiles that a command line names: as files, in directories, in files that
-- list them, and in archives.
--
-- A list of profiles is an array of paths. Lists may have millions of them, so that they
-- are kept by the core and become Lua strings only when they are used. A list has the
-- fields
--
-- - `names`: the paths, in the core;
-- - `count`: the number of paths, and `operands`, how many of them come from operands;
-- - `named`: the arguments that the list was made from;
-- - `directories`: a table for each directory, with its `path`; `files`, the number of
--   files found in it; and `others`, how many of these turned out not to be profiles;
-- - `directory`: for each path found in a directory, that directory's table;
-- - `errors`: for each path that cannot be read, the message;
-- - `standard_input`: whether standard input is one of the profiles.
--
-- A *stream* is a list that is found while it is read. Only one row of it exists at a
-- time; its function `fetch` goes to a row. It has these fields in addition:
--
-- - `archive`, `name` and `head`: if the row is the current member of an archive, the
--   archive, the member's name, and its first bytes. Its path is then its name in
--   messages;
-- - `stands_for`: for a context profile, the path of its gmon.out, which is read in its
--   place.
--
-- @internal gprof.cli.sum.profile_list
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local failure = require "gprof.library.failure"
local name_list = require "gprof.cli.sum.name_list"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.files.profile_files"
local sorted = require "gprof.format.sorted"
local wording = require "gprof.format.wording"

local profiles = {}

-- Whether a path with this last part leads to the same file as another path.
local function is_same_file(path, name, other)
  if other:match "[^/]*$" ~= name then return false end
  local _, _, identity = core.file_status(other)
  return identity ~= nil and identity == select(3, core.file_status(path))
end

-- The metatable of lists that are not streams.
local list_meta = {}
function list_meta.__index(list, key)
  if math.type(key) == "integer" then return rawget(list, "names")[key] end
end
function list_meta.__len(list) return #list.names end

-- Adds a path. A stream goes on when the row was read.
local function add(list, path, directory, message)
  local number = list.count + 1
  list.count = number
  list.directory[number], list.errors[number] = directory, message
  list.standard_input = list.standard_input or path == "-"
  if list.names then return list.names:add(path) end
  list[number] = path
  local sum = list.new_sum
  list.has_sum = list.has_sum or sum and is_same_file(path, path:match "[^/]*$", sum)
  coroutine.yield()
end

-- Adds a path to a list. In a stream, a file beside a profile stands for the profile,
-- which is read once, even if the stream has both.
local function add_path(list, path, directory)
  local owner, kind = nil, nil
  if list.fetch then owner, kind = profile_files.owner(path) end
  local companion = owner and core.file_status(owner) == "file"
  if companion and kind == "spread" then return end
  list.stands_for = companion and owner or nil
  add(list, path, directory)
  list.stands_for = nil
end

-- Returns the path of the sum of a build, for --by-build: `pattern` with the build ID
-- that the path of a file has in place of "%b". Nil if the path has another form.
local function sum_of_build(pattern, path)
  local names = pattern:match "[^/]*%%b.*$"
  local form = names:gsub("%W", "%%%0"):gsub("%%%%b", "(%%x+)", 1):gsub("%%%%b", "%%1")
  local id = ("/" .. path):match("/" .. form .. "$")
  return id and pattern:gsub("%%b", id)
end

-- Returns a function of the path and the name of a file in a directory: whether it is a
-- sum that will be replaced, or lies beside it. Such a file is read only if it is named
-- explicitly.
local function finds_targets(settings)
  if not settings.styles.sum then return function() return false end end
  local targets = profile_files.sum_paths(defaults.sum_path(settings))
  return function(path, name)
    for _, target in ipairs(targets) do
      if settings.by_build then target = sum_of_build(target, path) end
      if target and is_same_file(path, name, target) then return true end
    end
    return false
  end
end

-- Adds all files in a directory and its subdirectories, sorted by name.
local function add_files(list, path, directory, is_target)
  local kinds, message = core.list_directory(path)
  if not kinds then return add(list, path, nil, message) end
  for _, name in ipairs(sorted.keys(kinds)) do
    local inner = (path:gsub("/+$", "")) .. "/" .. name
    if kinds[name] == "directory" then
      add_files(list, inner, directory, is_target)
    elseif kinds[name] == "file" and not is_target(inner, name) and
      not (list.checkpoint and is_same_file(inner, name, list.checkpoint))
    then
      directory.files = directory.files + 1
      add_path(list, inner, directory)
    end
  end
end

-- Moves what is known of the rows of a list to the rows that they have after some are
-- dropped.
local function renumber(list, dropped)
  local directory, errors, known, done = {}, {}, list.directory, 0
  for i = 1, list.count do
    if i == dropped[done + 1] then
      done = done + 1
      if known[i] then known[i].files = known[i].files - 1 end
    else
      directory[i - done], errors[i - done] = known[i], list.errors[i]
    end
  end
  list.directory, list.errors = directory, errors
end

-- Drops the context profiles and spreads whose gmon.out is also in the list.
local function drop_accompanying(list)
  local dropped = profile_files.accompanying(list.names)
  if not dropped[1] then return end
  if next(list.directory) or next(list.errors) then renumber(list, dropped) end
  local operands = 0
  while dropped[operands + 1] and dropped[operands + 1] <= list.operands do
    operands = operands + 1
  end
  list.operands = list.operands - operands
  list.names:remove(dropped)
  list.count = #list.names
end

-- Adds the sum that another process has created meanwhile, unless it is named.
local function add_new_sum(list, path)
  local files = require "gprof.library.files.file_set".new()
  for _, named in ipairs(list) do files:add(named) end
  if list.has_sum or files:contains(path) then return end
  require "gprof.format.terminal".tell("gprof.lua: " .. path ..
    ": was created by another process meanwhile: the profiles are added to it")
  table.insert(list.named, path)
  add(list, path)
end

-- Adds the profiles that an operand stands for.
local function add_operand(list, path, settings)
  local reads_directories = policy.of(settings).reads_directories
  table.insert(list.named, path)
  if reads_directories and core.file_status(path) == "directory" then
    local directory, before = { path = path, files = 0, others = 0 }, list.count
    table.insert(list.directories, directory)
    add_files(list, path, directory, finds_targets(settings))
    if list.count == before then
      add(list, path, nil, path .. ": contains no profiles")
    end
  else
    add_path(list, path)
  end
end

local function new_list()
  return { named = {}, directories = {}, directory = {}, errors = {}, count = 0,
    operands = math.maxinteger }
end

local function add_operands(list, settings)
  for i = 2, #settings.operands do
    local path = settings.operands[i]
    local target = settings.sum_target
    -- a sum that does not exist yet: there is nothing to add to
    local is_missing = target and target.is_first and path == target.path and
      policy.of(settings).starts_missing_sums
    if not is_missing then add_operand(list, path, settings) end
  end
  list.operands = list.count
end

--- Finds the profiles of a command line without opening them.
-- @tparam table settings from `command_line.read`
-- @treturn table list
-- @raise a table with the field `message`
function profiles.find(settings)
  local list = setmetatable(new_list(), list_meta)
  list.names = core.names()
  add_operands(list, settings)
  for _, path in ipairs(settings.profiles_from) do
    table.insert(list.named, path)
    if name_list.archive(path) then
      failure.raise("%s: profiles of Lua programs cannot be read from archives", path)
    end
    name_list.all(path, list.names)
    list.count = #list.names
    list.standard_input = list.standard_input or list.names:contains "-"
  end
  if list.count == 0 then
    list.named[1] = settings.operands[2] or defaults.profile_path(settings)
    add(list, list.named[1])
  end
  local target = settings.sum_target
  if target and target.is_new then add_new_sum(list, target.path) end
  if list.count > 1 then drop_accompanying(list) end
  return list
end

-- Streams -------------------------------------------------------------------------------

-- Whether a member of an archive is hidden, as in a directory.
local function is_hidden(name)
  return ("/" .. name):find "/%.[^/.]" ~= nil or ("/" .. name):find "/%.%.[^/]" ~= nil
end

local function add_members(list, archive, directory)
  while true do
    local name, size, head = archive:next()
    if not name then
      if size then add(list, directory.path, nil, size) end
      return
    end
    local is_left_out = is_hidden(name) or size and profile_files.is_spread(head)
    if not is_left_out then
      directory.files = directory.files + 1
      list.archive, list.name, list.head = archive, name, size and head
      local problem = not size and head or nil
      add(list, ("%s(%s)"):format(directory.path, name), directory, problem)
    end
  end
end

-- Adds the members of an archive, which is like a directory.
local function add_archive(list, path)
  local label = path == "-" and "standard input" or path
  local archive <close> = failure.need(core.archive(path))
  local directory = { path = label, files = 0, others = 0 }
  table.insert(list.directories, directory)
  add_members(list, archive, directory)
  list.archive, list.name, list.head = nil, nil, nil
  if directory.files > 0 then return end
  add(list, label, nil, label .. ": contains no profiles")
end

-- Adds all rows of a stream, one after the other.
local function fill(list, settings)
  add_operands(list, settings)
  for _, path in ipairs(settings.profiles_from) do
    table.insert(list.named, path)
    local archive = name_list.archive(path)
    if archive then
      add_archive(list, archive)
    else
      name_list.each(path, function(name) add_path(list, name) end)
    end
  end
  if list.count == 0 and not settings.profiles_from[1] then
    list.named[1] = settings.operands[2] or defaults.profile_path(settings)
    add(list, list.named[1])
  end
  if list.new_sum then add_new_sum(list, list.new_sum) end
end

--- Finds the profiles of a command line one by one, as a stream.
-- @tparam table settings from `command_line.read`
-- @treturn table stream. Its function `fetch(number)` makes a row available, the first
--   one or the one after the last, and drops the row before. Returns false at the end.
--   Raises a table with the field `message`
function profiles.stream(settings)
  local list, target = new_list(), settings.sum_target
  list.checkpoint = settings.checkpoint
  list.new_sum = target and target.is_new and target.path
  local resume = coroutine.wrap(function() fill(list, settings) end)
  function list.fetch(number)
    local last = number - 1
    list[last], list.directory[last], list.errors[last] = nil, nil, nil
    resume()
    return list.count == number
  end
  return list
end

--- Returns whether the output may list the profiles, as exports and reports requested by
-- name can.
-- @tparam table settings from `command_line.read`
-- @tparam string|integer|nil slide the option with which profiles are read
-- @treturn boolean
function profiles.are_listed(settings, slide)
  return settings.styles.info or settings.styles.threads or settings.reports[1] ~= nil or
    settings.exports[1] ~= nil or slide == "auto"
end

--- Returns whether reports or exports are requested besides a sum. They may read the call
-- paths of libraries and threads again, and so need the names of the profiles.
-- @tparam table settings from `command_line.read`
-- @treturn boolean
function profiles.are_reported(settings)
  for style, wanted in pairs(settings.styles) do
    if wanted and style ~= "sum" then return true end
  end
  return settings.reports[1] ~= nil or settings.exports[1] ~= nil
end

--- Adds a path to a list.
-- @tparam table list from `profiles.find`
-- @tparam string path
function profiles.append(list, path) add(list, path) end

--- Returns whether a row of a list is the name of a file on the command line.
-- @tparam table list
-- @tparam integer number
-- @treturn boolean
function profiles.is_named(list, number)
  return number <= list.operands and not list.directory[number]
end

--- Returns the name of a list in messages.
-- @tparam table list
-- @treturn string "a, b"; "a, b, c and 9 more"
function profiles.names(list)
  return wording.first(list.named)
end

return profiles
