-- Sets the mode of Lua's garbage collector for specs from GPROF_COLLECTOR. The modes collect garbage early, so that the
-- core's memory is freed while a wrong reference to it may still exist:
--
-- - "generational" collects young objects often.
-- - "aggressive" does incremental steps all the time. It is for the specs' own process, in which a full cycle takes
--   milliseconds.
-- - "often" does a full cycle whenever memory has grown by a twenty-fifth. The work is proportional to the allocations,
--   so it is for specs with much live data.
-- - "whole" does a full cycle at each allocation that may start one. It is for the small processes that specs start
--   (see spec/collected.sh). A program cannot change this mode.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local collector = {}

local collectgarbage <const> = collectgarbage

-- The step size as a power of two. A step of this size is a full cycle.
local WHOLE <const> = 40

-- Ignores a program's choice of a mode; returns the previous mode, as the original function does.
local function stay()
  function _G.collectgarbage(what, ...)
    if what == "generational" or what == "incremental" then return "incremental" end
    return collectgarbage(what, ...)
  end
end

local modes <const> = {
  generational = function() collectgarbage("generational", 5, 10) end,
  aggressive = function() collectgarbage("incremental", 1, 1000, 1) end,
  often = function() collectgarbage("incremental", 104, 1000, WHOLE) end,
  whole = function()
    collectgarbage("incremental", 1, 1000, WHOLE)
    stay()
  end,
}

--- Sets the mode again, in case a spec changed it.
function collector.set()
  local mode = os.getenv "GPROF_COLLECTOR"
  if mode and mode ~= "" then
    (modes[mode] or error("GPROF_COLLECTOR: unknown mode '" .. mode .. "'"))()
  end
end

collector.set()
return collector
