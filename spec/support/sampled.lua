-- Decides whether samples are right. Where they fall depends on chance, and on what else the machine does. What is
-- computed from samples needs no such decision: see `recorder.known`, and the modules that write profiles.
-- SPDX-License-Identifier: GPL-3.0-or-later

local sampled = {}

-- Wald's sequential test. The checks of an attempt are so wide that right code passes them in half of all attempts or
-- more, even on a busy machine, and wrong code in one of a thousand or fewer. Each attempt adds the logarithm of the
-- likelihood ratio to the evidence. It is decisive when it reaches the bound: with odds of a million to one, right code
-- is refused, or wrong code is accepted, with a probability below one in a million.
local RIGHT <const>, WRONG <const> = 1 / 2, 1 / 1000
local PASSED <const>, FAILED <const> = math.log(RIGHT / WRONG), math.log((1 - RIGHT) / (1 - WRONG))
local BOUND <const> = math.log(1e6)

--- Measures and checks until it is decided whether the code is right: usually after 3 attempts that pass, or after 20
-- that fail. Raises the error of the last failure if the code is wrong.
-- @tparam function attempt measures anew; raises an error if the result is not as expected
-- @return the result of the last attempt that passed
function sampled.decide(attempt)
  local evidence, result, problem = 0, nil, nil
  repeat
    local passed, value = pcall(attempt)
    evidence = evidence + (passed and PASSED or FAILED)
    if passed then result = value else problem = value end
  until math.abs(evidence) >= BOUND
  if evidence < 0 then error(problem, 0) end
  return result
end

return sampled
