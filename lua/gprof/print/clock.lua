--- Lines above a report: which clock took the samples, and what they do not show.
--
-- @internal gprof.print.clock
-- SPDX-License-Identifier: GPL-3.0-or-later

local clock = {}

-- Flags of a context profile, each with a description. %s is the kernel's tick.
local CLOCKS <const> = {
  { 4, "events of the kernel, at random times" },
  { 32, "events of the kernel, at random times; system calls at ticks, each %s ms" },
  { 8, "a thread of the recorder, at random times" },
  { 16, "timers at ticks, every %s ms; code that runs in step with them is wrong" },
}

-- Returns the descriptions of the clocks; an empty list if they are unknown.
local function clocks_of(profile)
  local flags, found = profile.clocks, {}
  local tick = ("%.4g"):format((flags >> 16) / 100)
  for _, known in ipairs(CLOCKS) do
    if flags & known[1] ~= 0 then found[#found + 1] = known[2]:format(tick) end
  end
  return found
end

-- Flags that say why samples are missing.
local OBSTACLES <const> = {
  { 64, "the program set an action for the signal that takes samples" },
  { 128, "the program blocked the signal that takes samples" },
}

-- Returns why samples are missing, after ": "; "" if that is unknown.
local function reason_of(profile)
  local found = {}
  for _, known in ipairs(OBSTACLES) do
    if profile.clocks & known[1] ~= 0 then found[#found + 1] = known[2] end
  end
  return found[1] and ": " .. table.concat(found, "; ") or ""
end

-- Samples in the recorder of Lua programs, and in the code that calls it, are left out.
-- But the program is slower after each call of the recorder: shares change by at most
-- this many percentage points if half of the time was the recorder's (see
-- bench/evidence.md).
local BIAS <const> = 8

-- Whether C functions were recorded with a Lua program.
local function has_c(profile)
  for _, file in ipairs(profile.data.files) do
    if file.modules and file.modules > 1 then return true end
  end
  return false
end

-- Returns what a large share of the recorder means, and what helps.
local function consequence_of(profile)
  if not profile.image.has_scripts then
    return "; compile small functions without -pg, or inline them"
  end
  local share = profile.recorder_share
  local condition = has_c(profile) and "without --with-c, " or ""
  return (", so percentages may be off by %.0f; %s--count=none counts no calls"):format(
    math.min(100, BIAS * share / (1 - share)), condition)
end

--- Writes the lines; none if nothing is known.
-- @tparam profile profile
-- @tparam stream write
function clock.write(profile, write)
  if profile.gnu_compat then return end
  local clocks = clocks_of(profile)
  if #clocks > 0 then write("Sampled by: %s.\n", table.concat(clocks, "; and ")) end
  if profile.coverage < 1 then
    write("Samples stand for only %.0f%% of the processor time, %.2f seconds%s.\n",
      100 * profile.coverage, profile.cpu, reason_of(profile))
  end
  if profile.recorder_share > 0.2 then
    write("%.0f%% of the processor time was the recorder's%s.\n",
      100 * profile.recorder_share, consequence_of(profile))
  end
end

return clock
