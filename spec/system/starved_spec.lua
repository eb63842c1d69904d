-- An allocation of Lua or of the core fails, and so do all later ones. The operation must end with an error about
-- memory. It must leave no leak, no temporary file and no half-written file.
--
-- GPROF_FAULTS=all lets each allocation fail in turn (`make faults`). By default, only a random sample is tried, and a
-- larger one by `make check-all`. A failure prints the seed of the sample; GPROF_SEED repeats it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local faults = require "support.faults"
local gmon = require "support.gmon"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"
local stacks = require "support.context_stacks"

-- A user's report, which prints objects and their fields.
local report <const> = [[
  return function(profile, options, write)
    for f in profile:functions("name") do
      write("%s %d\n", f.name, f.calls or 0)
      for arc in f:callers("count") do write("%d\n", arc.count) end
    end
    write:each(nil, "%s %d\n", profile:functions("calls", "name", "calls"))
    profile:report("flat", { brief = options.brief }, write)
  end
]]

-- scarce.c finds leaks itself, so the sanitizer's leak detection is off: collecting stacks takes most of the time.
local quickly <const> = "malloc_context_size=2:detect_leaks=0"

local records <const> = { records = {
  { kind = "histogram", low = 0x1000, high = 0x100c, bins = { n = 3, 1, 2, 3 } },
  { kind = "arc", from = 1, self = 2, count = 3 },
  { kind = "blocks", { 0x100, 3 } },
} }

describe("without memory", function()
  local interpreter = program.root .. "/build/sanitized/lua"
  if not shell.exists(interpreter) then
    pending "the sanitized interpreter is not built: run 'make test-starved'"
    return
  end

  local most = faults.all and "all" or chance.thorough and 40 or 15
  local built = build.program "cycles"
  local inputs = shell.tmpdir "inputs"
  local image, profile = built.image, built.gmon
  local symbols = shell.write(inputs .. "/symbols", shell.check { "nm", image }.stdout)
  local objects = shell.write(inputs .. "/objects", shell.check { "nm", "-A", image }.stdout)
  local script = shell.write(inputs .. "/report.lua", report)
  local made = gmon.write(inputs .. "/made", gmon.magic(records))
  local cut = shell.write(inputs .. "/cut", shell.read(profile):sub(1, 100))
  local bad = shell.write(inputs .. "/bad", shell.read(cut))
  local functions = { "main", "work", "leaf" }
  local recorded = shell.write(inputs .. "/recorded.ctx", stacks.pack(functions, {
    { "main", "work", "leaf", ticks = 3 }, { "main", "@", "leaf", ticks = 2 }, { "(main)", "leaf", ticks = 1 } }))
  local nameless = inputs .. "/nameless"  -- its functions are found in the unwind tables
  shell.check { "gcc", "-s", "-o", nameless, shell.write(inputs .. "/nameless.c",
    "int main(void) { for (volatile int i = 0; i < 30000000; i++); return 0; }") }
  local _, nameless_run = recorder.record(nameless)
  local copies = {}  -- the same file twice would cause a warning
  for i = 1, 2 do copies[i] = shell.write(inputs .. "/copy" .. i, shell.read(profile)) end
  local list = shell.write(inputs .. "/list", table.concat(copies, "\n") .. "\n")

  local function starve(kind, words)
    local dir = shell.tmpdir "starved"
    shell.write(dir .. "/gmon.sum", "what was there before")
    local argv = { interpreter, program.root .. "/spec/sanitizer/starving.lua", program.root, most, faults.seed, kind,
      table.unpack(words) }
    local result = shell.run(argv, { cwd = dir, env = { ASAN_OPTIONS = quickly }, timeout = 3000 })
    local label = ("GPROF_SEED=%d %s\n"):format(faults.seed, kind)
    assert.equal("", result.stderr, label .. result.stdout)
    assert.truthy(result.stdout:find "^%d+ of %d+ requests\n$" and result.status == 0, label .. result.stdout)
    faults.tell("%s, %s: %s", table.concat(words, " "):gsub("%S*/", ""), kind, result.stdout:match "[^\n]*")
  end

  local function it_says_so(...)
    local words = { ... }
    for _, kind in ipairs { "relieved", "unrelieved" } do
      it((table.concat(words, " "):gsub("%S*/", "")) .. " reports it, " .. kind, function() starve(kind, words) end)
    end
  end

  describe("the library", function()
    it_says_so("load")
    it_says_so("library", image, profile)
    it_says_so("symspecs", image, profile)
    it_says_so("lines", image, profile, built.dir)
    it_says_so("coroutines", image, profile)
    it_says_so("records", made)
    it_says_so("slide", image)
    it_says_so("write", "made")
  end)

  describe("the program", function()
    it_says_so("program", "-b", image, profile)
    for _, words in ipairs {
      { "-b", "-q" }, { "-p" }, { "-b", "-l" }, { "-A", "-x", "-I" .. built.dir }, { "-C", "-z" }, { "-c", "-q", "-b" },
      { "-p", "-b", "--bounds" }, { "-q", "--tree", "--inlines" },
      { "-p", "-l", "-A", "--inlines", "-I" .. built.dir },
      { "-l", "-A", "-y", "-I" .. built.dir }, { "--annotate-time", "--color=always", "-I" .. built.dir }, { "-T" },
      { "-r" }, { "-R" .. objects }, { "-i" }, { "-S" .. symbols, "-p" }, { "--report=" .. script },
      { "-ptick", "-Qoutside", "-kmain/outside", "-Ecountdown" }, { "-s" },
      { "--file-format=bsd", "--sum-file=bsd" }, { "--profiles-from=" .. list, "-s" }, { "--gnu-compat", "-l" },
      { "--spread", "-s", "--report=spread" },
      { "--print-completion=zsh" }, { "-h" },
    } do
      it_says_so("command", table.unpack(table.move({ image, profile }, 1, 2, #words + 1, words)))
    end
    it_says_so("command", "-b", "-q", "--tree", crafted.image { functions = functions }, recorded)
    it_says_so("command", "-p", nameless, nameless_run .. "/gmon.out")
    it_says_so("command", "-s", "--jobs=2", image, profile, profile, profile)
  end)

  describe("a run that fails anyway", function()
    for _, case in ipairs {
      { "No such file", "-b", image, inputs .. "/none" }, { "No such file", "-b", inputs .. "/none" },
      { "claims 1408 bins", "-b", image, cut }, { "profiles skipped: 1", "-s", "--keep-going", image, profile, bad },
      { "needs an argument", "-w" }, { "ambiguous", "--fi" }, { "unknown option", "--nonsense" },
      { "takes a whole number", "-wx" }, { "unknown report", "--report=none", image, profile },
      { "directory does not exist", "-s", "--sum-file=none/sum", image, profile },
      { "expected 'ADDRESS", "-S" .. list, image, profile },
    } do
      it_says_so("failing", table.unpack(case))
    end
  end)
end)
