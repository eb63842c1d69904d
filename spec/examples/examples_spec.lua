-- The scripts in examples/: their output for programs with known calls, samples and lines, and their errors.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local output = require "gprof.output"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local examples <const> = program.root .. "/examples/"

-- Runs an example with a time limit, which stops endless loops.
local function run(name, arguments, options)
  options = options or {}
  options.timeout = true
  return launch.copy(options.script or examples .. name .. ".lua", arguments, options)
end

-- Runs an example that must succeed without messages, and returns its output.
local function printed(name, arguments, options)
  local result = run(name, arguments, options)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

local function refuses(message, name, arguments, options)
  local result = run(name, arguments, options)
  assert.same({ ("%s.lua: %s\n"):format(name, message), "", 1 }, { result.stderr, result.stdout, result.status })
end

local function files(plan)
  return crafted.image(plan), crafted.gmon(plan)
end

-- A profile with calls but no histogram, and one with a histogram but no samples.
local calls_only <const> = { functions = { "main", "f" }, calls = { { "main", "f", 1 } } }
local idle <const> = { functions = { "main", "f" }, ticks = {} }

-- A call graph of layers with two functions each. Each function calls both functions of the next layer; the last layer
-- has all of the time. There are 2 ^ layers call paths.
local function ladder(layers)
  local plan = { functions = { "main" }, calls = {}, ticks = {} }
  local above = { "main" }
  for layer = 1, layers do
    local here = { "left" .. layer, "right" .. layer }
    for _, callee in ipairs(here) do
      table.insert(plan.functions, callee)
      for _, caller in ipairs(above) do table.insert(plan.calls, { caller, callee, 1 }) end
    end
    above = here
  end
  plan.ticks[above[1]], plan.ticks[above[2]] = 500, 500
  return plan
end

