-- --html: the sentence at the top of a page.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local exported = require "support.exported"
local pages = require "support.pages"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local plan <const> = crafted.example
local sentence <const> = "document.querySelector('.sentence').textContent" ..
  ".replace(/ \\d+ % of the time is attributed.*/, '')"
local links <const> = "[...document.querySelectorAll('.sentence a')].map((e) => e.getAttribute('href')).join(' ')"

describe("The sentence at the top of a page", function()
  it("says where the time is, and from where that is reached; all nouns are links", function()
    local image, gmon = exported.inlined()
    local seen = browser.walk_all {
      { select(2, pages.crafted(plan)), sentence, links, { "click", ".sentence a" }, "location.hash" },
      { select(2, pages.write(image, gmon)), sentence, links },
    }
    assert.same({ "42.1 ± 6.7 % of the time is in leaf, reached mostly from work; 8 calls.",
      "#leaf #work #!tree=around:leaf", "#leaf" }, seen[1].results)
    assert.match("^64%.3 ± %d+%.%d %% of the time is in main %(twice%.h:2%)", seen[2].results[1])
    assert.match("#!source=", seen[2].results[2])
  end)

  it("says what certainly changed: a run, the function that changed most", function()
    local function compared(ticks, calls)
      local new = { functions = plan.functions, calls = calls or plan.calls, ticks = ticks }
      return { select(2, pages.crafted(new, "--compare=" .. crafted.gmon(plan))), sentence }
    end
    local seen = browser.walk_all { compared { work = 330, ping = 20, pong = 5, leaf = 42 },
      compared { ping = 90, leaf = 5 }, compared(plan.ticks),
      compared(plan.ticks, table.move(plan.calls, 2, #plan.calls, 2, { { "main", "work", 11 } })) }
    assert.match("; since the old profile, a run takes 3%.02 s more %(%+318 %%%), work 3%.00 s more%.$",
      seen[1].results[1])
    assert.match("; since the old profile, ping takes 0%.70 s more%.$", seen[2].results[1])
    assert.match("; no certain change since the old profile%.$", seen[3].results[1])
    assert.match("; no certain change since the old profile, but 50%.0 %% more calls%.$", seen[4].results[1])
  end)

  it("speaks of calls if there is no time, and is absent if there is nothing", function()
    local seen = browser.walk_all {
      { select(2, pages.crafted { functions = plan.functions, calls = plan.calls }), sentence },
      { select(2, pages.crafted { functions = plan.functions }), "document.querySelector('.sentence') !== null" },
    }
    assert.match("^The most often called function is %l+, reached", seen[1].results[1])
    assert.same({ false }, seen[2].results)
  end)
end)
