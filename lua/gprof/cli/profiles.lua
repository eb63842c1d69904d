--- Finds the profiles that a command line names: as files, in directories, and in files
-- that list them.
--
-- A list of profiles is an array of paths, with the fields
--
-- - `named`: the arguments that the list was made from;
-- - `directories`: a table for each directory, with its `path`; `files`, the number of
--   files found in it; and `others`, how many of these turned out not to be profiles;
-- - `directory`: for each path found in a directory, that directory's table;
-- - `errors`: for each path that cannot be read, the message;
-- - `standard_input`: whether standard input is one of the profiles.
--
-- @internal gprof.cli.profiles
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.defaults"
local failure = require "gprof.library.failure"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.profile_files"
local sorted = require "gprof.format.sorted"
local wording = require "gprof.format.wording"

local profiles = {}

local function add(list, path, directory, message)
  local number = #list + 1
  list[number], list.directory[number], list.errors[number] = path, directory, message
  list.standard_input = list.standard_input or path == "-"
end

local function is_same_file(path, name, other)
  if other:match "[^/]*$" ~= name then return false end
  local _, _, identity = core.file_status(other)
  return identity ~= nil and identity == select(3, core.file_status(path))
end

-- Whether a file is the sum that will be replaced, or lies beside it. Such a file is read
-- only if it is named explicitly, not if it is found in a directory.
local function is_sum(path, name, sum)
  if not sum then return false end
  for _, other in ipairs { sum, profile_files.context_path(sum),
    table.unpack(profile_files.spread_paths(sum)) } do
    if is_same_file(path, name, other) then return true end
  end
  return false
end

-- Adds all files in a directory and its subdirectories, sorted by name.
local function add_files(list, path, directory, sum)
  local kinds, message = core.list_directory(path)
  if not kinds then return add(list, path, nil, message) end
  for _, name in ipairs(sorted.keys(kinds)) do
    local inner = (path:gsub("/+$", "")) .. "/" .. name
    if kinds[name] == "directory" then
      add_files(list, inner, directory, sum)
    elseif kinds[name] == "file" and not is_sum(inner, name, sum) then
      directory.files = directory.files + 1
      add(list, inner, directory)
    end
  end
end

local function add_directory(list, path, sum)
  local directory, before = { path = path, files = 0, others = 0 }, #list
  table.insert(list.directories, directory)
  add_files(list, path, directory, sum)
  if #list == before then add(list, path, nil, path .. ": contains no profiles") end
end

local function read_text(path)
  local text_file = require "gprof.format.text_file"
  if path == "-" then return text_file.read_open(io.stdin, "standard input") end
  return text_file.read(path)
end

-- Adds the files that a list names. Names end in zero bytes, or in newlines if the list
-- has no zero byte.
local function add_list(list, path)
  local text = failure.need(read_text(path))
  local before = #list
  for name in text:gmatch(text:find("\0", 1, true) and "[^\0]+" or "[^\n]+") do
    add(list, name)
  end
  if #list == before then
    failure.raise("%s: lists no profiles", path == "-" and "standard input" or path)
  end
end

-- Returns a list without the context profiles and spreads whose gmon.out is also in the
-- list.
local function without_accompanying(list)
  local accompanying = profile_files.accompanying(list)
  if not next(accompanying) then return list end
  local others = { named = list.named, directories = list.directories, directory = {},
    errors = {} }
  for i, path in ipairs(list) do
    local directory = list.directory[i]
    if not accompanying[i] then
      add(others, path, directory, list.errors[i])
    elseif directory then
      directory.files = directory.files - 1
    end
  end
  return others
end

-- Whether an operand is the sum, and the sum does not exist yet. Then there is nothing to
-- add to.
local function is_missing_sum(path, settings)
  local target = settings.sum_target
  return target and target.is_first and path == target.path and
    policy.of(settings).starts_missing_sums
end

-- Adds the sum that another process has created meanwhile, unless it is named.
local function add_new_sum(list, path)
  local files = require "gprof.library.file_set".new()
  for _, named in ipairs(list) do files:add(named) end
  if files:contains(path) then return end
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
    add_directory(list, path, settings.styles.sum and defaults.sum_path(settings))
  else
    add(list, path)
  end
end

--- Finds the profiles of a command line without opening them.
-- @tparam table settings from `command_line.read`
-- @treturn table list
-- @raise a table with the field `message`
function profiles.find(settings)
  local list = { named = {}, directories = {}, directory = {}, errors = {} }
  for i = 2, #settings.operands do
    local path = settings.operands[i]
    if not is_missing_sum(path, settings) then add_operand(list, path, settings) end
  end
  for _, path in ipairs(settings.profiles_from) do
    table.insert(list.named, path)
    add_list(list, path)
  end
  if #list == 0 then
    list.named[1] = settings.operands[2] or defaults.profile_path(settings)
    add(list, list.named[1])
  end
  local target = settings.sum_target
  if target and target.is_new then add_new_sum(list, target.path) end
  return list[2] and without_accompanying(list) or list
end

--- Returns the name of a list in messages.
-- @tparam table list
-- @treturn string "a, b"; "a, b, c and 9 more"
function profiles.names(list)
  return wording.first(list.named)
end

return profiles
