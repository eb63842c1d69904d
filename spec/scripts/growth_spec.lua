-- The cost of recording a Lua program, and of reading the profiles of one, grows in proportion to what is recorded.
-- Work is counted in instructions.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- The limits apply to the ordinary interpreter. Under coverage, the hook would dominate the count.
if os.getenv "GPROF_LUA" or os.getenv "GPROF_COVERAGE" then return end

local chance = require "support.chance"
local contexts = require "support.contexts"
local script_functions = require "gprof.scripts.script_functions"
local shell = require "support.shell"
local work = require "support.work"

if not work.countable() then
  return pending "needs valgrind, which counts instructions"
end

-- Twice the input takes twice the work, to which sorting adds a little; or three times where the larger number of call
-- sites does not fit into their table, whose addresses vary. Quadratic growth would be a factor of four, and
-- input that does not grow a factor of one.
local MOST <const> = 3.4

-- Instructions for a byte of a list of functions, most of which are paths and names.
local MOST_PER_BYTE <const> = 600

-- The largest input is this many times n.
local TIMES <const> = chance.thorough and 4 or 2

-- Returns a function plan(n, make) that counts the work of a chunk for the sizes n, 2n and with `make check-all` 4n,
-- without what a tiny size takes. It returns a function that checks the counts and returns the work of the last n or
-- 2n. All chunks of a `describe` are measured in one process, since starting it under callgrind takes as long as ten
-- chunks.
local function measurements()
  local chunks, counts = {}, nil
  return function(n, make)
    local tiny = #chunks + 2
    for _, size in ipairs { 4, 4, n, 2 * n, TIMES > 2 and 4 * n or nil } do table.insert(chunks, make(size)) end
    local last = #chunks
    return function()
      counts = counts or work.measure(chunks)
      for i = tiny + 2, last do
        local once, more = counts[i - 1] - counts[tiny], counts[i] - counts[tiny]
        assert.is_true(more < MOST * once, ("%d and then %d instructions"):format(once, more))
        assert.is_true(more > 1.25 * once, ("the input does not grow: %d and %d instructions"):format(once, more))
      end
      return counts[last] - counts[last - 1]
    end
  end
end

