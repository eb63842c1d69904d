--- Reads the profiles of a command line into one sum, and reports bad ones.
--
-- Only the sum stays in memory. Readers report events by calling `notify(event, number,
-- detail)`, where `number` is the position of a file in the list. The events:
--
-- - `"done"`: all files up to this one were processed; `detail` is the number of bytes
--   read;
-- - `"other"`: the file was found in a directory, and is not a profile;
-- - `"part"`: the member of an archive belongs to a profile that was added before;
-- - `"bad"`: the file was skipped; `detail` is the reason;
-- - `"whole"`: the file is a sum without a spread, so it is not in the spread; `detail`
--   is a message;
-- - `"seen"`: the file will be read; `detail` identifies the profile. If `notify` returns
--   true, the file is left out as a duplicate.
--
-- @internal gprof.cli.sum.inputs
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.files.profile_files"
local profiles = require "gprof.cli.sum.profile_list"
local progress = require "gprof.cli.sum.progress"
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
local function add_records(into, path, mode)
  local data, spread = into.data, into.spread
  if spread then
    local spread_files = require "gprof.library.files.spread_files"
    local done, message = spread_files.add(data, spread, path,
      mode.file_format, into.new_spread)
    return done, not done and message or nil, done and message
  end
  local method = mode.keep_going and data.add_file or data.read
  return method(data, path, mode.file_format)
end

local function add_file(into, path, mode)
  local data = into.data
  if mode.add_with_slide then return mode.add_with_slide(data, path, mode.file_format) end
  local context_files = mode.adds_call_paths and profile_files.existing_contexts(path) and
    require "gprof.library.files.context_files"
  if context_files then
    path = context_files.path_for(mode.image, path, mode.file_format)
  end
  local done, message, whole = add_records(into, path, mode)
  if done and context_files then
    done, message = context_files.add_call_paths(data, path)
  end
  if done and into.contexts then into.contexts:add(path) end
  return done, message, whole
end

-- Adds the profile in row `i` of a list.
local function add(into, list, i, mode)
  if list.archive then
    return require "gprof.cli.sum.members".add(into, list, list[i], mode)
  end
  return add_file(into, list.stands_for or list[i], mode)
end

-- Whether row `i` of a list is a file in a directory, or a member of an archive, that is
-- no profile.
local function is_other(list, i)
  if not list.directory[i] or list.errors[i] then return false end
  if list.archive then return not profile_files.is_head(list.head:sub(1, 8)) end
  return not may_be_profile(list[i])
end

-- Returns what identifies the profile in row `i`, to find duplicates; nil if it was added
-- as part of another one.
local function identify(list, i, mode)
  if list.errors[i] then return nil end
  if not list.archive then
    return mode.duplicates.of_file(list.stands_for or list[i],
      profiles.is_named(list, i))
  end
  local is_part = require "gprof.cli.sum.members".is_part(list)
  return mode.duplicates.of_member(list, is_part)
end

-- Reads a row of a list. Returns false, a message if it is bad.
local function read_row(into, list, i, mode, notify)
  if is_other(list, i) then
    notify("other", i)
    return true
  end
  if mode.is_part and list.archive and mode.is_part(list, i) then return true end
  local identity = mode.duplicates and identify(list, i, mode)
  if identity and notify("seen", i, identity, list.stands_for ~= nil) then return true end
  local is_part = list.archive and require "gprof.cli.sum.members".is_part(list)
  local message, whole, _ = list.errors[i], nil, nil
  if mode.choose and not message then into, message = mode.choose(list, i) end
  if not message then _, message, whole = add(into, list, i, mode) end
  if whole then notify("whole", i, whole) end
  if is_part and not message then notify("part", i) end
  if not message and mode.forget_files then into.data.files[1] = nil end
  return not message, message
end

