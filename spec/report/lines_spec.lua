-- The list of the lines with the most time.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local pty = require "support.pty"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local made <const> = small.build()
local run <const> = small.run(made)
local heading <const> = "Lines with the most time:\n\n   %    seconds   line       function  source\n"

-- Runs the program in another directory than that of the source; returns its standard output and its messages.
local function printed(...)
  local result = program.run { "-b", ... }
  assert.equal(0, result.status, result.stderr)
  return result.stdout, result.stderr
end

describe("--lines", function()
  it("prints the lines with samples, the text of each, and the rest", function()
    assert.same({ heading .. [[
 60.00      0.06  small.c:1  leaf      int leaf(int x) { return x + 1; } int twig(int x) { return x + 2; }
 20.00      0.02  small.c:4  loop      for (int i = 0; i < n;
 20.00      0.02  small.c:6  loop      y += leaf(i);
]], "" }, { printed("--lines", made.image, run) })
    assert.equal(heading .. [[
 60.00      0.06  small.c:1  leaf      int leaf(int x) { return x + 1; } int twig(int x) { return x + 2; }

2 more lines with 40.00 % of the time
]], (printed("--lines=1", made.image, run)))
  end)

  it("adds the samples of all functions on a line", function()
    local line, even = made.rows["small.c"], small.even
    local path = small.profile(made, { ticks = { [even(line[1][2])] = 1, [even(line[1][4])] = 1 } })
    local text = printed("--lines", made.image, path)
    assert.truthy(text:find("\n100.00      0.02  small.c:1  leaf (and 1 more)  int leaf", 1, true), text)
  end)

  it("prints the same with -l, and with other reports", function()
    local expected = printed("--lines", made.image, run)
    assert.equal(expected, (printed("-l", "--lines", made.image, run)))
    assert.equal(expected, printed("-p", "--lines", made.image, run):match "\f\n(.*)$")
  end)

  it("prints sampling errors with --errors, and directories with -L", function()
    local text = printed("--lines=1", "--errors", "-L", made.image, run)
    assert.truthy(text:find(("\n 60.00      0.06     0.02  %s/small.c:1  leaf "):format(made.dir), 1, true), text)
  end)

  it("warns once about sources that are not found", function()
    local dir = shell.tmpdir "moved"
    shell.check { "mkdir", dir .. "/old" }
    local moved = small.build(nil, dir .. "/old")
    local path = small.run(moved)
    shell.check { "mv", dir .. "/old", dir .. "/new" }
    local text, told = printed("--lines", dir .. "/new/program", path)
    assert.truthy(text:find("\n 60.00      0.06  small.c:1  leaf\n", 1, true), text)
    assert.equal(("gprof.lua: warning: %s/old/small.c: source not found (-I adds directories to search)\n"):format(dir),
      told)
    local found, silence = printed("--lines", "-I", dir .. "/new", dir .. "/new/program", path)
    assert.same({ (printed("--lines", made.image, run)), "" }, { found, silence })
  end)

  it("has a row for each function without line numbers, with a warning", function()
    local stripped = shell.tmpdir "lines" .. "/program"
    shell.check { "objcopy", "--strip-debug", made.image, stripped }
    local text, told = printed("--lines", stripped, run)
    assert.truthy(text:find("\n 60.00      0.06        leaf\n 40.00      0.04        loop\n", 1, true), text)
    assert.equal(("gprof.lua: warning: %s: has no line numbers: compile it with -g\n"):format(stripped), told)
  end)

  it("cuts lines to the width of a terminal", function()
    local output = pty.run({ "-b", "--lines", made.image, run }, nil, 60).stdout
    assert.truthy(output:find("  leaf      int leaf(int x) { retu…", 1, true), output)
  end)

  it("needs samples, and a positive number", function()
    local calls = small.profile(made, { arcs = { { made.rows["small.c"][13][1] + 3, made.rows["small.c"][2][1], 1 } } })
    local result = program.run { "--lines", made.image, calls }
    assert.same({ 1, ("gprof.lua: %s: has no histogram, which times of lines need\n"):format(calls) },
      { result.status, result.stderr })
    result = program.run { "--lines=0", made.image, run }
    assert.same({ 1, "gprof.lua: option --lines takes a whole number from 1 to 2147483647, not '0'\n" },
      { result.status, result.stderr })
  end)
end)

it("functions of libraries that were only inlined have lines, too, though no address", function()
  local rows <const> = { { "f@x.so", nil, "x.so", 5 }, { "f@x.so", 16, "x.so", 5 }, { "f@x.so", nil, "x.so", 1 } }
  local function profile_of(list)
    return {
      image = {},
      functions = function()
        local id = 0
        return function()
          id = id + 1
          if list[id] then return id, list[id][4], list[id][3] end
        end
      end,
      get = function(_, id) return list[id][1], list[id][2] end,
    }
  end
  assert.same({ { ticks = 11, functions = { { name = "f@x.so", ticks = 6 },
    { name = "f@x.so", owner = 16, ticks = 5 } } } },
    require "gprof.analysis.hot_lines".of(profile_of(rows), profile_of {}))
  assert.equal(10, require "gprof.analysis.hot_lines".of(profile_of { rows[1], rows[2] }, profile_of {})[1].ticks)
end)

it("profile:report prints the lines for scripts", function()
  local image = assert(gprof.image(made.image))
  local profile = assert(gprof.profile(image, assert(gprof.data(image, run))))
  local parts = {}
  profile:report("lines", { brief = true, lines = 2 }, function(text) parts[#parts + 1] = text end)
  assert.equal((printed("--lines=2", made.image, run)), table.concat(parts))
end)

it("profile:report accepts any integer as a number of lines, and as a width", function()
  local image = assert(gprof.image(made.image))
  local profile = assert(gprof.profile(image, gprof.data(image, run)))
  local function written(name, options)
    local parts = {}
    options.brief = true
    profile:report(name, options, function(text) parts[#parts + 1] = text end)
    return table.concat(parts)
  end
  for _, lines in ipairs { 0, -1, math.mininteger } do
    local text = written("lines", { lines = lines })
    assert.truthy(text:find("source\n\n3 more lines with 100.00 % of the time\n", 1, true), text)
  end
  for _, name in ipairs { "flat", "graph", "index", "call_tree", "lines" } do
    for _, width in ipairs { 0, -80, math.mininteger } do
      assert.truthy(written(name, { terminal_width = width }):find "leaf", name)
    end
  end
end)
