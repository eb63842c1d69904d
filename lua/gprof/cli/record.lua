--- Runs a program under the recorder, and prints the reports that further options ask
-- for.
--
-- @internal gprof.cli.record
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local options = require "gprof.cli.options.option_table"
local record_program <const> = require "gprof.record"
local terminal = require "gprof.format.terminal"
local wording = require "gprof.format.wording"

local record = {}

local shell_path <const> = wording.shell_path

local SIGKILL <const> = 9
local SIGNALS <const> = { "SIGHUP", "SIGINT", "SIGQUIT", [5] = "SIGTRAP",
  [6] = "SIGABRT", [SIGKILL] = "SIGKILL", [11] = "SIGSEGV", [13] = "SIGPIPE",
  [15] = "SIGTERM" }
local FOLLOW <const> = "; with --follow, the programs that it starts are recorded"
local REPLACED <const> = "%s executed another program in its place, which is not " ..
  "recorded" .. FOLLOW
local MOST_TIME <const> = 0.5  -- of children, if the program is no wrapper
local OTHERS <const> = "%d %% of the processor time was spent in programs that it " ..
  "started; --follow records them"
local MOST_LINES <const> = 10  -- for the profiles of one program
local MOST_NAMES <const> = 100 -- in a command

local function tell(message) terminal.tell("gprof.lua: " .. message) end

-- Ends this process by the signal that ended the program, or returns the program's exit
-- status.
local function finish(run)
  if run.signal then core.end_by_signal(run.signal) end
  return run.status
end

-- Returns how to read a profile of a program; `word` stands for it, such as "it".
local function advice(written, word)
  if written.image == written.profile then
    return ("to read %s: gprof.lua %s"):format(word, shell_path(written.profile))
  end
  return ("to read %s: gprof.lua %s %s"):format(word, shell_path(written.image),
    shell_path(written.profile))
end

