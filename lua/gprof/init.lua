--- Profiles as Lua values.
--
-- An image is an object file; data are raw records of profile files, summed; a
-- profile is what follows from both: functions, calls, cycles, times.
--
--     local gprof = require "gprof"
--     local image = assert(gprof.image("a.out"))
--     local data = assert(gprof.data(image, "gmon.out"))
--     local profile = assert(gprof.profile(image, data))
--     for f in profile:functions() do print(f.name, f.self, f.calls) end
--
-- A bad file is `nil, message`; a misuse is a Lua error.
--
-- @module gprof
-- SPDX-License-Identifier: GPL-3.0-or-later

-- To an older version one line says so, before it meets what it does not know.
if _VERSION ~= "Lua 5.4" then
  error("gprof needs Lua 5.4, this is " .. _VERSION, 0)
end

require "gprof.library.bundle"
local core, problem = require "gprof.library.native".load "gprof.core"
if not core then error("gprof's " .. problem, 0) end

-- Few want to compare profiles: that is loaded when somebody does.
return setmetatable({
  _VERSION = "1.0.0",
  image = require "gprof.image".open,
  data = require "gprof.data",
  profile = require "gprof.profile",
}, { __index = function(gprof, name)
  if name ~= "compare" then return nil end
  gprof.compare = require "gprof.compare"
  return gprof.compare
end })
