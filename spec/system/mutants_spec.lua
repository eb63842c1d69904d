-- Randomly damaged images, and files with right checksums and lengths: each command prints a report or a one-line
-- message. Also tests how results are judged. `make mutants` and `make whole-runs` try thousands of files.
-- SPDX-License-Identifier: GPL-3.0-or-later

local cases = require "fuzz.images.cases"
local chance = require "support.chance"
local fixtures = require "fuzz.images.fixtures"
local judge = require "fuzz.images.judge"
local kinds = require "fuzz.repaired.kinds"
local known = require "fuzz.images.known"
local nodes = require "fuzz.repaired.nodes"
local program = require "support.program"
local shell = require "support.shell"

local SEED <const> = 1

describe("a damaged image", function()
  shell.check({ "make", "build/mutants/limited" }, { cwd = program.root })
  local all = fixtures.make(shell.tmpdir "fixtures", not chance.thorough and 4 or nil)
  local sanitized = program.interpreter[1]:find("sanitized", 1, true) ~= nil

  it("gives a report or a one-line message", function()
    chance.cases(1, 60)(function(remark, number)
      local case = cases.make(all, SEED, number, shell.tmpdir "mutant")
      for _ = 1, 2 do
        local result = cases.run(case, { sanitized = sanitized })
        if result.stack and not known[result.kind] then
          error(("%s%s: %s\n%s\n%s\n%s\n%s"):format(remark, case.fixture.name, case.damage,
            shell.join(result.arguments), result.kind, result.stderr, result.stack), 0)
        end
      end
      shell.check { "rm", "-r", case.dir }
    end)
  end)

  it("is the same for the same case number", function()
    local images = {}
    for _ = 1, 2 do
      for number = 1, 20 do
        local case = cases.make(all, SEED, number, shell.tmpdir "again")
        images[number] = images[number] or { shell.read(case.image), case.damage }
        assert.same(images[number], { shell.read(case.image), case.damage })
      end
    end
  end)
end)

