-- The commands of doc/scale.md for a fleet, with a directory in place of the object store.
-- SPDX-License-Identifier: GPL-3.0-or-later

local cluster = require "support.cluster"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

describe("the commands of doc/scale.md for a fleet", function()
  if recorder.lack() then return pending("needs " .. recorder.lack()) end

  local dir <const> = shell.tmpdir "fleet"
  shell.check({ "mkdir", "-p", "bin", "var", "store/prof/2026-11-23", "sums", "weeks", "builds" }, { cwd = dir })

  -- Stands for the client of an object store.
  shell.write(dir .. "/bin/aws", [[#!/bin/sh
    [ "$1" = s3 ] || exit 2
    place() { echo "$STORE/${1#s3://}"; }
    case $2:$3 in
      ls:*) for file in "$(place "$3")"*; do echo "2026-11-23 10:00:00 12 ${file##*/}"; done;;
      cp:-) cat >"$(place "$4")";;
      cp:*) cat "$(place "$3")";;
    esac
  ]])
  shell.write(dir .. "/bin/hostname", "#!/bin/sh\necho $HOST\n")
  shell.write(dir .. "/bin/gprof.lua", ("#!/bin/sh\nexec %s \"$@\"\n"):format(cluster.gprof))
  shell.check({ "chmod", "+x", "bin/aws", "bin/hostname", "bin/gprof.lua" }, { cwd = dir })

  -- Runs a command of the page in this directory.
  local function run(pattern, host)
    local command = cluster.documented(pattern):gsub("/var/prof", "var"):gsub("/srv/app/bin/app", "./app")
      :gsub("'/sums/", "'sums/"):gsub("'/weeks/", "'weeks/"):gsub(" /builds", " builds"):gsub(" /sums", " sums")
    return shell.run({ "sh", "-c", 'PATH="$PWD/bin:$PATH"; ' .. command }, { cwd = dir,
      env = { STORE = dir .. "/store", HOST = host or "host" } })
  end

  local function compile(id, calls)
    shell.write(dir .. "/app.c", ([[
      static volatile int sum;
      __attribute__((noinline)) void work(void) { sum++; }
      int main(void) { for (int i = 0; i < %d; i++) work(); return 0; }
    ]]):format(calls))
    shell.check({ "gcc", "-g", "-pg", "-Wl,--build-id=0x" .. id, "app.c", "-o", "builds/app-" .. id }, { cwd = dir })
    shell.check({ "cp", "builds/app-" .. id, "app" }, { cwd = dir })
  end

  local function calls(path, id)
    local printed = program.run({ "-b", "-p", "builds/app-" .. id, path }, { cwd = dir })
    assert.equal("", printed.stderr)
    return printed.stdout:match " (%d+) +[%d.]+ +[%d.]+ +work\n"
  end

  it("write a sum for each build and day, and for a week", function()
    for host, builds in pairs { a = { "01", "01" }, b = { "02", "01" } } do
      for i, id in ipairs(builds) do
        compile(id, id == "01" and 10 or 7)
        local recorded = run("\n(gprof%.lua %-%-record [^\n]+)\n", host .. i)
        assert.equal(0, recorded.status, recorded.stderr)
      end
      local uploaded = run("\n(tar %-C /var/prof [^\n]+)\n", host)
      assert.same({ 0, "" }, { uploaded.status, uploaded.stderr })
      shell.check({ "sh", "-c", "rm var/*" }, { cwd = dir })
    end
    local summed = run "\n(aws s3 ls .-tar:%-)\n"
    assert.same({ 0, "" }, { summed.status, summed.stderr })
    assert.same({ "30", "7" }, { calls("sums/2026-11-23.01", "01"), calls("sums/2026-11-23.02", "02") })
    local spread = program.run({ "-b", "--spread", "builds/app-01", "sums/2026-11-23.01" }, { cwd = dir })
    assert.truthy(spread.stdout:find "over 3 runs", spread.stdout)
    shell.check({ "cp", "sums/2026-11-23.01", "sums/2026-11-24.01" }, { cwd = dir })
    shell.check({ "cp", "sums/2026-11-23.01.ctx", "sums/2026-11-24.01.ctx" }, { cwd = dir })
    local week = run "\n(gprof%.lua %-%-by%-build [^\n]+/sums)\n"
    assert.equal(0, week.status, week.stderr)
    assert.same({ "60", "7" }, { calls("weeks/47.01", "01"), calls("weeks/47.02", "02") })
  end)

  it("name the programs that are missing", function()
    shell.check({ "mv", "builds/app-02", "away" }, { cwd = dir })
    shell.check({ "rm", "app" }, { cwd = dir })
    local summed = run "\n(aws s3 ls .-tar:%-)\n"
    shell.check({ "mv", "away", "builds/app-02" }, { cwd = dir })
    assert.equal(1, summed.status)
    assert.truthy(summed.stderr:find "build 02 of [^\n]+/app: not found: profiles left out: 1\n", summed.stderr)
  end)
end)
