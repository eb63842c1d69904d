-- What --gnu-compat changes has one place, and code asks for it by name.
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

describe("A policy", function()
  it("is chosen by the options", function()
    assert.equal(policy.default, policy.of {})
    assert.equal(policy.default, policy.of { gnu_compat = false })
    assert.equal(policy.gnu, policy.of { gnu_compat = true })
  end)

  it("has an answer of each kind to every question", function()
    for field, answer in pairs(policy.default) do
      assert.equal(type(answer), type(policy.gnu[field]), field)
      assert.not_equal(answer, policy.gnu[field], field)
    end
    for field in pairs(policy.gnu) do assert.is_not_nil(rawget(policy.default, field), field) end
  end)

  it("has no other fields", function()
    assert.has_error(function() return policy.default.gnu_compat end, "no such policy: gnu_compat")
    assert.has_error(function() return policy.gnu.gives_hint end, "no such policy: gives_hint")
  end)

  it("names modules that can be loaded", function()
    for _, rules in ipairs { policy.default, policy.gnu } do
      assert.is_function(require(rules.symspecs).new)
    end
  end)
end)
