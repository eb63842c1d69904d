-- Profiles of shared libraries, which the dynamic linker writes for LD_PROFILE: the profile of a fixture with known
-- calls, the profile of a system library, and crafted profiles in every byte order and pointer size. The specs test
-- reports, sums, and errors in damaged files.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local gprof = require "gprof"
local library = require "support.library"
local program = require "support.program"
local shell = require "support.shell"

local built <const> = library.build("library", "program")
local path <const> = library.profile(built.program, built.name)
library.put_samples(path, build.address(built.image, "work"))

-- The calls in spec/fixtures/shared: caller, callee, calls.
local calls <const> = {
  "<outside> down 1", "<outside> through 2", "<outside> twice 50", "<outside> work 5", "down down 4", "twice work 100",
}

local function load(image, ...)
  image = assert(gprof.image(image))
  return assert(gprof.profile(image, ... and assert(gprof.data(image, ...)) or gprof.data.new { image = image }))
end

-- Runs the program. It must succeed, and print nothing but the report.
local function report(...)
  local result = program.run({ ... }, { cwd = built.dir })
  assert.same({ 0, "" }, { result.status, result.stderr })
  return result.stdout
end

-- The advice about files that end too early.
local AGAIN <const> = ": the file is incomplete, run the program again"

local function check_failure(message, ...)
  local result = program.run({ ... }, { cwd = built.dir })
  assert.same({ 1, "", "gprof.lua: " .. message .. "\n" }, { result.status, result.stdout, result.stderr })
end

-- Returns the number of samples in profile data.
local function samples_of(data)
  local sum = 0
  for histogram in data:histograms() do
    for _, count in histogram:bins() do
      sum = sum + count
    end
  end
  return sum
end

describe("the profile of a library", function()
  local profile = load(built.image, path)

  it("has all calls; those from outside have the caller <outside>", function()
    assert.same(calls, library.arcs(profile))
    assert.is_true(profile.data.shared)
    assert.equal(0, profile.data.uncounted)
    assert.same({ "magic", 0x1ffff }, { profile.data.files[1].format, profile.data.files[1].version })
  end)

  it("has samples only in the library's code", function()
    assert.equal(samples_of(profile.data), profile.total_ticks)
    assert.truthy(profile.total_ticks > 0)
    assert.equal("work", profile:functions("self")().name)
  end)

  it("has <outside> as a function without code that inherits all time", function()
    local outside = profile:node(profile.outside)
    assert.same({ "<outside>", 0, 0, 0 }, { outside.name, outside.size, outside.calls, outside.self })
    assert.is_nil(outside.file)
    assert.near(profile.total, outside.children, 1e-9)
    assert.is_nil(profile:lookup(outside.address - 1) == outside or nil)
    assert.equal(outside, profile:find "<outside>")
  end)

  it("has a function for the PLT stubs", function()
    local plt = profile:find "<plt>"
    assert.equal((build.section(built.image, ".plt")), plt.address)
    assert.equal(plt, profile:lookup(plt.address + 20))
  end)

  it("lacks <outside> if there are no calls from outside", function()
    local plain = load(build.craft { text = 16, symbols = { { "f", 0 } } })
    assert.is_nil(plain.outside)
    assert.is_false(plain.data.shared)
  end)

  it("accumulates over several runs in the linker's file", function()
    local again = library.profile(built.program, built.name)
    shell.check({ built.program }, { cwd = built.dir, env = { LD_PROFILE = built.name,
      LD_PROFILE_OUTPUT = again:match "^(.*)/" } })
    local twice = {}
    for i, call in ipairs(calls) do
      twice[i] = call:gsub("%d+$", function(count) return math.tointeger(2 * count) end)
    end
    assert.same(twice, library.arcs(load(built.image, again)))
  end)
end)

