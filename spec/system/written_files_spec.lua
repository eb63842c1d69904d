-- One contract for every file that is written (see doc/security.md): a row for each kind of file, and each row is tried
-- with a device, links, a directory, a FIFO, another kind of file, a full disk, failing renames and SIGKILL.
--
-- GPROF_FAULTS=all or GPROF_THOROUGH=1 sends SIGKILL at each system call that writes, not only at some.
-- SPDX-License-Identifier: GPL-3.0-or-later

local blocks = require "support.blocks"
local build = require "support.build"
local chance = require "support.chance"
local contexts = require "support.contexts"
local exports = require "gprof.cli.exports"
local faults = require "support.faults"
local gmon = require "support.gmon"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local THOROUGH <const> = faults.all or os.getenv "GPROF_THOROUGH" == "1"
local ID <const> = ("\1"):rep(20)
local HEX <const> = ("01"):rep(20)

-- Inputs --------------------------------------------------------------------------------------------------------------

local image <const> = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }
do
  local note = shell.write(shell.tmpdir() .. "/note", ("<I4I4I4"):pack(4, 20, 3) .. "GNU\0" .. ID)
  shell.check { "objcopy", "--add-section", ".note.gnu.build-id=" .. note, "--set-section-flags",
    ".note.gnu.build-id=alloc,readonly", image }
end

-- Writes the profile of a run, and its context profile.
local function write_run(path, calls)
  local written = (1 << 60) + calls
  shell.write(path, gmon.magic { records = { { kind = "histogram", low = 0x1000, high = 0x1400,
    bins = { n = 256, [3] = calls }, rate = 1000 }, { kind = "arc", from = 0x1004, self = 0x1100, count = calls } },
    spare = ("<I4I8"):pack(0, written) })
  shell.write(path .. ".ctx", contexts.pack {
    process = { low = 0x1000, high = 0x1400, finish = written, begin = calls },
    modules = { { low = 0x1000, high = 0x1400, build_id = ID, path = image } },
    tables = { { { context = 0, from = 0x1004, self = 0x1100, count = calls } } } })
end

local listed <const> = build.program "cycles"
local recorded = not recorder.lack() and recorder.compile "ends.c" or nil
local counted <const> = blocks.compile("quiet", { text = "int main(void) { return 0; }\n" })

-- The table -----------------------------------------------------------------------------------------------------------

