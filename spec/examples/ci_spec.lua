-- examples/ci: the shell steps of the workflows run, fail if a limit is exceeded, and leave reports.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local source <const> = [[
#include <stdlib.h>
static long __attribute__((noinline)) leaf(long n) { return n * 3 + 1; }
int main(void) {
    volatile long sum = 0;
    for (long i = 0; i < CALLS; i++) sum += leaf(i);
    return 0;
}
]]

-- Makes a project with a program that makes a number of calls. The program `gprof.lua` is in bin/, and so is a `gh`
-- that prints its arguments.
local function project()
  local dir = shell.tmpdir "project"
  shell.check { "mkdir", "-p", dir .. "/bin", dir .. "/perf", dir .. "/.git" }
  shell.write(dir .. "/program.c", source)
  shell.write(dir .. "/Makefile", "program: program.c\n\tgcc $(CFLAGS) -DCALLS=$(CALLS) $(LDFLAGS) -o $@ $<\n")
  shell.write(dir .. "/bin/gprof.lua", ("#!/bin/sh\nexec %s '%s/gprof.lua' \"$@\"\n"):format(
    table.concat(program.interpreter, " "), program.root))
  shell.write(dir .. "/bin/gh", "#!/bin/sh\necho gh \"$@\"\n")
  shell.check { "chmod", "+x", dir .. "/bin/gprof.lua", dir .. "/bin/gh" }
  return dir
end

-- Runs a script as GitHub and GitLab do: in the project, ending at the first failure.
local function run(dir, script, calls)
  local env = { PATH = dir .. "/bin:" .. os.getenv "PATH", CALLS = tostring(calls), NUMBER = "7",
    GITHUB_STEP_SUMMARY = dir .. "/summary.md" }
  return shell.run({ "bash", "-e", "-c", script }, { cwd = dir, env = env })
end

-- Returns the scalar that begins at a line of YAML after `indent` blanks, in a block ("|", ">-") or on the line itself.
local function scalar(lines, number, value, indent)
  local style = value:match "^([|>])-?$"
  if not style then return value end
  local parts = {}
  for i = number + 1, #lines do
    local blanks, rest = lines[i]:match "^( *)(.*)$"
    if #blanks <= indent then break end
    parts[#parts + 1] = lines[i]:sub(#lines[number + 1]:match "^ *" + 1)
    assert(rest ~= "")
  end
  return style == "|" and table.concat(parts, "\n") .. "\n" or table.concat(parts, " ")
end

local function lines_of(name)
  local lines = {}
  for line in shell.read(program.root .. "/examples/ci/" .. name):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

-- Returns the shell steps of the workflow for GitHub.
local function github()
  local lines, steps = lines_of "github.yml", {}
  for i, line in ipairs(lines) do
    local indent, value = line:match "^( *)run: (.*)$"
    if indent then steps[#steps + 1] = scalar(lines, i, value, #indent) end
  end
  return steps
end

-- Returns the entries of a list of the job for GitLab.
local function gitlab(list)
  local lines, steps, inside = lines_of "gitlab.yml", {}, false
  for i, line in ipairs(lines) do
    if line:find "^  %S" then inside = line == "  " .. list .. ":" end
    local value = inside and line:match "^    %- (.*)$"
    if value then steps[#steps + 1] = scalar(lines, i, value, 4) end
  end
  return steps
end

-- Runs all steps that need no network; stops at the first that fails. Returns the status and the messages.
local function run_all(dir, steps, calls)
  for _, step in ipairs(steps) do
    local result = run(dir, step, calls)
    if result.status ~= 0 then return result.status, result.stderr end
  end
  return 0, ""
end

local function without_installing(steps)
  local rest = {}
  for _, step in ipairs(steps) do
    if not step:find("apt-get", 1, true) then rest[#rest + 1] = step end
  end
  return rest
end

local sets <const> = { github = without_installing(github()), gitlab = gitlab "script" }

local update <const> = "gprof.lua --baseline=perf/baseline.jsonl --update-baseline program run.*"

describe("the workflows", function()
  it("have the steps that are checked here", function()
    assert.same({ 4, 3 }, { #sets.github, #sets.gitlab })
    assert.same(3, #gitlab "before_script")
    for _, steps in pairs { github(), gitlab "before_script", gitlab "script" } do
      for _, step in ipairs(steps) do shell.check { "bash", "-n", "-c", step } end
    end
    for name in pairs(sets) do
      assert.truthy(table.concat(lines_of(name .. ".yml"), " "):gsub("[ #]+", " "):find(update, 1, true), name)
    end
  end)

  for name, steps in pairs(sets) do
    it("fail if a function is called too often, and pass otherwise: " .. name, function()
      local dir = project()
      assert.same({ 0, "" }, { run_all(dir, { steps[1], steps[2], update }, 1000) })
      assert.same({ 0, "" }, { run_all(dir, steps, 1000) })
      assert.matches("### Profile: no limit is exceeded", shell.read(dir .. "/gprof.md"), 1, true)
      os.remove(dir .. "/program")
      local status, messages = run_all(dir, steps, 1011)
      assert.same({ 2, "gprof.lua: more calls: the whole program: 1001 to 1012 per run, 1.1 % more (limit 1 %)\n" ..
        "gprof.lua: more calls: leaf (program.c:2): 1000 to 1011 per run, 1.1 % more (limit 1 %)\n" },
        { status, messages })
      assert.matches("\n| `leaf` | `program.c:2` | calls | 1000 → 1011 (+1.1 %) | 1 % |\n",
        shell.read(dir .. "/gprof.md"), 1, true)
      assert.matches('<testcase classname="program.c" name="leaf">\n      <failure type="calls" ',
        shell.read(dir .. "/gprof.xml"), 1, true)
      if name == "github" then
        assert.matches('"uri": "program.c"}, "region": {"startLine": 2}', shell.read(dir .. "/gprof.sarif"), 1, true)
        local shown = run(dir, steps[4], 1)
        assert.equal("gh pr comment 7 --edit-last --create-if-none --body-file gprof.md\n", shown.stdout)
        assert.matches(shell.read(dir .. "/gprof.md"), shell.read(dir .. "/summary.md"), 1, true)
      end
    end)
  end

  if shell.run({ "python3", "-c", "import yaml" }).status ~= 0 then
    return pending "YAML: needs python3-yaml"
  end

  it("are YAML with these steps", function()
    local script <const> = [==[
import json, sys, yaml
github, gitlab = (yaml.safe_load(open(path)) for path in sys.argv[1:])
print(json.dumps({"github": [step["run"] for step in github["jobs"]["limits"]["steps"] if "run" in step],
  "before_script": gitlab["limits"]["before_script"], "script": gitlab["limits"]["script"]}))
]==]
    local there = program.root .. "/examples/ci/"
    local text = shell.check({ "python3", "-c", script, there .. "github.yml", there .. "gitlab.yml" }).stdout
    local found = require "dkjson".decode(text, 1, nil, nil)
    assert.same({ github = github(), before_script = gitlab "before_script", script = gitlab "script" }, found)
  end)
end)
