-- Instructions in assembler: image:instructions. objdump decodes the same code.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gprof = require "gprof"
local shell = require "support.shell"

-- Returns the addresses and the mnemonics that objdump prints of a program's .text.
local function decoded(path)
  local list = {}
  local text = shell.check({ "objdump", "-d", "-j", ".text", "--no-show-raw-insn", path },
    { env = { LC_ALL = "C" } }).stdout
  for address, mnemonic in text:gmatch "\n +(%x+):\t(%S+)" do
    list[#list + 1] = { tonumber(address, 16), mnemonic }
  end
  return list
end

describe("image:instructions", function()
  it("decodes what objdump decodes", function()
    local built = build.program "calls"
    local image <close> = assert(gprof.image(built.image))
    local found, list = assert(image:instructions(image.text_low, image.text_high)), {}
    for i, each in ipairs(found) do list[i] = { each.address, each.text:match "^%S+" } end
    assert.truthy(#list > 100)
    assert.same(decoded(built.image), list)
  end)

  it("writes addresses in angle brackets", function()
    local built = build.program "calls"
    local image <close> = assert(gprof.image(built.image))
    local f, called = image:find "factorial", {}
    for _, each in ipairs(image:instructions(f.address, f.address + f.size)) do
      local target = each.text:match "<0x(%x+)>$"
      local found = target and image:lookup(tonumber(target, 16))
      if found then called[found.name] = true end
    end
    assert.truthy(called.factorial)
  end)

  it("is bounded by the section and by the two addresses, which may be anything", function()
    local image <close> = assert(gprof.image(build.program "calls".image))
    assert.same({}, image:instructions(0, image.text_low))
    assert.same({}, image:instructions(image.text_low, image.text_low))
    assert.same({}, image:instructions(-1, math.maxinteger))
    assert.equal(1, #image:instructions(image.text_low, image.text_low + 1))
    local all = image:instructions(image.text_low, math.maxinteger)
    assert.truthy(all[#all].address < image.text_high)
    assert.error_matches(function() image:instructions(1.5, 2) end, "integer expected")
  end)

  it("needs the image to be open, and a machine that libopcodes knows", function()
    local image = assert(gprof.image(crafted.image(crafted.example)))
    image:close()
    assert.error_matches(function() image:instructions(0, 1) end, "image is closed")
    local unknown <close> = assert(gprof.image(build.craft { target = "elf64-little", text = 0x40,
      symbols = { { "f", 0 } } }))
    assert.same({ nil, "machine code: libopcodes cannot decode this architecture (unknown)" },
      { unknown:instructions(unknown.text_low, unknown.text_high) })
  end)
end)
