--- Explains missing or suspicious results: the likely reason, and the remedy. Loaded on
-- demand.
--
-- @internal gprof.cli.advice.diagnosis
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local builds = require "gprof.library.files.builds"
local context_files = require "gprof.library.files.context_files"
local core = require "gprof.core"
local failure = require "gprof.library.failure"
local fit = require "gprof.library.fit"
local profile_files = require "gprof.library.files.profile_files"
local wording = require "gprof.format.wording"

local are_older <const> = profile_files.are_older

-- What to do about addresses that are not those of the code.
local MOVED <const> = "; if the program was loaded at another address, use --slide=auto"

local diagnosis = {}

local function hint(...)
  local message = string.format(...):gsub("\n", "\\n")
  require "gprof.format.terminal".tell("gprof.lua: hint: " .. message)
end

--- Gives the advice that belongs to a warning, unless -b is given.
-- @tparam table settings
-- @tparam string advice
function diagnosis.advise(settings, advice)
  if not settings.brief then hint("%s", advice) end
end

-- Names that match nothing --------------------------------------------------------------

-- Whether the debugging information contains a name of the source, or the mangled name of
-- a function that a qualified name matches. Functions of shared libraries are excluded.
local function is_mentioned(image, spec)
  local plain = spec:match "^[%a_$][%w_$]*$" or spec:match "^[^:]+:([%a_$][%w_$]*)$"
  if plain then
    return core.image_mentions(image, plain) and not core.mentions_any(image, plain)
  end
  local last = core.short_name(spec):match "::~?([%a_][%w_]*)[<>]*$"
  return last ~= nil and core.mentions_function(image, #last .. last,
    assert(core.pattern("components", spec)))
end

--- Explains why a symspec matches nothing: only the debugging information has the name.
-- Such a function was probably inlined; to be sure, we would have to parse all debugging
-- information.
-- @tparam image image
-- @tparam string spec
-- @tparam table settings
-- @treturn string|nil
function diagnosis.missing(image, spec, settings)
  if not is_mentioned(image, spec) then return nil end
  return ("the name is in the debugging information; if it is a function, the " ..
    "compiler may have inlined all its calls (%s)"):format(settings.inlines and
    "-fno-inline prevents that" or "--inlines shows inlined functions")
end

-- Profiles of other programs -----------------------------------------------------------

-- Returns the message that a recorded profile is from another program, which has neither
-- the image's build ID nor its file name; nil if it may be from the image. A context
-- profile is only read for an image with a build ID that it contains.
local function other_program_message(image, data, where)
  local file = data.files[1]
  if not file or data.files[2] or file.format == "context" and image.build_id then
    return nil
  end
  local contexts = profile_files.contexts_of(file.path)
  local program = contexts and (context_files.origin(contexts) or {}).image
  if not program or base_name(program) == base_name(image.path) or
    image.build_id and image.build_id == builds.of_file(contexts)
  then
    return nil
  elseif context_files.path_for(image, file.path) == contexts then
    return ("%s: was recorded with %s, which used %s as a library: name %s to see its " ..
      "part"):format(where, program, image.path, contexts)
  end
  local reason = image.build_id and "not with this build of " .. image.path or
    "and " .. image.path .. " has no build ID (-Wl,--build-id) to find its part by"
  return ("%s: was recorded with %s, %s: name %s"):format(where, program, reason, program)
end

-- Profiles that lack something ----------------------------------------------------------

local function period_of(profile)
  local period = 1 / profile.rate
  if profile.unit ~= "seconds" then return ("%g %s"):format(period, profile.unit) end
  return ("%g ms of CPU time"):format(1000 * period)
end

-- Whether a report would be empty without samples. With -z, functions without time are
-- shown.
local function lacks_time(chosen, options)
  return not options.display_unused_functions and
    (chosen.flat or chosen.tree or chosen.annotation and options.annotate_time)
end

-- Returns the message that a profile is from another build of its image, which is newer.
-- `other` is another remedy, or "".
local function newer_message(profile, where, other)
  local path, evidence = profile.image.path, profile:mismatch()
  if fit.lost_profiling(profile) then
    return ("%s: is from another build of %s, which is newer and was compiled without " ..
      "-pg: compile it with -pg, and run it again%s"):format(where, path, other)
  elseif core.histogram_fits(profile.image, profile.data) then
    return ("%s: is probably from another build of %s, which is newer, or was " ..
      "stripped: run it again%s, or name the unstripped file (%s)"):format(where, path,
      other, evidence)
  end
  return ("%s: is probably from another build of %s, which is newer: run it again, or " ..
    "name the right program%s (%s)%s"):format(where, path, other, evidence, MOVED)
end

