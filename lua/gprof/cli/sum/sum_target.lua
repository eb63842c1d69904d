--- The file that a sum replaces. It is locked before any profile is read, because it may
-- also be one of the profiles. Without the lock, another process could write a sum to the
-- file after we have read it, and we would overwrite that sum.
--
-- If there is no file yet, its name is locked. A process that has waited for this lock
-- may find that another one has created the file. Then the file is one of the profiles:
-- replacing it would lose the other process's profiles.
--
-- @internal gprof.cli.sum.sum_target
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local profile_files = require "gprof.library.files.profile_files"

local sum_target = {}
sum_target.__index = sum_target

-- Returns a function that takes locks on a path. It waits while another process holds the
-- lock, and reports the first time that it waits.
local function locker(path)
  local told = false
  return function(lock, follow)
    local held, state = lock(path, false, follow)
    if state ~= "busy" then return held, state end
    if not told then
      require "gprof.format.terminal".tell(
        ("gprof.lua: %s: waiting for another process that writes it"):format(path))
    end
    told = true
    return lock(path, true, follow)
  end
end

-- Locks the file, or its name. Returns the lock, nil if locking is not possible; whether
-- there is no file yet; and whether another process has just created the file.
local function lock(path, follow)
  local take = locker(path)
  local file, state = take(core.lock, follow)
  if state ~= "missing" then return file, false, false end
  local name = take(core.lock_name)
  file, state = take(core.lock, follow)
  if state == "missing" then return name, true, false end
  local _ <close> = name
  return file, false, true
end

-- Whether a sum goes to a device, which has no files beside it.
local function is_device(path)
  local status = core.file_status(path)
  return path == "-" or status and status ~= "file"
end

--- Locks the file of the sum that the settings request. Waits for other processes that
-- hold the lock. Sets `settings.sum_target` to a table with these fields:
--
-- - `path`; `kind`, who chose the path;
-- - `is_first`, whether there is no file yet (see `gprof.output.unfinished`);
-- - `is_new`, whether another process has created the file since this one started;
-- - `companion` and `spread`, the paths for a context profile and for a spread; nil if
--   the sum goes to a device.
--
-- @tparam table settings
-- @treturn sum_target|nil the table, for a `<close>` variable, at the end of whose scope
--   the file is unlocked; nil if no sum is requested
function sum_target.open(settings)
  if not settings.styles.sum then return nil end
  local path = defaults.sum_path(settings)
  local kind = (settings.sum_is_derived or not settings.sum_file) and "derived" or
    settings.sandbox and "confined" or "chosen"
  local target = setmetatable({ path = path, kind = kind }, sum_target)
  if not is_device(path) then
    target.companion = profile_files.context_path(path)
    target.spread = profile_files.spread_path(path)
  end
  if path ~= "-" then
    target.lock, target.is_first, target.is_new = lock(path, kind == "chosen")
  end
  settings.sum_target = target
  return target
end

function sum_target:__close()
  local _ <close> = self.lock
end

return sum_target
