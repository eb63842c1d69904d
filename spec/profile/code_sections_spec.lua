-- Code in other sections than .text, as in programs of boards, and symbol files of other code.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local FLASH <const> = 0x10000000

local source <const> = [[
#define NI __attribute__((noinline, used))
volatile unsigned s;
NI __attribute__((section(".iram0.text,\\"ax\\"#"))) void fast(int n) { for (int i = 0; i < n; i++) s += i; }
NI __attribute__((section(".iram0.text,\\"ax\\"#"))) void outer(int n) { fast(n); s++; fast(n + 1); }
NI void slow(int n) { outer(n); s++; }
NI void _start(void) { for (;;) slow(3); }
]]

-- Compiles a program with functions in RAM, above or below the flash.
local function compile(ram, rename)
  local dir = shell.tmpdir "sections"
  shell.write(dir .. "/p.c", (source:gsub("\\\\", "\\")))
  shell.check({ "gcc", "-w", "-O1", "-g", "-nostdlib", "-no-pie", ("-Wl,-Ttext=%#x"):format(FLASH),
    ("-Wl,--section-start=.iram0.text=%#x"):format(ram), "-o", "p", "p.c" }, { cwd = dir })
  if rename then shell.check({ "objcopy", "--rename-section", ".text=.flash.text", "p" }, { cwd = dir }) end
  local at = {}
  for address, name in shell.check({ "nm", "p" }, { cwd = dir }).stdout:gmatch "(%x+) [Tt] (%S+)" do
    at[name] = tonumber(address, 16)
  end
  return dir .. "/p", at
end

local function profile(ram, at)
  local function histogram(low, address, samples)
    return { kind = "histogram", low = low, high = low + 256, rate = 1000,
      bins = { n = 128, [(address - low) // 2 + 1] = samples } }
  end
  return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = {
    histogram(FLASH, at.slow + 2, 100), histogram(ram, at.fast + 4, 500),
    { kind = "arc", from = at.outer + 6, self = at.fast, count = 20 },
    { kind = "arc", from = at.slow + 6, self = at.outer, count = 10 },
    { kind = "arc", from = at._start + 6, self = at.slow, count = 10 } } })
end

for _, ram in ipairs { 0x20000000, 0x400000 } do
  for _, rename in ipairs { false, true } do
    describe(("Code at 0x%x beside %s"):format(ram, rename and ".flash.text" or ".text"), function()
      local image, gmon_out, at
      setup(function()
        image, at = compile(ram, rename)
        gmon_out = profile(ram, at)
      end)

      local function run(...)
        local words = { "-b", ... }
        table.move({ image, gmon_out }, 1, 2, #words + 1, words)
        local result = program.run(words)
        assert.same({ 0, "" }, { result.status, result.stderr })
        return result.stdout
      end

      it("has time and calls", function()
        local text = run "-p"
        assert.matches("0%.50 +20 .* fast\n", text)
        assert.matches("0%.10 +10 .* slow\n", text)
        assert.matches("20/20 +outer ", run "-q")
      end)

      it("has lines", function()
        assert.matches("0%.50 .*fast %(p.c:3 @ ", run("-p", "-l"))
        assert.matches("83%.33 +0%.50 +p.c:3 ", program.run({ "--report=lines", image, gmon_out }).stdout)
      end)

      it("is decoded with -c", function()
        local arc = { kind = "arc", from = at._start + 6, self = at.slow, count = 10 }
        local other = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = { arc } })
        local result = program.run { "-b", "-c", "-q", "-z", image, other }
        if result.stderr:find "libopcodes" then return pending "needs libopcodes" end
        assert.matches("0/0 +outer .*0/0 +fast ", result.stdout)
      end)

      it("belongs to the program", function()
        local result = program.run { "--verify", image, gmon_out }
        assert.same({ 0, "3 of 3 arcs come from the code" },
          { result.status, result.stdout:match "%d of %d arcs come from the code" })
      end)

      it("is named if it has no symbols", function()
        local stripped = shell.tmpdir() .. "/stripped"
        shell.check { "strip", "-N", "fast", "-N", "outer", "-o", stripped, image }
        local result = program.run { "-b", "-p", stripped, gmon_out }
        if ram > FLASH and not rename then
          assert.matches("500 of 600 samples are in code outside all functions, most in section .iram0.text",
            result.stderr)
        end
      end)
    end)
  end
end

describe("A symbol file", function()
  local image, gmon_out, lines
  setup(function()
    local at
    image, at = compile(0x20000000)
    gmon_out, lines = profile(0x20000000, at), at
  end)

  -- Writes the symbols, moved by an offset.
  local function moved(offset)
    local text = {}
    for name, address in pairs(lines) do text[#text + 1] = ("%x T %s\n"):format(address + offset, name) end
    return shell.write(shell.tmpdir() .. "/symbols", table.concat(text))
  end

  it("of the profiled code is used", function()
    local result = program.run { "-b", "-p", "-S", moved(0), image, gmon_out }
    assert.same({ 0, "" }, { result.status, result.stderr })
    assert.matches("0%.50 +20 .* fast\n", result.stdout)
  end)

  for _, offset in ipairs { 0x7fff00000000, -0xff00000, 0x3000 } do
    it(("of other code is an error: 0x%x"):format(offset), function()
      local path = moved(offset)
      local result = program.run { "-b", "-p", "-S", path, image, gmon_out }
      assert.same({ 1, "" }, { result.status, result.stdout })
      assert.equal("gprof.lua: " .. path .. ": does not have the symbols of the profiled code",
        result.stderr:match "^gprof.lua: .-code")
    end)
  end
end)
