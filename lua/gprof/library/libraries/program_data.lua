--- The data that profiles were made from: that of the program alone. If a profile has
-- functions of libraries, `profile.data` has their records, too. Loaded on demand.
--
-- @internal gprof.library.libraries.program_data
-- SPDX-License-Identifier: GPL-3.0-or-later

local program_data = {}

-- By profile, if it is not `profile.data`.
local known = setmetatable({}, { __mode = "k" })

--- Returns the program's own data.
-- @tparam profile profile
-- @treturn data
function program_data.of(profile) return known[profile] or profile.data end

--- Stores the program's own data.
-- @tparam profile profile
-- @tparam data data
function program_data.set(profile, data) known[profile] = data end

return program_data
