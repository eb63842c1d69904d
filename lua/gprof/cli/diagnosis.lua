--- Explains missing or suspicious results: the likely reason, and what helps. Loaded on
-- demand.
--
-- @internal gprof.cli.diagnosis
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"

local diagnosis = {}

-- Names that match nothing --------------------------------------------------------------

local MOST_NAMES <const> = 3  -- that a message lists

-- The names of clones are that of the function, a dot and a suffix.
local function clones_of(image, name)
  local names, more, seen = {}, 0, {}
  for symbol in image:symbols(nil, "symbol") do
    if symbol:sub(1, #name + 1) == name .. "." and not seen[symbol] then
      seen[symbol] = true
      if #names < MOST_NAMES then names[#names + 1] = symbol else more = more + 1 end
    end
  end
  if not names[1] then return nil end
  return ("the compiler made %s%s of it"):format(table.concat(names, ", "),
    more > 0 and (" and %d more"):format(more) or "")
end

--- Why a symspec matches nothing: the compiler made clones of the function, or only its
-- name is left. Whether it was inlined could only be found in all debugging information,
-- so the message presents that as a guess.
-- @tparam image image
-- @tparam string spec
-- @treturn string|nil "the compiler made work.isra.0 of it"
function diagnosis.missing(image, spec)
  local clones = not spec:find "[^%w_$]" and clones_of(image, spec)
  if clones then return clones end
  local name = spec:match "^[%a_$][%w_$]*$" or spec:match "^[^:]+:([%a_$][%w_$]*)$"
  return name and core.image_mentions(image, name) and
    "the debugging information has the name; if it is a function's, the compiler may " ..
    "have inlined it wherever it is called (-fno-inline keeps it)" or nil
end

-- Profiles that lack something ----------------------------------------------------------

local function period_of(profile)
  local period = 1 / profile.rate
  if profile.unit ~= "seconds" then return ("%g %s"):format(period, profile.unit) end
  return ("%g ms of CPU time"):format(1000 * period)
end

-- Whether the output shows nothing but time. With -z, functions without time are shown.
local function lacks_time(chosen, options)
  return not options.display_unused_functions and
    (chosen.flat or chosen.tree or chosen.annotation and options.annotate_time)
end

local function is_older(file, time)
  local kind, changed = core.file_status(file.path)
  return kind == "file" and changed < time
end

-- Whether the image is newer than all of the profiles. That alone proves nothing: copies
-- and fresh checkouts are newer, too.
local function is_newer(profile)
  local _, time = core.file_status(profile.image.path)
  for _, file in ipairs(profile.data.files) do
    if not (time and is_older(file, time)) then return false end
  end
  return true
end

-- Addresses beyond .text may be those of .fini, and profiles are rounded up.
local PAGE <const> = 4096

-- The evidence that the profile is of another build, or else the possible reasons.
local function evidence(profile)
  local image, data = profile.image, profile.data
  if is_newer(profile) then
    return ("%s is newer than the profile, and may be another build than the one that " ..
      "ran"):format(image.path)
  elseif data.low < image.text_low - PAGE or data.high > image.text_high + PAGE then
    return ("the profile is about addresses 0x%x to 0x%x, the code at 0x%x to 0x%x, " ..
      "so it may be that of another build, or of libraries, too"):format(data.low,
      data.high, image.text_low, image.text_high)
  end
  return "the profile may be that of another build, or symbols may have been stripped"
end

-- The number and the part of samples outside of functions that are worth a hint.
local MANY <const>, PART <const> = 10, 1 / 20

-- Of the arcs within the profiled code, at least the part `FITTING` leads to entries of
-- functions if the profile is of this build. Of an older build, half may by chance.
local FITTING <const>, BY_CHANCE <const> = 0.9, 0.5

-- Arcs that must not fit to be evidence.
local ENOUGH <const> = 3

--- Whether functions are all those of the image, under its names: some options remove
-- functions, or make them parts of others.
-- @tparam table settings
-- @treturn boolean
function diagnosis.has_all_functions(settings)
  return not (settings.no_static or settings.external_symbol_table or
    settings.file_ordering)
end

-- The numbers of arcs that lead to no entry of a function, and of all arcs, if that is
-- evidence for another build; nil otherwise.
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

-- Hints at why no samples, or no calls, were recorded.
local function hint_missing_records(profile, chosen, options)
  if profile.recorded_ticks <= 0 and lacks_time(chosen, options) then
    hint("nothing was sampled: a sample is taken every %s, and the program ran for " ..
      "less, or elsewhere; a longer run or the sum of several (-s) shows more",
      period_of(profile))
  end
  if not profile.data.has_arcs and not next(options.styles) and chosen.flat then
    hint("no calls were recorded, so there is no call graph: was the program compiled " ..
      "with -pg, and not only linked?")
  end
end

--- Hints at why an image has no lines, if it has none.
-- @tparam profile profile
function diagnosis.explain_lines(profile)
  for _, file in profile:functions("address", "id", "file") do
    if file then return end
  end
  hint("%s tells of no source files and lines: was the program compiled with -g?",
    profile.image.path)
end

local LEAST <const> = 0.01  -- the part of all time that is worth a warning

--- Warns if much of the time was spent in code without symbols, which counts for other
-- functions. A single sample of a few may be many percent, so the error is subtracted.
-- @tparam profile profile
-- @tparam function warn takes a message
function diagnosis.warn_uncovered(profile, warn)
  local time = profile.uncovered
  if (time - profile:error_of(time)) / profile.total <= LEAST then return end
  local low, high, most, f = profile:uncovered_range()
  warn(("%.1f%% of the samples are of code that no symbol covers, and count for the " ..
    "function before it: %s of them for %s, at 0x%x to 0x%x"):format(
    100 * time / profile.total, most < time and "most" or "all", f.name, low, high))
end

--- Refuses data that do not belong to an image.
-- @tparam image image
-- @tparam data data with addresses
-- @tparam string where what messages call the data
-- @raise a table with the field `message`
function diagnosis.refuse(image, data, where)
  local low, high = require "gprof.library.external_calls".covered(data)
  failure.raise("%s: does not belong to %s: it is about addresses 0x%x to 0x%x, the " ..
    "code is at 0x%x to 0x%x", where, image.path, low or data.low, high or data.high,
    image.text_low, image.text_high)
end

--- Hints at what is odd about a profile, if it matters to the output.
-- @tparam profile profile
-- @tparam {[string]=boolean} chosen styles
-- @tparam table options of the reports
function diagnosis.explain(profile, chosen, options)
  hint_missing_records(profile, chosen, options)
  local shows_calls = chosen.flat or chosen.graph or chosen.tree or
    chosen.comparison
  if not (shows_calls or chosen.annotation) then return end
  if profile.foreign and shows_calls then
    hint("all calls that were recorded lead to shared libraries, of which the profile " ..
      "is not: --with shows a program with its libraries")
  end
  local strays, arcs = misfits(profile, options)
  local unknown, recorded = profile.unknown_ticks, profile.recorded_ticks
  if strays and shows_calls then
    hint("%d of %d arcs lead to no entry of a function: %s (--verify tells more)",
      strays, arcs, evidence(profile))
  elseif unknown >= math.max(MANY, PART * recorded) then
    hint("%.0f of %.0f samples are in code that is of no function: %s", unknown,
      recorded, evidence(profile))
  end
end

return diagnosis
