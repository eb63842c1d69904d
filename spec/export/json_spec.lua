-- The export json: parsed by dkjson and compared with the profile; its schema, checked by Python's jsonschema.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

-- Parses JSON; null becomes nil.
local function decode(text)
  local value, _, problem = dkjson.decode(text, 1, nil)
  assert(not problem, problem)
  return value
end

local function document(image, profile, ...)
  return decode(exported.text("json", image, profile, ...))
end

local function of_plan(plan, ...)
  return decode(exported.crafted("json", plan, ...))
end

local function by_id(functions)
  local found = {}
  for _, f in ipairs(functions) do found[f.id] = f end
  return found
end

-- Compares numbers exactly: dkjson parses them with tonumber.
local function check_functions(profile, functions)
  local count = 0
  for f in profile:functions() do
    local row = by_id(functions)[f.id]
    if f.ticks ~= 0 or f.calls ~= 0 then assert.truthy(row, f.name) end
    if row then
      count = count + 1
      for _, name in ipairs { "name", "symbol", "file", "line", "size", "static", "self", "ticks", "children", "calls",
        "self_calls" } do
        assert.same({ name, f[name] }, { name, row[name] })
      end
      assert.equal(f.address, tonumber(row.address))
      assert.equal(f.cycle and f.cycle.number, row.cycle)
    end
  end
  assert.equal(count, #functions)
end

local function check_arcs(profile, arcs)
  local i = 0
  for arc in profile:arcs() do
    if arc.caller.printed or arc.callee.printed then
      i = i + 1
      assert.same({ caller = arc.caller_id, callee = arc.callee_id, count = arc.count, self = arc.self,
        children = arc.children }, arcs[i])
    end
  end
  assert.equal(i, #arcs)
end

local function check_cycles(profile, cycles)
  local i = 0
  for cycle in profile:cycles() do
    i = i + 1
    assert.same({ id = cycle.number, self = cycle.self, children = cycle.children, calls = cycle.calls,
      self_calls = cycle.self_calls, members = crafted.list("id", cycle:members("id")) }, cycles[i])
  end
  assert.equal(i, #cycles)
end

describe("the JSON export", function()
  for name, image, path in exported.each_profile() do
    it("has the functions, arcs and cycles of the profile, with all digits: " .. name, function()
      local profile, read = exported.profile(image, path), document(image, path)
      check_functions(profile, read.functions)
      check_arcs(profile, read.arcs)
      check_cycles(profile, read.cycles)
    end)
  end

  it("names its format, the image, the profiles and the unit", function()
    local built = build.program "calls"
    local read = document(built.image, built.gmon, built.gmon)
    local profile = exported.profile(built.image, built.gmon)
    assert.same({ "gprof-profile", 1 }, { read.format, read.version })
    assert.equal("gprof for Lua " .. require "gprof"._VERSION, read.generator)
    local id = shell.check({ "readelf", "-n", built.image }).stdout:match "Build ID: (%x+)"
    assert.same({ path = built.image, build_id = id }, read.image)
    assert.equal(2, #read.profiles)
    local files = profile.data.files
    assert.same({ path = built.gmon, format = "magic", version = 1, histogram_records = files[1].histogram_records,
      arc_records = files[1].arc_records, block_records = 0 }, read.profiles[2])
    assert.same({ "seconds", 0.01, 2 * profile.total, 2 * profile.total_ticks },
      { read.unit, read.period, read.total, read.total_ticks })
    assert.same({ "function", {} }, { read.granularity, read.notes })
  end)

  it("has the times of the flat profile, to the last printed digit", function()
    local built = build.program "calls"
    local flat, times = program.run({ "-bp", built.image, built.gmon }).stdout, {}
    for _, f in ipairs(document(built.image, built.gmon).functions) do
      if f.ticks ~= 0 or f.calls ~= 0 then times[#times + 1] = ("%.2f %s"):format(f.self, f.name) end
    end
    local printed = {}
    for self, name in flat:gmatch "\n *[%d.]+ +[%d.]+ +([%d.]+) .-([%a_][^\n ]*)%f[\n]" do
      printed[#printed + 1] = self .. " " .. name
    end
    assert.truthy(#printed > 5)
    assert.same(printed, { table.unpack(times, 1, #printed) })
  end)

  it("has null for unknown values", function()
    local plan = { functions = { "main", "leaf" }, calls = { { "main", "leaf", 2 } } }
    local text = exported.crafted("json", plan)
    for _, null in ipairs { "unit", "period", "total", "file", "line", "cycle", "build_id" } do
      assert.truthy(text:find('"' .. null .. '": null', 1, true), null)
    end
    assert.same({ "no time was sampled: there is no histogram" }, decode(text).notes)
  end)

  it("says that calls were not counted", function()
    assert.same({ "no calls were counted: the program was not compiled with -pg" },
      document(exported.sampled()).notes)
  end)

  it("has exact counts beyond 53 bits", function()
    local plan = { functions = { "main", "leaf" }, ticks = { leaf = 1 }, calls = { { "main", "leaf", (1 << 32) - 1 } } }
    local records = crafted.records(plan)
    local image = crafted.image(plan)
    local path = gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic(records))
    for i = 1, 22 do  -- each round after the first doubles the counts
      if i > 1 then
        local sum = shell.tmpdir() .. "/sum"
        assert.equal(0, program.run({ "--sum-file=" .. sum, image, path, path }).status)
        path = sum
      end
    end
    local count = ((1 << 32) - 1) << 21
    assert.truthy(count > 1 << 53 - 1)
    local text = exported.text("json", image, path)
    assert.truthy(text:find('"count": ' .. count .. ",", 1, true))
    assert.equal(count, decode(text).arcs[1].count)
  end)

  it("writes invalid UTF-8 as \\xHH, and other names unchanged", function()
    local names = {}
    for _, f in ipairs(of_plan(exported.names).functions) do names[f.name] = f.ticks end
    for i, name in ipairs(exported.names.functions) do
      local shown = name == "bad\xff\xc3(byte" and "bad\\xFF\\xC3(byte" or name
      assert.equal(i, names[shown], shown)
    end
  end)

  it("has mangled names with --no-demangle", function()
    local built = build.program "shapes"
    for _, f in ipairs(document(built.image, built.gmon, "--no-demangle").functions) do
      assert.equal(f.symbol, f.name)
    end
  end)

  it("obeys symspecs, and lists them", function()
    local read = of_plan(crafted.example, "-Pleaf", "-kmain/work")
    assert.same({ include = {}, exclude = { flat = { "leaf" }, arcs = { "main/work" } } },
      { include = read.include, exclude = read.exclude })
    assert.same({ "functions or calls were selected: see \"include\" and \"exclude\"" }, read.notes)
    assert.equal(55, read.total_ticks)
    local functions = by_id(read.functions)
    for _, arc in ipairs(read.arcs) do
      assert.is_false(functions[arc.caller].name == "main" and functions[arc.callee].name == "work")
    end
  end)

  it("has the arcs of the selected entries", function()
    local read = of_plan(crafted.example, "-qwork")
    local functions, found = by_id(read.functions), {}
    for i, arc in ipairs(read.arcs) do
      found[i] = functions[arc.caller].name .. "/" .. functions[arc.callee].name
    end
    table.sort(found)
    assert.same({ "main/work", "pong/leaf", "work/leaf", "work/work" }, found)
  end)

  it("has functions without time and calls only with -z", function()
    local function has_idle(...)
      for _, f in ipairs(of_plan(crafted.example, ...).functions) do
        if f.name == "idle" then return true end
      end
      return false
    end
    assert.same({ false, true }, { has_idle(), has_idle "-z" })
  end)

  it("has source lines in place of functions with -l", function()
    local built = build.program "lines"
    local read, ticks = document(built.image, built.gmon, "-l"), 0
    local profile = exported.profile(built.image, built.gmon)
    assert.equal("line", read.granularity)
    for _, f in ipairs(read.functions) do
      ticks = ticks + f.ticks
      assert.truthy(f["function"] <= f.id)
    end
    local sum = 0
    for part in profile:functions("self", "ticks") do sum = sum + part end
    assert.near(sum, ticks, 1e-6)
  end)
end)

local python <const> = { "python3", "-c", "import jsonschema" }
if shell.run(python).status ~= 0 then
  return pending "the schema of the JSON export: needs python3-jsonschema"
end

describe("the schema of the JSON export", function()
  local script <const> = [==[
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for path in sys.argv[2:]:
    problems = list(jsonschema.Draft7Validator(schema).iter_errors(json.load(open(path))))
    print(len(problems), *[error.message for error in problems[:3]])
]==]

  -- Returns the number of problems in a text, or of each of several texts, on a line of its own.
  local function problems(texts, format)
    local words = { "python3", "-c", script, ("%s/doc/gprof-%s.schema.json"):format(program.root, format or "profile") }
    for _, text in ipairs(type(texts) == "table" and texts or { texts }) do
      words[#words + 1] = shell.write(shell.tmpdir() .. "/export.json", text)
    end
    return shell.check(words).stdout
  end

  local sometimes <const> = chance.one_in(3, it)
  for name, image, path in exported.each_program() do
    sometimes("matches the export of " .. name, function()
      assert.equal("0\n", problems(exported.text("json", image, path)))
      assert.equal("0\n", problems(exported.text("json", image, path, "-l", "-c", "-z", "-kmain/")))
    end)
  end

  it("matches comparisons, also without time or calls", function()
    local plan = { functions = { "main", "f", "g" }, ticks = { f = 20 }, calls = { { "main", "f", 1 } } }
    local image = crafted.image(plan)
    for _, other in ipairs { { ticks = { f = 10, g = 4 }, calls = plan.calls }, { ticks = {}, calls = plan.calls },
      { ticks = plan.ticks, calls = {} } } do
      other.functions = plan.functions
      local text = exported.text("json", image, crafted.gmon(plan), "--compare=" .. crafted.gmon(other))
      assert.equal("0\n", problems(text, "comparison"))
    end
  end)

  it("matches the lines of baselines", function()
    local path, lines = shell.tmpdir() .. "/base.jsonl", {}
    local function add(plan, runs)
      local words = { "--baseline=" .. path, "--update-baseline", crafted.image(plan) }
      for _ = 1, runs do words[#words + 1] = crafted.gmon(plan) end
      assert.equal(0, program.run(words).status)
      for line in shell.read(path):gmatch "[^\n]+" do lines[#lines + 1] = line end
    end
    add(crafted.example, 2)
    add(exported.names, 1)
    add({ functions = { "f" }, calls = { { "f", "f", 1 } } }, 1)
    assert.equal(("0\n"):rep(#lines), problems(lines, "baseline"))
    assert.not_equal("0\n", problems((lines[1]:gsub('"runs": 2', '"runs": 0')), "baseline"))
  end)

  it("matches profiles without time, and unusual names", function()
    assert.equal("0\n", problems(exported.crafted("json", { functions = { "f" }, calls = { { "f", "f", 1 } } })))
    assert.equal("0\n", problems(exported.crafted("json", exported.names)))
  end)

  it("matches profiles of System V and of shared libraries", function()
    local path = build.craft { address = 0x1000, text = 0x40, symbols = { { "f", 0 }, { "g", 0x20 } } }
    local dir = shell.tmpdir()
    gmon.write(dir .. "/mon.out", gmon.mon { low = 0x1000, high = 0x1040, bins = { 3, 4 },
      counters = { { 0x1000, 5 } } })
    gmon.write(dir .. "/profile", gmon.shared { low = 0x1000, high = 0x1040, bins = { 3, 4 }, arcs = { { 0, 0, 5 } } })
    assert.equal("0\n", problems(exported.text("json", path, dir .. "/mon.out", "-Oprof")))
    assert.equal("0\n", problems(exported.text("json", path, dir .. "/profile")))
  end)

  it("rejects changed documents", function()
    local text = exported.crafted("json", crafted.example)
    for _, change in ipairs {
      { '"version": 1,', '"version": 2,' }, { '"count": %d+', '"count": -1' }, { '"caller": %d+', '"caller": null' },
      { '"address": "0x', '"address": "' }, { '"name"', '"names"' }, { '"period": 0.01', '"period": 0' },
    } do
      assert.not_equal("0\n", problems((text:gsub(change[1], change[2], 1))))
    end
  end)
end)