describe("reports", function()
  it("print calls, time, and who called", function()
    local flat, graph = report("-b", "-p", built.image, path), report("-b", "-q", built.image, path)
    assert.truthy(flat:find "\n%s*[%d.]+%s+[%d.]+%s+[%d.]+%s+105%s+[%d.]+%s+[%d.]+  work\n")
    assert.is_nil(flat:find "<outside>")
    assert.truthy(graph:find "<spontaneous>\n%[%d+%]%s+100.0%s+0.00%s+[%d.]+%s+<outside> %[%d+%]\n")
    assert.truthy(graph:find "[%d.]+%s+[%d.]+%s+50/50%s+twice %[%d+%]\n")
    assert.truthy(graph:find "100/105%s+twice %[%d+%]\n")
    assert.truthy(graph:find "5/105%s+<outside> %[%d+%]\n")
    assert.truthy(graph:find "1%+4%s+down %[%d+%]\n")
    assert.truthy(graph:find "%[%d+%] <outside>%s")
  end)

  it("use the library's debugging information for lines", function()
    local counts = report("-C", built.image, path)
    assert.truthy(counts:find "/library.c:%d+: %(work:0x%x+%) 105 executions\n")
    assert.truthy(counts:find "/library.c:%d+: %(twice:0x%x+%) 50 executions\n")
    assert.truthy(report("-b", "-l", "-p", built.image, path):find "work %(library.c:%d+ @ %x+%)\n")
    assert.truthy(report("-b", "-l", "-q", built.image, path):find "5/105%s+<outside> %[%d+%]\n")
    assert.truthy(report("-A", built.image, path):find " 105 %-> ")
  end)

  it("omit <outside> from function orders and from the list of functions never called", function()
    local order = report("-r", built.image, path)
    assert.truthy(order:find "%f[^\n\0]work\n")
    assert.is_nil(order:find "outside")
    assert.is_nil(order:find "\n\n")
    for _, style in ipairs { "-p", "-C" } do
      local unused = report("-b", "-z", style, built.image, path)
      assert.truthy(unused:find "idle")
      assert.is_nil(unused:find "outside")
    end
  end)

  it("accept <outside> in symspecs", function()
    assert.truthy(report("-b", "-q<outside>", "-e", "twice", built.image, path):find "<outside> %[%d+%]\n")
    assert.is_nil(report("-b", "-q", "-k", "<outside>/twice", built.image, path):find "50/50")
  end)

  it("export the profile in every format", function()
    for _, kind in ipairs { "callgrind", "json", "csv", "dot", "pprof", "folded", "speedscope" } do
      local file = ("%s/%s"):format(shell.tmpdir(), kind)
      assert.equal("", report("--export=" .. kind .. ":" .. file, built.image, path))
      assert.truthy(shell.read(file):find(kind == "pprof" and "\x1f\x8b" or "twice", 1, true) or kind == "pprof")
    end
    local json = report("--export=json", built.image, path)
    assert.truthy(json:find '"<outside>"')
    assert.truthy(json:find '"down"')
  end)

  it("are the same with debugging information in another file", function()
    local dir = shell.tmpdir()
    local debugging, stripped = dir .. "/library.debug", dir .. "/stripped.so"
    shell.check { "objcopy", "--only-keep-debug", built.image, debugging }
    shell.check { "strip", "-o", stripped, built.image }
    assert.equal(report("-b", built.image, path), report("-b", debugging, path))
    shell.check { "objcopy", "--add-gnu-debuglink=" .. debugging, stripped }
    assert.equal(report("-b", built.image, path), report("-b", stripped, path))
  end)

  it("show exported functions if the library has no other symbols", function()
    local stripped = shell.tmpdir() .. "/alone.so"
    shell.check { "strip", "-o", stripped, built.image }
    assert.truthy(report("-b", "-p", stripped, path):find " twice\n")
  end)

  it("are rejected under --gnu-compat, as GNU gprof cannot read these profiles", function()
    local message = path .. ": is a shared library's profile, which GNU gprof does not read"
    check_failure(message, "--gnu-compat", built.image, path)
    check_failure(message, "--gnu-compat", "--sum-file=" .. shell.tmpdir() .. "/sum", built.image, path)
  end)
end)

