--- Says why inlined functions are not shown, or not everywhere.
--
-- @internal gprof.cli.advice.inlines
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local policy = require "gprof.library.policy"

local inlines = {}

-- Exports that have the lines of compiled functions, if the profile is by line.
local of_compiled_functions <const> = { callgrind = true, pprof = true }

-- Warns if an export does not have inlined functions.
local function check_exports(run, warn)
  for _, export in ipairs(run.settings.exports) do
    if of_compiled_functions[export.kind] and run.profile.by_line then
      warn(("--inlines has no effect on --export=%s with -l (--line)"):format(
        export.kind))
    end
  end
end

--- Warns if inlined functions were requested, but are not shown.
-- @tparam table run see gprof.cli.run
-- @tparam function warn takes a message
function inlines.warn(run, warn)
  local settings, profile = run.settings, run.profile
  if not policy.of(settings).extends_reports then return end
  if settings.external_symbol_table or settings.file_ordering then
    warn "--inlines has no effect with other symbols than those of the program"
  elseif not (profile.has_inlines or profile.has_frames) then
    if core.gaps_reported(profile.image) then return end  -- it was said what is missing
    warn(("%s: has no debugging information for the recorded code, so --inlines has " ..
      "no effect: compile with -g"):format(profile.image.path))
  else
    check_exports(run, warn)
  end
end

return inlines
