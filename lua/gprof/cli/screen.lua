--- Reports that go to a terminal: what they are to know of it, and whether a pager shows
-- them.
--
-- @internal gprof.cli.screen
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local output = require "gprof.output"

local screen = {}

--- Opens standard output, a terminal, or the pager that the environment names.
-- @tparam table settings gets `terminal_width`
-- @tparam function is_colored whether sequences for colours are meant to be there
-- @treturn stream
-- @treturn function to be called in the end
-- @treturn table|nil to be closed in any case
function screen.open(settings, is_colored)
  settings.terminal_width = core.terminal_width(io.stdout)
  local pager = os.getenv "GPROF_PAGER"
  if pager and pager:find "%S" then
    return require "gprof.cli.pager".into(pager, is_colored)
  end
  return output.into(io.stdout, is_colored)
end

return screen
