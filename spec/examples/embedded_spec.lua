-- examples/embedded: the limits of the collector, and profiles that it writes on this machine and on a board emulated
-- by QEMU.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local oracle = require "support.oracle"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

local example <const> = program.root .. "/examples/embedded"

-- Limits ------------------------------------------------------------------------------------------

describe("The collector", function()
  local dir = shell.tmpdir "collector"
  -- -no-pie: some kernels place other programs where AddressSanitizer needs its memory.
  shell.check({ "gcc", "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-no-pie", "-DGMON_BINS=8", "-DGMON_ARCS=32",
    "-I" .. example, "-o", "collector", build.fixture "collector.c" }, { cwd = dir })

  -- Runs a case of collector.c. Returns the records of its profile, and the number that gmon_lost returned.
  local function collect(case)
    local lost = shell.check({ dir .. "/collector", case }, { cwd = dir }).stdout
    return gmon.parse(shell.read(dir .. "/gmon.out")).records, tonumber(lost)
  end

  local function calls_in(records)
    local sum = 0
    for _, record in ipairs(records) do
      if record.kind == "arc" then sum = sum + record.count end
    end
    return sum
  end

  local function arc(count)
    return { kind = "arc", from = 0x1001, self = 0x1000, count = count }
  end

  it("counts samples in their bins, up to the maximum of a bin", function()
    local records, lost = collect "samples"
    assert.same({ { kind = "histogram", low = 0x1000, high = 0x1070, rate = 50, dimension = "seconds",
      abbreviation = "s", bins = { 65535, 0, 0, 0, 0, 0, 1, n = 7 } } }, records)
    assert.equal(3, lost)
  end)

  it("counts calls until its table is full, then counts how many are lost", function()
    local records, lost = collect "places"
    assert.is_true(#records - 1 > 16 and #records - 1 <= 32)
    assert.equal(100 * 101 // 2, calls_in(records) + lost)
    for i = 2, #records do assert.equal(records[i].from - 0x1000, records[i].count) end
  end)

  it("stops counting at the maximum, and writes no histogram without a sampling rate", function()
    assert.same({ { arc(0xffffffff) }, 2 }, { collect "count" })
  end)

  it("counts calls of an interrupt as lost while another call is being counted", function()
    local records, lost = collect "nested"
    assert.same({ arc(1), 1 }, { records[2], lost })
  end)

  it("records nothing before gmon_start and after gmon_write", function()
    local records, lost = collect "late"
    assert.same({ 1, 0 }, { #records, lost })
  end)
end)

-- Profiles ----------------------------------------------------------------------------------------

-- Builds a target of the example's Makefile, which also runs the program. Returns the paths of the image and the
-- profile.
local function make(target, image)
  local dir = shell.tmpdir "embedded"
  shell.check({ "make", "-s", "-C", example, "BUILD=" .. dir, target }, { env = { MAKEFLAGS = false }, timeout = true })
  return dir .. "/" .. image, dir .. "/gmon.out"
end

-- The calls of examples/embedded/program.c, which runs 20 times over the numbers below 2,000. Trial division takes
-- 13,397 steps; the sieve crosses out the multiples of the 14 primes below 45.
local calls <const> = { divides = 20 * 13397, is_prime = 20 * 2000, by_division = 20, by_sieve = 20,
  cross_out = 20 * 14, program = 1 }

local function check_calls(image, path)
  local opened, found = assert(gprof.image(image)), {}
  local profile = assert(gprof.profile(opened, assert(gprof.data(opened, path))))
  for f in profile:functions() do found[f.name] = calls[f.name] and f.calls end
  assert.same(calls, found)
  return profile
end

describe("A program with the collector", function()
  it("writes a profile with all calls, on this machine with -finstrument-functions", function()
    check_calls(make("host", "host"))
  end)

  local function have(tool)
    return shell.run { tool, "--version" }.status == 0
  end
  if not have "arm-none-eabi-gcc" or not have "qemu-system-arm" then
    return pending "writes a profile on a board (needs gcc-arm-none-eabi and qemu-system-arm)"
  end
  local image, path = make("run", "board.elf")

  it("writes a profile with all calls and with samples, on a board", function()
    local profile = check_calls(image, path)
    assert.equal("seconds", profile.unit)
    local divides = profile:find "divides"
    assert.is_true(divides.self > 0 and divides.self < profile.total)
    assert.same({ "program.c", 0 }, { divides.file:match "[^/]*$", divides.address % 2 })
  end)

  it("gives the reports of GNU gprof with --gnu-compat, on a board", function()
    if not parity.possible(pending) then return end
    assert(oracle.foreign "arm-none-eabi-gprof", "arm-none-eabi-gprof is not of the same version as gprof")
    for _, list in ipairs { { "-z" }, { "-l", "-p" }, { "-C" }, { "-Egmon_call", "-q" } } do
      local arguments = table.move({ image, path }, 1, 2, #list + 2, { "-b", table.unpack(list) })
      parity.check(arguments, { oracle = "arm-none-eabi-gprof" })
    end
  end)
end)
