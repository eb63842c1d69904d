-- Compares the direct calls that objdump shows in an image with the static arcs of a profile.
-- SPDX-License-Identifier: GPL-3.0-or-later

local foreign = require "support.foreign"
local launch = require "support.launch"
local shell = require "support.shell"

local direct = {}

-- Writes "SITE TARGET", in hexadecimal, for each direct call that objdump shows. The operands of a direct call
-- end in an address and a symbol; the operands of an indirect call contain "*" or a register.
local function write_sites(image, tools, mnemonics)
  local text = shell.check({ tools .. "objdump", "-d", "--no-show-raw-insn", "-w", image },
    { env = { LC_ALL = "C" } }).stdout
  local lines = {}
  for site, words in text:gmatch "\n +(%x+):\t([^\n]*)" do
    for mnemonic in mnemonics:gmatch "%S+" do
      -- The mnemonic may follow prefixes.
      local operands = (" " .. words):match("%s" .. mnemonic .. "%s+([^*]+)$")
      local target = operands and operands:match "%f[%x](%x+) <[^<>]*>$"
      lines[#lines + 1] = target and site .. " " .. target .. "\n" or nil
    end
  end
  return shell.write(shell.tmpdir "sites" .. "/sites", table.concat(lines)), #lines
end

-- Prints pairs of function addresses: "shown" for each call in objdump's output, "found" for each arc of the static
-- call graph. The profile has no records, so all its arcs were found in the code.
local script <const> = [[
  local gprof = require "gprof"
  local image = assert(gprof.image(arg[1]))
  local data = gprof.data.new { image = image }
  local plain, entries = assert(gprof.profile(image, data)), {}
  for address in plain:functions("address", "address") do
    entries[address] = true
  end
  for line in io.lines(arg[2]) do
    local site, target = line:match "(%x+) (%x+)"
    site, target = tonumber(site, 16), tonumber(target, 16)
    local caller = entries[target] and plain:lookup(site)
    if caller then
      print("shown", ("%x -> %x"):format(caller.address, target))
    end
  end
  local profile = assert(gprof.profile(image, data, { static_call_graph = true }))
  for f in profile:functions("address") do
    for arc in f:callees() do
      assert(arc.count == 0)
      print("found", ("%x -> %x"):format(f.address, arc.callee.address))
    end
  end
]]

local function missing(wanted, present)
  local list = {}
  for pair in pairs(wanted) do
    if not present[pair] then
      list[#list + 1] = pair
    end
  end
  table.sort(list)
  return list
end

--- Compares the calls that the library finds in an image with the calls that objdump shows.
-- @tparam string image path
-- @tparam[opt] table machine for an image of another machine: `core`, the name of the core's directory below build;
--   `tools`, the prefix of its objdump; `calls`, the mnemonics of direct calls, separated by blanks
-- @treturn {string,...} pairs "CALLER -> CALLEE" (addresses) that only objdump shows
-- @treturn {string,...} pairs that only the library finds
-- @treturn integer number of pairs that the library finds
-- @treturn integer number of call instructions that objdump shows
function direct.compare(image, machine)
  machine = machine or { tools = "", calls = "call" }
  local sites, instructions = write_sites(image, machine.tools, machine.calls)
  local result = machine.core and foreign.script(machine.core, script, { image, sites })
    or launch.script(script, { image, sites })
  assert(result.status == 0, result.stderr)
  local sets, count = { shown = {}, found = {} }, 0
  for kind, pair in result.stdout:gmatch "(%a+)\t([^\n]+)" do
    sets[kind][pair] = true
    count = count + (kind == "found" and 1 or 0)
  end
  return missing(sets.shown, sets.found), missing(sets.found, sets.shown), count, instructions
end

return direct
