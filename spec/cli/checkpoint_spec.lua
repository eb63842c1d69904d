-- Checkpoints of long sums: a sum that goes on after the process was killed is that of an undisturbed run.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local contexts = require "support.contexts"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local tar = require "support.tar"

local image <const> = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }

local COUNT <const> = 6
local CHECKPOINT <const> = { "--checkpoint=ck", "--checkpoint-every=1" }

-- Returns the profiles of run `i`: gmon.out, with `i` samples or `bin` in a bin, and the context profile beside it.
local function run_of(i, bin)
  local written = (1 << 60) + i
  local function arc(from) return { kind = "arc", from = 0x1004 + from, self = 0x1100, count = i } end
  return gmon.magic { records = { { kind = "histogram", low = 0x1000, high = 0x1400, rate = 1000,
    bins = { n = 256, [i + 1] = bin or i } }, arc(i % 3) }, spare = ("<I4I8"):pack(0, written) },
    contexts.pack { process = { low = 0x1000, high = 0x1400, finish = written, begin = i, id = i },
      modules = { { low = 0x1000, high = 0x1400 } }, tables = { {
        { context = 0, from = 0x1004 + i % 3, self = 0x1100, count = i },
        { context = 3, from = 0x1000 + 4 * i, count = i } } } }
end

-- Makes a directory with profiles, and a list of them. Returns the directory and the names.
local function workplace(with_contexts)
  local dir, names = shell.tmpdir "checkpoint", {}
  for i = 1, COUNT do
    local plain, paths = run_of(i)
    names[i] = "run" .. i
    shell.write(dir .. "/run" .. i, plain)
    if with_contexts then shell.write(dir .. "/run" .. i .. ".ctx", paths) end
  end
  shell.write(dir .. "/list", table.concat(names, "\n") .. "\n")
  return dir, names
end

local files <const> = { "sum", "sum.ctx", "sum.spread" }

-- Returns the files of the sum in a directory, and removes them.
local function take_sum(dir)
  local taken = {}
  for i, name in ipairs(files) do
    taken[i] = shell.exists(dir .. "/" .. name) and shell.read(dir .. "/" .. name)
    os.remove(dir .. "/" .. name)
  end
  return taken
end

local function words(...)
  return { "--sum-file=sum", image, table.unpack { ... } }
end

-- Returns the files of the sum without a checkpoint.
local function undisturbed(dir, ...)
  local result = program.run(words(...), { cwd = dir })
  local taken = take_sum(dir)
  assert.truthy(taken[1], result.stderr)
  return taken, result
end

-- Kills the program when it begins to read row `i` of a list: that profile is a pipe. Then puts the profile back.
local function kill_at(dir, name, line, arguments)
  shell.check({ "sh", "-c", 'mv "$1" aside && mkfifo "$1"', "sh", name }, { cwd = dir })
  local result = launch.line(line:gsub("NAME", name), arguments, { cwd = dir, timeout = true })
  shell.check({ "mv", "aside", name }, { cwd = dir })
  assert.equal(137, result.status, result.stderr)
  assert.is_false(shell.exists(dir .. "/sum"))
end

local KILL <const> = [["$@" & pid=$!; exec 3>NAME; kill -9 $pid; wait $pid]]

