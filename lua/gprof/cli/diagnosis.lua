--- Explains missing or suspicious results: the likely reason, and the remedy. Loaded on
-- demand.
--
-- @internal gprof.cli.diagnosis
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"

local diagnosis = {}

-- Names that match nothing --------------------------------------------------------------

local MOST_NAMES <const> = 3  -- in a message

-- Lists the clones of a function. Their names are the function's name, a dot and a
-- suffix.
local function clones_of(image, name)
  local names, more, seen = {}, 0, {}
  for symbol in image:symbols(nil, "symbol") do
    if symbol:sub(1, #name + 1) == name .. "." and not seen[symbol] then
      seen[symbol] = true
      if #names < MOST_NAMES then names[#names + 1] = symbol else more = more + 1 end
    end
  end
  if not names[1] then return nil end
  return ("the compiler replaced it with %s%s"):format(table.concat(names, ", "),
    more > 0 and (" and %d more"):format(more) or "")
end

--- Explains why a symspec matches nothing: the compiler replaced the function with
-- clones, or only the debugging information has the name. In the latter case, the
-- function was probably inlined; to be sure, we would have to parse all debugging
-- information.
-- @tparam image image
-- @tparam string spec
-- @treturn string|nil "the compiler replaced it with work.isra.0"
function diagnosis.missing(image, spec)
  local clones = not spec:find "[^%w_$]" and clones_of(image, spec)
  if clones then return clones end
  local name = spec:match "^[%a_$][%w_$]*$" or spec:match "^[^:]+:([%a_$][%w_$]*)$"
  return name and core.image_mentions(image, name) and
    "the name is in the debugging information; if it is a function, the compiler may " ..
    "have inlined all its calls (-fno-inline prevents that)" or nil
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

local function is_older(file, time)
  local kind, changed = core.file_status(file.path)
  return kind == "file" and changed < time
end

-- Whether the image is newer than all profiles. That alone proves nothing: copies and
-- fresh checkouts are also newer.
local function is_newer(profile)
  local _, time = core.file_status(profile.image.path)
  for _, file in ipairs(profile.data.files) do
    if not (time and is_older(file, time)) then return false end
  end
  return true
end

-- Tolerance at both ends of .text, in bytes: .fini comes after it, and the ranges of
-- profiles are rounded up.
local PAGE <const> = 4096

-- Returns the evidence that the profile is from another build; if there is none, the
-- possible reasons.
local function evidence(profile)
  local image, data = profile.image, profile.data
  if is_newer(profile) then
    return ("%s is newer than the profile, and may be a different build"):format(
      image.path)
  elseif data.low < image.text_low - PAGE or data.high > image.text_high + PAGE then
    return ("the profile covers addresses 0x%x to 0x%x, the code is at 0x%x to 0x%x; " ..
      "the profile may be from another build, or include libraries"):format(data.low,
      data.high, image.text_low, image.text_high)
  end
  return "the profile may be from another build, or symbols may have been stripped"
end

-- A hint is given if at least this many samples, and this fraction of all samples, are
-- outside all functions.
local LEAST_SAMPLES <const>, LEAST_PART <const> = 10, 1 / 20

-- If the profile is from this build, at least the fraction `FITTING` of the arcs within
-- the profiled code leads to function entries. If it is from an older build, a fraction
-- of up to `BY_CHANCE` may lead to them by chance.
local FITTING <const>, BY_CHANCE <const> = 0.9, 0.5

-- Fewer arcs that do not lead to function entries are no evidence.
local ENOUGH <const> = 3

--- Returns whether the symbol table has all functions of the image, under their own
-- names. Some options remove, merge or rename functions.
-- @tparam table settings
-- @treturn boolean
function diagnosis.has_all_functions(settings)
  return not (settings.no_static or settings.external_symbol_table or
    settings.file_ordering)
end

-- Returns the number of arcs that do not lead to a function entry, and the number of all
-- arcs, if these are evidence of another build; otherwise nil.
local function misfits(profile, options)
  if options.with or profile.data.shared or not options.misfits or
    not diagnosis.has_all_functions(options)
  then
    return nil
  end
  local elsewhere, all = require "gprof.library.external_calls".count(profile.data)
  local _, fitting = core.arcs_at_entries(profile.symbols, profile.data)
  all = all - elsewhere
  local part = is_newer(profile) and FITTING or BY_CHANCE
  if all - fitting < ENOUGH or fitting >= part * all then return nil end
  return all - fitting, all
end

local function hint(...)
  local message = string.format(...):gsub("\n", "\\n")
  require "gprof.format.terminal".tell("gprof.lua: hint: " .. message)
end

-- Gives hints about why no samples, or no calls, were recorded.
local function hint_missing_records(profile, chosen, options)
  if profile.recorded_ticks <= 0 and lacks_time(chosen, options) then
    hint("no samples: one is taken every %s, but the program ran for less time, or " ..
      "ran code that is not profiled; use a longer run, or the sum of several (-s)",
      period_of(profile))
  end
  if not profile.data.has_arcs and not next(options.styles) and chosen.flat then
    hint("no calls were recorded, so there is no call graph: was the program compiled " ..
      "with -pg, not just linked with it?")
  end
end

--- Gives a hint if the image has no line numbers.
-- @tparam profile profile
function diagnosis.explain_lines(profile)
  for _, file in profile:functions("address", "id", "file") do
    if file then return end
  end
  hint("%s has no line numbers: was it compiled with -g?", profile.image.path)
end

local LEAST <const> = 0.01  -- a smaller fraction of the total time gives no warning

--- Warns if much of the time was spent in code without symbols, which is attributed to
-- other functions. The sampling error is subtracted first: if there are few samples, a
-- single one may be many percent.
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
  local low, high = require "gprof.library.external_calls".covered(data)
  failure.raise("%s: does not belong to %s: the profile covers addresses 0x%x to " ..
    "0x%x, the code is at 0x%x to 0x%x", where, image.path, low or data.low,
    high or data.high, image.text_low, image.text_high)
end

--- Gives hints about properties of a profile that affect the output.
-- @tparam profile profile
-- @tparam {[string]=boolean} chosen styles
-- @tparam table options of the reports
function diagnosis.explain(profile, chosen, options)
  hint_missing_records(profile, chosen, options)
  local shows_calls = chosen.flat or chosen.graph or chosen.tree or
    chosen.comparison
  if not (shows_calls or chosen.annotation) then return end
  if profile.foreign and shows_calls then
    hint("all recorded calls lead to shared libraries, which the profile does not " ..
      "cover: add libraries with --with")
  end
  local misfitting, arcs = misfits(profile, options)
  local unknown, recorded = profile.unknown_ticks, profile.recorded_ticks
  if misfitting and shows_calls then
    hint("%d of %d arcs do not lead to a function entry: %s (see --verify)",
      misfitting, arcs, evidence(profile))
  elseif unknown >= math.max(LEAST_SAMPLES, LEAST_PART * recorded) then
    hint("%.0f of %.0f samples are in code outside all functions: %s", unknown,
      recorded, evidence(profile))
  end
end

return diagnosis
