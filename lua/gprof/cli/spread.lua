--- The option --spread: its report, and the options that it excludes.
--
-- @internal gprof.cli.spread
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options"
local raise <const> = require "gprof.library.failure".raise

local spread = {}

-- Settings with which profiles are not whole runs of the functions of the program.
local excluded <const> = { "slide", "no_static", "ignore_non_functions",
  "external_symbol_table", "file_ordering", "inlines" }

--- Requests the report of a spread, unless the spread is only written beside a sum.
-- @tparam table settings with `spread` set
-- @raise a table with the field `message`
function spread.prepare(settings)
  options.refuse_with(settings, "--spread", excluded)
  if settings.threads then
    raise "options --spread and --thread are mutually exclusive"
  end
  if not settings.styles.sum then settings.styles.spread = true end
end

return spread
