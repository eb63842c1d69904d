--- Profiles of shared libraries: whether one is of the library that it is shown with, and
-- what is to be told of it. It is loaded where there is one.
--
-- @internal gprof.cli.shared
-- SPDX-License-Identifier: GPL-3.0-or-later

local raise <const> = require "gprof.library.failure".raise

local shared = {}

-- The dynamic linker counts where any of the library's code is, be it more than .text.
local function check_range(image, data, where)
  if not data.has_histogram then return end
  if data.low <= image.text_low and data.high >= image.text_high then return end
  raise("%s: does not belong to %s: it is of code at 0x%x to 0x%x, that is at 0x%x to " ..
    "0x%x", where, image.path, data.low, data.high, image.text_low, image.text_high)
end

-- What the linker never leads a call to: stubs, and what objects start and end with.
local never <const> = {
  ["<plt>"] = true, __gmon_start__ = true, _start = true, main = true, _init = true,
  _fini = true, register_tm_clones = true, deregister_tm_clones = true,
  frame_dummy = true, __do_global_dtors_aux = true,
}

-- Whether a call to an address enters a function: on some machines one of two kinds of
-- code, as the lowest bit tells.
local function enters(symbols, callee)
  local symbol = symbols:lookup(callee)
  return symbol ~= nil and callee - symbol.address <= 1 and not never[symbol.name]
end

-- So many addresses in ten may be none of functions before anything is said of it: those
-- of functions without symbol.
local FEW <const> = 1

-- The linker tells where functions begin. Of another library, or another build of it,
-- these are mostly other places.
local function check_callees(image, data, symbols, where, warn)
  local callees, good, bad, example = {}, 0, 0, nil
  for _, callee in data:arcs() do callees[callee] = true end
  for callee in pairs(callees) do
    if enters(symbols, callee) then
      good = good + 1
    else
      bad, example = bad + 1, math.min(example or callee, callee)
    end
  end
  if bad > good then
    raise("%s: does not belong to %s, or to another build of it: no function of a " ..
      "library begins at 0x%x, and so with %d of %d addresses that were called", where,
      image.path, example, bad, good + bad)
  elseif 10 * bad > FEW * (good + bad) then
    warn(("%s: no function of %s begins at %d of %d addresses that were called: it " ..
      "may be of another build, or symbols may have been stripped"):format(where,
      image.path, bad, good + bad))
  end
end

--- Checks that data are of the library, and tells of calls that are not in them.
-- @tparam image image
-- @tparam data data
-- @tparam symbols symbols of the image
-- @tparam table settings
-- @tparam string where what the data are called in messages
-- @tparam function warn takes a message
-- @raise a table with the field `message`
function shared.check(image, data, symbols, settings, where, warn)
  if settings.gnu_compat then
    raise("%s: is a shared library's profile, which GNU gprof does not read", where)
  end
  check_range(image, data, where)
  if require "gprof.cli.diagnosis".has_all_functions(settings) then
    check_callees(image, data, symbols, where, warn)
  end
  if data.uncounted > 0 then
    warn(("%s: the dynamic linker had no room to count %d calls"):format(where,
      data.uncounted))
  end
end

return shared
