-- Comparisons for reviewers: Markdown, SARIF and JUnit XML. cmark-gfm is GitHub's own renderer of Markdown.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

-- Names that would break a table or an XML file, or become markup, if they were not escaped.
local odd <const> = { "a|b", "a\\|b", "`", "``x` y", "<script>alert(1)</script>", "&amp; &", "**bold** _it_",
  "[x](http://y)", "@someone #1 www.example.com", "new\nline", "tab\there", "caf\xe9", "\u{202e}reversed", "\u{ffff}x",
  "]]>", "'\"", "\27[1m", "x -->", "<!--", "~~~", "| --- |", (" "):rep(3) .. "blank", "back\\", "operator||" }

local plan <const> = { functions = { "main", table.unpack(odd) } }

-- Writes a profile in which main calls every function; each has time.
local function profile(calls)
  local made = { functions = plan.functions, ticks = {}, calls = {} }
  for i, name in ipairs(odd) do
    made.ticks[name], made.calls[i] = 40 + i, { "main", name, calls }
  end
  return crafted.gmon(made)
end

local image <const>, old <const>, new <const> = crafted.image(plan), profile(100), profile(102)

local function export(kind, ...)
  return program.run { "-b", "--export=" .. kind, "--compare=" .. old, image, new, ... }
end

local function text(kind, ...)
  return export(kind, ...).stdout
end

-- A program with source: helper in left.c and helper in right.c.
local made = {}
local function real(kind, ...)
  if not made.dir then
    made.dir = shell.tmpdir "real"
    shell.check { "mkdir", "-p", made.dir .. "/.git", made.dir .. "/src" }
    for _, name in ipairs { "left", "right" } do
      shell.write(made.dir .. "/src/" .. name .. ".c", shell.read(build.fixture("builds/" .. name .. ".c")))
    end
    made.image = made.dir .. "/program"
    shell.check({ "gcc", "-O0", "-g", "-DBUILD=1", "-o", "program", "src/left.c", "src/right.c" }, { cwd = made.dir })
    local symbols = build.symbols(made.image).by_name
    made.symbols = symbols
    local function counted(count)
      local arcs = {}
      for i, address in ipairs(symbols.helper) do arcs[i] = { symbols.main[1] + 4, address, i == 1 and count or 9 } end
      return small.profile(made, { ticks = { [symbols.main[1] & ~1] = 50 }, arcs = arcs })
    end
    made.old, made.new = counted(10), counted(20)
  end
  return program.run({ "-b", "--export=" .. kind, "--compare=" .. made.old, made.image, made.new, ... },
    { cwd = made.dir })
end

