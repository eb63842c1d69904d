--- Default values of settings and paths.
--
-- @internal gprof.cli.options.defaults
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

local defaults = {}

--- Returns the settings of an empty command line.
-- @treturn table a new table
function defaults.settings()
  return { styles = {}, reports = {}, exports = {}, compare = {}, profiles_from = {},
    operands = {}, file_format = "auto", width = 80 }
end

--- Returns the path of the program.
-- @tparam table settings
-- @treturn string
function defaults.image_path(settings)
  return settings.operands[1] or "a.out"
end

--- Returns the path of the default profile, for command lines that name none.
-- @tparam table settings
-- @treturn string
function defaults.profile_path(settings)
  return settings.file_format == "prof" and "mon.out" or "gmon.out"
end

--- Returns the format of the profiles to read. The option `file_format` is that of a sum,
-- whose profiles may have any format, except "prof", which cannot be detected.
-- @tparam table settings
-- @treturn string|nil nil for any format
function defaults.input_format(settings)
  local format = settings.file_format
  local is_of_sum = settings.styles.sum and policy.of(settings).detects_summed_formats
  if format == "auto" or is_of_sum and format ~= "prof" then return nil end
  return format
end

--- Returns the path to which a sum is written. With --by-build, "%b" in it stands for the
-- build ID.
-- @tparam table settings
-- @treturn string
function defaults.sum_path(settings)
  return settings.sum_file or settings.by_build and "gmon.%b.sum" or "gmon.sum"
end

return defaults
