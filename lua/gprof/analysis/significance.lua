--- How chance is told from change, where times are sampled.
--
-- Samples are independent of each other, or nearly: their number is Poisson's, and its
-- variance is the number itself.
--
-- @internal gprof.analysis.significance
-- SPDX-License-Identifier: GPL-3.0-or-later

local significance = {}

local abs <const>, max <const>, sqrt <const> = math.abs, math.max, math.sqrt

--- How many times its deviation a normal variable exceeds, to either side, with some
-- chance (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23).
-- @tparam number chance
-- @treturn number right to 0.001
function significance.deviations(chance)
  local t = sqrt(-2 * math.log(chance / 2))
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
    (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
end

-- The variance of the difference of two times: the sum of theirs, which are those of
-- their samples; none is known better than to one sample.
local function variance(old, new, old_rate, new_rate)
  return max(old * old_rate, 1) / old_rate ^ 2 +
    max(new * new_rate, 1) / new_rate ^ 2
end

-- The same if both take equally long, of which the samples of both tell how long it is.
local function variance_of_equals(old, new, old_rate, new_rate)
  return max(old * old_rate + new * new_rate, 1) / (old_rate * new_rate)
end

--- The error of the difference of two times.
-- @tparam number old time
-- @tparam number new time
-- @tparam number old_rate how many samples a unit of it is made of
-- @tparam number new_rate
-- @treturn number in the unit of the times
function significance.error(old, new, old_rate, new_rate)
  return sqrt(variance(old, new, old_rate, new_rate))
end

--- Tells whether a difference of two times is not larger than so many times its error:
-- both that error and the one that it has if nothing has changed. They differ where one
-- side was watched for a shorter time: if that has hardly any samples, by chance, these
-- say too little of how many there might have been.
-- @tparam number old time
-- @tparam number new time
-- @tparam number old_rate how many samples a unit of it is made of
-- @tparam number new_rate
-- @tparam number factor
-- @treturn boolean
function significance.is_noise(old, new, old_rate, new_rate, factor)
  local largest = max(variance(old, new, old_rate, new_rate),
    variance_of_equals(old, new, old_rate, new_rate))
  return abs(new - old) <= factor * sqrt(largest)
end

return significance
