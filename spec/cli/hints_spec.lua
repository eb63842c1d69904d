-- SPDX-License-Identifier: GPL-3.0-or-later
-- Hints: guesses at what the user meant by a suspicious command line. They are never printed on standard output, and
-- never under --gnu-compat.

local crafted = require "support.crafted"
local program = require "support.program"
local shell = require "support.shell"

local example <const> = { functions = { "main", "work", "working", "pb_add", "Draw" },
  ticks = { main = 1, work = 9 }, calls = { { "main", "work", 3 } } }
local image <const>, profile <const> = crafted.image(example), crafted.gmon(example)

local function run(...)
  return program.run { "-b", ... }
end

-- Runs the program, which must succeed. Returns its warning.
local function warned(...)
  local result = run(...)
  assert.equal(0, result.status)
  return result.stderr:match "^gprof.lua: warning: ([^\n]*)\n$" or result.stderr
end

describe("a profile in the place of the program", function()
  local function check(message, ...)
    for _, sandbox in ipairs { "--brief", "--sandbox" } do
      local result = run(sandbox, ...)
      assert.same({ "gprof.lua: " .. message .. "\n", "", 1 }, { result.stderr, result.stdout, result.status })
    end
  end

  it("is reported with the program that is named second", function()
    check(("%s: is a profile, and %s is a program: name the program first"):format(profile,
      image), profile, image)
  end)

  it("is reported if no program is named", function()
    local message = profile .. ": is a profile, not a program: name the program first"
    check(message, profile)
    check(message, profile, profile)
    check(message, profile, profile .. ".none")
  end)

  it("is reported only if the file is a profile", function()
    local text = shell.write(shell.tmpdir() .. "/text", "gm on")
    check(text .. ": is not an object file (file format not recognized)", text, image)
  end)
end)

describe("-y", function()
  it("is reported to have no effect without annotated source", function()
    assert.equal("option -y (--separate-files) has no effect without -A (--annotated-source)",
      warned("-p", "-y", image, profile))
    assert.equal("", warned("-p", "-y", "--gnu-compat", image, profile))
  end)

  it("is not reported with annotated source", function()
    assert.equal("", run("-A", "-y", "-l", image, profile).stderr)
  end)
end)

describe("a symspec that matches nothing", function()
  local function missed(spec, hint)
    return ("symspec '%s' matches nothing%s"):format(spec, hint or "")
  end

  it("may be options attached to another option", function()
    assert.equal(missed("b", ": text attached to -p is a symspec; write options separately: -p -b"),
      warned("-pb", image, profile))
    assert.equal(missed("bl", ": text attached to -Q is a symspec; write options separately: -Q -bl"),
      warned("-Qbl", image, profile))
    assert.equal(missed "bR", warned("-pbR", image, profile))
    assert.equal(missed "b", warned("-p", "-fb", image, profile))
  end)

  for spec, name in pairs {
    wor = "work", works = "work", wrok = "work", vork = "work", ["work_"] = "work", draw = "Draw", worknig = "working",
  } do
    it("may be a typo of a similar name: " .. spec, function()
      assert.equal(missed(spec, (": did you mean %s?"):format(name)), warned("-p" .. spec, image, profile))
      assert.equal(missed(spec, (": did you mean %s?"):format(name)), warned("-p", "-f" .. spec, image, profile))
    end)
  end

  for _, spec in ipairs { "nothing", "woooork", "wo", "work/ma", "okrw" } do
    it("is reported without a guess if no name is similar: " .. spec, function()
      local result = run("-q" .. spec, image, profile)
      assert.not_matches("meant", result.stderr)
      assert.matches("matches nothing\n", result.stderr, 1, true)
    end)
  end

  it("is not reported with --gnu-compat", function()
    assert.equal("", run("--gnu-compat", "-pb", image, profile).stderr)
  end)
end)
