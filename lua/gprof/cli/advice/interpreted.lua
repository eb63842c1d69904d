--- Leaves out the options that are about machine code, if a Lua program was recorded.
--
-- @internal gprof.cli.advice.interpreted
-- SPDX-License-Identifier: GPL-3.0-or-later

local interpreted = {}

-- The options, each as a field of settings and as it is written.
local ABOUT_MACHINE_CODE <const> = {
  { "no_static", "-a (--no-static)" },
  { "ignore_non_functions", "-D (--ignore-non-functions)" },
  { "static_call_graph", "-c (--static-call-graph)" }, { "inlines", "--inlines" },
  { "bounds", "--bounds" },
}

--- Leaves out these options, and warns about each.
-- @tparam table settings
-- @tparam function warn takes a message
function interpreted.leave_out(settings, warn)
  for _, pair in ipairs(ABOUT_MACHINE_CODE) do
    local field, option = pair[1], pair[2]
    if settings[field] then
      warn(("option %s has no effect on a Lua program: it is about machine code"):format(
        option))
      settings[field] = nil
    end
  end
end

return interpreted