-- Returns the message that a profile is probably from another build of its image.
local function mismatch_message(profile, where, directories)
  local image = profile.image
  local stripped = core.histogram_fits(image, profile.data) and
    ", or symbols were stripped from the program" or ""
  local moved = core.histogram_fits(image, profile.data) and "" or MOVED
  local check = require "gprof.library.verify".check
  local source = check("source", profile, directories).newer
  local newer = source and ("; %s is newer than %s"):format(source, image.path) or ""
  return ("%s: is probably from another build of %s%s: %s%s%s"):format(where, image.path,
    stripped, profile:mismatch(), newer, moved)
end

--- Warns that a profile is probably from another build of the program. With --compare,
-- raises an error instead, unless --force is given. Gates and baselines must not accept
-- such a profile, even with --force.
-- @tparam profile profile for which `profile:mismatch()` is not nil or
--   `fit.lost_profiling` is true
-- @tparam string where the profile's name in messages
-- @tparam table settings
-- @tparam function warn takes a message
-- @raise a table with the field `message`
function diagnosis.tell_mismatch(profile, where, settings, warn)
  local is_strict = settings.fail_on or settings.update_baseline
  local refuses = is_strict or settings.compare[1] and not settings.force
  local may_force = refuses and not is_strict
  local is_newer = are_older(profile.data.files, profile.image.path)
  local force = may_force and ", or compare with --force" or ""
  local other = other_program_message(profile.image, profile.data, where)
  local with_remedy = other and other .. force or
    is_newer and newer_message(profile, where, force)
  local message = with_remedy or
    mismatch_message(profile, where, settings.directory_path)
  if refuses then
    failure.raise("%s%s", message, with_remedy and "" or
      (": name the program that wrote it%s (see --verify)"):format(force))
  end
  warn(message)
  if with_remedy then return end
  diagnosis.advise(settings,
    "name the program that wrote it, or run it again (see --verify)")
end

--- Warns about full bins: their counters stopped, or began again at 0, so samples are
-- missing.
-- @tparam image image
-- @tparam data data with full bins
-- @tparam string where the data's name in messages
-- @tparam function warn takes a message
function diagnosis.warn_full(image, data, where, warn)
  local count, address = data.full_bins, data.full_address
  local symbol = image:lookup(address)
  local place = ("0x%x%s"):format(address, symbol and ", in " .. symbol.name or "")
  warn(("%s: %d %s full: a counter has reached its maximum (65535 samples if it has " ..
    "16 bits), so times may be too short (%s%s); use --record, or add up shorter runs")
    :format(where, count, count == 1 and "bin is" or "bins are",
      count == 1 and "at " or "the first at ", place))
end

--- Returns the message that the profiles in a sum are probably from another build.
-- @tparam image image
-- @tparam data data whose histogram does not fit
-- @tparam string where the data's name in messages
-- @treturn string
function diagnosis.mismatched_sum(image, data, where)
  return other_program_message(image, data, where) or
    ("%s: is probably from another build of %s: %s%s"):format(where, image.path,
      fit.histogram_mismatch(image, data), MOVED)
end

-- A hint is given if at least this many samples, and this fraction of all samples, are
-- outside all functions.
local LEAST_SAMPLES <const>, LEAST_PART <const> = 10, 1 / 20

-- Returns the names of the libraries in parentheses; "" if there are none.
local function in_parentheses(names)
  return names[1] and (" (%s)"):format(wording.first(names)) or ""
end

-- Explains why there are no samples. If most calls lead to libraries, the time was
-- probably spent there.
local function hint_no_samples(profile)
  local collection = require "gprof.library.collection"
  local image, period = profile.image, period_of(profile)
  local libraries = in_parentheses(collection.libraries(image))
  local external_calls = require "gprof.library.libraries.external_calls"
  local elsewhere, all = external_calls.count(profile.data)
  if profile.data.shared then
    hint("no samples: the library ran for less than %s, or the program was linked " ..
      "with -pg: use a longer run of a program linked without -pg", period)
  elseif 2 * elsewhere > all then
    hint("no samples, and %d of %d arcs lead to shared libraries%s: profile these " ..
      "with LD_PROFILE, and add them with --with", elsewhere, all, libraries)
  else
    local forked = collection.can_fork(image) and
      "; a forked child is not sampled until it calls moncontrol(1)" or ""
    local unsampled = profile.has_call_paths and ", or was recorded with --rate=0" or ""
    hint("no samples: the program ran for less than %s, or ran code that is not " ..
      "profiled%s%s: use a longer run, or the sum of several (-s)%s", period, libraries,
      unsampled, forked)
  end
end

