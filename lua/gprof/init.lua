--- Profiles as Lua values.
--
-- An image is an object file: a program or a shared library. Data are the raw records of
-- one or more profile files, summed. A profile combines an image with data: functions,
-- calls, cycles, times.
--
--     local gprof = require "gprof"
--     local image = assert(gprof.image("a.out"))
--     local data = assert(gprof.data(image, "gmon.out"))
--     local profile = assert(gprof.profile(image, data))
--     for f in profile:functions() do print(f.name, f.self, f.calls) end
--
-- If a file is missing or invalid, functions return `nil, message`. Invalid arguments
-- raise an error.
--
-- A process can have several Lua states that use the library, but only one of its threads
-- may do so at a time, because libbfd is not thread-safe.
--
-- @module gprof
-- SPDX-License-Identifier: GPL-3.0-or-later

-- The version is checked first, because the other modules use syntax that older versions
-- cannot parse.
if _VERSION ~= "Lua 5.4" then
  error("gprof needs Lua 5.4, this is " .. _VERSION, 0)
end

-- All other modules come from the directory of this file.
local home = package.loaded["gprof.library.home"] or
  dofile(debug.getinfo(1, "S").source:match "^@(.*/)" .. "library/home.lua")
local loaded, core = pcall(require, "gprof.core")
if not loaded then
  local problem
  core, problem = require "gprof.library.native".load "gprof.core"
  if not core then error("gprof's " .. problem, 0) end
end
home.use(core)

-- These modules are rarely used, so they are loaded on first access.
local others = { compare = true, record = true, request = true }

return setmetatable({
  _VERSION = "1.0.0",
  image = require "gprof.image".open,
  data = require "gprof.data",
  profile = require "gprof.profile",
}, { __index = function(gprof, name)
  if not others[name] then return nil end
  gprof[name] = require("gprof." .. name)
  return gprof[name]
end })
