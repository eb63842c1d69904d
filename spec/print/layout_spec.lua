-- The option --top; and the layout on a terminal, with shortened names, bars and a pager. --gnu-compat turns all of
-- these off.
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local crafted = require "support.crafted"
local program = require "support.program"
local pty = require "support.pty"
local shell = require "support.shell"

local LONG <const> = "space::Container<std::string, Allocator>::insert(std::string const&, int)"
local WIDE <const> = "größe::übergröße_der_allergrößten_köpfe_überhaupt_äöüäöüäöüäöü"

local plan <const> = {
  functions = { "main", LONG, WIDE, "ping", "pong", "idle" },
  ticks = { [LONG] = 60, [WIDE] = 30, ping = 8, pong = 2 },
  calls = { { "main", LONG, 4 }, { "main", WIDE, 5 }, { LONG, LONG, 3 }, { WIDE, "ping", 6 }, { "ping", "pong", 7 },
    { "pong", "ping", 1 } },
}
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

local function run(...)
  local result = program.run { ... }
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

local function count(text, pattern)
  return select(2, text:gsub(pattern, ""))
end

describe("--top", function()
  it("prints the first rows of the flat profile", function()
    local all, two = run("-b", "-p", image, profile), run("-b", "-p", "--top=2", image, profile)
    assert.equal(two, all:sub(1, #two))
    assert.truthy(two:find(WIDE .. "\n$"))
    assert.equal(all, run("-b", "-p", "--top=100", image, profile))
  end)

  it("prints the first entries of the call graph, and only these in the index", function()
    local all, text = run("-b", "-q", image, profile), run("-b", "-q", "--top=3", image, profile)
    local entries, index = text:match "^(.*)\n\f\nIndex by function name\n\n(.*)$"
    assert.equal(entries, (all:sub(1, #entries):gsub("%[([4-9])%]\n", "(%1)\n")))
    assert.equal(3, count(entries, "\n%-%-%-"))
    local listed = {}
    for number in index:gmatch "%[(%d+)%]" do listed[#listed + 1] = tonumber(number) end
    table.sort(listed)
    assert.same({ 1, 2, 3 }, listed)
    assert.equal(all, run("-b", "-q", "--top=100", image, profile))
  end)

  it("counts cycles and selected functions as entries", function()
    local text = run("-b", "-q", "--top=4", image, profile)
    assert.equal(4, count(text:match "^(.-)\nIndex", "\n%-%-%-"))
    assert.truthy(text:find("\n[4]     10.0 ", 1, true), text)
    assert.truthy(text:match("\nIndex.*"):find("[4] <cycle 1>", 1, true))
    text = run("-b", "-qping", "--top=1", image, profile)
    assert.equal(1, count(text, "\n%-%-%-"))
    assert.truthy(text:find("\n[5]      8.0 ", 1, true), text)
    text = run("-b", "-q" .. WIDE, "--top=1", image, profile)
    assert.equal(1, count(text, "\n%-%-%-"))
    assert.equal("   [3] " .. WIDE .. "\n", text:match "\nIndex by function name\n\n(.*)$")
  end)

  -- Returns the numbers after names: those in brackets, and those in parentheses.
  local function references(text)
    local printed, others = {}, {}
    for number in text:gmatch "%S %[(%d+)%]\n" do printed[tonumber(number)] = true end
    for number in text:gmatch "%S %((%d+)%)\n" do others[tonumber(number)] = true end
    return printed, others
  end

  it("refers to other entries in parentheses, like a selection of entries", function()
    for _, words in ipairs { { "-q" }, { "-T" }, { "-T", "-p" }, { "-q", "-qping" } } do
      local text = run("-b", "--top=3", image, profile, table.unpack(words))
      local first = words[2] == "-qping" and 5 or 1
      local last = words[2] == "-qping" and 5 or 3
      local printed, others = references(text:match "^(.*)\f\nIndex" or text)
      for number in pairs(printed) do assert(first <= number and number <= last, text) end
      for number in pairs(others) do assert(number < first or number > last, text) end
      assert.truthy(next(printed) and (next(others) or words[2] == "-p"), text)
    end
  end)

  it("works in BSD's style", function()
    local text = run("-b", "-T", "--top=2", image, profile)
    local graph, flat, index = text:match "^(.-)\f\n(.-)\f\n(.-)$"
    assert.same({ 2, 2, 2 }, { count(graph, "\n%-%-%-"), count(flat, "\n +%d+%.%d"), count(index, "%[%d+%]") })
  end)

  it("takes a number of at least 1", function()
    for _, word in ipairs { "0", "-1", "x", "", "1.5" } do
      local result = program.run { "--top=" .. word, image, profile }
      assert.same({ ("gprof.lua: option --top takes a whole number from 1 to 2147483647, not '%s'\n"):format(word), 1 },
        { result.stderr, result.status })
    end
  end)

  it("is ignored with --gnu-compat", function()
    assert.equal(run("--gnu-compat", image, profile), run("--gnu-compat", "--top=1", image, profile))
    assert.equal(run("--gnu-compat", image, profile), run("--top=x", "--gnu-compat", image, profile))
  end)
end)

describe("--top and --sort", function()
  local old <const> = crafted.gmon { functions = plan.functions, ticks = { [LONG] = 20, [WIDE] = 30, ping = 40 },
    calls = { { "main", LONG, 9 }, { "main", "ping", 1 } } }

  -- Returns the first two letters of the last column of each row.
  local function order(text, pattern)
    local letters = {}
    for line in text:gmatch(pattern) do letters[#letters + 1] = line:match ".*  (%S%S)" end
    return table.concat(letters, " ")
  end

  local function flat(...)
    return order(run("-b", "-p", "-T", ...), "\n( *%d+%.%d [^\n]*)")
  end

  it("sort the flat profile", function()
    for field, expected in pairs {
      self = "sp gr pi po", total = "sp gr pi po", calls = "pi po gr sp", name = "gr pi po sp",
    } do
      assert.equal(expected, flat("--sort=" .. field, image, profile))
    end
    assert.equal("pi po", flat("--sort=calls", "--top=2", image, profile))
    assert.equal("pi po", (flat("--sort=name", "--top=3", image, profile):gsub("^gr ", "")))
  end)

  it("add up the times of the rows in their order", function()
    local text = run("-b", "-p", "--sort=calls", image, profile)
    assert.truthy(text:find("0.08     0.08 [^\n]*ping\n[^\n]* 0.10     0.02 [^\n]*pong\n[^\n]* 0.40     0.30 "), text)
  end)

  it("apply to comparisons", function()
    local function compared(...)
      return order(run("-b", "--compare=" .. old, ...), "\n *%d[^\n]*%d[^\n]*")
    end
    local rows = compared(image, profile)
    assert.equal(rows:sub(1, 5), compared("--top=2", image, profile))
    assert.equal("gr ma pi po sp", compared("--sort=name", image, profile))
    assert.equal(rows, compared("--sort=self", image, profile))
    assert.equal("ma sp", compared("--sort=total", "--top=2", image, profile))
    assert.equal("po pi", compared("--sort=calls", "--top=2", image, profile))
  end)

  it("take known fields only, and have no effect with --gnu-compat", function()
    local result = program.run { "--sort=time", image, profile }
    assert.same({ "gprof.lua: option --sort takes self, total, calls or name, not 'time'\n", 1 },
      { result.stderr, result.status })
    assert.equal(run("--gnu-compat", image, profile),
      run("--gnu-compat", "--sort=name", "--short-names", image, profile))
  end)
end)

describe("--short-names", function()
  it("omits parameters and template arguments in all reports", function()
    for _, options in ipairs { { "-p" }, { "-q" }, { "--tree" }, { "-z", "--compare=" .. profile }, { "-l" } } do
      local text = run("-b", "--short-names", table.unpack(table.move({ image, profile }, 1, 2, #options + 1, options)))
      assert.truthy(text:find("space::Container<>::insert", 1, true), text)
      assert.is_nil(text:find("std::string", 1, true))
    end
  end)
end)

describe("A name is shortened", function()
  it("part by part: parameters, template arguments, namespaces from the left", function()
    local name <const> = "void ns::Map<int>::each<F>(F, int) const"
    assert.equal(name, core.fit(name, #name, "…"))
    for columns, shortened in pairs {
      [39] = "ns::Map<int>::each<F>", [21] = "ns::Map<int>::each<F>", [20] = "ns::Map<>::each<>",
      [17] = "ns::Map<>::each<>", [16] = "…::Map<>::each<>", [15] = "…::each<>", [9] = "…::each<>", [8] = "each<>",
      [6] = "each<>", [5] = "ea…<>",
    } do
      assert.equal(shortened, core.fit(name, columns, "…"))
    end
    assert.equal("…::area::<>", core.fit("geometry::area::<u32>", 12, "…"))
  end)

  -- For each name: its form without parameters, and its form without parameters and template arguments.
  for name, forms in pairs {
    ["main"] = { "main", "main" },
    ["xml::Document::Parse(char const*, unsigned long)"] = { "xml::Document::Parse", "xml::Document::Parse" },
    ["(anonymous namespace)::count(double)"] = { "(anonymous namespace)::count", "(anonymous namespace)::count" },
    ["int (anonymous namespace)::count<int>(int)"] = { "(anonymous namespace)::count<int>",
      "(anonymous namespace)::count<>" },
    ["A::f(int)::B::g() const &"] = { "A::f::B::g", "A::f::B::g" },
    ["A A::operator<< <long>(long) const"] = { "A::operator<< <long>", "A::operator<< <>" },
    ["A::operator-><int>()"] = { "A::operator-><int>", "A::operator-><>" },
    ["bool operator> <B<(1)> >(B<(1)>)"] = { "operator> <B<(1)> >", "operator> <>" },
    ["A<x>::operator()(int) const"] = { "A<x>::operator()", "A<>::operator()" },
    ["A::operator unsigned long long() const"] = { "A::operator unsigned long long",
      "A::operator unsigned long long" },
    ["main::{lambda(int (*)(char))#1}::operator()<int>(int) const"] = { "main::{lambda#1}::operator()<int>",
      "main::{lambda#1}::operator()<>" },
    ["decltype ((p)+(q)) add<int>(int)"] = { "add<int>", "add<>" },
    ["std::function<int (int)>::operator()(int) const"] = { "std::function<int (int)>::operator()",
      "std::function<>::operator()" },
    ["f(std::vector<int, X<int> >&) [clone .isra.0]"] = { "f [clone .isra.0]", "f [clone .isra.0]" },
    ["A::t[abi:cxx11]() const"] = { "A::t", "A::t" },
    ["operator new(unsigned long)"] = { "operator new", "operator new" },
    ["f<((a)>(b))>(int)"] = { "f<((a)>(b))>", "f<>" },
    ["<u8 as core::Clone>::clone"] = { "<u8 as core::Clone>::clone", "<u8 as core::Clone>::clone" },
    ["geo::area::<u32>"] = { "geo::area::<u32>", "geo::area::<>" },
    ["geo::line::<T<u8>>::{closure#0}"] = { "geo::line::<T<u8>>::{closure#0}", "geo::line::<>::{closure#0}" },
    ["core::slice::<impl [u8]>::sort"] = { "core::slice::<impl [u8]>::sort", "core::slice::<impl [u8]>::sort" },
    ["<plt>@libc.so.6"] = { "<plt>@libc.so.6", "<plt>@libc.so.6" },
    ["f()::<lambda(T<int>)>::g"] = { "f::<lambda(T<int>)>::g", "f::<lambda(T<int>)>::g" },
  } do
    it("by its parts: " .. name, function()
      assert.same(forms, { core.short_name(name, "without parameters"), core.short_name(name) })
    end)
  end

  it("not if its brackets have another meaning", function()
    for _, name in ipairs { "void (*f<int>(int))(char)", "f<int(", "f(a", "main.(*T).Method", "a>b", "-[A b:]", "", "(",
      "operator", "::", "f<", "{" } do
      assert.equal(name, core.short_name(name))
    end
  end)

  it("in the middle, to the available columns", function()
    assert.equal("abc…hij", core.fit("abcdefghij", 7, "…"))
    assert.equal("abcd…hij", core.fit("abcdefghij", 8, "…"))
    assert.equal("ab...ij", core.fit("abcdefghij", 7, "..."))
    assert.equal("abcdefghij", core.fit("abcdefghij", 10, "…"))
    assert.equal("ä…ö", core.fit("äüüüö", 3, "…"))
  end)

  it("not if there is no room for any of it", function()
    for room = -1, 2 do assert.equal("abcdefghij", core.fit("abcdefghij", room, "…")) end
    assert.equal("abcdefghij", core.fit("abcdefghij", 4, "..."))
    assert.equal("", core.fit("", 0, "…"))
  end)

  it("never within a character", function()
    math.randomseed(7)
    for _ = 1, 2000 do
      local letters = {}
      for i = 1, math.random(30) do letters[i] = math.random(2) == 1 and utf8.char(math.random(160, 0xd7ff)) or "x" end
      local text, room = table.concat(letters), math.random(3, 30)
      local fitted = core.fit(text, room, "…")
      assert.equal(math.min(#letters, room), utf8.len(fitted), text)
      local head, tail = fitted:match "^(.-)…(.*)$"
      if fitted ~= text then
        assert.equal(head, text:sub(1, #head))
        assert.equal(tail, text:sub(-#tail))
      end
    end
  end)

  it("whatever bytes it has", function()
    math.randomseed(8)
    for _ = 1, 2000 do
      local bytes = {}
      for i = 1, math.random(20) do bytes[i] = string.char(math.random(0, 255)) end
      local text = table.concat(bytes)
      local fitted = core.fit(text, math.random(0, 12), "…")
      local head, tail = fitted:match "^(.-)…(.*)$"
      if fitted ~= text and not text:find "[(<{:]" then
        assert.truthy(text:sub(1, #head) == head and text:sub(-#tail) == tail)
      end
    end
  end)
end)

if pty.lack() then
  pending(pty.lack())
  return
end

-- Returns the program's output on a terminal of this width.
local function on_terminal(columns, ...)
  local result = pty.run({ "-b", ... }, { COLUMNS = columns and tostring(columns) or false })
  assert.equal(0, result.status, result.stdout)
  return result.stdout
end

-- Returns the length of the longest line, in columns. Leaves out the index, whose width -w determines.
local function widest(text)
  local most = 0
  for line in text:gsub("[^\n]*Index by.*", ""):gmatch "[^\n\f]+" do
    most = math.max(most, (assert(utf8.len((line:gsub("\27%[[%d;]*m", ""))), line)))
  end
  return most
end

describe("On a terminal names", function()
  it("are shortened so that lines fit", function()
    local text = on_terminal(80, image, profile)
    assert.equal(80, widest(text))
    assert.truthy(text:find("\n 60.00      0.60     0.60        4   150 ms   150 ms  space::Container<>::insert\n", 1,
      true), text)
    assert.truthy(text:find("80.0 ms  übergröße_", 1, true), text)
    assert.truthy(text:find("4/4           space::Container<>::insert [2]\n", 1, true), text)
  end)

  it("are complete if they fit, or with --full-names", function()
    local graph = run("-b", "-q", image, profile)
    assert.equal(graph, on_terminal(200, "-q", image, profile))
    assert.equal(graph, on_terminal(80, "-q", "--full-names", image, profile))
    assert.equal(run("-b", image, profile), on_terminal(nil, image, profile))
    assert.equal(run("-b", "-T", image, profile), on_terminal(80, "-T", "--full-names", image, profile))
  end)

  it("are cut to the same width with and without colours, also in the call graph", function()
    for columns = 72, 112, 20 do
      local most = widest(on_terminal(columns, "-q", image, profile))
      assert.is_true(columns - 1 <= most and most <= columns, most)
      assert.equal(most, widest(on_terminal(columns, "-q", "--color=always", image, profile)))
    end
  end)

  it("fill the next line if the line wraps anyway", function()
    local text = on_terminal(60, "-p", image, profile)
    assert.truthy(text:find("150 ms  space::Container<std::string, Allocator>::insert\n", 1, true), text)
    assert.is_true(widest(text) <= 120)
  end)

  it("are shortened with ASCII if the terminal lacks UTF-8", function()
    local text = pty.run({ "-b", "-p", image, profile }, { COLUMNS = "80", LC_ALL = "C" }).stdout
    assert.truthy(text:find("  space::Container<>::insert\n", 1, true), text)
    assert.is_nil(text:find("…", 1, true))
  end)

  it("have the width that the terminal reports, if COLUMNS is not set", function()
    assert.equal(on_terminal(90, image, profile), pty.run({ "-b", image, profile }, {}, 90).stdout)
    for _, word in ipairs { "", "0", "-5", "x", "9x", "99999999999999999999" } do
      assert.equal(on_terminal(90, image, profile), pty.run({ "-b", image, profile }, { COLUMNS = word }, 90).stdout)
    end
  end)

  it("are shortened in a comparison, too", function()
    local text = on_terminal(90, "--compare=" .. profile, "-z", image, profile)
    assert.truthy(text:find("…", 1, true), text)
    assert.is_nil(run("-b", "-z", "--compare=" .. profile, image, profile):find("…", 1, true))
  end)
end)

describe("On a wide terminal bars", function()
  it("are drawn before the names of the flat profile", function()
    local text = on_terminal(100, "-p", image, profile)
    assert.equal(100, widest(text))
    for _, row in ipairs {
      "/call                name", "150 ms  ███████▊      space::", "80.0 ms  ███▉          übergröße",
      "11.4 ms  █             ping\n", "2.86 ms  ▎             pong\n",
    } do
      assert.truthy(text:find(row, 1, true), text)
    end
  end)

  it("have lengths in proportion to shares", function()
    local text = on_terminal(200, "-p", image, profile)
    local lengths = {}
    for row in text:gmatch "\n *%d+%.%d%d [^\n]+" do lengths[#lengths + 1] = count(row, "█") end
    assert.same({ 9, 4, 1, 0 }, lengths)
  end)

  it("are made of # without UTF-8, and have the colour of the row", function()
    local text = pty.run({ "-b", "-p", "--color=always", image, profile }, { COLUMNS = "200", LC_ALL = "C" }).stdout
    assert.truthy(text:find("\27%[31m 60%.00 [^\n]*  ##########       space[^\n]*\27%[0m\n"), text)
  end)

  it("are omitted if names need the room, and in BSD's style", function()
    assert.is_nil(on_terminal(88, "-p", image, profile):find("█", 1, true))
    assert.is_nil(on_terminal(200, "-p", "-T", image, profile):find("█", 1, true))
  end)
end)

describe("On a terminal times per call", function()
  it("have a unit each", function()
    local calls <const> = { { "main", "slow", 4 }, { "main", "quick", 9000000 }, { "main", "idle", 1 } }
    local of_three <const> = { functions = { "main", "slow", "quick", "idle" }, ticks = { slow = 30, quick = 3 },
      calls = calls }
    local words <const> = { "-b", "-p", crafted.image(of_three), crafted.gmon(of_three) }
    local text = pty.run(words, { COLUMNS = "80" }).stdout
    assert.truthy(text:find("   calls    /call    /call  name    \n", 1, true), text)
    for _, row in ipairs { "       4  75.0 ms  75.0 ms  slow\n", " 9000000  3.33 ns  3.33 ns  quick\n",
      "       1      0 s      0 s  idle\n" } do
      assert.truthy(text:find(row, 1, true), text)
    end
    assert.truthy(run(table.unpack(words)):find(" 9000000     0.00     0.00  quick\n", 1, true))
  end)
end)

describe("Output that does not go to a terminal", function()
  it("does not depend on the environment", function()
    local plain = run("-b", image, profile)
    local result = program.run({ "-b", image, profile }, { env = { COLUMNS = "40", GPROF_PAGER = "tr a-z A-Z" } })
    assert.same({ plain, "", 0 }, { result.stdout, result.stderr, result.status })
  end)

  it("is the same as that on a terminal with --gnu-compat", function()
    local compatible = run("--gnu-compat", image, profile)
    local result = pty.run({ "--gnu-compat", image, profile }, { COLUMNS = "60", GPROF_PAGER = "tr a-z A-Z" })
    assert.same({ compatible, 0 }, { result.stdout, result.status })
  end)
end)

describe("A pager", function()
  local plain = run("-b", image, profile)

  local function paged(pager, ...)
    local result = pty.run({ "-b", ... }, { GPROF_PAGER = pager })
    return result.stdout, result.status
  end

  it("shows the report", function()
    local numbered = plain:gsub("([^\n]*)\n", ":%1\n")
    assert.same({ numbered, 0 }, { paged("sed s/^/:/", image, profile) })
    assert.truthy(paged("X=1 sed 's/^/a b/' | sed s/^/:/", image, profile):find("^:a bFlat"))
  end)

  it("is the one that PAGER names if --pager is given", function()
    local function shown(variables, ...)
      return pty.run({ "-b", ... }, variables).stdout
    end
    local marked = plain:gsub("([^\n]*)\n", ":%1\n")
    assert.equal(plain, shown({ PAGER = "sed s/^/:/" }, image, profile))
    assert.equal(marked, shown({ PAGER = "sed s/^/:/" }, "--pager", image, profile))
    assert.equal(marked, shown({ PAGER = "cat", GPROF_PAGER = "sed s/^/:/" }, "--pager", image, profile))
    assert.equal(run("-b", image, profile), run("-b", "--pager", image, profile))
  end)

  it("is not used if the variable is empty", function()
    for _, pager in ipairs { "", "  " } do assert.same({ plain, 0 }, { paged(pager, image, profile) }) end
  end)

  it("that cannot be run is an error, and the report is shown without it", function()
    for _, pager in ipairs { "/nowhere/pager -x", "A=b no-such-pager", "'no such pager'", "/dev/null" } do
      local text, status = paged(pager, image, profile)
      assert.equal(1, status)
      assert.truthy(text:find(plain, 1, true), text)
      assert.truthy(text:find(("\ngprof.lua: GPROF_PAGER: cannot run the pager '%s'\n"):format(pager), 1, true), text)
    end
    local text = pty.run({ "-b", "--pager", image, profile }, { PAGER = "no-such-pager" }).stdout
    assert.truthy(text:find("\ngprof.lua: PAGER: cannot run the pager 'no-such-pager'\n", 1, true), text)
  end)

  it("that fails is an error", function()
    local message = "gprof.lua: GPROF_PAGER: the pager '%s' failed (exit status %d): output may not have been shown\n"
    assert.same({ message:format("false", 1), 1 }, { paged("false", image, profile) })
    local pager = "sh -c 'read line; exit 3'"
    assert.same({ message:format(pager, 3), 1 }, { paged(pager, image, profile) })
    local text, status = paged("cat '", image, profile)  -- a syntax error
    assert.same({ 1, true }, { status, text:find "the pager 'cat '' failed" ~= nil })
  end)

  it("that is quit early, by itself or by a signal, does not end the run", function()
    for _, pager in ipairs { "head -n 1", "sh -c 'read line; echo Flat profile:; kill -PIPE $$'" } do
      assert.same({ "Flat profile:\n", 0 }, { paged(pager, image, profile) })
    end
    assert.same({ "", 0 }, { paged("sh -c 'kill -INT $$'", image, profile) })
    assert.same({ "", 0 }, { paged("sh -c 'kill -INT $PPID; sleep 0.1; exit 2'", image, profile) })  -- less -K
  end)

  it("shows messages, too, which it would cover on the screen", function()
    local words = { "--top=2", "--tree-depth=3", "-p", image, profile }
    local text = pty.run({ "-b", table.unpack(words) }, { GPROF_PAGER = false }).stdout
    assert.truthy(text:find("^gprof.lua: warning: option %-%-tree%-depth has no effect without %-%-tree\nFlat"), text)
    for _, option in ipairs { "--color=never", "--sandbox" } do
      assert.same({ text:gsub("([^\n]*)\n", ":%1\n"), 0 }, { paged("sed s/^/:/", option, table.unpack(words)) })
    end
  end)

  it("shows messages between parts of the output, and none that come without output", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/my.lua", [[
      local terminal = require "gprof.format.terminal"
      return function(_, options, write)
        terminal.tell "early"
        if options.top == 1 then error { message = "on purpose" } end
        write "one\n" write:flush() terminal.tell "late\27" write "two\n"
      end]])
    local report = "--report=" .. dir .. "/my.lua"
    assert.same({ ":early\n:one\n:late\\x1b\n:two\n", 0 }, { paged("sed s/^/:/", report, image, profile) })
    assert.same({ "early\ngprof.lua: on purpose\n", 1 },
      { paged("sed s/^/:/", report, "--top=1", image, profile) })
  end)

  it("that is quit early does not prevent the rest of the work", function()
    local dir = shell.tmpdir()
    local many = { functions = {}, ticks = {}, calls = {} }
    for i = 1, 5000 do
      many.functions[i], many.ticks["function" .. i] = "function" .. i, i
    end
    local text, status = paged("head -n 1", "--no-progress", "--export=csv:" .. dir .. "/table", "-p",
      crafted.image(many), crafted.gmon(many))
    assert.same({ "Flat profile:\n", 0 }, { text, status })
    assert.equal(5001, count(shell.read(dir .. "/table"), "\n"))
    local faster = { functions = plan.functions, calls = plan.calls, ticks = { [LONG] = 1 } }
    text, status = paged("head -n 1", "--fail-on=5", "--compare=" .. crafted.gmon(faster), image, profile)
    assert.equal(2, status, text)
  end)

  it("is not started for errors, nor for --help and the like", function()
    assert.same({ "gprof.lua: none: No such file or directory\n", 1 }, { paged("tr a-z A-Z", "none") })
    assert.equal(run "-h", (paged("sed s/^/:/", "-h")))
    assert.equal(run "-v", (paged("sed s/^/:/", "-v")))
  end)

  it("has ended before a failure is reported", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/bad.lua",
      'return function(_, _, write) write "begun\\n" error({ message = "on purpose" }) end')
    local text, status = paged("{ cat; sleep 0.2; echo left; }", "--report=" .. dir .. "/bad.lua", image, profile)
    assert.same({ "begun\nleft\ngprof.lua: on purpose\n", 1 }, { text, status })
  end)

  it("also gets the output that reports print by other means, in order", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/my.lua",
      'return function(_, _, write) write "one\\n" write:flush() print "two" write "three\\n" end')
    assert.same({ "ONE\nTWO\nTHREE\n", 0 }, { paged("tr a-z A-Z", "--report=" .. dir .. "/my.lua", image, profile) })
  end)

  it("shows output from the sandbox, and control characters as text", function()
    local numbered = plain:gsub("([^\n]*)\n", ":%1\n")
    assert.same({ numbered, 0 }, { paged("sed s/^/:/", "--sandbox", image, profile) })
    local dir = shell.tmpdir()
    shell.write(dir .. "/my.lua", 'return function(_, _, write) write "\\27[2Jx\\n" end')
    assert.same({ "\\x1b[2Jx\n", 0 }, { paged("cat", "--report=" .. dir .. "/my.lua", image, profile) })
  end)
end)
