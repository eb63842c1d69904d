-- The pages of documentation are correct: every snippet runs and prints what the page shows, the figures on a page
-- agree with each other, and every link has a target. The first sections test the checker itself.
-- SPDX-License-Identifier: GPL-3.0-or-later

local figures = require "support.figures"
local program = require "support.program"
local shell = require "support.shell"
local snippets = require "support.snippets"

local pages <const> = { "README.md", "doc/manual.md", "doc/blocks.md", "doc/differences.md", "doc/export.md",
  "doc/embedded.md" }

-- First words of the commands that are shown but not run: they install something, or need other software.
local installing <const> = { make = true, ["apt-get"] = true, luarocks = true }

local function lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

describe("the output of a snippet", function()
  local function fits(shown, printed)
    return (snippets.fits(lines(shown), printed))
  end

  it("may differ from the page in blanks and measured figures", function()
    assert.is_true(fits("main  0.02 12\nend", "main 10.15    12\nend\n"))
    assert.is_true(fits("ms/call at 0x12", "us/call  at 0xfe\n"))
    assert.is_true(fits("find (t.c:11 @ 12e1)", "find (t.c:11 @ 40)\n"))
    assert.is_true(fits(" 98.33      0.54  12 x", "100.16      1.02  12 x\n"))
    assert.is_true(fits("[1] 98.0 0.01 main [1]", "[12] 98.0 0.01 main [12]\n"))
    assert.is_true(fits("     0.15         }", "                  }\n"))
    assert.is_true(fits("     0.15       12 -> {", "                12 -> {\n"))
    assert.is_true(fits("", ""))
  end)

  it("must not differ in a word, a count or a line", function()
    assert.is_false(fits("main 0.02 12", "main 0.02 13\n"))
    assert.is_false(fits("main 0.02 12", "mean 0.02 12\n"))
    assert.is_false(fits("find (t.c:11 @ 12e1)", "find (t.c:12 @ 12e1)\n"))
    assert.is_false(fits("a[1] of [1] a", "a[2] of [2] a\n"))
    assert.is_false(fits("a\nb", "a\n"))
    assert.is_false(fits("a", "a\nb\n"))
    assert.is_false(fits("a\nb", "b\na\n"))
    assert.is_false(fits("", "a\n"))
    assert.is_false(fits("a", ""))
  end)

  it("may have several lines where the page has three dots", function()
    assert.is_true(fits("a\n...", "a\nb\nc\n"))
    assert.is_true(fits("...\nc", "a\nb\nc\n"))
    assert.is_true(fits("a\n...\nc\n...\ne", "a\nb\nc\nd\ne\n"))
    assert.is_true(fits("...\na\n...\na", "b\na\nc\na\n"))
    assert.is_true(fits("...\nb\n...\nd", "a\n\nb\n\nc\nd\n"))
  end)

  it("has at least one line where the page has three dots", function()
    assert.is_false(fits("a\n...", "a\n"))
    assert.is_false(fits("...\na", "a\n"))
    assert.is_false(fits("a\n...\nb", "a\nb\n"))
    assert.is_false(fits("...\na\n...\na", "b\na\na\n"))
    assert.is_false(fits("...\na\n...\na", "a\nb\na\n"))
  end)

  it("has a line that is not blank where the page has three dots", function()
    assert.is_true(fits("...", "a\n"))
    assert.is_false(fits("...", ""))
    assert.is_false(fits("...", " \n\n"))
    assert.is_false(fits("a\n...\nb", "a\n\nb\n"))
    assert.is_false(fits("a\n...", "a\n\n"))
  end)

  it("is a single zero only if the page shows one", function()
    assert.is_true(fits("0", "0\n"))
    assert.is_true(fits("0.00", "0.00\n"))
    assert.is_true(fits("...", "12\n"))
    assert.is_false(fits("...", "0\n"))
    assert.is_false(fits("1.42", "0.00\n"))
    assert.is_true(fits("0.14", "0.20\n"))
  end)

  it("has the same figure where the figure follows from counts", function()
    assert.is_true(fits("25.00 Percent of the file executed", "   25.00   Percent of the file executed\n"))
    assert.is_false(fits("26.00 Percent of the file executed", "   25.00   Percent of the file executed\n"))
    assert.is_false(fits("7.00 Average executions per line", "6.00   Average executions per line\n"))
  end)

  it("has the page's other lines around three dots, in order", function()
    assert.is_false(fits("a\n...", "b\na\n"))
    assert.is_false(fits("...\nc", "c\nd\n"))
    assert.is_false(fits("a\n...\nc\n...\ne", "a\nd\ne\n"))
    assert.is_false(fits("a\n...\na", "a\n"))
    assert.is_false(fits("...\nb\n...\na\n...", "a\nb\n"))
  end)

  it("is reported with the first line of the page that differs", function()
    local done, message = snippets.fits({ "a", "b" }, "a\nc\n")
    assert.is_false(done)
    assert.equal("the page has: b\nprinted was:\na\nc\n", message)
    assert.equal("the page has: ...\nprinted was:\na\n", select(2, snippets.fits({ "a", "..." }, "a\n")))
  end)
end)

