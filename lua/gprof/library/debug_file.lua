--- Debugging files: finds the separate files with the symbols and the debugging
-- information of an image. Loaded on demand.
--
-- The debugging file of a stripped image is looked up by the image's build id, then by
-- NAME: the name in the image's section `.gnu_debuglink`, or else the image's own name
-- plus ".debug". The paths are, in order:
--
--   - DIR/.build-id/NN/NNNN.debug, where DIR is each directory that the user names, then
--     /usr/lib/debug;
--   - NAME and .debug/NAME in the directory of the image; then, if the image's path is a
--     link, in the directory of the file it leads to;
--   - DIR/PATH/NAME, where PATH is the image's directory;
--   - DIR/NAME, where DIR is a directory that the user names.
--
-- A file of another build is never used.
--
-- @internal gprof.library.debug_file
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local core = require "gprof.core"
local image_options = require "gprof.library.options.image_options"
local native = require "gprof.library.native"
local wording = require "gprof.format.wording"

local debug_file = {}

local SYSTEM <const> = "/usr/lib/debug"

-- Where to look -------------------------------------------------------------------------

-- Returns the directories to search for the debugging files of an image, in order.
local function search_directories(image)
  local named = image_options.of(image).debug_dir or {}
  local all = table.move(named, 1, #named, 1, {})
  all[#all + 1] = SYSTEM
  return all
end

local function directory_of(path)
  return path:match "^.*/" or ""
end

-- Returns the directory of a path, and the absolute directory of the file that the path
-- leads to; both end with "/".
local function directories_of(path)
  local real = core.real_path(path)
  return directory_of(path), real and directory_of(real) or nil
end

local function identity(path)
  return (select(3, core.file_status(path)))
end

-- Makes a list of distinct paths, and a function that appends the concatenation of its
-- arguments.
local function new_list()
  local list, known = {}, {}
  return list, function(...)
    local path = table.concat { ... }
    if not known[path] then list[#list + 1] = path end
    known[path] = true
  end
end

-- objcopy writes names without directories to .gnu_debuglink. Other names could lead
-- anywhere and are refused.
local function is_plain_name(name)
  return not (name:find("/", 1, true) or name == "" or name == "." or name == "..")
end

local function add_by_name(image, name, add)
  local named = image_options.of(image).debug_dir or {}
  local own, real = directories_of(image.path)
  local is_one = not real or identity(real) == identity(own == "" and "." or own)
  for _, directory in ipairs { own, not is_one and real or nil } do
    add(directory, name)
    add(directory, ".debug/", name)
  end
  for _, directory in ipairs(search_directories(image)) do
    if real then add(directory, real, name) end
  end
  for _, directory in ipairs(named) do add(directory, "/", name) end
end

--- Lists the paths where the debugging file of an image may be.
-- @tparam image image
-- @treturn {string,...} paths
-- @treturn string|nil the name in the image's .gnu_debuglink
function debug_file.places(image)
  local list, add = new_list()
  local link = core.debug_link(image)
  local name = link or image.build_id and base_name(image.path) .. ".debug"
  local id = image.build_id
  if id and #id >= 4 then
    for _, directory in ipairs(search_directories(image)) do
      add(directory, "/.build-id/", id:sub(1, 2), "/", id:sub(3), ".debug")
    end
  end
  if name and is_plain_name(name) then add_by_name(image, name, add) end
  return list, link
end

-- Search --------------------------------------------------------------------------------

-- Returns the first existing file for which `take` returns true, or nil; and an array of
-- messages about unusable files, for which `take` returns false and a message.
local function first_of(image, list, take)
  local problems, seen = {}, {}
  for _, path in ipairs(list) do
    local kind, _, file = core.file_status(path)
    local taken, problem
    if kind and not seen[file] then
      seen[file] = true
      if kind ~= "file" then
        problem = path .. ": not a regular file, cannot read debugging information"
      elseif file == identity(image.path) then
        problem = path .. ": is the image itself, not its debugging file"
      else
        taken, problem = take(path)
      end
      if taken then return path, problems end
      problems[#problems + 1] = problem
    end
  end
  return nil, problems
end

local function warn(image, problems)
  local report = image_options.of(image).warn
  for _, problem in ipairs(report and problems or {}) do report(problem) end
end

-- Returns the directories of files, without duplicates.
local function directories(paths)
  local list, add = new_list()
  for _, path in ipairs(paths) do add(path:match "^(.+)/" or "/") end
  return list
end

local function not_found(image, what, name, list)
  return ("%s: %s %s not found in %s"):format(image.path, what, name,
    wording.first(directories(list)))
end

-- Finds the image's debugging file that has the `wanted` information, and attaches it.
-- Returns its path, or nil; and an array of messages about unusable files, or about the
-- missing file that .gnu_debuglink names. Those of a distribution's libraries are missing
-- nearly everywhere, and are no news.
local function attach(image, wanted)
  local list, link = debug_file.places(image)
  local found, problems = first_of(image, list, function(path)
    return core.attach_debug(image, path, wanted)
  end)
  if found or not link or problems[1] or core.state(image).is_library then
    return found, problems
  end
  if is_plain_name(link) then
    return nil, { not_found(image, "debugging file", link, list) }
  end
  return nil, { ("%s: invalid name '%s' in .gnu_debuglink"):format(image.path, link) }
end

-- Unpacks the symbols in the image's own .gnu_debugdata; returns whether there are any.
local function unpack(image, problems)
  if not core.is_packed(image) then return false end
  local unpacker, problem = native.load "gprof.xz"
  local done = false
  if unpacker then
    done, problem = core.unpack_symbols(image, unpacker)
  end
  if not done then problems[#problems + 1] = image.path .. ": " .. problem end
  return done
end

--- Finds the symbols of an image that has none itself, and calls a function once they are
-- attached to the image.
-- @tparam image image
-- @tparam string message the error message if there are none
-- @tparam function make the function to call
-- @return[1] what `make` returned
-- @return[2] nil
-- @treturn[2] string the message; if a file was unusable, why
function debug_file.symbols(image, message, make)
  local found, problems = attach(image, "symbols")
  if found or unpack(image, problems) then
    warn(image, problems)
    return make()
  end
  if problems[1] then message = message .. "; " .. problems[1] end
  return nil, message
end

-- Shared debugging information ----------------------------------------------------------

-- Returns the paths where shared debugging information may be. `name` is absolute, or
-- relative to the directory of `referrer`, the file that refers to it.
local function shared_places(image, name, referrer)
  local list, add = new_list()
  local own, real = directories_of(referrer)
  if name:sub(1, 1) == "/" then
    add(name)
  else
    if real then add(real, name) end
    add(own, name)
  end
  local base = base_name(name)
  for _, directory in ipairs(search_directories(image)) do
    add(directory, "/.dwz/", base)
    add(directory, "/", base)
  end
  return list
end

-- Finds the shared file and hands it to libbfd, which must not search by itself: it could
-- find a file of another build.
local function share(image)
  local name, referrer = core.shared_link(image)
  if not name then return end
  local list = shared_places(image, name, referrer)
  local found, problems = first_of(image, list, function(path)
    return core.share_debug(image, core.real_path(path) or path)
  end)
  if found then return end
  if not problems[1] then
    problems[1] = not_found(image, "shared debugging file", name, list)
  end
  warn(image, problems)
  core.forget_links(image)
end

-- Lines ---------------------------------------------------------------------------------

--- Finds the separate files with the debugging information of an image, if any, and
-- attaches them. The core calls this function once for each image.
-- @tparam image image
function debug_file.lines(image)
  if core.likely_separate(image) and not image.debug_file then
    local found, problems = attach(image, "lines")
    warn(image, problems)
    if not found then core.forget_links(image) end
  end
  share(image)
end

-- Inlined functions ---------------------------------------------------------------------

--- Warns that some inlined functions are unknown, or that a package of split files was
-- rejected. The core calls this function once for each image.
-- @tparam image image
-- @tparam integer damaged units whose debugging information is damaged
-- @tparam integer missing units whose split file (-gsplit-dwarf) is missing, or from
--   another build
-- @tparam ?string name of the first of these files
-- @tparam ?string rejected path of a package that is damaged, or from another build
function debug_file.gaps(image, damaged, missing, name, rejected)
  local reasons = {}
  if damaged + missing == 0 then
    warn(image, { ("%s: is damaged, or from a different build than %s, and is not used")
      :format(rejected, image.path) })
    return
  end
  if missing > 1 then
    reasons[1] = ("%d split files are missing, or from another build: %s ..."):format(
      missing, name)
  elseif missing == 1 then
    reasons[1] = ("%s is missing, or from another build"):format(name)
  end
  if rejected then
    reasons[#reasons + 1] = rejected .. " is damaged, or from another build"
  end
  if damaged > 0 then
    reasons[#reasons + 1] = ("the debugging information of %s is damaged"):format(
      wording.plural(damaged, "unit"))
  end
  warn(image, { ("%s: some inlined functions are unknown: %s"):format(image.path,
    table.concat(reasons, "; ")) })
end

return debug_file
