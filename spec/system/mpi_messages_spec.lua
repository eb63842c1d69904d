-- What a rank of an MPI job receives from another is not trusted: damaged messages are errors of one line, and write no
-- files. Needs no MPI.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local contexts = require "support.contexts"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local FIRST <const>, END <const> = 4, 8 -- ranks of the sender's subtree

-- Compiles the fixture and the sources that receive, with sanitizers. -no-pie: some kernels place other programs where
-- AddressSanitizer needs its memory.
local function compile()
  local argv = { "sh", "-c", [[gcc -std=c11 -D_GNU_SOURCE -O0 -g -fsanitize=address,undefined \
    -fno-sanitize-recover=all -no-pie -I "$1/csrc" -o messages "$1"/spec/fixtures/mpi/messages.c \
    "$1"/csrc/mpi/job_sum.c "$1"/csrc/mpi/program.c "$1"/csrc/mpi/settings.c \
    "$1"/csrc/gmon/*.c "$1"/csrc/gmon/*/*.c "$1"/csrc/base/*.c \
    -lm -pthread]], "sh", program.root }
  local dir = shell.tmpdir "messages"
  shell.check(argv, { cwd = dir })
  return dir .. "/messages"
end

local receiver
setup(function() receiver = compile() end)

local function list(programs, absent)
  local parts = { ("<I8"):pack(#programs) }
  for _, p in ipairs(programs) do
    parts[#parts + 1] = ("<s8s8I8"):pack(p.key or "build ID 12", p.name or "ranks", p.has_contexts or 0)
  end
  parts[#parts + 1] = ("<I8"):pack(#absent)
  for _, a in ipairs(absent) do parts[#parts + 1] = ("<I8I8I8"):pack(a[1], a[2], a[3] or 0) end
  return table.concat(parts)
end

local plain <const> = gmon.magic { records = {
  { kind = "histogram", low = 0x1000, high = 0x1040, bins = { n = 16, [3] = 9 } },
  { kind = "arc", from = 0x1004, self = 0x1020, count = 2 } } }

local paths <const> = contexts.pack { process = { low = 0x1000, high = 0x1040 },
  modules = { { low = 0x1000, high = 0x1040 } },
  tables = { { { context = 0, from = 0x1004, self = 0x1020, count = 2 }, { context = 3, from = 0x1020, count = 9 } } } }

-- Receives streams. Returns the line, the status, and the files that were written.
local function receive(streams)
  local dir, parts = shell.tmpdir "job", {}
  for i, stream in ipairs(streams) do parts[i] = ("<s4"):pack(stream) end
  shell.check { "mkdir", dir .. "/inside" }
  shell.write(dir .. "/message", table.concat(parts))
  local result = shell.run({ receiver, "../message", FIRST, END }, { cwd = dir .. "/inside", timeout = 60,
    env = { GPROF_MPI = "output=%e.sum", GMON_OUT_PREFIX = false } })
  assert.same({ "", nil }, { result.stderr, result.signal })
  local written = shell.listing(dir):gsub("inside\n", ""):gsub("message\n", ""):gsub("\n", " ")
  return result.stdout, result.status, written .. shell.listing(dir .. "/inside"):gsub("\n", " ")
end

local function refuses(message, streams)
  assert.same({ message .. "\n", 1, "" }, { receive(streams) })
end

describe("a rank receives", function()
  it("sums and the list of absent ranks", function()
    assert.same({ "\n", 0, "ranks.sum " }, { receive { list({ {} }, {}), plain } })
    assert.same({ "\n", 0, "ranks.sum ranks.sum.ctx " },
      { receive { list({ { has_contexts = 1 } }, {}), plain, paths } })
    local programs = { {}, { key = "other", name = "b" } }
    local line, status = receive { list(programs, { { 4, 4 }, { 6, 7, 1 } }), plain, plain }
    assert.same({ "3 of 4 ranks are not in the sum; no answer in 1 s: 4; in files of their own: 6-7\n", 0 },
      { line, status })
  end)

  it("no absent ranks that are not the sender's, or not in order", function()
    for _, absent in ipairs { { { 3, 4 } }, { { 4, 8 } }, { { 6, 5 } }, { { 6, 6 }, { 5, 5 } }, { { 5, 6 }, { 6, 7 } },
      { { 0, 0x7fffffff } }, { { 0x7fffffff, 0x7fffffff }, { 0x7fffffff, 0x7fffffff } }, { { -1, -1 } } } do
      refuses("has a wrong number", { list({ {} }, absent), plain })
    end
  end)

  it("no more programs than the sender has ranks", function()
    local programs, streams = {}, {}
    for i = 1, 5 do programs[i], streams[i + 1] = { key = "key " .. i, name = "name" .. i }, plain end
    streams[1] = list(programs, {})
    refuses("has a wrong number", streams)
  end)

  it("no program whose name leads to another directory", function()
    for _, name in ipairs { "../away", "/away", "a/b" } do
      refuses("has a wrong name", { list({ { name = name } }, {}), plain })
    end
  end)

  it("no damaged message: one line, and no file", function()
    local whole = { list({ { has_contexts = 1 }, { key = "b", name = "b" } }, { { 5, 6 } }), plain, paths, plain }
    assert.equal(0, select(2, receive(whole)))
    chance.cases(1, 150)(function(remark)
      local streams = table.move(whole, 1, #whole, 1, {})
      local i = math.random(#streams)
      local bytes, at = streams[i], math.random(#streams[i])
      local kind = math.random(4)
      local new = kind == 1 and bytes:sub(1, at - 1) or kind == 2 and bytes .. "\0" or
        bytes:sub(1, at - 1) .. string.char(kind == 3 and math.random(0, 255) or 255) .. bytes:sub(at + 1)
      streams[i] = new
      if math.random(8) == 1 then streams[#streams] = nil end
      local line, status, files = receive(streams)
      assert.is_true(status == 0 or line:find "^[^\n]+\n$" and files == "", remark .. line)
    end)
  end)
end)
