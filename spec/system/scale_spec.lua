-- Large call graphs are reported: many callers and callees, long chains and large cycles. The stack does not grow with
-- the depth of calls.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"

-- With sanitizers, another interpreter (GPROF_LUA) or coverage, the large numbers would take minutes.
local slow <const> = os.getenv "GPROF_LUA" ~= nil or os.getenv "GPROF_COVERAGE" ~= nil
local WIDE <const> = slow and 20000 or 100000
local DEEP <const> = slow and 50000 or chance.thorough and 1000000 or 300000

local arc <const>, image <const>, name <const> = row.arc, row.image, row.name

-- Writes a profile of arcs. The functions 0 to n have one sample each, or the number in `samples`.
local function profile(n, arcs, samples)
  arcs[#arcs + 1] = row.histogram(0, n, samples)
  return row.profile(arcs)
end

local function check_report(result, ...)
  assert.equal("", result.stderr)
  assert.equal(0, result.status)
  local at = 1
  for _, text in ipairs { ... } do
    local first, last = result.stdout:find(text, at, true)
    assert.truthy(first, "not found, or not in its place: " .. text)
    at = last + 1
  end
end


-- Index numbers are padded to six characters, as in smaller graphs.
local function head(index)
  return ("%-6.6s"):format(("[%d]"):format(index))
end

describe("the call graph shows", function()
  local star
  setup(function() star = image(WIDE) end)

  local half <const>, calls_of_all <const> = WIDE // 2, WIDE * (WIDE + 1) // 2

  -- Each function has one sample, so arcs with more calls come first. Entry 1 is function 0.
  local function entry(i)
    return WIDE + 2 - i
  end

  it(("a caller with %d callees"):format(WIDE), function()
    local arcs = {}
    for i = 1, WIDE do
      arcs[i] = arc(0, i, i)
    end
    local file = profile(WIDE, arcs, { [0] = 0 })
    local function line(i)
      return ("                0.01    0.00 %7d/%-7d     %s [%d]\n"):format(i, i, name(i), entry(i))
    end
    check_report(program.run({ "-b", "-q", star, file }, { timeout = true }),
      ("[1]    100.0    0.00 %7.2f                 f0000000 [1]\n"):format(WIDE / 100) .. line(WIDE) .. line(WIDE - 1),
      line(half) .. line(half - 1), line(2) .. line(1) .. "-----",
      ("                0.01    0.00 %7d/%-7d     f0000000 [1]\n"):format(half, half),
      head(entry(1)) .. "   0.0    0.01    0.00       1         " .. ("f0000001 [%d]\n-----"):format(entry(1)),
      "\f\nIndex by function name\n")
  end)

  it(("a callee with %d callers"):format(WIDE), function()
    local arcs = {}
    for i = 1, WIDE do
      arcs[i] = arc(i, 0, i)
    end
    local file = profile(WIDE, arcs, { [0] = half })
    local self = half / 100
    local function line(i)
      return ("             %7.2f    0.00 %7d/%-7d     %s [%d]\n")
        :format(self * (i / calls_of_all), i, calls_of_all, name(i), entry(i))
    end
    check_report(program.run({ "-b", "-q", star, file }, { timeout = true }),
      line(1) .. line(2), line(half) .. line(half + 1),
      line(WIDE - 1) .. line(WIDE) ..
        ("[1]     33.3 %7.2f    0.00 %7d         f0000000 [1]\n-----"):format(self, calls_of_all),
      "\f\nIndex by function name\n")
  end)

  it(("a cycle of %d members"):format(WIDE), function()
    local arcs = { arc(0, 1, 1), arc(WIDE, 1, 2) }
    for i = 2, WIDE do
      arcs[i + 1] = arc(i - 1, i, 2 * i)
    end
    local file = profile(WIDE, arcs, { [0] = 0 })
    -- Entry 1 is the cycle, entry 2 is function 0.
    local function member(i)
      return ("%s <cycle 1> [%d]\n"):format(name(i), entry(i) + 1)
    end
    local function line(i)
      return ("                0.01    0.00 %7d             %s"):format(2 * i, member(i))
    end
    local function inner_call(count, i)
      return ("                             %7d             %s"):format(count, member(i))
    end
    check_report(program.run({ "-b", "-q", star, file }, { timeout = true }),
      ("[1]    100.0 %7.2f    0.00       1+%-7d <cycle 1 as a whole> [1]\n"):format(WIDE / 100, 2 * calls_of_all) ..
        line(WIDE),
      line(half) .. line(half - 1), line(2),
      inner_call(2 * half, half - 1), inner_call(2 * half + 2, half + 1) .. "-----",
      "\f\nIndex by function name\n")
  end)
end)

describe("on a small stack", function()
  -- This stack has less than a byte for each of 300,000 functions, or 5 bytes for each of 50,000 (see DEEP).
  local STACK <const> = 256  -- kB

  it(("a chain of %d calls is reported"):format(DEEP), function()
    local last = DEEP - 1
    local chain, arcs = image(last), {}
    for i = 1, last do
      arcs[i] = arc(i - 1, i, 1)
    end
    local file = profile(last, arcs, {})
    -- Each function calls the next one. Callers have more time in all, so entries are in the order of the chain.
    local function times(i)
      return ("   0.01 %7.2f"):format((last - i) / 100)
    end
    local function entry(i)
      return ("             %s       1/1           %s [%d]\n"):format(times(i), name(i - 1), i) ..
        ("%s %5.1f %s       1         %s [%d]\n"):format(head(i + 1), 100 * (DEEP - i) / DEEP, times(i), name(i),
          i + 1) ..
        ("             %s       1/1           %s [%d]\n-----"):format(times(i + 1), name(i + 1), i + 2)
    end
    local limited = { "sh", "-c", ('ulimit -s %d && exec "$@"'):format(STACK), "sh" }
    table.move(program.interpreter, 1, #program.interpreter, #limited + 1, limited)
    local arguments = { program.root .. "/gprof.lua", "-b", "-q", chain, file }
    table.move(arguments, 1, #arguments, #limited + 1, limited)
    check_report(shell.run(limited, { timeout = true }),
      "<spontaneous>\n[1]    100.0 " .. times(0), entry(1), entry(DEEP // 2), entry(last - 1),
      "\f\nIndex by function name\n")
  end)
end)
