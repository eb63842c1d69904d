--- From the settings of a command line to reports: what is read, what has to be right
-- about it, and what is printed.
--
-- @internal gprof.cli.run
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.defaults"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local output = require "gprof.output"
local pages = require "gprof.print.pages"

local raise <const>, need <const> = failure.raise, failure.need

-- Parts of the callees that are at entries of functions: below the one, addresses may all
-- be off by one number; below the other, it is worth a closer look (gprof.cli.diagnosis).
local MOVED <const>, FITTING <const> = 0.5, 0.9

-- Names out of debugging information can have a line break in them, which would make two
-- lines of a warning.
local function warn(message)
  message = message:gsub("\n", "\\n")
  require "gprof.format.terminal".tell("gprof.lua: warning: " .. message)
end

-- Reports that are asked for by name are found before anything is read.
local function find_reports(settings)
  for i, name in ipairs(settings.reports) do
    settings.reports[i] = {
      name = name, print = need(require "gprof.reports".find(name)),
    }
  end
end

-- GNU gprof prints execution counts where there is nothing else, be they all zero. A
-- report that is asked for by name gets what there is.
local function check_not_empty(settings, data, where)
  if data.has_histogram or data.has_arcs then return end
  if next(settings.styles) or settings.reports[1] or settings.exports[1] then return end
  if settings.gnu_compat then return end
  if data.block_records > 0 then
    raise("%s: holds counts of basic blocks only, which are shown by -l with -A or -C",
      where)
  end
  raise("%s: holds neither a histogram nor arcs", where)
end

local function check_styles(printed, settings, data, where)
  check_not_empty(settings, data, where)
  local lack = pages.lack(printed, data) or
    settings.exports[1] and require "gprof.cli.exports".lack(settings.exports, data)
  if lack then raise("%s: %s", where, lack) end
end

-- All reports can be taken away, and then nothing is said at all.
local function check_asked(printed, settings)
  for _, stands in pairs(printed) do
    if stands then return end
  end
  if settings.gnu_compat or settings.exports[1] then return end
  warn("nothing is printed: the options take away what there would be")
end

-- A profile of another program would give a report of nothing; one whose calls all lead
-- to libraries does, too, but is of this one.
local function check_belongs(profile, where)
  local external_calls = require "gprof.library.external_calls"
  if not profile.foreign or external_calls.is_all(profile) then return end
  require "gprof.cli.diagnosis".refuse(profile.image, profile.data, where)
end

-- Samples of code without a symbol count for a function whose code it is not.
local function tell_uncovered(profile)
  if (profile.uncovered or 0) == 0 then return end
  require "gprof.cli.diagnosis".warn_uncovered(profile, warn)
end

local sum_path <const> = defaults.sum_path

-- A sum of System V's profiles is one of today.
local function write_sum(data, settings)
  local format = settings.file_format
  output.new_profile(sum_path(settings), data, format ~= "prof" and format or "magic")
end

-- What was read is not lost to what is written.
local function check_targets(settings, image, data, makes_sum)
  if not (makes_sum or settings.exports[1]) then return end
  require "gprof.cli.overwrite".check(settings, image, data,
    makes_sum and sum_path(settings) or nil)
end

local function check_source(settings, profile)
  if not settings.exports[1] then return end
  require "gprof.cli.overwrite".check_source(settings.exports, profile,
    settings.directory_path)
end

-- What is missing from an image that somebody writes to is not missed.
local function check_unchanged(image)
  local changed = core.changed_file(image)
  if changed then raise("%s: has changed while it was read", changed) end
end

-- Blocks are of lines, and nothing is said of them without.
local function check_blocks(settings, printed, data)
  if data.block_records == 0 or settings.line then return end
  if printed.annotation or printed.executions then
    warn("counts of basic blocks are shown with option -l (--line) only")
  end
end

