-- Nothing is too large: wide calls, long chains and large cycles are reported, and no depth of calls touches the stack.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local WIDE <const>, DEEP <const> = 100000, 1000000
local DEEP_IF_SLOW <const> = 50000  -- for an interpreter that checks every access

local BASE <const>, SIZE <const> = 0x100000, 16

-- Functions are numbered, from 0, and lie one behind the other.
local function name(i)
  return ("f%07d"):format(i)
end

local function address(i)
  return BASE + SIZE * i
end

-- An image of the functions 0 to n and one behind them, with nothing in it but names.
local function image(n)
  local dir, lines = shell.tmpdir("scale"), { ".text" }
  for i = 0, n + 1 do
    lines[i + 2] = (".type %s,%%function\n%s: .skip %d"):format(name(i), name(i), SIZE)
  end
  shell.write(dir .. "/labels.s", table.concat(lines, "\n") .. "\n")
  shell.check({ "as", "-o", "labels.o", "labels.s" }, { cwd = dir })
  shell.check({ "ld", "-e", "0", ("-Ttext=%#x"):format(BASE), "-o", "image", "labels.o" }, { cwd = dir })
  return dir .. "/image"
end

local function arc(from, to, count)
  return { kind = "arc", from = address(from) + 4, self = address(to), count = count }
end

-- Writes a profile of arcs, and a bin for each of the functions 0 to n: one sample, but for those in `samples`.
local function profile(n, arcs, samples)
  local bins = { n = n + 1 }
  for i = 0, n do
    bins[i + 1] = samples[i] or 1
  end
  arcs[#arcs + 1] = { kind = "histogram", low = address(0), high = address(n + 1), bins = bins }
  return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = arcs })
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

local TIMEOUT <const> = 120  -- seconds

describe("The call graph has room for", function()
  local star
  setup(function() star = image(WIDE) end)

  -- All have one sample, 0 none. The more calls, the further up: entry 1 is the caller's or callee's that all have.
  local function entry(i)
    return WIDE + 2 - i
  end

  it("a caller with 100,000 callees", function()
    local arcs = {}
    for i = 1, WIDE do
      arcs[i] = arc(0, i, i)
    end
    local file = profile(WIDE, arcs, { [0] = 0 })
    local function line(i)
      return ("                0.01    0.00 %7d/%-7d     %s [%d]\n"):format(i, i, name(i), entry(i))
    end
    check_report(program.run({ "-b", "-q", star, file }, { timeout = TIMEOUT }),
      "[1]    100.0    0.00 1000.00                 f0000000 [1]\n" .. line(WIDE) .. line(WIDE - 1),
      line(WIDE // 2) .. line(WIDE // 2 - 1), line(2) .. line(1) .. "-----",
      "                0.01    0.00   50000/50000       f0000000 [1]\n",
      "[10000   0.0    0.01    0.00       1         f0000001 [100001]\n-----",  -- six characters, as ever
      "\f\nIndex by function name\n")
  end)

  it("a callee with 100,000 callers", function()
    local arcs, calls = {}, 0
    for i = 1, WIDE do
      arcs[i], calls = arc(i, 0, i), calls + i
    end
    local file = profile(WIDE, arcs, { [0] = 50000 })
    local function line(i)
      return ("             %7.2f    0.00 %7d/%-7d     %s [%d]\n")
        :format(500 * (i / calls), i, calls, name(i), entry(i))
    end
    check_report(program.run({ "-b", "-q", star, file }, { timeout = TIMEOUT }),
      line(1) .. line(2), line(WIDE // 2) .. line(WIDE // 2 + 1),
      line(WIDE - 1) .. line(WIDE) .. "[1]     33.3  500.00    0.00 5000050000         f0000000 [1]\n-----",
      "\f\nIndex by function name\n")
  end)

  it("a cycle of 100,000 members", function()
    local arcs = { arc(0, 1, 1), arc(WIDE, 1, 2) }
    for i = 2, WIDE do
      arcs[i + 1] = arc(i - 1, i, 2 * i)
    end
    local file = profile(WIDE, arcs, { [0] = 0 })
    local function member(i)
      return ("%s <cycle 1> [%d]\n"):format(name(i), entry(i) + 1)
    end
    local function line(i)
      return ("                0.01    0.00 %7d             %s"):format(2 * i, member(i))
    end
    local function inner(count, i)
      return ("                             %7d             %s"):format(count, member(i))
    end
    local half = WIDE // 2
    check_report(program.run({ "-b", "-q", star, file }, { timeout = TIMEOUT }),
      "[1]    100.0 1000.00    0.00       1+10000100000 <cycle 1 as a whole> [1]\n" .. line(WIDE),
      line(half) .. line(half - 1), line(2),
      inner(2 * half, half - 1), inner(2 * half + 2, half + 1) .. "-----",
      "\f\nIndex by function name\n")
  end)
end)

-- Each function calls the next one. Index and order are the chain's, as time adds up on its way back.
local function check_chain(depth)
  local last = depth - 1
  local chain, arcs = image(last), {}
  for i = 1, last do
    arcs[i] = arc(i - 1, i, 1)
  end
  local file = profile(last, arcs, {})
  local function times(i)
    return ("   0.01 %7.2f"):format((last - i) / 100)
  end
  local function entry(i)
    return ("             %s       1/1           %s [%d]\n"):format(times(i), name(i - 1), i) ..
      ("%-6.6s %5.1f %s       1         %s [%d]\n"):format(("[%d]"):format(i + 1), 100 * (depth - i) / depth,
        times(i), name(i), i + 1) ..
      ("             %s       1/1           %s [%d]\n-----"):format(times(i + 1), name(i + 1), i + 2)
  end
  -- 256 kB of stack: far less than a byte for each function of a million, or a few for each of the smaller number.
  local limited = { "sh", "-c", 'ulimit -s 256 && exec "$@"', "sh" }
  table.move(program.interpreter, 1, #program.interpreter, #limited + 1, limited)
  local arguments = { program.root .. "/gprof.lua", "-b", "-q", chain, file }
  table.move(arguments, 1, #arguments, #limited + 1, limited)
  check_report(shell.run(limited, { timeout = TIMEOUT }),
    "<spontaneous>\n[1]    100.0 " .. times(0), entry(1), entry(depth // 2), entry(last - 1),
    "\f\nIndex by function name\n")
end

describe("On a small stack", function()
  -- Under sanitizers, or in another interpreter of GPROF_LUA, a million would take minutes.
  local depth = os.getenv "GPROF_LUA" and DEEP_IF_SLOW or DEEP

  it(("a chain of %d calls is reported"):format(depth), function() check_chain(depth) end)
end)
