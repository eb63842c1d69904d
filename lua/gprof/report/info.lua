--- File information: the number of records of each kind in the profiles.
--
-- @module gprof.report.info
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"
local context_files = require "gprof.library.files.context_files"

local kinds <const> = {
  { "histogram_records", "histogram record" },
  { "arc_records", "call-graph record" },
  { "block_records", "basic-block count record" },
}

local process_kinds <const> = { { "processes", "process", "es" } }

local context_kinds <const> = {
  { "threads", "thread" },
  { "modules", "module" },
  { "contexts", "call path" },
  { "calls", "call" },
  { "ticks", "sample" },
}

local function write_counts(file, counted, write)
  for _, kind in ipairs(counted) do
    local count = file[kind[1]]
    write("\t%d %s%s\n", count, kind[2], count == 1 and "" or kind[3] or "s")
  end
end

local function write_file(file, version, write)
  local is_context = file.format == "context"
  write(("File `%s' (version %d) contains:\n"):format(file.path, version))
  if is_context and file.process == 0 then write_counts(file, process_kinds, write) end
  write_counts(file, is_context and context_kinds or kinds, write)
  if file.wall then write "\tsamples are of wall-clock time\n" end
  if file.joined then
    write "\tsome call paths were joined, because there were too many\n"
  end
  if is_context and file.lost > 0 then
    write("\t%d calls were not counted, for lack of memory\n", file.lost)
  end
end

--- Prints the report: each file that was read, and the context profile beside it.
-- @tparam profile profile
-- @tparam table options `gnu_compat`: for a file without a version, print the version of
--   the file before it; and do not look for context profiles
-- @tparam stream write
return function(profile, options, write)
  local version, rules = 0, policy.of(options)
  for _, file in ipairs(profile.data.files) do
    version = file.version or rules.inherits_version and version or 0
    write_file(file, version, write)
    if file.format == "magic" and rules.reads_all_formats then
      local companion, message = context_files.companion_of(profile.image, file)
      if companion then write_file(companion, companion.version, write) end
      if message then write(message .. "\n") end
    end
  end
end
