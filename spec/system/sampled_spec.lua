-- Decisions about samples (spec/support/sampled.lua) are wrong in less than one case of a million.
-- SPDX-License-Identifier: GPL-3.0-or-later

local sampled = require "support.sampled"

local UNDECIDED <const>, FAILED <const> = {}, {}

-- Decides with attempts that pass or fail as listed. Returns "right", "wrong", or nil if more attempts are needed.
local function decide(outcomes)
  local turn = 0
  local done, result = pcall(sampled.decide, function()
    turn = turn + 1
    if outcomes[turn] == nil then coroutine.yield(UNDECIDED) end
    return outcomes[turn] and turn or error(FAILED, 0)
  end)
  assert(done or result == FAILED)
  assert.equal(#outcomes, turn)
  return done and "right" or "wrong"
end

-- Returns the probability of each answer if attempts pass with a probability, and the expected number of attempts. The
-- order of outcomes does not matter, so equal numbers of passes and failures are one state.
local function probabilities(pass)
  local sums, attempts = { right = 0, wrong = 0 }, 0
  local states = { [0] = { outcomes = {}, probability = 1 } }
  while next(states) do
    local following = {}
    for passes, state in pairs(states) do
      for more, probability in pairs { [1] = pass, [0] = 1 - pass } do
        local outcomes = table.move(state.outcomes, 1, #state.outcomes, 1, {})
        outcomes[#outcomes + 1] = more == 1
        local answer = coroutine.wrap(decide)(outcomes)
        probability = probability * state.probability
        attempts = attempts + probability
        if answer ~= UNDECIDED then
          sums[answer] = sums[answer] + probability
        elseif probability > 1e-12 then
          local joined = following[passes + more] or { outcomes = outcomes, probability = 0 }
          joined.probability = joined.probability + probability
          following[passes + more] = joined
        end
      end
    end
    states = following
  end
  return sums, attempts
end

describe("what is sampled", function()
  it("is right if it usually is, and wrong if it hardly ever is, with an error below one in a million", function()
    for _, case in ipairs { { 0.5, "wrong", 6.2 }, { 0.9, "wrong", 3.4 }, { 1, "wrong", 3.1 }, { 0, "right", 21 },
      { 0.001, "right", 21 } } do
      local sums, attempts = probabilities(case[1])
      assert.near(1, sums.right + sums.wrong, 1e-9)
      assert.is_true(sums[case[2]] < 1e-6 and attempts < case[3], case[1])
    end
  end)

  it("is what the last attempt that passed has returned, or the error of the last one that failed", function()
    local turn = 0
    assert.equal(4, sampled.decide(function()
      turn = turn + 1
      return turn ~= 2 and turn or error("second", 0)
    end))
    assert.has_error(function() sampled.decide(function() error("no samples", 0) end) end, "no samples")
  end)
end)
