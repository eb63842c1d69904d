-- Checks what was sampled or timed. Where samples fall depends on chance, and on what else the machine does.
-- SPDX-License-Identifier: GPL-3.0-or-later

local sampled = {}

-- If an attempt of correct code succeeds at least every second time, independently of the others, all of them fail with
-- a probability below one in a million. Wrong code fails each time.
local ATTEMPTS <const> = 20

--- Measures and checks until an attempt succeeds. Raises the error of the last attempt if all fail.
-- @tparam function attempt measures anew; raises an error if the result is not as expected
-- @return the first result of the attempt that succeeded
function sampled.settles(attempt)
  local done, result
  for _ = 1, ATTEMPTS do
    done, result = pcall(attempt)
    if done then return result end
  end
  error(result, 0)
end

return sampled
