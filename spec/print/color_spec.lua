-- Colours: when they are used and what they mean. Without its colours, a coloured report equals the plain report.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local plan <const> = crafted.example
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

local RESET <const> = "\27[0m"
local BOLD <const>, DIM <const>, RED <const>, YELLOW <const> = "\27[1m", "\27[2m", "\27[31m", "\27[33m"
local BOLD_RED <const>, BOLD_YELLOW <const> = "\27[1;31m", "\27[1;33m"

local function strip(text)
  return (text:gsub("\27%[[%d;]*m", ""))
end

-- Returns the program's output with these arguments and --color=always.
local function colored(...)
  local words = { ... }
  table.insert(words, 1, "--color=always")
  local result = program.run(words)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

-- Checks that a text has colours, that each ends on its line, and that the text without them equals `plain`.
local function check_stripped(plain, text)
  assert.truthy(text:find("\27", 1, true))
  for line in text:gmatch "[^\n]+" do
    local rest = line:gsub("\27%[[%d;]+m[^\27]+\27%[0m", "")
    assert.is_nil(rest:find("\27", 1, true), line)
  end
  assert.equal(plain, strip(text))
end

-- Returns the color code of the line that contains `part`, or "" if there is none. The color must last to the line's
-- end.
local function color_of(text, part)
  for line in text:gmatch "[^\n]+" do
    if strip(line):find(part, 1, true) then
      local code, rest = line:match "^(\27%[[%d;]+m)(.*)$"
      if not code then
        assert.is_nil(line:find("\27", 1, true), line)
        return ""
      end
      assert.equal(#rest - #RESET + 1, (rest:find(RESET, 1, true)), line)
      return code
    end
  end
  error("no line with " .. part)
end

describe("A coloured report equals the plain one without its colours:", function()
  local made = small.build()
  local run_of_small = small.run(made)

  local function check(...)
    check_stripped(program.run({ ... }).stdout, colored(...))
  end

  for _, options in ipairs {
    {}, { "-b" }, { "-p" }, { "-q", "-b" }, { "-z" }, { "-T" }, { "-T", "-z", "-b" }, { "-z", "-C" }, { "-q", "-w40" },
    { "-b", "-z", "-L", "--inline-file-names" }, { "-p", "-i", "-C", "-z" },
  } do
    it(("crafted %s"):format(table.concat(options, " ")), function()
      check(image, profile, table.unpack(options))
    end)
  end

  for _, options in ipairs {
    { "-l" }, { "-l", "-z" }, { "-A" }, { "-l", "-A" }, { "-l", "-A", "-x" }, { "-l", "-z", "-C" },
    { "--annotate-time" }, { "--annotate-time", "-z", "-t3", "-m2" }, { "-l", "-T" }, { "-A", "-p", "-q" },
  } do
    it(("small %s"):format(table.concat(options, " ")), function()
      local result = program.run { made.image, run_of_small, "--color=always", table.unpack(options) }
      check_stripped(program.run({ made.image, run_of_small, table.unpack(options) }).stdout, result.stdout)
    end)
  end

  for _, options in ipairs { { "-z" }, { "-c" }, { "-T", "-c", "-z" } } do
    it(("cycles %s"):format(table.concat(options, " ")), function()
      local built = build.program("cycles")
      check(built.image, built.gmon, table.unpack(options))
    end)
  end

  it("without a histogram, and without calls", function()
    for _, given in ipairs { { functions = plan.functions, calls = plan.calls },
      { functions = plan.functions, ticks = plan.ticks }, { functions = plan.functions, ticks = {} } } do
      check("-b", "-z", image, crafted.gmon(given))
      check("-b", "-z", "-T", image, crafted.gmon(given))
    end
  end)
end)

describe("Orders for the linker, and file information, have no colours:", function()
  for _, option in ipairs { "-r", "-i" } do
    it(option, function()
      assert.equal(program.run({ option, image, profile }).stdout, colored(option, image, profile))
    end)
  end
end)

describe("In a flat profile", function()
  local wide = { functions = { "hot", "brink", "warm", "edge", "cool", "idle", "rest" },
    ticks = { hot = 500, brink = 100, warm = 99, edge = 30, cool = 29, rest = 242 },
    calls = { { "hot", "cool", 1 }, { "hot", "warm", 1 } } }
  local text = colored("-b", "-z", "-p", crafted.image(wide), crafted.gmon(wide))

  it("rows have the colour of their share: red from 10 percent, yellow from 3", function()
    for name, code in pairs { hot = RED, rest = RED, brink = RED, warm = YELLOW, edge = YELLOW, cool = "" } do
      assert.equal(code, color_of(text, "  " .. name))
    end
  end)

  it("what was never executed is dim", function()
    assert.equal(DIM, color_of(text, "  idle"))
  end)

  it("headings are bold", function()
    for _, heading in ipairs { "Flat profile:", "cumulative   self", "ms/call  name" } do
      assert.equal(BOLD, color_of(text, heading))
    end
    assert.equal("", color_of(text, "Each sample"))
  end)
end)

describe("In a call graph", function()
  local tree = { functions = { "main", "hot", "warm", "cool", "never", "idle" },
    ticks = { hot = 94, warm = 5, cool = 1 },
    calls = { { "main", "hot", 4 }, { "main", "warm", 2 }, { "main", "cool", 1 }, { "hot", "hot", 3 } } }
  local words = { "-b", "-z", "-q", crafted.image(tree), crafted.gmon(tree) }
  local text = colored(table.unpack(words))
  local by_bsd = colored("-T", table.unpack(words))

  it("the primary line of an entry is bold, in the colour of its share", function()
    for part, code in pairs { ["[1]    100.0"] = BOLD_RED, ["[2]     94.0"] = BOLD_RED, ["[3]      5.0"] = BOLD_YELLOW,
      ["[4]      1.0"] = BOLD, ["[5]      0.0"] = DIM } do
      assert.equal(code, color_of(text, part))
      assert.equal(code, color_of(by_bsd, part))
    end
  end)

  it("other lines are not bold, in the colour of the time that they propagate", function()
    for part, code in pairs { ["4/4           hot"] = RED, ["2/2           warm"] = YELLOW, ["1/1           cool"] = "",
      ["   3             hot"] = "", ["<spontaneous>"] = "" } do
      assert.equal(code, color_of(text, part))
      assert.equal(code, color_of(by_bsd, part))
    end
  end)

  it("headings are bold", function()
    for _, heading in ipairs { "Call graph", "index % time", "Index by function name" } do
      assert.equal(BOLD, color_of(text, heading))
    end
    for _, heading in ipairs { "/total       parents", "index  %time", "/total       children" } do
      assert.equal(BOLD, color_of(by_bsd, heading))
    end
  end)

  it("members of a cycle have the colour of their time", function()
    local cycle = { functions = { "main", "one", "other" }, ticks = { one = 99, other = 1 },
      calls = { { "main", "one", 1 }, { "one", "other", 2 }, { "other", "one", 3 } } }
    local printed = colored("-b", "-q", crafted.image(cycle), crafted.gmon(cycle))
    assert.equal(BOLD_RED, color_of(printed, "<cycle 1 as a whole>"))
    local lines = printed:match "as a whole>[^\n]*\n(.-)\n%-%-%-"
    assert.equal(RED, color_of(lines, " one <cycle 1>"))
    assert.equal("", color_of(lines, " other <cycle 1>"))
  end)

  it("calls that were never made are dim", function()
    local built = build.program("calls")
    local printed = colored("-b", "-q", "-c", built.image, built.gmon)
    assert.equal(DIM, color_of(printed, " 0/"))
  end)

  it("names in the index have the colour of their entries", function()
    local _, first = text:find("Index by function name", 1, true)
    local index = text:sub(first)
    for name, code in pairs { ["[2] hot"] = RED, ["[3] warm"] = YELLOW, ["[5] idle"] = DIM } do
      assert.truthy(index:find(code .. name .. RESET, 1, true), name)
    end
    assert.truthy(index:find(" [4] cool ", 1, true))
  end)
end)

describe("A few samples", function()
  -- The programs have few samples: `few` has six, `brief` has five. A row with one or two samples is neither red nor
  -- yellow, even if its share is large.
  local few = { functions = { "main", "once", "twice", "rest" }, ticks = { once = 1, twice = 2, rest = 3 },
    calls = { { "main", "once", 1 }, { "main", "twice", 1 }, { "main", "rest", 1 } } }
  local made = small.build()
  local lines = made.rows["small.c"]
  local brief = small.profile(made, { ticks = { [small.even(lines[3][1])] = 2, [small.even(lines[9][1])] = 3 },
    arcs = { { lines[13][1] + 3, lines[2][1], 1 } } })

  it("make no row red or yellow, whatever their share", function()
    local flat = colored("-b", "-p", crafted.image(few), crafted.gmon(few))
    assert.same({ "", "", RED }, { color_of(flat, " once"), color_of(flat, " twice"), color_of(flat, " rest") })
    local graph = colored("-b", "-q", crafted.image(few), crafted.gmon(few))
    assert.same({ "", RED, BOLD, BOLD_RED }, { color_of(graph, "     1/1           twice"),
      color_of(graph, "     1/1           rest"), color_of(graph, "]     33.3"), color_of(graph, "[2]     50.0") })
    local source = colored("--annotate-time", made.image, brief)
    assert.same({ "", RED },
      { source:match "\n([^\n]-) *0%.02 [^\n]*int y", source:match "\n([^\n]-) *0%.03 [^\n]*return y" })
  end)

  it("of several functions count together", function()
    local graph = colored("-b", "-q", crafted.image(few), crafted.gmon(few))
    assert.equal(BOLD_RED, color_of(graph, "[1]    100.0"))
  end)
end)

describe("In execution counts", function()
  it("what was never executed is dim", function()
    local text = colored("-C", "-z", image, profile)
    assert.equal(DIM, color_of(text, "(idle:"))
    assert.equal("", color_of(text, "(leaf:"))
  end)
end)

describe("In annotated source", function()
  local made = small.build()
  local text = colored("-l", "-A", made.image, small.run(made))

  it("headings are bold", function()
    for _, heading in ipairs { "*** File ", "Top 10 Lines:", "     Line      Count", "Execution Summary:" } do
      assert.equal(BOLD, color_of(text, heading))
    end
  end)

  it("margins have the colour of their time, the text has none", function()
    assert.truthy(text:find("\n" .. RED .. "         3,0 -> " .. RESET .. "int leaf", 1, true), text)
    assert.truthy(text:find("\n           1 ->   int y = 0;\n", 1, true), text)
  end)

  it("what was never executed is dim, with its text", function()
    assert.truthy(text:find("\n" .. DIM .. "       ##### ->     y = twig(y);" .. RESET .. "\n", 1, true), text)
  end)

  it("lines executed less often than -m are not dim", function()
    local marked = colored("-l", "-A", "-m2", made.image, small.run(made))
    assert.truthy(marked:find("\n       ##### ->   int y = 0;\n", 1, true), marked)
  end)

  it("separate files have no colours", function()
    local words, dirs = { "-y", "-l", "-A", made.image, small.run(made) }, { shell.tmpdir(), shell.tmpdir() }
    program.run(words, { cwd = dirs[1] })
    table.insert(words, "--color=always")
    program.run(words, { cwd = dirs[2] })
    assert.equal(shell.read(dirs[1] .. "/small.c-ann"), shell.read(dirs[2] .. "/small.c-ann"))
  end)
end)

describe("Colours are used", function()
  local plain = program.run({ "-b", image, profile }).stdout
  local full = colored("-b", image, profile)

  -- Returns the program's output on a terminal.
  local function on_terminal(env, ...)
    local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
    for _, word in ipairs { program.root .. "/gprof.lua", "-b", image, profile, ... } do
      words[#words + 1] = word
    end
    env.TERM, env.NO_COLOR = env.TERM or "xterm", env.NO_COLOR or false
    local result = shell.run({ "script", "-qec", shell.join(words), "/dev/null" }, { env = env })
    return (result.stdout:gsub("\r\n", "\n"))
  end

  local function printed(...)
    return program.run({ "-b", image, profile, ... }, { env = { TERM = "xterm", NO_COLOR = false } }).stdout
  end

  it("when they are requested, and not otherwise", function()
    assert.equal(plain, printed())
    assert.equal(full, printed "--color=always")
    assert.equal(full, printed "--color")
    assert.equal(plain, printed "--color=never")
    assert.equal(plain, printed("--color=always", "--color=never"))
    assert.equal(plain, printed "--color=auto")
  end)

  it("on a terminal with --color=auto", function()
    if not shell.run({ "script", "-qec", "echo here", "/dev/null" }).stdout:find("here", 1, true) then
      pending "needs script of util-linux, and a terminal for it"
      return
    end
    assert.equal(plain, on_terminal {})
    assert.equal(full, on_terminal({}, "--color=auto"))
    assert.equal(plain, on_terminal({}, "--color=never"))
    assert.equal(plain, on_terminal({ NO_COLOR = "1" }, "--color=auto"))
    assert.equal(full, on_terminal({ NO_COLOR = "" }, "--color=auto"))
    assert.equal(full, on_terminal({ NO_COLOR = "1" }, "--color=always"))
    assert.equal(plain, on_terminal({ TERM = "dumb" }, "--color=auto"))
  end)

  it("never with --gnu-compat", function()
    local compatible = printed "--gnu-compat"
    assert.equal(compatible, printed("--gnu-compat", "--color=always"))
    assert.equal(compatible, printed("--color=always", "--gnu-compat"))
  end)

  it("by custom reports, in the option `color`", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/my.lua", "return function(_, options, write) write(tostring(options.color)) end")
    local function told(...)
      return program.run({ "--report=my.lua", image, profile, ... }, { cwd = dir }).stdout
    end
    assert.same({ "true", "false", "false", "false" },
      { told "--color", told(), told "--color=auto", told("--color", "--gnu-compat") })
  end)

  it("by scripts that request them", function()
    local subject = crafted.profile(plan)
    check_stripped(crafted.printed("flat", subject, { brief = true }),
      crafted.printed("flat", subject, { brief = true, color = true }))
  end)

  it("with permitted words only", function()
    for _, word in ipairs { "yes", "", "Always", "alw" } do
      local result = program.run { "--color=" .. word }
      assert.same({ ("gprof.lua: option --color takes auto, always or never, not '%s'\n"):format(word), "", 1 },
        { result.stderr, result.stdout, result.status })
    end
  end)
end)

describe("core.is_terminal", function()
  local core = require "gprof.core"

  it("returns false for a file that is not a terminal, and rejects other values", function()
    local file = assert(io.tmpfile())
    assert.is_false(core.is_terminal(file))
    file:close()
    assert.is_false(core.is_terminal(file))
    assert.is_false(pcall(core.is_terminal, 1))
    assert.is_false(pcall(core.is_terminal))
  end)
end)
