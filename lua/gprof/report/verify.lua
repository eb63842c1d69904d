--- Shows whether image, profile and source match: one line for each check, and a last
-- line with the verdict.
--
-- @module gprof.report.verify
-- SPDX-License-Identifier: GPL-3.0-or-later

local words <const> = { [true] = "yes", [false] = "NO" }

-- Returns the verdict as a sentence: "gmon.out belongs to program".
local function sentence(profile, belongs)
  local files = profile.data.files
  local more = files[2] and (" and %d more"):format(#files - 1) or ""
  local verb = files[2] and (belongs and "belong" or "do not belong") or
    (belongs and "belongs" or "does not belong")
  local first = files[1] and files[1].path or "the profile"
  return ("%s%s %s to %s\n"):format(first, more, verb, profile.image.path)
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `verdict`: from `profile:verify`; without it, `directory_path`:
--   where to search for source
-- @tparam stream write
return function(profile, options, write)
  local verdict = options.verdict or profile:verify(options.directory_path)
  for _, check in ipairs(verdict) do
    write("%-9s  %-3s  %s\n", check.name, words[check.holds] or "-", check.text)
  end
  write(sentence(profile, verdict.belongs))
end
