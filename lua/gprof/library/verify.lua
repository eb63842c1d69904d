--- Checks whether image, profile and source belong together.
--
-- A check is a function of a profile. It returns whether it passes, or nil if there is
-- nothing to compare; the result as a sentence; and the numbers `count` and `all`, if it
-- counts something.
--
-- @internal gprof.library.verify
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local external_calls = require "gprof.library.libraries.external_calls"
local fit = require "gprof.library.fit"
local recorded = require "gprof.library.libraries.recorded"
local slide = require "gprof.library.slide"
local source_text = require "gprof.library.files.source_text"

local MIN_ADDRESSES <const>, MIN_SAMPLES <const> = fit.MIN_ADDRESSES, fit.MIN_SAMPLES

local ROUNDING <const> = 16  -- bytes by which a histogram may be larger than the code

local checks = {}

local function is_enough(count, all, part, text)
  if all == 0 then return nil, "none were recorded" end
  return count >= part * all, text, count, all
end

-- The histogram must cover all of the code or lie within it, and must not be from another
-- build.
function checks.histogram(profile)
  local image, low, high = profile.image, external_calls.covered(profile.data)
  if not low then return nil, "none was recorded" end
  local below = not math.ult(image.text_low, low)
  local above = not math.ult(high, image.text_high)
  local within = not math.ult(low, image.text_low - ROUNDING) and
    not math.ult(image.text_high + ROUNDING, high)
  return (below and above or within) and core.histogram_fits(image, profile.data),
    ("it covers 0x%x to 0x%x, the code is at 0x%x to 0x%x"):format(low, high,
      image.text_low, image.text_high)
end

-- Returns the suggestion to subtract a slide, because all addresses may be off by the
-- same number; "" if no slide is found.
local function suggest_slide(profile)
  local found, message = slide.find(profile.image, profile.data, {})
  if message and message:find "not enough memory$" then error(message, 0) end
  if not found or found.offset == 0 then return "" end
  return ("; with --slide=%s, %d"):format(slide.text(found.offset), found.fitting)
end

function checks.callees(profile)
  local all, count = core.arcs_at_entries(profile.symbols, profile.data)
  local elsewhere = count < all and external_calls.count(profile.data) or 0
  local stripped = fit.stripped_arcs(profile, profile.data)
  all = all - elsewhere - stripped
  local others = {}
  if elsewhere > 0 then others[1] = ("%d to libraries"):format(elsewhere) end
  if stripped > 0 then
    others[#others + 1] = ("%d to functions whose symbols were stripped"):format(stripped)
  end
  if others[1] and all == 0 then return nil, "only " .. table.concat(others, "; ") end
  local text = ("%d of %d arcs lead to function entries"):format(count, all)
  if count < MIN_ADDRESSES * all then text = text .. suggest_slide(profile) end
  return is_enough(count, all, MIN_ADDRESSES, table.concat({ text, table.unpack(others) },
    "; "))
end

-- Whether the caller is unknown: it is outside a shared library, or the profile is from
-- System V, which does not record callers.
local function is_unknown(from, data)
  local highest = data.pointer_size == 4 and 0xffffffff or -1
  return from == highest or data.shared and from == 0
end

function checks.callers(profile)
  local low, high, data = profile.image.code_low, profile.image.code_high, profile.data
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
  if unknown == 0 then return is_enough(count, all, MIN_ADDRESSES, text) end
  local origin = data.shared and "from outside" or "from unknown callers"
  if all == 0 then return nil, ("only %d %s"):format(unknown, origin) end
  text = ("%s; %d %s"):format(text, unknown, origin)
  return is_enough(count, all, MIN_ADDRESSES, text)
end

-- Returns the number of samples in the program and in libraries, if call paths were
-- recorded; otherwise 0.
local function recorded_samples(profile)
  local sum = 0
  for _, thread in ipairs(recorded.threads(profile.data) or {}) do
    sum = sum + thread.ticks
  end
  return sum
end

function checks.samples(profile)
  local all = profile.sampled_ticks
  local elsewhere = all == 0 and recorded_samples(profile) or 0
  if elsewhere > 0 then return nil, ("all %d are in libraries"):format(elsewhere) end
  local count = math.min(profile.met_ticks, all)  -- damaged call paths can have more
  local text = ("%.0f of %.0f samples (%.1f %%) are in functions"):format(count, all,
    all > 0 and 100 * count / all or 0)
  local are_few = all - count < fit.ENOUGH_SAMPLES and count < MIN_SAMPLES * all
  if are_few then return nil, text .. ": too few to tell" end
  return is_enough(count, all, MIN_SAMPLES, text)
end

-- Returns the modification time of a regular file; nil if there is none.
local function mtime_of(path)
  local kind, time = core.file_status(path)
  return kind == "file" and time or nil
end

function checks.image(profile)
  local built, count, all = mtime_of(profile.image.path), 0, 0
  for _, file in ipairs(profile.data.files) do
    local written = file.path ~= "-" and mtime_of(file.path)
    if built and written then
      all = all + 1
      if written >= built then count = count + 1 end
    end
  end
  if all == 0 then return nil, "it is unknown when the profile was written" end
  return count == all, ("%d of %d profile%s written since the image was changed"):format(
    count, all, all == 1 and " was" or "s were"), count, all
end

-- Returns the source files of all functions, each once.
local function files_of(profile)
  local files, seen = {}, {}
  for _, file in profile:functions("address", "id", "file") do
    if file and not seen[file] then files[#files + 1] = file end
    if file then seen[file] = true end
  end
  return files
end

function checks.source(profile, directories)
  local built, count, all, newer = mtime_of(profile.image.path), 0, 0, nil
  for _, name in ipairs(files_of(profile)) do
    local path, time = source_text.find(name, directories)
    if path and built then
      all = all + 1
      if time <= built then count = count + 1 else newer = newer or path end
    end
  end
  if all == 0 then return nil, "none was found" end
  return count == all, ("%d of %d files are older than the image%s"):format(count, all,
    newer and "; newer: " .. newer or ""), count, all, newer
end

-- The first ADDRESS_CHECKS checks are about addresses.
local order <const> = { "histogram", "callees", "callers", "samples", "image", "source" }
local ADDRESS_CHECKS <const> = 4

local verify = {}

--- Runs one check.
-- @tparam string name of the check, see `profile:verify`
-- @tparam profile profile
-- @tparam[opt] {string,...} directories to search for the source
-- @treturn table the check, with fields as `profile:verify` returns them, and `newer`:
--   the path of a source file that is newer than the image, or nil
function verify.check(name, profile, directories)
  local holds, text, count, all, newer = checks[name](profile, directories)
  return { name = name, holds = holds, text = text, count = count, all = all,
    newer = newer }
end

--- Runs all checks.
-- @tparam profile profile
-- @tparam[opt] {string,...} directories to search for the source
-- @treturn table as `profile:verify` returns it
function verify.all(profile, directories)
  local verdict, failed, held = {}, false, false
  for i, name in ipairs(order) do
    verdict[i] = verify.check(name, profile, directories)
    local holds = verdict[i].holds
    failed = failed or holds == false
    held = held or holds and i <= ADDRESS_CHECKS
  end
  verdict.belongs = held and not failed
  return verdict
end

return verify
