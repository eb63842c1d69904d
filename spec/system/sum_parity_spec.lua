-- With --gnu-compat, a sum's records are in GNU gprof's order, so reports on both sums are equal, ties included.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local elf = require "support.elf"
local gmon = require "support.gmon"
local oracle = require "support.oracle"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

if not parity.possible(pending) then return end

local random <const>, pick <const> = math.random, chance.pick
local MAGIC <const>, HEADER <const> = 8, 20  -- bytes: the magic number and version; the whole header

local dir <const> = shell.tmpdir "sums"

-- Writes the sum of profiles with both programs. Returns the paths of our sum and of GNU gprof's; nil if the profiles
-- cannot be added up, such as those with different units.
local function sums(image, profiles)
  local function sum(run, name, ...)
    local arguments = table.move(profiles, 1, #profiles, select("#", ...) + 1, { ... })
    local fails = run(arguments, { cwd = dir }).status ~= 0
    return not fails and os.rename(dir .. "/gmon.sum", dir .. "/" .. name) and dir .. "/" .. name
  end
  local ours = sum(program.run, "ours", "--gnu-compat", "-s", image)
  local theirs = sum(oracle.run, "theirs", "-s", image)
  assert.equal(not ours, not theirs)
  return ours, theirs
end

local function write(name, records)
  return gmon.write(dir .. "/" .. name, gmon.magic { records = records })
end

-- Returns records whose arcs and blocks are all at the starts of functions: GNU gprof leaves these addresses unchanged.
local function at_starts(functions)
  local low = functions[1]
  local records = { { kind = "histogram", low = low, high = low + 64, bins = { random(9), random(9) } } }
  for _ = 1, random(60) do
    table.insert(records, { kind = "arc", from = pick(functions), self = pick(functions), count = random(0, 9) })
  end
  for _ = 1, random(0, 3) do
    table.insert(records, { kind = "blocks", { pick(functions), random(9) }, { pick(functions), random(9) } })
  end
  return records
end

-- Returns the records of any profile, with counts that GNU gprof's sums can hold.
local function anywhere(subject)
  local records = gmon.parse(chance.profile(subject, "magic")).records
  for _, record in ipairs(records) do
    if record.kind == "arc" then record.count = record.count % 1000 end
    for i = 1, record.kind == "histogram" and record.bins.n or 0 do record.bins[i] = record.bins[i] % 30000 end
  end
  return records
end

-- GNU gprof makes no sum for some programs in C++ ("somebody miscounted").
local programs <const> = { { "calls" }, { "calls", "O2" }, { "cycles" }, { "twins" }, { "crowd" } }

local function some_program()
  local key = pick(programs)
  if not build.supported(key[1], key[2]) then key = programs[1] end
  return chance.subject(build.program(key[1], key[2]).image)
end

describe("With --gnu-compat, a sum", function()
  it("has the same bytes as GNU gprof's sum, apart from unused bytes", function()
    chance.cases(20250101, 8)(function(note)
      local subject, functions = some_program(), {}
      for i, f in ipairs(elf.functions(subject.image)) do functions[i] = f.address end
      local ours, theirs = sums(subject.image,
        { write("one", at_starts(functions)), write("two", at_starts(functions)) })
      ours, theirs = shell.read(ours), shell.read(theirs)
      assert.equal(theirs:sub(1, MAGIC), ours:sub(1, MAGIC), note)
      assert.is_true(theirs:sub(HEADER + 1) == ours:sub(HEADER + 1), note)
    end)
  end)

  it("gives the same reports as GNU gprof's sum", function()
    chance.cases(20250201, 8)(function(note)
      local subject = random(3) == 1 and chance.image() or some_program()
      local profiles = { write("one", anywhere(subject)) }
      if random(3) == 1 then profiles[2] = write("two", anywhere(subject)) end
      local ours, theirs = sums(subject.image, profiles)
      for _, options in ipairs(ours and { "-b", "-blq", "-bCr" } or {}) do
        assert.equal(oracle.run({ options, subject.image, theirs }).stdout,
          oracle.run({ options, subject.image, ours }).stdout, note)
      end
    end)
  end)
end)
