--- Calls that lead out of what was profiled: into shared libraries that are compiled with
-- -pg, too. The program's profile has them, and says nothing of where the libraries were.
--
-- @internal gprof.library.external_calls
-- SPDX-License-Identifier: GPL-3.0-or-later

local external_calls = {}

--- The range that all histograms cover, as one.
-- @tparam data data
-- @treturn[1] integer its lowest address
-- @treturn[1] integer the one behind its last
-- @return[2] nil if there is no histogram
function external_calls.covered(data)
  local low, high
  for histogram in data:histograms() do
    if not low or math.ult(histogram.low, low) then low = histogram.low end
    if not high or math.ult(high, histogram.high) then high = histogram.high end
  end
  return low, high
end

--- Whether an address lies in a range, or at its end.
-- @tparam integer address
-- @tparam integer low
-- @tparam integer high
-- @treturn boolean
function external_calls.lies_within(address, low, high)
  return not math.ult(address, low) and not math.ult(high, address)
end

--- How many arcs lead from what was profiled to elsewhere. Without a histogram, which
-- says what was profiled, none does.
-- @tparam data data
-- @treturn integer
-- @treturn integer of how many arcs
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

--- Whether a program did nothing that was recorded but call libraries: then nothing meets
-- its functions, though the profile is its own.
-- @tparam profile profile
-- @treturn boolean
function external_calls.is_all(profile)
  if profile.recorded_ticks > 0 then return false end
  local image = profile.image
  for from in profile.data:arcs() do
    if not external_calls.lies_within(from, image.text_low, image.text_high) then
      return false
    end
  end
  local count, all = external_calls.count(profile.data)
  return all > 0 and count == all
end

return external_calls
