--- The index in BSD's style: columns of equal width; long names are truncated.
--
-- @module gprof.report.bsd.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local index = require "gprof.report.index"

local layout = { cell = "%{reference:6.6s} %{label:-19.19s}", name = "symbol" }

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `display_unused_functions`, `color`
-- @tparam stream write
return function(profile, options, write)
  return index(profile, options, write, layout)
end
