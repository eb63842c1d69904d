-- File information: the report of -i and the fields that it uses. GNU gprof prints the same report.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local parity = require "support.parity"
local program = require "support.program"
local programs = require "fixtures.programs"
local shell = require "support.shell"

local image <const> = crafted.image { functions = { "main", "work", "last" } }
local dir <const> = shell.tmpdir()

local histogram <const> = { kind = "histogram", low = 0x1000, high = 0x1040, bins = { 3, 4 } }
local arc <const> = { kind = "arc", from = 0x1004, self = 0x1020, count = 9 }
local blocks <const> = { kind = "blocks", { 0x1000, 1 }, { 0x1020, 9 } }

local function save(name, bytes)
  return gmon.write(dir .. "/" .. name, bytes)
end

local function save_magic(name, records, version)
  return save(name, gmon.magic { records = records, version = version })
end

-- The same samples and calls in the BSD formats.
local bsd <const> = { low = 0x1000, high = 0x1040, bins = { 3, 4 }, arcs = { { 0x1004, 0x1020, 9 } } }

local files <const> = {
  ordinary = save_magic("ordinary", { histogram, arc, arc }),
  nothing = save_magic("nothing", {}),
  samples = save_magic("samples", { histogram, histogram }),
  calls = save_magic("calls", { arc }),
  counts = save_magic("counts", { blocks }),
  all = save_magic("all", { arc, blocks, histogram, blocks, arc, blocks, arc }),
  draft = save_magic("draft", { arc }, 0),
  bsd = save("bsd", gmon.bsd(bsd)),
  bsd44 = save("bsd44", gmon.bsd44(bsd)),
}

-- Returns the expected report about a file.
local function said(name, version, ...)
  local text = ("File `%s' (version %d) contains:\n"):format(files[name] or name, version)
  for i, kind in ipairs { "histogram", "call-graph", "basic-block count" } do
    local count = select(i, ...)
    text = text .. ("\t%d %s record%s\n"):format(count, kind, count == 1 and "" or "s")
  end
  return text
end

local function run(words, options)
  local result = program.run(words, options)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

describe("-i", function()
  it("prints the number of records of each kind in a file", function()
    assert.equal(("File `%s' (version 1) contains:\n\t1 histogram record\n\t2 call-graph records\n" ..
      "\t0 basic-block count records\n"):format(files.ordinary), run { "-i", image, files.ordinary })
    assert.equal(said("nothing", 1, 0, 0, 0), run { "-i", image, files.nothing })
    assert.equal(said("all", 1, 1, 3, 3), run { "--file-info", image, files.all })
    assert.equal(said("draft", 0, 0, 1, 0), run { "-i", image, files.draft })
    assert.equal(said("bsd", 0, 1, 1, 0), run { "-i", image, files.bsd })
    assert.equal(said("bsd44", 0, 1, 1, 0), run { "-i", image, files.bsd44 })
  end)

  it("prints these numbers for each file, in order", function()
    assert.equal(said("samples", 1, 2, 0, 0) .. said("bsd", 0, 1, 1, 0) .. said("samples", 1, 2, 0, 0) ..
      said("-", 1, 0, 1, 0), run({ "-i", image, files.samples, files.bsd, files.samples, "-" },
      { stdin = files.calls }))
  end)

  it("prints other reports only if they are requested", function()
    local info, flat = said("ordinary", 1, 1, 2, 0), run { "-b", "-p", image, files.ordinary }
    assert.equal(info .. "\f\n" .. flat, run { "-b", "-i", "-p", image, files.ordinary })
    assert.equal(info .. "\f\n" .. flat, run { "-b", "-p", "-i", image, files.ordinary })
    assert.equal(info, run { "-i", "-T", image, files.ordinary })
    assert.equal(info, run { "-i", "-P", "-Q", image, files.ordinary })
  end)

  it("accepts a profile of another program", function()
    local foreign = save_magic("foreign", { { kind = "arc", from = 0x9000, self = 0x9100, count = 1 } })
    assert.equal(said(foreign, 1, 0, 1, 0), run { "-i", image, foreign })
    local result = program.run { "-i", "-q", image, foreign }
    assert.same({ "", 1 }, { result.stdout, result.status })
  end)

  it("prints nothing if there is an error in any file", function()
    for _, words in ipairs { { files.ordinary, dir .. "/missing" }, { files.ordinary, save("cut", "gmon\1") } } do
      local result = program.run { "-i", image, table.unpack(words) }
      assert.same({ "", 1 }, { result.stdout, result.status })
      assert.truthy(result.stderr:find("^gprof%.lua: [^\n]+\n$"))
    end
  end)
end)

describe("data.files", function()
  it("has the numbers of records of each file", function()
    local data = assert(gprof.data(assert(gprof.image(image)), files.all, files.bsd, files.bsd44, files.draft))
    assert.same({
      { path = files.all, format = "magic", version = 1, histogram_records = 1, arc_records = 3, block_records = 3 },
      { path = files.bsd, format = "bsd", histogram_records = 1, arc_records = 1, block_records = 0 },
      { path = files.bsd44, format = "4.4bsd", histogram_records = 1, arc_records = 1, block_records = 0 },
      { path = files.draft, format = "magic", version = 0, histogram_records = 0, arc_records = 1, block_records = 0 },
    }, data.files)
    assert(data:read(files.calls))
    assert.equal(files.calls, data.files[5].path)
    assert.same({ 3, 7, 3 }, { data.histogram_records, data.arc_records, data.block_records })
  end)

  it("is empty before a file is read, and closed with the data", function()
    local opened = assert(gprof.image(image))
    local data = gprof.data.new { image = opened }
    assert.same({}, data.files)
    data:close()
    assert.error_matches(function() return data.files end, "closed")
  end)
end)

describe("-i with --gnu-compat", function()
  if not parity.possible(pending) then return end

  local check <const> = parity.check

  it("prints what GNU gprof prints for every file", function()
    for _, file in pairs(files) do
      for _, words in ipairs { { "-i" }, { "-ip" }, { "-iq" }, { "-p", "-iq" }, { "-iTq", "-p" }, { "-iP", "-Q" } } do
        check { "-b", image, file, table.unpack(words) }
      end
    end
  end)

  it("prints what GNU gprof prints for any two files: a missing version is that of the file before", function()
    for _, first in pairs(files) do
      for _, second in pairs(files) do
        check { "-i", image, first, second }
      end
    end
    check({ "-i", image, files.ordinary, "-", files.bsd }, { stdin = files.draft })
  end)

  it("prints what GNU gprof prints for the programs", function()
    for _, entry in ipairs(programs) do
      if build.supported(entry.name) then
        local built = build.program(entry.name)
        check({ "-b", "-i", "-q", built.image }, { cwd = built.dir })
      end
    end
  end)

  it("prints what GNU gprof prints for random profiles", function()
    math.randomseed(1)
    local subject = chance.image()
    for _ = 1, 40 do
      local file = save("random", (chance.profile(subject)))
      check { "-b", chance.pick { "-i", "-ip", "-iTq" }, subject.image, file }
    end
  end)
end)