-- A profile by line has all lines where something is said of those that nothing was
-- recorded of: what the graph, the orders and symspecs say under --gnu-compat
-- depends on all of them.
local function lines_wanted(settings, printed)
  if not (settings.line or settings.styles.sum) then return nil end
  local all = settings.display_unused_functions or settings.static_call_graph or
    settings.include or settings.exclude or printed.annotation or
    settings.gnu_compat and (printed.graph or printed.executions or
      printed.function_order or printed.file_order)
  return all and "all" or true
end

-- Listings in files of their own are of annotated source, which others may print, too.
local function check_listings(settings, printed)
  if not settings.separate_files or printed.annotation then return end
  if settings.gnu_compat or settings.reports[1] then return end
  warn("option -y (--separate-files) does nothing without -A (--annotated-source)")
end

-- What is asked for has to be there; and what comes to nothing is told.
local function check_printed(printed, settings, data, where)
  check_styles(printed, settings, data, where)
  check_asked(printed, settings)
  check_listings(settings, printed)
  check_blocks(settings, printed, data)
end

-- Whether anything says something of functions, and not only of files.
local function is_about_functions(printed, settings)
  return pages.about_functions(printed) or settings.exports[1] ~= nil
end

-- Puts the data on the functions that the symspecs leave;
-- tells of those that say nothing.
local function make_profile(image, data, settings, printed)
  local told = {}
  settings.line = lines_wanted(settings, printed)
  function settings.missed(spec)
    if settings.gnu_compat or told[spec] then return end
    told[spec] = true
    local hidden = not settings.external_symbol_table and
      require "gprof.cli.diagnosis".missing(image, spec)
    local why = hidden or require "gprof.cli.hints".symspec(settings, image, spec)
    warn(("symspec '%s' matches nothing%s"):format(spec, why and ": " .. why or ""))
  end
  return need(gprof.profile(image, data,
    require "gprof.library.arguments".pick(settings, "profile")))
end

-- The profile that is meant, if it is just one, which is not to be
-- left out whatever it is.
local function only_profile(settings)
  local path = settings.operands[2] or defaults.profile_path(settings)
  if settings.operands[3] or settings.profiles_from[1] or settings.keep_going then
    return nil
  end
  local may_be_list = settings.operands[2] and not settings.gnu_compat
  if may_be_list and core.file_status(path) == "directory" then return nil end
  return path
end

-- Reads what the command line names: the image, the sum of the profiles, what they are
-- called in messages, how many were left out, and how many were not.
local function read_files(settings)
  local image, problem = gprof.image(defaults.image_path(settings),
    { debug_dir = settings.debug_dir, warn = warn })
  if not image then
    raise("%s", require "gprof.cli.hints".program(settings.operands, problem))
  end
  local how = {
    -- what a sum is written as need not be what its parts are
    file_format = settings.styles.sum and not settings.gnu_compat and
      settings.file_format ~= "prof" and "auto" or settings.file_format,
    mixed_rates = settings.gnu_compat,
    debug = settings.debug,
    slide = settings.slide,
    external_symbol_table = settings.slide and settings.external_symbol_table,
  }
  local path = only_profile(settings)
  if path then return image, need(gprof.data(image, path, how)), path, 0, 1 end
  return image, require "gprof.cli.inputs".read(image, settings, how, warn)
end

local function open_libraries(settings, printed, image, data, where)
  if not settings.with then return end
  require "gprof.cli.libraries".open(settings, printed, image, data, where, warn)
end

-- Addresses that fit nowhere may all be off by one number: then that is taken off the
-- data of the program, be there libraries beside it or not.
local function put_right(profile, data, settings, where)
  if data.shared then return profile end
  local fitting = core.sampled_entries(profile.symbols, data)
  settings.misfits = fitting < FITTING
  if not profile.foreign and fitting >= MOVED then return profile end
  return need(require "gprof.cli.slides".correct(profile, data, settings, where))
end