describe("every example", function()
  local image, profile = files(crafted.example)
  local bb = "File a.c, 1 basic block\nBlock #1: executed 1 time(s) address= 0x1000\n"
  local perf = ("main 1 1.5: 1 cycles: 1000 main+0x0 (%s)\n"):format(image)
  local cases <const> = {
    { "bbconv", "IMAGE < bb.out > PROFILE", { image }, stdin = bb },
    { "by_file", "IMAGE PROFILE...", { image, profile } },
    { "call_chains", "FORMAT IMAGE PROFILE...", { "lld", image, profile } },
    { "callers", "FUNCTION IMAGE PROFILE...", { "leaf", image, profile } },
    { "gate", "PERCENT OLD_IMAGE OLD_PROFILE IMAGE PROFILE...", { "5", image, profile, image, profile } },
    { "hot_paths", "IMAGE PROFILE...", { image, profile } },
    { "perf2gmon", "IMAGE PREFIX", { image, shell.tmpdir() .. "/gmon" }, stdin = perf, before = "perf script | " },
    { "shards", "directory|prefix OUT IMAGE PROFILE...", { "prefix", shell.tmpdir(), image, profile } },
    { "top", "N IMAGE PROFILE...", { "3", image, profile } },
    { "tree", "DEPTH PERCENT IMAGE PROFILE...", { "3", "5", image, profile } },
    { "unused", "IMAGE PROFILE...", { image, profile } },
  }

  local function options(case, more)
    more = more or {}
    more.stdin = case.stdin and shell.write(shell.tmpdir() .. "/input", case.stdin)
    return more
  end

  -- Returns the case's arguments with another image.
  local function with_image(case, path)
    local arguments = {}
    for i, argument in ipairs(case[3]) do arguments[i] = argument == image and path or argument end
    return arguments
  end

  for _, case in ipairs(cases) do
    local name = case[1]

    it("works in any directory, and with an installed library: " .. name, function()
      local expected = printed(name, case[3], options(case))
      local companion = options(case, { script = name .. ".lua", cwd = examples })
      assert.equal(expected, printed(name, case[3], companion))
      local copy = shell.write(shell.tmpdir() .. "/copy.lua", shell.read(examples .. name .. ".lua"))
      local root = program.root
      local env = { LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root),
        LUA_CPATH = root .. "/build/?.so" }
      assert.equal(expected, printed(name, case[3], options(case, { script = copy, env = env })))
    end)

    it("prints its usage: " .. name, function()
      local usage = ("usage: %s%s.lua %s"):format(case.before or "", name, case[2])
      refuses(usage, name, {})
      refuses(usage, name, { table.unpack(case[3], 2) })
    end)

    it("reports a missing file: " .. name, function()
      refuses("/nowhere: No such file or directory", name, with_image(case, "/nowhere"), options(case))
      local arguments = table.move(case[3], 1, #case[3], 1, {})
      if arguments[#arguments] == profile then
        arguments[#arguments] = "/nowhere"
        refuses("/nowhere: No such file or directory", name, arguments)
      end
    end)
  end
end)

describe("top", function()
  it("prints the first N functions by self time", function()
    assert.equal([[
name,file,line,self seconds,children seconds,calls
leaf,,,0.4000,0.0000,8
work,,,0.3000,0.3000,2
]], printed("top", { "2", files(crafted.example) }))
  end)

  it("prints source files and lines", function()
    local made = small.build()
    assert.equal(([[
name,file,line,self seconds,children seconds,calls
leaf,DIR/small.c,1,0.0600,0.0000,3
loop,DIR/small.c,2,0.0400,0.0600,1
main,DIR/small.c,12,0.0000,0.1000,0
]]):gsub("DIR", made.dir), printed("top", { "3", made.image, small.run(made) }))
  end)

  it("prints the calls of a real program", function()
    local built = build.program "calls"
    local text = printed("top", { "100", built.image, built.gmon })
    for _, row in ipairs { "twice,.-,110", "visit,.-,30", "light,.-,1", "heavy,.-,1", "never,.-,0" } do
      assert.truthy(text:find("\n" .. row .. "\n"), row)
    end
  end)

  it("sums profiles, and prints their unit", function()
    local plan = { functions = { "f" }, ticks = { f = 3 }, rate = 1, dimension = "faults" }
    assert.equal("name,file,line,self faults,children faults,calls\nf,,,6.0000,0.0000,0\n",
      printed("top", { "1", crafted.image(plan), crafted.gmon(plan), crafted.gmon(plan) }))
  end)

  it("quotes names with commas or quotes", function()
    local plan = { functions = { "_Z3addii", 'a"b' }, ticks = { _Z3addii = 2, ['a"b'] = 1 } }
    assert.equal('name,file,line,self seconds,children seconds,calls\n' ..
      '"add(int, int)",,,0.0200,0.0000,0\n"a""b",,,0.0100,0.0000,0\n', printed("top", { "9", files(plan) }))
  end)

  it("refuses an invalid number, and a profile without a histogram", function()
    for _, text in ipairs { "0", "-1", "2.5", "ten", "" } do
      refuses(("N must be a positive integer, not '%s'"):format(text), "top", { text, files(crafted.example) })
    end
    refuses("the profiles have no histogram, so there are no times", "top", { "1", files(calls_only) })
  end)
end)

describe("callers", function()
  it("prints the arcs up to main, nearest first", function()
    local built = build.program "calls"
    assert.equal([[
depth        calls  caller -> callee
    1          220  twice -> step
    1           25  light -> step
    1           10  main -> step
    2          100  heavy -> twice
    2           10  main -> twice
    2            1  main -> light
    3            1  main -> heavy
]], printed("callers", { "calls.c:step", built.image, built.gmon }))
  end)

  it("prints each arc of a cycle once", function()
    assert.equal([[
depth        calls  caller -> callee
    1            6  work -> leaf
    1            2  pong -> leaf
    2            7  work -> work
    2            2  main -> work
    2            4  ping -> pong
    3            3  pong -> ping
    3            1  main -> ping
]], printed("callers", { "leaf", files(crafted.example) }))
  end)

  it("starts from all functions that match", function()
    local plan = { functions = { "main", "a", "f", "b", "f" }, calls = { { "main", "a", 1 }, { "main", "b", 2 } } }
    local addresses = crafted.addresses(plan)
    local records = crafted.records(plan)
    table.insert(records.records, { kind = "arc", from = addresses.a + 4, count = 3,
      self = crafted.BASE + 2 * crafted.SIZE })
    table.insert(records.records, { kind = "arc", from = addresses.b + 4, count = 4, self = addresses.f })
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic(records))
    assert.equal([[
depth        calls  caller -> callee
    1            3  a -> f
    1            4  b -> f
    2            1  main -> a
    2            2  main -> b
]], printed("callers", { "f", crafted.image(plan), path }))
  end)

  it("refuses an unknown function", function()
    local image, profile = files(crafted.example)
    for _, name in ipairs { "nothing", "", ":", "/", "nothing.c:leaf" } do
      refuses(("%s: no function '%s'"):format(image, name), "callers", { name, image, profile })
    end
  end)
end)

describe("by_file", function()
  local sources <const> = {
    ["near/main.c"] = '#include "../far/twice.h"\nint other(int);\nint main(void) { return twice(other(3)); }\n',
    ["far/twice.h"] = "static inline __attribute__((always_inline)) int twice(int x)\n{\n  return 2 * x;\n}\n",
    ["far/other.c"] = "int other(int x) { return x; }\n",
  }

  it("sums time by file and directory; inlined code counts for the file that contains its source", function()
    local made = small.build(sources)
    local profile = small.profile(made, { ticks = {
      [small.even(made.rows["main.c"][3][1])] = 6, [small.even(made.rows["twice.h"][3][1])] = 3,
      [small.even(made.rows["other.c"][1][1])] = 2 } })
    assert.equal(([[
   seconds      %  file
      0.06  54.55  DIR/near/main.c
      0.03  27.27  DIR/far/twice.h
      0.02  18.18  DIR/far/other.c

   seconds      %  directory
      0.06  54.55  DIR/near/
      0.05  45.45  DIR/far/
]]):gsub("DIR", made.dir), printed("by_file", { made.image, profile }))
  end)

  it("prints (unknown) without debugging information", function()
    assert.equal([[
   seconds      %  file
      0.95 100.00  (unknown)

   seconds      %  directory
      0.95 100.00  (unknown)
]], printed("by_file", { files(crafted.example) }))
  end)

  it("refuses a profile without a histogram", function()
    refuses("the profiles have no histogram, so there are no times", "by_file", { files(calls_only) })
  end)
end)

describe("unused", function()
  it("prints functions that were never called, and their possible callers", function()
    local built = build.program "calls"
    assert.equal(([[
DIR/calls.c:37: never: could be called by main
DIR/calls_far.c:18: never_far: could be called by never
]]):gsub("DIR", built.dir), printed("unused", { built.image, built.gmon }))
  end)

  it("leaves out functions that have calls or samples in any of the profiles", function()
    local made = small.build()
    local line = made.rows["small.c"]
    local called = small.profile(made, { arcs = { { line[6][1] + 3, line[1][1], 3 } } })
    local seen = small.profile(made, { ticks = { [small.even(line[13][1])] = 1 } })
    local twig = ("%s/small.c:1: twig: could be called by loop\n"):format(made.dir)
    local main = ("%s/small.c:12: main: no calls found in the code\n"):format(made.dir)
    assert.equal(twig .. main, printed("unused", { made.image, called }))
    assert.equal(twig, printed("unused", { made.image, called, seen }))
    assert.equal(twig, printed("unused", { made.image, small.run(made) }))
  end)

  it("refuses a profile without call counts", function()
    local made = small.build()
    refuses("the profiles have no call counts: was the program compiled with -pg?", "unused",
      { made.image, small.profile(made, { blocks = { { made.rows["small.c"][1][1], 1 } } }) })
  end)
end)

describe("tree", function()
  it("draws the call tree, and marks recursion", function()
    assert.equal([[
100.00       0.95  main
 63.16       0.60  ├─ work ↺
 31.58       0.30  │  └─ leaf
 36.84       0.35  └─ <cycle 1> ↺
 10.53       0.10     └─ leaf
]], printed("tree", { "9", "1", files(crafted.example) }))
  end)

  it("divides the time of callees among all places of a function in the tree", function()
    local plan = {
      functions = { "main", "other", "left", "right", "both", "deep" }, ticks = { both = 40, deep = 40, other = 20 },
      calls = { { "main", "left", 1 }, { "main", "right", 1 }, { "left", "both", 1 }, { "right", "both", 3 },
        { "both", "deep", 5 } },
    }
    assert.equal([[
 80.00       0.80  main
 60.00       0.60  ├─ right
 60.00       0.60  │  └─ both
 30.00       0.30  │     └─ deep
 20.00       0.20  └─ left
 20.00       0.20     └─ both
 10.00       0.10        └─ deep
 20.00       0.20  other
]], printed("tree", { "4", "1", files(plan) }))
  end)

  it("obeys the limits of depth and percentage", function()
    assert.equal("100.00       0.95  main\n 63.16       0.60  └─ work ↺\n",
      printed("tree", { "2", "40", files(crafted.example) }))
  end)

  it("terminates for an exponential number of branches", function()
    local text = printed("tree", { "100", "20", files(ladder(60)) })
    assert.equal(7, select(2, text:gsub("\n", "")))  -- one node of 100 %, two of 50 %, four of 25 %
  end)

  it("refuses an invalid number, and a profile without samples", function()
    local image, profile = files(crafted.example)
    for _, text in ipairs { "0", "-1", "2.5", "deep" } do
      refuses(("DEPTH must be a positive integer, not '%s'"):format(text), "tree", { text, "5", image, profile })
    end
    for _, text in ipairs { "0", "-1", "nan", "much" } do
      refuses(("PERCENT must be a number above 0, not '%s'"):format(text), "tree", { "5", text, image, profile })
    end
    for _, plan in ipairs { calls_only, idle } do
      refuses("the profiles have no samples, so there are no times", "tree", { "5", "5", files(plan) })
    end
  end)
end)

describe("hot_paths", function()
  it("prints call paths by the self time of their last function", function()
    assert.equal([[
   seconds      %  path
      0.30  31.58  main > work
      0.30  31.58  main > work > leaf
      0.25  26.32  main > <cycle 1>
      0.10  10.53  main > <cycle 1> > leaf
]], printed("hot_paths", { files(crafted.example) }))
  end)

  it("prints the ten hottest paths", function()
    local plan = { functions = { "main" }, calls = {}, ticks = {} }
    for i = 1, 12 do
      local name = ("f%02d"):format(i)
      plan.functions[i + 1], plan.calls[i], plan.ticks[name] = name, { "main", name, 1 }, i
    end
    local shown = {}
    for path in printed("hot_paths", { files(plan) }):gmatch "main > (%w+)" do table.insert(shown, path) end
    assert.equal("f12 f11 f10 f09 f08 f07 f06 f05 f04 f03", table.concat(shown, " "))
  end)

  it("terminates for an exponential number of paths", function()
    assert.equal("   seconds      %  path\n", printed("hot_paths", { files(ladder(60)) }))
  end)

  it("refuses a profile without samples", function()
    for _, plan in ipairs { calls_only, idle } do
      refuses("the profiles have no samples, so there are no times", "hot_paths", { files(plan) })
    end
  end)
end)

describe("gate", function()
  local function sampled(main, work)
    return { functions = { "main", "work" }, ticks = { main = main, work = work } }
  end

  local function gate(percent, old, new)
    local image, profile = files(new)
    local old_image, old_profile = files(old)
    return run("gate", { percent, old_image, old_profile, image, profile })
  end

  it("accepts equal shares, however long the program ran", function()
    local result = gate("5", sampled(6000, 4000), sampled(600, 400))
    assert.same({ "No function's share of the time has grown by more than 5 %.\n", "", 0 },
      { result.stdout, result.stderr, result.status })
  end)

  it("reports a function that has grown", function()
    local result = gate("5", sampled(6000, 4000), sampled(5000, 5000))
    assert.same({ "work: 50.0 % of the time (error 0.7), was 40.0 % (error 0.6)\n", "", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("does not take noise for growth", function()
    assert.equal(0, gate("5", sampled(60, 40), sampled(50, 50)).status)
    assert.equal(0, gate("5", sampled(1000, 0), sampled(1000, 15)).status)
    assert.equal(1, gate("5", sampled(1000, 0), sampled(1000, 30)).status)
  end)

  it("accepts growth up to PERCENT", function()
    assert.equal(0, gate("30", sampled(6000, 4000), sampled(5000, 5000)).status)
  end)

  it("matches functions without compiler suffixes", function()
    local new = { functions = { "main.isra.0", "work", "main" }, ticks = { ["main.isra.0"] = 5000, work = 4000,
      main = 1000 } }
    assert.equal(0, gate("5", sampled(6000, 4000), new).status)
  end)

  it("refuses an invalid number, and a profile without samples", function()
    local image, profile = files(crafted.example)
    for _, text in ipairs { "-1", "nan", "five", "" } do
      refuses(("PERCENT must be a number of at least 0, not '%s'"):format(text), "gate",
        { text, image, profile, image, profile })
    end
    for _, plan in ipairs { idle, calls_only } do
      local bare, bare_profile = files(plan)
      refuses(bare .. ": the profile has no samples", "gate", { "5", image, profile, bare, bare_profile })
      refuses(bare .. ": the profile has no samples", "gate", { "5", bare, bare_profile, image, profile })
    end
  end)
end)

describe("shards", function()
  local plan <const> = crafted.example

  -- Returns the bytes of the example's profile with all samples and calls multiplied by n.
  local function times(n)
    local more = { functions = plan.functions, ticks = {}, calls = {} }
    for name, ticks in pairs(plan.ticks) do more.ticks[name] = n * ticks end
    for i, call in ipairs(plan.calls) do more.calls[i] = { call[1], call[2], n * call[3] } end
    return gmon.magic(crafted.records(more))
  end

  -- Writes multiples of the example's profile into a new directory; `counts` maps relative paths to the factors.
  -- Returns the directory.
  local function shards_of(counts)
    local dir = shell.tmpdir "shards"
    for path, n in pairs(counts) do
      shell.check { "mkdir", "-p", dir .. "/" .. (path:match "^(.*)/" or "") }
      gmon.write(dir .. "/" .. path, times(n))
    end
    return dir
  end

  it("sums by prefix of the file name, and in total", function()
    local dir = shards_of { ["web-1.gmon"] = 1, ["web-2.gmon"] = 2, ["db.gmon"] = 4 }
    assert.equal("     2  out/web.gmon\n     1  out/db.gmon\n     3  out/all.gmon\n",
      printed("shards", { "prefix", "out", crafted.image(plan), "web-1.gmon", "./web-2.gmon", "db.gmon" },
        { cwd = shards_of { ["out/old.gmon"] = 1, ["web-1.gmon"] = 1, ["web-2.gmon"] = 2, ["db.gmon"] = 4 } }))
    local out = shell.tmpdir "out"
    printed("shards", { "prefix", out, crafted.image(plan), dir .. "/web-1.gmon", dir .. "/db.gmon",
      dir .. "/web-2.gmon" })
    for name, n in pairs { web = 3, db = 4, all = 7 } do
      assert.equal(times(n), shell.read(("%s/%s.gmon"):format(out, name)))
    end
  end)

  it("sums by the last component of the directory", function()
    local dir = shards_of { ["a/web/gmon.1"] = 1, ["b/web/gmon.2"] = 2, ["b/db/gmon.3"] = 4 }
    local out = shell.tmpdir "out"
    printed("shards", { "directory", out, crafted.image(plan), dir .. "/a/web/gmon.1", dir .. "/b/web/gmon.2",
      dir .. "/b/db/gmon.3" })
    assert.equal("all.gmon\ndb.gmon\nweb.gmon\n", shell.listing(out))
    for name, n in pairs { web = 3, db = 4, all = 7 } do
      assert.equal(times(n), shell.read(("%s/%s.gmon"):format(out, name)))
    end
  end)

  it("writes nothing if a profile is invalid", function()
    local image, profile = files(plan)
    local other = gmon.write(shell.tmpdir() .. "/x-1", gmon.magic { records = {
      { kind = "histogram", low = crafted.BASE, high = crafted.BASE + 0x20, bins = { 1 } } } })
    local out = shell.tmpdir "out"
    local result = run("shards", { "prefix", out, image, profile, other })
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.truthy(result.stderr:find("^shards%.lua: [^\n]*histogram[^\n]*\n$"), result.stderr)
    assert.equal("", shell.listing(out))
  end)

  it("refuses unknown groupings and names without a group", function()
    local image, profile = files(plan)
    refuses("unknown grouping 'size': use directory or prefix", "shards", { "size", "out", image, profile })
    refuses("gmon.out: has no directory to group by", "shards", { "directory", "out", image, "gmon.out" })
    refuses("../gmon.out: has no directory to group by", "shards", { "directory", "out", image, "../gmon.out" })
    refuses("x/-1.gmon: has no prefix to group by", "shards", { "prefix", "out", image, "x/-1.gmon" })
    refuses("all/gmon.out: the group name 'all' is reserved for the total", "shards",
      { "directory", "out", image, "all/gmon.out" })
    refuses("/nowhere/gmon.gmon: its directory does not exist", "shards",
      { "prefix", "/nowhere", image, profile })
  end)
end)

describe("flat_errors", function()
  local function report(plan, options)
    local parts = {}
    local stream = output.through(function(text) table.insert(parts, text) end)
    dofile(examples .. "flat_errors.lua")(crafted.profile(plan), options or {}, stream)
    stream:flush()
    return table.concat(parts)
  end

  it("prints an error of sqrt(n) samples for each time", function()
    local plan = { functions = { "main", "work", "leaf", "idle" }, ticks = { work = 100, leaf = 4 },
      calls = { { "main", "work", 1 }, { "work", "leaf", 12 }, { "main", "main", 1 } } }
    local text = "Flat profile, with the expected error of each time:\n\n" ..
      "   %       self      error     error\n" ..
      "  time    seconds    seconds     %        calls  name\n" ..
      " 96.15       1.00       0.10    10.0          1  work\n" ..
      "  3.85       0.04       0.02    50.0         12  leaf\n"
    assert.equal(text, report(plan))
    assert.equal(text .. "  0.00       0.00       0.01                     idle\n" ..
      "  0.00       0.00       0.01                     main\n", report(plan, { display_unused_functions = true }))
  end)

  it("works for any unit, and needs a histogram", function()
    local plan = { functions = { "f" }, ticks = { f = 16 }, rate = 1, dimension = "faults", abbreviation = "f" }
    local text = report(plan)
    assert.truthy(text:find("\n  time     faults     faults     %        calls  name\n", 1, true), text)
    assert.truthy(text:find("\n100.00      16.00       4.00    25.0             f\n", 1, true), text)
    assert.has_error(function() report(calls_only) end, "a flat profile needs a histogram, which this profile lacks")
  end)
end)

describe("perf2gmon", function()
  local built

  setup(function() built = build.program "calls" end)

  -- Converts a text to profiles. Returns the script's output without directories, and the directory of the profiles.
  local function convert(text, image)
    local dir = shell.tmpdir "perf"
    local summary = printed("perf2gmon", { image or built.image, dir .. "/gmon" },
      { stdin = shell.write(dir .. "/text", text) })
    os.remove(dir .. "/text")
    return summary:gsub("%S*/", ""), dir
  end

  -- Replaces each place, such as {light+4}, with two words: its address in an image loaded at `base`, and "light+0x4".
  -- Replaces IMAGE with the image's path.
  local function recorded(base, text)
    return (text:gsub("{([%w_]+)%+(%d+)}", function(name, offset)
      return ("%x %s+0x%x"):format(base + build.address(built.image, name) + offset, name, offset)
    end):gsub("IMAGE", built.image))
  end

  -- Maps function names to samples. The result also has the profile's `unit` and `rate`.
  local function counts(path, image)
    local opened = assert(gprof.image(image or built.image))
    local profile = assert(gprof.profile(opened, assert(gprof.data(opened, path))))
    local found = { unit = profile.unit, rate = profile.rate }
    for f in profile:functions() do
      if f.ticks > 0 then found[f.name] = (found[f.name] or 0) + f.ticks end
    end
    return found
  end

  it("reads one-line samples of several threads and commands", function()
    local summary, dir = convert(recorded(0x55824a6ab000, [[
# captured on: a day
calls 11194 34286.918653:      1 cycles:      7f502ecf4f37 __cxa_atexit+0x7 (/usr/lib/libc.so.6)
calls 11194 34286.918653:      1 cycles:      {light+4} (IMAGE)
calls 11195 [003] 34286.918653210:     10 cycles:u:      {light+8} (IMAGE)
my own: prog 11196/11197 34287.1:    100 cycles:      {factorial+0} (IMAGE)
calls 11194 34286.918653:      1 cycles:  ffffffff817554ea elf_load+0x28a ([kernel.kallsyms])
calls 11194 34286.918653:      1 cycles:      55824a6ab001 [unknown] (IMAGE)
calls 11194 34286.918653:      1 cycles:      {main+2} (/elsewhere/calls)
calls 11194 34286.918653:      1 cycles:      {main+2} (/elsewhere/other)
]]))
    assert.equal("gmon.cycles: 4 of 8 samples\n", summary)
    assert.same({ unit = "cycles", rate = 1, light = 11, factorial = 100, main = 1 }, counts(dir .. "/gmon.cycles"))
  end)

  it("counts the first frame of a call chain", function()
    local summary, dir = convert(recorded(0, [[
calls 11435 34288.109299:       7  cpu-clock:pppH:
	    {factorial+8} (IMAGE)
	    {heavy+8} (IMAGE)
	           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)

calls 11435 34288.109308:       5  cpu-clock:pppH:
	           1001 inner (inlined)
	    {light+4} (IMAGE)
	      1e00000000 [unknown] ([unknown])

calls 11435 34288.109310:       5  cpu-clock:pppH:

]]))
    assert.equal("gmon.cpu-clock: 2 of 3 samples\n", summary)
    assert.same({ unit = "cpu-clock", rate = 1, factorial = 7, light = 5 }, counts(dir .. "/gmon.cpu-clock"))
  end)

  it("distinguishes static functions with the same name by their page offsets", function()
    local steps, lines = build.symbols(built.image).by_name.step, {}
    for i, address in ipairs(steps) do
      lines[i] = ("calls 1 1.5: %d cycles: %x step+0x4 (%s)\n"):format(i, 0x7f0000000000 + address + 4, built.image)
    end
    local _, dir = convert(table.concat(lines))
    local opened = assert(gprof.image(built.image))
    local profile = assert(gprof.profile(opened, assert(gprof.data(opened, dir .. "/gmon.cycles"))))
    for i, address in ipairs(steps) do assert.equal(i, profile:lookup(address).ticks) end
  end)

  it("uses addresses unchanged if the symbol is unknown", function()
    local image = crafted.image(crafted.example)
    local text = "a 1 1.5: cycles: 1024 [unknown] (/x/image)\na 1 1.5: cycles: 1064 f (/x/image)\n"
    local summary, dir = convert(text, image)
    assert.equal("gmon.cycles: 2 of 2 samples\n", summary)
    assert.same({ unit = "cycles", rate = 1, work = 1, pong = 1 }, counts(dir .. "/gmon.cycles", image))
  end)

  it("writes a profile for each event", function()
    local summary, dir = convert(recorded(0, [[
a 1 1.5: 3 cycles: {light+4} (IMAGE)
a 1 1.5: 2 L1-dcache-load-misses: {heavy+4} (IMAGE)
a 1 1.6: 1 sched:sched_switch: prev_comm=calls prev_pid=1 ==> next_comm=x
	{main+4} (IMAGE)

a 1 1.5: 4 cycles: {light+4} (IMAGE)
]]))
    assert.equal("gmon.cycles: 2 of 2 samples\ngmon.L1-dcache-load-misses: 1 of 1 samples\n" ..
      "gmon.sched_sched_switch: 1 of 1 samples\n", summary)
    assert.same({ unit = "cycles", rate = 1, light = 7 }, counts(dir .. "/gmon.cycles"))
    assert.same({ unit = "L1-dcache-load-", rate = 1, heavy = 2 }, counts(dir .. "/gmon.L1-dcache-load-misses"))
    assert.same({ unit = "sched:sched_swi", rate = 1, main = 1 }, counts(dir .. "/gmon.sched_sched_switch"))
  end)

  it("scales large counts to a larger unit", function()
    local _, dir = convert(recorded(0, [[
a 1 1.5: 1234567890 cycles: {light+4} (IMAGE)
a 1 1.5: 250000 cycles: {heavy+4} (IMAGE)
]]))
    assert.same({ unit = "Mcycles", rate = 100, light = 123457, heavy = 25 }, counts(dir .. "/gmon.cycles"))
    assert.truthy(#shell.read(dir .. "/gmon.cycles") < 200000)
  end)

  it("writes profiles that the program prints in the unit of the event", function()
    local _, dir = convert(recorded(0, "a 1 1.5: 300 cycles: {light+4} (IMAGE)\n"))
    local result = program.run { "-b", "-p", built.image, dir .. "/gmon.cycles" }
    assert.equal(0, result.status)
    assert.truthy(result.stdout:find("Each sample counts as 1 cycles.\n", 1, true))
    assert.truthy(result.stdout:find("\n100.00    300.00   300.00 +light\n"), result.stdout)
  end)

  local sample <const> = "a 1 1.5: 1 cycles: 1000 main+0x0 (/x)\n"
  for title, case in pairs {
    ["other text"] = { sample .. "hello\n", "line 2: expected a sample or a stack frame" },
    ["a frame without a sample"] = { "\n\t1000 main+0x0 (/x)\n", "line 2: expected a sample or a stack frame" },
    ["a frame after the end of a sample"] = { sample .. "\n\t1000 main+0x0 (/x)\n",
      "line 3: expected a sample or a stack frame" },
    ["an incomplete frame"] = { "a 1 1.5: 1 cycles: 1000 main+0\n",
      "line 1: expected a sample or a stack frame" },
    ["an invalid address"] = { "a 1 1.5: 1 cycles: 10x0 main+0x0 (/x)\n",
      "line 1: expected a sample or a stack frame" },
    ["a period that overflows"] = { sample .. "a 1 1.5: 99999999999999999999 cycles: 1000 main+0x0 (/x)\n",
      "line 2: the period is too large" },
    ["an empty input"] = { "", "has no samples" },
  } do
    it("refuses " .. title, function()
      local dir = shell.tmpdir "perf"
      local input = shell.write(shell.tmpdir() .. "/text", case[1])
      refuses("standard input: " .. case[2], "perf2gmon", { built.image, dir .. "/gmon" }, { stdin = input })
      assert.equal("", shell.listing(dir))
    end)
  end

  it("refuses samples that are all outside the image", function()
    local dir = shell.tmpdir "perf"
    local input = shell.write(shell.tmpdir() .. "/text", sample .. sample:gsub("cycles", "misses"))
    refuses(("standard input: none of the 2 samples is in %s"):format(built.image), "perf2gmon",
      { built.image, dir .. "/gmon" }, { stdin = input })
    assert.equal("", shell.listing(dir))
  end)

  it("refuses an image without symbols", function()
    local image = build.craft { text = 0x20, symbols = {} }
    refuses(image .. ": has no symbols: use the unstripped file, linked without -s", "perf2gmon",
      { image, "gmon" })
  end)

  it("refuses an output directory that does not exist", function()
    refuses("/nowhere/gmon.cycles: its directory does not exist", "perf2gmon",
      { built.image, "/nowhere/gmon" },
      { stdin = shell.write(shell.tmpdir() .. "/text", recorded(0, "a 1 1.5: 1 cycles: {main+4} (IMAGE)\n")) })
  end)
end)

describe("gcov2blocks", function()
  -- Compiles a program with --coverage and runs it once. Returns its directory, its image, and gcov's output as JSON
  -- and as text.
  local function covered(source)
    local dir = shell.tmpdir "gcov"
    shell.write(dir .. "/" .. source, shell.read(build.fixture("blocks/" .. source)))
    shell.check({ "gcc", "-O0", "-g", "--coverage", "-c", source, "-o", "counted.o" }, { cwd = dir })
    shell.check({ "gcc", "--coverage", "-pthread", "counted.o", "-o", "program" }, { cwd = dir })
    shell.check({ "./program" }, { cwd = dir })
    local json = shell.check({ "gcov", "--json-format", "--stdout", "counted.gcda" }, { cwd = dir }).stdout
    local text = shell.check({ "gcov", "-t", "counted.gcda" }, { cwd = dir }).stdout
    return { dir = dir, image = dir .. "/program", json = json, text = text }
  end

  local function convert(image, json)
    return printed("gcov2blocks", { image }, { stdin = shell.write(shell.tmpdir() .. "/json", json) })
  end

  -- Returns gcov's counts by line, adapted to our lines. gcov counts a function's calls at the line of its name; we
  -- count them at its opening brace. gcov also counts case labels, which have no code; they are left out.
  local function gcov_counts(made)
    local counts, last, name = {}, nil, nil
    for count, number, text in made.text:gmatch "([^ :]+)%*?: *(%d+):([^\n]*)" do
      number = tonumber(number)
      local is_label = text:find "^%s*case .*:$" or text:find "^%s*default:$"
      if count ~= "-" and not is_label then counts[number] = tonumber(count) or 0 end
      if text == "{" and name then counts[number], counts[name] = counts[name], nil end
      name, last = text:find "^%a.*%)$" and number, number
    end
    counts[last] = 0  -- the last line stands for functions that gcc adds
    return counts
  end

  -- Returns the counts by line in our annotated source.
  local function our_counts(made, profile)
    local path = gmon.write(shell.tmpdir() .. "/blocks", profile)
    local result = program.run({ "-b", "-l", "-A", made.image, path }, { cwd = made.dir })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local counts, number = {}, -1  -- the first line is a heading
    for line in result.stdout:gmatch "([^\n]*)\n" do
      number = number + 1
      local count = line:match "^ *([%d#]+) %->"
      if count then counts[number] = tonumber(count) or 0 end
    end
    return counts
  end

  for _, name in ipairs { "updcrc", "words", "branches" } do
    it("makes annotated source show the counts of gcov: " .. name, function()
      local made = covered(name .. ".c")
      assert.same(gcov_counts(made), our_counts(made, convert(made.image, made.json)))
    end)
  end

  it("converts counts that are known from the source", function()
    local made = covered "updcrc.c"
    local counts = our_counts(made, convert(made.image, made.json))
    -- By line: two calls (one with a null pointer), 26312 iterations, and 8 shifts for each of 256 table entries.
    local expected = { [13] = 2048, [18] = 256, [27] = 2, [28] = 1, [31] = 1, [33] = 26312, [35] = 2 }
    for line, count in pairs(expected) do assert.equal(count, counts[line], "line " .. line) end
  end)

  it("sums JSON documents, and distinguishes static functions of two files", function()
    local function source(name, turns)
      return ("static int work(int n) {\n  return n + 1;\n}\n\nint %s(void) {\n  int n = 0;\n" ..
        "  while (n < %d)\n    n = work(n);\n  return n;\n}\n"):format(name, turns)
    end
    local dir = shell.tmpdir "gcov"
    shell.check { "mkdir", dir .. "/a", dir .. "/b" }
    shell.write(dir .. "/a/part.c", source("first", 3))
    shell.write(dir .. "/b/part.c", source("second", 5))
    shell.write(dir .. "/main.c",
      "int first(void);\nint second(void);\nint main(void) { return first() + second() != 8; }\n")
    for i, file in ipairs { "a/part.c", "b/part.c", "main.c" } do
      shell.check({ "gcc", "-O0", "-g", "--coverage", "-c", file, "-o", i .. ".o" }, { cwd = dir })
    end
    shell.check({ "gcc", "--coverage", "1.o", "2.o", "3.o", "-o", "program" }, { cwd = dir })
    shell.check({ "./program" }, { cwd = dir })
    local json = shell.check({ "gcov", "--json-format", "--stdout", "1.gcda", "2.gcda" }, { cwd = dir }).stdout
    local image = assert(gprof.image(dir .. "/program"))
    local path = gmon.write(dir .. "/blocks", convert(dir .. "/program", json))
    local profile = assert(gprof.profile(image, assert(gprof.data(image, path)), { line = true }))
    for file, count in pairs { ["a/part.c"] = 3, ["b/part.c"] = 5 } do
      local lines = assert(profile:annotate(file))
      assert.same({ count, count, 1, count }, { lines[1].blocks, lines[2].blocks, lines[6].blocks, lines[8].blocks })
    end
  end)

  it("refuses input that is not from gcov or belongs to another program", function()
    local image = crafted.image(crafted.example)
    local function refuses_text(message, text)
      refuses("standard input: " .. message, "gcov2blocks", { image },
        { stdin = shell.write(shell.tmpdir() .. "/json", text) })
    end
    refuses_text("no valid JSON value at line 2, column 7", '{\n "a": x }')
    refuses_text("unterminated object at line 3, column 1", '{"files": []}\n\n{')
    for _, text in ipairs { "null", "5", "[]", '{"files": 1}', '{"files": [1]}', '{"files": [{"lines": []}]}',
      '{"files": [{"file": "a", "functions": [], "lines": [{"line_number": 1, "count": 1.5}]}]}',
      '{"files": [{"file": "a", "functions": [], "lines": [{"line_number": 1, "count": -1}]}]}',
      '{"files": [{"file": "a", "functions": [], "lines": [{"count": 1}]}]}',
      '{"files": [{"file": "a", "functions": [], "lines": [1]}]}',
      '{"files": [{"file": "a", "functions": [1], "lines": []}]}',
      '{"files": [{"file": "a", "functions": [{"start_line": 1}], "lines": []}]}' } do
      refuses_text("not from gcov --json-format", text)
    end
    refuses_text("no counts for lines of " .. image, "")
    refuses_text("no counts for lines of " .. image, '{"files": [{"file": "a", "functions": [], "lines": [' ..
      '{"line_number": 1, "count": 1, "function_name": "main"}]}]}')
  end)

  it("prints its usage, and reports a missing file", function()
    refuses("usage: gcov2blocks.lua IMAGE < JSON > PROFILE", "gcov2blocks", {})
    refuses("/nowhere: No such file or directory", "gcov2blocks", { "/nowhere" })
  end)
end)