-- Gives hints about why no samples, or no calls, were recorded.
local function hint_missing_records(profile, chosen, options, shows_calls)
  if profile.recorded_ticks <= 0 and lacks_time(chosen, options) then
    hint_no_samples(profile)
  elseif profile.foreign and shows_calls then
    hint("all recorded calls lead to shared libraries%s, which the profile does not " ..
      "cover: add libraries with --with",
      in_parentheses(require "gprof.library.collection".libraries(profile.image)))
  end
  local counts = profile.data.has_arcs or profile.has_call_paths -- the report says it
  if not counts and not next(options.styles) and chosen.flat then
    hint("no calls were recorded, so there is no call graph: was the program compiled " ..
      "with -pg, not just linked with it?")
  end
end

--- Gives a hint, or a warning, if the image has no line numbers.
-- @tparam profile profile
-- @tparam function|nil warn takes a message; nil: a hint
function diagnosis.explain_lines(profile, warn)
  for _, file in profile:functions("address", "id", "file") do
    if file then return end
  end
  local image = profile.image
  local message = image.path .. ": has no line numbers: compile it with -g" ..
    (core.has_symbol_table(image) and "" or ", and do not strip it")
  if warn then warn(message) else hint("%s", message) end
end

--- Warns if calls are attributed to wrong functions because local symbols were stripped.
-- @tparam profile profile
-- @tparam string where the profile's name in messages
-- @tparam table settings
-- @tparam function warn takes a message
-- @treturn boolean whether it warns
function diagnosis.warn_stripped(profile, where, settings, warn)
  local arcs = fit.stripped_arcs(profile, profile.data)
  if arcs == 0 then return false end
  warn(("%s: local symbols were stripped from %s (strip -x): %d of %d arcs lead to " ..
    "functions without a symbol, whose calls and time are attributed to other " ..
    "functions"):format(where, profile.image.path, arcs, profile.data.arc_records))
  diagnosis.advise(settings, "use the unstripped file")
  return true
end

local LEAST <const> = 0.01  -- a smaller fraction of the total time gives no warning

--- Warns if much of the time was spent in code without symbols, because this time is
-- attributed to other functions. The sampling error is subtracted first: if there are few
-- samples, a single one may be many percent.
-- @tparam profile profile
-- @tparam function warn takes a message
function diagnosis.warn_uncovered(profile, warn)
  local time = profile.uncovered
  if (time - profile:error_of(time)) / profile.total <= LEAST then return end
  local low, high, most, f = profile:uncovered_range()
  warn(("%.1f%% of the samples fell in code without a symbol, and are attributed " ..
    "to the preceding function: %s of them to %s, at 0x%x to 0x%x"):format(
    100 * time / profile.total, most < time and "most" or "all", f.name, low, high))
end

--- Raises the error that data does not belong to an image.
-- @tparam image image
-- @tparam data data with addresses
-- @tparam string where the data's name in messages
-- @raise a table with the field `message`
function diagnosis.refuse(image, data, where)
  local other = other_program_message(image, data, where)
  if other then failure.raise("%s", other) end
  local low, high = require "gprof.library.libraries.external_calls".covered(data)
  failure.raise("%s: does not belong to %s: the profile covers addresses 0x%x to " ..
    "0x%x, the code is at 0x%x to 0x%x%s", where, image.path, low or data.low,
    high or data.high, image.text_low, image.text_high, data.shared and "" or MOVED)
end

-- Whether a report shows calls.
local function are_calls_shown(chosen)
  return chosen.flat or chosen.graph or chosen.tree or chosen.comparison or false
end

--- Gives a hint that calls may be missing, if calls are shown.
-- @tparam profile profile that may lack calls (see gprof.library.collection)
-- @tparam {[string]=boolean} chosen styles
function diagnosis.explain_lost_calls(profile, chosen)
  if not are_calls_shown(chosen) then return end
  hint("%s can start threads: the C library loses calls that threads make at the same " ..
    "time, so counts may be too low; times are right. Count calls in a run with one " ..
    "thread", profile.image.path)
end

--- Gives hints about properties of a profile that affect the output.
-- @tparam profile profile
-- @tparam {[string]=boolean} chosen styles
-- @tparam table options of the reports
function diagnosis.explain(profile, chosen, options)
  local shows_calls = are_calls_shown(chosen)
  hint_missing_records(profile, chosen, options, shows_calls)
  local unknown, recorded = profile.unknown_ticks, profile.recorded_ticks
  local is_much = unknown >= math.max(LEAST_SAMPLES, LEAST_PART * recorded)
  if is_much and not profile:mismatch() and (shows_calls or chosen.annotation) then
    local newer = are_older(profile.data.files, profile.image.path) and
      ("; %s is newer than the profile"):format(profile.image.path) or ""
    hint("%.0f of %.0f samples are in code outside all functions: the profile may be " ..
      "from another build, or symbols may have been stripped (see --verify)%s", unknown,
      recorded, newer)
  end
end

return diagnosis
