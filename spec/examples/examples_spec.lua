-- The examples: what they print of programs whose calls, samples and lines are known, and what they refuse.
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

-- Limits of time are against loops without end.
local function run(name, arguments, options)
  options = options or {}
  options.timeout = 60
  return launch.copy(options.script or examples .. name .. ".lua", arguments, options)
end

-- What an example prints, which must succeed without a word on standard error.
local function printed(name, arguments, options)
  local result = run(name, arguments, options)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

local function refuses(message, name, arguments, options)
  local result = run(name, arguments, options)
  assert.same({ ("%s.lua: %s\n"):format(name, message), "", 1 }, { result.stderr, result.stdout, result.status })
end

-- The arguments of a crafted program: its image and its profile.
local function files(plan)
  return crafted.image(plan), crafted.gmon(plan)
end

-- Calls without a histogram; and a histogram without samples.
local calls_only <const> = { functions = { "main", "f" }, calls = { { "main", "f", 1 } } }
local idle <const> = { functions = { "main", "f" }, ticks = {} }

-- So many layers of two functions that call both of the next one, which share the time of the last: the paths through
-- them are more than anyone can walk.
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

  -- The arguments with another one in the place of the image.
  local function with_image(case, path)
    local arguments = {}
    for i, argument in ipairs(case[3]) do arguments[i] = argument == image and path or argument end
    return arguments
  end

  for _, case in ipairs(cases) do
    local name = case[1]

    it("works from anywhere, and with an installed library: " .. name, function()
      local expected = printed(name, case[3], options(case))
      local beside = options(case, { script = name .. ".lua", cwd = examples })
      assert.equal(expected, printed(name, case[3], beside))
      local copy = shell.write(shell.tmpdir() .. "/copy.lua", shell.read(examples .. name .. ".lua"))
      local root = program.root
      local env = { LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root),
        LUA_CPATH = root .. "/build/?.so" }
      assert.equal(expected, printed(name, case[3], options(case, { script = copy, env = env })))
    end)

    it("says how it is used: " .. name, function()
      local usage = ("usage: %s%s.lua %s"):format(case.before or "", name, case[2])
      refuses(usage, name, {})
      refuses(usage, name, { table.unpack(case[3], 2) })
    end)

    it("says which file is missing: " .. name, function()
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
  it("prints functions by self time, as many as are wanted", function()
    assert.equal([[
name,file,line,self seconds,children seconds,calls
leaf,,,0.4000,0.0000,8
work,,,0.3000,0.3000,2
]], printed("top", { "2", files(crafted.example) }))
  end)

  it("knows places in the source", function()
    local made = small.build()
    assert.equal(([[
name,file,line,self seconds,children seconds,calls
leaf,DIR/small.c,1,0.0600,0.0000,3
loop,DIR/small.c,2,0.0400,0.0600,1
main,DIR/small.c,12,0.0000,0.1000,0
]]):gsub("DIR", made.dir), printed("top", { "3", made.image, small.run(made) }))
  end)

  it("has the calls of a program that ran", function()
    local built = build.program "calls"
    local text = printed("top", { "100", built.image, built.gmon })
    for _, row in ipairs { "twice,.-,110", "visit,.-,30", "light,.-,1", "heavy,.-,1", "never,.-,0" } do
      assert.truthy(text:find("\n" .. row .. "\n"), row)
    end
  end)

  it("sums profiles, in their unit", function()
    local plan = { functions = { "f" }, ticks = { f = 3 }, rate = 1, dimension = "faults" }
    assert.equal("name,file,line,self faults,children faults,calls\nf,,,6.0000,0.0000,0\n",
      printed("top", { "1", crafted.image(plan), crafted.gmon(plan), crafted.gmon(plan) }))
  end)

  it("puts what has a comma or a quote into quotes", function()
    local plan = { functions = { "_Z3addii", 'a"b' }, ticks = { _Z3addii = 2, ['a"b'] = 1 } }
    assert.equal('name,file,line,self seconds,children seconds,calls\n' ..
      '"add(int, int)",,,0.0200,0.0000,0\n"a""b",,,0.0100,0.0000,0\n', printed("top", { "9", files(plan) }))
  end)

  it("refuses what is no number, and a profile without a histogram", function()
    for _, text in ipairs { "0", "-1", "2.5", "ten", "" } do
      refuses(("N has to be a number from 1 on, not '%s'"):format(text), "top", { text, files(crafted.example) })
    end
    refuses("there is no histogram, so nothing is known of time", "top", { "1", files(calls_only) })
  end)
end)