-- Reads the files `first` to `last` of a list into a sum. Returns true; or nil, a message
-- and the number of the bad file. `into` has the fields
--
-- - `data`: the sum;
-- - `spread`: the spread to which files are added; nil if there is none;
-- - `contexts`: the sum of context profiles, if they are added up while files are read;
-- - `new_spread`: a function that returns an empty spread; nil if there is no spread.
--
-- Fields of `mode`:
--
-- - `file_format`;
-- - `add_with_slide`: for --slide=auto, the function that adds a file and infers its
--   slide;
-- - `keep_going`: skip bad files;
-- - `adds_call_paths`: also read the call paths beside the files, and what these have of
--   `image`, if it is a library;
-- - `forget_files`: do not list the files in `data.files`;
-- - `jobs`: the number of processes; `needs_jobs`: failing to start them is an error;
-- - `choose`: returns what the profile in a row of a list is added to, in place of
--   `into`; or nil and a message. `is_part` returns whether a member of an archive is
--   left to its context profile;
-- - `duplicates`: the module that identifies profiles, if duplicates are looked for;
-- - `explain`: takes a path and the message about it, and may add a hint;
-- - `after_row`: called after each row; nil if there is nothing to do.
local function read_range(into, list, first, last, mode, notify)
  for i = first, last do
    if list.fetch and not list.fetch(i) then break end
    local done, message = read_row(into, list, i, mode, notify)
    if not done then
      -- for lack of memory, no file is at fault
      local is_fatal = not mode.keep_going or message:find "not enough memory$"
      if is_fatal then return nil, message, i end
      notify("bad", i, message)
    end
    notify("done", i, into.data.bytes)
    if mode.after_row then mode.after_row(i) end
  end
  return true
end

local function read_all(into, list, mode, notify, line)
  if mode.jobs > 1 and #list > 1 and
    require "gprof.cli.sum.jobs".read(read_range, into, list, mode, notify, line) then
    return
  end
  local last = list.fetch and math.maxinteger or list.count
  local done, message, number =
    read_range(into, list, list.fetch and list.count + 1 or 1, last, mode, notify)
  if not done then raise("%s", mode.explain(list[number], message)) end
end

-- How files are read -------------------------------------------------------------------

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

-- Returns the number of processes. Standard input, traces, call paths, duplicates that
-- are left out, and output about each file need a single process.
local function process_count(settings, list, image, options)
  local one = profiles.are_listed(settings, options.slide) or settings.debug or
    list.standard_input or settings.skip_duplicates or
    core.script_list(image) or
    not settings.keep_going and not core.file_status(list[1]) or  -- ends the run at once
    not options.assume_proportional and profile_files.have_contexts(list)
  return one and 1 or settings.jobs or default_jobs(list)
end

-- Whether profiles are found while they are read, because they are in an archive, or
-- because a list may still be written. Processes share lists that are complete.
local function is_streamed(settings, image, options)
  local lists = settings.profiles_from
  if settings.checkpoint then return true end
  if settings.profiles or not lists[1] then return false end
  local name_list = require "gprof.cli.sum.name_list"
  if name_list.archives(lists)[1] then return true end
  return settings.styles.sum and not settings.debug and
    not profiles.are_listed(settings, options.slide) and not core.script_list(image) and
    (settings.jobs == 1 or not settings.jobs and name_list.have_pipe(lists))
end

local function reading_mode(settings, list, image, options)
  local finds_duplicates = settings.styles.sum and
    (list.fetch or policy.of(settings).gives_hints)
  return {
    file_format = options.file_format,
    add_with_slide = options.slide == "auto" and
      require "gprof.library.slide".adder(image, options) or nil,
    keep_going = settings.keep_going,
    adds_call_paths = not options.assume_proportional,
    image = image,
    forget_files = settings.styles.sum and not profiles.are_reported(settings) and
      options.slide ~= "auto",
    jobs = list.fetch and 1 or process_count(settings, list, image, options),
    needs_jobs = settings.jobs ~= nil,
    duplicates = finds_duplicates and require "gprof.cli.sum.duplicates" or nil,
    explain = function(path, message)
      return require "gprof.cli.advice.hints".profile(settings, image, path, message)
    end,
  }
end

--- Returns what files are added to: `into` above.
-- @tparam image image
-- @tparam table settings from `command_line.read`
-- @tparam table options of `gprof.data`
-- @tparam boolean adds_contexts whether context profiles are added up, too
-- @treturn table
-- @raise a table with the field `message`
function inputs.new_target(image, settings, options, adds_contexts)
  local data = gprof.data.new { image = image, mixed_rates = options.mixed_rates,
    debug = options.debug }
  local function new_spread()
    return need(require "gprof.library.files.spread_files".new(image))
  end
  return { data = data, spread = settings.spread and new_spread(),
    new_spread = new_spread, contexts = adds_contexts and
      require "gprof.library.files.context_files".new_sum(data) or nil }
end

-- Reporting -----------------------------------------------------------------------------

