--- Reads the profiles of a command line into one sum, and reports bad ones.
--
-- Only the sum stays in memory. Readers report events by calling `notify(event, number,
-- detail)`, where `number` is the position of a file in the list. The events:
--
-- - `"done"`: all files up to this one were processed; `detail` is the number of bytes
--   read;
-- - `"other"`: the file was found in a directory, and is not a profile;
-- - `"bad"`: the file was skipped; `detail` is the reason;
-- - `"whole"`: the file is a sum without a spread, so it is not in the spread; `detail`
--   is a message.
--
-- @internal gprof.cli.inputs
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.profile_files"
local profiles = require "gprof.cli.profiles"
local progress = require "gprof.cli.progress"
local terminal = require "gprof.format.terminal"

local raise <const>, need <const> = failure.raise, failure.need

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

-- Adds a file to a sum, and to the spread if there is one. With --keep-going, a bad file
-- must leave the sum unchanged. The third result is why the file is not in the spread.
local function add_records(data, path, mode)
  local spread = mode.spread
  if spread then
    local done, message = require "gprof.library.spread_files".add(data, spread.sum, path,
      mode.file_format, spread.new)
    return done, not done and message or nil, done and message
  end
  local method = mode.keep_going and data.add_file or data.read
  return method(data, path, mode.file_format)
end

local function add(data, path, mode)
  if mode.add_with_slide then return mode.add_with_slide(data, path, mode.file_format) end
  local done, message, whole = add_records(data, path, mode)
  if done and mode.adds_call_paths and profile_files.existing_contexts(path) then
    done, message = require "gprof.library.context_files".add_call_paths(data, path)
  end
  return done, message, whole
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
-- - `jobs`: the number of processes; `needs_jobs`: failing to start them is an error;
-- - `spread`: `sum`, the spread to which files are added, and `new`, a function that
--   returns an empty one; nil if there is no spread;
-- - `explain`: takes a path and the message about it, and may add a hint.
local function read_range(data, list, first, last, mode, notify)
  for i = first, last do
    local done, message, whole = true, list.errors[i], nil
    if list.directory[i] and not may_be_profile(list[i]) then
      notify("other", i)
    elseif not message then
      done, message, whole = add(data, list[i], mode)
    end
    if whole then notify("whole", i, whole) end
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
  if mode.jobs > 1 and #list > 1 and
    require "gprof.cli.jobs".read(read_range, data, list, mode, notify, line) then
    return
  end
  local done, message, number = read_range(data, list, 1, #list, mode, notify)
  if not done then raise("%s", mode.explain(list[number], message)) end
end

-- How files are read -------------------------------------------------------------------

-- Whether the output may list the profile files, as exports and reports requested by name
-- can.
local function lists_files(settings, options)
  return settings.styles.info or settings.reports[1] or settings.exports[1] or
    options.slide == "auto"
end

-- Without --jobs, several processes read files of at least LARGE bytes, as estimated from
-- the size of one of them. Opening a file takes as long as reading FILE_COST bytes.
-- Starting processes and adding up their sums takes ten milliseconds or more, which
-- smaller sums would not save.
local FILE_COST <const>, LARGE <const> = 60000, 1 << 28
local MOST_JOBS <const> = 8

local function default_jobs(list)
  local _, _, _, size = core.file_status(list[#list // 2 + 1])
  if #list * ((size or 0) + FILE_COST) < LARGE then return 1 end
  return math.min(core.processors(), MOST_JOBS)
end

-- Returns the number of processes. Standard input, traces, call paths, and output about
-- each file need a single process.
local function process_count(settings, list, image, options)
  local one = lists_files(settings, options) or settings.debug or list.standard_input or
    core.script_list(image) or
    not options.assume_proportional and profile_files.have_contexts(list)
  return one and 1 or settings.jobs or default_jobs(list)
end

local function new_spread(image)
  return need(require "gprof.library.spread_files".new(image))
end

local function reading_mode(settings, list, image, options)
  return {
    spread = settings.spread and
      { sum = new_spread(image), new = function() return new_spread(image) end } or nil,
    file_format = options.file_format,
    add_with_slide = options.slide == "auto" and
      require "gprof.library.slide".adder(image, options) or nil,
    keep_going = settings.keep_going,
    adds_call_paths = not options.assume_proportional,
    forget_files = settings.styles.sum and not lists_files(settings, options),
    jobs = process_count(settings, list, image, options),
    needs_jobs = settings.jobs ~= nil,
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
  function on.whole(_, message)
    outcome.whole, outcome.first_whole = outcome.whole + 1, outcome.first_whole or message
  end
  return function(event, ...) on[event](...) end
end

-- Warns once about sums that cannot be split into runs.
local function report_whole(outcome, warn)
  if outcome.whole == 0 then return end
  local more = outcome.whole > 1 and
    (" (and %d more like it)"):format(outcome.whole - 1) or ""
  warn(("--spread: %s%s: it is not in the spread"):format(outcome.first_whole, more))
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
  local outcome = { bad = 0, good = #list, left_out = {}, whole = 0 }
  local line <close> = progress.new(#list, shows_progress(settings, list))
  local notify = observer(list, outcome, line)
  read_all(data, list, mode, notify, line)
  line:clear()
  report_others(list, mode, notify, warn)
  report_whole(outcome, warn)
  if outcome.good <= 0 then raise("none of the profiles can be read") end
  local names = profiles.names(list)
  subtract_slide(data, options, names)
  if mode.spread then core.keep_spread(data, mode.spread.sum) end
  return data, names, outcome.bad, outcome.good, good_paths(list, outcome)
end

return inputs
