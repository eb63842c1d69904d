--- File information: the number of records of each kind in the profiles.
--
-- @module gprof.report.info
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

local kinds = {
  { "histogram_records", "histogram record" },
  { "arc_records", "call-graph record" },
  { "block_records", "basic-block count record" },
}

--- Prints the report about each file that was read.
-- @tparam profile profile
-- @tparam table options `gnu_compat`: for a file without a version, print the version of
--   the file before it
-- @tparam stream write
return function(profile, options, write)
  local version, inherits = 0, policy.of(options).inherits_version
  for _, file in ipairs(profile.data.files) do
    version = file.version or inherits and version or 0
    write(("File `%s' (version %d) contains:\n"):format(file.path, version))
    for _, kind in ipairs(kinds) do
      local count = file[kind[1]]
      write("\t%d %s%s\n", count, kind[2], count == 1 and "" or "s")
    end
  end
end
