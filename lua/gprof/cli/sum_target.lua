--- The file that a sum replaces. It is locked before any profile is read, because it may
-- also be one of the profiles. Without the lock, another process could write a sum to the
-- file after we have read it, and we would overwrite that sum.
--
-- @internal gprof.cli.sum_target
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.defaults"

local sum_target = {}
sum_target.__index = sum_target

-- Locks the file. Returns the lock, and whether there is no file yet.
local function lock(path, follow)
  local held, state = core.lock(path, follow, false)
  if state == "busy" then
    require "gprof.format.terminal".tell(
      ("gprof.lua: %s: waiting for another process that writes it"):format(path))
    held, state = core.lock(path, follow, true)
  end
  return held, state == "missing"
end

--- Locks the file of the sum that the settings request. Waits for other processes that
-- hold the lock.
-- @tparam table settings
-- @treturn sum_target|nil the file, unlocked at the end of the scope of a `<close>`
--   variable; nil if no sum is requested. Its fields: `path`; `kind`, who chose the path;
--   and `is_first`, whether there is no file yet (see `gprof.output.new_file`)
function sum_target.open(settings)
  if not settings.styles.sum then return nil end
  local path = defaults.sum_path(settings)
  local kind = not settings.sum_file and "default" or
    settings.sandbox and "confined" or "chosen"
  local held, is_first = lock(path, kind == "chosen")
  return setmetatable({ path = path, kind = kind, is_first = is_first, lock = held },
    sum_target)
end

function sum_target:__close()
  local _ <close> = self.lock
end

return sum_target
