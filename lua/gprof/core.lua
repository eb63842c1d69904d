--- The core, `gprof/core.so`, from the directory of the library's native modules.
--
-- `require` tries package.path before package.cpath. Without this file, a script whose
-- first module of ours is not `gprof` would find `./gprof/core.lua`.
--
-- @internal gprof.core
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = package.loaded["gprof.library.home"] or
  dofile(debug.getinfo(1, "S").source:match "^@(.*/)" .. "library/home.lua")
local open, problem = package.loadlib(home.native_path "gprof.core", "luaopen_gprof_core")
if not open then error("error loading module 'gprof.core':\n\t" .. problem, 0) end
local core = open "gprof.core"
home.use(core)

return core
