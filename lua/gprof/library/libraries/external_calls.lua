--- Calls that lead out of the profiled code, into shared libraries compiled with -pg. The
-- program's profile has these calls, but not the addresses where libraries were loaded.
--
-- @internal gprof.library.libraries.external_calls
-- SPDX-License-Identifier: GPL-3.0-or-later

local external_calls = {}

--- Returns the address range from the first to the last histogram.
-- @tparam data data
-- @treturn[1] integer its lowest address
-- @treturn[1] integer one past its last address
-- @return[2] nil if there is no histogram
function external_calls.covered(data)
  local low, high
  for histogram in data:histograms() do
    if not low or math.ult(histogram.low, low) then low = histogram.low end
    if not high or math.ult(high, histogram.high) then high = histogram.high end
  end
  return low, high
end

--- Returns whether an address lies in a range, or at its exclusive end.
-- @tparam integer address
-- @tparam integer low
-- @tparam integer high
-- @treturn boolean
function external_calls.lies_within(address, low, high)
  return not math.ult(address, low) and not math.ult(high, address)
end

--- Counts the arcs that lead out of the profiled code, which is the range of the
-- histograms. Without a histogram, the first count is 0.
-- @tparam data data
-- @treturn integer number of these arcs
-- @treturn integer number of all arcs
function external_calls.count(data)
  local low, high = external_calls.covered(data)
  local count, all = 0, 0
  for from, to in data:arcs() do
    all = all + 1
    if low and external_calls.lies_within(from, low, high) and
      not external_calls.lies_within(to, low, high)
    then
      count = count + 1
    end
  end
  return count, all
end

--- Returns whether a profile has only calls from the program into libraries. Then no
-- record matches a function of the program, although the profile belongs to it.
-- @tparam profile profile
-- @treturn boolean
function external_calls.is_all(profile)
  if profile.recorded_ticks > 0 then return false end
  local image = profile.image
  for from in profile.data:arcs() do
    if not external_calls.lies_within(from, image.code_low, image.code_high) then
      return false
    end
  end
  local count, all = external_calls.count(profile.data)
  return all > 0 and count == all
end

return external_calls
