--- What the option for the spread requests: its report, and what it excludes.
--
-- @internal gprof.cli.spread
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options"
local raise <const> = require "gprof.library.failure".raise

local spread = {}

-- Settings with which profiles are not whole runs of the functions of the program.
local excluded <const> = { "slide", "no_static", "ignore_non_functions",
  "external_symbol_table", "file_ordering", "inlines", "thread" }

--- Requests the report of a spread, unless the spread is only written beside a sum.
-- @tparam table settings with `spread` set
-- @raise a table with the field `message`
function spread.prepare(settings)
  for _, setting in ipairs(excluded) do
    local is_set = settings[setting] or setting == "thread" and settings.threads
    if is_set then
      raise("options --spread and %s are mutually exclusive", options.name_of(setting))
    end
  end
  if not settings.styles.sum then settings.styles.spread = true end
end

return spread