describe("the figures that a page shows", function()
  local flat <const> = "  %   cumulative   self              self     total\n" ..
    " time   seconds   seconds    calls  us/call  us/call  name\n"
  local graph <const> = "index % time    self  children    called     name\n"
  local dashes <const> = "-----------------------------------------------\n"
  local comparison <const> = "old: 1 run, 1.54 seconds each; a sample counts as 0.01\n" ..
    "new: 2 runs, 0.16 seconds each; a sample counts as 0.01\n"

  local function problem(text)
    return (select(2, figures.read(lines(text))) or ""):match("^[^:]*")
  end

  it("may be those of any report", function()
    for _, text in ipairs {
      "",
      "no table\n",
      flat .. " 92.35      1.42     1.42   500000     2.84     2.84  find\n" ..
        "  7.80      1.54     0.12  1000000     0.12     0.12  next_random\n...\n" ..
        "  0.00      1.54     0.00   500000     0.00     0.00  count_word\n",
      "granularity: each sample hit covers 2 byte(s) for 0.53% of 1.87 seconds\n" .. graph ..
        "[1]    100.0    0.22    1.65                 main [1]\n" ..
        "                0.66    0.68       1/1           directory <cycle 1> [6]\n" ..
        "                0.31    0.00    1000/1000        count_bits [5]\n" .. dashes ..
        "                0.00    0.00       1/6562        main [1]\n" ..
        "                0.68    0.00    6561/6562        entry <cycle 1> [3]\n" ..
        "[4]     36.4    0.68    0.00    6562         file [4]\n" .. dashes ..
        "                0.66    0.68       1/1           main [1]\n" ..
        "[6]      8.0    0.15    0.00    3280         directory <cycle 1> [6]\n",
      " 100.0      2.08     0.24  main\n  71.6      1.49     0.00  |- <cycle 1> as a whole\n",
      comparison .. "change: -1.38 seconds, error 0.13, 0.10 times as much\n" ..
        "   1.42    0.00    -1.42   0.12    0.00     1.42    0.00    -1.42   0.12    0.00     5     5        0  find\n",
    } do
      assert.equal("", problem(text))
    end
  end)

  it("are not percentages above 100", function()
    assert.equal("a percentage above 100", problem("100.15      0.14     0.14  1000000   140.21   140.21  f\n"))
    assert.equal("a percentage above 100", problem("[1]    100.1    0.22    1.65                 main [1]\n"))
    assert.equal("a percentage above 100", problem("101 of 100 samples (101.0 %) are in functions\n"))
    assert.equal("", problem("100 of 100 samples (100.0 %) are in functions\n"))
  end)

  it("have percentages that fit the seconds", function()
    local wrong <const> = "percentage and seconds do not fit the other rows"
    assert.equal(wrong, problem(" 50.00      1.00     1.00                             f\n" ..
      " 30.00      1.90     0.90                             g\n"))
    assert.equal(wrong, problem(graph .. "[1]    100.0    0.22    1.65                 main [1]\n" .. dashes ..
      "[2]     50.0    0.20    1.35       1         f [2]\n"))
    assert.equal(wrong, problem(" 100.0      2.08     0.24  main\n  71.6      1.04     0.00  |- f\n"))
    assert.equal(wrong, problem("granularity: each sample hit covers 2 byte(s) for 0.53% of 1.87 seconds\n" ..
      "[1]    100.0    0.22    1.35                 main [1]\n"))
  end)

  it("have cumulative seconds that are the sum of the rows", function()
    local wrong <const> = "the cumulative seconds are not the sum of the rows"
    local first <const> = flat .. " 50.00      1.00     1.00                             f\n"
    assert.equal(wrong, problem(flat .. " 50.00      1.20     1.00                             f\n"))
    assert.equal(wrong, problem(first .. " 25.00      1.60     0.50                             g\n"))
    assert.equal(wrong, problem(first .. "...\n 25.00      1.40     0.50                             g\n"))
    assert.equal("", problem(first .. "...\n 20.00      1.60     0.40                             g\n"))
  end)

  it("have times per call that fit calls and seconds", function()
    local row <const> = " 92.35      1.42     1.42   500000     2.84     2.84  find\n"
    assert.equal("", problem(flat .. row))
    assert.equal("calls, time per call and seconds do not fit", problem(flat:gsub("us/", "ns/") .. row))
  end)

  it("give callers and callees no more than the entry has", function()
    local entry <const> = "[2]     92.2    0.50    0.92  500000         f [2]\n"
    assert.equal("the callers' rows have more time than the entry", problem(graph ..
      "                0.30    0.00       1/2           a [1]\n" ..
      "                0.30    0.00       1/2           b [1]\n" .. entry))
    assert.equal("the callees take longer than the children's seconds", problem(graph .. entry ..
      "                0.50    0.10       1/2           c [3]\n" ..
      "                0.30    0.10       1/2           d [4]\n"))
  end)

  it("have changes that fit old and new", function()
    assert.equal("the change is not new - old",
      problem(comparison .. "change: -1.28 seconds, error 0.13, 0.10 times as much\n"))
    assert.equal("the ratio is not new / old",
      problem(comparison .. "change: -1.38 seconds, error 0.13, 0.30 times as much\n"))
    assert.equal("the change is not new - old", problem("   1.42    0.00    -1.32   0.12    0.00     1.42\n"))
  end)

  it("are reported with the line", function()
    local row <const> = "100.15      0.14     0.14                             f"
    assert.same({ n = 2, nil, "a percentage above 100: " .. row }, table.pack(figures.read { row }))
  end)

  local function conflicts(steps)
    for i, step in ipairs(steps) do
      step.line, step.old_profile, step.shown = i, step.old_profile or "", lines(step.shown)
    end
    return snippets.conflicts(steps)
  end

  local short <const>, long <const> = flat .. " 92.35      1.42     1.42   500000     2.84     2.84  find\n",
    flat .. " 98.04     16.50    16.50   500000    33.00    33.00  find\n"

  it("are the same wherever the page shows the same profile", function()
    assert.same({}, conflicts { { profile = "1", shown = short }, { profile = "2", shown = long }, { shown = long } })
    assert.same({ "lines 1 and 2 show different figures of one profile: total seconds" },
      conflicts { { profile = "1", shown = short }, { profile = "1", shown = long } })
    assert.same({ "lines 1 and 2 show different figures of one profile: self seconds of find" },
      conflicts { { profile = "1", shown = short },
        { profile = "1", shown = graph .. "[3]     92.2    1.40    0.02  500000         find [3]\n" } })
    assert.same({ "lines 1 and 2 show different figures of one profile: time per call of find" },
      conflicts { { profile = "1", shown = short }, { profile = "1", shown = " ns/call  name\n  3064.8  find\n" } })
  end)

  it("are the same in a comparison", function()
    local of_both <const> = { "lines 1 and 2 show different figures of one profile: total seconds" }
    assert.same({}, conflicts { { profile = "1", shown = short },
      { profile = "2", old_profile = "1", shown = comparison } })
    assert.same(of_both, conflicts { { profile = "1", shown = long },
      { profile = "2", old_profile = "1", shown = comparison } })
    assert.same(of_both, conflicts { { profile = "2", old_profile = "1", shown = comparison },
      { profile = "2", shown = short } })
  end)
end)

