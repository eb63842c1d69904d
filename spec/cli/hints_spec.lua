-- Hints: what somebody may have meant whose command line says something else. They are never on standard output, and
-- not given under --gnu-compat.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local program = require "support.program"
local shell = require "support.shell"

local example <const> = { functions = { "main", "work", "working", "pb_add", "Draw" },
  ticks = { main = 1, work = 9 }, calls = { { "main", "work", 3 } } }
local image <const>, profile <const> = crafted.image(example), crafted.gmon(example)

local function run(...)
  return program.run { "-b", ... }
end

-- The warning that a run gives, which succeeds.
local function warned(...)
  local result = run(...)
  assert.equal(0, result.status)
  return result.stderr:match "^gprof.lua: warning: ([^\n]*)\n$" or result.stderr
end

describe("a profile that stands in the place of the program", function()
  local function check(message, ...)
    for _, sandbox in ipairs { "--brief", "--sandbox" } do
      local result = run(sandbox, ...)
      assert.same({ "gprof.lua: " .. message .. "\n", "", 1 }, { result.stderr, result.stdout, result.status })
    end
  end

  it("seems to be swapped with it", function()
    check(("%s: is a profile, and %s is a program: name the program first"):format(profile,
      image), profile, image)
  end)

  it("is told to be one, where no program is named", function()
    local message = profile .. ": is a profile, not a program: name the program first"
    check(message, profile)
    check(message, profile, profile)
    check(message, profile, profile .. ".none")
  end)

  it("is nothing that is said of other files", function()
    local text = shell.write(shell.tmpdir() .. "/text", "gm on")
    check(text .. ": is not an object file (file format not recognized)", text, image)
  end)
end)

describe("-y", function()
  it("is said to do nothing without annotated source", function()
    assert.equal("option -y (--separate-files) has no effect without -A (--annotated-source)",
      warned("-p", "-y", image, profile))
    assert.equal("", warned("-p", "-y", "--gnu-compat", image, profile))
  end)

  it("is not, with it", function()
    assert.equal("", run("-A", "-y", "-l", image, profile).stderr)
  end)
end)

describe("a symspec that matches nothing", function()
  local function missed(spec, hint)
    return ("symspec '%s' matches nothing%s"):format(spec, hint or "")
  end

  it("may have been options that were joined to one", function()
    assert.equal(missed("b", ": text attached to -p is a symspec; write options apart: -p -b"),
      warned("-pb", image, profile))
    assert.equal(missed("bl", ": text attached to -Q is a symspec; write options apart: -Q -bl"),
      warned("-Qbl", image, profile))
    assert.equal(missed "bR", warned("-pbR", image, profile))
    assert.equal(missed "b", warned("-p", "-fb", image, profile))
  end)

  for spec, name in pairs {
    wor = "work", works = "work", wrok = "work", vork = "work", ["work_"] = "work", draw = "Draw", worknig = "working",
  } do
    it("may have been meant for a name that is nearly the same: " .. spec, function()
      assert.equal(missed(spec, (": did you mean %s?"):format(name)), warned("-p" .. spec, image, profile))
      assert.equal(missed(spec, (": did you mean %s?"):format(name)), warned("-p", "-f" .. spec, image, profile))
    end)
  end

  for _, spec in ipairs { "nothing", "woooork", "wo", "work/ma", "okrw" } do
    it("is just that if there is none: " .. spec, function()
      local result = run("-q" .. spec, image, profile)
      assert.not_matches("meant", result.stderr)
      assert.matches("matches nothing\n", result.stderr, 1, true)
    end)
  end

  it("is not told of under --gnu-compat", function()
    assert.equal("", run("--gnu-compat", "-pb", image, profile).stderr)
  end)
end)