describe("the export markdown", function()
  it("shows what exceeds limits, and where", function()
    local result = real("markdown", "--fail-on=calls:5%")
    assert.equal(2, result.status)
    local helper = result.stdout:match "| `helper` | `src/left.c:%d+` | calls | 10 → 20 %(%+100.0 %%%) | 5 %% |\n"
    assert.truthy(helper, result.stdout)
    assert.matches("^### Profile: 2 limits are exceeded\n\n%- old: 1 run", result.stdout)
    assert.matches("| the whole program |  | calls | 19 → 29 (+52.6 %) | 5 % |\n", result.stdout, 1, true)
  end)

  it("says that no limit is exceeded, or that there are none", function()
    assert.matches("^### Profile: no limit is exceeded\n", text("markdown", "--fail-on=calls:5%"))
    assert.matches("^### Comparison of profiles\n", text "markdown")
  end)

  it("folds noise", function()
    local function timed(ticks)
      return crafted.gmon { functions = { "main", "f", "g", "h" }, ticks = ticks, calls = { { "main", "f", 1 } } }
    end
    local result = program.run { "--export=markdown", "--compare=" .. timed { f = 100, g = 400, h = 5 },
      crafted.image { functions = { "main", "f", "g", "h" } }, timed { f = 110, g = 900, h = 5 } }
    local before, folded = result.stdout:match "^(.*)<details><summary>2 functions changed only (.*)</details>"
    assert.truthy(before, result.stdout)
    assert.matches("\n| `g` | 4 → 9 ", before, 1, true)
    assert.matches("\n| `f` | 1 → 1.1 ", folded, 1, true)
    assert.matches("\n1 function did not change.\n", result.stdout, 1, true)
  end)

  it("has a column of recursive calls if any of these changed", function()
    local function called(calls, recursive)
      return crafted.gmon { functions = { "main", "f" }, calls = { { "main", "f", calls }, { "f", "f", recursive } } }
    end
    local function table_of(...)
      return program.run({ "--export=markdown", "--compare=" .. called(1, 2),
        crafted.image { functions = { "main", "f" } }, called(...) }).stdout:match "\n(| function .*)$"
    end
    assert.equal("| function | calls | recursive calls |\n| --- | ---: | ---: |\n| `f` | 1 | 2 → 10 (+400.0 %) |\n\n",
      table_of(1, 10))
    assert.matches("^| function | calls |\n| %-%-%- | %-%-%-: |\n| `f` | 1 → 4 ", table_of(4, 2))
  end)

  it("has as many cells in each row as in its title, whatever the names are", function()
    local rows = 0
    for line in text("markdown", "--fail-on=calls:1%"):gmatch "[^\n]+" do
      if line:find "^|" then
        local cells = select(2, line:gsub("\\|", ""):gsub("|", "")) - 1
        rows, made.cells = rows + 1, line:find "^| [ef]%a* " and cells or made.cells
        assert.equal(made.cells, cells, line)
      end
    end
    assert.equal((2 + 1 + #odd) + (2 + #odd), rows) -- the first table has the whole program
  end)

  it("has a limited number of rows", function()
    local many = { functions = { "main" }, calls = {} }
    for i = 1, 80 do many.functions[i + 1], many.calls[i] = "f" .. i, { "main", "f" .. i, 1 } end
    local before = crafted.gmon(many)
    for _, call in ipairs(many.calls) do call[3] = 2 end
    local result = program.run { "--export=markdown", "--compare=" .. before, crafted.image(many), crafted.gmon(many) }
    assert.matches("\n30 more are not shown.\n", result.stdout, 1, true)
  end)

  if shell.run({ "sh", "-c", "command -v cmark-gfm" }).status ~= 0 then return pending "needs cmark-gfm" end

  it("is rendered as tables, with names as code", function()
    local path = shell.write(shell.tmpdir() .. "/gprof.md", text("markdown", "--fail-on=calls:1%"))
    local words = { "cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", path }
    local html = shell.check(words).stdout
    assert.equal(2, select(2, html:gsub("<table>", "")))
    for _, tag in ipairs { "<script", "<a ", "<strong", "<em", "<del", "<!--" } do
      assert.is_nil(html:find(tag, 1, true), tag)
    end
    local shown = { ["a|b"] = "a|b", ["a\\|b"] = "a\\x7Cb", ["``x` y"] = "``x` y", ["back\\"] = "back\\",
      ["<script>alert(1)</script>"] = "&lt;script&gt;alert(1)&lt;/script&gt;", ["operator||"] = "operator||",
      ["new\nline"] = "new\\x0Aline", ["\u{202e}reversed"] = "\\u{202E}reversed", ["&amp; &"] = "&amp;amp; &amp;",
      ["`"] = "`", ["caf\xe9"] = "caf\\xE9" }
    for name, code in pairs(shown) do
      assert.equal(2, select(2, html:gsub(("<td><code>%s</code></td>"):format((code:gsub("%p", "%%%0"))), "")), name)
    end
  end)
end)

describe("the export sarif", function()
  it("has a result for each failure, at its file and line", function()
    local result = real("sarif", "--fail-on=calls:5%")
    local log = dkjson.decode(result.stdout, 1, nil, nil)
    assert.same({ "2.1.0", 1, 2 }, { log.version, #log.runs, #log.runs[1].results })
    local run = log.runs[1]
    for _, found in ipairs(run.results) do
      assert.equal(found.ruleId, run.tool.driver.rules[found.ruleIndex + 1].id)
      assert.matches("^%x+$", found.partialFingerprints["gprofFunction/v1"])
    end
    local place = run.results[2].locations[1]
    assert.equal("src/left.c", place.physicalLocation.artifactLocation.uri)
    assert.equal(3, place.physicalLocation.region.startLine)
    assert.equal("helper", place.logicalLocations[1].fullyQualifiedName)
    assert.equal("more calls: helper: 10 to 20 per run, 100.0 % more (limit 5 %)", run.results[2].message.text)
    assert.equal("src/right.c", run.results[1].locations[1].physicalLocation.artifactLocation.uri) -- of main
    assert.not_equal(run.results[1].partialFingerprints["gprofFunction/v1"],
      run.results[2].partialFingerprints["gprofFunction/v1"])
  end)

  -- Returns the URI and line of each result, by function; "" is the whole program. GitHub refuses all results if one
  -- has no file.
  local function places(log)
    local found = {}
    for _, one in ipairs(dkjson.decode(log).runs[1].results) do
      assert.equal(1, #one.locations)
      local place, logical = one.locations[1].physicalLocation, one.locations[1].logicalLocations
      local name = one.message.text:find("the whole program", 1, true) and "" or logical[1].fullyQualifiedName
      found[name] = place.artifactLocation.uri .. ":" .. place.region.startLine
    end
    return found
  end

  -- Compiles main.c and leaf.c in a repository, and compares profiles with 10 and 20 calls of leaf. A short run has no
  -- samples, so main, which nobody calls, is not compared.
  local function log_of(flags, ...)
    local dir = shell.tmpdir "places"
    shell.check { "mkdir", "-p", dir .. "/.git", dir .. "/src", dir .. "/build dir" }
    shell.write(dir .. "/src/main.c", "void leaf(void);\n\nint main(void) { leaf(); return 0; }\n")
    shell.write(dir .. "/src/leaf.c", "void leaf(void) {}\n")
    for _, name in ipairs { "main", "leaf" } do
      local source = "../src/" .. name .. ".c"
      shell.check({ "gcc", "-O0", flags[name] or "-g0", "-c", source }, { cwd = dir .. "/build dir" })
    end
    shell.check({ "gcc", "-o", "program", "main.o", "leaf.o" }, { cwd = dir .. "/build dir" })
    local path = dir .. "/build dir/program"
    local addresses, profiles = build.symbols(path).by_name, {}
    for i = 1, 2 do
      profiles[i] = small.profile({ image = path }, { ticks = flags.short and {} or { [addresses.main[1] & ~1] = 50 },
        arcs = { { addresses.main[1] + 4, addresses.leaf[1], 10 * i } } })
    end
    local result = program.run({ "-b", "--export=sarif", "--compare=" .. profiles[1], "--fail-on=calls:5%", "program",
      profiles[2], ... }, { cwd = dir .. "/build dir" })
    assert.equal(2, result.status, result.stderr)
    return result.stdout
  end

  it("has a file for each result: that of the function, of main, or the program", function()
    assert.same({ leaf = "src/leaf.c:1", [""] = "src/main.c:3" }, places(log_of { main = "-g", leaf = "-g" }))
    assert.same({ leaf = "src/main.c:3", [""] = "src/main.c:3" }, places(log_of { main = "-g" }))
    assert.same({ leaf = "src/main.c:3", [""] = "src/main.c:3" }, places(log_of { main = "-g", short = true }))
    assert.same({ leaf = "src/leaf.c:1", [""] = "build%20dir/program:1" }, places(log_of { leaf = "-g" }))
    for _, sandboxed in ipairs { {}, { "--sandbox" } } do
      assert.same({ leaf = "build%20dir/program:1", [""] = "build%20dir/program:1" },
        places(log_of({}, table.unpack(sandboxed))))
    end
    for _, place in pairs(places(text("sarif", "--fail-on=calls:1%,total:0,self:0"))) do
      assert.matches("^file:///.*:1$", place)
    end
  end)

  it("says where to read about the tool", function()
    local tool = dkjson.decode(real("sarif", "--fail-on=calls:5%").stdout).runs[1].tool.driver
    assert.matches("^https://", tool.informationUri)
  end)

  it("has no results if no limit is exceeded", function()
    local result = real("sarif", "--fail-on=calls:500%")
    assert.equal(0, result.status)
    assert.same({}, dkjson.decode(result.stdout).runs[1].results)
  end)
end)

describe("the export junit", function()
  it("has a test case for each function, and a failure for each that exceeds a limit", function()
    local result = real("junit", "--fail-on=calls:5%")
    assert.matches('<testsuites name="gprof" tests="4" failures="2" errors="0">\n', result.stdout, 1, true)
    assert.matches('<testcase classname="src/left.c" name="helper">\n      <failure type="calls" message="more ' ..
      'calls: 10 to 20 per run, 100.0 % more (limit 5 %)">more calls: helper (left.c:3): 10 to 20 per run, 100.0 % ' ..
      "more (limit 5 %)</failure>\n    </testcase>\n", result.stdout, 1, true)
    assert.matches('<testcase classname="src/right.c" name="helper"/>\n', result.stdout, 1, true)
  end)

  it("is valid XML, whatever the names are", function()
    local xml = text("junit", "--fail-on=calls:1%")
    assert.is_nil(xml:find "[^\n\32-\126\128-\255]")
    assert.is_nil(xml:gsub("&%l+;", ""):gsub("&#39;", ""):find("&", 1, true))
    assert.truthy(utf8.len(xml))
    local depth = 0
    for slash, name, rest in xml:gmatch "<([/?]?)(%a+)([^<>]*)>" do
      if slash == "/" then depth = depth - 1 elseif slash == "" and not rest:find "/$" then depth = depth + 1 end
      assert.truthy(({ testsuites = 1, testsuite = 1, testcase = 1, failure = 1, xml = 1 })[name], name)
    end
    assert.equal(0, depth)
  end)

  if shell.run({ "/usr/bin/python3", "-c", "import junitparser" }).status ~= 0 then
    return pending "needs python3-junitparser"
  end

  it("is read by junitparser", function()
    local path = shell.write(shell.tmpdir() .. "/gprof.xml", text("junit", "--fail-on=calls:1%"))
    local script <const> = [[
import sys, junitparser
xml = junitparser.JUnitXml.fromfile(sys.argv[1])
cases = [case for suite in xml for case in suite]
failed = [case for case in cases if any(isinstance(r, junitparser.Failure) for r in case.result)]
odd = [case for case in failed if case.name == "<script>alert(1)</script>"]
print(xml.tests, xml.failures, len(cases), len(failed), len(odd))
]]
    local total = #odd + 2 -- and main, and the whole program
    assert.equal(("%d %d %d %d 1\n"):format(total, #odd + 1, total, #odd + 1),
      shell.check({ "/usr/bin/python3", "-c", script, path }).stdout)
  end)
end)

describe("exports of comparisons", function()
  it("need a comparison, and some need limits", function()
    for kind, needs in pairs { markdown = false, sarif = true, junit = true } do
      local result = program.run { "--export=" .. kind, image, new }
      assert.same({ 1, "", ("gprof.lua: option --export=%s needs --compare or --baseline\n"):format(kind) },
        { result.status, result.stdout, result.stderr })
      if needs then
        local message = "gprof.lua: option --export=%s needs --fail-on: it shows what exceeds limits\n"
        assert.same({ 1, message:format(kind) }, { export(kind).status, export(kind).stderr })
      end
    end
  end)

  it("are the same in the sandbox", function()
    for _, kind in ipairs { "markdown", "sarif", "junit" } do
      local plain, confined = real(kind, "--fail-on=calls:5%"), real(kind, "--fail-on=calls:5%", "--sandbox")
      assert.same({ 2, plain.stdout, plain.stderr }, { confined.status, confined.stdout, confined.stderr })
    end
  end)
end)

local schema <const> = program.root ..
  "/build/readers/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
if not shell.exists(schema) or shell.run({ "python3", "-c", "import jsonschema" }).status ~= 0 then
  return pending "the schema of SARIF 2.1.0: needs 'make readers' and python3-jsonschema"
end

describe("the schema of SARIF 2.1.0", function()
  local script <const> = [==[
import json, sys, jsonschema
validator = jsonschema.Draft4Validator(json.load(open(sys.argv[1])))
for path in sys.argv[2:]:
    print(len(list(validator.iter_errors(json.load(open(path))))))
]==]

  it("matches results with and without places, and rejects others", function()
    local files = { real("sarif", "--fail-on=calls:5%").stdout, real("sarif", "--fail-on=calls:500%").stdout,
      text("sarif", "--fail-on=calls:1%,total:0,self:0") }
    files[4] = files[1]:gsub('"startLine": 3', '"startLine": 0')
    files[5] = files[1]:gsub('"ruleIndex"', '"ruleNumber"')
    local words = { "python3", "-c", script, schema }
    for i, log in ipairs(files) do words[4 + i] = shell.write(shell.tmpdir() .. "/log.sarif", log) end
    assert.equal("0\n0\n0\n1\n2\n", shell.check(words).stdout)
  end)
end)
