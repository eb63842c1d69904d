-- Randomly damaged files of the rarer kinds: profiles of shared libraries and of System V, with and without a slide,
-- debugging files, packed symbols, function descriptors. Each gives a report or a one-line message.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local foreign = require "support.foreign"
local gmon = require "support.gmon"
local gprof = require "gprof"
local shell = require "support.shell"

local repeatedly <const> = chance.cases(1, 40)
local random <const> = math.random
local LOW <const> = 0x1000

local dir <const> = shell.tmpdir "damaged"
local crafted <const> = build.craft { address = LOW, text = 0x100,
  symbols = { { "open", 0 }, { "read", 0x40 }, { "shut", 0x80 } } }

local changes <const> = {
  function(bytes, at) return bytes:sub(1, at - 1) end,
  function(bytes, at) return bytes:sub(1, at - 1) .. string.char(random(0, 255)) .. bytes:sub(at + 1) end,
  function(bytes, at) return bytes:sub(1, at - 1) .. ("\xff"):rep(random(8)) .. bytes:sub(at + 8) end,
  function(bytes, at) return bytes:sub(1, at - 1) .. ("\0"):rep(random(8)) .. bytes:sub(at + 8) end,
  function(bytes, at) return bytes:sub(1, at) .. bytes:sub(random(#bytes), -1) end,
}

local function damage(bytes)
  for _ = 1, random(4) do
    if #bytes > 1 then bytes = chance.pick(changes)(bytes, random(#bytes)) end
  end
  return bytes
end

-- Prints the reports of an image and data; returns nil and a message on failure.
local function report(path, profile, options)
  local image, message = gprof.image(path)
  if not image then return nil, message end
  local data
  data, message = gprof.data(image, profile, options or {})
  if not data then return nil, message end
  local made
  made, message = gprof.profile(image, data, { line = random(2) == 1 or nil })
  if not made then return nil, message end
  made:verify()
  made:report(chance.pick { "flat", "graph" }, {}, function() end)
  return true
end

local function check(repeated, ...)
  local done, message = report(...)
  assert.is_true(done or #message > 0 and not message:find "\n", repeated .. tostring(message))
end

-- Repeatedly writes a damaged copy over the file and calls `ask`.
local function try(path, bytes, ask)
  repeatedly(function(repeated, seed)
    math.randomseed(seed)
    shell.write(path, damage(bytes))
    ask(repeated)
  end)
end

local function slide() return chance.pick { "auto", 0x1000, -0x1000, math.maxinteger, math.mininteger } end

local shared <const> = gmon.shared { low = LOW, high = LOW + 0x100, bins = { n = 64, [17] = 20 }, room = 40,
  arcs = { { 0, 0, 3 }, { 4, 0x40, 9 }, { 0, 0x40, 2 } } }
local mon <const> = gmon.mon { low = LOW, high = LOW + 0x100, bins = { 1, 2, 0, 600 },
  counters = { { LOW + 4, 7 }, { LOW + 0x46, 70000 }, { 0, 0 } } }

describe("a damaged file gives a report or a message:", function()
  it("the profile of a shared library", function()
    local path = dir .. "/libx.so.profile"
    try(path, shared, function(repeated) check(repeated, crafted, path) end)
  end)

  it("a mon.out", function()
    local path = dir .. "/mon.out"
    try(path, mon, function(repeated) check(repeated, crafted, path, { file_format = "prof" }) end)
  end)

  it("either of these, with a slide", function()
    for format, bytes in pairs { magic = shared, prof = mon } do
      local path = dir .. "/moved"
      try(path, bytes, function(repeated)
        check(repeated, crafted, path, { file_format = format, slide = slide() })
      end)
    end
  end)
end)

describe("an image gives a report or a message with a damaged", function()
  local built = build.program "calls"
  local image = dir .. "/image"
  shell.check { "objcopy", "--only-keep-debug", built.image, dir .. "/whole" }

  local function strip(...)
    shell.check { "strip", "-s", "-o", image, built.image }
    shell.check { "objcopy", ... }
  end

  it("debugging file", function()
    shell.check { "cp", dir .. "/whole", dir .. "/kept" }
    strip("--add-gnu-debuglink=" .. dir .. "/kept", image)
    try(dir .. "/kept", shell.read(dir .. "/whole"), function(repeated) check(repeated, image, built.gmon) end)
  end)

  it("table of packed symbols", function()
    shell.check { "objcopy", "-S", "--keep-symbol=main", dir .. "/whole", dir .. "/small" }
    local small = shell.read(dir .. "/small")
    try(dir .. "/packed", small, function(repeated)
      shell.check({ "sh", "-c", "xz -f -k packed" }, { cwd = dir })
      if random(2) == 1 then shell.write(dir .. "/packed.xz", damage(shell.read(dir .. "/packed.xz"))) end
      strip("--remove-section=.note.gnu.build-id", "--add-section", ".gnu_debugdata=" .. dir .. "/packed.xz", image)
      check(repeated, image, built.gmon)
    end)
  end)

  it("section of descriptors or section table", function()
    local path = foreign.descriptors({ 0x1010, 0x1040, 0x1080 }, { { "first", ".opd", 0x20000 },
      { "second", ".opd", 0x20018, "function,local" }, { "alias", ".opd", 0x20018, "function,weak" } })
    local profile = gmon.write(dir .. "/big.out", gmon.magic { big = true, records = {
      { kind = "histogram", low = LOW, high = LOW + 0x100, bins = { n = 64, [17] = 20 } },
      { kind = "arc", from = LOW + 0x14, self = LOW + 0x40, count = 4 } } })
    try(image, shell.read(path), function(repeated) check(repeated, image, profile) end)
  end)
end)
