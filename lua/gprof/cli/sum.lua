--- Several profiles: adds up those that a command line means, and tells of those that are
-- left out.
--
-- @internal gprof.cli.sum
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local gprof = require "gprof"
local profiles = require "gprof.cli.profiles"
local progress = require "gprof.cli.progress"
local reading = require "gprof.cli.reading"

local sum = {}

local raise <const> = require "gprof.library.failure".raise

-- What `reading.some` tells of files: bad ones on standard error, at once.
local function teller(list, outcome, line)
  local tell = {}
  function tell.done(number, bytes) line:update(number, bytes) end
  function tell.other(number)
    local directory = list.directory[number]
    directory.others = directory.others + 1
    directory.other = directory.other or list[number]
    outcome.good = outcome.good - 1
  end
  function tell.bad(number, message)
    line:clear()
    require "gprof.format.terminal".tell("gprof.lua: " .. message)
    outcome.bad = outcome.bad + 1
    if number then outcome.good = outcome.good - 1 end
  end
  return function(what, ...) tell[what](...) end
end

-- Tells of the files in directories that are no profiles. There has to be one that is.
local function tell_of_others(list, how, tell, warn)
  for _, directory in ipairs(list.directories) do
    if directory.others > 0 and directory.others == directory.files then
      local message = directory.path .. ": holds no profiles"
      if not how.keep_going then raise("%s", message) end
      tell("bad", nil, message)
    elseif directory.others > 0 then
      warn(("%s: left out what is no profile: %d of %d files, such as %s"):format(
        directory.path, directory.others, directory.files, directory.other))
    end
  end
end

local function read(data, list, how, tell, line)
  if how.jobs > 1 and #list > 1 then
    require "gprof.cli.jobs".read(data, list, how, tell, line)
  else
    local done, message = reading.some(data, list, 1, #list, how, tell)
    if not done then raise("%s", message) end
  end
end

-- Whether somebody is told of each file.
local function are_listed(settings, options)
  return settings.styles.info or settings.reports[1] or settings.exports[1] or
    options.slide == "auto"
end

-- What is only known file by file, in the order in which files are read,
-- takes one process.
local function count_processes(settings, list, options)
  local one = are_listed(settings, options) or settings.debug or list.standard_input
  return one and 1 or settings.jobs
end

-- How the profiles of a list are read, as for `jobs.read`.
local function reading_options(settings, list, image, options)
  return {
    file_format = options.file_format,
    slide = options.slide == "auto" and
      require "gprof.library.slide".adder(image, options) or nil,
    keep_going = settings.keep_going,
    forget_files = settings.styles.sum and not are_listed(settings, options),
    jobs = count_processes(settings, list, options),
  }
end

-- The slide of all files, if somebody says what it is.
local function take_slide_off(data, options, names)
  if math.type(options.slide) ~= "integer" then return end
  local done, message = require "gprof.library.slide".apply(data, options.slide, names)
  if not done then raise("%s", message) end
end

local function shows_progress(settings, list)
  return not (settings.gnu_compat or settings.no_progress) and #list > 1 and
    core.is_terminal(io.stderr)
end

--- Reads the profiles that a command line means.
-- @tparam image image
-- @tparam table settings as `command_line.read` returns them
-- @tparam table options of `gprof.data`
-- @tparam function warn takes a message
-- @treturn data their sum
-- @treturn string what they are called in messages
-- @treturn integer how many bad files were left out
-- @treturn integer how many were not
-- @raise a table with the field `message`
function sum.read(image, settings, options, warn)
  local list = settings.profiles or profiles.find(settings)
  local how = reading_options(settings, list, image, options)
  local data = gprof.data(image, options)
  local outcome = { bad = 0, good = #list }
  local line <close> = progress.new(#list, shows_progress(settings, list))
  local tell = teller(list, outcome, line)
  read(data, list, how, tell, line)
  line:clear()
  tell_of_others(list, how, tell, warn)
  if outcome.good <= 0 then raise("none of the profiles can be read") end
  local names = profiles.names(list)
  take_slide_off(data, options, names)
  return data, names, outcome.bad, outcome.good
end

return sum
