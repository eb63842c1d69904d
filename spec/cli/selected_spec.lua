-- Symspecs that match, but not what the user may expect; and misspelt names of source files.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = {
  functions = { "main", "idle", "ns::Map::Map(int)", "ns::Map::Map()", "ns::Map::find(int)", "ns::Map::~Map()",
    "Set::Set()", "run", "Tree::Tree()", "Tree::find()" },
  ticks = { run = 2, ["ns::Map::Map()"] = 1, ["ns::Map::find(int)"] = 9, ["Set::Set()"] = 1 },
  calls = { { "main", "run", 1 }, { "run", "run", 4 } },
}
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- A program with line numbers, and one without.
local dir <const> = shell.tmpdir()
shell.write(dir .. "/table.c", "void work(void) { asm(\"\"); }\n#include \"main.h\"\n")
shell.write(dir .. "/main.h", "int main(void) { work(); return 0; }\n")
shell.check({ "gcc", "-g", "-pg", "-o", "with", "table.c" }, { cwd = dir })
shell.check({ "./with" }, { cwd = dir })
shell.check({ "strip", "-g", "-o", "without", "with" }, { cwd = dir })

local function said(...)
  local result = program.run { image, profile, ... }
  assert.equal(0, result.status, result.stderr)
  return result.stderr
end

describe("A symspec of functions without time and calls", function()
  local function warning(spec, lack)
    return ("gprof.lua: warning: symspec '%s' selects nothing that has %s (-z prints the rest)\n"):format(spec,
      lack or "time or calls")
  end

  it("is told, because the report does not show them", function()
    for _, words in ipairs { { "-qidle" }, { "-q", "-f", "idle" }, { "-b", "-qidle", "-qrun" } } do
      assert.equal(warning "idle", said(table.unpack(words)))
    end
    for spec, words in pairs { idle = { "-pidle", "-prun" }, main = { "-pmain" }, ["ns::Map::~Map"] = {
      "-pns::Map::~Map" } } do
      assert.equal(warning(spec, "self time or calls"), said(table.unpack(words)))
    end
  end)

  it("is not told if they are shown, or not selected", function()
    for _, words in ipairs { { "-prun" }, { "-qmain" }, { "-pidle", "-z" }, { "-Pidle" }, { "-Cidle" }, { "-p*" },
      { "-pidle", "--gnu-compat" }, { "-pidle", "--export=csv" } } do
      assert.equal("", said("-b", table.unpack(words)), words[1])
    end
  end)

  it("is not told if the call graph shows what they call", function()
    local calls = { functions = { "start", "step", "last", "other" }, ticks = { other = 1 },
      calls = { { "start", "step", 1 }, { "step", "last", 1 } } }
    for _, words in ipairs { { "-qstart" }, { "-q", "-f", "start" }, { "-q", "-F", "start" } } do
      local result = program.run { crafted.image(calls), crafted.gmon(calls), "-b", table.unpack(words) }
      assert.equal("", result.stderr, words[2])
      assert.truthy(result.stdout:find(" last [", 1, true))
    end
  end)

  it("is not told if other lines of a function have calls or time", function()
    local result = program.run({ "-b", "-l", "-qmain", "with" }, { cwd = dir })
    assert.equal("", result.stderr)
    assert.truthy(result.stdout:find("\n%[%d+%] [^\n]* work "))
  end)
end)

describe("The name of a class that selects only constructors", function()
  local hint <const> = "gprof.lua: hint: '%s' selects only the constructors; to select all members, write %s\n"

  it("gives a hint", function()
    assert.equal(hint:format("Map", "-p'Map::*'"), said "-pMap")
    assert.equal(hint:format("Map", "-Q'Map::*'"), said "-QMap")
    assert.equal(hint:format("Map", "--tree='Map::*'"), said "--tree=Map")
  end)

  it("is refused as the root of a call tree if they have no time: the tree would be empty", function()
    local text = "gprof.lua: the call tree is empty: symspec '%s' selects nothing that has time%s\n"
    for spec, advice in pairs { idle = "", Tree = "; to select all members, write --tree='Tree::*'" } do
      for _, words in ipairs { { "-b" }, {} } do
        local result = program.run { image, profile, "--tree=" .. spec, words[1] }
        assert.same({ text:format(spec, advice), "", 1 }, { result.stderr, result.stdout, result.status })
      end
    end
    assert.equal("", said("-b", "--tree=idle", "--tree=run"))
  end)

  it("may be misspelt: all members are suggested", function()
    for spec, meant in pairs { Mpa = "'ns::Map::*'", ["Map::Mpa"] = "ns::Map::Map" } do
      local result = program.run { image, profile, "-p" .. spec }
      assert.same({ ("gprof.lua: symspec '%s' matches nothing: did you mean -p%s?\n"):format(spec, meant), 1 },
        { result.stderr, result.status })
    end
  end)

  it("gives no hint if the class has no other members, or with a more precise name, or with -b", function()
    for _, words in ipairs { { "-pSet" }, { "-pMap::Map" }, { "-pMap::*" }, { "-p/Map/" }, { "-pns::Map::Map()" },
      { "-b", "-pMap" }, { "-pfind" } } do
      assert.equal("", said(table.unpack(words)), words[1])
    end
  end)
end)

describe("A misspelt source file", function()
  local function refused(path, spec)
    local result = program.run({ "-p" .. spec, path }, { cwd = dir })
    assert.same({ "", 1 }, { result.stdout, result.status })
    return result.stderr
  end

  it("gets a suggestion", function()
    for spec, meant in pairs { ["tabel.c"] = "table.c", ["table.cc"] = "table.c", ["x/Table.c"] = "table.c",
      ["main.c"] = "main.h", ["tabel.c:work"] = "table.c:work", ["tabel.c:"] = "table.c:" } do
      assert.equal(("gprof.lua: symspec '%s' matches nothing: did you mean -p%s?\n"):format(spec, meant),
        refused("with", spec))
    end
    assert.equal("gprof.lua: symspec 'other.c' matches nothing\n", refused("with", "other.c"))
  end)

  it("with a line at which no function begins needs -l", function()
    assert.equal("gprof.lua: symspec 'main.h:2' matches nothing: no function begins at line 2; with -l, main.h:2 " ..
      "selects the line\n", refused("with", "main.h:2"))
    local result = program.run({ "-l", "-pmain.h:99", "with" }, { cwd = dir })
    assert.equal("gprof.lua: symspec 'main.h:99' matches nothing\n", result.stderr)
  end)

  it("is explained if the image has no line numbers", function()
    assert.equal("gprof.lua: symspec 'table.c' matches nothing: without has no line numbers, so it has no names of " ..
      "source files\n", refused("without", "table.c"))
  end)
end)
