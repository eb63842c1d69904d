-- How Lua's collector works while specs run. With GPROF_COLLECTOR=aggressive it never rests: whatever nothing
-- keeps alive is gone soon, and what the core has of it is freed.
-- SPDX-License-Identifier: GPL-3.0-or-later

local modes = {
  aggressive = function() collectgarbage("incremental", 1, 1000, 1) end,
  generational = function() collectgarbage("generational", 5, 10) end,
}

local mode = os.getenv "GPROF_COLLECTOR"
if mode and mode ~= "" then
  (modes[mode] or error("GPROF_COLLECTOR: no mode '" .. mode .. "'"))()
end