describe("a page", function()
  local function printed(page)
    local steps = snippets.read(page)
    snippets.run(steps)
    local outputs = {}
    for _, step in ipairs(steps) do
      if step.kind ~= "file" then outputs[#outputs + 1] = step.printed end
    end
    return outputs
  end

  it("is run from top to bottom in one directory", function()
    assert.same({ "hello\nmore\n", "", "6\t1\n", "7\n", "3\n", "oops\n" }, printed [[
```sh
# greet.sh
echo hello
```

```console
$ sh greet.sh; echo \
> more
hello
more
$ echo 1 > file
```

```lua
local six = 6
local function more(n) return n + 1 end
print(six, io.read and io.open("file"):read())
```

```lua
print(more(six))
```

```console
$ echo 3 >&2
3
```

```lua
error("oops", 0)
```
]])
  end)

  it("shows output below a command and below a block of Lua", function()
    local steps = snippets.read("```console\n$ a\n1\n\n2\n$ b\n```\n\n```lua\nprint(1)\n```\n\n```text\n3\n```\n" ..
      "```lua\nprint(2)\n```\n")
    assert.same({ { "1", "", "2" }, {}, { "3" }, {} },
      { steps[1].shown, steps[2].shown, steps[3].shown, steps[4].shown })
    assert.same({ 2, 6, 9, 16 }, { steps[1].line, steps[2].line, steps[3].line, steps[4].line })
  end)

  it("must mark each block that is not run", function()
    for _, block in ipairs { "```\nx\n```", "```text\nx\n```", "```lua\nx=1\n```\nwords\n```text\nx\n```",
      "```c\nx\n```" } do
      assert.has_error(function() snippets.read(block) end)
    end
    local steps, shown = snippets.read "```console only-shown\n$ rm -rf x\n```"
    assert.same({ 0, 1 }, { #steps, #shown })
  end)

  it("must close its blocks and show no output before a command", function()
    assert.has_error(function() snippets.read "```console\n$ x\n" end)
    assert.has_error(function() snippets.read "```console\nx\n```" end)
  end)

  it("records which profiles a command read, by their contents", function()
    local steps = snippets.read [[
```console
$ printf gmon1 >gmon.out; printf gmon1 >a; printf gmon2 >b; echo x >c
$ gprof.lua c
$ gprof.lua -b c a
$ gprof.lua -b c b --compare=a,c
$ gprof.lua c a b
$ gprof.lua c; gprof.lua c
$ rm gmon.out
$ gprof.lua c
```]]
    snippets.run(steps)
    local one, two = steps[2].profile, steps[4].profile
    assert.is_truthy(one and two and one ~= two)
    for i, profile in ipairs { false, one, one, two, one .. two, false, false, false } do
      assert.equal(profile, steps[i].profile or false)
    end
    for i, profile in ipairs { "", "", one, "" } do
      assert.equal(profile, steps[i + 1].old_profile)
    end
  end)
end)

local function all_fit(steps)
  for _, step in ipairs(steps) do
    if step.kind ~= "file" and not (step.printed and snippets.fits(step.shown, step.printed)) then return false end
  end
  return true
end

-- A sample may fall into a function that hardly takes time, as when its code is read from disk, and then reports have
-- a line more than the page. Less than one of ten runs has such a sample, also on a busy machine, so as many runs in a
-- row have them in one case of a million. The output for a page that is wrong never fits.
local RUNS <const> = 6

-- Returns a function that runs the steps of a page on its first call, until their output fits.
local function runner(steps)
  local runs = 0
  return function()
    while runs < RUNS and (runs == 0 or not all_fit(steps)) do
      for _, step in ipairs(steps) do step.printed = nil end
      snippets.run(steps)
      runs = runs + 1
    end
  end
end

for _, name in ipairs(pages) do
  describe(name, function()
    local steps, shown = snippets.read(shell.read(program.root .. "/" .. name))
    local run = runner(steps)
    for _, step in ipairs(steps) do
      if step.kind ~= "file" then
        it(("line %d: %s"):format(step.line, step.text:match("[^\n]*")), function()
          run()
          assert.is_truthy(step.printed, "was not reached")
          assert.is_true(snippets.fits(step.shown, step.printed))
          assert.is_truthy(figures.read(step.shown))
        end)
      end
    end

    it("shows the same figures wherever it shows the same profile", function()
      run()
      assert.same({}, snippets.conflicts(steps))
    end)

    it("shows figures that fit each other in blocks that are not run", function()
      for _, block in ipairs(shown) do
        assert.is_truthy(figures.read(block.lines))
      end
    end)

    -- spec/export/sample_profile_spec.lua runs the blocks with commands of clang.
    it("runs every command that does not install something", function()
      for _, block in ipairs(shown) do
        local needs_clang = table.concat(block.lines, "\n"):find("$ clang ", 1, true)
        for _, line in ipairs(block.kind == "console" and not needs_clang and block.lines or {}) do
          local word = line:match("^%$ (%S+)")
          assert.is_true(not word or installing[word] or false, line)
        end
      end
    end)
  end)
end

-- Links -------------------------------------------------------------------------------------------------------------

-- Returns the anchor of a heading.
local function anchor(heading)
  return (heading:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-"))
end

-- Returns the page without its fenced blocks, whose lines may also begin with "#".
local function prose(page)
  return (("\n" .. page):gsub("\n```.-\n```", "\n"))
end

local function anchors(page)
  local found = {}
  for heading in prose(page):gmatch("\n#+ ([^\n]*)") do
    found[anchor(heading)] = true
  end
  return found
end

-- Returns the target of a page's link as a path from the root of the checkout, with each ".." resolved.
local function resolve(page, target)
  local path = target == "" and page or page:match("^(.-)[^/]*$") .. target
  repeat
    local count
    path, count = path:gsub("[^/]+/%.%./", "", 1)
  until count == 0
  return path
end

describe("every link", function()
  local all <const> = "ls *.md doc/*.md bench/*.md examples/*.md examples/*/*.md fuzz/*.md fuzz/*/*.md"
  for name in shell.check({ "sh", "-c", all }, { cwd = program.root }).stdout:gmatch("%S+") do
    it("of " .. name .. " has a target", function()
      for target in prose(shell.read(program.root .. "/" .. name)):gmatch("%]%(([^%s)]+)%)") do
        local path, fragment = target:match("^([^#]*)#?(.*)$")
        if not target:find("^https?:") then
          path = program.root .. "/" .. resolve(name, path)
          assert.is_true(shell.exists(path), target)
          assert.is_true(fragment == "" or anchors(shell.read(path))[fragment] or false, target)
        end
      end
    end)
  end
end)
