--- Recorded libraries and threads: whether reports show them, and warnings about them.
--
-- @internal gprof.cli.recorded
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"
local raise <const> = require "gprof.library.failure".raise

local recorded = {}

--- Fails if threads are to be listed, but are not known.
-- @tparam data data
-- @raise a table with the field `message`
function recorded.check_list(data)
  local threads, problem = require "gprof.library.libraries.recorded".threads(data)
  if not threads then raise("threads are not known: %s", problem) end
end

--- Returns whether all reports can show functions of shared libraries.
-- @tparam table run see gprof.cli.run
-- @treturn boolean
function recorded.shows_libraries(run)
  local settings = run.settings
  for style in pairs(require "gprof.library.libraries.recorded".single_object) do
    if run.printed[style] then return false end
  end
  return policy.of(settings).measured_times and not settings.no_libraries
end

--- Warns about libraries that cannot be read.
-- @tparam profile profile
-- @tparam function warn takes a message
function recorded.warn(profile, warn)
  for _, library in ipairs(profile:unusable_libraries()) do
    local path, problem = library.path, library.problem
    warn(path and ("%s: %s: its functions are shown as one, <%s>"):format(path, problem,
      path:match "[^/]*$") or "libraries are not shown: " .. problem)
  end
end

return recorded
