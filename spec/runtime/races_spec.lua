-- The recorder's tables, modules and files, used by many threads at once: with ThreadSanitizer, and under valgrind.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local machine <const> = recorder.machine

local FIB <const> = 465

-- Compiles the fixture with the parts of the recorder that it uses: those that replace no function of the C library.
local function compile(flag, source)
  local names = "block_counts calls clocks clock_perf clock_thread clock_timer context_out environment file_names " ..
    "gmon_out lua_ticks memory_map messages module_list modules notes output profile sampled_paths sampling " ..
    "snapshot soft_limits stacks table threads unwind waiting"
  local options = { plain = true, flags = { "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls", "-I" .. program.root .. "/csrc", flag }, link = {} }
  for name in (names .. " entry_" .. machine):gmatch "%S+" do
    local suffix = name:find "^entry_" and ".S" or ".c"
    table.insert(options.link, ("%s/csrc/runtime/%s%s"):format(program.root, name, suffix))
  end
  return recorder.compile(source or "races.c", options)
end

-- Runs the program, which must succeed silently, and checks that its profiles have all calls and samples once.
local function check(flag, threads, calls, profiles, before)
  local built = compile(flag)
  local result = recorder.run(built, { tostring(threads), tostring(calls), tostring(profiles) },
    { preload = false, before = before })
  assert.same({ "", 0 }, { result.stderr, result.status })
  local take = tonumber(shell.check({ "nm", built.image }).stdout:match "(%x+) T take\n", 16) + 1
  local counts, samples = { leaf = 0, mid = 0, fib = 0, work = 0 }, 0
  for number = 1, profiles + 1 do
    local path = result.dir .. (number == 1 and "/gmon.out" or "/gmon.out-" .. number)
    if number <= profiles or shell.exists(path) then
      local arcs, file = recorder.arcs(built, path), recorder.read(path .. ".ctx")
      for name, count in pairs(counts) do counts[name] = count + (arcs[name] or 0) end
      for _, thread in ipairs(file.threads) do
        for i = 3, thread.rows - 1 do
          local row = thread[i]
          if row.self == 0 and row.from - file.modules[1].bias == take then samples = samples + row.count end
        end
      end
    end
  end
  assert.same({ leaf = 2 * threads * calls, mid = threads * calls, fib = threads * FIB, work = threads }, counts)
  assert.equal(tonumber(result.stdout), samples)
end

describe("programs that write the same files at the same time", function()
  it("leave both files of one of them", function()
    local result = recorder.run(compile("-DLOCK_TRIES=1000000", "pairs.c"), { "4", "100" }, { preload = false })
    assert.same({ "", 0 }, { result.stderr, result.status })
  end)
end)

describe("the recorder has no races, and counts all calls and samples once,", function()
  it("with ThreadSanitizer", function()
    local dir = shell.tmpdir "tried"
    shell.write(dir .. "/empty.c", "int main(void) { return 0; }")
    local tried = shell.run({ "sh", "-c", "gcc -fsanitize=thread -o empty empty.c && ./empty" }, { cwd = dir })
    if tried.status ~= 0 then pending "needs ThreadSanitizer" return end
    check("-fsanitize=thread", 60, 60, 20)
  end)

  it("under valgrind", function()
    if not shell.installed "valgrind" then pending "needs valgrind" return end
    check("-O1", 20, 30, 5, { "valgrind", "-q", "--error-exitcode=9" })
  end)
end)
