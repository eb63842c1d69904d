--- `--baseline` and `--update-baseline`. A baseline that is read is an old profile to
-- compare with; a baseline that is written is an export. Loaded on demand.
--
-- @internal gprof.cli.baselines
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local raise <const> = require "gprof.library.failure".raise
local source_root = require "gprof.library.files.source_root"

local baselines = {}

--- Turns the options into a comparison or an export.
-- @tparam table settings
-- @raise a table with the field `message`
function baselines.apply(settings)
  local path = settings.baseline
  if settings.update_baseline then
    settings.source_root = source_root.of(path:match "^(.*)/[^/]*$" or ".")
    table.insert(settings.exports, { kind = "baseline", path = path,
      print = require "gprof.export.baseline" })
    return
  end
  local kind, problem = core.file_status(path)
  if not kind then
    raise("%s: write the baseline of a good run with --update-baseline", problem)
  end
  settings.compare[1] = settings.baseline
  settings.styles.comparison = true
end

return baselines
