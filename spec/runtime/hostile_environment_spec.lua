-- What the runtime libraries read is not trusted: whatever is in the variables of the environment and in an existing
-- gmon.out, a program prints the same and ends in the same way, and messages are whole lines without control
-- characters.
-- SPDX-License-Identifier: GPL-3.0-or-later

local blocks = require "support.blocks"
local chance = require "support.chance"
local recorder = require "support.recorder"
local shell = require "support.shell"

local repeatedly <const> = chance.cases(1, 60)
local random <const>, pick <const> = math.random, chance.pick

local SOURCE <const> = [[
#include <stdio.h>
static volatile int sum;
__attribute__((noinline)) void leaf(int n) { sum += n; }
int main(void) {
  for (int i = 0; i < 1000; i++) leaf(i);
  puts("done");
  return 7;
}
]]

local names <const> = { "memory=", "rate=", "output=", "part=", "dump-signal=", "dump-file=", "anew", "follow", "wall",
  "anew=", "wall=", "unknown=", "unknown", "", "=", "MEMORY=" }

local values <const> = { "", "-1", "0", "1", "7", "64", "65", "32", "1000", "100001", "99999999999999999999", "1e3",
  "0x10", " 1", "1 ", "1.5", ("9"):rep(400), "%", "%z", "%%", "%e%h%p%r",
  "a/b", "no/such/place", ".", "..", "./", "name",
  "\27[2J", "a\nlibgprof: b", "\r", "::error::", "\xff\xfe", ("A"):rep(300), ("A"):rep(5000), ("%p"):rep(2000), "KILL",
  "SEGV", "CHLD", "USR1", "SIGUSR1", "PROF", "=", "$(touch hit)", "%s%n", "1.4294967295", "1.-1" }

-- Returns the value of GPROF_RECORDER.
local function options()
  local list = {}
  for i = 1, random(6) do list[i] = pick(names) .. (random(4) > 1 and pick(values) or "") end
  return table.concat(list, pick { ",", ",", ",,", ";" })
end

local function check(result, library, remark)
  assert.same({ "done\n", 7 }, { result.stdout, result.status }, remark .. result.stderr)
  assert.is_true(result.stderr == "" or result.stderr:sub(-1) == "\n", remark .. result.stderr)
  for line in result.stderr:gmatch "[^\n]+" do
    assert.truthy(line:find("^" .. library:gsub("%-", "%%-") .. ": ") and not line:find "%c", remark .. line)
  end
  assert.is_false(shell.exists(result.dir .. "/hit"))
end

describe("the recorder runs programs as usual, with", function()
  local lack = recorder.lack()
  if lack then
    pending(lack)
    return
  end
  local built
  setup(function()
    local dir = shell.tmpdir "program"
    shell.write(dir .. "/program.c", SOURCE)
    shell.check({ "gcc", "-pg", "-O1", "-o", "program", "program.c" }, { cwd = dir })
    built = { image = dir .. "/program" }
  end)

  it("any options", function()
    repeatedly(function(remark)
      local env = { GPROF_RECORDER = options(), GMON_OUT_PREFIX = random(2) == 1 and pick(values) or false }
      check(recorder.run(built, {}, { env = env }), "libgprof-recorder", remark .. env.GPROF_RECORDER .. "\n")
    end)
  end)

  it("more options than fit on a line, each of which is reported", function()
    local result = recorder.run(built, {}, { env = { GPROF_RECORDER = ("x,"):rep(2000) } })
    check(result, "libgprof-recorder", "")
    assert.equal(2000, select(2, result.stderr:gsub("\n", "")))
  end)
end)

describe("the block counter runs programs as usual, with", function()
  local built
  setup(function() built = blocks.compile("program", { text = SOURCE, flags = { "-pg" } }) end)

  it("any prefix of profiles", function()
    for _, prefix in ipairs(values) do
      check(blocks.run(built, {}, { env = { GMON_OUT_PREFIX = prefix } }), "libgprof-blocks", prefix)
    end
  end)

  it("any file in place of its profile", function()
    local whole = shell.read(blocks.run(built).dir .. "/gmon.out")
    repeatedly(function(remark)
      local dir, at = shell.tmpdir "before", random(#whole)
      shell.write(dir .. "/gmon.out", pick { whole:sub(1, at), whole:sub(1, at) .. whole, "", "gmon",
        whole:sub(1, at - 1) .. string.char(random(0, 255)) .. whole:sub(at + 1) })
      check(blocks.run(built, {}, { cwd = dir }), "libgprof-blocks", remark)
      assert.equal(#whole, #shell.read(dir .. "/gmon.out"))
    end, 3)
    for _, line in ipairs { "mkdir gmon.out", "ln -s gmon.out gmon.out", "ln -s no/place gmon.out" } do
      local dir = shell.tmpdir "before"
      shell.check({ "sh", "-c", line }, { cwd = dir })
      local result = blocks.run(built, {}, { cwd = dir })
      result.stderr = result.stderr:gsub("_mcleanup: [^\n]*\n", "")  -- the C library's
      check(result, "libgprof-blocks", line)
    end
  end)
end)