local function runs(...)
  local argv = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  table.move({ "fuzz/images/whole_runs.lua", "fixtures=3", ... }, 1, 2 + select("#", ...), #argv + 1, argv)
  return shell.run(argv, { cwd = program.root, timeout = 300 })
end

describe("whole runs on damaged files", function()
  it("give a report or a one-line message, and are the same again", function()
    local result = runs("runs=60", "show=1")
    assert.equal(0, result.status, result.stdout)
    local reports, lines = result.stdout:match "(%d+) reports, (%d+) lines, 0 faults\n$"
    assert.is_true(tonumber(reports) > 5 and reports + lines == 60, result.stdout)
    local again = runs("runs=1", "first=40", "show=1")
    local shown = again.stdout:match "^40\t[^|]*|([^|]*|)"
    assert.truthy(result.stdout:find(shown, 1, true), again.stdout)
  end)

  it("report a crash, and go on after it", function()
    local result = runs("runs=30", "crash=12")
    assert.equal(1, result.status)
    assert.equal("12: crash: signal 6\n", result.stdout:match "^[^\n]*\n")
    local reports, lines = result.stdout:match "(%d+) reports, (%d+) lines, 1 faults\n$"
    assert.equal(29, reports + lines)
  end)
end)

describe("files that are changed as trees:", function()
  local where = shell.tmpdir "where"

  -- Makes the files of a kind, and puts them in their place.
  local function make(name)
    local function run(...) return program.run({ ... }).status == 0 end
    local kind = kinds.make(name, shell.tmpdir "files", run, where)
    for file, bytes in pairs(kind.files) do shell.write(where .. "/" .. file, bytes) end
    return kind
  end

  for _, name in ipairs(kinds.names) do
    it(name .. " are the same without a change, and can be read", function()
      local kind = make(name)
      local trees = {}
      for file, read in pairs(kind.readers) do trees[file] = read(kind.files[file]) end
      kind.link(trees)
      for file, tree in pairs(trees) do
        local bytes = nodes.write(tree)
        -- JSON can be written in several ways.
        local expected = name == "baselines" and nodes.write(kind.readers[file](bytes)) or kind.files[file]
        assert.is_true(expected == bytes, file)
      end
      for _, line in ipairs(kind.lines) do
        for file, bytes in pairs(kind.files) do shell.write(where .. "/" .. file, bytes) end
        local result = program.run(kinds.words(line, where, kind.sources))
        local differs = line:find "%-%-verify" or line:find "%-%-fail%-on"
        assert.is_true(result.status == 0 or result.status ~= nil and differs ~= nil, line .. "\n" .. result.stderr)
        for _, output in ipairs { "OUT", "OUT.ctx", "OUT.spread", "CHECKPOINT" } do
          os.remove(where .. "/" .. output)
        end
      end
    end)

    it(name .. " give a report or a one-line message", function()
      local result = runs("kind=" .. name, "runs=" .. (os.getenv "GPROF_CASES" or 40))
      assert.equal(0, result.status, result.stdout .. result.stderr)
      assert.matches(" [1-9]%d* reports, ", result.stdout)
    end)
  end
end)

describe("the result of a damaged image is judged:", function()
  local function verdict(changes, how)
    local result = { status = 0, stderr = "", printed = 1, memory = 1 }
    for name, value in pairs(changes) do
      result[name] = value or nil
    end
    return judge.verdict(result, how)
  end

  -- Verdicts, each with changes of a silent success.
  for verdict_of, results in pairs {
    report = { {}, { stderr = "gprof.lua: warning: a.c: source not found\n" },
      { printed = 0, how = { silent = true } }, { stderr = "symbols: main\n", how = { chatty = true } } },
    line = { { status = 1, stderr = "gprof.lua: warning: a\ngprof.lua: image: has no symbols\n" },
      { status = 1, stderr = "work\ngprof.lua: image: is damaged\n", how = { chatty = true } } },
    talk = { { printed = 0 }, { status = 2, stderr = "gprof.lua: image: a\n" },
      { stderr = "BFD: image: warning: a\n" }, { status = 1 },
      { status = 1, stderr = "gprof.lua: image: a\ngprof.lua: image: b\n" },
      { status = 1, stderr = "gprof.lua: internal error: a.lua:1: nil: please report it\n" } },
    crash = { { status = false, signal = 11 },
      { status = 1, stderr = "==1==ERROR: AddressSanitizer: heap-buffer-overflow\n" },
      { status = 1, stderr = "text.c:1:2: runtime error: shift exponent\n" } },
    hang = { { status = false, signal = 24 }, { status = false, signal = "wait" } },
    memory = { { memory = judge.MAX_MEMORY + 1 } },
  } do
    it(verdict_of, function()
      for i, result in ipairs(results) do assert.equal(verdict_of, verdict(result, result.how), i) end
    end)
  end

  local function kind(text)
    return judge.kind("crash", judge.frames(text))
  end

  it("faults, attributed to the innermost function outside the C library", function()
    assert.equal("libbfd's crash in read_section", kind [[
Program received signal SIGSEGV, Segmentation fault.
#0  __memcpy_avx () at ../sysdeps/x86_64/multiarch/memmove.S:3
#1  0x00005555556a76c3 in read_section (abfd=...) at ../../bfd/dwarf2.c:730
#2  0x00005555555bd42f in gp_image_source (image=...) at csrc/object/image.c:170]])
    assert.equal("ours crash in gp_take", kind [[
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60
    #0 0x7f5 in __interceptor_memcpy ../../../../src/libsanitizer/asan/asan_interceptors.cpp:827
    #1 0x55d in gp_take csrc/debug/cursor.h:30
0x602 is located 0 bytes to the right of
    #0 0x7f5 in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x55d in bfd_malloc ../../bfd/libbfd.c:289]])
    assert.equal("ours crash in ?", kind "")
  end)
end)