describe("sums", function()
  it("equal the sum of their parts when read back", function()
    local dir = shell.tmpdir()
    local sum, again = dir .. "/sum", dir .. "/again"
    report("--sum-file=" .. sum, built.image, path, path, path)
    local parts, back = load(built.image, path, path, path), load(built.image, sum)
    assert.same(library.arcs(parts), library.arcs(back))
    assert.equal(samples_of(parts.data), samples_of(back.data))
    assert.is_true(back.data.shared)
    assert.equal(report("-b", built.image, path, path, path), report("-b", built.image, sum))
    report("--sum-file=" .. again, built.image, sum, sum)
    report("--sum-file=" .. sum, built.image, path, path, path, path, path, path)
    assert.equal(shell.read(sum), shell.read(again))
  end)

  it("are read by GNU gprof, except for calls from outside", function()
    local sum = shell.tmpdir() .. "/sum"
    report("--sum-file=" .. sum, built.image, path)
    local told = shell.check({ "/usr/bin/gprof", "-b", "-p", built.image, sum }, { env = { LC_ALL = "C" } }).stdout
    assert.truthy(told:find "%s100%s+[%d.]+%s+[%d.]+%s+work\n")
  end)

  it("are the same whether made by one process or by several", function()
    local dir = shell.tmpdir()
    local plain, jobs, kept = dir .. "/plain", dir .. "/jobs", dir .. "/kept"
    report("--sum-file=" .. plain, built.image, path, path, path, path)
    report("--sum-file=" .. jobs, "--jobs=2", built.image, path, path, path, path)
    report("--sum-file=" .. kept, "--keep-going", built.image, path, path, path, path)
    assert.equal(shell.read(plain), shell.read(jobs))
    assert.equal(shell.read(plain), shell.read(kept))
  end)

  it("cannot be written in a BSD format, which lacks the mark for shared libraries", function()
    local sum = shell.tmpdir() .. "/sum"
    for name, letter in pairs { bsd = "bsd", ["4.4bsd"] = "4.4bsd" } do
      check_failure(("%s: cannot be written as %s, which cannot hold profiles of shared libraries"):format(sum, name),
        "--sum-file=" .. sum, "--file-format=" .. letter, built.image, path)
      assert.is_false(shell.exists(sum))
    end
  end)
end)

describe("calls that the linker had no room for", function()
  local crowded = library.build("crowded", "crowding")
  local full = library.profile(crowded.program, crowded.name)

  -- Returns the number of counted calls: the calls to f, and 30 from outside.
  local function counted(profile)
    local f = profile:find "f"
    return f.calls + 30
  end

  it("are reported, with their exact number", function()
    local profile = load(crowded.image, full)
    assert.truthy(profile.data.uncounted > 0)
    assert.equal(30 * 150 + 30, counted(profile) + profile.data.uncounted)
    local result = program.run { "-b", crowded.image, full }
    assert.equal(("gprof.lua: warning: %s: the dynamic linker had no room to count %d calls\n"):format(full,
      profile.data.uncounted), result.stderr)
  end)

  it("are added up and stored in sums", function()
    local one, sum = load(crowded.image, full).data.uncounted, shell.tmpdir() .. "/sum"
    assert.equal(0, program.run({ "--sum-file=" .. sum, crowded.image, full, full, full }).status)
    assert.equal(3 * one, load(crowded.image, sum).data.uncounted)
    assert.equal(6 * one, load(crowded.image, sum, sum).data.uncounted)
    local data = load(crowded.image, full).data
    assert.equal(2 * one, data:merge(load(crowded.image, full).data).uncounted)
    assert.equal(3 * one, data:add_file(full).uncounted)
  end)
end)

describe("a system library", function()
  it("is shown with its symbols", function()
    local dir = shell.tmpdir "system"
    local made = shell.run({ "gcc", "-fsanitize=signed-integer-overflow", "-Wl,-z,lazy", "-o", dir .. "/overflows",
      build.fixture "shared/overflows.c" }, { cwd = dir })
    if made.status ~= 0 then
      return pending "needs gcc's libubsan"
    end
    local told = shell.check({ "ldd", dir .. "/overflows" }).stdout
    local name, image = told:match "(libubsan%.so%.%d+) => (%S+)"
    if not name or not shell.check({ "readelf", "-SW", image }).stdout:find "%.symtab" then
      return pending "needs a libubsan with symbols"
    end
    local profile = load(image, library.profile(dir .. "/overflows", name))
    assert.truthy(profile.outside)
    local handler = profile:find "__ubsan_handle_add_overflow"
    local arc = handler:callers()()
    assert.same({ 7, "<outside>", 7 }, { handler.calls, arc.caller.name, arc.count })
  end)
end)

