--- Tests whether the difference between two sampled times is significant or noise.
--
-- Samples are nearly independent. So their number has a Poisson distribution, whose
-- variance equals its mean.
--
-- If the samples of a side stand for the part c < 1 of the processor time, a function may
-- have its share of the rest: t/c - t for a time of t. The squares of both sides are
-- added to the variance.
--
-- @internal gprof.analysis.significance
-- SPDX-License-Identifier: GPL-3.0-or-later

local significance = {}

local abs <const>, max <const>, sqrt <const> = math.abs, math.max, math.sqrt

--- Returns the two-sided quantile of the normal distribution: the number of standard
-- deviations that a normal variable exceeds, in either direction, with a given
-- probability (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23).
-- @tparam number chance the probability
-- @treturn number with an error below 0.001
function significance.deviations(chance)
  local t = sqrt(-2 * math.log(chance / 2))
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
    (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
end

-- Returns the variance of the difference between two times: the sum of their variances.
-- The variance of a number of samples is that number, but at least 1. Division by the
-- squared rate converts it to the squared unit of the time.
local function variance(old, new, old_rate, new_rate)
  return max(old * old_rate, 1) / old_rate ^ 2 +
    max(new * new_rate, 1) / new_rate ^ 2
end

-- Returns the variance of the difference, assuming that the true times are equal. Then
-- the samples of both sides estimate the same time.
local function variance_of_equals(old, new, old_rate, new_rate)
  return max(old * old_rate + new * new_rate, 1) / (old_rate * new_rate)
end

--- Returns the error of the difference between two times that missing samples cause.
-- @tparam number old time
-- @tparam number new time
-- @tparam table before side: `coverage`, see `profile.coverage`
-- @tparam table now the same of the new time
-- @treturn number in the unit of the times
function significance.missing(old, new, before, now)
  if before.coverage == 1 and now.coverage == 1 then return 0.0 end
  local old_part, new_part = 1 / before.coverage - 1, 1 / now.coverage - 1
  return sqrt((old * old_part) ^ 2 + (new * new_part) ^ 2)
end

--- Returns the statistical error of the difference between two times.
-- @tparam number old time
-- @tparam number new time
-- @tparam number old_rate samples per unit of the old time
-- @tparam number new_rate samples per unit of the new time
-- @treturn number in the unit of the times
function significance.error(old, new, old_rate, new_rate)
  return sqrt(variance(old, new, old_rate, new_rate))
end

--- Returns whether the difference between two times is within `factor` times its error.
-- The error is the larger of two estimates: `variance` and `variance_of_equals`. They
-- differ if one side was sampled for a shorter time. If that side has few samples by
-- chance, the first estimate alone is too small.
-- @tparam number old time
-- @tparam number new time
-- @tparam number old_rate samples per unit of the old time
-- @tparam number new_rate samples per unit of the new time
-- @tparam number factor
-- @tparam number missing see `significance.missing`
-- @treturn boolean
function significance.is_noise(old, new, old_rate, new_rate, factor, missing)
  local largest = max(variance(old, new, old_rate, new_rate),
    variance_of_equals(old, new, old_rate, new_rate))
  return abs(new - old) <= factor * sqrt(largest + missing ^ 2)
end

return significance