-- Returns a `notify` that counts good and bad files, and prints the messages about bad
-- ones at once.
local function observer(list, outcome, line)
  local on = {}
  local function leave_out(number)
    outcome.lost = outcome.lost + 1
    if not list.fetch then outcome.left_out[number] = true end
  end
  function on.done(number, bytes) line:update(number, bytes) end
  function on.other(number)
    local directory = list.directory[number]
    directory.others = directory.others + 1
    directory.other = directory.other or list[number]
    leave_out(number)
  end
  on.part = leave_out
  function on.seen(number, identity, is_companion)
    local skipped =
      outcome.duplicates:check(list[number], number, identity, is_companion)
    if skipped then leave_out(number) end
    return skipped
  end
  function on.bad(number, message)
    line:clear()
    terminal.tell("gprof.lua: " .. message)
    outcome.bad = outcome.bad + 1
    if number then leave_out(number) end
    if outcome.duplicates then outcome.duplicates:forget(number) end
  end
  function on.whole(_, message)
    outcome.whole, outcome.first_whole = outcome.whole + 1, outcome.first_whole or message
  end
  return function(event, ...) return on[event](...) end
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
    (list.fetch or #list > 1) and core.is_terminal(io.stderr)
end

local function new_outcome(mode, settings)
  return { bad = 0, lost = 0, left_out = {}, whole = 0,
    duplicates = mode.duplicates and mode.duplicates.new(settings.skip_duplicates) }
end

local function report(list, mode, notify, outcome, settings, warn)
  report_others(list, mode, notify, warn)
  if outcome.whole > 0 then  -- sums that cannot be split into runs
    local more = outcome.whole > 1 and
      (" (and %d more like it)"):format(outcome.whole - 1) or ""
    warn(("--spread: %s%s: it is not in the spread"):format(outcome.first_whole, more))
  end
  if outcome.duplicates and policy.of(settings).gives_hints then
    outcome.duplicates:report(warn)
  end
  local good = list.count - outcome.lost
  if good <= 0 then raise("none of the profiles can be read") end
  return good
end

--- Reads the profiles of a command line into several sums.
-- @tparam table settings from `command_line.read`
-- @tparam function choose see `mode` above
-- @tparam function is_part see `mode` above
-- @tparam function warn takes a message
-- @treturn integer the number of bad files, which were skipped
-- @raise a table with the field `message`
function inputs.read_groups(settings, choose, is_part, warn)
  local list = profiles.stream(settings)
  local mode = { file_format = defaults.input_format(settings),
    keep_going = settings.keep_going,
    forget_files = true, jobs = 1, duplicates = require "gprof.cli.sum.duplicates",
    choose = choose, is_part = is_part,
    explain = function(_, message) return message end }
  local outcome = new_outcome(mode, settings)
  local line <close> = progress.new(0, shows_progress(settings, list))
  local notify = observer(list, outcome, line)
  read_all({ data = { bytes = 0 } }, list, mode, notify, line)
  line:clear()
  report(list, mode, notify, outcome, settings, warn)
  return outcome.bad
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
-- @treturn {string,...} the paths of the good files; empty if they were found while they
--   were read
-- @treturn context_sum|nil the sum of the context profiles, if they were added up
-- @treturn checkpoint|nil the checkpoint, which is removed once the sum is in its place
-- @raise a table with the field `message`
function inputs.read(image, settings, options, warn)
  local list = settings.profiles or
    is_streamed(settings, image, options) and profiles.stream(settings) or
    profiles.find(settings)
  local mode = reading_mode(settings, list, image, options)
  local into = inputs.new_target(image, settings, options,
    list.fetch and settings.styles.sum)
  local outcome = new_outcome(mode, settings)
  local line <close> = progress.new(list.fetch and 0 or list.count,
    shows_progress(settings, list))
  local notify = observer(list, outcome, line)
  local checkpoint = settings.checkpoint and
    require "gprof.cli.sum.checkpoint".new(settings, image)
  if checkpoint then
    checkpoint:resume(list, into, outcome)
    function mode.after_row(i) checkpoint:after(list, i, into, outcome) end
  end
  read_all(into, list, mode, notify, line)
  line:clear()
  if checkpoint then checkpoint:write(list, into, outcome) end
  local good = report(list, mode, notify, outcome, settings, warn)
  local names, data = profiles.names(list), into.data
  if math.type(options.slide) == "integer" then
    local done, message = require "gprof.library.slide".apply(data, options.slide, names)
    if not done then raise("%s", message) end
  end
  if into.spread then core.keep_spread(data, into.spread) end
  return data, names, outcome.bad, good, good_paths(list, outcome), into.contexts,
    checkpoint
end

return inputs
