--- Reads the profiles of a command line into one sum, and reports bad ones.
--
-- Only the sum stays in memory. Readers report events by calling `notify(event, number,
-- detail)`, where `number` is the position of a file in the list. The events:
--
-- - `"done"`: all files up to this one were processed; `detail` is the number of bytes
--   read;
-- - `"other"`: the file was found in a directory, and is not a profile;
-- - `"bad"`: the file was skipped; `detail` is the reason.
--
-- @internal gprof.cli.inputs
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local gprof = require "gprof"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.profile_files"
local profiles = require "gprof.cli.profiles"
local progress = require "gprof.cli.progress"
local raise <const> = require "gprof.library.failure".raise
local terminal = require "gprof.format.terminal"

local inputs = {}

-- Reading files ------------------------------------------------------------------------

-- Whether a file begins like a profile. True for an unreadable file, so that reading it
-- reports the error.
local function may_be_profile(path)
  local file <close> = io.open(path, "rb")
  if not file then return true end
  local head, problem = file:read(8)
  return profile_files.is_head(head) or problem ~= nil
end

-- Adds a file to a sum. With --keep-going, a bad file must leave the sum unchanged.
local function add(data, path, mode)
  if mode.add_with_slide then return mode.add_with_slide(data, path, mode.file_format) end
  local method = mode.keep_going and data.add_file or data.read
  local done, message = method(data, path, mode.file_format)
  if done and mode.adds_call_paths and profile_files.existing_contexts(path) then
    return require "gprof.library.context_files".add_call_paths(data, path)
  end
  return done, message
end

-- Whether an error ends the run. Lack of memory always does, because no file is at fault.
local function is_fatal(message, mode)
  return not mode.keep_going or message:find "not enough memory$"
end

-- Reads the files `first` to `last` of a list into a sum. Returns the sum; or nil, a
-- message and the number of the bad file. Fields of `mode`:
--
-- - `file_format`;
-- - `add_with_slide`: for --slide=auto, the function that adds a file and infers its
--   slide;
-- - `keep_going`: skip bad files;
-- - `adds_call_paths`: also read the call paths beside the files;
-- - `forget_files`: do not list the files in `data.files`;
-- - `explain`: takes a path and the message about it, and may add a hint.
local function read_range(data, list, first, last, mode, notify)
  for i = first, last do
    local done, message = true, list.errors[i]
    if list.directory[i] and not may_be_profile(list[i]) then
      notify("other", i)
    elseif not message then
      done, message = add(data, list[i], mode)
    end
    if message then
      if is_fatal(message, mode) then return nil, message, i end
      notify("bad", i, message)
    end
    if done and mode.forget_files then data.files[1] = nil end
    notify("done", i, data.bytes)
  end
  return data
end

local function read_all(data, list, mode, notify, line)
  if mode.jobs > 1 and #list > 1 then
    require "gprof.cli.jobs".read(read_range, data, list, mode, notify, line)
  else
    local done, message, number = read_range(data, list, 1, #list, mode, notify)
    if not done then raise("%s", mode.explain(list[number], message)) end
  end
end

-- How files are read -------------------------------------------------------------------

-- Whether the output may list the profile files, as exports and reports requested by name
-- can.
local function lists_files(settings, options)
  return settings.styles.info or settings.reports[1] or settings.exports[1] or
    options.slide == "auto"
end

-- Returns the number of processes. Standard input, traces, call paths, and output about
-- each file need a single process.
local function process_count(settings, list, image, options)
  local one = lists_files(settings, options) or settings.debug or list.standard_input or
    core.script_list(image) or
    not options.assume_proportional and profile_files.have_contexts(list)
  return one and 1 or settings.jobs
end

local function reading_mode(settings, list, image, options)
  return {
    file_format = options.file_format,
    add_with_slide = options.slide == "auto" and
      require "gprof.library.slide".adder(image, options) or nil,
    keep_going = settings.keep_going,
    adds_call_paths = not options.assume_proportional,
    forget_files = settings.styles.sum and not lists_files(settings, options),
    jobs = process_count(settings, list, image, options),
    explain = function(path, message)
      return require "gprof.cli.hints".profile(settings, image, path, message)
    end,
  }
end

-- Reporting -----------------------------------------------------------------------------

-- Returns a `notify` that counts good and bad files, and prints the messages about bad
-- ones at once.
local function observer(list, outcome, line)
  local on = {}
  function on.done(number, bytes) line:update(number, bytes) end
  function on.other(number)
    local directory = list.directory[number]
    directory.others = directory.others + 1
    directory.other = directory.other or list[number]
    outcome.good = outcome.good - 1
    outcome.left_out[number] = true
  end
  function on.bad(number, message)
    line:clear()
    terminal.tell("gprof.lua: " .. message)
    outcome.bad = outcome.bad + 1
    if not number then return end
    outcome.good = outcome.good - 1
    outcome.left_out[number] = true
  end
  return function(event, ...) on[event](...) end
end

-- Warns about directories that contain files other than profiles. A directory without any
-- profile is an error.
local function report_others(list, mode, notify, warn)
  for _, directory in ipairs(list.directories) do
    if directory.others > 0 and directory.others == directory.files then
      local message = directory.path .. ": contains no profiles"
      if not mode.keep_going then raise("%s", message) end
      notify("bad", nil, message)
    elseif directory.others > 0 then
      warn(("%s: skipped files that are not profiles: %d of %d, such as %s"):format(
        directory.path, directory.others, directory.files, directory.other))
    end
  end
end

-- Returns the paths of the files that were read.
local function good_paths(list, outcome)
  local paths = {}
  for i, path in ipairs(list) do
    if not outcome.left_out[i] then paths[#paths + 1] = path end
  end
  return paths
end

local function shows_progress(settings, list)
  return not settings.no_progress and policy.of(settings).adapts_to_terminal and
    #list > 1 and core.is_terminal(io.stderr)
end

-- Subtracts the slide from the sum, if the options give a number.
local function subtract_slide(data, options, names)
  if math.type(options.slide) ~= "integer" then return end
  local done, message = require "gprof.library.slide".apply(data, options.slide, names)
  if not done then raise("%s", message) end
end

--- Reads the profiles of a command line.
-- @tparam image image
-- @tparam table settings from `command_line.read`
-- @tparam table options of `gprof.data`
-- @tparam function warn takes a message
-- @treturn data their sum
-- @treturn string their name in messages
-- @treturn integer the number of bad files, which were skipped
-- @treturn integer the number of good files
-- @treturn {string,...} the paths of the good files
-- @raise a table with the field `message`
function inputs.read(image, settings, options, warn)
  local list = settings.profiles or profiles.find(settings)
  local mode = reading_mode(settings, list, image, options)
  local data = gprof.data(image, options)
  local outcome = { bad = 0, good = #list, left_out = {} }
  local line <close> = progress.new(#list, shows_progress(settings, list))
  local notify = observer(list, outcome, line)
  read_all(data, list, mode, notify, line)
  line:clear()
  report_others(list, mode, notify, warn)
  if outcome.good <= 0 then raise("none of the profiles can be read") end
  local names = profiles.names(list)
  subtract_slide(data, options, names)
  return data, names, outcome.bad, outcome.good, good_paths(list, outcome)
end

return inputs
