-- The program is killed or interrupted at random moments. Each output file must then be the old or the complete new
-- one, or removed, if there is to be none. Only SIGKILL may leave a temporary file, with the name that the manual
-- documents.
--
-- GPROF_FAULTS=all sends 1,000 signals for each file (`make faults`).
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local faults = require "support.faults"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local built = build.program "cycles"

local statuses <const> = { KILL = "137", INT = "130", TERM = "143", HUP = "129" }
local signals <const> = { "HUP", "INT", "KILL", "TERM" }

-- Returns a shell script that sends $signal to the program $delay seconds after its start. It prints the signal, the
-- status, the state of the files, the names of temporary files, and the messages (except messages from timeout, and the
-- warning that sample profiles have). Then it restores the old files. In the background, `timeout` would send the
-- signal twice, and not wait for the end after SIGKILL.
local function killing(names)
  return ([[
    timeout --foreground -s $signal --preserve-status $delay "$@" >report 2>told; status=$?
    state=other
    for kind in old new; do
      same=$kind
      for name in NAMES; do
        cmp -s $name $kind/$name || [ ! -e $name -a ! -e $kind/$name ] || same=$state
      done
      state=$same
    done
    for name in NAMES; do cp old/$name $name; done
    left=$(ls -A temporary; ls | grep '[.]tmp$')
    messages=$(grep -v -e Killed -e 'warning: [^ ]*: was not compiled by clang' told | tr '\n' ' ')
    echo $signal $status $state: $left "; $messages"; rm -f *.tmp
  ]]):gsub("NAMES", table.concat(names, " "))
end

-- What an old file of each kind begins with: files beside a sum replace only files of their own kind.
local function old_contents(name)
  return (name:find "%.spread" and "gprofspr" or "gprofctx") .. ", an older one\n"
end

-- Makes a directory with an old and a new version of each file that the program writes.
local function workplace(words, names)
  local dir = shell.tmpdir "killed"
  shell.check { "mkdir", dir .. "/old", dir .. "/new", dir .. "/temporary" }
  local made = program.run(words, { cwd = dir .. "/new" })
  assert(made.status == 0, made.stderr)
  for _, name in ipairs(names) do
    for _, place in ipairs { "/old/", "/" } do shell.write(dir .. place .. name, old_contents(name)) end
  end
  return dir
end

-- Returns this number of random signals, at random moments until shortly after the program's end.
local function random_moments(times, words, dir)
  local whole, moments = faults.duration([["$@" >report]], words, { cwd = dir .. "/new" }), {}
  for i = 1, times do
    moments[i] = ("%.4f %s"):format(math.random() * whole * 1.2 + 0.0001, signals[math.random(#signals)])
  end
  return moments
end

-- Sends the program signals while it writes files. All of them are old, or all are new. Only SIGKILL may leave
-- temporary files, or only some new files.
local function kill(words, ...)
  local names = { ... }
  local dir, times = workplace(words, names), faults.count(1000, 8)
  shell.write(dir .. "/moments", table.concat(random_moments(times, words, dir), "\n") .. "\n")
  local line = "export TMPDIR=$PWD/temporary; while read delay signal; do\n" .. killing(names) .. "done <moments"
  local result = launch.line(line, words, { cwd = dir })
  local seen, left = {}, 0
  for one_run, signal, status, state, names_left, told in
    result.stdout:gmatch "((%u+) (%d+) (%l+):([^;\n]*); ([^\n]*))\n"
  do
    local label = ("GPROF_SEED=%d: %s"):format(faults.seed, one_run)
    assert(state == "old" or state == "new" or signal == "KILL" and names[2], label)
    -- Until the program handles SIGINT, the interpreter handles it, with this message and status 1.
    local early = signal == "INT" and status == "1" and told:find("interrupted!", 1, true)
    assert(told == "" or early and state == "old", label)
    assert(early or status == statuses[signal] or status == "0", label)
    for other in names_left:gmatch "%S+" do
      local name = other:match "^(.+)%.%d+%-[01]%.tmp$" -- the old file is kept under one name, the new one gets another
      assert(signal == "KILL" and (name == names[1] or name == names[2] or name == names[3]), label)
      left = left + 1
    end
    table.insert(seen, state)
  end
  assert.equal(times, #seen, result.stdout .. result.stderr)
  local _, new = table.concat(seen, " "):gsub("new", "")
  faults.tell("%s: %d signals: %d old, %d new, %d left by SIGKILL", table.concat(words, " "):gsub("%S*/", ""), times,
    times - new, new, left)
end

describe("the program leaves the old or the complete new", function()
  local bins = { n = 400000 }
  for i = 1, bins.n do bins[i] = i % 7 end
  local big = gmon.write(shell.tmpdir() .. "/big", gmon.magic { records = {
    { kind = "histogram", low = 0x1000, high = 0x1000 + 4 * bins.n, bins = bins } } })

  it("sum, if a signal ends it, and its old context profile or none", function()
    kill({ "-s", built.image, big, big }, "gmon.sum", "gmon.sum.ctx")
  end)

  it("sum of several processes, if a signal ends it", function()
    kill({ "-s", "--jobs=3", built.image, big, big, big }, "gmon.sum")
  end)

  it("sum and its context profile, if a signal ends it", function()
    local dir, records = shell.tmpdir "contexts", {}
    local low = 0x1000
    for i = 1, 3000 do records[i] = { context = math.random(0, 2), from = low + i, count = i } end
    gmon.write(dir .. "/run", gmon.magic { records = {}, spare = ("<I4I8"):pack(0, 5) })
    gmon.write(dir .. "/run.ctx", contexts.pack { process = { low = low, high = low + 4096, finish = 5 },
      modules = { { low = low, high = low + 4096 } }, tables = { records } })
    kill({ "-s", built.image, dir .. "/run", dir .. "/run" }, "gmon.sum", "gmon.sum.ctx")
  end)

  it("sum and its spread, if a signal ends it", function()
    kill({ "-s", "--spread", built.image, big, big }, "gmon.sum", "gmon.sum.spread", "gmon.sum.spread.new")
  end)

  it("annotated source, if a signal ends it", function()
    kill({ "-l", "-A", "-y", built.image, built.gmon }, "cycles.c-ann")
  end)

  it("page, if a signal ends it", function()
    kill({ "--html=page", built.image, built.gmon }, "page")
  end)

  local exports = require "gprof.cli.exports"
  for _, kind in ipairs(exports.kinds) do
    -- Those of comparisons are written by the same function.
    if not exports.is_compared(kind) and (kind ~= "svg" or shell.installed "dot") then
      it("export, if a signal ends it: " .. kind, function()
        kill({ ("--export=%s:export"):format(kind), built.image, built.gmon }, "export")
      end)
    end
  end
end)
