-- How Lua's collector works while specs run: GPROF_COLLECTOR=generational looks at what is new all the time,
-- "aggressive" at everything: it never rests. Whatever nothing keeps alive is gone soon, and what the core has of it is
-- freed.
-- SPDX-License-Identifier: GPL-3.0-or-later

local modes = {
  generational = function() collectgarbage("generational", 5, 10) end,
  aggressive = function() collectgarbage("incremental", 1, 1000, 1) end,
}

local mode = os.getenv "GPROF_COLLECTOR"
if mode and mode ~= "" then
  (modes[mode] or error("GPROF_COLLECTOR: no mode '" .. mode .. "'"))()
end
