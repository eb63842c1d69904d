--- The arguments of `--compare`: old profiles, exported profiles, and the program that
-- wrote the old profiles if it is not the current build. The kind of a file is detected
-- from its content.
--
-- @internal gprof.cli.compare_args
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "gprof.analysis.changes"
local compare = require "gprof.compare"
local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local path_share = require "gprof.analysis.path_share"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.files.profile_files"

local compare_args = {}

local raise <const>, need <const> = failure.raise, failure.need

-- Splits an argument at commas, unless the whole argument is the name of a file.
local function names_of(argument)
  if core.file_status(argument) then return { argument } end
  local names = {}
  for name in (argument .. ","):gmatch "([^,]*)," do
    names[#names + 1] = name
  end
  return names
end

-- Returns "program", "stored" (an exported profile) or "profile". Pipes, which cannot be
-- read twice, and unknown files count as profiles: reading them reports any error.
local function kind_of(path)
  if path == "-" then return "profile" end
  if need(core.file_status(path)) ~= "file" then return "profile" end
  local file <close> = need(io.open(path, "rb"))
  local head = file:read(64) or ""
  if head:find "^gmon" or head:find "^gprofctx" then return "profile" end
  if head:find "^[ \t\r\n]*{" or head:find "^<<<<<<<" then return "stored" end
  local image, problem = gprof.image(path)
  if image then
    image:close()
    return "program"
  end
  if problem:find "not enough memory$" then raise("%s", problem) end
  return "profile"
end

--- Returns the names of the files in the option's arguments.
-- @tparam {string,...} arguments of the option
-- @treturn {string,...}
-- @raise a table with the field `message`
function compare_args.names(arguments)
  local all = {}
  for _, argument in ipairs(arguments) do
    for _, name in ipairs(names_of(argument)) do all[#all + 1] = name end
  end
  return all
end

-- Returns a table with an array of file names for each kind, and the array `all` with all
-- names. `baseline` is the argument of --baseline.
local function names_by_kind(arguments, baseline)
  local all = compare_args.names(arguments)
  local old = { program = {}, stored = {}, profile = {}, all = all }
  for _, name in ipairs(all) do
    if name == "" then raise "option --compare: the file name is empty" end
    table.insert(old[name == baseline and "stored" or kind_of(name)], name)
  end
  if old.program[2] then
    raise("option --compare: %s and %s are both programs: name only one", old.program[1],
      old.program[2])
  elseif old.program[1] and not old.profile[1] then
    raise("option --compare: %s is a program: also name its profile",
      old.program[1])
  end
  return old
end

-- Makes settings that read the old profiles in the same way as the new ones.
local function reading_settings(settings, paths)
  local old = defaults.settings()
  old.operands = table.move(paths, 1, #paths, 2, { "" })
  for _, name in ipairs { "jobs", "keep_going", "no_progress", "gnu_compat" } do
    old[name] = settings[name]
  end
  return old
end

-- Returns the path of the program that wrote the old profiles; or these profiles, if they
-- are of a Lua program. Nil if the program is that of the new profile.
local function image_path(old)
  local first = old.profile[1]
  if old.program[1] then return old.program[1] end
  return profile_files.is_context_profile(first) and core.script_functions(first) and
    old.profile or nil
end

-- Returns the side made of old profiles, and the number of bad ones, which are skipped.
local function read_profiles(old, image, settings, check, warn)
  local path = image_path(old)
  if path then
    image = need(gprof.image(path, { debug_dir = settings.debug_dir, warn = warn }))
  end
  local how = { file_format = defaults.input_format(settings),
    mixed_rates = policy.of(settings).adds_mixed_rates,
    assume_proportional = settings.assume_proportional or
      not policy.of(settings).measured_times,
    debug = settings.debug, slide = settings.slide,
    external_symbol_table = settings.slide and settings.external_symbol_table }
  local data, where, bad, good = require "gprof.cli.sum.inputs".read(image,
    reading_settings(settings, old.profile), how, warn)
  if data.full_bins > 0 then
    require "gprof.cli.advice.diagnosis".warn_full(image, data, where, warn)
  end
  local picked = require "gprof.library.options.arguments".pick(settings, "profile")
  picked.missed = nil  -- the new profile has reported symspecs without a match
  local profile = need(gprof.profile(image, data, picked))
  check(profile, where)
  local side = compare.side(profile, good)
  side.loses_calls = require "gprof.library.collection".may_lose_calls(profile)
  return side, bad
end

-- The scopes (see gprof.symspec) whose symspecs affect a comparison.
local scopes <const> = { "flat", "time", "arcs" }

-- Returns the symspecs of an exported profile or of this command, in a comparable form;
-- "" if there are none.
local function selection_of(options)
  local parts = {}
  for _, side in ipairs { "include", "exclude" } do
    for _, scope in ipairs(scopes) do
      local specs = { table.unpack(options[side] and options[side][scope] or {}) }
      table.sort(specs)
      for _, spec in ipairs(specs) do parts[#parts + 1] = side .. scope .. spec end
    end
  end
  return table.concat(parts, "\0")
end

-- Warns if the symspecs of an exported profile differ from this command's, which are not
-- applied to exported profiles.
local function warn_of_selection(side, path, settings, warn)
  local exported, selected = selection_of(side), selection_of(settings)
  if exported == selected then return end
  if selected == "" then
    warn(path ..
      ": was exported with symspecs: functions that they exclude appear as new")
  elseif exported == "" then
    warn(path .. ": was exported without the symspecs of this command: functions that " ..
      "they exclude appear as gone; export it again with the same symspecs")
  else
    warn(path .. ": was exported with other symspecs than those of this command: " ..
      "functions that they exclude appear as new or gone")
  end
end

-- Warns if an exported profile was made with other symspecs. Refuses a profile of another
-- build; with --force, warns of it.
local function check_stored(side, path, settings, warn)
  warn_of_selection(side, path, settings, warn)
  if not side.mismatch then return end
  local message = ("%s: was exported from a profile that is probably from another " ..
    "build: %s"):format(path, side.mismatch)
  if settings.fail_on then raise("%s: export it again", message) end
  if not settings.force then raise("%s: export it again, or use --force", message) end
  warn(message)
end

-- Reads an exported profile or a baseline; the argument of --baseline must be one.
local function load_stored(path, settings)
  if path ~= settings.baseline then return compare.load(path) end
  local text, message = require "gprof.format.text_file".read(path)
  if not text then return nil, message end
  return require "gprof.analysis.baseline".read(text, path)
end

-- Reads all old profiles into one side; returns it, and the number of bad profiles.
local function read_old(old, image, settings, check, warn)
  local sides, names, skipped = {}, {}, 0
  if old.profile[1] then
    sides[1], skipped = read_profiles(old, image, settings, check, warn)
    names[1] = old.profile[1]
  end
  for _, path in ipairs(old.stored) do
    local side = need(load_stored(path, settings))
    check_stored(side, path, settings, warn)
    sides[#sides + 1], names[#names + 1] = side, path
  end
  local sum, problem, number = compare.sum(sides)
  if not sum then
    raise("%s%s", names[number] and names[number] .. ": " or "", problem)
  end
  return sum, skipped
end

-- Returns options that name the same old profiles.
local function options_for(settings, names)
  local words = {}
  for i, name in ipairs(names) do
    words[i] = (name == settings.baseline and "--baseline=" or "--compare=") .. name
  end
  return words
end

--- Compares the arguments of --compare with a profile.
-- @tparam table settings the settings for the new profile; `compare`: the option's
--   arguments
-- @tparam profile profile
-- @tparam integer runs the number of runs summed in the profile
-- @tparam function check takes an old profile and its name; raises an error if the
--   profile is from another program
-- @tparam function warn takes a message
-- @treturn comparison
-- @treturn {table,...} what exceeds the limits of --fail-on
-- @treturn integer the number of bad old profiles, which were skipped
-- @raise a table with the field `message`
function compare_args.compare(settings, profile, runs, check, warn)
  local old = names_by_kind(settings.compare, settings.baseline)
  local side, skipped = read_old(old, profile.image, settings, check, warn)
  local names = require "gprof.cli.sum.profile_list".names { named = old.all }
  local comparison, problem = compare.sides(side, compare.side(profile, runs))
  if not comparison then raise("%s: %s", names, problem) end
  if side.exact ~= profile.exact then
    warn(names .. ": the time of callees was measured on only one side of the " ..
      "comparison: use --assume-proportional to compare totals")
  end
  if side.has_libraries ~= profile.has_libraries then
    warn(names .. ": only one side of the comparison has the time of libraries: use " ..
      "--no-libraries")
  end
  if side.has_inlines ~= profile.has_inlines then
    warn(names .. ": only one side of the comparison has inlined functions as " ..
      "functions of their own: use --inlines for both or neither")
  end
  if comparison.common == 0 then
    raise("%s: has no function in common with %s", names, profile.image.path)
  end
  getmetatable(comparison).options = options_for(settings, old.all)
  comparison.loses_calls = side.loses_calls or
    require "gprof.library.collection".may_lose_calls(profile)
  return comparison, compare_args.failures(settings, comparison, names, warn), skipped
end

-- Gates ---------------------------------------------------------------------------------

--- Finds the functions to which the rules of --fail-on are limited. Calls
-- `settings.missed` with each symspec that matches nothing.
-- @tparam table settings
-- @tparam profile profile the new profile
function compare_args.select(settings, profile)
  for _, rule in ipairs(settings.fail_on or {}) do
    if rule.spec then
      rule.functions = {}
      for _, f in ipairs { profile:find(rule.spec) } do rule.functions[f.id] = true end
      if not next(rule.functions) then settings.missed(rule.spec) end
    end
  end
end

-- Warns if calls are to be gated that were not all counted.
local function warn_of_lost_calls(settings, comparison, names, warn)
  for _, rule in ipairs(settings.fail_on) do
    if rule.kind == "calls" and comparison.loses_calls then
      return warn(("%s: --fail-on=calls: calls may be missing: the program can start " ..
        "threads, and the C library loses calls that threads make at the same time: " ..
        "record it with --record"):format(names))
    end
  end
end

-- Warns if limits of times are checked with larger errors.
local function warn_of_missing_samples(settings, comparison, names, warn)
  local missing = require "gprof.analysis.gate".missing_samples(comparison,
    settings.fail_on)
  if missing then
    warn(("%s: --fail-on: %s: times exceed a limit only by more than the missing time " ..
      "explains"):format(names, missing))
  end
end

-- Whether a list of rules has one for total times.
local function has_totals(rules)
  for _, rule in ipairs(rules) do
    if rule.kind == "total" or rule.kind == "time" then return true end
  end
  return false
end

-- Warns if limits of total times are checked that may lack samples.
local function warn_of_incomplete_paths(settings, comparison, names, warn)
  if not has_totals(settings.fail_on) then return end
  for _, name in ipairs { "old", "new" } do
    local share = comparison[name].path_share
    if share < 1 then
      warn(("%s: --fail-on: %s of the %s profile: a total time fails only if the " ..
        "other samples cannot explain its change"):format(names,
        path_share.clause(share), name))
    end
  end
end

-- Returns why total times cannot be compared.
local function reason_of(comparison)
  local sides = changes.of(comparison).sides
  return sides.old.exact and sides.new.exact and "call paths are incomplete" or
    "the time of callees was not measured (--record does so)"
end

-- Warns of total times that --fail-on cannot check.
local function warn_of_estimates(settings, comparison, names, warn)
  local ignored, replaced =
    require "gprof.analysis.gate".untested(comparison, settings.fail_on)
  local function tell(count, what)
    if count == 0 then return end
    warn(("%s: --fail-on: %s to exceed a limit, but cannot be compared, because " ..
      "%s: %s"):format(names, count == 1 and "1 total time seems" or
      count .. " total times seem", reason_of(comparison), what))
  end
  tell(ignored, "not checked")
  tell(replaced, "only self time was checked")
end

--- Finds what exceeds the limits of --fail-on.
-- @tparam table settings
-- @tparam comparison comparison
-- @tparam string names of the old profiles
-- @tparam function warn takes a message
-- @treturn {table,...} failures, see `gprof.compare.failures`
-- @raise a table with the field `message`
function compare_args.failures(settings, comparison, names, warn)
  if not settings.fail_on then return {} end
  local failures, lack = compare.failures(comparison, settings.fail_on)
  if not failures then raise("%s: cannot check --fail-on: %s", names, lack) end
  warn_of_lost_calls(settings, comparison, names, warn)
  warn_of_incomplete_paths(settings, comparison, names, warn)
  warn_of_estimates(settings, comparison, names, warn)
  warn_of_missing_samples(settings, comparison, names, warn)
  return failures
end

--- Returns a line about each failure.
-- @tparam table settings with `failures` and `comparison`
-- @tparam profile profile the new profile
-- @treturn {string,...}
function compare_args.lines(settings, profile)
  local print, lines = require "gprof.print.failures", {}
  for i, failed in ipairs(settings.failures) do
    lines[i] = print.describe(failed, settings.comparison, profile)
  end
  return lines
end

return compare_args