local gprof <const> = table.move({ program.root .. "/gprof.lua" }, 1, 1, #program.interpreter + 1,
  table.move(program.interpreter, 1, #program.interpreter, 1, {}))

-- Returns the words of a command that runs the program.
local function words(...)
  return table.move({ ... }, 1, select("#", ...), #gprof + 1, table.move(gprof, 1, #gprof, 1, {}))
end

-- Each row has `file`, which is tried; `typed`, whether the user has typed its name; `command`; and perhaps `env`;
-- `set`, the files that belong together, the first of which is read; `magic`, how an old file must begin; `no_device`:
-- the file is also read, and a device is refused; `varies`: the contents depend on time; `survives`: the file belongs
-- to a program whose exit status is its own.
local rows <const> = {
  { "sum", typed = true, file = "out", set = { "out", "out.ctx" }, command = words("--sum-file=out", image, "run") },
  { "sum with the default name", file = "gmon.sum", set = { "gmon.sum", "gmon.sum.ctx" },
    command = words("-s", image, "run") },
  { "context profile of a sum", file = "out.ctx", set = { "out", "out.ctx" }, magic = "gprofctx",
    command = words("--sum-file=out", image, "run") },
  { "spread of a sum", file = "out.spread", set = { "out", "out.ctx", "out.spread" }, magic = "gprofspr",
    command = words("--sum-file=out", "--spread", image, "run", "two") },
  { "sum of a build", file = ("gmon.%s.sum"):format(HEX),
    set = { ("gmon.%s.sum"):format(HEX), ("gmon.%s.sum.ctx"):format(HEX) },
    command = words("--by-build", image, "run") },
  { "sum of a build, named by a pattern", file = "x." .. HEX,
    command = words("--by-build", "--sum-file=x.%b", image, "run") },
  { "context profile of a build", file = ("gmon.%s.sum.ctx"):format(HEX), magic = "gprofctx",
    set = { ("gmon.%s.sum"):format(HEX), ("gmon.%s.sum.ctx"):format(HEX) },
    command = words("--by-build", image, "run") },
  { "page", typed = true, file = "out", command = words("--html=out", image, "run") },
  { "baseline", typed = true, file = "out", command = words("--baseline=out", "--update-baseline", image, "run") },
  { "checkpoint", typed = true, file = "ck", no_device = true, is_removed = true,
    command = words("--checkpoint=ck", "--checkpoint-every=1", "--sum-file=out", image, "run", "two") },
  { "separate listing", file = "cycles.c-ann", command = words("-b", "-l", "-A", "-y", listed.image, listed.gmon) },
  { "Lua recording", typed = true, file = "out", magic = "gprofctx", varies = true,
    command = words("--record", "--output=out", "script.lua") },
  { "Lua recording with the default name", file = "script.prof", magic = "gprofctx", varies = true,
    command = words("--record", "script.lua") },
  { "Lua recording, named by a pattern", file = "script-x", magic = "gprofctx", varies = true,
    command = words("--record", "--output=%e-x", "script.lua") },
  { "blocks", file = "gmon.out", varies = true, survives = true, command = { counted.image } },
}
for _, kind in ipairs(exports.kinds) do
  if not exports.is_compared(kind) and (kind ~= "svg" or shell.installed "dot") then
    rows[#rows + 1] = { "export: " .. kind, typed = true, file = "out", varies = true,
      command = words("--export=" .. kind .. ":out", listed.image, listed.gmon) }
  end
end
if recorded then
  local function add(what, file, output, more)
    local row = { what, file = file, varies = true, survives = true, command = { recorded.image, "return" },
      env = { LD_PRELOAD = recorder.library, GPROF_RECORDER = output and "output=" .. output or false } }
    for key, value in pairs(more or {}) do row[key] = value end
    rows[#rows + 1] = row
  end
  local set <const> = { "gmon.out", "gmon.out.ctx" }
  add("recording", "out", "out", { typed = true, magic = "gmon", set = { "out", "out.ctx" } })
  add("recording with the default name", "gmon.out", nil, { magic = "gmon", set = set })
  add("recording, named by a pattern", "program-x", "%e-x",
    { magic = "gmon", set = { "program-x", "program-x.ctx" } })
  add("context profile of a recording", "gmon.out.ctx", nil, { set = set, magic = "gprofctx" })
end

-- Running -------------------------------------------------------------------------------------------------------------

local function workplace()
  local dir = shell.tmpdir "written"
  write_run(dir .. "/run", 5)
  write_run(dir .. "/two", 7)
  shell.write(dir .. "/script.lua", "local function f(n) return n end for i = 1, 3000 do f(i) end\n")
  return dir
end

-- Runs the command of a row, after further words.
local function run(row, dir, ...)
  local argv = { ... }
  local env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false }
  for name, value in pairs(row.env or {}) do
    if name == "LD_PRELOAD" then  -- set last: the commands before the program are not recorded
      argv[#argv + 1], argv[#argv + 2] = "env", "LD_PRELOAD=" .. value
    else
      env[name] = value
    end
  end
  return shell.run(table.move(row.command, 1, #row.command, #argv + 1, argv), { cwd = dir, env = env, timeout = 60 })
end

-- Checks that a command has failed, with one line about the file, or about one that belongs to it.
local function check_refused(row, result, what)
  local label = ("%s, %s: %s %s"):format(row[1], what, result.status, result.stderr)
  assert(row.survives or result.status == 1, label)
  local told = result.stderr:gsub("gprof%.lua: warning: [^\n]*\n", "")
  local _, lines = told:gsub("\n", "")
  local at_most = row[1]:find "^Lua" and 2 or row.survives and row.set and 2 or 1  -- recordings say that there is none
  local is_named = told:find("temporary file", 1, true) ~= nil
  for _, name in ipairs(row.set or { row.file }) do is_named = is_named or told:find(name, 1, true) end
  assert(lines >= 1 and lines <= at_most and is_named, label)
end

local function check_done(row, result, what)
  assert(row.survives or result.status == 0, ("%s, %s: %d %s"):format(row[1], what, result.status, result.stderr))
end

local function kind_of(path) return shell.check({ "stat", "-c", "%F", path }).stdout:sub(1, -2) end

-- The contents of the files of a row; false if a file is missing.
local function contents(row, dir)
  local found = {}
  for i, name in ipairs(row.set or { row.file }) do
    found[i] = shell.exists(dir .. "/" .. name) and shell.read(dir .. "/" .. name)
  end
  return found
end

local function temporary(dir) return shell.listing(dir):match "[^\n]*%.tmp" end

-- Makes a directory with the old files of a row. Then the first profile becomes another one.
local function with_old_files(row)
  local dir = workplace()
  if not row.is_removed then check_done(row, run(row, dir), "old files") end
  write_run(dir .. "/run", 11)
  if not row.set and not row.is_removed then
    shell.write(dir .. "/" .. row.file, (row.magic or "") .. " an older one\n")
  end
  return dir, contents(row, dir)
end

-- Checks that all files are old, or none is.
local function check_all_or_none(row, dir, old, label)
  local now, same = contents(row, dir), 0
  for i in ipairs(now) do same = same + (now[i] == old[i] and 1 or 0) end
  assert(same == 0 or same == #now, label .. ": some files are old")
  return same == #now
end

-- Trials --------------------------------------------------------------------------------------------------------------

local can_make_nodes <const> = shell.run({ "mknod", shell.tmpdir() .. "/node", "c", "1", "3" }).status == 0
-- LeakSanitizer cannot work in a traced process.
local NO_LEAKS <const> = "ASAN_OPTIONS=detect_leaks=0"

local can_trace <const> = shell.installed "strace" and
  shell.run({ "strace", "-o", shell.tmpdir() .. "/trace", "-e", "inject=rename:error=EIO", "true" }).status == 0

describe("the name of a", function()
  for _, row in ipairs(rows) do
    local what = row[1] .. (row.typed and ", which the user typed" or ", which the program derived")

    it(what .. ": a device", function()
      if not can_make_nodes then return pending "needs root" end
      local dir = workplace()
      local path = dir .. "/" .. row.file
      shell.check { "mknod", path, "c", "1", "3" }
      local before = shell.listing(dir)
      local result = run(row, dir)
      if row.typed and not row.no_device then
        check_done(row, result, "device")
        assert.equal(before, shell.listing(dir))
      else
        check_refused(row, result, "device")
      end
      assert.equal("character special file", kind_of(path))
    end)

    it(what .. ": a link", function()
      for _, target in ipairs { "precious", "nowhere" } do
        local dir = workplace()
        local old = (row.magic or "") .. "PRECIOUS"
        if target == "precious" then shell.write(dir .. "/precious", row.is_removed and "" or old) end
        if target == "precious" and row.is_removed then os.remove(dir .. "/precious") end
        shell.check({ "ln", "-s", target, row.file }, { cwd = dir })
        local result = run(row, dir)
        if row.typed then
          check_done(row, result, target)
          if not row.is_removed then assert.not_equal(old, shell.read(dir .. "/" .. target)) end
        else
          check_refused(row, result, target)
          assert.equal(target == "precious", shell.exists(dir .. "/" .. target))
          if target == "precious" then assert.equal(old, shell.read(dir .. "/precious")) end
        end
        assert.equal(target .. "\n", shell.check({ "readlink", row.file }, { cwd = dir }).stdout)
        assert.is_nil(temporary(dir))
      end
    end)

    it(what .. ": a directory or a pipe", function()
      for _, maker in ipairs { "mkdir", not row.typed and "mkfifo" or nil } do
        local dir = workplace()
        shell.check({ maker, row.file }, { cwd = dir })
        check_refused(row, run(row, dir), maker)
        assert.equal(maker == "mkdir" and "directory" or "fifo", kind_of(dir .. "/" .. row.file))
        assert.is_nil(temporary(dir))
      end
    end)

    if row.magic then
      it(what .. ": a file of another kind", function()
        local dir = workplace()
        shell.write(dir .. "/" .. row.file, "PRECIOUS")
        check_refused(row, run(row, dir), "another kind")
        assert.equal("PRECIOUS", shell.read(dir .. "/" .. row.file))
        assert.is_nil(temporary(dir))
      end)
    end
  end
end)

local LIMITED <const> = [[trap '' XFSZ; told=$( { exec prlimit --fsize=1 -- "$@"; } 2>&1 ); status=$?
  printf '%s\n' "$told" >&2; exit $status]]

describe("the old files stay if the disk is full:", function()
  if os.getenv "GPROF_COVERAGE" then return end -- the limit would also cut the counts of a coverage build
  for _, row in ipairs(rows) do
    it(row[1], function()
      local dir, old = with_old_files(row)
      -- Messages go to a pipe, which the limit does not affect.
      local result = run(row, dir, "sh", "-c", LIMITED, "sh")
      check_refused(row, result, "full disk")
      assert.same(old, contents(row, dir))
      assert.is_nil(temporary(dir))
    end)
  end
end)

describe("all files are old or all are new", function()
  local it <const> = chance.one_in(3, it)
  if not can_trace then
    it("", function() pending "needs strace" end)
    return
  end

  local function traced(row, dir, injected)
    return run(row, dir, "strace", "-E", NO_LEAKS, "-f", "-qq", "-o", shell.tmpdir() .. "/trace", "-e", injected)
  end

  for _, row in ipairs(rows) do
    if not row[1]:find "^export" or row[1] == "export: json" then
      it("if a rename or a removal fails: " .. row[1], function()
        for _, calls in ipairs { "?rename,?renameat,?renameat2", "?unlink,?unlinkat" } do
          for n = 1, 9 do
            local dir, old = with_old_files(row)
            local result = traced(row, dir, ("inject=%s:error=EIO:when=%d"):format(calls, n))
            local label = ("%s: %s, %d: %s"):format(row[1], calls, n, result.stderr)
            local is_old = check_all_or_none(row, dir, old, label)
            assert(calls:find "unlink" or not temporary(dir), label)
            if calls:find "rename" and is_old and not row.is_removed then check_refused(row, result, label) end
            if result.stderr == "" and result.status == 0 and not is_old then break end
          end
        end
      end)

      it("or the reader says that they do not belong together, after SIGKILL: " .. row[1], function()
        local calls = "?openat,?linkat,?link,?rename,?renameat,?renameat2,?unlink,?unlinkat,?write,?fsync"
        local dir = with_old_files(row)
        local trace = shell.tmpdir() .. "/trace"
        run(row, dir, "strace", "-E", NO_LEAKS, "-f", "-qq", "-o", trace, "-e", "trace=" .. calls)
        local _, most = shell.read(trace):gsub("\n", "")
        for n = THOROUGH and 1 or math.max(1, most - 24), most, THOROUGH and 1 or 8 do
          local old
          dir, old = with_old_files(row)
          traced(row, dir, ("inject=%s:signal=KILL:when=%d"):format(calls, n))
          local now, same = contents(row, dir), 0
          for i in ipairs(now) do same = same + (now[i] == old[i] and 1 or 0) end
          if row.set and same > 0 and same < #now then
            local read = shell.run(words("-b", "-q", row.survives and row.command[1] or image, row.set[1]),
              { cwd = dir })
            assert(read.stderr ~= "", ("%s: killed at %d of %d: %d of %d files are old"):format(row[1], n, most, same,
              #now))
          elseif not row.set and not row.is_removed then
            assert(now[1] and #now[1] > 0 or row[1] == "blocks", row[1])
          end
        end
      end)
    end
  end
end)