-- Crafted ------------------------------------------------------------------------------------

local LOW <const>, HIGH <const> = 0x1000, 0x1100

-- Returns the bytes of a library's profile with calls between the crafted image's functions. `changes` overrides fields
-- of the profile.
local function crafted(shape, changes)
  local plan = { pointer = shape.pointer, big = shape.big, low = LOW, high = HIGH,
    bins = { n = 64, [17] = 5, [33] = 65534 }, arcs = { { 0, 0x40, 3 }, { 0x44, 0x80, 0xffffffff } }, room = 200 }
  for name, value in pairs(changes or {}) do
    plan[name] = value
  end
  return gmon.shared(plan)
end

local function image_of(shape)
  return build.craft { target = shape.target, address = LOW, text = 0x100,
    symbols = { { "first", 0 }, { "second", 0x40 }, { "third", 0x80 } } }
end

local function save(bytes)
  return gmon.write(shell.tmpdir "crafted" .. "/libcrafted.so.profile", bytes)
end

for _, shape in ipairs(gmon.shapes()) do
  describe("a crafted profile, " .. shape.name, function()
    local image = image_of(shape)
    local bytes = crafted(shape)
    local file = save(bytes)

    it("is read", function()
      local profile = load(image, file)
      assert.same({ "<outside> second 3", "second third 4294967295" }, library.arcs(profile))
      assert.same({ 5, 65534 }, { profile:find("second").self * 100, profile:find("third").self * 100 })
    end)

    it("is summed beyond the largest count of a record", function()
      local sum = shell.tmpdir() .. "/sum"
      assert.same({ 0, "", "" }, { (function(r) return r.status, r.stdout, r.stderr end)(
        program.run { "--sum-file=" .. sum, image, file, file, file }) })
      local profile = load(image, sum)
      assert.same({ "<outside> second 9", "second third 12884901885" }, library.arcs(profile))
      assert.equal(3 * (65534 + 5), samples_of(profile.data))
      for _, record in ipairs(gmon.parse(shell.read(sum):gsub("^(gmon....)" .. ("."):rep(12), "%1" .. ("\0"):rep(12)),
        shape).records) do
        assert.truthy(record.kind == "histogram" or record.kind == "arc")
      end
    end)

    it("is rejected if truncated, unless only unused room is missing", function()
      local opened, whole = assert(gprof.image(image)), library.arcs(load(image, file))
      local needed, cut = #bytes - 200, save ""
      for length = 0, #bytes do
        gmon.write(cut, bytes:sub(1, length))
        local data, message = gprof.data(opened, cut)
        if length < needed then
          assert.is_nil(data)
          assert.truthy(message:find("^" .. cut:gsub("%p", "%%%0") .. ": [^\n]+$"), message)
        else
          assert.same(whole, library.arcs(gprof.profile(opened, data)))
        end
      end
    end)

    it("is rejected if it has the other byte order", function()
      local other = save(crafted { pointer = shape.pointer, big = not shape.big })
      check_failure(("%s: is %s-endian, but the program is %s-endian"):format(other, shape.big and "little" or "big",
        shape.big and "big" or "little"), image, other)
    end)

    it("is rejected if it has the other pointer size", function()
      local other = save(crafted { pointer = 12 - shape.pointer, big = shape.big })
      local result = program.run { image, other }
      assert.equal(1, result.status)
      assert.equal("", result.stdout)
      assert.truthy(result.stderr:find("^gprof.lua: " .. other:gsub("%p", "%%%0") .. ": [^\n]+\n$"),
        result.stderr)
    end)

    local bad = {
      { { tags = { 1, 1 } }, "bad tag 1 at offset 20 of a shared library's profile: expected 0 (the histogram)" },
      { { tags = { 0, 2 } }, "bad tag 2 at offset %d of a shared library's profile: expected 1 (the arcs)", 0 },
      { { arcs = { { 0, 0x100, 1 } } },
        "the arc at offset %d calls offset 0x100, past the end of the code (0x100 bytes)", 8 },
      { { claimed = 0 }, "has unexpected data after the arcs, at offset %d",
        8 + shape.pointer + (shape.big and shape.pointer - 1 or 0) },
      { { claimed = 0xffffffff, room = 0 }, "ends in the middle of the arc at offset %d" .. AGAIN,
        8 + 2 * (2 * shape.pointer + 4) },
      { { high = LOW }, "histogram at offset 20 covers no text: 0x1000 to 0x1000" },
      { { rate = 0 }, "histogram at offset 20 has samples, but a rate of 0" },
      { { version = 3 }, "unsupported version 3: expected 0 or 1" },
    }
    for _, case in ipairs(bad) do
      it("is rejected: " .. case[2]:match "^[^%%]+", function()
        local damaged = save(crafted(shape, case[1]))
        local message = case[2]:format(20 + 4 + 2 * shape.pointer + 24 + 128 + (case[3] or 0))
        check_failure(damaged .. ": " .. message, image, damaged)
      end)
    end

    it("takes memory according to its size, not to the sizes in its header", function()
      local damaged = bytes:sub(1, 24 + 2 * shape.pointer) ..
        (shape.big and ">I4" or "<I4"):pack(0xffffffff) .. bytes:sub(24 + 2 * shape.pointer + 5)
      damaged = save(damaged)
      local after = 20 + 4 + 2 * shape.pointer + 24
      check_failure(("%s: histogram at offset 20 claims 4294967295 bins, but only %d bytes follow%s"):format(damaged,
        #bytes - after, AGAIN), image, damaged)
      local greedy = save(crafted(shape, { claimed = 0xffffffff }))
      local profile = load(image, greedy)
      assert.equal(0xffffffff - 2, profile.data.uncounted)
    end)
  end)
end

describe("a profile of another library", function()
  local shape = gmon.shapes()[5]
  local image = image_of(shape)

  it("is rejected because its range does not match", function()
    local far = save(crafted(shape, { low = 0x2000, high = 0x2100 }))
    check_failure(("%s: does not belong to %s: the profile covers addresses 0x2000 to 0x2100, " ..
      "the code is at 0x1000 to 0x1100")
      :format(far, image), image, far)
    local short = save(crafted(shape, { high = 0x10c0 }))
    check_failure(("%s: does not belong to %s: the profile covers addresses 0x1000 to 0x10c0, " ..
      "the code is at 0x1000 to 0x1100")
      :format(short, image), image, short)
  end)

  it("is rejected if most callees are not the start of a function", function()
    local other = save(crafted(shape, { arcs = { { 0, 0x40, 1 }, { 0, 0x50, 1 }, { 0, 0x90, 1 } } }))
    local message = ("%s: does not belong to this build of %s: 2 of 3 called addresses, such as 0x1050, " ..
      "are not function entries"):format(other, image)
    check_failure(message, image, other)
    check_failure(message, "-l", image, other)
  end)

  it("is rejected if the callees are functions that only a program has", function()
    local own = build.craft { address = LOW, text = 0x100, target = shape.target,
      symbols = { { "_start", 0 }, { "main", 0x40 }, { "third", 0x80 } } }
    local of_program = save(crafted(shape, { arcs = { { 0, 0, 1 }, { 0, 0x40, 1 }, { 0, 0x80, 1 } } }))
    check_failure(("%s: does not belong to this build of %s: 2 of 3 called addresses, such as 0x1000, " ..
      "are not function entries"):format(of_program, own), own, of_program)
  end)

  it("causes a warning if some callees are not the start of a function", function()
    local some = save(crafted(shape, { arcs = { { 0, 0x40, 1 }, { 0, 0x80, 1 }, { 0, 0x90, 1 } } }))
    local result = program.run { "-b", image, some }
    assert.same({ 0, ("gprof.lua: warning: %s: 1 of 3 called addresses are not function entries of %s\n"):format(some,
      image) }, { result.status, result.stderr })
    assert.matches("\ngprof.lua: hint: the profile may be from another build, or symbols may have been stripped\n",
      program.run({ "-p", image, some }).stderr, 1, true)
  end)
end)

it("a caller out of range counts as <outside>", function()
  local shape = gmon.shapes()[5]
  local file = save(crafted(shape, { arcs = { { 0x100, 0x40, 1 }, { math.mininteger, 0x40, 2 } } }))
  assert.same({ "<outside> second 3" }, library.arcs(load(image_of(shape), file)))
end)
