-- gprof.analysis.hot_instructions: the instructions of functions without source.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local hot_instructions = require "gprof.analysis.hot_instructions"
local shell = require "support.shell"

-- Returns an image of functions, each a loop and the `text` after it, which the assembler reads.
local function assembled(functions)
  local dir, lines = shell.tmpdir "loops", { ".text" }
  for _, f in ipairs(functions) do
    lines[#lines + 1] = ('.type "%s", @function\n"%s": nop\n1: nop\njmp 1b\n%s\n.size "%s", .-"%s"'):format(f.name,
      f.name, f.text or "", f.name, f.name)
  end
  shell.write(dir .. "/code.s", table.concat(lines, "\n") .. "\n")
  shell.check({ "as", "-o", "code.o", "code.s" }, { cwd = dir })
  shell.check({ "ld", "-e", "0", "-o", "code", "code.o" }, { cwd = dir })
  return assert(gprof.image(dir .. "/code"))
end

-- Returns the texts of the instructions of functions, by name. Each function has twice `ticks` samples in its loop.
local function texts(functions)
  local image = assembled(functions)
  local data = gprof.data.new { image = image }
  for _, f in ipairs(functions) do
    local low = image:find(f.name).address & -2
    assert(data:add_histogram { low = low, high = low + 4, bins = { f.ticks, f.ticks }, bin_count = 2, rate = 100 })
  end
  local profile, ids, found = assert(gprof.profile(image, data)), {}, {}
  for f in profile:functions() do ids[#ids + 1] = f.id end
  for id, code in pairs(hot_instructions.of_functions(profile, ids)) do
    local list = {}
    for i, each in ipairs(code) do list[i] = each.text:gsub("%s+", " ") end
    found[profile:get(id, "name")] = list
  end
  return found
end

describe("The instructions of a function without source", function()
  it("name places in functions, also if their names are like those of Rust", function()
    for _, name in ipairs { "plain", "<a::B>::new", "<a::B as c::D<e>>::f" } do
      assert.equal(("jmp <%s+0x1>"):format(name), texts { { name = name, ticks = 1 } }[name][3])
    end
  end)

  it("have addresses if the function is named by its own", function()
    assert.matches("^jmp 0x%x+$", texts { { name = "<program+0x1234>", ticks = 1 } }["<program+0x1234>"][3])
  end)

  it("are known also if hotter functions are too large", function()
    local found = texts { { name = "large", ticks = 9, text = ".skip 300000, 0x90" }, { name = "small", ticks = 1 } }
    assert.is_nil(found.large)
    assert.same({ "nop", "nop" }, { table.unpack(found.small, 1, 2) })
  end)
end)
