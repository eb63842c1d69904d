-- examples/bbconv.lua: conversion of bb.out for every byte order and pointer size, and its errors. GNU gprof reads the
-- result.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local script <const> = program.root .. "/examples/bbconv.lua"

-- A bb.out as gcc -a wrote it ("File" lines end in a space). It lists two files with blocks, and one without.
local text <const> = ([[
Basic block profiling finished on Mon Jul 11 12:34:56 1994

File tst.c, 3 basic blocks

    Block #1: executed     2 time(s) address= 0x00001010 function= main line= 14 file= tst.c
    Block #2: executed 26312 time(s) address= 0x1024 function= updcrc line= 12 file= tst.c
    Block #3: executed     0 time(s) address= 0xABCDEF00

File none.c, 0 basic blocks

File dir, with 2 basic blocks/a.c, 1 basic blocks
    Block #1: executed 4294967295 time(s) address= 0x00001030 function= f line= 1 file= a.c

]]):gsub("blocks\n", "blocks \n")
local records <const> = {
  { kind = "blocks", { 0x1010, 2 }, { 0x1024, 26312 }, { 0xabcdef00, 0 }, { 0x1030, 4294967295 } },
}

local shapes <const> = gmon.shapes()

local function craft(target)
  local symbols = { { "main", 0 }, { "updcrc", 0x20 }, { "last", 0x40 } }
  return build.craft { target = target, text = 0x100, symbols = symbols }
end

-- Runs the script (or the copy options.script) with a text on standard input.
local function convert(image, input, options)
  options = options or {}
  return launch.copy(options.script or script, { image },
    { stdin = shell.write(shell.tmpdir() .. "/bb.out", input), env = options.env, cwd = options.cwd })
end

describe("bbconv", function()
  for _, shape in ipairs(shapes) do
    it("writes the blocks of all files, for " .. shape.target, function()
      local image = craft(shape.target)
      local result = convert(image, text)
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.equal(gmon.magic { pointer = shape.pointer, big = shape.big, records = records }, result.stdout)
      local opened = assert(gprof.image(image))
      local data = assert(gprof.data(opened, gmon.write(shell.tmpdir() .. "/bb-data", result.stdout)))
      assert.equal(1, data.block_records)
    end)
  end

  it("works in any directory, and with an installed library", function()
    local image = craft()
    local expected = convert(image, text).stdout
    local from = { script = "bbconv.lua", cwd = program.root .. "/examples" }
    assert.equal(expected, convert(image, text, from).stdout)
    local copy = shell.write(shell.tmpdir() .. "/bbconv.lua", shell.read(script))
    local root = program.root
    local env = { LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua"):format(root, root), LUA_CPATH = root .. "/build/?.so" }
    assert.equal(expected, convert(image, text, { script = copy, env = env }).stdout)
  end)

  local file <const>, block <const> = "File a.c, 1 basic blocks\n", "Block #1: executed 1 time(s) address= 0x10\n"
  for title, case in pairs {
    ["other text"] = { "\nhello\n", "line 2: expected a \"File\" or \"Block\" line" },
    ["a block without a count"] = { file .. "Block #1: executed  time(s) address= 0x10\n",
      "line 2: expected a \"File\" or \"Block\" line" },
    ["a block without an address"] = { file .. "Block #1: executed 3 time(s)\n",
      "line 2: expected a \"File\" or \"Block\" line" },
    ["a negative count"] = { file .. "Block #1: executed -3 time(s) address= 0x10\n",
      "line 2: expected a \"File\" or \"Block\" line" },
    ["a block without a file"] = { block, "line 1: expected a \"File\" line before the first block" },
    ["too few blocks"] = { file .. file .. block, "line 1: announces 1 basic blocks, but 0 follow" },
    ["too many blocks"] = { "\n" .. file .. block .. block, "line 2: announces 1 basic blocks, but 2 follow" },
    ["missing blocks at the end"] = { file .. block .. file, "line 3: announces 1 basic blocks, but 0 follow" },
    ["a number of blocks that overflows"] = { ("File a.c, %s basic blocks\n"):format(("9"):rep(400)),
      ("line 1: announces %s basic blocks, but 0 follow"):format(("9"):rep(400)) },
    ["a count beyond 63 bits"] = { file .. "Block #1: executed 9223372036854775808 time(s) address= 0x10\n",
      "line 2: 9223372036854775808 does not fit in the image's pointer size %(8 bytes%)" },
    ["an address beyond 64 bits"] = { file .. "Block #1: executed 1 time(s) address= 0x10000000000000000\n",
      "line 2: 0x10000000000000000 does not fit in the image's pointer size %(8 bytes%)" },
    ["a count beyond 32 bits, for a 32-bit image"] = { file .. "Block #1: executed 4294967296 time(s) address= 0x10\n",
      "line 2: 4294967296 does not fit in the image's pointer size %(4 bytes%)", "elf32-little" },
    ["an address beyond 32 bits, for a 32-bit image"] = { file .. "Block #1: executed 1 time(s) address= 0x100000010\n",
      "line 2: 0x100000010 does not fit in the image's pointer size %(4 bytes%)", "elf32-big" },
    ["a sum of counts beyond 63 bits"] = { "File a.c, 2 basic blocks\n" ..
      ("Block #1: executed 9223372036854775807 time(s) address= 0x10\n"):rep(2), "line 3: count exceeds 63 bits" },
    ["an empty input"] = { "", "has no \"File\" line" },
  } do
    it("refuses " .. title, function()
      local result = convert(craft(case[3]), case[1])
      assert.same({ "", 1 }, { result.stdout, result.status })
      assert.truthy(result.stderr:find("^bbconv%.lua: standard input: " .. case[2] .. "\n$"), result.stderr)
    end)
  end

  it("refuses a missing image, and prints its usage", function()
    assert.same({ "bbconv.lua: /nowhere: No such file or directory\n", "", 1 }, (function(result)
      return { result.stderr, result.stdout, result.status }
    end)(convert("/nowhere", text)))
    local result = launch.copy(script, {})
    assert.same({ "bbconv.lua: usage: bbconv.lua IMAGE < bb.out > PROFILE\n", "", 1 },
      { result.stderr, result.stdout, result.status })
  end)

  local available, why = oracle.available()
  if not available then
    pending("writes a profile that GNU gprof reads: " .. why)
    return
  end

  it("writes a profile that GNU gprof reads", function()
    local built = build.program "calls"
    local lines = { "File calls.c, 2 basic blocks\n" }
    for name, count in pairs { twice = 4711, light = 1234 } do
      lines[#lines + 1] = ("    Block #1: executed %6d time(s) address= 0x%08x function= %s line= 1 file= calls.c\n")
        :format(count, build.address(built.image, name), name)
    end
    local made = convert(built.image, table.concat(lines))
    local path = gmon.write(shell.tmpdir() .. "/bb-data", made.stdout)
    local result = oracle.run { "-b", "-l", "-C", built.image, built.gmon, path }
    assert.equal(0, result.status)
    assert.truthy(result.stdout:find("calls%.c:%d+: %(twice:0x%x+%) 4711 executions\n"), result.stdout)
    assert.truthy(result.stdout:find("calls%.c:%d+: %(light:0x%x+%) 1234 executions\n"), result.stdout)
  end)
end)
