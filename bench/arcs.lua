-- A report of one's own, for the benchmarks: a line for each arc, in prepared rows.
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = require "gprof.names"

return function(profile, _, write)
  local callees = write:rows(profile, "callees",
    "%{self:7.2f} %{children:7.2f} %{count:7d}/%{of:-7d} %{caller} -> %{callee}\n",
    { labels = names.labels(profile, { references = true }) })
  for id in profile:entries(nil, "id") do callees(id) end
end
