-- The policies: one module lists everything that --gnu-compat changes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"

describe("A policy", function()
  it("is chosen by the options", function()
    assert.equal(policy.default, policy.of {})
    assert.equal(policy.default, policy.of { gnu_compat = false })
    assert.equal(policy.gnu, policy.of { gnu_compat = true })
  end)

  it("has a different value of the same type for each field", function()
    for field, value in pairs(policy.default) do
      assert.equal(type(value), type(policy.gnu[field]), field)
      assert.not_equal(value, policy.gnu[field], field)
    end
    for field in pairs(policy.gnu) do assert.is_not_nil(rawget(policy.default, field), field) end
  end)

  it("raises an error for unknown fields", function()
    assert.has_error(function() return policy.default.gnu_compat end, "no such policy: gnu_compat")
    assert.has_error(function() return policy.gnu.gives_hint end, "no such policy: gives_hint")
  end)

  it("names symspec modules that can be loaded", function()
    for _, rules in ipairs { policy.default, policy.gnu } do
      assert.is_function(require(rules.symspecs).new)
    end
  end)
end)
