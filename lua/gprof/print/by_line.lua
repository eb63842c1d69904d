--- The profile by line of the same image and data as another profile.
--
-- @internal gprof.print.by_line
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local failure = require "gprof.library.failure"
local gprof = require "gprof"

local by_line = {}

--- Makes the profile by line. With block counts, it has all lines, so that lines that
-- never ran can be told from lines without code.
-- @tparam profile profile
-- @tparam table options the options of the profile
-- @treturn profile `profile` itself if it is suitable: by line, and made to know where
--   lines were inlined if `options` ask for that
-- @raise a table with the field `message`
function by_line.of(profile, options)
  local has_blocks = profile.data.block_records > 0
  local lacks_frames = (options.inlines or options.frames) and
    not profile.seeks_frames
  if profile.by_line and not has_blocks and not lacks_frames then return profile end
  local picked = arguments.pick(options, "profile")
  picked.line = (options.include or options.exclude or has_blocks) and "all" or true
  picked.idle_blocks = has_blocks
  picked.missed = nil  -- `profile` has reported symspecs without a match
  picked.with = nil    -- libraries cannot be profiled by line
  return (failure.need(gprof.profile(profile.image, profile.data, picked)))
end

return by_line
