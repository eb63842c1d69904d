--- Whether image, profile and source belong together: checks, each with its figures.
--
-- A check is a function of what is known; it returns whether it holds, or nil if there is
-- nothing to compare; its figures in words; and figures for `count` and `all`.
--
-- @internal gprof.library.verify
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local external_calls = require "gprof.library.external_calls"
local slide = require "gprof.library.slide"
local source_text = require "gprof.library.source_text"

local MOST <const> = 0.9         -- of addresses have to fit: some are of other code
local MOST_TICKS <const> = 0.75  -- of the samples: linkage, say, has no functions
local ROUNDING <const> = 16      -- bytes by which a histogram may be larger than the code

local checks = {}

local function most(count, all, part, text)
  if all == 0 then return nil, "none were recorded" end
  return count >= part * all, text, count, all
end

-- It covers the code, or a part of it: anything else is of other code.
function checks.histogram(profile)
  local image, low, high = profile.image, external_calls.covered(profile.data)
  if not low then return nil, "none was recorded" end
  local below = not math.ult(image.text_low, low)
  local above = not math.ult(high, image.text_high)
  local within = not math.ult(low, image.text_low - ROUNDING) and
    not math.ult(image.text_high + ROUNDING, high)
  return below and above or within,
    ("it covers 0x%x to 0x%x, the code is at 0x%x to 0x%x"):format(low, high,
      image.text_low, image.text_high)
end

-- If they are not at entries, all of them may be off by one number.
local function moved(profile)
  local found, message = slide.find(profile.image, profile.data, {})
  if message and message:find "not enough memory$" then error(message, 0) end
  if not found or found.offset == 0 then return "" end
  return ("; with --slide=%s, %d"):format(slide.text(found.offset), found.fitting)
end

function checks.callees(profile)
  local all, count = core.arcs_at_entries(profile.symbols, profile.data)
  local elsewhere = count < all and external_calls.count(profile.data) or 0
  all = all - elsewhere
  local text = ("%d of %d arcs lead to entries of functions"):format(count, all)
  if count < MOST * all then text = text .. moved(profile) end
  if elsewhere > 0 and all == 0 then
    return nil, ("none but %d to libraries"):format(elsewhere)
  elseif elsewhere > 0 then
    text = ("%s; %d to libraries"):format(text, elsewhere)
  end
  return most(count, all, MOST, text)
end

-- Whether it is not recorded where a call came from: it is of a shared library, from
-- outside, or of System V's profiles, which do not know callers.
local function is_unknown(from, data)
  local highest = data.pointer_size == 4 and 0xffffffff or -1
  return from == highest or data.shared and from == 0
end

function checks.callers(profile)
  local low, high, data = profile.image.text_low, profile.image.text_high, profile.data
  local count, all, unknown = 0, 0, 0
  for from in data:arcs() do
    if is_unknown(from, data) then
      unknown = unknown + 1
    else
      all = all + 1
      if external_calls.lies_within(from, low, high) then count = count + 1 end
    end
  end
  local text = ("%d of %d arcs come from the code"):format(count, all)
  if unknown == 0 then return most(count, all, MOST, text) end
  local what = data.shared and "from outside" or "whose callers are not known"
  if all == 0 then return nil, ("none but %d %s"):format(unknown, what) end
  return most(count, all, MOST, ("%s; %d %s"):format(text, unknown, what))
end

function checks.samples(profile)
  local all = profile.sampled_ticks
  local count = math.min(profile.met_ticks, all)  -- fractions may add up to a little more
  return most(count, all, MOST_TICKS,
    ("%.0f of %.0f samples (%.1f %%) are in functions"):format(count, all,
      all > 0 and 100 * count / all or 0))
end

-- When a file was changed, if there is one.
local function changed(path)
  local kind, time = core.file_status(path)
  return kind == "file" and time or nil
end

function checks.image(profile)
  local built, count, all = changed(profile.image.path), 0, 0
  for _, file in ipairs(profile.data.files) do
    local written = file.path ~= "-" and changed(file.path)
    if built and written then
      all = all + 1
      if written >= built then count = count + 1 end
    end
  end
  if all == 0 then return nil, "it is not known when the profile was written" end
  return count == all, ("%d of %d profile%s written since the image was changed"):format(
    count, all, all == 1 and " was" or "s were"), count, all
end

-- The source files of all functions, each once.
local function files_of(profile)
  local files, seen = {}, {}
  for _, file in profile:functions("address", "address", "file") do
    if file and not seen[file] then files[#files + 1] = file end
    if file then seen[file] = true end
  end
  return files
end

function checks.source(profile, directories)
  local built, count, all, newer = changed(profile.image.path), 0, 0, nil
  for _, name in ipairs(files_of(profile)) do
    local path, time = source_text.find(name, directories)
    if path and built then
      all = all + 1
      if time <= built then count = count + 1 else newer = newer or path end
    end
  end
  if all == 0 then return nil, "none was found" end
  return count == all, ("%d of %d files are older than the image%s"):format(count, all,
    newer and ", but not " .. newer or ""), count, all
end

-- In their order; those of addresses come first.
local order <const> = { "histogram", "callees", "callers", "samples", "image", "source" }
local OF_ADDRESSES <const> = 4

--- Runs all checks.
-- @tparam profile profile
-- @tparam[opt] {string,...} directories to look for the source in
-- @treturn table as `profile:verify` returns it
return function(profile, directories)
  local verdict, failed, held = {}, false, false
  for i, name in ipairs(order) do
    local holds, text, count, all = checks[name](profile, directories)
    verdict[i] = { name = name, holds = holds, text = text, count = count, all = all }
    failed = failed or holds == false
    held = held or holds and i <= OF_ADDRESSES
  end
  verdict.belongs = held and not failed
  return verdict
end