describe("callers", function()
  it("goes up to main, nearest arcs first", function()
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

  it("has each arc of a cycle once", function()
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

  it("begins with all functions that are meant", function()
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

  it("refuses what is no function", function()
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

  it("adds time up by file, inlined code where it was written, and by directory", function()
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

  it("says what it does not know", function()
    assert.equal([[
   seconds      %  file
      0.95 100.00  (unknown)

   seconds      %  directory
      0.95 100.00  (unknown)
]], printed("by_file", { files(crafted.example) }))
  end)

  it("refuses a profile without a histogram", function()
    refuses("there is no histogram, so nothing is known of time", "by_file", { files(calls_only) })
  end)
end)

describe("unused", function()
  it("tells what was never called, and who could call it", function()
    local built = build.program "calls"
    assert.equal(([[
DIR/calls.c:37: never: could be called by main
DIR/calls_far.c:18: never_far: could be called by never
]]):gsub("DIR", built.dir), printed("unused", { built.image, built.gmon }))
  end)

  it("leaves out what any of the runs has called, or seen running", function()
    local made = small.build()
    local line = made.rows["small.c"]
    local called = small.profile(made, { arcs = { { line[6][1] + 3, line[1][1], 3 } } })
    local seen = small.profile(made, { ticks = { [small.even(line[13][1])] = 1 } })
    local twig = ("%s/small.c:1: twig: could be called by loop\n"):format(made.dir)
    local main = ("%s/small.c:12: main: no call of it is in the code\n"):format(made.dir)
    assert.equal(twig .. main, printed("unused", { made.image, called }))
    assert.equal(twig, printed("unused", { made.image, called, seen }))
    assert.equal(twig, printed("unused", { made.image, small.run(made) }))
  end)

  it("refuses a profile that cannot hold calls", function()
    local made = small.build()
    refuses("there are no calls, so nothing is known of who was called", "unused",
      { made.image, small.profile(made, { blocks = { { made.rows["small.c"][1][1], 1 } } }) })
  end)
end)

describe("tree", function()
  it("draws who called whom, and marks recursion", function()
    assert.equal([[
100.00       0.95  main
 63.16       0.60  ├─ work ↺
 31.58       0.30  │  └─ leaf
 36.84       0.35  └─ <cycle 1> ↺
 10.53       0.10     └─ leaf
]], printed("tree", { "9", "1", files(crafted.example) }))
  end)

  it("shares what is below a function among its places", function()
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

  it("goes as deep as it is told, and leaves out small shares", function()
    assert.equal("100.00       0.95  main\n 63.16       0.60  └─ work ↺\n",
      printed("tree", { "2", "40", files(crafted.example) }))
  end)

  it("comes to an end where there are too many branches", function()
    local text = printed("tree", { "100", "20", files(ladder(60)) })
    assert.equal(7, select(2, text:gsub("\n", "")))  -- halves and quarters
  end)

  it("refuses what is no number, and a profile without samples", function()
    local image, profile = files(crafted.example)
    for _, text in ipairs { "0", "-1", "2.5", "deep" } do
      refuses(("DEPTH has to be a number from 1 on, not '%s'"):format(text), "tree", { text, "5", image, profile })
    end
    for _, text in ipairs { "0", "-1", "nan", "much" } do
      refuses(("PERCENT has to be a number above 0, not '%s'"):format(text), "tree", { "5", text, image, profile })
    end
    for _, plan in ipairs { calls_only, idle } do
      refuses("nothing was sampled, so nothing is known of time", "tree", { "5", "5", files(plan) })
    end
  end)
end)

describe("hot_paths", function()
  it("prints chains of calls by the time at their end", function()
    assert.equal([[
   seconds      %  path
      0.30  31.58  main > work
      0.30  31.58  main > work > leaf
      0.25  26.32  main > <cycle 1>
      0.10  10.53  main > <cycle 1> > leaf
]], printed("hot_paths", { files(crafted.example) }))
  end)

  it("prints ten at most, the hottest", function()
    local plan = { functions = { "main" }, calls = {}, ticks = {} }
    for i = 1, 12 do
      local name = ("f%02d"):format(i)
      plan.functions[i + 1], plan.calls[i], plan.ticks[name] = name, { "main", name, 1 }, i
    end
    local shown = {}
    for path in printed("hot_paths", { files(plan) }):gmatch "main > (%w+)" do table.insert(shown, path) end
    assert.equal("f12 f11 f10 f09 f08 f07 f06 f05 f04 f03", table.concat(shown, " "))
  end)

  it("comes to an end where there are too many paths", function()
    assert.equal("   seconds      %  path\n", printed("hot_paths", { files(ladder(60)) }))
  end)

  it("refuses a profile without samples", function()
    for _, plan in ipairs { calls_only, idle } do
      refuses("nothing was sampled, so nothing is known of time", "hot_paths", { files(plan) })
    end
  end)
end)

describe("gate", function()
  -- A run with so many samples of each.
  local function sampled(main, work)
    return { functions = { "main", "work" }, ticks = { main = main, work = work } }
  end

  local function gate(percent, old, new)
    local image, profile = files(new)
    local old_image, old_profile = files(old)
    return run("gate", { percent, old_image, old_profile, image, profile })
  end

  it("lets pass what has not changed, however long it ran", function()
    local result = gate("5", sampled(6000, 4000), sampled(600, 400))
    assert.same({ "No function's share of the time has grown by more than 5 %.\n", "", 0 },
      { result.stdout, result.stderr, result.status })
  end)

  it("tells what has grown", function()
    local result = gate("5", sampled(6000, 4000), sampled(5000, 5000))
    assert.same({ "work: 50.0 % of the time (error 0.7), was 40.0 % (error 0.6)\n", "", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("does not take noise for growth", function()
    assert.equal(0, gate("5", sampled(60, 40), sampled(50, 50)).status)
    assert.equal(0, gate("5", sampled(1000, 0), sampled(1000, 15)).status)
    assert.equal(1, gate("5", sampled(1000, 0), sampled(1000, 30)).status)
  end)

  it("lets grow what may", function()
    assert.equal(0, gate("30", sampled(6000, 4000), sampled(5000, 5000)).status)
  end)

  it("knows a function by its name in the source", function()
    local new = { functions = { "main.isra.0", "work", "main" }, ticks = { ["main.isra.0"] = 5000, work = 4000,
      main = 1000 } }
    assert.equal(0, gate("5", sampled(6000, 4000), new).status)
  end)

  it("refuses what is no number, and a profile without samples", function()
    local image, profile = files(crafted.example)
    for _, text in ipairs { "-1", "nan", "five", "" } do
      refuses(("PERCENT has to be a number from 0 on, not '%s'"):format(text), "gate",
        { text, image, profile, image, profile })
    end
    for _, plan in ipairs { idle, calls_only } do
      local bare, bare_profile = files(plan)
      refuses(bare .. ": nothing was sampled", "gate", { "5", image, profile, bare, bare_profile })
      refuses(bare .. ": nothing was sampled", "gate", { "5", bare, bare_profile, image, profile })
    end
  end)
end)

describe("shards", function()
  local plan <const> = crafted.example

  -- The profile of a process that did so many times what the example does.
  local function times(n)
    local more = { functions = plan.functions, ticks = {}, calls = {} }
    for name, ticks in pairs(plan.ticks) do more.ticks[name] = n * ticks end
    for i, call in ipairs(plan.calls) do more.calls[i] = { call[1], call[2], n * call[3] } end
    return gmon.magic(crafted.records(more))
  end

  -- Writes profiles of so many times the example, by path below a new directory.
  local function shards_of(counts)
    local dir = shell.tmpdir "shards"
    for path, n in pairs(counts) do
      shell.check { "mkdir", "-p", dir .. "/" .. (path:match "^(.*)/" or "") }
      gmon.write(dir .. "/" .. path, times(n))
    end
    return dir
  end

  it("sums by the beginning of a name, and all together", function()
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

  it("sums by directory, wherever it is", function()
    local dir = shards_of { ["a/web/gmon.1"] = 1, ["b/web/gmon.2"] = 2, ["b/db/gmon.3"] = 4 }
    local out = shell.tmpdir "out"
    printed("shards", { "directory", out, crafted.image(plan), dir .. "/a/web/gmon.1", dir .. "/b/web/gmon.2",
      dir .. "/b/db/gmon.3" })
    assert.equal("all.gmon\ndb.gmon\nweb.gmon\n", shell.listing(out))
    for name, n in pairs { web = 3, db = 4, all = 7 } do
      assert.equal(times(n), shell.read(("%s/%s.gmon"):format(out, name)))
    end
  end)

  it("writes nothing if a profile is bad", function()
    local image, profile = files(plan)
    local other = gmon.write(shell.tmpdir() .. "/x-1", gmon.magic { records = {
      { kind = "histogram", low = crafted.BASE, high = crafted.BASE + 0x20, bins = { 1 } } } })
    local out = shell.tmpdir "out"
    local result = run("shards", { "prefix", out, image, profile, other })
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.truthy(result.stderr:find("^shards%.lua: [^\n]*histogram[^\n]*\n$"), result.stderr)
    assert.equal("", shell.listing(out))
  end)

  it("refuses names that make no group", function()
    local image, profile = files(plan)
    refuses("no way to group: 'size'", "shards", { "size", "out", image, profile })
    refuses("gmon.out: has no directory to group by", "shards", { "directory", "out", image, "gmon.out" })
    refuses("../gmon.out: has no directory to group by", "shards", { "directory", "out", image, "../gmon.out" })
    refuses("x/-1.gmon: has no prefix to group by", "shards", { "prefix", "out", image, "x/-1.gmon" })
    refuses("all/gmon.out: 'all' is the sum of all groups", "shards", { "directory", "out", image, "all/gmon.out" })
    refuses("/nowhere/gmon.gmon: its directory does not exist", "shards",
      { "prefix", "/nowhere", image, profile })
  end)
end)

describe("flat_errors", function()
  -- What the report prints of a program.
  local function report(plan, options)
    local parts = {}
    local stream = output.through(function(text) table.insert(parts, text) end)
    dofile(examples .. "flat_errors.lua")(crafted.profile(plan), options or {}, stream)
    stream:flush()
    return table.concat(parts)
  end

  it("has the square root of samples beside each time", function()
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

  it("is of any unit, and needs a histogram", function()
    local plan = { functions = { "f" }, ticks = { f = 16 }, rate = 1, dimension = "faults", abbreviation = "f" }
    local text = report(plan)
    assert.truthy(text:find("\n  time     faults     faults     %        calls  name\n", 1, true), text)
    assert.truthy(text:find("\n100.00      16.00       4.00    25.0             f\n", 1, true), text)
    assert.has_error(function() report(calls_only) end, "a flat profile needs a histogram, which this profile has not")
  end)
end)

describe("perf2gmon", function()
  local built

  setup(function() built = build.program "calls" end)

  -- Turns a text into profiles. Returns what was said, and the folder they are in.
  local function convert(text, image)
    local dir = shell.tmpdir "perf"
    local said = printed("perf2gmon", { image or built.image, dir .. "/gmon" },
      { stdin = shell.write(dir .. "/text", text) })
    os.remove(dir .. "/text")
    return said:gsub("%S*/", ""), dir
  end

  -- Text with places such as {light+4}: their address in a run that loaded the image there, and "light+0x4".
  local function recorded(base, text)
    return (text:gsub("{([%w_]+)%+(%d+)}", function(name, offset)
      return ("%x %s+0x%x"):format(base + build.address(built.image, name) + offset, name, offset)
    end):gsub("IMAGE", built.image))
  end

  -- Counts by function of a profile.
  local function counts(path, image)
    local opened = assert(gprof.image(image or built.image))
    local profile = assert(gprof.profile(opened, assert(gprof.data(opened, path))))
    local found = { unit = profile.unit, rate = profile.rate }
    for f in profile:functions() do
      if f.ticks > 0 then found[f.name] = (found[f.name] or 0) + f.ticks end
    end
    return found
  end

  it("reads samples of one line, of several threads and commands", function()
    local said, dir = convert(recorded(0x55824a6ab000, [[
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
    assert.equal("gmon.cycles: 4 of 8 samples\n", said)
    assert.same({ unit = "cycles", rate = 1, light = 11, factorial = 100, main = 1 }, counts(dir .. "/gmon.cycles"))
  end)

  it("reads call chains, of which the first frame counts", function()
    local said, dir = convert(recorded(0, [[
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
    assert.equal("gmon.cpu-clock: 2 of 3 samples\n", said)
    assert.same({ unit = "cpu-clock", rate = 1, factorial = 7, light = 5 }, counts(dir .. "/gmon.cpu-clock"))
  end)

  it("tells static functions of one name apart by their pages", function()
    local steps, lines = build.symbols(built.image).by_name.step, {}
    for i, address in ipairs(steps) do
      lines[i] = ("calls 1 1.5: %d cycles: %x step+0x4 (%s)\n"):format(i, 0x7f0000000000 + address + 4, built.image)
    end
    local _, dir = convert(table.concat(lines))
    local opened = assert(gprof.image(built.image))
    local profile = assert(gprof.profile(opened, assert(gprof.data(opened, dir .. "/gmon.cycles"))))
    for i, address in ipairs(steps) do assert.equal(i, profile:lookup(address).ticks) end
  end)

  it("takes addresses as they are where nothing is known of a symbol", function()
    local image = crafted.image(crafted.example)
    local text = "a 1 1.5: cycles: 1024 [unknown] (/x/image)\na 1 1.5: cycles: 1064 f (/x/image)\n"
    local said, dir = convert(text, image)
    assert.equal("gmon.cycles: 2 of 2 samples\n", said)
    assert.same({ unit = "cycles", rate = 1, work = 1, pong = 1 }, counts(dir .. "/gmon.cycles", image))
  end)

  it("writes a profile for each event", function()
    local said, dir = convert(recorded(0, [[
a 1 1.5: 3 cycles: {light+4} (IMAGE)
a 1 1.5: 2 L1-dcache-load-misses: {heavy+4} (IMAGE)
a 1 1.6: 1 sched:sched_switch: prev_comm=calls prev_pid=1 ==> next_comm=x
	{main+4} (IMAGE)

a 1 1.5: 4 cycles: {light+4} (IMAGE)
]]))
    assert.equal("gmon.cycles: 2 of 2 samples\ngmon.L1-dcache-load-misses: 1 of 1 samples\n" ..
      "gmon.sched_sched_switch: 1 of 1 samples\n", said)
    assert.same({ unit = "cycles", rate = 1, light = 7 }, counts(dir .. "/gmon.cycles"))
    assert.same({ unit = "L1-dcache-load-", rate = 1, heavy = 2 }, counts(dir .. "/gmon.L1-dcache-load-misses"))
    assert.same({ unit = "sched:sched_swi", rate = 1, main = 1 }, counts(dir .. "/gmon.sched_sched_switch"))
  end)

  it("writes large counts in a larger unit", function()
    local _, dir = convert(recorded(0, [[
a 1 1.5: 1234567890 cycles: {light+4} (IMAGE)
a 1 1.5: 250000 cycles: {heavy+4} (IMAGE)
]]))
    assert.same({ unit = "Mcycles", rate = 100, light = 123457, heavy = 25 }, counts(dir .. "/gmon.cycles"))
    assert.truthy(#shell.read(dir .. "/gmon.cycles") < 200000)
  end)

  it("makes what the program prints in that unit", function()
    local _, dir = convert(recorded(0, "a 1 1.5: 300 cycles: {light+4} (IMAGE)\n"))
    local said = program.run { "-b", "-p", built.image, dir .. "/gmon.cycles" }
    assert.equal(0, said.status)
    assert.truthy(said.stdout:find("Each sample counts as 1 cycles.\n", 1, true))
    assert.truthy(said.stdout:find("\n100.00    300.00   300.00 +light\n"), said.stdout)
  end)

  local sample <const> = "a 1 1.5: 1 cycles: 1000 main+0x0 (/x)\n"
  for title, case in pairs {
    ["another text"] = { sample .. "hello\n", "line 2: is about neither a sample nor a place" },
    ["a place without a sample"] = { "\n\t1000 main+0x0 (/x)\n", "line 2: is about neither a sample nor a place" },
    ["a place behind the end of a sample"] = { sample .. "\n\t1000 main+0x0 (/x)\n",
      "line 3: is about neither a sample nor a place" },
    ["a place that breaks off"] = { "a 1 1.5: 1 cycles: 1000 main+0\n",
      "line 1: is about neither a sample nor a place" },
    ["an address that is none"] = { "a 1 1.5: 1 cycles: 10x0 main+0x0 (/x)\n",
      "line 1: is about neither a sample nor a place" },
    ["a period beyond all numbers"] = { sample .. "a 1 1.5: 99999999999999999999 cycles: 1000 main+0x0 (/x)\n",
      "line 2: the period is too large" },
    ["nothing"] = { "", "has no sample" },
  } do
    it("refuses " .. title, function()
      local dir = shell.tmpdir "perf"
      local input = shell.write(shell.tmpdir() .. "/text", case[1])
      refuses("standard input: " .. case[2], "perf2gmon", { built.image, dir .. "/gmon" }, { stdin = input })
      assert.equal("", shell.listing(dir))
    end)
  end

  it("refuses samples of which none is in the image", function()
    local dir = shell.tmpdir "perf"
    local input = shell.write(shell.tmpdir() .. "/text", sample .. sample:gsub("cycles", "misses"))
    refuses(("standard input: none of 2 samples is in %s"):format(built.image), "perf2gmon",
      { built.image, dir .. "/gmon" }, { stdin = input })
    assert.equal("", shell.listing(dir))
  end)

  it("refuses an image without symbols", function()
    local image = build.craft { text = 0x20, symbols = {} }
    refuses(image .. ": has no symbols: use the file as it was linked, without -s, before strip", "perf2gmon",
      { image, "gmon" })
  end)

  it("refuses a place where nothing can be written", function()
    refuses("/nowhere/gmon.cycles: its directory does not exist", "perf2gmon",
      { built.image, "/nowhere/gmon" },
      { stdin = shell.write(shell.tmpdir() .. "/text", recorded(0, "a 1 1.5: 1 cycles: {main+4} (IMAGE)\n")) })
  end)
end)

describe("gcov2blocks", function()
  -- A program that counts its own lines, run once: its image, and what gcov says of it to programs and to people.
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

  -- Counts by line, as gcov shows them, where there is code: those of a function's name are on the line of its brace,
  -- those of a label of a switch nowhere.
  local function gcov_counts(made)
    local counts, last, name = {}, nil, nil
    for count, number, text in made.text:gmatch "([^ :]+)%*?: *(%d+):([^\n]*)" do
      number = tonumber(number)
      local is_label = text:find "^%s*case .*:$" or text:find "^%s*default:$"
      if count ~= "-" and not is_label then counts[number] = tonumber(count) or 0 end
      if text == "{" and name then counts[number], counts[name] = counts[name], nil end
      name, last = text:find "^%a.*%)$" and number, number
    end
    counts[last] = 0  -- of functions that --coverage adds, which nothing is known of
    return counts
  end

  -- The same, as our annotated source shows them.
  local function our_counts(made, profile)
    local path = gmon.write(shell.tmpdir() .. "/blocks", profile)
    local said = program.run({ "-b", "-l", "-A", made.image, path }, { cwd = made.dir })
    assert.same({ "", 0 }, { said.stderr, said.status })
    local counts, number = {}, -1  -- a title comes first
    for line in said.stdout:gmatch "([^\n]*)\n" do
      number = number + 1
      local count = line:match "^ *([%d#]+) %->"
      if count then counts[number] = tonumber(count) or 0 end
    end
    return counts
  end

  for _, name in ipairs { "updcrc", "words", "branches" } do
    it("makes annotated source show what gcov counts: " .. name, function()
      local made = covered(name .. ".c")
      assert.same(gcov_counts(made), our_counts(made, convert(made.image, made.json)))
    end)
  end

  it("has the counts that follow from a source", function()
    local made = covered "updcrc.c"
    local counts = our_counts(made, convert(made.image, made.json))
    -- two calls, one with a null pointer; 26312 turns; 8 bits of 256 bytes
    local expected = { [13] = 2048, [18] = 256, [27] = 2, [28] = 1, [31] = 1, [33] = 26312, [35] = 2 }
    for line, count in pairs(expected) do assert.equal(count, counts[line], "line " .. line) end
  end)

  it("adds up documents, and tells static functions of two files apart", function()
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

  it("refuses what does not come from gcov, or from another program", function()
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
      refuses_text("is JSON, but not that of gcov", text)
    end
    refuses_text("counts no line of " .. image, "")
    refuses_text("counts no line of " .. image, '{"files": [{"file": "a", "functions": [], "lines": [' ..
      '{"line_number": 1, "count": 1, "function_name": "main"}]}]}')
  end)

  it("says how it is used, and which file is missing", function()
    refuses("usage: gcov2blocks.lua IMAGE < JSON > PROFILE", "gcov2blocks", {})
    refuses("/nowhere: No such file or directory", "gcov2blocks", { "/nowhere" })
  end)
end)