-- Looks whether a profile belongs to its image, and tells what of it has to be known.
-- Returns the profile, or the one that takes its place.
local function examine(profile, data, printed, settings, where)
  if printed.verify then
    settings.verdict = profile:verify(settings.directory_path)
  elseif is_about_functions(printed, settings) and not settings.gnu_compat then
    profile = put_right(profile, data, settings, where)
    check_belongs(profile, where)
    tell_uncovered(profile)
  end
  if settings.with then require "gprof.cli.libraries".tell(profile, warn) end
  if data.shared then
    require "gprof.cli.libraries".check_data(profile.image, data, profile.symbols,
      settings, where, warn)
  end
  return profile
end

-- Explains what is not there, or less than there should be. (A profile beside -s is by
-- line, asked for or not.)
local function explain_lack(profile, chosen, settings)
  if settings.gnu_compat or settings.brief then return end
  if settings.line and not chosen.sum or chosen.annotation then
    require "gprof.cli.diagnosis".tell_lines(profile)
  end
  if profile.odd or settings.misfits then
    require "gprof.cli.diagnosis".tell(profile, chosen, settings)
  end
end

-- What is printed. An export on standard output stands there alone: reports that come
-- with symspecs only say what is in it.
local function choose(settings, data)
  if not settings.exports[1] then
    return pages.choose(settings.styles, data, settings.reports)
  elseif require "gprof.cli.exports".is_printed(settings.exports) then
    settings.reports = {}
    return { sum = settings.styles.sum }
  end
  return settings.styles
end

-- What is not for --gnu-compat, whatever is asked for.
local function set_look(settings)
  settings.warn = warn
  settings.errors = settings.errors and not settings.gnu_compat
end

local function print_all(chosen, profile, settings, write)
  pages.print(chosen, profile, settings, write)
  if settings.exports[1] then
    require "gprof.cli.exports".write(settings.exports, profile, settings, write)
  end
end

-- What is compared are functions, as lines move from build to build.
local function check_comparison(settings)
  local compares = settings.compare[1]
  if settings.fail_on and not compares then
    raise "option --fail-on says when --compare has status 2, and needs that"
  elseif compares and settings.line then
    raise "option --compare goes by function, and not with -l (--line)"
  end
end

-- Puts the comparison that is asked for into the settings, where reports find it. Returns
-- how many old profiles were left out.
local function compare(profile, runs, settings)
  if not settings.compare[1] then return 0 end
  local left_out
  settings.comparison, left_out =
    require "gprof.cli.compare_args".compare(settings, profile, runs, check_belongs, warn)
  return left_out
end

local function slower(settings)
  if not settings.fail_on then return {} end
  return require "gprof.cli.compare_args".slower(settings.comparison, settings.fail_on)
end

--- Does what the settings ask for with an image and profiles.
-- @tparam table settings as `command_line.read` returns them
-- @tparam stream write
-- @treturn integer how many of the profiles were left out
-- @treturn {string,...} what is to be told of what got slower
-- @treturn boolean whether --verify finds that image, profile and source differ
-- @raise a table with the field `message`
return function(settings, write)
  check_comparison(settings)
  find_reports(settings)
  local image, data, where, bad, good = read_files(settings)
  if settings.slide == "auto" then require "gprof.cli.slides".print(data) end
  local chosen = choose(settings, data)
  local printed = pages.printed(chosen, settings.reports)
  check_printed(printed, settings, data, where)
  open_libraries(settings, printed, image, data, where)
  check_targets(settings, image, data, chosen.sum)
  if chosen.sum then write_sum(data, settings) end
  if not (printed.info or is_about_functions(printed, settings)) then return bad, {} end
  set_look(settings)
  local profile = make_profile(image, data, settings, printed)
  profile = examine(profile, data, printed, settings, where)
  bad = bad + compare(profile, good, settings)
  check_source(settings, profile)
  explain_lack(profile, chosen, settings)
  check_unchanged(image)
  print_all(chosen, profile, settings, write)
  check_unchanged(image)
  return bad, slower(settings), settings.verdict and not settings.verdict.belongs
end
