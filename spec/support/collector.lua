-- How Lua's collector works while specs run, as GPROF_COLLECTOR says. Whatever nothing keeps alive is gone soon, and
-- what the core has of it is freed:
--
-- - "generational" looks at what is new all the time;
-- - "aggressive" at everything, step by step: it never rests. It is for the specs' own process, in which so much lives
--   that a whole cycle takes milliseconds;
-- - "often" goes through a whole cycle at once whenever what lives has grown by a twenty-fifth. So the work is in
--   proportion to what is allocated, however much lives: it is for the process of specs that keep a lot;
-- - "whole" goes through a whole cycle at every allocation that may begin one. It is for the small processes that specs
--   start (see spec/collected.sh), and stays whatever these choose for themselves.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local collector = {}

local collectgarbage <const> = collectgarbage

-- A step that is so large, as a power of two, is a whole cycle.
local WHOLE <const> = 40

-- A program that chooses a mode is told that there was another one.
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

--- Has it work so, whatever it was told meanwhile.
function collector.set()
  local mode = os.getenv "GPROF_COLLECTOR"
  if mode and mode ~= "" then
    (modes[mode] or error("GPROF_COLLECTOR: no mode '" .. mode .. "'"))()
  end
end

collector.set()
return collector
