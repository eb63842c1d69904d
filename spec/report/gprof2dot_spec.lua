-- gprof2dot reads our call graph as it reads GNU gprof's: its parsing rules match every line of the report, and yield
-- the profile's figures.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local exported = require "support.exported"
local gprof2dot = require "support.gprof2dot"
local program = require "support.program"
local shell = require "support.shell"

local function report(...)
  local result = program.run { ... }
  assert.same({ 0, "" }, { result.status, result.stderr })
  return result.stdout
end

-- Checks that gprof2dot would accept every line without a warning, and that every index refers to an entry.
local function check(read)
  assert.is_nil(read.problem)
  assert.same({}, read.unrecognized)
  local cycles = {}
  for _, entry in pairs(read.cycles) do cycles[tonumber(entry.own.name:match "%d+")] = true end
  for _, entry in pairs(read.functions) do
    if entry.own.cycle then assert.truthy(cycles[entry.own.cycle], entry.own.name) end
    for _, callee in ipairs(entry.callees) do
      assert.truthy(read.functions[callee.index], callee.name)
    end
  end
end

-- Returns the functions in the report, keyed by index number.
local function by_index(profile)
  local functions = {}
  for f in profile:functions() do
    local met = f.calls + f.self_calls + f.ticks + f.children_ticks > 0
    functions[f.index] = f.printed and met and f or nil
  end
  return functions
end

describe("The rules of gprof2dot", function()
  local text = [[
index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.10    0.90                 main [1]
                0.60    0.30       1/3           work <cycle 1> [2]
-----------------------------------------------

]] .. "\f\n"

  it("accept a small example, and reject damaged ones", function()
    local read = gprof2dot.read(text)
    assert.same({ {}, 1, "work", 1, 3 }, { read.unrecognized, read.functions[1].own.index,
      read.functions[1].callees[1].name, read.functions[1].callees[1].cycle, read.functions[1].callees[1].total })
    assert.is_nil(read.problem)
    for change, problem in pairs { ["\f"] = "unexpected end of file", ["index %%"] = "no call graph" } do
      assert.equal(problem, gprof2dot.read((text:gsub(change, ""))).problem)
    end
    assert.same({}, gprof2dot.read((text:gsub("%-%-+", ""))).functions)
    for _, change in ipairs { { "1/3", "a/3" }, { "100.0", "100" }, { "main %[1%]", "main [1] " },
      { " +<spontaneous>\n", "" }, { "0.10", "0" }, { "main %[1%]", "main" } } do
      assert.not_same({}, gprof2dot.read((text:gsub(change[1], change[2]))).unrecognized)
    end
  end)
end)

describe("The call graph, for gprof2dot,", function()
  for name, image, path in exported.each_program() do
    if name ~= "hum" then
      for _, options in ipairs {
        {}, { "-b" }, { "-q" }, { "-bczq" }, { "--gnu-compat", "-b" }, { "-b", "--no-demangle" },
      } do
        it(("has no unknown line: %s %s"):format(name, table.concat(options, " ")), function()
          local words = table.move(options, 1, #options, 3, { image, path })
          check(gprof2dot.read(report(table.unpack(words))))
        end)
      end

      it("yields functions with their time and calls: " .. name, function()
        local read = gprof2dot.read(report("-b", image, path))
        local functions, count = by_index(exported.profile(image, path)), 0
        for index, f in pairs(functions) do
          local entry = read.functions[index]
          assert.truthy(entry, f.name)
          count = count + 1
          assert.equal(("%.2f"):format(f.self), ("%.2f"):format(entry.own.self))
          assert.equal(f.calls > 0 and f.calls or nil, entry.own.called)
          assert.equal(f.self_calls > 0 and f.self_calls or nil, entry.own.self_called)
          assert.equal(f.cycle and f.cycle.number, entry.own.cycle)
          local calls = {}
          for arc in f:callees() do calls[arc.callee.index] = arc.count end
          for _, callee in ipairs(entry.callees) do
            assert.equal(calls[callee.index], callee.count)
            calls[callee.index] = nil
          end
          assert.same({}, calls)
        end
        for _ in pairs(read.functions) do count = count - 1 end
        assert.equal(0, count)
      end)
    end
  end

  it("has no unknown line in a recorded program with its libraries", function()
    local image, path = exported.libraries()
    check(gprof2dot.read(program.run({ "-b", image, path }).stdout))
    check(gprof2dot.read(report("-b", "--no-libraries", image, path)))
  end)

  it("equals GNU gprof's in everything that gprof2dot reads", function()
    if not shell.installed "gprof" then
      pending "needs GNU gprof"
      return
    end
    local built = build.program "cycles"
    local oracle = shell.check({ "/usr/bin/gprof", "-b", built.image, built.gmon },
      { env = { LC_ALL = "C", MALLOC_PERTURB_ = "255" } }).stdout
    local theirs = gprof2dot.read(oracle)
    check(theirs)
    assert.same(theirs, gprof2dot.read(report("-b", built.image, built.gmon)))
  end)

  it("may have any names without newlines", function()
    local plan = { functions = {}, ticks = {}, calls = {} }
    for _, name in ipairs(exported.names.functions) do
      if not name:find "%c" then
        plan.functions[#plan.functions + 1], plan.ticks[name] = name, 3
        if name ~= "main" then table.insert(plan.calls, { "main", name, 2 }) end
      end
    end
    local read, names = gprof2dot.read(report("-b", crafted.image(plan), crafted.gmon(plan))), {}
    check(read)
    for _, entry in pairs(read.functions) do names[entry.own.name] = true end
    for _, name in ipairs(plan.functions) do assert.truthy(names[name], name) end
  end)
end)
