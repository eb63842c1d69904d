--- Whether bounds of inclusive times can be computed from a profile (see
-- doc/inclusive-time.md).
--
-- @internal gprof.library.bounds
-- SPDX-License-Identifier: GPL-3.0-or-later

local collection = require "gprof.library.collection"
local core = require "gprof.core"

local bounds = {}

-- Whether a dynamically linked program can switch the recording off. A static program
-- always has these functions; there the core looks for calls.
local function can_stop(image)
  return core.imports_mcount(image) and
    core.mentions_any(image, "moncontrol", "monstartup")
end

--- Returns why there are no bounds, as far as this can be told without the machine code.
-- @tparam image image
-- @tparam data data
-- @tparam table options of the profile
-- @treturn string|nil "the program can start threads ..."
function bounds.problem(image, data, options)
  if not data.has_histogram then return "the profile has no samples" end
  if not data.has_arcs then return "no calls were recorded" end
  local lacks_callers = data.shared
  for _, file in ipairs(data.files) do
    lacks_callers = lacks_callers or file.format == "prof"
  end
  if lacks_callers then return "the profile does not have all callers" end
  if options.line then return "the profile is by line" end
  if options.inlines then
    return "the machine code does not show which inlined function makes a call"
  end
  if options.with then return "the profile is of several objects" end
  if options.no_static or options.external_symbol_table or options.file_ordering or
    core.lacks_local_symbols(image)
  then
    return "not every function has a symbol of its own"
  end
  if collection.may_lose_calls { image = image, data = data } then
    return "the program can start threads, whose calls the C library may lose"
  end
  if can_stop(image) then
    return "the program can switch the recording off (moncontrol)"
  end
end

return bounds
