--- The recorder's options: their limits, and how they are passed to it.
--
-- @internal gprof.library.recorder_options
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"

local recorder_options = {}

-- The least and largest value of each option: samples per second, and megabytes. See
-- csrc/runtime/options.c.
recorder_options.limits = { rate = { 0, 100000 }, memory = { 1, 1048576 } }

local names <const> = { "rate", "memory" }

--- Checks the options of `gprof.record`.
-- @tparam table options
-- @raise an error that names the argument
function recorder_options.check(options)
  for _, name in ipairs(names) do
    local value, limits = options[name], recorder_options.limits[name]
    if value and (value < limits[1] or value > limits[2]) then
      arguments.bad(2, "record", 3, "option '%s': %d to %d expected, got %d", name,
        limits[1], limits[2], value)
    end
  end
end

--- Returns the environment variable that passes options to the recorder, after those that
-- it has already: the last value of an option counts.
-- @tparam table options
-- @treturn string|nil nil if no option is set
function recorder_options.setting(options)
  local words = { os.getenv "GPROF_RECORDER" }
  if words[1] == "" then words[1] = nil end
  local given = #words
  for _, name in ipairs(names) do
    if options[name] then words[#words + 1] = ("%s=%d"):format(name, options[name]) end
  end
  local signal = options.dump_signal
  if signal then words[#words + 1] = "dump-signal=" .. signal end
  if options.anew then words[#words + 1] = "anew" end
  if options.follow then words[#words + 1] = "follow" end
  return #words > given and "GPROF_RECORDER=" .. table.concat(words, ",") or nil
end

return recorder_options