-- A library with which a program is killed when it renames or removes a file, after KILL_AT times.
local KILLER <const> = [[
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void count(void) {
  static int times;
  const char *most = getenv("KILL_AT");
  if (most && times++ == atoi(most)) kill(getpid(), SIGKILL);
}
int rename(const char *from, const char *to) {
  count();
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int unlink(const char *name) {
  count();
  return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(name);
}
]]

describe("a sum with a checkpoint", function()
  -- Checks that the sum is right if the program is killed before each row.
  local function check(with_contexts, ...)
    local dir, names = workplace(with_contexts)
    local expected, first = undisturbed(dir, ...)
    local arguments = words(table.unpack(CHECKPOINT))
    table.move({ ... }, 1, select("#", ...), #arguments + 1, arguments)
    for i = 2, COUNT do
      kill_at(dir, names[i], KILL, arguments)
      local result = program.run(arguments, { cwd = dir })
      local told = ("gprof.lua: ck: the sum goes on after %d profiles\n"):format(i - 1)
      assert.same({ first.status, told .. first.stderr }, { result.status, result.stderr })
      assert.same(expected, take_sum(dir))
      assert.is_false(shell.exists(dir .. "/ck"))
    end
  end

  it("goes on after each profile at which it was killed", function() check(false, "--profiles-from=list") end)
  it("goes on with context profiles", function() check(true, "--profiles-from=list") end)
  it("goes on with --spread", function() check(false, "--spread", "--profiles-from=list") end)
  it("goes on with operands", function()
    check(false, "run1", "run2", "run3", "run4", "run5", "run6")
  end)

  it("warns of full bins in profiles that were added before, and only of these", function()
    local dir, names = workplace()
    for i, bin in ipairs { 0xffff, 0xfffe, 40000 } do shell.write(dir .. "/run" .. i, (run_of(i, bin))) end
    for i = 5, 6 do shell.write(dir .. "/run" .. i, (run_of(2, 40000))) end
    local expected, first = undisturbed(dir, "--profiles-from=list")
    assert.truthy(first.stderr:find("list: 1 bin is full: ", 1, true), first.stderr)
    local arguments = words("--checkpoint=ck", "--checkpoint-every=1", "--profiles-from=list")
    for i = 3, COUNT do kill_at(dir, names[i], KILL, arguments) end
    local result = program.run(arguments, { cwd = dir })
    assert.same({ 0, "gprof.lua: ck: the sum goes on after 5 profiles\n" .. first.stderr },
      { result.status, result.stderr })
    assert.same(expected, take_sum(dir))
  end)

  it("goes on after it was killed several times, with duplicates and bad profiles", function()
    local dir, names = workplace(true)
    shell.write(dir .. "/list", "run1\nrun2\nnone\nrun1\nrun3\nrun4\nrun1.ctx\nrun5\nrun2\nrun6\n")
    for _, option in ipairs { "--keep-going", "--skip-duplicates" } do
      local expected, first = undisturbed(dir, "--jobs=1", "--keep-going", option, "--profiles-from=list")
      local arguments = words("--checkpoint=ck", "--checkpoint-every=1", "--keep-going", option, "--profiles-from=list")
      for i = 3, COUNT do kill_at(dir, names[i], KILL, arguments) end
      local result = program.run(arguments, { cwd = dir })
      assert.equal(1, result.status)
      -- the bad profile was named by a process that was killed
      local told = first.stderr:gsub("^[^\n]*none: [^\n]*\n", "")
      assert.same("gprof.lua: ck: the sum goes on after 9 profiles\n" .. told, result.stderr)
      assert.same(expected, take_sum(dir))
    end
  end)

  it("goes on in an archive", function()
    local dir, members = workplace(false), {}
    for i = 1, COUNT do
      local plain, paths = run_of(i)
      members[2 * i - 1], members[2 * i] = { ("run%d"):format(i), plain }, { ("run%d.ctx"):format(i), paths }
    end
    members[7], members[8] = members[8], members[7]
    local archive = tar.archive(members)
    shell.write(dir .. "/a.tar", archive)
    local expected = undisturbed(dir, "--profiles-from=tar:a.tar")
    assert.truthy(expected[2])
    for i = 1, 2 * COUNT - 1 do
      -- The archive stops in the middle of a header.
      local size = 0
      for k = 1, i do size = size + 512 + #members[k][2] + -#members[k][2] % 512 end
      shell.write(dir .. "/part", archive:sub(1, size + 100))
      local cut = launch.line([[cat part | "$@"]], words("--checkpoint=ck", "--checkpoint-every=1",
        "--profiles-from=tar:-"), { cwd = dir })
      assert.equal(1, cut.status)
      local result = launch.line([[cat a.tar | "$@"]], words("--checkpoint=ck", "--profiles-from=tar:-"), { cwd = dir })
      assert.same({ 0, ("gprof.lua: ck: the sum goes on after %d profiles\n"):format(i) },
        { result.status, result.stderr })
      assert.same(expected, take_sum(dir))
    end
  end)

  it("is right if the process is killed at any moment", function()
    local dir = workplace(true)
    local lines = {}
    for i = 1, 60 do lines[i] = "run" .. i % COUNT + 1 end
    shell.write(dir .. "/list", table.concat(lines, "\n"))
    local expected = undisturbed(dir, "--profiles-from=list")
    chance.cases(15000, 5)(function(remark)
      local moments = {}
      for i = 1, 6 do moments[i] = ("%.3f"):format(math.random() * 0.12) end
      local result = launch.line(([[
        for moment in %s; do "$@" 2>/dev/null & pid=$!; sleep $moment; kill -9 $pid 2>/dev/null; wait $pid; done
        [ -e sum ] && [ ! -e ck ] || "$@" ]]):format(table.concat(moments, " ")),
        words("--checkpoint=ck", "--checkpoint-every=7", "--profiles-from=list"), { cwd = dir, timeout = true })
      assert.equal(0, result.status, remark)
      assert.same(expected, take_sum(dir), remark)
    end)
  end)

  it("adds nothing twice if it was killed after the sum was written", function()
    local dir = workplace(true)
    local expected = undisturbed(dir, "--profiles-from=list")
    local failed = program.run({ "--sum-file=/dev/full", image, "--checkpoint=ck", "--profiles-from=list" },
      { cwd = dir })
    assert.equal(1, failed.status)
    local result = program.run(words("--checkpoint=ck", "--profiles-from=list"), { cwd = dir })
    assert.same({ 0, "gprof.lua: ck: the sum goes on after 6 profiles\n" }, { result.status, result.stderr })
    assert.same(expected, take_sum(dir))
  end)

  it("is right if the sum is one of the profiles, and the process is killed while it replaces files", function()
    local killer = build.compiled("killer", { "gcc", "-shared", "-fPIC", "-o", "killer.so", "killer.c" },
      { ["killer.c"] = KILLER }) .. "/killer.so"
    local dir = workplace(true)
    local old, new = undisturbed(dir, "run1", "run2"), nil
    local function restore() for i = 1, 2 do shell.write(dir .. "/" .. files[i], old[i]) end end
    local arguments = words("--checkpoint=ck", "sum", "run3", "run4")
    local steps = -1
    repeat
      restore()
      local result = launch.line([[LD_PRELOAD=$killer "$@"]], arguments,
        { cwd = dir, env = { killer = killer, KILL_AT = tostring(steps) } })
      if shell.exists(dir .. "/ck") or shell.read(dir .. "/sum") == old[1] then
        assert.equal(0, program.run(arguments, { cwd = dir }).status)
      end
      local taken = take_sum(dir)
      new = new or taken
      assert.same(new, taken, "killed at step " .. steps)
      steps = steps + 1
    until steps > 0 and result.status == 0
    assert.is_true(steps > 5)
  end)

  it("takes names that were appended to the list", function()
    local dir = workplace(false)
    program.run({ "--sum-file=/dev/full", image, "--checkpoint=ck", "run1", "run2" }, { cwd = dir })
    local result = program.run(words("--checkpoint=ck", "run1", "run2", "run3"), { cwd = dir })
    assert.equal(0, result.status, result.stderr)
    local taken = take_sum(dir)
    assert.same(undisturbed(dir, "run1", "run2", "run3"), taken)
  end)
end)

describe("a checkpoint", function()
  local dir <const> = workplace(false)

  local function check(message, arguments)
    local result = program.run(words("--checkpoint=ck", table.unpack(arguments)), { cwd = dir })
    assert.same({ 1, "gprof.lua: " .. message .. "\n" }, { result.status, result.stderr })
    assert.is_false(shell.exists(dir .. "/sum"))
  end

  before_each(function()
    os.remove(dir .. "/ck")
    program.run({ "--sum-file=/dev/full", image, "--checkpoint=ck", "run1", "run2" }, { cwd = dir })
  end)

  it("is refused for other profiles, programs and options, and if it is damaged", function()
    check("ck: is of another list of profiles: the first 2 names differ", { "run2", "run1", "run3" })
    check("ck: is of another list of profiles: the first 2 names differ", { "run1" })
    check("ck: is of another program, or was made with other options", { "--spread", "run1", "run2" })
    local bytes = shell.read(dir .. "/ck")
    for size = 0, #bytes - 1024, 211 do  -- without the mark at its end
      shell.write(dir .. "/ck", bytes:sub(1, size))
      local result = program.run(words("--checkpoint=ck", "run1", "run2"), { cwd = dir })
      assert.equal(1, result.status)
      assert.truthy(result.stderr:find "^gprof%.lua: ck[^\n]*\n$", result.stderr)
      assert.is_false(shell.exists(dir .. "/sum"))
    end
    shell.write(dir .. "/ck", tar.archive { { "state", "other" } })
    check("ck: is not a checkpoint", { "run1" })
  end)

  -- Returns the members of an archive, and their names.
  local function members_of(bytes)
    local members, names, at = {}, {}, 1
    while bytes:byte(at) ~= 0 do
      local name, size = bytes:match("^([^\0]*)", at), tonumber(bytes:match("^%d+", at + 124), 8)
      local after = at + 512 + size + -size % 512
      members[#members + 1], names[#names + 1], at = bytes:sub(at, after - 1), name, after
    end
    return members, names
  end

  it("is refused if a part is twice, or missing", function()
    local place, archive = workplace(true), {}
    for i = 1, 2 do
      local plain, paths = run_of(i)
      archive[2 * i - 1], archive[2 * i] = { "run" .. i, plain }, { "run" .. i .. ".ctx", paths }
    end
    archive[5] = { "run3", "gmon" }
    shell.write(place .. "/tar", tar.archive(archive))
    for parts, arguments in pairs { ["sum profiles"] = { "run1" }, ["sum sum.spread profiles"] = { "--spread", "run1" },
      ["sum sum.ctx profiles members"] = { "--profiles-from=tar:tar" } } do
      local in_place = parts:find "ctx" and place or dir
      local function sum(...)
        return program.run(words("--checkpoint=ck", "--checkpoint-every=1", ...), { cwd = in_place }).stderr
      end
      os.remove(in_place .. "/ck")
      arguments[#arguments + 1] = not parts:find "ctx" and "missing" or nil
      sum(table.unpack(arguments))
      local members, names = members_of(shell.read(in_place .. "/ck"))
      assert.equal("state " .. parts, table.concat(names, " "))
      for i = 2, #members do
        local bytes = table.concat(members)
        shell.write(in_place .. "/ck", bytes .. members[i] .. tar.END)
        assert.equal(("gprof.lua: ck: is damaged: it has two parts '%s'\n"):format(names[i]),
          sum(table.unpack(arguments)))
        local first, last = bytes:find(members[i], 1, true)
        shell.write(in_place .. "/ck", bytes:sub(1, first - 1) .. bytes:sub(last + 1) .. tar.END)
        assert.equal(("gprof.lua: ck: is damaged: the part '%s' is missing\n"):format(names[i]),
          sum(table.unpack(arguments)))
      end
    end
  end)

  it("is no file of the sum, under any name", function()
    for i, path in ipairs { "sum", "./sum.ctx", dir .. "/sum.spread", "sum.spread.new" } do
      check(("option --checkpoint: '%s' is a file of the sum"):format(path),
        { "--checkpoint=" .. path, "run" .. i, "run5" })
      assert.is_false(shell.exists(dir .. "/" .. path:match "[^/]*$"))
    end
  end)

  it("is a tar archive with the sum so far", function()
    shell.check({ "tar", "-xf", "ck", "sum" }, { cwd = dir })
    local taken = take_sum(dir)
    assert.equal(undisturbed(dir, "run1", "run2")[1], taken[1])
  end)

  it("is for sums only", function()
    os.remove(dir .. "/ck")
    local result = program.run({ image, "--checkpoint=ck", "run1" }, { cwd = dir })
    assert.same({ 1, "gprof.lua: option --checkpoint: is for sums: add -s (--sum) or --sum-file\n" },
      { result.status, result.stderr })
    result = program.run({ "-s", image, "--checkpoint-every=2", "run1" }, { cwd = dir })
    assert.same({ 1, "gprof.lua: option --checkpoint-every needs --checkpoint\n" }, { result.status, result.stderr })
    check("options --checkpoint and --jobs are mutually exclusive", { "--jobs=2", "run1" })
    check("options --checkpoint and --sandbox are mutually exclusive", { "--sandbox", "run1" })
    check("options --checkpoint and --slide=auto are mutually exclusive", { "--slide=auto", "run1" })
    for _, option in ipairs { "-i", "-p", "--compare=run2", "--export=json", "--report=objects", "--threads" } do
      check("option --checkpoint: writes a sum, and no reports", { option, "run1" })
    end
  end)
end)
