--- The banner of a page: why its figures may be wrong or uncertain, and what to do.
--
-- @internal gprof.export.html.warnings
-- SPDX-License-Identifier: GPL-3.0-or-later

local collection = require "gprof.library.collection"
local policy = require "gprof.library.policy"
local text = require "gprof.export.html.page_text"
local wording = require "gprof.format.wording"

local warnings = {}

-- If there are fewer samples than this, the error of the total time is over 10 %.
local FEW <const> = 100

-- Returns the warning about a profile from another build; nil without evidence for it.
local function mismatch_of(subject, evidence)
  return evidence and { class = "mismatch",
    what = subject .. " is probably from another build of the program.",
    why = ("Times and calls may be shown for the wrong functions. The evidence: %s.")
      :format(evidence),
    remedy = "Name the program that wrote the profile, or run this one again." }
end

--- Returns the warning about few samples; nil if there are enough.
-- @tparam profile profile
-- @treturn table|nil strings: `what` is wrong, `why`, and `remedy`; and `class`
function warnings.few_samples(profile)
  local ticks = profile.total_ticks
  if not profile.data.has_histogram or ticks >= FEW then return nil end
  return { class = "few",
    what = ticks > 0 and ("Only %s."):format(wording.plural(ticks, "sample")) or
      "No samples.",
    why = ticks > 0 and "Times are uncertain by about their errors (±)." or
      "Only calls are shown.",
    remedy = "Run the program for longer, or name several profiles: they are added up." }
end

local function lost_calls(profile, options)
  if not policy.of(options).gives_hints then return nil end
  return collection.may_lose_calls(profile) and { class = "lost",
    what = "Calls may be missing.",
    why = "The program can start threads, and the C library loses calls that threads " ..
      "make at the same time.",
    remedy = "Record it with gprof.lua --record PROGRAM, which counts all calls." }
end

--- Writes the banner.
-- @tparam table content as for `gprof.export.html.page_data`
-- @tparam table options the options of the profile
-- @tparam stream write
function warnings.write(content, options, write)
  local profile, comparison = content.profile, content.comparison
  local checks = policy.of(options).checks_profile
  local function add(warning)
    if not warning then return end
    write(('<p class="warning %s" role="alert"><b>%s</b> %s <em>%s</em></p>\n'):format(
      warning.class, warning.what, text.html(warning.why), warning.remedy))
  end
  add(mismatch_of("This profile", checks and profile:mismatch()))
  add(mismatch_of("The old profile", checks and comparison and comparison.old.mismatch))
  add(warnings.few_samples(profile))
  add(lost_calls(profile, options))
end

return warnings
