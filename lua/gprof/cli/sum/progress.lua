--- A line on a terminal that shows the progress of long work.
--
-- The line is rewritten in place. It appears if the work takes longer than `DELAY`, and
-- must be cleared before anything else is written.
--
-- @internal gprof.cli.sum.progress
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local progress = {}
progress.__index = progress

local DELAY <const>, INTERVAL <const> = 1, 0.25  -- seconds

--- Creates a progress line, and starts its clock.
-- @tparam integer total the number of files; 0 if it is unknown
-- @tparam boolean enabled whether the line is ever shown
-- @treturn table
function progress.new(total, enabled)
  local now = core.clock()
  return setmetatable({ total = total, enabled = enabled, start = now, next = now + DELAY,
    width = 0 }, progress)
end

-- Formats seconds as "1:02" or "1:00:02".
local function duration(seconds)
  local minutes = seconds // 60
  if minutes < 60 then return ("%d:%02d"):format(minutes, seconds % 60) end
  return ("%d:%02d:%02d"):format(minutes // 60, minutes % 60, seconds % 60)
end

--- Shows the line if an update is due.
-- @tparam integer files the number of processed files, at least 1
-- @tparam integer bytes the number of bytes in them
function progress:update(files, bytes)
  if not self.enabled then return end
  local now = core.clock()
  if now < self.next then return end
  self.next = now + INTERVAL
  local passed = now - self.start
  local speed = bytes / passed / 1e6
  local left = math.ceil(passed / files * (self.total - files))
  local text = self.total == 0 and ("%d files, %.1f MB/s"):format(files, speed) or
    ("%d of %d files, %.1f MB/s, %s left"):format(files, self.total, speed,
      duration(left))
  io.stderr:write("\r", text, (" "):rep(self.width - #text))
  self.width = #text
end

--- Clears the line.
function progress:clear()
  if self.width > 0 then io.stderr:write("\r", (" "):rep(self.width), "\r") end
  self.width = 0
end

progress.__close = progress.clear

return progress
