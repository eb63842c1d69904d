--- A line on a terminal that tells how far long work is.
--
-- It is rewritten in place, comes only when the work takes more than a moment, and is
-- gone before anything else is written.
--
-- @internal gprof.cli.progress
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local progress = {}
progress.__index = progress

local DELAY <const>, INTERVAL <const> = 1, 0.25  -- seconds

--- Begins.
-- @tparam integer total how many files there are
-- @tparam boolean wanted whether anything is ever shown
-- @treturn table
function progress.new(total, wanted)
  local now = core.clock()
  return setmetatable({ total = total, wanted = wanted, start = now, next = now + DELAY,
    width = 0 }, progress)
end

-- Seconds as "1:02" or "1:00:02".
local function duration(seconds)
  local minutes = seconds // 60
  if minutes < 60 then return ("%d:%02d"):format(minutes, seconds % 60) end
  return ("%d:%02d:%02d"):format(minutes // 60, minutes % 60, seconds % 60)
end

--- Tells how far it is.
-- @tparam integer files how many are done, from 1
-- @tparam integer bytes in them
function progress:update(files, bytes)
  if not self.wanted then return end
  local now = core.clock()
  if now < self.next then return end
  self.next = now + INTERVAL
  local passed = now - self.start
  local left = math.ceil(passed / files * (self.total - files))
  local text = ("%d of %d files, %.1f MB/s, %s left"):format(files, self.total,
    bytes / passed / 1e6, duration(left))
  io.stderr:write("\r", text, (" "):rep(self.width - #text))
  self.width = #text
end

--- Takes the line away: something else is to be written, or the work is done.
function progress:clear()
  if self.width > 0 then io.stderr:write("\r", (" "):rep(self.width), "\r") end
  self.width = 0
end

progress.__close = progress.clear

return progress
