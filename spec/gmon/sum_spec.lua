-- Sums of profiles: the written file has all records that were read, and files are written atomically.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local LOW <const>, HIGH <const> = 0x1000, 0x1400

local shapes <const> = gmon.shapes()
for _, shape in ipairs(shapes) do
  shape.image = gprof.image(build.craft { target = shape.target, address = LOW, text = HIGH - LOW,
    symbols = { { "first", 0 }, { "second", 0x100 }, { "third", 0x200 }, { "last", 0x300 } } })
end
local default <const> = shapes[5]

local scratch, saved = shell.tmpdir "sum", 0

local function new_name()
  saved = saved + 1
  return ("%s/%d"):format(scratch, saved)
end

local function save(bytes)
  return gmon.write(new_name(), bytes)
end

local function magic(records, shape)
  shape = shape or default
  return gmon.magic { pointer = shape.pointer, big = shape.big, version = shape.version, records = records }
end

local function histogram(bins, changes)
  local record = { kind = "histogram", low = LOW, high = HIGH, bins = bins }
  for key, value in pairs(changes or {}) do
    record[key] = value
  end
  return record
end

local function arc(count, self, from)
  return { kind = "arc", from = from or LOW + 4, self = self or LOW + 0x100, count = count }
end

-- Reads files, given as strings. If shape.mixed_rates is true, their sampling rates may differ.
local function read(shape, ...)
  local paths = {}
  for i, bytes in ipairs { ... } do
    paths[i] = save(bytes)
  end
  if not paths[1] then return gprof.data.new { image = shape.image } end
  paths[#paths + 1] = { mixed_rates = shape.mixed_rates }
  return assert(gprof.data(shape.image, table.unpack(paths)))
end

-- Returns the bytes of the sum of these files.
local function sum(shape, format, ...)
  local path, data = new_name(), read(shape, ...)
  assert.equal(data, data:write(path, format))
  return shell.read(path)
end

-- Sums the records of a file in the current format. Returns the bins keyed by address range, the arcs keyed by their
-- two addresses, the blocks keyed by address, and the number of histograms.
local function totals(bytes, shape)
  local found = { bins = {}, arcs = {}, blocks = {}, histograms = 0 }
  for _, record in ipairs(gmon.parse(bytes, shape).records) do
    if record.kind == "histogram" then
      found.histograms = found.histograms + 1
      local key = ("%x-%x"):format(record.low, record.high)
      local bins = found.bins[key] or {}
      found.bins[key] = bins
      for i = 1, record.bins.n do
        bins[i] = (bins[i] or 0) + record.bins[i]
      end
    elseif record.kind == "arc" then
      local key = ("%x-%x"):format(record.from, record.self)
      found.arcs[key] = (found.arcs[key] or 0) + record.count
    else
      for _, block in ipairs(record) do
        local key = ("%x"):format(block[1])
        found.blocks[key] = (found.blocks[key] or 0) + block[2]
      end
    end
  end
  return found
end

describe("a sum", function()
  for _, shape in ipairs(shapes) do
    it("of one file is that file, " .. shape.name, function()
      local top = shape.pointer == 4 and 0x80000000 or 0xffffffff80000000
      local bytes = magic({
        histogram({ n = 300, [1] = 3, [256] = 65535, [257] = 1, [300] = 9 },
          { low = top, high = top + 600, rate = 1000, dimension = "fifteen letters", abbreviation = "" }),
        histogram({ 1, 2, 3, 4, 5 },
          { low = LOW, high = LOW + 10, rate = 1000, dimension = "fifteen letters", abbreviation = "" }),
        arc(40, LOW + 7, top + 3), arc(0, LOW), arc(0xffffffff),
        { kind = "blocks", { top + 1, 7 }, { LOW + 8, 0xffffffff }, { LOW, 0 } },
      }, shape)
      for _, format in ipairs { false, "auto", "magic" } do
        assert.equal(bytes, sum(shape, format or nil, bytes))
      end
    end)

    it("keeps the records in the order in which they were read, " .. shape.name, function()
      local one = magic({ arc(1, 0x1200), { kind = "blocks", { 0x1010, 1 } },
        histogram({ 1, 2 }, { low = 0x2000, high = 0x2004 }), arc(2, 0x1100) }, shape)
      local other = magic({ histogram({ 5, 6 }, { low = 0x1000, high = 0x1004 }), arc(3, 0x1100), arc(4, 0x1000),
        arc(5, 0x1200), { kind = "blocks", { 0x1000, 2 }, { 0x1010, 3 } },
        histogram({ 7, 8 }, { low = 0x2000, high = 0x2004 }) }, shape)
      assert.equal(magic({ histogram({ 8, 10 }, { low = 0x2000, high = 0x2004 }),
        histogram({ 5, 6 }, { low = 0x1000, high = 0x1004 }), arc(6, 0x1200), arc(5, 0x1100), arc(4, 0x1000),
        { kind = "blocks", { 0x1010, 4 }, { 0x1000, 2 } } }, shape), sum(shape, "magic", one, other))
    end)

    it("splits large bins over several histograms, " .. shape.name, function()
      local one = magic({ histogram { n = 600, [1] = 65535, [300] = 1, [600] = 65535 } }, shape)
      local function check(records, ...)
        local bytes = sum(shape, "magic", ...)
        local found = totals(bytes, shape)
        assert.equal(records, found.histograms)
        assert.same(found, totals(sum(shape, "magic", bytes), shape))
        return found.bins["1000-1400"]
      end
      check(1, one)
      assert.equal(65535 * 2, check(2, one, one)[600])
      local little_more = magic({ histogram { n = 600, [2] = 9, [600] = 1 } }, shape)
      local bins = check(3, one, one, little_more)
      assert.same({ 65535 * 2, 9, 0, 2, 65535 * 2 + 1 }, { bins[1], bins[2], bins[3], bins[300], bins[600] })
      check(1, magic({ histogram { n = 600 } }, shape))
    end)

    it("splits large counts over several arcs, " .. shape.name, function()
      local most, one, none = magic({ arc(0xffffffff) }, shape), magic({ arc(1) }, shape), magic({ arc(0) }, shape)
      assert.equal(most, sum(shape, "magic", most, none))
      assert.equal(magic({ arc(0xffffffff), arc(1) }, shape), sum(shape, "magic", most, one))
      assert.equal(magic({ arc(0xffffffff), arc(0xffffffff) }, shape), sum(shape, "magic", most, none, most))
      local whole = sum(shape, "magic", most, most, one)
      assert.equal(magic({ arc(0xffffffff), arc(0xffffffff), arc(1) }, shape), whole)
      assert.equal(whole, sum(shape, "magic", whole))
    end)

    it("splits large counts over several block entries, " .. shape.name, function()
      local most = magic({ { kind = "blocks", { LOW, 0xffffffff }, { LOW + 8, 3 } } }, shape)
      local expected = shape.pointer == 8 and { kind = "blocks", { LOW, 2 * 0xffffffff }, { LOW + 8, 6 } }
        or { kind = "blocks", { LOW, 0xffffffff }, { LOW, 0xffffffff }, { LOW + 8, 6 } }
      assert.equal(magic({ expected }, shape), sum(shape, "magic", most, most))
    end)

    it("of files in several formats is in the magic format, " .. shape.name, function()
      local old = { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH, bins = { 3, 0, 500, 65535 },
        arcs = { { LOW + 4, LOW + 0x100, 40 } }, rate = 100 }
      local note = gmon.magic { pointer = shape.pointer, big = shape.big, version = 0,
        records = { { kind = "blocks", note = "by hand", { LOW, 5, "a.c", "f", 12 } } } }
      assert.equal(magic({ histogram { 6, 0, 1000, 65535 }, histogram { n = 4, [4] = 65535 }, arc(80),
        { kind = "blocks", { LOW, 5 } } }, shape), sum(shape, nil, gmon.bsd(old), gmon.bsd44(old), note))
    end)
  end

  it("of nothing is an empty profile", function()
    assert.equal(magic {}, sum(default, "magic"))
  end)

  it("keeps the rate of its first histogram", function()
    local shape = setmetatable({ mixed_rates = true }, { __index = default })
    assert.equal(magic { histogram({ 2 }, { rate = 250 }) },
      sum(shape, nil, magic { histogram({ 1 }, { rate = 250 }) }, magic { histogram { 1 } }))
  end)

  -- The reader adds bins in chunks where possible. The result must be the same as if bins were added one by one, for
  -- any number and width of bins.
  for _, shape in ipairs(shapes) do
    it("equals the sum of each bin, " .. shape.name, function()
      math.randomseed(shape.pointer)
      for _, n in ipairs { 1, 255, 256, 257, 511, 512, 1000, 40000 } do
        local expected, files = {}, {}
        for i = 1, 6 do
          local bins = { n = n }
          local dense, most = math.random() < 0.5, math.random() < 0.7 and 65535 or 9
          for bin = 1, n do
            bins[bin] = (dense or math.random(300) == 1) and math.random(0, most) or 0
            expected[bin] = (expected[bin] or 0) + bins[bin]
          end
          files[i] = magic({ arc(i), histogram(bins, { high = LOW + 2 * n }) }, shape)
        end
        local found = totals(sum(shape, nil, table.unpack(files)), shape)
        assert.same(expected, found.bins[("%x-%x"):format(LOW, LOW + 2 * n)])
        assert.equal(21, found.arcs["1004-1100"])
      end
    end)
  end

  it("can exceed 32 bits in all bins", function()
    local full, ones = {}, {}
    for i = 1, 257 do
      full[i], ones[i] = 65535, 1
    end
    local record, one = magic({ histogram(full) }):sub(21), magic({ histogram(ones) }):sub(21)
    local bytes = magic {} .. record:rep(33000) -- 33000 * 65535 ticks exceed 31 bits
    assert.is_true(sum(default, nil, bytes) == bytes)
    local path, data = new_name(), read(default, magic {} .. one, bytes, bytes)
    assert(data:write(path))
    assert.is_true(shell.read(path) == bytes .. record:rep(33000) .. one)
  end)

  -- The reader adds arcs without a lookup while they are in the same order as in the previous file. The result must be
  -- the same as with lookups, for runs of any length, within and across the reader's windows.
  for _, shape in ipairs(shapes) do
    it("finds its arcs in any order, " .. shape.name, function()
      math.randomseed(7)
      local expected, files = {}, {}
      for i = 1, 5 do
        local records, same = {}, ({ 0.8, 0.999, 1, 0.99, 0 })[i]
        for k = 1, 6000 do
          -- `other` is the number of an arc that may replace arc k: either a nearby arc, which may have the same caller
          -- or callee, or any arc.
          local other = math.random() < 0.5 and math.max(k + math.random(-4, 4), 0) or math.random(7500)
          local j = math.random() < same and k or other
          records[k] = math.random() < 0.001 and histogram { k } or arc(j, LOW + j // 3, LOW + j % 3)
          local key = ("%x-%x"):format(LOW + j % 3, LOW + j // 3)
          expected[key] = records[k].kind == "arc" and (expected[key] or 0) + j or expected[key]
        end
        files[i] = magic(records, shape)
      end
      assert.same(expected, totals(sum(shape, nil, table.unpack(files)), shape).arcs)
    end)
  end

  it("counts the records of its files, and rejects an arc count beyond 63 bits", function()
    local records = { arc(1), arc(2, LOW), arc(3, LOW + 8) } -- 21 bytes each, after a header of 20
    local data = read(default, magic(records), magic(records), magic { records[2], records[1], records[3] })
    assert.equal(9, data.arc_records)
    local most = save(gmon.bsd { low = 0, high = 0, arcs = { { LOW + 4, LOW + 0x100, 1 },
      { LOW + 4, LOW, math.maxinteger - 1 }, { LOW + 4, LOW + 8, 1 } } })
    local path = save(magic(records))
    local done, message = gprof.data(default.image, most, path)
    assert.is_nil(done)
    assert.equal(path .. ": count exceeds 63 bits in the record at offset 41", message)
  end)

  it("does not mistake another record for the next arc", function()
    local first, second = arc(1), arc(2, LOW + 0x20)
    local one, like = save(magic { first, second }), magic({ first, second }):sub(42)
    for tag, expected in pairs { [0] = "histogram at offset 41 claims 2 bins, but only 0 bytes follow",
      [3] = "bad tag 3 at offset 41: expected 0 (histogram), 1 (arc) or 2 (block counts)" } do
      local bytes = magic { first } .. string.char(tag) .. like:sub(2) .. (tag == 0 and like:sub(1, 20) or "")
      local path = save(bytes)
      local done, message = gprof.data(default.image, one, path)
      assert.is_nil(done)
      assert.equal(path .. ": " .. expected, message)
    end
  end)
end)

-- BSD formats -------------------------------------------------------------------------------

local tick <const> = tonumber(shell.check { "getconf", "CLK_TCK" }.stdout)

describe("a sum in a BSD format", function()
  local writers <const> = { bsd = gmon.bsd, ["4.4bsd"] = gmon.bsd44 }

  for format, write in pairs(writers) do
    for _, shape in ipairs(shapes) do
      it(("has the format %s, %s"):format(format, shape.name), function()
        local plan = { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH, rate = tick,
          bins = { 3, 0, 500, 65535, 1 }, arcs = { { LOW + 4, LOW + 0x100, 40 }, { LOW + 5, LOW, 0xffffffff } } }
        local records = { histogram(plan.bins, { rate = tick }), arc(40), arc(0xffffffff, LOW, LOW + 5) }
        local bytes = sum(shape, format, magic(records, shape))
        assert.equal(write(plan), bytes)
        assert.equal(magic(records, shape), sum(shape, "magic", bytes))
      end)

      it(("may lack a histogram: %s, %s"):format(format, shape.name), function()
        local plan = { pointer = shape.pointer, big = shape.big, low = 0, high = 0, rate = tick,
          arcs = { { LOW + 4, LOW + 0x100, 40 } } }
        local bytes = sum(shape, format, magic({ arc(40) }, shape))
        assert.equal(write(plan), bytes)
        assert.equal(magic({ arc(40) }, shape), sum(shape, "magic", bytes))
      end)

      it(("splits large counts over several arcs: %s, %s"):format(format, shape.name), function()
        local most = magic({ arc(0xffffffff) }, shape)
        local arcs = shape.pointer == 8 and { { LOW + 4, LOW + 0x100, 2 * 0xffffffff } }
          or { { LOW + 4, LOW + 0x100, 0xffffffff }, { LOW + 4, LOW + 0x100, 0xffffffff } }
        assert.equal(write { pointer = shape.pointer, big = shape.big, low = 0, high = 0, rate = tick, arcs = arcs },
          sum(shape, format, most, most))
      end)
    end
  end

  it("has the histogram's rate in 4.4BSD format", function()
    assert.equal(gmon.bsd44 { low = LOW, high = HIGH, bins = { 1 }, rate = 60 },
      sum(default, "4.4bsd", magic { histogram({ 1 }, { rate = 60 }) }))
  end)

  local version <const> = { 0x1879, 5 }
  -- Unsupported data: name, profile, format (nil: all), message, and shape (nil: the default).
  local refused <const> = {
    { "several histograms", magic { histogram({ 1 }), histogram({ 1 }, { low = 0x2000, high = 0x2400 }) }, nil,
      "which holds one histogram: there are 2" },
    { "bins beyond 16 bits", magic { histogram { 65535 }, histogram { 1 } }, nil,
      "which holds up to 65535 samples in a bin: a bin has more" },
    { "blocks", magic { arc(1), { kind = "blocks", { LOW, 1 } } }, nil, "which cannot hold block counts" },
    { "another unit", magic { histogram({ 1 }, { dimension = "cycles", abbreviation = "c" }) }, nil,
      "which counts seconds only: the histogram counts 'cycles' (c)" },
    { "another abbreviation", magic { histogram({ 1 }, { abbreviation = "t" }) }, nil,
      "which counts seconds only: the histogram counts 'seconds' (t)" },
    { "another rate", magic { histogram({ 1 }, { rate = tick + 1 }) }, "bsd",
      ("which implies a rate of %d: the histogram has %d"):format(tick, tick + 1) },
    { "bins that look like a version", magic { histogram(version, { rate = tick }), arc(1) }, "bsd",
      "it would be mistaken for another format" },
    { "an arc that looks like a version", magic { arc(1, LOW, 0x51879) }, "bsd",
      "it would be mistaken for another format" },
    { "a low address that looks like the other format's name", magic { histogram({ 1 },
      { low = 0x6e6f6d67, high = 0x6e6f6d77, rate = tick }), arc(1) }, nil, "it would be mistaken for another format" },
    { "a nearly empty profile", magic { histogram({ 1 }, { rate = tick }) }, "bsd", "too short to be read again" },
    { "a nearly empty 32-bit profile", magic({ histogram({ 1, 2, 3 }, { rate = tick }) }, shapes[2]), "bsd",
      "too short to be read again", shapes[2] },
    { "impossibly large counts", gmon.bsd { low = 0, high = 0, arcs = { { LOW, LOW, 1 << 62 } } }, "magic",
      "large counts would take 25.8 GB; the limit is 1.0 GB" },
  }
  for _, case in ipairs(refused) do
    it("is rejected for " .. case[1], function()
      local data, path = read(case[5] or default, case[2]), new_name()
      for _, format in ipairs(case[3] and { case[3] } or { "bsd", "4.4bsd" }) do
        local done, message = data:write(path, format)
        assert.is_nil(done)
        assert.equal(("%s: cannot be written as %s%s %s"):format(path, format, case[4]:find "^which" and "," or ":",
          case[4]), message)
        assert.is_false(shell.exists(path))
      end
    end)
  end

  it("is rejected for an unknown format", function()
    assert.has_error(function() read(default):write(new_name(), "polyglot") end,
      "bad argument #2 to 'write' (invalid option 'polyglot')")
  end)
end)

-- Files -------------------------------------------------------------------------------------

local function mode(path)
  return shell.check { "stat", "-c", "%a", path }.stdout:match "%d+"
end

local profile <const> = magic { histogram({ n = 100000, [7] = 3 }, { high = LOW + 400000 }), arc(40) }

-- The script reads arg[2], writes the sum to arg[3] and prints the result.
local writing <const> = [[
  local gprof = require "gprof"
  local image = assert(gprof.image(arg[1]))
  local data = assert(gprof.data(image, arg[2]))
  local done, message = data:write(arg[3])
  io.stderr:write(done and "written" or message, "\n")
]]

local function run(path, options)
  return launch.script(writing, { default.image.path, save(profile), path }, options)
end

describe("the file of a sum", function()
  local data = read(default, profile)

  it("may be one of the files that were read", function()
    local dir = shell.tmpdir()
    local path = gmon.write(dir .. "/gmon.sum", profile)
    assert(assert(gprof.data(default.image, path, path)):write(path))
    assert.equal(magic { histogram({ n = 100000, [7] = 6 }, { high = LOW + 400000 }), arc(80) }, shell.read(path))
    assert.equal("gmon.sum\n", shell.listing(dir))
  end)

  it("has the default permissions if it is new, and otherwise keeps its own", function()
    local path = new_name()
    assert.equal("written\n", run(path, { line = 'umask 027; exec "$@"' }).stderr)
    assert.equal("640", mode(path))
    shell.check { "chmod", "604", path }
    assert.equal("written\n", run(path, { line = 'umask 077; exec "$@"' }).stderr)
    assert.equal("604", mode(path))
    assert.equal(profile, shell.read(path))
  end)

  it("is the target of a symbolic link", function()
    local dir = shell.tmpdir()
    shell.check { "mkdir", dir .. "/sums" }
    for _, pair in ipairs { { "relative", "sums/one" }, { "absolute", dir .. "/sums/two" }, { "twice", "relative" } } do
      local link, target = pair[1], pair[2]
      shell.check { "ln", "-s", target, dir .. "/" .. link }
      assert(data:write(dir .. "/" .. link))
      assert.equal(target .. "\n", shell.check { "readlink", dir .. "/" .. link }.stdout)
      assert.equal(profile, shell.read(dir .. "/" .. link))
    end
    assert.equal("one\ntwo\n", shell.listing(dir .. "/sums"))
    assert.equal("absolute\nrelative\nsums\ntwice\n", shell.listing(dir))
    shell.check { "ln", "-s", "circle", dir .. "/circle" }
    local _, message = data:write(dir .. "/circle")
    assert.equal(dir .. "/circle: cannot be written: Too many levels of symbolic links", message)
  end)

  it("is not written through a prepared file or link with the temporary name", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/precious", "precious")
    -- The shell execs the writing process, which keeps the shell's process id.
    local result = run("gmon.sum", { cwd = dir,
      line = [[for i in 0 1 2; do ln -s precious gmon.sum.$$-$i.tmp; done; exec "$@"]] })
    assert.equal("written\n", result.stderr)
    assert.equal("precious", shell.read(dir .. "/precious"))
    assert.equal(profile, shell.read(dir .. "/gmon.sum"))
    assert.equal("regular file\n", shell.check({ "stat", "-c", "%F", "gmon.sum" }, { cwd = dir }).stdout)
  end)

  it("may be a device or a pipe", function()
    local path, copy = new_name(), new_name()
    shell.check { "mkfifo", path }
    local reader = assert(io.popen(("cat %s >%s"):format(shell.quote(path), shell.quote(copy))))
    assert(data:write(path))
    reader:close() -- waits for the process
    assert.equal(profile, shell.read(copy))
    assert.equal("fifo\n", shell.check { "stat", "-c", "%F", path }.stdout)
    assert.equal(data, data:write("/dev/null"))
  end)

  it("may be standard output, of any type", function()
    for _, name in ipairs { "-", "/dev/stdout" } do
      assert.equal(profile, run(name).stdout)
      assert.equal("before" .. profile .. "after",
        run(name, { line = 'printf before; "$@"; printf after' }).stdout)
      assert.equal(profile, run(name, { line = '"$@" | cat' }).stdout)
    end
    assert.equal("standard output: cannot be written: No space left on device\n",
      run("-", { line = '"$@" >/dev/full' }).stderr)
  end)

  -- Runs the script where writing fails, with an old file and without one. Checks that the directory does not change.
  local function check_failure(expected, dir, options)
    for _, old in ipairs { "an older sum", false } do
      local path = dir .. "/gmon.sum"
      if old then shell.write(path, old) else os.remove(path) end
      local before = shell.listing(dir)
      if options.prepare then options.prepare(path) end
      local result = run(path, options)
      if options.finish then options.finish(path) end
      assert.equal(path .. ": " .. expected .. "\n", result.stderr)
      assert.equal(before, shell.listing(dir))
      assert.equal(old, old and shell.read(path))
    end
  end

  it("is unchanged if the disk is full", function()
    check_failure("cannot be written: File too large", shell.tmpdir(),
      { line = [[trap '' XFSZ; ulimit -f 100; exec "$@"]] })
    local _, message = data:write("/dev/full")
    assert.equal("/dev/full: cannot be written: No space left on device", message)
  end)

  it("is unchanged if the writing process is killed", function()
    local dir = shell.tmpdir()
    local path = shell.write(dir .. "/gmon.sum", "an older sum")
    for _ = 1, 2 do
      local result = run(path, { line = [[ulimit -f 100; exec "$@"]] })
      assert.equal(25, result.signal or result.status - 128, result.stderr) -- SIGXFSZ
      assert.equal("an older sum", shell.read(path))
    end
    assert(data:write(path))
    assert.equal(profile, shell.read(path))
  end)

  it("is unchanged if its directory is write-protected", function()
    local dir = shell.tmpdir()
    check_failure("cannot create a file in its directory: Permission denied", dir, { line = launch.permitted(),
      prepare = function() shell.check { "chmod", "555", dir } end,
      finish = function() shell.check { "chmod", "755", dir } end })
  end)

  it("is unchanged if it is write-protected", function()
    local path = shell.write(new_name(), "an older sum")
    shell.check { "chmod", "444", path }
    assert.equal(path .. ": cannot be written: Permission denied\n", run(path, { line = launch.permitted() }).stderr)
    assert.equal("an older sum", shell.read(path))
  end)

  it("cannot be a directory, or in a missing directory", function()
    local dir = shell.tmpdir()
    for path, expected in pairs { [dir] = "cannot be written: Is a directory",
      [dir .. "/none/gmon.sum"] = "its directory does not exist" } do
      local done, message = data:write(path)
      assert.is_nil(done)
      assert.equal(path .. ": " .. expected, message)
    end
  end)

  it("is not written by closed data", function()
    local closed = read(default, profile)
    closed:close()
    assert.has_error(function() closed:write(new_name()) end, "calling 'write' on bad self (data is closed)")
  end)
end)

-- Reports -----------------------------------------------------------------------------------

describe("reports on a sum", function()
  local function report(runner, image, paths, ...)
    local arguments = { "-b", ... }
    arguments[#arguments + 1] = image
    table.move(paths, 1, #paths, #arguments + 1, arguments)
    local result = runner(arguments)
    assert.equal("", result.stderr)
    return result.stdout
  end

  local runners = { ours = program.run }
  local available, why = oracle.available()
  if available then
    runners["GNU gprof's"] = oracle.run
  else
    pending("GNU gprof's: " .. why)
  end

  -- Checks that the reports on a sum equal the reports on its files.
  local function check(shape, files, formats)
    local paths = {}
    for i, bytes in ipairs(files) do
      paths[i] = save(bytes)
    end
    for _, format in ipairs(formats) do
      local path = new_name()
      assert(assert(gprof.data(shape.image, table.unpack(paths))):write(path, format))
      for _, run_report in pairs(runners) do
        for _, option in ipairs { "-p", "-q" } do
          assert.equal(report(run_report, shape.image.path, paths, option),
            report(run_report, shape.image.path, { path }, option))
        end
      end
    end
  end

  for _, shape in ipairs(shapes) do
    it("equal those on its files, " .. shape.name, function()
      local files = {}
      for i = 1, 4 do
        files[i] = magic({
          histogram { n = 512, [i] = 7, [200 + i] = 100, [300] = 65534 },
          arc(i, 0x1100, 0x1004 + 2 * i), arc(0xfffffff0 + i, 0x1200, 0x1104), arc(1, 0x1300, 0x1204 + i % 2),
        }, shape)
      end
      check(shape, files, { "magic" })
    end)

    it("equal those on its files in BSD formats, " .. shape.name, function()
      local files = {}
      for i = 1, 4 do
        files[i] = gmon.bsd44 { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH, rate = tick,
          bins = { n = 512, [i] = 7, [200 + i] = 100 },
          arcs = { { 0x1004 + 2 * i, 0x1100, i }, { 0x1104, 0x1200, 0xfffffff0 } } }
      end
      check(shape, files, { "bsd", "4.4bsd" })
    end)

    it("equal those on its files without histograms, " .. shape.name, function()
      local files = {}
      for i = 1, 2 do
        files[i] = gmon.bsd44 { pointer = shape.pointer, big = shape.big, low = 0, high = 0, rate = tick,
          arcs = { { 0x1004, 0x1100, i }, { 0x1104, 0x1200, 3 } } }
      end
      local path = new_name()
      assert(read(shape, table.unpack(files)):write(path, "bsd"))
      for name, run_report in pairs(runners) do
        local text = report(run_report, shape.image.path, { path }, "-q")
        assert.truthy(text:find(" 3/3 ", 1, true) and text:find(" 6/6 ", 1, true), name)
      end
    end)
  end

  for _, name in ipairs { "calls", "cycles" } do
    it("equal those on the profile of " .. name, function()
      local built = build.program(name)
      local image = assert(gprof.image(built.image))
      check({ image = image }, { shell.read(built.gmon), shell.read(built.gmon), shell.read(built.gmon) }, { "magic" })
    end)
  end
end)