-- Returns the profiles of each image, in the order in which they were written.
local function by_image(profiles)
  local groups = {}
  for _, written in ipairs(profiles) do
    local group = groups[written.image]
    if not group then
      group = {}
      groups[written.image], groups[#groups + 1] = group, group
    end
    group[#group + 1] = written
  end
  return groups
end

-- Returns a word for the shell that stands for all profiles of a list; nil if their
-- common beginning also stands for other files.
local function glob(profiles)
  local prefix, expected = profiles[1].profile, {}
  for _, written in ipairs(profiles) do
    local path = written.profile
    while path:sub(1, #prefix) ~= prefix do prefix = prefix:sub(1, -2) end
    expected[path], expected[path .. ".ctx"] = true, true
  end
  prefix = prefix:gsub("%d+$", "")
  local directory = prefix:match "^.*/" or ""
  for name in pairs(core.list_directory(directory ~= "" and directory or ".") or {}) do
    local path = directory .. name
    if path:sub(1, #prefix) == prefix and not expected[path] then return nil end
  end
  return (prefix ~= "" and shell_path(prefix) or "./") .. "*"
end

-- Returns how to read all profiles of one image; nil if that would be too long.
local function command_for(group)
  local names = #group > MOST_LINES and glob(group)
  if not names then
    if #group > MOST_NAMES then return nil end
    local words = {}
    for i, written in ipairs(group) do words[i] = shell_path(written.profile) end
    names = table.concat(words, " ")
  end
  return ("gprof.lua %s %s"):format(shell_path(group[1].image), names)
end

-- Says how to read the sum of the profiles of one image.
local function tell_sum(group)
  local is_sum = group[2] and group[1].image ~= group[1].profile
  local words = is_sum and command_for(group)
  if words then tell("to read their sum: " .. words) end
end

-- Says which profiles were written: each, or the first few of many.
local function tell_profiles(profiles)
  for _, group in ipairs(by_image(profiles)) do
    local names = {}
    for i, written in ipairs(group) do
      names[i] = written.profile
      if #group <= MOST_LINES then
        tell(("%s was written; %s"):format(written.profile, advice(written, "it")))
      end
    end
    if #group > MOST_LINES then
      tell(("%d profiles were written: %s; %s"):format(#group, wording.first(names),
        advice(group[1], "the first")))
    end
    tell_sum(group)
  end
end

-- Returns what the reports leave out of the profiles of one image; nil if nothing.
local function left_out(group, is_own)
  local left = 0
  for _, written in ipairs(group) do
    if not is_own[written.profile] then left = left + 1 end
  end
  if left == 0 then return nil end
  local all, words = left == #group, command_for(group)
  local what = all and (left == 1 and "it" or "their sum") or "the sum of all"
  return ("%s: the reports leave out %s%s%s"):format(group[1].image,
    wording.plural(left, "profile"), all and "" or " of other processes",
    words and ("; to read %s: %s"):format(what, words) or "")
end

-- Says which profiles the reports leave out, and how to read all of the same image.
local function tell_left_out(profiles, own)
  local is_own = {}
  for _, path in ipairs(own) do is_own[path] = true end
  for _, group in ipairs(by_image(profiles)) do
    local message = left_out(group, is_own)
    if message then tell(message) end
  end
end

-- Returns that most of the time was spent in programs that this one started; nil if it
-- was not.
local function time_of_others(run)
  local others = run.others or 0
  return others > MOST_TIME and OTHERS:format(math.floor(100 * others)) or nil
end

-- Says that the profile may be that of a wrapper.
local function tell_wrapper(run, settings)
  if settings.follow then return end
  local others = time_of_others(run)
  if run.executes then
    tell(REPLACED:format(run.image))
  elseif others then
    tell(run.image .. ": " .. others)
  end
end

-- Returns the paths of the program's profiles, which reports add up: there are several if
-- new ones were begun. The process may have executed another program in its place.
local function own_profiles(run)
  local paths, first = {}, run.profiles and run.profiles[1]
  for _, written in ipairs(run.profiles or { run }) do
    local is_own = not first or
      written.process == first.process and written.image == first.image
    if is_own then paths[#paths + 1] = written.profile end
  end
  return paths
end

-- Says which of the program's own profiles were written.
local function tell_own(image, paths)
  local profiles = {}
  for i, path in ipairs(paths) do profiles[i] = { image = image, profile = path } end
  tell_profiles(profiles)
end

-- Returns why there are no samples, and what helps.
local function why_unsampled(run, settings)
  local remedy = settings.follow and "" or FOLLOW
  if settings.rate == 0 then return "--rate=0 excludes them" .. remedy end
  local others = not settings.follow and time_of_others(run)
  return others or "unless a message above says why, the program used too little " ..
    "processor time" .. remedy
end

-- Says that there is no profile. If no message before the run has said why, names the
-- possible causes. Returns the exit status.
local function without_profile(run, settings, is_explained)
  local lost = settings.record_reports and ", so there is no report" or ""
  if run.device then
    tell(("%s: the profile was written to %s, which is not a file%s"):format(run.image,
      run.device, lost))
    return lost == "" and finish(run) or 1
  elseif run.signal and (run.signal == SIGKILL or not is_explained) then
    tell(("%s: was killed by %s, so it could not write its profile%s"):format(
      run.image, SIGNALS[run.signal] or "signal " .. run.signal, lost))
  elseif is_explained then
    tell(("%s: no profile was written%s"):format(run.image, lost))
  elseif run.samples then
    tell(("%s: no samples were taken%s: %s"):format(run.image, lost,
      why_unsampled(run, settings)))
  else
    tell(("%s: no profile was found in %s%s: unless a message above says why, the " ..
      "program closed standard error, or ended by a system call of its own")
      :format(run.image, run.directory, lost))
  end
  local own = finish(run)
  return own == 0 and 1 or own
end

-- Whether there are words, and all are options of gprof.lua: then they were probably
-- written in the wrong place.
local function are_own_options(words)
  for _, word in ipairs(words) do
    if not word:find "^%-." then return false end
  end
  local given, operands = core.getopt(words, options.text.gnu, options.text.own)
  return words[1] ~= nil and given ~= nil and not operands[1]
end

-- Gives a note about options of gprof.lua after the program's name. After "--", the user
-- knows what belongs to the program.
local function note_arguments(settings)
  local command, words = settings.operands, settings.words
  local arguments = { table.unpack(command, 2) }
  if words[#words - #command] == "--" or not are_own_options(arguments) then return end
  tell(("%s %s passed to %s; write options of gprof.lua before it"):format(
    table.concat(arguments, " "), arguments[2] and "are" or "is", command[1]))
end

--- Records a program.
-- @tparam table settings whose operands are the program and its arguments
-- @tparam function report prints the reports of settings, or why it cannot; returns an
--   exit status, and whether it has failed
-- @treturn integer the program's exit status or, if that is 0, the exit status of the
--   reports
-- @raise a table with the field `message`, if the program cannot be started
function record.run(settings, report)
  if not settings.operands[1] then
    failure.raise "option --record needs a program to run"
  end
  note_arguments(settings)
  local is_explained = false
  local function warn(message, is_note)
    is_explained = not is_note
    tell(message)
  end
  local run = failure.need(record_program(settings.operands,
    { warn = warn, rate = settings.rate, memory = settings.memory,
      follow = settings.follow, dump_signal = settings.dump_signal,
      anew = settings.anew, output = settings.output,
      dump_file = settings.dump_file, wall = settings.wall,
      no_paths = settings.no_paths,
      count = settings.count, with_c = settings.with_c }))
  if not run.profile then
    tell_profiles(run.profiles or {})
    return without_profile(run, settings, is_explained)
  elseif not settings.record_reports then
    tell_profiles(run.profiles or { run })
    tell_wrapper(run, settings)
    return finish(run)
  end
  tell_wrapper(run, settings)
  local own = own_profiles(run)
  tell_left_out(run.profiles or {}, own)
  settings.operands = { run.image, table.unpack(own) }
  local status, has_failed = report(settings)
  if has_failed then tell_own(run.image, own) end
  local own_status = finish(run)
  return own_status ~= 0 and own_status or status
end

return record