-- Iterates over a table in the order of its keys, so that the chunks before one are the same in every run.
local function in_order(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  local i = 0
  return function()
    i = i + 1
    return keys[i], t[keys[i]]
  end
end

-- Returns a chunk that records a program.
local function recording(options, program)
  return ([[
    local recorder = require "gprof.recorder"
    recorder.start { %s }
    %s
    recorder.stop()
    recorder.write "growth.prof"  -- fails if nothing was recorded
  ]]):format(options, program)
end

-- Deep programs, by the depth.
local programs <const> = {
  ["recursion"] = "local function r(n) return n > 0 and 1 + r(n - 1) or 0 end r(%d)",
  ["recursion of two functions"] = [[
    local a
    local function b(n) return n > 0 and 1 + a(n - 1) or 0 end
    function a(n) return n > 0 and 1 + b(n - 1) or 0 end
    a(%d)]],
  ["recursion that ends with an error"] = [[
    local function r(n) if n == 0 then error "x" end return 1 + r(n - 1) end
    pcall(r, %d)]],
  ["recursion in a coroutine"] = [[
    local function r(n) return n > 0 and 1 + r(n - 1) or coroutine.yield() or 0 end
    local co = coroutine.wrap(r)
    co(%d)
    co()]],
  ["recursion that goes up and down"] = [[
    local function r(n) return n > 0 and 1 + r(n - 1) or 0 end
    local function d(n) if n > 0 then r(2) return 1 + d(n - 1) end r(9) return 0 end
    d(%d)]],
}

local modes <const> = { calls = "rate = 0", lines = 'count = "lines", rate = 0',
  ["calls and samples"] = "instructions = 500", ["lines and samples"] = 'count = "lines", instructions = 500',
  ["samples only"] = 'count = "none", instructions = 500' }

-- make check-all tries all programs in all modes.
local function is_tried(name, mode)
  return chance.thorough or name == "recursion" or mode == "calls and samples"
end

describe("the work of recording grows with the depth of", function()
  local plan = measurements()
  for name, program in in_order(programs) do
    for mode, options in in_order(modes) do
      if is_tried(name, mode) then
        it(("%s: %s"):format(name, mode), plan(2000, function(n) return recording(options, program:format(n)) end))
      end
    end
  end
end)

describe("the work of recording calls that were counted before", function()
  local plan = measurements()
  for name, text in in_order { ["a Lua function"] = "local function f() end", ["a C function"] = "local f = type" } do
    local CALLS <const>, MOST_PER_CALL <const> = 10000, 800  -- two thirds of these are the interpreter's
    local check = plan(CALLS, function(n)
      return recording("rate = 0", ("%s local function run() for _ = 1, %d do f(1) end end run()"):format(text, n))
    end)
    it("is small: of " .. name, function()
      local instructions = check()
      assert.is_true(instructions < TIMES // 2 * CALLS * MOST_PER_CALL, instructions)
    end)
  end
end)

describe("the work of recording functions in the same lines of texts that begin alike", function()
  local plan = measurements()
  it("grows with their number", plan(1000, function(n)
    return recording("rate = 0", ([[
      local kept = {}
      for i = 1, %d do kept[i] = load("return {\n" .. i .. "}") kept[i]() end
    ]]):format(n))
  end))
end)

-- Writes the profile of a program with functions from sources. Returns its path.
local function profile_of(functions)
  local high = script_functions.LOW + 4 * #functions
  local calls = { name = "Lua" }
  for i = 1, #functions do
    calls[i] = { context = 0, from = 0, self = script_functions.LOW + 4 * (i - 1), count = i }
  end
  local sections = contexts.sections { process = { low = script_functions.LOW, high = high },
    modules = { { low = script_functions.LOW, high = high, path = "" } }, tables = { calls } }
  script_functions.sort(functions)
  table.insert(sections, 1, { 5, script_functions.encode(functions) })
  return shell.write(shell.tmpdir() .. "/lua.prof", contexts.pack { sections = sections })
end

local function f(source, line, name)
  return { source = source, first = line, last = line, signature = 1, rank = 1, name = name, lines = { line } }
end

local PREFIX <const>, COUNT <const> = ("a/"):rep(chance.thorough and 2048 or 1024), 25

-- Lists of functions that are alike, by their number.
local lists <const> = {
  ["functions of one source with a long path"] = function(i) return f("@" .. PREFIX .. "x.lua", i, "f" .. i) end,
  ["functions of sources with a long common path"] = function(i)
    return f(("@%s%06d.lua"):format(PREFIX, i), 1, "f")
  end,
  ["functions of sources with a long common text"] = function(i) return f(("=%s%06d"):format(PREFIX, i), 1, "") end,
  ["functions with a long common name"] = function(i) return f("@x.lua", i, ("%s%06d"):format(PREFIX, i)) end,
  ["C functions with a long common name"] = function(i)
    return f(("[C]%s%06d"):format(PREFIX, i), 0, "")
  end,
}

local function list_of(n, make)
  local functions = {}
  for i = 1, n do functions[i] = make(i) end
  return functions
end

describe("the work of reading grows with the number of", function()
  local plan = measurements()
  it("functions with equal names", plan(1000, function(n)
    return ("run('-b', '-p', %q)"):format(profile_of(list_of(n, function(i)
      return { source = "@x.lua", first = 1, last = 1, signature = i * script_functions.ORDINAL, rank = 1, name = "f",
        lines = { 1 } }
    end)))
  end))

  for name, make in in_order(lists) do
    for _, options in ipairs { '"-b", "-p"', chance.thorough and '"-s", "--sum-file=sum"' or nil } do
      local check = plan(COUNT, function(n)
        return ("run(%s, %q)"):format(options, profile_of(list_of(n, make)))
      end)
      it(("%s: %s"):format(name, options), function()
        local instructions = check()
        assert.is_true(instructions < TIMES // 2 * COUNT * #PREFIX * MOST_PER_BYTE, instructions)
      end)
    end

    if not chance.thorough then goto next end
    it(name .. ", of two profiles", plan(COUNT, function(n)
      local odd, even = {}, {}
      for i = 1, n do table.insert(i % 2 == 0 and even or odd, make(i)) end
      return ("run('-b', '-p', %q, %q)"):format(profile_of(odd), profile_of(even))
    end))
    ::next::
  end
end)
