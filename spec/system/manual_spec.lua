-- The pages of documentation tell the truth: every snippet is run, and prints what the page shows; every link leads to
-- something. What checks the pages is itself checked first.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"
local snippets = require "support.snippets"

local pages <const> = { "README.md", "doc/manual.md", "doc/blocks.md", "doc/differences.md", "doc/export.md",
  "doc/embedded.md" }

-- What only-shown commands begin with: they install something, or need what not everybody has.
local installing <const> = { make = true, ["apt-get"] = true, luarocks = true }

local function lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

describe("what is printed", function()
  local function fits(shown, printed)
    return (snippets.fits(lines(shown), printed))
  end

  it("fits when it is the same but for blanks and what is measured", function()
    assert.is_true(fits("main  0.02 12\nend", "main 10.15    12\nend\n"))
    assert.is_true(fits("ms/call at 0x12", "us/call  at 0xfe\n"))
    assert.is_true(fits("find (t.c:11 @ 12e1)", "find (t.c:11 @ 40)\n"))
    assert.is_true(fits(" 98.33      0.54  12 x", "100.16      1.02  12 x\n"))
    assert.is_true(fits("[1] 98.0 0.01 main [1]", "[12] 98.0 0.01 main [12]\n"))
    assert.is_true(fits("     0.15         }", "                  }\n"))
    assert.is_true(fits("     0.15       12 -> {", "                12 -> {\n"))
    assert.is_true(fits("", ""))
  end)

  it("does not fit when a word, a count or a line differs", function()
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

  it("may have any lines where the page has three dots", function()
    assert.is_true(fits("...", ""))
    assert.is_true(fits("a\n...", "a\nb\nc\n"))
    assert.is_true(fits("...\nc", "a\nb\nc\n"))
    assert.is_true(fits("a\n...\nc\n...\ne", "a\nb\nc\nd\ne\n"))
    assert.is_true(fits("...\na\n...\na", "a\na\n"))
    assert.is_true(fits("a\n...\nb", "a\nb\n"))
  end)

  it("does not fit around three dots when a line is missing or elsewhere", function()
    assert.is_false(fits("a\n...", "b\na\n"))
    assert.is_false(fits("...\nc", "c\nd\n"))
    assert.is_false(fits("a\n...\nc\n...\ne", "a\nd\ne\n"))
    assert.is_false(fits("a\n...\na", "a\n"))
    assert.is_false(fits("...\nb\n...\na\n...", "a\nb\n"))
  end)

  it("is told of with the line that does not fit", function()
    local done, message = snippets.fits({ "a", "b" }, "a\nc\n")
    assert.is_false(done)
    assert.equal("the page has: b\nprinted was:\na\nc\n", message)
  end)
end)

describe("a page", function()
  local function printed(page)
    local steps = snippets.read(page)
    snippets.run(steps)
    local said = {}
    for _, step in ipairs(steps) do
      if step.kind ~= "file" then said[#said + 1] = step.printed end
    end
    return said
  end

  it("is run from its top to its end, in one place", function()
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

  it("shows what is printed below a command, and below a block of Lua", function()
    local steps = snippets.read("```console\n$ a\n1\n\n2\n$ b\n```\n\n```lua\nprint(1)\n```\n\n```text\n3\n```\n" ..
      "```lua\nprint(2)\n```\n")
    assert.same({ { "1", "", "2" }, {}, { "3" }, {} },
      { steps[1].shown, steps[2].shown, steps[3].shown, steps[4].shown })
    assert.same({ 2, 6, 9, 16 }, { steps[1].line, steps[2].line, steps[3].line, steps[4].line })
  end)

  it("has no block that is left alone without saying so", function()
    for _, block in ipairs { "```\nx\n```", "```text\nx\n```", "```lua\nx=1\n```\nwords\n```text\nx\n```",
      "```c\nx\n```" } do
      assert.has_error(function() snippets.read(block) end)
    end
    local steps, shown = snippets.read "```console only-shown\n$ rm -rf x\n```"
    assert.same({ 0, 1 }, { #steps, #shown })
  end)

  it("has no block that is not closed, and no output before a command", function()
    assert.has_error(function() snippets.read "```console\n$ x\n" end)
    assert.has_error(function() snippets.read "```console\nx\n```" end)
  end)
end)

-- Runs the steps of a page when the first of them is wanted.
local function runner(steps)
  local done
  return function()
    if not done then
      done = true
      snippets.run(steps)
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
          assert.is_truthy(step.printed, "is not reached")
          local done, message = snippets.fits(step.shown, step.printed)
          assert.is_true(done, message)
        end)
      end
    end

    it("leaves no command alone but those that install", function()
      for _, block in ipairs(shown) do
        for _, line in ipairs(block.kind == "console" and block.lines or {}) do
          local word = line:match("^%$ (%S+)")
          assert.is_true(not word or installing[word] or false, line)
        end
      end
    end)
  end)
end

-- Links -------------------------------------------------------------------------------------------------------------

-- The name by which a heading is linked to.
local function anchor(heading)
  return (heading:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-"))
end

-- Text without fenced blocks, in which "#" begins a comment.
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

-- The path of a link from a page, without the ".." in it.
local function resolve(page, target)
  local path = target == "" and page or page:match("^(.-)[^/]*$") .. target
  repeat
    local count
    path, count = path:gsub("[^/]+/%.%./", "", 1)
  until count == 0
  return path
end

describe("every link", function()
  for _, name in ipairs { "README.md", "CHANGELOG.md", "doc/manual.md", "doc/blocks.md", "doc/differences.md",
    "doc/mon.out.md", "doc/architecture.md", "doc/scale.md", "examples/README.md" } do
    it("of " .. name .. " leads to something", function()
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
